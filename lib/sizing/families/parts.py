"""What families share: the ledger of a model's parameters and caches, and the layers that most models are built of."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lib.records import LayerGroup, ParameterBlock, Sharding
from lib.sizing.config_reader import MAX_COUNT, MAX_LAYERS, MAX_VOCAB, ConfigReader

BYTES_AT_16_BIT: Final = 2
BYTES_AT_32_BIT: Final = 4
OUTSIDE: Final = -1
"""The layer number of what stands outside the layers."""

_GROUP_ORDER: Final = ("full", "window", "mla", "compressed", "indexer", "state", "none")


class Ledger:
    """Parameters and caches of one model as its family adds them up, layer by layer."""

    def __init__(self, layers: int, hidden_size: int) -> None:
        self.layers = layers
        self.hidden_size = hidden_size
        self.prefix = ""
        """`mtp_` while draft layers are entered: they count as a block of their own and keep no cache here."""
        self._blocks: dict[tuple[str, bool, int | None], dict[int, int]] = {}
        self._groups: Counter[tuple[str, float, float, int | None, float, int]] = Counter()

    def add(
        self,
        name: str,
        parameters: int,
        layer: int = OUTSIDE,
        *,
        quantisable: bool = True,
        max_shards: int | None = None,
    ) -> None:
        """Enter parameters under a block's name, in one layer or outside of them."""
        if parameters == 0:
            return
        where = self._blocks.setdefault((self.prefix + name, quantisable, max_shards), {})
        at = OUTSIDE if self.prefix else layer
        where[at] = where.get(at, 0) + parameters

    def cache(
        self,
        kind: str,
        bf16: float,
        fp8: float | None = None,
        *,
        shards: int = 1,
        window: int | None = None,
        state: float = 0,
    ) -> None:
        """Enter what one layer keeps: bytes per token with a 16-bit and an 8-bit cache, and state per sequence."""
        if not self.prefix:
            self._groups[(kind, bf16, bf16 / 2 if fp8 is None else fp8, window, state, shards)] += 1

    def groups(self) -> tuple[LayerGroup, ...]:
        """Layers that keep the same, as groups."""
        groups = [
            LayerGroup(
                layers=layers, kind=kind, bytes_per_token_bf16=bf16, bytes_per_token_fp8=fp8, window=window,
                state_bytes_per_sequence=state, max_tp_shards=shards,
            )
            for (kind, bf16, fp8, window, state, shards), layers in self._groups.items()
        ]  # fmt: skip
        return tuple(sorted(groups, key=lambda group: _GROUP_ORDER.index(group.kind)))

    def blocks(self) -> tuple[ParameterBlock, ...]:
        """All that was entered, as blocks."""
        return tuple(
            ParameterBlock(
                name=name,
                parameters=sum(where.values()),
                sharding=_sharding(name),
                quantisable=quantisable,
                max_shards=max_shards,
                by_layer=() if OUTSIDE in where else tuple(where.get(layer, 0) for layer in range(self.layers)),
            )
            for (name, quantisable, max_shards), where in self._blocks.items()
        )

    def bias(self, name: str, parameters: int, layer: int = OUTSIDE) -> None:
        """Enter values that no format quantises: biases, sinks, gains, convolutions."""
        self.add(name, parameters, layer, quantisable=False)

    def norm(self, parameters: int, layer: int = OUTSIDE) -> None:
        """Enter the gains (and biases) of normalisations; outside the layers, those behind the last one."""
        self.bias("norms_last" if layer == OUTSIDE else "norms", parameters, layer)

    def vocabulary(self, text: ConfigReader, *, tied: bool, lm_head_bias: bool = False) -> int:
        """Enter embedding, head (nothing where it is the embedding itself) and the last norm; return the vocabulary."""
        vocab = text.integer("vocab_size", high=MAX_VOCAB)
        self.add("embedding", vocab * self.hidden_size)
        if not tied:
            self.add("lm_head", vocab * self.hidden_size)
        if lm_head_bias:
            self.bias("lm_head_bias", vocab)
        return vocab

    def grouped_query_attention(
        self,
        layer: int,
        *,
        heads: int,
        kv_heads: int,
        head_dim: int,
        v_head_dim: int | None = None,
        qkv_bias: bool = False,
        output_bias: bool = False,
        output_gate: bool = False,
        shared_kv: bool = False,
    ) -> None:
        """Enter query, key, value and output projections of one layer; shared_kv: K and V come from one projection."""
        hidden, v_dim = self.hidden_size, head_dim if v_head_dim is None else v_head_dim
        queries = heads * head_dim * (2 if output_gate else 1)
        self.add("attention", hidden * queries + heads * v_dim * hidden, layer)
        keys_values = kv_heads * (head_dim if shared_kv else head_dim + v_dim)
        self.add("attention_kv", hidden * keys_values, layer, max_shards=kv_heads)
        if qkv_bias:
            self.bias("attention_bias", queries + keys_values, layer)
        if output_bias:
            self.bias("attention_bias_replicated", hidden, layer)

    def key_value_cache(
        self, *, kv_heads: int, head_dim: int, v_head_dim: int | None = None, window: int | None = None
    ) -> None:
        """Enter the cache of one layer with key and value heads: all tokens, or the last ones of a window."""
        width = kv_heads * (head_dim + (head_dim if v_head_dim is None else v_head_dim))
        kind = "full" if window is None else "window"
        self.cache(kind, width * BYTES_AT_16_BIT, shards=kv_heads, window=window)

    def gated_mlp(self, layer: int, width: int, *, name: str = "dense_mlp", bias: bool = False) -> None:
        """Enter a feed-forward layer of gate, up and down projection."""
        self.add(name, 3 * self.hidden_size * width, layer)
        if bias:
            self.bias(f"{name}_bias", 2 * width + self.hidden_size, layer)

    def routed_experts(
        self, layer: int, *, experts: int, width: int, matrices: int = 3, expert_hidden_size: int | None = None
    ) -> None:
        """Enter a router and its experts of two or three matrices each."""
        inner = self.hidden_size if expert_hidden_size is None else expert_hidden_size
        self.add("router", self.hidden_size * experts, layer)
        self.add("routed_experts", experts * matrices * inner * width, layer)

    def draft_frame(self, vocab: int, *, own_embedding: bool = False, own_head: bool = False) -> None:
        """Enter what joins draft layers to the model: a projection of two inputs, three norms, copies if it has any."""
        self.add("other_projection", 2 * self.hidden_size**2, quantisable=False)
        self.norm(3 * self.hidden_size)
        self.add("embedding", vocab * self.hidden_size if own_embedding else 0)
        self.add("lm_head", vocab * self.hidden_size if own_head else 0)


def _sharding(name: str) -> Sharding:
    """How an engine shares out a block: routed experts by expert, norms and routers and what is so named not at all."""
    bare = name.removeprefix("mtp_")
    if bare.startswith("routed_experts"):
        return "expert"
    if bare.startswith(("norms", "router")) or bare.endswith("_replicated"):
        return "replicated"
    return "tensor"


class Shape:
    """The fields that nearly every text section states in the same words."""

    def __init__(self, text: ConfigReader, *, head_dim: int | None = None, kv_heads: int | None = None) -> None:
        """Read them; defaults are those of the family's configuration class, kv_heads 0 one for each attention head."""
        self.layers = text.integer("num_hidden_layers", high=MAX_LAYERS)
        self.hidden_size = text.integer("hidden_size")
        self.heads = text.integer("num_attention_heads", high=MAX_COUNT)
        if text.states("num_key_value_heads") and not text.has("num_key_value_heads"):
            kv_heads = 0
        self.kv_heads = text.integer("num_key_value_heads", self.heads if kv_heads == 0 else kv_heads, high=MAX_COUNT)
        text.check_divides("num_key_value_heads", self.kv_heads, "num_attention_heads", self.heads)
        self.head_dim = text.integer(
            "head_dim", head_dim or text.head_dim(self.hidden_size, self.heads), high=MAX_COUNT
        )


@dataclass(frozen=True, slots=True)
class Experts:
    """How a model's feed-forward layers are made of experts; count 0 where they are all dense."""

    sparse: tuple[bool, ...]
    dense_width: int
    count: int = 0
    top_k: int = 0
    width: int = 0
    shared: int = 0
    shared_width: int = 0
    shared_gate: bool = False
    mlp_bias: bool = False

    @classmethod
    def all_dense(cls, text: ConfigReader, layers: int) -> "Experts":
        """Every layer dense, of one width."""
        return cls((False,) * layers, text.integer("intermediate_size"), mlp_bias=text.flag("mlp_bias", False))

    def enter(self, ledger: Ledger, layer: int, *, sparse: bool | None = None) -> None:
        """Enter the feed-forward part of one layer."""
        if not (self.sparse[layer] if sparse is None else sparse):
            ledger.gated_mlp(layer, self.dense_width, bias=self.mlp_bias)
            return
        ledger.routed_experts(layer, experts=self.count, width=self.width)
        if self.shared_width:
            ledger.gated_mlp(layer, self.shared_width, name="shared_experts")
        if self.shared_gate:
            ledger.bias("shared_experts_gate_replicated", ledger.hidden_size, layer)


@dataclass(frozen=True, slots=True)
class Anatomy:
    """What a family hands back: the ledger with the few plain figures that sizing wants beside it."""

    ledger: Ledger
    heads: int
    kv_heads: int
    vocab: int
    context: int
    tied: bool
    experts: Experts
    expert_hidden_size: int | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """How the text side of one model_type is built, and whether its class ties the head to the embedding."""

    build: Callable[[ConfigReader, bool], Anatomy]
    tied: bool = False
