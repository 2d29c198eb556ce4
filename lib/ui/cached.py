"""Library calls behind caches: pages ask here, and a rerun computes only what the edit changed."""

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from typing import Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

import lib
from lib import catalog, editions
from lib.catalog import Catalog
from lib.choice import (
    confidence,
    cost_view,
    edition_effects,
    flip_points,
    memory_breakdown,
    memory_validation,
    memory_view,
    model_table,
    own_parts,
    presets,
    provenance,
    recommend,
    scenario_difference,
    training_memory,
)
from lib.choice import estimate_errors as accuracy
from lib.choice import free_format as free_formats
from lib.choice.claims import judge
from lib.choice.claims.records import Judged
from lib.choice.scenario import Language, Scenario
from lib.present import report_pdf
from lib.present.figures import cost as cost_figures
from lib.present.figures import cost_spread, style
from lib.present.figures.style import Look
from lib.present.text import words
from lib.records import Accelerator
from lib.sizing import throughput

_SCRIPTS: Final = ("lib.__main__", "lib.ui.shell")
"""Modules that do something when they are imported."""

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")

BASE_PART: Final = "h100-sxm"
"""What the others are measured against while the reader has not chosen: the part that most buyers know."""


def edition_facts() -> Catalog:
    """The catalogue of this process, as data/ has it."""
    return catalog.load()


def facts() -> Catalog:
    """The catalogue that this visitor sees: data/, and the parts that the scenario states beside it."""
    if get_script_run_ctx(suppress_warning=True) is None or "scenario" not in st.session_state:
        return edition_facts()
    current: Scenario = st.session_state.scenario
    return own_parts.with_own_parts(edition_facts(), current.own_parts)


@functools.lru_cache(maxsize=256)
def preset(preset_id: str, language: Language) -> Scenario:
    """The scenario of a preset in a language."""
    return presets.preset(edition_facts(), preset_id, language)


def parts(scenario: Scenario) -> tuple[Accelerator, ...]:
    """The parts compared, each once, in the order of the scenario."""
    known = facts().accelerators
    return tuple(known[name] for name in dict.fromkeys(one.accelerator for one in scenario.candidates))


def parts_from_base(scenario: Scenario) -> tuple[Accelerator, ...]:
    """The parts compared, the one that the others are measured against first: H100 SXM unless the reader chose."""
    wanted = scenario.view.base or BASE_PART
    return tuple(sorted(parts(scenario), key=lambda part: part.accelerator_id != wanted))


def looks(dark: bool) -> dict[str, Look]:
    """How each part is drawn on a theme's ground."""
    return _looks(facts(), dark)


@functools.lru_cache(maxsize=8)
def _looks(known: Catalog, dark: bool) -> dict[str, Look]:
    return style.looks(known.accelerators, dark=dark)


@functools.lru_cache(maxsize=1)
def origins() -> provenance.Provenance:
    """What the edition rests on."""
    return provenance.provenance(edition_facts())


@functools.lru_cache(maxsize=1)
def source_uses() -> Mapping[str, Mapping[str, int]]:
    """Where each source is used."""
    return provenance.uses(edition_facts())


def model_memory(scenario: Scenario) -> memory_view.ModelMemory:
    """Weights and cache of the model in view."""
    return memory_view.model_memory(facts(), scenario.workload)


def memory(scenario: Scenario) -> tuple[memory_view.PartMemory, ...]:
    """The workload in view on every part compared, sorted by the answer."""
    return memory_view.parts_memory(facts(), scenario.workload, scenario.engine, parts(scenario))


def frontiers(scenario: Scenario) -> tuple[memory_view.Frontier, ...]:
    """The most sequences of each length on every part that has a replica, sorted by the answer."""
    asked = (facts(), scenario.workload, scenario.engine)
    found = (memory_view.frontier(*asked, one.accelerator) for one in memory(scenario))
    return tuple(one for one in found if one is not None)


def training(scenario: Scenario) -> training_memory.TrainingView:
    """The training workload in view on every part compared, sorted by the answer."""
    return training_memory.training_view(facts(), scenario.workload, parts(scenario), scenario.constraints.gpus)


def breakdown(scenario: Scenario, accelerator_id: str) -> memory_breakdown.Breakdown | None:
    """The plan of one part taken apart."""
    part = facts().accelerator(accelerator_id)
    return memory_breakdown.breakdown(facts(), scenario.workload, scenario.engine, part)


def every_model(scenario: Scenario) -> tuple[model_table.ModelRow, ...]:
    """Every model of the catalogue on the parts compared, under the load in view."""
    return model_table.model_table(facts(), scenario.workload, scenario.engine, parts(scenario))


def costs(scenario: Scenario) -> cost_view.CostView:
    """Costs, draws and comparison of every option of the scenario."""
    return cost_view.cost_view(facts(), scenario)


def claims() -> Mapping[str, Judged]:
    """Every claim of the articles with its verdict: the edition's facts decide, not a reader's own parts."""
    return judge.judge_all(edition_facts())


def recommendation(scenario: Scenario) -> recommend.Recommendation:
    """The answer for the workload in view."""
    return _recommendation(facts(), scenario)


@functools.lru_cache(maxsize=4)
def _recommendation(known: Catalog, scenario: Scenario) -> recommend.Recommendation:
    return recommend.recommend(known, scenario)


def free_format(found: recommend.Recommendation) -> free_formats.FreeFormat:
    """Every candidate of an answer in every weight format."""
    return _free_format(facts(), found)


@functools.lru_cache(maxsize=4)
def _free_format(known: Catalog, found: recommend.Recommendation) -> free_formats.FreeFormat:
    return free_formats.free_format(known, found)


def sureness(found: recommend.Recommendation) -> confidence.Confidence | None:
    """How often the winner stays first."""
    return confidence.confidence(facts(), found)


def difference(yours: Scenario, other: Scenario) -> scenario_difference.Difference:
    """What differs between two scenarios and their answers; the language of the other is nobody's input."""
    return _difference(edition_facts(), yours, other.model_copy(update={"language": yours.language}))


@functools.lru_cache(maxsize=4)
def _difference(known: Catalog, yours: Scenario, other: Scenario) -> scenario_difference.Difference:
    return scenario_difference.difference(known, yours, other)


def since_link(scenario: Scenario) -> edition_effects.EditionEffects | None:
    """What has changed since the edition that the link was made with."""
    return edition_effects.edition_effects(edition_facts(), editions.history(), scenario)


def memory_errors() -> memory_validation.MemoryValidation:
    """Predicted memory beside what logs state."""
    return memory_validation.memory_validation(edition_facts())


def estimate_errors() -> accuracy.EstimateErrors:
    """Predicted throughput beside measured runs of sources that were left out."""
    return accuracy.estimate_errors(edition_facts())


def warm() -> None:
    """Import every room, read the tables and draw each kind of trace, before the first visitor.

    What is allocated here is frozen afterwards; what a first visit would import is walked by each collection for ever.
    """
    import plotly.graph_objects

    for room in pkgutil.walk_packages(lib.__path__, "lib."):
        if room.name not in _SCRIPTS:
            importlib.import_module(room.name)
    inspect.stack()  # Streamlit asks for it at the first element of a process: 0.1 s to find the file of each module
    memory_errors()
    _recommendation(edition_facts(), preset(next(iter(edition_facts().presets)), "en"))
    report_pdf.families()
    editions.history()
    throughput.basis_of(edition_facts())
    for preset_id in facts().presets:
        for language in LANGUAGES:
            preset(preset_id, language)
    scenario = preset(presets.DEFAULT_PRESET, "en")
    view = costs(scenario)
    found = recommendation(scenario)
    flip_points.flip_points(edition_facts(), found)
    sureness(found)
    for drawn in (
        cost_figures.cumulative_chart(view, looks(False), words("en"), dark=False),
        cost_figures.components_chart(view, words("zh"), dark=True),
        cost_spread.spread_chart(view, looks(False), words("en"), dark=False),
    ):
        plotly.graph_objects.Figure(drawn).to_json()
