"""The timing page: the cheapest path by a closed form, the reader's months in the link, statements with their sources."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.recommend import recommend
from lib.choice.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/timing.py")
    at.run()
    assert not at.exception
    return at


def on_h100() -> AppTest:
    """The page for a part whose three-year rent is one row."""
    at = opened(preset="buy-or-wait").selectbox(key="timing.part").set_value("h100-sxm").run()
    assert not at.exception
    return at


def scenario_of(at: AppTest) -> Scenario:
    """The scenario that the address bar holds after an edit."""
    (token,) = [at.query_params["s"]] if isinstance(at.query_params["s"], str) else at.query_params["s"]
    return link.decode(token)


def base(name: str) -> float:
    """The base of an assumption as it stands in the file."""
    with (ROOT / "data" / "assumptions.csv").open(encoding="utf-8", newline="") as file:
        row = next(one for one in csv.DictReader(file) if one["assumption_id"] == name)
    return float(row["base"])


def committed(gpus: int) -> float:
    """Three years of H100 at the three-year rent with the provider's support, at the buyer's discount rate."""
    rate = (1 + base("fin-discount") / 100) ** (1 / 12) - 1
    annuity = (1 - (1 + rate) ** -36) / rate
    return float(gpus * 730 * base("rent-3y-est-h100-sxm") * (1 + base("rent-support") / 100) * annuity)


def test_the_headline_is_the_commitments_annuity() -> None:
    """Eight H100, the fleet that keeps the limits, for three years at 1.30 USD an hour: from the assumptions' rows alone."""
    at = on_h100()
    assert at.number_input(key="timing.gpus").value == 8
    assert f"{float(f'{committed(8):.3g}'):,.0f} USD" in at.markdown[0].value
    assert "Rent, 3-year commitment" in at.markdown[0].value


def test_the_page_opens_on_the_part_that_is_recommended() -> None:
    """Not on the first of the list, which nobody has chosen."""
    found = recommend(FACTS, presets.preset(FACTS, "buy-or-wait"))
    assert found.winner is not None
    assert found.winner.candidate.accelerator != found.scenario.candidates[0].accelerator
    assert opened(preset="buy-or-wait").selectbox(key="timing.part").value == found.winner.candidate.accelerator


def test_the_number_of_gpus_moves_the_answer_and_travels_in_the_link() -> None:
    """Sixteen GPUs fill two servers: the commitment is twice as dear, and the advice to rent first costs more than buying."""
    at = on_h100()
    at.number_input(key="timing.gpus").set_value(16).run()
    assert not at.exception
    assert f"{float(f'{committed(16):.3g}'):,.0f} USD" in at.markdown[0].value
    assert "more than buying now; after 6 months it costs less only if prices fall by more than" in at.markdown[0].value
    view = scenario_of(at).view
    assert view.timing is not None
    assert view.timing.gpus == 16


def test_the_table_has_every_path_and_the_two_months_of_the_article() -> None:
    """Five paths, and renting for three months beside the reader's six; the cheapest first."""
    table = opened(preset="buy-or-wait").dataframe[0].value
    assert len(table) == 6
    assert {"Rent 3 months, then buy", "Rent 6 months, then buy", "Buy now"} <= set(table["Path"])
    costs = table["NPV, USD: flat"].iloc[:5].tolist()
    assert costs == sorted(costs)


def test_the_pictures_show_every_statement_and_no_rent_without_a_source() -> None:
    """One line a statement of the roadmap; each point of the rents names its terms and source."""
    at = opened(preset="buy-or-wait")
    _paths, rents, roadmap = (json.loads(chart.proto.spec) for chart in at.get("plotly_chart"))
    assert len(roadmap["data"]) == len(FACTS.roadmap)
    points = [trace for trace in rents["data"] if trace["mode"] == "markers"]
    assert all(len(trace["customdata"]) == len(trace["x"]) for trace in points)
    assert all(source for trace in points for _terms, source in trace["customdata"])


def test_a_preset_opens_unchanged() -> None:
    """Looking at the page changes no scenario: the short link of the preset stays."""
    for preset_id in ("mi355x-rent", "llama-405b", "buy-or-wait"):
        at = opened(preset=preset_id)
        assert "s" not in at.query_params, preset_id


def test_what_cannot_be_costed_says_why() -> None:
    """Article A3 prices a rent alone: buying has no price, and the page says so."""
    at = opened(preset="mi355x-rent")
    assert "Only “Rent on demand” can be costed" in at.markdown[0].value
    assert "Article A3 states no price for this way of having it" in at.markdown[0].value


def test_another_part_is_reckoned_when_it_is_chosen() -> None:
    """The choice is in the picture's subtitle and in the link."""
    at = opened(preset="buy-or-wait")
    part: Any = at.selectbox(key="timing.part")
    part.set_value("mi300x").run()
    assert not at.exception
    spec = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert spec["layout"]["title"]["subtitle"]["text"].startswith("MI300X")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_section_opens(language: str) -> None:
    """What is folded away can be unfolded, and every row of its tables has a source or a product."""
    at = opened(preset="buy-or-wait", lang=language)
    for section in ("statements", "prices", "series", "method"):
        at.session_state[f"timing.{section}"] = True
    at.run()
    assert not at.exception
    assert all(len(one.value) for one in at.dataframe)


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_every_preset_opens(preset_id: str) -> None:
    """The page stands for each question."""
    assert len(opened(preset=preset_id).markdown[0].value) > 20
