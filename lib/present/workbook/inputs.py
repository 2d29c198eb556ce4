"""The sheet of inputs: every number that formulas use, with its range, source and date, in a named cell."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from xlsxwriter.worksheet import Worksheet

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.quotes import Quote
from lib.choice.scenario import Scenario
from lib.cost.defaults import FinanceDefaults
from lib.cost.inverse import price_field
from lib.cost.origins import Origin
from lib.present import names
from lib.present.cost import option_label
from lib.present.offer import quote_name
from lib.present.text import Words, plain
from lib.present.workbook.book import Book
from lib.present.workbook.fields import EVERY, MONEY, OWNED, RENTED, field_words, reason_words
from lib.present.workbook.provenance import FIRST_FACT, SPEC, Fact
from lib.units import GB, GIB, HOURS_PER_MONTH

_NOTHING: Final = Origin("off")
_IDENTIFIER: Final = re.compile(r'"[^"]*"|\b[a-z][a-z_0-9]*\b')
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "billing": ("all-hours", "used-hours"),
    "bridge": ("none", "rent", "old-fleet"),
}
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "billing": ("rent",),
    "minimum_months": ("rent",),
    "prepaid_fraction": ("commit-1y", "commit-3y"),
}
"""Fields of some ways of renting."""


@dataclass(frozen=True, slots=True)
class Input:
    """One value that formulas use, with where it comes from."""

    name: str
    """Of the cell, without an option's prefix."""
    field: str
    value: float | str | None
    origin: Origin
    year: int = 0
    is_fixed: bool = False
    reason: str = ""
    quote: Quote | None = None
    """The offer that the value is of."""


def money_inputs(scenario: Scenario, finance: FinanceDefaults) -> tuple[Input, ...]:
    """What all options share.

    Parameters
    ----------
    scenario : Scenario
        For a stated throughput.
    finance : FinanceDefaults
        Values and origins.

    Returns
    -------
    tuple of Input
        With the constants of the calculation at the end.
    """
    rows = [Input(name, name, getattr(finance.finance, name), finance.origins[name]) for name in MONEY]
    tokens = scenario.workload.stated_output_tokens_per_hour
    if tokens is not None:
        for end in ("low", "high"):
            name = f"output_tokens_per_hour_{end}"
            rows.append(Input(name, name, tokens, Origin("user", base=None), reason="stated"))
    rows.append(
        Input("hours_per_month", "hours_per_month", HOURS_PER_MONTH, _NOTHING, is_fixed=True, reason="definition")
    )
    rows.append(Input("gb_per_gib", "gb_per_gib", GIB / GB, _NOTHING, is_fixed=True, reason="unit"))
    return tuple(rows)


def option_inputs(one: Costed, catalog: Catalog, quote: Quote | None = None) -> tuple[Input, ...]:
    """What one option has of its own.

    Parameters
    ----------
    one : Costed
        With an option.
    catalog : Catalog
        For the memory of the part.
    quote : Quote, optional
        The offer that the price is of.

    Returns
    -------
    tuple of Input
        Only what its way of having it uses.
    """
    option, defaults = one.option, one.defaults
    if option is None or defaults is None:
        return ()
    part = option.accelerator_id
    rows = []
    for field in dict.fromkeys((*EVERY[:1], *(OWNED if option.buys else RENTED), *EVERY[1:])):
        if field in _ONLY and option.acquisition not in _ONLY[field]:
            continue
        origin, reason = defaults.origins.get(field, _NOTHING), ""
        if field == "gpus":
            reason = one.counted_from
        elif field == "residual_scale" and option.residual_by_year:
            reason = "age-at-sale"
        elif field == "gpus_per_server":
            origin = _datasheet(catalog, part, "gpus_per_node")
        elif (
            field == price_field(one.candidate.acquisition)
            and origin.kind == "user"
            and one.candidate.price_source in catalog.sources
        ):
            origin = replace(origin, kind="article", ids=(one.candidate.price_source,))
        of = quote if field == price_field(one.candidate.acquisition) else None
        rows.append(Input(field, field, getattr(option, field), origin, reason=reason, quote=of))
        if field == "residual_scale":
            curve = _origin_of_curve(origin)
            for year, worth in enumerate(option.residual_by_year, start=1):
                rows.append(Input(f"residual_after_year_{year}", "residual_by_year", float(worth), curve, year))
    if option.term_months is not None:
        rows.append(Input("term_months", "term_months", option.term_months, _NOTHING, is_fixed=True, reason="term"))
    if one.accelerator.memory_usable_gib is not None:
        field = "memory_runtime_gib" if one.accelerator.memory_runtime_gib is not None else "memory_driver_gib"
        memory = _datasheet(catalog, part, field)
        rows.append(Input("memory_gib_per_gpu", "memory_gib_per_gpu", one.accelerator.memory_usable_gib, memory))
    return tuple(rows)


def _datasheet(catalog: Catalog, part: str, field: str) -> Origin:
    return Origin("assumption", (f"{SPEC} {part} {field}",)) if (part, field) in catalog.spec_cells else Origin("user")


def _origin_of_curve(scale: Origin) -> Origin:
    """The curve rests on the rows of its factor, whatever factor the user states."""
    return Origin("derived" if len(scale.ids) > 5 else "assumption", scale.ids)


class Names:
    """Names of cells as the formulas of one option see them: its own with its number, those of all without."""

    def __init__(self, number: int, own: Iterable[str], shared: Iterable[str]) -> None:
        self.prefix = f"option{number}_"
        self._own, self._shared = set(own), set(shared)

    def add(self, name: str) -> str:
        """A further name of this option, in full."""
        self._own.add(name)
        return self.full(name)

    def full(self, name: str) -> str:
        """An option's name with its number."""
        return f"{self.prefix}{name}"

    def resolved(self, formula: str) -> str:
        """A formula whose lower-case words are names, as the workbook knows them."""

        def name(match: re.Match[str]) -> str:
            word = match[0]
            if word.startswith('"') or word in self._shared:
                return word
            if word not in self._own:
                raise KeyError(word)
            return self.full(word)

        return _IDENTIFIER.sub(name, formula)


class InputsSheet:
    """Writes inputs, and keeps which row of the sources each of them points to."""

    def __init__(
        self, book: Book, sheet: Worksheet, title: str, sources: str, found: Sequence[Fact], catalog: Catalog, _: Words
    ) -> None:
        self._book, self._sheet, self._title, self._sources = book, sheet, title, sources
        self._words, self._catalog = _, catalog
        self._facts: dict[str, list[Fact]] = {}
        self._lines: dict[str, int] = {}
        for line, fact in enumerate(found, start=FIRST_FACT + 1):
            self._facts.setdefault(fact.row_id, []).append(fact)
            self._lines.setdefault(fact.row_id, line)
        self._row = 0
        self._head()

    def _head(self) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        book.text(sheet, 0, 0, _("Inputs"), "title")
        book.text(sheet, 1, 0, _("Change any cell that looks like this one: everything follows."))
        sheet.write_blank(1, 1, None, book.style("input"))
        book.text(
            sheet, 2, 0, _("The other cells are fixed by the scenario. Each value has a name, which the formulas use.")
        )
        book.heads(
            sheet,
            4,
            [_("What"), _("Value"), _("Unit"), _("Changed from the default"), _("Low"), _("Base"), _("High"), _("Kind"),
             _("As of"), _("Source"), _("Where"), _("Note"), _("Rows"), _("Name in formulas")],
            (1, 4, 5, 6),
        )  # fmt: skip
        for column, width in enumerate((42, 16, 30, 11, 12, 12, 12, 18, 18, 42, 30, 42, 34, 38)):
            sheet.set_column(column, column, width)
        sheet.freeze_panes(5, 2)
        self._row = 5

    def section(self, title: str) -> None:
        """A heading."""
        self._row += 1
        self._book.section(self._sheet, self._row, title, 14)
        self._row += 1

    def write(self, rows: Sequence[Input], prefix: str = "", banded: str = "") -> None:
        """Some inputs, each in a named cell; `banded` is the field whose low and high get names too."""
        curve = [self._row + place for place, row in enumerate(rows) if row.year]
        for row in rows:
            self._line(row, prefix)
            if row.field == banded:
                for column, end in ((4, "low"), (6, "high")):
                    self._book.name_cell(f"{prefix}price_{end}", self._title, self._row, column)
            self._row += 1
        if curve:
            self._book.name_cell(f"{prefix}residual_by_year", self._title, curve[0], 1, curve[-1])

    def _line(self, row: Input, prefix: str) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        words, line, origin = field_words(row.field, _), self._row, row.origin
        style = "fixed" if row.is_fixed else "input"
        book.text(sheet, line, 0, words.label.format(n=row.year) if row.year else words.label)
        if isinstance(row.value, str):
            book.text(sheet, line, 1, row.value, style)
            sheet.data_validation(line, 1, line, 1, {"validate": "list", "source": list(_WORDS[row.field])})
        else:
            book.number(sheet, line, 1, row.value, words.number_format, style)
        if row.name == "horizon_months":
            most = {"validate": "integer", "criteria": "between", "minimum": 1, "maximum": row.value}
            message = _("A longer horizon needs a new workbook: open the link of the summary.")
            sheet.data_validation(line, 1, line, 1, {**most, "error_message": message[:250]})
        book.text(sheet, line, 2, words.unit, "unit")
        book.text(sheet, line, 3, _("changed") if origin.kind == "user" and row.reason != "stated" else "")
        for column, end in ((4, origin.low), (5, origin.base), (6, origin.high)):
            if end is not None:
                book.number(sheet, line, column, end, words.number_format)
        self._provenance(row, line)
        name = f"{prefix}{row.name}"
        book.text(sheet, line, 13, name, "faint")
        book.name_cell(name, self._title, line, 1)

    def _provenance(self, row: Input, line: int) -> None:
        book, sheet, _ = self._book, self._sheet, self._words
        origin = row.origin
        known = [fact for name in origin.ids for fact in self._facts.get(name, ())]
        kinds = list(dict.fromkeys(fact.kind for fact in known))
        kind = plain(quote_name(row.quote, _)) if row.quote else names.origin_kind(origin.kind, _)
        if origin.kind == "assumption" and kinds:
            kind = ", ".join(kinds)
        if origin.ids or origin.kind not in ("off", "assumption"):
            book.text(sheet, line, 7, kind, "indented")
        dates = sorted({fact.as_of for fact in known if fact.as_of})
        if row.quote and row.quote.date:
            dates = [row.quote.date]
        book.text(sheet, line, 8, " – ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "")
        titles = dict.fromkeys(self._catalog.source(fact.source_id).title for fact in known)
        book.text(sheet, line, 9, "; ".join(titles))
        book.text(sheet, line, 10, "; ".join(dict.fromkeys(fact.locator for fact in known if fact.locator)))
        note = reason_words(row.reason or origin.reason, _) or (known[0].note if len(known) == 1 else "")
        book.text(sheet, line, 11, note)
        if origin.ids and origin.ids[0] in self._lines:
            target = f"internal:'{self._sources}'!A{self._lines[origin.ids[0]]}"
            book.link(sheet, line, 12, target, ", ".join(origin.ids))


def heading(number: int, one: Costed, _: Words) -> str:
    """The heading of an option's inputs: its number and label."""
    return _("Option {n}: {option}", n=number, option=option_label(one, _))


def used_ids(rows: Iterable[Input]) -> list[str]:
    """The rows of the edition behind some inputs, each once."""
    return list(dict.fromkeys(name for row in rows for name in row.origin.ids))
