"""Small words of the recommendation: amounts, parts, articles."""

from typing import Final

from lib.choice.assessment import Assessment
from lib.present.text import Words

_EXACT_BELOW_USD: Final = 100_000


def money(value: float | None) -> str:
    """An estimate of money as a number: to the thousand where it is large, the exact figure being in the table.

    Parameters
    ----------
    value : float or None
        Amount [USD].

    Returns
    -------
    str
        Without its unit; "?" for None.
    """
    if value is None:
        return "?"
    return f"{round(value, -3) if abs(value) >= _EXACT_BELOW_USD else value:,.0f}"


def short(one: Assessment | None) -> str:
    """A candidate's part by its short name; blank for nobody."""
    return one.cost.accelerator.short_name if one else ""


def article_letter(source_id: str) -> str:
    """An article as the sources name it: A0 to A4."""
    return source_id.removeprefix("article-").upper()


def amount(value: float | None) -> str:
    """A limit that somebody stated, with every figure of it."""
    return "?" if value is None else f"{value:,.6f}".rstrip("0").rstrip(".")


def section_name(word: str, _: Words) -> str:
    """A section of the page by its word.

    Parameters
    ----------
    word : str
        One of the words that a view's section of the recommendation takes.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a choice.
    """
    return {
        "costs": _("Cost and evidence"),
        "checks": _("Checks"),
        "sure": _("How sure, and what a mistake costs"),
        "map": _("Map over two drivers, and what does not change it"),
        "deployments": _("Deployments considered"),
        "front": _("The front: who is beaten by nobody"),
        "evidence": _("Measured pairs in detail, and MLPerf"),
        "tender": _("Tender sheet"),
        "questions": _("What we do not know, and a request for quotation"),
        "articles": _("The articles' advice beside ours, scenario by scenario"),
        "method": _("How this is decided"),
    }[word]
