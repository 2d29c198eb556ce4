"""Earlier editions can be put together again from what later ones replaced, and an old link says what that changed."""

import csv
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lib import catalog, editions
from lib.choice import presets
from lib.choice.edition_effects import edition_effects
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Scenario, changed
from lib.errors import DataError
from lib.present import edition_words
from lib.present.text import words

DATA = Path(__file__).resolve().parent.parent / "data"
FACTS = catalog.load()
FIRST = "2026-11-30-81db24e1"
"""The first edition: CNY at 7.0197 a dollar, as its assumptions.csv had it."""


def rows_of(folder: Path, table: str) -> list[dict[str, str]]:
    """A table as written."""
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rewritten(folder: Path, table: str, rows: list[dict[str, str]]) -> None:
    """A table written anew."""
    with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tables that editions track, with a record that begins now."""
    for name in editions.TRACKED:
        shutil.copy(DATA / f"{name}.csv", tmp_path)
    for name in ("configs", "presets"):
        (tmp_path / name).mkdir()
    editions.record("2026-01-01-aaaaaaaa", tmp_path)
    return tmp_path


def scenario_of(label: str) -> Scenario:
    """The default preset as a link of that edition."""
    return presets.preset(FACTS, "serve-70b").model_copy(update={"edition": label})


def test_the_present_edition_is_recorded() -> None:
    """Its numbers, as records, are those of the catalogue, row for row and in the same order."""
    found = editions.history()
    assert list(editions.problems(FACTS)) == []
    now = editions.as_it_was(FACTS, found, FACTS.edition.label)
    assert now is not None
    assert list(now.accelerators.items()) == list(FACTS.accelerators.items())
    assert list(now.assumptions.items()) == list(FACTS.assumptions.items())
    assert now.prices == FACTS.prices


def test_the_record_is_small() -> None:
    """Under 300 kB, what is in data/editions."""
    assert sum(path.stat().st_size for path in (DATA / "editions").rglob("*.csv")) < 300_000


def test_the_first_edition_has_its_exchange_rate() -> None:
    """7.0197 CNY a dollar, without a row on the CO2 of grids, which came later."""
    then = editions.as_it_was(FACTS, editions.history(), FIRST)
    assert then is not None
    assert then.assumption("fin-fx-usdcny").base == 7.0197
    assert "fac-co2-us" not in then.assumptions
    assert then.edition.label == FIRST


def test_values_rows_and_their_removal_are_put_back(folder: Path) -> None:
    """After a value changed, a row came and a row went, each in an edition of its own, every earlier state is whole."""
    states = [{name: rows_of(folder, name) for name in editions.TRACKED}]
    prices = rows_of(folder, "prices")
    prices[0]["low"] = "12345.5"
    rewritten(folder, "prices", prices)
    assert editions.record("2026-02-01-bbbbbbbb", folder) == 1
    states.append({name: rows_of(folder, name) for name in editions.TRACKED})
    rewritten(folder, "prices", [*prices, {**prices[3], "price_id": "new-one"}])
    assert editions.record("2026-03-01-cccccccc", folder) == 1
    states.append({name: rows_of(folder, name) for name in editions.TRACKED})
    assumptions = rows_of(folder, "assumptions")
    rewritten(folder, "assumptions", assumptions[1:])
    assert editions.record("2026-04-01-dddddddd", folder) > 1
    assert editions.record("2026-04-01-dddddddd", folder) == 0
    found = editions.history(folder)
    for label, state in zip(found.labels, states, strict=False):
        then = found.values_at(label)
        for table, columns in editions.TRACKED.items():
            wanted = {row[columns[0]]: {name: row[name] for name in columns} for row in state[table]}
            assert then[table] == wanted, (label, table)


def test_other_tables_are_named_and_not_kept(folder: Path) -> None:
    """A table whose values are not kept is known to have changed."""
    (folder / "models.csv").write_text("model_id\nx\n", encoding="utf-8")
    editions.record("2026-02-01-bbbbbbbb", folder)
    assert editions.history(folder).other_tables_since("2026-01-01-aaaaaaaa") == ("models",)


def labels_of(folder: Path) -> list[str]:
    """The editions of editions.csv."""
    return [f"{row['date']}-{row['hash'][:8]}" for row in rows_of(folder, "editions")]


def dearer(folder: Path, low: str) -> None:
    """The first price with another low end."""
    prices = rows_of(folder, "prices")
    prices[0]["low"] = low
    rewritten(folder, "prices", prices)


def test_a_second_edition_of_a_day_stands_beside_the_first(folder: Path) -> None:
    """Both rows stand with their summaries, and a link of the first still says what the second changed."""
    first, _ = editions.add("2026-02-01", "A first price", folder)
    before = rows_of(folder, "prices")[0]["low"]
    dearer(folder, "12345.5")
    second, replaced = editions.add("2026-02-01", "Another price", folder)
    assert (replaced, labels_of(folder)) == (1, [first.label, second.label])
    assert editions.history(folder).since(first.label) == (second.label,)
    assert next(iter(editions.history(folder).values_at(first.label)["prices"].values()))["low"] == before


def test_an_edition_that_is_recorded_twice_stands_once(folder: Path) -> None:
    """The same day and content again replaces the summary; data that go back to what they were are an edition again."""
    first, _ = editions.add("2026-02-01", "A first price", folder)
    editions.add("2026-02-01", "A better summary", folder)
    assert [row["summary"] for row in rows_of(folder, "editions")] == ["A better summary"]
    before = rows_of(folder, "prices")[0]["low"]
    dearer(folder, "12345.5")
    second, _ = editions.add("2026-02-01", "Another price", folder)
    dearer(folder, before)
    again, _ = editions.add("2026-02-02", "The first price after all", folder)
    assert again.hash == first.hash
    assert labels_of(folder) == [first.label, second.label, again.label]
    assert editions.history(folder).since(first.label) == (second.label, again.label)


def test_an_edition_nobody_has_seen_can_be_amended(folder: Path) -> None:
    """The amended one is gone without a trace: what it replaced is told of the one in its place, against the one before."""
    first, _ = editions.add("2026-02-01", "A first price", folder)
    before = rows_of(folder, "prices")[0]["low"]
    dearer(folder, "12345.5")
    editions.add("2026-02-01", "A slip", folder)
    dearer(folder, "23456.5")
    right, replaced = editions.add("2026-02-01", "The right price", folder, amend=True)
    assert (replaced, labels_of(folder)) == (1, [first.label, right.label])
    found = editions.history(folder)
    assert found.since(first.label) == (right.label,)
    assert [(one.edition, one.before) for one in found.changes] == [(right.label, before)]
    assert next(iter(found.values_at(right.label)["prices"].values()))["low"] == "23456.5"


@pytest.mark.parametrize("day", ["2026-01-31", "tomorrow", "2026-2-1", ""])
def test_an_edition_has_a_day_that_is_not_before_the_last(folder: Path, day: str) -> None:
    """Prices would be younger than the day they are used on; nothing is written then."""
    editions.add("2026-02-01", "A first price", folder)
    dearer(folder, "12345.5")
    with pytest.raises(DataError, match="2026-02-01 or later"):
        editions.add(day, "Another price", folder)
    assert len(labels_of(folder)) == 1


def test_the_shell_records_no_edition_of_broken_tables(tmp_path: Path) -> None:
    """Exit code 1 with what the check finds, and nothing is recorded; the check then names it and the missing edition."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("lib", "data"):
        shutil.copytree(DATA.parent / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "data/configs/deepseek-v3.json").write_text("{[", encoding="utf-8")
    prices = copy / "data/prices.csv"
    prices.write_text(prices.read_text(encoding="utf-8").replace(",USD,", ",USD", 1), encoding="utf-8")
    before = (copy / "data" / "editions.csv").read_bytes()

    def said_by(*words_of_command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "lib", *words_of_command], cwd=copy, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        return done.stderr

    refused = said_by("edition", "A broken one")
    assert "data/prices.csv" in refused
    assert "data/configs/deepseek-v3.json" in refused
    assert "No edition was recorded" in refused
    assert (copy / "data" / "editions.csv").read_bytes() == before
    checked = said_by("check")
    assert "data/prices.csv" in checked
    assert "data/configs/deepseek-v3.json" in checked
    assert "run `python -m lib edition`" in checked


def test_an_edition_nobody_recorded_says_so() -> None:
    """Nothing is guessed about it."""
    found = edition_effects(FACTS, editions.history(), scenario_of("2025-01-01-00000000"))
    assert found is not None
    assert not found.is_recorded
    assert "not known" in edition_words.notice(found, words("en"))


def test_the_present_edition_has_no_effects() -> None:
    """Neither has a scenario of no edition."""
    assert edition_effects(FACTS, editions.history(), scenario_of(FACTS.edition.label)) is None
    assert edition_effects(FACTS, editions.history(), scenario_of("")) is None


def test_an_old_link_lists_its_numbers_and_their_effect(folder: Path) -> None:
    """The listed rents of a part were a quarter lower: the cost of then is that of a catalogue with those rows."""
    label = "2026-11-01-aaaaaaaa"
    rented = changed(scenario_of(label), ("candidates",), ({"accelerator": "h100-sxm", "acquisition": "rent"},))
    scenario = changed(rented, ("candidates", 0, "gpus"), 8)
    chosen = costed_all(FACTS, scenario)[0]
    assert chosen.defaults is not None
    rows = {one.price_id: one for one in FACTS.prices}
    behind = [name for name in chosen.defaults.origins["rent_usd_per_gpu_hour"].ids if name in rows]
    assert behind
    before = rows_of(folder, "prices")
    for row in before:
        if row["price_id"] in behind:
            row["low"], row["high"] = (repr(0.75 * float(row[end])) for end in ("low", "high"))
    shutil.rmtree(folder / "editions")
    rewritten(folder, "prices", before)
    editions.record(label, folder)
    shutil.copy(DATA / "prices.csv", folder)
    editions.record(FACTS.edition.label, folder)
    found = edition_effects(FACTS, editions.history(folder), scenario)
    assert found is not None
    assert {one.row for one in found.used} == set(behind)
    assert len(found.changes) == 2 * len(behind)
    cheaper = tuple(
        replace(one, low=0.75 * one.low, high=0.75 * one.high) if one.price_id in behind else one
        for one in FACTS.prices
    )
    edition = replace(FACTS.edition, date="2026-11-01")
    then = costed_all(replace(FACTS, prices=cheaper, edition=edition), scenario)[0]
    pair = found.options[0]
    assert pair.before is not None
    assert pair.before.npv_usd == pytest.approx(then.npv_usd, abs=0.01)
    assert pair.change_usd == pytest.approx((chosen.npv_usd or 0.0) - (then.npv_usd or 0.0), abs=0.01)
    table = edition_words.changes_table(found, FACTS, words("en"))
    assert len(table) == len(found.changes)


def test_an_input_that_the_link_keeps_is_named(folder: Path) -> None:
    """A link states the discount rate that was the assumption of its day: it keeps it, and today's stands beside it."""
    rows = rows_of(folder, "assumptions")
    for row in rows:
        if row["assumption_id"] == "fin-discount":
            row["base"] = "11"
    shutil.rmtree(folder / "editions")
    rewritten(folder, "assumptions", rows)
    editions.record("2026-01-01-aaaaaaaa", folder)
    shutil.copy(DATA / "assumptions.csv", folder)
    editions.record(FACTS.edition.label, folder)
    scenario = changed(scenario_of("2026-01-01-aaaaaaaa"), ("money", "discount_rate"), 0.11)
    found = edition_effects(FACTS, editions.history(folder), scenario)
    assert found is not None
    (kept,) = found.kept
    today = (FACTS.assumption("fin-discount").base or 0.0) / 100
    assert (kept.field, kept.stated) == ("discount_rate", 0.11)
    assert kept.base_now == pytest.approx(today)
    assert found.change_usd == 0.0
