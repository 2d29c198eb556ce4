"""How long an answer takes: recommendation, flip points and confidence of every workload of every preset, each load new.

Run: python -m benchmarks.recommendation
"""

import time

from threadpoolctl import threadpool_limits

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import confidence
from lib.choice.flip_points import flip_points
from lib.choice.recommend import recommend
from lib.choice.scenario import Scenario, changed
from lib.sizing.throughput import basis_of


def answer_ms(facts: catalog.Catalog, scenario: Scenario) -> float:
    """Processor time of a whole answer [ms]."""
    start = time.process_time()
    found = recommend(facts, scenario)
    flip_points(facts, found)
    confidence(facts, found)
    return (time.process_time() - start) * 1000


def main() -> None:
    """Print one line a workload: cold, as after a link; warm, as after an edit of the electricity price."""
    threadpool_limits(1)  # as the server does
    facts = catalog.load()
    basis_of(facts)
    answer_ms(facts, presets.preset(facts, next(iter(facts.presets))))  # as the server does before its first visitor
    longest = [0.0, 0.0]
    print("preset, workload, cold ms, after an edit of money ms")
    for preset_id in facts.presets:
        scenario = presets.preset(facts, preset_id)
        for place in range(len(scenario.workloads)):
            view = changed(scenario, ("view", "workload"), place)
            cold = answer_ms(facts, view)
            warm = answer_ms(facts, changed(view, ("money", "electricity_usd_per_kwh"), 0.123))
            longest = [max(longest[0], cold), max(longest[1], warm)]
            print(f"{preset_id}, {place}, {cold:.0f}, {warm:.0f}")
    print(f"longest, , {longest[0]:.0f}, {longest[1]:.0f}")


if __name__ == "__main__":
    main()
