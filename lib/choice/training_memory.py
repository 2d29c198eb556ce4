"""What the memory page asks of training: fewest GPUs of each part, the run of the scenario, what else would fit."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from lib.catalog import Catalog
from lib.choice.scenario import Workload
from lib.choice.sized import architecture_of
from lib.errors import InputError, LibError
from lib.records import Accelerator, Architecture, Doubt
from lib.sizing import training_search as search
from lib.sizing.layouts import domain_of
from lib.sizing.training import TrainingNeed, TrainingPlan, against, training_need
from lib.sizing.training_search import MOST_TRAINING_GPUS, FewestTrainingGpus
from lib.sizing.training_setup import TrainingSetup, check_setup

TRAINING_TASKS: Final = ("train", "finetune")

_NARROW: Final = ("fp8", "mxfp", "nvfp", "int", "nf4")
"""How formats below 16 bit begin: in full training they are formats of multiplications, not of what is kept."""


@dataclass(frozen=True, slots=True)
class PartTraining:
    """One part: the fewest GPUs that hold the run, the run of the scenario on it, and what else would fit there."""

    accelerator: Accelerator
    fewest: FewestTrainingGpus | None
    run: TrainingPlan | None
    """On the GPUs that the scenario states."""
    change: Doubt | None
    """The cheapest change that makes it fit: on the run's GPUs, or on the most that were tried."""
    longest_sequence: int | None
    """On the run's GPUs, or on the fewest."""
    largest_micro_batch: int | None
    doubts: tuple[Doubt, ...]
    """Reservations that come from the part; without `fewest` they say why there is no answer."""

    @property
    def gpus(self) -> int | None:
        """The headline: the fewest GPUs."""
        return self.fewest.gpus if self.fewest else None

    @property
    def drawn(self) -> TrainingPlan | None:
        """The plan that is drawn: on the fewest GPUs; where none holds it, the scenario's run or the largest tried."""
        if self.fewest is None:
            return None
        return self.fewest.plan if self.fewest.gpus or self.run is None else self.run

    @property
    def is_open(self) -> bool:
        """Whether the band moves the headline."""
        one = self.fewest
        return one is not None and one.gpus is not None and not one.hopeful_gpus == one.gpus == one.certain_gpus


@dataclass(frozen=True, slots=True)
class TrainingView:
    """A training workload on every part compared; without a setup that can be, `doubt` says why."""

    architecture: Architecture | None
    setup: TrainingSetup | None
    """With one data parallel rank."""
    whole_states_bytes: float
    """Model states of one copy with nothing sharded or offloaded, by the setup's accounting where it has such a count."""
    model_trained_parameters: int
    run_gpus: int | None
    most_gpus: int
    parts: tuple[PartTraining, ...]
    doubts: tuple[Doubt, ...]
    """Reservations that hold for every part."""
    doubt: Doubt | None


def setup_of(workload: Workload) -> TrainingSetup:
    """The setup that a workload states, with one data parallel rank.

    Parameters
    ----------
    workload : Workload
        A training workload: its input tokens are the length of a sequence.

    Returns
    -------
    TrainingSetup
        Not yet held against the model.
    """
    how = workload.setup
    return TrainingSetup(
        method=workload.training_method,
        sequence_tokens=workload.input_tokens,
        micro_batch=how.micro_batch,
        zero_stage=how.zero_stage,
        accounting=how.accounting,
        tensor_parallel_size=how.tensor_parallel_size,
        pipeline_parallel_size=how.pipeline_parallel_size,
        expert_parallel_size=how.expert_parallel_size,
        sequence_parallel=how.sequence_parallel,
        recompute=how.recompute,
        offload=how.offload,
        optimizer=how.optimizer,
        lora_rank=how.lora_rank,
        lora_targets=how.lora_targets,
        base_format=workload.weight_format,
        double_quantisation=how.double_quantisation,
    )


@functools.lru_cache(maxsize=256)
def training_view(
    catalog: Catalog, workload: Workload, parts: tuple[Accelerator, ...], gpu_limit: int | None = None
) -> TrainingView:
    """A training workload on some parts, an estimate with its range, sorted by the answer.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training workload.
    parts : tuple of Accelerator
        The parts compared.
    gpu_limit : int or None
        The most GPUs that may be had; None for a thousand, or as many as the run states.

    Returns
    -------
    TrainingView
        Fewest GPUs over data ranks in powers of two; parts with the fewest first.
    """
    run_gpus = workload.training_gpus
    most = gpu_limit or max(MOST_TRAINING_GPUS, run_gpus or 0)
    setup = setup_of(workload)

    def nothing(architecture: Architecture | None, doubt: Doubt) -> TrainingView:
        return TrainingView(architecture, None, 0.0, 0, run_gpus, most, (), (), doubt)

    try:
        architecture = architecture_of(catalog, workload)
    except LibError as error:
        return nothing(None, Doubt("config", {"reason": error.why}))
    try:
        check_setup(architecture, replace(setup, data_parallel_size=setup.expert_parallel_size))
        needs = search.training_needs(architecture, setup, catalog.weight_formats, most)
    except InputError as error:
        doubt = Doubt("input", {"field": error.field, "value": str(error.value), "allowed": error.allowed})
        return nothing(architecture, doubt)
    except LibError as error:
        return nothing(architecture, Doubt("config", {"reason": error.why}))
    if not needs:
        spans = setup.model_gpus * setup.expert_parallel_size
        return nothing(architecture, Doubt("training-over-limit", {"model_gpus": spans, "most_gpus": most}))
    run, misfit = _run(catalog, architecture, setup, run_gpus)
    whole = training_need(architecture, _plain(setup), catalog.weight_formats)
    found = [_part(catalog, architecture, needs, run, part, most) for part in parts]
    return TrainingView(
        architecture=architecture,
        setup=setup,
        whole_states_bytes=whole.held.states_bytes,
        model_trained_parameters=whole.model_trained_parameters,
        run_gpus=run_gpus,
        most_gpus=most,
        parts=tuple(sorted(found, key=_rank)),
        doubts=(*misfit, *_narrow(workload), *(run or needs[0]).doubts),
        doubt=None,
    )


def _rank(part: PartTraining) -> tuple[float, float]:
    slack = part.drawn.slack_bytes if part.drawn and part.drawn.slack_bytes is not None else float("-inf")
    return part.gpus or float("inf"), -slack


def _plain(setup: TrainingSetup) -> TrainingSetup:
    """One GPU with everything: DeepSpeed's estimator states no such count, the ZeRO paper's stands in."""
    return replace(
        setup, data_parallel_size=1, tensor_parallel_size=1, pipeline_parallel_size=1, expert_parallel_size=1,
        accounting="zero-paper" if setup.accounting == "deepspeed" else setup.accounting, zero_stage=0, offload="none",
    )  # fmt: skip


def _run(
    catalog: Catalog, architecture: Architecture, setup: TrainingSetup, gpus: int | None
) -> tuple[TrainingNeed | None, tuple[Doubt, ...]]:
    """What the scenario's own number of GPUs needs; a doubt where the layout does not divide it."""
    if gpus is None:
        return None, ()
    ranks, rest = divmod(gpus, setup.model_gpus)
    if rest or ranks % setup.expert_parallel_size or not ranks:
        shape = setup.model_gpus * setup.expert_parallel_size
        return None, (Doubt("training-run-size", {"gpus": gpus, "model_gpus": shape}),)
    return training_need(architecture, replace(setup, data_parallel_size=ranks), catalog.weight_formats), ()


def _narrow(workload: Workload) -> tuple[Doubt, ...]:
    """Full training in a narrow format keeps wide states."""
    if workload.training_method == "full" and workload.weight_format.startswith(_NARROW):
        return (Doubt("training-narrow-format", {"format": workload.weight_format}),)
    return ()


def _part(
    catalog: Catalog,
    architecture: Architecture,
    needs: tuple[TrainingNeed, ...],
    run: TrainingNeed | None,
    accelerator: Accelerator,
    most: int,
) -> PartTraining:
    memory = accelerator.memory_usable_gib
    if memory is None:
        return PartTraining(accelerator, None, None, None, None, None, (Doubt("unknown-memory", {}),))
    fewest = search.fewest_of(needs, memory, most)
    assert fewest is not None  # noqa: S101 (needs are never empty here)
    on_run = against(run, memory) if run else None
    formats = catalog.weight_formats
    change = None
    if on_run is not None and not on_run.holds:
        change = search.cheapest_change(architecture, memory, on_run.need.setup, formats)
    elif fewest.gpus is None:
        change = search.cheapest_change(architecture, memory, fewest.plan.need.setup, formats)
    asked = on_run or (fewest.plan if fewest.gpus else None)
    longest = most_sequences = None
    if asked is not None:
        longest = search.largest_sequence(architecture, memory, asked.need.setup, formats)
        most_sequences = search.largest_micro_batch(architecture, memory, asked.need.setup, formats)
    domain = domain_of(accelerator.gpus_per_node, accelerator.max_scale_up_gpus)
    wide = needs[0].setup.tensor_parallel_size > domain
    doubts = (Doubt("across-servers", {"domain": domain}),) if wide else ()
    return PartTraining(accelerator, fewest, on_run, change, longest, most_sequences, doubts)


def counted(parts: Sequence[PartTraining]) -> list[PartTraining]:
    """The parts that hold the run on some number of GPUs.

    Parameters
    ----------
    parts : sequence of PartTraining
        All parts.

    Returns
    -------
    list of PartTraining
        In their order.
    """
    return [part for part in parts if part.gpus is not None]
