"""What the cost page rests on: options in order, their spreads, the two that are compared, and when curves cross."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.costed import Costed, is_tie
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Scenario
from lib.choice.uncertainty import Uncertainty, tornado_between, uncertainty_of
from lib.cost.monte_carlo import Distribution, Simulation
from lib.cost.sourced_drivers import Tornado

KEPT: Final = 8
"""Comparisons kept at a time: more would be walked by every collection."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where the cumulative cost of an option falls below that of another for good."""

    place: int
    other: int
    month: int
    usd: float
    by_resale: bool
    """Whether it does so only when the hardware is sold in the last month."""


@dataclass(frozen=True, eq=False)
class CostView:
    """All options of a scenario, in its order, and what is said about them."""

    options: tuple[Costed, ...]
    order: tuple[int, ...]
    """Places of the options that are compared at prices of one source, the cheapest first."""
    uncertainty: Uncertainty
    pair: tuple[int, int] | None
    """Places of the two options that are held against each other; None where there are not two."""
    tornado: Tornado | None
    """Of the pair's difference, or of the one option's cost."""
    meetings: tuple[Meeting, ...]
    """Of the cheapest option with each of the others, where their curves cross."""

    @property
    def best(self) -> Costed | None:
        """The cheapest option; None where none has a cost."""
        return self.options[self.order[0]] if self.order else None

    @property
    def ranked(self) -> tuple[Costed, ...]:
        """The options in order."""
        return tuple(self.options[place] for place in self.order)

    @property
    def first(self) -> Costed | None:
        """The first of the pair, or the cheapest where there is no pair."""
        return self.options[self.pair[0]] if self.pair else self.best

    @property
    def second(self) -> Costed | None:
        """The second of the pair."""
        return self.options[self.pair[1]] if self.pair else None

    @property
    def is_tie(self) -> bool:
        """Whether the two cheapest cost the same within the ranges of their prices."""
        return len(self.order) > 1 and is_tie(self.options[self.order[0]], self.options[self.order[1]])

    @property
    def simulation(self) -> Simulation | None:
        """The draws, where anything has a cost."""
        return self.uncertainty.simulation

    def spread(self, place: int) -> Distribution | None:
        """How the cost of the option at a place spreads; None where it was not drawn."""
        drawn = self.simulation
        if drawn is None or place not in self.uncertainty.places:
            return None
        return drawn.options[self.uncertainty.places.index(place)]

    def probability(self, place: int, other: int | None = None) -> float | None:
        """Share of the draws in which an option costs less than another, or than all of them."""
        places, drawn = self.uncertainty.places, self.simulation
        if drawn is None or place not in places or (other is not None and other not in places):
            return None
        row = places.index(place)
        return drawn.cheapest[row] if other is None else drawn.cheaper[row][places.index(other)]


def cost_view(catalog: Catalog, scenario: Scenario) -> CostView:
    """Everything about a scenario's costs that the page shows at once.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Candidates, money, workload, and which two options are compared.

    Returns
    -------
    CostView
        The pair is the two cheapest unless the view names others that have a cost.
    """
    return _view(costed_all(catalog, scenario), scenario.view.cost_first, scenario.view.cost_second)


@functools.lru_cache(maxsize=KEPT)
def _view(options: tuple[Costed, ...], first: int | None, second: int | None) -> CostView:
    order = order_of(options)
    pair = _pair(options, order, first, second)
    tornado = None
    if pair is not None:
        tornado = tornado_between(options[pair[0]], options[pair[1]])
    elif order:
        tornado = tornado_between(options[order[0]], None)
    return CostView(
        options=options,
        order=order,
        uncertainty=_drawn(options),
        pair=pair,
        tornado=tornado,
        meetings=tuple(
            found for other in order[1:] if (found := _meeting(options, order[0], other)) is not None
        ),
    )  # fmt: skip


@functools.lru_cache(maxsize=KEPT)
def _drawn(options: tuple[Costed, ...]) -> Uncertainty:
    """The draws alone: choosing another pair does not change them."""
    return uncertainty_of(options)


def order_of(options: Sequence[Costed]) -> tuple[int, ...]:
    """Places of the options that have a cost, cheapest first, at prices of one source.

    Parameters
    ----------
    options : sequence of Costed
        In the order of the scenario.

    Returns
    -------
    tuple of int
        Those at the catalogue's and the reader's own prices where there are any: an article's price is never set
        against them.
    """
    known = [place for place, one in enumerate(options) if one.npv_usd is not None]
    own = [place for place in known if not options[place].candidate.price_source.startswith("article")]
    return tuple(sorted(own or known, key=lambda place: options[place].npv_usd or 0.0))


def months_crossed(first: NDArray[np.float64], second: NDArray[np.float64]) -> int | None:
    """The month from whose end on a cumulative cost stays below another that it was above before.

    Parameters
    ----------
    first, second : ndarray
        Cumulative costs at the ends of months 0 to n [USD], equally long.

    Returns
    -------
    int or None
        None where the first ends above the second, or never was above it.

    Examples
    --------
    >>> months_crossed(np.array([10.0, 11.0, 12.0, 13.0]), np.array([0.0, 6.0, 12.5, 18.0]))
    2
    """
    above = np.flatnonzero(first > second)
    if not above.size or above[-1] == first.size - 1:
        return None
    return int(above[-1]) + 1


def _meeting(options: Sequence[Costed], place: int, other: int) -> Meeting | None:
    mine, theirs = options[place].flows, options[other].flows
    if mine is None or theirs is None:
        return None
    month = months_crossed(mine.cumulative_discounted, theirs.cumulative_discounted)
    if month is None:
        return None
    last = mine.finance.horizon_months
    return Meeting(place, other, month, float(mine.cumulative_discounted[month]), month == last)


def _pair(
    options: Sequence[Costed], order: Sequence[int], first: int | None, second: int | None
) -> tuple[int, int] | None:
    """The two options that the view names where they have a cost, else the two cheapest."""
    known = [place for place, one in enumerate(options) if one.npv_usd is not None]
    one = first if first in known else None
    other = second if second in known and second != one else None
    ranked = [*order, *(place for place in known if place not in order)]
    if one is None:
        one = next((place for place in ranked if place != other), None)
    if other is None:
        other = next((place for place in ranked if place != one), None)
    # an article's price beside the catalogue's is compared only where the reader asks for it
    if one is None or other is None or (second is None and other not in order):
        return None
    return one, other
