"""Library calls behind caches: pages ask here, and a rerun computes only what the edit changed."""

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import Final

import lib
from lib import catalog
from lib.catalog import Catalog
from lib.choice import costed, memory_breakdown, memory_view, presets, provenance
from lib.choice.scenario import Language, Scenario
from lib.present.figures import cost as cost_figures
from lib.present.figures import style
from lib.present.figures.style import Look
from lib.present.text import words
from lib.records import Accelerator

_SCRIPTS: Final = ("lib.__main__", "lib.ui.shell")
"""Modules that do something when they are imported."""

LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")

BASE_PART: Final = "h100-sxm"
"""What the others are measured against while the reader has not chosen: the part that most buyers know."""


def facts() -> Catalog:
    """The catalogue of this process."""
    return catalog.load()


@functools.lru_cache(maxsize=256)
def preset(preset_id: str, language: Language) -> Scenario:
    """The scenario of a preset in a language."""
    return presets.preset(facts(), preset_id, language)


def parts(scenario: Scenario) -> tuple[Accelerator, ...]:
    """The parts compared, each once, in the order of the scenario."""
    known = facts().accelerators
    return tuple(known[name] for name in dict.fromkeys(one.accelerator for one in scenario.candidates))


def parts_from_base(scenario: Scenario) -> tuple[Accelerator, ...]:
    """The parts compared, the one that the others are measured against first: H100 SXM unless the reader chose."""
    wanted = scenario.view.base or BASE_PART
    return tuple(sorted(parts(scenario), key=lambda part: part.accelerator_id != wanted))


@functools.lru_cache(maxsize=2)
def looks(dark: bool) -> dict[str, Look]:
    """How each part is drawn on a theme's ground."""
    return style.looks(facts().accelerators, dark=dark)


@functools.lru_cache(maxsize=1)
def origins() -> provenance.Provenance:
    """What the edition rests on."""
    return provenance.provenance(facts())


@functools.lru_cache(maxsize=1)
def source_uses() -> Mapping[str, Mapping[str, int]]:
    """Where each source is used."""
    return provenance.uses(facts())


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


def breakdown(scenario: Scenario, accelerator_id: str) -> memory_breakdown.Breakdown | None:
    """The plan of one part taken apart."""
    part = facts().accelerator(accelerator_id)
    return memory_breakdown.breakdown(facts(), scenario.workload, scenario.engine, part)


def warm() -> None:
    """Import every room, read the tables and draw each kind of trace, before the first visitor.

    What is allocated here is frozen afterwards; what a first visit would import is walked by each collection for ever.
    """
    import plotly.graph_objects

    for room in pkgutil.walk_packages(lib.__path__, "lib."):
        if room.name not in _SCRIPTS:
            importlib.import_module(room.name)
    for preset_id in facts().presets:
        for language in LANGUAGES:
            preset(preset_id, language)
    scenario = preset(presets.DEFAULT_PRESET, "en")
    options = costed.costed_all(facts(), scenario)
    for drawn in (
        cost_figures.cumulative_chart(options, looks(False), words("en"), dark=False),
        cost_figures.components_chart(options, words("zh"), dark=True),
    ):
        plotly.graph_objects.Figure(drawn).to_json()
