"""Cost: cumulative curves by month with their crossings, and components of the net present value by option."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.choice.cost_view import CostView
from lib.choice.costed import Costed
from lib.present.cost import GROUPS, costed_first, group_name, grouped_npv, option_label
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words

_DASH_OF_ACQUISITION: Final[Mapping[str, str]] = {
    "buy": "solid",
    "rent": "dot",
    "commit-1y": "dash",
    "commit-3y": "longdash",
}
HEIGHT: Final = 250
"""Titles stand above the figures: inside, text costs the browser most, and a narrow screen would cut it."""


def in_currency(one: Costed, usd: float) -> float:
    """An amount as the figures show it.

    Parameters
    ----------
    one : Costed
        For currency and rate.
    usd : float
        The amount [USD].

    Returns
    -------
    float
        In the reader's currency.
    """
    return float(one.finance.finance.in_currency(usd))


def amounts_axis(_: Words) -> dict[str, Any]:
    """Ticks of an axis of money: 1.2M in English, whole numbers where a reader does not know that letter.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    dict
        Axis settings.
    """
    return {"nticks": 5, "tickformat": "~s" if _.language == "en" else ",.0f"}


def cumulative_chart(view: CostView, look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """What has been spent by each month, discounted, one line an option; the last month includes the resale.

    Parameters
    ----------
    view : CostView
        Options with flows are drawn.
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
    drawn = [one for one in view.options if one.flows is not None]
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
                "y": [round(in_currency(one, float(value))) for value in values],
                "line": {
                    "color": look[one.accelerator.accelerator_id].colour,
                    "width": 2.5,
                    "dash": _DASH_OF_ACQUISITION[one.candidate.acquisition],
                },
                "hovertemplate": f"{label}<br>%{{x}}: %{{y:,.0f}} {one.finance.finance.currency}<extra></extra>",
            }
        )
    labels = [option_label(one, _) for one in drawn]
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [months] * len(drawn),
            "y": spread([in_currency(one, one.npv_usd or 0.0) for one in drawn]),
            "text": [f" {label}" for label in labels],
            "textposition": "middle right",
            "textfont": {"color": [look[one.accelerator.accelerator_id].colour for one in drawn], "size": 12},
            "cliponaxis": False,
            "hoverinfo": "skip",
        }
    )
    if view.meetings:
        traces.append(_crossings(view, colours.text, _))
    return figure(
        traces,
        colours,
        title="",
        height=HEIGHT,
        x={
            "title": {"text": _("Month"), "standoff": 4},
            "tickvals": list(range(0, months + 1, 12 if months > 12 else 3)),
            "range": [0, months],
        },
        y={"rangemode": "tozero", **amounts_axis(_)},
        showlegend=False,
        margin={"l": 52, "r": label_width(labels, 12), "t": 12, "b": 36},
    )  # fmt: skip


def _of(options: Sequence[Costed]) -> str:
    return options[0].finance.finance.currency if options else "USD"


def _crossings(view: CostView, colour: str, _: Words) -> dict[str, Any]:
    """Where the curve of the cheapest option falls below another for good."""
    met = view.meetings
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [one.month for one in met],
        "y": [round(in_currency(view.options[one.place], one.usd)) for one in met],
        "marker": {"symbol": "circle-open", "size": 11, "color": colour, "line": {"width": 2}},
        "text": [
            _("month {n}: below {option} from here on", n=one.month, option=option_label(view.options[one.other], _))
            for one in met
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }


def spread(values: Sequence[float]) -> list[float]:
    """Heights for direct labels: the values, moved apart where two would overlap."""
    if not values:
        return []
    gap = 0.09 * max(values)
    order = sorted(range(len(values)), key=lambda index: values[index])
    places = list(values)
    for lower, upper in itertools.pairwise(order):
        places[upper] = max(places[upper], places[lower] + gap)
    return places


def components_chart(view: CostView, _: Words, *, dark: bool) -> Figure:
    """The net present value of each option in its components, cheapest first; resale counts against it.

    Parameters
    ----------
    view : CostView
        Options with totals are drawn.
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
    shown = costed_first(view.options)
    labels = [_two_lines(one, _) for one in shown]
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
                "x": [round(in_currency(one, amount)) for one, amount in zip(shown, amounts, strict=True)],
                "marker": {
                    "color": "rgba(0,0,0,0)" if group == "resale" else tones[group],
                    "line": {"color": colours.text, "width": 1.5 if outlined else 0},
                },
                "hovertemplate": f"%{{y}}<br>%{{fullData.name}}: %{{x:,.0f}} {_of(shown)}<extra></extra>",
            }
        )
    return figure(
        traces,
        colours,
        title="",
        height=max(HEIGHT, 50 + 40 * len(shown)),
        x={"visible": False},
        y={"autorange": "reversed", "showgrid": False},
        barmode="relative",
        bargap=0.35,
        showlegend=False,
        margin={"l": label_width([option_label(one, _) for one in shown]), "r": 8, "t": 8, "b": 8},
    )


def _two_lines(one: Costed, _: Words) -> str:
    """An option's name over its sum."""
    usd = in_currency(one, one.npv_usd or 0.0)
    return f"{option_label(one, _)}<br><b>{usd:,.0f} {one.finance.finance.currency}</b>"
