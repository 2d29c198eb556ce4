"""What a limit reaches: GPUs, servers and copies of the model for a budget or a power cap, and the price that a quote must meet."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_beside
from lib.choice.power_cap import servers_within, whole_copies
from lib.choice.scenario import Scenario
from lib.choice.sized import sized
from lib.cost.cash_flow import Flows, Measure, monthly_flows
from lib.cost.inverse import Budget, MatchingPrice, budget_use_usd, matching_price, most_within
from lib.cost.options import Finance, Option
from lib.errors import InputError
from lib.records import Doubt

MOST_GPUS: Final = 100_000
"""As many as a scenario may ask for."""

Limit = Budget | Literal["power"]
Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Reach:
    """As much of one candidate as a limit allows, and what it serves; None where the figure has no basis."""

    candidate: Costed
    limit: Limit
    allowed: float
    """The limit [USD, USD per year or kW]."""
    used: float | None
    """What the fleet takes of it; None where not even one unit stays within."""
    one_more: float | None
    """What a fleet one unit larger would take."""
    servers: int | None
    """Whole servers; None for a rental, which is had by the GPU."""
    gpus: int
    npv_usd: float | None
    memory_gib: float | None
    copies: int | None
    """Replicas of the model that the GPUs hold, spare ones included."""
    sequences: int | None
    """Sequences at the scenario's length that the working replicas hold at once."""
    tokens_per_s: Interval | None
    """Output tokens of the working replicas, from the interval of one replica."""
    is_capped: bool
    """Whether the scenario's most GPUs, not the limit, ended the count."""
    doubts: tuple[Doubt, ...]


def within_budget(
    catalog: Catalog,
    scenario: Scenario,
    place: int,
    budget: Budget,
    limit_usd: float,
    replica_tokens_per_s: Interval | None = None,
) -> Reach:
    """As many GPUs of a candidate as a budget pays for, and what they serve.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, money, candidates.
    place : int
        The candidate's place.
    budget : {"npv", "nominal", "capital", "dearest-year", "level-year"}
        How the budget is stated.
    limit_usd : float
        The budget [USD], or [USD per year] for the last two.
    replica_tokens_per_s : tuple of float, optional
        Low and high throughput of one replica [tokens per second].

    Returns
    -------
    Reach
        Whole servers where bought, single GPUs where rented; zero where one unit costs more than the budget.

    Raises
    ------
    InputError
        If the candidate has no cost, the budget is not above zero, or a rental is asked for its capital.

    Notes
    -----
    Everything that goes with the GPUs grows with them: network beyond one server, staff, power. Moving the software is
    paid once.
    """
    if not limit_usd > 0:
        raise InputError("limit_usd", limit_usd, "above 0 USD")
    one = _costed_at(catalog, scenario, place, None)
    first = _option(one)
    if budget == "capital" and not first.buys:
        raise InputError("budget", budget, "npv, nominal, dearest-year or level-year for a rental")
    flows = _flows_of(catalog, scenario, place, one)
    per_unit = first.gpus_per_server if first.buys else 1
    most = MOST_GPUS // per_unit

    def use(units: int) -> float:
        return budget_use_usd(flows(units), budget)

    units = most_within(use, limit_usd, most)
    return _reach(catalog, scenario, one, budget, limit_usd, units, most, use, flows, replica_tokens_per_s)


def within_power(
    catalog: Catalog, scenario: Scenario, place: int, power_kw: float, replica_tokens_per_s: Interval | None = None
) -> Reach:
    """As many whole servers of a candidate as a power cap allows at the wall of the site, and what they serve.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, money, candidates.
    place : int
        The candidate's place.
    power_kw : float
        The cap, with all GPUs at work, cooling and losses included [kW].
    replica_tokens_per_s : tuple of float, optional
        Low and high throughput of one replica [tokens per second].

    Returns
    -------
    Reach
        Zero servers where one draws more than the cap.

    Raises
    ------
    InputError
        If the candidate has no cost or is rented, whose power is the provider's, or the cap is not above zero.
    """
    if not power_kw > 0:
        raise InputError("power_kw", power_kw, "above 0 kW")
    one = _costed_at(catalog, scenario, place, None)
    option = _option(one)
    if one.power_kw is None:
        raise InputError("candidate", one.candidate.accelerator, "a candidate that is bought")
    kw_per_server = one.power_kw / option.servers
    most = MOST_GPUS // option.gpus_per_server
    units = min(servers_within(power_kw, kw_per_server), most)
    flows = _flows_of(catalog, scenario, place, one)

    def use(servers: int) -> float:
        return servers * kw_per_server

    return _reach(catalog, scenario, one, "power", power_kw, units, most, use, flows, replica_tokens_per_s)


def quote_to_match(first: Costed, second: Costed, measure: Measure = "npv") -> MatchingPrice:
    """The price below which a quote for one candidate must fall for it to cost no more than another.

    Parameters
    ----------
    first : Costed
        The quoted candidate.
    second : Costed
        What it is held against.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    MatchingPrice
        In USD per server, or per GPU-hour.

    Raises
    ------
    InputError
        If either has no cost.
    """
    return matching_price(_option(first), _option(second), first.finance.finance, measure)


def _costed_at(catalog: Catalog, scenario: Scenario, place: int, gpus: int | None) -> Costed:
    candidate = scenario.candidates[place]
    if gpus is not None:
        candidate = candidate.model_copy(update={"gpus": gpus})
    return costed_beside(catalog, scenario, candidate)


def _option(one: Costed) -> Option:
    if one.option is None or one.flows is None:
        raise InputError("candidate", one.candidate.accelerator, "a candidate with a cost")
    return one.option


def _flows_of(catalog: Catalog, scenario: Scenario, place: int, one: Costed) -> Callable[[int], Flows]:
    """Flows of some units: one server needs no network beyond it, so that more than one are an option of their own."""
    option, finance = _option(one), one.finance.finance
    if not option.buys:
        return lambda units: _resized(option, finance, units)
    size = option.gpus_per_server
    single = _option(_costed_at(catalog, scenario, place, size))
    several = _option(_costed_at(catalog, scenario, place, 2 * size))
    return lambda units: _resized(several if units > 1 else single, finance, units * size)


def _resized(option: Option, finance: Finance, gpus: int) -> Flows:
    return monthly_flows(replace(option, gpus=gpus), finance)


def _reach(
    catalog: Catalog,
    scenario: Scenario,
    one: Costed,
    limit: Limit,
    allowed: float,
    units: int,
    most: int,
    use: Callable[[int], float],
    flows: Callable[[int], Flows],
    replica_tokens_per_s: Interval | None,
) -> Reach:
    option, workload = _option(one), scenario.workload
    gpus = units * option.gpus_per_server if option.buys else units
    size = sized(catalog, workload, scenario.engine, one.accelerator)
    if option.buys:
        copies = whole_copies(size.gpus, units, option.gpus_per_server)
    else:
        copies = None if size.gpus is None else gpus // size.gpus
    working = None if copies is None else max(copies - workload.spare_replicas, 0)
    memory = one.accelerator.memory_usable_gib
    tokens = None
    if working is not None and replica_tokens_per_s is not None:
        tokens = working * replica_tokens_per_s[0], working * replica_tokens_per_s[1]
    return Reach(
        candidate=one,
        limit=limit,
        allowed=allowed,
        used=use(units) if units else None,
        one_more=use(units + 1) if units < most else None,
        servers=units if option.buys else None,
        gpus=gpus,
        npv_usd=float(flows(units).npv_usd) if units else None,
        memory_gib=None if memory is None else gpus * memory,
        copies=copies,
        sequences=None if working is None or size.most_sequences is None else working * size.most_sequences,
        tokens_per_s=tokens,
        is_capped=units == most,
        doubts=(size.doubt,) if size.doubt else (),
    )
