"""Recommendation: the governing figure of every candidate with its band, in the order of the answer."""

from collections.abc import Mapping
from typing import Any, Final

from lib.choice.assessment import Assessment
from lib.choice.recommend import Recommendation
from lib.choice.standing import NEEDS_THROUGHPUT
from lib.present.cost import option_label
from lib.present.figures.style import Figure, Ground, Look, figure, ground, label_width
from lib.present.recommend_checks import reason
from lib.present.recommend_figures import metric_name, unit_of
from lib.present.recommend_words import money
from lib.present.text import Words

_BAND_OPACITY: Final = 0.35
_BAND_WIDTH: Final = 12
_LONGEST_REASON: Final = 56
_PADDED: Final = 1.06


def ranking_chart(found: Recommendation, look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """A point and its band for each candidate; those that a check rules out are hollow, with the reason.

    Parameters
    ----------
    found : Recommendation
        The answer.
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
    labels = [_label(place, one, _) for place, one in found.shown]
    placed = [found.standing(one) for _place, one in found.shown]
    widest = max((max(*place.band, *place.whole) for place in placed if place.band and place.whole), default=0.0)
    traces: list[dict[str, Any]] = []
    for label, (_place, one) in zip(labels, found.shown, strict=True):
        part = look[one.cost.accelerator.accelerator_id]
        band = found.standing(one).band
        if band is not None and band[0] < band[1]:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": list(band),
                    "y": [label, label],
                    "line": {"color": part.colour, "width": _BAND_WIDTH},
                    "opacity": _BAND_OPACITY,
                    "hovertemplate": f"{label}<br>{_.span(*band)} {unit_of(found.metric, _)}<extra></extra>",
                }
            )
        whole = found.standing(one).whole
        if whole is not None and whole[0] < whole[1]:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": list(whole),
                    "y": [label, label],
                    "line": {"color": part.colour, "width": 2},
                    "hovertemplate": f"{label}<br>{_.span(*whole)} {unit_of(found.metric, _)}<extra></extra>",
                }
            )
        traces.append(_point(label, found, one, part, widest, colours, _))
    return figure(
        traces,
        colours,
        title=_title(found, _),
        subtitle=_subtitle(found, _),
        height=110 + 44 * len(labels),
        x={"range": [0, _PADDED * widest] if widest else None, "tickformat": "~s" if found.metric == "outlay" and _.language == "en" else ",.4~g", "nticks": 6, "showticklabels": widest > 0},
        y={"autorange": "reversed", "categoryorder": "array", "categoryarray": labels, "ticksuffix": " "},
        showlegend=False,
        margin={"l": label_width(labels), "r": 24, "t": 64, "b": 32},
    )  # fmt: skip


def _subtitle(found: Recommendation, _: Words) -> str:
    if found.metric in NEEDS_THROUGHPUT:
        message = _("{unit}; point: low end of throughput; line: 80 %; band: price, own error; hollow: ruled out")
    else:
        message = _("{unit}; band: range of the price; hollow: ruled out")
    return message.format(unit=unit_of(found.metric, _))


def _title(found: Recommendation, _: Words) -> str:
    if found.winner is None:
        return _("No candidate passes every check")
    if found.is_tie:
        return _("{winner}: first, in a tie", winner=option_label(found.winner.cost, _))
    return _(
        "{winner}: the best that passes, by {metric}",
        winner=option_label(found.winner.cost, _),
        metric=metric_name(found.metric, _),
    )


def _label(place: int, one: Assessment, _: Words) -> str:
    return f"{place}. {option_label(one.cost, _)}" if one.is_feasible else f"✗ {option_label(one.cost, _)}"


def _point(
    label: str, found: Recommendation, one: Assessment, part: Look, widest: float, colours: Ground, _: Words
) -> dict[str, Any]:
    """The value itself; without one, the reason in its place."""
    value = found.standing(one).weighted
    amount = "" if value is None else money(value) if found.metric == "outlay" else _.number(value)
    unpriced = [check for check in one.open_checks if check.name == "price"] or one.open_checks
    telling = one.failed or (unpriced if one.cost.npv_usd is None else ())
    why = _clipped(reason(telling[0], _)) if telling else ""
    if value is None and not why:
        why = _("not estimated; outlay {npv} USD", npv=money(one.cost.npv_usd))
    text = "  ".join(part for part in (amount, why) if part)
    return {
        "type": "scatter",
        "mode": "markers+text" if value is not None else "text",
        "x": [value or 0],
        "y": [label],
        "text": [text],
        "textposition": _position(value, bool(why), widest),
        "textfont": {"color": colours.text, "size": 12},
        "cliponaxis": False,
        "marker": {
            "color": part.colour,
            "symbol": part.marker if one.is_feasible else f"{part.marker}-open",
            "size": 11,
            "line": {"color": part.colour, "width": 2},
        },
        "hovertemplate": f"{label}<br>{text}<extra></extra>",
    }


def _position(value: float | None, with_reason: bool, widest: float) -> str:
    """A long text goes to the side that has room."""
    if value is None:
        return "middle right"
    if not with_reason:
        return "top center"
    return "top right" if value < widest / 2 else "top left"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON].rstrip() + "…"
