"""The regression: closed forms equal the long way, what is near narrows, quantiles enclose what they promise."""

from dataclasses import replace

import numpy as np
import pytest

from lib import catalog
from lib.sizing import kriging, serving_fit
from lib.sizing.kriging import Kriging, Sample, Spreads, Traits
from lib.sizing.throughput import ServingBasis, basis_of

SPREADS = Spreads(0.1, 0.1, 0.2, 0.1, 0.2, 0.2, 0.1, 0.1, 0.1, 0.2, 0.15, 0.1)


def some_rows(count: int, seed: int = 1) -> Sample:
    """Rows of a few sources, parts and models at random loads."""
    generator = np.random.default_rng(seed)
    drawn = {name: generator.integers(0, 4, count) for name in ("source", "part", "engine", "model", "kind")}
    source, part, model = (drawn[name] for name in ("source", "part", "model"))
    codes = drawn | {
        "publisher": source // 2,
        "source_model": source * 10 + model,
        "series": source * 100 + part * 10 + model,
        "config": source * 100 + part * 10 + model,
    }
    dates = generator.uniform(0, 3, count)
    traits = Traits(codes, part % 2, dates, np.maximum(2 - dates, 0), generator.normal(size=(count, 3)))
    return Sample(traits, generator.normal(size=(count, 5)) * 0.3, generator.normal(size=count))


@pytest.fixture(scope="module")
def sample() -> Sample:
    """Sixty rows."""
    return some_rows(60)


@pytest.fixture(scope="module")
def basis() -> ServingBasis:
    """The measured rows."""
    return basis_of(catalog.load())


def test_left_out_rows_are_predicted_as_if_they_had_never_been_there(sample: Sample) -> None:
    """The closed form equals a regression without them, to nine digits."""
    removed = sample.traits.codes["source"] == 2
    errors, spreads = Kriging(sample, SPREADS).left_out(removed)
    others = Kriging(sample.take(~removed), SPREADS)
    mean, spread = others.predict_within(sample.traits.take(removed), sample.design[removed])
    assert errors == pytest.approx(sample.deviation[removed] - mean)
    assert spreads == pytest.approx(spread)


def test_taking_rows_away_equals_never_having_had_them(sample: Sample) -> None:
    """Inverse and weights, to nine digits."""
    removed = sample.traits.codes["part"] == 1
    shorter, anew = Kriging(sample, SPREADS).without(removed), Kriging(sample.take(~removed), SPREADS)
    assert shorter.inverse == pytest.approx(anew.inverse)
    assert shorter.weights == pytest.approx(anew.weights)


def test_the_short_way_for_strangers_equals_the_long_way(sample: Sample) -> None:
    """Rows of no source in the sample."""
    asked = some_rows(9, seed=2)
    codes = dict(asked.traits.codes) | {name: np.full(9, 10_000 + at) for at, name in enumerate(kriging.SOURCE_TRAITS)}
    traits = replace(asked.traits, codes=codes)
    found = Kriging(sample, SPREADS)
    short, long = found.predict(traits, asked.design), found.predict_within(traits, asked.design)
    assert short[0] == pytest.approx(long[0])
    assert short[1] == pytest.approx(long[1])


def test_a_row_of_the_same_series_narrows_the_prediction(sample: Sample) -> None:
    """The same question with and without its source known."""
    found = Kriging(sample, SPREADS)
    own = sample.traits.take(np.arange(3))
    _, known = found.predict_within(own, sample.design[:3])
    _, strange = found.predict(own, sample.design[:3])
    assert np.all(known < strange)


def test_quantiles_enclose_at_least_what_they_promise() -> None:
    """Four publishers of equal size: level 0.8 x 5 / 4 is capped at 0.98."""
    scores = np.linspace(-2, 2, 400)
    low, middle, high = serving_fit.quantiles(scores, np.arange(400) % 4)
    assert np.mean((scores >= low) & (scores <= high)) == pytest.approx(0.98, abs=0.01)
    assert middle == pytest.approx(0, abs=0.02)


def test_a_publisher_of_many_rows_does_not_outvote_the_rest() -> None:
    """Nine hundred rows at +1 and nine of others at -1: each counts with one over the root of its publisher's rows."""
    scores = np.concatenate([np.full(900, 1.0), np.full(9, -1.0)])
    publishers = np.concatenate([np.zeros(900, dtype=int), np.arange(1, 10)])
    votes = 900 / 30, 9.0
    low, _, high = serving_fit.quantiles(scores, publishers)
    assert (low, high) == (-1.0, 1.0)
    assert votes[1] / sum(votes) > 0.2


def test_rows_of_a_source_do_not_reach_their_own_prediction(basis: ServingBasis) -> None:
    """Ten times the measured rates of one source leave what the others predict for it as it was."""
    sample = basis.rate.sample
    own = sample.traits.codes["source"] == kriging.code("dstack-pd-ratio")
    assert own.sum() == 38
    moved = Sample(sample.traits, sample.design, sample.deviation + np.log(10) * own)
    (before, _), (after, _) = basis.rate.left_out(own), Kriging(moved, basis.fitted.rate).left_out(own)
    assert moved.deviation[own] - after == pytest.approx(sample.deviation[own] - before, abs=1e-6)


def test_held_out_rows_lose_their_publisher_and_more(basis: ServingBasis) -> None:
    """The farther from the basis, the wider on average."""
    widths = [np.nanmean(serving_fit.held_out(basis.rate, one)[1]) for one in ("seen", "new-model", "new-part")]
    assert widths == sorted(widths)
    assert np.nanmean(serving_fit.held_out_loads(basis.rate)[1]) < widths[0]
