"""How fast rents fell before October 2025 and rose since, from series of one source that cover a year or more."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

import pandas as pd

from lib.cost.prices import earliest_day
from lib.cost.timing import DAYS_PER_YEAR

DriftName = Literal["falls", "flat", "rises", "own"]

PART: Final = "h100-sxm"
"""The one part whose rents are known over years."""

TURN_FIRST: Final = date(2025, 10, 1)
TURN_LAST: Final = date(2025, 10, 31)
"""The month of the lowest rents: it closes the fall and opens the rise."""

SHORTEST_DAYS: Final = 365
"""Shorter series say little of a year: a rise of five months is not multiplied up to twelve."""

_TRUSTED: Final = "dated-list"
_INDEX: Final = "index"


@dataclass(frozen=True, slots=True)
class RentSeries:
    """One series of one source: its first and last rent in a window, and the change per year between them."""

    source_id: str
    terms: str
    locators: tuple[str, ...]
    first_day: date
    first_usd: float
    last_day: date
    last_usd: float
    rows: int
    per_year: float


@dataclass(frozen=True, slots=True)
class Drift:
    """A yearly change of rents, and the series that it is the middle of; none for a rate that is assumed or stated."""

    name: DriftName
    per_year: float
    series: tuple[RentSeries, ...]


def change_per_year(first_usd: float, last_usd: float, days: int) -> float:
    """The yearly change between two prices (exact).

    rate = (last / first)^(365 / days) - 1

    Parameters
    ----------
    first_usd, last_usd : float
        Prices at both ends [USD].
    days : int
        Between them [days].

    Returns
    -------
    float
        Change [fraction per year].

    Examples
    --------
    Specialists' average rent of an H100, 4.50 USD in the last quarter of 2023 and 2.50 USD eighteen months later:

    >>> round(change_per_year(4.5, 2.5, 547), 3)
    -0.324

    References
    ----------
    alpha-one-index, ai-infra-index, specs/cloud-gpu-pricing.md
    """
    return float((last_usd / first_usd) ** (DAYS_PER_YEAR / days) - 1)


def rent_series(history: pd.DataFrame, first: date | None, last: date | None) -> tuple[RentSeries, ...]:
    """The series of one source and one kind of rent within a window.

    Parameters
    ----------
    history : pandas.DataFrame
        The table of rents.
    first, last : date or None
        The window, both days included; None is open.

    Returns
    -------
    tuple of RentSeries
        Rows of one source with the same terms (an index with the same kind) whose first and last are SHORTEST_DAYS
        apart or more, in the order of the table; rows without a median, without a day, or marked as not to be charted
        are left out.
    """
    rows = history[
        (history["accelerator_id"] == PART)
        & (history["quality"] == _TRUSTED)
        & history["chart"]
        & history["median_usd_per_hour"].notna()
    ]
    groups: dict[tuple[str, str], list[tuple[date, float, str, str]]] = {}
    for row in rows.to_dict("records"):
        day = earliest_day(str(row["as_of"]))
        if day is None or (first and day < first) or (last and day > last):
            continue
        terms = str(row["kind"] if row["kind"] == _INDEX else row["terms"])
        point = (day, float(row["median_usd_per_hour"]), str(row["locator"]), str(row["terms"]))
        groups.setdefault((str(row["source_id"]), terms), []).append(point)
    found = []
    for (source_id, _terms), points in groups.items():
        points.sort()
        (start, before, *_), (end, after, *_) = points[0], points[-1]
        if (days := (end - start).days) < SHORTEST_DAYS:
            continue
        places = tuple(dict.fromkeys((points[0][2], points[-1][2])))
        terms = " / ".join(dict.fromkeys((points[0][3], points[-1][3])))
        rate = change_per_year(before, after, days)
        found.append(RentSeries(source_id, terms, places, start, before, end, after, len(points), rate))
    return tuple(found)


def drifts(history: pd.DataFrame, own: float = 0.0) -> tuple[Drift, ...]:
    """The futures of rents that a decision is held against.

    Parameters
    ----------
    history : pandas.DataFrame
        The table of rents.
    own : float
        The reader's own yearly change [fraction]; 0 adds nothing.

    Returns
    -------
    tuple of Drift
        Falls as before October 2025, flat, rises as since; each the median of its series. One without a series is left
        out. The reader's own stands last.
    """
    ends: Sequence[tuple[DriftName, tuple[RentSeries, ...]]] = (
        ("falls", rent_series(history, None, TURN_LAST)),
        ("rises", rent_series(history, TURN_FIRST, None)),
    )
    named = {
        name: Drift(name, statistics.median(one.per_year for one in series), series) for name, series in ends if series
    }
    found = [named.get("falls"), Drift("flat", 0.0, ()), named.get("rises")]
    if own:
        found.append(Drift("own", own, ()))
    return tuple(one for one in found if one is not None)
