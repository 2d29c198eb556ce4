"""The searches for the fewest GPUs, the longest context and the least change, against plans tried one after another."""

import math
from dataclasses import fields, replace
from typing import Any

import pytest

from lib.records import Accelerator, Architecture, Doubt, LayerGroup, Layout, ParameterBlock, WeightFormat
from lib.sizing import fit
from lib.sizing.engines import EngineSettings, engine_defaults
from lib.sizing.layouts import Rule, legal_layouts
from lib.sizing.memory import MemoryPlan
from lib.sizing.overhead import NO_WORKSPACE
from lib.units import GIB

FORMATS = {word: WeightFormat(word, bits, (), (), "", "", "") for word, bits in (("bf16", 16), ("fp8-tensor", 8))}
LAYERS = 6
DENSE = Architecture(
    model_id="dense",
    name="dense",
    layers=LAYERS,
    hidden_size=4096,
    intermediate_size=12288,
    n_heads=24,
    n_kv_heads=8,
    vocab=32768,
    n_experts=0,
    experts_per_token=0,
    n_shared_experts=0,
    moe_intermediate_size=0,
    max_context=40_001,
    native_format="bf16",
    groups=(LayerGroup(LAYERS, "full", 40_000, 20_000, None, 0, 2),),
    blocks=(
        ParameterBlock("attention", LAYERS * 10**9, "tensor", by_layer=(10**9,) * LAYERS),
        ParameterBlock("dense_mlp", 2 * LAYERS * 10**9, "tensor", by_layer=(2 * 10**9,) * LAYERS),
        ParameterBlock("norms", 10**6, "replicated", quantisable=False),
    ),
    total_parameters=18 * 10**9,
    active_parameters=18 * 10**9,
)
"""36 GB at 16 bit, 240 kB a token."""
EXPERTS = replace(
    DENSE,
    model_id="experts",
    n_experts=8,
    experts_per_token=2,
    moe_intermediate_size=1536,
    expert_hidden_size=4096,
    blocks=(
        ParameterBlock("attention", LAYERS * 10**9, "tensor", by_layer=(10**9,) * LAYERS),
        ParameterBlock("routed_experts", 2 * LAYERS * 10**9, "expert", by_layer=(2 * 10**9,) * LAYERS),
    ),
)
ENGINE = EngineSettings("vllm-v1", 0.9, 2048, 256, "sort", 16)
BLANK: dict[str, Any] = {one.name: None for one in fields(Accelerator)}
PART = Accelerator(**{**BLANK, "accelerator_id": "part", "memory_runtime_gib": 24.0, "gpus_per_node": 4})


def enough(found: MemoryPlan) -> bool:
    """Whether a plan starts and holds its load."""
    return found.starts and found.slack_bytes is not None and found.slack_bytes >= 0


BASE: dict[str, Any] = {
    "architecture": DENSE, "accelerator": PART, "weight_format": "bf16", "kv_format": "bf16", "max_model_len": 8192,
    "sequences": 2, "formats": FORMATS,
}  # fmt: skip


def first_that_holds(asked: dict[str, Any]) -> fit.FewestGpus:
    """The answer by a plan for every layout in the order of preference."""
    given = dict(asked)
    part, rule = given.pop("accelerator"), given.pop("rule", "one-server")
    most, settings = given.pop("most_gpus", 64), given.pop("settings", None)
    memory = part.memory_runtime_gib
    settings = settings or engine_defaults("vllm-v1", memory, part.accelerator_id)
    ranks = settings.decode_context_parallel_size
    for layout in legal_layouts(given["architecture"], part.gpus_per_node, part.max_scale_up_gpus, rule, most, ranks):
        found = fit.plan(memory_gib=memory, layout=layout, settings=settings, **given)
        if enough(found):
            domain = max(part.max_scale_up_gpus or 0, part.gpus_per_node or 8)
            outside = layout.tensor_parallel_size > domain
            across = (Doubt("across-servers", {"domain": domain}),) if outside else ()
            servers = math.ceil(layout.gpus / (part.gpus_per_node or 8))
            return fit.FewestGpus(rule, layout.gpus, servers, layout, found, (*across, *found.doubts))
    spread = (Doubt("spread-asked", {"ranks": ranks}),) if ranks > 1 else ()
    return fit.FewestGpus(rule, None, None, None, None, (Doubt("none-fits", {"most_gpus": most}), *spread))


SMALL, SMALLER, LARGE = (replace(PART, memory_runtime_gib=memory) for memory in (10.0, 7.0, 80.0))
FIVE = replace(DENSE, model_id="five", n_heads=5, n_kv_heads=5)
"""Only one rank or five can share its layers, so that stages must."""
WINDOWED = replace(FIVE, model_id="windowed", groups=(replace(DENSE.groups[0], kind="window", window=1024),))
COPIED = replace(DENSE, model_id="copied", groups=(replace(DENSE.groups[0], max_tp_shards=1),))
CUT = replace(DENSE, model_id="cut", groups=(replace(DENSE.groups[0], max_tp_shards=8),))
ASKED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "many sequences": {"sequences": 24},
    "a long context": {"max_model_len": 40_001, "sequences": 3},
    "at 8 bit": {"weight_format": "fp8-tensor"},
    "an 8-bit cache": {"kv_format": "fp8", "sequences": 24},
    "a published size": {"total_bytes": 80e9},
    "a smaller published size": {"total_bytes": 30e9},
    "without a workspace": {"workspace": NO_WORKSPACE},
    "an engine of its own": {"settings": replace(ENGINE, gpu_memory_utilization=0.6, block_size=64)},
    "a sampler of its own": {"settings": replace(ENGINE, max_num_seqs=2048)},
    "a small part": {"accelerator": SMALL},
    "a small part in a large domain": {"accelerator": replace(SMALL, max_scale_up_gpus=16)},
    "a smaller part": {"accelerator": SMALLER},
    "a smaller part in a large domain": {"accelerator": replace(SMALLER, max_scale_up_gpus=16)},
    "a cache cut in eight": {"accelerator": SMALLER, "architecture": CUT},
    "a cache cut in eight in a large domain": {
        "accelerator": replace(SMALLER, max_scale_up_gpus=16),
        "architecture": CUT,
    },
    "a large part": {"accelerator": LARGE},
    "a large part with small defaults": {"accelerator": replace(LARGE, accelerator_id="a100-part")},
    "a part of unknown servers": {"accelerator": replace(SMALL, gpus_per_node=None)},
    "spread tokens": {"settings": replace(ENGINE, decode_context_parallel_size=2), "sequences": 24},
    "spread tokens that nothing holds": {"settings": replace(ENGINE, decode_context_parallel_size=2), "most_gpus": 2},
    "a shared prefix": {"settings": replace(ENGINE, shared_prefix_tokens=8000), "sequences": 40},
    "few GPUs": {"most_gpus": 2},
    "as many GPUs as it takes": {"most_gpus": 4},
    "nothing large enough": {"accelerator": replace(PART, memory_runtime_gib=2.0)},
}


@pytest.mark.parametrize("case", ASKED)
@pytest.mark.parametrize("rule", ["one-server", "all-layouts"])
@pytest.mark.parametrize("model", [DENSE, EXPERTS], ids=["dense", "experts"])
def test_the_fewest_gpus_are_the_first_layout_that_holds(case: str, rule: Rule, model: Architecture) -> None:
    """Layout, servers, plan and doubts of a search that plans every layout; what is passed over would not hold."""
    asked = {**BASE, "architecture": model, "rule": rule, **ASKED[case]}
    assert fit.fewest_gpus(**asked) == first_that_holds(asked)


@pytest.mark.parametrize(
    ("changes", "layout"),
    [
        ({"architecture": FIVE, "accelerator": SMALL, "total_bytes": 20e9}, Layout(1, 3)),
        ({"architecture": WINDOWED, "accelerator": replace(PART, memory_runtime_gib=21.0), "workspace": NO_WORKSPACE,
          "settings": replace(ENGINE, max_num_batched_tokens=65_536), "max_model_len": 40_000}, Layout(1, 2)),
        ({"architecture": COPIED, "settings": replace(ENGINE, decode_context_parallel_size=2), "sequences": 20},
         Layout(2, 2)),
        ({"accelerator": SMALL, "settings": replace(ENGINE, shared_prefix_tokens=8000), "sequences": 40}, Layout(2, 3)),
    ],
    ids=["published size", "stated workspace", "spread tokens", "shared prefix"],
)  # fmt: skip
def test_stages_that_hold_are_not_passed_over(changes: dict[str, Any], layout: Layout) -> None:
    """A smaller checkpoint, no step, half the tokens or one copy of a prefix: without it, these stages would be full."""
    asked = {**BASE, "rule": "all-layouts", **changes}
    found = fit.fewest_gpus(**asked)
    assert found.layout == layout
    assert found == first_that_holds(asked)


def test_a_load_that_leaves_nothing_fits() -> None:
    """A memory of just the weights and the cache, to the byte: it is held, and not one block more."""
    asked = held({"settings": replace(ENGINE, gpu_memory_utilization=0.5), "workspace": NO_WORKSPACE})
    left = slack(asked, 1600)
    exact = {**asked, "memory_gib": asked["memory_gib"] - 2 * left / GIB}
    assert slack(exact, 1600) == 0
    assert fit.longest_context(**exact) == 1600
    part = replace(PART, memory_runtime_gib=exact["memory_gib"])
    alone = {**BASE, "accelerator": part, "settings": exact["settings"], "workspace": NO_WORKSPACE}
    assert fit.fewest_gpus(**{**alone, "sequences": 1, "max_model_len": 1600}).layout == Layout(2)


def test_the_cases_of_the_search_differ() -> None:
    """One to many GPUs, stages, whole experts, across servers and none: the cases above tell layouts apart."""
    answers = [
        fit.fewest_gpus(**{**BASE, "architecture": model, "rule": rule, **changes})
        for changes in ASKED.values()
        for rule in ("one-server", "all-layouts")
        for model in (DENSE, EXPERTS)
    ]
    assert len({answer.layout for answer in answers}) >= 8
    assert {answer.gpus for answer in answers} >= {None, 2, 3, 4}
    assert {answer.servers for answer in answers} >= {None, 1, 2}
    assert {"across-servers", "none-fits", "spread-asked"} <= {one.code for answer in answers for one in answer.doubts}
    assert any(answer.layout and answer.layout.pipeline_parallel_size > 1 for answer in answers)


def test_an_unknown_memory_has_no_answer() -> None:
    """No count, no layout, no plan, and the reason."""
    blind = {**BASE, "accelerator": replace(PART, memory_runtime_gib=None), "rule": "all-layouts"}
    assert fit.fewest_gpus(**blind) == fit.FewestGpus(
        "all-layouts", None, None, None, None, (Doubt("unknown-memory", {}),)
    )
    assert fit.fewest_gpus(**BASE).rule == "one-server"


CONTEXTS: list[dict[str, Any]] = [
    {},
    {"sequences": 4},
    {"kv_format": "fp8", "sequences": 4},
    {"weight_format": "fp8-tensor", "sequences": 30},
    {"memory_gib": 20.0},
    {"memory_gib": 100.0},
    {"memory_gib": 5.0},
    {"total_bytes": 40e9, "sequences": 3},
    {"workspace": NO_WORKSPACE, "sequences": 8},
    {"settings": replace(ENGINE, block_size=100), "sequences": 6},
    {"layout": Layout(4), "sequences": 9},
    {"memory_gib": 22.0, "architecture": replace(DENSE, max_context=0)},
]


def held(changes: dict[str, Any]) -> dict[str, Any]:
    """A question to a layout of two GPUs of 24 GiB."""
    return {
        "architecture": DENSE, "memory_gib": 24.0, "layout": Layout(2), "settings": ENGINE, "weight_format": "bf16",
        "kv_format": "bf16", "sequences": 1, "formats": FORMATS, **changes,
    }  # fmt: skip


def slack(asked: dict[str, Any], length: int, **more: Any) -> float:
    """What a plan of that length leaves [bytes]."""
    found = fit.plan(**{**asked, **more}, max_model_len=length)
    assert found.slack_bytes is not None
    return found.slack_bytes


@pytest.mark.parametrize("changes", CONTEXTS, ids=lambda changes: " ".join(changes) or "plain")
def test_the_longest_context_is_the_last_whole_block_that_a_plan_holds(changes: dict[str, Any]) -> None:
    """It fits, one block more does not; the model's context where that fits, though it ends within a block."""
    asked = held(changes)
    block, limit = asked["settings"].block_size, asked["architecture"].max_context or 1 << 24
    found = fit.longest_context(**asked)
    if found == limit:
        assert slack(asked, limit) >= 0
        return
    assert found % block == 0
    assert found == 0 or slack(asked, found) >= 0
    assert slack(asked, min(found + block, limit)) < 0


def test_the_contexts_reach_from_nothing_to_the_model() -> None:
    """No block, some, all but a part of the last block, and the whole context that no model states."""
    found = [fit.longest_context(**held(changes)) for changes in CONTEXTS]
    assert 0 in found
    assert 40_001 in found
    assert len(set(found)) >= 8
    vast = held({"architecture": replace(DENSE, max_context=0), "memory_gib": 1e5, "workspace": NO_WORKSPACE})
    assert fit.longest_context(**vast) == 1 << 24
    short = held({"memory_gib": 1e5, "architecture": replace(DENSE, max_context=1)})
    assert fit.longest_context(**short) == 1


SEQUENCES: list[dict[str, Any]] = [
    {},
    {"max_model_len": 1000},
    {"kv_format": "fp8"},
    {"weight_format": "fp8-tensor"},
    {"memory_gib": 30.0},
    {"memory_gib": 5.0},
    {"total_bytes": 30e9},
    {"workspace": NO_WORKSPACE},
    {"settings": replace(ENGINE, block_size=512)},
    {"architecture": EXPERTS, "layout": Layout(1, 1, 4, True)},
    {"architecture": EXPERTS, "layout": Layout(1, 1, 2, True), "memory_gib": 40.0},
]


@pytest.mark.parametrize("changes", SEQUENCES, ids=lambda changes: " ".join(changes) or "plain")
def test_the_most_sequences_are_the_last_that_a_plan_holds(changes: dict[str, Any]) -> None:
    """They fit and one more on each data-parallel rank does not; whole ranks' worth of them, none where none fits."""
    asked = {**held({"max_model_len": 2000}), **changes}
    del asked["sequences"]
    found = fit.most_sequences(**asked)
    length, data = asked.pop("max_model_len"), asked["layout"].data_parallel_size
    assert found % data == 0
    assert found == 0 or slack(asked, length, sequences=found) >= 0
    assert slack(asked, length, sequences=found + data) < 0
    assert (found == 0) == (asked["memory_gib"] == 5.0)


WIDE, COARSE = replace(ENGINE, max_num_seqs=2048), replace(ENGINE, block_size=400)
MANY_HEADS = replace(DENSE, model_id="heads", n_heads=128)
LOADS: list[tuple[dict[str, Any], str]] = [
    ({"sequences": 8}, "fits"),
    ({"settings": WIDE, "sequences": 15}, "fewer-scheduled"),
    ({"settings": replace(WIDE, max_num_seqs=1024), "sequences": 500, "max_model_len": 60}, "fewer-scheduled"),
    ({"sequences": 19}, "more-utilization"),
    ({"settings": replace(ENGINE, gpu_memory_utilization=0.995)}, "more-utilization"),
    ({"settings": replace(WIDE, max_num_seqs=1024), "sequences": 600, "max_model_len": 60}, "more-utilization"),
    ({"settings": WIDE, "sequences": 2040, "max_model_len": 16}, "fp8-cache"),
    ({"sequences": 26}, "fp8-cache"),
    ({"sequences": 40}, "fewer-sequences"),
    ({"sequences": 26, "kv_format": "fp8", "total_bytes": 42e9}, "fewer-sequences"),
    ({"sequences": 60, "kv_format": "fp8"}, "fewer-sequences"),
    ({"sequences": 60, "weight_format": "fp8-tensor", "memory_gib": 14.0}, "fewer-sequences"),
    ({"architecture": EXPERTS, "layout": Layout(1, 1, 4, True), "sequences": 90}, "fewer-sequences"),
    ({"sequences": 60, "settings": replace(ENGINE, gpu_memory_utilization=0.995)}, "no-change"),
    ({"sequences": 2, "max_model_len": 40_000, "memory_gib": 20.5, "settings": COARSE}, "shorter-context"),
    ({"max_model_len": 40_000, "memory_gib": 20.2, "kv_format": "fp8", "settings": COARSE}, "shorter-context"),
    ({"memory_gib": 12.0}, "more-gpus"),
    ({"memory_gib": 7.0}, "more-gpus"),
    ({"memory_gib": 7.0, "total_bytes": 50e9}, "no-change"),
    ({"memory_gib": 7.0, "total_bytes": 512e9, "layout": Layout(64), "architecture": MANY_HEADS}, "no-change"),
    ({"max_model_len": 40_000, "memory_gib": 21.0, "settings": COARSE, "total_bytes": 37e9}, "shorter-context"),
    (
        {"memory_gib": 12.0, "settings": replace(ENGINE, decode_context_parallel_size=2), "architecture": COPIED},
        "more-gpus",
    ),
    ({"layout": Layout(1, 2), "memory_gib": 9.0}, "more-gpus"),
    ({"memory_gib": 2.0}, "no-change"),
    ({"memory_gib": 2.0, "layout": Layout(64)}, "no-change"),
]


def least_change(asked: dict[str, Any]) -> Doubt | None:
    """The documented order of changes, each tried by a plan; counts and lengths from the largest down."""

    def fits(**change: Any) -> bool:
        return enough(fit.plan(**{**asked, **change}))

    settings, load = asked["settings"], asked["sequences"]
    if fits():
        return None
    scheduled = max(load, 256)
    if scheduled < settings.max_num_seqs and fits(settings=replace(settings, max_num_seqs=scheduled)):
        return Doubt("fewer-scheduled", {"max_num_seqs": scheduled})
    if fits(settings=replace(settings, gpu_memory_utilization=0.95)):
        return Doubt("more-utilization", {"gpu_memory_utilization": 0.95})
    if asked["kv_format"] == "bf16" and fits(kv_format="fp8"):
        return Doubt("fp8-cache", {})
    data = asked["layout"].data_parallel_size
    for count in range(load - load % data, 0, -data):
        if fits(sequences=count):
            return Doubt("fewer-sequences", {"sequences": count})
    block = settings.block_size
    for length in range(asked["max_model_len"] // block * block, 0, -block):
        if fits(sequences=1, max_model_len=length):
            return Doubt("shorter-context", {"max_model_len": length})
    for size in (2, 4, 8, 16, 32, 64):
        wider = replace(asked["layout"], tensor_parallel_size=size)
        allowed = wider in legal_layouts(
            asked["architecture"], 64, 64, "all-layouts", 64 * wider.gpus, settings.decode_context_parallel_size
        )
        if size > asked["layout"].tensor_parallel_size and allowed and fits(layout=wider):
            return Doubt("more-gpus", {"tensor_parallel_size": size})
    return Doubt("no-change", {})


@pytest.mark.parametrize(("changes", "code"), LOADS)
def test_the_least_change_is_the_first_of_the_order_that_makes_it_fit(changes: dict[str, Any], code: str) -> None:
    """What costs nothing, then something, then GPUs, as plans tried one by one say; with the value that is just enough."""
    asked = {**held({"max_model_len": 2000}), **changes}
    found = fit.cheapest_change(**asked)
    assert found == least_change(asked)
    assert (found.code if found else "fits") == code
