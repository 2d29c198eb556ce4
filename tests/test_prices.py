"""The price that a calculation starts from follows its rule, and carries its rows, its age and its reason."""

from dataclasses import replace
from datetime import date

import pytest

from lib.cost.prices import (
    PER_GPU,
    PER_GPU_HOUR,
    PER_GPU_MONTH,
    article_price,
    default_price,
    earliest_day,
    months_before,
)
from lib.records import Assumption, Price

TODAY = date(2026, 11, 30)


def price(price_id: str, low: float, high: float | None = None, as_of: str = "2026-06-15") -> Price:
    """A dated list price of a part on demand; the figures are made up for the rule."""
    return Price(
        price_id=price_id, accelerator_id="part", kind="on-demand", term_months=None, low=low,
        high=low if high is None else high, currency="USD", basis=PER_GPU_HOUR, provider="a provider", region="",
        as_of=as_of, quality="dated-list", source_id="a-list", locator="", note="",
    )  # fmt: skip


def assumption(assumption_id: str, unit: str, applies_to: tuple[str, ...] = ("part",)) -> Assumption:
    """An estimate of 1, 2, 4; made up for the rule."""
    return Assumption(
        assumption_id=assumption_id, group="rent", name_en="", name_zh="", low=1.0, base=2.0, high=4.0, unit=unit,
        applies_to=applies_to, kind="estimate", as_of="2026-08-19", source_id="own", locator="", note="",
    )  # fmt: skip


ROWS = (price("a", 1.0), price("b", 2.0, 4.0), price("c", 9.0, as_of="2026-10"))
RENT = assumption("rent-od-est-part", "USD per GPU-hour")
ASSUMPTIONS = {RENT.assumption_id: RENT}


def test_three_dated_rows_give_their_median() -> None:
    """The median of the mid values 1, 3 and 9, between the least and the most that the rows state."""
    choice = default_price(ROWS, ASSUMPTIONS, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (choice.origin, choice.value, choice.low, choice.high) == ("dated-list", 3.0, 1.0, 9.0)
    assert choice.price_ids == ("a", "b", "c")
    assert choice.reason == ""


def test_ages_count_from_the_earliest_day_a_date_can_mean() -> None:
    """2026-10 is 60 days before 30 November at most, 2026-06-15 is 168; over 90 days is a doubt."""
    choice = default_price(ROWS, ASSUMPTIONS, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (choice.newest_age_days, choice.oldest_age_days) == (60, 168)
    assert [(doubt.code, doubt.values["days"]) for doubt in choice.doubts] == [("old-price", 168)]
    fresh = tuple(replace(row, as_of="2026-11-01") for row in ROWS)
    assert default_price(fresh, {}, "part", "on-demand", None, PER_GPU_HOUR, TODAY).doubts == ()


@pytest.mark.parametrize(
    "other",
    [
        {"quality": "undated-list"},
        {"quality": "weak"},
        {"quality": "illustration"},
        {"quality": "article"},
        {"as_of": "2026-02-27"},  # a day more than nine months
        {"as_of": "2026-12-01"},  # not yet known
        {"as_of": ""},
        {"basis": PER_GPU_MONTH},
        {"term_months": 12},
        {"kind": "spot"},
        {"currency": "EUR"},
        {"accelerator_id": "another"},
    ],
)
def test_other_rows_do_not_count(other: dict[str, str | int]) -> None:
    """A third row that is undated, weak, too old, of the future, or of another thing leaves two: an estimate."""
    rows = (*ROWS[:2], replace(ROWS[2], **other))  # type: ignore[arg-type]
    choice = default_price(rows, ASSUMPTIONS, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (choice.origin, choice.reason, choice.price_ids) == ("estimate", "fewer-than-three-rows", ("a", "b"))


def test_an_estimate_is_marked() -> None:
    """Base, low, high and id of the assumption, its age, and a doubt that says so."""
    choice = default_price((), ASSUMPTIONS, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (choice.value, choice.low, choice.high, choice.assumption_id) == (2.0, 1.0, 4.0, "rent-od-est-part")
    assert (choice.reason, choice.newest_age_days) == ("no-rows", 103)
    assert [doubt.code for doubt in choice.doubts] == ["estimated-price", "old-price"]


@pytest.mark.parametrize(
    ("kind", "term", "assumption_id", "unit", "basis"),
    [
        ("reserved", 12, "rent-1y-est-part", "USD per GPU-hour", "per GPU-hour"),
        ("reserved", 36, "rent-3y-est-part", "USD per GPU-hour", "per GPU-hour"),
        ("purchase", None, "capex-srv-8xpart-est", "USD per 8-GPU server", "per 8-GPU server"),
        ("purchase", None, "capex-rack-part", "USD per 72 GPUs", "per 72 GPUs"),
    ],
)
def test_each_kind_has_its_estimate(kind: str, term: int | None, assumption_id: str, unit: str, basis: str) -> None:
    """Commitments by their term, purchases by server or rack, with the basis that the assumption has."""
    rows = {assumption_id: assumption(assumption_id, unit)}
    choice = default_price((), rows, "part", kind, term, PER_GPU, TODAY)
    assert (choice.assumption_id, choice.basis) == (assumption_id, basis)


def test_with_neither_there_is_no_price_but_a_reason() -> None:
    """No rows, two rows, or a gap in the assumptions: None, and why."""
    nothing = default_price((), {}, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (nothing.value, nothing.origin, nothing.reason) == (None, "none", "no-rows")
    two = default_price(ROWS[:2], {}, "part", "on-demand", None, PER_GPU_HOUR, TODAY)
    assert (two.value, two.reason, two.price_ids) == (None, "fewer-than-three-rows", ("a", "b"))
    gap = {RENT.assumption_id: replace(RENT, low=None, base=None, high=None)}
    assert default_price((), gap, "part", "on-demand", None, PER_GPU_HOUR, TODAY).value is None
    assert default_price((), ASSUMPTIONS, "part", "spot", None, PER_GPU_HOUR, TODAY).value is None


def test_an_old_question_is_answered_with_the_rows_of_its_day() -> None:
    """Asked in July, the row of October does not exist."""
    july = default_price(ROWS, {}, "part", "on-demand", None, PER_GPU_HOUR, date(2026, 7, 1))
    assert july.price_ids == ("a", "b")


def test_an_article_states_its_own_price() -> None:
    """The middle of the article's range with its row; its illustrations and another article's rows are no price."""
    row = replace(
        price("a0", 15_000, 18_000, "2026-07"),
        kind="purchase",
        basis=PER_GPU,
        quality="article",
        source_id="article-a0",
    )
    shown = replace(row, price_id="shown", quality="illustration", low=1.0, high=1.0)
    choice = article_price((row, shown, *ROWS), "part", "article-a0", "purchase", PER_GPU, TODAY)
    assert (choice.origin, choice.value, choice.low, choice.high) == ("article", 16_500, 15_000, 18_000)
    assert choice.price_ids == ("a0",)
    undated = article_price((replace(row, as_of=""),), "part", "article-a0", "purchase", PER_GPU, TODAY)
    assert [doubt.code for doubt in undated.doubts] == ["undated-price"]
    other = article_price((row,), "part", "article-a1", "purchase", PER_GPU, TODAY)
    assert (other.value, other.reason) == (None, "article-states-no-price")


def test_months_are_counted_back_to_a_day_that_exists() -> None:
    """Nine months before 30 November is the last of February, of 28 or 29 days."""
    assert months_before(date(2026, 11, 30), 9) == date(2026, 2, 28)
    assert months_before(date(2028, 11, 30), 9) == date(2028, 2, 29)
    assert months_before(date(2026, 3, 15), 9) == date(2025, 6, 15)


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026", date(2026, 1, 1)), ("2026-05", date(2026, 5, 1)), ("2026-05-18", date(2026, 5, 18)), ("", None)],
)
def test_a_vague_date_means_its_first_day(text: str, day: date | None) -> None:
    """A year or a month is taken at its oldest."""
    assert earliest_day(text) == day
