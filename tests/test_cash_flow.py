"""Flows stand in the right month with the right sign, add up, and refuse what has no meaning."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import COMPONENTS, monthly_flows, residual_fraction, totals
from lib.cost.energy import average_power_kw
from lib.cost.options import Finance, Option
from lib.cost.time_value import discount_factors
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="h100-sxm",
    acquisition="buy",
    gpus=16,
    server_price_usd=300_000.0,
    network_usd_per_gpu=3_000.0,
    installation_usd_per_gpu=500.0,
    fit_out_usd_per_kw=100.0,
    load_kw_per_server=8.0,
    idle_kw_per_server=2.0,
    hardware_support_fraction=0.06,
    spares_fraction=0.05,
    residual_by_year=(0.6, 0.4, 0.3, 0.2, 0.1),
    staff_fte_per_server=0.25,
    migration_usd=20_000.0,
    licence_usd_per_gpu_year=1_200.0,
)
RENTED = Option(
    accelerator_id="h100-sxm",
    acquisition="rent",
    gpus=16,
    rent_usd_per_gpu_hour=3.0,
    rent_change_per_year=-0.10,
    rent_support_fraction=0.05,
    migration_usd=20_000.0,
)
FINANCE = Finance(
    horizon_months=36,
    discount_rate=0.10,
    utilisation=0.5,
    electricity_usd_per_kwh=0.10,
    electricity_change_per_year=0.03,
    power_usage_effectiveness=1.5,
    colocation_usd_per_kw_month=200.0,
    colocation_change_per_year=0.02,
    staff_usd_per_fte_year=200_000.0,
)
COMMITTED = replace(
    RENTED, acquisition="commit-1y", rent_change_per_year=0.0, rent_support_fraction=0.0, migration_usd=0.0
)

options = st.builds(
    lambda base, acquisition, gpus, price, rent, change, prepaid, residual, support: replace(
        base,
        acquisition=acquisition,
        gpus=gpus,
        server_price_usd=price,
        rent_usd_per_gpu_hour=rent,
        rent_change_per_year=change,
        prepaid_fraction=prepaid if acquisition.startswith("commit") else 0.0,
        residual_scale=residual,
        hardware_support_fraction=support,
        rent_support_fraction=support,
    ),
    st.just(BOUGHT),
    st.sampled_from(["buy", "rent", "commit-1y", "commit-3y"]),
    st.integers(1, 100_000),
    st.floats(0, 1e6),
    st.floats(0, 20),
    st.floats(-0.4, 0.4),
    st.floats(0, 1),
    st.floats(0, 2),
    st.floats(0, 0.3),
)
finances = st.builds(
    Finance,
    horizon_months=st.integers(36, 60),
    discount_rate=st.floats(-0.05, 0.3),
    utilisation=st.floats(0, 1),
    electricity_usd_per_kwh=st.floats(0, 0.5),
    electricity_change_per_year=st.floats(-0.2, 0.2),
    power_usage_effectiveness=st.floats(1, 2),
    colocation_usd_per_kw_month=st.floats(0, 500),
    colocation_change_per_year=st.floats(-0.1, 0.1),
    staff_usd_per_fte_year=st.floats(0, 400_000),
)


def test_a_purchase_written_out_by_hand() -> None:
    """Every component of two bought servers in its month: worked by hand, to the cent."""
    flows = monthly_flows(BOUGHT, FINANCE).components
    at_start = {
        "hardware": 600_000,  # 2 servers
        "network": 48_000,  # 16 x 3,000
        "installation": 8_000 + 1_600,  # 16 x 500 and 16 kW x 100
        "migration": 20_000,
        "spares": 30_000,  # 5 % of 600,000
    }
    for name, amount in at_start.items():
        assert flows[name][0] == pytest.approx(amount, abs=0.005), name
        assert not flows[name][1:].any(), name
    energy = 2 * (0.5 * 8 + 0.5 * 2) * 730 * 1.5 * 0.10  # 10 kW on average
    monthly = {
        "energy": [energy, energy * 1.03, energy * 1.03**2],
        "facility": [3_200, 3_200 * 1.02, 3_200 * 1.02**2],  # 16 kW x 200
        "support": [3_000, 3_000, 3_000],  # 6 % of 600,000 a year
        "licences": [1_600, 1_600, 1_600],  # 16 x 1,200 a year
        "staff": [100_000 / 12] * 3,  # 0.5 people
    }
    for name, by_year in monthly.items():
        assert flows[name][0] == 0, name
        assert flows[name][[1, 13, 25]] == pytest.approx(by_year, abs=0.005), name
        assert flows[name][[12, 24, 36]] == pytest.approx(by_year, abs=0.005), name
    assert flows["resale"][36] == pytest.approx(-180_000, abs=0.005)  # 30 % after three years
    assert not flows["resale"][:36].any()
    assert not flows["rental"].any()


def test_a_rental_written_out_by_hand() -> None:
    """Sixteen GPUs at 3 USD, ten per cent less each year, with five per cent support: to the cent."""
    flows = monthly_flows(RENTED, FINANCE)
    first = 16 * 3 * 730
    assert flows.components["rental"][[0, 1, 12, 13, 25, 36]] == pytest.approx(
        [0, first, first, first * 0.9, first * 0.81, first * 0.81], abs=0.005
    )
    assert flows.components["support"] == pytest.approx(flows.components["rental"] * 0.05, abs=0.005)
    assert flows.components["migration"][0] == 20_000
    for name in ("hardware", "network", "installation", "energy", "facility", "spares", "resale"):
        assert not flows.components[name].any(), name


@pytest.mark.parametrize(
    ("accelerator_id", "gpus", "usd_per_gpu_month", "usd_per_month"),
    [("mi355x", 4, 1409, 5636), ("b300-sxm", 4, 4019, 16076), ("h200-sxm", 8, 2279, 18232),
     ("rtx-pro-6000-blackwell-server", 2, 959, 1918), ("h200-sxm", 2, 2279, 4558)],
)  # fmt: skip
def test_the_monthly_rents_of_article_a3_come_out(
    accelerator_id: str, gpus: int, usd_per_gpu_month: float, usd_per_month: float
) -> None:
    """Article A3's deployments cost what it prints a month, to the cent."""
    option = Option(
        accelerator_id=accelerator_id, acquisition="rent", gpus=gpus, rent_usd_per_gpu_hour=usd_per_gpu_month / 730
    )
    flows = monthly_flows(option, Finance(horizon_months=12))
    assert flows.total[1:] == pytest.approx([usd_per_month] * 12, abs=0.005)


def test_nine_gpus_are_two_servers() -> None:
    """A purchase is whole servers: nine GPUs cost what sixteen cost, and the seven idle ones are named."""
    nine = monthly_flows(replace(BOUGHT, gpus=9), FINANCE)
    assert nine.option.servers == 2
    for name in ("hardware", "network", "support", "licences", "staff", "facility", "resale"):
        assert nine.components[name] == pytest.approx(monthly_flows(BOUGHT, FINANCE).components[name]), name
    assert [(doubt.code, dict(doubt.values)) for doubt in nine.doubts] == [
        ("idle-gpus", {"needed": 9, "installed": 16})
    ]
    assert monthly_flows(replace(BOUGHT, gpus=8), FINANCE).option.servers == 1


def test_idle_gpus_draw_power() -> None:
    """Without any work two servers draw their idle 4 kW; seven of sixteen GPUs without work idle all hours."""
    assert monthly_flows(BOUGHT, replace(FINANCE, utilisation=0.0)).average_kw == pytest.approx(4.0)
    assert monthly_flows(replace(BOUGHT, gpus=9), replace(FINANCE, utilisation=1.0)).average_kw == pytest.approx(
        4 + 12 * 9 / 16
    )
    assert average_power_kw(8.0, 2.0, 0.5) == 0.5 * 8.0 + 0.5 * 2.0


def test_a_commitment_binds_to_its_end() -> None:
    """Eighteen months of yearly commitments are paid for twenty-four: the six left over in the last month."""
    flows = monthly_flows(COMMITTED, replace(FINANCE, horizon_months=18))
    monthly = 16 * 3 * 730
    assert flows.components["rental"][17:] == pytest.approx([monthly, 7 * monthly])
    assert flows.nominal_usd == pytest.approx(24 * monthly)
    assert [(doubt.code, dict(doubt.values)) for doubt in flows.doubts] == [
        ("commitment-outlasts-horizon", {"months": 6})
    ]


def test_a_renewal_takes_the_rent_of_its_day() -> None:
    """Yearly commitments renew at the changed rent; one of three years keeps its rent."""
    monthly = 16 * 3 * 730
    yearly = monthly_flows(replace(COMMITTED, rent_change_per_year=-0.2), FINANCE).components["rental"]
    assert yearly[[1, 12, 13, 25]] == pytest.approx([monthly, monthly, monthly * 0.8, monthly * 0.64])
    long = replace(COMMITTED, acquisition="commit-3y", rent_change_per_year=-0.2)
    assert monthly_flows(long, FINANCE).components["rental"][1:] == pytest.approx([monthly] * 36)
    second_term = monthly_flows(long, replace(FINANCE, horizon_months=60)).components["rental"]
    assert second_term[37] == pytest.approx(monthly * 0.8**3)


def test_prepayment_moves_a_commitment_forward() -> None:
    """Wholly prepaid, three yearly terms are paid at months 0, 12 and 24; the sum stays and the value rises."""
    prepaid = monthly_flows(replace(COMMITTED, prepaid_fraction=1.0), FINANCE)
    rental = prepaid.components["rental"]
    assert np.flatnonzero(rental).tolist() == [0, 12, 24]
    assert rental[[0, 12, 24]] == pytest.approx([12 * 16 * 3 * 730] * 3)
    arrears = monthly_flows(COMMITTED, FINANCE)
    assert prepaid.nominal_usd == pytest.approx(arrears.nominal_usd)
    assert prepaid.npv_usd > arrears.npv_usd
    half = monthly_flows(replace(COMMITTED, prepaid_fraction=0.5), FINANCE).components["rental"]
    assert half == pytest.approx((rental + arrears.components["rental"]) / 2)


def test_on_demand_may_run_only_in_used_hours() -> None:
    """Billed by use, half the hours cost half the rent."""
    used = monthly_flows(replace(RENTED, billing="used-hours"), FINANCE).components["rental"]
    assert used == pytest.approx(monthly_flows(RENTED, FINANCE).components["rental"] * 0.5)


def test_residual_values_run_from_year_to_year() -> None:
    """Linear between the stated years, the first year's value before, at most the whole price, nothing unstated."""
    curve = (0.6, 0.4, 0.3)
    assert [residual_fraction(curve, months) for months in (1, 12, 15, 24, 36)] == pytest.approx(
        [0.6, 0.6, 0.55, 0.4, 0.3]
    )
    assert residual_fraction(curve, 12, 2.0) == 1.0
    assert residual_fraction((), 12) == 0
    with pytest.raises(InputError, match="horizon_months is 37; allowed: up to 36 months"):
        residual_fraction(curve, 37)


def test_full_residual_gives_the_hardware_back() -> None:
    """With 100 % residual and no discount the hardware costs nothing, and the rest costs what it did."""
    flows = monthly_flows(replace(BOUGHT, residual_by_year=(1.0, 1.0, 1.0)), replace(FINANCE, discount_rate=0.0))
    by_component = flows.by_component()
    assert by_component["hardware"] + by_component["resale"] == pytest.approx(0, abs=1e-6)


@given(option=options, finance=finances)
def test_components_and_years_add_up_to_the_total(option: Option, finance: Finance) -> None:
    """Sums over components and over years equal the total, nominal and discounted, to 1e-12 of the gross amount."""
    flows = monthly_flows(option, finance)
    assert tuple(flows.components) == COMPONENTS
    gross = sum(np.abs(flow).sum() for flow in flows.components.values()) + 1
    for discounted, total in ((False, flows.nominal_usd), (True, flows.npv_usd)):
        by_component = flows.by_component(discounted=discounted)
        by_year = flows.by_year(discounted=discounted)
        assert sum(by_component.values()) == pytest.approx(total, abs=1e-12 * gross)
        assert sum(year.sum() for year in by_year.values()) == pytest.approx(total, abs=1e-12 * gross)
        assert by_year["rental"].size == 1 + -(-finance.horizon_months // 12)
    assert flows.cumulative[-1] == pytest.approx(flows.nominal_usd, abs=1e-12 * gross)


@given(option=options, finance=finances)
def test_totals_are_the_sums_of_the_flows(option: Option, finance: Finance) -> None:
    """The totals without months equal the laid-out flows in every component, to 1e-10."""
    flows, summed = monthly_flows(option, finance), totals(option, finance)
    for name in COMPONENTS:
        assert summed.nominal_by_component[name] == pytest.approx(flows.by_component()[name], rel=1e-10, abs=1e-6)
        discounted = flows.by_component(discounted=True)[name]
        assert summed.npv_by_component[name] == pytest.approx(discounted, rel=1e-10, abs=1e-6)
    assert summed.npv_usd == pytest.approx(flows.npv_usd, rel=1e-10, abs=1e-4)


@given(option=options, finance=finances)
def test_without_discount_the_value_is_the_nominal_cost(option: Option, finance: Finance) -> None:
    """At a rate of zero both totals are one, exactly the same sum."""
    flows = monthly_flows(option, replace(finance, discount_rate=0.0))
    assert flows.npv_usd == flows.nominal_usd


@given(option=options, finance=finances)
def test_one_month_more_costs_no_less_except_by_resale(option: Option, finance: Finance) -> None:
    """Without resale the nominal cost never falls with the horizon."""
    unsold = replace(option, residual_by_year=())
    shorter = totals(unsold, finance).nominal_usd
    longer = totals(unsold, replace(finance, horizon_months=finance.horizon_months + 1)).nominal_usd
    assert longer >= shorter * (1 - 1e-12)


@given(finance=finances, factor=st.floats(0.1, 10))
def test_cost_scales_with_its_price(finance: Finance, factor: float) -> None:
    """Hardware, support, spares and resale scale with the server's price, to 1e-12."""
    one = totals(BOUGHT, finance).npv_by_component
    scaled = totals(replace(BOUGHT, server_price_usd=300_000.0 * factor), finance).npv_by_component
    for name in ("hardware", "support", "spares", "resale"):
        assert scaled[name] == pytest.approx(one[name] * factor, rel=1e-12), name


def test_draws_give_what_single_numbers_give() -> None:
    """A column of draws gives the rows that single calculations give, in flows and totals, to 1e-10."""
    prices, rates, loads = [2e5, 3e5, 4e5], [0.0, 0.08, 0.15], [7.0, 8.0, 9.0]

    def column(values: list[float]) -> Any:
        return np.array(values)[:, None]

    drawn = replace(BOUGHT, server_price_usd=column(prices), load_kw_per_server=column(loads))
    finance = replace(FINANCE, discount_rate=column(rates), electricity_change_per_year=column([0.0, 0.1, -0.1]))
    flows, summed = monthly_flows(drawn, finance), totals(drawn, finance)
    assert flows.total.shape == (3, 37)
    for row, (price, rate, load, change) in enumerate(zip(prices, rates, loads, [0.0, 0.1, -0.1], strict=True)):
        alone = monthly_flows(
            replace(BOUGHT, server_price_usd=price, load_kw_per_server=load),
            replace(FINANCE, discount_rate=rate, electricity_change_per_year=change),
        )
        assert flows.total[row] == pytest.approx(alone.total, rel=1e-10)
        assert np.asarray(summed.npv_usd)[row, 0] == pytest.approx(alone.npv_usd, rel=1e-10)


def test_a_hundred_thousand_gpus_are_counted() -> None:
    """100,000 GPUs are 12,500 servers and cost 12,500 times one."""
    assert totals(replace(BOUGHT, gpus=100_000), FINANCE).nominal_by_component["hardware"] == 12_500 * 300_000


def test_a_negative_discount_rate_makes_later_money_dearer() -> None:
    """At -5 % a year the resale after three years counts for 1/0.95^3 of its amount, to 1e-12."""
    value = totals(BOUGHT, replace(FINANCE, discount_rate=-0.05)).npv_by_component["resale"]
    assert value == pytest.approx(-180_000 / 0.95**3, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "field", "allowed"),
    [
        ({"server_price_usd": -1.0}, "server_price_usd", "0 to 1e+09 USD per server"),
        ({"server_price_usd": float("nan")}, "server_price_usd", "0 to 1e+09"),
        ({"server_price_usd": None}, "server_price_usd", "buy needs it"),
        ({"load_kw_per_server": None}, "load_kw_per_server", "buy needs it"),
        ({"server_price_usd": "300000"}, "server_price_usd", "0 to 1e+09"),
        ({"server_price_usd": np.array([1.0, 2.0])}, "server_price_usd", r"shape \(draws, 1\)"),
        ({"server_price_usd": np.array([[1.0], [np.nan]])}, "server_price_usd", "0 to 1e+09"),
        ({"gpus": 0}, "gpus", "a whole number from 1"),
        ({"gpus": 8.5}, "gpus", "a whole number from 1"),
        ({"gpus": True}, "gpus", "a whole number from 1"),
        ({"residual_by_year": (0.6, 1.4)}, r"residual_by_year\[2\]", "0 to 1"),
        ({"hardware_support_fraction": 5.0}, "hardware_support_fraction", "0 to 1"),
        ({"acquisition": "lease"}, "acquisition", "buy, rent"),
        ({"acquisition": "rent"}, "rent_usd_per_gpu_hour", "rent needs it"),
        ({"billing": "used-hours"}, "billing", "unless rented on demand"),
        ({"prepaid_fraction": 0.5}, "prepaid_fraction", "unless under a commitment"),
    ],
)  # fmt: skip
def test_an_option_names_what_is_wrong(changes: dict[str, Any], field: str, allowed: str) -> None:
    """A field outside its meaning is refused with its name and what is allowed."""
    with pytest.raises(InputError, match=f"{field} is .*allowed: .*{allowed.replace('+', '[+]')}"):
        replace(BOUGHT, **changes)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"horizon_months": 0}, "horizon_months"),
        ({"horizon_months": 12.0}, "horizon_months"),
        ({"discount_rate": -0.9}, "discount_rate"),
        ({"discount_rate": 10.0}, "discount_rate"),
        ({"utilisation": 40.0}, "utilisation"),
        ({"utilisation": float("nan")}, "utilisation"),
        ({"electricity_usd_per_kwh": float("inf")}, "electricity_usd_per_kwh"),
        ({"power_usage_effectiveness": 0.9}, "power_usage_effectiveness"),
        ({"currency": "GBP"}, "currency"),
        ({"currency_per_usd": 7.0}, "currency_per_usd"),
    ],
)
def test_finance_names_what_is_wrong(changes: dict[str, Any], field: str) -> None:
    """A field outside its meaning is refused with its name."""
    with pytest.raises(InputError, match=f"^{field} is "):
        replace(FINANCE, **changes)


@pytest.mark.parametrize(("acquisition", "months", "term"), [("commit-1y", 11, 12), ("commit-3y", 12, 36)])
def test_a_commitment_longer_than_the_horizon_is_paid_to_its_end(acquisition: Any, months: int, term: int) -> None:
    """What it binds beyond the horizon is owed in the last month, and the months are named; prepaid it costs the same."""
    finance = replace(FINANCE, horizon_months=months)
    flows = monthly_flows(replace(COMMITTED, acquisition=acquisition), finance)
    monthly = 16 * 3 * 730
    assert flows.nominal_usd == pytest.approx(term * monthly)
    assert flows.components["rental"][months] == pytest.approx((1 + term - months) * monthly)
    assert [(doubt.code, dict(doubt.values)) for doubt in flows.doubts] == [
        ("commitment-outlasts-horizon", {"months": term - months})
    ]
    prepaid = totals(replace(COMMITTED, acquisition=acquisition, prepaid_fraction=1.0), finance)
    assert prepaid.nominal_usd == pytest.approx(term * monthly)


def test_results_can_be_shown_in_another_currency() -> None:
    """Amounts are multiplied by the stated rate."""
    assert replace(FINANCE, currency="CNY", currency_per_usd=7.0).in_currency(10.0) == 70.0


def test_discount_factors_stand_beside_the_flows() -> None:
    """The flows carry the factors of their own months, so that each value can be checked by hand."""
    assert monthly_flows(BOUGHT, FINANCE).discount_factors == pytest.approx(discount_factors(0.10, 36))
