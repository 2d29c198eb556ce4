"""Training memory: published vectors to their printed digits, and what must hold for every setup."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.errors import InputError, UnknownNameError
from lib.records import Architecture
from lib.sizing import architecture as architectures
from lib.sizing import training_search as search
from lib.sizing.training import TrainingNeed, against, training_need, training_plan
from lib.sizing.training_activations import bytes_per_layer, in_flight, logits_bytes, score_bytes
from lib.sizing.training_setup import METHODS, OPTIMIZERS, TrainingSetup, check_setup
from lib.sizing.training_shape import adapters, mlp_matrices, stage_shapes
from lib.sizing.training_states import gathered_bytes, lora_parameters, model_states, nf4_bits

ROOT = Path(__file__).resolve().parent.parent
VECTORS: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "training_vectors.json").read_text(encoding="utf-8"))
FACTS = catalog.load()
FORMATS = FACTS.weight_formats
GIB, GB = 2**30, 1e9


def model(name: str) -> Architecture:
    """A model of the catalogue by blocks."""
    return architectures.of_model(FACTS.models[name])


LLAMA = model("llama-3.1-8b")
VARIED = [model(name) for name in ("llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gemma-2-27b", "gpt-3-6.7b")]


def printed(value: float, like: float) -> float:
    """A value rounded to the digits that a published figure has."""
    text = str(like)
    return round(value, len(text.partition(".")[2]) if "." in text else 0)


@pytest.mark.parametrize(("scheme", "stage"), [("ddp", 0), ("zero1", 1), ("zero2", 2), ("zero3", 3)])
def test_figure_1_of_the_zero_paper(scheme: str, stage: int) -> None:
    """7.5 billion parameters on 64 GPUs, to the printed digit."""
    vector = VECTORS["zero_fig1"]
    total = sum(model_states(vector["P"], vector["d"], stage)) / GB
    assert printed(float(total), vector["GB"][scheme]) == vector["GB"][scheme]


@pytest.mark.parametrize(
    ("scheme", "stage", "offload"),
    [
        ("zero2", 2, "none"),
        ("zero2_offload_opt", 2, "optimizer"),
        ("zero3", 3, "none"),
        ("zero3_offload_opt", 3, "optimizer"),
        ("zero3_offload_all", 3, "all"),
    ],
)
def test_the_example_of_deepspeed(scheme: str, stage: int, offload: Any) -> None:
    """2,851 million parameters, largest layer 32 million, 8 GPUs, to the printed digit."""
    vector = VECTORS["deepspeed_memory_rst"]
    states = model_states(vector["P"], vector["gpus"], stage, "deepspeed", offload=offload)
    gathered = gathered_bytes(vector["largest_layer"], vector["P"], stage, "deepspeed")
    total = float(sum(states) + gathered) / GIB
    assert printed(total, vector["GiB"][scheme]) == vector["GiB"][scheme]


@pytest.mark.parametrize(
    ("kind", "precision", "offset", "share"),
    [("bf16_fp32grad", "bf16", 6, 12), ("fp16", "fp16", 4, 16), ("fp32", "fp32", 8, 8)],
)
def test_bytes_per_parameter_of_megatron(kind: str, precision: Any, offset: int, share: int) -> None:
    """Whole, and with the distributed optimizer over 1 to 64 ranks (1e-12)."""
    whole, words = VECTORS["megatron_bytes_per_param"][kind]
    assert words == f"{offset}+{share}/d"
    assert sum(model_states(1.0, 1, 0, "megatron", precision=precision)) == whole
    for ranks in (1, 2, 64):
        shared = sum(model_states(1.0, ranks, 1, "megatron", precision=precision))
        assert shared == pytest.approx(offset + share / ranks, rel=1e-12)


@pytest.mark.parametrize("vector", VECTORS["korthikanti_5as_over_h"]["values"], ids=lambda vector: str(vector["h"]))
def test_scores_of_the_shapes_of_the_recomputation_paper(vector: dict[str, int]) -> None:
    """5 a s / h, exact."""
    assert score_bytes(vector["s"], vector["h"], vector["a"]) == vector["value"]


@pytest.mark.parametrize(
    ("mode", "recompute", "size", "along"),
    [
        ("none", "none", 1, False),
        ("tp", "none", 8, False),
        ("tp_sp", "none", 8, True),
        ("tp_sp_selective", "selective", 8, True),
        ("full", "full", 8, False),
    ],
)
def test_activations_of_one_layer_of_gpt_3(mode: str, recompute: Any, size: int, along: bool) -> None:
    """2,048 tokens, micro-batch 1, 8 tensor parallel ranks, to the byte."""
    expected = VECTORS["gpt3_layer_bytes_b1_t8"][mode]
    assert bytes_per_layer(2048, 1, 12288, 96, recompute, size, sequence_parallel=along) == expected


def test_llama_at_32768_tokens_as_measured_and_as_published() -> None:
    """One hidden state, 28 copies a layer as the high end, checkpoints, all layers, fp32 logits, to the printed digits."""
    vector = VECTORS["ml_engineering_llama31_8b"]
    sizes, tokens = vector["GiB"], vector["s"]
    state = float(bytes_per_layer(tokens, vector["b"], 4096, 32, "full")) / GIB
    assert state == sizes["hidden_state"]
    setup = TrainingSetup(sequence_tokens=tokens, micro_batch=vector["b"])
    need = training_need(LLAMA, setup, FORMATS)
    assert need.activations.high / GIB / 32 == pytest.approx(sizes["layer_28_copies"], rel=1e-12)
    assert need.activations.high / GIB == pytest.approx(sizes["no_checkpointing"], rel=1e-12)
    again = training_need(LLAMA, replace(setup, recompute="full"), FORMATS)
    one_layer = sizes["layer_28_copies"] - sizes["hidden_state"]
    assert again.activations.high / GIB - one_layer == pytest.approx(sizes["checkpoints"], rel=1e-12)
    assert printed(float(logits_bytes(tokens, 1, 128256, 4)) / GIB, sizes["fp32_logits"]) == sizes["fp32_logits"]


def test_the_course_example_of_405_billion_parameters() -> None:
    """Tensor 8, pipeline 16, data 128, ZeRO-2, sequence parallel, selective: each column to the printed digits."""
    vector = VECTORS["course_405b"]
    on_rank = vector["P"] / (vector["t"] * vector["p"])
    states = model_states(on_rank, vector["d"], vector["zero"])
    layer = bytes_per_layer(vector["s"], vector["b"], 16384, 128, "selective", vector["t"], sequence_parallel=True)
    columns = dict(zip(("weights", "gradients", "optimizer"), states, strict=True)) | {
        "activations": layer * (126 / vector["p"]) * in_flight(vector["p"], 0)
    }
    for name, value in columns.items():
        assert printed(float(value) / GB, vector["GB"][name]) == vector["GB"][name], name
    assert printed(float(sum(columns.values())) / GB, vector["GB"]["total"]) == vector["GB"]["total"]


@pytest.mark.parametrize(
    ("kind", "method", "double", "weights_gb"),
    [("bf16", "lora", True, 13.48), ("nf4", "qlora", False, 4.17), ("nf4_dq", "qlora", True, 3.87)],
)
def test_measured_fine_tuning_lies_in_a_plausible_band(kind: str, method: Any, double: bool, weights_gb: float) -> None:
    """LitGPT's peaks lie above the states and between activations of 256 and 2,048 tokens: a range, not an equality."""
    config = json.loads((ROOT / "data" / "configs" / "llama-2-7b.json").read_text(encoding="utf-8"))
    llama = architectures.from_config(config, "llama-2-7b")
    assert llama.total_parameters == 6_738_415_616
    setup = TrainingSetup(
        method=method, zero_stage=0, lora_rank=8, lora_targets="attention", double_quantisation=double
    )
    short, long = (training_need(llama, replace(setup, sequence_tokens=tokens), FORMATS) for tokens in (256, 2048))
    measured = VECTORS["litgpt_measured_llama2_7b_GB"]["train"][kind]
    assert round(short.held.weights_bytes / GB, 2) == weights_gb
    assert short.held.states_bytes / GB < measured
    assert short.total.low / GB < measured < long.total.high / GB


def test_adapters_of_llama() -> None:
    """Rank 16 on all seven matrices: 41,943,040 parameters; attention alone by hand; states of 16.73 and 6.37 GB."""
    assert adapters(LLAMA, 16).parameters == 41_943_040
    by_hand = 32 * sum(lora_parameters(16, 4096, width) for width in (4096, 1024, 1024, 4096))
    assert adapters(LLAMA, 16, "attention").parameters == by_hand
    base = TrainingSetup(method="lora")
    assert round(training_need(LLAMA, base, FORMATS).held.states_bytes / GB, 2) == 16.73
    assert round(training_need(LLAMA, replace(base, method="qlora"), FORMATS).held.states_bytes / GB, 2) == 6.37


def test_the_bits_of_a_quantised_base_are_those_of_the_table() -> None:
    """4.126953125 with double quantisation in weight_formats.csv and by the paper's sum; 4.5 without."""
    assert nf4_bits() == FORMATS["nf4"].bits_per_weight == 4 + 8 / 64 + 32 / (64 * 256)
    assert nf4_bits(double_quantisation=False) == 4.5


@pytest.mark.parametrize("name", [name for name, one in FACTS.models.items() if one.config is not None])
def test_every_model_has_states_of_sixteen_bytes_a_parameter(name: str) -> None:
    """On one GPU, but for the padding of a vocabulary to 64 rows (1e-4); the band is in order."""
    one = model(name)
    need = training_need(one, TrainingSetup(zero_stage=0), FORMATS)
    assert need.held.states_bytes == pytest.approx(16 * one.total_parameters, rel=1e-4)
    assert need.total.low <= need.total.base <= need.total.high
    assert mlp_matrices(one) in (2, 3)
    assert sum(shape.layers for shape in stage_shapes(one, 2)) == one.layers


def test_feed_forward_widths_by_hand() -> None:
    """Llama: three matrices of 3.5 h: 2 x 3 x 3.5 = 21, 14 in the published form; Mixtral: two experts of 3.5 h."""
    assert stage_shapes(LLAMA, 1)[0].mean.base == 21.0
    assert stage_shapes(LLAMA, 1)[0].mean.low == 14.0
    mixtral = stage_shapes(VARIED[1], 1)[0].mean
    assert (mixtral.base, mixtral.low, mixtral.copies) == (42.0, 28.0, 8.0)
    assert stage_shapes(VARIED[4], 1)[0].mean.base == 16.0


SETUPS = st.builds(
    TrainingSetup,
    method=st.sampled_from(METHODS),
    sequence_tokens=st.integers(1, 200_000),
    micro_batch=st.integers(1, 64),
    data_parallel_size=st.integers(0, 9).map(lambda power: 2**power),
    zero_stage=st.integers(0, 3),
    tensor_parallel_size=st.sampled_from((1, 2, 4, 8)),
    pipeline_parallel_size=st.integers(1, 8),
    sequence_parallel=st.booleans(),
    recompute=st.sampled_from(("none", "selective", "full")),
    optimizer=st.sampled_from(tuple(OPTIMIZERS)),
    lora_rank=st.integers(1, 128),
)
MODELS = st.sampled_from(VARIED)


def need_of(one: Architecture, setup: TrainingSetup) -> TrainingNeed:
    """What a setup needs."""
    return training_need(one, setup, FORMATS)


@settings(max_examples=150, deadline=None)
@given(one=MODELS, setup=SETUPS)
def test_terms_sum_to_the_total(one: Architecture, setup: TrainingSetup) -> None:
    """At all three ends of the band (1e-9), and no term is negative."""
    need = need_of(one, setup)
    for end in ("low", "base", "high"):
        terms = need.held.states_bytes + getattr(need.activations, end) + getattr(need.logits, end)
        assert getattr(need.total, end) == pytest.approx(terms, rel=1e-9)
    held = need.held
    assert min(held.weights_bytes, held.gathered_bytes, held.adapters_bytes, held.offloaded_bytes) >= 0
    assert need.activations.low <= need.activations.base <= need.activations.high


@settings(max_examples=150, deadline=None)
@given(one=MODELS, setup=SETUPS)
def test_what_saves_memory_never_needs_more(one: Architecture, setup: TrainingSetup) -> None:
    """More sharding, more data ranks, more recomputation, offload, sequence parallelism, a narrower optimizer."""
    total = need_of(one, setup).total.base * (1 + 1e-12)
    savings: list[TrainingSetup] = [
        replace(setup, data_parallel_size=setup.data_parallel_size * 2),
        replace(setup, offload="optimizer"),
        replace(setup, sequence_parallel=True),
        replace(setup, recompute="full"),
        replace(setup, optimizer="adam-8bit"),
        replace(setup, micro_batch=1),
    ]
    if setup.zero_stage < 3:
        savings.append(replace(setup, zero_stage=setup.zero_stage + 1))
    else:
        savings.append(replace(setup, offload="all"))
    if setup.recompute == "none":
        savings.append(replace(setup, recompute="selective"))
    for saved in savings:
        assert need_of(one, saved).total.base <= total, saved


@settings(max_examples=60, deadline=None)
@given(one=MODELS, setup=SETUPS)
def test_longer_and_more_never_need_less(one: Architecture, setup: TrainingSetup) -> None:
    """One token or one sequence more."""
    total = need_of(one, setup).total.base
    assert need_of(one, replace(setup, sequence_tokens=setup.sequence_tokens + 1)).total.base >= total
    assert need_of(one, replace(setup, micro_batch=setup.micro_batch + 1)).total.base >= total


@settings(max_examples=25, deadline=None)
@given(one=MODELS, setup=SETUPS, memory=st.sampled_from((79.18, 191.98, 287.98)))
def test_the_answer_fits_and_the_next_does_not(one: Architecture, setup: TrainingSetup, memory: float) -> None:
    """Fewest GPUs, longest sequence, largest micro-batch: half the ranks, a token or a sequence more do not fit."""
    found = search.fewest_of(search.training_needs(one, setup, FORMATS, 4096), memory, 4096)
    assert found is not None
    if found.gpus is None:
        assert not found.plan.holds
        return
    assert found.plan.holds
    assert found.fewer is None or (not found.fewer.holds and found.fewer.gpus * 2 == found.gpus)
    counts = [found.hopeful_gpus, found.gpus, found.certain_gpus or found.gpus]
    assert counts == sorted(counts, key=lambda count: count or 0)
    fewest = found.plan.need.setup
    longest = search.largest_sequence(one, memory, fewest, FORMATS)
    assert longest >= fewest.sequence_tokens
    assert training_plan(one, memory, replace(fewest, sequence_tokens=longest), FORMATS).holds
    longer = training_plan(one, memory, replace(fewest, sequence_tokens=longest + 1), FORMATS)
    assert longest == search.LONGEST or not longer.holds
    most = search.largest_micro_batch(one, memory, fewest, FORMATS)
    assert training_plan(one, memory, replace(fewest, micro_batch=most), FORMATS).holds
    more = training_plan(one, memory, replace(fewest, micro_batch=most + 1), FORMATS)
    assert most == search.MOST_SEQUENCES or not more.holds


def test_pipeline_stages_share_out_every_parameter() -> None:
    """Embedding on the first stage, head on the last, the rest by layer: the fullest is the first at 8 stages of Llama."""
    need = need_of(LLAMA, TrainingSetup(pipeline_parallel_size=8))
    layer, vocabulary = (8_030_261_248 - 2 * 128_256 * 4096 - 4096) // 32, 128_256 * 4096
    assert need.stages == (4,) * 8
    assert need.stage == 0
    assert need.held.parameters == 4 * layer + vocabulary
    assert need.micro_batches_held == 8
    last = need_of(LLAMA, TrainingSetup(pipeline_parallel_size=8, micro_batches=1, sequence_tokens=8192))
    assert (last.stage, last.micro_batches_held) == (7, 1)
    assert last.logits.base == 6 * 8192 * 128_256


def test_replicated_parameters_stay_whole_under_tensor_parallelism() -> None:
    """Llama over 8 ranks: norms whole, everything else an eighth."""
    norms = (2 * 32 + 1) * 4096
    held = need_of(LLAMA, TrainingSetup(tensor_parallel_size=8)).held
    assert held.parameters == norms + (8_030_261_248 - norms) / 8


def test_experts_shared_out_whole_leave_the_rest() -> None:
    """DeepSeek-V3 with expert parallelism over 64 data ranks: a 64th of the experts, all of the rest (1e-9)."""
    one = VARIED[2]
    routed = sum(block.parameters for block in one.blocks if block.component == "routed_experts" and not block.is_draft)
    held = need_of(one, TrainingSetup(data_parallel_size=64, expert_parallel_size=64, zero_stage=1)).held
    rest = one.total_parameters - routed
    assert held.parameters == pytest.approx(rest + routed / 64, rel=1e-9)
    assert held.optimizer_bytes == pytest.approx(12 * (rest + routed) / 64, rel=1e-9)


def test_memory_counts_in_gib() -> None:
    """A need of exactly the memory holds, a byte less does not; the same memory in GB would be 7.4 % smaller."""
    need = need_of(LLAMA, TrainingSetup())
    gib = need.total.base / GIB
    assert against(need, gib).holds
    assert not against(need, float(np.nextafter(gib, 0))).holds
    assert not against(need, gib * GB / GIB).holds
    assert against(need, None).verdict == "unknown-memory"


def test_a_tight_fit_is_called_one() -> None:
    """Between the base of the band and its high end with 2 GB for PyTorch: fits only if; beyond: fits."""
    need = need_of(LLAMA, TrainingSetup())
    edge = (need.total.high + 2e9) / GIB
    assert against(need, edge * (1 - 1e-9)).verdict == "fits-only-if"
    assert against(need, edge * (1 + 1e-9)).verdict == "fits"
    assert against(need, need.held.states_bytes / GIB * 0.99).reason.code == "training-states"
    assert against(need, need.held.states_bytes / GIB * 1.01).reason.code == "training-tokens"


@pytest.mark.parametrize(
    ("setup", "memory", "code"),
    [
        (TrainingSetup(zero_stage=0, data_parallel_size=8), 79.18, "change-zero"),
        (TrainingSetup(data_parallel_size=8, micro_batch=8), 79.18, "change-micro-batch"),
        (TrainingSetup(data_parallel_size=8, recompute="none", sequence_tokens=8192), 79.18, "change-recompute"),
        (TrainingSetup(data_parallel_size=8, sequence_tokens=131_072, recompute="full"), 79.18, "change-tensor-parallel"),
        (TrainingSetup(), 79.18, "change-offload"),
        (TrainingSetup(offload="optimizer", sequence_tokens=512, recompute="full"), 15.0, "change-offload"),
        (TrainingSetup(method="qlora", offload="all", sequence_tokens=131_072, recompute="full"), 79.18, "change-sequence"),
        (TrainingSetup(accounting="megatron", zero_stage=1, sequence_tokens=128), 40.0, "change-lora"),
        (TrainingSetup(accounting="megatron", zero_stage=1, sequence_tokens=128), 10.0, "change-qlora"),
        (TrainingSetup(sequence_tokens=100), 1.0, "no-training-change"),
    ],
)  # fmt: skip
def test_the_cheapest_change_makes_it_fit(setup: TrainingSetup, memory: float, code: str) -> None:
    """The change is of the kind expected, and the setup did not fit before."""
    assert not training_plan(LLAMA, memory, setup, FORMATS).holds
    assert search.cheapest_change(LLAMA, memory, setup, FORMATS).code == code


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"zero_stage": 1, "accounting": "deepspeed"}, "zero_stage"),
        ({"zero_stage": 3, "accounting": "megatron"}, "zero_stage"),
        ({"zero_stage": 2, "offload": "all"}, "offload"),
        ({"tensor_parallel_size": 3}, "tensor_parallel_size"),
        ({"expert_parallel_size": 2}, "expert_parallel_size"),
        ({"pipeline_parallel_size": 33}, "pipeline_parallel_size"),
        ({"micro_batch": 0}, "micro_batch"),
    ],
)
def test_a_setup_that_cannot_be_is_refused(change: dict[str, Any], field: str) -> None:
    """With the field, whatever it was."""
    with pytest.raises(InputError) as caught:
        training_need(LLAMA, replace(TrainingSetup(), **change), FORMATS)
    assert caught.value.field == field


@pytest.mark.parametrize("change", [{"accounting": "mine"}, {"recompute": "half"}, {"method": "adapters"}])
def test_an_unknown_word_names_the_nearest(change: dict[str, Any]) -> None:
    """Accounting, recomputation and method are closed lists."""
    with pytest.raises(UnknownNameError):
        check_setup(LLAMA, replace(TrainingSetup(), **change))


KERNELS: list[Callable[[], Any]] = [
    lambda: model_states(np.array([1e9, 2e9]), np.array([8.0, 64.0]), 3).optimizer_bytes,
    lambda: bytes_per_layer(np.array([1024.0, 2048.0]), 1, 4096, 32, "selective"),
    lambda: logits_bytes(np.array([1024.0, 2048.0]), 1, 128_256),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=["states", "activations", "logits"])
def test_kernels_take_arrays(kernel: Callable[[], Any]) -> None:
    """A sweep is one call."""
    assert np.shape(kernel()) == (2,)
