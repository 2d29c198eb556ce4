"""Fewest GPUs of every model of the catalogue on every part compared, under one load: the whole field in one table."""

import functools
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import SERVING_TASKS, architecture_of, known_bytes, settings_of
from lib.errors import LibError
from lib.records import Accelerator, Architecture
from lib.sizing import grid, weights
from lib.units import GIB

BEYOND_CONTEXT: Final = -2
"""In the place of a count: the load is longer than the context that the model states."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model: its weights and the fewest GPUs of each part, or one of the marks of the grid in their place."""

    model_id: str
    name: str
    weight_format: str
    weights_gib: float
    total_parameters: int
    gpus: tuple[int, ...]
    is_chosen: bool


@functools.lru_cache(maxsize=64)
def model_table(
    catalog: Catalog, workload: Workload, choice: EngineChoice, parts: tuple[Accelerator, ...]
) -> tuple[ModelRow, ...]:
    """Every model in its native format on every part in one server with tensor parallelism, an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Its tokens, concurrency and cache format hold for all models; its own model comes first, in its own format.
    choice : EngineChoice
        Engine and scheduler.
    parts : tuple of Accelerator
        Columns.

    Returns
    -------
    tuple of ModelRow
        The chosen model, then the others by their size; empty for a task whose cache is not modelled.
    """
    if workload.task not in SERVING_TASKS:
        return ()
    others = [workload.model_copy(update={"model": name, "config": "", "weight_format": weights.NATIVE, "draft_layers": False})
              for name in catalog.models]  # fmt: skip
    rows = _rows(catalog, others, choice, parts)
    chosen = _rows(catalog, [workload], choice, parts, is_chosen=True)
    return (*chosen, *sorted(rows, key=lambda row: -row.total_parameters))


def _rows(
    catalog: Catalog,
    workloads: list[Workload],
    choice: EngineChoice,
    parts: tuple[Accelerator, ...],
    *,
    is_chosen: bool = False,
) -> list[ModelRow]:
    sized: list[tuple[Workload, Architecture]] = []
    for one in workloads:
        try:
            architecture = architecture_of(catalog, one)
            weights.format_of(architecture, one.weight_format, catalog.weight_formats)
        except LibError:
            continue  # what cannot be sized has no row; the answer above says why where it is the chosen model
        sized.append((one, architecture))
    if not sized:
        return []
    load = sized[0][0]
    totals = [known_bytes(catalog, one) for one, _architecture in sized]
    table = grid.fewest_gpus_table(
        [architecture for _one, architecture in sized], parts, load.weight_format, load.kv_format, load.context_tokens,
        load.concurrency, catalog.weight_formats, settings=[settings_of(load, choice, part) for part in parts],
        total_bytes=totals,
    )  # fmt: skip
    found = []
    for (one, architecture), total, counts in zip(sized, totals, table.gpus.tolist(), strict=True):
        form = one.weight_format
        size = total if total is not None else weights.checkpoint_bytes(architecture, form, catalog.weight_formats)
        too_long = 0 < architecture.max_context < one.context_tokens
        found.append(
            ModelRow(
                model_id=one.model,
                name=architecture.name,
                weight_format=architecture.native_format if form == weights.NATIVE else form,
                weights_gib=size / GIB,
                total_parameters=architecture.total_parameters,
                gpus=(BEYOND_CONTEXT,) * len(parts) if too_long and not is_chosen else tuple(counts),
                is_chosen=is_chosen,
            )
        )
    return found
