"""What engines hold beyond the model, against what their logs state."""

from dataclasses import replace

import pytest

from lib import catalog
from lib.errors import InputError
from lib.records import LayerGroup, Layout
from lib.sizing.architecture import of_model
from lib.sizing.engines import EngineSettings, engine_defaults
from lib.sizing.kv_cache import bytes_per_sequence
from lib.sizing.memory import MemoryPlan, plan
from lib.sizing.reserves import absorbed_bytes, groups_as_held
from lib.units import GIB

CATALOG = catalog.load()
V1 = EngineSettings("vllm-v1", 0.9, 2048, 256, "sort", 16)


def held(model: str, length: int, settings: EngineSettings, ranks: int = 1, fp8: bool = False) -> float:
    """Bytes that the engine sets aside for one sequence."""
    groups, in_flight = groups_as_held(of_model(CATALOG.model(model)).groups, settings)
    return float(
        bytes_per_sequence(
            groups, length, "fp8" if fp8 else "bf16", ranks, 1, settings.block_size, in_flight_tokens=in_flight
        )
    )


def test_a_window_holds_the_tokens_of_a_step_as_well() -> None:
    """Case R001: 284.25 sequences of 16,384 tokens of gpt-oss-120b in 45.32 GiB on each of 4 ranks, within 1 %."""
    assert 45.32 * GIB / held("gpt-oss-120b", 16_384, V1, 4) == pytest.approx(284.25, rel=0.01)


@pytest.mark.parametrize(
    ("case", "length", "tokens", "logged_gib"),
    [("A010", 262_144, 2_048, 18.63 / 7.35), ("R028", 500_000, 8_192, 26.15 / 3.37), ("V003", 30_000, 8_192, 6.66)],
)
def test_compressed_attention_holds_states_of_two_steps(case: str, length: int, tokens: int, logged_gib: float) -> None:
    """DeepSeek-V4-Flash with an 8-bit cache: what vLLM asks for one sequence, within 16 % and never above the log."""
    settings = EngineSettings("vllm-v1", 0.9, tokens, 256, "sort", 16)
    ratio = held("deepseek-v4-flash", length, settings, fp8=True) / GIB / logged_gib
    assert 0.84 <= ratio <= 1.0, case


def test_v0_keeps_mixed_windows_whole() -> None:
    """Layers with a window beside layers without one are held at full length; a model of windows alone is not."""
    full = LayerGroup(1, "full", 4, 2, None, 0, 1)
    window = LayerGroup(1, "window", 4, 2, 128, 0, 1)
    old = engine_defaults("vllm-v0")
    assert [group.window for group in groups_as_held((full, window), old)[0]] == [None, None]
    assert [group.window for group in groups_as_held((window,), old)[0]] == [128]


def test_other_engines_hold_what_attention_reads() -> None:
    """SGLang and TensorRT-LLM are reckoned as the formula says."""
    groups = of_model(CATALOG.model("gemma-3-27b")).groups
    for engine in ("sglang", "tensorrt-llm"):
        assert groups_as_held(groups, engine_defaults(engine)) == (groups, 0)


def test_v0_absorbed_the_latent_projections() -> None:
    """DeepSeek-R1 on 8 ranks: 61 x 16 heads x 512 x (1,536 + 7,168) bytes; case R008 logs 4.35 GiB above the share."""
    model = of_model(CATALOG.model("deepseek-r1"))
    copies = absorbed_bytes(model, 8, "vllm-v0", 1.0)
    assert copies == 61 * 16 * 512 * (1536 + 7168)
    assert copies / GIB == pytest.approx(4.35, rel=0.08)
    assert absorbed_bytes(model, 8, "vllm-v1", 1.0) == 0
    assert absorbed_bytes(of_model(CATALOG.model("llama-3.1-8b")), 1, "vllm-v0", 1.0) == 0


def test_the_tokens_of_a_step_are_needed_once_however_many_sequences_there_are() -> None:
    """128 sequences of a model with windows need 127 sequences more than one does, and not one step more."""
    facts = catalog.load()
    model = of_model(facts.model("gpt-oss-120b"))
    settings = engine_defaults("vllm-v1", 79.18, "h100-sxm")

    def load(sequences: int) -> MemoryPlan:
        return plan(model, 79.18, Layout(2), settings, "native", "bf16", 8192, sequences, facts.weight_formats)

    one, many = load(1), load(128)
    assert one.step_bytes > 0
    assert many.needed_bytes - one.needed_bytes == pytest.approx(127 * one.sequence_bytes)
    assert one.needed_bytes == pytest.approx(one.sequence_bytes + one.step_bytes)


def load_of(model: str, settings: EngineSettings, sequences: int, ranks: int, length: int = 8192) -> MemoryPlan:
    """The plan of a load on GPUs of 141 GB."""
    architecture = of_model(CATALOG.model(model))
    formats = CATALOG.weight_formats
    return plan(architecture, 139.8, Layout(ranks), settings, "native", "bf16", length, sequences, formats)


def test_a_shared_prefix_is_kept_once() -> None:
    """64 sequences of 8,192 tokens of which 4,096 are shared: 63 prefixes of 327,680 bytes a token fewer over TP 8."""
    alone = load_of("llama-3.3-70b", V1, 64, 8)
    shared = load_of("llama-3.3-70b", replace(V1, shared_prefix_tokens=4096), 64, 8)
    assert alone.needed_bytes - shared.needed_bytes == pytest.approx(63 * 4096 * 327_680 / 8)
    assert shared.stated_sequences == pytest.approx(alone.stated_sequences)


def test_a_prefix_that_fills_no_block_is_not_shared() -> None:
    """Blocks of 16 tokens are the unit that the prefix cache keeps."""
    assert load_of("llama-3.3-70b", replace(V1, shared_prefix_tokens=15), 64, 8).needed_bytes == pytest.approx(
        load_of("llama-3.3-70b", V1, 64, 8).needed_bytes
    )


def test_windows_and_states_share_nothing() -> None:
    """Of gpt-oss-120b the 18 layers that see everything share the prefix, the 18 with a window do not."""
    alone = load_of("gpt-oss-120b", V1, 8, 1)
    shared = load_of("gpt-oss-120b", replace(V1, shared_prefix_tokens=4096), 8, 1)
    assert alone.needed_bytes - shared.needed_bytes == pytest.approx(7 * 4096 * 18 * 2 * 8 * 64 * 2)


def test_decode_context_parallelism_spreads_only_copies() -> None:
    """A latent cache on eight ranks is eight copies; the eight key heads of Llama 3.3 70B leave none to spread."""
    asked = replace(V1, decode_context_parallel_size=8)
    alone, spread = (load_of("kimi-k2", one, 4, 8, 131_072) for one in (V1, asked))
    assert spread.sequence_bytes == pytest.approx(alone.sequence_bytes / 8)
    with pytest.raises(InputError, match="decode_context_parallel_size"):
        load_of("llama-3.3-70b", asked, 4, 8)


def test_a_checkpoint_narrowed_at_load_needs_its_full_size_first() -> None:
    """Llama 3.3 70B at 16 bit is 141.1 GB, 131.4 GiB: on one GPU of 80 GiB the FP8 model fits and its load does not."""
    architecture = of_model(CATALOG.model("llama-3.3-70b"))
    settings = replace(V1, online_quantization=True)
    found = plan(architecture, 80.0, Layout(1), settings, "fp8-tensor", "bf16", 1024, 1, CATALOG.weight_formats)
    assert (found.verdict, found.reason.code) == ("fits-only-if", "loads-at-16-bit")
    assert found.reason.values["gib"] == pytest.approx(131.4, abs=0.1)
    on_two = plan(architecture, 80.0, Layout(2), settings, "fp8-tensor", "bf16", 1024, 1, CATALOG.weight_formats)
    assert on_two.verdict == "fits"
