"""The frame around every page: state, language, navigation, the shared scenario, the footer.

It lives under lib/ because a router beside pages/ would break deep links on a server nobody has visited.
"""

from pathlib import Path

import streamlit as st

from lib.ui import board, inputs, show, sign_in, state, turns

with turns.TURN:
    state.boot()  # before st.navigation: navigation links drop the query
    _ = state.text()

    st.set_page_config(
        page_title=_("Accelerator Ledger"), page_icon=str(Path(__file__).with_name("icon.svg")), layout="wide"
    )
    sign_in.gate()
    presenting = board.presenting()
    page = st.navigation(
        [
            st.Page(show.page_file("start"), title=_("Start"), default=True),
            st.Page(show.page_file("specs"), title=_("Specs")),
            st.Page(show.page_file("memory"), title=_("Memory")),
            st.Page(show.page_file("benchmarks"), title=_("Benchmarks")),
            st.Page(show.page_file("cost"), title=_("Cost")),
            st.Page(show.page_file("recommend"), title=_("Recommend")),
            st.Page(show.page_file("brief"), title=_("Brief")),
            st.Page(show.page_file("software"), title=_("Software")),
            st.Page(show.page_file("timing"), title=_("Timing")),
            st.Page(show.page_file("offer"), title=_("Offers")),
            st.Page(show.page_file("compare"), title=_("Compare")),
            st.Page(show.page_file("sources"), title=_("Sources")),
            st.Page(show.page_file("claims"), title=_("Claims")),
            st.Page(show.page_file("inside"), title=_("Chips")),
        ],
        position="hidden" if presenting else "top",
    )
    state.found_again()
    show.document_language()
    if not presenting:
        inputs.sidebar(page.url_path)
    show.notices()
    page.run()
    if not presenting:
        show.footer()
    state.settled()
