"""Workbooks recalculated by LibreOffice say what the library says: all presets, hard cases, edits, and three by hand."""

import csv
import dataclasses
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

from lib import catalog
from lib.choice import presets
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_all
from lib.choice.scenario import Scenario
from lib.cost.cash_flow import COMPONENTS, totals
from lib.cost.options import Finance, Option
from lib.present.cost import component_name, option_label
from lib.present.text import words
from lib.present.workbook import cost_workbook

FACTS = catalog.load()
ENGLISH = words("en")
BY_HAND = Path(__file__).parent / "data" / "workbooks"
LINK = "https://ledger.example/cost?preset=x"

ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item>
</oor:items>
"""
"""A profile in which every file is recalculated when it is loaded."""

EVERY_SHEET = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
"""Comma, quotes, UTF-8, values with all their digits, one file a sheet."""

Sheets = Mapping[str, list[list[str]]]


def hard(language: str = "en", **money: Any) -> Scenario:
    """Every field that moves a flow at once: times, deposit, both bridges, commitments beyond the horizon, changes."""
    data = presets.preset(FACTS, "serve-70b").model_dump()
    blank = data["candidates"][0]
    waiting = {"order_month": 2, "delivery_months": 9, "acceptance_months": 2}
    data["candidates"] = (
        {**blank, "accelerator": "h100-sxm", "gpus": 20, **waiting, "deposit_fraction": 0.3, "bridge": "rent", "bridge_gpus": 12},
        {**blank, "accelerator": "h100-sxm", "gpus": 20, "acquisition": "commit-3y", "order_month": 1,
         "prepaid_fraction": 0.4, "bridge": "old-fleet", "bridge_usd_per_month": 1234.5},
        {**blank, "accelerator": "h100-sxm", "gpus": 20, "acquisition": "commit-1y", "prepaid_fraction": 0.25,
         "acceptance_months": 3, "bridge": "rent"},
        {**blank, "accelerator": "mi300x", "gpus": 9, "acquisition": "rent", "minimum_months": 48, "order_month": 5},
        {**blank, "accelerator": "mi300x", "gpus": 9, "server_price_usd": 200_000.0, "price_source": "own"},
        {**blank, "accelerator": "a800-sxm", "gpus": 9, "acquisition": "rent"},
    )  # fmt: skip
    data["money"] |= {
        "horizon_years": 2, "discount_rate": 0.08, "electricity_change_per_year": 0.05, "rent_change_per_year": -0.1,
        "storage_tb": 30.0, "egress_tb_per_month": 4.0, "residual_scale": 1.9, "licence_usd_per_gpu_year": 100.0,
        "currency": "CNY", **money,
    }  # fmt: skip
    data["workloads"][0]["stated_output_tokens_per_hour"] = 500_000.0
    return Scenario.model_validate(data | {"language": language})


SCENARIOS = {name: presets.preset(FACTS, name) for name in FACTS.presets} | {
    "hard": hard(),
    "hard-chinese": hard("zh"),
    "hard-long": hard(horizon_years=5, site="own", currency="EUR"),
}
COSTED = {name: costed_all(FACTS, scenario) for name, scenario in SCENARIOS.items()}

EDITS: dict[str, Any] = {
    "option1_gpus": 25, "option1_order_month": 1, "option1_delivery_months": 6, "option1_deposit_fraction": 0.5,
    "option1_bridge": "none", "option1_server_price_usd": 410_000.0, "option1_spares_fraction": 0.02,
    "option3_prepaid_fraction": 0.9, "option3_rent_change_per_year": 0.2, "option4_billing": "used-hours",
    "option4_minimum_months": 3, "discount_rate": 0.03, "utilisation": 0.8, "horizon_months": 23,
    "electricity_usd_per_kwh": 0.2, "colocation_change_per_year": 0.1,
}  # fmt: skip
"""Cells that a reader changes in the hard workbook."""


def made(name: str) -> bytes:
    """The workbook of a scenario."""
    scenario = SCENARIOS[name]
    return cost_workbook(FACTS, scenario, COSTED[name], words(scenario.language), LINK)


def edited(workbook: bytes) -> bytes:
    """The workbook after somebody has typed into named cells."""
    book = openpyxl.load_workbook(BytesIO(workbook))
    for name, value in EDITS.items():
        ((sheet, cell),) = book.defined_names[name].destinations
        book[sheet][cell.replace("$", "")] = value
    target = BytesIO()
    book.save(target)
    return target.getvalue()


def sentinel() -> bytes:
    """A workbook whose stored value is wrong: only a recalculation puts it right."""
    target = BytesIO()
    book = xlsxwriter.Workbook(target, {"in_memory": True})
    book.add_worksheet("one").write_formula("A1", "=1+1", None, 999)
    book.close()
    return target.getvalue()


@pytest.fixture(scope="module")
def written() -> dict[str, bytes]:
    """Every workbook of this module as it is handed out."""
    files = {name: made(name) for name in SCENARIOS}
    return files | {"edited": edited(files["hard"]), "sentinel": sentinel()}


@pytest.fixture(scope="module")
def recalculated(written: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sheets]:
    """The sheets of every workbook after one run of LibreOffice, as text cells."""
    program = os.environ.get("SOFFICE", "/usr/bin/soffice")
    if not Path(program).is_file():
        raise RuntimeError(f"there is no LibreOffice at {program}: run `make system`, or name one in SOFFICE")
    folder = tmp_path_factory.mktemp("workbooks")
    for name, content in written.items():
        (folder / f"{name}.xlsx").write_bytes(content)
    for path in BY_HAND.glob("*.xlsx"):
        shutil.copy(path, folder / f"hand_{path.name}")
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS, encoding="utf-8")
    files = sorted(str(path) for path in folder.glob("*.xlsx"))
    command = [program, "--headless", f"-env:UserInstallation={profile.as_uri()}", "--convert-to", EVERY_SHEET]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    done = subprocess.run(
        [*command, "--outdir", str(folder / "out"), *files],
        capture_output=True,
        text=True,
        timeout=180,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return {Path(file).stem: sheets_of(Path(file), folder / "out") for file in files}


def sheets_of(workbook: Path, folder: Path) -> Sheets:
    """The sheets of one workbook by name."""
    with zipfile.ZipFile(workbook) as archive:
        names = re.findall(r'<sheet [^>]*?name="([^"]*)"', archive.read("xl/workbook.xml").decode())
    return {name: rows_of(folder / f"{workbook.stem}-{name}.csv") for name in names}


def rows_of(path: Path) -> list[list[str]]:
    """The cells of one sheet."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def number(text: str) -> float:
    """A cell as LibreOffice writes it."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def is_close(one: float, other: float) -> bool:
    """Equal to 1e-9 of the value or one cent, the larger."""
    return abs(one - other) <= max(0.01, 1e-9 * abs(other))


def row_of(rows: list[list[str]], label: str, after: int = 0) -> list[str]:
    """The first row from some row on that begins with a label."""
    return next(row for row in rows[after:] if row and row[0] == label)


def in_order(name: str) -> Iterator[tuple[str, Costed]]:
    """The sheets of options with a cost, in the order of their workbook."""
    for place, one in enumerate(COSTED[name], start=1):
        if one.flows is not None:
            yield f"{place} {option_label(one, ENGLISH)}"[:31], one


def test_the_recalculation_is_real(recalculated: dict[str, Sheets]) -> None:
    """A stored value that is wrong does not survive: what the other tests read has been calculated."""
    assert recalculated["sentinel"]["one"] == [["2"]]


def test_no_cell_is_an_error(recalculated: dict[str, Sheets]) -> None:
    """No workbook holds an error value, and each check of each option says OK."""
    for name, sheets in recalculated.items():
        cells = [cell for rows in sheets.values() for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("#", "Err:"))], name
        assert "CHECK" not in cells, name
        if name in SCENARIOS and SCENARIOS[name].language == "en":
            assert cells.count("OK") == 4 * len(list(in_order(name))), name


def test_every_total_of_every_preset_is_the_librarys(recalculated: dict[str, Sheets]) -> None:
    """NPV, nominal and each component of each option, and what the summary shows, to 1e-9 or one cent."""
    for preset_id in FACTS.presets:
        check_totals(preset_id, recalculated[preset_id])


def check_totals(preset_id: str, sheets: Sheets) -> None:
    """The totals of one preset's workbook."""
    summary = sheets["Summary"]
    table = next(place for place, row in enumerate(summary) if row[0] == "Option")
    for title, one in in_order(preset_id):
        assert one.summed is not None
        assert one.unit is not None
        rows = sheets[title]
        months = next(place for place, row in enumerate(rows) if row[0] == "Month")
        heads = rows[months]
        for label, expected in (
            ("Sum, dollars as paid", one.summed.nominal_by_component),
            ("Sum, valued at month 0", one.summed.npv_by_component),
        ):
            sums = row_of(rows, label, months)
            for component in COMPONENTS:
                found = number(sums[heads.index(component_name(component, ENGLISH))])
                assert is_close(found, float(expected[component])), (preset_id, title, label, component)
            assert is_close(number(sums[heads.index("Total")]), sum(map(float, expected.values())))
        line = row_of(summary, option_label(one, ENGLISH), table)
        shown = dict(zip(summary[table], line, strict=True))
        assert is_close(number(shown["NPV, USD"]), float(one.summed.npv_usd))
        assert is_close(number(shown["Nominal, USD"]), float(one.summed.nominal_usd))
        assert number(shown["Per GPU-hour paid for, USD"]) == pytest.approx(float(one.unit.gpu_hour_usd), rel=1e-9)
        if one.unit.gb_year_usd is not None:
            shown_cost = number(shown["Per GB-year of memory, USD"])
            assert shown_cost == pytest.approx(float(one.unit.gb_year_usd), rel=1e-9)
        if one.unit.million_output_tokens_usd is not None:
            ends = [number(shown[f"Per million output tokens, {end}, USD"]) for end in ("low", "high")]
            assert ends == pytest.approx([float(end) for end in one.unit.million_output_tokens_usd], rel=1e-9)


def test_every_formula_gives_the_value_beside_it(written: dict[str, bytes], recalculated: dict[str, Sheets]) -> None:
    """Months, steps, unit costs, years, tornado ends, charts' tables: the library's stored value, to 1e-9 or one cent."""
    for name in ("hard", "hard-long", "llama-405b"):
        check_formulas(written[name], recalculated[name])


def check_formulas(workbook: bytes, sheets: Sheets) -> None:
    """Every formula of one workbook."""
    formulas = openpyxl.load_workbook(BytesIO(workbook), read_only=True)
    stored = openpyxl.load_workbook(BytesIO(workbook), read_only=True, data_only=True)
    checked = 0
    for sheet in formulas:
        cells = sheets[sheet.title]
        for row, values in zip(sheet.iter_rows(), stored[sheet.title].iter_rows(values_only=True), strict=True):
            for cell, value in zip(row, values, strict=False):
                if not (isinstance(cell.value, str) and cell.value.startswith("=")):
                    continue
                found = cells[cell.row - 1][cell.column - 1]
                checked += 1
                if isinstance(value, str):
                    assert found == value, (sheet.title, cell.coordinate)
                else:
                    assert is_close(number(found), float(value)), (
                        sheet.title,
                        cell.coordinate,
                        cell.value,
                        found,
                        value,
                    )
    assert checked > 3000


def test_an_edit_is_followed_as_the_library_would(recalculated: dict[str, Sheets]) -> None:
    """Changed fleets, times, prices, rates and a shorter horizon in the cells give the library's totals for them."""
    shared = {name: value for name, value in EDITS.items() if not name.startswith("option")}
    place = {title: int(title.split()[0]) for title, _one in in_order("hard")}
    for title, one in in_order("hard"):
        prefix = f"option{place[title]}_"
        own = {name.removeprefix(prefix): value for name, value in EDITS.items() if name.startswith(prefix)}
        assert one.option is not None
        option = dataclasses.replace(one.option, **own)
        expected = totals(option, dataclasses.replace(one.finance.finance, **shared))
        rows = recalculated["edited"][title]
        assert is_close(number(row_of(rows, "Net present value")[1]), float(expected.npv_usd)), title
        assert is_close(number(row_of(rows, "Nominal: dollars paid")[1]), float(expected.nominal_usd)), title
        assert not is_close(number(row_of(rows, "Changed since by your edits")[1]), 0.0), title


PURCHASE = Option(
    accelerator_id="h100-sxm", acquisition="buy", gpus=20, server_price_usd=325_000.0, network_usd_per_gpu=3500.0,
    installation_usd_per_gpu=736.0, fit_out_usd_per_kw=400.0, load_kw_per_server=7.75, idle_kw_per_server=1.9,
    hardware_support_fraction=0.05, spares_fraction=0.05, residual_by_year=(0.625, 0.425, 0.3),
    staff_fte_per_server=0.25, migration_usd=10_000.0, licence_usd_per_gpu_year=100.0, order_month=1,
    delivery_months=4, acceptance_months=1, deposit_fraction=0.3, bridge="rent", bridge_gpus=12,
    bridge_usd_per_gpu_hour=3.49, storage_tb=50.0, storage_usd_per_tb_month=23.0, egress_tb_per_month=5.0,
    egress_usd_per_tb=90.0,
)  # fmt: skip
RENTAL = Option(
    accelerator_id="h100-sxm", acquisition="rent", gpus=12, rent_usd_per_gpu_hour=2.5, rent_change_per_year=-0.1,
    rent_support_fraction=0.03, order_month=3, minimum_months=40, bridge="old-fleet", bridge_usd_per_month=20_000.0,
    licence_usd_per_gpu_year=120.0, migration_usd=37_500.0, storage_tb=30.0, storage_usd_per_tb_month=23.0,
)  # fmt: skip
COMMITMENT = Option(
    accelerator_id="h100-sxm", acquisition="commit-1y", gpus=16, rent_usd_per_gpu_hour=1.8, rent_change_per_year=0.04,
    prepaid_fraction=0.4, rent_support_fraction=0.05, licence_usd_per_gpu_year=4500.0, egress_tb_per_month=8.0,
    egress_usd_per_tb=90.0,
)  # fmt: skip
OWNING = Finance(
    horizon_months=36, discount_rate=0.1, utilisation=0.4, electricity_usd_per_kwh=0.0929,
    electricity_change_per_year=0.05, power_usage_effectiveness=1.5, colocation_usd_per_kw_month=195.94,
    colocation_change_per_year=0.03, staff_usd_per_fte_year=325_000.0,
)  # fmt: skip


HAND_MADE = (
    ("purchase", PURCHASE, OWNING),
    ("rental", RENTAL, Finance(horizon_months=36, discount_rate=0.08)),
    ("commitment", COMMITMENT, Finance(horizon_months=30, discount_rate=0.12)),
)


def test_workbooks_made_by_hand_give_the_same_totals(recalculated: dict[str, Sheets]) -> None:
    """Each component and the total, as paid and at month 0, to 1e-9 or one cent; see tests/data/workbooks."""
    for name, option, finance in HAND_MADE:
        check_by_hand(name, option, finance, recalculated[f"hand_{name}"]["totals"])


def check_by_hand(name: str, option: Option, finance: Finance, rows: list[list[str]]) -> None:
    """The totals of one workbook made by hand, which holds formulas and no results."""
    summed = totals(option, finance)
    expected = {part: (summed.nominal_by_component[part], summed.npv_by_component[part]) for part in COMPONENTS}
    expected["total"] = summed.nominal_usd, summed.npv_usd
    assert [row[0] for row in rows[1:]] == list(expected)
    for label, paid, valued in rows[1:]:
        assert is_close(number(paid), float(expected[label][0])), label
        assert is_close(number(valued), float(expected[label][1])), label
    with zipfile.ZipFile(BY_HAND / f"{name}.xlsx") as archive:
        sheets = [archive.read(one) for one in archive.namelist() if one.startswith("xl/worksheets/sheet")]
    assert all(b"<f>" in sheet for sheet in sheets[1:])
    assert not any(re.search(rb"</f><v>[^<]", sheet) for sheet in sheets)
