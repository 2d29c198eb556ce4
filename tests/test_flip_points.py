"""What would overturn a recommendation: every flip point recomputed on both sides of it, and never is never."""

import functools

import numpy as np
import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.assessment import assess_all
from lib.choice.flip_grid import drivers_by_key, flip_grid
from lib.choice.flip_points import flip_points
from lib.choice.flips import FlipPoint, stated
from lib.choice.recommend import Recommendation, recommend, recommended
from lib.choice.scenario import Constraints, Scenario, changed

FACTS = catalog.load()
EVERY = tuple(
    (preset_id, place)
    for preset_id in FACTS.presets
    for place in range(len(presets.preset(FACTS, preset_id).workloads))
)


@functools.cache
def scenario_of(preset_id: str, workload: int = 0) -> Scenario:
    """A preset with one of its workloads in view."""
    return changed(presets.preset(FACTS, preset_id), ("view", "workload"), workload)


@functools.cache
def answered(preset_id: str, workload: int = 0) -> tuple[Recommendation, tuple[FlipPoint, ...]]:
    """The answer to a preset and its flip points."""
    found = recommend(FACTS, scenario_of(preset_id, workload))
    return found, flip_points(FACTS, found)


def first_at(scenario: Scenario, flip: FlipPoint, value: float, label: str = "") -> int | None:
    """The place that comes first where a reader states the value."""
    moved = stated(scenario, flip.driver, value, label)
    winner = recommended(FACTS, moved, assess_all(FACTS, moved)).winner
    return winner.place if winner is not None else None


@pytest.mark.parametrize(("preset_id", "workload"), EVERY)
def test_every_flip_point_turns_the_answer_and_not_before(preset_id: str, workload: int) -> None:
    """At the last value that keeps the answer today's winner is first, at the flip point the one named is (exact)."""
    found, flips = answered(preset_id, workload)
    assert found.winner is not None
    assert flips
    for flip in flips:
        if flip.at is None or flip.kept is None:
            continue
        assert first_at(found.scenario, flip, flip.at, flip.label) == flip.to
        if flip.label == "" and flip.kept not in (flip.driver.now, flip.at):
            assert first_at(found.scenario, flip, flip.kept) == found.winner.place


@pytest.mark.parametrize("preset_id", ["serve-70b", "pretrain-256", "buy-or-wait", "research-lab", "token-price"])
def test_what_never_turns_it_does_not_at_the_ends_of_its_range(preset_id: str) -> None:
    """A driver said not to change the answer leaves it at both ends of the range that was searched."""
    found, flips = answered(preset_id)
    assert found.winner is not None
    for flip in flips:
        if flip.at is None and flip.driver.target != "load" and flip.driver.name != "horizon":
            for end in (flip.driver.low, flip.driver.high):
                assert first_at(found.scenario, flip, end) == found.winner.place


def test_the_price_at_which_two_tie_follows_from_their_costs() -> None:
    """The rival's flip price makes cost per low-end token of both equal, by a straight line through two prices (1e-5)."""
    scenario = scenario_of("multimodal", 1)
    found, flips = answered("multimodal", 1)
    assert found.winner is not None
    assert found.rival is not None
    flip = next(one for one in flips if one.driver.name == "price" and one.driver.place == found.rival.place)
    assert flip.at is not None
    ends = []
    for price in (1.0, 3.0):
        moved = recommend(FACTS, stated(scenario, flip.driver, price))
        one = next(each for each in moved.assessments if each.place == found.rival.place)
        ends.append(moved.standing(one).figure or 0.0)
    target = found.standing(found.winner).figure or 0.0
    price = 1.0 + 2.0 * (target - ends[0]) / (ends[1] - ends[0])
    assert flip.at == pytest.approx(price, rel=1e-5)


def test_a_budget_that_the_winner_nearly_fills_turns_the_answer() -> None:
    """With a budget just above the winner's cost a little more for its servers rules it out: the cap is the flip point."""
    base = scenario_of("serve-70b")
    found = recommend(FACTS, base)
    assert found.winner is not None
    budget = (found.winner.cost.npv_usd or 0.0) * 1.0001
    capped = base.model_copy(update={"constraints": Constraints(budget_usd=budget)})
    answer = recommend(FACTS, capped)
    assert answer.winner is not None
    place = answer.winner.place
    flip = next(one for one in flip_points(FACTS, answer) if one.driver.name == "price" and one.driver.place == place)
    assert flip.at is not None
    assert flip.driver.now < flip.at < flip.driver.now * 1.001
    assert first_at(capped, flip, flip.at) == flip.to != place


def test_a_map_over_two_drivers_agrees_with_the_answers_at_its_corners() -> None:
    """Each corner of the grid is the answer to the scenario with both values stated; the middle is today's."""
    scenario = scenario_of("serve-70b")
    found, _ = answered("serve-70b")
    keys = list(drivers_by_key(found))
    grid = flip_grid(FACTS, found, keys[0], "electricity")
    assert grid is not None
    assert found.winner is not None
    middle = len(grid.y_values) // 2, len(grid.x_values) // 2
    assert grid.places[middle] == found.winner.place
    for row in (0, -1):
        for column in (0, -1):
            both = stated(scenario, grid.x, float(grid.x_values[column]))
            both = stated(both, grid.y, float(grid.y_values[row]))
            winner = recommend(FACTS, both).winner
            assert winner is not None
            assert grid.places[row, column] == winner.place
    assert set(np.unique(grid.places)) <= {one.place for one in found.assessments}
