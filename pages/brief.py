"""What do I show the board? Question, proposal, three numbers, two pictures, reasons, risks, evidence; slides and report."""

import streamlit as st

from lib.present import brief
from lib.present import recommend as words
from lib.present.text import markdown_safe
from lib.ui import board, cached, show, state

SHOWN = 6
"""Changes that stand on the page; all of them are in the files."""

_ = state.text()
told, found = board.told()


def reading() -> None:
    """The brief on one page, with its files."""
    show.question(markdown_safe(told.question), brief.lead(told))
    show.metrics(
        [(markdown_safe(one.label), markdown_safe(one.value), markdown_safe(one.note)) for one in told.numbers]
    )
    board.download_buttons(told)
    left, right = st.columns(2, gap="medium")
    with left:
        board.chart(board.ranking(found), alt=words.chart_in_words(found, _), key="brief.ranking")
    with right:
        if told.curves:
            board.chart(board.curves(told), alt=brief.curves_in_words(told), key="brief.curves")
    st.caption(words.caption(found, cached.facts(), _))

    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader(_("Why"))
        st.markdown(brief.listed(told.why))
    with right:
        if told.risks:
            st.subheader(_("What may go wrong?"))
            st.markdown(brief.listed(told.risks))
    if told.changes.rows:
        st.subheader(_("What would change the answer?"))
        st.markdown(markdown_safe(told.turns))
        st.table(brief.frame(told.changes, SHOWN), hide_index=True, border="horizontal")
        board.rest(told.changes, SHOWN)
        show.download_csv(brief.raw_frame(told.changes), "brief-changes.csv", key="brief.changes.csv")
    if told.evidence:
        st.subheader(_("What is it based on?"))
        st.markdown(brief.listed(told.evidence))
    if told.gaps.rows:
        st.subheader(_("What is not known, and whom to ask"))
        st.table(brief.frame(told.gaps), hide_index=True, border="horizontal")
        show.download_csv(brief.raw_frame(told.gaps), "brief-gaps.csv", key="brief.gaps.csv")

    sources = show.details(_("Sources, rows and link"), key="brief.sources")
    if sources.open:
        with sources:
            left, right = st.columns([4, 1])
            with left:
                show.table(brief.raw_frame(told.sources), file_name="brief-sources.csv", key="brief.sources.table")
            with right:
                board.code(told)
            show.table(brief.raw_frame(told.facts), file_name="brief-rows.csv", key="brief.facts")
    reading = show.details(_("How this is computed"), key="brief.method")
    if reading.open:
        with reading:
            st.markdown(
                _(
                    "The brief computes nothing of its own: proposal, order, chance and changes are those of Recommend, payments "
                    "those of Cost, for the scenario in the address bar. Slides and report are made from the same record when you "
                    "press their buttons, without a clock: the same link gives the same files. The PDF holds the parts of the HTML "
                    "report and asks for nothing from elsewhere. Nothing is stored on the server."
                )
            )
    show.next_steps([("recommend", _("Which one for my case?")), ("cost", _("What does it cost over its life?"))])


if board.presenting():
    board.presentation(told, found)
else:
    reading()
