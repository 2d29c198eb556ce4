"""What training keeps of every token until the backward pass: activations by layer, checkpoints, logits."""

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from lib.errors import InputError, UnknownNameError

Numbers = npt.NDArray[np.float64] | float
"""A number or an array of them."""

Recompute = Literal["none", "selective", "full"]
RECOMPUTES: Final[tuple[Recompute, ...]] = ("none", "selective", "full")

NOT_SPLIT: Final = 10.0
"""Bytes per hidden value outside tensor parallel regions: inputs of norms, attention and MLP, two dropout masks."""

ATTENTION: Final = 8.0
"""Bytes per hidden value inside attention: queries, keys, values, and the input of the output projection."""

CLASSIC_MLP: Final = 16.0
"""Bytes per hidden value inside an MLP of width 4 h with two matrices."""

CHECKPOINT: Final = 2.0
"""Bytes per hidden value of a layer's input, all that full recomputation keeps."""

MEASURED_COPIES: Final = 28
"""Hidden states of 16 bit that one layer of Llama 3.1 8B kept when it was measured in its reference implementation."""

MEASURED_FORM: Final = NOT_SPLIT + ATTENTION + 4 * 14_336 / 4096
"""The published form for that same layer: 32 bytes per hidden value."""

MEASURED_RATIO: Final = 2 * MEASURED_COPIES / MEASURED_FORM
"""How far that measurement lies above the published form: 1.75, the high end of the band."""

LOGIT_BYTES: Final[tuple[float, float]] = (4.0, 6.0)
"""Bytes per logit: in fp32, and with the 16-bit copy that exists beside it."""


def bytes_per_layer(
    sequence_tokens: Numbers,
    micro_batch: Numbers,
    hidden_size: Numbers,
    heads: Numbers,
    recompute: Recompute = "none",
    tensor_parallel_size: int = 1,
    *,
    sequence_parallel: bool = False,
    mlp_bytes: Numbers = CLASSIC_MLP,
) -> Numbers:
    """Activations that one layer keeps for one micro-batch on one GPU, an estimate outside the models it was derived for.

    s b h (10 + (8 + mlp + 5 a s/h) / t), all of it / t with sequence parallelism; no 5 a s/h when recomputed
    selectively; 2 s b h when recomputed in full

    Parameters
    ----------
    sequence_tokens : Numbers
        Tokens s of a sequence.
    micro_batch : Numbers
        Sequences b.
    hidden_size : Numbers
        Hidden size h.
    heads : Numbers
        Attention heads a.
    recompute : Recompute
        none keeps attention scores; selective recomputes them, as FlashAttention does; full keeps the layer's input.
    tensor_parallel_size : int
        Ranks t.
    sequence_parallel : bool
        Whether what tensor parallelism leaves whole is cut along the sequence.
    mlp_bytes : Numbers
        Bytes per hidden value inside the MLP: 2 x tensors kept x width / h; 16 for two tensors of width 4 h.

    Returns
    -------
    Numbers
        Kept until the backward pass [bytes].

    Raises
    ------
    InputError
        Fewer than one rank.
    UnknownNameError
        No such mode of recomputation.

    Notes
    -----
    Derived for 16-bit GPT layers with dropout, LayerNorm and as many key as query heads. Grouped queries and models
    without dropout keep less, gated MLPs and unfused code more.

    References
    ----------
    arXiv 2205.05198, table 2; megatron-lm: megatron/training/theoretical_memory_usage.py.

    Examples
    --------
    GPT-3 (2,048 tokens, 12,288 wide, 96 heads) over 8 GPUs with sequence parallelism and selective recomputation:

    >>> f"{bytes_per_layer(2048, 1, 12288, 96, 'selective', 8, sequence_parallel=True):,.0f}"
    '106,954,752'
    """
    if recompute not in RECOMPUTES:
        raise UnknownNameError("mode of recomputation", recompute, RECOMPUTES)
    if tensor_parallel_size < 1:
        raise InputError("tensor_parallel_size", tensor_parallel_size, "at least 1")
    size = float(tensor_parallel_size)
    values = sequence_tokens * micro_batch * hidden_size
    if recompute == "full":
        return values * CHECKPOINT / (size if sequence_parallel else 1.0)
    inside = ATTENTION + mlp_bytes
    if recompute == "none":
        inside = inside + score_bytes(sequence_tokens, hidden_size, heads)
    return values * (NOT_SPLIT / (size if sequence_parallel else 1.0) + inside / size)


def score_bytes(sequence_tokens: Numbers, hidden_size: Numbers, heads: Numbers) -> Numbers:
    """Bytes per hidden value of attention scores, their softmax and its dropout: 5 a s / h.

    Parameters
    ----------
    sequence_tokens : Numbers
        Tokens s of a sequence.
    hidden_size : Numbers
        Hidden size h.
    heads : Numbers
        Attention heads a.

    Returns
    -------
    Numbers
        Bytes per hidden value.

    References
    ----------
    arXiv 2205.05198, section 4.

    Examples
    --------
    GPT-3 and MT-NLG 530B: the share that selective recomputation removes is 80/114 and 64/98.

    >>> score_bytes(2048, 12288, 96), score_bytes(2048, 20480, 128)
    (80.0, 64.0)
    """
    return 5 * heads * sequence_tokens / hidden_size


def in_flight(pipeline_parallel_size: int, stage: int, micro_batches: int | None = None) -> int:
    """Micro-batches whose activations a pipeline stage holds at once: min(p - stage, micro-batches).

    Parameters
    ----------
    pipeline_parallel_size : int
        Stages p.
    stage : int
        Stage, from 0.
    micro_batches : int or None
        Micro-batches of one step; None for at least as many as stages.

    Returns
    -------
    int
        One forward, one backward: the first stage holds the most.

    References
    ----------
    megatron-lm: megatron/training/theoretical_memory_usage.py, schedule without interleaving.

    Examples
    --------
    >>> [in_flight(4, stage) for stage in range(4)]
    [4, 3, 2, 1]
    """
    held = pipeline_parallel_size - stage
    return held if micro_batches is None else min(held, micro_batches)


def logits_bytes(
    sequence_tokens: Numbers,
    micro_batch: Numbers,
    vocab: Numbers,
    bytes_per_logit: float = LOGIT_BYTES[1],
    tensor_parallel_size: int = 1,
) -> Numbers:
    """Logits of one micro-batch on one GPU of the last stage: 4 s b V in fp32, 6 s b V with their 16-bit copy, over t.

    Parameters
    ----------
    sequence_tokens : Numbers
        Tokens s of a sequence.
    micro_batch : Numbers
        Sequences b.
    vocab : Numbers
        Vocabulary V.
    bytes_per_logit : float
        4 or 6 [bytes].
    tensor_parallel_size : int
        Ranks t that share the vocabulary.

    Returns
    -------
    Numbers
        Logits [bytes].

    Notes
    -----
    A loss computed in chunks keeps a chunk instead; that is not modelled.

    References
    ----------
    stas00-ml-engineering: training/performance/README.md.

    Examples
    --------
    Llama 3.1 at 32,768 tokens, published as 15.7 GiB in fp32:

    >>> f"{logits_bytes(32768, 1, 128256, 4) / 2**30:.1f}"
    '15.7'
    """
    return sequence_tokens * micro_batch * vocab * bytes_per_logit / tensor_parallel_size
