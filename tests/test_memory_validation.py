"""The errors shown to the reader are those that the benchmark prints, and every case leads to its source."""

import pytest

from benchmarks import accuracy as benchmark
from lib import catalog
from lib.choice.memory_validation import MemoryValidation, memory_validation
from lib.choice.scenario import EngineChoice
from lib.present import memory_validation as shown
from lib.present.figures.memory_validation import chart
from lib.present.text import words
from lib.sizing import cases
from lib.sizing.calibration import left_out, without_sizes
from lib.sizing.engines import ENGINES

FACTS = catalog.load()


@pytest.fixture(scope="module")
def found() -> MemoryValidation:
    """The figures of the page."""
    return memory_validation(FACTS)


def test_the_page_says_what_the_benchmark_prints(found: MemoryValidation) -> None:
    """Read from the file and from the catalogue: the same medians, counts and verdicts."""
    rows = left_out(without_sizes(benchmark.read_cases()), cases.Reader(FACTS, benchmark.DATA))
    figures = benchmark.report(rows)
    for quantity, one in found.errors.items():
        assert (one.median, one.count) == (figures[quantity]["median"], figures[quantity]["count"])
    assert found.verdicts.right == figures["verdicts"]["right"]
    assert (found.inside, found.banded) == (figures["band"]["inside"], figures["band"]["count"])


def test_the_footer_has_its_own_number_of_cases_for_each_quantity(found: MemoryValidation) -> None:
    """Counted from the table: cases that log weights, cache, tokens; R008 is explained for none of these."""
    text = shown.footer(found, EngineChoice(), words("en"))
    rows = benchmark.read_cases()
    for column in ("observed_weights_gib", "observed_kv_gib", "observed_kv_tokens"):
        assert f"of {sum(bool(row[column]) for row in rows)} cases" in text


def test_every_case_and_every_point_leads_to_its_source(found: MemoryValidation) -> None:
    """Titles in the table, ids at the points."""
    table = shown.table(FACTS, found, words("en"))
    assert len(table) == len(FACTS.fit_cases)
    assert (table["Source"] != "").all()
    for point in chart(found, words("en"), dark=False)["data"][1]["customdata"]:
        assert point[1] in FACTS.sources


def test_engines_with_few_logs_say_so(found: MemoryValidation) -> None:
    """SGLang has one logged free cache, TensorRT-LLM none, vLLM V1 eighteen."""
    said = {engine: shown.basis(found, EngineChoice(engine=engine), words("en")) for engine in ENGINES}
    assert "1 logged free cache:" in said["sglang"]
    assert "0 logged free caches" in said["tensorrt-llm"]
    assert said["vllm-v1"] == ""
