"""What training keeps of every parameter: weights, gradients and optimizer states, by a named accounting."""

from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lib.errors import InputError, UnknownNameError

Numbers = npt.NDArray[np.float64] | float
"""A number or an array of them."""

Accounting = Literal["zero-paper", "deepspeed", "megatron"]
Precision = Literal["bf16", "fp16", "fp32"]
Offload = Literal["none", "optimizer", "all"]

ACCOUNTINGS: Final[tuple[Accounting, ...]] = ("zero-paper", "deepspeed", "megatron")
OFFLOADS: Final[tuple[Offload, ...]] = ("none", "optimizer", "all")

STAGES: Final[dict[Accounting, tuple[int, ...]]] = {"zero-paper": (0, 1, 2, 3), "deepspeed": (2, 3), "megatron": (0, 1)}
"""Stages of sharding that each accounting states; 0 is plain data parallelism."""

ADAM_STATE_BYTES: Final = 8
"""Momentum and variance in fp32."""

MASTER_BYTES: Final = 4
"""The fp32 copy of the weights that mixed precision keeps with the optimizer."""

NF4_BITS: Final = 4
NF4_BLOCK: Final = 64
NF4_BLOCKS_OF_BLOCKS: Final = 256


class States(NamedTuple):
    """What one GPU holds of the parameters [bytes]."""

    weights_bytes: Numbers
    gradients_bytes: Numbers
    optimizer_bytes: Numbers


def model_states(
    parameters: Numbers,
    data_parallel_size: Numbers,
    zero_stage: int,
    accounting: Accounting = "zero-paper",
    *,
    precision: Precision = "bf16",
    offload: Offload = "none",
    optimizer_state_bytes: float = ADAM_STATE_BYTES,
) -> States:
    """Model states of mixed-precision Adam on one GPU, exact by the accounting named.

    zero-paper: 2 P (2 P/d from stage 3) + 2 P (2 P/d from stage 2) + 12 P (12 P/d from stage 1)

    Parameters
    ----------
    parameters : Numbers
        Trained parameters that a rank would hold without sharding over data ranks.
    data_parallel_size : Numbers
        Ranks d that shard the states.
    zero_stage : int
        0 for plain data parallelism, 1 the optimizer, 2 the gradients too, 3 the weights too (full FSDP).
    accounting : Accounting
        zero-paper: 16-bit gradients, the form of the ZeRO paper. deepspeed: what DeepSpeed's estimator counts, stages 2
        and 3 (4 P + 16 P/d and 18 P/d). megatron: fp32 gradients, whole or with the distributed optimizer (stage 1).
    precision : Precision
        Of weights in Megatron's accounting; the others are mixed precision at 16 bit.
    offload : Offload
        What lies in the host's memory: nothing, the optimizer (from stage 2 with the gradients), or all states.
    optimizer_state_bytes : float
        Of momentum and variance together per parameter [bytes]: 8 in fp32, 4 in bf16, 2 in 8 bit.

    Returns
    -------
    States
        Weights, gradients, optimizer with the fp32 copy of the weights [bytes].

    Raises
    ------
    InputError
        The accounting does not state this stage, sizes are below 1, or all states are offloaded below stage 3.
    UnknownNameError
        No such accounting.

    Notes
    -----
    What a layer needs while it is gathered comes on top: `gathered_bytes`. How DeepSpeed's two sums and Megatron's
    20 bytes fall into columns is this library's reading; the sums are theirs.

    References
    ----------
    arXiv 1910.02054, section 5 and figure 1; deepspeed: docs/code-docs/source/memory.rst; megatron-lm:
    docs/user-guide/features/dist_optimizer.md; stas00-ml-engineering: training/performance/README.md (8-bit and bf16
    states).

    Examples
    --------
    Figure 1 of the ZeRO paper, 7.5 billion parameters on 64 GPUs: 120, 31.4, 16.6 and 1.9 GB.

    >>> [f"{sum(model_states(7.5e9, 64, stage)) / 1e9:.1f}" for stage in (0, 1, 2, 3)]
    ['120.0', '31.4', '16.6', '1.9']
    """
    check_states(zero_stage, accounting, offload)
    if np.min(data_parallel_size) < 1:
        raise InputError("data_parallel_size", data_parallel_size, "at least 1")
    optimizer = MASTER_BYTES + optimizer_state_bytes
    if accounting == "deepspeed":
        whole, shared = _deepspeed(zero_stage, offload, optimizer)
    elif accounting == "megatron":
        whole, shared = _megatron(zero_stage, precision, optimizer)
    else:
        per_parameter = (2.0, 2.0, optimizer)
        from_stage = (3, 2, 1)
        sharded = tuple(zero_stage >= stage for stage in from_stage)
        whole = tuple(0.0 if is_sharded else each for each, is_sharded in zip(per_parameter, sharded, strict=True))
        shared = tuple(each if is_sharded else 0.0 for each, is_sharded in zip(per_parameter, sharded, strict=True))
    weights, gradients, optimized = (
        parameters * (kept + spread / data_parallel_size) for kept, spread in zip(whole, shared, strict=True)
    )
    if offload != "none" and accounting != "deepspeed":
        optimized = 0.0 * optimized
        gradients = 0.0 * gradients if zero_stage >= 2 else gradients
        weights = 0.0 * weights if offload == "all" else weights
    return States(weights, gradients, optimized)


def check_states(zero_stage: int, accounting: Accounting, offload: Offload) -> None:
    """Refuse a combination that the accounting does not state.

    Parameters
    ----------
    zero_stage : int
        0 to 3.
    accounting : Accounting
        One of ACCOUNTINGS.
    offload : Offload
        One of OFFLOADS.

    Raises
    ------
    InputError
        The accounting does not state this stage, or all states are offloaded below stage 3.
    UnknownNameError
        No such accounting or offload.
    """
    if accounting not in STAGES:
        raise UnknownNameError("accounting of training memory", accounting, ACCOUNTINGS)
    if offload not in OFFLOADS:
        raise UnknownNameError("offload", offload, OFFLOADS)
    if zero_stage not in STAGES[accounting]:
        stages = " or ".join(map(str, STAGES[accounting]))
        raise InputError("zero_stage", zero_stage, f"{stages} in the accounting {accounting}")
    if offload == "all" and zero_stage != 3:
        raise InputError("offload", offload, "none or optimizer below stage 3")


def _deepspeed(zero_stage: int, offload: Offload, optimizer: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Bytes per parameter, whole and shared: 4 P + 16 P/d, 18 P/d; with offload 2 P, 2 P/d, nothing."""
    if offload == "all":
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if zero_stage == 2:
        return ((2.0, 0.0, 0.0), (0.0, 0.0, 0.0)) if offload != "none" else ((4.0, 0.0, 0.0), (0.0, 4.0, optimizer))
    return (0.0, 0.0, 0.0), ((2.0, 0.0, 0.0) if offload != "none" else (2.0, 4.0, optimizer))


def _megatron(zero_stage: int, precision: Precision, optimizer: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Bytes per parameter, whole and shared: 18, 20 or 16 P; 6 + 12/d, 4 + 16/d or 8 + 8/d with stage 1."""
    whole = {"bf16": (2.0, 4.0, 0.0), "fp16": (2.0, 2.0, 0.0), "fp32": (4.0, 4.0, 0.0)}[precision]
    states = optimizer - MASTER_BYTES
    shared = {"bf16": (0.0, 0.0, optimizer), "fp16": (0.0, 4.0, optimizer), "fp32": (0.0, 0.0, states)}[precision]
    if zero_stage == 0:
        return tuple(one + other for one, other in zip(whole, shared, strict=True)), (0.0, 0.0, 0.0)
    return whole, shared


def gathered_bytes(
    largest_unit: Numbers,
    missing_parameters: Numbers,
    zero_stage: int,
    accounting: Accounting = "zero-paper",
    *,
    weight_bytes: float = 2.0,
    trained: bool = True,
) -> Numbers:
    """What the layer in work needs beside the shards: its whole weights, and its gradients before they are shared out.

    stage 3: min(4 x unit, 4 x missing); stage 2: min(2 x unit, 2 x missing); DeepSpeed's estimator: 4 x unit at stage 3

    Parameters
    ----------
    largest_unit : Numbers
        Parameters of the largest unit that is gathered at once.
    missing_parameters : Numbers
        Parameters of the rank that lie on other GPUs or in the host's memory.
    zero_stage : int
        0 to 3.
    accounting : Accounting
        One of ACCOUNTINGS.
    weight_bytes : float
        Stored width of the weights [bytes].
    trained : bool
        Whether the unit has gradients; a frozen base has none.

    Returns
    -------
    Numbers
        Buffer [bytes]; never more than what sharding saves, so that more sharding never needs more.

    References
    ----------
    deepspeed: docs/code-docs/source/memory.rst, 4 bytes per parameter of the largest layer.

    Examples
    --------
    DeepSpeed's example, a largest layer of 32 million parameters: 0.12 GiB with everything else on the CPU.

    >>> f"{gathered_bytes(32e6, 2851e6, 3, 'deepspeed') / 2**30:.2f}"
    '0.12'
    """
    if accounting == "megatron" or zero_stage < 2 or (accounting == "deepspeed" and zero_stage == 2):
        return 0.0 * largest_unit
    gradient_bytes = 2.0 if trained else 0.0
    if accounting == "deepspeed":
        return largest_unit * (weight_bytes + gradient_bytes)
    held = (weight_bytes if zero_stage == 3 else 0.0) + gradient_bytes
    smaller: Numbers = np.minimum(largest_unit, missing_parameters) * held
    return smaller


def lora_parameters(rank: Numbers, d_in: Numbers, d_out: Numbers) -> Numbers:
    """Trainable parameters of the adapter of one matrix, exact: rank x (d_in + d_out).

    Parameters
    ----------
    rank : Numbers
        Rank of the adapter.
    d_in, d_out : Numbers
        Sides of the adapted matrix.

    Returns
    -------
    Numbers
        Parameters.

    References
    ----------
    arXiv 2106.09685, section 4.

    Examples
    --------
    The output projection of Llama 3.1 8B, 4,096 wide, at rank 16:

    >>> lora_parameters(16, 4096, 4096)
    131072
    """
    return rank * (d_in + d_out)


def nf4_bits(double_quantisation: bool = True) -> float:
    """Bits per weight of a base in 4-bit NormalFloat, exact: 4 + 8/64 + 32/(64 x 256), or 4 + 32/64.

    Parameters
    ----------
    double_quantisation : bool
        Whether the scales are quantised themselves.

    Returns
    -------
    float
        Bits per weight.

    References
    ----------
    arXiv 2305.14314, section 3.

    Examples
    --------
    >>> nf4_bits(), nf4_bits(double_quantisation=False)
    (4.126953125, 4.5)
    """
    if double_quantisation:
        return NF4_BITS + 8 / NF4_BLOCK + 32 / (NF4_BLOCK * NF4_BLOCKS_OF_BLOCKS)
    return NF4_BITS + 32 / NF4_BLOCK
