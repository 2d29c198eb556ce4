"""The brief on the screen: the record behind it, its files, and the presentation without navigation and controls."""

from typing import Final
from urllib.parse import urlsplit

import streamlit as st

from lib.choice.flip_points import flip_points
from lib.choice.recommend import Recommendation
from lib.present import brief, qr
from lib.present import presentation as large
from lib.present import recommend as words
from lib.present.brief import Brief, Grid
from lib.present.figures import brief as pictures
from lib.present.figures import recommend as figures
from lib.present.figures.style import Figure
from lib.present.report import report
from lib.present.report_pdf import families, lacks_font, pdf
from lib.present.slides import slides
from lib.present.text import markdown_safe
from lib.ui import cached, files, show, state

PRESENT: Final = "present"
PART: Final = "part"
"""Which section of the presentation the address names."""

_PAGE: Final = "brief"
_PPTX: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def presenting() -> bool:
    """Whether the link asks for the brief as a presentation."""
    path = urlsplit(st.context.url or "").path
    return st.query_params.get(PRESENT) == "1" and (not st.context.url or path.rstrip("/").endswith(f"/{_PAGE}"))


def told() -> tuple[Brief, Recommendation]:
    """The brief of the visitor's scenario, and the answer that it tells."""
    scenario, facts = state.scenario(), cached.facts()
    found = cached.recommendation(scenario)
    sure, flips = cached.sureness(found), flip_points(facts, found)
    return brief.brief(
        facts, found, sure, flips, cached.looks(False), state.text(), files.link_of(scenario)
    ), found  # fmt: skip


def download_buttons(shown: Brief) -> None:
    """Slides and report, made when they are asked for, and the way into the presentation."""
    _ = state.text()
    scenario, facts = state.scenario(), cached.facts()
    lacks = lacks_font(shown, families())
    with st.container(horizontal=True):
        st.download_button(
            _("Slides (PPTX)"),
            data=lambda: slides(shown, _),
            file_name=brief.file_name(facts, scenario, "pptx"),
            mime=_PPTX,
            on_click="ignore",
            key="brief.slides",
            icon=":material/slideshow:",
            help=_("At most eight slides with charts that can be edited, speaker notes, the edition and the link."),
        )
        st.download_button(
            _("Report (HTML)"),
            data=lambda: report(shown, _),
            file_name=brief.file_name(facts, scenario, "html"),
            mime="text/html",
            on_click="ignore",
            key="brief.report",
            icon=":material/description:",
            help=_(
                "One file that opens offline and prints on A4: the whole brief with every row and source behind it."
            ),
        )
        st.download_button(
            _("Report (PDF)"),
            data=lambda: pdf(shown, _),
            file_name=brief.file_name(facts, scenario, "pdf"),
            mime="application/pdf",
            on_click="ignore",
            key="brief.pdf",
            icon=":material/picture_as_pdf:",
            disabled=lacks,
            help=_("The same report on A4 with page numbers, the edition and the link on every page."),
        )
        st.button(
            _("Present"),
            on_click=_begin,
            key="brief.present",
            icon=":material/present_to_all:",
            help=_("Full screen without navigation: arrow keys or buttons go through the sections, Esc ends it."),
        )
    if lacks:
        st.caption(
            _(
                "The PDF in Chinese needs a font that this server does not have: whoever runs it installs the Debian package "
                "fonts-noto-cjk, or another font with Chinese characters, and starts the app again. Slides and HTML do without."
            )
        )


def code(shown: Brief) -> None:
    """The QR code of the link, for a slide or a screen that is photographed."""
    _ = state.text()
    drawn = qr.png(shown.link)
    if drawn is None:
        st.caption(_("The link is too long for a QR code: share it from the address bar."))
    else:
        st.image(drawn, caption=_("This scenario, to scan"), width=200)


def ranking(found: Recommendation) -> Figure:
    """Every candidate under the governing metric."""
    dark = show.dark()
    return figures.ranking_chart(found, cached.looks(dark), state.text(), dark=dark)


def curves(shown: Brief) -> Figure:
    """What each candidate's fleet has cost by each month."""
    dark = show.dark()
    return pictures.curves_chart(shown, cached.looks(dark), state.text(), dark=dark)


def chart(drawn: Figure, alt: str, key: str) -> None:
    """A figure of half a page's width, its conditions below it, where they may break into lines."""
    show.chart(pictures.without_conditions(drawn), alt=alt, caption=pictures.conditions(drawn), key=key)


def presentation(shown: Brief, found: Recommendation) -> None:
    """One section at a time, the one that the address names, with buttons and arrow keys."""
    _ = state.text()
    sections = brief.sections_of(shown)
    asked = st.query_params.get(PART, "")
    name = asked if asked in sections else sections[0]
    before, after, place = brief.neighbours(sections, name)
    last = len(sections)
    with st.container(horizontal=True, vertical_alignment="center"):  # above what changes, so that they stay in place
        st.title(markdown_safe(shown.question), anchor=False)
        st.button(_("Back"), on_click=_go, args=(before,), key="brief.back", shortcut="Left", disabled=place == 1)
        st.button(_("Next"), on_click=_go, args=(after,), key="brief.next", shortcut="Right", disabled=place == last)
        st.button(_("End"), on_click=_end, key="brief.end", shortcut="Esc")
    _section(name, shown, found)
    _say(large.foot(shown, place, last, _))


def _section(name: str, shown: Brief, found: Recommendation) -> None:
    _ = state.text()
    match name:
        case "proposal":
            left, right = st.columns([4, 1], gap="large")
            with left:
                _head(shown.headline)
                _say(large.statement(shown.sure))
            with right:
                _large_code(shown)
        case "numbers":
            _head(_("The proposal in {n} numbers", n=len(shown.numbers)))
            for column, one in zip(st.columns(len(shown.numbers), border=True), shown.numbers, strict=True):
                with column:
                    _say(large.number(one))
        case "ranking":
            _head(shown.ranking_title)
            drawn = ranking(found)
            _say(large.note(pictures.conditions(drawn)))
            left, right = st.columns([3, 2], gap="large")
            with left:
                show.chart(pictures.enlarged(drawn), alt=words.chart_in_words(found, _), key="brief.large.ranking")
            with right:
                _say(large.reasons(shown))
        case "curves":
            _head(shown.curves_title)
            drawn = curves(shown)
            _say(large.note(pictures.conditions(drawn)))
            show.chart(pictures.enlarged(drawn), alt=brief.curves_in_words(shown), key="brief.large.curves")
        case "changes":
            _head(_("What would change the answer?"))
            _say(large.changes(shown, _))
        case "risks":
            _head(_("What may go wrong?"))
            _say(large.risks(shown))
        case "evidence":
            left, right = st.columns(2, gap="large")
            with left:
                _head(_("What is it based on?"))
                _say(large.evidence(shown))
            if shown.gaps.rows:
                with right:
                    _head(_("What is not known?"))
                    _say(large.gaps(shown, _))
        case "sources":
            left, right = st.columns([4, 1], gap="large")
            with left:
                _head(_("Sources, and where to go on"))
                _say(large.sources(shown, _))
            with right:
                _large_code(shown)


def _large_code(shown: Brief) -> None:
    _ = state.text()
    drawn = qr.png(shown.link)
    if drawn is not None:
        st.image(drawn, width="stretch", alt=_("QR code of the link to this scenario"))
        _say(large.note(_("This scenario, to scan")))


def _head(finding: str) -> None:
    st.header(markdown_safe(finding), anchor=False)


def _say(markdown: str) -> None:
    st.markdown(markdown, anchors=False)


def rest(table: Grid, shown: int) -> None:
    """How many rows of a table are shown, where some are left out."""
    said = brief.left_out(table, shown, state.text())
    if said:
        st.caption(said)


def _go(section: str) -> None:
    st.query_params[PART] = section


def _begin() -> None:
    st.query_params[PRESENT] = "1"


def _end() -> None:
    kept = {name: value for name, value in st.query_params.items() if name not in (PRESENT, PART)}
    st.query_params.from_dict(kept)  # one entry of the history, not two
