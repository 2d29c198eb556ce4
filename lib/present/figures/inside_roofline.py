"""The roofline of each part with the workload's operating points on it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lib.choice.chip import MemorySystem
from lib.choice.chip_roofline import PHASES, Point, Roof
from lib.present.figures.points import hover, titled
from lib.present.figures.style import FONT, Figure, Ground, Look, ground
from lib.present.inside_limits import phase_name, roofline_title
from lib.present.text import Words

Looks = Mapping[str, Look]


def roofline_chart(
    found: Sequence[Roof], memory: Sequence[MemorySystem], look: Looks, _: Words, *, dark: bool
) -> Figure:
    """Roofs of each part on two logarithmic axes, dashed; measured reading as a thin line; the workload's points open.

    Parameters
    ----------
    found : sequence of Roof
        The parts looked at.
    memory : sequence of MemorySystem
        The same parts, for the measured bandwidth.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; roofs and points carry part, quantity and value as `customdata`.
    """
    colours = ground(dark)
    known = [(one, two) for one, two in zip(found, memory, strict=True) if one.ridge is not None]
    xs = [point.flop_per_byte for one, _two in known for point in one.points] or [
        one.ridge or 1.0 for one, _two in known
    ]
    low, high = (min(xs) / 5, max(xs) * 5) if xs else (1.0, 1000.0)
    high = max(high, *(2.5 * (one.ridge or 0.0) for one, _two in known), low * 10)
    traces: list[dict[str, Any]] = []
    for one, two in known:
        traces += _roof_lines(one, two, look[one.part.accelerator_id], low, high)
    notes = []
    for phase in PHASES:
        placed = [(one, point) for one, _two in known if (point := one.point(phase)) is not None]
        for one, point in placed:
            shown = look[one.part.accelerator_id]
            gpus = one.layout.gpus if one.layout is not None else 1
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": [point.flop_per_byte],
                    "y": [point.bound_tflops],
                    "marker": {
                        "color": shown.colour, "symbol": f"{shown.marker}-open", "size": 13, "line": {"width": 2.5},
                    },
                    "customdata": [[one.part.accelerator_id, f"{phase}.bound_tflops", point.bound_tflops]],
                    "hovertext": [
                        hover(
                            f"{one.part.short_name}, {phase_name(phase, _)}, {_.count('{n} GPU', '{n} GPUs', gpus)}",
                            _("{x} operations a byte, at most {y} TFLOPS", x=_.number(point.flop_per_byte), y=_.number(point.bound_tflops)),
                        )
                    ],
                    "hoverinfo": "text",
                }
            )  # fmt: skip
        if placed:
            notes.append(_phase_note(phase_name(phase, _), [point for _one, point in placed], colours))
    widened = [one.part.short_name for one, _two in known if one.is_widened]
    word = known[0][0].weight_format if known else ""
    return titled(
        traces,
        colours,
        roofline_title(found, _),
        [
            _("One GPU; dashed: datasheet bandwidth and dense {format} peak; thin: measured reading; open points: bounds", format=word),
            _("{parts}: computed at 16 bit, for lack of faster units of this format", parts=_.listing(widened)) if widened else "",
        ],
        height=330,
        left=58,
        keys=[(look[one.part.accelerator_id], one.part.short_name) for one, _two in known],
        annotations=notes,
        x={"type": "log", "title": {"text": _("Operations for each byte of memory (FLOP/byte)")}, "tickformat": ",~r", "dtick": 1},
        y={"type": "log", "title": {"text": "TFLOPS"}, "tickformat": ",~r", "dtick": 1},
    )  # fmt: skip


def _roof_lines(one: Roof, two: MemorySystem, look: Look, low: float, high: float) -> list[dict[str, Any]]:
    """The datasheet's roofs, and the measured bandwidth where there is one."""
    peak, width, name = one.peak_tflops or 0.0, one.part.memory_bandwidth_tbs or 0.0, one.part.accelerator_id
    ridge = one.ridge or 1.0
    shared = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    lines: list[dict[str, Any]] = [
        {
            **shared,
            "x": [low, ridge, high],
            "y": [low * width, peak, peak],
            "line": {"color": look.colour, "width": 1.6, "dash": "dash"},
            "customdata": [
                [name, "memory_bandwidth_tbs", width], [name, one.peak_field, peak], [name, one.peak_field, peak],
            ],
        }
    ]  # fmt: skip
    read = two.reading.value
    if read is not None:
        lines.append(
            {
                **shared,
                "x": [low, peak / read],
                "y": [low * read, peak],
                "line": {"color": look.colour, "width": 1},
                "customdata": [[name, "read_tbs", read]] * 2,
            }
        )
    return lines


def _phase_note(text: str, points: Sequence[Point], colours: Ground) -> dict[str, Any]:
    """The name of a phase beside its points; annotations on logarithmic axes take logarithms."""
    lowest = min(points, key=lambda point: point.bound_tflops)
    return {
        "text": text,
        "x": math.log10(lowest.flop_per_byte),
        "y": math.log10(lowest.bound_tflops),
        "yshift": -22,
        "showarrow": False,
        "font": {"family": FONT, "size": 12, "color": colours.text},
    }
