"""What one GPU of a training run holds whatever the tokens are: states by stage, adapters, the unit that is gathered."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from lib.records import Architecture, WeightFormat
from lib.sizing import weights
from lib.sizing.training_setup import OPTIMIZERS, STORED, Optimizer, TrainingSetup
from lib.sizing.training_shape import LoraTargets, adapters, largest_unit
from lib.sizing.training_states import Accounting, Offload, Precision, gathered_bytes, model_states, nf4_bits
from lib.units import BITS_PER_BYTE

QLORA_FORMAT: Final = "nf4"
BYTES_AT_16_BIT: Final = 2

Stages = tuple[tuple[float, float], ...]
"""For each pipeline stage what a rank holds: all but routed experts, routed experts."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a GPU of one pipeline stage holds beside activations and logits [bytes]."""

    parameters: float
    """Of the model on this rank, before sharding over data ranks."""
    trained_parameters: float
    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    adapters_bytes: float
    """Weights, gradients and optimizer states of the adapters."""
    gathered_bytes: float
    offloaded_bytes: float
    """What lies in the host's memory for this GPU."""

    @property
    def states_bytes(self) -> float:
        """All of it on the GPU."""
        return (
            self.weights_bytes + self.gradients_bytes + self.optimizer_bytes + self.adapters_bytes + self.gathered_bytes
        )


def held_by_stage(
    architecture: Architecture, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> tuple[Held, ...]:
    """States of each pipeline stage on one GPU, exact by the accounting of the setup.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    setup : TrainingSetup
        How it is trained; already checked.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    tuple of Held
        One a stage.

    Raises
    ------
    InputError
        More stages than layers.
    UnknownNameError
        A format of a frozen base that nobody knows.
    """
    sixteen = formats[STORED]
    parameters = _by_stage(architecture, setup, sixteen, sixteen)
    if setup.method == "full":
        return tuple(
            _whole(architecture, setup, dense / BYTES_AT_16_BIT, routed / BYTES_AT_16_BIT)
            for dense, routed in parameters
        )
    base = base_formats(architecture, setup, formats)
    stored = _by_stage(architecture, setup, *base)
    adapted = _adapters_by_stage(architecture, setup.lora_rank, setup.lora_targets, setup.pipeline_parallel_size)
    return tuple(
        _frozen(architecture, setup, base, (dense + routed) / BYTES_AT_16_BIT, kept, own)
        for (dense, routed), kept, own in zip(parameters, stored, adapted, strict=True)
    )


def base_formats(
    architecture: Architecture, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> tuple[WeightFormat, WeightFormat]:
    """How a frozen base is stored: QLoRA's format with or without quantised scales, or the one stated.

    Parameters
    ----------
    architecture : Architecture
        For the native format.
    setup : TrainingSetup
        How it is trained.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    tuple of WeightFormat
        Of routed experts, of everything else.

    Raises
    ------
    ConfigError
        The native format is asked for and the model's config does not tell it.
    UnknownNameError
        No format has this word.
    """
    if setup.method != "qlora":
        return weights.format_of(architecture, setup.base_format, formats)
    own = _nf4(formats[QLORA_FORMAT], setup.double_quantisation)
    return own, own


@functools.lru_cache(maxsize=8)
def _nf4(form: WeightFormat, double_quantisation: bool) -> WeightFormat:
    return replace(form, bits_per_weight=nf4_bits(double_quantisation))


def _by_stage(architecture: Architecture, setup: TrainingSetup, experts: WeightFormat, rest: WeightFormat) -> Stages:
    sizes = setup.tensor_parallel_size, setup.pipeline_parallel_size, setup.expert_parallel_size
    return _bytes_of(architecture, experts, rest, *sizes)


@functools.lru_cache(maxsize=4096)
def _bytes_of(
    architecture: Architecture, experts: WeightFormat, rest: WeightFormat, tensor: int, stages: int, expert: int
) -> Stages:
    """Bytes of weights of each stage on one rank; experts are shared out whole over expert parallel ranks."""
    table = weights.stage_table(architecture, experts, rest, stages)
    held = table.replicated + (table.split / np.minimum(float(tensor), table.limits)).sum(axis=-1)
    count = max(1, architecture.n_experts)
    routed = table.experts * (np.ceil(count / expert) / count / tensor)
    return tuple(zip(held.tolist(), routed.tolist(), strict=True))


@functools.lru_cache(maxsize=2048)
def _adapters_by_stage(architecture: Architecture, rank: int, targets: LoraTargets, stages: int) -> tuple[int, ...]:
    """Adapter parameters of each stage; tensor parallel ranks are taken to hold them whole."""
    by_layer, start, found = adapters(architecture, rank, targets).by_layer, 0, []
    for count in weights.stage_layers(architecture.layers, stages):
        found.append(sum(by_layer[start : start + count]))
        start += count
    return tuple(found)


def _whole(architecture: Architecture, setup: TrainingSetup, dense: float, routed: float) -> Held:
    """Full fine-tuning: every parameter has weights, gradients and optimizer states."""
    each, expert = _per_parameter(setup, setup.offload)
    weight, gradient, optimizer = (dense * one + routed * other for one, other in zip(each, expert, strict=True))
    offloaded = 0.0
    if setup.offload != "none":
        near, near_expert = _per_parameter(setup, "none")
        offloaded = dense * (sum(near) - sum(each)) + routed * (sum(near_expert) - sum(expert))
    away = _elsewhere(setup)
    unit = max(largest_unit(architecture, setup.tensor_parallel_size, setup.expert_parallel_size))
    missing = dense * away[0] + routed * away[1]
    gathered = float(gathered_bytes(unit, missing, setup.zero_stage, setup.accounting))
    return Held(dense + routed, dense + routed, weight, gradient, optimizer, 0.0, gathered, offloaded)


def _frozen(
    architecture: Architecture,
    setup: TrainingSetup,
    base: tuple[WeightFormat, WeightFormat],
    parameters: float,
    stored: tuple[float, float],
    adapted: int,
) -> Held:
    """LoRA and QLoRA: the base frozen at its stored width, states for the adapters alone."""
    dense, routed = stored
    each, _expert = _per_parameter(setup, setup.offload)
    offloaded, gathered, frozen = 0.0, 0.0, dense + routed
    if setup.offload != "none":
        offloaded = adapted * (sum(_per_parameter(setup, "none")[0]) - sum(each))
    if setup.offload == "all":
        offloaded += (dense + routed * setup.expert_parallel_size) / setup.data_parallel_size
    if setup.zero_stage == 3:
        away = _elsewhere(setup)
        missing = dense * away[0] + routed * away[1]
        layer, outside = largest_unit(architecture, setup.tensor_parallel_size, setup.expert_parallel_size)
        bits = max(base[0].bits_per_weight, base[1].bits_per_weight)
        gathered = min(max(layer * bits / BITS_PER_BYTE, outside * BYTES_AT_16_BIT), missing)
        frozen -= missing
    return Held(parameters, adapted, frozen, 0.0, 0.0, adapted * sum(each), gathered, offloaded)


def _elsewhere(setup: TrainingSetup) -> tuple[float, float]:
    """Share of a rank's parameters that lies on other GPUs or in the host's memory once sharded; and of its experts."""
    if setup.offload == "all":
        return 1.0, 1.0
    return 1.0 - 1.0 / setup.data_parallel_size, 1.0 - setup.expert_parallel_size / setup.data_parallel_size


Each = tuple[float, float, float]
"""Bytes of weights, gradients and optimizer states for one trained parameter."""


def _per_parameter(setup: TrainingSetup, offload: Offload) -> tuple[Each, Each]:
    """For parameters that every data rank shares, and for experts that fewer share."""
    how = setup.zero_stage, setup.accounting, setup.precision, offload, setup.optimizer
    ranks = setup.data_parallel_size
    return _each(float(ranks), *how), _each(ranks / setup.expert_parallel_size, *how)


@functools.lru_cache(maxsize=4096)
def _each(
    ranks: float, stage: int, accounting: Accounting, precision: Precision, offload: Offload, optimizer: Optimizer
) -> Each:
    found = model_states(
        1.0, ranks, stage, accounting, precision=precision, offload=offload,
        optimizer_state_bytes=OPTIMIZERS[optimizer],
    )  # fmt: skip
    return float(found.weights_bytes), float(found.gradients_bytes), float(found.optimizer_bytes)
