"""The rows that estimates rest on: what is left out is counted, units are not mixed, pairs come from one run."""

import pytest

from lib import catalog
from lib.sizing import serving_basis
from lib.sizing.serving_question import years

DATA = catalog.load()
TABLE = DATA.measured["serving"]
RATES = serving_basis.observed_rates(DATA)


def test_every_row_is_kept_or_left_out_for_a_reason() -> None:
    """Counts add up to the rows of the metric."""
    kept, left_out = serving_basis.rows_by_reason(DATA, serving_basis.OUTPUT)
    assert set(left_out) == set(serving_basis.REASONS)
    assert len(kept) + sum(left_out.values()) == (TABLE["metric"] == "output_tokens_per_s").sum()


def test_nothing_in_the_basis_is_queue_limited_cached_or_history() -> None:
    """Nor of a part or model that the catalogue does not have."""
    for one in RATES:
        row = TABLE.loc[one.row]
        assert not (row["queue_limited"])
        assert not (row["prefix_cache"])
        assert row["source_id"] == one.source_id != "argonne-llm-inference-bench"
        assert one.question.accelerator.accelerator_id == row["accelerator_id"] in DATA.accelerators


def test_rates_are_those_of_the_deployment() -> None:
    """The H200 row of 49 tokens/s per GPU on eight GPUs is 392 or so; a row per deployment stays as it is."""
    for one in RATES:
        row = TABLE.loc[one.row]
        times = row["accelerator_count"] if row["unit_basis"] == "gpu" else 1
        if one.reported:
            assert one.rate == pytest.approx(row["value"] * times)
        else:
            output = row["output_tokens"] / (row["input_tokens"] + row["output_tokens"])
            assert row["metric"] == "total_tokens_per_s"
            assert one.rate == pytest.approx(row["value"] * times * output)


def test_a_run_enters_once() -> None:
    """No run both by its output tokens and by all its tokens."""
    runs = [
        (one.source_id, one.question, one.origin.stack, TABLE.loc[one.row, "locator"], TABLE.loc[one.row, "note"])
        for one in RATES
        if not one.reported
    ]
    stated = {
        (one.source_id, one.question, one.origin.stack, TABLE.loc[one.row, "locator"], TABLE.loc[one.row, "note"])
        for one in RATES
        if one.reported
    }
    assert not stated.intersection(runs)


def test_the_two_numbers_of_a_pair_are_of_one_run() -> None:
    """Each pair has a row of time per token that equals its first-token row in all but metric and value."""
    outcome = {"metric", "value", "unit", "unit_basis", "note", "locator"}
    same = [name for name in TABLE.columns if name not in outcome]
    tokens = TABLE[TABLE["metric"] == "tpot_ms"]
    of_run: dict[tuple[str, ...], list[float]] = {}
    for cells, value in zip(tokens[same].itertuples(index=False), tokens["value"], strict=True):
        of_run.setdefault(tuple(map(str, cells)), []).append(float(value))
    pairs = serving_basis.observed_pairs(DATA)
    assert len(pairs) > 400
    for one in pairs:
        first = TABLE.loc[one.row]
        assert first["metric"] == "ttft_ms"
        assert one.ttft_s == pytest.approx(first["value"] / 1000)
        run = tuple(str(first[name]) for name in same)
        assert any(one.tpot_s == pytest.approx(value / 1000) for value in of_run[run])


def test_a_pair_states_a_typical_request() -> None:
    """No percentile beside a median."""
    for one in serving_basis.observed_pairs(DATA):
        assert TABLE.loc[one.row, "stat"] in ("median", "mean", "")


def test_stages_named_in_a_note_are_stages() -> None:
    """Kimi K3 on 16 B200 as TP8 x PP2 is one replica of two stages, not two replicas."""
    found = [one.question for one in RATES if one.source_id == "kimi-k3-mi355x-b200-cluster"]
    on_b200 = [one for one in found if one.accelerator.accelerator_id == "b200-sxm"]
    assert {(one.layout.tensor_parallel_size, one.layout.pipeline_parallel_size, one.replicas) for one in on_b200} == {
        (8, 2, 1)
    }


def test_workers_of_two_gpus_on_eight_are_four_replicas() -> None:
    """The rows of dstack's ratio of prefill and decode workers."""
    found = [one.question for one in RATES if one.source_id == "dstack-pd-ratio"]
    assert {(one.layout.tensor_parallel_size, one.replicas) for one in found} == {(2, 4)}


@pytest.mark.parametrize(("date", "expected"), [("2024", 0.0), ("2025-01", 366 / 365.25), ("2026-07-01", 912 / 365.25)])
def test_dates_are_years(date: str, expected: float) -> None:
    """A year or month is its first day."""
    assert years(date) == pytest.approx(expected)
