"""The tables of the cost page: options, components, years against caps, assumptions, and where each field comes from."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.scenario import Money, Scenario
from lib.cost.assumed_fields import ASSUMED, range_of
from lib.cost.caps import Breach, Caps, breaches, paid_by_year
from lib.cost.cash_flow import COMPONENTS
from lib.present import names
from lib.present.cost import component_name, fleet_text, option_label, per_gpu_hour
from lib.present.cost_answer import money
from lib.present.cost_names import field_name
from lib.present.text import Words

CENTS: Final = 2


def amount(one: Costed, usd: object, decimals: int = CENTS) -> float | None:
    """An amount of an option in the reader's currency, to the cent.

    Parameters
    ----------
    one : Costed
        For currency and rate.
    usd : object
        A number [USD], or None.
    decimals : int
        Digits after the point.

    Returns
    -------
    float or None
        None where there is none.
    """
    return None if usd is None else round(float(one.finance.finance.in_currency(float(usd))), decimals)  # type: ignore[arg-type]


def currency_of(options: Sequence[Costed]) -> str:
    """The currency in which amounts are shown.

    Parameters
    ----------
    options : sequence of Costed
        Of one scenario.

    Returns
    -------
    str
        USD, CNY or EUR.
    """
    return options[0].finance.finance.currency if options else "USD"


def summary_table(options: Sequence[Costed], _: Words) -> pd.DataFrame:
    """One row an option with its fleet, totals and unit costs.

    Parameters
    ----------
    options : sequence of Costed
        All candidates; those without a cost have blanks.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Amounts in the reader's currency; a column that nobody has is left out.
    """
    money_name = currency_of(options)
    lines = []
    for one in options:
        unit = one.unit
        tokens = unit.million_output_tokens_usd if unit else None
        lines.append(
            {
                _("Option"): option_label(one, _),
                _("GPUs paid for"): fleet_text(one, _) or "–",
                _("NPV, {currency}", currency=money_name): amount(one, one.npv_usd),
                _("NPV at the low price, {currency}", currency=money_name): amount(one, one.npv_low_usd),
                _("NPV at the high price, {currency}", currency=money_name): amount(one, one.npv_high_usd),
                _("Nominal, {currency}", currency=money_name): amount(one, one.summed.nominal_usd if one.summed else None),
                _("Per GPU-hour paid for, {currency}", currency=money_name): amount(one, per_gpu_hour(one)),
                _("Per million output tokens, {currency}", currency=money_name): amount(one, tokens[0] if tokens else None),
                _("Power at the wall, kW"): None if one.power_kw is None else round(one.power_kw, CENTS),
            }
        )  # fmt: skip
    return pd.DataFrame(lines).dropna(axis="columns", how="all")


def component_table(options: Sequence[Costed], _: Words, *, by_year: bool) -> pd.DataFrame:
    """Net present value by option and component, or by option and year.

    Parameters
    ----------
    options : sequence of Costed
        Those with flows are listed.
    _ : Words
        The reader's language.
    by_year : bool
        Years as columns instead of components; year 0 is the day of the decision.

    Returns
    -------
    pandas.DataFrame
        In the reader's currency; the last column is the sum.
    """
    lines = []
    for one in options:
        if one.flows is None or one.summed is None:
            continue
        line: dict[str, object] = {_("Option"): option_label(one, _)}
        if by_year:
            years = sum(one.flows.by_year(discounted=True).values())
            line |= {_("Year {n}", n=year): amount(one, usd) for year, usd in enumerate(years)}  # type: ignore[arg-type]
        else:
            amounts = one.summed.npv_by_component
            line |= {component_name(name, _): amount(one, amounts[name]) for name in COMPONENTS if name in amounts}
        line[_("Sum, {currency}", currency=currency_of(options))] = amount(one, one.npv_usd)
        lines.append(line)
    frame = pd.DataFrame(lines)
    return frame.loc[:, (frame != 0).any(axis="index")] if len(frame) else frame


def year_table(options: Sequence[Costed], caps: Caps, _: Words) -> pd.DataFrame:
    """What is paid in each year, resale left out, over the caps of the years.

    Parameters
    ----------
    options : sequence of Costed
        Those with flows are listed.
    caps : Caps
        The limits.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        In the reader's currency, as paid; a first row has the caps where there are any.
    """
    known = [one for one in options if one.flows is not None]
    lines: list[dict[str, object]] = []
    if known and any(cap is not None for cap in caps.by_year):
        limits = {_("Year {n}", n=year): amount(known[0], cap) for year, cap in enumerate(caps.by_year, start=1)}
        lines.append({_("Paid in the year, {currency}", currency=currency_of(known)): _("Cap"), **limits})
    for one in known:
        if one.flows is not None:
            paid = enumerate(paid_by_year(one.flows), start=1)
            lines.append(
                {
                    _("Paid in the year, {currency}", currency=currency_of(known)): option_label(one, _),
                    **{_("Year {n}", n=year): amount(one, usd) for year, usd in paid},
                }
            )
    return pd.DataFrame(lines)


def breach_sentences(options: Sequence[Costed], caps: Caps, _: Words) -> list[str]:
    """Which option breaks which cap, when, and by how much.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    caps : Caps
        The limits.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Empty where nothing is broken.
    """
    return [
        _breach(one, breach, _)
        for one in options
        if one.flows is not None
        for breach in breaches(one.flows, caps)
    ]  # fmt: skip


def _breach(one: Costed, breach: Breach, _: Words) -> str:
    name = option_label(one, _)
    match breach.cap:
        case "total":
            return _(
                "{option} breaks the budget in month {month}: {value} against {limit} after the reserve.",
                option=name,
                month=breach.month,
                value=money(one, breach.value, _),
                limit=money(one, breach.limit, _),
            )
        case "year":
            return _(
                "{option} breaks the budget of year {year} in month {month}: {value} paid against {limit}.",
                option=name,
                year=breach.year,
                month=breach.month,
                value=money(one, breach.value, _),
                limit=money(one, breach.limit, _),
            )
    return _(
        "{option} needs {value} GPUs in month {month}, and {limit} can be had.",
        option=name,
        month=breach.month,
        value=f"{breach.value:,.0f}",
        limit=f"{breach.limit:,.0f}",
    )


def assumption_table(catalog: Catalog, scenario: Scenario, _: Words) -> pd.DataFrame:
    """The money fields beside their assumptions: value in use, low, base, high, kind, date and source.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Values in use.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        What differs from its base is marked.
    """
    lines = []
    for field, (assumption_id, _factor) in ASSUMED.items():
        if field not in Money.model_fields:
            continue
        row = catalog.assumptions[assumption_id]
        low, base, high = range_of(field, catalog.assumptions)
        stated = getattr(scenario.money, field)
        value = base if stated is None else stated
        lines.append(
            {
                _("Input"): field_name(field, _),
                _("In use"): value,
                _("Changed"): _("changed by you") if value != base else "",
                _("Low"): low,
                _("Base"): base,
                _("High"): high,
                _("Kind"): kind_name(row.kind, _),
                _("As of"): row.as_of or _("undated"),
                _("Applies to"): ", ".join(row.applies_to),
                _("Assumption"): _.pick(row.name_en, row.name_zh),
                _("Source"): catalog.source(row.source_id).title,
                _("Where"): row.locator,
                _("Note"): row.note,
            }
        )
    return pd.DataFrame(lines)


def kind_name(kind: str, _: Words) -> str:
    """What kind of fact an assumption is.

    Parameters
    ----------
    kind : str
        As the table has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a cell.
    """
    return {
        "measured": _("measured"),
        "reported": _("reported"),
        "derived": _("derived"),
        "estimate": _("estimate"),
        "gap": _("gap: nothing found"),
    }.get(kind, kind)


def origin_table(one: Costed, catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every field of one option with the rows it comes from.

    Parameters
    ----------
    one : Costed
        The option.
    catalog : Catalog
        For titles of sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Field, value, range, kind, rows, dates, sources.
    """
    if one.defaults is None or one.option is None:
        return pd.DataFrame()
    prices = {price.price_id: (price.source_id, price.as_of) for price in catalog.prices}
    lines = []
    for field, origin in sorted(one.defaults.origins.items()):
        found = [_source_of(name, catalog, prices) for name in origin.ids]
        kinds = {catalog.assumptions[name].kind for name in origin.ids if name in catalog.assumptions}
        lines.append(
            {
                _("Field"): field_name(field, _),
                _("Value"): _float(getattr(one.option, field, None)),
                _("Low"): origin.low,
                _("High"): origin.high,
                _("Origin"): names.origin_kind(origin.kind, _),
                _("Kind"): ", ".join(sorted(kind_name(kind, _) for kind in kinds)),
                _("As of"): ", ".join(dict.fromkeys(day for _title, day in found if day)),
                _("Rows"): ", ".join(origin.ids),
                _("Source"): "; ".join(dict.fromkeys(title for title, _day in found if title)),
            }
        )
    return pd.DataFrame(lines)


def _float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _source_of(name: str, catalog: Catalog, prices: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    row = catalog.assumptions.get(name)
    source_id, day = (row.source_id, row.as_of) if row is not None else prices.get(name, ("", ""))
    return (catalog.sources[source_id].title if source_id in catalog.sources else "", day)
