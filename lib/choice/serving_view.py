"""Which measured serving runs to show for some parts and a workload: one model, one shape, one metric."""

import collections
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from lib.choice.nearest import SAME_LOAD_FACTOR
from lib.choice.scenario import Workload
from lib.choice.sized import SERVING_TASKS
from lib.choice.table import Flags, Floats, combined
from lib.records import Doubt

OUTPUT: Final = "output_tokens_per_s_per_gpu"
TOTAL: Final = "total_tokens_per_s_per_gpu"
_UNSTATED_FACTOR: Final = 8.0
_FEW_RUNS: Final = 3
_SERIES: Final = (
    "accelerator_id", "source_id", "publisher", "weight_format", "kv_format", "engine", "engine_version",
    "accelerator_count", "tensor_parallel", "request_rate", "speculative", "dp_attention", "prefix_cache", "eager",
    "disaggregated", "date", "input_tokens", "output_tokens",
)  # fmt: skip
"""What is equal along a line: one deployment of one source, whose load alone changes."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Runs of about one prompt and answer length, within SAME_LOAD_FACTOR; 0 tokens where the source states none."""

    input_tokens: int
    output_tokens: int
    runs: int
    parts: tuple[str, ...]
    """Parts with the metric that covers most of them."""

    @property
    def code(self) -> str:
        """As it stands in a link: "4096x512"."""
        return f"{self.input_tokens}x{self.output_tokens}"

    @property
    def is_stated(self) -> bool:
        """Whether the source states both lengths."""
        return self.input_tokens > 0 and self.output_tokens > 0


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """One model with serving runs on the compared parts."""

    model_id: str
    runs: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServingView:
    """What is charted, what is not and why, and what else there is to choose."""

    model_id: str
    models: tuple[MeasuredModel, ...]
    shapes: tuple[Shape, ...]
    shape: Shape | None
    metric: str
    charted: pd.DataFrame
    """Runs of the shape with the metric, with `throughput` and `series`, in the order of a line."""
    latencies: pd.DataFrame
    """Those of them with a concurrency and both latencies, of one run and in one statistic."""
    runs: int
    """All runs of the model on the compared parts."""
    count_unstated: int
    """Runs of the model with a throughput of an unstated number of GPUs: not charted."""
    other_metric: int
    """Runs of the shape that report the other metric alone: not charted."""
    one_latency: int
    """Runs charted that report one latency alone: not among `latencies`."""
    doubts: tuple[Doubt, ...]


def measured_models(runs: pd.DataFrame, parts: Sequence[str], model_id: str) -> tuple[MeasuredModel, ...]:
    """The models that were served on some parts.

    Parameters
    ----------
    runs : DataFrame
        From `operating_points`.
    parts : sequence of str
        Accelerator ids in their order.
    model_id : str
        The workload's model, listed first where it was measured.

    Returns
    -------
    tuple of MeasuredModel
        Those with most parts, then most runs, first.
    """
    members: dict[str, list[str]] = {}
    for name, part in zip(runs["model_id"], runs["accelerator_id"], strict=True):
        members.setdefault(name, []).append(part)
    found = [
        MeasuredModel(name, len(rows), tuple(one for one in parts if one in set(rows)))
        for name, rows in members.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.model_id != model_id, -len(one.parts), -one.runs, one.model_id)))


def shapes(runs: pd.DataFrame, parts: Sequence[str]) -> tuple[Shape, ...]:
    """The shapes of some runs, lengths within SAME_LOAD_FACTOR of the most frequent one taken together.

    Parameters
    ----------
    runs : DataFrame
        Runs of one model with a throughput per GPU.
    parts : sequence of str
        Accelerator ids in their order.

    Returns
    -------
    tuple of Shape
        Those with most parts, then most runs, first.
    """
    asked, answered = _lengths(runs)
    part = runs["accelerator_id"].to_numpy(dtype=object)
    reported = [runs[one].notna().to_numpy() for one in (OUTPUT, TOTAL)]
    counts = collections.Counter(zip(asked.tolist(), answered.tolist(), strict=True))
    left = np.ones(len(runs), dtype=bool)
    found = []
    for centre in sorted(counts, key=lambda pair: (-counts[pair], pair)):
        inside = _alike(asked, centre[0]) & _alike(answered, centre[1])
        if not (inside & left & (asked == centre[0]) & (answered == centre[1])).any():
            continue  # within the lengths of a more frequent shape
        left &= ~inside
        covered = max((set(part[inside & one]) for one in reported), key=len)
        found.append(Shape(int(centre[0]), int(centre[1]), int(inside.sum()), tuple(p for p in parts if p in covered)))
    return tuple(sorted(found, key=lambda one: (-len(one.parts), -one.runs, one.input_tokens, one.output_tokens)))


def serving_view(
    runs: pd.DataFrame,
    parts: tuple[str, ...],
    workload: Workload,
    *,
    model: str = "",
    shape: str = "",
    nearest_model: str = "",
) -> ServingView | None:
    """The serving runs to chart for some parts and a workload.

    Parameters
    ----------
    runs : DataFrame
        From `operating_points`, of all models or some.
    parts : tuple of str
        Accelerator ids; the first two are what the reader compares.
    workload : Workload
        Its model and lengths decide where nothing was asked for.
    model, shape : str
        What was asked for: a model id, and lengths as in `Shape.code`; "" chooses.
    nearest_model : str
        Model of the nearest pair, taken where the workload's has no run.

    Returns
    -------
    ServingView or None
        None where no model was measured on these parts and the workload is not one that serves, or where the workload makes images and no model was asked for.

    Notes
    -----
    Of shapes those with stated lengths come first, then those with both of the first two parts, then those with most
    parts, then those with more than two runs, then the nearest to the workload (sum of absolute log2 ratios; a length
    not stated counts as eight). Output tokens are charted unless total tokens cover more parts: the two are never
    mixed. The workload's own model and lengths may be asked for where nothing was measured: then nothing is charted but
    what is computed. Codes of the doubts: model-fallback (`wanted`, `shown`: the model asked for has no run), unmeasured
    (`wanted`, `shown`: the workload's model has none), shape-fallback (`wanted`, `shown`).
    """
    models = measured_models(runs, parts, workload.model)
    known = {one.model_id for one in models}
    computes = workload.task in SERVING_TASKS
    if (not models and not computes) or (
        workload.task == "image" and model not in known and workload.model not in known
    ):
        return None
    doubts: list[Doubt] = []
    alone = computes and (not models or (model == workload.model and model not in known))
    shown = workload.model if alone else _model(model, workload.model, nearest_model, models, doubts)
    own = runs[runs["model_id"] == shown]
    per_gpu = own[OUTPUT].notna() | own[TOTAL].notna()
    whole = own["output_tokens_per_s"].notna() | own["total_tokens_per_s"].notna()
    chartable = own[per_gpu]
    options = shapes(chartable, parts)
    mine = _unmeasured(chartable, options, workload) if computes and shown == workload.model else None
    if mine is not None and (not options or shape == mine.code):
        chosen: Shape | None = mine
    else:
        chosen = _shape(shape, options, parts[:2], workload, doubts) if options else None
    inside = chartable if chosen is None else chartable[_is_like(chosen, *_lengths(chartable))]
    metric = _metric(inside)
    charted = _in_series(inside[inside[metric].notna()], metric, parts)
    loaded = charted["concurrency"].notna()
    both = charted["ttft_ms"].notna() & charted["tpot_ms"].notna() & (charted["ttft_stat"] == charted["tpot_stat"])
    either = charted["ttft_ms"].notna() | charted["tpot_ms"].notna()
    return ServingView(
        model_id=shown,
        models=models,
        shapes=options if mine is None else (*options, mine),
        shape=chosen,
        metric=metric,
        charted=charted,
        latencies=charted[both & loaded],
        runs=len(own),
        count_unstated=int((whole & ~per_gpu).sum()),
        other_metric=len(inside) - len(charted),
        one_latency=int((either & ~both & loaded).sum()),
        doubts=tuple(doubts),
    )


def efficient(rows: pd.DataFrame) -> Flags:
    """Where no other run of the same part gives both more tokens per GPU and more tokens to each sequence.

    Parameters
    ----------
    rows : DataFrame
        Charted runs with `throughput` [tokens/s/GPU] and `interactivity_tokens_per_s` [tokens/s].

    Returns
    -------
    ndarray of bool
        False too where a run reports no time per token.

    Notes
    -----
    Both figures of a run are its own. Formats, engines and GPU counts differ along the line.
    """
    each = rows["interactivity_tokens_per_s"].to_numpy(dtype=np.float64)
    whole = rows["throughput"].to_numpy(dtype=np.float64)
    part = rows["accelerator_id"].to_numpy(dtype=object)
    kept = np.isfinite(each)
    for name in set(part.tolist()):
        own = np.flatnonzero((part == name) & kept)
        best = -np.inf
        for place in own[np.lexsort((-whole[own], -each[own]))]:  # the most interactive first
            kept[place] = whole[place] > best
            best = max(best, whole[place])
    return np.asarray(kept)


def _model(wanted: str, own: str, nearest: str, models: Sequence[MeasuredModel], doubts: list[Doubt]) -> str:
    known = [one.model_id for one in models]
    if wanted in known:
        return wanted
    shown = next((one for one in (own, nearest) if one in known), known[0])
    if wanted:
        doubts.append(Doubt("model-fallback", {"wanted": wanted, "shown": shown}))
    elif shown != own:
        doubts.append(Doubt("unmeasured", {"wanted": own, "shown": shown}))
    return shown


def _shape(
    wanted: str, options: Sequence[Shape], lead: Sequence[str], workload: Workload, doubts: list[Doubt]
) -> Shape:
    """The shape asked for, or the nearest to the workload among those that compare most."""
    exact = next((one for one in options if one.code == wanted), None)
    if exact is not None:
        return exact
    best = min(
        options,
        key=lambda one: (
            not one.is_stated,
            not set(one.parts).issuperset(lead),
            -len(one.parts),
            one.runs < _FEW_RUNS,
            _apart(one.input_tokens, workload.input_tokens) + _apart(one.output_tokens, workload.output_tokens),
        ),
    )
    if wanted:
        lengths = [float(one) for one in wanted.split("x")]
        near = next((one for one in options if _is_like(one, *(np.array([side]) for side in lengths)).any()), None)
        if near is not None:
            return near
        doubts.append(Doubt("shape-fallback", {"wanted": wanted, "shown": best.code}))
    return best


def _unmeasured(runs: pd.DataFrame, options: Sequence[Shape], workload: Workload) -> Shape | None:
    """The workload's own lengths where no shape that was measured stands for them."""
    lengths = float(workload.input_tokens), float(workload.output_tokens)
    if any(_is_like(one, *(np.array([side]) for side in lengths)).any() for one in options):
        return None
    mine = Shape(workload.input_tokens, workload.output_tokens, 0, ())
    return replace(mine, runs=int(_is_like(mine, *_lengths(runs)).sum()))


def _metric(rows: pd.DataFrame) -> str:
    """Output tokens, unless total tokens cover more parts."""
    part = rows["accelerator_id"].to_numpy(dtype=object)
    return max((OUTPUT, TOTAL), key=lambda one: len(set(part[rows[one].notna().to_numpy()])))


def _in_series(rows: pd.DataFrame, metric: str, parts: Sequence[str]) -> pd.DataFrame:
    """Runs with their throughput and the line that they stand on, in the order of parts, lines and load."""
    codes = [pd.factorize(rows[name].to_numpy(), use_na_sentinel=True)[0].astype(np.int64) for name in _SERIES]
    series = combined([(one, int(one.max(initial=0)) + 1) for one in codes])
    place: Mapping[str, int] = {one: index for index, one in enumerate(parts)}
    order = np.lexsort(
        (rows["concurrency"].to_numpy(), series, np.array([place[one] for one in rows["accelerator_id"]], dtype=int))
    )
    return rows.assign(throughput=rows[metric], series=series).iloc[order].reset_index(drop=True)


def _lengths(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Lengths of prompt and answer, 0 where not stated."""
    asked, answered = (rows[name].fillna(0).to_numpy(dtype=np.float64) for name in ("input_tokens", "output_tokens"))
    return asked, answered


def _is_like(shape: Shape, asked: Floats, answered: Floats) -> Flags:
    return _alike(asked, shape.input_tokens) & _alike(answered, shape.output_tokens)


def _alike(lengths: Floats, other: float) -> Flags:
    """Where lengths count as the same as another; one not stated (0) is like another not stated alone."""
    return np.asarray(np.maximum(lengths, other) <= SAME_LOAD_FACTOR * np.minimum(lengths, other))


def _apart(measured: float, wanted: float) -> float:
    return abs(float(np.log2(measured / wanted))) if measured else float(np.log2(_UNSTATED_FACTOR))
