"""The chips drawn: one package with its dies and stacks, and how the parts of a server are joined."""

import math
from typing import Any, Final

from lib.choice.chip import Package
from lib.choice.chip_fabric import Fabric
from lib.present.figures.points import titled
from lib.present.figures.style import Figure, Ground, Look, ground
from lib.present.inside import labelled, package_lines, package_title, topology_name
from lib.present.text import UNKNOWN, Words

_WIDTH: Final = 100.0
_HEIGHT: Final = 76.0
_EDGE: Final = 2.0
_STACK_WIDTH: Final = 17.0
_GAP: Final = 1.6
_PIXELS: Final = 236
_MOST_SPOKES: Final = 72

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def package_chart(one: Package, look: Look, _: Words, *, dark: bool) -> Figure:
    """One package to the catalogue's counts: memory stacks at both sides, compute dies between them, on their I/O dies.

    Parameters
    ----------
    one : Package
        From `lib.choice.chip.package`.
    look : Look
        How the part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; each label carries part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    shapes = [_rectangle((0, 0, _WIDTH, _HEIGHT), colours.muted, dash="dot")]
    labels: list[tuple[float, float, str, str, float | None]] = []
    _draw_stacks(one, colours, shapes, labels, _)
    _draw_dies(one, look, colours, shapes, labels, _)
    trace = {
        "type": "scatter",
        "mode": "text",
        "x": [label[0] for label in labels],
        "y": [label[1] for label in labels],
        "text": [label[2] for label in labels],
        "textfont": {"size": 11, "color": colours.text},
        "customdata": [[one.part.accelerator_id, label[3], label[4]] for label in labels],
        "hoverinfo": "text",
        "hovertext": [label[2].replace("<br>", " ") for label in labels],
        "cliponaxis": False,
    }
    return _blank(
        titled(
            [trace],
            colours,
            package_title(one, _),
            [*package_lines(one, _), _("Schematic: counts are true, sizes and places are not")],
            height=_PIXELS,
            left=4,
            shapes=shapes,
        ),
        colours,
        (-1, _WIDTH + 1),
        (-1, _HEIGHT + 1),
    )


def _draw_stacks(
    one: Package,
    colours: Ground,
    shapes: list[dict[str, Any]],
    labels: list[tuple[float, float, str, str, float | None]],
    _: Words,
) -> None:
    """Stacks in two columns, the left one first; a place without a stack is dotted."""
    stacks = one.count("hbm_stacks")
    places = max(stacks or 0, one.count("hbm_sites") or 0)
    if stacks is None or not places:
        return
    rows = math.ceil(places / 2)
    height = (_HEIGHT - 2 * _EDGE - _GAP * (rows - 1)) / rows
    size = one.data["stack_gb"].value
    for place in range(places):
        right, row = divmod(place, rows)
        left = _WIDTH - _EDGE - _STACK_WIDTH if right else _EDGE
        top = _HEIGHT - _EDGE - row * (height + _GAP)
        box = (left, top - height, left + _STACK_WIDTH, top)
        filled = place < stacks
        shapes.append(_rectangle(box, colours.muted, colours.greys[2] if filled else "", "solid" if filled else "dot"))
        x, y = _middle(box)
        if filled:
            labels.append((x, y, f"{_.number(size, 4)} GB", "stack_gb", size))
        else:
            labels.append((x, y, _("empty"), "hbm_sites", float(places)))


def _draw_dies(
    one: Package,
    look: Look,
    colours: Ground,
    shapes: list[dict[str, Any]],
    labels: list[tuple[float, float, str, str, float | None]],
    _: Words,
) -> None:
    """Compute dies in a grid, in groups on their I/O dies where there are such."""
    has_stacks = one.count("hbm_stacks") is not None
    side = _EDGE + (_STACK_WIDTH + 2 * _GAP if has_stacks else 0)
    field: Box = (side, _EDGE, _WIDTH - side, _HEIGHT - _EDGE)
    dies, below = one.count("compute_dies"), one.count("io_dies")
    if dies is None:
        shapes.append(_rectangle(field, look.colour, dash="dash"))
        x, y = _middle(field)
        labels.append((x, y, _("dies: {unknown}", unknown=_(UNKNOWN)), "compute_dies", None))
        return
    each = one.data["units_per_die"].value if dies > 1 else one.data["units"].value
    name = one.die_name or _("Die")
    words = name if each is None else _("{die}<br>{n} units", die=name, n=_.number(each, 6))
    quantity = "compute_dies" if each is None else "units_per_die" if dies > 1 else "units"
    value = float(dies) if each is None else each
    for group in _grid(field, below) if below else [field]:
        held = dies // below if below else dies
        inner = group
        if below:
            shapes.append(_rectangle(group, colours.muted, colours.grid))
            left, bottom, right, top = group
            inner = (left + _GAP, bottom + 6.5, right - _GAP, top - _GAP)
            labels.append(((left + right) / 2, bottom + 3.4, "IOD", "io_dies", float(below)))
        for box in _grid(inner, held):
            shapes.append(_rectangle(box, look.colour, _tinted(look.colour, colours)))
            labels.append((*_middle(box), words, quantity, value))


def _grid(field: Box, count: int) -> list[Box]:
    """A field cut into so many boxes: one over the other up to two, else two columns."""
    columns = 1 if count <= 2 else 2
    rows = math.ceil(count / columns)
    left, bottom, right, top = field
    width = (right - left - _GAP * (columns - 1)) / columns
    height = (top - bottom - _GAP * (rows - 1)) / rows
    boxes = []
    for place in range(count):
        row, column = divmod(place, columns)
        x, y = left + column * (width + _GAP), top - row * (height + _GAP)
        boxes.append((x, y - height, x + width, y))
    return boxes


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _tinted(colour: str, colours: Ground) -> str:
    """A part's colour thin enough that text stands on it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{0.28 if colours.dark else 0.16})"


def _rectangle(box: Box, line: str, fill: str = "", dash: str = "solid") -> dict[str, Any]:
    left, bottom, right, top = box
    return {
        "type": "rect",
        "x0": left,
        "y0": bottom,
        "x1": right,
        "y1": top,
        "line": {"color": line, "width": 1.2, "dash": dash},
        "fillcolor": fill or "rgba(0,0,0,0)",
        "layer": "below",
    }


def _blank(drawn: Figure, colours: Ground, x: tuple[float, float], y: tuple[float, float]) -> Figure:
    """A drawing without axes."""
    drawn["layout"]["margin"] |= {"r": 4, "b": 8}
    for name, span in (("xaxis", x), ("yaxis", y)):
        drawn["layout"][name] |= {"visible": False, "range": list(span)}
    return drawn


def topology_chart(one: Fabric, look: Look, _: Words, *, dark: bool) -> Figure:
    """The parts of one scale-up domain as points, and what joins them: a line for each link of a mesh, or the switch.

    Parameters
    ----------
    one : Fabric
        From `lib.choice.chip_fabric`.
    look : Look
        How the part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; the points carry part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    joined = one.data["max_scale_up_gpus"]
    joined = joined if joined.value is not None else one.data["gpus_per_node"]
    domain = joined.value
    count = min(int(domain or 0), _MOST_SPOKES)
    ring = [(math.sin(2 * math.pi * place / count), math.cos(2 * math.pi * place / count)) for place in range(count)]
    lines: list[tuple[float, float] | None] = []
    if one.topology == "mesh":
        for place, start in enumerate(ring):
            for end in ring[place + 1 :]:
                lines += [start, end, None]
    elif one.topology == "switch":
        for start in ring:
            lines += [start, (0.0, 0.0), None]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [point[0] if point else None for point in lines],
            "y": [point[1] if point else None for point in lines],
            "line": {"color": colours.muted, "width": 1},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [point[0] for point in ring],
            "y": [point[1] for point in ring],
            "marker": {"color": look.colour, "symbol": look.marker, "size": 8 if count > 16 else 13},
            "customdata": [[one.part.accelerator_id, joined.quantity, domain]] * count,
            "hoverinfo": "text",
            "hovertext": [one.part.short_name] * count,
        },
    ]
    if one.topology == "switch":
        switches = one.data["switches"].value
        text = _("switch") if switches is None else _.count("{n} switch", "{n} switches", int(switches))
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [0],
                "y": [0],
                "text": [text],
                "textposition": "middle center",
                "textfont": {"size": 12, "color": colours.text},
                "marker": {
                    "symbol": "square",
                    "size": 66,
                    "color": colours.grid,
                    "line": {"color": colours.muted, "width": 1},
                },
                "customdata": [[one.part.accelerator_id, "switches", switches]],
                "hoverinfo": "text",
                "hovertext": [text],
            }
        )
    size = _("domain not published") if domain is None else _("{n} parts in the fast domain", n=_.number(domain, 4))
    title = labelled(one.part.short_name, topology_name(one, _), _)
    drawn = titled(traces, colours, title, [size], height=210, left=4)
    drawn["layout"]["yaxis"] |= {"scaleanchor": "x"}
    return _blank(drawn, colours, (-1.25, 1.25), (-1.25, 1.25))
