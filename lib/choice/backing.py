"""What measurements stand behind a candidate: pairs of its part with the base part, for the model that is run."""

import functools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice import mlperf
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT, PairGroup, Summary, serving_pairs, summary
from lib.choice.matching import THROUGHPUT
from lib.choice.nearest import NearestPair, nearest_of
from lib.choice.scenario import Scenario, Workload
from lib.choice.sized import SERVING_TASKS

BASE_PART: Final = "h100-sxm"
"""What the others are measured against while the reader has not chosen: the part that most buyers know."""

NO_PAIRS: Final = Summary(0, 0, 0, ())


@dataclass(frozen=True, slots=True)
class MlperfBacking:
    """Best results of two parts in the same tests of one benchmark: how many tests, and the range of their ratio."""

    benchmark: str
    is_own_model: bool
    tests: int
    low: float
    high: float
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backing:
    """Measured pairs of one part with another for one model: all of them, those to read first, and MLPerf."""

    accelerator_id: str
    base_id: str
    serving: Summary
    mlperf: MlperfBacking | None

    @property
    def leading(self) -> PairGroup | None:
        """Throughput per GPU: at equal counts where there are such pairs, in the same eager mode, not history."""
        kinds = ((EQUAL_COUNT, True), (OWN_COUNT, True), (EQUAL_COUNT, False), (OWN_COUNT, False))
        groups = (self.serving.group(kind, THROUGHPUT, eager_equal=eager) for kind, eager in kinds)
        return next((one for one in groups if one is not None), None)

    @property
    def pairs(self) -> int:
        """Throughput pairs of the present, all kinds."""
        return sum(one.pairs for one in self.serving.groups if one.metric_class == THROUGHPUT and not one.historical)


def base_part(scenario: Scenario) -> str:
    """The part that evidence is held against: the reader's, else H100 SXM, else the first candidate's.

    Parameters
    ----------
    scenario : Scenario
        Candidates and view.

    Returns
    -------
    str
        Accelerator id of one of the candidates.
    """
    parts = [one.accelerator for one in scenario.candidates]
    return next((one for one in (scenario.view.base, BASE_PART) if one in parts), parts[0])


def backing(catalog: Catalog, workload: Workload, accelerator_id: str, base_id: str, benchmark: str = "") -> Backing:
    """The measured pairs of two parts for a workload's model.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Names the model. Serving runs say nothing about training or images, and MLPerf Inference nothing about training.
    accelerator_id, base_id : str
        The two parts: ratios are the first over the second.
    benchmark : str
        MLPerf's name of the benchmark to fall back on where the model has none of its own; "" for none.

    Returns
    -------
    Backing
        Without pairs where the two are one part.
    """
    if accelerator_id == base_id:
        return Backing(accelerator_id, base_id, NO_PAIRS, None)
    serving = NO_PAIRS
    if workload.task in SERVING_TASKS:
        serving = _serving(catalog, workload.model, accelerator_id, base_id)
    elif workload.task != "image":
        return Backing(accelerator_id, base_id, NO_PAIRS, None)
    own = _mlperf(catalog, workload.model, "", accelerator_id, base_id)
    other = _mlperf(catalog, "", benchmark, accelerator_id, base_id) if own is None and benchmark else None
    return Backing(accelerator_id, base_id, serving, own or other)


def nearest_pair(catalog: Catalog, workload: Workload, accelerator_id: str, other_id: str) -> NearestPair | None:
    """The measured throughput pair of two parts that is nearest to a workload.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    accelerator_id, other_id : str
        The two parts: the ratio is the first over the second.

    Returns
    -------
    NearestPair or None
        None where the two are one part, or were never measured together.
    """
    if accelerator_id == other_id:
        return None
    asked = Workload(
        model=workload.model,
        config=workload.config,
        weight_format=workload.weight_format,
        input_tokens=workload.input_tokens,
        output_tokens=workload.output_tokens,
        concurrency=workload.concurrency,
    )  # only what the search reads, so that a change of anything else finds the same pair again
    return _nearest(catalog, asked, accelerator_id, other_id)


@functools.lru_cache(maxsize=512)
def _nearest(catalog: Catalog, workload: Workload, accelerator_id: str, other_id: str) -> NearestPair | None:
    known = catalog.models.get(workload.model)
    return nearest_of(
        _all_pairs(catalog, accelerator_id, other_id),
        workload.model,
        workload,
        native_format=known.native_format if known else "",
        total_params={name: float(one.total_params) for name, one in catalog.models.items()},
    )


@functools.lru_cache(maxsize=64)
def _all_pairs(catalog: Catalog, accelerator_id: str, other_id: str) -> pd.DataFrame:
    return serving_pairs(catalog.measured["serving"], accelerator_id, other_id)


@functools.lru_cache(maxsize=128)
def _rows_of(catalog: Catalog, model_id: str) -> pd.DataFrame:
    """The serving rows of a model, with only the words that they use: pairs are matched over words."""
    frame = catalog.measured["serving"]
    at = np.flatnonzero(frame["model_id"] == model_id)
    columns = {str(name): _taken(column.array, at) for name, column in frame.items()}
    return pd.DataFrame(columns, index=frame.index[at])


def _taken(values: Any, at: NDArray[np.intp]) -> Any:
    """Some cells of a column; pandas' own way of dropping unused words takes ten times as long."""
    if not isinstance(values, pd.Categorical):
        return values.take(at)
    used, codes = np.unique(values.codes[at], return_inverse=True)
    blank = int(used.size and used[0] < 0)
    return pd.Categorical.from_codes(codes - blank, values.categories[used[blank:]], validate=False)


@functools.lru_cache(maxsize=1024)
def _serving(catalog: Catalog, model_id: str, accelerator_id: str, base_id: str) -> Summary:
    rows = _rows_of(catalog, model_id)
    measured = set(rows["accelerator_id"])
    if not {accelerator_id, base_id} <= measured:
        return NO_PAIRS
    return summary(serving_pairs(rows, accelerator_id, base_id))


@functools.lru_cache(maxsize=64)
def _mlperf_rows(catalog: Catalog, model_id: str, benchmark: str) -> pd.DataFrame:
    """The results of a model, or of a benchmark by its own name."""
    frame = catalog.measured["mlperf_inference"]
    return frame[frame["model_id"] == model_id] if model_id else frame[frame["model"] == benchmark]


@functools.lru_cache(maxsize=1024)
def _mlperf(catalog: Catalog, model_id: str, benchmark: str, accelerator_id: str, base_id: str) -> MlperfBacking | None:
    """The tests of a model, or of a benchmark by its own name, in which both parts have a result."""
    rows = _mlperf_rows(catalog, model_id, benchmark)
    if not {accelerator_id, base_id} <= set(rows["accelerator_id"]):
        return None
    pairs = mlperf.mlperf_pairs(rows, accelerator_id, base_id)
    best = pairs[pairs["kind"] == mlperf.BEST]
    if best.empty:
        return None
    rounds = tuple(dict.fromkeys(map(str, best["round"])))
    name = str(best["model"].iloc[0])
    return MlperfBacking(
        name, bool(model_id), len(best), float(best["ratio"].min()), float(best["ratio"].max()), rounds
    )
