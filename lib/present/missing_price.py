"""Why there is no price to start from, in words: what is listed, how much a default needs, and what can be done."""

from typing import Any

from lib.present.text import Words, markdown_safe


def no_price(code: str, values: Any, _: Words) -> str:
    """Why an option has no price by itself.

    Parameters
    ----------
    code : str
        no-purchase-price, no-rental-price or no-bridge-price.
    values : mapping
        Of the doubt: where the price was to come from, what is listed, how many a default needs.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown: how many dated list prices are known, from what to what, of when and whose.
    """
    source = str(values["source"])
    if source == "own":
        return _("The price is to be your own and none is stated yet: type one, or choose the catalogue's.")
    if source.startswith("article-"):
        return _(
            "Article {article} states no price for this way of having it: type one, or choose the catalogue's.",
            article=source.removeprefix("article-").upper(),
        )
    if not values["rows"]:
        return _unlisted(code, _).format(needed=values["needed"])
    recent = _.count(
        "{n} of them is of the last nine months, and a default needs {needed}: type a price, or choose another source of it.",
        "{n} of them are of the last nine months, and a default needs {needed}: type a price, or choose another source of it.",
        values["recent"],
        needed=values["needed"],
    )
    return " ".join((_listed(code, values, _), recent))


def no_price_short(values: Any, _: Words) -> str:
    """The same in a cell of a table.

    Parameters
    ----------
    values : mapping
        Of the doubt.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase without full stop.
    """
    source = str(values["source"])
    if source == "own":
        return _("own price not stated yet")
    if source.startswith("article-"):
        return _("article {article} states none", article=source.removeprefix("article-").upper())
    return _(
        "list prices of the last nine months: {recent}, needed: {needed}",
        recent=values["recent"],
        needed=values["needed"],
    )


def _unlisted(code: str, _: Words) -> str:
    """No dated list price at all."""
    return {
        "no-purchase-price": _(
            "No dated list price to buy this part is known, and a default needs {needed} of the last nine months: type a "
            "price, or choose another source of it."
        ),
        "no-rental-price": _(
            "No dated list price to rent this part for this term is known, and a default needs {needed} of the last nine "
            "months: type a price, or choose another source of it."
        ),
        "no-bridge-price": _(
            "No dated list price to rent the part that stands in until service begins is known, and a default needs {needed} "
            "of the last nine months: type a price."
        ),
    }[code]


def _listed(code: str, values: Any, _: Words) -> str:
    """The dated list prices that are known, in one sentence."""
    figures = {"span": _.span(values["low"], values["high"], 6), "where": _where(values, _)}
    match code:
        case "no-purchase-price":
            return _.count(
                "{n} dated list price to buy this part is known, {span} USD per GPU ({where}).",
                "{n} dated list prices to buy this part are known, {span} USD per GPU ({where}).",
                values["rows"],
                **figures,
            )
        case "no-bridge-price":
            return _.count(
                "{n} dated list price to rent the part that stands in is known, {span} USD per GPU-hour ({where}).",
                "{n} dated list prices to rent the part that stands in are known, {span} USD per GPU-hour ({where}).",
                values["rows"],
                **figures,
            )
    return _.count(
        "{n} dated list price to rent this part for this term is known, {span} USD per GPU-hour ({where}).",
        "{n} dated list prices to rent this part for this term are known, {span} USD per GPU-hour ({where}).",
        values["rows"],
        **figures,
    )


def _where(values: Any, _: Words) -> str:
    """Whose prices and of when."""
    oldest, newest = values["oldest"], values["newest"]
    day = newest if oldest == newest else f"{oldest} – {newest}"
    return ", ".join(filter(None, (_.listing([markdown_safe(str(one)) for one in values["providers"]]), day)))
