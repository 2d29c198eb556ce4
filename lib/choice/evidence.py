"""What was measured, one part against another: like-for-like pairs of serving runs, their summary, the nearest pair.

A pair is two runs of one source, model, weight format, shape, load, engine family and set of conditions on two parts.
Pairs with equal GPU counts and pairs where each part runs at its own best count are two kinds and are never pooled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lib.choice import matching
from lib.choice.table import Codes, Flags, Floats, Table, combined, first_rows, joined, lowest_of_each, table
from lib.errors import InputError

Per = Literal["gpu", "deployment"]

EQUAL_COUNT: Final = "equal_count"
OWN_COUNT: Final = "own_count"
HISTORICAL_SOURCES: Final = frozenset({"argonne-llm-inference-bench"})
"""A software state of 2024: shown as history, never the basis of an estimate."""
INTERESTED: Final = ("amd", "nvidia", "cloud-seller")
INDEPENDENT: Final = "independent"

_SHAPE: Final = ("input_tokens", "output_tokens", "concurrency", "request_rate")
_CONDITIONS: Final = ("speculative", "dp_attention", "prefix_cache", "disaggregated")
_SAME_ON_BOTH: Final = (
    "source_id", "publisher", "publisher_interest", "weight_format", "model_id", *_SHAPE, *_CONDITIONS,
    "metric", "stat", "unit", "unit_basis",
)  # fmt: skip
_OF_EACH: Final = (
    "accelerator_id", "accelerator_count", "tensor_parallel", "model", "kv_format", "engine", "engine_version",
    "eager", "date", "queue_limited", "hardware_sponsored", "locator", "note",
)  # fmt: skip
_MAY_DIFFER: Final[Mapping[str, str]] = {
    "model": "checkpoint",
    "engine": "engine",
    "engine_version": "engine_version",
    "eager": "eager",
    "tensor_parallel": "tensor_parallel",
    "accelerator_count": "accelerator_count",
    "kv_format": "kv_format",
    "date": "date",
    "note": "note",
}
"""Column -> the code by which a pair says that it was not equal."""
_SETTINGS: Final = ("model", "eager", "tensor_parallel", "kv_format", "engine")
COUNTED: Final = (
    "metric", "stat", "run_a", "run_b", "kind", "metric_class", "historical", "eager_equal", "ratio", "date_a",
    "date_b", "publisher", "publisher_interest", "queue_limited", "hardware_sponsored", "format_stated",
    "accelerator_count_a", "accelerator_count_b",
)  # fmt: skip
"""Columns of a pair that summaries read."""
_OF_METRIC: Final = (
    "metric", "metric_class", "stat", "unit", "unit_basis", "value_a", "value_b", "ratio", "row_a", "row_b",
)  # fmt: skip


def ratio_per_gpu(value_a: float, gpus_a: float, value_b: float, gpus_b: float) -> float:
    """Throughput per GPU of one deployment over that of another (exact).

    ratio = (value_a / gpus_a) / (value_b / gpus_b)

    Parameters
    ----------
    value_a : float
        Throughput of the whole first deployment [any one unit].
    gpus_a : float
        GPUs of the first deployment.
    value_b : float
        Throughput of the whole second deployment [the same unit].
    gpus_b : float
        GPUs of the second deployment.

    Returns
    -------
    float
        Above one where a is faster per GPU.

    Raises
    ------
    InputError
        If a count or the second value is not positive.

    Examples
    --------
    MLPerf Inference v4.1, llama2-70b 99.9 Offline, 8 MI300X by AMD against 8 H100 by NVIDIA:

    >>> round(ratio_per_gpu(23514.8, 8, 24524.9, 8), 2)
    0.96

    References
    ----------
    mlperf-inference-v4.1
    """
    for name, number in (("gpus_a", gpus_a), ("gpus_b", gpus_b), ("value_b", value_b)):
        if not number > 0:
            raise InputError(name, number, "above 0")
    return (value_a / gpus_a) / (value_b / gpus_b)


def serving_pairs(frame: pd.DataFrame, a: str, b: str, per: Per = "gpu") -> pd.DataFrame:
    """Every like-for-like pair of measured serving rows of two parts.

    Parameters
    ----------
    frame : DataFrame
        The serving table, or its rows of some source, publisher or model. Filter by date, engine version or queue
        in the pairs instead: a run left out here would let the next nearest take its place.
    a, b : str
        Accelerator ids; the ratio is a over b.
    per : {"gpu", "deployment"}
        Whether throughput is divided by the GPUs of the deployment. Latency never is.

    Returns
    -------
    DataFrame
        One row per pair of runs, metric and statistic: what is equal on both sides under its own name; what is of one
        side with `_a` and `_b`; `kind` equal_count or own_count; `metric_class` throughput, ttft, tpot or latency;
        `value_a`, `value_b` and `ratio` (for latency above one means that a is slower); `date_gap_days` (positive
        where a is newer); `format_stated`, `load_stated`, `eager_equal`, `queue_limited`, `hardware_sponsored`
        (either side), `historical`, `load_class`; `unequal`, the codes of what differs, joined by ";"; `run_a`,
        `run_b` (row label of the run's first row), `row_a`, `row_b` (row labels of the values).

    Raises
    ------
    InputError
        If both parts are one, or `per` is neither word.

    Notes
    -----
    Kind equal_count: both runs state the same number of GPUs; where several runs of a side and checkpoint fit, those
    that differ least are taken (settings, then note, then date), all of equal difference included. Kind own_count: the counts
    differ or are not stated, and each side is its run of the highest throughput per GPU; a side with several runs and
    no such figure gives no pair. Eager mode may differ and is marked; the other conditions may not.
    """
    if per not in ("gpu", "deployment"):
        raise InputError("per", per, "gpu or deployment")
    if a == b:
        raise InputError("b", b, f"another part than {a}")
    chosen = frame["accelerator_id"].isin([a, b]).to_numpy()
    rows = table(frame, chosen)
    run = matching.runs(rows)
    heads = rows.take(first_rows(run))
    run_a, run_b, kind = _paired_runs(heads, _throughput_per_gpu(rows, run), a, b)
    row_a, row_b, pair = _paired_rows(rows, run, run_a, run_b)
    values = matching.per_gpu(rows) if per == "gpu" else matching.per_deployment(rows)
    known = (values[row_a] > 0) & (values[row_b] > 0)
    row_a, row_b, pair = row_a[known], row_b[known], pair[known]
    place = np.flatnonzero(chosen)
    columns: dict[str, Any] = {name: frame[name].array.take(place[row_a]) for name in _SAME_ON_BOTH}
    for name in _OF_EACH:
        both = frame[name].array
        columns[f"{name}_a"], columns[f"{name}_b"] = both.take(place[row_a]), both.take(place[row_b])
    number, flag, day = rows.numbers, rows.flags, matching.days(rows, "date")
    metric_class, classes = rows.translated("metric", matching.METRIC_CLASS)
    columns |= {
        "kind": pd.Categorical.from_codes(kind[pair], pd.Index([EQUAL_COUNT, OWN_COUNT])),
        "metric_class": pd.Categorical.from_codes(metric_class[row_a], pd.Index(list(classes))),
        "per": per,
        "value_a": values[row_a],
        "value_b": values[row_b],
        "ratio": values[row_a] / values[row_b],
        "date_gap_days": day[row_a] - day[row_b],
        "format_stated": ~rows.is_word("weight_format", "")[row_a],
        "load_stated": ~np.isnan(number["input_tokens"] + number["output_tokens"] + number["concurrency"])[row_a],
        "eager_equal": flag["eager"][row_a] == flag["eager"][row_b],
        "queue_limited": flag["queue_limited"][row_a] | flag["queue_limited"][row_b],
        "hardware_sponsored": flag["hardware_sponsored"][row_a] | flag["hardware_sponsored"][row_b],
        "historical": rows.is_word("source_id", *HISTORICAL_SOURCES)[row_a],
        "load_class": matching.load_classes(number["input_tokens"][row_a], number["concurrency"][row_a]),
        "unequal": _unequal(heads, run_a, run_b)[pair],
        "run_a": heads.labels[run_a[pair]],
        "run_b": heads.labels[run_b[pair]],
        "row_a": rows.labels[row_a],
        "row_b": rows.labels[row_b],
    }
    return pd.DataFrame(columns)


def one_per_run(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of runs and metric class, so that a run that reports five statistics counts once.

    Parameters
    ----------
    pairs : DataFrame
        Rows of serving_pairs.

    Returns
    -------
    DataFrame
        Per class the first metric of matching.METRIC_CLASS and of that the first of matching.STAT_PREFERENCE.
    """
    rows = table(pairs[["metric", "stat", "run_a", "run_b", "kind", "metric_class"]])
    return pairs.iloc[counted(rows)]


def counted(rows: Table) -> Codes:
    """Positions of the rows that stand for their pair of runs and metric class, as one_per_run keeps them.

    Parameters
    ----------
    rows : Table
        Rows of serving_pairs with their `run_a`, `run_b`, `kind`, `metric_class`, `metric` and `stat`.

    Returns
    -------
    ndarray of int
        Positions in ascending order.
    """
    metrics, stats = list(matching.METRIC_CLASS), list(matching.STAT_PREFERENCE)
    rank = _places(rows, "metric", metrics) * (len(stats) + 1) + _places(rows, "stat", stats)
    order = np.argsort(rank, kind="stable")
    group = rows.code("run_a", "run_b", "kind", "metric_class")[order]
    return np.sort(order[first_rows(combined([(group, rows.length)]))])


def by_run_pair(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of runs, with latency beside throughput.

    Parameters
    ----------
    pairs : DataFrame
        Rows of serving_pairs.

    Returns
    -------
    DataFrame
        What both runs share and what they differ in, as in `pairs`, and for each class (throughput, ttft, tpot,
        latency) `<class>_ratio`, `<class>_a`, `<class>_b` and `<class>_metric`; NaN and "" where the runs do not both
        report it.
    """
    kept = one_per_run(pairs)
    rows = table(kept[["run_a", "run_b", "kind", "metric_class", "metric", "ratio", "value_a", "value_b"]])
    code = rows.code("run_a", "run_b", "kind")
    count = int(code.max(initial=-1)) + 1
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(matching.METRIC_CLASS.values()):
        chosen = rows.is_word("metric_class", name)
        for column, whole in (("ratio", "ratio"), ("a", "value_a"), ("b", "value_b")):
            columns[f"{name}_{column}"] = np.full(count, np.nan)
            columns[f"{name}_{column}"][code[chosen]] = rows.numbers[whole][chosen]
        columns[f"{name}_metric"] = np.full(count, "", dtype=object)
        columns[f"{name}_metric"][code[chosen]] = rows.text("metric")[chosen]
    shared = kept.iloc[first_rows(code)].drop(columns=list(_OF_METRIC)).reset_index(drop=True)
    return pd.concat([shared, pd.DataFrame(columns)], axis=1)


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Pairs that may be read together: one kind, one metric class, one state of eager mode, history apart."""

    kind: str
    metric_class: str
    historical: bool
    eager_equal: bool
    by: Mapping[str, str]
    pairs: int
    publishers: int
    independent_publishers: int
    median: float
    low: float
    high: float
    first_date: str
    last_date: str
    interested_share: float
    queue_limited: int
    hardware_sponsored: int
    format_unstated: int
    count_unstated: int
    """Pairs of which a side does not state its number of GPUs."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All groups of a set of pairs, with the count over all of them; nothing is averaged across groups."""

    pairs: int
    publishers: int
    independent_publishers: int
    groups: tuple[PairGroup, ...]

    def group(
        self, kind: str, metric_class: str, *, historical: bool = False, eager_equal: bool = True
    ) -> PairGroup | None:
        """The first group of that kind and class, or None where nothing was measured."""
        wanted = (kind, metric_class, historical, eager_equal)
        for one in self.groups:
            if (one.kind, one.metric_class, one.historical, one.eager_equal) == wanted:
                return one
        return None


def summary(pairs: pd.DataFrame, by: tuple[str, ...] = ()) -> Summary:
    """How many pairs there are, who published them, and the median and range of their ratio, kind by kind.

    Parameters
    ----------
    pairs : DataFrame
        Rows of serving_pairs, whole or filtered by row.
    by : tuple of str
        Further columns that part the groups, for example ("load_class",) or ("model_id",).

    Returns
    -------
    Summary
        Groups by kind, metric class, history and eager mode, and by `by`; most pairs first within a kind.

    Notes
    -----
    A pair of runs counts once per metric class (one_per_run). `interested_share` is the share of pairs whose publisher
    sells a part or rents it out; an unknown interest is not counted as one. Dates are the earliest and the latest
    stated on either side, "" where none is.
    """
    names = [*COUNTED, *(name for name in by if name not in COUNTED)]
    rows = table(pairs[names])
    rows = rows.take(counted(rows))
    code = rows.code("kind", "metric_class", "historical", "eager_equal", *by)
    groups = [_group(rows.take(np.flatnonzero(code == one)), by) for one in range(int(code.max(initial=-1)) + 1)]
    groups.sort(key=lambda one: (one.historical, one.kind, one.metric_class, not one.eager_equal, -one.pairs))
    everyone, independents = _publishers(rows)
    return Summary(int(rows.code("run_a", "run_b").max(initial=-1)) + 1, everyone, independents, tuple(groups))


def _group(rows: Table, by: tuple[str, ...]) -> PairGroup:
    ratio = rows.numbers["ratio"]
    dates = sorted({*rows.text("date_a"), *rows.text("date_b")} - {""})
    everyone, independents = _publishers(rows)
    return PairGroup(
        kind=str(rows.text("kind")[0]),
        metric_class=str(rows.text("metric_class")[0]),
        historical=bool(rows.flags["historical"][0]),
        eager_equal=bool(rows.flags["eager_equal"][0]),
        by={name: str(_value(rows, name)) for name in by},
        pairs=rows.length,
        publishers=everyone,
        independent_publishers=independents,
        median=float(np.median(ratio)),
        low=float(ratio.min()),
        high=float(ratio.max()),
        first_date=dates[0] if dates else "",
        last_date=dates[-1] if dates else "",
        interested_share=float(rows.is_word("publisher_interest", *INTERESTED).mean()),
        queue_limited=int(rows.flags["queue_limited"].sum()),
        hardware_sponsored=int(rows.flags["hardware_sponsored"].sum()),
        format_unstated=int((~rows.flags["format_stated"]).sum()),
        count_unstated=int(np.isnan(rows.numbers["accelerator_count_a"] + rows.numbers["accelerator_count_b"]).sum()),
    )


def _value(rows: Table, name: str) -> object:
    """The value of the first row in a column of any type."""
    if name in rows.words:
        return rows.text(name)[0]
    return rows.flags[name][0] if name in rows.flags else rows.numbers[name][0]


def _publishers(rows: Table) -> tuple[int, int]:
    """How many bodies published, and how many of them have no interest."""
    names = rows.text("publisher")
    apart = rows.is_word("publisher_interest", INDEPENDENT)
    everyone, independents = ({matching.publisher_family(name) for name in set(some)} for some in (names, names[apart]))
    return len(everyone), len(independents)


def _places(rows: Table, name: str, order: list[str]) -> Codes:
    """Place of each word of a column in an order, its length for a word outside it."""
    places = [order.index(word) if word in order else len(order) for word in rows.words[name]]
    return np.array([*places, len(order)], dtype=np.int64)[rows.codes[name]]


def _throughput_per_gpu(rows: Table, run: Codes) -> Floats:
    """The first throughput metric that each run reports, per GPU; NaN where it reports none."""
    values = matching.per_gpu(rows)
    best = np.full(int(run.max(initial=-1)) + 1, np.nan)
    for metric in reversed([name for name, group in matching.METRIC_CLASS.items() if group == matching.THROUGHPUT]):
        chosen = rows.is_word("metric", metric) & ~np.isnan(values)
        best[run[chosen]] = values[chosen]
    return best


def _paired_runs(heads: Table, throughput: Floats, a: str, b: str) -> tuple[Codes, Codes, Codes]:
    """Which runs of a stand beside which of b, and as which kind: 0 equal counts, 1 own counts."""
    family, families = matching.engine_families(heads)
    same = heads.code("source_id", "publisher", "publisher_interest", "weight_format", *_SHAPE, *_CONDITIONS)
    key = combined([(same, heads.length), matching.model_keys(heads), (family, len(families))])
    of_a, of_b = (np.flatnonzero(heads.is_word("accelerator_id", part)) for part in (a, b))
    left, right = joined(key[of_a], key[of_b])
    run_a, run_b = of_a[left], of_b[right]
    count = heads.numbers["accelerator_count"]
    equal = count[run_a] == count[run_b]
    chosen = np.zeros(len(run_a), dtype=bool)
    chosen[equal] = _differ_least(heads, run_a[equal], run_b[equal])
    best = np.zeros(heads.length, dtype=bool)
    side = combined([(key, heads.length), (heads.code("accelerator_id"), heads.length)])
    best[_best_of_each(side, throughput)] = True
    chosen |= ~equal & best[run_a] & best[run_b]
    return run_a[chosen], run_b[chosen], (~equal[chosen]).astype(np.int64)


def _best_of_each(group: Codes, throughput: Floats) -> Codes:
    """The run of the highest throughput per GPU in each group; none where several runs have no figure."""
    order = np.lexsort((-np.nan_to_num(throughput, nan=-np.inf), group))
    first = order[first_rows(group[order])] if len(order) else order
    return first[(np.bincount(group) == 1) | ~np.isnan(throughput[first])] if len(order) else first


def _differ_least(heads: Table, run_a: Codes, run_b: Codes) -> Flags:
    """Where two runs are each other's nearest: fewest settings, then clauses of the note, then days apart."""
    if not len(run_a):
        return np.zeros(0, dtype=bool)
    settings = sum((heads.codes[name][run_a] != heads.codes[name][run_b]).astype(np.float64) for name in _SETTINGS)
    notes = heads.text("note")
    clauses = matching.clause_distances(list(notes[run_a]), list(notes[run_b]))
    day = matching.days(heads, "date")
    apart = np.nan_to_num(np.abs(day[run_a] - day[run_b]), nan=0.0)
    order = np.lexsort((apart, clauses, settings))
    steps = np.diff(np.column_stack([settings, clauses, apart])[order], axis=0).any(axis=1)
    distance = np.empty(len(order))
    distance[order] = np.concatenate([[0], np.cumsum(steps)])
    # another checkpoint of the model is another question: each pair of checkpoints has its own nearest runs
    name, names = heads.codes["model"], len(heads.words["model"]) + 1
    beside_b = run_a * names + name[run_b]
    beside_a = run_b * names + name[run_a]
    return lowest_of_each(beside_b, distance) & lowest_of_each(beside_a, distance)


def _paired_rows(rows: Table, run: Codes, run_a: Codes, run_b: Codes) -> tuple[Codes, Codes, Codes]:
    """Positions of the rows of both sides that report one metric and statistic in one unit, and their pair's number."""
    pair, row_a = joined(run_a, run)
    what, size = rows.code("metric", "stat", "unit", "unit_basis"), rows.length + 1
    left, row_b = joined(run_b[pair] * size + what[row_a], run * size + what)
    return row_a[left], row_b, pair[left]


def _unequal(heads: Table, run_a: Codes, run_b: Codes) -> NDArray[np.object_]:
    """What differs between the two runs of each pair, as codes joined by ";"."""
    mask = np.zeros(len(run_a), dtype=np.int64)
    for bit, name in enumerate(_MAY_DIFFER):
        mask |= (heads.codes[name][run_a] != heads.codes[name][run_b]).astype(np.int64) << bit
    unstated = len(_MAY_DIFFER)
    blank = heads.is_word("engine_version", "")
    mask |= (blank[run_a] & blank[run_b]).astype(np.int64) << unstated
    names = [*_MAY_DIFFER.values(), "engine_version_unstated"]
    words = {one: ";".join(word for bit, word in enumerate(names) if one >> bit & 1) for one in set(mask.tolist())}
    return np.array([words[one] for one in mask.tolist()], dtype=object)
