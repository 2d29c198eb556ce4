"""Whether a latency limit is kept, as far as measured runs of the same model decide it; all else is unknown.

A run decides only where its load makes the conclusion safe: a heavier load on no more GPUs that stayed within the limit
shows that the limit can be kept; when the lighter loads on no fewer GPUs all broke it, it cannot.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.choice.nearest import PUBLISHED_FORMATS
from lib.choice.operating_points import operating_points
from lib.choice.scenario import Workload
from lib.choice.table import Floats

Metric = Literal["ttft_ms", "tpot_ms"]

_KEPT: Final = (
    "source_id", "publisher", "publisher_interest", "date", "accelerator_count", "input_tokens", "output_tokens",
    "concurrency", "engine", "engine_version", "locator",
)  # fmt: skip
_OTHER_CONDITIONS: Final = ("speculative", "prefix_cache", "disaggregated")


@dataclass(frozen=True, slots=True)
class MeasuredLatency:
    """The run that decides about a limit; without one, how many runs of the model on the part there are."""

    metric: Metric
    kept: bool | None
    measured_ms: float | None
    stat: str
    run: Mapping[str, Any]
    runs: int


def measured_latency(
    catalog: Catalog, workload: Workload, accelerator_id: str, gpus: int | None, metric: Metric, limit_ms: float
) -> MeasuredLatency:
    """What measured runs say about a latency limit of a workload on a part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, weight format, tokens and concurrency.
    accelerator_id : str
        The part.
    gpus : int or None
        GPUs that serve the load together; None leaves the question open.
    metric : {"ttft_ms", "tpot_ms"}
        Which latency.
    limit_ms : float
        Longest allowed [ms].

    Returns
    -------
    MeasuredLatency
        `kept` None where no run decides.

    Notes
    -----
    Medians or means of runs of the same model and published weight format; history, speculative decoding, prefix cache
    and disaggregation are left out. One run that keeps the limit under a heavier load outweighs others that broke it
    under a lighter one: it shows that it can be kept.
    """
    points = _columns(catalog, workload.model, _format(catalog, workload), accelerator_id, metric)
    nothing = MeasuredLatency(metric, None, None, "", {}, len(points.rows))
    if gpus is None or points.rows.empty:
        return nothing
    context = points.input_tokens + points.output_tokens
    heavier = (
        (points.input_tokens >= workload.input_tokens)
        & (context >= workload.context_tokens)
        & (points.concurrency >= workload.concurrency)
        & (points.gpus <= gpus)
    )
    lighter = (
        (points.input_tokens <= workload.input_tokens)
        & (context <= workload.context_tokens)
        & (points.concurrency <= workload.concurrency)
        & (points.gpus >= gpus)
    )
    within = heavier & (points.value <= limit_ms)
    if within.any():
        at = int(np.where(within, points.value, np.inf).argmin())
        return _of_run(points.rows.iloc[at], metric, True, len(points.rows))
    if lighter.any() and bool((points.value[lighter] > limit_ms).all()):
        at = int(np.where(lighter, points.value, np.inf).argmin())
        return _of_run(points.rows.iloc[at], metric, False, len(points.rows))
    return nothing


def _of_run(row: Any, metric: Metric, kept: bool, runs: int) -> MeasuredLatency:
    stat = str(row[metric.replace("_ms", "_stat")])
    return MeasuredLatency(metric, kept, float(row[metric]), stat, {name: row[name] for name in _KEPT}, runs)


def _format(catalog: Catalog, workload: Workload) -> str:
    """The scenario's word for the weight format, the native one by its own name."""
    model = catalog.models.get(workload.model)
    return model.native_format if workload.weight_format == "native" and model else workload.weight_format


class _Columns(NamedTuple):
    """The runs of one part with one latency, and what is compared of them."""

    rows: pd.DataFrame
    value: Floats
    input_tokens: Floats
    output_tokens: Floats
    concurrency: Floats
    gpus: Floats


@functools.lru_cache(maxsize=512)
def _columns(catalog: Catalog, model_id: str, weight_format: str, accelerator_id: str, metric: Metric) -> _Columns:
    points = _points(catalog, model_id, weight_format)
    rows = points[(points["accelerator_id"] == accelerator_id) & points[metric].notna()]
    names = (metric, "input_tokens", "output_tokens", "concurrency", "accelerator_count")
    return _Columns(rows, *(rows[name].to_numpy(dtype=float) for name in names))


@functools.lru_cache(maxsize=64)
def _points(catalog: Catalog, model_id: str, weight_format: str) -> pd.DataFrame:
    """The runs of a model on all parts that may decide about a limit."""
    frame = catalog.measured["serving"]
    if model_id not in _measured_models(catalog):
        return operating_points(frame.iloc[:0], model_id, ())
    parts = tuple(catalog.accelerators)
    points = operating_points(frame[frame["model_id"] == model_id], model_id, parts)
    formats = PUBLISHED_FORMATS.get(weight_format, (weight_format,))
    kept = np.array(points["weight_format"].isin(formats) & (points["weight_format"] != ""))
    for name in _OTHER_CONDITIONS:
        kept &= ~np.array(points[name], dtype=bool)
    return points[kept]


@functools.lru_cache(maxsize=4)
def _measured_models(catalog: Catalog) -> frozenset[str]:
    return frozenset(map(str, catalog.measured["serving"]["model_id"].unique()))
