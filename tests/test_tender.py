"""The tender sheet, the front, the mix and training runs: recomputed by hand."""

import math

import numpy as np
import pytest

from lib import catalog
from lib.choice import link, presets
from lib.choice.deployments import pareto
from lib.choice.mix import mix
from lib.choice.preference import Preference
from lib.choice.recommend import recommend
from lib.choice.scenario import Constraints, changed
from lib.choice.tender import tender
from lib.choice.training_runs import training_run
from lib.present.recommend_deployments import tender_rows
from lib.present.text import words

FACTS = catalog.load()


def test_points_follow_from_the_visible_formulas() -> None:
    """Price: weight x lowest / own; throughput: weight x own / highest; software: weight x (1 - risk) (1e-9)."""
    prefers = Preference(price_points=70, speed_points=30, evidence_points=0, software_points=50)
    scenario = presets.preset(FACTS, "serve-70b").model_copy(update={"preference": prefers})
    found = recommend(FACTS, scenario)
    sheet = tender(found)
    figures = [found.standing(one).figure or math.inf for one in found.assessments]
    speeds = [one.delivered_tokens_per_s[0] for one in found.assessments if one.delivered_tokens_per_s]
    for offer in sheet.offers:
        one = offer.assessment
        assert one.delivered_tokens_per_s is not None
        expected = 70 * min(figures) / (found.standing(one).figure or math.inf)
        expected += 30 * one.delivered_tokens_per_s[0] / max(speeds)
        expected += 50 * (1 - one.risk.software)
        assert offer.points == pytest.approx(expected, rel=1e-9)
    assert sheet.most_points == 150
    assert [one.points for one in sheet.offers] == sorted((one.points for one in sheet.offers), reverse=True)


def test_another_committee_with_the_link_reaches_the_same_points() -> None:
    """The weights travel in the link."""
    prefers = Preference(price_points=55)
    scenario = presets.preset(FACTS, "deepseek-v3").model_copy(update={"preference": prefers})
    theirs = link.decode(link.encode(scenario))
    mine, other = (tender(recommend(FACTS, one)) for one in (scenario, theirs))
    assert [one.points for one in mine.offers] == [one.points for one in other.offers]


def test_an_offer_that_fails_admission_earns_nothing_and_says_why() -> None:
    """TensorRT-LLM as a must: MI300X is not admitted, and the sheet has the check as a mandatory row."""
    scenario = presets.preset(FACTS, "serve-70b").model_copy(
        update={"constraints": Constraints(software=("TensorRT-LLM",))}
    )
    found = recommend(FACTS, scenario)
    sheet = tender(found)
    offer = next(one for one in sheet.offers if one.assessment.candidate.accelerator == "mi300x")
    assert not offer.is_admitted
    assert offer.points == 0
    rows = tender_rows(sheet, found, words("en"))
    mine = rows[(rows["Offer"] == "MI300X, buy") & (rows["Criterion"] == "Software")]
    assert "does not run" in mine["Value or evidence"].iloc[0]


@pytest.mark.parametrize("preset_id", ["one-megawatt", "buy-or-wait", "deepseek-v4"])
def test_nobody_on_the_front_is_beaten_and_everybody_off_it_is(preset_id: str) -> None:
    """By hand over figure (less) and throughput (more)."""
    found = recommend(FACTS, presets.preset(FACTS, preset_id))
    front = pareto(found, ("unit-cost", "throughput"))
    points = {
        one.place: (figure, one.delivered_tokens_per_s[0])
        for one in found.assessments
        if one.is_feasible and one.delivered_tokens_per_s and (figure := found.standing(one).figure) is not None
    }
    for place, (cost, speed) in points.items():
        beaten = any(
            c <= cost and s >= speed and (c, s) != (cost, speed) for other, (c, s) in points.items() if other != place
        )
        assert beaten == (place not in {one.place for one in front})


def test_the_share_at_which_the_mix_turns_is_where_two_lines_cross() -> None:
    """In pre-training bf16 and fp8 the first two parts cost the same at the share named (1e-9)."""
    scenario = presets.preset(FACTS, "pretrain-256")
    found = mix(FACTS, scenario)
    assert found is not None
    assert found.turns_at is not None
    lines = {}
    for part in found.parts:
        if part.place in (found.winner, found.to):
            bf16, fp8 = part.figures
            assert bf16 is not None
            assert fp8 is not None
            lines[part.place] = found.turns_at * bf16 + (1 - found.turns_at) * fp8
    first, second = lines.values()
    assert first == pytest.approx(second, rel=1e-9)


def test_a_training_run_takes_as_long_as_published_rates_say() -> None:
    """H100 bf16, dense rows of training.csv: 256 x 10th percentile x 1e12 / (6 N + 6 L h s) at most 256 measured GPUs."""
    scenario = presets.preset(FACTS, "pretrain-256")
    run = training_run(FACTS, scenario.workload, FACTS.accelerator("h100-sxm"), 256)
    assert run is not None
    assert run.rate is not None
    frame = FACTS.measured["training"]
    rows = frame[
        (frame["accelerator_id"] == "h100-sxm")
        & (frame["metric"] == "tflops_per_gpu")
        & (frame["number_format"] == "bf16")
        & (frame["model_id"] != "gpt-oss-120b")
    ]
    low, high = np.quantile(rows["value"].to_numpy(dtype=float), [0.1, 0.9])
    assert (run.rate.low, run.rate.high) == pytest.approx((low, high))
    assert run.rate.rows == len(rows)
    per_token = 6 * 8_030_261_248 + 6 * 32 * 4096 * 8192
    share = 1.0 if run.scaling is None else run.scaling.per_doubling ** max(math.log2(256 / run.rate.most_gpus), 0)
    assert run.tokens_per_s is not None
    assert run.tokens_per_s[0] == pytest.approx(256 * low * 1e12 * min(share, 1.0) / per_token, rel=1e-6)


def test_what_the_data_cannot_support_is_said() -> None:
    """MI300X has one bf16 row: no rate; LoRA has none at all."""
    scenario = presets.preset(FACTS, "pretrain-256")
    run = training_run(FACTS, scenario.workload, FACTS.accelerator("mi300x"), 256)
    assert run is not None
    assert run.tokens_per_s is None
    assert [doubt.code for doubt in run.doubts] == ["no-training-rate"]
    tuned = presets.preset(FACTS, "finetune-64").workloads[1]
    adapters = training_run(FACTS, tuned, FACTS.accelerator("h100-sxm"), 8)
    assert adapters is not None
    assert [doubt.code for doubt in adapters.doubts] == ["adapters-not-modelled"]


def test_a_taste_weighs_only_when_it_is_set() -> None:
    """Weight 0 leaves every figure alone; weight 1 multiplies it by one plus the risk (1e-12)."""
    base = presets.preset(FACTS, "serve-70b")
    heavy = changed(base, ("preference",), {"software_weight": 1.0})
    plain, weighed = recommend(FACTS, base), recommend(FACTS, heavy)
    for one in plain.assessments:
        assert plain.standing(one).weighted == plain.standing(one).figure
    for one in weighed.assessments:
        place = weighed.standing(one)
        assert place.weighted == pytest.approx((place.figure or 0.0) * (1 + one.risk.software), rel=1e-12)
