"""Contradictions between cells are named: planted one at a time, as a contributor would slip."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest

from lib import catalog, consistency
from lib.catalog import Catalog
from lib.sizing import row_checks
from lib.sizing.serving_basis import observed_rates

FACTS = catalog.load()


def with_part(**cells: Any) -> Catalog:
    """The catalogue with cells of H100 SXM changed."""
    part = replace(FACTS.accelerators["h100-sxm"], **cells)
    return replace(FACTS, accelerators=MappingProxyType({**FACTS.accelerators, "h100-sxm": part}))


def with_price(**cells: Any) -> Catalog:
    """The catalogue with cells of its first dated list price changed."""
    at = next(place for place, one in enumerate(FACTS.prices) if one.quality == "dated-list")
    prices = list(FACTS.prices)
    prices[at] = replace(prices[at], **cells)
    return replace(FACTS, prices=tuple(prices))


def with_statement(**cells: Any) -> Catalog:
    """The catalogue with cells of the only statement of H100's memory bandwidth in one source changed."""
    key = ("h100-sxm", "memory_bandwidth_tbs")
    first, *rest = FACTS.spec_cells[key]
    return replace(FACTS, spec_cells=MappingProxyType({**FACTS.spec_cells, key: (replace(first, **cells), *rest)}))


def with_measured(table: str, where: dict[str, str], **cells: Any) -> Catalog:
    """The catalogue with cells of the first measured row that has these words changed."""
    rows = FACTS.measured[table].copy()
    label = rows.index[(rows[list(where)].astype(str) == pd.Series(where)).all(axis=1)][0]
    for column, value in cells.items():
        if isinstance(value, str):
            rows[column] = rows[column].astype(str)
        rows.loc[label, column] = value
    return replace(FACTS, measured=MappingProxyType({**FACTS.measured, table: rows}))


def with_model(model_id: str, **cells: Any) -> Catalog:
    """The catalogue with cells of a model changed, in its record and in the table as browsed."""
    table = FACTS.tables["models"].copy()
    known = {name: value for name, value in cells.items() if name in table.columns}
    table.loc[table["model_id"] == model_id, list(known)] = list(known.values())
    fields = {name: value for name, value in cells.items() if hasattr(FACTS.models[model_id], name)}
    models = {**FACTS.models, model_id: replace(FACTS.models[model_id], **fields)}
    return replace(FACTS, models=MappingProxyType(models), tables=MappingProxyType({**FACTS.tables, "models": table}))


def fewer_layers(model_id: str) -> Catalog:
    """The catalogue with one layer of a model's first group left out."""
    first, *rest = FACTS.models[model_id].groups
    return with_model(model_id, groups=(replace(first, layers=first.layers - 1), *rest))


RATE = {"source_id": "dstack-dsr1-online", "metric": "output_tokens_per_s"}


def test_the_tables_agree() -> None:
    """What is shipped has no contradiction."""
    assert not list(consistency.problems(FACTS))
    assert not list(row_checks.problems(FACTS))


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        (with_part(fp8_dense_tflops=3957.8), "is a sparse figure in the dense cell?"),
        (with_part(fp8_dense_tflops=3957.8, fp8_sparse_tflops=None), "is it a figure with sparsity?"),
        (with_part(memory_runtime_gib=85.0), "must not fall"),
        (with_part(fp6_dense_tflops=1979.0), "fp6_dense_tflops has no source"),
        (with_price(as_of=""), "needs its date in as_of"),
        (with_price(as_of="2027-01-15"), "lies after the edition's day"),
        (with_price(low=9.0, high=2.0), "low is above high"),
        (with_statement(value="3.9"), "states 3.9 and is said to agree with 3.35"),
        (with_statement(value="fast"), "states fast and is said to agree"),
        (with_statement(unit="GB/s"), "is in GB/s, and the cell in TB/s"),
        (with_measured("serving", RATE, unit="tokens/s/gpu"), "unit and unit_basis differ"),
        (with_measured("serving", RATE, unit="ms"), "must be tokens/s or tokens/s/gpu"),
        (with_measured("training", {"metric": "tflops_per_gpu"}, unit="tokens/s/gpu"), "must be TFLOP/s/gpu"),
        (with_measured("micro", {"metric": "power"}, unit="GB/s"), "must be W"),
        (with_measured("serving", RATE, tensor_parallel=16.0), "8 accelerators cannot be shared out in groups of 16"),
        (with_measured("serving", RATE, tensor_parallel=3.0), "8 accelerators cannot be shared out in groups of 3"),
        (with_measured("serving", RATE, model_id="deepseek-v3"), "DeepSeek-R1 is deepseek-r1 in"),
        (
            with_measured("mlperf_training", {"benchmark": "llama2_70b_lora"}, model_id="deepseek-v3"),
            "and deepseek-v3 here",
        ),
    ],
)
def test_a_planted_contradiction_is_named(planted: Catalog, said: str) -> None:
    """One sentence with table, row and what to mend."""
    found = list(consistency.problems(planted))
    assert any(said in one and one.startswith("data/") for one in found), found


def test_a_cell_that_only_dissent_speaks_of_is_named() -> None:
    """Rows that differ are kept, and are no source of the cell."""
    key = ("h100-sxm", "memory_bandwidth_tbs")
    differing = tuple(replace(one, agreement="differs") for one in FACTS.spec_cells[key])
    planted = replace(FACTS, spec_cells=MappingProxyType({**FACTS.spec_cells, key: differing}))
    assert any("no row agrees with the cell" in one for one in consistency.problems(planted))


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        (
            with_model("llama-3.1-70b", total_params=70_000_000_000),
            "total_params is 70,000,000,000 and follows as 70,553,",
        ),
        (with_model("llama-3.1-70b", n_kv_heads=64), "n_kv_heads is 64 and follows as 8"),
        (with_model("deepseek-v3", native_format="bf16"), "native_format is bf16 and fp8-block128"),
        (with_model("llama-3.1-70b", config=None), "data/configs/llama-3.1-70b.json is missing"),
        (with_model("llama-3.1-70b", config={"model_type": "llamma"}), "model_type 'llamma' is not known"),
        (fewer_layers("gpt-oss-120b"), "data/layer_groups.csv, gpt-oss-120b: 17 "),
        # 8 GPUs at 2,615 TFLOPS, 2 FLOPs for each of 37 billion active parameters: at most 283,000 tokens/s
        (with_measured("serving", RATE, value=3e5), "above the bound of this run"),
        (with_measured("micro", {"test": "hbm triad"}, value=9000.0), "is above the memory bandwidth of"),
        (with_measured("micro", {"test": "gemm", "number_format": "bf16"}, value=9000.0), "is above the peak of"),
        (with_measured("training", {"metric": "tflops_per_gpu", "number_format": "bf16"}, value=9000.0), "the peak of"),
    ],
)
def test_a_row_that_sizing_refutes_is_named(planted: Catalog, said: str) -> None:
    """A model against its config, a measured value against the bound of its own run or the data sheet of its part."""
    found = list(row_checks.problems(planted))
    assert any(said in one and one.startswith("data/") for one in found), found


def test_a_part_without_a_published_bandwidth_is_no_basis_and_no_mistake() -> None:
    """Its measured rows stay in the table, and nothing is computed from them."""
    planted = with_part(memory_bandwidth_tbs=None)
    assert not list(row_checks.problems(planted))
    assert all(one.question.accelerator.accelerator_id != "h100-sxm" for one in observed_rates(planted))
