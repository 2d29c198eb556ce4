"""What one unit of each option costs, and the questions the other way round: how many for a limit, at which price."""

import functools
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.cost_view import KEPT, CostView
from lib.choice.costed import Costed, as_of
from lib.choice.energy_use import GRIDS, CandidateEnergy, energy_of, grid_kg_per_kwh
from lib.choice.fleet_costs import costed_all
from lib.choice.reach import Interval, Reach, quote_to_match, within_budget, within_power
from lib.choice.scenario import Scenario, Workload
from lib.cost.inverse import MatchingPrice
from lib.cost.offers import Offer, rent_offers
from lib.cost.unit_cost import UnitCost, unit_cost, users_served
from lib.errors import InputError
from lib.units import GB, GIB, SECONDS_PER_HOUR

OUTPUT_WEIGHT_ROW: Final = "tok-output-weight"
DEFAULT_BUDGET_USD: Final = 1_000_000.0
DEFAULT_POWER_KW: Final = 1000.0


@dataclass(frozen=True, eq=False)
class UnitRow:
    """Unit costs and energy of one option; what a figure needs and nobody stated leaves it None."""

    costed: Costed
    unit: UnitCost
    energy: CandidateEnergy
    users: float | None
    output_weight: float
    is_own_weight: bool


@dataclass(frozen=True, slots=True)
class ReachRow:
    """How far a limit reaches with one option; without a reach the question has no meaning for it."""

    costed: Costed
    reach: Reach | None


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """The price at which one option costs as much as the cheapest other one."""

    costed: Costed
    other: Costed
    matching: MatchingPrice


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A listed rent, or a provider without one, of one part."""

    part: str
    offer: Offer


def stated_throughput(workload: Workload) -> tuple[Interval, Interval] | None:
    """Input and output tokens per second that a workload states.

    Parameters
    ----------
    workload : Workload
        Its lengths set how many input tokens stand beside one output token.

    Returns
    -------
    tuple of tuple of float or None
        Low and high of input and of output [tokens per second]; None where no throughput is stated.
    """
    if workload.stated_output_tokens_per_hour is None:
        return None
    written = workload.stated_output_tokens_per_hour / SECONDS_PER_HOUR
    read = written * workload.input_tokens / workload.output_tokens
    return (read, read), (written, written)


def grid_intensity(catalog: Catalog, scenario: Scenario) -> float:
    """The CO2 of the electricity that a scenario draws.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Names a grid, or states an intensity.

    Returns
    -------
    float
        Intensity [kg CO2 per kWh].
    """
    stated = scenario.money.grid_kg_per_kwh
    return grid_kg_per_kwh(catalog.assumptions, scenario.money.grid) if stated is None else stated


def grid_row(scenario: Scenario) -> str:
    """The assumption behind the intensity of a scenario's grid.

    Parameters
    ----------
    scenario : Scenario
        Names a grid, or states an intensity.

    Returns
    -------
    str
        Blank where the intensity is stated.
    """
    return "" if scenario.money.grid_kg_per_kwh is not None else GRIDS[scenario.money.grid]


def unit_rows(catalog: Catalog, scenario: Scenario, view: CostView) -> tuple[UnitRow, ...]:
    """Unit costs of every option with a cost, in the order of the answer.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Throughput, users, training run and grid as far as they are stated.
    view : CostView
        The options.

    Returns
    -------
    tuple of UnitRow
        Tokens only where a throughput is stated, users where sharing is, a training run where its hours are.
    """
    workload = scenario.workload
    rates = stated_throughput(workload)
    base = catalog.assumption(OUTPUT_WEIGHT_ROW).base or 1.0
    weight = base if workload.output_weight is None else workload.output_weight
    sharing = workload.users_per_sequence
    users = None if sharing is None else users_served(workload.concurrency, sharing)
    rows = []
    for one in costed_in_order(view):
        if one.option is None or one.summed is None:
            continue
        memory = one.accelerator.memory_usable_gib
        unit = unit_cost(
            one.option, one.finance.finance, one.summed, memory,
            input_tokens_per_s=rates[0] if rates else None, output_tokens_per_s=rates[1] if rates else None,
            output_weight=weight if rates else None, users=users, training_gpu_hours=workload.training_gpu_hours,
        )  # fmt: skip
        energy = energy_of(catalog, one, rates[1] if rates else None, grid_intensity(catalog, scenario))
        rows.append(UnitRow(one, unit, energy, users, weight, workload.output_weight is not None))
    return tuple(rows)


def costed_in_order(view: CostView) -> tuple[Costed, ...]:
    """Every option with a cost, those of the answer first.

    Parameters
    ----------
    view : CostView
        The options.

    Returns
    -------
    tuple of Costed
        The cheapest first; options at prices of another source follow.
    """
    rest = [one for place, one in enumerate(view.options) if place not in view.order and one.npv_usd is not None]
    return (*view.ranked, *sorted(rest, key=lambda one: one.npv_usd or 0.0))


@functools.lru_cache(maxsize=KEPT)
def reach_rows(catalog: Catalog, scenario: Scenario) -> tuple[ReachRow, ...]:
    """How many GPUs of every option a budget or a power cap allows, and what they serve.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Its view says which limit and how much; without an amount the constraint of the scenario, else a million
        dollars or a megawatt.

    Returns
    -------
    tuple of ReachRow
        In the order of the scenario; a rental has no capital and no power of its own.
    """
    rates = stated_throughput(scenario.workload)
    copies = None if rates is None else rates[1]
    rows = []
    for place, one in enumerate(costed_all(catalog, scenario)):
        limit = scenario.view.reach_limit
        try:
            if limit == "power":
                found = within_power(catalog, scenario, place, reach_kw(scenario), copies)
            else:
                found = within_budget(catalog, scenario, place, limit, reach_usd(scenario), copies)
        except InputError:
            rows.append(ReachRow(one, None))
            continue
        rows.append(ReachRow(found.candidate, found))
    return tuple(rows)


def reach_usd(scenario: Scenario) -> float:
    """The budget of the question how much it buys.

    Parameters
    ----------
    scenario : Scenario
        The reader's, else the budget cap, else DEFAULT_BUDGET_USD.

    Returns
    -------
    float
        Budget [USD].
    """
    return scenario.view.reach_usd or scenario.constraints.budget_usd or DEFAULT_BUDGET_USD


def reach_kw(scenario: Scenario) -> float:
    """The power of the question how much it feeds.

    Parameters
    ----------
    scenario : Scenario
        The reader's, else the power cap, else DEFAULT_POWER_KW.

    Returns
    -------
    float
        Power [kW].
    """
    return scenario.view.reach_kw or scenario.constraints.power_kw or DEFAULT_POWER_KW


def quote_rows(view: CostView) -> tuple[QuoteRow, ...]:
    """For every option the price at which it costs what the cheapest of the others costs.

    Parameters
    ----------
    view : CostView
        The options.

    Returns
    -------
    tuple of QuoteRow
        In the order of the answer; empty where there are not two options.
    """
    ranked = view.ranked
    if len(ranked) < 2:
        return ()
    best, second = ranked[0], ranked[1]
    return tuple(
        QuoteRow(one, other, quote_to_match(one, other))
        for one, other in ((one, second if one is best else best) for one in ranked)
    )


def offer_rows(catalog: Catalog, view: CostView) -> tuple[OfferRow, ...]:
    """The listed rents of every part that is compared, and the providers for which none was found.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : CostView
        The options.

    Returns
    -------
    tuple of OfferRow
        Part by part.
    """
    rows = []
    for part in dict.fromkeys(one.candidate.accelerator for one in view.options):
        known = catalog.accelerator(part)
        memory = None if known.memory_usable_gib is None else known.memory_usable_gib * GIB / GB
        rows += [OfferRow(part, one) for one in rent_offers(catalog.prices, part, memory, as_of(catalog))]
    return tuple(rows)
