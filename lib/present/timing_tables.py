"""The timing page in tables: paths, horizons, the prices and series they rest on, and the roadmap."""

import pandas as pd

from lib.catalog import Catalog
from lib.choice.price_drift import Drift
from lib.choice.roadmap import products
from lib.choice.timing_paths import HORIZONS, KINDS
from lib.choice.timing_records import TimedPath, Timing
from lib.cost.inverse import price_field
from lib.present import doubts, names
from lib.present.price_words import price_word
from lib.present.text import UNKNOWN, Words, plain
from lib.present.timing import break_even_words, drift_name, path_name
from lib.units import MONTHS_PER_YEAR


def paths_table(found: Timing, _: Words) -> pd.DataFrame:
    """Each path with its cost in every future, those that the article advises among them.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Amounts in US dollars; a path without a cost says why.
    """
    lines = []
    for path in _with_advised(found):
        line: dict[str, object] = {_("Path"): path_name(path.kind, path.order_month, _)}
        for drift in found.drifts:
            head = _("NPV, USD: {future}", future=drift_name(drift, _))
            line[head] = _round(path.npv_usd.get(drift.name))
        line[_("Flat, low prices")] = _round(path.low_usd)
        line[_("Flat, high prices")] = _round(path.high_usd)
        line[_("Against buying now")] = _against(found, path, _)
        lines.append(line)
    return pd.DataFrame(lines)


def _with_advised(found: Timing) -> list[TimedPath]:
    """The paths, and the two of the article where the reader's own months are others."""
    known = {(path.kind, path.order_month) for path in found.paths}
    return [*found.paths, *(path for path in found.advised if (path.kind, path.order_month) not in known)]


def _against(found: Timing, path: TimedPath, _: Words) -> str:
    if path.problem is not None:
        if path.problem.code == "nothing-left":
            return _(
                "It would serve after {months} of {horizon} months.",
                months=path.problem.values["months"],
                horizon=path.problem.values["horizon"],
            )
        return doubts.sentence(path.problem, _)
    one = next((b for b in found.break_evens if (b.kind, b.order_month) == (path.kind, path.order_month)), None)
    return "" if one is None else break_even_words(one, _)


def _round(value: float | None) -> float | None:
    return None if value is None else float(round(value))


def horizon_table(found: Timing, _: Words) -> pd.DataFrame:
    """Each path at one to five years with flat prices, the cheapest of each horizon in bold.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells, thousands of US dollars.
    """
    cheapest = {
        months: min((by[months] for by in found.by_horizon.values() if months in by), default=None)
        for months in HORIZONS
    }
    orders = {path.kind: path.order_month for path in found.paths}
    lines = []
    for kind in KINDS:
        line = {_("Path, thousand USD"): path_name(kind, orders[kind], _)}
        for months in HORIZONS:
            value = found.by_horizon[kind].get(months)
            text = f"{value / 1000:,.0f}" if value is not None else "–"
            head = _.count("{n} year", "{n} years", months // MONTHS_PER_YEAR)
            line[head] = f"**{text}**" if value is not None and value == cheapest[months] else text
        lines.append(line)
    return pd.DataFrame(lines)


def prices_table(found: Timing, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The price behind each way of having the part, with its kind, range, source and date.

    Parameters
    ----------
    found : Timing
        The paths.
    catalog : Catalog
        For the rows behind the prices.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a price row or assumption.
    """
    prices = {row.price_id: row for row in catalog.prices}
    lines = []
    for way, one in found.ways.items():
        head: dict[str, object] = {_("Way"): names.acquisition(way, _)}
        origin = None
        if one.defaults is not None:
            origin = one.defaults.origins.get(price_field(one.candidate.acquisition))
        if origin is None or origin.kind == "missing":
            lines.append({**head, _("Kind"): _(UNKNOWN)})
            continue
        unit = _("USD per server") if way == "buy" else _("USD per GPU-hour")
        option = one.option
        used = None if option is None else (option.server_price_usd if way == "buy" else option.rent_usd_per_gpu_hour)
        base: dict[str, object] = {
            **head,
            _("Price"): None if used is None else float(used),
            _("Unit"): unit,
            _("Low"): origin.low,
            _("High"): origin.high,
            _("Kind"): plain(price_word(one, found.quotes.get(way), _)),
        }
        for name in origin.ids or ("",):
            row = prices.get(name) or catalog.assumptions.get(name)
            source = catalog.source(row.source_id).title if row else ""
            lines.append({**base, _("Row"): name, _("Source"): source, _("Date"): row.as_of if row else ""})
    return pd.DataFrame(lines)


def drift_table(found: Timing, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The series of rents behind the futures.

    Parameters
    ----------
    found : Timing
        With its futures.
    catalog : Catalog
        For titles of sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a series.
    """
    lines = [_series_line(drift, index, catalog, _) for drift in found.drifts for index in range(len(drift.series))]
    return pd.DataFrame(lines)


def _series_line(drift: Drift, index: int, catalog: Catalog, _: Words) -> dict[str, object]:
    one = drift.series[index]
    return {
        _("Future"): drift_name(drift, _),
        _("Series"): one.terms,
        _("From"): one.first_day.isoformat(),
        _("USD per GPU-hour at the start"): one.first_usd,
        _("To"): one.last_day.isoformat(),
        _("USD per GPU-hour at the end"): one.last_usd,
        _("Change per year"): _.percent(one.per_year, 1),
        _("Rows"): one.rows,
        _("Source"): catalog.source(one.source_id).title,
        _("Where"): "; ".join(one.locators),
    }


def roadmap_table(catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every statement of the roadmap, product by product, with who says so and when.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Products whose statements do not agree are marked.
    """
    lines = [
        {
            _("Product"): product.name,
            _("Status"): status_name(fact.status, _),
            _("From"): fact.window_start,
            _("To"): fact.window_end,
            _("Who says so"): speaker_name(fact.kind, _),
            _("Statement"): _.pick(fact.statement_en, fact.statement_zh),
            _("Statements differ"): _("yes") if product.is_disputed else _("no"),
            _("As of"): fact.as_of or _("undated"),
            _("Source"): catalog.source(fact.source_id).title,
            _("Where"): catalog.source(fact.source_id).location,
            _("Note"): fact.note,
        }
        for product in products(catalog.roadmap)
        for fact in product.facts
    ]
    return pd.DataFrame(lines)


def details_table(key: str, found: Timing, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The table of one of the sections that are opened on demand.

    Parameters
    ----------
    key : str
        "timing.statements", "timing.prices" or "timing.series".
    found : Timing
        The paths.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a fact.
    """
    if key == "timing.statements":
        return roadmap_table(catalog, _)
    return prices_table(found, catalog, _) if key == "timing.prices" else drift_table(found, catalog, _)


def status_name(status: str, _: Words) -> str:
    """A status of the roadmap in the reader's words.

    Parameters
    ----------
    status : str
        As the table has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table or a label.
    """
    return {
        "announced": _("announced"),
        "sampling": _("sampling"),
        "production": _("in production"),
        "shipping": _("shipping"),
        "forecast": _("forecast"),
    }[status]


def speaker_name(kind: str, _: Words) -> str:
    """Who makes a statement of the roadmap.

    Parameters
    ----------
    kind : str
        As the table has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table or a label.
    """
    return {
        "vendor": _("vendor"),
        "press": _("press"),
        "analyst": _("analysts"),
        "provider": _("provider"),
        "article": _("article A0"),
        "list": _("price list"),
    }[kind]
