"""Will my stack run, and what does moving cost? What must run on each platform, formats on each part, weeks of work."""

import streamlit as st

from lib.choice.porting import porting, with_migration
from lib.choice.scenario import changed
from lib.choice.software import products
from lib.choice.view_choices import stack_choices, with_stack
from lib.present import software as words
from lib.present import software_tables as tables
from lib.present.figures import software as figures
from lib.ui import cached, show, state

_ = state.text()
facts, scenario = cached.facts(), state.scenario()
found = porting(facts, scenario, cached.parts(scenario))

show.question(_("Will my stack run, and what does moving cost?"), words.answer(found, scenario, _))
show.metrics(words.metrics(found, _))
state.bound_to(
    st.multiselect,
    _("Software that must run"),
    "software.required",
    lambda record: record.constraints.software,
    lambda record, chosen: changed(record, ("constraints", "software"), tuple(chosen)),
    options=list(dict.fromkeys([*products(facts.software), *scenario.constraints.software])),
    max_selections=20,
    placeholder=_("No requirement"),
    help=_("What is ticked here rules parts out on the recommendation page too."),
)
show.chart(
    figures.matrix_chart(found, _, dark=show.dark(), title=words.matrix_title(found, _)),
    alt=words.matrix_in_words(found, _),
    caption=words.caption(found, scenario, facts, _),
    key="software.matrix.chart",
)

st.subheader(_("Moving"))
today = {"cuda": "CUDA", "rocm": "ROCm", "none": _("nothing yet")}
columns = st.columns(4, vertical_alignment="bottom")
with columns[0]:
    state.bound_to(
        state.one_of,
        _("Runs today on"),
        "stack.runs_today",
        lambda record: stack_choices(record).runs_today,
        lambda record, value: with_stack(record, "runs_today", value),
        options=list(today),
        format_func=today.__getitem__,
    )
with columns[1]:
    low, high = state.limits(("view", "stack", "kernel_libraries"))
    state.bound_to(
        st.number_input,
        _("Own CUDA kernel libraries"),
        "stack.kernel_libraries",
        lambda record: stack_choices(record).kernel_libraries,
        lambda record, value: with_stack(record, "kernel_libraries", value),
        min_value=int(low),
        max_value=int(high),
        step=1,
        help=_(
            "Libraries of own CUDA or C++ kernels, each like a measured port of 1,700 to 2,839 lines; 0 where all is standard."
        ),
    )
with columns[2]:
    low, high = state.limits(("view", "stack", "kernel_lines"))
    state.bound_to(
        st.number_input,
        _("Own kernel lines"),
        "stack.kernel_lines",
        lambda record: stack_choices(record).kernel_lines,
        lambda record, value: with_stack(record, "kernel_lines", value),
        min_value=int(low),
        max_value=int(high),
        step=500,
        placeholder="–",
        help=_("Lines of CUDA and C++ in them; blank where not counted."),
    )
with columns[3]:
    ends = {"low": _("low"), "base": _("base"), "high": _("high")}
    state.bound_to(
        state.one_of,
        _("Estimate for the cost"),
        "stack.effort",
        lambda record: stack_choices(record).effort,
        lambda record, value: with_stack(record, "effort", value),
        options=list(ends),
        format_func=ends.__getitem__,
    )
for stack in found.platforms:
    weeks = stack.effort.weeks.get(stack_choices(scenario).effort)
    sentence = words.effort_sentence(stack, scenario, _)
    if sentence:
        st.markdown(" ".join(filter(None, (sentence, words.lines_sentence(stack.effort, _)))))
    if weeks is not None and sentence:
        st.button(
            _("Use {weeks} engineer-weeks in the cost", weeks=_.number(weeks)),
            key=f"software.use.{stack.platform}",
            on_click=lambda number=weeks: state.replace(with_migration(state.scenario(), number)),
            icon=":material/calculate:",
        )
st.caption(
    _(
        "The cost counts {weeks} engineer-weeks now, for AMD parts.",
        weeks=_.number(scenario.money.migration_engineer_weeks),
    )
)

st.subheader(_("What documentation and the articles say"))
rows = tables.products_table(found, facts, _)
show.table(rows, columns=show.number_columns(rows), file_name="software.csv", key="software.products")
for label, key in (
    (_("Formats on each part, with every row that speaks of them"), "software.formats"),
    (_("Measured ports, and what is reported"), "software.ports"),
    (_("Every statement of the articles beside documentation"), "software.claims"),
    (_("All products on both platforms"), "software.matrix"),
):
    box = show.details(label, key=key)
    if box.open:
        with box:
            frame = tables.details_table(key, found, facts, _)
            show.table(frame, columns=show.number_columns(frame), file_name=f"{key}.csv", key=f"{key}.table")
reading = show.details(_("How this is decided"), key="software.method")
if reading.open:
    with reading:
        st.markdown(words.method(_))
show.next_steps(
    [
        ("recommend", _("Which one for my case?")),
        ("cost", _("What does it cost over its life?")),
        ("sources", _("Where does every number come from?")),
    ]
)
