"""The workload's operating points under the roofs of each part: prefill of one prompt and one decode step."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.chip import PEAK_FIELDS, Datum, Kind, cell
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import architecture_of
from lib.choice.throughput_view import question_of, serves
from lib.errors import LibError
from lib.records import Accelerator, Doubt, Layout
from lib.sizing import intensity, serving_question, weights
from lib.sizing.closed_loop import prefill_times, step_times
from lib.sizing.rates import TERA, UNLIMITED, peak_flops_per_s
from lib.sizing.serving_question import Question

Phase = Literal["prefill", "decode"]
Limit = Literal["memory", "compute", "link"]
PHASES: Final[tuple[Phase, ...]] = ("prefill", "decode")
LIMITS: Final[tuple[Limit, ...]] = ("memory", "compute", "link")

SIXTEEN_BIT: Final = "bf16"
TIE: Final = 1.1
"""Below this ratio of the two longest times nothing is said to bind alone."""

POINT: Final = ("flop_per_byte", "bound_tflops", "memory_ms", "compute_ms", "link_ms")
_MS: Final = 1000.0
_UNITS: Final = {"flop_per_byte": "FLOP/byte", "bound_tflops": "TFLOPS"}
_KINDS: Final[Mapping[str, Kind]] = {"flop_per_byte": "derived", "bound_tflops": "bound"}
"""What the quantities of a point are; times are the least ones."""

_UNITS_OF: Final = (("fp8", "fp8"), ("mxfp8", "fp8"), ("mxfp4", "fp4"), ("nvfp4", "fp4"), ("int8", "int8"))
"""Beginning of a weight format -> the matrix units that compute it; all others compute at 16 bit."""


@dataclass(frozen=True, slots=True)
class Point:
    """One phase of the workload on one GPU of a replica, at the rate that physics allows it at most.

    Times are the least ones at each roof [ms]; None for links whose all-reduce nobody measured.
    """

    phase: Phase
    flop_per_byte: float
    bound_tflops: float
    memory_ms: float
    compute_ms: float
    link_ms: float | None
    sequences: float

    @property
    def times(self) -> tuple[tuple[Limit, float], ...]:
        """The known limits with their times, longest first."""
        known = (("memory", self.memory_ms), ("compute", self.compute_ms), ("link", self.link_ms))
        stated: list[tuple[Limit, float]] = [(name, time) for name, time in known if time is not None]  # type: ignore[misc]
        return tuple(sorted(stated, key=lambda one: -one[1]))

    @property
    def limit(self) -> Limit:
        """What takes longest."""
        return self.times[0][0]

    @property
    def least_ms(self) -> float:
        """The longest of the times: nothing is faster than this."""
        return self.times[0][1]

    @property
    def margin(self) -> float:
        """How many times as long the binding limit takes as the next one."""
        return self.times[0][1] / self.times[1][1]

    @property
    def is_tie(self) -> bool:
        """Whether two limits take nearly the same time."""
        return self.margin < TIE


@dataclass(frozen=True, slots=True)
class Roof:
    """The roofs of one part for the workload's format, and its points; without points, `doubt` says why."""

    part: Accelerator
    weight_format: str
    """The format of the weights, in which most operations are."""
    peak_field: str
    """The column of the peak that applies: of the format's own units, else of 16 bit."""
    peak_tflops: float | None
    layout: Layout | None
    knows_bus: bool
    points: tuple[Point, ...]
    doubt: Doubt | None

    @property
    def is_widened(self) -> bool:
        """Whether weights narrower than 16 bit are computed at 16 bit."""
        return self.peak_field == PEAK_FIELDS["fp16_bf16"] and self.weight_format not in (SIXTEEN_BIT, "fp16")

    @property
    def ridge(self) -> float | None:
        """Operations for each byte at which the datasheet's two roofs meet."""
        width = self.part.memory_bandwidth_tbs
        return None if self.peak_tflops is None or not width else self.peak_tflops / width

    def point(self, phase: Phase) -> Point | None:
        """The point of one phase."""
        return next((one for one in self.points if one.phase == phase), None)


@functools.lru_cache(maxsize=128)
def roofs(
    catalog: Catalog, workload: Workload, engine: EngineChoice, parts: tuple[Accelerator, ...]
) -> tuple[Roof, ...]:
    """The roofs of some parts with the workload's prefill and decode under them, an upper bound.

    rate = operations / max(time at memory, time at compute, time at links)

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    workload : Workload
        What is run, at its tokens and concurrency.
    engine : EngineChoice
        From the scenario.
    parts : tuple of Accelerator
        Looked at.

    Returns
    -------
    tuple of Roof
        In the order of the parts. Points are those of the fewest GPUs that hold the workload.

    Notes
    -----
    Bandwidth and peaks are the datasheet's, the bus bandwidth of all-reduce is measured. Attention runs at its own
    format's peak, so that a point of mixed formats lies below the roof that is drawn.
    """
    word = _format(catalog, workload)
    asked: list[Question | Doubt] = [
        question_of(catalog, workload, workload, engine, part)
        if serves(workload) and part.memory_bandwidth_tbs is not None
        else Doubt("no-bandwidth" if serves(workload) else "memory-not-modelled", {"task": workload.task})
        for part in parts
    ]
    known = [one for one in asked if isinstance(one, Question)]
    found = iter(_points(catalog, known))
    return tuple(
        roof_of(part, word, *next(found), one) if isinstance(one, Question) else roof_of(part, word, asked=one)
        for part, one in zip(parts, asked, strict=True)
    )


def _format(catalog: Catalog, workload: Workload) -> str:
    """The format of the bulk of the weights; 16 bit where the workload is not served or its model cannot be read."""
    if not serves(workload):
        return SIXTEEN_BIT
    try:
        architecture = architecture_of(catalog, workload)
        return weights.format_of(architecture, workload.weight_format, catalog.weight_formats)[0].weight_format
    except LibError:
        return SIXTEEN_BIT


def roof_of(
    part: Accelerator,
    weight_format: str,
    points: tuple[Point, ...] = (),
    knows_bus: bool = True,
    asked: Question | Doubt | None = None,
) -> Roof:
    """The roofs of one part for a weight format.

    Parameters
    ----------
    part : Accelerator
        The part.
    weight_format : str
        Word of the format.
    points : tuple of Point
        Of the workload.
    knows_bus : bool
        Whether all-reduce over the replica was measured.
    asked : Question, Doubt or None
        The replica, or why there is none.

    Returns
    -------
    Roof
        With the column of the peak that applies.
    """
    peak = peak_flops_per_s(part, weight_format)
    units = next((name for start, name in _UNITS_OF if weight_format.startswith(start)), "")
    own = PEAK_FIELDS.get(units, "")
    narrow, wide = getattr(part, own) if own else None, part.fp16_bf16_dense_tflops
    return Roof(
        part=part,
        weight_format=weight_format,
        peak_field=own if narrow is not None and (wide is None or narrow >= wide) else PEAK_FIELDS["fp16_bf16"],
        peak_tflops=None if peak == UNLIMITED else peak / TERA,
        layout=asked.layout if isinstance(asked, Question) else None,
        knows_bus=knows_bus,
        points=points,
        doubt=asked if isinstance(asked, Doubt) else None,
    )


def _points(catalog: Catalog, questions: list[Question]) -> list[tuple[tuple[Point, ...], bool]]:
    """Both points of each question, and whether the all-reduce of its GPUs was measured."""
    if not questions:
        return []
    columns = serving_question.columns(catalog.published, questions)
    work = columns.work
    _, staged, _ = work.crew(work.load.places)
    phases = {
        "prefill": (prefill_times(work), intensity.prefill_flops(work), intensity.prefill_bytes(work)),
        "decode": (step_times(work), intensity.step_flops(work), intensity.step_bytes(work)),
    }
    found = []
    for at, one in enumerate(questions):
        bus = bool(columns.knows_bus[at])
        sent = one.layout.tensor_parallel_size > 1 and bus
        points: list[Point] = []
        for phase in PHASES:
            times, flops, read = phases[phase]
            if not columns.places[at].starts or not columns.knows_peaks[at]:
                continue
            points.append(
                Point(
                    phase=phase,
                    flop_per_byte=float(flops[at] / read[at]),
                    bound_tflops=float(flops[at] / times.longest[at]) / TERA,
                    memory_ms=float(times.memory[at]) * _MS,
                    compute_ms=float(times.compute[at]) * _MS,
                    link_ms=float(times.link[at]) * _MS if sent else None,
                    sequences=1.0 if phase == "prefill" else float(staged[at]),
                )
            )
        found.append((tuple(points), bus))
    return found


def roof_data(catalog: Catalog, one: Roof) -> tuple[Datum, ...]:
    """Roofs and points as quantities for a table.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    one : Roof
        From `roofs`.

    Returns
    -------
    tuple of Datum
        Peak, bandwidth and ridge, then the quantities of POINT for each phase; the links of one GPU alone are none.
    """
    name = one.part.accelerator_id
    peak, width = cell(catalog, one.part, one.peak_field), cell(catalog, one.part, "memory_bandwidth_tbs")
    ridge = Datum(name, "ridge", None, "FLOP/byte", "unknown")
    if one.ridge is not None:
        ridge = Datum(
            name, "ridge", one.ridge, "FLOP/byte", "derived", tuple(dict.fromkeys((*peak.sources, *width.sources)))
        )
    data = [peak, width, ridge]
    alone = one.layout is not None and one.layout.tensor_parallel_size == 1
    for point in one.points:
        for field in POINT:
            value = getattr(point, field)
            kind = _KINDS.get(field, "least") if value is not None else "none" if alone else "unknown"
            data.append(Datum(name, f"{point.phase}.{field}", value, _UNITS.get(field, "ms"), kind))
    return tuple(data)
