"""Does my model fit, and on how many? Fewest GPUs under two rules, what one GPU holds, and what limits it."""

import streamlit as st

from lib.choice.scenario import CUSTOM_MODEL
from lib.choice.sized import SERVING_TASKS
from lib.choice.training_memory import TRAINING_TASKS
from lib.present import memory, memory_model, memory_sources, memory_table, memory_validation
from lib.present.figures import memory as figures
from lib.ui import cached, custom_model, inputs, memory_sections, memory_training, own_part, show, state

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
remarks = memory.remarks(parts, _) if workload.task in SERVING_TASKS else ""
if remarks:
    st.markdown(remarks)
if drawn:
    memory_sections.detail(parts)
    st.caption(memory_validation.footer(cached.memory_errors(), scenario.engine, _))
else:
    custom_model.expander()
    own_part.expander()
show.next_steps([("benchmarks", _("How fast is it?")), ("cost", _("What does it cost?"))])
