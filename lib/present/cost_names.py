"""Fields of money in words: their names, and their values with units."""

from typing import Any, Final, Literal

from lib.present.text import Words

Kind = Literal["usd", "usd2", "percent", "number", "months", "word"]

_KINDS: Final[dict[str, Kind]] = {
    "server_price_usd": "usd", "gpu_price_usd": "usd", "rent_usd_per_gpu_hour": "usd2", "rent_usd_per_gpu_month": "usd",
    "network_usd_per_gpu": "usd", "installation_usd_per_gpu": "usd", "fit_out_usd_per_kw": "usd",
    "hardware_support_fraction": "percent", "spares_fraction": "percent", "staff_usd_per_fte_year": "usd",
    "migration_usd": "usd", "licence_usd_per_gpu_year": "usd", "rent_change_per_year": "percent",
    "rent_support_fraction": "percent", "prepaid_fraction": "percent", "deposit_fraction": "percent",
    "utilisation": "percent", "discount_rate": "percent", "electricity_usd_per_kwh": "usd2",
    "electricity_change_per_year": "percent", "colocation_usd_per_kw_month": "usd",
    "colocation_change_per_year": "percent", "storage_usd_per_tb_month": "usd2", "egress_usd_per_tb": "usd2",
    "bridge_usd_per_gpu_hour": "usd2", "bridge_usd_per_month": "usd", "order_month": "months",
    "delivery_months": "months", "acceptance_months": "months", "minimum_months": "months", "horizon_months": "months",
    "budget_usd": "usd", "contingency_fraction": "percent", "site": "word", "currency": "word", "grid": "word",
    "bridge": "word", "bridge_part": "word", "budget_by_year": "word",
}  # fmt: skip


def field_name(field: str, _: Words) -> str:
    """A field of an option, of finance or of the caps in the reader's words.

    Parameters
    ----------
    field : str
        As the record has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The field itself where nobody has written its words.
    """
    return (_of_option(field, _) or _of_time(field, _) or _of_finance(field, _)) or field


def _of_option(field: str, _: Words) -> str:
    return {
        "server_price_usd": _("Price of a server"),
        "gpu_price_usd": _("Price of a GPU"),
        "rent_usd_per_gpu_hour": _("Rent per GPU-hour"),
        "rent_usd_per_gpu_month": _("Rent per GPU-month"),
        "network_usd_per_gpu": _("Network per GPU"),
        "installation_usd_per_gpu": _("Installation per GPU"),
        "fit_out_usd_per_kw": _("Fit-out per kW"),
        "load_kw_per_server": _("Power of a server at work, kW"),
        "idle_kw_per_server": _("Power of an idle server, kW"),
        "hardware_support_fraction": _("Hardware support a year"),
        "spares_fraction": _("Spares"),
        "residual_scale": _("Resale value, x the assumed curve"),
        "staff_fte_per_server": _("Staff, people per server"),
        "staff_usd_per_fte_year": _("Cost of one person a year"),
        "migration_usd": _("Moving the software"),
        "migration_engineer_weeks": _("Migration, engineer-weeks"),
        "licence_usd_per_gpu_year": _("Licences per GPU-year"),
        "rent_change_per_year": _("Change of the rent per year"),
        "rent_support_fraction": _("Provider's support"),
        "prepaid_fraction": _("Prepaid share of a commitment"),
        "storage_tb": _("Storage, TB"),
        "storage_usd_per_tb_month": _("Storage per TB-month"),
        "egress_tb_per_month": _("Data sent out, TB a month"),
        "egress_usd_per_tb": _("Data sent out, per TB"),
        "bridge_usd_per_gpu_hour": _("Rent of the bridge per GPU-hour"),
        "bridge_usd_per_month": _("Old fleet a month"),
        "gpus": _("GPUs"),
    }.get(field, "")


def _of_time(field: str, _: Words) -> str:
    return {
        "order_month": _("Month of the order"),
        "delivery_months": _("Lead time"),
        "acceptance_months": _("Acceptance"),
        "minimum_months": _("Minimum rent"),
        "deposit_fraction": _("Deposit"),
        "bridge": _("Bridge until service begins"),
        "bridge_part": _("Part of the bridge"),
        "bridge_gpus": _("GPUs of the bridge"),
        "horizon_months": _("Horizon"),
        "horizon_years": _("Horizon, years"),
    }.get(field, "")


def _of_finance(field: str, _: Words) -> str:
    return {
        "utilisation": _("Utilisation"),
        "discount_rate": _("Discount rate"),
        "electricity_usd_per_kwh": _("Electricity per kWh"),
        "electricity_change_per_year": _("Change of electricity per year"),
        "power_usage_effectiveness": _("Power usage effectiveness (PUE)"),
        "colocation_usd_per_kw_month": _("Colocation per kW-month"),
        "colocation_change_per_year": _("Change of colocation per year"),
        "site": _("Site"),
        "currency": _("Currency"),
        "currency_per_usd": _("Exchange rate, per USD"),
        "grid": _("Grid"),
        "grid_kg_per_kwh": _("CO2 of the grid, kg per kWh"),
        "budget_usd": _("Budget in all"),
        "budget_by_year": _("Budgets by year"),
        "contingency_fraction": _("Reserve of the budget"),
    }.get(field, "")


def field_value(field: str, value: Any, _: Words) -> str:
    """A value of a field with its unit; inputs are US dollars whatever the results are shown in.

    Parameters
    ----------
    field : str
        As the record has it.
    value : Any
        A value of it; None is the edition's, or one that nobody stated.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "230,000 USD", "40 %", "6 months".
    """
    if value is None:
        return _("not stated")
    if isinstance(value, tuple):
        return ", ".join("–" if one is None else _.usd(one) for one in value) or _("not stated")
    if isinstance(value, str):
        return value
    match _KINDS.get(field, "number"):
        case "usd":
            return _.usd(value, 0 if abs(value) >= 100 or value == round(value) else 2)
        case "usd2":
            return f"{_.number(value, 4)} USD"
        case "percent":
            return f"{_.number(100 * value)} %"
        case "months":
            return _.count("{n} month", "{n} months", int(value))
    return _.number(float(value), 4)
