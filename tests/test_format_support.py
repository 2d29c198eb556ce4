"""Formats by part and engine: code before documentation before reports, what is not stated stays unknown."""

import csv
from pathlib import Path

import pytest

from lib import catalog
from lib.choice.format_support import format_of, format_support, generation_of
from lib.choice.scenario import choices
from lib.records import FormatFact

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()


def support(part: str, engine: str, use: str, named: str) -> str:
    """The verdict of the table for one part."""
    return format_support(FACTS.formats, FACTS.accelerator(part), engine, use, named).support  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("part", "engine", "named", "expected"),
    [
        ("h100-sxm", "vllm-v1", "fp8-tensor", "native"),  # FP8 page of vLLM 0.32.0: Ada, Hopper and Blackwell
        ("a100-sxm-80g", "vllm-v1", "fp8-tensor", "weight-only"),  # the same page: Marlin kernels on Ampere
        ("mi300x", "vllm-v1", "mxfp4", "emulated"),  # Quark page: simulated on MI325, MI300 and MI250
        ("mi355x", "vllm-v1", "mxfp4", "native"),  # the same page: the lowest precision of MI355
        ("h200-sxm", "vllm-v1", "nvfp4", "weight-only"),  # ModelOpt page: Marlin without an FP4 kernel
        ("b200-sxm", "sglang", "nvfp4", "native"),  # SGLang's platform table: Blackwell, SM100 and newer
        ("h100-sxm", "sglang", "nvfp4", "none"),  # the same row
        ("mi300x", "sglang", "int4", "weight-only"),  # the same table: Triton kernels for AWQ and GPTQ
        ("h100-sxm", "tensorrt-llm", "fp8-block128", "native"),  # hardware support matrix of TensorRT-LLM
        ("l40s", "tensorrt-llm", "fp8-block128", "none"),
        ("mi300x", "tensorrt-llm", "fp8-tensor", "none"),  # its hardware list is NVIDIA's alone
        ("gaudi3", "vllm-v1", "fp8-tensor", "unknown"),  # a part of no generation of the table
        ("mi300x", "vllm-v1", "mxfp8", "unknown"),  # the page speaks of NVIDIA's SM numbers alone
    ],
)
def test_the_documents_decide(part: str, engine: str, named: str, expected: str) -> None:
    """Each verdict was read in the document named beside it."""
    assert support(part, engine, "weights", named) == expected


def test_code_outweighs_documentation_and_the_conflict_is_kept() -> None:
    """The chart of vLLM denies INT4 on AMD, its list of methods has it: the list decides, the chart is shown."""
    found = format_support(FACTS.formats, FACTS.accelerator("mi300x"), "vllm-v1", "weights", "int4")
    assert found.support == "weight-only"
    assert {fact.basis for fact in found.deciding} == {"code"}
    assert [fact.source_id for fact in found.conflicting] == ["vllm-quantization-docs"]


def test_the_worst_row_of_a_rank_counts() -> None:
    """Two documents that disagree: the one that promises less decides."""
    row = next(fact for fact in FACTS.formats if (fact.engine, fact.architecture) == ("vllm", "hopper"))
    rows = [
        FormatFact(
            row.engine, row.architecture, "weights", "int8", word, "", "", "documentation", row.source_id, "x", ""
        )
        for word in ("native", "none")
    ]
    found = format_support(rows, FACTS.accelerator("h100-sxm"), "vllm-v1", "weights", "int8")
    assert found.support == "none"


def test_every_nvidia_and_amd_part_that_ships_has_a_generation() -> None:
    """A part without one would be unknown for no reason."""
    missing = [
        part.short_name
        for part in FACTS.accelerators.values()
        if part.vendor in ("AMD", "NVIDIA") and part.status == "shipping" and not generation_of(part)
    ]
    assert missing == []


def test_every_format_of_a_scenario_is_a_word_of_the_table() -> None:
    """A format without a row on any part would read as unknown everywhere."""
    with (DATA / "format_support.csv").open(encoding="utf-8", newline="") as file:
        known = {row["format"] for row in csv.DictReader(file) if row["use"] == "weights"}
    words = [word for word in choices(("workloads", 0, "weight_format")) if word != "native"]
    assert {format_of(word, "") for word in words} <= known
    assert {format_of(model.native_format, "") for model in FACTS.models.values()} <= known
