"""What each page answers for a scenario, in its own words: the start page shows them under each other."""

from collections.abc import Callable
from typing import Final

from lib.choice import comparison
from lib.choice.costed import costed_all
from lib.choice.recommend import recommend
from lib.choice.scenario import Scenario
from lib.choice.sized import SERVING_TASKS
from lib.present import cost, memory, specs
from lib.present import recommend as recommendation
from lib.present.text import Words
from lib.ui import cached, measurements

Answer = Callable[[Scenario, Words], str]


def of_recommend(scenario: Scenario, _: Words) -> str:
    """Which candidate, and how sure that is."""
    return recommendation.answer(recommend(cached.facts(), scenario), cached.facts(), _)


def of_memory(scenario: Scenario, _: Words) -> str:
    """Fewest GPUs of each part, or why none is computed."""
    facts, workload, model = cached.facts(), scenario.workload, cached.model_memory(scenario)
    if workload.task not in SERVING_TASKS:
        return memory.not_modelled(facts, workload, model, _)
    return memory.answer(facts, workload, model, cached.memory(scenario), _)


def of_cost(scenario: Scenario, _: Words) -> str:
    """Which option costs least, and by how much."""
    return cost.answer(costed_all(cached.facts(), scenario), scenario, _)


def of_specs(scenario: Scenario, _: Words) -> str:
    """What sets the parts apart on paper."""
    parts = cached.parts_from_base(scenario)
    return specs.answer(parts, comparison.rows(parts), cached.facts().columns, _)


HEADLINES: Final[tuple[tuple[str, Answer], ...]] = (
    ("recommend", of_recommend),
    ("memory", of_memory),
    ("benchmarks", measurements.answer),
    ("cost", of_cost),
    ("specs", of_specs),
)
"""Page and what it answers: the decision first, then what it rests on."""
