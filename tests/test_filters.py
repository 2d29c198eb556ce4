"""Filters leave out what the reader does not want, after pairs are made, so that no other run takes a place."""

import pytest

from lib import catalog
from lib.choice.evidence import serving_pairs
from lib.choice.filters import Filters, engines, kept_pairs, kept_runs, of_view, undated, weeks
from lib.choice.page_choices import View
from tests.serving_rows import table

A = {"accelerator_id": "part-a"}
B = {"accelerator_id": "part-b"}


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(), [0, 1, 2, 3]),
        (Filters(publishers="independent"), [0, 2, 3]),
        (Filters(since="2026-01-01"), [0, 1]),
        (Filters(since="2026-01-02"), [1]),
        (Filters(engine="sglang"), [1]),
        (Filters(queue_limited=False), [0, 1, 3]),
    ],
)
def test_runs_are_kept_by_interest_day_engine_and_queue(filters: Filters, kept: list[int]) -> None:
    """A year counts as its first day, an undated run goes where a day is asked for, an engine's plugins belong to it."""
    rows = table(
        {},
        {"publisher_interest": "amd", "date": "2026-02", "engine": "sglang (atom plugin)"},
        {"date": "", "queue_limited": True},
        {"date": "2025"},
    )
    assert list(kept_runs(rows, filters).index) == kept


def test_a_filtered_pair_is_not_replaced_by_the_next_nearest() -> None:
    """Two runs of part b: the nearest in date is the pair; a filter that drops it leaves none, not the other one."""
    frame = table(A | {"date": "2026-03-01"}, B | {"date": "2026-02-27"}, B | {"date": "2026-03-20"})
    pairs = serving_pairs(frame, "part-a", "part-b")
    assert list(pairs["date_b"]) == ["2026-02-27"]
    assert len(kept_pairs(pairs, Filters(since="2026-03-01"))) == 0


def test_a_day_holds_for_both_sides_and_undated_pairs_are_counted() -> None:
    """One side a day too early is enough to leave a pair out."""
    frame = table(A | {"date": "2026-03-01"}, B | {"date": ""})
    pairs = serving_pairs(frame, "part-a", "part-b")
    assert len(kept_pairs(pairs, Filters(since="2020-01-01"))) == 0
    assert undated(pairs) == 1


def test_engines_and_weeks_come_from_what_is_shown() -> None:
    """History is left out: the 1,700 rows of 2024 begin no slider; weeks run without a gap."""
    serving = catalog.load().measured["serving"]
    days = weeks(serving)
    assert days[0] >= "2024-10"
    assert len(days) > 33
    assert engines(serving)[:2] == ("sglang", "vllm")
    assert weeks(table({"date": ""})) == ()


def test_a_view_says_its_filters() -> None:
    """The default view filters nothing."""
    assert not of_view(View()).any
    assert of_view(View(since="2025-01-01", queue_limited="hidden")) == Filters(since="2025-01-01", queue_limited=False)
