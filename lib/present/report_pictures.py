"""The pictures of the report as SVG elements that stand inside the document: no script, no file beside it."""

from collections.abc import Sequence
from html import escape
from typing import Final

from lib.present.axis import axis_of
from lib.present.brief import Bar, Curve
from lib.present.figures.style import label_width

_WIDTH: Final = 760
_ROW: Final = 34
_RIGHT: Final = 150
_INK: Final = "#1B1F24"
_MUTED: Final = "#5B6470"
_GRID: Final = "#E3E6EA"
_FONTS: Final = "Noto Sans CJK SC, Source Sans 3, Noto Sans, Libertinus Serif"
"""Where the picture stands outside a page of HTML, whose own font it takes there."""


def _svg(height: float, alt: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" font-family="{_FONTS}" '
        f'font-size="13" role="img" aria-label="{escape(alt)}">{content}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = _INK, weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def ranking(bars: Sequence[Bar]) -> str:
    """One bar a candidate from zero, its band as a thin line, what rules it out in words; blank without a figure."""
    if not any(bar.value is not None for bar in bars):
        return ""
    left = min(label_width([bar.name for bar in bars], 14), 300)
    most = max(max(bar.value or 0.0, bar.high or 0.0) for bar in bars) or 1.0
    scale = (_WIDTH - left - _RIGHT) / most
    pieces = []
    for place, bar in enumerate(bars):
        top = place * _ROW + 4
        middle = top + _ROW / 2 - 4
        pieces.append(_text(left - 10, middle + 5, bar.name, "end"))
        end = float(left)
        if bar.value is not None:
            width = bar.value * scale
            fill = "none" if bar.note else bar.colour
            pieces.append(
                f'<rect x="{left}" y="{top}" width="{width:.1f}" height="{_ROW - 12}" fill="{fill}" '
                f'stroke="{bar.colour}" stroke-width="1.5"/>'
            )
            end = left + width
            if bar.low is not None and bar.high is not None and bar.low < bar.high:
                low, high = left + bar.low * scale, left + bar.high * scale
                pieces += [_line(low, middle, high, middle, _INK, 1.5)]
                pieces += [_line(at, middle - 4, at, middle + 4, _INK, 1.5) for at in (low, high)]
                end = max(end, high)
        text = bar.text.split(" ")[0] if bar.value is not None else bar.text
        pieces.append(_text(end + 8, middle + 5, text, weight=600))
    return _svg(len(bars) * _ROW + 8, ranking_in_words(bars), "".join(pieces))


def ranking_in_words(bars: Sequence[Bar]) -> str:
    """Each candidate with its figure, for those who cannot see the bars."""
    return "; ".join(f"{bar.name}: {bar.text}" for bar in bars)


def curves(drawn: Sequence[Curve], month: str) -> str:
    """What each candidate has cost by the end of each month, labelled at its end; dashed where rented."""
    if not drawn:
        return ""
    left, top, height = 64, 10, 260
    names = {id(curve): f"{curve.mark}. {curve.name}" for curve in drawn}
    right = min(label_width(list(names.values()), 13), 240)
    last = max(len(curve.usd) for curve in drawn) - 1
    least, most, step = axis_of([usd for curve in drawn for usd in curve.usd])
    step_x, step_y = (_WIDTH - left - right) / max(last, 1), height / (most - least)

    def place(usd: float) -> float:
        return top + height - (usd - least) * step_y

    pieces = []
    for tick in range(round((most - least) / step) + 1):
        usd = least + tick * step
        pieces += [_line(left, place(usd), _WIDTH - right, place(usd), _GRID)]
        pieces += [_text(left - 8, place(usd) + 4, f"{usd / 1000:,.0f}", "end", _MUTED)]
    for at in range(0, last + 1, 12 if last > 12 else 3):
        pieces.append(_text(left + at * step_x, top + height + 18, str(at), "middle", _MUTED))
    pieces.append(_text((left + _WIDTH - right) / 2, top + height + 38, month, "middle", _MUTED))
    floor = float(top + height)
    for curve in sorted(drawn, key=lambda one: one.usd[-1]):
        points = " ".join(f"{left + at * step_x:.1f},{place(usd):.1f}" for at, usd in enumerate(curve.usd))
        dash = ' stroke-dasharray="7 5"' if curve.is_rented else ""
        pieces.append(f'<polyline points="{points}" fill="none" stroke="{curve.colour}" stroke-width="2.5"{dash}/>')
        floor = min(place(curve.usd[-1]), floor - 17)
        pieces.append(_text(left + last * step_x + 8, floor + 4, names[id(curve)], colour=curve.colour, weight=600))
    return _svg(top + height + 46, curves_in_words(drawn), "".join(pieces))


def curves_in_words(drawn: Sequence[Curve]) -> str:
    """What each candidate has cost at the end, for those who cannot see the curves."""
    return "; ".join(f"{curve.mark}. {curve.name}: {curve.usd[-1]:,.0f} USD" for curve in drawn)
