"""Paths of a purchase: closed forms, what break-evens and waits mean, and what cannot be costed."""

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.scenario import Candidate, Scenario, changed
from lib.choice.timing_paths import ADVISED_MONTHS, timing
from lib.choice.timing_records import Timing
from lib.choice.view_choices import with_timing

FACTS = catalog.load()
MONTHLY = 1.1 ** (1 / 12)
RENT = 8 * 730 * 2.0


def bare(**candidate: object) -> Scenario:
    """Eight H100, 300,000 USD a server or 2 USD an hour, 10 % a year, three years, and nothing else that costs."""
    scenario = presets.preset(FACTS, "serve-70b")
    free = dict.fromkeys(
        (
            "electricity_usd_per_kwh", "colocation_usd_per_kw_month", "hardware_support_fraction", "residual_scale",
            "staff_fte_per_server", "migration_engineer_weeks", "network_usd_per_gpu", "spares_fraction",
            "rent_support_fraction", "licence_usd_per_gpu_year",
        ),
        0.0,
    )  # fmt: skip
    money = scenario.money.model_copy(update={**free, "discount_rate": 0.1, "horizon_years": 3})
    ways = (
        Candidate(
            accelerator="h100-sxm", gpus=8, acquisition="buy", price_source="own", server_price_usd=300_000.0,
            **candidate,  # type: ignore[arg-type]
        ),
        Candidate(
            accelerator="h100-sxm", gpus=8, acquisition="rent", price_source="own", rent_usd_per_gpu_hour=2.0
        ),
    )  # fmt: skip
    return scenario.model_copy(update={"money": money, "candidates": ways})


def installation() -> float:
    """Setting up eight GPUs, the one cost that the scenario cannot switch off."""
    return 8 * float(FACTS.assumption("capex-install-setup").base or 0.0)


def annuity(first: int, last: int) -> float:
    """Value at month 0 of one dollar in each of these months."""
    return sum(MONTHLY**-month for month in range(first, last + 1))


def flat(found: Timing, kind: str) -> float:
    """The cost of a path with flat prices."""
    return found.path(kind).npv_usd["flat"]  # type: ignore[arg-type]


def test_each_path_costs_its_closed_form() -> None:
    """Renting is an annuity; buying is the price; renting six months first is both, the price in month six."""
    found = timing(FACTS, bare())
    price = 300_000.0 + installation()
    assert flat(found, "rent") == pytest.approx(RENT * annuity(1, 36), abs=0.01)
    assert flat(found, "buy-now") == pytest.approx(price, abs=0.01)
    assert flat(found, "rent-then-buy") == pytest.approx(RENT * annuity(1, 6) + price * MONTHLY**-6, abs=0.01)


def test_a_later_order_moves_with_the_rents_unless_the_reader_says_no() -> None:
    """Half a year at the future's yearly change, on the server alone."""
    scenario = bare()
    found = timing(FACTS, scenario)
    falls = next(drift for drift in found.drifts if drift.name == "falls").per_year
    price = 300_000.0 * (1 + falls) ** 0.5 + installation()
    expected = RENT * annuity(1, 6) + price * MONTHLY**-6
    assert found.path("rent-then-buy").npv_usd["falls"] == pytest.approx(expected, abs=0.01)
    fixed = timing(FACTS, with_timing(scenario, "prices_follow", False))
    costs = fixed.path("rent-then-buy").npv_usd
    assert costs["falls"] == pytest.approx(costs["flat"], abs=0.01)  # half a year of rent sees no new year


def test_a_lead_time_is_bridged_by_renting() -> None:
    """Ten months of lead time are ten months of rent, and the price is paid at delivery."""
    found = timing(FACTS, with_timing(bare(), "lead_months", 10))
    expected = RENT * annuity(1, 10) + (300_000.0 + installation()) * MONTHLY**-10
    assert flat(found, "buy-now") == pytest.approx(expected, abs=0.01)
    assert timing(FACTS, bare(delivery_months=10)).lead_months == 10


def test_both_sides_of_a_break_even_differ() -> None:
    """Rents that fall a little more make renting the cheaper path, a little less the dearer one."""
    found = timing(FACTS, bare())
    one = next(b for b in found.break_evens if b.kind == "rent")
    (at,) = one.at
    for side, renting_is_cheaper in ((-0.005, one.cheaper_below == "path"), (0.005, one.cheaper_below != "path")):
        scenario = bare()
        moved = changed(scenario, ("money", "rent_change_per_year"), at + side)
        costs = timing(FACTS, moved)
        assert (costs.path("rent").npv_usd["own"] < costs.path("buy-now").npv_usd["own"]) == renting_is_cheaper


def test_the_most_a_wait_may_cost_is_what_makes_it_even() -> None:
    """A server at that price, ordered in that month, brings the path to what buying now costs."""
    scenario = bare()
    wait = timing(FACTS, scenario).wait
    assert wait is not None
    month, most = wait.months[1], wait.against_buying_usd[1]
    assert most is not None
    then = scenario.candidates[0].model_copy(update={"server_price_usd": most})
    later = scenario.model_copy(update={"candidates": (then, scenario.candidates[1])})
    path = timing(FACTS, with_timing(later, "rent_first_months", month)).path("rent-then-buy")
    assert path.npv_usd["flat"] == pytest.approx(flat(timing(FACTS, scenario), "buy-now"), abs=0.01)


def test_the_resale_that_is_needed_makes_the_purchase_even() -> None:
    """With that worth at the end buying costs what the cheapest rental costs."""
    found = timing(FACTS, changed(bare(), ("money", "residual_scale"), 1.0))
    risk = found.resale
    assert risk is not None
    assert risk.rival is not None
    assert risk.needed_fraction is not None
    paid = 300_000.0 + installation() - risk.needed_fraction * 300_000.0 * MONTHLY**-36
    assert paid == pytest.approx(flat(found, risk.rival), abs=0.01)
    assert risk.nothing_usd == pytest.approx(300_000.0 + installation(), abs=0.01)


def test_the_ends_of_the_resale_are_those_of_the_age_at_the_sale() -> None:
    """Three years after delivery an H100 is worth 20 to 35 % (fin-residual-y3), after two 30 to 45 % (fin-residual-y2)."""
    for months, ends in ((0, (0.20, 0.35)), (12, (0.30, 0.45))):
        found = timing(FACTS, with_timing(bare(), "lead_months", months))
        assert found.resale is not None
        assert (found.resale.low_fraction, found.resale.high_fraction) == pytest.approx(ends, abs=1e-12)


def test_the_advice_of_the_article_is_both_of_its_months() -> None:
    """Three and six months, each against buying now, whatever the slider says."""
    found = timing(FACTS, with_timing(bare(), "rent_first_months", 20))
    assert [path.order_month for path in found.advised] == list(ADVISED_MONTHS)
    price = 300_000.0 + installation()
    assert found.advised[0].npv_usd["flat"] == pytest.approx(RENT * annuity(1, 3) + price * MONTHLY**-3, abs=0.01)


def test_what_serves_after_the_horizon_has_no_cost() -> None:
    """An order after the end is said, not costed."""
    scenario = changed(bare(), ("money", "horizon_years"), 1)
    path = timing(FACTS, with_timing(scenario, "rent_first_months", 12)).path("rent-then-buy")
    assert path.problem is not None
    assert path.problem.code == "nothing-left"
    assert path.npv_usd == {}


def test_an_articles_price_is_not_held_against_the_catalogues() -> None:
    """Article A1 prices a purchase alone: no rent of another source stands beside it."""
    found = timing(FACTS, presets.preset(FACTS, "llama-405b"))
    assert [path.kind for path in found.paths if path.npv_usd] == ["buy-now"]


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_a_dearer_server_never_makes_a_purchase_cheaper(preset_id: str) -> None:
    """The range of the price rows brackets the cost, for every preset."""
    for path in timing(FACTS, presets.preset(FACTS, preset_id)).paths:
        if path.low_usd is not None and path.high_usd is not None:
            assert path.low_usd <= path.npv_usd["flat"] + 0.01
            assert path.npv_usd["flat"] <= path.high_usd + 0.01
