"""Training memory of one GPU: states by a named accounting, the layer in work, activations with their band, logits."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lib.records import Architecture, Doubt, WeightFormat
from lib.sizing import training_activations as activations
from lib.sizing import weights
from lib.sizing.training_held import Held, held_by_stage
from lib.sizing.training_setup import TrainingSetup, check_setup
from lib.sizing.training_shape import BESIDE_MLP, StageShape, Widths, adapters, stage_shapes
from lib.units import GB, GIB

Verdict = Literal["fits", "fits-only-if", "does-not-fit", "unknown-memory"]

CONTEXT_GB: Final[tuple[float, float]] = (0.5, 2.0)
"""What PyTorch takes when it first uses the GPU, before any tensor (stas00-ml-engineering)."""


@dataclass(frozen=True, slots=True)
class Band:
    """An estimate with its ends [bytes]."""

    low: float
    base: float
    high: float

    def __add__(self, other: "Band") -> "Band":
        return Band(self.low + other.low, self.base + other.base, self.high + other.high)

    def times(self, factor: float) -> "Band":
        """So many times as much."""
        return Band(self.low * factor, self.base * factor, self.high * factor)


NOTHING: Final = Band(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class TrainingNeed:
    """What the fullest GPU of a setup needs, whatever part it is: every term of the sum."""

    setup: TrainingSetup
    stage: int
    """Pipeline stage that needs most, from 0."""
    stages: tuple[int, ...]
    """Layers of each stage."""
    held: Held
    activations: Band
    logits: Band
    total: Band
    layer: Band
    """Activation bytes per hidden value and layer, mean of the stage, unsplit: 34 in the published form for GPT."""
    micro_batches_held: int
    model_trained_parameters: int
    """Of the whole model: all, or the adapters'."""
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A need against the memory of a GPU: the verdict and its reason."""

    need: TrainingNeed
    memory_bytes: float | None
    verdict: Verdict
    reason: Doubt

    @property
    def gpus(self) -> int:
        """GPUs of the run."""
        return self.need.setup.gpus

    @property
    def holds(self) -> bool:
        """Whether the expected need fits."""
        return self.verdict in ("fits", "fits-only-if")

    @property
    def slack_bytes(self) -> float | None:
        """Memory that the expected need leaves; negative where it is short."""
        return None if self.memory_bytes is None else self.memory_bytes - self.need.total.base

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Reservations about the need."""
        return self.need.doubts


def training_plan(
    architecture: Architecture, memory_gib: float | None, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> TrainingPlan:
    """Whether a GPU of so much memory holds its share of a training run, an estimate with its band.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    memory_gib : float or None
        Memory as the runtime reports it [GiB]; None where nobody has reported it.
    setup : TrainingSetup
        How it is trained.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    TrainingPlan
        fits: even at the high end of the band and with what PyTorch itself takes; fits-only-if: at the base of the
        band; does-not-fit.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.
    """
    return against(training_need(architecture, setup, formats), memory_gib)


def against(need: TrainingNeed, memory_gib: float | None) -> TrainingPlan:
    """A need held against the memory of a GPU: one need serves every part.

    Parameters
    ----------
    need : TrainingNeed
        From `training_need`.
    memory_gib : float or None
        Memory as the runtime reports it [GiB]; None where nobody has reported it.

    Returns
    -------
    TrainingPlan
        With verdict and reason.
    """
    if memory_gib is None:
        return TrainingPlan(need, None, "unknown-memory", Doubt("unknown-memory", {}))
    memory = memory_gib * GIB
    states = need.held.states_bytes
    if states > memory:
        return TrainingPlan(
            need, memory, "does-not-fit", Doubt("training-states", {"short_gib": (states - memory) / GIB})
        )
    if need.total.base > memory:
        short = (need.total.base - memory) / GIB
        return TrainingPlan(need, memory, "does-not-fit", Doubt("training-tokens", {"short_gib": short}))
    over = need.total.high + CONTEXT_GB[1] * GB - memory
    if over > 0:
        return TrainingPlan(need, memory, "fits-only-if", Doubt("training-tight", {"short_gib": over / GIB}))
    return TrainingPlan(need, memory, "fits", Doubt("none", {}))


def training_need(
    architecture: Architecture, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> TrainingNeed:
    """Memory that training needs on the fullest GPU, an estimate with its band.

    total = weights + gradients + optimizer + adapters + layer being gathered + activations + logits

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    setup : TrainingSetup
        How it is trained.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    TrainingNeed
        Every term, of the pipeline stage that needs most.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.

    Notes
    -----
    The band is that of activations and logits: the published form at its low end, every tensor of the MLP's width at
    the base, one measured layer at the high end. What CUDA or ROCm, the communication library and the allocator take is
    not modelled and is a doubt. Context parallelism and losses computed in chunks are not modelled.

    References
    ----------
    arXiv 1910.02054; arXiv 2205.05198; arXiv 2106.09685; arXiv 2305.14314; deepspeed; megatron-lm;
    stas00-ml-engineering.
    """
    check_setup(architecture, setup)
    stages = setup.pipeline_parallel_size
    shapes = stage_shapes(architecture, stages)
    fullest: tuple[Band, Band, Band, int, Held] | None = None
    for stage, (held, shape) in enumerate(zip(held_by_stage(architecture, setup, formats), shapes, strict=True)):
        in_flight = activations.in_flight(stages, stage, setup.micro_batches)
        kept = _activations(architecture, setup, shape, in_flight)
        logits = _logits(architecture, setup) if stage == stages - 1 else NOTHING
        states = held.states_bytes
        total = Band(states, states, states) + kept + logits
        if fullest is None or total.base > fullest[2].base:
            fullest = kept, logits, total, stage, held
    assert fullest is not None  # noqa: S101 (there is at least one stage)
    kept, logits, total, stage, held = fullest
    layer = _layer(shapes[stage].mean)
    return TrainingNeed(
        setup=setup,
        stage=stage,
        stages=tuple(shape.layers for shape in shapes),
        held=held,
        activations=kept,
        logits=logits,
        total=total,
        layer=layer,
        micro_batches_held=activations.in_flight(stages, stage, setup.micro_batches),
        model_trained_parameters=(
            architecture.total_parameters
            if setup.method == "full"
            else adapters(architecture, setup.lora_rank, setup.lora_targets).parameters
        ),
        doubts=_doubts(architecture, setup, layer, held.offloaded_bytes),
    )


def _layer(widths: Widths) -> Band:
    return Band(
        BESIDE_MLP + widths.low,
        BESIDE_MLP + widths.base + widths.copies,
        BESIDE_MLP + widths.high + widths.copies,
    )


def _logits(architecture: Architecture, setup: TrainingSetup) -> Band:
    """In fp32 at the low end, with their 16-bit copy at base and high."""
    asked = setup.sequence_tokens, setup.micro_batch, architecture.vocab
    narrow, wide = (
        float(activations.logits_bytes(*asked, each, setup.tensor_parallel_size)) for each in activations.LOGIT_BYTES
    )
    return Band(narrow, wide, wide)


def _activations(architecture: Architecture, setup: TrainingSetup, shape: StageShape, in_flight: int) -> Band:
    """Activations of one stage: its layers times the micro-batches in flight; recomputed, their inputs and one layer."""
    count = float(in_flight * shape.layers)
    if setup.recompute != "full":
        return _one_layer(architecture, setup, shape.mean, setup.recompute).times(count)
    checkpoint = _checkpoint(architecture, setup)
    in_work = _one_layer(architecture, setup, shape.widest, "selective")
    # the layer in work holds its input already: that one is a checkpoint
    kept = checkpoint * (count - 1.0)
    return Band(kept, kept, kept) + in_work


def _checkpoint(architecture: Architecture, setup: TrainingSetup) -> float:
    return float(
        activations.bytes_per_layer(
            setup.sequence_tokens, setup.micro_batch, architecture.hidden_size, architecture.n_heads, "full",
            setup.tensor_parallel_size, sequence_parallel=setup.sequence_parallel,
        )
    )  # fmt: skip


def _one_layer(
    architecture: Architecture, setup: TrainingSetup, widths: Widths, recompute: activations.Recompute
) -> Band:
    """One layer of one micro-batch on one GPU; a token's copies to experts are no part of the published form."""
    size, along = setup.tensor_parallel_size, setup.sequence_parallel
    values = float(setup.sequence_tokens * setup.micro_batch * architecture.hidden_size)
    cut = size if along else 1
    low, base, high = (
        float(
            activations.bytes_per_layer(
                setup.sequence_tokens, setup.micro_batch, architecture.hidden_size, architecture.n_heads, recompute, size,
                sequence_parallel=along, mlp_bytes=mlp,
            )
        )
        for mlp in (widths.low, widths.base, widths.high)
    )  # fmt: skip
    # the widths' high end carries the measured excess of the whole layer, divided by the ranks as the MLP is; what
    # tensor parallelism leaves whole has its excess whole
    excess = (activations.MEASURED_RATIO - 1.0) * values * activations.NOT_SPLIT * (1.0 / cut - 1.0 / size)
    copies = widths.copies * values / cut
    return Band(low, base + copies, high + excess + copies)


def _doubts(architecture: Architecture, setup: TrainingSetup, layer: Band, offloaded: float) -> tuple[Doubt, ...]:
    found = [
        Doubt("training-workspace-not-modelled", {"low_gb": CONTEXT_GB[0], "high_gb": CONTEXT_GB[1]}),
        Doubt("activation-band", {"low": layer.low, "base": layer.base, "high": layer.high}),
        *_of_model(architecture),
    ]
    if setup.method != "full":
        own = adapters(architecture, setup.lora_rank, setup.lora_targets)
        if own.latent_left_out:
            found.append(Doubt("adapters-latent", {}))
        if own.experts_left_out:
            found.append(Doubt("adapters-experts", {}))
    if setup.pipeline_parallel_size > 1:
        layers = weights.stage_layers(architecture.layers, setup.pipeline_parallel_size)
        found.append(Doubt("stages", {"stages": layers}))
    if offloaded > 0:
        found.append(Doubt("host-memory", {"gib": offloaded / GIB}))
    if setup.sequence_tokens > architecture.max_context > 0:
        found.append(Doubt("beyond-context", {"max_context": architecture.max_context}))
    return tuple(found)


@functools.lru_cache(maxsize=1024)
def _of_model(architecture: Architecture) -> tuple[Doubt, ...]:
    """What sets a model apart from those that the activation forms were derived for."""
    found = []
    if 0 < architecture.n_kv_heads < architecture.n_heads:
        found.append(
            Doubt("activation-grouped-query", {"heads": architecture.n_heads, "kv_heads": architecture.n_kv_heads})
        )
    if any(group.kind in ("mla", "compressed", "state") for group in architecture.groups):
        found.append(Doubt("activation-other-attention", {}))
    if architecture.n_experts:
        found.append(Doubt("activation-experts", {"top_k": architecture.experts_per_token}))
    if architecture.vision_parameters:
        found.append(Doubt("activation-vision", {}))
    return tuple(found)
