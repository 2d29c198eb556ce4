"""What the price of an option is, in a few words: an offer by its vendor and date, an article's, or its kind."""

from lib.choice.costed import Costed
from lib.choice.quotes import Quote
from lib.cost.inverse import price_field
from lib.present import names
from lib.present.offer import quote_name
from lib.present.text import Words

_ARTICLE = "article"


def price_word(one: Costed, quote: Quote | None, _: Words) -> str:
    """What the price of an option is.

    Parameters
    ----------
    one : Costed
        With its defaults.
    quote : Quote or None
        The offer that the price is of, from `lib.choice.quoted.quote_behind`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown: "quote of Dell, 2026-11-02", or the kind of its origin.
    """
    if quote is not None:
        return quote_name(quote, _)
    if one.candidate.price_source.startswith(_ARTICLE):
        return names.origin_kind(_ARTICLE, _)
    kind = "missing" if one.defaults is None else one.defaults.origins[price_field(one.candidate.acquisition)].kind
    return names.origin_kind(kind, _)
