"""A break-even map is many calculations at once, and its lines lie where both options cost the same."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.cost.drivers import Driver
from lib.cost.maps import break_even_map
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import difference_usd
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    residual_by_year=(0.5, 0.3, 0.15),
)
BY_USE = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0, billing="used-hours")
FINANCE = Finance(horizon_months=36, discount_rate=0.10, utilisation=0.4, electricity_usd_per_kwh=0.09)
USE = Driver("finance", "utilisation", 0.05, 1.0)
RENT = Driver("second", "rent_usd_per_gpu_hour", 0.5, 8.0)


def test_every_field_of_the_grid_is_its_own_calculation() -> None:
    """Each of 7 x 5 differences equals that of single options and finance, to 1e-9."""
    found = break_even_map(BOUGHT, BY_USE, FINANCE, USE, RENT, columns=7, rows=5)
    assert found.difference_usd.shape == (5, 7)
    for row, rent in enumerate(found.y_values.tolist()):
        for column, use in enumerate(found.x_values.tolist()):
            single = difference_usd(
                BOUGHT, replace(BY_USE, rent_usd_per_gpu_hour=rent), replace(FINANCE, utilisation=use)
            )
            assert found.difference_usd[row, column] == pytest.approx(single, rel=1e-9)
    assert found.first_share == (found.difference_usd < 0).mean()


@settings(max_examples=10)
@given(price=st.floats(60_000, 400_000), columns=st.integers(2, 30), rows=st.integers(2, 30))
def test_on_its_lines_both_cost_the_same(price: float, columns: int, rows: int) -> None:
    """At every point of every line the difference is nothing, to a millionth of the price; so on every row."""
    owned = replace(BOUGHT, server_price_usd=price)
    found = break_even_map(owned, BY_USE, FINANCE, USE, RENT, columns=columns, rows=rows)
    points = [(float(x), float(y)) for line in found.lines for x, y in line]
    points += [(x, float(y)) for y, crossed in zip(found.y_values, found.along_rows, strict=True) for x in crossed]
    assert bool(points) == (found.everywhere is None)
    for use, rent in points:
        at = replace(BY_USE, rent_usd_per_gpu_hour=rent), replace(FINANCE, utilisation=use)
        assert difference_usd(owned, *at) == pytest.approx(0, abs=1e-6 * price)


def test_the_line_is_the_hyperbola() -> None:
    """All hours at 2 USD against used hours at y USD: one line, y = 2 / x at each of its points, to 1e-9."""
    held = replace(BY_USE, billing="all-hours")
    found = break_even_map(held, BY_USE, FINANCE, USE, RENT)
    (line,) = found.lines
    assert line[:, 1] == pytest.approx(2 / line[:, 0], rel=1e-9)
    steps = np.diff(line, axis=0)
    assert (np.sign(steps[:, 0]) == -np.sign(steps[:, 1])).all()
    assert len(line) > 40


def test_a_row_without_a_crossing_is_never() -> None:
    """Below 2 USD by use nothing beats it at any utilisation: those rows are empty, the others have one value."""
    held = replace(BY_USE, billing="all-hours")
    found = break_even_map(held, BY_USE, FINANCE, USE, RENT)
    for rent, crossed in zip(found.y_values, found.along_rows, strict=True):
        assert len(crossed) == (1 if rent > 2 else 0)


def test_a_map_without_a_line_names_the_cheaper() -> None:
    """A free server everywhere, a golden one nowhere, an option against itself the same."""
    free, golden = (replace(BOUGHT, server_price_usd=price) for price in (0.0, 1e8))
    assert break_even_map(free, BY_USE, replace(FINANCE, electricity_usd_per_kwh=0.0), USE, RENT).everywhere == "first"
    dear = break_even_map(golden, BY_USE, FINANCE, USE, RENT)
    assert (dear.everywhere, dear.lines, dear.first_share) == ("second", (), 0.0)
    same = break_even_map(BY_USE, BY_USE, FINANCE, USE, Driver("both", "rent_usd_per_gpu_hour", 1.0, 2.0))
    assert same.everywhere == "same"


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (USE, USE, "driver is 'utilisation'"),
        (RENT, Driver("both", "rent_usd_per_gpu_hour", 1.0, 2.0), "another field"),
        (USE, Driver("finance", "horizon_months", 12, 36), "not a count"),
        (Driver("finance", "utilisation", 0.5, 0.5), RENT, "range is"),
        (USE, Driver("second", "rent_usd_per_gpu_hour", -1.0, 2.0), "rent_usd_per_gpu_hour is -1"),
    ],
)
def test_drivers_that_make_no_plane_are_refused(x: Driver, y: Driver, message: str) -> None:
    """One field twice, a count, an empty range, a value outside its meaning."""
    with pytest.raises(InputError, match=message):
        break_even_map(BOUGHT, BY_USE, FINANCE, x, y)


def test_one_field_of_each_option_makes_a_plane() -> None:
    """Rent against rent: equal where they are equal, a straight line to 1e-9."""
    held = replace(BY_USE, billing="all-hours")
    found = break_even_map(
        held, held, FINANCE, Driver("first", "rent_usd_per_gpu_hour", 1.0, 3.05), replace(RENT, low=1.01, high=3.0)
    )
    (line,) = found.lines
    assert line[:, 0] == pytest.approx(line[:, 1], rel=1e-9)
