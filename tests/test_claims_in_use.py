"""Around the verdicts: filters, the scenario a card opens, where articles meet, a claim of one's own, questions."""

import pytest

from lib import catalog
from lib.choice import link, misconceptions, presets
from lib.choice.claims import browsing, opening
from lib.choice.claims.contrasts import contrasts
from lib.choice.claims.judge import judge_all
from lib.choice.claims.own import own_claim
from lib.choice.claims.values import Value
from lib.choice.page_choices import ClaimsChoices
from lib.choice.scenario import Scenario
from lib.errors import InputError
from lib.present import claim_card, claim_tables, claim_terms, claims
from lib.present import misconceptions as answers
from lib.present import own_claim as own_words
from lib.present.text import words

FACTS = catalog.load()
ALL = judge_all(FACTS)
ENGLISH = words("en")


def claiming(preset: str = "serve-70b", **choices: object) -> Scenario:
    """A preset in which the reader claims this."""
    scenario = presets.preset(FACTS, preset)
    chosen = ClaimsChoices(**choices)  # type: ignore[arg-type]
    return scenario.model_copy(update={"view": scenario.view.model_copy(update={"claims": chosen})})


def test_filters_keep_what_they_say_and_nothing_else() -> None:
    """Each filter alone and all together; the search reads both languages, ids and notes."""
    for choices in (
        ClaimsChoices(article="article-a3"), ClaimsChoices(verdict="contradicted"), ClaimsChoices(topic="software"),
        ClaimsChoices(part="h200-sxm"),
    ):  # fmt: skip
        found = browsing.kept(ALL, choices)
        assert 0 < len(found) < len(ALL)
    both = browsing.kept(ALL, ClaimsChoices(article="article-a4", verdict="contradicted", part="mi300x", search="FP8"))
    assert {one.claim.claim_id for one in both} >= {"A4-008", "A4-065", "A4-067"}
    assert all(one.claim.article == "article-a4" and one.verdict == "contradicted" for one in both)
    assert {one.claim.claim_id for one in browsing.kept(ALL, ClaimsChoices(search="a1-007"))} == {"A1-007"}
    assert "A0-019" in {one.claim.claim_id for one in browsing.kept(ALL, ClaimsChoices(search="权重 h100"))}
    assert not browsing.kept(ALL, ClaimsChoices(search="no such words at all"))


def test_pages_hold_twenty_and_together_everything() -> None:
    """285 claims are fifteen pages; a page past the end is the last one."""
    found = browsing.kept(ALL, ClaimsChoices())
    assert browsing.pages(found) == 15
    together = [one for number in range(1, 16) for one in browsing.on_page(found, number)]
    assert together == list(ALL.values())
    assert browsing.page_in_view(found, ClaimsChoices(page=60)) == 15


def test_the_card_is_the_chosen_claim_or_a_telling_one() -> None:
    """A choice that does not pass the filters gives way to the first contradicted claim of the page."""
    found = browsing.kept(ALL, ClaimsChoices())
    shown = browsing.in_view(found, ClaimsChoices(claim="A3-024"))
    assert shown is not None
    assert shown.claim.claim_id == "A3-024"
    first = browsing.in_view(found, ClaimsChoices())
    assert first is not None
    assert first.verdict == "contradicted"
    assert browsing.in_view((), ClaimsChoices()) is None


def test_every_card_opens_a_scenario_that_a_link_holds() -> None:
    """The parts of the claim are compared, its model is in view, and the token brings both back."""
    for name, one in ALL.items():
        found = opening.opening(FACTS, one, "en")
        assert link.decode(link.encode(found)) == found, name
        link.check_names(found, FACTS.accelerators, FACTS.models)
        if one.claim.parts:
            assert [part.accelerator for part in found.candidates] == list(one.claim.parts[:4]), name
        if one.models:
            assert found.workload.model == one.models[0], name


def test_contradictions_stand_beside_our_figure() -> None:
    """FP8 of MI300X: 2,600 and 1,307 of two articles beside the vendor's 2,614.9; compute dies: 8 and 5 beside 8."""
    found = {one.name: one for one in contrasts(ALL)}
    fp8 = found["mi300x-fp8"]
    assert {one.claim.low for one in fp8.judged} == {2600, 1307}
    assert fp8.articles == ("article-a0", "article-a4")
    assert fp8.value == Value(2614.9, 2614.9)
    assert found["mi300x-compute-dies"].disagrees
    assert not found["mi300x-memory"].disagrees
    order = [one.disagrees for one in contrasts(ALL)]
    assert order == sorted(order, reverse=True)
    assert all(
        len(one.judged) > 1 and claim_tables.contrast_name(one.name, ENGLISH) != one.name for one in found.values()
    )


def test_a_number_of_cards_is_checked_by_three_readings() -> None:
    """70B at bf16, 64 sequences of 4,608 tokens: one MI300X holds the weights alone; four hold it by every reading."""
    one = own_claim(FACTS, claiming(own="sizing", own_part="mi300x", own_gpus=1))
    assert (one.verdict, [out.holds for out in one.outcomes]) == ("holds-with-condition", [True, False, False])
    four = own_claim(FACTS, claiming(own="sizing", own_part="mi300x", own_gpus=4))
    assert four.verdict == "holds"
    none = own_claim(FACTS, claiming(own="sizing", own_part="l40s", own_gpus=1))
    assert none.verdict == "contradicted"


def test_a_price_ratio_is_checked_against_the_lists() -> None:
    """Middle of the lists in May to August 2026: 1.99 against 3.49 USD, 0.57; the ends reach far more."""
    near = own_claim(FACTS, claiming(own="price", own_part="mi300x", own_other="h100-sxm", own_ratio=1.99 / 3.49))
    assert near.verdict == "holds"
    far = own_claim(FACTS, claiming(own="price", own_part="mi300x", own_other="h100-sxm", own_ratio=90.0))
    assert far.verdict == "contradicted"
    unlisted = own_claim(FACTS, claiming(own="price", own_part="mi400-series", own_other="h100-sxm", own_ratio=1.0))
    assert unlisted.verdict == "uncheckable"


def test_work_per_dollar_needs_a_measured_pair() -> None:
    """MI300X against H100 has MLPerf pairs: 0.94 to 0.96 times the work at 0.57 times the rent is 1.65 to 1.68 times."""
    found = own_claim(FACTS, claiming(own="per-dollar", own_part="mi300x", own_other="h100-sxm", own_ratio=1.6))
    assert found.verdict in ("holds", "holds-with-condition")
    none = own_claim(FACTS, claiming(own="per-dollar", own_part="gaudi3", own_other="h100-sxm", own_ratio=1.0))
    assert none.verdict == "uncheckable"
    assert "No MLPerf test" in own_words.verdict(none, claiming(own="per-dollar"), ENGLISH)


def test_a_claim_that_cannot_be_asked_says_so() -> None:
    """A part against itself is refused, and the sentence says what to do."""
    scenario = claiming(own="price", own_part="mi300x", own_other="mi300x")
    with pytest.raises(InputError) as error:
        own_claim(FACTS, scenario)
    assert "two different parts" in own_words.problem(error.value, ENGLISH)


def test_the_questions_of_the_articles_are_answered() -> None:
    """A4's five misconceptions, A0's six questions, A2's five hidden costs, A3's six warnings, each with its numbers."""
    found = misconceptions.answered(FACTS)
    kinds = [one.question.kind for one in found]
    assert [kinds.count(kind) for kind in misconceptions.KINDS] == [5, 6, 5, 6]
    for one in found:
        for language in ("en", "zh"):
            text = answers.answer(one, words(language))
            assert text, one.question.name
            assert "{" not in text, one.question.name
            assert "not published" not in text, one.question.name
            assert answers.question(one.question.name, words(language))
        assert one.terms
        assert link.encode(misconceptions.opening(FACTS, one.question, "en"))


def test_the_answers_move_with_the_catalogue() -> None:
    """The first misconception prints 191.98 / 79.18 = 2.42 times the memory and 1.32 times the dense FP8 peak."""
    first = next(one for one in misconceptions.answered(FACTS) if one.question.name == "memory-is-not-speed")
    text = answers.answer(first, ENGLISH)
    assert f"**{191.98 / 79.18:.2f} times**" in text
    assert f"**{2614.9 / 1978.9:.2f} times**" in text


def test_every_claim_reads_well_in_words() -> None:
    """Every card, table row and term of every claim: no placeholder, no bare dollar, no nameless term."""
    for language in ("en", "zh"):
        _ = words(language)
        for name, one in ALL.items():
            texts = [claim_card.said(one, _), *claim_card.remarks(one, _), claims.claim_label(one, _)]
            texts += [claim_card.reading(outcome, _) for outcome in one.outcomes]
            texts += [claim_terms.label(term, FACTS, _) for term in one.terms]
            for text in texts:
                assert text, name
                assert "{" not in text.replace("\\{", ""), (name, text)
                assert "$" not in text.replace("\\$", ""), (name, text)
            assert all(claim_terms.label(term, FACTS, _) != term.kind for term in one.terms), name
        table = claim_tables.claims_file(list(ALL.values()), _)
        assert len(table) == len(ALL)
        assert table.notna().all().all()
