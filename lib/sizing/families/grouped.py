"""Decoders with key and value heads in each layer: Llama and what was built after it."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_CONTEXT, MAX_COUNT, MAX_LAYERS, MAX_VOCAB, ConfigReader
from lib.sizing.families.parts import (
    Anatomy,
    Experts,
    Family,
    Ledger,
    Shape,
)

Windows = list[int | None]
"""For each layer the tokens that it holds at most; None for all."""

_LAYER_TYPES = {"full_attention": "full", "sliding_attention": "window", "chunked_attention": "window"}


def _decoder(
    text: ConfigReader,
    tied: bool,
    *,
    windows: Callable[[ConfigReader, int], Windows] | None = None,
    experts: Callable[[ConfigReader, int], Experts] = Experts.all_dense,
    head_dim: int | None = None,
    kv_heads: int | None = None,
    qkv_bias: bool | None = None,
    output_bias: bool = False,
    qk_norm: Literal["none", "head", "layer"] = "none",
    norms: int = 2,
    lm_head_bias: bool = False,
    draft_key: str | None = None,
) -> Anatomy:
    """A decoder of like layers; qkv_bias None: attention_bias in the config decides, with output_bias on the output."""
    shape = Shape(text, head_dim=head_dim, kv_heads=kv_heads)
    ledger = Ledger(shape.layers, shape.hidden_size)
    biased = text.flag("attention_bias", False) if qkv_bias is None else qkv_bias
    feed_forward = experts(text, shape.layers)

    def enter(layer: int, sparse: bool | None = None) -> None:
        ledger.grouped_query_attention(layer, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim,
            qkv_bias=biased, output_bias=biased and output_bias,
        )  # fmt: skip
        if qk_norm == "head":
            ledger.norm(2 * shape.head_dim, layer)
        elif qk_norm == "layer":
            ledger.norm((shape.heads + shape.kv_heads) * shape.head_dim, layer)
        ledger.norm(norms * shape.hidden_size, layer)
        feed_forward.enter(ledger, layer, sparse=sparse)

    for layer, window in enumerate(windows(text, shape.layers) if windows else [None] * shape.layers):
        enter(layer)
        ledger.key_value_cache(kv_heads=shape.kv_heads, head_dim=shape.head_dim, window=window)
    ledger.norm(shape.hidden_size)
    vocab = ledger.vocabulary(text, tied=tied, lm_head_bias=lm_head_bias)
    ledger.prefix = "mtp_"
    for _ in range(text.integer(draft_key, 0, low=0, high=MAX_COUNT) if draft_key else 0):
        enter(shape.layers - 1, sparse=True)
        ledger.draft_frame(vocab, own_embedding=True, own_head=True)
    return Anatomy(ledger, shape.heads, shape.kv_heads, vocab, text.context(), tied, feed_forward)


def _llama(text: ConfigReader, tied: bool) -> Anatomy:
    """Llama 2 and 3, Code Llama, Yi."""
    return _decoder(text, tied, kv_heads=0, output_bias=True)


def _mistral(text: ConfigReader, tied: bool) -> Anatomy:
    """Mistral: every layer a window, of 4,096 tokens where the config is silent."""
    return _decoder(text, tied, windows=lambda text, layers: [_window(text, 4096)] * layers, kv_heads=8, qkv_bias=False)


def _mixtral(text: ConfigReader, tied: bool) -> Anatomy:
    """Mixtral: as Mistral, with experts in every layer and no window where the config is silent."""

    def experts(text: ConfigReader, layers: int) -> Experts:
        count, top_k = text.expert_counts("num_local_experts", top_k=2)
        return Experts((True,) * layers, 0, count, top_k, text.integer("intermediate_size"))

    return _decoder(text, tied, windows=_same_window, experts=experts, kv_heads=8, qkv_bias=False)


def _phi3(text: ConfigReader, tied: bool) -> Anatomy:
    """Phi-3 and Phi-4."""
    return _decoder(text, tied, windows=_same_window, kv_heads=0, qkv_bias=False)


def _qwen2(text: ConfigReader, tied: bool) -> Anatomy:
    """Qwen1.5, Qwen2, Qwen2.5 and the text side of their vision models."""
    return _decoder(text, tied, windows=_qwen_windows, kv_heads=32, qkv_bias=True)


def _qwen3(text: ConfigReader, tied: bool) -> Anatomy:
    """Qwen3 and the text side of Qwen3-VL."""
    return _decoder(text, tied, windows=_qwen_windows, head_dim=128, kv_heads=32, output_bias=True, qk_norm="head")


def _qwen3_moe(text: ConfigReader, tied: bool) -> Anatomy:
    """Qwen3 with experts."""

    def experts(text: ConfigReader, layers: int) -> Experts:
        count, top_k = text.expert_counts("num_experts")
        step = text.integer("decoder_sparse_step", 1, high=MAX_LAYERS)
        dense = text.integers("mlp_only_layers", high=MAX_LAYERS) if text.has("mlp_only_layers") else []
        sparse = tuple(layer not in dense and (layer + 1) % step == 0 for layer in range(layers))
        width = text.integer("intermediate_size", 0 if all(sparse) else None)
        return Experts(sparse, width, count, top_k, text.integer("moe_intermediate_size"))

    def windows(text: ConfigReader, layers: int) -> Windows:
        return [_window(text, 4096) if text.flag("use_sliding_window", False) else None] * layers

    return _decoder(
        text, tied, windows=windows, experts=experts, kv_heads=4, output_bias=True, qk_norm="head"
    )  # fmt: skip


def _glm4_moe(text: ConfigReader, tied: bool) -> Anatomy:
    """GLM-4.5 and 4.6; draft layers carry their own copies of embedding and head."""

    def experts(text: ConfigReader, layers: int) -> Experts:
        count, top_k = text.expert_counts("n_routed_experts")
        dense = text.integer("first_k_dense_replace", 1, low=0, high=MAX_LAYERS)
        width, shared = (
            text.integer("moe_intermediate_size"),
            text.integer("n_shared_experts", 1, low=0, high=MAX_COUNT),
        )
        sparse = tuple(layer >= dense for layer in range(layers))
        return Experts(sparse, text.integer("intermediate_size"), count, top_k, width, shared, shared * width)

    norm: Literal["head", "none"] = "head" if text.flag("use_qk_norm", False) else "none"
    return _decoder(text, tied, experts=experts, kv_heads=8, qk_norm=norm, draft_key="num_nextn_predict_layers")


def _minimax_m2(text: ConfigReader, tied: bool) -> Anatomy:
    """MiniMax-M2: experts in every layer; the draft modules it names are not in its checkpoints."""

    def experts(text: ConfigReader, layers: int) -> Experts:
        count, top_k = text.expert_counts("num_local_experts")
        return Experts((True,) * layers, 0, count, top_k, text.integer("intermediate_size"))

    norm: Literal["layer", "none"] = "layer" if text.flag("use_qk_norm", True) else "none"
    return _decoder(text, tied, experts=experts, qkv_bias=False, qk_norm=norm)


def _gemma2(text: ConfigReader, tied: bool) -> Anatomy:
    """Gemma 2: a window in every other layer, the first one included."""

    def windows(text: ConfigReader, layers: int) -> Windows:
        kinds = text.layer_types(layers, _LAYER_TYPES) or ["full" if layer % 2 else "window" for layer in range(layers)]
        return _by_kind(kinds, text.integer("sliding_window", 4096, high=MAX_CONTEXT))

    return _decoder(text, tied, windows=windows, head_dim=256, kv_heads=4, output_bias=True, norms=4)


def _gemma3(text: ConfigReader, tied: bool) -> Anatomy:
    """Gemma 3: five layers with a window, then one with all tokens."""

    def windows(text: ConfigReader, layers: int) -> Windows:
        every = text.integer("sliding_window_pattern", 6, high=MAX_LAYERS)
        kinds = text.layer_types(layers, _LAYER_TYPES)
        kinds = kinds or ["window" if (layer + 1) % every else "full" for layer in range(layers)]
        return _by_kind(kinds, text.integer("sliding_window", 4096, high=MAX_CONTEXT))

    return _decoder(
        text, tied, windows=windows, head_dim=256, kv_heads=4, output_bias=True, qk_norm="head", norms=4
    )  # fmt: skip


def _cohere(text: ConfigReader, tied: bool) -> Anatomy:
    """Command R: attention and feed-forward side by side after one norm."""
    norm: Literal["layer", "none"] = "layer" if text.flag("use_qk_norm", False) else "none"
    return _decoder(text, tied, kv_heads=0, output_bias=True, qk_norm=norm, norms=1)


def _falcon(text: ConfigReader, tied: bool) -> Anatomy:
    """Falcon, in its new and its old decoder; the feed-forward part is four times the hidden size unless stated."""
    layers = text.integer("num_hidden_layers", high=MAX_LAYERS)
    hidden = text.integer("hidden_size")
    heads = text.integer("num_attention_heads", high=MAX_COUNT)
    new = text.flag("new_decoder_architecture", False)
    if new:
        kv_heads = text.integer("num_kv_heads", heads, high=MAX_COUNT)
    else:
        kv_heads = 1 if text.flag("multi_query", True) else heads
    text.check_divides("num_kv_heads", kv_heads, "num_attention_heads", heads)
    biased = text.flag("bias", False)
    width = text.integer("ffn_hidden_size", 4 * hidden)
    parallel = text.flag("parallel_attn", True)
    norms = text.integer("num_ln_in_parallel_attn", 2 if new or not parallel else 1, low=1, high=2)
    ledger, head_dim = Ledger(layers, hidden), text.head_dim(hidden, heads)
    for layer in range(layers):
        ledger.grouped_query_attention(
            layer, heads=heads, kv_heads=kv_heads, head_dim=head_dim, qkv_bias=biased, output_bias=biased
        )
        ledger.add("dense_mlp", 2 * hidden * width, layer)
        if biased:
            ledger.bias("dense_mlp_bias", width + hidden, layer)
        ledger.norm(2 * norms * hidden, layer)
        ledger.key_value_cache(kv_heads=kv_heads, head_dim=head_dim)
    ledger.norm(2 * hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    context = text.context(default=2048)
    return Anatomy(ledger, heads, kv_heads, vocab, context, tied, Experts((False,) * layers, width))


def _gpt2(text: ConfigReader, tied: bool) -> Anatomy:
    """GPT-2 and GPT-3: learned positions, biases everywhere, two feed-forward matrices."""
    layers, hidden = text.integer("n_layer", high=MAX_LAYERS), text.integer("n_embd")
    heads = text.integer("n_head", high=MAX_COUNT)
    ledger, head_dim = Ledger(layers, hidden), text.head_dim(hidden, heads)
    width = text.integer("n_inner", 4 * hidden)
    positions = text.integer("n_positions", high=MAX_VOCAB)
    for layer in range(layers):
        ledger.grouped_query_attention(
            layer, heads=heads, kv_heads=heads, head_dim=head_dim, qkv_bias=True, output_bias=True
        )
        ledger.add("dense_mlp", 2 * hidden * width, layer)
        ledger.bias("dense_mlp_bias", width + hidden, layer)
        ledger.norm(4 * hidden, layer)
        ledger.key_value_cache(kv_heads=heads, head_dim=head_dim)
    ledger.norm(2 * hidden)
    ledger.bias("other_replicated", positions * hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    return Anatomy(ledger, heads, heads, vocab, positions, tied, Experts((False,) * layers, width))


def _deci(text: ConfigReader, tied: bool) -> Anatomy:
    """Nemotron Super and other models of pruned blocks: each layer says what is left of it."""
    layers, hidden = text.integer("num_hidden_layers", high=MAX_LAYERS), text.integer("hidden_size")
    heads = text.integer("num_attention_heads", high=MAX_COUNT)
    ledger, head_dim = Ledger(layers, hidden), text.head_dim(hidden, heads)
    widest, most_kv_heads = 0, 1
    for layer, block in enumerate(text.sections("block_configs", length=layers)):
        attention, feed_forward = block.section("attention"), block.section("ffn")
        if attention is None or feed_forward is None:
            raise ConfigError("missing", key=block.where("ffn" if attention else "attention"))
        for part in (attention, feed_forward):
            if part.flag("replace_with_linear", False):
                raise ConfigError("unknown-kind", key=part.where("replace_with_linear"), value="true")
        if not attention.flag("no_op", False):
            per_kv_head = attention.integer("n_heads_in_group", high=MAX_COUNT)
            attention.check_divides("n_heads_in_group", per_kv_head, "num_attention_heads", heads)
            kv_heads = heads // per_kv_head
            most_kv_heads = max(most_kv_heads, kv_heads)
            window = _window(attention, None, "window_length")
            ledger.grouped_query_attention(layer, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
            ledger.norm(hidden, layer)
            ledger.key_value_cache(kv_heads=kv_heads, head_dim=head_dim, window=window)
        if not feed_forward.flag("no_op", False):
            width = _pruned_width(feed_forward.number("ffn_mult", low=0.001, high=64), hidden)
            widest = max(widest, width)
            ledger.add("dense_mlp", 3 * hidden * width, layer)
            ledger.norm(hidden, layer)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    feed = Experts((False,) * layers, widest)
    return Anatomy(ledger, heads, most_kv_heads, vocab, text.context(), tied, feed)


def _pruned_width(multiple: float, hidden: int) -> int:
    """Two thirds of the multiple of the hidden size, rounded up to 256, as the model's own code has it."""
    return -(-int(2 * multiple * hidden / 3) // 256) * 256


def _window(text: ConfigReader, default: int | None, key: str = "sliding_window") -> int | None:
    """The window that the config states; null means none, silence means the family's default."""
    if text.has(key):
        return text.integer(key, high=MAX_CONTEXT)
    return None if text.states(key) else default


def _same_window(text: ConfigReader, layers: int) -> Windows:
    return [_window(text, None)] * layers


def _qwen_windows(text: ConfigReader, layers: int) -> Windows:
    """Windows only where use_sliding_window is on, and then from layer max_window_layers upwards."""
    if not text.flag("use_sliding_window", False):
        return [None] * layers
    start = text.integer("max_window_layers", 28, low=0, high=MAX_LAYERS)
    kinds = text.layer_types(layers, _LAYER_TYPES) or [
        "window" if layer >= start else "full" for layer in range(layers)
    ]
    return _by_kind(kinds, text.integer("sliding_window", 4096, high=MAX_CONTEXT))


def _by_kind(kinds: list[str], window: int) -> Windows:
    return [window if kind == "window" else None for kind in kinds]


FAMILIES: Final[Mapping[str, Family]] = {
    "cohere": Family(_cohere, tied=True),
    "falcon": Family(_falcon, tied=True),
    "gemma2": Family(_gemma2, tied=True),
    "gemma3_text": Family(_gemma3, tied=True),
    "glm4_moe": Family(_glm4_moe),
    "gpt2": Family(_gpt2, tied=True),
    "llama": Family(_llama),
    "minimax_m2": Family(_minimax_m2),
    "mistral": Family(_mistral),
    "mixtral": Family(_mixtral),
    "nemotron-nas": Family(_deci),
    "phi3": Family(_phi3),
    "qwen2": Family(_qwen2),
    "qwen2_vl_text": Family(_qwen2),
    "qwen2_5_vl_text": Family(_qwen2),
    "qwen3": Family(_qwen3),
    "qwen3_moe": Family(_qwen3_moe),
    "qwen3_vl_text": Family(_qwen3),
    "qwen3_vl_moe_text": Family(_qwen3_moe),
}
"""Families of this file by model_type."""
