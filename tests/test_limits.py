"""Limits that few or none keep: who comes first, what is to be relaxed, and what a button may change."""

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import confidence
from lib.choice.flip_points import flip_points
from lib.choice.recommend import recommend
from lib.choice.relaxing import eased
from lib.choice.scenario import Candidate, Constraints, Scenario, changed

FACTS = catalog.load()


def served(preset_id: str, **load: object) -> Scenario:
    """A preset with its load changed, every way of having a part ranked."""
    scenario = presets.preset(FACTS, preset_id)
    workload = scenario.workload.model_copy(update=load)
    scenario = scenario.model_copy(update={"workloads": (workload,)})
    return changed(scenario, ("preference",), {**scenario.prefers.model_dump(), "ways": "all"})


@pytest.mark.parametrize("limit_ms", [14.0, 12.0, 10.0, 9.5])
def test_a_tighter_limit_never_lets_a_part_that_misses_it_stand_before_one_that_keeps_it(limit_ms: float) -> None:
    """One sequence at a time: some parts keep 12 ms a token and fewer keep 10; who misses it at the estimate stands behind."""
    found = recommend(FACTS, served("buy-or-wait", concurrency=1, tpot_limit_ms=limit_ms, ttft_limit_ms=None))
    assert found.winner is not None
    kept = [one for one in found.assessments if one.can_win and not one.misses_limit]
    assert kept
    assert found.winner in kept
    assert found.winner.fleet is not None
    assert found.winner.fleet.speed is not None
    assert found.winner.fleet.speed.tpot_s is not None
    assert found.winner.fleet.speed.tpot_s.estimate * 1000 <= limit_ms
    for flip in flip_points(FACTS, found)[:3]:  # the same rule where the load moves
        assert flip.to is None or flip.to in [one.place for one in found.assessments if one.can_win]


@pytest.mark.parametrize("load", [{"tpot_limit_ms": 1.0}, {"tpot_limit_ms": 5.0}, {"ttft_limit_ms": 1.0}])
@pytest.mark.parametrize("rate", [None, 5.0])
def test_a_limit_that_nobody_keeps_is_relaxed_to_what_is_estimated_and_no_less_helps(
    load: dict[str, float], rate: float | None
) -> None:
    """With and without a rate of requests: the values named make a winner, and the first one keeps them at its estimate."""
    asked = {"ttft_limit_ms": None, "tpot_limit_ms": None, "request_rate_per_s": rate, **load}
    scenario = served("buy-or-wait", **asked)
    found = recommend(FACTS, scenario)
    if found.winner is not None:
        assert all(one.misses_limit for one in found.assessments if one.can_win)
        return
    assert found.ways_out
    after = recommend(FACTS, eased(scenario, found.scenario, found.ways_out[0]))
    assert after.winner is not None
    assert found.eased is not None
    assert (after.winner.candidate, after.winner.cost.npv_usd) == (found.eased.candidate, found.eased.cost.npv_usd)


def test_what_was_typed_outlives_the_button_that_changes_limits() -> None:
    """A part at a price of one's own under a cap of one GPU: the cap moves, the price stays."""
    own = Candidate(accelerator="h100-sxm", acquisition="commit-3y", rent_usd_per_gpu_hour=3.0)
    scenario = served("buy-or-wait").model_copy(update={"candidates": (own,), "constraints": Constraints(gpus=1)})
    found = recommend(FACTS, scenario)
    assert found.winner is None
    after = eased(scenario, found.scenario, found.ways_out[0])
    assert after.candidates == (own,)
    assert after.constraints.gpus is not None
    assert after.constraints.gpus > 1
    assert recommend(FACTS, after).winner is not None


def test_no_change_is_offered_that_leaves_everybody_without_a_cost() -> None:
    """The memory of MI350X is not published, so that it has no fleet: a later deadline does not help."""
    candidates = (
        Candidate(accelerator="h20", acquisition="buy", order_month=6),
        Candidate(accelerator="mi350x", acquisition="rent"),
    )
    scenario = presets.preset(FACTS, "buy-or-wait").model_copy(
        update={"candidates": candidates, "constraints": Constraints(deadline="2027-01")}
    )
    found = recommend(FACTS, scenario)
    for way in found.ways_out:
        assert recommend(FACTS, eased(scenario, found.scenario, way)).winner is not None


def test_a_price_of_nothing_is_first_without_shares_of_nothing() -> None:
    """A rental at 0 USD beside one that costs something: it comes first, and no chance or regret is made of it."""
    candidates = (
        Candidate(accelerator="h100-sxm", acquisition="rent", rent_usd_per_gpu_hour=0.0),
        Candidate(accelerator="h200-sxm", acquisition="rent"),
    )
    found = recommend(FACTS, presets.preset(FACTS, "serve-70b").model_copy(update={"candidates": candidates}))
    assert found.winner is not None
    assert found.winner.candidate == candidates[0]
    assert found.gap is None
    assert confidence(FACTS, found) is None


def test_the_order_of_stated_candidates_does_not_change_what_other_ways_do() -> None:
    """A part stated twice with measurements that differ: other ways take neither."""
    bought = Candidate(accelerator="h100-sxm", acquisition="buy", throughput_factor=3.0)
    rented = Candidate(accelerator="h100-sxm", acquisition="rent", throughput_factor=0.2)
    answers = []
    for two in ((bought, rented), (rented, bought)):
        found = recommend(FACTS, served("buy-or-wait").model_copy(update={"candidates": two}))
        answers.append(sorted((one.candidate.acquisition, one.cost.npv_usd) for one in found.assessments))
        added = [one.candidate for one in found.assessments if one.candidate not in two]
        assert added
        assert all(one.throughput_factor is None for one in added)
    assert answers[0] == answers[1]
