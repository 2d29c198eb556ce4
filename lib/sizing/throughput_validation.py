"""Estimates held against measured rows that had no part in them: one source left out at a time."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.catalog import Catalog
from lib.errors import InputError
from lib.sizing import closed_loop, serving_fit
from lib.sizing.closed_loop import Floats
from lib.sizing.kriging import Kriging
from lib.sizing.serving_basis import Observed
from lib.sizing.serving_model import RATE, Fitted
from lib.sizing.serving_question import Columns, kind_of
from lib.sizing.throughput import MOST_WIDE, basis_of

RESAMPLES: Final = 2000
_BAND: Final = (5.0, 95.0)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A measured rate and the interval that all other sources give for it; NaN ends where they give none."""

    row: int
    source_id: str
    accelerator_id: str
    model_id: str
    kind: str
    concurrency: int
    input_tokens: int
    output_tokens: int
    speculative: bool
    measured: float
    low: float
    estimate: float
    high: float
    bound: float
    distance: str

    @property
    def has_basis(self) -> bool:
        """Whether there is an interval."""
        return self.low == self.low

    @property
    def inside(self) -> bool:
        """Whether the measured rate lies in the interval."""
        return self.low <= self.measured <= self.high

    @property
    def width(self) -> float:
        """High over low end."""
        return self.high / self.low

    @property
    def error(self) -> float:
        """Estimate over measured, minus one."""
        return self.estimate / self.measured - 1


@dataclass(frozen=True, slots=True)
class Summary:
    """Held-out rows in figures, with 90 % intervals from drawing whole sources anew."""

    rows: int
    sources: int
    without_basis: int
    coverage: float
    coverage_interval: tuple[float, float]
    median_width: float
    median_width_interval: tuple[float, float]
    median_error: float
    median_error_interval: tuple[float, float]


def held_out_rows(
    observed: Sequence[Observed],
    columns: Columns,
    fitted_without: Callable[[str], Fitted],
    owner: Callable[[str], str] = str,
) -> tuple[HeldOut, ...]:
    """The interval for each row that states output tokens itself, from all sources but its own; an estimate.

    Parameters
    ----------
    observed : sequence of Observed
        All measured rates.
    columns : Columns
        The same as columns.
    fitted_without : Callable
        Constants for a source that is left out.
    owner : Callable
        What is left out together with a source: the source itself, or all of its publisher.

    Returns
    -------
    tuple of HeldOut
        Row by row, source after source.
    """
    sources = np.array([one.source_id for one in observed])
    measured = np.log([one.rate for one in observed])
    bound = closed_loop.rate_bound(columns.work)
    found: list[HeldOut] = []
    for source in dict.fromkeys(sources.tolist()):
        own = np.array([owner(one) == owner(source) for one in sources.tolist()])
        wanted = [at for at in np.flatnonzero(sources == source).tolist() if observed[at].reported]
        if not wanted:
            continue
        fitted = fitted_without(source)
        expected, design = RATE.linearised(columns, fitted.free_steps)
        sample = RATE.sample(columns, measured, fitted.free_steps).take(~own)
        mean, spread = Kriging(sample, fitted.rate).predict(columns.traits.take(own), design[own])
        mean = mean + expected[own]
        answered = _Answers(observed, bound, own, mean, spread, fitted)
        found += [answered.row(at) for at in wanted]
    return tuple(found)


class _Answers:
    """Predictions for the rows that were left out, as rows of the validation."""

    def __init__(
        self,
        observed: Sequence[Observed],
        bound: Floats,
        own: npt.NDArray[np.bool_],
        mean: Floats,
        spread: Floats,
        fitted: Fitted,
    ) -> None:
        self.observed, self.bound, self.mean, self.spread, self.fitted = observed, bound, mean, spread, fitted
        self.place = {at: turn for turn, at in enumerate(np.flatnonzero(own).tolist())}
        others = [one for one, is_own in zip(observed, own, strict=True) if not is_own]
        self.parts = {one.question.accelerator.accelerator_id for one in others}
        self.models = {one.question.architecture.model_id for one in others}

    def row(self, at: int) -> HeldOut:
        """One of them."""
        one, turn = self.observed[at], self.place[at]
        question, bound = one.question, float(self.bound[at])
        part, model = question.accelerator.accelerator_id, question.architecture.model_id
        distance = ("new-both", "new-model", "new-part", "seen")[2 * (model in self.models) + (part in self.parts)]
        ends = np.exp(self.mean[turn] + self.spread[turn] * np.array(self.fitted.rate_quantiles[distance]))
        if not question.conditions.speculative:
            ends = np.minimum(ends, bound)
        if ends[2] >= MOST_WIDE * ends[0]:
            ends = np.full(3, np.nan)
        low, middle, high = ends.tolist()
        return HeldOut(
            one.row, one.source_id, part, model, kind_of(question.architecture), question.concurrency,
            question.input_tokens, question.output_tokens, question.conditions.speculative, one.rate, low, middle, high,
            bound, distance,
        )  # fmt: skip


def validation(catalog: Catalog) -> tuple[HeldOut, ...]:
    """Every evaluated row with the interval that the other sources give for it, for the page; an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of HeldOut
        Row by row.

    Notes
    -----
    The constants are those of all rows, so that a left-out source still has its part in them;
    `python -m benchmarks.throughput_accuracy` fits them anew without it.
    """
    return _validation(catalog.published)


@functools.lru_cache(maxsize=4)
def _validation(catalog: Catalog) -> tuple[HeldOut, ...]:
    """As held_out_rows with one set of constants; in closed form, a source as a block of the inverse covariance."""
    basis = basis_of(catalog)
    sources = np.array([one.source_id for one in basis.observed])
    measured = np.log([one.rate for one in basis.observed])
    bound = closed_loop.rate_bound(basis.columns.work)
    found: list[HeldOut] = []
    for source in dict.fromkeys(sources.tolist()):
        own = sources == source
        wanted = [at for at in np.flatnonzero(own).tolist() if basis.observed[at].reported]
        errors, spread = basis.rate.left_out(own)
        answered = _Answers(basis.observed, bound, own, measured[own] - errors, spread, basis.fitted)
        found += [answered.row(at) for at in wanted]
    return tuple(found)


def within_series(catalog: Catalog) -> tuple[tuple[int, float], ...]:
    """Errors of rows whose series (source, part, model) is known at other loads, and only there; an estimate.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of (int, float)
        Row label and estimate over measured minus one, for rows that state output tokens themselves.
    """
    basis = basis_of(catalog)
    errors, spreads = serving_fit.held_out_loads(basis.rate)
    middle = basis.fitted.rate_quantiles["own"][1]
    return tuple(
        (one.row, float(np.exp(-error + middle * spread)) - 1)
        for one, error, spread in zip(basis.observed, errors, spreads, strict=True)
        if one.reported and error == error
    )


def above_bound(catalog: Catalog) -> tuple[tuple[Observed, float], ...]:
    """Measured rows above the bound of physics, and how many times; all of them, evaluated or not.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of (Observed, float)
        Row and measured over bound.
    """
    basis = basis_of(catalog)
    ratio = np.array([one.rate for one in basis.observed]) / closed_loop.rate_bound(basis.columns.work)
    return tuple((one, float(times)) for one, times in zip(basis.observed, ratio, strict=True) if times > 1)


def summary(rows: Iterable[HeldOut], seed: int = 0, resamples: int = RESAMPLES) -> Summary:
    """Coverage, width and error of held-out rows.

    Parameters
    ----------
    rows : iterable of HeldOut
        Some of them.
    seed : int
        Of the bootstrap over sources.
    resamples : int
        How often sources are drawn anew.

    Returns
    -------
    Summary
        Rows without a basis are counted and enter nothing else.

    Raises
    ------
    InputError
        No row has a basis.
    """
    everything = tuple(rows)
    counted = [one for one in everything if one.has_basis]
    if not counted:
        raise InputError("rows", len(everything), "at least one with a basis")
    inside = np.array([one.inside for one in counted], dtype=float)
    widths = np.array([one.width for one in counted])
    errors = np.abs([one.error for one in counted])
    _, owner = np.unique([one.source_id for one in counted], return_inverse=True)
    drawn = list(_redrawn(owner, seed, resamples))
    return Summary(
        len(everything),
        int(owner.max()) + 1,
        len(everything) - len(counted),
        float(inside.mean()),
        _interval([inside[one].mean() for one in drawn]),
        float(np.median(widths)),
        _interval([np.median(widths[one]) for one in drawn]),
        float(np.median(errors)),
        _interval([np.median(errors[one]) for one in drawn]),
    )


def _redrawn(owner: np.ndarray, seed: int, resamples: int) -> Iterable[np.ndarray]:
    """Rows of sources drawn with replacement: rows of one source are no independent evidence."""
    generator = np.random.default_rng(seed)
    members = [np.flatnonzero(owner == one) for one in range(int(owner.max()) + 1)]
    for _ in range(resamples):
        yield np.concatenate([members[one] for one in generator.integers(len(members), size=len(members))])


def _interval(values: Sequence[float] | Floats) -> tuple[float, float]:
    low, high = np.percentile(values, _BAND)
    return float(low), float(high)
