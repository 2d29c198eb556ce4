"""Which one for my case, and what would change that? Fleets and checks first, then the figure, how sure it is, and what turns it."""

import streamlit as st

from lib.choice.flip_points import flip_points
from lib.choice.relaxing import eased
from lib.choice.scenario import changed
from lib.choice.software import products
from lib.choice.ways import settled
from lib.present import recommend as words
from lib.present import recommend_article as article
from lib.present import recommend_beside
from lib.present import recommend_flips as flipped
from lib.present import recommend_tables as tables
from lib.present.figures import recommend as figures
from lib.ui import cached, recommend_sections, show, state

MOST_CHANGES = 15
"""So many flip points stand on the page; the far ones are in the file."""

_ = state.text()
facts = cached.facts()
scenario = state.scenario()
found = cached.recommendation(scenario)
sure = cached.sureness(found)

show.question(_("Which one for my case, and what would change that?"), words.answer(found, facts, _, sure))
turns = st.empty()  # filled below: the answer and its picture do not wait for what would overturn it
show.metrics(words.metrics(found, sure, _))
if found.ways_out:
    st.button(
        words.change_of(found.ways_out[0], _),
        on_click=lambda: state.replace(eased(state.scenario(), found.scenario, found.ways_out[0])),
        icon=":material/tune:",
    )
left, ways, middle, right = st.columns([2, 2, 3, 1], vertical_alignment="bottom")
with left:
    recommend_sections.metric_choice(scenario, found)
with ways:
    recommend_sections.ways_choice()
with middle:
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
flips = flip_points(facts, found)
if flips:
    turns.markdown(show.unbroken(flipped.headline(flips, found, facts, _)))
told = [tables.rent_or_buy_in_words(found, _), *recommend_beside.beside(found, _)]
if any(told):
    st.markdown("\n".join(f"- {one}" for one in told if one))
if scenario.prefers.ways == "all" and found.winner is not None:
    st.button(
        _("Take the best way of each part into the scenario"),
        on_click=lambda: state.replace(settled(state.scenario(), tuple(one.candidate for one in found.assessments))),
        help=_("Cost, timing, brief and files then show each part in that way."),
        icon=":material/done_all:",
    )
recommend_sections.tastes()

if flips:
    st.subheader(_("What would change it"))
    changes = flipped.flips_table(flips, found, facts, _)
    show.plain_table(changes.head(MOST_CHANGES), data=changes, file_name="recommend-flips.csv", key="recommend.flips")
    if len(changes) > MOST_CHANGES:
        st.caption(_("The nearest {n} of {all}; the CSV has all.", n=MOST_CHANGES, all=len(changes)))
if found.advice is not None:
    heading = _("The article says")
    st.markdown(f"**{heading}** · {article.article_says(found.advice, found, _)}")
recommend_sections.detail(found, sure, flips)
show.next_steps(
    [
        ("cost", _("What does it cost over its life?")),
        ("timing", _("Buy now, rent, or wait?")),
        ("benchmarks", _("What has been measured?")),
        ("sources", _("Where does every number come from?")),
    ]
)
