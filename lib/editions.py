"""What data/ said in earlier editions, so that a link made with one of them can say what has changed since.

data/editions/ holds the numbers of the last recorded edition (latest/*.csv) and, in changes.csv, each value that an
edition replaced. From the present numbers those of any earlier edition follow by putting the replaced values back, the
newest first. Of the other tables a fingerprint tells that they changed, and not what.
"""

import csv
import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from lib.catalog import DATA, EDITIONS, Catalog, content_hash
from lib.errors import DataError
from lib.records import Accelerator, Assumption, Edition, Price

TRACKED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "accelerators": (
            "accelerator_id", "short_name", "vendor", "status", "memory_gb", "memory_driver_gib", "memory_runtime_gib",
            "memory_bandwidth_tbs", "fp64_tflops", "fp64_matrix_tflops", "fp32_tflops", "tf32_dense_tflops",
            "fp16_bf16_dense_tflops", "fp16_bf16_sparse_tflops", "fp8_dense_tflops", "fp8_sparse_tflops",
            "fp6_dense_tflops", "fp4_dense_tflops", "int8_dense_tops", "interconnect_gbs", "tdp_w", "gpus_per_node",
            "max_scale_up_gpus", "process_nm", "transistors_b",
        ),
        "assumptions": (
            "assumption_id", "group", "low", "base", "high", "unit", "applies_to", "kind", "as_of", "source_id",
        ),
        "prices": (
            "price_id", "accelerator_id", "kind", "term_months", "low", "high", "currency", "basis", "provider",
            "region", "as_of", "quality", "source_id",
        ),
    }
)  # fmt: skip
"""Columns of the tables behind a cost, the key first: the numbers, and what decides where they count."""

_FOLDER: Final = "editions"
_CHANGES: Final = "changes.csv"
_TABLES: Final = "tables.csv"
_FINGERPRINT: Final = 8


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value that an edition replaced, as the table had written it. Where a row is new, its column is blank."""

    edition: str
    table: str
    row: str
    column: str
    before: str


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of a table from an edition on; a table without a name stands for the edition itself."""

    edition: str
    table: str
    fingerprint: str


@dataclass(frozen=True, eq=False)
class History:
    """Every edition that was recorded, in order, and what each replaced; equal only to itself, so that it can key a cache."""

    labels: tuple[str, ...]
    changes: tuple[Replaced, ...]
    tables: tuple[TableState, ...]
    latest: Mapping[str, Mapping[str, Mapping[str, str]]]
    """Table, row and column to what is written there, as of the last recorded edition."""

    def since(self, label: str) -> tuple[str, ...] | None:
        """The editions after that one, in order; None where it was not recorded."""
        if label not in self.labels:
            return None
        return self.labels[len(self.labels) - self.labels[::-1].index(label) :]

    def values_at(self, label: str) -> dict[str, dict[str, dict[str, str]]]:
        """The tracked tables as they were in an edition: present values with the replaced ones put back."""
        later = frozenset(self.since(label) or ())
        found = {table: {row: dict(cells) for row, cells in rows.items()} for table, rows in self.latest.items()}
        for change in reversed(self.changes):
            if change.edition not in later:
                continue
            rows = found[change.table]
            if not change.column:
                del rows[change.row]
            else:
                rows.setdefault(change.row, dict.fromkeys(TRACKED[change.table], ""))[change.column] = change.before
        return found

    def other_tables_since(self, label: str) -> tuple[str, ...]:
        """Names of the tables that changed after an edition and whose values are not kept."""
        later = frozenset(self.since(label) or ())
        names = (one.table for one in self.tables if one.edition in later and one.table not in ("", *TRACKED))
        return tuple(dict.fromkeys(names))


@functools.lru_cache(maxsize=2)
def history(folder: Path = DATA) -> History:
    """Every recorded edition.

    Parameters
    ----------
    folder : Path
        The folder with the tables.

    Returns
    -------
    History
        One object a process.

    Raises
    ------
    DataError
        Where a file of data/editions is missing or has another header.
    """
    room = folder / _FOLDER
    tables = tuple(TableState(*row) for row in _read(room / _TABLES, _names(TableState)))
    return History(
        labels=tuple(one.edition for one in tables if not one.table),
        changes=tuple(Replaced(*row) for row in _read(room / _CHANGES, _names(Replaced))),
        tables=tables,
        latest=MappingProxyType(_latest(room)),
    )


def problems(catalog: Catalog, folder: Path = DATA) -> Iterator[DataError]:
    """What is wrong with the record of editions: yields nothing where the present edition stands in it."""
    if changed := list(unrecorded(folder)):
        yield from changed
        return
    try:
        found = history(folder)
    except DataError as error:
        yield error
        return
    if not found.labels or found.labels[-1] != catalog.edition.label:
        yield DataError(
            f"data/{_FOLDER}/{_TABLES}", len(found.tables) + 1, "edition", catalog.edition.label,
            "is not recorded: run `python -m lib edition`",
        )  # fmt: skip


def unrecorded(folder: Path = DATA) -> Iterator[DataError]:
    """Whether data/ is another than the edition recorded last: yields one problem, or nothing.

    Parameters
    ----------
    folder : Path
        The folder with the tables, `presets/` and `configs/`.

    Yields
    ------
    DataError
        With the command that records it.
    """
    rows = _rows(folder)
    recorded = rows[-1]["hash"] if rows else ""
    if recorded != content_hash(folder):
        reason = "data/ has changed: run `python -m lib edition`"
        yield DataError(f"data/{EDITIONS}.csv", len(rows) + 1, "hash", recorded, reason)


def add(day: str, summary: str, folder: Path = DATA, *, amend: bool = False) -> tuple[Edition, int]:
    """Write the present state of data/ down as an edition after those that are recorded; none of them is lost.

    Parameters
    ----------
    day : str
        Of the edition, YYYY-MM-DD.
    summary : str
        What changed since the edition before.
    folder : Path
        The folder with the tables.
    amend : bool
        Put it in the place of the last edition, which nobody has seen yet: no link names it.

    Returns
    -------
    tuple of Edition and int
        As written to editions.csv, and how many values of the edition before it replaced.

    Raises
    ------
    DataError
        The day is none, or lies before the last edition: prices would be younger than the day they are used on.

    Notes
    -----
    An edition is named by its day and its content: the same again has its summary replaced.
    """
    rows = _rows(folder)
    if amend and rows:
        rows.pop()
    if not _is_day(day) or (rows and day < rows[-1]["date"]):
        after = f", {rows[-1]['date']} or later" if rows else ""
        raise DataError(f"data/{EDITIONS}.csv", len(rows) + 2, "date", day, f"must be a day, YYYY-MM-DD{after}")
    edition = Edition(date=day, hash=content_hash(folder), summary=summary)
    rows = [row for row in rows if (row["date"], row["hash"]) != (edition.date, edition.hash)]
    cells = [*([row[name] for name in _names(Edition)] for row in rows), list(astuple(edition))]
    if amend:
        _forget_last(folder)
    replaced = record(edition.label, folder)
    _write(folder / f"{EDITIONS}.csv", _names(Edition), cells)
    return edition, replaced


def record(label: str, folder: Path = DATA) -> int:
    """Write down what the present state of data/ replaced of the last recorded one.

    Parameters
    ----------
    label : str
        Of the edition that data/ is now.
    folder : Path
        The folder with the tables.

    Returns
    -------
    int
        Values replaced, rows added counting as one each; 0 where the edition is the last recorded one already.
    """
    room = folder / _FOLDER
    (room / "latest").mkdir(parents=True, exist_ok=True)
    for name, header in ((_TABLES, _names(TableState)), (_CHANGES, _names(Replaced))):
        if not (room / name).is_file():
            _write(room / name, header, [])
    states = [TableState(*row) for row in _read(room / _TABLES, _names(TableState))]
    recorded = [one.edition for one in states if not one.table]
    if recorded and recorded[-1] == label:
        return 0
    now = {table: _tracked_rows(folder / f"{table}.csv", table) for table in TRACKED}
    changes = list(_replaced(label, _latest(room), now)) if recorded else []
    known = {one.table: one.fingerprint for one in states}
    moved = [(label, name, mark) for name, mark in _fingerprints(folder) if known.get(name) != mark]
    _append(
        room / _TABLES, [(label, "", ""), *(moved if recorded else [(label, *one) for one in _fingerprints(folder)])]
    )
    _append(room / _CHANGES, [astuple(one) for one in changes])
    for table, rows in now.items():
        _write(room / "latest" / f"{table}.csv", TRACKED[table], [list(cells.values()) for cells in rows.values()])
    history.cache_clear()
    return len(changes)


def as_it_was(catalog: Catalog, found: History, label: str) -> Catalog | None:
    """The catalogue with the parts, assumptions and prices of an earlier edition; every other table is today's.

    Parameters
    ----------
    catalog : Catalog
        The present one, without anybody's own parts.
    found : History
        The recorded editions.
    label : str
        Of the earlier edition.

    Returns
    -------
    Catalog or None
        None where that edition was not recorded. Rows that have gone since have the columns in TRACKED alone.
    """
    if found.since(label) is None:
        return None
    old = found.values_at(label)
    prices = {one.price_id: one for one in catalog.prices}
    day, _, hash_ = label.rpartition("-")
    return replace(
        catalog,
        edition=Edition(date=day, hash=hash_, summary=""),
        accelerators=_records(old["accelerators"], catalog.accelerators, Accelerator),
        assumptions=_records(old["assumptions"], catalog.assumptions, Assumption),
        prices=tuple(_records(old["prices"], prices, Price).values()),
    )


def _forget_last(folder: Path) -> None:
    """Take the last recorded edition out of data/editions, as if it had not been made."""
    room = folder / _FOLDER
    found = history(folder)
    if not found.labels:
        return
    last, before = found.labels[-1], found.labels[-2] if len(found.labels) > 1 else ""
    if last in found.labels[:-1] or not before:
        raise DataError(f"data/{_FOLDER}/{_TABLES}", len(found.tables), "edition", last, "cannot be taken back")
    for table, rows in found.values_at(before).items():
        cells = [list(one.values()) for one in rows.values()]
        _write(room / "latest" / f"{table}.csv", TRACKED[table], cells)
    kept = [astuple(one) for one in found.changes if one.edition != last]
    _write(room / _CHANGES, _names(Replaced), kept)
    _write(room / _TABLES, _names(TableState), [astuple(one) for one in found.tables if one.edition != last])
    history.cache_clear()


def _rows(folder: Path) -> list[dict[str, str]]:
    """The table of editions as written; none where there is no file."""
    path = folder / f"{EDITIONS}.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _records(rows: Mapping[str, Mapping[str, str]], present: Mapping[str, Any], kind: Any) -> Mapping[str, Any]:
    """Rows as records: the present one with the old values, in the present order; rows that have gone come last."""
    order = {name: place for place, name in enumerate(present)}
    types = {one.name: getattr(one.type, "__name__", str(one.type)) for one in fields(kind)}
    result = {}
    for name in sorted(rows, key=lambda row: order.get(row, len(order))):
        blank = {field: _typed("", type_) for field, type_ in types.items()}
        old = {column: _typed(cell, types[column]) for column, cell in rows[name].items()}
        result[name] = replace(present[name], **old) if name in present else kind(**{**blank, **old})
    return MappingProxyType(result)


def _typed(cell: str, type_: str) -> Any:
    if type_.startswith("tuple"):
        return tuple(part for part in cell.split(";") if part)
    if type_.startswith("int"):
        return int(float(cell)) if cell else None
    if type_.startswith("float"):
        return float(cell) if cell else None
    return cell


def _replaced(label: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Replaced]:
    """What is another value, row by row; every cell of a row that has gone."""
    for table, rows in now.items():
        old = before[table]
        for row in [*rows, *(gone for gone in old if gone not in rows)]:
            if row not in old:
                yield Replaced(label, table, row, "", "")
                continue
            for column, cell in old[row].items():
                if row not in rows or rows[row].get(column, "") != cell:
                    yield Replaced(label, table, row, column, cell)


def _fingerprints(folder: Path) -> list[tuple[str, str]]:
    """Every table, all configs and all presets with a hash of what is written there."""
    groups = {path.stem: [path] for path in sorted(folder.glob("*.csv")) if path.stem != EDITIONS}
    groups |= {name: sorted((folder / name).glob("*")) for name in ("configs", "presets")}
    found = []
    for name, paths in groups.items():
        digest = hashlib.sha256()
        for path in paths:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        found.append((name, digest.hexdigest()[:_FINGERPRINT]))
    return found


def _latest(room: Path) -> dict[str, dict[str, dict[str, str]]]:
    found = {}
    for table, columns in TRACKED.items():
        path = room / "latest" / f"{table}.csv"
        rows = _read(path, columns) if path.is_file() else []
        found[table] = {row[0]: dict(zip(columns, row, strict=True)) for row in rows}
    return found


def _tracked_rows(path: Path, table: str) -> dict[str, dict[str, str]]:
    columns = TRACKED[table]
    with path.open(encoding="utf-8", newline="") as file:
        return {row[columns[0]]: {name: row[name] for name in columns} for row in csv.DictReader(file)}


def _names(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def _read(path: Path, header: Sequence[str]) -> list[list[str]]:
    name = f"data/{_FOLDER}/{path.name}"
    if not path.is_file():
        raise DataError(name, 0, "", "", "the file is missing: run `python -m lib edition`")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows or rows[0] != list(header):
        raise DataError(name, 1, "header", rows[0] if rows else "", f"must be {','.join(header)}")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise DataError(name, line, "", row, f"must have {len(header)} cells")
    return rows[1:]


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _append(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
