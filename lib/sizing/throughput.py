"""How fast a deployment serves: the bound of physics, and an 80 % interval that rests on measured rows."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lib.catalog import Catalog
from lib.errors import InputError
from lib.records import Doubt
from lib.sizing import closed_loop, serving_basis, serving_question
from lib.sizing.closed_loop import Floats
from lib.sizing.kriging import Kriging, Sample, joined, prior_variance
from lib.sizing.serving_basis import Observed
from lib.sizing.serving_constants import FITTED
from lib.sizing.serving_model import OWN, RATE, Fitted, Quantiles, share_target
from lib.sizing.serving_question import Columns, Conditions, Origin, Question
from lib.sizing.throughput_doubts import doubts_of
from lib.sizing.throughput_records import Basis, Estimates, Interval, Measured, Neighbour, ThroughputEstimate

__all__ = [
    "Basis", "Conditions", "Estimates", "Interval", "Measured", "Neighbour", "Question", "ThroughputEstimate",
    "basis_of", "estimates", "neighbours", "sweep", "throughput",
]  # fmt: skip

MOST_WIDE: Final = 6.0
"""An interval whose high end is more than so many times its low end says nothing: no measured basis."""

NO_BASIS: Final = "none"
_OWN_ORIGIN: Final = Origin("own")
_LONGEST_SHARE: Final = 0.999
_INTERESTED: Final = ("amd", "nvidia", "cloud-seller")
_LOADS: Final = ("concurrency", "input_tokens", "output_tokens")


@dataclass(frozen=True, eq=False)
class ServingBasis:
    """The measured rows of an edition, ready to predict from."""

    fitted: Fitted
    observed: tuple[Observed, ...]
    columns: Columns
    rate: Kriging
    share: Kriging
    parts: frozenset[str]
    models: frozenset[str]
    vendors: frozenset[str]
    counts: dict[tuple[str, str], tuple[int, frozenset[str]]]
    """Rows and sources of each part (part, ""), each model ("", model), and in all ("", "")."""
    interested: dict[str, float]
    """Part of the rows of each accelerator that its seller, or another one, has published."""
    loads: dict[str, tuple[float, float]]
    """Lowest and highest measured load."""


def throughput(catalog: Catalog, question: Question, own: tuple[Measured, ...] = ()) -> ThroughputEstimate:
    """The speed of one deployment under one load: bound, 80 % interval, what it rests on, and doubts; an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition; its measured rows are the basis.
    question : Question
        Deployment and load.
    own : tuple of Measured
        Results of the user's own. The question is then taken to be of the same stack, so that the interval narrows.

    Returns
    -------
    ThroughputEstimate
        With the five nearest measured rows.

    Raises
    ------
    InputError
        A count out of range, or a layout that the model cannot have.
    ConfigError, UnknownNameError
        The weight format is not known.

    Notes
    -----
    Closed loop: `concurrency` requests are in flight at all times. Those that the cache or the scheduler has no place
    for wait. Interval: leave-one-source-out, see docs/method.md.
    """
    found = sweep(catalog, (question,), own)[0]
    if found.bound is None:
        return found
    near = neighbours(catalog, question, own)
    return ThroughputEstimate(
        **{name: getattr(found, name) for name in ThroughputEstimate.__slots__ if name != "nearest"}, nearest=near
    )


def sweep(
    catalog: Catalog, questions: Sequence[Question], own: tuple[Measured, ...] = ()
) -> tuple[ThroughputEstimate, ...]:
    """The speed of many deployments or loads in one pass, an estimate; as throughput, without the nearest rows.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    questions : sequence of Question
        Mixed as you like.
    own : tuple of Measured
        As for throughput.

    Returns
    -------
    tuple of ThroughputEstimate
        In the order of the questions.
    """
    known = [one for one in questions if one.accelerator.memory_bandwidth_tbs is not None]
    basis = basis_of(catalog)
    records = iter(_records(basis, known, estimates(catalog, known, own), own)) if known else iter(())
    return tuple(
        next(records) if one.accelerator.memory_bandwidth_tbs is not None else _nothing(basis, one) for one in questions
    )


def estimates(catalog: Catalog, questions: Sequence[Question], own: tuple[Measured, ...] = ()) -> Estimates:
    """The speed of many deployments or loads as arrays, an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    questions : sequence of Question
        On parts with a known memory bandwidth.
    own : tuple of Measured
        As for throughput.

    Returns
    -------
    Estimates
        One entry per question.

    Raises
    ------
    InputError
        A part without a known memory bandwidth, or a count out of range.
    """
    catalog = catalog.published
    basis = basis_of(catalog)
    fitted = basis.fitted
    columns = serving_question.columns(catalog, questions, [_OWN_ORIGIN] * len(questions) if own else None)
    work = columns.work
    kriging, own_columns = _with_own(catalog, own) if own else (basis.rate, None)
    rate, spread = RATE.predict(kriging, columns, fitted.free_steps, within=bool(own))
    distance = _distances(basis, questions, columns, own_columns)
    usable = np.array([one != NO_BASIS for one in distance]) & columns.knows_peaks
    usable &= np.array([one.starts for one in columns.places])
    nothing: Quantiles = (0.0, 0.0, 0.0)
    low, middle, high = np.array([fitted.rate_quantiles.get(one, nothing) for one in distance]).reshape(-1, 3).T
    blind = fitted.unstated_quantiles
    low = np.where(columns.unstated, np.minimum(low, blind[0]), low)
    middle = np.where(columns.unstated, blind[1], middle)
    high = np.where(columns.unstated, np.maximum(high, blind[2]), high)
    ends = [np.exp(rate + spread * one) for one in (low, middle, high)]
    usable &= ends[2] < MOST_WIDE * ends[0]
    bound = np.where([one.starts for one in columns.places], closed_loop.rate_bound(work), np.nan)
    speculative = np.array([one.conditions.speculative for one in questions])
    ceiling = np.where(speculative, np.inf, np.nan_to_num(bound, nan=np.inf))
    ends = [np.where(usable, np.minimum(one, ceiling), np.nan) for one in ends]
    served, _, _ = work.crew(work.load.places)
    running = np.minimum(work.replicas * served, work.load.concurrency)
    first_bound = closed_loop.first_token_bound_s(work)
    first, token = _latencies(basis, columns, ends[1], spread, first_bound)
    return Estimates(
        bound=bound,
        low=ends[0],
        estimate=ends[1],
        high=ends[2],
        ttft_s=first,
        tpot_s=token,
        ttft_bound_s=first_bound,
        tpot_bound_s=closed_loop.token_bound_s(work),
        in_service=running,
        waiting=work.load.concurrency - running,
        distance=tuple(one if usable[at] else NO_BASIS for at, one in enumerate(distance)),
        columns=columns,
    )


def _latencies(
    basis: ServingBasis, columns: Columns, rate: Floats, rate_spread: Floats, first_bound: Floats
) -> tuple[Floats, Floats]:
    """First token and time per token of the operating point of a rate, each with its interval, as three columns."""
    fitted, load = basis.fitted, columns.work.load
    logit, spread = share_target(fitted.free_steps).predict(basis.share, columns, fitted.free_first)
    whole = load.concurrency * load.output_tokens / rate
    share = np.clip(1 / (1 + np.exp(-logit)), np.minimum(first_bound / whole, _LONGEST_SHARE), _LONGEST_SHARE)
    share = np.where(load.output_tokens > 1, share, 1.0)
    first = share * whole
    token = (whole - first) / np.where(load.output_tokens > 1, load.output_tokens - 1, np.nan)
    first_spread = np.hypot(rate_spread, (1 - share) * spread)
    token_spread = np.hypot(rate_spread, share * spread)
    found = []
    for middle, width, (low, _, high) in (
        (first, first_spread, fitted.first_token_quantiles),
        (token, token_spread, fitted.per_token_quantiles),
    ):
        found.append(np.stack([middle * np.exp(width * low), middle, middle * np.exp(width * high)], axis=1))
    found[0][:, 0] = np.maximum(found[0][:, 0], np.minimum(first_bound, first))
    return found[0], found[1]


def basis_of(catalog: Catalog) -> ServingBasis:
    """The measured rows of an edition, ready to predict from; made once.

    Parameters
    ----------
    catalog : Catalog
        The edition; parts that a reader states beside it change nothing.

    Returns
    -------
    ServingBasis
        Cached.
    """
    return _basis_of(catalog.published)


@functools.lru_cache(maxsize=4)
def _basis_of(catalog: Catalog) -> ServingBasis:
    observed = serving_basis.observed_rates(catalog)
    columns = serving_question.columns(catalog, *_asked(observed))
    rate = Kriging(RATE.sample(columns, np.log([one.rate for one in observed]), FITTED.free_steps), FITTED.rate)
    pairs = serving_basis.observed_pairs(catalog)
    target = share_target(FITTED.free_steps)
    shares = target.sample(
        serving_question.columns(catalog, *_asked(pairs)), serving_basis.share_logits(pairs), FITTED.free_first
    )
    interest = catalog.measured["serving"]["publisher_interest"]
    parts = [one.question.accelerator.accelerator_id for one in observed]
    sold = [str(interest[one.row]) in _INTERESTED for one in observed]
    asked = {name: [getattr(one.question, name) for one in observed] for name in _LOADS}
    return ServingBasis(
        FITTED,
        observed,
        columns,
        rate,
        Kriging(shares, FITTED.share),
        frozenset(parts),
        frozenset(one.question.architecture.model_id for one in observed),
        frozenset(one.question.accelerator.vendor for one in observed),
        _counts(observed),
        {part: float(np.mean([is_sold for one, is_sold in zip(parts, sold, strict=True) if one == part]))
         for part in set(parts)},
        {name: (min(values), max(values)) for name, values in asked.items()},
    )  # fmt: skip


def _counts(observed: Sequence[Observed]) -> dict[tuple[str, str], tuple[int, frozenset[str]]]:
    sources: dict[tuple[str, str], list[str]] = {}
    for one in observed:
        part, model = one.question.accelerator.accelerator_id, one.question.architecture.model_id
        for key in (("", ""), (part, ""), ("", model)):
            sources.setdefault(key, []).append(one.source_id)
    return {key: (len(names), frozenset(names)) for key, names in sources.items()}


def _asked(observed: Sequence[Observed]) -> tuple[list[Question], list[Origin]]:
    return [one.question for one in observed], [one.origin for one in observed]


@functools.lru_cache(maxsize=64)
def _with_own(catalog: Catalog, own: tuple[Measured, ...]) -> tuple[Kriging, Columns]:
    """The regression with rows of the user's own, all of one source."""
    basis = basis_of(catalog)
    for one in own:
        if not 0 < one.output_tokens_per_s < math.inf:
            raise InputError("output_tokens_per_s", one.output_tokens_per_s, "above 0")
    columns = serving_question.columns(catalog, [one.question for one in own], [_OWN_ORIGIN] * len(own))
    added = RATE.sample(columns, np.log([one.output_tokens_per_s for one in own]), basis.fitted.free_steps)
    both = (basis.rate.sample, added)
    sample = Sample(
        joined([part.traits for part in both]),
        np.concatenate([part.design for part in both]),
        np.concatenate([part.deviation for part in both]),
    )
    return Kriging(sample, basis.fitted.rate), columns


def _distances(
    basis: ServingBasis, questions: Sequence[Question], columns: Columns, own: Columns | None
) -> tuple[str, ...]:
    """How far each question is from the basis."""
    mine = frozenset(own.traits.codes["series"].tolist()) if own is not None else frozenset()
    found = []
    for one, series in zip(questions, columns.traits.codes["series"].tolist(), strict=True):
        if series in mine:
            found.append(OWN)
        elif one.accelerator.vendor not in basis.vendors:
            found.append(NO_BASIS)
        else:
            part = one.accelerator.accelerator_id in basis.parts
            model = one.architecture.model_id in basis.models
            found.append(("new-both", "new-model", "new-part", "seen")[2 * model + part])
    return tuple(found)


def neighbours(
    catalog: Catalog, question: Question, own: tuple[Measured, ...] = (), count: int = 5
) -> tuple[Neighbour, ...]:
    """The measured rows whose deviations say most about a question's.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    question : Question
        On a part with a known memory bandwidth.
    own : tuple of Measured
        Results of the user's own; they are not among the rows returned.
    count : int
        How many rows.

    Returns
    -------
    tuple of Neighbour
        The most alike first; of rows equally alike the nearest in load.
    """
    catalog = catalog.published
    basis = basis_of(catalog)
    columns = serving_question.columns(catalog, (question,), [_OWN_ORIGIN] if own else None)
    _, design = RATE.linearised(columns, basis.fitted.free_steps)
    alike = basis.rate.between(columns.traits, design)[0]
    own_design, spreads = basis.rate.sample.design, basis.fitted.rate
    scale = np.sqrt(prior_variance(columns.traits, spreads) + (design**2).sum(axis=1))[0]
    scales = np.sqrt(prior_variance(basis.columns.traits, spreads) + (own_design**2).sum(axis=1))
    correlation = alike / scale / scales
    apart = np.abs(basis.columns.traits.load - columns.traits.load).sum(axis=1)
    order = np.lexsort((apart, -correlation.round(2)))[:count]
    expected = RATE.model(basis.columns.work, basis.fitted.free_steps)
    found = []
    for at in order:
        one = basis.observed[at]
        asked = one.question
        ratio = one.rate / float(np.exp(expected[at]))
        found.append(
            Neighbour(
                one.row, one.source_id, asked.accelerator.accelerator_id, asked.architecture.model_id,
                asked.conditions.engine, asked.conditions.date, float(correlation[at]), ratio,
            )
        )  # fmt: skip
    return tuple(found)


def _records(
    basis: ServingBasis, questions: Sequence[Question], found: Estimates, own: tuple[Measured, ...]
) -> list[ThroughputEstimate]:
    numbers = zip(
        *(one.tolist() for one in (
            found.bound, found.low, found.estimate, found.high, found.ttft_s, found.tpot_s, found.ttft_bound_s,
            found.tpot_bound_s, found.in_service, found.waiting,
        )),
        strict=True,
    )  # fmt: skip
    records = []
    for at, (one, row) in enumerate(zip(questions, numbers, strict=True)):
        bound, low, middle, high, first, token, first_bound, token_bound, running, waiting = row
        distance = found.distance[at]
        has_basis, starts = distance != NO_BASIS, found.columns.places[at].starts
        records.append(
            ThroughputEstimate(
                question=one,
                bound=bound if starts else None,
                low=low if has_basis else None,
                estimate=middle if has_basis else None,
                high=high if has_basis else None,
                ttft_s=Interval(*first) if has_basis else None,
                tpot_s=Interval(*token) if has_basis and one.output_tokens > 1 else None,
                ttft_bound_s=first_bound if starts else None,
                tpot_bound_s=token_bound if starts else None,
                in_service=running if starts else 0.0,
                waiting=waiting if starts else float(one.concurrency),
                basis=_basis(basis, one, distance, len(own)),
                nearest=(),
                doubts=doubts_of(
                    one, found.columns.places[at], distance,
                    knows_peaks=bool(found.columns.knows_peaks[at]),
                    knows_bus=bool(found.columns.knows_bus[at]),
                    vendor_measured=one.accelerator.vendor in basis.vendors,
                    interested=basis.interested.get(one.accelerator.accelerator_id, 0.0),
                    measured_loads=basis.loads,
                    running=running,
                    own_rows=len(own),
                ),
            )
        )  # fmt: skip
    return records


def _basis(basis: ServingBasis, question: Question, distance: str, own_rows: int) -> Basis:
    part, model = question.accelerator.accelerator_id, question.architecture.model_id
    return Basis(
        len(basis.observed), len(basis.counts["", ""][1]), *_counted(basis, part, ""), *_counted(basis, "", model),
        own_rows, distance,
    )  # fmt: skip


def _counted(basis: ServingBasis, part: str, model: str) -> tuple[int, int]:
    rows, sources = basis.counts.get((part, model), (0, frozenset()))
    return rows, len(sources)


def _nothing(basis: ServingBasis, question: Question) -> ThroughputEstimate:
    """The answer for a part whose memory bandwidth nobody has published."""
    nothing = (None,) * 8
    return ThroughputEstimate(
        question, *nothing, 0.0, float(question.concurrency), _basis(basis, question, NO_BASIS, 0), (),
        (Doubt("no-bandwidth", {}),),
    )  # fmt: skip
