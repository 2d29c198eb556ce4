"""The measured pair that comes nearest to a workload, and how it differs: the headline when nothing fits exactly."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.choice import matching
from lib.choice.evidence import COUNTED, OWN_COUNT, counted, serving_pairs
from lib.choice.scenario import Workload
from lib.choice.table import Floats, Table, table
from lib.records import Doubt

SAME_LOAD_FACTOR: Final = 1.1
"""Lengths and concurrency within a tenth count as the same: 1,000 tokens were asked for, 1,024 were measured."""

PUBLISHED_FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "bf16": ("bf16", "fp16"),
    "fp16": ("fp16", "bf16"),
    "fp8-tensor": ("fp8",),
    "fp8-channel": ("fp8",),
    "fp8-block128": ("fp8",),
    "int8": ("int8",),
    "int4-g32": ("int4",),
    "int4-g128": ("int4",),
    "mxfp8": ("mxfp8",),
    "mxfp4": ("mxfp4", "fp4"),
    "nvfp4": ("nvfp4", "fp4"),
}
"""Weight format of the product -> the words by which benchmarks publish it."""

_UNSTATED_FACTOR: Final = 8.0
_LENGTHS: Final = ("input_tokens", "output_tokens", "concurrency")


@dataclass(frozen=True, slots=True)
class NearestPair:
    """One measured pair beside a workload: its row, in what it is not that workload, and what weakens it as a pair."""

    pair: Mapping[str, Any]
    differences: tuple[Doubt, ...]
    caveats: tuple[Doubt, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the pair is of the workload itself."""
        return not self.differences


def nearest(
    frame: pd.DataFrame,
    model_id: str,
    accelerators: tuple[str, str],
    workload: Workload,
    *,
    native_format: str = "",
    total_params: Mapping[str, float] | None = None,
) -> NearestPair | None:
    """The throughput pair of two parts that is nearest to a workload.

    Parameters
    ----------
    frame : DataFrame
        The serving table, whole or filtered by row.
    model_id : str
        The workload's model.
    accelerators : tuple of str
        The two parts; the ratio is the first over the second.
    workload : Workload
        Lengths, concurrency and weight format wanted.
    native_format : str
        Format in which the model is published, for a workload that asks for `native`; "" leaves the format uncompared.
    total_params : mapping of str to float, optional
        Parameters by model [count]: of other models the nearest in size is taken.

    Returns
    -------
    NearestPair or None
        None where no pair of the two parts was measured at all.

    Notes
    -----
    The order, first difference first: history after the present, another model, its distance in size, each part at its
    own count after equal counts, another weight format, distance of the load (sum of absolute log2 ratios of input,
    output and concurrency; a length not stated counts as eight), older after newer. Codes of the differences, each
    with `wanted` and `measured`: model-differs, format-differs, format-unstated, input-differs, output-differs,
    concurrency-differs, load-unstated (`measured` names the column). Codes of the caveats: historical (`source_id`),
    own-count (`accelerator_count_a`, `accelerator_count_b`, None where not stated), queue-limited (`concurrency`),
    eager-differs (`eager_a`, `eager_b`).
    """
    pairs = serving_pairs(frame, *accelerators)
    return nearest_of(pairs, model_id, workload, native_format=native_format, total_params=total_params)


def nearest_of(
    pairs: pd.DataFrame,
    model_id: str,
    workload: Workload,
    *,
    native_format: str = "",
    total_params: Mapping[str, float] | None = None,
) -> NearestPair | None:
    """The nearest of pairs that were made before, as `nearest` ranks them.

    Parameters
    ----------
    pairs : DataFrame
        From `serving_pairs`, whole or filtered by row.
    model_id : str
        The workload's model.
    workload : Workload
        Lengths, concurrency and weight format wanted.
    native_format : str
        Format in which the model is published.
    total_params : mapping of str to float, optional
        Parameters by model [count].

    Returns
    -------
    NearestPair or None
        None where there is no throughput pair.
    """
    rows = table(pairs[[*COUNTED, *_LENGTHS, "model_id", "weight_format"]])
    rows = rows.take(np.intersect1d(counted(rows), np.flatnonzero(rows.is_word("metric_class", matching.THROUGHPUT))))
    if not rows.length:
        return None
    formats = _wanted_formats(workload, native_format)
    wanted = _wanted_load(workload)
    day = np.fmax(matching.days(rows, "date_a"), matching.days(rows, "date_b"))
    order = np.lexsort(
        (
            -np.nan_to_num(day),
            _load_distance(rows, wanted),
            ~rows.is_word("weight_format", *formats) & bool(formats),
            rows.is_word("kind", OWN_COUNT),
            _size_distance(rows, model_id, total_params or {}),
            ~rows.is_word("model_id", model_id),
            rows.flags["historical"],
        )
    )
    label = rows.labels[order[0]]
    row = {str(name): cell for name, cell in pairs.loc[label].items()}
    return NearestPair(row, tuple(_differences(row, model_id, formats, wanted)), tuple(_caveats(row)))


def _wanted_formats(workload: Workload, native_format: str) -> tuple[str, ...]:
    word = native_format if workload.weight_format == "native" else workload.weight_format
    return PUBLISHED_FORMATS.get(word, ())


def _wanted_load(workload: Workload) -> dict[str, float]:
    return {
        "input_tokens": float(workload.input_tokens),
        "output_tokens": float(workload.output_tokens),
        "concurrency": float(workload.concurrency),
    }


def _size_distance(rows: Table, model_id: str, total_params: Mapping[str, float]) -> Floats:
    """Distance in size between each pair's model and the one asked for (absolute log2); infinite where unknown."""
    own = total_params.get(model_id)
    of_word = [0.0 if name == model_id else _log_ratio(total_params.get(name), own) for name in rows.words["model_id"]]
    return np.array([*of_word, np.inf])[rows.codes["model_id"]]


def _log_ratio(one: float | None, other: float | None) -> float:
    return abs(float(np.log2(one / other))) if one and other else float("inf")


def _load_distance(rows: Table, wanted: Mapping[str, float]) -> Floats:
    """Sum of absolute log2 ratios of lengths and concurrency, with a factor of eight where one is not stated."""
    apart = [np.abs(np.log2(rows.numbers[name] / wanted[name])) for name in _LENGTHS]
    return np.asarray(np.nan_to_num(np.array(apart), nan=np.log2(_UNSTATED_FACTOR)).sum(axis=0))


def _differences(
    row: Mapping[str, Any], model_id: str, formats: tuple[str, ...], wanted: Mapping[str, float]
) -> list[Doubt]:
    """Everything in which a pair is not the workload."""
    found: list[tuple[str, object, object]] = []
    if row["model_id"] != model_id:
        found.append(("model-differs", model_id, row["model_id"] or row["model_a"]))
    if formats and not row["weight_format"]:
        found.append(("format-unstated", formats[0], ""))
    elif formats and row["weight_format"] not in formats:
        found.append(("format-differs", formats[0], row["weight_format"]))
    for name in _LENGTHS:
        measured = _stated(row[name])
        if measured is None:
            found.append(("load-unstated", wanted[name], name))
        elif max(measured, wanted[name]) > SAME_LOAD_FACTOR * min(measured, wanted[name]):
            found.append((f"{name.removesuffix('_tokens')}-differs", wanted[name], measured))
    return [Doubt(code, {"wanted": asked, "measured": measured}) for code, asked, measured in found]


def _caveats(row: Mapping[str, Any]) -> list[Doubt]:
    """What weakens a pair as such."""
    found = []
    if row["historical"]:
        found.append(Doubt("historical", {"source_id": row["source_id"]}))
    if row["kind"] == OWN_COUNT:
        counts = ("accelerator_count_a", "accelerator_count_b")
        found.append(Doubt("own-count", {name: _stated(row[name]) for name in counts}))
    if row["queue_limited"]:
        found.append(Doubt("queue-limited", {"concurrency": _stated(row["concurrency"])}))
    if not row["eager_equal"]:
        found.append(Doubt("eager-differs", {"eager_a": bool(row["eager_a"]), "eager_b": bool(row["eager_b"])}))
    return found


def _stated(value: float) -> float | None:
    """A number of a row, None where the source does not state it."""
    return None if np.isnan(value) else float(value)
