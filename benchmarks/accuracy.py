"""Memory predictions against logged cases: fits the workspace constants, leaves one source out, prints the errors.

python -m benchmarks.accuracy            errors with one source left out and refitted, and of the shipped constants;
                                         then throughput, each source left out and fitted anew (three minutes)
python -m benchmarks.accuracy --quick    the same, throughput with the shipped constants
python -m benchmarks.accuracy --fit      the constants that all cases give, for lib/sizing/overhead.py
"""

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks import throughput_accuracy
from lib import catalog
from lib.errors import InputError
from lib.sizing import accuracy, cases
from lib.sizing.calibration import EXPLAINED, fit, left_out, logged_cases, without_sizes
from lib.units import GIB

DATA: Final = catalog.DATA
CASES: Final = DATA / "fit_cases.csv"


def read_cases(path: Path = CASES) -> list[dict[str, str]]:
    """The logged cases."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def report(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of a set of answered rows."""
    figures: dict[str, Any] = {}
    for quantity in accuracy.QUANTITIES:
        counted = [row for row in rows if (quantity, row["case_id"]) not in EXPLAINED]
        try:
            figures[quantity] = asdict(accuracy.errors(counted, quantity))
        except InputError:
            continue
    figures["verdicts"] = asdict(accuracy.verdicts(rows))
    inside, count, outside = accuracy.coverage(rows)
    figures["band"] = {"inside": inside, "count": count, "outside": outside}
    return figures


def print_report(title: str, figures: Mapping[str, Any]) -> None:
    """The figures as a table for people."""
    print(f"\n{title}\n{'quantity':22}{'N':>4}{'median':>9}{'90 % interval':>18}{'80th':>9}{'90 % interval':>18}")
    for quantity in accuracy.QUANTITIES:
        if quantity in figures:
            one = figures[quantity]
            spans = [
                f"{low:.1%} to {high:.1%}" for low, high in (one["median_interval"], one["percentile_80_interval"])
            ]
            print(
                f"{quantity:22}{one['count']:>4}{one['median']:>9.1%}{spans[0]:>18}"
                f"{one['percentile_80']:>9.1%}{spans[1]:>18}"
            )
    judged, band = figures["verdicts"], figures["band"]
    print(
        f"starts: {judged['right']} of {judged['count']} right; called fits and failed: "
        f"{', '.join(judged['dangerous']) or 'none'}; called fails and ran: {', '.join(judged['cautious']) or 'none'}"
    )
    print(f"free cache inside the band: {band['inside']} of {band['count']}; outside: {', '.join(band['outside'])}")


def print_cases(figures: Mapping[str, Any]) -> None:
    """Signed errors case by case."""
    for quantity in accuracy.QUANTITIES:
        if quantity in figures:
            print(f"\n{quantity}: " + ", ".join(f"{case} {error:+.1%}" for case, error in figures[quantity]["cases"]))


def main() -> None:
    """Fit, or print the errors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fit", action="store_true", help="print the constants that all cases give")
    parser.add_argument("--cases", action="store_true", help="print the error of each case")
    parser.add_argument("--quick", action="store_true", help="throughput with the shipped constants")
    parser.add_argument("--json", type=Path, help="write all figures into this file")
    options = parser.parse_args()
    rows = read_cases()
    blank = without_sizes(rows)
    reader = cases.Reader(catalog.load(), DATA)
    if options.fit:
        for name, value in asdict(fit(logged_cases(blank, reader))).items():
            print(f"{name} = {value / GIB:.2f} GiB" if name.endswith("_bytes") else f"{name} = {value:g}")
        return
    everything = {
        "one source left out, sizes computed": report(left_out(blank, reader)),
        "one source left out, size of the checkpoint given": report(left_out(rows, reader)),
        "shipped constants, sizes computed": report(cases.evaluate(blank, reader.catalog, DATA)),
    }
    for title, figures in everything.items():
        print_report(title, figures)
        if options.cases:
            print_cases(figures)
    print("\nleft out, explained:")
    for (quantity, case), reason in EXPLAINED.items():
        print(f"  {quantity} of {case}: {reason}")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    print()
    throughput_accuracy.print_all(reader.catalog, refit=not options.quick)


if __name__ == "__main__":
    main()
