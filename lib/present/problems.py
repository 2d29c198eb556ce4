"""Errors and doubts as sentences: what is wrong, what is allowed, what happens now."""

from typing import Final

import pandas as pd

from lib.choice.link import LinkError
from lib.present.text import Words, markdown_safe

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_SKIPPED: Final = " \t\r\n\v\f\ufeff\u00a0\u3000"
"""What a spreadsheet may skip before it sees a formula."""


def sentence(problem: LinkError, _: Words) -> str:
    """A problem with a link or an edit as one or two sentences.

    Parameters
    ----------
    problem : LinkError
        What the link room raised.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown with everything that came from outside escaped.
    """
    if problem.code == "edit":
        field, value, allowed = (markdown_safe(part) for part in (problem.field, problem.value, problem.allowed))
        return _(
            "{field} cannot be {value}; allowed: {allowed}. The last valid value is still in use.",
            field=field,
            value=value,
            allowed=allowed,
        )
    return _(
        "This link could not be read: {reason}. The previous scenario or the defaults are shown.",
        reason=reason(problem, _),
    )


def reason(problem: LinkError, _: Words) -> str:
    """Why a link could not be read, as a clause.

    Parameters
    ----------
    problem : LinkError
        What the link room raised.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown with everything that came from outside escaped, without full stop.
    """
    field, value, allowed = (markdown_safe(part) for part in (problem.field, problem.value, problem.allowed))
    match problem.code:
        case "field":
            return _("the field {field} is {value}; allowed: {allowed}", field=field, value=value, allowed=allowed)
        case "unknown-field":
            return _("there is no field {field}", field=field)
        case "missing-field":
            return _("the field {field} is missing", field=field)
        case "unknown-name":
            return _("the field {field} names {value}, which is not in the catalogue", field=field, value=value)
        case "newer-version":
            return _("it was made by a newer version of this tool (version {value})", value=value)
        case "rule":
            return _("the field {field} breaks a rule: {allowed}", field=field or "scenario", allowed=allowed)
        case "too-long" | "too-large":
            return _("it is larger than any scenario")
        case "cut-off":
            return _("its end is missing: it was cut off when it was copied")
        case "unknown-dictionary":
            return _("its token is damaged, or was made by a newer version of this tool")
        case "no-scenario":
            return _("it is an address without a scenario: it holds neither ?s= nor ?preset=")
        case _other:
            return _("its token is damaged")


def own_part(problem: LinkError, _: Words) -> str:
    """Why a part that the reader states was not added.

    Parameters
    ----------
    problem : LinkError
        The first field that is wrong.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if problem.field.endswith("name"):
        return _(
            "The part needs a name of 1 to 30 letters, digits, spaces or . + - that begins with a letter or digit."
        )
    if problem.field.endswith("memory_gib"):
        return _("Without its memory no fit can be computed: state the GiB that a runtime reports, up to 10,000.")
    return _(
        "{field} cannot be {value}; allowed: {allowed}. Nothing was added, and what you typed is kept.",
        field=markdown_safe(problem.field.removeprefix("own_parts.")),
        value=markdown_safe(problem.value),
        allowed=markdown_safe(problem.allowed),
    )


def spreadsheet_safe(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with a leading quote before any text that a spreadsheet would run as a formula.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table.

    Returns
    -------
    pandas.DataFrame
        A copy; numbers are untouched.
    """
    safe = frame.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].map(_defused)
    return safe


def _defused(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")  # a lone return ends a row unless it is quoted, and it is not
    return f"'{cell}" if cell.lstrip(_SKIPPED).startswith(_FORMULA_STARTS) else cell
