"""What physics allows: bytes and operations of a step, and the least time a part needs for them. Kernels, base units."""

from typing import Final

import numpy as np
import numpy.typing as npt

from lib.errors import InputError

Numbers = npt.NDArray[np.float64] | float
"""A number or an array of them."""

FLOPS_PER_PARAMETER: Final = 2
"""A multiplication and an addition for each weight and token."""

ALL_REDUCES_PER_LAYER: Final = 2
"""Tensor parallelism sums once behind attention and once behind the feed-forward part."""


def distinct_experts(n_experts: Numbers, experts_per_token: Numbers, tokens: Numbers) -> Numbers:
    """Routed experts of one layer that at least one of some tokens chooses, expected.

    E (1 - (1 - k / E)^tokens)

    Parameters
    ----------
    n_experts : Numbers
        Routed experts of the layer, E; 0 for a layer without.
    experts_per_token : Numbers
        Experts that each token chooses, k.
    tokens : Numbers
        Tokens of the step.

    Returns
    -------
    Numbers
        Experts whose weights are read.

    Notes
    -----
    Tokens are taken to choose independently and evenly. Real routing is uneven, so that fewer experts are read.

    Examples
    --------
    Sixteen tokens of DeepSeek-V3 wake 102 of 256 experts:

    >>> round(float(distinct_experts(256, 8, 16)), 1)
    102.0
    """
    experts, tokens = np.asarray(n_experts, dtype=float), np.asarray(tokens, dtype=float)
    share = np.asarray(experts_per_token, dtype=float) / np.maximum(experts, 1)
    found: npt.NDArray[np.float64] = experts * (1 - (1 - share) ** tokens)
    return found


def mean_reach(first: Numbers, last: Numbers, window: Numbers) -> Numbers:
    """Tokens that one query looks back at while a sequence grows, exact: the mean of min(t, window).

    (1 / (last - first)) x integral from first to last of min(t, window) dt

    Parameters
    ----------
    first : Numbers
        Length of the sequence at the start [tokens].
    last : Numbers
        Length at the end, above the first [tokens].
    window : Numbers
        Tokens that the layer looks back at most; infinite for all.

    Returns
    -------
    Numbers
        Tokens, in the broadcast shape.

    Examples
    --------
    >>> float(mean_reach(1000, 2000, np.inf)), float(mean_reach(1000, 2000, 128)), float(mean_reach(0, 1000, 500))
    (1500.0, 128.0, 375.0)
    """
    start, end = np.asarray(first, dtype=float), np.asarray(last, dtype=float)
    bend = np.clip(np.asarray(window, dtype=float), start, end)
    grown = (bend - start) * (bend + start) / 2
    flat = np.where(end > bend, (end - bend) * bend, 0.0)
    found: npt.NDArray[np.float64] = np.where(
        bend >= window, (grown + flat) / np.maximum(end - start, 1), (start + end) / 2
    )
    return np.where(np.asarray(window) <= start, window, found)


def causal_pairs(tokens: Numbers, window: Numbers) -> Numbers:
    """Pairs of query and key that attention works through for one prompt, exact: sum over t of min(t, window).

    Parameters
    ----------
    tokens : Numbers
        Length of the prompt [tokens].
    window : Numbers
        Tokens that the layer looks back at most; infinite for all.

    Returns
    -------
    Numbers
        Pairs, in the broadcast shape.

    Notes
    -----
    The half square, n^2 / 2, without the diagonal's half: a lower bound.

    Examples
    --------
    >>> float(causal_pairs(1000, np.inf)), float(causal_pairs(1000, 100))
    (500000.0, 95000.0)
    """
    length = np.asarray(tokens, dtype=float)
    reach = np.minimum(length, window)
    found: npt.NDArray[np.float64] = reach * reach / 2 + reach * (length - reach)
    return found


def all_reduce_s(message_bytes: Numbers, ranks: Numbers, bus_bandwidth_bytes_per_s: Numbers) -> Numbers:
    """Time to sum a message over ranks at a bus bandwidth.

    2 (ranks - 1) / ranks x bytes / bus bandwidth

    Parameters
    ----------
    message_bytes : Numbers
        Bytes on each rank [bytes].
    ranks : Numbers
        GPUs that take part; with one nothing is sent.
    bus_bandwidth_bytes_per_s : Numbers
        As nccl-tests define it; infinite where none is known, which leaves the bound a bound [bytes/s].

    Returns
    -------
    Numbers
        Time [s].

    References
    ----------
    NVIDIA/nccl-tests doc/PERFORMANCE.md.

    Examples
    --------
    >>> float(all_reduce_s(8e9, 8, 480e9))
    0.029166666666666667
    """
    size = np.asarray(ranks, dtype=float)
    found: npt.NDArray[np.float64] = 2 * (size - 1) / size * message_bytes / bus_bandwidth_bytes_per_s
    return found


def training_step_s(parameters: float, tokens: float, peak_flops_per_s: float, gpus: int = 1) -> float:
    """The least time of a training step: forward and backward pass at the dense peak.

    6 x parameters x tokens / (gpus x peak)

    Parameters
    ----------
    parameters : float
        Parameters that each token uses.
    tokens : float
        Tokens of the whole batch.
    peak_flops_per_s : float
        Dense peak of one GPU in the format of the computation [FLOP/s].
    gpus : int
        GPUs that share the step.

    Returns
    -------
    float
        Time, a lower bound; attention is left out [s].

    Raises
    ------
    InputError
        A value that is not above 0.

    References
    ----------
    arXiv:2001.08361, table 1: 6 FLOP per parameter and token.

    Examples
    --------
    GPT-3, 32 sequences of 2,048 tokens on one H100 at its dense FP8 peak:

    >>> round(training_step_s(175e9, 32 * 2048, 1978.9e12), 1)
    34.8
    """
    for name, value in (
        ("parameters", parameters), ("tokens", tokens), ("peak_flops_per_s", peak_flops_per_s), ("gpus", gpus),
    ):  # fmt: skip
        if not value > 0:
            raise InputError(name, value, "above 0")
    return 6 * parameters * tokens / (peak_flops_per_s * gpus)
