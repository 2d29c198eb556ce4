"""A small form for a model that no family describes: its parameters and its groups of layers."""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from lib.choice import own_layers
from lib.choice.own_layers import GROUP_COLUMNS
from lib.records import Architecture
from lib.sizing.families.stated import KINDS
from lib.ui import state

KEY: Final = "memory.layers"


def form(near: Architecture | None, take: Callable[[str], None]) -> None:
    """The form, filled with the model in view; its button hands what it says to `take`."""
    _ = state.text()
    fields = own_layers.as_fields(near) if near else {}
    groups = own_layers.as_groups(near) if near else [dict.fromkeys(GROUP_COLUMNS)]
    st.markdown(
        _(
            "State what the layers hold: the form starts from the model in view. Bytes per token are those of one layer with "
            "a 16-bit cache; the groups together cover every layer, those that keep nothing as kind none."
        )
    )
    labels = {
        "total_parameters_b": _("Parameters, billions"),
        "num_hidden_layers": _("Layers"),
        "hidden_size": _("Hidden size"),
        "intermediate_size": _("Intermediate size"),
        "num_attention_heads": _("Attention heads"),
        "num_key_value_heads": _("Key and value heads"),
        "vocab_size": _("Vocabulary"),
        "max_position_embeddings": _("Longest context, tokens"),
        "num_experts": _("Routed experts (0: none)"),
        "num_experts_per_tok": _("Experts per token"),
        "moe_intermediate_size": _("Width of an expert"),
        "routed_expert_parameters_b": _("Parameters of routed experts, billions"),
    }
    heads = {
        "kind": st.column_config.SelectboxColumn(_("Kind"), options=list(KINDS), required=True),
        "layers": st.column_config.NumberColumn(_("Layers"), min_value=1, step=1, required=True),
        "bytes_per_token": st.column_config.NumberColumn(_("Bytes per token"), min_value=0, step=1),
        "window": st.column_config.NumberColumn(_("Window, tokens"), min_value=1, step=1),
        "state_bytes": st.column_config.NumberColumn(_("State, bytes per sequence"), min_value=0, step=1),
        "max_tp_shards": st.column_config.NumberColumn(_("Parts at most (TP)"), min_value=1, step=1),
    }
    with st.form(KEY, border=False):
        values: dict[str, Any] = {}
        columns = st.columns(4)
        for place, (name, label) in enumerate(labels.items()):
            with columns[place % 4]:
                values[name] = _number(name, label, fields.get(name, 0))
        tied = st.checkbox(_("The head is the embedding (tied)"), value=bool(near and near.tied_embeddings))
        rows = st.data_editor(groups, column_config=heads, num_rows="dynamic", hide_index=True, key=f"{KEY}.groups")
        if st.form_submit_button(_("Size this model"), key=f"{KEY}.go"):
            take(own_layers.stated_config(values, rows, tied=tied))
            st.rerun()


def _number(name: str, label: str, value: float) -> float | int:
    if name.endswith("_b"):
        return st.number_input(label, min_value=0.0, value=float(value), step=0.01, format="%.6g", key=f"{KEY}.{name}")
    return st.number_input(label, min_value=0, value=int(value), step=1, key=f"{KEY}.{name}")
