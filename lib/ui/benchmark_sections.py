"""Sections of the benchmarks page that the answer does not rest on: training, micro-benchmarks, the kit."""

import streamlit as st

from lib.choice import kit as kits
from lib.choice.micro_view import KINDS
from lib.choice.scenario import changed
from lib.choice.training_view import throughputs
from lib.present import benchmark_notices as notices
from lib.present import benchmark_tables as tables
from lib.present import kit as kit_words
from lib.present import micro as micro_words
from lib.present import training as training_words
from lib.present.figures import collectives, strips
from lib.present.figures import training as training_figures
from lib.present.figures.points import records
from lib.ui import cached, measurements, own_rows, show, state


def training() -> None:
    """MLPerf training times, scaling, achieved rates, and how thin the published data are."""
    _, scenario, facts = state.text(), state.scenario(), cached.facts()
    workload, view, dark = scenario.workload, scenario.view, show.dark()
    compared = cached.parts_from_base(scenario)
    parts = tuple(part.accelerator_id for part in compared)
    looks, context = cached.looks(dark), ".".join((*parts, workload.model))
    found = measurements.training_test(parts, workload.model, view.training_benchmark, view.training_round)
    thin = measurements.thinness(parts)
    rates = measurements.rates(parts, view.training_format)
    if warning := training_words.thin_warning(facts, thin, _):
        st.markdown(warning)
    if found is None:
        st.info(_("MLPerf Training has no result of these parts."))
    else:
        which, when, how = st.columns([3, 2, 2], vertical_alignment="bottom")
        with which:
            state.bound_to(
                st.selectbox,
                _("MLPerf Training benchmark"),
                f"view.training_benchmark.{context}",
                lambda _record: found.benchmark,
                lambda record, name: changed(record, ("view", "training_benchmark"), name),
                options=list(found.benchmarks),
            )
        with when:
            state.bound_to(
                st.selectbox,
                _("Training round"),
                f"view.training_round.{context}.{found.benchmark}",
                lambda _record: found.round,
                lambda record, name: changed(record, ("view", "training_round"), name),
                options=list(found.rounds),
            )
        if rates is not None:
            with how:
                state.bound_to(
                    st.selectbox,
                    _("Number format of the rates"),
                    f"view.training_format.{context}",
                    lambda _record: rates.number_format,
                    lambda record, name: changed(record, ("view", "training_format"), name),
                    options=list(rates.formats),
                )
        for line in training_words.notices(facts, found, _):
            st.caption(line)
        show.chart(
            training_figures.time_chart(facts, found, parts, looks, _, dark=dark),
            alt=training_words.time_title(facts, found, parts, _),
            caption=training_words.caption(facts, found, _),
            key="benchmarks.training.times",
        )
    if rates is not None:
        title = training_words.rates_title(facts, rates, parts, _)
        show.chart(
            strips.strip_chart(
                facts, records(rates.rows), parts, rates.peaks, looks, _, dark=dark, table="training", amount="value",
                title=title, subtitle=training_words.rates_subtitle(rates, _), unit=_("TFLOPS per GPU, achieved"),
                hover=training_words.rate_hover(facts, _),
            ),
            alt=title,
            caption=notices.serving_caption(rates.rows, facts, _),
            key="benchmarks.training.rates",
        )  # fmt: skip
    if found is not None and found.scaling:
        scaling = show.details(_("Scaling efficiency of the submitters"), key="benchmarks.training.scaling")
        if scaling.open:
            with scaling:
                table = training_words.scaling_table(facts, found, _)
                show.table(table, file_name="mlperf-scaling.csv", key="benchmarks.training.scaling.rows")
    published = show.details(
        _("Tokens per second, achieved TFLOPS and scaling as published, with sources"), key="benchmarks.training.rows"
    )
    if published.open:
        with published:
            frame = throughputs(facts.measured["training"], parts)
            table = tables.rows(facts, "training", frame, tables.RATE_FIELDS, _)
            st.caption(notices.shown_caption(len(table), _))
            show.table(
                table.head(tables.MOST_ROWS), columns=show.number_columns(table), key="benchmarks.training.published"
            )
            show.download_csv(table, "training-rates.csv", key="benchmarks.training.published.csv")
    submitted = show.details(_("Every MLPerf Training result of these parts"), key="benchmarks.trained")
    if submitted.open:
        with submitted:
            table = measurements.training_rows(parts, scenario.language)
            st.caption(
                _(
                    "Minutes to the target quality; accelerator minutes are derived. Compare within one benchmark and round."
                )
            )
            show.table(
                table,
                columns=show.number_columns(table),
                file_name="mlperf-training.csv",
                key="benchmarks.training.all",
            )


def micro() -> None:
    """What was reached of the datasheet's peaks, between parts, and at which power."""
    _, scenario, facts = state.text(), state.scenario(), cached.facts()
    workload, view, dark = scenario.workload, scenario.view, show.dark()
    compared = cached.parts_from_base(scenario)
    parts = tuple(part.accelerator_id for part in compared)
    looks, context = cached.looks(dark), ".".join((*parts, workload.model))
    what, how = st.columns([3, 1], vertical_alignment="bottom")
    with what:
        kind = state.bound(
            state.one_of,
            _("Measurement"),
            ("view", "micro"),
            options=list(KINDS),
            format_func=lambda word: micro_words.kind_name(word, _),
        )
    found = measurements.micro_rows(parts, kind, view.micro_format)
    if found.formats:
        with how:
            state.bound_to(
                st.selectbox,
                _("Number format"),
                f"view.micro_format.{context}",
                lambda _record: found.number_format,
                lambda record, name: changed(record, ("view", "micro_format"), name),
                options=list(found.formats),
            )
    title, hover = micro_words.title(facts, found, _), micro_words.row_hover(facts, found, _)
    subtitle = micro_words.subtitle(found, _)
    caption = notices.serving_caption(found.rows, facts, _)
    if missing := micro_words.missing(facts, found, _):
        st.caption(missing)
    if kind == "all_reduce" and len(found.rows):
        figure = collectives.collective_chart(
            facts, found.rows, parts, looks, _, dark=dark, title=title, subtitle=subtitle,
            axis=micro_words.axis(found, _), hover=hover,
        )  # fmt: skip
    else:
        peaks = {one.accelerator_id: one.peak for one in found.achieved if one.peak is not None}
        figure = strips.strip_chart(
            facts, records(found.rows), parts, peaks, looks, _, dark=dark, table="micro", amount="amount",
            title=title, subtitle=subtitle, unit=micro_words.axis(found, _), hover=hover,
        )  # fmt: skip
    show.chart(figure, alt=title, caption=caption, key="benchmarks.micro")
    behind = show.details(_("The rows of this measurement, with sources"), key="benchmarks.micro.rows")
    if behind.open:
        with behind:
            table = tables.rows(facts, "micro", found.rows, tables.MICRO_FIELDS, _)
            st.caption(notices.shown_caption(len(table), _))
            show.table(table.head(tables.MOST_ROWS), columns=show.number_columns(table), key="benchmarks.micro.table")
            show.download_csv(table, "micro.csv", key="benchmarks.micro.csv")


def kit() -> None:
    """The commands that measure the scenario's load, the CSV to fill in, and the way back."""
    _, scenario, facts = state.text(), state.scenario(), cached.facts()
    workload, view = scenario.workload, scenario.view
    compared = cached.parts_from_base(scenario)
    parts = tuple(part.accelerator_id for part in compared)
    context = ".".join((*parts, workload.model))
    which, how = st.columns(2, vertical_alignment="bottom")
    part_shown = view.kit_part if view.kit_part in parts else next(iter(parts[1:]), parts[0])
    engine_shown = view.kit_engine or ("sglang" if scenario.engine.engine == "sglang" else "vllm")
    with which:
        state.bound_to(
            st.selectbox,
            _("Part to measure"),
            f"view.kit_part.{context}",
            lambda _record: part_shown,
            lambda record, name: changed(record, ("view", "kit_part"), name),
            options=list(parts),
            format_func=lambda name: facts.accelerators[name].short_name,
        )
    with how:
        state.bound_to(
            state.one_of,
            _("Engine to measure"),
            "view.kit_engine",
            lambda _record: engine_shown,
            lambda record, name: changed(record, ("view", "kit_engine"), name),
            options=list(kits.ENGINES),
            format_func=kit_words.engine_name,
        )
    every = [kits.kit(facts, workload, scenario.engine, part, engine_shown) for part in compared]
    chosen = every[parts.index(part_shown)]
    if chosen is None:
        st.info(kit_words.unavailable(facts.accelerators[part_shown].short_name, _))
    else:
        st.markdown(kit_words.answer(chosen, workload.model, facts, _))
        for line in kit_words.notes(chosen, _):
            st.caption(line)
        with st.container(horizontal=True):
            show.download_text(chosen.script, kit_words.script_name(chosen), key="benchmarks.kit.script")
            show.download_csv(
                lambda: kits.template(facts, [one for one in every if one is not None], workload.model),
                "own-measurements.csv",
                key="benchmarks.kit.template",
                label=_("Download the CSV to fill in"),
            )
        for step in kits.STEPS:
            st.markdown(f"**{kit_words.step_name(step, _)}**")
            st.code(chosen.steps[step], language="bash", wrap_lines=True)
        st.markdown(kit_words.what_to_record(_))
        named = show.details(_("Where each flag was read"), key="benchmarks.kit.flags")
        if named.open:
            with named:
                frame = facts.tables["benchmark_flags"]
                table = tables.rows(
                    facts, "benchmark_flags", frame[frame["engine"] == engine_shown], tables.FLAG_FIELDS, _
                )
                show.table(table, file_name="benchmark-flags.csv", key="benchmarks.kit.flags.rows")
    st.subheader(_("Bring your own measurements in"), anchor=False)
    own_rows.form()
