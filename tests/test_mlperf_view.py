"""The MLPerf test in view: what was asked for where it was measured, else the nearest that was, and it says so."""

import csv
import itertools
from pathlib import Path

import pandas as pd
import pytest

from lib import catalog
from lib.choice.mlperf import SAME_SUBMITTER, VENDORS, mlperf_pairs
from lib.choice.mlperf_view import MlperfView, mlperf_ratios, mlperf_view, publishable

TABLE = Path(__file__).resolve().parent.parent / "data" / "mlperf_inference.csv"
FOUR = ("h100-sxm", "mi300x", "h200-sxm", "mi325x")
SIZES = {name: float(model.total_params) for name, model in catalog.load().models.items()}


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    """The MLPerf inference rows of the edition."""
    return catalog.load().measured["mlperf_inference"]


def rows_of(**wanted: str) -> list[dict[str, str]]:
    """Headline rows of the file with these cells, read by the standard library alone."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["headline"] == "yes" and all(row[name] == cell for name, cell in wanted.items())]


def view_of(results: pd.DataFrame, parts: tuple[str, ...], model_id: str, **asked: str) -> MlperfView:
    """The view of some parts, which must be there."""
    found = mlperf_view(results, parts, model_id, total_params=SIZES, **asked)
    assert found is not None
    return found


def codes(view: MlperfView) -> list[str]:
    """Codes of the doubts."""
    return [doubt.code for doubt in view.doubts]


def test_a_test_that_was_asked_for_is_shown_whole(results):
    """llama2-70b Offline v4.1 holds the file's headline rows of the four parts at 99.9 %, each divided by its count (1e-12)."""
    view = view_of(results, FOUR, "llama-2-70b", model="llama2-70b", scenario="Offline", round="v4.1")
    rows = rows_of(model="llama2-70b", scenario="Offline", round="v4.1", accuracy_target="99.9")
    expected = sorted(
        float(row["value"]) / int(row["accelerator_count"]) for row in rows if row["accelerator_id"] in FOUR
    )
    assert sorted(view.results["per_accelerator_derived"]) == pytest.approx(expected, rel=1e-12)
    assert view.without_result == ("mi325x",)
    assert (view.accuracy_target, view.accelerator_count, view.unit) == (99.9, 8, "tokens/s")
    assert codes(view) == []


def test_ratios_of_a_test_are_those_of_its_rows(results):
    """AMD's 23,514.8 over NVIDIA's 24,524.9 and Dell's 22,677.6 over its 24,086.7 tokens/s on eight (1e-12)."""
    view = view_of(results, FOUR, "llama-2-70b", model="llama2-70b", scenario="Offline", round="v4.1")
    ratios = {one.kind: one for one in mlperf_ratios(mlperf_pairs(results, "mi300x", "h100-sxm"), view)}
    assert ratios[VENDORS].ratio == pytest.approx(23514.8 / 24524.9, rel=1e-12)
    assert ratios[SAME_SUBMITTER].ratio == pytest.approx(22677.6 / 24086.7, rel=1e-12)
    assert {one.accelerator_count for one in ratios.values()} == {8}


def test_without_a_choice_the_newest_round_with_both_parts_is_shown(results):
    """MI300X and H100 stand together last in v5.1: later rounds of llama2-70b Offline have no H100."""
    view = view_of(results, FOUR, "llama-2-70b")
    assert (view.model, view.scenario, view.round) == ("llama2-70b", "Offline", "v5.1")
    later = [row for name in ("v6.0", "v6.1") for row in rows_of(model="llama2-70b", scenario="Offline", round=name)]
    assert later
    assert "h100-sxm" not in {row["accelerator_id"] for row in later}


def test_a_model_that_mlperf_does_not_test_is_replaced_by_the_nearest_in_size(results):
    """Llama 3.3 70B is no benchmark: Llama 2 70B has its size, and the view says that it is another model."""
    view = view_of(results, FOUR, "llama-3.3-70b")
    assert view.model == "llama2-70b"
    assert [doubt.values["shown"] for doubt in view.doubts if doubt.code == "other-model"] == ["llama2-70b"]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"round": "v9.9"}, "round-fallback"),
        ({"model": "no-such-benchmark"}, "model-fallback"),
        ({"model": "mixtral-8x7b", "scenario": "Interactive"}, "scenario-fallback"),
    ],
)
def test_what_has_no_result_is_replaced_and_named(results, asked, code):
    """A round, model or scenario without a result of the parts gives another one and a doubt with both names."""
    view = view_of(results, FOUR, "llama-2-70b", **asked)
    doubt = next(one for one in view.doubts if one.code == code)
    name = code.partition("-")[0]
    assert doubt.values["wanted"] == asked[name]
    assert doubt.values["shown"] == getattr(view, name)
    assert len(view.results)


@pytest.mark.parametrize(
    ("parts", "left_out"), [(("mi355x", "b200-sxm"), "b200-sxm"), (("b200-sxm", "mi355x"), "mi355x")]
)
def test_a_comparison_that_is_not_to_be_published_is_not_shown(results, parts, left_out):
    """In v6.1 gpt-oss-120b has MI355X and B200: the later of the two is left out, named, and no ratio is there."""
    both = {row["accelerator_id"] for row in rows_of(model="gpt-oss-120b", scenario="Offline", round="v6.1")}
    assert both.issuperset(parts)
    view = view_of(results, parts, "gpt-oss-120b", model="gpt-oss-120b", scenario="Offline", round="v6.1")
    assert view.barred == (left_out,)
    assert set(view.results["accelerator_id"]) == set(parts) - {left_out}
    assert mlperf_ratios(mlperf_pairs(results, *parts), view) == ()


def test_no_view_holds_a_barred_pair_or_mixes_tests(results):
    """Over all tests of the table, in both orders of four parts: one round, model, scenario, target and unit; no barred pair."""
    parts = ("mi355x", "b200-sxm", "b300-sxm", "mi300x")
    tests = {(row["model"], row["scenario"], row["round"]) for row in rows_of()}
    for (model, scenario, round), order in itertools.product(sorted(tests), (parts, parts[::-1])):
        view = view_of(results, order, "gpt-oss-120b", model=model, scenario=scenario, round=round)
        shown = view.results
        assert len(shown[["round", "model", "scenario", "unit"]].astype(str).drop_duplicates()) == 1
        assert shown["accuracy_target"].nunique(dropna=False) == 1
        assert shown["headline"].all()
        assert not (view.round == "v6.1" and {"mi355x", "b200-sxm"} <= set(shown["accelerator_id"]))


def test_blank_rounds_avoid_the_barred_one(results):
    """Without a choice MI355X against B200 is shown from v6.0, the newest round in which both may stand."""
    assert view_of(results, ("mi355x", "b200-sxm"), "gpt-oss-120b").round == "v6.0"


def test_other_rounds_are_not_barred():
    """The rule is about one round alone."""
    assert publishable("v6.0", ["mi355x", "b200-sxm"]) == ("mi355x", "b200-sxm")
    assert publishable("v6.1", ["mi355x", "b200-sxm"]) == ("mi355x",)


def test_parts_without_any_result_have_no_view(results):
    """A part that was never submitted gives None, not an empty chart."""
    assert mlperf_view(results, ("no-such-part",), "llama-2-70b") is None
