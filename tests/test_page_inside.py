"""The page on the chips: its answer and metrics from the tables, its views and parts in the link, every preset."""

import csv
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import chip, link, presets
from lib.choice.own_parts import add_part
from lib.choice.scenario import OwnPart, Scenario, changed

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(scenario: Scenario | None = None, **query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    if scenario is not None:
        query["s"] = link.encode(scenario)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/inside.py")
    at.run()
    assert not at.exception
    return at


def seen(view: str, *parts: str, preset_id: str = "serve-70b") -> Scenario:
    """A preset with a view and parts of the page chosen."""
    scenario = changed(presets.preset(FACTS, preset_id), ("view", "inside", "view"), view)
    return changed(scenario, ("view", "inside", "parts"), parts)


def scenario_of(at: AppTest) -> Scenario:
    """The scenario that the address bar holds after an edit."""
    (token,) = [at.query_params["s"]] if isinstance(at.query_params["s"], str) else at.query_params["s"]
    return link.decode(token)


def cells(name: str) -> dict[str, str]:
    """A row of accelerators.csv by the standard library alone."""
    with (ROOT / "data" / "accelerators.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["accelerator_id"] == name)


def metrics(at: AppTest) -> list[str]:
    """Values of the metrics."""
    return [one.value for one in at.metric]


def test_the_answer_names_limits_and_construction() -> None:
    """Decode reads 140 GB of weights for two operations each: bound by memory; dies and stacks as in the tables."""
    at = opened(preset="serve-70b")
    assert at.title[0].value == "How are the chips built?"
    sentence = at.markdown[0].value
    assert "decode is bound by **memory bandwidth** on MI300X, H100 SXM, H200 SXM and MI325X" in sentence
    assert "MI300X: 8 XCD on 4 IOD, 8 HBM3 stacks of 24 GB" in sentence
    assert "H100 SXM: one die, 5 HBM3 stacks of 16 GB" in sentence
    assert cells("mi300x")["chiplets"].startswith("8 XCD + 4 IOD")
    assert metrics(at)[:2] == ["12 + 8", "1 + 5"]


def test_each_view_shows_its_numbers() -> None:
    """Bandwidth and its share read (4,199 of 5,300 GB/s), dense FP8, all-reduce (316.82 of 448 GB/s) from the files."""
    rated = float(cells("mi300x")["memory_bandwidth_tbs"])
    assert metrics(opened(seen("memory", "mi300x"))) == [f"{rated:g} TB/s ({4199 / (10 * rated):.0f} %)"]
    dense = float(cells("mi300x")["fp8_dense_tflops"])
    assert metrics(opened(seen("compute", "mi300x"))) == [f"{dense:,.1f}"]
    assert metrics(opened(seen("fabric", "mi300x"))) == [f"317 GB/s ({100 * 316.82 / 448:.0f} %)"]


@pytest.mark.parametrize("view", chip.VIEWS)
def test_the_alternative_text_begins_with_the_title(view: str) -> None:
    """Every figure's words begin with the finding in its title."""
    for chart in opened(seen(view, "mi355x", "b200-sxm")).get("plotly_chart"):
        title = json.loads(chart.proto.spec)["layout"]["title"]["text"].replace("<br>", " ")
        assert chart.proto.alt.startswith(title)


@pytest.mark.parametrize("view", chip.VIEWS)
def test_an_unknown_part_and_one_without_figures_stand_in_every_view(view: str) -> None:
    """Parts of which little is published, and one that the reader states: no exception, and blanks that say so."""
    part = OwnPart(name="Own X", memory_gib=128.0, memory_bandwidth_tbs=4.0, fp16_bf16_dense_tflops=900.0)
    scenario = add_part(seen(view, "h20", "mi400-series", "h100-nvl", "own-a"), part)
    own = scenario.candidates[-1].accelerator
    at = opened(changed(scenario, ("view", "inside", "parts"), ("h20", "mi400-series", own)))
    assert "not published" in at.dataframe[0].value.to_csv()
    assert len(at.metric) == 3


def test_view_and_parts_travel_in_the_link() -> None:
    """Choosing a view and other parts changes figure, table and address; the next visitor sees the same."""
    at = opened(preset="serve-70b")
    at.radio(key="field.view.inside.view").set_value("fabric").run()
    at.multiselect(key="inside.parts").set_value(["mi355x", "gb200"]).run()
    assert not at.exception
    view = scenario_of(at).view
    assert view.inside.view == "fabric"
    assert view.inside.parts == ("mi355x", "gb200")
    again = opened(scenario_of(at))
    assert metrics(again) == metrics(at)
    assert len(again.get("plotly_chart")) == 3  # the bars, a mesh and a switch


def test_an_edit_of_the_load_moves_the_answer() -> None:
    """At one sequence decode stays at the memory with a far wider margin than at 64."""
    before = opened(preset="serve-70b").markdown[0].value
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("workloads", 0, "concurrency"), 1)
    after = opened(scenario).markdown[0].value
    assert "at 1 sequence, decode" in after
    assert before != after


def test_a_part_that_nobody_knows_is_named() -> None:
    """A link to a part of another edition says which one is missing and shows the scenario's."""
    at = opened(seen("memory", "mi999x"))
    assert any("mi999x" in one.value for one in at.warning)
    assert len(at.metric) == chip.MOST_PARTS


def test_a_hostile_choice_is_refused() -> None:
    """Five parts are more than the page shows: the record refuses them."""
    with pytest.raises(ValueError, match="at most 4"):
        seen("memory", "mi300x", "h100-sxm", "h200-sxm", "b200-sxm", "mi355x")
    with pytest.raises(ValueError, match="chiplets"):
        seen("everything")


@pytest.mark.parametrize("preset_id", list(FACTS.presets))
def test_every_preset_opens(preset_id: str) -> None:
    """No preset breaks the page, in the view that needs most of it."""
    at = opened(seen("roofline", preset_id=preset_id))
    assert "Built as" in at.markdown[0].value
    assert at.get("plotly_chart")


def test_ordinary_links_stay_short() -> None:
    """A scenario that chose nothing on this page carries no more than its empty name."""
    written = presets.preset(FACTS, "serve-70b").model_dump(mode="json")["view"]["inside"]
    assert written == {}
