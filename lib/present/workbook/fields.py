"""The fields of options and finance as a workbook names them: label, unit, and how their values are written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lib.present.cost_names import field_name
from lib.present.text import Words
from lib.present.workbook.book import PLAIN, SHARE, USD

MONEY: Final = (
    "horizon_months", "discount_rate", "utilisation", "electricity_usd_per_kwh", "electricity_change_per_year",
    "power_usage_effectiveness", "colocation_usd_per_kw_month", "colocation_change_per_year", "staff_usd_per_fte_year",
    "currency_per_usd",
)  # fmt: skip
"""Fields that all options share."""

EVERY: Final = (
    "gpus", "order_month", "delivery_months", "acceptance_months", "bridge", "bridge_gpus", "bridge_usd_per_gpu_hour",
    "bridge_usd_per_month", "migration_usd", "licence_usd_per_gpu_year", "staff_fte_per_server", "storage_tb",
    "storage_usd_per_tb_month", "egress_tb_per_month", "egress_usd_per_tb",
)  # fmt: skip
OWNED: Final = (
    "gpus_per_server", "server_price_usd", "deposit_fraction", "network_usd_per_gpu", "installation_usd_per_gpu",
    "fit_out_usd_per_kw", "load_kw_per_server", "idle_kw_per_server", "hardware_support_fraction", "spares_fraction",
    "residual_scale",
)  # fmt: skip
RENTED: Final = (
    "gpus_per_server", "rent_usd_per_gpu_hour", "rent_change_per_year", "rent_support_fraction", "billing",
    "minimum_months", "prepaid_fraction",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FieldWords:
    """A field's label and unit in the reader's language, and the number format of its value."""

    label: str
    unit: str
    number_format: str


def field_words(field: str, _: Words) -> FieldWords:
    """A field of an option or of the finance in the reader's words.

    Parameters
    ----------
    field : str
        As `lib.cost.options` names it, or one that a workbook adds.
    _ : Words
        The reader's language.

    Returns
    -------
    FieldWords
        Named as on the cost page.
    """
    label = _added(_).get(field) or field_name(field, _)
    unit = next((units[field] for units in (_money(_), _owned(_), _rented(_), _every(_)) if field in units), "")
    return FieldWords(label, unit, _format(field))


def _format(field: str) -> str:
    if field == "utilisation" or (field.endswith(("_fraction", "_rate", "_per_year")) and "usd" not in field):
        return SHARE
    return USD if field in ("server_price_usd", "migration_usd", "staff_usd_per_fte_year") else PLAIN


def _added(_: Words) -> dict[str, str]:
    """What the workbook has beside the fields of the page."""
    return {
        "hours_per_month": _("Hours of a month"),
        "gb_per_gib": _("GB of a GiB"),
        "output_tokens_per_hour_low": _("Output tokens an hour at work, low"),
        "output_tokens_per_hour_high": _("Output tokens an hour at work, high"),
        "gpus": _("GPUs that the work needs"),
        "gpus_per_server": _("GPUs of one server"),
        "residual_by_year": _("Worth after year {n}"),
        "billing": _("Hours that are billed"),
        "term_months": _("Term of the commitment"),
        "memory_gib_per_gpu": _("Memory of one GPU, as its runtime or driver reports it"),
    }


def _money(_: Words) -> dict[str, str]:
    return {
        "horizon_months": _("months"),
        "discount_rate": _("effective annual rate"),
        "utilisation": _("share of the hours"),
        "electricity_usd_per_kwh": _("USD per kWh"),
        "electricity_change_per_year": _("per year"),
        "power_usage_effectiveness": _("kW of the site per kW of the servers"),
        "colocation_usd_per_kw_month": _("USD per kW at load and month"),
        "colocation_change_per_year": _("per year"),
        "staff_usd_per_fte_year": _("USD per year"),
        "currency_per_usd": _("units per USD"),
        "hours_per_month": _("hours"),
        "gb_per_gib": _("10⁹ bytes per 2³⁰ bytes"),
        "output_tokens_per_hour_low": _("tokens of all needed GPUs"),
        "output_tokens_per_hour_high": _("tokens of all needed GPUs"),
    }


def _owned(_: Words) -> dict[str, str]:
    return {
        "gpus_per_server": _("GPUs"),
        "server_price_usd": _("USD per server"),
        "deposit_fraction": _("share of servers, network and spares"),
        "network_usd_per_gpu": _("USD per GPU"),
        "installation_usd_per_gpu": _("USD per GPU"),
        "fit_out_usd_per_kw": _("USD per kW at load"),
        "load_kw_per_server": _("kW"),
        "idle_kw_per_server": _("kW"),
        "hardware_support_fraction": _("share of the hardware price per year"),
        "spares_fraction": _("share of the hardware price"),
        "residual_by_year": _("share of the hardware price"),
        "residual_scale": _("factor"),
    }


def _rented(_: Words) -> dict[str, str]:
    return {
        "rent_usd_per_gpu_hour": _("USD per GPU-hour"),
        "rent_change_per_year": _("per year; a commitment changes when it renews"),
        "rent_support_fraction": _("share of the rent"),
        "prepaid_fraction": _("share of the rent of a term"),
        "billing": "all-hours, used-hours",
        "minimum_months": _("months"),
        "term_months": _("months"),
    }


def _every(_: Words) -> dict[str, str]:
    return {
        "gpus": _("GPUs"),
        "order_month": _("months after the decision"),
        "delivery_months": _("months; blank counts as 0"),
        "acceptance_months": _("months"),
        "bridge": "none, rent, old-fleet",
        "bridge_gpus": _("GPUs; blank counts as those needed"),
        "bridge_usd_per_gpu_hour": _("USD per GPU-hour"),
        "bridge_usd_per_month": _("USD per month"),
        "migration_usd": _("USD, once"),
        "licence_usd_per_gpu_year": _("USD per GPU and year"),
        "staff_fte_per_server": _("full-time equivalents per server"),
        "storage_tb": _("TB"),
        "storage_usd_per_tb_month": _("USD per TB and month"),
        "egress_tb_per_month": _("TB per month"),
        "egress_usd_per_tb": _("USD per TB"),
        "memory_gib_per_gpu": _("GiB"),
    }


def reason_words(reason: str, _: Words) -> str:
    """Why a field has no row behind it, or is not used.

    Parameters
    ----------
    reason : str
        The reason of an origin.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Empty for no reason.
    """
    known: dict[str, Callable[[], str]] = {
        "three-years": lambda: _("Three years, the horizon of the articles; your choice."),
        "no-constant-change": lambda: _("No constant change is assumed: the history fell and rose."),
        "us-dollars": lambda: _("Everything is reckoned in US dollars."),
        "lead-time-unknown": lambda: _("Nobody stated a lead time: ask the vendor. None is counted."),
        "ordered-at-once": lambda: _("Ordered on the day of the decision."),
        "starts-at-once": lambda: _("A rental begins at once."),
        "not-stated": lambda: _("Nothing is counted until you state it."),
        "no-minimum": lambda: _("No shortest time binds."),
        "paid-monthly": lambda: _("Paid month by month unless you state otherwise."),
        "optional": lambda: _("Off: an open software stack runs without it."),
        "hall-is-ready": lambda: _("Off: the hall is taken to be ready."),
        "in-server-price": lambda: _("The price of the server holds it already."),
        "one-server": lambda: _("One server needs no network between servers."),
        "no-port-needed": lambda: _("The software runs on this part as it is."),
        "no-licence-known": lambda: _("No licence for this part is known."),
        "no-residual-value": lambda: _("No resale value of this part is known: it is not sold."),
        "age-at-sale": lambda: _(
            "Low and high are those of the age at the sale when this workbook was made; another horizon has others."
        ),
        "stated": lambda: _("Stated in the scenario."),
        "memory": lambda: _("The fewest GPUs of one server whose memory holds the model, with spare replicas."),
        "latency": lambda: _("As many as keep the limits on latency, by the estimate of throughput."),
        "throughput": lambda: _("As many as carry the load at the low end of the estimate of throughput."),
        "redundancy": lambda: _("The load's replicas and the spare ones."),
        "server": lambda: _("The load asks for fewer: whole servers are bought."),
        "training": lambda: _("Stated for the training run."),
        "definition": lambda: _("By definition: 8,760 hours are twelve months."),
        "unit": lambda: _("By definition."),
        "term": lambda: _("By the way of having it."),
    }
    return known[reason]() if reason in known else ""
