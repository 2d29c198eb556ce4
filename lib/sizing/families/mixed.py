"""Decoders whose layers differ among themselves: windows beside full attention, other heads, other experts."""

from collections.abc import Mapping
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_CONTEXT, MAX_COUNT, MAX_LAYERS, ConfigReader
from lib.sizing.families.parts import (
    BYTES_AT_16_BIT,
    Anatomy,
    Experts,
    Family,
    Ledger,
    Shape,
)

_ATTENTION = {"full_attention": "full", "sliding_attention": "window"}


def _gpt_oss(text: ConfigReader, tied: bool) -> Anatomy:
    """gpt-oss: biases and attention sinks throughout, every other layer a window from the first one on."""
    shape = Shape(text, head_dim=64, kv_heads=8)
    count, top_k = text.expert_counts("num_local_experts", top_k=4)
    width, hidden = text.integer("intermediate_size"), shape.hidden_size
    kinds = text.layer_types(shape.layers, _ATTENTION)
    kinds = kinds or ["full" if layer % 2 else "window" for layer in range(shape.layers)]
    window = text.integer("sliding_window", 128, high=MAX_CONTEXT)
    ledger = Ledger(shape.layers, hidden)
    biased = text.flag("attention_bias", True)
    for layer, kind in enumerate(kinds):
        ledger.grouped_query_attention(layer, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim,
            qkv_bias=biased, output_bias=biased,
        )  # fmt: skip
        ledger.bias("attention_sinks", shape.heads, layer)
        ledger.norm(2 * hidden, layer)
        ledger.routed_experts(layer, experts=count, width=width)
        ledger.bias("router_bias", count, layer)
        ledger.bias("routed_experts_bias", count * (2 * width + hidden), layer)
        ledger.key_value_cache(
            kv_heads=shape.kv_heads, head_dim=shape.head_dim, window=window if kind == "window" else None
        )
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    experts = Experts((True,) * shape.layers, 0, count, top_k, width)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _llama4(text: ConfigReader, tied: bool) -> Anatomy:
    """Llama 4: three chunked layers to one full, one shared expert beside the routed ones."""
    shape = Shape(text, head_dim=128, kv_heads=8)
    layers = shape.layers
    count, top_k = text.expert_counts("num_local_experts", top_k=1)
    width = text.integer("intermediate_size")
    step = text.integer("interleave_moe_layer_step", 1, high=MAX_LAYERS)
    sparse_at = (
        set(text.integers("moe_layers", high=MAX_LAYERS))
        if text.has("moe_layers")
        else set(range(step - 1, layers, step))
    )
    sparse = tuple(layer in sparse_at for layer in range(layers))
    experts = Experts(
        sparse, text.integer("intermediate_size_mlp", 0 if all(sparse) else None), count, top_k, width,
        shared=1, shared_width=width,
    )  # fmt: skip
    interval = text.integer("no_rope_layer_interval", 4, high=MAX_LAYERS)
    if text.has("no_rope_layers") and text.integers("no_rope_layers", high=1):
        rotary = text.integers("no_rope_layers", length=layers, high=1)
    else:
        rotary = [int((layer + 1) % interval != 0) for layer in range(layers)]
    kinds = text.layer_types(layers, {"full_attention": "full", "chunked_attention": "window"})
    kinds = kinds or ["window" if turned else "full" for turned in rotary]
    chunk = text.integer("attention_chunk_size", 8192, high=MAX_CONTEXT)
    ledger = Ledger(layers, shape.hidden_size)
    biased = text.flag("attention_bias", False)
    for layer, kind in enumerate(kinds):
        ledger.grouped_query_attention(layer, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim,
            qkv_bias=biased, output_bias=biased,
        )  # fmt: skip
        ledger.norm(2 * shape.hidden_size, layer)
        experts.enter(ledger, layer)
        ledger.key_value_cache(
            kv_heads=shape.kv_heads, head_dim=shape.head_dim, window=chunk if kind == "window" else None
        )
    ledger.norm(shape.hidden_size)
    vocab = ledger.vocabulary(text, tied=tied)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _gemma4(text: ConfigReader, tied: bool) -> Anatomy:
    """Gemma 4: wider heads in full layers, keys and values from one projection there, experts beside the dense part."""
    shape = Shape(text)
    for key in ("hidden_size_per_layer_input", "num_kv_shared_layers"):
        if text.integer(key, 0, low=0):
            raise ConfigError("unknown-kind", key=text.where(key), value=text.integer(key))
    hidden, layers = shape.hidden_size, shape.layers
    kinds = text.layer_types(layers, _ATTENTION)
    if kinds is None:
        raise ConfigError("missing", key=text.where("layer_types"))
    window = text.integer("sliding_window", high=MAX_CONTEXT)
    shared_kv = text.flag("attention_k_eq_v", False)
    wide_dim = text.integer("global_head_dim", high=MAX_COUNT)
    wide_kv_heads = (
        text.integer("num_global_key_value_heads", shape.kv_heads, high=MAX_COUNT) if shared_kv else shape.kv_heads
    )
    mixture = text.flag("enable_moe_block", False)
    count, top_k = text.expert_counts("num_experts", "top_k_experts") if mixture else (0, 0)
    expert_width = text.integer("moe_intermediate_size") if mixture else 0
    width = text.integer("intermediate_size")
    ledger = Ledger(layers, hidden)
    for layer, kind in enumerate(kinds):
        full = kind == "full"
        head_dim = wide_dim if full else shape.head_dim
        kv_heads = wide_kv_heads if full else shape.kv_heads
        ledger.grouped_query_attention(
            layer, heads=shape.heads, kv_heads=kv_heads, head_dim=head_dim, shared_kv=shared_kv and full
        )
        ledger.norm(2 * head_dim + (7 if mixture else 4) * hidden, layer)
        ledger.gated_mlp(layer, width)
        if mixture:
            ledger.routed_experts(layer, experts=count, width=expert_width)
            ledger.bias("router_scale", hidden + count, layer)
        ledger.key_value_cache(kv_heads=kv_heads, head_dim=head_dim, window=None if full else window)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    experts = Experts((mixture,) * layers, width, count, top_k, expert_width, shared=int(mixture))
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _mimo_v2(text: ConfigReader, tied: bool) -> Anatomy:
    """MiMo-V2: windows with their own heads and sinks, values narrower than keys. Draft layers are not counted."""
    shape = Shape(text)
    layers, hidden = shape.layers, shape.hidden_size
    v_dim = text.integer("v_head_dim", shape.head_dim, high=MAX_COUNT)
    near = {
        "heads": text.integer("swa_num_attention_heads", shape.heads, high=MAX_COUNT),
        "kv_heads": text.integer("swa_num_key_value_heads", shape.kv_heads, high=MAX_COUNT),
        "head_dim": text.integer("swa_head_dim", shape.head_dim, high=MAX_COUNT),
        "v_head_dim": text.integer("swa_v_head_dim", v_dim, high=MAX_COUNT),
    }
    far = {"heads": shape.heads, "kv_heads": shape.kv_heads, "head_dim": shape.head_dim, "v_head_dim": v_dim}
    windowed = text.integers("hybrid_layer_pattern", length=layers, high=1)
    window = text.integer("sliding_window", high=MAX_CONTEXT)
    sinks = {
        1: text.flag("add_swa_attention_sink_bias", False),
        0: text.flag("add_full_attention_sink_bias", False),
    }
    experts = _experts_by_frequency(text, layers, "n_routed_experts", dense_key="intermediate_size")
    ledger = Ledger(layers, hidden)
    biased = text.flag("attention_bias", False)
    for layer, near_by in enumerate(windowed):
        heads = near if near_by else far
        ledger.grouped_query_attention(
            layer,
            heads=heads["heads"],
            kv_heads=heads["kv_heads"],
            head_dim=heads["head_dim"],
            v_head_dim=heads["v_head_dim"],
            qkv_bias=biased,
        )
        if sinks[near_by]:
            ledger.bias("attention_sinks", heads["heads"], layer)
        ledger.norm(2 * hidden, layer)
        experts.enter(ledger, layer)
        ledger.key_value_cache(kv_heads=heads["kv_heads"], head_dim=heads["head_dim"], v_head_dim=heads["v_head_dim"],
            window=window if near_by else None,
        )  # fmt: skip
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _minimax_m3(text: ConfigReader, tied: bool) -> Anatomy:
    """MiniMax-M3: block-sparse attention chosen by an indexer in most layers; all keys and values are stored."""
    shape = Shape(text)
    layers, hidden = shape.layers, shape.hidden_size
    sparse = text.section("sparse_attention_config")
    if sparse is None:
        raise ConfigError("missing", key=text.where("sparse_attention_config"))
    indexed = sparse.integers("sparse_attention_freq", length=layers, high=1)
    index_heads = sparse.integer("sparse_num_index_heads", high=MAX_COUNT)
    index_dim = sparse.integer("sparse_index_dim", high=MAX_COUNT)
    without_value = sparse.integers("sparse_disable_index_value", length=layers, high=1)
    if any(chosen and not without for chosen, without in zip(indexed, without_value, strict=True)):
        raise ConfigError("unknown-kind", key=sparse.where("sparse_disable_index_value"), value="0")
    experts = _experts_by_frequency(text, layers, "num_local_experts", dense_key="dense_intermediate_size")
    ledger = Ledger(layers, hidden)
    norm_width = 2 * shape.head_dim if text.flag("use_qk_norm", True) else 0
    gated = text.flag("attention_output_gate", False)
    for layer, has_index in enumerate(indexed):
        ledger.grouped_query_attention(
            layer, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim, output_gate=gated
        )
        ledger.norm(norm_width + 2 * hidden, layer)
        experts.enter(ledger, layer)
        ledger.key_value_cache(kv_heads=shape.kv_heads, head_dim=shape.head_dim)
        if has_index:
            ledger.add("attention_index", hidden * index_heads * index_dim, layer)
            ledger.add("attention_index_replicated", hidden * index_dim, layer)
            ledger.norm(2 * index_dim, layer)
            ledger.cache("indexer", index_dim * BYTES_AT_16_BIT)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _step3p5(text: ConfigReader, tied: bool) -> Anatomy:
    """Step 3.5 and 3.7: more query heads in window layers, a gate per head."""
    shape = Shape(text, kv_heads=text.integer("num_attention_groups", 8, high=MAX_COUNT))
    layers, hidden = shape.layers, shape.hidden_size
    kinds = text.layer_types(layers, _ATTENTION)
    if kinds is None:
        raise ConfigError("missing", key=text.where("layer_types"))
    window = text.integer("sliding_window", high=MAX_CONTEXT)
    near_heads = text.integer("num_sliding_attention_heads", shape.heads, high=MAX_COUNT)
    feed = text.words("mlp_layer_types", ("dense", "sparse"), length=layers)
    count, top_k = text.expert_counts("n_routed_experts")
    experts = Experts(
        tuple(kind == "sparse" for kind in feed), text.integer("intermediate_size"), count, top_k,
        text.integer("moe_intermediate_size"), shared=1, shared_width=text.integer("share_expert_dim"),
    )  # fmt: skip
    ledger = Ledger(layers, hidden)

    def enter(layer: int, kind: str, sparse: bool) -> None:
        heads = near_heads if kind == "window" else shape.heads
        ledger.grouped_query_attention(layer, heads=heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim)
        ledger.bias("attention_gate", hidden * heads, layer)
        ledger.norm(2 * shape.head_dim + 2 * hidden, layer)
        experts.enter(ledger, layer, sparse=sparse)

    for layer, kind in enumerate(kinds):
        enter(layer, kind, experts.sparse[layer])
        ledger.key_value_cache(
            kv_heads=shape.kv_heads, head_dim=shape.head_dim, window=window if kind == "window" else None
        )
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    ledger.prefix = "mtp_"
    stated_by = text if text.parent is None or text.has("num_nextn_predict_layers") else text.parent
    for _ in range(stated_by.integer("num_nextn_predict_layers", 0, low=0, high=MAX_COUNT)):
        enter(0, "window", sparse=False)
        ledger.draft_frame(vocab, own_head=True)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _experts_by_frequency(text: ConfigReader, layers: int, count_key: str, *, dense_key: str) -> Experts:
    """Experts in the layers that moe_layer_freq marks with 1."""
    count, top_k = text.expert_counts(count_key)
    sparse = tuple(bool(mark) for mark in text.integers("moe_layer_freq", length=layers, high=1))
    width = text.integer("moe_intermediate_size", text.integer("intermediate_size"))
    shared = text.integer("n_shared_experts", 0, low=0, high=MAX_COUNT)
    shared_width = text.integer("shared_intermediate_size", width) * shared
    return Experts(sparse, text.integer(dense_key), count, top_k, width, shared, shared_width)


FAMILIES: Final[Mapping[str, Family]] = {
    "gemma4_text": Family(_gemma4, tied=True),
    "gpt_oss": Family(_gpt_oss),
    "llama4_text": Family(_llama4),
    "mimo_v2_flash": Family(_mimo_v2),
    "minimax_m3_text": Family(_minimax_m3),
    "step3p5": Family(_step3p5),
}
"""Families of this file by model_type."""
