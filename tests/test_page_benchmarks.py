"""The benchmarks page answers with measured ratios, and every point on it leads to a row and its source."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.scenario import Candidate, Scenario, changed

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/benchmarks.py"
FACTS = catalog.load()


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


def chosen(at: AppTest, label: str) -> Any:
    """The widget with a label."""
    widgets = [*at.selectbox, *at.radio]
    return next(one for one in widgets if one.label == label)


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    """Every figure of the page by the words of its title."""
    figures = [json.loads(one.proto.spec) for one in at.get("plotly_chart")]
    return {figure["layout"]["title"]["text"].replace("<br>", " "): figure for figure in figures}


def points(figure: dict[str, Any]) -> Iterator[tuple[float, float, str, str]]:
    """Place, source id and hover text of every measured point of a figure."""
    for trace in figure["data"]:
        for x, y, source, words in zip(
            trace["x"], trace["y"], trace.get("customdata", []), trace.get("hovertext", []), strict=False
        ):
            if source:
                yield x, y, source, words


def captions(at: AppTest) -> str:
    """All small type of the page."""
    return "\n".join(caption.value for caption in at.caption)


def value_of(**wanted: str) -> float:
    """The value of the one MLPerf row with these cells."""
    (row,) = [one for one in rows_of("mlperf_inference") if all(one[name] == cell for name, cell in wanted.items())]
    return float(row["value"])


def test_the_answer_holds_the_ratios_of_the_table() -> None:
    """MI300X over H100 in llama2-70b Offline v4.1: AMD over NVIDIA and Dell over Dell on eight each (2 decimals)."""
    test = {"round": "v4.1", "model": "llama2-70b", "scenario": "Offline", "accuracy_target": "99.9"}
    eight = {**test, "accelerator_count": "8", "headline": "yes"}
    vendors = value_of(**eight, submitter="AMD", accelerator_id="mi300x") / value_of(
        **eight, submitter="NVIDIA", accelerator_id="h100-sxm"
    )
    dell = value_of(**eight, submitter="Dell", accelerator_id="mi300x") / value_of(
        **eight, submitter="Dell", accelerator_id="h100-sxm"
    )
    at = opened(seen("serve-70b"))
    assert at.title[0].value == "What has been measured?"
    sentence = at.markdown[0].value
    assert f"**{vendors:.2f}×**" in sentence
    assert f"**{dell:.2f}×**" in sentence
    assert "No like\\-for\\-like" in sentence or "No like-for-like" in sentence
    assert [metric.value for metric in at.metric][:2] == [f"{vendors:.2f}×", f"{dell:.2f}×"]


def test_the_answer_follows_the_base() -> None:
    """Measured against H200 the sentence is about MI300X over H200, with the ratio of that test (2 decimals)."""
    at = opened(seen("serve-70b"))
    chosen(at, "Measured against").set_value("h200-sxm").run()
    assert not at.exception
    test = {"round": "v4.1", "model": "llama2-70b", "scenario": "Offline", "accuracy_target": "99.9"}
    eight = {**test, "accelerator_count": "8", "headline": "yes"}
    h200 = [
        float(row["value"])
        for row in rows_of("mlperf_inference")
        if all(row[name] == cell for name, cell in eight.items())
        and (row["submitter"], row["accelerator_id"]) == ("NVIDIA", "h200-sxm")
    ]
    ratio = value_of(**eight, submitter="AMD", accelerator_id="mi300x") / max(h200)
    assert f"**{ratio:.2f}×** of H200" in at.markdown[0].value


def test_a_model_with_pairs_is_answered_with_both_kinds_apart() -> None:
    """Llama 3.1 405B on MI300X and H100 has pairs of both kinds (34 = 17 loads x two checkpoints on MI300X): each range and count stands alone, none is pooled."""
    at = opened(seen("llama-405b"))
    sentence = at.markdown[0].value
    assert re.search(r"at equal GPU counts \(median [\d.]+, 34 pairs", sentence)
    assert re.search(r"at its own GPU count \(median [\d.]+, 14 pairs", sentence)
    assert "dstack, independent" in sentence
    assert "48 pairs of runs" in captions(at)


def test_every_mlperf_point_is_a_row_divided_by_its_count() -> None:
    """Each point of the strip is value / accelerators of a headline row of that one test, with a source (1e-9)."""
    at = opened(seen("serve-70b"))
    figure = next(one for title, one in charts(at).items() if "vendors' own systems" in title)
    drawn = sorted(x for x, _y, _source, _words in points(figure))
    test = {"round": "v4.1", "model": "llama2-70b", "scenario": "Offline", "accuracy_target": "99.9", "headline": "yes"}
    parts = ("h100-sxm", "mi300x", "h200-sxm", "mi325x")
    expected = sorted(
        float(row["value"]) / int(row["accelerator_count"])
        for row in rows_of("mlperf_inference")
        if row["accelerator_id"] in parts and all(row[name] == cell for name, cell in test.items())
    )
    assert drawn == pytest.approx(expected, rel=1e-9)
    assert "not verified by MLCommons" in captions(at)
    assert "MLPerf is a trademark of MLCommons" in captions(at)


def test_every_point_leads_to_its_source() -> None:
    """Walking all points of all charts of three scenarios, each names a source of the table and shows its title."""
    for scenario in (
        seen("llama-405b"),
        seen("deepseek-v4"),
        of_parts(seen("serve-70b", serving_model="deepseek-r1"), "h200-sxm", "mi300x"),
    ):
        for figure in charts(opened(scenario)).values():
            found = list(points(figure))
            assert found
            for _x, _y, source, words in found:
                title = FACTS.source(source).title
                assert title.split()[0] in words
                assert re.sub(r"\s+", " ", title)[:20] in re.sub(r"<br>|\s+", " ", words)


def test_throughput_points_are_per_gpu_figures_of_one_metric() -> None:
    """DeepSeek-R1 on H200 and MI300X by dstack: every point is an output throughput of the file over its GPUs (1e-9)."""
    at = opened(
        of_parts(seen("serve-70b", serving_model="deepseek-r1", serving_shape="3200x800"), "h200-sxm", "mi300x")
    )
    figure = next(one for title, one in charts(at).items() if title.startswith("Highest measured"))
    assert figure["layout"]["yaxis"]["title"]["text"] == "Output tokens/s per GPU"
    per_gpu = {
        round(float(row["value"]) / (int(row["accelerator_count"]) if row["unit_basis"] == "deployment" else 1), 6)
        for row in rows_of("serving")
        if row["model_id"] == "deepseek-r1" and row["metric"] == "output_tokens_per_s" and row["accelerator_count"]
    }
    drawn = [y for _x, y, _source, _words in points(figure)]
    assert len(drawn) > 20
    assert {round(y, 6) for y in drawn} <= per_gpu
    assert any("Q" in text for trace in figure["data"] for text in trace["text"])


def test_both_latencies_of_a_point_are_of_one_run() -> None:
    """Each pair of TTFT and TPOT drawn stands in the file under one part, source, load, shape and statistic."""
    at = opened(
        of_parts(seen("serve-70b", serving_model="deepseek-r1", serving_shape="3200x800"), "h200-sxm", "mi300x")
    )
    figure = next(one for title, one in charts(at).items() if title.startswith("Time to first token"))
    keys = ("accelerator_id", "source_id", "concurrency", "input_tokens", "output_tokens", "stat", "engine",
            "engine_version", "locator", "date")  # fmt: skip
    runs: dict[tuple[str, ...], dict[str, set[float]]] = {}
    for row in rows_of("serving"):
        if row["metric"] in ("ttft_ms", "tpot_ms") and row["model_id"] == "deepseek-r1":
            values = runs.setdefault(tuple(row[name] for name in keys), {"ttft_ms": set(), "tpot_ms": set()})
            values[row["metric"]].add(float(row["value"]))
    pairs = {(first, each) for run in runs.values() for first in run["ttft_ms"] for each in run["tpot_ms"]}
    upper = [trace for trace in figure["data"] if trace.get("yaxis") != "y2"]
    lower = [trace for trace in figure["data"] if trace.get("yaxis") == "y2"]
    drawn = [
        (first, each)
        for above, below in zip(upper, lower, strict=True)
        for first, each in zip(above["y"], below["y"], strict=True)
        if first is not None
    ]
    assert len(drawn) > 20
    assert set(drawn) <= pairs


def test_the_barred_comparison_is_nowhere() -> None:
    """MI355X and B200 in v6.1: one of them is left out and named, and no ratio of the two is in the answer."""
    view = {"mlperf_model": "gpt-oss-120b", "mlperf_scenario": "Offline", "mlperf_round": "v6.1"}
    at = opened(of_parts(seen("deepseek-v4", **view), "b200-sxm", "mi355x", "b300-sxm"))
    assert "not to be published" in at.markdown[0].value
    assert "MI355X left out" in captions(at)
    strip = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert {trace["name"] for trace in strip["data"]} == {"B200", "B300"}
    glance = at.table[0].value
    assert glance[glance.iloc[:, 0] == "MI355X"].iloc[:, 1:4].to_numpy().tolist() == [["not measured"] * 3]


def test_independent_publishers_alone_are_shown_on_request() -> None:
    """With the filter no point is outlined, fewer are drawn, and the answer says whose runs it reads."""
    scenario = of_parts(seen("serve-70b", serving_model="deepseek-r1", serving_shape="1024x1024"), "b200-sxm", "mi355x")
    every = opened(scenario)
    alone = opened(changed(scenario, ("view", "publishers"), "independent"))
    assert alone.markdown[0].value.startswith("Among independent publishers")
    drawn = []
    for at in (every, alone):
        figure: dict[str, Any] = next(
            (one for title, one in charts(at).items() if title.startswith("Highest measured")), {"data": []}
        )
        widths = [width for trace in figure["data"] for width in trace["marker"]["line"]["width"]]
        drawn.append((len(list(points(figure))), max(widths, default=0)))
    assert drawn[0][1] > 0
    assert drawn[1][1] == 0
    assert drawn[1][0] < drawn[0][0]


def test_an_edit_of_the_workload_changes_the_answer() -> None:
    """Another model in the sidebar gives another sentence, and the link holds it."""
    at = opened(seen("serve-70b"))
    before = at.markdown[0].value
    chosen(at, "Model").set_value("llama-3.1-405b").run()
    assert not at.exception
    assert at.markdown[0].value != before
    assert "34 pairs" in at.markdown[0].value
    token = at.query_params["s"]
    assert link.decode(token if isinstance(token, str) else token[0]).workload.model == "llama-3.1-405b"


def test_a_choice_of_test_stands_in_the_link() -> None:
    """Round and model are bound to the scenario; a round without the model falls back and says so."""
    at = opened(seen("serve-70b"))
    chosen(at, "Round").set_value("v5.1").run()
    token = at.query_params["s"]
    assert link.decode(token if isinstance(token, str) else token[0]).view.mlperf_round == "v5.1"
    chosen(at, "MLPerf benchmark").set_value("gpt-oss-120b").run()
    assert not at.exception
    assert "MLPerf has no v5\\.1 result" in captions(at)


@pytest.mark.parametrize("preset", list(FACTS.presets))
def test_every_preset_opens(preset: str) -> None:
    """The page of each preset has its question, an answer and no exception."""
    at = opened(seen(preset))
    assert at.title[0].value == "What has been measured?"
    assert len(at.markdown[0].value) > 40


def test_images_are_answered_by_mlperf_alone() -> None:
    """Image generation shows samples per second and says that no serving run exists; a model can still be chosen."""
    at = opened(seen("image-generation"))
    assert "measured by MLPerf alone" in at.markdown[0].value
    strip = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert strip["layout"]["xaxis"]["title"]["text"].startswith("samples/s")
    chosen(at, "Served model").set_value("llama-3.3-70b").run()
    assert not at.exception
    assert any(title.startswith("Highest measured") for title in charts(at))


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ({"mlperf_round": "v9.9"}, "MLPerf has no v9\\.9 result"),
        ({"mlperf_model": "zzz"}, "MLPerf has no zzz result"),
        ({"serving_model": "zzz"}, "zzz has no serving run on these parts"),
        ({"serving_shape": "9999999x1"}, "No run of about 9999999x1 tokens"),
        ({"serving_shape": "0x0"}, ""),
    ],
)
def test_a_view_of_what_does_not_exist_says_so(view: dict[str, str], words: str) -> None:
    """A link into a round, model or shape that was never measured names it and shows what was."""
    at = opened(seen("llama-405b", **view))
    assert words in captions(at)
    assert at.metric


def test_one_part_alone_asks_for_a_second() -> None:
    """Without anything to compare with, the page says what to do and still shows what was measured."""
    at = opened(of_parts(seen("serve-70b"), "h100-sxm"))
    assert "Choose a second part" in at.markdown[0].value
    assert at.get("plotly_chart")
