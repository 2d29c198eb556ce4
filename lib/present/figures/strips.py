"""Measured points of one quantity, one line a part, with the bound that no point should pass."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from lib.catalog import Catalog
from lib.present.figures.points import Row, letters, outlines, reference, titled
from lib.present.figures.style import Figure, Look, ground, label_width
from lib.present.text import Words

_LANES: Final = (0.0, 0.12, -0.12, 0.24, -0.24)
_TICK: Final = 0.38
_ROOM: Final = 1.06
"""The axis ends a little beyond the last point, so that a bound is not drawn on its edge."""


def strip_chart(
    catalog: Catalog,
    rows: Sequence[Row],
    parts: Sequence[str],
    bounds: Mapping[str, float],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
    table: str,
    amount: str,
    title: str,
    subtitle: Sequence[str],
    unit: str,
    hover: Callable[[Row], str],
) -> Figure:
    """Each row of a measured table as a point on the line of its part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    rows : sequence of dict
        From `records`.
    parts : sequence of str
        Accelerator ids, one line each; a part without a row says so.
    bounds : mapping of str to float
        What the datasheet allows, drawn as a dashed tick; a part without one has none.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    table : str
        Name of the measured table.
    amount : str
        Column with the quantity.
    title : str
        The finding.
    subtitle : sequence of str
        Conditions.
    unit : str
        Title of the axis.
    hover : callable
        A row in words.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and row.
    """
    colours = ground(dark)
    traces: list[dict[str, Any]] = []
    for place, part in enumerate(parts):
        own = [row for row in rows if row["accelerator_id"] == part]
        if part in bounds:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [bounds[part]] * 2,
                    "y": [place - _TICK, place + _TICK],
                    "line": {"color": look[part].colour, "width": 2, "dash": "dash"},
                    "hoverinfo": "skip",
                }
            )
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": catalog.accelerators[part].short_name,
                "x": [row[amount] for row in own],
                "y": [place + _LANES[index % len(_LANES)] for index in range(len(own))],
                "text": [letters(row) for row in own],
                "textposition": "top center",
                "marker": {
                    "color": look[part].colour,
                    "symbol": look[part].marker,
                    "size": 9,
                    "line": outlines(own, colours),
                },
                "hovertext": [hover(row) for row in own],
                "hoverinfo": "text",
                "customdata": [reference(row, table) for row in own],
            }
            if own
            else {
                "type": "scatter",
                "mode": "text",
                "x": [0],
                "y": [place],
                "text": [_("not measured")],
                "textposition": "middle right",
                "textfont": {"size": 12, "color": colours.muted},
                "hoverinfo": "skip",
            }
        )
    names = [catalog.accelerators[part].short_name for part in parts]
    most = max([*bounds.values(), *(row[amount] for row in rows)], default=1.0)
    return titled(
        traces,
        colours,
        title,
        subtitle,
        height=70 + 62 * len(parts),
        left=label_width(names) + 8,
        x={"range": [0, _ROOM * most], "tickformat": ",~r", "title": {"text": unit}},
        y={
            "tickvals": list(range(len(parts))),
            "ticktext": [f"<b>{name}</b>" for name in names],
            "range": [len(parts) - 0.45, -0.55],
            "zeroline": False,
        },
    )
