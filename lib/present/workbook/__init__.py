"""The cost of a scenario as a workbook with live formulas: inputs with sources, one sheet an option, summary, sensitivity."""

from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.cost_view import order_of
from lib.choice.costed import Costed
from lib.choice.quoted import quote_behind
from lib.choice.scenario import Scenario
from lib.cost.inverse import price_field
from lib.present.cost import option_label
from lib.present.text import Words
from lib.present.workbook.book import Book, sheet_names
from lib.present.workbook.inputs import (
    InputsSheet,
    Names,
    heading,
    money_inputs,
    option_inputs,
    used_ids,
)
from lib.present.workbook.option_sheet import OptionSheet
from lib.present.workbook.provenance import facts, write_sources
from lib.present.workbook.sensitivity_sheet import SensitivitySheet
from lib.present.workbook.summary_sheet import SummarySheet


def file_name(catalog: Catalog, scenario: Scenario, ending: str) -> str:
    """A file of a scenario's cost: named after its preset, and the date of the edition.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        The question.
    ending : str
        Without its point.

    Returns
    -------
    str
        "cost-serve-70b-2026-11-30.xlsx".
    """
    return f"cost-{scenario.preset or 'scenario'}-{catalog.edition.date}.{ending}"


def cost_workbook(catalog: Catalog, scenario: Scenario, options: Sequence[Costed], _: Words, link: str) -> bytes:
    """The cost of every option as XLSX: each figure a formula with the library's value stored beside it.

    Parameters
    ----------
    catalog : Catalog
        The edition, with the parts that the scenario states.
    scenario : Scenario
        The question.
    options : sequence of Costed
        Its candidates with their costs, in its order.
    _ : Words
        The reader's language.
    link : str
        Where the same scenario opens.

    Returns
    -------
    bytes
        The file: the same for the same arguments.
    """
    costed = {place: one for place, one in enumerate(options, start=1) if one.flows is not None}
    shared = money_inputs(scenario, options[0].finance)
    own = {
        place: option_inputs(one, catalog, quote_behind(catalog, scenario, one.candidate))
        for place, one in costed.items()
    }
    found = facts(used_ids([*shared, *(row for rows in own.values() for row in rows)]), catalog, _)
    summary, inputs, *titles, sensitivity, sources = sheet_names(
        [_("Summary"), _("Inputs"), *(f"{place} {option_label(one, _)}" for place, one in costed.items()),
         _("Sensitivity"), _("Sources")]
    )  # fmt: skip
    book = Book(catalog.edition.date)
    sheets = {name: book.sheet(name) for name in (summary, inputs, *titles, sensitivity, sources)}
    stated = InputsSheet(book, sheets[inputs], inputs, sources, found, catalog, _)
    stated.section(_("What all options share"))
    stated.write(shared)
    names = {
        place: Names(place, (*(row.name for row in rows), "residual_by_year"), (row.name for row in shared))
        for place, rows in own.items()
    }
    placed = {}
    for (place, one), title in zip(costed.items(), titles, strict=True):
        stated.section(heading(place, one, _))
        stated.write(own[place], names[place].prefix, price_field(one.candidate.acquisition))
        if one.option is not None and one.flows is not None:
            sheet = OptionSheet(book, sheets[title], title, one, names[place], _)
            placed[place] = sheet.write(one.option, one.flows)
    SummarySheet(book, sheets[summary], summary, options, names, placed, _).write(catalog, scenario, link)
    SensitivitySheet(book, sheets[sensitivity], names, _).write(
        options, [options[place] for place in order_of(options)]
    )
    write_sources(book, sheets[sources], found, catalog, _)
    return book.closed()
