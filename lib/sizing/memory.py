"""The memory of one GPU: what it has, what a model and its engine take of it, and whether a load fits."""

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from lib.errors import InputError
from lib.records import Architecture, Doubt, KvFormat, Layout, WeightFormat
from lib.sizing import layouts, weights
from lib.sizing.engines import (
    GRAPHS_LOGGED_GIB,
    LEAST_FREE_FRACTION,
    EngineSettings,
    Number,
    cache_capacity,
    outside_bytes,
    request_table_bytes,
)
from lib.sizing.overhead import FITTED, Workspace, WorkspaceConstants, larger
from lib.sizing.overhead import workspace as estimate
from lib.sizing.reserves import absorbed_bytes, sequence_and_step_bytes
from lib.units import BITS_PER_BYTE, GIB

LATENT_KINDS: Final = ("mla", "indexer", "compressed")
FP8_BLOCK: Final = 128
"""Engines refuse experts in fp8 blocks whose width per rank is not a multiple of the block."""

COMPRESSED_UNEXPLAINED_GIB: Final = 6.0
"""Logs V003 and R028: DeepSeek-V4-Flash on two ranks holds so much more per GPU than is explained here [GiB]."""

Verdict = Literal["fits", "fits-only-if", "does-not-start", "unknown-memory"]


@dataclass(frozen=True, slots=True)
class Stage:
    """The fullest pipeline stage: the split it belongs to, its weights, and its share of the layers."""

    stages: tuple[int, ...]
    weights_bytes: float
    layer_share: float


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """One GPU of one replica: what it has, what it holds, what is left, and the verdict with its reason.

    The parts are those of the fullest GPU. Each sequence keeps `sequence_bytes`; the tokens of one scheduler step need
    `step_bytes` beside them once; `cache_sequences` is how many sequences that holds, `stated_sequences` what an engine
    logs, which reckons with a step for each. `reason` is why the verdict is not "fits" (code none where it is); low, base
    and high of the workspace give high, base and low of cache and slack.
    """

    layout: Layout
    settings: EngineSettings
    memory_bytes: float | None
    budget_bytes: float | None
    weights_bytes: float
    workspace: Workspace
    cache_low_bytes: float | None
    cache_bytes: float | None
    cache_high_bytes: float | None
    sequence_bytes: float
    step_bytes: float
    needed_bytes: float
    cache_sequences: float | None
    stated_tokens: float | None
    stated_sequences: float | None
    slack_low_bytes: float | None
    slack_bytes: float | None
    slack_high_bytes: float | None
    stages: tuple[int, ...]
    verdict: Verdict
    reason: Doubt
    doubts: tuple[Doubt, ...]

    @property
    def free_bytes(self) -> float | None:
        """Memory that weights, expected workspace and the load's cache leave; negative where they need more."""
        if self.memory_bytes is None:
            return None
        return self.memory_bytes - self.weights_bytes - self.workspace.base_bytes - self.needed_bytes

    @property
    def starts(self) -> bool:
        """Whether the engine is expected to start: one full sequence fits, and enough memory stays outside."""
        return self.verdict == "fits" or self.reason.code in ("sequences", "tight", "loads-at-16-bit")


NO_REASON: Final = Doubt("none", {})


def plan(
    architecture: Architecture,
    memory_gib: float | None,
    layout: Layout,
    settings: EngineSettings,
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    total_bytes: float | None = None,
    workspace: Workspace | None = None,
    constants: WorkspaceConstants = FITTED,
) -> MemoryPlan:
    """The memory of the fullest GPU of one replica and whether a load fits, an estimate.

    slack = cache capacity - sequences x bytes of one sequence - bytes of one step

    Parameters
    ----------
    architecture : Architecture
        The model.
    memory_gib : float or None
        Memory of one GPU as the runtime reports it; None where it is not known [GiB].
    layout : Layout
        How the replica is split.
    settings : EngineSettings
        Engine, its memory fraction and scheduler limits.
    weight_format : str
        Word of the format, or native.
    kv_format : KvFormat
        Format of the cache.
    max_model_len : int
        Length of every sequence, all of them full [tokens].
    sequences : int
        Sequences at the same time, shared evenly by data-parallel ranks.
    formats : Mapping[str, WeightFormat]
        Formats by their words.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].
    workspace : Workspace or None
        What the engine takes; None for the estimate, NO_WORKSPACE or stated(...) where a question says so. With a
        workspace given the cache is counted as attention reads it, without an engine's reserves.
    constants : WorkspaceConstants
        Fitted numbers of the estimate.

    Returns
    -------
    MemoryPlan
        Parts, capacity, slack with its band, verdict, reason and doubts.

    Raises
    ------
    InputError
        A count below 1, a memory or fraction outside its meaning.
    ConfigError
        The native format is asked for and not known.
    UnknownNameError
        No such format.

    Notes
    -----
    "fits": with the high workspace too. "fits-only-if": all but the stated reason. "does-not-start": not one sequence.
    """
    _check(memory_gib, settings, max_model_len, sequences)
    if not layouts.spreads(architecture, layout.tensor_parallel_size, settings.decode_context_parallel_size):
        raise InputError(
            "decode_context_parallel_size", settings.decode_context_parallel_size,
            "1, or a divisor of the tensor parallel size that shares no more than the copies of the cache",
        )  # fmt: skip
    estimated = workspace is None
    taken = estimate(architecture, layout, settings, constants) if workspace is None else workspace
    kept, step = (
        float(one)
        for one in sequence_and_step_bytes(
            architecture.groups, settings if estimated else None, max_model_len, kv_format,
            layout.tensor_parallel_size, settings.block_size,
            decode_context_parallel_size=settings.decode_context_parallel_size,
            shared_prefix_tokens=settings.shared_prefix_tokens,
        )
    )  # fmt: skip
    on_rank = math.ceil(sequences / layout.data_parallel_size)
    experts, _ = weights.format_of(architecture, weight_format, formats)
    memory, fraction = (memory_gib or math.nan) * GIB, settings.gpu_memory_utilization
    copies = _copies(architecture, weight_format, layout, formats, settings) if estimated else 0.0
    for stage in _stages(architecture, weight_format, layout, formats, kept * on_rank + step, total_bytes):
        held_weights = stage.weights_bytes + copies * stage.layer_share
        low, base, high = (
            float(cache_capacity(settings.engine, memory, fraction, held_weights, resident, total))
            for resident, total in _band(taken)
        )
        sequence, shared = kept * stage.layer_share, step * stage.layer_share
        needed = sequence * on_rank + shared
        if base >= needed:
            break
    doubts = [*taken.doubts, *_layout_doubts(architecture, layout, stage, experts, max_model_len)]
    if memory_gib is None:
        return MemoryPlan(
            layout, settings, None, None, held_weights, taken, None, None, None, sequence, shared, needed,
            None, None, None, None, None, None, stage.stages, "unknown-memory", Doubt("unknown-memory", {}), tuple(doubts),
        )  # fmt: skip
    held = max(base - shared, 0.0) / sequence
    stated = max(base, 0.0) / (sequence + shared)
    outside = _outside(architecture, settings, memory, taken, max_model_len) if estimated else None
    verdict, reason = _judge(low, base, high, sequence + shared, needed, held_weights, memory * fraction, held, outside)
    if outside is not None:
        doubts.append(outside)
    if settings.online_quantization and (loading := _loading(architecture, weight_format, layout, formats, memory)):
        doubts.append(loading)
        if loading.values["short"] and verdict == "fits":
            verdict, reason = "fits-only-if", loading
    if verdict != "does-not-start" and low < needed <= base:
        doubts.append(Doubt("tight", {"short_gib": (needed - low) / GIB}))
    return MemoryPlan(
        layout=layout,
        settings=settings,
        memory_bytes=memory,
        budget_bytes=memory * fraction,
        weights_bytes=held_weights,
        workspace=taken,
        cache_low_bytes=low,
        cache_bytes=base,
        cache_high_bytes=high,
        sequence_bytes=sequence,
        step_bytes=shared,
        needed_bytes=needed,
        cache_sequences=held * layout.data_parallel_size,
        stated_tokens=stated * max_model_len * layout.data_parallel_size,
        stated_sequences=stated * layout.data_parallel_size,
        slack_low_bytes=low - needed,
        slack_bytes=base - needed,
        slack_high_bytes=high - needed,
        stages=stage.stages,
        verdict=verdict,
        reason=reason,
        doubts=tuple(doubts),
    )


def _check(memory_gib: float | None, settings: EngineSettings, max_model_len: int, sequences: int) -> None:
    if memory_gib is not None and not 0 < memory_gib < math.inf:
        raise InputError("memory_gib", memory_gib, "above 0")
    if not 0 < settings.gpu_memory_utilization <= 1:
        raise InputError("gpu_memory_utilization", settings.gpu_memory_utilization, "above 0, at most 1")
    for name, value in (
        ("max_model_len", max_model_len),
        ("sequences", sequences),
        ("max_num_batched_tokens", settings.max_num_batched_tokens),
        ("max_num_seqs", settings.max_num_seqs),
        ("block_size", settings.block_size),
    ):
        if not value >= 1:
            raise InputError(name, value, "1 or more")


def _loading(
    architecture: Architecture, weight_format: str, layout: Layout, formats: Mapping[str, WeightFormat], memory: float
) -> Doubt | None:
    """What a 16-bit checkpoint takes before it is quantised, where that is more than what stays."""
    experts, _rest = weights.format_of(architecture, weight_format, formats)
    if experts.bits_per_weight >= weights.BYTES_AT_16_BIT * BITS_PER_BYTE:
        return None
    whole = weights.bytes_per_gpu(architecture, "bf16", layout, formats)
    return Doubt("loads-at-16-bit", {"gib": whole / GIB, "memory_gib": memory / GIB, "short": whole > memory})


def _copies(
    architecture: Architecture,
    weight_format: str,
    layout: Layout,
    formats: Mapping[str, WeightFormat],
    settings: EngineSettings,
) -> float:
    """Copies of weights that an old engine makes at load."""
    if settings.engine != "vllm-v0":
        return 0.0
    _, rest = weights.format_of(architecture, weight_format, formats)
    width = 1.0 if rest.bits_per_weight < weights.BYTES_AT_16_BIT * BITS_PER_BYTE else float(weights.BYTES_AT_16_BIT)
    return absorbed_bytes(architecture, layout.tensor_parallel_size, settings.engine, width)


@functools.lru_cache(maxsize=65_536)
def _held(architecture: Architecture, experts: WeightFormat, rest: WeightFormat, layout: Layout) -> float:
    """Weights on one GPU of a layout with one stage; most questions about a model ask for the same few."""
    shards = layout.tensor_parallel_size * layout.data_parallel_size
    share = weights.expert_share(architecture, experts, shards, layout.expert_parallel)
    table = weights.stage_table(architecture, experts, rest, 1)
    return float(weights.rank_bytes(table, layout.tensor_parallel_size, share))


def _stages(
    architecture: Architecture,
    weight_format: str,
    layout: Layout,
    formats: Mapping[str, WeightFormat],
    cache_bytes: float,
    total_bytes: float | None,
) -> Iterator[Stage]:
    """The fullest stage under each split of the layers, vLLM's own split first."""
    scale = 1.0
    if total_bytes is not None:
        scale = total_bytes / weights.checkpoint_bytes(architecture, weight_format, formats)
    if layout.pipeline_parallel_size == 1:
        held = _held(architecture, *weights.format_of(architecture, weight_format, formats), layout)
        yield Stage((architecture.layers,), held * scale, 1.0)
        return
    by_layer = layouts.layer_bytes(
        architecture, weight_format, (layout.tensor_parallel_size,), formats,
        layout.data_parallel_size, layout.expert_parallel,
    )  # fmt: skip
    splits = layouts.stage_splits(architecture.layers, layout.pipeline_parallel_size)
    # The own split comes again at the end: where none fits, it is what an engine would do.
    for split in (*splits, splits[0]):
        held_here, shares = layouts.fullest_stages(by_layer * scale, np.array([cache_bytes]), split)
        yield Stage(split, float(held_here[0]), float(shares[0]))


def _band(taken: Workspace) -> tuple[tuple[float, float], ...]:
    """Resident and total bytes for the high, the expected and the low workspace."""
    totals = (taken.high_bytes, taken.base_bytes, taken.low_bytes)
    if not taken.base_bytes:
        return tuple((taken.resident_bytes, total) for total in totals)
    return tuple((taken.resident_bytes * (total / taken.base_bytes), total) for total in totals)


def outside_needed(
    architecture: Architecture,
    settings: EngineSettings,
    memory_bytes: Number,
    forward_bytes: Number,
    sampler_bytes: Number,
    max_model_len: int,
) -> Number:
    """What must find place outside the engine's own share of the memory, an estimate.

    vLLM: max(graphs and expert buffers, 1.5 % of the memory); SGLang: those, the activations and the request table

    Parameters
    ----------
    architecture : Architecture
        Layers, width and experts.
    settings : EngineSettings
        Whose share.
    memory_bytes : Number
        Of one GPU [bytes].
    forward_bytes : Number
        Activations of a step [bytes].
    sampler_bytes : Number
        Peak of sampling [bytes].
    max_model_len : int
        Longest context [tokens].

    Returns
    -------
    Number
        Per GPU [bytes].
    """
    taken = outside_bytes(settings.engine, architecture.layers, architecture.hidden_size, architecture.n_experts > 0)
    if settings.engine == "sglang":
        return taken + larger(forward_bytes, sampler_bytes) + request_table_bytes(max_model_len)
    return larger(taken, memory_bytes * LEAST_FREE_FRACTION) if settings.engine.startswith("vllm") else taken


def _outside(
    architecture: Architecture, settings: EngineSettings, memory: float, taken: Workspace, max_model_len: int
) -> Doubt | None:
    """What must still find place outside the engine's own share, where it is in doubt or short."""
    left = memory * (1 - settings.gpu_memory_utilization)
    if settings.engine == "sglang":
        left -= taken.resident_bytes * (1 - settings.gpu_memory_utilization)
    needed = float(
        outside_needed(architecture, settings, memory, taken.forward_bytes, taken.sampler_bytes, max_model_len)
    )
    in_doubt = max(needed, GRAPHS_LOGGED_GIB[2] * GIB) if settings.engine.startswith("vllm") else needed
    if left >= in_doubt:
        return None
    return Doubt("outside-budget", {"left_gib": left / GIB, "wanted_gib": needed / GIB, "short": left < needed})


def _judge(
    low: float,
    base: float,
    high: float,
    sequence: float,
    needed: float,
    weights_bytes: float,
    budget: float,
    held: float,
    outside: Doubt | None,
) -> tuple[Verdict, Doubt]:
    if base < sequence:
        if high >= sequence:
            return "fits-only-if", Doubt("workspace-low", {"short_gib": (sequence - base) / GIB})
        if weights_bytes > budget:
            return "does-not-start", Doubt("weights", {"short_gib": (weights_bytes - budget) / GIB})
        if base <= 0:
            return "does-not-start", Doubt("workspace", {"short_gib": -base / GIB})
        return "does-not-start", Doubt("context", {"holds": held, "short_gib": (sequence - base) / GIB})
    if outside is not None and outside.values["short"]:
        return "fits-only-if", outside
    if base < needed:
        return "fits-only-if", Doubt("sequences", {"sequences": math.floor(held)})
    if low < needed:
        return "fits-only-if", Doubt("tight", {"short_gib": (needed - low) / GIB})
    return "fits", NO_REASON


def _layout_doubts(
    architecture: Architecture, layout: Layout, stage: Stage, experts: WeightFormat, max_model_len: int
) -> list[Doubt]:
    size, doubts = layout.tensor_parallel_size, []
    copied = [group for group in architecture.groups if group.max_tp_shards < size and group.bytes_per_token_bf16]
    if copied:
        fewest = min(group.max_tp_shards for group in copied)
        latent = any(group.kind in LATENT_KINDS for group in copied)
        code = "latent-replicated" if latent else "heads-replicated"
        doubts.append(Doubt(code, {"copies": size // fewest}))
    if size > 1 and any(group.kind == "compressed" for group in architecture.groups):
        doubts.append(Doubt("compressed-unexplained", {"gib": COMPRESSED_UNEXPLAINED_GIB}))
    if not layouts.divides(architecture, size):
        doubts.append(Doubt("does-not-divide", {"tensor_parallel_size": size, "heads": architecture.n_heads}))
    block = FP8_BLOCK if experts.weight_format == "fp8-block128" else 0
    share = architecture.moe_intermediate_size // (size * layout.data_parallel_size)
    if block and architecture.n_experts and not layout.expert_parallel and share % block:
        doubts.append(Doubt("fp8-blocks", {"width": share, "block": block}))
    if len(stage.stages) > 1:
        own = weights.stage_layers(architecture.layers, layout.pipeline_parallel_size)
        code = "stages" if stage.stages == own else "stages-by-hand"
        doubts.append(Doubt(code, {"stages": stage.stages}))
    if architecture.max_context and max_model_len > architecture.max_context:
        doubts.append(Doubt("beyond-context", {"max_context": architecture.max_context}))
    return doubts
