"""How sure a recommendation is: how often the winner stays the winner, what dominates the doubt, and what a mistake costs.

Costs are drawn as the cost room draws them; throughput is drawn from the joint error of the estimates: what model, load,
engine and kind of source do is common to the candidates, what part, series, configuration and noise do is each one's
own. How much is common follows from the spreads that were fitted to the residuals between and within sources.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, Triple
from lib.choice.demand import demand_of
from lib.choice.recommend import Recommendation, joint_of
from lib.choice.standing import budget_of, figure_of, load_kw_of, order_group, weight_of
from lib.choice.uncertainty import SEED
from lib.cost.monte_carlo import Uncertain, costs, drawn
from lib.cost.sourced_drivers import sourced_drivers, uncertain_amounts

DRAWS: Final = 2_000
MOST_DOUBTS: Final = 4
Z80: Final = 1.2815515655446004
"""Standard deviations to either end of an interval that holds 80 % of a normal variable."""

FutureName = Literal["as-estimated", "winner-disappoints", "rival-surprises", "winner-surprises", "rival-disappoints"]
FUTURES: Final[tuple[FutureName, ...]] = (
    "as-estimated", "winner-disappoints", "rival-surprises", "winner-surprises", "rival-disappoints",
)  # fmt: skip
"""Both of the first two in both directions: with half of them the table would speak for one of the two."""

_STREAM: Final = 80
"""Keeps the draws of throughput apart from those of amounts."""

DoubtKind = Literal["amount", "throughput-own", "throughput-shared"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DoubtShare:
    """A thing that is not known and the share of the doubt between winner and runner-up that it explains."""

    kind: DoubtKind
    field: str
    places: tuple[int, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Regret:
    """What choosing a candidate costs in a future: how much worse its figure is than that of the best there."""

    future: FutureName
    place: int
    figure: float
    regret: float
    regret_usd: float | None
    """That share of the best candidate's net present value [USD]."""


@dataclass(frozen=True, eq=False)
class Confidence:
    """How often each candidate comes first, and why not always.

    `chances` are by place. `shared` is the share of the throughput variance that is common to the candidates. The
    candidates that are drawn are those that pass every check and have a figure.
    """

    draws: int
    seed: int
    winner: int
    chances: tuple[tuple[int, float], ...]
    shared: float
    dominant: tuple[DoubtShare, ...]
    regrets: tuple[Regret, ...]
    held: int
    """Amounts that the user states, which are not drawn."""

    @property
    def chance(self) -> float:
        """Probability that the winner comes first."""
        return dict(self.chances).get(self.winner, 0.0)

    @property
    def standard_error(self) -> float:
        """How far that probability may be off for want of draws: one standard deviation."""
        return float(np.sqrt(self.chance * (1 - self.chance) / self.draws))

    def worst(self, place: int) -> float:
        """The largest regret of choosing a candidate over the futures."""
        return max((one.regret for one in self.regrets if one.place == place), default=0.0)


def confidence(catalog: Catalog, found: Recommendation, seed: int = SEED, draws: int = DRAWS) -> Confidence | None:
    """How sure a recommendation is under common draws of costs and throughput (estimate).

    P = share of draws in which the winner's figure is the lowest, an equal one counted in parts

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer.
    seed : int
        The same seed gives the same result.
    draws : int
        Number of draws.

    Returns
    -------
    Confidence or None
        None without a winner, or where it has no figure or one of nothing.

    Notes
    -----
    Fleets and checks stay as they are. What the user states is known and not drawn; the discount rate is a choice.
    """
    winner = found.winner
    if winner is None or not found.standing(winner).weighted:
        return None  # also where the first costs nothing: nothing stands behind nothing by a share
    group = order_group(winner)
    racing = [
        one
        for one in found.assessments
        if one.can_win and order_group(one) == group and found.standing(one).weighted is not None
    ]
    racing.sort(key=lambda one: one.place)
    amounts, values, spent, held = _costs(racing, seed, draws)
    scores, shared = _scores(catalog, racing, seed, draws)
    figures = np.stack(
        [_figures(found, one, spent[row], _rates(found, one, scores[row])) for row, one in enumerate(racing)]
    )  # fmt: skip
    least = np.asarray(figures == figures.min(axis=0), dtype=float)
    chances = (least / least.sum(axis=0)).mean(axis=1)
    places = tuple(one.place for one in racing)
    at = places.index(winner.place)
    second = racing.index(found.rival) if found.rival in racing else _runner_up(figures, at)
    dominant: tuple[DoubtShare, ...] = ()
    if second is not None:
        gap = np.log(figures[at]) - np.log(figures[second])
        dominant = _dominant(gap, amounts, values, scores, places, (at, second))
    return Confidence(
        draws=draws,
        seed=seed,
        winner=winner.place,
        chances=tuple(sorted(zip(places, chances.tolist(), strict=True), key=lambda one: -one[1])),
        shared=shared,
        dominant=dominant,
        regrets=_regrets(found, racing, winner, None if second is None else racing[second]),
        held=held,
    )


def _costs(
    racing: Sequence[Assessment], seed: int, draws: int
) -> tuple[tuple[Uncertain, ...], tuple[Floats, ...], Floats, int]:
    """Net present values of every candidate in every draw, and what was drawn."""
    defaults = [one.cost.defaults for one in racing if one.cost.defaults is not None]
    options = [one.option for one in defaults if one.option is not None]
    finance = racing[0].cost.finance
    drivers = sourced_drivers(defaults, finance)
    amounts = tuple(uncertain_amounts(drivers))
    values = drawn(amounts, draws, seed)
    spent = costs(options, finance.finance, amounts, values)
    if spent.shape[1] != draws:
        spent = np.repeat(spent[:, :1], draws, axis=1)
    return amounts, values, spent, sum(one.held_because == "stated" for one in drivers)


def _scores(catalog: Catalog, racing: Sequence[Assessment], seed: int, draws: int) -> tuple[Floats, float]:
    """Standard normal errors of the throughput of each candidate, correlated as the estimates are; 0 without one.

    Two candidates that ask the same question, a part bought and the same part rented, have one error.
    """
    scores = np.zeros((len(racing), draws))
    asked = [one.question for one in racing]
    heads = {question: row for row, question in reversed(list(enumerate(asked))) if question is not None}
    rows, joint = joint_of(catalog, tuple(racing[row] for row in sorted(heads.values())))
    stream = np.random.default_rng(np.random.SeedSequence((seed, _STREAM)))
    if joint is not None:
        root = np.linalg.cholesky(joint.correlation + 1e-9 * np.eye(len(rows)))
        drawn_ = root @ stream.standard_normal((len(rows), draws))
        by_head = dict(zip(sorted(heads.values()), drawn_, strict=True))
        for row, question in enumerate(asked):
            if question is not None:
                scores[row] = by_head[heads[question]]
    for row, one in enumerate(racing):
        if asked[row] is None and one.run is not None and one.run.tokens_per_s is not None:
            scores[row] = stream.standard_normal(draws)
    return scores, max(joint.shared, 0.0) if joint is not None else 0.0


def _rates(found: Recommendation, one: Assessment, scores: Floats) -> Floats | None:
    """Tokens per second in every draw: both halves of the interval keep their own width."""
    if one.delivered_tokens_per_s is None:
        return None
    speed = one.fleet.speed if one.fleet is not None else None
    low, middle, high = (speed.low, speed.estimate, speed.high) if speed is not None else one.delivered_tokens_per_s
    up, down = math.log(high / middle) / Z80, math.log(middle / low) / Z80
    spread: Floats = np.where(scores > 0, up, down)
    rates = middle * np.exp(scores * spread)
    if one.run is None:
        load = demand_of(found.scenario.workload, found.scenario.prefers.target_load)
        if load.kind == "rate" and load.tokens_per_s is not None:
            return np.minimum(rates, load.tokens_per_s)
    return np.asarray(rates)


def _figures(found: Recommendation, one: Assessment, npv_usd: Floats, rates: Floats | None) -> Floats:
    """The weighted figure in every draw."""
    limits = found.scenario.constraints
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    finance = one.cost.finance.finance
    unit = None if rates is None else 1.0
    figure: Any = figure_of(found.metric, one.cost.option, finance, npv_usd, budget, unit, load_kw_of(one))
    if rates is not None and found.metric not in ("gpu-hour", "outlay"):
        figure = np.asarray(figure, dtype=float) / rates
    found_ = np.broadcast_to(np.asarray(figure, dtype=float), npv_usd.shape)
    return found_ * weight_of(one, found.scenario.prefers)


def _runner_up(figures: Floats, at: int) -> int | None:
    """The candidate that most often beats all but the winner."""
    others = [row for row in range(len(figures)) if row != at]
    if not others:
        return None
    firsts = figures[others].argmin(axis=0)
    return others[int(np.bincount(firsts, minlength=len(others)).argmax())]


def _dominant(
    gap: Floats,
    amounts: Sequence[Uncertain],
    values: Sequence[Floats],
    scores: Floats,
    places: tuple[int, ...],
    two: tuple[int, int],
) -> tuple[DoubtShare, ...]:
    """Squared correlation of each drawn thing with the gap of winner and runner-up, the largest first."""
    if gap.std() == 0:
        return ()
    entries: list[tuple[DoubtKind, str, tuple[int, ...], Floats]] = [
        ("amount", one.field, tuple(places[at] for at in one.options), value.ravel())
        for one, value in zip(amounts, values, strict=True)
    ]
    first, second = (scores[row] for row in two)
    entries.append(("throughput-own", "", (places[two[0]], places[two[1]]), first - second))
    entries.append(("throughput-shared", "", (places[two[0]], places[two[1]]), first + second))
    shares = []
    for kind, field, several, value in entries:
        if value.std() > 0:
            shares.append(DoubtShare(kind, field, several, float(np.corrcoef(value, gap)[0, 1] ** 2)))
    return tuple(sorted(shares, key=lambda one: -one.share)[:MOST_DOUBTS])


def _regrets(
    found: Recommendation, racing: Sequence[Assessment], winner: Assessment, second: Assessment | None
) -> tuple[Regret, ...]:
    """Every candidate in every named future."""
    rows = []
    for future in FUTURES:
        if second is None and future.startswith("rival"):
            continue
        figures, spent = [], []
        for one in racing:
            npv, rate = _in_future(future, one, winner, second, found.shared_error)
            spent.append(npv)
            rates = None if rate is None else np.array([rate])
            figures.append(float(_figures(found, one, np.array([npv]), _capped(found, one, rates))[0]))
        best = int(np.argmin(figures))
        for one, figure in zip(racing, figures, strict=True):
            share = figure / figures[best] - 1
            rows.append(Regret(future, one.place, figure, share, share * spent[best]))
    return tuple(rows)


def _capped(found: Recommendation, one: Assessment, rates: Floats | None) -> Floats | None:
    if rates is None or one.run is not None:
        return rates
    load = demand_of(found.scenario.workload, found.scenario.prefers.target_load)
    return np.minimum(rates, load.tokens_per_s) if load.kind == "rate" and load.tokens_per_s is not None else rates


def _in_future(
    future: FutureName, one: Assessment, winner: Assessment, second: Assessment | None, shared: float
) -> tuple[float, float | None]:
    """Cost [USD] and tokens per second of a candidate in a future: the ends of its price and of its own error."""
    npv = one.cost.npv_usd or 0.0
    low_usd, high_usd = one.band_usd or (npv, npv)
    speed = one.fleet.speed if one.fleet is not None else None
    ends: Triple | None = (speed.low, speed.estimate, speed.high) if speed is not None else one.delivered_tokens_per_s
    rate = None if ends is None else ends[1]
    own = float(np.sqrt(max(1 - shared, 0.0)))
    who, _, how = future.partition("-")
    if one is not {"winner": winner, "rival": second}.get(who):
        return npv, rate
    if how == "disappoints":
        return high_usd, None if ends is None else ends[1] * (ends[0] / ends[1]) ** own
    return low_usd, None if ends is None else ends[1] * (ends[2] / ends[1]) ** own
