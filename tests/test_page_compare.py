"""The page that compares: the figures are those of the recommendation, what is pasted is opened or refused in words."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.own_parts import add_part
from lib.choice.recommend import recommend
from lib.choice.scenario import OwnPart, Scenario, changed
from lib.present.recommend_words import money

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()
BASE = presets.preset(FACTS, "serve-70b")
FIRST = "2026-11-30-81db24e1"


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=30)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("../../pages/compare.py").run()
    assert not at.exception
    return at


def npv(scenario: Scenario) -> float:
    """What the recommended option costs, as the page Recommend has it [USD]."""
    winner = recommend(FACTS, scenario).winner
    assert winner is not None
    return winner.cost.npv_usd or 0.0


def told(at: AppTest) -> str:
    """The answer below the title."""
    return str(at.markdown[0].value)


def test_the_headline_has_both_costs_and_the_cause() -> None:
    """More requests at once: both costs as on Recommend, their difference, and the input that makes it."""
    mine = changed(BASE, ("workloads", 0, "concurrency"), 256)
    at = opened(s=link.encode(mine), **{"with": "serve-70b"})
    assert at.title[0].value == "What differs between two scenarios?"
    for scenario in (mine, BASE):
        assert f"{money(npv(scenario))} USD" in told(at)
    assert f"**{money(npv(mine) - npv(BASE))} USD" in told(at)
    assert "**Concurrent sequences** moves it most" in told(at)
    assert "256 against 64" in told(at)
    assert [one.value for one in at.metric][3] == "1"


def test_an_edit_is_compared_with_the_own_preset() -> None:
    """Without a choice an edited preset stands beside itself as published, and an edit moves the answer."""
    at = opened(preset="serve-70b", lang="en")
    assert "Serve a 70B model" not in told(at)
    at.number_input(key="field.workloads.0.concurrency").set_value(200).run()
    assert not at.exception
    assert "the preset “Serve a 70B model to many users”" in told(at)
    assert at.selectbox(key="compare.preset").value == "serve-70b"


def test_a_chosen_preset_stands_in_the_address() -> None:
    """The link of the page shows the same comparison, and the scenario's own address stays beside it."""
    at = opened(preset="serve-70b", lang="en")
    at.selectbox(key="compare.preset").set_value("llama-405b").run()
    assert not at.exception
    assert at.query_params["with"] == "llama-405b"
    assert at.query_params["preset"] == "serve-70b"
    again = opened(preset="serve-70b", lang="en", **{"with": "llama-405b"})
    assert told(again) == told(at)


@pytest.mark.parametrize("around", ["{}", "https://ledger.example/cost?s={}", "?s={}&lang=zh"])
def test_a_pasted_link_is_opened(around: str) -> None:
    """A bare token, a whole link, a query: the other scenario is the one that it names."""
    theirs = changed(BASE, ("money", "discount_rate"), 0.2)
    token = link.encode(theirs.model_copy(update={"title": "From a colleague"}))
    at = opened(preset="serve-70b", lang="en")
    at.text_input(key="compare.link").set_value(around.format(token)).run()
    assert not at.exception
    assert at.query_params["with"] == token
    assert "the pasted scenario “From a colleague”" in told(at)
    assert "**Discount rate** moves it most" in told(at)


@pytest.mark.parametrize("typed", ["serve-71b", "https://ledger.example/", "AAAA", "<script>alert(1)</script>", "%%%"])
def test_what_cannot_be_read_is_said_and_kept(typed: str) -> None:
    """One sentence with the reason; the field keeps what was typed, and the comparison what it was."""
    at = opened(preset="serve-70b", lang="en", **{"with": "llama-405b"})
    before = told(at)
    at.text_input(key="compare.link").set_value(typed).run()
    assert not at.exception
    assert any("could not be read" in one.value and "is kept" in one.value for one in at.error)
    assert at.text_input(key="compare.link").value == typed
    assert told(at) == before
    assert at.query_params["with"] == "llama-405b"


@pytest.mark.parametrize("named", ["nope", "AAAA", "x" * 9000, "https://["])
def test_a_damaged_other_in_the_address_is_said(named: str) -> None:
    """The page stands with what it would suggest, under a sentence of its own: nobody typed anything."""
    at = opened(preset="serve-70b", lang="en", **{"with": named})
    (told,) = (one.value for one in at.error)
    assert told.startswith("This link names no second scenario that can be read: ")
    assert told.endswith("A preset stands in its place; choose another.")
    at.text_input(key="compare.link").set_value("serve-71b").run()
    assert ["What you typed is kept" in one.value for one in at.error] == [True]
    at.text_input(key="compare.link").set_value("").run()
    assert [one.value for one in at.error] == [told]
    at.selectbox(key="compare.preset").set_value("llama-405b").run()
    assert not at.error


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_every_preset_stands_beside_another(preset_id: str, language: str) -> None:
    """No pair breaks the page."""
    opened(preset=preset_id, lang=language, **{"with": "pretrain-256"})


def test_an_old_link_lists_what_changed() -> None:
    """A link of the first edition: the exchange rate that was 7.0197 then, and what the cheapest option costs now."""
    token = link.encode(changed(BASE.model_copy(update={"edition": FIRST}), ("money", "currency"), "CNY"))
    at = opened(s=token)
    assert any(FIRST.replace("-", "\\-") in one.value and "behind these costs" in one.value for one in at.info)
    assert any(one.value == "What has changed since this link was made" for one in at.subheader)
    shown = next(one.value for one in at.dataframe if "Then" in one.value)
    assert "7.0197" in set(shown["Then"])


def test_the_other_stays_on_its_page() -> None:
    """Other pages' links do not carry it, so that they stay short; the test runner has no address, so the rule is asked."""
    at = opened(preset="serve-70b", lang="en", **{"with": "llama-405b"})
    at.switch_page("../../pages/specs.py").run()
    at.switch_page("../../pages/compare.py").run()
    assert not at.exception
    assert at.selectbox(key="compare.preset").value == "llama-405b"


def test_parts_of_both_scenarios_have_their_own_names() -> None:
    """Two links with an own part each, both under the id own-1: the tables show Alpha once and Beta once."""
    mine, theirs = (
        add_part(BASE, OwnPart(name=name, memory_gib=gib)) for name, gib in (("Alpha", 288.0), ("Beta", 80.0))
    )
    at = opened(s=link.encode(mine), **{"with": link.encode(theirs)})
    options = next(one.value for one in at.dataframe if "Yours: NPV, USD" in one.value)
    assert [name for name in options["Option"] if "MI" not in name and "H" not in name] == ["Alpha, buy", "Beta, buy"]
    inputs = next(one.value for one in at.dataframe if "Input" in one.value)
    assert list(inputs["Input"]) == ["Options: Alpha, buy (288 GiB); Beta, buy (80 GiB)"]
