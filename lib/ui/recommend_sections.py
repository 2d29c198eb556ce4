"""The recommend page below its answer: what the buyer prefers, and one section at a time of what lies behind it."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, get_args

import streamlit as st

from lib.choice import deployments, mix, recommend
from lib.choice.confidence import Confidence
from lib.choice.flip_grid import drivers_by_key, flip_grid
from lib.choice.flips import FlipPoint
from lib.choice.free_format import taken_over
from lib.choice.layouts_beside import KINDS, layouts_beside, measured_of
from lib.choice.preference import AXES, Ways
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Scenario, changed
from lib.choice.standing import metrics_for
from lib.choice.tender import tender
from lib.choice.unknowns import unknowns
from lib.present import open_questions, recommend_quote, recommend_tables
from lib.present import recommend_article as article
from lib.present import recommend_confidence as sureness
from lib.present import recommend_deployments as tables
from lib.present import recommend_flips as flipped
from lib.present import recommend_formats as formats
from lib.present import recommend_layouts as layouts
from lib.present.figures import recommend_map as maps
from lib.present.recommend_figures import axis_name, metric_name
from lib.present.recommend_words import section_name
from lib.ui import cached, show, state

MOST_BESIDE: Final = 6
"""So many options stand side by side; more are the rows of a grid."""


def preferred(widget: Callable[..., Any], label: str, field: str, **options: Any) -> Any:
    """A control of what the buyer prefers, which stands in the record once one of its fields was edited."""
    return state.bound_to(
        widget,
        label,
        f"field.preference.{field}",
        lambda record: getattr(record.prefers, field),
        lambda record, value: changed(record, ("preference",), record.prefers.model_dump() | {field: value}),
        **options,
    )


def metric_choice(scenario: Scenario, found: Recommendation) -> None:
    """What the answer is measured by."""
    _ = state.text()
    offered = list(dict.fromkeys([*metrics_for(found.is_training), scenario.prefers.metric]))
    preferred(
        st.selectbox,
        _("Measured by"),
        "metric",
        options=offered,
        format_func=lambda word: metric_name(word, _, capital=True),
        help=_(
            "What decides among those that pass. Power binds: tokens per megawatt. Money binds: tokens for the budget. Where "
            "nobody has the figure, outlay decides."
        ),
    )


def ways_choice() -> None:
    """Whether each part is had as the scenario states, or in every way that has a price."""
    _ = state.text()
    named = {"stated": _("As stated"), "all": _("Every way with a price")}
    preferred(
        st.selectbox,
        _("Ways"),
        "ways",
        options=list(get_args(Ways)),
        format_func=lambda word: named[word],
        help=_(
            "Every way: each part also bought, rented on demand and under commitments of one and three years, at the "
            "catalogue's prices, with the fleet that each way asks for. A part at an article's price has no other way."
        ),
    )


def tastes() -> None:
    """Weights and room: nothing weighs anything unless it is set."""
    _ = state.text()
    section = show.details(_("Tastes, room for peaks, points"), key="recommend.tastes")
    if not section.open:
        return
    with section:
        with st.container(horizontal=True):
            preferred(
                st.slider, _("Software risk is worth"), "software_weight", min_value=0.0, max_value=1.0, step=0.05, format="percent",
                help=_("Share of the figure that a part whose software does not run at all would be charged; 0 weighs nothing."),
            )  # fmt: skip
            preferred(
                st.slider, _("Thin evidence is worth"), "evidence_weight", min_value=0.0, max_value=1.0, step=0.05, format="percent",
                help=_("Share of the figure that a part without any measured row would be charged; 0 weighs nothing."),
            )  # fmt: skip
            preferred(
                st.slider, _("Load at the peak, of what the fleet can do"), "target_load", min_value=0.05, max_value=1.0, step=0.05,
                format="percent",
                help=_("The rest is room for queues. A choice, not a measured figure; it counts where the load is a rate of requests."),
            )  # fmt: skip
        with st.container(horizontal=True):
            for field, label in (
                ("price_points", _("Points for the figure")),
                ("speed_points", _("Points for throughput")),
                ("evidence_points", _("Points for evidence")),
                ("software_points", _("Points for software")),
            ):
                preferred(st.number_input, label, field, min_value=0, max_value=100, step=5)


def detail(found: Recommendation, sure: Confidence | None, flips: Sequence[FlipPoint]) -> None:
    """The choice of a section and the section chosen: the checks where nothing passes them, else cost and evidence."""
    _ = state.text()
    first = "costs" if found.winner is not None else "checks"
    sections: dict[str, Callable[[], None]] = {
        "costs": functools.partial(_costs, found),
        "checks": functools.partial(_checks, found),
        "sure": functools.partial(_sure, found, sure),
        "map": functools.partial(_map, found, flips),
        "deployments": functools.partial(_deployments, found),
        "front": functools.partial(_front, found),
        "evidence": functools.partial(_evidence, found),
        "tender": functools.partial(_tender, found),
        "questions": functools.partial(_questions, found),
        "articles": functools.partial(_articles, found),
        "method": functools.partial(_method, found),
    }
    needs_a_winner = ("map", "front") if found.winner is None else ()
    without_chances = ("sure",) if sure is None else ()
    without_layouts = () if found.is_sized or found.is_training else ("deployments",)
    offered = [one for one in sections if one not in (*needs_a_winner, *without_chances, *without_layouts)]
    chosen = state.bound_to(
        state.one_of,
        _("Look closer"),
        f"view.recommend_section.{len(offered)}",
        lambda record: record.view.recommend_section if record.view.recommend_section in offered else first,
        lambda record, word: changed(record, ("view", "recommend_section"), word),
        options=offered,
        format_func=lambda word: section_name(word, _),
    )
    sections[chosen]()


def _checks(found: Recommendation) -> None:
    """What each candidate must keep, and what a cap on power holds."""
    _ = state.text()
    st.table(recommend_tables.checks_table(found.assessments, _), hide_index=True, border="horizontal")
    if found.filled:
        st.markdown(_("**What the power cap holds**"))
        capped = recommend_tables.power_table(found, _)
        show.table(capped, columns=show.number_columns(capped), file_name="recommend-power.csv", key="recommend.power")


def _costs(found: Recommendation) -> None:
    """Cost and evidence of every candidate."""
    _ = state.text()
    costs = recommend_tables.cost_table(found, cached.facts(), _)
    if len(costs) > MOST_BESIDE:
        show.table(costs, columns=show.number_columns(costs), file_name="recommend.csv", key="recommend.costs")
        return
    beside = recommend_tables.side_by_side(costs, _)
    show.plain_table(beside, data=costs, file_name="recommend.csv", key="recommend.costs")


def _sure(found: Recommendation, sure: Confidence | None) -> None:
    """Chances in words, the regret table below."""
    _ = state.text()
    if sure is None:
        return
    st.markdown(sureness.sureness(found, sure, _))
    table = sureness.regret_table(found, sure, _)
    show.table(table, file_name="recommend-regret.csv", key="recommend.regret")
    st.caption(sureness.regret_note(found, _))


def _map(found: Recommendation, flips: Sequence[FlipPoint]) -> None:
    """Who comes first over two drivers, what does not change the answer, and one part for all workloads."""
    _ = state.text()
    scenario, facts = found.scenario, cached.facts()
    grid = flip_grid(facts, found, scenario.prefers.map_x, scenario.prefers.map_y)
    known = drivers_by_key(found)
    if grid is not None:
        with st.container(horizontal=True):
            for field, label in (("map_x", _("Across")), ("map_y", _("Up"))):
                preferred(
                    st.selectbox, label, field, options=["", *known],
                    format_func=lambda key: flipped.driver_name(known[key], found, _) if key in known else _("Chosen for you"),
                )  # fmt: skip
        alt = _(
            "Over the pairs of values drawn, the first candidate of today stays first in {share}.",
            share=_.percent(grid.share),
        )
        show.chart(
            maps.flip_map(found, grid, cached.looks(show.dark()), _, dark=show.dark()),
            alt=alt,
            caption=_("Data edition {edition}.", edition=facts.edition.label),
            key="recommend.map.chart",
        )
    if rest := flipped.unchanged(flips, found, _):
        st.markdown(rest)
    mixed = mix.mix(facts, scenario)
    if mixed is not None:
        st.markdown(flipped.mix_words(mixed, found, _))


def _deployments(found: Recommendation) -> None:
    """What sets the counts, every layout that was considered, other ways and other formats of the winner."""
    _ = state.text()
    facts, scenario = cached.facts(), found.scenario
    if found.is_training:
        table = tables.training_table(found, _)
        show.table(
            table, columns=show.number_columns(table), file_name="recommend-training.csv", key="recommend.training"
        )
        st.caption(tables.training_note(found, _))
    else:
        counts = tables.counts_table(found, _)
        st.markdown(_("**GPUs that each demand alone asks for, on the layout chosen**"))
        show.table(counts, columns=show.number_columns(counts), key="recommend.counts")
        besides = {one.place: layouts_beside(facts, found, one) for one in found.assessments}
        st.markdown(_("**Layouts considered**"))
        if note := layouts.unranked_note(found, besides, _):
            st.markdown(note)
        measured = {kind: measured_of(facts, kind) for kind in KINDS}
        rows = layouts.considered_table(deployments.considered(found), besides, measured, _)
        show.table(
            rows,
            columns=show.number_columns(rows) | {_("Verdict"): st.column_config.Column(width="medium")},
            file_name="recommend-deployments.csv",
            key="recommend.considered",
        )
        if caption := layouts.unranked_caption(besides, measured, _):
            st.caption(caption)
    if found.winner is not None:
        st.markdown(_("**As many GPUs of the first one had another way, at the catalogue's prices**"))
        show.table(tables.ways_table(deployments.other_ways(facts, scenario, found.winner), _), key="recommend.ways")
    if found.is_sized:
        _formats(found)


def _formats(found: Recommendation) -> None:
    """Every candidate in every weight format, and the first one's format to be taken over."""
    _ = state.text()
    section = show.details(_("Every option in every weight format"), key="recommend.free")
    if not section.open:
        return
    with section:
        free = cached.free_format(found)
        st.markdown(formats.free_format_words(free, _))
        first = free.first
        if first is not None and first.word != free.own:
            st.button(
                _("Take this format over: {format}", format=formats.format_name(free, first.word, _)),
                on_click=lambda: state.replace(taken_over(state.scenario(), first.word)),
                help=_("The weights of this workload are then in that format on every page and in the link."),
                icon=":material/done_all:",
            )
        table = formats.formats_table(found, free, _)
        show.table(
            table,
            columns=show.number_columns(table) | {_("Verdict"): st.column_config.Column(width="medium")},
            file_name="recommend-formats.csv",
            key="recommend.formats",
        )


def _front(found: Recommendation) -> None:
    """The front over two axes that the reader picks."""
    _ = state.text()
    prefers = state.scenario().prefers
    with st.container(horizontal=True):
        for field, label in (("x_axis", _("Across")), ("y_axis", _("Up"))):
            preferred(
                st.selectbox, label, field, options=list(AXES), format_func=lambda axis: axis_name(axis, found.metric, _)
            )  # fmt: skip
    axes = (prefers.x_axis, prefers.y_axis)
    front = deployments.pareto(found, axes)
    from_words = _.listing([article.option_words(one, _) for one in front])
    show.chart(
        maps.front_chart(found, front, axes, cached.looks(show.dark()), _, dark=show.dark()),
        alt=_("On the front: {options}.", options=from_words),
        caption=_("On the front: {options}.", options=from_words),
        key="recommend.front.chart",
    )


def _tender(found: Recommendation) -> None:
    """Admission apart from award."""
    _ = state.text()
    sheet = tender(found)
    short = tables.tender_table(sheet, found, _)
    show.table(short, columns=show.number_columns(short), key="recommend.tender.table")
    st.caption(
        _(
            "Admission criteria are mandatory and earn no points. Points: the figure, weight × lowest / own; throughput and "
            "evidence, weight × own / highest (the part that pairs are counted against has the highest); software, weight × (1 − risk). The weights stand above and in the link, so that "
            "another committee reaches the same points. Under such formulas the ranks of two offers may swap when a third "
            "leaves."
        )
    )
    show.download_csv(lambda: tables.tender_rows(sheet, found, _), "tender.csv", key="recommend.tender.csv")


def _questions(found: Recommendation) -> None:
    """What is not known, and the same as a request that can be copied."""
    _ = state.text()
    facts = cached.facts()
    unknown = unknowns(facts, found)
    questions = open_questions.questions_table(unknown, _)
    st.table(questions, hide_index=True, border="horizontal")
    show.download_csv(questions, "recommend-questions.csv", key="recommend.questions.csv")
    text = recommend_quote.request(found, unknown, facts, "", _)
    st.text_area(_("Request for quotation, to copy"), text, height=260, key="recommend.quote")
    show.download_text(text, "request-for-quotation.txt", key="recommend.quote.file")


def _evidence(found: Recommendation) -> None:
    """Measured pairs kind by kind, and MLPerf."""
    _ = state.text()
    measured = recommend_tables.evidence_table(found, cached.facts(), _)
    if measured.empty:
        st.markdown(_("No pair of the candidates was measured with this model."))
        return
    show.table(
        measured, columns=show.number_columns(measured), file_name="recommend-evidence.csv", key="recommend.pairs"
    )
    st.caption(
        _(
            "MLPerf ratios are per accelerator, derived here and not verified by MLCommons; best result of each part in the same test. Submitters and systems stand on the benchmarks page."
        )
    )


def _articles(found: Recommendation) -> None:
    """The articles' rules on this scenario, and their advice for every scenario of theirs beside ours."""
    _ = state.text()
    if said := article.rules_say(found, _):
        st.markdown("- " + "\n- ".join(said))
    every = recommend.of_every_preset(cached.edition_facts())
    table = article.advice_table(every, cached.edition_facts(), _)
    show.table(table, file_name="recommend-articles.csv", key="recommend.advice")


def _method(found: Recommendation) -> None:
    """The rules, with the numbers that they were run with."""
    _ = state.text()
    st.markdown(article.rules(found, _))
