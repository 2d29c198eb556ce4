"""A server with a fixed number of requests in flight: the bound on its rate, and a model of the time of its steps.

Every request is prefilled once and decoded token by token; whoever finishes is replaced at once. With n sequences in
service the server prefills n prompts and makes output - 1 decode steps over n sequences in each round, so that
rate = n x output / ((output - 1) x step(n) + n x prefill); further requests wait for a place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.sizing.footprint import Footprints
from lib.sizing.rates import Rates
from lib.sizing.roofline import all_reduce_s

Floats = npt.NDArray[np.float64]

_ALMOST_ALL: Final = 0.97
"""The part of a request's time that the wait for its first token may take in the model."""


@dataclass(frozen=True, slots=True, eq=False)
class Loads:
    """What is asked of each case, as arrays: tokens of a request, requests in flight, and places per replica."""

    input_tokens: Floats
    output_tokens: Floats
    concurrency: Floats
    replicas: Floats
    places: Floats
    """Sequences that one replica can hold and run at the same time, expected."""
    places_high: Floats
    """The most it might, for the bound."""


class Work:
    """Seconds at the roofs for each part of a step and a prefill: what bound and model are put together from."""

    def __init__(self, footprints: Footprints, rates: Sequence[Rates], loads: Loads) -> None:
        self.load = loads
        self.parts = footprints
        roofs = {one.name: np.array([getattr(rate, one.name) for rate in rates]) for one in fields(Rates)}
        self.replicas = np.minimum(loads.replicas, np.maximum(loads.concurrency, 1))
        self.per_replica = loads.concurrency / self.replicas
        self._roofs = roofs
        tokens, ranks = loads.input_tokens, footprints.ranks
        self.decode_steps = np.maximum(loads.output_tokens - 1, 0)
        self.cache_s_each = footprints.cache_read(tokens, loads.output_tokens) / roofs["bandwidth"]
        attention = footprints.decode_attention(tokens, loads.output_tokens) / roofs["attention"]
        linear = footprints.plain_flops / roofs["plain"] + footprints.quantised_flops / roofs["quantised"]
        head = footprints.head_flops / roofs["plain"]
        self.rank_s_each = linear + head + attention
        self.expert_s_each = footprints.expert_flops / roofs["expert"]
        self.prefill_rank_s = tokens * linear + head + footprints.prefill_attention(tokens) / roofs["attention"]
        self.prefill_expert_s = tokens * self.expert_s_each
        self.prefill_read_s = footprints.weights_read(tokens) / roofs["bandwidth"]
        self.sent_s_each = all_reduce_s(footprints.sent_bytes, ranks, roofs["bus"])
        self.sent_expected_s_each = all_reduce_s(footprints.sent_bytes, ranks, roofs["bus_expected"])
        self.dense_read_s = footprints.dense_bytes / roofs["bandwidth"]

    def crew(self, places: Floats) -> tuple[Floats, Floats, Floats]:
        """Sequences in service per replica, in one pipeline stage at a time, and on one data-parallel rank."""
        served = np.maximum(np.minimum(self.per_replica, places), 1.0)
        staged = served / np.minimum(self.parts.stages, served)
        return served, staged, staged / np.minimum(self.parts.data_ranks, staged)

    def expert_read_s(self, staged: Floats) -> Floats:
        """Reading the routed experts that a step over so many sequences wakes [s]."""
        return np.asarray((self.parts.weights_read(staged) - self.parts.dense_bytes) / self._roofs["bandwidth"])


def rate_bound(work: Work) -> Floats:
    """Output tokens per second that no software can exceed, an upper bound.

    replicas x n x output / max(memory, compute, link), each the sum over a round at its roof

    Parameters
    ----------
    work : Work
        Seconds at the roofs.

    Returns
    -------
    ndarray
        Of all replicas [tokens/s].

    Notes
    -----
    Memory, compute and link are taken to overlap perfectly, prompts to be prefilled within decode steps, experts to be
    evenly loaded. Speculative decoding (more than one token a step) and a prefix cache (less to prefill) may exceed it.
    """
    served, staged, on_rank = work.crew(work.load.places_high)
    steps = work.decode_steps
    memory = steps * (work.dense_read_s + work.expert_read_s(staged) + on_rank * work.cache_s_each)
    memory = np.maximum(memory, work.prefill_read_s)
    compute = on_rank * (steps * work.rank_s_each + work.prefill_rank_s)
    compute = compute + staged * (steps * work.expert_s_each + work.prefill_expert_s)
    link = on_rank * (steps + work.load.input_tokens) * work.sent_s_each
    return np.asarray(work.replicas * served * work.load.output_tokens / np.maximum(np.maximum(memory, compute), link))


@dataclass(frozen=True, slots=True, eq=False)
class RoofTimes:
    """The least seconds of one prefill or one decode step at each roof; what software cannot undercut is the longest."""

    memory: Floats
    compute: Floats
    link: Floats

    @property
    def longest(self) -> Floats:
        """Seconds at the roof that binds, all three overlapping perfectly."""
        return np.asarray(np.maximum(np.maximum(self.memory, self.compute), self.link))


def prefill_times(work: Work) -> RoofTimes:
    """Seconds that one prompt needs at each roof on an idle server, a lower bound.

    Parameters
    ----------
    work : Work
        Seconds at the roofs.

    Returns
    -------
    RoofTimes
        Times [s].
    """
    return RoofTimes(
        np.asarray(work.prefill_read_s),
        np.asarray(work.prefill_rank_s + work.prefill_expert_s),
        np.asarray(work.load.input_tokens * work.sent_s_each),
    )


def step_times(work: Work) -> RoofTimes:
    """Seconds that one decode step over all sequences in service needs at each roof, a lower bound.

    Parameters
    ----------
    work : Work
        Seconds at the roofs.

    Returns
    -------
    RoofTimes
        Times [s].
    """
    _, staged, on_rank = work.crew(work.load.places)
    return RoofTimes(
        np.asarray(work.dense_read_s + work.expert_read_s(staged) + on_rank * work.cache_s_each),
        np.asarray(on_rank * work.rank_s_each + staged * work.expert_s_each),
        np.asarray(on_rank * work.sent_s_each),
    )


def first_token_bound_s(work: Work) -> Floats:
    """Least time from a request to its first token on an idle server, a lower bound.

    max(compute, memory, link) of one prefill

    Parameters
    ----------
    work : Work
        Seconds at the roofs.

    Returns
    -------
    ndarray
        Time [s].
    """
    return prefill_times(work).longest


def token_bound_s(work: Work) -> Floats:
    """Least time of a decode step with all sequences in service, a lower bound.

    max(memory, compute, link) of one step over n sequences

    Parameters
    ----------
    work : Work
        Seconds at the roofs.

    Returns
    -------
    ndarray
        Time per output token [s].
    """
    return step_times(work).longest


STEP_TERMS: Final = (
    "dense_read", "expert_read", "cache_read", "decode_compute", "prefill_compute", "prefill_expert_compute", "bus",
    "layer_s", "ring_s", "step_s", "sequence_s", "request_s", "expert_layer_s",
)  # fmt: skip
"""Constants of the model: the part of each roof that software reaches, and overheads of a layer, a doubling of ranks
in an all-reduce, a step, a sequence in a step, a request, and a layer of a model with experts."""

SHARES: Final = 7
"""So many of them are shares between 0 and 1; the others are seconds."""

STEP_PRIOR: Final = (0.7, 0.6, 0.6, 0.4, 0.4, 0.3, 0.6, 20e-6, 5e-6, 2e-3, 20e-6, 20e-3, 10e-6)
STEP_PRIOR_SPREAD: Final = (0.7, 0.7, 0.8, 0.7, 0.7, 0.7, 0.7, 0.8, 0.8, 1.0, 1.0, 1.0, 0.8)
"""What is expected before any row is seen, and how far from it (in logits of shares, logarithms of seconds)."""

FIRST_TERMS: Final = ("wait", "first_s")
"""Constants of the wait for a first token: how much of the other sequences' prefills lies ahead of one's own (1 where all
arrive at once), and a time that every request takes."""

FIRST_PRIOR: Final = (0.5, 0.05)
FIRST_PRIOR_SPREAD: Final = (0.7, 0.7)


def free(terms: npt.ArrayLike, shares: int) -> Floats:
    """Constants on scales without ends: logits of the first ones, logarithms of the others.

    Parameters
    ----------
    terms : ArrayLike
        Shares between 0 and 1, then positive numbers.
    shares : int
        How many shares.

    Returns
    -------
    ndarray
        One number a term.

    Examples
    --------
    >>> free([0.5, 1.0], 1).tolist()
    [0.0, 0.0]
    """
    values = np.asarray(terms, dtype=float)
    return np.concatenate([np.log(values[:shares] / (1 - values[:shares])), np.log(values[shares:])])


def bound_back(freed: Floats, shares: int) -> Floats:
    """The constants from their scales without ends.

    Parameters
    ----------
    freed : ndarray
        From free.
    shares : int
        How many shares.

    Returns
    -------
    ndarray
        One number a term.

    Examples
    --------
    >>> bound_back(free([0.25, 3.0], 1), 1).round(6).tolist()
    [0.25, 3.0]
    """
    return np.concatenate([1 / (1 + np.exp(-freed[:shares])), np.exp(freed[shares:])])


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Times of one round of the closed loop as the model has them [s], and the sequences in service per replica."""

    served: Floats
    staged: Floats
    step_s: Floats
    prefill_s: Floats
    round_s: Floats


def model_round(work: Work, freed: Floats) -> Round:
    """The times of one round as the model has them, an estimate.

    step = weights + cache + compute + layers x overhead + all-reduces + step overhead + sequences x overhead

    Parameters
    ----------
    work : Work
        Seconds at the roofs.
    freed : ndarray
        STEP_TERMS on their scales without ends.

    Returns
    -------
    Round
        Arrays, one entry per case.

    Notes
    -----
    Memory, compute and link follow one another: measured steps fit better so than with any overlap.
    """
    dense, expert, cache, decode, prefill, prefill_expert, bus, *overheads = bound_back(freed, SHARES)
    layer, ring, step, sequence, request, expert_layer = overheads
    served, staged, on_rank = work.crew(work.load.places)
    parts = work.parts
    read = work.dense_read_s / dense + work.expert_read_s(staged) / expert + on_rank * work.cache_s_each / cache
    compute = (on_rank * work.rank_s_each + staged * work.expert_s_each) / decode
    layers = parts.layers * (layer + (parts.n_experts > 0) * expert_layer + 2 * ring * np.log2(parts.ranks))
    step_s = read + compute + layers + on_rank * work.sent_expected_s_each / bus + step + staged * sequence
    spread = np.minimum(parts.data_ranks, staged)
    prefill_s = (work.prefill_rank_s / prefill + work.load.input_tokens * work.sent_expected_s_each / bus) / spread
    prefill_s = prefill_s + work.prefill_expert_s / prefill_expert + request
    return Round(served, staged, step_s, prefill_s, work.decode_steps * step_s + staged * prefill_s)


def model_rate(work: Work, freed: Floats) -> Floats:
    """Logarithm of the output tokens per second as the model has them, an estimate.

    replicas x n x output / round

    Parameters
    ----------
    work : Work
        Seconds at the roofs.
    freed : ndarray
        STEP_TERMS on their scales without ends.

    Returns
    -------
    ndarray
        log of tokens per second.
    """
    one = model_round(work, freed)
    return np.asarray(np.log(work.replicas * one.served * work.load.output_tokens / one.round_s))


def model_share(work: Work, freed_steps: Floats, freed: Floats) -> Floats:
    """Logit of the part of a request's time that passes before its first token, as the model has it, an estimate.

    (first + step + prefill x (1 + wait x (n - 1) / 2) + queue) / (round + queue)

    Parameters
    ----------
    work : Work
        Seconds at the roofs.
    freed_steps : ndarray
        STEP_TERMS on their scales without ends.
    freed : ndarray
        FIRST_TERMS on their scales without ends.

    Returns
    -------
    ndarray
        Logit of the share.
    """
    wait, first = np.exp(freed)
    one = model_round(work, freed_steps)
    queue = np.maximum(work.per_replica - one.served, 0) / one.served * one.round_s
    prefills = 1 + wait * (one.staged - 1) / 2
    share = (first + one.step_s + one.prefill_s * prefills + queue) / (one.round_s + queue)
    share = np.minimum(share, _ALMOST_ALL)
    return np.asarray(np.log(share / (1 - share)))
