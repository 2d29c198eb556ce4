"""Timing: paths in every future, rents over the years, windows of the roadmap."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.price_drift import PART, Drift, DriftName
from lib.choice.roadmap import products
from lib.choice.timing_records import Timing
from lib.present.figures.style import Figure, Ground, Look, figure, ground, label_width
from lib.present.text import Words
from lib.present.timing import drift_name, path_name
from lib.present.timing_tables import speaker_name, status_name

_MARKER: Final[Mapping[DriftName, str]] = {
    "falls": "triangle-down",
    "flat": "circle",
    "rises": "triangle-up",
    "own": "diamond",
}
_ROW: Final = 34
_VENDOR_LOOK: Final[Mapping[str, str]] = {"AMD": "mi300x", "NVIDIA": "h100-sxm", "Intel": "gaudi3"}
"""A part whose colour stands for its vendor."""

_DASHED: Final = ("forecast",)


def paths_chart(found: Timing, look: Mapping[str, Look], _: Words, *, dark: bool, title: str) -> Figure:
    """What each path costs in each future, and within its price rows.

    Parameters
    ----------
    found : Timing
        The paths.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title : str
        The finding.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours, colour = ground(dark), look[found.part.accelerator_id].colour
    finance = found.ways["buy"].finance.finance
    shown = [path for path in found.paths if path.npv_usd]
    labels = [path_name(path.kind, path.order_month, _) for path in shown]
    traces: list[dict[str, Any]] = []
    for path, label in zip(shown, labels, strict=True):
        if path.low_usd is not None and path.high_usd is not None:
            ends = [float(finance.in_currency(end)) for end in (path.low_usd, path.high_usd)]
            traces.append(_line(ends, label, colours.greys[2], 12))
        values = [float(finance.in_currency(value)) for value in path.npv_usd.values()]
        if max(values) > min(values):
            traces.append(_line([min(values), max(values)], label, colour, 2))
    traces += [
        {
            "type": "scatter",
            "mode": "markers",
            "name": drift_name(drift, _),
            "x": [float(finance.in_currency(path.npv_usd[drift.name])) for path in shown],
            "y": labels,
            "marker": {"color": colour, "symbol": _MARKER[drift.name], "size": 12},
            "hovertemplate": f"%{{y}}: %{{x:,.0f}} {finance.currency}<extra></extra>",
        }
        for drift in found.drifts
    ]
    signs = {"falls": "▼", "flat": "●", "rises": "▲", "own": "◆"}
    legend = "   ".join(f"{signs[drift.name]} {drift_name(drift, _)}" for drift in found.drifts)
    return figure(
        traces,
        colours,
        title=title,
        subtitle=f"{found.part.short_name}: {legend}",
        height=130 + 44 * len(shown),
        x={
            "rangemode": "tozero",
            "nticks": 5,
            "tickformat": "~s" if _.language == "en" else ",.0f",
            "title": {"text": _("Net present value, {currency}", currency=finance.currency), "font": {"size": 12}},
        },
        y={"autorange": "reversed", "categoryorder": "array", "categoryarray": labels},
        showlegend=False,
        margin={"l": label_width(labels, 12), "r": 24, "t": 64, "b": 48},
    )


def _line(x: list[float], label: str, colour: str, width: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": [label, label],
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def rents_chart(
    history: pd.DataFrame,
    found: Timing,
    look: Mapping[str, Look],
    catalog: Catalog,
    _: Words,
    *,
    dark: bool,
    title: str,
) -> Figure:
    """Rents of the part and of the H100 as they were asked, and the series from which the futures are taken.

    Parameters
    ----------
    history : pandas.DataFrame
        The table of rents.
    found : Timing
        The part, and the futures with their series.
    look : mapping of str to Look
        How each part is drawn.
    catalog : Catalog
        For names of parts and titles of sources.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title : str
        The finding.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    traces = []
    for name in dict.fromkeys((PART, found.part.accelerator_id)):
        rows = history[
            (history["accelerator_id"] == name)
            & history["chart"]
            & history["median_usd_per_hour"].notna()
            & (history["as_of"].astype(str).str.len() >= len("2025-10"))
        ].sort_values("as_of")
        part = catalog.accelerator(name).short_name
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": part,
                "x": rows["as_of"].astype(str).tolist(),
                "y": rows["median_usd_per_hour"].tolist(),
                "marker": {"color": look[name].colour, "symbol": look[name].marker, "size": 8},
                "customdata": [
                    [terms, catalog.source(source).title]
                    for terms, source in zip(rows["terms"], rows["source_id"], strict=True)
                ],
                "hovertemplate": f"{part}, %{{x}}: %{{y:.2f}} USD<br>%{{customdata[0]}}<br>%{{customdata[1]}}<extra></extra>",
            }
        )
    traces += [trace for drift in found.drifts for trace in _series(drift, colours, _)]
    return figure(
        traces,
        colours,
        title=title,
        subtitle=_("USD per GPU-hour; points: medians as asked; lines: first and last of a series of one source"),
        height=320,
        x={"type": "date"},
        y={"rangemode": "tozero", "nticks": 6},
        showlegend=len(traces) > 1,
        margin={"l": 36, "r": 24, "t": 64, "b": 56},
    )


def _series(drift: Drift, colours: Ground, _: Words) -> list[dict[str, Any]]:
    """The straight lines from which a future is taken, with the yearly change at the end."""
    return [
        {
            "type": "scatter",
            "mode": "lines+text",
            "x": [one.first_day.isoformat(), one.last_day.isoformat()],
            "y": [one.first_usd, one.last_usd],
            "text": [f"{100 * one.per_year:+.0f} %".replace("-", "−"), ""],
            "textposition": "top right",
            "textfont": {"color": colours.text, "size": 12},
            "line": {"color": colours.text, "width": 1.5},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for one in drift.series
    ]


def roadmap_chart(catalog: Catalog, look: Mapping[str, Look], _: Words, *, dark: bool, title: str) -> Figure:
    """The window of every statement, product by product; forecasts dashed, today as a line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    title : str
        The finding.

    Returns
    -------
    dict
        A Plotly figure.
    """
    colours = ground(dark)
    facts = [(product, fact) for product in products(catalog.roadmap) for fact in product.facts]
    traces: list[dict[str, Any]] = []
    for row, (product, fact) in enumerate(facts):
        colour = look[_VENDOR_LOOK[product.vendor]].colour
        said = f"{status_name(fact.status, _)} ({speaker_name(fact.kind, _)})"
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": [f"{fact.window_start}-01", f"{fact.window_end}-28"],
                "y": [row, row],
                "text": [f"<b>{product.name.partition(' (')[0]}</b>: {said}", ""],
                "textposition": "top right",
                "textfont": {"color": colours.text, "size": 11},
                "line": {"color": colour, "width": 5, "dash": "dot" if fact.status in _DASHED else "solid"},
                "marker": {"color": colour, "size": 7},
                "hovertemplate": f"{_.pick(fact.statement_en, fact.statement_zh)}<extra></extra>",
                "showlegend": False,
            }
        )
    return figure(
        traces,
        colours,
        title=title,
        subtitle=_("windows as stated; dotted: forecasts of others; the line is the date of the edition"),
        height=90 + _ROW * len(facts),
        x={"type": "date", "range": ["2025-12-01", "2031-06-01"], "dtick": "M12", "tickformat": "%Y"},
        y={"range": [len(facts) - 0.4, -1], "visible": False},
        shapes=[
            {
                "type": "line",
                "x0": catalog.edition.date,
                "x1": catalog.edition.date,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": colours.text, "width": 1, "dash": "dash"},
            }
        ],
        margin={"l": 8, "r": 8, "t": 64, "b": 36},
    )
