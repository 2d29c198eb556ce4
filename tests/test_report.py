"""The report as it is handed out: one file that asks for nothing, escapes everything and holds the library's numbers."""

import re
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import confidence
from lib.choice.flip_points import flip_points
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Language
from lib.present.brief import Brief, Grid, brief
from lib.present.data_units import unit
from lib.present.figures import style
from lib.present.report import report
from lib.present.text import words
from lib.present.workbook.provenance import kind_word

FACTS = catalog.load()
LOOKS = style.looks(FACTS.accelerators, dark=False)
LINK = "https://ledger.example/brief?preset=serve-70b&lang=en"
VOID = {"meta", "br", "rect", "line", "polyline", "path"}


class Reader(HTMLParser):
    """Reads a document strictly: every element is closed, and what it would load is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that is closed at once."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """An element ends: the last one that began."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text."""
        self.text += data


def told(preset: str = "serve-70b", language: Language = "en") -> tuple[Brief, Recommendation]:
    """The brief of a preset, and the answer behind it."""
    found = recommend(FACTS, presets.preset(FACTS, preset, language))
    sure, flips = confidence(FACTS, found), flip_points(FACTS, found)
    return brief(FACTS, found, sure, flips, LOOKS, words(language), LINK), found


def read(document: str) -> Reader:
    """A document read to its end, with nothing left open."""
    reader = Reader()
    reader.feed(document)
    assert reader.open == []
    return reader


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_report_is_whole_and_has_the_librarys_numbers(language: Language) -> None:
    """Question, net present value, edition, link, both pictures; the length of each bar is its figure."""
    shown, found = told(language=language)
    document = report(shown, words(language))
    reader = read(document)
    assert found.winner is not None
    npv = found.winner.cost.npv_usd or 0.0
    for wanted in (shown.question, f"{round(npv, -3):,.0f} USD", FACTS.edition.label, LINK):
        assert wanted in reader.text
    assert dict(reader.tags)["html"]["lang"] == {"en": "en", "zh": "zh-Hans"}[language]
    widths = [float(about["width"] or 0) for tag, about in reader.tags if tag == "rect" and about.get("stroke")]
    figures = [found.standing(one).weighted or 0.0 for one in found.assessments]
    assert [width / widths[0] for width in widths] == pytest.approx([one / figures[0] for one in figures], abs=0.01)
    assert len([tag for tag, _about in reader.tags if tag == "polyline"]) == len(found.assessments)


def test_the_report_asks_for_nothing() -> None:
    """No script, picture, font, frame or style from elsewhere, and a policy that forbids them."""
    document = report(told()[0], words("en"))
    loading = {"script", "img", "link", "iframe", "object", "embed", "image", "use", "base", "form"}
    reader = read(document)
    assert not [tag for tag, _about in reader.tags if tag in loading]
    assert not [about for _tag, about in reader.tags if about.keys() & {"src", "srcset", "style", "xlink:href", "data"}]
    assert "default-src 'none'" in document
    assert not re.search(r"url\(|@import", document)


def test_text_from_outside_stays_text() -> None:
    """Markup in a question, a name, a cell or a link is shown and not obeyed; only addresses of the web become links."""
    hostile = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'"
    shown = told()[0]
    rows = ((hostile, hostile, hostile, hostile, "javascript:alert(1)"),)
    bad = replace(
        shown,
        question=hostile,
        headline=hostile,
        why=(hostile,),
        ranking=tuple(replace(bar, name=hostile, text=hostile) for bar in shown.ranking),
        curves=tuple(replace(curve, name=hostile) for curve in shown.curves),
        sources=Grid(shown.sources.heads, rows),
        link="javascript:alert(1)",
    )
    reader = read(report(bad, words("en")))
    tags = {tag for tag, _about in reader.tags}
    assert not tags & {"script", "img"}
    assert not [about for _tag, about in reader.tags if any(name.startswith("on") for name in about)]
    addresses = [about["href"] or "" for tag, about in reader.tags if tag == "a"]
    assert not [one for one in addresses if not one.startswith(("https://", "http://"))]
    assert hostile in reader.text


def test_the_same_brief_gives_the_same_document_in_less_than_a_second() -> None:
    """No clock; in processor time, so that a busy machine does not count."""
    shown = told()[0]
    start = time.process_time()
    first = report(shown, words("en"))
    assert time.process_time() - start < 1.0
    assert first == report(shown, words("en"))


@pytest.mark.parametrize("preset", ["token-price", "image-generation", "train-long-sequence", "knowledge-base"])
def test_other_questions_have_a_report_too(preset: str) -> None:
    """One candidate alone, no throughput, somebody ruled out: whole documents."""
    shown = told(preset)[0]
    assert shown.headline in read(report(shown, words("en"))).text


def test_units_and_kinds_of_every_row_have_chinese_words() -> None:
    """No unit of an assumption or a price, and no kind of either, is left in English in a Chinese file."""
    chinese = words("zh")
    units = {row.unit for row in FACTS.assumptions.values()} | {f"{row.currency} {row.basis}" for row in FACTS.prices}
    kinds = {row.kind for row in FACTS.assumptions.values()} | {row.quality for row in FACTS.prices}
    assert not [one for one in units if "per " in unit(one, chinese)]
    assert not [one for one in kinds if kind_word(one, chinese) == one]
