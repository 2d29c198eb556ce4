"""Terms about models: weights, cache, replicas, work, training states, by the library's own sizing."""

import functools
from collections.abc import Callable, Mapping
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value, number
from lib.records import Architecture, KvFormat, Layout
from lib.sizing import architecture as architectures
from lib.sizing import fit, kv_cache, memory, rules_of_thumb, weights
from lib.sizing.engines import engine_defaults
from lib.sizing.layouts import Rule
from lib.sizing.roofline import FLOPS_PER_PARAMETER, causal_pairs, distinct_experts, training_step_s
from lib.sizing.training_states import model_states
from lib.units import GB, GIB

End = Literal["low", "base", "high"]
_TERA: Final = 1e12
_MATRICES_OF_ATTENTION: Final = 2
"""Scores, and the sum of the values."""


@functools.lru_cache(maxsize=256)
def _architecture(catalog: Catalog, model: str) -> Architecture:
    return architectures.of_model(catalog.model(model))


def parameters(catalog: Catalog, model: str) -> Term:
    """All parameters of a model.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.

    Returns
    -------
    Term
        A count in billions.
    """
    return _term(catalog, "parameters", (model,), number(catalog.model(model).total_params / GB), "billion")


def active(catalog: Catalog, model: str) -> Term:
    """Parameters that one token uses.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.

    Returns
    -------
    Term
        A count in billions.
    """
    row = catalog.model(model)
    found = row.total_params if row.active_params is None else row.active_params
    return _term(catalog, "active", (model,), number(found / GB), "billion")


def context(catalog: Catalog, model: str) -> Term:
    """The longest context that a model was made for.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.

    Returns
    -------
    Term
        [tokens].
    """
    most = catalog.model(model).max_context
    return _term(catalog, "context", (model,), Value() if most is None else number(most), "tokens")


def weights_gb(catalog: Catalog, model: str, weight_format: str) -> Term:
    """Bytes of a model's weights without the layers that only draft.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    weight_format : str
        Word of the format, or native.

    Returns
    -------
    Term
        [GB].
    """
    total = weights.checkpoint_bytes(
        _architecture(catalog, model), weight_format, catalog.weight_formats, draft_layers=False
    )
    return _term(catalog, "weights", (model, weight_format), number(total / GB), "GB", weight_format)


def checkpoint_gb(catalog: Catalog, model: str, weight_format: str) -> Term:
    """Bytes of a model's whole checkpoint, drafting layers with it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    weight_format : str
        Word of the format, or native.

    Returns
    -------
    Term
        [GB].
    """
    total = weights.checkpoint_bytes(_architecture(catalog, model), weight_format, catalog.weight_formats)
    return _term(catalog, "checkpoint", (model, weight_format), number(total / GB), "GB", weight_format)


def cache_gb(catalog: Catalog, model: str, tokens: int, kv_format: KvFormat) -> Term:
    """Cache of one sequence.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    tokens : int
        Length of the sequence [tokens].
    kv_format : KvFormat
        bf16 or fp8.

    Returns
    -------
    Term
        [GB].
    """
    kept = kv_cache.bytes_per_sequence(_architecture(catalog, model).groups, tokens, kv_format, 1, block_size=1)
    return _term(catalog, "cache", (model, tokens, kv_format), number(float(kept) / GB), "GB")


def split(catalog: Catalog, model: str, gpus: int) -> Term:
    """The smallest tensor parallel size from so many GPUs on that divides the model's attention heads.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    gpus : int
        GPUs at least.

    Returns
    -------
    Term
        GPUs.
    """
    heads = _architecture(catalog, model).n_heads
    found = next((size for size in range(int(gpus), heads + 1) if heads % size == 0), heads)
    return _term(catalog, "split", (model, gpus), number(found), "GPUs")


def fewest(
    catalog: Catalog, model: str, weight_format: str, part: str, tokens: int, sequences: int, rule: Rule = "one-server"
) -> Term:
    """The fewest GPUs that hold a model and its load in vLLM, as the memory page finds them.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    weight_format : str
        Word of the format, or native.
    part : str
        Accelerator id.
    tokens : int
        Length of every sequence [tokens].
    sequences : int
        Sequences at the same time.
    rule : Rule
        one-server (tensor parallelism alone) or all-layouts.

    Returns
    -------
    Term
        GPUs.
    """
    found = _replica(catalog, model, weight_format, part, int(tokens), int(sequences), rule)
    arguments = (model, weight_format, part, tokens, sequences, rule)
    value = Value() if found.gpus is None else number(found.gpus)
    return _term(catalog, "fewest", arguments, value, "GPUs", weight_format, part)


def room_gib(
    catalog: Catalog, model: str, weight_format: str, part: str, gpus: int, tokens: int, sequences: int, end: End
) -> Term:
    """Cache that is left on each GPU, under the low, expected or high estimate of the engine's workspace.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    weight_format : str
        Word of the format, or native.
    part : str
        Accelerator id.
    gpus : int
        Tensor parallel size.
    tokens : int
        Length of every sequence [tokens].
    sequences : int
        Sequences at the same time.
    end : End
        Which end of the workspace's band.

    Returns
    -------
    Term
        [GiB], below 0 where it does not fit.
    """
    known = catalog.accelerator(part)
    settings = engine_defaults("vllm-v1", known.memory_usable_gib, part, int(tokens))
    plan = memory.plan(
        _architecture(catalog, model), known.memory_usable_gib, Layout(int(gpus)), settings, weight_format, "bf16",
        int(tokens), int(sequences), catalog.weight_formats,
    )  # fmt: skip
    slack = {"high": plan.slack_low_bytes, "base": plan.slack_bytes, "low": plan.slack_high_bytes}[end]
    arguments = (model, weight_format, part, gpus, tokens, sequences, end)
    value = Value() if slack is None else number(slack / GIB)
    return _term(catalog, "room", arguments, value, "GiB", weight_format, part)


def step_gb(catalog: Catalog, model: str, weight_format: str, batch: int) -> Term:
    """Weights that one decode step reads: everything but the embedding, and the experts that the batch wakes.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    weight_format : str
        Word of the format, or native.
    batch : int
        Sequences that take the step together.

    Returns
    -------
    Term
        [GB], a lower bound of what is read: cache is left out.
    """
    found = _architecture(catalog, model)
    sizes = weights.bytes_per_parameter(found, *weights.format_of(found, weight_format, catalog.weight_formats))
    woken = float(distinct_experts(found.n_experts, found.experts_per_token, batch)) / max(found.n_experts, 1)
    read = sum(
        block.parameters * size * (woken if block.component == "routed_experts" else 1.0)
        for block, size in zip(found.blocks, sizes, strict=True)
        if not block.is_draft and (block.component != "embedding" or found.tied_embeddings)
    )
    return _term(catalog, "step", (model, weight_format, batch), number(read / GB), "GB", weight_format)


def prefill_tflop(catalog: Catalog, model: str, tokens: int) -> Term:
    """Work of reading one prompt: 2 operations a parameter and token, and causal attention.

    2 P n + 4 L d n^2 / 2

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id; its heads together are as wide as its hidden size.
    tokens : int
        Length of the prompt [tokens].

    Returns
    -------
    Term
        [TFLOP], a lower bound.
    """
    found = _architecture(catalog, model)
    pairs = float(causal_pairs(tokens, float("inf")))
    matrices = FLOPS_PER_PARAMETER * found.active_parameters * tokens
    attention = FLOPS_PER_PARAMETER * _MATRICES_OF_ATTENTION * found.layers * found.hidden_size * pairs
    return _term(catalog, "prefill", (model, tokens), number((matrices + attention) / _TERA), "TFLOP")


def training_s(catalog: Catalog, model: str, tokens: int, part: str, field: str) -> Term:
    """The least time of one training step on one GPU at a dense peak.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    tokens : int
        Tokens of the batch.
    part : str
        Accelerator id.
    field : str
        Which peak: a dense field of Accelerator.

    Returns
    -------
    Term
        [s], a lower bound.
    """
    peak = getattr(catalog.accelerator(part), field)
    count = catalog.model(model).active_params or catalog.model(model).total_params
    value = Value() if peak is None else number(training_step_s(count, tokens, peak * _TERA))
    return _term(catalog, "training", (model, tokens, part, field), value, "s", part=part)


def states_gb(catalog: Catalog, model: str, gpus: int) -> Term:
    """Weights, gradients and Adam states of full training on each GPU, ZeRO-3 by the paper's accounting.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    gpus : int
        GPUs that shard the states.

    Returns
    -------
    Term
        [GB] per GPU; activations come on top.
    """
    kept = sum(float(one) for one in model_states(catalog.model(model).total_params, gpus, 3))
    return _term(catalog, "states", (model, gpus), number(kept / GB), "GB")


def need_gb(catalog: Catalog, model: str, bits: float) -> Term:
    """What article A3's rule of thumb asks for a model: 1.2 GB a billion parameters at 8 bit.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : str
        Model id.
    bits : float
        Width of a weight [bits].

    Returns
    -------
    Term
        [GB].
    """
    need = rules_of_thumb.need_by_parameters_bytes(catalog.model(model).total_params, bits)
    return _term(catalog, "need", (model, bits), number(need / GB), "GB")


def engine_default(catalog: Catalog, engine: Literal["vllm-v1", "vllm-v0"], field: str) -> Term:
    """A setting that an engine takes when the user states none.

    Parameters
    ----------
    catalog : Catalog
        The edition; the default is the library's own knowledge of the engine.
    engine : str
        vllm-v1 or vllm-v0.
    field : str
        A field of EngineSettings.

    Returns
    -------
    Term
        A number.
    """
    return Term("engine_default", (engine, field), number(getattr(engine_defaults(engine), field)))


@functools.lru_cache(maxsize=512)
def _replica(
    catalog: Catalog, model: str, weight_format: str, part: str, tokens: int, sequences: int, rule: Rule
) -> fit.FewestGpus:
    return fit.fewest_gpus(
        _architecture(catalog, model), catalog.accelerator(part), weight_format, "bf16", tokens, sequences,
        catalog.weight_formats, rule,
    )  # fmt: skip


def _term(
    catalog: Catalog,
    kind: str,
    arguments: tuple[str | float, ...],
    value: Value,
    unit: str,
    weight_format: str = "",
    part: str = "",
) -> Term:
    model = catalog.model(str(arguments[0]))
    sources = [(model.source_id, model.locator)]
    if weight_format in catalog.weight_formats:
        form = catalog.weight_formats[weight_format]
        sources.append((form.source_id, form.locator))
    if part:
        fields = ("memory_runtime_gib",) if "tflops" not in str(arguments[-1]) else (str(arguments[-1]),)
        cells = [cell for field in fields for cell in catalog.spec_cells.get((part, field), ())]
        sources += [(cell.source_id, cell.locator) for cell in cells if cell.agreement != "differs"]
    parts = (part,) if part else ()
    return Term(kind, arguments, value, unit, tuple(dict.fromkeys(sources)), parts, (model.model_id,))


TERMS: Final[Mapping[str, Callable[..., Term]]] = {
    "parameters": parameters, "active": active, "context": context, "weights": weights_gb,
    "checkpoint": checkpoint_gb, "cache": cache_gb, "split": split, "fewest": fewest, "room": room_gib,
    "step": step_gb, "prefill": prefill_tflop, "training": training_s, "states": states_gb, "need": need_gb,
    "engine_default": engine_default,
}  # fmt: skip
