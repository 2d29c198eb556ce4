"""Facts of several tables and cells held against each other, for the check: what one cell alone cannot show to be wrong."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from lib.catalog import Catalog
from lib.records import Accelerator, Price

_NOT_FACTS: Final = frozenset({"accelerator_id", "vendor", "name", "short_name", "status", "notes", "memory_unit_note"})
"""Names, and words of our own."""

_PEAKS: Final = (("fp16_bf16_dense_tflops", "fp16_bf16_sparse_tflops"), ("fp8_dense_tflops", "fp8_sparse_tflops"))
_NARROWER: Final = ("fp16_bf16_dense_tflops", "fp8_dense_tflops")
_ROUNDED: Final = 1.02
"""Two roundings of one figure."""


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


def _of_part(catalog: Catalog, part: Accelerator) -> Iterator[str]:
    where = f"data/accelerators.csv, {part.accelerator_id}"
    for field in fields(Accelerator):
        stated = getattr(part, field.name)
        if stated in (None, "") or field.name in _NOT_FACTS:
            continue
        if (part.accelerator_id, field.name) not in catalog.spec_cells:
            yield f"{where}: {field.name} has no source: add its row to data/spec_sources.csv, or leave the cell blank"
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


def _of_price(price: Price, today: str) -> Iterator[str]:
    where = f"data/prices.csv, {price.price_id}"
    if price.quality == "dated-list" and not price.as_of:
        yield f"{where}: a dated-list price needs its date in as_of; without one it is an undated-list price"
    if price.as_of and price.as_of > today:
        yield f"{where}: as_of {price.as_of} lies after the edition's day, {today}"
    if price.low > price.high:
        yield f"{where}: low is above high"
