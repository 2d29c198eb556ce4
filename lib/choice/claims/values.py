"""What a formula works with: a number, a range of numbers, or a text."""

import math
from dataclasses import dataclass
from typing import Final

from lib.errors import InputError

_INTEGER_UP_TO: Final = 1e15
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Value:
    """A number (low equals high), a range, or a text (a word, a date, a version); ranges compute by their ends."""

    low: float = math.nan
    high: float = math.nan
    text: str = ""

    @property
    def is_text(self) -> bool:
        """Whether this is a text and no number."""
        return math.isnan(self.low)

    def __add__(self, other: "Value") -> "Value":
        return Value(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Value") -> "Value":
        return Value(self.low - other.high, self.high - other.low)

    def __mul__(self, other: "Value") -> "Value":
        return _of_corners([one * two for one in (self.low, self.high) for two in (other.low, other.high)])

    def __truediv__(self, other: "Value") -> "Value":
        if other.low <= 0 <= other.high:
            raise InputError("divisor", shown(other), "a range without 0")
        return _of_corners([one / two for one in (self.low, self.high) for two in (other.low, other.high)])

    def __pow__(self, other: "Value") -> "Value":
        return _of_corners([one**two for one in (self.low, self.high) for two in (other.low, other.high)])

    def __neg__(self) -> "Value":
        return Value(-self.high, -self.low)


def number(value: float) -> Value:
    """A single number.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    Value
        Low equals high.
    """
    return Value(float(value), float(value))


def shown(value: Value) -> str:
    """A value as it is put into a formula: four significant figures, whole numbers whole, a range with an en dash.

    Parameters
    ----------
    value : Value
        Number, range or text.

    Returns
    -------
    str
        The same in every language.

    Examples
    --------
    >>> shown(number(5.3)), shown(Value(15_000, 18_000)), shown(number(1.58209)), shown(Value(text="CDNA 5"))
    ('5.3', '15,000–18,000', '1.582', 'CDNA 5')
    """
    if value.is_text:
        return value.text
    ends = plain(value.low), plain(value.high)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def plain(value: float) -> str:
    """A number with four significant figures; whole numbers keep all of theirs.

    Parameters
    ----------
    value : float
        Any finite number.

    Returns
    -------
    str
        Thousands grouped; above 1e15 with an exponent.
    """
    if abs(value) >= _INTEGER_UP_TO:
        return f"{value:.{_DIGITS - 1}e}".replace("e+", "e")
    if value == round(value) or abs(value) >= 10**_DIGITS:
        return f"{value:,.0f}".replace("-", "−")
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def _of_corners(corners: list[float]) -> Value:
    return Value(min(corners), max(corners))
