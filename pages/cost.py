"""What does it cost over its life? The TCO of every candidate, its curves and components, and sliders for what moves it."""

import streamlit as st

from lib.choice.costed import costed_all
from lib.present import cost, cost_notes, cost_tables
from lib.present.figures import cost as figures
from lib.ui import cached, money, show, state

_ = state.text()
facts = cached.facts()
scenario = state.scenario()

options = costed_all(facts, scenario)
best = cost.ranked(options)

show.question(_("What does it cost over its life?"), cost.answer(options, scenario, _))
show.metrics(cost.metrics(options, _))
left, right = st.columns([2, 5], gap="medium")
with left:
    money.price(options)
    money.main_sliders()
with right:
    if best:
        show.chart(
            figures.cumulative_chart(options, cached.looks(show.dark()), _, dark=show.dark()),
            alt=cost_notes.curves_in_words(options, _),
            key="cost.curves",
        )
        show.chart(
            figures.components_chart(options, _, dark=show.dark()),
            alt=cost_notes.components_in_words(options, _),
            caption=cost_notes.sources_line(options, facts, _),
            key="cost.components",
        )
for sentence in cost.problems(options, _):
    st.warning(sentence, icon=":material/block:")

more = show.details(_("More assumptions"), key="cost.more")
if more.open:
    with more:
        money.more_sliders()
details = show.details(
    _("Tables: all options, components, years, assumptions with their sources; how this is computed"),
    key="cost.details",
)
if details.open:
    with details:
        st.table(cost_tables.summary_shown(options, _), hide_index=True, border="horizontal")
        show.download_csv(lambda: cost_tables.summary_table(options, _), "cost-options.csv", key="cost.options.csv")
        for by_year in (False, True) if best else ():
            table = cost_tables.component_table(options, _, by_year=by_year)
            name = "cost-by-year" if by_year else "cost-by-component"
            st.caption(_("Net present value by year") if by_year else _("Net present value by component"))
            show.table(table, columns=show.number_columns(table), file_name=f"{name}.csv", key=name)
        st.caption(_("Assumptions, their ranges and sources"))
        show.table(
            cost_tables.assumption_table(facts, scenario, _), file_name="cost-assumptions.csv", key="cost.assumptions"
        )
        for one in best:
            st.caption(_("Every field of {option}:", option=cost.option_label(one, _)))
            name = f"cost.fields.{one.candidate.accelerator}.{one.candidate.acquisition}.{one.candidate.price_source}"
            show.table(cost_tables.origin_table(one, facts, _), file_name="cost-fields.csv", key=name)
        st.markdown(cost_notes.method(_))
show.next_steps([("recommend", _("Which one for my case?")), ("sources", _("Where does every number come from?"))])
