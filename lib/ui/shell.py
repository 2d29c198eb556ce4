"""The frame around every page: state, language, navigation, the shared scenario, the footer.

It lives under lib/ because a router beside pages/ would break deep links on a server nobody has visited.
"""

from pathlib import Path

import streamlit as st

from lib.ui import inputs, show, state

state.boot()  # before st.navigation: navigation links drop the query
_ = state.text()

st.set_page_config(
    page_title=_("Accelerator Ledger"), page_icon=str(Path(__file__).with_name("icon.svg")), layout="wide"
)
page = st.navigation(
    [
        st.Page(show.page_file("start"), title=_("Start"), default=True),
        st.Page(show.page_file("specs"), title=_("Specs")),
        st.Page(show.page_file("memory"), title=_("Memory")),
        st.Page(show.page_file("benchmarks"), title=_("Benchmarks")),
        st.Page(show.page_file("cost"), title=_("Cost")),
        st.Page(show.page_file("recommend"), title=_("Recommend")),
        st.Page(show.page_file("sources"), title=_("Sources")),
    ],
    position="top",
)
show.document_language()
inputs.sidebar(page.url_path)
show.notices()
page.run()
show.footer()
state.settled()
