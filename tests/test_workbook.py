"""The workbook as it is handed out: what stands in it, what cannot run in it, and the table of flows beside it."""

import csv
import io
import time
import zipfile
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import presets
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_all
from lib.choice.own_parts import with_own_parts
from lib.choice.scenario import Scenario, changed
from lib.present.text import words
from lib.present.workbook import cost_workbook, file_name
from lib.present.workbook.book import sheet_names
from lib.present.workbook.flow_table import flows_csv

FACTS = catalog.load()
ENGLISH = words("en")
LINK = "https://ledger.example/cost?preset=buy-or-wait"
SCENARIO = presets.preset(FACTS, "buy-or-wait")
OPTIONS = costed_all(FACTS, SCENARIO)
SMALL = presets.preset(FACTS, "token-price")
"""One rental over one year: the quickest to read back."""


def made(scenario: Scenario = SCENARIO, link: str = LINK) -> bytes:
    """The workbook of a scenario in its own language."""
    facts = with_own_parts(FACTS, scenario.own_parts)
    return cost_workbook(facts, scenario, costed_all(facts, scenario), words(scenario.language), link)


def opened(content: bytes, *, values: bool = False) -> Workbook:
    """The workbook read back: its formulas, or the values stored beside them."""
    return openpyxl.load_workbook(BytesIO(content), data_only=values)


def texts(book: Workbook) -> list[str]:
    """All text cells that are no formulas."""
    cells = (cell for sheet in book for row in sheet.iter_rows() for cell in row)
    return [cell.value for cell in cells if cell.data_type == "s"]


@pytest.fixture(scope="module")
def content() -> bytes:
    """The workbook of a preset that buys and rents."""
    return made()


@pytest.fixture(scope="module")
def book(content: bytes) -> Workbook:
    """The same, with its formulas."""
    return opened(content)


@pytest.fixture(scope="module")
def stored(content: bytes) -> Workbook:
    """The same, with the values beside the formulas."""
    return opened(content, values=True)


def test_the_same_scenario_gives_the_same_bytes(content: bytes, book: Workbook) -> None:
    """No clock and no chance: the file is dated by the edition."""
    assert content == made()
    assert book.properties.created.date().isoformat() == FACTS.edition.date


def test_a_workbook_is_made_in_less_than_a_second() -> None:
    """Eight options over five years, in processor time, so that a busy machine does not count."""
    scenario = changed(SCENARIO, ("money", "horizon_years"), 5)
    options = costed_all(FACTS, scenario)
    start = time.process_time()
    cost_workbook(FACTS, scenario, options, ENGLISH, LINK)
    assert time.process_time() - start < 1.0


def test_every_formula_has_its_value_stored(book: Workbook, stored: Workbook) -> None:
    """A viewer that does not calculate shows the library's figures."""
    counted = 0
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    counted += 1
                    assert stored[sheet.title][cell.coordinate].value is not None, (sheet.title, cell.coordinate)
    assert counted > 5000


def test_the_summary_says_where_it_comes_from_and_which_is_lowest(stored: Workbook) -> None:
    """Edition, its date, the link, the language, every option with its NPV, and the cheapest of them."""
    values = stored["Summary"]
    cells = {cell.value for row in values.iter_rows() for cell in row if cell.value is not None}
    assert {
        FACTS.edition.label,
        FACTS.edition.date,
        LINK,
        "English",
        FACTS.presets["buy-or-wait"]["question_en"],
    } <= cells
    lowest = min((one for one in OPTIONS if one.npv_usd is not None), key=lambda one: one.npv_usd or 0.0)
    row = next(row for row in values.iter_rows(values_only=True) if row[0] == "Lowest net present value")
    assert row[1].startswith(lowest.accelerator.short_name)
    assert row[3] == pytest.approx(lowest.npv_usd, rel=1e-12)
    for one in OPTIONS:
        assert one.npv_usd in cells


def test_the_summary_says_when_payments_fall_what_the_sign_is_and_what_npv_is(stored: Workbook) -> None:
    """Two lines above the figures; the rate is called an effective annual one there and among the inputs."""
    first = [str(row[0]) for row in stored["Summary"].iter_rows(values_only=True) if row[0]]
    table = first.index("Option")
    (payments,) = [text for text in first[:table] if text.startswith("Payments: ")]
    (signs,) = [text for text in first[:table] if text.startswith("Signs: ")]
    for said in ("deposit in the month of the order", "rest at delivery", "end of each month of service"):
        assert said in payments
    for said in ("costs are positive", "resale is negative", "present value at month 0", "effective annual rate"):
        assert said in signs
    inputs = [row for row in stored["Inputs"].iter_rows(values_only=True) if row[13] == "discount_rate"]
    assert [row[2] for row in inputs] == ["effective annual rate"]
    assert not [text for text in texts(stored) if "compounded" in text]


def test_the_range_of_the_resale_is_that_of_its_year_and_says_so(stored: Workbook) -> None:
    """On Inputs low and high times the worth after the horizon's years are those of that year's row, to 1e-9."""
    rows = [row for row in stored["Inputs"].iter_rows(values_only=True) if row[13]]
    (scale,) = [row for row in rows if row[13] == "option1_residual_scale"]
    years = OPTIONS[0].finance.finance.horizon_months // 12
    (worth,) = [row[1] for row in rows if row[13] == f"option1_residual_after_year_{years}"]
    stated = FACTS.assumption(f"fin-residual-y{years}")
    assert (100 * scale[4] * worth, 100 * scale[6] * worth) == pytest.approx((stated.low, stated.high), rel=1e-9)
    assert "age at the sale" in scale[11]


def test_the_summary_names_unit_costs_as_the_sheets_of_the_options_do(stored: Workbook) -> None:
    """A cost per GPU-hour says which hours: those paid for, and those in which a needed GPU works."""
    heads = next(row for row in stored["Summary"].iter_rows(values_only=True) if row[0] == "Option")
    summary = [str(head).removesuffix(", USD") for head in heads if head and "GPU-hour" in str(head)]
    sheet = stored[stored.sheetnames[2]]
    labels = [str(row[0]) for row in sheet.iter_rows(values_only=True) if "GPU-hour" in str(row[0])]
    assert summary == labels
    assert len(set(summary)) == 2


def test_prices_of_an_article_are_not_compared_with_the_catalogues() -> None:
    """Where a scenario has both, the lowest is looked for among the catalogue's, as on the page."""
    scenario = presets.preset(FACTS, "llama-405b")
    options = costed_all(FACTS, scenario)
    own = min(one.npv_usd or 0.0 for one in options if not one.candidate.price_source.startswith("article"))
    values = opened(made(scenario), values=True)["Summary"]
    row = next(row for row in values.iter_rows(values_only=True) if row[0] == "Lowest net present value")
    assert row[3] == own


def test_every_input_is_named_and_has_its_range_source_and_date(book: Workbook) -> None:
    """The price of a server: value, low, base and high of its row, kind, day, source, locator, and its name."""
    row = FACTS.assumption("capex-srv-8xh100-est")
    ((sheet, cell),) = book.defined_names["option1_server_price_usd"].destinations
    line = book[sheet][cell.replace("$", "")].row
    cells = [one.value for one in book[sheet][line]]
    assert sheet == "Inputs"
    assert cells[1] == row.base
    assert cells[3] is None
    assert cells[4:7] == [row.low, row.base, row.high]
    assert cells[7:11] == ["estimate", row.as_of, FACTS.source(row.source_id).title, row.locator]
    assert cells[12:14] == [row.assumption_id, "option1_server_price_usd"]
    target = book[sheet].cell(line, 13).hyperlink.location
    where, place = target.rsplit("!", 1)
    assert book[where.strip("'")][place].value == row.assumption_id


def test_every_price_behind_a_rent_is_on_the_sheet_of_sources(book: Workbook) -> None:
    """The rows of the median stand there one by one, and below them their sources with their location."""
    rent = next(one for one in OPTIONS if one.candidate.acquisition == "rent")
    assert rent.defaults is not None
    cells = {cell.value for row in book["Sources"].iter_rows() for cell in row}
    prices = {price.price_id: price for price in FACTS.prices}
    ids = rent.defaults.origins["rent_usd_per_gpu_hour"].ids
    assert len(ids) >= 3
    for name in ids:
        assert {name, prices[name].source_id, FACTS.source(prices[name].source_id).location} <= cells


def test_what_the_user_changed_is_marked() -> None:
    """A stated discount rate carries the mark and keeps the assumption's range beside it; the rest does not."""

    def marked(scenario: Scenario) -> set[str]:
        sheet = opened(made(scenario))["Inputs"]
        return {row[13].value for row in sheet.iter_rows(min_row=6) if row[3].value == "changed"}

    assert marked(changed(SMALL, ("money", "discount_rate"), 0.2)) - marked(SMALL) == {"discount_rate"}


def test_a_price_of_an_article_names_it() -> None:
    """The 2 USD an hour of A2 stand with the article as their source, and not as the reader's own."""
    sheet = opened(made(SMALL))["Inputs"]
    cells = next(row for row in sheet.iter_rows(values_only=True) if row[13] == "option1_rent_usd_per_gpu_hour")
    assert cells[1] == 2.0
    assert cells[3] is None
    assert cells[7] == "article"
    assert cells[9] == FACTS.source("article-a2").title


def test_what_a_reader_may_edit_has_a_style_of_its_own(book: Workbook) -> None:
    """Inputs look like the sample in the head of their sheet; constants do not."""
    sheet = book["Inputs"]
    sample = sheet["B2"].fill.start_color.rgb
    for name, editable in (("utilisation", True), ("option1_gpus", True), ("hours_per_month", False)):
        ((_sheet, cell),) = book.defined_names[name].destinations
        assert (sheet[cell.replace("$", "")].fill.start_color.rgb == sample) is editable, name


def test_the_workbook_has_native_charts_and_no_external_link(content: bytes) -> None:
    """Two charts; no other workbook, no macro, no web query."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        names = archive.namelist()
    assert len([name for name in names if name.startswith("xl/charts/chart")]) == 2
    assert not [name for name in names if "external" in name.lower() or "vba" in name.lower() or "quer" in name.lower()]


def test_text_from_outside_cannot_become_a_formula() -> None:
    """A title, a link and an own part that begin like a formula stay text, with a quote before the title."""
    hostile = "=cmd|'/c calc'!A0"
    scenario = changed(SMALL, ("title",), hostile)
    found = opened(made(scenario, link="=HYPERLINK(1)"))
    assert {f"'{hostile}", "'=HYPERLINK(1)"} <= set(texts(found))
    formulas = [cell.value for sheet in found for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    assert not [one for one in formulas if "cmd" in str(one) or "HYPERLINK" in str(one)]
    assert not [text for text in texts(found) if text.lstrip().startswith(("=", "+", "-", "@"))]


def test_a_part_of_the_readers_own_has_a_sheet() -> None:
    """A part that the catalogue does not know is named as stated, its memory as the reader's own."""
    data: dict[str, Any] = SCENARIO.model_dump()
    data["own_parts"] = ({"name": "Part + 1", "memory_gib": 100.0, "gpus_per_node": 8},)
    blank = data["candidates"][0]
    data["candidates"] = (
        {**blank, "accelerator": "own:1", "gpus": 4, "acquisition": "rent", "rent_usd_per_gpu_hour": 2.0},
    )
    own = with_own_parts(FACTS, Scenario.model_validate(data).own_parts)
    name = next(one for one in own.accelerators if one not in FACTS.accelerators)
    data["candidates"][0]["accelerator"] = name
    found = opened(made(Scenario.model_validate(data)), values=True)
    assert "1 Part + 1, rent" in found.sheetnames


def test_a_scenario_without_any_cost_still_makes_a_workbook() -> None:
    """An option that nobody prices is listed with the reason, and no sheet is made for it."""
    data = presets.preset(FACTS, "knowledge-base").model_dump()
    data["candidates"] = tuple(one for one in data["candidates"] if one["accelerator"] == "a800-sxm")
    found = opened(made(Scenario.model_validate(data)))
    assert found.sheetnames == ["Summary", "Inputs", "Sensitivity", "Sources"]
    assert any("No dated list price to rent this part" in text for text in texts(found))


def test_a_workbook_speaks_chinese() -> None:
    """Sheets and words are those of the Chinese catalogue; the names in formulas stay the same."""
    chinese = words("zh")
    found = opened(made(presets.preset(FACTS, "token-price", "zh")))
    assert found.sheetnames[:2] == [chinese("Summary"), chinese("Inputs")]
    assert chinese("What does it cost over its life?") in texts(found)
    assert set(found.defined_names) == set(opened(made(SMALL)).defined_names)


def test_sheets_have_names_that_a_spreadsheet_accepts() -> None:
    """At most 31 characters, no reserved ones, and each once whatever its case."""
    long = "a" * 40
    assert sheet_names(["x/y?", long, long.upper(), "'"]) == ("x y", long[:31], "A" * 28 + " 2", "-")


def test_the_flows_add_up_to_the_totals() -> None:
    """One line a month for each option: components to the total, discounted to the NPV."""
    rows = list(csv.DictReader(io.StringIO(flows_csv(OPTIONS).decode("utf-8-sig"))))
    for place, one in enumerate(OPTIONS, start=1):
        assert one.flows is not None
        own = [row for row in rows if row["option"] == str(place)]
        assert [int(row["month"]) for row in own] == list(range(37))
        total = sum(float(row["total_usd"]) for row in own)
        parts = sum(
            float(row[name])
            for row in own
            for name in row
            if name.endswith("_usd") and name.split("_")[0] not in ("total", "cumulative")
        )
        npv = sum(float(row["total_usd"]) * float(row["discount_factor"]) for row in own)
        assert total == pytest.approx(float(one.flows.nominal_usd), rel=1e-12)
        assert parts == pytest.approx(total, rel=1e-12)
        assert npv == pytest.approx(one.npv_usd, rel=1e-12)


def test_files_are_named_after_scenario_and_edition() -> None:
    """The preset's name, else the word scenario, and the day of the edition."""
    own = SCENARIO.model_copy(update={"preset": ""})
    assert file_name(FACTS, SCENARIO, "xlsx") == f"cost-buy-or-wait-{FACTS.edition.date}.xlsx"
    assert file_name(FACTS, own, "csv") == f"cost-scenario-{FACTS.edition.date}.csv"


def test_options_without_flows_leave_the_table_empty() -> None:
    """No line is invented for what has no cost."""
    without: list[Costed] = [
        one for one in costed_all(FACTS, presets.preset(FACTS, "knowledge-base")) if one.flows is None
    ]
    assert without
    assert flows_csv(without).decode("utf-8-sig").strip() in ("", '""')


def test_the_buttons_hand_out_the_files_of_the_scenario() -> None:
    """Two downloads, named after preset and edition, made only when they are pressed."""

    def page() -> None:
        from lib.choice.fleet_costs import costed_all
        from lib.ui import cached, files, state

        state.boot()
        files.cost_files(state.scenario(), costed_all(cached.facts(), state.scenario()))

    shown = AppTest.from_function(page).run()
    assert not shown.exception
    labels = [one.proto.label for one in shown.get("download_button")]
    assert labels == ["Workbook with formulas (XLSX)", "Monthly flows (CSV)"]
