"""Predictions against logs: the promised accuracy holds with one source left out, and the figures are computed right."""

from dataclasses import asdict
from typing import Any

import pytest

from benchmarks import accuracy as benchmark
from lib import catalog
from lib.errors import InputError
from lib.sizing import accuracy, calibration, cases
from lib.sizing.overhead import FITTED


@pytest.fixture(scope="module")
def reader() -> cases.Reader:
    """Cases of the catalogue's folder."""
    return cases.Reader(catalog.load(), benchmark.DATA)


@pytest.fixture(scope="module")
def figures(reader: cases.Reader) -> dict[str, Any]:
    """One source left out, sizes of checkpoints not used."""
    return benchmark.report(calibration.left_out(calibration.without_sizes(benchmark.read_cases()), reader))


@pytest.mark.parametrize(
    ("quantity", "median", "percentile_80"),
    [("weights", 0.006, 0.03), ("free cache", 0.06, 0.20), ("tokens", 0.06, 0.20), ("bytes per token", 0.005, 0.005)],
)
def test_errors_stay_within_what_is_promised(
    figures: dict[str, Any], quantity: str, median: float, percentile_80: float
) -> None:
    """Median and 80th percentile over all logged cases but those explained by name."""
    assert figures[quantity]["median"] <= median
    assert figures[quantity]["percentile_80"] <= percentile_80


def test_bytes_per_token_are_right_on_every_row(figures: dict[str, Any]) -> None:
    """Within 0.5 % of the log, case by case."""
    for case, error in figures["bytes per token"]["cases"]:
        assert abs(error) <= 0.005, case


def test_starts_are_called_right(figures: dict[str, Any]) -> None:
    """At least 85 % of the verdicts are right and at most four failures are called fits."""
    judged = figures["verdicts"]
    assert judged["count"] >= 39
    assert judged["right"] >= 0.85 * judged["count"]
    assert len(judged["dangerous"]) <= 4


def test_logged_caches_lie_inside_the_band(figures: dict[str, Any]) -> None:
    """At least four of five."""
    assert figures["band"]["inside"] >= 0.8 * figures["band"]["count"]


def test_a_cache_below_nothing_does_not_start(reader: cases.Reader) -> None:
    """The case that logged -2.14 GiB of free cache is predicted below nothing and called so."""
    row = next(row for row in benchmark.read_cases() if row["case_id"] == "V011")
    found = reader.answer(row)
    assert found["kv_cache_gib_per_gpu"] == pytest.approx(-2.14, abs=0.3)
    assert found["verdict"] == "does-not-start"


def test_the_shipped_constants_are_those_of_the_fit(reader: cases.Reader) -> None:
    """A refit on all cases gives the numbers that stand in the code, to the step of the grid."""
    logged = calibration.logged_cases(calibration.without_sizes(benchmark.read_cases()), reader)
    for name, value in asdict(calibration.fit(logged)).items():
        assert value == pytest.approx(getattr(FITTED, name), rel=0.02), name


def test_the_reading_of_terms_equals_the_model(reader: cases.Reader) -> None:
    """The benchmark's linear terms give the capacities that plans give."""
    logged = calibration.logged_cases(calibration.without_sizes(benchmark.read_cases()), reader)
    predicted = calibration.Workspaces(logged).predicted(FITTED)
    for one, capacity in zip(logged, predicted, strict=True):
        answer = cases.answer(one.case, reader.catalog.weight_formats)
        difference = one.weights_bytes / 2**30 - answer["weights_gib_per_gpu"]
        fraction = one.case.settings.gpu_memory_utilization if one.case.settings.engine == "tensorrt-llm" else 1.0
        assert capacity / 2**30 == pytest.approx(answer["kv_cache_gib_per_gpu"] - difference * fraction, abs=0.01)


def test_errors_are_relative_and_signed_by_case() -> None:
    """Three rows by hand: +10 %, -20 % and 0 %: median 10 %, 80th percentile 16 %."""
    rows = [
        {"case_id": name, "observed_kv_gib": "10", "kv_cache_gib_per_gpu": value}
        for name, value in (("a", 11.0), ("b", 8.0), ("c", 10.0))
    ]
    found = accuracy.errors(rows, "free cache")
    assert found.count == 3
    assert [found.median, found.percentile_80] == pytest.approx([0.1, 0.16])
    assert dict(found.cases) == {"a": pytest.approx(0.1), "b": pytest.approx(-0.2), "c": 0}
    assert found.median_interval[0] <= found.median <= found.median_interval[1]


def test_no_logged_row_is_an_error() -> None:
    """A quantity that nothing logs has no error."""
    with pytest.raises(InputError):
        accuracy.errors([{"case_id": "a"}], "tokens")


def test_dangerous_and_cautious_are_told_apart() -> None:
    """Said fits and failed is dangerous; said fails and ran is cautious; rows without a log do not count."""
    rows = [
        {"case_id": "a", "fits": "yes", "observed_fit": "fail"},
        {"case_id": "b", "fits": "no", "observed_fit": "fit"},
        {"case_id": "c", "fits": "yes", "observed_fit": "fit"},
        {"case_id": "d", "fits": "yes", "observed_fit": ""},
    ]
    assert accuracy.verdicts(rows) == accuracy.Verdicts(3, 1, ("a",), ("b",))
