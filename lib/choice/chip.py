"""How a part is built: dies, stacks, caches, memory and matrix rates, each with its sources; nothing is guessed."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.micro_view import READING, micro_view
from lib.choice.table import records
from lib.records import Accelerator

Kind = Literal["published", "derived", "measured", "bound", "least", "stated", "none", "unknown"]
"""Published by a source; computed from such; measured; the most or the least that physics allows; the reader's own; known not
to exist; nowhere."""

View = Literal["chiplets", "memory", "compute", "fabric", "roofline"]
VIEWS: Final[tuple[View, ...]] = ("chiplets", "memory", "compute", "fabric", "roofline")

MOST_PARTS: Final = 4
FORMATS: Final = ("fp16_bf16", "fp8", "fp6", "fp4", "int8")
"""Formats of matrix units, in the order shown; the first is 16-bit floating point."""

PEAK_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {one: f"{one}_dense_tops" if one == "int8" else f"{one}_dense_tflops" for one in FORMATS}
)
SPARSE_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {one: f"{one}_sparse_tflops" for one in ("fp16_bf16", "fp8")}
)
"""The catalogue holds sparse figures of these formats alone."""

PACKAGE: Final = (
    "compute_dies", "io_dies", "units", "units_per_die", "units_on_die", "process_nm", "io_process_nm", "transistors_b",
    "l2_cache", "last_level_cache", "die_link_tbs", "memory_type", "hbm_stacks", "hbm_sites", "stack_gb", "bus_bits",
)  # fmt: skip
MEMORY: Final = (
    "memory_gb", "memory_driver_gib", "memory_runtime_gib", "memory_type", "hbm_stacks", "stack_gb", "memory_bandwidth_tbs",
    "read_tbs", "read_share", "bytes_per_kiloflop",
)  # fmt: skip


_TABLE: Final = "chiplets"
_ARTICLES: Final = "article-"
"""An article is a witness only where nobody else is."""

_GB_PER_TB: Final = 1000.0
_KILO: Final = 1000.0
_DIES: Final = re.compile(r"(\d+)(?: (XCD|GCD))?")
_IO: Final = re.compile(r"(\d+) IOD")
_LEADING: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Datum:
    """One quantity of one part in the unit of its name or beside it; None where no source was found."""

    accelerator_id: str
    quantity: str
    value: float | None
    unit: str
    kind: Kind
    sources: tuple[tuple[str, str], ...] = ()
    """Source id and place in it."""
    text: str = ""
    """The words of the table, for what is described and not counted."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """One part taken apart: every quantity of PACKAGE by its name, and how its dies are called."""

    part: Accelerator
    data: Mapping[str, Datum]
    die_name: str
    """XCD or GCD; empty for dies that have no name of their own."""

    def count(self, quantity: str) -> int | None:
        """A count as a whole number; None where it is not known."""
        value = self.data[quantity].value
        return None if value is None else int(value)


@functools.lru_cache(maxsize=4)
def _facts(catalog: Catalog) -> Mapping[tuple[str, str], Datum]:
    """The rows of chiplets.csv by part and quantity."""
    names = ("accelerator_id", "quantity", "value", "unit", "source_id", "locator", "note")
    columns = [catalog.tables[_TABLE][name].tolist() for name in names]
    rows = (dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True))
    return MappingProxyType(
        {
            (row["accelerator_id"], row["quantity"]): Datum(
                row["accelerator_id"], row["quantity"], float(row["value"]), row["unit"], "published",
                ((row["source_id"], row["locator"]),), note=row["note"],
            )
            for row in rows
        }
    )  # fmt: skip


def fact(catalog: Catalog, part: str, quantity: str) -> Datum | None:
    """What chiplets.csv says.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    quantity : str
        A word of the table.

    Returns
    -------
    Datum or None
        None where it has no row.
    """
    return _facts(catalog.published).get((part, quantity))


def cell(catalog: Catalog, part: Accelerator, field: str) -> Datum:
    """One cell of the specification table with the sources that agree with it.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    part : Accelerator
        The part.
    field : str
        A column of accelerators.csv.

    Returns
    -------
    Datum
        Unknown where the cell is blank; stated where the part is the reader's own.
    """
    found = getattr(part, field)
    unit = catalog.columns["accelerators", field].unit
    cells = catalog.spec_cells.get((part.accelerator_id, field), ())
    agreeing = [one for one in cells if one.agreement == "agrees"] or list(cells)
    agreeing = [one for one in agreeing if not one.source_id.startswith(_ARTICLES)] or agreeing
    sources = tuple(dict.fromkeys((one.source_id, one.locator) for one in agreeing))
    words = found if isinstance(found, str) else ""
    value = float(found) if isinstance(found, int | float) else None
    if value is None and not words:
        return Datum(part.accelerator_id, field, None, unit, "unknown")
    own = part.accelerator_id not in catalog.published.accelerators
    return Datum(part.accelerator_id, field, value, unit, "stated" if own else "published", sources, words)


def package(catalog: Catalog, part: Accelerator) -> Package:
    """How one part is put together, from the catalogue.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    part : Accelerator
        The part.

    Returns
    -------
    Package
        Unknown quantities have no value.

    Notes
    -----
    Dies are those that the specification table names, and what it does not name comes from chiplets.csv. A stack whose
    capacity no source states is the label divided by the stacks; units of one die are those of the part divided by its
    dies where they come out whole. Both are marked as derived. Where the table gives a bare number of dies, these are all.
    """
    dies = cell(catalog, part, "chiplets")
    named = _DIES.match(dies.text)
    counted = _LEADING.match(part.compute_units)
    units = cell(catalog, part, "compute_units")
    data = {
        "compute_dies": _read(dies, "compute_dies", named) or _known(catalog, part, "compute_dies"),
        "io_dies": _read(dies, "io_dies", _IO.search(dies.text)) or _known(catalog, part, "io_dies"),
        "units": Datum(
            part.accelerator_id, "units", float(counted[0]), "", units.kind, units.sources, part.compute_units
        )
        if counted
        else Datum(part.accelerator_id, "units", None, "", "unknown"),
    }
    for name in PACKAGE:
        if name not in data:
            is_cell = ("accelerators", name) in catalog.columns
            data[name] = cell(catalog, part, name) if is_cell else _known(catalog, part, name)
    if data["units_per_die"].value is None:
        data["units_per_die"] = _units_per_die(data)
    if dies.text.isdecimal() and data["io_dies"].value is None:
        data["io_dies"] = Datum(part.accelerator_id, "io_dies", None, "", "none", dies.sources)
    if data["compute_dies"].value == 1:
        sources = data["compute_dies"].sources
        data["die_link_tbs"] = Datum(part.accelerator_id, "die_link_tbs", None, "TB/s", "none", sources)
    if data["stack_gb"].value is None:
        data["stack_gb"] = _share(data["stack_gb"], cell(catalog, part, "memory_gb"), data["hbm_stacks"], "GB")
    return Package(part, MappingProxyType({name: data[name] for name in PACKAGE}), (named and named[2]) or "")


def _known(catalog: Catalog, part: Accelerator, quantity: str) -> Datum:
    return fact(catalog, part.accelerator_id, quantity) or Datum(part.accelerator_id, quantity, None, "", "unknown")


def _read(words: Datum, quantity: str, match: re.Match[str] | None) -> Datum | None:
    """A count out of the words of a cell, with the cell's sources."""
    if match is None:
        return None
    return Datum(words.accelerator_id, quantity, float(match[1]), "", words.kind, words.sources, words.text)


def _share(blank: Datum, whole: Datum, count: Datum, unit: str) -> Datum:
    """The whole divided by the count, marked as derived; unknown where one of them is."""
    if whole.value is None or not count.value:
        return blank
    sources = tuple(dict.fromkeys((*whole.sources, *count.sources)))
    return Datum(blank.accelerator_id, blank.quantity, whole.value / count.value, unit, "derived", sources)


def _units_per_die(data: Mapping[str, Datum]) -> Datum:
    found = _share(data["units_per_die"], data["units"], data["compute_dies"], "")
    return found if found.value is not None and found.value.is_integer() else data["units_per_die"]


@dataclass(frozen=True, slots=True)
class MemorySystem:
    """Capacity, bandwidth and how much of it there is for each operation, of one part."""

    part: Accelerator
    data: Mapping[str, Datum]
    rows: tuple[Datum, ...]
    """Every measured bandwidth of the part's own memory [GB/s]; `text` is the test, `note` who measured."""

    @property
    def reading(self) -> Datum:
        """The best bandwidth of a test that only reads [TB/s]."""
        return self.data["read_tbs"]


_OF_ROW: Final = ("accelerator_id", "amount", "test", "source_id", "locator", "publisher_interest")


@functools.lru_cache(maxsize=64)
def memory_systems(catalog: Catalog, parts: tuple[Accelerator, ...]) -> tuple[MemorySystem, ...]:
    """The memory of some parts with every measured bandwidth.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    parts : tuple of Accelerator
        Looked at.

    Returns
    -------
    tuple of MemorySystem
        In their order.
    """
    names = [part.accelerator_id for part in parts]
    rows = records(micro_view(catalog.measured["micro"], names, catalog.accelerators, "bandwidth").rows, _OF_ROW)
    return tuple(memory_system(catalog, part, rows) for part in parts)


def memory_system(catalog: Catalog, part: Accelerator, measured: Sequence[Mapping[str, object]]) -> MemorySystem:
    """The memory of one part: as labelled, reported, rated and measured.

    bytes per 1,000 operations = 1,000 x bandwidth / dense 16-bit peak

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    part : Accelerator
        The part.
    measured : sequence of mapping
        Rows of micro.csv with the bandwidth of the part's own memory, `amount` in GB/s.

    Returns
    -------
    MemorySystem
        Quantities of MEMORY by name.
    """
    taken = package(catalog, part)
    name = part.accelerator_id
    found = {one: taken.data[one] for one in MEMORY if one in taken.data}
    found |= {one: cell(catalog, part, one) for one in MEMORY if ("accelerators", one) in catalog.columns}
    rows = tuple(
        Datum(
            name, "bandwidth", float(str(row["amount"])), "GB/s", "measured",
            ((str(row["source_id"]), str(row["locator"])),), str(row["test"]), str(row["publisher_interest"]),
        )
        for row in measured
        if row["accelerator_id"] == name
    )  # fmt: skip
    best = max((row for row in rows if row.text.startswith(READING)), key=lambda row: row.value or 0.0, default=None)
    rated = found["memory_bandwidth_tbs"]
    peak = cell(catalog, part, PEAK_FIELDS["fp16_bf16"])
    read = Datum(name, "read_tbs", None, "TB/s", "unknown")
    share = Datum(name, "read_share", None, "", "unknown")
    if best is not None and best.value is not None:
        speed = best.value / _GB_PER_TB
        read = Datum(name, "read_tbs", speed, "TB/s", "measured", best.sources, best.text, best.note)
        if rated.value:
            both = tuple(dict.fromkeys((*best.sources, *rated.sources)))
            share = Datum(name, "read_share", speed / rated.value, "", "derived", both)
    each = Datum(name, "bytes_per_kiloflop", None, "", "unknown")
    if rated.value is not None and peak.value:
        both = tuple(dict.fromkeys((*rated.sources, *peak.sources)))
        each = Datum(name, "bytes_per_kiloflop", _KILO * rated.value / peak.value, "", "derived", both)
    found |= {"read_tbs": read, "read_share": share, "bytes_per_kiloflop": each}
    return MemorySystem(part, MappingProxyType({one: found[one] for one in MEMORY}), rows)


@dataclass(frozen=True, slots=True)
class FormatRate:
    """The peak of one part in one format: dense, what a claim with sparsity says, and whether it has such units."""

    part: Accelerator
    format: str
    dense: Datum
    sparse: Datum | None
    """None where the catalogue holds no sparse figures of the format."""


def format_rate(catalog: Catalog, part: Accelerator, named: str) -> FormatRate:
    """What one part computes in one format.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    part : Accelerator
        The part.
    named : str
        One of FORMATS.

    Returns
    -------
    FormatRate
        A part that a source says to have no units of the format is marked "none", with that source.
    """
    dense = cell(catalog, part, PEAK_FIELDS[named])
    if dense.value is None:
        units = fact(catalog, part.accelerator_id, f"{named}_units")
        if units is not None and units.value == 0:
            dense = Datum(part.accelerator_id, dense.quantity, None, dense.unit, "none", units.sources, note=units.note)
    sparse = cell(catalog, part, SPARSE_FIELDS[named]) if named in SPARSE_FIELDS else None
    if sparse is not None and dense.kind == "none":
        sparse = Datum(part.accelerator_id, sparse.quantity, None, sparse.unit, "none", dense.sources)
    return FormatRate(part, named, dense, sparse)


def chosen_parts(known: Mapping[str, Accelerator], asked: Sequence[str], compared: Sequence[str]) -> tuple[str, ...]:
    """The parts that are looked at: those asked for, else the first of those compared.

    Parameters
    ----------
    known : mapping of str to Accelerator
        The catalogue's.
    asked : sequence of str
        What the reader chose; unknown ones are left out.
    compared : sequence of str
        The scenario's.

    Returns
    -------
    tuple of str
        At most MOST_PARTS ids, each once.
    """
    wanted = [one for one in dict.fromkeys(asked) if one in known] or list(dict.fromkeys(compared))
    return tuple(wanted[:MOST_PARTS])
