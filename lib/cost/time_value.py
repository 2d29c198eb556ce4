"""The value of money in time: factors that turn monthly flows into a value at month 0.

Month 0 is the day of the decision. A running cost is paid at the end of its month, a rent in arrears likewise. Prices
that change do so by steps: they are constant within a step of months and change at the start of the next one. A
rate is an effective annual one: a month is (1 + rate)^(1/12) - 1, and twelve of them make the rate itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.cost.ranges import Amount, Computed
from lib.units import MONTHS_PER_YEAR


def monthly_rate(rate_per_year: Amount) -> Computed:
    """Rate per month of which twelve make an effective annual rate (exact).

    i = (1 + r)^(1/12) - 1

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual rate [fraction], above -1.

    Returns
    -------
    float or ndarray
        Monthly rate [fraction].

    Examples
    --------
    >>> round(monthly_rate(0.10), 6)
    0.007974
    """
    return (1 + rate_per_year) ** (1 / MONTHS_PER_YEAR) - 1


def present_value_factor(rate_per_year: Amount, month: int) -> Computed:
    """What one dollar paid at the end of a month is worth at month 0 (exact).

    f = (1 + r)^(-month/12)

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual discount rate [fraction], above -1.
    month : int
        End of this month [months after month 0].

    Returns
    -------
    float or ndarray
        Factor [dollars at month 0 per dollar].

    Examples
    --------
    >>> round(present_value_factor(0.10, 24), 6)
    0.826446
    """
    return (1 + rate_per_year) ** (-month / MONTHS_PER_YEAR)


def discount_factors(rate_per_year: Amount, months: int) -> NDArray[np.float64]:
    """Present value factors of months 0 to n (exact).

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual discount rate [fraction], scalar or (draws, 1).
    months : int
        Last month n.

    Returns
    -------
    ndarray
        Factors, shape (n + 1,) or (draws, n + 1).

    Examples
    --------
    >>> discount_factors(0.10, 24)[[0, 12, 24]].round(6).tolist()
    [1.0, 0.909091, 0.826446]
    """
    return np.asarray((1 + np.asarray(rate_per_year, dtype=float)) ** (np.arange(months + 1) / -MONTHS_PER_YEAR))


def annuity_factor(
    rate_per_year: Amount, months: int, change: Amount = 0.0, step_months: int = MONTHS_PER_YEAR
) -> Computed:
    """Value at month 0 of one dollar at the end of each month 1 to n, stepped by a change (exact).

    A = sum over t = 1..n of (1 + change)^floor((t - 1)/step) x (1 + r)^(-t/12)

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual discount rate [fraction]; 0 gives the nominal sum.
    months : int
        Last month n.
    change : float or ndarray
        Change of the amount at each new step [fraction].
    step_months : int
        Length of a step [months].

    Returns
    -------
    float or ndarray
        Factor [dollars at month 0 per dollar a month].

    Notes
    -----
    The sum is taken step by step in Horner's form: no division by a rate, so a rate of zero needs no special case, and
    20,000 draws cost one pass over a step.

    Examples
    --------
    >>> annuity_factor(0.0, 36)
    36.0
    >>> annuity_factor(0.0, 24, change=0.5)
    30.0
    """
    month = (1 + rate_per_year) ** (-1 / MONTHS_PER_YEAR)
    whole, rest = divmod(months, step_months)
    step, value = _geometric(month, step_months), _geometric(month, rest)
    onward = (1 + change) * month**step_months
    for _ in range(whole):
        value = step + onward * value
    return value


def advance_factor(rate_per_year: Amount, months: int, change: Amount, step_months: int) -> Computed:
    """Value at month 0 of one dollar at the start of each step that begins before month n (exact).

    B = sum over k = 0..ceil(n/step)-1 of ((1 + change) x (1 + r)^(-step/12))^k

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual discount rate [fraction].
    months : int
        Last month n.
    change : float or ndarray
        Change of the amount at each new step [fraction].
    step_months : int
        Length of a step [months].

    Returns
    -------
    float or ndarray
        Factor [dollars at month 0 per dollar a step].

    Examples
    --------
    >>> advance_factor(0.0, 36, 0.0, 12)
    3.0
    """
    onward = (1 + change) * (1 + rate_per_year) ** (-step_months / MONTHS_PER_YEAR)
    value: Computed = 0.0
    for _ in range(-(-months // step_months)):
        value = 1 + onward * value
    return value


def _geometric(factor: Amount, terms: int) -> Computed:
    """Sum of the first powers of a factor: f + f^2 + ... to that many terms."""
    value: Computed = 0.0
    for _ in range(terms):
        value = factor * (1 + value)
    return value


def net_present_value(rate_per_year: Amount, flows: NDArray[np.float64]) -> Computed:
    """Value at month 0 of monthly flows (exact).

    NPV = sum over t = 0..n of flow_t x (1 + r)^(-t/12)

    Parameters
    ----------
    rate_per_year : float or ndarray
        Effective annual discount rate [fraction], scalar or (draws, 1).
    flows : ndarray
        Flows at the ends of months 0 to n [USD], the months last.

    Returns
    -------
    float or ndarray
        Value [USD], the months summed away.

    Examples
    --------
    >>> round(float(net_present_value(0.10, np.array([100.0] + [0.0] * 11 + [110.0]))), 9)
    200.0
    """
    return (flows * discount_factors(rate_per_year, flows.shape[-1] - 1)).sum(axis=-1)


def internal_rate_of_return(flows: NDArray[np.float64]) -> float | None:
    """Rate per month at which monthly flows are worth nothing at month 0; None where there is none.

    0 = sum over t = 0..n of flow_t x (1 + i)^(-t)

    Parameters
    ----------
    flows : ndarray
        Flows at the ends of months 0 to n, shape (n + 1,).

    Returns
    -------
    float or None
        Monthly rate [fraction]; the one nearest to zero where flows change sign more than once.

    Notes
    -----
    Searched from -99 % to +99,900 % a month. The timing and the answer are those of numpy-financial's ``irr``.

    Examples
    --------
    >>> round(internal_rate_of_return(np.array([-100.0, 39.0, 59.0, 55.0, 20.0])), 5)
    0.28095
    >>> internal_rate_of_return(np.array([100.0, 20.0])) is None
    True
    """
    highest_power_first = np.asarray(flows, dtype=float)[::-1]

    def value(log_factor: Any) -> Any:
        return np.polyval(highest_power_first, np.exp(log_factor))

    grid = np.linspace(np.log(1e-3), np.log(100), 1201)
    signs = np.sign(value(grid))
    crossings = np.flatnonzero(signs[:-1] * signs[1:] <= 0)
    if not np.any(flows) or crossings.size == 0:
        return None
    nearest = crossings[np.abs(grid[crossings] + grid[crossings + 1]).argmin()]
    low, high = grid[nearest], grid[nearest + 1]
    sign_at_low = signs[nearest] or -signs[nearest + 1]
    for _ in range(80):
        middle = (low + high) / 2
        if np.sign(value(middle)) == sign_at_low:
            low = middle
        else:
            high = middle
    return float(np.exp(-(low + high) / 2) - 1)
