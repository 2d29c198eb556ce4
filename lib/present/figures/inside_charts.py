"""The chips in numbers: memory, compute by format, fabric."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.chip import Datum, FormatRate, MemorySystem
from lib.choice.chip_fabric import Fabric
from lib.present.figures.points import OUTLINE, hover, titled
from lib.present.figures.style import FONT, Figure, Ground, Look, ground, label_width
from lib.present.inside import (
    compute_title,
    fabric_title,
    format_name,
    memory_title,
    rate_words,
)
from lib.present.text import UNKNOWN, Words

_INDEPENDENT: Final = "independent"
_ROW: Final = 34
_ROOM: Final = 1.28
"""So much longer is an axis than its longest bar, for the label behind it."""

Looks = Mapping[str, Look]


def memory_chart(found: Sequence[MemorySystem], look: Looks, _: Words, *, dark: bool) -> Figure:
    """Capacity, bandwidth and bytes for each operation as three panels under each other, a row a part.

    Parameters
    ----------
    found : sequence of MemorySystem
        The parts looked at.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; each mark carries part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    names = [one.part.short_name for one in found]
    capacity = [_usable(one) for one in found]
    rated = [one.data["memory_bandwidth_tbs"] for one in found]
    each = [one.data["bytes_per_kiloflop"] for one in found]
    traces = [
        _bars(capacity, names, look, _, axis="", unit="GiB"),
        _bars(each, names, look, _, axis="3", unit=""),
        _points(found, look, colours, axis="2"),
        _ends(rated, [_reached(one, _) for one in found], names, colours, axis="2"),
    ]
    heads = (
        _("Memory as reported, GiB"),
        _("Bandwidth, TB/s: dashed the datasheet, points measured"),
        _("Bytes for 1,000 dense 16-bit operations"),
    )
    limits = [_longest(capacity), _longest(rated), _longest(each)]
    shapes = [_dashed(at, one.value, look[one.accelerator_id].colour, "2") for at, one in enumerate(rated) if one.value]
    outlined = any(row.note != _INDEPENDENT for one in found for row in one.rows)
    drawn = titled(
        traces,
        colours,
        memory_title(found, _),
        [_("Outlined: the publisher has an interest, or its interest is not known") if outlined else ""],
        height=3 * (_ROW * len(found) + 44) + 8,
        left=label_width(names),
        shapes=shapes,
        bargap=0.45,
    )
    _stack_panels(drawn, names, heads, limits, colours)
    return drawn


def _usable(one: MemorySystem) -> Datum:
    """Memory as the runtime reports it, else the driver."""
    runtime, driver = one.data["memory_runtime_gib"], one.data["memory_driver_gib"]
    return runtime if runtime.value is not None else driver


def _reached(one: MemorySystem, _: Words) -> str:
    rated, share = one.data["memory_bandwidth_tbs"].value, one.data["read_share"].value
    if rated is None:
        return _(UNKNOWN)
    reached = _("reading not measured") if share is None else _("reading {share}", share=_.percent(share))
    return f"{_.number(rated, 4)} TB/s; {reached}"


def _longest(data: Sequence[Datum]) -> float:
    return max((one.value for one in data if one.value is not None), default=1.0)


def _customdata(data: Sequence[Datum]) -> list[list[Any]]:
    return [[one.accelerator_id, one.quantity, one.value] for one in data]


def _bars(
    data: Sequence[Datum], names: Sequence[str], look: Looks, _: Words, *, axis: str, unit: str
) -> dict[str, Any]:
    """A bar for each part with its value behind it; unknown ones say so."""
    words = [f"{_.number(one.value, 5 if one.kind != 'derived' else 3)} {unit}".strip() for one in data]
    words = [text if one.value is not None else _(UNKNOWN) for text, one in zip(words, data, strict=True)]
    return {
        "type": "bar",
        "orientation": "h",
        "x": [one.value or 0 for one in data],
        "y": list(range(len(names))),
        "text": words,
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": [look[one.accelerator_id].colour for one in data]},
        "customdata": _customdata(data),
        "hovertext": [f"{name}: {text}" for name, text in zip(names, words, strict=True)],
        "hoverinfo": "text",
        **_axes(axis),
    }


def _points(found: Sequence[MemorySystem], look: Looks, colours: Ground, *, axis: str) -> dict[str, Any]:
    """Every measured bandwidth on its part's row; those of reading are larger."""
    rows = [(at, row) for at, one in enumerate(found) for row in one.rows]
    reading = {(one.reading.accelerator_id, one.reading.text, one.reading.value) for one in found}
    amounts = [(row.value or 0.0) / 1000 for _at, row in rows]
    best = [(row.accelerator_id, row.text, amount) in reading for amount, (_at, row) in zip(amounts, rows, strict=True)]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": amounts,
        "y": [at for at, _row in rows],
        "marker": {
            "color": [look[row.accelerator_id].colour for _at, row in rows],
            "symbol": [look[row.accelerator_id].marker for _at, row in rows],
            "size": [12 if one else 7 for one in best],
            "line": {
                "color": colours.text,
                "width": [0 if row.note == _INDEPENDENT else OUTLINE / 2 for _at, row in rows],
            },
        },
        "customdata": [[row.accelerator_id, row.quantity, row.value, *row.sources[0]] for _at, row in rows],
        "hovertext": [hover(f"{row.value:,.0f} GB/s, {row.text}", ", ".join(row.sources[0])) for _at, row in rows],
        "hoverinfo": "text",
        **_axes(axis),
    }


def _ends(
    data: Sequence[Datum], words: Sequence[str], names: Sequence[str], colours: Ground, *, axis: str
) -> dict[str, Any]:
    """Words above the beginning of each row, for rows whose bar has no end of its own."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [0] * len(data),
        "y": [at - 0.36 for at in range(len(names))],
        "text": list(words),
        "textposition": "middle right",
        "textfont": {"size": 11, "color": colours.text},
        "customdata": _customdata(data),
        "hoverinfo": "skip",
        "cliponaxis": False,
        **_axes(axis),
    }


def _dashed(row: int, end: float, colour: str, axis: str, half: float = 0.2) -> dict[str, Any]:
    """A bound as a dashed outline from zero."""
    return {
        "type": "rect",
        "xref": f"x{axis}",
        "yref": f"y{axis}",
        "x0": 0,
        "x1": end,
        "y0": row - half + 0.08,
        "y1": row + half + 0.08,
        "line": {"color": colour, "width": 1.5, "dash": "dash"},
        "fillcolor": "rgba(0,0,0,0)",
        "layer": "below",
    }


def _axes(number: str) -> dict[str, str]:
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def _stack_panels(
    drawn: Figure, names: Sequence[str], heads: Sequence[str], limits: Sequence[float], colours: Ground
) -> None:
    """Panels of the same rows under each other, each with its own axis and its head."""
    layout = drawn["layout"]
    layout["margin"]["b"] = 8
    inner = layout["height"] - layout["margin"]["t"] - 8
    gap = 30 / inner
    share = (1 - gap * (len(heads) - 1) - gap) / len(heads)
    base_x, base_y = dict(layout["xaxis"]), dict(layout["yaxis"])
    notes = []
    top = 1 - gap
    for place, (head, limit) in enumerate(zip(heads, limits, strict=True), start=1):
        number = "" if place == 1 else str(place)
        span = [max(top - share, 0), top]
        layout[f"xaxis{number}"] = {
            **base_x, "anchor": f"y{number}", "range": [0, limit * _ROOM], "showticklabels": False, "ticklabeloverflow": "allow",
        }  # fmt: skip
        layout[f"yaxis{number}"] = {
            **base_y, "anchor": f"x{number}", "domain": span, "range": [len(names) - 0.5, -0.7], "tickvals": list(range(len(names))),
            "ticktext": list(names), "showgrid": False, "ticklabeloverflow": "allow",
        }  # fmt: skip
        notes.append(
            {
                "text": head, "xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom",
                "showarrow": False, "align": "left", "font": {"family": FONT, "size": 12, "color": colours.muted},
            }
        )  # fmt: skip
        top -= share + gap
    layout["annotations"] = notes


def compute_chart(found: Mapping[str, Sequence[FormatRate]], look: Looks, _: Words, *, dark: bool) -> Figure:
    """Dense peaks by format as bars, and what a claim with sparsity adds as an outlined extension named as such.

    Parameters
    ----------
    found : mapping of str to sequence of FormatRate
        By format, each with all parts in one order.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; each bar carries part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    formats = list(found)
    parts = [one.part for one in found[formats[0]]]
    traces = []
    for place, part in enumerate(parts):
        rates = [found[named][place] for named in formats]
        colour = look[part.accelerator_id].colour
        names = [format_name(named, _) for named in formats]
        words = [rate_words(one.dense, _) for one in rates]
        shared = {
            "type": "bar",
            "orientation": "h",
            "y": names,
            "offsetgroup": part.accelerator_id,
            "hoverinfo": "text",
        }
        traces.append(
            {
                **shared,
                "x": [one.dense.value or 0 for one in rates],
                "text": words,
                "textposition": "outside",
                "textfont": {"size": 11, "color": colours.text},
                "cliponaxis": False,
                "marker": {"color": colour},
                "customdata": _customdata([one.dense for one in rates]),
                "hovertext": [
                    f"{part.short_name}, {name}: {text} {one.dense.unit if one.dense.value else ''}".rstrip()
                    for name, text, one in zip(names, words, rates, strict=True)
                ],
            }
        )
        claimed = [one for one in rates if one.sparse is not None and one.sparse.value is not None and one.dense.value]
        if claimed:
            traces.append(
                {
                    **shared,
                    "y": [format_name(one.format, _) for one in claimed],
                    "base": [one.dense.value for one in claimed],
                    "x": [_more(one) for one in claimed],
                    "marker": {"color": "rgba(0,0,0,0)", "line": {"color": colour, "width": 1}},
                    "customdata": _customdata([one.sparse for one in claimed if one.sparse is not None]),
                    "hovertext": [
                        _(
                            "{part}, {format}: a claim with sparsity says {rate} TFLOPS",
                            part=part.short_name,
                            format=format_name(one.format, _),
                            rate=rate_words(one.sparse, _) if one.sparse is not None else "",
                        )
                        for one in claimed
                    ],
                }
            )
    names = [format_name(named, _) for named in formats]
    longest = max(
        (value for rates in found.values() for one in rates for value in (one.dense.value, one.sparse and one.sparse.value) if value),
        default=1.0,
    )  # fmt: skip
    return titled(
        traces,
        colours,
        compute_title(found, _),
        [_("TFLOPS (INT8: TOPS) of the matrix units; filled: dense; outlined: what a claim with 2:4 sparsity adds")],
        height=len(formats) * (19 * len(parts) + 14) + 40,
        left=label_width(names),
        keys=[(look[part.accelerator_id], part.short_name) for part in parts],
        barmode="group",
        bargap=0.18,
        x={"range": [0, longest * 1.12], "tickformat": ",~r"},
        y={"autorange": "reversed", "categoryorder": "array", "categoryarray": names, "showgrid": False},
    )


def _more(one: FormatRate) -> float:
    """What the sparse figure adds to the dense one."""
    sparse = one.sparse.value if one.sparse is not None else None
    return (sparse or 0.0) - (one.dense.value or 0.0)


def fabric_chart(found: Sequence[Fabric], look: Looks, _: Words, *, dark: bool) -> Figure:
    """One way: the links to all peers as a dashed bound, what one peer gets as a bar, all-reduce as points.

    Parameters
    ----------
    found : sequence of Fabric
        The parts looked at.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; each mark carries part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    names = [one.part.short_name for one in found]
    whole = [one.data["one_way_gbs"] for one in found]
    peer = [one.data["peer_gbs"] for one in found]
    rows = [(at, row) for at, one in enumerate(found) for row in one.rows]
    bars = _bars(peer, names, look, _, axis="", unit="") | {"text": [""] * len(peer), "width": 0.2, "offset": -0.02}
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": [row.value for _at, row in rows],
        "y": [at + 0.08 for at, _row in rows],
        "marker": {
            "color": colours.text,
            "symbol": [look[row.accelerator_id].marker for _at, row in rows],
            "size": 10,
            "line": {"color": [look[row.accelerator_id].colour for _at, row in rows], "width": 1.5},
        },
        "customdata": [[row.accelerator_id, row.quantity, row.value, *row.sources[0]] for _at, row in rows],
        "hovertext": [
            hover(
                f"{_.number(row.value, 5)} GB/s, {row.text.removeprefix('? ')}",
                _("number of GPUs not stated") if row.text.startswith("?") else "",
                ", ".join(row.sources[0]),
            )
            for _at, row in rows
        ],
        "hoverinfo": "text",
    }
    words = [
        _("peer {peer}; all {whole}; all-reduce {rate}",
          peer=_.number(one.data["peer_gbs"].value, 4),
          whole=_.number(one.data["one_way_gbs"].value, 4),
          rate=_.number(best, 4) if (best := one.data["all_reduce_gbs"].value) is not None else _("not measured"))
        for one in found
    ]  # fmt: skip
    beyond = any((one.data["all_reduce_share"].value or 0.0) > 1 for one in found)
    limit = max(_longest(whole), *(row.value or 0.0 for _at, row in rows), 1.0)
    return titled(
        [bars, points, _ends(whole, words, names, colours, axis="")],
        colours,
        fabric_title(found, _),
        [
            _("GB/s in one direction. Bar: to one peer; dashed: all links together; points: bus bandwidth of all-reduce over one server"),
            _("Beyond the dashed line: a switch that adds up on the way") if beyond else "",
        ],
        height=62 * len(found) + 56,
        left=label_width(names),
        shapes=[
            _dashed(at, one.value, look[one.accelerator_id].colour, "", 0.24) for at, one in enumerate(whole) if one.value
        ],
        x={"range": [0, limit * 1.06], "tickformat": ",~r"},
        y={
            "range": [len(names) - 0.5, -0.7],
            "tickvals": list(range(len(names))),
            "ticktext": names,
            "showgrid": False,
        },
    )  # fmt: skip
