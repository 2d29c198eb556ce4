"""Cost per GPU-hour, per GB-year and per million tokens, with the throughput interval carried through."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import totals
from lib.cost.options import Finance, Option
from lib.cost.unit_cost import (
    cost_per_gb_year_usd,
    cost_per_gpu_hour_usd,
    cost_per_million_tokens_usd,
    cost_per_training_run_usd,
    cost_per_user_year_usd,
    split_cost_per_million_tokens_usd,
    unit_cost,
    users_served,
)
from lib.errors import InputError

RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=9,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    residual_by_year=(0.5, 0.3, 0.15),
)
FINANCE = Finance(horizon_months=36, discount_rate=0.10, utilisation=0.4, electricity_usd_per_kwh=0.09)


@given(rate=st.floats(-0.05, 0.3), months=st.integers(1, 60), rent=st.floats(0.01, 20))
def test_the_levelised_cost_of_a_constant_rent_is_that_rent(rate: float, months: int, rent: float) -> None:
    """Whatever the discount rate and the horizon, to 1e-12; and so is the nominal cost."""
    option = replace(RENTED, rent_usd_per_gpu_hour=rent)
    finance = Finance(horizon_months=months, discount_rate=rate)
    for basis in ("levelised", "nominal"):
        assert unit_cost(option, finance, basis=basis).gpu_hour_usd == pytest.approx(rent, rel=1e-12)


def test_owned_and_delivered_hours_are_apart() -> None:
    """Sixteen GPUs are owned and nine at 40 % deliver: GPU-hours and their costs by hand, to 1e-9."""
    cost = unit_cost(BOUGHT, FINANCE, basis="nominal")
    nominal = totals(BOUGHT, FINANCE).nominal_usd
    assert cost.held_gpu_hours == pytest.approx(16 * 3 * 8760)
    assert cost.delivered_gpu_hours == pytest.approx(9 * 0.4 * 3 * 8760)
    assert cost.gpu_hour_usd == pytest.approx(nominal / (16 * 3 * 8760), rel=1e-9)
    assert cost.delivered_gpu_hour_usd == pytest.approx(nominal / (9 * 0.4 * 3 * 8760), rel=1e-9)


def test_a_gb_year_counts_reported_memory_in_decimal_gb() -> None:
    """191.98 GiB are 206.14 GB: eight of them at 16 USD an hour, to 1e-6."""
    cost = unit_cost(RENTED, FINANCE, memory_gib=191.98)
    assert cost.gb_year_usd == pytest.approx(16 * 8760 / (8 * 191.98 * 2**30 / 1e9), rel=1e-6)
    assert unit_cost(RENTED, FINANCE).gb_year_usd is None


def test_two_dollars_an_hour_and_half_a_million_tokens_are_four_dollars_a_million() -> None:
    """Article A2's example, to 1e-12."""
    assert cost_per_million_tokens_usd(2.0, 500_000 / 3600) == pytest.approx(4.0, rel=1e-12)
    option = replace(RENTED, gpus=1)
    cost = unit_cost(option, Finance(horizon_months=12), output_tokens_per_s=(500_000 / 3600, 500_000 / 3600))
    assert cost.million_output_tokens_usd == pytest.approx((4.0, 4.0), rel=1e-9)


def test_the_throughput_interval_is_carried_through() -> None:
    """The high throughput gives the low cost; input and output stand apart; at 40 % each token costs 2.5 times."""
    cost = unit_cost(RENTED, FINANCE, input_tokens_per_s=(40_000.0, 50_000.0), output_tokens_per_s=(1_000.0, 2_000.0))
    per_second = 16 / 3600 / 0.4
    assert cost.million_output_tokens_usd == pytest.approx((per_second / 2_000 * 1e6, per_second / 1_000 * 1e6))
    assert cost.million_input_tokens_usd == pytest.approx((per_second / 50_000 * 1e6, per_second / 40_000 * 1e6))


def test_there_is_no_token_cost_without_a_throughput() -> None:
    """Nothing is invented: without an interval the figures are None."""
    cost = unit_cost(RENTED, FINANCE)
    assert cost.million_input_tokens_usd is None
    assert cost.million_output_tokens_usd is None


def test_rent_by_use_costs_the_same_in_every_delivered_hour() -> None:
    """Billed by use, a delivered GPU-hour costs the rent at any utilisation."""
    option = replace(RENTED, billing="used-hours")
    for utilisation in (0.1, 0.9):
        cost = unit_cost(option, replace(FINANCE, utilisation=utilisation))
        assert cost.delivered_gpu_hour_usd == pytest.approx(2.0)
        assert cost.gpu_hour_usd == pytest.approx(2.0)


def test_draws_of_cost_and_throughput_go_through() -> None:
    """Arrays of draws give arrays of unit costs."""
    rents = np.array([[1.0], [2.0]])
    cost = unit_cost(
        replace(RENTED, rent_usd_per_gpu_hour=rents), FINANCE, output_tokens_per_s=(1_000.0, rents * 2_000)
    )
    assert cost.million_output_tokens_usd is not None
    low, high = (np.asarray(end).ravel() for end in cost.million_output_tokens_usd)
    assert low == pytest.approx([8 / 3600 / 0.4 / 2_000 * 1e6] * 2)
    assert high == pytest.approx([8 / 3600 / 0.4 / 1_000 * 1e6, 16 / 3600 / 0.4 / 1_000 * 1e6])


def test_without_work_nothing_is_delivered() -> None:
    """At zero utilisation an owned hour has a cost, a delivered one none, and a token is refused by name."""
    idle = replace(FINANCE, utilisation=0.0)
    cost = unit_cost(BOUGHT, idle)
    assert cost.gpu_hour_usd > 0
    assert cost.delivered_gpu_hour_usd is None
    with pytest.raises(InputError, match=r"utilisation is 0\.0; allowed: above 0 to 1"):
        unit_cost(BOUGHT, idle, output_tokens_per_s=(1.0, 2.0))


@pytest.mark.parametrize("interval", [(0.0, 10.0), (-1.0, 10.0), (float("nan"), 10.0), (20.0, 10.0)])
def test_a_throughput_without_meaning_is_refused(interval: tuple[float, float]) -> None:
    """Zero, negative, not a number, or from high to low: the message names the field."""
    with pytest.raises(InputError, match=r"^output_tokens_per_s is "):
        unit_cost(RENTED, FINANCE, output_tokens_per_s=interval)


@pytest.mark.parametrize(
    ("kernel", "arguments", "field"),
    [
        (cost_per_gpu_hour_usd, (1.0, 0.0), "gpu_hours"),
        (cost_per_gb_year_usd, (1.0, 0.0, 3.0), "memory_gb"),
        (cost_per_gb_year_usd, (1.0, 192.0, 0.0), "years"),
        (cost_per_million_tokens_usd, (1.0, 0.0), "tokens_per_s"),
        (split_cost_per_million_tokens_usd, (1.0, 1.0, 1.0, 0.0), "output_weight"),
        (cost_per_user_year_usd, (1.0, 0.0, 1.0), "users"),
        (cost_per_training_run_usd, (1.0, 0.0), "gpu_hours"),
        (users_served, (64.0, 0.0), "users_per_sequence"),
    ],
)
def test_a_quotient_refuses_zero(kernel: Any, arguments: tuple[float, ...], field: str) -> None:
    """No division by nothing: the message names the field."""
    with pytest.raises(InputError, match=rf"^{field} is 0\.0; allowed: above 0"):
        kernel(*arguments)


@given(bill=st.floats(0.1, 1e4), reading=st.floats(1, 1e6), writing=st.floats(1, 1e6), weight=st.floats(0.1, 50))
def test_the_parts_of_a_bill_add_up_to_it(bill: float, reading: float, writing: float, weight: float) -> None:
    """What the input and the output of an hour cost is the bill of that hour, and output is its weight of input: 1e-9."""
    of_input, of_output = split_cost_per_million_tokens_usd(bill, reading, writing, weight)
    assert (of_input * reading + of_output * writing) * 3600 / 1e6 == pytest.approx(bill, rel=1e-9)
    assert of_output == pytest.approx(weight * of_input, rel=1e-12)


def test_a_bill_is_shared_out_only_by_a_stated_weight() -> None:
    """Without a weight there is no split; with one the low cost belongs to the high throughputs, by hand to 1e-9."""
    rates: dict[str, Any] = {"input_tokens_per_s": (4_000.0, 8_000.0), "output_tokens_per_s": (1_000.0, 2_000.0)}
    assert unit_cost(RENTED, FINANCE, **rates).split is None
    assert unit_cost(RENTED, FINANCE, output_tokens_per_s=(1.0, 2.0), output_weight=4.0).split is None
    found = unit_cost(RENTED, FINANCE, **rates, output_weight=4.0).split
    assert found is not None
    per_second = 16 / 3600 / 0.4
    assert found.million_input_tokens_usd == pytest.approx((per_second / 16_000 * 1e6, per_second / 8_000 * 1e6))
    assert found.million_output_tokens_usd == pytest.approx((per_second / 4_000 * 1e6, per_second / 2_000 * 1e6))


def test_a_user_and_a_training_run_have_their_cost() -> None:
    """16 USD an hour for 640 users of 64 sequences; a run of 1,000 GPU-hours at 2 / 0.4 USD: to 1e-9."""
    users = users_served(64, 10.0)
    found = unit_cost(RENTED, FINANCE, users=users, training_gpu_hours=1_000.0)
    assert found.user_year_usd == pytest.approx(16 * 8760 / 640, rel=1e-9)
    assert found.training_run_usd == pytest.approx(5_000.0, rel=1e-9)
    plain = unit_cost(RENTED, FINANCE)
    assert plain.user_year_usd is None
    assert plain.training_run_usd is None
    idle = unit_cost(BOUGHT, replace(FINANCE, utilisation=0.0), training_gpu_hours=1_000.0)
    assert idle.training_run_usd is None


def test_an_unknown_basis_is_refused() -> None:
    """Only levelised and nominal exist."""
    with pytest.raises(InputError, match="basis is 'real'"):
        unit_cost(RENTED, FINANCE, basis="real")  # type: ignore[arg-type]
