"""The sources page says what the edition rests on, and every table can be browsed, filtered and taken away."""

import csv
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets, provenance
from lib.choice.scenario import Scenario, changed
from lib.present import browsing, sources
from lib.present.text import words

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
PAGE = "../../pages/sources.py"
FACTS = catalog.load()
ENGLISH = words("en")


def rows_of(table: str) -> list[dict[str, str]]:
    """A table read by the standard library alone."""
    with (ROOT / "data" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def opened(scenario: Scenario | None = None) -> AppTest:
    """The page of a fresh visitor, or of one who follows a link."""
    at = AppTest.from_file(SHELL, default_timeout=30)
    if scenario is not None:
        at.query_params["s"] = link.encode(scenario)
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


def captions(at: AppTest) -> str:
    """All small type of the page."""
    return "\n".join(caption.value for caption in at.caption)


def test_the_answer_counts_facts_sources_and_prices() -> None:
    """The sentence holds the counts of the files: facts, sources, and prices dated within nine months (exact)."""
    at = opened()
    assert at.title[0].value == "Where does every number come from?"
    tables = [path.stem for path in (ROOT / "data").glob("*.csv") if path.stem not in ("sources", "columns")]
    facts = sum(len(rows) for name in tables if "source_id" in (rows := rows_of(name))[0])
    since = pd.Timestamp(FACTS.edition.date) - pd.DateOffset(months=9)
    recent = sum(pd.Timestamp(row["as_of"]) >= since for row in rows_of("prices") if row["as_of"])
    sentence = at.markdown[0].value
    assert f"**{facts:,} facts**" in sentence
    assert f"**{len(rows_of('sources'))} sources**" in sentence
    assert f"**{recent} of {len(rows_of('prices'))}** dated within nine months" in sentence
    assert FACTS.edition.date in sentence


def test_the_chart_says_its_finding_in_words() -> None:
    """The alternative text names every table, and each bar adds up to the whole (1e-9)."""
    at = opened()
    chart = at.get("plotly_chart")[0].proto
    assert "Prices" in chart.alt
    assert "MLPerf Training" in chart.alt
    traces = json.loads(chart.spec)["data"]
    for shares in zip(*(trace["x"] for trace in traces), strict=True):
        assert sum(share or 0 for share in shares) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("table", sources.TABLES)
def test_every_table_opens_with_at_most_seven_columns(table: str) -> None:
    """Each table of data/ is offered; its rows are all there, or the first 500 with the number of all."""
    at = opened()
    at.selectbox(key="sources.table").set_value(table).run()
    assert not at.exception
    frame = at.dataframe[0].value
    rows = len(rows_of(table))
    assert len(frame) == min(rows, 500)
    assert len(frame.columns) <= 7
    assert f"{rows:,} rows" in captions(at)


def test_all_tables_but_the_editions_are_offered() -> None:
    """Nothing in data/ is out of reach: editions stand in their own place."""
    assert {*sources.TABLES, "editions"} == {table for table, _column in FACTS.columns}


def test_a_part_a_source_and_a_text_narrow_the_rows() -> None:
    """The numbers of rows are those counted in the file, and the filters stand in the link."""
    at = opened()
    at.selectbox(key="sources.table").set_value("prices").run()
    at.selectbox(key="sources.part").set_value("mi300x").run()
    of_part = [row for row in rows_of("prices") if row["accelerator_id"] == "mi300x"]
    assert len(at.dataframe[0].value) == len(of_part)
    assert f"{len(of_part)} of {len(rows_of('prices'))} rows pass" in captions(at)
    at.text_input[0].set_value("on-demand").run()
    found = [row for row in of_part if any("on-demand" in cell.lower() for cell in row.values())]
    assert 0 < len(at.dataframe[0].value) == len(found) < len(of_part)
    token = at.query_params["s"]
    view = link.decode(token if isinstance(token, str) else token[0]).view
    assert (view.table, view.table_part, view.table_search) == ("prices", "mi300x", "on-demand")


def test_weak_and_illustration_prices_are_marked() -> None:
    """As many rows carry each mark as the file has of its quality, and undated ones say so."""
    at = opened()
    at.selectbox(key="sources.table").set_value("prices").run()
    marks = list(at.dataframe[0].value["mark"].fillna(""))
    rows = rows_of("prices")
    for word, quality in (("weak", "weak"), ("illustration", "illustration")):
        assert sum(word in mark for mark in marks) == sum(row["quality"] == quality for row in rows)
    assert sum("no date" in mark for mark in marks) == sum(row["as_of"] == "" for row in rows)


def test_a_source_shows_its_address_and_what_rests_on_it() -> None:
    """Choosing a source opens its card: title, address, date and the rows of each table."""
    at = opened()
    at.selectbox(key="sources.source").set_value("ai-infra-index").run()
    card = next(one.value for one in at.markdown if "Rows that rest on it" in one.value)
    row = next(row for row in rows_of("sources") if row["source_id"] == "ai-infra-index")
    assert row["title"] in card
    assert row["date"] in card
    rents = sum(one["source_id"] == "ai-infra-index" for one in rows_of("rent_history"))
    assert f"Rent history ({rents})" in card


def test_a_search_without_a_row_says_so_and_can_be_cleared() -> None:
    """Nothing found is said in a sentence, and one button brings every row back."""
    at = opened()
    at.text_input[0].set_value("no row says this").run()
    assert "No row of Sources passes these filters." in [one.value for one in at.info]
    next(button for button in at.button if button.label == "Clear the filters").click().run()
    assert not at.exception
    assert len(at.dataframe[0].value) == len(rows_of("sources"))
    assert at.text_input[0].value == ""


def test_a_link_with_unknown_names_says_what_is_shown_instead() -> None:
    """A table, a part and a source that do not exist are named, and the page still stands."""
    scenario = presets.preset(FACTS, presets.DEFAULT_PRESET)
    for field, name in (("table", "nonsense"), ("table_part", "mi9000x"), ("table_source", "no-such-source")):
        scenario = changed(scenario, ("view", field), name)
    at = opened(scenario)
    warnings = "\n".join(one.value for one in at.warning)
    assert "nonsense" in warnings
    assert "mi9000x" in warnings
    assert "such" in warnings
    assert len(at.dataframe[0].value) == len(rows_of("sources"))


def test_markup_in_a_search_stays_text() -> None:
    """A search is compared, never shown as Markdown or HTML."""
    at = opened()
    at.text_input[0].set_value("<script>alert(1)</script> **[x](javascript:1)**").run()
    assert not at.exception
    assert not any("javascript" in one.value for one in [*at.markdown, *at.info, *at.caption])


@pytest.mark.parametrize("preset_id", FACTS.presets)
def test_every_preset_opens_the_page_in_both_languages(preset_id: str) -> None:
    """The page does not depend on the scenario, and stands in Chinese as in English."""
    for language in ("en", "zh"):
        at = AppTest.from_file(SHELL, default_timeout=30)
        at.query_params["preset"] = preset_id
        at.query_params["lang"] = language
        at.run()
        at.switch_page(PAGE).run()
        assert not at.exception
        assert len(at.metric) == 4


@pytest.mark.parametrize("table", sources.TABLES)
def test_the_file_has_every_column_of_the_table(table: str) -> None:
    """Column names are those of data/, every row is there, and each source stands with its address."""
    rows = rows_of(table)
    frame = browsing.whole(FACTS, table, provenance.kept(FACTS, table))
    assert len(frame) == len(rows)
    assert list(frame.columns)[: len(rows[0])] == list(rows[0])
    if table != "sources" and "source_id" in rows[0]:
        address = {row["source_id"]: row["location"] for row in rows_of("sources")}
        assert list(frame["source_location"]) == [address[row["source_id"]] for row in rows]


@pytest.mark.parametrize("table", ["prices", "checkpoints", "models", "serving", "rent_history"])
def test_the_file_repeats_whole_numbers_and_flags_as_the_table_writes_them(table: str) -> None:
    """8 stays 8 and not 8.0; yes, no and blank stay what they are (exact)."""
    frame = browsing.whole(FACTS, table, provenance.kept(FACTS, table))
    written = list(csv.DictReader(frame.to_csv(index=False).splitlines()))
    for column in rows_of(table)[0]:
        if FACTS.columns[table, column].type in ("integer", "flag"):
            assert [row[column] for row in written] == [row[column] for row in rows_of(table)], column


def test_all_columns_have_a_head_in_both_languages() -> None:
    """Every column that the screen can show has a label and a help text."""
    for language in ("en", "zh"):
        spoken = words(language)
        for table in sources.TABLES:
            rows = provenance.kept(FACTS, table)
            frame = browsing.shown(FACTS, table, rows, provenance.uses(FACTS), spoken, every=True)
            heads = browsing.heads(FACTS, table, frame, spoken)
            assert list(heads) == list(frame.columns)
            assert all(head.label and head.help for head in heads.values())


def test_a_web_address_is_a_link_and_nothing_else_is() -> None:
    """An address that is no plain web address stands as escaped text."""
    uses = provenance.uses(FACTS)
    for name, source in FACTS.sources.items():
        card = sources.source_card(FACTS, name, uses[name], ENGLISH)
        is_web = re.fullmatch(r"https?://[^\s<>\"()]+", source.location) is not None
        assert (f"<{source.location}>" in card) == is_web
