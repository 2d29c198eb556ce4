"""Whether a model fits: the answers that public tools get wrong, the parts of a plan, and the inverse questions."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import catalog
from lib.errors import InputError, UnknownNameError
from lib.records import Accelerator, Architecture, KvFormat, Layout
from lib.sizing import fit
from lib.sizing.architecture import of_model
from lib.sizing.engines import EngineSettings, engine_defaults
from lib.sizing.kv_cache import bytes_per_token
from lib.sizing.layouts import RULES, Rule
from lib.sizing.memory import MemoryPlan
from lib.sizing.overhead import NO_WORKSPACE, Workspace, stated
from lib.units import GB, GIB

CATALOG = catalog.load()
FORMATS = CATALOG.weight_formats
VLLM = engine_defaults("vllm-v1", 79.18, "h100-sxm")

LLAMA_70B = of_model(CATALOG.model("llama-3.1-70b"))
LLAMA_405B = of_model(CATALOG.model("llama-3.1-405b"))
QWEN_235B = of_model(CATALOG.model("qwen3-235b-a22b"))
DEEPSEEK_V3 = of_model(CATALOG.model("deepseek-v3"))

Load = tuple[str, KvFormat, int, int]
ModelOn = tuple[Architecture, float, Layout, EngineSettings, str, KvFormat]

LONG: Load = ("bf16", "bf16", 131_072, 1)
BATCH: Load = ("bf16", "bf16", 32_768, 16)
BATCH_FP8: Load = ("fp8-block128", "bf16", 32_768, 16)


def fewest(
    model: Architecture, part: str, load: Load, rule: Rule, workspace: Workspace | None = NO_WORKSPACE
) -> fit.FewestGpus:
    """The smallest replica of a part of the catalogue."""
    weight_format, kv_format, length, sequences = load
    return fit.fewest_gpus(
        model,
        CATALOG.accelerator(part),
        weight_format,
        kv_format,
        length,
        sequences,
        FORMATS,
        rule,
        workspace=workspace,
    )


def plan_on(
    part: str, layout: Layout, load: Load, model: Architecture = LLAMA_70B, workspace: Workspace | None = NO_WORKSPACE
) -> MemoryPlan:
    """One plan on a part of the catalogue."""
    memory = CATALOG.accelerator(part).memory_usable_gib
    weight_format, kv_format, length, sequences = load
    settings = engine_defaults("vllm-v1", memory, part)
    return fit.plan(
        model, memory, layout, settings, weight_format, kv_format, length, sequences, FORMATS, workspace=workspace
    )


@pytest.mark.parametrize(("part", "gpus"), [("h100-sxm", 4), ("h200-sxm", 2), ("mi300x", 1)])
def test_a_70b_model_with_one_full_context_needs_these_gpus_of_one_server(part: str, gpus: int) -> None:
    """Llama 3.1 70B bf16, 131,072 tokens, one sequence, 90 %, no workspace: 4 H100 (not 3), 2 H200, 1 MI300X."""
    found = fewest(LLAMA_70B, part, LONG, "one-server")
    assert found.gpus == gpus
    assert found.layout == Layout(gpus)


def test_a_70b_model_leaves_1_4_gib_on_one_mi300x_and_the_answer_says_that_an_engine_breaks_it() -> None:
    """172.78 GiB less 141.1 GB of weights and 42.9 GB of cache leave 1.4 GiB (0.05), which no engine's workspace fits in."""
    bare = plan_on("mi300x", Layout(1), LONG)
    assert bare.slack_bytes is not None
    assert bare.slack_bytes / GIB == pytest.approx(1.4, abs=0.05)
    real = plan_on("mi300x", Layout(1), LONG, workspace=None)
    assert real.verdict == "does-not-start"
    assert real.reason.code == "context"
    assert fewest(LLAMA_70B, "mi300x", LONG, "one-server", None).gpus == 2


def test_pipeline_stages_fit_a_70b_model_on_three_h100() -> None:
    """All layouts: 27 of 80 layers on the fullest of three GPUs."""
    found = fewest(LLAMA_70B, "h100-sxm", LONG, "all-layouts")
    assert (found.gpus, found.layout) == (3, Layout(1, 3))
    assert found.plan is not None
    assert max(found.plan.stages) == 27


@pytest.mark.parametrize(("part", "gpus"), [("h100-sxm", 16), ("h200-sxm", 8), ("mi300x", 4)])
def test_a_235b_mixture_needs_these_gpus_with_tensor_parallelism(part: str, gpus: int) -> None:
    """Qwen3-235B-A22B bf16, 16 sequences of 32,768 tokens, 90 %, no workspace: 16 H100 (not 7), 8 H200, 4 MI300X."""
    found = fewest(QWEN_235B, part, BATCH, "one-server")
    assert found.gpus == gpus
    assert ("across-servers" in {doubt.code for doubt in found.doubts}) == (gpus > 8)


@pytest.mark.parametrize(("part", "layout"), [("h100-sxm", Layout(4, 2)), ("h200-sxm", Layout(1, 5))])
def test_a_235b_mixture_fits_these_layouts_among_all(part: str, layout: Layout) -> None:
    """With 2 GiB of workspace: 8 H100 as TP4 PP2, 5 H200 as PP5."""
    assert fewest(QWEN_235B, part, BATCH, "all-layouts", stated(2 * GIB)).layout == layout


@pytest.mark.parametrize("part", ["mi300x", "h200-sxm"])
def test_deepseek_v3_needs_eight_gpus_and_its_latent_cache_is_said_to_be_copied(part: str) -> None:
    """DeepSeek-V3 fp8, 16 sequences of 32,768 tokens, 90 %: 8 MI300X, 8 H200, the latent whole on each of 8 ranks."""
    found = fewest(DEEPSEEK_V3, part, BATCH_FP8, "one-server")
    assert found.gpus == 8
    assert {"copies": 8} in [doubt.values for doubt in found.doubts if doubt.code == "latent-replicated"]


@pytest.mark.parametrize(
    ("part", "gpus", "layout"),
    [("mi300x", 5, Layout(1, 5)), ("h200-sxm", 6, Layout(2, 3)), ("h100-sxm", 11, Layout(1, 11))],
)
def test_deepseek_v3_fits_these_layouts_among_all(part: str, gpus: int, layout: Layout) -> None:
    """With 2 GiB of workspace: 5 MI300X (PP5), 6 H200 (TP2 PP3, the dense layers in the longer stage), 11 H100."""
    found = fewest(DEEPSEEK_V3, part, BATCH_FP8, "all-layouts", stated(2 * GIB))
    assert (found.gpus, found.layout) == (gpus, layout)


def test_llama_405b_needs_four_mi300x_in_one_server_and_three_in_stages() -> None:
    """Llama 3.1 405B fp8, 32,768 tokens, one sequence, on vLLM with its workspace."""
    load: Load = ("fp8-channel", "bf16", 32_768, 1)
    assert fewest(LLAMA_405B, "mi300x", load, "one-server", None).layout == Layout(4)
    assert fewest(LLAMA_405B, "mi300x", load, "all-layouts", None).layout == Layout(1, 3)


def test_a_hundred_users_share_one_copy_of_the_weights() -> None:
    """Weights once, cache for each sequence: 100 sequences need 100 times the cache of one and the same weights."""
    one = plan_on("mi300x", Layout(8), ("bf16", "bf16", 8_192, 1))
    hundred = plan_on("mi300x", Layout(8), ("bf16", "bf16", 8_192, 100))
    assert hundred.weights_bytes == one.weights_bytes
    assert hundred.needed_bytes == pytest.approx(100 * one.needed_bytes)


def test_a_mixture_of_experts_is_not_sized_by_its_active_parameters() -> None:
    """DeepSeek-V3 activates 37.6 B of 671 B parameters; all of them must be resident, so one H200 does not start."""
    plan = plan_on("h200-sxm", Layout(1), ("fp8-block128", "bf16", 4_096, 1), DEEPSEEK_V3, None)
    assert (plan.verdict, plan.reason.code) == ("does-not-start", "weights")
    assert plan.weights_bytes > 671 * GB


def test_vendor_labels_are_not_memory() -> None:
    """Two parts labelled 288 GB: 267.69 GiB on B300 and 287.98 GiB on MI355X, as the runtime reports them."""
    plans = [plan_on(part, Layout(1), ("bf16", "bf16", 8_192, 1)) for part in ("b300-sxm", "mi355x")]
    assert [(plan.memory_bytes or 0) / GIB for plan in plans] == pytest.approx([267.69, 287.98])


def test_the_answer_fits_and_one_gpu_fewer_does_not() -> None:
    """No layout with fewer GPUs than the answer fits the load, under either rule."""
    part = CATALOG.accelerator("h100-sxm")
    for rule in RULES:
        found = fewest(QWEN_235B, "h100-sxm", BATCH, rule, stated(2 * GIB))
        assert found.plan is not None
        assert found.plan.slack_bytes is not None
        assert found.plan.slack_bytes >= 0
        for layout in fit.legal_layouts(QWEN_235B, part.gpus_per_node, part.max_scale_up_gpus, rule):
            if found.gpus is not None and layout.gpus < found.gpus:
                smaller = plan_on("h100-sxm", layout, BATCH, QWEN_235B, stated(2 * GIB))
                assert smaller.slack_bytes is not None
                assert smaller.slack_bytes < 0, layout


def test_a_part_without_known_memory_gets_no_count() -> None:
    """Where neither runtime nor driver figure is known nothing is computed from the label."""
    found = fewest(LLAMA_70B, "h100-pcie", LONG, "one-server")
    assert (found.gpus, found.layout) == (None, None)
    assert [doubt.code for doubt in found.doubts] == ["unknown-memory"]
    assert plan_on("h100-pcie", Layout(4), LONG).verdict == "unknown-memory"


def test_a_model_that_fits_no_replica_says_so() -> None:
    """A search that ends without an answer says where it ended."""
    part = CATALOG.accelerator("l40s")
    found = fit.fewest_gpus(DEEPSEEK_V3, part, "bf16", "bf16", 4_096, 1, FORMATS, most_gpus=8)
    assert found.gpus is None
    assert [(doubt.code, doubt.values) for doubt in found.doubts] == [("none-fits", {"most_gpus": 8})]


memories = st.floats(10, 400)
lengths = st.integers(256, 131_072)
counts = st.integers(1, 64)


@given(memories, lengths, counts)
def test_parts_sum_to_the_total(memory: float, length: int, sequences: int) -> None:
    """Weights + workspace + cache capacity = budget, and with the load's cache and what is free = memory, to a byte."""
    plan = fit.plan(LLAMA_70B, memory, Layout(8), VLLM, "bf16", "bf16", length, sequences, FORMATS)
    assert plan.cache_bytes is not None
    assert plan.budget_bytes is not None
    assert plan.free_bytes is not None
    assert plan.memory_bytes is not None
    used = plan.weights_bytes + plan.workspace.base_bytes
    assert used + plan.cache_bytes == pytest.approx(plan.budget_bytes, abs=1)
    assert used + plan.needed_bytes + plan.free_bytes == pytest.approx(plan.memory_bytes, abs=1)


@given(memories, st.floats(0, 100), lengths, counts)
def test_more_memory_never_stops_fitting(memory: float, more: float, length: int, sequences: int) -> None:
    """Slack grows with memory, and a verdict of fits stays."""
    first = fit.plan(LLAMA_70B, memory, Layout(4), VLLM, "bf16", "bf16", length, sequences, FORMATS)
    second = fit.plan(LLAMA_70B, memory + more, Layout(4), VLLM, "bf16", "bf16", length, sequences, FORMATS)
    assert (second.slack_bytes or 0) >= (first.slack_bytes or 0) - 1
    assert first.verdict != "fits" or second.verdict == "fits"


@given(lengths, st.integers(0, 8_192), counts)
def test_more_tokens_never_need_less(length: int, more: int, sequences: int) -> None:
    """The cache of a longer context, or of one more sequence, is at least as large."""
    common: ModelOn = (DEEPSEEK_V3, 191.98, Layout(8), VLLM, "fp8-block128", "bf16")
    needed = fit.plan(*common, length, sequences, FORMATS).needed_bytes
    assert fit.plan(*common, length + more, sequences, FORMATS).needed_bytes >= needed
    assert fit.plan(*common, length, sequences + 1, FORMATS).needed_bytes >= needed


def test_units_survive() -> None:
    """The same 80 GB part stated as GB and as GiB gives the same plan, and not that of 80 GiB."""
    load: Load = ("bf16", "bf16", 8_192, 1)
    stated_in_gb = fit.plan(LLAMA_70B, 80 * GB / GIB, Layout(4), VLLM, *load, FORMATS)
    assert stated_in_gb.memory_bytes == pytest.approx(80e9)
    taken_as_gib = fit.plan(LLAMA_70B, 80, Layout(4), VLLM, *load, FORMATS)
    difference = (taken_as_gib.slack_bytes or 0) - (stated_in_gb.slack_bytes or 0)
    assert difference == pytest.approx(0.9 * (80 * GIB - 80 * GB))


@pytest.mark.parametrize("sequences", [1, 16])
def test_the_longest_context_fits_and_one_block_more_does_not(sequences: int) -> None:
    """Longest context and plan agree at the frontier."""
    common: ModelOn = (LLAMA_70B, 79.18, Layout(4), VLLM, "bf16", "bf16")
    length = fit.longest_context(*common, sequences, FORMATS)
    assert 0 < length < LLAMA_70B.max_context or sequences == 1
    assert (fit.plan(*common, length, sequences, FORMATS).slack_bytes or 0) >= 0
    if length < LLAMA_70B.max_context:
        longer = fit.plan(*common, length + VLLM.block_size, sequences, FORMATS)
        assert (longer.slack_bytes or 0) < 0


def test_the_most_sequences_fit_and_one_more_does_not() -> None:
    """Most sequences and plan agree at the frontier, and the weights are counted once."""
    common: ModelOn = (LLAMA_70B, 191.98, Layout(2), VLLM, "bf16", "bf16")
    most = fit.most_sequences(*common, 8_192, FORMATS)
    assert (fit.plan(*common, 8_192, most, FORMATS).slack_bytes or 0) >= 0
    assert (fit.plan(*common, 8_192, most + 1, FORMATS).slack_bytes or 0) < 0
    per_sequence = bytes_per_token(LLAMA_70B.groups, 8_192, "bf16", 2) * 8_192
    assert most == math.floor((fit.plan(*common, 8_192, 1, FORMATS).cache_bytes or 0) / float(per_sequence))


def test_a_verdict_has_its_reason() -> None:
    """Each verdict with the case that brings it about, H100 with 79.18 GiB and four ranks."""

    def judged(length: int, sequences: int, settings: EngineSettings = VLLM) -> tuple[str, str]:
        plan = fit.plan(LLAMA_70B, 79.18, Layout(4), settings, "bf16", "bf16", length, sequences, FORMATS)
        return plan.verdict, plan.reason.code

    assert judged(8_192, 1) == ("fits", "none")
    assert judged(131_072, 4) == ("fits-only-if", "sequences")
    assert judged(8_192, 1, replace(VLLM, gpu_memory_utilization=0.995)) == ("fits-only-if", "outside-budget")
    assert judged(8_192, 1, replace(VLLM, gpu_memory_utilization=0.44)) == ("does-not-start", "workspace")
    assert judged(8_192, 1, replace(VLLM, gpu_memory_utilization=0.3)) == ("does-not-start", "weights")


def test_a_tight_fit_is_marked() -> None:
    """A load between the expected and the high workspace fits only if the workspace is what is expected."""
    common: ModelOn = (LLAMA_70B, 79.18, Layout(4), VLLM, "bf16", "bf16")
    plan = fit.plan(*common, fit.longest_context(*common, 4, FORMATS), 4, FORMATS)
    assert (plan.verdict, plan.reason.code) == ("fits-only-if", "tight")
    assert (plan.slack_low_bytes or 0) < 0 <= (plan.slack_bytes or 0) <= (plan.slack_high_bytes or 0)
    assert plan.starts


@pytest.mark.parametrize(
    ("length", "sequences", "layout", "code"),
    [
        (8_192, 1, Layout(4), None),
        (131_072, 6, Layout(4), "fp8-cache"),
        (131_072, 16, Layout(4), "fewer-sequences"),
        (131_072, 1, Layout(2), "shorter-context"),
        (8_192, 1, Layout(1), "more-gpus"),
    ],
)
def test_the_cheapest_change_makes_it_fit(length: int, sequences: int, layout: Layout, code: str | None) -> None:
    """What costs nothing comes before what loses something, and that before more GPUs."""
    settings = replace(VLLM, max_num_seqs=64, gpu_memory_utilization=0.95)
    change = fit.cheapest_change(LLAMA_70B, 79.18, layout, settings, "bf16", "bf16", length, sequences, FORMATS)
    assert (change.code if change else None) == code


def test_fewer_scheduled_sequences_free_the_sampler() -> None:
    """1,024 sequences of 128,256 logits cost 4.7 GiB; where a quarter of them is enough that is the cheapest change."""
    common = (LLAMA_70B, 79.18, Layout(4))
    length = fit.longest_context(*common, replace(VLLM, max_num_seqs=256), "bf16", "bf16", 4, FORMATS)
    change = fit.cheapest_change(*common, VLLM, "bf16", "bf16", length, 4, FORMATS)
    assert change is not None
    assert (change.code, change.values) == ("fewer-scheduled", {"max_num_seqs": 256})


def test_blocks_of_fp8_must_fill_a_rank() -> None:
    """Engines refuse Qwen3-235B in fp8 blocks on 8 ranks: 1,536 / 8 = 192 is no multiple of 128; whole experts are fine."""
    load: Load = ("fp8-block128", "bf16", 8_192, 1)
    cut = plan_on("h200-sxm", Layout(8), load, QWEN_235B)
    whole = plan_on("h200-sxm", Layout(1, 1, 8, True), load, QWEN_235B)
    assert "fp8-blocks" in {doubt.code for doubt in cut.doubts}
    assert "fp8-blocks" not in {doubt.code for doubt in whole.doubts}


def test_data_parallel_ranks_share_the_sequences() -> None:
    """Sixteen sequences on four data-parallel ranks are four on each."""
    plan = plan_on("h200-sxm", Layout(1, 1, 8, True), BATCH_FP8, DEEPSEEK_V3)
    assert plan.needed_bytes == pytest.approx(2 * 32_768 * 70_272)


@pytest.mark.parametrize(
    ("memory", "change"),
    [
        (0.0, {}),
        (math.nan, {}),
        (80.0, {"gpu_memory_utilization": 0.0}),
        (80.0, {"gpu_memory_utilization": 1.5}),
        (80.0, {"max_num_seqs": 0}),
    ],
)
def test_numbers_outside_their_meaning_are_refused(memory: float, change: dict[str, Any]) -> None:
    """A memory, a fraction or a count that cannot be is an error, not an answer."""
    with pytest.raises(InputError):
        fit.plan(LLAMA_70B, memory, Layout(4), replace(VLLM, **change), "bf16", "bf16", 8_192, 1, FORMATS)


def test_an_unknown_rule_names_the_nearest() -> None:
    """A rule that is not one of the two is refused."""
    with pytest.raises(UnknownNameError, match="one-server"):
        fit.legal_layouts(LLAMA_70B, 8, 8, "one-servers")


def test_legal_layouts_divide_and_stay_within_the_domain() -> None:
    """Every layout divides heads and experts, and tensor parallelism stays inside the scale-up domain."""
    for layout in fit.legal_layouts(DEEPSEEK_V3, 8, 8, "all-layouts"):
        assert fit.divides(DEEPSEEK_V3, layout.tensor_parallel_size)
        assert layout.tensor_parallel_size <= 8
        assert layout.pipeline_parallel_size <= DEEPSEEK_V3.layers
        if layout.expert_parallel:
            assert DEEPSEEK_V3.n_experts % (layout.tensor_parallel_size * layout.data_parallel_size) == 0
    rack = fit.legal_layouts(DEEPSEEK_V3, 4, 72, "all-layouts")
    assert max(layout.tensor_parallel_size for layout in rack) > 8


def test_a_part_without_a_server_is_taken_with_eight() -> None:
    """H100 NVL states neither server nor domain; tensor parallelism up to 8 is inside."""
    part: Accelerator = CATALOG.accelerator("h100-nvl")
    assert part.gpus_per_node is None
    found = fit.fewest_gpus(LLAMA_70B, part, "bf16", "bf16", 8_192, 1, FORMATS)
    assert "across-servers" not in {doubt.code for doubt in found.doubts}
