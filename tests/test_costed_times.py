"""What a scenario says of times, storage, site and currency reaches the costs, the words and the shell."""

import base64
import json
import zlib
from typing import Any

import pytest

from lib import catalog
from lib.__main__ import main
from lib.choice import link, presets
from lib.choice.article_costs import article_costs
from lib.choice.cost_view import cost_view
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Candidate, Constraints, Money, Scenario, changed
from lib.present import cost_answer, cost_notes
from lib.present.article_costs import article_table
from lib.present.text import words

FACTS = catalog.load()
NEW = {
    "candidates": {
        "prepaid_fraction", "minimum_months", "order_month", "delivery_months", "acceptance_months", "deposit_fraction",
        "bridge", "bridge_part", "bridge_gpus", "bridge_usd_per_gpu_hour", "bridge_usd_per_month",
    },
    "money": {
        "electricity_change_per_year", "site", "fit_out_usd_per_kw", "storage_tb", "storage_usd_per_tb_month",
        "egress_tb_per_month", "egress_usd_per_tb", "currency", "currency_per_usd",
    },
    "constraints": {"budget_by_year", "contingency_fraction"},
}  # fmt: skip
"""Fields that links made before them do not have."""

Change = tuple[tuple[str | int, ...], Any]


def with_changes(*changes: Change, preset_id: str = "buy-or-wait") -> Scenario:
    """A preset with some fields changed."""
    scenario = presets.preset(FACTS, preset_id)
    for path, value in changes:
        scenario = changed(scenario, path, value)
    return scenario


def bought(*changes: Change) -> Costed:
    """The first candidate of a preset, H100 bought, with some fields changed."""
    return costed_all(FACTS, with_changes(*changes))[0]


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_a_link_of_before_keeps_its_figures(preset_id: str) -> None:
    """Without a single new field a token opens, and every cost is what the whole scenario's is, to the last bit."""
    scenario = presets.preset(FACTS, preset_id)
    data = scenario.model_dump(mode="json")
    for name in NEW["money"]:
        del data["money"][name]
    for name in NEW["constraints"]:
        del data["constraints"][name]
    for candidate in data["candidates"]:
        for name in NEW["candidates"]:
            del candidate[name]
    raw = json.dumps(data).encode()
    old = link.decode(base64.urlsafe_b64encode(zlib.compress(raw)).rstrip(b"=").decode())
    ours = [one.npv_usd for one in costed_all(FACTS, scenario)]
    assert [one.npv_usd for one in costed_all(FACTS, old)] == ours


def test_the_new_fields_are_those_that_are_named_here() -> None:
    """The list above is of fields that exist."""
    for part, record in (("candidates", Candidate), ("money", Money), ("constraints", Constraints)):
        assert NEW[part] <= set(record.model_fields)


def test_a_candidate_s_times_reach_its_flows() -> None:
    """Ordered in month 1, half paid then, delivered in month 7, served from month 9; the bridge at its own rent."""
    candidate = ("candidates", 0)
    one = bought(
        ((*candidate, "order_month"), 1),
        ((*candidate, "delivery_months"), 6),
        ((*candidate, "acceptance_months"), 2),
        ((*candidate, "deposit_fraction"), 0.5),
        ((*candidate, "bridge"), "rent"),
        ((*candidate, "bridge_gpus"), 2),
        ((*candidate, "bridge_usd_per_gpu_hour"), 3.0),
    )
    assert one.option is not None
    assert one.flows is not None
    price = float(one.option.server_price_usd or 0.0)
    hardware = one.flows.components["hardware"]
    assert hardware[[1, 7]] == pytest.approx([price / 2, price / 2])
    assert one.flows.components["bridge"][[1, 9, 10]] == pytest.approx([2 * 3 * 730, 2 * 3 * 730, 0])
    assert not one.flows.components["energy"][:10].any()
    assert "lead-time-unknown" not in [doubt.code for doubt in one.flows.doubts]


@pytest.mark.parametrize(
    ("acquisition", "field", "value"),
    [("rent", "deposit_fraction", 0.5), ("buy", "minimum_months", 12), ("buy", "prepaid_fraction", 1.0),
     ("commit-1y", "minimum_months", 30), ("rent", "prepaid_fraction", 1.0)],
)  # fmt: skip
def test_what_a_way_of_having_has_no_meaning_for_is_passed_over(acquisition: str, field: str, value: float) -> None:
    """A field left over from another way changes no figure and makes no error."""
    way = (("candidates", 2, "acquisition"), acquisition)
    own_source = (("candidates", 2, "accelerator"), "mi325x")
    plain = costed_all(FACTS, with_changes(own_source, way))[2]
    stated = costed_all(FACTS, with_changes(own_source, way, (("candidates", 2, field), value)))[2]
    assert stated.problem is None
    assert stated.npv_usd == plain.npv_usd


def test_a_commitment_may_be_prepaid() -> None:
    """The same dollars, earlier: the nominal cost stays and the value rises."""
    scenario = presets.preset(FACTS, "train-128")
    plain = costed_all(FACTS, scenario)[0]
    prepaid = costed_all(FACTS, changed(scenario, ("candidates", 0, "prepaid_fraction"), 1.0))[0]
    assert plain.summed is not None
    assert prepaid.summed is not None
    assert float(prepaid.summed.nominal_usd) == pytest.approx(float(plain.summed.nominal_usd), rel=1e-12)
    assert float(prepaid.summed.npv_usd) > float(plain.summed.npv_usd)


def test_storage_and_egress_cost_both_ways_of_having_the_same() -> None:
    """50 TB at 23 USD and 4 TB out at 90 USD a month: 1,150 and 360 USD, bought or rented."""
    scenario = with_changes((("money", "storage_tb"), 50.0), (("money", "egress_tb_per_month"), 4.0))
    for one in costed_all(FACTS, scenario):
        if one.flows is not None:
            assert one.flows.components["storage"][[1, 36]] == pytest.approx([1150, 1150])
            assert one.flows.components["egress"][[1, 36]] == pytest.approx([360, 360])


def test_a_site_of_ones_own_pays_no_lease_and_builds() -> None:
    """13,000 USD per kW of load at delivery in place of the monthly lease."""
    one = bought((("money", "site"), "own"))
    assert one.option is not None
    assert one.flows is not None
    assert not one.flows.components["facility"].any()
    built = float(one.flows.load_kw) * 13_000
    install = 736.0 * one.option.held_gpus
    assert one.flows.components["installation"][0] == pytest.approx(built + install)


def test_results_are_shown_in_the_reader_s_currency_and_say_at_which_rate() -> None:
    """The answer is the dollar answer times the rate of the edition; the caption has rate, source and day."""
    dollars, euros = (with_changes((("money", "currency"), money)) for money in ("USD", "EUR"))
    spoken = words("en")
    in_dollars, in_euros = (costed_all(FACTS, one) for one in (dollars, euros))
    assert [one.npv_usd for one in in_dollars] == [one.npv_usd for one in in_euros]
    rate = 1 / 1.1618  # ECB reference rate of 2026-03-05
    least = min(one.npv_usd for one in in_euros if one.npv_usd is not None)
    answer = cost_answer.answer(cost_view(FACTS, euros), euros, spoken)
    assert f"{least * rate / 1000:,.0f},000 EUR" in answer
    assert "USD" not in answer
    line = cost_notes.sources_line(in_euros, FACTS, spoken)
    assert "0.86073 per USD" in line
    assert "2026-03-05" in line
    assert "EUR" not in cost_notes.sources_line(in_dollars, FACTS, spoken)
    stated = costed_all(FACTS, changed(euros, ("money", "currency_per_usd"), 0.9))
    assert "your rate of 0.9 per USD" in cost_notes.sources_line(stated, FACTS, spoken)


def test_the_shell_prints_times_caps_and_currency(capsys: pytest.CaptureFixture[str]) -> None:
    """Service month, the broken year with its month, dollars paid by year, and the rate beside dollar amounts."""
    scenario = with_changes(
        (("candidates", 0, "delivery_months"), 8),
        (("constraints", "budget_by_year"), (100_000.0,)),
        (("money", "currency"), "CNY"),
    )
    assert main(["cost", link.encode(scenario)]) == 0
    printed = json.loads(capsys.readouterr().out)
    one = costed_all(FACTS, scenario)[0]
    assert printed["shown_in"]["currency"] == "CNY"
    assert printed["shown_in"]["per_usd"] == pytest.approx(6.9011)
    first = printed["options"][0]
    assert first["net_present_value_usd"] == one.npv_usd
    assert first["timing"]["service_month"] == 8
    assert first["broken_caps"][0]["year"] == 1
    assert first["broken_caps"][0]["month"] == 8
    assert first["paid_by_year_usd"][0] > 100_000
    assert "nothing-serves-before" in first["doubts"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_articles_statements_stand_in_a_table(language: str) -> None:
    """One line a statement with its verdict; the fourteen per cent have what would have to be assumed."""
    rows = article_costs(FACTS)
    table = article_table(rows, FACTS, words(language))
    assert len(table) == len(rows)
    assert table.map(bool).all(axis=None)
    assert any("531,429 USD" in text for text in table.iloc[:, -1])
