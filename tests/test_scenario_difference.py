"""What lies between two scenarios is found, adds up, and is the same from either side with its sign turned."""

from itertools import pairwise
from typing import Any

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.own_parts import add_part
from lib.choice.recommend import recommend
from lib.choice.scenario import OwnPart, Path, Scenario, changed
from lib.choice.scenario_difference import MOST_GROUPS, difference, winner_of
from lib.choice.scenario_inputs import differing, in_view, suggested, with_groups
from lib.present import compare, compare_tables
from lib.present.compare_names import group_name
from lib.present.figures import compare as figures
from lib.present.text import words

FACTS = catalog.load()
BASE = presets.preset(FACTS, "serve-70b")


def edited(*edits: tuple[Path, Any], start: Scenario = BASE) -> Scenario:
    """A scenario with some values replaced."""
    for path, value in edits:
        start = changed(start, path, value)
    return start


def npv(scenario: Scenario) -> float:
    """What the recommended option costs [USD]."""
    winner = recommend(FACTS, scenario).winner
    assert winner is not None
    return winner.cost.npv_usd or 0.0


def test_equal_scenarios_differ_in_nothing() -> None:
    """No input, no cost: language, title and what is looked at are no inputs."""
    looked = edited((("title",), "mine"), (("language",), "zh"), (("view", "priced"), 1))
    found = difference(FACTS, looked, BASE)
    assert (found.groups, found.effects, found.total_usd) == ((), (), 0.0)
    assert found.is_same_option
    assert "No input differs" in compare.answer(found, FACTS, "it", words("en"))


def test_one_input_explains_all() -> None:
    """Switched alone it is the whole difference, to the cent, from both ends."""
    mine = edited((("money", "discount_rate"), 0.15))
    found = difference(FACTS, mine, BASE)
    (effect,) = found.effects
    costs = [npv(one) for one in (mine, BASE)]
    assert found.total_usd == pytest.approx(costs[0] - costs[1], abs=0.01)
    assert (effect.in_yours, effect.in_other, effect.usd) == pytest.approx((found.total_usd,) * 3, abs=0.01)
    assert found.together_usd == pytest.approx(0, abs=0.01)


def test_two_inputs_leave_nothing_together() -> None:
    """Of two the mean of both orders is the Shapley value, which shares out everything (Shapley 1953, efficiency)."""
    mine = edited((("workloads", 0, "concurrency"), 300), (("money", "electricity_usd_per_kwh"), 0.25))
    found = difference(FACTS, mine, BASE)
    assert len(found.effects) == 2
    assert found.together_usd == pytest.approx(0, abs=0.01)
    assert found.main is not None
    assert found.main.groups[0].key == "workload.concurrency"


def test_effects_turn_their_sign_from_the_other_side() -> None:
    """Yours minus other is the negative of other minus yours, input by input; ten inputs or more add up with the rest."""
    other = presets.preset(FACTS, "pretrain-256")
    here, there = difference(FACTS, BASE, other), difference(FACTS, other, BASE)
    assert here.total_usd == pytest.approx(-(there.total_usd or 0), abs=0.01)
    mine = {one.groups[0].key: one.usd for one in here.effects}
    theirs = {one.groups[0].key: one.usd for one in there.effects}
    assert mine.keys() == theirs.keys()
    for key, usd in mine.items():
        assert usd == pytest.approx(-(theirs[key] or 0.0), abs=0.01)
    total = sum(one.usd or 0.0 for one in here.effects) + (here.together_usd or 0.0)
    assert total == pytest.approx(here.total_usd, abs=0.01)
    sizes = [abs(one.usd or 0.0) for one in here.effects]
    assert all(one >= two for one, two in pairwise(sizes))
    assert sum(usd for _name, usd in figures.bars(here, FACTS, words("en"))) == pytest.approx(here.total_usd, abs=5)


@pytest.mark.parametrize("other", ["chat-low-latency", "mi355x-rent", "one-megawatt", "token-price", "finetune-64"])
def test_all_groups_together_make_the_other(other: str) -> None:
    """A scenario that takes every group that differs has the other's answer, in both directions."""
    theirs = in_view(presets.preset(FACTS, other))
    groups = differing(BASE, theirs)
    for taker, giver, is_yours in ((in_view(BASE), theirs, True), (theirs, in_view(BASE), False)):
        became = with_groups(taker, giver, groups, is_yours=is_yours)
        assert differing(became, giver) == ()
        won, wanted = winner_of(FACTS, became), winner_of(FACTS, giver)
        assert (won and won.cost.npv_usd) == (wanted and wanted.cost.npv_usd)


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_the_short_answer_is_the_recommendation(preset_id: str) -> None:
    """What the attribution asks again and again is the winner of the page Recommend, at its cost."""
    scenario = presets.preset(FACTS, preset_id)
    short, long = winner_of(FACTS, scenario), recommend(FACTS, scenario).winner
    assert (short and (short.candidate, short.cost.npv_usd)) == (long and (long.candidate, long.cost.npv_usd))


def test_options_and_own_parts_are_one_group() -> None:
    """A part that only one of them states comes with its statement, and goes with it."""
    mine = add_part(BASE, OwnPart(name="MI450X", vendor="AMD", memory_gib=432.0), 1000.0)
    (group,) = differing(mine, BASE)
    assert group.key == "options"
    assert with_groups(in_view(mine), in_view(BASE), (group,), is_yours=True).own_parts == ()
    found = difference(FACTS, mine, BASE)
    assert [one.other for one in found.options if one.candidate.accelerator == "own-1"] == [None]


def test_a_price_is_one_group_of_its_option() -> None:
    """Own price and its source are switched together, and named with the option."""
    mine = edited((("candidates",), ({**BASE.candidates[0].model_dump(), "gpu_price_usd": 9000.0, "price_source": "own"},
                                     *(one.model_dump() for one in BASE.candidates[1:]))))  # fmt: skip
    (group,) = differing(mine, BASE)
    assert {one.field for one in group.inputs} == {"gpu_price_usd", "price_source"}
    assert "MI300X" in group_name(group, FACTS, words("en"))


def test_what_is_only_shown_costs_nothing() -> None:
    """Another currency is an input that differs, with no effect on the cost in US dollars."""
    found = difference(FACTS, edited((("money", "currency"), "CNY")), BASE)
    assert [one.usd for one in found.effects] == [0.0]
    table = compare_tables.inputs_table(found, FACTS, words("en"))
    assert list(table["Effect alone, USD"]) == ["none: shown only"]


def test_without_an_answer_there_is_nothing_to_explain() -> None:
    """A budget that nobody meets leaves no recommended option: inputs are listed, effects are not."""
    found = difference(FACTS, edited((("constraints", "budget_usd"), 1.0)), BASE)
    assert found.total_usd is None
    assert found.effects == ()
    assert [one.key for one in found.groups] == ["constraints.budget"]
    assert "no option passes" in compare.answer(found, FACTS, "it", words("en"))
    assert figures.effects_chart(found, FACTS, words("en"), dark=False) is None


def test_the_other_is_the_own_preset_once_something_differs() -> None:
    """An edited preset is compared with itself as published, an untouched one with the next of its task."""
    known = {name: presets.preset(FACTS, name) for name in FACTS.presets}
    assert suggested(edited((("money", "horizon_years"), 5)), known) == "serve-70b"
    assert suggested(BASE, known) != "serve-70b"
    assert known[suggested(known["pretrain-256"], known)].workload.task == "train"


def test_few_enough_inputs_are_switched_alone() -> None:
    """No pair of presets has more groups than are switched one by one."""
    known = [presets.preset(FACTS, name) for name in FACTS.presets]
    assert max(len(differing(one, other)) for one in known for other in known) <= MOST_GROUPS
