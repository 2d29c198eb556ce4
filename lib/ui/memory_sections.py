"""What lies behind the memory page's answer, one section at a time: only the one that is chosen is computed."""

import functools
from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from lib.choice.memory_view import PartMemory
from lib.choice.scenario import changed, choices
from lib.present import memory, memory_method, memory_sources, memory_table, memory_validation, model_table, names
from lib.present.figures import memory as figures
from lib.present.figures import memory_validation as validation_figures
from lib.ui import cached, custom_model, own_part, show, state

PATH: Final = ("view", "memory_section")


def detail(parts: Sequence[PartMemory]) -> None:
    """The choice of a section and the section chosen.

    Every section but the two forms of the reader's own speaks of parts that are drawn.
    """
    _ = state.text()
    chosen = state.bound(
        state.one_of,
        _("Look closer"),
        PATH,
        options=list(choices(PATH)),
        format_func=lambda word: memory_table.section_name(word, _),
    )
    sections: dict[str, Callable[[], None]] = {
        "models": _models,
        "parts": functools.partial(_part_by_part, parts),
        "map": _map,
        "rules": functools.partial(_rules, parts),
        "method": functools.partial(_method, parts),
        "logs": _logs,
        "sources": _sources,
        "own-model": custom_model.form,
        "own-part": own_part.form,
    }
    sections[chosen]()


def _models() -> None:
    """Every model of the catalogue on the parts compared."""
    _ = state.text()
    scenario = state.scenario()
    rows, columns = cached.every_model(scenario), cached.parts(scenario)
    names_of_parts = [part.short_name for part in columns]
    legend = model_table.legend(dark=show.dark())
    show.shaded_table(model_table.counts(rows, columns, _), names_of_parts, legend, key="memory.models")
    load = memory.load_phrase(scenario.workload, _)
    st.caption(model_table.caption(load, names.engine(scenario.engine.engine), _))
    frame = functools.partial(model_table.spreadsheet, rows, columns, _)
    show.download_csv(frame, "models-by-part.csv", key="memory.models.csv")


def _part_by_part(parts: Sequence[PartMemory]) -> None:
    _ = state.text()
    st.table(memory_table.side_by_side(parts, _), hide_index=True, border="horizontal")
    show.download_csv(memory_table.spreadsheet(parts, _), "memory.csv", key="memory.csv")


def _map() -> None:
    """Context against sequences, with each part's frontier."""
    _ = state.text()
    scenario = state.scenario()
    frontiers = cached.frontiers(scenario)
    show.chart(
        figures.frontier_chart(frontiers, cached.looks(show.dark()), scenario.workload, _, dark=show.dark()),
        alt=figures.frontier_title(frontiers, scenario.workload, _),
        caption=memory_sources.frontier_caption(cached.facts(), scenario.engine, scenario.workload, _),
        key="memory.frontier",
    )


def _rules(parts: Sequence[PartMemory]) -> None:
    _ = state.text()
    st.markdown(memory_method.rules_sentence(parts, _))
    st.table(memory_method.rules_table(parts, _), hide_index=True, border="horizontal")


def _method(parts: Sequence[PartMemory]) -> None:
    """The equations with the numbers of one part put in."""
    _ = state.text()
    facts, scenario = cached.facts(), state.scenario()
    workload = scenario.workload
    known = [part.accelerator.accelerator_id for part in figures.shown(parts)]
    chosen = state.bound_to(
        st.selectbox,
        _("Part whose numbers are put in"),
        "view.memory_part",
        lambda record: record.view.memory_part if record.view.memory_part in known else known[0],
        lambda record, name: changed(record, ("view", "memory_part"), name),
        options=known,
        format_func=lambda name: facts.accelerators[name].short_name,
    )
    taken_apart = cached.breakdown(scenario, chosen)
    if taken_apart is None:
        return
    for line in memory_method.equations(taken_apart, facts.accelerators[chosen], workload, _):
        st.markdown(line)
    component_note = memory_method.component_note(taken_apart, cached.model_memory(scenario), _)
    st.markdown(_("**Weights by block.**") + " " + component_note)
    st.table(memory_method.component_table(taken_apart, _), hide_index=True, border="horizontal")
    st.markdown(_("**Cache of one sequence by layer group.**"))
    st.table(memory_method.group_table(taken_apart, _), hide_index=True, border="horizontal")


def _logs() -> None:
    """Predicted against logged, case by case."""
    _ = state.text()
    found = cached.memory_errors()
    show.chart(
        validation_figures.chart(found, _, dark=show.dark()),
        alt=memory_validation.finding(found, _),
        caption=memory_validation.wrong(found, _),
        key="memory.validation.chart",
    )
    cases = memory_validation.table(cached.facts(), found, _)
    show.table(cases, columns=show.number_columns(cases), file_name="memory-cases.csv", key="memory.cases")


def _sources() -> None:
    _ = state.text()
    scenario = state.scenario()
    model, parts = cached.model_memory(scenario), cached.parts(scenario)
    table = memory_sources.sources(cached.facts(), scenario.workload, model, parts, _)
    show.table(table, file_name="memory-sources.csv", key="memory.sources")
