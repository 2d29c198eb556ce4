"""Cells of a row that somebody else has written, read by kind; InputError and UnknownNameError say which is wrong."""

import math
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from lib.errors import InputError, UnknownNameError

Word = TypeVar("Word")

LARGEST_COUNT: Final = 100_000_000
"""Beyond this a count is a slip."""


def cell_of(row: Mapping[str, str], column: str) -> str:
    """A cell without blanks around it; blank where the row has no such column.

    Parameters
    ----------
    row : Mapping[str, str]
        The row.
    column : str
        Its column.

    Returns
    -------
    str
        Text.
    """
    return (row.get(column) or "").strip()


def word_of(row: Mapping[str, str], column: str, words: Mapping[str, Word], default: str) -> Word:
    """What a cell's word stands for.

    Parameters
    ----------
    row : Mapping[str, str]
        The row.
    column : str
        Its column.
    words : Mapping
        What each word stands for.
    default : str
        The word of a blank cell.

    Returns
    -------
    Word
        What the word stands for.

    Raises
    ------
    UnknownNameError
        No such word, with the nearest right ones.
    """
    cell = cell_of(row, column).lower() or default
    if cell not in words:
        raise UnknownNameError(column, cell, words)
    return words[cell]


def number_of(row: Mapping[str, str], column: str, *, low: float, high: float = math.inf) -> float | None:
    """The number in a cell; None where it is blank.

    Parameters
    ----------
    row : Mapping[str, str]
        The row.
    column : str
        Its column.
    low : float
        What it must be above.
    high : float
        What it may be at most.

    Returns
    -------
    float or None
        The number.

    Raises
    ------
    InputError
        No number, or one out of range.
    """
    cell = cell_of(row, column)
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        raise InputError(column, cell, "a number") from None
    if not low < value <= high or value == math.inf:
        raise InputError(column, cell, f"above {low:g}" + (f", at most {high:g}" if high < math.inf else ""))
    return value


def count_of(row: Mapping[str, str], column: str) -> int | None:
    """The whole number above 0 in a cell; None where it is blank.

    Parameters
    ----------
    row : Mapping[str, str]
        The row.
    column : str
        Its column.

    Returns
    -------
    int or None
        The number.

    Raises
    ------
    InputError
        No whole number, or one out of range.
    """
    value = number_of(row, column, low=0.0, high=LARGEST_COUNT)
    if value is not None and value % 1:
        raise InputError(column, value, "a whole number")
    return None if value is None else int(value)


def rounded(value: Any) -> Any:
    """A number as a table shows it, to four decimals; everything else as it is.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    Any
        The same, rounded where it is a float.
    """
    return round(value, 4) if isinstance(value, float) else value


def ratio_name(column: str) -> str:
    """The column that holds an answer over what was observed.

    Parameters
    ----------
    column : str
        Name of the observed column.

    Returns
    -------
    str
        Name of the ratio's column.

    Examples
    --------
    >>> ratio_name("observed_kv_gib")
    'ratio_kv_gib'
    """
    return column.replace("observed_", "ratio_", 1)
