"""The sections of the claims page: filters, the card of a claim, where articles meet, questions, a claim of your own."""

from collections.abc import Mapping

import streamlit as st

from lib.choice import misconceptions
from lib.choice.claims import browsing, opening
from lib.choice.claims import contrasts as contrasting
from lib.choice.claims.own import own_claim, parts_of
from lib.choice.claims.records import VERDICTS, Judged
from lib.choice.scenario import Scenario, changed
from lib.errors import InputError
from lib.present import claim_card as cards
from lib.present import claim_tables as tables
from lib.present import claims as words
from lib.present import misconceptions as answers
from lib.present import own_claim as own_words
from lib.present import start
from lib.ui import cached, show, state

_HERE = ("view", "claims")


def filters(judged: Mapping[str, Judged]) -> tuple[Judged, ...]:
    """The filters in one row, and the claims that pass them."""
    _ = state.text()
    facts = cached.facts()
    everything = _("All")
    parts = sorted({part for one in judged.values() for part in one.claim.parts})
    names = {part: facts.accelerators[part].short_name for part in parts}
    choices = (
        (_("Article"), "article", ["", *words.ARTICLES], lambda one: words.article_name(one, _) if one else everything),
        (_("Verdict"), "verdict", ["", *VERDICTS], lambda one: words.marked(one, _) if one else everything),
        (_("Topic"), "topic", ["", *words.TOPICS], lambda one: words.topic_name(one, _) if one else everything),
        (_("Part"), "part", ["", *parts], lambda one: names[one] if one else everything),
    )
    columns = st.columns([2, 3, 3, 2, 3], vertical_alignment="bottom")
    for column, (label, field, options, named) in zip(columns, choices, strict=False):
        with column:
            state.bound(st.selectbox, label, (*_HERE, field), options=options, format_func=named)
    with columns[-1]:
        state.bound(st.text_input, _("Search"), (*_HERE, "search"), max_chars=60, placeholder=_("words of a claim"))
    return browsing.kept(judged, state.scenario().view.claims)


def page(judged: Mapping[str, Judged], found: tuple[Judged, ...]) -> int:
    """The page of the list, chosen where there is more than one."""
    _ = state.text()
    last = browsing.pages(found)
    current = browsing.page_in_view(found, state.scenario().view.claims)
    if last > 1:
        current = state.bound_to(
            st.selectbox,
            _("{n} claims, page", n=len(found)),
            "claims.page",
            lambda record: browsing.page_in_view(browsing.kept(judged, record.view.claims), record.view.claims),
            lambda record, value: changed(record, (*_HERE, "page"), value),
            options=list(range(1, last + 1)),
        )
    return int(current)


def card(judged: Mapping[str, Judged], found: tuple[Judged, ...]) -> None:
    """One claim: what was said, every reading computed, what went in, and the page where its inputs can be moved."""
    _ = state.text()
    facts = cached.facts()
    names = [one.claim.claim_id for one in found]
    state.bound_to(
        st.selectbox,
        _("Claim"),
        "claims.claim",
        lambda record: _in_view(judged, record),
        lambda record, value: changed(record, (*_HERE, "claim"), value),
        options=names,
        format_func=lambda name: words.claim_label(judged[name], _),
    )
    one = judged[_in_view(judged, state.scenario())]
    st.subheader(f"{one.claim.claim_id}: {words.marked(one.verdict, _)}", anchor=False)
    st.markdown(cards.said(one, _))
    if one.outcomes:
        st.markdown("\n".join(f"- {cards.reading(outcome, _)}" for outcome in one.outcomes))
    for sentence in cards.remarks(one, _):
        st.markdown(sentence)
    if one.claim.page != "sources":
        _open_link(one.claim.page, opening.opening(facts.published, one, state.scenario().language))
    if one.terms:
        st.table(cards.terms_table(one, facts, _), hide_index=True, border="horizontal")


def contrasts(judged: Mapping[str, Judged]) -> None:
    """Quantities of which several articles speak, side by side with our figure."""
    _ = state.text()
    found = contrasting.contrasts(judged)
    st.markdown(words.contrasts_answer(found, _))
    table = tables.contrast_table(found, _)
    st.table(table, hide_index=True, border="horizontal")
    show.download_csv(table, "claims-side-by-side.csv", key="claims.contrasts.csv")


def questions() -> None:
    """Misconceptions, questions, hidden costs and warnings as short answers with live numbers."""
    _ = state.text()
    facts, language = cached.facts(), state.scenario().language
    answered = misconceptions.answered(facts.published)
    for kind in misconceptions.KINDS:
        st.subheader(answers.kind_name(kind, _), anchor=False)
        for one in answered:
            if one.question.kind == kind:
                st.markdown(f"**{answers.question(one.question.name, _)}** {answers.answer(one, _)}")
                _open_link(one.question.page, misconceptions.opening(facts.published, one.question, language))


def own() -> None:
    """A claim that the reader states, judged by the same engine; model and load are those of the sidebar."""
    _ = state.text()
    facts = cached.facts()
    choices = state.scenario().view.claims
    state.bound(
        state.one_of,
        _("What is claimed"),
        (*_HERE, "own"),
        options=["sizing", "price", "per-dollar"],
        format_func={
            "sizing": _("Cards for a model"),
            "price": _("A price ratio"),
            "per-dollar": _("Work per dollar"),
        }.__getitem__,
    )
    columns = st.columns(4, vertical_alignment="bottom")
    with columns[0]:
        _part(_("Part"), "own_part", 0)
    if choices.own == "sizing":
        with columns[1]:
            low, high = state.limits((*_HERE, "own_gpus"))
            state.bound(
                st.number_input,
                _("Number of cards"),
                (*_HERE, "own_gpus"),
                min_value=int(low),
                max_value=int(high),
                step=1,
            )
    else:
        with columns[1]:
            _part(_("Compared with"), "own_other", 1)
        with columns[2]:
            low, high = state.limits((*_HERE, "own_ratio"))
            state.bound(
                st.number_input, _("Ratio claimed"), (*_HERE, "own_ratio"), min_value=low, max_value=high, step=0.05
            )
        with columns[3]:
            state.bound(
                st.selectbox,
                _("Price"),
                (*_HERE, "own_price"),
                options=["on-demand", "purchase"],
                format_func={"on-demand": _("on demand"), "purchase": _("purchase")}.__getitem__,
            )
    scenario = state.scenario()
    st.markdown(own_words.stated(scenario, facts, _))
    try:
        judged = own_claim(facts, scenario)
    except InputError as error:
        st.warning(own_words.problem(error, _))
        return
    st.markdown(own_words.verdict(judged, scenario, _))
    if judged.outcomes:
        st.markdown("\n".join(f"- {cards.reading(outcome, _)}" for outcome in judged.outcomes))
    if judged.terms:
        st.table(cards.terms_table(judged, facts, _), hide_index=True, border="horizontal")
    st.caption(_("Model, format, tokens and sequences are those of the sidebar; the link holds the claim."))


def _part(label: str, field: str, place: int) -> None:
    facts = cached.facts()
    state.bound_to(
        st.selectbox,
        label,
        f"claims.{field}",
        lambda record: parts_of(record)[place],
        lambda record, value: changed(record, (*_HERE, field), value),
        options=list(facts.accelerators),
        format_func=lambda name: facts.accelerators[name].short_name,
    )


def _in_view(judged: Mapping[str, Judged], record: Scenario) -> str:
    one = browsing.in_view(browsing.kept(judged, record.view.claims), record.view.claims)
    return one.claim.claim_id if one else ""


def _open_link(page_name: str, scenario: Scenario) -> None:
    _ = state.text()
    st.page_link(
        show.page_file(page_name),
        label=_("Open in {page} with this scenario", page=start.page_name(page_name, _)),
        icon=":material/arrow_forward:",
        query_params=state.address_of(scenario),
    )
