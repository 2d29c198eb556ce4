"""Amounts in the currency of the reader: everything is reckoned in US dollars, and shown at one dated rate."""

from lib.catalog import Catalog
from lib.cost.defaults import FinanceDefaults
from lib.cost.options import Finance
from lib.present.text import Words


def amount(finance: Finance, usd: float, _: Words, decimals: int = 0) -> str:
    """An amount of US dollars in the currency of a calculation.

    Parameters
    ----------
    finance : Finance
        Currency and rate.
    usd : float
        The amount [USD].
    _ : Words
        The reader's language.
    decimals : int
        Digits after the point.

    Returns
    -------
    str
        "6,901 CNY".
    """
    if finance.currency == "USD":
        return _.usd(usd, decimals)
    return f"{finance.in_currency(usd):,.{decimals}f} {finance.currency}"


def rate_note(found: FinanceDefaults, catalog: Catalog, _: Words) -> str:
    """At which rate amounts are shown, of which day and from whom.

    Parameters
    ----------
    found : FinanceDefaults
        Currency, rate and its origin.
    catalog : Catalog
        For the title of the source.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence; empty for US dollars.
    """
    finance = found.finance
    if finance.currency == "USD":
        return ""
    rate = _.number(finance.currency_per_usd, 5)
    if not found.rate_as_of:
        return _(
            "Shown in {currency} at your rate of {rate} per USD; inputs, listed prices and the workbook stay in US dollars.",
            currency=finance.currency,
            rate=rate,
        )
    (name,) = found.origins["currency_per_usd"].ids
    return _(
        "Shown in {currency} at {rate} per USD, {source}, {date}; inputs, listed prices and the workbook stay in US dollars.",
        currency=finance.currency,
        rate=rate,
        source=catalog.source(catalog.assumption(name).source_id).title,
        date=found.rate_as_of,
    )
