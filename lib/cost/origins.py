"""Where the value of a field comes from, and what a user has put in its place."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from lib.errors import UnknownNameError
from lib.records import Accelerator, Assumption

OriginKind = Literal[
    "assumption", "prices", "estimate", "article", "user", "derived", "off", "not-applicable", "missing"
]  # fmt: skip

_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class Origin:
    """Ids of the assumptions or prices behind a field, its default and its range.

    Three kinds are no facts and say why in `reason`: "off" is a choice that the user may change, "not-applicable" has
    no meaning for this option whatever the user states, "missing" is a value that nobody published.
    """

    kind: OriginKind
    ids: tuple[str, ...] = ()
    low: float | None = None
    base: float | None = None
    high: float | None = None
    reason: str = ""

    def times(self, factor: float, kind: OriginKind, ids: tuple[str, ...] = ()) -> "Origin":
        """The same range times a factor above zero, composed with the rows of these ids."""
        low, base, high = (None if end is None else end * factor for end in (self.low, self.base, self.high))
        return Origin(kind, (*self.ids, *ids), low, base, high, self.reason)

    def plus(self, other: "Origin") -> "Origin":
        """The sum of two ranges, end by end."""
        pairs = ((self.low, other.low), (self.base, other.base), (self.high, other.high))
        low, base, high = (None if one is None or two is None else one + two for one, two in pairs)
        return Origin(self.kind, (*self.ids, *other.ids), low, base, high, self.reason)


def assumed(assumptions: Mapping[str, Assumption], assumption_id: str) -> Origin:
    """An assumption as an origin, percentages as fractions.

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    assumption_id : str
        Which one.

    Returns
    -------
    Origin
        With low, base and high in the row's unit, or as fractions where that is percent.

    Raises
    ------
    UnknownNameError
        If there is no such row, or it is a gap.
    """
    row = assumptions.get(assumption_id)
    if row is None or row.low is None or row.base is None or row.high is None:
        raise UnknownNameError("assumption", assumption_id, assumptions)
    scale = _PERCENT if row.unit.startswith("percent") else 1
    return Origin("assumption", (assumption_id,), row.low / scale, row.base / scale, row.high / scale)


def applies(assumptions: Mapping[str, Assumption], assumption_id: str, accelerator: Accelerator) -> bool:
    """Whether an assumption holds for a part: for all, for its vendor, or for it by name.

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    assumption_id : str
        Which one.
    accelerator : Accelerator
        The part.

    Returns
    -------
    bool
        False also where there is no such row.
    """
    row = assumptions.get(assumption_id)
    names = {"all", accelerator.vendor.lower(), accelerator.accelerator_id}
    return row is not None and not names.isdisjoint(row.applies_to)


def stated_only(overrides: Mapping[str, Any] | None, known: frozenset[str]) -> dict[str, Any]:
    """The overrides that say something.

    Parameters
    ----------
    overrides : mapping of str to Any or None
        Name to the user's value; None is no statement.
    known : frozenset of str
        Names that exist.

    Returns
    -------
    dict
        Without the silent ones.

    Raises
    ------
    UnknownNameError
        If a name does not exist.
    """
    stated = {name: value for name, value in (overrides or {}).items() if value is not None}
    for name in stated:
        if name not in known:
            raise UnknownNameError("field of a cost", name, sorted(known))
    return stated


def by_user(origin: Origin, value: Any) -> Origin:
    """The origin of a field that the user has stated: the default's own where the value is the default.

    Parameters
    ----------
    origin : Origin
        Of the default.
    value : Any
        What the user states.

    Returns
    -------
    Origin
        With the default's range, so that it can be shown beside the user's value.
    """
    if value == origin.base or _is_close(value, origin.base):
        return origin
    return Origin("user", origin.ids, origin.low, origin.base, origin.high)


def _is_close(value: Any, base: float | None) -> bool:
    """The same number, by whichever order of multiplications it came."""
    return base is not None and isinstance(value, int | float) and math.isclose(value, base, rel_tol=1e-9)
