"""The software page: verdicts from the matrix, weeks from measured ports, both in step with the scenario."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.scenario import Scenario, changed

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/software.py")
    at.run()
    assert not at.exception
    return at


def scenario_of(at: AppTest) -> Scenario:
    """The scenario that the address bar holds after an edit."""
    (token,) = [at.query_params["s"]] if isinstance(at.query_params["s"], str) else at.query_params["s"]
    return link.decode(token)


def weeks() -> dict[str, str]:
    """The weeks of measured ports as they stand in the file."""
    with (ROOT / "data" / "assumptions.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["assumption_id"] == "mig-elapsed")


def test_the_answer_names_what_does_not_run_and_what_the_move_takes() -> None:
    """The research lab needs TensorRT-LLM: no ROCm build; a port took 1.9 to 10 weeks, 6 at the base."""
    answer = opened(preset="research-lab").markdown[0].value
    assert "TensorRT\\-LLM does not run; vLLM can run" in answer
    row = weeks()
    assert f"{row['base']} engineer-weeks ({row['low']}–{row['high']})" in answer


def test_ticking_a_product_is_a_constraint_of_the_scenario() -> None:
    """What is ticked here is in the link, and rules MI300X out on the recommendation page."""
    at = opened(preset="serve-70b")
    at.multiselect(key="software.required").set_value(["TensorRT-LLM"]).run()
    assert not at.exception
    scenario = scenario_of(at)
    assert scenario.constraints.software == ("TensorRT-LLM",)
    assert "TensorRT\\-LLM does not run" in at.markdown[0].value
    at.switch_page("../../pages/recommend.py")
    at.run()
    assert not at.exception
    assert at.multiselect(key="recommend.software").value == ["TensorRT-LLM"]


def test_the_button_puts_the_weeks_into_the_cost() -> None:
    """Three libraries at the high end are thirty weeks, and the link carries them."""
    at = opened(preset="serve-70b")
    at.number_input(key="stack.kernel_libraries").set_value(3).run()
    ends: Any = at.radio(key="stack.effort")
    ends.set_value("high").run()
    at.button(key="software.use.ROCm").click().run()
    assert not at.exception
    assert scenario_of(at).money.migration_engineer_weeks == 3 * float(weeks()["high"])


def test_the_picture_has_a_sign_for_every_product_and_format_of_every_part() -> None:
    """Four parts, one engine, two formats: twelve signs, each with its word."""
    at = opened(preset="serve-70b")
    spec = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert sum(len(trace["x"]) for trace in spec["data"]) == 4 * 3
    title = spec["layout"]["title"]["text"].replace("<br>", " ")
    assert title == "Everything required is documented to run on 4 of 4 parts"


def test_every_row_shown_has_its_source() -> None:
    """A verdict with documentation names title, date and place; an article's words stand beside it."""
    table = opened(preset="research-lab").dataframe[0].value
    assert table["Source"].str.len().gt(0).all()
    assert table["Date"].str.len().gt(0).all()
    denied = table[(table["Product"] == "TensorRT-LLM") & (table["Platform"] == "ROCm")]
    assert denied["Articles say"].str.contains("A0").all()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_section_opens(language: str) -> None:
    """What is folded away can be unfolded, and every row of its tables has a source or a product."""
    at = opened(preset="deepseek-v4", lang=language)
    for section in ("formats", "ports", "claims", "matrix", "method"):
        at.session_state[f"software.{section}"] = True
    at.run()
    assert not at.exception
    assert all(len(one.value) for one in at.dataframe)


def test_a_product_that_nobody_knows_is_unknown() -> None:
    """A link may require anything: no verdict is made up."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("constraints", "software"), ("<b>Frob*</b>",))
    token = link.encode(scenario)
    answer = opened(s=token).markdown[0].value
    assert "unknown" in answer
    assert "<b>" not in answer


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_every_preset_opens(preset_id: str) -> None:
    """The page stands for each question."""
    assert len(opened(preset=preset_id).markdown[0].value) > 20
