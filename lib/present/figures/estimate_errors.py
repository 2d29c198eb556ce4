"""Predicted against measured throughput of left-out sources: one point a run, on the line where they are equal."""

from collections.abc import Mapping
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.estimate_errors import EstimateErrors
from lib.present.estimate_errors import title
from lib.present.figures.points import hover, records, source_line, titled
from lib.present.figures.style import Figure, Look, ground
from lib.present.measured_words import interest, load_in_words, model_name
from lib.present.text import Words
from lib.sizing.throughput_validation import HeldOut

_TICKS: Final = (0.1, 1, 10, 100, 1_000, 10_000, 100_000)


def chart(catalog: Catalog, found: EstimateErrors, look: Mapping[str, Look], _: Words, *, dark: bool) -> Figure:
    """Estimates against measured rates, both logarithmic; runs outside their interval are hollow.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : EstimateErrors
        Held-out rows.
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
    drawn = [one for one in found.rows if one.has_basis]
    values = [value for one in drawn for value in (one.measured, one.estimate)]
    ends = [min(values), max(values)]
    equal: dict[str, Any] = {
        "type": "scatter", "mode": "lines", "x": ends, "y": ends, "hoverinfo": "skip", "customdata": [],
        "line": {"color": colours.muted, "dash": "dash", "width": 1},
    }  # fmt: skip
    parts = [one.name for one in found.parts]
    traces = [
        _points(catalog, [one for one in drawn if one.accelerator_id == part], part, look[part], _) for part in parts
    ]
    axis = {"type": "log", "tickvals": list(_TICKS), "ticktext": [f"{one:,g}" for one in _TICKS]}
    return titled(
        [equal, *traces],
        colours,
        title(found, _),
        [_("each source predicted from all others; hollow: outside its interval; dashed: equal; logarithmic axes")],
        height=400,
        left=66,
        keys=[(look[one], catalog.accelerators[one].short_name) for one in parts],
        x={**axis, "title": {"text": _("Measured, output tokens/s")}},
        y={**axis, "title": {"text": _("Predicted, output tokens/s")}},
    )


def _points(catalog: Catalog, rows: list[HeldOut], part: str, look: Look, _: Words) -> dict[str, Any]:
    serving = records(catalog.measured["serving"].loc[[one.row for one in rows]])
    name = catalog.accelerators[part].short_name
    symbols = [look.marker if one.inside else f"{look.marker}-open" for one in rows]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [one.measured for one in rows],
        "y": [one.estimate for one in rows],
        "marker": {"color": look.colour, "symbol": symbols, "size": 7, "opacity": 0.75},
        "hovertext": [
            hover(
                f"<b>{name}</b>, {model_name(catalog, one.model_id, _)}",
                load_in_words(one.input_tokens, one.output_tokens, one.concurrency, _),
                _(
                    "measured {measured}, predicted {low}–{high} ({estimate}) tokens/s",
                    measured=_.number(one.measured),
                    low=_.number(one.low),
                    high=_.number(one.high),
                    estimate=_.number(one.estimate),
                ),
                source_line(catalog, row, row["locator"], interest(row["publisher_interest"], _), _),
            )
            for one, row in zip(rows, serving, strict=True)
        ],
        "hoverinfo": "text",
        "customdata": [[one.source_id, f"serving:{one.row}"] for one in rows],
    }
