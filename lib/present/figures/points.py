"""What the figures of measured points share: lines that fit, marks of interest and queue, sources on hover."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import INDEPENDENT
from lib.choice.own_rows import OWN_SOURCE
from lib.present.figures.lines import SUBTITLE_LINE, SUBTITLE_WIDTH, TITLE_LINE, TITLE_WIDTH, wrapped
from lib.present.figures.style import BROKEN_HEAD, Figure, Ground, Look, figure
from lib.present.measured_words import source_of
from lib.present.text import Words

OUTLINE: Final = 2.2
"""Width of the outline that marks a publisher's interest [px]."""

_HOVER_WIDTH: Final = 64
"""Width in letters, as `wrapped` counts them."""

_ABOVE: Final = 24
_MOST_TICKS: Final = 8
_BELOW: Final = 52
_MARK_WIDTH: Final = 6
_GLYPHS: Final[Mapping[str, str]] = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼", "cross": "✚", "x": "✖",
    "star": "★",
}  # fmt: skip

Row = dict[str, Any]


def records(rows: pd.DataFrame) -> list[Row]:
    """Rows of a table as dicts by column name, with `row`, their label in the table they came from.

    Pandas' own way takes a hundred times as long with categories.
    """
    columns = [np.asarray(column.array).tolist() for _name, column in rows.items()]
    names = [str(name) for name in rows.columns]
    if "row" not in names:
        names, columns = [*names, "row"], [*columns, rows.index.tolist()]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def reference(row: Mapping[str, Any], table: str, *labels: str) -> list[str]:
    """What a point leads to: its source and its rows, as `customdata` of a figure.

    Parameters
    ----------
    row : mapping
        With its source_id and the labels.
    table : str
        Name of the measured table.
    *labels : str
        Columns that hold the labels of its rows; `row` where none is named.

    Returns
    -------
    list of str
        Source id, then "table:label" for each row.
    """
    return [str(row["source_id"]), *(f"{table}:{row[name]}" for name in labels or ("row",))]


def titled(
    traces: list[dict[str, Any]],
    colours: Ground,
    title: str,
    subtitle: Sequence[str],
    *,
    height: int,
    left: int,
    keys: Sequence[tuple[Look, str]] = (),
    **layout: Any,
) -> Figure:
    """A figure whose title, subtitle and key are broken into lines that a telephone shows whole.

    Parameters
    ----------
    traces : list of dict
        Plotly traces.
    colours : Ground
        The theme's ground.
    title : str
        The finding.
    subtitle : sequence of str
        Conditions and what the marks mean, a line or more each.
    height : int
        Height without the lines above the plot [px].
    left : int
        Room for the labels of the upright axis [px].
    keys : sequence of (Look, str)
        Parts with how they are drawn, for a last line of the subtitle.
    **layout : Any
        Axis and layout settings, as for `figure`.

    Returns
    -------
    dict
        A Plotly figure.
    """
    lines = wrapped(title, TITLE_WIDTH)
    more = [line for sentence in subtitle if sentence for line in wrapped(sentence, SUBTITLE_WIDTH)]
    more += _key_lines(keys)
    top = _ABOVE + TITLE_LINE * len(lines) + SUBTITLE_LINE * len(more)
    made = figure(
        traces,
        colours,
        title="<br>".join(lines),
        subtitle="<br>".join(more),
        height=height + top,
        margin={"l": left, "r": 24, "t": top, "b": _BELOW},
        showlegend=False,
        **layout,
    )
    made["layout"]["title"] |= BROKEN_HEAD
    return made


def _key_lines(keys: Sequence[tuple[Look, str]]) -> list[str]:
    """Each part's marker in its colour and its name, as many on a line as fit."""
    lines: list[list[str]] = [[]]
    room = SUBTITLE_WIDTH
    for look, name in keys:
        if len(name) + _MARK_WIDTH > room and lines[-1]:
            lines.append([])
            room = SUBTITLE_WIDTH
        lines[-1].append(f"<span style='color:{look.colour}'>{_GLYPHS[look.marker]}</span> {name}")
        room -= len(name) + _MARK_WIDTH
    return ["   ".join(line) for line in lines if line]


def outlines(rows: Sequence[Mapping[str, Any]], colours: Ground) -> dict[str, Any]:
    """The outline of each marker: drawn where the publisher has an interest, or where it is not known to have none."""
    widths = [0 if row.get("publisher_interest", INDEPENDENT) == INDEPENDENT else OUTLINE for row in rows]
    return {"color": colours.text, "width": widths}


def marks(rows: pd.DataFrame, _: Words) -> list[str]:
    """What outline and letter mean, where they occur in rows of serving runs or pairs."""
    found = []
    if (rows["publisher_interest"] != INDEPENDENT).any():
        found.append(_("Outlined: the publisher has an interest, or its interest is not known"))
    if rows["queue_limited"].any():
        found.append(_("Q: queue-limited, fewer requests ran than stated"))
    if (rows["source_id"] == OWN_SOURCE).any():
        found.append(_("★: your own measurement, in this session only"))
    return found


def letters(row: Mapping[str, Any]) -> str:
    """The letters beside a point: Q where it is queue-limited, a star where it is the user's own."""
    return ("★" if row.get("source_id") == OWN_SOURCE else "") + ("Q" if row.get("queue_limited") else "")


def load_axis(loads: Sequence[float], title: str, *, beyond: tuple[float, str] | None = None) -> dict[str, Any]:
    """A logarithmic axis of loads with powers of two or four as ticks.

    Parameters
    ----------
    loads : sequence of float
        Loads that occur, lowest first.
    title : str
        What is counted.
    beyond : tuple of float and str, optional
        Place and words of one more tick, for runs without a stated load.

    Returns
    -------
    dict
        Axis settings.
    """
    powers = [power for power in range(24) if loads and loads[0] / 2 < 2.0**power < loads[-1] * 2]
    if len(powers) > _MOST_TICKS:
        powers = powers[::2]
    ticks, words = [2.0**power for power in powers], [f"{2**power:,}" for power in powers]
    if beyond is not None:
        ticks, words = [*ticks, beyond[0]], [*words, beyond[1]]
    return {"type": "log", "tickvals": ticks, "ticktext": words, "tickangle": 0, "title": {"text": title}}


def source_line(catalog: Catalog, row: Mapping[str, Any], place: str, remark: str, _: Words) -> str:
    """Source, publisher, date and place, for the last lines of a hover text."""
    source = source_of(catalog, row["source_id"], _)
    who = row.get("publisher") or source.publisher
    pieces = [
        source.title,
        f"{who} ({remark})" if remark else str(who),
        str(row.get("date") or source.date),
        str(place),
    ]
    return ", ".join(one for one in pieces if one)


def hover(*lines: str) -> str:
    """Lines broken where they are longer than a label should be."""
    return "<br>".join(part for line in lines if line for part in wrapped(line, _HOVER_WIDTH))
