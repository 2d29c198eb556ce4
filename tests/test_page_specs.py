"""The specification page sets parts side by side: ratios, unknown cells, sources, filters."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import comparison

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(**query: str) -> AppTest:
    """The page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page("../../pages/specs.py")
    at.run()
    assert not at.exception
    return at


def test_the_answer_sets_mi300x_against_h100() -> None:
    """191.98 / 79.18 = 2.42 times the memory, 5.3 / 3.35 = 1.58 times the bandwidth, both dense peaks 1.32 times."""
    answer = opened(preset="serve-70b").markdown[0].value
    assert f"**{191.98 / 79.18:.2f}×**" in answer
    assert f"**{5.3 / 3.35:.2f}×**" in answer
    assert f"**{2614.9 / 1978.9:.2f}×**" in answer
    assert "3,957" not in answer


def test_unknown_cells_say_so() -> None:
    """MI325X's driver memory was found nowhere: the table says "not published" and shows no zero."""
    table = opened(preset="serve-70b").table[0].value
    row = table[table.iloc[:, 0].str.contains("driver")].iloc[0]
    assert row["MI325X"] == "*not published*"
    assert not (table == "0").any().any()


def test_the_best_value_is_bold_and_less_power_is_better() -> None:
    """Most memory and least power are marked; equal values are not."""
    rows = {row.field: row for row in comparison.rows([FACTS.accelerator(one) for one in ("h100-sxm", "mi300x")])}
    assert rows["memory_runtime_gib"].best == (False, True)
    assert rows["tdp_w"].best == (True, False)
    assert rows["gpus_per_node"].best == (False, False)


def test_ratios_are_to_the_first_part_and_unknown_ones_stay_unknown() -> None:
    """A ratio needs both values."""
    rows = {row.field: row for row in comparison.rows([FACTS.accelerator(one) for one in ("h100-sxm", "b200-sxm")])}
    assert list(rows["memory_bandwidth_tbs"].ratios) == pytest.approx([1.0, 7.7 / 3.35])
    assert rows["fp4_dense_tflops"].ratios == (None, None)


def test_the_reader_may_measure_against_another_part() -> None:
    """The base travels in the link, and the chart follows it."""
    at = opened(preset="serve-70b")
    group: Any = next(one for one in at.radio if one.label == "Measured against")
    group.set_value("mi300x").run()
    assert not at.exception
    assert "s" in at.query_params
    names = {trace["name"] for trace in json.loads(at.get("plotly_chart")[0].proto.spec)["data"]}
    assert "MI300X" not in names
    assert "H100 SXM" in names


def test_every_cell_leads_to_its_sources_in_one_click() -> None:
    """The opened section lists a source, a date column and a place for each quantity shown."""
    at = opened(preset="serve-70b")
    at.session_state["specs.cells"] = True
    at.run()
    frame = at.dataframe[0].value
    assert {"H100 SXM", "MI300X", "H200 SXM", "MI325X"} == set(frame["Part"])
    assert frame["Source"].str.len().gt(0).all()
    assert frame["Where"].str.len().gt(0).all()


@pytest.mark.parametrize("preset_id", FACTS.presets)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_preset_opens(preset_id: str, language: str) -> None:
    """The page stands for each question."""
    assert len(opened(preset=preset_id, lang=language).title[0].value) > 3
