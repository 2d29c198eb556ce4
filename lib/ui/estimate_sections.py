"""What is computed on the benchmarks page: estimates with their bounds beside the runs, and how good they have been."""

import streamlit as st

from lib.choice import throughput_view as estimating
from lib.choice.serving_view import ServingView
from lib.choice.throughput_view import ThroughputView
from lib.present import benchmark_tables, estimate_errors, throughput
from lib.present.figures import estimate_errors as error_figures
from lib.ui import cached, measurements, show, state


def estimated(shown: ServingView | None) -> ThroughputView:
    """The scenario's load on every part, and curves for what is charted."""
    scenario = state.scenario()
    return estimating.throughput_view(
        cached.facts(),
        scenario.workload,
        scenario.engine,
        cached.parts_from_base(scenario),
        shown,
        measurements.current().own,
    )


def sentences(view: ThroughputView) -> None:
    """A sentence a part, and what else they must be read with; nothing for training and images, which are not modelled."""
    _, facts = state.text(), cached.facts()
    if not estimating.serves(view.workload):
        return
    lines = [throughput.lead(facts, view, _), *(f"- {one}" for one in throughput.sentences(facts, view, _))]
    st.markdown("\n".join(lines))
    st.caption(
        "  \n".join([*throughput.reservations(facts, view, _), estimate_errors.footer(cached.estimate_errors(), _)])
    )


def details(view: ThroughputView) -> None:
    """The estimates in figures, and the measured rows nearest to them."""
    _, facts = state.text(), cached.facts()
    if not estimating.serves(view.workload):
        return
    figures = show.details(
        _("The estimates in figures: interval, bound, both times of one operating point"), key="benchmarks.estimates"
    )
    if figures.open:
        with figures:
            frame = throughput.table(facts, view, _)
            show.table(
                frame, columns=show.number_columns(frame), file_name="estimates.csv", key="benchmarks.estimates.rows"
            )
    near = show.details(_("The measured runs that say most about these estimates, with sources"), key="benchmarks.near")
    if near.open:
        with near:
            found = estimating.nearest_rows(facts, view, measurements.current().own)
            frame = throughput.nearest_table(facts, {one.accelerator.accelerator_id: rows for one, rows in found}, _)
            show.table(
                frame, columns=show.number_columns(frame), file_name="nearest-runs.csv", key="benchmarks.near.rows"
            )


def accuracy() -> None:
    """How good the estimate is: left-out sources predicted, by accelerator and kind of model, the worst cases named."""
    _, facts, found = state.text(), cached.facts(), cached.estimate_errors()
    st.markdown(estimate_errors.answer(facts, found, _))
    show.chart(
        error_figures.chart(facts, found, cached.looks(show.dark()), _, dark=show.dark()),
        alt=estimate_errors.title(found, _),
        caption=estimate_errors.caption(facts, found, _),
        key="benchmarks.accuracy",
    )
    table = estimate_errors.groups(facts, found, _)
    st.markdown(_("**By accelerator and kind of model**"))
    wide = {table.columns[0]: st.column_config.Column(pinned=True, width="medium")}
    show.table(
        table,
        columns={**show.number_columns(table), **wide},
        file_name="estimate-errors.csv",
        height="content",
        key="benchmarks.accuracy.groups",
    )
    st.caption(estimate_errors.caveats(found, _))
    st.markdown(estimate_errors.worst(facts, found, _))
    table = estimate_errors.rows(facts, found.worst, _)
    show.table(table, columns=show.number_columns(table), key="benchmarks.accuracy.worst")
    above = show.details(_("Measured runs above the bound"), key="benchmarks.accuracy.above")
    if above.open:
        with above:
            show.table(estimate_errors.above_bound(facts, found, _), key="benchmarks.accuracy.above.rows")
    every = show.details(_("Every left-out run with its prediction and source"), key="benchmarks.accuracy.all")
    if every.open:
        with every:
            table = estimate_errors.rows(facts, found.rows, _)
            show.table(
                table.head(benchmark_tables.MOST_ROWS),
                columns=show.number_columns(table),
                key="benchmarks.accuracy.rows",
            )
            show.download_csv(table, "left-out-runs.csv", key="benchmarks.accuracy.rows.csv")
