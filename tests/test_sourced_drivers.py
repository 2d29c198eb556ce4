"""Every field with a range is one driver with its rows, and what options share is one."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from lib import catalog
from lib.cost.defaults import OptionDefaults, finance_defaults, option_for
from lib.cost.drivers import COUNTS
from lib.cost.monte_carlo import drawn
from lib.cost.options import Acquisition, Option
from lib.cost.sensitivity import difference_usd
from lib.cost.sourced_drivers import SourcedDriver, sourced_drivers, tornado_of, uncertain_amounts
from lib.errors import InputError

FACTS = catalog.load()
TODAY = date(2026, 11, 30)
FINANCE = finance_defaults(FACTS.assumptions)


def ask(accelerator_id: str, acquisition: Acquisition = "buy", **overrides: Any) -> OptionDefaults:
    """The option that the catalogue gives for sixteen GPUs."""
    accelerator = FACTS.accelerator(accelerator_id)
    return option_for(accelerator, acquisition, 16, FACTS.assumptions, FACTS.prices, TODAY, overrides)


def made(defaults: OptionDefaults) -> Option:
    """The option, where there must be one."""
    assert defaults.option is not None, defaults.reasons
    return defaults.option


def of_field(drivers: tuple[SourcedDriver, ...], field: str) -> list[SourcedDriver]:
    """The drivers of one field."""
    return [one for one in drivers if one.field == field]


OPTIONS = (ask("mi300x"), ask("h100-sxm"), ask("mi300x", "rent"), ask("h100-sxm", "rent"))
DRIVERS = sourced_drivers(OPTIONS, FINANCE)


def test_what_options_take_from_the_same_rows_is_one_thing() -> None:
    """Staff, support, spares and network of both purchases; rent changes of both rentals; migration of all AMD options."""
    for field in ("staff_fte_per_server", "hardware_support_fraction", "spares_fraction", "network_usd_per_gpu"):
        (one,) = of_field(DRIVERS, field)
        assert one.options == (0, 1)
    (change,) = of_field(DRIVERS, "rent_change_per_year")
    assert change.options == (2, 3)
    (migration,) = of_field(DRIVERS, "migration_usd")
    assert migration.options == (0, 2)


def test_what_belongs_to_a_part_is_its_own() -> None:
    """Prices, power and residual values of MI300X and H100 are different things."""
    for field in ("server_price_usd", "load_kw_per_server", "residual_scale"):
        assert [one.options for one in of_field(DRIVERS, field)] == [(0,), (1,)]
    assert [one.options for one in of_field(DRIVERS, "rent_usd_per_gpu_hour")] == [(2,), (3,)]


def test_the_price_of_one_part_is_one_thing_in_two_fleets() -> None:
    """Two purchases of the same part from the same row: one price, drawn once."""
    (price,) = of_field(sourced_drivers((ask("mi300x"), ask("mi300x")), FINANCE), "server_price_usd")
    assert price.options == (0, 1)
    assert price.is_shared


def test_finance_belongs_to_all() -> None:
    """No place of its own, and shared."""
    for field in ("utilisation", "electricity_usd_per_kwh", "power_usage_effectiveness", "staff_usd_per_fte_year"):
        (one,) = of_field(DRIVERS, field)
        assert one.options == ()
        assert one.is_shared


def test_every_driver_names_rows_that_exist() -> None:
    """Ids of assumptions or prices, and a range that holds the value in use."""
    prices = {price.price_id for price in FACTS.prices}
    for one in DRIVERS:
        assert one.ids
        assert all(name in FACTS.assumptions or name in prices for name in one.ids), one
        assert one.low <= one.now <= one.high


def test_what_is_known_or_chosen_is_not_drawn() -> None:
    """The user's own value, the discount rate, an optional licence and a fit-out are held, each with its reason."""
    stated = ask("mi300x", server_price_usd=240_000.0)
    drivers = sourced_drivers((stated, ask("h100-sxm")), FINANCE)
    reasons = {(one.field, one.options): one.held_because for one in drivers}
    assert reasons["server_price_usd", (0,)] == "stated"
    assert reasons["server_price_usd", (1,)] is None
    assert reasons["discount_rate", ()] == "rate"
    assert reasons["licence_usd_per_gpu_year", (1,)] == "choice"
    assert reasons["fit_out_usd_per_kw", (0, 1)] == "choice"
    found = {(one.field, one.options) for one in uncertain_amounts(drivers)}
    assert found == {place for place, reason in reasons.items() if reason is None}


def test_names_of_amounts_do_not_depend_on_the_order() -> None:
    """The same names forwards and backwards, and each only once."""
    forwards, backwards = (uncertain_amounts(sourced_drivers(order, FINANCE)) for order in (OPTIONS, OPTIONS[::-1]))
    assert {one.name for one in forwards} == {one.name for one in backwards}
    assert len({one.name for one in forwards}) == len(forwards)


def test_a_future_rent_is_drawn_although_no_change_is_assumed() -> None:
    """The base is no change, the range falls and rises: a chance, not a choice."""
    (change,) = [one for one in uncertain_amounts(DRIVERS) if one.field == "rent_change_per_year"]
    assert (change.spread.low, change.spread.base, change.spread.high) == (-0.3, 0.0, 0.1)


def test_the_rent_of_a_bridge_is_the_rent_of_its_part() -> None:
    """A rental of H100 and a purchase bridged by rented H100 stand on the same rows: the same rent in every draw."""
    bridged = ask("mi300x", bridge="rent", bridge_part="h100-sxm", delivery_months=6)
    amounts = uncertain_amounts(sourced_drivers((ask("h100-sxm", "rent"), bridged), FINANCE))
    rents = [one for one in amounts if one.field in ("rent_usd_per_gpu_hour", "bridge_usd_per_gpu_hour")]
    assert [one.options for one in rents] == [(0,), (1,)]
    paid, bridge = drawn(rents, 100, seed=1)
    assert (paid == bridge).all()


def test_no_draw_and_no_bar_sells_an_h100_for_more_than_its_sources_say() -> None:
    """Three years old it is worth 20 to 35 % of its price (fin-residual-y3), base 30: bar and draws end there."""
    (one,) = of_field(sourced_drivers((ask("h100-sxm"),), FINANCE), "residual_scale")
    assert (0.30 * one.low, 0.30 * one.high) == pytest.approx((0.20, 0.35), abs=1e-12)
    (bar,) = [row.bar for row in tornado_of(ask("h100-sxm"), None, FINANCE).bars if row.bar.driver.field == one.field]
    assert (bar.driver.low, bar.driver.high) == (one.low, one.high)
    amounts = [amount for amount in uncertain_amounts((one,)) if amount.field == "residual_scale"]
    (values,) = drawn(amounts, 10_000, seed=1)
    assert 0.20 <= 0.30 * float(values.min()) <= 0.30 * float(values.max()) <= 0.35 + 1e-12


def test_two_ages_of_one_curve_share_their_luck() -> None:
    """Delivered at once and after a year: two ranges of the resale, one random number, so that both are high together."""
    pair = ask("h100-sxm"), ask("h100-sxm", delivery_months=12)
    drivers = sourced_drivers(pair, FINANCE)
    assert [one.options for one in of_field(drivers, "residual_scale")] == [(0,), (1,)]
    amounts = [one for one in uncertain_amounts(drivers) if one.field == "residual_scale"]
    assert len({one.name for one in amounts}) == 2
    early, late = (values.ravel() for values in drawn(amounts, 200, seed=1))
    assert (early.argsort() == late.argsort()).all()


def test_a_tornado_holds_every_field_with_a_range() -> None:
    """Each driver with width is a bar with its rows, the widest first; its ends are single calculations, to 1e-9."""
    first, second = OPTIONS[0], OPTIONS[1]
    found = tornado_of(first, second, FINANCE)
    expected = {
        (one.field, one.low, one.high) for one in sourced_drivers((first, second), FINANCE) if one.low < one.high
    }
    assert {(one.bar.driver.field, one.bar.driver.low, one.bar.driver.high) for one in found.bars} == expected
    swings = [one.bar.swing_usd for one in found.bars]
    assert swings == sorted(swings, reverse=True)
    for one in found.bars:
        driver = one.bar.driver
        change = {driver.field: int(driver.low) if driver.field in COUNTS else driver.low}
        records: list[Any] = [made(first), made(second), FINANCE.finance]
        places = {"first": (0,), "second": (1,), "both": (0, 1), "finance": (2,)}[driver.target]
        for place in places:
            records[place] = replace(records[place], **change)
        assert one.bar.at_low_usd == pytest.approx(difference_usd(*records), rel=1e-9, abs=1e-6)
        assert one.ids


def test_a_lead_time_is_a_bar_and_no_draw() -> None:
    """NVIDIA's reported 36 to 52 weeks reach to 12 months, or to the month before the horizon; months are not drawn."""
    bridged = ask("h100-sxm", bridge="rent")
    assert not of_field(sourced_drivers((ask("h100-sxm"),), FINANCE), "delivery_months"), "less service is no saving"
    (lead,) = of_field(sourced_drivers((bridged,), FINANCE), "delivery_months")
    assert (lead.low, lead.now, lead.high, lead.held_because) == (0, 0, 12, "count")
    year = finance_defaults(FACTS.assumptions, {"horizon_months": 12})
    (short,) = of_field(sourced_drivers((bridged,), year), "delivery_months")
    assert short.high == 11
    assert "delivery_months" in {one.bar.driver.field for one in tornado_of(bridged, None, year).bars}


def test_a_tornado_says_which_fields_have_no_range() -> None:
    """The change of the electricity price has none; what does not apply to an option is not listed."""
    found = tornado_of(OPTIONS[0], None, FINANCE)
    assert ("electricity_change_per_year", ()) in found.without_range
    assert all(field != "licence_usd_per_gpu_year" for field, _ in found.without_range)


def test_an_option_without_a_price_has_no_tornado() -> None:
    """A part that nobody sells is refused."""
    with pytest.raises(InputError, match="options with a price"):
        tornado_of(ask("a800-sxm", "buy"), None, FINANCE)
