"""The inverse questions of memory: fewest GPUs, longest context, most sequences, and what would make a load fit."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from lib.records import Accelerator, Architecture, Doubt, KvFormat, Layout, WeightFormat
from lib.sizing import weights
from lib.sizing.engines import EngineSettings, engine_defaults
from lib.sizing.layouts import (
    GPUS_PER_NODE,
    MOST_GPUS,
    Rule,
    divides,
    domain_of,
    layer_bytes,
    legal_layouts,
    preference,
    spreads,
)
from lib.sizing.memory import MemoryPlan, Verdict, plan
from lib.sizing.overhead import Workspace
from lib.sizing.reserves import sequence_and_step_bytes
from lib.units import GIB

__all__ = [
    "FewestGpus", "MemoryPlan", "Rule", "Verdict", "cheapest_change", "divides", "fewest_gpus", "legal_layouts",
    "longest_context", "most_sequences", "plan", "preference",
]  # fmt: skip

HIGHEST_UTILIZATION: Final = 0.95
LONGEST_CONTEXT: Final = 1 << 24
"""Where a model states no context of its own [tokens]."""

FEWER_SEQUENCES: Final = 256
"""The scheduler limit that smaller GPUs start with; it shrinks the sampler of the larger ones to a quarter."""


@dataclass(frozen=True, slots=True)
class FewestGpus:
    """The smallest replica that holds a load under a rule; gpus None where there is none or memory is not known."""

    rule: Rule
    gpus: int | None
    servers: int | None
    layout: Layout | None
    plan: MemoryPlan | None
    doubts: tuple[Doubt, ...]


def fewest_gpus(
    architecture: Architecture,
    accelerator: Accelerator,
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    rule: Rule = "one-server",
    settings: EngineSettings | None = None,
    total_bytes: float | None = None,
    workspace: Workspace | None = None,
    most_gpus: int = MOST_GPUS,
) -> FewestGpus:
    """The smallest replica of one part that holds a load, with its layout, an estimate.

    Parameters
    ----------
    architecture : Architecture
        The model.
    accelerator : Accelerator
        Its memory, server and scale-up domain.
    weight_format : str
        Word of the format, or native.
    kv_format : KvFormat
        Format of the cache.
    max_model_len : int
        Length of every sequence [tokens].
    sequences : int
        Sequences at the same time on the replica.
    formats : Mapping[str, WeightFormat]
        Formats by their words.
    rule : Rule
        one-server (the headline) or all-layouts.
    settings : EngineSettings or None
        None for the defaults of vLLM V1 on that part.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].
    workspace : Workspace or None
        As in plan.
    most_gpus : int
        Where the search ends.

    Returns
    -------
    FewestGpus
        Doubts: across-servers where tensor parallelism leaves the scale-up domain; none-fits, with spread-asked where decode
        context parallelism rules layouts out; unknown-memory.

    Raises
    ------
    InputError
        As in plan.
    ConfigError
        The native format is asked for and not known.

    Notes
    -----
    Fits means with the expected workspace; the plan says where the high one breaks it. Among layouts of the same number
    of GPUs the one with the largest tensor parallel size is taken: it answers fastest.
    """
    memory = accelerator.memory_usable_gib
    if memory is None:
        return FewestGpus(rule, None, None, None, None, (Doubt("unknown-memory", {}),))
    chosen = settings or engine_defaults("vllm-v1", memory, accelerator.accelerator_id)
    node = accelerator.gpus_per_node or GPUS_PER_NODE
    domain = domain_of(accelerator.gpus_per_node, accelerator.max_scale_up_gpus)
    scale = total_bytes / weights.checkpoint_bytes(architecture, weight_format, formats) if total_bytes else 1.0
    spread: dict[int, float] = {}
    for layout in legal_layouts(
        architecture,
        accelerator.gpus_per_node,
        accelerator.max_scale_up_gpus,
        rule,
        most_gpus,
        chosen.decode_context_parallel_size,
    ):
        if layout.pipeline_parallel_size > 1:
            size = layout.tensor_parallel_size
            if size not in spread:
                kept, step = sequence_and_step_bytes(
                    architecture.groups, chosen if workspace is None else None, max_model_len, kv_format, size,
                    chosen.block_size,
                    decode_context_parallel_size=chosen.decode_context_parallel_size,
                    shared_prefix_tokens=chosen.shared_prefix_tokens,
                )  # fmt: skip
                held = layer_bytes(architecture, weight_format, (size,), formats).sum() * scale
                spread[size] = float(held + kept * sequences + step)
            # The fullest stage holds at least an even share of all layers, so that most layouts need no plan.
            if spread[size] / layout.pipeline_parallel_size > memory * GIB:
                continue
        found = plan(
            architecture, memory, layout, chosen, weight_format, kv_format, max_model_len, sequences, formats,
            total_bytes, workspace,
        )  # fmt: skip
        if _holds(found):
            across = (Doubt("across-servers", {"domain": domain}),) if layout.tensor_parallel_size > domain else ()
            servers = math.ceil(layout.gpus / node)
            return FewestGpus(rule, layout.gpus, servers, layout, found, (*across, *found.doubts))
    no_answer = [Doubt("none-fits", {"most_gpus": most_gpus})]
    if chosen.decode_context_parallel_size > 1:
        no_answer.append(Doubt("spread-asked", {"ranks": chosen.decode_context_parallel_size}))
    return FewestGpus(rule, None, None, None, None, tuple(no_answer))


def longest_context(
    architecture: Architecture,
    memory_gib: float,
    layout: Layout,
    settings: EngineSettings,
    weight_format: str,
    kv_format: KvFormat,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    total_bytes: float | None = None,
    workspace: Workspace | None = None,
) -> int:
    """The most tokens of each of some sequences that a layout holds; 0 where not one block fits, an estimate.

    Parameters
    ----------
    architecture : Architecture
        The model; its own context is the limit.
    memory_gib : float
        Memory of one GPU as reported [GiB].
    layout : Layout
        How the replica is split.
    settings : EngineSettings
        Engine, fraction and scheduler limits.
    weight_format : str
        Word of the format, or native.
    kv_format : KvFormat
        Format of the cache.
    sequences : int
        Sequences at the same time.
    formats : Mapping[str, WeightFormat]
        Formats by their words.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].
    workspace : Workspace or None
        As in plan.

    Returns
    -------
    int
        Tokens of each sequence, at most the model's context [tokens].

    Raises
    ------
    InputError
        As in plan.

    Notes
    -----
    The answer fits, and one block more does not or is beyond the model's context.
    """
    limit = architecture.max_context or LONGEST_CONTEXT
    least, most = 0, math.ceil(limit / settings.block_size)

    def fits(blocks: int) -> bool:
        found = plan(
            architecture, memory_gib, layout, settings, weight_format, kv_format,
            min(limit, blocks * settings.block_size), sequences, formats, total_bytes, workspace,
        )  # fmt: skip
        return found.slack_bytes is not None and found.slack_bytes >= 0

    if fits(most):
        return limit
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle) else (least, middle)
    return least * settings.block_size


def most_sequences(
    architecture: Architecture,
    memory_gib: float,
    layout: Layout,
    settings: EngineSettings,
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    formats: Mapping[str, WeightFormat],
    total_bytes: float | None = None,
    workspace: Workspace | None = None,
) -> int:
    """The most full sequences that a layout holds at the same time, weights once, an estimate.

    floor(cache capacity / bytes of one sequence), on each data-parallel rank

    Parameters
    ----------
    architecture : Architecture
        The model.
    memory_gib : float
        Memory of one GPU as reported [GiB].
    layout : Layout
        How the replica is split.
    settings : EngineSettings
        Engine, fraction and scheduler limits.
    weight_format : str
        Word of the format, or native.
    kv_format : KvFormat
        Format of the cache.
    max_model_len : int
        Length of every sequence [tokens].
    formats : Mapping[str, WeightFormat]
        Formats by their words.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].
    workspace : Workspace or None
        As in plan.

    Returns
    -------
    int
        Sequences; the scheduler runs at most max_num_seqs of them on each rank, whatever fits.

    Raises
    ------
    InputError
        As in plan.
    """
    found = plan(
        architecture, memory_gib, layout, settings, weight_format, kv_format, max_model_len, 1, formats, total_bytes,
        workspace,
    )  # fmt: skip
    data = layout.data_parallel_size
    return math.floor((found.cache_sequences or 0.0) / data) * data


def cheapest_change(
    architecture: Architecture,
    memory_gib: float,
    layout: Layout,
    settings: EngineSettings,
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    total_bytes: float | None = None,
) -> Doubt | None:
    """The least change that makes a load fit that does not; None where it fits already, an estimate.

    Parameters
    ----------
    architecture : Architecture
        The model.
    memory_gib : float
        Memory of one GPU as reported [GiB].
    layout : Layout
        How the replica is split.
    settings : EngineSettings
        Engine, fraction and scheduler limits.
    weight_format : str
        Word of the format, or native.
    kv_format : KvFormat
        Format of the cache.
    max_model_len : int
        Length of every sequence [tokens].
    sequences : int
        Sequences at the same time.
    formats : Mapping[str, WeightFormat]
        Formats by their words.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].

    Returns
    -------
    Doubt or None
        In this order, first the free ones: fewer-scheduled (max_num_seqs), more-utilization, fp8-cache,
        fewer-sequences, shorter-context, more-gpus; no-change where none of them is enough.

    Raises
    ------
    InputError
        As in plan.
    """

    def fits(
        settings: EngineSettings = settings,
        kv: KvFormat = kv_format,
        layout: Layout = layout,
        length: int = max_model_len,
        load: int = sequences,
    ) -> bool:
        return _holds(
            plan(architecture, memory_gib, layout, settings, weight_format, kv, length, load, formats, total_bytes)
        )

    if fits():
        return None
    fewer = replace(settings, max_num_seqs=max(sequences, FEWER_SEQUENCES))
    if fewer.max_num_seqs < settings.max_num_seqs and fits(fewer):
        return Doubt("fewer-scheduled", {"max_num_seqs": fewer.max_num_seqs})
    # A higher fraction holds more; a lower one leaves an engine that takes all the memory enough to start.
    if fits(replace(settings, gpu_memory_utilization=HIGHEST_UTILIZATION)):
        return Doubt("more-utilization", {"gpu_memory_utilization": HIGHEST_UTILIZATION})
    if kv_format == "bf16" and fits(kv="fp8"):
        return Doubt("fp8-cache", {})
    common = (architecture, memory_gib, layout, settings, weight_format, kv_format)
    holds = most_sequences(*common, max_model_len, formats, total_bytes)
    if holds and fits(load=holds):
        return Doubt("fewer-sequences", {"sequences": holds})
    length = longest_context(*common, 1, formats, total_bytes)
    if length and fits(length=length, load=1):
        return Doubt("shorter-context", {"max_model_len": length})
    size = layout.tensor_parallel_size
    while size < MOST_GPUS:
        size *= 2
        allowed = divides(architecture, size) and spreads(architecture, size, settings.decode_context_parallel_size)
        if allowed and fits(layout=replace(layout, tensor_parallel_size=size)):
            return Doubt("more-gpus", {"tensor_parallel_size": size})
    return Doubt("no-change", {})


def _holds(found: MemoryPlan) -> bool:
    """Whether the engine is expected to start, and has room for the whole load."""
    return found.starts and found.slack_bytes is not None and found.slack_bytes >= 0
