"""The serving runs in view: one model, one shape, one metric, and both latencies of one run."""

from typing import Any

import pandas as pd
import pytest

from lib import catalog
from lib.choice.operating_points import operating_points
from lib.choice.scenario import Workload
from lib.choice.serving_view import OUTPUT, TOTAL, ServingView, serving_view, shapes
from tests.serving_rows import table

PARTS = ("part-a", "part-b")
WORKLOAD = Workload(model="model-70b", input_tokens=1024, output_tokens=1024, concurrency=64)


def viewed(
    *rows: dict[str, Any], parts: tuple[str, ...] = PARTS, workload: Workload = WORKLOAD, **asked: str
) -> ServingView:
    """The view of rows that differ from the usual run in some cells."""
    found = serving_view(operating_points(table(*rows), "", parts), parts, workload, **asked)
    assert found is not None
    return found


def test_lengths_within_a_tenth_are_one_shape():
    """1,000 and 1,024 tokens are read together under the more frequent one; 2,048 stand apart (a tenth)."""
    rows = [{"concurrency": float(load)} for load in (1, 2)]
    rows += [{"input_tokens": 1000.0, "output_tokens": 1000.0}, {"input_tokens": 2048.0}]
    found = shapes(operating_points(table(*rows), "", PARTS), PARTS)
    assert [(one.code, one.runs) for one in found] == [("1024x1024", 3), ("2048x1024", 1)]


def test_a_length_that_is_not_stated_is_a_shape_of_its_own():
    """A run without lengths is not read together with any that states them, and comes last."""
    view = viewed({"input_tokens": None, "output_tokens": None}, {"concurrency": 8.0})
    assert [one.code for one in view.shapes if not one.is_stated] == ["0x0"]
    assert view.shape is not None
    assert view.shape.is_stated


def test_the_shape_that_compares_most_parts_is_shown_first():
    """Both parts ran 8,192 tokens, one alone the workload's own 1,024: the comparison is shown, the other is offered."""
    long = {"input_tokens": 8192.0}
    view = viewed({}, long, {**long, "accelerator_id": "part-b"})
    assert view.shape is not None
    assert view.shape.code == "8192x1024"
    assert {one.code for one in view.shapes} == {"8192x1024", "1024x1024"}
    asked = viewed({}, long, {**long, "accelerator_id": "part-b"}, shape="1024x1024").shape
    assert asked is not None
    assert asked.code == "1024x1024"


def test_output_and_total_tokens_never_mix():
    """Runs that report the other throughput alone are counted and left out, whichever covers more parts."""
    total = {"metric": "total_tokens_per_s", "value": 5000.0}
    output_wins = viewed({}, {"accelerator_id": "part-b"}, {**total, "concurrency": 8.0})
    assert (output_wins.metric, output_wins.other_metric) == (OUTPUT, 1)
    total_wins = viewed({}, {**total, "concurrency": 8.0}, {**total, "accelerator_id": "part-b", "concurrency": 8.0})
    assert (total_wins.metric, total_wins.other_metric) == (TOTAL, 1)
    assert set(total_wins.charted["throughput"]) == {5000.0 / 8}


def test_throughput_is_per_gpu():
    """800 tokens/s of a deployment of eight are 100 per GPU; 100 stated per GPU stay 100 (exact)."""
    per_gpu = {"accelerator_id": "part-b", "value": 100.0, "unit": "tokens/s/gpu", "unit_basis": "gpu"}
    assert list(viewed({}, per_gpu).charted["throughput"]) == [100.0, 100.0]


def test_a_run_of_unknown_size_is_not_charted_but_counted():
    """A deployment's throughput without its number of GPUs has no figure per GPU."""
    view = viewed({}, {"accelerator_id": "part-b", "accelerator_count": None})
    assert set(view.charted["accelerator_id"]) == {"part-a"}
    assert view.count_unstated == 1


def test_both_latencies_come_from_one_run_in_one_statistic():
    """A median beside a mean, or one latency alone, is no pair: such runs are counted, not charted."""
    latency = {"unit": "ms"}
    rows: list[dict[str, Any]] = [{"concurrency": load} for load in (1.0, 2.0, 4.0)]
    rows += [
        {"concurrency": 1.0, "metric": "ttft_ms", "stat": "median", "value": 100.0, **latency},
        {"concurrency": 1.0, "metric": "tpot_ms", "stat": "median", "value": 10.0, **latency},
        {"concurrency": 2.0, "metric": "ttft_ms", "stat": "median", "value": 200.0, **latency},
        {"concurrency": 2.0, "metric": "tpot_ms", "stat": "mean", "value": 20.0, **latency},
        {"concurrency": 4.0, "metric": "ttft_ms", "stat": "median", "value": 400.0, **latency},
    ]
    view = viewed(*rows)
    assert view.latencies[["concurrency", "ttft_ms", "tpot_ms"]].to_numpy().tolist() == [[1.0, 100.0, 10.0]]
    assert view.one_latency == 2
    assert len(view.charted) == 3


def test_a_line_joins_one_deployment_only():
    """Two loads of one deployment are one series; another number of GPUs, version or publisher is another."""
    view = viewed({"concurrency": 1.0}, {"concurrency": 2.0}, {"concurrency": 2.0, "accelerator_count": 4.0})
    assert view.charted.groupby("series").size().tolist() in ([2, 1], [1, 2])
    assert len(viewed({}, {"publisher": "Another"}).charted["series"].unique()) == 2


def test_a_workload_without_runs_is_named_and_the_nearest_pairs_model_is_shown():
    """The doubt names both models; a model asked for in vain gives another code."""
    elsewhere = Workload(model="unmeasured")
    rows = [{}, {"model_id": "other", "model": "Other"}]
    view = viewed(*rows, workload=elsewhere, nearest_model="other")
    assert view.model_id == "other"
    assert [(one.code, one.values["wanted"]) for one in view.doubts] == [("unmeasured", "unmeasured")]
    asked = viewed(*rows, model="no-such", shape="7x7")
    assert [one.code for one in asked.doubts] == ["model-fallback", "shape-fallback"]
    assert asked.model_id == "model-70b"


def test_images_show_no_language_model_unasked():
    """A workload that makes images has no serving run: nothing is shown until a model is chosen."""
    image = Workload(model="sdxl", task="image")
    runs = operating_points(table({}), "", PARTS)
    assert serving_view(runs, PARTS, image) is None
    assert serving_view(runs, PARTS, image, model="model-70b") is not None
    assert serving_view(runs[:0], PARTS, image) is None


def test_what_serves_is_shown_without_runs_too():
    """Where no model was measured on the parts, the workload's own stands alone with its lengths, for what is computed."""
    view = serving_view(operating_points(table({}), "", PARTS)[:0], PARTS, WORKLOAD)
    assert view is not None
    assert view.shape is not None
    assert (view.model_id, len(view.charted), view.shape.runs) == (WORKLOAD.model, 0, 0)
    assert (view.shape.input_tokens, view.shape.output_tokens) == (WORKLOAD.input_tokens, WORKLOAD.output_tokens)


@pytest.mark.parametrize("model_id", ["deepseek-r1", "llama-3.1-405b", "gpt-oss-120b", "minimax-m2.5"])
def test_every_run_of_a_model_is_charted_in_one_of_its_shapes(model_id):
    """On the real table: each run with the charted metric lies in exactly one shape, and none is lost."""
    parts = ("h100-sxm", "mi300x", "h200-sxm", "b200-sxm", "mi355x")
    runs = operating_points(catalog.load().measured["serving"], model_id, parts)
    workload = Workload(model=model_id)
    whole = serving_view(runs, parts, workload)
    assert whole is not None
    seen: list[int] = []
    left_out = 0
    for shape in (one for one in whole.shapes if one.runs):
        one = serving_view(runs, parts, workload, shape=shape.code)
        assert one is not None
        seen += one.charted["row"].tolist()
        left_out += one.other_metric
        assert one.charted[["model_id"]].drop_duplicates().size == 1
    with_figure = runs[runs[OUTPUT].notna() | runs[TOTAL].notna()]
    assert set(seen) <= set(with_figure["row"])
    assert len(set(seen)) + left_out >= len(with_figure)
    assert not pd.Series(whole.charted["throughput"]).isna().any()
