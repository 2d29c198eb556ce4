"""How a result is shown: the same order, the same elements and the same marks on every page."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from lib.present import edition_words, problems
from lib.present.text import UNKNOWN, markdown_safe
from lib.ui import cached, state
from lib.ui.headers import LANGUAGE_SCRIPTS

_CHART_CONFIG = {"displaylogo": False, "responsive": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}


def document_language() -> None:
    """Tell screen readers the language of the page, which Streamlit leaves at English."""
    st.html(f"<script>{LANGUAGE_SCRIPTS[state.scenario().language]}</script>", unsafe_allow_javascript=True)


def notices() -> None:
    """What is wrong with the link or the last edit, and whether the facts have moved on since the link was made."""
    _ = state.text()
    if problem := state.link_problem():
        st.error(problems.sentence(problem, _))
    since = cached.since_link(state.scenario())
    if since is not None:
        st.info(edition_words.notice(since, _))
        if since.is_recorded and not state.compares():
            st.page_link(
                page_file("compare"), label=_("What has changed since this link was made"), icon=":material/history:"
            )


def question(title: str, answer: str) -> None:
    """The page's question as its title, and the answer in one sentence of body type."""
    st.title(title, anchor=False)
    st.markdown(unbroken(answer))


def unbroken(text: str) -> str:
    """Words whose percentages stay on one line: "40" and "%" are read together."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def metrics(rows: Sequence[tuple[str, str, str]]) -> None:
    """Two to four numbers: label, value, help."""
    with st.container(horizontal=True):
        for label, value, explanation in rows:
            st.metric(label, value, help=explanation or None, border=True)


_BLANK = Figure(layout={"template": {}})


class _AsItStands(Figure):  # type: ignore[misc]
    """A figure that is sent as its dict stands: the tests check it, and not each redraw of each visitor again."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.__dict__.update(_BLANK.__dict__, _spec=spec)  # a figure's own making costs two milliseconds of validation

    def to_dict(self) -> dict[str, Any]:
        """The figure's own dict."""
        spec: dict[str, Any] = self._spec
        return spec


def chart(figure: Mapping[str, Any], alt: str, caption: str = "", key: str | None = None) -> None:
    """A figure with its finding in words for those who cannot see it, and its source and date below."""
    # Streamlit hands Plotly a copy of each figure right after the figure; without a revision both are drawn
    layout = {**figure["layout"], "datarevision": zlib.crc32(repr(figure["data"]).encode())}
    drawn = _AsItStands({**figure, "layout": layout})
    st.plotly_chart(drawn, config=_CHART_CONFIG, alt=alt, key=key, theme=None)
    if caption:
        st.caption(caption)


def details(label: str, key: str) -> ExpanderContainer:
    """A section that is closed until the reader opens it; ask its `.open` before filling it, so that a closed one is free."""
    return st.expander(label, key=key, on_change="rerun")


def table(
    frame: pd.DataFrame,
    *,
    columns: Mapping[str, Any] | None = None,
    file_name: str = "",
    height: int | Literal["auto", "stretch", "content"] = "auto",
    key: str | None = None,
) -> None:
    """A table whose first column stays in place, with its CSV beside it where a file name is given."""
    st.dataframe(
        frame,
        hide_index=True,
        column_config=dict(columns or {}),
        height=height,
        key=key,
        placeholder=state.text()(UNKNOWN),
    )
    if file_name:
        download_csv(frame, file_name, key=f"{key or file_name}.csv")


def plain_table(frame: pd.DataFrame, *, data: pd.DataFrame | None = None, file_name: str, key: str) -> None:
    """A few rows of words that are all in view, without the machinery of a grid, and their CSV.

    A grid tells those who cannot see it of a change 200 ms after it was drawn; words are there at once, and wrap.
    """
    shown = frame.map(lambda cell: markdown_safe(str(cell)))
    st.table(shown.rename(columns=markdown_safe), hide_index=True, border="horizontal")
    download_csv(frame if data is None else data, file_name, key=f"{key}.csv")


_FIRST_PX, _PLAIN_PX = 190, 130


def shaded_table(frame: pd.DataFrame, shaded: Sequence[str], legend: Sequence[tuple[str, str]], *, key: str) -> None:
    """A table whose cells in some columns are labels on the ground that the legend gives them; the first stays in place."""
    texts, colours = [text for text, _colour in legend], [colour for _text, colour in legend]
    # a column without a width is measured at each redraw
    settings: dict[str, Any] = {name: st.column_config.Column(width=_PLAIN_PX) for name in frame.columns}
    settings[frame.columns[0]] = st.column_config.Column(pinned=True, width=_FIRST_PX)
    for name in shaded:
        settings[name] = st.column_config.MultiselectColumn(options=texts, color=colours, width="small")
    st.dataframe(frame, hide_index=True, column_config=settings, key=key)


def number_columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Column settings that group thousands and pin the first column."""
    if frame.columns.empty:
        return {}
    first, *rest = frame.columns
    settings: dict[str, Any] = {first: st.column_config.Column(pinned=True)}
    for name in rest:
        if pd.api.types.is_numeric_dtype(frame[name]):
            settings[name] = st.column_config.NumberColumn(format="localized")
    return settings


def download_csv(frame: pd.DataFrame | Callable[[], pd.DataFrame], file_name: str, key: str, label: str = "") -> None:
    """A button that makes the CSV when it is pressed."""
    _ = state.text()
    st.download_button(
        label or _("Download CSV"),
        data=lambda: (
            problems.spreadsheet_safe(frame() if callable(frame) else frame).to_csv(index=False).encode("utf-8-sig")
        ),
        file_name=file_name,
        mime="text/csv",
        on_click="ignore",
        key=key,
        icon=":material/download:",
    )


def download_text(text: str, file_name: str, key: str) -> None:
    """A button that hands out a text file under its own name."""
    _ = state.text()
    st.download_button(
        _("Download {name}", name=file_name),
        data=text,
        file_name=file_name,
        mime="text/plain",
        on_click="ignore",
        key=key,
        icon=":material/download:",
    )


def page_file(name: str) -> str:
    """A page's file as navigation knows it: relative to the shell."""
    return f"../../pages/{name}.py"


def next_steps(links: Sequence[tuple[str, str]]) -> None:
    """Where to go on: page name and label."""
    with st.container(horizontal=True):
        for page, label in links:
            st.page_link(page_file(page), label=label, icon=":material/arrow_forward:")


def dark() -> bool:
    """Whether the visitor sees the dark theme."""
    return st.context.theme.type == "dark"


def footer() -> None:
    """Edition of the data and the promise about what is stored."""
    _ = state.text()
    edition = cached.facts().edition
    st.caption(
        _(
            "Data edition {edition}. Every number has a source: see Sources. Nothing you enter is stored on the server; "
            "the address bar holds the whole scenario.",
            edition=edition.label,
        )
    )
