"""A memory plan taken apart: weights by component and cache by layer group, as they stand in its equations."""

import functools
from dataclasses import dataclass, replace

from lib.catalog import Catalog
from lib.choice.memory_view import part_memory
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import architecture_of, known_bytes
from lib.records import Accelerator, Architecture, LayerGroup, Layout, ParameterBlock
from lib.sizing import kv_cache, weights
from lib.sizing.memory import MemoryPlan
from lib.sizing.reserves import groups_as_held, sequence_and_step_bytes


@dataclass(frozen=True, slots=True)
class ComponentBytes:
    """Weights of one kind: in the whole model, and on one GPU where no pipeline stage makes GPUs differ."""

    component: str
    parameters: int
    whole_bytes: float
    on_gpu_bytes: float | None


@dataclass(frozen=True, slots=True)
class GroupBytes:
    """Cache of one layer group for one sequence on one GPU, as the engine holds it."""

    group: LayerGroup
    bytes_per_token: float
    tokens_held: float
    shards: int
    on_gpu_bytes: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A plan taken apart: every number that stands in its equations."""

    plan: MemoryPlan
    components: tuple[ComponentBytes, ...]
    groups: tuple[GroupBytes, ...]
    checkpoint_ratio: float
    sequences_on_rank: int


@functools.lru_cache(maxsize=512)
def breakdown(catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> Breakdown | None:
    """The plan of a part's replica taken apart: weights by component, cache by layer group.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    choice : EngineChoice
        Engine and scheduler.
    accelerator : Accelerator
        The part.

    Returns
    -------
    Breakdown or None
        Components sum to the weights of the plan (without pipeline stages), groups to the bytes of one sequence before
        a prefix is shared; None for a part without a replica.
    """
    replica = part_memory(catalog, workload, choice, accelerator).replica
    if replica is None or replica.plan is None:
        return None
    plan = replica.plan
    architecture = architecture_of(catalog, workload)
    known = known_bytes(catalog, workload)
    formats = catalog.weight_formats
    ratio = known / weights.checkpoint_bytes(architecture, workload.weight_format, formats) if known else 1.0
    return Breakdown(
        plan=plan,
        components=tuple(
            _component(catalog, workload, architecture, name, plan.layout, ratio)
            for name in dict.fromkeys(
                block.component for block in architecture.blocks if _is_loaded(architecture, block)
            )
        ),
        groups=_groups(architecture, workload, plan),
        checkpoint_ratio=ratio,
        sequences_on_rank=-(-workload.concurrency // plan.layout.data_parallel_size),
    )


def _is_loaded(architecture: Architecture, block: ParameterBlock) -> bool:
    return architecture.drafts_loaded or not block.is_draft


def _component(
    catalog: Catalog, workload: Workload, architecture: Architecture, name: str, layout: Layout, ratio: float
) -> ComponentBytes:
    """One component's bytes: those of a model whose other blocks are empty."""
    blocks = tuple(
        block if block.component == name and _is_loaded(architecture, block)
        else replace(block, parameters=0, by_layer=tuple(0 for _layer in block.by_layer))
        for block in architecture.blocks
    )  # fmt: skip
    alone = replace(architecture, blocks=blocks)
    formats = catalog.weight_formats
    on_gpu = None
    if layout.pipeline_parallel_size == 1:
        on_gpu = weights.bytes_per_gpu(alone, workload.weight_format, layout, formats) * ratio
    return ComponentBytes(
        component=name,
        parameters=sum(block.parameters for block in blocks),
        whole_bytes=weights.checkpoint_bytes(
            alone, workload.weight_format, formats, draft_layers=architecture.drafts_loaded
        )
        * ratio,
        on_gpu_bytes=on_gpu,
    )


def _groups(architecture: Architecture, workload: Workload, plan: MemoryPlan) -> tuple[GroupBytes, ...]:
    settings, size = plan.settings, plan.layout.tensor_parallel_size
    held, _in_flight = groups_as_held(architecture.groups, settings)
    tokens, form = workload.context_tokens, workload.kv_format
    spread = settings.decode_context_parallel_size
    own, _once = sequence_and_step_bytes(
        architecture.groups, settings, tokens, form, size, settings.block_size,
        decode_context_parallel_size=spread, shared_prefix_tokens=settings.shared_prefix_tokens,
    )  # fmt: skip
    stage_share = plan.sequence_bytes / float(own)
    result = []
    for group in held:
        one = kv_cache.bytes_per_sequence(
            (group,), tokens, form, size, 1, settings.block_size, decode_context_parallel_size=spread
        )
        result.append(
            GroupBytes(
                group=group,
                bytes_per_token=group.bytes_per_token_bf16 if form == "bf16" else group.bytes_per_token_fp8,
                tokens_held=float(kv_cache.tokens_held(tokens, group.window)),
                shards=min(size, group.max_tp_shards),
                on_gpu_bytes=float(one) * stage_share,
            )
        )
    return tuple(result)
