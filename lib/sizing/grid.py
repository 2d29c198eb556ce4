"""Many memory plans in one call: every layout of a model on every part, and the fewest GPUs of whole tables."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.records import Accelerator, Architecture, KvFormat, LayerGroup, Layout, WeightFormat
from lib.sizing import layouts, overhead, weights
from lib.sizing.engines import EngineSettings, cache_capacity, engine_defaults
from lib.sizing.layouts import MOST_GPUS, Rule
from lib.sizing.memory import outside_needed
from lib.sizing.overhead import Workspace
from lib.sizing.reserves import sequence_and_step_bytes
from lib.units import GIB

Floats = npt.NDArray[np.float64]

NONE_FITS: Final = 0
UNKNOWN_MEMORY: Final = -1


@dataclass(frozen=True, slots=True, eq=False)
class ModelGrid:
    """Plans of one model: one row per layout, one column per part; NaN where the memory of a part is not known."""

    layouts: tuple[Layout, ...]
    weights_bytes: Floats
    workspace_bytes: Floats
    cache_bytes: Floats
    needed_bytes: Floats
    slack_bytes: Floats
    starts: npt.NDArray[np.bool_]
    """Whether the load fits and enough memory stays outside the engine's share."""


@dataclass(frozen=True, slots=True, eq=False)
class GpuTable:
    """Fewest GPUs of models (rows) on parts (columns): NONE_FITS or UNKNOWN_MEMORY where there is no answer."""

    gpus: npt.NDArray[np.int64]
    layouts: tuple[tuple[Layout | None, ...], ...]
    slack_bytes: Floats
    plans: int


def model_grid(
    architecture: Architecture,
    every: Sequence[Layout],
    memory_gib: Sequence[float | None],
    settings: Sequence[EngineSettings],
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    workspace: Workspace | None = None,
    total_bytes: float | None = None,
) -> ModelGrid:
    """The plans of one model in every layout on every part, an estimate; the verdicts that plan gives one by one.

    slack = cache capacity - sequences x bytes of one sequence

    Parameters
    ----------
    architecture : Architecture
        The model.
    every : sequence of Layout
        Rows.
    memory_gib : sequence of float or None
        Columns: memory of one GPU of each part as reported [GiB].
    settings : sequence of EngineSettings
        One for each column.
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
    workspace : Workspace or None
        As in plan.
    total_bytes : float or None
        Size of the published checkpoint where it is known [bytes].

    Returns
    -------
    ModelGrid
        Arrays of layouts x parts, with the stages that leave the fullest GPU the least full (plan keeps to the
        engine's own stages where they fit).

    Raises
    ------
    ConfigError
        The native format is asked for and not known.
    UnknownNameError
        No such format.
    """
    memory = np.array([math.nan if one is None else one for one in memory_gib]) * GIB
    fraction = np.array([one.gpu_memory_utilization for one in settings])
    shape = (len(every), len(memory))
    held, taken, needed, cache = (np.full(shape, np.nan) for _ in range(4))
    enough = np.zeros(shape, dtype=bool)
    sizes = np.array([layout.tensor_parallel_size for layout in every], dtype=float)
    on_rank = np.array([math.ceil(sequences / layout.data_parallel_size) for layout in every], dtype=float)
    scale = total_bytes / weights.checkpoint_bytes(architecture, weight_format, formats) if total_bytes else 1.0
    before: Floats | None = None
    for one in dict.fromkeys(_without_fraction(each) for each in settings):
        columns = np.array([_without_fraction(each) == one for each in settings])
        kept, step = _sequence_and_step(
            architecture.groups, one, max_model_len, kv_format, tuple(sizes.tolist()), workspace is None
        )
        load = np.asarray(kept) * on_rank + step
        # Without windows the tokens in flight do not matter, and the stages are those of the settings before.
        if before is None or not np.array_equal(before, load):
            fullest, share = _fullest(architecture, every, weight_format, formats, load, scale)
            before = load
        resident, forward, sampler = (
            _workspace(architecture, tuple(every), one) if workspace is None else (0.0, 0.0, 0.0)
        )
        total = np.broadcast_to(
            overhead.total(resident, forward, sampler) if workspace is None else workspace.base_bytes, (len(every),)
        )
        at = np.ix_(np.ones(len(every), dtype=bool), columns)
        here = memory[columns][None, :]
        resident_here = np.broadcast_to(resident, (len(every),))[:, None]
        held[at], taken[at] = fullest[:, None], total[:, None]
        needed[at] = (load * share)[:, None]
        cache[at] = cache_capacity(
            one.engine, here, fraction[columns][None, :], fullest[:, None], resident_here, total[:, None]
        )
        left = (here - (resident_here if one.engine == "sglang" else 0.0)) * (1 - fraction[columns][None, :])
        wanted = outside_needed(
            architecture, one, here, np.asarray(forward)[..., None], np.asarray(sampler)[..., None], max_model_len
        )
        enough[at] = (left >= wanted) | (workspace is not None)
    slack = cache - needed
    return ModelGrid(tuple(every), held, taken, cache, needed, slack, enough & (slack >= 0))


def fewest_gpus_table(
    architectures: Sequence[Architecture],
    accelerators: Sequence[Accelerator],
    weight_format: str,
    kv_format: KvFormat,
    max_model_len: int,
    sequences: int,
    formats: Mapping[str, WeightFormat],
    rule: Rule = "one-server",
    settings: Sequence[EngineSettings] | None = None,
    workspace: Workspace | None = None,
    most_gpus: int = MOST_GPUS,
    total_bytes: Sequence[float | None] | None = None,
) -> GpuTable:
    """The fewest GPUs of each model on each part in one call, an estimate; the same answers as fewest_gpus.

    Parameters
    ----------
    architectures : sequence of Architecture
        Rows.
    accelerators : sequence of Accelerator
        Columns.
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
    rule : Rule
        one-server or all-layouts.
    settings : sequence of EngineSettings or None
        One for each part; None for the defaults of vLLM V1.
    workspace : Workspace or None
        As in plan.
    most_gpus : int
        Where the search ends.
    total_bytes : sequence of float or None
        One for each model: size of its published checkpoint where it is known [bytes].

    Returns
    -------
    GpuTable
        GPUs, layouts and slack; the number of plans that were compared.

    Raises
    ------
    ConfigError
        The native format is asked for and not known.
    """
    memory = [part.memory_usable_gib for part in accelerators]
    chosen = settings or [
        engine_defaults("vllm-v1", part.memory_usable_gib, part.accelerator_id) for part in accelerators
    ]
    gpus = np.zeros((len(architectures), len(accelerators)), dtype=np.int64)
    slack = np.full(gpus.shape, np.nan)
    found: list[tuple[Layout | None, ...]] = []
    plans = 0
    domains = np.array([layouts.domain_of(part.gpus_per_node, part.max_scale_up_gpus) for part in accelerators])
    for row, architecture in enumerate(architectures):
        spread = chosen[0].decode_context_parallel_size if chosen else 1
        every = layouts.legal_layouts(architecture, int(domains.max()), None, rule, most_gpus, spread)
        if not every:
            found.append((None,) * len(accelerators))
            continue
        grid = model_grid(
            architecture, every, memory, chosen, weight_format, kv_format, max_model_len, sequences, formats, workspace,
            total_bytes[row] if total_bytes else None,
        )  # fmt: skip
        within = np.array([layout.tensor_parallel_size for layout in every])[:, None] <= domains
        fits = grid.starts & (within | (rule == "one-server"))
        plans += fits.size
        first = fits.argmax(axis=0)
        answers = [every[at] if fits[at, column] else None for column, at in enumerate(first)]
        for column, layout in enumerate(answers):
            if memory[column] is None:
                gpus[row, column] = UNKNOWN_MEMORY
            elif layout is not None:
                gpus[row, column], slack[row, column] = layout.gpus, grid.slack_bytes[first[column], column]
        found.append(tuple(answers))
    return GpuTable(gpus, tuple(found), slack, plans)


@functools.lru_cache(maxsize=1024)
def _without_fraction(settings: EngineSettings) -> EngineSettings:
    """What of the settings decides workspace and reserves."""
    return replace(settings, gpu_memory_utilization=1.0)


@functools.lru_cache(maxsize=512)
def _kinds(every: tuple[Layout, ...]) -> dict[tuple[int, int, bool], list[int]]:
    """Rows by what else than the tensor parallel size they differ in."""
    kinds: dict[tuple[int, int, bool], list[int]] = {}
    for row, layout in enumerate(every):
        key = (layout.pipeline_parallel_size, layout.data_parallel_size, layout.expert_parallel)
        kinds.setdefault(key, []).append(row)
    return kinds


@functools.lru_cache(maxsize=1024)
def _sequence_and_step(
    groups: tuple[LayerGroup, ...],
    settings: EngineSettings,
    max_model_len: int,
    kv_format: KvFormat,
    sizes: tuple[float, ...],
    reserves: bool,
) -> tuple[Floats, Floats]:
    """Bytes of one sequence and those needed once, for each size; the number of sequences does not change them."""
    kept, once = sequence_and_step_bytes(
        groups, settings if reserves else None, max_model_len, kv_format, np.array(sizes), settings.block_size,
        decode_context_parallel_size=settings.decode_context_parallel_size,
        shared_prefix_tokens=settings.shared_prefix_tokens,
    )  # fmt: skip
    return np.asarray(kept, dtype=float), np.asarray(once, dtype=float)


@functools.lru_cache(maxsize=4096)
def _unstaged(
    architecture: Architecture, every: tuple[Layout, ...], experts: WeightFormat, rest: WeightFormat
) -> Floats:
    """Weights of each layout where none has stages; a load does not change them."""
    held = np.empty(len(every))
    table = weights.stage_table(architecture, experts, rest, 1)
    for (_stages, data, whole), rows in _kinds(every).items():
        shards = np.array([every[row].tensor_parallel_size for row in rows], dtype=float)
        held[rows] = weights.rank_bytes(
            table, shards, weights.expert_share(architecture, experts, shards * data, whole)
        )
    return held


def _fullest(
    architecture: Architecture,
    every: Sequence[Layout],
    weight_format: str,
    formats: Mapping[str, WeightFormat],
    cache_bytes: Floats,
    scale: float,
) -> tuple[Floats, Floats]:
    """Weights of the fullest stage of each layout, under the split that leaves it the least full, and its layers."""
    if all(layout.pipeline_parallel_size == 1 for layout in every):
        held_here = _unstaged(architecture, tuple(every), *weights.format_of(architecture, weight_format, formats))
        return held_here * scale, np.ones(len(every))
    held, share = np.empty(len(every)), np.ones(len(every))
    experts, rest = weights.format_of(architecture, weight_format, formats)
    by_layer: dict[tuple[tuple[int, ...], int, bool], Floats] = {}
    for (stages, data, whole), rows in _kinds(tuple(every)).items():
        sizes = tuple(every[row].tensor_parallel_size for row in rows)
        if stages == 1:
            shards = np.array(sizes, dtype=float)
            expert_share = weights.expert_share(architecture, experts, shards * data, whole)
            table = weights.stage_table(architecture, experts, rest, 1)
            held[rows] = weights.rank_bytes(table, shards, expert_share) * scale
            continue
        key = (sizes, data, whole)
        if key not in by_layer:
            by_layer[key] = scale * layouts.layer_bytes(architecture, weight_format, sizes, formats, data, whole)
        level = np.full(len(rows), math.inf)
        for split in layouts.stage_splits(architecture.layers, stages):
            stage, layers = layouts.fullest_stages(by_layer[key], cache_bytes[rows], split)
            full = stage + cache_bytes[rows] * layers
            better = full < level
            level = np.where(better, full, level)
            held[rows] = np.where(better, stage, held[rows])
            share[rows] = np.where(better, layers, share[rows])
    return held, share


@functools.lru_cache(maxsize=4096)
def _workspace(
    architecture: Architecture, every: tuple[Layout, ...], settings: EngineSettings
) -> tuple[Floats, Floats, Floats]:
    """Resident, forward and sampler bytes of each layout; a load does not change them."""
    resident, forward, sampler = (np.empty(len(every)) for _ in range(3))
    # Stages do not matter to the workspace, so that layouts which differ only in them are taken together.
    together: dict[tuple[int, bool], list[int]] = {}
    for (_, data, whole), rows in _kinds(tuple(every)).items():
        together.setdefault((data, whole), []).extend(rows)
    for (data, whole), rows in together.items():
        sizes = np.array([every[row].tensor_parallel_size for row in rows], dtype=float)
        resident[rows], forward[rows], sampler[rows] = overhead.parts(architecture, settings, sizes, data, whole)
    return resident, forward, sampler
