"""Power and energy that an option draws, what the energy costs, and the CO2 of it: in all, and per million tokens."""

from dataclasses import dataclass

import numpy as np

from lib.cost.options import Finance
from lib.cost.ranges import Amount, Computed, check_amount
from lib.errors import InputError
from lib.units import HOURS_PER_YEAR, SECONDS_PER_HOUR

Interval = tuple[Amount, Amount]

_TOKENS = 1_000_000
_HIGHEST_KG_PER_KWH = 3.0


@dataclass(frozen=True, slots=True)
class EnergyUse:
    """Energy at the wall of the site, with cooling and losses; None where a fact that the figure needs is missing."""

    average_kw: Computed
    """Power of the servers on average, without cooling and losses."""
    site_kw: Computed
    kwh_per_year: Computed
    co2_kg_per_year: Computed | None
    kwh_per_million_tokens: tuple[Computed, Computed] | None
    co2_kg_per_million_tokens: tuple[Computed, Computed] | None
    co2_kg_per_kwh: Amount | None


def average_power_kw(load_kw: Amount, idle_kw: Amount, utilisation: Amount, working_share: Amount = 1.0) -> Computed:
    """Power that servers draw on average (estimate: power taken as linear in the share of working GPUs).

    P = idle + (load - idle) x utilisation x working_share

    Parameters
    ----------
    load_kw, idle_kw : float or ndarray
        Power of the servers with all GPUs at work, and with none [kW].
    utilisation : float or ndarray
        Share of the hours in which the needed GPUs work [fraction].
    working_share : float or ndarray
        Needed GPUs per installed GPU [fraction]: the others idle all hours.

    Returns
    -------
    float or ndarray
        Average power [kW].

    Examples
    --------
    >>> round(average_power_kw(7.75, 1.9, 0.4), 3)
    4.24
    """
    return idle_kw + (load_kw - idle_kw) * (utilisation * working_share)


def energy_cost_usd(
    power_kw: Amount, hours: Amount, power_usage_effectiveness: Amount, electricity_usd_per_kwh: Amount
) -> Computed:
    """Cost of the energy that servers and their site draw (exact).

    cost = power x hours x PUE x price

    Parameters
    ----------
    power_kw : float or ndarray
        Average power of the servers [kW].
    hours : float or ndarray
        Duration [h].
    power_usage_effectiveness : float or ndarray
        Power of the site per power of the servers [ratio].
    electricity_usd_per_kwh : float or ndarray
        Price [USD per kWh].

    Returns
    -------
    float or ndarray
        Cost [USD].

    Examples
    --------
    Eight H100 at 0.7 kW beside 2 kW of host, as published 1.06 USD an hour.

    >>> round(energy_cost_usd(8 * 0.7 + 2.0, 1, 1.4, 0.10), 3)
    1.064

    References
    ----------
    alpha-one-index, ai-infra-index, specs/buy-vs-rent-decision-framework.md
    """
    return power_kw * hours * power_usage_effectiveness * electricity_usd_per_kwh


def energy_kwh_per_million_tokens(site_kw: Amount, tokens_per_s: Amount) -> Computed:
    """Energy of a million tokens from power and tokens on average (exact).

    E = power / (tokens per second x 3600) x 1e6

    Parameters
    ----------
    site_kw : float or ndarray
        Power at the wall of the site, on average over working and idle hours [kW].
    tokens_per_s : float or ndarray
        Tokens of the whole deployment, on average over the same hours [tokens per second].

    Returns
    -------
    float or ndarray
        Energy [kWh per million tokens].

    Raises
    ------
    InputError
        If the throughput is not above zero.

    Examples
    --------
    >>> energy_kwh_per_million_tokens(3.6, 1000.0)
    1.0
    """
    check_amount("tokens_per_s", tokens_per_s, 0, 1e18, "tokens per second")
    if np.any(np.asarray(tokens_per_s) == 0):
        raise InputError("tokens_per_s", tokens_per_s, "above 0 tokens per second")
    return site_kw / (tokens_per_s * SECONDS_PER_HOUR) * _TOKENS


def co2_kg(energy_kwh: Amount, co2_kg_per_kwh: Amount) -> Computed:
    """CO2 of the electricity drawn (exact, given the intensity of the grid).

    m = energy x intensity

    Parameters
    ----------
    energy_kwh : float or ndarray
        Energy at the wall of the site [kWh].
    co2_kg_per_kwh : float or ndarray
        Intensity of the grid [kg CO2 per kWh].

    Returns
    -------
    float or ndarray
        CO2 [kg]; nothing of the making of the hardware.

    Raises
    ------
    InputError
        If the intensity is negative or above 3 kg per kWh.

    Examples
    --------
    A year of a server at 4.24 kW on the average US grid of 2023:

    >>> round(co2_kg(4.24 * 8760, 0.3662))
    13602

    References
    ----------
    eia-co2-per-kwh
    """
    check_amount("co2_kg_per_kwh", co2_kg_per_kwh, 0, _HIGHEST_KG_PER_KWH, "kg CO2 per kWh")
    return energy_kwh * co2_kg_per_kwh


def energy_use(
    load_kw: Amount,
    idle_kw: Amount,
    working_share: float,
    finance: Finance,
    tokens_per_s: Interval | None = None,
    co2_kg_per_kwh: Amount | None = None,
) -> EnergyUse:
    """Energy and CO2 of servers, in a year and per million tokens.

    Parameters
    ----------
    load_kw, idle_kw : float or ndarray
        Power of all servers with all GPUs at work, and with none [kW].
    working_share : float
        Needed GPUs per installed GPU [fraction].
    finance : Finance
        Utilisation and power usage effectiveness.
    tokens_per_s : tuple of float or ndarray, optional
        Low and high throughput of the needed GPUs together while they work [tokens per second].
    co2_kg_per_kwh : float or ndarray, optional
        Intensity of the grid [kg CO2 per kWh].

    Returns
    -------
    EnergyUse
        Per million tokens as (low, high): the low energy belongs to the high throughput.

    Raises
    ------
    InputError
        If a throughput is not above zero or runs from high to low, or utilisation is zero where tokens are asked for.

    Notes
    -----
    The energy of the idle hours is in that of the tokens. Tokens are of the kind whose throughput is given; where input
    and output come from one run, the energy of both is in either.

    Examples
    --------
    Eight H100 at 40 % of use, 7.75 kW at work and 1.9 kW idle, PUE 1.5, 1,000 to 2,000 output tokens a second:

    >>> used = energy_use(7.75, 1.9, 1.0, Finance(horizon_months=36, utilisation=0.4, power_usage_effectiveness=1.5),
    ...                   (1000.0, 2000.0), 0.3662)
    >>> [round(value, 3) for value in used.kwh_per_million_tokens]
    [2.208, 4.417]
    >>> [round(value, 3) for value in used.co2_kg_per_million_tokens]
    [0.809, 1.617]
    """
    average = average_power_kw(load_kw, idle_kw, finance.utilisation, working_share)
    site = average * finance.power_usage_effectiveness
    per_year = site * HOURS_PER_YEAR
    tokens = None
    if tokens_per_s is not None:
        if np.any(np.asarray(finance.utilisation) == 0):
            raise InputError("utilisation", finance.utilisation, "above 0 to 1 for an energy per token")
        low, high = tokens_per_s
        if np.any(np.asarray(low) > np.asarray(high)):
            raise InputError("tokens_per_s", tokens_per_s, "an interval from low to high")
        least, most = (energy_kwh_per_million_tokens(site, rate * finance.utilisation) for rate in (high, low))
        tokens = least, most
    grid = co2_kg_per_kwh
    return EnergyUse(
        average_kw=average,
        site_kw=site,
        kwh_per_year=per_year,
        co2_kg_per_year=None if grid is None else co2_kg(per_year, grid),
        kwh_per_million_tokens=tokens,
        co2_kg_per_million_tokens=None if tokens is None or grid is None else (co2_kg(least, grid), co2_kg(most, grid)),
        co2_kg_per_kwh=grid,
    )
