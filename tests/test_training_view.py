"""Measured training: one round at a time, best against best at equal size, scaling, and how thin the rest is."""

import csv
from pathlib import Path

import pytest

from lib import catalog
from lib.choice.training_view import peaks_of, rates, scaling_efficiency, thinness, throughputs, training_test
from lib.errors import InputError

FACTS = catalog.load()
MLPERF, TRAINING = FACTS.measured["mlperf_training"], FACTS.measured["training"]


def rows_of(table: str) -> list[dict[str, str]]:
    """A table read by the standard library alone."""
    with Path(catalog.DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_times_are_divided_within_one_round_at_one_size() -> None:
    """MI325X over H200 in llama2_70b_lora v5.1 on eight and sixteen: the fastest time of each (1e-12)."""
    test = training_test(MLPERF, ("h200-sxm", "mi325x"), "llama-3.3-70b")
    assert test is not None
    assert (test.benchmark, test.round) == ("llama2_70b_lora", "v5.1")
    assert set(test.results["round"]) == {"v5.1"}
    for one in test.ratios:
        best = {
            part: min(
                float(row["time_to_train_minutes"])
                for row in rows_of("mlperf_training")
                if (row["benchmark"], row["round"], row["accelerator_id"]) == (test.benchmark, "v5.1", part)
                and int(row["accelerator_count"]) == one.accelerator_count
            )
            for part in ("h200-sxm", "mi325x")
        }
        assert one.speed == pytest.approx(best["h200-sxm"] / best["mi325x"], rel=1e-12)
    assert [one.accelerator_count for one in test.ratios] == [8, 16]


def test_what_was_asked_for_is_shown_where_it_exists() -> None:
    """A benchmark and round of these parts are shown; a round of another benchmark falls back to the best of this one."""
    parts = ("h100-sxm", "mi300x")
    asked = training_test(MLPERF, parts, "", benchmark="llama2_70b_lora", round="v5.0")
    assert asked is not None
    assert (asked.benchmark, asked.round) == ("llama2_70b_lora", "v5.0")
    other = training_test(MLPERF, parts, "", benchmark="gpt3", round="v9.9")
    assert other is not None
    assert other.benchmark == "gpt3"
    assert other.without_result == ("mi300x",)


def test_parts_without_any_submission_are_named() -> None:
    """A part that was never submitted is named as such; without any part that was there is no test."""
    test = training_test(MLPERF, ("h100-sxm", "l40s"), "")
    assert test is not None
    assert test.never_submitted == ("l40s",)
    assert training_test(MLPERF, ("l40s",), "") is None


def test_scaling_is_speed_over_accelerators() -> None:
    """Twice the accelerators in half the time are 1, in the same time 0.5 (1e-12); nothing is divided by zero."""
    assert scaling_efficiency(10.0, 8, 5.0, 16) == pytest.approx(1.0, rel=1e-12)
    assert scaling_efficiency(10.0, 8, 10.0, 16) == pytest.approx(0.5, rel=1e-12)
    with pytest.raises(InputError):
        scaling_efficiency(10.0, 8, 0.0, 16)


def test_the_rows_of_each_part_are_counted_by_interest() -> None:
    """MI300X: the counts of the file by publisher's interest."""
    own = [row for row in rows_of("training") if row["accelerator_id"] == "mi300x"]
    found = thinness(TRAINING, ["mi300x", "no-such-part"])
    assert (found[0].rows, found[0].independent_rows) == (
        len(own),
        sum(row["publisher_interest"] == "independent" for row in own),
    )
    assert found[0].vendor_rows == sum(row["publisher_interest"] == "amd" for row in own)
    assert (found[1].rows, found[1].publishers) == (0, 0)


def test_rates_stand_beside_the_dense_peak_of_their_format() -> None:
    """BF16 on MI300X against 1,307.4, FP8 variants against the FP8 peak; no achieved share passes 1."""
    assert peaks_of("bf16", ["mi300x"], FACTS.accelerators) == {"mi300x": 1307.4}
    assert peaks_of("fp8-cs", ["h100-sxm"], FACTS.accelerators) == {"h100-sxm": 1978.9}
    assert peaks_of("4-bit", ["h100-sxm"], FACTS.accelerators) == {}
    parts = ("h100-sxm", "mi300x", "h200-sxm", "b200-sxm", "mi355x")
    for number_format in ("bf16", "fp8"):
        found = rates(TRAINING, parts, FACTS.accelerators, number_format)
        assert found is not None
        assert set(found.rows["number_format"]) == {number_format}
        assert all(0 < share < 1 for share in found.shares.values())


def test_step_times_are_no_rates() -> None:
    """The table of rates leaves step times out: they depend on what a step is."""
    found = throughputs(TRAINING, ["mi300x", "h100-sxm"])
    assert set(found["metric"]) <= {"tflops_per_gpu", "tokens_per_s_per_gpu", "scaling_efficiency"}
