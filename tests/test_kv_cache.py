"""Bytes that sequences keep: the published figures, and what must hold for every model."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import catalog
from lib.errors import InputError, UnknownNameError
from lib.records import LayerGroup, Model
from lib.sizing.architecture import from_config
from lib.sizing.kv_cache import (
    bytes_per_sequence,
    bytes_per_token,
    longest_context,
    most_sequences,
    tokens_held,
)

CONFIGS = Path(__file__).parent / "data" / "configs"
CATALOG = catalog.load()
MODELS = [model for model in CATALOG.models.values() if model.config is not None]


def case_groups(name: str) -> tuple[LayerGroup, ...]:
    """Layer groups of one of the configs written for tests."""
    return from_config(json.loads((CONFIGS / name).read_text())).groups


def groups_of(name: str) -> tuple[LayerGroup, ...]:
    """Layer groups of a catalogue model."""
    return CATALOG.model(name).groups


GROUPS = st.builds(
    LayerGroup,
    layers=st.integers(1, 100),
    kind=st.sampled_from(["full", "window", "mla", "indexer", "compressed"]),
    bytes_per_token_bf16=st.integers(1, 50_000),
    bytes_per_token_fp8=st.integers(1, 50_000),
    window=st.one_of(st.none(), st.integers(1, 10_000)),
    state_bytes_per_sequence=st.integers(0, 10_000_000),
    max_tp_shards=st.sampled_from([1, 2, 4, 8, 16]),
)
MANY_GROUPS = st.lists(GROUPS, min_size=1, max_size=5).map(tuple)
TOKENS = st.integers(0, 2_000_000)
SIZES = st.sampled_from([1, 2, 4, 8, 16])
FORMATS = st.sampled_from(["bf16", "fp8"])


@pytest.mark.parametrize("size", [1, 2, 8])
def test_deepseek_v3_keeps_a_latent_on_every_rank(size):
    """70,272 bytes per token at 16 bit whatever the tensor parallel size, and not the 128 heads' worth."""
    assert bytes_per_token(groups_of("deepseek-v3"), 32_768, "bf16", size) == 70_272


def test_a_stated_head_dim_counts():
    """Qwen3-235B keeps 192,512 bytes per token at 16 bit."""
    assert bytes_per_token(case_groups("qwen3_head_dim.json"), 4096, "bf16", 1) == 192_512


def test_windows_hold_what_they_look_back_at():
    """Gemma 3 27B at 131,072 tokens: 85,248 bytes per token on average."""
    assert bytes_per_token(case_groups("gemma3_27b_sparse_config.json"), 131_072, "bf16", 1) == 85_248


def test_the_cache_has_its_own_width():
    """gpt-oss-120b with 4-bit weights and a 16-bit cache keeps 36,900 bytes per token on average at 131,072."""
    assert bytes_per_token(groups_of("gpt-oss-120b"), 131_072, "bf16", 1) == 36_900


def test_grouped_queries_share_keys_and_values():
    """Llama 3.1 405B keeps 516,096 bytes per token at 16 bit: eight key heads, not 128."""
    assert bytes_per_token(groups_of("llama-3.1-405b"), 131_072, "bf16", 1) == 516_096


def test_an_eight_bit_record_is_not_always_half():
    """DeepSeek-V3.2 stores 656 + 132 bytes per token and layer at 8 bit: scales and a 16-bit rotary key with it."""
    assert bytes_per_token(groups_of("deepseek-v3.2"), 65_536, "fp8", 8) == 61 * (656 + 132)


# Bytes per token as engines logged or allocated them: fit_cases.csv, column observed_bytes_per_token.
@pytest.mark.parametrize(
    ("case", "model", "kv_format", "tensor", "tokens", "logged"),
    [
        ("V004", "llama-3.1-8b", "bf16", 1, 20_000, 130_986.1),
        ("R004", "qwen2.5-7b", "bf16", 2, 16_384, 28_680.3),
        ("A007", "llama-3.1-8b", "bf16", 1, 131_072, 131_074.3),
        ("A025", "glm-5", "fp8", 8, 202_752, 61_463.0),
        ("S010", "qwen2.5-32b", "bf16", 4, 32_768, 65_422.9),
        ("S012", "qwen3-30b-a3b", "bf16", 1, 32_768, 98_323.4),
        ("A026", "llama-3.1-70b", "bf16", 1, 32_768, 327_685.8),
        ("R022", "llama-3-8b", "bf16", 1, 8192, 131_128.2),
        ("R023", "phi-4", "bf16", 1, 512, 204_791.9),
    ],
)
def test_bytes_per_token_are_those_of_public_logs(case, model, kv_format, tensor, tokens, logged):
    """Within 0.2 %, the rounding of the logged gibibytes."""
    assert bytes_per_token(groups_of(model), tokens, kv_format, tensor) == pytest.approx(logged, rel=0.002)


def test_decode_context_parallelism_divides_a_latent():
    """Kimi K2 on eight ranks with decode context parallel size 8 was logged at 8,783.5 bytes per token (V018)."""
    tokens = 262_144
    spread = bytes_per_sequence(groups_of("kimi-k2"), tokens, "bf16", 8, decode_context_parallel_size=8)
    assert float(spread) / tokens == pytest.approx(8783.5, rel=0.001)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.model_id)
def test_the_formula_holds_for_every_model(model: Model):
    """For each catalogue model the bytes are the sum over its groups, written out by hand."""
    tokens, size = 8192, 4
    expected = 0.0
    for group in model.groups:
        held = tokens if group.window is None else min(tokens, group.window)
        one = group.bytes_per_token_bf16 * held + group.state_bytes_per_sequence
        expected += group.layers * one / min(size, group.max_tp_shards)
    assert bytes_per_sequence(model.groups, tokens, "bf16", size) == pytest.approx(expected, rel=1e-12)


def test_states_do_not_grow():
    """Of Nemotron 3 Nano only six of 52 layers keep tokens; the rest is a state of 49,082,368 bytes per sequence."""
    groups = groups_of("nemotron-3-nano-30b-a3b")
    empty, full = (float(bytes_per_sequence(groups, tokens, "bf16", 1)) for tokens in (0, 1_048_576))
    assert empty == 49_082_368
    assert full - empty == 6 * 1024 * 1_048_576


def test_tokens_come_in_whole_blocks():
    """One token takes a block of sixteen; with blocks of one it takes itself."""
    groups = groups_of("llama-3.1-8b")
    assert bytes_per_sequence(groups, 1, "bf16", 1) == 16 * 131_072
    assert bytes_per_sequence(groups, 1, "bf16", 1, block_size=1) == 131_072


def test_a_scheduler_step_widens_what_windows_set_aside():
    """With 2,048 tokens in flight a window of 1,024 keeps 3,071, but never more than the sequence."""
    assert tokens_held(131_072, 1024, in_flight_tokens=2048) == 3071
    assert tokens_held(2000, 1024, in_flight_tokens=2048) == 2000
    groups = (LayerGroup(1, "window", 10, 5, 1024, 0, 1),)
    assert bytes_per_sequence(groups, 131_072, "bf16", 1, in_flight_tokens=2048) == 10 * 3072


def test_stages_share_the_layers_unevenly():
    """61 layers on five stages: the fullest holds thirteen."""
    groups = groups_of("deepseek-v3")
    assert bytes_per_sequence(groups, 32_768, "bf16", 1, 5) == 13 * 1152 * 32_768


@given(MANY_GROUPS, TOKENS, st.integers(0, 100_000), FORMATS, SIZES)
def test_more_tokens_never_need_less(groups, tokens, more, kv_format, size):
    """Bytes rise with the length of a sequence, or stay."""
    shorter = bytes_per_sequence(groups, tokens, kv_format, size)
    assert bytes_per_sequence(groups, tokens + more, kv_format, size) >= shorter


@given(MANY_GROUPS, TOKENS, FORMATS, SIZES, st.integers(1, 8))
def test_shards_never_increase_what_one_rank_holds(groups, tokens, kv_format, size, stages):
    """Twice the ranks, or one stage more, never raise the bytes of a rank."""
    one = bytes_per_sequence(groups, tokens, kv_format, size, stages)
    assert bytes_per_sequence(groups, tokens, kv_format, 2 * size, stages) <= one
    assert bytes_per_sequence(groups, tokens, kv_format, size, stages + 1) <= one


@given(MANY_GROUPS, TOKENS, FORMATS, SIZES)
def test_groups_sum(groups, tokens, kv_format, size):
    """A model keeps what its groups keep, each alone; relative tolerance 1e-9."""
    alone = sum(float(bytes_per_sequence((group,), tokens, kv_format, size)) for group in groups)
    assert bytes_per_sequence(groups, tokens, kv_format, size) == pytest.approx(alone, rel=1e-9)


@given(MANY_GROUPS, st.lists(TOKENS, min_size=1, max_size=6), FORMATS, SIZES)
def test_many_lengths_in_one_call_equal_one_at_a_time(groups, lengths, kv_format, size):
    """A sweep is one call with the same numbers."""
    together = np.asarray(bytes_per_sequence(groups, lengths, kv_format, size))
    assert together.tolist() == [bytes_per_sequence(groups, length, kv_format, size) for length in lengths]


@given(MANY_GROUPS, st.integers(1, 10**12), FORMATS, SIZES, st.integers(1, 64), st.sampled_from([1, 16, 64]))
def test_the_longest_context_fits_and_one_block_more_does_not(groups, budget, kv_format, size, sequences, block):
    """The answer is congruent with the question: it fits, and the next block does not, unless the limit is reached."""
    limit = 1_000_000
    longest = longest_context(budget, groups, kv_format, size, block_size=block, sequences=sequences, limit=limit)

    def needed(tokens: int) -> float:
        return float(sequences * bytes_per_sequence(groups, tokens, kv_format, size, block_size=block))

    assert 0 <= longest <= limit
    if longest:
        assert needed(longest) <= budget * (1 + 1e-12)
    if longest < limit:
        assert needed(longest + block) > budget * (1 - 1e-12)


@given(MANY_GROUPS, st.integers(1, 10**13), st.integers(1, 1_000_000), FORMATS, SIZES)
def test_the_most_sequences_fit_and_one_more_does_not(groups, budget, tokens, kv_format, size):
    """So many sequences are within the budget, and one more is not; relative tolerance 1e-12."""
    count = float(most_sequences(budget, groups, tokens, kv_format, size))
    one = float(bytes_per_sequence(groups, tokens, kv_format, size))
    assert count * one <= budget * (1 + 1e-12)
    assert (count + 1) * one > budget * (1 - 1e-12)


def test_a_negative_budget_holds_nothing():
    """An engine whose weights exceed its memory has no cache, not a negative one."""
    groups = groups_of("llama-3.1-8b")
    assert most_sequences(-1.0, groups, 100, "bf16", 1) == 0
    assert longest_context(-1.0, groups, "bf16", 1, limit=100) == 0


def test_longest_context_of_the_published_case():
    """DeepSeek-V3 with 46.8 GiB of cache per rank holds 715,088 tokens of one sequence, were its context as long."""
    budget = 46.8 * 2**30
    assert longest_context(budget, groups_of("deepseek-v3"), "bf16", 8, limit=10**6) == int(budget / 70_272 / 16) * 16


def test_values_outside_their_meaning_are_named():
    """Negative tokens, sizes below one, numbers that are none and unknown formats are refused by name."""
    groups = groups_of("llama-3.1-8b")
    with pytest.raises(InputError, match="tokens"):
        bytes_per_sequence(groups, -1, "bf16", 1)
    with pytest.raises(InputError, match="tokens"):
        bytes_per_sequence(groups, [1, float("nan")], "bf16", 1)
    with pytest.raises(InputError, match="tokens"):
        bytes_per_sequence(groups, float("inf"), "bf16", 1)
    with pytest.raises(InputError, match="tensor_parallel_size"):
        bytes_per_sequence(groups, 1, "bf16", 0)
    with pytest.raises(InputError, match="budget_bytes"):
        longest_context(float("nan"), groups, "bf16", 1, limit=10)
    with pytest.raises(InputError, match="groups"):
        bytes_per_sequence((), 1, "bf16", 1)
    with pytest.raises(UnknownNameError, match="fp8"):
        bytes_per_sequence(groups, 1, "fp9", 1)  # type: ignore[arg-type]
