"""Contradictions between cells are named: planted one at a time, as a contributor would slip."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from lib import catalog, consistency
from lib.catalog import Catalog

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


def test_the_tables_agree() -> None:
    """What is shipped has no contradiction."""
    assert not list(consistency.problems(FACTS))


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
    ],
)
def test_a_planted_contradiction_is_named(planted: Catalog, said: str) -> None:
    """One sentence with table, row and what to mend."""
    found = list(consistency.problems(planted))
    assert any(said in one and one.startswith("data/") for one in found), found
