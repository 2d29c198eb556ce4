"""What lies between two scenarios is found, adds up, and is the same from either side with its sign turned."""

from itertools import pairwise
from typing import Any

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.own_parts import add_part, named_alike, with_own_parts
from lib.choice.recommend import recommend
from lib.choice.scenario import OwnPart, Path, Scenario, changed
from lib.choice.scenario_difference import MOST_GROUPS, difference, winner_of
from lib.choice.scenario_inputs import differing, in_view, pairs, suggested, with_groups
from lib.present import compare, compare_tables
from lib.present.compare_names import group_name
from lib.present.figures import compare as figures
from lib.present.recommend_figures import figure_words, metric_name
from lib.present.text import words

FACTS = catalog.load()
BASE = presets.preset(FACTS, "serve-70b")


def edited(*edits: tuple[Path, Any], start: Scenario = BASE) -> Scenario:
    """A scenario with some values replaced."""
    for path, value in edits:
        start = changed(start, path, value)
    return start


def npv(scenario: Scenario) -> float:
    """What the recommended option costs [USD]."""
    winner = recommend(FACTS, scenario).winner
    assert winner is not None
    return winner.cost.npv_usd or 0.0


def test_equal_scenarios_differ_in_nothing() -> None:
    """No input, no cost: language, title and what is looked at are no inputs."""
    looked = edited((("title",), "mine"), (("language",), "zh"), (("view", "priced"), 1))
    found = difference(FACTS, looked, BASE)
    assert (found.groups, found.effects, found.total_usd) == ((), (), 0.0)
    assert found.is_same_option
    assert "No input differs" in compare.answer(found, FACTS, "it", words("en"))


def test_one_input_explains_all() -> None:
    """Switched alone it is the whole difference, to the cent, from both ends."""
    mine = edited((("money", "discount_rate"), 0.15))
    found = difference(FACTS, mine, BASE)
    (effect,) = found.effects
    costs = [npv(one) for one in (mine, BASE)]
    assert found.total_usd == pytest.approx(costs[0] - costs[1], abs=0.01)
    assert (effect.in_yours, effect.in_other, effect.usd) == pytest.approx((found.total_usd,) * 3, abs=0.01)
    assert found.together_usd == pytest.approx(0, abs=0.01)


def test_two_inputs_leave_nothing_together() -> None:
    """Of two the mean of both orders is the Shapley value, which shares out everything (Shapley 1953, efficiency)."""
    mine = edited((("workloads", 0, "concurrency"), 300), (("money", "electricity_usd_per_kwh"), 0.25))
    found = difference(FACTS, mine, BASE)
    assert len(found.effects) == 2
    assert found.together_usd == pytest.approx(0, abs=0.01)
    assert found.main is not None
    assert found.main.groups[0].key == "workload.concurrency"


def test_effects_turn_their_sign_from_the_other_side() -> None:
    """Yours minus other is the negative of other minus yours, input by input; ten inputs or more add up with the rest."""
    other = presets.preset(FACTS, "pretrain-256")
    here, there = difference(FACTS, BASE, other), difference(FACTS, other, BASE)
    assert here.total_usd == pytest.approx(-(there.total_usd or 0), abs=0.01)
    mine = {one.groups[0].key: one.usd for one in here.effects}
    theirs = {one.groups[0].key: one.usd for one in there.effects}
    assert mine.keys() == theirs.keys()
    for key, usd in mine.items():
        assert usd == pytest.approx(-(theirs[key] or 0.0), abs=0.01)
    total = sum(one.usd or 0.0 for one in here.effects) + (here.together_usd or 0.0)
    assert total == pytest.approx(here.total_usd, abs=0.01)
    sizes = [abs(one.usd or 0.0) for one in here.effects]
    assert all(one >= two for one, two in pairwise(sizes))
    assert sum(usd for _name, usd in figures.bars(here, FACTS, words("en"))) == pytest.approx(here.total_usd, abs=5)


@pytest.mark.parametrize("other", ["chat-low-latency", "mi355x-rent", "one-megawatt", "token-price", "finetune-64"])
def test_all_groups_together_make_the_other(other: str) -> None:
    """A scenario that takes every group that differs has the other's answer, in both directions."""
    theirs = in_view(presets.preset(FACTS, other))
    groups = differing(BASE, theirs)
    for taker, giver, is_yours in ((in_view(BASE), theirs, True), (theirs, in_view(BASE), False)):
        became = with_groups(taker, giver, groups, is_yours=is_yours)
        assert differing(became, giver) == ()
        won, wanted = winner_of(FACTS, became), winner_of(FACTS, giver)
        assert (won and won.cost.npv_usd) == (wanted and wanted.cost.npv_usd)


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_the_short_answer_is_the_recommendation(preset_id: str) -> None:
    """What the attribution asks again and again is the winner of the page Recommend, at its cost."""
    scenario = presets.preset(FACTS, preset_id)
    short, long = winner_of(FACTS, scenario), recommend(FACTS, scenario).winner
    assert (short and (short.candidate, short.cost.npv_usd)) == (long and (long.candidate, long.cost.npv_usd))


def test_options_and_own_parts_are_one_group() -> None:
    """A part that only one of them states comes with its statement, and goes with it."""
    mine = add_part(BASE, OwnPart(name="MI450X", vendor="AMD", memory_gib=432.0), 1000.0)
    (group,) = differing(mine, BASE)
    assert group.key == "options"
    assert with_groups(in_view(mine), in_view(BASE), (group,), is_yours=True).own_parts == ()
    found = difference(FACTS, mine, BASE)
    assert [one.other for one in found.options if one.candidate.accelerator == "own-1"] == [None]


def test_a_price_is_one_group_of_its_option() -> None:
    """Own price and its source are switched together, and named with the option."""
    mine = edited((("candidates",), ({**BASE.candidates[0].model_dump(), "gpu_price_usd": 9000.0, "price_source": "own"},
                                     *(one.model_dump() for one in BASE.candidates[1:]))))  # fmt: skip
    (group,) = differing(mine, BASE)
    assert {one.field for one in group.inputs} == {"gpu_price_usd", "price_source"}
    assert "MI300X" in group_name(group, FACTS, words("en"))


def test_what_is_only_shown_costs_nothing() -> None:
    """Another currency is an input that differs, with no effect on the cost in US dollars."""
    found = difference(FACTS, edited((("money", "currency"), "CNY")), BASE)
    assert [one.usd for one in found.effects] == [0.0]
    table = compare_tables.inputs_table(found, FACTS, words("en"))
    assert list(table["Effect alone, USD"]) == ["none: shown only"]


def test_without_an_answer_there_is_nothing_to_explain() -> None:
    """A budget that nobody meets leaves no recommended option: inputs are listed, effects are not."""
    found = difference(FACTS, edited((("constraints", "budget_usd"), 1.0)), BASE)
    assert found.total_usd is None
    assert found.effects == ()
    assert [one.key for one in found.groups] == ["constraints.budget"]
    assert "no option passes" in compare.answer(found, FACTS, "it", words("en"))
    assert figures.effects_chart(found, FACTS, words("en"), dark=False) is None


def test_the_other_is_the_own_preset_once_something_differs() -> None:
    """An edited preset is compared with itself as published, an untouched one with the next of its task."""
    known = {name: presets.preset(FACTS, name) for name in FACTS.presets}
    assert suggested(edited((("money", "horizon_years"), 5)), known) == "serve-70b"
    assert suggested(BASE, known) != "serve-70b"
    assert known[suggested(known["pretrain-256"], known)].workload.task == "train"


def test_few_enough_inputs_are_switched_alone() -> None:
    """No pair of presets has more groups than are switched one by one."""
    known = [presets.preset(FACTS, name) for name in FACTS.presets]
    assert max(len(differing(one, other)) for one in known for other in known) <= MOST_GROUPS


def options_of(*edits: dict[str, Any]) -> Scenario:
    """The preset with its first option once for each of these edits of it, before the others."""
    first, *rest = (one.model_dump() for one in BASE.candidates)
    return edited((("candidates",), (*({**first, **one} for one in edits), *rest)))


def test_a_part_that_stands_twice_is_paired_with_its_own_kind() -> None:
    """Own price with own price, a later order with a later order: each difference is that of two costs of one option."""
    own = {"price_source": "own", "gpu_price_usd": 9000.0}
    mine = options_of({}, own, {"order_month": 6})
    theirs = options_of({"order_month": 6}, {**own, "gpu_price_usd": 8000.0}, {"order_month": 12})
    found = difference(FACTS, mine, theirs)
    alike = {(one.candidate.price_source, one.candidate.order_month): one for one in found.options
             if one.candidate.accelerator == "mi300x"}  # fmt: skip
    for kind in (("own", 0), ("catalogue", 6)):
        one = alike[kind]
        assert one.yours is not None
        assert one.other is not None
        assert (one.other.candidate.price_source, one.other.candidate.order_month) == kind
        assert one.change_usd == (one.yours.cost.npv_usd or 0) - (one.other.cost.npv_usd or 0)
    assert alike["own", 0].change_usd != 0
    assert alike["catalogue", 6].change_usd == 0
    places = {(one.yours.place, one.other.place) for one in found.options if one.yours and one.other}
    assert places == set(pairs(mine, theirs))
    table = compare_tables.options_table(found, words("en"))
    assert table["Option"].is_unique


ALPHA = OwnPart(name="Alpha", memory_gib=288.0, memory_bandwidth_tbs=8.0, fp16_bf16_dense_tflops=2500.0, tdp_w=1400.0,
                fp8_dense_tflops=5000.0, interconnect_gbs=1200.0)  # fmt: skip
BETA = ALPHA.model_copy(update={"name": "Beta", "memory_gib": 80.0})


def rented(*parts: OwnPart, usd: float = 1.0) -> Scenario:
    """The preset with own parts, each to be rented at a price that wins."""
    scenario = BASE
    for part in parts:
        scenario = add_part(scenario, part)
    own = [
        {**one.model_dump(), "acquisition": "rent", "price_source": "own", "rent_usd_per_gpu_hour": usd,
         "gpu_price_usd": None}
        if one.accelerator.startswith("own-") else one.model_dump()
        for one in scenario.candidates
    ]  # fmt: skip
    return edited((("candidates",), tuple(own)), start=scenario)


def test_own_parts_of_one_id_are_two_parts() -> None:
    """Yours own-1 is Alpha and the other's own-1 is Beta: each stands under its name, at its cost, in its scenario alone."""
    mine, theirs = (
        edited((("candidates",), tuple(one.model_dump() for one in scenario.candidates[-1:])), start=scenario)
        for scenario in (rented(ALPHA), rented(BETA))
    )
    found = difference(FACTS, mine, theirs)
    names = with_own_parts(FACTS, found.own_parts)
    own = {names.accelerator(one.candidate.accelerator).name: one for one in found.options
           if one.candidate.accelerator.startswith("own-")}  # fmt: skip
    assert set(own) == {"Alpha", "Beta"}
    assert own["Alpha"].other is None
    assert own["Beta"].yours is None
    for side, scenario in ((found.yours, mine), (found.other, theirs)):
        alone = recommend(with_own_parts(FACTS, scenario.own_parts), scenario)
        assert [(one.cost.accelerator.name, one.cost.npv_usd) for one in side.assessments] == [
            (one.cost.accelerator.name, one.cost.npv_usd) for one in alone.assessments
        ]
    told = compare.answer(found, names, "it", words("en"))
    assert "Alpha, rent" in told
    assert "Beta, rent" in told
    assert not found.is_same_option
    (group,) = found.groups
    assert group_name(group, names, words("en")) == "Options: Alpha, rent (288 GiB); Beta, rent (80 GiB)"


def test_an_own_part_is_the_same_under_another_id() -> None:
    """Yours is own-1, the other's the equal own-2: one option in both, whose price alone differs."""
    mine, theirs = rented(ALPHA, usd=1.5), rented(BETA, ALPHA, usd=1.0)
    found = difference(FACTS, mine, theirs)
    both = [one for one in found.options if one.candidate.accelerator.startswith("own-") and one.yours and one.other]
    assert [one.yours.cost.accelerator.name for one in both if one.yours] == ["Alpha"]
    assert [one.other.cost.accelerator.name for one in both if one.other] == ["Alpha"]
    names = with_own_parts(FACTS, found.own_parts)
    told = [group_name(one, names, words("en")) for one in found.groups]
    assert told == ["Options: Beta, rent (80 GiB)", "Alpha, rent: Rent per GPU-hour"]
    assert found.total_usd == pytest.approx(
        sum(one.usd or 0.0 for one in found.effects) + (found.together_usd or 0.0), abs=0.01
    )


def test_own_parts_of_one_name_are_told_apart() -> None:
    """By the figure that differs."""
    found = difference(FACTS, rented(ALPHA), rented(ALPHA.model_copy(update={"tdp_w": 1000.0})))
    told = group_name(found.groups[0], with_own_parts(FACTS, found.own_parts), words("en"))
    assert told == "Options: Alpha, rent (1,400 W); Alpha, rent (1,000 W)"


def test_a_bridge_of_an_own_part_keeps_its_part() -> None:
    """The other's bridge of own-1 is no difference where yours is of the same part under another id, and one where it is not."""
    bridge = {"bridge": "rent", "delivery_months": 6, "bridge_usd_per_gpu_hour": 2.0}
    first = {**BASE.candidates[0].model_dump(), **bridge}

    def bridged(scenario: Scenario, part: str) -> Scenario:
        rest = tuple(one.model_dump() for one in scenario.candidates[1:])
        return edited((("candidates",), ({**first, "bridge_part": part}, *rest)), start=scenario)

    mine, same, else_ = (
        bridged(rented(ALPHA), "own-1"),
        bridged(rented(BETA, ALPHA), "own-2"),
        bridged(rented(BETA), "own-1"),
    )
    fields = [{one.field for group in differing(mine, other) for one in group.inputs} for other in (same, else_)]
    assert "bridge_part" not in fields[0]
    assert "bridge_part" in fields[1]
    here, there = named_alike(mine, else_)
    assert here.own_parts == there.own_parts == (ALPHA, BETA)
    assert [one.candidates[0].bridge_part for one in (here, there)] == ["own-1", "own-2"]


@pytest.mark.parametrize("metric", ["million-tokens", "outlay", "tokens-per-mw"])
def test_compare_shows_the_figure_that_ranks(metric: str) -> None:
    """The one that Recommend shows, named, with its interval; a cost of tokens beside it is the low end too."""
    mine = edited((("preference",), {"metric": metric}))
    found = difference(FACTS, mine, BASE)
    _ = words("en")
    table = compare_tables.answers_table(found, _).set_index("Answer")
    answer = recommend(FACTS, mine)
    assert answer.winner is not None
    shown = table.loc["Figure that ranks it", "Yours"]
    assert shown == figure_words(answer, answer.winner, _).replace("**", "")
    assert table.loc["Ranked by", "Yours"] == metric_name(answer.metric, _)
    tokens = [name for name in table.index if "per million tokens" in name]
    assert bool(tokens) == (metric != "million-tokens")
    for name in tokens:
        assert "low end" in name
        dearest = (answer.winner.million_tokens_usd or (0.0, 0.0, 0.0))[2]
        assert table.loc[name, "Yours"].startswith(f"{_.number(dearest)} (")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("other", ["pretrain-256", "mi355x-rent"])
def test_the_chart_fits_a_telephone(other: str, language: str) -> None:
    """No line of the title or below it is longer than 48 and 68 letters, and amounts stand right of the names of inputs."""
    chart = figures.effects_chart(
        difference(FACTS, BASE, presets.preset(FACTS, other)), FACTS, words(language), dark=False
    )
    assert chart is not None
    head = chart["layout"]["title"]
    for text, most in ((head["text"], 48), (head["subtitle"]["text"], 60)):
        assert all(sum(2 if ord(one) > 0x2E7F else 1 for one in line) <= most for line in text.split("<br>"))
    assert "text" not in chart["data"][0]
    assert min(chart["data"][1]["x"]) >= 0
