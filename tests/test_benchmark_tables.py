"""The tables of the benchmarks page: every row with its source, both kinds of pair apart, in both languages."""

import pandas as pd
import pytest

from lib import catalog
from lib.choice.evidence import serving_pairs
from lib.choice.measured import pair_kinds, run_pairs
from lib.choice.mlperf import mlperf_pairs
from lib.choice.mlperf_view import mlperf_view
from lib.present import benchmark_notices, benchmark_tables
from lib.present.figures.lines import wrapped
from lib.present.measured_words import load_in_words, ratio_span
from lib.present.text import words

FACTS = catalog.load()
ENGLISH = words("en")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("part", "base"), [("mi300x", "h100-sxm"), ("mi355x", "b200-sxm"), ("h200-sxm", "h100-sxm")])
def test_every_pair_has_a_row_with_ratio_counts_and_source(part, base, language):
    """As many rows as pairs of a kind, each with source, interest and what was not equal; the ratio is that of the pair."""
    pairs = run_pairs(serving_pairs(FACTS.measured["serving"], part, base))
    seen = 0
    for _kind, rows in pair_kinds(pairs):
        table = benchmark_tables.serving_pairs(FACTS, rows, part, base, words(language))
        seen += len(table)
        pd.testing.assert_series_equal(
            table.iloc[:, 1], rows["throughput_ratio"].round(3), check_names=False, check_index=False
        )
        assert not table.iloc[:, -2:].isna().any().any()
        assert (table.iloc[:, -2] != "").all()
    assert seen == len(pairs)


def test_blank_latency_columns_are_left_out():
    """The Llama 3.1 405B runs of MI300X and H100 report whole latency alone: no column of blanks stands for the others."""
    pairs = run_pairs(serving_pairs(FACTS.measured["serving"], "mi300x", "h100-sxm"))
    own = pairs[pairs["model_id"] == "llama-3.1-405b"]
    heads = list(benchmark_tables.serving_pairs(FACTS, own, "mi300x", "h100-sxm", ENGLISH).columns)
    assert "Latency ratio (above 1 is slower)" in heads
    assert not [head for head in heads if head.startswith(("TTFT", "TPOT"))]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_mlperf_tables_say_that_values_are_derived(language):
    """The head of each derived column says so, in both tables; no row is lost."""
    parts = ("h100-sxm", "mi300x", "h200-sxm")
    view = mlperf_view(FACTS.measured["mlperf_inference"], parts, "llama-2-70b", model="llama2-70b", round="v4.1")
    assert view is not None
    results = benchmark_tables.mlperf_results(FACTS, view, words(language))
    assert len(results) == len(view.results)
    pairs = mlperf_pairs(FACTS.measured["mlperf_inference"], "mi300x", "h100-sxm")
    table = benchmark_tables.mlperf_pairs(pairs, words(language))
    assert len(table) == len(pairs)
    if language == "en":
        assert any("derived" in head for head in results.columns)
        assert any("derived" in head for head in table.columns)


def test_rows_carry_the_labels_of_the_vocabulary_and_can_be_filtered():
    """Each column is labelled from columns.csv, flags say yes or nothing, and a metric filter keeps its rows alone."""
    frame = FACTS.measured["serving"]
    own = frame[(frame["model_id"] == "deepseek-r1") & (frame["accelerator_id"] == "mi300x")]
    table = benchmark_tables.rows(FACTS, "serving", own, benchmark_tables.SERVING_FIELDS, ENGLISH)
    assert table.shape == (len(own), len(benchmark_tables.SERVING_FIELDS))
    assert set(table["Queue-limited"]) <= {"yes", ""}
    metrics = benchmark_notices.metrics_of(table, FACTS, ENGLISH)
    kept = benchmark_notices.of_metrics(table, metrics[:1], FACTS, ENGLISH)
    assert set(kept["Metric"]) == set(metrics[:1])
    assert len(benchmark_notices.of_metrics(table, [], FACTS, ENGLISH)) == len(table)


def test_ranges_and_loads_read_as_people_write_them():
    """A range has an en dash and one sign; what is not stated is a question mark or a word, never a zero."""
    assert ratio_span([0.256, 1.426], ENGLISH) == "0.26–1.43×"
    assert ratio_span([0.958, 0.961], ENGLISH) == "0.96×"
    assert ratio_span([], ENGLISH) == "not measured"
    assert load_in_words(4096, 512, 64, ENGLISH) == "4,096 in, 512 out, 64 concurrent"
    assert load_in_words(4096, float("nan"), 64, ENGLISH) == "4,096 in, output not stated, 64 concurrent"
    assert load_in_words(8192, 1024, float("nan"), ENGLISH) == "8,192 in, 1,024 out, load not stated"
    assert load_in_words(float("nan"), float("nan"), float("nan"), ENGLISH) == "load not stated"


@pytest.mark.parametrize("text", ["MI300X 在厂商自己的系统上为 H100 SXM 的 0.96×", "a" * 100, "", "one two three four"])
def test_wrapped_lines_keep_every_letter_and_their_width(text):
    """No line is wider than asked (a Chinese character takes two), and nothing but blanks at a break is lost."""
    lines = wrapped(text, 20)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(sum(2 if letter > "\u2e7f" else 1 for letter in line) <= 20 for line in lines)
