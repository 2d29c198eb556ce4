"""The other scenario of a comparison: a preset from a list, or a link that somebody sent."""

from typing import Any, Final

import streamlit as st

from lib.choice import link
from lib.choice.link import LinkError
from lib.choice.scenario import Scenario
from lib.choice.scenario_inputs import suggested
from lib.present import problems, start
from lib.present.text import markdown_safe
from lib.ui import cached, state

_PRESET: Final = "compare.preset"
_LINK: Final = "compare.link"
_SHOWN: Final = "compare.shown"
_PROBLEM: Final = "compare.problem"
_PASTED: Final = ""


def controls() -> tuple[Scenario, str]:
    """Where the other scenario is chosen; it and what it is called, as Markdown."""
    _ = state.text()
    scenario, preset, problem = _chosen()
    store: Any = st.session_state
    known = list(cached.edition_facts().presets)
    shown = state.other() or preset
    if _PRESET not in store or store[_SHOWN] != shown:  # first shown, Back, Forward, another link or suggestion
        store[_PRESET], store[_LINK], store[_PROBLEM], store[_SHOWN] = preset, "", problem, shown
    titles = {_PASTED: _("a pasted link"), **{one: _title(one) for one in known}}
    left, right = st.columns([2, 3])
    with left:
        st.selectbox(
            _("Compare with"), [*known, *([] if preset else [_PASTED])], key=_PRESET, on_change=_preset_chosen,
            format_func=titles.__getitem__,
        )  # fmt: skip
    with right:
        st.text_input(
            _("or paste a link, a token or a preset's name"), key=_LINK, on_change=_link_pasted, max_chars=16_000,
            placeholder="https://…/cost?s=…",
        )  # fmt: skip
    problem = store[_PROBLEM]
    if problem is not None and not store[_LINK].strip():
        st.error(
            _(
                "This link names no second scenario that can be read: {reason}. A preset stands in its place; choose another.",
                reason=problems.reason(problem, _),
            )
        )
    elif problem is not None:
        st.error(
            _(
                "This link could not be read: {reason}. What you typed is kept, and the comparison stays as it was.",
                reason=problems.reason(problem, _),
            )
        )
    return scenario, _name(scenario, preset)


def _chosen() -> tuple[Scenario, str, LinkError | None]:
    """The scenario that the address names, else the one suggested; its preset, blank for a token; what was wrong."""
    named, problem = state.other(), None
    presets = cached.edition_facts().presets
    if named:
        try:
            kind, what = link.asked_for(named, presets)
            return state.opened(kind, what), what if kind == "preset" else _PASTED, None
        except LinkError as error:
            problem = error
    language = state.scenario().language
    preset = suggested(state.scenario(), {one: cached.preset(one, language) for one in presets})
    return cached.preset(preset, language), preset, problem


def _preset_chosen() -> None:
    store: Any = st.session_state
    if store[_PRESET]:
        _take(store[_PRESET], store[_PRESET])
        store[_LINK] = ""


def _link_pasted() -> None:
    """What was pasted is opened before it is taken over, so that a damaged link changes nothing."""
    store: Any = st.session_state
    if not store[_LINK].strip():
        store[_PROBLEM] = _chosen()[2]
        return
    try:
        kind, named = link.asked_for(store[_LINK], cached.edition_facts().presets)
        state.opened(kind, named)
    except LinkError as problem:
        store[_PROBLEM] = problem
        return
    _take(named, named if kind == "preset" else _PASTED)


def _take(named: str, preset: str) -> None:
    store: Any = st.session_state
    store[_PRESET], store[_PROBLEM], store[_SHOWN] = preset, None, named
    state.compare_with(named)


def _title(preset_id: str) -> str:
    preset = cached.edition_facts().presets[preset_id]
    return state.text().pick(preset["title_en"], preset["title_zh"])


def _name(scenario: Scenario, preset: str) -> str:
    _ = state.text()
    if preset:
        return _("the preset “{title}”", title=markdown_safe(_title(preset)))
    title = start.scenario_name(cached.edition_facts(), scenario, _)
    return _("the pasted scenario “{title}”", title=title)
