"""How a model is trained: the method, how GPUs share it, what is kept and what is computed again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lib.errors import InputError, UnknownNameError
from lib.records import Architecture
from lib.sizing.layouts import divides
from lib.sizing.training_activations import RECOMPUTES, Recompute
from lib.sizing.training_shape import LORA_TARGETS, LoraTargets
from lib.sizing.training_states import ADAM_STATE_BYTES, Accounting, Offload, Precision, check_states

Method = Literal["full", "lora", "qlora"]
Optimizer = Literal["adam", "adam-bf16", "adam-8bit"]

METHODS: Final[tuple[Method, ...]] = ("full", "lora", "qlora")
OPTIMIZERS: Final[Mapping[Optimizer, float]] = {"adam": ADAM_STATE_BYTES, "adam-bf16": 4.0, "adam-8bit": 2.0}
"""Bytes of momentum and variance together per parameter."""

STORED: Final = "bf16"
"""Weights that are trained stand at 16 bit, whatever format the multiplications use."""


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    """How a model is trained: the method, how GPUs share it, what is kept and what is computed again."""

    method: Method = "full"
    sequence_tokens: int = 4096
    micro_batch: int = 1
    data_parallel_size: int = 1
    zero_stage: int = 3
    """0 plain data parallelism, 1 to 3 as in the ZeRO paper; 3 is full FSDP."""
    accounting: Accounting = "zero-paper"
    precision: Precision = "bf16"
    tensor_parallel_size: int = 1
    pipeline_parallel_size: int = 1
    expert_parallel_size: int = 1
    """Data ranks that share out whole experts."""
    sequence_parallel: bool = False
    recompute: Recompute = "selective"
    offload: Offload = "none"
    optimizer: Optimizer = "adam"
    micro_batches: int | None = None
    """Of one step; None for at least as many as pipeline stages."""
    lora_rank: int = 16
    lora_targets: LoraTargets = "all-linear"
    base_format: str = STORED
    """Format of a frozen base under LoRA; QLoRA has its own."""
    double_quantisation: bool = True

    @property
    def gpus(self) -> int:
        """GPUs of the run."""
        return self.data_parallel_size * self.model_gpus

    @property
    def model_gpus(self) -> int:
        """GPUs that share one copy of the model by tensor and pipeline parallelism."""
        return self.tensor_parallel_size * self.pipeline_parallel_size


def check_setup(architecture: Architecture, setup: TrainingSetup) -> None:
    """Refuse a setup that cannot be: sizes, divisions, words, and stages that the accounting does not state.

    Parameters
    ----------
    architecture : Architecture
        Its heads, widths, experts and layers decide.
    setup : TrainingSetup
        How it is trained.

    Raises
    ------
    InputError
        The field, its value and what is allowed.
    UnknownNameError
        No such accounting.
    """
    check_states(setup.zero_stage, setup.accounting, setup.offload)
    for field, words in (
        ("method", METHODS), ("recompute", RECOMPUTES), ("lora_targets", LORA_TARGETS), ("optimizer", tuple(OPTIMIZERS)),
    ):  # fmt: skip
        if getattr(setup, field) not in words:
            raise UnknownNameError(field, str(getattr(setup, field)), words)
    for field in ("sequence_tokens", "micro_batch", "data_parallel_size", "lora_rank", "expert_parallel_size"):
        if getattr(setup, field) < 1:
            raise InputError(field, getattr(setup, field), "at least 1")
    if not divides(architecture, setup.tensor_parallel_size):
        heads = architecture.n_heads
        raise InputError(
            "tensor_parallel_size", setup.tensor_parallel_size, f"a divisor of {heads} heads and the widths"
        )
    most_experts = max(1, architecture.n_experts)
    if setup.expert_parallel_size > most_experts or setup.data_parallel_size % setup.expert_parallel_size:
        allowed = f"at most {most_experts} experts, and a divisor of the {setup.data_parallel_size} data parallel ranks"
        raise InputError("expert_parallel_size", setup.expert_parallel_size, allowed)
