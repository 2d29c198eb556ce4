"""Cost per unit of what is had: a GPU-hour, a GB of memory for a year, a million tokens.

Two bases. Nominal: dollars paid per unit. Levelised: value of the cost at month 0 per value of the units at month 0,
with the same discount rate; it is the constant price per unit that pays for everything, so that the levelised cost of
a constant rent is that rent.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lib.cost.cash_flow import Totals, totals
from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount, Computed, check_amount
from lib.cost.time_value import annuity_factor
from lib.errors import InputError
from lib.units import GB, GIB, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR

Basis = Literal["levelised", "nominal"]
Interval = tuple[Amount, Amount]
CostInterval = tuple[Computed, Computed]

_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class UnitCost:
    """What one unit costs with an option; None where a fact that the figure needs is not stated."""

    basis: Basis
    cost_usd: Computed
    held_gpu_hours: Computed
    delivered_gpu_hours: Computed
    gpu_hour_usd: Computed
    delivered_gpu_hour_usd: Computed | None
    gb_year_usd: Computed | None
    million_input_tokens_usd: CostInterval | None
    million_output_tokens_usd: CostInterval | None


def cost_per_gpu_hour_usd(cost_usd: Amount, gpu_hours: Amount) -> Computed:
    """Cost of one GPU-hour (exact).

    c = cost / GPU-hours

    Parameters
    ----------
    cost_usd : float or ndarray
        Cost of all hours [USD].
    gpu_hours : float or ndarray
        Hours, held or delivered [GPU h].

    Returns
    -------
    float or ndarray
        Cost [USD per GPU-hour].

    Raises
    ------
    InputError
        If there are no GPU-hours.

    Examples
    --------
    >>> cost_per_gpu_hour_usd(861283.2, 8 * 8760)
    12.29
    """
    _check_positive("gpu_hours", gpu_hours, "GPU-hours")
    return cost_usd / gpu_hours


def cost_per_gb_year_usd(cost_usd: Amount, memory_gb: Amount, years: Amount) -> Computed:
    """Cost of one GB (1e9 bytes) of memory for one year (exact).

    c = cost / (memory x years)

    Parameters
    ----------
    cost_usd : float or ndarray
        Cost over the years [USD].
    memory_gb : float or ndarray
        Memory of all GPUs [GB, 1e9 bytes].
    years : float or ndarray
        Duration [years].

    Returns
    -------
    float or ndarray
        Cost [USD per GB-year].

    Raises
    ------
    InputError
        If memory or years are not above zero.

    Examples
    --------
    Three years of eight MI300X at 764,928 USD, published as 498 USD per GB.

    >>> 3 * cost_per_gb_year_usd(764_928, 8 * 192, 3)
    498.0

    References
    ----------
    https://www.cliffcenter.com/research/amd-inference-economics
    """
    _check_positive("memory_gb", memory_gb, "GB")
    _check_positive("years", years, "years")
    return cost_usd / (memory_gb * years)


def cost_per_million_tokens_usd(cost_usd_per_hour: Amount, tokens_per_s: Amount) -> Computed:
    """Cost of a million tokens from the cost of an hour in which they are made (exact).

    c = cost per hour / (tokens per second x 3600) x 1e6

    Parameters
    ----------
    cost_usd_per_hour : float or ndarray
        Cost of one hour of work of the whole deployment [USD per hour].
    tokens_per_s : float or ndarray
        Throughput of the whole deployment [tokens per second].

    Returns
    -------
    float or ndarray
        Cost [USD per million tokens].

    Raises
    ------
    InputError
        If the throughput is not above zero.

    Examples
    --------
    500,000 tokens an hour at 2 USD an hour cost 4 USD a million (article A2).

    >>> round(cost_per_million_tokens_usd(2.0, 500_000 / 3600), 9)
    4.0
    """
    _check_positive("tokens_per_s", tokens_per_s, "tokens per second")
    return cost_usd_per_hour / (tokens_per_s * SECONDS_PER_HOUR) * _TOKENS


def unit_cost(
    option: Option,
    finance: Finance,
    summed: Totals | None = None,
    memory_gib: float | None = None,
    input_tokens_per_s: Interval | None = None,
    output_tokens_per_s: Interval | None = None,
    basis: Basis = "levelised",
) -> UnitCost:
    """Cost of an option per GPU-hour, per GB-year and per million tokens.

    Parameters
    ----------
    option : Option
        What is bought or rented.
    finance : Finance
        Horizon, discount rate, utilisation.
    summed : Totals, optional
        The option's totals where they are at hand.
    memory_gib : float, optional
        Memory of one GPU as its runtime or driver reports it [GiB].
    input_tokens_per_s, output_tokens_per_s : tuple of float or ndarray, optional
        Low and high throughput of the needed GPUs together while they work [tokens per second].
    basis : {"levelised", "nominal"}
        Discounted or paid dollars.

    Returns
    -------
    UnitCost
        Token costs as (low, high): the low cost belongs to the high throughput.

    Raises
    ------
    InputError
        If a throughput interval is not above zero or runs from high to low, or utilisation is zero where tokens are
        asked for.

    Notes
    -----
    Tokens are made only in the hours of utilisation; the idle hours are in their cost. Where both throughputs come
    from one mixed run, each figure carries the whole bill: they are two views and are not to be added.

    Examples
    --------
    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=3.49)
    >>> cost = unit_cost(rented, Finance(horizon_months=36, discount_rate=0.1, utilisation=0.5))
    >>> round(cost.gpu_hour_usd, 6), round(cost.delivered_gpu_hour_usd, 6)
    (3.49, 6.98)
    """
    if basis not in ("levelised", "nominal"):
        raise InputError("basis", basis, "levelised or nominal")
    summed = summed or totals(option, finance)
    levelised = basis == "levelised"
    cost = summed.npv_usd if levelised else summed.nominal_usd
    hours = HOURS_PER_MONTH * annuity_factor(finance.discount_rate if levelised else 0.0, finance.horizon_months)
    billed = finance.utilisation if option.billing == "used-hours" else 1.0
    held = option.held_gpus * hours * billed
    delivered = option.gpus * hours * finance.utilisation
    works = bool(np.all(delivered > 0))
    memory_gb = None if memory_gib is None else option.held_gpus * memory_gib * GIB / GB
    if not works and (input_tokens_per_s or output_tokens_per_s):
        raise InputError("utilisation", finance.utilisation, "above 0 to 1 for a cost per token")
    per_hour = cost / (hours * finance.utilisation) if works else None
    return UnitCost(
        basis=basis,
        cost_usd=cost,
        held_gpu_hours=held,
        delivered_gpu_hours=delivered,
        gpu_hour_usd=cost_per_gpu_hour_usd(cost, held),
        delivered_gpu_hour_usd=cost / delivered if works else None,
        gb_year_usd=None if memory_gb is None else cost_per_gb_year_usd(cost, memory_gb, hours / HOURS_PER_YEAR),
        million_input_tokens_usd=_token_interval("input_tokens_per_s", per_hour, input_tokens_per_s),
        million_output_tokens_usd=_token_interval("output_tokens_per_s", per_hour, output_tokens_per_s),
    )


def _token_interval(field: str, cost_usd_per_hour: Amount | None, throughput: Interval | None) -> CostInterval | None:
    if throughput is None or cost_usd_per_hour is None:
        return None
    low, high = throughput
    _check_positive(field, low, "tokens per second")
    _check_positive(field, high, "tokens per second")
    if np.any(np.asarray(low) > np.asarray(high)):
        raise InputError(field, throughput, "an interval from low to high")
    return cost_per_million_tokens_usd(cost_usd_per_hour, high), cost_per_million_tokens_usd(cost_usd_per_hour, low)


def _check_positive(field: str, value: Amount, unit: str) -> None:
    check_amount(field, value, 0, 1e18, unit)
    if np.any(np.asarray(value) == 0):
        raise InputError(field, value, f"above 0 {unit}")
