"""When an option serves: months and hours of service within the horizon, and months to a date.

Month 0 is the decision. Service begins at the end of the month of acceptance; what stands in for it before, the
bridge, is paid for and not counted as service of the option.
"""

from datetime import date
from typing import Final

from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount, Computed
from lib.cost.time_value import annuity_factor
from lib.errors import InputError
from lib.units import HOURS_PER_MONTH, MONTHS_PER_YEAR

DAYS_PER_WEEK: Final = 7
DAYS_PER_YEAR: Final = 365


def served_months(option: Option, finance: Finance) -> int:
    """Months of the horizon in which the option serves (exact).

    n = horizon - (order + delivery + acceptance)

    Parameters
    ----------
    option : Option
        With its times.
    finance : Finance
        With the horizon.

    Returns
    -------
    int
        At least 1 [months].

    Raises
    ------
    InputError
        If the horizon ends before service begins.

    Examples
    --------
    >>> bought = Option(accelerator_id="h100-sxm", acquisition="buy", gpus=8, server_price_usd=325_000.0,
    ...                 load_kw_per_server=7.75, idle_kw_per_server=1.9, delivery_months=10, acceptance_months=2)
    >>> served_months(bought, Finance(horizon_months=36))
    24
    """
    served = finance.horizon_months - option.service_month
    if served < 1:
        allowed = f"more than the {option.service_month} months until service begins"
        raise InputError("horizon_months", finance.horizon_months, allowed)
    return served


def served_hours(option: Option, finance: Finance, rate: Amount = 0.0) -> Computed:
    """Hours in which one GPU of the option serves, valued at month 0 with a rate (exact).

    h = 730 x sum over months t of service of (1 + rate)^(-t/12)

    Parameters
    ----------
    option : Option
        With its times.
    finance : Finance
        With the horizon.
    rate : float or ndarray
        Effective annual rate [fraction]; 0 counts hours, the discount rate makes a levelised cost of them.

    Returns
    -------
    float or ndarray
        Hours [h per GPU], all hours of the months of service whether worked or idle.

    Raises
    ------
    InputError
        If the horizon ends before service begins.

    Examples
    --------
    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=3.49, order_month=6)
    >>> served_hours(rented, Finance(horizon_months=36)) / 730
    30.0
    """
    months = served_months(option, finance)
    hours = HOURS_PER_MONTH * annuity_factor(rate, months)
    start = option.service_month
    return hours * (1 + rate) ** (-start / MONTHS_PER_YEAR) if start else hours


def months_until(deadline: str, decision: date) -> int:
    """Months from the month of the decision to the end of another month (exact).

    n = 12 x (year - year of the decision) + month - month of the decision

    Parameters
    ----------
    deadline : str
        YYYY-MM: what must serve, serves by the end of that month.
    decision : date
        Month 0.

    Returns
    -------
    int
        Negative for a month that has passed [months].

    Examples
    --------
    >>> months_until("2027-03", date(2026, 11, 30))
    4
    """
    year, month = map(int, deadline.split("-"))
    return MONTHS_PER_YEAR * (year - decision.year) + month - decision.month


def months_of_weeks(weeks: float) -> int:
    """Weeks as whole months, the nearest (exact but for the rounding).

    n = weeks x 7 x 12 / 365

    Parameters
    ----------
    weeks : float
        A lead time [weeks].

    Returns
    -------
    int
        The nearest number of months [months].

    Examples
    --------
    Reported lead times of 36 to 52 weeks:

    >>> months_of_weeks(36), months_of_weeks(52)
    (8, 12)

    References
    ----------
    cliffcenter-amd-economics, supply paragraph
    """
    return round(weeks * DAYS_PER_WEEK * MONTHS_PER_YEAR / DAYS_PER_YEAR)
