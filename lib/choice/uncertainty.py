"""How likely each candidate of a scenario is to be the cheapest, and what each costs when the assumptions vary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Scenario
from lib.cost.cash_flow import Measure
from lib.cost.defaults import OptionDefaults
from lib.cost.monte_carlo import DRAWS, Simulation, simulate
from lib.cost.options import Option
from lib.cost.sourced_drivers import SourcedDriver, Tornado, sourced_drivers, tornado_of, uncertain_amounts
from lib.errors import InputError
from lib.records import Doubt

SEED: Final = 20_261_130
"""Any number would do; a fixed one makes an answer the same for everybody who opens its link."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The candidates that were drawn together, what was drawn, and what was held at its value."""

    candidates: tuple[Costed, ...]
    """In the order of the simulation."""
    places: tuple[int, ...]
    """Their places in the scenario."""
    simulation: Simulation | None
    """None where no candidate has a cost."""
    drawn: tuple[SourcedDriver, ...]
    held: tuple[SourcedDriver, ...]
    doubts: tuple[Doubt, ...]


def uncertainty(
    catalog: Catalog,
    scenario: Scenario,
    seed: int = SEED,
    draws: int = DRAWS,
    measure: Measure = "npv",
    price_correlation: float = 0.0,
) -> Uncertainty:
    """The costs of a scenario's candidates under common draws of what they share and own draws of the rest.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Candidates, money, workload.
    seed : int
        The same seed gives the same result.
    draws : int
        Number of draws.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.
    price_correlation : float
        Correlation of the normal scores behind the prices of servers, from 0 to 1.

    Returns
    -------
    Uncertainty
        Doubts: no-cost for a candidate without one, other-price-source for one at an article's price where others
        stand at the catalogue's, user-values-held where the user's own values were not drawn, one-quote for a price
        without a range, which makes its candidate look surer than it is.

    Notes
    -----
    A field that candidates take from the same rows is one thing and drawn once. Held are the discount rate, what the
    user states, what the buyer chooses, and whole numbers. Prices of servers are independent unless a correlation is
    given: no source of one was found.
    """
    return uncertainty_of(costed_all(catalog, scenario), seed, draws, measure, price_correlation)


def uncertainty_of(
    candidates: Sequence[Costed],
    seed: int = SEED,
    draws: int = DRAWS,
    measure: Measure = "npv",
    price_correlation: float = 0.0,
) -> Uncertainty:
    """As `uncertainty`, of candidates whose costs are at hand.

    Parameters
    ----------
    candidates : sequence of Costed
        All candidates of one scenario, in its order.
    seed : int
        The same seed gives the same result.
    draws : int
        Number of draws.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.
    price_correlation : float
        Correlation of the normal scores behind the prices of servers, from 0 to 1.

    Returns
    -------
    Uncertainty
        As `uncertainty`.
    """
    doubts = [Doubt("no-cost", {"place": place}) for place, one in enumerate(candidates) if one.option is None]
    priced = [place for place, one in enumerate(candidates) if one.option is not None and one.defaults is not None]
    own = [place for place in priced if not _is_article(candidates[place])]
    places = tuple(own or priced)
    doubts += [Doubt("other-price-source", {"place": place}) for place in priced if place not in places]
    chosen = tuple(candidates[place] for place in places)
    options = _options(chosen)
    if not options:
        return Uncertainty((), (), None, (), (), tuple(doubts))
    finance = chosen[0].finance
    drivers = sourced_drivers([one.defaults for one in chosen if one.defaults], finance)
    held = tuple(one for one in drivers if one.held_because is not None)
    stated = tuple(dict.fromkeys(one.field for one in held if one.held_because == "stated"))
    if stated:
        doubts.append(Doubt("user-values-held", {"fields": stated}))
    doubts += [Doubt("one-quote", {"place": place}) for place, one in zip(places, chosen, strict=True) if _is_bare(one)]
    simulation = simulate(options, finance.finance, uncertain_amounts(drivers), seed, draws, measure, price_correlation)
    return Uncertainty(
        candidates=chosen,
        places=places,
        simulation=simulation,
        drawn=tuple(one for one in drivers if one.held_because is None),
        held=held,
        doubts=tuple(doubts),
    )


def tornado_between(first: Costed, second: Costed | None, measure: Measure = "npv") -> Tornado:
    """A tornado over every field with a range: of one candidate's cost, or of the difference of two.

    Parameters
    ----------
    first : Costed
        The candidate in question.
    second : Costed or None
        What it is held against.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    Tornado
        The widest bar first, each with the rows behind its ends.

    Raises
    ------
    InputError
        If a candidate has no cost.
    """
    return tornado_of(_defaults(first), None if second is None else _defaults(second), first.finance, measure)


def _options(candidates: Sequence[Costed]) -> tuple[Option, ...]:
    return tuple(one.option for one in candidates if one.option is not None)


def _defaults(one: Costed) -> OptionDefaults:
    if one.defaults is None or one.option is None:
        raise InputError("candidate", one.candidate.accelerator, "a candidate with a cost")
    return one.defaults


def _is_article(one: Costed) -> bool:
    return one.candidate.price_source.startswith("article")


def _is_bare(one: Costed) -> bool:
    """Whether the price is somebody's single figure, and not the user's own."""
    defaults = _defaults(one)
    field = "server_price_usd" if one.option is not None and one.option.buys else "rent_usd_per_gpu_hour"
    origin = defaults.origins[field]
    return origin.kind != "user" and (origin.low is None or origin.low == origin.high)
