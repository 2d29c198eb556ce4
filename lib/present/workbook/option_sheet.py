"""One sheet an option: results, checks, steps, years, doubts, and every month by component."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from lib.choice.costed import Costed
from lib.cost.caps import paid_by_year
from lib.cost.cash_flow import COMPONENTS, Flows
from lib.cost.options import Option
from lib.present import doubts
from lib.present.cost import component_name, fleet_text, option_label
from lib.present.text import Words
from lib.present.workbook.book import PLAIN, USD, Book
from lib.present.workbook.formulas import FIRST_COMPONENT, Step, component_formulas, results, steps
from lib.present.workbook.inputs import Names
from lib.units import MONTHS_PER_YEAR

_FIRST: Final = ord(FIRST_COMPONENT) - ord("A")
TOTAL: Final = _FIRST + len(COMPONENTS)
CUMULATIVE: Final = TOTAL + 1
DISCOUNTED: Final = TOTAL + 2
_FACTOR: Final = _FIRST - 1
_RESALE: Final = _FIRST + COMPONENTS.index("resale")
_WHOLE: Final = "0"


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the months of an option stand on its sheet: rows from 0."""

    sheet: str
    first: int
    last: int


class OptionSheet:
    """Writes one option; every calculated cell holds the library's value beside its formula."""

    def __init__(self, book: Book, sheet: Worksheet, title: str, one: Costed, names: Names, _: Words) -> None:
        self._book, self._sheet, self._title, self._one, self._names, self._words = book, sheet, title, one, names, _

    def write(self, option: Option, flows: Flows) -> Placed:
        """The whole sheet.

        Parameters
        ----------
        option : Option
            What is bought or rented.
        flows : Flows
            Its flows.

        Returns
        -------
        Placed
            For charts.
        """
        one, _ = self._one, self._words
        between = steps(one, option, flows, _)
        notes = _doubts(one, flows, _)
        years = paid_by_year(flows)
        sums = results(one, option, flows, "", "", _)
        lengths = len(sums) + 2, len(between), years.size + 1, max(len(notes), 1), 5
        head = 3 + sum(length + 2 for length in lengths)
        placed = Placed(self._title, head + 3, head + 3 + flows.finance.horizon_months)
        self._name_ranges(placed, head)
        self._names_of(between, sums)
        sums = results(one, option, flows, self._cell(head + 2, TOTAL), self._cell(head + 1, TOTAL), _)
        self._title_lines(option)
        row = self._results(3, sums)
        row = self._checks(row, placed, head, option)
        row = self._steps(row, between)
        row = self._years(row, years, flows, placed)
        self._notes(row, notes)
        self._months(head, placed, option, flows)
        return placed

    def _cell(self, row: int, column: int) -> str:
        return str(xl_rowcol_to_cell(row, column, row_abs=True, col_abs=True))

    def _range(self, placed: Placed, column: int) -> str:
        return f"{self._cell(placed.first, column)}:{self._cell(placed.last, column)}"

    def _name_ranges(self, placed: Placed, head: int) -> None:
        """Columns of months, and the sum of each component at month 0."""
        columns = {"months": 0, "serves": 2, "order_share": 3, "price_steps": 4, "factors": _FACTOR, "total": TOTAL}
        for name, column in columns.items():
            self._book.name_cell(self._names.add(name), self._title, placed.first, column, placed.last)
        for place, component in enumerate(COMPONENTS):
            self._book.name_cell(self._names.add(f"npv_{component}"), self._title, head + 2, _FIRST + place)

    def _names_of(self, *groups: Sequence[Step]) -> None:
        for group in groups:
            for step in group:
                self._names.add(step.name)
        self._names.add("price_low")
        self._names.add("price_high")

    def _title_lines(self, option: Option) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        book.text(sheet, 0, 0, f"{option_label(self._one, _)} · {fleet_text(self._one, _)}", "title")
        book.text(
            sheet,
            1,
            0,
            _(
                "A cost is positive, the resale negative; all amounts are US dollars, tax is left out. Month 0 is the day of the decision."
            ),
            "faint",
        )
        sheet.set_column(0, 0, 52)
        sheet.set_column(1, CUMULATIVE + 1, 15)
        sheet.freeze_panes(0, 1)
        book.section(sheet, 3, _("Result"))

    def _step(self, row: int, step: Step, style: str = "number") -> None:
        book, sheet = self._book, self._sheet
        book.text(sheet, row, 0, step.label, "strong" if style == "sum" else "text")
        book.formula(sheet, row, 1, self._names.resolved(step.formula), step.value, step.number_format, style)
        book.text(sheet, row, 2, step.unit, "unit")
        book.text(sheet, row, 4, self._names.full(step.name), "faint")
        if "$" not in step.formula:
            book.text(sheet, row, 7, step.formula, "faint")
        book.name_cell(self._names.full(step.name), self._title, row, 1)

    def _results(self, row: int, sums: Sequence[Step]) -> int:
        book, sheet, _ = self._book, self._sheet, self._words
        for step in sums:
            row += 1
            self._step(row, step, "sum" if step.name == "npv_usd" else "number")
        row += 1
        book.text(sheet, row, 0, _("Net present value when this workbook was made"))
        book.number(sheet, row, 1, self._one.npv_usd, USD)
        book.text(sheet, row, 2, "USD", "unit")
        row += 1
        book.text(sheet, row, 0, _("Changed since by your edits"))
        book.formula(sheet, row, 1, f"{self._names.full('npv_usd')}-{self._cell(row - 1, 1)}", 0.0)
        book.text(sheet, row, 2, "USD", "unit")
        return row + 2

    def _checks(self, row: int, placed: Placed, head: int, option: Option) -> int:
        """Four sentences that say whether the sheet still holds together."""
        book, sheet, _ = self._book, self._sheet, self._words
        book.section(sheet, row, _("Checks"))
        fine, wrong = _("OK"), _("CHECK")
        last = _FIRST + len(COMPONENTS) - 1
        nominal = f"{self._cell(head + 1, _FIRST)}:{self._cell(head + 1, last)}"
        valued = f"{self._cell(head + 2, _FIRST)}:{self._cell(head + 2, last)}"
        total, end = self._range(placed, TOTAL), self._cell(placed.last, DISCOUNTED)
        curve = "TRUE"
        if option.residual_by_year:
            curve = "horizon_months-delivery_month<=12*ROWS(residual_by_year)"
        for text, truth in (
            (_("Sum of components equals total"), f"ABS(SUM({nominal})-SUM({total}))<0.01"),
            (_("Components at month 0 add up to the last cumulative value"), f"ABS(SUM({valued})-{end})<0.01"),
            (_("Service begins before the horizon ends"), "served_months>=1"),
            (_("A resale value is known for the age at the end"), curve),
        ):
            row += 1
            book.text(sheet, row, 0, text)
            book.formula(sheet, row, 1, self._names.resolved(f'IF({truth},"_fine_","_wrong_")').replace(
                "_fine_", fine).replace("_wrong_", wrong), fine, "", "strong")  # fmt: skip
        return row + 3

    def _steps(self, row: int, between: Sequence[Step]) -> int:
        self._book.section(self._sheet, row, self._words("Steps"))
        for step in between:
            row += 1
            self._step(row, step)
        return row + 2

    def _years(self, row: int, years: Any, flows: Flows, placed: Placed) -> int:
        """Dollars of each budget year; the first holds month 0."""
        book, sheet, _ = self._book, self._sheet, self._words
        book.section(sheet, row, _("By budget year, dollars as paid"))
        row += 1
        book.heads(sheet, row, [_("Year"), _("Paid"), _("Resale"), _("Together")], range(1, 4))
        resale = flows.components["resale"]
        sold = np.add.reduceat(resale, [0, *range(MONTHS_PER_YEAR + 1, resale.size, MONTHS_PER_YEAR)])
        numbers, total = self._range(placed, 1), self._range(placed, TOTAL)
        for year, (paid, sale) in enumerate(zip(years.tolist(), sold.tolist(), strict=True), start=1):
            row += 1
            book.number(sheet, row, 0, year, _WHOLE, "left")
            key = self._cell(row, 0)
            back = f"SUMIF({numbers},{key},{self._range(placed, _RESALE)})"
            book.formula(sheet, row, 1, f"SUMIF({numbers},{key},{total})-{back}", paid)
            book.formula(sheet, row, 2, back, sale)
            book.formula(sheet, row, 3, f"{self._cell(row, 1)}+{self._cell(row, 2)}", paid + sale)
        return row + 2

    def _notes(self, row: int, notes: Sequence[str]) -> None:
        self._book.section(self._sheet, row, self._words("Reservations"))
        for text in notes or (self._words("None is known."),):
            row += 1
            self._book.text(self._sheet, row, 0, text)

    def _months(self, head: int, placed: Placed, option: Option, flows: Flows) -> None:
        """The table of months with its two sums above it."""
        book, sheet, _ = self._book, self._sheet, self._words
        order = {"buy": _("Share of the order paid"), "rent": ""}.get(option.acquisition, _("Renewals so far"))
        book.heads(
            sheet,
            head,
            [_("Month"), _("Budget year"), _("In service"), order, _("Price steps"), _("Discount factor"),
             *(component_name(name, _) for name in COMPONENTS), _("Total"), _("Cumulative"), _("Cumulative, at month 0")],
            range(1, DISCOUNTED + 1),
        )  # fmt: skip
        book.text(sheet, head + 1, 0, _("Sum, dollars as paid"), "sum")
        book.text(sheet, head + 2, 0, _("Sum, valued at month 0"), "sum")
        for column in range(1, _FIRST):
            for row in (head + 1, head + 2):
                sheet.write_blank(row, column, None, book.style("sum"))
        factors = self._names.full("factors")
        nominal, valued = flows.by_component(), flows.by_component(discounted=True)
        for place, component in enumerate(COMPONENTS):
            column = _FIRST + place
            cells = self._range(placed, column)
            book.formula(sheet, head + 1, column, f"SUM({cells})", float(nominal[component]), USD, "sum")
            book.formula(
                sheet, head + 2, column, f"SUMPRODUCT({cells},{factors})", float(valued[component]), USD, "sum"
            )
        cells = self._range(placed, TOTAL)
        book.formula(sheet, head + 1, TOTAL, f"SUM({cells})", float(flows.nominal_usd), USD, "sum")
        book.formula(sheet, head + 2, TOTAL, f"SUMPRODUCT({cells},{factors})", float(flows.npv_usd), USD, "sum")
        values = {name: flows.components[name].tolist() for name in COMPONENTS}
        values |= {
            "total": flows.total.tolist(),
            "cumulative": flows.cumulative.tolist(),
            "discounted": flows.cumulative_discounted.tolist(),
            "factor": flows.discount_factors.tolist(),
        }
        for month in range(flows.finance.horizon_months + 1):
            self._month(placed.first + month, month, option, values)

    def _month(self, row: int, month: int, option: Option, values: dict[str, list[float]]) -> None:
        book, sheet, line = self._book, self._sheet, row + 1
        served = option.service_month < month
        book.number(sheet, row, 0, month, _WHOLE, "left")
        budget_year = -(-max(month, 1) // MONTHS_PER_YEAR)
        book.formula(sheet, row, 1, f"MAX(1,ROUNDUP($A{line}/12,0))", budget_year, _WHOLE)
        serves = f"IF(AND($A{line}>service_month,$A{line}<=horizon_months),1,0)"
        book.formula(sheet, row, 2, self._names.resolved(serves), float(served), _WHOLE)
        if option.buys:
            share = f"deposit_fraction*($A{line}=order_month)+(1-deposit_fraction)*($A{line}=delivery_month)"
            deposit = float(option.deposit_fraction)
            paid = deposit * (month == option.order_month) + (1 - deposit) * (month == option.delivery_month)
            book.formula(sheet, row, 3, self._names.resolved(share), paid, PLAIN)
        elif option.term_months is not None:
            renewals = f"IF($C{line}=1,INT(($A{line}-1-service_month)/term_months),0)"
            so_far = (month - 1 - option.service_month) // option.term_months if served else 0
            book.formula(sheet, row, 3, self._names.resolved(renewals), so_far, _WHOLE)
        book.formula(sheet, row, 4, f"INT(MAX($A{line}-1,0)/12)", max(month - 1, 0) // MONTHS_PER_YEAR, _WHOLE)
        factor = f"(1+discount_rate)^(-$A{line}/12)"
        book.formula(sheet, row, _FACTOR, factor, values["factor"][month], "0.000000")
        formulas = component_formulas(option, line)
        for place, component in enumerate(COMPONENTS):
            column, value = _FIRST + place, values[component][month]
            if component in formulas:
                book.formula(sheet, row, column, self._names.resolved(formulas[component]), value)
            else:
                book.number(sheet, row, column, 0.0, USD)
        ends = xl_col_to_name(_FIRST), xl_col_to_name(TOTAL - 1)
        book.formula(sheet, row, TOTAL, f"SUM({ends[0]}{line}:{ends[1]}{line})", values["total"][month])
        total, before = f"{xl_col_to_name(TOTAL)}{line}", f"{line - 1}" if month else ""
        running = f"{xl_col_to_name(CUMULATIVE)}{before}+" if month else ""
        book.formula(sheet, row, CUMULATIVE, f"{running}{total}", values["cumulative"][month])
        running = f"{xl_col_to_name(DISCOUNTED)}{before}+" if month else ""
        valued = f"{running}{total}*{xl_col_to_name(_FACTOR)}{line}"
        book.formula(sheet, row, DISCOUNTED, valued, values["discounted"][month])


def _doubts(one: Costed, flows: Flows, _: Words) -> tuple[str, ...]:
    """The reservations about an option, as plain text."""
    found = (*(one.defaults.doubts if one.defaults else ()), *one.finance.doubts, *flows.doubts)
    return tuple(dict.fromkeys(doubts.sentence(doubt, _).replace("\\", "") for doubt in found))
