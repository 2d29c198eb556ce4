"""One claim of one article, the readings by which it is checked, the facts that only claims need, and what is found."""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

from lib.catalog import Catalog
from lib.choice.claims.values import Value
from lib.errors import UnknownNameError
from lib.records import Doubt

Verdict = Literal["holds", "holds-with-condition", "contradicted", "uncheckable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("holds", "holds-with-condition", "contradicted", "uncheckable")

Relation = Literal[
    "equals",
    "at-least",
    "at-most",
    "above",
    "below",
    "inside",
    "reaches",
    "meets",
    "is",
    "is-not",
    "has",
    "lacks",
    "in",
]

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Claim:
    """What an article says, in this project's words; low and high are its figure where it is one."""

    claim_id: str
    article: str
    section: str
    topic: str
    form: str
    parts: tuple[str, ...]
    contrast: str
    stated: str
    stated_zh: str
    low: float | None
    high: float | None
    unit: str
    paraphrase_en: str
    paraphrase_zh: str
    page: str
    preset: str
    curated_verdict: str
    note_en: str
    note_zh: str
    undecidable_en: str
    undecidable_zh: str
    differs_en: str
    differs_zh: str

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The figure as a range; low equals high where it is one number."""
        return self.low, self.low if self.high is None else self.high


@dataclass(frozen=True, slots=True)
class Check:
    """One reading of a claim: a formula over the catalogue, and how its value must stand to what is stated.

    Where low, high and text are blank, the claim's own figure is meant. The tolerance is relative.
    """

    claim_id: str
    reading: int
    formula: str
    unit: str
    relation: Relation
    low: float | None
    high: float | None
    text: str
    tolerance: float
    reading_en: str
    reading_zh: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that no other table holds and that a claim is checked against."""

    fact_id: str
    value: float | None
    text: str
    unit: str
    label_en: str
    label_zh: str
    source_id: str
    locator: str
    note: str


@dataclass(frozen=True, slots=True)
class Term:
    """One thing of the catalogue that a formula names: its value, its unit and where it comes from."""

    kind: str
    arguments: tuple[str | float, ...]
    value: Value
    unit: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    """Source id and place in it."""
    parts: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One reading computed: its value, the formula with the numbers put in, and whether the claim holds by it."""

    check: Check
    low: float | None
    high: float | None
    value: Value | None
    formula: str
    terms: tuple[Term, ...]
    holds: bool | None
    """None where something that the formula needs is not published."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its verdict as computed now, and everything that led to it."""

    claim: Claim
    verdict: Verdict
    outcomes: tuple[Outcome, ...]

    @property
    def value(self) -> Value | None:
        """What the first reading computes."""
        return self.outcomes[0].value if self.outcomes else None

    @property
    def terms(self) -> tuple[Term, ...]:
        """Everything of the catalogue that went in, each once."""
        return tuple({(one.kind, one.arguments): one for out in self.outcomes for one in out.terms}.values())

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the sources behind the terms, each once."""
        return tuple(dict.fromkeys(name for term in self.terms for name, _place in term.sources))

    @property
    def models(self) -> tuple[str, ...]:
        """Models that the formulas name, each once."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term.models))

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Reservations: terms that are not published, and what the terms carry."""
        unknown = tuple(
            Doubt("reading-unknown", {"reading": out.check.reading}) for out in self.outcomes if out.holds is None
        )
        return (*unknown, *{(one.code, str(one.values)): one for term in self.terms for one in term.doubts}.values())

    @property
    def agrees_with_curated(self) -> bool:
        """Whether the verdict is the one that a person reached by hand."""
        return self.verdict == self.claim.curated_verdict


@functools.lru_cache(maxsize=8)
def claims_of(catalog: Catalog) -> Mapping[str, Claim]:
    """Every claim of an edition by its id, in the order of the table.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    mapping of str to Claim
        Read only.
    """
    return MappingProxyType({one.claim_id: one for one in _records(catalog, "article_claims", Claim)})


@functools.lru_cache(maxsize=8)
def checks_of(catalog: Catalog) -> Mapping[str, tuple[Check, ...]]:
    """The readings of each claim; a claim without any cannot be checked.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    mapping of str to tuple of Check
        By claim id.
    """
    found: dict[str, list[Check]] = {}
    for one in _records(catalog, "claim_checks", Check):
        found.setdefault(one.claim_id, []).append(one)
    return MappingProxyType({name: tuple(sorted(rows, key=lambda row: row.reading)) for name, rows in found.items()})


@functools.lru_cache(maxsize=8)
def facts_of(catalog: Catalog) -> Mapping[str, Fact]:
    """The facts that only claims need, by their id.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    mapping of str to Fact
        Read only.
    """
    return MappingProxyType({one.fact_id: one for one in _records(catalog, "claim_facts", Fact)})


def claim_of(catalog: Catalog, claim_id: str) -> Claim:
    """One claim.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    claim_id : str
        Its id.

    Returns
    -------
    Claim
        As the table has it.

    Raises
    ------
    UnknownNameError
        If there is none of this id.
    """
    known = claims_of(catalog.published)
    if claim_id not in known:
        raise UnknownNameError("claim", claim_id, known)
    return known[claim_id]


def _records(catalog: Catalog, table: str, kind: type[Record]) -> list[Record]:
    names = [str(one.name) for one in fields(kind)]  # type: ignore[arg-type]
    whole = {one.name for one in fields(kind) if one.type is int}  # type: ignore[arg-type]
    rows: list[Record] = []
    for row in catalog.tables[table][names].to_dict("records"):
        values: dict[str, Any] = {name: _cell(row[name]) for name in names}
        values |= {name: int(values[name]) for name in whole}
        if "parts" in values:
            values["parts"] = tuple(filter(None, values["parts"].split(";")))
        rows.append(kind(**values))
    return rows


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
