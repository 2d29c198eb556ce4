"""Which one for my case, and what would change that? Checks first, then cost and evidence, then a sentence with reasons."""

import streamlit as st

from lib.choice.recommend import recommend
from lib.choice.relaxing import relaxed
from lib.choice.scenario import changed
from lib.choice.software import products
from lib.choice.unknowns import unknowns
from lib.present import open_questions
from lib.present import recommend as words
from lib.present import recommend_article as article
from lib.present import recommend_tables as tables
from lib.present.figures import recommend as figures
from lib.ui import cached, show, state

_ = state.text()
facts = cached.facts()
scenario = state.scenario()
found = recommend(facts, scenario)

show.question(_("Which one for my case, and what would change that?"), words.answer(found, facts, _))
show.metrics(words.metrics(found, _))
if found.ways_out:
    st.button(
        _("Change these limits"),
        on_click=lambda: state.replace(relaxed(state.scenario(), found.ways_out[0].relaxations)),
        icon=":material/tune:",
    )
left, right = st.columns([4, 1], vertical_alignment="bottom")
with left:
    state.bound_to(
        st.multiselect,
        _("Software that must run"),
        "recommend.software",
        lambda record: record.constraints.software,
        lambda record, chosen: changed(record, ("constraints", "software"), tuple(chosen)),
        options=list(dict.fromkeys([*products(facts.software), *scenario.constraints.software])),
        max_selections=20,
        placeholder=_("No requirement"),
        help=_(
            "A part on whose platform one of these does not run is ruled out. Limits on latency, power and budget stand in the sidebar under Engine and limits."
        ),
    )
with right:
    low, high = state.limits(("constraints", "gpus"))
    state.bound(
        st.number_input,
        _("GPU cap"),
        ("constraints", "gpus"),
        min_value=int(low),
        max_value=int(high),
        step=1,
        placeholder="–",
        help=_("GPUs that may be paid for, those of whole servers included; blank is no cap."),
    )
show.chart(
    figures.ranking_chart(found, cached.looks(show.dark()), _, dark=show.dark()),
    alt=words.chart_in_words(found, _),
    caption=words.caption(found, facts, _),
    key="recommend.ranking",
)

st.subheader(_("Checks"))
st.table(tables.checks_table(found.assessments, _), hide_index=True, border="horizontal")
if found.filled:
    st.subheader(_("What the power cap holds"))
    capped = tables.power_table(found, _)
    show.table(capped, columns=show.number_columns(capped), file_name="recommend-power.csv", key="recommend.power")

st.subheader(_("Cost and evidence"))
costs = tables.cost_table(found, facts, _)
show.table(costs, columns=show.number_columns(costs), file_name="recommend.csv", key="recommend.costs")
measured = tables.evidence_table(found, facts, _)
if not measured.empty:
    with st.expander(_("Measured pairs in detail, and MLPerf")):
        show.table(
            measured, columns=show.number_columns(measured), file_name="recommend-evidence.csv", key="recommend.pairs"
        )
        st.caption(
            _(
                "MLPerf ratios are per accelerator, derived here and not verified by MLCommons; best result of each part in the same test. Submitters and systems stand on the benchmarks page."
            )
        )

changes = tables.changes_table(found, _)
if not changes.empty:
    st.subheader(_("What would change it"))
    st.table(changes, hide_index=True, border="horizontal")
if sentence := tables.rent_or_buy_in_words(found, _):
    st.markdown(sentence)

st.subheader(_("What we do not know"))
questions = open_questions.questions_table(unknowns(facts, found), _)
st.table(questions, hide_index=True, border="horizontal")
show.download_csv(questions, "recommend-questions.csv", key="recommend.questions.csv")

if found.advice is not None:
    st.subheader(_("The article says"))
    st.markdown(article.article_says(found.advice, found, _))
with st.expander(_("How this is decided")):
    st.markdown(article.rules(_))
show.next_steps(
    [
        ("cost", _("What does it cost over its life?")),
        ("benchmarks", _("What has been measured?")),
        ("sources", _("Where does every number come from?")),
    ]
)
