"""MLPerf training times of one benchmark and round against the number of accelerators."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.training_view import TrainingTest
from lib.present.figures.points import Row, hover, load_axis, records, reference, source_line, titled
from lib.present.figures.style import Figure, Ground, Look, ground
from lib.present.text import Words
from lib.present.training import time_title

_TICKS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
_LEFT: Final = 66


def time_chart(
    catalog: Catalog, test: TrainingTest, parts: Sequence[str], look: Mapping[str, Look], _: Words, *, dark: bool
) -> Figure:
    """Minutes to the target quality against accelerators, every result a point, one round alone.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    test : TrainingTest
        One benchmark and round.
    parts : sequence of str
        Accelerator ids, the base first.
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
    everything = records(test.results)
    counts = sorted({float(row["accelerator_count"]) for row in everything})
    present = [part for part in parts if any(row["accelerator_id"] == part for row in everything)]
    return titled(
        [
            _results(catalog, [row for row in everything if row["accelerator_id"] == part], look[part], colours, _)
            for part in present
        ],
        colours,
        time_title(catalog, test, parts, _),
        [
            _(
                "MLPerf Training {round}, {benchmark}, closed division; every result of these parts; logarithmic axes",
                round=test.round,
                benchmark=test.benchmark,
            )
        ],
        height=300,
        left=_LEFT,
        keys=[(look[part], catalog.accelerators[part].short_name) for part in present],
        x=load_axis(counts, _("Accelerators")),
        y={
            "type": "log",
            "tickvals": list(_TICKS),
            "ticktext": [f"{one:,}" for one in _TICKS],
            "title": {"text": _("Minutes to the target quality")},
        },
    )


def _results(catalog: Catalog, rows: Sequence[Row], look: Look, colours: Ground, _: Words) -> dict[str, Any]:
    name = catalog.accelerators[rows[0]["accelerator_id"]].short_name
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [row["accelerator_count"] for row in rows],
        "y": [row["time_to_train_minutes"] for row in rows],
        "marker": {
            "color": look.colour,
            "symbol": look.marker,
            "size": 10,
            "line": {"color": colours.text, "width": 0},
        },
        "hovertext": [
            hover(
                f"<b>{name}</b>, {row['submitter']}",
                row["system_name"],
                _(
                    "{minutes} minutes on {n} accelerators ({product} accelerator minutes, derived)",
                    minutes=_.number(row["time_to_train_minutes"], 4),
                    n=f"{row['accelerator_count']:,}",
                    product=_.number(row["accelerator_minutes"], 4),
                ),
                row["framework"] or _("software not stated"),
                source_line(catalog, row, row["locator"], "", _),
            )
            for row in rows
        ],
        "hoverinfo": "text",
        "customdata": [reference(row, "mlperf_training") for row in rows],
    }
