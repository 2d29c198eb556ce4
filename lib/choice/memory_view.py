"""What the memory page asks of sizing: replicas with their range, what rules out fewer, and the frontier."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.catalog import Catalog
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import Sized, architecture_of, known_bytes, known_checkpoint, settings_of, sized
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Checkpoint, Doubt, Layout
from lib.sizing import fit, kv_cache, rules_of_thumb, weights
from lib.sizing.layouts import GPUS_PER_NODE
from lib.sizing.memory import MemoryPlan
from lib.sizing.reserves import sequence_and_step_bytes
from lib.units import GB, GIB

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SHORTEST: Final = 128
"""Where the map of context against sequences begins [tokens]."""

STEPS: Final = 49
"""Lengths on the map: as many as a line on a logarithmic axis needs to look smooth."""

BEYOND_LOAD: Final = 4
"""Where a model states no context, the map ends at so many times the chosen length."""


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """What a workload's model weighs, whatever it runs on; without an architecture, `reason` says why."""

    architecture: Architecture | None
    checkpoint: Checkpoint | None
    weight_format: str
    weights_bytes: float | None
    cache_bytes_per_token: float | None
    cache_bytes_per_sequence: float | None
    reason: str

    @property
    def is_published(self) -> bool:
        """Whether the weights are the bytes of a published checkpoint, and not computed from the architecture."""
        row = self.checkpoint
        return row is not None and row.comparable and row.published_bytes is not None


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """GPUs by the two rules of thumb; None where the part's label is not published."""

    by_reserve: int | None
    by_parameters: int | None


@dataclass(frozen=True, slots=True)
class PartMemory:
    """One part: its replicas, how far the workspace's band moves the count, what rules out fewer GPUs."""

    sized: Sized
    hopeful_gpus: int | None
    certain_gpus: int | None
    fewer: MemoryPlan | None
    change: Doubt | None
    rules: RuleCounts | None

    @property
    def accelerator(self) -> Accelerator:
        """The part."""
        return self.sized.accelerator

    @property
    def replica(self) -> fit.FewestGpus | None:
        """The replica that is drawn: one server with tensor parallelism, else the smallest of all layouts."""
        for found in (self.sized.one_server, self.sized.all_layouts):
            if found is not None and found.gpus is not None:
                return found
        return None

    @property
    def is_open(self) -> bool:
        """Whether the band of the workspace moves the count of the headline."""
        return self.sized.gpus is not None and self.hopeful_gpus != self.certain_gpus


@dataclass(frozen=True, slots=True)
class Frontier:
    """The most sequences of each length on a part's replica: with the high, the expected and the low workspace."""

    accelerator: Accelerator
    replica: fit.FewestGpus
    tokens: tuple[int, ...]
    low: tuple[int, ...]
    base: tuple[int, ...]
    high: tuple[int, ...]


@functools.lru_cache(maxsize=512)
def model_memory(catalog: Catalog, workload: Workload) -> ModelMemory:
    """Weights and cache of a workload's model, whole, exact but for quantised weights that nobody published.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, formats, tokens.

    Returns
    -------
    ModelMemory
        Cache as attention reads it, over all GPUs; the engine's reserves come with a part.
    """
    asked = workload.weight_format
    checkpoint = known_checkpoint(catalog, workload)
    known = known_bytes(catalog, workload)
    try:
        architecture = architecture_of(catalog, workload)
        word = architecture.native_format if asked == weights.NATIVE else asked
        computed = weights.checkpoint_bytes(architecture, asked, catalog.weight_formats)
        tokens = workload.context_tokens
        per_token = float(kv_cache.bytes_per_token(architecture.groups, tokens, workload.kv_format, 1))
    except LibError as error:
        return ModelMemory(None, checkpoint, asked, known, None, None, str(error))
    total = known if known is not None else computed
    return ModelMemory(architecture, checkpoint, word, total, per_token, per_token * tokens, "")


def gpus_for_weights(model: ModelMemory, accelerator: Accelerator) -> int | None:
    """The fewest GPUs whose memory holds a model's weights and nothing else, a lower bound for any task.

    gpus = ceil(weights / memory as reported)

    Parameters
    ----------
    model : ModelMemory
        Its weights.
    accelerator : Accelerator
        Its memory.

    Returns
    -------
    int or None
        None where weights or memory are not known.
    """
    memory = accelerator.memory_usable_gib
    if memory is None or model.weights_bytes is None:
        return None
    return math.ceil(model.weights_bytes / (memory * GIB))


def parts_memory(
    catalog: Catalog, workload: Workload, choice: EngineChoice, parts: Sequence[Accelerator]
) -> tuple[PartMemory, ...]:
    """Every part for one workload, sorted by the answer: fewest GPUs first, then the most sequences.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    choice : EngineChoice
        Engine and scheduler.
    parts : sequence of Accelerator
        The candidates.

    Returns
    -------
    tuple of PartMemory
        Parts without a replica last.
    """
    return tuple(sorted((part_memory(catalog, workload, choice, part) for part in parts), key=_rank))


def _rank(part: PartMemory) -> tuple[float, float, int]:
    never = float("inf")
    over_all = part.sized.all_layouts.gpus if part.sized.all_layouts else None
    return part.sized.gpus or never, over_all or never, -(part.sized.most_sequences or 0)


@functools.lru_cache(maxsize=2048)
def part_memory(catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> PartMemory:
    """One part for one workload, an estimate with its range.

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
    PartMemory
        `hopeful_gpus` and `certain_gpus` are the fewest GPUs of one tensor-parallel replica with the workspace at the
        low and at the high end of its band; `fewer` is the plan on the next smaller one, which does not hold the load;
        `change` is the cheapest change that makes the load fit into one server where no size of it does.
    """
    found = sized(catalog, workload, choice, accelerator)
    if found.settings is None or found.one_server is None:
        return PartMemory(found, None, None, None, None, None)
    architecture = architecture_of(catalog, workload)
    rules = _rules(catalog, workload, architecture, accelerator)
    plans = _tensor_parallel_plans(catalog, workload, choice, accelerator)
    hopeful = next(
        (one.layout.gpus for one in plans if one.slack_high_bytes is not None and one.slack_high_bytes >= 0), None
    )
    certain = next(
        (one.layout.gpus for one in plans if one.slack_low_bytes is not None and one.slack_low_bytes >= 0), None
    )
    if found.gpus is not None:
        smaller = [one for one in plans if one.layout.gpus < (found.gpus or 0)]
        return PartMemory(found, hopeful, certain, smaller[-1] if smaller else None, None, rules)
    if not plans:
        return PartMemory(found, None, None, None, None, rules)
    in_server = [one for one in plans if one.layout.gpus <= (accelerator.gpus_per_node or GPUS_PER_NODE)]
    largest = (in_server or plans)[-1]
    change = fit.cheapest_change(
        architecture, accelerator.memory_usable_gib or 0.0, largest.layout, found.settings, workload.weight_format,
        workload.kv_format, workload.context_tokens, workload.concurrency, catalog.weight_formats,
        known_bytes(catalog, workload),
    )  # fmt: skip
    return PartMemory(found, hopeful, certain, largest, change, rules)


def _tensor_parallel_plans(
    catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator
) -> list[MemoryPlan]:
    """The plan of every tensor-parallel replica, smallest first."""
    architecture = architecture_of(catalog, workload)
    settings = settings_of(workload, choice, accelerator)
    node, domain = accelerator.gpus_per_node, accelerator.max_scale_up_gpus
    spread = settings.decode_context_parallel_size
    return [
        fit.plan(
            architecture, accelerator.memory_usable_gib, layout, settings, workload.weight_format, workload.kv_format,
            workload.context_tokens, workload.concurrency, catalog.weight_formats, known_bytes(catalog, workload),
        )
        for layout in fit.legal_layouts(
            architecture, node, domain, "one-server", decode_context_parallel_size=spread
        )
    ]  # fmt: skip


def _rules(catalog: Catalog, workload: Workload, architecture: Architecture, accelerator: Accelerator) -> RuleCounts:
    """GPUs by the rules of thumb, from the label as the rules have it."""
    if accelerator.memory_gb is None:
        return RuleCounts(None, None)
    label = accelerator.memory_gb * GB
    total = model_memory(catalog, workload).weights_bytes or 0.0
    experts, _rest = weights.format_of(architecture, workload.weight_format, catalog.weight_formats)
    by_parameters = rules_of_thumb.need_by_parameters_bytes(architecture.total_parameters, experts.bits_per_weight)
    return RuleCounts(
        rules_of_thumb.gpus_for(rules_of_thumb.need_by_reserve_bytes(total), label),
        rules_of_thumb.gpus_for(by_parameters, label, rules_of_thumb.USABLE_FRACTION),
    )


@functools.lru_cache(maxsize=512)
def frontier(catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> Frontier | None:
    """The most sequences of each length that a part's replica holds, in one vectorised call, an estimate with its band.

    sequences = floor((cache capacity - bytes of one step) / bytes of one sequence) x data parallel ranks

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run; its length is one of the lengths.
    choice : EngineChoice
        Engine and scheduler.
    accelerator : Accelerator
        The part.

    Returns
    -------
    Frontier or None
        Up to the model's context; None for a part without a replica.

    Notes
    -----
    The engine's settings stay those of the chosen load: vLLM V0 alone would choose others for another length.
    """
    replica = part_memory(catalog, workload, choice, accelerator).replica
    if replica is None or replica.plan is None or replica.layout is None:
        return None
    plan, layout = replica.plan, replica.layout
    architecture = architecture_of(catalog, workload)
    tokens = _lengths(architecture, workload.context_tokens)
    chosen = workload.context_tokens
    kept, step = _sequence_and_step(architecture, workload, plan, np.array([*tokens, chosen]))
    share = plan.sequence_bytes / kept[-1]
    ends = (plan.cache_low_bytes, plan.cache_bytes, plan.cache_high_bytes)
    low, base, high = (
        tuple(
            min(int(count), plan.settings.max_num_seqs * layout.data_parallel_size)  # the scheduler runs no more
            for count in _whole_sequences(end or 0.0, kept[:-1] * share, step[:-1] * share, layout)
        )
        for end in ends
    )
    return Frontier(accelerator, replica, tuple(int(length) for length in tokens), low, base, high)


def _lengths(architecture: Architecture, chosen: int) -> Integers:
    limit = max(architecture.max_context or chosen * BEYOND_LOAD, chosen)
    first = min(SHORTEST, chosen, limit)
    return np.unique([*np.geomspace(first, limit, STEPS).round().astype(int), chosen])


def _sequence_and_step(
    architecture: Architecture, workload: Workload, plan: MemoryPlan, tokens: Integers
) -> tuple[Floats, Floats]:
    """Bytes of one sequence of each length and of one step, on a tensor-parallel rank that holds every layer."""
    kept, step = sequence_and_step_bytes(
        architecture.groups, plan.settings, tokens, workload.kv_format, plan.layout.tensor_parallel_size,
        plan.settings.block_size, decode_context_parallel_size=plan.settings.decode_context_parallel_size,
        shared_prefix_tokens=plan.settings.shared_prefix_tokens,
    )  # fmt: skip
    return np.asarray(kept, dtype=float), np.asarray(step, dtype=float)


def _whole_sequences(capacity: float, one: Floats, step: Floats, layout: Layout) -> Floats:
    on_rank: Floats = np.floor(np.maximum(capacity - step, 0.0) / one)
    return on_rank * layout.data_parallel_size
