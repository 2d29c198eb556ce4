"""How are the chips built? Dies and stacks, memory, compute, fabric, and where the workload stands under each roof."""

import streamlit as st

from lib.choice import chip, chip_roofline
from lib.choice.scenario import changed
from lib.present import inside, inside_limits
from lib.present import inside_numbers as numbers
from lib.ui import cached, inside_sections, show, state

_ = state.text()
facts, scenario = cached.facts(), state.scenario()
compared = [part.accelerator_id for part in cached.parts(scenario)]
chosen = chip.chosen_parts(facts.accelerators, scenario.view.inside.parts, compared)
parts = tuple(facts.accelerators[name] for name in chosen)
found = chip_roofline.roofs(facts, scenario.workload, scenario.engine, parts)
built = [chip.package(facts, part) for part in parts]

show.question(_("How are the chips built?"), inside_limits.answer(facts, scenario.workload, found, built, _))
for sentence in inside_limits.unknown_parts(scenario.view.inside.parts, facts.accelerators, _):
    st.warning(sentence)
view = scenario.view.inside.view
seen = inside_sections.seen(view, parts, found)
show.metrics(seen.metrics)
left, right = st.columns(2, gap="medium", vertical_alignment="bottom")
with left:
    state.bound(
        state.one_of,
        _("Show"),
        ("view", "inside", "view"),
        options=list(chip.VIEWS),
        format_func=lambda name: inside.view_name(name, _),
    )
with right:
    state.bound_to(
        st.multiselect,
        _("Parts shown, at most four"),
        "inside.parts",
        lambda record: chip.chosen_parts(
            facts.accelerators, record.view.inside.parts, [one.accelerator for one in record.candidates]
        ),
        lambda record, names: changed(record, ("view", "inside", "parts"), tuple(names)),
        options=list(facts.accelerators),
        format_func=lambda name: facts.accelerators[name].short_name,
        max_selections=chip.MOST_PARTS,
        help=_("Until you choose others, the first parts compared in the sidebar."),
    )
inside_sections.draw(seen)
st.caption(" ".join([*inside_limits.remarks(found, _), numbers.caption(facts, seen.data, _)]))

table = numbers.values_table(facts, seen.data, _)
show.table(table, columns=show.number_columns(table), file_name=f"chips-{view}.csv", key="inside.table")
reading = show.details(_("How this is computed"), key="inside.method")
if reading.open:
    with reading:
        st.markdown(numbers.method(_))
show.next_steps(
    [
        ("specs", _("What is each part, really?")),
        ("memory", _("Does my model fit?")),
        ("benchmarks", _("What has been measured?")),
    ]
)
