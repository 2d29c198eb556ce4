"""What a part can do in a second: dense peaks by format, memory bandwidth, and measured all-reduce bandwidth."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from lib.catalog import Catalog
from lib.records import Accelerator, KvFormat, WeightFormat
from lib.sizing.layouts import domain_of
from lib.units import GB, TB

TERA: Final = 1e12
UNLIMITED: Final = float("inf")
"""Stands for a roof that nobody has published: what is computed under it stays an upper bound."""

_EIGHT_BIT: Final = ("fp8-tensor", "fp8-channel", "fp8-block128", "mxfp8")
_FOUR_BIT: Final = ("mxfp4", "nvfp4")

LINK_USED: Final = 0.45
"""Measured bus bandwidth over the link's published one, both directions added; the middle of four parts.

A100 0.39, H100 0.53, B200 0.47, MI300X 0.35: for estimates on switched parts whose bus bandwidth nobody has measured."""

MESH_VENDOR: Final = "AMD"
"""Its servers join each GPU to each other one by a link of their own; the others' go through a switch."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Roofs of one GPU for one set of formats and ranks; infinite where not known [FLOP/s, bytes/s].

    `bus` is measured and infinite where nobody has measured; `bus_expected` is what an estimate takes.
    """

    bandwidth: float
    plain: float
    quantised: float
    expert: float
    attention: float
    bus: float
    bus_expected: float

    @property
    def knows_peaks(self) -> bool:
        """Whether all the peaks are known."""
        return max(self.plain, self.quantised, self.expert, self.attention) < UNLIMITED


def peak_flops_per_s(accelerator: Accelerator, weight_format: str) -> float:
    """Dense peak at which a part computes with weights of a format; infinite where not known [FLOP/s].

    Parameters
    ----------
    accelerator : Accelerator
        The part.
    weight_format : str
        Word of the format.

    Returns
    -------
    float
        Dense peak, an upper bound [FLOP/s].

    Notes
    -----
    A format that the part has no units for is emulated at 16 bit, and formats that only store in fewer bits (int4,
    nf4) are computed at 16 bit. An 8-bit micro-scaled format runs at the 8-bit peak also where the scales are applied
    in software.

    Examples
    --------
    >>> from dataclasses import fields
    >>> blank = {one.name: None for one in fields(Accelerator)}
    >>> part = Accelerator(**{**blank, "fp16_bf16_dense_tflops": 1307.4, "fp8_dense_tflops": 2614.9})
    >>> [peak_flops_per_s(part, word) / 1e12 for word in ("bf16", "fp8-block128", "mxfp4")]
    [1307.4, 2614.9, 1307.4]
    """
    wide = accelerator.fp16_bf16_dense_tflops
    narrow: float | None = None
    if weight_format in _EIGHT_BIT:
        narrow = accelerator.fp8_dense_tflops
    elif weight_format in _FOUR_BIT:
        narrow = accelerator.fp4_dense_tflops
    elif weight_format == "int8":
        narrow = accelerator.int8_dense_tops
    known = [one for one in (wide, narrow) if one is not None]
    return max(known) * TERA if known and wide is not None else UNLIMITED


def rates(
    catalog: Catalog,
    accelerator: Accelerator,
    experts: WeightFormat,
    rest: WeightFormat,
    kv_format: KvFormat,
    ranks: int,
) -> Rates | None:
    """The roofs of one GPU; None where not even its memory bandwidth is known.

    Parameters
    ----------
    catalog : Catalog
        For the measured bus bandwidths.
    accelerator : Accelerator
        The part.
    experts : WeightFormat
        Format of routed experts.
    rest : WeightFormat
        Format of everything else.
    kv_format : KvFormat
        With an 8-bit cache attention may run at the 8-bit peak.
    ranks : int
        Tensor-parallel size.

    Returns
    -------
    Rates or None
        Dense peaks, bandwidth, bus.
    """
    if accelerator.memory_bandwidth_tbs is None:
        return None
    measured = bus_bandwidths(catalog)
    bus = measured.get((accelerator.accelerator_id, ranks), UNLIMITED)
    return Rates(
        bandwidth=accelerator.memory_bandwidth_tbs * TB,
        plain=peak_flops_per_s(accelerator, "bf16"),
        quantised=peak_flops_per_s(accelerator, rest.weight_format),
        expert=peak_flops_per_s(accelerator, experts.weight_format),
        attention=peak_flops_per_s(accelerator, "fp8-tensor" if kv_format == "fp8" else "bf16"),
        bus=bus,
        bus_expected=bus if bus < UNLIMITED else _expected_bus(catalog, accelerator, ranks),
    )


@functools.lru_cache(maxsize=8)
def bus_bandwidths(catalog: Catalog) -> Mapping[tuple[str, int], float]:
    """The highest measured all-reduce bus bandwidth of each part and number of ranks [bytes/s].

    Parameters
    ----------
    catalog : Catalog
        With the micro-benchmarks.

    Returns
    -------
    Mapping
        (accelerator id, ranks) -> bytes per second. Rows that state no count are those of a whole server.
    """
    table = catalog.measured["micro"]
    rows = table[(table["metric"] == "bus_bandwidth") & (table["test"] == "all_reduce")]
    found: dict[tuple[str, int], float] = {}
    for part, count, value in zip(rows["accelerator_id"], rows["accelerator_count"], rows["value"], strict=True):
        record = catalog.accelerators.get(str(part))
        ranks = int(count) if count == count else record.gpus_per_node if record else None
        if ranks:
            found[part, ranks] = max(found.get((part, ranks), 0.0), float(value) * GB)
    return MappingProxyType(found)


def _expected_bus(catalog: Catalog, accelerator: Accelerator, ranks: int) -> float:
    """Bus bandwidth without a measurement, from what is nearest to it.

    Across servers: between the part's own counts across servers; without one, the lowest that anybody measured across
    servers, and no more than a server of the part reaches within itself.
    """
    domain = _domain(accelerator)
    if ranks <= domain:
        return _within(catalog, accelerator, ranks)
    measured = bus_bandwidths(catalog)
    own = {count: value for count, value in _counts_of(measured, accelerator.accelerator_id).items() if count > domain}
    if own:
        return _between(own, ranks)
    return min(_across_servers(catalog), _within(catalog, accelerator, domain))


def _within(catalog: Catalog, accelerator: Accelerator, ranks: int) -> float:
    """Bus bandwidth inside the scale-up domain, which a measurement at fewer ranks of it stands for as well.

    In this order: between the part's other counts; in a mesh, where fewer ranks have fewer links between them, as much
    of the links as the measured mesh reaches with so many; its link's usual share; the lowest known.
    """
    measured = bus_bandwidths(catalog)
    own = _inside(measured, accelerator)
    if own:
        return _between(own, ranks)
    curve = _mesh_curve(catalog)
    if accelerator.interconnect_gbs is not None and accelerator.vendor == MESH_VENDOR and curve is not None:
        like, values = curve
        return _between(values, ranks) * accelerator.interconnect_gbs / like
    if accelerator.interconnect_gbs is not None:
        return accelerator.interconnect_gbs * GB * LINK_USED
    return min(measured.values(), default=UNLIMITED)


def _domain(accelerator: Accelerator) -> int:
    return domain_of(accelerator.gpus_per_node, accelerator.max_scale_up_gpus)


def _across_servers(catalog: Catalog) -> float:
    """The lowest bus bandwidth that was measured of any part over more ranks than it joins by links of its own."""
    measured = bus_bandwidths(catalog)
    found = [
        value
        for (name, count), value in measured.items()
        if (part := catalog.accelerators.get(name)) is not None and count > _domain(part)
    ]
    return min(found, default=UNLIMITED)


def _inside(measured: Mapping[tuple[str, int], float], part: Accelerator) -> dict[int, float]:
    """What was measured of a part within its scale-up domain."""
    own = _counts_of(measured, part.accelerator_id)
    return {count: value for count, value in own.items() if count <= _domain(part)}


def _counts_of(measured: Mapping[tuple[str, int], float], part: str) -> dict[int, float]:
    return {count: value for (name, count), value in measured.items() if name == part}


def _between(values: Mapping[int, float], ranks: int) -> float:
    counts = sorted(values)
    return float(np.interp(ranks, counts, [values[count] for count in counts]))


def _mesh_curve(catalog: Catalog) -> tuple[float, dict[int, float]] | None:
    """The mesh measured at most numbers of ranks: its link [GB/s] and its bus bandwidth by ranks [bytes/s]."""
    measured = bus_bandwidths(catalog)
    curves = [
        (part.interconnect_gbs, _inside(measured, part))
        for part in catalog.accelerators.values()
        if part.vendor == MESH_VENDOR and part.interconnect_gbs is not None
    ]
    known = [(link, values) for link, values in curves if values]
    return max(known, key=lambda one: len(one[1]), default=None)
