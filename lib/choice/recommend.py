"""Which candidate for a scenario, by stated rules, with what stands against it.

Feasible first: a candidate that fails a check is never recommended. Then the lowest figure of the governing metric, by
default the net present value per million tokens that the fleet delivers at the low end of its throughput interval,
prices of one source against each other: the catalogue's, and the buyer's own beside them, where candidates stand at
several sources. Two candidates whose bands cover each other by more than half are a tie; the band holds the range of
the price and what of the throughput error is the candidate's own. What would change the answer, and how sure it is, are rooms of their own.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.advice import Advice, Rule, advice, rules_of
from lib.choice.assessment import Assessment, assess_all
from lib.choice.backing import Backing, backing, base_part, nearest_pair
from lib.choice.break_evens import RentOrBuy, rent_or_buy
from lib.choice.costed import TIE_SHARE, Costed, band_overlap
from lib.choice.fleet_costs import cost_of, costed_beside
from lib.choice.nearest import NearestPair
from lib.choice.power_cap import Filled, filled
from lib.choice.preference import Metric
from lib.choice.presets import preset
from lib.choice.relaxing import WayOut, relaxed, ways_out
from lib.choice.scenario import MOST_OPTIONS, Scenario
from lib.choice.sized import SERVING_TASKS
from lib.choice.standing import Standing, budget_of, in_order, metrics_for, standing_of
from lib.choice.training_memory import TRAINING_TASKS
from lib.choice.ways import WAYS, another_way, opened
from lib.cost.draft import CATALOGUE
from lib.sizing.throughput_joint import JointError, joint_error


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The answer to a scenario: candidates in order, the winner and its rival, and everything beside it.

    `metric` is what the answer is really measured by: the outlay where nobody has the figure of the metric asked for.
    `eased` comes first once the limits of the first way out are changed, which may be another than the one it was found for.
    `cheaper_way` is the winner's part had for less in a way that nobody asked about, at the catalogue's prices.
    `at_other_prices` holds the first of each other source of prices that the scenario asks for; `between` and `nearest`
    are what was measured of winner and rival. `by_metric` has the first under each metric that somebody has a figure of.
    """

    scenario: Scenario
    base_id: str
    metric: Metric
    assessments: tuple[Assessment, ...]
    standings: tuple[Standing, ...]
    shared_error: float
    winner: Assessment | None
    rival: Assessment | None
    overlap: float | None
    tied: tuple[Assessment, ...]
    at_other_prices: tuple[Assessment, ...]
    by_metric: tuple[tuple[Metric, Assessment], ...]
    between: Backing | None
    nearest: NearestPair | None
    rent_or_buy: RentOrBuy | None
    cheaper_way: Costed | None
    ways_out: tuple[WayOut, ...]
    eased: Assessment | None
    filled: tuple[Filled, ...]
    advice: Advice | None
    rules: tuple[Rule, ...]

    @property
    def is_tie(self) -> bool:
        """Whether the rival stands as well within the bands."""
        return self.overlap is not None and self.overlap > TIE_SHARE

    @property
    def is_sized(self) -> bool:
        """Whether memory had a say: the task is one that a fleet is sized for."""
        return self.scenario.workload.task in SERVING_TASKS

    @property
    def is_training(self) -> bool:
        """Whether the workload is trained."""
        return self.scenario.workload.task in TRAINING_TASKS

    @property
    def depends_on_metric(self) -> bool:
        """Whether another metric would put another part first."""
        return any(one is not self.winner for _, one in self.by_metric)

    def standing(self, one: Assessment) -> Standing:
        """Where a candidate stands."""
        return self.standings[self.assessments.index(one)]

    @property
    def shown(self) -> tuple[tuple[int, Assessment], ...]:
        """Who stands in a picture, each with its place in the order from 1: all; of many each part in its best way, the first in all."""
        placed = tuple(enumerate(self.assessments, start=1))
        if len(placed) <= MOST_OPTIONS:
            return placed
        kinds = [(one.candidate.accelerator, one.candidate.price_basis) for one in self.assessments]
        return tuple(
            each
            for at, each in enumerate(placed)
            if kinds.index(kinds[at]) == at or (self.winner is not None and kinds[at] == kinds[0])
        )

    @property
    def passed_over(self) -> Assessment | None:
        """The first candidate that would stand before the winner, were it known that its formats run."""
        if self.winner is None or not self.winner.is_recommendable:
            return None
        ours = self.standing(self.winner).weighted
        for one in self.assessments:
            theirs = self.standing(one).weighted
            same = one.candidate.price_basis == self.winner.candidate.price_basis
            if one.can_win and same and not one.is_recommendable and ours is not None and theirs is not None:
                if theirs < ours:
                    return one
        return None

    @property
    def gap(self) -> float | None:
        """How much worse the rival's figure is [fraction of the winner's]; None where it has none."""
        if self.winner is None or self.rival is None:
            return None
        ours, theirs = self.standing(self.winner).weighted, self.standing(self.rival).weighted
        return None if not ours or theirs is None else theirs / ours - 1

    @property
    def outlay_gap(self) -> float | None:
        """How much more the rival's fleet costs [fraction of the winner's cost]."""
        if self.winner is None or self.rival is None:
            return None
        ours, theirs = self.winner.cost.npv_usd, self.rival.cost.npv_usd
        return None if not ours or theirs is None else theirs / ours - 1


def recommend(catalog: Catalog, scenario: Scenario) -> Recommendation:
    """The recommendation for a scenario, for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        What is run, candidates, money, constraints, preference.

    Returns
    -------
    Recommendation
        Without a winner where every candidate fails a check or has no cost; `ways_out` then says what to relax.

    Notes
    -----
    The rival is the next at a price of the same source; an own price counts as one of the catalogue's. Where the buyer
    leaves the way of having a part open, the scenario of the answer holds every way that has a price, the stated ones first.
    """
    asked = opened(catalog, scenario)
    return recommended(catalog, asked, assess_all(catalog, asked))


def recommended(catalog: Catalog, scenario: Scenario, assessments: tuple[Assessment, ...]) -> Recommendation:
    """As `recommend`, of candidates that are assessed already.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        The scenario.
    assessments : tuple of Assessment
        All its candidates.

    Returns
    -------
    Recommendation
        In the order of the answer.
    """
    preference, limits, workload = scenario.prefers, scenario.constraints, scenario.workload
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    shared = shared_error(catalog, assessments)

    def standings_by(metric: Metric) -> list[Standing]:
        return [standing_of(one, preference, metric, budget, shared) for one in assessments]

    metric = (
        preference.metric if preference.metric in metrics_for(workload.task in TRAINING_TASKS) else "million-tokens"
    )
    standings = standings_by(metric)
    if not any(place.weighted is not None and one.can_win for one, place in zip(assessments, standings, strict=True)):
        metric = "outlay"
        standings = standings_by(metric)
    order = in_order(assessments, standings)
    ranked, placed = tuple(assessments[at] for at in order), tuple(standings[at] for at in order)
    able = [one for one in ranked if one.can_win]
    winner = able[0] if able else None
    others = [one for one in able if winner is not None and _is_rival(one, winner)]
    sources = {one.candidate.price_basis: one for one in reversed(able)}
    rival = others[0] if others else None
    place_of = {id(one): place for one, place in zip(ranked, placed, strict=True)}

    def overlap(one: Assessment | None) -> float | None:
        if winner is None or one is None:
            return None
        two = (place_of[id(winner)], place_of[id(one)])
        first, second = (each.priced if _is_one_fleet(winner, one) else each.band for each in two)
        return band_overlap(first, second) if first is not None and second is not None else None

    def is_outdone(one: Assessment) -> bool:
        """Whether the same fleet had another way stands before it and costs less whatever the prices turn out to be."""
        twins = (each for each in able[: able.index(one)] if _is_one_fleet(each, one))
        bands = ((place_of[id(each)].priced, place_of[id(one)].priced) for each in twins)
        return any(one and two and band_overlap(one, two) <= TIE_SHARE for one, two in bands)

    near = [one for one in others if (overlap(one) or 0.0) > TIE_SHARE and not is_outdone(one)]
    tied = () if winner is None else (winner, *near)
    between, pair = None, None
    if winner is not None and rival is not None:
        parts = winner.candidate.accelerator, rival.candidate.accelerator
        between = backing(catalog, workload, *parts, scenario.view.mlperf_model)
        if workload.task in SERVING_TASKS:
            pair = nearest_pair(catalog, workload, *parts)
    found_ways = ways_out(catalog, scenario, ranked) if winner is None else ()
    return Recommendation(
        scenario=scenario,
        base_id=base_part(scenario),
        metric=metric,
        assessments=ranked,
        standings=placed,
        shared_error=shared,
        winner=winner,
        rival=rival,
        overlap=overlap(rival),
        tied=tied,
        at_other_prices=tuple(one for one in able if sources[one.candidate.price_basis] is one and one is not winner),
        by_metric=_firsts(assessments, standings_by, workload.task in TRAINING_TASKS),
        between=between,
        nearest=pair,
        rent_or_buy=rent_or_buy(catalog, scenario, winner) if winner is not None else None,
        cheaper_way=_cheaper_way(catalog, scenario, ranked, winner) if winner is not None else None,
        ways_out=found_ways,
        eased=_eased(catalog, scenario, found_ways),
        filled=filled(catalog, scenario, ranked),
        advice=advice(catalog, scenario, ranked, winner, tied),
        rules=rules_of(catalog, scenario, ranked, winner, tied),
    )


def joint_of(catalog: Catalog, assessments: tuple[Assessment, ...]) -> tuple[tuple[int, ...], JointError | None]:
    """The candidates whose throughput was estimated, and how alike their errors are.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    assessments : tuple of Assessment
        Any candidates.

    Returns
    -------
    tuple of (tuple of int, JointError or None)
        Their indices; None where nobody has an estimate.
    """
    questions = [one.question for one in assessments]
    known = [(at, question) for at, question in enumerate(questions) if question is not None]
    if not known:
        return (), None
    return tuple(at for at, _ in known), joint_error(catalog, tuple(question for _, question in known))


def shared_error(catalog: Catalog, assessments: tuple[Assessment, ...]) -> float:
    """Share of the variance of the throughput error that moves all candidates alike; 0 without estimates.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    assessments : tuple of Assessment
        All candidates of a scenario.

    Returns
    -------
    float
        From 0 to 1.
    """
    different = {one.question: one for one in reversed(assessments)}
    in_place = sorted(different.values(), key=lambda one: one.place)  # as the draws ask for them: found once
    _, joint = joint_of(catalog, tuple(in_place))
    return 0.0 if joint is None else max(joint.shared, 0.0)


def _firsts(
    assessments: tuple[Assessment, ...], standings_by: Callable[[Metric], list[Standing]], is_training: bool
) -> tuple[tuple[Metric, Assessment], ...]:
    """The first under each metric that somebody who can win has a figure of."""
    found = []
    for metric in metrics_for(is_training):
        standings = standings_by(metric)
        first = assessments[in_order(assessments, standings)[0]]
        placed = standings[assessments.index(first)]
        if first.can_win and placed.weighted is not None:
            found.append((metric, first))
    return tuple(found)


def _eased(catalog: Catalog, scenario: Scenario, found: tuple[WayOut, ...]) -> Assessment | None:
    """Who comes first once the smallest change is made."""
    if not found:
        return None
    wide = relaxed(scenario, found[0].relaxations)
    return recommended(catalog, wide, assess_all(catalog, wide)).winner


def _cheaper_way(
    catalog: Catalog, scenario: Scenario, ranked: tuple[Assessment, ...], winner: Assessment
) -> Costed | None:
    """The cheapest way of having the winner's part, with the fleet that the load asks for, where it is not a candidate."""
    asked = winner.candidate
    if asked.price_basis != CATALOGUE or winner.cost.npv_usd is None:
        return None
    had = {one.candidate.acquisition for one in ranked if one.candidate.accelerator == asked.accelerator}
    others = tuple(another_way(asked, way) for way in WAYS if way not in had)
    if not others:
        return None
    as_many = [cost_of(catalog, scenario, one, winner.fleet) for one in others]
    nearest = min(
        zip(others, as_many, strict=True), key=lambda two: math.inf if two[1].npv_usd is None else two[1].npv_usd
    )
    if nearest[1].npv_usd is None or nearest[1].npv_usd >= winner.cost.npv_usd:
        return None
    found = costed_beside(catalog, scenario, nearest[0])  # whole servers or single GPUs: the fleet may be another
    return found if found.npv_usd is not None and found.npv_usd < winner.cost.npv_usd else None


def _is_one_fleet(one: Assessment, other: Assessment) -> bool:
    """Whether two candidates are one part in one layout, bought and rented: what they deliver differs by nothing."""
    question = one.question
    return question is not None and question == other.question


def _is_rival(one: Assessment, winner: Assessment) -> bool:
    return one is not winner and one.candidate.price_basis == winner.candidate.price_basis


@functools.lru_cache(maxsize=4)
def of_every_preset(catalog: Catalog) -> tuple[Recommendation, ...]:
    """The answer to every preset that an article has advice for, its first workload in view: for the advice beside ours.

    Parameters
    ----------
    catalog : Catalog
        The edition with its presets.

    Returns
    -------
    tuple of Recommendation
        In the order of the presets.
    """
    asked = (one for one, facts in catalog.presets.items() if facts.get("advice_source"))
    return tuple(recommend(catalog, preset(catalog, one)) for one in asked)
