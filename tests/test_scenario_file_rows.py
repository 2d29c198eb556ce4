"""Benchmark rows of the reader's own travel in the file of the scenario: whole, held against the vocabulary, or not at all."""

import json

import pandas as pd
import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.own_rows import MAX_BYTES as MOST_CSV
from lib.choice.own_rows import OwnRows, OwnRowsError, read_own_rows
from lib.choice.scenario_file import MAX_BYTES, ScenarioFileError, read, read_rows, written
from lib.present import scenario_file
from lib.present.text import words
from tests.benchmark_page import opened, seen
from tests.test_page_own_rows import own_file

FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b")


def saved(rows: object) -> bytes:
    """The file of a scenario with this in the place of own rows."""
    data = json.loads(written(SERVE, FACTS.edition.label))
    return json.dumps(data | {"own_benchmark_rows": rows}).encode()


@pytest.mark.parametrize(
    "text",
    [
        own_file(1.5),
        b"\xef\xbb\xbf" + own_file(1.5).replace(b"\n", b"\r\n"),
        own_file(1.5).replace(b"bf16,vllm", b'bf16,"vllm"') + b"\n\n",
    ],
)
def test_own_rows_come_back_as_they_went(text: bytes) -> None:
    """Cells, the line that each run is known by, and rows passed over; saved again the file is the same."""
    own = read_own_rows(FACTS, text)
    content = written(SERVE, FACTS.edition.label, own).encode()
    back = read_rows(content, FACTS)
    assert back is not None
    pd.testing.assert_frame_equal(back.frame, own.frame)
    assert back.unfilled == own.unfilled
    assert read(content, FACTS.accelerators, FACTS.models) == SERVE
    assert written(SERVE, FACTS.edition.label, back).encode() == content


def test_a_file_without_own_rows_opens_as_before() -> None:
    """Files saved before rows travelled hold none, and so does a file saved without rows."""
    content = written(SERVE, FACTS.edition.label).encode()
    assert read_rows(content, FACTS) is None
    assert set(json.loads(content)) == {"format", "edition", "scenario"}


def test_the_largest_rows_fit_into_the_file() -> None:
    """A CSV at its limit whose every sign JSON writes as two leaves half of the room of the file to the scenario."""
    own = OwnRows(pd.DataFrame(), 0, '"' * MOST_CSV)
    assert len(written(SERVE, FACTS.edition.label, own).encode()) < MAX_BYTES - MOST_CSV


@pytest.mark.parametrize("rows", ["publisher", 7, [1, 2], [["publisher"]], {"a": "b"}, ["\ud800"]])
def test_rows_that_are_no_lines_are_refused(rows: object) -> None:
    """A number, an object, half a character: the file is refused with a reason, never read in part."""
    with pytest.raises(ScenarioFileError) as caught:
        read_rows(saved(rows), FACTS)
    assert caught.value.problems[0].code in ("not-own-rows", "not-text")
    assert scenario_file.refused(caught.value.problems, words("en"))


def test_wrong_rows_are_refused_by_line_and_column() -> None:
    """As the upload of the CSV refuses them, each on a line of its own."""
    wrong = own_file(1.5).replace(b",vllm,", b",vlm,", 1).replace(b"tokens/s,deployment", b"tokens/s,cluster", 1)
    with pytest.raises(OwnRowsError) as caught:
        read_rows(saved(wrong.decode().split("\n")), FACTS)
    assert [(one.line, one.column) for one in caught.value.problems] == [(2, "engine"), (2, "unit_basis")]
    said = scenario_file.rows_refused(caught.value.problems, words("en"))
    assert "line 2, engine: not a word of this column (vlm)" in said


def test_the_file_brings_the_rows_into_another_session() -> None:
    """Opened by a fresh visitor, its rows are in the answer of the benchmarks page; a file with wrong rows changes nothing."""
    content = written(SERVE, FACTS.edition.label, read_own_rows(FACTS, own_file(1.5))).encode()
    at = opened(seen("llama-405b"))
    before = at.query_params["s"]
    at.switch_page("../../pages/offer.py").run()
    at.radio(key="offer.section").set_value("file").run()
    wrong = content.replace(b",vllm,", b",vlm,", 1)
    at.file_uploader(key="scenario.file").set_value(("mine.json", wrong, "application/json")).run()
    assert "benchmark rows do not hold" in at.error[0].value
    assert at.query_params["s"] == before
    at.file_uploader(key="scenario.file").set_value(("mine.json", content, "application/json")).run()
    assert not at.exception
    assert "12 benchmark rows of your own came with it" in at.success[0].value
    at.switch_page("../../pages/benchmarks.py").run()
    assert "**1.50×** of H100 SXM" in at.markdown[0].value
