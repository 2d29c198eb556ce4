"""Spreads keep their range, and their base means what it is said to mean."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.distributions import (
    Spread,
    median_triangular_quantile,
    normal_probability,
    quantile,
    spread_of,
    triangular_quantile,
)
from lib.errors import InputError

EVEN = (np.arange(20_000) + 0.5) / 20_000


@given(low=st.floats(0.1, 10), rise=st.floats(0, 10), further=st.floats(0, 10))
def test_a_triangle_has_its_closed_distribution(low: float, rise: float, further: float) -> None:
    """P(x <= q(p)) = p by the textbook formula of the triangular distribution, to 1e-9; all values within the ends."""
    mode, high = low + rise, low + rise + further
    probabilities = np.linspace(0, 1, 21)
    values = triangular_quantile(probabilities, low, mode, high)
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()
    if min(rise, further) < 1e-3:
        return
    for probability, value in zip(probabilities, values, strict=True):
        if value <= mode:
            below = (value - low) ** 2 / ((high - low) * (mode - low))
        else:
            below = 1 - (high - value) ** 2 / ((high - low) * (high - mode))
        assert below == pytest.approx(probability, abs=1e-9)


@pytest.mark.parametrize(
    ("spread", "mean"),
    [
        (Spread(0.4, 0.4, 0.7), (0.4 + 0.4 + 0.7) / 3),
        (Spread(1.4, 1.5, 1.8), (1.4 + 1.5 + 1.8) / 3),
        (Spread(1.0, 2.0, 6.0, "median"), 2.0 + (4.0 - 1.0) / 6),
        (Spread(1.0, 6.0, 6.0, "median"), (1.0 + 6.0 + 6.0) / 3),
    ],
)
def test_means_are_those_of_the_formulas(spread: Spread, mean: float) -> None:
    """(low + mode + high) / 3, or the median and a sixth of what one side is longer: over even probabilities, to 1e-4."""
    assert quantile(spread, EVEN).mean() == pytest.approx(mean, rel=1e-4)


@given(
    low=st.floats(0.5, 5),
    rise=st.floats(0.01, 5),
    further=st.floats(0.01, 20),
    scale=st.sampled_from(["linear", "log"]),
)
def test_a_median_has_half_of_the_draws_on_each_side(low: float, rise: float, further: float, scale: str) -> None:
    """The value at one half is the base, at 0 and 1 the ends, on either scale, to 1e-9."""
    spread = Spread(low, low + rise, low + rise + further, "median", scale)  # type: ignore[arg-type]
    found = quantile(spread, np.array([0.0, 0.5, 1.0]))
    assert found == pytest.approx([spread.low, spread.base, spread.high], rel=1e-9)


def test_a_price_is_as_often_half_as_double() -> None:
    """On a logarithmic scale a factor down and the same factor up are alike: P(x < 1.5) = P(x > 6) around 3, to 1e-3."""
    values = quantile(Spread(1.0, 3.0, 9.0, "median", "log"), EVEN)
    assert (values < 1.5).mean() == pytest.approx((values > 6.0).mean(), abs=1e-3)


def test_a_median_at_an_end_is_a_mode() -> None:
    """No half can lie beyond the end: the values are those of a triangle that falls from there, exactly."""
    assert (median_triangular_quantile(EVEN, 2.0, 2.0, 3.0) == triangular_quantile(EVEN, 2.0, 2.0, 3.0)).all()


def test_what_a_base_means_depends_on_the_field() -> None:
    """Prices are medians of quotes on a logarithmic scale, linear where they may be nothing; the rest are modes."""
    assert spread_of("server_price_usd", 1.0, 2.0, 3.0) == Spread(1.0, 2.0, 3.0, "median", "log")
    assert spread_of("rent_usd_per_gpu_hour", 0.0, 2.0, 3.0) == Spread(0.0, 2.0, 3.0, "median", "linear")
    assert spread_of("utilisation", 0.1, 0.2, 0.3) == Spread(0.1, 0.2, 0.3, "mode", "linear")


def test_a_range_without_width_is_its_value() -> None:
    """Low, base and high alike give that value at any probability."""
    assert (quantile(Spread(2.0, 2.0, 2.0), EVEN) == 2.0).all()
    assert quantile(Spread(2.0, 2.0, 2.0, "median", "log"), EVEN) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("ends", [(3.0, 2.0, 4.0), (1.0, 5.0, 4.0), (math.nan, 1.0, 2.0), (1.0, 2.0, math.inf)])
def test_ends_that_do_not_rise_are_refused(ends: tuple[float, float, float]) -> None:
    """Low above base, base above high, not a number, infinite: the message says what is wanted."""
    with pytest.raises(InputError, match=r"spread is .* low, base and high in rising order"):
        Spread(*ends)


def test_nothing_has_no_logarithm() -> None:
    """A price from nothing cannot spread by factors."""
    with pytest.raises(InputError, match="above 0 on a logarithmic scale"):
        Spread(0.0, 1.0, 2.0, "median", "log")


def test_normal_probabilities_are_those_of_the_tables() -> None:
    """0.8413 at one standard deviation, 0.9772 at two, 0.0013 at three below, to the digits of the tables."""
    assert normal_probability(np.array([1.0, 2.0, -3.0])).round(4).tolist() == [0.8413, 0.9772, 0.0013]
