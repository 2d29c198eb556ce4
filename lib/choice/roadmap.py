"""What is said about when a part can be had: the statements of one product beside each other, and the months until then."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from lib.cost.timing import months_until
from lib.records import RoadmapFact

SHIPPING: Final = "shipping"
ARTICLE: Final = "article"


@dataclass(frozen=True, slots=True)
class Product:
    """One product with all that is said of it."""

    name: str
    vendor: str
    facts: tuple[RoadmapFact, ...]

    @property
    def is_shipping(self) -> bool:
        """Whether a price list has it already."""
        return any(fact.status == SHIPPING for fact in self.facts)

    @property
    def is_disputed(self) -> bool:
        """Whether two statements give windows that do not touch, or an article expects what ships already."""
        windows = [(fact.window_start, fact.window_end) for fact in self.facts]
        return max(start for start, _end in windows) > min(end for _start, end in windows)


def products(facts: Iterable[RoadmapFact]) -> tuple[Product, ...]:
    """Every product of the roadmap with its statements.

    Parameters
    ----------
    facts : iterable of RoadmapFact
        The table.

    Returns
    -------
    tuple of Product
        In the order in which the earliest of their windows open.
    """
    groups: dict[str, list[RoadmapFact]] = {}
    for fact in facts:
        groups.setdefault(fact.product, []).append(fact)
    found = [Product(name, members[0].vendor, tuple(members)) for name, members in groups.items()]
    return tuple(sorted(found, key=lambda one: min(fact.window_start for fact in one.facts)))


def upcoming(facts: Iterable[RoadmapFact]) -> tuple[Product, ...]:
    """The products that no price list has yet.

    Parameters
    ----------
    facts : iterable of RoadmapFact
        The table.

    Returns
    -------
    tuple of Product
        In the order in which their windows open.
    """
    return tuple(one for one in products(facts) if not one.is_shipping)


def waits(product: Product, decision: date) -> tuple[int, int]:
    """The soonest and the latest month by which a product is said to be there.

    Parameters
    ----------
    product : Product
        With its statements; those of articles are left out, for the documents they rest on stand beside them.
    decision : date
        Month 0.

    Returns
    -------
    tuple of int
        Months from the decision to the end of the earliest and of the latest window; at least 1 [months].

    Examples
    --------
    >>> said = RoadmapFact("a", "AMD", "MI400", "", "announced", "2026-07", "2026-12", "", "vendor", "", "", "", "", "")
    >>> waits(Product("MI400", "AMD", (said,)), date(2026, 11, 30))
    (1, 1)
    """
    counted = [fact for fact in product.facts if fact.kind != ARTICLE] or list(product.facts)
    months = [max(months_until(fact.window_end, decision), 1) for fact in counted]
    return min(months), max(months)
