"""Options and finance filled from the catalogue: every field with its origin, so that it can be shown and questioned.

A field is the base value of an assumption, a price by the rule of `prices`, something composed of both, or what the
user states. Where a fact is missing there is no option but a reason; nothing is guessed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from types import MappingProxyType
from typing import Any, Final

from lib.cost.assumed_fields import origin_of
from lib.cost.draft import CATALOGUE, Draft, Question, add_software, add_storage, add_timing, why_missing
from lib.cost.options import MOST_GPUS, Acquisition, Currency, Finance, Option, check_acquisition
from lib.cost.origins import Origin, assumed, by_user, stated_only
from lib.cost.owner_defaults import owner_draft
from lib.cost.prices import OLD_DAYS, PriceChoice, earliest_day
from lib.cost.ranges import check_count
from lib.cost.renter_defaults import renter_draft
from lib.cost.resale import ResaleCurve
from lib.errors import InputError
from lib.records import Accelerator, Assumption, Doubt, Price

DEFAULT_HORIZON_MONTHS: Final = 36

OPTION_OVERRIDES: Final = frozenset(
    {
        "server_price_usd", "gpu_price_usd", "rent_usd_per_gpu_hour", "rent_usd_per_gpu_month", "network_usd_per_gpu",
        "installation_usd_per_gpu", "fit_out_usd_per_kw", "gpus_per_server", "load_kw_per_server", "idle_kw_per_server",
        "hardware_support_fraction", "spares_fraction", "residual_scale", "staff_fte_per_server",
        "staff_usd_per_fte_year", "migration_engineer_weeks", "migration_usd", "licence_usd_per_gpu_year",
        "rent_change_per_year", "rent_support_fraction", "prepaid_fraction", "billing", "minimum_months", "order_month",
        "delivery_months", "acceptance_months", "deposit_fraction", "bridge", "bridge_part", "bridge_gpus",
        "bridge_usd_per_gpu_hour", "bridge_usd_per_month", "storage_tb", "storage_usd_per_tb_month",
        "egress_tb_per_month", "egress_usd_per_tb", "site",
    }
)  # fmt: skip
"""What a user may state about an option."""

FINANCE_OVERRIDES: Final = frozenset(one.name for one in fields(Finance))
"""What a user may state about finance."""

_FINANCE_ASSUMED: Final = (
    "discount_rate", "utilisation", "electricity_usd_per_kwh", "power_usage_effectiveness",
    "colocation_usd_per_kw_month", "colocation_change_per_year", "staff_usd_per_fte_year",
)  # fmt: skip
_RATE_ASSUMPTIONS: Final[Mapping[str, str]] = {"CNY": "fin-fx-usdcny", "EUR": "fin-fx-eurusd"}


@dataclass(frozen=True, slots=True)
class OptionDefaults:
    """An option with the origin of each field; no option where a fact is missing, and the reasons then.

    `resale` has the range of what hardware is worth at any age; the origin of its factor, that of the age at the sale. `why`
    is the first of the reasons with what its sentence needs.
    """

    option: Option | None
    origins: Mapping[str, Origin]
    price: PriceChoice | None
    reasons: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    resale: ResaleCurve | None = None
    why: Doubt | None = None


@dataclass(frozen=True, slots=True)
class FinanceDefaults:
    """Finance with the origin of each field, and the day of the exchange rate where one is used."""

    finance: Finance
    origins: Mapping[str, Origin]
    rate_as_of: str = ""
    doubts: tuple[Doubt, ...] = ()


def finance_defaults(
    assumptions: Mapping[str, Assumption], overrides: Mapping[str, Any] | None = None, as_of: date | None = None
) -> FinanceDefaults:
    """Finance from the assumptions, with what the user states in its place.

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    overrides : mapping of str to Any, optional
        One of FINANCE_OVERRIDES to the user's value; a `currency` brings its rate from the assumptions.
    as_of : date, optional
        The day on which the question is asked: an exchange rate of the catalogue that is older than 90 days by then
        is a doubt.

    Returns
    -------
    FinanceDefaults
        A value equal to the default keeps the default's origin.

    Raises
    ------
    UnknownNameError
        If an override is no field of Finance, or an assumption has gone or is a gap.
    InputError
        If a value is outside its range, or the currency has neither a stated rate nor a row.
    """
    stated = stated_only(overrides, FINANCE_OVERRIDES)
    currency: Currency = stated.pop("currency", "USD")
    origins = {name: origin_of(name, assumptions) for name in _FINANCE_ASSUMED}
    origins["horizon_months"] = Origin("off", base=DEFAULT_HORIZON_MONTHS, reason="three-years")
    origins["electricity_change_per_year"] = Origin("off", base=0.0, reason="no-constant-change")
    origins["currency_per_usd"] = _exchange_rate(assumptions, currency, stated.get("currency_per_usd"))
    values: dict[str, Any] = {name: origin.base for name, origin in origins.items()}
    for name, value in stated.items():
        values[name], origins[name] = value, by_user(origins[name], value)
    rate = origins["currency_per_usd"]
    day = assumptions[rate.ids[0]].as_of if rate.ids and rate.kind != "user" else ""
    return FinanceDefaults(
        Finance(**values, currency=currency), MappingProxyType(origins), day, _rate_doubts(day, as_of)
    )


def option_for(
    accelerator: Accelerator,
    acquisition: Acquisition,
    gpus: int,
    assumptions: Mapping[str, Assumption],
    prices: Iterable[Price],
    as_of: date,
    overrides: Mapping[str, Any] | None = None,
    price_source: str = CATALOGUE,
    horizon_months: int = DEFAULT_HORIZON_MONTHS,
) -> OptionDefaults:
    """One option from the catalogue, with what the user states in its place.

    Parameters
    ----------
    accelerator : Accelerator
        The part.
    acquisition : {"buy", "rent", "commit-1y", "commit-3y"}
        How it is had.
    gpus : int
        GPUs that the work needs.
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    prices : iterable of Price
        All price rows.
    as_of : date
        The day on which the question is asked.
    overrides : mapping of str to Any, optional
        One of OPTION_OVERRIDES to the user's value. `gpu_price_usd` becomes a server by the row `capex-base-est`,
        `rent_usd_per_gpu_month` an hourly rent by 730 hours, `migration_engineer_weeks` dollars by
        `staff_usd_per_fte_year`. A bridge of rented GPUs is priced as `bridge_part` on demand, the part itself
        unless stated. `site` is "colocation" or "own": a facility of one's own is built, by the row `fac-build`.
    price_source : str
        "catalogue", the source id of an article, or "own" for what the overrides state alone.
    horizon_months : int
        When hardware is sold: the range of its worth is that of its age then [months after the decision].

    Returns
    -------
    OptionDefaults
        Without option, the reasons are of: no-purchase-price, no-rental-price, no-server-base, no-server-size,
        no-node-power, no-bridge-price, no-bridge-cost.

    Raises
    ------
    UnknownNameError
        If an override has no such name, or an assumption has gone or is a gap.
    InputError
        If a value is outside its range, or contradicts the acquisition.

    Notes
    -----
    What only an owner pays is left out of a rental, and the reverse, also when it is stated. So is what does not
    apply: the network of a single server, or where the server's price holds it already; engineer-weeks for parts that
    `mig-elapsed` does not name; licences for parts that `sw-nvaie-list` does not name. Licences are off by default,
    for an open stack runs without them; their origin has the list price as its high end.
    """
    check_acquisition(acquisition)
    check_count("gpus", gpus, 1, MOST_GPUS, "GPUs")
    stated = stated_only(overrides, OPTION_OVERRIDES)
    question = Question(
        accelerator, acquisition, gpus, assumptions, tuple(prices), as_of, stated, price_source, horizon_months
    )
    draft = owner_draft(question) if acquisition == "buy" else renter_draft(question)
    add_software(question, draft)
    add_storage(question, draft)
    add_timing(question, draft)
    values: dict[str, Any] = {}
    for name, origin in draft.origins.items():
        values[name] = origin.base
        if name in draft.stated and origin.kind != "not-applicable":
            values[name], draft.origins[name] = draft.stated[name], by_user(origin, draft.stated[name])
    reasons = _reasons(values, draft)
    option = None
    if not reasons:
        option = Option(
            accelerator_id=accelerator.accelerator_id,
            acquisition=acquisition,
            gpus=gpus,
            gpus_per_server=draft.gpus_per_server or 1,
            residual_by_year=draft.resale.base if draft.resale else (),
            billing="all-hours" if acquisition == "buy" else stated.get("billing", "all-hours"),
            bridge=stated.get("bridge", "none"),
            bridge_gpus=stated.get("bridge_gpus"),
            **values,
        )
    return OptionDefaults(
        option, MappingProxyType(draft.origins), draft.price, reasons, tuple(draft.doubts), draft.resale,
        why_missing(question, reasons[0]) if reasons else None,
    )  # fmt: skip


def _exchange_rate(assumptions: Mapping[str, Assumption], currency: str, stated: float | None) -> Origin:
    """Units per dollar; the row of the euro states dollars per unit. Without a row the user must state a rate."""
    if currency not in _RATE_ASSUMPTIONS:
        return Origin("off", base=1.0, reason="us-dollars")
    row = assumptions.get(_RATE_ASSUMPTIONS[currency])
    if row is None or not (row.low and row.base and row.high):
        if stated is None:
            raise InputError("currency_per_usd", None, f"the rate that you state for {currency}: no dated one is known")
        return Origin("missing", reason="no-exchange-rate")
    rate = assumed(assumptions, row.assumption_id)
    if currency == "CNY":
        return rate
    return Origin("derived", rate.ids, 1 / row.high, 1 / row.base, 1 / row.low)


def _rate_doubts(day: str, as_of: date | None) -> tuple[Doubt, ...]:
    """An exchange rate of the catalogue that is old by the day of the question."""
    known = earliest_day(day)
    if as_of is None or known is None or (as_of - known).days <= OLD_DAYS:
        return ()
    return (Doubt("old-rate", {"days": (as_of - known).days, "as_of": day}),)


def _reasons(values: Mapping[str, Any], draft: Draft) -> tuple[str, ...]:
    """Why there is no option: what nobody published and the user has not stated."""
    missing = [name for name, value in values.items() if value is None and draft.origins[name].kind == "missing"]
    reasons = [draft.origins[name].reason for name in missing]
    if "server_price_usd" in values and draft.gpus_per_server is None:
        reasons.append("no-server-size")
    return tuple(dict.fromkeys(reasons))
