"""The first sheet: the question, where the figures come from, every option in one table, components, and two charts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from lib.catalog import Catalog
from lib.choice.cost_view import order_of
from lib.choice.costed import Costed
from lib.choice.scenario import Scenario
from lib.cost.cash_flow import COMPONENTS
from lib.present import currency, doubts
from lib.present.cost import GROUP_OF, GROUPS, component_name, group_name, grouped_npv, option_label
from lib.present.figures.style import looks
from lib.present.text import LANGUAGES, Words
from lib.present.workbook.book import INK, SHARE, USD, Book, quoted
from lib.present.workbook.inputs import Names
from lib.present.workbook.option_sheet import DISCOUNTED, Placed

_DASHES: Final[Mapping[str, str]] = {
    "buy": "solid", "rent": "round_dot", "commit-1y": "dash", "commit-3y": "long_dash",
}  # fmt: skip
_GROUP_COLOURS: Final = ("#374151", "#7B8494", "#B8BFCA", "#2F6FB5", "#E0A030")
_UNIT: Final = "#,##0.0000"
_TALL_HEADS: Final = 42
"""Height of heads of three lines [pt]."""

_CHART_ROWS: Final = 20
_CHART_WIDTH: Final = 660
_SECOND_CHART: Final = 4
"""Column where the second chart begins."""


class SummarySheet:
    """Writes the summary; its figures are formulas to the sheets of the options."""

    def __init__(
        self,
        book: Book,
        sheet: Worksheet,
        title: str,
        options: Sequence[Costed],
        names: Mapping[int, Names],
        placed: Mapping[int, Placed],
        _: Words,
    ) -> None:
        self._book, self._sheet, self._title, self._words = book, sheet, title, _
        self._options, self._names, self._placed = options, names, placed
        self._order = [options[place] for place in order_of(options)]
        compared = {place + 1 for place in order_of(options)}
        self._compared = [place for place in names if place in compared]
        self._others = [place for place in names if place not in self._compared]
        self._row = 0

    def write(self, catalog: Catalog, scenario: Scenario, link: str) -> None:
        """The whole sheet.

        Parameters
        ----------
        catalog : Catalog
            The edition.
        scenario : Scenario
            The question.
        link : str
            Where the same scenario opens.
        """
        sheet = self._sheet
        self._about(catalog, scenario, link)
        lowest = self._row
        self._row += 6
        first = self._table(self._compared)
        if self._compared:
            self._lowest(lowest, first)
        if self._others and self._compared:
            self._row += 1
            note = self._words("At the prices of an article, not compared with the options above:")
            self._book.text(sheet, self._row, 0, note)
            self._row += 1
            self._table(self._others)
        self._without_cost()
        places = [*self._compared, *self._others]
        if places:
            charts = self._row
            self._row += _CHART_ROWS + 2
            self._components(places)
            self._charts(charts, places, self._groups(places), catalog)
        for column, width in enumerate((40, *[17] * 13)):
            sheet.set_column(column, column, width)

    def _about(self, catalog: Catalog, scenario: Scenario, link: str) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        preset = catalog.presets.get(scenario.preset)
        book.text(sheet, 0, 0, _("What does it cost over its life?"), "title")
        asked = scenario.title or (_.pick(preset["question_en"], preset["question_zh"]) if preset else "")
        book.text(sheet, 1, 0, asked, "strong")
        workload = scenario.workload
        work = _(
            "{model}: {input} input and {output} output tokens, {n} sequences at once",
            model=workload.model,
            input=f"{workload.input_tokens:,}",
            output=f"{workload.output_tokens:,}",
            n=f"{workload.concurrency:,}",
        )
        if workload.training_gpus is not None:
            work = _("{model}: training", model=workload.model)
        self._row = 3
        for label, text in (
            (_("Workload"), work),
            (_("Data edition"), catalog.edition.label),
            (_("Date of the edition: month 0"), catalog.edition.date),
            (_("Language"), LANGUAGES[scenario.language]),
        ):
            book.text(sheet, self._row, 0, label)
            book.text(sheet, self._row, 1, text)
            self._row += 1
        book.text(sheet, self._row, 0, _("The same scenario, live"))
        book.link(sheet, self._row, 1, link)
        self._row += 1
        finance = self._options[0].finance
        for label, name, value, style in (
            (_("Horizon, months"), "horizon_months", finance.finance.horizon_months, "0"),
            (_("Discount rate, effective annual"), "discount_rate", finance.finance.discount_rate, SHARE),
        ):
            book.text(sheet, self._row, 0, label)
            book.formula(sheet, self._row, 1, name, float(value), style)
            self._row += 1
        note = currency.rate_note(finance, catalog, _)
        if note:
            book.text(sheet, self._row, 0, note)
            self._row += 1
        for text in (
            _(
                "Payments: a purchase is paid with its deposit in the month of the order and the rest at delivery, both month 0 unless "
                "stated; running costs and rents at the end of each month of service, a prepayment at the start of its term; the resale "
                "comes at the end of the last month."
            ),
            _(
                "Signs: costs are positive, the resale is negative. NPV is the present value at month 0 of all costs less the resale, at an "
                "effective annual rate; no income is counted, so the lowest NPV costs least."
            ),
        ):
            book.text(sheet, self._row, 0, text)
            self._row += 1
        book.text(
            sheet,
            self._row,
            0,
            _(
                "Every figure is a formula: from here to the sheet of the option, to its months and steps, to the inputs, to their sources."
            ),
            "faint",
        )
        self._row += 2

    def _lowest(self, row: int, first: int) -> None:
        """Which option is lowest, and which comes next: as formulas over the table below."""
        book, sheet, _ = self._book, self._sheet, self._words
        order = self._order
        last = first + len(self._compared) - 1
        values = f"{xl_rowcol_to_cell(first, 2, True, True)}:{xl_rowcol_to_cell(last, 2, True, True)}"
        labels = f"{xl_rowcol_to_cell(first, 0, True, True)}:{xl_rowcol_to_cell(last, 0, True, True)}"
        lines = [(_("Lowest net present value"), 1)] + ([(_("Next lowest"), 2)] if len(order) > 1 else [])
        for rank, (label, place) in enumerate(lines):
            line = row + rank
            book.text(sheet, line, 0, label, "strong")
            found = f"INDEX({labels},MATCH(SMALL({values},{place}),{values},0))"
            book.formula(sheet, line, 1, found, option_label(order[rank], _), "", "strong")
            book.formula(sheet, line, 3, f"SMALL({values},{place})", order[rank].npv_usd or 0.0, USD, "strong")
            book.text(sheet, line, 4, "USD", "faint")
        if len(order) > 1 and order[0].npv_usd:
            line = row + 2
            book.text(sheet, line, 0, _("The next costs more by"))
            more = (order[1].npv_usd or 0.0) / order[0].npv_usd - 1
            above, below = xl_rowcol_to_cell(row, 3), xl_rowcol_to_cell(row + 1, 3)
            book.formula(sheet, line, 3, f"{below}/{above}-1", more, SHARE)
        text = _(
            "Cost only: the options do different work. Their price ranges are in the two columns beside the net present value."
        )
        book.text(sheet, row + 3, 0, text, "faint")

    def _table(self, places: Sequence[int]) -> int:
        """One row an option; gives the row of the first."""
        book, sheet, _ = self._book, self._sheet, self._words
        shown = self._options[0].finance.finance.currency
        every: list[tuple[str, str, str]] = [
            (_("GPUs paid for"), "held_gpus", "0"),
            (_("NPV, USD"), "npv_usd", USD),
            (_("NPV at the low price, USD"), "npv_at_price_low", USD),
            (_("NPV at the high price, USD"), "npv_at_price_high", USD),
            (_("Nominal, USD"), "nominal_usd", USD),
            (_("Per GPU-hour paid for, USD"), "gpu_hour_usd", _UNIT),
            (_("Per GPU-hour in which a needed GPU works, USD"), "delivered_gpu_hour_usd", _UNIT),
            (_("Per GB-year of memory, USD"), "gb_year_usd", _UNIT),
            (_("Per million output tokens, low, USD"), "million_output_tokens_usd_low", _UNIT),
            (_("Per million output tokens, high, USD"), "million_output_tokens_usd_high", _UNIT),
        ]
        if shown != "USD":
            every.append((_("NPV, {currency}", currency=shown), "npv_shown", USD))
        known = {place: _values(self._options[place - 1]) for place in places}
        columns = [one for one in every if any(values.get(one[1]) is not None for values in known.values())]
        heads = [_("Option"), *(head for head, _name, _style in columns), _("More than the lowest")]
        book.heads(sheet, self._row, heads, range(1, len(heads)))
        sheet.set_row(self._row, _TALL_HEADS)
        first = self._row + 1
        npvs = [self._options[place - 1].npv_usd or 0.0 for place in places]
        for place, npv in zip(places, npvs, strict=True):
            self._row += 1
            label, target = (
                option_label(self._options[place - 1], _),
                f"internal:{quoted(self._placed[place].sheet)}!A1",
            )
            book.link(sheet, self._row, 0, target, label)
            for column, (_head, name, style) in enumerate(columns, start=1):
                value = known[place].get(name)
                if value is not None:
                    look = "strong" if name == "npv_usd" else "number"
                    book.formula(sheet, self._row, column, self._names[place].full(name), value, style, look)
            last = first + len(places) - 1
            whole = f"{xl_rowcol_to_cell(first, 2, True, True)}:{xl_rowcol_to_cell(last, 2, True, True)}"
            own, least = xl_rowcol_to_cell(self._row, 2), min(npvs)
            more = npv / least - 1 if least else 0.0
            formula = f"IF(MIN({whole})=0,0,{own}/MIN({whole})-1)"
            book.formula(sheet, self._row, len(columns) + 1, formula, more, '0.0%;-0.0%;"–"')
        self._row += 1
        if any(name == "gpu_hour_usd" for _head, name, _style in columns):
            note = _(
                "Costs per unit: NPV divided by the units, discounted like the dollars. Paid for: all hours of the GPUs paid for, idle "
                "ones too; of a rental by the hour used, the billed hours. Works: the hours in which the GPUs needed are used."
            )
            book.text(sheet, self._row, 0, note, "faint")
        self._row += 2
        return first

    def _without_cost(self) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        for one in self._options:
            if one.problem is not None:
                text = doubts.sentence(one.problem, _).replace("\\", "")
                book.text(sheet, self._row, 0, option_label(one, _))
                book.text(sheet, self._row, 1, text)
                self._row += 1
        self._row += 1

    def _components(self, places: Sequence[int]) -> None:
        """Net present value by component, which the sheet of each option adds up by months."""
        book, sheet, _ = self._book, self._sheet, self._words
        self._heads(_("Net present value by component, USD"), places)
        first = self._row + 1
        for component in COMPONENTS:
            self._row += 1
            book.text(sheet, self._row, 0, component_name(component, _))
            for column, place in enumerate(places, start=1):
                value = self._summed(place)[component]
                book.formula(sheet, self._row, column, self._names[place].full(f"npv_{component}"), value)
        self._row += 1
        book.text(sheet, self._row, 0, _("Sum"), "sum")
        for column, place in enumerate(places, start=1):
            cells = f"{xl_rowcol_to_cell(first, column)}:{xl_rowcol_to_cell(self._row - 1, column)}"
            npv = self._options[place - 1].npv_usd or 0.0
            book.formula(sheet, self._row, column, f"SUM({cells})", npv, USD, "sum")
        self._first_component = first
        self._row += 3

    def _heads(self, title: str, places: Sequence[int]) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        book.section(sheet, self._row, title, len(places) + 1)
        self._row += 1
        heads = ["", *(option_label(self._options[place - 1], _) for place in places)]
        book.heads(sheet, self._row, heads, range(1, len(heads)))

    def _summed(self, place: int) -> dict[str, float]:
        flows = self._options[place - 1].flows
        assert flows is not None  # noqa: S101 (only options with a cost have names)
        return {name: float(amount) for name, amount in flows.by_component(discounted=True).items()}

    def _groups(self, places: Sequence[int]) -> int:
        """The five groups that the chart stacks; gives the row of the heads."""
        book, sheet, _ = self._book, self._sheet, self._words
        self._heads(_("In groups, as the chart has them, USD"), places)
        heads = self._row
        for group in GROUPS:
            self._row += 1
            book.text(sheet, self._row, 0, group_name(group, _))
            members = [place for place, name in enumerate(COMPONENTS) if GROUP_OF[name] == group]
            for column, place in enumerate(places, start=1):
                cells = "+".join(xl_rowcol_to_cell(self._first_component + member, column) for member in members)
                book.formula(sheet, self._row, column, cells, grouped_npv(self._options[place - 1])[group])
        self._row += 3
        return heads

    def _charts(self, row: int, places: Sequence[int], heads: int, catalog: Catalog) -> None:
        """What is spent by each month, and what the whole is made of."""
        workbook, _ = self._book.workbook, self._words
        look = looks(catalog.accelerators, dark=False)
        lines: Any = workbook.add_chart({"type": "scatter", "subtype": "straight"})
        for place in places:
            one, where = self._options[place - 1], self._placed[place]
            lines.add_series(
                {
                    "name": option_label(one, _),
                    "categories": [where.sheet, where.first, 0, where.last, 0],
                    "values": [where.sheet, where.first, DISCOUNTED, where.last, DISCOUNTED],
                    "line": {
                        "color": look[one.accelerator.accelerator_id].colour,
                        "width": 2.25,
                        "dash_type": _DASHES[one.candidate.acquisition],
                    },
                }
            )
        months = self._options[0].finance.finance.horizon_months
        self._finish(lines, _("Spent by each month, valued at month 0, USD"))
        lines.set_x_axis({"name": _("Month"), "min": 0, "max": months, "major_unit": 12 if months > 12 else 3})
        stack: Any = workbook.add_chart({"type": "column", "subtype": "stacked"})
        used = [grouped_npv(self._options[place - 1]) for place in places]
        for offset, (group, colour) in enumerate(zip(GROUPS, _GROUP_COLOURS, strict=True), start=1):
            if not any(amounts[group] for amounts in used):
                continue
            stack.add_series(
                {
                    "name": [self._title, heads + offset, 0],
                    "categories": [self._title, heads, 1, heads, len(places)],
                    "values": [self._title, heads + offset, 1, heads + offset, len(places)],
                    "fill": {"color": colour},
                    "gap": 60,
                }
            )
        self._finish(stack, _("Net present value by component, USD"))
        stack.set_x_axis({"label_position": "low"})
        self._sheet.insert_chart(row, 0, lines)
        self._sheet.insert_chart(row, _SECOND_CHART, stack)

    def _finish(self, chart: Any, title: str) -> None:
        font = {"name": "Arial", "size": 10, "color": INK}
        chart.set_title({"name": title, "name_font": {**font, "size": 12}, "overlay": False})
        chart.set_legend({"position": "bottom", "font": font})
        chart.set_y_axis({"num_format": "#,##0", "major_gridlines": {"visible": True, "line": {"color": "#D9DEE5"}}})
        chart.set_size({"width": _CHART_WIDTH, "height": _CHART_ROWS * 20})


def _values(one: Costed) -> dict[str, float | None]:
    """What the library has for the columns of the table."""
    unit, option, flows = one.unit, one.option, one.flows
    assert option is not None and flows is not None  # noqa: S101, PT018 (only options with a cost have names)
    found: dict[str, Any] = {
        "held_gpus": option.held_gpus,
        "npv_usd": one.npv_usd,
        "npv_at_price_low": one.npv_low_usd,
        "npv_at_price_high": one.npv_high_usd,
        "nominal_usd": flows.nominal_usd,
        "npv_shown": flows.finance.in_currency(one.npv_usd or 0.0),
    }
    if unit is not None:
        tokens = unit.million_output_tokens_usd or (None, None)
        found |= {
            "gpu_hour_usd": unit.gpu_hour_usd,
            "delivered_gpu_hour_usd": unit.delivered_gpu_hour_usd,
            "gb_year_usd": unit.gb_year_usd,
            "million_output_tokens_usd_low": tokens[0],
            "million_output_tokens_usd_high": tokens[1],
        }
    return {name: None if value is None else float(value) for name, value in found.items()}
