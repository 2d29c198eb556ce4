"""Operating points on a roofline: operations and bytes of one prompt and of one decode step, on one GPU. Kernels."""

import numpy as np

from lib.sizing.closed_loop import Floats, Work


def prefill_flops(work: Work) -> Floats:
    """Operations of one prompt on one GPU of its replica, a lower bound.

    tokens x (operations per token) + head + attention over the pairs of the prompt

    Parameters
    ----------
    work : Work
        Seconds at the roofs, with the footprints behind them.

    Returns
    -------
    ndarray
        Operations [FLOP].
    """
    parts, tokens = work.parts, work.load.input_tokens
    every = parts.plain_flops + parts.quantised_flops + parts.expert_flops
    return np.asarray(tokens * every + parts.head_flops + parts.prefill_attention(tokens))


def prefill_bytes(work: Work) -> Floats:
    """Bytes of weights that one GPU reads for one prompt, a lower bound: activations and the cache stay out.

    Parameters
    ----------
    work : Work
        Seconds at the roofs, with the footprints behind them.

    Returns
    -------
    ndarray
        Bytes [bytes].
    """
    return np.asarray(work.parts.weights_read(work.load.input_tokens))


def step_flops(work: Work) -> Floats:
    """Operations of one decode step over all sequences in service on one GPU, a lower bound.

    sequences x (operations per token + head + attention) + sequences of the stage x operations of experts

    Parameters
    ----------
    work : Work
        Seconds at the roofs, with the footprints behind them.

    Returns
    -------
    ndarray
        Operations [FLOP].
    """
    parts, load = work.parts, work.load
    _, staged, on_rank = work.crew(load.places)
    each = parts.plain_flops + parts.quantised_flops + parts.head_flops
    each = each + parts.decode_attention(load.input_tokens, load.output_tokens)
    return np.asarray(on_rank * each + staged * parts.expert_flops)


def step_bytes(work: Work) -> Floats:
    """Bytes of weights and cache that one GPU reads in one decode step over all sequences in service, a lower bound.

    Parameters
    ----------
    work : Work
        Seconds at the roofs, with the footprints behind them.

    Returns
    -------
    ndarray
        Bytes [bytes].
    """
    parts, load = work.parts, work.load
    _, staged, on_rank = work.crew(load.places)
    cache = parts.cache_read(load.input_tokens, load.output_tokens)
    return np.asarray(parts.weights_read(staged) + on_rank * cache)
