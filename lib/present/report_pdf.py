"""The brief as PDF: the parts of the HTML report on A4, set by Typst with its own page numbers, footers and table heads.

Typst was chosen because it sets a report in less than a second of its own thread, so that nobody else on the server
waits; takes texts as data, so that no title from a link is ever markup; needs no library of the system; embeds the
glyphs that it uses; and tags the file for screen readers. It reads one file, the template beside this module.
"""

import functools
import json
import re
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import typst

from lib.present import qr
from lib.present.brief import Brief, Grid
from lib.present.report_outline import Part, edition_line, is_address, parts
from lib.present.text import Words

_TEMPLATE: Final = Path(__file__).with_name("report.typ")
_FONTS: Final = ("Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC", "PingFang SC", "Microsoft YaHei",
                 "WenQuanYi Micro Hei", "Source Sans 3", "Noto Sans", "Liberation Sans", "DejaVu Sans",
                 "Libertinus Serif")  # fmt: skip
"""In the order of preference; the first of them has Source Sans's Latin letters, the last comes with Typst."""

_CHINESE: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_CHINESE_FONT: Final = re.compile(r"CJK|Source Han|Noto (Sans|Serif) (SC|TC)|PingFang|YaHei|WenQuanYi|Hei|Song|Droid Sans Fallback", re.I)  # fmt: skip
_LANGUAGE: Final = {"zh": ("zh", "CN"), "en": ("en", "US")}
_STANDARD: Final = "ua-1"
_LONGEST_LINK: Final = 100
"""Characters of a link that a footer shows; a longer one stands at the end of the report alone."""

_JOINTS: Final = re.compile(r"[/_?&=](?=\w{3})")
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9]{18,}")
_EVERY: Final = re.compile(r".{6}(?=.{3})")

_NARROW: Final = 13
_WIDEST: Final = 60
"""Columns whose longest cell has at most so many characters are as wide as it; none counts for more than so many."""


def pdf(told: Brief, _: Words, *, of_system: bool = True) -> bytes:
    """The brief as PDF.

    Parameters
    ----------
    told : Brief
        What the board is shown.
    _ : Words
        The reader's language.
    of_system : bool
        Whether it may be set in the fonts of this machine; those that come with Typst have no Chinese.

    Returns
    -------
    bytes
        The file: the same for the same brief and the same fonts. A title with a character that no font of the machine
        has is set without it, and the file then makes no promise to screen readers.
    """
    fonts = _fonts(of_system)
    given = {"told": json.dumps(_as_data(told, set(fonts.families()), _), ensure_ascii=False)}
    try:
        return _set(given, fonts, [_STANDARD])
    except typst.TypstError:
        return _set(given, fonts, [])


def lacks_font(told: Brief, known: Collection[str]) -> bool:
    """Whether no font of a machine has the Chinese characters of a brief.

    Parameters
    ----------
    told : Brief
        What the board is shown.
    known : collection of str
        As `families` gives them.

    Returns
    -------
    bool
        False where it has no such character.
    """
    is_chinese = told.language == "zh" or bool(_CHINESE.search(told.question))
    return is_chinese and not any(_CHINESE_FONT.search(one) for one in known)


def families(*, of_system: bool = True) -> Collection[str]:
    """Names of the fonts of this machine, or of those alone that come with Typst."""
    return _fonts(of_system).families()


@functools.lru_cache(maxsize=2)
def _fonts(of_system: bool) -> typst.Fonts:
    """Fonts, looked for once."""
    return typst.Fonts(include_system_fonts=of_system)


def _set(given: dict[str, str], fonts: typst.Fonts, standards: list[Any]) -> bytes:
    return typst.compile(
        _TEMPLATE, root=_TEMPLATE.parent, font_paths=fonts, sys_inputs=given, pdf_standards=standards
    )  # fmt: skip


def _as_data(told: Brief, known: set[str], _: Words) -> dict[str, Any]:
    """What the template sets, texts and numbers alone."""
    language, region = _LANGUAGE[told.language]
    year, month, day = map(int, told.edition_date.split("-"))
    sections = parts(told, _)
    return {
        "lang": language,
        "region": region,
        "fonts": [one for one in _FONTS if one in known],
        "date": {"year": year, "month": month, "day": day},
        "question": told.question,
        "headline": told.headline,
        "sure": told.sure,
        "answer": told.answer,
        "code": qr.svg(told.link),
        "code_words": _("QR code of the link to this scenario"),
        "numbers": [asdict(one) for one in told.numbers],
        "parts": [_part(one) for one in sections],
        "edition": edition_line(told, _),
        "page": _("page {n} of {all}"),
        "same": _("The same scenario, to change:"),
        "link_at_end": _("The link to this scenario stands at the end."),
        "link": told.link if is_address(told.link) else "",
        "link_breakable": breakable(told.link),
        "longest_shown": _LONGEST_LINK,
    }


def _part(part: Part) -> dict[str, Any]:
    return asdict(part) | {"table": None if part.table is None else _table(part.table)}


def _table(told: Grid) -> dict[str, Any]:
    cells = [[breakable(cell), cell if is_address(cell) else ""] for row in told.rows for cell in row]
    return {"heads": told.heads, "widths": widths(told), "cells": cells}


def breakable(text: str) -> str:
    r"""A text whose long words (addresses, paths, sums) may be broken after their joints, or anywhere without any.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    str
        The text with zero-width spaces.

    Examples
    --------
    >>> breakable("see data/accelerators.csv")
    'see data/\u200baccelerators.csv'
    """
    return _JOINTS.sub("\\g<0>\u200b", _LONG_WORD.sub(lambda found: _EVERY.sub("\\g<0>\u200b", found[0]), text))


def widths(told: Grid) -> list[float]:
    """Shares of the columns of a table: by the length of their texts, 0 for one that is as wide as what it holds.

    Parameters
    ----------
    told : Grid
        The table.

    Returns
    -------
    list of float
        One a column; never all of them 0.

    Examples
    --------
    >>> widths(Grid(("What", "Date"), (("Net present value of all payments", "2026-11-30"),)))
    [33.0, 0.0]
    """
    longest = [max(map(_length, column)) for column in zip(told.heads, *told.rows, strict=True)]
    shares = [0.0 if one <= _NARROW else float(min(one, _WIDEST)) for one in longest]
    return shares if any(shares) else [1.0] * len(shares)


def _length(text: str) -> int:
    """Latin characters that a text is as wide as."""
    return sum(2 if _CHINESE.match(one) else 1 for one in text)
