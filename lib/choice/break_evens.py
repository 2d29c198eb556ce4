"""What would change a recommendation: the value of one driver at which the two best cost the same.

Only what the cost room can give stands here; a driver without such a value in its range says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import Costed, costed
from lib.choice.scenario import Candidate, Scenario
from lib.cost.cash_flow import totals
from lib.cost.drivers import Driver, Target
from lib.cost.inverse import price_field
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import break_even_of

DriverName = Literal["rival-price", "winner-price", "electricity", "discount-rate", "utilisation"]

PRICE_FACTOR: Final = 10.0
"""A price is searched from nothing to ten times today's."""

_FINANCE_RANGES: Final[Sequence[tuple[DriverName, str, float, float]]] = (
    ("electricity", "electricity_usd_per_kwh", 0.0, 2.0),
    ("utilisation", "utilisation", 0.01, 1.0),
    ("discount-rate", "discount_rate", 0.0, 0.5),
)
"""The ranges that the scenario allows."""

_OWNERS_ONLY: Final = frozenset({"electricity", "utilisation"})
"""Drivers that do not enter a rental."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The value of a driver at which winner and rival cost the same; None where they never do in the range searched."""

    driver: DriverName
    field: str
    now: float
    at: float | None
    low: float
    high: float

    @property
    def change(self) -> float | None:
        """How far the driver is from its break-even [fraction of its value today]."""
        return None if self.at is None or not self.now else self.at / self.now - 1


@dataclass(frozen=True, eq=False)
class RentOrBuy:
    """The winner's part held all the time against rented by the hour used: above `at` holding it costs less."""

    held: Costed
    rented: Costed
    at: float | None
    always: Literal["", "held", "rented"]


def break_evens(winner: Assessment, rival: Assessment) -> tuple[BreakEven, ...]:
    """Where winner and rival cost the same, driver by driver.

    Parameters
    ----------
    winner, rival : Assessment
        The two best, both with costs.

    Returns
    -------
    tuple of BreakEven
        Prices first, then what both share.
    """
    first, second, finance = winner.cost.option, rival.cost.option, winner.cost.finance.finance
    if first is None or second is None:
        return ()
    prices: tuple[tuple[DriverName, Target, Option], ...] = (
        ("rival-price", "second", second),
        ("winner-price", "first", first),
    )
    found = []
    for name, target, option in prices:
        price = price_field(option)
        now = float(getattr(option, price))
        found.append(_found(first, second, finance, name, Driver(target, price, 0.0, PRICE_FACTOR * now or 1.0), now))
    for name, field, low, high in _FINANCE_RANGES:
        if name in _OWNERS_ONLY and not (first.buys or second.buys):
            continue
        now = float(getattr(finance, field))
        found.append(_found(first, second, finance, name, Driver("finance", field, low, high), now))
    return tuple(found)


def rent_or_buy(catalog: Catalog, scenario: Scenario, winner: Assessment) -> RentOrBuy | None:
    """The utilisation above which holding the winner's part costs less than renting it by the hour used.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money.
    winner : Assessment
        Held: as bought or committed; a winner that is rented on demand is held against buying it.

    Returns
    -------
    RentOrBuy or None
        None where one of the two has no price.
    """
    asked = winner.candidate
    held, rented = winner.cost, winner.cost
    if asked.acquisition == "rent":
        held = _other(catalog, scenario, asked, winner.cost.gpus, "buy")
    else:
        rented = _other(catalog, scenario, asked, winner.cost.gpus, "rent")
    if held.option is None or rented.option is None:
        return None
    by_the_hour = replace(rented.option, billing="used-hours")
    finance = held.finance.finance
    at = break_even_of(held.option, by_the_hour, finance, Driver("finance", "utilisation", 0.01, 1.0))
    if at is not None:
        return RentOrBuy(held, rented, at, "")
    cheaper = float(totals(held.option, finance).npv_usd) < float(totals(by_the_hour, finance).npv_usd)
    return RentOrBuy(held, rented, None, "held" if cheaper else "rented")


def _found(first: Option, second: Option, finance: Finance, name: DriverName, driver: Driver, now: float) -> BreakEven:
    at = break_even_of(first, second, finance, driver, near=now)
    return BreakEven(name, driver.field, now, at, driver.low, driver.high)


def _other(
    catalog: Catalog, scenario: Scenario, asked: Candidate, gpus: int | None, way: Literal["buy", "rent"]
) -> Costed:
    """The same part and number of GPUs had the other way, at the catalogue's price."""
    candidate = Candidate(accelerator=asked.accelerator, gpus=gpus, acquisition=way)
    return costed(catalog, scenario.workload, scenario.engine, scenario.money, candidate)
