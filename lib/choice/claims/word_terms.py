"""Terms about dates, software, facts that only claims need, and what another claim states."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.claims.records import Term, claim_of, facts_of
from lib.choice.claims.spec_terms import spec
from lib.choice.claims.values import Value, number
from lib.errors import InputError, UnknownNameError

Saying = Literal["verdict", "status", "version", "date"]
_SAYINGS: Final = ("verdict", "status", "version", "date")


def launch(catalog: Catalog, part: str) -> Term:
    """When a part was shown to the public.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.

    Returns
    -------
    Term
        A date.
    """
    found = spec(catalog, part, "launch")
    return Term("launch", (part,), found.value, "", found.sources, (part,), doubts=found.doubts)


def source_date(catalog: Catalog, source_id: str) -> Term:
    """The date of a source.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    source_id : str
        Row of sources.csv.

    Returns
    -------
    Term
        A date.
    """
    return Term("source_date", (source_id,), Value(text=catalog.source(source_id).date), "", ((source_id, ""),))


def software(catalog: Catalog, framework: str, platform: str, source_id: str, saying: Saying) -> Term:
    """What a source says of a framework on a platform.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    framework, platform : str
        As in software_matrix.csv.
    source_id : str
        The source that says it.
    saying : Saying
        verdict (runs, runs-with-change, does-not-run), status (in its words), version or date.

    Returns
    -------
    Term
        A text.

    Raises
    ------
    UnknownNameError
        If no row has these three.
    InputError
        If the saying is none of the four.
    """
    if saying not in _SAYINGS:
        raise InputError("saying", saying, ", ".join(_SAYINGS))
    for row in catalog.software:
        if (row.framework, row.platform, row.source_id) == (framework, platform, source_id):
            return Term(
                "software", (framework, platform, source_id, saying), Value(text=getattr(row, saying)), "",
                ((source_id, row.locator),),
            )  # fmt: skip
    known = [f"{row.framework} on {row.platform} by {row.source_id}" for row in catalog.software]
    raise UnknownNameError("statement", f"{framework} on {platform} by {source_id}", known)


def frameworks(catalog: Catalog, platform: str, verdict: str) -> Term:
    """How many frameworks documentation or users call running, or not, on a platform; articles are left out.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    platform : str
        ROCm or CUDA.
    verdict : str
        runs, runs-with-change or does-not-run; blank for all.

    Returns
    -------
    Term
        A count; a framework with several rows is counted by the first that is not "unknown".
    """
    found: dict[str, str] = {}
    sources: list[tuple[str, str]] = []
    for row in catalog.software:
        if row.platform == platform and row.kind != "article claim" and row.verdict != "unknown":
            found.setdefault(row.framework, row.verdict)
            sources.append((row.source_id, row.locator))
    count = sum(not verdict or one == verdict for one in found.values())
    return Term("frameworks", (platform, verdict), number(count), "frameworks", tuple(dict.fromkeys(sources)))


def fact(catalog: Catalog, fact_id: str) -> Term:
    """A fact that no other table holds.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    fact_id : str
        Row of claim_facts.csv.

    Returns
    -------
    Term
        A number or a text.

    Raises
    ------
    UnknownNameError
        If there is no such fact.
    """
    known = facts_of(catalog.published)
    if fact_id not in known:
        raise UnknownNameError("fact", fact_id, known)
    row = known[fact_id]
    value = Value(text=row.text) if row.value is None else number(row.value)
    return Term("fact", (fact_id,), value, row.unit, ((row.source_id, row.locator),))


def said(catalog: Catalog, claim_id: str) -> Term:
    """The figure that another claim states.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    claim_id : str
        Row of article_claims.csv.

    Returns
    -------
    Term
        Number or range, in the claim's unit.
    """
    claim = claim_of(catalog, claim_id)
    low, high = claim.ends
    value = Value() if low is None or high is None else Value(low, high)
    return Term("said", (claim_id,), value, claim.unit, ((claim.article, claim.section),))


TERMS: Final[Mapping[str, Callable[..., Term]]] = {
    "launch": launch, "source_date": source_date, "software": software,
    "frameworks": frameworks, "fact": fact, "said": said,
}  # fmt: skip
