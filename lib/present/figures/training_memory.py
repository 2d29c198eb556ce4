"""The training figure of the memory page: what one GPU of each part's smallest run holds, against its memory."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.training_memory import PartTraining, TrainingView, counted
from lib.present.figures.style import Figure, Ground, Look, figure, ground, label_width
from lib.present.memory_model import replica_name
from lib.present.text import Words
from lib.present.training_words import layout
from lib.sizing.training import TrainingPlan
from lib.units import GIB

HALF_BAR: Final = 0.36
HALF_LINE: Final = 0.46
BAND_OFFSET: Final = 0.24
"""The band is drawn in the lower part of its bar, clear of the numbers."""

KINDS: Final = ("weights", "states", "gathered", "activations", "logits", "free")
_SHADES: Final = (0, 2, 2, 1, 1, 3)
_PATTERNS: Final = ("", "", "x", "/", "\\", "")
"""Estimates are hatched, as the workspace is for serving."""
_SQUARES: Final = ("■", "■", "▩", "▨", "▧", "□")


def shown(view: TrainingView) -> list[PartTraining]:
    """The parts that have a run to draw.

    Parameters
    ----------
    view : TrainingView
        From the choice room.

    Returns
    -------
    list of PartTraining
        In their order.
    """
    return [part for part in view.parts if part.drawn is not None]


def bar_chart(view: TrainingView, look: Mapping[str, Look], load: str, _: Words, *, dark: bool) -> Figure:
    """What the fullest GPU of each part's smallest run holds, stacked, against the memory that the runtime reports.

    Parameters
    ----------
    view : TrainingView
        Sorted by the answer; parts whose memory nobody has reported are left out.
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
    drawn = shown(view)
    plans = [_plan(part) for part in drawn]
    colours = ground(dark)
    labels = [_label(part, _) for part in drawn]
    memories = [(plan.memory_bytes or 0.0) / GIB for plan in plans]
    widest = max(max(memory, plan.need.total.base / GIB) for memory, plan in zip(memories, plans, strict=True))
    edge = widest * 1.12
    shapes = [
        {
            "type": "line",
            "x0": memory,
            "x1": memory,
            "y0": index - HALF_LINE,
            "y1": index + HALF_LINE,
            "line": {"color": look[part.accelerator.accelerator_id].colour, "width": 4},
        }
        for index, (part, memory) in enumerate(zip(drawn, memories, strict=True))
    ]
    traces = [_segment(place, plans, labels, colours, _) for place in range(len(KINDS))]
    traces.append(_band(plans, colours, edge))
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [
                memory if plan.holds else max(memory, plan.need.total.base / GIB)
                for memory, plan in zip(memories, plans, strict=True)
            ],
            "y": list(range(len(drawn))),
            "text": [f"  {memory:,.1f}" for memory in memories],
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
        title=bar_title(view, _),
        subtitle=f"{load}<br>{_key(colours, _)}",
        height=172 + 56 * len(drawn),
        x={"title": {"text": _("GiB on the fullest GPU of the run")}, "range": [0, edge], "zeroline": True},
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
        margin={"l": label_width(_lines(labels)), "r": 16, "t": 120, "b": 48},
    )


def _plan(part: PartTraining) -> TrainingPlan:
    assert part.drawn is not None  # noqa: S101
    return part.drawn


def bar_title(view: TrainingView, _: Words) -> str:
    """The finding: from which part with the fewest GPUs to which with the most.

    Parameters
    ----------
    view : TrainingView
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    found = counted(view.parts)
    if not found:
        return _("No run of up to {n} GPUs holds it", n=f"{view.most_gpus:,}")
    first, last = found[0], found[-1]
    missing = len(found) < len(shown(view))
    if first.gpus == last.gpus and not missing:
        return _.count("One {n} GPU of each part holds the run", "{n} GPUs of each part hold the run", first.gpus or 0)
    fewest = replica_name(first.gpus or 0, first.accelerator.short_name, _)
    if missing:
        return _("{fewest} is enough; not every part holds the run", fewest=fewest)
    return _(
        "{fewest} or {most} for the same run",
        fewest=fewest,
        most=replica_name(last.gpus or 0, last.accelerator.short_name, _),
    )


def _label(part: PartTraining, _: Words) -> str:
    plan = _plan(part)
    gpus = _.count("{n} GPU, {layout}", "{n} GPUs, {layout}", plan.gpus, layout=layout(plan.need.setup))
    if part.gpus is None:
        gpus = _("✕ {gpus}", gpus=gpus)
    return f"<b>{part.accelerator.short_name}</b><br>{gpus}"


def _lines(labels: Sequence[str]) -> list[str]:
    """The lines of labels without their marks, for their width."""
    return [line for label in labels for line in label.replace("<b>", "").replace("</b>", " ").split("<br>")]


def _names(_: Words) -> tuple[str, ...]:
    return (
        _("weights"),
        _("gradients, optimizer"),
        _("layer in work"),
        _("activations, with the band"),
        _("logits"),
        _("free"),
    )


def _key(colours: Ground, _: Words) -> str:
    """The legend in two lines, for small screens: a square for each kind of memory."""
    shades = (colours.greys[0], colours.greys[2], *[colours.text] * 4)
    entries = [
        f"<span style='color:{shade}'>{square}</span> {kind}"
        for square, shade, kind in zip(_SQUARES, shades, _names(_), strict=True)
    ]
    return "<br>".join("   ".join(entries[start : start + 3]) for start in (0, 3))


def _sizes(kind: str, plan: TrainingPlan) -> float:
    held, need = plan.need.held, plan.need
    return {
        "weights": held.weights_bytes,
        "states": held.gradients_bytes + held.optimizer_bytes + held.adapters_bytes,
        "gathered": held.gathered_bytes,
        "activations": need.activations.base,
        "logits": need.logits.base,
        "free": max(plan.slack_bytes or 0.0, 0.0),
    }[kind] / GIB


def _segment(
    place: int, plans: Sequence[TrainingPlan], labels: Sequence[str], colours: Ground, _: Words
) -> dict[str, Any]:
    """One kind of memory as a trace of the stack."""
    kind, name = KINDS[place], _names(_)[place]
    shade = _SHADES[place]
    sizes = [_sizes(kind, plan) for plan in plans]
    on_dark, on_light = "#FFFFFF", "#12161C"
    inside = (
        ((on_light if colours.dark else on_dark) if shade == 0 else (on_dark if colours.dark else on_light))
        if kind != "free"
        else colours.text
    )
    marker: dict[str, Any] = {"color": colours.greys[shade], "line": {"color": colours.muted, "width": 1}}
    if _PATTERNS[place]:
        marker["pattern"] = {"shape": _PATTERNS[place], "fgcolor": colours.text, "size": 5, "solidity": 0.25}
    is_hatched = bool(_PATTERNS[place])
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": sizes,
        "y": list(range(len(plans))),
        "marker": marker,
        "text": ["" if is_hatched else _.number(size) for size in sizes],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": inside, "size": 12},
        "constraintext": "inside",
        "hovertext": list(labels),
        "hovertemplate": f"%{{hovertext}}<br>{name}: %{{x:.2f}} GiB<extra></extra>",
    }
    if kind == "activations":
        bands = [plan.need.activations for plan in plans]
        trace["customdata"] = [[_.span(band.low / GIB, band.high / GIB)] for band in bands]
        trace["hovertemplate"] = f"%{{hovertext}}<br>{name}: %{{x:.2f}} (%{{customdata[0]}}) GiB<extra></extra>"
    return trace


def _band(plans: Sequence[TrainingPlan], colours: Ground, edge: float) -> dict[str, Any]:
    """The band of activations and logits at the end of each stack, cut at the edge of the picture."""
    totals = [plan.need.total for plan in plans]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [total.base / GIB for total in totals],
        "y": [place + BAND_OFFSET for place in range(len(plans))],
        "marker": {"size": 1, "color": colours.text},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [min(total.high / GIB, edge) - total.base / GIB for total in totals],
            "arrayminus": [(total.base - total.low) / GIB for total in totals],
            "color": colours.text,
            "thickness": 1.5,
            "width": 6,
        },
        "hoverinfo": "skip",
        "showlegend": False,
    }
