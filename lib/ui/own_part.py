"""A part that the catalogue does not have: stated in a form, checked, and compared with the others on every page."""

from typing import Any, Final, get_args

import streamlit as st
from pydantic import ValidationError

from lib.choice import link, own_parts
from lib.choice.scenario import OwnPart
from lib.errors import InputError
from lib.present import problems
from lib.present.text import markdown_safe
from lib.ui import show, state

KEY: Final = "own_part"
_REFUSAL: Final = "own_part_refusal"


def expander() -> None:
    """The form, closed until it is wanted."""
    opened = show.details(state.text()("Add a part that the catalogue does not have"), key=f"{KEY}.open")
    if opened.open:
        with opened:
            form()


def form() -> None:
    """A part stated field by field; what was typed stays when it is refused."""
    _ = state.text()
    st.markdown(
        _(
            "State what the vendor states: dense peaks, and memory as a runtime reports it (less than the label). What you "
            "leave blank stays unknown. The part travels in the link, marked as your own."
        )
    )
    if refusal := st.session_state.get(_REFUSAL):
        st.error(refusal)
    with st.form(KEY, border=False):
        values = _fields()
        if st.form_submit_button(_("Compare this part"), key=f"{KEY}.go"):
            _take(values)
    if state.scenario().own_parts:
        st.button(_("Remove own parts"), key=f"{KEY}.remove", on_click=_remove, icon=":material/delete:")


def _fields() -> dict[str, Any]:
    _ = state.text()
    vendors = list(get_args(OwnPart.model_fields["vendor"].annotation))
    numbers = (
        ("memory_gib", _("Memory as reported, GiB")),
        ("memory_bandwidth_tbs", _("Memory bandwidth, TB/s")),
        ("fp16_bf16_dense_tflops", _("FP16/BF16 dense, TFLOPS")),
        ("fp8_dense_tflops", _("FP8 dense, TFLOPS")),
        ("fp4_dense_tflops", _("FP4 dense, TFLOPS")),
        ("interconnect_gbs", _("Scale-up link, GB/s both ways")),
        ("tdp_w", _("Power of the part, W")),
        ("server_power_kw", _("Power of a server at work, kW")),
        ("price_usd", _("Price of one, USD")),
    )
    helps = {
        "server_power_kw": _(
            "Blank: estimated from the power of the part. Where neither is stated, a purchase has no cost and no energy."
        )
    }
    values: dict[str, Any] = {}
    columns = st.columns(4)
    with columns[0]:
        values["name"] = st.text_input(_("Name of the part"), max_chars=30, key=f"{KEY}.name")
    with columns[1]:
        values["vendor"] = st.selectbox(
            _("Vendor"), vendors, index=len(vendors) - 1, key=f"{KEY}.vendor",
            format_func=lambda word: _("other") if word == "other" else word,
        )  # fmt: skip
    with columns[2]:
        values["gpus_per_node"] = st.number_input(
            _("GPUs in a server"), min_value=1, max_value=128, value=8, key=f"{KEY}.gpus"
        )
    for place, (name, label) in enumerate(numbers, start=3):
        with columns[place % 4]:
            values[name] = st.number_input(
                label, value=None, key=f"{KEY}.{name}", placeholder="–", help=helps.get(name)
            )
    return values


def _take(values: dict[str, Any]) -> None:
    """Put the part into the scenario, or say what is wrong with it."""
    _ = state.text()
    price = values.pop("price_usd")
    values["name"] = " ".join(values["name"].split())
    try:
        part = OwnPart(**values)
        state.replace(own_parts.add_part(state.scenario(), part, price))
        st.session_state[_REFUSAL] = ""
    except ValidationError as error:
        st.session_state[_REFUSAL] = problems.own_part(link.field_error(error, ("own_parts",)), _)
    except InputError as error:
        st.session_state[_REFUSAL] = _(
            "{name} was not added: {reason}.",
            name=markdown_safe(str(error.value)),
            reason=problems.no_room(error.field, _),
        )
    st.rerun()


def _remove() -> None:
    state.replace(own_parts.without_parts(state.scenario()))
