"""The same calculations from a shell: `python -m lib check`, `python -m lib edition`."""

import argparse
import sys
from datetime import UTC, datetime

from lib import catalog


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when the data are not, 2 for words that are no command."""
    parser = argparse.ArgumentParser(prog="python -m lib", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="hold every table against its vocabulary")
    edition = commands.add_parser("edition", help="record the present state of data/ as an edition")
    edition.add_argument("summary", help="what changed since the edition before")
    edition.add_argument(
        "--date", default=datetime.now(UTC).date().isoformat(), help="day of the edition (default: today)"
    )
    options = parser.parse_args(arguments)
    if options.command == "edition":
        print(catalog.record_edition(options.date, options.summary).label)
        return 0
    return _check()


def _check() -> int:
    found = list(catalog.problems())
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        facts = catalog.load()
        rows = sum(len(frame) for frame in facts.measured.values())
        print(f"data edition {facts.edition.label}: {len(facts.accelerators)} parts, {len(facts.models)} models, "
              f"{len(facts.prices)} prices, {len(facts.assumptions)} assumptions, {rows:,} measured rows, "
              f"{len(facts.sources)} sources: no problem")  # fmt: skip
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
