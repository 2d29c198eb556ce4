"""Which price a calculation starts from: dated list prices where there are enough, else a marked estimate.

The rule: the median of the mid values of the dated list rows of the last nine months with the same basis and term;
with fewer than three such rows the estimate of the assumptions. An article's price is used only where it is asked for.
"""

import calendar
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from lib.records import Assumption, Doubt, Price

PriceOrigin = Literal["dated-list", "estimate", "article", "none"]

FEWEST_ROWS: Final = 3
WINDOW_MONTHS: Final = 9
OLD_DAYS: Final = 90
_LISTED: Final = ("dated-list", "old-list")
PER_GPU: Final = "per GPU"
PER_GPU_HOUR: Final = "per GPU-hour"
PER_GPU_MONTH: Final = "per GPU-month"

_RENT_ESTIMATES: Final[Mapping[tuple[str, int | None], str]] = {
    ("on-demand", None): "rent-od-est-",
    ("reserved", 12): "rent-1y-est-",
    ("reserved", 36): "rent-3y-est-",
}


@dataclass(frozen=True, slots=True)
class PriceChoice:
    """The price that the rule picks, with the rows behind it; where value is None, reason says why."""

    accelerator_id: str
    kind: str
    term_months: int | None
    value: float | None
    low: float | None
    high: float | None
    currency: str
    basis: str
    origin: PriceOrigin
    price_ids: tuple[str, ...]
    assumption_id: str
    newest_age_days: int | None
    oldest_age_days: int | None
    reason: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class KnownLists:
    """The dated list prices of a part on one basis, whether they are enough for a default or not."""

    rows: int
    recent: int
    """Of the last nine months: only these make a default."""
    low: float | None
    high: float | None
    oldest: str
    newest: str
    providers: tuple[str, ...]


def earliest_day(text: str) -> date | None:
    """The first day that a date of year, month or day precision can mean; None for a blank.

    Parameters
    ----------
    text : str
        YYYY, YYYY-MM or YYYY-MM-DD.

    Returns
    -------
    date or None
        So that a price never looks fresher than it can be.

    Examples
    --------
    >>> earliest_day("2026-05").isoformat()
    '2026-05-01'
    """
    if not text:
        return None
    year, month, day = (*map(int, text.split("-")), 1, 1)[:3]
    return date(year, month, day)


def months_before(day: date, months: int) -> date:
    """The same day some months earlier, or the last of that month where it is shorter.

    Parameters
    ----------
    day : date
        Where to start.
    months : int
        How many months to go back.

    Returns
    -------
    date
        The earlier day.

    Examples
    --------
    >>> months_before(date(2026, 11, 30), 9).isoformat()
    '2026-02-28'
    """
    year, month_from_zero = divmod(day.year * 12 + day.month - 1 - months, 12)
    month = month_from_zero + 1
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


def default_price(
    prices: Iterable[Price],
    assumptions: Mapping[str, Assumption],
    accelerator_id: str,
    kind: str,
    term_months: int | None,
    basis: str,
    as_of: date,
) -> PriceChoice:
    """The price a calculation starts from, by the rule of this module.

    Parameters
    ----------
    prices : iterable of Price
        All price rows.
    assumptions : mapping of str to Assumption
        The edition's assumptions, for the estimates.
    accelerator_id : str
        The part.
    kind : str
        purchase, on-demand, reserved, monthly or spot.
    term_months : int or None
        Commitment [months]; None for none.
    basis : str
        What the price is for, for example "per GPU-hour".
    as_of : date
        The day on which the question is asked: later rows do not exist yet.

    Returns
    -------
    PriceChoice
        Low and high are the least and the most that the rows used state. An estimate may have another basis than
        asked for: that of its assumption, for example a server.

    Notes
    -----
    Only rows in US dollars count. A value without rows has the reason "fewer-than-three-rows" and its estimate; where
    there is no estimate either, "no-rows" or "fewer-than-three-rows" and no value.
    """
    rows = [
        row
        for row in prices
        if (row.accelerator_id, row.kind, row.term_months, row.basis) == (accelerator_id, kind, term_months, basis)
        and row.quality == "dated-list"
        and row.currency == "USD"
        and _is_recent(row, as_of)
    ]
    if len(rows) >= FEWEST_ROWS:
        return _from_rows(rows, "dated-list", as_of, "")
    reason = "fewer-than-three-rows" if rows else "no-rows"
    estimate = _estimate(assumptions.values(), accelerator_id, kind, term_months)
    if estimate is None:
        return _nothing(accelerator_id, kind, term_months, basis, reason, tuple(row.price_id for row in rows))
    day = earliest_day(estimate.as_of)
    age = (as_of - day).days if day else None
    return PriceChoice(
        accelerator_id=accelerator_id,
        kind=kind,
        term_months=term_months,
        value=estimate.base,
        low=estimate.low,
        high=estimate.high,
        currency="USD",
        basis=estimate.unit.removeprefix("USD "),
        origin="estimate",
        price_ids=tuple(row.price_id for row in rows),
        assumption_id=estimate.assumption_id,
        newest_age_days=age,
        oldest_age_days=age,
        reason=reason,
        doubts=(Doubt("estimated-price", {"assumption": estimate.assumption_id, "rows": len(rows)}), *_age_doubt(age)),
    )


def known_lists(
    prices: Iterable[Price], accelerator_id: str, kind: str, term_months: int | None, basis: str, as_of: date
) -> KnownLists:
    """What is listed for a part, so that a missing default can be explained.

    Parameters
    ----------
    prices : iterable of Price
        All price rows.
    accelerator_id : str
        The part.
    kind : str
        purchase, on-demand, reserved, monthly or spot.
    term_months : int or None
        Commitment [months]; None for none.
    basis : str
        What the price is for, for example "per GPU-hour".
    as_of : date
        The day on which the question is asked: later rows do not exist yet.

    Returns
    -------
    KnownLists
        List prices in US dollars with a date, however old.
    """
    rows = [
        row
        for row in prices
        if (row.accelerator_id, row.kind, row.term_months, row.basis) == (accelerator_id, kind, term_months, basis)
        and row.quality in _LISTED
        and row.currency == "USD"
        and (day := earliest_day(row.as_of)) is not None
        and day <= as_of
    ]
    dates = sorted(row.as_of for row in rows)
    return KnownLists(
        rows=len(rows),
        recent=sum(row.quality == "dated-list" and _is_recent(row, as_of) for row in rows),
        low=min((row.low for row in rows), default=None),
        high=max((row.high for row in rows), default=None),
        oldest=dates[0] if dates else "",
        newest=dates[-1] if dates else "",
        providers=tuple(sorted({row.provider for row in rows if row.provider})),
    )


def article_price(
    prices: Iterable[Price], accelerator_id: str, article: str, kind: str, basis: str, as_of: date
) -> PriceChoice:
    """The price that an article states, for presets that say so; illustrations are no prices.

    Parameters
    ----------
    prices : iterable of Price
        All price rows.
    accelerator_id : str
        The part.
    article : str
        Source id, article-a0 to article-a4.
    kind : str
        purchase, on-demand or monthly.
    basis : str
        What the price is for, for example "per GPU-month".
    as_of : date
        The day on which the question is asked, for the age.

    Returns
    -------
    PriceChoice
        The middle of what the article states, with its range; no value and the reason "article-states-no-price"
        where it states none.
    """
    rows = [
        row
        for row in prices
        if (row.accelerator_id, row.kind, row.basis, row.source_id) == (accelerator_id, kind, basis, article)
        and row.quality != "illustration"
        and row.currency == "USD"
    ]
    if not rows:
        return _nothing(accelerator_id, kind, None, basis, "article-states-no-price", ())
    return _from_rows(rows, "article", as_of, article)


def _is_recent(row: Price, as_of: date) -> bool:
    day = earliest_day(row.as_of)
    return day is not None and months_before(as_of, WINDOW_MONTHS) <= day <= as_of


def _from_rows(rows: Sequence[Price], origin: PriceOrigin, as_of: date, reason: str) -> PriceChoice:
    ages = sorted((as_of - day).days for row in rows if (day := earliest_day(row.as_of)))
    newest, oldest = (ages[0], ages[-1]) if ages else (None, None)
    first = rows[0]
    return PriceChoice(
        accelerator_id=first.accelerator_id,
        kind=first.kind,
        term_months=first.term_months,
        value=statistics.median((row.low + row.high) / 2 for row in rows),
        low=min(row.low for row in rows),
        high=max(row.high for row in rows),
        currency=first.currency,
        basis=first.basis,
        origin=origin,
        price_ids=tuple(row.price_id for row in rows),
        assumption_id="",
        newest_age_days=newest,
        oldest_age_days=oldest,
        reason=reason,
        doubts=_age_doubt(oldest),
    )


def _nothing(
    accelerator_id: str, kind: str, term_months: int | None, basis: str, reason: str, price_ids: tuple[str, ...]
) -> PriceChoice:
    return PriceChoice(
        accelerator_id=accelerator_id,
        kind=kind,
        term_months=term_months,
        value=None,
        low=None,
        high=None,
        currency="USD",
        basis=basis,
        origin="none",
        price_ids=price_ids,
        assumption_id="",
        newest_age_days=None,
        oldest_age_days=None,
        reason=reason,
        doubts=(),
    )


def _estimate(
    assumptions: Iterable[Assumption], accelerator_id: str, kind: str, term_months: int | None
) -> Assumption | None:
    """The estimate for that price, gaps left out: rents by their id, servers and racks by what they apply to."""
    wanted = _RENT_ESTIMATES.get((kind, term_months))
    for row in assumptions:
        if None in (row.low, row.base, row.high) or not row.unit.startswith("USD "):
            continue
        if wanted and row.assumption_id == wanted + accelerator_id:
            return row
        is_server = row.assumption_id.startswith("capex-srv-8x") and row.assumption_id.endswith("-est")
        is_rack = row.assumption_id.startswith("capex-rack-")
        if kind == "purchase" and (is_server or is_rack) and accelerator_id in row.applies_to:
            return row
    return None


def _age_doubt(age_days: int | None) -> tuple[Doubt, ...]:
    if age_days is None:
        return (Doubt("undated-price", {}),)
    return (Doubt("old-price", {"days": age_days}),) if age_days > OLD_DAYS else ()
