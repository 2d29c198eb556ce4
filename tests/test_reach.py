"""What a budget or a power cap reaches is no more and no less than it allows."""

import pytest

from lib import catalog
from lib.choice.assessment import assess
from lib.choice.energy_use import GRIDS, energy_of, grid_kg_per_kwh
from lib.choice.fleet_costs import costed_all, costed_beside
from lib.choice.power_cap import filled
from lib.choice.presets import preset
from lib.choice.reach import quote_to_match, within_budget, within_power
from lib.cost.cash_flow import totals
from lib.cost.inverse import Budget
from lib.errors import InputError, UnknownNameError

FACTS = catalog.load()
SERVE = preset(FACTS, "serve-70b")
RENTS = preset(FACTS, "multimodal")
BUDGETS: tuple[Budget, ...] = ("npv", "nominal", "capital", "dearest-year", "level-year")


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("place", [0, 1])
def test_a_budget_buys_whole_servers_and_no_more(budget: Budget, place: int) -> None:
    """What is used is within five million, one more server is not, and the fleet's cost is that of a candidate so large."""
    found = within_budget(FACTS, SERVE, place, budget, 5e6)
    assert found.used is not None
    assert found.one_more is not None
    assert found.used <= 5e6 < found.one_more
    assert found.servers is not None
    assert found.gpus == 8 * found.servers
    whole = SERVE.candidates[place].model_copy(update={"gpus": found.gpus})
    assert found.npv_usd == pytest.approx(costed_beside(FACTS, SERVE, whole).npv_usd, rel=1e-9)


def test_a_rental_is_had_by_the_gpu() -> None:
    """So many GPUs that one more would break the budget, and as many replicas as they hold whole."""
    found = within_budget(FACTS, RENTS, 0, "level-year", 1e6)
    assert found.used is not None
    assert found.one_more is not None
    assert found.used <= 1e6 < found.one_more
    assert found.servers is None
    replica = found.candidate.gpus
    assert replica is not None
    assert found.copies == found.gpus // (replica // (1 + RENTS.workload.spare_replicas))


def test_a_budget_too_small_buys_nothing() -> None:
    """No server for 1,000 USD: nothing held, nothing served."""
    found = within_budget(FACTS, SERVE, 0, "npv", 1_000.0, (100.0, 200.0))
    assert (found.servers, found.gpus, found.copies, found.sequences) == (0, 0, 0, 0)
    assert (found.used, found.npv_usd) == (None, None)
    assert found.tokens_per_s == (0.0, 0.0)


def test_what_is_served_grows_with_the_copies() -> None:
    """Sequences and tokens are those of the working replicas; without an interval there are no tokens."""
    found = within_budget(FACTS, SERVE, 0, "npv", 5e6, (100.0, 200.0))
    assert found.copies
    working = found.copies - SERVE.workload.spare_replicas
    assert found.tokens_per_s == (working * 100.0, working * 200.0)
    assert found.sequences is not None
    assert found.sequences % working == 0
    assert within_budget(FACTS, SERVE, 0, "npv", 5e6).tokens_per_s is None


def test_a_power_cap_is_filled_as_the_recommendation_fills_it() -> None:
    """The same servers, GPUs, copies and cost as the filled cap of the scenario with one megawatt, place by place."""
    scenario = preset(FACTS, "one-megawatt")
    cap = scenario.constraints.power_kw
    assert cap is not None
    assessments = [assess(FACTS, scenario, place) for place in range(len(scenario.candidates))]
    for one in filled(FACTS, scenario, assessments):
        found = within_power(FACTS, scenario, one.assessment.place, cap)
        assert (found.servers, found.gpus, found.copies) == (one.servers, one.gpus, one.copies)
        assert found.npv_usd == pytest.approx(one.npv_usd, rel=1e-9)
        assert found.used is not None
        assert found.one_more is not None
        assert found.used <= cap < found.one_more


def test_at_the_price_of_the_quote_both_cost_the_same() -> None:
    """A server at that price makes the candidates' net present values equal, to 1e-9."""
    first, second, *_ = costed_all(FACTS, SERVE)
    found = quote_to_match(second, first)
    assert found.verdict == "at"
    priced = SERVE.candidates[1].model_copy(update={"server_price_usd": found.at})
    again = costed_beside(FACTS, SERVE, priced)
    assert again.npv_usd == pytest.approx(first.npv_usd, rel=1e-9)


def test_questions_without_meaning_are_refused() -> None:
    """Capital of a rental, its power, a budget of nothing."""
    with pytest.raises(InputError, match="budget is 'capital'"):
        within_budget(FACTS, RENTS, 0, "capital", 1e6)
    with pytest.raises(InputError, match="a candidate that is bought"):
        within_power(FACTS, RENTS, 0, 1_000.0)
    with pytest.raises(InputError, match="limit_usd is 0"):
        within_budget(FACTS, SERVE, 0, "npv", 0.0)
    with pytest.raises(InputError, match="power_kw is -1"):
        within_power(FACTS, SERVE, 0, -1.0)


def test_the_energy_of_a_purchase_is_what_its_flows_pay_for() -> None:
    """Energy of the years times the price is the energy component, to 1e-9; CO2 is that of the grid's row."""
    one = costed_all(FACTS, SERVE)[0]
    found = energy_of(FACTS, one, (100.0, 200.0), grid_kg_per_kwh(FACTS.assumptions, "us"))
    assert found.use is not None
    assert one.option is not None
    finance = one.finance.finance
    bill = totals(one.option, finance).nominal_by_component["energy"]
    paid = found.use.kwh_per_year * finance.years * float(finance.electricity_usd_per_kwh)
    assert paid == pytest.approx(bill, rel=1e-9)
    assert found.use.co2_kg_per_year == pytest.approx(found.use.kwh_per_year * 0.3662, rel=1e-9)
    assert found.doubts == ()
    assert all(name in FACTS.assumptions for name in found.ids)


def test_the_energy_of_a_rental_is_a_share_of_a_server_and_says_so() -> None:
    """Two rented GPUs draw a quarter of an eight-GPU server, marked as the provider's; without a row, one by the rated power."""
    one = costed_all(FACTS, RENTS)[0]
    assert one.option is not None
    found = energy_of(FACTS, one)
    assert found.use is not None
    load, idle = (
        FACTS.assumption(f"pow-node-{state}-{one.accelerator.accelerator_id}").base for state in ("load", "idle")
    )
    assert load is not None
    assert idle is not None
    use = float(one.finance.finance.utilisation)
    assert found.use.average_kw == pytest.approx((idle + (load - idle) * use) * one.option.gpus / 8, rel=1e-12)
    assert [doubt.code for doubt in found.doubts] == ["providers-power"]
    small = [
        one for one in costed_all(FACTS, preset(FACTS, "chat-low-latency")) if one.accelerator.accelerator_id == "l40s"
    ]
    ruled = energy_of(FACTS, small[0])
    assert small[0].option is not None
    assert ruled.use is not None
    beyond, share = (FACTS.assumption(name).base or 0 for name in ("pow-node-over-rated", "pow-node-idle-share"))
    busy = float(small[0].finance.finance.utilisation)
    one_gpu = (0.350 + beyond) * (busy + (1 - busy) * share)  # an L40S is rated at 350 W
    assert ruled.use.average_kw == pytest.approx(one_gpu * small[0].option.gpus, rel=1e-12)
    assert [doubt.code for doubt in ruled.doubts] == ["providers-power", "estimated-power"]


def test_every_grid_has_its_row() -> None:
    """All named grids have an intensity between a clean and a coal grid [kg per kWh]; others are refused by name."""
    for grid in GRIDS:
        assert 0.02 < grid_kg_per_kwh(FACTS.assumptions, grid) < 1.1
    with pytest.raises(UnknownNameError, match="no grid is called 'mars'"):
        grid_kg_per_kwh(FACTS.assumptions, "mars")
