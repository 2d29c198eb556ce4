"""The questions the other way round agree with the questions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy_financial as npf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.drivers import Driver
from lib.cost.inverse import budget_use_usd, matching_price, most_within, price_field, price_for
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import break_even_of
from lib.cost.time_value import monthly_rate
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    network_usd_per_gpu=3_500.0,
    installation_usd_per_gpu=736.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    hardware_support_fraction=0.05,
    spares_fraction=0.05,
    migration_usd=37_500.0,
    residual_by_year=(0.5, 0.3, 0.15),
)
RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
FINANCE = Finance(horizon_months=36, discount_rate=0.10, utilisation=0.4, electricity_usd_per_kwh=0.09)


@given(
    fixed=st.floats(0, 1e5),
    each=st.floats(1, 1e4),
    step=st.integers(1, 9),
    jump=st.floats(0, 1e4),
    limit=st.floats(1, 1e6),
)
def test_the_greatest_count_within_is_found(fixed: float, each: float, step: int, jump: float, limit: float) -> None:
    """With fixed cost and stairs: k stays within the limit and k + 1 does not; few evaluations."""
    asked = []

    def use(count: int) -> float:
        asked.append(count)
        return fixed + each * count + jump * (count // step)

    found = most_within(use, limit, 100_000)
    assert 0 <= found <= 100_000
    assert found == 0 or use(found) <= limit
    assert found == 100_000 or use(found + 1) > limit
    assert len(asked) < 70


def test_the_end_of_the_count_is_kept() -> None:
    """Where everything is within, the most is the answer; of one allowed, one or none."""
    assert most_within(lambda count: 0.0, 1.0, 50) == 50
    assert most_within(lambda count: 1.0, 1.0, 1) == 1
    assert most_within(lambda count: 2.0, 1.0, 1) == 0


def test_the_level_year_is_the_payment_of_the_annuity() -> None:
    """Twelve times numpy-financial's payment on the net present value over the months, to 1e-9."""
    flows = monthly_flows(BOUGHT, FINANCE)
    payment = npf.pmt(monthly_rate(0.10), 36, -float(flows.npv_usd))
    assert budget_use_usd(flows, "level-year") == pytest.approx(12 * payment, rel=1e-9)


def test_budgets_count_what_they_say() -> None:
    """Capital: 230,000 x 1.05 + 8 x 4,236; the dearest year is the first with month 0 in it, by its flows; to 1e-9."""
    flows = monthly_flows(BOUGHT, FINANCE)
    assert budget_use_usd(flows, "capital") == pytest.approx(230_000 * 1.05 + 8 * 4_236, rel=1e-9)
    assert budget_use_usd(flows, "dearest-year") == pytest.approx(flows.total[:13].sum(), rel=1e-9)
    assert budget_use_usd(flows, "npv") == float(flows.npv_usd)
    assert budget_use_usd(flows, "nominal") == float(flows.nominal_usd)
    rising = monthly_flows(replace(RENTED, rent_change_per_year=0.5), FINANCE)
    assert budget_use_usd(rising, "dearest-year") == pytest.approx(8 * 2.0 * 8760 * 1.5**2, rel=1e-9)
    with pytest.raises(InputError, match="budget is 'weekly'"):
        budget_use_usd(flows, "weekly")  # type: ignore[arg-type]


@given(target=st.floats(150_000, 2e6), rate=st.floats(0, 0.3), option=st.sampled_from([BOUGHT, RENTED]))
def test_at_its_price_an_option_costs_the_target(target: float, rate: float, option: Option) -> None:
    """Put back into the option the price gives the target, to 1e-9, in both measures."""
    finance = replace(FINANCE, discount_rate=rate)
    for measure, total in (("npv", "npv_usd"), ("nominal", "nominal_usd")):
        found = price_for(option, finance, target, measure)  # type: ignore[arg-type]
        assert found.verdict == "at"
        change: dict[str, Any] = {price_field(option.acquisition): found.at}
        summed = totals(replace(option, **change), finance)
        assert getattr(summed, total) == pytest.approx(target, rel=1e-9)


def test_a_quote_that_matches_is_the_break_even() -> None:
    """The server's price at which buying costs what renting does, as the bracketing solver has it, to 1e-6."""
    found = matching_price(BOUGHT, RENTED, FINANCE)
    solved = break_even_of(BOUGHT, RENTED, FINANCE, Driver("first", "server_price_usd", 0.0, 1e6))
    assert found.at == pytest.approx(solved, rel=1e-6)
    assert found.now == 230_000.0
    assert found.at is not None
    assert found.change == pytest.approx(found.at / 230_000.0 - 1, rel=1e-12)
    assert matching_price(RENTED, BOUGHT, FINANCE).field == "rent_usd_per_gpu_hour"


def test_never_and_always_are_answers() -> None:
    """Dearer than the target for nothing: never. A price that does not enter: always, or never, by what it costs."""
    assert price_for(BOUGHT, FINANCE, 10_000.0).verdict == "never"
    idle = replace(RENTED, billing="used-hours")
    unused = replace(FINANCE, utilisation=0.0)
    assert price_for(idle, unused, 0.0).verdict == "always"
    assert price_for(idle, unused, -1.0).verdict == "never"
    assert price_for(idle, unused, -1.0).change is None
    with pytest.raises(InputError, match="target_usd is nan"):
        price_for(RENTED, FINANCE, float("nan"))


@pytest.mark.parametrize("servers", [1, 7, 40])
def test_a_budget_made_of_servers_buys_those(servers: int) -> None:
    """The budget that n servers take buys n, and one dollar less buys one fewer."""

    def use(count: int) -> float:
        return budget_use_usd(monthly_flows(replace(BOUGHT, gpus=8 * count), FINANCE), "npv")

    counted: Callable[[int], float] = use
    budget = counted(servers)
    assert most_within(counted, budget * (1 + 1e-12), 12_500) == servers
    assert most_within(counted, budget - 1.0, 12_500) == servers - 1
    assert np.isfinite(budget)
