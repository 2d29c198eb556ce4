"""Which cap an option breaks, when and by how much: a budget in all, budgets by year, and units that can be had.

The whole budget is held against the value at month 0, less the part that is kept in reserve; a year's budget against
the dollars paid in that year, the sale of hardware left out: what it may bring at the end pays no bill before. Year 1
holds the day of the decision and the months 1 to 12.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.cost.cash_flow import Flows
from lib.cost.ranges import check_amount, check_count
from lib.errors import InputError
from lib.units import MONTHS_PER_YEAR

CapName = Literal["total", "year", "gpus"]

MOST_YEARS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits of a buyer; None is no limit.

    Attributes
    ----------
    total_usd : float or None
        Most that may be spent in all, as value at month 0 [USD].
    contingency_fraction : float
        Part of that which is kept in reserve [fraction].
    by_year : tuple of float or None
        Most that may be paid in years 1, 2, ... [USD]; years beyond the last have no limit.
    gpus : int or None
        Most GPUs that can be had.
    """

    total_usd: float | None = None
    contingency_fraction: float = 0.0
    by_year: tuple[float | None, ...] = ()
    gpus: int | None = None

    def __post_init__(self) -> None:
        if self.total_usd is not None:
            check_amount("total_usd", self.total_usd, 0, 1e15, "USD")
        check_amount("contingency_fraction", self.contingency_fraction, 0, 1, "of the budget")
        if len(self.by_year) > MOST_YEARS:
            raise InputError("by_year", len(self.by_year), f"up to {MOST_YEARS} years")
        for year, amount in enumerate(self.by_year, start=1):
            if amount is not None:
                check_amount(f"by_year[{year}]", amount, 0, 1e15, "USD")
        if self.gpus is not None:
            check_count("gpus", self.gpus, 0, 1_000_000_000, "GPUs")

    @property
    def spendable_usd(self) -> float | None:
        """What the budget in all leaves after its reserve [USD]."""
        return None if self.total_usd is None else spendable_usd(self.total_usd, self.contingency_fraction)


@dataclass(frozen=True, slots=True)
class Breach:
    """A cap that an option breaks: when for the first time, the value that it reaches, and the limit."""

    cap: CapName
    year: int | None
    month: int | None
    value: float
    limit: float

    @property
    def over(self) -> float:
        """By how much, in the unit of the cap."""
        return self.value - self.limit


def spendable_usd(budget_usd: float, contingency_fraction: float) -> float:
    """What a budget leaves to be spent (exact).

    spendable = budget x (1 - contingency)

    Parameters
    ----------
    budget_usd : float
        The budget [USD].
    contingency_fraction : float
        Part kept in reserve [fraction].

    Returns
    -------
    float
        Amount [USD].

    Examples
    --------
    >>> spendable_usd(1_000_000.0, 0.25)
    750000.0
    """
    return budget_usd * (1 - contingency_fraction)


def paid_by_year(flows: Flows) -> NDArray[np.float64]:
    """Dollars paid in each year, the sale of hardware left out.

    Parameters
    ----------
    flows : Flows
        Of one option, without draws.

    Returns
    -------
    ndarray
        Years 1, 2, ... [USD]; year 1 holds month 0 and the months 1 to 12.

    Examples
    --------
    >>> from lib.cost.cash_flow import monthly_flows
    >>> from lib.cost.options import Finance, Option
    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=1.0)
    >>> paid_by_year(monthly_flows(rented, Finance(horizon_months=18))).tolist()
    [8760.0, 4380.0]
    """
    return np.add.reduceat(_paid(flows), [0, *range(MONTHS_PER_YEAR + 1, _paid(flows).size, MONTHS_PER_YEAR)])


def breaches(flows: Flows, caps: Caps) -> tuple[Breach, ...]:
    """The caps that an option breaks: the whole budget first, then the years, then the units.

    Parameters
    ----------
    flows : Flows
        Of one option, without draws.
    caps : Caps
        The limits.

    Returns
    -------
    tuple of Breach
        Empty where all are kept. The month is the first at whose end what was spent by then lies above the limit.

    Notes
    -----
    The whole budget is broken where the value at the end lies above it: an option that goes beyond and sells again
    keeps it. Hold the years against what may be paid meanwhile.
    """
    found = []
    limit = caps.spendable_usd
    total = float(flows.npv_usd)
    if limit is not None and total > limit:
        month = _first_above(flows.cumulative_discounted, limit)
        found.append(Breach("total", _year(month), month, total, limit))
    paid = _paid(flows)
    for year, (cap, value) in enumerate(zip(caps.by_year, paid_by_year(flows).tolist(), strict=False), start=1):
        if cap is not None and value > cap:
            start = MONTHS_PER_YEAR * (year - 1) + 1 if year > 1 else 0
            month = start + _first_above(paid[start:].cumsum(), cap)
            found.append(Breach("year", year, month, value, cap))
    held = flows.option.held_gpus
    if caps.gpus is not None and held > caps.gpus:
        month = flows.option.order_month
        found.append(Breach("gpus", _year(month), month, held, caps.gpus))
    return tuple(found)


def _paid(flows: Flows) -> NDArray[np.float64]:
    return np.asarray(flows.total - flows.components["resale"])


def _first_above(running: NDArray[np.float64], limit: float) -> int:
    return int((running > limit).argmax())


def _year(month: int) -> int:
    """The budget year of a month."""
    return max(month - 1, 0) // MONTHS_PER_YEAR + 1
