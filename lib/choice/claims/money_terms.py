"""Terms about money: stated prices, lists, assumptions, and a whole cost of ownership at an article's prices."""

import functools
from collections.abc import Callable, Mapping
from statistics import median
from typing import Final

from lib.catalog import Catalog
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value, number
from lib.choice.costed import as_of
from lib.cost.cash_flow import totals
from lib.cost.defaults import finance_defaults, option_for
from lib.cost.unit_cost import cost_per_million_tokens_usd
from lib.errors import UnknownNameError
from lib.records import Price
from lib.units import SECONDS_PER_HOUR

_LISTS: Final = ("dated-list", "undated-list")
_AGGREGATES: Final = ("several", "not stated")
"""Medians and ranges of surveys: they would count providers twice."""
_BASIS: Final[Mapping[str, str]] = {"purchase": "per GPU", "on-demand": "per GPU-hour", "monthly": "per GPU-month"}


def price(catalog: Catalog, price_id: str) -> Term:
    """One price statement, low to high.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    price_id : str
        Row of prices.csv.

    Returns
    -------
    Term
        In the row's currency and basis.

    Raises
    ------
    UnknownNameError
        If there is no such price.
    """
    found = _by_id(catalog).get(price_id)
    if found is None:
        raise UnknownNameError("price", price_id, _by_id(catalog))
    return _of_rows("price", (price_id,), [found], Value(found.low, found.high))


def listed(catalog: Catalog, part: str, kind: str, providers: str = "") -> Term:
    """What providers ask for a part in their lists, lowest to highest.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    kind : str
        purchase, on-demand or monthly.
    providers : str
        Names separated by ";"; blank for all.

    Returns
    -------
    Term
        [USD in the kind's usual basis]; nothing where no list has it.
    """
    rows = _listed(catalog, part, kind, providers)
    value = Value(min(row.low for row in rows), max(row.high for row in rows)) if rows else Value()
    return _of_rows("listed", (part, kind, providers), rows, value, part)


def median_price(catalog: Catalog, part: str, kind: str) -> Term:
    """The middle of what providers ask for a part in their lists.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    kind : str
        purchase, on-demand or monthly.

    Returns
    -------
    Term
        [USD in the kind's usual basis].
    """
    rows = _listed(catalog, part, kind, "")
    value = number(median((row.low + row.high) / 2 for row in rows)) if rows else Value()
    return _of_rows("median_price", (part, kind), rows, value, part)


def offers(catalog: Catalog, part: str, kind: str, providers: str = "") -> Term:
    """How many price rows show that a part is offered, recorded replies of providers among them.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    kind : str
        purchase, on-demand or monthly.
    providers : str
        Names separated by ";"; blank for all.

    Returns
    -------
    Term
        A count of rows.
    """
    named = [name for name in providers.split(";") if name]
    rows = [
        row
        for row in catalog.prices
        if (row.accelerator_id, row.kind) == (part, kind)
        and not row.quality.startswith(("article", "illustration", "cost-model"))
        and not row.provider.startswith(_AGGREGATES)
        and (not named or any(name in row.provider for name in named))
    ]
    return _of_rows("offers", (part, kind, providers), rows, number(len(rows)), part, unit="rows")


def article_prices(catalog: Catalog, part: str, kind: str) -> Term:
    """The span of what the articles state for a part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    kind : str
        purchase, on-demand or monthly.

    Returns
    -------
    Term
        [USD in the kind's usual basis].
    """
    rows = [
        row
        for row in catalog.prices
        if (row.accelerator_id, row.kind, row.quality, row.basis) == (part, kind, "article", _BASIS[kind])
    ]
    value = Value(min(row.low for row in rows), max(row.high for row in rows)) if rows else Value()
    return _of_rows("article_prices", (part, kind), rows, value, part)


def assumed(catalog: Catalog, assumption_id: str) -> Term:
    """One assumption of the cost model, at its base.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    assumption_id : str
        Row of assumptions.csv.

    Returns
    -------
    Term
        In the row's unit.
    """
    row = catalog.assumption(assumption_id)
    value = Value() if row.base is None else number(row.base)
    return Term("assumed", (assumption_id,), value, row.unit, ((row.source_id, row.locator),))


def tco(catalog: Catalog, part: str, gpus: int, article: str, months: int) -> Term:
    """Nominal cost of owning some GPUs at an article's prices and the edition's assumptions.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    gpus : int
        GPUs bought; servers are bought whole.
    article : str
        Source id of the article.
    months : int
        Horizon [months].

    Returns
    -------
    Term
        [USD].
    """
    found = option_for(
        catalog.accelerator(part), "buy", int(gpus), catalog.assumptions, catalog.prices, as_of(catalog), {}, article,
        int(months),
    )  # fmt: skip
    finance = finance_defaults(catalog.assumptions, {"horizon_months": int(months)}).finance
    value = Value() if found.option is None else number(float(totals(found.option, finance).nominal_usd))
    return Term("tco", (part, gpus, article, months), value, "USD", ((article, ""),), (part,))


def per_million(catalog: Catalog, usd_per_hour: float, tokens_per_hour: float) -> Term:
    """Cost of a million tokens, by the library's unit cost.

    Parameters
    ----------
    catalog : Catalog
        The edition; nothing of it is used.
    usd_per_hour : float
        Cost of one hour [USD].
    tokens_per_hour : float
        Tokens made in it.

    Returns
    -------
    Term
        [USD per million tokens].
    """
    found = cost_per_million_tokens_usd(float(usd_per_hour), tokens_per_hour / SECONDS_PER_HOUR)
    return Term("per_million", (usd_per_hour, tokens_per_hour), number(float(found)), "USD per million tokens")


@functools.lru_cache(maxsize=8)
def _by_id(catalog: Catalog) -> Mapping[str, Price]:
    return {row.price_id: row for row in catalog.prices}


def _listed(catalog: Catalog, part: str, kind: str, providers: str) -> list[Price]:
    named = [name for name in providers.split(";") if name]
    return [
        row
        for row in catalog.prices
        if (row.accelerator_id, row.kind, row.basis, row.currency) == (part, kind, _BASIS[kind], "USD")
        and row.quality in _LISTS
        and not row.provider.startswith(_AGGREGATES)
        and (not named or any(name in row.provider for name in named))
    ]


def _of_rows(
    kind: str,
    arguments: tuple[str | float, ...],
    rows: list[Price],
    value: Value,
    part: str = "",
    unit: str | None = None,
) -> Term:
    sources = tuple(dict.fromkeys((row.source_id, row.locator) for row in rows))
    known = {row.accelerator_id for row in rows} | ({part} if part else set())
    parts = tuple(sorted(known - {"unspecified", ""}))
    named = f"{rows[0].currency} {rows[0].basis}" if rows else "USD"
    return Term(kind, arguments, value, named if unit is None else unit, sources, parts)


TERMS: Final[Mapping[str, Callable[..., Term]]] = {
    "price": price, "listed": listed, "median_price": median_price, "offers": offers, "assumed": assumed,
    "article_prices": article_prices, "tco": tco, "per_million": per_million,
}  # fmt: skip
