"""The slides as they are handed out: read by python-pptx and LibreOffice, with the library's numbers and no formula."""

import os
import re
import subprocess
import time
import zipfile
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from pptx import Presentation

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import confidence
from lib.choice.flip_points import flip_points
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Language
from lib.present.brief import Brief, brief
from lib.present.cost import option_label
from lib.present.figures import style
from lib.present.slides import slides
from lib.present.text import words

FACTS = catalog.load()
LOOKS = style.looks(FACTS.accelerators, dark=False)
LINK = "https://ledger.example/brief?preset=serve-70b"
SOFFICE = os.environ.get("SOFFICE", "/usr/bin/soffice")


def told(preset: str, language: Language = "en") -> tuple[Brief, Recommendation]:
    """The brief of a preset, and the answer behind it."""
    found = recommend(FACTS, presets.preset(FACTS, preset, language))
    sure, flips = confidence(FACTS, found), flip_points(FACTS, found)
    return brief(FACTS, found, sure, flips, LOOKS, words(language), LINK), found


def texts(slide: Any) -> list[str]:
    """Every text of a slide, tables too."""
    found = [shape.text_frame.text for shape in slide.shapes if shape.has_text_frame]
    tables = [shape.table for shape in slide.shapes if shape.has_table]
    return found + [cell.text for table in tables for row in table.rows for cell in row.cells]


def charts(deck: Any) -> list[Any]:
    """Every native chart of a deck."""
    return [shape.chart for slide in deck.slides for shape in slide.shapes if shape.has_chart]


@pytest.fixture(scope="module")
def shown() -> tuple[Brief, Recommendation]:
    """A preset that buys four parts."""
    return told("serve-70b")


@pytest.fixture(scope="module")
def content(shown: tuple[Brief, Recommendation]) -> bytes:
    """Its slides."""
    return slides(shown[0], words("en"))


@pytest.fixture(scope="module")
def deck(content: bytes) -> Any:
    """The same, read back."""
    return Presentation(BytesIO(content))


def test_at_most_eight_slides_each_with_title_edition_and_notes(deck: Any) -> None:
    """What the speaker says is not empty, and the foot names the edition the numbers are from."""
    assert 5 <= len(deck.slides) <= 8
    for slide in deck.slides:
        assert slide.shapes.title.text_frame.text
        assert any(FACTS.edition.label in text for text in texts(slide))
        assert slide.notes_slide.notes_text_frame.text.strip()


def test_the_first_slide_says_what_is_proposed_what_it_costs_and_how_sure_that_is(
    deck: Any, shown: tuple[Brief, Recommendation]
) -> None:
    """The net present value of the winner to the thousand, the tie, and a QR code beside them."""
    first, (_brief, found) = deck.slides[0], shown
    assert found.winner is not None
    npv = found.winner.cost.npv_usd or 0.0
    said = " ".join(texts(first))
    assert f"{round(npv, -3):,.0f} USD" in said
    assert found.winner.cost.accelerator.short_name in said
    assert "Too close to call against" in said
    assert [shape for shape in first.shapes if shape.shape_type == 13]


def test_charts_are_native_and_hold_the_librarys_numbers(deck: Any, shown: tuple[Brief, Recommendation]) -> None:
    """Bars are the governing figures, curves end at the net present values in thousand USD, within a dollar."""
    found = shown[1]
    bars, lines = charts(deck)
    figures = [found.standing(one).weighted for one in found.assessments]
    assert list(bars.plots[0].series[0].values) == pytest.approx(figures, rel=1e-12)
    *costs, _labels = lines.plots[0].series
    ends = [list(series.values)[-1] for series in costs]
    best_first = [(one.cost.npv_usd or 0.0) / 1000 for one in found.assessments]
    assert ends == pytest.approx(best_first, abs=0.001)
    book = openpyxl.load_workbook(BytesIO(bars.part.chart_workbook.xlsx_part.blob))
    assert book.active is not None
    assert book.active["B2"].value == pytest.approx(figures[0], rel=1e-12)


@pytest.mark.parametrize("preset", ["serve-70b", "llama-405b"])
def test_options_have_one_number_on_all_slides(preset: str) -> None:
    """Bars, labels of the curves and the list beside them are numbered in the order of the recommendation."""
    made, found = told(preset)
    deck = Presentation(BytesIO(slides(made, words("en"))))
    bars, lines = charts(deck)
    names = [option_label(one.cost, words("en")) for one in found.assessments]
    numbered = [f"{place}. {name}" for place, name in enumerate(names, start=1)]
    assert list(bars.plots[0].categories) == numbered
    labels = lines.plots[0].series[-1]
    marks = [labels.points[place].data_label.text_frame.text for place in range(len(numbered))]
    assert marks == [f"{place}" for place in range(1, len(numbered) + 1)]
    beside = [text for text in texts(deck.slides[3]) if text.startswith("At the end")]
    assert [line for line in beside[0].split("\n") if "." in line] == numbered


@pytest.mark.parametrize("preset", ["serve-70b", "llama-405b"])
def test_labels_at_the_ends_of_curves_do_not_overprint(preset: str) -> None:
    """Neighbours stand a quarter of an inch apart on a plot of four and a half: 5 % of the axis, and all inside it."""
    deck = Presentation(BytesIO(slides(told(preset)[0], words("en"))))
    lines = charts(deck)[1]
    heights = sorted(lines.plots[0].series[-1].values)
    low, high = lines.value_axis.minimum_scale, lines.value_axis.maximum_scale
    assert min(above - below for below, above in pairwise(heights)) >= 0.05 * (high - low)
    assert low <= heights[0] <= heights[-1] <= high


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_that_leaves_rows_out_says_how_many_it_shows(language: Language) -> None:
    """The date of delivery is the first open question; what there is no room for is counted, and stands in the notes."""
    made, _found = told("serve-70b", language)
    deck = Presentation(BytesIO(slides(made, words(language))))
    for slide, grid in ((deck.slides[4], made.changes), (deck.slides[6], made.gaps)):
        (table,) = [shape.table for shape in slide.shapes if shape.has_table]
        shown = len(table.rows) - 1
        assert [cell.text for cell in table.rows[1].cells] == list(grid.rows[0])
        said = words(language)("{n} of {all}, the rest in the report.", n=shown, all=len(grid.rows))
        assert (said in texts(slide)) == (shown < len(grid.rows))
        for row in grid.rows:
            assert " | ".join(row) in slide.notes_slide.notes_text_frame.text
    assert made.gaps.rows[0][0].startswith({"en": "The delivery date", "zh": "交货日期"}[language])


def test_pictures_and_charts_have_their_finding_in_words(deck: Any) -> None:
    """Alternative text for those who cannot see them."""
    for slide in deck.slides:
        for shape in slide.shapes:
            if shape.has_chart or shape.shape_type == 13:
                (about,) = (one for one in shape._element.iter() if one.tag.endswith("}cNvPr"))
                assert about.get("descr")


def test_the_same_brief_gives_the_same_bytes(content: bytes, shown: tuple[Brief, Recommendation]) -> None:
    """No clock: the file and the workbooks inside it carry the day of the edition."""
    time.sleep(1.1)
    assert content == slides(shown[0], words("en"))
    about = Presentation(BytesIO(content)).core_properties
    assert about.created is not None
    assert about.created.date().isoformat() == FACTS.edition.date


def test_slides_are_made_in_less_than_a_second(shown: tuple[Brief, Recommendation]) -> None:
    """In processor time, so that a busy machine does not count."""
    start = time.process_time()
    slides(shown[0], words("en"))
    assert time.process_time() - start < 1.0


def test_text_from_outside_runs_nowhere(shown: tuple[Brief, Recommendation]) -> None:
    """Names that begin like a formula are quoted in the charts' workbooks; a question is text; no link leads out."""
    hostile = "=cmd|'/c calc'!A0"
    made = shown[0]
    bars = tuple(replace(bar, name=hostile) for bar in made.ranking)
    curves = tuple(replace(curve, name=hostile) for curve in made.curves)
    content = slides(replace(made, question=hostile, ranking=bars, curves=curves, ranking_unit="@x"), words("en"))
    for chart in charts(Presentation(BytesIO(content))):
        book = openpyxl.load_workbook(BytesIO(chart.part.chart_workbook.xlsx_part.blob))
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert not [cell for cell in cells if cell.data_type == "f"]
        assert f"'{hostile}" in [cell.value for cell in cells]
    with zipfile.ZipFile(BytesIO(content)) as archive:
        for name in archive.namelist():
            assert "vbaProject" not in name
            if name.endswith(".rels"):
                assert b'TargetMode="External"' not in archive.read(name)


@pytest.mark.parametrize("preset", ["token-price", "image-generation", "train-long-sequence", "buy-or-wait"])
def test_other_questions_have_slides_too(preset: str) -> None:
    """One candidate alone, no throughput, somebody ruled out, eight candidates: at most eight slides, in Chinese."""
    made, _found = told(preset, "zh")
    opened = Presentation(BytesIO(slides(made, words("zh"))))
    assert 4 <= len(opened.slides) <= 8
    assert re.search(r"[\u4e00-\u9fff]", opened.slides[0].shapes.title.text_frame.text)


def test_libreoffice_opens_every_slide(content: bytes, deck: Any, tmp_path: Path) -> None:
    """An independent reader draws as many pages as there are slides."""
    if not (Path(SOFFICE).resolve().parent / "libsdlo.so").exists():
        pytest.skip("LibreOffice Impress is not installed")
    (tmp_path / "deck.pptx").write_bytes(content)
    subprocess.run(
        [SOFFICE, f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "pdf",
         "--outdir", str(tmp_path), str(tmp_path / "deck.pptx")],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    drawn = (tmp_path / "deck.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", drawn)) == len(deck.slides)
