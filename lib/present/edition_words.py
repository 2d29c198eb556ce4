"""What has changed since a link was made, in words and tables."""

from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.edition_effects import BEHIND_A_FLEET, EditionEffects, NumberChange
from lib.present.cost import option_label
from lib.present.cost_names import field_name, field_value
from lib.present.recommend_words import money
from lib.present.text import Words, markdown_safe

MOST_ROWS: Final = 200
_LEAST_USD: Final = 0.5


def notice(found: EditionEffects, _: Words) -> str:
    """One or two sentences for the head of any page: which edition, how much changed, and what that did to the answer.

    Parameters
    ----------
    found : EditionEffects
        The old edition beside the present one.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    begun = _(
        "This link was made with the data edition {old}; the numbers below are computed with {new}.",
        old=markdown_safe(found.before),
        new=found.now,
    )
    if not found.is_recorded:
        return " ".join([begun, _("That edition is not recorded here: what has changed since is not known.")])
    return " ".join([begun, _counted(found, _), effect(found, _)])


def _counted(found: EditionEffects, _: Words) -> str:
    if not found.changes:
        return _("No part, assumption or price has changed since.")
    return _.count(
        "{n} value of parts, assumptions and prices has changed since, {used} of them behind these costs.",
        "{n} values of parts, assumptions and prices have changed since, {used} of them behind these costs.",
        len(found.changes),
        used=len(found.used),
    )


def effect(found: EditionEffects, _: Words) -> str:
    """What the changes did to the cheapest option of the scenario.

    Parameters
    ----------
    found : EditionEffects
        The old edition beside the present one.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    then, now, change = found.cheapest_before, found.cheapest_now, found.change_usd
    if then is None or now is None or change is None:
        return _("The cheapest option cannot be computed with the numbers of then.")
    same = _way(then) == _way(now)
    if same and abs(change) < _LEAST_USD:
        return _(
            "On the page Cost the cheapest option is the same at the same cost: **{option}**, **{npv} USD**.",
            option=option_label(now, _), npv=money(now.npv_usd),
        )  # fmt: skip
    figures = {
        "option": option_label(now, _), "npv": money(now.npv_usd), "then": money(then.npv_usd),
        "before": option_label(then, _), "percent": _signed_percent(change, then.npv_usd, _),
    }  # fmt: skip
    if same:
        return _(
            "On the page Cost the cheapest option is still **{option}**: **{npv} USD**, where it was {then} USD ({percent}).",
            **figures,
        )
    return _(
        "On the page Cost the cheapest option is now **{option}** at **{npv} USD**; it was {before} at {then} USD ({percent}).",
        **figures,
    )


def _way(one: Costed) -> tuple[str, str]:
    return one.candidate.accelerator, one.candidate.acquisition


def _signed_percent(change: float, base: float | None, _: Words) -> str:
    return _.percent(None) if not base else f"{'+' if change >= 0 else '−'}{_.percent(abs(change / base), 1)}"


def changes_table(found: EditionEffects, catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every value that is another one now, those behind the scenario's costs first.

    Parameters
    ----------
    found : EditionEffects
        The old edition beside the present one.
    catalog : Catalog
        For names.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        As the tables write the values.
    """
    return pd.DataFrame(
        [
            {
                _("What"): _row_name(one, catalog, _),
                _("Value"): _column_name(one, catalog, _),
                _("Then"): _cell(one.before, _),
                _("Now"): _cell(one.now, _),
                _("Behind these costs"): _("yes") if one.is_used else _("no"),
            }
            for one in found.changes
        ]
    )


def _row_name(one: NumberChange, catalog: Catalog, _: Words) -> str:
    if one.table == "accelerators":
        part = catalog.accelerators.get(one.row)
        return part.short_name if part is not None else one.row
    if one.table == "assumptions" and one.row in catalog.assumptions:
        known = catalog.assumptions[one.row]
        return _.pick(known.name_en, known.name_zh)
    return _("price {id}", id=one.row) if one.table == "prices" else one.row


def _column_name(one: NumberChange, catalog: Catalog, _: Words) -> str:
    if not one.column:
        return _("row added") if one.before is None else _("row taken out")
    column = catalog.columns.get((one.table, one.column))
    if column is None:
        return one.column
    unit = f", {column.unit}" if column.unit else ""
    return f"{_.pick(column.label_en, column.label_zh)}{unit}"


def _cell(value: str | None, _: Words) -> str:
    if value is None:
        return "–"
    return value or _("not published")


def options_table(found: EditionEffects, _: Words) -> pd.DataFrame:
    """The cost of every option with the numbers of then and of now.

    Parameters
    ----------
    found : EditionEffects
        The old edition beside the present one.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        In the order of the scenario.
    """
    return pd.DataFrame(
        [
            {
                _("Option"): option_label(one.now, _),
                _("Then: NPV, USD"): _npv(one.before, _),
                _("Now: NPV, USD"): _npv(one.now, _),
                _("Now minus then"): _change(one.change_usd),
                _("Then: GPUs"): _gpus(one.before),
                _("Now: GPUs"): _gpus(one.now),
            }
            for one in found.options
        ]
    )


def _change(usd: float | None) -> str:
    if usd is None:
        return "–"
    return "0" if abs(usd) < _LEAST_USD else f"{usd:+,.0f}".replace("-", "−")


def _npv(one: Costed | None, _: Words) -> str:
    if one is None or one.npv_usd is None:
        return _("no cost")
    return f"{one.npv_usd:,.0f}"


def _gpus(one: Costed | None) -> str:
    return "–" if one is None or one.option is None else f"{one.option.held_gpus:,}"


def caveats(found: EditionEffects, catalog: Catalog, _: Words) -> list[str]:
    """What the comparison does not hold: inputs that the link keeps, and tables whose old values are not kept.

    Parameters
    ----------
    found : EditionEffects
        The old edition beside the present one.
    catalog : Catalog
        For names.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    pieces = [
        _(
            "The link states {field} at {stated}, the assumption of its day; today's is {now}.",
            field=field_name(one.field, _), stated=field_value(one.field, one.stated, _),
            now=field_value(one.field, one.base_now, _),
        )
        for one in found.kept
    ]  # fmt: skip
    fleets = [name for name in found.other_tables if name in BEHIND_A_FLEET]
    others = [name for name in found.other_tables if name not in BEHIND_A_FLEET]
    if fleets:
        pieces.append(
            _("Also changed, and not computed back: {tables}. They size the fleet, so that the cost of then may have had another.",
              tables=", ".join(fleets))
        )  # fmt: skip
    if others:
        pieces.append(
            _("Changed too, without a hand in these costs: {tables}.", tables=", ".join(others))
        )  # fmt: skip
    pieces.append(_("Fleets are today's in both; the inputs are the link's own."))
    return pieces
