"""Every value of a driver at which the cheaper of two options changes, and rent or buy in months and in utilisation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.cost.cash_flow import Measure, total_usd
from lib.cost.drivers import COUNTS, Driver, moved
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import difference_usd
from lib.errors import InputError

Cheaper = Literal["first", "second", "same"]

POINTS: Final = 1025
"""Points at which a range is looked at for changes of sign: two within a thousandth of it hide each other."""

_HALVINGS: Final = 60


@dataclass(frozen=True, slots=True)
class Crossing:
    """A value at which the cheaper of two options changes, and which it is from there on."""

    at: float
    cheaper_above: Cheaper


@dataclass(frozen=True, slots=True)
class Crossings:
    """All values of a driver at which the cheaper of two options changes, in rising order; none is never."""

    low: float
    high: float
    cheaper_at_low: Cheaper
    cheaper_at_high: Cheaper
    found: tuple[Crossing, ...]

    @property
    def is_never(self) -> bool:
        """Whether one option is the cheaper over the whole range."""
        return not self.found

    def nearest(self, value: float) -> float | None:
        """The crossing nearest to a value; None where there is none."""
        return min((one.at for one in self.found), key=lambda at: abs(at - value), default=None)


@dataclass(frozen=True, slots=True)
class RentOrBuy:
    """When owning pays against renting: in months of horizon, and in utilisation at the horizon of the question."""

    months: int | None
    """The shortest horizon at whose end owning has cost no more; None where it never does."""
    paying_horizons: tuple[tuple[int, int], ...]
    """All horizons at which owning costs no more, as first and last of each unbroken run."""
    utilisation: Crossings
    """Owning against renting by the hour used; first is owning."""


def sign_changes(
    difference: Callable[[NDArray[np.float64]], Any], low: float, high: float, points: int = POINTS
) -> tuple[float, ...]:
    """Every value in a range at which a difference changes its sign (exact but for changes closer than the points).

    difference(x) = 0 for low <= x <= high

    Parameters
    ----------
    difference : callable
        Takes values of shape (n, 1) and gives the difference at each.
    low, high : float
        Range to search, in the unit of the driver.
    points : int
        Points at which the range is looked at first.

    Returns
    -------
    tuple of float
        In rising order. Where the difference is nothing over a stretch, its beginning and end.

    Raises
    ------
    InputError
        If the range is empty.

    Examples
    --------
    >>> [round(value, 6) for value in sign_changes(np.sin, 1.0, 10.0)]
    [3.141593, 6.283185, 9.424778]
    >>> sign_changes(lambda values: values + 1, 0.0, 10.0)
    ()
    """
    if not low < high:
        raise InputError("range", (low, high), "from low to a higher value")
    grid = np.linspace(low, high, points)

    def signs(values: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.broadcast_to(np.asarray(difference(values[:, None]), dtype=float), (len(values), 1))
        return np.asarray(np.sign(found)).ravel()

    at = signs(grid)
    brackets = np.flatnonzero(at[:-1] != at[1:])
    if not brackets.size:
        return ()
    left, right, left_sign = grid[brackets], grid[brackets + 1], at[brackets]
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        stays = signs(middle) == left_sign
        left, right = np.where(stays, middle, left), np.where(stays, right, middle)
    exact = [
        float(grid[place] if at[place] == 0 else grid[place + 1]) if 0 in (at[place], at[place + 1]) else float(value)
        for place, value in zip(brackets, (left + right) / 2, strict=True)
    ]
    return tuple(dict.fromkeys(exact))


def crossings_of(
    first: Option, second: Option, finance: Finance, driver: Driver, measure: Measure = "npv"
) -> Crossings:
    """Every value of one driver at which the cheaper of two options changes.

    Parameters
    ----------
    first, second : Option
        The two options.
    finance : Finance
        Shared by both.
    driver : Driver
        The field that moves, with the range to search.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    Crossings
        With the cheaper option at both ends of the range.

    Raises
    ------
    InputError
        If the field is no amount, or the range is outside its meaning.

    Examples
    --------
    >>> own, other = (Option(accelerator_id=name, acquisition="rent", gpus=gpus, rent_usd_per_gpu_hour=2.0)
    ...               for name, gpus in (("mi300x", 4), ("h100-sxm", 8)))
    >>> found = crossings_of(own, other, Finance(horizon_months=12), Driver("first", "rent_usd_per_gpu_hour", 0.0, 9.0))
    >>> round(found.found[0].at, 9), found.found[0].cheaper_above
    (4.0, 'second')
    """
    if driver.field in COUNTS:
        raise InputError("driver", driver.field, "a field that is an amount, not a count")

    def difference(values: NDArray[np.float64]) -> Any:
        return difference_usd(*moved(first, second, finance, driver, values), measure)

    values = sign_changes(difference, driver.low, driver.high)
    ends = np.array([driver.low, driver.high])
    between = [(one + other) / 2 for one, other in pairwise((*values, driver.high))]
    looked_at = np.array([*ends, *between])[:, None]
    signs = np.broadcast_to(np.sign(difference(looked_at)), looked_at.shape).ravel()
    cheaper = [_cheaper(sign) for sign in signs]
    return Crossings(
        low=driver.low,
        high=driver.high,
        cheaper_at_low=cheaper[0],
        cheaper_at_high=cheaper[1],
        found=tuple(Crossing(value, above) for value, above in zip(values, cheaper[2:], strict=True)),
    )


def paying_horizons(
    first: Option, second: Option, finance: Finance, horizons: Iterable[int], measure: Measure = "npv"
) -> tuple[tuple[int, int], ...]:
    """The horizons at which the first option costs no more than the second, as unbroken runs.

    Parameters
    ----------
    first, second : Option
        The two options.
    finance : Finance
        Shared by both; its own horizon is not used.
    horizons : iterable of int
        Horizons to look at, in rising order [months].
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    tuple of tuple of int
        First and last horizon of each run [months]; empty where it never pays.

    Raises
    ------
    InputError
        As `totals`, for a horizon beyond the residual values.

    Notes
    -----
    More than one run is possible: hardware sold early brings more than its share of the rent, and less later.
    """
    runs: list[tuple[int, int]] = []
    pays_before = False
    for months in horizons:
        pays = float(difference_usd(first, second, replace(finance, horizon_months=months), measure)) <= 0
        if pays and pays_before:
            runs[-1] = (runs[-1][0], months)
        elif pays:
            runs.append((months, months))
        pays_before = pays
    return tuple(runs)


def rent_or_buy(
    owned: Option, rented: Option, finance: Finance, horizons: Iterable[int], measure: Measure = "npv"
) -> RentOrBuy:
    """When owning pays against renting: after how many months, and from what utilisation.

    Parameters
    ----------
    owned : Option
        Bought or committed: paid for in all hours.
    rented : Option
        Rented on demand. For the months it is billed as it stands; for the utilisation by the hour used.
    finance : Finance
        Shared by both; the months are looked for at its utilisation, the utilisation at its horizon.
    horizons : iterable of int
        Horizons to look at, in rising order [months].
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    RentOrBuy
        Months None and no crossing where it never pays.

    Raises
    ------
    InputError
        If the second option is not rented on demand.

    Examples
    --------
    A server with eight H100 NVL at 833,806 USD against 98.32 USD an hour. The rent is 71,774 USD a month, so that the
    server with the energy that it draws is paid for in the twelfth month, and only above 32 % of use over three years.

    >>> bought = Option(accelerator_id="h100-nvl", acquisition="buy", gpus=8, server_price_usd=833_806.0,
    ...                 load_kw_per_server=5.8, idle_kw_per_server=0.0)
    >>> rented = Option(accelerator_id="h100-nvl", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=98.32 / 8)
    >>> found = rent_or_buy(bought, rented, Finance(horizon_months=36, electricity_usd_per_kwh=0.15), range(1, 61))
    >>> found.months, found.paying_horizons, round(found.utilisation.found[0].at, 3)
    (12, ((12, 60),), 0.326)

    References
    ----------
    Lenovo Press LP2225 (2025)
    """
    if rented.acquisition != "rent":
        raise InputError("acquisition", rented.acquisition, "rent")
    runs = paying_horizons(owned, rented, finance, horizons, measure)
    by_use = replace(rented, billing="used-hours")
    share = crossings_of(owned, by_use, finance, Driver("finance", "utilisation", 0.0, 1.0), measure)
    return RentOrBuy(runs[0][0] if runs else None, runs, share)


def cost_usd(option: Option, finance: Finance, measure: Measure = "npv") -> float:
    """The cost of one option as a number (exact).

    Parameters
    ----------
    option : Option
        Without draws.
    finance : Finance
        Without draws.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    float
        Cost [USD].
    """
    return float(np.asarray(total_usd(option, finance, measure)).item())


def _cheaper(sign: float) -> Cheaper:
    if sign == 0:
        return "same"
    return "first" if sign < 0 else "second"
