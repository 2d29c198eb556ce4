"""Where the range of a kernel's argument ends: what lies outside is refused by name, what lies on the edge is taken."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from lib.cost.energy import co2_kg, energy_kwh_per_million_tokens
from lib.cost.ranges import check_amount, check_count
from lib.cost.sensitivity import break_even, break_even_periods, difference_usd
from lib.cost.unit_cost import (
    cost_per_gb_year_usd,
    cost_per_gpu_hour_usd,
    cost_per_million_tokens_usd,
    cost_per_training_run_usd,
    cost_per_user_year_usd,
    split_cost_per_million_tokens_usd,
    users_served,
)
from lib.errors import InputError
from lib.sizing.overhead import stated
from lib.sizing.roofline import training_step_s
from lib.sizing.rules_of_thumb import gpus_for, need_by_parameters_bytes, need_by_reserve_bytes

NAN, INFINITY = math.nan, math.inf
LEAST, MOST = 1e-6, 1e18
Edge = tuple[Callable[..., Any], Mapping[str, Any], str, tuple[Any, ...], tuple[Any, ...], str]

POSITIVE = (0, 0.0, -1.0, NAN, INFINITY)
"""Refused where an amount must be above zero and finite."""


def above_zero(kernel: Callable[..., Any], good: Mapping[str, Any], units: Mapping[str, str]) -> list[Edge]:
    """The edges of fields that may be anything above 0 up to 1e18."""
    edges: list[Edge] = []
    for field, unit in units.items():
        edges.append((kernel, good, field, (0, 0.0), (LEAST, 1, MOST), f"above 0 {unit}"))
        edges.append((kernel, good, field, (-LEAST, NAN, INFINITY, 2e18), (MOST,), f"0 to 1e+18 {unit}"))
    return edges


EDGES: list[Edge] = [
    *above_zero(cost_per_gpu_hour_usd, {"cost_usd": 1.0, "gpu_hours": 1.0}, {"gpu_hours": "GPU-hours"}),
    *above_zero(
        cost_per_gb_year_usd,
        {"cost_usd": 1.0, "memory_gb": 1.0, "years": 1.0},
        {"memory_gb": "GB", "years": "years"},
    ),
    *above_zero(
        cost_per_million_tokens_usd,
        {"cost_usd_per_hour": 1.0, "tokens_per_s": 1.0},
        {"tokens_per_s": "tokens per second"},
    ),
    *above_zero(
        split_cost_per_million_tokens_usd,
        {"cost_usd_per_hour": 1.0, "input_tokens_per_s": 1.0, "output_tokens_per_s": 1.0, "output_weight": 1.0},
        {"output_weight": "input tokens per output token"},
    ),
    *(
        (split_cost_per_million_tokens_usd,
         {"cost_usd_per_hour": 1.0, "input_tokens_per_s": 1.0, "output_tokens_per_s": 1.0, "output_weight": 1.0},
         field, (0, 0.0), (LEAST, 1), "above 0 tokens per second")
        for field in ("input_tokens_per_s", "output_tokens_per_s")
    ),
    *above_zero(
        users_served,
        {"sequences": 1.0, "users_per_sequence": 1.0},
        {"sequences": "sequences", "users_per_sequence": "users per sequence"},
    ),
    *above_zero(
        cost_per_user_year_usd, {"cost_usd": 1.0, "users": 1.0, "years": 1.0}, {"users": "users", "years": "years"}
    ),
    *above_zero(
        cost_per_training_run_usd, {"delivered_gpu_hour_usd": 1.0, "gpu_hours": 1.0}, {"gpu_hours": "GPU-hours"}
    ),
    *above_zero(
        energy_kwh_per_million_tokens, {"site_kw": 1.0, "tokens_per_s": 1.0}, {"tokens_per_s": "tokens per second"}
    ),
    (co2_kg, {"energy_kwh": 1.0}, "co2_kg_per_kwh", (-LEAST, 3.001, NAN), (0, 0.5, 3), "0 to 3 kg CO2 per kWh"),
    *(
        (break_even_periods, {"upfront_usd": 1.0, "owned_usd_per_period": 1.0, "rented_usd_per_period": 3.0},
         field, (-LEAST, NAN, INFINITY), (0, LEAST, MOST), "0 or more USD")
        for field in ("upfront_usd", "owned_usd_per_period", "rented_usd_per_period")
    ),
    *(
        (training_step_s, {"parameters": 1.0, "tokens": 1.0, "peak_flops_per_s": 1.0, "gpus": 1}, field,
         (0, -1.0, NAN), (LEAST, 1), "above 0")
        for field in ("parameters", "tokens", "peak_flops_per_s", "gpus")
    ),
    (stated, {}, "workspace_bytes", (-LEAST, NAN, INFINITY), (0, LEAST, MOST), "0 or more"),
    (need_by_reserve_bytes, {}, "weights_bytes", POSITIVE, (LEAST, 1), "above 0"),
    (need_by_reserve_bytes, {"weights_bytes": 1.0}, "reserve", (-LEAST, NAN), (0, LEAST, 2.0), "0 or more"),
    (need_by_parameters_bytes, {}, "parameters", POSITIVE, (LEAST, 1), "above 0"),
    (need_by_parameters_bytes, {"parameters": 1.0}, "bits_per_weight", POSITIVE, (LEAST, 1), "above 0"),
    (gpus_for, {"label_bytes": 1.0}, "need_bytes", POSITIVE, (LEAST, 1), "above 0"),
    (gpus_for, {"need_bytes": 1.0}, "label_bytes", POSITIVE, (LEAST, 1), "above 0"),
    (gpus_for, {"need_bytes": 1.0, "label_bytes": 1.0}, "usable_fraction", (0, -1.0, 1.001, 2.0, NAN), (LEAST, 1),
     "above 0, at most 1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kernel", "good", "field", "refused", "taken", "allowed"), EDGES, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_range_ends_where_it_says(
    kernel: Callable[..., Any],
    good: Mapping[str, Any],
    field: str,
    refused: tuple[Any, ...],
    taken: tuple[Any, ...],
    allowed: str,
) -> None:
    """A value beyond the edge is refused with the field, the value and the range; a value on the edge is taken."""
    for value in refused:
        with pytest.raises(InputError) as caught:
            kernel(**{**good, field: value})
        assert str(caught.value) == f"{field} is {value!r}; allowed: {allowed}"
    for value in taken:
        kernel(**{**good, field: value})


def test_rules_of_thumb_are_linear_down_to_nothing() -> None:
    """30 % on top of the weights, 1.2 bytes a parameter of 8 bits, and one GPU however small the need: by hand."""
    assert need_by_reserve_bytes(10.0) == pytest.approx(13.0, rel=1e-12)
    assert need_by_reserve_bytes(10.0, 0.0) == 10.0
    assert need_by_parameters_bytes(10.0) == pytest.approx(12.0, rel=1e-12)
    assert need_by_parameters_bytes(10.0, 16.0) == pytest.approx(24.0, rel=1e-12)
    assert [gpus_for(need, 80.0) for need in (0.5, 80.0, 80.5, 160.0)] == [1, 1, 2, 2]
    assert gpus_for(80.0, 80.0, 0.5) == 2


def test_twice_the_gpus_take_half_the_step() -> None:
    """6 x parameters x tokens / (GPUs x peak), by hand."""
    assert training_step_s(2.0, 3.0, 4.0) == 9.0
    assert training_step_s(2.0, 3.0, 4.0, 2) == 4.5


def test_renting_that_saves_less_than_a_dollar_still_pays_back() -> None:
    """100 USD at 0.5 USD a period are 200 periods; at no saving never."""
    assert break_even_periods(100.0, 1.0, 1.5) == 200.0
    assert break_even_periods(100.0, 1.0, 1.0) is None
    assert break_even_periods(100.0, 1.5, 1.0) is None


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (
            np.array([1.0, 2.0]),
            r"^x is 'an array of float64 and shape \(2,\)'; allowed: numbers of shape \(draws, 1\)$",
        ),
        (np.array([["a"]]), r"^x is 'an array of <U1 and shape \(1, 1\)'; allowed: numbers of shape \(draws, 1\)$"),
        (np.array([[True]]), r"^x is 'an array of bool and shape \(1, 1\)'; allowed: numbers of shape \(draws, 1\)$"),
        (np.array([[0.5], [-1.0], [9.0]]), r"^x is -1\.0; allowed: 0 to 2 m$"),
        (np.array([[0.5], [NAN]]), r"^x is nan; allowed: 0 to 2 m$"),
        (np.array([[0.5], [2.5]]), r"^x is 2\.5; allowed: 0 to 2 m$"),
        (True, r"^x is True; allowed: 0 to 2 m$"),
        ("1", r"^x is '1'; allowed: 0 to 2 m$"),
        (None, r"^x is None; allowed: 0 to 2 m$"),
        (np.array(3.0), r"^x is array\(3\.\); allowed: 0 to 2 m$"),
    ],
)
def test_an_amount_is_a_number_or_a_column_of_draws(value: Any, complaint: str) -> None:
    """Rows, words, truth values and the first draw outside the range are refused."""
    with pytest.raises(InputError, match=complaint):
        check_amount("x", value, 0, 2, "m")


def test_amounts_on_the_edges_are_taken() -> None:
    """Scalars, NumPy scalars, arrays without a dimension, columns and blocks of draws, of floats, of whole numbers."""
    whole = [np.array([[0], [2]]), np.array([[0], [2]], dtype="u1")]
    taken: list[Any] = [0, 2, 0.0, 2.0, np.float32(2.0), np.array(1.0), *whole]
    for value in taken:
        check_amount("x", value, 0, 2, "m")
    check_amount("x", np.zeros((3, 2, 1)), 0, 2)
    check_amount("x", np.array([1.0]), 0, 2)
    with pytest.raises(InputError, match=r"allowed: 0 to 2$"):
        check_amount("x", 3, 0, 2)


@pytest.mark.parametrize("value", [0, 11, 1.0, True, None, "1", NAN])
def test_a_count_is_a_whole_number_in_its_range(value: Any) -> None:
    """Fractions, truth values, words and what lies outside are refused; the ends and NumPy's integers are taken."""
    with pytest.raises(InputError) as caught:
        check_count("gpus", value, 1, 10, "GPUs")
    assert str(caught.value) == f"gpus is {value!r}; allowed: a whole number from 1 to 10 GPUs"
    with pytest.raises(InputError, match=r"from 1 to 10$"):
        check_count("gpus", value, 1, 10)
    taken: tuple[Any, ...] = (1, 10, np.int64(10))
    for good in taken:
        check_count("gpus", good, 1, 10)


def test_a_range_without_a_width_has_no_crossing() -> None:
    """From a value to itself, or down, is refused as it is."""
    for low, high in ((1.0, 1.0), (2.0, 1.0), (1.0, NAN)):
        with pytest.raises(InputError, match=r"^range is \(.*; allowed: from low to a higher value$"):
            break_even(lambda value: value, low, high)


def test_a_measure_is_one_of_two_words() -> None:
    """The value at month 0 or the dollars paid."""
    unused: Any = None
    with pytest.raises(InputError, match=r"^measure is 'NPV'; allowed: npv or nominal$"):
        difference_usd(unused, unused, unused, "NPV")  # type: ignore[arg-type]
