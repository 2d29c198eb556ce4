"""Where the facts come from: what kind of source each rests on, how old the prices are, which rows a search keeps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

import pandas as pd

from lib.catalog import Catalog
from lib.cost.prices import OLD_DAYS, WINDOW_MONTHS, earliest_day, months_before
from lib.errors import UnknownNameError
from lib.records import Price

Closeness = Literal["vendor", "record", "second-hand", "own"]
Mark = Literal["undated", "old", "weak", "illustration"]

CLOSENESS: Final[tuple[Closeness, ...]] = ("vendor", "record", "second-hand", "own")
"""Documents of those who make or submit the parts; records of those who measured, wrote the software or ask the price;
what others report; what is derived here."""

MARKS: Final[tuple[Mark, ...]] = ("undated", "old", "weak", "illustration")
"""What may weaken a price: no date, over 90 days old at the edition's date, a weak source, made up to illustrate."""

_CLOSENESS_OF: Final[Mapping[str, Closeness]] = {
    "vendor datasheet": "vendor",
    "vendor white paper": "vendor",
    "vendor docs": "vendor",
    "benchmark": "record",
    "project docs": "record",
    "issue tracker": "record",
    "price list": "record",
    "survey": "second-hand",
    "cost model": "second-hand",
    "article": "second-hand",
    "news": "second-hand",
    "third-party": "second-hand",
    "own derivation": "own",
}

SOURCE_COLUMN: Final = "source_id"
FURTHER_SOURCES: Final = "also_source_ids"
PART_COLUMN: Final = "accelerator_id"
_PART_COLUMNS: Final = (PART_COLUMN, "accelerator", "applies_to")
_LISTS: Final = ("applies_to", FURTHER_SOURCES)
_DATED: Final = "as_of"
_GROUPS: Final = frozenset({"all", "nvidia", "amd", "us", "eu", "cn", "unspecified"})
"""What rows may be about beside single parts."""


@dataclass(frozen=True, slots=True)
class TableOrigin:
    """Rows of one table by how near their source stands to the fact."""

    table: str
    rows: int
    by_closeness: Mapping[Closeness, int]

    @property
    def second_hand_share(self) -> float:
        """Share of the rows that somebody reports who neither made, measured nor sells it [fraction]."""
        return self.by_closeness["second-hand"] / self.rows


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the whole edition rests on."""

    facts: int
    """Rows that name a source."""
    sources: int
    origins: tuple[TableOrigin, ...]
    """One for each table whose rows name a source, those with the most second-hand rows first."""
    spec_cells: int
    """Cells of the spec table that a source states."""
    vendor_cells: int
    """Of these, the cells that a document of the part's own vendor states, in agreement with the table."""
    prices: int
    recent_prices: int
    """Prices dated within the window from which defaults are taken."""
    default_prices: int
    """Of these, the dated list prices: the only ones that can become a default."""
    newest_price_age_days: int | None

    @property
    def vendor_share(self) -> float:
        """Share of the sourced spec cells that the vendor itself states [fraction]."""
        return self.vendor_cells / self.spec_cells

    @property
    def tables(self) -> int:
        """Tables whose rows name a source."""
        return len(self.origins)


def closeness(kind: str) -> Closeness:
    """How near a kind of source stands to the fact.

    Parameters
    ----------
    kind : str
        A kind of the table of sources.

    Returns
    -------
    str
        vendor, record, second-hand or own.

    Raises
    ------
    UnknownNameError
        If there is no such kind.

    Examples
    --------
    >>> closeness("vendor datasheet"), closeness("news")
    ('vendor', 'second-hand')
    """
    if kind not in _CLOSENESS_OF:
        raise UnknownNameError("kind of source", kind, _CLOSENESS_OF)
    return _CLOSENESS_OF[kind]


def table_origins(catalog: Catalog) -> tuple[TableOrigin, ...]:
    """Rows of every table that names sources, by closeness, those with the most second-hand rows first.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of TableOrigin
        Tables without rows are left out.
    """
    near = {name: closeness(source.kind) for name, source in catalog.sources.items()}
    origins = []
    for name, frame in catalog.tables.items():
        if name == "sources" or SOURCE_COLUMN not in frame or frame.empty:
            continue
        counts: dict[Closeness, int] = dict.fromkeys(CLOSENESS, 0)
        for source_id, rows in frame[SOURCE_COLUMN].value_counts().items():
            counts[near[str(source_id)]] += int(rows)
        origins.append(TableOrigin(name, len(frame), counts))
    return tuple(sorted(origins, key=lambda one: (-one.second_hand_share, -one.rows)))


def provenance(catalog: Catalog) -> Provenance:
    """What the edition rests on, with ages counted to the edition's date.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    Provenance
        Counts of rows, sources, spec cells and prices.
    """
    as_of = date.fromisoformat(catalog.edition.date)
    origins = table_origins(catalog)
    recent = [price for price in catalog.prices if _is_recent(price, as_of)]
    ages = [age for price in catalog.prices if (age := age_days(price.as_of, as_of)) is not None]
    return Provenance(
        facts=sum(one.rows for one in origins),
        sources=len(catalog.sources),
        origins=origins,
        spec_cells=len(catalog.spec_cells),
        vendor_cells=sum(_vendor_states(catalog, key) for key in catalog.spec_cells),
        prices=len(catalog.prices),
        recent_prices=len(recent),
        default_prices=sum(price.quality == "dated-list" for price in recent),
        newest_price_age_days=min(ages, default=None),
    )


def age_days(text: str, as_of: date) -> int | None:
    """Days from the earliest day a date can mean to another day; None for a blank.

    Parameters
    ----------
    text : str
        YYYY, YYYY-MM, YYYY-MM-DD or blank.
    as_of : date
        The day to count to.

    Returns
    -------
    int or None
        Age [days], so that nothing looks fresher than it can be.

    Examples
    --------
    >>> age_days("2026-05", date(2026, 11, 30))
    213
    """
    day = earliest_day(text)
    return None if day is None else (as_of - day).days


def ages(catalog: Catalog, table: str) -> tuple[int | None, ...] | None:
    """Age of each row of a table whose rows are dated as of a day.

    Parameters
    ----------
    catalog : Catalog
        The edition; ages count to its date.
    table : str
        A table's name.

    Returns
    -------
    tuple of int or None
        One for each row [days], None where the row has no date; None instead of the tuple where the table keeps no
        such dates.
    """
    frame = _table(catalog, table)
    if _DATED not in frame:
        return None
    as_of = date.fromisoformat(catalog.edition.date)
    return tuple(age_days(text, as_of) for text in frame[_DATED].astype(str))


def marks(catalog: Catalog, table: str) -> tuple[tuple[Mark, ...], ...] | None:
    """What to know before trusting each row of a table of prices.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.

    Returns
    -------
    tuple of tuple of str
        For each row any of undated, old (over 90 days at the edition's date), weak and illustration; None where the
        table's rows carry no quality.
    """
    frame = _table(catalog, table)
    found = ages(catalog, table)
    if found is None or "quality" not in frame:
        return None
    return tuple(_marks(age, str(quality)) for age, quality in zip(found, frame["quality"], strict=True))


def uses(catalog: Catalog) -> Mapping[str, Mapping[str, int]]:
    """Where each source is used.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    mapping
        Source id -> table -> rows that name it, as their source or as a further one; the advice of presets and
        the methods that they are computed with count under "presets".
    """
    found: dict[str, dict[str, int]] = {name: {} for name in catalog.sources}
    for table, frame in catalog.tables.items():
        if table == "sources":
            continue
        for column in (SOURCE_COLUMN, FURTHER_SOURCES):
            if column not in frame:
                continue
            for cell, rows in frame[column].value_counts().items():
                for name in filter(None, str(cell).split(";")):
                    found[name][table] = found[name].get(table, 0) + int(rows)
    for preset in catalog.presets.values():
        if name := preset.get("advice_source", ""):
            found[name]["presets"] = found[name].get("presets", 0) + 1
        for name in preset.get("method_source_ids", ()):
            found[name]["presets"] = found[name].get("presets", 0) + 1
    return found


def kept(catalog: Catalog, table: str, *, part: str = "", source: str = "", search: str = "") -> pd.DataFrame:
    """The rows of a table that are about a part, rest on a source and contain a text, with their index in the table.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.
    part : str
        Accelerator id; blank keeps every row, and so does a table that is not about parts.
    source : str
        Source id; blank keeps every row.
    search : str
        Text that must stand in a cell, capitals or not; blank keeps every row.

    Returns
    -------
    pandas.DataFrame
        Rows as in the table.

    Raises
    ------
    UnknownNameError
        If there is no such table.
    """
    frame = _table(catalog, table)
    mask = pd.Series(True, index=frame.index)
    if part and any(column in frame for column in _PART_COLUMNS):
        mask &= _any_cell(frame, _PART_COLUMNS, lambda cell: part in cell.split(";"))
    if source:
        mask &= _any_cell(frame, (SOURCE_COLUMN, FURTHER_SOURCES), lambda cell: source in cell.split(";"))
    if wanted := search.strip().casefold():
        mask &= _any_cell(frame, tuple(frame.columns), lambda cell: wanted in cell.casefold())
    return frame[mask]


def parts_of(catalog: Catalog, table: str) -> tuple[str, ...]:
    """The parts that the rows of a table are about.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.

    Returns
    -------
    tuple of str
        Accelerator ids, those of the catalogue first and in its order, then others that were measured.
    """
    frame = _table(catalog, table)
    named = {
        name
        for column in _PART_COLUMNS
        if column in frame
        for cell in frame[column].astype(str).unique()
        for name in (cell.split(";") if column in _LISTS else [cell])
        if name
    }
    known = [name for name in catalog.accelerators if name in named]
    return (*known, *sorted(named.difference(known, _GROUPS)))


def _table(catalog: Catalog, table: str) -> pd.DataFrame:
    if table not in catalog.tables:
        raise UnknownNameError("table", table, catalog.tables)
    return catalog.tables[table]


def _any_cell(frame: pd.DataFrame, columns: tuple[str, ...], passes: Callable[[str], bool]) -> pd.Series:
    """Rows in which a cell of these columns passes; each different text is tested once."""
    mask = pd.Series(False, index=frame.index)
    for column in columns:
        if column not in frame:
            continue
        cells = frame[column]
        if pd.api.types.is_bool_dtype(cells) or pd.api.types.is_float_dtype(cells):
            continue
        texts = cells.astype(str)
        mask |= texts.isin([text for text in texts.unique() if passes(text)])
    return mask


def _is_recent(price: Price, as_of: date) -> bool:
    day = earliest_day(price.as_of)
    return day is not None and months_before(as_of, WINDOW_MONTHS) <= day <= as_of


def _vendor_states(catalog: Catalog, key: tuple[str, str]) -> bool:
    vendor = catalog.accelerator(key[0]).vendor
    sources = [catalog.source(cell.source_id) for cell in catalog.spec_cells[key] if cell.agreement == "agrees"]
    return any(closeness(source.kind) == "vendor" and source.publisher == vendor for source in sources)


def _marks(age: int | None, quality: str) -> tuple[Mark, ...]:
    found: list[Mark] = []
    if age is None:
        found.append("undated")
    elif age > OLD_DAYS:
        found.append("old")
    if quality == "weak":
        found.append("weak")
    elif quality == "illustration":
        found.append("illustration")
    return tuple(found)
