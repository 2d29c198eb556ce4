"""Are the published claims true? Every claim of five articles, recomputed now, with its card, and a claim of your own."""

import streamlit as st

from lib.choice.claims import browsing
from lib.present import claim_tables as tables
from lib.present import claims as words
from lib.present.figures import claims as figures
from lib.ui import cached, claim_sections, show, state

_ = state.text()
facts, scenario = cached.facts(), state.scenario()
judged = cached.claims()

show.question(_("Are the published claims true?"), words.answer(judged, facts, _))
show.metrics(words.metrics(judged, _))
show.chart(
    figures.verdict_chart(judged, words.ARTICLES, _, dark=show.dark()),
    alt=words.chart_in_words(judged, _),
    caption=_(
        "A0 to A4 are five Chinese articles of 2026 about MI300X, MI355X and H100; their claims are paraphrased. "
        "Computed with data edition {edition}.",
        edition=facts.edition.label,
    ),
    key="claims.chart",
)
section = state.bound(
    state.one_of,
    _("Show"),
    ("view", "claims", "section"),
    options=["claims", "contrasts", "questions", "own"],
    format_func={
        "claims": _("The claims"),
        "contrasts": _("Where articles meet"),
        "questions": _("Questions answered"),
        "own": _("A claim of your own"),
    }.__getitem__,
)
if section == "claims":
    found = claim_sections.filters(judged)
    if not found:
        st.info(_("No claim passes these filters."))
    else:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            page = claim_sections.page(judged, found)
            st.table(tables.claims_table(browsing.on_page(found, page), _), hide_index=True, border="horizontal")
            show.download_csv(lambda: tables.claims_file(found, _), "claims.csv", key="claims.csv")
        with right:
            claim_sections.card(judged, found)
elif section == "contrasts":
    claim_sections.contrasts(judged)
elif section == "questions":
    claim_sections.questions()
else:
    claim_sections.own()

method = show.details(_("How this is computed"), key="claims.method")
if method.open:
    with method:
        st.markdown(words.method(_))
show.next_steps(
    [
        ("specs", _("What is each part, really?")),
        ("benchmarks", _("What has been measured?")),
        ("sources", _("Where does every number come from?")),
    ]
)
