"""What weights, layouts and reserves come to for a model small enough to be added up by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lib.errors import ConfigError, InputError, UnknownNameError
from lib.records import Architecture, LayerGroup, Layout, ParameterBlock, WeightFormat
from lib.sizing.engines import EngineSettings
from lib.sizing.kv_cache import bytes_per_sequence, bytes_per_token, longest_context, most_sequences, tokens_held
from lib.sizing.layouts import divides, domain_of, fullest_stages, layer_bytes, preference, spreads
from lib.sizing.reserves import absorbed_bytes, groups_as_held, sequence_and_step_bytes
from lib.sizing.weights import (
    bytes_per_gpu,
    bytes_per_parameter,
    checkpoint_bytes,
    expert_share,
    format_of,
    rank_bytes,
    stage_layers,
    stage_table,
)

FORMATS = {
    "bf16": WeightFormat("bf16", 16, (), (), "", "", ""),
    "fp8": WeightFormat("fp8", 8, ("embedding", "lm_head"), (), "", "", ""),
    "mxfp4": WeightFormat("mxfp4", 4, ("attention", "mtp", "dense_mlp", "embedding", "lm_head"), (), "", "", ""),
    "fp32": WeightFormat("fp32", 32, ("attention",), (), "", "", ""),
}
BLOCKS = (
    ParameterBlock("attention", 30, "tensor", by_layer=(10, 10, 10)),
    ParameterBlock("attention_kv", 12, "tensor", max_shards=2, by_layer=(4, 4, 4)),
    ParameterBlock("attention_replicated", 6, "replicated", by_layer=(1, 2, 3)),
    ParameterBlock("attention_latent_up", 9, "tensor", by_layer=(3, 3, 3)),
    ParameterBlock("routed_experts", 64, "expert", by_layer=(0, 32, 32)),
    ParameterBlock("dense_mlp", 20, "tensor", by_layer=(20, 0, 0)),
    ParameterBlock("embedding", 800, "tensor"),
    ParameterBlock("lm_head", 800, "tensor"),
    ParameterBlock("norms", 5, "replicated", quantisable=False),
    ParameterBlock("norms_last", 8, "replicated", quantisable=False),
    ParameterBlock("mtp_attention", 10, "tensor"),
)
MODEL = Architecture(
    model_id="small",
    name="small",
    layers=3,
    hidden_size=8,
    intermediate_size=24,
    n_heads=12,
    n_kv_heads=4,
    vocab=100,
    n_experts=6,
    experts_per_token=2,
    n_shared_experts=0,
    moe_intermediate_size=200,
    max_context=4096,
    native_format="fp8",
    groups=(),
    blocks=BLOCKS,
    total_parameters=1,
    active_parameters=1,
    expert_hidden_size=300,
)
"""Its embedding and head are padded from 100 rows to 128 by an engine: 2,048 bytes each at 16 bit."""


def test_a_checkpoint_is_the_sum_of_its_blocks() -> None:
    """Blocks of one byte but for embedding, head and norms, which keep two; with and without the draft layer."""
    fp8 = 30 + 12 + 6 + 9 + 64 + 20 + 2 * 800 + 2 * 800 + 2 * 5 + 2 * 8
    assert checkpoint_bytes(MODEL, "native", FORMATS) == fp8 + 10
    assert checkpoint_bytes(MODEL, "fp8", FORMATS, draft_layers=False) == fp8
    assert checkpoint_bytes(MODEL, "bf16", FORMATS) == 2 * 1764
    assert checkpoint_bytes(MODEL, "fp32", FORMATS) == 4 * 1764
    four = list(bytes_per_parameter(MODEL, FORMATS["mxfp4"], FORMATS["mxfp4"]))
    assert four == [2, 2, 2, 2, 0.5, 2, 2, 2, 2, 2, 2]
    dense = list(bytes_per_parameter(replace(MODEL, n_experts=0), FORMATS["mxfp4"], FORMATS["mxfp4"]))
    assert dense == [2, 2, 2, 2, 0.5, 0.5, 2, 2, 2, 2, 2]
    two = list(bytes_per_parameter(replace(MODEL, n_experts=1), FORMATS["mxfp4"], FORMATS["fp8"]))
    assert two == [1, 1, 1, 1, 0.5, 1, 2, 2, 2, 2, 1]
    assert list(bytes_per_parameter(replace(MODEL, n_experts=1), FORMATS["mxfp4"], FORMATS["mxfp4"])) == four
    drafts_alone = replace(FORMATS["mxfp4"], leaves_at_16_bit=("mtp",))
    assert list(bytes_per_parameter(MODEL, drafts_alone, drafts_alone)) == [0.5] * 8 + [2, 2, 2]


def test_two_words_are_the_experts_and_the_rest() -> None:
    """The first word's exceptions do not hold for the experts; one word is both; native is the model's own word."""
    bare = replace(FORMATS["mxfp4"], leaves_at_16_bit=())
    assert format_of(MODEL, "mxfp4+fp8", FORMATS) == (bare, FORMATS["fp8"])
    assert format_of(MODEL, "native", FORMATS) == (FORMATS["fp8"], FORMATS["fp8"])
    assert format_of(replace(MODEL, native_format="mxfp4+bf16"), "native", FORMATS) == (bare, FORMATS["bf16"])
    for wrong in ("int3", "int3+fp8", "fp8+int3"):
        with pytest.raises(UnknownNameError) as caught:
            format_of(MODEL, wrong, FORMATS)
        assert (caught.value.what, caught.value.name) == ("weight format", "int3")
        assert set(caught.value.nearest) <= {"native", *FORMATS}
    with pytest.raises(UnknownNameError) as caught:
        format_of(MODEL, "nativ", FORMATS)
    assert caught.value.nearest[0] == "native"
    with pytest.raises(ConfigError, match=r"^the config of small does not tell its weight format; choose one$"):
        format_of(replace(MODEL, native_format=""), "native", FORMATS)


def test_stages_hold_what_stands_in_their_layers() -> None:
    """Three stages by hand: embedding and first norms in front, head and last norms at the end, a copied latent."""
    table = stage_table(MODEL, FORMATS["fp8"], FORMATS["fp8"], 3)
    assert table.replicated.tolist() == [1 + 10, 2, 3 + 16]
    assert table.experts.tolist() == [0, 32, 32]
    split = {limit: column.tolist() for limit, column in zip(table.limits.tolist(), table.split.T, strict=True)}
    assert split == {np.inf: [10 + 9 + 20 + 2048, 10 + 9, 10 + 9 + 2048], 2.0: [4, 4, 4]}
    drafted = stage_table(replace(MODEL, drafts_loaded=True), FORMATS["fp8"], FORMATS["fp8"], 3)
    assert drafted.split.sum(axis=1).tolist() == [2087 + 4, 19 + 4, 2067 + 4 + 10]
    tied = replace(MODEL, blocks=BLOCKS[:7], tied_embeddings=True)
    assert stage_table(tied, FORMATS["fp8"], FORMATS["fp8"], 3).split.sum(axis=1).tolist() == [2091, 23, 23 + 2048]
    assert stage_table(tied, FORMATS["fp8"], FORMATS["fp8"], 1).split.sum() == 2091 + 23 + 23
    two = stage_table(tied, FORMATS["fp8"], FORMATS["fp8"], 2)
    assert two.split.sum(axis=1).tolist() == [2091 + 23, 23 + 2048]
    wide = stage_table(MODEL, FORMATS["bf16"], FORMATS["bf16"], 1)
    assert wide.split.sum() == 2 * (30 + 12 + 9 + 20) + 2 * 2048
    single = replace(MODEL, vocab=128, blocks=BLOCKS[6:8])
    assert stage_table(single, FORMATS["fp8"], FORMATS["fp8"], 1).split.sum() == 2 * 1600


@pytest.mark.parametrize(
    ("layout", "stages"),
    [
        (Layout(1, 3), [11 + 2087 + 4, 2 + 19 + 4 + 32, 19 + 2067 + 4 + 32]),
        (Layout(4, 3), [11 + 2087 / 4 + 2, 0, 19 + 2067 / 4 + 2 + 8]),
        (Layout(4, 3, 2), [11 + 2087 / 4 + 2, 0, 19 + 2067 / 4 + 2 + 4]),
        (Layout(4, 3, 2, True), [11 + 2087 / 4 + 2, 0, 19 + 2067 / 4 + 2 + 32 / 6]),
        (Layout(2, 1, 2, True), [32 + (2087 + 19 + 2067 + 12) / 2 + 64 * 2 / 6]),
    ],
)
def test_the_fullest_gpu_is_added_up_by_hand(layout: Layout, stages: list[float]) -> None:
    """What is copied, what tensor ranks cut, at most in two for key and value heads, and its experts: to 1e-12."""
    assert bytes_per_gpu(MODEL, "fp8", layout, FORMATS) == pytest.approx(max(stages), rel=1e-12)
    published = 3 * checkpoint_bytes(MODEL, "fp8", FORMATS)
    scaled = bytes_per_gpu(MODEL, "fp8", layout, FORMATS, published)
    assert scaled == pytest.approx(3 * max(stages), rel=1e-12)
    assert bytes_per_gpu(MODEL, "native", layout, FORMATS) == pytest.approx(max(stages), rel=1e-12)


def test_weights_by_layer_are_stages_of_one_layer() -> None:
    """One row per size, one column per layer, experts shared with data ranks by width or whole: by hand, to 1e-12."""
    rows = layer_bytes(MODEL, "native", (1, 4), FORMATS)
    by_hand = [[2102, 57, 2122], [11 + 2087 / 4 + 2, 2 + 19 / 4 + 2 + 8, 19 + 2067 / 4 + 2 + 8]]
    assert rows == pytest.approx(np.array(by_hand), rel=1e-12)
    shared = layer_bytes(MODEL, "fp8", (4,), FORMATS, 2)
    assert shared == pytest.approx(rows[1:] - np.array([[0, 4, 4]]), rel=1e-12)
    whole = layer_bytes(MODEL, "fp8", (4,), FORMATS, 2, True)
    assert whole == pytest.approx(rows[1:] - np.array([[0, 8 - 32 / 6, 8 - 32 / 6]]), rel=1e-12)


def test_experts_are_cut_by_width_or_shared_out_whole() -> None:
    """Six experts on two or four shards; mxfp4 pads 200 to 256 and 100 to 128 of width, 300 to 512 of hidden size."""
    fp8, four = FORMATS["fp8"], FORMATS["mxfp4"]
    shards = np.array([1, 2, 4])
    assert expert_share(MODEL, fp8, shards, False) == pytest.approx(1 / shards, rel=1e-12)
    assert expert_share(MODEL, fp8, shards, True) == pytest.approx(np.array([6, 3, 2]) / 6, rel=1e-12)
    padded = np.array([256 / 200, 128 / 100 / 2, 128 / 50 / 4]) * 512 / 300
    assert expert_share(MODEL, four, shards, False) == pytest.approx(padded, rel=1e-12)
    assert expert_share(MODEL, four, shards, True) == pytest.approx(np.array([6, 3, 2]) / 6 * 1.28 * 512 / 300)
    assert expert_share(replace(MODEL, n_experts=0), four, shards, True).tolist() == [0, 0, 0]  # type: ignore[union-attr]
    assert float(expert_share(replace(MODEL, n_experts=1), fp8, 4, True)) == 1.0
    wide = replace(MODEL, moe_intermediate_size=300, expert_hidden_size=256)
    assert float(expert_share(wide, four, 1, True)) == pytest.approx(384 / 300, rel=1e-12)


def test_ranks_and_stages_below_one_are_refused() -> None:
    """One rank and one stage per layer are taken; the message names what would be right."""
    table = stage_table(MODEL, FORMATS["fp8"], FORMATS["fp8"], 3)
    for size in (0, 0.5, np.nan, np.array([1.0, 0.0])):
        with pytest.raises(InputError, match=r"^tensor_parallel_size is .*; allowed: at least 1$") as caught:
            rank_bytes(table, size, 1.0)
        assert caught.value.value is size
    assert rank_bytes(table, np.array([1, 4]), np.array([1.0, 0.25])) == pytest.approx([2122, 545.75], rel=1e-12)
    for stages in (0, 4):
        with pytest.raises(InputError) as refused:
            stage_layers(3, stages)
        assert str(refused.value) == (f"pipeline_parallel_size is {stages}; allowed: from 1 to 3, the number of layers")
    assert stage_layers(3, 3) == (1, 1, 1)
    assert stage_layers(5, 3) == (2, 2, 1)
    assert stage_layers(4, 3) == (1, 2, 1)
    assert stage_layers(3, 1) == (3,)


def test_a_model_is_cut_where_its_heads_and_widths_divide() -> None:
    """12 heads with 4 of key and value, widths of 24 and 200; latent attention keeps one head for all."""
    assert [size for size in range(1, 13) if divides(MODEL, size)] == [1, 2, 4]
    dense = replace(MODEL, moe_intermediate_size=0)
    assert [size for size in range(1, 13) if divides(dense, size)] == [1, 2, 4, 12]
    assert [size for size in range(1, 13) if divides(replace(dense, n_kv_heads=0), size)] == [1, 2, 3, 4, 6, 12]
    assert [size for size in range(1, 13) if divides(replace(dense, intermediate_size=8), size)] == [1, 2, 4]
    with pytest.raises(InputError, match=r"^tensor_parallel_size is 0; allowed: at least 1$"):
        divides(MODEL, 0)


def test_a_domain_is_at_least_a_server() -> None:
    """The larger of both where both are known; a server of eight where nobody says."""
    assert domain_of(None, None) == domain_of(8, 4) == domain_of(None, 4) == 8
    assert domain_of(4, None) == 4
    assert domain_of(4, 72) == 72
    assert preference(Layout(2, 3, 4, True)) == (24, -2, 4, 3)


def test_tokens_spread_over_the_ranks_that_hold_copies() -> None:
    """Eight ranks of four or eight parts are two copies or one; layers with a window are not asked."""
    four, eight = (LayerGroup(1, "full", 8, 4, None, 0, limit) for limit in (4, 8))
    window = LayerGroup(1, "window", 8, 4, 16, 0, 8)

    def spread(groups: tuple[LayerGroup, ...], ranks: int, over: int) -> bool:
        return spreads(replace(MODEL, groups=groups), ranks, over)

    assert spread((eight,), 8, 1)
    assert spread((four,), 8, 2)
    assert spread((four, window), 8, 2)
    assert not spread((eight,), 8, 2)
    assert not spread((four, eight), 8, 2)
    assert not spread((four,), 8, 4)
    assert not spread((window,), 8, 2)
    assert not spread((), 8, 2)
    assert not spread((replace(four, max_tp_shards=1),), 9, 2)
    assert spread((replace(four, max_tp_shards=1),), 3, 3)


def test_the_fullest_stage_may_be_the_one_with_more_cache() -> None:
    """Stages of one and two layers: the weights decide without a cache, the layers with one; by hand."""
    weights, share = fullest_stages(np.array([[5.0, 1.0, 2.0], [5.0, 1.0, 2.0]]), np.array([0.0, 30.0]), (1, 2))
    assert weights.tolist() == [5.0, 3.0]
    assert share == pytest.approx([1 / 3, 2 / 3], rel=1e-12)
    even, _ = fullest_stages(np.array([[5.0, 1.0, 2.0]]), np.array([5.0]), (1, 2))
    assert even.tolist() == [5.0]


FULL, WINDOW = LayerGroup(2, "full", 100, 50, None, 0, 4), LayerGroup(2, "window", 100, 50, 32, 0, 4)
STATE = LayerGroup(3, "state", 0, 0, None, 7, 4)
GROUPS = (FULL, WINDOW, STATE)
ENGINE = EngineSettings("vllm-v1", 0.9, 64, 256, "sort", 16)


@pytest.mark.parametrize(
    ("engine", "changes", "expected"),
    [
        (None, {}, (22400 + 6400 + 21, 0)),
        ("sglang", {}, (22400 + 6400 + 21, 0)),
        ("vllm-v0", {}, (22400 + 22400 + 21, 0)),
        ("vllm-v1", {}, (22400 + 6400 + 21, 200 * (96 - 32))),
        ("vllm-v1", {"tokens": 10_000}, (2_000_000 + 6400 + 21, 200 * (96 - 32))),
        ("vllm-v1", {"kv_format": "fp8"}, (11200 + 3200 + 21, 100 * (96 - 32))),
        ("vllm-v1", {"tensor_parallel_size": 2}, (11200 + 3200 + 10.5, 100 * (96 - 32))),
        ("vllm-v1", {"block_size": 10}, (20000 + 200 * 40 + 21, 200 * (100 - 40))),
        ("vllm-v1", {"block_size": 10, "shared_prefix_tokens": 25}, (20000 - 4000 + 8000 + 21, 4000 + 200 * 60)),
        ("vllm-v1", {"decode_context_parallel_size": 2}, (200 * 64 + 6400 + 21, 200 * (96 - 32))),
        ("vllm-v1", {"shared_prefix_tokens": 40}, (22400 - 6400 + 6400 + 21, 6400 + 200 * (96 - 32))),
        ("vllm-v1", {"shared_prefix_tokens": 4000}, (22400 - 19200 + 6400 + 21, 19200 + 200 * (96 - 32))),
        ("vllm-v1", {"shared_prefix_tokens": 1}, (22400 + 6400 + 21, 200 * (96 - 32))),
        ("vllm-v0", {"shared_prefix_tokens": 16}, (22400 + 22400 - 6400 + 21, 6400)),
        (None, {"shared_prefix_tokens": 64, "tensor_parallel_size": 4}, ((22400 - 12800 + 6400 + 21) / 4, 3200)),
        (None, {"shared_prefix_tokens": 64, "kv_format": "fp8"}, ((22400 - 12800 + 6400) / 2 + 21, 6400)),
        (None, {"shared_prefix_tokens": 64, "decode_context_parallel_size": 2},
         (200 * 64 - 200 * 32 + 6400 + 21, 200 * 32)),
    ],
)  # fmt: skip
def test_a_sequence_and_what_is_needed_once_are_added_up_by_hand(
    engine: Any, changes: dict[str, Any], expected: tuple[float, float]
) -> None:
    """100 tokens are seven blocks in full layers, two in a window of 32; a step of 64 makes that window 95, six blocks."""
    settings = None if engine is None else replace(ENGINE, engine=engine)
    given: dict[str, Any] = {
        "groups": GROUPS, "settings": settings, "tokens": 100, "kv_format": "bf16", "tensor_parallel_size": 1,
        "block_size": 16,
    }  # fmt: skip
    assert sequence_and_step_bytes(**{**given, **changes}) == pytest.approx(expected, rel=1e-12)


def test_engines_reckon_with_their_own_windows() -> None:
    """V0 of vLLM keeps windows at full length beside full layers, V1 adds a step, two where attention is compressed."""
    for engine, groups, expected in (
        ("vllm-v0", GROUPS, ((FULL, replace(WINDOW, window=None), STATE), 0)),
        ("vllm-v0", (WINDOW,), ((WINDOW,), 0)),
        ("sglang", GROUPS, (GROUPS, 0)),
        ("tensorrt-llm", GROUPS, (GROUPS, 0)),
        ("vllm-v1", GROUPS, (GROUPS, 64)),
    ):
        assert groups_as_held(groups, replace(ENGINE, engine=engine)) == expected  # type: ignore[arg-type]
    compressed = LayerGroup(1, "compressed", 25, 12, None, 0, 1)
    held, in_flight = groups_as_held((WINDOW, compressed, STATE), ENGINE)
    assert in_flight == 128
    assert held[:2] == (WINDOW, compressed)
    assert (held[2].window, held[2].state_bytes_per_sequence) == (8, 0.0)
    per_token = 7 / 8 * 37_440 / (4 * 8_192)
    assert (held[2].bytes_per_token_bf16, held[2].bytes_per_token_fp8) == pytest.approx((per_token,) * 2, rel=1e-12)


LATENT = (LayerGroup(1, "mla", 148, 74, None, 0, 1), LayerGroup(2, "mla", 148, 74, None, 0, 1))


def test_absorbed_products_are_counted_for_the_engine_that_makes_them() -> None:
    """Layers x heads per rank x 10 latents x (5 query latents + hidden 8), from 3 x 8 x (5 + 74) down-projections."""
    down = ParameterBlock("attention_replicated", 3 * 8 * (5 + 74), "replicated")
    other = ParameterBlock("attention", 1000, "tensor")
    model = replace(MODEL, n_heads=4, groups=(*LATENT, FULL), blocks=(down, other))
    assert absorbed_bytes(model, 2, "vllm-v0", 1.5) == pytest.approx(3 * 2 * 10 * (5 + 8) * 1.5, rel=1e-12)
    assert absorbed_bytes(model, 2, "vllm-v1", 1.5) == 0.0
    assert absorbed_bytes(replace(model, groups=(FULL,)), 2, "vllm-v0", 1.5) == 0.0
    single = replace(model, groups=(FULL, replace(LATENT[0], layers=3)))
    assert absorbed_bytes(single, 2, "vllm-v0", 1.5) == absorbed_bytes(model, 2, "vllm-v0", 1.5)
    bare = replace(model, blocks=(other,))
    assert absorbed_bytes(bare, 1, "vllm-v0", 1.0) == pytest.approx(3 * 4 * 10 * 8, rel=1e-12)


def test_a_window_holds_a_step_but_for_the_token_in_hand() -> None:
    """The window - 1 + the tokens in flight, at most what there is; without a window everything: by hand."""
    assert float(tokens_held(100, 10)) == 10.0
    assert float(tokens_held(100, 10, in_flight_tokens=1)) == 10.0
    assert float(tokens_held(100, 10, in_flight_tokens=5)) == 14.0
    assert float(tokens_held(12, 10, in_flight_tokens=5)) == 12.0
    assert float(tokens_held(100, None, in_flight_tokens=5)) == 100.0
    for whole in (tokens_held(100, None), tokens_held(100, 10), tokens_held(np.array([100]), np.array([10]))):
        assert np.asarray(whole).dtype == np.float64
    assert np.asarray(tokens_held(np.array([5, 50]), np.array([10, 20]))).tolist() == [5.0, 20.0]


def test_sizes_given_as_arrays_are_answered_one_by_one() -> None:
    """Lengths, ranks and stages side by side: by hand; what is out of range in any of them is refused by name."""
    many = bytes_per_sequence((FULL,), np.array([16, 17]), "bf16", np.array([1, 2]), np.array([1, 2]))
    assert np.asarray(many).tolist() == [3200.0, 1 * 100 * 32 / 2]
    budget = np.array([-1.0, 6400.0, 6399.0])
    counts = most_sequences(budget, (FULL,), np.array([16, 16, 16]), "bf16", np.array([1, 2, 2]), np.array([1, 1, 2]))
    assert np.asarray(counts).tolist() == [0.0, 4.0, 7.0]
    assert most_sequences(3400, (FULL,), 17, "bf16", 1, 1, 1) == 1.0
    assert most_sequences(0.0, (LayerGroup(1, "full", 1, 1, None, 0, 32),), 16, "bf16", 32) == 0.0
    assert type(bytes_per_sequence((FULL,), 16, "bf16", 1)) is float
    with pytest.raises(InputError, match=r"^tokens is array\(\[inf\]\); allowed: at least 1, and finite$"):
        bytes_per_token((FULL,), np.array([np.inf]), "bf16", 1)
    assert most_sequences(6400, (FULL,), 1, "fp8", 1) == 4.0
    assert np.asarray(bytes_per_token((FULL,), np.array([1, 100]), "fp8", 2)).tolist() == [50.0, 50.0]
    for field, values in (
        ("tokens", [1.0, -1.0]),
        ("tensor_parallel_size", [1, 0]),
        ("pipeline_parallel_size", [1, 0]),
    ):
        given: dict[str, Any] = {"tokens": 16, "tensor_parallel_size": 1, field: np.array(values)}
        least = 0 if field == "tokens" else 1
        with pytest.raises(InputError, match=rf"^{field} is array.*; allowed: at least {least}, and finite$"):
            bytes_per_sequence((FULL,), kv_format="bf16", **given)


def test_the_longest_context_turns_where_windows_fill() -> None:
    """Full and window layers together until 32 tokens, full ones alone beyond: blocks counted by hand."""
    groups = (FULL, WINDOW)
    for budget, expected in ((0, 0), (6399, 0), (6400, 16), (12799, 16), (12800, 32), (15999, 32), (16000, 48)):
        assert longest_context(budget, groups, "bf16", 1, limit=100) == expected, budget
        assert longest_context(2 * budget, groups, "bf16", 1, sequences=2, limit=100) == expected, budget
        assert longest_context(budget / 4, groups, "bf16", 4, limit=100) == expected, budget
        assert longest_context(budget / 2, groups, "bf16", 1, 2, limit=100) == expected, budget
        assert longest_context(budget / 2, groups, "fp8", 1, limit=100) == expected, budget
    assert longest_context(6400 + 7 * 3200, groups, "bf16", 1, limit=100) == 100
    assert longest_context(6400 + 7 * 3200 - 1, groups, "bf16", 1, limit=100) == 96
    assert longest_context(400 * 10, groups, "bf16", 1, 1, 10, limit=100) == 10
    assert longest_context(6400, (STATE, WINDOW), "bf16", 1, limit=100) == 16
    assert longest_context(20, (STATE, WINDOW), "bf16", 1, limit=100) == 0
    assert longest_context(6421, (STATE, WINDOW), "bf16", 1, limit=100) == 100
    assert longest_context(3221, (STATE, WINDOW), "bf16", 1, limit=20) == 16
