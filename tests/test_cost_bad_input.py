"""Input at the edge of sense gives a right number or a message that names the field."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from lib import catalog
from lib.choice import presets
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Scenario, changed
from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.defaults import finance_defaults, option_for
from lib.cost.options import Finance, Option
from lib.cost.unit_cost import unit_cost
from lib.errors import InputError
from lib.present import doubts
from lib.present.text import words

FACTS = catalog.load()
TODAY = date(2026, 11, 30)
BOUGHT = Option(
    accelerator_id="h100-sxm",
    acquisition="buy",
    gpus=8,
    server_price_usd=300_000.0,
    load_kw_per_server=8.0,
    idle_kw_per_server=2.0,
    residual_by_year=(1.0, 1.0, 1.0),
)
FINANCE = Finance(horizon_months=36, electricity_usd_per_kwh=0.1)


def first_of(preset_id: str, *changes: tuple[tuple[str | int, ...], Any]) -> Costed:
    """The first candidate of a preset with some fields changed."""
    scenario: Scenario = presets.preset(FACTS, preset_id)
    for path, value in changes:
        scenario = changed(scenario, path, value)
    return costed_all(FACTS, scenario)[0]


def test_without_any_use_there_is_a_cost_and_no_cost_of_a_delivered_hour() -> None:
    """Zero utilisation: idle power is paid, delivered hours have no price, and tokens are refused by name."""
    idle = replace(FINANCE, utilisation=0.0)
    assert totals(BOUGHT, idle).nominal_by_component["energy"] == pytest.approx(2 * 730 * 36 * 0.1)
    assert unit_cost(BOUGHT, idle).delivered_gpu_hour_usd is None
    with pytest.raises(InputError, match=r"utilisation is 0\.0; allowed: above 0 to 1"):
        unit_cost(BOUGHT, idle, output_tokens_per_s=(10.0, 20.0))


def test_hardware_that_loses_nothing_costs_its_interest() -> None:
    """100 % residual at 10 % a year for three years: the price less its third discounting, to 1e-12."""
    summed = totals(BOUGHT, replace(FINANCE, discount_rate=0.10)).npv_by_component
    assert summed["hardware"] + summed["resale"] == pytest.approx(300_000 * (1 - 1.1**-3), rel=1e-12)


@pytest.mark.parametrize(("field", "value"), [("discount_rate", -0.02), ("electricity_change_per_year", -0.3)])
def test_negative_rates_are_rates(field: str, value: float) -> None:
    """A rate below zero makes later money dearer, or energy cheaper from year to year: as the closed form says (1e-12)."""
    finance = replace(FINANCE, **{field: value})  # type: ignore[arg-type]
    monthly = (8.0 * 1.0) * 730 * 0.1
    rate, change = finance.discount_rate, finance.electricity_change_per_year
    by_hand = sum(monthly * (1 + change) ** ((month - 1) // 12) * (1 + rate) ** (-month / 12) for month in range(1, 37))
    assert totals(BOUGHT, finance).npv_by_component["energy"] == pytest.approx(by_hand, rel=1e-12)


def test_a_scenario_takes_no_negative_discount_rate_and_says_what_it_takes() -> None:
    """The record of a page is narrower than the library: 0 to 50 %."""
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        first_of("serve-70b", (("money", "discount_rate"), -0.02))


@pytest.mark.parametrize("acquisition", ["buy", "rent", "commit-1y", "commit-3y"])
def test_empty_prices_are_a_reason_or_an_estimate(acquisition: Any) -> None:
    """Without a single price row a part has its estimate, marked; without an estimate too, the reason and no option."""
    bare = {name: row for name, row in FACTS.assumptions.items() if "-est" not in name and "capex-rack" not in name}
    part = FACTS.accelerator("mi300x")
    estimated = option_for(part, acquisition, 8, FACTS.assumptions, (), TODAY)
    assert "estimated-price" in [doubt.code for doubt in estimated.doubts]
    nothing = option_for(part, acquisition, 8, bare, (), TODAY)
    assert nothing.option is None
    assert nothing.reasons[0] == ("no-purchase-price" if acquisition == "buy" else "no-rental-price")


def test_a_hundred_thousand_gpus_cost_what_they_must() -> None:
    """12,500 servers: the scenario's totals are 12,500 times those of eight GPUs but for what is paid once (1e-12)."""
    path = ("candidates", 0, "gpus")
    network = (("money", "network_usd_per_gpu"), 0.0)
    many, few = (first_of("serve-70b", (path, gpus), network) for gpus in (100_000, 8))
    assert many.summed is not None
    assert few.summed is not None
    for name in ("hardware", "energy", "facility", "staff", "support", "spares", "installation", "resale"):
        grown = few.summed.npv_by_component[name] * 12_500
        assert many.summed.npv_by_component[name] == pytest.approx(grown, rel=1e-12), name
    with pytest.raises(ValidationError, match="less than or equal to 100000"):
        first_of("serve-70b", (path, 100_001))


def test_a_horizon_shorter_than_the_wait_is_a_message_on_the_page() -> None:
    """A year with a lead time of fourteen months: no number, and a sentence with the field and what is allowed."""
    one = first_of("serve-70b", (("money", "horizon_years"), 1), (("candidates", 0, "delivery_months"), 14))
    assert one.npv_usd is None
    assert one.problem is not None
    text = doubts.sentence(one.problem, words("en"))
    assert "horizon" in text
    assert "14 months until service begins" in text


def test_a_horizon_shorter_than_the_commitment_is_paid_to_its_end() -> None:
    """One year of three: 36 months of rent, said with the 24 months beyond."""
    one = first_of("serve-70b", (("money", "horizon_years"), 1), (("candidates", 0, "acquisition"), "commit-3y"))
    assert one.flows is not None
    assert one.option is not None
    rent = one.option.gpus * float(one.option.rent_usd_per_gpu_hour or 0.0) * 730
    assert float(one.flows.components["rental"].sum()) == pytest.approx(36 * rent, rel=1e-12)
    assert "24 months beyond the horizon" in doubts.sentence(one.flows.doubts[0], words("en"))


def test_a_bridge_of_a_part_that_nobody_knows_or_prices_is_a_reason() -> None:
    """The part that stands in has no rent: the option says so, and the user's own rent makes it whole."""
    wait = (("candidates", 0, "delivery_months"), 6), (("candidates", 0, "bridge"), "rent")
    stranger = (("candidates", 0, "bridge_part"), "nobody")
    one = first_of("serve-70b", *wait, stranger)
    assert one.problem is not None
    assert one.problem.code == "no-bridge-price"
    stated = first_of("serve-70b", *wait, stranger, (("candidates", 0, "bridge_usd_per_gpu_hour"), 2.0))
    assert stated.option is not None
    assert stated.flows is not None
    assert stated.flows.components["bridge"][1:8] == pytest.approx([stated.option.gpus * 2 * 730] * 6 + [0])
    fleet = first_of("serve-70b", wait[0], (("candidates", 0, "bridge"), "old-fleet"))
    assert fleet.problem is not None
    assert fleet.problem.code == "no-bridge-cost"


def test_a_currency_without_a_rate_asks_for_one() -> None:
    """Without a dated row the rate is the user's; with one stated, it is used and marked as the user's."""
    gone = {name: row for name, row in FACTS.assumptions.items() if name != "fin-fx-usdcny"}
    with pytest.raises(InputError, match="currency_per_usd is None; allowed: the rate that you state for CNY"):
        finance_defaults(gone, {"currency": "CNY"})
    stated = finance_defaults(gone, {"currency": "CNY", "currency_per_usd": 7.0})
    assert stated.finance.in_currency(10.0) == 70.0
    assert stated.origins["currency_per_usd"].kind == "user"


def test_a_flow_of_nothing_is_nothing() -> None:
    """A free server in a free room costs zero in every month: no division, no missing number."""
    free = replace(BOUGHT, server_price_usd=0.0, residual_by_year=())
    assert not monthly_flows(free, Finance(horizon_months=12)).total.any()
