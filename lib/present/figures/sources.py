"""Sources: how near the rows of each table stand to the fact."""

from typing import Any, Final

from lib.choice.provenance import CLOSENESS, Closeness, Provenance
from lib.present import sources
from lib.present.figures.style import Figure, Ground, figure, ground, key, label_width
from lib.present.text import Words

LEAST_LABELLED: Final = 0.08
"""Smaller shares carry no label inside their bar."""

_ROW_HEIGHT: Final = 25
_HEAD_HEIGHT: Final = 100
_DARK_TEXT: Final = "#1B1F24"
_LIGHT_TEXT: Final = "#FFFFFF"


def closeness_chart(found: Provenance, _: Words, *, dark: bool) -> Figure:
    """The rows of each table by kind of source as shares of one bar, the most second-hand table first.

    Parameters
    ----------
    found : Provenance
        From `lib.choice.provenance`.
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
    labels = [
        _("{table} ({rows})", table=sources.table_title(one.table, _), rows=format(one.rows, ","))
        for one in found.origins
    ]
    traces = []
    for kind in CLOSENESS:
        counts = [one.by_closeness[kind] for one in found.origins]
        shares = [count / one.rows for count, one in zip(counts, found.origins, strict=True)]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": sources.closeness_name(kind, _),
                "y": labels,
                "x": [share or None for share in shares],  # an outline of no width would still be drawn
                "text": [_.percent(share) if share >= LEAST_LABELLED else "" for share in shares],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "textfont": {"size": 11, "color": _ink(kind, colours)},
                "customdata": [
                    [f"{count:,}", f"{one.rows:,}"] for count, one in zip(counts, found.origins, strict=True)
                ],
                "hovertemplate": "%{y}<br>%{fullData.name}: %{customdata[0]} / %{customdata[1]}<extra></extra>",
                "marker": _marker(kind, colours),
            }
        )
    return figure(
        traces,
        colours,
        title=sources.chart_title(found, _),
        subtitle="<br>".join([_("share of rows by kind of source; rows in brackets"), *_kinds(colours, _)]),
        height=_HEAD_HEIGHT + 8 + _ROW_HEIGHT * len(labels),
        margin={"l": label_width(labels), "r": 8, "t": _HEAD_HEIGHT, "b": 8},
        x={"range": [0, 1.005], "tickformat": ".0%", "showgrid": False, "showticklabels": False, "zeroline": False},
        y={"autorange": "reversed", "showgrid": False},
        barmode="stack",
        bargap=0.22,
        showlegend=False,
    )  # fmt: skip


def _kinds(colours: Ground, _: Words) -> tuple[str, str]:
    """The legend in two lines, short enough for a phone; a hollow square for what is drawn as an outline."""
    names = {kind: sources.closeness_name(kind, _) for kind in CLOSENESS}
    first = key([(colours.greys[0], names["vendor"]), (colours.greys[1], names["record"])])
    return first, f"{key([(colours.greys[2], names['second-hand'])])}   □ {names['own']}"


def _marker(kind: Closeness, colours: Ground) -> dict[str, Any]:
    """Greys from what stands nearest to what stands farthest; own derivations an outline."""
    if kind != "own":
        index = {"vendor": 0, "record": 1, "second-hand": 2}[kind]
        return {"color": colours.greys[index], "line": {"width": 0}}
    return {
        "color": "rgba(0,0,0,0)",
        "line": {"width": 1, "color": colours.greys[0]},
    }


def _ink(kind: Closeness, colours: Ground) -> str:
    """A text colour with contrast on the bar below it."""
    if kind == "own":
        return colours.text
    if colours.dark:
        return _LIGHT_TEXT if kind == "second-hand" else _DARK_TEXT
    return _LIGHT_TEXT if kind == "vendor" else _DARK_TEXT
