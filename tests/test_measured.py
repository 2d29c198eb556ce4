"""What was measured of one part over another: the two kinds of pair apart, and MLPerf where it may be shown."""

from typing import Any

import pytest

from lib import catalog
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT, serving_pairs
from lib.choice.measured import finding, models_with_pairs, pair_kinds, run_pairs
from lib.choice.mlperf import VENDORS, mlperf_pairs
from lib.choice.mlperf_view import mlperf_view
from tests.serving_rows import table

MLPERF = catalog.load().measured["mlperf_inference"]
NO_PAIRS = mlperf_pairs(MLPERF, "part-a", "part-b")


def found(*rows: dict[str, Any]):
    """The finding of part-a over part-b without MLPerf."""
    return finding(serving_pairs(table(*rows), "part-a", "part-b"), NO_PAIRS, "part-a", "part-b", "model-70b", None)


def test_equal_and_own_counts_stay_apart():
    """800 / 8 over 400 / 8 is 2 at equal counts; 800 / 8 over 900 / 4 is 4 / 9 at own counts; neither is averaged (1e-12)."""
    one = found(
        {},
        {"accelerator_id": "part-b", "value": 400.0},
        {"concurrency": 8.0},
        {"concurrency": 8.0, "accelerator_id": "part-b", "value": 900.0, "accelerator_count": 4.0},
    )
    (equal,), (own,) = one.of_kind(EQUAL_COUNT), one.of_kind(OWN_COUNT)
    assert (equal.low, equal.high) == (pytest.approx(2.0, rel=1e-12), pytest.approx(2.0, rel=1e-12))
    assert own.median == pytest.approx(4 / 9, rel=1e-12)
    assert one.pairs == 2


def test_queue_history_and_other_models_are_kept_apart():
    """Queue-limited pairs are counted; another model's pair and a latency are none of this model's throughput."""
    queued = {"queue_limited": True}
    one = found(
        queued,
        {"accelerator_id": "part-b", **queued},
        {"model_id": "other", "model": "Other"},
        {"model_id": "other", "model": "Other", "accelerator_id": "part-b"},
        {"metric": "ttft_ms", "unit": "ms", **queued},
        {"metric": "ttft_ms", "unit": "ms", "accelerator_id": "part-b", **queued},
    )
    assert (one.pairs, one.queue_limited) == (1, 1)
    assert found({}).groups == ()


def test_run_pairs_are_one_a_pair_and_parted_by_kind():
    """Two metrics of one pair of runs are one row; the rows of both kinds add up to all."""
    rows = [{}, {"accelerator_id": "part-b"}]
    rows += [{"metric": "requests_per_s", "unit": "requests/s", **row} for row in rows]
    pairs = run_pairs(serving_pairs(table(*rows), "part-a", "part-b"))
    assert len(pairs) == 1
    assert sum(len(part) for _kind, part in pair_kinds(pairs)) == len(pairs)
    assert models_with_pairs(pairs) == (("model-70b", 1),)


def test_a_barred_part_has_no_ratio_even_over_a_third_part():
    """Over B300 in v6.1, MI355X is shown and B200 is not: both ratios beside each other would be the barred comparison."""
    parts = ("b300-sxm", "mi355x", "b200-sxm")
    view = mlperf_view(MLPERF, parts, "gpt-oss-120b", model="gpt-oss-120b", scenario="Offline", round="v6.1")
    assert view is not None
    serving = catalog.load().measured["serving"]
    shown, barred = (
        finding(serving_pairs(serving, one, parts[0]), mlperf_pairs(MLPERF, one, parts[0]), one, parts[0], "", view)
        for one in parts[1:]
    )
    assert shown.mlperf
    assert not shown.mlperf_barred
    assert barred.mlperf == ()
    assert barred.mlperf_barred


def test_a_kind_states_one_size_of_system():
    """Ratios of a kind are of equally many accelerators, so that one number can be said of them."""
    view = mlperf_view(
        MLPERF, ("h200-sxm", "mi300x"), "llama-2-70b", model="llama2-70b", scenario="Offline", round="v5.1"
    )
    serving = catalog.load().measured["serving"]
    one = finding(
        serving_pairs(serving, "mi300x", "h200-sxm"), mlperf_pairs(MLPERF, "mi300x", "h200-sxm"), "mi300x", "h200-sxm",
        "llama-2-70b", view,
    )  # fmt: skip
    for kind in {ratio.kind for ratio in one.mlperf}:
        assert len({ratio.accelerator_count for ratio in one.ratios(kind)}) == 1
    assert one.ratios(VENDORS) == tuple(ratio for ratio in one.mlperf if ratio.kind == VENDORS)
