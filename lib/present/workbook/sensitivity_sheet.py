"""What each driver does to each option, as formulas where one driver can be moved alone, and the simulation's results."""

from collections.abc import Mapping, Sequence

from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from lib.choice.costed import Costed
from lib.choice.uncertainty import tornado_between, uncertainty_of
from lib.cost.monte_carlo import PERCENTILES
from lib.cost.sourced_drivers import SourcedBar
from lib.present.cost import option_label
from lib.present.text import Words
from lib.present.workbook.book import SHARE, USD, Book
from lib.present.workbook.fields import field_words
from lib.present.workbook.inputs import Names
from lib.present.workbook.one_driver import moved_npv

_LESS_THAN_A_CENT = 0.005


class SensitivitySheet:
    """Writes the tornado of every option, that of the two cheapest, and the percentiles."""

    def __init__(self, book: Book, sheet: Worksheet, names: Mapping[int, Names], _: Words) -> None:
        self._book, self._sheet, self._names, self._words = book, sheet, names, _
        self._row = 0

    def write(self, options: Sequence[Costed], ranked: Sequence[Costed]) -> None:
        """The whole sheet.

        Parameters
        ----------
        options : sequence of Costed
            All candidates; those without a cost are passed over.
        ranked : sequence of Costed
            Those that are compared, cheapest first.
        """
        book, sheet, _ = self._book, self._sheet, self._words
        book.text(sheet, 0, 0, _("Sensitivity"), "title")
        book.text(
            sheet,
            1,
            0,
            _("Net present value with one driver at the low and at the high end of its range, all others as they are."),
        )
        book.text(
            sheet,
            2,
            0,
            _("Rows marked as live follow your edits, also of the two ends; the others and the simulation are values of the "
              "library when this workbook was made."),
        )  # fmt: skip
        self._row = 4
        for place, one in enumerate(options, start=1):
            if one.option is not None and one.flows is not None:
                self._tornado(place, one)
        if len(ranked) > 1:
            self._difference(ranked[0], ranked[1])
        self._simulation(options)
        for column, width in enumerate((46, 32, 16, 16, 16, 18, 18, 18, 16, 44)):
            sheet.set_column(column, column, width)
        sheet.freeze_panes(4, 1)

    def _heads(self, title: str, low: str, high: str) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        book.section(sheet, self._row, title, 10)
        self._row += 1
        heads = [
            _("Driver"),
            _("Unit"),
            _("Low"),
            _("In use"),
            _("High"),
            low,
            high,
            _("Swing, USD"),
            _("Kind"),
            _("Rows"),
        ]
        book.heads(sheet, self._row, heads, range(2, 8))

    def _tornado(self, place: int, one: Costed) -> None:
        _ = self._words
        label = _("Option {n}: {option}", n=place, option=option_label(one, _))
        self._heads(label, _("NPV at low, USD"), _("NPV at high, USD"))
        for row in tornado_between(one, None).bars:
            if row.bar.swing_usd > _LESS_THAN_A_CENT:
                self._bar(place, one, row)
        self._row += 3

    def _bar(self, place: int, one: Costed, row: SourcedBar) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        bar, names, option = row.bar, self._names[place], one.option
        field, finance = bar.driver.field, one.finance.finance
        self._row += 1
        line = self._row
        ends = (xl_rowcol_to_cell(line, 2), xl_rowcol_to_cell(line, 4))
        moved = [None if option is None else moved_npv(field, option, end) for end in ends]
        is_live = all(moved)
        words = field_words(field, _)
        style = "input" if is_live else "fixed"
        book.text(sheet, line, 0, words.label)
        book.text(sheet, line, 1, words.unit, "unit")
        book.number(sheet, line, 2, bar.driver.low, words.number_format, style)
        book.number(sheet, line, 4, bar.driver.high, words.number_format, style)
        owner = finance if bar.driver.target == "finance" else option
        now = getattr(owner, field) or 0.0
        book.formula(sheet, line, 3, f"N({names.resolved(field)})", now, words.number_format)
        for column, formula, value in zip((5, 6), moved, (bar.at_low_usd, bar.at_high_usd), strict=True):
            if is_live and formula:
                book.formula(sheet, line, column, names.resolved(formula), value)
            else:
                book.number(sheet, line, column, value, USD)
        low, high = (xl_rowcol_to_cell(line, column) for column in (5, 6))
        book.formula(sheet, line, 7, f"ABS({high}-{low})", bar.swing_usd)
        book.text(sheet, line, 8, _("live") if is_live else _("as made"), "unit")
        book.text(sheet, line, 9, ", ".join(row.ids), "faint")

    def _difference(self, first: Costed, second: Costed) -> None:
        """The tornado of the two cheapest: which driver would turn their order."""
        book, sheet, _ = self._book, self._sheet, self._words
        labels = option_label(first, _), option_label(second, _)
        title = _("{first} less {second}, as made: a change of sign turns the order", first=labels[0], second=labels[1])
        self._heads(title, _("Difference at low, USD"), _("Difference at high, USD"))
        for row in tornado_between(first, second).bars:
            bar = row.bar
            if bar.swing_usd <= _LESS_THAN_A_CENT:
                continue
            self._row += 1
            line, words = self._row, field_words(bar.driver.field, _)
            whose = {"first": labels[0], "second": labels[1]}.get(bar.driver.target, "")
            book.text(sheet, line, 0, f"{words.label} ({whose})" if whose else words.label)
            book.text(sheet, line, 1, words.unit, "unit")
            for column, value in ((2, bar.driver.low), (4, bar.driver.high)):
                book.number(sheet, line, column, value, words.number_format)
            for column, value in ((5, bar.at_low_usd), (6, bar.at_high_usd), (7, bar.swing_usd)):
                book.number(sheet, line, column, value, USD)
            book.text(sheet, line, 8, _("turns") if bar.changes_sign else "", "unit")
            book.text(sheet, line, 9, ", ".join(row.ids), "faint")
        self._row += 3

    def _simulation(self, options: Sequence[Costed]) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        found = uncertainty_of(tuple(options))
        if found.simulation is None:
            return
        drawn = found.simulation
        title = _(
            "Simulation: {n} draws of every amount that has a range, net present value, as made", n=f"{drawn.draws:,}"
        )
        book.section(sheet, self._row, title, 10)
        self._row += 1
        heads = [
            _("Option"),
            _("Chance of being cheapest"),
            *(_("P{n}, USD", n=f"{p:g}") for p in PERCENTILES),
            _("Mean, USD"),
        ]
        book.heads(sheet, self._row, heads, range(1, len(heads)))
        for place, one in enumerate(found.candidates):
            self._row += 1
            spread = drawn.options[place]
            book.text(sheet, self._row, 0, option_label(one, _))
            book.number(sheet, self._row, 1, float(drawn.cheapest[place]), SHARE)
            for column, percentile in enumerate(PERCENTILES, start=2):
                book.number(sheet, self._row, column, float(spread.percentiles_usd[percentile]), USD)
            book.number(sheet, self._row, 2 + len(PERCENTILES), float(spread.mean_usd), USD)
