"""What training memory needs to know of a model: widths of its layers, units that are gathered, matrices to adapt."""

import functools
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from lib.records import Architecture, ParameterBlock
from lib.sizing import weights
from lib.sizing.training_activations import ATTENTION, MEASURED_RATIO, NOT_SPLIT
from lib.sizing.training_states import lora_parameters

LoraTargets = Literal["all-linear", "attention"]
LORA_TARGETS: Final[tuple[LoraTargets, ...]] = ("all-linear", "attention")

_MLPS: Final = ("dense_mlp", "shared_experts")
_ATTENTION_MATRICES: Final = {"attention": 2, "attention_kv": 2, "attention_linear": 2}
"""Matrices of a block that have the hidden size on one side: queries and output, keys and values, in and out."""

_LATENT: Final = {"attention_replicated": 2}
"""In latent attention only the projections down from the hidden size can be told from their parameters."""

BESIDE_MLP: Final = NOT_SPLIT + ATTENTION
"""Bytes per hidden value of a layer beside its MLP."""

_TENSORS_OF_FORM: Final = 2
"""Tensors of the MLP's width that the published form keeps: before and after the activation function."""


@dataclass(frozen=True, slots=True)
class Widths:
    """Activation bytes per hidden value inside an MLP, and of the tokens that are copied to experts and back."""

    low: float
    """The published form: two tensors of the MLP's width."""
    base: float
    """Every tensor of its width."""
    high: float
    """As measured on one layer; what stands beside the MLP is scaled with it."""
    copies: float


@dataclass(frozen=True, slots=True)
class StageShape:
    """One pipeline stage: its layers, their mean widths, and those of the widest, which may be the one in work."""

    layers: int
    mean: Widths
    widest: Widths


@dataclass(frozen=True, slots=True)
class Adapters:
    """Adapter parameters of each layer, and whether adapted matrices are left out because their sides are not known."""

    by_layer: tuple[int, ...]
    latent_left_out: bool
    experts_left_out: bool

    @property
    def parameters(self) -> int:
        """Of the whole model."""
        return sum(self.by_layer)


@functools.lru_cache(maxsize=1024)
def mlp_matrices(architecture: Architecture) -> int:
    """Matrices of a feed-forward layer, exact: three with a gate, two without.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.

    Returns
    -------
    int
        2 or 3; 3 where the model's widths do not tell.
    """
    for block in architecture.blocks:
        if not block.by_layer or not block.quantisable:
            continue
        inner = 0
        if block.name == "dense_mlp":
            inner = architecture.hidden_size * architecture.intermediate_size
        elif block.name == "routed_experts":
            inner = architecture.n_experts * architecture.expert_hidden_size * architecture.moe_intermediate_size
        if inner:
            return min(3, max(2, round(max(block.by_layer) / inner)))
    return 3


@functools.lru_cache(maxsize=2048)
def stage_shapes(architecture: Architecture, pipeline_parallel_size: int) -> tuple[StageShape, ...]:
    """Widths of the layers of each pipeline stage as activation bytes per hidden value, estimate.

    base = 2 x MLP parameters of a token / h^2; low = base x 2 / matrices; high = 1.75 x (18 + low) - 18

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    pipeline_parallel_size : int
        Stages.

    Returns
    -------
    tuple of StageShape
        One a stage.

    Raises
    ------
    InputError
        Stages below 1 or above the number of layers.

    Notes
    -----
    Every matrix of an MLP has one tensor of its width to keep: 2 bytes x width = 2 x parameters / h. The published form
    counts two tensors whatever the MLP is. A token's copies to its experts and their answers are 2 + 2 bytes each.
    """
    hidden = architecture.hidden_size
    base, copies = np.zeros(architecture.layers), np.zeros(architecture.layers)
    for block in architecture.blocks:
        if block.is_draft or not block.by_layer or not block.quantisable:
            continue
        parameters = np.array(block.by_layer, dtype=float)
        if block.component in _MLPS:
            base += 2 * parameters / hidden**2
        elif block.component == "routed_experts":
            share = architecture.experts_per_token / architecture.n_experts
            base += 2 * parameters * share / (architecture.expert_hidden_size * hidden)
            width = architecture.expert_hidden_size / hidden
            copies += np.where(parameters > 0, 4 * architecture.experts_per_token * width, 0.0)
    low = base * _TENSORS_OF_FORM / mlp_matrices(architecture)
    high = MEASURED_RATIO * (BESIDE_MLP + low) - BESIDE_MLP
    table = np.stack([low, base, high, copies])
    shapes, start = [], 0
    for count in weights.stage_layers(architecture.layers, pipeline_parallel_size):
        part = table[:, start : start + count]
        shapes.append(StageShape(count, Widths(*part.mean(axis=1).tolist()), Widths(*part.max(axis=1).tolist())))
        start += count
    return tuple(shapes)


@functools.lru_cache(maxsize=4096)
def largest_unit(
    architecture: Architecture, tensor_parallel_size: int, expert_parallel_size: int = 1
) -> tuple[float, float]:
    """Parameters of the largest layer, and of embedding or head, on one rank before they are sharded over data ranks.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    tensor_parallel_size : int
        Ranks that cut each layer.
    expert_parallel_size : int
        Ranks that share out whole experts.

    Returns
    -------
    tuple of float
        Layer, and embedding or head.
    """
    held = np.zeros(architecture.layers)
    outside = 0.0
    for block in architecture.blocks:
        if block.is_draft:
            continue
        shards = _shards(block, tensor_parallel_size, expert_parallel_size)
        if block.by_layer:
            held += np.array(block.by_layer, dtype=float) / shards
        elif block.name in ("embedding", "lm_head"):
            outside = max(outside, block.parameters / shards)
    return float(held.max()), outside


def _shards(block: ParameterBlock, tensor_parallel_size: int, expert_parallel_size: int) -> int:
    if block.sharding == "replicated":
        return 1
    if block.sharding == "expert":
        return tensor_parallel_size * expert_parallel_size
    return min(tensor_parallel_size, block.max_shards or tensor_parallel_size)


@functools.lru_cache(maxsize=2048)
def adapters(architecture: Architecture, rank: int, targets: LoraTargets = "all-linear") -> Adapters:
    """Adapter parameters of each layer, exact where every adapted matrix has the hidden size on one side.

    sum over blocks of rank x (matrices x h + parameters / h)

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    rank : int
        Rank of each adapter.
    targets : LoraTargets
        all-linear: attention and feed-forward; attention alone. Embedding, head, routers, routed experts and vision
        towers get none.

    Returns
    -------
    Adapters
        By layer.

    Notes
    -----
    With the hidden size on one side of a matrix, the other is its parameters / h: no more needs to be known.

    Examples
    --------
    Rank 16 on all seven matrices of Llama 3.1 8B is 41,943,040 parameters; a small model of that form by hand:

    >>> from lib.sizing.architecture import from_config
    >>> tiny = from_config({"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2,
    ...     "num_attention_heads": 2, "vocab_size": 10, "max_position_embeddings": 64})
    >>> adapters(tiny, 4).parameters == 2 * 4 * (4 * (8 + 8) + 3 * (8 + 16))
    True
    """
    hidden = architecture.hidden_size
    is_latent = any(block.name == "attention_latent_up" for block in architecture.blocks) or any(
        group.kind == "compressed" for group in architecture.groups
    )
    total = np.zeros(architecture.layers)
    for block in architecture.blocks:
        if block.is_draft or not block.by_layer or not block.quantisable:
            continue
        matrices = (_LATENT if is_latent else _ATTENTION_MATRICES).get(block.name, 0)
        if block.name in _MLPS and targets == "all-linear":
            matrices = mlp_matrices(architecture)
        if matrices:
            parameters = np.array(block.by_layer, dtype=float)
            each = lora_parameters(rank, matrices * hidden, parameters / hidden)
            total += np.where(parameters > 0, each, 0.0)
    return Adapters(
        by_layer=tuple(round(one) for one in total),
        latent_left_out=is_latent,
        experts_left_out=architecture.n_experts > 0 and targets == "all-linear",
    )
