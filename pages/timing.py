"""Buy now, rent, or wait? Every path of one part at one date of money, under prices that fall, stay and rise."""

import streamlit as st

from lib.choice.roadmap import upcoming
from lib.choice.timing_paths import timing, waited_for
from lib.choice.view_choices import timing_choices, with_timing
from lib.present import timing as words
from lib.present import timing_pictures as pictures
from lib.present import timing_risks as risks
from lib.present import timing_tables as tables
from lib.present.figures import timing as figures
from lib.ui import cached, show, state

_ = state.text()
facts, scenario, dark = cached.facts(), state.scenario(), show.dark()
first = cached.recommendation(scenario).winner
found = timing(facts, scenario, first.candidate.accelerator if first is not None else "")
looks = cached.looks(dark)

show.question(_("Buy now, rent, or wait?"), words.answer(found, _))
show.metrics(risks.metrics(found, _))
st.caption(" ".join(filter(None, (words.fleet_words(found, _), risks.lead_sentence(found, facts, _)))))
left, right = st.columns([2, 5], gap="medium")
with left:
    state.bound_to(
        st.selectbox,
        _("Part"),
        "timing.part",
        lambda _record: found.part.accelerator_id,
        lambda record, name: with_timing(record, "part", name),
        options=[part.accelerator_id for part in cached.parts(scenario)],
        format_func=lambda name: facts.accelerators[name].short_name,
        help=_("The part that comes first on the page Recommend until you choose one."),
    )
    low, high = state.limits(("view", "timing", "gpus"))
    state.bound_to(
        st.number_input,
        _("GPUs"),
        "timing.gpus",
        lambda _record: found.gpus,
        lambda record, count: with_timing(record, "gpus", count),
        min_value=int(low),
        max_value=int(high),
        step=1,
        placeholder="–",
        help=_("GPUs that the load needs; the fleet of the scenario until you change it."),
    )
    state.bound(
        st.slider,
        _("Horizon, years"),
        ("money", "horizon_years"),
        min_value=1,
        max_value=5,
        step=1,
        help=_("Years from the decision to resale."),
    )
    state.bound_to(
        st.slider,
        _("Months of rent before buying"),
        "timing.months",
        lambda record: timing_choices(record).rent_first_months,
        lambda record, months: with_timing(record, "rent_first_months", months),
        min_value=1,
        max_value=48,
        step=1,
        help=_("For the path that rents first and buys later."),
    )
    low, high = state.limits(("view", "timing", "lead_months"))
    state.bound_to(
        st.number_input,
        _("Lead time, months"),
        "timing.lead",
        lambda _record: found.lead_months,
        lambda record, months: with_timing(record, "lead_months", months),
        min_value=int(low),
        max_value=int(high),
        step=1,
        placeholder="–",
        help=_("From the order to delivery; the same part is rented meanwhile. Blank is not stated: none is counted."),
    )
    state.bound_to(
        st.selectbox,
        _("Wait for"),
        "timing.wait",
        lambda record: product.name if (product := waited_for(facts, record)) else "",
        lambda record, name: with_timing(record, "wait_for", name),
        options=[product.name for product in upcoming(facts.roadmap)],
        help=_("Announced parts that no price list has yet."),
    )
    state.bound_to(
        st.checkbox,
        _("Server prices follow the rents"),
        "timing.follow",
        lambda record: timing_choices(record).prices_follow,
        lambda record, follow: with_timing(record, "prices_follow", follow),
        help=_(
            "A later order costs more or less by the yearly change of the rents; no series of server prices is known."
        ),
    )
with right:
    if found.best is not None:
        show.chart(
            figures.paths_chart(found, looks, _, dark=dark, title=pictures.paths_title(found, _)),
            alt=pictures.paths_in_words(found, _),
            caption=pictures.caption(found, facts, _),
            key="timing.paths",
        )
    else:
        st.info(_("State a price on the cost page, or choose another part."))

paths = tables.paths_table(found, _)
show.table(paths, columns=show.number_columns(paths), file_name="timing-paths.csv", key="timing.table")
if found.best is not None:
    st.markdown(" ".join(filter(None, (risks.resale_sentence(found, _), risks.wait_sentence(found, _)))))
    st.subheader(_("Over one to five years"))
    st.table(tables.horizon_table(found, _), hide_index=True, border="horizontal")

st.subheader(_("What rents did"))
show.chart(
    figures.rents_chart(
        facts.measured["rent_history"], found, looks, facts, _, dark=dark, title=pictures.rents_title(found, _)
    ),
    alt=pictures.rents_title(found, _),
    caption=pictures.rents_caption(facts, _),
    key="timing.rents",
)
st.subheader(_("What is announced"))
show.chart(
    figures.roadmap_chart(facts, looks, _, dark=dark, title=pictures.roadmap_title(facts, _)),
    alt=pictures.roadmap_in_words(facts, _),
    caption=pictures.roadmap_caption(facts, _),
    key="timing.roadmap",
)
for label, key in (
    (_("Every statement of the roadmap, with its source"), "timing.statements"),
    (_("Prices behind the paths"), "timing.prices"),
    (_("Series behind the futures"), "timing.series"),
):
    box = show.details(label, key=key)
    if box.open:
        with box:
            frame = tables.details_table(key, found, facts, _)
            show.table(frame, columns=show.number_columns(frame), file_name=f"{key}.csv", key=f"{key}.table")
reading = show.details(_("How this is computed"), key="timing.method")
if reading.open:
    with reading:
        st.markdown(risks.method(found, _))
show.next_steps(
    [
        ("cost", _("What does it cost over its life?")),
        ("software", _("Will my stack run?")),
        ("recommend", _("Which one for my case?")),
    ]
)
