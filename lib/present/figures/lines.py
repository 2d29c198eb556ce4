"""Titles, subtitles and labels of figures broken into lines that a telephone shows whole."""

import functools
import re
from typing import Final

TITLE_WIDTH: Final = 48
SUBTITLE_WIDTH: Final = 70
"""Letters of a line on a telephone, 358 px wide, as `wrapped` counts them."""

TITLE_LINE: Final = 20
SUBTITLE_LINE: Final = 16
"""Height of a line [px]."""

_WIDE_LETTER: Final = 2.4
"""Width of a Chinese character in Latin letters of the same size, whose mean width is 0.42 of it."""

_BREAK: Final = "<br>"
_TAG: Final = re.compile(r"<[^<>]*>")
_SIGN: Final = re.compile(r"([\u25a0-\u25ff\u2605\u2715\u2716\u271a](?:</span>)?) (?! )")
"""A sign of a key and the space before what it stands for."""

_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_PIECES: Final = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]|(?:<[^<>]*>|[^\s<\u2e80-\u9fff\uff00-\uffef]|\u00a0)+|<|\s+")
"""A Chinese character, a Latin word with its tags, white space; a space that does not break belongs to its word."""


@functools.lru_cache(maxsize=4096)
def wrapped(text: str, width: int) -> tuple[str, ...]:
    """A text in lines of a width in letters; Chinese breaks between characters, Latin words stay whole where they fit.

    Parameters
    ----------
    text : str
        One line.
    width : int
        Letters of a line.

    Returns
    -------
    tuple of str
        At least one line.

    Examples
    --------
    >>> wrapped("MI300X reaches 0.96x", 14)
    ('MI300X reaches', '0.96x')
    """
    lines, room = [""], float(width)
    for piece in _PIECES.findall(text):
        whole = "<" in piece or len(piece) <= width
        for bit in [piece] if whole else [piece[start : start + width] for start in range(0, len(piece), width)]:
            size = _letters(bit)
            if size > room and lines[-1]:
                lines.append("")
                room = width
            if bit.isspace() and not lines[-1]:
                continue
            lines[-1] += bit
            room -= size
    return tuple(line.rstrip() for line in lines)


def _letters(bit: str) -> float:
    """Width of a piece in Latin letters; tags take none."""
    shown = _TAG.sub("", bit)
    return len(shown) if shown.isascii() else sum(_WIDE_LETTER if _WIDE.match(letter) else 1 for letter in shown)


def broken(text: str, width: int) -> tuple[str, ...]:
    """A text that may have lines of its own, each broken where it is wider than it may be.

    Parameters
    ----------
    text : str
        Lines parted by <br>.
    width : int
        Letters of a line.

    Returns
    -------
    tuple of str
        None for a blank text.

    Examples
    --------
    >>> broken("one two<br>three", 5)
    ('one', 'two', 'three')
    """
    glued = _SIGN.sub("\\1\u00a0", text)
    return tuple(part for line in glued.split(_BREAK) if line for part in wrapped(line, width))


def unbroken(text: str) -> str:
    """The text of broken lines in one line: a space where a Latin line ends, nothing beside a Chinese character.

    Parameters
    ----------
    text : str
        Lines parted by <br>.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> unbroken("one<br>two 三<br>四")
    'one two 三四'
    """
    first, *more = text.split(_BREAK)
    for line in more:
        joint = "" if _WIDE.match(first[-1:]) or _WIDE.match(line[:1]) else " "
        first = f"{first}{joint}{line}"
    return first
