"""Units of assumptions and prices as the reader's language writes them."""

from lib.present.text import Words


def unit(word: str, _: Words) -> str:
    """A unit of the assumptions or of a price in the reader's language.

    Parameters
    ----------
    word : str
        As the table has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The word itself where there is no other.
    """
    return {
        "CNY per USD": _("CNY per USD"),
        "CNY per kWh": _("CNY per kWh"),
        "EUR per kWh": _("EUR per kWh"),
        "FTE": _("FTE"),
        "FTE per 8-GPU node": _("FTE per 8-GPU node"),
        "USD per 72 GPUs": _("USD per 72 GPUs"),
        "USD per 8-GPU server": _("USD per 8-GPU server"),
        "USD per EUR": _("USD per EUR"),
        "USD per GB": _("USD per GB"),
        "USD per GB-month": _("USD per GB-month"),
        "USD per GPU": _("USD per GPU"),
        "USD per GPU-hour": _("USD per GPU-hour"),
        "USD per GPU-year": _("USD per GPU-year"),
        "USD per GPU-year for 5 years": _("USD per GPU-year for 5 years"),
        "USD per PB": _("USD per PB"),
        "USD per TB": _("USD per TB"),
        "USD per kW": _("USD per kW"),
        "USD per kW-month": _("USD per kW-month"),
        "USD per kWh": _("USD per kWh"),
        "USD per project": _("USD per project"),
        "USD per server": _("USD per server"),
        "USD per year": _("USD per year"),
        "W per GPU": _("W per GPU"),
        "days": _("days"),
        "events": _("events"),
        "fix commits in the first two years": _("fix commits in the first two years"),
        "fraction of rated server power": _("fraction of rated server power"),
        "fraction of load": _("fraction of load"),
        "hours": _("hours"),
        "input tokens per output token": _("input tokens per output token"),
        "kW at the server": _("kW at the server"),
        "kW at the wall": _("kW at the wall"),
        "kW per GPU": _("kW per GPU"),
        "kg CO2 per kWh": _("kg CO2 per kWh"),
        "lines of setup.py": _("lines of setup.py"),
        "million USD per MW": _("million USD per MW"),
        "months of current cloud spend": _("months of current cloud spend"),
        "people per 1,024 GPUs": _("people per 1,024 GPUs"),
        "percent": _("percent"),
        "percent change in 5 months": _("percent change in 5 months"),
        "percent of CUDA/C++ source lines": _("percent of CUDA/C++ source lines"),
        "percent of GPU bill": _("percent of GPU bill"),
        "percent of GPU hardware cost": _("percent of GPU hardware cost"),
        "percent of TCO": _("percent of TCO"),
        "percent of bill": _("percent of bill"),
        "percent of cluster capex": _("percent of cluster capex"),
        "percent of fleet": _("percent of fleet"),
        "percent of hardware capex": _("percent of hardware capex"),
        "percent of hardware price per year": _("percent of hardware price per year"),
        "percent of purchase": _("percent of purchase"),
        "percent per year": _("percent per year"),
        "ratio": _("ratio"),
        "weeks": _("weeks"),
        "years": _("years"),
        "USD per 2 GPUs per month": _("USD per 2 GPUs per month"),
        "USD per 4 GPUs": _("USD per 4 GPUs"),
        "USD per 4 GPUs per month": _("USD per 4 GPUs per month"),
        "USD per 8 GPUs": _("USD per 8 GPUs"),
        "USD per 8 GPUs per month": _("USD per 8 GPUs per month"),
        "USD per GB-hour": _("USD per GB-hour"),
        "USD per GPU-month": _("USD per GPU-month"),
        "USD per hour": _("USD per hour"),
        "USD per rack of 72 GPUs": _("USD per rack of 72 GPUs"),
    }.get(word, word)
