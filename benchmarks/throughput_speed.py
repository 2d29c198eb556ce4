"""Throughput estimates per second on one core, and the time of a sweep over all parts and of the first use.

OMP_NUM_THREADS=1 python -m benchmarks.throughput_speed
"""

import time
from dataclasses import replace
from typing import Final

from lib import catalog
from lib.records import Layout
from lib.sizing.architecture import of_model
from lib.sizing.engines import engine_defaults
from lib.sizing.throughput import Question, basis_of, estimates, sweep, throughput

MODELS: Final = ("llama-3.1-70b", "deepseek-r1", "gpt-oss-120b", "qwen3-235b-a22b")
QUESTIONS: Final = 5000
LOADS: Final = (1, 4, 8, 16, 32, 64, 128, 256)
REPEATS: Final = 5


def main() -> None:
    """Print the figures."""
    data = catalog.load()
    start = time.perf_counter()
    basis_of(data)
    print(f"first use: {time.perf_counter() - start:.2f} s for a basis of {len(basis_of(data).observed)} rows")
    parts = [one for one in data.accelerators.values() if one.memory_bandwidth_tbs is not None]
    models = [of_model(data.model(name)) for name in MODELS]

    def question(turn: int) -> Question:
        part = parts[turn % len(parts)]
        settings = engine_defaults("vllm-v1", part.memory_usable_gib, part.accelerator_id, 2048, 8)
        tokens = 200 + 7 * turn % 4000, 100 + 3 * turn % 1000
        return Question(
            models[turn % len(models)], part, Layout(8), settings, "native", "bf16", *tokens, 1 + turn % 300
        )

    new = [[question(turn + QUESTIONS * batch) for turn in range(QUESTIONS)] for batch in range(REPEATS)]
    rates = []
    for batch in new:
        start = time.perf_counter()
        estimates(data, batch)
        rates.append(QUESTIONS / (time.perf_counter() - start))
    print(f"mixed questions, never asked before: {max(rates):,.0f} estimates/s (slowest batch {min(rates):,.0f})")
    start = time.perf_counter()
    sweep(data, new[0])
    print(f"the same as records, asked before: {QUESTIONS / (time.perf_counter() - start):,.0f} estimates/s")
    base = question(0)
    loads = [replace(base, accelerator=part, concurrency=at) for part in parts for at in LOADS]
    times = []
    for repeat in range(REPEATS):
        asked = [replace(one, input_tokens=3000 + repeat) for one in loads]
        start = time.perf_counter()
        sweep(data, asked)
        times.append(time.perf_counter() - start)
    print(f"sweep of {len(parts)} parts x {len(LOADS)} loads: {min(times) * 1e3:.0f} to {max(times) * 1e3:.0f} ms")
    start = time.perf_counter()
    throughput(data, base)
    print(f"one question with its nearest rows: {(time.perf_counter() - start) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
