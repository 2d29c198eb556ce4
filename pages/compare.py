"""What differs between two scenarios? The answers, the inputs that differ, and which of them explains most of it."""

import streamlit as st

from lib.choice.own_parts import with_own_parts
from lib.present import compare, compare_tables, edition_words
from lib.present.figures import compare as figures
from lib.ui import cached, other, show, state

_ = state.text()
scenario = state.scenario()
headline = st.container()
theirs, name = other.controls()
found = cached.difference(scenario, theirs)
facts = with_own_parts(cached.edition_facts(), found.own_parts)

with headline:
    show.question(_("What differs between two scenarios?"), compare.answer(found, facts, name, _))
show.metrics(compare.metrics(found, _))
chart = figures.effects_chart(found, facts, _, dark=show.dark())
if chart is None:
    st.info(compare.without_picture(found, _))
else:
    show.chart(
        chart,
        alt=figures.title(found, facts, _),
        caption=_(
            "Each input switched alone in either scenario, the mean of both. Fleets are those of Recommend. Data edition {edition}.",
            edition=facts.edition.label,
        ),
        key="compare.effects",
    )
st.subheader(_("Answers side by side"))
show.table(
    compare_tables.answers_table(found, _), file_name="compare-answers.csv", key="compare.answers", height="content"
)
if found.groups:
    st.subheader(_("Inputs that differ"))
    show.table(compare_tables.inputs_table(found, facts, _), file_name="compare-inputs.csv", key="compare.inputs")
st.subheader(_("Every option in both"))
show.table(
    compare_tables.options_table(found, _), file_name="compare-options.csv", key="compare.options", height="content"
)

since = cached.since_link(scenario)
if since is not None and since.is_recorded:
    st.subheader(_("What has changed since this link was made"))
    st.markdown(edition_words.effect(since, _))
    if since.changes:
        changes = edition_words.changes_table(since, facts, _)
        show.table(changes.head(edition_words.MOST_ROWS), key="compare.changes")
        show.download_csv(changes, "changes-since-link.csv", key="compare.changes.csv")
    show.table(edition_words.options_table(since, _), key="compare.then", height="content")
    st.caption(" ".join(edition_words.caveats(since, facts, _)))
method = show.details(_("How this is computed"), key="compare.method")
if method.open:
    with method:
        st.markdown(compare.method(_))
show.next_steps(
    [
        ("recommend", _("Which one for my case?")),
        ("cost", _("What does it cost over its life?")),
        ("sources", _("Where does every number come from?")),
    ]
)
