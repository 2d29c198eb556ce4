"""What each page answers for a scenario, in its own words: the start page shows them under each other."""

from collections.abc import Callable
from typing import Final

from lib.choice import chip, chip_roofline, comparison
from lib.choice.cost_view import cost_view
from lib.choice.offers import check_offer
from lib.choice.porting import porting
from lib.choice.scenario import Scenario
from lib.choice.sized import SERVING_TASKS
from lib.choice.timing_paths import timing as timing_of
from lib.choice.training_memory import TRAINING_TASKS
from lib.present import cost_answer, inside_limits, memory, offer, software, specs, timing, training_memory
from lib.present import recommend as recommendation
from lib.present.text import Words
from lib.ui import cached, measurements

Answer = Callable[[Scenario, Words], str]


def of_recommend(scenario: Scenario, _: Words) -> str:
    """Which candidate, and how sure that is."""
    return recommendation.answer(cached.recommendation(scenario), cached.facts(), _)


def of_memory(scenario: Scenario, _: Words) -> str:
    """Fewest GPUs of each part, or why none is computed."""
    facts, workload, model = cached.facts(), scenario.workload, cached.model_memory(scenario)
    if workload.task in TRAINING_TASKS:
        return training_memory.answer(facts, workload, cached.training(scenario), _)
    if workload.task not in SERVING_TASKS:
        return memory.not_modelled(facts, workload, model, _)
    return memory.answer(facts, workload, model, cached.memory(scenario), _)


def of_cost(scenario: Scenario, _: Words) -> str:
    """Which option costs least, and by how much."""
    return cost_answer.answer(cost_view(cached.facts(), scenario), scenario, _)


def of_specs(scenario: Scenario, _: Words) -> str:
    """What sets the parts apart on paper."""
    parts = cached.parts_from_base(scenario)
    return specs.answer(parts, comparison.rows(parts), cached.facts().columns, _)


def of_software(scenario: Scenario, _: Words) -> str:
    """What runs where, and what a move takes."""
    return software.answer(porting(cached.facts(), scenario, cached.parts(scenario)), scenario, _)


def of_timing(scenario: Scenario, _: Words) -> str:
    """Buy now, rent or wait."""
    return timing.answer(timing_of(cached.facts(), scenario), _)


def of_offer(scenario: Scenario, _: Words) -> str:
    """How much of the offer in view holds."""
    quote = scenario.quote
    if quote is None:
        return offer.nothing_yet(bool(scenario.quotes), _)
    return offer.answer(check_offer(cached.facts(), scenario, quote), _)


def of_inside(scenario: Scenario, _: Words) -> str:
    """What binds the workload on each part, and how the parts are built."""
    facts = cached.facts()
    parts = cached.parts(scenario)[: chip.MOST_PARTS]
    found = chip_roofline.roofs(facts, scenario.workload, scenario.engine, parts)
    return inside_limits.answer(facts, scenario.workload, found, [chip.package(facts, part) for part in parts], _)


HEADLINES: Final[tuple[tuple[str, Answer], ...]] = (
    ("recommend", of_recommend),
    ("memory", of_memory),
    ("benchmarks", measurements.answer),
    ("cost", of_cost),
    ("specs", of_specs),
    ("software", of_software),
    ("timing", of_timing),
    ("inside", of_inside),
    ("offer", of_offer),
)
"""Page and what it answers: the decision first, then what it rests on."""
