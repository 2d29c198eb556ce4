"""What a section of the presentation says: few statements in the theme's large sizes, which only the presentation uses.

Streamlit sets text in the sizes of its theme alone. Pages use the first and the third level of headings; the second is
what a section finds, the fourth a number, the fifth a statement, the sixth a note, which at 24 px is the smallest.
"""

from collections.abc import Sequence
from typing import Final

from lib.present.brief import Brief, Number
from lib.present.text import Words, markdown_safe

_NUMBER: Final = "####"
_STATEMENT: Final = "#####"
_NOTE: Final = "######"
_MOST_CHANGES: Final = 6
_MOST_BESIDE: Final = 3
_MOST_SOURCES: Final = 5
_MOST_RISKS: Final = 5


def statement(text: str) -> str:
    """A sentence that the back row reads, in Markdown."""
    return f"{_STATEMENT} {_in_one_line(text)}" if text else ""


def note(text: str) -> str:
    """A condition or a source, in the smallest size of the presentation."""
    return f"{_NOTE} {_in_one_line(text)}" if text else ""


def number(one: Number) -> str:
    """A number with its name above and what it means below."""
    return f"{note(one.label)}\n\n{_NUMBER} {_in_one_line(one.value)}\n\n{note(one.note)}"


def reasons(told: Brief) -> str:
    """The first reasons for the proposal, as they stand beside a picture."""
    return _listed(told.why[:_MOST_BESIDE])


def risks(told: Brief) -> str:
    """What may go wrong."""
    return _listed(told.risks[:_MOST_RISKS])


def evidence(told: Brief) -> str:
    """What the proposal rests on, the most telling first."""
    return _listed(told.evidence[:_MOST_BESIDE])


def gaps(told: Brief, _: Words) -> str:
    """What is not known and what to ask, the most decisive first."""
    stop = _.pick(". ", "。")
    return _listed([stop.join((what, ask)) for what, _parts, ask in told.gaps.rows[:_MOST_BESIDE]])


def changes(told: Brief, _: Words) -> str:
    """What would change the answer, one sentence each, the nearest first.

    Parameters
    ----------
    told : Brief
        With its changes.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    message = _("{what}: {limit} (today {today}, {distance}), then {option} comes first")
    return _listed(
        [message.format(what=what, today=today, limit=limit, distance=distance, option=option)
         for what, today, limit, distance, option in told.changes.rows[:_MOST_CHANGES]]
    )  # fmt: skip


def sources(told: Brief, _: Words) -> str:
    """The sources that most of the numbers come from, and how many more there are."""
    named = [f"{title} ({publisher}, {date})" for title, publisher, date, *_rest in told.sources.rows[:_MOST_SOURCES]]
    more = len(told.sources.rows) - len(named)
    return _listed([*named, *([_.count("and {n} more: scan the code", "and {n} more: scan the code", more)] if more > 0 else [])])  # fmt: skip


def foot(told: Brief, place: int, count: int, _: Words) -> str:
    """Where the presentation stands, and whose numbers these are."""
    counted = _("page {n} of {all}", n=place, all=count)
    edition = _("data edition {edition}", edition=told.edition)
    return note(f"{counted} · {edition}")


def _in_one_line(text: str) -> str:
    """Plain text as Markdown; a heading ends with its line."""
    return markdown_safe(" ".join(text.split()))


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {statement(text)}" for text in texts)
