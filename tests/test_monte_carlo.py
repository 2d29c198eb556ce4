"""Draws are seeded, shared where things are one thing, and every one of them is a full calculation."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy_financial as npf
import pytest

from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.distributions import Spread
from lib.cost.monte_carlo import DRAWS, PERCENTILES, Uncertain, costs, drawn, simulate
from lib.cost.options import Finance, Option
from lib.cost.time_value import monthly_rate
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=230_000.0,
    load_kw_per_server=8.7,
    idle_kw_per_server=2.5,
    hardware_support_fraction=0.05,
    spares_fraction=0.05,
    staff_fte_per_server=0.25,
    residual_by_year=(0.5, 0.3, 0.15),
)
RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=2.0)
FINANCE = Finance(
    horizon_months=36,
    discount_rate=0.10,
    utilisation=0.4,
    electricity_usd_per_kwh=0.09,
    power_usage_effectiveness=1.5,
    colocation_usd_per_kw_month=196.0,
    staff_usd_per_fte_year=325_000.0,
)
RENT = Spread(1.0, 2.0, 4.0)
MANY = (
    Uncertain("price", "server_price_usd", (0,), Spread(180_000.0, 230_000.0, 290_000.0)),
    Uncertain("support", "hardware_support_fraction", (0,), Spread(0.01, 0.05, 0.12)),
    Uncertain("residual", "residual_scale", (0,), Spread(0.33, 1.0, 1.67)),
    Uncertain("staff", "staff_fte_per_server", (0,), Spread(0.1, 0.25, 0.5)),
    Uncertain("rent", "rent_usd_per_gpu_hour", (1,), Spread(1.5, 1.99, 6.5)),
    Uncertain("use", "utilisation", (), Spread(0.4, 0.4, 0.7)),
    Uncertain("power", "electricity_usd_per_kwh", (), Spread(0.0821, 0.0929, 0.0933)),
    Uncertain("pue", "power_usage_effectiveness", (), Spread(1.4, 1.5, 1.8)),
    Uncertain("pay", "staff_usd_per_fte_year", (), Spread(240_000.0, 325_000.0, 325_000.0)),
)


def rent_of(place: int, name: str, spread: Spread = RENT) -> Uncertain:
    """A rent that is drawn."""
    return Uncertain(name, "rent_usd_per_gpu_hour", (place,), spread)


def mean(spread: Spread) -> float:
    """The mean of a triangle."""
    return (spread.low + spread.base + spread.high) / 3


def test_a_draw_is_the_calculation_with_its_values() -> None:
    """Of 10,000 draws twenty are calculated one by one, by totals, by monthly flows and by numpy-financial: to 1e-9."""
    values = drawn(MANY, DRAWS, seed=3)
    found = costs((BOUGHT, RENTED), FINANCE, MANY, values)
    for draw in range(0, DRAWS, DRAWS // 20):
        records: list[dict[str, Any]] = [{}, {}, {}]
        for one, value in zip(MANY, values, strict=True):
            records[one.options[0] if one.options else 2][one.field] = float(value[draw, 0])
        finance = replace(FINANCE, **records[2])
        for row, option in enumerate((BOUGHT, RENTED)):
            single = replace(option, **records[row])
            flows = monthly_flows(single, finance)
            assert found[row, draw] == pytest.approx(float(totals(single, finance).npv_usd), rel=1e-9)
            assert found[row, draw] == pytest.approx(float(flows.npv_usd), rel=1e-9)
            assert found[row, draw] == pytest.approx(npf.npv(monthly_rate(0.10), flows.total), rel=1e-9)


def test_the_mean_is_the_cost_at_the_means() -> None:
    """The cost is linear in each of these amounts and they are independent: within four standard errors."""
    means: dict[str, Any] = {one.field: mean(one.spread) for one in MANY}
    finance = replace(FINANCE, **{one.field: means[one.field] for one in MANY if not one.options})
    found = simulate((BOUGHT, RENTED), FINANCE, MANY, seed=11)
    for row, option in enumerate((BOUGHT, RENTED)):
        own = {one.field: means[one.field] for one in MANY if one.options == (row,)}
        expected = float(totals(replace(option, **own), finance).npv_usd)
        one = found.options[row]
        deviation = (one.percentiles_usd[90] - one.percentiles_usd[10]) / 2.5
        assert abs(one.mean_usd - expected) < 4 * deviation / np.sqrt(DRAWS)


def test_the_chance_against_a_fixed_price_is_that_of_the_triangle() -> None:
    """A rent spread over 1, 2, 4 lies below a fixed 2 with probability (2 - 1) / (4 - 1), and costs less: 4 errors."""
    found = simulate((RENTED, RENTED), FINANCE, [rent_of(1, "other")], seed=5)
    assert abs(found.cheaper[1][0] - 1 / 3) < 4 * found.standard_error(1 / 3)
    assert found.cheaper[0][1] == pytest.approx(1 - found.cheaper[1][0], abs=1e-12)
    assert found.standard_error(0.5) == pytest.approx(0.005, rel=1e-12)


def test_alike_and_apart_is_a_coin() -> None:
    """Two rents spread alike and drawn apart: one half for each within four errors, and a median gap of about nothing."""
    found = simulate((RENTED, RENTED), FINANCE, [rent_of(0, "one"), rent_of(1, "other")], seed=5)
    assert abs(found.cheaper[0][1] - 0.5) < 4 * found.standard_error(0.5)
    assert sum(found.cheapest) == pytest.approx(1.0, abs=1e-12)
    (gap,) = found.gaps
    assert abs(gap.percentiles_usd[50]) < 0.02 * found.options[0].mean_usd
    assert gap.mean_usd == pytest.approx(found.options[0].mean_usd - found.options[1].mean_usd, rel=1e-9, abs=1e-3)


def test_what_is_one_thing_is_drawn_once() -> None:
    """Two options under one rent cost the same in every draw: one half exactly, and no gap at all."""
    shared = Uncertain("rent", "rent_usd_per_gpu_hour", (0, 1), RENT)
    found = simulate((RENTED, RENTED), FINANCE, [shared], seed=5)
    assert found.cheaper == ((0.5, 0.5), (0.5, 0.5))
    assert found.cheapest == (0.5, 0.5)
    assert set(found.gaps[0].percentiles_usd.values()) == {0.0}


def test_percentiles_are_those_of_the_only_amount() -> None:
    """With one rent uncertain the cost at 25 % is the rent at 25 % times GPU-hours at month 0, to 2 %."""
    found = simulate((RENTED,), FINANCE, [rent_of(0, "rent")], seed=8)
    per_dollar = float(totals(replace(RENTED, rent_usd_per_gpu_hour=1.0), FINANCE).npv_usd)
    quarter = 1 + np.sqrt(0.25 * 3 * 1)
    assert found.options[0].percentiles_usd[25] == pytest.approx(quarter * per_dollar, rel=0.02)
    assert list(found.options[0].percentiles_usd) == list(PERCENTILES)
    assert found.options[0].base_usd == pytest.approx(2 * per_dollar, rel=1e-12)
    ends = found.options[0].low_usd, found.options[0].high_usd
    assert per_dollar <= ends[0] < ends[1] <= 4 * per_dollar


def test_the_same_seed_gives_the_same_and_another_another() -> None:
    """Equal to the last bit with the seed, different without it."""
    first, again, other = (simulate((BOUGHT, RENTED), FINANCE, MANY, seed=seed) for seed in (1, 1, 2))
    assert first.options[0].percentiles_usd == again.options[0].percentiles_usd
    assert first.cheaper == again.cheaper
    assert first.options[0].percentiles_usd != other.options[0].percentiles_usd


def test_another_option_changes_no_draw() -> None:
    """An option's own numbers stay when one is added beside it: to the last bit."""
    alone = simulate((BOUGHT,), FINANCE, [one for one in MANY if one.field != "rent_usd_per_gpu_hour"], seed=1)
    beside = simulate((BOUGHT, RENTED), FINANCE, MANY, seed=1)
    assert alone.options[0].percentiles_usd == beside.options[0].percentiles_usd


def test_a_dearer_rival_is_never_likelier_to_win() -> None:
    """The draws stay when a range moves up, so that the chance of the rival falls step by step, exactly."""
    chances = [
        simulate(
            (BOUGHT, RENTED), FINANCE, [*MANY[:4], rent_of(1, "rent", Spread(rent, rent, rent * 3))], seed=9
        ).cheaper[1][0]
        for rent in (0.5, 1.0, 1.5, 2.0, 2.5)
    ]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > chances[-1]


@pytest.mark.parametrize("correlation", [0.3, 0.8])
def test_a_common_factor_correlates_prices_and_nothing_else(correlation: float) -> None:
    """Ranks of a Gaussian copula correlate by 6 / pi x asin(r / 2), to 0.04; marginals and other amounts stay."""
    prices = [Uncertain(name, "server_price_usd", (0,), Spread(1.0, 2.0, 5.0)) for name in ("one", "other")]
    rent = rent_of(1, "rent")
    one, other, rents = (values.ravel() for values in drawn([*prices, rent], DRAWS, 4, correlation))

    def ranks(values: Any) -> Any:
        return values.argsort().argsort()

    expected = 6 / np.pi * np.arcsin(correlation / 2)
    assert np.corrcoef(ranks(one), ranks(other))[0, 1] == pytest.approx(expected, abs=0.04)
    assert np.corrcoef(ranks(one), ranks(rents))[0, 1] == pytest.approx(0, abs=0.04)
    assert one.mean() == pytest.approx(mean(Spread(1.0, 2.0, 5.0)), rel=0.02)
    assert (rents == drawn([rent], DRAWS, 4)[0].ravel()).all()


def test_histograms_hold_every_draw() -> None:
    """Shares add up to 1 over one bin less than edges, in single precision, from the least to the most cost."""
    found = simulate((BOUGHT, RENTED), FINANCE, MANY, seed=1)
    for one in found.options:
        assert one.histogram.shares.sum() == pytest.approx(1.0, abs=1e-5)
        assert len(one.histogram.edges_usd) == len(one.histogram.shares) + 1
        assert one.histogram.edges_usd.dtype == one.histogram.shares.dtype == np.float32
        assert one.histogram.edges_usd[[0, -1]] == pytest.approx([one.low_usd, one.high_usd], rel=1e-6)


def test_without_uncertainty_everything_is_certain() -> None:
    """Nothing drawn: all percentiles are the base, and the cheaper option is cheaper for sure."""
    found = simulate((BOUGHT, RENTED), FINANCE, (), seed=1)
    for one in found.options:
        assert list(one.percentiles_usd.values()) == pytest.approx([one.base_usd] * len(PERCENTILES), rel=1e-12)
    assert found.cheaper[1][0] in (0.0, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"draws": 0}, "draws is 0"),
        ({"price_correlation": 1.2}, r"price_correlation is 1\.2"),
        ({"measure": "real"}, "measure is 'real'"),
        ({"options": ()}, "options is"),
        ({"uncertain": [rent_of(3, "rent")]}, "places of the 1 options"),
        ({"uncertain": [rent_of(0, "rent"), rent_of(0, "rent")]}, "amounts with names of their own"),
        ({"uncertain": [rent_of(0, "rent", Spread(-1.0, 1.0, 2.0))]}, "rent_usd_per_gpu_hour is -"),
    ],
)
def test_questions_without_meaning_are_refused(change: dict[str, Any], message: str) -> None:
    """Each by the name of what is wrong."""
    asked: dict[str, Any] = {"options": (RENTED,), "finance": FINANCE, "uncertain": [rent_of(0, "rent")], "seed": 1}
    with pytest.raises(InputError, match=message):
        simulate(**{**asked, **change})
