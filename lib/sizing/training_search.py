"""Inverse questions of training memory: fewest GPUs, the cheapest change, the longest sequence, the largest micro-batch."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lib.errors import LibError
from lib.records import Architecture, Doubt, WeightFormat
from lib.sizing.layouts import GPUS_PER_NODE
from lib.sizing.training import TrainingNeed, TrainingPlan, against, training_need, training_plan
from lib.sizing.training_activations import RECOMPUTES
from lib.sizing.training_setup import TrainingSetup
from lib.sizing.training_states import STAGES
from lib.units import GIB

MOST_TRAINING_GPUS: Final = 1024
"""Runs are searched up to so many GPUs where the user states no limit."""

LONGEST: Final = 16_777_216
"""Sequences are searched up to so many tokens."""

MOST_SEQUENCES: Final = 65_536
"""Micro-batches are searched up to so many sequences."""


@dataclass(frozen=True, slots=True)
class FewestTrainingGpus:
    """The fewest GPUs of a part that hold a training run, with how far the band moves that count."""

    gpus: int | None
    plan: TrainingPlan
    """On so many GPUs; the largest run tried where none holds it."""
    fewer: TrainingPlan | None
    """On the next smaller run, which does not hold it; None where the smallest one does."""
    hopeful_gpus: int | None
    """Activations and logits at the low end of their band."""
    certain_gpus: int | None
    """At the high end, with what PyTorch itself takes."""
    most_gpus: int


def training_needs(
    architecture: Architecture,
    setup: TrainingSetup,
    formats: Mapping[str, WeightFormat],
    most_gpus: int = MOST_TRAINING_GPUS,
) -> tuple[TrainingNeed, ...]:
    """What a setup needs on 1, 2, 4 ... copies of its tensor and pipeline parallel ranks, fewest GPUs first.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    setup : TrainingSetup
        How it is trained; its data parallel size is replaced.
    formats : Mapping[str, WeightFormat]
        The formats by their words.
    most_gpus : int
        The largest run.

    Returns
    -------
    tuple of TrainingNeed
        The same for every part; empty where not one copy stays within the limit.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.
    """
    found = []
    ranks = setup.expert_parallel_size
    while ranks * setup.model_gpus <= most_gpus:
        found.append(training_need(architecture, replace(setup, data_parallel_size=ranks), formats))
        ranks *= 2
    return tuple(found)


def fewest_of(needs: tuple[TrainingNeed, ...], memory_gib: float, most_gpus: int) -> FewestTrainingGpus | None:
    """The first of some needs that a part holds: needs are computed once for all parts.

    Parameters
    ----------
    needs : tuple of TrainingNeed
        From `training_needs`.
    memory_gib : float
        Memory as the runtime reports it [GiB].
    most_gpus : int
        The largest run.

    Returns
    -------
    FewestTrainingGpus or None
        None without needs.
    """
    if not needs:
        return None
    plans = [against(need, memory_gib) for need in needs]
    memory = memory_gib * GIB
    at = next((index for index, plan in enumerate(plans) if plan.holds), None)
    hopeful = next((need.setup.gpus for need in needs if need.total.low <= memory), None)
    certain = next((plan.gpus for plan in plans if plan.verdict == "fits"), None)
    if at is None:
        return FewestTrainingGpus(None, plans[-1], plans[-1], hopeful, certain, most_gpus)
    return FewestTrainingGpus(
        plans[at].gpus, plans[at], plans[at - 1] if at else None, hopeful, certain, most_gpus
    )  # fmt: skip


def largest_sequence(
    architecture: Architecture, memory_gib: float, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> int:
    """The longest sequence that a run holds with everything else as it is, an estimate.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    memory_gib : float
        Memory as the runtime reports it [GiB].
    setup : TrainingSetup
        How it is trained; its sequence is replaced.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    int
        Tokens; 0 where not one fits.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.
    """

    def holds(tokens: int) -> bool:
        return training_plan(architecture, memory_gib, replace(setup, sequence_tokens=tokens), formats).holds

    return _largest(holds, LONGEST)


def largest_micro_batch(
    architecture: Architecture, memory_gib: float, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> int:
    """The most sequences of one micro-batch that a run holds with everything else as it is, an estimate.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    memory_gib : float
        Memory as the runtime reports it [GiB].
    setup : TrainingSetup
        How it is trained; its micro-batch is replaced.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    int
        Sequences; 0 where not one fits.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.
    """

    def holds(sequences: int) -> bool:
        return training_plan(architecture, memory_gib, replace(setup, micro_batch=sequences), formats).holds

    return _largest(holds, MOST_SEQUENCES)


def _largest(holds: Callable[[int], bool], limit: int) -> int:
    """The largest number up to a limit of what shrinks as the number grows."""
    if not holds(1):
        return 0
    below, above = 1, 2
    while above <= limit and holds(above):
        below, above = above, above * 2
    above = min(above, limit + 1)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if holds(middle) else (below, middle)
    return below


def cheapest_change(
    architecture: Architecture, memory_gib: float, setup: TrainingSetup, formats: Mapping[str, WeightFormat]
) -> Doubt:
    """The first change, in the order of what it costs, that makes a run fit on as many GPUs.

    Parameters
    ----------
    architecture : Architecture
        Model by blocks.
    memory_gib : float
        Memory as the runtime reports it [GiB].
    setup : TrainingSetup
        A setup that does not fit.
    formats : Mapping[str, WeightFormat]
        The formats by their words.

    Returns
    -------
    Doubt
        Its code says what to change, its values to what: more sharding, sequence parallelism, smaller micro-batches,
        recomputation, tensor parallelism within a server, offload, adapters, a quantised base, shorter sequences; or
        that no single change is enough.

    Raises
    ------
    InputError
        The setup cannot be.
    UnknownNameError
        An accounting, or a format of a frozen base, that nobody knows.
    """
    training_need(architecture, setup, formats)
    for changed, change in _changes(setup):
        try:
            found = training_plan(architecture, memory_gib, changed, formats)
        except LibError:  # the accounting does not state the changed setup
            continue
        if found.holds:
            return change
    shorter = largest_sequence(architecture, memory_gib, setup, formats)
    if shorter:
        return Doubt("change-sequence", {"tokens": shorter})
    return Doubt("no-training-change", {})


def _changes(setup: TrainingSetup) -> Iterator[tuple[TrainingSetup, Doubt]]:
    """One thing changed at a time: what costs communication, then time, then quality."""
    for stage in STAGES[setup.accounting]:
        if stage > setup.zero_stage and setup.data_parallel_size > 1:
            yield replace(setup, zero_stage=stage), Doubt("change-zero", {"stage": stage})
    if setup.tensor_parallel_size > 1 and not setup.sequence_parallel:
        yield replace(setup, sequence_parallel=True), Doubt("change-sequence-parallel", {})
    if setup.micro_batch > 1:
        yield replace(setup, micro_batch=1), Doubt("change-micro-batch", {"sequences": 1})
    for mode in RECOMPUTES[RECOMPUTES.index(setup.recompute) + 1 :]:
        yield replace(setup, recompute=mode), Doubt("change-recompute", {"mode": mode})
    size = setup.tensor_parallel_size * 2
    while size <= GPUS_PER_NODE and setup.gpus % (size * setup.pipeline_parallel_size) == 0:
        ranks = setup.gpus // (size * setup.pipeline_parallel_size)
        wider = replace(setup, tensor_parallel_size=size, sequence_parallel=True, data_parallel_size=ranks)
        yield wider, Doubt("change-tensor-parallel", {"size": size})
        size *= 2
    if setup.offload == "none":
        yield replace(setup, offload="optimizer"), Doubt("change-offload", {"what": "optimizer"})
    if setup.offload != "all":
        yield replace(setup, offload="all", zero_stage=3), Doubt("change-offload", {"what": "all"})
    if setup.method == "full":
        yield replace(setup, method="lora"), Doubt("change-lora", {"rank": setup.lora_rank})
    if setup.method != "qlora":
        yield replace(setup, method="qlora"), Doubt("change-qlora", {"rank": setup.lora_rank})
