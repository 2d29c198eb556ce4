"""The user's own measurements: a CSV held against the vocabulary of the serving table, and joined to its rows.

A wrong cell refuses the whole file and is named by line and column with the words that are allowed; nothing is guessed
and nothing is skipped but rows whose value has not been filled in yet. Own rows live with the visitor, never in data/.
"""

import csv
import difflib
import io
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.choice.page_choices import TEXT_PATTERN
from lib.errors import LibError
from lib.records import Column

OWN_SOURCE: Final = "own-measurement"
"""The source id of every own row; no row of sources.csv is called so."""

MAX_BYTES: Final = 262_144
MAX_ROWS: Final = 1_000
MAX_CELL: Final = 300
MAX_COLUMNS: Final = 60
MAX_LINES: Final = 4_000
MAX_PROBLEMS: Final = 20

RECORDED: Final = ("driver", "image", "flags", "power_w")
"""What else a run's row should say; kept in its note."""

_TABLE: Final = "serving"
_FILLED_IN_HERE: Final = "source_id"
_DATE: Final = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_DELIMITERS: Final = (",", ";", "\t")
_FORMULA: Final = ("=", "+", "-", "@")
_NEAREST: Final = 3
_LINE: Final = "line"
_OUTCOME: Final = ("metric", "stat", "value", "unit", "unit_basis")
_FLAGS: Final = {"yes": True, "no": False, "": False}
_UNIT_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "output_tokens_per_s": ("tokens/s", "tokens/s/gpu"),
    "total_tokens_per_s": ("tokens/s", "tokens/s/gpu"),
    "requests_per_s": ("requests/s",),
    "ttft_ms": ("ms",),
    "tpot_ms": ("ms",),
    "itl_ms": ("ms",),
    "latency_s": ("s",),
}


@dataclass(frozen=True, slots=True)
class CellProblem:
    """One thing wrong with a file: where, what stands there, what is allowed; line 0 is the file as a whole."""

    line: int
    column: str
    value: str
    code: str
    """too-large, not-text, no-rows, too-many-rows, header, unknown-column, missing-column, required, word, integer,
    number, range, date, flag, text, long, unit or basis."""
    allowed: str = ""


class OwnRowsError(LibError, ValueError):
    """A file that is not taken: every problem found, up to MAX_PROBLEMS."""

    def __init__(self, problems: Sequence[CellProblem]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(f"line {first.line}, column {first.column}: {first.value!r}: {first.code} {first.allowed}")


@dataclass(frozen=True, eq=False)
class OwnRows:
    """Rows of the user's own in the form of the catalogue's serving table."""

    frame: pd.DataFrame
    unfilled: int
    """Rows of the file whose value is blank: not measured yet."""
    text: str = ""
    """The file as it was handed in, which a saved scenario carries."""

    @property
    def accelerators(self) -> tuple[str, ...]:
        """Parts that were measured."""
        return tuple(sorted({str(one) for one in self.frame["accelerator_id"]}))

    @property
    def models(self) -> tuple[str, ...]:
        """Models of the catalogue that were run; a name that it does not hold is in the table alone."""
        return tuple(sorted({str(one) for one in self.frame["model_id"]} - {""}))

    def as_csv(self) -> pd.DataFrame:
        """The rows as text in the columns that `read_own_rows` takes, blank where nothing was stated."""
        columns: dict[str, list[str]] = {}
        for name, column in self.frame.items():
            if name == _FILLED_IN_HERE:
                continue
            if column.dtype.kind == "b":
                columns[str(name)] = ["yes" if cell else "" for cell in column]
            elif column.dtype.kind == "f":
                columns[str(name)] = ["" if cell != cell else f"{cell:.15g}" for cell in column]
            else:
                columns[str(name)] = [str(cell) for cell in column]
        return pd.DataFrame(columns)


def template_columns(catalog: Catalog) -> tuple[str, ...]:
    """The columns of the CSV: the serving table's but its source, and what else is to be recorded.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of str
        In the order of the template.
    """
    return (*(name for name in _rules(catalog) if name != _FILLED_IN_HERE), *RECORDED)


def read_own_rows(catalog: Catalog, content: bytes) -> OwnRows:
    """The rows of an uploaded CSV, each cell held against the vocabulary.

    Parameters
    ----------
    catalog : Catalog
        Its columns.csv is the vocabulary, its parts and models the names.
    content : bytes
        From anybody.

    Returns
    -------
    OwnRows
        In the form of the serving table; the model's id is looked up where the file leaves it blank.

    Raises
    ------
    OwnRowsError
        With every problem found, up to MAX_PROBLEMS: a file is taken whole or not at all.

    Notes
    -----
    A quote that a spreadsheet put before a formula sign is taken off again; text is never evaluated, and what is handed
    out again is quoted anew.
    """
    rules = _rules(catalog)
    header, lines = _lines(content)
    known = (*rules, *RECORDED)
    if len(header) > MAX_COLUMNS:
        raise OwnRowsError([CellProblem(1, "", f"{len(header):,}", "header", str(MAX_COLUMNS))])
    problems = [
        CellProblem(1, name[:MAX_CELL], "", "unknown-column", ", ".join(_nearest(name, known)))
        for name in header
        if name not in known
    ]
    needed = [name for name, rule in rules.items() if rule.required and name not in (_FILLED_IN_HERE, "locator")]
    problems += [CellProblem(1, name, "", "missing-column") for name in needed if name not in header]
    repeated = sorted({name for name in header if header.count(name) > 1})
    problems += [CellProblem(1, name, "", "header") for name in repeated]
    if problems:
        raise OwnRowsError(problems[:MAX_PROBLEMS])
    words = {name: _allowed_words(catalog, rule) for name, rule in rules.items()}
    aliases = catalog.model_aliases
    found: list[dict[str, Any]] = []
    unfilled = 0
    for line, cells in lines:
        if len(cells) > len(header):
            problems.append(CellProblem(line, "", str(len(cells)), "header", str(len(header))))
        else:
            given = {name: _bare(cell) for name, cell in itertools.zip_longest(header, cells, fillvalue="")}
            if not given.get("value"):
                unfilled += 1
                continue
            row, wrong = _row(line, given, rules, words)
            problems += wrong
            row["model_id"] = row.get("model_id") or aliases.get(str(row.get("model", "")), "")
            found.append(row)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise OwnRowsError(problems[:MAX_PROBLEMS])
    if not found:
        raise OwnRowsError([CellProblem(0, "value", "", "no-rows")])
    _by_run(found)
    return OwnRows(_frame(found, rules), unfilled, content.decode("utf-8-sig"))


def with_own(serving: pd.DataFrame, own: OwnRows) -> pd.DataFrame:
    """The serving table and the user's own rows behind it, in one form.

    Parameters
    ----------
    serving : DataFrame
        The catalogue's serving table.
    own : OwnRows
        From `read_own_rows`.

    Returns
    -------
    DataFrame
        The own rows carry the labels that follow the table's last.
    """
    columns: dict[str, Any] = {}
    for name, column in serving.items():
        mine = own.frame[str(name)]
        if isinstance(column.dtype, pd.CategoricalDtype):
            words = list(column.cat.categories)
            every = pd.Index([*words, *sorted({str(one) for one in mine} - set(words))])
            codes = np.concatenate([column.cat.codes.to_numpy(), every.get_indexer(pd.Index(mine.astype(str)))])
            columns[str(name)] = pd.Categorical.from_codes(codes, every)
        else:
            columns[str(name)] = np.concatenate([column.to_numpy(), mine.to_numpy()])
    return pd.DataFrame(columns)


def _rules(catalog: Catalog) -> dict[str, Column]:
    return {column: rule for (table, column), rule in catalog.columns.items() if table == _TABLE}


def _lines(content: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header and rows with the line an editor shows; blank lines are passed over."""
    if len(content) > MAX_BYTES:
        raise OwnRowsError([CellProblem(0, "", f"{len(content):,}", "too-large", f"{MAX_BYTES:,}")])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise OwnRowsError([CellProblem(0, "", "", "not-text", "UTF-8")]) from None
    if text.count("\n") > MAX_LINES:
        raise OwnRowsError([CellProblem(0, "", "", "too-many-rows", f"{MAX_ROWS:,}")])
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, cells))
            if len(rows) > MAX_ROWS + 1:
                raise OwnRowsError([CellProblem(reader.line_num, "", "", "too-many-rows", f"{MAX_ROWS:,}")])
    except csv.Error:
        raise OwnRowsError([CellProblem(reader.line_num, "", "", "not-text", "CSV")]) from None
    if len(rows) < 2:
        raise OwnRowsError([CellProblem(0, "", "", "no-rows")])
    return [cell.strip() for cell in rows[0][1]], rows[1:]


def _bare(cell: str) -> str:
    """A cell without the spaces around it and without the quote that keeps a spreadsheet from running it."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _allowed_words(catalog: Catalog, rule: Column) -> frozenset[str]:
    """The words of a column; empty where any text will do."""
    if rule.column == "model" or not rule.allowed:
        return frozenset()  # a model outside the catalogue may be measured too
    if not rule.allowed.startswith("@"):
        return frozenset(rule.allowed.split("|"))
    target, *extras = rule.allowed[1:].split("|")
    table, _, column = target.partition(".")
    return frozenset((*catalog.tables[table][column].astype(str), *extras))


def _row(
    line: int, given: Mapping[str, str], rules: Mapping[str, Column], words: Mapping[str, frozenset[str]]
) -> tuple[dict[str, Any], list[CellProblem]]:
    """One row's values by column, and what is wrong with it."""
    row: dict[str, Any] = {}
    problems = []
    for name, rule in rules.items():
        if name == _FILLED_IN_HERE:
            row[name] = OWN_SOURCE
            continue
        value, problem = _value(line, given.get(name, ""), rule, words[name])
        row[name] = value
        if problem is not None and not (name == "locator" and problem.code == "required"):
            problems.append(problem)
    recorded = {name: given[name] for name in RECORDED if given.get(name)}
    problems += [wrong for name, cell in recorded.items() if (wrong := _text_problem(line, name, cell))]
    if not problems:
        problems += _agreement(line, row)
    row["note"] = "; ".join([row["note"] or "", *(f"{name}: {cell}" for name, cell in recorded.items())]).strip("; ")
    row[_LINE] = line
    return row, problems


def _by_run(rows: Sequence[dict[str, Any]]) -> None:
    """Give the rows of one run one place and one note, so that its metrics stay together.

    A metric that comes again under the same conditions begins another run.
    """
    runs: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    times: dict[tuple[Any, ...], int] = {}
    for row in rows:
        conditions = tuple(str(cell) for name, cell in row.items() if name not in (*_OUTCOME, "note", _LINE))
        what = (conditions, row["metric"], row["stat"])
        times[what] = times.get(what, 0) + 1
        runs.setdefault((conditions, times[what]), []).append(row)
    for run in runs.values():
        clauses = dict.fromkeys(clause for row in run for clause in row["note"].split("; ") if clause)
        place = ", ".join(filter(None, (f"line {run[0][_LINE]}", run[0]["locator"])))
        for row in run:
            row["locator"], row["note"] = place, "; ".join(clauses)


def _value(line: int, cell: str, rule: Column, words: frozenset[str]) -> tuple[Any, CellProblem | None]:
    """A cell in the type of its column, or what is wrong with it."""

    def wrong(code: str, allowed: str = "") -> tuple[Any, CellProblem]:
        return None, CellProblem(line, rule.column, cell[:MAX_CELL], code, allowed)

    if text_problem := _text_problem(line, rule.column, cell):
        return None, text_problem
    blank: Any = float("nan") if rule.type in ("integer", "number") else False if rule.type == "flag" else ""
    if not cell:
        return wrong("required", _listed(words)) if rule.required else (blank, None)
    if rule.type == "flag":
        return (_FLAGS[cell], None) if cell in _FLAGS else wrong("flag", "yes, no")
    if rule.type in ("integer", "number"):
        number = _number(cell)
        if number is None or (rule.type == "integer" and number != int(number)):
            return wrong(rule.type)
        low = -math.inf if rule.minimum is None else rule.minimum
        high = math.inf if rule.maximum is None else rule.maximum
        return (number, None) if low <= number <= high else wrong("range", f"{low:,g} – {high:,g} {rule.unit}".strip())
    if rule.type == "date":
        return (cell, None) if _DATE.fullmatch(cell) else wrong("date", "YYYY, YYYY-MM, YYYY-MM-DD")
    if words and cell not in words:
        return wrong("word", _listed(words, cell))
    return cell, None


def _text_problem(line: int, column: str, cell: str) -> CellProblem | None:
    if len(cell) > MAX_CELL:
        return CellProblem(line, column, f"{cell[:40]}…", "long", str(MAX_CELL))
    if not re.match(TEXT_PATTERN, cell):
        return CellProblem(line, column, "", "text")
    return None


def _agreement(line: int, row: Mapping[str, Any]) -> list[CellProblem]:
    """Metric, unit and basis say the same thing."""
    units = _UNIT_OF[row["metric"]]
    if row["unit"] not in units:
        return [CellProblem(line, "unit", row["unit"], "unit", ", ".join(units))]
    basis = "gpu" if row["unit"] == "tokens/s/gpu" else "deployment"
    if row["unit_basis"] != basis:
        return [CellProblem(line, "unit_basis", row["unit_basis"], "basis", basis)]
    return []


def _number(cell: str) -> float | None:
    """A plain decimal number; underscores, infinities and other things Python would take are none."""
    return float(cell) if re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?([eE][+-]?\d{1,2})?", cell) else None


def _listed(words: Iterable[str], near: str = "") -> str:
    """The allowed words; of many the nearest."""
    every = sorted(words)
    few = 12
    return ", ".join(every if len(every) <= few or not near else _nearest(near, every))


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    return difflib.get_close_matches(name[:80], known, n=_NEAREST, cutoff=0.0)


def _frame(rows: Sequence[Mapping[str, Any]], rules: Mapping[str, Column]) -> pd.DataFrame:
    """Rows in the types of the catalogue's table: words as categories, numbers as floats, flags as booleans."""
    columns: dict[str, Any] = {}
    for name, rule in rules.items():
        cells = [row[name] for row in rows]
        if rule.type == "flag":
            columns[name] = np.array(cells, dtype=bool)
        elif rule.type in ("integer", "number"):
            columns[name] = np.array(cells, dtype=np.float64)
        else:
            columns[name] = pd.Categorical(cells)
    return pd.DataFrame(columns)
