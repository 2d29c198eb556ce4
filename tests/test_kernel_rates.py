"""What peaks, busses, workspaces and training activations come to where every input is a small whole number."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lib import catalog
from lib.catalog import Catalog
from lib.errors import InputError, UnknownNameError
from lib.records import Accelerator, Architecture, WeightFormat
from lib.sizing.engines import EngineSettings
from lib.sizing.overhead import Workspace, WorkspaceConstants, larger, parts, smaller, stated, total
from lib.sizing.rates import UNLIMITED, Rates, peak_flops_per_s, rates
from lib.sizing.training_activations import bytes_per_layer, in_flight, logits_bytes, score_bytes
from lib.sizing.training_setup import TrainingSetup, check_setup

BLANK: dict[str, Any] = {one.name: None for one in fields(Accelerator)}
PEAKS = {
    "fp16_bf16_dense_tflops": 1.0,
    "fp8_dense_tflops": 2.0,
    "fp4_dense_tflops": 4.0,
    "int8_dense_tops": 3.0,
    "memory_bandwidth_tbs": 5.0,
}
PART = Accelerator(**{**BLANK, **PEAKS, "accelerator_id": "part", "vendor": "NVIDIA", "gpus_per_node": 8})
FORMATS = {word: WeightFormat(word, 8, (), (), "", "", "") for word in ("bf16", "fp8-block128", "nvfp4")}


@pytest.mark.parametrize(
    ("words", "units", "expected"),
    [
        (("bf16", "fp16", "int4", "nf4"), "", 1.0),
        (("fp8-tensor", "fp8-channel", "fp8-block128", "mxfp8"), "fp8_dense_tflops", 2.0),
        (("int8",), "int8_dense_tops", 3.0),
        (("mxfp4", "nvfp4"), "fp4_dense_tflops", 4.0),
    ],
)
def test_a_format_is_computed_at_the_peak_of_its_units(words: tuple[str, ...], units: str, expected: float) -> None:
    """16 bit, 8 bit, int8 and 4 bit; at 16 bit without units of its own or with slower ones; unknown where 16 bit is."""
    for word in words:
        assert peak_flops_per_s(PART, word) == expected * 1e12
        assert peak_flops_per_s(replace(PART, fp16_bf16_dense_tflops=None), word) == UNLIMITED
        for peak in (None, 0.5) if units else ():
            own: dict[str, Any] = {units: peak}
            assert peak_flops_per_s(replace(PART, **own), word) == 1e12


def part(name: str, vendor: str, link: float | None, domain: int | None = None) -> Accelerator:
    """A part of servers of eight with a link."""
    return replace(PART, accelerator_id=name, vendor=vendor, interconnect_gbs=link, max_scale_up_gpus=domain)


PARTS = {
    one.accelerator_id: one
    for one in (
        part("mesh", "AMD", 100.0),
        part("new-mesh", "AMD", 200.0),
        part("old-mesh", "AMD", 500.0),
        part("odd-mesh", "AMD", None),
        part("switch", "NVIDIA", 900.0),
        part("new-switch", "NVIDIA", 200.0),
        part("rack", "NVIDIA", 200.0, 72),
        part("cards", "NVIDIA", None),
        replace(part("half", "NVIDIA", 200.0), gpus_per_node=4),
    )
}
BUSSES = [
    ("mesh", 2, 40.0), ("mesh", 8, 65.0), ("mesh", 8, 70.0), ("mesh", None, 60.0), ("mesh", 16, 30.0),
    ("mesh", 32, 20.0), ("old-mesh", 8, 11.0), ("odd-mesh", 2, 12.0), ("odd-mesh", 4, 12.0), ("odd-mesh", 8, 12.0),
    ("switch", None, 400.0), ("switch", 16, 90.0), ("ghost", 64, 10.0), ("ghost", None, 1.0),
]  # fmt: skip


def facts(busses: list[tuple[str, int | None, float]]) -> Catalog:
    """A catalogue of the parts above with these measured busses [GB/s], and rows that measure something else."""
    rows = [(*row, "bus_bandwidth", "all_reduce") for row in busses]
    rows += [("mesh", 8, 999.0, "bus_bandwidth", "all_gather"), ("mesh", 8, 999.0, "latency", "all_reduce")]
    columns = ["accelerator_id", "accelerator_count", "value", "metric", "test"]
    micro = pd.DataFrame(rows, columns=columns).astype({"accelerator_count": float})
    return replace(catalog.load(), accelerators=PARTS, measured={"micro": micro})


MEASURED, UNMEASURED = facts(BUSSES), facts([])


def roofs(name: str, ranks: int, known: Catalog = MEASURED) -> Rates:
    """Roofs at 16 bit."""
    found = rates(known, PARTS[name], FORMATS["bf16"], FORMATS["bf16"], "bf16", ranks)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "ranks", "expected"),
    [
        ("mesh", 4, 50.0),  # a third of the way from 2 to 8 ranks
        ("mesh", 24, 25.0),  # half way from 16 to 32, across servers
        ("mesh", 9, 30.0),
        ("new-mesh", 4, 100.0),  # the links of the mesh measured at most numbers of ranks, twice as wide
        ("new-mesh", 8, 140.0),
        ("new-mesh", 16, 20.0),  # the lowest that anybody measured across servers
        ("old-mesh", 4, 11.0),
        ("switch", 4, 400.0),
        ("new-switch", 8, 90.0),  # 0.45 of its link
        ("new-switch", 9, 20.0),
        ("half", 4, 90.0),
        ("half", 5, 20.0),
        ("rack", 64, 90.0),
        ("rack", 73, 20.0),
        ("cards", 8, 10.0),  # the lowest known of all
        ("cards", 16, 10.0),
        ("odd-mesh", 16, 12.0),  # no more than within its server
    ],
)
def test_an_unmeasured_bus_is_taken_from_what_is_nearest(name: str, ranks: int, expected: float) -> None:
    """Between own counts, the measured mesh, a share of the link, the lowest known: by hand, to 1e-12."""
    found = roofs(name, ranks)
    assert found.bus == UNLIMITED
    assert found.bus_expected == pytest.approx(expected * 1e9, rel=1e-12)


def test_a_measured_bus_is_the_highest_of_its_count() -> None:
    """Rows without a count are those of a whole server; other tests and metrics are not taken; nothing knows no end."""
    for name, ranks, expected in (("mesh", 8, 70.0), ("mesh", 2, 40.0), ("switch", 8, 400.0), ("mesh", 32, 20.0)):
        found = roofs(name, ranks)
        assert (found.bus, found.bus_expected) == (expected * 1e9, expected * 1e9)
    assert roofs("cards", 8, UNMEASURED).bus_expected == UNLIMITED
    assert roofs("cards", 16, UNMEASURED).bus_expected == UNLIMITED
    assert roofs("mesh", 4, UNMEASURED).bus_expected == pytest.approx(45e9, rel=1e-12)
    assert roofs("mesh", 16, UNMEASURED).bus_expected == pytest.approx(45e9, rel=1e-12)


def test_each_roof_is_that_of_its_own_format() -> None:
    """16-bit layers, quantised ones, experts, and attention at 8 bit beside an 8-bit cache; none without a bandwidth."""
    known = rates(MEASURED, PARTS["mesh"], FORMATS["nvfp4"], FORMATS["fp8-block128"], "fp8", 8)
    assert known == Rates(5e12, 1e12, 2e12, 4e12, 2e12, 70e9, 70e9)
    wide = rates(MEASURED, PARTS["mesh"], FORMATS["nvfp4"], FORMATS["fp8-block128"], "bf16", 8)
    assert wide == Rates(5e12, 1e12, 2e12, 4e12, 1e12, 70e9, 70e9)
    blind = replace(PART, memory_bandwidth_tbs=None)
    assert rates(MEASURED, blind, FORMATS["bf16"], FORMATS["bf16"], "bf16", 1) is None


CONSTANTS = WorkspaceConstants(
    context_bytes=1.0,
    collective_bytes=2.0,
    forward_bytes_per_element=3.0,
    sort_bytes_per_logit=5.0,
    fused_bytes_per_logit=7.0,
    resident_bytes=11.0,
    low_ratio=0.5,
    high_ratio=2.0,
)
DENSE = Architecture(
    model_id="small",
    name="small",
    layers=4,
    hidden_size=8,
    intermediate_size=24,
    n_heads=12,
    n_kv_heads=4,
    vocab=100,
    n_experts=0,
    experts_per_token=2,
    n_shared_experts=3,
    moe_intermediate_size=20,
    max_context=4096,
    native_format="bf16",
    groups=(),
    blocks=(),
    total_parameters=1,
    active_parameters=1,
)
EXPERTS = replace(DENSE, n_experts=6)
ENGINE = EngineSettings("vllm-v1", 0.9, 10, 4, "sort", 16)


@pytest.mark.parametrize(
    ("engine", "sampler", "expected"),
    [
        ("vllm-v1", "sort", (1 + 2, 600, 4 * 100 * 5)),
        ("vllm-v0", "sort", (1 + 2, 600, 4 * 100 * 5)),
        ("vllm-v1", "flashinfer", (1 + 2, 600, 4 * 100 * 7)),
        ("vllm-v1", "none", (1 + 2, 600, 0)),
        ("sglang", "sort", (1 + 11, 600, 4 * 100 * 7)),
        ("sglang", "none", (1 + 11, 600, 0)),
        ("tensorrt-llm", "sort", (1 + 2, 600, 4 * 100 * 7)),
    ],
)
def test_a_workspace_follows_its_engine(engine: Any, sampler: Any, expected: tuple[float, float, float]) -> None:
    """One doubling of ranks, 10 tokens x (24 / 2 + 8) x 3, four sequences of 100 logits: by hand."""
    settings = replace(ENGINE, engine=engine, sampler=sampler)
    assert parts(DENSE, settings, 2, constants=CONSTANTS) == expected
    few = replace(settings, max_num_batched_tokens=2)
    assert parts(DENSE, few, 2, constants=CONSTANTS)[2] == expected[2] / 2


def test_experts_work_on_the_tokens_that_meet() -> None:
    """Shared experts as a dense layer of 60, routed ones by width or whole on the tokens of all ranks: by hand."""
    cut = 10 * (60 / 2 + 8) * 3 + 2 * 10 * 2 * (20 + 10)
    assert parts(EXPERTS, ENGINE, 2, 4, constants=CONSTANTS)[:2] == (1 + 2, cut)
    whole = 40 * (60 / 2 + 8) * 3 + 2 * 40 * 2 * (40 + 20)
    assert parts(EXPERTS, ENGINE, 2, 4, True, CONSTANTS)[:2] == (1 + 2 * 3, whole)
    narrow = replace(EXPERTS, moe_intermediate_size=2, n_shared_experts=0)
    assert parts(narrow, ENGINE, 2, constants=CONSTANTS)[1] == 10 * 8 * 3 + 2 * 10 * 2 * (8 + 1)
    long = replace(ENGINE, max_num_batched_tokens=40_000)
    assert parts(narrow, long, 2, constants=CONSTANTS)[1] == 40_000 * 8 * 3 + 2 * 32_768 * 2 * (8 + 1)
    assert parts(DENSE, ENGINE, 2, 4, True, CONSTANTS)[:2] == (1 + 2 * 3, 600)
    alone = 10 * (60 / 2 + 8) * 3 + 2 * 10 * 2 * (40 + 20)
    assert parts(EXPERTS, ENGINE, 2, expert_parallel=True, constants=CONSTANTS)[:2] == (1 + 2, alone)


def test_a_workspace_of_many_layouts_is_that_of_each() -> None:
    """Sizes as an array: resident, forward and sampler of each, and their total, by hand."""
    sizes = np.array([1, 2, 4])
    resident, forward, sampler = parts(DENSE, ENGINE, sizes, constants=CONSTANTS)
    assert np.asarray(resident).tolist() == [1, 3, 5]
    assert np.asarray(forward).tolist() == [960, 600, 420]
    assert sampler == 2000
    assert np.asarray(total(resident, forward, 500.0)).tolist() == [961, 603, 505]
    assert total(1.0, 3.0, 2.0) == 4.0


def test_a_stated_workspace_has_no_band() -> None:
    """The same figure low, expected and high, and nothing by cause; none is a figure too."""
    assert stated(5.0) == Workspace(0.0, 0.0, 0.0, 5.0, 5.0, 5.0, ())
    assert stated(0.0).base_bytes == 0.0
    for wrong in (-1.0, float("inf"), float("nan")):
        with pytest.raises(InputError, match=r"^workspace_bytes is .*; allowed: 0 or more$"):
            stated(wrong)


def test_the_smaller_and_the_larger_stay_what_they_were() -> None:
    """Two plain numbers give one of them; with an array on either side each pair is looked at."""
    many = np.array([1.0, 3.0])
    for one, other in ((2, many), (many, 2), (many, np.array([2, 2])), (2.0, many), (many, 2.0)):
        assert np.asarray(smaller(one, other)).tolist() == [1.0, 2.0]
        assert np.asarray(larger(one, other)).tolist() == [2.0, 3.0]
    assert (type(smaller(2, 3)), type(larger(2, 3)), type(smaller(2.0, 3)), type(larger(2.0, 3.0))) == (
        int, int, float, float,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 64 * (10 + 8 + 16 + 5)),
        ({"recompute": "selective"}, 64 * (10 + 8 + 16)),
        ({"recompute": "selective", "mlp_bytes": 20.0}, 64 * (10 + 8 + 20)),
        ({"recompute": "selective", "tensor_parallel_size": 2}, 64 * (10 + 24 / 2)),
        ({"recompute": "selective", "tensor_parallel_size": 2, "sequence_parallel": True}, 64 * (10 + 24) / 2),
        ({"tensor_parallel_size": 4}, 64 * (10 + 29 / 4)),
        ({"recompute": "full"}, 64 * 2),
        ({"recompute": "full", "tensor_parallel_size": 4}, 64 * 2),
        ({"recompute": "full", "tensor_parallel_size": 4, "sequence_parallel": True}, 64 * 2 / 4),
    ],
)
def test_activations_are_the_sum_of_the_published_table(changes: dict[str, Any], expected: float) -> None:
    """4 tokens x 2 sequences x 8 wide with 2 heads, by arXiv 2205.05198, table 2: by hand, to 1e-12."""
    assert bytes_per_layer(4, 2, 8, 2, **changes) == pytest.approx(expected, rel=1e-12)


def test_activations_without_meaning_are_refused() -> None:
    """A mode that there is none of, with those there are, and fewer than one rank."""
    wrong: Any = "ful"
    with pytest.raises(UnknownNameError) as caught:
        bytes_per_layer(4, 2, 8, 2, wrong)
    assert (caught.value.what, caught.value.name, caught.value.nearest[0]) == ("mode of recomputation", "ful", "full")
    with pytest.raises(InputError, match=r"^tensor_parallel_size is 0; allowed: at least 1$"):
        bytes_per_layer(4, 2, 8, 2, tensor_parallel_size=0)


def test_stages_and_logits_are_counted_by_hand() -> None:
    """Stages that wait, at most the micro-batches there are; six bytes a logit unless told, shared by ranks."""
    assert [in_flight(4, stage, 2) for stage in range(4)] == [2, 2, 2, 1]
    assert in_flight(4, 1) == 3
    assert logits_bytes(4, 2, 100) == 4 * 2 * 100 * 6
    assert logits_bytes(4, 2, 100, 4.0, 8) == 4 * 2 * 100 * 4 / 8
    assert score_bytes(4, 8, 2) == 5.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        *(({field: 0}, f"{field} is 0; allowed: at least 1") for field in
          ("sequence_tokens", "micro_batch", "data_parallel_size", "lora_rank", "expert_parallel_size")),
        ({"tensor_parallel_size": 3},
         "tensor_parallel_size is 3; allowed: a divisor of 12 heads and the widths"),
        ({"expert_parallel_size": 8, "data_parallel_size": 8},
         "expert_parallel_size is 8; allowed: at most 6 experts, and a divisor of the 8 data parallel ranks"),
        ({"expert_parallel_size": 3, "data_parallel_size": 8},
         "expert_parallel_size is 3; allowed: at most 6 experts, and a divisor of the 8 data parallel ranks"),
        ({"zero_stage": 4}, "zero_stage is 4; allowed: 0 or 1 or 2 or 3 in the accounting zero-paper"),
        ({"zero_stage": 2, "accounting": "megatron"}, "zero_stage is 2; allowed: 0 or 1 in the accounting megatron"),
        ({"zero_stage": 2, "offload": "all"}, "offload is 'all'; allowed: none or optimizer below stage 3"),
    ],
)  # fmt: skip
def test_a_setup_that_cannot_be_is_refused(changes: dict[str, Any], said: str) -> None:
    """The message names the field, its value and what is allowed."""
    with pytest.raises(InputError) as caught:
        check_setup(EXPERTS, replace(TrainingSetup(), **changes))
    assert str(caught.value) == said


@pytest.mark.parametrize("field", ["method", "recompute", "lora_targets", "optimizer"])
def test_a_word_of_a_setup_that_nobody_knows_is_named(field: str) -> None:
    """With words that there are."""
    wrong: dict[str, Any] = {field: "nothing"}
    with pytest.raises(UnknownNameError) as caught:
        check_setup(DENSE, replace(TrainingSetup(), **wrong))
    assert (caught.value.what, caught.value.name) == (field, "nothing")
    assert caught.value.nearest


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        (DENSE, {"sequence_tokens": 1, "micro_batch": 1, "lora_rank": 1}),
        (DENSE, {"data_parallel_size": 3}),
        (EXPERTS, {"expert_parallel_size": 6, "data_parallel_size": 12}),
        (EXPERTS, {"expert_parallel_size": 2, "data_parallel_size": 2, "tensor_parallel_size": 4}),
    ],
)
def test_a_setup_on_the_edge_of_what_can_be_is_taken(model: Architecture, changes: dict[str, Any]) -> None:
    """One of everything, ranks without experts, as many ranks as experts, and cut experts."""
    check_setup(model, replace(TrainingSetup(), **changes))


def test_a_model_without_experts_has_no_ranks_for_them() -> None:
    """One rank is the most that share experts where there are none."""
    with pytest.raises(InputError, match=r"^expert_parallel_size is 2; allowed: at most 1 experts, and a divisor of"):
        check_setup(DENSE, TrainingSetup(expert_parallel_size=2, data_parallel_size=2))
