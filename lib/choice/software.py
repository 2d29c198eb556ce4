"""Whether a product runs on a part's platform: what documentation says decides, what articles say stands beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lib.records import SoftwareFact

Runs = Literal["runs", "runs-with-change", "does-not-run", "unknown"]

PLATFORMS: Final[Mapping[str, str]] = {"AMD": "ROCm", "NVIDIA": "CUDA"}
"""Vendor -> the platform that its parts run; a vendor outside it has no row in the matrix."""

ARTICLE_CLAIM: Final = "article claim"
DOCUMENTATION: Final = ("current docs", "vendor docs")

_NOT_PRODUCTS: Final = frozenset({"(all frameworks)", "ROCm itself", "RCCL", "MIOpen"})
"""Rows about the platform and its own libraries: nobody runs them for their own sake."""

_ALSO_NAMED: Final[Mapping[str, tuple[str, ...]]] = {
    "DeepSpeed ZeRO-3": ("DeepSpeed",),
    "FlashAttention": ("FlashAttention-2",),
    "FlashAttention-3 and 4": ("FlashAttention-3", "FlashAttention-4"),
    "Transformer Engine (FP8 training)": ("Transformer Engine",),
    "bitsandbytes 4-bit": ("bitsandbytes",),
}
"""Name in the matrix -> the products that the row speaks about."""

_FROM_WORST: Final[tuple[Runs, ...]] = ("does-not-run", "runs-with-change", "runs")


@dataclass(frozen=True, slots=True)
class SoftwareVerdict:
    """What the matrix says of one product on one platform: the rows that decide, and the claims that say otherwise."""

    product: str
    platform: str
    verdict: Runs
    deciding: tuple[SoftwareFact, ...]
    claims: tuple[SoftwareFact, ...]
    conflicting: tuple[SoftwareFact, ...]


def products(facts: Iterable[SoftwareFact]) -> tuple[str, ...]:
    """Every product of the matrix that somebody may require, in alphabetical order.

    Parameters
    ----------
    facts : iterable of SoftwareFact
        The matrix.

    Returns
    -------
    tuple of str
        Names as the verdict takes them.
    """
    named = {name for fact in facts if fact.framework not in _NOT_PRODUCTS for name in _names(fact)}
    return tuple(sorted(named, key=str.casefold))


def software_verdict(facts: Iterable[SoftwareFact], product: str, platform: str) -> SoftwareVerdict:
    """Whether a product runs on a platform, by stated rules.

    Parameters
    ----------
    facts : iterable of SoftwareFact
        The matrix.
    product : str
        A product; one outside the matrix is unknown.
    platform : str
        "CUDA" or "ROCm"; "" for a vendor without rows.

    Returns
    -------
    SoftwareVerdict
        Documentation (the project's or the vendor's) decides; without it, a third party. Where rows of that rank
        disagree the worst counts. What articles alone claim is unknown. `conflicting` are the claims that differ from
        what decides.
    """
    rows = [fact for fact in facts if fact.platform == platform and product in _names(fact)]
    claims = tuple(fact for fact in rows if fact.kind == ARTICLE_CLAIM)
    known = [fact for fact in rows if fact.kind != ARTICLE_CLAIM and fact.verdict in _FROM_WORST]
    deciding = tuple([fact for fact in known if fact.kind in DOCUMENTATION] or known)
    verdict: Runs = next((word for word in _FROM_WORST if any(fact.verdict == word for fact in deciding)), "unknown")
    conflicting = tuple(fact for fact in claims if deciding and fact.verdict not in (verdict, "unknown"))
    return SoftwareVerdict(product, platform, verdict, deciding, claims, conflicting)


def _names(fact: SoftwareFact) -> tuple[str, ...]:
    return _ALSO_NAMED.get(fact.framework, (fact.framework,))
