"""The brief: one record whose numbers are the library's, also where there is nothing to propose or somebody is hostile."""

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.confidence import confidence
from lib.choice.flip_points import flip_points
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Scenario, changed
from lib.present.brief import Brief, Grid, brief, file_name, left_out, neighbours, sections_of
from lib.present.figures import style
from lib.present.text import plain, words

FACTS = catalog.load()
LOOKS = style.looks(FACTS.accelerators, dark=False)
LINK = "https://ledger.example/brief?preset=serve-70b"


def told(scenario: Scenario, link: str = LINK) -> tuple[Brief, Recommendation]:
    """The brief of a scenario in its language, and the answer behind it."""
    found = recommend(FACTS, scenario)
    sure, flips = confidence(FACTS, found), flip_points(FACTS, found)
    return brief(FACTS, found, sure, flips, LOOKS, words(scenario.language), link), found


def test_the_headline_says_what_is_proposed_and_what_it_costs() -> None:
    """One H100 at 2 USD an hour for a year at 10 %: twelve payments of 1,460 USD discounted month by month."""
    shown, _found = told(presets.preset(FACTS, "token-price"))
    rate = 1.1 ** (1 / 12) - 1
    by_hand = 2.0 * 730 * (1 - (1 + rate) ** -12) / rate
    assert f"{by_hand:,.0f} USD over 1 year" in shown.headline
    assert shown.numbers[0].value == f"{by_hand:,.0f} USD"
    assert shown.curves[0].usd[-1] == pytest.approx(by_hand, abs=0.01)


@pytest.mark.parametrize(
    ("preset", "language"),
    [("serve-70b", "en"), ("serve-70b", "zh"), ("token-price", "en"), ("image-generation", "en"), ("train-128", "zh"),
     ("train-long-sequence", "en"), ("llama-405b", "en"), ("knowledge-base", "en")],
)  # fmt: skip
def test_a_brief_has_the_librarys_numbers_and_no_markup(preset: str, language: str) -> None:
    """Its question, at most three numbers, bars that are the standings, curves that end at the net present values."""
    scenario = presets.preset(FACTS, preset, "zh" if language == "zh" else "en")
    shown, found = told(scenario)
    assert shown.question == FACTS.presets[preset][f"question_{language}"]
    assert 1 <= len(shown.numbers) <= 3
    assert [bar.value for bar in shown.ranking] == [found.standing(one).weighted for one in found.assessments]
    by_npv = [one.cost.npv_usd for one in found.assessments if one.cost.flows is not None]
    for curve, npv in zip(shown.curves, by_npv, strict=False):
        assert curve.usd[-1] == pytest.approx(npv, abs=0.01)
    texts = [shown.headline, shown.sure, shown.answer, shown.turns, *shown.why, *shown.risks, *shown.evidence]
    texts += [cell for grid in (shown.changes, shown.gaps) for row in grid.rows for cell in row]
    assert not [text for text in texts if "**" in text or "\\" in text or "{" in text]
    assert shown.sources.rows


def test_a_tie_is_called_one() -> None:
    """Where the bands overlap by more than half, the sentence beside the proposal says so and names the others."""
    shown, found = told(presets.preset(FACTS, "serve-70b"))
    assert found.is_tie
    assert shown.sure.startswith("Too close to call against ")
    for one in found.tied:
        if one is not found.winner:
            assert one.cost.accelerator.short_name in shown.sure


def test_a_regret_is_called_a_comparison_and_no_payment() -> None:
    """The share is that of the regret, in the unit of the metric; the dollars are a share of another's net present value."""
    scenario = presets.preset(FACTS, "serve-70b")
    shown, found = told(scenario)
    sure = confidence(FACTS, found)
    assert sure is not None
    assert found.winner is not None
    for future in ("winner-disappoints", "rival-surprises"):
        (one,) = [each for each in sure.regrets if each.future == future and each.place == sure.winner]
        (said,) = [text for text in shown.risks if future.split("-")[1] in text]
        assert f"{100 * one.regret:.0f} % more, in USD per million tokens," in said
        assert "a comparison and no invoice" in said
        assert one.regret_usd is not None
        assert f"{round(one.regret_usd, -3):,.0f} USD" in said


def test_what_a_board_cannot_know_is_put_in_words() -> None:
    """TPOT with its limit, how much software runs, a load that nobody stated."""
    shown, found = told(presets.preset(FACTS, "serve-70b"))
    limit = found.scenario.workload.tpot_limit_ms
    risks = " ".join(shown.risks)
    assert f"limit of {limit:g} ms" in risks
    assert "TPOT is the time per output token" in risks
    assert " software products looked at run unchanged" in risks
    assert not [text for text in (*shown.evidence, *shown.risks, *shown.why) if "?" in text]
    assert [row for row in shown.gaps.rows if "Time per output token (TPOT)" in row[0]]


def test_the_date_of_delivery_is_the_first_open_question() -> None:
    """What was reported and what nobody published, before prices, power and throughput."""
    shown, _found = told(presets.preset(FACTS, "serve-70b"))
    firsts = [row[0].startswith("The delivery date") for row in shown.gaps.rows]
    assert firsts == sorted(firsts, reverse=True)
    assert firsts[:2] == [True, True]


def test_what_is_left_out_of_a_table_is_counted() -> None:
    """Three of six rows; nothing to say where all of them stand."""
    grid = Grid(("a",), tuple((f"{row}",) for row in range(6)))
    assert left_out(grid, 3, words("en")) == "3 of 6, the rest in the report."
    assert left_out(grid, 6, words("en")) == left_out(grid, 8, words("en")) == ""


def test_without_a_candidate_that_passes_it_says_what_would_help() -> None:
    """A power cap of 1 kW rules every purchase out: no proposal, no risks of one, the reasons under Why."""
    shown, found = told(changed(presets.preset(FACTS, "serve-70b"), ("constraints", "power_kw"), 1.0))
    assert found.winner is None
    assert shown.headline.startswith("No candidate passes every check")
    assert shown.numbers[0].value == f"0 of {len(found.assessments)} candidates"
    assert len([text for text in shown.why if text.startswith("Ruled out")]) == len(found.assessments)
    assert shown.risks == ()


def test_a_changed_scenario_does_not_keep_the_question_of_its_preset() -> None:
    """The preset asks for 64 users; with another number of them its question would be wrong."""
    scenario = presets.preset(FACTS, "serve-70b")
    other = changed(scenario, ("workloads", 0, "concurrency"), 8)
    assert told(scenario)[0].question == FACTS.presets["serve-70b"]["question_en"]
    assert "64" not in told(other)[0].question
    assert told(changed(other, ("title",), "Chat for 8"))[0].question == "Chat for 8"
    assert told(changed(scenario, ("view", "base"), "mi300x"))[0].question == told(scenario)[0].question


def test_markup_of_the_sentences_becomes_text_and_nothing_else_does() -> None:
    """Bold marks and escapes go; an escaped star stays a star."""
    assert plain(r"**a\_b** at 2 \* 3, *so*") == "a_b at 2 * 3, so"


def test_sections_have_neighbours_and_ends() -> None:
    """The first has itself before it, the last itself behind it, and an unknown one is the first."""
    names = ("a", "b", "c")
    assert neighbours(names, "a") == ("a", "b", 1)
    assert neighbours(names, "b") == ("a", "c", 2)
    assert neighbours(names, "c") == ("b", "c", 3)
    assert neighbours(names, "x") == ("a", "b", 1)
    alone = sections_of(told(presets.preset(FACTS, "token-price"))[0])
    assert alone[:2] == ("proposal", "numbers")


def test_files_are_named_after_preset_and_edition() -> None:
    """brief-<preset>-<date>; the word scenario where it is the reader's own."""
    scenario = presets.preset(FACTS, "serve-70b")
    assert file_name(FACTS, scenario, "pptx") == f"brief-serve-70b-{FACTS.edition.date}.pptx"
    own = scenario.model_copy(update={"preset": ""})
    assert file_name(FACTS, own, "html") == f"brief-scenario-{FACTS.edition.date}.html"
