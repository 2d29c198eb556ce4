"""Which claims a reader looks at: filters, pages of twenty, and the claim whose card is open."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from lib.choice.claims.records import VERDICTS, Judged, Verdict
from lib.choice.page_choices import ClaimsChoices

PAGE_SIZE: Final = 20


def kept(judged: Mapping[str, Judged], choices: ClaimsChoices) -> tuple[Judged, ...]:
    """The claims that pass every filter.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    choices : ClaimsChoices
        What the reader chose; every word of the search must stand in the claim, in either language.

    Returns
    -------
    tuple of Judged
        In the order of the table.
    """
    words = choices.search.casefold().split()
    return tuple(
        one
        for one in judged.values()
        if (not choices.article or one.claim.article == choices.article)
        and (not choices.verdict or one.verdict == choices.verdict)
        and (not choices.topic or one.claim.topic == choices.topic)
        and (not choices.part or choices.part in one.claim.parts)
        and all(word in _searched(one) for word in words)
    )


def pages(found: tuple[Judged, ...]) -> int:
    """Pages that the claims fill.

    Parameters
    ----------
    found : tuple of Judged
        From `kept`.

    Returns
    -------
    int
        1 or more.
    """
    return max(1, -(-len(found) // PAGE_SIZE))


def page_in_view(found: tuple[Judged, ...], choices: ClaimsChoices) -> int:
    """The page that is shown; the last one where the choice points past the end.

    Parameters
    ----------
    found : tuple of Judged
        From `kept`.
    choices : ClaimsChoices
        What the reader chose.

    Returns
    -------
    int
        From 1.
    """
    return min(choices.page, pages(found))


def on_page(found: tuple[Judged, ...], page: int) -> tuple[Judged, ...]:
    """The claims of one page.

    Parameters
    ----------
    found : tuple of Judged
        From `kept`.
    page : int
        From 1.

    Returns
    -------
    tuple of Judged
        Twenty at most.
    """
    return found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]


def in_view(found: tuple[Judged, ...], choices: ClaimsChoices) -> Judged | None:
    """The claim whose card is open: the chosen one if it passes the filters, else the first contradicted one.

    Parameters
    ----------
    found : tuple of Judged
        From `kept`.
    choices : ClaimsChoices
        What the reader chose.

    Returns
    -------
    Judged or None
        The first of the page where none is contradicted; None where no claim passes.
    """
    chosen = next((one for one in found if one.claim.claim_id == choices.claim), None)
    shown = on_page(found, page_in_view(found, choices))
    telling = next((one for one in shown if one.verdict == "contradicted"), None)
    return chosen or telling or (shown[0] if shown else None)


def counts(found: tuple[Judged, ...]) -> Mapping[Verdict, int]:
    """How many claims have each verdict.

    Parameters
    ----------
    found : tuple of Judged
        Any claims.

    Returns
    -------
    mapping of Verdict to int
        Every verdict, in the order of VERDICTS.
    """
    found_counts = Counter(one.verdict for one in found)
    return {verdict: found_counts[verdict] for verdict in VERDICTS}


def _searched(one: Judged) -> str:
    claim = one.claim
    texts = (claim.claim_id, claim.stated, claim.paraphrase_en, claim.paraphrase_zh, claim.note_en, claim.note_zh)
    return " ".join((*texts, *claim.parts, *one.models)).casefold()
