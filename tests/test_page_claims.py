"""The claims page counts the verdicts, opens a card, and judges what the reader states."""

import csv
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.page_choices import ClaimsChoices
from lib.choice.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/claims.py")
    at.run()
    assert not at.exception
    return at


def linked(**choices: Any) -> AppTest:
    """The page of a visitor whose link says what is looked at."""
    scenario = presets.preset(FACTS, "serve-70b")
    view = scenario.view.model_copy(update={"claims": ClaimsChoices(**choices)})
    return opened(s=link.encode(scenario.model_copy(update={"view": view})))


def rows(name: str) -> list[dict[str, str]]:
    """A table as its file has it."""
    with (ROOT / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def looked_at(at: AppTest) -> Scenario:
    """What the address bar holds."""
    token: Any = at.query_params["s"]
    return link.decode(token if isinstance(token, str) else token[0])


def markdown(at: AppTest) -> str:
    """All Markdown of the page."""
    return "\n".join(one.value for one in at.markdown)


def control(elements: Any, label: str) -> Any:
    """The element of that label."""
    return next(one for one in elements if one.label == label)


def test_the_headline_counts_the_claims() -> None:
    """285 rows; unchecked are those without a formula; the four metrics add up, and contradicted ones agree with the hand."""
    claims = rows("article_claims")
    checked = {row["claim_id"] for row in rows("claim_checks")}
    at = opened(preset="serve-70b")
    answer = at.markdown[0].value
    assert f"**{len(claims)} claims**" in answer
    assert f"**{len(claims) - len(checked)} cannot be checked**" in answer
    metrics = [int(one.value) for one in at.metric]
    assert sum(metrics) == len(claims)
    by_hand = sum(row["curated_verdict"] == "contradicted" for row in claims)
    assert abs(metrics[2] - by_hand) <= sum(bool(row["differs_en"]) for row in claims)


def test_the_picture_shows_every_claim_once() -> None:
    """Bars from zero, four verdicts, five articles, 285 in all; the finding stands in its alternative text."""
    chart = opened(preset="serve-70b").get("plotly_chart")[0]
    figure = json.loads(chart.proto.spec)
    assert sum(sum(trace["x"]) for trace in figure["data"]) == 285
    assert figure["layout"]["xaxis"]["rangemode"] == "tozero"
    assert "Article A3: 36 holds" in chart.proto.alt


def test_a_filter_narrows_the_list_and_travels_in_the_link() -> None:
    """Contradicted claims of article A1: three by hand, three on the page, and the address holds the choice."""
    at = opened(preset="serve-70b")
    control(at.selectbox, "Article").set_value("article-a1").run()
    control(at.selectbox, "Verdict").set_value("contradicted").run()
    assert not at.exception
    wanted = {
        row["claim_id"].replace("-", "\u2011")
        for row in rows("article_claims")
        if row["claim_id"].startswith("A1") and row["curated_verdict"] == "contradicted"
    }
    assert set(at.table[0].value["Claim"]) == wanted
    scenario = looked_at(at)
    assert (scenario.view.claims.article, scenario.view.claims.verdict) == ("article-a1", "contradicted")


def test_a_card_says_what_was_said_and_what_the_numbers_say() -> None:
    """A0-007: 5.3 / 3.35 = 1.582 against 1.63, contradicted, with two sourced terms and a way to the page."""
    at = linked(claim="A0-007")
    text = markdown(at)
    assert "5\\.3 / 3\\.35 \\= 1\\.582" in text or "5\\.3 / 3\\.35 = 1\\.582" in text
    assert "A0-007" in "\n".join(one.value for one in at.subheader)
    went_in = at.table[1].value
    assert len(went_in) == 2
    assert went_in.iloc[:, 2].str.len().gt(3).all()


def test_pages_of_twenty() -> None:
    """The second page begins with the 21st claim; a filter leads back to a page that exists."""
    at = linked(page=2)
    assert at.table[0].value["Claim"].iloc[0].replace("\u2011", "-") == rows("article_claims")[20]["claim_id"]
    control(at.selectbox, "Article").set_value("article-a2").run()
    assert not at.exception
    assert len(at.table[0].value) == 14


def test_a_search_that_finds_nothing_says_so() -> None:
    """No table, no card, a sentence."""
    at = linked(search="no such words")
    assert "No claim passes" in at.info[0].value
    assert not at.table


def test_where_articles_meet() -> None:
    """FP8 of MI300X: A0 has 2,600, A4 1,307, ours is 2,615."""
    table = linked(section="contrasts").table[0].value
    row = table[table["Quantity"] == "FP8 of MI300X"].iloc[0]
    for article, figure in (("A0", "2,600"), ("A4", "1,307"), ("Our figure", "2,615")):
        assert figure in row[article]


def test_the_questions_lead_to_their_pages() -> None:
    """Twenty-two answers."""
    text = markdown(linked(section="questions"))
    assert text.count("**") > 44
    assert "More memory makes MI300X faster at everything" in text


def test_a_claim_of_ones_own_is_judged_and_an_edit_changes_the_verdict() -> None:
    """One MI300X for 64 sequences of 70B holds only for the weights; four hold it."""
    at = linked(section="own", own_part="mi300x", own_gpus=1)
    assert "holds with a condition" in markdown(at)
    control(at.number_input, "Number of cards").set_value(4).run()
    assert not at.exception
    assert "Verdict: **✓ holds**" in markdown(at)
    assert looked_at(at).view.claims.own_gpus == 4


def test_the_other_kinds_of_own_claims_open() -> None:
    """Price ratio and work per dollar; one part against itself is refused in words."""
    assert "Verdict:" in markdown(linked(section="own", own="price", own_part="mi300x", own_other="h100-sxm"))
    assert "Verdict:" in markdown(linked(section="own", own="per-dollar", own_part="mi300x", own_other="h100-sxm"))
    same = linked(section="own", own="price", own_part="mi300x", own_other="mi300x")
    assert "two different parts" in same.warning[0].value


def test_a_hostile_choice_is_named() -> None:
    """A page below 1 in a link: the field is named, the defaults are shown."""
    scenario = presets.preset(FACTS, "serve-70b")
    raw = scenario.model_dump(mode="json")
    raw["view"]["claims"]["page"] = -5
    bad = scenario.model_copy(
        update={
            "view": scenario.view.model_copy(update={"claims": ClaimsChoices.model_construct(**raw["view"]["claims"])})
        }
    )
    at = opened(s=link.encode(bad))
    assert "view.claims.page" in at.error[0].value.replace("\\", "")
    assert at.title[0].value


@pytest.mark.parametrize(
    ("preset_id", "language"), list(zip(FACTS.presets, itertools.cycle(("en", "zh")), strict=False))
)
def test_every_preset_opens(preset_id: str, language: str) -> None:
    """The page stands for each question, half of them in Chinese."""
    assert len(opened(preset=preset_id, lang=language).title[0].value) > 3
