"""Energy per token is the energy that the cash flows pay for, and CO2 is its share of the grid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import totals
from lib.cost.energy import co2_kg, energy_kwh_per_million_tokens, energy_use
from lib.cost.options import Finance, Option
from lib.errors import InputError


@given(use=st.floats(0.05, 1), pue=st.floats(1, 2), gpus=st.integers(1, 16), rate=st.floats(10, 1e5))
def test_energy_of_tokens_is_what_the_bill_pays_for(use: float, pue: float, gpus: int, rate: float) -> None:
    """Energy per million tokens x price x tokens made in a year equals the energy component of a year, to 1e-9."""
    finance = Finance(horizon_months=12, utilisation=use, power_usage_effectiveness=pue, electricity_usd_per_kwh=0.1)
    option = Option(
        accelerator_id="mi300x",
        acquisition="buy",
        gpus=gpus,
        server_price_usd=0.0,
        load_kw_per_server=8.7,
        idle_kw_per_server=2.5,
    )
    found = energy_use(
        option.servers * 8.7, option.servers * 2.5, gpus / option.held_gpus, finance, (rate, rate), 0.3662
    )
    assert found.kwh_per_million_tokens is not None
    millions = rate * 3600 * 8760 * use / 1e6
    bill = totals(option, finance).nominal_by_component["energy"]
    assert found.kwh_per_million_tokens[0] * millions * 0.1 == pytest.approx(bill, rel=1e-9)
    assert found.kwh_per_year * 0.1 == pytest.approx(bill, rel=1e-9)
    assert found.co2_kg_per_year == pytest.approx(bill / 0.1 * 0.3662, rel=1e-9)


def test_the_interval_is_carried_through() -> None:
    """The high throughput has the low energy and the low CO2; twice the throughput takes half of both."""
    finance = Finance(horizon_months=36, utilisation=0.4, power_usage_effectiveness=1.5)
    found = energy_use(7.75, 1.9, 1.0, finance, (1000.0, 2000.0), 0.5306)
    assert found.kwh_per_million_tokens is not None
    low, high = found.kwh_per_million_tokens
    assert high == pytest.approx(2 * low, rel=1e-12)
    assert found.co2_kg_per_million_tokens == pytest.approx((low * 0.5306, high * 0.5306), rel=1e-12)


def test_nothing_is_said_without_its_facts() -> None:
    """No tokens, no energy per token; no grid, no CO2."""
    found = energy_use(7.75, 1.9, 1.0, Finance(horizon_months=36))
    assert found.kwh_per_million_tokens is None
    assert found.co2_kg_per_million_tokens is None
    assert found.co2_kg_per_year is None
    assert found.kwh_per_year == pytest.approx(7.75 * 8760)


def test_draws_go_through() -> None:
    """Arrays of utilisation give arrays of energy per token: less of it the more the servers work."""
    finance = Finance(horizon_months=36, utilisation=np.array([[0.4], [0.8]]))
    found = energy_use(7.75, 1.9, 1.0, finance, (1000.0, 1000.0))
    assert found.kwh_per_million_tokens is not None
    busy = found.kwh_per_million_tokens[0]
    assert busy.shape == (2, 1)
    assert busy[1, 0] < busy[0, 0]


@pytest.mark.parametrize("interval", [(0.0, 1.0), (-1.0, 1.0), (2.0, 1.0), (float("nan"), 1.0)])
def test_a_throughput_without_meaning_is_refused(interval: tuple[float, float]) -> None:
    """Zero, negative, from high to low, not a number."""
    with pytest.raises(InputError, match="tokens_per_s is"):
        energy_use(7.75, 1.9, 1.0, Finance(horizon_months=36), interval)


def test_other_questions_without_meaning_are_refused() -> None:
    """Tokens without work, a grid dirtier than any fuel, a quotient by nothing."""
    with pytest.raises(InputError, match="utilisation is 0"):
        energy_use(7.75, 1.9, 1.0, Finance(horizon_months=36, utilisation=0.0), (1.0, 2.0))
    with pytest.raises(InputError, match="co2_kg_per_kwh is 366"):
        co2_kg(1.0, 366.0)
    with pytest.raises(InputError, match="above 0 tokens per second"):
        energy_kwh_per_million_tokens(1.0, 0.0)
