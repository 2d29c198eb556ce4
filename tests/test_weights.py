"""Bytes of weights: of checkpoints as published, and on the fullest GPU of a layout."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import catalog
from lib.errors import ConfigError, InputError, UnknownNameError
from lib.records import Architecture, Checkpoint, Layout
from lib.sizing.architecture import from_config, of_model
from lib.sizing.weights import (
    bytes_per_gpu,
    checkpoint_bytes,
    expert_share,
    format_of,
    rank_bytes,
    stage_layers,
    stage_table,
)
from lib.units import GB, GIB

CATALOG = catalog.load()
FORMATS = CATALOG.weight_formats
ARCHITECTURES = {name: of_model(model) for name, model in CATALOG.models.items() if model.config is not None}

WITHOUT_DRAFT_LAYERS = {
    ("nemotron-3-super-120b-a12b", "fp8-tensor"), ("nemotron-3-super-120b-a12b", "nvfp4"),
    ("nemotron-3-ultra-550b-a55b", "nvfp4"),
}  # fmt: skip
"""Rows of checkpoints.csv whose layout leaves multi-token-prediction layers out."""

OTHER_WORD = {("minimax-m3", "nvfp4"): "nvfp4+mxfp8"}
"""Rows whose layout needs two format words: experts at one width, the rest at another."""

BEYOND_WORDS = {
    ("qwen3.6-27b", "nvfp4"): "attention fp8, lm_head 4.5 bits",
    ("qwen3.6-35b-a3b", "nvfp4"): "attention fp8, lm_head 4.5 bits",
    ("kimi-k2.5", "nvfp4"): "shared experts and dense layer at 4.5 bits as well, 0.8 % less",
    ("step-3.7-flash", "bf16"): "vision tower without config",
    ("step-3.7-flash", "fp8-block128"): "vision tower without config",
}
"""Rows that the format words cannot express, with the reason."""

STORED_WIDER = {
    "minimax-m3": "router in fp32, 0.011 %",
    "glm-5": "router bias in fp32", "glm-5.1": "router bias in fp32", "glm-5.2": "router bias in fp32",
    "glm-4.5": "router bias", "glm-4.6": "router bias",
    "gemma-4-26b-a4b": "buffers of scale and vision", "gemma-4-31b": "buffers of scale and vision",
    "qwen3.5-122b-a10b": "A_log and gated norm in fp32", "qwen3.5-397b-a17b": "A_log and gated norm in fp32",
}  # fmt: skip
"""16-bit checkpoints with tensors that are wider, or no parameters; by what."""

COMPUTED = [row for rows in CATALOG.checkpoints.values() for row in rows if row.computed_bytes]


def computed(row: Checkpoint) -> float:
    """The bytes that this library computes for a row of checkpoints.csv, by the rules of its layout."""
    architecture = ARCHITECTURES[row.model_id]
    word = OTHER_WORD.get((row.model_id, row.weight_format), row.weight_format)
    if word == architecture.native_format.split("+")[0]:
        word = "native"
    drafts = (row.model_id, row.weight_format) not in WITHOUT_DRAFT_LAYERS
    return checkpoint_bytes(architecture, word, FORMATS, draft_layers=drafts)


def identity(row: Checkpoint) -> str:
    """Name of a row in test reports."""
    return f"{row.model_id}-{row.weight_format}"


@pytest.mark.parametrize("row", COMPUTED, ids=identity)
def test_checkpoints_have_the_bytes_of_the_table(row):
    """Within 0.1 % for every layout that the format words can express; those that they cannot are named."""
    ratio = computed(row) / row.computed_bytes
    if (row.model_id, row.weight_format) in BEYOND_WORDS:
        assert abs(ratio - 1) > 0.001
    else:
        assert ratio == pytest.approx(1, rel=0.001)


@pytest.mark.parametrize(
    "row",
    [row for row in COMPUTED if row.weight_format in ("bf16", "fp16") and row.model_id != "step-3.7-flash"],
    ids=identity,
)
def test_sixteen_bit_checkpoints_are_exact(row):
    """Two bytes per parameter to the last byte; where a model stores some tensors wider, within 0.012 %."""
    if row.model_id in STORED_WIDER:
        assert row.computed_bytes * (1 - 0.00012) < computed(row) < row.computed_bytes
    else:
        assert computed(row) == row.computed_bytes


@pytest.mark.parametrize(
    "row",
    [row for row in COMPUTED if row.comparable],
    ids=identity,
)
def test_published_checkpoints_are_met(row):
    """Where a published size is the same thing, it is met within half a percent, rounding of the publisher included."""
    if (row.model_id, row.weight_format) not in BEYOND_WORDS:
        assert computed(row) == pytest.approx(row.published_bytes, rel=0.005)


def test_gpt_oss_is_not_half_a_byte_per_parameter():
    """gpt-oss-120b as published: 65,248,815,744 bytes, to the byte; half a byte for everything would be 60.2 GB."""
    assert checkpoint_bytes(ARCHITECTURES["gpt-oss-120b"], "native", FORMATS) == 65_248_815_744
    assert checkpoint_bytes(ARCHITECTURES["gpt-oss-20b"], "native", FORMATS) == 13_761_264_768


def test_deepseek_v3_at_sixteen_bit_has_1342_gb():
    """671,026,404,352 parameters of two bytes, the draft layer left out."""
    size = checkpoint_bytes(ARCHITECTURES["deepseek-v3"], "bf16", FORMATS, draft_layers=False)
    assert size == 2 * 671_026_404_352
    assert round(size / GB) == 1342


def test_experts_count_whether_active_or_not():
    """A mixture is as large as all of its experts: GLM-4.5 loads 353 billion parameters for 34 billion active ones."""
    architecture = ARCHITECTURES["glm-4.5"]
    resident = checkpoint_bytes(architecture, "bf16", FORMATS, draft_layers=False)
    assert resident == 2 * architecture.total_parameters > 10 * 2 * architecture.active_parameters


def test_formats_for_experts_quantise_the_dense_layers_of_a_dense_model():
    """nvfp4 of a model without experts quantises its feed-forward part only, as Gemma 4 31B has it."""
    architecture = ARCHITECTURES["llama-3.1-8b"]
    dense = 32 * 3 * 4096 * 14336
    expected = dense * 4.5 / 8 + (architecture.total_parameters - dense) * 2
    assert checkpoint_bytes(architecture, "nvfp4", FORMATS) == expected


def test_a_biased_tensor_is_never_quantised():
    """Biases of gpt-oss experts stay at 16 bit in every format, even in one that leaves nothing else."""
    architecture = ARCHITECTURES["gpt-oss-20b"]
    everything = {**FORMATS, "fp8-tensor": replace(FORMATS["fp8-tensor"], leaves_at_16_bit=())}
    kept = sum(block.parameters for block in architecture.blocks if not block.quantisable)
    assert kept > 0
    assert checkpoint_bytes(architecture, "fp8-tensor", everything) == architecture.total_parameters + kept


def test_thirty_two_bit_holds_for_everything():
    """fp32 is four bytes for each parameter, biases included."""
    architecture = ARCHITECTURES["gpt-oss-20b"]
    assert checkpoint_bytes(architecture, "fp32", FORMATS) == 4 * architecture.total_parameters


# Weights per GPU as engines logged them [GiB]: fit_cases.csv, column observed_weights_gib. The tolerance of 0.5 %
# covers what engines allocate beside tensors; qwen3-0.6b was logged with two decimals.
@pytest.mark.parametrize(
    ("case", "model", "word", "tensor", "logged", "tolerance"),
    [
        ("V009", "llama-3.1-8b", "bf16", 1, 14.9889, 0.005),
        ("R002", "qwen2.5-7b", "bf16", 1, 14.2488, 0.005),
        ("R004", "qwen2.5-7b", "bf16", 2, 7.1217, 0.005),
        ("V011", "gpt-oss-120b", "native", 1, 65.9651, 0.005),
        ("R001", "gpt-oss-120b", "native", 4, 17.2217, 0.005),
        ("H008", "qwen3-32b", "bf16", 1, 61.03, 0.005),
        ("H010", "qwen3-32b", "bf16", 2, 30.59, 0.005),
        ("S012", "qwen3-30b-a3b", "fp8-block128", 1, 29.15, 0.005),
        ("S013", "qwen3-30b-a3b", "bf16", 1, 56.89, 0.005),
        ("A026", "llama-3.1-70b", "fp8-tensor", 1, 67.6979, 0.005),
        ("A025", "glm-5", "fp8-block128", 8, 89.58, 0.01),
        ("H007", "configs/qwen3-0.6b", "bf16", 1, 1.12, 0.01),
        ("H011", "configs/mistral-small-3.2", "bf16", 1, 44.76, 0.005),
    ],
)
def test_weights_per_gpu_are_those_of_public_logs(case, model, word, tensor, logged, tolerance):
    """Computed from config and format alone, the fullest rank holds what the engine said that it loaded."""
    architecture = ARCHITECTURES.get(model) or from_file(model.removeprefix("configs/"))
    assert bytes_per_gpu(architecture, word, Layout(tensor), FORMATS) / GIB == pytest.approx(logged, rel=tolerance)


def from_file(name: str) -> Architecture:
    """The architecture of a config that stands beside the catalogue."""
    return from_config(json.loads((catalog.DATA / "configs" / f"{name}.json").read_text()), name)


def test_a_layout_splits_by_hand_as_it_does_in_code():
    """Llama 3.1 8B on two ranks: half of every matrix, norms whole."""
    architecture = ARCHITECTURES["llama-3.1-8b"]
    norms = (32 * 2 + 1) * 4096
    expected = 2 * ((architecture.total_parameters - norms) / 2 + norms)
    assert bytes_per_gpu(architecture, "bf16", Layout(2), FORMATS) == expected


def test_key_value_projections_are_copied_beyond_their_heads():
    """With eight key heads on sixteen ranks, each rank holds one head and not half of one."""
    architecture = ARCHITECTURES["llama-3.1-405b"]
    per_head = 2 * 126 * 16384 * 2 * 128
    sixteen = bytes_per_gpu(architecture, "bf16", Layout(16), FORMATS)
    eight = bytes_per_gpu(architecture, "bf16", Layout(8), FORMATS)
    norms = 2 * (126 * 2 + 1) * 16384
    assert sixteen - norms == pytest.approx((eight - norms - per_head) / 2 + per_head, rel=1e-12)


def test_latent_down_projections_stand_on_every_rank():
    """DeepSeek-V3 at 16 bit on eight ranks holds more than an eighth, by seven eighths of what is replicated."""
    architecture = ARCHITECTURES["deepseek-v3"]
    replicated = sum(
        block.parameters for block in architecture.blocks if block.sharding == "replicated" and not block.is_draft
    )
    total = architecture.total_parameters
    assert replicated == 61 * 7168 * (1536 + 576) + 58 * 7168 * 256 + 61 * (2 * 7168 + 1536 + 512) + 7168
    expected = 2 * ((total - replicated) / 8 + replicated)
    assert bytes_per_gpu(architecture, "bf16", Layout(8), FORMATS) == pytest.approx(expected, rel=1e-12)


def test_a_quantised_latent_up_projection_is_held_twice():
    """Engines unpack it to 16 bit for absorbed attention and keep the 8-bit one for prefill."""
    architecture = ARCHITECTURES["deepseek-v3"]
    table = stage_table(architecture, *format_of(architecture, "native", FORMATS), 1)
    up = next(block.parameters for block in architecture.blocks if block.name == "attention_latent_up")
    loaded = table.replicated.sum() + table.split.sum() + table.experts.sum()
    stored = checkpoint_bytes(architecture, "native", FORMATS, draft_layers=False)
    assert loaded - stored == pytest.approx(2 * up, rel=1e-9)


def test_expert_parallelism_gives_whole_experts():
    """128 experts over 24 ranks: the fullest rank holds six, not five and a third."""
    architecture = ARCHITECTURES["qwen3-235b-a22b"]
    form = FORMATS["bf16"]
    assert float(expert_share(architecture, form, 24, True)) == 6 / 128
    assert float(expert_share(architecture, form, 24, False)) == 1 / 24


def test_data_parallel_ranks_share_experts_and_copy_attention():
    """Qwen3-Coder-480B on DP 8 with expert parallelism: an eighth of the experts, all of the rest."""
    architecture = ARCHITECTURES["qwen3-coder-480b-a35b"]
    routed = sum(block.parameters for block in architecture.blocks if block.component == "routed_experts")
    expected = 2 * (routed / 8 + architecture.total_parameters - routed)
    layout = Layout(data_parallel_size=8, expert_parallel=True)
    assert bytes_per_gpu(architecture, "bf16", layout, FORMATS) == pytest.approx(expected, rel=1e-12)


def test_the_fullest_stage_counts():
    """Llama 3.1 405B on seven stages of 18 layers: the first and last also hold embedding or head."""
    architecture = ARCHITECTURES["llama-3.1-405b"]
    layer = sum(block.by_layer[0] for block in architecture.blocks if block.by_layer)
    head = 128_256 * 16_384
    expected = 2 * (18 * layer + head + 16_384)
    assert bytes_per_gpu(architecture, "bf16", Layout(1, 7), FORMATS) == pytest.approx(expected, rel=1e-12)


def test_a_tied_embedding_stands_at_both_ends():
    """Gemma 2 has one matrix for embedding and head; with two stages both hold it."""
    architecture = ARCHITECTURES["gemma-2-27b"]
    stages = stage_table(architecture, FORMATS["bf16"], FORMATS["bf16"], 2)
    assert stages.split.sum() + stages.replicated.sum() == 2 * (architecture.total_parameters + 256_000 * 4608)


@pytest.mark.parametrize(
    ("layers", "stages", "expected"),
    [(61, 8, (7, 7, 8, 8, 8, 8, 8, 7)), (61, 5, (12, 12, 12, 13, 12)), (94, 5, (19, 19, 19, 19, 18)), (4, 4, (1,) * 4)],
)
def test_stages_are_uneven_as_vllm_makes_them(layers, stages, expected):
    """What is left over goes to the last stages but the very last: vLLM, get_pp_indices."""
    assert stage_layers(layers, stages) == expected


@given(st.integers(1, 200), st.integers(1, 200))
def test_stages_hold_all_layers(layers, stages):
    """Stages sum to the layers and differ by one at most; more stages than layers are refused."""
    if stages > layers:
        with pytest.raises(InputError):
            stage_layers(layers, stages)
        return
    sizes = stage_layers(layers, stages)
    assert sum(sizes) == layers
    assert max(sizes) - min(sizes) <= 1


NAMES = st.sampled_from(["llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "qwen3.5-397b-a17b", "gemma-3-27b", "kimi-k3"])


@given(NAMES, st.sampled_from(["native", "bf16", "fp8-tensor", "int4-g128"]), st.sampled_from([1, 2, 4, 8]))
def test_more_ranks_never_hold_more_each(name, word, tensor):
    """Doubling the tensor parallel size never raises the weights of a rank, nor lowers their sum."""
    architecture = ARCHITECTURES[name]
    one = bytes_per_gpu(architecture, word, Layout(tensor), FORMATS)
    two = bytes_per_gpu(architecture, word, Layout(2 * tensor), FORMATS)
    assert two <= one * (1 + 1e-12)
    assert 2 * two >= one * (1 - 1e-12)


@given(NAMES, st.integers(1, 8))
def test_more_stages_never_hold_more_each(name, stages):
    """One stage more never raises the weights of the fullest one by more than one layer's rounding."""
    architecture = ARCHITECTURES[name]
    fewer = bytes_per_gpu(architecture, "bf16", Layout(1, stages), FORMATS)
    assert bytes_per_gpu(architecture, "bf16", Layout(1, stages + 1), FORMATS) <= fewer


@given(NAMES, st.floats(0.5, 2))
def test_a_published_size_scales_the_share(name, factor):
    """A checkpoint that is larger by some factor makes every rank larger by it."""
    architecture = ARCHITECTURES[name]
    whole = checkpoint_bytes(architecture, "native", FORMATS)
    plain = bytes_per_gpu(architecture, "native", Layout(4), FORMATS)
    scaled = bytes_per_gpu(architecture, "native", Layout(4), FORMATS, total_bytes=whole * factor)
    assert scaled == pytest.approx(plain * factor, rel=1e-9)


def test_many_sizes_in_one_call_equal_one_at_a_time():
    """The kernel takes arrays, and gives what the composition gives for each size."""
    architecture = ARCHITECTURES["gpt-oss-120b"]
    experts, rest = format_of(architecture, "native", FORMATS)
    sizes = np.array([[1, 2], [4, 8]])
    share = expert_share(architecture, experts, sizes, False)
    together = np.asarray(rank_bytes(stage_table(architecture, experts, rest, 2), sizes, share))
    for place, size in np.ndenumerate(sizes):
        assert together[place] == bytes_per_gpu(architecture, "native", Layout(int(size), 2), FORMATS)


def test_wrong_words_and_sizes_are_named():
    """An unknown format, a layout that cannot be, and a native format that nobody told: each says so."""
    architecture = ARCHITECTURES["llama-3.1-8b"]
    with pytest.raises(UnknownNameError, match="fp8-tensor"):
        checkpoint_bytes(architecture, "fp8-tensr", FORMATS)
    with pytest.raises(InputError, match="tensor_parallel_size"):
        bytes_per_gpu(architecture, "bf16", Layout(0), FORMATS)
    with pytest.raises(InputError, match="pipeline_parallel_size"):
        bytes_per_gpu(architecture, "bf16", Layout(1, 33), FORMATS)
    with pytest.raises(ConfigError, match="choose one"):
        checkpoint_bytes(replace(architecture, native_format=""), "native", FORMATS)
