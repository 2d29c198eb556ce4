"""Cost per unit of what is had: a GPU-hour, a GB of memory for a year, a million tokens, a user, a training run.

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
from lib.cost.timing import served_hours
from lib.errors import InputError
from lib.units import GB, GIB, HOURS_PER_YEAR, SECONDS_PER_HOUR

Basis = Literal["levelised", "nominal"]
Interval = tuple[Amount, Amount]
CostInterval = tuple[Computed, Computed]

_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenSplit:
    """One bill shared out between input and output tokens of one run: the two are parts and add up to it."""

    output_weight: Amount
    million_input_tokens_usd: CostInterval
    million_output_tokens_usd: CostInterval


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
    split: TokenSplit | None = None
    user_year_usd: Computed | None = None
    training_run_usd: Computed | None = None


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


def split_cost_per_million_tokens_usd(
    cost_usd_per_hour: Amount, input_tokens_per_s: Amount, output_tokens_per_s: Amount, output_weight: Amount
) -> tuple[Computed, Computed]:
    """Cost of a million input and of a million output tokens that one run makes together (exact, given the weight).

    input = cost per hour / ((I + w O) x 3600) x 1e6, output = w x input

    Parameters
    ----------
    cost_usd_per_hour : float or ndarray
        Cost of one hour of work of the whole deployment [USD per hour].
    input_tokens_per_s, output_tokens_per_s : float or ndarray
        Throughputs I and O of the same run [tokens per second].
    output_weight : float or ndarray
        Input tokens that one output token counts for, w.

    Returns
    -------
    tuple of float or ndarray
        Cost of input and of output [USD per million tokens]; what both cost in an hour is the bill of that hour.

    Raises
    ------
    InputError
        If a throughput or the weight is not above zero.

    Notes
    -----
    A joint cost has no division of its own: the weight is a convention. `tok-output-weight` has what sellers charge. A
    weight of 1 counts tokens; I / O of a machine that only reads over one that only writes counts its time.

    Examples
    --------
    >>> split_cost_per_million_tokens_usd(3.6, 600.0, 100.0, 4.0)
    (1.0, 4.0)
    """
    _check_positive("input_tokens_per_s", input_tokens_per_s, "tokens per second")
    _check_positive("output_tokens_per_s", output_tokens_per_s, "tokens per second")
    _check_positive("output_weight", output_weight, "input tokens per output token")
    of_input = cost_per_million_tokens_usd(cost_usd_per_hour, input_tokens_per_s + output_weight * output_tokens_per_s)
    return of_input, output_weight * of_input


def users_served(sequences: float, users_per_sequence: float) -> float:
    """Users that concurrent sequences serve (exact, given how seldom a user is active).

    users = sequences x users per sequence

    Parameters
    ----------
    sequences : float
        Sequences that run at once.
    users_per_sequence : float
        Users who share one of them, for nobody writes all the time: for example 1 / share of the time in use.

    Returns
    -------
    float
        Number of users.

    Raises
    ------
    InputError
        If either is not above zero.

    Examples
    --------
    >>> users_served(64, 10.0)
    640.0
    """
    _check_positive("sequences", sequences, "sequences")
    _check_positive("users_per_sequence", users_per_sequence, "users per sequence")
    return sequences * users_per_sequence


def cost_per_user_year_usd(cost_usd: Amount, users: Amount, years: Amount) -> Computed:
    """Cost of serving one user for one year (exact).

    c = cost / (users x years)

    Parameters
    ----------
    cost_usd : float or ndarray
        Cost over the years [USD].
    users : float or ndarray
        Users served.
    years : float or ndarray
        Duration [years].

    Returns
    -------
    float or ndarray
        Cost [USD per user and year].

    Raises
    ------
    InputError
        If users or years are not above zero.

    Examples
    --------
    >>> cost_per_user_year_usd(300_000.0, 1000, 3)
    100.0
    """
    _check_positive("users", users, "users")
    _check_positive("years", years, "years")
    return cost_usd / (users * years)


def cost_per_training_run_usd(delivered_gpu_hour_usd: Amount, gpu_hours: Amount) -> Computed:
    """Cost of a training run (exact).

    c = cost of a delivered GPU-hour x GPU-hours

    Parameters
    ----------
    delivered_gpu_hour_usd : float or ndarray
        Cost of an hour in which a GPU works [USD per GPU-hour].
    gpu_hours : float or ndarray
        Hours that the run takes, of all its GPUs together [GPU h].

    Returns
    -------
    float or ndarray
        Cost [USD].

    Raises
    ------
    InputError
        If there are no GPU-hours.

    Examples
    --------
    The pre-training of DeepSeek-V3 in 2.788 million H800 hours at 2 USD, published as 5.576 million USD:

    >>> cost_per_training_run_usd(2.0, 2_788_000)
    5576000.0

    References
    ----------
    DeepSeek-V3 Technical Report (arXiv 2412.19437), table 1
    """
    _check_positive("gpu_hours", gpu_hours, "GPU-hours")
    return delivered_gpu_hour_usd * gpu_hours


def unit_cost(
    option: Option,
    finance: Finance,
    summed: Totals | None = None,
    memory_gib: float | None = None,
    input_tokens_per_s: Interval | None = None,
    output_tokens_per_s: Interval | None = None,
    basis: Basis = "levelised",
    output_weight: Amount | None = None,
    users: float | None = None,
    training_gpu_hours: float | None = None,
) -> UnitCost:
    """Cost of an option per GPU-hour, per GB-year, per million tokens, per user and per training run.

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
    output_weight : float or ndarray, optional
        Input tokens that one output token counts for. With it and both throughputs of one run the bill is shared out.
    users : float, optional
        Users that the needed GPUs serve.
    training_gpu_hours : float, optional
        Working hours of a training run, of all its GPUs together [GPU h].

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
    from one mixed run, each figure carries the whole bill: they are two views and are not to be added. `split` has the
    parts that add up. The cost of a user is that of having the deployment, however much it works.

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
    hours = served_hours(option, finance, finance.discount_rate if levelised else 0.0)
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
        split=_split(per_hour, input_tokens_per_s, output_tokens_per_s, output_weight),
        user_year_usd=None if users is None else cost_per_user_year_usd(cost, users, hours / HOURS_PER_YEAR),
        training_run_usd=(
            None
            if training_gpu_hours is None or not works
            else cost_per_training_run_usd(cost / delivered, training_gpu_hours)
        ),
    )


def _split(
    cost_usd_per_hour: Amount | None, reading: Interval | None, writing: Interval | None, weight: Amount | None
) -> TokenSplit | None:
    """The bill shared out at both ends of the throughputs, which rise and fall together in one run."""
    if cost_usd_per_hour is None or reading is None or writing is None or weight is None:
        return None
    dear, cheap = (
        split_cost_per_million_tokens_usd(cost_usd_per_hour, reading[end], writing[end], weight) for end in (0, 1)
    )
    return TokenSplit(weight, (cheap[0], dear[0]), (cheap[1], dear[1]))


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
