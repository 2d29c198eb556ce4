"""Measured serving runs against load: throughput per GPU, both latencies of the same runs, and room for an estimate."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.serving_view import OUTPUT, ServingView
from lib.present.benchmark_notices import shape_name
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
from lib.present.measured_words import interest, load_in_words, model_name
from lib.present.text import Words

_LATENCY_TICKS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6)
_BEYOND: Final = 2.5
"""How far right of the highest load the runs without a stated load stand, as a factor."""

_LEFT: Final = 80
"""Room for numbers and title of the upright axis [px]."""

_BESIDE: Final = (1.6, 1.15)
"""Two names closer than these factors, across and up, would be read as one."""

_FLAGS: Final = (
    "speculative", "dp_attention", "prefix_cache", "eager", "disaggregated", "queue_limited", "hardware_sponsored",
)  # fmt: skip


Line = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class EstimateBand:
    """What is computed for one part over loads: an interval, the bound that physics sets, and the interval's middle.

    None where there is no interval or no bound. `words` say at each load what is computed.
    """

    loads: tuple[float, ...]
    low: Line
    high: Line
    bound: Line
    estimate: Line = ()
    words: tuple[str, ...] = ()


NO_BANDS: Final[Mapping[str, EstimateBand]] = MappingProxyType({})
NO_LATENCIES: Final[Mapping[str, tuple[EstimateBand, EstimateBand]]] = MappingProxyType({})


def throughput_chart(
    catalog: Catalog,
    view: ServingView,
    parts: Sequence[str],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
    asked: float | None = None,
    bands: Mapping[str, EstimateBand] = NO_BANDS,
    title: str = "",
) -> Figure:
    """Throughput per GPU against concurrency, every run a point, runs of one deployment joined by a thin line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ServingView
        What is charted.
    parts : sequence of str
        Accelerator ids.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    asked : float, optional
        The workload's own concurrency, marked by a dotted line.
    bands : mapping of str to EstimateBand
        Computed intervals and bounds by part, drawn behind the runs.
    title : str
        The finding; that of the runs charted where it is blank.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and row.
    """
    colours = ground(dark)
    loads = _loads(view.charted["concurrency"].dropna(), bands.values())
    apart = loads[-1] * _BEYOND if loads else 1.0
    named: list[tuple[float, float]] = []
    traces = [trace for part in parts if part in bands for trace in estimate_traces(bands[part], look[part])]
    traces += [
        _runs(catalog, rows, part, look[part], colours, _, "throughput", named, apart=apart)
        for part, rows in of_each(view.charted, parts)
    ]
    inside = asked is not None and bool(loads) and loads[0] <= asked <= loads[-1]
    beyond = (apart, _("not stated")) if view.charted["concurrency"].isna().any() else None
    return titled(
        traces,
        colours,
        title or throughput_title(catalog, view, _),
        [
            conditions(catalog, view, _),
            *([_("dotted: the {n} requests of this scenario", n=f"{asked:,.0f}")] if inside else []),
            *([_("band: estimate; dashed: bound that physics sets")] if bands else []),
            *marks(view.charted, _),
        ],
        height=320,
        left=_LEFT,
        keys=keys_of(catalog, view.charted, parts, look, bands),
        x={**load_axis(loads, _("Concurrent requests"), beyond=beyond), "showgrid": False},
        y={"rangemode": "tozero", "tickformat": ",~r", "title": {"text": metric_name(view.metric, _), "standoff": 14}},
        shapes=[upright(asked, colours)] if inside else [],
    )


def estimate_traces(band: EstimateBand, look: Look) -> list[dict[str, Any]]:
    """An estimate as a filled band and its bound as a dashed line: never a point, so that nothing looks measured.

    Parameters
    ----------
    band : EstimateBand
        Of one part.
    look : Look
        How the part is drawn.

    Returns
    -------
    list of dict
        Plotly traces: each stretch with an interval as one outline, its middle, and the bound.
    """
    shared: dict[str, Any] = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "customdata": []}
    red, green, blue = (int(look.colour[place : place + 2], 16) for place in (1, 3, 5))
    traces: list[dict[str, Any]] = []
    for part in _together(band.low):
        there, low, high = band.loads[part], band.low[part], band.high[part]
        traces.append(
            {
                **shared,
                "x": [*there, *reversed(there)],
                "y": [*low, *reversed(high)],
                "line": {"width": 0, "color": look.colour},
                "fill": "toself",
                "fillcolor": f"rgba({red},{green},{blue},0.18)",
            }
        )
    line = {**shared, "x": list(band.loads)}
    if band.estimate:
        said = {"hovertext": list(band.words), "hoverinfo": "text"} if band.words else {}
        traces.append({**line, "y": list(band.estimate), "line": {"width": 1.5, "color": look.colour}, **said})
    return [*traces, {**line, "y": list(band.bound), "line": {"width": 1.5, "color": look.colour, "dash": "dash"}}]


def _together(line: Line) -> Iterator[slice]:
    """Stretches of a line without a gap."""
    at = 0
    for is_known, members in itertools.groupby(line, key=lambda one: one is not None):
        size = len(list(members))
        if is_known:
            yield slice(at, at + size)
        at += size


def _loads(measured: pd.Series, bands: Iterable[EstimateBand]) -> list[float]:
    """Every load that occurs, lowest first."""
    return sorted({*map(float, measured), *(load for one in bands for load in one.loads)})


def conditions(catalog: Catalog, view: ServingView, _: Words) -> str:
    """Model and lengths that are charted, and what a point is."""
    model = model_name(catalog, view.model_id, _)
    shape = shape_name(view.shape, _) if view.shape else ""
    if not len(view.charted):
        return _("{model}, {shape}; no run to show: everything here is computed", model=model, shape=shape)
    return _(
        "{model}, about {shape}; every point is one run, a line joins the loads of one deployment",
        model=model,
        shape=shape,
    )


def upright(load: float | None, colours: Ground) -> dict[str, Any]:
    """A dotted upright line at a load."""
    return {
        "type": "line",
        "x0": load,
        "x1": load,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": colours.muted, "width": 1, "dash": "dot"},
    }


def throughput_title(catalog: Catalog, view: ServingView, _: Words) -> str:
    """The highest throughput charted, with its part and load."""
    best = view.charted["throughput"].idxmax()
    top: Row = {name: view.charted.at[best, name] for name in ("accelerator_id", "throughput", "concurrency")}
    load: str = "" if pd.isna(top["concurrency"]) else f"{top['concurrency']:,.0f}"
    return _(
        "Highest measured: {part}, {value} tokens/s per GPU ({load})",
        part=catalog.accelerators[top["accelerator_id"]].short_name,
        value=_.number(top["throughput"]),
        load=_("{n} concurrent", n=load) if load else _("load not stated"),
    )


def metric_name(metric: str, _: Words) -> str:
    """What a throughput counts, with its unit: output tokens and total tokens are never mixed."""
    return _("Output tokens/s per GPU") if metric == OUTPUT else _("Input and output tokens/s per GPU")


def latency_chart(
    catalog: Catalog,
    view: ServingView,
    parts: Sequence[str],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
    bands: Mapping[str, tuple[EstimateBand, EstimateBand]] = NO_LATENCIES,
    title: str = "",
) -> Figure:
    """Time to first token above time per output token, both of the same runs, against concurrency.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ServingView
        What is charted.
    parts : sequence of str
        Accelerator ids.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.
    bands : mapping of str to pair of EstimateBand
        Computed times by part, to the first token and per token, drawn behind the runs.
    title : str
        The finding; that of the runs charted where it is blank.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and row.
    """
    colours = ground(dark)
    loads = _loads(view.latencies["concurrency"], (one for pair in bands.values() for one in pair))
    traces: list[dict[str, Any]] = []
    for part in (one for one in parts if one in bands):
        first, token = (estimate_traces(one, look[part]) for one in bands[part])
        traces += [*first, *({**one, "yaxis": "y2"} for one in token)]
    above: list[tuple[float, float]] = []
    below: list[tuple[float, float]] = []
    for part, rows in of_each(view.latencies, parts):
        second = _runs(catalog, rows, part, look[part], colours, _, "tpot_ms", below)
        traces.append(_runs(catalog, rows, part, look[part], colours, _, "ttft_ms", above))
        traces.append({**second, "yaxis": "y2"})
    axis = {"type": "log", "tickvals": list(_LATENCY_TICKS), "ticktext": [f"{one:,.0f}" for one in _LATENCY_TICKS]}
    house = {"gridcolor": colours.grid, "linecolor": colours.grid, "fixedrange": True}
    return titled(
        traces,
        colours,
        title or latency_title(view, _),
        [
            _("Both latencies of a point come from one run; median where published, else mean; logarithmic axes")
            if len(view.latencies)
            else _("Both times at a load are of one operating point; logarithmic axes"),
            *([_("band: estimate; dashed: what physics allows at least")] if bands else []),
            *marks(view.latencies, _),
        ],
        height=420,
        left=_LEFT,
        keys=keys_of(catalog, view.latencies, parts, look, bands),
        x={**load_axis(loads, _("Concurrent requests")), "anchor": "y2", "showgrid": False},
        y={**axis, "domain": [0.54, 1], "title": {"text": _("TTFT, ms"), "standoff": 14}},
        yaxis2={
            **house,
            **axis,
            "domain": [0, 0.46],
            "ticklabeloverflow": "allow",
            "title": {"text": _("TPOT, ms"), "standoff": 14, "font": {"size": 12, "color": colours.muted}},
        },
    )


def latency_title(view: ServingView, _: Words) -> str:
    """The range of both latencies over the runs charted."""
    return _(
        "Time to first token {ttft} ms, time per output token {tpot} ms",
        ttft=_range(view.latencies["ttft_ms"], _),
        tpot=_range(view.latencies["tpot_ms"], _),
    )


def _range(values: pd.Series, _: Words) -> str:
    """Lowest and highest value in three significant figures."""
    return _.span(float(f"{values.min():.3g}"), float(f"{values.max():.3g}"))


def keys_of(
    catalog: Catalog, rows: pd.DataFrame, parts: Sequence[str], look: Mapping[str, Look], computed: Iterable[str] = ()
) -> list[tuple[Look, str]]:
    """The parts that occur, measured or computed, with how they are drawn."""
    present = {*rows["accelerator_id"], *computed}
    return [(look[one], catalog.accelerators[one].short_name) for one in parts if one in present]


def of_each(rows: pd.DataFrame, parts: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each part that has any."""
    everything = records(rows)
    for part in parts:
        if own := [row for row in everything if row["accelerator_id"] == part]:
            yield part, own


def _runs(
    catalog: Catalog,
    rows: Sequence[Row],
    part: str,
    look: Look,
    colours: Ground,
    _: Words,
    field: str,
    named: list[tuple[float, float]],
    *,
    apart: float = 1.0,
) -> dict[str, Any]:
    """The runs of one part as a trace: a gap between deployments, the part's name where no other name stands."""
    name = catalog.accelerators[part].short_name
    points: list[Row] = []
    for row in rows:
        if points and points[-1]["series"] != row["series"]:
            points.append({})
        points.append(row)
    where = [_place(row, apart) for row in points]
    last = _free_place(where, [row.get(field) for row in points], named)
    return {
        "type": "scatter",
        "mode": "lines+markers+text",
        "name": name,
        "x": where,
        "y": [row.get(field) for row in points],
        "text": [_run_label(row, name if index == last else "") for index, row in enumerate(points)],
        "textposition": "top center",
        "textfont": {"size": 11, "color": colours.text},
        "cliponaxis": False,
        "line": {"color": look.colour, "width": 1},
        "marker": {"color": look.colour, "symbol": look.marker, "size": 9, "line": outlines(points, colours)},
        "hovertext": [run_hover(catalog, row, name, _) if row else "" for row in points],
        "hoverinfo": "text",
        "customdata": [reference(row, "serving") if row else [] for row in points],
    }


def _free_place(
    where: Sequence[float | None], heights: Sequence[float | None], named: list[tuple[float, float]]
) -> int | None:
    """The rightmost point that is not beside a name, which is added to the names; None where all are."""
    points = [(x, y, index) for index, (x, y) in enumerate(zip(where, heights, strict=True)) if x and y]
    for x, y, index in sorted(points, key=lambda one: (-one[0], -one[1])):
        if all(max(x, a) > _BESIDE[0] * min(x, a) or max(y, b) > _BESIDE[1] * min(y, b) for a, b in named):
            named.append((x, y))
            return index
    return None


def _place(row: Row, apart: float) -> float | None:
    """Where a run stands on the axis of concurrency: beyond the others where its load is not stated; None for a gap."""
    if not row:
        return None
    return apart if pd.isna(row["concurrency"]) else float(row["concurrency"])


def _run_label(row: Row, name: str) -> str:
    return " ".join(one for one in (name, letters(row)) if one)


def run_hover(catalog: Catalog, row: Row, name: str, _: Words) -> str:
    """A run in words: setting, load, throughput and latencies, conditions, source."""
    count = row["accelerator_count"]
    latencies = [
        _(
            "{name} {value} ms ({stat})",
            name=word,
            value=_.number(row[f"{word.lower()}_ms"]),
            stat=row[f"{word.lower()}_stat"] or _("statistic not stated"),
        )
        for word in ("TTFT", "TPOT")
        if not pd.isna(row[f"{word.lower()}_ms"])
    ]
    setting = [
        _("number of GPUs not stated") if pd.isna(count) else _.count("{n} GPU", "{n} GPUs", int(count)),
        row["weight_format"] or _("format not stated"),
        f"{row['engine']} {row['engine_version']}".strip() or _("engine not stated"),
    ]
    return hover(
        f"<b>{name}</b>, {', '.join(setting)}",
        load_in_words(row["input_tokens"], row["output_tokens"], row["concurrency"], _),
        ", ".join([_("{value} tokens/s per GPU", value=_.number(row["throughput"], 4)), *latencies]),
        ", ".join(_condition(one, _) for one in _FLAGS if row[one]),
        source_line(catalog, row, row["locator"], interest(row["publisher_interest"], _), _),
    )


def _condition(flag: str, _: Words) -> str:
    return {
        "speculative": _("speculative decoding"),
        "dp_attention": _("data-parallel attention"),
        "prefix_cache": _("prefix cache"),
        "eager": _("eager mode"),
        "disaggregated": _("prefill and decode apart"),
        "queue_limited": _("queue-limited"),
        "hardware_sponsored": _("sponsored hardware"),
    }[flag]
