"""DeepSeek-V4: a window in every layer, and behind it the past compressed by 4 with an indexer, or by 128."""

from collections.abc import Mapping
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_CONTEXT, MAX_COUNT, MAX_LAYERS, ConfigReader
from lib.sizing.families.latent import INDEX_ENTRY_BYTES_OVERHEAD
from lib.sizing.families.parts import (
    BYTES_AT_16_BIT,
    BYTES_AT_32_BIT,
    Anatomy,
    Experts,
    Family,
    Ledger,
)

NONE, SPARSE, HEAVY = 0, 4, 128
SCALE_BYTES: Final = 8
"""Scales of one 8-bit entry, padded: seven of one byte each for 448 values, and one byte of padding."""
OVERLAP: Final = 2
"""Windows of the lighter compression overlap, so that it works on twice the width."""


class _Compressed:
    """Widths of one DeepSeek-V4 config."""

    def __init__(self, text: ConfigReader) -> None:
        self.hidden = text.integer("hidden_size")
        self.heads = text.integer("num_attention_heads", high=MAX_COUNT)
        self.head_dim = text.integer("head_dim", 512, high=MAX_COUNT)
        self.rope = text.integer("qk_rope_head_dim", 64, high=MAX_COUNT)
        self.q_rank = text.integer("q_lora_rank")
        self.o_groups = text.integer("o_groups", high=MAX_COUNT)
        self.o_rank = text.integer("o_lora_rank")
        self.index_heads = text.integer("index_n_heads", high=MAX_COUNT)
        self.index_dim = text.integer("index_head_dim", high=MAX_COUNT)
        self.streams = text.integer("hc_mult", 4, high=64)
        self.window = text.integer("sliding_window", 128, high=MAX_CONTEXT)
        if (kv_heads := text.integer("num_key_value_heads", 1, high=MAX_COUNT)) != 1:
            raise ConfigError("unknown-kind", key=text.where("num_key_value_heads"), value=kv_heads)
        text.check_divides("o_groups", self.o_groups, "num_attention_heads × head_dim", self.heads * self.head_dim)
        if self.rope >= self.head_dim:
            raise ConfigError(
                "not-less", key=text.where("qk_rope_head_dim"), value=self.rope, other="head_dim", limit=self.head_dim
            )

    def enter_attention(self, ledger: Ledger, layer: int, ratio: int) -> None:
        """Enter one layer's projections, compressor and indexer."""
        hidden, width = self.hidden, self.heads * self.head_dim
        ledger.add("attention_replicated", hidden * (self.q_rank + self.head_dim), layer)
        ledger.add("attention", self.q_rank * width, layer)
        ledger.add("attention", width // self.o_groups * self.o_groups * self.o_rank, layer)
        ledger.add("attention", self.o_groups * self.o_rank * hidden, layer)
        ledger.bias("attention_sinks", self.heads, layer)
        ledger.norm(self.q_rank + self.head_dim + 2 * hidden, layer)
        if ratio == HEAVY:
            self._enter_compressor(ledger, layer, self.head_dim, HEAVY)
        elif ratio == SPARSE:
            self._enter_compressor(ledger, layer, OVERLAP * self.head_dim, SPARSE, entry=self.head_dim)
            self._enter_compressor(ledger, layer, OVERLAP * self.index_dim, SPARSE, entry=self.index_dim)
            ledger.add("attention_replicated", self.q_rank * self.index_heads * self.index_dim, layer)
            ledger.bias("attention_index_weights_replicated", hidden * self.index_heads, layer)

    def _enter_compressor(self, ledger: Ledger, layer: int, width: int, ratio: int, entry: int | None = None) -> None:
        ledger.bias("attention_compressor_replicated", 2 * self.hidden * width + ratio * width, layer)
        ledger.norm(entry or width, layer)

    def enter_streams(self, ledger: Ledger, layer: int) -> None:
        """Enter the two mixers of residual streams of one layer."""
        mixed = (2 + self.streams) * self.streams
        ledger.bias("other_streams_replicated", 2 * (mixed * self.streams * self.hidden + mixed + 3), layer)

    def enter_stream_head(self, ledger: Ledger) -> None:
        """Enter what joins the residual streams at the end."""
        ledger.bias("other_streams_last_replicated", self.streams * self.streams * self.hidden + self.streams + 1)

    def cache(self, ledger: Ledger, ratio: int) -> None:
        """Enter what one layer keeps: the window, compressed entries with their index, and the open windows' state."""
        vector = self.head_dim * BYTES_AT_16_BIT
        vector_fp8 = (self.head_dim - self.rope) + self.rope * BYTES_AT_16_BIT + SCALE_BYTES
        ledger.cache("window", vector, vector_fp8, window=self.window)
        if ratio == NONE:
            return
        ledger.cache("compressed", vector / ratio, vector_fp8 / ratio)
        state_width = 2 * self.head_dim
        if ratio == SPARSE:
            index_fp8 = self.index_dim + INDEX_ENTRY_BYTES_OVERHEAD
            ledger.cache("indexer", self.index_dim * BYTES_AT_16_BIT / ratio, index_fp8 / ratio)
            state_width = 2 * OVERLAP * (self.head_dim + self.index_dim)
        tokens = OVERLAP * SPARSE if ratio == SPARSE else HEAVY
        ledger.cache("state", 0, state=tokens * state_width * BYTES_AT_32_BIT)


def _deepseek_v4(text: ConfigReader, tied: bool) -> Anatomy:
    """DeepSeek-V4 Flash and Pro; the first layers choose experts by a table instead of a bias."""
    layers = text.integer("num_hidden_layers", high=MAX_LAYERS)
    widths = _Compressed(text)
    ratios = _ratios(text, layers)
    count, top_k = text.expert_counts("n_routed_experts")
    width = text.integer("moe_intermediate_size")
    shared = text.integer("n_shared_experts", 1, low=0, high=MAX_COUNT)
    experts = Experts((True,) * layers, 0, count, top_k, width, shared, shared * width)
    ledger = Ledger(layers, widths.hidden)

    def enter(layer: int, ratio: int) -> None:
        widths.enter_attention(ledger, layer, ratio)
        widths.enter_streams(ledger, layer)
        experts.enter(ledger, layer)

    for layer, ratio in enumerate(ratios):
        enter(layer, ratio)
        widths.cache(ledger, ratio)
    widths.enter_stream_head(ledger)
    ledger.norm(widths.hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    ledger.prefix = "mtp_"
    for _ in range(text.integer("num_nextn_predict_layers", 0, low=0, high=MAX_COUNT)):
        enter(0, NONE)
        widths.enter_stream_head(ledger)
        ledger.draft_frame(vocab)
    return Anatomy(ledger, widths.heads, 1, vocab, text.context(), tied, experts)


def _ratios(text: ConfigReader, layers: int) -> list[int]:
    """Compression of each layer: 0 for none, 4 or 128; draft layers at the end of the list are left out."""
    if text.has("layer_types"):
        known = {
            "sliding_attention": NONE,
            "compressed_sparse_attention": SPARSE,
            "heavily_compressed_attention": HEAVY,
        }
        return [known[word] for word in text.words("layer_types", tuple(known), length=layers)]
    ratios = text.integers("compress_ratios", high=HEAVY)
    if len(ratios) < layers or any(ratio not in (NONE, SPARSE, HEAVY) for ratio in ratios):
        raise ConfigError(
            "wrong-ratios", key=text.where("compress_ratios"), known=f"{NONE}, {SPARSE}, {HEAVY}", layers=layers
        )
    return ratios[:layers]


FAMILIES: Final[Mapping[str, Family]] = {
    "deepseek_v4": Family(_deepseek_v4),
}
"""Families of this file by model_type."""
