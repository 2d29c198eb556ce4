"""How good estimates are, counted anew from the held-out rows; the closed form is the same as leaving out and refitting."""

import numpy as np
import pytest

from lib import catalog
from lib.choice.estimate_errors import estimate_errors
from lib.choice.own_parts import with_own_parts
from lib.choice.scenario import OwnPart
from lib.present import estimate_errors as words_of
from lib.present.figures import estimate_errors as figures
from lib.present.figures.style import looks
from lib.present.text import words
from lib.sizing.throughput import basis_of
from lib.sizing.throughput_validation import held_out_rows, validation
from tests.benchmark_page import cell

FACTS = catalog.load()
FOUND = estimate_errors(FACTS)


def test_the_closed_form_is_leaving_out_and_inverting_anew() -> None:
    """Ends of every interval agree with those of a regression made without the source (1e-9)."""
    basis = basis_of(FACTS)
    anew = held_out_rows(basis.observed, basis.columns, lambda _source: basis.fitted)
    fast = validation(FACTS)
    assert [one.row for one in fast] == [one.row for one in anew]
    for name in ("low", "estimate", "high"):
        ends, wanted = (np.array([getattr(one, name) for one in rows]) for rows in (fast, anew))
        np.testing.assert_allclose(ends, wanted, rtol=1e-9)


def test_the_answer_holds_what_the_rows_give() -> None:
    """Share of the rows inside, number of rows and of sources, rows without an interval, counted here."""
    counted = [one for one in FOUND.rows if one.low == one.low]
    inside = sum(one.low <= one.measured <= one.high for one in counted)
    text = words_of.answer(FACTS, FOUND, words("en"))
    assert f"**{len(counted)}** measured runs of {len({one.source_id for one in counted})} sources" in text
    assert f"**{100 * inside / len(counted):.0f} %**" in text
    assert f"for {len(FOUND.rows) - len(counted)} runs there is no interval" in text
    width = np.median([one.high / one.low for one in counted])
    assert FOUND.everything.median_width == pytest.approx(width, rel=1e-12)
    assert f"{100 * inside / len(counted):.0f} % of {len(counted)} runs" in words_of.footer(FOUND, words("en"))


def test_groups_hold_every_row_once_and_the_worst_are_named() -> None:
    """Accelerators and kinds each add up to all rows; the worst is the row that is the most times off."""
    assert sum(one.rows for one in FOUND.parts) == sum(one.rows for one in FOUND.kinds) == len(FOUND.rows)
    off = [max(one.estimate / one.measured, one.measured / one.estimate) for one in FOUND.rows if one.has_basis]
    worst = FOUND.worst[0]
    assert max(worst.estimate / worst.measured, worst.measured / worst.estimate) == pytest.approx(max(off))
    source = FACTS.source(worst.source_id).title
    assert source.split(":")[0] in words_of.worst(FACTS, FOUND, words("en")).replace("\\", "")


def test_every_point_is_a_run_of_the_table_and_hollow_where_it_lies_outside() -> None:
    """Measured is the row's value times its GPUs where it is per GPU; the marker is open outside the interval."""
    drawn = figures.chart(FACTS, FOUND, looks(FACTS.accelerators, dark=False), words("en"), dark=False)
    by_row = {one.row: one for one in FOUND.rows}
    count = 0
    for trace in drawn["data"][1:]:
        for x, symbol, (source, reference) in zip(
            trace["x"], trace["marker"]["symbol"], trace["customdata"], strict=True
        ):
            row = cell(reference)
            times = row["accelerator_count"] if row["unit_basis"] == "gpu" else 1
            assert (row["source_id"], x) == (source, pytest.approx(row["value"] * times, rel=1e-9))
            held_out = by_row[int(reference.partition(":")[2])]
            assert symbol.endswith("-open") == (not held_out.low <= held_out.measured <= held_out.high)
            count += 1
    assert count == sum(one.has_basis for one in FOUND.rows)


def test_runs_above_the_bound_are_listed_with_their_reason() -> None:
    """Each is above it and ran with speculative decoding, as its row says."""
    table = words_of.above_bound(FACTS, FOUND, words("en"))
    assert len(table) == len(FOUND.above) > 0
    for one in FOUND.above:
        assert one.times > 1
        assert one.speculative == cell(f"serving:{one.row}")["speculative"]
    assert set(table["Reason"]) == {"speculative decoding"}


def test_a_part_of_the_readers_own_changes_nothing() -> None:
    """The figures are the same object."""
    facts = with_own_parts(FACTS, (OwnPart(name="Mine", memory_gib=100.0),))
    assert estimate_errors(facts) is FOUND
