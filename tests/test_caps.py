"""Caps say what breaks, when and by how much."""

import pytest

from lib.cost.caps import Caps, breaches, paid_by_year
from lib.cost.cash_flow import monthly_flows
from lib.cost.options import Finance, Option
from lib.errors import InputError

BOUGHT = Option(
    accelerator_id="h100-sxm",
    acquisition="buy",
    gpus=8,
    server_price_usd=300_000.0,
    load_kw_per_server=0.0,
    idle_kw_per_server=0.0,
    hardware_support_fraction=0.12,
    residual_by_year=(0.5, 0.4, 0.3),
)
RENTED = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=10, rent_usd_per_gpu_hour=1.0)
TWO_YEARS = Finance(horizon_months=24)


def test_a_purchase_breaks_its_first_year_on_the_day_it_is_paid() -> None:
    """300,000 USD at month 0 and 36,000 of support a year against 200,000 and 40,000: year 1 by 136,000, from month 0."""
    flows = monthly_flows(BOUGHT, TWO_YEARS)
    assert paid_by_year(flows).tolist() == pytest.approx([336_000, 36_000])
    (one,) = breaches(flows, Caps(by_year=(200_000.0, 40_000.0)))
    assert (one.cap, one.year, one.month) == ("year", 1, 0)
    assert one.over == pytest.approx(136_000)


def test_a_sale_pays_no_bill_of_its_year() -> None:
    """The resale of 120,000 at the end of year 2 does not make room in that year's budget."""
    (one,) = breaches(monthly_flows(BOUGHT, TWO_YEARS), Caps(by_year=(None, 30_000.0)))
    assert (one.year, one.month) == (2, 23)  # 3,000 a month: the eleventh of that year passes 30,000
    assert one.value == pytest.approx(36_000)


def test_a_rental_breaks_the_whole_budget_in_the_month_that_passes_it() -> None:
    """7,300 USD a month pass 50,000 in month 7; two years cost 175,200."""
    (one,) = breaches(monthly_flows(RENTED, TWO_YEARS), Caps(total_usd=50_000.0))
    assert (one.cap, one.year, one.month) == ("total", 1, 7)
    assert one.over == pytest.approx(175_200 - 50_000)


def test_a_reserve_lowers_the_budget() -> None:
    """175,200 USD fit 190,000 and break it once ten per cent are kept back."""
    flows = monthly_flows(RENTED, TWO_YEARS)
    assert breaches(flows, Caps(total_usd=190_000.0)) == ()
    (one,) = breaches(flows, Caps(total_usd=190_000.0, contingency_fraction=0.1))
    assert one.limit == pytest.approx(171_000)
    assert one.month == 24


def test_a_delay_moves_what_is_paid_to_a_later_year() -> None:
    """Ordered in month 6 with a tenth as deposit and delivered ten months later, the rest falls into year 2."""
    late = Option(
        accelerator_id="h100-sxm",
        acquisition="buy",
        gpus=8,
        server_price_usd=300_000.0,
        load_kw_per_server=0.0,
        idle_kw_per_server=0.0,
        order_month=6,
        delivery_months=10,
        deposit_fraction=0.1,
    )
    flows = monthly_flows(late, Finance(horizon_months=36))
    assert paid_by_year(flows).tolist() == pytest.approx([30_000, 270_000, 0])
    (one,) = breaches(flows, Caps(by_year=(50_000.0, 200_000.0, 0.0)))
    assert (one.year, one.month) == (2, 16)


def test_whole_servers_count_against_the_units_that_can_be_had() -> None:
    """Nine GPUs are sixteen: four more than twelve."""
    nine = monthly_flows(
        Option(
            accelerator_id="h100-sxm",
            acquisition="buy",
            gpus=9,
            server_price_usd=1.0,
            load_kw_per_server=0.0,
            idle_kw_per_server=0.0,
        ),
        TWO_YEARS,
    )
    (one,) = breaches(nine, Caps(gpus=12))
    assert (one.cap, one.over) == ("gpus", 4)


@pytest.mark.parametrize(
    ("stated", "field"),
    [
        ({"total_usd": -1.0}, "total_usd"),
        ({"contingency_fraction": 1.5}, "contingency_fraction"),
        ({"by_year": (1.0, float("nan"))}, r"by_year\[2\]"),
        ({"gpus": 1.5}, "gpus"),
    ],
)
def test_a_cap_without_meaning_is_refused(stated: dict[str, object], field: str) -> None:
    """The field is named."""
    with pytest.raises(InputError, match=f"^{field} is "):
        Caps(**stated)  # type: ignore[arg-type]
