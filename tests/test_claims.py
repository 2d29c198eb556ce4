"""The articles' claims are judged from the catalogue alone, and the catalogue's numbers decide."""

import csv
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import catalog
from lib.catalog import Catalog
from lib.choice.claims.judge import judge, judge_all, problems, stands
from lib.choice.claims.language import evaluate
from lib.choice.claims.records import VERDICTS, Check, Judged, checks_of, claim_of, claims_of, facts_of
from lib.choice.claims.values import Value, shown
from lib.errors import InputError, UnknownNameError

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()
ALL = judge_all(FACTS)
OWN_WORDS = ("said", "price", "article_prices", "tco")
"""Terms that are what an article states: they may rest on it."""


def rows(name: str) -> list[dict[str, str]]:
    """A table as its file has it."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def part(name: str) -> dict[str, float]:
    """The numbers of one row of accelerators.csv, read by this test alone."""
    row = next(one for one in rows("accelerators") if one["accelerator_id"] == name)
    return {field: float(cell) for field, cell in row.items() if cell.replace(".", "", 1).isdigit()}


def price(name: str) -> tuple[float, float]:
    """Low and high of one row of prices.csv, read by this test alone."""
    row = next(one for one in rows("prices") if one["price_id"] == name)
    return float(row["low"]), float(row["high"])


def changed(accelerators: Mapping[str, Mapping[str, Any]]) -> Catalog:
    """The edition with some cells of some parts changed."""
    parts = {
        name: replace(one, **accelerators[name]) if name in accelerators else one
        for name, one in FACTS.accelerators.items()
    }
    return replace(FACTS, accelerators=MappingProxyType(parts))


def flipped(other: Catalog) -> set[str]:
    """The claims whose verdict is another than in the edition."""
    return {name for name, one in judge_all(other).items() if one.verdict != ALL[name].verdict}


def test_every_claim_is_there_and_at_least_230_are_decided() -> None:
    """285 claims: 130, 19, 14, 50 and 72 of the five articles; no claim is decided without a formula."""
    assert [sum(name.startswith(f"A{n}-") for name in ALL) for n in range(5)] == [130, 19, 14, 50, 72]
    assert sum(one.verdict != "uncheckable" for one in ALL.values()) >= 230
    checked = {row["claim_id"] for row in rows("claim_checks")}
    assert {name for name, one in ALL.items() if one.verdict != "uncheckable"} == checked


def test_each_verdict_is_the_one_by_hand_or_its_row_says_why_not() -> None:
    """The computed verdict equals the curated one; where it does not, both languages explain it, and only there."""
    for name, one in ALL.items():
        explained = bool(one.claim.differs_en) and bool(one.claim.differs_zh)
        assert one.agrees_with_curated != explained, (name, one.verdict, one.claim.curated_verdict)


def test_all_claims_are_judged_in_two_seconds() -> None:
    """A copy of the edition has nothing cached: every formula is evaluated anew (measured: 0.7 s)."""
    fresh = replace(FACTS)
    start = time.perf_counter()
    found = judge_all(fresh)
    assert time.perf_counter() - start < 2
    assert len(found) == len(ALL)


PLANTED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "memory_gb": ("mi300x", {"memory_gb": 128.0}),
    "memory_runtime_gib": ("b300-sxm", {"memory_runtime_gib": 287.98}),
    "memory_driver_gib": ("b200-sxm", {"memory_driver_gib": 150.0}),
    "memory_bandwidth_tbs": ("mi300x", {"memory_bandwidth_tbs": 5.46}),
    "fp8_dense_tflops": ("h100-sxm", {"fp8_dense_tflops": 3957.8}),
    "fp16_bf16_dense_tflops": ("mi300x", {"fp16_bf16_dense_tflops": 653.0}),
    "fp8_sparse_tflops": ("h100-sxm", {"fp8_sparse_tflops": 1978.9}),
    "fp4_dense_tflops": ("mi355x", {"fp4_dense_tflops": 0.0}),
    "fp32_tflops": ("mi300x", {"fp32_tflops": 81.7}),
    "fp64_tflops": ("mi355x", {"fp64_tflops": 20.0}),
    "interconnect_gbs": ("mi300x", {"interconnect_gbs": 448.0}),
    "max_scale_up_gpus": ("gb300", {"max_scale_up_gpus": 576}),
    "tdp_w": ("mi300x", {"tdp_w": 560.0}),
    "transistors_b": ("h100-sxm", {"transistors_b": 180.0}),
    "process_nm": ("mi400-series", {"process_nm": 3.0}),
    "chiplets": ("mi300x", {"chiplets": "5 XCD + 4 IOD (plus 8 HBM3 stacks)"}),
    "compute_units": ("mi355x", {"compute_units": "304"}),
    "architecture": ("mi400-series", {"architecture": "CDNA 4"}),
    "launch": ("b300-sxm", {"launch": "2026-03"}),
    "interconnect_name": ("mi300x", {"interconnect_name": "PCIe and RoCE"}),
}


@pytest.mark.parametrize("field", PLANTED)
def test_a_planted_wrong_specification_changes_a_verdict(field: str) -> None:
    """Twenty fields of the specification table: each, changed in one cell, flips at least one verdict."""
    name, cells = PLANTED[field]
    found = flipped(changed({name: cells}))
    assert found
    for claim_id in found:
        assert any(name in term.parts for term in ALL[claim_id].terms), claim_id


def test_a_planted_wrong_model_changes_verdicts() -> None:
    """Full heads in the cache, twice the context, a tenth of the parameters: each flips a claim about that model."""
    for name, config, context in (
        ("llama-3-70b", {"num_key_value_heads": 64}, None),
        ("llama-2-70b", {}, 131_072),
        ("llama-3.1-405b", {"num_hidden_layers": 12}, None),
    ):
        model = FACTS.models[name]
        assert model.config is not None
        other = replace(model, config={**model.config, **config}, max_context=context or model.max_context)
        found = flipped(replace(FACTS, models=MappingProxyType({**FACTS.models, name: other})))
        assert any(name in ALL[claim_id].models for claim_id in found), name


def test_a_planted_wrong_price_changes_verdicts() -> None:
    """Oracle's price of MI300X in the article's range makes A0-089 hold; H100 at the same rent contradicts A3-018."""
    cheap = [
        replace(one, low=3.0, high=3.0) if one.provider in ("Oracle", "Azure; Oracle") else one for one in FACTS.prices
    ]
    assert judge_all(replace(FACTS, prices=tuple(cheap)))["A0-089"].verdict == "holds"
    equal = [
        replace(one, low=1409.0, high=1409.0) if one.price_id == "h100-sxm-month-a3" else one for one in FACTS.prices
    ]
    assert judge_all(replace(FACTS, prices=tuple(equal)))["A3-018"].verdict == "contradicted"


def test_a_change_elsewhere_changes_nothing() -> None:
    """A part that no claim names may say anything."""
    assert not flipped(changed({"l40s": {"memory_gb": 4.0, "memory_bandwidth_tbs": 99.0}}))


def test_a_figure_that_nobody_publishes_decides_nothing() -> None:
    """Without H100's FP8 peak A4-025 cannot be checked; A0-049 keeps the reading that is left, and says so."""
    found = judge_all(changed({"h100-sxm": {"fp8_dense_tflops": None}}))
    assert found["A4-025"].verdict == "uncheckable"
    assert found["A0-049"].verdict == "holds"
    assert "reading-unknown" in {doubt.code for doubt in found["A0-049"].doubts}


def test_the_verdict_by_hand_is_never_read() -> None:
    """Whatever the table says a person found, the computed verdict is the same."""
    for name in ("A0-007", "A0-018", "A3-046"):
        for verdict in VERDICTS:
            other = replace(claim_of(FACTS, name), curated_verdict=verdict)
            assert judge(FACTS, other).verdict == ALL[name].verdict


MI300X, H100, MI355X, B300, H200 = (part(one) for one in ("mi300x", "h100-sxm", "mi355x", "b300-sxm", "h200-sxm"))
LLAMA_70B = 70_553_706_496
"""Parameters of Llama 3 70B: its published tensors, 141,107,412,992 bytes of 16 bit."""


@pytest.mark.parametrize(
    ("claim_id", "expected"),
    [
        ("A0-007", MI300X["memory_bandwidth_tbs"] / H100["memory_bandwidth_tbs"]),
        ("A0-018", 2 * LLAMA_70B / 1e9),
        ("A0-028", 16 * 4 * 5.3e12 / 277.7e9),
        ("A0-037", 2.0),
        ("A0-038", 131_072 * 2 * 80 * 8 * 128 * 2 / 2**30),
        (
            "A0-043",
            (2 * LLAMA_70B * 131_072 + 4 * 80 * 8192 * 131_072**2 / 2) / (MI300X["fp16_bf16_dense_tflops"] * 1e12),
        ),
        ("A0-046", 6 * 174_591_683_584 * 65_536 / (H100["fp8_dense_tflops"] * 1e12)),
        ("A0-048", 100 * (1 - 0.42 / 0.68)),
        ("A0-059", MI300X["interconnect_gbs"] / H100["interconnect_gbs"]),
        ("A1-002", 1.3 * 810),
        ("A1-008", 0.5),
        ("A2-004", 304 * 64),
        ("A2-011", 4.0),
        ("A3-005", MI355X["memory_runtime_gib"] / B300["memory_runtime_gib"]),
        ("A3-006", MI355X["memory_bandwidth_tbs"] / H200["memory_bandwidth_tbs"]),
        ("A3-017", 100 * (1409 / MI355X["memory_gb"]) / (2279 / H200["memory_gb"])),
        ("A3-023", 1.2 * 405.853388800),
        ("A4-019", 8 * MI300X["fp8_dense_tflops"] / 1000),
        ("A4-054", 3062.72 / 60),
        ("A4-061", 2 * 8 * 6144 * 8192 * 4 / 1e9),
    ],
)
def test_the_computed_value_is_the_one_of_closed_forms(claim_id: str, expected: float) -> None:
    """Twenty claims by hand: from the tables' own cells, architecture counts and textbook formulas (0.2 %)."""
    value = ALL[claim_id].value
    assert value is not None
    assert value.low == pytest.approx(expected, rel=2e-3)


def test_ranges_are_computed_by_their_ends() -> None:
    """Article A0's price ranges: 28 to 57 % cheaper, 78 to 94 USD a GB."""
    (low, high), (other_low, other_high) = price("mi300x-buy-a0-2026-07"), price("h100-sxm-buy-a0-2026-07")
    saving = ALL["A0-088"].outcomes[1].value
    assert saving is not None
    assert (saving.low, saving.high) == pytest.approx((100 * (1 - high / other_low), 100 * (1 - low / other_high)))
    per_gb = ALL["A0-082"].outcomes[0].value
    assert per_gb is not None
    assert (per_gb.low, per_gb.high) == pytest.approx((low / 192, high / 192))


def test_the_formula_is_shown_with_its_numbers() -> None:
    """What stands on the card can be followed with a pocket calculator."""
    assert ALL["A0-007"].outcomes[0].formula == "5.3 / 3.35"
    assert ALL["A0-019"].outcomes[0].formula == "⌈141.1 / 85.02⌉"
    assert ALL["A0-088"].outcomes[1].formula == "100 × (1 − (15,000–18,000) / (25,000–35,000))"


def test_an_article_is_no_witness_for_itself() -> None:
    """Specifications, dates, software and measurements come from other sources than the article that is checked."""
    for name, one in ALL.items():
        for term in one.terms:
            if term.kind not in OWN_WORDS:
                assert not any(source.startswith("article-") for source, _place in term.sources), (name, term.kind)


def test_every_figure_of_the_catalogue_has_its_source() -> None:
    """A term is computed by the library from constants, or names a source that exists."""
    for name, one in ALL.items():
        for term in one.terms:
            assert term.sources or term.kind in ("per_million", "engine_default", "offers", "logged"), (name, term.kind)
            assert all(source in FACTS.sources for source, _place in term.sources), (name, term.kind)


def test_every_row_speaks_both_languages() -> None:
    """Paraphrase and remarks in English and Chinese; what cannot be checked says what would decide it."""
    for name, claim in claims_of(FACTS).items():
        pairs = (
            (claim.note_en, claim.note_zh),
            (claim.undecidable_en, claim.undecidable_zh),
            (claim.differs_en, claim.differs_zh),
        )
        assert all(bool(english) == bool(chinese) for english, chinese in pairs), name
        assert any("\u4e00" <= one <= "\u9fff" for one in claim.paraphrase_zh), name
        assert claim.paraphrase_en.isascii() or not any("\u4e00" <= one <= "\u9fff" for one in claim.paraphrase_en), (
            name
        )
        assert bool(claim.undecidable_en) == (ALL[name].verdict == "uncheckable"), name
        assert claim.preset in FACTS.presets, name
        assert claim.curated_verdict in VERDICTS
    for claim_id, checks in checks_of(FACTS).items():
        assert len(checks) == 1 or all(one.reading_en and one.reading_zh for one in checks), claim_id


def test_every_fact_of_claims_is_used() -> None:
    """The table holds nothing that no formula names."""
    used = {str(term.arguments[0]) for one in ALL.values() for term in one.terms if term.kind == "fact"}
    assert used == set(facts_of(FACTS))


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os').system('true')", "spec.__class__", "[1, 2]", "spec('mi300x', field='tdp_w')", "1 if 2 else 3",
        "f'{1}'", "lambda: 1", "spec(spec('mi300x', 'tdp_w'), 'tdp_w')", "1 +", "'a' + 1", "spec('mi300x')", "(" * 400,
        "spec('mi300x', 'no_such_field')", "memory('mi300x', 'guess')", "1 / 0",
    ],
)  # fmt: skip
def test_the_language_knows_arithmetic_and_nothing_else(formula: str) -> None:
    """Whatever else Python could parse is refused with the place that is wrong."""
    with pytest.raises(InputError):
        evaluate(FACTS, formula)


@pytest.mark.parametrize(
    "formula",
    [
        "eval('1')",
        "spec('mi300', 'tdp_w')",
        "weights('llama-9', 'bf16')",
        "price('none')",
        "said('A9-001')",
        "fact('none')",
    ],
)
def test_a_wrong_name_in_a_formula_is_told(formula: str) -> None:
    """Words, parts, models, prices, claims and facts that do not exist are named."""
    with pytest.raises(UnknownNameError):
        evaluate(FACTS, formula)


def check(relation: str, tolerance: float = 0.0, text: str = "") -> Check:
    """A reading that asks this."""
    return Check("A0-001", 1, "1", "", relation, None, None, text, tolerance, "", "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("relation", "value", "low", "high", "tolerance", "expected"),
    [
        ("equals", (100, 100), 101, 101, 0.01, True), ("equals", (100, 100), 103, 103, 0.01, False),
        ("equals", (60, 72), 60, 72, 0.0, True), ("equals", (60, 80), 60, 72, 0.0, False),
        ("at-least", (5, 9), 5, 5, 0.0, True), ("at-least", (4, 9), 5, 5, 0.0, False),
        ("at-most", (5, 9), 9, 9, 0.0, True), ("at-most", (5, 9), 8, 8, 0.0, False),
        ("above", (5, 9), 5, 5, 0.0, False), ("below", (5, 9), 9, 9, 0.0, False), ("below", (5, 8), 9, 9, 0.0, True),
        ("inside", (31, 34), 30, 40, 0.0, True), ("inside", (29, 34), 30, 40, 0.0, False),
        ("reaches", (10, 20), 15, 18, 0.0, True), ("reaches", (10, 17), 15, 18, 0.0, False),
        ("meets", (10, 17), 15, 18, 0.0, True), ("meets", (10, 14), 15, 18, 0.0, False),
    ],
)  # fmt: skip
def test_relations_mean_what_they_say(
    relation: str, value: tuple[float, float], low: float, high: float, tolerance: float, expected: bool
) -> None:
    """Each relation at its border, on both sides."""
    assert stands(Value(*value), check(relation, tolerance), low, high) is expected


@pytest.mark.parametrize(
    ("relation", "ours", "theirs", "expected"),
    [
        ("is", "CDNA 5", "cdna 5", True), ("is", "2.20.5", "2.20", False), ("is-not", "runs", "runs", False),
        ("has", "CDNA 3 (gfx942)", "gfx942", True), ("lacks", "mesh", "PCIe", True), ("in", "2023-12", "2023-10/2023-12", True),
        ("in", "2024-06-12", "2026-05", False), ("in", "2026-09-30", "2026", True), ("in", "2026-04-01", "2026-10/2027-06", False),
    ],
)  # fmt: skip
def test_texts_and_dates_are_held_against_texts(relation: str, ours: str, theirs: str, expected: bool) -> None:
    """Versions are whole, words ignore case, a period is compared by as much as it states."""
    assert stands(Value(text=ours), check(relation, text=theirs), None, None) is expected


def test_a_number_against_a_text_is_an_error() -> None:
    """A row that compares them stops with the relation's name."""
    with pytest.raises(InputError):
        stands(Value(text="CDNA 5"), check("equals"), 5, 5)


RANGES = st.tuples(st.floats(0.1, 100), st.floats(0, 50)).map(lambda pair: Value(pair[0], pair[0] + pair[1]))


@given(RANGES, RANGES, st.floats(0, 1), st.floats(0, 1))
def test_a_computed_range_holds_every_value_of_its_parts(a: Value, b: Value, along_a: float, along_b: float) -> None:
    """Any two values from two ranges give, by each sign, a value inside the computed range (1e-9)."""
    one, two = a.low + along_a * (a.high - a.low), b.low + along_b * (b.high - b.low)
    for whole, single in ((a + b, one + two), (a - b, one - two), (a * b, one * two), (a / b, one / two)):
        span = 1e-9 * max(abs(whole.low), abs(whole.high), 1)
        assert whole.low - span <= single <= whole.high + span


def test_a_value_is_shown_as_people_write_it() -> None:
    """Four figures, whole numbers whole, ranges with an en dash, large powers short."""
    assert shown(Value(0.000123456, 0.000123456)) == "0.0001235"
    assert shown(Value(240_000, 320_000)) == "240,000–320,000"
    assert shown(Value(6.9e16, 6.9e16)) == "6.900e16"
    assert shown(Value(text="gfx942")) == "gfx942"
    assert math.isnan(Value().low)


def test_the_check_of_the_data_finds_a_wrong_formula() -> None:
    """The tables as they are have no problem; a term that does not exist and a lost preset are named with their line."""
    assert not list(problems(FACTS))
    checks, claims = FACTS.tables["claim_checks"].copy(), FACTS.tables["article_claims"].copy()
    checks.loc[3, "formula"] = "spec('mi300x', 'tdpw')"
    claims.loc[0, "preset"] = "no-such-preset"
    tables = MappingProxyType({**FACTS.tables, "claim_checks": checks, "article_claims": claims})
    found = list(problems(replace(FACTS, tables=tables)))
    assert [(one.file, one.line) for one in found] == [("data/article_claims.csv", 2), ("data/claim_checks.csv", 5)]


def test_verdicts_follow_from_the_readings() -> None:
    """All, some, none, and nothing to read."""

    def verdict(one: Judged) -> str:
        held = [out.holds for out in one.outcomes if out.holds is not None]
        return (
            "uncheckable"
            if not held
            else "holds"
            if all(held)
            else "holds-with-condition"
            if any(held)
            else "contradicted"
        )

    assert all(one.verdict == verdict(one) for one in ALL.values())
