"""What each input that differs does to the cost: one bar each, the greatest first."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.scenario_difference import Difference
from lib.present.compare import LEAST_USD, effect_name, gap, signed
from lib.present.figures.cost import amounts_axis
from lib.present.figures.lines import wrapped
from lib.present.figures.points import titled
from lib.present.figures.style import Figure, ground, label_width
from lib.present.text import Words

_MOST_BARS: Final = 8
_LONGEST: Final = 34
_LINE: Final = 20
_ROOM: Final = 0.6
"""Room for the amounts, right of the bars, as a share of what the bars take: on a telephone they are as long as this."""


def bars(found: Difference, catalog: Catalog, _: Words) -> list[tuple[str, float]]:
    """Label and effect of every bar, the smaller effects in one, what inputs do together last [USD].

    Parameters
    ----------
    found : Difference
        The two scenarios.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple
        They add up to the whole difference.
    """
    moving = [(effect_name(one, catalog, _), one.usd) for one in found.effects if one.usd and abs(one.usd) >= LEAST_USD]
    shown = moving[:_MOST_BARS]
    rest = moving[_MOST_BARS:]
    if rest:
        shown.append((_.count("{n} smaller effect", "{n} smaller effects", len(rest)), sum(usd for _name, usd in rest)))
    if found.together_usd is not None and abs(found.together_usd) >= LEAST_USD:
        shown.append((_("Only together"), found.together_usd))
    return shown


def effects_chart(found: Difference, catalog: Catalog, _: Words, *, dark: bool) -> Figure | None:
    """A bar for each group of inputs: filled where your value makes it dearer, open where it makes it cheaper.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict or None
        A Plotly figure; None where nothing moves the cost.
    """
    drawn = _distinct([(_in_two_lines(name), usd) for name, usd in bars(found, catalog, _)])
    if not drawn:
        return None
    colours = ground(dark)
    labels = [name for name, _usd in drawn]
    least, most = (end(0.0, *(usd for _name, usd in drawn)) for end in (min, max))
    return titled(
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": labels,
                "x": [round(usd) for _name, usd in drawn],
                "marker": {
                    "color": [colours.greys[1] if usd > 0 else "rgba(0,0,0,0)" for _name, usd in drawn],
                    "line": {"color": colours.text, "width": 1},
                },
                "hoverinfo": "skip",
            },
            {  # right of the bar, or of zero: left of a bar stands the name of the input
                "type": "scatter",
                "mode": "text",
                "y": labels,
                "x": [max(round(usd), 0) for _name, usd in drawn],
                "text": [f" {signed(usd)}" for _name, usd in drawn],
                "textposition": "middle right",
                "cliponaxis": False,
                "textfont": {"color": colours.text, "size": 12},
                "hoverinfo": "skip",
            },
        ],
        colours,
        title(found, catalog, _),
        [_("NPV of the recommended option, USD"), _("filled: yours dearer, open: yours cheaper")],
        height=64 + 34 * len(labels),
        left=label_width([line for label in labels for line in label.split("<br>")]),
        x={
            **amounts_axis(_),
            "range": [1.04 * least, most + _ROOM * (most - least)],
            "zeroline": True,
            "nticks": 4 if _.language == "en" else 3,
            "tickangle": 0,
        },
        y={"autorange": "reversed", "showgrid": False, "ticksuffix": " "},
        bargap=0.3,
    )


def title(found: Difference, catalog: Catalog, _: Words) -> str:
    """The finding: what explains most, and of how much.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For the title of the figure and for those who cannot see it.
    """
    if found.main is None or found.is_mostly_together:
        return _("Yours: {gap}, mostly by inputs together", gap=gap(found, _))
    name = _clipped(effect_name(found.main, catalog, _))
    return _("Yours: {gap}; {input} counts most", gap=gap(found, _), input=name)


def _in_two_lines(name: str) -> str:
    """A label that leaves room for its bar on a telephone."""
    lines = wrapped(name, _LINE)
    return "<br>".join(lines) if len(lines) < 3 else f"{lines[0]}<br>{lines[1]}…"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + "…"


def _distinct(drawn: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Labels that clipping made alike are told apart: two bars of one name would lie on each other."""
    seen: dict[str, int] = {}
    result = []
    for name, usd in drawn:
        seen[name] = seen.get(name, 0) + 1
        result.append((name if seen[name] == 1 else f"{name} ({seen[name]})", usd))
    return result
