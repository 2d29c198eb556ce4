"""From measured deviations to a prediction with its spread: a regression whose errors are alike where the rows are.

measured = model(constants) + features + what rows share (source, part, engine, model ...) + noise, all but the model
normal with zero mean; the constants are linearised, so that what is not known of them is part of the spread.
"""

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

SOURCE_TRAITS: Final = ("source", "source_model", "series", "config")
WORLD_TRAITS: Final = ("part", "engine", "model", "kind")
"""Traits of rows of one source, and those that a question shares with rows of any source."""

DATE_REACH_YEARS: Final = 0.7
"""Software of one vendor this far apart in time is alike to 1 / e."""

_MOST_WORLDS: Final = 4096

LOAD_REACH: Final = 1.5
"""Loads of one series this far apart in the logarithm of sequences, prompt or output are alike to exp(-1 / 2)."""


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations of what rows share, in the logarithm of the target.

    `source_age` is per year before 2026, `load` the smooth part within a series, `date` what a vendor's software of one
    time has in common.
    """

    source: float
    source_age: float
    source_model: float
    series: float
    load: float
    config: float
    part: float
    engine: float
    model: float
    kind: float
    date: float
    noise: float


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """What makes rows alike: codes of words, the date in years, years before 2026, and the logarithms of the load."""

    codes: Mapping[str, Codes]
    vendor: Codes
    date: Floats
    age: Floats
    load: Floats

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.date)

    def take(self, rows: Flags | Codes) -> "Traits":
        """The traits of some rows."""
        codes = {name: one[rows] for name, one in self.codes.items()}
        return Traits(codes, self.vendor[rows], self.date[rows], self.age[rows], self.load[rows])


def joined(parts: Sequence[Traits]) -> Traits:
    """Rows of several tables one after the other.

    Parameters
    ----------
    parts : sequence of Traits
        At least one.

    Returns
    -------
    Traits
        All rows.
    """
    codes = {name: np.concatenate([one.codes[name] for one in parts]) for name in parts[0].codes}
    return Traits(
        codes,
        np.concatenate([one.vendor for one in parts]),
        np.concatenate([one.date for one in parts]),
        np.concatenate([one.age for one in parts]),
        np.concatenate([one.load for one in parts]),
    )


@functools.lru_cache(maxsize=65_536)
def code(word: str) -> int:
    """A number for a word, the same in every process.

    Parameters
    ----------
    word : str
        Any text.

    Returns
    -------
    int
        63 bits.

    Examples
    --------
    >>> code("mi300x") == code("mi300x"), code("mi300x") == code("mi325x")
    (True, False)
    """
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") >> 1


def alike(left: Traits, right: Traits) -> dict[str, Floats]:
    """How much each pair of rows shares of each thing, from 0 to 1 (`source_age`: years squared).

    Parameters
    ----------
    left : Traits
        Rows of the result.
    right : Traits
        Columns of the result.

    Returns
    -------
    dict of ndarray
        A matrix for each field of Spreads but noise.
    """
    found: dict[str, Floats] = {
        name: (left.codes[name][:, None] == right.codes[name][None, :]).astype(float)
        for name in (*SOURCE_TRAITS, *WORLD_TRAITS)
    }
    found["source_age"] = found["source"] * np.outer(left.age, right.age)
    gap = left.load[:, None, :] - right.load[None, :, :]
    found["load"] = found["series"] * np.exp(-(gap**2).sum(axis=-1) / (2 * LOAD_REACH**2))
    found["date"] = _same_time(left, right)
    return found


def _same_time(left: Traits, right: Traits) -> Floats:
    apart = np.abs(left.date[:, None] - right.date[None, :])
    same = left.vendor[:, None] == right.vendor[None, :]
    return np.asarray(np.exp(-apart / DATE_REACH_YEARS) * same, dtype=np.float64)


def covariance(shared: Mapping[str, Floats], spreads: Spreads) -> Floats:
    """Covariance of rows by what they share, without noise.

    sum over things of spread^2 x share

    Parameters
    ----------
    shared : Mapping of ndarray
        From alike.
    spreads : Spreads
        Standard deviations.

    Returns
    -------
    ndarray
        Matrix.
    """
    total: Floats = sum((getattr(spreads, name) ** 2 * one for name, one in shared.items()), np.zeros(()))
    return total


def prior_variance(traits: Traits, spreads: Spreads) -> Floats:
    """Variance of one row before anything is measured, noise included.

    Parameters
    ----------
    traits : Traits
        The rows.
    spreads : Spreads
        Standard deviations.

    Returns
    -------
    ndarray
        One entry per row.
    """
    constant = sum(value**2 for name, value in asdict(spreads).items() if name != "source_age")
    return np.asarray(constant + (spreads.source_age * traits.age) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows to learn from: their traits, how each depends on the unknown constants and features, and the deviations.

    `deviation` is measured minus model at the prior's constants, linearised; `design` its derivatives, already times
    the prior spread of each constant.
    """

    traits: Traits
    design: Floats
    deviation: Floats

    def take(self, rows: Flags | Codes) -> "Sample":
        """Some of the rows."""
        return Sample(self.traits.take(rows), self.design[rows], self.deviation[rows])


class Kriging:
    """A sample with its inverse covariance, ready to predict."""

    def __init__(self, sample: Sample, spreads: Spreads) -> None:
        self.sample, self.spreads = sample, spreads
        traits = sample.traits
        matrix = covariance(alike(traits, traits), spreads) + sample.design @ sample.design.T
        matrix[np.diag_indices_from(matrix)] += spreads.noise**2
        self.inverse: Floats = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        self.weights: Floats = self.inverse @ sample.deviation

    def predict(self, traits: Traits, design: Floats) -> tuple[Floats, Floats]:
        """Expected deviation of rows of no source in the sample, and its standard deviation.

        Rows that share part, engine, model, kind, vendor and date share most of the work: it is done once for them.
        """
        shared = np.stack(
            [*(traits.codes[name] for name in WORLD_TRAITS), traits.vendor, traits.date.view(np.int64)], axis=1
        )
        _, first, group = np.unique(shared, axis=0, return_index=True, return_inverse=True)
        group = group.reshape(-1)
        keys = [shared[at].tobytes() for at in first]
        answers = self._answers(traits.take(first), keys)
        level = np.array([one[0] for one in answers])[group]
        known = np.array([one[1] for one in answers])[group]
        cross = np.array([one[2] for one in answers]).reshape(len(keys), -1)[group]
        mean = level + design @ (self.sample.design.T @ self.weights)
        known = known + 2 * (cross * design).sum(axis=1) + ((design @ self._linear) * design).sum(axis=1)
        return mean, np.sqrt(prior_variance(traits, self.spreads) + (design**2).sum(axis=1) - known)

    def _answers(self, traits: Traits, keys: Sequence[bytes]) -> list[tuple[float, float, Floats]]:
        """Expected deviation, variance known and its dependence on the constants for each group, kept for the next time.

        Editing a load asks for the same groups again, and the inverse is too large to be passed through each time.
        """
        kept = {key: one for key in keys if (one := self._worlds.get(key)) is not None}
        wanted = np.array([at for at, key in enumerate(keys) if key not in kept], dtype=np.int64)
        if len(wanted):
            world = self._world(traits.take(wanted))
            through = world @ self.inverse
            found = zip(world @ self.weights, (through * world).sum(axis=1), through @ self.sample.design, strict=True)
            added = {
                keys[at]: (float(level), float(known), cross)
                for at, (level, known, cross) in zip(wanted.tolist(), found, strict=True)
            }
            if len(self._worlds) > _MOST_WORLDS:
                self._worlds.clear()
            self._worlds.update(added)
            kept |= added
        return [kept[key] for key in keys]

    @functools.cached_property
    def _worlds(self) -> dict[bytes, tuple[float, float, Floats]]:
        return {}

    @functools.cached_property
    def _linear(self) -> Floats:
        """What the sample says of the constants alone: the same for every question."""
        own = self.sample.design
        return np.asarray(own.T @ self.inverse @ own, dtype=np.float64)

    def predict_within(self, traits: Traits, design: Floats) -> tuple[Floats, Floats]:
        """As predict, for rows that may be of a source in the sample."""
        cross = self.between(traits, design)
        known = ((cross @ self.inverse) * cross).sum(axis=1)
        prior = prior_variance(traits, self.spreads) + (design**2).sum(axis=1)
        return cross @ self.weights, np.sqrt(prior - known)

    def between(self, traits: Traits, design: Floats) -> Floats:
        """Covariance of rows with those of the sample."""
        return covariance(alike(traits, self.sample.traits), self.spreads) + design @ self.sample.design.T

    def _world(self, traits: Traits) -> Floats:
        sample = self.sample.traits
        total = self.spreads.date**2 * _same_time(traits, sample)
        for name in WORLD_TRAITS:
            same = traits.codes[name][:, None] == sample.codes[name][None, :]
            total = total + getattr(self.spreads, name) ** 2 * same
        return total

    def left_out(self, removed: Flags) -> tuple[Floats, Floats]:
        """Errors of some rows, predicted without them, and the standard deviations of the predictions; closed form.

        error = (inverse of the block of the inverse) x (block of the weights)
        """
        rows = np.flatnonzero(removed)
        block = np.linalg.inv(self.inverse[np.ix_(rows, rows)])
        return block @ self.weights[rows], np.sqrt(np.diag(block))

    def without(self, removed: Flags) -> "Kriging":
        """The same without some rows, without inverting anew."""
        rows, kept = np.flatnonzero(removed), np.flatnonzero(~removed)
        across = self.inverse[np.ix_(kept, rows)]
        found = object.__new__(Kriging)
        found.sample, found.spreads = self.sample.take(kept), self.spreads
        block = np.linalg.solve(self.inverse[np.ix_(rows, rows)], across.T)
        found.inverse = self.inverse[np.ix_(kept, kept)] - across @ block
        found.weights = found.inverse @ found.sample.deviation
        return found


class Likelihood:
    """How likely the deviations of a sample are under some spreads, with the prior of the spreads."""

    def __init__(self, sample: Sample) -> None:
        self.deviation = sample.deviation
        self._shared = alike(sample.traits, sample.traits)
        self._fixed = sample.design @ sample.design.T

    def at(self, spreads: Spreads) -> float:
        """Logarithm of likelihood and prior, up to a constant."""
        factor = np.linalg.cholesky(self._matrix(spreads))
        whitened = np.linalg.solve(factor, self.deviation)
        away = (np.log(list(asdict(spreads).values())) - _PRIOR_LOG) / _PRIOR_LOG_SPREAD
        return float(-(whitened @ whitened + away @ away) / 2 - np.log(np.diag(factor)).sum())

    def slope(self, spreads: Spreads) -> Floats:
        """Derivatives of `at` by the logarithm of each spread."""
        inverse = np.linalg.inv(self._matrix(spreads))
        weights = inverse @ self.deviation
        pull = np.outer(weights, weights) - inverse
        values = np.array(list(asdict(spreads).values()))
        gains = [
            np.trace(pull) if one.name == "noise" else (pull * self._shared[one.name]).sum() for one in fields(Spreads)
        ]
        return np.asarray(values**2 * np.array(gains) - (np.log(values) - _PRIOR_LOG) / _PRIOR_LOG_SPREAD**2)

    def _matrix(self, spreads: Spreads) -> Floats:
        matrix = covariance(self._shared, spreads) + self._fixed
        matrix[np.diag_indices_from(matrix)] += spreads.noise**2
        return matrix


def fitted_spreads(sample: Sample, start: Spreads, rounds: int = 40) -> Spreads:
    """The spreads under which the deviations are most likely, with a prior that keeps them near 0.15.

    Parameters
    ----------
    sample : Sample
        Rows to learn from.
    start : Spreads
        Where the search starts.
    rounds : int
        Steps along the gradient of the logarithm of the likelihood, with the step sizes of Adam.

    Returns
    -------
    Spreads
        Standard deviations.

    References
    ----------
    Rasmussen, Williams: Gaussian Processes for Machine Learning, eq. 5.9; arXiv:1412.6980 (Adam).
    """
    likelihood = Likelihood(sample)
    logs = np.log(list(asdict(start).values()))
    first, second = np.zeros(len(logs)), np.zeros(len(logs))
    for step in range(1, rounds + 1):
        slope = likelihood.slope(Spreads(*np.exp(logs).tolist()))
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        logs = logs + _STEP * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return Spreads(*np.exp(logs).tolist())


_PRIOR_LOG: Final = float(np.log(0.15))
_PRIOR_LOG_SPREAD: Final = 0.8
_STEP: Final = 0.1
START: Final = Spreads(*(0.15,) * 12)
"""Spreads before any row is seen."""
