"""From a load to a fleet: each demand asks for its replicas, the largest wins, and more memory never needs more."""

import math
from dataclasses import replace

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.demand import demand_of
from lib.choice.fleet import Ask, Fleet, fleets
from lib.choice.holding import holdings
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import replica

FACTS = catalog.load()
ENGINE = EngineChoice()
LOAD = Workload(model="llama-3.3-70b", weight_format="bf16", concurrency=64)


def fleet_of(part: str, workload: Workload = LOAD, unit: int = 1, target: float = 0.8, **ask: float) -> Fleet:
    """The fleet of one part for one load."""
    asked = Ask(FACTS.accelerator(part), unit, **ask)  # type: ignore[arg-type]
    return fleets(FACTS, (workload,), ENGINE, (asked,), target)[0][0]


@pytest.mark.parametrize("part", ["mi300x", "h100-sxm", "h200-sxm", "mi355x"])
@pytest.mark.parametrize("model", ["llama-3.3-70b", "deepseek-v3", "llama-3.1-8b"])
def test_a_replica_holds_what_the_memory_room_says(part: str, model: str) -> None:
    """The smallest layout that holds all sequences is the one-server answer of the memory room (exact)."""
    workload = Workload(model=model, weight_format="native" if model == "deepseek-v3" else "bf16", concurrency=32)
    (held,) = holdings(FACTS, workload, ENGINE, (FACTS.accelerator(part),))
    sizes = [layout.gpus for layout, count in zip(held.layouts, held.sequences, strict=True) if count >= 32]
    assert min(sizes) == replica(FACTS, workload, ENGINE, FACTS.accelerator(part)).gpus


def test_more_memory_never_makes_a_model_stop_fitting() -> None:
    """With each GiB more a replica holds no fewer sequences in any layout."""
    part = FACTS.accelerator("h100-sxm")
    before: tuple[int, ...] = ()
    for gib in (60.0, 79.0, 90.0, 140.0, 190.0, 268.0):
        (held,) = holdings(FACTS, LOAD, ENGINE, (replace(part, memory_runtime_gib=gib, accelerator_id=f"own-{gib}"),))
        assert all(now >= then for now, then in zip(held.sequences, before, strict=False))
        before = held.sequences
    assert any(before)


def test_replicas_follow_from_the_low_end_of_the_throughput() -> None:
    """Rate x output x peak / (target x low end of one replica), rounded up, where that is the largest demand (exact)."""
    workload = LOAD.model_copy(update={"request_rate_per_s": 6.0, "peak_factor": 1.5, "concurrency": 8})
    found = fleet_of("h100-sxm", workload, target=0.7)
    assert found.set_by == "throughput"
    assert found.speed is not None
    one = found.speed.low / found.replicas
    demand = 6.0 * 512 * 1.5 / 0.7
    assert demand_of(workload, 0.7).capacity_tokens_per_s == pytest.approx(demand)
    assert found.replicas == math.ceil(demand / one)


def test_a_tighter_limit_never_needs_fewer_gpus_and_spares_come_on_top() -> None:
    """TPOT of 200, 100, 50 and 30 ms: no fewer GPUs each time; a spare adds one replica."""
    counts = []
    for limit in (200.0, 100.0, 50.0, 30.0):
        found = fleet_of("h100-sxm", LOAD.model_copy(update={"tpot_limit_ms": limit}))
        counts.append(found.gpus or 0)
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    plain = fleet_of("h100-sxm")
    spared = fleet_of("h100-sxm", LOAD.model_copy(update={"spare_replicas": 1}))
    assert plain.layout is not None
    assert spared.gpus == (plain.gpus or 0) + plain.layout.gpus
    assert spared.spares == 1


def test_servers_that_are_paid_for_work_too() -> None:
    """One server of eight where two GPUs would do: all eight serve, and whole servers are named as the reason."""
    workload = LOAD.model_copy(update={"weight_format": "fp8-tensor", "concurrency": 16})
    rented, bought = fleet_of("mi300x", workload), fleet_of("mi300x", workload, unit=8)
    assert (rented.gpus or 0) < 8
    assert bought.set_by == "server"
    assert bought.speed is not None
    assert rented.speed is not None
    assert bought.speed.low > rented.speed.low


def test_without_a_measured_basis_memory_alone_counts() -> None:
    """A vendor that nobody measured gets the memory's count and says that it has no basis."""
    part = replace(FACTS.accelerator("h100-sxm"), accelerator_id="own-part", vendor="other", memory_runtime_gib=120.0)
    (found,) = fleets(FACTS, (LOAD,), ENGINE, (Ask(part),), 0.8)[0]
    assert found.basis == "none"
    assert found.speed is None
    assert found.set_by == "memory"


def test_a_users_own_factor_scales_the_estimate() -> None:
    """With 1.5 times our estimate measured, the low end is 1.5 times as high (1e-12)."""
    plain, better = fleet_of("mi300x"), fleet_of("mi300x", throughput_factor=1.5)
    assert plain.speed is not None
    assert better.speed is not None
    assert better.speed.low == pytest.approx(1.5 * plain.speed.low, rel=1e-12)


def test_a_stated_throughput_wins_over_ours() -> None:
    """The preset that states 500,000 tokens an hour is not estimated."""
    scenario = presets.preset(FACTS, "token-price")
    found = fleet_of("h100-sxm", scenario.workload)
    assert found.basis == "stated"
    assert found.speed is not None
    assert found.speed.low == found.speed.high == pytest.approx(500_000 / 3600)
