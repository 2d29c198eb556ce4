"""How the GPUs of one replica may share a model, and what the fullest of them then holds."""

import functools
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from lib.errors import InputError, UnknownNameError
from lib.records import Architecture, Layout, WeightFormat
from lib.sizing import weights
from lib.sizing.kv_cache import SPREAD_KINDS

Rule = Literal["one-server", "all-layouts"]
RULES: Final[tuple[Rule, ...]] = ("one-server", "all-layouts")

MOST_GPUS: Final = 64
"""Replicas are searched up to so many GPUs."""

GPUS_PER_NODE: Final = 8
"""Servers of a part whose own number is not known are taken with so many."""

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=4096)
def stage_splits(layers: int, pipeline_parallel_size: int) -> tuple[tuple[int, ...], ...]:
    """Splits of the layers into stages that differ by one layer at most: vLLM's own, then the longer ones in front.

    Parameters
    ----------
    layers : int
        Layers of the model.
    pipeline_parallel_size : int
        Stages.

    Returns
    -------
    tuple of tuple of int
        Layers by stage; one split where the layers divide.

    Raises
    ------
    InputError
        More stages than layers, or none.

    Notes
    -----
    The first stages of most mixtures of experts are lighter (dense layers), the last one carries the head: the split
    with the longer stages in front (VLLM_PP_LAYER_PARTITION) may fit where vLLM's own does not.

    Examples
    --------
    >>> stage_splits(61, 3)
    ((20, 21, 20), (21, 20, 20))
    """
    own = weights.stage_layers(layers, pipeline_parallel_size)
    return tuple(dict.fromkeys((own, tuple(sorted(own, reverse=True)))))


@functools.lru_cache(maxsize=256)
def legal_layouts(
    architecture: Architecture,
    gpus_per_node: int | None,
    max_scale_up: int | None,
    rule: Rule,
    most_gpus: int = MOST_GPUS,
    decode_context_parallel_size: int = 1,
) -> tuple[Layout, ...]:
    """The layouts that engines accept for a model, fewest GPUs first, then the largest tensor parallel size.

    Parameters
    ----------
    architecture : Architecture
        Its heads, experts, widths and layers decide.
    gpus_per_node : int or None
        GPUs of one server; None for eight.
    max_scale_up : int or None
        GPUs of the domain that tensor parallelism may span; None for one server.
    rule : Rule
        one-server: tensor parallelism in powers of two, continued over servers where one is not enough; all-layouts:
        tensor x pipeline parallelism, and data x tensor parallelism with whole experts, tensor parallelism within the
        domain.
    most_gpus : int
        Largest replica.
    decode_context_parallel_size : int
        Ranks over which the tokens of a sequence are to be spread.

    Returns
    -------
    tuple of Layout
        Without repetition.

    Raises
    ------
    UnknownNameError
        No such rule.

    Notes
    -----
    Attention heads divide by the tensor parallel size, key and value heads or the size by one another, the widths of
    dense layers and experts by it, and experts by the GPUs that share them whole.

    Examples
    --------
    >>> from lib.records import LayerGroup
    >>> model = Architecture(
    ...     "m", "m", 2, 8, 32, 4, 2, 64, 0, 0, 0, 0, 4096, "bf16", (LayerGroup(2, "full", 8, 4, None, 0, 2),), (), 0, 0
    ... )
    >>> [layout.tensor_parallel_size for layout in legal_layouts(model, 8, 8, "one-server")]
    [1, 2, 4]
    """
    if rule not in RULES:
        raise UnknownNameError("layout rule", rule, RULES)
    domain = domain_of(gpus_per_node, max_scale_up)

    def allowed(size: int) -> bool:
        return divides(architecture, size) and spreads(architecture, size, decode_context_parallel_size)

    if rule == "one-server":
        sizes = (2**power for power in range(most_gpus.bit_length()) if 2**power <= most_gpus)
        return tuple(Layout(size) for size in sizes if allowed(size))
    found: list[Layout] = []
    for tensor in (size for size in range(1, min(domain, most_gpus) + 1) if allowed(size)):
        stages = range(1, min(architecture.layers, most_gpus // tensor) + 1)
        found += [Layout(tensor, stage) for stage in stages]
        if architecture.n_experts:
            ranks = range(2, most_gpus // tensor + 1)
            found += [Layout(tensor, 1, rank, True) for rank in ranks if architecture.n_experts % (tensor * rank) == 0]
    return tuple(sorted(found, key=preference))


def domain_of(gpus_per_node: int | None, max_scale_up: int | None) -> int:
    """GPUs that tensor parallelism may span: the scale-up domain, at least one server.

    Parameters
    ----------
    gpus_per_node : int or None
        GPUs of one server; None for eight.
    max_scale_up : int or None
        GPUs of the scale-up domain; None where it is the server.

    Returns
    -------
    int
        GPUs.
    """
    return max(max_scale_up or 0, gpus_per_node or GPUS_PER_NODE)


def preference(layout: Layout) -> tuple[int, int, int, int]:
    """Order among layouts that fit: fewest GPUs, largest tensor parallel size, fewest stages, fewest data ranks.

    Parameters
    ----------
    layout : Layout
        One of them.

    Returns
    -------
    tuple of int
        Sorts ascending.
    """
    size = layout.tensor_parallel_size
    return layout.gpus, -size, layout.data_parallel_size, layout.pipeline_parallel_size


def divides(architecture: Architecture, tensor_parallel_size: int) -> bool:
    """Whether engines can cut a model into so many tensor parallel ranks.

    Parameters
    ----------
    architecture : Architecture
        Its heads and widths.
    tensor_parallel_size : int
        Ranks.

    Returns
    -------
    bool
        Heads and widths divide; key and value heads divide or are copied evenly.

    Raises
    ------
    InputError
        A size below 1.
    """
    if tensor_parallel_size < 1:
        raise InputError("tensor_parallel_size", tensor_parallel_size, "at least 1")
    size, key_heads = tensor_parallel_size, max(1, architecture.n_kv_heads)
    widths = (architecture.n_heads, architecture.intermediate_size, architecture.moe_intermediate_size)
    return not any(width % size for width in widths) and not (key_heads % size and size % key_heads)


def spreads(architecture: Architecture, tensor_parallel_size: int, decode_context_parallel_size: int) -> bool:
    """Whether engines can spread the tokens of a sequence over so many of the tensor parallel ranks.

    TP / min(TP, max_tp_shards) >= DCP in every layer that looks back at everything, and TP divisible by DCP

    Parameters
    ----------
    architecture : Architecture
        Its layer groups.
    tensor_parallel_size : int
        Ranks.
    decode_context_parallel_size : int
        Ranks that would share the tokens; 1 is no spreading.

    Returns
    -------
    bool
        True without spreading; a model without such layers has nothing to spread.

    References
    ----------
    vllm-project/vllm, decode context parallel: it spreads only what tensor parallelism would hold in copies.
    """
    if decode_context_parallel_size == 1:
        return True
    shards = [group.max_tp_shards for group in architecture.groups if group.kind in SPREAD_KINDS]
    copies = [tensor_parallel_size // min(tensor_parallel_size, limit) for limit in shards]
    whole = tensor_parallel_size % decode_context_parallel_size == 0
    return whole and bool(copies) and min(copies) >= decode_context_parallel_size


def layer_bytes(
    architecture: Architecture,
    weight_format: str,
    tensor_parallel_sizes: Sequence[int],
    formats: Mapping[str, WeightFormat],
    data_parallel_size: int = 1,
    expert_parallel: bool = False,
) -> Floats:
    """Weights of each layer on one rank, with the embedding in the first layer and the head in the last.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    weight_format : str
        Word of the format.
    tensor_parallel_sizes : sequence of int
        Sizes to compute for.
    formats : Mapping[str, WeightFormat]
        The formats by their words.
    data_parallel_size : int
        Ranks that share the experts beside the tensor parallel ones.
    expert_parallel : bool
        Whether experts are shared out whole.

    Returns
    -------
    ndarray
        One row per size, one column per layer [bytes].
    """
    sizes = np.asarray(tensor_parallel_sizes, dtype=float)
    experts, rest = weights.format_of(architecture, weight_format, formats)
    table = weights.stage_table(architecture, experts, rest, architecture.layers)
    share = np.asarray(weights.expert_share(architecture, experts, sizes * data_parallel_size, expert_parallel))
    parts = np.minimum(sizes[:, None], table.limits)
    split = (table.split[None] / parts[:, None, :]).sum(axis=-1)
    return np.asarray(table.replicated + split + table.experts * share[:, None])


def fullest_stages(layers: Floats, cache_bytes: Floats, split: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The fullest stage of a split for each of some tensor parallel sizes: its weights and its share of the layers.

    fullest = argmax over stages of (weights of the stage + cache x its layers / all layers)

    Parameters
    ----------
    layers : ndarray
        Weights of each layer, one row per size [bytes].
    cache_bytes : ndarray
        Cache of the load on one rank if it held every layer, one per size [bytes].
    split : tuple of int
        Layers by stage.

    Returns
    -------
    tuple of ndarray
        Weights [bytes] and share of the layers, one per row.

    Notes
    -----
    The cache is taken as even over layers; models that mix kinds of layers alternate them.

    Examples
    --------
    >>> fullest_stages(np.array([[1.0, 1.0, 5.0]]), np.array([3.0]), (2, 1))
    (array([5.]), array([0.33333333]))
    """
    counts = np.array(split)
    starts = np.cumsum(counts) - counts
    held = np.add.reduceat(layers, starts, axis=1)
    shares = counts / layers.shape[1]
    at = (held + cache_bytes[:, None] * shares).argmax(axis=1)
    return held[np.arange(len(at)), at], shares[at]
