"""What lies behind the cost page: odds, crossings, caps, currency, options and resets, against figures made here."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from plotly.graph_objects import Figure
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import cost_view_edits as edits
from lib.choice import link, presets
from lib.choice.checks import caps_of
from lib.choice.cost_view import cost_view
from lib.choice.cost_view_pair import break_evens, map_axes, map_drivers, ownership, pair_map
from lib.choice.cost_view_units import offer_rows, quote_rows, reach_rows, stated_throughput, unit_rows
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Candidate, Scenario, changed
from lib.cost.difference import waterfall
from lib.present import cost_drivers, cost_findings, cost_sections, cost_tables, cost_units
from lib.present.cost import group_name
from lib.present.figures import cost as figures
from lib.present.figures import cost_pair, cost_spread, style
from lib.present.text import words

ROOT = Path(__file__).resolve().parent.parent
FACTS = catalog.load()
SPOKEN = words("en")


def opened(scenario: Scenario) -> AppTest:
    """The page with a scenario."""
    at = AppTest.from_file(str(ROOT / "lib" / "ui" / "shell.py"), default_timeout=60)
    at.query_params["s"] = link.encode(scenario)
    at.switch_page("../../pages/cost.py")
    at.run()
    assert not at.exception
    return at


def with_candidates(*candidates: dict[str, Any], preset_id: str = "serve-70b") -> Scenario:
    """A preset with other candidates."""
    scenario = presets.preset(FACTS, preset_id)
    full = tuple(Candidate(**one).model_dump() for one in candidates)
    return changed(scenario, ("candidates",), full)


def own_rent(usd: float, part: str = "h100-sxm") -> dict[str, Any]:
    """A rental at a price that is known."""
    return {"accelerator": part, "acquisition": "rent", "price_source": "own", "rent_usd_per_gpu_hour": usd}


def test_a_price_drawn_around_its_median_is_as_likely_above_as_below_it() -> None:
    """The same rental at the catalogue's median and at that figure for certain: one half, within four standard errors."""
    rented = {"accelerator": "h100-sxm", "acquisition": "rent"}
    (plain,) = costed_all(FACTS, with_candidates(rented))
    assert plain.option is not None
    base = float(plain.option.rent_usd_per_gpu_hour)  # type: ignore[arg-type]
    view = cost_view(FACTS, with_candidates(rented, own_rent(base)))
    assert view.probability(0, 1) == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / 10_000))
    low, high = plain.npv_low_usd, plain.npv_high_usd
    assert low is not None
    assert high is not None
    beyond = cost_view(FACTS, with_candidates(rented, own_rent(base * high / plain.npv_usd * 1.001)))  # type: ignore[operator]
    assert beyond.probability(0, 1) == 1


def test_two_known_rents_are_told_apart_for_certain_and_the_page_says_so() -> None:
    """At 2 and 3 USD an hour nothing that is drawn differs between them: 100 % of draws, and a third less cost."""
    at = opened(
        with_candidates(own_rent(3.0), own_rent(2.0, "h100-sxm") | {"order_month": 1}, own_rent(2.0, "h200-sxm"))
    )
    assert "H200 SXM, rent" in at.markdown[0].value
    same = opened(with_candidates(own_rent(3.0, "h200-sxm"), own_rent(2.0)))
    gpus = [one.gpus for one in costed_all(FACTS, with_candidates(own_rent(3.0, "h200-sxm"), own_rent(2.0)))]
    expected = gpus[0] * 3.0 / (gpus[1] * 2.0)  # type: ignore[operator]
    assert ("H100 SXM, rent** costs least" in same.markdown[0].value) == (expected > 1)
    assert "**100\N{NO-BREAK SPACE}%** of 10,000 draws" in same.markdown[0].value


def plain_purchase() -> Scenario:
    """A purchase at 100,000 USD and a rental at 3 USD an hour, everything else set to nothing, without interest."""
    scenario = with_candidates(
        {
            "accelerator": "h100-sxm",
            "price_source": "own",
            "server_price_usd": 100_000.0,
            "gpus": 4,
            "delivery_months": 0,
        },
        own_rent(3.0) | {"gpus": 4},
    )
    for field in (
        "electricity_usd_per_kwh", "colocation_usd_per_kw_month", "hardware_support_fraction", "residual_scale",
        "staff_fte_per_server", "spares_fraction", "rent_support_fraction", "discount_rate",
    ):  # fmt: skip
        scenario = changed(scenario, ("money", field), 0.0)
    return scenario


def test_curves_cross_where_the_rent_has_paid_for_the_server() -> None:
    """Server and set-up over 4 x 3 USD x 730 hours a month: the first whole month above that quotient."""
    setup = 8 * (FACTS.assumption("capex-install-setup").base or 0.0)
    quotient = (100_000 + setup) / (4 * 3.0 * 730)
    scenario = plain_purchase()
    view = cost_view(FACTS, scenario)
    (met,) = view.meetings
    assert (met.place, met.other, met.month, met.by_resale) == (0, 1, math.ceil(quotient), False)
    found = ownership(FACTS, scenario, view)
    assert found is not None
    assert found.answer.paying_horizons == ((math.ceil(quotient), 60),)
    assert found.answer.utilisation.found[0].at == pytest.approx(quotient / 36, rel=1e-9)
    curve = json.loads(opened(scenario).get("plotly_chart")[0].proto.spec)["data"]
    assert curve[-1]["x"] == [math.ceil(quotient)]


def test_a_quote_must_fall_to_the_price_at_which_both_cost_the_same() -> None:
    """The server may cost 36 months of rent less its set-up; half of that is dearer than nothing, and never is said."""
    setup = 8 * (FACTS.assumption("capex-install-setup").base or 0.0)
    rows = quote_rows(cost_view(FACTS, plain_purchase()))
    server = next(one for one in rows if one.costed.candidate.acquisition == "buy")
    assert server.matching.at == pytest.approx(4 * 3.0 * 730 * 36 - setup, rel=1e-9)
    shown = cost_sections.quote_table(rows, SPOKEN)
    assert list(shown.columns)[:2] == ["Quote for", "Against"]


def test_the_map_of_two_rents_has_its_line_on_the_diagonal() -> None:
    """4 GPUs at either rent: the same cost where both rents are the same."""
    view = cost_view(FACTS, with_candidates(own_rent(3.0) | {"gpus": 4}, own_rent(2.0, "h200-sxm") | {"gpus": 4}))
    axes = map_axes(view, "first.rent_usd_per_gpu_hour", "second.rent_usd_per_gpu_hour")
    assert axes == ("first.rent_usd_per_gpu_hour", "second.rent_usd_per_gpu_hour")
    found = pair_map(view, *axes)
    assert found is not None
    for line in found.lines:
        assert line[:, 0] == pytest.approx(line[:, 1], rel=1e-9)
    assert set(axes) <= set(map_drivers(view))


def test_a_driver_that_never_changes_the_order_is_said_never() -> None:
    """At 1 USD against 4 no change of the provider's support in its range makes the dear one cheaper."""
    view = cost_view(FACTS, with_candidates(own_rent(1.0) | {"gpus": 8}, own_rent(4.0, "h200-sxm") | {"gpus": 8}))
    table = cost_sections.break_even_table(view, break_evens(view), SPOKEN)
    support = table[table["Driver"] == "Provider's support"].iloc[0]
    assert str(support["Both cost the same at"]).startswith("never from 0 %")


def test_a_broken_cap_is_named_with_its_month() -> None:
    """A server of 100,000 USD in month 0 breaks a first year's budget of 90,000 at once, the rent of 8,760 a month in month 11."""
    scenario = edits.with_year_budget(plain_purchase(), 1, 90_000.0)
    sentences = cost_tables.breach_sentences(costed_all(FACTS, scenario), caps_of(scenario.constraints), SPOKEN)
    assert len(sentences) == 2
    assert "year 1 in month 0" in sentences[0]
    assert "year 1 in month 11" in sentences[1]
    shown = opened(changed(scenario, ("view", "cost_section"), "years"))
    assert any("year 1 in month 11" in one.value for one in shown.markdown)
    assert edits.with_year_budget(scenario, 1, None).constraints.budget_by_year == ()


def test_charts_follow_the_currency_and_inputs_stay_dollars() -> None:
    """At 7 yuan per dollar the components are seven times the dollars; the price slider still reads USD."""
    scenario = changed(plain_purchase(), ("money", "currency"), "CNY")
    scenario = changed(scenario, ("money", "currency_per_usd"), 7.0)
    at = opened(scenario)
    sums = [label.rpartition("<b>")[2] for label in json.loads(at.get("plotly_chart")[1].proto.spec)["data"][0]["y"]]
    usd = sorted(one.npv_usd or 0.0 for one in costed_all(FACTS, scenario))
    assert sums == [f"{7 * value:,.0f} CNY</b>" for value in usd]
    assert any(one.label == "Price, USD per server" for one in at.slider)
    table = cost_tables.summary_table(costed_all(FACTS, scenario), SPOKEN)
    assert table["NPV, CNY"].tolist() == pytest.approx(
        [7 * (one.npv_usd or 0.0) for one in costed_all(FACTS, scenario)], abs=0.01
    )


def test_the_share_of_a_group_says_of_what_it_is() -> None:
    """Of the sum before the resale where there is one; of the cost where there is none; support is in its group's name."""
    for candidate, end in (
        ({"accelerator": "h100-sxm", "acquisition": "buy"}, "of what H100 SXM, buy costs before its resale"),
        (own_rent(2.0), "of what H100 SXM, rent costs"),
    ):
        view = cost_view(FACTS, with_candidates(candidate))
        assert view.best is not None
        assert view.best.summed is not None
        parts = {name: float(usd) for name, usd in view.best.summed.npv_by_component.items()}
        largest = ("hardware", "network", "installation", "spares") if parts["hardware"] else ("rental", "bridge")
        share = sum(parts[name] for name in largest) / sum(usd for usd in parts.values() if usd > 0)
        assert cost_findings.components_title(view, SPOKEN).endswith(f"{100 * share:.0f} % {end}")
    assert group_name("people", SPOKEN) == "People, support and software"


def test_the_same_part_stands_bought_rented_and_committed() -> None:
    """Options are part x way; the last one cannot be taken away, and a ninth does not come in."""
    scenario = with_candidates({"accelerator": "mi300x"})
    keys = list(edits.offered(scenario))
    assert [key.split("|")[1] for key in keys] == ["buy", "rent", "commit-1y", "commit-3y"]
    every = edits.with_options(scenario, keys)
    assert [one.acquisition for one in every.candidates] == ["buy", "rent", "commit-1y", "commit-3y"]
    assert all(one.npv_usd for one in costed_all(FACTS, every))
    with pytest.raises(ValidationError):
        edits.with_options(scenario, [])


def test_the_same_part_can_be_ordered_in_two_months() -> None:
    """Month of order tells candidates apart; the same twice is refused."""
    now, later = {"accelerator": "mi300x"}, {"accelerator": "mi300x", "order_month": 6}
    assert len(with_candidates(now, later).candidates) == 2
    with pytest.raises(ValidationError):
        with_candidates(later, later)


def test_what_changed_is_listed_and_a_reset_takes_it_back() -> None:
    """One change in each of three groups: three lines; each reset takes its own back and leaves the others."""
    preset = presets.preset(FACTS, "serve-70b")
    scenario = edits.with_price(preset, 0, "server_price_usd", 200_000.0)
    scenario = changed(scenario, ("money", "utilisation"), 0.6)
    scenario = changed(scenario, ("constraints", "budget_usd"), 1e6)
    fields = [one.field for one in edits.changes(scenario, preset)]
    assert fields == ["utilisation", "budget_usd", "server_price_usd"]
    for group, gone in (("run", "utilisation"), ("money", "budget_usd"), ("buy", "server_price_usd")):
        fields.remove(gone)
        scenario = edits.reset_group(scenario, group, preset)  # type: ignore[arg-type]
        assert [one.field for one in edits.changes(scenario, preset)] == fields
    assert scenario == preset
    at = opened(changed(preset, ("money", "utilisation"), 0.6))
    assert any("Utilisation 40 % → 60 %" in caption.value for caption in at.caption)


def test_unit_costs_need_what_they_rest_on() -> None:
    """The article's 500,000 tokens an hour at 2 USD: 4 USD a million; the parts of input and output add up to the bill."""
    scenario = presets.preset(FACTS, "token-price")
    (row,) = unit_rows(FACTS, scenario, cost_view(FACTS, scenario))
    assert row.unit.million_output_tokens_usd == pytest.approx((4.0, 4.0), rel=1e-9)
    rates = stated_throughput(scenario.workload)
    assert rates is not None
    assert row.unit.split is not None
    bill = rates[0][0] * float(row.unit.split.million_input_tokens_usd[0])
    bill += rates[1][0] * float(row.unit.split.million_output_tokens_usd[0])
    assert bill * 3600 / 1e6 == pytest.approx(2.0, rel=1e-9)
    assert row.unit.user_year_usd is None
    silent = changed(scenario, ("workloads", 0, "stated_output_tokens_per_hour"), None)
    (row,) = unit_rows(FACTS, silent, cost_view(FACTS, silent))
    assert row.unit.million_output_tokens_usd is None
    table = cost_units.unit_table([row], SPOKEN)
    assert "state a throughput" in set(table.iloc[:, 1])


def test_a_megawatt_holds_as_many_servers_as_their_power_at_the_wall_allows() -> None:
    """1,000 kW over the H100 server's load times the PUE, rounded down; a rental has no power of its own."""
    scenario = plain_purchase()
    scenario = changed(changed(scenario, ("view", "reach_limit"), "power"), ("view", "reach_kw"), 1000.0)
    load = FACTS.assumption("pow-node-load-h100-sxm").base or 0.0
    pue = scenario.money.power_usage_effectiveness
    bought, rented = reach_rows(FACTS, scenario)
    assert bought.reach is not None
    assert bought.reach.servers == math.floor(1000 / (load * pue))
    assert rented.reach is None
    assert "no power" in cost_sections.reach_table([rented], SPOKEN)["Left open"][0]


def test_providers_without_a_price_are_listed_as_such() -> None:
    """Every provider that lists a rent of some part stands in the table of a part, with its price or without."""
    rows = offer_rows(FACTS, cost_view(FACTS, with_candidates(own_rent(3.0))))
    table = cost_units.offer_table(rows, {}, SPOKEN)
    silent = [one.offer.provider for one in rows if not one.offer.has_price]
    assert silent
    assert (table["USD per GPU-hour"] == "no price found").sum() == len(silent)


def test_an_unknown_lead_time_and_an_old_rate_are_said() -> None:
    """The caption names both: nobody stated a lead time, and the rate of the euro is of March."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("money", "currency"), "EUR")
    said = " ".join(caption.value for caption in opened(scenario).caption)
    assert "ask the vendor" in said
    assert "2026-03-05" in said


def test_a_link_that_names_two_options_compares_them() -> None:
    """The tornado is of the two that the reader chose, and of the two cheapest where one of them has no cost."""
    scenario = presets.preset(FACTS, "serve-70b")
    chosen = changed(changed(scenario, ("view", "cost_first"), 2), ("view", "cost_second"), 3)
    assert cost_view(FACTS, chosen).pair == (2, 3)
    assert cost_view(FACTS, changed(scenario, ("view", "cost_first"), 7)).pair == cost_view(FACTS, scenario).pair


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("preset_id", ["serve-70b", "buy-or-wait", "token-price", "llama-405b"])
def test_plotly_knows_every_property_of_the_figures(preset_id: str, dark: bool) -> None:
    """The page sends its figures unchecked, so they are checked here: Plotly's own classes take each of them."""
    scenario = presets.preset(FACTS, preset_id)
    view, look = cost_view(FACTS, scenario), style.looks(FACTS.accelerators, dark=dark)
    assert view.first is not None
    drawn = [
        figures.cumulative_chart(view, look, SPOKEN, dark=dark),
        figures.components_chart(view, SPOKEN, dark=dark),
        cost_spread.tornado_chart(
            [one.bar for one in cost_drivers.moving_bars(view)], cost_drivers.tornado_labels(view, SPOKEN),
            view.first, SPOKEN, dark=dark,
        ),
        cost_spread.spread_chart(view, look, SPOKEN, dark=dark),
    ]  # fmt: skip
    if view.second is not None and view.first.summed is not None and view.second.summed is not None:
        steps = waterfall(view.first.summed, view.second.summed)
        drawn.append(
            cost_pair.waterfall_chart(steps, view.first, view.second, SPOKEN, dark=dark, title="t", subtitle="s")
        )
        axes = map_axes(view, "", "")
        assert axes is not None
        found = pair_map(view, *axes)
        assert found is not None
        drawn.append(
            cost_pair.map_chart(
                found, view.first, view.second, axes, (1.0, 1.0), SPOKEN, dark=dark, title="t", subtitle="s"
            )
        )
    owned = ownership(FACTS, scenario, view)
    if owned is not None:
        drawn.append(cost_pair.horizon_chart(owned, look, SPOKEN, dark=dark, title="t", subtitle="s"))
    for figure in drawn:
        Figure(**figure)
