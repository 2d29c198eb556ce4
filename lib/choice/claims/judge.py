"""Verdicts, computed: a claim holds if every reading of it does, with a condition if only some do."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from lib.catalog import Catalog
from lib.choice.claims.language import MissingValueError, evaluate
from lib.choice.claims.records import Check, Claim, Judged, Outcome, Verdict, checks_of, claims_of
from lib.choice.claims.values import Value
from lib.errors import DataError, InputError, LibError

_SLACK: Final = 1e-9
"""What floating point may lose where a tolerance is 0."""


def judge(catalog: Catalog, claim: Claim, checks: Iterable[Check] | None = None) -> Judged:
    """A claim against the catalogue, as it stands now.

    Parameters
    ----------
    catalog : Catalog
        The edition, or one with something changed.
    claim : Claim
        A row of article_claims.csv, or a claim of the reader's own.
    checks : iterable of Check, optional
        Its readings; those of claim_checks.csv where none are given.

    Returns
    -------
    Judged
        holds: every reading whose terms are published holds; contradicted: none does; holds-with-condition: some do;
        uncheckable: there is no reading that can be computed.

    Raises
    ------
    InputError
        A formula or a relation is wrong.
    UnknownNameError
        A formula names something that does not exist.
    """
    readings = checks_of(catalog.published).get(claim.claim_id, ()) if checks is None else tuple(checks)
    outcomes = tuple(_outcome(catalog, claim, one) for one in readings)
    known = [one.holds for one in outcomes if one.holds is not None]
    verdict: Verdict = "uncheckable"
    if known:
        verdict = "holds" if all(known) else "holds-with-condition" if any(known) else "contradicted"
    return Judged(claim, verdict, outcomes)


@functools.lru_cache(maxsize=4)
def judge_all(catalog: Catalog) -> Mapping[str, Judged]:
    """Every claim of the edition with its verdict, in the order of the table.

    Parameters
    ----------
    catalog : Catalog
        Ask with `catalog.published`: a reader's own parts change no verdict.

    Returns
    -------
    mapping of str to Judged
        By claim id; computed once an edition.
    """
    return MappingProxyType({name: judge(catalog, claim) for name, claim in claims_of(catalog).items()})


def problems(catalog: Catalog) -> Iterator[DataError]:
    """Every claim whose row cannot be used: a formula or relation that is wrong, a preset that does not exist.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Yields
    ------
    DataError
        With table, line and column.
    """
    for line, claim in enumerate(claims_of(catalog).values(), start=2):
        if claim.preset not in catalog.presets:
            yield DataError("data/article_claims.csv", line, "preset", claim.preset, "no such preset")
    for line, row in enumerate(catalog.tables["claim_checks"].to_dict("records"), start=2):
        name, reading = row["claim_id"], row["reading"]
        one = next(one for one in checks_of(catalog)[name] if one.reading == reading)
        try:
            _outcome(catalog, claims_of(catalog)[name], one)
        except LibError as error:
            yield DataError("data/claim_checks.csv", line, "formula", one.formula, str(error))


def stands(value: Value, check: Check, low: float | None, high: float | None) -> bool:
    """Whether a computed value stands to a stated figure as a reading asks.

    Parameters
    ----------
    value : Value
        What the formula gives.
    check : Check
        Relation, text and relative tolerance.
    low, high : float or None
        The stated figure as a range; None for a text.

    Returns
    -------
    bool
        equals: both ends within the tolerance; at-least, at-most, above, below: the whole value on that side;
        inside: the value lies in the stated range; reaches: the stated figure lies in the value's range; meets: the
        ranges overlap; is, is-not, has, lacks: of texts, without regard to case; in: a date within the stated period.

    Raises
    ------
    InputError
        The relation does not suit the value.
    """
    if check.relation in ("is", "is-not", "has", "lacks", "in"):
        return _text_stands(value.text, check)
    if value.is_text or low is None or high is None:
        raise InputError("relation", check.relation, "a number on both sides")
    lower, upper = low - check.tolerance * abs(low) - _SLACK, high + check.tolerance * abs(high) + _SLACK
    match check.relation:
        case "equals":
            near_low = abs(value.low - low) <= check.tolerance * abs(low) + _SLACK
            return near_low and abs(value.high - high) <= check.tolerance * abs(high) + _SLACK
        case "at-least":
            return value.low >= lower
        case "at-most":
            return value.high <= upper
        case "above":
            return value.low > high + _SLACK
        case "below":
            return value.high < low - _SLACK
        case "inside":
            return lower <= value.low and value.high <= upper
        case "reaches":
            span = check.tolerance * max(abs(value.low), abs(value.high)) + _SLACK
            return value.low - span <= low and high <= value.high + span
        case "meets":
            return value.low <= upper and lower <= value.high
    raise InputError("relation", check.relation, "a relation that is known")


def _text_stands(text: str, check: Check) -> bool:
    """Words and versions without regard to case; dates by as many characters as the period states."""
    ours, theirs = text.casefold(), check.text.casefold()
    match check.relation:
        case "is":
            return ours == theirs
        case "is-not":
            return ours != theirs
        case "has":
            return theirs in ours
        case "lacks":
            return theirs not in ours
    first, _, last = check.text.partition("/")
    last = last or first
    return text[: len(first)] >= first and text[: len(last)] <= last


def _outcome(catalog: Catalog, claim: Claim, check: Check) -> Outcome:
    claimed = claim.ends
    low = claimed[0] if check.low is None else check.low
    high = (claimed[1] if check.low is None else check.low) if check.high is None else check.high
    try:
        found = evaluate(catalog, check.formula)
    except MissingValueError:
        return Outcome(check, low, high, None, "", (), None)
    return Outcome(
        check, low, high, found.value, found.text, found.terms, stands(found.value, check, low, high)
    )  # fmt: skip
