"""How sure an answer is: the same seed gives the same, chances sum to one, and what is certain is certain."""

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import FUTURES, Confidence, confidence
from lib.choice.preference import Preference
from lib.choice.recommend import Recommendation, joint_of, recommend
from lib.choice.scenario import Candidate

FACTS = catalog.load()


def answer(preset_id: str) -> tuple[Recommendation, Confidence]:
    """The answer to a preset and how sure it is."""
    found = recommend(FACTS, presets.preset(FACTS, preset_id))
    sure = confidence(FACTS, found)
    assert sure is not None
    return found, sure


@pytest.mark.parametrize("preset_id", ["serve-70b", "mi355x-rent", "knowledge-base", "pretrain-256"])
def test_the_same_seed_gives_the_same_chances_and_another_nearly_so(preset_id: str) -> None:
    """Equal to the last bit with one seed; with another within six standard errors."""
    found, sure = answer(preset_id)
    again, other = confidence(FACTS, found), confidence(FACTS, found, seed=1)
    assert again is not None
    assert other is not None
    assert again.chances == sure.chances
    assert again.regrets == sure.regrets
    assert abs(other.chance - sure.chance) < 6 * max(sure.standard_error, 0.01)


@pytest.mark.parametrize("preset_id", list(FACTS.presets))
def test_chances_are_a_distribution_and_regret_is_never_negative(preset_id: str) -> None:
    """Chances sum to 1 (1e-9); in each future somebody has no regret and nobody a negative one."""
    found = recommend(FACTS, presets.preset(FACTS, preset_id))
    sure = confidence(FACTS, found)
    if sure is None:
        return
    assert sum(chance for _, chance in sure.chances) == pytest.approx(1.0, abs=1e-9)
    for future in FUTURES:
        mine = [one.regret for one in sure.regrets if one.future == future]
        assert not mine or min(mine) == 0.0
    assert all(0 <= one.share <= 1 for one in sure.dominant)


def test_a_part_bought_and_the_same_part_rented_share_their_error() -> None:
    """Two ways of having one part at stated prices: the cheaper one comes first in every draw, whatever the throughput."""
    base = presets.preset(FACTS, "multimodal")
    candidates = (
        Candidate(accelerator="mi300x", acquisition="rent", rent_usd_per_gpu_hour=2.0),
        Candidate(accelerator="mi300x", acquisition="commit-1y", rent_usd_per_gpu_hour=1.0),
    )
    found = recommend(FACTS, base.model_copy(update={"candidates": candidates}))
    sure = confidence(FACTS, found)
    assert sure is not None
    assert found.winner is not None
    assert found.winner.place == 1
    assert sure.chance == 1.0


def test_the_common_part_of_the_error_is_that_of_the_regression() -> None:
    """Estimates of one model and load on two parts of one vendor go together more than those of two vendors, on average."""
    found, sure = answer("serve-70b")
    rows, joint = joint_of(FACTS, found.assessments)
    assert joint is not None
    vendor = [found.assessments[row].cost.accelerator.vendor for row in rows]
    pairs = [(a, b) for a in range(len(rows)) for b in range(a)]
    same = [joint.correlation[a, b] for a, b in pairs if vendor[a] == vendor[b]]
    apart = [joint.correlation[a, b] for a, b in pairs if vendor[a] != vendor[b]]
    assert sum(same) / len(same) > sum(apart) / len(apart)
    assert all(0 < one < 1 for one in (*same, *apart))
    assert sure.shared == pytest.approx(sum((*same, *apart)) / len(pairs), rel=1e-9)


def test_by_outlay_throughput_does_not_enter_the_doubt() -> None:
    """Measured by outlay only prices and costs are drawn."""
    base = presets.preset(FACTS, "serve-70b").model_copy(update={"preference": Preference(metric="outlay")})
    sure = confidence(FACTS, recommend(FACTS, base))
    assert sure is not None
    moved = [one for one in sure.dominant if one.kind != "amount"]
    assert all(one.share < 0.01 for one in moved)
