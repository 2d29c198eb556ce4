"""The prices that an offer is set beside: dated rows of its own basis, and where it stands among them."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.quotes import Basis
from lib.choice.scenario import Money
from lib.cost.defaults import FinanceDefaults, finance_defaults
from lib.cost.prices import FEWEST_ROWS, PER_GPU, PER_GPU_HOUR, WINDOW_MONTHS, earliest_day, months_before
from lib.records import Assumption, Price

Standing = Literal["below-all", "within", "above-all", "few-rows", "estimate-only", "nothing"]

_KIND: Final[dict[str, tuple[str, int | None, str]]] = {
    "gpu": ("purchase", None, PER_GPU),
    "rent": ("on-demand", None, PER_GPU_HOUR),
    "commit-1y": ("reserved", 12, PER_GPU_HOUR),
    "commit-3y": ("reserved", 36, PER_GPU_HOUR),
}
_SHOWN: Final = ("dated-list", "old-list", "article")
_SERVER_UNIT: Final = "USD per 8-GPU server"
_SERVERS: Final = "capex-srv-"
_MORE_THAN_A_SERVER: Final = frozenset(
    {"capex-srv-h100-semi", "capex-srv-8xb200-est", "capex-srv-8xb300-est", "capex-srv-8xmi355x-est"}
)
"""Their figures hold network, storage or cluster kit beside the server."""


@dataclass(frozen=True, slots=True)
class SeenPrice:
    """One dated price of a part on one basis; `counts` is False for what is shown and not judged by.

    `row_id` is a price or an assumption; `kind` its quality or its kind.
    """

    row_id: str
    low: float
    high: float
    as_of: str
    age_days: int
    kind: str
    source_id: str
    counts: bool
    holds_more: bool = False

    @property
    def middle(self) -> float:
        """Middle of what is stated [USD]."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Position:
    """Where a price stands among those seen: least, median and most of them, and how far from the median it is."""

    standing: Standing
    low: float | None
    median: float | None
    high: float | None
    rows: int
    newest_days: int | None
    oldest_days: int | None

    def from_median(self, usd: float) -> float | None:
        """How far a price lies from the median [fraction of the median]."""
        return None if not self.median else usd / self.median - 1


def exchange(catalog: Catalog, money: Money, currency: str, as_of: date) -> FinanceDefaults:
    """The rate of a currency: the buyer's own where results are shown in it at a stated rate, else the dated one.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    money : Money
        May state a rate for its currency.
    currency : str
        USD, CNY or EUR.
    as_of : date
        The day of the question.

    Returns
    -------
    FinanceDefaults
        Whose finance has the units per dollar, with the day of the rate.
    """
    stated = {"currency": currency}
    if currency != "USD" and currency == money.currency and money.currency_per_usd is not None:
        return finance_defaults(catalog.assumptions, {**stated, "currency_per_usd": money.currency_per_usd}, as_of)
    return finance_defaults(catalog.assumptions, stated, as_of)


def seen_prices(catalog: Catalog, accelerator_id: str, basis: Basis, as_of: date) -> tuple[SeenPrice, ...]:
    """Every dated price of a part on a basis, the newest first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    accelerator_id : str
        The part.
    basis : str
        What a price is for.
    as_of : date
        The day of the question: later rows do not exist yet.

    Returns
    -------
    tuple of SeenPrice
        In US dollars. Lists count; articles count where a purchase of single GPUs has no list; of servers the reported
        ones count, estimates only stand beside them. Undated and weak rows are left out.
    """
    if basis == "server":
        found = [_of_server(row, as_of) for row in catalog.assumptions.values() if _is_server(row, accelerator_id)]
    else:
        wanted = _KIND[basis]
        rows = [
            row
            for row in catalog.prices
            if (row.accelerator_id, row.kind, row.term_months, row.basis) == (accelerator_id, *wanted)
            and row.currency == "USD"
            and row.quality in _SHOWN
        ]
        listed = any(row.quality != "article" and row.as_of for row in rows)
        found = [_of_price(row, as_of, row.quality != "article" or not listed) for row in rows]
    return tuple(sorted((one for one in found if one is not None), key=lambda one: (one.age_days, one.row_id)))


def judged_by(seen: Iterable[SeenPrice], as_of: date) -> tuple[SeenPrice, ...]:
    """The prices that a judgement rests on: those of the last nine months where there are three, else every dated one.

    Parameters
    ----------
    seen : iterable of SeenPrice
        From `seen_prices`.
    as_of : date
        The day of the question.

    Returns
    -------
    tuple of SeenPrice
        Those that count alone.
    """
    counted = [one for one in seen if one.counts]
    longest = (as_of - months_before(as_of, WINDOW_MONTHS)).days
    recent = [one for one in counted if one.age_days <= longest]
    return tuple(recent if len(recent) >= FEWEST_ROWS else counted)


def position(usd: float, rows: Sequence[SeenPrice], estimates: Sequence[SeenPrice] = ()) -> Position:
    """Where a price stands among rows: below all of them, above all, or between (exact).

    median = median of the middles of the rows

    Parameters
    ----------
    usd : float
        The price [USD per unit of the basis].
    rows : sequence of SeenPrice
        Those that a judgement rests on.
    estimates : sequence of SeenPrice
        What stands in where there is no row.

    Returns
    -------
    Position
        Standing "few-rows" between fewer than three rows, "estimate-only" and "nothing" without any.
    """
    used = list(rows) or list(estimates)
    if not used:
        return Position("nothing", None, None, None, 0, None, None)
    low, high = min(one.low for one in used), max(one.high for one in used)
    standing: Standing = "within"
    if not rows:
        standing = "estimate-only"
    elif usd < low:
        standing = "below-all"
    elif usd > high:
        standing = "above-all"
    elif len(rows) < FEWEST_ROWS:
        standing = "few-rows"
    ages = [one.age_days for one in used]
    return Position(
        standing, low, statistics.median(one.middle for one in used), high, len(rows), min(ages), max(ages)
    )  # fmt: skip


def _of_price(row: Price, as_of: date, counts: bool) -> SeenPrice | None:
    day = earliest_day(row.as_of)
    if day is None or day > as_of:
        return None
    return SeenPrice(
        row.price_id, row.low, row.high, row.as_of, (as_of - day).days, row.quality, row.source_id, counts
    )  # fmt: skip


def _is_server(row: Assumption, accelerator_id: str) -> bool:
    return (
        row.assumption_id.startswith(_SERVERS)
        and row.unit == _SERVER_UNIT
        and accelerator_id in row.applies_to
        and row.low is not None
        and row.high is not None
    )


def _of_server(row: Assumption, as_of: date) -> SeenPrice | None:
    day = earliest_day(row.as_of)
    if day is None or day > as_of or row.low is None or row.high is None:
        return None
    more = row.assumption_id in _MORE_THAN_A_SERVER
    return SeenPrice(
        row_id=row.assumption_id, low=row.low, high=row.high, as_of=row.as_of, age_days=(as_of - day).days, kind=row.kind,
        source_id=row.source_id, counts=row.kind == "reported" and not more, holds_more=more,
    )  # fmt: skip
