"""What an answer depends on: the spread that each driver makes, and the value at which two options cost the same."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lib.cost.cash_flow import Measure, total_usd
from lib.cost.drivers import COUNTS, Driver, Target, check_driver, moved
from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount, Computed
from lib.errors import InputError

_GRID: Final = 65
_REFINEMENTS: Final = 9


@dataclass(frozen=True, slots=True)
class Bar:
    """What one driver does to the difference first minus second: at its low and at its high end."""

    driver: Driver
    base_usd: float
    at_low_usd: float
    at_high_usd: float

    @property
    def swing_usd(self) -> float:
        """Distance between the two ends [USD]."""
        return abs(self.at_high_usd - self.at_low_usd)

    @property
    def changes_sign(self) -> bool:
        """Whether the cheaper of the two options is another one at an end of the range."""
        ends = (self.base_usd, self.at_low_usd, self.at_high_usd)
        return min(ends) < 0 < max(ends)


def difference_usd(first: Option, second: Option | None, finance: Finance, measure: Measure = "npv") -> Computed:
    """Cost of the first option less that of the second: negative where the first is cheaper.

    Parameters
    ----------
    first : Option
        The option in question.
    second : Option or None
        What it is held against; None for its own cost.
    finance : Finance
        Shared by both.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    float or ndarray
        Difference [USD].

    Raises
    ------
    InputError
        As `totals`.

    Examples
    --------
    >>> dear, cheap = (Option(accelerator_id=name, acquisition="rent", gpus=1, rent_usd_per_gpu_hour=rent)
    ...                for name, rent in (("h100-sxm", 3.0), ("mi300x", 2.0)))
    >>> difference_usd(dear, cheap, Finance(horizon_months=12))
    8760.0
    """
    if measure not in ("npv", "nominal"):
        raise InputError("measure", measure, "npv or nominal")

    cost = total_usd(first, finance, measure)
    return cost if second is None else cost - total_usd(second, finance, measure)


def tornado(
    first: Option, second: Option | None, finance: Finance, drivers: Sequence[Driver], measure: Measure = "npv"
) -> tuple[Bar, ...]:
    """The difference of two options at both ends of each driver's range, one driver at a time, the widest first.

    Parameters
    ----------
    first : Option
        The option in question.
    second : Option or None
        What it is held against; None for a tornado of its own cost.
    finance : Finance
        Shared by both.
    drivers : sequence of Driver
        Fields with their ranges.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    tuple of Bar
        Sorted by swing.

    Raises
    ------
    InputError
        If a driver's field is no number, or an end of its range is outside its meaning.

    Examples
    --------
    >>> own = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=3.0)
    >>> bars = tornado(own, None, Finance(horizon_months=12), [Driver("first", "rent_usd_per_gpu_hour", 2.0, 4.0)])
    >>> bars[0].at_low_usd, bars[0].at_high_usd
    (17520.0, 35040.0)
    """
    base = _number(difference_usd(first, second, finance, measure))
    ends = np.full((len(drivers), 2), base)
    by_columns = [place for place, driver in enumerate(drivers) if driver.field not in COUNTS]
    if by_columns:
        columns = [(drivers[place], row) for row, place in enumerate(by_columns)]
        found = _difference(first, second, finance, measure, columns)
        ends[by_columns] = np.broadcast_to(found, (2 * len(columns), 1)).reshape(-1, 2)
    for place, driver in enumerate(drivers):
        if driver.field in COUNTS:
            ends[place] = [
                _number(difference_usd(*moved(first, second, finance, driver, int(end)), measure))
                for end in (driver.low, driver.high)
            ]
    bars = [
        Bar(driver, base, float(low), float(high)) for driver, (low, high) in zip(drivers, ends.tolist(), strict=True)
    ]
    return tuple(sorted(bars, key=lambda bar: -bar.swing_usd))


def break_even(
    difference: Callable[[NDArray[np.float64]], Any], low: float, high: float, near: float | None = None
) -> float | None:
    """The value in a range at which a difference changes its sign; None where it never does.

    difference(x) = 0 for low <= x <= high

    Parameters
    ----------
    difference : callable
        Takes values of shape (n, 1) and gives the difference at each [USD].
    low, high : float
        Range to search, in the unit of the driver.
    near : float, optional
        Of several crossings the one nearest to this value; the lowest without it.

    Returns
    -------
    float or None
        The crossing, to 1e-12 of the range; for a difference that jumps over zero, the place of the jump.

    Raises
    ------
    InputError
        If the range is empty.

    Notes
    -----
    The range is bracketed at 65 points and each bracket divided by 64 again: two crossings closer than a 64th of the
    range hide each other.

    Examples
    --------
    >>> round(break_even(lambda price: price * price - 2, 0.0, 10.0), 9)
    1.414213562
    >>> break_even(lambda price: price + 1, 0.0, 10.0) is None
    True
    """
    if not low < high:
        raise InputError("range", (low, high), "from low to a higher value")
    for round_ in range(_REFINEMENTS):
        grid = np.linspace(low, high, _GRID)
        values = np.broadcast_to(np.asarray(difference(grid[:, None]), dtype=float), (_GRID, 1)).ravel()
        signs = np.sign(values)
        brackets = np.flatnonzero(signs[:-1] != signs[1:])
        if brackets.size == 0:
            return None if round_ == 0 else (low + high) / 2
        place = brackets[0]
        if near is not None:
            outside = np.maximum(np.maximum(grid[brackets] - near, near - grid[brackets + 1]), 0.0)
            place = brackets[outside.argmin()]
        low, high = float(grid[place]), float(grid[place + 1])
        if signs[place] == 0 or signs[place + 1] == 0:
            return low if signs[place] == 0 else high
    return (low + high) / 2


def break_even_of(
    first: Option,
    second: Option,
    finance: Finance,
    driver: Driver,
    measure: Measure = "npv",
    near: float | None = None,
) -> float | None:
    """The value of one driver at which two options cost the same; None where they never do in its range.

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
    near : float, optional
        Of several crossings the one nearest to this value, for example today's.

    Returns
    -------
    float or None
        In the unit of the field.

    Raises
    ------
    InputError
        If the field is no amount, or the range is outside its meaning.

    Examples
    --------
    >>> own, other = (Option(accelerator_id=name, acquisition="rent", gpus=gpus, rent_usd_per_gpu_hour=2.0)
    ...               for name, gpus in (("mi300x", 4), ("h100-sxm", 8)))
    >>> break_even_of(own, other, Finance(horizon_months=12), Driver("first", "rent_usd_per_gpu_hour", 0.0, 10.0))
    4.0
    """
    if driver.field in COUNTS:
        raise InputError("driver", driver.field, "a field that is an amount, not a count")

    def difference(values: NDArray[np.float64]) -> Computed:
        return difference_usd(*moved(first, second, finance, driver, values), measure)

    return break_even(difference, driver.low, driver.high, near)


def break_even_periods(upfront_usd: float, owned_usd_per_period: float, rented_usd_per_period: float) -> float | None:
    """Periods after which owning has cost no more than renting; None where it never does (exact, undiscounted).

    n = upfront / (rented - owned)

    Parameters
    ----------
    upfront_usd : float
        Paid at the start by the owner [USD].
    owned_usd_per_period, rented_usd_per_period : float
        Running cost of the owner, and rent [USD per period].

    Returns
    -------
    float or None
        Number of periods, in the period of the two rates.

    Raises
    ------
    InputError
        If an amount is negative or not a number.

    Examples
    --------
    A server with eight H100 NVL at 833,806 USD, run for 0.87 USD an hour, against 98.32 USD an hour: as published,
    8,556 hours.

    >>> round(break_even_periods(833_806, 0.87, 98.32))
    8556
    >>> break_even_periods(833_806, 0.87, 0.50) is None
    True

    References
    ----------
    Lenovo Press LP2225 (2025)
    """
    amounts = (
        ("upfront_usd", upfront_usd),
        ("owned_usd_per_period", owned_usd_per_period),
        ("rented_usd_per_period", rented_usd_per_period),
    )
    for field, value in amounts:
        if not 0 <= value < float("inf"):
            raise InputError(field, value, "0 or more USD")
    saved = rented_usd_per_period - owned_usd_per_period
    return upfront_usd / saved if saved > 0 else None


def break_even_months(
    first: Option, second: Option, finance: Finance, horizons: Iterable[int], measure: Measure = "npv"
) -> int | None:
    """The shortest of these horizons at whose end the first option has cost no more than the second, resale included.

    Parameters
    ----------
    first, second : Option
        The two options.
    finance : Finance
        Shared by both; its own horizon is not used.
    horizons : iterable of int
        Horizons to try, in rising order [months].
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    int or None
        Months; None where it never does. Horizons shorter than a commitment are passed over.

    Raises
    ------
    InputError
        As `totals`, for a horizon beyond the residual values.

    Examples
    --------
    >>> bought = Option(accelerator_id="h100-nvl", acquisition="buy", gpus=8, server_price_usd=833_806.0,
    ...                 load_kw_per_server=5.8, idle_kw_per_server=0.0)
    >>> rented = Option(accelerator_id="h100-nvl", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=98.32 / 8)
    >>> break_even_months(bought, rented, Finance(horizon_months=36, electricity_usd_per_kwh=0.15), range(1, 61))
    12
    """
    longest_term = max(first.term_months or 1, second.term_months or 1)
    for months in horizons:
        if months < longest_term:
            continue
        if _number(difference_usd(first, second, dataclasses.replace(finance, horizon_months=months), measure)) <= 0:
            return months
    return None


def crossing_month(first: NDArray[np.float64], second: NDArray[np.float64]) -> int | None:
    """The first month at whose end a cumulative cost is no longer above another after having been so; None if never.

    Parameters
    ----------
    first, second : ndarray
        Cumulative costs at the ends of months 0 to n [USD], equally long.

    Returns
    -------
    int or None
        Month of the crossing.

    Examples
    --------
    >>> crossing_month(np.array([10.0, 11.0, 12.0]), np.array([0.0, 6.0, 12.0]))
    2
    """
    above = first > second
    if not above.any():
        return None
    start = int(above.argmax())
    below = np.flatnonzero(~above[start:])
    return start + int(below[0]) if below.size else None


def _difference(
    first: Option, second: Option | None, finance: Finance, measure: Measure, columns: list[tuple[Driver, int]]
) -> Computed:
    """The difference for all drivers at once: rows 2k and 2k + 1 hold the low and the high end of driver k."""
    rows = 2 * len(columns)

    def stacked(record: Any, targets: tuple[Target, ...]) -> Any:
        changes: dict[str, NDArray[np.float64]] = {}
        for driver, place in columns:
            if driver.target not in targets:
                continue
            if driver.field not in changes:
                base = getattr(record, driver.field)
                changes[driver.field] = np.full((rows, 1), 0.0 if base is None else _number(base))
            changes[driver.field][[2 * place, 2 * place + 1], 0] = driver.low, driver.high
        return dataclasses.replace(record, **changes) if changes else record

    for driver, _ in columns:
        check_driver(driver)
    return difference_usd(
        stacked(first, ("first", "both")),
        None if second is None else stacked(second, ("second", "both")),
        stacked(finance, ("finance",)),
        measure,
    )


def _number(value: Amount) -> float:
    """A single number out of an amount that is not an array of draws."""
    return float(np.asarray(value).item())
