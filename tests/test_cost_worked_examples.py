"""Published calculations of total cost of ownership come out, to the rounding of their print."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.energy import energy_cost_usd
from lib.cost.options import Finance, Option
from lib.cost.sensitivity import break_even_months, break_even_periods
from lib.cost.unit_cost import cost_per_gb_year_usd

FILE = Path(__file__).parent / "data" / "cost" / "worked_examples.json"
EXAMPLES: dict[str, dict[str, Any]] = {
    example["id"]: example for example in json.loads(FILE.read_text(encoding="utf-8"))
}


def inputs(example: str) -> dict[str, float]:
    """What the publication put in."""
    return dict(EXAMPLES[example]["inputs"])


def published(example: str) -> dict[str, float]:
    """What the publication printed."""
    return dict(EXAMPLES[example]["published"])


def bought(**changes: Any) -> Option:
    """Eight GPUs in one server that costs and draws nothing but what is stated."""
    stated: dict[str, Any] = {"server_price_usd": 0.0, "load_kw_per_server": 0.0, "idle_kw_per_server": 0.0}
    return Option(accelerator_id="h100-sxm", acquisition="buy", **({"gpus": 8} | stated | changes))


def rented(usd_per_gpu_hour: float, gpus: int = 8, **changes: Any) -> Option:
    """GPUs on demand."""
    return Option(
        accelerator_id="h100-sxm", acquisition="rent", gpus=gpus, rent_usd_per_gpu_hour=usd_per_gpu_hour, **changes
    )


@pytest.mark.parametrize(
    ("example", "tolerance"),
    [("WE01-od", 0.5), ("WE01-1y", 1.0), ("WE01-3y", 0.0002 * 15710), ("WE02", 0.0005 * 25942)],
)
def test_lenovo_break_even_hours(example: str, tolerance: float) -> None:
    """8,556, 10,890 and 15,710 hours: the print rounds or cuts to an hour, the last two are within 0.02 and 0.05 %."""
    given = inputs(example)
    hours = break_even_periods(given["hardware_usd"], given["onprem_usd_per_hour"], given["cloud_usd_per_hour"])
    assert hours == pytest.approx(published(example)["breakeven_hours"], abs=tolerance)


@pytest.mark.parametrize("example", ["WE01-od", "WE01-1y", "WE01-3y"])
def test_lenovo_break_even_in_the_cash_flow(example: str) -> None:
    """The month in which the purchase has paid is the one in which the published hours end (730 hours a month)."""
    given = inputs(example)
    own = bought(server_price_usd=given["hardware_usd"], load_kw_per_server=given["onprem_usd_per_hour"] / 0.15)
    cloud = rented(given["cloud_usd_per_hour"] / 8)
    finance = Finance(horizon_months=36, electricity_usd_per_kwh=0.15)
    assert monthly_flows(own, finance).components["energy"][1] == pytest.approx(0.87 * 730)
    expected = int(-(-published(example)["breakeven_hours"] // 730))
    assert break_even_months(own, cloud, finance, range(1, 61)) == expected


@pytest.mark.parametrize(("example", "tolerance"), [("WE03-4h", 0.05), ("WE03-8h", 0.05), ("WE03-16h", 0.006)])
def test_lenovo_break_even_in_years_of_part_time_use(example: str, tolerance: float) -> None:
    """Years at 4, 8 and 16 hours a day, to the last printed digit (1.465 is printed as 1.47)."""
    hours = inputs(example)["hours_per_day"] * 365
    years = break_even_periods(833_806, 0.87 * hours, 98.32 * hours)
    assert years == pytest.approx(published(example)["years"], abs=tolerance)


def test_the_print_of_years_after_the_price_cut_does_not_follow() -> None:
    """25,942 hours at 16 hours a day are 4.44 years, not the 3.6 that are printed."""
    given = inputs("WE04-16h")
    years = break_even_periods(given["breakeven_hours"], 0.0, 365 * given["hours_per_day"])
    assert years == pytest.approx(4.442, abs=0.001)
    assert years != pytest.approx(published("WE04-16h")["years"], rel=0.1)


def test_five_years_of_an_owned_node() -> None:
    """Year 1 and a later year, to a dollar; support is 3,000 USD in year 1 and 5,000 later: two options."""
    given, printed = inputs("WE05"), published("WE05")

    def node(support_usd: float) -> Option:
        return bought(
            server_price_usd=given["hardware"],
            load_kw_per_server=given["onprem_per_hour"] / 0.15,
            hardware_support_fraction=support_usd / given["hardware"],
            staff_fte_per_server=given["staff_fte"],
            licence_usd_per_gpu_year=given["network_storage_per_year"] / 8,  # carries network and storage
        )

    finance = Finance(horizon_months=12, electricity_usd_per_kwh=0.15, staff_usd_per_fte_year=given["staff_salary"])
    first = totals(node(given["maintenance_y1"]), finance).nominal_usd
    by_year = monthly_flows(node(given["maintenance_y2_5"]), replace(finance, horizon_months=60)).by_year()
    later = np.sum([component[2:] for component in by_year.values()], axis=0)
    assert first == pytest.approx(printed["owned_y1"], abs=1)
    assert list(later) == pytest.approx([printed["owned_y2"]] * 4, abs=1)
    assert first + later.sum() == pytest.approx(printed["owned_5y"], abs=2)


@pytest.mark.parametrize(("months", "printed"), [(12, "cloud_1y"), (60, "cloud_5y")])
def test_years_of_eight_gpus_on_demand(months: int, printed: str) -> None:
    """One and five years at 98.32 USD an hour, to two dollars."""
    cost = totals(rented(inputs("WE05")["cloud_per_hour"] / 8), Finance(horizon_months=months)).nominal_usd
    assert cost == pytest.approx(published("WE05")[printed], abs=2)


def test_an_hour_of_power_for_eight_gpus() -> None:
    """1.06 USD an hour, to half a cent."""
    given = inputs("WE06")
    power = given["gpus"] * given["gpu_kw"] + given["overhead_kw"]
    cost = energy_cost_usd(power, 1.0, given["pue"], given["price"])
    assert cost == pytest.approx(published("WE06")["usd_per_hour"], abs=0.005)


def test_a_thousand_gpus_for_five_years() -> None:
    """37.95 and 2.11 million USD and 10.7 thousand per effective PFLOP-year, to the last printed digit."""
    given, printed = inputs("WE09-h200-sxm"), published("WE09-h200-sxm")
    option = bought(
        gpus=int(given["gpus"]), server_price_usd=8 * given["price_per_gpu"], load_kw_per_server=8 * given["tdp_kw"]
    )
    finance = Finance(
        horizon_months=60,
        utilisation=given["utilisation"],
        power_usage_effectiveness=given["pue"],
        electricity_usd_per_kwh=given["price_kwh"],
    )
    summed = totals(option, finance)
    assert summed.nominal_usd == pytest.approx(printed["tco_musd"] * 1e6, abs=5_000)
    assert summed.nominal_by_component["energy"] == pytest.approx(printed["power_musd"] * 1e6, abs=5_000)
    pflop_years = given["dense_fp16_pflops"] * given["utilisation"] * given["gpus"] * given["years"]
    assert summed.nominal_usd / pflop_years == pytest.approx(printed["kusd_per_effective_pflop_year"] * 1e3, abs=50)


@pytest.mark.parametrize(
    ("example", "node_price"),
    [("WE11-16", 310_000), ("WE11-512", 310_000), ("WE11-2048", 310_000), ("WE11-4096", 300_000)],
)
def test_capital_of_an_infiniband_cluster(example: str, node_price: float) -> None:
    """Total, per node and per GPU of the sheet, to half a dollar; its 4,096-GPU row uses 300,000 USD per node."""
    given, printed = inputs(example), published(example)
    network = given["switches"] * given["switch_price"] + given["cables_usd"]
    option = bought(
        gpus=int(given["gpus"]),
        server_price_usd=float(node_price),
        network_usd_per_gpu=network / given["gpus"],
        installation_usd_per_gpu=given["facility_ops_per_node"] / 8,
    )
    total = totals(option, Finance(horizon_months=12)).nominal_usd
    assert total == pytest.approx(printed["total"], abs=0.5)
    assert total / option.servers == pytest.approx(printed["per_node"], abs=0.5)
    assert total / option.gpus == pytest.approx(printed["per_gpu"], abs=0.51)


def test_amortisation_is_not_subtracted_before_dividing_the_whole_capital() -> None:
    """392,000 USD against 14,400 a month pay after 35.6 months; the published formula counts the capital twice: 137."""
    given = inputs("WE12")
    capital = given["gpus"] * given["hw_per_gpu"] * (1 + given["overhead"])
    power = energy_cost_usd(given["gpus"] * given["gpu_kw"], given["hours_per_month"], given["pue"], given["price_kwh"])
    cloud = given["gpus"] * given["hours_per_month"] * given["cloud_rate"]
    running = power + given["dc_month"]
    assert break_even_periods(capital, running, cloud) == pytest.approx(35.6, abs=0.05)
    twice = break_even_periods(capital, running + capital / (given["years"] * 12), cloud)
    assert twice == pytest.approx(137, abs=0.5)


def test_node_cost_per_gb_of_memory() -> None:
    """498 and 1,162 USD per GB: an MI300X node costs 3 % more and a GB 2.3 times less, to the print."""
    given, printed = inputs("WE13"), published("WE13")
    costs = {part: given[f"{part}_usd_per_gb"] * given[f"{part}_gb"] for part in ("mi300x", "h100")}
    per_gb_year = {part: cost_per_gb_year_usd(cost, given[f"{part}_gb"], 3) for part, cost in costs.items()}
    assert (costs["mi300x"] / costs["h100"] - 1) * 100 == pytest.approx(printed["mi300x_over_h100_pct"], abs=0.5)
    assert per_gb_year["h100"] / per_gb_year["mi300x"] == pytest.approx(printed["advantage_ratio"], abs=0.05)


def test_power_saved_by_a_newer_node() -> None:
    """164,000 USD over three years, to half a thousand."""
    given = inputs("WE14")
    power = given["delta_kw"] * given["nodes"]
    saved = energy_cost_usd(power, given["hours"], given["cooling_factor"], given["price_kwh"])
    assert saved == pytest.approx(published("WE14")["saving_usd"], abs=500)


@pytest.mark.parametrize("example", ["WE15-gold", "WE15-hyper"])
def test_thirty_six_months_of_a_rented_cluster(example: str) -> None:
    """4,096 GPUs: rent, support and set-up, with the other lines carried by licences; to 36 roundings of a dollar."""
    given, printed = inputs(example), published(example)
    other = ("storage_month", "network_month", "cpu_month", "goodput_loss_month", "debugging_month")
    option = rented(
        given["gpu_month"] / (4096 * 730),
        gpus=4096,
        rent_support_fraction=given["support_month"] / given["gpu_month"],
        licence_usd_per_gpu_year=sum(given[line] for line in other) * 12 / 4096,
        migration_usd=given["setup_one_time"],
    )
    summed = totals(option, Finance(horizon_months=36))
    assert summed.nominal_usd == pytest.approx(printed["total_36m"], abs=36)
    assert summed.nominal_usd / 36 == pytest.approx(printed["monthly"], abs=1)


def test_relative_cost_of_two_providers() -> None:
    """The dearer provider costs 1.26 times the best, to the print."""
    ratio = published("WE15-hyper")["total_36m"] / published("WE15-gold")["total_36m"]
    assert ratio == pytest.approx(published("WE15-ratio")["hyper"], abs=0.005)


def test_price_per_gb_of_memory_in_article_a0() -> None:
    """83 and 344 USD per GB come from 16,000 and 27,500 USD, not from the middle of its ranges; to half a dollar."""
    given, printed = inputs("WE17-0a"), published("WE17-0a")
    amd = cost_per_gb_year_usd(given["mi300x_price"], 192, 1)
    nvidia = cost_per_gb_year_usd(given["h100_price"], 80, 1)
    assert amd == pytest.approx(printed["mi300x"], abs=0.5)
    assert nvidia == pytest.approx(printed["h100"], abs=0.5)
    assert (1 - amd / nvidia) * 100 == pytest.approx(printed["lower_pct"], abs=0.5)


def test_a_server_does_not_pay_in_three_months() -> None:
    """Even without the amortisation inside its running cost the server pays after 9.6 months, not the printed 3."""
    given = inputs("WE18")
    running = given["onprem_month"] - given["server"] / 36
    months = break_even_periods(given["server"], running, given["cloud_reserved_month"])
    assert months == pytest.approx(9.57, abs=0.01)
