"""The brief on the screen: the record behind it, its files, and the presentation without navigation and controls."""

from typing import Final
from urllib.parse import urlsplit

import streamlit as st

from lib.choice.flip_points import flip_points
from lib.choice.recommend import Recommendation
from lib.present import brief, qr
from lib.present import recommend as words
from lib.present.brief import Brief
from lib.present.figures import brief as pictures
from lib.present.figures import recommend as figures
from lib.present.figures.style import Figure
from lib.present.report import report
from lib.present.slides import slides
from lib.present.text import markdown_safe
from lib.ui import cached, files, show, state

PRESENT: Final = "present"
_PAGE: Final = "brief"
_SECTION: Final = "brief.section"
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
            _("Report (HTML, prints to PDF)"),
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
        st.button(
            _("Present"),
            on_click=_begin,
            key="brief.present",
            icon=":material/present_to_all:",
            help=_("Full screen without navigation: arrow keys or buttons go through the sections, Esc ends it."),
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


def presentation(shown: Brief, found: Recommendation) -> None:
    """One section at a time, with buttons and arrow keys."""
    _ = state.text()
    sections = brief.sections_of(shown)
    current = st.session_state.get(_SECTION, sections[0])
    before, after, number = brief.neighbours(sections, current)
    name = sections[0] if current not in sections else current
    _section(name, shown, found)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Back"), on_click=_go, args=(before,), key="brief.back", shortcut="Left", disabled=number == 1)
        st.button(
            _("Next"), on_click=_go, args=(after,), key="brief.next", shortcut="Right", disabled=number == len(sections)
        )
        st.button(_("End"), on_click=_end, key="brief.end", shortcut="Esc")
        st.caption(
            _("{n} of {all}", n=number, all=len(sections)) + " · " + _("data edition {edition}", edition=shown.edition)
        )


def _section(name: str, shown: Brief, found: Recommendation) -> None:
    _ = state.text()
    match name:
        case "proposal":
            st.title(markdown_safe(shown.question), anchor=False)
            left, right = st.columns([4, 1])
            with left:
                st.header(markdown_safe(shown.headline), anchor=False)
                st.markdown(markdown_safe(shown.sure))
            with right:
                code(shown)
        case "numbers":
            st.title(_("The proposal in {n} numbers", n=len(shown.numbers)), anchor=False)
            for one in shown.numbers:
                with st.container(border=True):
                    st.caption(markdown_safe(one.label))
                    st.header(markdown_safe(one.value), anchor=False)
                    st.markdown(markdown_safe(one.note))
        case "ranking":
            st.title(markdown_safe(shown.ranking_title), anchor=False)
            left, right = st.columns([3, 2], gap="medium")
            with left:
                show.chart(
                    pictures.enlarged(ranking(found)), alt=words.chart_in_words(found, _), key="brief.large.ranking"
                )
            with right:
                st.markdown(brief.listed(shown.why))
        case "curves":
            st.title(markdown_safe(shown.curves_title), anchor=False)
            show.chart(pictures.enlarged(curves(shown)), alt=brief.curves_in_words(shown), key="brief.large.curves")
        case "changes":
            st.title(_("What would change the answer?"), anchor=False)
            st.table(brief.frame(shown.changes, 8), hide_index=True, border="horizontal")
        case "risks":
            st.title(_("What may go wrong?"), anchor=False)
            st.markdown(brief.listed(shown.risks))
        case "evidence":
            st.title(_("What is it based on, and what is not known?"), anchor=False)
            st.markdown(brief.listed(shown.evidence))
            if shown.gaps.rows:
                st.table(brief.frame(shown.gaps), hide_index=True, border="horizontal")
        case "sources":
            st.title(_("Sources, and where to go on"), anchor=False)
            left, right = st.columns([4, 1])
            with left:
                st.table(brief.frame(brief.without_location(shown.sources), 8), hide_index=True, border="horizontal")
            with right:
                code(shown)


def _go(section: str) -> None:
    st.session_state[_SECTION] = section


def _begin() -> None:
    st.session_state.pop(_SECTION, None)
    st.query_params[PRESENT] = "1"


def _end() -> None:
    st.query_params.pop(PRESENT, None)
