"""Software: what must run, on the parts compared, as one picture of signs."""

from typing import Any, Final

from lib.choice.porting import Porting
from lib.present.figures.style import Figure, figure, ground, label_width
from lib.present.software import format_label, support_name, verdict_name
from lib.present.text import Words

_SIGN: Final = {
    "runs": "circle",
    "native": "circle",
    "runs-with-change": "circle-open",
    "weight-only": "circle-open",
    "emulated": "diamond-open",
    "does-not-run": "x-thin-open",
    "none": "x-thin-open",
}
"""Verdict -> marker; what is missing here is unknown, and a question mark."""

_ROW: Final = 36


def matrix_chart(found: Porting, _: Words, *, dark: bool, title: str) -> Figure:
    """Rows are what must run and the formats of the workload, columns are parts; each cell is a sign.

    Parameters
    ----------
    found : Porting
        The verdicts.
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
    cells: list[tuple[str, str, str, str]] = []
    for stack in found.platforms:
        for part in stack.parts:
            cells += [
                (part.short_name, one.product, one.verdict, verdict_name(one.verdict, _)) for one in stack.products
            ]
    for fitted in found.formats:
        for use, verdict in (("weights", fitted.weights), ("cache", fitted.cache)):
            label = format_label(use, verdict, _)
            cells.append((fitted.accelerator.short_name, label, verdict.support, support_name(verdict.support, _)))
    parts = [part.short_name for stack in found.platforms for part in stack.parts]
    rows = list(dict.fromkeys(row for _part, row, _word, _said in cells))
    traces: list[dict[str, Any]] = []
    for sign in dict.fromkeys(_SIGN.values()):
        members = [cell for cell in cells if _SIGN.get(cell[2]) == sign]
        if members:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "x": [cell[0] for cell in members],
                    "y": [cell[1] for cell in members],
                    "customdata": [[cell[3]] for cell in members],
                    "marker": {
                        "symbol": sign,
                        "size": 15,
                        "color": colours.text,
                        "line": {"width": 2.5, "color": colours.text},
                    },
                    "hovertemplate": "%{x}, %{y}: %{customdata[0]}<extra></extra>",
                }
            )
    if unknown := [cell for cell in cells if cell[2] not in _SIGN]:
        traces.append(
            {
                "type": "scatter",
                "mode": "text",
                "x": [cell[0] for cell in unknown],
                "y": [cell[1] for cell in unknown],
                "text": ["?" for _cell in unknown],
                "textfont": {"size": 18, "color": colours.text},
                "hovertemplate": "%{x}, %{y}: " + _("unknown") + "<extra></extra>",
            }
        )
    first = ("● " + _("runs, native"), "○ " + _("with a change, weight-only"))
    second = ("◇ " + _("emulated"), "✕ " + _("does not run"), "? " + _("unknown"))
    legend = "<br>".join("   ".join(line) for line in (first, second))
    return figure(
        traces,
        colours,
        title=title,
        subtitle=legend,
        height=150 + _ROW * len(rows),
        x={"side": "top", "categoryorder": "array", "categoryarray": parts, "type": "category", "showgrid": False},
        y={"autorange": "reversed", "categoryorder": "array", "categoryarray": rows, "type": "category"},
        showlegend=False,
        margin={"l": label_width(rows, 12), "r": 8, "t": 116, "b": 8},
    )
