"""Speed of the cost room on one core: evaluations, a simulation of four options, a map, a tornado.

python -m benchmarks.cost_speed
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from lib import catalog
from lib.choice.fleet_costs import costed_all
from lib.choice.presets import preset
from lib.choice.uncertainty import SEED, tornado_between, uncertainty_of
from lib.cost.cash_flow import monthly_flows, totals
from lib.cost.drivers import Driver
from lib.cost.maps import break_even_map
from lib.cost.monte_carlo import DRAWS

REPEATS = 15
PRESET = "serve-70b"
ROWS = 20_000


def best_ms(run: Callable[[], object]) -> float:
    """Milliseconds of the fastest of some runs, the first one a warm-up."""
    taken = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken[1:]) * 1e3


def main() -> None:
    """Print the figures."""
    facts = catalog.load()
    candidates = costed_all(facts, preset(facts, PRESET))[:4]
    options = [one.option for one in candidates if one.option is not None]
    finance = candidates[0].finance.finance
    stream = np.random.default_rng(SEED)

    prices = stream.uniform(2e5, 4e5, (ROWS, 1))
    sweep = replace(options[0], server_price_usd=prices)
    moved = replace(
        finance,
        utilisation=stream.uniform(0.3, 0.9, (ROWS, 1)),
        electricity_usd_per_kwh=stream.uniform(0.05, 0.2, (ROWS, 1)),
        discount_rate=stream.uniform(0.05, 0.15, (ROWS, 1)),
    )
    taken = best_ms(lambda: totals(sweep, moved).npv_usd)
    print(f"totals, {ROWS:,} rows in one call: {ROWS / taken * 1e3:,.0f} evaluations/s ({taken:.1f} ms)")
    taken = best_ms(lambda: monthly_flows(sweep, moved).npv_usd)
    print(f"monthly flows, {ROWS:,} rows in one call: {ROWS / taken * 1e3:,.0f} evaluations/s ({taken:.1f} ms)")
    taken = best_ms(lambda: totals(options[0], finance))
    print(f"totals, one at a time: {1e3 / taken:,.0f} evaluations/s")
    for correlation in (0.0, 0.5):
        taken = best_ms(partial(uncertainty_of, candidates, price_correlation=correlation))
        print(f"simulation, {len(options)} options x {DRAWS:,} draws, price correlation {correlation}: {taken:.1f} ms")
    use = Driver("finance", "utilisation", 0.05, 1.0)
    price = Driver("first", "server_price_usd", 1e5, 4e5)
    taken = best_ms(lambda: break_even_map(options[0], options[1], finance, use, price))
    print(f"map of two drivers, 41 x 41: {taken:.1f} ms")
    taken = best_ms(lambda: tornado_between(candidates[0], candidates[1]))
    print(f"tornado over all drivers of two options: {taken:.1f} ms")


if __name__ == "__main__":
    main()
