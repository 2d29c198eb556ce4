"""Specifications: each part's quantities as multiples of the first part's."""

from collections.abc import Mapping, Sequence
from typing import Final

from lib.choice.comparison import RATIO_FIELDS, Row, row_of
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words
from lib.records import Accelerator, Column

TICKS: Final = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)
LABEL_DISTANCE: Final = 0.05
"""Points closer than this share one label."""


def ratio_chart(
    parts: Sequence[Accelerator],
    table: Sequence[Row],
    look: Mapping[str, Look],
    columns: Mapping[tuple[str, str], Column],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """Ratios to the first part as points on one logarithmic axis, one line a quantity.

    Parameters
    ----------
    parts : sequence of Accelerator
        The first is the base, drawn as the line at 1.
    table : sequence of Row
        From `lib.choice.comparison.rows`.
    look : mapping of str to Look
        How each part is drawn.
    columns : mapping
        The vocabulary, for labels.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure.
    """
    shown = [row for field in RATIO_FIELDS if (row := row_of(table, field)) is not None and row.values[0]]
    labels = [_label(columns, row.field, _) for row in shown]
    traces = []
    for index, part in enumerate(parts):
        if index == 0:
            continue
        points = [(label, row) for label, row in zip(labels, shown, strict=True) if row.ratios[index] is not None]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": part.short_name,
                "x": [row.ratios[index] for _label_of, row in points],
                "y": [label for label, _row in points],
                "text": [_point_label(row, index) for _label_of, row in points],
                "textposition": "top center",
                "textfont": {"color": look[part.accelerator_id].colour, "size": 11},
                "marker": {
                    "color": look[part.accelerator_id].colour,
                    "symbol": look[part.accelerator_id].marker,
                    "size": 12,
                },
                "customdata": [
                    [_.number(row.values[index], 5), _.number(row.values[0], 5)] for _label_of, row in points
                ],
                "hovertemplate": f"{part.short_name}<br>%{{y}}: %{{customdata[0]}} / %{{customdata[1]}} = %{{x:.2f}}<extra></extra>",
            }
        )
    colours = ground(dark)
    base = parts[0].short_name
    return figure(
        traces,
        colours,
        title=_("Each part as a multiple of {base}", base=base),
        subtitle=_("dense peaks; memory as the runtime reports it; logarithmic axis"),
        height=120 + 46 * len(shown),
        x={"type": "log", "tickvals": list(TICKS), "ticktext": [base if tick == 1 else f"{tick:g}" for tick in TICKS]},
        y={"autorange": "reversed", "categoryorder": "array", "categoryarray": labels},
        showlegend=len(traces) > 1,
        margin={"l": label_width(labels), "r": 16, "t": 64, "b": 48},
        shapes=[
            {
                "type": "line",
                "x0": 1,
                "x1": 1,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": colours.text, "width": 1.5},
            }
        ],
    )


def _point_label(row: Row, index: int) -> str:
    """The ratio as text, left out where an earlier part's label stands at the same place."""
    ratio = row.ratios[index]
    earlier = [one for one in row.ratios[:index] if one is not None]
    if ratio is None or any(abs(ratio / one - 1) < LABEL_DISTANCE for one in earlier if one):
        return ""
    return f"{ratio:.2f}"


def _label(columns: Mapping[tuple[str, str], Column], field: str, _: Words) -> str:
    column = columns["accelerators", field]
    return _.pick(column.label_en, column.label_zh)
