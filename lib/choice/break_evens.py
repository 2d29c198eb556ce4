"""The winner's part held all the time against rented by the hour used: the utilisation at which that turns."""

from dataclasses import dataclass, replace
from typing import Literal

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import Costed, costed
from lib.choice.scenario import Candidate, Scenario
from lib.cost.cash_flow import total_usd
from lib.cost.drivers import Driver
from lib.cost.sensitivity import break_even_of


@dataclass(frozen=True, eq=False)
class RentOrBuy:
    """The winner's part held all the time against rented by the hour used: above `at` holding it costs less."""

    held: Costed
    rented: Costed
    at: float | None
    always: Literal["", "held", "rented"]


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
    cheaper = float(total_usd(held.option, finance)) < float(total_usd(by_the_hour, finance))
    return RentOrBuy(held, rented, None, "held" if cheaper else "rented")


def _other(
    catalog: Catalog, scenario: Scenario, asked: Candidate, gpus: int | None, way: Literal["buy", "rent"]
) -> Costed:
    """The same part and number of GPUs had the other way, at the catalogue's price."""
    candidate = Candidate(accelerator=asked.accelerator, gpus=gpus, acquisition=way)
    return costed(catalog, scenario.workload, scenario.engine, scenario.money, candidate)
