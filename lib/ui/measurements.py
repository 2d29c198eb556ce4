"""What was measured, behind caches: the benchmarks page and everyone who quotes its answer ask here.

The catalogue's rows are shared by all visitors; a visitor with rows of his own has a set of his own, which his session
holds and nobody else sees.
"""

import functools
from typing import Final

import pandas as pd
import streamlit as st

from lib.choice import (
    evidence_classes,
    matching,
    measured,
    mlperf,
    mlperf_view,
    nearest,
    operating_points,
    own_rows,
    serving_view,
)
from lib.choice import filters as filtering
from lib.choice import micro_view as micro
from lib.choice import training_view as training
from lib.choice.evidence import serving_pairs
from lib.choice.evidence_classes import ClassGroup, Contrast, Trend
from lib.choice.filters import Filters
from lib.choice.measured import Finding
from lib.choice.mlperf_view import MlperfView
from lib.choice.nearest import NearestPair
from lib.choice.own_rows import OwnRows
from lib.choice.page_choices import View
from lib.choice.scenario import Scenario, Workload
from lib.choice.serving_view import MeasuredModel, ServingView
from lib.present import benchmark_notices, benchmark_tables, benchmarks
from lib.present import training as training_words
from lib.present.text import Words, words
from lib.ui import cached

Parts = tuple[str, ...]
Test = tuple[str, str, str]
"""MLPerf model, scenario and round asked for; "" chooses."""

_MINE: Final = "own_measurements"
_KEPT: Final = 64


class Serving:
    """Serving rows and what is asked of them; an answer is kept while its question is among the last asked."""

    def __init__(self, rows: pd.DataFrame, own: OwnRows | None = None) -> None:
        self.rows, self.own = rows, own
        self.engines = filtering.engines(rows)
        self.days = filtering.weeks(rows)
        self.pairs = functools.lru_cache(_KEPT)(self._pairs)
        self.run_pairs = functools.lru_cache(_KEPT)(self._run_pairs)
        self.throughput_pairs = functools.lru_cache(_KEPT)(self._throughput_pairs)
        self.model_pairs = functools.lru_cache(_KEPT)(self._model_pairs)
        self.finding = functools.lru_cache(_KEPT)(self._finding)
        self.pairs_in_view = functools.lru_cache(_KEPT)(self._pairs_in_view)
        self.nearest_pair = functools.lru_cache(_KEPT)(self._nearest_pair)
        self.class_groups = functools.lru_cache(_KEPT)(self._class_groups)
        self.runs = functools.lru_cache(_KEPT)(self._runs)
        self.kept_runs = functools.lru_cache(_KEPT)(self._kept_runs)
        self.models = functools.lru_cache(_KEPT)(self._models)
        self.view = functools.lru_cache(_KEPT)(self._view)

    def _pairs(self, part: str, base: str) -> pd.DataFrame:
        """Like-for-like pairs of two parts, unfiltered: a filter must not let the next nearest run take a place."""
        return serving_pairs(self.rows, part, base)

    def _throughput_pairs(self, part: str, base: str) -> pd.DataFrame:
        pairs = self.pairs(part, base)
        return pairs[pairs["metric_class"] == matching.THROUGHPUT]

    def _model_pairs(self, part: str, base: str, model_id: str) -> pd.DataFrame:
        pairs = self.throughput_pairs(part, base)
        return pairs[pairs["model_id"] == model_id]

    def _run_pairs(self, part: str, base: str) -> pd.DataFrame:
        return measured.run_pairs(self.pairs(part, base))

    def _pairs_in_view(self, part: str, base: str, filters: Filters) -> pd.DataFrame:
        """One row a pair of runs, history left out, as far as the filters keep them."""
        return filtering.kept_pairs(self.run_pairs(part, base), filters)

    def undated(self, part: str, base: str) -> int:
        """Pairs of runs without a date on either side."""
        return filtering.undated(self.run_pairs(part, base))

    def _finding(self, part: str, parts: Parts, model_id: str, asked: Test, filters: Filters) -> Finding:
        """What was measured of one part over the first; the test in view is that of all parts."""
        base = parts[0]
        pairs, view = self.model_pairs(part, base, model_id), test(parts, model_id, asked)
        ratios = self.finding(part, parts, model_id, asked, Filters()).mlperf if filters.any else None
        pairs = filtering.kept_pairs(pairs, filters)
        return measured.finding(pairs, mlperf_pairs(part, base), part, base, model_id, view, ratios)

    def findings(self, parts: Parts, model_id: str, asked: Test, filters: Filters) -> tuple[Finding, ...]:
        """What was measured of each part over the first."""
        return tuple(self.finding(one, parts, model_id, asked, filters) for one in parts[1:])

    def _nearest_pair(self, part: str, base: str, workload: Workload, filters: Filters) -> NearestPair | None:
        model = cached.facts().models.get(workload.model)
        native = model.native_format if model is not None else ""
        pairs = filtering.kept_pairs(self.throughput_pairs(part, base), filters)
        return nearest.nearest_of(pairs, workload.model, workload, native_format=native, total_params=model_sizes())

    def _class_groups(self, part: str, base: str, filters: Filters) -> tuple[ClassGroup, ...]:
        return evidence_classes.class_groups(self.pairs_in_view(part, base, filters), model_classes())

    def classed_pairs(self, part: str, base: str, filters: Filters) -> pd.DataFrame:
        """The pairs behind the groups, with the class of their model."""
        return evidence_classes.with_classes(self.pairs_in_view(part, base, filters), model_classes())

    def trend(self, part: str, base: str, filters: Filters) -> Trend:
        """The ratio over the dates of the runs."""
        return evidence_classes.trend(self.pairs_in_view(part, base, filters))

    def contrast(self, part: str, base: str, model_id: str, filters: Filters) -> Contrast | None:
        """One publisher's pairs of a model at few and at many requests."""
        pairs = self.pairs_in_view(part, base, filters)
        return evidence_classes.contrast(pairs[pairs["model_id"] == model_id])

    def _runs(self, parts: Parts) -> pd.DataFrame:
        """Measured runs of every model of the catalogue on some parts, history left out."""
        return operating_points.operating_points(self.rows, "", parts)

    def _kept_runs(self, parts: Parts, filters: Filters) -> pd.DataFrame:
        return filtering.kept_runs(self.runs(parts), filters)

    def _models(self, parts: Parts, filters: Filters, model_id: str) -> tuple[MeasuredModel, ...]:
        return serving_view.measured_models(self.kept_runs(parts, filters), parts, model_id)

    def charted(self, parts: Parts, workload: Workload, filters: Filters, view: View) -> ServingView | None:
        """The serving runs to chart: of the workload only model, task and lengths decide, so that load edits cost nothing."""
        close = self.nearest_pair(parts[1], parts[0], workload, filters) if len(parts) > 1 else None
        asked = Workload(
            task=workload.task,
            model=workload.model,
            input_tokens=workload.input_tokens,
            output_tokens=workload.output_tokens,
        )
        nearest_model = close.pair["model_id"] if close is not None else ""
        return self.view(parts, asked, filters, view.serving_model, view.serving_shape, nearest_model)

    def _view(
        self, parts: Parts, workload: Workload, filters: Filters, model: str, shape: str, nearest_model: str
    ) -> ServingView | None:
        return serving_view.serving_view(
            self.kept_runs(parts, filters), parts, workload, model=model, shape=shape, nearest_model=nearest_model
        )

    def table(self, parts: Parts, filters: Filters, model_id: str, _: Words) -> pd.DataFrame:
        """The rows of a model on some parts, history included, under the labels of the vocabulary."""
        own = self.rows[(self.rows["model_id"] == model_id) & self.rows["accelerator_id"].isin(parts)]
        kept = filtering.kept_runs(own, filters)
        return benchmark_tables.rows(cached.facts(), "serving", kept, benchmark_tables.SERVING_FIELDS, _)


@functools.lru_cache(maxsize=1)
def shared() -> Serving:
    """The catalogue's serving rows."""
    return Serving(cached.facts().measured["serving"])


def current() -> Serving:
    """The visitor's serving rows: the catalogue's, and his own behind them where he has some."""
    mine: Serving | None = st.session_state.get(_MINE)
    return mine if mine is not None else shared()


def take(own: OwnRows | None) -> None:
    """Put the visitor's own rows behind the catalogue's in his session, or take them out again."""
    if own is None:
        st.session_state.pop(_MINE, None)
        return
    st.session_state[_MINE] = Serving(own_rows.with_own(cached.facts().measured["serving"], own), own)


def test_asked_for(scenario: Scenario) -> Test:
    """The MLPerf test that the reader chose, as far as chosen."""
    view = scenario.view
    return view.mlperf_model, view.mlperf_scenario, view.mlperf_round


@functools.lru_cache(maxsize=1)
def model_sizes() -> dict[str, float]:
    """Parameters of every model."""
    return {name: float(model.total_params) for name, model in cached.facts().models.items()}


@functools.lru_cache(maxsize=1)
def model_classes() -> dict[str, str]:
    """Class of every model."""
    return evidence_classes.model_classes(cached.facts().models)


@functools.lru_cache(maxsize=_KEPT)
def test(parts: Parts, model_id: str, asked: Test) -> MlperfView | None:
    """The MLPerf test in view."""
    model, scenario, round = asked
    frame = cached.facts().measured["mlperf_inference"]
    return mlperf_view.mlperf_view(
        frame, parts, model_id, model=model, scenario=scenario, round=round, total_params=model_sizes()
    )


@functools.lru_cache(maxsize=_KEPT)
def mlperf_pairs(part: str, base: str) -> pd.DataFrame:
    """MLPerf results of two parts beside each other."""
    return mlperf.mlperf_pairs(cached.facts().measured["mlperf_inference"], part, base)


@functools.lru_cache(maxsize=_KEPT)
def training_test(parts: Parts, model_id: str, benchmark: str, round: str) -> training.TrainingTest | None:
    """The MLPerf Training test in view."""
    frame = cached.facts().measured["mlperf_training"]
    return training.training_test(frame, parts, model_id, benchmark=benchmark, round=round)


@functools.lru_cache(maxsize=_KEPT)
def thinness(parts: Parts) -> tuple[training.Thinness, ...]:
    """How much training throughput is published of each part."""
    return training.thinness(cached.facts().measured["training"], parts)


@functools.lru_cache(maxsize=_KEPT)
def rates(parts: Parts, number_format: str) -> training.Rates | None:
    """Achieved training rates beside the dense peak."""
    facts = cached.facts()
    return training.rates(facts.measured["training"], parts, facts.accelerators, number_format)


@functools.lru_cache(maxsize=_KEPT)
def micro_rows(parts: Parts, kind: micro.Kind, number_format: str) -> micro.MicroView:
    """Micro-benchmarks of one kind."""
    facts = cached.facts()
    return micro.micro_view(facts.measured["micro"], parts, facts.accelerators, kind, number_format)


@functools.lru_cache(maxsize=16)
def training_rows(parts: Parts, language: str) -> pd.DataFrame:
    """MLPerf training results of some parts, under the labels of the vocabulary."""
    frame = cached.facts().measured["mlperf_training"]
    fields = benchmark_tables.TRAINING_FIELDS
    own = frame[frame["accelerator_id"].isin(parts)]
    return benchmark_tables.rows(cached.facts(), "mlperf_training", own, fields, words(language))


def answer(scenario: Scenario, _: Words) -> str:
    """The benchmarks page's answer for a scenario, in one sentence."""
    parts = cached.parts_from_base(scenario)
    names = tuple(part.accelerator_id for part in parts)
    workload, asked, facts = scenario.workload, test_asked_for(scenario), cached.facts()
    if benchmark_notices.trains(workload):
        view = scenario.view
        found = training_test(names, workload.model, view.training_benchmark, view.training_round)
        return training_words.answer(facts, found, thinness(names), names, _)
    filters, serving = filtering.of_view(scenario.view), current()
    if len(names) < 2:
        return benchmarks.answer(parts, None, None, None, workload, facts, filters, None, _)
    return benchmarks.answer(
        parts,
        serving.finding(names[1], names, workload.model, asked, filters),
        serving.nearest_pair(names[1], names[0], workload, filters),
        test(names, workload.model, asked),
        workload,
        facts,
        filters,
        serving.contrast(names[1], names[0], workload.model, filters),
        _,
    )
