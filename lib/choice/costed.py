"""What each candidate of a scenario costs: its fleet, the option that it makes, flows, totals and unit costs."""

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.scenario import Candidate, EngineChoice, Money, Workload
from lib.choice.sized import replica
from lib.cost.cash_flow import Flows, Totals, monthly_flows, total_usd, totals
from lib.cost.defaults import FinanceDefaults, OptionDefaults, finance_defaults, option_for
from lib.cost.options import Option
from lib.cost.unit_cost import UnitCost, unit_cost
from lib.errors import InputError
from lib.records import Accelerator, Doubt
from lib.units import MONTHS_PER_YEAR, SECONDS_PER_HOUR

TIE_SHARE: Final = 0.5
"""Price ranges that cover more than this share of the narrower one make a tie."""

CountedFrom = Literal["memory", "latency", "throughput", "redundancy", "server", "stated", "training", "none"]
"""What sets the number of GPUs."""

_OPTION_FIELDS: Final = (
    "network_usd_per_gpu", "hardware_support_fraction", "spares_fraction", "residual_scale", "staff_fte_per_server",
    "staff_usd_per_fte_year", "migration_engineer_weeks", "licence_usd_per_gpu_year", "rent_change_per_year",
    "rent_support_fraction", "fit_out_usd_per_kw", "site", "storage_tb", "storage_usd_per_tb_month",
    "egress_tb_per_month", "egress_usd_per_tb",
)  # fmt: skip
_FINANCE_FIELDS: Final = (
    "discount_rate", "utilisation", "electricity_usd_per_kwh", "electricity_change_per_year",
    "power_usage_effectiveness", "colocation_usd_per_kw_month", "staff_usd_per_fte_year", "currency",
)  # fmt: skip
_CANDIDATE_FIELDS: Final = (
    "gpu_price_usd", "server_price_usd", "rent_usd_per_gpu_hour", "rent_usd_per_gpu_month", "order_month",
    "delivery_months", "acceptance_months", "bridge", "bridge_part", "bridge_gpus", "bridge_usd_per_gpu_hour",
    "bridge_usd_per_month",
)  # fmt: skip
_FIELDS_OF_ONE_WAY: Final[Mapping[str, tuple[str, ...]]] = {
    "deposit_fraction": ("buy",),
    "minimum_months": ("rent",),
    "prepaid_fraction": ("commit-1y", "commit-3y"),
}
"""Fields of a candidate that mean something for some ways of having it, and are passed over for the others."""


@dataclass(frozen=True, eq=False)
class Costed:
    """One candidate with its costs; where there are none, `problem` says why."""

    candidate: Candidate
    accelerator: Accelerator
    gpus: int | None
    counted_from: CountedFrom
    defaults: OptionDefaults | None
    finance: FinanceDefaults
    flows: Flows | None
    summed: Totals | None
    unit: UnitCost | None
    npv_low_usd: float | None
    npv_high_usd: float | None
    problem: Doubt | None

    @property
    def option(self) -> Option | None:
        """The option behind the figures."""
        return self.defaults.option if self.defaults else None

    @property
    def npv_usd(self) -> float | None:
        """Net present value of all flows [USD]."""
        return None if self.summed is None else float(self.summed.npv_usd)

    @property
    def power_kw(self) -> float | None:
        """Power of the fleet at work, at the wall of the site; None for a rental, whose power is the provider's [kW]."""
        if self.flows is None or self.option is None or not self.option.buys:
            return None
        return float(self.flows.load_kw) * float(self.finance.finance.power_usage_effectiveness)


def band_overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """How far two ranges cover each other, in ratios: 100 to 200 is as wide as 200 to 400.

    share = log(least high / greatest low) / least log(high / low)

    Parameters
    ----------
    first, second : tuple of float
        Low and high, in one unit, above zero; a range that is not has no ratio and covers nothing.

    Returns
    -------
    float
        0 where they are apart or one of them is a single value, 1 where the narrower lies in the other.

    Notes
    -----
    One quote has no range: it says nothing of how far another may lie, so that it makes no tie.

    Examples
    --------
    >>> round(band_overlap((100.0, 400.0), (200.0, 1600.0)), 9), band_overlap((1.0, 2.0), (3.0, 4.0))
    (0.5, 0.0)
    """
    if min(*first, *second) <= 0:
        return 0.0
    narrower = math.log(min(first[1] / first[0], second[1] / second[0]))
    common = math.log(min(first[1], second[1]) / max(first[0], second[0]))
    return max(common, 0.0) / narrower if narrower > 0 else 0.0


def is_tie(one: Costed, other: Costed) -> bool:
    """Whether two options cost the same within the ranges of their prices.

    Parameters
    ----------
    one, other : Costed
        Two options.

    Returns
    -------
    bool
        True where the bands cover more than TIE_SHARE of the narrower one.
    """
    if one.npv_low_usd is None or one.npv_high_usd is None or other.npv_low_usd is None or other.npv_high_usd is None:
        return False
    bands = (one.npv_low_usd, one.npv_high_usd), (other.npv_low_usd, other.npv_high_usd)
    return band_overlap(*bands) > TIE_SHARE


def as_of(catalog: Catalog) -> date:
    """The day for which prices are chosen: the edition's, so that an answer can be computed again.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    date
        Its day.
    """
    return date.fromisoformat(catalog.edition.date)


def fleet(
    catalog: Catalog, workload: Workload, engine: EngineChoice, candidate: Candidate
) -> tuple[int | None, CountedFrom]:
    """GPUs that a candidate brings to a workload, and what sets their number.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    engine : EngineChoice
        The serving engine.
    candidate : Candidate
        States a number, or leaves it to memory.

    Returns
    -------
    tuple of int or None and str
        The number stated by the candidate, else by the training run, else the fewest GPUs of one server with tensor
        parallelism times one plus the spare replicas; None where memory gives no number.
    """
    if candidate.gpus is not None:
        return candidate.gpus, "stated"
    if workload.training_gpus is not None:
        return workload.training_gpus, "training"
    gpus = replica(catalog, workload, engine, catalog.accelerator(candidate.accelerator)).gpus
    return None if gpus is None else gpus * (1 + workload.spare_replicas), "memory"


@functools.lru_cache(maxsize=64)  # more would be walked by every collection
def costed(catalog: Catalog, workload: Workload, engine: EngineChoice, money: Money, candidate: Candidate) -> Costed:
    """The costs of one candidate.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run: it sets the number of GPUs, and may state a throughput.
    engine : EngineChoice
        The serving engine.
    money : Money
        Horizon, rates, running costs.
    candidate : Candidate
        Part, way of having it, prices.

    Returns
    -------
    Costed
        Problem codes: no-fleet, the reasons of `option_for`, input; also where the bridge is a part that nobody knows.
    """
    accelerator = catalog.accelerator(candidate.accelerator)
    finance = finance_defaults(catalog.assumptions, _of_finance(money), as_of(catalog))
    gpus, counted_from = fleet(catalog, workload, engine, candidate)

    def without(problem: Doubt, defaults: OptionDefaults | None = None) -> Costed:
        return Costed(
            candidate, accelerator, gpus, counted_from, defaults, finance, None, None, None, None, None, problem
        )

    if gpus is None:
        return without(Doubt("no-fleet", {}))
    try:
        defaults = option_for(
            accelerator, candidate.acquisition, gpus, catalog.assumptions, catalog.prices, as_of(catalog),
            {**_stated(money, _OPTION_FIELDS), **_of_candidate(candidate), **_of_own(catalog, candidate)},
            candidate.price_source,
            finance.finance.horizon_months,
        )  # fmt: skip
        if defaults.option is None:
            return without(defaults.why or Doubt("no-fleet", {}), defaults)
        flows = monthly_flows(defaults.option, finance.finance)
    except InputError as error:
        return without(Doubt("input", {"field": error.field, "value": error.value, "allowed": error.allowed}))
    summed = totals(defaults.option, finance.finance)
    rate = workload.stated_output_tokens_per_hour
    per_second = None if rate is None else (rate / SECONDS_PER_HOUR, rate / SECONDS_PER_HOUR)
    unit = unit_cost(
        defaults.option, finance.finance, summed, accelerator.memory_usable_gib, output_tokens_per_s=per_second
    )
    low, high = _price_band(defaults, finance)
    return Costed(candidate, accelerator, gpus, counted_from, defaults, finance, flows, summed, unit, low, high, None)


def _stated(record: Money | Candidate, names: Iterable[str]) -> dict[str, Any]:
    """What a record states of these fields; None is no statement."""
    return {name: value for name in names if (value := getattr(record, name)) is not None}


def _of_finance(money: Money) -> dict[str, Any]:
    """What the scenario states about finance; dollars need no rate, and a facility of one's own no lease."""
    stated = _stated(money, _FINANCE_FIELDS)
    stated["horizon_months"] = money.horizon_years * MONTHS_PER_YEAR
    if money.currency != "USD" and money.currency_per_usd is not None:
        stated["currency_per_usd"] = money.currency_per_usd
    if money.site == "own":
        stated["colocation_usd_per_kw_month"] = 0.0
    return stated


def _of_candidate(candidate: Candidate) -> dict[str, Any]:
    """What a candidate states about its prices and times, without what its way of having it has no meaning for."""
    ways = (name for name, ways in _FIELDS_OF_ONE_WAY.items() if candidate.acquisition in ways)
    return _stated(candidate, (*_CANDIDATE_FIELDS, *ways))


def _of_own(catalog: Catalog, candidate: Candidate) -> dict[str, Any]:
    """The power of a server of a part that the buyer states; a rental's is the provider's."""
    stated = catalog.stated_server_kw.get(candidate.accelerator)
    return {} if stated is None or candidate.acquisition != "buy" else {"load_kw_per_server": stated}


def _price_band(defaults: OptionDefaults, finance: FinanceDefaults) -> tuple[float | None, float | None]:
    """NPV at the low and the high end of the price's own rows; None where the user states the price [USD]."""
    option = defaults.option
    if option is None:
        return None, None
    field = "server_price_usd" if option.buys else "rent_usd_per_gpu_hour"
    origin = defaults.origins[field]
    if origin.kind == "user" or origin.low is None or origin.high is None:
        return None, None
    ends: list[float] = []
    for end in (origin.low, origin.high):
        priced = replace(option, server_price_usd=end) if option.buys else replace(option, rent_usd_per_gpu_hour=end)
        ends.append(float(total_usd(priced, finance.finance)))
    return ends[0], ends[1]
