"""Operating points: the figures of one row are of one run."""

import numpy as np
import pandas as pd
import pytest

from lib import catalog
from lib.choice.operating_points import operating_points

from .serving_rows import table

MS = {"unit": "ms", "unit_basis": ""}
"""What a row of a latency has of its own."""


@pytest.fixture(scope="module")
def serving() -> pd.DataFrame:
    """The measured serving rows of the edition."""
    return catalog.load().measured["serving"]


def test_two_best_latencies_of_two_runs_never_meet():
    """One run has the lowest first token, another the lowest time per token: no row has both."""
    frame = table(
        {"metric": "ttft_ms", "stat": "mean", "value": 100.0, "note": "run 1"} | MS,
        {"metric": "tpot_ms", "stat": "mean", "value": 90.0, "note": "run 1"} | MS,
        {"metric": "ttft_ms", "stat": "mean", "value": 900.0, "note": "run 2"} | MS,
        {"metric": "tpot_ms", "stat": "mean", "value": 10.0, "note": "run 2"} | MS,
    )
    points = operating_points(frame, "model-70b", ("part-a",))
    assert sorted(zip(points["ttft_ms"], points["tpot_ms"], strict=True)) == [(100.0, 90.0), (900.0, 10.0)]


def test_a_first_token_and_a_token_time_under_different_notes_are_two_runs():
    """Without a word that they are of one run they are not put in one row."""
    frame = table(
        {"metric": "ttft_ms", "stat": "mean", "value": 100.0, "note": "run 1"} | MS,
        {"metric": "tpot_ms", "stat": "mean", "value": 10.0, "note": "run 2"} | MS,
    )
    points = operating_points(frame, "model-70b", ("part-a",))
    assert len(points) == 2
    assert not (points["ttft_ms"].notna() & points["tpot_ms"].notna()).any()


def test_throughput_under_a_note_of_its_own_stays_with_its_run():
    """A note that says how one metric was derived does not part it from the run's latency."""
    frame = table({"note": "derived"}, {"metric": "latency_s", "value": 3.0, "unit": "s", "note": "whole batch"})
    points = operating_points(frame, "model-70b", ("part-a",))
    assert points[["output_tokens_per_s", "latency_s"]].to_numpy().tolist() == [[800.0, 3.0]]


def test_both_latencies_are_of_one_statistic_where_the_run_has_both():
    """A run with a median first token only, and both means, gives the means."""
    frame = table(
        {"metric": "ttft_ms", "stat": "median", "value": 80.0} | MS,
        {"metric": "ttft_ms", "stat": "mean", "value": 100.0} | MS,
        {"metric": "tpot_ms", "stat": "mean", "value": 20.0} | MS,
    )
    point = operating_points(frame, "model-70b", ("part-a",)).iloc[0]
    assert (point["ttft_ms"], point["tpot_ms"]) == (100.0, 20.0)
    assert (point["ttft_stat"], point["tpot_stat"]) == ("mean", "mean")
    assert point["interactivity_tokens_per_s"] == 50.0


def test_throughput_per_gpu_and_per_deployment_follow_the_unit():
    """800 tokens/s of eight GPUs are 100 each; 50 tokens/s/gpu on eight GPUs are 400 together."""
    frame = table({}, {"value": 50.0, "unit": "tokens/s/gpu", "unit_basis": "gpu", "concurrency": 128.0})
    points = operating_points(frame, "model-70b", ("part-a",))
    assert points["output_tokens_per_s_per_gpu"].tolist() == [100.0, 50.0]
    assert points["output_tokens_per_s"].tolist() == [800.0, 400.0]


def test_every_figure_of_a_point_is_found_in_rows_of_its_source_locator_and_load(serving):
    """Each latency and throughput of DeepSeek-R1's points stands in the table under the point's own keys."""
    points = operating_points(serving, "deepseek-r1", ("mi300x", "h200-sxm", "b200-sxm", "mi355x"))
    assert len(points) > 100
    keys = ["source_id", "locator", "accelerator_id", "engine", "input_tokens", "output_tokens", "concurrency", "note"]
    text = dict.fromkeys(keys, str)
    for metric in ("ttft_ms", "tpot_ms"):
        rows = serving[serving["metric"] == metric].astype(text)
        known = set(rows[[*keys, "value"]].itertuples(index=False, name=None))
        shown = points[points[metric].notna()].astype(text)
        assert set(shown[[*keys, metric]].itertuples(index=False, name=None)) <= known


def test_points_do_not_repeat_a_run_and_keep_every_run(serving):
    """As many rows as first rows of runs, each its own."""
    points = operating_points(serving, "deepseek-r1", ("mi300x", "h200-sxm"))
    assert points["row"].is_unique
    assert np.isin(points["row"], serving.index).all()


def test_history_is_left_out_unless_asked_for(serving):
    """Llama 3 8B has runs of the 2024 source only on request, and then marked."""
    assert not operating_points(serving, "llama-3-8b", ("mi300x", "h100-sxm"))["historical"].any()
    assert operating_points(serving, "llama-3-8b", ("mi300x", "h100-sxm"), historical=True)["historical"].any()


def test_a_model_without_rows_is_an_empty_table(serving):
    """No evidence is an empty answer, not an error."""
    assert operating_points(serving, "no-such-model", ("mi300x",)).empty
