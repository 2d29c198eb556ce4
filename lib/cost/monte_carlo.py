"""What the cost of options is likely to be when everything uncertain turns out somehow: seeded draws, vectorised.

What is one thing is drawn once: an amount names every option it belongs to. Each amount has a stream of random numbers
of its own, made of the seed and its name, so that neither another candidate nor another order changes its draws, and a
moved slider is seen against the same luck.
"""

import dataclasses
import functools
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lib.cost.cash_flow import Measure, total_usd
from lib.cost.distributions import Spread, normal_probability, quantile
from lib.cost.options import Finance, Option
from lib.cost.ranges import check_amount, check_count
from lib.errors import InputError

DRAWS: Final = 10_000
PERCENTILES: Final = (5, 10, 25, 50, 75, 90, 95)
BINS: Final = 60
MOST_DRAWS: Final = 1_000_000
CORRELATED: Final = ("server_price_usd",)
"""Amounts that a common factor moves together where a correlation is given: prices of servers."""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """An amount that is drawn: of the options at these places, or of the finance where there are none."""

    name: str
    field: str
    options: tuple[int, ...]
    spread: Spread
    thing: str = ""
    """What its random numbers are made of besides the seed; the name where blank. Two fields that are one thing in the
    world, such as a rent paid and the same rent paid for a bridge, have one thing and two names."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Draws counted into equal bins, for a chart: edges [USD], one more than the shares of draws between them."""

    edges_usd: NDArray[np.float32]
    shares: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Distribution:
    """The cost of one option over all draws, beside the cost at the base values."""

    base_usd: float
    mean_usd: float
    low_usd: float
    high_usd: float
    percentiles_usd: Mapping[int, float]
    histogram: Histogram


@dataclass(frozen=True, eq=False)
class Gap:
    """Cost of the first option less that of the second, draw by draw: negative where the first is cheaper."""

    first: int
    second: int
    mean_usd: float
    percentiles_usd: Mapping[int, float]


@dataclass(frozen=True, eq=False)
class Simulation:
    """Options under the same draws. An equal cost counts half for each side, so that an option against itself is 0.5."""

    draws: int
    seed: int
    measure: Measure
    price_correlation: float
    options: tuple[Distribution, ...]
    cheaper: tuple[tuple[float, ...], ...]
    """Row i, column j: the probability that option i costs less than option j."""
    cheapest: tuple[float, ...]
    """The probability of each option to cost least; their sum is 1."""
    gaps: tuple[Gap, ...]

    def standard_error(self, probability: float) -> float:
        """How far a probability of this simulation may be off for want of draws: one standard deviation."""
        return math.sqrt(probability * (1 - probability) / self.draws)


def drawn(
    uncertain: Sequence[Uncertain], draws: int, seed: int, price_correlation: float = 0.0
) -> tuple[NDArray[np.float64], ...]:
    """Values of each uncertain amount, one a draw.

    Parameters
    ----------
    uncertain : sequence of Uncertain
        The amounts, each with a name of its own.
    draws : int
        How many values.
    seed : int
        The same seed gives the same values.
    price_correlation : float
        Correlation of the normal scores behind the prices of CORRELATED, from 0 to 1.

    Returns
    -------
    tuple of ndarray
        Shape (draws, 1) each, in the order of the amounts.

    Raises
    ------
    InputError
        If two amounts have one name, or draws, seed or correlation are outside their meaning.

    Notes
    -----
    The correlation is that of a Gaussian copula with one common factor; every amount keeps its own distribution.
    At 0 all amounts are independent.

    Examples
    --------
    >>> use = Uncertain("use", "utilisation", (), Spread(0.4, 0.4, 0.7))
    >>> values, = drawn([use], 1000, seed=7)
    >>> values.shape, bool((drawn([use], 1000, seed=7)[0] == values).all())
    ((1000, 1), True)
    """
    check_count("draws", draws, 1, MOST_DRAWS, "draws")
    check_count("seed", seed, 0, 2**63 - 1)
    check_amount("price_correlation", price_correlation, 0, 1)
    if len({one.name for one in uncertain}) < len(uncertain):
        raise InputError("uncertain", [one.name for one in uncertain], "amounts with names of their own")
    together = [price_correlation > 0 and one.field in CORRELATED for one in uncertain]
    common = _stream(seed, "common factor of prices").standard_normal(draws) if any(together) else None
    values = []
    for one, is_together in zip(uncertain, together, strict=True):
        thing = one.thing or one.name
        if common is not None and is_together:
            own = _stream(seed, thing).standard_normal(draws)
            score = math.sqrt(price_correlation) * common + math.sqrt(1 - price_correlation) * own
            values.append(quantile(one.spread, normal_probability(score))[:, None])
        else:
            values.append(_independent(one.spread, seed, thing, draws))
    return tuple(values)


@functools.lru_cache(maxsize=128)  # an edit moves one amount; 80 KB each with 10,000 draws
def _independent(spread: Spread, seed: int, thing: str, draws: int) -> NDArray[np.float64]:
    found = quantile(spread, _stream(seed, thing).random(draws))[:, None]
    found.setflags(write=False)
    return found


def costs(
    options: Sequence[Option],
    finance: Finance,
    uncertain: Sequence[Uncertain],
    values: Sequence[NDArray[np.float64]],
    measure: Measure = "npv",
) -> NDArray[np.float64]:
    """The cost of every option in every draw, by the same calculation as a single one.

    Parameters
    ----------
    options : sequence of Option
        The options.
    finance : Finance
        Shared by all.
    uncertain : sequence of Uncertain
        The amounts that are drawn.
    values : sequence of ndarray
        Their values, shape (draws, 1) each.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    ndarray
        Costs [USD], shape (options, draws).

    Raises
    ------
    InputError
        If a value is outside the meaning of its field, or an amount names an option that is not there.
    """
    if measure not in ("npv", "nominal"):
        raise InputError("measure", measure, "npv or nominal")
    draws = len(values[0]) if values else 1
    shared: dict[str, Any] = {}
    own: list[dict[str, Any]] = [{} for _ in options]
    for one, value in zip(uncertain, values, strict=True):
        if not all(0 <= place < len(options) for place in one.options):
            raise InputError("uncertain", one.options, f"places of the {len(options)} options")
        for changes in [own[place] for place in one.options] if one.options else [shared]:
            changes[one.field] = value
    moved_finance = dataclasses.replace(finance, **shared)
    found = np.empty((len(options), draws))
    for row, (option, changes) in enumerate(zip(options, own, strict=True)):
        found[row] = np.ravel(total_usd(dataclasses.replace(option, **changes), moved_finance, measure))
    return found


def simulate(
    options: Sequence[Option],
    finance: Finance,
    uncertain: Sequence[Uncertain],
    seed: int,
    draws: int = DRAWS,
    measure: Measure = "npv",
    price_correlation: float = 0.0,
) -> Simulation:
    """How the costs of options spread, and how likely each is to cost less than another (estimate).

    P(i < j) = share of draws in which i costs less than j, an equal cost counted half

    Parameters
    ----------
    options : sequence of Option
        The options.
    finance : Finance
        Shared by all.
    uncertain : sequence of Uncertain
        The amounts that are drawn; everything else stays as the options and the finance have it.
    seed : int
        The same seed gives the same result.
    draws : int
        Number of draws.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.
    price_correlation : float
        As in `drawn`.

    Returns
    -------
    Simulation
        Percentiles, means, histograms, probabilities; the draws themselves are not kept.

    Raises
    ------
    InputError
        As `drawn` and `costs`; if there is no option.

    Notes
    -----
    The cost is not taken to be linear in anything: every draw is a full evaluation. The discount rate is a rate and is
    better not drawn: costs discounted at different rates are no distribution of one quantity.

    Examples
    --------
    Two rentals whose rents spread alike and apart from each other: either is as likely to be the cheaper.

    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
    >>> rents = [Uncertain(name, "rent_usd_per_gpu_hour", (place,), Spread(1.0, 2.0, 4.0, "median", "log"))
    ...          for place, name in enumerate(("one", "other"))]
    >>> found = simulate([rented, rented], Finance(horizon_months=12), rents, seed=1)
    >>> abs(found.cheaper[0][1] - 0.5) < 4 * found.standard_error(0.5)
    True
    """
    if not options:
        raise InputError("options", (), "one option at least")
    base = costs(options, finance, (), (), measure)[:, 0]
    values = drawn(uncertain, draws, seed, price_correlation)
    spread = costs(options, finance, uncertain, values, measure) if values else np.repeat(base[:, None], draws, axis=1)
    least = spread == spread.min(axis=0)
    places = range(len(options))
    percentiles = np.percentile(spread, PERCENTILES, axis=1).T
    return Simulation(
        draws=draws,
        seed=seed,
        measure=measure,
        price_correlation=price_correlation,
        options=tuple(_distribution(float(base[row]), spread[row], percentiles[row]) for row in places),
        cheaper=tuple(tuple(_cheaper(spread[row], spread[column]) for column in places) for row in places),
        cheapest=tuple((least / least.sum(axis=0)).mean(axis=1).tolist()),
        gaps=tuple(_gap(spread, one, other) for one in places for other in places if one < other),
    )


def _stream(seed: int, name: str) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, zlib.crc32(name.encode())))))


def _cheaper(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    return float((first < second).mean() + (first == second).mean() / 2)


def _distribution(base: float, spread: NDArray[np.float64], percentiles: NDArray[np.float64]) -> Distribution:
    counts, edges = np.histogram(spread, BINS)
    return Distribution(
        base_usd=base,
        mean_usd=float(spread.mean()),
        low_usd=float(spread.min()),
        high_usd=float(spread.max()),
        percentiles_usd=_named(percentiles),
        histogram=Histogram(edges.astype(np.float32), (counts / spread.size).astype(np.float32)),
    )


def _gap(spread: NDArray[np.float64], first: int, second: int) -> Gap:
    difference = spread[first] - spread[second]
    return Gap(first, second, float(difference.mean()), _named(np.percentile(difference, PERCENTILES)))


def _named(percentiles: NDArray[np.float64]) -> Mapping[int, float]:
    return MappingProxyType(dict(zip(PERCENTILES, percentiles.tolist(), strict=True)))
