"""The whole scenario as a file: taken away, and brought back."""

from typing import Final

import streamlit as st

from lib.choice.link import LinkError
from lib.choice.scenario_file import MAX_BYTES, ScenarioFileError, read, written
from lib.present import scenario_file as words
from lib.ui import cached, state

_FILE: Final = "scenario.file"
_PROBLEMS: Final = "scenario_file_problems"
_TAKEN: Final = "scenario_file_taken"
_MAX_MEGABYTES: Final = 1


def section() -> None:
    """Both ways, where the scenario is, and what was wrong with the last file."""
    _ = state.text()
    scenario, facts = state.scenario(), cached.facts()
    st.markdown(words.note(_))
    st.download_button(
        _("Save the scenario (JSON)"),
        data=lambda: written(scenario, facts.edition.label).encode(),
        file_name=f"scenario-{scenario.preset or 'own'}-{facts.edition.date}.json",
        mime="application/json",
        on_click="ignore",
        key="scenario.save",
        icon=":material/download:",
    )
    st.file_uploader(
        _("Open a saved scenario (at most {size} KiB)", size=f"{MAX_BYTES >> 10}"),
        type="json",
        key=_FILE,
        on_change=_uploaded,
        max_upload_size=_MAX_MEGABYTES,
    )
    problems: tuple[LinkError, ...] = st.session_state.get(_PROBLEMS, ())
    if problems:
        st.error(words.refused(problems, _))
    elif st.session_state.pop(_TAKEN, False):
        st.success(_("The scenario of the file is open: every page shows it."))


def _uploaded() -> None:
    file = st.session_state.get(_FILE)
    if file is None:
        return
    known = cached.edition_facts()
    try:
        state.replace(read(file.getvalue(), known.accelerators, known.models))
        st.session_state[_PROBLEMS], st.session_state[_TAKEN] = (), True
    except ScenarioFileError as error:
        st.session_state[_PROBLEMS] = error.problems
