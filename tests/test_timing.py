"""Order, delivery, acceptance and the bridge until then fall into their months, and service only after them."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cost.cash_flow import COMPONENTS, monthly_flows, totals
from lib.cost.options import Finance, Option
from lib.cost.timing import months_of_weeks, months_until, served_hours, served_months
from lib.cost.unit_cost import unit_cost
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="h100-sxm",
    acquisition="buy",
    gpus=16,
    server_price_usd=300_000.0,
    network_usd_per_gpu=3_000.0,
    installation_usd_per_gpu=500.0,
    load_kw_per_server=8.0,
    idle_kw_per_server=2.0,
    hardware_support_fraction=0.06,
    spares_fraction=0.05,
    residual_by_year=(0.6, 0.4, 0.3, 0.2, 0.1),
    staff_fte_per_server=0.25,
    migration_usd=20_000.0,
    licence_usd_per_gpu_year=1_200.0,
    storage_tb=100.0,
    storage_usd_per_tb_month=23.0,
    egress_tb_per_month=5.0,
    egress_usd_per_tb=90.0,
)
LATE = replace(BOUGHT, order_month=2, delivery_months=10, acceptance_months=1, deposit_fraction=0.3)
RENTED = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=16, rent_usd_per_gpu_hour=3.0)
FINANCE = Finance(
    horizon_months=36,
    discount_rate=0.10,
    utilisation=0.5,
    electricity_usd_per_kwh=0.10,
    electricity_change_per_year=0.03,
    power_usage_effectiveness=1.5,
    colocation_usd_per_kw_month=200.0,
    staff_usd_per_fte_year=200_000.0,
)
MONTHLY = 16 * 3 * 730

waits = st.fixed_dictionaries(
    {
        "order_month": st.integers(0, 6),
        "delivery_months": st.none() | st.integers(0, 14),
        "acceptance_months": st.integers(0, 4),
        "storage_tb": st.floats(0, 1000),
        "storage_usd_per_tb_month": st.floats(0, 50),
        "egress_tb_per_month": st.floats(0, 100),
        "egress_usd_per_tb": st.floats(0, 200),
    }
)
bridges = st.sampled_from(
    [
        {},
        {"bridge": "rent", "bridge_usd_per_gpu_hour": 2.5},
        {"bridge": "rent", "bridge_usd_per_gpu_hour": 2.5, "bridge_gpus": 3},
        {"bridge": "old-fleet", "bridge_usd_per_month": 40_000.0},
    ]
)
options = st.one_of(
    st.builds(
        lambda wait, bridge, deposit: replace(BOUGHT, **wait, **bridge, deposit_fraction=deposit),
        waits,
        bridges,
        st.floats(0, 1),
    ),
    st.builds(
        lambda wait, bridge, minimum: replace(
            RENTED, **wait, **bridge, minimum_months=minimum, rent_change_per_year=-0.1, rent_support_fraction=0.05
        ),
        waits,
        bridges,
        st.integers(0, 48),
    ),
    st.builds(
        lambda wait, bridge, way, prepaid: replace(
            RENTED, **wait, **bridge, acquisition=way, prepaid_fraction=prepaid, rent_change_per_year=0.08
        ),
        waits,
        bridges,
        st.sampled_from(["commit-1y", "commit-3y"]),
        st.floats(0, 1),
    ),
)
finances = st.builds(
    lambda months, rate, change: replace(
        FINANCE,
        horizon_months=months,
        discount_rate=rate,
        electricity_change_per_year=change,
        colocation_change_per_year=change,
    ),
    st.integers(25, 60),
    st.floats(-0.05, 0.3),
    st.floats(-0.2, 0.2),
)


def test_a_late_purchase_written_out_by_hand() -> None:
    """Ordered in month 2, delivered in 12, accepted in 13: every component in its month, to the cent."""
    flows = monthly_flows(LATE, FINANCE)
    once: dict[str, dict[int, float]] = {
        "hardware": {2: 180_000, 12: 420_000},  # 30 % of 600,000, then the rest
        "network": {2: 14_400, 12: 33_600},
        "spares": {2: 9_000, 12: 21_000},
        "installation": {12: 8_000},
        "migration": {13: 20_000},
        "resale": {36: -600_000 * 0.4},  # 24 months after delivery
    }
    for name, amounts in once.items():
        expected = np.zeros(37)
        expected[list(amounts)] = list(amounts.values())
        assert flows.components[name] == pytest.approx(expected, abs=0.005), name
    energy = 2 * (0.5 * 8 + 0.5 * 2) * 730 * 1.5 * 0.10
    monthly: dict[str, dict[int, float]] = {
        "energy": {14: energy * 1.03, 24: energy * 1.03, 25: energy * 1.03**2, 36: energy * 1.03**2},
        "facility": {14: 3_200, 36: 3_200},
        "support": {14: 3_000, 36: 3_000},
        "licences": {14: 1_600, 36: 1_600},
        "staff": {14: 100_000 / 12, 36: 100_000 / 12},
        "storage": {14: 2_300, 36: 2_300},
        "egress": {14: 450, 36: 450},
    }
    for name, amounts in monthly.items():
        assert not flows.components[name][:14].any(), name
        assert flows.components[name][list(amounts)] == pytest.approx(list(amounts.values()), abs=0.005), name
    assert served_months(LATE, FINANCE) == 23
    assert [(doubt.code, dict(doubt.values)) for doubt in flows.doubts] == [("nothing-serves-before", {"months": 13})]


@pytest.mark.parametrize(
    ("bridge", "usd_per_month"),
    [
        ({"bridge": "rent", "bridge_usd_per_gpu_hour": 2.0}, 16 * 2.0 * 730),
        ({"bridge": "rent", "bridge_usd_per_gpu_hour": 2.0, "bridge_gpus": 4}, 4 * 2.0 * 730),
        ({"bridge": "old-fleet", "bridge_usd_per_month": 55_000.0}, 55_000.0),
    ],
)
def test_a_bridge_is_paid_until_service_begins(bridge: dict[str, Any], usd_per_month: float) -> None:
    """Thirteen months of rented GPUs or of the old fleet, none after; and nothing is said of a gap."""
    flows = monthly_flows(replace(LATE, **bridge), FINANCE)
    assert flows.components["bridge"] == pytest.approx([0] + [usd_per_month] * 13 + [0] * 23)
    assert flows.doubts == ()
    at_once = monthly_flows(replace(BOUGHT, **bridge), FINANCE)
    assert not at_once.components["bridge"].any()


def test_without_waiting_everything_is_paid_at_once() -> None:
    """With no lead time a deposit changes nothing, to the last bit."""
    flows, split = monthly_flows(BOUGHT, FINANCE), monthly_flows(replace(BOUGHT, deposit_fraction=0.4), FINANCE)
    assert (flows.total == split.total).all()
    assert flows.components["hardware"][0] == 600_000


def test_a_later_order_of_the_same_thing_costs_less_today() -> None:
    """A purchase ordered a month later, sold at the same age: its value is that of the earlier one, a month on (1e-12)."""
    plain = replace(BOUGHT, storage_tb=0.0, egress_tb_per_month=0.0, residual_by_year=())
    steady = replace(FINANCE, electricity_change_per_year=0.0)
    now = totals(plain, steady).npv_usd
    later = totals(replace(plain, order_month=1), replace(steady, horizon_months=37)).npv_usd
    assert later == pytest.approx(now * 1.1 ** (-1 / 12), rel=1e-12)


def test_an_unknown_lead_time_counts_as_none_and_says_so() -> None:
    """The figures of no waiting, with the doubt."""
    unknown = monthly_flows(replace(BOUGHT, delivery_months=None), FINANCE)
    assert (unknown.total == monthly_flows(BOUGHT, FINANCE).total).all()
    assert [doubt.code for doubt in unknown.doubts] == ["lead-time-unknown"]


def test_a_rental_starts_in_its_month() -> None:
    """From month 7 on; prices of the market change with the calendar, those of a commitment with its term."""
    rental = monthly_flows(replace(RENTED, order_month=6, rent_change_per_year=-0.1), FINANCE).components["rental"]
    assert rental[[6, 7, 12, 13, 25]] == pytest.approx([0, MONTHLY, MONTHLY, MONTHLY * 0.9, MONTHLY * 0.81])
    late = replace(RENTED, acquisition="commit-1y", order_month=6, rent_change_per_year=-0.1, prepaid_fraction=1.0)
    flows = monthly_flows(late, FINANCE)
    terms = [12 * MONTHLY * 0.9**term for term in range(3)]
    assert np.flatnonzero(flows.components["rental"]).tolist() == [6, 18, 30]
    assert flows.components["rental"][[6, 18, 30]] == pytest.approx(terms)
    assert {doubt.code: dict(doubt.values) for doubt in flows.doubts}["commitment-outlasts-horizon"] == {"months": 6}


def test_a_minimum_is_owed_to_its_end() -> None:
    """Eighteen months at least, within a year: six more months in the last; a longer horizon owes nothing more."""
    least = replace(RENTED, minimum_months=18)
    short = monthly_flows(least, replace(FINANCE, horizon_months=12))
    assert short.nominal_usd == pytest.approx(18 * MONTHLY)
    assert short.components["rental"][12] == pytest.approx(7 * MONTHLY)
    assert [dict(doubt.values) for doubt in short.doubts] == [{"months": 6}]
    assert monthly_flows(least, FINANCE).nominal_usd == pytest.approx(36 * MONTHLY)


def test_only_what_serves_is_counted_as_delivered() -> None:
    """Sixteen GPUs at half use over 23 of 36 months; a month of the bridge is a cost and no hour of it."""
    bridged = replace(LATE, bridge="old-fleet", bridge_usd_per_month=10_000.0)
    plain = replace(FINANCE, discount_rate=0.0)
    cost = unit_cost(bridged, plain)
    assert cost.delivered_gpu_hours == pytest.approx(16 * 0.5 * 23 * 730)
    assert cost.held_gpu_hours == pytest.approx(16 * 23 * 730)
    unbridged = unit_cost(LATE, plain)
    more = cost.delivered_gpu_hour_usd - unbridged.delivered_gpu_hour_usd  # type: ignore[operator]
    assert more * 16 * 0.5 * 23 * 730 == pytest.approx(130_000)


def test_the_levelised_cost_of_a_constant_rent_is_that_rent_whenever_it_starts() -> None:
    """A rent of 3 USD from month 7 on costs 3 USD an hour at any rate, to 1e-12."""
    cost = unit_cost(replace(RENTED, order_month=6), FINANCE)
    assert cost.gpu_hour_usd == pytest.approx(3.0, rel=1e-12)
    hours = served_hours(replace(RENTED, order_month=6), FINANCE, 0.1)
    assert hours == pytest.approx(730 * sum(1.1 ** (-month / 12) for month in range(7, 37)), rel=1e-12)


@given(option=options, finance=finances)
def test_totals_are_the_sums_of_the_flows_whenever_service_begins(option: Option, finance: Finance) -> None:
    """The closed form equals the months laid out, component by component, to 1e-9; nothing runs before service."""
    flows, summed = monthly_flows(option, finance), totals(option, finance)
    by_component, at_start = flows.by_component(), flows.by_component(discounted=True)
    assert tuple(by_component) == COMPONENTS
    for name in COMPONENTS:
        assert summed.nominal_by_component[name] == pytest.approx(by_component[name], rel=1e-9, abs=1e-5), name
        assert summed.npv_by_component[name] == pytest.approx(at_start[name], rel=1e-9, abs=1e-5), name
    for name in ("energy", "facility", "staff", "licences", "storage", "egress"):
        assert not flows.components[name][: option.service_month + 1].any(), name
    assert not flows.components["bridge"][option.service_month + 1 :].any()
    assert flows.nominal_usd == pytest.approx(summed.nominal_usd, rel=1e-9)


@given(option=options, finance=finances)
def test_a_month_more_of_waiting_moves_the_same_purchase(option: Option, finance: Finance) -> None:
    """What is paid once keeps its sum whatever the months are, but for the sale."""
    at_once = replace(option, order_month=0, delivery_months=0, acceptance_months=0)
    for name in ("hardware", "network", "spares", "installation", "migration"):
        waiting = totals(option, finance).nominal_by_component[name]
        assert waiting == pytest.approx(totals(at_once, finance).nominal_by_component[name], rel=1e-12), name


def test_draws_give_what_single_numbers_give() -> None:
    """Deposit, bridge and storage as columns of draws give the rows that single calculations give, to 1e-10."""
    deposits, rents, stored = [0.0, 0.3, 1.0], [1.0, 2.0, 3.0], [0.0, 10.0, 100.0]

    def column(values: list[float]) -> Any:
        return np.array(values)[:, None]

    bridged = replace(LATE, bridge="rent", bridge_usd_per_gpu_hour=1.0)
    drawn = replace(
        bridged,
        deposit_fraction=column(deposits),
        bridge_usd_per_gpu_hour=column(rents),
        storage_tb=column(stored),
    )
    flows, summed = monthly_flows(drawn, FINANCE), totals(drawn, FINANCE)
    for row, (deposit, rent, storage) in enumerate(zip(deposits, rents, stored, strict=True)):
        alone = replace(bridged, deposit_fraction=deposit, bridge_usd_per_gpu_hour=rent, storage_tb=storage)
        assert flows.total[row] == pytest.approx(monthly_flows(alone, FINANCE).total, rel=1e-10)
        assert np.asarray(summed.npv_usd)[row, 0] == pytest.approx(totals(alone, FINANCE).npv_usd, rel=1e-10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"order_month": -1}, "order_month is -1; allowed: a whole number from 0"),
        ({"delivery_months": 1.5}, "delivery_months is 1.5; allowed: a whole number"),
        ({"deposit_fraction": 1.2}, "deposit_fraction is 1.2; allowed: 0 to 1"),
        ({"bridge": "borrow"}, "bridge is 'borrow'; allowed: none, rent or old-fleet"),
        ({"bridge": "rent"}, "bridge_usd_per_gpu_hour is None; allowed: .*a bridge of rent needs it"),
        ({"bridge": "old-fleet"}, "bridge_usd_per_month is None; allowed: .*a bridge of old-fleet needs it"),
        ({"minimum_months": 6}, "minimum_months is 6; allowed: 0, unless rented on demand"),
        ({"storage_tb": -1.0}, "storage_tb is -1.0; allowed: 0 to"),
        ({"egress_usd_per_tb": float("nan")}, "egress_usd_per_tb is nan"),
    ],
)
def test_a_time_or_a_bridge_without_meaning_is_refused(changes: dict[str, Any], message: str) -> None:
    """The field is named with what is allowed."""
    with pytest.raises(InputError, match=message):
        replace(BOUGHT, **changes)


def test_a_deposit_on_a_rental_is_refused() -> None:
    """What is prepaid of a commitment is another field."""
    with pytest.raises(InputError, match=r"deposit_fraction is 0.5; allowed: 0, unless bought"):
        replace(RENTED, deposit_fraction=0.5)


def test_a_horizon_that_ends_before_acceptance_is_refused() -> None:
    """The message says when service would begin."""
    with pytest.raises(InputError, match="horizon_months is 13; allowed: more than the 13 months until service begins"):
        monthly_flows(LATE, replace(FINANCE, horizon_months=13))


@pytest.mark.parametrize(("deadline", "months"), [("2026-11", 0), ("2027-03", 4), ("2027-11", 12), ("2026-01", -10)])
def test_months_to_a_deadline(deadline: str, months: int) -> None:
    """Counted from the month of the decision to the end of the month named."""
    assert months_until(deadline, date(2026, 11, 30)) == months


def test_weeks_become_the_nearest_month() -> None:
    """A year of 365 days has 52.14 weeks: 26 are six months, 44 are ten."""
    assert [months_of_weeks(weeks) for weeks in (0, 26, 44, 52)] == [0, 6, 10, 12]
