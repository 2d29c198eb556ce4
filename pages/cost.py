"""What does it cost over its life? Options in order with their odds, four charts, the inputs, and what lies behind."""

import streamlit as st

from lib.present import cost, cost_answer, cost_findings, cost_notes
from lib.ui import cached, money, money_charts, money_inputs, money_sections, show, state

_ = state.text()
facts, scenario = cached.facts(), state.scenario()
view = cached.costs(scenario)
charts = money_charts.charts(view)
answer, metrics, remarks = (
    cost_answer.answer(view, scenario, _), cost_answer.metrics(view, _), cost_answer.remarks(view, _)
)  # fmt: skip
below = [text for text in (cost_findings.spread_caption(view, _), money_inputs.changed_text()) if text]

show.question(_("What does it cost over its life?"), answer)
show.metrics(metrics)
if remarks:
    st.caption(" ".join(remarks))
for sentence in cost.problems(view.options, _):
    st.warning(sentence, icon=":material/block:")
if charts:
    for column, chart in zip(st.columns(2, gap="medium"), charts[:2], strict=True):
        with column:
            chart.show()
    st.caption(cost_notes.sources_line(view.options, facts, _, scenario))
money.basic(view.options)
if charts:
    for column, chart in zip(st.columns(2, gap="medium"), charts[2:], strict=True):
        with column:
            chart.show()
if below:
    st.caption(" ".join(below))
money_inputs.section(view.options)
money_sections.detail(view)
show.next_steps([("recommend", _("Which one for my case?")), ("sources", _("Where does every number come from?"))])
