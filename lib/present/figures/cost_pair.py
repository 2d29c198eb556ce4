"""Two options held against each other: a waterfall by component, a map over two drivers, and cost by horizon."""

from collections.abc import Mapping
from typing import Any, Final

from lib.choice.cost_view_pair import Ownership
from lib.choice.costed import Costed
from lib.cost.difference import Waterfall
from lib.cost.maps import BreakEvenMap
from lib.present.cost import component_name, option_label
from lib.present.figures.cost import amounts_axis, in_currency
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words

_HEIGHT: Final = 380


def waterfall_chart(
    found: Waterfall, first: Costed, second: Costed, _: Words, *, dark: bool, title: str, subtitle: str
) -> Figure:
    """From the cost of one option to that of another, a step for each component that differs.

    Parameters
    ----------
    found : Waterfall
        The steps.
    first, second : Costed
        The two options.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title, subtitle : str
        Finding and conditions.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    steps = found.moving
    names = [option_label(first, _), *(component_name(step.component, _) for step in steps), option_label(second, _)]
    bottoms = [0.0, *(in_currency(first, min(step.from_usd, step.to_usd)) for step in steps), 0.0]
    lengths = [
        in_currency(first, found.first_usd),
        *(abs(in_currency(first, step.change_usd)) for step in steps),
        in_currency(first, found.second_usd),
    ]
    texts = [
        f"{in_currency(first, found.first_usd):,.0f}",
        *(f"{in_currency(first, step.change_usd):+,.0f}" for step in steps),
        f"{in_currency(first, found.second_usd):,.0f}",
    ]
    tones = [
        colours.greys[0],
        *(colours.greys[1] if step.change_usd > 0 else "rgba(0,0,0,0)" for step in steps),
        colours.greys[0],
    ]
    return figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": [round(length) for length in lengths],
                "base": [round(bottom) for bottom in bottoms],
                "text": texts,
                "textposition": "outside",
                "cliponaxis": False,
                "textfont": {"color": colours.text, "size": 12},
                "marker": {"color": tones, "line": {"color": colours.text, "width": 1}},
                "hoverinfo": "skip",
            }
        ],
        colours,
        title=title,
        subtitle=subtitle,
        height=96 + 30 * len(names),
        x={**amounts_axis(_), "rangemode": "tozero"},
        y={"autorange": "reversed", "showgrid": False},
        bargap=0.3,
        showlegend=False,
        margin={"l": label_width(names), "r": 84, "t": 56, "b": 28},
    )


def map_chart(
    found: BreakEvenMap,
    first: Costed,
    second: Costed,
    axes: tuple[str, str],
    now: tuple[float, float],
    _: Words,
    *,
    dark: bool,
    title: str,
    subtitle: str,
) -> Figure:
    """Which of two options costs less over two drivers, with the line on which they cost the same.

    Parameters
    ----------
    found : BreakEvenMap
        Differences and lines.
    first, second : Costed
        The two options.
    axes : tuple of str
        Titles of the axes.
    now : tuple of float
        Values in use.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title, subtitle : str
        Finding and conditions.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    finance = first.finance.finance
    grid = [[round(in_currency(first, float(value))) for value in row] for row in found.difference_usd]
    widest = max(max(abs(value) for value in row) for row in grid) or 1
    traces: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            "x": [float(value) for value in found.x_values],
            "y": [float(value) for value in found.y_values],
            "z": grid,
            "zmin": -widest,
            "zmax": widest,
            "colorscale": [[0, colours.greys[1]], [0.5, colours.grid], [1, colours.greys[2]]],
            "showscale": False,
            "hovertemplate": f"{axes[0]}: %{{x:,.4~r}}<br>{axes[1]}: %{{y:,.4~r}}<br>"
            + _("first less second")
            + f": %{{z:,.0f}} {finance.currency}<extra></extra>",
        }
    ]
    traces += [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [float(value) for value in line[:, 0]],
            "y": [float(value) for value in line[:, 1]],
            "line": {"color": colours.text, "width": 2.5},
            "hoverinfo": "skip",
        }
        for line in found.lines
    ]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": [now[0]],
            "y": [now[1]],
            "marker": {"symbol": "x", "size": 12, "color": colours.text, "line": {"width": 1, "color": colours.text}},
            "hovertemplate": _("as it stands") + "<extra></extra>",
        }
    )
    return figure(
        traces,
        colours,
        title=title,
        subtitle=subtitle,
        height=_HEIGHT + 40,
        x={"title": {"text": axes[0], "standoff": 6}, "showgrid": False, "nticks": 6},
        y={"title": {"text": axes[1], "standoff": 6}, "showgrid": False, "nticks": 6},
        annotations=_names(found, option_label(first, _), option_label(second, _), colours.text, _),
        showlegend=False,
        margin={"l": 84, "r": 16, "t": 64, "b": 48},
    )


def _names(found: BreakEvenMap, first: str, second: str, colour: str, _: Words) -> list[dict[str, Any]]:
    """Each option's name in the middle of the ground where it is the cheaper, and the name of the line."""
    notes = []
    for is_first, label in ((True, first), (False, second)):
        rows, columns = ((found.difference_usd < 0) == is_first).nonzero()
        if rows.size:
            place = (float(found.x_values[columns].mean()), float(found.y_values[rows].mean()))
            notes.append(_note(place, _("{option} cheaper", option=label), colour))
    if found.lines:
        longest = max(found.lines, key=len)
        middle = longest[len(longest) // 2]
        line = _note((float(middle[0]), float(middle[1])), _("equal cost"), colour)
        notes.append(line | {"xanchor": "left", "xshift": 6, "yanchor": "bottom"})
    return notes


def _note(place: tuple[float, float], text: str, colour: str) -> dict[str, Any]:
    return {
        "x": place[0],
        "y": place[1],
        "text": text,
        "showarrow": False,
        "font": {"color": colour, "size": 12},
    }


def horizon_chart(
    found: Ownership, look: Mapping[str, Look], _: Words, *, dark: bool, title: str, subtitle: str
) -> Figure:
    """What owning and renting cost at every horizon, each with its resale at that month.

    Parameters
    ----------
    found : Ownership
        Both costs by horizon.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title, subtitle : str
        Finding and conditions.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    months = [int(month) for month in found.horizons]
    traces: list[dict[str, Any]] = []
    labels = []
    for one, costs, dash in ((found.owned, found.owned_usd, "solid"), (found.rented, found.rented_usd, "dot")):
        labels.append(option_label(one, _))
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+text",
                "x": months,
                "y": [round(in_currency(one, float(value))) for value in costs],
                "text": [""] * (len(months) - 1) + [f" {labels[-1]}"],
                "textposition": "middle right",
                "cliponaxis": False,
                "textfont": {"color": look[one.accelerator.accelerator_id].colour, "size": 12},
                "line": {"color": look[one.accelerator.accelerator_id].colour, "width": 2.5, "dash": dash},
                "hovertemplate": f"{labels[-1]}<br>%{{x}}: %{{y:,.0f}} {one.finance.finance.currency}<extra></extra>",
            }
        )
    edges = [month for run in found.answer.paying_horizons for month in run if month not in (months[0], months[-1])]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": edges,
            "y": [round(in_currency(found.owned, float(found.owned_usd[months.index(month)]))) for month in edges],
            "marker": {"symbol": "circle-open", "size": 11, "color": colours.text, "line": {"width": 2}},
            "hovertemplate": "%{x}<extra></extra>",
        }
    )
    return figure(
        traces,
        colours,
        title=title,
        subtitle=subtitle,
        height=_HEIGHT,
        x={"title": {"text": _("Months of horizon")}, "tickvals": list(range(0, 61, 12))},
        y={"rangemode": "tozero", **amounts_axis(_)},
        showlegend=False,
        margin={"l": 52, "r": label_width(labels, 12), "t": 64, "b": 40},
    )
