"""Every change of the cheaper option is found, whether there are none, one or several."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.crossings import crossings_of, paying_horizons, rent_or_buy, sign_changes
from lib.cost.drivers import Driver
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import break_even_months, break_even_of, difference_usd
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    hardware_support_fraction=0.05,
    residual_by_year=(0.5, 0.3, 0.15, 0.1, 0.05),
)
RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
FINANCE = Finance(horizon_months=36, discount_rate=0.10, utilisation=0.4, electricity_usd_per_kwh=0.09)


@given(roots=st.lists(st.integers(1, 99), min_size=0, max_size=5, unique=True))
def test_every_root_of_a_polynomial_is_found(roots: list[int]) -> None:
    """All roots and no more, in rising order, to 1e-9."""

    def product(values: np.ndarray) -> np.ndarray:
        return np.prod([values - root - 0.37 for root in roots], axis=0) if roots else values * 0 + 1

    assert sign_changes(product, 0.0, 100.0) == pytest.approx([root + 0.37 for root in sorted(roots)], abs=1e-9)


def test_a_root_on_a_point_of_the_grid_is_given_once() -> None:
    """The line through nothing at the middle of the range: one root, exactly there."""
    assert sign_changes(lambda values: values - 512.0, 0.0, 1024.0) == (512.0,)


def test_a_stretch_of_nothing_has_two_ends() -> None:
    """Flat at nothing from 256 to 512: both ends are named."""
    assert sign_changes(
        lambda values: np.maximum(values, 512.0) - 512.0 + np.minimum(values, 256.0) - 256.0, 0.0, 1024.0
    ) == (
        256.0,
        512.0,
    )


def test_a_touch_is_no_change() -> None:
    """A parabola that touches nothing between two points of the grid changes no sign."""
    assert sign_changes(lambda values: (values - 0.30001) ** 2, 0.0, 1.0) == ()


def test_each_side_of_a_crossing_has_its_cheaper_option() -> None:
    """Rising rent: renting is the cheaper below, buying above, and nowhere else; as the solver for one root has it."""
    driver = Driver("second", "rent_usd_per_gpu_hour", 0.0, 20.0)
    found = crossings_of(BOUGHT, RENTED, FINANCE, driver)
    assert (found.cheaper_at_low, found.cheaper_at_high) == ("second", "first")
    (crossing,) = found.found
    assert crossing.cheaper_above == "first"
    assert crossing.at == pytest.approx(break_even_of(BOUGHT, RENTED, FINANCE, driver), rel=1e-9)
    assert found.nearest(2.0) == crossing.at
    assert not found.is_never


def test_never_names_the_one_that_is_cheaper_throughout() -> None:
    """No electricity price up to 1 USD makes the dear purchase pay; an option against itself is the same."""
    driver = Driver("finance", "electricity_usd_per_kwh", 0.0, 1.0)
    found = crossings_of(replace(BOUGHT, server_price_usd=900_000.0), RENTED, FINANCE, driver)
    assert found.is_never
    assert (found.cheaper_at_low, found.cheaper_at_high) == ("second", "second")
    assert found.nearest(0.1) is None
    assert crossings_of(BOUGHT, BOUGHT, FINANCE, driver).cheaper_at_low == "same"


def test_hardware_sold_early_may_pay_and_later_not_and_later_again() -> None:
    """With much left after one year, nothing after two: paying runs apart, each month checked on its own."""
    owned = replace(BOUGHT, residual_by_year=(0.95, 0.05, 0.05, 0.05, 0.05))
    cheap = replace(RENTED, rent_usd_per_gpu_hour=1.2)
    runs = paying_horizons(owned, cheap, FINANCE, range(6, 61))
    assert len(runs) == 2
    for months in range(6, 61):
        pays = difference_usd(owned, cheap, replace(FINANCE, horizon_months=months)) <= 0
        assert pays == any(first <= months <= last for first, last in runs)


def test_rent_or_buy_in_months_and_in_utilisation() -> None:
    """The months agree with the search for one; at the crossing of utilisation both cost the same, to a millionth."""
    dear = replace(RENTED, rent_usd_per_gpu_hour=4.0)
    found = rent_or_buy(BOUGHT, dear, FINANCE, range(1, 61))
    assert found.months == break_even_months(BOUGHT, dear, FINANCE, range(1, 61))
    (crossing,) = found.utilisation.found
    at = replace(FINANCE, utilisation=crossing.at)
    by_use = replace(dear, billing="used-hours")
    assert difference_usd(BOUGHT, by_use, at) == pytest.approx(0, abs=0.3)
    assert crossing.cheaper_above == "first"
    cheap = rent_or_buy(BOUGHT, replace(RENTED, rent_usd_per_gpu_hour=0.5), FINANCE, range(1, 61))
    assert cheap.months is None
    assert cheap.paying_horizons == ()
    assert cheap.utilisation.is_never


def test_questions_without_meaning_are_refused() -> None:
    """A count, an empty range, and a commitment for the rental."""
    with pytest.raises(InputError, match="driver is 'gpus'"):
        crossings_of(BOUGHT, RENTED, FINANCE, Driver("first", "gpus", 1, 8))
    with pytest.raises(InputError, match="range"):
        sign_changes(np.sin, 1.0, 1.0)
    with pytest.raises(InputError, match="acquisition is 'commit-1y'"):
        rent_or_buy(BOUGHT, replace(RENTED, acquisition="commit-1y"), FINANCE, range(1, 61))
