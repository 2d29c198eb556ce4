"""How alike the errors of several throughput estimates are: what model, load and engine do to all of them at once."""

import functools
from dataclasses import dataclass

import numpy as np

from lib.catalog import Catalog
from lib.sizing import serving_question
from lib.sizing.closed_loop import Floats
from lib.sizing.kriging import alike, covariance
from lib.sizing.serving_model import RATE
from lib.sizing.serving_question import Question
from lib.sizing.throughput import basis_of


@dataclass(frozen=True, slots=True, eq=False)
class JointError:
    """Standard deviation of the logarithm of each rate, and how the errors go together."""

    spread: Floats
    correlation: Floats

    @property
    def shared(self) -> float:
        """Mean correlation of two different estimates: the share of the variance that moves all of them; 0 for one."""
        size = len(self.spread)
        if size < 2:
            return 0.0
        return float((self.correlation.sum() - size) / (size * (size - 1)))


@functools.lru_cache(maxsize=256)
def joint_error(catalog: Catalog, questions: tuple[Question, ...]) -> JointError:
    """The errors of several estimates taken together, given the measured rows (estimate).

    covariance = prior - cross x inverse of the sample's x cross transposed

    Parameters
    ----------
    catalog : Catalog
        The edition; its measured rows are the basis.
    questions : tuple of Question
        On parts with a known memory bandwidth.

    Returns
    -------
    JointError
        Of the same regression that gives the estimates.

    Notes
    -----
    How much is shared follows from the spreads fitted to the residuals, source by source: what a source, a model, a kind
    of model, an engine and a date have in common is shared by candidates that are alike in it; what a part, its own
    series, its configuration and noise add is each candidate's own. The constants of the model are shared as far as both
    depend on them.
    """
    basis = basis_of(catalog)
    columns = serving_question.columns(catalog, questions)
    _, design = RATE.linearised(columns, basis.fitted.free_steps)
    spreads = basis.fitted.rate
    cross = basis.rate.between(columns.traits, design)
    prior = covariance(alike(columns.traits, columns.traits), spreads) + design @ design.T
    found = prior - cross @ basis.rate.inverse @ cross.T
    found[np.diag_indices_from(found)] += spreads.noise**2
    spread = np.sqrt(np.diag(found))
    correlation = np.clip(found / np.outer(spread, spread), -1.0, 1.0)
    return JointError(spread, correlation)
