"""Fits the serving model to data/serving.csv: constants, spreads and calibrated quantiles.

python -m benchmarks.throughput_fit            prints lib/sizing/serving_constants.py
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from lib import catalog
from lib.catalog import Catalog
from lib.sizing import closed_loop, kriging, serving_basis, serving_fit, serving_question
from lib.sizing.closed_loop import SHARES
from lib.sizing.kriging import Flags, Kriging, Spreads
from lib.sizing.serving_basis import Observed
from lib.sizing.serving_model import RATE, Fitted, Quantiles, Target, share_target
from lib.sizing.serving_question import Columns, Conditions

Floats = npt.NDArray[np.float64]

ROUNDED: Final = 4
"""Significant digits of a constant."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Measured rows with their columns and the target as measured."""

    observed: tuple[Observed, ...]
    columns: Columns
    measured: Floats

    @classmethod
    def rates(cls, data: Catalog, observed: Sequence[Observed]) -> "Rows":
        """Rates, as logarithms."""
        return cls(tuple(observed), _columns(data, observed), np.log([one.rate for one in observed]))

    @classmethod
    def pairs(cls, data: Catalog, observed: Sequence[Observed]) -> "Rows":
        """First-token shares, as logits."""
        return cls(tuple(observed), _columns(data, observed), serving_basis.share_logits(observed))


def _columns(data: Catalog, observed: Sequence[Observed]) -> Columns:
    return serving_question.columns(data, [one.question for one in observed], [one.origin for one in observed])


def everything(data: Catalog) -> tuple[Rows, Rows]:
    """All rates and all pairs of an edition."""
    return (
        Rows.rates(data, serving_basis.observed_rates(data)),
        Rows.pairs(data, serving_basis.observed_pairs(data)),
    )


def fingerprint(data: Catalog, rates: Rows, pairs: Rows) -> str:
    """What a fit learns from, as a short hash: the measured values, the data sheets of their parts, their all-reduce rows."""
    observed = [*rates.observed, *pairs.observed]
    parts = {one.question.accelerator.accelerator_id: one.question.accelerator for one in observed}
    micro = data.measured["micro"]
    reduced = micro[(micro["test"] == "all_reduce") & micro["accelerator_id"].isin(list(parts))]
    columns = ["accelerator_id", "accelerator_count", "shape_or_size", "value"]
    lines = [
        *(f"{one.source_id} {one.rate:.6g} {one.ttft_s:.6g} {one.tpot_s:.6g}" for one in observed),
        *(repr([cell for cell in astuple(parts[name]) if isinstance(cell, int | float)]) for name in sorted(parts)),
        *(repr([str(cell) for cell in cells]) for cells in reduced[columns].itertuples(index=False)),
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def standard_errors(target: Target, rows: Rows, spreads: Spreads, constants: Floats) -> Floats:
    """How well rows and prior tell each constant, on its scale without ends."""
    traits = rows.columns.traits
    matrix = kriging.covariance(kriging.alike(traits, traits), spreads)
    matrix[np.diag_indices_from(matrix)] += spreads.noise**2
    design = target.sample(rows.columns, rows.measured, constants).design
    precision = design.T @ np.linalg.solve(matrix, design) + np.eye(design.shape[1])
    variances = np.diag(np.linalg.inv(precision))[: len(constants)]
    return np.asarray(np.sqrt(variances) * target.prior_spread)


def fit_all(data: Catalog, rates: Rows, pairs: Rows) -> Fitted:
    """Constants, spreads and quantiles from measured rows, from the priors on."""
    steps, rate_spreads = serving_fit.fit(RATE, rates.columns, rates.measured)
    share_fit = serving_fit.fit(share_target(steps), pairs.columns, pairs.measured)
    return calibrated(data, rates, pairs, (steps, rate_spreads), share_fit)


def calibrated(
    data: Catalog,
    rates: Rows,
    pairs: Rows,
    rate_fit: tuple[Floats, Spreads],
    share_fit: tuple[Floats, Spreads],
) -> Fitted:
    """Constants and spreads of both targets with the quantiles that held-out rows give."""
    (steps, rate_spreads), (first, share_spreads) = rate_fit, share_fit
    rate = Kriging(RATE.sample(rates.columns, rates.measured, steps), rate_spreads)
    share = Kriging(share_target(steps).sample(pairs.columns, pairs.measured, first), share_spreads)
    quantiles = serving_fit.calibrated(rate)
    times = latencies(rate, share, pairs, steps, quantiles["seen"][1])
    publishers = share.sample.traits.codes["publisher"]
    return Fitted(
        steps=constants_of(steps),
        first=_rounded(closed_loop.bound_back(first, 0)),
        rate=Spreads(*_rounded(np.array(list(asdict(rate_spreads).values())))),
        share=Spreads(*_rounded(np.array(list(asdict(share_spreads).values())))),
        rate_quantiles={one: _three(values) for one, values in quantiles.items()},
        unstated_quantiles=_three(unstated_quantiles(data, rate, rates, steps)),
        first_token_quantiles=_three(serving_fit.quantiles(times.first_errors / times.first_spreads, publishers)),
        per_token_quantiles=_three(serving_fit.quantiles(times.token_errors / times.token_spreads, publishers)),
    )


@dataclass(frozen=True, eq=False)
class Latencies:
    """Logarithms of measured over expected times, and their expected spreads, each publisher left out in turn."""

    first_errors: Floats
    first_spreads: Floats
    token_errors: Floats
    token_spreads: Floats


def latencies(rate: Kriging, share: Kriging, pairs: Rows, steps: Floats, middle: float) -> Latencies:
    """First-token times and times per token, each publisher predicted without its own rows."""
    error, share_spread = serving_fit.held_out(share, "seen")
    logit, owners = pairs.measured - error, share.sample.traits.codes["publisher"]
    expected, design = RATE.linearised(pairs.columns, steps)
    log_rate, spread = np.empty(len(logit)), np.empty(len(logit))
    for one in np.unique(owners):
        own: Flags = owners == one
        others = rate.without(rate.sample.traits.codes["publisher"] == one)
        mean, spread[own] = others.predict(pairs.columns.traits.take(own), design[own])
        log_rate[own] = expected[own] + mean + middle * spread[own]
    load = pairs.columns.work.load
    whole = load.concurrency * load.output_tokens / np.exp(log_rate)
    part = 1 / (1 + np.exp(-logit))
    first = np.array([one.ttft_s for one in pairs.observed]) / (part * whole)
    token = np.array([one.tpot_s for one in pairs.observed]) / ((1 - part) * whole / (load.output_tokens - 1))
    return Latencies(
        np.log(first),
        np.hypot(spread, (1 - part) * share_spread),
        np.log(token),
        np.hypot(spread, part * share_spread),
    )


def unstated_quantiles(data: Catalog, rate: Kriging, rates: Rows, steps: Floats) -> Quantiles:
    """Quantiles of the scores of rows whose publisher is left out and whose conditions, but for the engine, are not told."""
    blind = [
        replace(one, question=replace(one.question, conditions=Conditions(engine=one.question.conditions.engine)))
        for one in rates.observed
    ]
    columns = _columns(data, blind)
    expected, design = RATE.linearised(columns, steps)
    owners = rate.sample.traits.codes["publisher"]
    scores = np.empty(len(blind))
    for one in np.unique(owners):
        own: Flags = owners == one
        mean, spread = rate.without(own).predict(columns.traits.take(own), design[own])
        scores[own] = (rates.measured[own] - expected[own] - mean) / spread
    return serving_fit.quantiles(scores, owners)


def constants_of(steps: Floats) -> tuple[float, ...]:
    """Constants of the step from their scales without ends, rounded as they are printed."""
    return _rounded(closed_loop.bound_back(steps, SHARES))


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{one:.{ROUNDED}g}") for one in values)


def _three(values: Quantiles) -> Quantiles:
    low, middle, high = (round(one, 3) for one in values)
    return low, middle, high


def source_text(found: Fitted, fitted_on: str) -> str:
    """The constants as the file that holds them."""
    spreads = {
        name: ", ".join(f"{key}={value:g}" for key, value in asdict(one).items())
        for name, one in (("rate", found.rate), ("share", found.share))
    }
    quantiles = "".join(f'        "{one}": {values},\n' for one, values in found.rate_quantiles.items())
    return f'''"""What `python -m benchmarks.throughput_fit` prints: the serving model fitted to data/serving.csv."""

from typing import Final

from lib.sizing.kriging import Spreads
from lib.sizing.serving_model import Fitted

FITTED: Final = Fitted(
    steps={found.steps},
    first={found.first},
    rate=Spreads({spreads["rate"]}),
    share=Spreads({spreads["share"]}),
    rate_quantiles={{
{quantiles}    }},
    unstated_quantiles={found.unstated_quantiles},
    first_token_quantiles={found.first_token_quantiles},
    per_token_quantiles={found.per_token_quantiles},
)

FITTED_ON: Final = "{fitted_on}"
"""Fingerprint of the rows that these were fitted to."""
'''


def main() -> None:
    """Print the file with the constants."""
    data = catalog.load()
    rates, pairs = everything(data)
    print(source_text(fit_all(data, rates, pairs), fingerprint(data, rates, pairs)), end="")


if __name__ == "__main__":
    main()
