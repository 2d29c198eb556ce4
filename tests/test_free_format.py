"""Every candidate in every weight format: which formats, in what order, and who is never named first."""

import pytest

from lib.catalog import load
from lib.choice.free_format import FORMATS, FreeFormat, formats_of, free_format, taken_over
from lib.choice.preference import Preference
from lib.choice.presets import preset
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Scenario, changed
from lib.present.recommend_formats import formats_table, free_format_words
from lib.present.text import words

FACTS = load()
SERVED = [one for one in FACTS.presets if preset(FACTS, one).workload.task in ("serve", "token-price")]
EN = words("en")


def with_ways(preset_id: str, ways: str) -> Scenario:
    """A preset with its ways as stated or left open."""
    return changed(preset(FACTS, preset_id), ("preference",), {**Preference().model_dump(), "ways": ways})


def answered(scenario: Scenario) -> tuple[Recommendation, FreeFormat]:
    """The answer, and all candidates in all formats."""
    found = recommend(FACTS, scenario)
    return found, free_format(FACTS, found)


@pytest.mark.parametrize("preset_id", SERVED)
def test_a_format_that_is_not_documented_to_run_is_never_named_first(preset_id: str) -> None:
    """Of each row that the table of formats calls none, unknown or emulated the verdict is another than first."""
    found, free = answered(with_ways(preset_id, "stated"))
    table = formats_table(found, free, EN)
    for row, verdict in zip(free.rows, table["Verdict"], strict=True):
        check = next(one for one in row.assessment.checks if one.name == "format")
        if check.reason not in ("native", "weight-only") or row.assessment.failed:
            assert row is not free.first
            assert verdict not in ("first", "first, were the format free")
    assert (table["Verdict"].isin(["first", "first, were the format free"])).sum() == (free.first is not None)


@pytest.mark.parametrize("preset_id", SERVED)
@pytest.mark.parametrize("ways", ["stated", "all"])
def test_the_first_of_all_formats_wins_once_its_format_is_taken_over(preset_id: str, ways: str) -> None:
    """The scenario in that format recommends that option at that figure, unless an emulated format stands before it."""
    scenario = with_ways(preset_id, ways)
    _, free = answered(scenario)
    assert free.first is not None
    again = recommend(FACTS, taken_over(scenario, free.first.word))
    assert again.winner is not None
    ahead = [row for row in free.rows[: free.rows.index(free.first)] if row.word == free.first.word]
    assert all(row.support == "emulated" for row in ahead)
    if not ahead:
        ours, theirs = free.first.assessment.candidate, again.winner.candidate
        assert (ours.accelerator, ours.acquisition) == (theirs.accelerator, theirs.acquisition)
        if again.metric == free.metric:
            assert again.standing(again.winner).figure == free.first.standing.figure


@pytest.mark.parametrize("preset_id", SERVED)
def test_a_free_format_never_does_worse_than_the_stated_one(preset_id: str) -> None:
    """More choice cannot hurt: the first of all formats stands at most where the first of the stated one does."""
    found, free = answered(with_ways(preset_id, "stated"))
    assert free.first is not None
    assert free.present is not None
    assert free.present.assessment is found.winner
    ours, theirs = free.present.standing.weighted, free.first.standing.weighted
    if free.present.support != "emulated" and ours is not None:
        assert theirs is not None
        assert theirs <= ours


@pytest.mark.parametrize("preset_id", SERVED)
def test_each_candidate_stands_in_each_format_once_and_in_the_order_of_the_answer(preset_id: str) -> None:
    """Candidates times formats; those of the scenario's own format stand among each other as the answer has them."""
    found, free = answered(with_ways(preset_id, "stated"))
    words_here = formats_of(FACTS, found.scenario.workload)
    assert len(free.rows) == len(found.assessments) * len(words_here)
    assert tuple(row.assessment for row in free.rows if row.word == free.own) == found.assessments


def test_each_part_stands_in_its_best_way_where_the_ways_are_open() -> None:
    """Four parts in four ways are sixteen options; in five formats twenty rows stay readable where eighty do not."""
    found, free = answered(with_ways("serve-70b", "all"))
    assert len(found.assessments) == 16
    assert len(free.rows) == 4 * len(formats_of(FACTS, found.scenario.workload))


@pytest.mark.parametrize(
    ("model", "stated", "expected"),
    [
        ("deepseek-v3", "native", ("native", "bf16", "int4-g128", "mxfp4", "nvfp4")),
        ("deepseek-v3", "fp8-tensor", ("fp8-tensor", "bf16", "int4-g128", "mxfp4", "nvfp4")),
        ("llama-3.3-70b", "native", ("native", "fp8-tensor", "int4-g128", "mxfp4", "nvfp4")),
        ("llama-3.3-70b", "fp8-channel", ("fp8-channel", "native", "int4-g128", "mxfp4", "nvfp4")),
        ("deepseek-v4-flash", "native", ("native", "bf16", "fp8-tensor", "int4-g128", "nvfp4")),
    ],
)
def test_a_format_counts_once(model: str, stated: str, expected: tuple[str, ...]) -> None:
    """A checkpoint in fp8 blocks is the row of 8-bit floats, one in bf16 that of 16 bit; the stated one comes first."""
    scenario = changed(preset(FACTS, "deepseek-v3"), ("workloads", 0, "model"), model)
    workload = taken_over(scenario, stated).workload  # type: ignore[arg-type]
    assert formats_of(FACTS, workload) == expected
    assert set(expected) - {stated} <= set(FORMATS)


def test_the_words_name_both_figures_and_that_quality_is_not_modelled() -> None:
    """Llama 3.3 70B in 16 bit on H200: the sentence has the figure of the answer, and of the first in another format."""
    found, free = answered(with_ways("serve-70b", "stated"))
    assert free.first is not None
    said = free_format_words(free, EN)
    for row in (free.first, free.present):
        assert row is not None
        assert f"{EN.number(row.standing.figure)} USD per million tokens" in said
    assert "is not modelled: test it with your own prompts" in said
    assert found.winner is not None
    assert free.is_another
    assert free.difference is not None
    assert free.difference < 0
