"""Layouts that hold a model and are not ranked: pipeline stages, and data parallel attention with whole experts.

Too few sources have measured them for the throughput model to rank them. What they hold is a matter of memory alone, and
is said beside the layouts that are ranked, with what the measured rows say of them.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.demand import demand_of
from lib.choice.fleet_costs import ask_of
from lib.choice.holding import as_held
from lib.choice.recommend import Recommendation
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import architecture_of, known_bytes, settings_of
from lib.errors import LibError
from lib.records import Accelerator, Layout
from lib.sizing.fit import most_sequences
from lib.sizing.grid import model_grid
from lib.sizing.layouts import GPUS_PER_NODE, MOST_GPUS, legal_layouts
from lib.sizing.serving_basis import Observed
from lib.sizing.throughput import basis_of
from lib.sizing.throughput_validation import validation

Kind = Literal["pipeline", "data"]

KINDS: Final[tuple[Kind, ...]] = ("pipeline", "data")

MATTERS: Final = 1.5
"""A layout that holds so many times the sequences is worth asking a measured rate for. A choice, not a measured figure."""

WORTH: Final = 1.05
"""A layout on as many GPUs that holds less than a twentieth more is none to consider: memory is not known that well."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A layout of a candidate that is not ranked: the sequences of a replica, and the fleet that memory alone asks for.

    `times` are its sequences over those of the ranked layout on as many GPUs, None where no ranked one has as many.
    `saved_gpus` are paid for less than the ranked layouts ask for memory; a fleet whose GPUs are stated saves none.
    `is_only` where no ranked layout holds the model.
    """

    kind: Kind
    layout: Layout
    sequences: int
    replicas: int
    gpus: int
    rival: Layout | None
    times: float | None
    saved_gpus: int
    is_only: bool

    @property
    def matters(self) -> bool:
        """Whether a measured rate of it could change the fleet."""
        return self.is_only or self.saved_gpus > 0 or (self.times is not None and self.times >= MATTERS)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a kind of layout: runs, their sources, parts and models, and how far estimates were off.

    `error` is the median of |estimate / measured - 1| where the sources of the runs are left out, None without one.
    """

    kind: Kind
    runs: int
    sources: int
    accelerators: tuple[str, ...]
    models: tuple[str, ...]
    error: float | None


def kind_of(layout: Layout) -> Kind | None:
    """The kind of a layout that is not ranked.

    Parameters
    ----------
    layout : Layout
        Any.

    Returns
    -------
    {"pipeline", "data"} or None
        None for tensor parallelism alone.

    Examples
    --------
    >>> kind_of(Layout(4, 2)), kind_of(Layout(1, 1, 8, True)), kind_of(Layout(8))
    ('pipeline', 'data', None)
    """
    if layout.pipeline_parallel_size > 1:
        return "pipeline"
    return "data" if layout.data_parallel_size > 1 else None


@functools.lru_cache(maxsize=8)
def measured_of(catalog: Catalog, kind: Kind) -> Measured:
    """The measured runs of a kind of layout in the basis of the throughput model.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    kind : {"pipeline", "data"}
        Stages, or data parallel attention of a mixture of experts.

    Returns
    -------
    Measured
        Counts of 0 where nobody has measured one.
    """
    rows = [one for one in basis_of(catalog).observed if _is_of(one, kind)]
    labels = {one.row for one in rows}
    errors = [abs(one.error) for one in validation(catalog) if one.row in labels and one.has_basis] if rows else []
    return Measured(
        kind=kind,
        runs=len(rows),
        sources=len({one.source_id for one in rows}),
        accelerators=tuple(dict.fromkeys(one.question.accelerator.short_name for one in rows)),
        models=tuple(dict.fromkeys(one.question.architecture.name for one in rows)),
        error=float(np.median(errors)) if errors else None,
    )


def _is_of(one: Observed, kind: Kind) -> bool:
    question = one.question
    return kind_of(question.layout) == kind and (kind == "pipeline" or question.architecture.n_experts > 0)


def layouts_beside(catalog: Catalog, found: Recommendation, one: Assessment) -> tuple[Beside, ...]:
    """Layouts of a candidate worth considering beside the ranked ones, an estimate of memory alone.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer, for its scenario.
    one : Assessment
        The candidate.

    Returns
    -------
    tuple of Beside
        Of each kind the one with the fewest GPUs that holds a sequence, where it has fewer than the smallest ranked replica
        or no ranked one holds any; and on as many GPUs as the chosen replica (one server without a choice) the one that
        holds most, where it holds more by a twentieth than the chosen one. Nothing for what is not served or a part of no known memory.
    """
    fleet, part, workload = one.fleet, one.cost.accelerator, found.scenario.workload
    if fleet is None or part.memory_usable_gib is None:
        return ()
    ranked = {each.layout: each.sequences for each in fleet.considered if each.sequences}
    smallest = min((each.gpus for each in ranked), default=None)
    chosen = fleet.layout or _on(ranked, part.gpus_per_node or GPUS_PER_NODE)
    size = chosen.gpus if chosen is not None else part.gpus_per_node or GPUS_PER_NODE
    ours = ranked.get(chosen, 0) if chosen is not None else 0
    asked = (catalog, as_held(workload), found.scenario.engine, part)
    rows: dict[Layout, tuple[Kind, int]] = {}
    for kind in KINDS:
        least = _fewest(*asked, kind, MOST_GPUS if smallest is None else smallest - 1)
        most = _most(*asked, kind, size)
        for each, is_asked in ((least, True), (most, most is not None and most[1] >= WORTH * ours)):
            if each is not None and is_asked:
                rows[each[0]] = kind, each[1]
    in_flight = demand_of(workload, found.scenario.prefers.target_load).in_flight
    count = _Count(in_flight, workload.spare_replicas, ask_of(catalog, one.candidate).gpus_per_unit)
    least_paid = min((count.paid(layout.gpus, held) for layout, held in ranked.items()), default=None)
    stated = one.candidate.gpus is not None
    return tuple(
        Beside(
            kind=kind,
            layout=layout,
            sequences=held,
            replicas=count.replicas(held),
            gpus=count.gpus(layout.gpus, held),
            rival=chosen if chosen is not None and chosen.gpus == layout.gpus else None,
            times=held / ours if ours and layout.gpus == size else None,
            saved_gpus=0 if stated or least_paid is None else max(least_paid - count.paid(layout.gpus, held), 0),
            is_only=not ranked,
        )
        for layout, (kind, held) in rows.items()
    )


def most_telling(rows: Sequence[Beside]) -> tuple[Beside, ...]:
    """The rows of a candidate that could change its fleet, one of each kind: the one that holds most times the sequences.

    Parameters
    ----------
    rows : sequence of Beside
        Of one candidate.

    Returns
    -------
    tuple of Beside
        Those that matter, of each kind the first in times held, then in GPUs saved, then in fewest GPUs.
    """
    by_kind = ([one for one in rows if one.kind == kind and one.matters] for kind in KINDS)
    return tuple(
        max(several, key=lambda one: (one.times or 0.0, one.saved_gpus, -one.layout.gpus))
        for several in by_kind
        if several
    )


@dataclass(frozen=True, slots=True)
class _Count:
    """Replicas and GPUs that memory alone asks for."""

    in_flight: int
    spares: int
    unit: int

    def replicas(self, held: int) -> int:
        return math.ceil(self.in_flight / held)

    def gpus(self, size: int, held: int) -> int:
        return (self.replicas(held) + self.spares) * size

    def paid(self, size: int, held: int) -> int:
        return -(-self.gpus(size, held) // self.unit) * self.unit


def _on(ranked: Mapping[Layout, int], gpus: int) -> Layout | None:
    """The ranked layout on so many GPUs, where no fleet was chosen."""
    return next((one for one in ranked if one.gpus == gpus), None)


@functools.lru_cache(maxsize=512)
def _fewest(
    catalog: Catalog, workload: Workload, engine: EngineChoice, part: Accelerator, kind: Kind, most_gpus: int
) -> tuple[Layout, int] | None:
    """The layout of a kind with the fewest GPUs that holds a sequence, and how many it holds."""
    return _first(catalog, workload, engine, part, lambda one: kind_of(one) == kind and one.gpus <= most_gpus)


@functools.lru_cache(maxsize=512)
def _most(
    catalog: Catalog, workload: Workload, engine: EngineChoice, part: Accelerator, kind: Kind, gpus: int
) -> tuple[Layout, int] | None:
    """The layout of a kind on so many GPUs that holds most sequences; of equals the one of the largest tensor parallel size."""
    found = [
        one
        for layout in _every(catalog, workload, engine, part)
        if kind_of(layout) == kind and layout.gpus == gpus
        and (one := _first(catalog, workload, engine, part, lambda each, asked=layout: each == asked)) is not None  # type: ignore[misc]
    ]  # fmt: skip
    return max(found, key=lambda one: one[1], default=None)


def _every(catalog: Catalog, workload: Workload, engine: EngineChoice, part: Accelerator) -> tuple[Layout, ...]:
    """Every layout that engines accept for a model on a part; none for a model that cannot be read."""
    try:
        architecture = architecture_of(catalog, workload)
    except LibError:
        return ()
    settings = settings_of(workload, engine, part)
    return legal_layouts(
        architecture, part.gpus_per_node, part.max_scale_up_gpus, "all-layouts", MOST_GPUS,
        settings.decode_context_parallel_size,
    )  # fmt: skip


def _first(
    catalog: Catalog,
    workload: Workload,
    engine: EngineChoice,
    part: Accelerator,
    is_asked: Callable[[Layout], bool],
) -> tuple[Layout, int] | None:
    """The first of some layouts that holds a sequence on each of its ranks, and how many it holds."""
    every = tuple(one for one in _every(catalog, workload, engine, part) if is_asked(one))
    if not every:
        return None
    architecture, settings = architecture_of(catalog, workload), settings_of(workload, engine, part)
    total = known_bytes(catalog, workload)

    def starts(layouts: tuple[Layout, ...], sequences: int) -> list[bool]:
        grid = model_grid(
            architecture, layouts, [part.memory_usable_gib], [settings], workload.weight_format, workload.kv_format,
            workload.context_tokens, sequences, catalog.weight_formats, total_bytes=total,
        )  # fmt: skip
        return list(grid.starts[:, 0])

    try:
        layout = next((one for one, fits in zip(every, starts(every, 1), strict=True) if fits), None)
        if layout is None:
            return None
        ranks = layout.data_parallel_size
        guess = most_sequences(
            architecture, part.memory_usable_gib or 0.0, layout, settings, workload.weight_format, workload.kv_format,
            workload.context_tokens, catalog.weight_formats, total,
        )  # fmt: skip
        return layout, ranks * _largest(lambda on_rank: starts((layout,), on_rank * ranks)[0], guess // ranks)
    except LibError:
        return None


def _largest(holds: Callable[[int], bool], guess: int) -> int:
    """The largest number that still holds, of which 1 does: sought around a guess, in steps that double.

    The guess is exact but for stages, of which another may be the fullest under the whole load than under one sequence.
    """
    least, step = max(guess, 1), 1
    while least > 1 and not holds(least):
        least, step = max(least - step, 1), 2 * step
    beyond, step = least + 1, 1
    while holds(beyond):
        least, beyond, step = beyond, beyond + step, 2 * step
    while beyond - least > 1:
        middle = (least + beyond) // 2
        least, beyond = (middle, beyond) if holds(middle) else (least, middle)
    return least
