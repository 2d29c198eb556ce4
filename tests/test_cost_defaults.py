"""Options and finance from the catalogue say where every field comes from, and guess nothing."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from lib import catalog
from lib.cost.cash_flow import monthly_flows, residual_fraction, totals
from lib.cost.defaults import FinanceDefaults, OptionDefaults, finance_defaults, option_for
from lib.cost.drivers import Driver
from lib.cost.options import Acquisition, Option
from lib.cost.sensitivity import tornado
from lib.cost.sourced_drivers import tornado_of
from lib.errors import InputError, UnknownNameError
from lib.records import Assumption

FACTS = catalog.load()
TODAY = date(2026, 11, 30)


def assumption(assumption_id: str) -> tuple[float, float, float]:
    """Low, base and high of a row of the catalogue."""
    row: Assumption = FACTS.assumption(assumption_id)
    assert row.low is not None
    assert row.base is not None
    assert row.high is not None
    return row.low, row.base, row.high


def ask(accelerator_id: str, acquisition: Acquisition = "buy", gpus: int = 16, **more: Any) -> OptionDefaults:
    """The option that the catalogue gives."""
    overrides = more.pop("overrides", None)
    accelerator = FACTS.accelerator(accelerator_id)
    return option_for(accelerator, acquisition, gpus, FACTS.assumptions, FACTS.prices, TODAY, overrides, **more)


def made(defaults: OptionDefaults) -> Option:
    """The option, where there must be one."""
    assert defaults.option is not None, defaults.reasons
    return defaults.option


def test_a_bought_server_is_the_estimate_and_says_so() -> None:
    """MI300X servers at the base of their estimate, with its range, its id and a doubt."""
    defaults = ask("mi300x")
    low, base, high = assumption("capex-srv-8xmi300x-est")
    origin = defaults.origins["server_price_usd"]
    assert made(defaults).server_price_usd == base
    assert (origin.kind, origin.ids, origin.low, origin.high) == ("estimate", ("capex-srv-8xmi300x-est",), low, high)
    assert "estimated-price" in [doubt.code for doubt in defaults.doubts]
    assert made(defaults).servers == 2


def test_every_field_comes_from_its_row_in_its_unit() -> None:
    """Percentages become fractions; the base of the row is the value."""
    option = made(ask("mi300x"))
    for field, assumption_id, factor in (
        ("network_usd_per_gpu", "capex-net-roce", 1),
        ("installation_usd_per_gpu", "capex-install-setup", 1),
        ("hardware_support_fraction", "sw-hwsupport", 100),
        ("spares_fraction", "capex-spares", 100),
        ("staff_fte_per_server", "staff-8gpu", 1),
        ("load_kw_per_server", "pow-node-load-mi300x", 1),
        ("idle_kw_per_server", "pow-node-idle-mi300x", 1),
    ):
        assert getattr(option, field) == assumption(assumption_id)[1] / factor, field
    weeks, salary = assumption("mig-elapsed")[1], assumption("staff-loaded")[1]
    assert option.migration_usd == pytest.approx(weeks * salary / 52)
    assert made(ask("h100-sxm")).migration_usd == 0


def test_a_rent_is_the_median_of_the_dated_rows_of_nine_months() -> None:
    """On 30 November 2026 MI300X has five such rows (1.50, 1.85, 1.99, 3.45, 6.00), H100 seven around 3.49."""
    amd, nvidia = ask("mi300x", "rent"), ask("h100-sxm", "rent")
    assert made(amd).rent_usd_per_gpu_hour == 1.99
    assert made(nvidia).rent_usd_per_gpu_hour == 3.49
    origin = amd.origins["rent_usd_per_gpu_hour"]
    assert (origin.kind, len(origin.ids), origin.low, origin.high) == ("prices", 5, 1.5, 6.0)
    rows = {price.price_id: price for price in FACTS.prices}
    assert sorted(rows[price_id].low for price_id in origin.ids) == [1.5, 1.85, 1.99, 3.45, 6.0]


@pytest.mark.parametrize(
    ("acquisition", "assumption_id"), [("commit-1y", "rent-1y-est-"), ("commit-3y", "rent-3y-est-")]
)
def test_a_commitment_is_its_estimate(acquisition: Acquisition, assumption_id: str) -> None:
    """Too few dated rows of one term and three years: the estimates, marked."""
    defaults = ask("mi300x", acquisition)
    assert made(defaults).rent_usd_per_gpu_hour == assumption(assumption_id + "mi300x")[1]
    assert defaults.origins["rent_usd_per_gpu_hour"].kind == "estimate"


@pytest.mark.parametrize(
    ("accelerator_id", "acquisition", "reason"),
    [
        ("h100-pcie", "buy", "no-purchase-price"),
        ("mi400-series", "buy", "no-node-power"),
        ("h20", "rent", "no-rental-price"),
    ],
)
def test_what_nobody_published_is_a_reason_and_not_a_guess(
    accelerator_id: str, acquisition: Acquisition, reason: str
) -> None:
    """No option, and the reason by its code; the field is marked as missing."""
    defaults = ask(accelerator_id, acquisition)
    assert defaults.option is None
    assert reason in defaults.reasons
    assert any(origin.kind == "missing" and origin.reason == reason for origin in defaults.origins.values())


def test_the_user_can_supply_what_is_missing() -> None:
    """A stated rent makes an option of a part without any price; origin is the user."""
    defaults = ask("h20", "rent", overrides={"rent_usd_per_gpu_hour": 1.2})
    assert made(defaults).rent_usd_per_gpu_hour == 1.2
    assert defaults.origins["rent_usd_per_gpu_hour"].kind == "user"
    server = {"server_price_usd": 2e5, "gpus_per_server": 4, "load_kw_per_server": 3.0, "idle_kw_per_server": 1.0}
    assert made(ask("h100-pcie", overrides=server)).servers == 4


def test_what_the_user_changes_is_marked_and_the_default_kept_beside() -> None:
    """A changed value has the user's origin with the default's range; the default stated again is no change."""
    low, base, high = (end / 100 for end in assumption("capex-spares"))
    changed = ask("mi300x", overrides={"spares_fraction": 0.5}).origins["spares_fraction"]
    assert (changed.kind, changed.low, changed.base, changed.high) == ("user", low, base, high)
    assert ask("mi300x", overrides={"spares_fraction": base}).origins["spares_fraction"].kind == "assumption"
    weeks = assumption("mig-elapsed")[1]
    assert ask("mi300x", overrides={"migration_engineer_weeks": weeks}).origins["migration_usd"].kind == "derived"
    assert ask("mi300x", overrides={"spares_fraction": None}).origins["spares_fraction"].kind == "assumption"


def test_a_price_per_gpu_becomes_a_server() -> None:
    """Eight GPUs and the server base; the articles' 20,000 and 22,500 USD of A1 likewise."""
    base = assumption("capex-base-est")[1]
    assert made(ask("mi300x", overrides={"gpu_price_usd": 10_000.0})).server_price_usd == 80_000 + base
    amd, nvidia = (ask(part, price_source="article-a1") for part in ("mi300x", "h100-sxm"))
    assert made(amd).server_price_usd == 8 * 20_000 + base
    assert made(nvidia).server_price_usd == 8 * 22_500 + base
    assert amd.origins["server_price_usd"].kind == "article"
    assert "capex-base-est" in amd.origins["server_price_usd"].ids


@pytest.mark.parametrize(
    ("accelerator_id", "gpus", "usd_per_month"),
    [("mi355x", 4, 5636), ("b300-sxm", 4, 16076), ("h200-sxm", 8, 18232), ("rtx-pro-6000-blackwell-server", 2, 1918)],
)
def test_article_a3_prices_give_its_monthly_bills(accelerator_id: str, gpus: int, usd_per_month: float) -> None:
    """The article's deployments from its rows of the catalogue, without provider support: to the cent."""
    overrides = {"rent_support_fraction": 0.0, "migration_usd": 0.0}
    defaults = ask(accelerator_id, "rent", gpus, overrides=overrides, price_source="article-a3")
    flows = monthly_flows(made(defaults), finance_defaults(FACTS.assumptions).finance)
    assert flows.total[1:] == pytest.approx([usd_per_month] * 36, abs=0.005)
    assert defaults.origins["rent_usd_per_gpu_hour"].kind == "article"


def test_an_article_without_a_price_and_own_prices_without_one_are_reasons() -> None:
    """Article A3 sells nothing and has no commitments; "own" uses nothing but the user's word."""
    assert "no-purchase-price" in ask("mi355x", price_source="article-a3").reasons
    assert "no-rental-price" in ask("mi355x", "commit-1y", price_source="article-a3").reasons
    assert "no-rental-price" in ask("mi300x", "rent", price_source="own").reasons
    assert (
        made(
            ask("mi300x", "rent", price_source="own", overrides={"rent_usd_per_gpu_month": 730.0})
        ).rent_usd_per_gpu_hour
        == 1
    )


def test_what_does_not_apply_stays_out_even_when_stated() -> None:
    """No network beside one server or in a price that holds it, no port of CUDA code to NVIDIA, no licence for AMD."""
    overrides = {"network_usd_per_gpu": 9_000.0, "migration_engineer_weeks": 50.0, "licence_usd_per_gpu_year": 4_500.0}
    assert made(ask("h100-sxm", gpus=8, overrides=overrides)).network_usd_per_gpu == 0
    assert made(ask("h100-sxm", gpus=9, overrides=overrides)).network_usd_per_gpu == 9_000
    mi355x = ask("mi355x", overrides=overrides)
    assert made(mi355x).network_usd_per_gpu == 0
    assert mi355x.origins["network_usd_per_gpu"].reason == "in-server-price"
    assert "network-in-server-price" in [doubt.code for doubt in mi355x.doubts]
    assert made(ask("mi355x", overrides=overrides | {"server_price_usd": 3e5})).network_usd_per_gpu == 9_000
    h100, amd = made(ask("h100-sxm", overrides=overrides)), made(ask("mi300x", overrides=overrides))
    assert (h100.migration_usd, h100.licence_usd_per_gpu_year) == (0, 4_500)
    assert amd.licence_usd_per_gpu_year == 0
    assert amd.migration_usd == pytest.approx(50 * assumption("staff-loaded")[1] / 52)
    assert made(ask("h100-sxm", overrides={"migration_usd": 7.0})).migration_usd == 7


def test_residual_values_follow_their_rows() -> None:
    """NVIDIA's curve as stated; AMD's lowered to its own row after three years; a part without either is not sold."""
    nvidia, amd = made(ask("h100-sxm")), made(ask("mi300x"))
    stated = [assumption(f"fin-residual-y{year}")[1] / 100 for year in range(1, 6)]
    assert nvidia.residual_by_year == pytest.approx(stated)
    own = assumption("fin-residual-amd")[1] / 100
    assert amd.residual_by_year == pytest.approx([max(value - (stated[2] - own), 0) for value in stated])
    bare = {"server_price_usd": 1e5, "load_kw_per_server": 9.0, "idle_kw_per_server": 3.0}
    gaudi = ask("gaudi3", overrides=bare)
    assert made(gaudi).residual_by_year == ()
    assert "no-residual-value" in [doubt.code for doubt in gaudi.doubts]


@pytest.mark.parametrize("years", [1, 2, 3, 4, 5])
def test_the_range_of_a_resale_ends_at_what_its_year_states(years: int) -> None:
    """Sold after one to five years an H100 is worth the low and the high end of that year's row, to 1e-12."""
    found = ask("h100-sxm", horizon_months=12 * years)
    origin, worth = found.origins["residual_scale"], made(found).residual_by_year[years - 1]
    low, _base, high = (end / 100 for end in assumption(f"fin-residual-y{years}"))
    assert origin.low is not None
    assert origin.high is not None
    assert (origin.low * worth, origin.high * worth) == pytest.approx((low, high), abs=1e-12)


def test_the_range_of_a_resale_is_that_of_the_age_at_the_sale() -> None:
    """Delivered after a year and sold after three it is two years old: 30 to 45 % of the price, base 42.5."""
    found = ask("h100-sxm", overrides={"order_month": 4, "delivery_months": 8})
    origin, worth = found.origins["residual_scale"], made(found).residual_by_year[1]
    low, base, high = (end / 100 for end in assumption("fin-residual-y2"))
    assert worth == pytest.approx(base, abs=1e-12)
    assert (origin.low or 0.0) * worth == pytest.approx(low, abs=1e-12)
    assert (origin.high or 0.0) * worth == pytest.approx(high, abs=1e-12)


@pytest.mark.parametrize(("part", "row"), [("mi300x", "fin-residual-amd"), ("a100-sxm-80g", "fin-residual-a100")])
def test_a_lowered_curve_has_its_own_row_after_three_years_and_nowhere_more_than_the_h100(part: str, row: str) -> None:
    """5, 15 and 25 % of an MI300X, 20, 22.5 and 25 % of an A100; at every other age no more than the H100's high end."""
    bare = {"server_price_usd": 1e5, "load_kw_per_server": 9.0, "idle_kw_per_server": 3.0}
    for months in range(12, 61, 6):
        found = ask(part, overrides=bare, horizon_months=months)
        worth = residual_fraction(made(found).residual_by_year, months)
        origin = found.origins["residual_scale"]
        ends = (origin.low or 0.0) * worth, (origin.high or 0.0) * worth
        if months == 36:
            low, _base, high = (end / 100 for end in assumption(row))
            assert ends == pytest.approx((low, high), abs=1e-12)
        highs = tuple(assumption(f"fin-residual-y{year}")[2] / 100 for year in range(1, 6))
        assert ends[0] <= worth <= ends[1] <= residual_fraction(highs, months) + 1e-12


def test_a_price_for_another_size_of_server_is_refused() -> None:
    """The estimate is for eight GPUs: four per server contradict it, unless the server's price is stated too."""
    with pytest.raises(InputError, match="gpus_per_server is 4; allowed: 8"):
        ask("mi300x", overrides={"gpus_per_server": 4})


def test_names_that_do_not_exist_are_refused() -> None:
    """An override or an acquisition with a wrong name, a GPU count without meaning."""
    with pytest.raises(UnknownNameError, match="server_price_usd"):
        ask("mi300x", overrides={"server_price": 1.0})
    with pytest.raises(InputError, match="acquisition"):
        ask("mi300x", "lease")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gpus is 0"):
        ask("h20", gpus=0)
    with pytest.raises(UnknownNameError, match="discount_rate"):
        finance_defaults(FACTS.assumptions, {"discount": 0.1})


def test_finance_comes_from_its_rows() -> None:
    """Base of each row in the unit of the field, with its range; what is a choice says so."""
    defaults = finance_defaults(FACTS.assumptions)
    for field, assumption_id, factor in (
        ("discount_rate", "fin-discount", 100),
        ("utilisation", "rent-util", 100),
        ("electricity_usd_per_kwh", "fac-elec-us", 1),
        ("power_usage_effectiveness", "fac-pue-colo", 1),
        ("colocation_usd_per_kw_month", "fac-colo-us", 1),
        ("colocation_change_per_year", "fac-colo-escalator", 100),
        ("staff_usd_per_fte_year", "staff-loaded", 1),
    ):
        low, base, high = (end / factor for end in assumption(assumption_id))
        origin = defaults.origins[field]
        assert getattr(defaults.finance, field) == base, field
        assert (origin.low, origin.high, origin.ids) == (low, high, (assumption_id,)), field
    assert defaults.origins["electricity_change_per_year"].kind == "off"
    stated = finance_defaults(FACTS.assumptions, {"discount_rate": 0.02, "horizon_months": 24})
    assert (stated.finance.discount_rate, stated.finance.horizon_months) == (0.02, 24)
    assert stated.origins["discount_rate"].kind == "user"


def test_exchange_rates_are_units_per_dollar() -> None:
    """The row of the yuan as it stands, that of the euro turned round."""
    yuan = finance_defaults(FACTS.assumptions, {"currency": "CNY"}).finance
    euro = finance_defaults(FACTS.assumptions, {"currency": "EUR"}).finance
    assert yuan.in_currency(1.0) == assumption("fin-fx-usdcny")[1]
    assert euro.in_currency(assumption("fin-fx-eurusd")[1]) == pytest.approx(1.0)
    assert (
        finance_defaults(FACTS.assumptions, {"currency": "EUR", "currency_per_usd": 0.9}).finance.currency_per_usd
        == 0.9
    )


def test_a_gap_in_the_assumptions_is_an_error() -> None:
    """A row that has gone is named, not replaced."""
    rows = {name: row for name, row in FACTS.assumptions.items() if name != "fin-discount"}
    with pytest.raises(UnknownNameError, match="fin-discount"):
        finance_defaults(rows)
    gap = dict(FACTS.assumptions) | {"fin-discount": replace(FACTS.assumption("fin-discount"), base=None)}
    with pytest.raises(UnknownNameError, match="fin-discount"):
        finance_defaults(gap)


def drivers(first: OptionDefaults, second: OptionDefaults | None, finance: FinanceDefaults) -> tuple[Driver, ...]:
    """The drivers behind the bars of a tornado."""
    return tuple(one.bar.driver for one in tornado_of(first, second, finance).bars)


def test_one_thing_is_one_driver() -> None:
    """What both options take from the same row moves both; each price moves its own; every bar can be computed."""
    first, second, finance = ask("h100-sxm"), ask("mi300x"), finance_defaults(FACTS.assumptions)
    found = drivers(first, second, finance)
    targets = {(driver.field, driver.target) for driver in found}
    assert ("staff_fte_per_server", "both") in targets
    assert {("server_price_usd", "first"), ("server_price_usd", "second")} <= targets
    assert ("discount_rate", "finance") in targets
    assert "currency_per_usd" not in {driver.field for driver in found}
    assert all(driver.low < driver.high for driver in found)
    bars = tornado(made(first), made(second), finance.finance, found)
    assert len(bars) == len(found)
    alone = drivers(first, None, finance)
    assert {driver.target for driver in alone} == {"first", "finance"}


def test_a_user_value_outside_the_range_widens_it() -> None:
    """A tornado's range always holds the value in use."""
    first = ask("h100-sxm", overrides={"spares_fraction": 0.5})
    spares = next(
        driver
        for driver in drivers(first, None, finance_defaults(FACTS.assumptions))
        if driver.field == "spares_fraction"
    )
    assert spares.high == 0.5


@pytest.mark.parametrize("accelerator_id", FACTS.accelerators)
@pytest.mark.parametrize("acquisition", ["buy", "rent", "commit-1y", "commit-3y"])
def test_every_part_gives_an_option_or_a_reason(accelerator_id: str, acquisition: Acquisition) -> None:
    """Never both, never neither; every option has a positive cost and every id behind it exists."""
    defaults = ask(accelerator_id, acquisition)
    known = {*FACTS.assumptions, *(price.price_id for price in FACTS.prices)}
    assert (defaults.option is None) == bool(defaults.reasons)
    for origin in defaults.origins.values():
        assert known.issuperset(origin.ids)
    if defaults.option is not None:
        assert totals(defaults.option, finance_defaults(FACTS.assumptions).finance).npv_usd > 0


def test_a_lead_time_that_nobody_states_is_unknown_with_its_reported_range() -> None:
    """NVIDIA's 36 to 52 weeks are 8 to 12 months and a range to try, not a default; nothing is reported for AMD."""
    nvidia, amd = ask("h100-sxm"), ask("mi300x")
    assert made(nvidia).delivery_months is None
    assert made(amd).delivery_months is None
    origin = nvidia.origins["delivery_months"]
    assert (origin.ids, origin.low, origin.base, origin.high) == (("rel-leadtime",), 8, None, 12)
    assert amd.origins["delivery_months"].ids == ()
    assert made(ask("h100-sxm", overrides={"delivery_months": 0})).delivery_months == 0
    assert made(ask("h100-sxm", "rent")).delivery_months == 0
    alone = drivers(nvidia, None, finance_defaults(FACTS.assumptions))
    assert not any(driver.field == "delivery_months" for driver in alone), "less service is no saving"
    nvidia = ask("h100-sxm", overrides={"bridge": "rent"})
    found = {driver.field: driver for driver in drivers(nvidia, None, finance_defaults(FACTS.assumptions))}
    assert (found["delivery_months"].low, found["delivery_months"].high) == (0, 12)
    short = drivers(nvidia, None, finance_defaults(FACTS.assumptions, {"horizon_months": 12}))
    assert next(driver.high for driver in short if driver.field == "delivery_months") == 11


def test_a_bridge_is_priced_by_the_rule_of_prices() -> None:
    """The median of the dated on-demand rows of the part that stands in; the part itself where none is named."""
    wait = {"delivery_months": 6, "bridge": "rent"}
    itself, other = ask("h100-sxm", overrides=wait), ask("h100-sxm", overrides=wait | {"bridge_part": "mi300x"})
    assert made(itself).bridge_usd_per_gpu_hour == 3.49
    assert made(other).bridge_usd_per_gpu_hour == 1.99
    origin = other.origins["bridge_usd_per_gpu_hour"]
    assert (origin.kind, origin.low, origin.high) == ("prices", 1.5, 6.0)
    stated = ask("h100-sxm", overrides=wait | {"bridge_usd_per_gpu_hour": 2.5, "bridge_gpus": 4})
    assert (made(stated).bridge_usd_per_gpu_hour, made(stated).bridge_gpus) == (2.5, 4)
    assert stated.origins["bridge_usd_per_gpu_hour"].kind == "user"
    assert "no-bridge-price" in ask("h100-sxm", overrides=wait | {"bridge_part": "h20"}).reasons
    assert "no-bridge-cost" in ask("h100-sxm", overrides={"bridge": "old-fleet"}).reasons
    fleet = ask("h100-sxm", overrides={"bridge": "old-fleet", "bridge_usd_per_month": 9_000.0})
    assert made(fleet).bridge_usd_per_month == 9_000


@pytest.mark.parametrize("acquisition", ["buy", "rent"])
def test_storage_and_egress_are_off_with_their_prices_beside(acquisition: Acquisition) -> None:
    """No TB unless stated; 0.023 USD per GB-month and 0.09 USD per GB as USD per TB of 1,000 GB."""
    defaults = ask("mi300x", acquisition)
    option = made(defaults)
    assert (option.storage_tb, option.egress_tb_per_month) == (0, 0)
    assert defaults.origins["storage_tb"].reason == "not-stated"
    assert option.storage_usd_per_tb_month == pytest.approx(assumption("rent-storage")[1] * 1000)
    assert option.egress_usd_per_tb == pytest.approx(assumption("rent-egress")[1] * 1000)
    assert defaults.origins["egress_usd_per_tb"].ids == ("rent-egress",)
    more = made(ask("mi300x", acquisition, overrides={"storage_tb": 10.0, "egress_tb_per_month": 2.0}))
    summed = totals(more, finance_defaults(FACTS.assumptions).finance).nominal_by_component
    assert (summed["storage"], summed["egress"]) == (pytest.approx(36 * 230), pytest.approx(36 * 180))


def test_a_facility_of_ones_own_is_built_at_its_row() -> None:
    """10 to 17.25 million USD per MW are 10,000 to 17,250 USD per kW of load, and a doubt; a lease needs no building."""
    own = ask("h100-sxm", overrides={"site": "own"})
    low, base, high = (end * 1000 for end in assumption("fac-build"))
    origin = own.origins["fit_out_usd_per_kw"]
    assert (made(own).fit_out_usd_per_kw, origin.low, origin.high) == (base, low, high)
    assert "own-facility" in [doubt.code for doubt in own.doubts]
    leased = ask("h100-sxm")
    assert made(leased).fit_out_usd_per_kw == 0
    assert leased.origins["fit_out_usd_per_kw"].high == assumption("capex-fitout")[2]
    assert made(ask("h100-sxm", overrides={"fit_out_usd_per_kw": 750.0})).fit_out_usd_per_kw == 750


def test_an_old_exchange_rate_is_doubted_and_its_day_named() -> None:
    """The rate of the edition is older than 90 days on 30 November 2026; a stated one is nobody's to doubt."""
    found = finance_defaults(FACTS.assumptions, {"currency": "EUR"}, TODAY)
    row = FACTS.assumption("fin-fx-eurusd")
    assert found.rate_as_of == row.as_of
    age = (TODAY - date.fromisoformat(row.as_of)).days
    assert [(doubt.code, doubt.values["days"]) for doubt in found.doubts] == [("old-rate", age)]
    stated = finance_defaults(FACTS.assumptions, {"currency": "EUR", "currency_per_usd": 0.9}, TODAY)
    assert (stated.rate_as_of, stated.doubts) == ("", ())
    assert finance_defaults(FACTS.assumptions, None, TODAY).doubts == ()
    assert finance_defaults(FACTS.assumptions, {"currency": "EUR"}, date(2026, 3, 10)).doubts == ()
