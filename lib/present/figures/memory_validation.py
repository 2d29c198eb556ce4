"""Predicted against logged free cache: one point a case with its band, on the line where they are equal."""

from typing import Any, Final

from lib.choice.memory_validation import MemoryValidation
from lib.present.figures.style import Figure, figure, ground
from lib.present.memory_validation import finding
from lib.present.text import Words

SMALLEST_GIB: Final = 1.0
"""Where the axes begin: negative and smaller caches are in the table."""


def chart(found: MemoryValidation, _: Words, *, dark: bool) -> Figure:
    """Predicted against logged free cache per GPU, both on logarithmic axes.

    Parameters
    ----------
    found : MemoryValidation
        The cases.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure; each point names its case and source.
    """
    colours = ground(dark)
    drawn = [
        one
        for one in found.cases
        if one.logged_cache_gib is not None
        and one.cache_gib is not None
        and one.cache_low_gib is not None
        and one.cache_high_gib is not None
        and min(one.logged_cache_gib, one.cache_gib) >= SMALLEST_GIB
    ]
    logged = [one.logged_cache_gib or 0.0 for one in drawn]
    predicted = [one.cache_gib or 0.0 for one in drawn]
    high = [one.cache_high_gib or 0.0 for one in drawn]
    low = [max(one.cache_low_gib or 0.0, SMALLEST_GIB) for one in drawn]
    ends = [SMALLEST_GIB, max([*logged, *high, SMALLEST_GIB])]
    line: dict[str, Any] = {
        "type": "scatter", "mode": "lines", "x": ends, "y": ends, "hoverinfo": "skip", "showlegend": False,
        "line": {"color": colours.muted, "dash": "dash", "width": 1},
    }  # fmt: skip
    points: dict[str, Any] = {
        "type": "scatter", "mode": "markers", "x": logged, "y": predicted, "showlegend": False,
        "marker": {"color": colours.text, "size": 8},
        "error_y": {
            "type": "data", "symmetric": False, "color": colours.muted, "thickness": 1, "width": 0,
            "array": [top - middle for top, middle in zip(high, predicted, strict=True)],
            "arrayminus": [max(middle - bottom, 0.0) for middle, bottom in zip(predicted, low, strict=True)],
        },
        "text": [f"{one.case_id}: {one.model.removeprefix('configs/')}" for one in drawn],
        "customdata": [[one.case_id, one.source_id] for one in drawn],
        "hovertemplate": "%{text}<br>%{x:.1f} → %{y:.1f} GiB<br>%{customdata[1]}<extra></extra>",
    }  # fmt: skip
    ticks = [1, 2, 5, 10, 20, 50, 100, 200]
    axis = {"type": "log", "tickvals": ticks, "ticktext": [str(tick) for tick in ticks]}
    return figure(
        [line, points],
        colours,
        title=finding(found, _),
        subtitle=_("Free cache per GPU; each source predicted without its own cases; bars: the band; dashed: equal"),
        height=420,
        x={**axis, "title": {"text": _("Logged, GiB")}},
        y={**axis, "title": {"text": _("Predicted, GiB")}},
        margin={"l": 64, "r": 16, "t": 84, "b": 48},
    )
