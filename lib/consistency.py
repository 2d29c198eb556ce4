"""Facts of several tables and cells held against each other, for the check: what one cell alone cannot show to be wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.records import Accelerator, Price

_NOT_FACTS: Final = frozenset({"accelerator_id", "vendor", "name", "short_name", "status", "notes", "memory_unit_note"})
"""Names, and words of our own."""

_PEAKS: Final = (("fp16_bf16_dense_tflops", "fp16_bf16_sparse_tflops"), ("fp8_dense_tflops", "fp8_sparse_tflops"))
_NARROWER: Final = ("fp16_bf16_dense_tflops", "fp8_dense_tflops")
_ROUNDED: Final = 1.02
"""Two roundings of one figure."""

_AGREES: Final = 0.01
"""Sources round one figure in their own way: 2,500 and 2,516 TFLOPS are one."""

_OWN_WORDS: Final = frozenset({"pcie", "memory_unit_note"})
"""Fields of more than one statement: the cell joins what several sources say."""

_UNITS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "serving": {
        "output_tokens_per_s": ("tokens/s", "tokens/s/gpu"), "total_tokens_per_s": ("tokens/s", "tokens/s/gpu"),
        "requests_per_s": ("requests/s",), "ttft_ms": ("ms",), "tpot_ms": ("ms",), "itl_ms": ("ms",),
        "latency_s": ("s",),
    },
    "training": {
        "tokens_per_s_per_gpu": ("tokens/s/gpu",), "tflops_per_gpu": ("TFLOP/s/gpu",), "step_time_s": ("s",),
        "scaling_efficiency": ("ratio",),
    },
    "micro": {
        "tflops": ("TFLOPS",), "bandwidth": ("GB/s",), "bus_bandwidth": ("GB/s",), "latency_us": ("us",),
        "power": ("W",), "mlups": ("MLUPs/s",), "total_tokens_per_s_per_w": ("tokens/s/W",),
        "output_tokens_per_s_per_w": ("tokens/s/W",),
    },
}  # fmt: skip
"""Units that a metric can have: the figure is read in the metric's unit."""

_MODEL_COLUMN: Final[Mapping[str, str]] = {
    "serving": "model", "training": "model", "mlperf_inference": "model", "mlperf_training": "benchmark",
}  # fmt: skip
"""Where a measured table writes the model's published name."""


def problems(catalog: Catalog) -> Iterator[str]:
    """Every contradiction between cells, one sentence each: yields nothing when the tables agree.

    Parameters
    ----------
    catalog : Catalog
        Each cell is valid for itself.

    Returns
    -------
    iterator of str
        Table, row, and what to mend.
    """
    for part in catalog.accelerators.values():
        yield from _of_part(catalog, part)
    for price in catalog.prices:
        yield from _of_price(price, catalog.edition.date)
    for table in _UNITS:
        yield from _of_units(table, catalog.measured[table])
    yield from _of_ranks(catalog.measured["serving"])
    for table, column in _MODEL_COLUMN.items():
        yield from _of_names(catalog, table, column)


def _of_part(catalog: Catalog, part: Accelerator) -> Iterator[str]:
    where = f"data/accelerators.csv, {part.accelerator_id}"
    for field in fields(Accelerator):
        stated = getattr(part, field.name)
        if stated in (None, "") or field.name in _NOT_FACTS:
            continue
        if (part.accelerator_id, field.name) not in catalog.spec_cells:
            yield f"{where}: {field.name} has no source: add its row to data/spec_sources.csv, or leave the cell blank"
            continue
        yield from _of_statements(catalog, part, field.name, stated)
    seen = [one for one in (part.memory_runtime_gib, part.memory_driver_gib, part.memory_gb) if one is not None]
    if seen != sorted(seen):
        yield f"{where}: memory as the runtime reports it, as the driver does and as labelled must not fall: {seen}"
    for dense_field, sparse_field in _PEAKS:
        dense, sparse = getattr(part, dense_field), getattr(part, sparse_field)
        if dense and sparse and not sparse / _ROUNDED <= 2 * dense <= sparse * _ROUNDED:
            yield f"{where}: {sparse_field} must be twice {dense_field}; is a sparse figure in the dense cell?"
    wide, narrow = (getattr(part, name) for name in _NARROWER)
    if wide and narrow and narrow > 2 * wide * _ROUNDED:
        yield f"{where}: fp8_dense_tflops is more than twice the 16-bit peak; is it a figure with sparsity?"


def _of_statements(catalog: Catalog, part: Accelerator, field: str, stated: str | float) -> Iterator[str]:
    """The rows of spec_sources.csv behind one cell: what they call agreement must be one."""
    where = f"data/spec_sources.csv, {part.accelerator_id}, {field}"
    cells = catalog.spec_cells[part.accelerator_id, field]
    if not any(cell.agreement == "agrees" for cell in cells):
        yield f"{where}: no row agrees with the cell of data/accelerators.csv, {stated}"
    unit = catalog.columns["accelerators", field].unit
    for cell in cells:
        if cell.unit and cell.unit != unit:
            yield f"{where}: {cell.source_id} is in {cell.unit}, and the cell in {unit or 'no unit'}"
        if cell.agreement == "agrees" and not _is_one(cell.value, stated) and field not in _OWN_WORDS:
            yield (
                f"{where}: {cell.source_id} states {cell.value} and is said to agree with {stated}: mend the cell, or mark "
                "the row `differs`"
            )


def _is_one(text: str, stated: str | float) -> bool:
    """Whether a source's value is the cell's, within the roundings of numbers."""
    if isinstance(stated, str):
        return text == stated
    try:
        return abs(float(text) - stated) <= _AGREES * abs(stated)
    except ValueError:
        return False


def _of_units(table: str, rows: pd.DataFrame) -> Iterator[str]:
    known = _UNITS[table]
    metric, unit = rows["metric"].astype(str), rows["unit"].astype(str)
    wrong = pd.Series([one not in known.get(name, ()) for name, one in zip(metric, unit, strict=True)], rows.index)
    for label in rows.index[wrong]:
        may = " or ".join(known.get(metric[label], ())) or "a metric whose unit is known: add it to lib/consistency.py"
        yield f"{_line(table, label)}: {metric[label]} is in {unit[label]}; it must be {may}"
    if "unit_basis" in rows:
        basis = rows["unit_basis"].astype(str)
        for label in rows.index[unit.str.endswith("/gpu") != (basis == "gpu")]:
            yield f"{_line(table, label)}: {unit[label]} is not a figure of the {basis[label]}; unit and unit_basis differ"


def _of_ranks(rows: pd.DataFrame) -> Iterator[str]:
    count, ranks = rows["accelerator_count"], rows["tensor_parallel"]
    for label in rows.index[(ranks > count) | (count % ranks > 0)]:
        yield (
            f"{_line('serving', label)}: {count[label]:g} accelerators cannot be shared out in groups of {ranks[label]:g} "
            "(tensor_parallel)"
        )


def _of_names(catalog: Catalog, table: str, column: str) -> Iterator[str]:
    rows = catalog.measured[table]
    names, ids = rows[column].astype(str), rows["model_id"].astype(str)
    for label in rows.index[names.map(catalog.model_aliases) != ids]:
        known = catalog.model_aliases.get(names[label], "no model")
        yield (
            f"{_line(table, label)}: {names[label]} is {known or 'no model of models.csv'} in data/model_aliases.csv, and "
            f"{ids[label] or 'blank'} here"
        )


def _line(table: str, label: int) -> str:
    """A row of a measured table as an editor counts it: these tables have one line a row."""
    return f"data/{table}.csv, line {label + 2}"


def _of_price(price: Price, today: str) -> Iterator[str]:
    where = f"data/prices.csv, {price.price_id}"
    if price.quality == "dated-list" and not price.as_of:
        yield f"{where}: a dated-list price needs its date in as_of; without one it is an undated-list price"
    if price.as_of and price.as_of > today:
        yield f"{where}: as_of {price.as_of} lies after the edition's day, {today}"
    if price.low > price.high:
        yield f"{where}: low is above high"
