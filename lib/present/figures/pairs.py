"""Like-for-like pairs against load: the ratio of throughput, the two kinds of pair in panels of their own."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT
from lib.present.figures.lines import unbroken
from lib.present.figures.points import (
    Row,
    hover,
    letters,
    load_axis,
    marks,
    outlines,
    records,
    reference,
    source_line,
    titled,
)
from lib.present.figures.style import Figure, Ground, Look, ground
from lib.present.measured_words import gpus_in_words, interest, load_in_words, pair_dates, ratio_span
from lib.present.text import Words

FEWEST_PAIRS: Final = 3
"""Pairs below which the table alone says it better."""

RATIO_TICKS: Final = (0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 10)
_GAP: Final = 0.06
_LEFT: Final = 66


def pairs_chart(
    catalog: Catalog, pairs: pd.DataFrame, sides: tuple[str, str], look: Mapping[str, Look], _: Words, *, dark: bool
) -> Figure | None:
    """Ratio of throughput per GPU against concurrency, the two kinds of pair in panels of their own.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    pairs : DataFrame
        From `lib.choice.measured.run_pairs`.
    sides : tuple of str
        Accelerator ids: the ratio is of the first over the second.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict or None
        A Plotly figure; `customdata` of each point names its source and row. None with fewer than FEWEST_PAIRS pairs that have
        a throughput ratio and a concurrency.
    """
    shown = pairs[pairs["throughput_ratio"].notna() & pairs["concurrency"].notna()]
    if len(shown) < FEWEST_PAIRS:
        return None
    colours = ground(dark)
    part, base = (catalog.accelerators[one].short_name for one in sides)
    heads = {
        EQUAL_COUNT: (_("Equal GPU counts"), _("{span} at equal GPU counts")),
        OWN_COUNT: (_("Own GPU counts"), _("{span} at own counts")),
    }
    everything = records(shown)
    parted = [(kind, rows) for kind in heads if (rows := [row for row in everything if row["kind"] == kind])]
    spans = [
        heads[kind][1].format(span=ratio_span([row["throughput_ratio"] for row in rows], _)) for kind, rows in parted
    ]
    loads = sorted({float(one) for one in shown["concurrency"]})
    axes = ["y", "y2"][: len(parted)]
    made = titled(
        [
            _panel(catalog, rows, (part, base), look[sides[0]], axis, colours, _)
            for axis, (_kind, rows) in zip(axes, parted, strict=True)
        ],
        colours,
        _("{part} over {base}: {spans}", part=part, base=base, spans=_.listing(spans)),
        [_("Throughput per GPU; each point is a pair of runs of one source and load; the line is equality"), *marks(shown, _)],
        height=110 + 190 * len(parted),
        left=_LEFT,
        x={**load_axis(loads, _("Concurrent requests")), "anchor": axes[-1]},
        shapes=[
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": axis, "y0": 1, "y1": 1,
             "line": {"color": colours.text, "width": 1.2}}
            for axis in axes
        ],
    )  # fmt: skip
    for place, (kind, _rows) in enumerate(parted):
        made["layout"]["yaxis" if place == 0 else "yaxis2"] = _axis(heads[kind][0], place, len(parted), colours)
    return made


def alt(figure: Figure) -> str:
    """The finding of a figure in words: its title in one line."""
    return unbroken(str(figure["layout"]["title"]["text"]))


def _axis(title: str, place: int, panels: int, colours: Ground) -> dict[str, Any]:
    """The axis of one of several panels, the first on top."""
    bottom = 1 - (place + 1) / panels
    return {
        "gridcolor": colours.grid,
        "linecolor": colours.grid,
        "fixedrange": True,
        "type": "log",
        "tickvals": list(RATIO_TICKS),
        "ticktext": [f"{one:g}×" for one in RATIO_TICKS],
        "domain": [bottom + (_GAP if place + 1 < panels else 0), 1 - place / panels],
        "title": {"text": title},
    }


def _panel(
    catalog: Catalog,
    rows: Sequence[Row],
    names: tuple[str, str],
    look: Look,
    axis: str,
    colours: Ground,
    _: Words,
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "yaxis": axis,
        "x": [row["concurrency"] for row in rows],
        "y": [row["throughput_ratio"] for row in rows],
        "text": [letters(row) for row in rows],
        "textposition": "top center",
        "textfont": {"size": 11, "color": colours.text},
        "marker": {"color": look.colour, "symbol": look.marker, "size": 10, "line": outlines(rows, colours)},
        "hovertext": [pair_hover(catalog, row, names, _) for row in rows],
        "hoverinfo": "text",
        "customdata": [reference(row, "serving", "run_a", "run_b") for row in rows],
    }


def pair_hover(catalog: Catalog, row: Row, names: tuple[str, str], _: Words) -> str:
    """A pair of runs in words: ratio, GPUs, load, format, source."""
    ratio = f"<b>{row['throughput_ratio']:.2f}×</b>"
    return hover(
        _(
            "{ratio} {part} ({a}) over {base} ({b})",
            ratio=ratio,
            part=names[0],
            a=gpus_in_words(row["accelerator_count_a"], _),
            base=names[1],
            b=gpus_in_words(row["accelerator_count_b"], _),
        ),
        load_in_words(row["input_tokens"], row["output_tokens"], row["concurrency"], _),
        row["weight_format"] or _("format not stated"),
        source_line(
            catalog,
            {**row, "date": pair_dates(str(row["date_a"]), str(row["date_b"]), _)},
            row["locator_a"],
            interest(row["publisher_interest"], _),
            _,
        ),
    )
