"""Where does every number come from? Every table with its sources, ages and marks, and the method in short."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lib.choice import provenance
from lib.choice.scenario import changed
from lib.present import browsing, sources
from lib.present.figures import sources as figures
from lib.ui import cached, show, state


def column_settings(heads: Mapping[str, browsing.Head]) -> dict[str, Any]:
    """Heads with their help; the first column stays in place, narrow enough for a phone."""
    settings: dict[str, Any] = {}
    for name, head in heads.items():
        first = not settings
        if head.is_number:
            settings[name] = st.column_config.NumberColumn(head.label, help=head.help, format="localized", pinned=first)
        else:
            settings[name] = st.column_config.TextColumn(
                head.label, help=head.help, pinned=first, width="medium" if first and head.is_wide else None
            )
    return settings


def clear_filters() -> None:
    """Every row of the table again."""
    now = state.scenario()
    view = now.view.model_copy(update={"table_part": "", "table_source": "", "table_search": ""})
    state.replace(now.model_copy(update={"view": view}))


_ = state.text()
facts = cached.facts()
found = cached.origins()

show.question(_("Where does every number come from?"), sources.answer(found, facts.edition, _))
show.metrics(sources.metrics(found, _))
show.chart(
    figures.closeness_chart(found, _, dark=show.dark()),
    alt=sources.chart_alt(found, _),
    caption=_(
        "Counted from the kind of each row's source. Data edition {edition}, recorded on {date}.",
        edition=facts.edition.label,
        date=facts.edition.date,
    ),
    key="sources.closeness",
)

st.subheader(_("Every table"), anchor=False)
left, middle, right, last = st.columns(4, vertical_alignment="bottom")
with left:
    table = state.bound_to(
        st.selectbox,
        _("Table"),
        "sources.table",
        lambda record: browsing.table_of(record.view),
        lambda record, name: changed(record, ("view", "table"), name),
        options=list(sources.TABLES),
        format_func=lambda name: _(
            "{table} ({rows})", table=sources.table_title(name, _), rows=format(len(facts.tables[name]), ",")
        ),
    )
parts = provenance.parts_of(facts, table)
for sentence in browsing.unknown_choices(state.scenario().view, facts, parts, _):
    st.warning(sentence)
with middle:
    part = state.bound_to(
        st.selectbox,
        _("Part"),
        "sources.part",
        lambda record: browsing.part_of(record.view, facts, parts),
        lambda record, name: changed(record, ("view", "table_part"), name),
        options=browsing.part_options(state.scenario().view, facts, parts),
        format_func=lambda name: browsing.part_name(facts, name, _),
        disabled=not parts,
    )
with right:
    source = state.bound_to(
        st.selectbox,
        _("Source"),
        "sources.source",
        lambda record: browsing.source_of(record.view, facts),
        lambda record, name: changed(record, ("view", "table_source"), name),
        options=["", *facts.sources],
        format_func=lambda name: facts.sources[name].title if name else _("All sources"),
    )
with last:
    search = state.bound(st.text_input, _("Search"), ("view", "table_search"), max_chars=80, placeholder=_("any text"))

if source:
    with st.container(border=True):
        st.markdown(sources.source_card(facts, source, cached.source_uses()[source], _))
rows = provenance.kept(facts, table, part=part if parts else "", source=source, search=search)
every = st.toggle(_("All columns"), key="sources.every")
st.caption(sources.table_trust(table, _))
if rows.empty:
    st.info(_("No row of {table} passes these filters.", table=sources.table_title(table, _)))
    st.button(_("Clear the filters"), on_click=clear_filters, icon=":material/filter_alt_off:")
else:
    frame = browsing.shown(facts, table, rows, cached.source_uses(), _, every=every)
    st.dataframe(
        frame,
        hide_index=True,
        placeholder="–",
        column_config=column_settings(browsing.heads(facts, table, frame, _)),
        key="sources.rows",
    )
    st.caption(browsing.count_line(len(frame), len(rows), len(facts.tables[table]), _))
    show.download_csv(browsing.whole(facts, table, rows), f"{table}.csv", key="sources.csv")

with st.expander(_("How the numbers are computed")):
    st.markdown(sources.method(_))
with st.expander(_("Editions of the data")):
    show.table(sources.editions(facts, _), file_name="editions.csv", key="sources.editions")
st.caption(sources.licence(_))
show.next_steps([("start", _("Back to the questions")), ("specs", _("What is each part, really?"))])
