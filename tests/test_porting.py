"""What must run: verdicts in step with the checks of a recommendation, and weeks from measured ports."""

import csv
from pathlib import Path

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.checks import checks_of
from lib.choice.costed import costed
from lib.choice.page_choices import StackChoices
from lib.choice.porting import effort, porting, required_products, with_migration
from lib.choice.scenario import changed
from lib.choice.sized import sized
from lib.choice.software import PLATFORMS, products
from lib.choice.view_choices import stack_choices, with_stack

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b")
PARTS = [FACTS.accelerator(name) for name in ("mi300x", "h100-sxm")]


def assumption(name: str) -> list[float]:
    """Low, base and high of a row as it stands in the file."""
    with (DATA / "assumptions.csv").open(encoding="utf-8", newline="") as file:
        row = next(one for one in csv.DictReader(file) if one["assumption_id"] == name)
    return [float(row[end]) for end in ("low", "base", "high")]


def test_own_libraries_take_the_weeks_of_measured_ports() -> None:
    """Two libraries take twice 1.9, 6 and 10 weeks; 2,000 lines are touched by 2.9 to 12.5 %."""
    found = effort(FACTS.assumptions, StackChoices(kernel_libraries=2, kernel_lines=2000), "ROCm")
    assert found.kind == "measured"
    assert list(found.weeks.values()) == pytest.approx([2 * weeks for weeks in assumption("mig-elapsed")])
    assert list(found.lines.values()) == pytest.approx([20 * share for share in assumption("mig-code-share")])


def test_without_own_kernels_the_range_of_the_article_stands() -> None:
    """1 to 4 weeks, as article A0 states them, and marked as the article's."""
    found = effort(FACTS.assumptions, StackChoices(kernel_libraries=0), "ROCm")
    assert found.kind == "article"
    assert list(found.weeks.values()) == assumption("mig-article-weeks")


def test_what_nobody_measured_has_no_weeks() -> None:
    """A move from ROCm to CUDA, or to neither, is not measured; where it runs already it takes nothing."""
    assert effort(FACTS.assumptions, StackChoices(runs_today="rocm"), "CUDA").weeks == {}
    assert effort(FACTS.assumptions, StackChoices(), "").kind == "not-measured"
    for today, platform in (("cuda", "CUDA"), ("rocm", "ROCm"), ("none", "ROCm")):
        moved = effort(FACTS.assumptions, StackChoices(runs_today=today), platform)  # type: ignore[arg-type]
        assert set(moved.weeks.values()) == {0.0}


def test_weeks_cost_what_an_engineer_costs() -> None:
    """Six weeks at 325,000 USD a year are 37,500 USD."""
    found = effort(FACTS.assumptions, StackChoices(), "ROCm")
    assert found.cost_usd("base", 325_000.0) == pytest.approx(6 * 325_000 / 52)


def test_the_weeks_reach_the_cost() -> None:
    """The scenario with them costs an AMD part that much more and an NVIDIA part no more."""
    money = SERVE.money
    dearer = with_migration(SERVE, money.migration_engineer_weeks + 4).money
    for part, weeks in (("mi300x", 4), ("h100-sxm", 0)):
        candidate = next(one for one in SERVE.candidates if one.accelerator == part)
        before = costed(FACTS, SERVE.workload, SERVE.engine, money, candidate).npv_usd
        after = costed(FACTS, SERVE.workload, SERVE.engine, dearer, candidate).npv_usd
        assert before is not None
        assert after == pytest.approx(before + weeks * money.staff_usd_per_fte_year / 52, abs=0.01)


def test_an_engine_is_required_where_nothing_is_ticked() -> None:
    """Serving needs its engine, training needs PyTorch, and what is ticked wins."""
    assert required_products(changed(SERVE, ("engine", "engine"), "sglang")) == ("SGLang",)
    assert required_products(presets.preset(FACTS, "train-128")) == ("PyTorch",)
    assert required_products(changed(SERVE, ("constraints", "software"), ("Ollama",))) == ("Ollama",)


@pytest.mark.parametrize("product", products(FACTS.software))
def test_the_page_and_the_recommendation_agree(product: str) -> None:
    """A product that does not run here fails the check there; one that runs passes; unknown is unknown."""
    scenario = changed(SERVE, ("constraints", "software"), (product,))
    found = porting(FACTS, scenario, PARTS)
    for part in PARTS:
        candidate = next(one for one in SERVE.candidates if one.accelerator == part.accelerator_id)
        size = sized(FACTS, scenario.workload, scenario.engine, part)
        cost = costed(FACTS, scenario.workload, scenario.engine, scenario.money, candidate)
        checks = checks_of(FACTS, scenario.workload, scenario.constraints, size, cost)
        check = next(one for one in checks if one.name == "software")
        expected = {"runs": "pass", "runs-with-change": "pass", "does-not-run": "fail", "unknown": "unknown"}
        assert check.verdict == expected[found.stack_of(part).verdict]


def test_the_worst_product_is_the_platforms_verdict() -> None:
    """TensorRT-LLM has no ROCm build: vLLM beside it does not save the platform."""
    found = porting(FACTS, changed(SERVE, ("constraints", "software"), ("vLLM", "TensorRT-LLM")), PARTS)
    assert {stack.platform: stack.verdict for stack in found.platforms} == {"ROCm": "does-not-run", "CUDA": "runs"}
    assert PLATFORMS == {"AMD": "ROCm", "NVIDIA": "CUDA"}


def test_a_choice_left_at_its_default_is_not_in_the_scenario() -> None:
    """There and back again is the preset itself, so that its short link stays."""
    there = with_stack(SERVE, "kernel_libraries", 3)
    assert stack_choices(there).kernel_libraries == 3
    assert with_stack(there, "kernel_libraries", 1) == SERVE
