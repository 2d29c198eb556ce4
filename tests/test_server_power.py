"""What a server draws where nobody says it: the rule is that of the parts of which it is known."""

import statistics

import pytest

from lib import catalog
from lib.cost.server_power import server_power

FACTS = catalog.load()
KNOWN = [name.removeprefix("pow-node-load-") for name in FACTS.assumptions if name.startswith("pow-node-load-")]


def of_table(name: str) -> tuple[float, float, float]:
    """Low, base and high of an assumption."""
    row = FACTS.assumption(name)
    assert row.low is not None
    assert row.base is not None
    assert row.high is not None
    return row.low, row.base, row.high


def test_the_rule_is_that_of_the_parts_with_rows() -> None:
    """Least, median and most over the parts with a row, by hand; within the rounding of the rows (0.005)."""
    beyond = [of_table(f"pow-node-load-{name}")[1] / 8 - (FACTS.accelerator(name).tdp_w or 0) / 1000 for name in KNOWN]
    shares = [of_table(f"pow-node-idle-{name}")[1] / of_table(f"pow-node-load-{name}")[1] for name in KNOWN]
    for name, seen in (("pow-node-over-rated", beyond), ("pow-node-idle-share", shares)):
        assert of_table(name) == pytest.approx((min(seen), statistics.median(seen), max(seen)), abs=0.005), name


@pytest.mark.parametrize("name", KNOWN)
def test_the_row_of_a_part_wins(name: str) -> None:
    """In a server of eight; in another the rule holds, and it spans what the row says of as many GPUs."""
    for state in ("load", "idle"):
        found = server_power(FACTS.accelerator(name), 8, state, FACTS.assumptions)
        assert (found.kind, found.low, found.base, found.high) == (
            "assumption", *of_table(f"pow-node-{state}-{name}"),
        )  # fmt: skip
    four = server_power(FACTS.accelerator(name), 4, "load", FACTS.assumptions)
    assert four.kind == "estimate"
    assert (four.low or 0) - 0.02 <= of_table(f"pow-node-load-{name}")[1] / 2 <= (four.high or 0) + 0.02


def test_without_a_rated_power_or_a_size_nothing_is_guessed() -> None:
    """Missing, with its reason."""
    part = FACTS.accelerator("mi300x")
    unknown = FACTS.accelerator("mi400-series")
    assert unknown.tdp_w is None
    for found in (server_power(unknown, 8, "idle", FACTS.assumptions), server_power(part, None, "load", {})):
        assert (found.kind, found.base, found.reason) == ("missing", None, "no-node-power")
