"""Discounting agrees with numpy-financial, and its closed forms with the sums that they stand for."""

import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.time_value import (
    advance_factor,
    annuity_factor,
    discount_factors,
    internal_rate_of_return,
    monthly_rate,
    net_present_value,
    present_value_factor,
)

yearly_rates = st.floats(-0.3, 0.6)
amounts = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(rate=yearly_rates, flows=st.lists(amounts, min_size=1, max_size=61))
def test_npv_is_that_of_numpy_financial(rate: float, flows: list[float]) -> None:
    """The value at month 0 equals numpy-financial's at the monthly rate, to 1e-9 of the flows' size."""
    expected = npf.npv(monthly_rate(rate), flows)
    assert net_present_value(rate, np.array(flows)) == pytest.approx(
        expected, rel=1e-9, abs=1e-9 * (1 + max(map(abs, flows)))
    )


@given(
    outlay=st.floats(1e3, 1e7),
    savings=st.lists(st.floats(0.01, 0.3), min_size=6, max_size=60),
)
def test_irr_is_that_of_numpy_financial(outlay: float, savings: list[float]) -> None:
    """The monthly rate of an outlay followed by savings equals numpy-financial's, to 1e-9."""
    flows = np.array([-outlay, *(outlay * share for share in savings)])
    assert internal_rate_of_return(flows) == pytest.approx(npf.irr(flows), abs=1e-9)


@given(
    outlay=st.floats(1e3, 1e7), savings=st.lists(st.floats(0.0, 0.3), min_size=12, max_size=60), end=st.floats(0, 0.5)
)
def test_npv_at_the_irr_is_zero(outlay: float, savings: list[float], end: float) -> None:
    """Discounted at its own internal rate, a flow is worth nothing: to 1e-9 of the outlay."""
    flows = np.array([-outlay, *(outlay * share for share in savings)])
    flows[-1] += outlay * (0.1 + end)
    monthly = internal_rate_of_return(flows)
    assert monthly is not None
    assert net_present_value((1 + monthly) ** 12 - 1, flows) == pytest.approx(0, abs=1e-9 * outlay)


def test_flows_of_one_sign_have_no_irr() -> None:
    """Costs alone, or nothing at all, have no internal rate."""
    assert internal_rate_of_return(np.array([5.0, 1.0, 2.0])) is None
    assert internal_rate_of_return(np.zeros(13)) is None


def test_of_two_internal_rates_the_one_nearest_zero_is_given() -> None:
    """-1, 2.3, -1.32 is (1.1 - x)(1.2 - x) in x = 1 + i: rates of 10 and 20 %, of which 10 % is given, to 1e-9."""
    assert internal_rate_of_return(np.array([-1.0, 2.3, -1.32])) == pytest.approx(0.10, abs=1e-9)


def test_a_yearly_rate_is_an_effective_one() -> None:
    """Twelve months at the monthly rate make the yearly rate and no more, to 1e-12."""
    assert (1 + monthly_rate(0.10)) ** 12 == pytest.approx(1.10, rel=1e-12)
    assert present_value_factor(0.10, 12) == pytest.approx(1 / 1.10, rel=1e-12)


@given(
    rate=yearly_rates,
    change=st.floats(-0.5, 0.5),
    months=st.integers(1, 120),
    step=st.sampled_from([12, 36]),
)
def test_factors_are_the_sums_they_stand_for(rate: float, change: float, months: int, step: int) -> None:
    """Annuity and advance factor equal the sums over months written out, to 1e-10."""
    worth = discount_factors(rate, months)
    level = (1 + change) ** (np.arange(months) // step)
    assert annuity_factor(rate, months, change, step) == pytest.approx(float((level * worth[1:]).sum()), rel=1e-10)
    starts = np.arange(0, months, step)
    expected = float((level[starts] * worth[starts]).sum())
    assert advance_factor(rate, months, change, step) == pytest.approx(expected, rel=1e-10)


def test_a_level_payment_is_the_present_value_of_numpy_financial() -> None:
    """Without changes the annuity factor is the textbook one, to 1e-12."""
    expected = -npf.pv(monthly_rate(0.08), 36, 1.0)
    assert annuity_factor(0.08, 36) == pytest.approx(expected, rel=1e-12)


def test_draws_give_what_single_numbers_give() -> None:
    """A column of rates gives the column of single results, to 1e-12."""
    rates = np.array([[0.0], [0.05], [0.15]])
    together = annuity_factor(rates, 30, np.array([[0.0], [-0.1], [0.1]]), 12)
    alone = [annuity_factor(rate, 30, change, 12) for rate, change in ((0.0, 0.0), (0.05, -0.1), (0.15, 0.1))]
    assert np.asarray(together).ravel() == pytest.approx(alone, rel=1e-12)
