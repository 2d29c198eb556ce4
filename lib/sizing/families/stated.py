"""Models that no family describes: layer groups and parameters as their user states them, in the form of a config.json.

`model_type` is "stated_layers"; the other keys are the field's own, and `layer_groups` lists what layers keep:
kind, layers, bytes_per_token at 16 bit (bytes_per_token_fp8 where it is not half), window, state_bytes, max_tp_shards.
"""

from collections.abc import Mapping
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_COUNT, MAX_LAYERS, ConfigReader
from lib.sizing.families.parts import Anatomy, Experts, Family, Ledger

MODEL_TYPE: Final = "stated_layers"

KINDS: Final = ("full", "window", "mla", "compressed", "indexer", "state", "none")
"""Kinds of layer groups that may be stated."""

_BESIDE: Final = ("indexer", "compressed")
"""What layers keep beside something else."""

MAX_PARAMETERS: Final = 10**14
MAX_BYTES: Final = 1 << 30
MAX_GROUPS: Final = 12


def _stated(text: ConfigReader, tied: bool) -> Anatomy:
    """Parameters spread evenly over the layers; caches as they are stated."""
    layers, hidden = text.integer("num_hidden_layers", high=MAX_LAYERS), text.integer("hidden_size")
    heads = text.integer("num_attention_heads", high=MAX_COUNT)
    kv_heads = text.integer("num_key_value_heads", heads, high=MAX_COUNT)
    count = text.integer("num_experts", 0, low=0, high=MAX_COUNT)
    top_k = text.integer("num_experts_per_tok", low=1, high=count) if count else 0
    width = text.integer("moe_intermediate_size") if count else 0
    dense = text.integer("intermediate_size", 0 if count else None, low=0)
    ledger = Ledger(layers, hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    total = text.integer("total_parameters", high=MAX_PARAMETERS)
    routed = text.integer("routed_expert_parameters", high=total) if count else 0
    rest = total - routed - sum(block.parameters for block in ledger.blocks())
    if rest < 0:
        raise ConfigError("too-few-parameters", key=text.where("total_parameters"), value=f"{total:,}")
    for layer, (own, experts) in enumerate(zip(_shares(rest, layers), _shares(routed, layers), strict=True)):
        ledger.add("attention" if count else "dense_mlp", own, layer)
        ledger.add("routed_experts", experts, layer)
    covered = _enter_groups(text, ledger)
    if covered < layers:
        raise ConfigError("groups-cover", covered=covered, layers=layers)
    context = text.context()
    found = Experts((count > 0,) * layers, dense, count, top_k, width)
    return Anatomy(ledger, heads, kv_heads, vocab, context, tied, found)


def _shares(total: int, layers: int) -> list[int]:
    even, left_over = divmod(total, layers)
    return [even + (layer < left_over) for layer in range(layers)]


def _enter_groups(text: ConfigReader, ledger: Ledger) -> int:
    """Enter what each group keeps; the layers covered, where a layer may keep things of several kinds."""
    entries = text.listed("layer_groups")
    if entries > MAX_GROUPS:
        raise ConfigError("too-many-groups", key=text.where("layer_groups"), entries=entries, most=MAX_GROUPS)
    covered = 0
    for group in text.sections("layer_groups", length=entries):
        kind = group.text("kind")
        if kind not in KINDS:
            raise group.unknown_word("kind", kind, KINDS)
        count = group.integer("layers", high=ledger.layers)
        per_token = group.integer("bytes_per_token", 0, low=0, high=MAX_BYTES)
        narrow = (
            group.integer("bytes_per_token_fp8", low=0, high=MAX_BYTES) if group.has("bytes_per_token_fp8") else None
        )
        window = group.integer("window", high=MAX_BYTES) if kind == "window" else None
        state = group.integer("state_bytes", 0, low=0, high=MAX_BYTES)
        shards = group.integer("max_tp_shards", 1, high=MAX_COUNT)
        if kind not in ("none", "state") and not per_token:
            raise ConfigError("missing", key=group.where("bytes_per_token"))
        if kind == "state" and not state:
            raise ConfigError("missing", key=group.where("state_bytes"))
        for _layer in range(count):
            ledger.cache(kind, per_token, narrow, shards=shards, window=window, state=state)
        covered += 0 if kind in _BESIDE else count
    return covered


FAMILIES: Final[Mapping[str, Family]] = {MODEL_TYPE: Family(_stated)}
"""Families of this file by model_type."""
