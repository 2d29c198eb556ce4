"""Fitting of the serving model to measured rows, and the calibration of its interval on rows of held-out sources."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.sizing import kriging
from lib.sizing.closed_loop import Floats
from lib.sizing.kriging import Flags, Kriging, Spreads
from lib.sizing.serving_model import DISTANCES, OWN, Quantiles, Target
from lib.sizing.serving_question import Columns

COVERAGE: Final = 0.8
_LONGEST_STEP: Final = 0.7
_STEPS: Final = 8
_NEAR: Final = 1e-3
ROUNDS: Final = 3
"""Fits of the spreads, each followed by one of the constants."""


def fitted_constants(
    target: Target, columns: Columns, measured: Floats, spreads: Spreads, start: Floats | None = None
) -> Floats:
    """Constants of the model that are most likely, given how alike the rows are.

    Gauss-Newton steps of generalised least squares with the prior of the constants and of the features

    Parameters
    ----------
    target : Target
        What is modelled.
    columns : Columns
        The rows.
    measured : ndarray
        The target as measured.
    spreads : Spreads
        Standard deviations of what rows share.
    start : ndarray or None
        Where the search starts; the prior where None.

    Returns
    -------
    ndarray
        Constants on their scales without ends.
    """
    matrix = kriging.covariance(kriging.alike(columns.traits, columns.traits), spreads)
    matrix[np.diag_indices_from(matrix)] += spreads.noise**2
    inverse = np.linalg.inv(matrix)
    constants = target.prior.copy() if start is None else start.copy()
    for _ in range(_STEPS):
        sample = target.sample(columns, measured, constants)
        gathered = sample.design.T @ inverse
        whole = gathered @ sample.design + np.eye(sample.design.shape[1])
        found = np.linalg.solve(whole, gathered @ sample.deviation)[: len(constants)]
        step = target.prior + found * target.prior_spread - constants
        constants = constants + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _NEAR:
            break
    return constants


def fit(target: Target, columns: Columns, measured: Floats, rounds: int = ROUNDS) -> tuple[Floats, Spreads]:
    """Constants and spreads of a target from measured rows, in turn, from the priors on.

    Parameters
    ----------
    target : Target
        What is modelled.
    columns : Columns
        The rows.
    measured : ndarray
        The target as measured.
    rounds : int
        How often both are fitted.

    Returns
    -------
    tuple of (ndarray, Spreads)
        Constants on their scales without ends, and spreads.
    """
    spreads = kriging.START
    constants = fitted_constants(target, columns, measured, spreads)
    for _ in range(rounds):
        spreads = kriging.fitted_spreads(target.sample(columns, measured, constants), spreads)
        constants = fitted_constants(target, columns, measured, spreads, constants)
    return constants, spreads


def held_out(found: Kriging, distance: str) -> tuple[Floats, Floats]:
    """Error and standard deviation of each row, predicted without its publisher and what the distance says.

    Parameters
    ----------
    found : Kriging
        With all rows.
    distance : str
        One of DISTANCES: "seen" leaves out the row's publisher, "new-part" all rows of its part as well, and so on.

    Returns
    -------
    tuple of (ndarray, ndarray)
        Measured minus predicted, and the prediction's standard deviation; NaN where nothing would be left.
    """
    codes = found.sample.traits.codes
    names = ["publisher"]
    names += ["part"] if distance in ("new-part", "new-both") else []
    names += ["model"] if distance in ("new-model", "new-both") else []
    table = np.stack([codes[name] for name in names], axis=1)
    errors, spreads = (np.full(len(table), np.nan) for _ in range(2))
    for one in np.unique(table, axis=0):
        removed: Flags = (table == one).any(axis=1)
        wanted = (table == one).all(axis=1)
        if removed.mean() > _MOST_REMOVED:
            continue
        error, spread = found.left_out(removed)
        errors[wanted], spreads[wanted] = error[wanted[removed]], spread[wanted[removed]]
    return errors, spreads


def held_out_loads(found: Kriging) -> tuple[Floats, Floats]:
    """Error and standard deviation of each row, predicted from its series at other loads and from all other series.

    Parameters
    ----------
    found : Kriging
        With all rows.

    Returns
    -------
    tuple of (ndarray, ndarray)
        As held_out; NaN for rows whose series (source, part and model) has no other load.
    """
    traits = found.sample.traits
    series = traits.codes["series"]
    errors, spreads = (np.full(traits.count, np.nan) for _ in range(2))
    for one in np.unique(series):
        own: Flags = series == one
        loads = np.unique(traits.load[own], axis=0)
        for load in loads if len(loads) > 1 else ():
            removed: Flags = own & (traits.load == load).all(axis=1)
            errors[removed], spreads[removed] = found.left_out(removed)
    return errors, spreads


_MOST_REMOVED: Final = 0.9


def quantiles(scores: Floats, publishers: npt.NDArray[np.int64]) -> Quantiles:
    """Low, middle and high quantile of scores of held-out rows, so that the outer two enclose 80 % of a new publisher's.

    Parameters
    ----------
    scores : ndarray
        Measured minus predicted over the standard deviation.
    publishers : ndarray of int
        Publisher of each row.

    Returns
    -------
    tuple of float
        The three quantiles.

    Notes
    -----
    Split-conformal with the correction for a finite number of publishers G: the level is 0.8 (G + 1) / G. A row counts
    with one over the root of the rows of its publisher, between one vote a row and one vote a publisher.
    """
    kept = ~np.isnan(scores)
    values, owners = scores[kept], publishers[kept]
    _, owner, counts = np.unique(owners, return_inverse=True, return_counts=True)
    votes = 1 / np.sqrt(counts[owner.reshape(-1)])
    level = min(COVERAGE * (len(counts) + 1) / len(counts), _HIGHEST_LEVEL)
    order = np.argsort(values)
    rank = np.cumsum(votes[order]) / votes.sum()
    low, middle, high = (
        float(values[order][min(int(np.searchsorted(rank, at)), len(rank) - 1)])
        for at in ((1 - level) / 2, 0.5, (1 + level) / 2)
    )
    return low, middle, high


_HIGHEST_LEVEL: Final = 0.98


def calibrated(found: Kriging, distances: Iterable[str] = (*DISTANCES, OWN)) -> dict[str, Quantiles]:
    """Quantiles of the scores of held-out rows, for each distance.

    Parameters
    ----------
    found : Kriging
        With all rows.
    distances : iterable of str
        Of DISTANCES, and OWN.

    Returns
    -------
    dict
        Quantiles by distance.
    """
    publishers = found.sample.traits.codes["publisher"]
    found_quantiles: dict[str, Quantiles] = {}
    for one in distances:
        errors, spreads = held_out_loads(found) if one == OWN else held_out(found, one)
        found_quantiles[one] = quantiles(errors / spreads, publishers)
    return found_quantiles
