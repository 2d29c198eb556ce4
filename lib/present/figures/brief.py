"""The brief's own curves, and figures as they stand on a projector: the same drawing in type that the back row reads."""

from collections.abc import Mapping
from typing import Any, Final

from lib.present.brief import Brief
from lib.present.figures.cost import amounts_axis, spread
from lib.present.figures.style import Figure, Look, figure, ground, label_width
from lib.present.text import Words

SCALE: Final = 1.7
_CONDITIONS_SIZE: Final = 16
_SIZES: Final = frozenset({"size", "width"})
_MARGINS: Final = ("l", "r", "t", "b")


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
        margin={"l": 52, "r": label_width(names, 12), "t": 64, "b": 40},
    )


def enlarged(drawn: Figure, height: int = 620) -> Figure:
    """A figure with every size of type, line and marker enlarged; its conditions alone above it, the finding being the title.

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
    layout: dict[str, Any] = _scaled(drawn["layout"])
    margin = drawn["layout"].get("margin", {})
    layout["margin"] = {side: round(margin.get(side, 8) * SCALE) for side in _MARGINS}
    layout["height"] = height
    layout["title"] |= drawn["layout"]["title"].get("subtitle", {"text": ""})
    layout["title"].pop("subtitle", None)
    layout["title"]["font"] = {**layout["title"].get("font", {}), "size": _CONDITIONS_SIZE, "weight": 400}
    return {"data": [_scaled(trace) for trace in drawn["data"]], "layout": layout}


def _scaled(part: Any) -> Any:
    if isinstance(part, dict):
        return {
            name: value * SCALE if name in _SIZES and isinstance(value, int | float) else _scaled(value)
            for name, value in part.items()
        }
    return [_scaled(one) for one in part] if isinstance(part, list) and part and isinstance(part[0], dict) else part
