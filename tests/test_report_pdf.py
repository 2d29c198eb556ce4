"""The report as PDF: what an independent reader finds in it is what the HTML says, on whole pages, with nothing active in it."""

import functools
import io
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from lib.choice.scenario import Language
from lib.present import report_pdf
from lib.present.brief import Brief
from lib.present.report_outline import edition_line, is_address, parts
from lib.present.report_pdf import families, lacks_font, pdf
from lib.present.text import words
from tests.test_report import FACTS, LINK, told

A4_POINTS = (595.28, 841.89)
ACTIVE = {"/JavaScript", "/JS", "/Launch", "/SubmitForm", "/ImportData", "/AA", "/OpenAction", "/EmbeddedFiles", "/RichMedia"}  # fmt: skip


@functools.lru_cache(maxsize=4)
def read(preset: str, language: Language) -> tuple[Brief, PdfReader, tuple[str, ...]]:
    """A brief, its PDF as another program reads it, and the characters of each page without spaces."""
    shown = told(preset, language)[0]
    reader = PdfReader(io.BytesIO(pdf(shown, words(language))))
    return shown, reader, tuple(squeezed(page.extract_text()) for page in reader.pages)


def squeezed(text: str) -> str:
    """A text without anything that a line break may add or take."""
    return re.sub(r"[\s\u200b\u00ad]", "", text)


def objects(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Every dictionary of the file."""
    seen: set[int] = set()
    waiting: list[Any] = [reader.trailer]
    while waiting:
        one = waiting.pop()
        if isinstance(one, IndirectObject):
            if one.idnum in seen:
                continue
            seen.add(one.idnum)
            one = one.get_object()
        if isinstance(one, DictionaryObject):
            yield one
            waiting += [one.raw_get(name) for name in one]
        elif isinstance(one, ArrayObject):
            waiting += list(one)


def addresses(reader: PdfReader) -> set[str]:
    """Where the links of a file lead."""
    return {str(one["/URI"]) for one in objects(reader) if "/URI" in one}


@pytest.mark.parametrize(("preset", "language"), [("serve-70b", "en"), ("serve-70b", "zh"), ("train-128", "zh")])
def test_the_pdf_says_what_the_report_says(preset: str, language: Language) -> None:
    """Question, headline and every number, statement and cell of the parts, in a reader's own extraction."""
    shown, _reader, pages = read(preset, language)
    text = "".join(pages)
    wanted = [shown.question, shown.headline, shown.sure, shown.answer]
    wanted += [text for one in shown.numbers for text in (one.label, one.value, one.note)]
    for part in parts(shown, words(language)):
        wanted += [part.title, part.sentence, *part.points]
        wanted += [part.picture.title, part.picture.condition] if part.picture else []
        wanted += [cell for row in part.table.rows for cell in row] if part.table else []
    for one in filter(None, wanted):
        assert squeezed(one) in text, one


def test_its_headline_is_the_librarys() -> None:
    """Net present value to the thousand, and the figure of each bar, from the answer itself."""
    shown, found = told()
    text = "".join(read("serve-70b", "en")[2])
    assert found.winner is not None
    assert f"{round(found.winner.cost.npv_usd or 0.0, -3):,.0f}USD" in text
    assert shown.numbers[0].value == f"{round(found.winner.cost.npv_usd or 0.0, -3):,.0f} USD"
    for one in found.assessments:
        assert words("en").number(found.standing(one).weighted) in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_whole(language: Language) -> None:
    """A4, numbered, with edition and link; no row of a table over two pages, no heading at the end of one."""
    shown, reader, pages = read("serve-70b", language)
    _ = words(language)
    foot = squeezed(edition_line(shown, _))
    bodies = []
    for place, (page, text) in enumerate(zip(reader.pages, pages, strict=True), start=1):
        assert (float(page.mediabox.width), float(page.mediabox.height)) == pytest.approx(A4_POINTS, abs=0.5)
        assert foot in text
        assert squeezed(_("page {n} of {all}", n=place, all=len(pages))) in text
        assert squeezed(LINK) in text
        bodies.append(text.partition(foot)[0] or text.partition(foot)[2])
    titles = [squeezed(one.title) for one in parts(shown, _)]
    assert not [title for body in bodies for title in titles if body.endswith(title)]
    for table in (shown.changes, shown.gaps, shown.sources, shown.facts):
        for row in table.rows:
            line = squeezed("".join(row))
            assert [body for body in bodies if line in body], row


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fonts_are_in_the_file_and_it_is_tagged(language: Language) -> None:
    """Every font has its glyphs embedded; title, language and structure are there for screen readers; the date is the edition's."""
    shown, reader, _pages = read("serve-70b", language)
    fonts = [one for one in objects(reader) if one.get("/Type") == "/FontDescriptor"]
    assert fonts
    assert not [one for one in fonts if not one.keys() & {"/FontFile", "/FontFile2", "/FontFile3"}]
    root = reader.trailer["/Root"].get_object()
    assert isinstance(root, DictionaryObject)
    assert str(root["/Lang"]).startswith(language)
    marks = root["/MarkInfo"]
    assert isinstance(marks, DictionaryObject)
    assert marks["/Marked"]
    assert "/StructTreeRoot" in root
    promise = root["/Metadata"].get_object()
    assert isinstance(promise, StreamObject)
    assert b"pdfuaid:part" in promise.get_data()
    about = reader.metadata
    assert about is not None
    assert about.title == shown.question
    assert about.creation_date is not None
    assert about.creation_date.date().isoformat() == FACTS.edition.date
    pictures = [one for one in objects(reader) if one.get("/S") == "/Figure"]
    assert len(pictures) == 3
    assert all(one.get("/Alt") for one in pictures)


def test_nothing_in_it_is_active_and_its_links_are_those_meant() -> None:
    """No script, action or file inside; links lead to the scenario and to the sources' own addresses alone."""
    shown, reader, _pages = read("serve-70b", "en")
    assert not [one for one in objects(reader) if one.keys() & ACTIVE or one.get("/S") in ACTIVE]
    meant = {cell for table in (shown.sources, shown.facts) for row in table.rows for cell in row if is_address(cell)}
    assert addresses(reader) == {LINK} | meant


def test_text_from_outside_is_never_markup() -> None:
    """Typst's markup and a package's name in a title stand there as they are; only addresses of the web become links."""
    hostile = '#import "@preview/cetz:0.3.0": * #read("/etc/passwd") $x^2$ *b* <label> \\ `raw` [a](http://d.example)'
    shown = replace(told()[0], question=hostile, why=(hostile,), link="javascript:alert(1)")
    reader = PdfReader(io.BytesIO(pdf(shown, words("en"))))
    text = squeezed("".join(page.extract_text() for page in reader.pages))
    assert text.count(squeezed(hostile)) == 2
    assert not [one for one in addresses(reader) if not is_address(one) or "d.example" in one]


def test_a_character_that_no_font_has_does_not_stop_it() -> None:
    """Emoji, a private character and the ends of Unicode in a title: the rest of the report is there."""
    shown = replace(told()[0], question="A \U0001f9ff \ue000 \ufffe \x07 B")
    reader = PdfReader(io.BytesIO(pdf(shown, words("en"))))
    assert squeezed(shown.headline) in squeezed(reader.pages[0].extract_text())


def test_the_template_can_ask_for_nothing() -> None:
    """It imports no package and reads no file: what is set comes in as data."""
    template = Path(report_pdf.__file__).with_name("report.typ").read_text(encoding="utf-8")
    code = re.sub(r"(?m)^\s*//.*$", "", template)
    assert not re.search(r"\b(import|include|read|plugin|eval|csv|toml|yaml|xml|cbor|bibliography)\b|@", code)
    assert not re.search(r"(image|json)\((?!bytes\()", code)


def test_the_same_brief_gives_the_same_file_in_less_than_five_seconds() -> None:
    """No clock; in processor time of all threads, so that a busy machine does not count."""
    shown = replace(told()[0], question="Another question")
    start = time.process_time()
    first = pdf(shown, words("en"))
    assert time.process_time() - start < 5.0
    assert first == pdf(shown, words("en"))


def test_a_machine_without_fonts_makes_it_in_english_and_says_so_in_chinese() -> None:
    """Typst's own fonts have Latin letters; for Chinese ones, in a title too, the lack is found beforehand."""
    english, chinese = told()[0], told(language="zh")[0]
    own = families(of_system=False)
    assert not lacks_font(english, own)
    assert lacks_font(chinese, own)
    assert lacks_font(replace(english, question="该买哪种？"), own)
    assert not lacks_font(chinese, [*own, "Noto Sans CJK SC"])
    reader = PdfReader(io.BytesIO(pdf(english, words("en"), of_system=False)))
    assert squeezed(english.headline) in squeezed(reader.pages[0].extract_text())


def test_a_long_link_stands_at_the_end() -> None:
    """A token of 1,400 characters would fill the foot of each page, which says where to find it; no page is added."""
    link = "https://ledger.example/brief?s=" + "A1b2" * 350
    shown = replace(told()[0], link=link)
    reader = PdfReader(io.BytesIO(pdf(shown, words("en"))))
    assert len(reader.pages) == len(read("serve-70b", "en")[2])
    assert link in addresses(reader)
    assert all("stands at the end" in page.extract_text() for page in reader.pages)
    assert squeezed(link) in squeezed(reader.pages[-1].extract_text())
