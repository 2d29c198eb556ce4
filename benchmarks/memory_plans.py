"""Memory plans per second on one core: one at a time, and whole tables of models and parts in one call.

python -m benchmarks.memory_plans
"""

import time
from collections.abc import Callable

from lib import catalog
from lib.errors import ConfigError
from lib.records import Layout
from lib.sizing import fit, grid
from lib.sizing.architecture import of_model
from lib.sizing.engines import engine_defaults
from lib.sizing.layouts import RULES
from lib.sizing.training import training_plan
from lib.sizing.training_setup import TrainingSetup

REPEATS = 5
SINGLE_PLANS = 2000


def best_of(run: Callable[[], int]) -> float:
    """Plans per second of the fastest of some runs, the first one a warm-up."""
    rates = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        plans = run()
        rates.append(plans / (time.perf_counter() - start))
    return max(rates[1:])


def main() -> None:
    """Print the rates."""
    data = catalog.load()
    models = []
    for model in data.models.values():
        try:
            models.append(of_model(model))
        except ConfigError:
            continue
    parts = list(data.accelerators.values())
    settings = engine_defaults("vllm-v1", 79.18, "h100-sxm")

    def one_at_a_time() -> int:
        for turn in range(SINGLE_PLANS):
            fit.plan(
                models[turn % len(models)], 79.18, Layout(8), settings, "bf16", "bf16", 8192, 16, data.weight_formats
            )
        return SINGLE_PLANS

    print(f"one at a time: {best_of(one_at_a_time):,.0f} plans/s")

    def training_one_at_a_time() -> int:
        for turn in range(SINGLE_PLANS):
            setup = TrainingSetup(data_parallel_size=8, sequence_tokens=4096 + turn)
            training_plan(models[turn % len(models)], 79.18, setup, data.weight_formats)
        return SINGLE_PLANS

    print(f"training, one at a time: {best_of(training_one_at_a_time):,.0f} plans/s")
    for rule in RULES:

        def table(rule: fit.Rule = rule) -> int:
            return grid.fewest_gpus_table(models, parts, "bf16", "bf16", 8192, 16, data.weight_formats, rule).plans

        rate = best_of(table)
        print(f"{len(models)} models x {len(parts)} parts, {rule}: {rate:,.0f} plans/s, {table():,} plans a table")


if __name__ == "__main__":
    main()
