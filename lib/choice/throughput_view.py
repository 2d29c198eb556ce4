"""How fast a workload runs on each part: one operating point under the scenario's load, and a sweep over loads to chart."""

import bisect
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.choice.own_rows import OwnRows
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.serving_view import TOTAL, ServingView
from lib.choice.sized import SERVING_TASKS, architecture_of, replica, settings_of
from lib.records import Accelerator, Doubt, Layout
from lib.sizing import serving_basis
from lib.sizing.throughput import (
    Interval,
    Measured,
    Neighbour,
    Question,
    ThroughputEstimate,
    estimates,
    neighbours,
    sweep,
)

LADDER: Final = tuple(sorted({width << shift for shift in range(20) for width in (2, 3)} | {1}))
"""Loads that are charted between the lowest and the highest: powers of two and what lies half way."""

MOST_BANDS: Final = 2
"""Curves of so many parts are computed, the first ones: more bands over each other cannot be told apart."""

_ALONE: Final = 256
"""Without runs to chart, loads reach so far at least."""

_BEYOND: Final = 4
_BELOW: Final = 16
_MS_PER_S: Final = 1000.0
_NATIVE: Final = "native"

Line = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """An 80 % interval, its middle and the bound of physics over loads; None where there is no interval or no bound."""

    low: Line
    estimate: Line
    high: Line
    bound: Line

    def at(self, place: int) -> Interval | None:
        """The interval at a place of the loads."""
        low, middle, high = self.low[place], self.estimate[place], self.high[place]
        return None if low is None or middle is None or high is None else Interval(low, middle, high)


@dataclass(frozen=True, slots=True)
class Curves:
    """What is computed for one part over loads: the throughput charted, per GPU, and both times [ms].

    At each load the three are of one operating point. `asked` is the throughput at the scenario's number of requests, which
    is not among the loads: the curves stay what they are while that number is edited.
    """

    accelerator_id: str
    gpus: int
    loads: tuple[int, ...]
    asked: Interval | None
    throughput: Band
    ttft_ms: Band
    tpot_ms: Band


@dataclass(frozen=True, slots=True)
class PartThroughput:
    """The workload's speed on one part; without an estimate, `doubt` says why."""

    accelerator: Accelerator
    layout: Layout | None
    estimate: ThroughputEstimate | None
    doubt: Doubt | None

    def per_gpu(self, rate: float | None) -> float | None:
        """A rate of the whole deployment for one of its GPUs [output tokens/s]."""
        return None if rate is None or self.layout is None else rate / self.layout.gpus

    @property
    def ttft_ms(self) -> Interval | None:
        """Time to first token of the operating point [ms]."""
        return _in_ms(self.estimate.ttft_s) if self.estimate else None

    @property
    def tpot_ms(self) -> Interval | None:
        """Time per output token of the same operating point [ms]."""
        return _in_ms(self.estimate.tpot_s) if self.estimate else None

    @property
    def bounds_ms(self) -> tuple[float | None, float | None]:
        """What physics allows of both times at least [ms]."""
        found = self.estimate
        times = (found.ttft_bound_s, found.tpot_bound_s) if found else (None, None)
        first, token = (None if one is None else one * _MS_PER_S for one in times)
        return first, token


@dataclass(frozen=True, slots=True)
class ThroughputView:
    """Each part under the scenario's own load, and the curves for what is charted."""

    workload: Workload
    parts: tuple[PartThroughput, ...]
    charted: Workload | None
    """The load of the curves; None where nothing can be computed for what is charted."""
    curves: Mapping[str, Curves]
    own_rows: int
    """Results of the user's own that the estimates rest on beside the published ones."""

    @property
    def charts_own_load(self) -> bool:
        """Whether the curves are of the scenario's own model and lengths."""
        return self.charted == self.workload


def serves(workload: Workload) -> bool:
    """Whether a workload serves tokens, so that its speed can be computed.

    Parameters
    ----------
    workload : Workload
        Any.

    Returns
    -------
    bool
        False for training and for images.
    """
    return workload.task in SERVING_TASKS


def _in_ms(times: Interval | None) -> Interval | None:
    if times is None:
        return None
    return Interval(times.low * _MS_PER_S, times.estimate * _MS_PER_S, times.high * _MS_PER_S)


def own_results(catalog: Catalog, own: OwnRows | None) -> tuple[Measured, ...]:
    """The user's own rows that an estimate can rest on: output tokens per second with everything stated.

    Parameters
    ----------
    catalog : Catalog
        The edition: models and parts.
    own : OwnRows or None
        What the user brought.

    Returns
    -------
    tuple of Measured
        Per deployment. As for published rows, those that ran below their concurrency, with a prefix cache, or without
        a stated load, number of GPUs or model of the catalogue are left out; all tokens of a run count by their output.
    """
    return () if own is None else _own_results(catalog.published, own)


@functools.lru_cache(maxsize=64)
def _own_results(catalog: Catalog, own: OwnRows) -> tuple[Measured, ...]:
    found = serving_basis.observed_rates(catalog, own.frame)
    return tuple(Measured(one.question, one.rate, str(own.frame.loc[one.row, "locator"])) for one in found)


def throughput_view(
    catalog: Catalog,
    workload: Workload,
    engine: EngineChoice,
    parts: Sequence[Accelerator],
    shown: ServingView | None,
    own: OwnRows | None = None,
) -> ThroughputView:
    """The speed of a workload on some parts, and curves over loads for the runs that are charted; an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    workload : Workload
        What is run.
    engine : EngineChoice
        From the scenario.
    parts : sequence of Accelerator
        Compared.
    shown : ServingView or None
        The runs charted: curves are of their model and lengths, so that points and bands may be read together.
    own : OwnRows or None
        The user's own measurements: the intervals rest on them too.

    Returns
    -------
    ThroughputView
        Each part on its headline replica: the fewest GPUs of one server that hold the workload, else of any layout.

    Notes
    -----
    Curves of the scenario's own model are in its weight format; another model is taken as published. Where total tokens
    are charted, output tokens are multiplied by (input + output) / output, which is exact in a closed loop.
    """
    mine = own_results(catalog, own)
    asked = [question_of(catalog, workload, workload, engine, part) for part in parts]
    answers = iter(sweep(catalog, [one for one in asked if isinstance(one, Question)], mine))
    found = tuple(
        PartThroughput(part, None, None, one)
        if isinstance(one, Doubt)
        else PartThroughput(part, one.layout, next(answers), None)
        for part, one in zip(parts, asked, strict=True)
    )
    charted = _charted(workload, shown)
    curves = {} if charted is None or shown is None else _curves(catalog, workload, charted, engine, parts, shown, mine)
    return ThroughputView(workload, found, charted, curves, len(mine))


def nearest_rows(
    catalog: Catalog, view: ThroughputView, own: OwnRows | None = None, count: int = 5
) -> tuple[tuple[PartThroughput, tuple[Neighbour, ...]], ...]:
    """The measured rows that say most about each part's estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The estimates.
    own : OwnRows or None
        As for throughput_view; they are not among the rows.
    count : int
        Rows for each part.

    Returns
    -------
    tuple of (PartThroughput, tuple of Neighbour)
        Parts that have a bound, in their order; the most alike rows first.
    """
    mine = own_results(catalog, own)
    return tuple(
        (one, neighbours(catalog, one.estimate.question, mine, count))
        for one in view.parts
        if one.estimate is not None and one.estimate.bound is not None
    )


def neighbour_rows(catalog: Catalog, found: Sequence[Neighbour]) -> pd.DataFrame:
    """The rows of the serving table behind some neighbours.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : sequence of Neighbour
        From nearest_rows.

    Returns
    -------
    DataFrame
        In their order, under their labels.
    """
    return catalog.measured["serving"].loc[[one.row for one in found]]


def question_of(
    catalog: Catalog, workload: Workload, load: Workload, engine: EngineChoice, part: Accelerator
) -> Question | Doubt:
    """The question of a load on the replica that holds the workload, or why there is none.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    workload : Workload
        What the replica must hold.
    load : Workload
        Tokens and concurrency that are asked about.
    engine : EngineChoice
        From the scenario.
    part : Accelerator
        The part.

    Returns
    -------
    Question or Doubt
        On the fewest GPUs of one server that hold the workload, else of any layout.
    """
    held = replica(catalog, workload, engine, part)
    if held.doubt is not None or held.one_server is None or held.all_layouts is None:
        return held.doubt or Doubt("no-fleet", {})
    layout = held.one_server.layout or held.all_layouts.layout
    if layout is None:
        return held.one_server.doubts[0]
    architecture = architecture_of(catalog, workload)
    native = workload.weight_format == _NATIVE
    return Question(
        architecture=architecture,
        accelerator=part,
        layout=layout,
        settings=settings_of(workload, engine, part),
        weight_format=architecture.native_format if native and architecture.native_format else workload.weight_format,
        kv_format=workload.kv_format,
        input_tokens=load.input_tokens,
        output_tokens=load.output_tokens,
        concurrency=load.concurrency,
    )


def _charted(workload: Workload, shown: ServingView | None) -> Workload | None:
    """The workload with model and lengths of what is charted."""
    if shown is None or shown.shape is None or not shown.shape.is_stated or not serves(workload):
        return None
    shape = shown.shape
    if shown.model_id == workload.model:
        return workload.model_copy(update={"input_tokens": shape.input_tokens, "output_tokens": shape.output_tokens})
    return Workload(
        task=workload.task,
        model=shown.model_id,
        kv_format=workload.kv_format,
        input_tokens=shape.input_tokens,
        output_tokens=shape.output_tokens,
        concurrency=workload.concurrency,
    )


def _curves(
    catalog: Catalog,
    workload: Workload,
    charted: Workload,
    engine: EngineChoice,
    parts: Sequence[Accelerator],
    shown: ServingView,
    own: tuple[Measured, ...],
) -> dict[str, Curves]:
    """Curves of the first parts with a known bandwidth whose replica holds the model."""
    held = workload if charted.model == workload.model else charted
    known: dict[str, Question] = {}
    for part in parts:
        one = question_of(catalog, held, charted, engine, part)
        if isinstance(one, Question) and part.memory_bandwidth_tbs is not None and len(known) < MOST_BANDS:
            known[part.accelerator_id] = one
    if not known:
        return {}
    loads = loads_of([float(one) for one in shown.charted["concurrency"].dropna()], workload.concurrency)
    every = (*loads, workload.concurrency)
    found = estimates(catalog, [replace(one, concurrency=load) for one in known.values() for load in every], own)
    whole = (charted.input_tokens + charted.output_tokens) / charted.output_tokens if shown.metric == TOTAL else 1.0
    ttft = np.column_stack([found.ttft_s, found.ttft_bound_s]) * _MS_PER_S
    tpot = np.column_stack([found.tpot_s, found.tpot_bound_s]) * _MS_PER_S
    rates = np.column_stack([found.low, found.estimate, found.high, found.bound]) * whole
    starts = np.isfinite(found.bound)
    ttft[~starts], tpot[~starts] = np.nan, np.nan
    curves = {}
    for turn, (name, one) in enumerate(known.items()):
        rows = slice(turn * len(every), (turn + 1) * len(every) - 1)
        gpus = one.layout.gpus
        here = _band(rates[rows.stop : rows.stop + 1] / gpus).at(0)
        curves[name] = Curves(name, gpus, loads, here, _band(rates[rows] / gpus), _band(ttft[rows]), _band(tpot[rows]))
    return curves


def loads_of(measured: Sequence[float], asked: int) -> tuple[int, ...]:
    """The loads of a curve, of LADDER: they enclose those measured and the one asked for.

    Parameters
    ----------
    measured : sequence of float
        Requests at once of the runs charted.
    asked : int
        Requests at once of the scenario.

    Returns
    -------
    tuple of int
        Lowest first; from 1 to well beyond the one asked for where nothing was measured.

    Examples
    --------
    >>> loads_of([4, 16], 7)
    (1, 2, 3, 4, 6, 8, 12, 16)
    """
    if measured:
        highest = max(*measured, asked)
        lowest = min(*measured, asked, highest / _BELOW)
    else:
        lowest, highest = 1.0, max(_ALONE, _BEYOND * asked)
    first = bisect.bisect_right(LADDER, lowest) - 1
    last = bisect.bisect_left(LADDER, highest)
    return LADDER[max(first, 0) : last + 1]


def _band(columns: np.ndarray) -> Band:
    """Columns low, estimate, high, bound; what is not finite is None."""
    known = np.isfinite(columns)
    lines = [
        tuple(float(value) if is_known else None for value, is_known in zip(line, mask, strict=True))
        for line, mask in zip(columns.T, known.T, strict=True)
    ]
    return Band(*lines)
