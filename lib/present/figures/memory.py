"""The memory page's figures: what one GPU holds, part by part, and how many sequences of which length a replica holds."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.memory_view import Frontier, PartMemory
from lib.choice.scenario import Workload
from lib.present.figures.style import Figure, Ground, Look, figure, ground, label_width
from lib.present.memory_model import layout_word, replica_name
from lib.present.text import Words
from lib.sizing.memory import MemoryPlan
from lib.units import GIB

HALF_BAR: Final = 0.36
HALF_LINE: Final = 0.46
BAND_OFFSET: Final = 0.24
"""The band of the workspace is drawn in the lower part of its bar, clear of the numbers."""

LINE_HEIGHT_PX: Final = 15
"""Labels at the ends of lines stand at least so far apart."""

MAP_HEIGHT_PX: Final = 440
MAP_PLOT_PX: Final = 300
"""Height of the map between its axes, about: enough to keep labels apart."""

BAND_OPACITY: Final = 0.16


def shown(parts: Sequence[PartMemory]) -> list[PartMemory]:
    """The parts that have a replica to draw.

    Parameters
    ----------
    parts : sequence of PartMemory
        All parts.

    Returns
    -------
    list of PartMemory
        In their order.
    """
    return [part for part in parts if part.replica is not None and part.replica.plan is not None]


def bar_chart(parts: Sequence[PartMemory], look: Mapping[str, Look], load: str, _: Words, *, dark: bool) -> Figure:
    """What the fullest GPU of each part's replica holds, stacked, against the memory that the runtime reports.

    Parameters
    ----------
    parts : sequence of PartMemory
        Sorted by the answer; those without a replica are left out.
    look : mapping of str to Look
        How each part is drawn.
    load : str
        The conditions, for the subtitle.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure.
    """
    drawn = shown(parts)
    colours = ground(dark)
    labels = [_bar_label(part, _) for part in drawn]
    plans = [_plan(part) for part in drawn]
    widest = max((plan.memory_bytes or 0.0) / GIB for plan in plans)
    shapes: list[dict[str, Any]] = []
    for index, (part, plan) in enumerate(zip(drawn, plans, strict=True)):
        memory = (plan.memory_bytes or 0.0) / GIB
        share = (plan.weights_bytes + plan.workspace.base_bytes + (plan.cache_bytes or 0.0)) / GIB
        line = {"color": look[part.accelerator.accelerator_id].colour, "width": 4}
        shapes.append(_upright(memory, index, HALF_LINE, line))
        shapes.append(_upright(share, index, HALF_LINE, {"color": colours.text, "width": 1.5, "dash": "dot"}))
    traces = [_segment(name, plans, labels, colours, _) for name in ("weights", "workspace", "cache", "free")]
    traces.append(_band(plans, colours))
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [(plan.memory_bytes or 0.0) / GIB for plan in plans],
            "y": list(range(len(drawn))),
            "text": [f"  {(plan.memory_bytes or 0.0) / GIB:,.1f}" for plan in plans],
            "textposition": "middle right",
            "textfont": {"color": [look[part.accelerator.accelerator_id].colour for part in drawn], "size": 12},
            "hoverinfo": "skip",
            "showlegend": False,
            "cliponaxis": False,
        }
    )
    return figure(
        traces,
        colours,
        title=bar_title(parts, _),
        subtitle=f"{load}<br>{_key(colours, _)}",
        height=136 + 56 * len(drawn),
        x={
            "title": {"text": _("GiB on the fullest GPU of one replica")},
            "range": [0, widest * 1.12],
            "zeroline": True,
        },
        y={
            "range": [len(drawn) - 0.5, -0.5],
            "tickvals": list(range(len(drawn))),
            "ticktext": labels,
            "showgrid": False,
            "zeroline": False,
        },
        barmode="stack",
        bargap=round(1 - 2 * HALF_BAR, 2),
        shapes=shapes,
        uniformtext={"minsize": 10, "mode": "hide"},
        showlegend=False,
        margin={"l": label_width(_lines(labels)), "r": 16, "t": 84, "b": 48},
    )


def _lines(labels: Sequence[str]) -> list[str]:
    """The lines of labels without their marks, for their width."""
    return [line for label in labels for line in label.replace("<b>", "").replace("</b>", " ").split("<br>")]


def _key(colours: Ground, _: Words) -> str:
    """The legend in one line: a square for each kind of memory."""
    squares = ("■", "▨", "■", "□")
    shades = (colours.greys[0], colours.text, colours.greys[2], colours.text)
    kinds = (_("weights"), _("workspace, with its band"), _("cache of the load"), _("free"))
    return "   ".join(
        f"<span style='color:{shade}'>{square}</span> {kind}"
        for square, shade, kind in zip(squares, shades, kinds, strict=True)
    )


def bar_title(parts: Sequence[PartMemory], _: Words) -> str:
    """The finding: from which part with the fewest GPUs to which with the most.

    Parameters
    ----------
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    counted = [part for part in parts if part.sized.gpus is not None]
    if not counted:
        return _("No tensor-parallel replica holds it")
    first, last = counted[0], counted[-1]
    if first.sized.gpus == last.sized.gpus:
        return _.count(
            "One {n} GPU of each part holds the load", "{n} GPUs of each part hold the load", first.sized.gpus or 0
        )
    return _(
        "{fewest} or {most} for the same load",
        fewest=replica_name(first.sized.gpus or 0, first.accelerator.short_name, _),
        most=replica_name(last.sized.gpus or 0, last.accelerator.short_name, _),
    )


def _plan(part: PartMemory) -> MemoryPlan:
    assert part.replica is not None  # noqa: S101
    assert part.replica.plan is not None  # noqa: S101
    return part.replica.plan


def _bar_label(part: PartMemory, _: Words) -> str:
    plan = _plan(part)
    gpus = _.count("{n} GPU, {layout}", "{n} GPUs, {layout}", plan.layout.gpus, layout=layout_word(plan.layout))
    return f"<b>{part.accelerator.short_name}</b><br>{gpus}"


def _upright(at: float, index: int, half: float, line: Mapping[str, Any]) -> dict[str, Any]:
    """A vertical line across one bar."""
    return {"type": "line", "x0": at, "x1": at, "y0": index - half, "y1": index + half, "line": dict(line)}


def _segment(
    name: str, plans: Sequence[MemoryPlan], labels: Sequence[str], colours: Ground, _: Words
) -> dict[str, Any]:
    """One kind of memory as a trace of the stack."""
    place = ("weights", "workspace", "cache", "free").index(name)
    words = {
        "weights": _("weights"),
        "workspace": _("workspace (estimate)"),
        "cache": _("cache of the load"),
        "free": _("free"),
    }
    sizes = {
        "weights": [plan.weights_bytes / GIB for plan in plans],
        "workspace": [plan.workspace.base_bytes / GIB for plan in plans],
        "cache": [plan.needed_bytes / GIB for plan in plans],
        "free": [max(plan.slack_bytes or 0.0, 0.0) / GIB for plan in plans],
    }[name]
    marker: dict[str, Any] = {"color": colours.greys[place], "line": {"color": colours.muted, "width": 1}}
    on_dark, on_light = "#FFFFFF", "#12161C"
    inside = {
        "weights": on_light if colours.dark else on_dark,
        "workspace": on_light,
        "cache": on_dark if colours.dark else on_light,
        "free": colours.text,
    }
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "name": words[name],
        "x": sizes,
        "y": list(range(len(plans))),
        "marker": marker,
        "text": [_.number(size) for size in sizes],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": inside[name], "size": 12},
        "constraintext": "inside",
        "hovertext": list(labels),
        "hovertemplate": f"%{{hovertext}}<br>{words[name]}: %{{x:.2f}} GiB<extra></extra>",
    }
    if name == "workspace":
        marker["pattern"] = {"shape": "/", "fgcolor": colours.text, "size": 5, "solidity": 0.25}
        trace["text"] = ["" for _size in sizes]
        bands = [[_.span(plan.workspace.low_bytes / GIB, plan.workspace.high_bytes / GIB)] for plan in plans]
        trace["customdata"] = bands
        trace["hovertemplate"] = f"%{{hovertext}}<br>{words[name]}: %{{x:.2f}} (%{{customdata[0]}}) GiB<extra></extra>"
    return trace


def _band(plans: Sequence[MemoryPlan], colours: Ground) -> dict[str, Any]:
    """The band of the workspace, drawn over the whole stack: an error bar of a stacked bar is hidden by the next one."""
    taken = [plan.workspace for plan in plans]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [(plan.weights_bytes + plan.workspace.base_bytes) / GIB for plan in plans],
        "y": [place + BAND_OFFSET for place in range(len(plans))],
        "marker": {"size": 1, "color": colours.text},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(one.high_bytes - one.base_bytes) / GIB for one in taken],
            "arrayminus": [(one.base_bytes - one.low_bytes) / GIB for one in taken],
            "color": colours.text,
            "thickness": 1.5,
            "width": 6,
        },
        "hoverinfo": "skip",
        "showlegend": False,
    }


def frontier_chart(
    frontiers: Sequence[Frontier], look: Mapping[str, Look], workload: Workload, _: Words, *, dark: bool
) -> Figure:
    """The most sequences of each length that every part's replica holds, with the chosen load as a point.

    Parameters
    ----------
    frontiers : sequence of Frontier
        One a part.
    look : mapping of str to Look
        How each part is drawn.
    workload : Workload
        The chosen load.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure: lines are estimates and carry their band.
    """
    colours = ground(dark)
    top = math.log10(max([workload.concurrency, *(max(one.base) for one in frontiers)]) * 1.6)
    first = min(one.tokens[0] for one in frontiers)
    last = max(one.tokens[-1] for one in frontiers)
    traces: list[dict[str, Any]] = []
    for one in frontiers:
        traces += _line(one, look[one.accelerator.accelerator_id], _)
    traces.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [workload.context_tokens],
            "y": [workload.concurrency],
            "marker": {"color": colours.text, "symbol": "star", "size": 13},
            "text": [_("chosen load")],
            "textposition": "bottom left",
            "textfont": {"color": colours.text, "size": 12},
            "hovertemplate": _(
                "chosen load: {n} sequences of {tokens} tokens",
                n=f"{workload.concurrency:,}",
                tokens=f"{workload.context_tokens:,}",
            )
            + "<extra></extra>",
            "showlegend": False,
        }
    )
    ticks = [2**power for power in range(7, 25, 2) if first <= 2**power <= last]
    counts = [10**power for power in range(math.ceil(top) + 1)]
    return figure(
        traces,
        colours,
        title=frontier_title(frontiers, workload, _),
        subtitle=_("at {tokens} tokens; bands: workspace low to high; logarithmic", tokens=f"{workload.context_tokens:,}"),
        height=MAP_HEIGHT_PX,
        x={
            "type": "log",
            "title": {"text": _("tokens of each sequence")},
            "tickvals": ticks,
            "ticktext": [_tokens(tick) for tick in ticks],
            "range": [math.log10(first), math.log10(last)],
        },
        y={
            "type": "log",
            "title": {"text": _("most sequences at the same time")},
            "tickvals": counts,
            "ticktext": [f"{count:,}" for count in counts],
            "range": [0, top],
        },
        showlegend=False,
        margin={"l": 72, "r": label_width([_replica(one, _) for one in frontiers], 12), "t": 64, "b": 48},
        annotations=_end_labels(frontiers, look, top, _),
    )  # fmt: skip


def frontier_title(frontiers: Sequence[Frontier], workload: Workload, _: Words) -> str:
    """The finding: the most and the fewest sequences of the chosen length.

    Parameters
    ----------
    frontiers : sequence of Frontier
        One a part.
    workload : Workload
        The chosen load.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    held = [(one.base[one.tokens.index(workload.context_tokens)], one) for one in frontiers]
    most, fewest = max(held, key=lambda pair: pair[0]), min(held, key=lambda pair: pair[0])
    if len(held) == 1:
        return _("{n} sequences on {part}", n=f"{most[0]:,}", part=_replica(most[1], _))
    return _(
        "{most} sequences on {most_part}, {fewest} on {fewest_part}",
        most=f"{most[0]:,}",
        most_part=_replica(most[1], _),
        fewest=f"{fewest[0]:,}",
        fewest_part=_replica(fewest[1], _),
    )


def _replica(one: Frontier, _: Words) -> str:
    return replica_name(one.replica.gpus or 0, one.accelerator.short_name, _)


def _line(one: Frontier, look: Look, _: Words) -> list[dict[str, Any]]:
    """A band, and the expected line above it; lengths of which not one sequence fits are left out."""
    kept = [index for index, count in enumerate(one.base) if count >= 1]
    tokens = [one.tokens[index] for index in kept]
    low = [max(one.low[index], 0.5) for index in kept]
    high = [one.high[index] for index in kept]
    base = [one.base[index] for index in kept]
    word = _("tokens")
    colour = ", ".join(str(int(look.colour[place : place + 2], 16)) for place in (1, 3, 5))
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": tokens + tokens[::-1],
            "y": high + low[::-1],
            "fill": "toself",
            "fillcolor": f"rgba({colour}, {BAND_OPACITY})",
            "line": {"width": 0},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "name": _replica(one, _),
            "x": tokens,
            "y": base,
            "line": {"color": look.colour, "dash": look.dash, "width": 2.5},
            "customdata": [[f"{below:,.0f}–{above:,.0f}"] for below, above in zip(low, high, strict=True)],
            "hovertemplate": f"{_replica(one, _)}<br>%{{x:,}} {word}: %{{y:,}} (%{{customdata[0]}})<extra></extra>",
        },
    ]  # fmt: skip


def _end_labels(frontiers: Sequence[Frontier], look: Mapping[str, Look], top: float, _: Words) -> list[dict[str, Any]]:
    """The name of each replica at the right end of its line, pushed down where the one above would cover it."""
    ends = []
    for one in frontiers:
        kept = [index for index, count in enumerate(one.base) if count >= 1]
        if kept:
            ends.append((math.log10(one.base[kept[-1]]), math.log10(one.tokens[kept[-1]]), one))
    ends.sort(key=lambda end: -end[0])
    labels = []
    lowest = math.inf
    for height, length, one in ends:
        own = height / top * MAP_PLOT_PX
        placed = min(own, lowest - LINE_HEIGHT_PX)
        lowest = placed
        labels.append(
            {
                "x": length,
                "y": height,
                "text": _replica(one, _),
                "showarrow": False,
                "xanchor": "left",
                "xshift": 6,
                "yshift": placed - own,
                "font": {"color": look[one.accelerator.accelerator_id].colour, "size": 12},
            }
        )
    return labels


def _tokens(count: int) -> str:
    """A length as engineers write it: 128, 2K, 128K, 1M."""
    if count >= 2**20:
        return f"{count // 2**20}M"
    return f"{count // 2**10}K" if count >= 2**10 else str(count)
