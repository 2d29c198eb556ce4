"""data/ is read whole or not at all, and every fact keeps its source."""

import csv
import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from lib import catalog, editions
from lib.__main__ import main
from lib.errors import DataError, UnknownNameError


@pytest.fixture
def copy_of_data(tmp_path: Path) -> Path:
    """A copy of data/ that a test may spoil."""
    target = tmp_path / "data"
    shutil.copytree(catalog.DATA, target)
    return target


def spoil(folder: Path, table: str, row: int, column: str, value: str) -> str:
    """Put a value into a cell of a data row (0 is the first); returns the row's line as an editor counts it."""
    path = folder / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        names = list(reader.fieldnames or ())
    rows[row][column] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return str(row + 2)


@pytest.mark.parametrize(
    ("table", "column", "value", "reason"),
    [
        ("accelerators", "memory_bandwidth_tbs", "5300", "at most 50"),
        ("accelerators", "memory_bandwidth_tbs", "fast", "finite number"),
        ("accelerators", "tdp_w", "nan", "finite"),
        ("accelerators", "status", "rumoured", "one of"),
        ("prices", "accelerator_id", "mi9000x", "no such accelerators.accelerator_id"),
        ("prices", "as_of", "last week", "YYYY"),
        ("prices", "source_id", "", "must not be blank"),
        ("prices", "source_id", "hearsay", "no such sources.source_id"),
        ("models", "total_params", "70.5", "whole number"),
        ("layer_groups", "model_id", "no-such-model", "no such models.model_id"),
        ("serving", "accelerator_id", "h9000", "no such"),
    ],
)
def test_a_wrong_cell_stops_the_start_and_names_its_place(
    copy_of_data: Path, table: str, column: str, value: str, reason: str
) -> None:
    """File, line, column and value stand in the message, and the check of CI finds the same."""
    line = spoil(copy_of_data, table, 1, column, value)
    with pytest.raises(DataError) as caught:
        catalog.load(copy_of_data)
    error = caught.value
    assert (error.file, str(error.line), error.column) == (f"data/{table}.csv", line, column)
    assert str(error.value) == value
    assert reason in error.reason
    assert any(problem.column == column for problem in catalog.problems(copy_of_data))


def test_a_row_that_stands_twice_is_refused(copy_of_data: Path) -> None:
    """Two rows of one key are a contradiction."""
    second = next(iter(list(catalog.load().accelerators)[1:]))
    spoil(copy_of_data, "accelerators", 0, "accelerator_id", second)
    with pytest.raises(DataError, match="stands twice"):
        catalog.load(copy_of_data)


def test_a_missing_table_is_named(copy_of_data: Path) -> None:
    """A file that has gone stops the start."""
    (copy_of_data / "prices.csv").unlink()
    with pytest.raises(DataError, match=r"data/prices\.csv.*missing"):
        catalog.load(copy_of_data)


@pytest.mark.parametrize("name", ["preset", "config"])
def test_a_broken_file_beside_the_tables_is_named(copy_of_data: Path, name: str) -> None:
    """Presets and configs are read as strictly as tables."""
    path = copy_of_data / ("presets/serve-70b.toml" if name == "preset" else "configs/deepseek-v3.json")
    path.write_text("{[", encoding="utf-8")
    with pytest.raises(DataError, match=path.name):
        catalog.load(copy_of_data)


def test_changed_data_need_a_new_edition(copy_of_data: Path) -> None:
    """A fact that changes without an edition is found by the check, and recording one heals it."""
    assert list(editions.unrecorded(copy_of_data)) == []
    spoil(copy_of_data, "prices", 0, "note", "another note")
    assert list(catalog.problems(copy_of_data)) == []
    (problem,) = editions.unrecorded(copy_of_data)
    assert problem.file == "data/editions.csv"
    editions.add("2027-01-01", "A note changed", copy_of_data)
    assert list(editions.unrecorded(copy_of_data)) == []
    assert list(editions.problems(catalog.load(copy_of_data), copy_of_data)) == []


@pytest.mark.parametrize("at", [1, 40])
@pytest.mark.parametrize(("cells", "said"), [(",extra", "has 16 cells and the header 15"), (None, "has 14 cells")])
def test_a_row_with_another_number_of_cells_is_named(copy_of_data: Path, at: int, cells: str | None, said: str) -> None:
    """A comma too many or too few moves every cell behind it: the check names file and line, first row or later."""
    path = copy_of_data / "prices.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[at] = lines[at] + cells if cells else lines[at].rpartition(",")[0]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (problem,) = (one for one in catalog.problems(copy_of_data) if one.file == "data/prices.csv")
    assert problem.line == at + 1
    assert said in problem.reason


def test_every_broken_file_is_named_at_once(copy_of_data: Path) -> None:
    """Two configs, a preset and a table that are broken are four problems, and the missing edition one of its own."""
    for name in ("configs/deepseek-v3.json", "configs/glm-5.json", "presets/serve-70b.toml"):
        (copy_of_data / name).write_text("{[", encoding="utf-8")
    spoil(copy_of_data, "prices", 1, "low", "cheap")
    files = [problem.file for problem in catalog.problems(copy_of_data)]
    assert files == [f"data/{name}" for name in ("prices.csv", "configs/deepseek-v3.json", "configs/glm-5.json",
                                                 "presets/serve-70b.toml")]  # fmt: skip
    (unrecorded,) = editions.unrecorded(copy_of_data)
    assert "run `python -m lib edition`" in unrecorded.reason


def test_the_shell_checks_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m lib check` says what it read and ends with 0."""
    assert main(["check"]) == 0
    assert "no problem" in capsys.readouterr().out


def test_sources_survive_loading() -> None:
    """Every record that states a fact carries a source that resolves."""
    facts = catalog.load()
    records: list[Any] = [
        *facts.prices,
        *facts.assumptions.values(),
        *facts.models.values(),
        *facts.weight_formats.values(),
        *facts.software,
        *(cell for cells in facts.spec_cells.values() for cell in cells),
        *(one for group in facts.checkpoints.values() for one in group),
    ]
    assert len(records) > 1000
    for record in records:
        assert facts.source(record.source_id).title
    for name, frame in facts.measured.items():
        assert set(frame["source_id"].unique()) <= set(facts.sources), name
        assert frame["source_id"].notna().all()


def test_every_specification_cell_has_a_source() -> None:
    """No number of an accelerator stands without a row that states it."""
    facts = catalog.load()
    names = {"accelerator_id", "vendor", "name", "short_name", "status", "notes", "memory_unit_note"}
    for part in facts.accelerators.values():
        for field in dataclasses.fields(part):
            value = getattr(part, field.name)
            if field.name in names or value is None or value == "":
                continue
            cells = facts.spec_cells.get((part.accelerator_id, field.name), ())
            assert any(cell.agreement == "agrees" for cell in cells), (part.accelerator_id, field.name)


def test_labels_and_help_stand_in_both_languages() -> None:
    """The vocabulary is complete: it is what the pages show."""
    for column in catalog.load().columns.values():
        assert column.label_en, column
        assert column.label_zh, column
        assert column.help_en, column
        assert column.help_zh, column


def test_presets_speak_both_languages() -> None:
    """Title, question, advice and note of every preset stand in English and Chinese."""
    for preset in catalog.load().presets.values():
        for text in ("title", "question", *(word for word in ("advice", "note") if f"{word}_en" in preset)):
            assert preset[f"{text}_en"]
            assert preset[f"{text}_zh"]


def test_peaks_are_dense() -> None:
    """H100 and MI300X stand side by side at 1,979 and 2,615 FP8, both dense; the sparse figures are twice that."""
    facts = catalog.load()
    h100, mi300x = facts.accelerator("h100-sxm"), facts.accelerator("mi300x")
    assert h100.fp8_dense_tflops == pytest.approx(1979, abs=1)
    assert mi300x.fp8_dense_tflops == pytest.approx(2615, abs=1)
    for part in facts.accelerators.values():
        for dense, sparse in (
            (part.fp16_bf16_dense_tflops, part.fp16_bf16_sparse_tflops),
            (part.fp8_dense_tflops, part.fp8_sparse_tflops),
        ):
            if dense is not None and sparse is not None:
                # L40S: its data sheet prints 362.05 dense beside 733 sparse
                assert sparse == pytest.approx(2 * dense, rel=0.013), part.accelerator_id


def test_memory_is_what_the_runtime_reports() -> None:
    """B300 and MI355X carry the same label of 288 GB and differ by 20 GiB: 267.69 against 287.98."""
    facts = catalog.load()
    b300, mi355x = facts.accelerator("b300-sxm"), facts.accelerator("mi355x")
    assert b300.memory_gb == mi355x.memory_gb == 288
    assert b300.memory_usable_gib == 267.69
    assert mi355x.memory_usable_gib == 287.98


def test_an_unknown_name_brings_the_nearest() -> None:
    """A slip of the finger is answered with what was meant."""
    with pytest.raises(UnknownNameError, match="mi300x"):
        catalog.load().accelerator("mi300")
