"""What would overturn a recommendation: for each driver the nearest value at which another candidate comes first.

A driver of money or taste is followed over its whole range with fleets as they are; a driver of the load changes the
fleets, and is looked at at a few values: the answer then lies between the last value that keeps it and the first that does
not. A driver without such a value says so, with the range that was searched.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.flips import Driver, FlipPoint, first_twins, twins
from lib.choice.load_flips import load_flips
from lib.choice.race import Race, race_of
from lib.choice.recommend import Recommendation
from lib.choice.scenario import bounds
from lib.cost.inverse import price_field
from lib.units import MONTHS_PER_YEAR

POINTS: Final = 65
PRICE_FACTOR: Final = 10.0
"""A price is searched from nothing to ten times today's."""

THROUGHPUT_RANGE: Final = (0.1, 10.0)
WEIGHT_RANGE: Final = (0.0, 1.0)
MOST_WEEKS: Final = 520.0

_ROUNDS: Final = 2
_SECTIONS: Final = 65


def flip_points(catalog: Catalog, found: Recommendation) -> tuple[FlipPoint, ...]:
    """For every driver the nearest value at which the recommendation changes, the nearest first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer.

    Returns
    -------
    tuple of FlipPoint
        Those that change the answer by their distance, then those that do not; empty without a winner.
    """
    if found.winner is None:
        return ()
    race = race_of(catalog, found)
    points = [_flip(race, driver, found.winner.place) for driver in money_drivers(found)]
    points += _of_horizon(race, found)
    points += load_flips(catalog, found)
    return tuple(sorted(points, key=_nearness))


def _nearness(one: FlipPoint) -> tuple[bool, float]:
    if one.at is None:
        return True, 0.0
    return False, abs(one.distance) if one.distance is not None else abs(one.at - one.driver.now)


def money_drivers(found: Recommendation) -> tuple[Driver, ...]:
    """The drivers that leave fleets as they are.

    Parameters
    ----------
    found : Recommendation
        The answer, with a winner.

    Returns
    -------
    tuple of Driver
        Prices of the candidates, what all share, throughput of each candidate, and the weights of tastes.
    """
    return tuple(_money_drivers(found))


def _money_drivers(found: Recommendation) -> Iterator[Driver]:
    scenario, winner = found.scenario, found.winner
    assert winner is not None  # noqa: S101 (asked only of an answer)
    money = scenario.money
    racing = [one for one in found.assessments if one.cost.option is not None and one.is_feasible]
    for one in racing:
        option = one.cost.option
        assert option is not None  # noqa: S101
        field = price_field(option.acquisition)
        now = float(getattr(option, field))
        yield Driver("price", one.place, "option", field, now, 0.0, PRICE_FACTOR * now or 1.0)
    buys = any(one.cost.option is not None and one.cost.option.buys for one in racing)
    finance = winner.cost.finance.finance
    if buys:
        yield Driver(
            "electricity", None, "finance", "electricity_usd_per_kwh", float(finance.electricity_usd_per_kwh), 0.0, 2.0
        )
        yield Driver(
            "pue", None, "finance", "power_usage_effectiveness", float(finance.power_usage_effectiveness), 1.0, 3.0
        )
        yield Driver("resale", None, "option", "residual_scale", money.residual_scale, 0.0, 2.0)
        yield Driver("network", None, "option", "network_usd_per_gpu", money.network_usd_per_gpu, 0.0, 100_000.0)
        yield Driver("utilisation", None, "finance", "utilisation", float(finance.utilisation), 0.01, 1.0)
    yield Driver("discount-rate", None, "finance", "discount_rate", float(finance.discount_rate), 0.0, 0.5)
    yield Driver("staff", None, "option", "staff_fte_per_server", money.staff_fte_per_server, 0.0, 10.0)
    yield Driver("migration", None, "option", "migration_usd", money.migration_engineer_weeks, 0.0, MOST_WEEKS)
    prefers = scenario.prefers
    yield Driver("software-weight", None, "weight", "software", prefers.software_weight, *WEIGHT_RANGE)
    yield Driver("evidence-weight", None, "weight", "evidence", prefers.evidence_weight, *WEIGHT_RANGE)
    if scenario.workload.request_rate_per_s is None:
        able = [
            one
            for one in racing
            if one.delivered_tokens_per_s is not None and one.fleet is not None and one.fleet.basis == "measured"
        ]
        for one in first_twins(scenario.candidates, able):
            now = one.candidate.throughput_factor or 1.0
            low, high = (now * end for end in THROUGHPUT_RANGE)
            yield Driver("throughput", one.place, "throughput", "", now, low, high)


def _flip(race: Race, driver: Driver, now: int) -> FlipPoint:
    """The nearest change on either side of today's value: both sides looked at in one call, the nearer one refined."""
    ends = [end for end in (driver.low, driver.high) if end != driver.now]
    if not ends:
        return FlipPoint(driver, None, None, None)
    winners = winner_along(race, driver)
    spans = [np.linspace(driver.now, end, POINTS) for end in ends]
    places = np.split(winners(np.concatenate(spans)), len(spans))
    brackets = [
        found for span, place in zip(spans, places, strict=True) if (found := _bracket(span, place, now)) is not None
    ]
    if not brackets:
        return FlipPoint(driver, None, None, None)
    least = min(abs(turned - driver.now) for _, turned, _ in brackets)
    near = [one for one in brackets if abs(one[0] - driver.now) <= least]
    kept, at, to = min((_refined(winners, one, now) for one in near), key=lambda one: abs(one[1] - driver.now))
    return FlipPoint(driver, kept, at, to if to >= 0 else None)


Winners = Callable[[NDArray[np.float64]], NDArray[np.int64]]


def winner_along(race: Race, driver: Driver) -> Winners:
    """The place of the first candidate for each value of a driver that leaves fleets as they are.

    Parameters
    ----------
    race : Race
        The candidates.
    driver : Driver
        Of the targets option, finance, weight or throughput.

    Returns
    -------
    callable
        From values to places; -1 where nobody passes.
    """
    return lambda values: first_at(race, ((driver, values),))


def first_at(race: Race, moved: Sequence[tuple[Driver, NDArray[np.float64]]]) -> NDArray[np.int64]:
    """The place of the first candidate where several drivers stand at some values together.

    Parameters
    ----------
    race : Race
        The candidates.
    moved : sequence of (Driver, ndarray)
        Drivers that leave fleets as they are, each with its values, all of one length.

    Returns
    -------
    ndarray
        Places; -1 where nobody passes.
    """
    asked: dict[str, Any] = {name: {} for name in ("finance", "stated", "weights", "throughput", "own")}
    weeks = None
    for driver, values in moved:
        column = values[:, None]
        if driver.name == "price":
            asked["own"].setdefault(driver.place, {})[driver.field] = column
        elif driver.name == "migration":
            weeks = column
        elif driver.target == "finance":
            asked["finance"][driver.field] = column
        elif driver.target == "option":
            asked["stated"][driver.field] = column
        elif driver.target == "weight":
            asked["weights"][driver.field] = values
        elif driver.place is not None:
            places = [one.place for one in race.runners]
            alike = twins([one.assessment.candidate for one in race.runners], places.index(driver.place))
            asked["throughput"] |= {places[at]: values for at in alike}
    return race.first(len(moved[0][1]), migration_weeks=weeks, **asked)


Bracket = tuple[float, float, int]
"""The last value that keeps the answer, the first that does not, and who comes first there."""


def _bracket(span: NDArray[np.float64], places: NDArray[np.int64], place: int) -> Bracket | None:
    """The first change along a span that begins at today's value."""
    other = np.flatnonzero(places != place)
    if not other.size:
        return None
    first = int(other[0])  # 0 where to state the value at all turns it: a price that held the network, say
    return float(span[max(first - 1, 0)]), float(span[first]), int(places[first])


def _refined(winners: Winners, found: Bracket, place: int) -> Bracket:
    """The same change between ever nearer values."""
    for _ in range(_ROUNDS):
        if found[0] == found[1]:
            break
        inner = np.linspace(found[0], found[1], _SECTIONS)
        found = _bracket(inner, winners(inner), place) or found
    return found


def _of_horizon(race: Race, found: Recommendation) -> list[FlipPoint]:
    """The years at which the answer is another: whole years, each looked at."""
    scenario = found.scenario
    now = scenario.money.horizon_years
    low, high = bounds(("money", "horizon_years"))
    driver = Driver("horizon", None, "finance", "horizon_years", now, low or 1.0, high or 5.0)
    years = sorted(range(int(driver.low), int(driver.high) + 1), key=lambda one: (abs(one - now), one))
    first = race.at_horizon(now * MONTHS_PER_YEAR)
    for year in years:
        place = race.at_horizon(year * MONTHS_PER_YEAR)
        if place is not None and place != first:
            kept = year - 1 if year > now else year + 1
            return [FlipPoint(driver, float(kept), float(year), place if place >= 0 else None)]
    return [FlipPoint(driver, None, None, None)]


def candidate_at(found: Recommendation, place: int | None) -> Assessment | None:
    """The candidate at a place of the scenario.

    Parameters
    ----------
    found : Recommendation
        The answer.
    place : int or None
        The place; None for nobody.

    Returns
    -------
    Assessment or None
        As assessed today.
    """
    return next((one for one in found.assessments if one.place == place), None)
