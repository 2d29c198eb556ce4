"""What the memory page computes: counts with their range, what rules out fewer, the frontier, a plan taken apart."""

import csv
import math
from pathlib import Path

import pytest

from lib import catalog
from lib.choice import memory_breakdown, memory_view, presets
from lib.choice.memory_view import PartMemory
from lib.choice.scenario import EngineChoice, Workload
from lib.records import Accelerator
from lib.units import GIB

ROOT = Path(__file__).resolve().parent.parent
FACTS = catalog.load()
ENGINE = EngineChoice()
SERVED = Workload(model="llama-3.3-70b", weight_format="bf16", input_tokens=4096, output_tokens=512, concurrency=64)
LOADS = [
    SERVED,
    Workload(model="deepseek-v3", input_tokens=4096, output_tokens=1024, concurrency=64),
    Workload(model="gpt-oss-120b", input_tokens=8192, output_tokens=1024, concurrency=128),
    Workload(model="gemma-3-27b", weight_format="fp8-tensor", input_tokens=30_000, output_tokens=1000, concurrency=16),
]


def rows(table: str, **where: str) -> list[dict[str, str]]:
    """Rows of a table of data/ as text."""
    with (ROOT / "data" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if all(row[name] == value for name, value in where.items())]


def part(name: str) -> Accelerator:
    """A part by its id."""
    return FACTS.accelerator(name)


def counted(workload: Workload, name: str, engine: EngineChoice = ENGINE) -> PartMemory:
    """One part's answer."""
    return memory_view.part_memory(FACTS, workload, engine, part(name))


@pytest.mark.parametrize(("name", "gpus"), [("mi300x", 2), ("h200-sxm", 2), ("h100-sxm", 4)])
def test_the_headline_of_serve_70b_follows_from_the_tables(name: str, gpus: int) -> None:
    """Checkpoint, layer groups and reported memory give the count for any workspace from 0 to 14 GiB a GPU."""
    weights = float(rows("checkpoints", model_id="llama-3.3-70b", weight_format="bf16")[0]["published_bytes"])
    groups = rows("layer_groups", model_id="llama-3.3-70b")
    cache = sum(int(row["layers"]) * float(row["bytes_per_token_bf16"]) for row in groups) * 4608 * 64
    memory = float(rows("accelerators", accelerator_id=name)[0]["memory_runtime_gib"]) * GIB

    def fewest(workspace: float) -> int:
        return next(size for size in (1, 2, 4, 8) if (weights + cache) / size + workspace * GIB <= 0.9 * memory)

    assert fewest(0) == fewest(14) == gpus
    assert counted(SERVED, name).sized.gpus == gpus


@pytest.mark.parametrize(
    ("model", "tokens", "bytes_per_token"),
    [("deepseek-v3", 4608, 70_272), ("llama-3.1-405b", 8192, 516_096), ("gpt-oss-120b", 131_072, 36_900)],
)
def test_the_cache_of_a_token_is_exact(model: str, tokens: int, bytes_per_token: int) -> None:
    """Latent, grouped and windowed attention in 16 bit, whatever the format of the weights."""
    load = Workload(model=model, input_tokens=tokens - 1, output_tokens=1)
    assert memory_view.model_memory(FACTS, load).cache_bytes_per_token == bytes_per_token


def test_weights_are_the_published_bytes_and_say_so() -> None:
    """gpt-oss-120b in its native format is 65,248,815,744 bytes, published."""
    model = memory_view.model_memory(FACTS, Workload(model="gpt-oss-120b"))
    assert model.weights_bytes == 65_248_815_744
    assert model.is_published


def test_a_diffusion_model_has_no_size_and_says_why() -> None:
    """No layer groups, no answer, a reason."""
    model = memory_view.model_memory(FACTS, Workload(model="sdxl", weight_format="fp16", task="image"))
    assert model.architecture is None
    assert "sdxl" in model.reason


@pytest.mark.parametrize("name", ["mi300x", "h100-sxm", "h200-sxm", "b200-sxm", "mi355x"])
@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.model)
def test_the_count_stands_within_its_range_and_one_size_fewer_fails(load: Workload, name: str) -> None:
    """Low workspace needs no more, high workspace no fewer; the next smaller replica has not enough cache."""
    found = counted(load, name)
    assert found.sized.gpus is not None
    assert found.hopeful_gpus is not None
    assert found.hopeful_gpus <= found.sized.gpus
    assert found.certain_gpus is None or found.certain_gpus >= found.sized.gpus
    if found.fewer is not None:
        assert found.fewer.layout.gpus < found.sized.gpus
        assert not found.fewer.starts or (found.fewer.slack_bytes or 0) < 0


@pytest.mark.parametrize("name", ["mi300x", "h100-sxm"])
@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.model)
def test_the_frontier_passes_through_the_answer(load: Workload, name: str) -> None:
    """At the chosen length it says what most_sequences says, longer lengths hold no more, and the band encloses it."""
    found = memory_view.frontier(FACTS, load, ENGINE, part(name))
    assert found is not None
    assert found.base[found.tokens.index(load.context_tokens)] == counted(load, name).sized.most_sequences
    assert list(found.base) == sorted(found.base, reverse=True)
    assert all(low <= base <= high for low, base, high in zip(found.low, found.base, found.high, strict=True))
    assert found.tokens[-1] == FACTS.models[load.model].max_context


@pytest.mark.parametrize("engine", ["vllm-v1", "sglang", "tensorrt-llm"])
@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.model)
def test_a_plan_taken_apart_sums_to_the_plan(load: Workload, engine: str) -> None:
    """Components are the weights of one GPU, groups one sequence; load, step and slack fill the capacity (1e-9)."""
    choice = EngineChoice(engine=engine)  # type: ignore[arg-type]
    found = memory_breakdown.breakdown(FACTS, load, choice, part("h200-sxm"))
    assert found is not None
    plan = found.plan
    on_gpu = [one.on_gpu_bytes for one in found.components]
    assert math.isclose(sum(size for size in on_gpu if size is not None), plan.weights_bytes, rel_tol=1e-9)
    assert math.isclose(sum(one.on_gpu_bytes for one in found.groups), plan.sequence_bytes, rel_tol=1e-9)
    load_bytes = found.sequences_on_rank * plan.sequence_bytes + plan.step_bytes
    assert math.isclose(load_bytes, plan.needed_bytes, rel_tol=1e-9)
    assert math.isclose(plan.needed_bytes + (plan.slack_bytes or 0), plan.cache_bytes or 0, rel_tol=1e-9)


def test_components_of_the_whole_model_are_its_checkpoint() -> None:
    """Llama 3.3 70B in bf16: the blocks sum to the published 141,107,412,992 bytes, to the byte."""
    found = memory_breakdown.breakdown(FACTS, SERVED, ENGINE, part("mi300x"))
    assert found is not None
    assert round(sum(one.whole_bytes for one in found.components)) == 141_107_412_992


def test_weights_count_once_however_many_users() -> None:
    """One user and fifty: the same weights on a GPU of the same layout."""
    few, many = (counted(SERVED.model_copy(update={"concurrency": users}), "mi355x").replica for users in (1, 50))
    assert few is not None
    assert many is not None
    assert few.plan is not None
    assert many.plan is not None
    assert few.layout == many.layout
    assert few.plan.weights_bytes == many.plan.weights_bytes


def test_parts_stand_in_the_order_of_the_answer() -> None:
    """Fewest GPUs first; a part whose memory nobody reports comes last, with that reason."""
    parts = [part(name) for name in ("h100-sxm", "mi350x", "mi300x", "mi355x")]
    found = memory_view.parts_memory(FACTS, SERVED, ENGINE, parts)
    assert [one.accelerator.accelerator_id for one in found] == ["mi355x", "mi300x", "h100-sxm", "mi350x"]
    assert found[-1].replica is None
    assert found[-1].sized.doubt is not None
    assert found[-1].sized.doubt.code == "unknown-memory"


def test_a_load_beyond_every_size_names_the_cheapest_change() -> None:
    """10,000 long sequences of latent attention, which tensor parallelism does not divide: no size; fewer would do."""
    load = Workload(model="deepseek-v3", input_tokens=100_000, output_tokens=1, concurrency=10_000)
    found = counted(load, "h200-sxm")
    assert found.sized.gpus is None
    assert found.change is not None
    assert found.change.code == "fewer-sequences"
    assert 1 <= found.change.values["sequences"] < 10_000


def test_more_memory_in_use_never_needs_more_gpus() -> None:
    """A larger fraction for the engine moves no count up."""
    counts = [
        counted(SERVED, "h100-sxm", EngineChoice(gpu_memory_utilization=share)).sized.gpus or 99
        for share in (0.7, 0.8, 0.9)
    ]
    assert counts == sorted(counts, reverse=True)


def test_rules_of_thumb_stand_beside() -> None:
    """Llama 3.1 405B in fp8 by article A3: two MI355X, seven H100; by weights and 30 %, from the label too."""
    load = Workload(
        model="llama-3.1-405b", weight_format="fp8-tensor", input_tokens=4096, output_tokens=512, concurrency=16
    )
    by_name = {name: counted(load, name).rules for name in ("mi355x", "h100-sxm")}
    assert {name: rules.by_parameters for name, rules in by_name.items() if rules} == {"mi355x": 2, "h100-sxm": 7}


def test_weights_alone_need_a_lower_bound_of_gpus() -> None:
    """DeepSeek-V3 in bf16, 1,342 GB: seven MI300X of 191.98 GiB hold the weights and nothing else."""
    model = memory_view.model_memory(FACTS, Workload(model="deepseek-v3", weight_format="bf16", task="train"))
    assert memory_view.gpus_for_weights(model, part("mi300x")) == 7
    assert memory_view.gpus_for_weights(model, part("mi350x")) is None


def test_every_workload_of_every_preset_has_an_answer_or_a_reason() -> None:
    """Each part of each preset: a replica, or a doubt that says why there is none."""
    for preset_id in FACTS.presets:
        scenario = presets.preset(FACTS, preset_id)
        for workload in scenario.workloads:
            for name in {one.accelerator for one in scenario.candidates}:
                found = memory_view.part_memory(FACTS, workload, scenario.engine, part(name))
                known = found.sized.one_server is not None and found.sized.one_server.doubts
                assert found.replica is not None or found.sized.doubt is not None or known
