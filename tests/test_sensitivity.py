"""Tornados and break-evens agree with what single calculations say, and "never" is an answer."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.drivers import Driver
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import (
    break_even,
    break_even_months,
    break_even_of,
    break_even_periods,
    crossing_month,
    difference_usd,
    tornado,
)
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    hardware_support_fraction=0.05,
    staff_fte_per_server=0.1,
    residual_by_year=(0.5, 0.3, 0.15, 0.1, 0.05),
)
RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
FINANCE = Finance(
    horizon_months=36,
    discount_rate=0.10,
    utilisation=0.4,
    electricity_usd_per_kwh=0.09,
    power_usage_effectiveness=1.5,
    colocation_usd_per_kw_month=196.0,
    staff_usd_per_fte_year=200_000.0,
)


def test_a_difference_is_that_of_the_totals() -> None:
    """First less second, in both measures; the cost itself without a second."""
    own, other = totals(BOUGHT, FINANCE), totals(RENTED, FINANCE)
    assert difference_usd(BOUGHT, RENTED, FINANCE) == own.npv_usd - other.npv_usd
    assert difference_usd(BOUGHT, RENTED, FINANCE, "nominal") == own.nominal_usd - other.nominal_usd
    assert difference_usd(BOUGHT, None, FINANCE) == own.npv_usd


def test_each_bar_is_what_single_calculations_say() -> None:
    """Every end of every bar equals the difference with that one field changed, to 1e-9; the widest bar comes first."""
    drivers = (
        Driver("first", "server_price_usd", 180_000.0, 290_000.0),
        Driver("second", "rent_usd_per_gpu_hour", 1.5, 6.0),
        Driver("finance", "discount_rate", 0.06, 0.15),
        Driver("finance", "utilisation", 0.3, 0.9),
        Driver("both", "licence_usd_per_gpu_year", 0.0, 4_500.0),
        Driver("first", "residual_scale", 0.5, 1.5),
        Driver("finance", "horizon_months", 24, 60),
        Driver("second", "gpus", 4, 16),
    )
    bars = tornado(BOUGHT, RENTED, FINANCE, drivers)
    assert {bar.driver for bar in bars} == set(drivers)
    assert [bar.swing_usd for bar in bars] == sorted((bar.swing_usd for bar in bars), reverse=True)
    for bar in bars:
        for end, found in ((bar.driver.low, bar.at_low_usd), (bar.driver.high, bar.at_high_usd)):
            value = int(end) if bar.driver.field in ("gpus", "horizon_months") else end
            change: dict[str, Any] = {bar.driver.field: value}
            own = replace(BOUGHT, **change) if bar.driver.target in ("first", "both") else BOUGHT
            other = replace(RENTED, **change) if bar.driver.target in ("second", "both") else RENTED
            finance = replace(FINANCE, **change) if bar.driver.target == "finance" else FINANCE
            assert found == pytest.approx(difference_usd(own, other, finance), rel=1e-9), bar.driver
        assert bar.base_usd == pytest.approx(difference_usd(BOUGHT, RENTED, FINANCE), rel=1e-12)


def test_a_bar_says_whether_the_answer_changes() -> None:
    """A rent from 1.5 to 6 USD turns the answer; electricity from 8 to 10 cents does not."""
    rent, power = (
        tornado(BOUGHT, RENTED, FINANCE, [driver])[0]
        for driver in (
            Driver("second", "rent_usd_per_gpu_hour", 1.5, 6.0),
            Driver("finance", "electricity_usd_per_kwh", 0.08, 0.10),
        )
    )
    assert rent.changes_sign
    assert not power.changes_sign


def test_a_driver_that_does_nothing_has_no_width() -> None:
    """The price of a server that is rented moves nothing."""
    assert tornado(RENTED, None, FINANCE, [Driver("first", "server_price_usd", 1e5, 5e5)])[0].swing_usd == 0


@pytest.mark.parametrize("field", ["acquisition", "residual_by_year", "price", "currency_per_usd"])
def test_a_driver_must_be_a_number(field: str) -> None:
    """Words, curves and fields that do not exist are refused by name."""
    with pytest.raises(InputError, match=f"driver is '{field}'"):
        tornado(BOUGHT, RENTED, FINANCE, [Driver("first", field, 0.0, 1.0)])


@given(price=st.floats(50_000, 600_000), rate=st.floats(0, 0.3), utilisation=st.floats(0, 1))
def test_at_the_break_even_both_cost_the_same(price: float, rate: float, utilisation: float) -> None:
    """Put back into the options, the break-even rent makes the difference vanish: to a millionth of the cost."""
    own = replace(BOUGHT, server_price_usd=price)
    finance = replace(FINANCE, discount_rate=rate, utilisation=utilisation)
    rent = break_even_of(own, RENTED, finance, Driver("second", "rent_usd_per_gpu_hour", 0.0, 50.0))
    assert rent is not None
    at = replace(RENTED, rent_usd_per_gpu_hour=rent)
    assert difference_usd(own, at, finance) == pytest.approx(0, abs=1e-6 * totals(at, finance).npv_usd)


def test_the_break_even_of_a_linear_driver_is_its_closed_form() -> None:
    """Net present cost is linear in the server's price: the root of the line through two points, to 1e-9."""
    at_zero, at_one = (difference_usd(replace(BOUGHT, server_price_usd=price), RENTED, FINANCE) for price in (0.0, 1.0))
    found = break_even_of(BOUGHT, RENTED, FINANCE, Driver("first", "server_price_usd", 0.0, 1e6))
    assert found == pytest.approx(float(at_zero / (at_zero - at_one)), rel=1e-7)


def test_rent_by_use_breaks_even_in_utilisation() -> None:
    """Against rent by the used hour there is a utilisation from which buying pays: the sign differs on its sides."""
    by_use = replace(RENTED, billing="used-hours", rent_usd_per_gpu_hour=4.0)
    share = break_even_of(BOUGHT, by_use, FINANCE, Driver("finance", "utilisation", 0.01, 1.0))
    assert share is not None
    below, above = (
        difference_usd(BOUGHT, by_use, replace(FINANCE, utilisation=share + step)) for step in (-0.01, 0.01)
    )
    assert below > 0 > above


def test_never_is_an_answer() -> None:
    """No price of electricity up to 1 USD makes the rental dearer by itself; no range without a crossing gives one."""
    dear = replace(BOUGHT, server_price_usd=900_000.0)
    assert break_even_of(dear, RENTED, FINANCE, Driver("finance", "electricity_usd_per_kwh", 0.0, 1.0)) is None
    assert break_even(lambda values: values * 0 + 1, 0.0, 1.0) is None
    assert break_even(lambda values: values * 0, 0.0, 1.0) is None


@given(root=st.floats(-50, 50), slope=st.floats(0.01, 100))
def test_a_root_is_found_where_it_is(root: float, slope: float) -> None:
    """A line's root comes back to 1e-9, rising or falling."""

    def rising(values: Any) -> Any:
        return slope * (values - root)

    def falling(values: Any) -> Any:
        return -rising(values)

    assert break_even(rising, -100.0, 100.0) == pytest.approx(root, abs=1e-9)
    assert break_even(falling, -100.0, 100.0) == pytest.approx(root, abs=1e-9)


def test_of_several_crossings_the_nearest_is_given() -> None:
    """The sine has roots at multiples of pi: the lowest by default, the nearest to a value on request, to 1e-9."""
    assert break_even(np.sin, 1.0, 10.0) == pytest.approx(np.pi, abs=1e-9)
    assert break_even(np.sin, 1.0, 10.0, near=6.0) == pytest.approx(2 * np.pi, abs=1e-9)
    assert break_even(np.sin, 1.0, 10.0, near=9.9) == pytest.approx(3 * np.pi, abs=1e-9)


def test_a_jump_over_zero_is_a_crossing() -> None:
    """Where the difference jumps from one sign to the other, the place of the jump is given, to 1e-9."""
    assert break_even(lambda x: np.where(x < 2.5, -1.0, 1.0), 0.0, 10.0) == pytest.approx(2.5, abs=1e-9)


def test_an_empty_range_and_a_count_are_refused() -> None:
    """The range must rise; a count has no fractions to search."""
    with pytest.raises(InputError, match="range"):
        break_even(np.sin, 1.0, 1.0)
    with pytest.raises(InputError, match="horizon_months"):
        break_even_of(BOUGHT, RENTED, FINANCE, Driver("finance", "horizon_months", 12, 60))


def test_owning_pays_after_the_first_horizon_at_which_it_costs_no_more() -> None:
    """The month given costs no more than renting, the one before costs more; never, where renting stays cheaper."""
    dear = replace(RENTED, rent_usd_per_gpu_hour=4.0)
    months = break_even_months(BOUGHT, dear, FINANCE, range(1, 61))
    assert months is not None
    assert difference_usd(BOUGHT, dear, replace(FINANCE, horizon_months=months)) <= 0
    assert difference_usd(BOUGHT, dear, replace(FINANCE, horizon_months=months - 1)) > 0
    cheap = replace(RENTED, rent_usd_per_gpu_hour=0.5)
    assert break_even_months(BOUGHT, cheap, FINANCE, range(1, 61)) is None


def test_horizons_shorter_than_a_commitment_are_passed_over() -> None:
    """Against a three-year commitment the first horizon tried is 36 months."""
    committed = replace(RENTED, acquisition="commit-3y", rent_usd_per_gpu_hour=10.0)
    assert break_even_months(BOUGHT, committed, FINANCE, range(1, 61)) == 36


@pytest.mark.parametrize("amounts", [(-1.0, 1.0, 2.0), (1.0, float("nan"), 2.0), (1.0, 1.0, float("inf"))])
def test_amounts_without_meaning_are_refused(amounts: tuple[float, float, float]) -> None:
    """Negative, not a number, infinite."""
    with pytest.raises(InputError, match="allowed: 0 or more USD"):
        break_even_periods(*amounts)


def test_cumulative_costs_cross_once_the_dearer_start_has_paid() -> None:
    """The crossing month is where the cumulative cost of buying falls to that of renting; None if it never does."""
    dear = replace(RENTED, rent_usd_per_gpu_hour=4.0)
    own, other = (monthly_flows(replace(option, residual_by_year=()), FINANCE).cumulative for option in (BOUGHT, dear))
    month = crossing_month(own, other)
    assert month is not None
    assert own[month] <= other[month]
    assert own[month - 1] > other[month - 1]
    assert crossing_month(other[:1], own[:1]) is None
    assert crossing_month(own[:2], other[:2]) is None
