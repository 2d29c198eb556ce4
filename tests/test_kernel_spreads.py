"""Bars, differences and break-evens of options so plain that each answer is a division by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lib.cost.crossings import crossings_of
from lib.cost.drivers import Driver
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
from tests.plain_options import ANNUITY, BOUGHT, DISCOUNTED, RENTED, YEAR, zero_at


def test_each_bar_is_the_difference_at_both_ends() -> None:
    """One driver of each target, of amounts and of counts, the widest first: by hand, to 1e-12."""
    fleet = replace(RENTED, gpus=2, migration_usd=100.0)
    drivers = [
        Driver("first", "migration_usd", 0.0, 200.0),
        Driver("first", "gpus", 1, 3),
        Driver("second", "rent_usd_per_gpu_hour", 0.5, 2.0),
        Driver("both", "rent_usd_per_gpu_hour", 0.5, 2.5),
        Driver("first", "rent_usd_per_gpu_hour", 0.9, 1.1),
        Driver("finance", "horizon_months", 6, 24),
    ]
    bars = tornado(fleet, RENTED, YEAR, drivers)
    ends = {(str(bar.driver.target), bar.driver.field): (bar.at_low_usd, bar.at_high_usd) for bar in bars}
    rent = 8760.0
    assert [bar.base_usd for bar in bars] == pytest.approx([rent + 100] * 6, rel=1e-12)
    for (target, field), expected in {
        ("first", "migration_usd"): (rent, rent + 200),
        ("first", "gpus"): (100, 2 * rent + 100),
        ("second", "rent_usd_per_gpu_hour"): (1.5 * rent + 100, 100),
        ("both", "rent_usd_per_gpu_hour"): (0.5 * rent + 100, 2.5 * rent + 100),
        ("first", "rent_usd_per_gpu_hour"): (0.8 * rent + 100, 1.2 * rent + 100),
        ("finance", "horizon_months"): (0.5 * rent + 100, 2 * rent + 100),
    }.items():
        assert ends[target, field] == pytest.approx(expected, rel=1e-12, abs=1e-9), field
    swings = [bar.swing_usd for bar in bars]
    assert swings == sorted(swings, reverse=True)
    assert [bar.driver for bar in tornado(fleet, RENTED, YEAR, drivers[:1])] == drivers[:1]
    assert tornado(fleet, RENTED, YEAR, drivers[1:2])[0].at_high_usd == pytest.approx(2 * rent + 100, rel=1e-12)


def test_a_tornado_of_one_option_is_its_own_cost() -> None:
    """The rent, the rate of discount, and fields of an option that is not there, as paid and as worth: by hand."""
    drivers = [
        Driver("first", "rent_usd_per_gpu_hour", 0.5, 2.0),
        Driver("finance", "discount_rate", 0.0, 0.2),
        Driver("both", "rent_usd_per_gpu_hour", 0.5, 1.0),
        Driver("second", "rent_usd_per_gpu_hour", 0.0, 9.0),
    ]
    by_driver = {bar.driver: bar for bar in tornado(RENTED, None, DISCOUNTED, drivers)}
    month = 730.0
    for driver, base, low, high in (
        (drivers[0], ANNUITY, 0.5 * ANNUITY, 2 * ANNUITY),
        (drivers[1], ANNUITY, 12, ANNUITY),
        (drivers[2], ANNUITY, 0.5 * ANNUITY, ANNUITY),
        (drivers[3], ANNUITY, ANNUITY, ANNUITY),
    ):
        bar = by_driver[driver]
        found = (bar.base_usd, bar.at_low_usd, bar.at_high_usd)
        assert found == pytest.approx((base * month, low * month, high * month), rel=1e-12)
    nominal = {bar.driver: bar for bar in tornado(RENTED, None, DISCOUNTED, drivers, "nominal")}
    assert nominal[drivers[1]].base_usd == pytest.approx(8760.0, rel=1e-12)
    assert nominal[drivers[1]].swing_usd == 0.0
    counted = tornado(RENTED, None, DISCOUNTED, [Driver("first", "gpus", 1, 2)], "nominal")
    assert counted[0].at_high_usd == pytest.approx(17_520.0, rel=1e-12)
    assert tornado(RENTED, None, YEAR, []) == ()
    unstated = tornado(BOUGHT, RENTED, YEAR, [drivers[2], Driver("first", "migration_usd", 0.0, 10.0)])
    assert [bar.at_low_usd for bar in unstated] == pytest.approx([7300 - 4380, 7300 - 8760], rel=1e-12)
    assert [bar.at_high_usd for bar in unstated] == pytest.approx([7300 - 8760, 7310 - 8760], rel=1e-12)
    with pytest.raises(InputError, match=r"^driver is 'billing'; allowed: a number of Option: "):
        tornado(RENTED, None, YEAR, [Driver("first", "billing", 0.0, 1.0)])
    with pytest.raises(InputError, match=r"^driver is 'wage'; allowed: a number of Option: "):
        tornado(RENTED, None, YEAR, [Driver("second", "wage", 0.0, 1.0)])


def test_a_difference_has_a_measure_and_may_stand_alone() -> None:
    """Rent less price, or the rent itself, as paid and as worth: by hand, to 1e-12."""
    assert difference_usd(RENTED, BOUGHT, DISCOUNTED, "nominal") == pytest.approx(1460.0, rel=1e-12)
    assert difference_usd(RENTED, BOUGHT, DISCOUNTED) == pytest.approx(730 * ANNUITY - 7300, rel=1e-12)
    assert difference_usd(RENTED, None, DISCOUNTED, "nominal") == pytest.approx(8760.0, rel=1e-12)
    assert difference_usd(RENTED, None, DISCOUNTED) == pytest.approx(730 * ANNUITY, rel=1e-12)


def test_a_break_even_is_found_where_it_is() -> None:
    """Roots at 1, 2.7 and 4.1: the lowest, or the nearest to a value; on a point, at an end, at a jump, nowhere."""

    def cubic(x: np.ndarray) -> np.ndarray:
        return (x - 1) * (x - 2.7) * (x - 4.1)

    assert break_even(cubic, 0.3, 5.0) == pytest.approx(1.0, abs=1e-11)
    for near, expected in ((0.3, 1.0), (1.9, 2.7), (2.0, 2.7), (3.3, 2.7), (3.5, 4.1), (9.0, 4.1), (2.7, 2.7)):
        assert break_even(cubic, 0.3, 5.0, near) == pytest.approx(expected, abs=1e-11), near
    assert break_even(lambda x: x - 2.0, 0.0, 4.0) == 2.0
    assert break_even(lambda x: x, 0.0, 4.0) == 0.0
    assert break_even(lambda x: x - 4.0, 0.0, 4.0) == 4.0
    assert break_even(lambda x: np.where(x < 0.7, -1, 1), 0.0, 4.0) == pytest.approx(0.7, abs=1e-12)
    assert break_even(lambda x: np.where(x < 0.7, -1, 1), 0.0, 0.7) == 0.7
    assert break_even(lambda _: 1.0, 0.0, 4.0) is None
    assert break_even(lambda x: x + 1, 0.0, 4.0) is None
    for point in np.linspace(0.0, 0.64, 65).tolist():
        assert break_even(zero_at(point), 0.0, 0.64) == point
    for near, expected in ((15.4, 10.5), (15.6, 20.5)):
        assert break_even(lambda x: (x - 10.5) * (x - 20.5), 0.0, 64.0, near) == pytest.approx(expected, abs=1e-11)
    looks = iter([lambda x: x - 19.2, lambda x: x + 1.0])
    assert break_even(lambda x: next(looks)(x), 0.0, 64.0) == 19.5  # a change that a closer look does not find again
    asked: list[int] = []

    def counted(x: np.ndarray) -> np.ndarray:
        asked.append(len(x))
        return x - 1 / 3

    assert break_even(counted, 0.0, 1.0) == pytest.approx(1 / 3, abs=1e-15)
    assert asked == [65] * len(asked)
    assert len(asked) <= 9


def test_a_driver_breaks_even_where_a_division_says() -> None:
    """A rent against a price as paid and as worth; the nearest of two: by hand, to 1e-12."""
    driver = Driver("first", "rent_usd_per_gpu_hour", 0.0, 2.0)
    assert break_even_of(RENTED, BOUGHT, DISCOUNTED, driver, "nominal") == pytest.approx(10 / 12, rel=1e-12)
    assert break_even_of(RENTED, BOUGHT, DISCOUNTED, driver) == pytest.approx(10 / ANNUITY, rel=1e-12)
    assert break_even_of(RENTED, BOUGHT, YEAR, replace(driver, high=0.5)) is None
    level = Driver("both", "migration_usd", 0.0, 2.0)
    assert break_even_of(RENTED, RENTED, YEAR, level) is None


def test_the_nearest_break_even_of_a_driver_is_given() -> None:
    """A price in the middle of a year of rents is worth as much at two rates: the roots of a polynomial, to 1e-9.

    sum of x^m for m = 1 to 12 is 11.88 x^6, with x = (1 + rate)^(-1/12)
    """
    late = replace(BOUGHT, order_month=6, server_price_usd=11.88 * 730)
    roots = np.roots([1.0] * 6 + [1.0 - 11.88] + [1.0] * 5)
    rates = sorted(float(root.real) ** -12 - 1 for root in roots if abs(root.imag) < 1e-12 and root.real > 0)
    rate = Driver("finance", "discount_rate", -0.5, 1.0)
    assert len(rates) == 2
    assert [one.at for one in crossings_of(RENTED, late, YEAR, rate).found] == pytest.approx(rates, rel=1e-9)
    for near, expected in ((None, rates[0]), (0.0, rates[0]), (1.0, rates[1])):
        assert break_even_of(RENTED, late, YEAR, rate, near=near) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("field", ["upfront_usd", "owned_usd_per_period", "rented_usd_per_period"])
def test_an_amount_below_nothing_breaks_no_even(field: str) -> None:
    """Named with its value; a saving pays an outlay back, no saving never does."""
    good: dict[str, Any] = {"upfront_usd": 100.0, "owned_usd_per_period": 1.0, "rented_usd_per_period": 3.0}
    with pytest.raises(InputError) as caught:
        break_even_periods(**{**good, field: -1.0})
    assert str(caught.value) == f"{field} is -1.0; allowed: 0 or more USD"
    assert break_even_periods(**good) == 50.0
    assert break_even_periods(**{**good, "owned_usd_per_period": 3.0}) is None


def test_the_first_horizon_that_pays_is_no_shorter_than_a_term() -> None:
    """Ten months of rent, eleven where they are worth less; a commitment is not asked before its end: by hand."""
    assert break_even_months(BOUGHT, RENTED, YEAR, range(1, 25)) == 10
    assert break_even_months(BOUGHT, RENTED, DISCOUNTED, range(1, 25)) == 11
    assert break_even_months(BOUGHT, RENTED, DISCOUNTED, range(1, 25), "nominal") == 10
    assert break_even_months(BOUGHT, RENTED, YEAR, range(1, 10)) is None
    assert break_even_months(RENTED, RENTED, YEAR, range(1, 4)) == 1
    committed = replace(RENTED, acquisition="commit-1y", rent_usd_per_gpu_hour=0.5)
    assert break_even_months(committed, RENTED, YEAR, range(1, 25)) == 12
    assert break_even_months(committed, RENTED, YEAR, (11, 12)) == 12
    assert break_even_months(BOUGHT, replace(committed, rent_usd_per_gpu_hour=9.0), YEAR, range(1, 25)) == 12
    long = replace(committed, acquisition="commit-3y")
    assert break_even_months(long, committed, YEAR, range(1, 40)) == 36


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([10, 11, 12], [0, 6, 12], 2),
        ([10, 11, 12], [0, 6, 11], None),
        ([0, 5, 5, 5], [1, 2, 5, 9], 2),
        ([0, 1, 2], [1, 2, 3], None),
        ([0, 1, 2], [0, 1, 2], None),
        ([5, 0, 9], [1, 1, 1], 1),
    ],
)
def test_cumulative_costs_cross_where_the_dearer_is_no_longer_above(
    first: list[float], second: list[float], expected: int | None
) -> None:
    """The first month after having been above, equality included; None where it never was or always stays: by hand."""
    assert crossing_month(np.array(first, dtype=float), np.array(second, dtype=float)) == expected
