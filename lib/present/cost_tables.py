"""The tables of the cost page: options, components, years, assumptions, and where each field comes from."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.presets import MONEY_ASSUMPTIONS, money_range
from lib.choice.scenario import Scenario
from lib.cost.cash_flow import COMPONENTS
from lib.present import names
from lib.present.cost import component_name, fleet_text, option_label, per_gpu_hour
from lib.present.text import Words

CENTS: Final = 2


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
        Amounts in USD.
    """
    lines = []
    for one in options:
        unit = one.unit
        tokens = unit.million_output_tokens_usd if unit else None
        lines.append(
            {
                _("Option"): option_label(one, _),
                _("GPUs paid for"): one.option.held_gpus if one.option else None,
                _("NPV, USD"): one.npv_usd,
                _("NPV at the low price, USD"): one.npv_low_usd,
                _("NPV at the high price, USD"): one.npv_high_usd,
                _("Nominal, USD"): float(one.summed.nominal_usd) if one.summed else None,
                _("Per GPU-hour, USD"): per_gpu_hour(one),
                _("Per delivered GPU-hour, USD"): _float(unit.delivered_gpu_hour_usd if unit else None),
                _("Per GB-year of memory, USD"): _float(unit.gb_year_usd if unit else None),
                _("Per million output tokens, USD"): float(tokens[0]) if tokens else None,
                _("Power at the wall, kW"): one.power_kw,
            }
        )
    frame = pd.DataFrame(lines).round(CENTS)
    return frame.dropna(axis="columns", how="all")


def _float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def summary_shown(options: Sequence[Costed], _: Words) -> pd.DataFrame:
    """The summary as a page shows it: seven columns of text, the lowest of each in bold.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells; every figure with all its digits is in `summary_table`.
    """
    columns: dict[str, tuple[list[float | None], int]] = {
        _("NPV, USD"): ([one.npv_usd for one in options], 0),
        _("NPV at the low price, USD"): ([one.npv_low_usd for one in options], 0),
        _("NPV at the high price, USD"): ([one.npv_high_usd for one in options], 0),
        _("Per GPU-hour, USD"): ([per_gpu_hour(one) for one in options], 2),
        _("Per GB-year of memory, USD"): ([_float(one.unit.gb_year_usd if one.unit else None) for one in options], 1),
    }
    shown: dict[str, list[str]] = {
        _("Option"): [option_label(one, _) for one in options],
        _("GPUs paid for"): [fleet_text(one, _) or "–" for one in options],
    }
    for head, (values, decimals) in columns.items():
        least = min((value for value in values if value is not None), default=None)
        cells = ["–" if value is None else f"{value:,.{decimals}f}" for value in values]
        shown[head] = [
            f"**{cell}**" if value is not None and value == least else cell
            for cell, value in zip(cells, values, strict=True)
        ]
    return pd.DataFrame(shown)


def component_table(options: Sequence[Costed], _: Words, *, by_year: bool) -> pd.DataFrame:
    """Net present value by option and component, or by option and year.

    Parameters
    ----------
    options : sequence of Costed
        Those with flows are listed.
    _ : Words
        The reader's language.
    by_year : bool
        Years as columns instead of components; year 0 is the day of acceptance.

    Returns
    -------
    pandas.DataFrame
        USD; the last column is the sum.
    """
    lines = []
    for one in options:
        if one.flows is None or one.summed is None:
            continue
        line: dict[str, object] = {_("Option"): option_label(one, _)}
        if by_year:
            years = sum(one.flows.by_year(discounted=True).values())
            line |= {_("Year {n}", n=year): float(amount) for year, amount in enumerate(years)}  # type: ignore[arg-type]
        else:
            amounts = one.summed.npv_by_component
            line |= {component_name(name, _): float(amounts[name]) for name in COMPONENTS if name in amounts}
        line[_("Sum")] = one.npv_usd
        lines.append(line)
    frame = pd.DataFrame(lines).round(CENTS)
    return frame.loc[:, (frame != 0).any(axis="index")] if len(frame) else frame


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
    for field, (assumption_id, _factor) in MONEY_ASSUMPTIONS.items():
        row = catalog.assumptions[assumption_id]
        low, base, high = money_range(field, catalog.assumptions)
        value = getattr(scenario.money, field)
        lines.append(
            {
                _("Assumption"): _.pick(row.name_en, row.name_zh),
                _("In use"): value,
                _("Changed"): _("changed") if value != base else "",
                _("Low"): low,
                _("Base"): base,
                _("High"): high,
                _("Kind"): row.kind,
                _("As of"): row.as_of,
                _("Source"): catalog.source(row.source_id).title,
                _("Where"): row.locator,
                _("Note"): row.note,
            }
        )
    return pd.DataFrame(lines)


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
        Field, value, range, kind, rows, sources.
    """
    if one.defaults is None or one.option is None:
        return pd.DataFrame()
    prices = {price.price_id: price.source_id for price in catalog.prices}
    lines = []
    for field, origin in sorted(one.defaults.origins.items()):
        sources = [_source_of(name, catalog, prices) for name in origin.ids]
        lines.append(
            {
                _("Field"): field,
                _("Value"): _float(getattr(one.option, field, None)),
                _("Low"): origin.low,
                _("High"): origin.high,
                _("Kind"): names.origin_kind(origin.kind, _),
                _("Rows"): ", ".join(origin.ids) or origin.reason,
                _("Source"): "; ".join(dict.fromkeys(title for title in sources if title)),
            }
        )
    return pd.DataFrame(lines)


def _source_of(name: str, catalog: Catalog, prices: Mapping[str, str]) -> str:
    row = catalog.assumptions.get(name)
    source_id = row.source_id if row is not None else prices.get(name, "")
    return catalog.sources[source_id].title if source_id in catalog.sources else ""
