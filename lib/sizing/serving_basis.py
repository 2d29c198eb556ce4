"""The measured rows that throughput estimates rest on: rows of serving.csv as questions with what was measured."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Engine, KvFormat, Layout
from lib.sizing import architecture as architectures
from lib.sizing.closed_loop import Floats
from lib.sizing.engines import engine_defaults
from lib.sizing.serving_question import Conditions, Origin, Question, years

HISTORY: Final = ("argonne-llm-inference-bench",)
"""A software state of 2024 that is shown as history and is no basis of an estimate."""

OUTPUT: Final = "output_tokens_per_s"
TOTAL: Final = "total_tokens_per_s"
TYPICAL: Final = ("median", "mean", "")
"""Statistics that stand for the typical request, the first before the others; percentiles are left out."""

_V1_SINCE_YEARS: Final = 1.2
"""vLLM rows from March 2025 on are taken to be of V1."""

_SETTINGS: Final[Mapping[str, Engine]] = {"sglang": "sglang", "tensorrt-llm": "tensorrt-llm", "tgi": "vllm-v0"}
"""Whose scheduler limits an engine is taken to have; the others are taken for vLLM's."""

_PIPELINE: Final = re.compile(r"\bTP\s*\d+ x PP\s*(\d+)")
_NAMED_FORMAT: Final = re.compile(r"(?<![a-z0-9])(mxfp4|nvfp4|fp8|fp4|bf16|awq|int4)(?![0-9])")
_DEPARTMENTS: Final = (" cookbook", " docs", " recipes", " CI")
_OUTCOME: Final = ("metric", "value", "unit", "unit_basis", "note", "locator")

REASONS: Final = (
    "queue-limited", "prefix cache", "model not in the catalogue", "accelerator or its memory bandwidth not in the catalogue",
    "input, output or concurrency not stated", "history", "number of accelerators not stated",
)  # fmt: skip
"""Why a row of serving.csv is no basis, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One measured rate of a deployment, or one pair of first-token time and time per token of one row."""

    row: int
    """Label of the row in the serving table."""
    source_id: str
    question: Question
    origin: Origin
    rate: float
    """Output tokens per second of the deployment; 0 for a pair."""
    ttft_s: float
    tpot_s: float
    reported: bool
    """Whether the source states output tokens itself, rather than all tokens."""


def rows_by_reason(
    catalog: Catalog, metric: str, table: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Rows of a metric that may be a basis, and how many are left out for which reason.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    metric : str
        A metric of the serving table.
    table : DataFrame or None
        Rows in the form of the serving table; the edition's where None.

    Returns
    -------
    tuple
        The rows under their labels, and counts by REASONS.
    """
    table = catalog.measured["serving"] if table is None else table
    rows = table[table["metric"] == metric]
    stated = rows[["input_tokens", "output_tokens", "concurrency"]].notna().all(axis=1)
    right = (
        ~rows["queue_limited"],
        ~rows["prefix_cache"],
        rows["model_id"] != "",
        rows["accelerator_id"].isin([name for name, one in catalog.accelerators.items() if one.memory_bandwidth_tbs]),
        stated,
        ~rows["source_id"].isin(HISTORY),
        rows["accelerator_count"].notna(),
    )
    kept = pd.Series(True, index=rows.index)
    left_out = {}
    for reason, mask in zip(REASONS, right, strict=True):
        left_out[reason] = int((kept & ~mask).sum())
        kept &= mask
    return rows[kept], left_out


def observed_rates(catalog: Catalog, table: pd.DataFrame | None = None) -> tuple[Observed, ...]:
    """Every measured rate that may be a basis: output tokens, and all tokens where a run states no output tokens.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : DataFrame or None
        Rows in the form of the serving table, of the user's own for example; the edition's where None.

    Returns
    -------
    tuple of Observed
        In the order of the table, reported ones first.

    Notes
    -----
    Output tokens are all tokens x output / (input + output). Per-GPU rows are multiplied by the number of GPUs.
    """
    reported, _ = rows_by_reason(catalog, OUTPUT, table)
    totals, _ = rows_by_reason(catalog, TOTAL, table)
    identity = [name for name in reported.columns if name not in _OUTCOME and name != "stat"]
    known = {tuple(map(str, cells)) for cells in reported[identity].itertuples(index=False)}
    alone = [tuple(map(str, cells)) not in known for cells in totals[identity].itertuples(index=False)]
    found = []
    for rows, is_output in ((reported, True), (totals[alone], False)):
        for label, row in _by_label(rows):
            if row["stat"] not in TYPICAL:
                continue
            rate = float(row["value"]) * (row["accelerator_count"] if row["unit_basis"] == "gpu" else 1)
            if not is_output:
                rate *= row["output_tokens"] / (row["input_tokens"] + row["output_tokens"])
            if (one := _observed(catalog, label, row, rate, 0.0, 0.0, is_output)) is not None:
                found.append(one)
    return tuple(found)


def observed_pairs(catalog: Catalog) -> tuple[Observed, ...]:
    """Every pair of first-token time and time per token that one run states with one statistic.

    Parameters
    ----------
    catalog : Catalog
        The edition.

    Returns
    -------
    tuple of Observed
        One per run: medians before means before what is not named.
    """
    first, _ = rows_by_reason(catalog, "ttft_ms")
    each, _ = rows_by_reason(catalog, "tpot_ms")
    rows = pd.concat([first, each])
    rows = rows[rows["stat"].isin(TYPICAL) & (rows["output_tokens"] > 1)]
    runs: dict[tuple[str, ...], dict[str, list[tuple[int, dict[str, Any]]]]] = {}
    identity = [name for name in rows.columns if name not in _OUTCOME]
    for label, row in _by_label(rows):
        run = tuple(str(row[name]) for name in identity)
        runs.setdefault(run, {}).setdefault(row["metric"], []).append((label, row))
    found: dict[tuple[str, ...], Observed] = {}
    at = identity.index("stat")
    for run in sorted(runs, key=lambda one: TYPICAL.index(one[at])):
        firsts, tokens = (runs[run].get(metric, []) for metric in ("ttft_ms", "tpot_ms"))
        if len(firsts) != len(tokens):
            continue
        for turn, ((label, row), (_, other)) in enumerate(zip(firsts, tokens, strict=True)):
            key = (*run[:at], *run[at + 1 :], str(turn))
            times = float(row["value"]) / 1e3, float(other["value"]) / 1e3
            one = None if key in found else _observed(catalog, label, row, 0.0, *times, False)
            if one is not None:
                found[key] = one
    return tuple(found.values())


def share_logits(pairs: Sequence[Observed]) -> Floats:
    """Logit of the part of a request's time before its first token, as measured.

    share = first token / (first token + (output - 1) x time per token)

    Parameters
    ----------
    pairs : sequence of Observed
        From observed_pairs.

    Returns
    -------
    ndarray
        One logit per pair: log of first token over the rest.
    """
    return np.array([np.log(one.ttft_s / ((one.question.output_tokens - 1) * one.tpot_s)) for one in pairs])


def _by_label(rows: pd.DataFrame) -> list[tuple[int, dict[str, Any]]]:
    cells = ({str(name): value for name, value in row.items()} for row in rows.to_dict("records"))
    return list(zip((int(label) for label in rows.index), cells, strict=True))


def _observed(
    catalog: Catalog, label: int, row: Mapping[str, Any], rate: float, ttft_s: float, tpot_s: float, reported: bool
) -> Observed | None:
    """The row as a question, or None for a model whose architecture is not modelled."""
    model = _architecture(catalog, row["model_id"])
    if model is None:
        return None
    part = catalog.accelerators[row["accelerator_id"]]
    question = _question(row, model, part)
    stack = f"{row['engine']}|{row['engine_version']}|{row['model']}"
    origin = Origin(str(row["source_id"]), stack, publisher_of(row["publisher"]))
    return Observed(label, str(row["source_id"]), question, origin, rate, ttft_s, tpot_s, reported)


@functools.lru_cache(maxsize=1024)
def _architecture(catalog: Catalog, model_id: str) -> Architecture | None:
    try:
        return architectures.of_model(catalog.model(model_id))
    except LibError:
        return None


def _question(row: Mapping[str, Any], model: Architecture, part: Accelerator) -> Question:
    count = int(row["accelerator_count"])
    ranks = min(int(row["tensor_parallel"]), count) if row["tensor_parallel"] == row["tensor_parallel"] else count
    stages = _PIPELINE.search(row["note"])
    layout = Layout(ranks, int(stages.group(1)) if stages else 1)
    replicas = max(count // layout.gpus, 1)
    if row["dp_attention"]:
        layout = Layout(1, 1, ranks)
    engine = engine_family(row["engine"])
    young = bool(row["date"]) and years(row["date"]) < _V1_SINCE_YEARS
    settings = settings_of(engine, young=young)
    length = int(row["input_tokens"] + row["output_tokens"])
    kv_format: KvFormat = "fp8" if row["kv_format"] == "fp8" else "bf16"
    return Question(
        architecture=model,
        accelerator=part,
        layout=layout,
        settings=engine_defaults(settings, part.memory_usable_gib, part.accelerator_id, length, layout.gpus),
        weight_format=_format(row, model, part),
        kv_format=kv_format,
        input_tokens=int(row["input_tokens"]),
        output_tokens=int(row["output_tokens"]),
        concurrency=int(row["concurrency"]),
        replicas=replicas,
        conditions=Conditions(
            speculative=bool(row["speculative"]),
            eager=bool(row["eager"]),
            disaggregated=bool(row["disaggregated"]),
            date=str(row["date"]),
            engine=engine,
        ),
    )


def publisher_of(name: str) -> str:
    """The body behind a publisher's name, without department or occasion.

    Parameters
    ----------
    name : str
        As the serving table has it.

    Returns
    -------
    str
        Name.

    Examples
    --------
    >>> publisher_of("SemiAnalysis InferenceX (thread)"), publisher_of("SGLang project cookbook")
    ('SemiAnalysis InferenceX', 'SGLang project')
    """
    body = str(name).partition(" (")[0].partition(",")[0]
    for department in _DEPARTMENTS:
        body = body.removesuffix(department)
    return body


def settings_of(family: str, *, young: bool) -> Engine:
    """The engine of ours whose scheduler limits a published engine is taken to have.

    Parameters
    ----------
    family : str
        From engine_family.
    young : bool
        Whether the software is older than V1 of vLLM.

    Returns
    -------
    Engine
        vLLM's where nothing better is known.

    Examples
    --------
    >>> settings_of("atom", young=False), settings_of("tgi", young=False)
    ('vllm-v1', 'vllm-v0')
    """
    return _SETTINGS.get(family, "vllm-v0" if family == "vllm" and young else "vllm-v1")


def engine_family(name: str) -> str:
    """The engine that a published name belongs to, without plugin and router.

    Parameters
    ----------
    name : str
        As the serving table has it.

    Returns
    -------
    str
        Family; blank stays blank.

    Examples
    --------
    >>> engine_family("vllm (atom plugin)"), engine_family("dynamo-tensorrt-llm")
    ('vllm', 'tensorrt-llm')
    """
    return str(name).partition(" (")[0].removeprefix("dynamo-")


def named_format(name: str) -> str:
    """The weight format that stands in a published model's name.

    Parameters
    ----------
    name : str
        Name, with or without the publisher.

    Returns
    -------
    str
        In the words of the serving table; blank where the name says nothing.

    Examples
    --------
    >>> named_format("zai-org/GLM-5-FP8"), named_format("DeepSeek-R1-0528")
    ('fp8', '')
    """
    found = _NAMED_FORMAT.search(name.lower())
    return found.group(1) if found else ""


def _format(row: Mapping[str, Any], model: Architecture, part: Accelerator) -> str:
    """The weight format in our words: as stated, else as the published name says, else the model's own."""
    own = model.native_format
    stated = str(row["weight_format"])
    stated = stated or named_format(str(row["model"]))
    match stated:
        case "":
            return own
        case "fp8":
            return own if own.startswith("fp8") else "fp8-tensor"
        case "fp4" | "mxfp4" | "nvfp4" if "fp4" in own:
            return own
        case "fp4":
            return "nvfp4" if part.vendor == "NVIDIA" else "mxfp4"
        case "int4" | "awq":
            return own if own.startswith("int4") else "int4-g128"
    return stated
