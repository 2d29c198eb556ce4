"""Terms about parts: what the specification table says, with the sources of each cell."""

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value, number
from lib.errors import InputError
from lib.records import Doubt
from lib.units import GB, GIB

_ARTICLES: Final = "article-"
"""An article is no witness for what an article says."""
MemoryKind = Literal["label", "runtime", "driver"]
_MEMORY_FIELDS: Final[Mapping[str, str]] = {
    "label": "memory_gb",
    "runtime": "memory_runtime_gib",
    "driver": "memory_driver_gib",
}


def spec(catalog: Catalog, part: str, field: str) -> Term:
    """One cell of the specification table.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    field : str
        A field of Accelerator.

    Returns
    -------
    Term
        Number or text; an empty text where nothing is published.

    Raises
    ------
    UnknownNameError
        If there is no such part.
    InputError
        If there is no such field.
    """
    accelerator = catalog.accelerator(part)
    if ("accelerators", field) not in catalog.columns:
        raise InputError("field", field, "a column of accelerators.csv")
    cell = getattr(accelerator, field)
    value = Value(text=cell or "") if cell is None or isinstance(cell, str) else number(cell)
    unit = catalog.columns["accelerators", field].unit
    return _term(catalog, "spec", part, field, value, unit)


def memory(catalog: Catalog, part: str, kind: MemoryKind) -> Term:
    """Memory of one part in GB: the label's figure, or what the runtime or the driver reports, in 10^9 bytes.

    GB = GiB x 2^30 / 10^9

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    kind : MemoryKind
        label, runtime or driver.

    Returns
    -------
    Term
        [GB].

    Raises
    ------
    InputError
        If the kind is none of the three.
    """
    if kind not in _MEMORY_FIELDS:
        raise InputError("kind", kind, ", ".join(_MEMORY_FIELDS))
    cell = getattr(catalog.accelerator(part), _MEMORY_FIELDS[kind])
    value = Value() if cell is None else number(cell if kind == "label" else cell * GIB / GB)
    found = _term(catalog, "memory", part, _MEMORY_FIELDS[kind], value, "GB")
    return Term("memory", (part, kind), found.value, found.unit, found.sources, found.parts, doubts=found.doubts)


def dies(catalog: Catalog, part: str, name: str) -> Term:
    """How many dies of one kind a package has, read from the words of the table.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    name : str
        As the table names them: XCD, IOD, HBM3, GCD; blank for the first number.

    Returns
    -------
    Term
        A count; 0 where the table names other dies only.
    """
    words = catalog.accelerator(part).chiplets
    match = re.search(rf"(\d+) {re.escape(name)}\b" if name else r"(\d+)", words)
    value = Value() if not words else number(int(match[1]) if match else 0)
    found = _term(catalog, "dies", part, "chiplets", value, "")
    return Term("dies", (part, name), value, "", found.sources, (part,), doubts=found.doubts)


def units(catalog: Catalog, part: str) -> Term:
    """Compute units or streaming multiprocessors of one part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.

    Returns
    -------
    Term
        A count.
    """
    match = re.match(r"\d+", catalog.accelerator(part).compute_units)
    found = _term(catalog, "units", part, "compute_units", number(int(match[0])) if match else Value(), "")
    return Term("units", (part,), found.value, "", found.sources, (part,), doubts=found.doubts)


def _term(catalog: Catalog, kind: str, part: str, field: str, value: Value, unit: str) -> Term:
    cells = [one for one in catalog.spec_cells.get((part, field), ()) if not one.source_id.startswith(_ARTICLES)]
    agreeing = [cell for cell in cells if cell.agreement != "differs"] or cells
    sources = tuple(dict.fromkeys((cell.source_id, cell.locator) for cell in agreeing))
    differs = any(cell.agreement == "differs" for cell in cells)
    doubts = (Doubt("sources-differ", {"accelerator": part, "field": field}),) if differs else ()
    return Term(kind, (part, field), value, unit, sources, (part,), doubts=doubts)


TERMS: Final[Mapping[str, Callable[..., Term]]] = {"spec": spec, "memory": memory, "dies": dies, "units": units}
