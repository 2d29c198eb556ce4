"""Estimates of speed: within physics, of one operating point, narrower the nearer the evidence, honest without any."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.errors import InputError
from lib.records import Layout
from lib.sizing.architecture import of_model
from lib.sizing.engines import engine_defaults
from lib.sizing.serving_question import UNSTATED
from lib.sizing.throughput import (
    Conditions,
    Interval,
    Measured,
    Question,
    ThroughputEstimate,
    estimates,
    neighbours,
    sweep,
    throughput,
)

DATA = catalog.load()


def asked(
    model: str = "llama-3.3-70b",
    part: str = "mi300x",
    ranks: int = 4,
    tokens: tuple[int, int] = (1000, 500),
    concurrency: int = 32,
) -> Question:
    """A question in FP8 with vLLM's defaults."""
    accelerator = DATA.accelerator(part)
    engine = engine_defaults("vllm-v1", accelerator.memory_usable_gib, part, sum(tokens), ranks)
    return Question(
        of_model(DATA.model(model)), accelerator, Layout(ranks), engine, "fp8-tensor", "bf16", *tokens, concurrency
    )


def within(found: ThroughputEstimate) -> tuple[float, float, float]:
    """Low, estimate and high of an estimate that has a basis."""
    assert found.low is not None
    assert found.estimate is not None
    assert found.high is not None
    return found.low, found.estimate, found.high


def times(found: ThroughputEstimate) -> tuple[Interval, Interval]:
    """First token and time per token of an estimate that has both."""
    assert found.ttft_s is not None
    assert found.tpot_s is not None
    return found.ttft_s, found.tpot_s


def width(found: ThroughputEstimate) -> float:
    """High over low end."""
    low, _, high = within(found)
    return high / low


def codes(found: ThroughputEstimate) -> set[str]:
    """Codes of the doubts."""
    return {doubt.code for doubt in found.doubts}


@settings(max_examples=25, deadline=None)
@given(
    part=st.sampled_from(["mi300x", "h100-sxm", "h200-sxm", "b200-sxm", "mi355x", "a100-sxm-80g"]),
    model=st.sampled_from(["llama-3.1-8b", "deepseek-r1", "gpt-oss-120b", "qwen3-235b-a22b"]),
    concurrency=st.integers(1, 2000),
    prompt=st.integers(1, 60_000),
    output=st.integers(1, 8000),
)
def test_an_estimate_stays_within_physics(part: str, model: str, concurrency: int, prompt: int, output: int) -> None:
    """Low to high in order and at most the bound; first tokens not before their prefill; a pair for every rate."""
    found = sweep(DATA, [asked(model, part, 8, (prompt, output), concurrency)])[0]
    if not found.has_basis:
        return
    low, middle, high = within(found)
    assert found.bound is not None
    assert low <= middle <= high <= found.bound * (1 + 1e-9)
    assert found.ttft_s is not None
    assert found.ttft_bound_s is not None
    assert found.ttft_s.low <= found.ttft_s.estimate <= found.ttft_s.high
    assert found.ttft_s.low >= found.ttft_bound_s * (1 - 1e-9)
    assert (found.tpot_s is None) == (output == 1)


@settings(max_examples=15, deadline=None)
@given(concurrency=st.integers(1, 3000), prompt=st.integers(1, 30_000), output=st.integers(2, 4000))
def test_first_token_and_time_per_token_are_of_one_operating_point(concurrency: int, prompt: int, output: int) -> None:
    """Little's law holds to nine digits: concurrency x output / rate = first token + (output - 1) x time per token."""
    found = sweep(DATA, [asked(tokens=(prompt, output), concurrency=concurrency)])[0]
    if not found.has_basis:
        return
    whole = concurrency * output / within(found)[1]
    first, each = times(found)
    assert first.estimate + (output - 1) * each.estimate == pytest.approx(whole)


def test_asking_for_more_than_fits_changes_the_answer() -> None:
    """Beyond the places the rate stands still, requests wait, and the time to the first token grows with them."""
    few, many, more = sweep(DATA, [asked(tokens=(8000, 1000), concurrency=at) for at in (32, 2000, 4000)])
    assert few.waiting == 0
    assert many.waiting == 2000 - many.in_service > 0
    assert more.in_service == many.in_service
    assert more.estimate == pytest.approx(many.estimate)
    assert times(more)[0].estimate > 1.8 * times(many)[0].estimate
    assert "waits-for-cache" in codes(many)


def test_the_scheduler_limits_as_well() -> None:
    """With places for all in the cache, max_num_seqs holds the rest back."""
    question = asked(concurrency=64)
    limited = replace(question, settings=replace(question.settings, max_num_seqs=16))
    free, held = sweep(DATA, [question, limited])
    assert held.in_service == 16
    assert within(held)[1] < within(free)[1]
    assert "waits-for-scheduler" in codes(held)


def test_an_unmeasured_vendor_has_a_bound_and_nothing_else() -> None:
    """No measured basis on Gaudi 3: no point without an interval."""
    found = throughput(DATA, asked(part="gaudi3"))
    assert found.bound is not None
    assert (found.low, found.estimate, found.high, found.ttft_s, found.tpot_s) == (None,) * 5
    assert found.basis.distance == "none"
    assert "no-basis-vendor" in codes(found)


def test_parts_without_published_peaks_have_no_estimate() -> None:
    """H100 NVL has a bandwidth here and no dense peak: memory bounds it, and nothing is guessed."""
    found = throughput(DATA, asked(part="h100-nvl", ranks=1))
    assert found.estimate is None
    assert {"no-basis-peaks", "bound-without-peaks"} <= codes(found)


def test_what_nobody_has_measured_is_wider() -> None:
    """High over low on A100 (no usable row) above H100's; on a model without a row above one with rows."""
    seen, part, model = sweep(
        DATA,
        [asked(part="h100-sxm"), asked(part="a100-sxm-80g"), asked("qwen2.5-72b", "h100-sxm")],
    )
    assert (seen.basis.distance, part.basis.distance, model.basis.distance) == ("seen", "new-part", "new-model")
    assert width(part) > width(seen)
    assert "part-not-measured" in codes(part)
    assert part.basis.part_rows == 0 < seen.basis.part_rows


def test_weights_beyond_the_memory_do_not_run() -> None:
    """Llama 3.1 405B on one H100: neither bound nor estimate, every request waits."""
    found = throughput(DATA, asked("llama-3.1-405b", "h100-sxm", 1))
    assert found.bound is None
    assert not found.has_basis
    assert found.waiting == 32
    assert codes(found) == {"no-place"}


def test_own_results_narrow_the_interval_at_once() -> None:
    """Two runs at other loads a third below the estimate: the interval follows, narrows, and says whose they are."""
    question = asked(concurrency=64)
    without = throughput(DATA, question)
    others = sweep(DATA, [replace(question, concurrency=at) for at in (16, 128)])
    own = tuple(Measured(one.question, within(one)[1] * 2 / 3) for one in others)
    found = throughput(DATA, question, own)
    assert width(found) < 0.75 * width(without)
    assert within(found)[1] == pytest.approx(within(without)[1] * 2 / 3, rel=0.12)
    assert found.basis.distance == "own"
    assert found.basis.own_rows == 2
    assert "own-rows" in codes(found)


def test_own_results_on_another_part_say_something_too() -> None:
    """A stack that runs twice as fast as expected on H200 raises the estimate on MI300X."""
    expected = throughput(DATA, asked(part="h200-sxm"))
    own = (Measured(expected.question, within(expected)[1] * 1.4),)
    assert within(throughput(DATA, asked(), own))[1] > within(throughput(DATA, asked()))[1]


def test_many_at_once_equal_one_at_a_time() -> None:
    """The sweep and the arrays give what single questions give, to nine digits."""
    questions = [asked(part=part, concurrency=at) for part in ("mi300x", "h100-sxm") for at in (1, 64)]
    columns = estimates(DATA, questions)
    for at, one in enumerate(sweep(DATA, questions)):
        alone = throughput(DATA, questions[at])
        assert one.estimate == pytest.approx(alone.estimate) == columns.estimate[at]
        assert times(one)[1].high == pytest.approx(times(alone)[1].high) == columns.tpot_s[at, 2]
        assert (one.basis, one.doubts, one.nearest) == (alone.basis, alone.doubts, ())


def test_nearest_rows_lead_to_their_sources() -> None:
    """Five rows of the serving table, most alike first, with the source that the table names for each."""
    table = DATA.measured["serving"]
    found = neighbours(DATA, asked("deepseek-r1", "mi355x", 8))
    assert len(found) == 5
    for one in found:
        assert table.loc[one.row, "source_id"] == one.source_id
        assert table.loc[one.row, "accelerator_id"] == one.accelerator_id
        assert one.source_id in DATA.sources
    assert found[0].accelerator_id == "mi355x"
    assert found[0].model_id == "deepseek-r1"


def test_unstated_conditions_widen_the_interval() -> None:
    """Nobody says how old the software is: the interval is wider than for today's."""
    question = asked()
    today, unstated = sweep(DATA, [question, replace(question, conditions=Conditions(date=UNSTATED))])
    assert width(unstated) > width(today)
    assert "conditions-unstated" in codes(unstated)


def test_old_software_is_slower() -> None:
    """The same deployment with software of October 2024."""
    question = asked()
    old = replace(question, conditions=Conditions(date="2024-10"))
    assert within(throughput(DATA, old))[1] < within(throughput(DATA, question))[1]


def test_speculation_is_marked_and_may_pass_the_bound() -> None:
    """The bound is one token a step."""
    found = throughput(DATA, replace(asked(), conditions=Conditions(speculative=True)))
    assert "speculative" in codes(found)


def test_a_load_outside_of_what_was_measured_is_marked() -> None:
    """A prompt of 500,000 tokens of a model that can have it."""
    found = throughput(DATA, asked("llama-4-scout", "mi300x", 8, (500_000, 100), 1))
    assert "load-outside" in codes(found)


def test_most_rows_of_a_part_by_sellers_are_marked() -> None:
    """Nearly all runs on MI355X are AMD's own."""
    assert "interested-basis" in codes(throughput(DATA, asked("deepseek-r1", "mi355x", 8)))


def test_counts_below_one_are_refused() -> None:
    """By the name of the field."""
    with pytest.raises(InputError, match="concurrency"):
        throughput(DATA, asked(concurrency=0))
    with pytest.raises(InputError, match="output_tokens_per_s"):
        throughput(DATA, asked(), (Measured(asked(), 0.0),))
