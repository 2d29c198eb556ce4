"""What has been measured? MLPerf and serving runs, like for like, each with its source and its publisher's interest."""

import streamlit as st

from lib.choice import filters as filtering
from lib.choice.measured import models_with_pairs, pair_kinds
from lib.choice.mlperf_view import MlperfView
from lib.choice.scenario import Scenario, changed
from lib.choice.serving_view import MeasuredModel, ServingView
from lib.choice.throughput_view import serves
from lib.present import benchmark_notices as notices
from lib.present import benchmark_tables as tables
from lib.present import benchmarks, evidence_words, throughput
from lib.present import measured_words as words
from lib.present import training as training_words
from lib.present.figures import evidence, frontier, mlperf, pairs, serving
from lib.ui import benchmark_sections, cached, estimate_sections, measurements, own_rows, show, state

SECTIONS = ("pairs", "load", "training", "micro", "kit", "accuracy")

_ = state.text()
facts = cached.facts()
scenario = state.scenario()
workload, view, asked = scenario.workload, scenario.view, measurements.test_asked_for(scenario)
filters, rows = filtering.of_view(view), measurements.current()
compared = cached.parts_from_base(scenario)
parts = tuple(part.accelerator_id for part in compared)
looks, dark = cached.looks(show.dark()), show.dark()
context = ".".join((*parts, workload.model))
section = view.section or ("training" if notices.trains(workload) else "pairs")

test = measurements.test(parts, workload.model, asked)
finding = rows.finding(parts[1], parts, workload.model, asked, filters) if len(parts) > 1 else None


def base_control() -> None:
    """Which part the others are measured against."""
    state.bound_to(
        st.selectbox,
        _("Measured against"),
        "view.base",
        lambda _record: parts[0],
        lambda record, name: changed(record, ("view", "base"), name),
        options=[part.accelerator_id for part in cached.parts(scenario)],
        format_func=lambda name: facts.accelerators[name].short_name,
    )


def mlperf_controls(shown: MlperfView) -> None:
    """Which MLPerf test is shown, and of which round."""
    which, when = st.columns([3, 1], vertical_alignment="bottom")
    with which:
        state.bound_to(
            st.selectbox,
            _("MLPerf test"),
            f"view.mlperf_test.{context}",
            lambda _record: (shown.model, shown.scenario),
            with_test,
            options=list(shown.tests),
            format_func=lambda pair: notices.mlperf_test(pair, _),
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


def with_test(record: Scenario, pair: tuple[str, str]) -> Scenario:
    """The scenario with another MLPerf test in view."""
    return changed(changed(record, ("view", "mlperf_model"), pair[0]), ("view", "mlperf_scenario"), pair[1])


def filter_controls() -> None:
    """Whose runs, on which engine, since when, queue-limited ones or not."""
    whose, how, when, queue = st.columns([2, 2, 3, 2], vertical_alignment="bottom")
    with whose:
        state.bound(
            st.selectbox,
            _("Publishers"),
            ("view", "publishers"),
            options=list(filtering.PUBLISHERS),
            format_func=lambda word: notices.publishers_option(word, _),
        )
    with how:
        known = (
            rows.engines if not filters.engine or filters.engine in rows.engines else (*rows.engines, filters.engine)
        )
        state.bound(
            st.selectbox,
            _("Serving engine"),
            ("view", "serving_engine"),
            options=["", *known],
            format_func=lambda word: word or _("All"),
        )
    with when:
        days = ["", *rows.days]
        state.bound_to(
            state.one_of_many,
            _("Runs since"),
            "view.since",
            lambda record: max(day for day in days if day <= record.view.since),
            lambda record, day: changed(record, ("view", "since"), day),
            options=days,
            format_func=lambda day: day or _("all"),
            help=_(
                "At its left end every run counts, undated ones too; else both runs of a pair are of that day or later."
            ),
        )
    with queue:
        state.bound(
            st.selectbox,
            _("Queue-limited runs"),
            ("view", "queue_limited"),
            options=["shown", "hidden"],
            format_func=lambda word: _("Shown") if word == "shown" else _("Left out"),
            help=_(
                "Fewer requests ran than were sent at once: throughput holds, time to first token measures the queue."
            ),
        )


def serving_controls(shown: ServingView | None) -> None:
    """Which model and which lengths are charted."""
    models = rows.models(parts, filters, workload.model)
    by_name = {one.model_id: one for one in models}
    if shown is not None and serves(workload):
        by_name.setdefault(workload.model, MeasuredModel(workload.model, 0, ()))
    what, lengths = st.columns(2, vertical_alignment="bottom")
    if by_name:
        with what:
            state.bound_to(
                st.selectbox,
                _("Served model"),
                f"view.serving_model.{context}.{filters}",
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
                f"view.serving_shape.{context}.{filters}.{shown.model_id}",
                lambda _record: chosen.code,
                lambda record, code: changed(record, ("view", "serving_shape"), code),
                options=list(by_code),
                format_func=lambda code: notices.shape_option(by_code[code], _),
            )


def pairs_section() -> None:
    """MLPerf and every like-for-like pair: the two pictures that carry the answer, then each pair with its source."""
    if test is None:
        st.info(_("MLPerf Inference has no result of these parts."))
    else:
        mlperf_controls(test)
        show.chart(
            mlperf.mlperf_strip(facts, test, finding, parts, looks, _, dark=dark),
            alt=mlperf.mlperf_title(facts, test, finding, _),
            caption=" ".join((*notices.mlperf_notices(test, facts, _), notices.mlperf_caption(test, facts, _))),
            key="benchmarks.mlperf",
        )
    if finding is None:
        return
    part, base = finding.part, finding.base
    names = compared[1].short_name, compared[0].short_name
    filter_controls()
    groups = rows.class_groups(part, base, filters)
    in_view = rows.pairs_in_view(part, base, filters)
    remarks = " ".join(notices.remarks(filters, rows.undated(part, base), _))
    if groups:
        show.chart(
            evidence.class_chart(
                facts,
                groups,
                rows.classed_pairs(part, base, filters),
                (part, base),
                workload.model,
                looks,
                _,
                dark=dark,
            ),
            alt=evidence.class_title(names, groups, _),
            caption=" ".join((remarks, notices.pairs_sources(in_view, facts, _), evidence_words.class_method(_))),
            key="benchmarks.classes",
        )
    else:
        st.info(
            _(
                "No like-for-like pair of {part} and {base} is left with this choice of runs.",
                part=names[0],
                base=names[1],
            )
        )
    glance = show.details(_("Every part against {base}", base=names[1]), key="benchmarks.glance")
    if glance.open:
        with glance:
            table = tables.at_a_glance(facts, rows.findings(parts, workload.model, asked, filters), _)
            st.table(table, hide_index=True, border="horizontal")
            st.caption(
                _(
                    "Serving ranges cover {model} alone; equal and own GPU counts are two kinds and are never averaged.",
                    model=words.model_name(facts, workload.model, _),
                )
            )
            show.download_csv(table, "benchmarks-at-a-glance.csv", key="benchmarks.glance.csv")
    summary = show.details(_("Summary by model class and load, with latency beside"), key="benchmarks.summary")
    if summary.open and groups:
        with summary:
            table = evidence_words.class_table(facts, groups, _)
            show.table(
                table,
                columns=show.number_columns(table),
                file_name="evidence-classes.csv",
                key="benchmarks.summary.rows",
            )
    own = in_view[in_view["model_id"] == workload.model]
    each = show.details(
        _("Each pair: counts, latency, publisher's interest, what was not equal, sources"), key="benchmarks.each"
    )
    if each.open:
        with each:
            st.caption(notices.pairs_caption(models_with_pairs(in_view), workload.model, facts, _))
            figure = pairs.pairs_chart(facts, own, (part, base), looks, _, dark=dark)
            if figure is not None:
                show.chart(
                    figure, alt=pairs.alt(figure), caption=notices.pairs_sources(own, facts, _), key="benchmarks.pairs"
                )
            for kind, members in pair_kinds(own if len(own) else in_view):
                st.markdown(notices.kind_heading(kind, len(members), _))
                table = tables.serving_pairs(facts, members, part, base, _)
                show.table(table, columns=show.number_columns(table), key=f"benchmarks.pairs.{kind}")
            table = tables.serving_pairs(facts, in_view, part, base, _)
            show.download_csv(table, "serving-pairs.csv", key="benchmarks.pairs.csv")
    dates = show.details(_("The ratio by date"), key="benchmarks.dates")
    if dates.open:
        with dates:
            trend = rows.trend(part, base, filters)
            if len(trend.dated):
                show.chart(
                    evidence.trend_chart(facts, trend, (part, base), looks, _, dark=dark),
                    alt=evidence.trend_title(names, trend, _),
                    caption=notices.pairs_sources(trend.dated, facts, _),
                    key="benchmarks.trend",
                )
            else:
                st.caption(_("No pair of these parts states a date."))
    if test is not None:
        results = show.details(_("The MLPerf results, with system, software and source"), key="benchmarks.results")
        if results.open:
            with results:
                table = tables.mlperf_results(facts, test, _)
                show.table(
                    table, columns=show.number_columns(table), file_name="mlperf.csv", key="benchmarks.mlperf.rows"
                )
                table = tables.mlperf_pairs(measurements.mlperf_pairs(part, base), _)
                st.markdown(_("**Every MLPerf pair of the first two parts, all rounds**: each within one round."))
                show.table(
                    table,
                    columns=show.number_columns(table),
                    file_name="mlperf-pairs.csv",
                    key="benchmarks.mlperf.pairs",
                )


def load_section() -> None:
    """Throughput against load, both latencies of the same runs, and what each user sees of it."""
    shown = rows.charted(parts, workload, filters, view)
    serving_controls(shown)
    filter_controls()
    for line in notices.remarks(filters, 0, _):
        st.caption(line)
    if shown is None:
        st.info(notices.nothing_served(workload, bool(rows.models(parts, filters, workload.model)), facts, _))
        return
    for line in notices.serving_notices(shown, workload, facts, _):
        st.caption(line)
    found = estimate_sections.estimated(shown)
    estimate_sections.sentences(found)
    bands, latency_bands = throughput.bands(found, facts, _), throughput.latency_bands(found, facts, _)
    if len(shown.charted) or bands:
        title = (
            serving.throughput_title(facts, shown, _)
            if len(shown.charted)
            else throughput.computed_title(facts, found, _)
        )
        show.chart(
            serving.throughput_chart(
                facts, shown, parts, looks, _, dark=dark, asked=float(workload.concurrency), bands=bands, title=title
            ),
            alt=title,
            caption=" ".join(
                (throughput.curves_caption(facts, found, _), throughput.runs_caption(shown.charted, facts, _))
            ),
            key="benchmarks.throughput",
        )
    if len(shown.latencies) or bands:
        measured = len(shown.latencies) > 0
        title = serving.latency_title(shown, _) if measured else throughput.computed_latency_title(facts, found, _)
        show.chart(
            serving.latency_chart(facts, shown, parts, looks, _, dark=dark, bands=latency_bands, title=title),
            alt=title,
            caption=notices.latency_caption(shown, _) if measured else "",
            key="benchmarks.latency",
        )
    if not len(shown.latencies):
        st.caption(
            _("No run of this choice reports both latencies in one statistic: a pair is never made of two runs.")
        )
    estimate_sections.details(found)
    each_user = show.details(_("Throughput against what each user sees"), key="benchmarks.interactivity")
    if each_user.open:
        with each_user:
            points = frontier.frontier_rows(shown)
            if len(points):
                show.chart(
                    frontier.frontier_chart(facts, shown, points, parts, looks, _, dark=dark),
                    alt=frontier.frontier_title(facts, points, _),
                    caption=notices.serving_caption(points, facts, _),
                    key="benchmarks.frontier",
                )
            else:
                st.caption(_("No run of this choice reports a time per output token."))
    behind = show.details(_("The serving rows behind this page, with sources"), key="benchmarks.behind")
    if behind.open:
        with behind:
            table = rows.table(parts, filters, shown.model_id, _)
            wanted = st.multiselect(_("Metric"), notices.metrics_of(table, facts, _), key="benchmarks.metric")
            kept = notices.of_metrics(table, wanted, facts, _)
            st.caption(notices.rows_caption(len(kept), _))
            show.table(kept.head(tables.MOST_ROWS), columns=show.number_columns(kept), key="benchmarks.rows")
            show.download_csv(kept, "serving-rows.csv", key="benchmarks.rows.csv")


show.question(_("What has been measured?"), measurements.answer(scenario, _))
if notices.trains(workload):
    trained = measurements.training_test(parts, workload.model, view.training_benchmark, view.training_round)
    show.metrics(training_words.metrics(facts, trained, measurements.thinness(parts), parts, _))
elif finding is not None:
    nearest = rows.nearest_pair(finding.part, finding.base, workload, filters)
    show.metrics(benchmarks.metrics(finding, nearest, workload, _))
own_rows.mark()
against, what = st.columns([1, 4], vertical_alignment="bottom")
with against:
    base_control()
with what:
    state.bound_to(
        state.one_of,
        _("Show"),
        f"view.section.{notices.trains(workload)}",
        lambda _record: section,
        lambda record, word: changed(record, ("view", "section"), word),
        options=list(SECTIONS),
        format_func=lambda word: notices.section_name(word, _),
    )
{
    "pairs": pairs_section,
    "load": load_section,
    "training": benchmark_sections.training,
    "micro": benchmark_sections.micro,
    "kit": benchmark_sections.kit,
    "accuracy": estimate_sections.accuracy,
}[section]()

method = show.details(_("How this is computed"), key="benchmarks.method")
if method.open:
    with method:
        st.markdown(notices.method(_))
        st.markdown(throughput.method(_))
show.next_steps([("memory", _("Does my model fit?")), ("cost", _("What does it cost?")), ("sources", _("All sources"))])
