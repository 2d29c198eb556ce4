"""The user's own measurements: held against the vocabulary, refused by line and column, never run as formulas."""

import io
import time

import pandas as pd
import pytest

from lib import catalog
from lib.choice.evidence import serving_pairs
from lib.choice.operating_points import operating_points
from lib.choice.own_rows import (
    MAX_BYTES,
    MAX_PROBLEMS,
    MAX_ROWS,
    OWN_SOURCE,
    CellProblem,
    OwnRowsError,
    read_own_rows,
    template_columns,
    with_own,
)
from lib.present.problems import spreadsheet_safe

FACTS = catalog.load()
COLUMNS = template_columns(FACTS)
RUN = {
    "publisher": "us", "publisher_interest": "independent", "accelerator_id": "mi300x", "accelerator_count": "8",
    "tensor_parallel": "8", "model": "Llama 3.3 70B", "model_id": "llama-3.3-70b", "weight_format": "bf16",
    "engine": "vllm", "input_tokens": "4096", "output_tokens": "512", "concurrency": "64",
    "metric": "output_tokens_per_s", "value": "2000", "unit": "tokens/s", "unit_basis": "deployment",
}  # fmt: skip
TTFT = {"metric": "ttft_ms", "stat": "median", "value": "400", "unit": "ms"}
TPOT = {"metric": "tpot_ms", "stat": "median", "value": "25", "unit": "ms"}


def csv_of(*rows: dict[str, str], delimiter: str = ",") -> bytes:
    """A file of rows that differ from the usual run in some cells."""
    lines = [delimiter.join(COLUMNS)]
    lines += [delimiter.join((RUN | row).get(name, "") for name in COLUMNS) for row in rows]
    return "\n".join(lines).encode()


def problems_of(content: bytes) -> tuple[CellProblem, ...]:
    """What is wrong with a file."""
    with pytest.raises(OwnRowsError) as caught:
        read_own_rows(FACTS, content)
    return caught.value.problems


def test_a_row_becomes_a_row_of_the_serving_table() -> None:
    """Same columns and types, its own source, the file's line as its place, what was recorded in its note."""
    own = read_own_rows(FACTS, csv_of({"driver": "7.0", "flags": "'--enable-x", "locator": "run 1"}))
    serving = FACTS.measured["serving"]
    assert list(own.frame.columns) == list(serving.columns)
    row = own.frame.iloc[0]
    assert (row["source_id"], row["value"], row["locator"]) == (OWN_SOURCE, 2000.0, "line 2, run 1")
    assert row["note"] == "driver: 7.0; flags: --enable-x"
    joined = with_own(serving, own)
    assert list(joined.dtypes.astype(str)) == list(serving.dtypes.astype(str))
    assert len(joined) == len(serving) + 1
    pd.testing.assert_series_equal(
        joined["engine"].astype(str).iloc[:-1], serving["engine"].astype(str), check_names=False
    )
    assert joined["locator"].iloc[-1] == "line 2, run 1"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_of_the_spreadsheet_does_not_matter(delimiter: str) -> None:
    """Comma, semicolon and tab, with a byte order mark."""
    content = b"\xef\xbb\xbf" + csv_of({}, delimiter=delimiter)
    assert len(read_own_rows(FACTS, content).frame) == 1


def test_rows_without_a_value_are_not_measured_yet() -> None:
    """The template is read as it is filled in: blank values are counted and left out."""
    own = read_own_rows(FACTS, csv_of({}, {"value": ""}, {"value": ""}))
    assert (len(own.frame), own.unfilled) == (1, 2)
    assert problems_of(csv_of({"value": ""})) == (CellProblem(0, "value", "", "no-rows"),)


def test_the_model_is_looked_up_where_its_id_is_blank() -> None:
    """A published name of the catalogue finds its model; another name stays a name."""
    known = next(name for name, model in FACTS.model_aliases.items() if model == "llama-3.1-405b")
    own = read_own_rows(FACTS, csv_of({"model": known, "model_id": ""}, {"model": "mine", "model_id": ""}))
    assert list(own.frame["model_id"]) == ["llama-3.1-405b", ""]
    assert own.models == ("llama-3.1-405b",)


@pytest.mark.parametrize(
    ("cells", "column", "code", "allowed"),
    [
        ({"accelerator_id": "mi301x"}, "accelerator_id", "word", "mi300x"),
        ({"publisher_interest": "me"}, "publisher_interest", "word", "independent"),
        ({"publisher_interest": ""}, "publisher_interest", "required", "independent"),
        ({"engine": "vlm"}, "engine", "word", "vllm"),
        ({"model_id": "llama-3.3"}, "model_id", "word", "llama-3.3-70b"),
        ({"concurrency": "6.5"}, "concurrency", "integer", ""),
        ({"concurrency": "0"}, "concurrency", "range", "1 – 100,000"),
        ({"value": "1e999"}, "value", "number", ""),
        ({"value": "nan"}, "value", "number", ""),
        ({"value": "-3"}, "value", "range", "0.001"),
        ({"value": "=1+1"}, "value", "number", ""),
        ({"date": "2026-13-01"}, "date", "date", "YYYY"),
        ({"eager": "true"}, "eager", "flag", "yes, no"),
        ({"unit": "ms"}, "unit", "unit", "tokens/s"),
        ({"unit_basis": "gpu"}, "unit_basis", "basis", "deployment"),
        ({"note": "a\u202eb"}, "note", "text", ""),
        ({"driver": "x" * 301}, "driver", "long", "300"),
    ],
)
def test_a_wrong_cell_is_named_with_what_is_allowed(
    cells: dict[str, str], column: str, code: str, allowed: str
) -> None:
    """Line 3 of a file whose line 2 is right."""
    (problem,) = problems_of(csv_of({}, cells))
    assert (problem.line, problem.column, problem.code) == (3, column, code)
    assert allowed in problem.allowed


def test_unknown_missing_and_doubled_columns_are_named() -> None:
    """The nearest right name stands beside a wrong one."""
    found = {(one.column, one.code) for one in problems_of(b"publisher,publisher,valu\nus,us,1")}
    assert {("valu", "unknown-column"), ("publisher", "header"), ("value", "missing-column")} <= found
    near = next(one for one in problems_of(b"publisher,valu\nus,1") if one.column == "valu")
    assert "value" in near.allowed


def test_metrics_of_one_run_stay_together_and_a_repeat_is_another_run() -> None:
    """Both latencies of a run form one pair although their rows differ in line and note; the same metric again does not."""
    own = read_own_rows(
        FACTS,
        csv_of({"power_w": "700"}, TTFT, TPOT, {"value": "2100"}, TTFT | {"value": "500"}, TPOT | {"value": "30"}),
    )
    points = operating_points(own.frame, "llama-3.3-70b", ("mi300x",))
    assert sorted(zip(points["output_tokens_per_s"], points["ttft_ms"], points["tpot_ms"], strict=True)) == [
        (2000.0, 400.0, 25.0),
        (2100.0, 500.0, 30.0),
    ]
    assert set(points["locator"]) == {"line 2", "line 5"}
    assert set(points["note"]) == {"power_w: 700", ""}


def test_own_runs_of_two_parts_are_a_pair() -> None:
    """2,000 over 1,000 tokens per second on eight GPUs each is 2 (1e-12), with the own source."""
    own = read_own_rows(FACTS, csv_of({}, {"accelerator_id": "h100-sxm", "value": "1000"}))
    pairs = serving_pairs(with_own(FACTS.measured["serving"], own), "mi300x", "h100-sxm")
    mine = pairs[pairs["source_id"] == OWN_SOURCE]
    assert list(mine["ratio"]) == [pytest.approx(2.0, rel=1e-12)]
    without = serving_pairs(FACTS.measured["serving"], "mi300x", "h100-sxm")
    assert len(pairs) == len(without) + 1


def test_rows_handed_out_can_be_read_again_and_run_no_formula() -> None:
    """A note that begins with a sign is quoted on the way out and is the same after the way back."""
    own = read_own_rows(FACTS, csv_of({"note": "=HYPERLINK(1)", "eager": "yes"}, TTFT, TPOT))
    text = spreadsheet_safe(own.as_csv()).to_csv(index=False)
    cells = [
        cell for row in pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False).to_numpy() for cell in row
    ]
    assert not any(str(cell).startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    again = read_own_rows(FACTS, text.encode())
    same = [name for name in own.frame.columns if name != "locator"]
    pd.testing.assert_frame_equal(again.frame[same].astype(str), own.frame[same].astype(str))


@pytest.mark.parametrize(
    "content",
    [
        b"x" * (MAX_BYTES + 1),
        b"\xff\xfe\x00\x01",
        b'"' * 100_000,
        b",".join([b"zz"] * 60_000) + b"\n1",
        b"\n" * 200_000,
        b"publisher,value\n" + b"\x00" * 1000,
        csv_of(*[{}] * (MAX_ROWS + 1)),
        csv_of(*[{"accelerator_id": "mi9" * 90, "model_id": "z" * 290, "engine": "q" * 290}] * 300),
        b"",
        b"a",
    ],
)
def test_hostile_files_are_refused_at_once(content: bytes) -> None:
    """Huge, binary, quoted without end, endless headers, many wrong cells: refused within 0.1 s, with few problems."""
    read_own_rows(FACTS, csv_of({}))  # the vocabulary is read once
    start = time.process_time()
    found = problems_of(content)
    assert time.process_time() - start < 0.1
    assert 1 <= len(found) <= MAX_PROBLEMS
    assert all(len(one.value) <= 300 for one in found)
