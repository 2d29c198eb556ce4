"""What is each part, really? The spec table: dense peaks, memory as reported, a source for each cell."""

import streamlit as st

from lib.choice import comparison
from lib.choice.scenario import changed
from lib.present import specs
from lib.present.figures import specs as figures
from lib.ui import cached, show, state

_ = state.text()
facts = cached.facts()
parts = cached.parts_from_base(state.scenario())
rows = comparison.rows(parts)

show.question(_("What is each part, really?"), specs.answer(parts, rows, facts.columns, _))
if len(parts) > 1:
    state.bound_to(
        state.one_of,
        _("Measured against"),
        "view.base",
        lambda _record: parts[0].accelerator_id,
        lambda record, name: changed(record, ("view", "base"), name),
        options=[part.accelerator_id for part in cached.parts(state.scenario())],
        format_func=lambda name: facts.accelerators[name].short_name,
    )
    show.chart(
        figures.ratio_chart(parts, rows, cached.looks(show.dark()), facts.columns, _, dark=show.dark()),
        alt=specs.answer(parts, rows, facts.columns, _),
        caption=_(
            "Sources and dates of every cell stand below the table. Data edition {edition}.",
            edition=facts.edition.label,
        ),
        key="specs.ratios",
    )

st.subheader(_("Side by side"))
table = specs.side_by_side(parts, rows, facts.columns, _)
st.table(table, hide_index=True, border="horizontal")
show.download_csv(table, "specs-side-by-side.csv", key="specs.side.csv")
sources = show.details(_("Sources and dates of these cells"), key="specs.cells")
if sources.open:
    with sources:
        show.table(specs.cell_sources(facts, parts, _), file_name="specs-sources.csv", key="specs.sources")

st.subheader(_("All parts"))
left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
with left:
    group = state.one_of(
        _("Quantities"),
        options=["memory", "compute", "fabric", "power", "build"],
        format_func=lambda one: specs.group_name(one, _),
        key="specs.group",
    )
with middle:
    vendors = st.multiselect(
        _("Vendors"), sorted({part.vendor for part in facts.accelerators.values() if part.vendor}), key="specs.vendors"
    )
with right:
    shipping = st.toggle(_("Shipping parts only"), key="specs.shipping")
every = specs.all_parts(facts, group, vendors, shipping, _)
if every.empty:
    st.info(_("No part passes these filters."))
else:
    show.table(every, columns=show.number_columns(every), file_name="specs.csv", key="specs.all")

reading = show.details(_("How to read this"), key="specs.reading")
if reading.open:
    with reading:
        st.markdown(
            _(
                "A **dense** peak counts every multiplication; a sparse one counts twice as many for matrices in which half of "
                "the values are zero, which language models do not use. The **label** names GB (10⁹ bytes) or GiB (2³⁰ bytes) as "
                "the vendor pleases; the driver and the runtime report what software gets. Fit is computed with the runtime's "
                "figure. Interconnect counts both directions. A blank was not found in any source and is never a zero."
            )
        )
show.next_steps([("memory", _("Does my model fit?")), ("benchmarks", _("What has been measured?"))])
