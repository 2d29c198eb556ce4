"""Rows of a data frame as plain arrays, so that they can be matched by the hundred in a millisecond.

Works on the measured tables as the catalogue hands them out: text is a category with "" for blank, numbers are floats
with NaN for blank, flags are booleans. A data frame costs a fraction of a millisecond per touch; pairs need dozens of
columns of several parts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_CODE_LIMIT: Final = 2**62


@dataclass(frozen=True, slots=True)
class Table:
    """Some rows of a data frame, column by column: codes of every column, words of the text, numbers of the rest."""

    length: int
    labels: NDArray[Any]
    codes: Mapping[str, Codes]
    sizes: Mapping[str, int]
    words: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, Floats]
    flags: Mapping[str, Flags]

    def code(self, *names: str) -> Codes:
        """One integer per row, equal exactly where all these columns are equal; blank equals blank."""
        return combined([(self.codes[name], self.sizes[name]) for name in names])

    def text(self, name: str) -> NDArray[np.object_]:
        """A text column as words."""
        return np.array([*self.words[name], ""], dtype=object)[self.codes[name]]

    def is_word(self, name: str, *wanted: str) -> Flags:
        """Where a text column is one of some words."""
        return np.array([*(word in wanted for word in self.words[name]), "" in wanted], dtype=bool)[self.codes[name]]

    def translated(self, name: str, words: Mapping[str, str]) -> tuple[Codes, tuple[str, ...]]:
        """A text column word by word in other words: codes and the words they stand for; "" without translation."""
        names = [words.get(word, "") for word in self.words[name]]
        known = {word: place for place, word in enumerate(dict.fromkeys([*names, ""]))}
        return np.array([*(known[word] for word in names), known[""]], dtype=np.int64)[self.codes[name]], tuple(known)

    def take(self, positions: Codes) -> "Table":
        """The rows at some positions."""
        return Table(
            len(positions),
            self.labels[positions],
            {name: values[positions] for name, values in self.codes.items()},
            self.sizes,
            self.words,
            {name: values[positions] for name, values in self.numbers.items()},
            {name: values[positions] for name, values in self.flags.items()},
        )


def table(frame: pd.DataFrame, rows: Flags | None = None) -> Table:
    """A data frame, or the rows of it where a mask is true, as a Table.

    Parameters
    ----------
    frame : DataFrame
        A measured table of the catalogue, or pairs made of one.
    rows : ndarray of bool, optional
        Which rows to take; all where None.

    Returns
    -------
    Table
        The rows in their order.
    """
    codes: dict[str, Codes] = {}
    sizes: dict[str, int] = {}
    words: dict[str, tuple[str, ...]] = {}
    numbers: dict[str, Floats] = {}
    flags: dict[str, Flags] = {}
    chosen = slice(None) if rows is None else np.flatnonzero(rows)
    for label, column in frame.items():
        name, values = str(label), column.array
        if isinstance(values, pd.Categorical):
            codes[name] = values.codes[chosen].astype(np.int64)
            words[name] = tuple(map(str, values.categories))
            sizes[name] = len(words[name])
        elif column.dtype.kind == "b":
            flags[name] = column.to_numpy()[chosen]
            codes[name], sizes[name] = flags[name].astype(np.int64), 2
        elif column.dtype.kind in "iuf":
            numbers[name] = column.to_numpy(dtype=np.float64)[chosen]
            codes[name], sizes[name] = _dense(numbers[name])
        else:
            one, found = pd.factorize(column.to_numpy(dtype=object)[chosen])
            codes[name], words[name], sizes[name] = one.astype(np.int64), tuple(map(str, found)), len(found)
    labels = frame.index.to_numpy()[chosen]
    return Table(len(labels), labels, codes, sizes, words, numbers, flags)


def records(frame: pd.DataFrame, names: Iterable[str]) -> list[dict[str, Any]]:
    """Rows as dicts of some columns; pandas' own way takes a hundred times as long with categories.

    Parameters
    ----------
    frame : DataFrame
        Any rows.
    names : iterable of str
        Columns to keep.

    Returns
    -------
    list of dict
        Plain Python values by column, None for a number that is not stated.
    """
    kept = list(names)
    columns = [[None if one != one else one for one in np.asarray(frame[name].array).tolist()] for name in kept]
    return [dict(zip(kept, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _dense(values: NDArray[Any]) -> tuple[Codes, int]:
    one, found = pd.factorize(values)
    return one.astype(np.int64), len(found)


def combined(parts: Iterable[tuple[Codes, int]]) -> Codes:
    """Dense integers from 0, equal exactly where all parts (codes from -1, number of different codes) are equal.

    Parameters
    ----------
    parts : iterable of (ndarray of int, int)
        Codes of equal length, from -1 for blank, and how many different codes there may be.

    Returns
    -------
    ndarray of int
        Codes in order of first appearance.

    Examples
    --------
    >>> combined([(np.array([0, 0, 1]), 2), (np.array([-1, 3, -1]), 4)]).tolist()
    [0, 1, 2]
    """
    whole: Codes | None = None
    spread = 1
    for codes, size in parts:
        if whole is None:
            whole, spread = codes + 1, size + 1
            continue
        if spread * (size + 1) > _CODE_LIMIT:
            whole, spread = _dense(whole)
        whole = whole * (size + 1) + codes + 1
        spread *= size + 1
    return np.zeros(0, dtype=np.int64) if whole is None else _dense(whole)[0]


def joined(left: Codes, right: Codes) -> tuple[Codes, Codes]:
    """Positions of all pairs of equal codes of two arrays, in the order of the left one.

    Parameters
    ----------
    left, right : ndarray of int
        Codes of two sets of rows.

    Returns
    -------
    tuple of ndarray of int
        Positions in `left` and, beside them, in `right`.

    Examples
    --------
    >>> [side.tolist() for side in joined(np.array([7, 8]), np.array([8, 7, 7]))]
    [[0, 0, 1], [1, 2, 0]]
    """
    order = np.argsort(right, kind="stable")
    start, stop = (np.searchsorted(right[order], left, side=side) for side in ("left", "right"))
    many = stop - start
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return np.repeat(np.arange(len(left)), many), order[np.repeat(start, many) + within]


def first_rows(code: Codes) -> Codes:
    """Position of the first row of each code, in the order of the codes, which are dense from 0.

    Parameters
    ----------
    code : ndarray of int
        Code of each row.

    Returns
    -------
    ndarray of int
        One position for each code.
    """
    first = np.full(int(code.max(initial=-1)) + 1, len(code), dtype=np.int64)
    np.minimum.at(first, code, np.arange(len(code)))
    return first


def lowest_of_each(group: Codes, value: Floats) -> Flags:
    """Where a value is the lowest of its group, all of equal lowest included.

    Parameters
    ----------
    group : ndarray of int
        Group of each value, from 0.
    value : ndarray
        Values [any one unit].

    Returns
    -------
    ndarray of bool
        True at each lowest value.
    """
    lowest = np.full(int(group.max(initial=-1)) + 1, np.inf)
    np.minimum.at(lowest, group, value)
    return np.asarray(value <= lowest[group])
