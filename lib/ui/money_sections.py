"""What lies behind the cost page's answer, one section at a time: only the one that is chosen is computed."""

import functools
from typing import Any, Final, get_args

import streamlit as st

from lib.choice import cost_view_pair, cost_view_units
from lib.choice.article_costs import article_costs
from lib.choice.checks import caps_of
from lib.choice.cost_view import CostView
from lib.choice.cost_view_edits import changes
from lib.choice.page_choices import CostSection
from lib.choice.scenario import Scenario, changed, choices
from lib.cost.difference import waterfall
from lib.present import article_costs as article_words
from lib.present import cost_answer, cost_changes, cost_notes, cost_sections, cost_tables, cost_units
from lib.present.cost import option_label
from lib.present.figures import cost_pair
from lib.ui import cached, files, money_inputs, show, state

SECTIONS: Final[tuple[str, ...]] = get_args(CostSection)
_OF_A_PAIR: Final = ("difference", "map")


def detail(view: CostView) -> None:
    """The files and the sections behind the answer, closed until they are asked for or a link names one."""
    _ = state.text()
    scenario = state.scenario()
    box = st.expander(
        _("Look closer: why, break-evens, rent or buy, caps, budgets, unit costs, offers, sources, files for finance"),
        key="cost.detail",
        expanded=bool(scenario.view.cost_section),
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        if view.order:
            files.cost_files(scenario, view.options)
        chosen = state.bound(
            st.radio,
            _("Section"),
            ("view", "cost_section"),
            options=list(SECTIONS),
            format_func=lambda word: cost_sections.section_name(word, _),
        )
        _section(view, chosen)


def _section(view: CostView, chosen: str) -> None:
    _ = state.text()
    if not chosen:
        return
    if chosen in _OF_A_PAIR:
        _pair(view)
        if view.pair is None:
            st.info(_("Two options with a cost are needed for this."))
            return
    {
        "difference": _difference, "map": _map, "months": _months, "years": _years, "reach": _reach, "units": _units,
        "offers": _offers, "assumptions": _assumptions, "articles": _articles, "method": _method,
    }[chosen](view)  # fmt: skip


def _pair(view: CostView) -> None:
    """Which two options are held against each other; the tornado above follows."""
    _ = state.text()
    known = [place for place, one in enumerate(view.options) if one.npv_usd is not None]
    if len(known) < 2:
        return
    shown = view.pair or (known[0], known[1])
    columns = st.columns(2)
    for column, field, label, value in zip(
        columns, ("cost_first", "cost_second"), (_("First option"), _("Second option")), shown, strict=True
    ):
        with column:
            state.bound_to(
                st.selectbox,
                label,
                f"view.{field}.{len(view.options)}",
                functools.partial(_as_shown, value),
                functools.partial(_with_view, field),
                options=known,
                format_func=lambda place: option_label(view.options[place], _),
            )


def _as_shown(value: Any, _record: Scenario) -> Any:
    """What a list shows until another entry is chosen."""
    return value


def _with_view(field: str, record: Scenario, value: Any) -> Scenario:
    return changed(record, ("view", field), value)


def _difference(view: CostView) -> None:
    _ = state.text()
    first, second = view.first, view.second
    if first is None or second is None or first.summed is None or second.summed is None:
        return
    steps = waterfall(first.summed, second.summed)
    title = cost_sections.pair_title(view, steps.change_usd, _)
    show.chart(
        cost_pair.waterfall_chart(
            steps, first, second, _, dark=show.dark(), title=title,
            subtitle=_("NPV by component, {currency}; filled: more, open: less",
                       currency=first.finance.finance.currency),
        ),
        alt=title,
        key="cost.waterfall",
    )  # fmt: skip
    st.caption(_("Every driver with a range, the widest first; each alone, all others as they stand."))
    table = cost_sections.break_even_table(view, cost_view_pair.break_evens(view), _)
    show.table(
        table, columns=show.number_columns(table), file_name="cost-break-evens.csv", key="cost.breaks"
    )  # fmt: skip


def _map(view: CostView) -> None:
    _ = state.text()
    scenario = state.scenario()
    drivers = cost_view_pair.map_drivers(view)
    axes = cost_view_pair.map_axes(view, scenario.view.map_x, scenario.view.map_y)
    first, second = view.first, view.second
    if axes is None or first is None or second is None:
        st.info(_("Fewer than two drivers move the difference: there is no map."))
        return
    columns = st.columns(2)
    for column, field, label, value in zip(
        columns, ("map_x", "map_y"), (_("Across"), _("Up")), axes, strict=True
    ):  # fmt: skip
        with column:
            state.bound_to(
                st.selectbox,
                label,
                f"view.{field}.{'.'.join(map(str, view.pair or ()))}",
                functools.partial(_as_shown, value),
                functools.partial(_with_view, field),
                options=list(drivers),
                format_func=lambda name: cost_sections.axis_title(view, name, _),
            )
    found = cost_view_pair.pair_map(view, *axes)
    if found is None:
        st.info(_("These two drivers make no map: choose another."))
        return
    title = cost_sections.map_title(view, found, _)
    show.chart(
        cost_pair.map_chart(
            found, first, second, (cost_sections.axis_title(view, axes[0], _), cost_sections.axis_title(view, axes[1], _)),
            cost_view_pair.now_at(view, axes), _, dark=show.dark(), title=title,
            subtitle=_("the line is equal cost; × as it stands; all else as it stands"),
        ),
        alt=title,
        key="cost.map",
    )  # fmt: skip


def _months(view: CostView) -> None:
    _ = state.text()
    found = cost_view_pair.ownership(cached.facts(), state.scenario(), view)
    if found is None:
        st.info(
            _("Nothing is owned or committed here, or the part has no rent on demand: there is nothing to compare.")
        )
        return
    sentences = cost_sections.ownership_sentences(found, _)
    st.markdown(" ".join(sentences))
    show.chart(
        cost_pair.horizon_chart(
            found, cached.looks(show.dark()), _, dark=show.dark(), title=_("What each costs, by horizon"),
            subtitle=_("NPV if everything ends and is sold in that month, {currency}",
                       currency=found.owned.finance.finance.currency),
        ),
        alt=" ".join(sentences),
        key="cost.horizons",
    )  # fmt: skip


def _years(view: CostView) -> None:
    _ = state.text()
    caps = caps_of(state.scenario().constraints)
    broken = cost_tables.breach_sentences(view.options, caps, _)
    st.markdown("\n".join(f"- {sentence}" for sentence in broken) or cost_sections.caps_kept(caps, _))
    table = cost_tables.year_table(view.options, caps, _)
    show.table(table, columns=show.number_columns(table), file_name="cost-paid-by-year.csv", key="cost.paid")
    for by_year in (False, True):
        table = cost_tables.component_table(view.options, _, by_year=by_year)
        name = "cost-by-year" if by_year else "cost-by-component"
        st.caption(_("Net present value by year") if by_year else _("Net present value by component"))
        show.table(table, columns=show.number_columns(table), file_name=f"{name}.csv", key=name)


def _reach(view: CostView) -> None:
    _ = state.text()
    scenario = state.scenario()
    columns = st.columns(2)
    with columns[0]:
        limit = state.bound(
            st.selectbox,
            _("Limit"),
            ("view", "reach_limit"),
            options=list(choices(("view", "reach_limit"))),
            format_func=lambda word: cost_sections.limit_name(word, _),
        )
    with columns[1]:
        if limit == "power":
            state.bound_to(
                st.number_input, _("Power cap, kW"), "view.reach_kw", cost_view_units.reach_kw,
                lambda record, value: changed(record, ("view", "reach_kw"), value),
                min_value=1.0, max_value=1e6, step=50.0, format="%.0f",
            )  # fmt: skip
        else:
            state.bound_to(
                st.number_input, _("Budget, USD"), "view.reach_usd", cost_view_units.reach_usd,
                lambda record, value: changed(record, ("view", "reach_usd"), value),
                min_value=1.0, max_value=1e12, step=50_000.0, format="%.0f",
            )  # fmt: skip
    table = cost_sections.reach_table(cost_view_units.reach_rows(cached.facts(), scenario), _)
    show.table(table, columns=show.number_columns(table), file_name="cost-reach.csv", key="cost.reach")
    quotes = cost_sections.quote_table(cost_view_units.quote_rows(view), _)
    if len(quotes):
        st.caption(
            _("Below which price a quote must fall, or how far it may rise, to cost what the cheapest other costs.")
        )
        show.table(quotes, file_name="cost-quotes.csv", key="cost.quotes")


def _units(view: CostView) -> None:
    _ = state.text()
    scenario = state.scenario()
    here = ("workloads", scenario.workload_index)
    columns = st.columns(4, vertical_alignment="bottom")
    asked = (
        ("stated_output_tokens_per_hour", _("Output tokens an hour"), 100_000.0),
        ("output_weight", _("Output token in input tokens"), 0.5),
        ("users_per_sequence", _("Users per sequence"), 1.0),
        ("training_gpu_hours", _("GPU-hours of a training run"), 1000.0),
    )
    for column, (field, label, step) in zip(columns, asked, strict=True):
        _low, high = state.limits((*here, field))
        with column:
            state.bound(
                st.number_input, label, (*here, field), min_value=0.001, max_value=high, step=step, placeholder="–",
                format="%.10g",
            )  # fmt: skip
    rows = cost_view_units.unit_rows(cached.facts(), scenario, view)
    if not rows:
        return
    show.table(cost_units.unit_table(rows, _), file_name="cost-units.csv", key="cost.units", height="content")
    intensity = cost_view_units.grid_intensity(cached.facts(), scenario)
    st.caption(cost_units.unit_note(rows, intensity, cost_view_units.grid_row(scenario), _))


def _offers(view: CostView) -> None:
    _ = state.text()
    facts = cached.facts()
    parts = {name: one.short_name for name, one in facts.accelerators.items()}
    table = cost_units.offer_table(cost_view_units.offer_rows(facts, view), parts, _)
    st.caption(
        _("Listed rents as published, US dollars; a provider without a price may rent the part out all the same.")
    )  # fmt: skip
    show.table(table, columns=show.number_columns(table), file_name="rent-offers.csv", key="cost.offers")


def _assumptions(view: CostView) -> None:
    _ = state.text()
    facts, scenario = cached.facts(), state.scenario()
    found = changes(scenario, money_inputs.preset())
    st.markdown(_("**Changed since the preset**") if found else _("Nothing differs from the preset."))
    st.markdown("\n".join(f"- {cost_changes.change_text(change, facts, _)}" for change in found))
    st.caption(_("Assumptions, their ranges and sources"))
    show.table(
        cost_tables.assumption_table(facts, scenario, _), file_name="cost-assumptions.csv", key="cost.assumptions"
    )
    for place, one in enumerate(view.options):
        if one.option is not None:
            st.caption(_("Every field of {option}:", option=option_label(one, _)))
            show.table(
                cost_tables.origin_table(one, facts, _), file_name=f"cost-fields-{place}.csv",
                key=f"cost.fields.{place}",
            )  # fmt: skip


def _articles(_view: CostView) -> None:
    _ = state.text()
    facts = cached.edition_facts()
    show.table(
        article_words.article_table(article_costs(facts), facts, _), file_name="article-costs.csv",
        key="cost.articles", height="content",
    )  # fmt: skip


def _method(view: CostView) -> None:
    _ = state.text()
    st.markdown(cost_notes.method(_))
    st.markdown(cost_notes.draws(view, _))
    table = cost_tables.summary_table(view.options, _)
    show.table(table, columns=show.number_columns(table), file_name="cost-options.csv", key="cost.summary")
    st.markdown("\n".join(f"- {doubt}" for doubt in cost_answer.every_doubt(view, _)))
