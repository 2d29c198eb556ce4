"""How good throughput estimates are: measured rows beside what all other sources give for them, in figures and by name."""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.sizing.throughput_validation import HeldOut, Summary, above_bound, summary, validation, within_series

WORST: Final = 12
_GROUP_RESAMPLES: Final = 300
"""Draws of sources for the intervals of one group: enough for the first figure of a percentage."""


@dataclass(frozen=True, slots=True)
class Group:
    """Held-out rows that have an accelerator or a kind of model in common; no summary where none has an interval."""

    name: str
    rows: int
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class SeriesErrors:
    """Errors of the estimate for rows whose series is known at other loads."""

    rows: int
    median: float
    four_of_five: float


@dataclass(frozen=True, slots=True)
class AboveBound:
    """A measured row above the bound, and whether speculative decoding explains it."""

    row: int
    source_id: str
    accelerator_id: str
    model_id: str
    times: float
    speculative: bool


@dataclass(frozen=True, slots=True)
class EstimateErrors:
    """Every held-out row, the figures of all, of each accelerator and of each kind of model, and what failed worst."""

    rows: tuple[HeldOut, ...]
    everything: Summary
    parts: tuple[Group, ...]
    kinds: tuple[Group, ...]
    worst: tuple[HeldOut, ...]
    series: SeriesErrors
    above: tuple[AboveBound, ...]


def estimate_errors(catalog: Catalog) -> EstimateErrors:
    """Predicted against measured throughput, one source left out at a time.

    Parameters
    ----------
    catalog : Catalog
        The edition; parts that a reader states beside it change nothing.

    Returns
    -------
    EstimateErrors
        Made once. As `python -m benchmarks.throughput_accuracy --quick` prints them.

    Notes
    -----
    The constants of the model and the width of its intervals are those of all rows; the rows of the source itself have
    no part in the prediction. Worst are the rows with an interval whose estimate is the most times too high or too low.
    """
    return _estimate_errors(catalog.published)


@functools.lru_cache(maxsize=4)
def _estimate_errors(catalog: Catalog) -> EstimateErrors:
    rows = validation(catalog)
    counted = [one for one in rows if one.has_basis]
    worst = sorted(counted, key=lambda one: -abs(math.log1p(one.error)))[:WORST]
    above = tuple(
        AboveBound(
            one.row, one.source_id, one.question.accelerator.accelerator_id, one.question.architecture.model_id, times,
            one.question.conditions.speculative,
        )
        for one, times in above_bound(catalog)
    )  # fmt: skip
    return EstimateErrors(
        rows,
        summary(rows),
        _groups(rows, lambda one: one.accelerator_id),
        _groups(rows, lambda one: one.kind),
        tuple(worst),
        _series([abs(error) for _, error in within_series(catalog)]),
        above,
    )


def _groups(rows: Sequence[HeldOut], name: Callable[[HeldOut], str]) -> tuple[Group, ...]:
    """The rows by name, most rows first."""
    members: dict[str, list[HeldOut]] = {}
    for one in rows:
        members.setdefault(name(one), []).append(one)
    groups = [
        Group(
            word,
            len(found),
            summary(found, resamples=_GROUP_RESAMPLES) if any(one.has_basis for one in found) else None,
        )
        for word, found in members.items()
    ]
    return tuple(sorted(groups, key=lambda one: (-one.rows, one.name)))


def _series(errors: list[float]) -> SeriesErrors:
    ordered = sorted(errors)
    return SeriesErrors(len(ordered), _at(ordered, 0.5), _at(ordered, 0.8))


def _at(ordered: Sequence[float], share: float) -> float:
    """The smallest error that so many of the rows keep within."""
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)] if ordered else math.nan
