"""What was measured, behind caches: the benchmarks page and everyone who quotes its answer ask here."""

import functools

import pandas as pd

from lib.choice import measured, mlperf, mlperf_view, nearest, operating_points, serving_view
from lib.choice.evidence import serving_pairs as like_for_like
from lib.choice.measured import Finding
from lib.choice.mlperf_view import MlperfView
from lib.choice.nearest import NearestPair
from lib.choice.scenario import Scenario, Workload
from lib.choice.serving_view import MeasuredModel, ServingView
from lib.present import benchmark_tables, benchmarks
from lib.present.text import Words, words
from lib.ui import cached

Parts = tuple[str, ...]
Test = tuple[str, str, str]
"""MLPerf model, scenario and round asked for; "" chooses."""


def test_asked_for(scenario: Scenario) -> Test:
    """The MLPerf test that the reader chose, as far as chosen."""
    view = scenario.view
    return view.mlperf_model, view.mlperf_scenario, view.mlperf_round


@functools.lru_cache(maxsize=1)
def model_sizes() -> dict[str, float]:
    """Parameters of every model."""
    return {name: float(model.total_params) for name, model in cached.facts().models.items()}


@functools.lru_cache(maxsize=2)
def serving(publishers: str) -> pd.DataFrame:
    """The serving rows of some publishers."""
    return measured.from_publishers(cached.facts().measured["serving"], publishers)


@functools.lru_cache(maxsize=64)
def test(parts: Parts, model_id: str, asked: Test) -> MlperfView | None:
    """The MLPerf test in view."""
    model, scenario, round = asked
    frame = cached.facts().measured["mlperf_inference"]
    return mlperf_view.mlperf_view(
        frame, parts, model_id, model=model, scenario=scenario, round=round, total_params=model_sizes()
    )


@functools.lru_cache(maxsize=64)
def mlperf_pairs(part: str, base: str) -> pd.DataFrame:
    """MLPerf results of two parts beside each other."""
    return mlperf.mlperf_pairs(cached.facts().measured["mlperf_inference"], part, base)


@functools.lru_cache(maxsize=32)
def serving_pairs(part: str, base: str, publishers: str) -> pd.DataFrame:
    """Like-for-like pairs of two parts."""
    return like_for_like(serving(publishers), part, base)


@functools.lru_cache(maxsize=32)
def run_pairs(part: str, base: str, publishers: str) -> pd.DataFrame:
    """The same, one row a pair of runs, history left out."""
    return measured.run_pairs(serving_pairs(part, base, publishers))


@functools.lru_cache(maxsize=64)
def findings(parts: Parts, model_id: str, asked: Test, publishers: str) -> tuple[Finding, ...]:
    """What was measured of each part over the first."""
    base, *others = parts
    view = test(parts, model_id, asked)
    return tuple(
        measured.finding(serving_pairs(one, base, publishers), mlperf_pairs(one, base), one, base, model_id, view)
        for one in others
    )


@functools.lru_cache(maxsize=64)
def nearest_pair(part: str, base: str, workload: Workload, publishers: str) -> NearestPair | None:
    """The pair nearest to a workload."""
    model = cached.facts().models.get(workload.model)
    native = model.native_format if model is not None else ""
    frame = serving(publishers)
    return nearest.nearest(
        frame, workload.model, (part, base), workload, native_format=native, total_params=model_sizes()
    )


@functools.lru_cache(maxsize=16)
def runs(parts: Parts, publishers: str) -> pd.DataFrame:
    """Measured serving runs of every model of the catalogue on some parts, history left out."""
    return operating_points.operating_points(serving(publishers), "", parts)


@functools.lru_cache(maxsize=64)
def models(parts: Parts, publishers: str, model_id: str) -> tuple[MeasuredModel, ...]:
    """The models that were served on some parts."""
    return serving_view.measured_models(runs(parts, publishers), parts, model_id)


def charted(parts: Parts, workload: Workload, publishers: str, model: str, shape: str) -> ServingView | None:
    """The serving runs to chart: of the workload only model, task and lengths decide, so that load edits cost nothing."""
    close = nearest_pair(parts[1], parts[0], workload, publishers) if len(parts) > 1 else None
    nearest_model = close.pair["model_id"] if close is not None else ""
    asked = Workload(
        task=workload.task,
        model=workload.model,
        input_tokens=workload.input_tokens,
        output_tokens=workload.output_tokens,
    )
    return _charted(parts, asked, publishers, model, shape, nearest_model)


@functools.lru_cache(maxsize=64)
def _charted(
    parts: Parts, workload: Workload, publishers: str, model: str, shape: str, nearest_model: str
) -> ServingView | None:
    return serving_view.serving_view(
        runs(parts, publishers), parts, workload, model=model, shape=shape, nearest_model=nearest_model
    )


@functools.lru_cache(maxsize=32)
def serving_rows(parts: Parts, publishers: str, model_id: str, language: str) -> pd.DataFrame:
    """The rows of a model on some parts, history included, under the labels of the vocabulary."""
    frame = serving(publishers)
    own = frame[(frame["model_id"] == model_id) & frame["accelerator_id"].isin(parts)]
    return benchmark_tables.rows(cached.facts(), "serving", own, benchmark_tables.SERVING_FIELDS, words(language))


@functools.lru_cache(maxsize=16)
def training_rows(parts: Parts, language: str) -> pd.DataFrame:
    """MLPerf training results of some parts, under the labels of the vocabulary."""
    frame = cached.facts().measured["mlperf_training"]
    own = frame[frame["accelerator_id"].isin(parts)]
    fields = benchmark_tables.TRAINING_FIELDS
    return benchmark_tables.rows(cached.facts(), "mlperf_training", own, fields, words(language))


def answer(scenario: Scenario, _: Words) -> str:
    """The benchmarks page's answer for a scenario, in one sentence."""
    parts = cached.parts_from_base(scenario)
    names = tuple(part.accelerator_id for part in parts)
    workload, asked, publishers = scenario.workload, test_asked_for(scenario), scenario.view.publishers
    if len(names) < 2:
        return benchmarks.answer(parts, None, None, None, workload, cached.facts(), publishers, _)
    return benchmarks.answer(
        parts,
        findings(names, workload.model, asked, publishers)[0],
        nearest_pair(names[1], names[0], workload, publishers),
        test(names, workload.model, asked),
        workload,
        cached.facts(),
        publishers,
        _,
    )
