"""Does my model fit, and on how many? Fewest GPUs under two rules, what one GPU holds, and what limits it."""

import functools

import streamlit as st

from lib.choice.scenario import CUSTOM_MODEL, changed, choices
from lib.choice.sized import SERVING_TASKS
from lib.choice.training_memory import TRAINING_TASKS
from lib.present import (
    memory,
    memory_method,
    memory_model,
    memory_sources,
    memory_table,
    memory_validation,
    model_table,
    names,
)
from lib.present.figures import memory as figures
from lib.present.figures import memory_validation as validation_figures
from lib.ui import cached, custom_model, inputs, memory_training, own_part, show, state

_ = state.text()
facts = cached.facts()
scenario = state.scenario()
workload = scenario.workload
model = cached.model_memory(scenario)
parts = cached.memory(scenario)
title = _("Does my model fit, and on how many?")

if workload.task in TRAINING_TASKS:
    memory_training.section(title)
elif workload.task not in SERVING_TASKS:
    show.question(title, memory.not_modelled(facts, workload, model, _))
    show.metrics(memory.metrics(model, workload, (), _))
    if model.weights_bytes is not None:
        table = memory_table.weights_only(model, cached.parts(scenario), _)
        st.table(table, hide_index=True, border="horizontal")
        show.download_csv(table, "weights.csv", key="memory.weights.csv")
        st.caption(memory_sources.weights_caption(facts, model, _))
else:
    show.question(title, memory.answer(facts, workload, model, parts, _))
    show.metrics(memory.metrics(model, workload, parts, _))
    st.caption(memory_model.structure(model, workload, _))
if workload.model == CUSTOM_MODEL and model.architecture is not None and not model.architecture.native_format:
    st.info(_("The config does not tell its weight format: choose one in the sidebar; bf16 was taken first."))

drawn = figures.shown(parts)
if workload.task in SERVING_TASKS:
    inputs.task_choice()
    inputs.load_sliders()
if drawn:
    load = memory_model.conditions(facts, workload, scenario.engine, model, _)
    show.chart(
        figures.bar_chart(parts, cached.looks(show.dark()), load, _, dark=show.dark()),
        alt=memory.alternative(parts, _),
        caption=memory_sources.caption(facts, parts, _),
        key="memory.bars",
    )
if workload.task in SERVING_TASKS:
    if left_out := memory.not_counted(parts, _):
        st.markdown(_("**Without a count in one server**") + "\n\n- " + "\n- ".join(left_out))
if drawn:
    st.markdown(_("**How sure is this?**") + "\n\n- " + "\n- ".join(memory.reservations(parts, _)))
    section = state.bound(
        state.one_of,
        _("Show"),
        ("view", "memory_section"),
        options=list(choices(("view", "memory_section"))),
        format_func=lambda word: memory_table.section_name(word, _),
    )
    load = memory.load_phrase(workload, _)
    match section:
        case "models":
            rows, columns = cached.every_model(scenario), cached.parts(scenario)
            names_of_parts = [part.short_name for part in columns]
            legend = model_table.legend(dark=show.dark())
            show.shaded_table(model_table.counts(rows, columns, _), names_of_parts, legend, key="memory.models")
            st.caption(model_table.caption(load, names.engine(scenario.engine.engine), _))
            frame = functools.partial(model_table.spreadsheet, rows, columns, _)
            show.download_csv(frame, "models-by-part.csv", key="memory.models.csv")
        case "parts":
            st.table(memory_table.side_by_side(parts, _), hide_index=True, border="horizontal")
            show.download_csv(memory_table.spreadsheet(parts, _), "memory.csv", key="memory.csv")
        case "map":
            frontiers = cached.frontiers(scenario)
            show.chart(
                figures.frontier_chart(frontiers, cached.looks(show.dark()), workload, _, dark=show.dark()),
                alt=figures.frontier_title(frontiers, workload, _),
                caption=memory_sources.frontier_caption(facts, scenario.engine, workload, _),
                key="memory.frontier",
            )
        case "rules":
            st.markdown(memory_method.rules_sentence(parts, _))
            st.table(memory_method.rules_table(parts, _), hide_index=True, border="horizontal")

custom_model.expander()
own_part.expander()
if drawn:
    method = st.expander(_("How this is computed"), key="memory.method", on_change="rerun")
    if method.open:
        with method:
            known = [part.accelerator.accelerator_id for part in drawn]
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
            if taken_apart is not None:
                for line in memory_method.equations(taken_apart, facts.accelerators[chosen], workload, _):
                    st.markdown(line)
                st.markdown(_("**Weights by block.**") + " " + memory_method.component_note(taken_apart, model, _))
                st.table(memory_method.component_table(taken_apart, _), hide_index=True, border="horizontal")
                st.markdown(_("**Cache of one sequence by layer group.**"))
                st.table(memory_method.group_table(taken_apart, _), hide_index=True, border="horizontal")
    validation = show.details(_("Predicted against logged, case by case"), key="memory.validation")
    if validation.open:
        with validation:
            found = cached.memory_errors()
            show.chart(
                validation_figures.chart(found, _, dark=show.dark()),
                alt=memory_validation.finding(found, _),
                caption=memory_validation.wrong(found, _),
                key="memory.validation.chart",
            )
            cases = memory_validation.table(facts, found, _)
            show.table(cases, columns=show.number_columns(cases), file_name="memory-cases.csv", key="memory.cases")
    sources = show.details(_("Sources of these numbers"), key="memory.sources.open")
    if sources.open:
        with sources:
            show.table(
                memory_sources.sources(facts, workload, model, cached.parts(scenario), _),
                file_name="memory-sources.csv",
                key="memory.sources",
            )
    if thin := memory_validation.basis(cached.memory_errors(), scenario.engine, _):
        st.caption(thin)
    st.caption(memory_validation.footer(cached.memory_errors(), _))
show.next_steps([("benchmarks", _("How fast is it?")), ("cost", _("What does it cost?"))])
