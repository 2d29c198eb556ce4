"""What the cost kernels give, against a ledger kept month by month, closed forms and sums by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lib.cost.cash_flow import COMPONENTS, monthly_flows, residual_fraction, total_usd, totals
from lib.cost.options import Finance, Option
from lib.cost.origins import Origin
from lib.cost.resale import ResaleCurve, resale_curve
from lib.cost.streams import Stream, laid_out, values_at_start
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=9,
    server_price_usd=1000.0,
    network_usd_per_gpu=11.0,
    installation_usd_per_gpu=7.0,
    fit_out_usd_per_kw=13.0,
    load_kw_per_server=6.0,
    idle_kw_per_server=2.0,
    hardware_support_fraction=0.06,
    spares_fraction=0.05,
    residual_by_year=(0.6, 0.4, 0.3),
    residual_scale=1.1,
    staff_fte_per_server=0.25,
    migration_usd=17.0,
    licence_usd_per_gpu_year=5.0,
    storage_tb=3.0,
    storage_usd_per_tb_month=1.5,
    egress_tb_per_month=2.0,
    egress_usd_per_tb=0.7,
)
LATE = replace(BOUGHT, order_month=2, delivery_months=3, acceptance_months=4, deposit_fraction=0.3)
RENTED = Option(
    accelerator_id="mi300x",
    acquisition="rent",
    gpus=9,
    rent_usd_per_gpu_hour=2.0,
    rent_change_per_year=-0.1,
    rent_support_fraction=0.05,
    migration_usd=17.0,
    licence_usd_per_gpu_year=5.0,
    staff_fte_per_server=0.25,
)
COMMITTED = replace(RENTED, acquisition="commit-1y", prepaid_fraction=0.4)
FINANCE = Finance(
    horizon_months=27,
    discount_rate=0.1,
    utilisation=0.6,
    electricity_usd_per_kwh=0.2,
    electricity_change_per_year=0.03,
    power_usage_effectiveness=1.4,
    colocation_usd_per_kw_month=21.0,
    colocation_change_per_year=0.02,
    staff_usd_per_fte_year=240.0,
)
CASES = {
    "bought": BOUGHT,
    "late": LATE,
    "late with rented GPUs": replace(LATE, bridge="rent", bridge_usd_per_gpu_hour=3.0),
    "late with few rented GPUs": replace(LATE, bridge="rent", bridge_usd_per_gpu_hour=3.0, bridge_gpus=4),
    "late beside the old fleet": replace(LATE, bridge="old-fleet", bridge_usd_per_month=19.0),
    "at once beside the old fleet": replace(BOUGHT, bridge="old-fleet", bridge_usd_per_month=19.0),
    "rented": RENTED,
    "rented by use": replace(RENTED, billing="used-hours"),
    "rented late": replace(RENTED, order_month=5),
    "rented for at least three years": replace(RENTED, order_month=1, minimum_months=36),
    "rented for exactly the horizon": replace(RENTED, minimum_months=27),
    "committed": COMMITTED,
    "committed late": replace(COMMITTED, order_month=2, acceptance_months=1),
    "committed for three years": replace(COMMITTED, acquisition="commit-3y", prepaid_fraction=0.0),
    "committed and prepaid": replace(COMMITTED, prepaid_fraction=1.0),
}


def ledger(option: Any, finance: Any) -> dict[str, list[float]]:
    """What is paid in each month, entered one payment at a time as the conventions of the cash flow say."""
    last, start = finance.horizon_months, option.service_month
    book = {name: [0.0] * (last + 1) for name in COMPONENTS}

    def each_month(name: str, amount: float, change: float = 0.0) -> None:
        for month in range(start + 1, last + 1):
            book[name][month] += amount * (1 + change) ** ((month - 1) // 12)

    book["migration"][start] += option.migration_usd
    servers = -(-option.gpus // 8)
    held = 8 * servers if option.acquisition == "buy" else option.gpus
    each_month("licences", held * option.licence_usd_per_gpu_year / 12)
    each_month("staff", servers * option.staff_fte_per_server * finance.staff_usd_per_fte_year / 12)
    each_month("storage", option.storage_tb * option.storage_usd_per_tb_month)
    each_month("egress", option.egress_tb_per_month * option.egress_usd_per_tb)
    for month in range(1, start + 1):
        if option.bridge == "rent":
            book["bridge"][month] += (option.bridge_gpus or option.gpus) * option.bridge_usd_per_gpu_hour * 730
        elif option.bridge == "old-fleet":
            book["bridge"][month] += option.bridge_usd_per_month
    if option.acquisition == "buy":
        hardware, delivered = servers * option.server_price_usd, option.order_month + option.delivery_months
        for name, amount in (
            ("hardware", hardware),
            ("network", held * option.network_usd_per_gpu),
            ("spares", hardware * option.spares_fraction),
        ):
            book[name][option.order_month] += amount * option.deposit_fraction
            book[name][delivered] += amount * (1 - option.deposit_fraction)
        load = servers * option.load_kw_per_server
        busy = finance.utilisation * option.gpus / held
        drawn = busy * load + (1 - busy) * servers * option.idle_kw_per_server
        book["installation"][delivered] += held * option.installation_usd_per_gpu + load * option.fit_out_usd_per_kw
        kwh = drawn * 730 * finance.power_usage_effectiveness
        each_month("energy", kwh * finance.electricity_usd_per_kwh, finance.electricity_change_per_year)
        each_month("facility", load * finance.colocation_usd_per_kw_month, finance.colocation_change_per_year)
        each_month("support", hardware * option.hardware_support_fraction / 12)
        year, part = divmod(last - delivered, 12)
        curve = option.residual_by_year
        worth = curve[year - 1] + (curve[min(year, 2)] - curve[year - 1]) * part / 12
        book["resale"][last] -= hardware * min(worth * option.residual_scale, 1.0)
        return book
    monthly = option.gpus * option.rent_usd_per_gpu_hour * 730
    term = {"rent": 0, "commit-1y": 12, "commit-3y": 36}[option.acquisition]
    change = 1 + option.rent_change_per_year
    if not term:
        monthly *= finance.utilisation if option.billing == "used-hours" else 1.0
        each_month("rental", monthly, option.rent_change_per_year)
        for _ in range(last - start, option.minimum_months):
            book["rental"][last] += monthly * change ** ((last - 1) // 12)
    for place in range(-(-(last - start) // term) * term if term else 0):
        agreed = monthly * change ** (place // term * term / 12)
        if place % term == 0:
            book["rental"][start + place] += agreed * option.prepaid_fraction * term
        book["rental"][min(start + place + 1, last)] += agreed * (1 - option.prepaid_fraction)
    book["support"] = [paid * option.rent_support_fraction for paid in book["rental"]]
    return book


@pytest.mark.parametrize(
    ("case", "months"),
    [
        *((case, 27) for case in CASES),
        ("bought", 24),
        ("rented for at least three years", 24),
        ("rented for at least three years", 25),
        ("committed late", 25),
        ("committed for three years", 50),
    ],
)
def test_every_payment_stands_in_the_ledger(case: str, months: int) -> None:
    """Components by month, by year and in all, nominal and at month 0, against a ledger kept by hand: to 1e-12."""
    option, finance = CASES[case], replace(FINANCE, horizon_months=months)
    book = ledger(option, finance)
    flows, sums = monthly_flows(option, finance), totals(option, finance)
    assert tuple(flows.components) == COMPONENTS
    worth = {name: sum(paid * 1.1 ** (-month / 12) for month, paid in enumerate(book[name])) for name in COMPONENTS}
    for name, paid in book.items():
        assert flows.components[name] == pytest.approx(paid, rel=1e-12, abs=1e-12), name
        years = [paid[0], *(sum(paid[month : month + 12]) for month in range(1, len(paid), 12))]
        assert flows.by_year()[name] == pytest.approx(years, rel=1e-12, abs=1e-12), name
        assert flows.by_component()[name] == pytest.approx(sum(paid), rel=1e-12, abs=1e-12), name
        assert flows.by_component(discounted=True)[name] == pytest.approx(worth[name], rel=1e-12, abs=1e-12), name
        assert sums.nominal_by_component[name] == pytest.approx(sum(paid), rel=1e-12, abs=1e-12), name
        assert sums.npv_by_component[name] == pytest.approx(worth[name], rel=1e-12, abs=1e-12), name
        assert float(flows.by_year(discounted=True)[name].sum()) == pytest.approx(worth[name], rel=1e-12, abs=1e-12)
    assert total_usd(option, finance) == pytest.approx(sum(worth.values()), rel=1e-12)
    assert total_usd(option, finance, "nominal") == pytest.approx(sum(map(sum, book.values())), rel=1e-12)


def test_flows_say_the_power_of_a_month_of_service() -> None:
    """Two servers of 6 kW and 2 idle, at 0.6 of 9 of 16 GPUs: 12 kW at load, 6.7 drawn, 730 h and 1.4 at the site."""
    flows = monthly_flows(LATE, FINANCE)
    assert flows.load_kw == 12.0
    assert flows.average_kw == pytest.approx(4 + 8 * 0.6 * 9 / 16, rel=1e-12)
    assert flows.energy_kwh_per_month == pytest.approx((4 + 8 * 0.6 * 9 / 16) * 730 * 1.4, rel=1e-12)
    assert (flows.option, flows.finance) == (LATE, FINANCE)
    rented = monthly_flows(RENTED, FINANCE)
    assert (rented.load_kw, rented.average_kw, rented.energy_kwh_per_month) == (0.0, 0.0, 0.0)


def test_flows_say_what_is_uncertain_about_them() -> None:
    """GPUs without work, months bound beyond the end, an unknown lead time, months without service: by hand."""

    def said(option: Option) -> dict[str, dict[str, Any]]:
        return {doubt.code: dict(doubt.values) for doubt in monthly_flows(option, FINANCE).doubts}

    idle = {"idle-gpus": {"needed": 9, "installed": 16}}
    assert said(BOUGHT) == idle
    assert said(LATE) == {**idle, "nothing-serves-before": {"months": 9}}
    assert said(CASES["late beside the old fleet"]) == idle
    assert said(replace(BOUGHT, delivery_months=None)) == {**idle, "lead-time-unknown": {}}
    assert said(replace(RENTED, minimum_months=28)) == {"commitment-outlasts-horizon": {"months": 1}}
    assert said(replace(RENTED, minimum_months=27)) == {}
    assert said(COMMITTED) == {"commitment-outlasts-horizon": {"months": 9}}
    assert said(replace(COMMITTED, order_month=3)) == {"nothing-serves-before": {"months": 3}}


def test_draws_stand_beside_the_months() -> None:
    """Two draws of a rent or of a rate are two rows, each as if it were calculated alone, to 1e-12."""
    rents, rates = np.array([[2.0], [3.0]]), np.array([[0.0], [0.1]])
    by_rent = monthly_flows(replace(RENTED, rent_usd_per_gpu_hour=rents), FINANCE)
    by_rate = monthly_flows(RENTED, replace(FINANCE, discount_rate=rates))
    for row in range(2):
        one = monthly_flows(replace(RENTED, rent_usd_per_gpu_hour=2.0 + row), FINANCE)
        other = monthly_flows(RENTED, replace(FINANCE, discount_rate=0.1 * row))
        for many, alone in ((by_rent, one), (by_rate, other)):
            assert {flow.shape for flow in many.components.values()} == {(2, 28)}
            assert many.npv_usd[row] == pytest.approx(alone.npv_usd, rel=1e-12)
            rentals = [one.by_component(discounted=True)["rental"] for one in (many, alone)]
            assert rentals[0][row] == pytest.approx(rentals[1], rel=1e-12)
            assert many.by_year()["rental"][row] == pytest.approx(alone.by_year()["rental"], rel=1e-12)


def test_blocks_of_draws_stand_beside_the_months() -> None:
    """Three by two rents give three by two rows: each its rent x GPUs x 730 hours a month, to 1e-12."""
    rents = np.arange(6.0).reshape(3, 2, 1)
    flows = monthly_flows(replace(RENTED, rent_usd_per_gpu_hour=rents), Finance(horizon_months=12))
    assert flows.components["rental"].shape == (3, 2, 13)
    assert flows.components["rental"][..., 1:] == pytest.approx(np.broadcast_to(rents * 9 * 730, (3, 2, 12)), rel=1e-12)


def test_a_worth_is_never_more_than_the_price() -> None:
    """Draws of the factor and of the curve, between the years and at the most one: by hand, to 1e-12."""
    scales = np.array([[1.0], [2.0]])
    assert residual_fraction((0.6, 0.4), 12, scales) == pytest.approx(np.array([[0.6], [1.0]]), rel=1e-12)
    curve = (np.array([[0.6], [0.8]]), 0.4)
    assert residual_fraction(curve, 18) == pytest.approx(np.array([[0.5], [0.6]]), rel=1e-12)
    assert residual_fraction((0.6, 0.4), 24) == 0.4
    assert residual_fraction((0.6, 0.4), 12, 2.0) == 1.0
    assert residual_fraction((), 12) == 0.0
    with pytest.raises(InputError) as caught:
        residual_fraction((0.6, 0.4), 25)
    assert str(caught.value) == ("horizon_months is 25; allowed: up to 24 months: no residual value is stated beyond")


CURVE = ResaleCurve((0.5, 0.2, 0.0), (0.6, 0.4, 0.0), (0.9, 0.5, 0.0))


def test_factors_lead_from_the_base_to_its_ends() -> None:
    """Low over base and high over base at the age, within the widest and around one: by hand, to 1e-12."""
    assert CURVE.scales(24) == pytest.approx((0.5, 1.25), rel=1e-12)
    assert CURVE.scales(18) == pytest.approx((0.35 / 0.5, 0.7 / 0.5), rel=1e-12)
    assert CURVE.scales(6) == CURVE.scales(12) == pytest.approx((0.5 / 0.6, 1.5), rel=1e-12)
    assert CURVE.scales(36) == CURVE.scales(99) == (1.0, 1.0)
    tight = replace(CURVE, least_scale=0.9, most_scale=1.1)
    assert tight.scales(24) == (0.9, 1.1)
    inverted = ResaleCurve((0.6,), (0.5,), (0.4,))
    assert inverted.scales(12) == (1.0, 1.0)


YEARS = [Origin("assumption", (), *ends) for ends in ((0.6, 0.7, 0.8), (0.3, 0.5, 0.6), (0.2, 0.3, 0.5), (None,) * 3)]


def test_a_part_without_a_row_of_its_own_has_the_stated_curve() -> None:
    """The three ends year by year, nothing where nobody states one, and no limit to their factors."""
    for own in (None, Origin("missing"), Origin("assumption", (), 0.1, 0.0, 0.2)):
        curve = resale_curve(YEARS, own)
        assert curve == ResaleCurve((0.6, 0.3, 0.2, 0.0), (0.7, 0.5, 0.3, 0.0), (0.8, 0.6, 0.5, 0.0))
        assert (curve.least_scale, curve.most_scale) == (0.0, float("inf"))


def test_a_row_of_its_own_lowers_the_whole_curve() -> None:
    """By the points that it lies below the third year, an end by no less than the base, none below nothing: by hand."""
    curve = resale_curve(YEARS, Origin("assumption", (), 0.15, 0.2, 0.25))
    assert curve.base == pytest.approx((0.6, 0.4, 0.2, 0.0), abs=1e-12)
    assert curve.low == pytest.approx((0.5, 0.2, 0.1, 0.0), abs=1e-12)
    assert curve.high == pytest.approx((0.7, 0.5, 0.4, 0.0), abs=1e-12)
    assert (curve.least_scale, curve.most_scale) == pytest.approx((0.75, 1.25), rel=1e-12)
    wide = resale_curve(YEARS, Origin("assumption", (), 0.05, 0.2, 0.45))
    assert wide.low == pytest.approx((0.45, 0.15, 0.05, 0.0), abs=1e-12)
    assert wide.high == pytest.approx((0.75, 0.55, 0.45, 0.0), abs=1e-12)
    bare = resale_curve(YEARS, Origin("assumption", (), None, 0.2, None))
    assert bare.low == pytest.approx((0.4, 0.1, 0.0, 0.0), abs=1e-12)
    assert bare.high == pytest.approx((0.7, 0.5, 0.4, 0.0), abs=1e-12)
    assert (bare.least_scale, bare.most_scale) == (0.0, 0.0)


def test_draws_of_a_stream_are_rows() -> None:
    """Draws of a monthly amount, of its change, of an advance and of a single payment: months by hand, to 1e-12."""
    two = np.array([[1.0], [2.0]])
    stream = Stream(single=((1, two), (13, 5.0)), monthly=two, change=np.array([[0.0], [0.5]]), advance=two, after=0)
    by_hand = np.zeros((2, 15))
    by_hand[:, 1:13], by_hand[:, 13:] = [[1.0], [2.0]], [[1.0], [3.0]]
    by_hand[:, 0] += [1.0, 2.0]
    by_hand[:, 12] += [1.0, 3.0]
    by_hand[:, 1] += [1.0, 2.0]
    by_hand[:, 13] += 5.0
    assert laid_out(stream, 14, (2,)) == pytest.approx(by_hand, rel=1e-12)
    factors = 1.2 ** (-np.arange(15) / 12)
    worth = values_at_start({"one": stream}, 0.2, 14)["one"]
    assert worth == pytest.approx((by_hand * factors).sum(axis=-1, keepdims=True), rel=1e-12)
    assert stream.amounts[:3] == (stream.monthly, stream.change, stream.advance)


@pytest.mark.parametrize("steps_from", [0, 8])
def test_steps_of_half_a_year_are_steps(steps_from: int) -> None:
    """An amount that grows by a tenth every six months, counted from one beginning or another: by hand, to 1e-12."""
    stream = Stream(monthly=2.0, after=8, change=0.1, step_months=6, steps_from=steps_from, advance=3.0)
    by_hand = [0.0] * 25
    for month in range(9, 25):
        by_hand[month] += 2.0 * 1.1 ** ((month - 1 - steps_from) // 6)
    for number, month in enumerate((8, 14, 20)):
        by_hand[month] += 3.0 * 1.1**number
    assert laid_out(stream, 24, ()).tolist() == pytest.approx(by_hand, rel=1e-12)
    worth = sum(paid * 1.2 ** (-month / 12) for month, paid in enumerate(by_hand))
    assert values_at_start({"one": stream}, 0.2, 24)["one"] == pytest.approx(worth, rel=1e-12)


def test_draws_of_nothing_are_counted_as_draws() -> None:
    """An amount of zero in every draw keeps the shape of the draws; a dollar a month and one a year are 13 in a year."""
    nothing = np.zeros((2, 1))
    worth = values_at_start({"one": Stream(monthly=nothing), "two": Stream(advance=nothing)}, 0.1, 12)
    for value in worth.values():
        assert np.asarray(value).tolist() == [[0.0], [0.0]]
    assert values_at_start({"one": Stream(monthly=1.0, advance=1.0)}, 0.0, 12) == {"one": 13.0}
