"""All-reduce: bus bandwidth against message size, one line a source, number of accelerators and library."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.present.figures.points import Row, outlines, records, reference, titled
from lib.present.figures.style import Figure, Ground, Look, ground
from lib.present.text import Words
from lib.units import GIB, KIB

_LEFT: Final = 66
_SIZES: Final = (
    (KIB, "1 KiB"), (32 * KIB, "32 KiB"), (KIB**2, "1 MiB"), (32 * KIB**2, "32 MiB"), (GIB, "1 GiB"), (8 * GIB, "8 GiB"),
)  # fmt: skip
_SERIES: Final = ("accelerator_id", "accelerator_count", "source_id", "software", "number_format")


def collective_chart(
    catalog: Catalog,
    rows: pd.DataFrame,
    parts: Sequence[str],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
    title: str,
    subtitle: Sequence[str],
    axis: str,
    hover: Callable[[Row], str],
) -> Figure:
    """Each row as a point, rows of one series joined.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    rows : DataFrame
        With `size` [bytes] and `amount` [GB/s].
    parts : sequence of str
        Accelerator ids.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title : str
        The finding.
    subtitle : sequence of str
        Conditions.
    axis : str
        Title of the upright axis.
    hover : callable
        A row in words.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and row.
    """
    colours = ground(dark)
    everything = records(rows)
    present = [part for part in parts if any(row["accelerator_id"] == part for row in everything)]
    return titled(
        [_part([row for row in everything if row["accelerator_id"] == part], look[part], colours, hover) for part in present],
        colours,
        title,
        subtitle,
        height=320,
        left=_LEFT,
        keys=[(look[part], catalog.accelerators[part].short_name) for part in present],
        x={
            "type": "log",
            "tickvals": [size for size, _name in _SIZES],
            "ticktext": [name for _size, name in _SIZES],
            "title": {"text": _("Message size")},
        },
        y={"rangemode": "tozero", "tickformat": ",~r", "title": {"text": axis}},
    )  # fmt: skip


def _part(rows: Sequence[Row], look: Look, colours: Ground, hover: Callable[[Row], str]) -> dict[str, Any]:
    """The rows of one part as a trace with a gap between series."""
    series: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        series.setdefault(tuple(str(row[name]) for name in _SERIES), []).append(row)
    points: list[Row] = []
    for members in series.values():
        points += ([{}] if points else []) + sorted(members, key=lambda row: float(row["size"]))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [row.get("size") for row in points],
        "y": [row.get("amount") for row in points],
        "line": {"color": look.colour, "width": 1},
        "marker": {"color": look.colour, "symbol": look.marker, "size": 7, "line": outlines(points, colours)},
        "hovertext": [hover(row) if row else "" for row in points],
        "hoverinfo": "text",
        "customdata": [reference(row, "micro") if row else [] for row in points],
    }
