"""MLPerf results side by side: what may be compared, and the published figures it gives."""

import itertools

import numpy as np
import pandas as pd
import pytest

from lib import catalog
from lib.choice.mlperf import BEST, SAME_SUBMITTER, UNPUBLISHABLE, VENDORS, mlperf_pairs, mlperf_results
from lib.errors import InputError

PARTS = ("mi300x", "mi325x", "mi355x", "h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300")


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    """The MLPerf inference rows of the edition."""
    return catalog.load().measured["mlperf_inference"]


def llama2_offline(results: pd.DataFrame, kind: str) -> pd.Series:
    """The pair of one kind for llama2-70b 99.9 Offline in v4.1 on eight MI300X and eight H100."""
    pairs = mlperf_pairs(results, "mi300x", "h100-sxm")
    chosen = (
        (pairs["round"] == "v4.1")
        & (pairs["model"] == "llama2-70b")
        & (pairs["scenario"] == "Offline")
        & (pairs["accuracy_target"].astype(str) == "99.9")
        & (pairs["accelerator_count"] == 8)
        & (pairs["kind"] == kind)
    )
    assert chosen.sum() == 1
    return pairs[chosen].iloc[0]


@pytest.mark.parametrize("kind", [VENDORS, BEST])
def test_mi300x_reaches_096_of_h100_on_the_vendors_own_systems(results, kind):
    """AMD's 23,514.8 and NVIDIA's 24,524.9 tokens/s on eight GPUs (v4.1, llama2-70b Offline) are 0.96 (to 2 digits)."""
    pair = llama2_offline(results, kind)
    assert (pair["submitter_a"], pair["submitter_b"]) == ("AMD", "NVIDIA")
    assert pair["ratio"] == pytest.approx(23514.8 / 24524.9, rel=1e-12)
    assert pair["ratio"] == pytest.approx(0.96, abs=0.005)
    assert pair["per_accelerator_derived_a"] == pytest.approx(23514.8 / 8, rel=1e-12)


def test_dell_against_dell_is_094(results):
    """Dell's 22,677.6 on MI300X and 24,086.7 on H100 in the same test are 0.94 (to 2 digits)."""
    pair = llama2_offline(results, SAME_SUBMITTER)
    assert (pair["submitter_a"], pair["submitter_b"]) == ("Dell", "Dell")
    assert pair["ratio"] == pytest.approx(22677.6 / 24086.7, rel=1e-12)
    assert pair["ratio"] == pytest.approx(0.94, abs=0.005)


def test_no_pair_mixes_rounds_models_scenarios_targets_counts_or_units(results):
    """Walking back from each pair to its two rows finds one test, equal counts and headline rows only."""
    for a, b in itertools.combinations(PARTS, 2):
        pairs = mlperf_pairs(results, a, b)
        left, right = results.loc[pairs["row_a"]], results.loc[pairs["row_b"]]
        for name in ("round", "model", "scenario", "unit", "accelerator_count", "source_id"):
            assert (left[name].to_numpy() == right[name].to_numpy()).all(), (a, b, name)
        assert left["accuracy_target"].astype(str).tolist() == right["accuracy_target"].astype(str).tolist()
        assert left["headline"].all()
        assert right["headline"].all()
        assert np.allclose(pairs["ratio"], left["value"].to_numpy() / right["value"].to_numpy(), rtol=1e-12)


def test_the_ratio_of_a_to_b_is_the_inverse_of_b_to_a(results):
    """Swapping the parts gives the same pairs with inverse ratios (to 1e-12)."""
    for a, b in itertools.combinations(PARTS, 2):
        one = mlperf_pairs(results, a, b).set_index(["row_a", "row_b", "kind"])["ratio"].sort_index()
        other = mlperf_pairs(results, b, a).set_index(["row_b", "row_a", "kind"])["ratio"].sort_index()
        assert one.index.tolist() == other.index.tolist()
        assert np.allclose(one * other.to_numpy(), 1, rtol=1e-12)


@pytest.mark.parametrize(("a", "b"), [("mi355x", "b200-sxm"), ("b200-sxm", "mi355x")])
def test_a_comparison_that_must_not_be_published_never_comes_out(results, a, b):
    """v6.1 has headline rows of MI355X and B200 in one test, and no pair of them; v6.0 has pairs."""
    assert ("v6.1", frozenset({a, b})) in UNPUBLISHABLE
    both = results[results["headline"] & (results["round"] == "v6.1") & (results["model"] == "gpt-oss-120b")]
    assert {a, b} <= set(both["accelerator_id"])
    rounds = set(mlperf_pairs(results, a, b)["round"])
    assert "v6.1" not in rounds
    assert "v6.0" in rounds


def test_declared_precision_does_not_part_results(results):
    """AMD declared fp8 and NVIDIA fp16 for the v4.1 pair, which stands and shows both."""
    pair = llama2_offline(results, VENDORS)
    assert (pair["precision_a"], pair["precision_b"]) == ("fp8", "fp16")


def test_results_are_headline_rows_with_best_and_median_by_part(results):
    """The two MI300X systems of eight GPUs (2,939.35 and 2,834.70 each) have their mean as median (to 1e-9)."""
    found = mlperf_results(results, "llama2-70b", "Offline", "v4.1")
    assert found["headline"].all()
    assert set(found["round"]) == {"v4.1"}
    assert found["per_accelerator_derived"].is_monotonic_decreasing
    mi300x = found[(found["accelerator_id"] == "mi300x") & (found["accelerator_count"] == 8)]
    assert mi300x["submitter"].tolist() == ["AMD", "Dell"]
    assert mi300x["is_best"].tolist() == [True, False]
    assert mi300x["median_per_accelerator"].to_numpy() == pytest.approx((23514.8 + 22677.6) / 16, rel=1e-9)
    assert mi300x["systems"].tolist() == [2, 2]


def test_a_test_without_results_is_an_empty_table(results):
    """No evidence is an empty answer, not an error."""
    assert mlperf_results(results, "llama2-70b", "Offline", "v1.0").empty
    assert mlperf_pairs(results, "mi300x", "no-such-part").empty


def test_a_part_is_not_compared_with_itself(results):
    """It is refused with the field's name."""
    with pytest.raises(InputError, match="b is"):
        mlperf_pairs(results, "mi300x", "mi300x")
