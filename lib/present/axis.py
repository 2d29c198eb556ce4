"""A round axis for amounts, in slides and in the report."""

import math
from collections.abc import Sequence


def axis_of(values: Sequence[float]) -> tuple[float, float, float]:
    """Least, greatest and step of an axis from zero, or from below it, that holds the values with room for a label above.

    Examples
    --------
    >>> axis_of([312.5, 1_159.5]), axis_of([-20.0, 90.0])
    ((0.0, 1200.0, 200.0), (-20.0, 100.0, 20.0))
    """
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    step = next(one for one in _steps(span) if span <= 7 * one)
    return step * math.floor(low / step), step * math.ceil((high + 0.02 * span) / step), step


def _steps(span: float) -> list[float]:
    """Round numbers about a tenth of a span, rising."""
    power = 10.0 ** math.floor(math.log10(span / 10))
    return [power * one for one in (1, 2, 2.5, 5, 10, 20)]
