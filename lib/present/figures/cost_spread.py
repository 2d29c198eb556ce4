"""Cost under uncertainty: how the draws of each option spread, and what the difference of two options hangs on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.cost_view import CostView
from lib.choice.costed import Costed
from lib.cost.monte_carlo import Distribution
from lib.cost.sensitivity import Bar
from lib.present.cost import option_label
from lib.present.figures.cost import HEIGHT, amounts_axis, in_currency
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words

MOST_BARS: Final = 7
_LINE_PX: Final = 33
_HIGHEST: Final = 0.82
_MARKED: Final = (10, 50, 90)
_SYMBOLS: Final[Mapping[int | None, str]] = {
    10: "line-ns-open",
    50: "circle",
    90: "line-ns-open",
    None: "diamond-open",
}
_SIZES: Final[Mapping[int | None, int]] = {10: 12, 50: 8, 90: 12, None: 13}


def spread_chart(view: CostView, look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """The draws of each option as a ridge over its P10, P50 and P90, beside the value at the base assumptions.

    Parameters
    ----------
    view : CostView
        With the draws.
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
    rows = [(view.options[place], spread) for place in view.order if (spread := view.spread(place)) is not None]
    count = len(rows)
    outline_x: list[float | None] = []
    outline_y: list[float | None] = []
    for row, (one, spread) in enumerate(rows):
        xs, ys = _ridge(one, spread)
        outline_x += [*xs, None]
        outline_y += [*(count - 1 - row + value for value in ys), None]
    marks = [(row, *pair, mark) for row, pair in enumerate(rows) for mark in (*_MARKED, None)]
    traces: list[dict[str, Any]] = [  # one outline and one set of marks: each further trace costs the browser as much
        {
            "type": "scatter",
            "mode": "lines",
            "x": outline_x,
            "y": outline_y,
            "line": {"color": colours.greys[1], "width": 1},
            "fill": "toself",
            "fillcolor": colours.grid,
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [round(in_currency(one, _at(spread, mark))) for _row, one, spread, mark in marks],
            "y": [count - 1 - row for row, _one, _spread, _mark in marks],
            "marker": {
                "symbol": [_SYMBOLS[mark] for _row, _one, _spread, mark in marks],
                "size": [_SIZES[mark] for _row, _one, _spread, mark in marks],
                "color": [look[one.accelerator.accelerator_id].colour for _row, one, _spread, _mark in marks],
                "line": {
                    "width": 2,
                    "color": [look[one.accelerator.accelerator_id].colour for _row, one, _spread, _mark in marks],
                },
            },
            "text": [
                f"{option_label(one, _)}<br>{_('at the base assumptions') if mark is None else f'P{mark}'}"
                for _row, one, _spread, mark in marks
            ],
            "hovertemplate": f"%{{text}}: %{{x:,.0f}} {_currency(rows)}<extra></extra>",
        },
    ]
    labels = [option_label(one, _) for one, _spread in rows]
    return figure(
        traces,
        colours,
        title="",
        height=max(HEIGHT, 48 + 44 * count),
        x=amounts_axis(_),
        y={
            "tickvals": [count - 1 - row for row in range(count)],
            "ticktext": labels,
            "range": [-0.3, count],
            "showgrid": False,
        },
        showlegend=False,
        margin={"l": label_width(labels), "r": 12, "t": 8, "b": 28},
    )  # fmt: skip


def _currency(rows: Sequence[tuple[Costed, Distribution]]) -> str:
    return rows[0][0].finance.finance.currency if rows else "USD"


def _ridge(one: Costed, spread: Distribution) -> tuple[list[float], list[float]]:
    """The outline of a histogram over its base line, two bins in one, each option to its own peak."""
    shares = spread.histogram.shares
    edges = spread.histogram.edges_usd
    if edges[0] == edges[-1] or spread.low_usd == spread.high_usd:
        return [], []
    paired = shares[0::2] + shares[1::2]
    middles = edges[1::2]
    ends = [float(edges[0]), *map(float, middles), float(edges[-1])]
    heights = [0.0, *(float(share / paired.max()) * _HIGHEST for share in paired), 0.0]
    return [round(in_currency(one, end)) for end in ends], [round(height, 3) for height in heights]


def _at(spread: Distribution, mark: int | None) -> float:
    """A percentile, or the value at the base assumptions."""
    return spread.base_usd if mark is None else spread.percentiles_usd[mark]


def tornado_chart(bars: Sequence[Bar], labels: Sequence[str], finance_of: Costed, _: Words, *, dark: bool) -> Figure:
    """What the difference of two options is at both ends of each driver, the widest first.

    Parameters
    ----------
    bars : sequence of Bar
        At most MOST_BARS are drawn.
    labels : sequence of str
        What moves and between which ends, one a bar.
    finance_of : Costed
        For currency and rate.
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
    shown = list(bars[:MOST_BARS])
    names = list(labels[:MOST_BARS])
    base = in_currency(finance_of, shown[0].base_usd) if shown else 0.0
    currency = finance_of.finance.finance.currency
    ends = [(name, bar, end) for name, bar in zip(names, shown, strict=True) for end in ("low", "high")]
    values = [in_currency(finance_of, bar.at_low_usd if end == "low" else bar.at_high_usd) for _name, bar, end in ends]
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": [name for name, _bar, _end in ends],
            "base": round(base),
            "x": [round(value - base) for value in values],
            "customdata": [
                f"{_('at the low end') if end == 'low' else _('at the high end')}: {value:,.0f} {currency}"
                for (_name, _bar, end), value in zip(ends, values, strict=True)
            ],
            "marker": {"color": [colours.greys[2] if end == "low" else colours.greys[0] for _name, _bar, end in ends]},
            "hovertemplate": "%{y}<br>%{customdata}<extra></extra>",
        }
    ]
    return figure(
        traces,
        colours,
        title="",
        height=max(HEIGHT, 44 + _LINE_PX * len(shown)),
        x={**amounts_axis(_), "zeroline": True, "zerolinecolor": colours.text, "zerolinewidth": 1.5},
        y={"autorange": "reversed", "showgrid": False, "tickfont": {"color": colours.text, "size": 11}},
        barmode="overlay",
        bargap=0.3,
        showlegend=False,
        margin={
            "l": label_width([line for name in names for line in name.split("<br>")], 11),
            "r": 12,
            "t": 8,
            "b": 28,
        },
    )
