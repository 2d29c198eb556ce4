"""What one GPU reads, computes and sends for a token: from blocks and layer groups, formats and layout, as columns."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.records import Architecture, KvFormat, Layout, ParameterBlock, WeightFormat
from lib.sizing import weights
from lib.sizing.reserves import ROPE_HEAD_DIM
from lib.sizing.roofline import ALL_REDUCES_PER_LAYER, FLOPS_PER_PARAMETER, causal_pairs, distinct_experts, mean_reach
from lib.sizing.weights import BYTES_AT_16_BIT

Floats = npt.NDArray[np.float64]

CHOSEN_TOKENS: Final = 2048
"""Tokens that layers with an indexer look at: index_topk of DeepSeek-V3.2 and GLM-5, 16 blocks of 128 in MiniMax-M3.

DeepSeek-V4 looks at 512 or 1,024 entries of four tokens each, which are no fewer."""

_VALUE_SHARE: Final = 8 / 9
"""Of a latent entry of 512 + 64 values, attention reads 512 a second time as values."""

GROUPS: Final = 8
"""Columns for layer groups; models have up to six."""


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """One GPU of one replica of a model; arrays have one entry per layer group, padded to GROUPS.

    Weights are counted once per step, cache per token looked back at, operations per token. `plain` operations run at
    16 bit, `quantised` in the format of the rest, `expert` in that of routed experts, `head` only for tokens that are
    sampled; `decode_pair` and `prefill_pair` are operations for each pair of query and key.
    """

    dense_bytes: float
    expert_bytes: float
    n_experts: float
    experts_per_token: float
    plain_flops: float
    quantised_flops: float
    expert_flops: float
    head_flops: float
    sent_bytes: float
    state_bytes: float
    layers: float
    ranks: float
    data_ranks: float
    stages: float
    cache_bytes: Floats
    window: Floats
    decode_pair_flops: Floats
    prefill_pair_flops: Floats

    @property
    def row(self) -> Floats:
        """All of it as one row of a table; see Footprints."""
        scalars = [getattr(self, name) for name in SCALARS]
        return np.concatenate([scalars, self.cache_bytes, self.window, self.decode_pair_flops, self.prefill_pair_flops])


SCALARS: Final = (
    "dense_bytes", "expert_bytes", "n_experts", "experts_per_token", "plain_flops", "quantised_flops", "expert_flops",
    "head_flops", "sent_bytes", "state_bytes", "layers", "ranks", "data_ranks", "stages",
)  # fmt: skip


class Footprints:
    """Footprints of many cases, one row each; every scalar is an array, every group quantity a matrix."""

    def __init__(self, rows: Sequence[Floats]) -> None:
        table = np.stack(rows) if len(rows) else np.zeros((0, len(SCALARS) + 4 * GROUPS))
        self.count = len(table)
        self._scalars = {name: table[:, index] for index, name in enumerate(SCALARS)}
        groups = table[:, len(SCALARS) :].reshape(self.count, 4, GROUPS)
        self.cache_bytes, self.window, self.decode_pair_flops, self.prefill_pair_flops = groups.transpose(1, 0, 2)

    def __getattr__(self, name: str) -> Floats:
        """The array of one of SCALARS."""
        try:
            return self._scalars[name]
        except KeyError:
            raise AttributeError(name) from None

    def weights_read(self, tokens: Floats) -> Floats:
        """Bytes of weights that a step over some tokens reads, expected [bytes]."""
        awake = distinct_experts(self.n_experts, self.experts_per_token, tokens)
        return self.dense_bytes + self.expert_bytes * awake / np.maximum(self.n_experts, 1)

    def cache_read(self, input_tokens: Floats, output_tokens: Floats) -> Floats:
        """Bytes that attention reads for one new token of one sequence, mean over the output [bytes]."""
        reach = mean_reach(input_tokens[:, None], (input_tokens + output_tokens)[:, None], self.window)
        return np.asarray((self.cache_bytes * reach).sum(axis=-1) + self.state_bytes)

    def decode_attention(self, input_tokens: Floats, output_tokens: Floats) -> Floats:
        """Operations of attention for one new token of one sequence, mean over the output [FLOP]."""
        reach = mean_reach(input_tokens[:, None], (input_tokens + output_tokens)[:, None], self.window)
        return np.asarray((self.decode_pair_flops * reach).sum(axis=-1))

    def prefill_attention(self, input_tokens: Floats) -> Floats:
        """Operations of attention for one prompt [FLOP]."""
        return np.asarray((self.prefill_pair_flops * causal_pairs(input_tokens[:, None], self.window)).sum(axis=-1))


@functools.lru_cache(maxsize=4096)
def footprint(
    architecture: Architecture, experts: WeightFormat, rest: WeightFormat, kv_format: KvFormat, layout: Layout
) -> Footprint:
    """What one GPU of a replica reads, computes and sends, a lower bound.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks and layer groups.
    experts : WeightFormat
        Format of routed experts, from weights.format_of.
    rest : WeightFormat
        Format of everything else.
    kv_format : KvFormat
        Format of the cache.
    layout : Layout
        How the GPUs share the model.

    Returns
    -------
    Footprint
        Cached.

    Raises
    ------
    InputError
        As weights.stage_table.

    Notes
    -----
    Routed experts are taken to be evenly loaded over tensor and data ranks. Left out, so that it stays a lower bound:
    activations, the indexer's own arithmetic, the mixing of states, sampling, and what routing sends between ranks.
    Draft layers, vision towers and the look-up of embeddings are not part of a step.
    """
    size, shards = layout.tensor_parallel_size, layout.tensor_parallel_size * layout.data_parallel_size
    sums = dict.fromkeys(("dense", "expert", "plain", "quantised", "expert_work", "head"), 0.0)
    for block, stored in zip(
        architecture.blocks, weights.bytes_per_parameter(architecture, experts, rest), strict=True
    ):
        if not _is_read(architecture, block):
            continue
        if block.sharding == "expert":
            sums["expert"] += block.parameters * stored / shards
            share = architecture.experts_per_token / max(architecture.n_experts, 1)
            sums["expert_work"] += FLOPS_PER_PARAMETER * block.parameters * share / shards
            continue
        parts = 1 if block.sharding == "replicated" else min(size, block.max_shards or size)
        work = FLOPS_PER_PARAMETER * block.parameters / parts
        sums["dense"] += block.parameters * stored / parts
        is_head = block.component in ("lm_head", "embedding")
        sums["head" if is_head else "quantised" if stored < BYTES_AT_16_BIT else "plain"] += work
    columns = _groups(architecture, kv_format, size)
    sent = ALL_REDUCES_PER_LAYER * architecture.layers * architecture.hidden_size * BYTES_AT_16_BIT
    states = sum(
        2 * group.layers * group.state_bytes_per_sequence / min(size, group.max_tp_shards)
        for group in architecture.groups
        if group.kind == "state"
    )
    return Footprint(
        sums["dense"], sums["expert"], float(architecture.n_experts), float(architecture.experts_per_token),
        sums["plain"], sums["quantised"], sums["expert_work"], sums["head"], float(sent), states,
        float(architecture.layers), float(size), float(layout.data_parallel_size),
        float(layout.pipeline_parallel_size), *columns,
    )  # fmt: skip


@functools.lru_cache(maxsize=4096)
def row(
    architecture: Architecture, experts: WeightFormat, rest: WeightFormat, kv_format: KvFormat, layout: Layout
) -> Floats:
    """The footprint as one row of Footprints.

    Parameters
    ----------
    architecture : Architecture
        As for footprint.
    experts : WeightFormat
        As for footprint.
    rest : WeightFormat
        As for footprint.
    kv_format : KvFormat
        As for footprint.
    layout : Layout
        As for footprint.

    Returns
    -------
    ndarray
        Cached; not to be changed.
    """
    return footprint(architecture, experts, rest, kv_format, layout).row


def _is_read(architecture: Architecture, block: ParameterBlock) -> bool:
    """Whether a step reads the block: embeddings are looked up row by row, unless they are the head as well."""
    if block.is_draft or block.component == "vision":
        return False
    return block.component != "embedding" or architecture.tied_embeddings


def _groups(architecture: Architecture, kv_format: KvFormat, size: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Per group, all layers of one GPU: bytes per token looked at, reach, operations per pair in decode and prefill."""
    indexed = any(group.kind == "indexer" for group in architecture.groups)
    heads = architecture.n_heads / min(size, architecture.n_heads)
    columns = np.zeros((4, GROUPS))
    columns[1] = np.inf
    for index, group in enumerate(architecture.groups):
        per_token = group.bytes_per_token_bf16 if kv_format == "bf16" else group.bytes_per_token_fp8
        columns[0, index] = group.layers * per_token / min(size, group.max_tp_shards)
        reach = float("inf") if group.window is None else float(group.window)
        if indexed and group.kind in ("full", "mla", "compressed"):
            reach = min(reach, CHOSEN_TOKENS)
        columns[1, index] = reach
        decode, prefill = _pair_flops(architecture, group.kind, group.bytes_per_token_bf16, group.max_tp_shards)
        columns[2:, index] = group.layers * heads * decode, group.layers * heads * prefill
    return columns[0], columns[1], columns[2], columns[3]


def _pair_flops(architecture: Architecture, kind: str, bytes_at_16_bit: float, kv_heads: int) -> tuple[float, float]:
    """Operations of one head for one pair: the query with the key, and the weight with the value."""
    entries = bytes_at_16_bit / BYTES_AT_16_BIT
    if kind in ("full", "window"):
        return FLOPS_PER_PARAMETER * entries / kv_heads, FLOPS_PER_PARAMETER * entries / kv_heads
    if kind == "compressed":
        return FLOPS_PER_PARAMETER * entries, FLOPS_PER_PARAMETER * entries
    if kind != "mla":
        return 0.0, 0.0
    # Decode works on the latent itself; prefill on the keys and values that the up-projection makes of it.
    unfolded = next((block for block in architecture.blocks if block.name == "attention_latent_up"), None)
    decode = FLOPS_PER_PARAMETER * entries * (1 + _VALUE_SHARE)
    layers = sum(group.layers for group in architecture.groups if group.kind == "mla")
    if unfolded is None or not layers:
        return decode, decode
    width = unfolded.parameters / (layers * (entries - ROPE_HEAD_DIM) * architecture.n_heads) + ROPE_HEAD_DIM
    return decode, min(decode, FLOPS_PER_PARAMETER * width)
