"""Throughput per GPU against what one user sees of it: every run a point, the runs that no other beats joined."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from lib.catalog import Catalog
from lib.choice.serving_view import ServingView, efficient
from lib.present.benchmark_notices import shape_name
from lib.present.figures.points import Row, letters, marks, outlines, records, reference, titled
from lib.present.figures.serving import keys_of, metric_name, of_each, run_hover
from lib.present.figures.style import Figure, Ground, Look, ground
from lib.present.measured_words import model_name
from lib.present.text import Words

_LEFT = 66


def frontier_rows(view: ServingView) -> pd.DataFrame:
    """The charted runs that report a time per token, with `efficient`; per part in the order of the line."""
    rows = view.charted.assign(efficient=efficient(view.charted))
    rows = rows[rows["interactivity_tokens_per_s"].notna()]
    return rows.sort_values("interactivity_tokens_per_s", kind="stable")


def frontier_chart(
    catalog: Catalog,
    view: ServingView,
    rows: pd.DataFrame,
    parts: Sequence[str],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """Throughput per GPU against tokens per second of one sequence, both of the same run.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ServingView
        What is charted.
    rows : DataFrame
        From `frontier_rows`.
    parts : sequence of str
        Accelerator ids.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and row.
    """
    colours = ground(dark)
    traces = [
        trace
        for part, own in of_each(rows, parts)
        for trace in _part(catalog, own, catalog.accelerators[part].short_name, look[part], colours, _)
    ]
    return titled(
        traces,
        colours,
        frontier_title(catalog, rows, _),
        [
            _(
                "{model}, about {shape}; every point is one run, the line joins those that no other run of the part "
                "beats in both; formats and engines differ along it",
                model=model_name(catalog, view.model_id, _),
                shape=shape_name(view.shape, _) if view.shape else "",
            ),
            *marks(rows, _),
        ],
        height=320,
        left=_LEFT,
        keys=keys_of(catalog, rows, parts, look),
        x={
            "rangemode": "tozero",
            "tickformat": ",~r",
            "title": {"text": _("Tokens/s to each sequence (1,000 / TPOT)")},
        },
        y={"rangemode": "tozero", "tickformat": ",~r", "title": {"text": metric_name(view.metric, _)}},
    )


def frontier_title(catalog: Catalog, rows: pd.DataFrame, _: Words) -> str:
    """How much throughput each part keeps at its fastest and gives at its busiest point of the line."""
    pieces = []
    for part in dict.fromkeys(rows["accelerator_id"]):
        own = rows[(rows["accelerator_id"] == part) & rows["efficient"]]
        first, last = (records(own)[place] for place in (0, -1))
        each = [float(f"{one['interactivity_tokens_per_s']:.3g}") for one in (first, last)]
        whole = sorted(float(f"{one['throughput']:.3g}") for one in (first, last))
        pieces.append(
            _(
                "{part} {throughput} at {each} tokens/s",
                part=catalog.accelerators[str(part)].short_name,
                throughput=_.span(whole[0], whole[1]),
                each=_.span(each[0], each[1]),
            )
        )
    return _("Throughput per GPU against speed to each user: {pieces}", pieces="; ".join(pieces[:2]))


def _part(
    catalog: Catalog, rows: Sequence[Row], name: str, look: Look, colours: Ground, _: Words
) -> list[dict[str, Any]]:
    """The line through the unbeaten runs of a part, and all its runs."""
    line = [row for row in rows if row["efficient"]]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [row["interactivity_tokens_per_s"] for row in line],
            "y": [row["throughput"] for row in line],
            "line": {"color": look.colour, "width": 1.5},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": name,
            "x": [row["interactivity_tokens_per_s"] for row in rows],
            "y": [row["throughput"] for row in rows],
            "text": [letters(row) for row in rows],
            "textposition": "top center",
            "textfont": {"size": 11, "color": colours.text},
            "marker": {"color": look.colour, "symbol": look.marker, "size": 9, "line": outlines(rows, colours)},
            "hovertext": [run_hover(catalog, row, name, _) for row in rows],
            "hoverinfo": "text",
            "customdata": [reference(row, "serving") for row in rows],
        },
    ]
