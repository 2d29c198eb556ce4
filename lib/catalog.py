"""The only reader of data/: every table against its vocabulary, every row to a typed record.

A wrong row stops the start with file, line, column and value; it is never skipped and never replaced by a default.
"""

import csv
import functools
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import pandas as pd

from lib.errors import DataError, UnknownNameError
from lib.records import (
    Accelerator,
    Assumption,
    Checkpoint,
    Column,
    Edition,
    FormatFact,
    LayerGroup,
    Model,
    Price,
    RoadmapFact,
    SoftwareFact,
    Source,
    SpecCell,
    WeightFormat,
)

DATA: Final = Path(__file__).resolve().parent.parent / "data"
EDITIONS: Final = "editions"
MEASURED: Final = ("serving", "mlperf_inference", "mlperf_training", "training", "micro", "rent_history")
"""Tables that stay data frames: thousands of rows that are filtered and charted by column."""

_VOCABULARY_HEADER: Final = (
    "table", "column", "type", "unit", "key", "required", "minimum", "maximum", "allowed",
    "label_en", "label_zh", "help_en", "help_zh",
)  # fmt: skip
_TYPES: Final = ("text", "integer", "number", "flag", "date", "list")
_DATE: Final = r"\d{4}(-\d{2}(-\d{2})?)?"

Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class Catalog:
    """Everything data/ holds, validated once, shared by all visitors; equal only to itself, so that it can key a cache."""

    edition: Edition
    editions: tuple[Edition, ...]
    columns: Mapping[tuple[str, str], Column]
    sources: Mapping[str, Source]
    accelerators: Mapping[str, Accelerator]
    spec_cells: Mapping[tuple[str, str], tuple[SpecCell, ...]]
    models: Mapping[str, Model]
    model_aliases: Mapping[str, str]
    checkpoints: Mapping[str, tuple[Checkpoint, ...]]
    weight_formats: Mapping[str, WeightFormat]
    prices: tuple[Price, ...]
    assumptions: Mapping[str, Assumption]
    software: tuple[SoftwareFact, ...]
    formats: tuple[FormatFact, ...]
    roadmap: tuple[RoadmapFact, ...]
    fit_cases: tuple[Mapping[str, Any], ...]
    presets: Mapping[str, Mapping[str, Any]]
    measured: Mapping[str, pd.DataFrame] = field(repr=False)
    tables: Mapping[str, pd.DataFrame] = field(repr=False)
    """Every table by its name, row for row as it stands in data/, for those who browse; never changed in place."""
    edition_facts: "Catalog | None" = field(default=None, repr=False)
    """The catalogue as data/ has it, where this one holds parts that a reader stated beside it."""
    stated_server_kw: Mapping[str, float] = field(default_factory=dict, repr=False)
    """What buyers state of a server of their own parts at work, by part [kW]; data/ has it among the assumptions."""

    @property
    def published(self) -> "Catalog":
        """The catalogue without a reader's own parts: the key for what depends on data/ alone."""
        return self.edition_facts or self

    def accelerator(self, accelerator_id: str) -> Accelerator:
        """The accelerator of that id, or UnknownNameError with the nearest ids."""
        return _named("accelerator", accelerator_id, self.accelerators)

    def model(self, model_id: str) -> Model:
        """The model of that id, or UnknownNameError with the nearest ids."""
        return _named("model", model_id, self.models)

    def source(self, source_id: str) -> Source:
        """The source of that id, or UnknownNameError with the nearest ids."""
        return _named("source", source_id, self.sources)

    def assumption(self, assumption_id: str) -> Assumption:
        """The assumption of that id, or UnknownNameError with the nearest ids."""
        return _named("assumption", assumption_id, self.assumptions)


def _named(what: str, name: str, known: Mapping[str, Record]) -> Record:
    try:
        return known[name]
    except KeyError:
        raise UnknownNameError(what, name, known) from None


@functools.lru_cache(maxsize=4)
def load(folder: Path = DATA) -> Catalog:
    """Read and check all of data/ and return it as records.

    Parameters
    ----------
    folder : Path
        The folder with the tables, `presets/` and `configs/`.

    Returns
    -------
    Catalog
        One per process: the same object on every call.

    Raises
    ------
    DataError
        At the first cell that breaks its rule in columns.csv.
    """
    vocabulary = _vocabulary(folder)
    tables = {name: _table(folder, name, vocabulary) for name in _table_names(vocabulary)}
    _check_references(tables, vocabulary)
    rows: dict[str, list[dict[str, Any]]] = {
        name: _rows(frame) for name, frame in tables.items() if name not in MEASURED
    }
    configs = _configs(folder)
    return Catalog(
        edition=_edition(folder, rows[EDITIONS]),
        editions=tuple(_record(row, Edition) for row in rows[EDITIONS]),
        columns=MappingProxyType(vocabulary),
        sources=_by("source_id", rows["sources"], Source),
        accelerators=_by("accelerator_id", rows["accelerators"], Accelerator),
        spec_cells=_grouped(rows["spec_sources"], SpecCell, lambda cell: (cell.accelerator_id, cell.field)),
        models=_models(rows["models"], rows["layer_groups"], configs),
        model_aliases=MappingProxyType({row["published_name"]: row["model_id"] for row in rows["model_aliases"]}),
        checkpoints=_grouped(rows["checkpoints"], Checkpoint, lambda checkpoint: checkpoint.model_id),
        weight_formats=_by("weight_format", rows["weight_formats"], WeightFormat),
        prices=tuple(_record(row, Price) for row in rows["prices"]),
        assumptions=_by("assumption_id", rows["assumptions"], Assumption),
        software=tuple(_record(row, SoftwareFact) for row in rows["software_matrix"]),
        formats=tuple(_record(row, FormatFact) for row in rows["format_support"]),
        roadmap=tuple(_record(row, RoadmapFact) for row in rows["roadmap"]),
        fit_cases=tuple(rows["fit_cases"]),
        presets=_presets(folder),
        measured=MappingProxyType({name: tables[name] for name in MEASURED}),
        tables=MappingProxyType(tables),
    )


def problems(folder: Path = DATA) -> Iterator[DataError]:
    """What the start would refuse, each table's first wrong cell and every broken file: yields nothing when data/ is sound.

    Parameters
    ----------
    folder : Path
        The folder with the tables, `presets/` and `configs/`.

    Yields
    ------
    DataError
        File, line, column, value and reason. Whether the edition is recorded is another question, which the room of editions answers.
    """
    try:
        vocabulary = _vocabulary(folder)
    except DataError as error:
        yield error
        return
    tables = {}
    for name in _table_names(vocabulary):
        try:
            _check_width(folder / f"{name}.csv")
            tables[name] = _table(folder, name, vocabulary)
        except DataError as error:
            yield error
    for path, read in _beside_the_tables(folder):
        try:
            read(path)
        except DataError as error:
            yield error
    if len(tables) < len(_table_names(vocabulary)):
        return
    try:
        _check_references(tables, vocabulary)
        _edition(folder, _rows(tables[EDITIONS]))
    except DataError as error:
        yield error


def content_hash(folder: Path = DATA) -> str:
    """SHA-256 over names and bytes of all tables, configs and presets; the list of editions itself is left out."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.csv"), *folder.glob("configs/*.json"), *folder.glob("presets/*.toml")]):
        if path.stem == EDITIONS:
            continue
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _table_names(vocabulary: Mapping[tuple[str, str], Column]) -> list[str]:
    return list(dict.fromkeys(table for table, _ in vocabulary))


def _vocabulary(folder: Path) -> dict[tuple[str, str], Column]:
    """columns.csv itself: the one table whose rules stand in code."""
    name = "data/columns.csv"
    with (folder / "columns.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != _VOCABULARY_HEADER:
            raise DataError(name, 1, "header", reader.fieldnames, f"must be {','.join(_VOCABULARY_HEADER)}")
        vocabulary: dict[tuple[str, str], Column] = {}
        for row in reader:
            key = (row["table"], row["column"])
            if row["type"] not in _TYPES:
                raise DataError(name, reader.line_num, "type", row["type"], f"must be one of {', '.join(_TYPES)}")
            for flag in ("key", "required"):
                if row[flag] not in ("yes", "no"):
                    raise DataError(name, reader.line_num, flag, row[flag], "must be yes or no")
            if key in vocabulary:
                raise DataError(name, reader.line_num, "column", row["column"], "stands twice for this table")
            values: dict[str, Any] = dict(row)
            values |= {side: float(row[side]) if row[side] else None for side in ("minimum", "maximum")}
            values |= {flag: row[flag] == "yes" for flag in ("key", "required")}
            vocabulary[key] = Column(**values)
    return vocabulary


def _table(folder: Path, name: str, vocabulary: Mapping[tuple[str, str], Column]) -> pd.DataFrame:
    """One table, each cell checked and converted: numbers to float or int with None for blank, flags to bool."""
    path = folder / f"{name}.csv"
    rules = {column: rule for (table, column), rule in vocabulary.items() if table == name}
    if not path.is_file():
        raise DataError(f"data/{name}.csv", 0, "", "", "the file is missing")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DataError(f"data/{name}.csv", 0, "", "", str(error).strip()) from error
    if not isinstance(frame.index, pd.RangeIndex):  # a longer first row makes pandas read names into its first cells
        _check_width(path)
    if list(frame.columns) != list(rules):
        raise DataError(f"data/{name}.csv", 1, "header", list(frame.columns), f"columns.csv says {list(rules)}")
    converted = {
        column: _column(path, frame[column], rule, as_category=name in MEASURED) for column, rule in rules.items()
    }
    keys = [column for column, rule in rules.items() if rule.key]
    if keys and (repeated := frame.duplicated(keys)).any():
        _fail(path, repeated, frame[keys[-1]], keys[-1], f"this {' + '.join(keys)} stands twice")
    return pd.DataFrame(converted)


def _check_width(path: Path) -> None:
    """DataError at the first row that has another number of cells than the header; a missing file is said elsewhere."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        try:
            header = next(reader, [])
            for row in reader:
                if row and len(row) != len(header):
                    reason = f"has {len(row)} cells and the header {len(header)}: a comma too many or too few?"
                    raise DataError(f"data/{path.name}", reader.line_num, "", ",".join(row)[:60], reason)
        except (csv.Error, UnicodeDecodeError) as error:
            raise DataError(f"data/{path.name}", reader.line_num, "", "", str(error)) from error


def _column(path: Path, cells: pd.Series, rule: Column, *, as_category: bool) -> pd.Series:
    """The cells of one column converted by its rule, or DataError at the first that breaks it."""
    blank = cells == ""
    if rule.required and blank.any():
        _fail(path, blank, cells, rule.column, "must not be blank")
    if rule.type in ("integer", "number"):
        numbers = pd.to_numeric(cells.where(~blank), errors="coerce")
        if (bad := numbers.isna() & ~blank).any() or (bad := numbers.abs() == float("inf")).any():
            _fail(path, bad, cells, rule.column, f"must be a finite {rule.type}")
        if rule.type == "integer" and (bad := numbers % 1 > 0).any():
            _fail(path, bad, cells, rule.column, "must be a whole number")
        if rule.minimum is not None and (bad := numbers < rule.minimum).any():
            _fail(path, bad, cells, rule.column, f"must be at least {rule.minimum:g} {rule.unit}".rstrip())
        if rule.maximum is not None and (bad := numbers > rule.maximum).any():
            _fail(path, bad, cells, rule.column, f"must be at most {rule.maximum:g} {rule.unit}".rstrip())
        return numbers
    if rule.type == "flag":
        if (bad := ~cells.isin(["yes", "no", ""])).any():
            _fail(path, bad, cells, rule.column, "must be yes, no or blank")
        return cells == "yes"
    if rule.type == "date" and (bad := ~blank & ~cells.str.fullmatch(_DATE)).any():
        _fail(path, bad, cells, rule.column, "must be YYYY, YYYY-MM or YYYY-MM-DD")
    if rule.type == "text" and rule.allowed and not rule.allowed.startswith("@"):
        if (bad := ~blank & ~cells.isin(rule.allowed.split("|"))).any():
            _fail(path, bad, cells, rule.column, f"must be one of {rule.allowed}")
    return cells.astype("category") if as_category and rule.type != "list" else cells


def _check_references(tables: Mapping[str, pd.DataFrame], vocabulary: Mapping[tuple[str, str], Column]) -> None:
    """Cells whose rule is @table.column must stand there; @table.column|extra admits the extras as well."""
    for (name, column), rule in vocabulary.items():
        if not rule.allowed.startswith("@"):
            continue
        target, *extras = rule.allowed[1:].split("|")
        table, _, target_column = target.partition(".")
        known = {*tables[table][target_column], *extras, ""}
        cells = tables[name][column].astype(str)
        if rule.type == "list":
            bad = pd.Series([not known.issuperset(cell.split(";")) for cell in cells], index=cells.index)
        else:
            bad = ~cells.isin(known)
        if bad.any():
            _fail(DATA / f"{name}.csv", bad, cells, column, f"no such {target}")


def _fail(path: Path, bad: pd.Series, cells: pd.Series, column: str, reason: str) -> None:
    """Raise DataError at the first bad row, with the line an editor shows (a quoted cell may span lines)."""
    index = int(bad.to_numpy().argmax())
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        for _ in range(index + 2):
            next(reader)
        line = reader.line_num
    raise DataError(f"data/{path.name}", line, column, cells.iloc[index], reason)


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _record(row: Mapping[str, Any], kind: type[Record], **extra: Any) -> Record:
    """One row as its record: NaN becomes None, whole numbers int, and lists tuples, as the field's type says."""
    values: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name in extra:
            values[one.name] = extra[one.name]
            continue
        value = row[one.name]
        if isinstance(value, float) and value != value:  # NaN is the only value unequal to itself
            value = None
        kind_name = str(one.type)
        if value is not None and "int" in kind_name:
            value = int(value)
        elif "tuple[str" in kind_name:
            value = tuple(part for part in value.split(";") if part)
        values[one.name] = value
    return kind(**values)


def _by(key: str, rows: list[dict[str, Any]], kind: type[Record]) -> Mapping[str, Record]:
    return MappingProxyType({row[key]: _record(row, kind) for row in rows})


def _grouped(
    rows: list[dict[str, Any]], kind: type[Record], key: Callable[[Record], Any]
) -> Mapping[Any, tuple[Record, ...]]:
    groups: dict[Any, list[Record]] = {}
    for row in rows:
        record = _record(row, kind)
        groups.setdefault(key(record), []).append(record)
    return MappingProxyType({name: tuple(members) for name, members in groups.items()})


def _models(
    rows: list[dict[str, Any]], group_rows: list[dict[str, Any]], configs: Mapping[str, Any]
) -> Mapping[str, Model]:
    groups: dict[str, list[LayerGroup]] = {}
    for row in group_rows:
        groups.setdefault(row["model_id"], []).append(_record(row, LayerGroup))
    return MappingProxyType(
        {
            row["model_id"]: _record(
                row, Model, groups=tuple(groups.get(row["model_id"], ())), config=configs.get(row["model_id"])
            )
            for row in rows
        }
    )


def _beside_the_tables(folder: Path) -> Iterator[tuple[Path, Callable[[Path], Mapping[str, Any]]]]:
    """Configs and presets, each with its reader."""
    yield from ((path, _config) for path in sorted((folder / "configs").glob("*.json")))
    yield from ((path, _preset) for path in sorted((folder / "presets").glob("*.toml")))


def _config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise DataError(f"data/configs/{path.name}", 0, "", "", str(error)) from error
    if not isinstance(config, dict):
        raise DataError(f"data/configs/{path.name}", 0, "", "", "a config.json is an object")
    return config


def _preset(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"data/presets/{path.name}", 0, "", "", str(error)) from error


def _configs(folder: Path) -> dict[str, Any]:
    return {path.stem: _config(path) for path in sorted((folder / "configs").glob("*.json"))}


def _presets(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    presets = {path.stem: _preset(path) for path in (folder / "presets").glob("*.toml")}
    order = {name: (preset.get("order", 0), name) for name, preset in presets.items()}
    return MappingProxyType({name: presets[name] for name in sorted(presets, key=lambda name: order[name])})


def _edition(folder: Path, rows: list[dict[str, Any]]) -> Edition:
    if not rows:
        raise DataError("data/editions.csv", 1, "date", "", "no edition is recorded")
    latest = rows[-1]
    return Edition(date=latest["date"], hash=content_hash(folder), summary=latest["summary"])
