"""The ways of having a part: which are ranked, what stays as it is stated, and what a reader takes over."""

import pytest

from lib.catalog import load
from lib.choice.flip_points import flip_points
from lib.choice.preference import Preference
from lib.choice.presets import preset
from lib.choice.recommend import recommend
from lib.choice.relaxing import eased
from lib.choice.scenario import MOST_OPTIONS, Scenario, changed
from lib.choice.ways import opened, settled
from lib.cost.options import Acquisition

FACTS = load()
ALL = ("preference",), Preference(ways="all").model_dump()


def open_preset(preset_id: str) -> Scenario:
    """A preset with the way of having each part left open."""
    return changed(preset(FACTS, preset_id), *ALL)


def test_the_stated_ways_stay_first_and_each_part_stands_once_in_each_way() -> None:
    """Four parts bought become sixteen options: four ways each, all of which have a price in the edition."""
    scenario = open_preset("serve-70b")
    wide = opened(FACTS, scenario)
    assert wide.candidates[:4] == scenario.candidates
    assert len({(one.accelerator, one.acquisition) for one in wide.candidates}) == len(wide.candidates) == 16


def test_nothing_is_added_where_the_way_is_stated_or_the_price_is_an_articles() -> None:
    """An article states one price of one way, and a buyer who states a way has decided."""
    stated = preset(FACTS, "serve-70b")
    assert opened(FACTS, stated) is stated
    assert opened(FACTS, open_preset("mi355x-rent")).candidates == preset(FACTS, "mi355x-rent").candidates


def test_most_options_in_every_way_are_ranked_too() -> None:
    """The longest list that a link holds, opened, still has an answer and flip points."""
    parts = [one for one in FACTS.accelerators if one not in ("mi450x",)][:MOST_OPTIONS]
    scenario = open_preset("serve-70b")
    many = tuple({"accelerator": one, "acquisition": "buy"} for one in parts)
    found = recommend(FACTS, changed(scenario, ("candidates",), many))
    assert found.winner is not None
    assert flip_points(FACTS, found)


@pytest.mark.parametrize("preset_id", ["serve-70b", "knowledge-base", "buy-or-wait"])
def test_an_open_way_is_never_dearer_than_the_stated_one(preset_id: str) -> None:
    """More choice cannot hurt: the first of all ways stands at most where the first of the stated ways does."""
    stated = changed(preset(FACTS, preset_id), ("preference",), Preference().model_dump())
    first, wide = recommend(FACTS, stated), recommend(FACTS, open_preset(preset_id))
    assert first.winner is not None
    assert wide.winner is not None
    ours, theirs = first.standing(first.winner).weighted, wide.standing(wide.winner).weighted
    assert ours is not None
    assert theirs is not None
    assert theirs <= ours * (1 + 1e-12)


def test_the_cheaper_way_costs_what_it_costs_as_a_candidate() -> None:
    """What the answer names beside a purchase is what the same part costs when it is stated that way."""
    scenario = preset(FACTS, "serve-70b")
    named = recommend(FACTS, scenario).cheaper_way
    assert named is not None
    way: Acquisition = named.candidate.acquisition
    asked = {"accelerator": named.candidate.accelerator, "acquisition": way}
    beside = recommend(FACTS, changed(scenario, ("candidates",), (asked,)))
    assert beside.assessments[0].cost.npv_usd == named.npv_usd


def test_two_ways_of_one_fleet_tie_by_their_prices_alone() -> None:
    """Bought or committed the same eight GPUs deliver the same: the band that counts is that of the price."""
    scenario = preset(FACTS, "serve-70b")
    two = tuple(
        {"accelerator": "h100-sxm", "gpus": 8, "acquisition": way, "server_price_usd": price}
        for way, price in (("buy", 300_000.0), ("commit-3y", None))
    )
    found = recommend(FACTS, changed(scenario, ("candidates",), two))
    assert found.winner is not None
    assert found.rival is not None
    assert found.winner.question == found.rival.question
    assert found.overlap == 0.0  # a stated price has no range, so that it can cover no other


def test_what_is_settled_is_an_ordinary_scenario_with_the_first_way_of_each_part() -> None:
    """Each part stands once, in the order of the reader, in the way that ranks first."""
    scenario = open_preset("buy-or-wait")
    found = recommend(FACTS, scenario)
    order = tuple(one.candidate for one in found.assessments)
    kept = settled(scenario, order)
    assert [one.accelerator for one in kept.candidates] == ["h100-sxm", "mi300x", "mi355x", "b300-sxm"]
    for one in kept.candidates:
        assert one == next(each for each in order if each.accelerator == one.accelerator)
    assert kept.prefers.ways == "stated"


def test_a_way_out_that_was_not_stated_takes_the_place_of_its_part() -> None:
    """Three GPUs at most: rented they are to be had, and the scenario that keeps the eased limits has that way in it."""
    scenario = changed(open_preset("serve-70b"), ("constraints", "gpus"), 1)
    found = recommend(FACTS, scenario)
    assert found.winner is None
    for way in found.ways_out:
        result = eased(scenario, found.scenario, way)
        assert way.assessment.candidate.accelerator in [one.accelerator for one in result.candidates]
        assert len(result.candidates) == len(scenario.candidates)
        again = recommend(FACTS, result)
        assert again.winner is not None
