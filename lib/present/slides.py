"""The brief as slides: at most eight, one idea each, with native charts and what the speaker says."""

from collections.abc import Sequence
from typing import Any, Final

from pptx.enum.chart import XL_CHART_TYPE, XL_LABEL_POSITION, XL_MARKER_STYLE
from pptx.enum.dml import MSO_LINE_DASH_STYLE
from pptx.oxml import parse_xml
from pptx.util import Pt

from lib.present import qr
from lib.present.axis import axis_of
from lib.present.brief import Bar, Brief, Curve, Grid, left_out
from lib.present.slide_deck import (
    BOTTOM,
    INK,
    INNER,
    LINE,
    MARGIN,
    MUTED,
    TOP,
    WIDTH,
    Deck,
    Line,
    apart,
    categories,
    colour,
    curves,
    height_of,
)
from lib.present.text import Words

_BODY: Final = (22, 20, 18, 17, 16, 15, 14, 13, 12)
_MOST_BARS: Final = 8
_FEW_BARS: Final = 2
_RULED_OUT: Final = "6B7280"
_QR_SIDE: Final = 1.9
_NOTE_HEIGHT: Final = 0.3
"""Height of a line above a table [in]."""

_LABEL_HEIGHT: Final = 0.27
"""Distance of two labels beside the ends of curves [in]."""

_BELOW_PLOT: Final = 0.9
"""Height of a chart below and above its plot: months and their title [in]."""

_LONGEST_LINK: Final = 160
"""Characters of a link that a slide shows; the code and the notes have all of it."""


def slides(told: Brief, _: Words) -> bytes:
    """The brief as PPTX.

    Parameters
    ----------
    told : Brief
        What the board is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    bytes
        The file: the same for the same brief.
    """
    foot = _("Accelerator Ledger · data edition {edition} · NPV in USD, tax left out", edition=told.edition)
    deck = Deck(told.language, told.question, foot, told.edition_date)
    _proposal(deck, told, _)
    _numbers(deck, told, _)
    if any(bar.value is not None for bar in told.ranking):
        _ranking(deck, told, _)
    if told.curves:
        _curves(deck, told, _)
    if told.changes.rows:
        _changes(deck, told, _)
    if told.risks:
        _bullets(deck, _("What may go wrong?"), told.risks, _)
    _evidence(deck, told, _)
    _sources(deck, told, _)
    return deck.saved()


def _proposal(deck: Deck, told: Brief, _: Words) -> None:
    slide = deck.slide(told.question, told.answer)
    code = qr.png(told.link)
    width = INNER - (_QR_SIDE + 0.6 if code else 0)
    deck.texts(slide, (MARGIN, TOP + 0.2, width, 0.5), [Line(_("Proposed"), colour=MUTED)], (18,))
    deck.texts(slide, (MARGIN, TOP + 0.65, width, 1.9), [Line(told.headline, bold=True)], (36, 32, 28, 24, 20))
    if told.sure:
        deck.texts(slide, (MARGIN, TOP + 2.6, width, 1.6), [Line(told.sure)], _BODY)
    deck.texts(
        slide,
        (MARGIN, BOTTOM - 0.75, width, 0.7),
        [Line(_("Every number with its source and the same scenario to change: scan the code or open the link on the last slide."), colour=MUTED)],
        (16, 14, 12),
    )  # fmt: skip
    if code:
        alt = _("QR code of the link to this scenario")
        deck.picture(slide, code, WIDTH - MARGIN - _QR_SIDE, TOP + 0.3, _QR_SIDE, alt)


def _numbers(deck: Deck, told: Brief, _: Words) -> None:
    slide = deck.slide(_("The proposal in {n} numbers", n=len(told.numbers)), "\n".join(
        f"{one.label}: {one.value}. {one.note}" for one in told.numbers
    ))  # fmt: skip
    step = (BOTTOM - TOP) / 3
    for place, one in enumerate(told.numbers):
        top = TOP + 0.1 + place * step
        deck.texts(
            slide, (MARGIN, top, 5.2, step - 0.2), [Line(one.value, bold=True)], (34, 30, 26, 22, 18), centre=True
        )
        lines = [Line(one.label, bold=True), Line(one.note, colour=MUTED)]
        deck.texts(
            slide, (MARGIN + 5.3, top, INNER - 5.3, step - 0.2), lines, (18, 17, 16, 15, 14, 13, 12), centre=True
        )
        if place:
            deck.rule(slide, MARGIN, top - 0.05, INNER)


def _ranking(deck: Deck, told: Brief, _: Words) -> None:
    notes = [*told.why, *(f"{bar.name}: {bar.text}. {bar.note}".strip() for bar in told.ranking)]
    slide = deck.slide(told.ranking_title, "\n".join(notes))
    shown = [bar for bar in told.ranking if bar.value is not None][:_MOST_BARS]
    deck.texts(slide, (MARGIN, TOP - 0.2, INNER, 0.4), [Line(told.ranking_note, colour=MUTED)], (14, 13, 12))
    alt = "; ".join(f"{bar.name}: {bar.text}" for bar in shown)
    chart = deck.chart(
        slide, XL_CHART_TYPE.BAR_CLUSTERED, (MARGIN, TOP + 0.2, 7.0, BOTTOM - TOP - 0.2),
        categories([bar.name for bar in shown], told.ranking_unit, [bar.value for bar in shown]), alt,
    )  # fmt: skip
    _bars(chart, shown)
    deck.texts(
        slide, (MARGIN + 7.2, TOP + 0.2, INNER - 7.2, BOTTOM - TOP - 0.2),
        [Line(text, bullet=True) for text in told.why], (17, 16, 15, 14, 13, 12),
    )  # fmt: skip


def _bars(chart: Any, shown: list[Bar]) -> None:
    """One bar a candidate in its colour, the best on top, its figure at its foot, its band as a line."""
    chart.has_legend = chart.has_title = False
    chart.category_axis.reverse_order = True
    chart.category_axis.format.line.color.rgb = colour(LINE)
    chart.category_axis.tick_labels.font.size = Pt(14)
    value = chart.value_axis
    value.minimum_scale, value.has_major_gridlines, value.visible = 0, False, False
    plot = chart.plots[0]
    plot.gap_width = 60 if len(shown) > _FEW_BARS else 180
    series = plot.series[0]
    for place, bar in enumerate(shown):
        fill = series.points[place].format.fill
        fill.solid()
        fill.fore_color.rgb = colour(_RULED_OUT if bar.note else bar.colour)
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.position, labels.show_value = XL_LABEL_POSITION.INSIDE_BASE, True
    labels.number_format, labels.number_format_is_linked = _number_format(shown), False
    labels.font.size, labels.font.bold, labels.font.color.rgb = Pt(14), True, colour("FFFFFF")
    if any(bar.low is not None and bar.high is not None and bar.low < bar.high for bar in shown):
        series._element.insert_element_before(_band(shown), "c:cat", "c:val", "c:smooth", "c:shape", "c:extLst")


def _number_format(shown: list[Bar]) -> str:
    least = min(bar.value or 0.0 for bar in shown)
    return "#,##0" if least >= 100 else "#,##0.0" if least >= 10 else "#,##0.00" if least >= 1 else "0.000"


def _band(shown: list[Bar]) -> Any:
    """Error bars from the low to the high end of each band, with their own values."""

    def ends(name: str, values: list[float]) -> str:
        points = "".join(f'<c:pt idx="{place}"><c:v>{value!r}</c:v></c:pt>' for place, value in enumerate(values))
        return f'<c:{name}><c:numLit><c:ptCount val="{len(values)}"/>{points}</c:numLit></c:{name}>'

    values = [bar.value or 0.0 for bar in shown]
    above = [max((bar.high or value) - value, 0.0) for bar, value in zip(shown, values, strict=True)]
    below = [
        max(value - (value if bar.low is None else bar.low), 0.0) for bar, value in zip(shown, values, strict=True)
    ]
    space = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    return parse_xml(
        f'<c:errBars {space}><c:errBarType val="both"/><c:errValType val="cust"/><c:noEndCap val="0"/>'
        f"{ends('plus', above)}{ends('minus', below)}"
        f'<c:spPr><a:ln w="19050"><a:solidFill><a:srgbClr val="{INK}"/></a:solidFill></a:ln></c:spPr></c:errBars>'
    )


def _curves(deck: Deck, told: Brief, _: Words) -> None:
    drawn = told.curves
    ends = [f"{curve.mark}. {curve.name}: {curve.usd[-1]:,.0f} USD" for curve in drawn]
    slide = deck.slide(told.curves_title, "\n".join(ends))
    deck.texts(
        slide, (MARGIN, TOP - 0.2, INNER, 0.4),
        [Line(_("Thousand USD spent by the end of each month, discounted to the decision; the last month includes the resale. Dashed: rented."), colour=MUTED)],
        (14, 13, 12),
    )  # fmt: skip
    thousands = [[round(usd / 1000, 3) for usd in curve.usd] for curve in drawn]
    height = BOTTOM - TOP - 0.15
    axis = axis_of([usd for one in thousands for usd in one])
    gap = (axis[1] - axis[0]) * _LABEL_HEIGHT / (height - _BELOW_PLOT)
    places = apart([one[-1] for one in thousands], gap, axis[1])
    chart = deck.chart(
        slide, XL_CHART_TYPE.XY_SCATTER_LINES_NO_MARKERS, (MARGIN, TOP + 0.15, 8.7, height),
        curves([(curve.name, list(enumerate(one))) for curve, one in zip(drawn, thousands, strict=True)]
               + [(_("Places of the labels"), [(len(one) - 1, at) for one, at in zip(thousands, places, strict=True)])]),
        "; ".join(ends),
    )  # fmt: skip
    _lines(chart, drawn, axis, _)
    lines = [Line(_("At the end, USD"), colour=MUTED)]
    for curve in drawn:
        lines += [Line(f"{curve.mark}. {curve.name}", bold=True, colour=curve.colour), Line(f"{curve.usd[-1]:,.0f}")]
    deck.texts(slide, (MARGIN + 8.9, TOP + 0.3, INNER - 8.9, BOTTOM - TOP - 0.3), lines, (18, 17, 16, 15, 14, 13, 12))


def _lines(chart: Any, drawn: Sequence[Curve], axis: tuple[float, float, float], _: Words) -> None:
    """One line a candidate, its place in the recommendation beside its end; the last series holds these labels alone."""
    chart.has_legend = chart.has_title = False
    value, month = chart.value_axis, chart.category_axis
    value.minimum_scale, value.maximum_scale, value.major_unit = axis
    value.tick_labels.number_format, value.tick_labels.number_format_is_linked = "#,##0", False
    value.has_major_gridlines = True
    value.major_gridlines.format.line.color.rgb = colour(LINE)
    value.format.line.fill.background()
    last = max(len(curve.usd) for curve in drawn) - 1
    month.minimum_scale, month.maximum_scale, month.major_unit = 0, last, 12 if last > 12 else 3
    month.has_major_gridlines, month.has_title = False, True
    month.tick_labels.number_format, month.tick_labels.number_format_is_linked = "0", False
    month.axis_title.text_frame.text = _("Month")
    month.axis_title.text_frame.paragraphs[0].runs[0].font.size = Pt(14)
    *series, labels = chart.plots[0].series
    for one in (*series, labels):
        one.smooth, one.marker.style = False, XL_MARKER_STYLE.NONE
    labels.format.line.fill.background()
    for place, (one, curve) in enumerate(zip(series, drawn, strict=True)):
        line = one.format.line
        line.color.rgb, line.width = colour(curve.colour), Pt(3)
        if curve.is_rented:
            line.dash_style = MSO_LINE_DASH_STYLE.DASH
        end = labels.points[place].data_label
        end.position = XL_LABEL_POSITION.RIGHT
        run = end.text_frame.paragraphs[0].add_run()
        run.text = curve.mark
        run.font.size, run.font.bold, run.font.color.rgb = Pt(14), True, colour(curve.colour)


def _changes(deck: Deck, told: Brief, _: Words) -> None:
    every = [" | ".join(row) for row in told.changes.rows]
    slide = deck.slide(_("What would change the answer?"), "\n".join([told.turns, *every]))
    room = 0.85
    deck.texts(slide, (MARGIN, TOP - 0.2, INNER, room), [Line(told.turns)], (16, 15, 14, 13, 12))
    _table(deck, slide, TOP + room, told.changes, (4, 2, 3, 1.3, 2), _)


def _table(deck: Deck, slide: Any, top: float, told: Grid, widths: Sequence[float], _: Words) -> None:
    """A table with as many rows as there is room for, and above it how many those are where some are left out."""
    if deck.fitting_rows(top, told.heads, told.rows, widths) < len(told.rows):
        kept = deck.fitting_rows(top + _NOTE_HEIGHT, told.heads, told.rows, widths)
        deck.texts(slide, (MARGIN, top - 0.05, INNER, 0.35), [Line(left_out(told, kept, _), colour=MUTED)], (12,))
        top += _NOTE_HEIGHT
    deck.table(slide, top, told.heads, told.rows, widths)


def _bullets(deck: Deck, title: str, texts: tuple[str, ...], _: Words) -> None:
    slide = deck.slide(title, "\n".join(texts))
    deck.texts(slide, (MARGIN, TOP, INNER, BOTTOM - TOP), [Line(text, bullet=True) for text in texts], _BODY)


def _evidence(deck: Deck, told: Brief, _: Words) -> None:
    gaps = [" | ".join(row) for row in told.gaps.rows]
    slide = deck.slide(_("What is it based on, and what is not known?"), "\n".join([*told.evidence, *gaps]))
    lines = [Line(text, bullet=True) for text in told.evidence]
    top = TOP - 0.1
    if lines:
        size = deck.texts(slide, (MARGIN, top, INNER, 2.55), lines, (16, 15, 14, 13, 12))
        top += min(height_of([f"• {text}" for text in told.evidence], size, INNER - 0.45) + 0.3, 2.65)
    if told.gaps.rows:
        _table(deck, slide, top, told.gaps, (4, 2.4, 5), _)


def _sources(deck: Deck, told: Brief, _: Words) -> None:
    every = [" | ".join(row) for row in told.sources.rows]
    slide = deck.slide(_("Sources, and where to go on"), "\n".join([told.link, *every]))
    code = qr.png(told.link)
    side = 1.2
    if code:
        deck.picture(slide, code, WIDTH - MARGIN - side, TOP - 0.35, side, _("QR code of the link to this scenario"))
    rows = [row[:4] for row in told.sources.rows]
    kept = deck.table(slide, TOP + 1.05, told.sources.heads[:4], rows, (5, 2.5, 1.5, 4.5))
    shown = _("{n} of {all} sources; all of them stand in the notes below and in the report.", n=kept, all=len(rows))
    lines = [Line(_("Data edition {edition}.", edition=told.edition) + " " + shown)]
    if told.link:
        short = told.link if len(told.link) <= _LONGEST_LINK else told.link[:_LONGEST_LINK] + "…"
        lines.append(Line(short, colour=MUTED))
    deck.texts(slide, (MARGIN, TOP - 0.25, INNER - side - 0.2, 1.25), lines, (15, 14, 13, 12))
