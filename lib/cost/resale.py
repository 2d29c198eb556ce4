"""What bought hardware may be worth by its age: the sourced values with both their ends, and how far a factor may move them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lib.cost.cash_flow import residual_fraction
from lib.cost.origins import Origin
from lib.units import MONTHS_PER_YEAR

_OWN_YEAR: Final = 3
"""The year after which a part's own row states its worth."""


@dataclass(frozen=True, slots=True)
class ResaleCurve:
    """Worth after years 1, 2, ... [fraction of the purchase price], and the widest factors that any age may have."""

    low: tuple[float, ...]
    base: tuple[float, ...]
    high: tuple[float, ...]
    least_scale: float = 0.0
    most_scale: float = float("inf")

    def scales(self, months: int) -> tuple[float, float]:
        """Factors on the base at which hardware of an age is worth the low and the high end of that age (exact).

        scale = end(age) / base(age), within the widest factors; 1 lies between the two

        Parameters
        ----------
        months : int
            Age at the sale [months]; held within the stated years.

        Returns
        -------
        tuple of float
            Low and high; 1 and 1 where the base is worth nothing, which no factor moves.

        Examples
        --------
        Sources state 20 to 35 % after three years, and 10 to 15 % after five.

        >>> curve = ResaleCurve((0.6, 0.3, 0.2, 0.15, 0.1), (0.625, 0.425, 0.3, 0.175, 0.125),
        ...                     (0.7, 0.45, 0.35, 0.2, 0.15))
        >>> [[round(scale * worth, 4) for scale in curve.scales(age)] for age, worth in ((36, 0.3), (60, 0.125))]
        [[0.2, 0.35], [0.1, 0.15]]
        """
        age = min(max(months, MONTHS_PER_YEAR), len(self.base) * MONTHS_PER_YEAR)
        low, base, high = (float(residual_fraction(ends, age)) for ends in (self.low, self.base, self.high))
        if base <= 0:
            return 1.0, 1.0
        return min(max(low / base, self.least_scale), 1.0), max(min(high / base, self.most_scale), 1.0)


def resale_curve(years: Sequence[Origin], own: Origin | None = None) -> ResaleCurve:
    """The curve of a part: the stated years, or these lowered to the part's own row after three years (estimate).

    base = base of the year - (base of year 3 - base of the own row), not below 0; the ends likewise

    Parameters
    ----------
    years : sequence of Origin
        Worth after years 1, 2, ... with both ends [fraction of the purchase price].
    own : Origin, optional
        The part's own row after three years [fraction of the purchase price], with a base above 0.

    Returns
    -------
    ResaleCurve
        The low end is lowered by the more, the high end by the less of its own points and those of the base; after
        three years both are those of the own row, whose factors no other age exceeds.

    Examples
    --------
    AMD's own row is 5 / 15 / 25 % after three years, where the curve has 20 / 30 / 35 %.

    >>> years = [Origin("assumption", (), *ends) for ends in ((0.6, 0.625, 0.7), (0.3, 0.425, 0.45), (0.2, 0.3, 0.35))]
    >>> amd = resale_curve(years, Origin("assumption", (), 0.05, 0.15, 0.25))
    >>> [round(one, 3) for one in amd.base], [round(one, 3) for one in amd.high]
    ([0.475, 0.275, 0.15], [0.6, 0.35, 0.25])
    """
    low, base, high = (
        tuple(end or 0.0 for end in ends)
        for ends in ([one.low for one in years], [one.base for one in years], [one.high for one in years])
    )
    if own is None or not own.base:
        return ResaleCurve(low, base, high)
    at = _OWN_YEAR - 1
    points = base[at] - own.base
    down, up = max(low[at] - (own.low or 0.0), points), min(high[at] - (own.high or 0.0), points)
    return ResaleCurve(
        low=_lowered(low, down),
        base=_lowered(base, points),
        high=_lowered(high, up),
        least_scale=(own.low or 0.0) / own.base,
        most_scale=(own.high or 0.0) / own.base,
    )


def _lowered(ends: Sequence[float], points: float) -> tuple[float, ...]:
    return tuple(round(max(end - points, 0.0), 12) for end in ends)
