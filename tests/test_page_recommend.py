"""The recommend page answers from the scenario, says why and how sure, and follows every edit."""

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.recommend import recommend
from lib.choice.scenario import Constraints, Scenario, changed, choices

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/recommend.py"
SECTION = ("view", "recommend_section")
FACTS = catalog.load()


def preset(preset_id: str, **limits: Any) -> Scenario:
    """A preset, with other constraints where they are given."""
    scenario = presets.preset(FACTS, preset_id)
    return scenario.model_copy(update={"constraints": Constraints(**limits)}) if limits else scenario


def opened(scenario: Scenario) -> AppTest:
    """The page as somebody sees it who follows the scenario's link."""
    at = AppTest.from_file(SHELL, default_timeout=30)
    at.query_params["s"] = link.encode(scenario)
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def answer(at: AppTest) -> str:
    """The sentence under the question."""
    return str(at.markdown[0].value)


def beside(at: AppTest) -> str:
    """The list of what is to be known beside the answer."""
    lists = [str(one.value) for one in at.markdown if str(one.value).startswith("- ")]
    return lists[0] if lists else ""


def kept(at: AppTest) -> Scenario:
    """The scenario that the address bar holds."""
    token = at.query_params["s"]
    return link.decode(token if isinstance(token, str) else token[0])


def test_the_headline_follows_from_the_price_rows() -> None:
    """The winner's amount is the median of its price rows for 4 GPUs over a year at 10 %, support included (1 USD)."""
    at = opened(preset("research-lab"))
    rows = [
        (row.low + row.high) / 2
        for row in FACTS.prices
        if (row.accelerator_id, row.kind, row.basis, row.quality) == ("a100-sxm-80g", "on-demand", "per GPU-hour", "dated-list")
        and row.currency == "USD"
        and row.as_of >= "2026-02-28"
    ]  # fmt: skip
    support = FACTS.assumptions["rent-support"].base or 0.0
    monthly = statistics.median(rows) * 4 * 730 * (1 + support / 100)
    expected = sum(monthly / 1.1 ** (month / 12) for month in range(1, 13))
    assert at.title[0].value == "Which one for my case, and what would change that?"
    assert "**A100 80GB, rent** comes first" in answer(at)
    assert at.metric[1].value == f"{expected:,.0f}"
    assert f"**{expected:,.0f} USD**" in answer(at)
    assert "Ruled out: MI300X, rent (TensorRT\\-LLM does not run on ROCm)" in beside(at)


def test_what_why_how_sure_what_would_change_it_and_how_much_stand_on_top() -> None:
    """The first two paragraphs and the metrics of the default preset answer all five, in the words of the page."""
    at = opened(preset("serve-70b"))
    metrics = {one.label: one.value for one in at.metric}
    assert "comes first" in answer(at)
    assert "USD per million tokens" in answer(at)
    assert " stays first in **" in answer(at)
    assert str(at.markdown[1].value).startswith("**H100 SXM, buy comes first** with one of these: ")
    assert set(metrics) >= {"Cost per million tokens", "Stays first"}


def test_the_metric_is_chosen_on_the_page_and_travels_in_the_link() -> None:
    """By outlay the cheapest fleet of all that pass comes first, and a colleague who gets the link sees the same."""
    at = opened(preset("serve-70b"))
    at.selectbox(key="field.preference.metric").set_value("outlay").run()
    assert not at.exception
    assert "On outlay alone" in answer(at)
    assert kept(at).prefers.metric == "outlay"
    assert answer(opened(kept(at))) == answer(at)


def test_an_edit_of_the_required_software_changes_the_answer_and_the_link() -> None:
    """Without TensorRT-LLM nobody is ruled out, and a colleague who gets the link sees the same."""
    at = opened(preset("research-lab"))
    assert "Ruled out" in beside(at)
    at.multiselect(key="recommend.software").set_value(["vLLM"]).run()
    assert not at.exception
    assert "Ruled out" not in beside(at)
    assert kept(at).constraints.software == ("vLLM",)
    assert answer(opened(kept(at))) == answer(at)


def test_a_cap_that_nobody_keeps_says_what_to_relax_and_the_button_does_it() -> None:
    """Bought servers hold eight GPUs: a cap of four rules all out, and the change offered makes the answer."""
    at = opened(preset("serve-70b", gpus=4))
    assert "No candidate passes every check" in answer(at)
    assert "the GPU cap from 4 to 8" in answer(at)
    button = next(one for one in at.button if one.label == "Change the GPU cap from 4 to 8")
    button.click().run()
    assert not at.exception
    assert kept(at).constraints.gpus == 8
    assert "comes first" in answer(at)


def test_a_power_cap_shows_what_it_holds() -> None:
    """With a megawatt the answer says how many replicas it holds, and half of it holds about half."""
    whole, half = (opened(preset("one-megawatt", power_kw=cap)) for cap in (1000.0, 500.0))
    assert "1,000 kW hold most replicas" in beside(whole)
    assert "500 kW hold most replicas" in beside(half)


def test_every_way_is_ranked_where_the_buyer_asks_for_it_and_the_best_one_is_taken_over() -> None:
    """The page names the cheaper way beside an answer for purchases; asked for all, that one ranks, and the button keeps it."""
    at = opened(preset("serve-70b"))
    assert "Cheaper had another way: H200 SXM, 3-year, " in answer(at)
    at.selectbox(key="field.preference.ways").set_value("all").run()
    assert not at.exception
    assert ", 3-year** comes first" in answer(at)
    assert "is our estimate**" in beside(at)
    assert len(kept(at).candidates) == 4
    button = next(one for one in at.button if one.label == "Take the best way of each part into the scenario")
    button.click().run()
    assert not at.exception
    ways = {one.accelerator: one.acquisition for one in kept(at).candidates}
    assert ways["h100-sxm"] == "commit-3y"
    assert len(ways) == 4
    assert kept(at).prefers.ways == "stated"
    assert ", 3-year** comes first" in answer(at)


@pytest.mark.parametrize("preset_id", FACTS.presets)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_preset_opens(preset_id: str, language: str) -> None:
    """Each workload of each preset has an answer without a hole in it, a chart whose words say it, and the questions."""
    scenario = changed(preset(preset_id), ("language",), language)
    for place in range(len(scenario.workloads)):
        viewed = changed(scenario, ("view", "workload"), place)
        at = opened(changed(viewed, SECTION, "checks"))
        assert "{" not in answer(at)
        chart = at.get("plotly_chart")[0].proto
        assert chart.alt
        rows = json.loads(chart.spec)["layout"]["yaxis"]["categoryarray"]
        found = recommend(FACTS, viewed)
        assert len(rows) == len(found.shown)
        assert len(at.table[-1].value) == len(found.assessments) >= len(scenario.candidates)


@pytest.mark.parametrize("section", [word for word in choices(SECTION) if word])
@pytest.mark.parametrize(
    ("preset_id", "language"), [("serve-70b", "en"), ("pretrain-256", "zh"), ("one-megawatt", "zh")]
)
def test_every_section_opens(preset_id: str, language: str, section: str) -> None:
    """Each section is drawn without an exception and without a hole in its words."""
    scenario = changed(preset(preset_id), ("language",), language)
    at = opened(changed(scenario, SECTION, section))
    assert not any("{" in str(one.value) for one in (*at.markdown, *at.caption))


def test_text_of_a_link_stays_text() -> None:
    """A product that a stranger's link names is shown as it stands, open, and rules nobody out."""
    hostile = "[x](javascript:alert(1)) $y$ <b>"
    at = opened(changed(preset("serve-70b", software=(hostile,)), SECTION, "checks"))
    assert "comes first" in answer(at)
    cells = at.table[-1].value["Software"]
    assert all(cell.startswith("? ") for cell in cells)
    assert all("[x](" not in cell and "<b>" not in cell and "$y$" not in cell for cell in cells)


def test_a_part_without_a_price_says_so() -> None:
    """Nobody publishes a rent of the A800: it stays on the table, open, and does not win."""
    at = opened(changed(preset("knowledge-base"), SECTION, "checks"))
    table = at.table[-1].value
    row = table[table["Option"].str.contains("A800")].iloc[0]
    assert row["Price"].startswith("?")
    assert "A800" not in answer(at)


def test_a_candidate_that_is_ruled_out_is_hollow_in_the_picture() -> None:
    """The marker of a failing candidate is open and its reason stands beside it; the others are filled."""
    spec = json.loads(opened(preset("research-lab")).get("plotly_chart")[0].proto.spec)
    points = [trace for trace in spec["data"] if "markers" in trace["mode"]]
    hollow = [trace for trace in points if trace["marker"]["symbol"].endswith("-open")]
    assert len(points) == 3
    assert len(hollow) == 1
    assert "TensorRT-LLM does not run on ROCm" in hollow[0]["text"][0]


def test_a_format_that_comes_first_is_taken_over_and_travels_in_the_link() -> None:
    """Opened, the comparison of formats offers the first one's; the button puts it into the scenario of the link."""
    scenario = changed(preset("serve-70b"), SECTION, "deployments")
    at = opened(scenario)
    assert not [one for one in at.button if one.label.startswith("Take this format over")]
    at.session_state["recommend.free"] = True
    at.run()
    assert not at.exception
    button = next(one for one in at.button if one.label.startswith("Take this format over"))
    word = button.label.rpartition(": ")[2]
    assert word != kept(at).workload.weight_format
    button.click().run()
    assert not at.exception
    assert kept(at).workload.weight_format == word
    assert answer(opened(kept(at))) == answer(at)
