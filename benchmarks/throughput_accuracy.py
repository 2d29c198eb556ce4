"""Throughput estimates against measured rows of held-out sources: everything fitted anew without the source.

python -m benchmarks.throughput_accuracy            all figures; about three minutes
python -m benchmarks.throughput_accuracy --quick    with the shipped constants, which all sources had a part in
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import numpy as np

from benchmarks import throughput_fit
from benchmarks.throughput_fit import Rows
from lib import catalog
from lib.catalog import Catalog
from lib.errors import InputError
from lib.sizing import serving_basis, serving_fit
from lib.sizing.kriging import Kriging
from lib.sizing.serving_model import RATE, Fitted
from lib.sizing.throughput import basis_of
from lib.sizing.throughput_validation import (
    HeldOut,
    Summary,
    above_bound,
    held_out_rows,
    summary,
    validation,
    within_series,
)

WORST: int = 12
PUBLISHERS = ("dstack", "inferencex", "rocm", "sgl")
"""Sources whose ids start alike are of one publisher."""


def refitted(data: Catalog) -> Callable[[str], Fitted]:
    """Constants, spreads and quantiles of the rate from all sources but one, from the priors on."""
    everything = Rows.rates(data, serving_basis.observed_rates(data))
    shipped = basis_of(data).fitted

    def without(source: str) -> Fitted:
        return _fit_rate(data, [one for one in everything.observed if one.source_id != source], shipped)

    return without


def refitted_without_publisher(data: Catalog) -> Callable[[str], Fitted]:
    """As refitted, without all sources of the publisher."""
    observed = serving_basis.observed_rates(data)
    shipped = basis_of(data).fitted
    known: dict[str, Fitted] = {}

    def without(source: str) -> Fitted:
        owner = publisher(source)
        if owner not in known:
            known[owner] = _fit_rate(data, [one for one in observed if publisher(one.source_id) != owner], shipped)
        return known[owner]

    return without


def publisher(source_id: str) -> str:
    """The body behind a source."""
    return next((one for one in PUBLISHERS if source_id.startswith(one)), source_id)


def _fit_rate(data: Catalog, observed: Sequence[serving_basis.Observed], shipped: Fitted) -> Fitted:
    rows = Rows.rates(data, observed)
    steps, spreads = serving_fit.fit(RATE, rows.columns, rows.measured, rounds=1)
    found = Kriging(RATE.sample(rows.columns, rows.measured, steps), spreads)
    constants = throughput_fit.constants_of(steps)
    return Fitted(
        constants, shipped.first, spreads, shipped.share, serving_fit.calibrated(found),
        throughput_fit.unstated_quantiles(data, found, rows, steps), shipped.first_token_quantiles, shipped.per_token_quantiles,
    )  # fmt: skip


def line(name: str, found: Summary) -> str:
    """A line of the table."""
    spans = [
        f"{middle:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"
        for middle, (low, high), digits in (
            (found.coverage, found.coverage_interval, 2),
            (found.median_width, found.median_width_interval, 2),
            (found.median_error, found.median_error_interval, 2),
        )
    ]
    return f"{name:32}{found.rows:>5}{found.sources:>5}{found.without_basis:>7}  " + "".join(
        f"{one:20}" for one in spans
    )


def print_table(title: str, rows: Iterable[HeldOut], key: Callable[[HeldOut], str]) -> None:
    """Figures of groups of rows."""
    print(f"\n{title:32}{'rows':>5}{'src':>5}{'none':>7}  {'coverage':20}{'median high/low':20}{'median error':20}")
    for name, members in groupby(sorted(rows, key=key), key=key):
        try:
            print(line(name, summary(members)))
        except InputError:
            print(f"{name:32} no basis")


def print_report(rows: Sequence[HeldOut]) -> None:
    """All figures of held-out rows."""
    print_table("all", rows, lambda _: "all")
    print_table("accelerator", rows, lambda one: one.accelerator_id)
    print_table("kind of model", rows, lambda one: one.kind)
    print_table("distance from the basis", rows, lambda one: one.distance)
    print_table("source", rows, lambda one: one.source_id)
    counted = sorted((one for one in rows if one.has_basis), key=lambda one: abs(np.log1p(one.error)), reverse=True)
    print(f"\nthe {WORST} worst")
    for one in counted[:WORST]:
        print(
            f"  row {one.row}: {one.source_id}, {one.accelerator_id}, {one.model_id}, {one.input_tokens}/"
            f"{one.output_tokens} at {one.concurrency}: measured {one.measured:,.1f}, "
            f"estimated {one.low:,.1f} to {one.high:,.1f}"
        )


def print_latencies(data: Catalog) -> None:
    """How often a measured first token and time per token lie in their intervals, publishers left out in turn."""
    shipped = basis_of(data).fitted
    _, pairs = throughput_fit.everything(data)
    rate, share = basis_of(data).rate, basis_of(data).share
    found = throughput_fit.latencies(rate, share, pairs, shipped.free_steps, shipped.rate_quantiles["seen"][1])
    for name, errors, spreads, (low, _, high) in (
        ("first token", found.first_errors, found.first_spreads, shipped.first_token_quantiles),
        ("time per token", found.token_errors, found.token_spreads, shipped.per_token_quantiles),
    ):
        scores = errors / spreads
        print(
            f"{name}: {len(scores)} rows, inside {np.mean((scores >= low) & (scores <= high)):.2f}, "
            f"median high/low {np.median(np.exp(spreads * (high - low))):.1f}, "
            f"median error {np.median(np.abs(np.exp(-errors) - 1)):.0%}"
        )


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="do not fit anew without each source")
    parser.add_argument("--publishers", action="store_true", help="leave out whole publishers instead of sources")
    options = parser.parse_args()
    data = catalog.load()
    print_all(data, refit=not options.quick, publishers=options.publishers)


def print_all(data: Catalog, *, refit: bool, publishers: bool = False) -> None:
    """Selection, held-out figures, figures within series and rows above the bound."""
    kept, left_out = serving_basis.rows_by_reason(data, serving_basis.OUTPUT)
    print(
        f"throughput: {len(kept)} rows evaluated; left out: " + ", ".join(f"{n} {why}" for why, n in left_out.items())
    )
    basis = basis_of(data)
    print(f"basis: {len(basis.observed)} rows of {basis.counts['', ''][1].__len__()} sources")
    if publishers:
        rows = held_out_rows(basis.observed, basis.columns, refitted_without_publisher(data), publisher)
    else:
        rows = held_out_rows(basis.observed, basis.columns, refitted(data)) if refit else validation(data)
    print_report(rows)
    errors = np.abs([error for _, error in within_series(data)])
    print(f"\nwithin a series known at other loads: {len(errors)} rows, median error {np.median(errors):.1%}, "
          f"80th percentile {np.percentile(errors, 80):.1%}")  # fmt: skip
    print_latencies(data)
    print("\nabove the bound")
    for one, times in above_bound(data):
        reason = "speculative decoding" if one.question.conditions.speculative else "unexplained"
        stated = "" if one.reported else "; output tokens derived from all tokens, not evaluated"
        print(f"  row {one.row}: {one.source_id}, {times:.2f} times: {reason}{stated}")


if __name__ == "__main__":
    main()
