"""Estimates against measured rows of held-out sources: the promised coverage and width, and the shipped constants."""

from dataclasses import asdict

import numpy as np
import pytest

from benchmarks import throughput_fit
from lib import catalog
from lib.sizing import serving_fit, throughput_validation
from lib.sizing.kriging import Likelihood
from lib.sizing.serving_constants import FITTED_ON
from lib.sizing.serving_model import RATE, share_target
from lib.sizing.throughput import basis_of
from lib.sizing.throughput_validation import HeldOut, summary

DATA = catalog.load()
ROWS = throughput_validation.validation(DATA)

MOST_MOVED = 1.0
"""Standard errors: a new source of forty rows, a fifth below what was expected of its part, moves a constant by 0.24; three rows
of a part and a model that are both new, by 0.61."""

FIT_ANEW = (
    "the rows call for other constants: `python -m benchmarks.throughput_fit > lib/sizing/serving_constants.py`, "
    "`ruff format`, and list the figures that move under Numbers in CHANGELOG.md"
)


def test_enough_rows_are_held_out_and_answered() -> None:
    """At least 550 rows, at most 15 % without a measured basis."""
    found = summary(ROWS)
    assert found.rows >= 550
    assert found.without_basis <= 0.15 * found.rows


def test_four_of_five_held_out_rows_lie_inside() -> None:
    """75 to 90 % of all rows, and 65 % or more on each accelerator with 50 rows or more."""
    assert 0.75 <= summary(ROWS).coverage <= 0.90
    for part in {one.accelerator_id for one in ROWS}:
        inside = [one.inside for one in ROWS if one.accelerator_id == part and one.has_basis]
        assert len(inside) < 50 or np.mean(inside) >= 0.65, part


def test_intervals_are_narrow_enough_to_say_something() -> None:
    """Median high over low at most 4 (6 is the limit)."""
    assert summary(ROWS).median_width <= 4


def test_a_series_known_at_other_loads_is_estimated_within_an_eighth() -> None:
    """Median error at most 12 % over more than 500 rows."""
    errors = np.abs([error for _, error in throughput_validation.within_series(DATA)])
    assert len(errors) > 500
    assert np.median(errors) <= 0.12


def test_what_is_above_the_bound_has_its_reason() -> None:
    """Every measured row above it ran with speculative decoding."""
    assert all(one.question.conditions.speculative for one, _ in throughput_validation.above_bound(DATA))


def test_no_row_of_the_held_out_source_is_in_the_basis_of_its_estimate() -> None:
    """Every row is answered once, and every source that states output tokens is held out."""
    assert len({one.row for one in ROWS}) == len(ROWS)
    reported = {one.source_id for one in basis_of(DATA).observed if one.reported}
    assert {one.source_id for one in ROWS} == reported


def test_the_shipped_constants_are_those_of_the_fit() -> None:
    """Fitting on moves no constant by 3 %, the likelihood is flat in every spread and quantiles equal, for the rows fitted to.

    Where rows have come or changed since, no constant moves by its standard error, which is what the rows leave open about it.
    """
    shipped = basis_of(DATA).fitted
    rates, pairs = throughput_fit.everything(DATA)
    is_of_these_rows = throughput_fit.fingerprint(DATA, rates, pairs) == FITTED_ON
    targets = (
        (RATE, rates, shipped.free_steps, shipped.rate),
        (share_target(shipped.free_steps), pairs, shipped.free_first, shipped.share),
    )
    for target, rows, constants, spreads in targets:
        moved = serving_fit.fitted_constants(target, rows.columns, rows.measured, spreads, constants)
        if not is_of_these_rows:
            errors = throughput_fit.standard_errors(target, rows, spreads, constants)
            assert (np.abs(moved - constants) < MOST_MOVED * errors).all(), FIT_ANEW
            continue
        assert np.exp(moved) == pytest.approx(np.exp(constants), rel=0.03), FIT_ANEW
        slope = dict(
            zip(
                asdict(spreads),
                Likelihood(target.sample(rows.columns, rows.measured, constants)).slope(spreads),
                strict=True,
            )
        )
        # A slope of 10 is half a percent of the noise, which every row tells of; the rest is told by few.
        assert all(abs(one) < (10 if name in ("noise", "load", "config") else 0.5) for name, one in slope.items())
    if not is_of_these_rows:
        return  # how often held-out rows lie inside is held above, for any rows
    fits = (shipped.free_steps, shipped.rate), (shipped.free_first, shipped.share)
    found = throughput_fit.calibrated(DATA, rates, pairs, *fits)
    for one, values in shipped.rate_quantiles.items():
        assert found.rate_quantiles[one] == pytest.approx(values, abs=0.03)
    for name in ("unstated_quantiles", "first_token_quantiles", "per_token_quantiles"):
        assert getattr(found, name) == pytest.approx(getattr(shipped, name), abs=0.03)


def test_figures_are_computed_right() -> None:
    """Three rows by hand: two of three inside, widths 2, 4 and 3, errors 0, +100 % and -50 %; a fourth has no basis."""

    def row(source: str, measured: float, low: float, middle: float, high: float) -> HeldOut:
        return HeldOut(
            0, source, "part", "model", "grouped", 1, 1, 1, False, measured, low, middle, high, 100.0, "seen"
        )  # fmt: skip

    nan = float("nan")
    found = summary(
        [row("a", 10, 8, 10, 16), row("a", 5, 5, 10, 20), row("b", 20, 5, 10, 15), row("b", 1, nan, nan, nan)]
    )
    assert (found.rows, found.sources, found.without_basis) == (4, 2, 1)
    assert found.coverage == pytest.approx(2 / 3)
    assert found.median_width == 3
    assert found.median_error == pytest.approx(0.5)
    assert found.coverage_interval == (0, 1)
