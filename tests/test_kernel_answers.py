"""Crossings, budgets and prices of options so plain that each answer is a division by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lib.cost.cash_flow import monthly_flows
from lib.cost.crossings import (
    Crossing,
    Crossings,
    cost_usd,
    crossings_of,
    paying_horizons,
    rent_or_buy,
    sign_changes,
)
from lib.cost.drivers import Driver
from lib.cost.inverse import MatchingPrice, budget_use_usd, matching_price, most_within, price_field, price_for
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import break_even, break_even_months, break_even_of
from lib.errors import InputError
from tests.plain_options import ANNUITY, BOUGHT, DISCOUNTED, RENTED, YEAR, zero_at


def test_every_root_is_found_to_the_last_digit() -> None:
    """Three roots between the points, one on a point, one at either end, a jump, and a stretch of nothing: by hand."""

    def cubic(x: np.ndarray) -> np.ndarray:
        return (x - 1) * (x - 2.7) * (x - 4.1)

    assert sign_changes(cubic, 0.3, 5.0) == pytest.approx((1.0, 2.7, 4.1), abs=1e-12)
    assert sign_changes(cubic, 1.0, 2.7) == pytest.approx((1.0, 2.7), abs=1e-12)
    assert sign_changes(lambda x: x - 2.0, 0.0, 4.0, 5) == (2.0,)
    assert sign_changes(lambda x: x - 4.0, 0.0, 4.0, 5) == (4.0,)
    assert sign_changes(lambda x: x, 0.0, 4.0, 5) == (0.0,)
    assert sign_changes(lambda x: np.where(x < 0.7, -1, 1), 0.0, 4.0, 5) == pytest.approx((0.7,), abs=1e-12)
    assert sign_changes(lambda x: np.where(x < 3.7, 1, -1), 0.0, 4.0, 5) == pytest.approx((3.7,), abs=1e-12)
    assert sign_changes(lambda x: np.maximum(x - 2.0, 0.0), 0.0, 4.0, 5) == (2.0,)
    assert sign_changes(lambda x: np.clip(x - 2.0, 0, 0) + np.minimum(x - 1.0, 0.0), 0.0, 4.0, 5) == (1.0,)
    assert sign_changes(lambda _: -1.0, 0.0, 4.0) == ()
    for point in np.linspace(0.0, 0.7, 8).tolist():
        assert sign_changes(zero_at(point), 0.0, 0.7, 8) == (point,)
    asked: list[int] = []

    def counted(x: np.ndarray) -> np.ndarray:
        asked.append(len(x))
        return x - 0.3

    sign_changes(counted, 0.0, 1.0)
    assert asked[0] == 1025


@pytest.mark.parametrize("search", [sign_changes, break_even])
@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (2.0, 1.0), (float("nan"), 1.0)])
def test_a_range_without_width_is_refused(search: Callable[..., Any], low: float, high: float) -> None:
    """With both its ends."""
    with pytest.raises(InputError) as caught:
        search(lambda x: x, low, high)
    assert str(caught.value) == f"range is {(low, high)}; allowed: from low to a higher value"


def at_one(found: Crossings) -> tuple[float, str]:
    """The only crossing there is, and the cheaper above it."""
    (one,) = found.found
    return one.at, one.cheaper_above


def test_the_nearest_crossing_is_the_one_least_far_away() -> None:
    """Of 1 and 5: on either side of 3, and none of none."""
    found = Crossings(0.0, 9.0, "first", "first", (Crossing(1.0, "second"), Crossing(5.0, "first")))
    assert [found.nearest(value) for value in (0.0, 2.9, 3.1, 9.0)] == [1.0, 1.0, 5.0, 5.0]
    assert replace(found, found=()).nearest(3.0) is None


def test_a_rent_crosses_a_price_where_it_adds_up_to_it() -> None:
    """7,300 USD over 730 hours x 12 months, or their worth at 20 % a year: by hand, to 1e-12 of it."""
    driver = Driver("first", "rent_usd_per_gpu_hour", 0.0, 2.0)
    paid = crossings_of(RENTED, BOUGHT, DISCOUNTED, driver, "nominal")
    assert (paid.low, paid.high, paid.cheaper_at_low, paid.cheaper_at_high) == (0.0, 2.0, "first", "second")
    at, above = at_one(paid)
    assert above == "second"
    assert at == pytest.approx(10 / 12, rel=1e-12)
    worth = crossings_of(RENTED, BOUGHT, DISCOUNTED, driver)
    assert at_one(worth)[0] == pytest.approx(10 / ANNUITY, rel=1e-12)
    other = crossings_of(BOUGHT, RENTED, YEAR, replace(driver, target="second"))
    at, above = at_one(other)
    assert above == "first"
    assert at == pytest.approx(10 / 12, rel=1e-12)
    level = crossings_of(RENTED, RENTED, YEAR, Driver("first", "rent_usd_per_gpu_hour", 1.0, 2.0))
    assert (level.cheaper_at_low, level.cheaper_at_high) == ("same", "second")
    assert level.found == (Crossing(1.0, "second"),)
    never = crossings_of(RENTED, BOUGHT, YEAR, replace(driver, high=0.5))
    assert (never.found, never.cheaper_at_low, never.cheaper_at_high) == ((), "first", "first")
    for ask in (crossings_of, break_even_of):
        with pytest.raises(InputError, match=r"^driver is 'gpus'; allowed: a field that is an amount, not a count$"):
            ask(RENTED, BOUGHT, YEAR, Driver("first", "gpus", 1, 2))


SOLD = replace(BOUGHT, server_price_usd=29_200.0, residual_by_year=(0.91, 0.29, 0.29))
"""Forty months of that rent: it loses 3.6 of them in its first year, 24.8 in its second, and then nothing more."""


def test_horizons_that_pay_stand_in_unbroken_runs() -> None:
    """From ten months on; sold again, where 3.6 <= m, 3.6 + 24.8 (m - 12) / 12 <= m, and 28.4 <= m: by hand."""
    assert paying_horizons(BOUGHT, RENTED, YEAR, range(1, 14), "nominal") == ((10, 13),)
    assert paying_horizons(BOUGHT, RENTED, YEAR, (9, 10)) == ((10, 10),)
    assert paying_horizons(BOUGHT, RENTED, YEAR, (10, 11)) == ((10, 11),)
    half_a_dollar = replace(BOUGHT, server_price_usd=7300.5)
    assert paying_horizons(half_a_dollar, RENTED, YEAR, (10, 11)) == ((11, 11),)
    assert break_even_months(half_a_dollar, RENTED, YEAR, (10, 11)) == 11
    assert paying_horizons(BOUGHT, RENTED, YEAR, range(1, 10)) == ()
    assert paying_horizons(SOLD, RENTED, YEAR, range(1, 37)) == ((4, 19), (29, 36))


def test_owning_pays_after_its_price_in_rents_and_above_its_share_of_the_hours() -> None:
    """Ten months of rent; 10 of 12 months' hours, or of what these are worth: by hand."""
    found = rent_or_buy(BOUGHT, RENTED, DISCOUNTED, range(1, 25), "nominal")
    assert (found.months, found.paying_horizons) == (10, ((10, 24),))
    use = found.utilisation
    assert (use.low, use.high, use.cheaper_at_low, use.cheaper_at_high) == (0.0, 1.0, "second", "first")
    at, above = at_one(use)
    assert above == "first"
    assert at == pytest.approx(10 / 12, rel=1e-12)
    worth = rent_or_buy(BOUGHT, RENTED, DISCOUNTED, range(1, 25))
    assert worth.months == 11
    assert at_one(worth.utilisation)[0] == pytest.approx(10 / ANNUITY, rel=1e-12)
    never = rent_or_buy(BOUGHT, RENTED, YEAR, range(1, 10))
    assert (never.months, never.paying_horizons) == (None, ())
    with pytest.raises(InputError, match=r"^acquisition is 'buy'; allowed: rent$"):
        rent_or_buy(RENTED, BOUGHT, YEAR, range(1, 3))


def test_a_cost_is_one_number() -> None:
    """A year of rent, as paid and as worth; a draw of one is a number too."""
    assert cost_usd(RENTED, DISCOUNTED, "nominal") == pytest.approx(8760.0, rel=1e-12)
    assert cost_usd(RENTED, DISCOUNTED) == pytest.approx(730 * ANNUITY, rel=1e-12)
    drawn = cost_usd(replace(RENTED, rent_usd_per_gpu_hour=np.array([[2.0]])), YEAR)
    assert type(drawn) is float
    assert drawn == pytest.approx(17_520.0, rel=1e-12)


WHOLE = replace(
    BOUGHT,
    network_usd_per_gpu=100.0,
    installation_usd_per_gpu=10.0,
    spares_fraction=0.01,
    migration_usd=7.0,
    licence_usd_per_gpu_year=120.0,
    residual_by_year=(0.5, 0.4, 0.3),
)
CAPITAL = 7300.0 + 100.0 + 10.0 + 73.0


@pytest.mark.parametrize(
    ("option", "months", "budget", "expected"),
    [
        (WHOLE, 30, "nominal", CAPITAL + 7 + 300 - 0.35 * 7300),
        (WHOLE, 30, "capital", CAPITAL),
        (WHOLE, 30, "dearest-year", CAPITAL + 7 + 120),
        (WHOLE, 6, "dearest-year", CAPITAL + 7 + 60 - 0.5 * 7300),
        (replace(WHOLE, order_month=14), 30, "dearest-year", CAPITAL + 7 + 100),
        (replace(WHOLE, order_month=25), 36, "dearest-year", CAPITAL + 7 + 110 - 0.5 * 7300),
        (RENTED, 36, "dearest-year", 8760.0),
        (RENTED, 36, "capital", 0.0),
    ],
)
def test_a_budget_counts_what_it_says(option: Option, months: int, budget: Any, expected: float) -> None:
    """All that is paid, what stands in the books, or the dearest year, month 0 with the first: by hand, to 1e-12."""
    flows = monthly_flows(option, Finance(horizon_months=months, discount_rate=0.2))
    assert budget_use_usd(flows, budget) == pytest.approx(expected, rel=1e-12)


def test_a_level_year_is_worth_the_whole() -> None:
    """Twelve equal months in each year at 20 %: a constant rent is itself, a price its worth by the annuity."""
    rented, bought = (monthly_flows(one, DISCOUNTED) for one in (RENTED, BOUGHT))
    assert budget_use_usd(rented, "npv") == pytest.approx(730 * ANNUITY, rel=1e-12)
    assert budget_use_usd(rented, "level-year") == pytest.approx(8760.0, rel=1e-12)
    assert budget_use_usd(bought, "level-year") == pytest.approx(7300 * 12 / ANNUITY, rel=1e-12)
    wrong: Any = "yearly"
    with pytest.raises(InputError) as caught:
        budget_use_usd(rented, wrong)
    assert str(caught.value) == ("budget is 'yearly'; allowed: npv, nominal, capital, dearest-year or level-year")


@pytest.mark.parametrize(
    ("use", "limit", "most", "expected", "looks"),
    [
        (lambda k: 15.3 * k, 1000.0, 10_000_000, 65, 6),
        (lambda k: 15.3 * k, 15.3 * 65, 10_000_000, 65, 8),
        (lambda k: 15.3 * k + 40.0, 1000.0, 10_000_000, 62, 6),
        (lambda k: float(k), 1.0, 100, 1, 6),
        (lambda k: float(k), 0.9, 100, 0, 1),
        (lambda k: float(k), 99.0, 100, 99, 6),
        (lambda k: float(k), 99.9, 100, 99, 6),
        (lambda k: float(k), 100.0, 100, 100, 2),
        (lambda k: float(k), 5.0, 1, 1, 1),
        (lambda k: float(k), 1.5, 2, 1, 3),
        (lambda k: float(k), 2.5, 3, 2, 6),
        (lambda k: min(k, 60.0) if k <= 70 else float(k), 60.0, 100, 70, 45),
        (lambda k: float(k**4), 1e10, 1_000_000, 316, 123),
        (lambda k: float(k >= 777), 0.5, 1_000_000, 776, 123),
        (lambda k: k**0.25, 10.0, 1_000_000, 10_000, 123),
        (lambda k: float(k) if k < 5000 else 1e9 + k, 1e8, 1_000_000, 4999, 123),
    ],
)
def test_the_most_within_a_limit_is_found_in_few_looks(
    use: Callable[[int], float], limit: float, most: int, expected: int, looks: int
) -> None:
    """The greatest count that keeps the limit, by hand.

    A straight use takes a handful of looks; any other three rounds of two for each halving of a million, and three.
    """
    asked: list[int] = []

    def counted(k: int) -> float:
        asked.append(k)
        return use(k)

    assert most_within(counted, limit, most) == expected
    assert all(1 <= k <= most for k in asked)
    assert len(asked) <= looks


def test_the_most_gpus_end_the_search_unless_told() -> None:
    """Ten million."""
    assert most_within(lambda _: 0.0, 1.0) == 10_000_000


@pytest.mark.parametrize(
    ("option", "finance", "target", "measure", "verdict", "at"),
    [
        (RENTED, DISCOUNTED, 4380.0, "nominal", "at", 0.5),
        (RENTED, DISCOUNTED, 365.0 * ANNUITY, "npv", "at", 0.5),
        (replace(RENTED, migration_usd=17.0), YEAR, 4397.0, "npv", "at", 0.5),
        (replace(RENTED, rent_usd_per_gpu_hour=0.0), YEAR, 4380.0, "npv", "at", 0.5),
        (replace(RENTED, rent_usd_per_gpu_hour=4.0), YEAR, 4380.0, "npv", "at", 0.5),
        (replace(RENTED, migration_usd=17.0), YEAR, 17.0, "npv", "at", 0.0),
        (replace(RENTED, migration_usd=17.0), YEAR, 16.9, "npv", "never", None),
        (replace(BOUGHT, residual_by_year=(0.25,), migration_usd=17.0), YEAR, 3017.0, "npv", "at", 4000.0),
        (replace(RENTED, acquisition="commit-1y"), YEAR, 4380.0, "npv", "at", 0.5),
    ],
)  # fmt: skip
def test_a_price_for_a_target_is_a_division(
    option: Option, finance: Finance, target: float, measure: Any, verdict: str, at: float | None
) -> None:
    """Target less what is paid without it, over the hours or the part of the price that stays: by hand, to 1e-12."""
    found = price_for(option, finance, target, measure)
    bought = option.acquisition == "buy"
    assert found.field == price_field(option.acquisition) == ("server_price_usd" if bought else "rent_usd_per_gpu_hour")
    assert found.now == (option.server_price_usd if bought else option.rent_usd_per_gpu_hour)
    assert (found.verdict, found.target_usd) == (verdict, target)
    assert found.at == (at if at is None else pytest.approx(at, rel=1e-12, abs=1e-12))


def test_a_price_that_does_not_enter_says_always_or_never() -> None:
    """Rent by use without use, and a server sold at its price: what else is paid meets the target or does not."""
    idle = replace(RENTED, billing="used-hours", migration_usd=17.0)
    unused = replace(YEAR, utilisation=0.0)
    for target, verdict in ((17.0, "always"), (18.0, "always"), (16.9, "never")):
        found = price_for(idle, unused, target)
        assert found == MatchingPrice("rent_usd_per_gpu_hour", 1.0, verdict, None, target)  # type: ignore[arg-type]
    kept = replace(BOUGHT, residual_by_year=(1.0,))
    assert price_for(kept, YEAR, 0.0).verdict == "always"
    assert price_for(kept, YEAR, -1.0).verdict == "never"
    assert price_for(RENTED, DISCOUNTED, 365.0 * ANNUITY).at == pytest.approx(0.5, rel=1e-12)
    for wrong in (float("inf"), float("nan")):
        with pytest.raises(InputError, match=r"^target_usd is (inf|nan); allowed: a finite number of USD$"):
            price_for(RENTED, YEAR, wrong)


def test_a_price_of_next_to_nothing_is_still_a_price() -> None:
    """More than a trillionth of a dollar is a straight line like any other, half of it costs half; no more is rounding.

    A server that is sold at its price moves eight billion dollars by a ten-thousandth of a cent, which is rounding too.
    """
    rounding = replace(RENTED, rent_usd_per_gpu_hour=0.5e-12 / 730)
    assert price_for(rounding, Finance(horizon_months=1), 1.0).verdict == "always"
    assert price_for(replace(BOUGHT, server_price_usd=1e-12), YEAR, 1.0).verdict == "always"
    kept = replace(
        BOUGHT,
        server_price_usd=13_913_476.776,
        residual_by_year=(1.0,),
        migration_usd=8_577_377_727.0,
        licence_usd_per_gpu_year=8.6,
        storage_tb=1.0,
        storage_usd_per_tb_month=7.0,
    )
    assert cost_usd(kept, YEAR) != cost_usd(replace(kept, server_price_usd=0.0), YEAR)
    assert price_for(kept, YEAR, 2e10).verdict == "always"
    assert price_for(kept, YEAR, 1e9).verdict == "never"
    tiny = replace(RENTED, rent_usd_per_gpu_hour=1.5e-12 / 730)
    found = price_for(tiny, Finance(horizon_months=1), 0.75e-12)
    assert found.verdict == "at"
    assert found.at == pytest.approx(0.75e-12 / 730, rel=1e-9)


def test_two_options_match_where_their_costs_meet() -> None:
    """A rent against a price as paid and as worth, at 20 % a year: by hand, to 1e-12."""
    paid = matching_price(RENTED, BOUGHT, DISCOUNTED, "nominal")
    assert (paid.field, paid.now, paid.verdict) == ("rent_usd_per_gpu_hour", 1.0, "at")
    assert (paid.at, paid.target_usd) == pytest.approx((10 / 12, 7300.0), rel=1e-12)
    assert matching_price(RENTED, BOUGHT, DISCOUNTED).at == pytest.approx(10 / ANNUITY, rel=1e-12)
    assert matching_price(BOUGHT, RENTED, DISCOUNTED).at == pytest.approx(730 * ANNUITY, rel=1e-12)
    assert matching_price(BOUGHT, RENTED, DISCOUNTED, "nominal").at == pytest.approx(8760.0, rel=1e-12)
