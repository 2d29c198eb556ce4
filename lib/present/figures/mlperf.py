"""MLPerf results of one test: each a point per accelerator, one line a part."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.measured import Finding
from lib.choice.mlperf import BEST, SAME_SUBMITTER, VENDORS
from lib.choice.mlperf_view import MlperfView
from lib.present.figures.points import OUTLINE, Row, hover, records, reference, source_line, titled
from lib.present.figures.style import Figure, Ground, Look, ground, label_width
from lib.present.measured_words import mlperf_scenario, ratio_span
from lib.present.text import Words

_LANES: Final = (0.0, 0.1, -0.1)
"""Where the points of one part stand above or below its line, so that near results do not hide each other."""

_OUTER: Final = 0.24
"""Named points stand further out: the vendor's own above the line, the others below it, with room for the name."""


def mlperf_strip(
    catalog: Catalog,
    view: MlperfView,
    finding: Finding | None,
    parts: Sequence[str],
    look: Mapping[str, Look],
    _: Words,
    *,
    dark: bool,
) -> Figure:
    """Each result of one MLPerf test as a point per accelerator, one line a part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : MlperfView
        The test.
    finding : Finding or None
        Of the second part over the first, for the title.
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
    shown = [one for one in parts if one not in view.barred]
    both = {one.submitter_a for one in finding.ratios(SAME_SUBMITTER)} if finding is not None else set()
    everything = records(view.results)
    traces = []
    for place, part in enumerate(shown):
        rows = [row for row in everything if row["accelerator_id"] == part]
        if rows:
            traces.append(_results(catalog, view, rows, place, look[part], both, colours, _))
        else:
            traces.append(_words_alone(place, _("no result in this test"), colours))
    percent = f"{view.accuracy_target:g}" if view.accuracy_target else ""
    target = _("accuracy target {target} %", target=percent) if percent else ""
    scope = _("closed division, available systems")
    conditions = [view.round, view.model, mlperf_scenario(view.scenario, _), target, scope]
    names = [catalog.accelerators[one].short_name for one in shown]
    return titled(
        traces,
        colours,
        mlperf_title(catalog, view, finding, _),
        [
            ", ".join(one for one in conditions if one),
            _("Outlined: the vendor's own. Small: another size than {n} accelerators", n=view.accelerator_count),
        ],
        height=70 + 78 * len(shown),
        left=label_width(names) + 8,
        x={
            "rangemode": "tozero",
            "tickformat": ",~r",
            "title": {"text": _("{unit} per accelerator, derived", unit=view.unit)},
        },
        y={
            "tickvals": list(range(len(shown))),
            "ticktext": [f"<b>{one}</b>" for one in names],
            "range": [len(shown) - 0.45, -0.55],
            "zeroline": False,
        },
    )


def mlperf_title(catalog: Catalog, view: MlperfView, finding: Finding | None, _: Words) -> str:
    """The finding of an MLPerf test in a few words.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : MlperfView
        The test.
    finding : Finding or None
        Of the second part over the first.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A ratio where the test has one, else the highest result.
    """
    if finding is not None:
        messages = {
            VENDORS: _("{part} reaches {ratio} of {base} on the vendors' own systems"),
            SAME_SUBMITTER: _("{part} reaches {ratio} of {base}, one submitter"),
            BEST: _("{part} reaches {ratio} of {base}, best systems of equal size"),
        }
        part, base = (catalog.accelerators[one].short_name for one in (finding.part, finding.base))
        for kind, message in messages.items():
            if ratios := [one.ratio for one in finding.ratios(kind)]:
                return message.format(part=part, ratio=ratio_span(ratios, _), base=base)
    top = records(view.results[:1])[0]
    return _(
        "Highest per accelerator: {part}, {value} {unit}",
        part=catalog.accelerators[top["accelerator_id"]].short_name,
        value=_.number(top["per_accelerator_derived"], 4),
        unit=view.unit,
    )


def _results(
    catalog: Catalog,
    view: MlperfView,
    rows: Sequence[Row],
    place: int,
    look: Look,
    both: set[str],
    colours: Ground,
    _: Words,
) -> dict[str, Any]:
    """The results of one part; named once are its best, its vendor's own and a submitter of both parts."""
    lanes, labels, sides = [], [], []
    seen: set[str] = set()
    equal = [row["accelerator_count"] == view.accelerator_count for row in rows]
    best = equal.index(True) if any(equal) else 0
    for index, row in enumerate(rows):
        named = index == best or (equal[index] and (row["by_vendor"] or row["submitter"] in both))
        label = _submitter(row, view) if named else ""
        labels.append("" if label in seen else label)
        seen.add(label)
        lane = _LANES[index % len(_LANES)]
        if label:
            lane = -_OUTER if row["by_vendor"] else _OUTER
        lanes.append(lane)
        sides.append("top center" if lane < 0 else "bottom center")
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": catalog.accelerators[rows[0]["accelerator_id"]].short_name,
        "x": [row["per_accelerator_derived"] for row in rows],
        "y": [place + lane for lane in lanes],
        "text": labels,
        "textposition": sides,
        "textfont": {"size": 11, "color": colours.text},
        "marker": {
            "color": look.colour,
            "symbol": look.marker,
            "size": [12 if row["accelerator_count"] == view.accelerator_count else 8 for row in rows],
            "line": {"color": colours.text, "width": [OUTLINE if row["by_vendor"] else 0 for row in rows]},
        },
        "hovertext": [_result_hover(catalog, row, view, _) for row in rows],
        "hoverinfo": "text",
        "customdata": [reference(row, "mlperf_inference") for row in rows],
    }


def _submitter(row: Row, view: MlperfView) -> str:
    """Who submitted, with the number of accelerators where it is not the one that the others have."""
    if row["accelerator_count"] == view.accelerator_count:
        return str(row["submitter"])
    return f"{row['submitter']} ({row['accelerator_count']})"


def _words_alone(place: int, text: str, colours: Ground) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [0],
        "y": [place],
        "text": [text],
        "textposition": "middle right",
        "textfont": {"size": 12, "color": colours.muted},
        "hoverinfo": "skip",
    }


def _result_hover(catalog: Catalog, row: Row, view: MlperfView, _: Words) -> str:
    return hover(
        f"<b>{catalog.accelerators[row['accelerator_id']].short_name}</b>, {row['submitter']}",
        row["system_name"],
        _(
            "{each} {unit} per accelerator, derived: {value} / {n}",
            each=_.number(row["per_accelerator_derived"], 5),
            unit=view.unit,
            value=_.number(row["value"], 7),
            n=row["accelerator_count"],
        ),
        _(
            "declared precision {precision}; {software}",
            precision=row["precision"] or _("not stated"),
            software=row["framework"] or _("software not stated"),
        ),
        source_line(catalog, row, row["result_id"] or row["locator"], "", _),
    )
