"""Which measured rows the reader wants to see: whose, since when, on which engine, queue-limited ones or not.

Pairs are made of all rows first and filtered afterwards: a run left out before would let the next nearest take its place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from lib.choice.evidence import HISTORICAL_SOURCES, INDEPENDENT
from lib.choice.matching import engine_family
from lib.choice.page_choices import View
from lib.choice.table import Flags

ALL: Final = "all"
_WEEK: Final = np.timedelta64(7, "D")
PUBLISHERS: Final = (ALL, INDEPENDENT)


@dataclass(frozen=True, slots=True)
class Filters:
    """What is left of the measured rows; the default leaves all."""

    publishers: str = ALL
    since: str = ""
    """First day kept, YYYY-MM-DD; "" keeps all, undated ones too."""
    engine: str = ""
    """Engine family kept; "" keeps all."""
    queue_limited: bool = True
    """Whether rows that ran below their nominal concurrency are kept."""

    @property
    def any(self) -> bool:
        """Whether anything is left out."""
        return self != Filters()


def of_view(view: View) -> Filters:
    """The filters that a view asks for.

    Parameters
    ----------
    view : View
        Of the scenario.

    Returns
    -------
    Filters
        Hashable, so that it can key a cache.
    """
    return Filters(view.publishers, view.since, view.serving_engine, view.queue_limited == "shown")


def kept_pairs(pairs: pd.DataFrame, filters: Filters) -> pd.DataFrame:
    """The pairs that a reader wants to see.

    Parameters
    ----------
    pairs : DataFrame
        From `serving_pairs` or `run_pairs`.
    filters : Filters
        What is wanted; a date holds for both sides of a pair.

    Returns
    -------
    DataFrame
        Rows of the pairs under their labels; an undated side is left out where a date is asked for.
    """
    return pairs if not filters.any else pairs[_kept(pairs, filters, ("date_a", "date_b"), ("engine_a",))]


def kept_runs(runs: pd.DataFrame, filters: Filters) -> pd.DataFrame:
    """The runs that a reader wants to see.

    Parameters
    ----------
    runs : DataFrame
        From `operating_points`, or rows of the serving table.
    filters : Filters
        What is wanted.

    Returns
    -------
    DataFrame
        Rows of the runs under their labels; an undated one is left out where a date is asked for.
    """
    return runs if not filters.any else runs[_kept(runs, filters, ("date",), ("engine",))]


def undated(rows: pd.DataFrame) -> int:
    """How many rows no filter by date can keep.

    Parameters
    ----------
    rows : DataFrame
        Pairs or runs.

    Returns
    -------
    int
        Rows with a side that states no date.
    """
    names = [name for name in ("date", "date_a", "date_b") if name in rows]
    blank = [_is(rows[name], lambda word: not word) for name in names]
    return int(np.logical_or.reduce(blank).sum()) if len(rows) else 0


def engines(frame: pd.DataFrame) -> tuple[str, ...]:
    """The engine families of some rows, history left out.

    Parameters
    ----------
    frame : DataFrame
        The serving table, or runs of it.

    Returns
    -------
    tuple of str
        Those of most rows first.
    """
    counts: dict[str, int] = {}
    present = frame[~frame["source_id"].isin(HISTORICAL_SOURCES)]["engine"].value_counts()
    for name, count in present.items():
        if name and count:
            family = engine_family(str(name))
            counts[family] = counts.get(family, 0) + int(count)
    return tuple(sorted(counts, key=lambda one: (-counts[one], one)))


def weeks(frame: pd.DataFrame) -> tuple[str, ...]:
    """Days a week apart from the first to the last that rows are dated, history left out.

    Parameters
    ----------
    frame : DataFrame
        The serving table.

    Returns
    -------
    tuple of str
        YYYY-MM-DD, oldest first; empty where nothing is dated.
    """
    dates = frame[~frame["source_id"].isin(HISTORICAL_SOURCES)]["date"].unique()
    stated = sorted(_first_day(str(one)) for one in dates if one)
    if not stated:
        return ()
    first, last = (np.datetime64(one, "D") for one in (stated[0], stated[-1]))
    return tuple(str(one) for one in np.arange(first, last + 1, _WEEK))


def _kept(rows: pd.DataFrame, filters: Filters, dates: tuple[str, ...], engine: tuple[str, ...]) -> Flags:
    keep = np.ones(len(rows), dtype=bool)
    if filters.publishers == INDEPENDENT:
        keep &= _is(rows["publisher_interest"], lambda word: word == INDEPENDENT)
    if filters.since:
        for name in dates:
            keep &= _is(rows[name], lambda word: bool(word) and _first_day(word) >= filters.since)
    if filters.engine:
        for name in engine:
            keep &= _is(rows[name], lambda word: engine_family(word) == filters.engine)
    if not filters.queue_limited:
        keep &= ~rows["queue_limited"].to_numpy(dtype=bool)
    return keep


def _is(cells: pd.Series, passes: Callable[[str], bool]) -> Flags:
    """Where the words of a column pass, each different word asked once."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        by_word = np.array([*(passes(str(word)) for word in cells.cat.categories), False], dtype=bool)
        return np.asarray(by_word[cells.cat.codes.to_numpy()])
    return np.fromiter((passes(str(word)) for word in cells), dtype=bool, count=len(cells))


def _first_day(date: str) -> str:
    """A date with its first month and day filled in, as days are counted everywhere."""
    return date + "-01-01"[len(date) - 10 :] if len(date) in (4, 7) else date
