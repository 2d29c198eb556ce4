"""The brief page: its headline is the library's, an edit changes it, it presents without controls, nothing breaks it."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.recommend import recommend
from lib.choice.scenario import changed
from lib.present.text import markdown_safe

SHELL = str(Path(__file__).resolve().parent.parent / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/brief.py")
    at.run()
    assert not at.exception
    return at


def test_the_headline_is_the_closed_form_of_the_rent_and_follows_an_edit() -> None:
    """One H100 at 2 USD an hour for a year at 10 %, an annuity of 1,460 USD a month; at 4 USD twice that."""
    rate = 1.1 ** (1 / 12) - 1
    by_hand = 2.0 * 730 * (1 - (1 + rate) ** -12) / rate
    at = opened(preset="token-price")
    assert at.title[0].value == FACTS.presets["token-price"]["question_en"]
    assert at.metric[0].value == f"{by_hand:,.0f} USD"
    scenario = changed(presets.preset(FACTS, "token-price"), ("candidates", 0, "rent_usd_per_gpu_hour"), 4.0)
    assert opened(s=link.encode(scenario)).metric[0].value == f"{2 * by_hand:,.0f} USD"


def test_the_page_names_the_winner_of_recommend_with_its_cost() -> None:
    """Part and net present value to the thousand stand in the answer; two pictures carry their finding in words."""
    winner = recommend(FACTS, presets.preset(FACTS, "serve-70b")).winner
    assert winner is not None
    at = opened(preset="serve-70b")
    answer = at.markdown[0].value
    assert winner.cost.accelerator.short_name in answer
    assert f"{round(winner.cost.npv_usd or 0.0, -3):,.0f} USD" in answer
    pictures = at.get("plotly_chart")
    assert len(pictures) == 2
    assert all(one.proto.alt for one in pictures)
    labels = [one.proto.label for one in at.get("download_button")]
    assert "Slides (PPTX)" in labels
    assert "Report (HTML)" in labels
    assert "Report (PDF)" in labels


@pytest.mark.parametrize("preset", sorted(FACTS.presets))
def test_every_preset_opens(preset: str) -> None:
    """In Chinese, without an exception, with its question as the title."""
    at = opened(preset=preset, lang="zh")
    assert at.title[0].value == markdown_safe(FACTS.presets[preset]["question_zh"])


def test_the_presentation_has_no_controls_and_buttons_lead_through_it() -> None:
    """No sidebar, no footer, the question above every section; Next, Back and End change what the address names."""
    at = opened(preset="serve-70b", present="1")
    assert not at.sidebar.children
    assert at.title[0].value == markdown_safe(FACTS.presets["serve-70b"]["question_en"])
    assert "8 GPUs" in at.header[0].value
    assert not at.get("download_button")
    at.button(key="brief.next").click().run()
    assert at.header[0].value == "The proposal in 3 numbers"
    assert at.query_params["part"] == "numbers"
    at.button(key="brief.next").click().run()
    assert len(at.get("plotly_chart")) == 1
    for _step in range(5):
        at.button(key="brief.next").click().run()
        assert not at.exception
    assert at.button(key="brief.next").disabled
    at.button(key="brief.back").click().run()
    assert at.query_params["part"] == "evidence"
    at.button(key="brief.end").click().run()
    assert not at.exception
    assert not {"present", "part"} & set(at.query_params)
    assert at.sidebar.children
    assert at.get("download_button")


def test_the_address_names_the_section() -> None:
    """A link opens at its section with the scenario's own numbers; one that there is not, or markup, opens the first."""
    at = opened(preset="serve-70b", present="1", part="numbers")
    npv = recommend(FACTS, presets.preset(FACTS, "serve-70b")).assessments[0].cost.npv_usd
    assert f"#### {markdown_safe(f'{round(npv or 0.0, -3):,.0f} USD')}" in at.markdown[0].value
    for part in ("nothing", "<b>", ""):
        assert "8 GPUs" in opened(preset="serve-70b", present="1", part=part).header[0].value


@pytest.mark.parametrize(
    "part", ["proposal", "numbers", "ranking", "curves", "changes", "risks", "evidence", "sources"]
)
def test_a_section_has_few_words_in_large_type(part: str) -> None:
    """Every text is a heading, which the theme sets large, or an item of a list of headings; figures have type of 24 px."""
    at = opened(preset="serve-70b", lang="zh", present="1", part=part)
    for one in at.markdown:
        assert not [line for line in one.value.splitlines() if line and not line.startswith(("#", "- #"))]
    assert not at.caption
    assert sum(len(one.value) for one in at.markdown) < 900
    for chart in at.get("plotly_chart"):
        drawn = json.loads(chart.proto.spec)
        sizes = [drawn["layout"]["font"]["size"]]
        sizes += [trace["textfont"]["size"] for trace in drawn["data"] if "textfont" in trace]
        assert min(sizes) >= 24


def test_where_nobody_passes_the_page_says_so() -> None:
    """A power cap of 1 kW: no proposal, the reasons instead, in the presentation too."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("constraints", "power_kw"), 1.0)
    assert "No candidate passes every check" in opened(s=link.encode(scenario)).markdown[0].value
    assert opened(s=link.encode(scenario), present="1").title


def test_a_title_from_a_link_is_shown_as_it_stands() -> None:
    """Markdown and HTML in a title are escaped."""
    scenario = changed(presets.preset(FACTS, "token-price"), ("title",), "**x** <b>y</b> $z$")
    title = opened(s=link.encode(scenario)).title[0].value
    assert "**" not in title
    assert "<b>" not in title.replace("\\<", "")


def test_a_hostile_link_says_so() -> None:
    """A token that is none leaves the page standing with an error above it."""
    assert opened(s="!!!").error
