"""Amounts of a cost calculation, held against the range in which they mean something."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.errors import InputError

Amount = float | NDArray[np.float64]
"""A number, or an array of draws of shape (draws, 1), so that it broadcasts against months."""

Computed = Any
"""What a kernel makes of amounts: a float of numbers, an array of draws."""


def check_amount(field: str, value: Amount, low: float, high: float, unit: str = "") -> None:
    """Refuse an amount outside its range, not a number, or of a shape that would be taken for months.

    Parameters
    ----------
    field : str
        Name that the error shall carry.
    value : float or ndarray
        The amount [unit], scalar or (draws, 1).
    low, high : float
        Smallest and largest allowed value [unit].
    unit : str
        What the error says after the range.

    Raises
    ------
    InputError
        If a value is not a finite number from low to high, or an array's last dimension is not 1.

    Examples
    --------
    >>> check_amount("utilisation", 0.4, 0, 1)
    >>> check_amount("utilisation", 40, 0, 1)
    Traceback (most recent call last):
        ...
    lib.errors.InputError: utilisation is 40; allowed: 0 to 1
    """
    if type(value) is float and low <= value <= high:
        return  # nearly all: thousands of options are made for one answer
    allowed = f"{low:g} to {high:g} {unit}".rstrip()
    if isinstance(value, np.ndarray) and value.ndim > 0:
        if value.shape[-1] != 1 or value.dtype.kind not in "fiu":
            raise InputError(field, f"an array of {value.dtype} and shape {value.shape}", "numbers of shape (draws, 1)")
        bad = ~((value >= low) & (value <= high))
        if bad.any():
            raise InputError(field, float(value[bad][0]), allowed)
        return
    is_number = isinstance(value, int | float | np.number | np.ndarray) and not isinstance(value, bool)
    if not (is_number and low <= value <= high):
        raise InputError(field, value, allowed)


def check_count(field: str, value: int, low: int, high: int, unit: str = "") -> None:
    """Refuse a count that is not a whole number in its range.

    Parameters
    ----------
    field : str
        Name that the error shall carry.
    value : int
        The count [unit].
    low, high : int
        Smallest and largest allowed count [unit].
    unit : str
        What the error says after the range.

    Raises
    ------
    InputError
        If the value is no int from low to high.

    Examples
    --------
    >>> check_count("gpus", 0, 1, 10, "GPUs")
    Traceback (most recent call last):
        ...
    lib.errors.InputError: gpus is 0; allowed: a whole number from 1 to 10 GPUs
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise InputError(field, value, f"a whole number from {low} to {high} {unit}".rstrip())
