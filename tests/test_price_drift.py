"""Yearly changes of rents from single sources over a year or more, and windows of the roadmap."""

import csv
from datetime import date
from pathlib import Path
from statistics import median

import pandas as pd
import pytest

from lib import catalog
from lib.choice.price_drift import drifts, rent_series
from lib.choice.roadmap import products, upcoming, waits

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()
HISTORY = FACTS.measured["rent_history"]


def rents(source: str, terms: str) -> list[tuple[str, float]]:
    """Dated medians of one series as they stand in the file."""
    with (DATA / "rent_history.csv").open(encoding="utf-8", newline="") as file:
        return [
            (row["as_of"], float(row["median_usd_per_hour"]))
            for row in csv.DictReader(file)
            if row["source_id"] == source and row["terms"] == terms and row["accelerator_id"] == "h100-sxm"
        ]


def test_the_fall_is_the_median_of_two_averages_of_one_index() -> None:
    """4.50 to 2.50 USD in 547 days and 9.00 to 5.75 USD in 366 days: 32 and 36 % a year."""
    specialists = dict(rents("ai-infra-index", "on-demand, specialist average"))
    hyperscalers = dict(rents("ai-infra-index", "on-demand, hyperscaler average"))
    expected = [
        (specialists["2025-05"] / specialists["2023-11"]) ** (365 / 547) - 1,
        (hyperscalers["2024-11"] / hyperscalers["2023-11"]) ** (365 / 366) - 1,
    ]
    falls = next(drift for drift in drifts(HISTORY) if drift.name == "falls")
    assert sorted(one.per_year for one in falls.series) == pytest.approx(sorted(expected))
    assert falls.per_year == pytest.approx(median(expected))


def test_the_rise_is_that_of_one_index() -> None:
    """2.7811 USD on 2025-10-23 and 3.643 USD a year and a day later."""
    rises = next(drift for drift in drifts(HISTORY) if drift.name == "rises")
    assert rises.per_year == pytest.approx((3.643 / 2.7811) ** (365 / 366) - 1)
    assert [one.source_id for one in rises.series] == ["compute-screener"]


def test_a_short_series_is_not_multiplied_up_to_a_year() -> None:
    """Eleven months of one source make no series; thirteen do."""
    row = HISTORY[HISTORY["accelerator_id"] == "h100-sxm"].iloc[0].to_dict()
    short, long = (
        pd.DataFrame(
            [
                {**row, "as_of": day, "median_usd_per_hour": usd, "chart": True}
                for day, usd in (("2024-01-01", 4.0), (end, 2.0))
            ]
        )
        for end in ("2024-12-01", "2025-02-01")
    )
    assert rent_series(short, None, None) == ()
    assert rent_series(long, None, None)[0].per_year == pytest.approx(0.5 ** (365 / 397) - 1)


def test_the_readers_own_change_stands_beside_the_others() -> None:
    """Only where it is not nothing."""
    assert [drift.name for drift in drifts(HISTORY)] == ["falls", "flat", "rises"]
    assert drifts(HISTORY, -0.1)[-1].per_year == -0.1


def test_what_ships_is_not_waited_for() -> None:
    """B300 was listed for rent in March 2026, whatever an article expects."""
    by_name = {one.name: one for one in products(FACTS.roadmap)}
    assert by_name["B300"].is_shipping
    assert by_name["B300"].is_disputed
    assert "B300" not in {one.name for one in upcoming(FACTS.roadmap)}


def test_a_wait_runs_to_the_end_of_what_is_said() -> None:
    """MI400: the vendor says by December 2026, analysts by June 2027; from 30 November that is 1 and 7 months."""
    product = next(one for one in upcoming(FACTS.roadmap) if one.name.startswith("MI400"))
    assert waits(product, date(2026, 11, 30)) == (1, 7)
    assert product.is_disputed


def test_every_statement_names_a_window_that_opens_before_it_closes() -> None:
    """A window the wrong way round would be drawn backwards."""
    assert [fact.roadmap_id for fact in FACTS.roadmap if fact.window_start > fact.window_end] == []
