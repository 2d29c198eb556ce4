"""Every point of every chart of the benchmarks page leads to a row and its source, and no chart mixes what differs."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from lib.choice import link
from lib.choice.scenario import Scenario
from tests.benchmark_page import (
    DEEPSEEK,
    EIGHT,
    FACTS,
    captions,
    cell,
    charts,
    of_parts,
    opened,
    points,
    rows_of,
    seen,
    seen_with,
    unfolded,
)


def test_every_mlperf_point_is_a_row_divided_by_its_count() -> None:
    """Each point of the strip is value / accelerators of a headline row of that one test, with a source (1e-9)."""
    at = opened(seen("serve-70b"))
    figure = next(one for title, one in charts(at).items() if "vendors' own systems" in title)
    drawn = sorted(x for x, _y, _source, _words in points(figure))
    test = {name: cell for name, cell in EIGHT.items() if name != "accelerator_count"}
    parts = ("h100-sxm", "mi300x", "h200-sxm", "mi325x")
    expected = sorted(
        float(row["value"]) / int(row["accelerator_count"])
        for row in rows_of("mlperf_inference")
        if row["accelerator_id"] in parts and all(row[name] == cell for name, cell in test.items())
    )
    assert drawn == pytest.approx(expected, rel=1e-9)
    assert "not verified by MLCommons" in captions(at)
    assert "MLPerf is a trademark of MLCommons" in captions(at)


@pytest.mark.parametrize(
    "scenario",
    [
        seen("llama-405b"),
        of_parts(seen("deepseek-v4"), "b300-sxm", "mi355x"),
        of_parts(seen("serve-70b", section="load", **DEEPSEEK), "h200-sxm", "mi300x"),
        seen("finetune-64"),
        of_parts(seen("pretrain-256"), "b200-sxm", "mi355x"),
        *(seen("serve-70b", section="micro", micro=kind) for kind in ("bandwidth", "gemm", "all_reduce", "power")),
    ],
)
def test_every_point_leads_to_its_source(scenario: Scenario) -> None:
    """Walking all points of all charts, each names a row of a table with that source, and shows the source's title."""
    figures = charts(unfolded(scenario))
    assert figures
    for figure in figures.values():
        found = list(points(figure))
        assert found
        for _x, _y, (source, *references), words in found:
            assert references
            assert {cell(one)["source_id"] for one in references} == {source}
            title = re.sub(r"\s+", " ", FACTS.source(source).title)
            assert title[:20] in re.sub(r"<br>|\s+", " ", words)


def per_gpu(metric: str) -> dict[str, list[float]]:
    """Every value of a throughput metric over its GPUs, by source."""
    frame = FACTS.measured["serving"]
    own = frame[frame["metric"] == metric]
    each = own["value"].where(own["unit_basis"] == "gpu", own["value"] / own["accelerator_count"])
    return {str(name): list(each[own["source_id"] == name]) for name in own["source_id"].unique()}


def test_no_chart_mixes_bases_metrics_or_rounds() -> None:
    """Per chart: one MLPerf round and test; every serving point an output figure over its GPUs; ratios of one kind of unit."""
    checked = 0
    for scenario in (
        seen("llama-405b"),
        of_parts(seen("serve-70b", section="load", **DEEPSEEK), "h200-sxm", "mi300x"),
        of_parts(seen("serve-70b", section="load", serving_model="deepseek-r1"), "b200-sxm", "mi355x"),
        seen("finetune-64"),
    ):
        for title, figure in charts(unfolded(scenario)).items():
            cells = [(y, cell(one)) for _x, y, (_source, *found), _words in points(figure) for one in found]
            if cells and "round" in cells[0][1]:
                tests = {
                    (row["round"], row.get("scenario"), row.get("model", row.get("benchmark"))) for _y, row in cells
                }
                assert len(tests) == 1, title
                checked += 1
            elif title.startswith(("Highest measured", "Throughput per GPU against")):
                axis = figure["layout"]["yaxis"]["title"]["text"]
                metric = "total_tokens_per_s" if axis.startswith("Input and output") else "output_tokens_per_s"
                assert axis.endswith("per GPU")
                each = per_gpu(metric)
                assert all(any(abs(one - y) < 1e-9 * y for one in each[row["source_id"]]) for y, row in cells), title
                checked += 1
    assert checked >= 6


def test_throughput_points_are_per_gpu_figures_of_one_metric() -> None:
    """DeepSeek-R1 on H200 and MI300X by dstack: every point is an output throughput of the file over its GPUs (1e-9)."""
    at = opened(of_parts(seen("serve-70b", section="load", **DEEPSEEK), "h200-sxm", "mi300x"))
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
    assert any("Q" in text for trace in figure["data"] for text in trace.get("text", []))


def test_both_latencies_of_a_point_are_of_one_run() -> None:
    """Each pair of TTFT and TPOT drawn stands in the file under one part, source, load, shape and statistic."""
    at = opened(of_parts(seen("serve-70b", section="load", **DEEPSEEK), "h200-sxm", "mi300x"))
    figure = next(one for title, one in charts(at).items() if title.startswith("Time to first token"))
    keys = ("accelerator_id", "source_id", "concurrency", "input_tokens", "output_tokens", "stat", "engine",
            "engine_version", "locator", "date")  # fmt: skip
    runs: dict[tuple[str, ...], dict[str, set[float]]] = {}
    for row in rows_of("serving"):
        if row["metric"] in ("ttft_ms", "tpot_ms") and row["model_id"] == "deepseek-r1":
            values = runs.setdefault(tuple(row[name] for name in keys), {"ttft_ms": set(), "tpot_ms": set()})
            values[row["metric"]].add(float(row["value"]))
    pairs = {(first, each) for run in runs.values() for first in run["ttft_ms"] for each in run["tpot_ms"]}
    measured = [trace for trace in figure["data"] if "marker" in trace]
    upper = [trace for trace in measured if trace.get("yaxis") != "y2"]
    lower = [trace for trace in measured if trace.get("yaxis") == "y2"]
    drawn = [
        (first, each)
        for above, below in zip(upper, lower, strict=True)
        for first, each in zip(above["y"], below["y"], strict=True)
        if first is not None
    ]
    assert len(drawn) > 20
    assert set(drawn) <= pairs


def test_the_frontier_joins_runs_that_no_other_run_beats() -> None:
    """Along each part's line more speed to a user costs throughput, and every point has both figures of one run (1e-9)."""
    at = unfolded(of_parts(seen("serve-70b", section="load", **DEEPSEEK), "h200-sxm", "mi300x"))
    figure = next(one for title, one in charts(at).items() if title.startswith("Throughput per GPU against"))
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert len(lines) == 2
    for line in lines:
        assert line["x"] == sorted(line["x"])
        assert line["y"] == sorted(line["y"], reverse=True)
    serving = FACTS.measured["serving"]
    for x, y, (source, *_), _words in points(figure):
        own = serving[(serving["source_id"] == source) & (serving["model_id"] == "deepseek-r1")]
        whole = own[
            (own["metric"] == "output_tokens_per_s") & (abs(own["value"] / own["accelerator_count"] - y) < 1e-9 * y)
        ]
        each = own[(own["metric"] == "tpot_ms") & (abs(1000 / own["value"] - x) < 1e-9 * x)]
        assert set(whole["locator"]) & set(each["locator"])
        assert set(whole["concurrency"]) & set(each["concurrency"])


@pytest.mark.parametrize(
    ("view", "kept"),
    [
        ({"since": "2025-06-01"}, lambda row: bool(row["date"]) and str(row["date"]) >= "2025-06"),
        ({"serving_engine": "vllm"}, lambda row: str(row["engine"]).startswith("vllm")),
        ({"queue_limited": "hidden"}, lambda row: not row["queue_limited"]),
    ],
)
def test_a_filter_reaches_every_pair_and_run_and_travels_in_the_link(
    view: dict[str, str], kept: Callable[[dict[str, Any]], bool]
) -> None:
    """What is drawn is of the rows that pass, fewer than without the filter, and the answer names the filter."""
    for section in ("pairs", "load"):
        scenario = of_parts(seen("serve-70b", section=section, serving_model="deepseek-r1"), "h200-sxm", "mi300x")
        without, with_filter = (
            [
                reference
                for at in (opened(one),)
                for figure in charts(at).values()
                for _x, _y, (_source, *found), _words in points(figure)
                for reference in found
                if reference.startswith("serving:")
            ]
            for one in (scenario, seen_with(scenario, view))
        )
        assert len(with_filter) < len(without)
        assert all(kept(cell(one)) for one in with_filter)
    at = opened(seen_with(scenario, view))
    assert "among runs" in at.markdown[0].value
    assert link.decode(link.encode(seen_with(scenario, view))) == seen_with(scenario, view)
