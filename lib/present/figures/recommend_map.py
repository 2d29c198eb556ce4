"""Recommendation: which candidate comes first over two drivers, and the front over two axes."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from lib.choice.assessment import Assessment
from lib.choice.deployments import axis_value
from lib.choice.flip_grid import FlipGrid
from lib.choice.flip_points import candidate_at
from lib.choice.preference import Axis
from lib.choice.recommend import Recommendation
from lib.present.cost import option_label
from lib.present.figures.style import Figure, Look, figure, ground
from lib.present.recommend_figures import axis_name
from lib.present.recommend_flips import driver_name
from lib.present.text import Words

_SIZE: Final = 9
_POSITIONS: Final = ("top left", "bottom left", "bottom right", "top right")
"""Names of neighbours go to different sides."""


def flip_map(
    found: Recommendation,
    grid: FlipGrid,
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """One mark for each pair of values, in the colour and shape of the part that comes first there; a cross for today.

    Parameters
    ----------
    found : Recommendation
        The answer.
    grid : FlipGrid
        The two drivers, and who comes first at each pair of values.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    x, y, places = grid.x, grid.y, grid.places
    across, up = np.meshgrid(grid.x_values, grid.y_values)
    traces: list[dict[str, Any]] = []
    for place in dict.fromkeys(places.ravel().tolist()):
        one = candidate_at(found, place)
        chosen = places == place
        name = option_label(one.cost, _) if one is not None else _("nobody passes")
        drawn = look[one.cost.accelerator.accelerator_id] if one is not None else None
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": across[chosen].tolist(),
                "y": up[chosen].tolist(),
                "marker": {
                    "color": drawn.colour if drawn else colours.muted,
                    "symbol": drawn.marker if drawn else "x-thin-open",
                    "size": _SIZE,
                },
                "hovertemplate": f"{name}<extra></extra>",
            }
        )
    traces.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": _("today"),
            "x": [x.now],
            "y": [y.now],
            "text": [_("today")],
            "textposition": "top center",
            "textfont": {"color": colours.text, "size": 13},
            "marker": {"symbol": "cross", "size": 14, "color": colours.text},
            "hovertemplate": _("today") + "<extra></extra>",
            "showlegend": False,
        }
    )
    return figure(
        traces,
        colours,
        title=_("Who comes first over two drivers"),
        subtitle=_("Every mark is an answer of its own; fleets as they are"),
        height=420,
        x={"title": {"text": driver_name(x, found, _)}, "showticklabels": True},
        y={"title": {"text": driver_name(y, found, _)}, "showticklabels": True, "automargin": True},
        showlegend=True,
        legend={"orientation": "h", "y": -0.3},
        margin={"l": 72, "r": 24, "t": 72, "b": 96},
    )


def front_chart(
    found: Recommendation,
    front: Sequence[Assessment],
    axes: tuple[Axis, Axis],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """Every candidate on two axes: filled where nobody beats it on both, hollow where somebody does or a check fails.

    Parameters
    ----------
    found : Recommendation
        The answer.
    front : sequence of Assessment
        Those that nobody beats.
    axes : tuple of Axis
        Horizontal and vertical.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    traces: list[dict[str, Any]] = []
    for number, one in enumerate(found.assessments):
        x, y = (axis_value(axis, one, found.standing(one)) for axis in axes)
        if x is None or y is None:
            continue
        drawn, name = look[one.cost.accelerator.accelerator_id], option_label(one.cost, _)
        symbol = drawn.marker if one in front else f"{drawn.marker}-open"
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [x],
                "y": [y],
                "text": [name],
                "textposition": _POSITIONS[number % len(_POSITIONS)],
                "textfont": {"color": colours.text, "size": 12},
                "cliponaxis": False,
                "marker": {"color": drawn.colour, "symbol": symbol, "size": 12, "line": {"color": drawn.colour, "width": 2}},
                "hovertemplate": f"{name}<br>%{{x:.3~g}}, %{{y:.3~g}}<extra></extra>",
            }
        )  # fmt: skip
    count = len(front)
    return figure(
        traces,
        colours,
        title=_.count(
            "{n} candidate is beaten by nobody on both", "{n} candidates are beaten by nobody on both", count
        ),
        subtitle=_("Filled: on the front; hollow: beaten, or ruled out"),
        height=360,
        x={"title": {"text": axis_name(axes[0], found.metric, _)}, "rangemode": "tozero", "showticklabels": True},
        y={"title": {"text": axis_name(axes[1], found.metric, _)}, "rangemode": "tozero", "showticklabels": True},
        showlegend=False,
        margin={"l": 72, "r": 48, "t": 72, "b": 56},
    )
