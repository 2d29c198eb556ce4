"""Rent by provider: every listed price of a part, and who lists none."""

from dataclasses import replace
from datetime import date

import pytest

from lib import catalog
from lib.cost.offers import rent_offers
from lib.errors import InputError
from lib.records import Price

TODAY = date(2026, 11, 30)
LISTED = Price(
    price_id="one", accelerator_id="mi300x", kind="on-demand", term_months=None, low=2.0, high=2.4, currency="USD",
    basis="per GPU-hour", provider="North", region="here", as_of="2026-08-19", quality="dated-list", source_id="s",
    locator="l", note="",
)  # fmt: skip


def test_an_offer_has_its_price_by_gpu_and_by_gb() -> None:
    """2.00 to 2.40 USD for 192 GB: 0.0104 to 0.0125 USD per GB-hour, 103 days old."""
    (one,) = rent_offers([LISTED], "mi300x", 192.0, TODAY)
    assert one.usd_per_gpu_hour == (2.0, 2.4)
    assert one.usd_per_gb_hour == pytest.approx((2.0 / 192, 2.4 / 192))
    assert (one.age_days, one.region, one.price_id) == (103, "here", "one")
    assert rent_offers([LISTED], "mi300x", None, TODAY)[0].usd_per_gb_hour is None


def test_a_month_is_seven_hundred_and_thirty_hours() -> None:
    """1,460 USD a month are 2 USD an hour, with the months that it binds."""
    monthly = replace(LISTED, basis="per GPU-month", kind="monthly", term_months=1, low=1460.0, high=1460.0)
    (one,) = rent_offers([monthly], "mi300x", 192.0, TODAY)
    assert one.usd_per_gpu_hour == (2.0, 2.0)
    assert one.term_months == 1


def test_a_provider_without_a_price_for_the_part_is_listed_as_such() -> None:
    """South rents another part, East and West share a row; one who lists only a spot price asks no steady one."""
    others = [
        replace(LISTED, price_id="two", accelerator_id="h100-sxm", provider="South"),
        replace(LISTED, price_id="three", provider="East; West", low=3.0, high=3.0),
        replace(LISTED, price_id="four", kind="spot", provider="Gap", low=1.0, high=1.0),
    ]
    found = rent_offers([LISTED, *others], "mi300x", 192.0, TODAY)
    assert [(one.provider, one.has_price) for one in found] == [
        ("Gap", True),
        ("North", True),
        ("East; West", True),
        ("Gap", False),
        ("South", False),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"quality": "article"},
        {"quality": "weak"},
        {"quality": "illustration"},
        {"provider": "several (median)"},
        {"provider": "not stated"},
        {"basis": "per GPU", "kind": "purchase"},
        {"as_of": "2026-12-01"},
        {"currency": "EUR"},
    ],
)
def test_what_is_no_offer_is_left_out(changes: dict[str, str]) -> None:
    """Articles, weak rows, medians, purchases, rows of tomorrow and other currencies."""
    assert rent_offers([replace(LISTED, **changes)], "mi300x", 192.0, TODAY) == ()  # type: ignore[arg-type]


def test_offers_of_the_edition_name_rows_of_the_table() -> None:
    """Each priced offer is a row of prices.csv with its own figures; Oracle lists MI300X at 6 USD."""
    facts = catalog.load()
    rows = {one.price_id: one for one in facts.prices}
    found = rent_offers(facts.prices, "mi300x", 192.0, TODAY)
    assert ("Oracle", (6.0, 6.0)) in [(one.provider, one.usd_per_gpu_hour) for one in found]
    for one in found:
        if one.usd_per_gpu_hour is not None and rows[one.price_id].basis == "per GPU-hour":
            assert one.usd_per_gpu_hour == (rows[one.price_id].low, rows[one.price_id].high)


def test_a_memory_of_nothing_is_refused() -> None:
    """The message names the field."""
    with pytest.raises(InputError, match=r"memory_gb is 0\.0"):
        rent_offers([LISTED], "mi300x", 0.0, TODAY)
