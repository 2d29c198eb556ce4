"""Bytes that sequences keep between steps: one formula over layer groups for every kind of attention and state.

bytes(n tokens) = sum over groups of layers x (bytes_per_token x T(n) + state) / shards, with T(n) = min(n, window) and
shards = min(TP, max_tp_shards).
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lib.errors import InputError, UnknownNameError
from lib.records import KvFormat, LayerGroup

Numbers = npt.NDArray[np.float64] | float
"""A number or an array of them."""

BLOCK_SIZE: Final = 16
"""Tokens of one block of the paged cache, the default of the engines."""

INFINITY: Final = float("inf")
"""The window of layers that look back at everything."""

SPREAD_KINDS: Final = ("full", "mla", "indexer")
"""Kinds whose tokens decode context parallelism spreads over ranks."""


def tokens_held(tokens: Numbers, window: Numbers | None, *, in_flight_tokens: int = 0) -> Numbers:
    """Tokens that one layer keeps of a sequence, exact: min(n, window), or all of them.

    Parameters
    ----------
    tokens : Numbers
        Length of the sequence.
    window : Numbers | None
        Tokens that the layer looks back at most; None or infinite for all.
    in_flight_tokens : int
        Tokens that a scheduler step may add before it frees any: with more than 0, an engine sets aside
        window - 1 + in_flight_tokens.

    Returns
    -------
    Numbers
        Tokens kept, in the shape of tokens and window.

    Examples
    --------
    >>> float(tokens_held(131072, 1024)), float(tokens_held(500, 1024)), float(tokens_held(131072, None))
    (1024.0, 500.0, 131072.0)
    """
    if window is None:
        return np.asarray(tokens, dtype=float)
    reach = np.asarray(window, dtype=float) + (in_flight_tokens - 1 if in_flight_tokens else 0)
    held: npt.NDArray[np.float64] = np.minimum(np.asarray(tokens, dtype=float), reach)
    return held


def bytes_per_sequence(
    groups: Sequence[LayerGroup],
    tokens: npt.ArrayLike,
    kv_format: KvFormat,
    tensor_parallel_size: npt.ArrayLike,
    pipeline_parallel_size: npt.ArrayLike = 1,
    block_size: int = BLOCK_SIZE,
    *,
    in_flight_tokens: int = 0,
    decode_context_parallel_size: int = 1,
) -> Numbers:
    """Bytes that one sequence keeps on the fullest GPU, exact for the layout.

    Parameters
    ----------
    groups : Sequence[LayerGroup]
        Layer groups of the model.
    tokens : npt.ArrayLike
        Length of the sequence; a number or an array.
    kv_format : KvFormat
        Format of the cache, which is independent of the weights'.
    tensor_parallel_size : npt.ArrayLike
        GPUs that share each layer; broadcast against tokens.
    pipeline_parallel_size : npt.ArrayLike
        Stages that share the layers; the fullest one counts. Broadcast against tokens.
    block_size : int
        Tokens are kept in whole blocks of this many; 1 for no rounding.
    in_flight_tokens : int
        As in tokens_held; 0 counts what is looked at, not what a scheduler sets aside.
    decode_context_parallel_size : int
        Ranks over which the tokens of full and latent layers are spread.

    Returns
    -------
    Numbers
        Bytes, in the broadcast shape [bytes].

    Raises
    ------
    InputError
        Negative tokens, or a size below 1.
    UnknownNameError
        No such cache format.

    Notes
    -----
    The fullest stage is taken to hold the ceiling of each group's layers over the stages, at most one too many of each.

    Examples
    --------
    DeepSeek-V3 keeps 512 + 64 values of 16 bit in each of 61 layers, on every GPU alike: 70,272 bytes per token.

    >>> latent = (LayerGroup(61, "mla", 1152, 576, None, 0, 1),)
    >>> [float(bytes_per_sequence(latent, 16, "bf16", size)) / 16 for size in (1, 8)]
    [70272.0, 70272.0]
    """
    table = _columns(tuple(groups), kv_format)
    length = _beside_groups(tokens, 0, "tokens")
    ranks = _beside_groups(tensor_parallel_size, 1, "tensor_parallel_size")
    stages = _beside_groups(pipeline_parallel_size, 1, "pipeline_parallel_size")
    if block_size < 1 or decode_context_parallel_size < 1 or in_flight_tokens < 0:
        sizes = (block_size, decode_context_parallel_size, in_flight_tokens)
        raise InputError("block_size, decode_context_parallel_size, in_flight_tokens", sizes, "at least 1, 1 and 0")
    held = tokens_held(length, table.window, in_flight_tokens=in_flight_tokens)
    if decode_context_parallel_size > 1:
        held = np.where(table.spread, held / decode_context_parallel_size, held)
    held = np.ceil(held / block_size) * block_size
    parts = np.minimum(ranks, table.max_shards)
    layers = np.ceil(table.layers / stages)
    total = (layers * (table.per_token * held + table.state) / parts).sum(axis=-1)
    return float(total) if total.ndim == 0 else total


def bytes_per_token(
    groups: Sequence[LayerGroup], tokens: npt.ArrayLike, kv_format: KvFormat, tensor_parallel_size: npt.ArrayLike
) -> Numbers:
    """Average bytes per token of a sequence of that length on one GPU, exact; state and windows included.

    Parameters
    ----------
    groups : Sequence[LayerGroup]
        Layer groups of the model.
    tokens : npt.ArrayLike
        Length of the sequence.
    kv_format : KvFormat
        Format of the cache.
    tensor_parallel_size : npt.ArrayLike
        GPUs that share each layer.

    Returns
    -------
    Numbers
        Bytes per token [bytes].

    Raises
    ------
    InputError
        Tokens or size below 1.
    UnknownNameError
        No such cache format.

    Examples
    --------
    Gemma 3 27B at 131,072 tokens: ten layers keep all of them, 52 the last 1,024.

    >>> gemma = (LayerGroup(10, "full", 8192, 4096, None, 0, 16), LayerGroup(52, "window", 8192, 4096, 1024, 0, 16))
    >>> bytes_per_token(gemma, 131_072, "bf16", 1)
    85248.0
    """
    length = _at_least(tokens, 1, "tokens")
    average = np.asarray(bytes_per_sequence(groups, length, kv_format, tensor_parallel_size, block_size=1)) / length
    return float(average) if average.ndim == 0 else average


def longest_context(
    budget_bytes: float,
    groups: Sequence[LayerGroup],
    kv_format: KvFormat,
    tensor_parallel_size: int,
    pipeline_parallel_size: int = 1,
    block_size: int = BLOCK_SIZE,
    *,
    sequences: int = 1,
    limit: int,
) -> int:
    """The most tokens of each of some sequences that a budget holds, exact; 0 where not even one block fits.

    Parameters
    ----------
    budget_bytes : float
        Bytes for the cache on one GPU [bytes].
    groups : Sequence[LayerGroup]
        Layer groups of the model.
    kv_format : KvFormat
        Format of the cache.
    tensor_parallel_size : int
        GPUs that share each layer.
    pipeline_parallel_size : int
        Stages that share the layers.
    block_size : int
        Tokens of one block.
    sequences : int
        Sequences of this length at the same time.
    limit : int
        The most that the answer may be: the model's context.

    Returns
    -------
    int
        Tokens, in whole blocks unless the limit cuts them.

    Raises
    ------
    InputError
        A budget that is not a number, or a count below 1.
    UnknownNameError
        No such cache format.

    Examples
    --------
    >>> latent = (LayerGroup(61, "mla", 1152, 576, None, 0, 1),)
    >>> longest_context(70_272 * 1000, latent, "bf16", 8, limit=131_072)
    992
    """
    if sequences < 1 or limit < 1:
        raise InputError("sequences, limit", (sequences, limit), "at least 1")
    if not budget_bytes < INFINITY:
        raise InputError("budget_bytes", budget_bytes, "a finite number")
    sizes = (kv_format, tensor_parallel_size, pipeline_parallel_size, block_size)

    # Between the lengths at which a window fills, bytes grow by the same amount with every block.
    most = -(-limit // block_size)
    full = {-(-group.window // block_size) for group in groups if group.window is not None}
    turns = np.array(sorted({0, most, *(blocks for blocks in full if blocks < most)}))
    needed = np.asarray(bytes_per_sequence(groups, turns * block_size, *sizes)) * sequences
    within = int(np.searchsorted(needed, budget_bytes, side="right")) - 1
    if within < 0:
        return 0
    if within == len(turns) - 1:
        return limit
    per_block = (needed[within + 1] - needed[within]) / (turns[within + 1] - turns[within])
    blocks = int(turns[within]) + int((budget_bytes - needed[within]) // per_block)
    return blocks * block_size


def most_sequences(
    budget_bytes: npt.ArrayLike,
    groups: Sequence[LayerGroup],
    tokens: npt.ArrayLike,
    kv_format: KvFormat,
    tensor_parallel_size: npt.ArrayLike,
    pipeline_parallel_size: npt.ArrayLike = 1,
    block_size: int = BLOCK_SIZE,
) -> Numbers:
    """The most sequences of a length that a budget holds at the same time, exact: floor(budget / bytes of one).

    Parameters
    ----------
    budget_bytes : npt.ArrayLike
        Bytes for the cache on one GPU [bytes]; a negative budget holds none.
    groups : Sequence[LayerGroup]
        Layer groups of the model.
    tokens : npt.ArrayLike
        Length of each sequence.
    kv_format : KvFormat
        Format of the cache.
    tensor_parallel_size : npt.ArrayLike
        GPUs that share each layer.
    pipeline_parallel_size : npt.ArrayLike
        Stages that share the layers.
    block_size : int
        Tokens of one block.

    Returns
    -------
    Numbers
        Whole sequences, in the broadcast shape.

    Raises
    ------
    InputError
        Tokens or a size below 1.
    UnknownNameError
        No such cache format.

    Examples
    --------
    >>> latent = (LayerGroup(61, "mla", 1152, 576, None, 0, 1),)
    >>> most_sequences(70_272 * 32_768 * 16, latent, 32_768, "bf16", 8)
    16.0
    """
    length = _at_least(tokens, 1, "tokens")
    one = np.asarray(
        bytes_per_sequence(groups, length, kv_format, tensor_parallel_size, pipeline_parallel_size, block_size)
    )
    count = np.floor(np.maximum(np.asarray(budget_bytes, dtype=float), 0) / one)
    return float(count) if count.ndim == 0 else count


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Layer groups as arrays, one entry per group."""

    layers: npt.NDArray[np.float64]
    per_token: npt.NDArray[np.float64]
    window: npt.NDArray[np.float64]
    state: npt.NDArray[np.float64]
    max_shards: npt.NDArray[np.float64]
    spread: npt.NDArray[np.bool_]


@functools.lru_cache(maxsize=1024)
def _columns(groups: tuple[LayerGroup, ...], kv_format: KvFormat) -> _Columns:
    if kv_format not in ("bf16", "fp8"):
        raise UnknownNameError("cache format", str(kv_format), ("bf16", "fp8"))
    if not groups:
        raise InputError("groups", groups, "at least one layer group")
    per_token = [group.bytes_per_token_bf16 if kv_format == "bf16" else group.bytes_per_token_fp8 for group in groups]
    window = [INFINITY if group.window is None else group.window for group in groups]
    return _Columns(
        layers=np.array([group.layers for group in groups], dtype=float),
        per_token=np.array(per_token, dtype=float),
        window=np.array(window, dtype=float),
        state=np.array([group.state_bytes_per_sequence for group in groups], dtype=float),
        max_shards=np.array([group.max_tp_shards for group in groups], dtype=float),
        spread=np.array([group.kind in SPREAD_KINDS for group in groups]),
    )


def _beside_groups(values: Any, lowest: int, name: str) -> Numbers:
    """The values checked, with an axis for the groups; a plain number stays one, which is faster."""
    if not isinstance(values, int | float):
        return _at_least(values, lowest, name)[..., None]
    if not lowest <= values < INFINITY:
        raise InputError(name, values, f"at least {lowest}, and finite")
    return float(values)


def _at_least(values: npt.ArrayLike, lowest: int, name: str) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=float)
    if not np.all((array >= lowest) & (array < INFINITY)):
        raise InputError(name, values, f"at least {lowest}, and finite")
    return array
