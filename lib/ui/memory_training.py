"""The memory page of a training workload: fewest GPUs of each part, how the run is set up, what else would fit."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from lib.choice.scenario import Path, Scenario, at, changed, choices
from lib.choice.training_memory import TrainingView
from lib.present import training_memory, training_memory_table, training_method
from lib.present import training_words as named
from lib.present.figures import training_memory as figures
from lib.ui import cached, inputs, show, state


def section(title: str) -> None:
    """Question, answer, controls, picture, table, doubts, method and sources of the training workload in view."""
    _ = state.text()
    scenario, facts = state.scenario(), cached.facts()
    workload = scenario.workload
    view = cached.training(scenario)
    answer = training_memory.answer(facts, workload, view, _)
    show.question(title, answer)
    show.metrics(training_memory.metrics(workload, view, _))
    inputs.task_choice()
    _controls(scenario)
    if figures.shown(view):
        show.chart(
            figures.bar_chart(
                view,
                cached.looks(show.dark()),
                training_method.conditions(facts, workload, _),
                _,
                dark=show.dark(),
            ),
            alt=training_memory.alternative(view, _),
            caption=training_method.caption(facts, workload, _),
            key="training.bars",
        )
    if view.parts:
        if missing := training_memory.not_held(view, _):
            st.markdown(_("**Where the run does not fit**") + "\n\n- " + "\n- ".join(missing))
        st.subheader(_("Part by part"))
        st.table(training_memory_table.side_by_side(view, _), hide_index=True, border="horizontal")
        show.download_csv(lambda: training_memory_table.spreadsheet(view, _), "training-memory.csv", key="training.csv")
        st.markdown(_("**How sure is this?**") + "\n\n- " + "\n- ".join(training_memory.reservations(view, _)))
        _method(scenario, view)


def _controls(scenario: Scenario) -> None:
    """What changes the answer most, in one row; the rest of the setup in an expander."""
    _ = state.text()
    here = ("workloads", scenario.workload_index)
    how = (*here, "training")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choice(_("Method"), (*here, "training_method"), lambda word: named.method(word, _))
        _bound(
            st.selectbox,
            _("Sharding"),
            (*how, "zero_stage"),
            options=[0, 1, 2, 3],
            format_func=named.sharding_name,
            help=_(
                "What data ranks share out: ZeRO-1 the optimizer, ZeRO-2 the gradients too, ZeRO-3 or FSDP the weights too. "
                "More sharding needs less memory on each GPU and more communication."
            ),
        )
        _choice(
            _("Recomputation"),
            (*how, "recompute"),
            lambda word: named.recompute(word, _),
            help=_("What is computed again need not be kept: whole layers again cost about a third more arithmetic."),
        )
        _number(_("Micro-batch"), (*how, "micro_batch"), _("Sequences that a GPU computes at once."))
        _number(
            _("GPUs of the run"),
            (*here, "training_gpus"),
            _("The run that you plan; blank to ask for the fewest only. Sequences are as long as the input tokens."),
        )
    more = show.details(_("More of the setup"), key="training.more")
    if more.open:
        with more:
            _more(how)


def _more(how: Path) -> None:
    _ = state.text()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choice(
            _("Accounting of the states"),
            (*how, "accounting"),
            lambda word: named.accounting(word, _),
            help=_(
                "Sources count differently: DeepSpeed's estimator knows ZeRO-2 and ZeRO-3, Megatron-LM plain data parallelism "
                "and its distributed optimizer (ZeRO-1)."
            ),
        )
        _choice(_("Optimizer"), (*how, "optimizer"), lambda word: named.optimizer(word, _))
        _choice(_("In the host's memory"), (*how, "offload"), lambda word: named.offload(word, _))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _number(_("Tensor parallel size"), (*how, "tensor_parallel_size"), _("GPUs that cut each layer."))
        _number(_("Pipeline stages"), (*how, "pipeline_parallel_size"), _("GPUs that share out the layers."))
        _number(
            _("Expert parallel size"), (*how, "expert_parallel_size"), _("Data ranks that share out whole experts.")
        )
        _bound(
            st.toggle,
            _("Sequence parallel"),
            (*how, "sequence_parallel"),
            help=_("Cuts along the sequence what tensor parallelism leaves whole."),
        )
    if state.scenario().workload.training_method != "full":
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _number(_("Rank of the adapters"), (*how, "lora_rank"), _("Width of each adapter."))
            _choice(_("Adapters on"), (*how, "lora_targets"), lambda word: named.targets(word, _))
            _bound(
                st.toggle,
                _("Double quantisation"),
                (*how, "double_quantisation"),
                help=_("QLoRA with its scales quantised too: 4.127 bits per weight instead of 4.5."),
            )


def _bound(widget: Callable[..., Any], label: str, path: Path, **options: Any) -> None:
    """A control of the workload, or of its setup, which stands in the record once one of its fields was edited."""
    if "training" not in path:
        state.bound(widget, label, path, **options)
        return
    *owner, field = path
    workload = tuple(owner[:-1])
    state.bound_to(
        widget,
        label,
        "field." + ".".join(map(str, path)),
        lambda record: getattr(at(record, workload).setup, str(field)),
        lambda record, value: changed(
            record, tuple(owner), {**at(record, workload).setup.model_dump(), str(field): value}
        ),
        **options,
    )


def _choice(label: str, path: Path, words: Callable[[str], str], **options: Any) -> None:
    _bound(st.selectbox, label, path, options=list(choices(path)), format_func=words, **options)


def _number(label: str, path: Path, explanation: str) -> None:
    low, high = state.limits(path)
    _bound(
        st.number_input,
        label,
        path,
        min_value=int(low),
        max_value=int(high),
        step=1,
        help=explanation,
        placeholder="–",
    )


def _method(scenario: Scenario, view: TrainingView) -> None:
    """Equations with the numbers of one part put in, and where each number comes from."""
    _ = state.text()
    facts = cached.facts()
    drawn = {part.accelerator.accelerator_id: part for part in figures.shown(view)}
    if drawn:
        box = show.details(_("How this is computed"), key="training.method")
        if box.open:
            with box:
                known = list(drawn)
                chosen = state.bound_to(
                    st.selectbox,
                    _("Part whose numbers are put in"),
                    "view.memory_part",
                    lambda record: record.view.memory_part if record.view.memory_part in known else known[0],
                    lambda record, name: changed(record, ("view", "memory_part"), name),
                    options=known,
                    format_func=lambda name: facts.accelerators[name].short_name,
                )
                plan = drawn[chosen].drawn
                if plan is not None:
                    for line in training_method.equations(view, plan, facts.accelerators[chosen], _):
                        st.markdown(line)
    box = show.details(_("Sources of these numbers"), key="training.sources.box")
    if box.open:
        with box:
            show.table(
                training_method.sources(facts, scenario.workload, cached.parts(scenario), _),
                file_name="training-memory-sources.csv",
                key="training.sources",
            )
