"""The recommendation keeps its own rules: checks before cost, cost before order, and a way out where nobody passes."""

import dataclasses
import functools
import statistics
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.choice import presets
from lib.choice.assessment import Assessment, assess
from lib.choice.costed import band_overlap, costed
from lib.choice.preference import Preference
from lib.choice.recommend import Recommendation, recommend
from lib.choice.relaxing import relaxed
from lib.choice.scenario import Candidate, Constraints, Scenario, changed
from lib.choice.software import products
from lib.choice.unknowns import unknowns
from lib.cost.cash_flow import totals

FACTS = catalog.load()
EVERY = tuple(
    (preset_id, place)
    for preset_id in FACTS.presets
    for place in range(len(presets.preset(FACTS, preset_id).workloads))
)


@functools.cache
def scenario_of(preset_id: str, workload: int = 0) -> Scenario:
    """A preset with one of its workloads in view."""
    return changed(presets.preset(FACTS, preset_id), ("view", "workload"), workload)


def with_constraints(scenario: Scenario, **limits: Any) -> Scenario:
    """The scenario with these constraints alone."""
    return scenario.model_copy(update={"constraints": Constraints(**limits)})


def place_of(found: Recommendation, candidate: int) -> int:
    """Rank of a candidate, counted from 0."""
    return [one.place for one in found.assessments].index(candidate)


def breaks(scenario: Scenario, one: Assessment) -> bool:
    """Whether a candidate breaks a cap or a requirement, judged without the checks themselves."""
    limits, cost = scenario.constraints, one.cost
    if limits.power_kw is not None and cost.power_kw is not None and cost.power_kw > limits.power_kw:
        return True
    if limits.budget_usd is not None and cost.npv_usd is not None and cost.npv_usd > limits.budget_usd:
        return True
    if limits.gpus is not None and cost.option is not None and cost.option.held_gpus > limits.gpus:
        return True
    only_cuda = {"TensorRT-LLM", "FlashAttention-3", "FlashAttention-4"}  # no ROCm build: software_matrix.csv
    if only_cuda & set(limits.software) and cost.accelerator.vendor == "AMD":
        return True
    return cost.accelerator.status == "announced"


CONSTRAINTS = st.fixed_dictionaries(
    {
        "software": st.lists(st.sampled_from(products(FACTS.software)), max_size=3, unique=True).map(tuple),
        "power_kw": st.none() | st.floats(1, 500),
        "budget_usd": st.none() | st.floats(5_000, 5e6),
        "gpus": st.none() | st.integers(1, 300),
    }
)
LOADS = st.fixed_dictionaries(
    {
        "concurrency": st.none() | st.sampled_from([4, 64]),
        "tpot_limit_ms": st.none() | st.sampled_from([5.0, 50.0]),
        "spare_replicas": st.none() | st.just(1),
    }
)
"""A few loads, so that fleets are made once for many money questions; 5 ms a token is out of everybody's reach."""


@pytest.mark.parametrize(("preset_id", "workload"), EVERY)
def test_the_winner_has_the_lowest_figure_of_all_that_pass(preset_id: str, workload: int) -> None:
    """Every preset has a winner whose cost is that of its fleet on the cost room's own terms (exact), or a way out."""
    scenario = scenario_of(preset_id, workload)
    found = recommend(FACTS, scenario)
    if found.winner is None:
        assert found.ways_out
        return
    gpus = found.winner.cost.gpus
    asked = found.winner.candidate.model_copy(update={"gpus": gpus})
    alone = costed(FACTS, scenario.workload, scenario.engine, scenario.money, asked)
    assert found.winner.cost.npv_usd == alone.npv_usd
    ours = found.standing(found.winner)
    for one in found.assessments:
        theirs = found.standing(one).weighted
        same = one.candidate.price_source == found.winner.candidate.price_source
        if one.can_win and one.is_recommendable and same and theirs is not None:
            assert ours.weighted is not None
            assert ours.weighted <= theirs


@pytest.mark.parametrize("preset_id", ["serve-70b", "multimodal", "deepseek-v3"])
def test_the_figure_is_the_cost_of_the_tokens_of_the_low_end(preset_id: str) -> None:
    """USD per million = NPV / (months of service at the discount rate x 730 h x utilisation x low rate) (1e-9)."""
    scenario = scenario_of(preset_id)
    found = recommend(FACTS, scenario)
    winner = found.winner
    assert winner is not None
    assert winner.fleet is not None
    assert winner.fleet.speed is not None
    rate = (1 + scenario.money.discount_rate) ** (1 / 12) - 1
    months = sum((1 + rate) ** -month for month in range(1, 12 * scenario.money.horizon_years + 1))
    tokens = winner.fleet.speed.low * 3600 * 730 * months * scenario.money.utilisation
    assert found.standing(winner).figure == pytest.approx((winner.cost.npv_usd or 0.0) / tokens * 1e6, rel=1e-9)


def with_load(scenario: Scenario, **load: Any) -> Scenario:
    """The scenario with another load for the workload in view, where one is given and it is served."""
    stated = {name: value for name, value in load.items() if value is not None}
    if scenario.workload.task != "serve" or not stated:
        return scenario
    workloads = list(scenario.workloads)
    workloads[scenario.workload_index] = scenario.workload.model_copy(update=stated)
    return scenario.model_copy(update={"workloads": tuple(workloads)})


STATED = tuple(one for one in EVERY if presets.preset(FACTS, one[0]).prefers.ways == "stated")
OPENED = tuple(one for one in EVERY if one not in STATED)


@settings(max_examples=500)
@given(which=st.sampled_from(STATED), limits=CONSTRAINTS, load=LOADS)
def test_nobody_who_breaks_a_constraint_is_recommended(
    which: tuple[str, int], limits: dict[str, Any], load: dict[str, Any]
) -> None:
    """Whatever the constraints: the winner breaks none; without a winner the smallest change named makes one."""
    keeps_its_constraints(which, limits, load)


@settings(max_examples=25)
@given(which=st.sampled_from(OPENED), limits=CONSTRAINTS, load=LOADS)
def test_nobody_who_breaks_a_constraint_is_recommended_among_all_ways(
    which: tuple[str, int], limits: dict[str, Any], load: dict[str, Any]
) -> None:
    """The same where each part is had in every way."""
    keeps_its_constraints(which, limits, load)


def keeps_its_constraints(which: tuple[str, int], limits: dict[str, Any], load: dict[str, Any]) -> None:
    """No constraint is broken by the winner, or by the candidate of the smallest change."""
    scenario = with_constraints(with_load(scenario_of(*which), **load), **limits)
    found = recommend(FACTS, scenario)
    if found.winner is not None:
        assert not found.winner.failed
        assert not breaks(scenario, found.winner)
        if found.winner.misses_limit and found.winner.is_recommendable:
            assert all(one.misses_limit or not one.is_recommendable for one in found.assessments if one.can_win)
        return
    for way in found.ways_out[:1]:
        eased = relaxed(found.scenario, way.relaxations)
        there = assess(FACTS, eased, way.assessment.place)
        assert there.is_feasible
        assert not breaks(eased, there)


@settings(max_examples=60)
@given(
    which=st.sampled_from([name for name, _ in EVERY]),
    candidate=st.integers(0, 7),
    first=st.floats(1_000, 2e6),
    second=st.floats(1_000, 2e6),
    limits=CONSTRAINTS,
)
def test_a_cheaper_price_never_hurts_the_rank_of_its_part(
    which: str, candidate: int, first: float, second: float, limits: dict[str, Any]
) -> None:
    """At the lower of two stated prices a candidate stands no lower than at the higher one."""
    scenario = with_constraints(scenario_of(which), **limits)
    candidate %= len(scenario.candidates)
    bought = scenario.candidates[candidate].acquisition == "buy"
    field, scale = ("server_price_usd", 1.0) if bought else ("rent_usd_per_gpu_hour", 1e-4)
    base: dict[str, object] = dict.fromkeys(("gpu_price_usd", "rent_usd_per_gpu_month"))
    places = []
    for price in sorted((first, second)):
        stated = scenario.candidates[candidate].model_copy(update={**base, field: price * scale})
        others = list(scenario.candidates)
        others[candidate] = stated
        places.append(place_of(recommend(FACTS, scenario.model_copy(update={"candidates": tuple(others)})), candidate))
    assert places[0] <= places[1]


def test_relaxing_exactly_what_is_named_is_enough_and_less_is_not() -> None:
    """A cap of 5 kW and 100,000 USD on bought servers: the values named pass, a kW or a dollar less does not."""
    scenario = with_constraints(scenario_of("serve-70b"), power_kw=5.0, budget_usd=100_000.0)
    found = recommend(FACTS, scenario)
    assert found.winner is None
    way = found.ways_out[0]
    assert {one.check for one in way.relaxations} == {"power", "budget"}
    assert recommend(FACTS, relaxed(scenario, way.relaxations)).winner is not None
    for short in way.relaxations:
        less = dataclasses.replace(short, to=short.to - 1)
        after = recommend(FACTS, relaxed(scenario, [less if one is short else one for one in way.relaxations]))
        there = next(one for one in after.assessments if one.place == way.assessment.place)
        assert [check.name for check in there.failed] == [short.check]


def test_a_fleet_too_small_names_the_gpus_it_needs() -> None:
    """One H100 does not hold Llama 3.3 70B in bf16 (141 GB on 79 GiB): the way out is a number that does."""
    scenario = scenario_of("serve-70b").model_copy(update={"candidates": (Candidate(accelerator="h100-sxm", gpus=1),)})
    found = recommend(FACTS, scenario)
    assert found.winner is None
    (step,) = found.ways_out[0].relaxations
    assert (step.check, step.now) == ("memory", 1)
    assert step.to > 1
    assert recommend(FACTS, relaxed(scenario, [step])).winner is not None


def test_an_announced_part_is_not_recommended() -> None:
    """A part that nobody can buy yet fails, and no limit helps it."""
    announced = next(name for name, part in FACTS.accelerators.items() if part.status == "announced")
    scenario = scenario_of("serve-70b").model_copy(update={"candidates": (Candidate(accelerator=announced),)})
    found = recommend(FACTS, scenario)
    assert found.winner is None
    assert "not-obtainable" in [check.reason for check in found.assessments[0].failed]
    assert found.ways_out == ()


def test_required_software_rules_out_the_platform_without_it() -> None:
    """TensorRT-LLM has no ROCm build (hardware list of its documentation): MI300X fails and is not recommended."""
    found = recommend(FACTS, scenario_of("research-lab"))
    (failed,) = [one for one in found.assessments if one.failed]
    assert failed.candidate.accelerator == "mi300x"
    assert [(check.name, check.reason) for check in failed.failed] == [("software", "does-not-run")]
    without = recommend(FACTS, with_constraints(scenario_of("research-lab")))
    assert not any(one.failed for one in without.assessments)


def test_the_rent_of_the_winner_follows_from_the_price_rows() -> None:
    """A100 in research-lab: median of the dated list rows, 4 GPUs, support, a year at 10 % paid monthly (1e-6)."""
    rows = [
        (row.low + row.high) / 2
        for row in FACTS.prices
        if (row.accelerator_id, row.kind, row.basis, row.quality) == ("a100-sxm-80g", "on-demand", "per GPU-hour", "dated-list")
        and row.currency == "USD"
        and row.as_of >= "2026-02-28"
    ]  # fmt: skip
    support = FACTS.assumptions["rent-support"].base or 0.0
    monthly = statistics.median(rows) * 4 * 730 * (1 + support / 100)
    expected = sum(monthly / 1.1 ** (month / 12) for month in range(1, 13))
    winner = recommend(FACTS, scenario_of("research-lab")).winner
    assert winner is not None
    assert winner.candidate.accelerator == "a100-sxm-80g"
    assert winner.size.gpus == 4
    assert winner.cost.npv_usd == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ((1.0, 10.0), (10.0, 30.0), 0.0),
        ((1.0, 10.0), (20.0, 30.0), 0.0),
        ((1.0, 16.0), (4.0, 64.0), 0.5),
        ((1.0, 10.0), (2.0, 4.0), 1.0),
        ((5.0, 5.0), (1.0, 10.0), 0.0),
        ((5.0, 5.0), (6.0, 10.0), 0.0),
        ((-1.0, 10.0), (2.0, 4.0), 0.0),
    ],
)
def test_ranges_overlap_by_their_common_share(
    first: tuple[float, float], second: tuple[float, float], share: float
) -> None:
    """Common ratio over the narrower one in logarithms, from either side (1e-12); one quote has no range and makes no tie."""
    assert band_overlap(first, second) == pytest.approx(share, abs=1e-12)
    assert band_overlap(second, first) == pytest.approx(share, abs=1e-12)


def test_stated_prices_far_apart_are_no_tie() -> None:
    """By outlay alone, with a price stated for each server, there is no range left to tie in."""
    scenario = scenario_of("serve-70b").model_copy(update={"preference": Preference(metric="outlay")})
    candidates = (
        Candidate(accelerator="mi300x", server_price_usd=200_000.0),
        Candidate(accelerator="h100-sxm", server_price_usd=300_000.0),
    )
    found = recommend(FACTS, scenario.model_copy(update={"candidates": candidates}))
    assert not found.is_tie
    assert found.overlap == 0


def test_rent_or_buy_turns_at_its_utilisation() -> None:
    """128 committed MI300X against the same rented by the hour used: equal at the utilisation named (1e-6)."""
    found = recommend(FACTS, scenario_of("train-128"))
    both = found.rent_or_buy
    assert both is not None
    assert both.at is not None
    assert both.held.option is not None
    assert both.rented.option is not None
    finance = dataclasses.replace(both.held.finance.finance, utilisation=both.at)
    by_the_hour = dataclasses.replace(both.rented.option, billing="used-hours")
    assert float(totals(both.held.option, finance).npv_usd) == pytest.approx(
        float(totals(by_the_hour, finance).npv_usd), rel=1e-6
    )


def test_a_megawatt_holds_as_many_servers_as_their_power_says() -> None:
    """1,000 kW / (8.7 kW x PUE 1.5) = 76 servers with eight MI300X of 191.98 GiB, two GPUs a replica (exact)."""
    power = FACTS.assumptions["pow-node-load-mi300x"].base
    pue = FACTS.assumptions["fac-pue-colo"].base
    assert (power, pue) == (8.7, 1.5)
    found = recommend(FACTS, scenario_of("one-megawatt"))
    one = next(one for one in found.filled if one.assessment.candidate.accelerator == "mi300x")
    assert (one.servers, one.gpus) == (76, 608)
    assert one.memory_gib == pytest.approx(608 * 191.98, rel=1e-12)
    replica = one.assessment.size.gpus
    assert replica is not None
    assert one.copies == 76 * (8 // replica)
    whole = one.assessment.candidate.model_copy(update={"gpus": 608})
    scenario = found.scenario
    assert one.npv_usd == costed(FACTS, scenario.workload, scenario.engine, scenario.money, whole).npv_usd


@pytest.mark.parametrize(
    ("preset_id", "agreement"),
    [
        ("serve-70b", "differs"),
        ("pretrain-256", "agrees"),
        ("deepseek-v3", "differs"),
        ("image-generation", "not-compared"),
        ("token-price", "no-part"),
        ("research-lab", "within-tie"),
        ("deepseek-v4", None),
    ],
)
def test_the_advice_of_the_article_stands_beside_ours(preset_id: str, agreement: str | None) -> None:
    """The named part is our first, another, in our tie or no candidate; advice on a price names none."""
    given_advice = recommend(FACTS, scenario_of(preset_id)).advice
    assert (given_advice.agreement if given_advice else None) == agreement


def test_advice_that_a_check_rules_out_says_so() -> None:
    """Where the article's MI300X cannot run what must run, we differ for that reason."""
    found = recommend(FACTS, with_constraints(scenario_of("serve-70b"), software=("TensorRT-LLM",)))
    assert found.advice is not None
    assert found.advice.agreement == "ruled-out"


def test_what_is_not_known_is_asked() -> None:
    """Estimated prices, unmeasured TPOT, missing throughput and lead times of serve-70b are on the list, each once."""
    found = unknowns(FACTS, recommend(FACTS, scenario_of("serve-70b")))
    codes = [one.code for one in found]
    assert len(set(codes)) == len(codes)
    assert {"throughput", "tpot", "estimated-price", "lead-time", "lead-time-reported"} <= set(codes)
    lead = next(one for one in found if one.code == "lead-time-reported")
    assert (lead.values["low"], lead.values["high"]) == (36, 52)  # rel-leadtime of assumptions.csv
    assert set(lead.parts) == {"H100 SXM", "H200 SXM"}


def test_prices_of_one_source_are_held_against_each_other() -> None:
    """In llama-405b winner and rival stand at the catalogue's prices, and the article's first is named beside them."""
    for workload in (0, 1):
        found = recommend(FACTS, scenario_of("llama-405b", workload))
        assert found.winner is not None
        assert found.rival is not None
        assert found.winner.candidate.price_source == found.rival.candidate.price_source == "catalogue"
        assert [one.candidate.price_source for one in found.at_other_prices] == ["article-a1"]


@pytest.mark.parametrize("preset_id", ["finetune-64", "serve-70b"])
def test_a_model_that_cannot_be_read_is_no_reason_to_buy_anything(preset_id: str) -> None:
    """An own config of an unknown kind: neither a run nor a service of no known size has a cheapest part."""
    scenario = presets.preset(FACTS, preset_id)
    unread = {"model": "custom", "config": '{"model_type": "nobody-knows", "hidden_size": 4096}'}
    found = recommend(FACTS, scenario.model_copy(update={"workloads": (scenario.workload.model_copy(update=unread),)}))
    assert found.winner is None
    assert not found.ways_out
