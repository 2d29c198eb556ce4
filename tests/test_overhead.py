"""What engines take beside weights and cache, against the terms that logs state, and their budgets and defaults."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import catalog
from lib.errors import InputError, UnknownNameError
from lib.records import Layout
from lib.sizing import overhead
from lib.sizing.architecture import of_model
from lib.sizing.engines import (
    EngineSettings,
    cache_capacity,
    engine_defaults,
    outside_bytes,
    request_table_bytes,
)
from lib.units import GIB

CATALOG = catalog.load()
LLAMA_8B = of_model(CATALOG.model("llama-3.1-8b"))
LLAMA_70B = of_model(CATALOG.model("llama-3.1-70b"))
QWEN_32B = of_model(CATALOG.model("qwen3-32b"))
GPT_OSS = of_model(CATALOG.model("gpt-oss-120b"))
DEEPSEEK_R1 = of_model(CATALOG.model("deepseek-r1"))
V1 = EngineSettings("vllm-v1", 0.9, 8192, 1024, "sort", 16)


def gib(model: str, layout: Layout, settings: EngineSettings) -> float:
    """Expected workspace [GiB]."""
    return overhead.workspace(of_model(CATALOG.model(model)), layout, settings).base_bytes / GIB


@pytest.mark.parametrize(
    ("case", "model", "ranks", "settings", "logged"),
    [
        ("H008", "qwen3-32b", 1, V1, 5.64 + 0.14),
        ("H010", "qwen3-32b", 2, V1, 5.64 + 0.54),
        ("H002", "gpt-oss-120b", 1, V1, 7.38 + 0.13),
        ("A006", "llama-3.1-8b", 1, EngineSettings("vllm-v0", 0.8, 131_072, 256, "sort", 16), 14.63 + 0.66),
        ("V004", "llama-3.1-8b", 1, EngineSettings("vllm-v0", 0.9, 20_000, 256, "sort", 16), 2.07 + 0.35),
    ],
)
def test_logged_workspaces_are_met(case: str, model: str, ranks: int, settings: EngineSettings, logged: float) -> None:
    """Activation + non-torch memory as the logs of memory_truth state them, within 8 %."""
    assert gib(model, Layout(ranks), settings) == pytest.approx(logged, rel=0.08), case


def test_the_sampler_does_not_shrink_with_tensor_parallelism() -> None:
    """Qwen3 32B logs the same 5.64 GiB peak on one and on two GPUs."""
    one, two = (overhead.workspace(QWEN_32B, Layout(size), V1).sampler_bytes for size in (1, 2))
    assert one == two


def test_a_fused_sampler_takes_less_and_a_chunked_v0_none() -> None:
    """Sort > fused > none, with everything else alike."""
    sizes = [
        overhead.workspace(LLAMA_8B, Layout(), replace(V1, sampler=sampler)).sampler_bytes
        for sampler in ("sort", "flashinfer", "none")
    ]
    assert sizes[0] > sizes[1] > sizes[2] == 0


def test_fewer_tokens_than_sequences_bound_the_sampler() -> None:
    """No more sequences are sampled than tokens are batched."""
    small = replace(V1, max_num_batched_tokens=128)
    assert overhead.workspace(LLAMA_8B, Layout(), small).sampler_bytes == pytest.approx(
        overhead.workspace(LLAMA_8B, Layout(), replace(V1, max_num_seqs=128)).sampler_bytes
    )


@given(st.integers(1, 65_536), st.integers(1, 4_096), st.sampled_from([1, 2, 4, 8]))
def test_the_band_holds_the_expected_value(tokens: int, sequences: int, ranks: int) -> None:
    """Low <= base <= high, and base is what stays plus the higher of two peaks."""
    settings = replace(V1, max_num_batched_tokens=tokens, max_num_seqs=sequences)
    taken = overhead.workspace(GPT_OSS, Layout(ranks), settings)
    assert 0 < taken.low_bytes <= taken.base_bytes <= taken.high_bytes
    assert taken.base_bytes == pytest.approx(taken.resident_bytes + max(taken.forward_bytes, taken.sampler_bytes))


@given(st.integers(256, 65_536), st.integers(1, 4_096))
def test_more_tokens_or_sequences_never_take_less(tokens: int, sequences: int) -> None:
    """The workspace grows with both scheduler limits."""
    settings = replace(V1, max_num_batched_tokens=tokens, max_num_seqs=sequences)
    first = overhead.workspace(DEEPSEEK_R1, Layout(8), settings).base_bytes
    more_tokens = replace(settings, max_num_batched_tokens=tokens + 512)
    more_sequences = replace(settings, max_num_seqs=sequences + 16)
    for more in (more_tokens, more_sequences):
        assert overhead.workspace(DEEPSEEK_R1, Layout(8), more).base_bytes >= first


def test_arrays_give_what_single_layouts_give() -> None:
    """One call over tensor parallel sizes equals a call for each."""
    sizes = np.array([1.0, 2.0, 4.0, 8.0])
    for model in (LLAMA_70B, GPT_OSS, DEEPSEEK_R1):
        resident, forward, sampler = overhead.parts(model, V1, sizes)
        for index, size in enumerate(sizes):
            one = overhead.workspace(model, Layout(int(size)), V1)
            assert (np.broadcast_to(resident, 4)[index], np.broadcast_to(forward, 4)[index]) == pytest.approx(
                (one.resident_bytes, one.forward_bytes)
            )
            assert sampler == pytest.approx(one.sampler_bytes)


def test_expert_parallel_ranks_gather_their_tokens() -> None:
    """With data parallelism and whole experts the tokens of all ranks meet on each (case V019: 8 x 8,192)."""
    alone = overhead.workspace(DEEPSEEK_R1, Layout(1), V1).forward_bytes
    together = overhead.workspace(DEEPSEEK_R1, Layout(1, 1, 8, True), V1).forward_bytes
    assert together > alone


def test_at_most_eight_constants_are_fitted() -> None:
    """The fitted numbers are the fields of one record, and there are no more than eight."""
    assert len(fields(overhead.WorkspaceConstants)) <= 8


def test_budget_rules_differ_by_engine() -> None:
    """Three engines mean three things by a memory fraction.

    vLLM: total x utilisation - weights - workspace; SGLang: free after load - free before x (1 - fraction);
    TensorRT-LLM: fraction x what is free after the engine is loaded.
    """
    memory, fraction, weights, resident, total = 100.0, 0.9, 40.0, 2.0, 6.0
    assert cache_capacity("vllm-v1", memory, fraction, weights, resident, total) == pytest.approx(44)
    before = memory - resident
    assert cache_capacity("sglang", memory, fraction, weights, resident, total) == pytest.approx(
        (before - weights) - before * (1 - fraction)
    )
    assert cache_capacity("tensorrt-llm", memory, fraction, weights, resident, total) == pytest.approx(
        fraction * (memory - weights - total)
    )


def test_sglang_and_tensorrt_carry_a_doubt() -> None:
    """Their answers rest on documentation and few logs, and say so."""
    for engine in ("sglang", "tensorrt-llm"):
        taken = overhead.workspace(LLAMA_8B, Layout(), engine_defaults(engine, 79.18))
        assert f"estimate-{engine}" in {doubt.code for doubt in taken.doubts}


def test_defaults_follow_the_part() -> None:
    """With 70 GiB V1 takes 8,192 tokens and 1,024 sequences, but not on A100; V0 a whole context, or chunks."""
    assert engine_defaults("vllm-v1", 191.98, "mi300x").max_num_batched_tokens == 8192
    assert engine_defaults("vllm-v1", 79.15, "a100-sxm-80g").max_num_batched_tokens == 2048
    assert engine_defaults("vllm-v1", 44.39, "l40s").max_num_seqs == 256
    assert engine_defaults("vllm-v0", max_model_len=20_000).max_num_batched_tokens == 20_000
    chunked = engine_defaults("vllm-v0", max_model_len=131_072)
    assert (chunked.max_num_batched_tokens, chunked.sampler) == (2048, "none")
    assert engine_defaults("sglang", 139.8, ranks=8).gpu_memory_utilization == pytest.approx(1 - 16 / 139.8, abs=0.001)
    with pytest.raises(UnknownNameError, match="vllm"):
        engine_defaults("vlm")  # type: ignore[arg-type]


def test_a_stated_workspace_has_no_band() -> None:
    """What a question states is taken as stated; a negative one is refused."""
    taken = overhead.stated(2 * GIB)
    assert (taken.low_bytes, taken.base_bytes, taken.high_bytes) == (2 * GIB, 2 * GIB, 2 * GIB)
    with pytest.raises(InputError):
        overhead.stated(-1.0)


def test_a_context_of_ten_million_tokens_costs_sglang_80_gib() -> None:
    """Case F006: 10,485,760 tokens x 2,048 slots x 4 bytes."""
    assert request_table_bytes(10_485_760) / GIB == pytest.approx(80)


def test_experts_need_room_outside_the_budget() -> None:
    """Kimi K3 (93 layers of 7,168) failed with 8.9 GiB outside the budget and ran with 17.8 (case F002)."""
    assert 8.9 < outside_bytes("vllm-v1", 93, 7168, True) / GIB < 17.8
