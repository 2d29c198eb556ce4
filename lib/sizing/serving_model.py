"""Rate and first-token share of a server: a model of its steps, corrected by what measured rows deviate from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from lib.sizing import closed_loop
from lib.sizing.closed_loop import FIRST_PRIOR, FIRST_PRIOR_SPREAD, SHARES, STEP_PRIOR, STEP_PRIOR_SPREAD, Floats, Work
from lib.sizing.kriging import Kriging, Sample, Spreads
from lib.sizing.serving_question import FEATURE_SPREAD, Columns

_NUDGE: Final = 1e-4
_SHARE_FEATURE_SPREAD: Final = (0.5, 0.2, 0.2, 0.2, *FEATURE_SPREAD.values())
_USUAL_LOAD: Final = (2.5, 7.0, 6.0)
"""Logarithms of the load at which the share's features are nothing: 12 sequences, 1,100 tokens in and 400 out."""


@dataclass(frozen=True, slots=True)
class Target:
    """A quantity that is modelled and corrected: its model, what is expected of the constants, and its features."""

    model: Callable[[Work, Floats], Floats]
    prior: Floats
    prior_spread: Floats
    features: Callable[[Columns], Floats]
    feature_spread: Floats

    def linearised(self, columns: Columns, constants: Floats) -> tuple[Floats, Floats]:
        """What the model gives at the prior's constants, straight from the fitted ones, and the design of the rest."""
        at = self.model(columns.work, constants)
        slopes = np.empty((len(at), len(constants)))
        for index in range(len(constants)):
            moved = constants.copy()
            moved[index] += _NUDGE
            slopes[:, index] = (self.model(columns.work, moved) - at) / _NUDGE
        design = np.hstack([slopes * self.prior_spread, self.features(columns) * self.feature_spread])
        return at - slopes @ (constants - self.prior), design

    def sample(self, columns: Columns, measured: Floats, constants: Floats) -> Sample:
        """Measured values of the target as a sample to learn from."""
        expected, design = self.linearised(columns, constants)
        return Sample(columns.traits, design, measured - expected)

    def predict(
        self, kriging: Kriging, columns: Columns, constants: Floats, *, within: bool = False
    ) -> tuple[Floats, Floats]:
        """Expected value of the target and its standard deviation."""
        expected, design = self.linearised(columns, constants)
        predict = kriging.predict_within if within else kriging.predict
        mean, spread = predict(columns.traits, design)
        return expected + mean, spread


def _rate_features(columns: Columns) -> Floats:
    return columns.features


def _share_features(columns: Columns) -> Floats:
    load = columns.traits.load - np.array(_USUAL_LOAD)
    return np.hstack([np.ones((len(load), 1)), load, columns.features])


RATE: Final = Target(
    closed_loop.model_rate,
    closed_loop.free(STEP_PRIOR, SHARES),
    np.array(STEP_PRIOR_SPREAD),
    _rate_features,
    np.array(list(FEATURE_SPREAD.values())),
)
"""The logarithm of output tokens per second."""


def share_target(steps: Floats) -> Target:
    """The logit of the part of a request's time before its first token, on top of the fitted times of a step.

    Parameters
    ----------
    steps : ndarray
        Constants of the step on their scales without ends.

    Returns
    -------
    Target
        The target.
    """
    return Target(
        lambda work, constants: closed_loop.model_share(work, steps, constants),
        closed_loop.free(FIRST_PRIOR, 0),
        np.array(FIRST_PRIOR_SPREAD),
        _share_features,
        np.array(_SHARE_FEATURE_SPREAD),
    )


DISTANCES: Final = ("seen", "new-model", "new-part", "new-both")
"""How far a question is from the basis: part and model measured somewhere, one of them not, neither."""

OWN: Final = "own"
"""A question whose series, the user's own part and model, is measured at another load."""

Quantiles = tuple[float, float, float]
"""Low, middle and high of measured minus predicted, in standard deviations, over held-out rows."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the measured rows give: constants of the model, spreads of the regression, and calibrated quantiles."""

    steps: tuple[float, ...]
    first: tuple[float, ...]
    rate: Spreads
    share: Spreads
    rate_quantiles: Mapping[str, Quantiles]
    """By distance."""
    unstated_quantiles: Quantiles
    """Of held-out rows whose conditions are not told: the interval is at least so wide where nobody states them."""
    first_token_quantiles: Quantiles
    per_token_quantiles: Quantiles

    @property
    def free_steps(self) -> Floats:
        """Constants of the step on their scales without ends."""
        return closed_loop.free(self.steps, SHARES)

    @property
    def free_first(self) -> Floats:
        """Constants of the first token on their scales without ends."""
        return closed_loop.free(self.first, 0)
