"""What the edition rests on is counted from its tables, and a search keeps the rows it should and no others."""

import csv
from collections import Counter
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from lib import catalog
from lib.choice import provenance
from lib.errors import UnknownNameError

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()


def rows_of(table: str) -> list[dict[str, str]]:
    """A table read by the standard library alone."""
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def days_old(row: dict[str, str]) -> int:
    """Days from the first day that a price's date can mean to the edition; 10**6 without a date."""
    if not row["as_of"]:
        return 10**6
    year, month, day = (*map(int, row["as_of"].split("-")), 1, 1)[:3]
    return (date.fromisoformat(FACTS.edition.date) - date(year, month, day)).days


def test_facts_are_the_rows_that_name_a_source() -> None:
    """Facts, tables and sources equal a count over the files themselves (exact)."""
    tables = {path.stem: rows_of(path.stem) for path in DATA.glob("*.csv")}
    counted = {
        name: len(rows)
        for name, rows in tables.items()
        if name not in ("sources", "columns") and "source_id" in rows[0]
    }
    found = provenance.provenance(FACTS)
    assert {one.table: one.rows for one in found.origins} == counted
    assert (found.facts, found.tables) == (sum(counted.values()), len(counted))
    assert found.sources == len(tables["sources"])


def test_every_row_counts_in_exactly_one_kind() -> None:
    """The kinds of a table add up to its rows, and the most second-hand table stands first."""
    found = provenance.provenance(FACTS)
    for one in found.origins:
        assert sum(one.by_closeness.values()) == one.rows
    shares = [one.second_hand_share for one in found.origins]
    assert shares == sorted(shares, reverse=True)


def test_price_rows_by_kind_of_source_are_those_of_the_files() -> None:
    """Prices: sellers' lists and benchmarks are records, the rest is second-hand (exact)."""
    kind = {row["source_id"]: row["kind"] for row in rows_of("sources")}
    counted = Counter(kind[row["source_id"]] for row in rows_of("prices"))
    prices = next(one for one in provenance.table_origins(FACTS) if one.table == "prices")
    second_hand = sum(counted[name] for name in ("survey", "cost model", "article", "news", "third-party"))
    assert prices.by_closeness["second-hand"] == second_hand
    assert prices.by_closeness["record"] == sum(counted.values()) - second_hand


def test_a_spec_cell_counts_as_the_vendors_only_with_the_vendors_own_document() -> None:
    """Publisher and vendor are the same, the kind is a vendor's, and the statement agrees (exact)."""
    source = {row["source_id"]: row for row in rows_of("sources")}
    vendor = {row["accelerator_id"]: row["vendor"] for row in rows_of("accelerators")}
    cells, own = set(), set()
    for row in rows_of("spec_sources"):
        cell = (row["accelerator_id"], row["field"])
        cells.add(cell)
        stated_by = source[row["source_id"]]
        is_own = stated_by["kind"].startswith("vendor ") and stated_by["publisher"] == vendor[row["accelerator_id"]]
        if is_own and row["agreement"] == "agrees":
            own.add(cell)
    found = provenance.provenance(FACTS)
    assert (found.spec_cells, found.vendor_cells) == (len(cells), len(own))
    assert found.vendor_share == pytest.approx(len(own) / len(cells))


def test_prices_age_to_the_date_of_the_edition() -> None:
    """Nine months back and the newest age are counted by pandas' calendar (exact)."""
    edition = pd.Timestamp(FACTS.edition.date)
    nine_months = (edition - (edition - pd.DateOffset(months=9))).days
    rows = rows_of("prices")
    recent = [row for row in rows if days_old(row) <= nine_months]
    found = provenance.provenance(FACTS)
    assert found.recent_prices == len(recent)
    assert found.default_prices == sum(row["quality"] == "dated-list" for row in recent)
    assert found.newest_price_age_days == min(map(days_old, rows))


def test_each_price_carries_the_marks_of_its_row() -> None:
    """No date, over 90 days, weak and illustration, each from its own cell."""
    marks = provenance.marks(FACTS, "prices")
    assert marks is not None
    for row, found in zip(rows_of("prices"), marks, strict=True):
        assert ("undated" in found) == (row["as_of"] == "")
        assert ("old" in found) == (90 < days_old(row) < 10**6)
        assert ("weak" in found) == (row["quality"] == "weak")
        assert ("illustration" in found) == (row["quality"] == "illustration")
    assert provenance.marks(FACTS, "models") is None
    assert provenance.ages(FACTS, "models") is None


def test_every_source_is_used_by_the_rows_counted_for_it() -> None:
    """Uses equal the rows of prices and assumptions that name a source, further sources included (exact)."""
    found = provenance.uses(FACTS)
    assert all(sum(tables.values()) > 0 for tables in found.values())
    counted: Counter[str] = Counter()
    for row in rows_of("assumptions"):
        counted.update(filter(None, [row["source_id"], *row["also_source_ids"].split(";")]))
    assert {name: tables["assumptions"] for name, tables in found.items() if "assumptions" in tables} == counted


def test_filters_keep_the_rows_that_pass_all_of_them() -> None:
    """Part, source and text each as the file itself says (exact)."""
    rows = rows_of("serving")
    kept = provenance.kept(FACTS, "serving", part="mi300x", search="DSTACK")
    expected = [
        index
        for index, row in enumerate(rows)
        if row["accelerator_id"] == "mi300x" and any("dstack" in cell.lower() for cell in row.values())
    ]
    assert list(kept.index) == expected
    by_source = provenance.kept(FACTS, "assumptions", source="ai-infra-index")
    assert len(by_source) == sum(
        "ai-infra-index" in [row["source_id"], *row["also_source_ids"].split(";")] for row in rows_of("assumptions")
    )


def test_a_part_filter_matches_whole_names_in_lists() -> None:
    """h100-sxm does not find h100-pcie, and an assumption for several parts is found under each."""
    kept = provenance.kept(FACTS, "assumptions", part="h100-sxm")
    expected = [row["assumption_id"] for row in rows_of("assumptions") if "h100-sxm" in row["applies_to"].split(";")]
    assert list(kept["assumption_id"]) == expected


def test_a_table_without_parts_ignores_the_part() -> None:
    """Models are not about parts: the filter keeps every row."""
    assert len(provenance.kept(FACTS, "models", part="mi300x")) == len(rows_of("models"))
    assert provenance.parts_of(FACTS, "models") == ()


def test_parts_offered_are_those_of_the_rows() -> None:
    """Catalogue parts in their order, then measured ones that have no row there; groups of parts are no parts."""
    offered = provenance.parts_of(FACTS, "rent_history")
    assert set(offered) == {row["accelerator_id"] for row in rows_of("rent_history")} - {"unspecified"}
    known = [name for name in FACTS.accelerators if name in offered]
    assert list(offered[: len(known)]) == known
    assert not {"all", "amd", "nvidia"} & set(provenance.parts_of(FACTS, "assumptions"))


def test_an_unknown_table_or_kind_is_named() -> None:
    """Both raise with the nearest right names."""
    with pytest.raises(UnknownNameError, match="prices"):
        provenance.kept(FACTS, "price")
    with pytest.raises(UnknownNameError, match="vendor docs"):
        provenance.closeness("vendor doc")


def test_the_catalogue_keeps_every_edition_and_every_table() -> None:
    """Editions and tables equal the files row for row."""
    assert [(one.date, one.hash, one.summary) for one in FACTS.editions] == [
        (row["date"], row["hash"], row["summary"]) for row in rows_of("editions")
    ]
    for name, frame in FACTS.tables.items():
        assert len(frame) == len(rows_of(name))
