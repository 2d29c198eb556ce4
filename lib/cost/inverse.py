"""The questions the other way round: how much a limit buys, and how low a price must fall."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from lib.cost.cash_flow import Flows, Measure
from lib.cost.crossings import cost_usd
from lib.cost.options import MOST_GPUS, Acquisition, Finance, Option
from lib.cost.time_value import annuity_factor
from lib.errors import InputError
from lib.units import MONTHS_PER_YEAR

Budget = Literal["npv", "nominal", "capital", "dearest-year", "level-year"]
PriceField = Literal["server_price_usd", "rent_usd_per_gpu_hour"]
Verdict = Literal["at", "never", "always"]

CAPITAL: Final = ("hardware", "network", "installation", "spares")
"""Components that are bought once and stand in the books."""


@dataclass(frozen=True, slots=True)
class MatchingPrice:
    """The price of one option at which it costs as much as a target.

    `at` where there is one; never: dearer than the target even for nothing; always: the price does not enter.
    """

    field: PriceField
    now: float
    verdict: Verdict
    at: float | None
    target_usd: float

    @property
    def change(self) -> float | None:
        """How far the price is from it [fraction of the price in use]; negative where it must fall."""
        return None if self.at is None or not self.now else self.at / self.now - 1


def price_field(acquisition: Acquisition) -> PriceField:
    """The field of an option that is its price: of a server that is bought, or of an hour of a GPU.

    Parameters
    ----------
    acquisition : {"buy", "rent", "commit-1y", "commit-3y"}
        How it is had.

    Returns
    -------
    str
        Name of the field.
    """
    return "server_price_usd" if acquisition == "buy" else "rent_usd_per_gpu_hour"


def budget_use_usd(flows: Flows, budget: Budget) -> float:
    """What an option takes of a budget (exact).

    npv and nominal: the sum of all flows, at month 0 or as paid. capital: CAPITAL, as paid. dearest-year: the year in
    which most is paid, month 0 counted with year 1. level-year: npv / sum over months of (1 + r)^(-t/12) x 12, the
    equal yearly amount worth the same.

    Parameters
    ----------
    flows : Flows
        Of the option, without draws.
    budget : {"npv", "nominal", "capital", "dearest-year", "level-year"}
        How the budget is stated.

    Returns
    -------
    float
        Amount [USD], or [USD per year] for the last two.

    Raises
    ------
    InputError
        If there is no such budget.

    Examples
    --------
    >>> from lib.cost.cash_flow import monthly_flows
    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=2.0)
    >>> flows = monthly_flows(rented, Finance(horizon_months=36, discount_rate=0.1))
    >>> [round(budget_use_usd(flows, budget)) for budget in ("nominal", "capital", "dearest-year", "level-year")]
    [52560, 0, 17520, 17520]
    """
    match budget:
        case "npv":
            return float(flows.npv_usd)
        case "nominal":
            return float(flows.nominal_usd)
        case "capital":
            return float(sum(flows.components[name].sum(axis=-1) for name in CAPITAL))
        case "dearest-year":
            years = np.asarray(sum(flows.by_year().values()), dtype=float)
            return float(max(years[0] + years[1], *years[2:], -math.inf))
        case "level-year":
            finance = flows.finance
            months = annuity_factor(finance.discount_rate, finance.horizon_months)
            return float(flows.npv_usd / months * MONTHS_PER_YEAR)
    raise InputError("budget", budget, "npv, nominal, capital, dearest-year or level-year")


def most_within(use: Callable[[int], float], limit: float, most: int = MOST_GPUS) -> int:
    """The greatest count whose use stays within a limit (exact for a use that never falls with the count).

    n = max k with use(k) <= limit

    Parameters
    ----------
    use : callable
        What k units take of the limit, for k from 1.
    limit : float
        The limit, in the unit of the use.
    most : int
        Count at which the search ends.

    Returns
    -------
    int
        0 where one unit is too much.

    Notes
    -----
    Guided by the straight line through the two ends, so that a use in proportion to the count takes few evaluations.

    Examples
    --------
    A megawatt and servers that draw 15.3 kW at the wall:

    >>> most_within(lambda servers: servers * 15.3, 1000.0)
    65
    """
    low, used = 1, use(1)
    if used > limit:
        return 0
    if most == 1 or use(most) <= limit:
        return most
    high, too_much, evaluations = most, use(most), 0
    while high - low > 1:
        evaluations += 1
        share = (limit - used) / (too_much - used)
        guess = low + math.floor((high - low) * share)
        if evaluations % 3 == 0:  # a line that misleads shall not make the search crawl
            guess = (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
        taken = use(guess)
        if taken <= limit:
            low, used = guess, taken
            following = min(guess + 1, high)
            if following < high and (beyond := use(following)) > limit:
                high, too_much = following, beyond
        else:
            high, too_much = guess, taken
    return low


def price_for(option: Option, finance: Finance, target_usd: float, measure: Measure = "npv") -> MatchingPrice:
    """The price at which an option costs a given amount (exact: the cost is a straight line in the price).

    p = (target - cost at 0) / (cost at 1 - cost at 0)

    Parameters
    ----------
    option : Option
        Bought, at a price of a server, or rented, at a rent.
    finance : Finance
        Horizon, rates, running costs.
    target_usd : float
        What it shall cost [USD].
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    MatchingPrice
        In USD per server, or USD per GPU-hour.

    Raises
    ------
    InputError
        If the target is not a number.

    Notes
    -----
    Support, spares and resale follow the price of the server, and the provider's support the rent. The price of a
    server that only just pays its own resale and support would not enter: "always" then means at any price.

    Examples
    --------
    Three years of eight GPUs for 210,240 USD are a dollar an hour for each:

    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
    >>> round(price_for(rented, Finance(horizon_months=36), 210_240.0).at, 9)
    1.0
    """
    if not math.isfinite(target_usd):
        raise InputError("target_usd", target_usd, "a finite number of USD")
    field = price_field(option.acquisition)
    now = float(getattr(option, field))

    def at_price(price: float) -> float:
        change: dict[str, Any] = {field: price}
        return cost_usd(replace(option, **change), finance, measure)

    scale = now or 1.0
    free, priced = at_price(0.0), at_price(scale)
    slope = (priced - free) / scale
    if abs(priced - free) <= 1e-12 * max(abs(free), 1.0):
        verdict: Verdict = "always" if free <= target_usd else "never"
        return MatchingPrice(field, now, verdict, None, target_usd)
    price = (target_usd - free) / slope
    if price < 0:
        return MatchingPrice(field, now, "never", None, target_usd)
    return MatchingPrice(field, now, "at", price, target_usd)


def matching_price(option: Option, other: Option, finance: Finance, measure: Measure = "npv") -> MatchingPrice:
    """The price below which a quote for one option must fall for it to cost no more than another.

    Parameters
    ----------
    option : Option
        The quoted one.
    other : Option
        What it is held against.
    finance : Finance
        Shared by both.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    MatchingPrice
        Above the price in use where the option is the cheaper already: how far it may rise.

    Examples
    --------
    >>> four, eight = (Option(accelerator_id=name, acquisition="rent", gpus=gpus, rent_usd_per_gpu_hour=2.0)
    ...                for name, gpus in (("mi300x", 4), ("h100-sxm", 8)))
    >>> found = matching_price(eight, four, Finance(horizon_months=12))
    >>> round(found.at, 9), round(found.change, 9)
    (1.0, -0.5)
    """
    return price_for(option, finance, cost_usd(other, finance, measure), measure)
