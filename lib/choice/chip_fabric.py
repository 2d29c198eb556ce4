"""How the parts of a server are joined: links, mesh or switch, what one peer gets, and all-reduce as measured."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.chip import Datum, cell, fact
from lib.choice.micro_view import micro_view
from lib.choice.table import records
from lib.records import Accelerator

Topology = Literal["mesh", "switch", "bridge", "ethernet", "none", "unknown"]

FABRIC: Final = (
    "interconnect_name", "links", "link_gbs", "switches", "one_way_gbs", "peer_gbs", "gpus_per_node", "max_scale_up_gpus",
    "all_reduce_gbs", "all_reduce_share", "pair_gbs",
)  # fmt: skip
_DIRECTIONS: Final = 2
_NO_DIRECTION: Final = "interconnect_gbs: direction not stated"
"""What the note of a part says whose bandwidth may count one direction or both: nothing is derived from it."""
_MARKS: Final[tuple[tuple[str, Topology], ...]] = (
    ("mesh", "mesh"), ("switch", "switch"), ("bridge", "bridge"), ("roce", "ethernet"), ("none", "none"),
)  # fmt: skip
"""What the name of a link says of its shape, in lower case; the first that is found decides."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """The links of one part: quantities of FABRIC by name, their shape, and every all-reduce row of its server."""

    part: Accelerator
    topology: Topology
    data: Mapping[str, Datum]
    rows: tuple[Datum, ...]
    """Best row of each source over a whole server [GB/s]; `text` is library and message, `note` who measured."""


def topology_of(part: Accelerator) -> Topology:
    """The shape of the links, as their name in the specification table says.

    Parameters
    ----------
    part : Accelerator
        The part.

    Returns
    -------
    Topology
        "unknown" where the name says nothing of it.
    """
    name = part.interconnect_name.lower()
    return next((shape for mark, shape in _MARKS if mark in name), "unknown")


_OF_ROW: Final = (
    "accelerator_id", "accelerator_count", "amount", "software", "shape_or_size", "source_id", "locator",
    "publisher_interest",
)  # fmt: skip


@functools.lru_cache(maxsize=64)
def fabrics(catalog: Catalog, parts: tuple[Accelerator, ...]) -> tuple[Fabric, ...]:
    """How some parts reach their peers.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    parts : tuple of Accelerator
        Looked at.

    Returns
    -------
    tuple of Fabric
        In their order.
    """
    names = [part.accelerator_id for part in parts]
    rows = records(micro_view(catalog.measured["micro"], names, catalog.accelerators, "all_reduce").rows, _OF_ROW)
    return tuple(fabric(catalog, part, rows) for part in parts)


def fabric(catalog: Catalog, part: Accelerator, measured: Sequence[Mapping[str, Any]]) -> Fabric:
    """How one part reaches its peers.

    mesh: one way to one peer = bandwidth of one link / 2; switch: = bandwidth of all links / 2

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    part : Accelerator
        The part.
    measured : sequence of mapping
        Rows of micro.csv with the bus bandwidth of all-reduce, `amount` in GB/s and `size` in bytes.

    Returns
    -------
    Fabric
        Unknown quantities have no value.

    Notes
    -----
    Link bandwidths of the table count both directions, bus bandwidth counts one. A switch that adds up on the way can
    show a bus bandwidth above the link. Rows over a whole server count; one that does not state its GPUs is used only
    where no other is there.
    """
    name = part.accelerator_id
    shape = topology_of(part)
    rated = cell(catalog, part, "interconnect_gbs")
    links = fact(catalog, name, "links") or _nothing(name, "links")
    each = fact(catalog, name, "link_gbs")
    if each is None and rated.value is not None and links.value:
        each = Datum(name, "link_gbs", rated.value / links.value, "GB/s", "derived", (*rated.sources, *links.sources))
    each = each or _nothing(name, "link_gbs", "GB/s")
    whole = _half(rated, "one_way_gbs") if _NO_DIRECTION not in part.notes else _nothing(name, "one_way_gbs", "GB/s")
    peer = {"mesh": _half(each, "peer_gbs"), "switch": _half(rated, "peer_gbs")}.get(
        shape, _nothing(name, "peer_gbs", "GB/s")
    )
    own = [row for row in measured if row["accelerator_id"] == name]
    size = part.gpus_per_node
    stated = [row for row in own if row["accelerator_count"] == size]
    unstated = [row for row in own if row["accelerator_count"] is None]
    best = _best(name, "all_reduce_gbs", stated or unstated)
    share = _nothing(name, "all_reduce_share")
    if best.value is not None and whole.value:
        share = Datum(
            name, "all_reduce_share", best.value / whole.value, "", "derived",
            tuple(dict.fromkeys((*best.sources, *whole.sources))),
        )  # fmt: skip
    data = {
        "interconnect_name": cell(catalog, part, "interconnect_name"),
        "links": links,
        "link_gbs": each,
        "switches": fact(catalog, name, "switches") or _nothing(name, "switches"),
        "one_way_gbs": whole,
        "peer_gbs": peer,
        "gpus_per_node": cell(catalog, part, "gpus_per_node"),
        "max_scale_up_gpus": cell(catalog, part, "max_scale_up_gpus"),
        "all_reduce_gbs": best,
        "all_reduce_share": share,
        "pair_gbs": _best(name, "pair_gbs", [row for row in own if row["accelerator_count"] == _DIRECTIONS]),
    }
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for row in (*stated, *unstated):
        by_source.setdefault(f"{row['source_id']}{row['accelerator_count']}", []).append(row)
    rows = tuple(_best(name, "all_reduce_gbs", members) for members in by_source.values())
    return Fabric(part, shape, MappingProxyType({one: data[one] for one in FABRIC}), rows)


def shapes(found: Sequence[Fabric]) -> tuple[Fabric, ...]:
    """One part for each way of being joined, so that a drawing does not stand twice.

    Parameters
    ----------
    found : sequence of Fabric
        The parts looked at.

    Returns
    -------
    tuple of Fabric
        Parts whose shape is known, the first of each shape, number of links and size of domain.
    """
    first: dict[tuple[object, ...], Fabric] = {}
    for one in found:
        counts = tuple(one.data[name].value for name in ("links", "switches", "max_scale_up_gpus"))
        if one.topology in ("mesh", "switch"):
            first.setdefault((one.topology, *counts), one)
    return tuple(first.values())


def _nothing(part: str, quantity: str, unit: str = "") -> Datum:
    return Datum(part, quantity, None, unit, "unknown")


def _half(both: Datum, quantity: str) -> Datum:
    """One direction of a bandwidth that counts both."""
    if both.value is None:
        return _nothing(both.accelerator_id, quantity, "GB/s")
    value = both.value / _DIRECTIONS
    return Datum(both.accelerator_id, quantity, value, "GB/s", "derived", both.sources)


def _best(part: str, quantity: str, rows: Sequence[Mapping[str, Any]]) -> Datum:
    """The row of the highest bus bandwidth; a text that begins with a question mark has no count of GPUs."""
    row = max(rows, key=lambda one: float(one["amount"]), default=None)
    if row is None:
        return _nothing(part, quantity, "GB/s")
    count = row["accelerator_count"]
    what = ", ".join(str(one) for one in (row["software"], row["shape_or_size"]) if one)
    text = f"? {what}" if count is None else what
    return Datum(
        part, quantity, float(row["amount"]), "GB/s", "measured", ((str(row["source_id"]), str(row["locator"])),),
        text, str(row["publisher_interest"]),
    )  # fmt: skip
