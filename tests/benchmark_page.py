"""The benchmarks page in the test runner: opening it, its figures, its points and the rows that they lead to."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.scenario import Candidate, Scenario, changed

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/benchmarks.py"
FACTS = catalog.load()
EIGHT = {
    "round": "v4.1", "model": "llama2-70b", "scenario": "Offline", "accuracy_target": "99.9", "accelerator_count": "8",
    "headline": "yes",
}  # fmt: skip
DEEPSEEK = {"serving_model": "deepseek-r1", "serving_shape": "3200x800"}
DETAILS = ("glance", "summary", "each", "dates", "results", "interactivity", "behind")


def rows_of(table: str) -> list[dict[str, str]]:
    """A table read by the standard library alone."""
    with (ROOT / "data" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def opened(scenario: Scenario | None = None) -> AppTest:
    """The page of a fresh visitor, or of one who follows a link."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    if scenario is not None:
        at.query_params["s"] = link.encode(scenario)
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def seen(preset: str, **view: str) -> Scenario:
    """A preset with something else in view."""
    scenario = presets.preset(FACTS, preset)
    for name, value in view.items():
        scenario = changed(scenario, ("view", name), value)
    return scenario


def of_parts(scenario: Scenario, *parts: str) -> Scenario:
    """A scenario that compares these parts, the first one the base."""
    chosen = tuple(Candidate(accelerator=part) for part in parts)
    return changed(scenario.model_copy(update={"candidates": chosen}), ("view", "base"), parts[0])


def seen_with(scenario: Scenario, view: dict[str, str]) -> Scenario:
    """The scenario with something else in view."""
    for name, value in view.items():
        scenario = changed(scenario, ("view", name), value)
    return scenario


def chosen(at: AppTest, label: str) -> Any:
    """The widget with a label."""
    widgets = [*at.selectbox, *at.radio]
    return next(one for one in widgets if one.label == label)


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    """Every figure of the page by the words of its title."""
    figures = [json.loads(one.proto.spec) for one in at.get("plotly_chart")]
    return {figure["layout"]["title"]["text"].replace("<br>", " "): figure for figure in figures}


def points(figure: dict[str, Any]) -> Iterator[tuple[float, float, list[str], str]]:
    """Place, references (source id, then table:row) and hover text of every measured point of a figure."""
    for trace in figure["data"]:
        for x, y, found, words in zip(
            trace["x"], trace["y"], trace.get("customdata", []), trace.get("hovertext", []), strict=False
        ):
            if found:
                yield x, y, found, words


def captions(at: AppTest) -> str:
    """All small type of the page."""
    return "\n".join(caption.value for caption in at.caption)


def value_of(**wanted: str) -> float:
    """The value of the one MLPerf row with these cells."""
    (row,) = [one for one in rows_of("mlperf_inference") if all(one[name] == cell for name, cell in wanted.items())]
    return float(row["value"])


def unfolded(scenario: Scenario) -> AppTest:
    """The page with all its details open."""
    at = opened(scenario)
    for name in DETAILS:
        at.session_state[f"benchmarks.{name}"] = True
    at.run()
    assert not at.exception
    return at


def cell(reference: str) -> dict[str, Any]:
    """The row of a measured table that a point refers to."""
    table, _, label = reference.rpartition(":")
    row = FACTS.measured[table].loc[int(label)]
    return {str(name): value for name, value in row.items()}
