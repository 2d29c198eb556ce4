"""Decoders that cache one compressed vector per token and layer (multi-head latent attention): DeepSeek and its kin."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_COUNT, MAX_LAYERS, ConfigReader
from lib.sizing.families.parts import (
    BYTES_AT_16_BIT,
    Anatomy,
    Experts,
    Family,
    Ledger,
)

INDEX_ENTRY_BYTES_OVERHEAD: Final = 4
"""One fp32 scale beside the 8-bit index key of a token."""


@dataclass(frozen=True, slots=True)
class Latent:
    """Widths of latent attention."""

    heads: int
    q_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int
    biased: bool

    @classmethod
    def read(cls, text: ConfigReader) -> "Latent":
        """The widths as the config states them; no query rank means that queries are projected in one step."""
        return cls(
            heads=text.integer("num_attention_heads", high=MAX_COUNT),
            q_rank=text.stated_integer("q_lora_rank"),
            kv_rank=text.integer("kv_lora_rank"),
            nope=text.integer("qk_nope_head_dim", high=MAX_COUNT),
            rope=text.integer("qk_rope_head_dim", high=MAX_COUNT),
            value=text.integer("v_head_dim", high=MAX_COUNT),
            biased=text.flag("attention_bias", False),
        )

    def enter(self, ledger: Ledger, layer: int, *, output_gate: bool = False) -> None:
        """Enter one layer's projections: engines copy the down-projections to every rank and split the rest by head."""
        hidden, queries = ledger.hidden_size, self.heads * (self.nope + self.rope)
        if self.q_rank:
            ledger.add("attention_replicated", hidden * self.q_rank, layer)
            ledger.norm(self.q_rank, layer)
            ledger.add("attention", self.q_rank * queries, layer)
        else:
            ledger.add("attention", hidden * queries, layer)
        ledger.add("attention_replicated", hidden * (self.kv_rank + self.rope), layer)
        ledger.norm(self.kv_rank, layer)
        ledger.add("attention_latent_up", self.kv_rank * self.heads * (self.nope + self.value), layer)
        ledger.add("attention", self.heads * self.value * hidden * (2 if output_gate else 1), layer)
        if self.biased:
            ledger.bias("attention_bias_replicated", self.q_rank + self.kv_rank + self.rope + hidden, layer)

    def cache(self, ledger: Ledger, fp8: float | None = None) -> None:
        """Enter one layer's cache: the latent and the rotary key, on every rank."""
        ledger.cache("mla", (self.kv_rank + self.rope) * BYTES_AT_16_BIT, fp8)


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small attention that chooses which tokens a layer looks at."""

    heads: int
    dim: int
    q_rank: int

    def enter(self, ledger: Ledger, layer: int) -> None:
        """Enter one layer's indexer; engines copy it to every rank."""
        hidden = ledger.hidden_size
        ledger.add("attention_replicated", self.q_rank * self.heads * self.dim + hidden * self.dim, layer)
        ledger.norm(2 * self.dim, layer)
        ledger.bias("attention_index_weights_replicated", hidden * self.heads, layer)

    def cache(self, ledger: Ledger) -> None:
        """Enter one layer's index keys, which engines keep in 8 bit whatever the cache's format."""
        width = self.dim + INDEX_ENTRY_BYTES_OVERHEAD
        ledger.cache("indexer", width, width)


def _deepseek(text: ConfigReader, tied: bool, *, draft_copies: bool = True) -> Anatomy:
    """DeepSeek-V2, V3, R1, V3.1 and V3.2, Kimi K2, Mistral Large 3 and Small 4, GLM-5."""
    layers, hidden = text.integer("num_hidden_layers", high=MAX_LAYERS), text.integer("hidden_size")
    latent = Latent.read(text)
    indexer, owns_indexer = _indexer(text, latent, layers)
    experts = _experts(text, layers)
    ledger = Ledger(layers, hidden)

    def enter(layer: int, sparse: bool, with_indexer: bool) -> None:
        latent.enter(ledger, layer)
        ledger.norm(2 * hidden, layer)
        experts.enter(ledger, layer, sparse=sparse)
        if indexer and with_indexer:
            indexer.enter(ledger, layer)

    for layer in range(layers):
        enter(layer, experts.sparse[layer], owns_indexer[layer])
        if indexer is None:
            latent.cache(ledger)
            continue
        latent.cache(ledger, fp8=_sparse_record_bytes(latent))
        if owns_indexer[layer]:
            indexer.cache(ledger)
    ledger.norm(hidden)
    vocab = ledger.vocabulary(text, tied=tied)
    ledger.prefix = "mtp_"
    for _ in range(text.integer("num_nextn_predict_layers", 0, low=0, high=MAX_COUNT)):
        enter(layers - 1, sparse=experts.count > 0, with_indexer=True)
        ledger.draft_frame(vocab, own_embedding=draft_copies, own_head=draft_copies)
    return Anatomy(ledger, latent.heads, 1, vocab, text.context(), tied, experts)


def _glm_moe_dsa(text: ConfigReader, tied: bool) -> Anatomy:
    """GLM-5: as DeepSeek-V3.2, but its draft layers use the model's own embedding and head."""
    return _deepseek(text, tied, draft_copies=False)


def _sparse_record_bytes(latent: Latent) -> int:
    """An 8-bit latent with one fp32 scale per 128 values, and the rotary key left at 16 bit."""
    scales = -(-latent.kv_rank // 128)
    return latent.kv_rank + 4 * scales + BYTES_AT_16_BIT * latent.rope


def _indexer(text: ConfigReader, latent: Latent, layers: int) -> tuple[Indexer | None, list[bool]]:
    """The indexer where the config has one, and the layers that own it; the others reuse an earlier one's choice."""
    if not text.has("index_head_dim"):
        return None, [False] * layers
    if not latent.q_rank:
        raise ConfigError("missing", key=text.where("q_lora_rank"))
    indexer = Indexer(
        heads=text.integer("index_n_heads", high=MAX_COUNT),
        dim=text.integer("index_head_dim", high=MAX_COUNT),
        q_rank=latent.q_rank,
    )
    if not text.has("indexer_types"):
        return indexer, [True] * layers
    return indexer, [word == "full" for word in text.words("indexer_types", ("full", "shared"), length=layers)]


def _experts(text: ConfigReader, layers: int) -> Experts:
    """Experts from the first layer that is not dense on."""
    count, top_k = text.expert_counts("n_routed_experts")
    width = text.integer("moe_intermediate_size")
    shared = text.stated_integer("n_shared_experts", high=MAX_COUNT)
    if text.has("mlp_layer_types"):
        sparse = tuple(word == "sparse" for word in text.words("mlp_layer_types", ("dense", "sparse"), length=layers))
    else:
        every = text.integer("moe_layer_freq", 1, high=MAX_LAYERS)
        dense = text.integer("first_k_dense_replace", low=0, high=MAX_LAYERS)
        sparse = tuple(layer >= dense and layer % every == 0 for layer in range(layers))
    dense_width = text.integer("intermediate_size", 0 if all(sparse) else None)
    return Experts(sparse, dense_width, count, top_k, width, shared, shared * width)


FAMILIES: Final[Mapping[str, Family]] = {
    "deepseek_v2": Family(_deepseek),
    "deepseek_v3": Family(_deepseek),
    "deepseek_v32": Family(_deepseek),
    "glm_moe_dsa": Family(_glm_moe_dsa),
    "kimi_k2": Family(_deepseek),
    "mistral4": Family(_deepseek),
}
"""Families of this file by model_type."""
