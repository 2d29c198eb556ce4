"""What has been measured? MLPerf and serving runs, like for like, each with its source and its publisher's interest."""

from collections.abc import Sequence

import streamlit as st

from lib.choice.measured import PUBLISHERS, models_with_pairs, pair_kinds
from lib.choice.mlperf_view import MlperfView
from lib.choice.scenario import changed
from lib.choice.serving_view import MeasuredModel, ServingView
from lib.present import benchmark_notices as notices
from lib.present import benchmark_tables as tables
from lib.present import benchmarks
from lib.present import measured_words as words
from lib.present.figures import mlperf, pairs, serving
from lib.ui import cached, measurements, show, state

_ = state.text()
facts = cached.facts()
scenario = state.scenario()
workload, asked, publishers = scenario.workload, measurements.test_asked_for(scenario), scenario.view.publishers
compared = cached.parts_from_base(scenario)
parts = tuple(part.accelerator_id for part in compared)
looks = cached.looks(show.dark())
context = ".".join((*parts, workload.model))

test = measurements.test(parts, workload.model, asked)
findings = measurements.findings(parts, workload.model, asked, publishers)
finding = findings[0] if findings else None


def mlperf_controls(shown: MlperfView) -> None:
    """Which part is the base, and which test is shown."""
    against, which, how, when = st.columns([3, 3, 3, 2], vertical_alignment="bottom")
    with against:
        state.bound_to(
            st.selectbox,
            _("Measured against"),
            "view.base",
            lambda _record: parts[0],
            lambda record, name: changed(record, ("view", "base"), name),
            options=[part.accelerator_id for part in cached.parts(scenario)],
            format_func=lambda name: facts.accelerators[name].short_name,
        )
    with which:
        state.bound_to(
            st.selectbox,
            _("MLPerf benchmark"),
            f"view.mlperf_model.{context}",
            lambda _record: shown.model,
            lambda record, name: changed(record, ("view", "mlperf_model"), name),
            options=list(shown.models),
        )
    with how:
        state.bound_to(
            state.one_of,
            _("Test scenario"),
            f"view.mlperf_scenario.{context}.{shown.model}",
            lambda _record: shown.scenario,
            lambda record, name: changed(record, ("view", "mlperf_scenario"), name),
            options=list(shown.scenarios),
            format_func=lambda name: words.mlperf_scenario(name, _),
        )
    with when:
        state.bound_to(
            st.selectbox,
            _("Round"),
            f"view.mlperf_round.{context}.{shown.model}.{shown.scenario}",
            lambda _record: shown.round,
            lambda record, name: changed(record, ("view", "mlperf_round"), name),
            options=list(shown.rounds),
        )


def serving_controls(shown: ServingView | None, models: Sequence[MeasuredModel]) -> None:
    """Which model, which lengths and whose runs are charted."""
    by_name = {one.model_id: one for one in models}
    what, lengths, whose = st.columns([3, 3, 2], vertical_alignment="bottom")
    if models:
        with what:
            state.bound_to(
                st.selectbox,
                _("Served model"),
                f"view.serving_model.{context}.{publishers}",
                lambda _record: shown.model_id if shown is not None else "",
                lambda record, name: changed(record, ("view", "serving_model"), name),
                options=[*([] if shown is not None else [""]), *by_name],
                format_func=lambda name: notices.model_option(by_name[name], facts, _) if name else _("Choose a model"),
            )
    if shown is not None and shown.shape is not None:
        chosen, by_code = shown.shape, {one.code: one for one in shown.shapes}
        with lengths:
            state.bound_to(
                st.selectbox,
                _("Prompt and answer length"),
                f"view.serving_shape.{context}.{publishers}.{shown.model_id}",
                lambda _record: chosen.code,
                lambda record, code: changed(record, ("view", "serving_shape"), code),
                options=list(by_code),
                format_func=lambda code: notices.shape_option(by_code[code], _),
            )
    with whose:
        state.bound(
            state.one_of,
            _("Publishers"),
            ("view", "publishers"),
            options=list(PUBLISHERS),
            format_func=lambda word: notices.publishers_option(word, _),
        )


show.question(_("What has been measured?"), measurements.answer(scenario, _))
if finding is not None:
    nearest = measurements.nearest_pair(finding.part, finding.base, workload, publishers)
    show.metrics(benchmarks.metrics(finding, nearest, workload, _))
for line in notices.remarks(workload, publishers, _):
    st.caption(line)

if test is None:
    st.info(_("MLPerf Inference has no result of these parts."))
else:
    mlperf_controls(test)
    for line in notices.mlperf_notices(test, facts, _):
        st.caption(line)
    show.chart(
        mlperf.mlperf_strip(facts, test, finding, parts, looks, _, dark=show.dark()),
        alt=mlperf.mlperf_title(facts, test, finding, _),
        caption=notices.mlperf_caption(test, facts, _),
        key="benchmarks.mlperf",
    )
    results = show.details(_("The results of this test, with system, software and source"), key="benchmarks.results")
    if results.open:
        with results:
            table = tables.mlperf_results(facts, test, _)
            show.table(table, columns=show.number_columns(table), file_name="mlperf.csv", key="benchmarks.mlperf.rows")

if findings:
    st.subheader(_("Every part against {base}", base=compared[0].short_name))
    glance = tables.at_a_glance(facts, findings, _)
    st.table(glance, hide_index=True, border="horizontal")
    st.caption(
        _(
            "Serving ranges cover {model} alone; equal and own GPU counts are two kinds and are never averaged.",
            model=words.model_name(facts, workload.model, _),
        )
    )
    show.download_csv(glance, "benchmarks-at-a-glance.csv", key="benchmarks.glance.csv")

st.subheader(_("Serving: throughput and latency against load"))
view = measurements.charted(parts, workload, publishers, scenario.view.serving_model, scenario.view.serving_shape)
options = measurements.models(parts, publishers, workload.model)
serving_controls(view, options)

if view is None:
    st.info(notices.nothing_served(workload, bool(options), facts, _))
else:
    for line in notices.serving_notices(view, workload, facts, _):
        st.caption(line)
    if len(view.charted):
        show.chart(
            serving.throughput_chart(facts, view, parts, looks, _, dark=show.dark()),
            alt=serving.throughput_title(facts, view, _),
            caption=notices.serving_caption(view.charted, facts, _),
            key="benchmarks.throughput",
        )
    if len(view.latencies):
        show.chart(
            serving.latency_chart(facts, view, parts, looks, _, dark=show.dark()),
            alt=serving.latency_title(view, _),
            caption=notices.latency_caption(view, _),
            key="benchmarks.latency",
        )
    else:
        st.caption(
            _("No run of this choice reports both latencies in one statistic: a pair is never made of two runs.")
        )

if finding is not None:
    st.subheader(_("Like-for-like pairs: {part} over {base}", part=compared[1].short_name, base=compared[0].short_name))
    every = measurements.run_pairs(finding.part, finding.base, publishers)
    named = view.model_id if view is not None else workload.model
    own = every[every["model_id"] == named]
    st.caption(notices.pairs_caption(models_with_pairs(every), named, facts, _))
    figure = pairs.pairs_chart(facts, own, (finding.part, finding.base), looks, _, dark=show.dark())
    if figure is not None:
        show.chart(figure, alt=pairs.alt(figure), caption=notices.pairs_sources(own, facts, _), key="benchmarks.pairs")
    if len(every):
        every_pair = show.details(
            _("Each pair: counts, latency, publisher's interest, what was not equal, sources"), key="benchmarks.each"
        )
        if every_pair.open:
            with every_pair:
                for kind, rows in pair_kinds(own):
                    st.markdown(notices.kind_heading(kind, len(rows), _))
                    table = tables.serving_pairs(facts, rows, finding.part, finding.base, _)
                    show.table(table, columns=show.number_columns(table), key=f"benchmarks.pairs.{kind}")
                table = tables.serving_pairs(facts, every, finding.part, finding.base, _)
                show.download_csv(table, "serving-pairs.csv", key="benchmarks.pairs.csv")
    rounds = show.details(_("Every MLPerf pair of these two parts, all rounds"), key="benchmarks.rounds")
    if rounds.open:
        with rounds:
            table = tables.mlperf_pairs(measurements.mlperf_pairs(finding.part, finding.base), _)
            show.table(
                table, columns=show.number_columns(table), file_name="mlperf-pairs.csv", key="benchmarks.mlperf.pairs"
            )

if view is not None:
    behind = show.details(_("The serving rows behind this page, with sources"), key="benchmarks.behind")
    if behind.open:
        with behind:
            rows = measurements.serving_rows(parts, publishers, view.model_id, scenario.language)
            wanted = st.multiselect(_("Metric"), notices.metrics_of(rows, facts, _), key="benchmarks.metric")
            kept = notices.of_metrics(rows, wanted, facts, _)
            st.caption(notices.rows_caption(len(kept), _))
            show.table(kept.head(tables.MOST_ROWS), columns=show.number_columns(kept), key="benchmarks.rows")
            show.download_csv(kept, "serving-rows.csv", key="benchmarks.rows.csv")
if notices.trains(workload):
    training = show.details(_("MLPerf Training results of these parts"), key="benchmarks.trained")
    if training.open:
        with training:
            rows = measurements.training_rows(parts, scenario.language)
            st.caption(
                _(
                    "Minutes to the target quality; accelerator minutes are derived. Compare within one benchmark and round."
                )
            )
            show.table(
                rows, columns=show.number_columns(rows), file_name="mlperf-training.csv", key="benchmarks.training"
            )

method = show.details(_("How this is computed"), key="benchmarks.method")
if method.open:
    with method:
        st.markdown(notices.method(_))
show.next_steps([("memory", _("Does my model fit?")), ("cost", _("What does it cost?")), ("sources", _("All sources"))])
