"""What an engine takes beside weights and cache, per GPU: estimates with a band, fitted on logs."""

import functools
import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from lib.errors import InputError
from lib.records import Architecture, Doubt, Layout
from lib.sizing.engines import EngineSettings, Number
from lib.units import GIB


@dataclass(frozen=True, slots=True)
class WorkspaceConstants:
    """The eight fitted numbers of this module; benchmarks/accuracy.py fits them on logged cases.

    Attributes
    ----------
    context_bytes : float
        Driver context and libraries of one process [bytes].
    collective_bytes : float
        vLLM and TensorRT-LLM: buffers of the collectives for each doubling of the ranks of one replica [bytes].
    forward_bytes_per_element : float
        Live activation bytes per batched token and element of (intermediate / TP + hidden) [bytes].
    sort_bytes_per_logit : float
        Sampler that sorts: bytes per sampled sequence and vocabulary entry [bytes].
    fused_bytes_per_logit : float
        Fused sampler (FlashInfer): bytes per sampled sequence and vocabulary entry [bytes].
    resident_bytes : float
        SGLang: held before the weights are loaded, for each doubling of the ranks of one replica [bytes].
    low_ratio, high_ratio : float
        The band: logged over expected workspace at its 5th and 83rd percentile; four of five logs lie inside.
    """

    context_bytes: float
    collective_bytes: float
    forward_bytes_per_element: float
    sort_bytes_per_logit: float
    fused_bytes_per_logit: float
    resident_bytes: float
    low_ratio: float
    high_ratio: float


FITTED: Final = WorkspaceConstants(
    context_bytes=0.15 * GIB,
    collective_bytes=0.25 * GIB,
    forward_bytes_per_element=6.6,
    sort_bytes_per_logit=38.5,
    fused_bytes_per_logit=10.0,
    resident_bytes=0.7 * GIB,
    low_ratio=0.58,
    high_ratio=2.26,
)

EXPERT_CHUNK: Final = 32768
"""vLLM runs the routed experts in chunks of so many tokens (VLLM_FUSED_MOE_CHUNK_SIZE); its other engines follow."""

ACTIVATION_BYTES: Final = 2
"""Width of an activation at 16 bit [bytes]."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What the engine takes per GPU, by cause, with the band of the total [bytes]."""

    resident_bytes: float
    forward_bytes: float
    sampler_bytes: float
    low_bytes: float
    base_bytes: float
    high_bytes: float
    doubts: tuple[Doubt, ...]


NO_WORKSPACE: Final = Workspace(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ())


def stated(workspace_bytes: float) -> Workspace:
    """The workspace that a user states, without a band.

    Parameters
    ----------
    workspace_bytes : float
        Per GPU [bytes].

    Returns
    -------
    Workspace
        Low, base and high are the same figure.

    Raises
    ------
    InputError
        Negative or not finite.
    """
    if not 0 <= workspace_bytes < float("inf"):
        raise InputError("workspace_bytes", workspace_bytes, "0 or more")
    return replace(NO_WORKSPACE, low_bytes=workspace_bytes, base_bytes=workspace_bytes, high_bytes=workspace_bytes)


def dense_forward_bytes(
    tokens: Number,
    intermediate_size: Number,
    hidden_size: Number,
    tensor_parallel_size: Number,
    bytes_per_element: float,
) -> Number:
    """Activations alive at once in a dense layer, an estimate.

    bytes = tokens x (intermediate / TP + hidden) x bytes_per_element

    Parameters
    ----------
    tokens : Number
        Batched tokens of one step [tokens].
    intermediate_size : Number
        Width of the gated MLP.
    hidden_size : Number
        Width of the residual stream, whole on every rank.
    tensor_parallel_size : Number
        Ranks that share the MLP.
    bytes_per_element : float
        Gate, up and their product, at 16 bit: about 6 [bytes].

    Returns
    -------
    Number
        Per GPU [bytes].

    Examples
    --------
    Llama 3.1 8B without chunked prefill at 131,072 tokens, logged at 14.63 GiB (case A006):

    >>> round(dense_forward_bytes(131072, 14336, 4096, 1, 6.4) / 2**30, 1)
    14.4
    """
    return tokens * (intermediate_size / tensor_parallel_size + hidden_size) * bytes_per_element


def expert_forward_bytes(
    tokens: Number, experts_per_token: Number, expert_width_per_gpu: Number, hidden_size: Number
) -> Number:
    """Buffers of the fused expert kernels for one chunk, from their allocation.

    bytes = 2 x min(tokens, 32768) x top_k x (max(hidden, 2 x width) + width)

    Parameters
    ----------
    tokens : Number
        Tokens that meet on one rank; with expert and data parallelism those of all ranks [tokens].
    experts_per_token : Number
        Routed experts of one token.
    expert_width_per_gpu : Number
        Intermediate width of an expert on one rank.
    hidden_size : Number
        Width of the residual stream.

    Returns
    -------
    Number
        Per GPU [bytes].

    Notes
    -----
    The Triton and Marlin kernels of vLLM allocate so; other back ends may need less.

    Examples
    --------
    DeepSeek-V3, 8 ranks, 32,000 tokens:

    >>> round(expert_forward_bytes(32000, 8, 256, 7168) / 2**30, 2)
    3.54
    """
    chunk = smaller(tokens, EXPERT_CHUNK)
    widest = larger(hidden_size, 2 * expert_width_per_gpu)
    return ACTIVATION_BYTES * chunk * experts_per_token * (widest + expert_width_per_gpu)


def sampler_bytes(max_num_seqs: Number, tokens: Number, vocab: Number, bytes_per_logit: float) -> Number:
    """Logits and what the sampler makes of them, not divided by tensor parallelism, an estimate.

    bytes = min(max_num_seqs, tokens) x vocab x bytes_per_logit

    Parameters
    ----------
    max_num_seqs : Number
        Sequences sampled in one step.
    tokens : Number
        Batched tokens of one step [tokens].
    vocab : Number
        Entries of the vocabulary.
    bytes_per_logit : float
        About 39 where the sampler sorts, 10 where it is fused, 0 where the profile run does not sample [bytes].

    Returns
    -------
    Number
        Per GPU [bytes].

    Examples
    --------
    Qwen3 0.6B with 1,024 sequences, logged at 5.56 GiB (case H007):

    >>> round(sampler_bytes(1024, 8192, 151936, 38.6) / 2**30, 2)
    5.59
    """
    return smaller(max_num_seqs, tokens) * vocab * bytes_per_logit


def parts(
    architecture: Architecture,
    settings: EngineSettings,
    tensor_parallel_size: Number,
    data_parallel_size: Number = 1,
    expert_parallel: bool = False,
    constants: WorkspaceConstants = FITTED,
) -> tuple[Number, Number, Number]:
    """Resident, forward and sampler bytes of an engine per GPU, expected, for one layout or arrays of them.

    Parameters
    ----------
    architecture : Architecture
        Its widths, experts and vocabulary are read.
    settings : EngineSettings
        Scheduler limits and sampler.
    tensor_parallel_size : Number
        Ranks that share each matrix.
    data_parallel_size : Number
        Replicas of the attention where experts are shared.
    expert_parallel : bool
        Whole experts per rank; the tokens of all data-parallel ranks then meet.
    constants : WorkspaceConstants
        Fitted numbers.

    Returns
    -------
    tuple of Number
        (resident, forward, sampler) [bytes].

    Notes
    -----
    SGLang and TensorRT-LLM sample with kernels of their own, taken as fused.
    """
    shared_ranks = tensor_parallel_size * (data_parallel_size if expert_parallel else 1)
    doublings = math.log2(shared_ranks) if isinstance(shared_ranks, int | float) else np.log2(shared_ranks)
    rate = constants.resident_bytes if settings.engine == "sglang" else constants.collective_bytes
    resident = constants.context_bytes + rate * doublings
    tokens, hidden = settings.max_num_batched_tokens, architecture.hidden_size
    per_element = constants.forward_bytes_per_element
    if architecture.n_experts:
        width = architecture.moe_intermediate_size
        together = tokens * data_parallel_size if expert_parallel else tokens
        shared = architecture.n_shared_experts * width
        # Whole experts under expert parallelism, else a slice of each.
        share = width if expert_parallel else width / tensor_parallel_size
        forward = dense_forward_bytes(
            together, shared, hidden, tensor_parallel_size, per_element
        ) + expert_forward_bytes(together, architecture.experts_per_token, share, hidden)
    else:
        forward = dense_forward_bytes(tokens, architecture.intermediate_size, hidden, tensor_parallel_size, per_element)
    per_logit = {"sort": constants.sort_bytes_per_logit, "flashinfer": constants.fused_bytes_per_logit, "none": 0.0}
    sorts = settings.sampler == "sort" and settings.engine.startswith("vllm")
    kind = settings.sampler if sorts or settings.sampler == "none" else "flashinfer"
    sampler = sampler_bytes(settings.max_num_seqs, tokens, architecture.vocab, per_logit[kind])
    return resident, forward, sampler


def total(resident: Number, forward: Number, sampler: Number) -> Number:
    """Workspace per GPU: what stays plus the higher of two peaks that do not meet.

    bytes = resident + max(forward, sampler)

    Parameters
    ----------
    resident : Number
        Held all the time [bytes].
    forward : Number
        Peak of a forward step [bytes].
    sampler : Number
        Peak of sampling [bytes].

    Returns
    -------
    Number
        Per GPU [bytes].

    Examples
    --------
    >>> total(1.0, 2.0, 3.0)
    4.0
    """
    return resident + larger(forward, sampler)


@functools.lru_cache(maxsize=16_384)
def workspace(
    architecture: Architecture, layout: Layout, settings: EngineSettings, constants: WorkspaceConstants = FITTED
) -> Workspace:
    """What the engine takes per GPU beside weights and cache, an estimate with its band.

    total = context + c x log2(ranks) + max(forward, sampler)

    Parameters
    ----------
    architecture : Architecture
        The model.
    layout : Layout
        How one replica is split.
    settings : EngineSettings
        Scheduler limits and sampler.
    constants : WorkspaceConstants
        Fitted numbers.

    Returns
    -------
    Workspace
        Parts, band and doubts (sampler, estimate-sglang, estimate-tensorrt-llm).

    Notes
    -----
    Fitted on vLLM logs from 2024 to 2026; for SGLang the activations live outside the static fraction, and for
    TensorRT-LLM no logged free cache is known: their answers carry a doubt.
    """
    resident, forward, sampler = (
        float(part)
        for part in parts(
            architecture,
            settings,
            layout.tensor_parallel_size,
            layout.data_parallel_size,
            layout.expert_parallel,
            constants,
        )
    )
    base = float(total(resident, forward, sampler))
    doubts: list[Doubt] = []
    if sampler > forward and sampler > GIB:
        doubts.append(Doubt("sampler", {"sampler_gib": sampler / GIB, "max_num_seqs": settings.max_num_seqs}))
    if settings.engine in ("sglang", "tensorrt-llm"):
        doubts.append(Doubt(f"estimate-{settings.engine}", {}))
    return Workspace(
        resident, forward, sampler, base * constants.low_ratio, base, base * constants.high_ratio, tuple(doubts)
    )


def smaller(one: Number, other: Number) -> Number:
    """The smaller of each pair; plain numbers, of which a single plan is made, without the cost of arrays.

    Parameters
    ----------
    one : Number
        A number or an array.
    other : Number
        Another.

    Returns
    -------
    Number
        A plain number where both are.
    """
    if isinstance(one, int | float) and isinstance(other, int | float):
        return min(one, other)
    return np.minimum(one, other)


def larger(one: Number, other: Number) -> Number:
    """The larger of each pair, as smaller.

    Parameters
    ----------
    one : Number
        A number or an array.
    other : Number
        Another.

    Returns
    -------
    Number
        A plain number where both are.
    """
    if isinstance(one, int | float) and isinstance(other, int | float):
        return max(one, other)
    return np.maximum(one, other)
