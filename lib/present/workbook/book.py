"""A workbook being written: sheets, styles, named cells, and text that no spreadsheet runs as a formula."""

import io
import re
from collections.abc import Container, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_LONGEST_TEXT: Final = 32_000
_LONGEST_SHEET_NAME: Final = 31
_LONGEST_LINK: Final = 2_000
_HEAD_HEIGHT: Final = 28
_NOT_IN_SHEET_NAMES: Final = re.compile(r"[\[\]:*?/\\'\x00-\x1f]+")

INK: Final = "#1F2A37"
_INPUT_INK: Final = "#0B3D91"
_INPUT_GROUND: Final = "#FFF6D6"
_HEAD_GROUND: Final = "#E3E8EF"
_SUM_GROUND: Final = "#F3F5F8"
_FAINT: Final = "#6B7280"

USD: Final = '#,##0.00;-#,##0.00;"–"'
PLAIN: Final = "#,##0.######"
SHARE: Final = "0.00%"

_STYLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "text": {},
    "faint": {"font_color": _FAINT},
    "unit": {"font_color": _FAINT, "indent": 1},
    "left": {"align": "left"},
    "indented": {"indent": 1},
    "title": {"bold": True, "font_size": 16},
    "section": {"bold": True, "font_size": 12, "bottom": 1},
    "head": {"bold": True, "bg_color": _HEAD_GROUND, "text_wrap": True, "valign": "bottom", "bottom": 1},
    "head-right": {
        "bold": True,
        "bg_color": _HEAD_GROUND,
        "text_wrap": True,
        "valign": "bottom",
        "bottom": 1,
        "align": "right",
    },
    "strong": {"bold": True},
    "input": {"font_color": _INPUT_INK, "bg_color": _INPUT_GROUND, "border": 1, "border_color": _HEAD_GROUND},
    "fixed": {"border": 1, "border_color": _HEAD_GROUND},
    "number": {},
    "sum": {"bold": True, "bg_color": _SUM_GROUND, "top": 1},
    "link": {"font_color": _INPUT_INK, "underline": 1},
}


def defused(text: str) -> str:
    """Text as it may stand in a cell: with a quote before it where a spreadsheet could take it for a formula.

    Parameters
    ----------
    text : str
        Anything that a reader, a link or a table states.

    Returns
    -------
    str
        Without characters that a workbook cannot hold.

    Examples
    --------
    >>> defused("=1+1"), defused("MI300X, buy")
    ("'=1+1", 'MI300X, buy')
    """
    clean = "".join(character for character in text if character.isprintable() or character in "\t\r\n")[:_LONGEST_TEXT]
    return f"'{clean}" if clean.lstrip(" ").startswith(_FORMULA_STARTS) else clean


def sheet_names(wanted: Sequence[str]) -> tuple[str, ...]:
    """Names that a workbook accepts: short, without reserved characters, each once whatever the case of its letters.

    Parameters
    ----------
    wanted : sequence of str
        Names as people would give them.

    Returns
    -------
    tuple of str
        In the same order.

    Examples
    --------
    >>> sheet_names(["1 A/B", "1 a b"])
    ('1 A B', '1 a b 2')
    """
    found: list[str] = []
    for name in wanted:
        base = _NOT_IN_SHEET_NAMES.sub(" ", name).strip()[:_LONGEST_SHEET_NAME] or "-"
        unique, number = base, 1
        while unique.lower() in {one.lower() for one in found}:
            number += 1
            unique = f"{base[: _LONGEST_SHEET_NAME - 3]} {number}"
        found.append(unique)
    return tuple(found)


def quoted(sheet: str) -> str:
    """A sheet's name as formulas write it."""
    return f"'{sheet}'"


class _Sheet(Worksheet):  # type: ignore[misc]
    """A worksheet that takes formulas as they are.

    The library would look through each of thousands for functions newer than 2010, of which there is none here: half of
    the time of a workbook.
    """

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
        return formula.removeprefix("=")


class Book:
    """One workbook in memory, dated by the edition so that the same scenario gives the same bytes."""

    def __init__(self, edition_date: str) -> None:
        self._target = io.BytesIO()
        self.workbook = xlsxwriter.Workbook(
            self._target,
            {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False},
        )
        day = date.fromisoformat(edition_date)
        created = datetime(day.year, day.month, day.day, tzinfo=UTC).replace(tzinfo=None)
        self.workbook.set_properties({"title": "Accelerator Ledger", "author": "", "created": created})
        self._formats: dict[tuple[str, str], Format] = {}

    def sheet(self, name: str) -> Worksheet:
        """A new sheet that prints on the width of one page of A3."""
        sheet = self.workbook.add_worksheet(name, worksheet_class=_Sheet)
        sheet.set_landscape()
        sheet.set_paper(8)
        sheet.fit_to_pages(1, 0)
        sheet.hide_gridlines(2)
        return sheet

    def style(self, name: str, number_format: str = "") -> Format:
        """A style by name, with a number format; made once."""
        key = (name, number_format)
        if key not in self._formats:
            settings = {"font_name": "Arial", "font_size": 10, **_STYLES[name]}
            if number_format:
                settings["num_format"] = number_format
            self._formats[key] = self.workbook.add_format(settings)
        return self._formats[key]

    def text(self, sheet: Worksheet, row: int, column: int, text: str, style: str = "text") -> None:
        """Text that stays text."""
        if text:
            sheet.write_string(row, column, defused(text), self.style(style))
        elif style in ("input", "fixed"):
            sheet.write_blank(row, column, None, self.style(style))

    def number(
        self, sheet: Worksheet, row: int, column: int, value: float | None, number_format: str, style: str = "number"
    ) -> None:
        """A number, or an empty cell of the same style where there is none."""
        if value is None:
            sheet.write_blank(row, column, None, self.style(style, number_format))
        else:
            sheet.write_number(row, column, float(value), self.style(style, number_format))

    def formula(
        self,
        sheet: Worksheet,
        row: int,
        column: int,
        formula: str,
        value: float | str,
        number_format: str = USD,
        style: str = "number",
    ) -> None:
        """A formula with the library's value beside it, for viewers that do not calculate."""
        stored = defused(value) if isinstance(value, str) else float(value)
        sheet.write_formula(row, column, f"={formula}", self.style(style, number_format), stored)

    def link(self, sheet: Worksheet, row: int, column: int, address: str, label: str = "") -> None:
        """A link to a web page or within the workbook; text where it is neither."""
        follows = address.startswith(("https://", "http://", "internal:")) and len(address) <= _LONGEST_LINK
        if follows and address.isprintable() and not set(address) & set('"<>'):
            sheet.write_url(row, column, address, self.style("link"), defused(label or address))
        else:
            self.text(sheet, row, column, label or address)

    def heads(self, sheet: Worksheet, row: int, heads: Sequence[str], numbers: Container[int] = ()) -> None:
        """A row of column heads; those of columns with numbers stand to the right."""
        sheet.set_row(row, _HEAD_HEIGHT)
        for column, head in enumerate(heads):
            sheet.write_string(row, column, defused(head), self.style("head-right" if column in numbers else "head"))

    def section(self, sheet: Worksheet, row: int, title: str, columns: int = 8) -> None:
        """A heading with a line under it."""
        for column in range(1, columns):
            sheet.write_blank(row, column, None, self.style("section"))
        self.text(sheet, row, 0, title, "section")

    def name_cell(self, name: str, sheet: str, row: int, column: int, last_row: int | None = None) -> None:
        """Give a cell, or the cells of a column down to the last row, a name of their own."""
        first = xlsxwriter.utility.xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True)
        reference = first
        if last_row is not None and last_row != row:
            reference += ":" + xlsxwriter.utility.xl_rowcol_to_cell(last_row, column, row_abs=True, col_abs=True)
        self.workbook.define_name(name, f"={quoted(sheet)}!{reference}")

    def closed(self) -> bytes:
        """The whole file."""
        self.workbook.close()
        return self._target.getvalue()
