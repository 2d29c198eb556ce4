"""What documentation, measured runs and caps say of a candidate, check by check."""

import dataclasses
from typing import Any

import pytest

from lib import catalog
from lib.catalog import Catalog
from lib.choice.latency import measured_latency
from lib.choice.scenario import Workload
from lib.choice.software import products, software_verdict
from tests.serving_rows import table

FACTS = catalog.load()
LOAD = Workload(model="llama-3.3-70b", weight_format="fp8-tensor", input_tokens=4096, output_tokens=512, concurrency=64)
RUN = {
    "model_id": "llama-3.3-70b", "accelerator_id": "mi300x", "metric": "tpot_ms", "stat": "median", "unit": "ms",
    "accelerator_count": 2.0, "input_tokens": 4096.0, "output_tokens": 512.0, "concurrency": 64.0, "value": 40.0,
}  # fmt: skip


def facts_with(*rows: dict[str, Any]) -> Catalog:
    """The catalogue with these serving rows alone."""
    return dataclasses.replace(FACTS, measured={"serving": table(*(RUN | row for row in rows))})


@pytest.mark.parametrize(
    ("product", "platform", "verdict", "conflicts"),
    [
        ("TensorRT-LLM", "CUDA", "runs", set()),
        ("TensorRT-LLM", "ROCm", "does-not-run", set()),
        ("vLLM", "ROCm", "runs", {"article-a4"}),
        ("DeepSpeed", "ROCm", "runs", {"article-a0"}),
        ("Transformer Engine", "ROCm", "runs-with-change", {"article-a0"}),
        ("FlashAttention-3", "ROCm", "does-not-run", set()),
        ("Megatron-LM", "ROCm", "runs-with-change", set()),
        ("Transformers / PEFT", "ROCm", "unknown", set()),
        ("LM Studio", "ROCm", "unknown", set()),
        ("LM Studio", "CUDA", "unknown", set()),
        ("a name of nobody", "CUDA", "unknown", set()),
    ],
)
def test_documentation_decides_and_claims_only_conflict(
    product: str, platform: str, verdict: str, conflicts: set[str]
) -> None:
    """What is documented decides; an article alone leaves the question open, and a differing one is named."""
    found = software_verdict(FACTS.software, product, platform)
    assert found.verdict == verdict
    assert {fact.source_id for fact in found.conflicting} == conflicts
    assert all(fact.kind != "article claim" for fact in found.deciding)


def test_products_are_what_somebody_may_require() -> None:
    """The platform itself and its libraries are no products, and one product has one name."""
    names = products(FACTS.software)
    assert {"vLLM", "TensorRT-LLM", "DeepSpeed", "bitsandbytes"} <= set(names)
    assert not {"ROCm itself", "(all frameworks)", "RCCL", "DeepSpeed ZeRO-3", "FlashAttention"} & set(names)
    assert list(names) == sorted(set(names), key=str.casefold)


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ({"value": 40.0}, True),
        ({"value": 40.0, "concurrency": 128.0}, True),
        ({"value": 40.0, "accelerator_count": 1.0}, True),
        ({"value": 40.0, "concurrency": 32.0}, None),
        ({"value": 40.0, "accelerator_count": 8.0}, None),
        ({"value": 40.0, "input_tokens": 1024.0}, None),
        ({"value": 60.0}, False),
        ({"value": 60.0, "concurrency": 8.0}, False),
        ({"value": 60.0, "accelerator_count": 8.0}, False),
        ({"value": 60.0, "concurrency": 128.0}, None),
        ({"value": 60.0, "accelerator_count": 1.0}, None),
        ({"value": 40.0, "concurrency": float("nan")}, None),
        ({"value": 40.0, "weight_format": "bf16"}, None),
        ({"value": 40.0, "weight_format": ""}, None),
        ({"value": 40.0, "accelerator_id": "h100-sxm"}, None),
        ({"value": 40.0, "speculative": True}, None),
        ({"value": 40.0, "stat": "p99"}, None),
        ({"value": 40.0, "source_id": "argonne-llm-inference-bench"}, None),
    ],
)
def test_a_run_decides_only_where_its_load_makes_it_safe(row: dict[str, Any], kept: bool | None) -> None:
    """A limit of 50 ms on 2 GPUs: a heavier load on no more GPUs shows that it is kept, a lighter one that it is not."""
    found = measured_latency(facts_with(row), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is kept


def test_one_run_that_keeps_the_limit_outweighs_those_that_broke_it() -> None:
    """Another version may be slow: what was reached once under a heavier load can be reached."""
    slow, good = {"value": 90.0, "engine_version": "0"}, {"value": 45.0, "concurrency": 80.0}
    found = measured_latency(facts_with(slow, good), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is True
    assert found.measured_ms == 45.0
    assert found.run["concurrency"] == 80.0


def test_the_best_of_the_runs_that_broke_a_limit_is_named() -> None:
    """What would have to give way is the least that was ever measured under a lighter load."""
    rows = {"value": 90.0, "concurrency": 8.0}, {"value": 70.0, "concurrency": 16.0}
    found = measured_latency(facts_with(*rows), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is False
    assert found.measured_ms == 70.0


def test_without_a_fleet_no_run_decides() -> None:
    """Where memory gives no number of GPUs the question stays open."""
    assert measured_latency(facts_with({}), LOAD, "mi300x", None, "tpot_ms", 50.0).kept is None
