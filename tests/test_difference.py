"""A waterfall closes: its steps are the components' differences and end at the other option's cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import COMPONENTS, totals
from lib.cost.difference import waterfall
from lib.cost.options import Finance, Option
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    hardware_support_fraction=0.05,
    residual_by_year=(0.5, 0.3, 0.15),
    migration_usd=37_500.0,
)


@given(rent=st.floats(0, 50), rate=st.floats(-0.1, 0.5), months=st.integers(12, 36), price=st.floats(0, 1e6))
def test_the_steps_lead_from_one_cost_to_the_other(rent: float, rate: float, months: int, price: float) -> None:
    """Steps join without a gap, add up to the difference, and end at the other's cost: to 1e-12 of the larger."""
    finance = Finance(horizon_months=months, discount_rate=rate, electricity_usd_per_kwh=0.1)
    owned = Option(**{**{name: getattr(BOUGHT, name) for name in BOUGHT.__slots__}, "server_price_usd": price})
    rented = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=rent)
    one, other = totals(owned, finance), totals(rented, finance)
    for measure, total in (("npv", "npv_usd"), ("nominal", "nominal_usd")):
        found = waterfall(one, other, measure)  # type: ignore[arg-type]
        largest = max(abs(getattr(one, total)), abs(getattr(other, total)), price, 1.0)
        assert found.first_usd == found.steps[0].from_usd
        assert found.second_usd == found.steps[-1].to_usd
        assert all(before.to_usd == after.from_usd for before, after in zip(found.steps, found.steps[1:], strict=False))
        assert found.first_usd == pytest.approx(getattr(one, total), abs=1e-12 * largest)
        assert found.second_usd == pytest.approx(getattr(other, total), abs=1e-12 * largest)
        assert sum(step.change_usd for step in found.steps) == pytest.approx(found.change_usd, abs=1e-12 * largest)


def test_each_component_has_its_step() -> None:
    """Every component of the cash flows, in their order; those that are alike do not move."""
    finance = Finance(horizon_months=36, electricity_usd_per_kwh=0.1)
    found = waterfall(totals(BOUGHT, finance), totals(BOUGHT, finance))
    assert [step.component for step in found.steps] == list(COMPONENTS)
    assert found.moving == ()
    assert found.change_usd == 0


def test_the_way_back_is_the_way_there_reversed() -> None:
    """Each step back is its step there with the sign turned."""
    finance = Finance(horizon_months=36, electricity_usd_per_kwh=0.1)
    rented = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
    there = waterfall(totals(BOUGHT, finance), totals(rented, finance))
    back = waterfall(totals(rented, finance), totals(BOUGHT, finance))
    assert [step.change_usd for step in back.steps] == [-step.change_usd for step in there.steps]


def test_draws_have_no_waterfall() -> None:
    """A waterfall is of two numbers; draws and unknown measures are refused by name."""
    drawn = totals(
        Option(accelerator_id="x", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=np.ones((3, 1))),
        Finance(horizon_months=12),
    )
    with pytest.raises(InputError, match="numbers, not draws"):
        waterfall(drawn, drawn)
    with pytest.raises(InputError, match="measure is 'real'"):
        waterfall(drawn, drawn, "real")  # type: ignore[arg-type]
