"""What documentation, measured runs and caps say of a candidate, check by check."""

import dataclasses
from typing import Any

import pandas as pd
import pytest

from lib import catalog
from lib.catalog import Catalog
from lib.choice import presets
from lib.choice.assessment import assess
from lib.choice.checks import Check
from lib.choice.fleet_costs import costed_all
from lib.choice.latency import measured_latency
from lib.choice.recommend import recommend
from lib.choice.relaxing import relaxed
from lib.choice.scenario import Workload, changed
from lib.choice.software import products, software_verdict
from lib.present import recommend_checks
from lib.present.recommend import relaxation
from lib.present.text import words
from tests.serving_rows import table

FACTS = catalog.load()
LOAD = Workload(model="llama-3.3-70b", weight_format="fp8-tensor", input_tokens=4096, output_tokens=512, concurrency=64)
RUN = {
    "model_id": "llama-3.3-70b", "accelerator_id": "mi300x", "metric": "tpot_ms", "stat": "median", "unit": "ms",
    "accelerator_count": 2.0, "input_tokens": 4096.0, "output_tokens": 512.0, "concurrency": 64.0, "value": 40.0,
}  # fmt: skip


def facts_with(*rows: dict[str, Any]) -> Catalog:
    """The catalogue with these serving rows alone."""
    return dataclasses.replace(FACTS, measured={"serving": table(*(RUN | row for row in rows))})


@pytest.mark.parametrize(
    ("product", "platform", "verdict", "conflicts"),
    [
        ("TensorRT-LLM", "CUDA", "runs", set()),
        ("TensorRT-LLM", "ROCm", "does-not-run", set()),
        ("vLLM", "ROCm", "runs", {"article-a4"}),
        ("DeepSpeed", "ROCm", "runs", {"article-a0"}),
        ("Transformer Engine", "ROCm", "runs-with-change", {"article-a0"}),
        ("FlashAttention-3", "ROCm", "does-not-run", set()),
        ("Megatron-LM", "ROCm", "runs-with-change", set()),
        ("Transformers / PEFT", "ROCm", "unknown", set()),
        ("LM Studio", "ROCm", "unknown", set()),
        ("LM Studio", "CUDA", "unknown", set()),
        ("a name of nobody", "CUDA", "unknown", set()),
    ],
)
def test_documentation_decides_and_claims_only_conflict(
    product: str, platform: str, verdict: str, conflicts: set[str]
) -> None:
    """What is documented decides; an article alone leaves the question open, and a differing one is named."""
    found = software_verdict(FACTS.software, product, platform)
    assert found.verdict == verdict
    assert {fact.source_id for fact in found.conflicting} == conflicts
    assert all(fact.kind != "article claim" for fact in found.deciding)


def test_products_are_what_somebody_may_require() -> None:
    """The platform itself and its libraries are no products, and one product has one name."""
    names = products(FACTS.software)
    assert {"vLLM", "TensorRT-LLM", "DeepSpeed", "bitsandbytes"} <= set(names)
    assert not {"ROCm itself", "(all frameworks)", "RCCL", "DeepSpeed ZeRO-3", "FlashAttention"} & set(names)
    assert list(names) == sorted(set(names), key=str.casefold)


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ({"value": 40.0}, True),
        ({"value": 40.0, "concurrency": 128.0}, True),
        ({"value": 40.0, "accelerator_count": 1.0}, True),
        ({"value": 40.0, "concurrency": 32.0}, None),
        ({"value": 40.0, "accelerator_count": 8.0}, None),
        ({"value": 40.0, "input_tokens": 1024.0}, None),
        ({"value": 60.0}, False),
        ({"value": 60.0, "concurrency": 8.0}, False),
        ({"value": 60.0, "accelerator_count": 8.0}, False),
        ({"value": 60.0, "concurrency": 128.0}, None),
        ({"value": 60.0, "accelerator_count": 1.0}, None),
        ({"value": 40.0, "concurrency": float("nan")}, None),
        ({"value": 40.0, "weight_format": "bf16"}, None),
        ({"value": 40.0, "weight_format": ""}, None),
        ({"value": 40.0, "accelerator_id": "h100-sxm"}, None),
        ({"value": 40.0, "speculative": True}, None),
        ({"value": 40.0, "stat": "p99"}, None),
        ({"value": 40.0, "source_id": "argonne-llm-inference-bench"}, None),
    ],
)
def test_a_run_decides_only_where_its_load_makes_it_safe(row: dict[str, Any], kept: bool | None) -> None:
    """A limit of 50 ms on 2 GPUs: a heavier load on no more GPUs shows that it is kept, a lighter one that it is not."""
    found = measured_latency(facts_with(row), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is kept


def test_one_run_that_keeps_the_limit_outweighs_those_that_broke_it() -> None:
    """Another version may be slow: what was reached once under a heavier load can be reached."""
    slow, good = {"value": 90.0, "engine_version": "0"}, {"value": 45.0, "concurrency": 80.0}
    found = measured_latency(facts_with(slow, good), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is True
    assert found.measured_ms == 45.0
    assert found.run["concurrency"] == 80.0


def test_the_best_of_the_runs_that_broke_a_limit_is_named() -> None:
    """What would have to give way is the least that was ever measured under a lighter load."""
    rows = {"value": 90.0, "concurrency": 8.0}, {"value": 70.0, "concurrency": 16.0}
    found = measured_latency(facts_with(*rows), LOAD, "mi300x", 2, "tpot_ms", 50.0)
    assert found.kept is False
    assert found.measured_ms == 70.0


def test_without_a_fleet_no_run_decides() -> None:
    """Where memory gives no number of GPUs the question stays open."""
    assert measured_latency(facts_with({}), LOAD, "mi300x", None, "tpot_ms", 50.0).kept is None


def checked(*changes: tuple[tuple[str | int, ...], Any], place: int = 0) -> dict[str, Check]:
    """The checks of one candidate of a preset with some fields changed."""
    scenario = presets.preset(FACTS, "buy-or-wait")
    for path, value in changes:
        scenario = changed(scenario, path, value)
    return {check.name: check for check in assess(FACTS, scenario, place).checks}


DEADLINE = ("constraints", "deadline")


def month(later: int) -> str:
    """The month that many after the edition's, from which orders are counted."""
    return str(pd.Period(FACTS.edition.date, "M") + later)


@pytest.mark.parametrize("place", [0, 1])
def test_an_unknown_lead_time_never_passes_a_deadline(place: int) -> None:
    """Bought or rented: without a stated lead time a deadline is an open question, however far away it is."""
    for later in (0, 7, 61):
        check = checked((DEADLINE, month(later)), place=place)["deadline"]
        assert (check.verdict, check.reason) == ("unknown", "lead-time-unknown")
    late = checked((DEADLINE, month(2)), (("candidates", place, "order_month"), 3), place=place)["deadline"]
    assert (late.verdict, late.reason) == ("fail", "too-late")  # too late even if it came on the day


@pytest.mark.parametrize(("deadline", "verdict"), [(10, "fail"), (11, "pass"), (14, "pass")])
def test_a_stated_lead_time_decides_a_deadline(deadline: int, verdict: str) -> None:
    """Ordered a month after the edition's, nine months of delivery, one of acceptance: from the end of the eleventh month."""
    candidate = ("candidates", 0)
    check = checked(
        (DEADLINE, month(deadline)),
        ((*candidate, "order_month"), 1),
        ((*candidate, "delivery_months"), 9),
        ((*candidate, "acceptance_months"), 1),
    )["deadline"]
    assert check.verdict == verdict
    assert check.values["month"] == 11
    assert "deadline" not in checked()


def test_a_year_s_budget_names_the_year_and_the_month() -> None:
    """A purchase breaks the first year's 100,000 USD on the day of the decision; years without a budget break none."""
    check = checked((("constraints", "budget_by_year"), (100_000.0, None, 1e9)))["yearly"]
    assert (check.verdict, check.values["year"], check.values["month"]) == ("fail", 1, 0)
    assert check.values["value"] > 100_000
    assert checked((("constraints", "budget_by_year"), (1e9,)))["yearly"].verdict == "pass"
    assert "yearly" not in checked((("constraints", "budget_by_year"), (None, None)))


def test_a_reserve_is_kept_out_of_the_budget() -> None:
    """A budget a tenth above the cost passes, and fails once a fifth of it is kept back."""
    cost = costed_all(FACTS, presets.preset(FACTS, "buy-or-wait"))[0].npv_usd
    assert cost is not None
    budget = (("constraints", "budget_usd"), cost * 1.1)
    assert checked(budget)["budget"].verdict == "pass"
    check = checked(budget, (("constraints", "contingency_fraction"), 0.2))["budget"]
    assert check.verdict == "fail"
    assert check.values["cap"] == pytest.approx(cost * 1.1 * 0.8)
    assert check.values["month"] is not None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_new_check_has_its_words(language: str) -> None:
    """Caps by year, reserve and deadline are phrases with their figures, in both languages."""
    spoken = words(language)
    for changes, name, figure in (
        (((("constraints", "budget_by_year"), (100_000.0,)),), "yearly", "100,000"),
        (((("constraints", "budget_by_year"), (1e9,)),), "yearly", ""),
        (
            ((("constraints", "budget_usd"), 1000.0), (("constraints", "contingency_fraction"), 0.25)),
            "budget",
            "25 %",
        ),
        (((DEADLINE, "2027-06"),), "deadline", "2027-06"),
        (((DEADLINE, "2027-06"), (("candidates", 0, "delivery_months"), 2)), "deadline", "2027-06"),
        (((DEADLINE, "2026-12"), (("candidates", 0, "delivery_months"), 2)), "deadline", "2026-12"),
    ):
        text = recommend_checks.reason(checked(*changes)[name], spoken)
        assert figure in text
        assert "{" not in text


def test_what_fails_by_year_or_by_deadline_can_be_relaxed() -> None:
    """The values that are named are enough, and nothing but them is asked for."""
    scenario = presets.preset(FACTS, "serve-70b")
    scenario = changed(scenario, ("constraints", "budget_by_year"), (100_000.0, 1_000.0))
    scenario = changed(scenario, DEADLINE, month(2))
    for place in range(len(scenario.candidates)):
        scenario = changed(scenario, ("candidates", place, "delivery_months"), 6)
    found = recommend(FACTS, scenario)
    assert found.winner is None
    way = found.ways_out[0]
    assert {one.check for one in way.relaxations} == {"yearly", "deadline"}
    eased = relaxed(scenario, way.relaxations)
    assert eased.constraints.deadline == month(6)
    after = recommend(FACTS, eased)
    assert next(one for one in after.assessments if one.place == way.assessment.place).is_feasible
    for one in way.relaxations:
        assert relaxation(one, way, words("en"))
