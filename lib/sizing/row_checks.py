"""Rows held against what sizing computes of them, for the check: a model against its config, a measured value against physics."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from lib.catalog import Catalog
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Model
from lib.sizing import closed_loop, serving_question
from lib.sizing.architecture import from_config
from lib.sizing.serving_basis import observed_rates

DRAFT_ROUTER_BIAS: Final[Mapping[str, int]] = {
    "deepseek-v3": 256, "deepseek-r1": 256, "deepseek-v3.1": 256, "deepseek-v3.2": 256, "glm-4.5": 160, "glm-4.6": 160,
}  # fmt: skip
"""Rows of models.csv that count the draft router's selection bias, a buffer, among the draft layers' parameters."""

DRAFT_HEAD_COPIES: Final[Mapping[str, int]] = {"step-3.7-flash": 3 * 128_896 * 4096}
"""Rows of models.csv that count the draft layers' own heads among their parameters."""

VISION_WITHOUT_CONFIG: Final[Mapping[str, int]] = {"step-3.7-flash": 1_981_014_784}
"""Models whose config has no vision section, with the parameters that the table counts in their tower."""

STATED_ELSEWHERE: Final = frozenset({("step-3.7-flash", "max_context")})
"""Cells that follow another statement of the publisher than its config: the model card's context, reached by scaling."""

_PLAIN: Final = ("", "bf16", "fp16")
"""A config that names no quantisation: the checkpoint may be quantised all the same, and the table says so."""

_SAME: Final[Mapping[str, str]] = {
    "layers": "layers", "hidden_size": "hidden_size", "intermediate_size": "intermediate_size", "n_heads": "n_heads",
    "n_kv_heads": "n_kv_heads", "vocab": "vocab", "n_experts": "n_experts", "experts_per_token": "experts_per_token",
    "n_shared_experts": "n_shared_experts", "moe_intermediate_size": "moe_intermediate_size",
    "max_context": "max_context", "tie_embeddings": "tied_embeddings",
}  # fmt: skip
"""Column of models.csv to what the config says."""

_ROUNDED: Final = 1.02
"""Data sheets and clocks round: 2,018 GB/s was read from a memory of 2,000."""

_GB_PER_TB: Final = 1000
_PEAK: Final[Mapping[str, str]] = {
    "fp32": "fp32_tflops", "tf32": "tf32_dense_tflops", "fp16": "fp16_bf16_dense_tflops",
    "bf16": "fp16_bf16_dense_tflops", "fp8": "fp8_dense_tflops", "mxfp8": "fp8_dense_tflops",
    "fp4": "fp4_dense_tflops", "nvfp4": "fp4_dense_tflops", "mxfp4": "fp4_dense_tflops",
}  # fmt: skip
"""Number format, without what follows a space, a hyphen or an underscore, to the field with its dense peak."""

_OF_MEMORY: Final = ("hbm", "gpu-stream")
"""Tests of micro.csv that read or write the memory of the part itself."""


def problems(catalog: Catalog) -> Iterator[str]:
    """Every row that sizing shows to be wrong, one sentence each: yields nothing when rows, configs and physics agree.

    Parameters
    ----------
    catalog : Catalog
        Each cell is valid for itself.

    Yields
    ------
    str
        Table, row, and what to mend.
    """
    cells = catalog.tables["models"].set_index("model_id")
    for model in catalog.models.values():
        yield from _of_model(model, cells.loc[model.model_id].to_dict())
    yield from _above_peak(catalog)
    try:
        yield from _above_bound(catalog)
    except LibError as error:
        yield f"data/serving.csv: its rows cannot be sized: {error}"


def _of_model(model: Model, cells: Mapping[Any, Any]) -> Iterator[str]:
    where, config = f"data/models.csv, {model.model_id}", f"data/configs/{model.model_id}.json"
    if model.architecture == "diffusion":
        return
    if model.config is None:
        yield f"{where}: {config} is missing: weights and cache follow from it"
        return
    try:
        read = from_config(model.config, model.model_id)
    except LibError as error:
        yield f"{config}: {error}"
        return
    for column, said in (*((column, getattr(read, field)) for column, field in _SAME.items()), *_counted(model, read)):
        stated = cells[column]
        if pd.isna(stated) or stated == said or (model.model_id, column) in STATED_ELSEWHERE:
            continue
        yield f"{where}: {column} is {_plain(stated)} and follows as {_plain(said)} from {config}"
    word = read.native_format.split("+")[0]
    if word not in _PLAIN and word != model.native_format:
        yield f"{where}: native_format is {model.native_format} and {word} in {config}"
    if set(model.groups) != set(read.groups):
        yield f"data/layer_groups.csv, {model.model_id}: {_groups(model.groups)}; from {config} follows {_groups(read.groups)}"


def _counted(model: Model, read: Architecture) -> Iterator[tuple[str, int]]:
    """Parameters of each kind as the config gives them, with what a named row counts beside it."""
    beside = VISION_WITHOUT_CONFIG.get(model.model_id, 0)
    yield "total_params", read.total_parameters + beside
    yield "vision_params", read.vision_parameters + beside
    yield "active_params", read.active_parameters
    for column, word in (
        ("embedding_params", "embedding"),
        ("lm_head_params", "lm_head"),
        ("routed_expert_params", "routed_experts"),
    ):
        yield column, sum(one.parameters for one in read.blocks if one.component == word and not one.is_draft)
    drafts = DRAFT_ROUTER_BIAS.get(model.model_id, 0) + DRAFT_HEAD_COPIES.get(model.model_id, 0)
    yield "mtp_params", read.mtp_parameters + drafts


def _plain(value: Any) -> str:
    return f"{value:,.0f}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _groups(groups: Sequence[Any]) -> str:
    """Layer groups as a line, for whoever compares them."""
    return ", ".join(
        f"{one.layers} {one.kind} x {one.bytes_per_token_bf16:g}/{one.bytes_per_token_fp8:g} B window {one.window} state "
        f"{one.state_bytes_per_sequence:g} shards {one.max_tp_shards}"
        for one in groups
    )


def _above_peak(catalog: Catalog) -> Iterator[str]:
    """Micro-benchmarks and training rates above the data sheet: a unit, a count or a sparse figure is wrong there."""
    micro, training = catalog.measured["micro"], catalog.measured["training"]
    test, metric = micro["test"].astype(str), micro["metric"].astype(str)
    memory = micro[(metric == "bandwidth") & test.str.startswith(_OF_MEMORY)]
    matrix = micro[(metric == "tflops") & test.str.startswith("gemm")]
    trained = training[training["metric"] == "tflops_per_gpu"]
    for table, rows, what in (
        ("micro", memory, "memory bandwidth"),
        ("micro", matrix, "peak"),
        ("training", trained, "peak"),
    ):
        for label, name, number_format, value in zip(
            rows.index, rows["accelerator_id"], rows["number_format"], rows["value"], strict=True
        ):
            part = catalog.accelerators.get(str(name))
            limit = None if part is None else _limit(part, str(number_format), what)
            if limit is not None and value > limit * _ROUNDED:
                yield f"data/{table}.csv, line {label + 2}: {value:g} is above the {what} of {name}, {limit:g}"


def _limit(part: Accelerator, number_format: str, what: str) -> float | None:
    """What no measurement can pass [GB/s or TFLOPS]; None where the data sheet does not say."""
    if what == "memory bandwidth":
        return None if part.memory_bandwidth_tbs is None else part.memory_bandwidth_tbs * _GB_PER_TB
    word = number_format.replace("-", " ").replace("_", " ").split(" ")[0]
    return getattr(part, _PEAK[word]) if word in _PEAK else None


def _above_bound(catalog: Catalog) -> Iterator[str]:
    """Measured rates above the bound of their own run; only drafted tokens come without a reading of the weights."""
    serving = catalog.measured["serving"]
    serving = serving.assign(queue_limited=False)  # no basis of an estimate, and bound by physics all the same
    rows = [one for one in observed_rates(catalog, serving) if not one.question.conditions.speculative]
    columns = serving_question.columns(catalog, [one.question for one in rows], [one.origin for one in rows])
    bounds = closed_loop.rate_bound(columns.work)
    for one, bound in zip(rows, np.asarray(bounds, dtype=float), strict=True):
        if one.rate > bound:
            yield (
                f"data/serving.csv, line {one.row + 2}: {one.rate:,.0f} output tokens/s of the deployment are above the bound "
                f"of this run, {bound:,.0f}: is unit_basis, accelerator_count, weight_format or speculative wrong?"
            )
