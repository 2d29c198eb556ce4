"""Decoders of which most layers keep a state of fixed size instead of a cache: Qwen3.5, Nemotron 3, Kimi K3."""

from collections.abc import Mapping
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_COUNT, MAX_LAYERS, ConfigReader
from lib.sizing.families.latent import Latent
from lib.sizing.families.parts import (
    BYTES_AT_16_BIT,
    BYTES_AT_32_BIT,
    Anatomy,
    Experts,
    Family,
    Ledger,
    Shape,
)

_STATE_BYTES: Final = {"float32": BYTES_AT_32_BIT, "bfloat16": BYTES_AT_16_BIT, "float16": BYTES_AT_16_BIT}


def _qwen3_5(text: ConfigReader, tied: bool) -> Anatomy:
    """Qwen3.5 and 3.6, dense or with experts: three layers of gated delta net to one of full attention."""
    shape = Shape(text, head_dim=256)
    layers, hidden = shape.layers, shape.hidden_size
    every = text.integer("full_attention_interval", 4, high=MAX_LAYERS)
    kinds = text.layer_types(layers, {"full_attention": "full", "linear_attention": "state"})
    kinds = kinds or ["state" if (layer + 1) % every else "full" for layer in range(layers)]
    experts = _qwen_experts(text, layers) if text.has("num_experts") else Experts.all_dense(text, layers)
    key_heads = text.integer("linear_num_key_heads", high=MAX_COUNT)
    value_heads = text.integer("linear_num_value_heads", high=MAX_COUNT)
    key_dim = text.integer("linear_key_head_dim", high=MAX_COUNT)
    value_dim = text.integer("linear_value_head_dim", high=MAX_COUNT)
    kernel = text.integer("linear_conv_kernel_dim", 4, high=64)
    text.check_divides("linear_num_key_heads", key_heads, "linear_num_value_heads", value_heads)
    keys, values = key_heads * key_dim, value_heads * value_dim
    convolved = 2 * keys + values
    state = convolved * (kernel - 1) * BYTES_AT_16_BIT + value_heads * key_dim * value_dim * _state_bytes(
        text, "mamba_ssm_dtype"
    )
    gated = text.flag("attn_output_gate", True)
    ledger = Ledger(layers, hidden)

    def enter(layer: int, kind: str) -> None:
        if kind == "full":
            ledger.grouped_query_attention(
                layer, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim, output_gate=gated
            )
            ledger.norm(2 * shape.head_dim, layer)
        else:
            ledger.add("attention_linear", hidden * (convolved + values) + values * hidden, layer, max_shards=key_heads)
            ledger.bias(
                "attention_linear_gates", hidden * 2 * value_heads + 2 * value_heads + convolved * kernel, layer
            )
            ledger.norm(value_dim, layer)
        ledger.norm(2 * hidden, layer)
        experts.enter(ledger, layer)

    for layer, kind in enumerate(kinds):
        enter(layer, kind)
        if kind == "full":
            ledger.key_value_cache(kv_heads=shape.kv_heads, head_dim=shape.head_dim)
        else:
            ledger.cache("state", 0, state=state, shards=key_heads)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    ledger.prefix = "mtp_"
    drafts = text.integer("mtp_num_hidden_layers", 0, low=0, high=layers)
    for layer in range(drafts):
        enter(layer, "full")
    if drafts:
        ledger.draft_frame(vocab, own_embedding=text.flag("mtp_use_dedicated_embeddings", False))
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, experts)


def _qwen_experts(text: ConfigReader, layers: int) -> Experts:
    count, top_k = text.expert_counts("num_experts")
    shared_width = text.integer("shared_expert_intermediate_size")
    return Experts(
        (True,) * layers, 0, count, top_k, text.integer("moe_intermediate_size"),
        shared=1, shared_width=shared_width, shared_gate=True,
    )  # fmt: skip


def _nemotron_h(text: ConfigReader, tied: bool) -> Anatomy:
    """Nemotron 3: layers that are Mamba-2, attention, experts or dense, one of these each."""
    pattern = _nemotron_pattern(text)
    layers = len(pattern)
    hidden, heads = text.integer("hidden_size"), text.integer("num_attention_heads", high=MAX_COUNT)
    kv_heads = text.integer("num_key_value_heads", high=MAX_COUNT)
    text.check_divides("num_key_value_heads", kv_heads, "num_attention_heads", heads)
    head_dim = text.integer("head_dim", high=MAX_COUNT)
    mamba_heads = text.integer("mamba_num_heads", high=MAX_COUNT)
    inner = mamba_heads * text.integer("mamba_head_dim", high=MAX_COUNT)
    groups = text.integer("n_groups", high=MAX_COUNT)
    state_size = text.integer("ssm_state_size", high=MAX_COUNT)
    kernel = text.integer("conv_kernel", 4, high=64)
    text.check_divides("n_groups", groups, "mamba_num_heads", mamba_heads)
    for key in ("use_bias", "mamba_proj_bias", "mlp_bias", "attention_bias"):
        if text.flag(key, False):
            raise ConfigError("unknown-kind", key=text.where(key), value="true")
    convolved = inner + 2 * groups * state_size
    state = convolved * (kernel - 1) * BYTES_AT_16_BIT + inner * state_size * _state_bytes(
        text, "mamba_ssm_cache_dtype"
    )
    experts = _nemotron_experts(text, pattern)
    latent = text.integer("moe_latent_size", 0)
    ledger = Ledger(layers, hidden)

    def enter(layer: int, kind: str) -> None:
        ledger.norm(hidden, layer)
        if kind == "M":
            ledger.add("attention_linear", hidden * (inner + convolved + mamba_heads) + inner * hidden, layer)
            with_bias = kernel + (1 if text.flag("use_conv_bias", True) else 0)
            ledger.bias("attention_linear_gates", convolved * with_bias + 3 * mamba_heads, layer)
            ledger.norm(inner, layer)
        elif kind == "*":
            ledger.grouped_query_attention(layer, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
        elif kind == "E":
            ledger.routed_experts(
                layer,
                experts=experts.count,
                width=experts.width,
                matrices=2,
                expert_hidden_size=latent or hidden,
            )
            ledger.add("shared_experts_latent_replicated", 2 * hidden * latent, layer)
            ledger.add("shared_experts", 2 * hidden * experts.shared_width, layer)
        else:
            ledger.add("dense_mlp", 2 * hidden * experts.dense_width, layer)

    for layer, kind in enumerate(pattern):
        enter(layer, kind)
        if kind == "*":
            ledger.key_value_cache(kv_heads=kv_heads, head_dim=head_dim)
        elif kind == "M":
            ledger.cache("state", 0, state=state, shards=groups)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    ledger.prefix = "mtp_"
    drafts = text.integer("num_nextn_predict_layers", 0, low=0, high=64)
    for _ in range(drafts):
        for kind in _draft_pattern(text):
            enter(0, kind)
        ledger.draft_frame(vocab)
    width = latent or hidden if experts.count else None
    return Anatomy(ledger, heads, kv_heads, vocab, text.context(), tied, experts, width)


_NEMOTRON_WORDS: Final = {"mamba": "M", "attention": "*", "moe": "E", "mlp": "-"}


def _nemotron_pattern(text: ConfigReader) -> str:
    """One letter for each layer: M mamba, * attention, E experts, - dense."""
    if text.has("layers_block_type"):
        listed = text.listed("layers_block_type")
        words = text.words("layers_block_type", tuple(_NEMOTRON_WORDS), length=listed)
        pattern = "".join(_NEMOTRON_WORDS[word] for word in words)
    else:
        pattern = _letters(text, "hybrid_override_pattern")
    stated = text.integer("num_hidden_layers", len(pattern), high=MAX_LAYERS)
    if stated != len(pattern):
        raise ConfigError(
            "wrong-pattern-length", key=text.where("num_hidden_layers"), value=stated, layers=len(pattern)
        )
    return pattern


def _draft_pattern(text: ConfigReader) -> str:
    if text.has("mtp_layers_block_type"):
        listed = text.listed("mtp_layers_block_type")
        words = text.words("mtp_layers_block_type", tuple(_NEMOTRON_WORDS), length=listed)
        return "".join(_NEMOTRON_WORDS[word] for word in words)
    return _letters(text, "mtp_hybrid_override_pattern")


def _letters(text: ConfigReader, key: str) -> str:
    pattern = text.text(key, longest=MAX_LAYERS)
    if not pattern or set(pattern) - set(_NEMOTRON_WORDS.values()):
        raise ConfigError("wrong-letters", key=text.where(key), letters=", ".join(_NEMOTRON_WORDS.values()))
    return pattern


def _nemotron_experts(text: ConfigReader, pattern: str) -> Experts:
    sparse = tuple(kind == "E" for kind in pattern)
    width = text.integer("intermediate_size", 0 if "-" not in pattern else None)
    if not any(sparse):
        return Experts(sparse, width)
    count, top_k = text.expert_counts("n_routed_experts")
    shared = text.integer("n_shared_experts", 1, low=0, high=MAX_COUNT)
    shared_width = shared * text.integer("moe_shared_expert_intermediate_size")
    return Experts(sparse, width, count, top_k, text.integer("moe_intermediate_size"), shared, shared_width)


def _kimi_linear(text: ConfigReader, tied: bool) -> Anatomy:
    """Kimi K3 and Kimi Linear: delta attention with a state, latent attention in between, experts of latent width."""
    layers, hidden = text.integer("num_hidden_layers", high=MAX_LAYERS), text.integer("hidden_size")
    latent = Latent.read(text)
    linear = text.section("linear_attn_config")
    if linear is None:
        raise ConfigError("missing", key=text.where("linear_attn_config"))
    full = set(linear.integers("full_attn_layers", low=1, high=layers))
    recurrent = set(linear.integers("kda_layers", low=1, high=layers))
    if full & recurrent or full | recurrent != set(range(1, layers + 1)):
        raise ConfigError("not-each-once", key=linear.where("full_attn_layers"), other="kda_layers", layers=layers)
    heads, head_dim = linear.integer("num_heads", high=MAX_COUNT), linear.integer("head_dim", high=MAX_COUNT)
    kernel = linear.integer("short_conv_kernel_size", 4, high=64)
    inner = heads * head_dim
    count, top_k = text.expert_counts("num_experts", "num_experts_per_token")
    dense = text.integer("first_k_dense_replace", low=0, high=MAX_LAYERS)
    every = text.integer("moe_layer_freq", 1, high=MAX_LAYERS)
    shared = text.stated_integer("num_shared_experts", high=MAX_COUNT)
    width = text.integer("moe_intermediate_size")
    sparse = tuple(layer >= dense and layer % every == 0 for layer in range(layers))
    experts = Experts(sparse, text.integer("intermediate_size"), count, top_k, width, shared, shared * width)
    expert_hidden = text.integer("routed_expert_hidden_size", 0)
    ledger = Ledger(layers, hidden)
    full_rank_gate = linear.flag("use_full_rank_gate", False)
    output_gate = text.flag("mla_use_output_gate", False)
    residual_blocks = text.integer("attn_res_block_size", 0)
    state = 3 * inner * (kernel - 1) * BYTES_AT_16_BIT + heads * head_dim * head_dim * BYTES_AT_32_BIT
    for layer in range(layers):
        if layer + 1 in full:
            latent.enter(ledger, layer, output_gate=output_gate)
            latent.cache(ledger)
        else:
            gate = hidden * inner if full_rank_gate else hidden * head_dim + head_dim * inner
            ledger.add("attention_linear", 4 * hidden * inner + gate, layer, max_shards=heads)
            ledger.bias(
                "attention_linear_gates",
                3 * inner * kernel + hidden * head_dim + head_dim * inner + inner + heads + hidden * heads,
                layer,
            )
            ledger.norm(head_dim, layer)
            ledger.cache("state", 0, state=state, shards=heads)
        ledger.norm(2 * hidden + (4 * hidden if residual_blocks else 0), layer)
        if not sparse[layer]:
            ledger.gated_mlp(layer, experts.dense_width)
            continue
        ledger.routed_experts(layer, experts=count, width=width, expert_hidden_size=expert_hidden or hidden)
        ledger.gated_mlp(layer, experts.shared_width, name="shared_experts")
        ledger.add("shared_experts_latent_replicated", 2 * hidden * expert_hidden, layer)
        if expert_hidden and text.flag("latent_moe_use_norm", False):
            ledger.norm(expert_hidden, layer)
    ledger.norm(hidden + (2 * hidden if residual_blocks else 0))
    vocab = ledger.vocabulary(text, tied=tied)
    return Anatomy(ledger, latent.heads, 1, vocab, text.context(), tied, experts, expert_hidden or hidden)


def _state_bytes(text: ConfigReader, key: str) -> int:
    """Bytes per value of the recurrent state; the config must say, because engines and classes differ."""
    word = text.text(key)
    if word not in _STATE_BYTES:
        raise text.unknown_word(key, word, _STATE_BYTES)
    return _STATE_BYTES[word]


FAMILIES: Final[Mapping[str, Family]] = {
    "kimi_linear": Family(_kimi_linear),
    "nemotron_h": Family(_nemotron_h),
    "qwen3_5_text": Family(_qwen3_5),
    "qwen3_5_moe_text": Family(_qwen3_5),
}
"""Families of this file by model_type."""
