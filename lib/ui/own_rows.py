"""The visitor's own measurements: a CSV read, held in the session, handed out again, taken out."""

from typing import Final

import pandas as pd
import streamlit as st

from lib.choice.own_rows import MAX_BYTES, OwnRowsError, read_own_rows
from lib.present import benchmark_tables, kit
from lib.ui import cached, measurements, show, state

_FILE: Final = "benchmarks.own.file"
_PROBLEMS: Final = "own_rows_problems"
_MAX_MEGABYTES: Final = 1


def mark() -> None:
    """That own rows are in what the page shows, on every section of it."""
    own = measurements.current().own
    if own is not None:
        st.caption(kit.taken(own, cached.facts(), state.text()))


def form() -> None:
    """Upload, what was wrong with the last file, the rows held now."""
    _ = state.text()
    st.file_uploader(
        _("Filled-in CSV (at most {size} KiB)", size=f"{MAX_BYTES >> 10}"),
        type="csv",
        key=_FILE,
        on_change=_uploaded,
        max_upload_size=_MAX_MEGABYTES,
        help=_("One row is one metric at one load, in the columns of the template."),
    )
    st.caption(kit.privacy(_))
    if problems := st.session_state.get(_PROBLEMS):
        st.error(kit.refused(problems, _))
        show.table(kit.problem_table(problems, _), key="benchmarks.own.problems")
    own = measurements.current().own
    if own is None:
        return
    fields = benchmark_tables.SERVING_FIELDS
    labelled = benchmark_tables.rows(cached.facts(), "serving", own.frame, fields, _)
    show.table(labelled, columns=show.number_columns(labelled), key="benchmarks.own.rows")
    with st.container(horizontal=True):
        show.download_csv(_again, "own-measurements.csv", key="benchmarks.own.csv")
        st.button(_("Take my rows out"), key="benchmarks.own.out", on_click=_taken_out, icon=":material/delete:")


def _again() -> pd.DataFrame:
    """The rows held, in the columns in which they can be read again."""
    own = measurements.current().own
    return pd.DataFrame() if own is None else own.as_csv()


def _uploaded() -> None:
    file = st.session_state.get(_FILE)
    if file is None:
        return
    try:
        measurements.take(read_own_rows(cached.facts(), file.getvalue()))
        st.session_state[_PROBLEMS] = ()
    except OwnRowsError as error:
        st.session_state[_PROBLEMS] = error.problems


def _taken_out() -> None:
    measurements.take(None)
    st.session_state[_PROBLEMS] = ()
