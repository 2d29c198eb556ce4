"""Errors and doubts as sentences: what is wrong, what is allowed, what happens now."""

from typing import Final

import pandas as pd

from lib.choice.link import LinkError
from lib.choice.quotes import FORMAT_TWICE, NO_SUCH_DAY
from lib.choice.scenario import MOST_OPTIONS, MOST_OWN_PARTS, NO_CONFIG, PART_TWICE
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
    if problem.code == "edit-rule":
        return _(
            "This edit was not taken: {reason}. The last valid value is still in use.", reason=rule(problem.allowed, _)
        )
    if problem.code == "edit":
        return _(
            "{field} cannot be {value}; allowed: {allowed}. The last valid value is still in use.",
            field=markdown_safe(problem.field),
            value=markdown_safe(problem.value),
            allowed=allowed(problem, _),
        )
    return _(
        "This link could not be read: {reason}. The previous scenario or the defaults are shown.",
        reason=reason(problem, _),
    )


def allowed(problem: LinkError, _: Words) -> str:
    """What a field takes, in words.

    Parameters
    ----------
    problem : LinkError
        Of a field.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "1 – 100,000", "above 0, at most 1", "at most 8 entries"; Markdown.
    """
    limits = (*problem.limits, "", "")
    amounts = markdown_safe(problem.allowed)
    if problem.limits and problem.rule in ("above", "whole", "number"):
        low, high = markdown_safe(limits[0]), markdown_safe(limits[1])
        amounts = _("above {low}, at most {high}", low=low, high=high) if high else _("above {low}", low=low)
    match problem.rule:
        case "whole":
            return _("a whole number, {range}", range=amounts) if amounts else _("a whole number")
        case "number":
            return _("a number, {range}", range=amounts) if amounts else _("a number")
        case "yes-no":
            return _("yes or no (true or false)")
        case "text":
            return _("text")
        case "list":
            return _("a list")
        case "fields":
            return _("a group of fields")
        case "longest":
            return _("at most {n} characters", n=limits[0])
        case "shortest":
            return _("at least {n} characters", n=limits[0])
        case "most":
            return _("at most {n} entries", n=limits[0])
        case "fewest":
            return _("{n} or more entries", n=limits[0])
        case "form":
            return _form(problem.field, _)
    return amounts or _("a value that this field can hold")


def _form(field: str, _: Words) -> str:
    """How a text is written that is more than any text."""
    match field.rsplit(".", 1)[-1]:
        case "deadline":
            return _("a month written as 2027-03, or blank")
        case "date" | "valid_until" | "since":
            return _("a day written as 2027-03-31, or blank")
        case "vendor":
            return _("1 to 40 letters, digits, spaces or signs of a name, a letter or digit first")
        case "title" | "search" | "table_search" | "name" | "software":
            return _("letters, digits and signs that can be shown")
    return _("a name of letters, digits and hyphens, as the tool writes it")


def rule(sentence_of_record: str, _: Words) -> str:
    """A rule between fields that a scenario breaks, in the reader's words.

    Parameters
    ----------
    sentence_of_record : str
        As the record states it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A clause.
    """
    return {
        NO_SUCH_DAY: _("there is no such day from 2000 to 2100"),
        FORMAT_TWICE: _("a format stands twice"),
        PART_TWICE: _(
            "a part stands twice with one way of having it, one source of its price and one month of the order"
        ),
        NO_CONFIG: _("a custom model needs its config"),
    }.get(sentence_of_record) or _("two of its fields do not go together")


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
    field, value = (markdown_safe(part) for part in (problem.field, problem.value))
    match problem.code:
        case "field":
            return _(
                "the field {field} is {value}; allowed: {allowed}",
                field=field,
                value=value,
                allowed=allowed(problem, _),
            )
        case "unknown-field":
            return _("there is no field {field}", field=field)
        case "missing-field":
            return _("the field {field} is missing", field=field)
        case "unknown-name":
            return _("the field {field} names {value}, which is not in the catalogue", field=field, value=value)
        case "newer-version":
            return _("it was made by a newer version of this tool (version {value})", value=value)
        case "rule":
            reason = rule(problem.allowed, _)
            return _("the field {field} breaks a rule: {reason}", field=field, reason=reason) if field else reason
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
        allowed=allowed(problem, _),
    )


def no_room(field: str, _: Words) -> str:
    """Why another part cannot be stated.

    Parameters
    ----------
    field : str
        The list that is full, or whatever else was wrong.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A clause.
    """
    if field == "own_parts":
        return _("a scenario has at most {n} own parts; remove one first", n=MOST_OWN_PARTS)
    if field == "candidates":
        return _("a scenario has at most {n} options; remove one first", n=MOST_OPTIONS)
    return _("two of its fields do not go together")


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
