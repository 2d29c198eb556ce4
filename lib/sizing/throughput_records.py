"""What a throughput estimate says: rates, times, what they rest on, and doubts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lib.records import Doubt
from lib.sizing.serving_question import Columns, Question

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measured:
    """A result of the user's own: a deployment under a load, and the output tokens per second of all its replicas."""

    question: Question
    output_tokens_per_s: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """Low and high end of an 80 % interval and the estimate within it."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A measured row near a question: its label in the serving table, what it is, how alike, and how it came out.

    `ratio` is measured over what the model of steps gives for that row, before any correction.
    """

    row: int
    source_id: str
    accelerator_id: str
    model_id: str
    engine: str
    date: str
    correlation: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Basis:
    """What an interval rests on: rows and sources in all, of the same part, of the same model, and how far it reaches.

    `distance` is seen, new-model, new-part, new-both (part or model without a measured row), own (the user's own series
    at another load), or none.
    """

    rows: int
    sources: int
    part_rows: int
    part_sources: int
    model_rows: int
    model_sources: int
    own_rows: int
    distance: str


@dataclass(frozen=True, slots=True)
class ThroughputEstimate:
    """The speed of one deployment under one load; without a measured basis only the bounds are there.

    Rates are output tokens per second of all replicas. The estimates of `ttft_s` and `tpot_s` are of one operating
    point: concurrency x output / rate = first token + (output - 1) x time per token. `in_service` sequences run at the
    same time, `waiting` requests have no place.
    """

    question: Question
    bound: float | None
    low: float | None
    estimate: float | None
    high: float | None
    ttft_s: Interval | None
    tpot_s: Interval | None
    ttft_bound_s: float | None
    tpot_bound_s: float | None
    in_service: float
    waiting: float
    basis: Basis
    nearest: tuple[Neighbour, ...]
    doubts: tuple[Doubt, ...]

    @property
    def has_basis(self) -> bool:
        """Whether there is an interval."""
        return self.estimate is not None


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Many estimates as arrays, NaN where there is none; `ttft_s` and `tpot_s` have columns low, estimate, high."""

    bound: Floats
    low: Floats
    estimate: Floats
    high: Floats
    ttft_s: Floats
    tpot_s: Floats
    ttft_bound_s: Floats
    tpot_bound_s: Floats
    in_service: Floats
    waiting: Floats
    distance: tuple[str, ...]
    columns: Columns
