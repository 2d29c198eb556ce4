"""The rows of the catalogue behind a workbook's inputs, and the sheet that lists them with their sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from xlsxwriter.worksheet import Worksheet

from lib.catalog import Catalog
from lib.present import names
from lib.present.data_units import unit
from lib.present.text import Words
from lib.present.workbook.book import PLAIN, Book

SPEC: Final = "spec"


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of an edition: what it says, in its own unit, and where that was read."""

    row_id: str
    what: str
    low: float | None
    base: float | None
    high: float | None
    unit: str
    kind: str
    as_of: str
    source_id: str
    locator: str
    note: str


def facts(ids: Iterable[str], catalog: Catalog, _: Words) -> tuple[Fact, ...]:
    """The rows of these ids.

    Parameters
    ----------
    ids : iterable of str
        Assumptions, prices, sources, or "spec <part> <field>" for a datasheet's cell.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of Fact
        Each once, in the order of the ids.
    """
    prices = {price.price_id: price for price in catalog.prices}
    found: list[Fact] = []
    for name in dict.fromkeys(ids):
        if name in catalog.assumptions:
            row = catalog.assumptions[name]
            found.append(
                Fact(
                    name, _.pick(row.name_en, row.name_zh), row.low, row.base, row.high, unit(row.unit, _),
                    kind_word(row.kind, _), row.as_of, row.source_id, row.locator, row.note,
                )
            )  # fmt: skip
        elif name in prices:
            price = prices[name]
            what = ", ".join(filter(None, (price.accelerator_id, price.kind, price.provider, price.region)))
            basis = unit(f"{price.currency} {price.basis}", _)
            found.append(
                Fact(
                    name, what, price.low, None, price.high, basis, kind_word(price.quality, _), price.as_of, price.source_id,
                    price.locator, price.note,
                )
            )  # fmt: skip
        elif name.startswith(f"{SPEC} "):
            _word, part, field = name.split(" ")
            found += [
                Fact(
                    name, f"{part}, {field}: {cell.value}", None, None, None, cell.unit, kind_word("reported", _), "",
                    cell.source_id, cell.locator, "",
                )
                for cell in catalog.spec_cells.get((part, field), ())
            ]  # fmt: skip
        elif name in catalog.sources:
            what = _("Stated by the scenario as the article has it")
            date = catalog.sources[name].date
            found.append(Fact(name, what, None, None, None, "", names.origin_kind("article", _), date, name, "", ""))
    return tuple(found)


def kind_word(kind: str, _: Words) -> str:
    """How a row came about, in the reader's words.

    Parameters
    ----------
    kind : str
        Kind of an assumption, or quality of a price.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a cell.
    """
    return {
        "measured": _("measured"),
        "reported": _("reported"),
        "derived": _("derived"),
        "estimate": _("estimate"),
        "gap": _("gap"),
        "dated-list": _("dated list price"),
        "old-list": _("old list price"),
        "undated-list": _("undated list price"),
        "cost-model": _("cost model"),
        "weak": _("weak source"),
        "illustration": _("illustration"),
        "article": _("article"),
        "article-derived": _("derived from an article"),
    }.get(kind, kind)


def write_sources(book: Book, sheet: Worksheet, found: Sequence[Fact], catalog: Catalog, _: Words) -> None:
    """The rows behind the inputs, and below them their sources.

    Parameters
    ----------
    book : Book
        The workbook.
    sheet : Worksheet
        The empty sheet.
    found : sequence of Fact
        Rows in the order of `fact_lines`.
    catalog : Catalog
        For the sources.
    _ : Words
        The reader's language.
    """
    book.text(sheet, 0, 0, _("Sources"), "title")
    book.text(sheet, 1, 0, _("Every row that an input rests on, as the edition has it, and below where it was read."))
    book.heads(
        sheet,
        FIRST_FACT - 1,
        [_("Row"), _("What"), _("Low"), _("Base"), _("High"), _("Unit"), _("Kind"), _("As of"), _("Source"), _("Where"),
         _("Note")],
        range(2, 5),
    )  # fmt: skip
    line = FIRST_FACT
    for fact in found:
        book.text(sheet, line, 0, fact.row_id)
        book.text(sheet, line, 1, fact.what)
        for column, value in enumerate((fact.low, fact.base, fact.high), start=2):
            if value is not None:
                book.number(sheet, line, column, value, PLAIN)
        for column, text in enumerate((fact.unit, fact.kind, fact.as_of), start=5):
            book.text(sheet, line, column, text)
        book.text(sheet, line, 8, catalog.source(fact.source_id).title)
        book.text(sheet, line, 9, fact.locator)
        book.text(sheet, line, 10, fact.note)
        line += 1
    line += 2
    book.heads(
        sheet, line, [_("Source"), _("Title"), _("Publisher"), _("Kind"), _("Date"), _("Location"), "", "", "", "", _("Note")]
    )  # fmt: skip
    for source_id in dict.fromkeys(fact.source_id for fact in found):
        line += 1
        source = catalog.source(source_id)
        for column, text in enumerate((source_id, source.title, source.publisher, source.kind, source.date)):
            book.text(sheet, line, column, text)
        book.link(sheet, line, 5, source.location)
        book.text(sheet, line, 10, source.note)
    for column, width in enumerate((34, 44, 12, 12, 12, 24, 14, 11, 44, 30, 60)):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(FIRST_FACT, 1)


FIRST_FACT: Final = 4
"""Row of the first fact on its sheet, from 0."""
