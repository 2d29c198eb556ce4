"""Cost: cumulative curves by month, and components of the net present value by option."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.costed import Costed
from lib.present.cost import GROUPS, group_name, grouped_npv, option_label
from lib.present.figures.style import Figure, Look, figure, ground, key, label_width
from lib.present.text import Words

_DASH_OF_ACQUISITION: Final[Mapping[str, str]] = {
    "buy": "solid",
    "rent": "dot",
    "commit-1y": "dash",
    "commit-3y": "longdash",
}


def cumulative_chart(options: Sequence[Costed], look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """What has been spent by each month, discounted, one line an option; the last month includes the resale.

    Parameters
    ----------
    options : sequence of Costed
        Those with flows are drawn.
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
    drawn = [one for one in options if one.flows is not None]
    traces: list[dict[str, Any]] = []
    months = 0
    for one in drawn:
        if one.flows is None:
            continue
        values = one.flows.cumulative_discounted
        months = len(values) - 1
        label = option_label(one, _)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label,
                "x": list(range(len(values))),
                "y": [round(float(value)) for value in values],
                "line": {
                    "color": look[one.accelerator.accelerator_id].colour,
                    "width": 2.5,
                    "dash": _DASH_OF_ACQUISITION[one.candidate.acquisition],
                },
                "hovertemplate": f"{label}<br>%{{x}}: %{{y:,.0f}} USD<extra></extra>",
            }
        )
    labels = [option_label(one, _) for one in drawn]
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [months] * len(drawn),
            "y": _spread([one.npv_usd or 0.0 for one in drawn]),
            "text": [f" {label}" for label in labels],
            "textposition": "middle right",
            "textfont": {"color": [look[one.accelerator.accelerator_id].colour for one in drawn], "size": 12},
            "cliponaxis": False,
            "hoverinfo": "skip",
        }
    )
    return figure(
        traces,
        colours,
        title=_("Spent by each month"),
        subtitle=_("discounted to the day of acceptance, USD; the last month includes the resale"),
        height=360,
        x={
            "title": {"text": _("Month")},
            "tickvals": list(range(0, months + 1, 12 if months > 12 else 3)),
            "range": [0, months],
        },
        y={"rangemode": "tozero", "nticks": 5, "tickformat": "~s" if _.language == "en" else ",.0f"},
        showlegend=False,
        margin={"l": 52, "r": label_width(labels, 12), "t": 64, "b": 40},
    )


def _spread(values: Sequence[float]) -> list[float]:
    """Heights for direct labels: the values, moved apart where two would overlap."""
    if not values:
        return []
    gap = 0.07 * max(values)
    order = sorted(range(len(values)), key=lambda index: values[index])
    places = list(values)
    for lower, upper in itertools.pairwise(order):
        places[upper] = max(places[upper], places[lower] + gap)
    return places


def components_chart(options: Sequence[Costed], _: Words, *, dark: bool) -> Figure:
    """The net present value of each option in its components, cheapest first; resale counts against it.

    Parameters
    ----------
    options : sequence of Costed
        Those with totals are drawn.
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
    shown = sorted((one for one in options if one.npv_usd is not None), key=lambda one: one.npv_usd or 0.0)
    labels = [f"{option_label(one, _)}<br><b>{_.usd(one.npv_usd)}</b>" for one in shown]
    values = [grouped_npv(one) for one in shown]
    tones: dict[str, str] = dict(zip(GROUPS, (*colours.greys[:3], colours.grid, colours.text), strict=True))
    traces: list[dict[str, object]] = []
    for group in GROUPS:
        amounts = [row[group] for row in values]
        if not any(amounts):
            continue
        outlined = group in ("rent", "resale")
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": group_name(group, _),
                "y": labels,
                "x": [round(amount) for amount in amounts],
                "marker": {
                    "color": "rgba(0,0,0,0)" if group == "resale" else tones[group],
                    "line": {"color": colours.text, "width": 1.5 if outlined else 0},
                },
                "hovertemplate": "%{y}<br>%{fullData.name}: %{x:,.0f} USD<extra></extra>",
            }
        )
    drawn = [(tones[group], group_name(group, _)) for group in GROUPS if any(row[group] for row in values)]
    return figure(
        traces,
        colours,
        title=_("Net present value by component, USD"),
        subtitle=key(drawn),
        height=100 + 46 * max(1, len(shown)),
        x={"visible": False},
        y={"autorange": "reversed", "showgrid": False},
        barmode="relative",
        bargap=0.35,
        showlegend=False,
        margin={"l": label_width([option_label(one, _) for one in shown]), "r": 8, "t": 64, "b": 8},
    )
