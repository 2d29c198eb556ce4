"""Is this offer what it says? Each statement held against the catalogue, the dated prices and what is needed."""

import streamlit as st
from pydantic import ValidationError

from lib.choice import quoted
from lib.choice.offers import check_offer
from lib.choice.quotes import EXAMPLE, MOST_QUOTES
from lib.errors import InputError
from lib.present import offer
from lib.present.figures import offer as figures
from lib.ui import cached, offer_form, scenario_file, show, state

_ = state.text()
facts, scenario = cached.facts(), state.scenario()
quote = scenario.quote


def _use() -> None:
    current = state.scenario()
    if current.quote is None:
        return
    try:
        state.replace(quoted.use(cached.facts(), current, current.quote))
    except InputError as error:
        st.session_state.offer_unusable = str(error.allowed)
    except ValidationError:
        st.session_state.offer_unusable = "too-much"


def _remove() -> None:
    offer_form.forget_refusal()
    state.replace(quoted.without_quote(state.scenario(), state.scenario().view.quote))


def _example() -> None:
    offer_form.forget_refusal()
    state.replace(quoted.with_quote(state.scenario(), EXAMPLE))


check = check_offer(facts, scenario, quote) if quote is not None else None
title = _("Is this offer what it says?")
if check is None:
    show.question(title, offer.nothing_yet(bool(scenario.quotes), _))
else:
    show.question(title, offer.answer(check, _))
    show.metrics(offer.metrics(check, _))
if scenario.quotes:
    places = list(range(min(len(scenario.quotes) + 1, MOST_QUOTES)))
    state.bound(
        state.one_of,
        _("Offer"),
        ("view", "quote"),
        options=places,
        format_func=lambda at: (
            offer.label(scenario.quotes[at], facts) if at < len(scenario.quotes) else _("Another offer")
        ),
    )
elif check is None:
    st.button(_("Show me an example"), key="offer.example", on_click=_example, icon=":material/lightbulb:")
if check is not None and quote is not None:
    rows = offer.table(check, facts, _)
    st.table(offer.shown(rows), hide_index=True, border="horizontal")
    chart = figures.price_chart(check, facts, cached.looks(show.dark())[quote.part], _, dark=show.dark())
    if chart is not None:
        show.chart(chart, alt=figures.title(check, _), caption=figures.caption(check, facts, _), key="offer.prices")
    used = quoted.is_used(facts, scenario, quote)
    reason = quoted.why_not(facts, quote) or st.session_state.pop("offer_unusable", "")
    at_old_rate = offer.at_rate_of_use(facts, scenario, quote, _)
    st.markdown(offer.use_text(reason, check, used, _, at_old_rate))
    with st.container(horizontal=True):
        st.button(
            _("Use this quote again") if at_old_rate else _("Use this quote"), key="offer.use", on_click=_use,
            icon=":material/check:", disabled=(used and not at_old_rate) or bool(quoted.why_not(facts, quote)),
        )  # fmt: skip
        st.button(_("Remove this offer"), key="offer.remove", on_click=_remove, icon=":material/delete:")
        show.download_csv(rows, "offer-check.csv", key="offer.csv")

st.subheader(_("The offer as it stands on paper"), anchor=False)
st.caption(_("Leave blank what the offer does not say. It travels in the link and is stored nowhere else."))
offer_form.form(quote)

section = state.one_of(
    _("Look closer"),
    options=["kept", "questions", "file", "method"] if check is not None else ["file", "method"],
    format_func=lambda word: {
        "kept": _("Offers kept"),
        "questions": _("Questions to the vendor"),
        "file": _("Save or open the whole scenario"),
        "method": _("How this is judged"),
    }[word],
    key="offer.section",
)
if section == "kept":
    show.table(offer.kept(facts, scenario, _), file_name="offers.csv", key="offer.kept")
elif section == "questions" and check is not None:
    st.code(offer.questions(check, facts, _), language=None, wrap_lines=True)
elif section == "file":
    scenario_file.section()
else:
    st.markdown(offer.method(_))
show.next_steps([("cost", _("What does it cost over its life?")), ("recommend", _("Which one for my case?"))])
