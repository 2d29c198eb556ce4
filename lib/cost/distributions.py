"""How an amount may turn out: a low, a base and a high value made into a distribution, by what the base means.

Two meanings. A price is the median of quotes: as many lie below it as above, and a quote is wrong by a factor rather
than by a sum, so that its spread is taken on a logarithmic scale. Every other assumption is somebody's most likely
value: the mode of a triangle on a linear scale. Both end at low and high, for nothing beyond them was found.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.errors import InputError

Meaning = Literal["mode", "median"]
Scale = Literal["linear", "log"]

PRICE_FIELDS: Final = ("server_price_usd", "rent_usd_per_gpu_hour", "bridge_usd_per_gpu_hour")
"""Fields whose base is the median of quotes."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The range of an amount, what its base means in it, and the scale on which it spreads."""

    low: float
    base: float
    high: float
    meaning: Meaning = "mode"
    scale: Scale = "linear"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.base <= self.high):
            raise InputError("spread", (self.low, self.base, self.high), "low, base and high in rising order")
        if self.meaning not in ("mode", "median"):
            raise InputError("meaning", self.meaning, "mode or median")
        if self.scale not in ("linear", "log"):
            raise InputError("scale", self.scale, "linear or log")
        if self.scale == "log" and self.low <= 0:
            raise InputError("spread", self.low, "above 0 on a logarithmic scale")


def spread_of(field: str, low: float, base: float, high: float) -> Spread:
    """The spread of a field of a cost calculation, by the rule of this module.

    Parameters
    ----------
    field : str
        A field of Option or Finance.
    low, base, high : float
        Its range and its value in use [unit of the field].

    Returns
    -------
    Spread
        A price that may be zero spreads on a linear scale.

    Raises
    ------
    InputError
        If the three do not rise.

    Examples
    --------
    >>> spread_of("rent_usd_per_gpu_hour", 1.5, 1.99, 6.5).scale, spread_of("utilisation", 0.4, 0.4, 0.7).scale
    ('log', 'linear')
    """
    if field not in PRICE_FIELDS:
        return Spread(low, base, high)
    return Spread(low, base, high, "median", "log" if low > 0 else "linear")


def triangular_quantile(probability: NDArray[np.float64], low: float, mode: float, high: float) -> NDArray[np.float64]:
    """The value that a triangular distribution stays below with a probability (exact).

    x = low + sqrt(p (high - low) (mode - low)) up to the mode, high - sqrt((1 - p) (high - low) (high - mode)) beyond

    Parameters
    ----------
    probability : ndarray
        From 0 to 1.
    low, mode, high : float
        Ends and peak.

    Returns
    -------
    ndarray
        Values, in the shape of the probabilities.

    Examples
    --------
    The mean is (low + mode + high) / 3:

    >>> even = (np.arange(1000) + 0.5) / 1000
    >>> round(float(triangular_quantile(even, 0.0, 1.0, 5.0).mean()), 3)
    2.0
    """
    width = high - low
    if width == 0:
        return np.full_like(probability, low)
    rising = low + np.sqrt(probability * (width * (mode - low)))
    falling = high - np.sqrt((1 - probability) * (width * (high - mode)))
    return np.where(probability * width < mode - low, rising, falling)


def median_triangular_quantile(
    probability: NDArray[np.float64], low: float, median: float, high: float
) -> NDArray[np.float64]:
    """The value that two half triangles stay below with a probability: half of it lies on each side of the median (exact).

    x = low + (median - low) sqrt(2 p) up to one half, high - (high - median) sqrt(2 (1 - p)) beyond

    Parameters
    ----------
    probability : ndarray
        From 0 to 1.
    low, median, high : float
        Ends, and the value that is as likely too high as too low.

    Returns
    -------
    ndarray
        Values, in the shape of the probabilities.

    Notes
    -----
    Each side falls from the median to nothing at its end. Where the median is itself an end there is no other side to
    hold half of the probability: it is the mode of a triangle then.

    Examples
    --------
    >>> median_triangular_quantile(np.array([0.0, 0.5, 1.0]), 1.5, 1.99, 6.5).round(9).tolist()
    [1.5, 1.99, 6.5]
    """
    if median in (low, high):
        return triangular_quantile(probability, low, median, high)
    below = low + (median - low) * np.sqrt(2 * probability)
    above = high - (high - median) * np.sqrt(2 * (1 - probability))
    return np.where(probability < 0.5, below, above)


def quantile(spread: Spread, probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value that an amount stays below with a probability.

    Parameters
    ----------
    spread : Spread
        Range, meaning and scale of the amount.
    probability : ndarray
        From 0 to 1.

    Returns
    -------
    ndarray
        Values [unit of the amount], in the shape of the probabilities, none outside low and high.

    Examples
    --------
    A rent quoted between 1 and 4 USD with 2 in the middle is below 1.41 USD once in eight times:

    >>> quantile(Spread(1.0, 2.0, 4.0, "median", "log"), np.array([0.125, 0.5, 0.875])).round(3).tolist()
    [1.414, 2.0, 2.828]
    """
    ends = (spread.low, spread.base, spread.high)
    inverse = triangular_quantile if spread.meaning == "mode" else median_triangular_quantile
    if spread.scale == "linear":
        return inverse(probability, *ends)
    low, base, high = (math.log(end) for end in ends)
    return np.clip(np.exp(inverse(probability, low, base, high)), spread.low, spread.high)


def normal_probability(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability that a standard normal variable stays below a value (exact).

    P = erfc(-x / sqrt 2) / 2

    Parameters
    ----------
    values : ndarray
        Values of the variable, one dimension.

    Returns
    -------
    ndarray
        Probabilities.

    Examples
    --------
    >>> normal_probability(np.array([0.0, 1.959964])).round(4).tolist()
    [0.5, 0.975]
    """
    return np.array([math.erfc(-value * math.sqrt(0.5)) / 2 for value in values.tolist()])
