"""The brief's own curves, and figures as they stand on a projector: the same drawing in type that the back row reads."""

from collections.abc import Mapping
from typing import Any, Final

from lib.present.brief import Brief
from lib.present.figures.cost import amounts_axis, spread
from lib.present.figures.lines import TITLE_LINE, unbroken
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words

SCALE: Final = 2
SMALLEST: Final = 24
"""Size of the smallest type in an enlarged figure [px]: what a back row reads on a wall 1,920 wide."""

_SIZES: Final = frozenset({"size", "width"})
_TOP: Final = 44
"""Room for a label above the first mark [px]."""


def curves_chart(told: Brief, look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """What each candidate's fleet has cost by the end of each month, labelled at its end; dashed where rented.

    Parameters
    ----------
    told : Brief
        With its curves.
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
    last = max((len(curve.usd) - 1 for curve in told.curves), default=0)
    names = [curve.name for curve in told.curves]
    tints = [look[curve.part].colour for curve in told.curves]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": list(range(len(curve.usd))),
            "y": [round(usd) for usd in curve.usd],
            "line": {"color": tint, "width": 2.5, "dash": "dash" if curve.is_rented else "solid"},
            "hovertemplate": f"{curve.name}<br>%{{x}}: %{{y:,.0f}} USD<extra></extra>",
        }
        for curve, tint in zip(told.curves, tints, strict=True)
    ]
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [last] * len(names),
            "y": spread([curve.usd[-1] for curve in told.curves]),
            "text": [f" {name}" for name in names],
            "textposition": "middle right",
            "textfont": {"color": tints, "size": 12},
            "cliponaxis": False,
            "hoverinfo": "skip",
        }
    )
    return figure(
        traces,
        colours,
        title=told.curves_title,
        subtitle=_("USD by month, discounted; the end includes the resale; dashed: rented"),
        height=110 + 44 * max(len(told.ranking), 4),
        x={"title": {"text": _("Month"), "standoff": 4}, "range": [0, last], "dtick": 12 if last > 12 else 3},
        y={"rangemode": "tozero", **amounts_axis(_)},
        showlegend=False,
        margin={"l": 52 if _.language == "en" else 68, "r": label_width(names, 12), "t": 64, "b": 40},
    )


def conditions(drawn: Figure) -> str:
    """Under which conditions a figure was drawn: its subtitle, which a narrow figure would cut where it stands large.

    Parameters
    ----------
    drawn : dict
        As a page shows it.

    Returns
    -------
    str
        Plain text; blank where it has none.
    """
    subtitle: str = drawn["layout"]["title"].get("subtitle", {}).get("text", "")
    return unbroken(subtitle)


def without_conditions(drawn: Figure) -> Figure:
    """The same figure for a place that is too narrow for its subtitle, which then stands below it.

    Parameters
    ----------
    drawn : dict
        As a figure's function draws it.

    Returns
    -------
    dict
        Another figure; the given one is untouched.
    """
    layout = drawn["layout"]
    title = {name: part for name, part in layout["title"].items() if name != "subtitle"}
    top = _TOP + TITLE_LINE * title["text"].count("<br>")
    return {**drawn, "layout": {**layout, "title": title, "margin": {**layout["margin"], "t": top}}}


def enlarged(drawn: Figure, height: int = 560) -> Figure:
    """A figure with every size of type, line and marker enlarged; finding and conditions stand above it, not in it.

    Parameters
    ----------
    drawn : dict
        As a page shows it.
    height : int
        Its new height [px].

    Returns
    -------
    dict
        Another figure; the given one is untouched.
    """
    layout: dict[str, Any] = _scaled({name: part for name, part in drawn["layout"].items() if name != "title"})
    margin = drawn["layout"].get("margin", {})
    layout["margin"] = {side: margin.get(side, 8) * SCALE for side in ("l", "r", "b")} | {"t": _TOP}
    layout["height"] = height
    layout["yaxis"] = {**layout["yaxis"], "automargin": True}
    return {"data": [_scaled(trace) for trace in drawn["data"]], "layout": layout}


def _scaled(part: Any, least: float = 0) -> Any:
    if isinstance(part, dict):
        return {
            name: max(value * SCALE, least)
            if name in _SIZES and isinstance(value, int | float)
            else _scaled(value, SMALLEST if name.endswith("font") else 0)
            for name, value in part.items()
        }
    return [_scaled(one) for one in part] if isinstance(part, list) and part and isinstance(part[0], dict) else part
