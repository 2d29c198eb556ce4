"""One part for all workloads of a scenario: the cost of the mix, and the share at which another part would come first."""

from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, assess_all
from lib.choice.scenario import Scenario, changed
from lib.choice.standing import Standing, budget_of, order_group, standing_of


@dataclass(frozen=True, slots=True)
class MixedPart:
    """One candidate for all workloads: its figure for each, and for the mix; None where a workload rules it out."""

    place: int
    figures: tuple[float | None, ...]
    mixed: float | None


@dataclass(frozen=True, slots=True)
class Mix:
    """All candidates for all workloads, the best first, and when another one would be.

    `share` is that of the workload in view; `turns_at` the nearest share at which another candidate comes first, None
    where none does from 0 to 1, and `to` its place.
    """

    parts: tuple[MixedPart, ...]
    winner: int | None
    share: float
    turns_at: float | None
    to: int | None


def mix(catalog: Catalog, scenario: Scenario) -> Mix | None:
    """One candidate for every workload of a scenario, by the figure of its mix of tokens (estimate).

    figure = sum over workloads of share x cost per million tokens at the low end

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With two or three workloads, served or trained.

    Returns
    -------
    Mix or None
        None for one workload.

    Notes
    -----
    Each workload keeps a fleet of its own; what a shared fleet would save is not modelled. The shares of the others keep
    their proportions while that of the workload in view moves.
    """
    if len(scenario.workloads) < 2:
        return None
    shares = [one.share for one in scenario.workloads]
    whole = sum(shares)
    columns = []
    for at in range(len(scenario.workloads)):
        shown = changed(scenario, ("view", "workload"), at)
        columns.append([(one, _standing(shown, one)) for one in assess_all(catalog, shown)])
    parts = []
    for place in range(len(scenario.candidates)):
        column = [each[place] for each in columns]
        figures = tuple(place_.weighted if one.can_win else None for one, place_ in column)
        known = [one for one in figures if one is not None]
        mixed = None
        if len(known) == len(figures):
            mixed = sum(share * one for share, one in zip(shares, known, strict=True)) / whole
        parts.append((tuple(order_group(one) for one, _ in column), MixedPart(place, figures, mixed)))
    able = sorted((one for one in parts if one[1].mixed is not None), key=lambda one: (one[0], one[1].mixed))
    rest = [part for _, part in parts if part.mixed is None]
    view = scenario.workload_index
    now = shares[view] / whole
    if not able:
        return Mix(tuple(rest), None, now, None, None)
    group = able[0][0]
    racing = [part for each, part in able if each == group]
    turns, to = _turns(racing, view, shares, now)
    return Mix((*(part for _, part in able), *rest), racing[0].place, now, turns, to)


def _standing(scenario: Scenario, one: Assessment) -> Standing:
    limits = scenario.constraints
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    return standing_of(one, scenario.prefers, "million-tokens", budget, 0.0)


def _turns(racing: list[MixedPart], view: int, shares: list[float], now: float) -> tuple[float | None, int | None]:
    """The nearest share of the workload in view at which another line of costs is the lowest: lines cross once."""
    others = sum(shares) - shares[view]

    def ends(part: MixedPart) -> tuple[float, float]:
        mine = part.figures[view] or 0.0
        rest = sum(
            share * (figure or 0.0)
            for at, (share, figure) in enumerate(zip(shares, part.figures, strict=True))
            if at != view
        )
        return rest / others, mine

    first = ends(racing[0])
    found = []
    for other in racing[1:]:
        second = ends(other)
        slope = (first[1] - first[0]) - (second[1] - second[0])
        if slope:
            share = (second[0] - first[0]) / slope
            if 0 <= share <= 1 and share != now:
                found.append((abs(share - now), share, other.place))
    nearest = min(found, default=None)
    return (None, None) if nearest is None else (nearest[1], nearest[2])
