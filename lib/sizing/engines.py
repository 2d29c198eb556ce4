"""The engines: what their users may set, what they take when nothing is set, and how each shares out its memory."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.errors import UnknownNameError
from lib.records import Engine, Sampler
from lib.units import GIB

Number = float | npt.NDArray[np.float64]

ENGINES: Final[tuple[Engine, ...]] = ("vllm-v1", "vllm-v0", "sglang", "tensorrt-llm")
SAMPLERS: Final[tuple[Sampler, ...]] = ("sort", "flashinfer", "none")


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What a user may set of an engine's memory and scheduler; utilisation is each engine's own memory fraction."""

    engine: Engine
    gpu_memory_utilization: float
    max_num_batched_tokens: int
    max_num_seqs: int
    sampler: Sampler
    block_size: int
    decode_context_parallel_size: int = 1
    """Ranks of the tensor-parallel group over which the tokens of one sequence are spread."""
    shared_prefix_tokens: int = 0
    """Tokens at the start that all sequences have in common and the prefix cache keeps once."""
    online_quantization: bool = False
    """Whether a 16-bit checkpoint is quantised while it loads."""


LEAST_FREE_FRACTION: Final = 0.015
"""With less of the memory left outside vLLM's budget than this it fails.

Logged starts reach 0.98 of the memory (case A026), logged failures begin at 0.99 (F029) and 1.0 (F021)."""

GRAPHS_LOGGED_GIB: Final = (0.1, 0.65, 1.9)
"""Low, middle and high of the CUDA graph memory that logs of vLLM state, outside the budget [GiB]."""

GRAPH_BYTES_PER_ELEMENT: Final = 15_300
"""Graphs and kernel buffers of mixtures of experts for each layer and element of the hidden size [bytes].

The middle of three logs: gpt-oss-120b 10,700 on one GPU (H002) and 19,500 on four (R001), DeepSeek-R1 15,300 (S007)."""

CHUNKED_FROM: Final = 32768
"""vLLM V0 splits prefills from contexts longer than this on, and its profile run then samples nothing [tokens]."""

REQUEST_SLOTS: Final = (2048, 4096)
"""SGLang keeps a table of 4-byte slots, context long, for at least and at most so many requests."""

SLOT_BYTES: Final = 4
LARGE_DEFAULTS_GIB: Final = 70.0
"""vLLM V1 takes its large scheduler defaults from so much memory on, A100 excepted."""

_SGLANG_RESERVED_GIB: Final = ((35.0, 2.8, 0.1), (90.0, 9.5, 0.5), (160.0, 12.0, 0.5), (float("inf"), 32.0, 0.0))
"""SGLang 0.4.6: below so much memory it keeps constant + slope x ranks out of the static fraction [GiB]."""


def engine_defaults(
    engine: Engine,
    memory_gib: float | None = None,
    accelerator_id: str = "",
    max_model_len: int | None = None,
    ranks: int = 1,
) -> EngineSettings:
    """The settings an engine's server takes when the user states none.

    Parameters
    ----------
    engine : Engine
        vllm-v1, vllm-v0, sglang or tensorrt-llm.
    memory_gib : float or None
        Memory of one GPU as reported; vLLM V1 and SGLang choose by it [GiB].
    accelerator_id : str
        vLLM V1 keeps its small defaults on A100 whatever the memory.
    max_model_len : int or None
        vLLM V0 batches a whole context at once up to 32,768 tokens [tokens].
    ranks : int
        GPUs of one replica; SGLang reserves by it.

    Returns
    -------
    EngineSettings
        Of the engine's OpenAI-compatible server.

    Raises
    ------
    UnknownNameError
        An engine that is not one of the four.

    Notes
    -----
    vLLM V1 0.10 and later, V0 0.6 to 0.9, SGLang 0.4.6, TensorRT-LLM 1.0: engines change them between versions, so
    that a user who knows better should state them.

    Examples
    --------
    >>> engine_defaults("vllm-v1", 79.18, "h100-sxm").max_num_seqs
    1024
    >>> engine_defaults("vllm-v1", 79.15, "a100-sxm-80g").max_num_seqs
    256

    References
    ----------
    vLLM arg_utils.py get_batch_defaults; SGLang server_args.py; TensorRT-LLM llm_args.py.
    """
    if engine == "vllm-v1":
        large = memory_gib is not None and memory_gib >= LARGE_DEFAULTS_GIB and not accelerator_id.startswith("a100")
        return EngineSettings(engine, 0.9, 8192 if large else 2048, 1024 if large else 256, "sort", 16)
    if engine == "vllm-v0":
        chunked = max_model_len is not None and max_model_len > CHUNKED_FROM
        tokens = 2048 if chunked or max_model_len is None else max(2048, max_model_len)
        return EngineSettings(engine, 0.9, tokens, 256, "none" if chunked else "sort", 16)
    if engine == "sglang":
        if memory_gib is None:
            return EngineSettings(engine, 0.88, 8192, 256, "flashinfer", 1)
        constant, slope = next((c, s) for limit, c, s in _SGLANG_RESERVED_GIB if memory_gib < limit)
        fraction = round(max(0.0, 1 - (constant + slope * ranks) / memory_gib), 3)
        tokens = 2048 if memory_gib < 35 else 8192 if memory_gib < 160 else 16384
        return EngineSettings(engine, fraction, tokens, 256, "flashinfer", 1)
    if engine == "tensorrt-llm":
        return EngineSettings(engine, 0.9, 8192, 2048, "flashinfer", 32)
    raise UnknownNameError("engine", engine, ENGINES)


def outside_bytes(engine: Engine, layers: int, hidden_size: int, has_experts: bool) -> float:
    """What an engine takes outside its budget once it runs: CUDA graphs and buffers of expert kernels, an estimate.

    bytes = layers x hidden x 15,300 with experts; the middle of the logged graphs without

    Parameters
    ----------
    engine : Engine
        TensorRT-LLM measures after all of it, so that nothing is left to take.
    layers : int
        Layers of the model.
    hidden_size : int
        Width of the residual stream.
    has_experts : bool
        Whether the model is a mixture of experts.

    Returns
    -------
    float
        Per GPU [bytes].

    Examples
    --------
    Kimi K3 fails with 8.9 GiB outside the budget and runs with 17.8 (case F002):

    >>> round(outside_bytes("vllm-v1", 93, 7168, True) / 2**30, 1)
    9.5
    """
    if engine == "tensorrt-llm":
        return 0.0
    if has_experts:
        return float(GRAPH_BYTES_PER_ELEMENT * layers * hidden_size)
    return GRAPHS_LOGGED_GIB[1] * GIB


def request_table_bytes(max_model_len: float, slots: int = REQUEST_SLOTS[0]) -> float:
    """SGLang's table from requests to cache slots, outside its pool.

    bytes = slots x context x 4

    Parameters
    ----------
    max_model_len : float
        Longest context the server admits [tokens].
    slots : int
        Requests that the table has rows for.

    Returns
    -------
    float
        Per GPU [bytes].

    Examples
    --------
    Ten million tokens of context allocate 80 GiB (case F006):

    >>> request_table_bytes(10 * 2**20) / 2**30
    80.0
    """
    return float(slots) * max_model_len * SLOT_BYTES


def cache_capacity(
    engine: Engine,
    memory_bytes: Number,
    fraction: Number,
    weights_bytes: Number,
    resident_bytes: Number,
    total_bytes: Number,
) -> Number:
    """What an engine leaves for the cache of one GPU, by its own rule; negative where nothing is left.

    vLLM: memory x fraction - weights - workspace; SGLang: free after load - free before x (1 - fraction);
    TensorRT-LLM: fraction x (memory - weights - workspace)

    Parameters
    ----------
    engine : Engine
        Whose rule.
    memory_bytes : Number
        As the runtime reports it [bytes].
    fraction : Number
        gpu_memory_utilization, mem_fraction_static or free_gpu_memory_fraction.
    weights_bytes : Number
        On this GPU [bytes].
    resident_bytes : Number
        Held before the weights are loaded [bytes].
    total_bytes : Number
        Whole workspace [bytes].

    Returns
    -------
    Number
        Capacity of the cache [bytes].

    Examples
    --------
    A log of TensorRT-LLM: 21.89 GiB free of 39.39, fraction 0.9, 631 blocks of 64 tokens of 0.5 MiB (case T001):

    >>> round(float(cache_capacity("tensorrt-llm", 39.39, 0.9, 14.38, 0.0, 3.12)), 1)
    19.7
    """
    if engine == "sglang":
        return (memory_bytes - resident_bytes) * fraction - weights_bytes
    if engine == "tensorrt-llm":
        return fraction * (memory_bytes - weights_bytes - total_bytes)
    return memory_bytes * fraction - weights_bytes - total_bytes
