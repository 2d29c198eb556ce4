"""How long a training run takes and what it is worth: published rates of training, and what the data cannot support."""

import functools
import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from lib.catalog import Catalog
from lib.choice.scenario import Workload
from lib.choice.sized import architecture_of
from lib.choice.table import records
from lib.choice.training_memory import TRAINING_TASKS, setup_of
from lib.choice.training_view import scaling_efficiency
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Doubt
from lib.sizing.training import against, training_need
from lib.units import SECONDS_PER_HOUR

LEAST_ROWS: Final = 3
"""Fewer published rates make no interval."""

QUANTILES: Final = (0.1, 0.5, 0.9)
TERA: Final = 1e12
BILLION: Final = 1_000_000_000

_FLOPS_PER_PARAMETER: Final = 6
_NARROW: Final = ("fp8", "mxfp8", "nvfp4")


@dataclass(frozen=True, slots=True)
class TrainingRate:
    """Published model TFLOPS of one part in one number format: 10th, 50th and 90th percentile, rows and publishers."""

    low: float
    middle: float
    high: float
    rows: int
    publishers: tuple[str, ...]
    interests: tuple[str, ...]
    most_gpus: int


@dataclass(frozen=True, slots=True)
class MeasuredScaling:
    """MLPerf times of one part at two sizes: efficiency in all and for each doubling."""

    benchmark: str
    round: str
    submitter: str
    few: int
    many: int
    efficiency: float
    per_doubling: float


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A run on one part: whether its memory holds it, its tokens per second as an interval, and what was not known.

    Doubts: no-training-rate {rows}, no-scaling, adapters-not-modelled, config {reason}.
    """

    accelerator: Accelerator
    gpus: int
    verdict: str
    """fits, fits-only-if, does-not-fit; "" where memory gives no answer."""
    rate: TrainingRate | None
    scaling: MeasuredScaling | None
    flops_per_token: float | None
    tokens_per_s: tuple[float, float, float] | None
    doubts: tuple[Doubt, ...]

    @property
    def hours_per_billion(self) -> tuple[float, float, float] | None:
        """Hours that a billion tokens take: at the high, the middle and the low rate."""
        if self.tokens_per_s is None:
            return None
        low, middle, high = self.tokens_per_s
        return tuple(BILLION / one / SECONDS_PER_HOUR for one in (high, middle, low))  # type: ignore[return-value]


def training_flops_per_token(active_parameters: float, layers: int, width: int, sequence_tokens: int) -> float:
    """Model FLOPs of one token of full training, attention under a causal mask included (exact for dense layers).

    F = 6 N + 6 L w s

    Parameters
    ----------
    active_parameters : float
        Parameters that a token passes through.
    layers : int
        Layers with attention.
    width : int
        Hidden size: heads times their width in most models.
    sequence_tokens : int
        Length of a sequence [tokens].

    Returns
    -------
    float
        Forward and backward [FLOPs per token]; what recomputation adds is no model FLOP.

    Notes
    -----
    Published rates count attention whole (12 L w s) or under the mask; on short sequences both are small beside 6 N.

    Examples
    --------
    Llama 3.1 8B at 8,192 tokens: 48.2 GFLOPs of weights and 6.4 of attention a token.

    >>> round(training_flops_per_token(8.03e9, 32, 4096, 8192) / 1e9, 1)
    54.6

    References
    ----------
    arXiv:2204.02311, appendix B
    """
    return _FLOPS_PER_PARAMETER * active_parameters + _FLOPS_PER_PARAMETER * layers * width * sequence_tokens


def training_run(catalog: Catalog, workload: Workload, accelerator: Accelerator, gpus: int) -> TrainingRun | None:
    """A training workload on some GPUs of a part (estimate).

    tokens per second = GPUs x TFLOPS x efficiency / FLOPs per token

    Parameters
    ----------
    catalog : Catalog
        The edition: its published rates and MLPerf times.
    workload : Workload
        A training workload.
    accelerator : Accelerator
        The part.
    gpus : int
        GPUs of the run.

    Returns
    -------
    TrainingRun or None
        None for a workload that is no training.

    Notes
    -----
    The rate is that of published rows of the part in the workload's number format, dense models for a dense model, between
    the 10th and the 90th percentile; with fewer than three rows there is none. From the largest run among those rows on,
    each doubling costs what MLPerf Training shows of the part; without two sizes of one submitter nothing is deducted, and
    the doubt no-scaling says so.
    """
    if workload.task not in TRAINING_TASKS:
        return None
    try:
        architecture = architecture_of(catalog, workload)
    except LibError as error:
        return _without(accelerator, gpus, Doubt("config", {"reason": error.why}))
    verdict = _verdict(catalog, workload, architecture, accelerator, gpus)
    if workload.training_method != "full":
        return TrainingRun(
            accelerator, gpus, verdict, None, None, None, None, (Doubt("adapters-not-modelled", {}),)
        )  # fmt: skip
    narrow = workload.weight_format.startswith(_NARROW)
    rate = _rate(catalog, accelerator.accelerator_id, narrow, bool(architecture.n_experts))
    scaling = _scaling(catalog, accelerator.accelerator_id)
    active, layers = architecture.active_parameters, architecture.layers
    flops = training_flops_per_token(active, layers, architecture.hidden_size, workload.input_tokens)
    if isinstance(rate, int):
        doubts = (Doubt("no-training-rate", {"rows": rate}),)
        return TrainingRun(accelerator, gpus, verdict, None, scaling, flops, None, doubts)
    doublings = max(math.log2(gpus / max(rate.most_gpus, 1)), 0.0)
    share = 1.0 if scaling is None else min(scaling.per_doubling, 1.0) ** doublings
    found = tuple(gpus * one * TERA * share / flops for one in (rate.low, rate.middle, rate.high))
    missing = () if scaling is not None or not doublings else (Doubt("no-scaling", {}),)
    return TrainingRun(accelerator, gpus, verdict, rate, scaling, flops, found, missing)  # type: ignore[arg-type]


def _without(accelerator: Accelerator, gpus: int, doubt: Doubt) -> TrainingRun:
    return TrainingRun(accelerator, gpus, "", None, None, None, None, (doubt,))


@functools.lru_cache(maxsize=256)
def _verdict(
    catalog: Catalog, workload: Workload, architecture: Architecture, accelerator: Accelerator, gpus: int
) -> str:
    """Whether so many GPUs of the part hold the run; "" where its layout does not divide them or memory is not known."""
    memory = accelerator.memory_usable_gib
    setup = setup_of(workload)
    ranks, rest = divmod(gpus, setup.model_gpus)
    if memory is None or rest or not ranks or ranks % setup.expert_parallel_size:
        return ""
    try:
        need = training_need(architecture, replace(setup, data_parallel_size=ranks), catalog.weight_formats)
    except LibError:
        return ""
    return against(need, memory).verdict


@functools.lru_cache(maxsize=512)
def _rate(catalog: Catalog, part: str, narrow: bool, has_experts: bool) -> TrainingRate | int:
    """Published rates of a part; the number of rows where they are too few."""
    frame = catalog.measured["training"]
    chosen = frame[(frame["accelerator_id"] == part) & (frame["metric"] == "tflops_per_gpu")]
    rows = records(
        chosen, ("publisher", "publisher_interest", "accelerator_count", "model_id", "number_format", "value")
    )  # fmt: skip
    kept = []
    for row in rows:
        model = catalog.models.get(str(row["model_id"]))
        word = str(row["number_format"])
        right_format = word.startswith(_NARROW) if narrow else word in ("bf16", "fp16")
        if right_format and bool(model is not None and model.routed_expert_params) == has_experts:
            kept.append(row)
    if len(kept) < LEAST_ROWS:
        return len(kept)
    low, middle, high = np.quantile([float(row["value"]) for row in kept], QUANTILES).tolist()
    largest = [int(row["accelerator_count"]) for row in kept if row["accelerator_count"] is not None]
    return TrainingRate(
        low,
        middle,
        high,
        len(kept),
        tuple(sorted({str(row["publisher"]) for row in kept})),
        tuple(sorted({str(row["publisher_interest"]) for row in kept})),
        max(largest, default=1),
    )


@functools.lru_cache(maxsize=128)
def _scaling(catalog: Catalog, part: str) -> MeasuredScaling | None:
    """The widest pair of sizes that one submitter has of the part in one MLPerf Training test of the newest round."""
    frame = catalog.measured["mlperf_training"]
    rows = records(
        frame[frame["accelerator_id"] == part],
        ("benchmark", "round", "submitter", "accelerator_count", "time_to_train_minutes"),
    )
    systems: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        times = systems.setdefault((str(row["benchmark"]), str(row["round"]), str(row["submitter"])), {})
        count, minutes = int(row["accelerator_count"]), float(row["time_to_train_minutes"])
        times[count] = min(minutes, times.get(count, math.inf))
    found = []
    for (benchmark, round_, submitter), times in systems.items():
        few, many = min(times), max(times)
        if few < many:
            efficiency = scaling_efficiency(times[few], few, times[many], many)
            per_doubling = efficiency ** (1 / math.log2(many / few))
            found.append(MeasuredScaling(benchmark, round_, submitter, few, many, efficiency, per_doubling))
    newest = {one.benchmark: max(other.round for other in found if other.benchmark == one.benchmark) for one in found}
    kept = [one for one in found if "llama" in one.benchmark and one.round == newest[one.benchmark]] or found
    return max(kept, key=lambda one: (one.many / one.few, one.round), default=None)
