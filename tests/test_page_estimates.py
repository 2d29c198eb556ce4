"""The benchmarks page computes beside what was measured: a sentence a part, bands behind the points, and their record."""

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib.choice.scenario import OwnPart, changed
from tests.benchmark_page import captions, cell, charts, chosen, of_parts, opened, points, seen
from tests.test_own_rows import csv_of
from tests.test_throughput_view import RUN_OF_OWN


def texts(at: AppTest) -> str:
    """All body type of the page."""
    return "\n".join(one.value for one in at.markdown)


def interval_of(at: AppTest, part: str) -> tuple[float, float]:
    """The ends of a part's interval as its sentence states them."""
    found = re.search(rf"\*\*{part}\*\* \([^)]*\): \*\*([\d.,]+)–([\d.,]+)\*\*", texts(at))
    assert found, texts(at)
    return float(found[1].replace(",", "")), float(found[2].replace(",", ""))


def throughput_figure(at: AppTest) -> dict[str, Any]:
    """The first figure of the section."""
    figure: dict[str, Any] = json.loads(at.get("plotly_chart")[0].proto.spec)
    return figure


def test_each_part_has_its_sentence_and_bands_stand_behind_the_points() -> None:
    """Interval, bound, both times and what they rest on, for each of four parts; bands first, then points with sources."""
    at = opened(seen("serve-70b", section="load"))
    for part in ("H100 SXM", "MI300X", "H200 SXM", "MI325X"):
        low, high = interval_of(at, part)
        assert 0 < low < high
    assert "Computed for Llama 3" in texts(at)
    assert len(re.findall(r"first token [\d.,–]+ ms, then [\d.,–]+ ms a token", texts(at))) == 4
    figure = throughput_figure(at)
    kinds = [trace["mode"] for trace in figure["data"]]
    assert kinds == sorted(kinds)  # lines before lines+markers+text
    assert sum("fill" in trace for trace in figure["data"]) == 2
    assert sum(trace["line"].get("dash") == "dash" for trace in figure["data"]) == 2
    for _x, _y, (source, *references), _words in points(figure):
        assert {cell(one)["source_id"] for one in references} == {source}
    assert "How good these estimates are" in captions(at)


def test_the_scenarios_own_lengths_are_charted_on_request_and_an_edit_moves_them() -> None:
    """The list ends with 4,096 in, 512 out; its curve at 64 requests is the sentence's interval; 65 requests move it."""
    at = opened(seen("serve-70b", section="load"))
    lengths = chosen(at, "Prompt and answer length")
    assert lengths.options[-1] == "4,096 in, 512 out (no run: computed alone)"
    lengths.set_value("4096x512").run()
    assert not at.exception
    before = interval_of(at, "MI300X")
    title = next(one for one in charts(at) if one.startswith("Computed:"))
    assert f"MI300X {before[0]:g}–{before[1]:g}" in title
    at.number_input(key="field.workloads.0.concurrency").set_value(640).run()
    assert not at.exception
    assert interval_of(at, "MI300X") != before


def test_own_runs_narrow_the_interval_at_once_and_are_marked() -> None:
    """A reader's run on the scenario's layout makes high over low smaller, and the sentence says whose run it is."""
    at = opened(seen("serve-70b", section="kit"))
    chosen(at, "Show").set_value("load").run()
    low, high = interval_of(at, "MI300X")
    chosen(at, "Show").set_value("kit").run()
    content = csv_of({**RUN_OF_OWN, "value": "400"})
    at.file_uploader(key="benchmarks.own.file").set_value(("mine.csv", content, "text/csv")).run()
    chosen(at, "Show").set_value("load").run()
    own_low, own_high = interval_of(at, "MI300X")
    assert own_high / own_low < 0.67 * high / low
    assert "Rests on 1 result of your own" in texts(at)
    other_low, other_high = interval_of(opened(seen("serve-70b", section="load")), "MI300X")
    assert (other_low, other_high) == (low, high)


def test_figures_and_nearest_rows_open_with_their_sources() -> None:
    """The table has a row a part whose ends are the sentence's; the nearest rows name load, publisher and source."""
    at = opened(seen("serve-70b", section="load"))
    at.session_state["benchmarks.estimates"] = at.session_state["benchmarks.near"] = True
    at.run()
    assert not at.exception
    table = next(one.value for one in at.dataframe if "Output tokens/s per GPU" in one.value.columns)
    assert len(table) == 4
    low, high = interval_of(at, "MI300X")
    row = table[table["Part"] == "MI300X"].iloc[0]
    assert row["Output tokens/s per GPU"].startswith(f"{low:g}–{high:g} (")
    near = next(one.value for one in at.dataframe if "Estimate for" in one.value.columns)
    assert len(near) == 20
    assert (near["Source"] != "").all()


def test_a_stated_part_without_runs_shows_its_bound_alone() -> None:
    """A part of another vendor: no interval, no band, one dashed line, and the sentence says so."""
    scenario = seen("serve-70b", section="load")
    own = OwnPart(name="Else", vendor="Intel", memory_gib=200.0, memory_bandwidth_tbs=4.0)
    scenario = of_parts(scenario.model_copy(update={"own_parts": (own,)}), "own-1")
    at = opened(scenario)
    assert "**no measured basis, bound only**" in texts(at)
    figure = throughput_figure(at)
    assert not any("fill" in trace for trace in figure["data"])
    assert [trace["line"].get("dash") for trace in figure["data"] if any(trace["y"])][-1] == "dash"


@pytest.mark.parametrize("preset", ["pretrain-256", "image-generation"])
def test_what_does_not_serve_is_not_computed(preset: str) -> None:
    """Neither training nor images have a band or a sentence of estimates."""
    at = opened(seen(preset, section="load"))
    assert "Computed for" not in texts(at)
    figures = [json.loads(one.proto.spec) for one in at.get("plotly_chart")]
    assert not any("fill" in trace for figure in figures for trace in figure["data"])


def test_the_record_of_the_estimate_is_a_section_of_its_own() -> None:
    """Its sentence counts what the chart draws: filled over all points; worst cases and groups stand below with sources."""
    at = opened(seen("serve-70b", section="accuracy"))
    (figure,) = charts(at).values()
    symbols = [one for trace in figure["data"][1:] for one in trace["marker"]["symbol"]]
    share = sum(not one.endswith("-open") for one in symbols) / len(symbols)
    assert f"Of **{len(symbols)}** measured runs" in texts(at)
    assert f"**{100 * share:.0f} %**" in texts(at)
    worst = next(one.value for one in at.dataframe if "Estimate over measured" in one.value.columns)
    assert len(worst) == 12
    assert (worst["Source"] != "").all()
    groups = next(one.value for one in at.dataframe if "Inside (80 % promised)" in one.value.columns)
    assert {"All", "MI300X", "H100 SXM", "latent attention with experts"} <= set(groups["Runs of"])
    chinese = opened(changed(seen("serve-70b", section="accuracy"), ("language",), "zh"))
    assert not chinese.exception
