"""What kernels give at the ends of their arguments, each value by hand or from a closed form."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lib.cost.cash_flow import Totals
from lib.cost.difference import waterfall
from lib.cost.distributions import Spread, quantile
from lib.cost.energy import energy_use
from lib.cost.options import Finance, Option
from lib.cost.streams import Stream, laid_out, values_at_start
from lib.cost.time_value import advance_factor, annuity_factor, internal_rate_of_return, net_present_value
from lib.cost.unit_cost import unit_cost
from lib.errors import InputError, UnknownNameError
from lib.records import LayerGroup
from lib.sizing.kv_cache import bytes_per_sequence, bytes_per_token, longest_context, most_sequences
from lib.sizing.roofline import all_reduce_s, causal_pairs, distinct_experts, mean_reach
from lib.sizing.training_states import gathered_bytes, model_states


def test_one_rank_sends_nothing() -> None:
    """2 (n - 1) / n of the message at the bus bandwidth, nothing for one rank: by hand."""
    assert float(all_reduce_s(8.0, 1, 2.0)) == 0.0
    assert float(all_reduce_s(8.0, 4, 2.0)) == pytest.approx(6.0, rel=1e-12)


def test_a_layer_without_experts_wakes_none() -> None:
    """None of none; all of one; and 1 - (1/2)^2 of two for two tokens that choose one each."""
    assert float(distinct_experts(0, 0, 5)) == 0.0
    assert float(distinct_experts(1, 1, 1)) == 1.0
    assert float(distinct_experts(2, 1, 2)) == pytest.approx(1.5, rel=1e-12)


def test_reach_is_the_mean_of_what_the_window_leaves() -> None:
    """By hand: half way without a window, the window beyond it, and both on the way across."""
    assert float(mean_reach(10, 20, np.inf)) == 15.0
    assert float(mean_reach(10, 20, 10)) == 10.0
    assert float(mean_reach(10, 20, 20)) == 15.0
    assert float(mean_reach(0, 4, 2)) == pytest.approx((2 * 2 / 2 + 2 * 2) / 4, rel=1e-12)
    assert float(mean_reach(10, 11, 10.5)) == pytest.approx((10.25 + 10.5) / 2, rel=1e-12)
    assert float(mean_reach(2, 6, 4)) == pytest.approx((2 * 3 + 2 * 4) / 4, rel=1e-12)


def test_pairs_under_a_window_are_a_triangle_and_a_band() -> None:
    """n^2 / 2 without a window, w^2 / 2 + w (n - w) with one: by hand."""
    assert float(causal_pairs(10, np.inf)) == 50.0
    assert float(causal_pairs(10, 4)) == 8.0 + 24.0


FULL = (LayerGroup(2, "full", 100, 50, None, 0, 4),)
WINDOW = (LayerGroup(2, "window", 100, 50, 32, 0, 4),)


def test_an_average_token_is_not_rounded_to_blocks() -> None:
    """Two layers of 100 bytes are 200 bytes a token at any length, by hand; beyond a window of 32 they are fewer."""
    assert [bytes_per_token(FULL, tokens, "bf16", 1) for tokens in (1, 2, 17)] == [200.0] * 3
    assert bytes_per_token(WINDOW, 64, "fp8", 1) == 50.0
    many = bytes_per_token(FULL, np.array([1, 17]), "bf16", np.array([1, 4]))
    assert isinstance(many, np.ndarray)
    assert many.tolist() == [200.0, 50.0]


def test_a_sequence_is_kept_in_whole_blocks_on_the_fullest_rank() -> None:
    """17 tokens are two blocks of 16; three stages hold one layer each; eight ranks hold the quarter that is cut."""
    assert bytes_per_sequence(FULL, 17, "bf16", 1) == 2 * 100 * 32
    assert bytes_per_sequence(FULL, 17, "bf16", 1, block_size=1) == 2 * 100 * 17
    assert bytes_per_sequence(FULL, 16, "bf16", 8, 3) == 1 * 100 * 16 / 4
    assert bytes_per_sequence(FULL, 0, "bf16", 1) == 0.0
    assert bytes_per_sequence(FULL, 32, "bf16", 1, decode_context_parallel_size=2) == 2 * 100 * 16
    assert bytes_per_sequence(WINDOW, 32, "bf16", 1, decode_context_parallel_size=2) == 2 * 100 * 32


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"tokens": -1}, "tokens is -1; allowed: at least 0, and finite"),
        ({"tokens": np.inf}, "tokens is inf; allowed: at least 0, and finite"),
        ({"tensor_parallel_size": 0}, "tensor_parallel_size is 0; allowed: at least 1, and finite"),
        ({"pipeline_parallel_size": 0}, "pipeline_parallel_size is 0; allowed: at least 1, and finite"),
        *(
            ({name: value},
             f"block_size, decode_context_parallel_size, in_flight_tokens is {said}; allowed: at least 1, 1 and 0")
            for name, value, said in (
                ("block_size", 0, (0, 1, 0)),
                ("decode_context_parallel_size", 0, (16, 0, 0)),
                ("in_flight_tokens", -1, (16, 1, -1)),
            )
        ),
        ({"groups": ()}, "groups is (); allowed: at least one layer group"),
    ],
)  # fmt: skip
def test_a_sequence_without_meaning_is_refused(arguments: dict[str, Any], said: str) -> None:
    """The message names the argument, its value and what would be right."""
    good: dict[str, Any] = {"groups": FULL, "tokens": 16, "kv_format": "bf16", "tensor_parallel_size": 1}
    with pytest.raises(InputError) as caught:
        bytes_per_sequence(**{**good, **arguments})
    assert str(caught.value) == said


def test_an_unknown_cache_format_is_named() -> None:
    """With the two that there are."""
    wrong: Any = "fp16"
    with pytest.raises(UnknownNameError, match=r"^no cache format is called 'fp16'; the nearest are .*bf16"):
        bytes_per_sequence(FULL, 16, wrong, 1)


def test_the_least_that_can_be_asked_of_a_budget_is_answered() -> None:
    """One token of one sequence is the least; none, and a budget without an end, are refused by name."""
    assert longest_context(1e9, FULL, "bf16", 1, limit=1) == 1
    assert longest_context(200 * 16, FULL, "bf16", 1, limit=100) == 16
    assert longest_context(200 * 16, FULL, "bf16", 1, sequences=2, limit=100) == 0
    assert longest_context(200 * 32, FULL, "bf16", 1, sequences=2, limit=100) == 16
    assert most_sequences(200 * 16 * 2, FULL, 1, "bf16", 1) == 2.0
    assert most_sequences(-1.0, FULL, 1, "bf16", 1) == 0.0
    for sequences, limit in ((0, 1), (1, 0)):
        with pytest.raises(InputError) as caught:
            longest_context(1.0, FULL, "bf16", 1, sequences=sequences, limit=limit)
        assert str(caught.value) == f"sequences, limit is {(sequences, limit)}; allowed: at least 1"
    for budget in (np.inf, np.nan):
        with pytest.raises(InputError, match=r"^budget_bytes is .*; allowed: a finite number$"):
            longest_context(budget, FULL, "bf16", 1, limit=1)
    for kernel in (bytes_per_token, lambda *rest: most_sequences(1.0, *rest)):
        with pytest.raises(InputError, match=r"^tokens is 0; allowed: at least 1, and finite$"):
            kernel(FULL, 0, "bf16", 1)


def geometric(rate: float, months: range, change: float, step: int, first: int = 0) -> float:
    """The sum over months of (1 + change)^step of the month, discounted: written out term by term."""
    return math.fsum((1 + change) ** ((month - 1 - first) // step) * (1 + rate) ** (-month / 12) for month in months)


@pytest.mark.parametrize("months", [1, 5, 12, 13, 30])
@pytest.mark.parametrize("step", [1, 5, 12])
def test_an_annuity_is_the_sum_of_its_months(months: int, step: int) -> None:
    """Horner's form against the sum written out, to 1e-12, with and without a rate and a change."""
    for rate in (0.0, 0.1):
        for change in (0.0, -0.3, 0.2):
            expected = geometric(rate, range(1, months + 1), change, step)
            assert annuity_factor(rate, months, change, step) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("months", "step"), [(12, 12), (13, 12), (36, 12), (36, 36), (1, 12)])
def test_an_advance_is_paid_at_the_start_of_each_step(months: int, step: int) -> None:
    """(1 + change)^k (1 + rate)^(-k step / 12) for each step that begins, written out, to 1e-12."""
    expected = sum(1.2**number * 1.1 ** (-number * step / 12) for number in range(-(-months // step)))
    assert advance_factor(0.1, months, 0.2, step) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("after", [0, 3, 12])
@pytest.mark.parametrize("until", [None, 20])
@pytest.mark.parametrize("from_start", [False, True])
def test_a_stream_is_worth_the_discounted_sum_of_its_months(after: int, until: int | None, from_start: bool) -> None:
    """Single, monthly and advance payments: months laid out by hand, their value the sum of flow x factor, to 1e-12."""
    steps_from = after if from_start else 0
    stream = Stream(
        single=((0, 7.0), (4, 5.0)),
        monthly=2.0,
        after=after,
        until=until,
        change=0.1,
        steps_from=steps_from,
        advance=3.0,
    )
    last = 26 if until is None else until
    by_hand = [0.0] * 27
    by_hand[0] += 7.0
    by_hand[4] += 5.0
    for month in range(after + 1, last + 1):
        by_hand[month] += 2.0 * 1.1 ** ((month - 1 - steps_from) // 12)
    for number, month in enumerate(range(after, last, 12)):
        by_hand[month] += 3.0 * 1.1**number
    flow = laid_out(stream, 26, ())
    assert flow.tolist() == pytest.approx(by_hand, rel=1e-12)
    for rate in (0.0, 0.08):
        worth = sum(amount * (1 + rate) ** (-month / 12) for month, amount in enumerate(by_hand))
        assert values_at_start({"one": stream}, rate, 26)["one"] == pytest.approx(worth, rel=1e-12)
    doubled = laid_out(stream.times(2.0), 26, ())
    assert doubled.tolist() == pytest.approx([2 * amount for amount in by_hand], rel=1e-12)


def test_streams_of_one_schedule_are_worth_their_own_amounts() -> None:
    """Schedules that differ in nothing but the amount, the end or the beginning stand apart: sums by hand, to 1e-12."""
    streams = {
        "one": Stream(monthly=1.0),
        "three": Stream(monthly=3.0),
        "late": Stream(monthly=1.0, after=10),
        "short": Stream(monthly=1.0, until=2),
        "none": Stream(),
        "over": Stream(monthly=1.0, after=12),
    }
    worth = values_at_start(streams, 0.0, 12)
    assert worth == pytest.approx({"one": 12, "three": 36, "late": 2, "short": 2, "none": 0, "over": 0}, rel=1e-12)


def test_each_draw_of_flows_has_its_own_value() -> None:
    """Two rows of flows are two values, at one rate and at a rate for each row: by hand, to 1e-12."""
    flows = np.zeros((2, 13))
    flows[:, 0], flows[:, 12] = [1.0, 2.0], [11.0, 22.0]
    assert net_present_value(0.10, flows) == pytest.approx([11.0, 22.0], rel=1e-12)
    assert net_present_value(np.array([[0.10], [0.0]]), flows) == pytest.approx([11.0, 24.0], rel=1e-12)


def test_a_year_of_energy_is_said_with_all_it_comes_from() -> None:
    """8 kW at work and 2 idle, at half the hours of all GPUs: 5 kW, 6 at the site, 52,560 kWh and half that in kg."""
    finance = Finance(horizon_months=12, utilisation=0.5, power_usage_effectiveness=1.2)
    use = energy_use(8.0, 2.0, 1.0, finance, (10.0, 20.0), 0.5)
    assert use.average_kw == pytest.approx(5.0, rel=1e-12)
    assert use.site_kw == pytest.approx(6.0, rel=1e-12)
    assert use.co2_kg_per_kwh == 0.5
    assert use.kwh_per_year == pytest.approx(6.0 * 8760, rel=1e-12)
    assert use.co2_kg_per_year == pytest.approx(3.0 * 8760, rel=1e-12)
    assert use.kwh_per_million_tokens == pytest.approx((6 / (10 * 3600) * 1e6, 6 / (5 * 3600) * 1e6), rel=1e-12)
    assert use.co2_kg_per_million_tokens == pytest.approx((3 / (10 * 3600) * 1e6, 3 / (5 * 3600) * 1e6), rel=1e-12)
    bare = energy_use(8.0, 2.0, 1.0, finance)
    assert (bare.co2_kg_per_kwh, bare.co2_kg_per_year, bare.kwh_per_million_tokens) == (None, None, None)
    assert energy_use(8.0, 2.0, 1.0, finance, (10.0, 10.0)).co2_kg_per_million_tokens is None
    with pytest.raises(InputError, match=r"^tokens_per_s is \(20\.0, 10\.0\); allowed: an interval from low to high$"):
        energy_use(8.0, 2.0, 1.0, finance, (20.0, 10.0))
    with pytest.raises(InputError, match=r"^utilisation is 0\.0; allowed: above 0 to 1 for an energy per token$"):
        energy_use(8.0, 2.0, 1.0, replace(finance, utilisation=0.0), (1.0, 2.0))


def test_a_return_that_pays_back_once_is_found() -> None:
    """100 now for 121 after two years is 10 % a year, 1.1^(1/12) - 1 a month; what is never paid back has no return."""
    flows = np.zeros(25)
    flows[[0, 24]] = -100.0, 121.0
    assert internal_rate_of_return(flows) == pytest.approx(1.1 ** (1 / 12) - 1, abs=1e-12)
    assert net_present_value(0.10, flows) == pytest.approx(0.0, abs=1e-9)
    assert internal_rate_of_return(np.zeros(25)) is None
    assert internal_rate_of_return(-np.ones(25)) is None


@pytest.mark.parametrize("rate", [-0.98, -0.5, 0.0, 0.5, 9.0, 998.0])
def test_a_return_is_found_over_the_whole_searched_range(rate: float) -> None:
    """1 now for 1 + i after a month, from -98 % to +99,800 % a month, to 1e-9 of the factor; one beyond has none."""
    assert internal_rate_of_return(np.array([-1.0, 1 + rate])) == pytest.approx(rate, abs=1e-9 * (1 + rate))
    assert internal_rate_of_return(np.array([1.0, -1 - rate])) == pytest.approx(rate, abs=1e-9 * (1 + rate))


def test_of_two_returns_the_one_nearest_to_zero_is_given() -> None:
    """(x - 1.1)(x - 3) = x^2 - 4.1 x + 3.3 has the returns 10 % and 200 % a month; beyond the range there is none."""
    assert internal_rate_of_return(np.array([1.0, -4.1, 3.3])) == pytest.approx(0.1, abs=1e-12)
    assert internal_rate_of_return(np.array([-1.0, 1001.0])) is None
    step = np.log(1e5) / 1200
    below, above = np.exp(-5.5 * step), np.exp(6.5 * step)
    near = internal_rate_of_return(np.array([below * above, -(below + above), 1.0]))
    assert near == pytest.approx(1 / below - 1, rel=1e-9)
    for factor in (1001.0, 0.00995, 0.009):
        assert internal_rate_of_return(np.array([-1.0, factor])) is None
    assert internal_rate_of_return(np.array([-1.0, 0.01001])) == pytest.approx(0.01001 - 1, abs=1e-9)


@pytest.mark.parametrize("place", [1, 500, 719, 720, 721, 900, 1199])
def test_a_return_on_a_point_of_the_search_is_found_there(place: int) -> None:
    """1 / factor - 1 where the factor is one of the 1,201 looked at first, from 1/1000 to 100: to 1e-9 of it."""
    factor = float(np.exp(np.linspace(np.log(1e-3), np.log(100), 1201)[place]))
    expected = 1 / factor - 1
    assert internal_rate_of_return(np.array([-factor, 1.0])) == pytest.approx(expected, abs=1e-9 * (1 + expected))


def test_a_waterfall_takes_what_only_one_of_two_has() -> None:
    """Components of either, what is missing counted as nothing: 5 and 2 against 1 and 4, by hand, in either measure."""
    one = Totals({"energy": 50.0, "rental": 20.0}, {"energy": 5.0, "rental": 2.0})
    other = Totals({"energy": 10.0, "hardware": 40.0}, {"energy": 1.0, "hardware": 4.0})
    for measure, unit in (("npv", 1.0), ("nominal", 10.0)):
        found = waterfall(one, other, measure)  # type: ignore[arg-type]
        assert found.measure == measure
        assert (found.first_usd, found.second_usd, found.change_usd) == (7 * unit, 5 * unit, -2 * unit)
        steps = [(step.component, step.first_usd, step.second_usd, step.from_usd, step.to_usd) for step in found.steps]
        assert steps == [
            ("energy", 5 * unit, 1 * unit, 7 * unit, 3 * unit),
            ("rental", 2 * unit, 0.0, 3 * unit, 1 * unit),
            ("hardware", 0.0, 4 * unit, 1 * unit, 5 * unit),
        ]
    with pytest.raises(InputError, match=r"^measure is 'NPV'; allowed: npv or nominal$"):
        waterfall(one, other, "NPV")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^totals is 'an array of shape \(2, 1\)'; allowed: numbers, not draws$"):
        waterfall(one, Totals({}, {"energy": np.zeros((2, 1))}))


def test_a_spread_of_factors_never_leaves_its_ends() -> None:
    """At the probabilities 0 and 1 of a thousand ranges exactly the low and the high end, whatever a logarithm rounds."""
    ends = np.array([0.0, 1.0])
    for low in np.linspace(0.1, 99.7, 1000).tolist():
        below, above = quantile(Spread(low, 1.5 * low, 3.1 * low, "median", "log"), ends).tolist()
        assert low <= below <= above <= 3.1 * low


def test_megatron_counts_bf16_unless_told() -> None:
    """18 bytes a parameter without the distributed optimizer, 6 + 12 / d with it: its own table."""
    assert sum(model_states(1.0, 1, 0, "megatron")) == 18.0
    assert sum(model_states(1.0, 4, 0, "megatron")) == 18.0
    assert sum(model_states(1.0, 4, 1, "megatron")) == 6.0 + 12.0 / 4


OFFLOADED: list[tuple[str, int, str, tuple[float, float, float]]] = [
    ("zero-paper", 1, "none", (20.0, 20.0, 120.0 / 5)),
    ("zero-paper", 1, "optimizer", (20.0, 20.0, 0.0)),
    ("zero-paper", 2, "optimizer", (20.0, 0.0, 0.0)),
    ("zero-paper", 3, "optimizer", (20.0 / 5, 0.0, 0.0)),
    ("zero-paper", 3, "all", (0.0, 0.0, 0.0)),
    ("megatron", 1, "optimizer", (20.0, 40.0, 0.0)),
    ("deepspeed", 2, "none", (40.0, 40.0 / 5, 120.0 / 5)),
    ("deepspeed", 2, "optimizer", (20.0, 0.0, 0.0)),
    ("deepspeed", 3, "none", (20.0 / 5, 40.0 / 5, 120.0 / 5)),
    ("deepspeed", 3, "optimizer", (20.0 / 5, 0.0, 0.0)),
    ("deepspeed", 3, "all", (0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize(("accounting", "stage", "offload", "expected"), OFFLOADED)
def test_what_lies_in_the_host_is_not_on_the_gpu(
    accounting: Any, stage: int, offload: Any, expected: tuple[float, float, float]
) -> None:
    """Ten parameters on five ranks: weights, gradients and optimizer by the docstring's table, by hand."""
    states = model_states(10.0, 5, stage, accounting, offload=offload)
    assert tuple(states) == pytest.approx(expected, rel=1e-12)
    assert tuple(model_states(0.0, 5, stage, accounting, offload=offload)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"data_parallel_size": 0}, "data_parallel_size is 0; allowed: at least 1"),
        ({"zero_stage": 4}, "zero_stage is 4; allowed: 0 or 1 or 2 or 3 in the accounting zero-paper"),
        ({"zero_stage": 2, "offload": "all"}, "offload is 'all'; allowed: none or optimizer below stage 3"),
        ({"zero_stage": 2, "accounting": "megatron"}, "zero_stage is 2; allowed: 0 or 1 in the accounting megatron"),
    ],
)
def test_states_that_no_accounting_has_are_refused(arguments: dict[str, Any], said: str) -> None:
    """The message names the argument, its value and what the accounting states."""
    good: dict[str, Any] = {"parameters": 1.0, "data_parallel_size": 1, "zero_stage": 1}
    with pytest.raises(InputError) as caught:
        model_states(**{**good, **arguments})
    assert str(caught.value) == said


def test_an_unknown_accounting_or_offload_is_named() -> None:
    """With the nearest of those there are."""
    for field, what in (("accounting", "accounting of training memory"), ("offload", "offload")):
        wrong: dict[str, Any] = {field: "nowhere"}
        with pytest.raises(UnknownNameError, match=f"^no {what} is called 'nowhere'; the nearest are .*"):
            model_states(1.0, 1, 1, **wrong)


def test_a_shared_bill_says_the_weight_that_it_was_shared_by() -> None:
    """One GPU at 3.6 USD an hour reads 600 and writes 100 tokens a second; at a weight of 4 they cost 1 and 4 USD."""
    rented = Option(accelerator_id="mi300x", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=3.6)
    cost = unit_cost(
        rented, Finance(horizon_months=12), None, None, (600.0, 1200.0), (100.0, 200.0), "nominal", output_weight=4.0
    )
    assert cost.split is not None
    assert cost.split.output_weight == 4.0
    assert cost.split.million_input_tokens_usd == pytest.approx((0.5, 1.0), rel=1e-12)
    assert cost.split.million_output_tokens_usd == pytest.approx((2.0, 4.0), rel=1e-12)
    assert (cost.basis, cost.gb_year_usd, cost.user_year_usd, cost.training_run_usd) == ("nominal", None, None, None)


BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=8,
    server_price_usd=1000.0,
    load_kw_per_server=0.0,
    idle_kw_per_server=0.0,
    residual_by_year=(0.0,),
)


def test_a_levelised_cost_discounts_hours_as_it_discounts_dollars() -> None:
    """1,000 USD now over the 730 hours of a month, paid or discounted by 1.1^(1/12): by hand, to 1e-12."""
    finance = Finance(horizon_months=1, discount_rate=0.10)
    levelised, nominal = unit_cost(BOUGHT, finance), unit_cost(BOUGHT, finance, basis="nominal")
    assert (levelised.basis, nominal.basis) == ("levelised", "nominal")
    assert levelised.cost_usd == pytest.approx(1000.0, rel=1e-12)
    assert nominal.cost_usd == pytest.approx(1000.0, rel=1e-12)
    assert nominal.gpu_hour_usd == pytest.approx(1000 / (8 * 730), rel=1e-12)
    assert levelised.gpu_hour_usd == pytest.approx(1000 / (8 * 730) * 1.1 ** (1 / 12), rel=1e-12)
    rented = Option(accelerator_id="mi300x", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=1.0)
    assert unit_cost(rented, finance).cost_usd == pytest.approx(730 * 1.1 ** (-1 / 12), rel=1e-12)
    assert unit_cost(rented, finance, basis="nominal").cost_usd == pytest.approx(730.0, rel=1e-12)
    wrong: Any = "level"
    with pytest.raises(InputError, match=r"^basis is 'level'; allowed: levelised or nominal$"):
        unit_cost(rented, finance, basis=wrong)


def test_less_than_an_hour_of_work_has_a_cost() -> None:
    """A thousandth of a month of one GPU are 0.73 delivered hours: a month's rent over them."""
    rented = Option(accelerator_id="mi300x", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=1.0)
    cost = unit_cost(rented, Finance(horizon_months=1, utilisation=0.001), basis="nominal")
    assert cost.delivered_gpu_hours == pytest.approx(0.73, rel=1e-12)
    assert cost.delivered_gpu_hour_usd == pytest.approx(1000.0, rel=1e-12)


@pytest.mark.parametrize("field", ["input_tokens_per_s", "output_tokens_per_s"])
@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((0.0, 1.0), "0.0; allowed: above 0 tokens per second"),
        ((float("nan"), 1.0), "nan; allowed: 0 to 1e+18 tokens per second"),
        ((1.0, float("nan")), "nan; allowed: 0 to 1e+18 tokens per second"),
        ((2.0, 1.0), "(2.0, 1.0); allowed: an interval from low to high"),
    ],
)
def test_a_throughput_is_refused_by_its_name(field: str, ends: tuple[float, float], said: str) -> None:
    """Each end by itself, and an interval that runs down."""
    given: dict[str, Any] = {field: ends}
    with pytest.raises(InputError) as caught:
        unit_cost(BOUGHT, Finance(horizon_months=1), **given)
    assert str(caught.value) == f"{field} is {said}"


@pytest.mark.parametrize(
    ("accounting", "stage", "trained", "expected"),
    [
        ("zero-paper", 0, True, 0.0),
        ("zero-paper", 1, True, 0.0),
        ("zero-paper", 2, True, 2.0 * 6),
        ("zero-paper", 2, False, 0.0),
        ("zero-paper", 3, True, 4.0 * 6),
        ("zero-paper", 3, False, 2.0 * 6),
        ("deepspeed", 2, True, 0.0),
        ("deepspeed", 3, True, 4.0 * 10),
        ("deepspeed", 3, False, 2.0 * 10),
        ("megatron", 1, True, 0.0),
        ("megatron", 3, True, 0.0),
    ],
)
def test_what_is_gathered_is_the_unit_or_what_is_missing_of_it(
    accounting: Any, stage: int, trained: bool, expected: float
) -> None:
    """A unit of ten parameters of which six lie elsewhere, by the equation of the docstring, by hand."""
    assert gathered_bytes(10.0, 6.0, stage, accounting, trained=trained) == pytest.approx(expected, rel=1e-12)
    assert gathered_bytes(0.0, 6.0, stage, accounting, trained=trained) == 0.0
    assert gathered_bytes(10.0, 100.0, 3) == 40.0
    assert gathered_bytes(10.0, 100.0, 3, weight_bytes=1.0, trained=False) == 10.0
