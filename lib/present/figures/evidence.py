"""Every like-for-like pair by model class and load, the two kinds in panels of their own; and the ratio by date."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT
from lib.choice.evidence_classes import ClassGroup, Trend
from lib.present.evidence_words import group_counts, kind_name, short_class, short_load
from lib.present.figures.pairs import RATIO_TICKS, pair_hover
from lib.present.figures.points import Row, letters, marks, outlines, records, reference, titled
from lib.present.figures.style import Figure, Ground, Look, ground, label_width
from lib.present.measured_words import ratio_span
from lib.present.text import Words

_ROW: Final = 40
_PANEL: Final = 26
_LANES: Final = (0.0, 0.16, -0.16, 0.3, -0.3)
_LARGE: Final = 11
_SMALL: Final = 8
_TICK: Final = 0.36
_LEFT: Final = 66
_TICKS: Final = (0.12, 0.25, 0.5, 1, 2, 4, 8)
"""Few enough to stand upright on a telephone."""

_Key = tuple[str, bool, str, str]


def class_chart(
    catalog: Catalog,
    groups: Sequence[ClassGroup],
    pairs: pd.DataFrame,
    sides: tuple[str, str],
    model_id: str,
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """Ratio of throughput per GPU of each pair, one line a model class and load, the kinds of pair in panels.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    groups : sequence of ClassGroup
        From `lib.choice.evidence_classes.class_groups`, not empty.
    pairs : DataFrame
        From `lib.choice.evidence_classes.with_classes`: the pairs of the groups.
    sides : tuple of str
        Accelerator ids: the ratio is of the first over the second.
    model_id : str
        The workload's model, whose pairs are drawn large.
    look : mapping of str to Look
        How each part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; `customdata` of each point names its source and rows.
    """
    colours = ground(dark)
    names = catalog.accelerators[sides[0]].short_name, catalog.accelerators[sides[1]].short_name
    rows: dict[_Key, list[Row]] = {}
    for row in records(pairs):
        rows.setdefault(_key(row), []).append(row)
    traces: list[dict[str, Any]] = []
    labels: list[str] = []
    heads: list[int] = []
    for kind in (EQUAL_COUNT, OWN_COUNT):
        own = [one for one in groups if one.kind == kind]
        if not own:
            continue
        heads.append(len(labels))
        labels.append(f"<b>{kind_name(kind, _)}</b>")
        for group in own:
            place = len(labels)
            labels.append(_label(group, _))
            members = rows[group.kind, group.eager_equal, group.model_class, group.load_class]
            traces += [_median(group, place, colours), _points(catalog, members, place, names, model_id, look[sides[0]], colours, _)]  # fmt: skip
    return titled(
        traces,
        colours,
        class_title(names, groups, _),
        [
            _("Throughput per GPU; each point is a pair of runs of one source and load, the tick is the median"),
            _("Large: pairs of the scenario's model") if (pairs["model_id"] == model_id).any() else "",
            "" if all(one.eager_equal for one in groups) else _("*: eager mode on one side"),
            *marks(pairs, _),
        ],
        height=56 + _ROW * (len(labels) - len(heads)) + _PANEL * len(heads),
        left=label_width([line for label in labels for line in label.split("<br>") if "<" not in line], 11) + 4,
        x={
            "type": "log",
            "tickvals": list(_TICKS),
            "ticktext": [f"{one:g}×" for one in _TICKS],
            "tickangle": 0,
            "title": {"text": _("{part} / {base}", part=names[0], base=names[1])},
        },
        y={
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "range": [len(labels) - 0.5, -0.5],
            "zeroline": False,
            "tickfont": {"size": 11, "color": colours.text},
        },
        shapes=[
            {"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
             "line": {"color": colours.text, "width": 1.2}}
        ],
    )  # fmt: skip


def class_title(names: tuple[str, str], groups: Sequence[ClassGroup], _: Words) -> str:
    """The range of all pairs of each kind: the kinds are never pooled."""
    spans = []
    for kind, message in ((EQUAL_COUNT, _("{span} at equal GPU counts")), (OWN_COUNT, _("{span} at own counts"))):
        own = [end for one in groups if one.kind == kind for end in (one.throughput.low, one.throughput.high)]
        if own:
            spans.append(message.format(span=ratio_span(own, _)))
    return _("{part} over {base}, all models: {spans}", part=names[0], base=names[1], spans=_.listing(spans))


def trend_chart(
    catalog: Catalog, trend: Trend, sides: tuple[str, str], look: Mapping[str, Look], _: Words, *, dark: bool
) -> Figure:
    """The ratio of each dated pair against the date of its later run.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    trend : Trend
        From `lib.choice.evidence_classes.trend`, with dated pairs.
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
    dict
        A Plotly figure; `customdata` of each point names its source and rows.
    """
    colours = ground(dark)
    names = catalog.accelerators[sides[0]].short_name, catalog.accelerators[sides[1]].short_name
    rows = records(trend.dated)
    symbols = {EQUAL_COUNT: look[sides[0]].marker, OWN_COUNT: f"{look[sides[0]].marker}-open"}
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [_day(row["date"]) for row in rows],
        "y": [row["throughput_ratio"] for row in rows],
        "text": [letters(row) for row in rows],
        "textposition": "top center",
        "textfont": {"size": 11, "color": colours.text},
        "marker": {
            "color": look[sides[0]].colour,
            "symbol": [symbols[row["kind"]] for row in rows],
            "size": 9,
            "line": {"color": look[sides[0]].colour, "width": 1.2},
        },
        "hovertext": [pair_hover(catalog, row, names, _) for row in rows],
        "hoverinfo": "text",
        "customdata": [reference(row, "serving", "run_a", "run_b") for row in rows],
    }
    return titled(
        [trace],
        colours,
        trend_title(names, trend, _),
        [
            _("Throughput per GPU by the date of the later run; filled: equal GPU counts, hollow: own GPU counts"),
            _("Between loads model, software and publisher change together: only a load measured again shows progress"),
            _.count("{n} pair without a date is left out", "{n} pairs without a date are left out", trend.undated)
            if trend.undated
            else "",
        ],
        height=260,
        left=_LEFT,
        x={"type": "date"},
        y={
            "type": "log",
            "tickvals": list(RATIO_TICKS),
            "ticktext": [f"{one:g}×" for one in RATIO_TICKS],
            "title": {"text": _("{part} / {base}", part=names[0], base=names[1])},
        },
        shapes=[
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1,
             "line": {"color": colours.text, "width": 1.2}}
        ],
    )  # fmt: skip


def trend_title(names: tuple[str, str], trend: Trend, _: Words) -> str:
    """Whether the ratio moved where the same load was measured again."""
    again = len(trend.repeated)
    if not again:
        return _("{part} over {base}: no load was measured again later", part=names[0], base=names[1])
    return _(
        "{part} over {base}: {risen} of {again} loads measured again went up",
        part=names[0],
        base=names[1],
        risen=trend.risen,
        again=again,
    )


def _key(row: Row) -> _Key:
    return str(row["kind"]), bool(row["eager_equal"]), str(row["model_class"]), str(row["load_class"])


def _label(group: ClassGroup, _: Words) -> str:
    """Model class and load above counts, short enough for a telephone; a star where eager mode is on one side."""
    star = "" if group.eager_equal else "*"
    what = _.pick(", ", "，").join((short_class(group.model_class, _), short_load(group.load_class, _)))
    return f"{what}{star}<br>{group_counts(group, _)}"


def _median(group: ClassGroup, place: int, colours: Ground) -> dict[str, Any]:
    """A short upright line at the median of a group of three pairs or more."""
    few = group.throughput.pairs < 3
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [] if few else [group.throughput.median] * 2,
        "y": [] if few else [place - _TICK, place + _TICK],
        "line": {"color": colours.text, "width": 2},
        "hoverinfo": "skip",
    }


def _points(
    catalog: Catalog,
    rows: Sequence[Row],
    place: int,
    names: tuple[str, str],
    model_id: str,
    look: Look,
    colours: Ground,
    _: Words,
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [row["throughput_ratio"] for row in rows],
        "y": [place + _LANES[index % len(_LANES)] for index in range(len(rows))],
        "text": [letters(row) for row in rows],
        "textposition": "top center",
        "textfont": {"size": 10, "color": colours.text},
        "marker": {
            "color": look.colour,
            "symbol": look.marker,
            "size": [_LARGE if row["model_id"] == model_id else _SMALL for row in rows],
            "line": outlines(rows, colours),
        },
        "hovertext": [pair_hover(catalog, row, names, _) for row in rows],
        "hoverinfo": "text",
        "customdata": [reference(row, "serving", "run_a", "run_b") for row in rows],
    }


def _day(date: str) -> str:
    """A date with its first month and day filled in: Plotly reads a bare year as a number."""
    return date + "-01-01"[len(date) - 10 :] if len(date) in (4, 7) else date
