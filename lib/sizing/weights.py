"""Bytes of a model's weights: of the whole checkpoint, and on the fullest GPU of a layout."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.errors import ConfigError, InputError, UnknownNameError
from lib.records import Architecture, Layout, ParameterBlock, WeightFormat
from lib.units import BITS_PER_BYTE

Numbers = npt.NDArray[np.float64] | float
"""A number or an array of them."""

NATIVE: Final = "native"
"""The word for the format that a checkpoint was published in."""

BYTES_AT_16_BIT: Final = 2
VOCABULARY_MULTIPLE: Final = 64
"""Engines pad embedding and head to a multiple of this before they cut them."""

_PADDED_FORMAT: Final = "mxfp4"
_PADDED_HIDDEN: Final = 256
_PADDED_WIDTH: Final = 128
"""Kernels for mxfp4 experts want hidden size and width per GPU in multiples of these, and engines pad to them."""


def format_of(
    architecture: Architecture, weight_format: str, formats: Mapping[str, WeightFormat]
) -> tuple[WeightFormat, WeightFormat]:
    """The formats of routed experts and of the rest; the same one twice unless the word is `a+b`.

    Parameters
    ----------
    architecture : Architecture
        Model, for the word native.
    weight_format : str
        A word of the formats, two of them as `experts+rest`, or native.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    tuple[WeightFormat, WeightFormat]
        Format of routed experts, format of everything else.

    Raises
    ------
    ConfigError
        The native format is asked for and the model's config does not tell it.
    UnknownNameError
        No format has this word.
    """
    words = architecture.native_format if weight_format == NATIVE else weight_format
    if not words:
        raise ConfigError("no-format", model=architecture.model_id)
    experts, _, rest = words.partition("+")
    for word in (experts, rest or experts):
        if word not in formats:
            raise UnknownNameError("weight format", word, (NATIVE, *formats))
    if not rest:
        return formats[experts], formats[experts]
    # The first of two words names the width of routed experts; what stays at 16 bit is said by the second.
    return replace(formats[experts], leaves_at_16_bit=()), formats[rest]


def checkpoint_bytes(
    architecture: Architecture, weight_format: str, formats: Mapping[str, WeightFormat], *, draft_layers: bool = True
) -> float:
    """Bytes of all tensors of a checkpoint, computed.

    sum over blocks of parameters x (bits / 8 where the format quantises the block, else 2)

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    weight_format : str
        Word of the format, `experts+rest`, or native.
    formats : Mapping[str, WeightFormat]
        The formats by their words.
    draft_layers : bool
        Whether multi-token-prediction layers count, as in most published checkpoints that have them; engines load them
        for speculative decoding only.

    Returns
    -------
    float
        Size [bytes].

    Raises
    ------
    ConfigError
        The native format is asked for and the model's config does not tell it.
    UnknownNameError
        No format has this word.

    Notes
    -----
    Exact for 16-bit formats but for the few tensors that some checkpoints store in fp32 (under 0.02 %). For quantised
    formats the scales are counted per parameter, so that a matrix which its blocks do not fill is some hundredths of a
    percent larger in truth. Formats for experts quantise the feed-forward part of a model that has none.

    References
    ----------
    Tensor types of the published checkpoints; see weight_formats.csv.

    Examples
    --------
    gpt-oss-120b: 114,661,785,600 weights of 4.25 bit and 2,167,371,072 of 16 bit are 65,248,815,744 bytes as published.

    >>> mxfp4 = WeightFormat("mxfp4", 4.25, ("attention",), (), "", "", "")
    >>> blocks = (
    ...     ParameterBlock("routed_experts", 114_661_785_600, "expert"),
    ...     ParameterBlock("attention", 2_167_371_072, "tensor"),
    ... )
    >>> widths = (36, 2880, 2880, 64, 8, 201_088, 128, 4, 0, 2880, 131_072)
    >>> model = Architecture("gpt-oss", "gpt-oss", *widths, "mxfp4", (), blocks, 116_829_156_672, 5_711_982_912)
    >>> f"{checkpoint_bytes(model, 'native', {'mxfp4': mxfp4}):,.0f}"
    '65,248,815,744'
    """
    return _checkpoint_bytes(architecture, *format_of(architecture, weight_format, formats), draft_layers)


def bytes_per_gpu(
    architecture: Architecture,
    weight_format: str,
    layout: Layout,
    formats: Mapping[str, WeightFormat],
    total_bytes: float | None = None,
) -> float:
    """Bytes of weights on the fullest GPU of one replica, estimate.

    max over stages of sum over blocks of bytes in the stage / shards of the block

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    weight_format : str
        Word of the format, `experts+rest`, or native.
    layout : Layout
        How the GPUs share the model.
    formats : Mapping[str, WeightFormat]
        The formats by their words.
    total_bytes : float | None
        Size of the published checkpoint with its draft layers [bytes]; None where only the computed one is known. The
        result is scaled by published over computed.

    Returns
    -------
    float
        Weights on the fullest GPU [bytes], draft layers left out.

    Raises
    ------
    InputError
        A size of the layout is below 1, or there are more stages than layers.
    ConfigError
        The native format is asked for and the model's config does not tell it.
    UnknownNameError
        No format has this word.

    Notes
    -----
    As vLLM and SGLang load: tensor parallelism cuts attention, dense and shared feed-forward layers, embedding and head
    (padded to 64 rows); key and value projections are cut to one head at most and copied beyond that; norms, routers,
    indexers and the down-projections of latent attention stand whole on every GPU. Routed experts are cut over tensor
    and data parallel ranks alike: by width, or with expert parallelism by whole experts. Pipeline stages are uneven
    where layers do not divide. Engines keep a 16-bit copy of a quantised latent up-projection, and pad mxfp4 experts.

    References
    ----------
    vllm-project/vllm: linear, vocab_parallel_embedding, fused_moe, mla_attention, get_pp_indices.
    """
    experts, rest = format_of(architecture, weight_format, formats)
    shards = layout.tensor_parallel_size * layout.data_parallel_size
    fullest = rank_bytes(
        stage_table(architecture, experts, rest, layout.pipeline_parallel_size),
        layout.tensor_parallel_size,
        expert_share(architecture, experts, shards, layout.expert_parallel),
    )
    scale = 1.0
    if total_bytes is not None:
        scale = total_bytes / checkpoint_bytes(architecture, weight_format, formats)
    return float(fullest) * scale


@dataclass(frozen=True, slots=True, eq=False)
class StageTable:
    """Bytes in each pipeline stage, one row per stage, by how they are shared out."""

    replicated: npt.NDArray[np.float64]
    split: npt.NDArray[np.float64]
    """Bytes that tensor parallelism cuts, one column per limit of parts."""
    limits: npt.NDArray[np.float64]
    """The most parts of each column; infinite where only the GPUs limit it."""
    experts: npt.NDArray[np.float64]


def rank_bytes(table: StageTable, tensor_parallel_size: Numbers, expert_share: Numbers) -> Numbers:
    """Bytes on the fullest GPU over stages: replicated + split / min(TP, limit) + experts x share.

    Parameters
    ----------
    table : StageTable
        Bytes by stage and kind [bytes].
    tensor_parallel_size : Numbers
        One size, or an array of them.
    expert_share : Numbers
        Part of all experts' bytes that one GPU holds; same shape.

    Returns
    -------
    Numbers
        Same shape [bytes].

    Raises
    ------
    InputError
        A size is below 1.

    Examples
    --------
    One GPU in eight holds its copy of what is replicated and an eighth of the rest:

    >>> table = StageTable(*(np.array(rows, dtype=float) for rows in ([8.0], [[80.0]], [np.inf], [160.0])))
    >>> float(rank_bytes(table, 8, 1 / 8))
    38.0
    """
    sizes = np.asarray(tensor_parallel_size, dtype=float)
    if np.any(~(sizes >= 1)):
        raise InputError("tensor_parallel_size", tensor_parallel_size, "at least 1")
    parts = np.minimum(sizes[..., None], table.limits)
    split = (table.split / parts[..., None, :]).sum(axis=-1)
    stages = table.replicated + split + table.experts * np.asarray(expert_share, dtype=float)[..., None]
    fullest: npt.NDArray[np.float64] = stages.max(axis=-1)
    return fullest


def stage_layers(layers: int, pipeline_parallel_size: int) -> tuple[int, ...]:
    """Layers in each pipeline stage, exact: an even share, and one more for the last stages but the very last.

    Parameters
    ----------
    layers : int
        Layers of the model.
    pipeline_parallel_size : int
        Stages.

    Returns
    -------
    tuple[int, ...]
        Layers by stage.

    Raises
    ------
    InputError
        Stages below 1 or above the number of layers.

    References
    ----------
    vllm-project/vllm vllm/distributed/utils.py, get_pp_indices.

    Examples
    --------
    >>> stage_layers(61, 8)
    (7, 7, 8, 8, 8, 8, 8, 7)
    """
    stages = pipeline_parallel_size
    if not 1 <= stages <= layers:
        raise InputError("pipeline_parallel_size", stages, f"from 1 to {layers}, the number of layers")
    even, left_over = divmod(layers, stages)
    sizes = [even] * stages
    for stage in range(stages - 1 - left_over, stages - 1):
        sizes[stage] += 1
    return tuple(sizes)


@functools.lru_cache(maxsize=4096)
def _checkpoint_bytes(
    architecture: Architecture, experts: WeightFormat, rest: WeightFormat, draft_layers: bool
) -> float:
    pairs = zip(architecture.blocks, bytes_per_parameter(architecture, experts, rest), strict=True)
    return sum(block.parameters * size for block, size in pairs if draft_layers or not block.is_draft)


def bytes_per_parameter(architecture: Architecture, experts: WeightFormat, rest: WeightFormat) -> tuple[float, ...]:
    """Stored bytes of one parameter of each block, scales included, exact.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    experts : WeightFormat
        Format of routed experts, from format_of.
    rest : WeightFormat
        Format of everything else.

    Returns
    -------
    tuple of float
        In the order of the blocks [bytes].
    """
    return tuple(
        _stored(block, experts if block.component == "routed_experts" else rest, architecture.n_experts > 0)
        for block in architecture.blocks
    )


def _stored(block: ParameterBlock, form: WeightFormat, has_experts: bool) -> float:
    """Bytes per parameter of one block; a format that leaves even the dense layers is one for experts."""
    left = set(form.leaves_at_16_bit)
    if not has_experts:
        left.discard("dense_mlp")
    kept = not block.quantisable or block.component in left or (block.is_draft and "mtp" in left)
    wide = form.bits_per_weight >= BYTES_AT_16_BIT * BITS_PER_BYTE
    return BYTES_AT_16_BIT if kept and not wide else form.bits_per_weight / BITS_PER_BYTE


def expert_share(architecture: Architecture, form: WeightFormat, shards: Numbers, whole_experts: bool) -> Numbers:
    """Part of all routed experts' bytes that the fullest GPU holds, padding included, estimate.

    Parameters
    ----------
    architecture : Architecture
        Model, for the number and widths of its experts.
    form : WeightFormat
        Format of the experts: kernels for mxfp4 want hidden size and width per GPU in multiples of 256 and 128.
    shards : Numbers
        GPUs that share the experts: tensor times data parallel size.
    whole_experts : bool
        Expert parallelism: GPUs hold whole experts, the fullest one the ceiling.

    Returns
    -------
    Numbers
        Share, in the shape of shards; 0 for a model without experts.

    References
    ----------
    vllm-project/vllm vllm/model_executor/layers/quantization/mxfp4.py.
    """
    if architecture.n_experts == 0:
        return np.zeros_like(np.asarray(shards, dtype=float))
    parts = np.asarray(shards, dtype=float)
    count = architecture.n_experts
    share: npt.NDArray[np.float64] = np.ceil(count / parts) / count if whole_experts else 1 / parts
    if form.weight_format != _PADDED_FORMAT:
        return share
    width = architecture.moe_intermediate_size / (1.0 if whole_experts else parts)
    padded_width = np.ceil(width / _PADDED_WIDTH) * _PADDED_WIDTH
    hidden = architecture.expert_hidden_size
    padded_hidden = np.ceil(hidden / _PADDED_HIDDEN) * _PADDED_HIDDEN
    padded: npt.NDArray[np.float64] = share * (padded_width / width) * (padded_hidden / hidden)
    return padded


@functools.lru_cache(maxsize=4096)
def stage_table(architecture: Architecture, experts: WeightFormat, rest: WeightFormat, stages: int) -> StageTable:
    """Bytes of weights in each pipeline stage, by how an engine shares them out, exact.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks; draft layers count where the engine loads them.
    experts : WeightFormat
        Format of routed experts, from format_of.
    rest : WeightFormat
        Format of everything else.
    stages : int
        Pipeline stages.

    Returns
    -------
    StageTable
        One row per stage, cached.

    Raises
    ------
    InputError
        Stages below 1 or above the number of layers.
    """
    sizes = stage_layers(architecture.layers, stages)
    edges = np.concatenate([[0], np.cumsum(sizes)])
    replicated, routed = np.zeros(stages), np.zeros(stages)
    split: dict[float, npt.NDArray[np.float64]] = {}
    for block, stored in zip(architecture.blocks, bytes_per_parameter(architecture, experts, rest), strict=True):
        if block.is_draft and not architecture.drafts_loaded:
            continue
        size = _loaded(architecture, block, stored)
        held = size * _by_stage(architecture, block, edges)
        if block.sharding == "replicated":
            replicated += held
        elif block.sharding == "expert":
            routed += held
        else:
            limit = float("inf") if block.max_shards is None else float(block.max_shards)
            split[limit] = split.get(limit, np.zeros(stages)) + held
    return StageTable(replicated, np.stack(list(split.values()), axis=-1), np.array(list(split)), routed)


def _loaded(architecture: Architecture, block: ParameterBlock, stored: float) -> float:
    """Bytes per parameter in an engine: with the copy of the latent up-projection, or the padding of the vocabulary."""
    if block.name == "attention_latent_up" and stored < BYTES_AT_16_BIT:
        return stored + BYTES_AT_16_BIT
    if block.name in ("embedding", "lm_head"):
        padded = np.ceil(architecture.vocab / VOCABULARY_MULTIPLE) * VOCABULARY_MULTIPLE
        return float(stored * padded / architecture.vocab)
    return stored


def _by_stage(
    architecture: Architecture, block: ParameterBlock, edges: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Parameters of a block in each stage; a tied embedding stands in the first stage and again in the last."""
    stages = len(edges) - 1
    if block.by_layer:
        sums = np.concatenate([[0.0], np.cumsum(np.array(block.by_layer, dtype=float))])
        between: npt.NDArray[np.float64] = sums[edges[1:]] - sums[edges[:-1]]
        return between
    held = np.zeros(stages)
    last = block.component == "lm_head" or "_last" in block.name or block.is_draft
    held[-1 if last else 0] = block.parameters
    if block.name == "embedding" and architecture.tied_embeddings:
        held[-1] = block.parameters
    return held
