"""Where do I begin? The presets as the questions people come with, and the answers for the scenario in use."""

from typing import Final

import streamlit as st

from lib.present import start
from lib.ui import cached, headlines, show, state

# Which groups of presets stand below each other.
COLUMNS: Final = ((0, 1), (2, 3))

_ = state.text()
facts = cached.facts()
scenario = state.scenario()

show.question(_("Where do I begin?"), start.promise(_))
st.caption(start.guarantees(_))
groups = start.groups(facts, _)
for column, members in zip(st.columns(len(COLUMNS), gap="medium"), COLUMNS, strict=True):
    with column:
        for group in (groups[index] for index in members):
            st.subheader(group.name, anchor=False)
            with st.container(gap=None):
                for entry in group.entries:
                    st.page_link(
                        show.page_file(entry.page),
                        label=f"**{entry.title}**",
                        help=entry.question,
                        icon=":material/arrow_forward:",
                        icon_position="right",
                        query_params={state.PRESET: entry.preset_id, state.LANGUAGE: scenario.language},
                    )
                    if entry.advice:
                        st.caption(f"&ensp;{entry.advice}")

st.subheader(_("Open now: {name}", name=start.scenario_name(facts, scenario, _)), anchor=False)
for page, answer in headlines.HEADLINES:
    left, right = st.columns([1, 6], vertical_alignment="top")
    with left:
        st.page_link(show.page_file(page), label=start.page_name(page, _), icon=":material/arrow_forward:")
    with right:
        st.markdown(answer(scenario, _))
st.caption(start.sharing(_))
show.next_steps([("sources", _("Where does every number come from?"))])
