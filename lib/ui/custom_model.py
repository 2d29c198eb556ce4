"""A model that the catalogue does not have: its config.json uploaded or pasted, checked, and put into the scenario."""

from typing import Final

import streamlit as st
from pydantic import ValidationError

from lib.choice import custom_model, link
from lib.choice.scenario import changed
from lib.errors import ConfigError
from lib.present import problems, refusals
from lib.ui import cached, own_layers, show, state

OPEN: Final = "memory.custom"
NAME: Final = "memory.custom.name"
FILE: Final = "memory.custom.file"
TEXT: Final = "memory.custom.text"
_REFUSAL: Final = "memory_config_refusal"
_MAX_MEGABYTES: Final = 1


def expander() -> None:
    """The form, closed until it is wanted."""
    opened = show.details(state.text()("Size your own model from its config.json"), key=OPEN)
    if opened.open:
        with opened:
            form()


def form() -> None:
    """A config.json uploaded or pasted, or layers stated; a refusal stays visible until the next try."""
    _ = state.text()
    if refusal := st.session_state.get(_REFUSAL):
        st.error(_("This config.json was refused, and the model stays as it was: {reason}.", reason=refusal))
    st.markdown(
        _(
            "The config.json of a model on Hugging Face says everything that weights and cache depend on. The keys that "
            "sizing reads travel in the link; the file itself is not kept."
        )
    )
    st.text_input(_("Name of the model"), key=NAME, max_chars=custom_model.MAX_NAME_CHARACTERS)
    st.file_uploader(
        _("config.json (at most 256 KiB)"),
        type="json",
        key=FILE,
        on_change=_uploaded,
        max_upload_size=_MAX_MEGABYTES,
    )
    st.text_area(_("Or paste its text"), key=TEXT, height=140)
    st.button(_("Size this model"), key="memory.custom.go", on_click=_pasted)
    st.markdown(_("**Or state its layers, where no config.json is known**"))
    own_layers.form(cached.model_memory(state.scenario()).architecture, _take)


def _uploaded() -> None:
    file = st.session_state.get(FILE)
    if file is not None:
        _take(file.getvalue())


def _pasted() -> None:
    if text := st.session_state.get(TEXT):
        _take(text)


def _take(text: str | bytes) -> None:
    """Put the model into the scenario, or keep the reason why not."""
    scenario = state.scenario()
    here = ("workloads", scenario.workload_index)
    try:
        sized = custom_model.custom_workload(scenario.workload, text, st.session_state.get(NAME) or "")
        state.replace(changed(scenario, here, sized.model_dump()))
        st.session_state[_REFUSAL] = ""
    except ConfigError as error:
        st.session_state[_REFUSAL] = refusals.clause(error.why, state.text())
    except ValidationError as error:
        st.session_state[_REFUSAL] = problems.reason(link.field_error(error), state.text())
