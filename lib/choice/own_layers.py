"""A model whose layers the user states: the small form's fields as a config that sizing reads, and back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lib.records import Architecture
from lib.sizing.families.stated import KINDS, MODEL_TYPE

GROUP_COLUMNS: Final = ("kind", "layers", "bytes_per_token", "window", "state_bytes", "max_tp_shards")
"""What the form asks of each group of layers."""

BILLION: Final = 10**9


def stated_config(
    fields: Mapping[str, Any], groups: Sequence[Mapping[str, Any]], *, tied: bool, weights_dtype: str = "bfloat16"
) -> str:
    """The fields of the form as the text of a config that sizing reads.

    Parameters
    ----------
    fields : Mapping[str, Any]
        total_parameters_b [1e9], num_hidden_layers, hidden_size, intermediate_size, num_attention_heads,
        num_key_value_heads, vocab_size, max_position_embeddings, and for a mixture of experts num_experts,
        num_experts_per_tok, moe_intermediate_size, routed_expert_parameters_b [1e9]; blanks are left out.
    groups : sequence of Mapping
        Rows of the form, with GROUP_COLUMNS; rows without a kind are left out.
    tied : bool
        Whether the head is the embedding.
    weights_dtype : str
        Type of the published weights.

    Returns
    -------
    str
        JSON; whether it makes a model is for from_config to say.
    """
    config: dict[str, Any] = {"model_type": MODEL_TYPE, "tie_word_embeddings": tied, "torch_dtype": weights_dtype}
    for name, value in fields.items():
        if value in (None, "", 0):
            continue
        if name.endswith("_b"):
            config[name.removesuffix("_b")] = round(float(value) * BILLION)
        else:
            config[name] = int(value)
    config["layer_groups"] = [
        {column: _plain(row[column]) for column in GROUP_COLUMNS if _plain(row.get(column)) not in (None, "", 0)}
        for row in groups
        if _plain(row.get("kind")) in KINDS
    ]
    return json.dumps(config)


def _plain(value: Any) -> Any:
    """A cell of the form as JSON has it; None for a blank one, whatever kind of blank it is."""
    if value is None or value != value:  # NaN alone differs from itself
        return None
    return value if isinstance(value, str) else int(value)


def as_fields(architecture: Architecture) -> dict[str, float | int]:
    """The form filled with a model, so that a reader starts from something near.

    Parameters
    ----------
    architecture : Architecture
        Any model.

    Returns
    -------
    dict
        As stated_config reads them; the language model alone, without towers.
    """
    routed = sum(block.parameters for block in architecture.blocks if block.name == "routed_experts")
    return {
        "total_parameters_b": (architecture.total_parameters - architecture.vision_parameters) / BILLION,
        "num_hidden_layers": architecture.layers,
        "hidden_size": architecture.hidden_size,
        "intermediate_size": architecture.intermediate_size,
        "num_attention_heads": architecture.n_heads,
        "num_key_value_heads": architecture.n_kv_heads,
        "vocab_size": architecture.vocab,
        "max_position_embeddings": architecture.max_context,
        "num_experts": architecture.n_experts,
        "num_experts_per_tok": architecture.experts_per_token,
        "moe_intermediate_size": architecture.moe_intermediate_size if architecture.n_experts else 0,
        "routed_expert_parameters_b": routed / BILLION,
    }


def as_groups(architecture: Architecture) -> list[dict[str, Any]]:
    """The layer groups of a model as rows of the form.

    Parameters
    ----------
    architecture : Architecture
        Any model.

    Returns
    -------
    list of dict
        With GROUP_COLUMNS; layers that keep nothing are of kind none.
    """
    rows = [
        {
            "kind": group.kind,
            "layers": group.layers,
            "bytes_per_token": round(group.bytes_per_token_bf16),
            "window": group.window,
            "state_bytes": round(group.state_bytes_per_sequence),
            "max_tp_shards": group.max_tp_shards,
        }
        for group in architecture.groups
    ]
    idle = architecture.layers - sum(group.layers for group in architecture.groups)
    return [*rows, {**dict.fromkeys(GROUP_COLUMNS), "kind": "none", "layers": idle}] if idle > 0 else rows
