"""What an engine holds beyond the model: cache set aside for a sequence, and copies of weights made at load."""

import functools
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.records import Architecture, Engine, KvFormat, LayerGroup
from lib.sizing import kv_cache
from lib.sizing.engines import EngineSettings
from lib.sizing.kv_cache import Numbers
from lib.sizing.weights import BYTES_AT_16_BIT

OVERLAPPED_RATIO: Final = 4
"""Compression in fours keeps a window of twice that, because neighbouring groups overlap."""

COMPRESSED_STATE_PADDING: Final = 37_440 / (4 * 8_192)
"""vLLM pads a page with the compressor state of 4 tokens of 8,192 bytes to the common page of 37,440 bytes."""

CONCURRENT_BATCHES: Final = 2
"""vLLM versions that run compressed attention schedule the next step while one still runs."""

ROPE_HEAD_DIM: Final = 64
"""Rotary part of a latent entry in every model with latent attention so far."""

_NO_TOKENS: Final = 0


def groups_as_held(groups: tuple[LayerGroup, ...], settings: EngineSettings) -> tuple[tuple[LayerGroup, ...], int]:
    """The layer groups and tokens in flight that an engine reckons with for one sequence.

    Parameters
    ----------
    groups : tuple of LayerGroup
        What attention looks back at.
    settings : EngineSettings
        The engine and its batched tokens.

    Returns
    -------
    tuple of (tuple of LayerGroup, int)
        Groups with the windows that the engine keeps, and the tokens of a step that it sets aside in each window.

    Notes
    -----
    vLLM V1 frees a window only after the step, so that a window holds window - 1 + batched tokens; for compressed
    attention it keeps the compressor's state for every such token of two steps (page sizes padded to one). vLLM V0
    keeps layers with a window at full length where the model has others without one. SGLang and TensorRT-LLM as the
    formula says. Case R001: 284.25 sequences of 16,384 tokens of gpt-oss-120b in 45.32 GiB on each of 4 ranks.
    """
    if settings.engine == "vllm-v0":
        return _without_windows(groups), _NO_TOKENS
    if settings.engine != "vllm-v1":
        return groups, _NO_TOKENS
    if any(group.kind == "compressed" for group in groups):
        return _with_states_in_flight(groups), settings.max_num_batched_tokens * CONCURRENT_BATCHES
    return groups, settings.max_num_batched_tokens


def sequence_and_step_bytes(
    groups: tuple[LayerGroup, ...],
    settings: EngineSettings | None,
    tokens: npt.ArrayLike,
    kv_format: KvFormat,
    tensor_parallel_size: npt.ArrayLike,
    block_size: int,
    *,
    decode_context_parallel_size: int = 1,
    shared_prefix_tokens: int = 0,
) -> tuple[Numbers, Numbers]:
    """Cache that a full sequence keeps, and what is needed once beside all sequences: a step's tokens, a shared prefix.

    Parameters
    ----------
    groups : tuple of LayerGroup
        What attention looks back at.
    settings : EngineSettings or None
        The engine, whose step is reckoned with; None counts what attention reads and no step.
    tokens : array_like
        Length of the sequence [tokens].
    kv_format : KvFormat
        Format of the cache.
    tensor_parallel_size : array_like
        GPUs that share each layer.
    block_size : int
        Tokens are kept in whole blocks of this many.
    decode_context_parallel_size : int
        Ranks over which the tokens of full and latent layers are spread.
    shared_prefix_tokens : int
        Tokens that all sequences begin with; whole blocks of them are kept once.

    Returns
    -------
    tuple of ndarray
        Bytes of one sequence, and bytes needed once, on one GPU of a single stage [bytes].

    Notes
    -----
    A step holds at most the batched tokens, whatever the number of sequences: n sequences need n x sequence + step.
    An engine that states how many requests it could hold reckons with a step for each of them. Layers that look back at
    everything share a prefix; windows and states are each sequence's own.

    Examples
    --------
    Windows of 128 tokens in 2 layers of 1,024 bytes, a step of 512 tokens, blocks of 16:

    >>> from lib.sizing.engines import EngineSettings
    >>> settings = EngineSettings("vllm-v1", 0.9, 512, 256, "sort", 16)
    >>> window = (LayerGroup(2, "window", 1024, 512, 128, 0, 1),)
    >>> [float(one) for one in sequence_and_step_bytes(window, settings, 4096, "bf16", 1, 16)]
    [262144.0, 1048576.0]
    """
    held, in_flight = (groups, _NO_TOKENS) if settings is None else groups_as_held(groups, settings)
    spread = decode_context_parallel_size
    kept = kv_cache.bytes_per_sequence(
        held, tokens, kv_format, tensor_parallel_size, 1, block_size, decode_context_parallel_size=spread
    )
    alone = kv_cache.bytes_per_sequence(
        held, tokens, kv_format, tensor_parallel_size, 1, block_size,
        in_flight_tokens=in_flight, decode_context_parallel_size=spread,
    )  # fmt: skip
    if not shared_prefix_tokens:
        return kept, alone - kept
    whole = np.minimum(np.asarray(tokens) // block_size, shared_prefix_tokens // block_size) * block_size
    shared = kv_cache.bytes_per_sequence(
        _looking_back_at_all(held), whole, kv_format, tensor_parallel_size, 1, block_size,
        decode_context_parallel_size=spread,
    )  # fmt: skip
    return kept - shared, alone - kept + shared


@functools.lru_cache(maxsize=512)
def _looking_back_at_all(groups: tuple[LayerGroup, ...]) -> tuple[LayerGroup, ...]:
    return tuple(
        replace(group, state_bytes_per_sequence=0.0)
        for group in groups
        if group.window is None and group.bytes_per_token_bf16 and group.kind != "state"
    )


@functools.lru_cache(maxsize=512)
def _without_windows(groups: tuple[LayerGroup, ...]) -> tuple[LayerGroup, ...]:
    if any(group.kind == "full" for group in groups):
        return tuple(replace(group, window=None) if group.kind == "window" else group for group in groups)
    return groups


@functools.lru_cache(maxsize=512)
def _with_states_in_flight(groups: tuple[LayerGroup, ...]) -> tuple[LayerGroup, ...]:
    """Compressor states as windows: so many bytes for each token that the state covers."""
    whole = max((group.bytes_per_token_bf16 for group in groups if group.kind == "window"), default=0.0)
    ratios = [round(whole / group.bytes_per_token_bf16) for group in groups if group.kind == "compressed"]
    covered = [2 * ratio if ratio == OVERLAPPED_RATIO else ratio for ratio in ratios]
    held = []
    for group in groups:
        if group.kind == "state" and covered:
            tokens = covered.pop(0)
            per_token = group.state_bytes_per_sequence / tokens * COMPRESSED_STATE_PADDING
            held.append(
                replace(
                    group,
                    bytes_per_token_bf16=per_token,
                    bytes_per_token_fp8=per_token,
                    window=tokens,
                    state_bytes_per_sequence=0.0,
                )
            )
        else:
            held.append(group)
    return tuple(held)


def absorbed_bytes(
    architecture: Architecture, tensor_parallel_size: int, engine: Engine, bytes_per_weight: float
) -> float:
    """Products of projections that vLLM V0 made at load for latent attention, beside the weights; 0 elsewhere.

    bytes = layers x heads / TP x latent x (query latent + hidden) x bytes per weight

    Parameters
    ----------
    architecture : Architecture
        With latent attention, else 0.
    tensor_parallel_size : int
        Ranks that share the heads.
    engine : Engine
        Only vllm-v0 keeps them.
    bytes_per_weight : float
        1 where the weights are 8 bits wide or fewer, else 2 [bytes].

    Returns
    -------
    float
        Per GPU [bytes].

    Notes
    -----
    vLLM 0.7 (VLLM_MLA_PERFORM_MATRIX_ABSORPTION): case R008 logs 83.88 GiB of weights, the checkpoint's share is 79.5.

    Examples
    --------
    DeepSeek-R1 on 8 ranks:

    >>> 61 * 128 / 8 * 512 * (1536 + 7168) / 2**30  # doctest: +ELLIPSIS
    4.05...
    """
    latents = [group for group in architecture.groups if group.kind == "mla"]
    if engine != "vllm-v0" or not latents:
        return 0.0
    layers = sum(group.layers for group in latents)
    entry = latents[0].bytes_per_token_bf16 / BYTES_AT_16_BIT
    down = sum(block.parameters for block in architecture.blocks if block.name == "attention_replicated")
    query_latent = max(down / layers / architecture.hidden_size - entry, 0.0)
    heads = architecture.n_heads / tensor_parallel_size
    return layers * heads * (entry - ROPE_HEAD_DIM) * (query_latent + architecture.hidden_size) * bytes_per_weight
