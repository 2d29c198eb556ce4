"""What each input of the cost page is called, from where to where its slider runs, and what it does to the answer."""

from typing import Final, NamedTuple

from lib.choice.costed import Costed
from lib.present.text import Words


class Slider(NamedTuple):
    """Label, explanation, ends of the slider, step, format, and the ends of what may be typed."""

    label: str
    help: str
    low: float
    high: float
    step: float
    format: str | None
    least: float
    most: float

    @property
    def typed_format(self) -> str | None:
        """The format of a number field, which knows no percent: fractions there are typed as fractions."""
        if self.format == "percent":
            return "%.3f"
        return self.format


_DOLLARS_A_SERVER: Final = (20_000.0, 1_000_000.0, 5_000.0, "%.0f", 0.0, 1e8)
_DOLLARS_AN_HOUR: Final = (0.1, 20.0, 0.05, "%.2f", 0.0, 1000.0)

_ENDS: Final[dict[str, tuple[float, float, float, str | None, float, float]]] = {
    "horizon_years": (1, 5, 1, None, 1, 5),
    "utilisation": (0.05, 1.0, 0.05, "percent", 0.01, 1.0),
    "electricity_usd_per_kwh": (0.02, 0.5, 0.005, "%.3f", 0.0, 2.0),
    "discount_rate": (0.0, 0.25, 0.005, "percent", 0.0, 0.5),
    "residual_scale": (0.0, 2.0, 0.1, "%.1f", 0.0, 2.0),
    "power_usage_effectiveness": (1.0, 2.0, 0.01, "%.2f", 1.0, 3.0),
    "staff_fte_per_server": (0.0, 2.0, 0.05, "%.2f", 0.0, 10.0),
    "staff_usd_per_fte_year": (0.0, 600_000.0, 5_000.0, "%.0f", 0.0, 2e6),
    "hardware_support_fraction": (0.0, 0.2, 0.005, "percent", 0.0, 0.5),
    "colocation_usd_per_kw_month": (0.0, 500.0, 5.0, "%.0f", 0.0, 2000.0),
    "migration_engineer_weeks": (0.0, 104.0, 1.0, "%.0f", 0.0, 1000.0),
    "network_usd_per_gpu": (0.0, 20_000.0, 250.0, "%.0f", 0.0, 100_000.0),
    "spares_fraction": (0.0, 0.3, 0.005, "percent", 0.0, 1.0),
    "rent_change_per_year": (-0.3, 0.3, 0.01, "percent", -0.5, 0.5),
    "electricity_change_per_year": (-0.1, 0.2, 0.005, "percent", -0.5, 0.5),
    "rent_support_fraction": (0.0, 0.3, 0.005, "percent", 0.0, 0.5),
    "licence_usd_per_gpu_year": (0.0, 10_000.0, 100.0, "%.0f", 0.0, 50_000.0),
    "storage_tb": (0.0, 1000.0, 10.0, "%.0f", 0.0, 1e6),
    "egress_tb_per_month": (0.0, 1000.0, 10.0, "%.0f", 0.0, 1e6),
    "fit_out_usd_per_kw": (0.0, 5_000.0, 50.0, "%.0f", 0.0, 100_000.0),
    "storage_usd_per_tb_month": (0.0, 100.0, 1.0, "%.1f", 0.0, 10_000.0),
    "egress_usd_per_tb": (0.0, 200.0, 1.0, "%.1f", 0.0, 10_000.0),
    "order_month": (0, 24, 1, None, 0, 48),
    "delivery_months": (0, 18, 1, None, 0, 48),
    "acceptance_months": (0, 12, 1, None, 0, 24),
    "minimum_months": (0, 36, 1, None, 0, 60),
    "deposit_fraction": (0.0, 1.0, 0.05, "percent", 0.0, 1.0),
    "prepaid_fraction": (0.0, 1.0, 0.05, "percent", 0.0, 1.0),
    "contingency_fraction": (0.0, 0.5, 0.01, "percent", 0.0, 0.9),
}


def slider(field: str, _: Words) -> Slider:
    """The slider of a field.

    Parameters
    ----------
    field : str
        A field of Money, of a candidate, or of the caps.
    _ : Words
        The reader's language.

    Returns
    -------
    Slider
        With label and explanation.
    """
    label, explanation = (_running(_) | _money(_) | _buying(_))[field]
    return Slider(label, explanation, *_ENDS[field])


def price_of(one: Costed, _: Words) -> tuple[str, Slider]:
    """The field that is the price of an option, and its slider.

    Parameters
    ----------
    one : Costed
        Bought or rented.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of str and Slider
        In USD per server or per GPU-hour.
    """
    if one.candidate.acquisition == "buy":
        return "server_price_usd", Slider(_("Price, USD per server"), "", *_DOLLARS_A_SERVER)
    return "rent_usd_per_gpu_hour", Slider(_("Price, USD per GPU-hour"), "", *_DOLLARS_AN_HOUR)


def typed_label(shown: Slider, _: Words) -> str:
    """The label of a typed field: shares are typed as fractions, and say so.

    Parameters
    ----------
    shown : Slider
        The input.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Utilisation (0.4 is 40 %)".
    """
    return _("{label} (0.4 is 40 %)", label=shown.label) if shown.format == "percent" else shown.label


def group_name(group: str, _: Words) -> str:
    """A group of inputs as a buyer thinks.

    Parameters
    ----------
    group : str
        buy, run, money or future.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a heading.
    """
    return {
        "buy": _("What we buy"),
        "run": _("How we run it"),
        "money": _("Money"),
        "future": _("The future"),
    }[group]


def _running(_: Words) -> dict[str, tuple[str, str]]:
    return {
        "utilisation": (
            _("Utilisation"),
            _("Share of hours in which the GPUs work: it sets energy and the cost of a delivered hour."),
        ),
        "electricity_usd_per_kwh": (
            _("Electricity price, USD per kWh"),
            _("Price at the meter; the site's overhead is the PUE."),
        ),
        "power_usage_effectiveness": (
            _("Power usage effectiveness (PUE)"),
            _("Power of the site per power of the servers."),
        ),
        "staff_fte_per_server": (
            _("Staff, people per server"),
            _("Full-time equivalents for one server that is owned."),
        ),
        "staff_usd_per_fte_year": (_("One person, USD a year"), _("With all that an employer pays.")),
        "hardware_support_fraction": (
            _("Support, share of the hardware price a year"),
            _("Vendor's support or maintenance contract."),
        ),
        "rent_support_fraction": (_("Provider's support, share of the rent"), _("Support contract of a rental.")),
        "colocation_usd_per_kw_month": (
            _("Colocation, USD per kW-month"),
            _("Space and cooling, without electricity; not paid on a site of one's own."),
        ),
        "fit_out_usd_per_kw": (
            _("Fit-out, USD per kW"),
            _("Cooling and power brought to the rack, once; blank is the edition's: nothing in a hall that is ready."),
        ),
        "storage_tb": (_("Storage, TB"), _("Data kept beside the GPUs, in TB of 10¹² bytes.")),
        "storage_usd_per_tb_month": (_("Storage, USD per TB-month"), _("Blank is the edition's price.")),
        "egress_tb_per_month": (_("Data sent out, TB a month"), _("What a provider charges for leaving its network.")),
        "egress_usd_per_tb": (_("Data sent out, USD per TB"), _("Blank is the edition's price.")),
    }


def _money(_: Words) -> dict[str, tuple[str, str]]:
    return {
        "horizon_years": (_("Horizon, years"), _("Years from the decision to resale.")),
        "discount_rate": (
            _("Discount rate"),
            _("Effective annual rate: 100 USD paid a year later count as 100 / (1 + rate) today."),
        ),
        "contingency_fraction": (
            _("Reserve, share of the budget"),
            _("Part of the budget that must not be planned away."),
        ),
        "residual_scale": (
            _("Residual value, x the assumed curve"),
            _("1 is the resale curve of the assumptions; 0 sells for nothing."),
        ),
        "rent_change_per_year": (
            _("Change of the rent per year"),
            _("0: no drift is assumed; the history fell until 2025 and then rose."),
        ),
        "electricity_change_per_year": (
            _("Change of electricity per year"),
            _("0: no drift is assumed."),
        ),
    }


def _buying(_: Words) -> dict[str, tuple[str, str]]:
    return {
        "network_usd_per_gpu": (_("Network, USD per GPU"), _("Scale-out network beyond one server.")),
        "spares_fraction": (_("Spares, share of the hardware"), _("Spare parts bought at the start.")),
        "migration_engineer_weeks": (
            _("Migration, engineer-weeks"),
            _("Moving the software to a part that needs it (AMD)."),
        ),
        "licence_usd_per_gpu_year": (
            _("Licences, USD per GPU-year"),
            _("NVIDIA AI Enterprise where it is used; 0 by default."),
        ),
        "order_month": (_("Order, months after the decision"), _("Prices are today's whenever it is ordered.")),
        "delivery_months": (
            _("Lead time, months"),
            _("From order to delivery; blank is not known: no month is counted, and no deadline is passed."),
        ),
        "acceptance_months": (_("Acceptance, months"), _("From delivery to service.")),
        "minimum_months": (_("Minimum rent, months"), _("What is owed even when it is given back before.")),
        "deposit_fraction": (_("Deposit at the order"), _("Share of the hardware's price; the rest is due at delivery.")),
        "prepaid_fraction": (_("Prepaid share of a commitment"), _("Paid at the start of each term.")),
    }  # fmt: skip
