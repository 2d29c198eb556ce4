"""What all figures share: one colour a part everywhere, direct labels, a calm ground.

A figure brings all its colours and no template: Plotly lays a figure with a template out again for each copy of it, and
Streamlit makes a copy of each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lib.present.figures.lines import SUBTITLE_LINE, SUBTITLE_WIDTH, TITLE_LINE, TITLE_WIDTH, broken
from lib.records import Accelerator

Figure = dict[str, Any]

FONT: Final = "'Source Sans', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
_VENDOR_COLOURS: Final[Mapping[str, Mapping[bool, Sequence[str]]]] = {
    "AMD": {
        False: ("#C2410C", "#D97706", "#7C2D12", "#A16207", "#9D174D"),
        True: ("#FB923C", "#FCD34D", "#EA580C", "#D6A77A", "#F9A8D4"),
    },
    "NVIDIA": {
        False: ("#0369A1", "#0E9AA7", "#082F49", "#4F46E5", "#065F46"),
        True: ("#38BDF8", "#5EEAD4", "#0284C7", "#A5B4FC", "#0D9488"),
    },
    "": {False: ("#7E22CE",), True: ("#8B5CF6",)},
}
_VENDOR_MARKERS: Final[Mapping[str, Sequence[str]]] = {
    "AMD": ("circle", "diamond", "triangle-up", "star"),
    "NVIDIA": ("square", "cross", "triangle-down", "x"),
    "": ("circle", "diamond", "triangle-up", "star"),
}
"""Four markers a vendor against five shades: only the twenty-first part would look like the first."""

_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True, slots=True)
class Ground:
    """The colours of one theme's ground."""

    dark: bool
    text: str
    muted: str
    grid: str
    greys: tuple[str, str, str, str]
    """Weights, workspace, cache, free: dark to light on a light ground, light to dark on a dark one."""
    stop: str
    """Red: for "does not start" alone."""


LIGHT: Final = Ground(
    False, "#1B1F24", "#5B6470", "#E3E6EA", ("#4B5563", "#9CA3AF", "#CBD2DA", "rgba(0,0,0,0)"), "#B42318"
)
DARK: Final = Ground(
    True, "#E6E9EE", "#A3ACB8", "#2B333E", ("#D1D5DB", "#8A93A0", "#566070", "rgba(0,0,0,0)"), "#F97066"
)


BROKEN_HEAD: Final = {"y": 1, "pad": {"t": 12}}
"""Where a title of several lines stands: from the upper edge down, or its first line would be cut."""


def ground(dark: bool) -> Ground:
    """The ground of the reader's theme."""
    return DARK if dark else LIGHT


@dataclass(frozen=True, slots=True)
class Look:
    """How one part is drawn wherever it appears."""

    colour: str
    marker: str
    dash: str


def looks(accelerators: Mapping[str, Accelerator], *, dark: bool) -> dict[str, Look]:
    """One look for every part of the catalogue: vendors differ in hue and marker, parts of a vendor in shade and marker.

    Parameters
    ----------
    accelerators : mapping of str to Accelerator
        The whole catalogue, in its order, so that a part looks the same whatever it is compared with.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict of str to Look
        Accelerator id to its look.
    """
    seen: dict[str, int] = {}
    result = {}
    for name, accelerator in accelerators.items():
        vendor = accelerator.vendor if accelerator.vendor in _VENDOR_COLOURS else ""
        index = seen.get(vendor, 0)
        seen[vendor] = index + 1
        colours, markers = _VENDOR_COLOURS[vendor][dark], _VENDOR_MARKERS[vendor]
        result[name] = Look(
            colour=colours[index % len(colours)],
            marker=markers[index % len(markers)],
            dash=_DASHES[index % len(_DASHES)],
        )
    return result


def key(entries: Sequence[tuple[str, str]]) -> str:
    """A legend in one line of the subtitle: colour and name of each entry; Plotly's own costs a second layout.

    Parameters
    ----------
    entries : sequence of tuple of str
        Colour and name.

    Returns
    -------
    str
        For the subtitle of `figure`.
    """
    return "   ".join(f"<span style='color:{colour}'>■</span> {name}" for colour, name in entries)


def label_width(labels: Sequence[str], size: int = 13) -> int:
    """Room that the longest of some labels takes beside an axis.

    Parameters
    ----------
    labels : sequence of str
        Texts; a Chinese character takes the width of two Latin ones.
    size : int
        Font size [px].

    Returns
    -------
    int
        Width [px].
    """
    widest = max((sum(2 if ord(one) > 0x2E7F else 1 for one in label) for label in labels), default=0)
    return round(widest * size * 0.52) + 14


def figure(
    traces: list[dict[str, Any]],
    look: Ground,
    *,
    title: str,
    subtitle: str = "",
    height: int = 380,
    x: Mapping[str, Any] | None = None,
    y: Mapping[str, Any] | None = None,
    **layout: Any,
) -> Figure:
    """A figure whose title says the finding and whose subtitle says the conditions.

    Parameters
    ----------
    traces : list of dict
        Plotly traces.
    look : Ground
        The theme's ground.
    title, subtitle : str
        Finding and conditions.
    height : int
        Height with one line of title and of subtitle each, or as many as they bring [px].
    x, y : mapping, optional
        Axis settings on top of the house's.
    **layout : Any
        Layout settings on top of the house's.

    Returns
    -------
    dict
        For `st.plotly_chart`.
    """
    axes = {name: _axis(look, given or {}) for name, given in (("xaxis", x), ("yaxis", y))}
    drawn: Figure = {
        "data": traces,
        "layout": {
            "font": {"family": FONT, "size": 13, "color": look.text},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"l": 8, "r": 16, "t": 64, "b": 8},
            "height": height,
            "hoverlabel": {
                "font": {"family": FONT, "color": look.text},
                "bgcolor": "#20262E" if look.dark else "#FFFFFF",
            },
            "legend": {"orientation": "h", "y": -0.16, "x": 0, "font": {"size": 12}},
            **axes,
            **layout,
        },
    }
    if title:
        titles, more = broken(title, TITLE_WIDTH), broken(subtitle, SUBTITLE_WIDTH)
        added = TITLE_LINE * (len(titles) - title.count("<br>") - 1)
        added += SUBTITLE_LINE * (len(more) - subtitle.count("<br>") - 1) if more else 0
        layout = drawn["layout"]
        layout["height"] += added
        layout["margin"] = {**layout["margin"], "t": layout["margin"]["t"] + added}
        layout["title"] = _head(look, "<br>".join(titles), "<br>".join(more))
        if len(titles) > 1:
            layout["title"] |= BROKEN_HEAD
    return drawn


def _axis(look: Ground, given: Mapping[str, Any]) -> dict[str, Any]:
    """The house's axis with the figure's own settings on top."""
    axis = {
        "gridcolor": look.grid,
        "linecolor": look.grid,
        "zerolinecolor": look.grid,
        "automargin": False,  # each label that moves the margin lays the whole chart out again
        "ticklabeloverflow": "allow",  # nor is each label measured
        "fixedrange": True,
        "tickfont": {"color": look.text},
        **given,
    }
    if "title" in axis:
        title = {"text": axis["title"]} if isinstance(axis["title"], str) else axis["title"]
        axis["title"] = {**title, "font": {"size": 12, "color": look.muted}}
    return axis


def _head(look: Ground, title: str, subtitle: str) -> dict[str, Any]:
    head: dict[str, Any] = {
        "text": title,
        "font": {"size": 15, "color": look.text, "weight": 600},
        "x": 0,
        "xanchor": "left",
        "y": 0.98,
        "yanchor": "top",
    }
    if subtitle:
        head["subtitle"] = {"text": subtitle, "font": {"size": 12, "color": look.muted}}
    return head
