"""Two scenarios side by side: the inputs and the answers that differ, and which input explains most of the difference.

The figure that is explained is the net present value of the recommended option. Each group of inputs is switched alone,
once in each of the two scenarios, and counts with the mean of both effects; what the groups do only in company is the
remainder. With two groups this is the Shapley value, with more an approximation of it that needs no 2^n answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, assess_all
from lib.choice.own_parts import named_alike, with_own_parts
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Candidate, OwnPart, Scenario
from lib.choice.scenario_inputs import SHOWN_ONLY, Group, differing, in_view, pairs, with_groups
from lib.choice.standing import budget_of, in_order, standing_of
from lib.choice.ways import opened
from lib.errors import LibError

MOST_GROUPS: Final = 24
"""Groups that are switched by themselves; more of them are switched together, so that an answer does not take seconds."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a group of inputs does to the cost, alone: how much more it costs with your value than with the other's [USD].

    `in_yours` is found by giving your scenario the other's value, `in_other` the reverse; None where that leaves no
    option that passes. `usd` is their mean. `then` is the option that your scenario would be advised with the other's
    value, where that is another one.
    """

    groups: tuple[Group, ...]
    in_yours: float | None
    in_other: float | None
    usd: float | None
    then: Candidate | None


@dataclass(frozen=True, slots=True)
class OptionPair:
    """One option as it stands in both scenarios; None where a scenario does not have it."""

    candidate: Candidate
    yours: Assessment | None
    other: Assessment | None

    @property
    def change_usd(self) -> float | None:
        """How much more it costs in your scenario; None where it has no cost in one of them [USD]."""
        if self.yours is None or self.other is None:
            return None
        return _minus(self.yours.cost.npv_usd, self.other.cost.npv_usd)


@dataclass(frozen=True, eq=False)
class Difference:
    """Two scenarios, their answers, and what lies between them.

    `total_usd` is how much more the recommended option costs in your scenario, `together_usd` the part of it that no
    group explains alone; both are None where one of the two has no answer. `effects` come in the order of their size.
    Both answers are of scenarios whose own parts are named alike: one id is one part.
    """

    yours: Recommendation
    other: Recommendation
    groups: tuple[Group, ...]
    effects: tuple[Effect, ...]
    total_usd: float | None
    together_usd: float | None
    options: tuple[OptionPair, ...]

    @property
    def own_parts(self) -> tuple[OwnPart, ...]:
        """The parts that either scenario states, for the names of all options."""
        return self.yours.scenario.own_parts

    @property
    def is_same_option(self) -> bool:
        """Whether both are advised the same part, had in the same way, or neither any."""
        mine, theirs = self.yours.winner, self.other.winner
        if mine is None or theirs is None:
            return mine is theirs
        return _way(mine.candidate) == _way(theirs.candidate)

    @property
    def main(self) -> Effect | None:
        """The group that moves the cost most; None where nothing moves it."""
        first = self.effects[0] if self.effects else None
        return first if first is not None and first.usd else None

    @property
    def is_mostly_together(self) -> bool:
        """Whether the inputs do more in company than the greatest of them does alone."""
        return self.together_usd is not None and abs(self.together_usd) > abs((self.main and self.main.usd) or 0.0)


def difference(catalog: Catalog, yours: Scenario, other: Scenario) -> Difference:
    """What differs between two scenarios, and why their answers do.

    effect = ((NPV yours - NPV yours with the other's value) + (NPV other with your value - NPV other)) / 2

    Parameters
    ----------
    catalog : Catalog
        The edition, without anybody's own parts.
    yours, other : Scenario
        The two, each for the workload in view.

    Returns
    -------
    Difference
        Effects are left out where one of the two has no answer to be explained.

    Notes
    -----
    Fleets are those of the recommendation: sized by memory, load and latency limits.
    """
    mine, theirs = named_alike(in_view(yours), in_view(other))
    first, second = (recommend(with_own_parts(catalog, one.own_parts), one) for one in (mine, theirs))
    groups = differing(yours, other)
    total = _minus(_npv(first.winner), _npv(second.winner))
    effects: tuple[Effect, ...] = ()
    together = None
    if total is not None and first.winner is not None:
        moved = [_effect(catalog, (mine, theirs), (first, second), each) for each in _switched(groups)]
        effects = tuple(sorted(moved, key=lambda one: -abs(one.usd or 0.0)))
        together = total - sum(one.usd or 0.0 for one in effects)
    return Difference(first, second, groups, effects, total, together, tuple(_options(first, second)))


def winner_of(catalog: Catalog, scenario: Scenario) -> Assessment | None:
    """The recommended option alone, without what stands beside it in a recommendation.

    Parameters
    ----------
    catalog : Catalog
        The edition, without anybody's own parts.
    scenario : Scenario
        The question.

    Returns
    -------
    Assessment or None
        None where no candidate passes and has a cost.
    """
    known = with_own_parts(catalog, scenario.own_parts)
    asked = opened(known, scenario)
    found = assess_all(known, asked)
    preference, limits = scenario.prefers, scenario.constraints
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    for metric in (preference.metric, "outlay"):
        standings = [standing_of(one, preference, metric, budget, 0.0) for one in found]
        if metric == "outlay" or any(
            one.can_win and place.weighted is not None for one, place in zip(found, standings, strict=True)
        ):
            return next((found[at] for at in in_order(found, standings) if found[at].can_win), None)
    return None


def _effect(
    catalog: Catalog, ends: tuple[Scenario, Scenario], answers: tuple[Recommendation, Recommendation],
    groups: tuple[Group, ...],
) -> Effect:  # fmt: skip
    if all(one.key == SHOWN_ONLY for one in groups):
        return Effect(groups, 0.0, 0.0, 0.0, None)
    changed_mine = _answered(lambda: winner_of(catalog, with_groups(ends[0], ends[1], groups, is_yours=True)))
    changed_theirs = _answered(lambda: winner_of(catalog, with_groups(ends[1], ends[0], groups, is_yours=False)))
    in_yours = _minus(_npv(answers[0].winner), _npv(changed_mine))
    in_other = _minus(_npv(changed_theirs), _npv(answers[1].winner))
    known = [one for one in (in_yours, in_other) if one is not None]
    advised = answers[0].winner
    is_another = changed_mine and advised and _way(changed_mine.candidate) != _way(advised.candidate)
    return Effect(
        groups,
        in_yours,
        in_other,
        sum(known) / len(known) if known else None,
        changed_mine.candidate if changed_mine and is_another else None,
    )


def _answered(ask: Callable[[], Assessment | None]) -> Assessment | None:
    """The answer to a scenario that nobody stated: a mixture of two may name what neither can have."""
    try:
        return ask()
    except LibError:
        return None


def _switched(groups: Sequence[Group]) -> list[tuple[Group, ...]]:
    """Each group by itself; those beyond the most that are, in one."""
    alone: list[tuple[Group, ...]] = [(one,) for one in groups[:MOST_GROUPS]]
    return [*alone, tuple(groups[MOST_GROUPS:])] if len(groups) > MOST_GROUPS else alone


def _options(first: Recommendation, second: Recommendation) -> list[OptionPair]:
    """Every option of either, those of yours in the order of your answer, then those of the other alone."""
    partner = dict(pairs(first.scenario, second.scenario))
    left = {one.place: one for one in second.assessments}
    both = [OptionPair(one.candidate, one, left.pop(partner.get(one.place, -1), None)) for one in first.assessments]
    return [*both, *(OptionPair(one.candidate, None, one) for one in left.values())]


def _way(candidate: Candidate) -> tuple[str, str]:
    return candidate.accelerator, candidate.acquisition


def _npv(one: Assessment | None) -> float | None:
    return None if one is None else one.cost.npv_usd


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
