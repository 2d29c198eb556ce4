"""The numbers of the page on the chips: one metric a part, the table of values with their sources, the method in short."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.chip import FORMATS, PEAK_FIELDS, SPARSE_FIELDS, Datum, FormatRate, Kind, MemorySystem, Package
from lib.choice.chip_fabric import Fabric
from lib.choice.chip_roofline import Roof
from lib.present.inside import rate_words
from lib.present.text import UNKNOWN, Words

Metric = tuple[str, str, str]
"""Label, value and help."""

_MEASURED: Final = ("read_tbs", "read_share", "all_reduce_gbs", "all_reduce_share", "pair_gbs", "link_ms")
"""Quantities that are measured or not: a blank one is not a matter of publishing."""


def package_metrics(built: Sequence[Package], _: Words) -> list[Metric]:
    """Dies and memory stacks of each part."""
    explanation = _("Dies of computing and of input and output, and stacks of memory beside them.")
    return [
        (_("{part}, dies + stacks", part=one.part.short_name), _dies_and_stacks(one, _), explanation) for one in built
    ]


def _dies_and_stacks(one: Package, _: Words) -> str:
    dies, below, stacks = (one.count(name) for name in ("compute_dies", "io_dies", "hbm_stacks"))
    if dies is None or stacks is None:
        return _(UNKNOWN)
    return f"{dies + (below or 0)} + {stacks}"


def memory_metrics(found: Sequence[MemorySystem], _: Words) -> list[Metric]:
    """Rated bandwidth of each part and what reading reached of it."""
    explanation = _("The datasheet's figure; in brackets what a test that only reads has reached of it.")
    return [(_("{part}, bandwidth", part=one.part.short_name), _tbs(one, _), explanation) for one in found]


def _tbs(one: MemorySystem, _: Words) -> str:
    rated, share = one.data["memory_bandwidth_tbs"].value, one.data["read_share"].value
    if rated is None:
        return _(UNKNOWN)
    text = f"{_.number(rated, 4)} TB/s"
    return text if share is None else f"{text} ({_.percent(share)})"


def compute_metrics(rates: Sequence[FormatRate], _: Words) -> list[Metric]:
    """Dense FP8 peak of each part."""
    explanation = _("Without sparsity, which language models do not use.")
    return [
        (_("{part}, dense FP8 TFLOPS", part=one.part.short_name), rate_words(one.dense, _), explanation)
        for one in rates
    ]


def fabric_metrics(found: Sequence[Fabric], _: Words) -> list[Metric]:
    """Best all-reduce of each part over one server."""
    explanation = _("Best measured bus bandwidth over one server; in brackets its share of the links, one way.")
    return [(_("{part}, all-reduce", part=one.part.short_name), _gbs(one, _), explanation) for one in found]


def _gbs(one: Fabric, _: Words) -> str:
    rate, share = one.data["all_reduce_gbs"].value, one.data["all_reduce_share"].value
    if rate is None:
        return _("not measured")
    text = f"{_.number(rate)} GB/s"
    return text if share is None else f"{text} ({_.percent(share)})"


def roofline_metrics(found: Sequence[Roof], _: Words) -> list[Metric]:
    """Least time per token of each part."""
    explanation = _("The least time of one decode step with all sequences in service: a bound, not a speed.")
    return [(_("{part}, TPOT at least", part=one.part.short_name), _least(one, _), explanation) for one in found]


def _least(one: Roof, _: Words) -> str:
    point = one.point("decode")
    return _("not computed") if point is None else f"{_.number(point.least_ms)} ms"


def quantity_name(catalog: Catalog, quantity: str, _: Words) -> str:
    """A quantity's name: the vocabulary's for a column of the table of parts, else the page's own.

    Parameters
    ----------
    catalog : Catalog
        The edition, for the vocabulary.
    quantity : str
        As in the rooms of `lib.choice` on chips.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    column = catalog.columns.get(("accelerators", quantity))
    if column is not None:
        return _.pick(column.label_en, column.label_zh)
    phase, point, field = quantity.partition(".")
    if point:
        return {"prefill": _("Prefill: {quantity}"), "decode": _("Decode: {quantity}")}[phase].format(
            quantity={
                "flop_per_byte": _("operations a byte"),
                "bound_tflops": _("highest rate"),
                "memory_ms": _("time at the memory"),
                "compute_ms": _("time at the matrix units"),
                "link_ms": _("time at the links"),
            }[field]
        )
    return {
        "compute_dies": _("Compute dies"),
        "io_dies": _("I/O dies"),
        "units": _("Compute units"),
        "units_per_die": _("Compute units of one die"),
        "units_on_die": _("Compute units built on one die"),
        "io_process_nm": _("Process node of the I/O dies"),
        "l2_cache": _("L2 cache"),
        "last_level_cache": _("Last-level cache"),
        "die_link_tbs": _("Link between the dies"),
        "hbm_stacks": _("Memory stacks"),
        "hbm_sites": _("Places for stacks"),
        "stack_gb": _("Capacity of one stack"),
        "bus_bits": _("Width of the memory bus"),
        "read_tbs": _("Bandwidth reached by reading"),
        "read_share": _("Reading over datasheet"),
        "bytes_per_kiloflop": _("Bytes for 1,000 dense 16-bit operations"),
        "bandwidth": _("Measured bandwidth"),
        "links": _("Links of one part"),
        "link_gbs": _("One link, both directions"),
        "switches": _("Switches in a server"),
        "one_way_gbs": _("To all peers, one way"),
        "peer_gbs": _("To one peer, one way"),
        "all_reduce_gbs": _("All-reduce over one server, bus bandwidth"),
        "all_reduce_share": _("All-reduce over the links, one way"),
        "pair_gbs": _("All-reduce over two parts, bus bandwidth"),
        "ridge": _("Operations a byte at the ridge"),
    }[quantity]


def kind_name(kind: Kind, _: Words) -> str:
    """What sort of number it is."""
    return {
        "published": _("published"),
        "derived": _("derived"),
        "measured": _("measured"),
        "bound": _("upper bound"),
        "least": _("lower bound"),
        "stated": _("your own"),
        "none": _("does not apply"),
        "unknown": _("not known"),
    }[kind]


def value_words(one: Datum, _: Words) -> str:
    """A value as people read it: shares as percentages, unknown ones saying whether nobody published or measured.

    Parameters
    ----------
    one : Datum
        Any quantity.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Without its unit.
    """
    if one.kind == "none":
        return _("none")
    if one.value is None:
        is_measured = one.quantity.rpartition(".")[2] in _MEASURED
        return one.text or (_("not measured") if is_measured else _(UNKNOWN))
    if one.quantity.endswith("_share"):
        return _.percent(one.value)
    exact = one.kind in ("published", "measured", "stated")
    return one.text if one.quantity == "units" and one.text else _.number(one.value, 6 if exact else 3)


def values_table(catalog: Catalog, data: Sequence[Datum], _: Words) -> pd.DataFrame:
    """Every value shown with its kind, source, date and place.

    Parameters
    ----------
    catalog : Catalog
        The edition, or with a reader's own parts.
    data : sequence of Datum
        In any order; those of one quantity come together.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    order = {name: place for place, name in enumerate(dict.fromkeys(one.quantity for one in data))}
    lines = []
    for one in sorted(data, key=lambda datum: order[datum.quantity]):
        sources = [catalog.source(source_id) for source_id, _place in one.sources]
        dates = [source.date for source in sources if source.date]
        remark = one.text if one.kind == "measured" else one.note
        lines.append(
            (
                quantity_name(catalog, one.quantity, _),
                catalog.accelerators[one.accelerator_id].short_name,
                value_words(one, _),
                "" if one.value is None else one.unit,
                kind_name("published" if one.kind == "none" and sources else one.kind, _),
                "; ".join(dict.fromkeys(source.title for source in sources)),
                "; ".join(dict.fromkeys(dates)) or (_("undated") if sources else ""),
                "; ".join(dict.fromkeys(place for _source_id, place in one.sources if place)),
                _("number of GPUs not stated") + remark[1:] if remark.startswith("?") else remark,
            )
        )
    heads = (
        _("Quantity"), _("Part"), _("Value"), _("Unit"), _("Kind"), _("Source"), _("Date"), _("Where"), _("Remark"),
    )  # fmt: skip
    return pd.DataFrame(lines, columns=list(heads))


def compute_data(found: Mapping[str, Sequence[FormatRate]]) -> list[Datum]:
    """The rates of all formats as quantities: dense, and sparse where the catalogue holds such figures."""
    data = []
    for named in FORMATS:
        data += [one.dense for one in found[named]]
        data += [one.sparse for one in found[named] if one.sparse is not None]
    assert {one.quantity for one in data} <= {*PEAK_FIELDS.values(), *SPARSE_FIELDS.values()}  # noqa: S101
    return data


def caption(catalog: Catalog, data: Sequence[Datum], _: Words) -> str:
    """Sources and edition below a figure."""
    titles = list(dict.fromkeys(catalog.source(name).title for one in data for name, _place in one.sources))
    named = titles[:3]
    if len(titles) > len(named):
        named.append(_("{n} more", n=len(titles) - len(named)))
    return _(
        "Sources: {sources}; each value with source and date in the table. Data edition {edition}.",
        sources=_.listing(named) or "–",
        edition=catalog.edition.label,
    )


def method(_: Words) -> str:
    """How the page's figures come about.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return "\n\n".join(
        [
            _(
                "**Dies and stacks.** Counts are true, sizes and places are not to scale. The capacity of a stack is the "
                "source's, else the label divided by the stacks. Caches keep the unit that the source writes."
            ),
            _(
                "**Memory.** Bytes for 1,000 operations = 1,000 × datasheet bandwidth / dense 16-bit peak. Reading is the best "
                "test that only reads, as decode does; points outlined are published by somebody with an interest."
            ),
            _(
                "**Compute.** Bars are dense peaks. The outlined extension is what a claim with 2:4 sparsity adds where the "
                "catalogue holds one. *None*: a source says that the part has no units of the format. *Not published*: no source."
            ),
            _(
                "**Fabric.** Tables count both directions of a link, the figure one. In a mesh one peer gets one link; behind a "
                "switch it can get all. A switch that adds on the way can show a bus bandwidth above the link."
            ),
            _(
                "**Roofline.** Rate = operations / max(bytes / bandwidth, operations / peak, all-reduce / bus bandwidth) for one GPU "
                "of the replica: prefill of one prompt, and one decode step with all sequences in service. Dashed roofs are "
                "the datasheet's, the thin solid line is measured reading. Open points are bounds."
            ),
        ]
    )
