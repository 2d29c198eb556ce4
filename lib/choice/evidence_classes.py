"""Pairs read by model class and load, the lowest and the highest load of one publisher, and the ratio over time.

Groups of different kind (equal GPU counts, each part at its own), eager state, model class or load are never pooled.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.choice.evidence import EQUAL_COUNT, INDEPENDENT
from lib.choice.matching import engine_family, publisher_family
from lib.choice.table import records
from lib.records import Model

DENSE_SMALL: Final = "dense_small"
DENSE_LARGE: Final = "dense_large"
MIXTURE: Final = "moe"
UNKNOWN: Final = "unknown"
MODEL_CLASSES: Final = (DENSE_SMALL, DENSE_LARGE, MIXTURE, UNKNOWN)

LOAD_CLASSES: Final = ("latency", "between", "throughput", "long_context", "unstated")

SMALL_DENSE_PARAMETERS: Final = 40e9
"""A dense model below this is small: at 16 bit its weights fill less than one 80 GB part. It sorts and enters no number."""

_OF_PAIR: Final = (
    "kind", "eager_equal", "load_class", "model_id", "publisher", "publisher_interest", "queue_limited", "date_a",
    "date_b", "concurrency", "throughput_ratio", "ttft_ratio", "tpot_ratio",
)  # fmt: skip
_SERIES: Final = (
    "source_id", "publisher", "weight_format", "input_tokens", "output_tokens", "request_rate", "model_a", "model_b",
    "engine_a", "engine_b", "kind", "eager_equal", "speculative", "dp_attention", "prefix_cache", "disaggregated",
)  # fmt: skip
_LOAD: Final = (
    "model_id", "weight_format", "input_tokens", "output_tokens", "concurrency", "request_rate", "kind", "eager_equal",
    "speculative", "dp_attention", "prefix_cache", "disaggregated",
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spread:
    """Ratios that may be read together: how many, their median and their ends."""

    pairs: int
    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ClassGroup:
    """Pairs of one kind, model class, load and eager state: throughput, and the latencies of the same runs beside it."""

    kind: str
    model_class: str
    load_class: str
    eager_equal: bool
    throughput: Spread
    ttft: Spread | None
    tpot: Spread | None
    models: tuple[str, ...]
    publishers: int
    independent_publishers: int
    queue_limited: int
    first_date: str
    last_date: str


@dataclass(frozen=True, slots=True)
class LoadRatio:
    """One pair of runs at one load."""

    concurrency: float
    ratio: float
    ttft_ratio: float | None
    tpot_ratio: float | None
    queue_limited: bool


@dataclass(frozen=True, slots=True)
class Contrast:
    """One publisher's pairs of one deployment shape: the one at the fewest and the one at the most requests at once."""

    source_id: str
    publisher: str
    publisher_interest: str
    engine: str
    kind: str
    eager_equal: bool
    date: str
    low: LoadRatio
    high: LoadRatio
    pairs: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Ratios by date: the dated pairs, and the loads that one publisher measured at more than one date."""

    dated: pd.DataFrame
    """Pairs of runs with a date on both sides and `date`, the later of the two; oldest first."""
    undated: int
    repeated: tuple[tuple[float, float], ...]
    """First and last ratio of each load measured at more than one date."""

    @property
    def risen(self) -> int:
        """How many of the repeated loads ended above their first ratio."""
        return sum(last > first for first, last in self.repeated)


def model_classes(models: Mapping[str, Model]) -> dict[str, str]:
    """The class of every model of the catalogue.

    Parameters
    ----------
    models : mapping of str to Model
        The catalogue's.

    Returns
    -------
    dict of str to str
        Model id to a word of MODEL_CLASSES.

    Examples
    --------
    >>> from lib import catalog
    >>> found = model_classes(catalog.load().models)
    >>> found["llama-3.1-8b"], found["llama-3.3-70b"], found["gpt-oss-20b"]
    ('dense_small', 'dense_large', 'moe')
    """
    return {name: _class_of(model) for name, model in models.items()}


def class_groups(pairs: pd.DataFrame, classes: Mapping[str, str]) -> tuple[ClassGroup, ...]:
    """Pairs of runs by kind, eager state, model class and load, with the latencies of the same runs beside.

    Parameters
    ----------
    pairs : DataFrame
        From `lib.choice.measured.run_pairs`.
    classes : mapping of str to str
        From `model_classes`.

    Returns
    -------
    tuple of ClassGroup
        Equal counts first, eager mode on one side last within a kind; then by model class and load.

    Notes
    -----
    A pair counts where both runs report a throughput. Publishers count once whatever the number of their pages.
    """
    groups: dict[tuple[str, bool, str, str], list[Row]] = {}
    for row in records(pairs, _OF_PAIR):
        if row["throughput_ratio"] is not None:
            model_class = classes.get(row["model_id"], UNKNOWN)
            key = (row["kind"], bool(row["eager_equal"]), model_class, str(row["load_class"]))
            groups.setdefault(key, []).append(row)
    found = [_group(rows, *key) for key, rows in groups.items()]
    return tuple(
        sorted(
            found,
            key=lambda one: (
                one.kind != EQUAL_COUNT,
                not one.eager_equal,
                MODEL_CLASSES.index(one.model_class),
                LOAD_CLASSES.index(one.load_class),
            ),
        )
    )


def with_classes(pairs: pd.DataFrame, classes: Mapping[str, str]) -> pd.DataFrame:
    """Pairs of runs that have a throughput ratio, with the class of their model.

    Parameters
    ----------
    pairs : DataFrame
        From `lib.choice.measured.run_pairs`.
    classes : mapping of str to str
        From `model_classes`.

    Returns
    -------
    DataFrame
        The pairs' own columns and `model_class`.
    """
    rows = pairs[pairs["throughput_ratio"].notna()]
    return rows.assign(model_class=[classes.get(str(name), UNKNOWN) for name in rows["model_id"]])


def contrast(pairs: pd.DataFrame) -> Contrast | None:
    """The series of pairs of one publisher that spans most load, at its two ends.

    Parameters
    ----------
    pairs : DataFrame
        From `lib.choice.measured.run_pairs`, of one model.

    Returns
    -------
    Contrast or None
        None where no series states two loads. Of series the ones at equal GPU counts and without a difference in eager
        mode come first, then the one of the widest span of concurrency, then the newest.
    """
    series: dict[tuple[Any, ...], list[Row]] = {}
    for row in records(pairs, dict.fromkeys((*_OF_PAIR, *_SERIES))):
        if row["throughput_ratio"] is not None and row["concurrency"] is not None:
            series.setdefault(tuple(row[name] for name in _SERIES), []).append(row)
    found = [one for rows in series.values() if (one := _ends(rows)) is not None]
    if not found:
        return None
    return min(
        found,
        key=lambda one: (
            one.kind != EQUAL_COUNT,
            not one.eager_equal,
            -one.high.concurrency / one.low.concurrency,
            [-ord(letter) for letter in one.date],
            one.source_id,
        ),
    )


def trend(pairs: pd.DataFrame) -> Trend:
    """The throughput ratio over the dates of the runs.

    Parameters
    ----------
    pairs : DataFrame
        From `lib.choice.measured.run_pairs`.

    Returns
    -------
    Trend
        A pair is dated by the later of its two runs. Only a load that one publisher measured again tells of progress:
        between other pairs model, load and software change together.
    """
    rows = pairs[pairs["throughput_ratio"].notna()]
    sides = [rows[name].astype(str).tolist() for name in ("date_a", "date_b")]
    stated = np.array([bool(a) and bool(b) for a, b in zip(*sides, strict=True)], dtype=bool)
    dates = [max(pair) for pair, both in zip(zip(*sides, strict=True), stated, strict=True) if both]
    dated = rows[stated].assign(date=dates).sort_values("date", kind="stable").reset_index(drop=True)
    loads: dict[tuple[Any, ...], list[tuple[str, float]]] = {}
    for row in records(dated, ("date", "throughput_ratio", "publisher", *_LOAD)):
        key = (publisher_family(row["publisher"]), *(row[name] for name in _LOAD))
        loads.setdefault(key, []).append((row["date"], row["throughput_ratio"]))
    repeated = [found for found in loads.values() if found[0][0] != found[-1][0]]
    return Trend(dated, int((~stated).sum()), tuple((found[0][1], found[-1][1]) for found in repeated))


def _class_of(model: Model) -> str:
    if model.routed_expert_params is None:
        return UNKNOWN
    if model.routed_expert_params:
        return MIXTURE
    return DENSE_SMALL if model.total_params < SMALL_DENSE_PARAMETERS else DENSE_LARGE


def _group(rows: Sequence[Row], kind: str, eager_equal: bool, model_class: str, load_class: str) -> ClassGroup:
    names = {(publisher_family(row["publisher"]), row["publisher_interest"]) for row in rows}
    dates = _dates(rows)
    return ClassGroup(
        kind=kind,
        model_class=model_class,
        load_class=load_class,
        eager_equal=eager_equal,
        throughput=_spread([row["throughput_ratio"] for row in rows]),
        ttft=_spread_if_any(rows, "ttft_ratio"),
        tpot=_spread_if_any(rows, "tpot_ratio"),
        models=tuple(sorted({row["model_id"] for row in rows} - {""})),
        publishers=len({name for name, _ in names}),
        independent_publishers=len({name for name, interest in names if interest == INDEPENDENT}),
        queue_limited=sum(bool(row["queue_limited"]) for row in rows),
        first_date=dates[0] if dates else "",
        last_date=dates[-1] if dates else "",
    )


def _dates(rows: Sequence[Row]) -> list[str]:
    return sorted({row[side] for row in rows for side in ("date_a", "date_b")} - {""})


def _spread_if_any(rows: Sequence[Row], name: str) -> Spread | None:
    ratios = [row[name] for row in rows if row[name] is not None]
    return _spread(ratios) if ratios else None


def _spread(ratios: Sequence[float]) -> Spread:
    return Spread(len(ratios), float(statistics.median(ratios)), min(ratios), max(ratios))


def _ends(rows: Sequence[Row]) -> Contrast | None:
    """The pairs at the lowest and the highest concurrency of a series; None where it states one load alone."""
    by_load = sorted(rows, key=lambda row: float(row["concurrency"]))
    low, high = by_load[0], next(row for row in by_load if row["concurrency"] == by_load[-1]["concurrency"])
    if low["concurrency"] == high["concurrency"]:
        return None
    dates = _dates(rows)
    return Contrast(
        source_id=low["source_id"],
        publisher=publisher_family(low["publisher"]),
        publisher_interest=low["publisher_interest"],
        engine=engine_family(low["engine_a"]),
        kind=low["kind"],
        eager_equal=bool(low["eager_equal"]),
        date=dates[-1] if dates else "",
        low=_load_ratio(low),
        high=_load_ratio(high),
        pairs=len(rows),
    )


def _load_ratio(row: Row) -> LoadRatio:
    return LoadRatio(
        row["concurrency"], row["throughput_ratio"], row["ttft_ratio"], row["tpot_ratio"], bool(row["queue_limited"])
    )
