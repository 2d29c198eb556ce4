"""Every field of some options that has a range, with the rows behind it: for a tornado over all, and for draws.

A field that several options take from the same rows at the same value is one thing and one driver.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from lib.cost.cash_flow import Measure
from lib.cost.defaults import FinanceDefaults, OptionDefaults
from lib.cost.distributions import spread_of
from lib.cost.drivers import COUNTS, Driver, Target
from lib.cost.monte_carlo import Uncertain
from lib.cost.options import Finance, Option
from lib.cost.origins import Origin, OriginKind
from lib.cost.sensitivity import Bar, tornado
from lib.errors import InputError

HeldBecause = Literal["stated", "rate", "choice", "count", "certain"]

RATES: Final = frozenset({"discount_rate"})
"""What a buyer sets rather than awaits: costs discounted at different rates are no distribution of one quantity."""

CHOICES: Final = frozenset({"optional", "hall-is-ready", "paid-monthly"})
"""Reasons of fields that are off by the buyer's own choice: a licence, a fit-out, a prepayment."""

_SAME_THING: Final[Mapping[str, str]] = {"bridge_usd_per_gpu_hour": "rent_usd_per_gpu_hour"}
"""Fields that are another field's amount where the rows are the same: the rent of a part, paid for it or for a bridge."""

_LEAD_TIME: Final = "delivery_months"
_NO_DOLLAR: Final = frozenset({"currency_per_usd"})


@dataclass(frozen=True, slots=True)
class SourcedDriver:
    """A field that several options share or one has alone, its value in use, its range and the rows behind it."""

    field: str
    options: tuple[int, ...]
    """Places of the options it belongs to; empty for the finance, which all share."""
    ids: tuple[str, ...]
    kind: OriginKind
    reason: str
    low: float
    now: float
    high: float

    @property
    def is_shared(self) -> bool:
        """Whether it is one thing for several options."""
        return len(self.options) != 1

    @property
    def held_because(self) -> HeldBecause | None:
        """Why a simulation leaves it at its value; None where it draws it.

        stated: the user's own value, which is known. rate: RATES. choice: CHOICES. count: a whole number.
        certain: a range without width.
        """
        if self.kind == "user":
            return "stated"
        if self.field in RATES:
            return "rate"
        if self.kind == "off" and self.reason in CHOICES:
            return "choice"
        if self.field in COUNTS:
            return "count"
        return "certain" if self.low == self.high else None


@dataclass(frozen=True, slots=True)
class SourcedBar:
    """A bar of a tornado with the rows that its two ends come from."""

    bar: Bar
    ids: tuple[str, ...]
    kind: OriginKind


@dataclass(frozen=True, slots=True)
class Tornado:
    """The bars of all fields with a range, the widest first, and the fields that have none."""

    bars: tuple[SourcedBar, ...]
    without_range: tuple[tuple[str, tuple[int, ...]], ...]


def sourced_drivers(options: Sequence[OptionDefaults], finance: FinanceDefaults) -> tuple[SourcedDriver, ...]:
    """Every field of options and finance that has a range.

    Parameters
    ----------
    options : sequence of OptionDefaults
        Options with the origins of their fields; one without an option has none.
    finance : FinanceDefaults
        Shared by all.

    Returns
    -------
    tuple of SourcedDriver
        Fields of options first, in their order. Each range is widened to hold the value in use; a lead time nobody
        stated is 0 and ends before the horizon does.
    """
    found: dict[tuple[Any, ...], list[int]] = {}
    for place, one in enumerate(options):
        for field, origin in one.origins.items():
            now = _ranged(field, origin, one.option)
            if now is not None:
                latest = _latest(field, one.option, finance.finance)
                key = (field, origin, now, latest, "" if origin.ids else place)
                found.setdefault(key, []).append(place)
    drivers = [_driver(key[0], tuple(places), *key[1:4]) for key, places in found.items()]
    for field, origin in finance.origins.items():
        now = _ranged(field, origin, finance.finance)
        if now is not None:
            drivers.append(_driver(field, (), origin, now))
    return tuple(drivers)


def uncertain_amounts(drivers: Sequence[SourcedDriver]) -> tuple[Uncertain, ...]:
    """The drivers that a simulation draws, with their spreads.

    Parameters
    ----------
    drivers : sequence of SourcedDriver
        Of all options.

    Returns
    -------
    tuple of Uncertain
        Named by field and rows, so that a name means the same thing whichever options stand beside it.
    """
    amounts: dict[str, Uncertain] = {}
    for one in drivers:
        if one.held_because is None:
            rows = " + ".join(one.ids) or str(one.options)
            name, thing = f"{one.field}: {rows}", f"{_SAME_THING.get(one.field, one.field)}: {rows}"
            if name in amounts:  # the same rows at another value are another thing, at another age they are not
                is_same = amounts[name].spread.base == one.now
                name = f"{name} of {one.options}"
                thing = thing if is_same else name
            spread = spread_of(one.field, one.low, one.now, one.high)
            amounts[name] = Uncertain(name, one.field, one.options, spread, thing)
    return tuple(amounts.values())


def tornado_of(
    first: OptionDefaults, second: OptionDefaults | None, finance: FinanceDefaults, measure: Measure = "npv"
) -> Tornado:
    """A tornado over every field that has a range: of one option's cost, or of the difference of two.

    Parameters
    ----------
    first : OptionDefaults
        The option in question.
    second : OptionDefaults or None
        What it is held against; None for a tornado of its own cost.
    finance : FinanceDefaults
        Shared by both.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    Tornado
        Fields that move nothing are bars without width at the end.

    Raises
    ------
    InputError
        If one of the two has no option.
    """
    if first.option is None or (second is not None and second.option is None):
        raise InputError("option", None, "options with a price")
    both = (first,) if second is None else (first, second)
    rows = {
        Driver(_target(one, second), one.field, one.low, one.high): one
        for one in sourced_drivers(both, finance)
        if one.low < one.high
    }
    bars = tornado(first.option, second.option if second else None, finance.finance, tuple(rows), measure)
    silent: list[tuple[str, tuple[int, ...]]] = [
        (field, (place,)) for place, one in enumerate(both) for field, origin in one.origins.items() if _is_open(origin)
    ]
    silent += [(field, ()) for field, origin in finance.origins.items() if _is_open(origin) and field not in _NO_DOLLAR]
    return Tornado(
        bars=tuple(SourcedBar(bar, rows[bar.driver].ids, rows[bar.driver].kind) for bar in bars),
        without_range=tuple(silent),
    )


def _target(driver: SourcedDriver, second: OptionDefaults | None) -> Target:
    if not driver.options:
        return "finance"
    if second is not None and driver.is_shared:
        return "both"
    return "first" if driver.options[0] == 0 else "second"


def _ranged(field: str, origin: Origin, record: Option | Finance | None) -> float | None:
    """The value in use of a field with a range; None where it has none, or moves no dollar."""
    value = getattr(record, field, None)
    if field == _LEAD_TIME and isinstance(record, Option):
        if record.bridge == "none":
            return None  # nothing serves meanwhile: a longer wait would be less service, and look like a saving
        value = value or 0  # unknown is calculated as none
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or origin.low is None or origin.high is None or field in _NO_DOLLAR:
        return None
    return value


def _latest(field: str, option: Option | None, finance: Finance) -> float:
    """The end of a range by the horizon: a lead time must leave a month to serve in."""
    if field != _LEAD_TIME or option is None:
        return math.inf
    waiting = option.service_month - (option.delivery_months or 0)
    return finance.horizon_months - waiting - 1


def _driver(field: str, places: tuple[int, ...], origin: Origin, now: float, latest: float = math.inf) -> SourcedDriver:
    low, high = min(origin.low or 0.0, now), max(min(origin.high or 0.0, latest), now)
    return SourcedDriver(field, places, origin.ids, origin.kind, origin.reason, low, now, high)


def _is_open(origin: Origin) -> bool:
    """Whether a field has a value that could be another, but no range was found for it."""
    return origin.kind not in ("not-applicable", "missing") and (origin.low is None or origin.high is None)
