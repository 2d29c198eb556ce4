"""Estimates for a scenario: of its own layout and load, in intervals below the bound, and narrowed by the user's own runs."""

import math

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.operating_points import operating_points
from lib.choice.own_parts import with_own_parts
from lib.choice.own_rows import read_own_rows
from lib.choice.scenario import OwnPart, Scenario, Workload
from lib.choice.serving_view import ServingView, serving_view
from lib.choice.sized import replica
from lib.choice.throughput_view import (
    Band,
    ThroughputView,
    loads_of,
    nearest_rows,
    neighbour_rows,
    own_results,
    throughput_view,
)
from lib.present import throughput as words_of
from lib.present.text import words
from lib.sizing.throughput import basis_of
from tests.test_own_rows import TTFT, csv_of

FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b")
RUNS = FACTS.measured["serving"]


def parts_of(scenario: Scenario) -> tuple[str, ...]:
    """The parts of a scenario, each once."""
    return tuple(dict.fromkeys(one.accelerator for one in scenario.candidates))


def charted(scenario: Scenario, **asked: str) -> ServingView | None:
    """The runs that the page charts for a scenario."""
    parts = parts_of(scenario)
    return serving_view(operating_points(RUNS, "", parts), parts, scenario.workload, **asked)


def viewed(scenario: Scenario, own: bytes = b"", **asked: str) -> ThroughputView:
    """The estimates of a scenario."""
    parts = [FACTS.accelerators[one] for one in parts_of(scenario)]
    rows = read_own_rows(FACTS, own) if own else None
    return throughput_view(FACTS, scenario.workload, scenario.engine, parts, charted(scenario, **asked), rows)


@pytest.mark.parametrize("preset", list(FACTS.presets))
def test_every_estimate_is_an_interval_below_its_bound(preset: str) -> None:
    """For each part and at each load drawn: low <= estimate <= high <= bound, or no end at all (1e-9)."""
    scenario = presets.preset(FACTS, preset)
    view = viewed(scenario)
    for one in view.parts:
        found = one.estimate
        assert (found is None) == (one.doubt is not None)
        if found is not None and found.low is not None:
            assert found.bound is not None
            assert found.estimate is not None
            assert found.high is not None
            assert found.low <= found.estimate <= found.high <= found.bound * (1 + 1e-9)
    for curves in view.curves.values():
        assert curves.loads[0] <= scenario.workload.concurrency <= curves.loads[-1]
        for place, bound in enumerate(curves.throughput.bound):
            found_here = curves.throughput.at(place)
            ends = {line[place] is None for line in (curves.throughput.low, curves.throughput.high)}
            assert ends == {found_here is None}
            assert found_here is None or (bound is not None and found_here.high <= bound * (1 + 1e-9))


def test_a_replica_is_the_one_that_the_memory_page_shows() -> None:
    """As many GPUs as the fewest of one server hold the load; per GPU times GPUs is the deployment (1e-12)."""
    view = viewed(SERVE)
    for one in view.parts:
        assert one.layout is not None
        assert one.layout.gpus == replica(FACTS, SERVE.workload, SERVE.engine, one.accelerator).gpus
        assert one.estimate is not None
        per_gpu = one.per_gpu(one.estimate.high)
        assert per_gpu is not None
        assert per_gpu * one.layout.gpus == pytest.approx(one.estimate.high, rel=1e-12)


def test_rate_and_both_times_are_of_one_operating_point() -> None:
    """Requests x answer / rate = first token + (answer - 1) x time per token, at each load of each curve (1e-9)."""
    view = viewed(SERVE)
    assert view.charted is not None
    for curves in view.curves.values():
        for place, load in enumerate(curves.loads):
            rate, first, token = (one.at(place) for one in (curves.throughput, curves.ttft_ms, curves.tpot_ms))
            assert rate is not None and first is not None and token is not None  # noqa: PT018
            whole_ms = 1000 * load * view.charted.output_tokens / (rate.estimate * curves.gpus)
            answer_ms = first.estimate + (view.charted.output_tokens - 1) * token.estimate
            assert answer_ms == pytest.approx(whole_ms, rel=1e-9)


def test_the_bound_of_one_request_is_the_time_of_reading_the_weights() -> None:
    """8.03e9 parameters less 0.525e9 of embeddings at 2 bytes over 3.35 TB/s of an H100: 223 tokens/s, by hand (1 %)."""
    scenario = presets.preset(FACTS, "chat-low-latency")
    workload = scenario.workload.model_copy(update={"input_tokens": 1, "output_tokens": 256, "concurrency": 1})
    view = throughput_view(FACTS, workload, scenario.engine, [FACTS.accelerators["h100-sxm"]], None)
    (one,) = view.parts
    assert one.estimate is not None
    assert one.per_gpu(one.estimate.bound) == pytest.approx(3.35e12 / (2 * (8.03e9 - 0.525e9)), rel=0.01)


def test_curves_are_of_the_lengths_that_are_charted() -> None:
    """Bands are computed for the lengths of the points beside them, and for the scenario's own where these are chosen."""
    beside = viewed(SERVE)
    shown = charted(SERVE)
    assert shown is not None and shown.shape is not None  # noqa: PT018
    assert beside.charted is not None
    assert (beside.charted.input_tokens, beside.charted.output_tokens) == (
        shown.shape.input_tokens,
        shown.shape.output_tokens,
    )
    assert not beside.charts_own_load
    alone = viewed(SERVE, shape="4096x512")
    assert alone.charts_own_load
    for one in alone.parts[:2]:
        curves = alone.curves[one.accelerator.accelerator_id]
        here = curves.asked
        assert here is not None and one.estimate is not None  # noqa: PT018
        assert here.estimate == pytest.approx(one.per_gpu(one.estimate.estimate), rel=1e-9)


def test_what_was_never_measured_can_be_asked_for() -> None:
    """A model without a run stands alone with its own lengths and nothing charted; by default a measured one is shown."""
    scenario = presets.preset(FACTS, "multimodal")
    model = scenario.workload.model
    assert model not in set(RUNS["model_id"])
    default, alone = charted(scenario), charted(scenario, model=model)
    assert default is not None and alone is not None  # noqa: PT018
    assert default.model_id != model
    assert (alone.model_id, len(alone.charted), alone.doubts) == (model, 0, ())
    assert [one.code for one in alone.shapes] == ["8192x512"]
    assert len(viewed(scenario, model=model).curves) == 2


def test_total_tokens_are_charted_as_total_tokens() -> None:
    """Where the points count all tokens, so does the band: output times (input + output) / output (1e-9)."""
    scenario = presets.preset(FACTS, "deepseek-v4")
    shown = charted(scenario)
    assert shown is not None
    assert shown.metric == "total_tokens_per_s_per_gpu"
    view = viewed(scenario)
    assert view.charts_own_load
    workload = scenario.workload
    one = view.parts[0]
    curves = view.curves[one.accelerator.accelerator_id]
    drawn = curves.asked
    assert drawn is not None and one.estimate is not None and one.estimate.estimate is not None  # noqa: PT018
    whole = (workload.input_tokens + workload.output_tokens) / workload.output_tokens
    assert drawn.estimate * curves.gpus == pytest.approx(one.estimate.estimate * whole, rel=1e-9)


def test_requests_beyond_what_the_scheduler_runs_wait() -> None:
    """With 16 sequences at most 48 of 64 wait, the sentence says so, and more requests add nothing to the bound (1e-9)."""
    engine = SERVE.engine.model_copy(update={"max_num_seqs": 16})
    part = FACTS.accelerators["mi300x"]
    view = throughput_view(FACTS, SERVE.workload, engine, [part], charted(SERVE, shape="4096x512"))
    (one,) = view.parts
    assert one.estimate is not None
    assert (one.estimate.in_service, one.estimate.waiting) == (16, 48)
    assert (
        "The scheduler runs 16 sequences at most; 48 requests wait." in words_of.sentences(FACTS, view, words("en"))[0]
    )
    curves = view.curves["mi300x"]
    bounds = [bound for load, bound in zip(curves.loads, curves.throughput.bound, strict=True) if load >= 16]
    assert bounds == pytest.approx([bounds[0]] * len(bounds), rel=1e-9)


RUN_OF_OWN = {
    "accelerator_id": "mi300x", "accelerator_count": "2", "tensor_parallel": "2", "weight_format": "bf16",
    "concurrency": "32", "date": "2026-11-20",
}  # fmt: skip


def test_own_runs_narrow_the_interval_and_pull_it() -> None:
    """400 tokens/s at 32 requests on the scenario's own layout: narrower by a third or more, higher, and marked as own."""
    asked = viewed(SERVE)
    mine = viewed(SERVE, csv_of({**RUN_OF_OWN, "value": "400"}))
    before = next(one for one in asked.parts if one.accelerator.accelerator_id == "mi300x").estimate
    after = next(one for one in mine.parts if one.accelerator.accelerator_id == "mi300x").estimate
    assert before is not None
    assert after is not None
    narrower = (after.high or math.inf) / (after.low or 0) / ((before.high or 0) / (before.low or math.inf))
    assert narrower < 0.67
    assert (after.estimate or 0) > (before.estimate or math.inf)
    assert (after.basis.distance, after.basis.own_rows, mine.own_rows) == ("own", 1, 1)
    text = words_of.sentences(FACTS, mine, words("en"))
    assert all("of your own" in one for one in text)


def test_what_an_estimate_takes_is_whole_and_per_deployment() -> None:
    """250 per GPU on eight is 2,000; a queue-limited or unloaded row is no basis."""
    per_gpu = {"value": "250", "unit": "tokens/s/gpu", "unit_basis": "gpu"}
    own = read_own_rows(FACTS, csv_of(per_gpu, {"queue_limited": "yes"}, {"concurrency": ""}, TTFT))
    (found,) = own_results(FACTS, own)
    question = found.question
    assert (found.output_tokens_per_s, found.label) == (2000.0, "line 2")
    assert (question.layout.gpus, question.replicas, question.weight_format, question.concurrency) == (8, 1, "bf16", 64)
    assert own_results(FACTS, None) == ()


def test_a_part_of_the_readers_own_fits_nothing_anew_and_is_computed() -> None:
    """The basis is the same object; with a bandwidth there is a bound and an interval of other parts, without none."""
    stated = (
        OwnPart(name="Mine", vendor="AMD", memory_gib=200.0, memory_bandwidth_tbs=6.0, fp16_bf16_dense_tflops=1500.0,
                fp8_dense_tflops=3000.0, fp4_dense_tflops=6000.0),
        OwnPart(name="Other", memory_gib=200.0),
    )  # fmt: skip
    facts = with_own_parts(FACTS, stated)
    assert basis_of(facts) is basis_of(FACTS)
    parts = [facts.accelerators["own-1"], facts.accelerators["own-2"]]
    shown = serving_view(operating_points(RUNS, "", ("own-1", "own-2")), ("own-1", "own-2"), SERVE.workload)
    view = throughput_view(facts, SERVE.workload, SERVE.engine, parts, shown)
    known, unknown = (one.estimate for one in view.parts)
    assert known is not None and known.bound is not None and known.low is not None  # noqa: PT018
    assert known.basis.distance == "new-part"
    assert unknown is not None and unknown.bound is None  # noqa: PT018
    assert list(view.curves) == ["own-1"]
    first, second = words_of.sentences(facts, view, words("en"))
    assert "Runs on this part: **none**" in first
    assert "No source states the memory bandwidth" in second


def test_a_vendor_without_runs_gets_a_bound_alone() -> None:
    """A stated part of another vendor has its bound and no end of an interval anywhere."""
    facts = with_own_parts(FACTS, (OwnPart(name="Else", vendor="Intel", memory_gib=200.0, memory_bandwidth_tbs=4.0),))
    shown = serving_view(operating_points(RUNS, "", ("own-1",)), ("own-1",), SERVE.workload)
    view = throughput_view(facts, SERVE.workload, SERVE.engine, [facts.accelerators["own-1"]], shown)
    assert "no measured basis, bound only" in words_of.sentences(facts, view, words("en"))[0]
    band: Band = view.curves["own-1"].throughput
    assert set(band.low) == set(band.high) == set(band.estimate) == {None}
    assert all(one is not None and math.isfinite(one) for one in band.bound)
    assert words_of.table(facts, view, words("en"))["Output tokens/s per GPU"].tolist() == ["no measured basis"]


def test_loads_enclose_the_runs_and_the_scenario_and_stand_still_between() -> None:
    """They reach from the lowest to the highest; without runs from one to beyond; an edit inside moves none of them."""
    assert (loads_of([4.0, 512.0], 100)[0], loads_of([4.0, 512.0], 100)[-1]) == (4, 512)
    assert loads_of([4.0, 512.0], 100) == loads_of([4.0, 512.0], 101)
    assert loads_of([8.0], 700)[-1] >= 700
    assert loads_of([], 7)[0] == 1
    assert loads_of([], 100_000)[-1] >= 400_000


def test_nearest_rows_are_rows_of_the_table() -> None:
    """Five a part, each with the source, the part and the model that its label in the table has."""
    for _part, found in nearest_rows(FACTS, viewed(SERVE)):
        assert len(found) == 5
        rows = neighbour_rows(FACTS, found)
        assert [one.source_id for one in found] == list(rows["source_id"])
        assert [one.accelerator_id for one in found] == list(rows["accelerator_id"])
        assert [one.model_id for one in found] == list(rows["model_id"])


def test_training_is_not_computed() -> None:
    """A training workload has no estimate and no curve, and says why."""
    scenario = presets.preset(FACTS, "pretrain-256")
    view = viewed(scenario)
    assert all(one.estimate is None and one.doubt is not None for one in view.parts)
    assert view.curves == {}
    assert view.charted is None
    assert isinstance(view.workload, Workload)
