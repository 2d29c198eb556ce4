"""The start page offers every preset as a question, and says what the scenario in use answers."""

import tomllib
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import presets
from lib.choice.scenario import changed
from lib.present import start
from lib.present.text import words

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()
PRESETS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("data/presets/*.toml")}


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=30)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def preset_links(at: AppTest) -> dict[str, tuple[str, str]]:
    """Preset id -> page and language of each link that opens one."""
    found = {}
    for one in at.get("page_link"):
        query = parse_qs(one.proto.query_string)
        if "preset" in query:
            found[query["preset"][0]] = (one.proto.page, query["lang"][0])
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_preset_is_one_link_to_its_page(language: str) -> None:
    """Each file of data/presets stands once, opens the page that it names, and keeps the language."""
    links = preset_links(opened(preset="serve-70b", lang=language))
    assert links == {name: (raw["page"], language) for name, raw in PRESETS.items()}


def test_articles_advise_in_small_type_and_by_name() -> None:
    """Every advice names its article, none stands without one, and presets without advice have none."""
    at = opened()
    advised = [caption.value for caption in at.caption if "says:" in caption.value]
    assert len(advised) == sum("advice_en" in raw for raw in PRESETS.values())
    assert all("The article (A" in caption for caption in advised)


def test_the_first_screen_says_what_is_decided_and_how_to_share() -> None:
    """One sentence of promise, one of what can be relied on, one of sharing."""
    at = opened()
    assert at.title[0].value == "Where do I begin?"
    assert "which AI accelerators to buy or rent" in at.markdown[0].value
    small = "\n".join(caption.value for caption in at.caption)
    assert "source and date" in small
    assert "copy the address" in small


def test_the_scenario_in_use_has_its_answer() -> None:
    """MI300X against H100 SXM: 191.98 over 79.18 GiB is 2.42 (table of parts; two decimals)."""
    at = opened(preset="serve-70b")
    assert any("**2.42×** the memory as the runtime reports" in one.value for one in at.markdown)
    assert any("Open now: Serve a 70B model to many users" in one.value for one in at.subheader)


def test_every_page_answers_for_the_scenario_in_use() -> None:
    """Five answers, and a link to the page of each."""
    at = opened(preset="serve-70b")
    pages = [one.proto.page for one in at.get("page_link") if not one.proto.query_string]
    assert pages[:5] == ["recommend", "memory", "benchmarks", "cost", "specs"]
    spoken = "\n".join(one.value for one in at.markdown)
    assert "Llama 3\\.3 70B" in spoken
    assert "net present value" in spoken
    assert "like-for-like" in spoken


def test_an_edit_shows_as_a_change() -> None:
    """A scenario that differs from its preset says so under its name."""
    at = opened(preset="serve-70b")
    at.number_input(key="field.workloads.0.concurrency").set_value(65).run()
    assert not at.exception
    assert any("(changed)" in one.value for one in at.subheader)


@pytest.mark.parametrize("preset_id", PRESETS)
def test_every_preset_opens(preset_id: str) -> None:
    """No preset breaks the first page."""
    opened(preset=preset_id)


def test_an_unknown_preset_says_so() -> None:
    """The wrong name is shown, and the questions still stand."""
    at = opened(preset="serve-71b")
    assert any("serve" in error.value for error in at.error)
    assert len(preset_links(at)) == len(PRESETS)


def test_a_preset_of_no_group_still_stands_somewhere() -> None:
    """Groups cover every preset of the catalogue once, those nobody placed among them."""
    placed = [entry.preset_id for group in start.groups(FACTS, words("en")) for entry in group.entries]
    assert sorted(placed) == sorted(PRESETS)


def test_a_title_from_a_link_stays_text() -> None:
    """A scenario's own title is escaped."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("title",), "**[x](javascript:1)**")
    assert start.scenario_name(FACTS, scenario, words("en")).startswith("\\*\\*\\[x\\]")
