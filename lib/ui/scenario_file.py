"""The whole scenario as a file: taken away, and brought back."""

from typing import Final

import streamlit as st

from lib.choice import own_parts
from lib.choice.own_rows import OwnRowsError
from lib.choice.scenario_file import MAX_BYTES, ScenarioFileError, read, read_rows, written
from lib.present import scenario_file as words
from lib.ui import cached, measurements, state

_FILE: Final = "scenario.file"
_PROBLEM: Final = "scenario_file_problem"
_TAKEN: Final = "scenario_file_taken"
_MAX_MEGABYTES: Final = 1


def section() -> None:
    """Both ways, where the scenario is, and what was wrong with the last file."""
    _ = state.text()
    scenario, facts, own = state.scenario(), cached.facts(), measurements.current().own
    st.markdown(words.note(_))
    st.download_button(
        _("Save the scenario (JSON)"),
        data=lambda: written(scenario, facts.edition.label, own).encode(),
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
    problem: ScenarioFileError | OwnRowsError | None = st.session_state.get(_PROBLEM)
    if isinstance(problem, ScenarioFileError):
        st.error(words.refused(problem.problems, _))
    elif problem is not None:
        st.error(words.rows_refused(problem.problems, _))
    elif taken := st.session_state.pop(_TAKEN, None):
        rows, held = taken
        st.success(words.taken(rows, held, _))


def _uploaded() -> None:
    file = st.session_state.get(_FILE)
    if file is None:
        return
    known, content = cached.edition_facts(), file.getvalue()
    try:
        scenario = read(content, known.accelerators, known.models)
        rows = read_rows(content, own_parts.with_own_parts(known, scenario.own_parts))
    except (ScenarioFileError, OwnRowsError) as error:
        st.session_state[_PROBLEM] = error
        return
    held = measurements.current().own is not None
    state.replace(scenario)
    if rows is not None:
        measurements.take(rows)
    st.session_state[_PROBLEM], st.session_state[_TAKEN] = None, (rows, held)
