"""Like-for-like pairs of measured serving runs: what may stand beside what, and what comes out."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.choice.evidence import (
    EQUAL_COUNT,
    HISTORICAL_SOURCES,
    OWN_COUNT,
    by_run_pair,
    one_per_run,
    ratio_per_gpu,
    serving_pairs,
    summary,
)
from lib.errors import InputError

from .serving_rows import table

PARTS = ("mi300x", "h100-sxm", "h200-sxm", "b200-sxm", "mi355x", "mi325x")


def two(**of_b: Any) -> pd.DataFrame:
    """A run of part-a at 800 and one of part-b at 400 tokens per second, with some cells of b changed."""
    return table({}, {"accelerator_id": "part-b", "value": 400.0} | of_b)


@pytest.fixture(scope="module")
def serving() -> pd.DataFrame:
    """The measured serving rows of the edition."""
    return catalog.load().measured["serving"]


def deepseek(serving: pd.DataFrame, concurrency: int) -> pd.Series:
    """The vLLM pair of one publisher on DeepSeek-R1 at 3,200 input and 800 output tokens."""
    pairs = serving_pairs(serving, "mi300x", "h200-sxm")
    chosen = (
        (pairs["source_id"] == "dstack-dsr1-online")
        & (pairs["engine_a"] == "vllm")
        & (pairs["metric"] == "output_tokens_per_s")
        & (pairs["input_tokens"] == 3200)
        & (pairs["output_tokens"] == 800)
        & (pairs["concurrency"] == concurrency)
    )
    assert chosen.sum() == 1
    return pairs[chosen].iloc[0]


def test_deepseek_r1_at_four_requests_is_056(serving):
    """83.8222 tokens/s on eight MI300X and 148.581 on eight H200 in dstack's log are 0.564 (to 3 digits)."""
    pair = deepseek(serving, 4)
    assert pair["ratio"] == pytest.approx(83.8222 / 148.581, rel=1e-12)
    assert pair["ratio"] == pytest.approx(0.564, abs=5e-4)
    assert pair["kind"] == EQUAL_COUNT
    assert not pair["queue_limited"]


def test_deepseek_r1_at_128_requests_is_123_and_queue_limited(serving):
    """914.738 tokens/s on eight MI300X and 744.783 on eight H200 are 1.228 (to 3 digits), and the queue limits them."""
    pair = deepseek(serving, 128)
    assert pair["ratio"] == pytest.approx(914.738 / 744.783, rel=1e-12)
    assert pair["ratio"] == pytest.approx(1.228, abs=5e-4)
    assert pair["queue_limited"]
    assert pair["hardware_sponsored"]
    assert not pair["format_stated"]
    assert "engine_version" in pair["unequal"].split(";")


def test_every_pair_is_of_one_source_and_its_values_are_of_its_rows(serving):
    """Walking back from each pair to the two table rows finds one source, one metric, both parts and their values."""
    for a, b in itertools.combinations(PARTS, 2):
        pairs = serving_pairs(serving, a, b, per="deployment")
        left, right = serving.loc[pairs["row_a"]], serving.loc[pairs["row_b"]]
        for name in ("source_id", "publisher", "metric", "stat", "unit", "unit_basis", "weight_format"):
            assert (left[name].to_numpy() == right[name].to_numpy()).all(), (a, b, name)
        for name in ("speculative", "dp_attention", "prefix_cache", "disaggregated"):
            assert (left[name].to_numpy() == right[name].to_numpy()).all(), (a, b, name)
        for name in ("input_tokens", "output_tokens", "concurrency"):
            assert np.array_equal(left[name].to_numpy(), right[name].to_numpy(), equal_nan=True), (a, b, name)
        assert (left["accelerator_id"] == a).all()
        assert (right["accelerator_id"] == b).all()
        same_basis = (left["unit_basis"] == "deployment").to_numpy()
        assert np.allclose(pairs["value_a"][same_basis], left["value"][same_basis], rtol=0, atol=0)
        assert left["locator"].tolist() == pairs["locator_a"].tolist()


@settings(max_examples=12, deadline=None)
@given(st.permutations(PARTS), st.sampled_from(("gpu", "deployment")))
def test_the_ratio_of_a_to_b_is_the_inverse_of_b_to_a(parts, per):
    """Swapping the parts gives the same pairs with inverse ratios (to 1e-12)."""
    serving = catalog.load().measured["serving"]
    one = serving_pairs(serving, parts[0], parts[1], per)
    other = serving_pairs(serving, parts[1], parts[0], per)
    forth = one.set_index(["row_a", "row_b", "kind"])["ratio"].sort_index()
    back = other.set_index(["row_b", "row_a", "kind"])["ratio"].sort_index()
    assert forth.index.tolist() == back.index.tolist()
    assert np.allclose(forth * back.to_numpy(), 1, rtol=1e-12)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(("source_id", "publisher", "model")), st.randoms(use_true_random=False))
def test_leaving_out_sources_only_leaves_out_pairs(column, random):
    """Pairs of some sources, publishers or models are those of the whole table that lie in them."""
    serving = catalog.load().measured["serving"]
    words = sorted(serving[column].cat.categories)
    kept = set(random.sample(words, len(words) // 2))
    whole = serving_pairs(serving, "mi300x", "h200-sxm")
    part = serving_pairs(serving[serving[column].isin(kept)], "mi300x", "h200-sxm")
    rows = set(zip(whole["row_a"], whole["row_b"], whole["kind"], strict=True))
    assert set(zip(part["row_a"], part["row_b"], part["kind"], strict=True)) <= rows


def test_two_runs_alike_in_everything_are_one_pair():
    """800 over 400 tokens per second on eight GPUs each is a ratio of two."""
    pairs = serving_pairs(two(), "part-a", "part-b")
    assert pairs["ratio"].tolist() == [2.0]
    assert pairs["value_a"].tolist() == [100.0]
    assert pairs["unequal"].tolist() == [""]
    assert pairs["kind"].tolist() == [EQUAL_COUNT]


@pytest.mark.parametrize(
    "of_b",
    [
        {"source_id": "another"},
        {"publisher": "Another"},
        {"model": "Model-8B", "model_id": "model-8b"},
        {"weight_format": "bf16"},
        {"weight_format": ""},
        {"input_tokens": 2048.0},
        {"output_tokens": float("nan")},
        {"concurrency": 32.0},
        {"request_rate": "16"},
        {"metric": "total_tokens_per_s"},
        {"stat": "mean"},
        {"unit": "tokens/s/gpu", "unit_basis": "gpu"},
        {"engine": "sglang"},
        {"speculative": True},
        {"dp_attention": True},
        {"prefix_cache": True},
        {"disaggregated": True},
    ],
)
def test_runs_that_differ_in_source_model_format_load_engine_or_condition_are_no_pair(of_b):
    """One difference in what must be equal, and there is nothing to compare."""
    assert serving_pairs(two(**of_b), "part-a", "part-b").empty


@pytest.mark.parametrize(
    ("of_b", "code"),
    [
        ({"eager": True}, "eager"),
        ({"engine": "vllm (atom plugin)"}, "engine"),
        ({"engine_version": "2"}, "engine_version"),
        ({"tensor_parallel": 4.0}, "tensor_parallel"),
        ({"kv_format": "fp8"}, "kv_format"),
        ({"date": "2026-03"}, "date"),
        ({"model": "vendor/Model-70B-FP8"}, "checkpoint"),
        ({"note": "early build"}, "note"),
    ],
)
def test_what_may_differ_is_named(of_b, code):
    """A pair that differs in engine version, eager mode and the like stands, and says so."""
    pairs = serving_pairs(two(**of_b), "part-a", "part-b")
    assert pairs["unequal"].tolist() == [code]
    assert pairs["eager_equal"].tolist() == [code != "eager"]


def test_two_unknown_engine_versions_are_not_called_equal():
    """Blank on both sides is unknown, not the same."""
    frame = table({"engine_version": ""}, {"engine_version": "", "accelerator_id": "part-b"})
    assert serving_pairs(frame, "part-a", "part-b")["unequal"].tolist() == ["engine_version_unstated"]


def test_a_blank_format_equals_a_blank_only_under_one_published_name():
    """Two checkpoints of one model with unknown formats are no pair; one checkpoint is, and is marked."""
    blank = {"weight_format": "", "accelerator_id": "part-b"}
    same = serving_pairs(table({"weight_format": ""}, blank), "part-a", "part-b")
    assert same["format_stated"].tolist() == [False]
    other = serving_pairs(table({"weight_format": ""}, blank | {"model": "Model-70B-FP8"}), "part-a", "part-b")
    assert other.empty


def test_unequal_counts_are_a_kind_of_their_own_per_gpu():
    """800 on eight GPUs against 400 on two: half as much per GPU, twice as much per deployment, kind own_count."""
    frame = two(accelerator_count=2.0, tensor_parallel=2.0)
    per_gpu, whole = (serving_pairs(frame, "part-a", "part-b", per) for per in ("gpu", "deployment"))
    assert per_gpu["ratio"].tolist() == [0.5]
    assert whole["ratio"].tolist() == [2.0]
    assert per_gpu["kind"].tolist() == [OWN_COUNT]
    assert "accelerator_count" in per_gpu["unequal"][0].split(";")


def test_at_its_own_count_each_part_is_its_best_run():
    """Of the runs of b on two and four GPUs the one of more throughput per GPU stands; equal counts stay apart."""
    frame = table(
        {},
        {"accelerator_id": "part-b", "value": 400.0, "accelerator_count": 2.0},
        {"accelerator_id": "part-b", "value": 600.0, "accelerator_count": 4.0},
        {"accelerator_id": "part-b", "value": 640.0},
    )
    pairs = serving_pairs(frame, "part-a", "part-b")
    assert dict(zip(pairs["kind"], pairs["ratio"], strict=True)) == {OWN_COUNT: 0.5, EQUAL_COUNT: 1.25}


def test_latency_is_not_divided_by_gpus_and_follows_the_run_chosen_for_throughput():
    """A time stays a time, and that of the slower run of b does not enter."""
    ms = {"metric": "tpot_ms", "unit": "ms", "unit_basis": "", "stat": "mean"}
    few = {"accelerator_id": "part-b", "accelerator_count": 2.0}
    four = {"accelerator_id": "part-b", "accelerator_count": 4.0}
    frame = table(
        {},
        ms | {"value": 20.0},
        few | {"value": 400.0},
        few | ms | {"value": 40.0},
        four | {"value": 400.0},
        four | ms | {"value": 10.0},
    )
    pairs = serving_pairs(frame, "part-a", "part-b")
    assert dict(zip(pairs["metric_class"], pairs["ratio"], strict=True)) == {"throughput": 100 / 200, "tpot": 20 / 40}


def test_a_count_that_is_not_stated_gives_no_throughput_per_gpu():
    """Tokens per second of an unknown number of GPUs cannot be compared; per GPU figures can, at own counts."""
    unknown = float("nan")
    assert serving_pairs(two(accelerator_count=unknown), "part-a", "part-b").empty
    gpu = {"unit": "tokens/s/gpu", "unit_basis": "gpu", "accelerator_count": unknown}
    pairs = serving_pairs(table(gpu, gpu | {"accelerator_id": "part-b", "value": 400.0}), "part-a", "part-b")
    assert pairs["ratio"].tolist() == [2.0]
    assert pairs["kind"].tolist() == [OWN_COUNT]


def test_of_several_runs_the_nearest_in_settings_then_note_then_date_is_taken():
    """The run of b with the same note and date wins over a later one and over one with other settings."""
    b = {"accelerator_id": "part-b"}
    frame = table(
        {"note": "page of May"},
        b | {"value": 200.0, "note": "page of June", "date": "2026-06-01"},
        b | {"value": 400.0, "note": "page of May"},
        b | {"value": 500.0, "note": "page of May", "tensor_parallel": 4.0},
    )
    pairs = serving_pairs(frame, "part-a", "part-b")
    assert pairs["ratio"].tolist() == [2.0]


def test_date_gap_is_in_days_and_blank_where_a_date_is():
    """A month counts from its first day: 2026-03 is 59 days after 2026-01-01."""
    assert serving_pairs(two(date="2026-03"), "part-a", "part-b")["date_gap_days"].tolist() == [-59.0]
    assert serving_pairs(two(date=""), "part-a", "part-b")["date_gap_days"].isna().all()


def test_history_is_marked_and_never_pooled_with_the_present(serving):
    """Pairs of the 2024 source carry the mark, and no group of the summary holds both."""
    pairs = serving_pairs(serving, "mi300x", "h100-sxm")
    assert pairs["historical"].tolist() == pairs["source_id"].isin(HISTORICAL_SOURCES).tolist()
    assert pairs["historical"].any()
    groups = summary(pairs).groups
    assert {group.historical for group in groups} == {False, True}
    assert sum(group.pairs for group in groups) == len(one_per_run(pairs))


def test_a_pair_of_runs_counts_once_however_many_statistics_it_reports():
    """Output, total and requests per second of one run are one pair; the median stands for the latency."""
    metrics: list[dict[str, Any]] = [
        {"metric": "output_tokens_per_s", "value": 100.0},
        {"metric": "total_tokens_per_s", "value": 200.0},
        {"metric": "ttft_ms", "stat": "p99", "value": 900.0, "unit": "ms"},
        {"metric": "ttft_ms", "stat": "median", "value": 300.0, "unit": "ms"},
    ]
    b = [row | {"accelerator_id": "part-b", "value": row["value"] / 2} for row in metrics]
    pairs = serving_pairs(table(*metrics, *b), "part-a", "part-b")
    assert len(pairs) == 4
    counted = one_per_run(pairs)
    assert sorted(counted["metric"]) == ["output_tokens_per_s", "ttft_ms"]
    assert counted.set_index("metric")["stat"]["ttft_ms"] == "median"
    wide = by_run_pair(pairs)
    assert wide[["throughput_ratio", "ttft_ratio"]].to_numpy().tolist() == [[2.0, 2.0]]
    assert wide["tpot_ratio"].isna().all()
    assert summary(pairs).pairs == 1


def test_summary_gives_median_range_publishers_and_interest_kind_by_kind():
    """Pairs of 1, 2 and 4 from an independent body's two pages and a vendor: median 2, range 1 to 4, two bodies."""
    ratios = {"Body (page)": 1.0, "Body docs": 2.0, "AMD (blog)": 4.0}
    rows = []
    for publisher, ratio in ratios.items():
        interest = "amd" if publisher.startswith("AMD") else "independent"
        mine = {"publisher": publisher, "publisher_interest": interest, "value": 100.0 * ratio, "date": "2026-02"}
        rows += [mine, mine | {"accelerator_id": "part-b", "value": 100.0}]
    result = summary(serving_pairs(table(*rows), "part-a", "part-b"))
    group = result.group(EQUAL_COUNT, "throughput")
    assert group is not None
    assert (group.median, group.low, group.high, group.pairs) == (2.0, 1.0, 4.0, 3)
    assert (group.publishers, group.independent_publishers) == (2, 1)
    assert group.interested_share == pytest.approx(1 / 3)
    assert (group.first_date, group.last_date) == ("2026-02", "2026-02")
    assert result.group(OWN_COUNT, "throughput") is None


def test_summary_parts_by_load_class(serving):
    """Grouping by load keeps every pair in exactly one group."""
    pairs = serving_pairs(serving, "mi300x", "h200-sxm")
    groups = summary(pairs, by=("load_class",)).groups
    assert sum(group.pairs for group in groups) == len(one_per_run(pairs))
    assert {group.by["load_class"] for group in groups} <= {
        "latency",
        "between",
        "throughput",
        "long_context",
        "unstated",
    }


def test_parts_without_common_rows_give_an_empty_table_with_the_same_columns(serving):
    """No evidence is an empty answer, not an error."""
    none = serving_pairs(serving, "mi300x", "no-such-part")
    assert none.empty
    assert list(none.columns) == list(serving_pairs(two(), "part-a", "part-b").columns)
    assert summary(none).groups == ()
    assert by_run_pair(none).empty


def test_a_part_is_not_compared_with_itself_nor_per_something_else():
    """Both are refused with the field's name."""
    with pytest.raises(InputError, match="b is"):
        serving_pairs(two(), "part-a", "part-a")
    with pytest.raises(InputError, match="per is"):
        serving_pairs(two(), "part-a", "part-b", per="rack")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [(1.0, 0.0, 1.0, 1.0), (1.0, 1.0, 0.0, 1.0), (1.0, 1.0, 1.0, float("nan"))])
def test_a_ratio_needs_positive_counts_and_a_positive_second_value(wrong):
    """Nothing is divided by nothing."""
    with pytest.raises(InputError):
        ratio_per_gpu(*wrong)
