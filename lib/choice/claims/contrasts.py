"""Where articles speak of the same thing: what each says, side by side, and what the catalogue has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lib.choice.claims.records import Judged
from lib.choice.claims.values import Value

_STATED: Final = frozenset({"said", "price", "article_prices", "tco"})
"""Terms that rest on what an article states itself."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """One quantity of which several claims speak; `value` is what its plainest reading gives."""

    name: str
    judged: tuple[Judged, ...]
    value: Value | None
    unit: str

    @property
    def articles(self) -> tuple[str, ...]:
        """The articles that speak of it, each once."""
        return tuple(dict.fromkeys(one.claim.article for one in self.judged))

    @property
    def disagrees(self) -> bool:
        """Whether two of the claims state different things."""
        stated = {
            (one.claim.low, one.claim.ends[1], "" if one.claim.low is not None else one.claim.stated)
            for one in self.judged
        }
        return len(stated) > 1


def contrasts(judged: Mapping[str, Judged]) -> tuple[Contrast, ...]:
    """Every quantity of which more than one claim speaks, those on which the claims disagree first.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.

    Returns
    -------
    tuple of Contrast
        Disagreements first, then in the order of the table.
    """
    groups: dict[str, list[Judged]] = {}
    for one in judged.values():
        if one.claim.contrast:
            groups.setdefault(one.claim.contrast, []).append(one)
    found = [Contrast(name, tuple(members), *_ours(members)) for name, members in groups.items() if len(members) > 1]
    return tuple(sorted(found, key=lambda one: not one.disagrees))


def _ours(members: list[Judged]) -> tuple[Value | None, str]:
    """The value of the plainest reading that rests on the catalogue rather than on what an article states."""
    found = [
        (len(outcome.terms), outcome.value, outcome.check.unit or member.claim.unit)
        for member in members
        for outcome in member.outcomes
        if outcome.value is not None and outcome.terms and not _STATED.intersection(one.kind for one in outcome.terms)
    ]
    if not found:
        return None, ""
    _terms, value, unit = min(found, key=lambda one: one[0])
    return value, unit
