"""Which candidate for a scenario, by stated rules, with what stands against it and what would change it.

Feasible first: a candidate that fails a check is never recommended. Then the lowest net present value of the fleet that
carries the workload, prices of one source against each other: the catalogue's where candidates stand at several
sources. Two candidates whose price ranges cover each other by more than half are a tie. Throughput is not estimated
yet, so that the order rests on cost and memory alone; measured pairs stand beside it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.advice import Advice, advice
from lib.choice.assessment import Assessment, assess
from lib.choice.backing import Backing, backing, base_part, nearest_pair
from lib.choice.break_evens import BreakEven, RentOrBuy, break_evens, rent_or_buy
from lib.choice.costed import TIE_SHARE, band_overlap
from lib.choice.nearest import NearestPair
from lib.choice.power_cap import Filled, filled
from lib.choice.relaxing import WayOut, ways_out
from lib.choice.scenario import Scenario
from lib.choice.sized import SERVING_TASKS
from lib.cost.draft import CATALOGUE


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The answer to a scenario: candidates in order, the winner and its rival, and everything beside it.

    `at_other_prices` holds the first of each other source of prices that the scenario asks for; `between` and `nearest`
    are what was measured of winner and rival.
    """

    scenario: Scenario
    base_id: str
    assessments: tuple[Assessment, ...]
    winner: Assessment | None
    rival: Assessment | None
    overlap: float | None
    tied: tuple[Assessment, ...]
    at_other_prices: tuple[Assessment, ...]
    between: Backing | None
    nearest: NearestPair | None
    break_evens: tuple[BreakEven, ...]
    rent_or_buy: RentOrBuy | None
    ways_out: tuple[WayOut, ...]
    filled: tuple[Filled, ...]
    advice: Advice | None

    @property
    def is_tie(self) -> bool:
        """Whether the rival costs the same within the price ranges."""
        return self.overlap is not None and self.overlap > TIE_SHARE

    @property
    def is_sized(self) -> bool:
        """Whether memory had a say: the task is one that memory is modelled for."""
        return self.scenario.workload.task in SERVING_TASKS

    @property
    def gap(self) -> float | None:
        """How much more the rival costs [fraction of the winner's cost]."""
        if self.winner is None or self.rival is None:
            return None
        ours, theirs = self.winner.cost.npv_usd, self.rival.cost.npv_usd
        return None if not ours or theirs is None else theirs / ours - 1

    @property
    def work_ratio(self) -> float | None:
        """Work that the rival's fleet must do per work of the winner's so that both cost the same per unit of it."""
        return None if self.gap is None else self.gap + 1


def in_order(assessments: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """Candidates in the order of the answer.

    Parameters
    ----------
    assessments : sequence of Assessment
        All candidates of a scenario.

    Returns
    -------
    tuple of Assessment
        Feasible ones by cost, the catalogue's prices before those of other sources; then those without a cost; then
        those that fail, fewest failures first. Equals in the order of the scenario.
    """

    def key(one: Assessment) -> tuple[object, ...]:
        npv = one.cost.npv_usd
        source = one.candidate.price_source
        return len(one.failed), npv is None, source != CATALOGUE, source, math.inf if npv is None else npv, one.place

    return tuple(sorted(assessments, key=key))


def recommend(catalog: Catalog, scenario: Scenario) -> Recommendation:
    """The recommendation for a scenario, for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        What is run, candidates, money, constraints.

    Returns
    -------
    Recommendation
        Without a winner where every candidate fails a check or has no cost; `ways_out` then says what to relax.

    Notes
    -----
    The rival is the next at a price of the same source.
    """
    order = in_order([assess(catalog, scenario, place) for place in range(len(scenario.candidates))])
    able = [one for one in order if one.can_win]
    winner = able[0] if able else None
    others = [one for one in able if winner is not None and _is_rival(one, winner)]
    sources = {one.candidate.price_source: one for one in reversed(able)}
    rival = others[0] if others else None
    overlap = _overlap(winner, rival)
    tied = () if winner is None else (winner, *(one for one in others if (_overlap(winner, one) or 0.0) > TIE_SHARE))
    between, pair = None, None
    if winner is not None and rival is not None:
        parts = winner.candidate.accelerator, rival.candidate.accelerator
        between = backing(catalog, scenario.workload, *parts, scenario.view.mlperf_model)
        if scenario.workload.task in SERVING_TASKS:
            pair = nearest_pair(catalog, scenario.workload, *parts)
    return Recommendation(
        scenario=scenario,
        base_id=base_part(scenario),
        assessments=order,
        winner=winner,
        rival=rival,
        overlap=overlap,
        tied=tied,
        at_other_prices=tuple(one for one in able if sources[one.candidate.price_source] is one and one is not winner),
        between=between,
        nearest=pair,
        break_evens=break_evens(winner, rival) if winner is not None and rival is not None else (),
        rent_or_buy=rent_or_buy(catalog, scenario, winner) if winner is not None else None,
        ways_out=ways_out(catalog, scenario, order) if winner is None else (),
        filled=filled(catalog, scenario, order),
        advice=advice(catalog, scenario, order, winner, tied),
    )


def _is_rival(one: Assessment, winner: Assessment) -> bool:
    return one is not winner and one.candidate.price_source == winner.candidate.price_source


def _overlap(first: Assessment | None, second: Assessment | None) -> float | None:
    bands = [one.band_usd for one in (first, second) if one is not None and one.band_usd is not None]
    return band_overlap(bands[0], bands[1]) if len(bands) == 2 else None
