"""A deck being drawn: slides with title, texts that fit their room, tables, native charts, notes; the same bytes each time."""

import io
import itertools
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.lang import MSO_LANGUAGE_ID
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR
from pptx.util import Inches, Pt

from lib.present.workbook.book import defused

WIDTH: Final = 13.333
HEIGHT: Final = 7.5
MARGIN: Final = 0.6
INNER: Final = WIDTH - 2 * MARGIN
TOP: Final = 1.45
"""Where the body begins [in]."""

BOTTOM: Final = 6.85
"""Where the body ends and the foot begins [in]."""

INK: Final = "1B1F24"
MUTED: Final = "5B6470"
LINE: Final = "E3E6EA"

_TITLE_ONLY: Final = 5
"""Number of the layout of the default template that has a title and nothing else."""

_POINTS_PER_INCH: Final = 72
_LINE_HEIGHT: Final = 1.22
_LATIN_WIDTH: Final = 0.55
"""Mean width of a Latin letter [font sizes]; a Chinese character takes 1."""

_WIDE: Final = 0x2E7F
_HAIR: Final = 0.012
"""Height of a thin line [in]."""

_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
_STAMP: Final = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(<)")
_CATEGORIES: Any = CategoryChartData
_POINTS: Any = XyChartData
_COLOUR: Any = RGBColor
"""python-pptx leaves these without types."""

_FONTS: Final = {"zh": "Microsoft YaHei", "en": "Calibri"}
_TABLE_SIZES: Final = {"zh": (12.5, 12.0), "en": (13.0, 12.5, 12.0)}
"""Sizes of type in tables, the first preferred [pt]."""


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph."""

    text: str
    bold: bool = False
    colour: str = INK
    bullet: bool = False


def categories(names: Sequence[str], series: str, values: Sequence[float | None]) -> Any:
    """One series over named categories; names that a spreadsheet would run are quoted."""
    data: Any = _CATEGORIES()
    data.categories = [defused(one) for one in names]
    data.add_series(defused(series), list(values))
    return data


def curves(series: Sequence[tuple[str, Sequence[tuple[float, float]]]]) -> Any:
    """Several series of points; names that a spreadsheet would run are quoted."""
    data: Any = _POINTS()
    for name, points in series:
        one = data.add_series(defused(name))
        for across, up in points:
            one.add_data_point(across, up)
    return data


def apart(values: Sequence[float], gap: float, most: float) -> list[float]:
    """Heights of labels: the values, those that would overlap moved apart about their middle and none above a bound.

    Examples
    --------
    >>> apart([10.0, 100.0, 11.0], 4.0, 120.0)
    [8.5, 100.0, 12.5]
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    groups: list[list[float]] = []  # each group: its lowest height, then the values that share it
    for place in order:
        groups.append([values[place], values[place]])
        while len(groups) > 1 and groups[-2][0] + gap * (len(groups[-2]) - 1) > groups[-1][0]:
            inside = [*groups[-2][1:], *groups.pop()[1:]]
            groups[-1] = [sum(inside) / len(inside) - gap * (len(inside) - 1) / 2, *inside]
    heights = [low + gap * at for low, *inside in groups for at in range(len(inside))]
    bounded = [min(height, most - gap * after) for after, height in enumerate(reversed(heights))][::-1]
    return [height for _place, height in sorted(zip(order, bounded, strict=True))]


def colour(code: str) -> Any:
    """A colour from its hexadecimal code, with or without #."""
    return _COLOUR.from_string(code.removeprefix("#"))


def lines_of(text: str, size: float, width: float) -> int:
    """How many lines a text of a size [pt] takes in a width [in], estimated."""
    taken = sum(1.0 if ord(one) > _WIDE else _LATIN_WIDTH for one in text) * size
    return max(1, -int(-taken // (width * _POINTS_PER_INCH * 0.97)))


def height_of(texts: Sequence[str], size: float, width: float, gap: float = 0.35) -> float:
    """Height of paragraphs with a gap [font sizes] between them [in]."""
    lines = sum(lines_of(text, size, width) for text in texts)
    return (lines * _LINE_HEIGHT + gap * len(texts)) * size / _POINTS_PER_INCH


def fitting(texts: Sequence[str], width: float, height: float, sizes: Sequence[float]) -> float:
    """The largest of some sizes at which the paragraphs fit; the smallest where none does."""
    return next((size for size in sizes if height_of(texts, size, width) <= height), sizes[-1])


def _inches(widths: Sequence[float]) -> list[float]:
    """Widths of columns as shares of the slide [in]."""
    return [INNER * one / sum(widths) for one in widths]


def _tall(row: Sequence[str], size: float, inches: Sequence[float]) -> float:
    """Height of a row of a table [in]."""
    most = max(lines_of(text, size, width - 0.2) for text, width in zip(row, inches, strict=True))
    return most * size * _LINE_HEIGHT / _POINTS_PER_INCH + 0.12


class Deck:
    """Slides in one language, each with its foot."""

    def __init__(self, language: str, title: str, foot: str, date: str) -> None:
        self._deck = Presentation()
        self._deck.slide_width, self._deck.slide_height = Inches(WIDTH), Inches(HEIGHT)
        self._language, self._foot, self._date = language, foot, datetime.fromisoformat(date)
        self._count = 0
        about = self._deck.core_properties
        about.title, about.author, about.last_modified_by = defused(title), "Accelerator Ledger", ""
        about.created = about.modified = self._date
        about.language, about.revision = {"zh": "zh-CN"}.get(language, "en-US"), 1

    def slide(self, title: str, notes: str) -> Any:
        """A new slide with its title, its foot and what the speaker says."""
        slide = self._deck.slides.add_slide(self._deck.slide_layouts[_TITLE_ONLY])
        self._count += 1
        place = slide.shapes.title
        place.left, place.top, place.width, place.height = (Inches(one) for one in (MARGIN, 0.4, INNER, 0.95))
        frame = place.text_frame
        frame.word_wrap = True
        frame.vertical_anchor = MSO_ANCHOR.TOP
        size = fitting([title], INNER * 0.88, 0.95, (30, 27, 24, 21, 18))
        self._paragraph(frame.paragraphs[0], Line(title, bold=True), size)
        self.texts(slide, (MARGIN, BOTTOM + 0.1, INNER - 1, 0.4), [Line(self._foot, colour=MUTED)], (12,))
        self.texts(slide, (WIDTH - MARGIN - 0.9, BOTTOM + 0.1, 0.9, 0.4), [Line(f"{self._count}", colour=MUTED)], (12,))
        slide.notes_slide.notes_text_frame.text = notes
        return slide

    def texts(
        self,
        slide: Any,
        box: tuple[float, float, float, float],
        lines: Sequence[Line],
        sizes: Sequence[float],
        centre: bool = False,
    ) -> float:
        """Paragraphs in a box (left, top, width, height) [in], as large as they fit; the size used [pt]."""
        shape = slide.shapes.add_textbox(*(Inches(one) for one in box))
        frame = shape.text_frame
        frame.word_wrap = True
        if centre:
            frame.vertical_anchor = MSO_ANCHOR.MIDDLE
        size = fitting([line.text for line in lines], box[2] - 0.45, box[3] - 0.1, sizes)
        for number, line in enumerate(lines):
            paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
            self._paragraph(paragraph, line, size)
            paragraph.space_after = Pt(size * 0.35)
        return size

    def fitting_rows(
        self, top: float, heads: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float]
    ) -> int:
        """How many rows of a table fit between its top and the foot."""
        return len(self._fitted(top, heads, rows, _inches(widths))[1]) - 1

    def _fitted(
        self, top: float, heads: Sequence[str], rows: Sequence[Sequence[str]], inches: Sequence[float]
    ) -> tuple[float, list[float]]:
        """The largest size [pt] at which all rows fit, else the smallest, and the heights of head and rows that fit [in]."""
        tried = _TABLE_SIZES[self._language]
        for size in tried:
            heights = [_tall(row, size, inches) for row in (heads, *rows)]
            ends = itertools.accumulate(heights, initial=top)
            next(ends)
            fit = [
                height
                for place, (height, end) in enumerate(zip(heights, ends, strict=True))
                if end <= BOTTOM or not place
            ]
            if len(fit) == len(heights):
                break
        return size, fit

    def table(
        self, slide: Any, top: float, heads: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float]
    ) -> int:
        """As many rows of a table as fit above the foot; how many those are."""
        inches = _inches(widths)
        size, heights = self._fitted(top, heads, rows, inches)
        kept = rows[: len(heights) - 1]
        frame = slide.shapes.add_table(
            len(kept) + 1, len(heads), Inches(MARGIN), Inches(top), Inches(INNER), Inches(sum(heights))
        )
        table = frame.table
        table.horz_banding = False
        for column, width in zip(table.columns, inches, strict=True):
            column.width = Inches(width)
        for number, (row, height) in enumerate(zip((heads, *kept), heights, strict=True)):
            table.rows[number].height = Inches(height)
            for column, text in enumerate(row):
                self._cell(table.cell(number, column), Line(text, bold=number == 0), size)
        return len(kept)

    def _cell(self, cell: Any, line: Line, size: float) -> None:
        cell.fill.solid()
        cell.fill.fore_color.rgb = colour(LINE if line.bold else "FFFFFF")
        cell.margin_left = cell.margin_right = Inches(0.08)
        cell.margin_top = cell.margin_bottom = Inches(0.04)
        cell.vertical_anchor = MSO_ANCHOR.TOP
        self._paragraph(cell.text_frame.paragraphs[0], line, size)

    def chart(self, slide: Any, kind: Any, box: tuple[float, float, float, float], data: Any, alt: str) -> Any:
        """A native chart in a box (left, top, width, height) [in], whose data a colleague can edit."""
        frame = slide.shapes.add_chart(kind, *(Inches(one) for one in box), data)
        frame._element.nvGraphicFramePr.cNvPr.set("descr", alt)
        chart = frame.chart
        chart.font.size, chart.font.color.rgb = Pt(14), colour(INK)
        chart.font.name = _FONTS[self._language]
        return chart

    def picture(self, slide: Any, png: bytes, left: float, top: float, side: float, alt: str) -> None:
        """A square picture with its text for those who cannot see it."""
        shape = slide.shapes.add_picture(io.BytesIO(png), Inches(left), Inches(top), Inches(side), Inches(side))
        shape._element.nvPicPr.cNvPr.set("descr", alt)

    def rule(self, slide: Any, left: float, top: float, width: float) -> None:
        """A thin line across."""
        line = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(left), Inches(top), Inches(width), Inches(_HAIR))
        line.fill.solid()
        line.fill.fore_color.rgb = colour(LINE)
        line.line.fill.background()
        line.shadow.inherit = False

    def _paragraph(self, paragraph: Any, line: Line, size: float) -> None:
        run = paragraph.add_run()
        run.text = ("• " if line.bullet else "") + line.text
        font = run.font
        font.size, font.bold, font.color.rgb = Pt(size), line.bold, colour(line.colour)
        font.name = _FONTS[self._language]
        chinese = self._language == "zh"
        font.language_id = MSO_LANGUAGE_ID.SIMPLIFIED_CHINESE if chinese else MSO_LANGUAGE_ID.ENGLISH_US
        paragraph.alignment = 1

    def saved(self) -> bytes:
        """The file, without the time at which it was made."""
        target = io.BytesIO()
        self._deck.save(target)
        return _undated(target.getvalue(), self._date.strftime("%Y-%m-%dT%H:%M:%SZ").encode())


def _undated(content: bytes, stamp: bytes) -> bytes:
    """An archive whose members, workbooks within too, carry one date: the edition's."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            member = old.read(name)
            if name.endswith(".xlsx"):
                member = _undated(member, stamp)
            elif name == "docProps/core.xml":
                member = _STAMP.sub(rb"\g<1>" + stamp + rb"\g<3>", member)
            entry = zipfile.ZipInfo(name, _ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, member)
    return target.getvalue()
