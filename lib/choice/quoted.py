"""An offer as a candidate of the scenario, and the offer behind a candidate's price."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.costed import as_of
from lib.choice.offer_prices import exchange
from lib.choice.quotes import MOST_QUOTES, Quote
from lib.choice.scenario import MOST_OPTIONS, Candidate, Scenario, changed
from lib.errors import InputError

OWN: Final = "own"
_FIELDS: Final = {"gpu": "gpu_price_usd", "server": "server_price_usd"}
_RENT: Final = "rent_usd_per_gpu_hour"
_CENTS: Final = 2
_RENT_DIGITS: Final = 4
"""Digits after the point: money is paid in cents, an hour of a GPU in hundredths of them."""


def price_field(quote: Quote) -> str:
    """The field of a candidate that takes the price of an offer.

    Parameters
    ----------
    quote : Quote
        An offer.

    Returns
    -------
    str
        A price of a GPU, of a server, or a rent.
    """
    return _FIELDS.get(quote.basis, _RENT)


def price_usd(catalog: Catalog, scenario: Scenario, quote: Quote) -> float | None:
    """The price of an offer in US dollars, at the scenario's rate or the dated one (exact but for the rounding).

    USD = price / units per USD

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        May state a rate.
    quote : Quote
        The offer.

    Returns
    -------
    float or None
        Per unit of its basis, to the cent, a rent to a hundredth of one [USD]; None where it states no price.
    """
    return _in_usd(quote, rate_now(catalog, scenario, quote))


def rate_now(catalog: Catalog, scenario: Scenario, quote: Quote) -> float:
    """What a US dollar is worth in the currency of an offer: the scenario's rate, or the dated one.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        May state a rate.
    quote : Quote
        The offer.

    Returns
    -------
    float
        Units per US dollar.
    """
    return float(exchange(catalog, scenario.money, quote.currency, as_of(catalog)).finance.currency_per_usd)


def rate_of_use(catalog: Catalog, scenario: Scenario, quote: Quote) -> float | None:
    """The rate at which the other pages compute with an offer, where the rate has changed since it was used.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With candidates.
    quote : Quote
        One of its offers.

    Returns
    -------
    float or None
        Units per US dollar; None for an offer that is not used, or is at the price that it has at today's rate.
    """
    field, now = price_field(quote), price_usd(catalog, scenario, quote)
    mine = [one for one in scenario.candidates if _is_of(quote, quote_behind(catalog, scenario, one))]
    if not mine or any(getattr(one, field) == now for one in mine):
        return None
    return quote.used_at_per_usd


def _in_usd(quote: Quote, per_usd: float | None) -> float | None:
    if quote.price is None or per_usd is None:
        return None
    return round(quote.price / per_usd, _CENTS if quote.buys else _RENT_DIGITS)


def _is_of(quote: Quote, behind: Quote | None) -> bool:
    return behind is not None and behind.as_offered == quote.as_offered


def candidate_of(catalog: Catalog, scenario: Scenario, quote: Quote) -> Candidate:
    """The candidate that an offer is: its part, way and price; the rest as the scenario has the part already.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Its candidates say how many GPUs are wanted, and when.
    quote : Quote
        The offer.

    Returns
    -------
    Candidate
        At the buyer's own price, without a price where the offer states none.

    Raises
    ------
    pydantic.ValidationError
        If the price in US dollars is more than a candidate may cost.
    """
    like = _like(scenario, quote)
    base = like or Candidate(accelerator=quote.part, gpus=scenario.candidates[0].gpus)
    stated = {
        **base.model_dump(),
        "acquisition": quote.acquisition,
        "price_source": OWN,
        "gpu_price_usd": None,
        "server_price_usd": None,
        "rent_usd_per_gpu_hour": None,
        "rent_usd_per_gpu_month": None,
        price_field(quote): price_usd(catalog, scenario, quote),
    }
    if quote.delivery_months is not None:
        stated["delivery_months"] = quote.delivery_months
    return Candidate.model_validate(stated)


def why_not(catalog: Catalog, quote: Quote) -> str:
    """Why the other pages cannot compute with an offer.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    quote : Quote
        The offer.

    Returns
    -------
    str
        A code: "no-price", "other-server" where the server offered has another number of GPUs than the part's usual
        one, which power and base are known for; "" where they can.
    """
    if quote.price is None:
        return "no-price"
    usual = catalog.accelerator(quote.part).gpus_per_node
    if quote.basis == "server" and quote.gpus_in_server is not None and quote.gpus_in_server != usual:
        return "other-server"
    return ""


def use(catalog: Catalog, scenario: Scenario, quote: Quote) -> Scenario:
    """The scenario in which the other pages compute with an offer.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Before.
    quote : Quote
        The offer.

    Returns
    -------
    Scenario
        With the offer in place of the candidate of its part and way, or after the others; an offer in another currency keeps
        the rate at which it was used.

    Raises
    ------
    InputError
        If the pages cannot compute with it (`why_not`), or there is no room for another option.
    pydantic.ValidationError
        If the price in US dollars is more than a candidate may cost.
    """
    if reason := why_not(catalog, quote):
        raise InputError("quotes", quote.vendor, reason)
    candidate = candidate_of(catalog, scenario, quote)
    place = _place(scenario, quote)
    candidates = list(scenario.candidates)
    if place is not None:
        candidates[place] = candidate
    elif len(candidates) >= MOST_OPTIONS:
        raise InputError("candidates", quote.vendor, "no-room")
    else:
        candidates.append(candidate)
    key = (candidate.accelerator, candidate.acquisition, candidate.price_source, candidate.order_month)
    kept = [
        one
        for one in candidates
        if one is candidate or (one.accelerator, one.acquisition, one.price_source, one.order_month) != key
    ]
    result = changed(scenario, ("candidates",), tuple(one.model_dump() for one in kept))
    if quote.currency == "USD":
        return result
    used = quote.model_copy(update={"used_at_per_usd": rate_now(catalog, scenario, quote)})
    return result.model_copy(update={"quotes": tuple(used if _is_of(quote, one) else one for one in result.quotes)})


def is_used(catalog: Catalog, scenario: Scenario, quote: Quote) -> bool:
    """Whether a candidate of the scenario is at the price of an offer, at today's rate or the one at which it was used.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With candidates.
    quote : Quote
        The offer.

    Returns
    -------
    bool
        False also where it states no price.
    """
    return any(_is_of(quote, quote_behind(catalog, scenario, one)) for one in scenario.candidates)


def quote_behind(catalog: Catalog, scenario: Scenario, candidate: Candidate) -> Quote | None:
    """The offer that a candidate's own price is of.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With its offers.
    candidate : Candidate
        Any of its candidates.

    Returns
    -------
    Quote or None
        The first with the candidate's part, way and price, at the rate at which it was used or at today's; None for other
        prices.
    """
    if candidate.price_source != OWN:
        return None
    for quote in scenario.quotes:
        if (quote.part, quote.acquisition) == (candidate.accelerator, candidate.acquisition):
            usd = getattr(candidate, price_field(quote))
            then = None if quote.currency == "USD" else _in_usd(quote, quote.used_at_per_usd)
            known = (then, price_usd(catalog, scenario, quote))
            if usd is not None and usd in known:
                return quote
    return None


def with_quote(scenario: Scenario, quote: Quote, place: int | None = None) -> Scenario:
    """The scenario with an offer kept in it, and in view.

    Parameters
    ----------
    scenario : Scenario
        Before.
    quote : Quote
        The offer.
    place : int, optional
        The offer that it replaces; it comes after the others where none is named.

    Returns
    -------
    Scenario
        Validated as a whole.

    Raises
    ------
    InputError
        If there is no room for another one.
    """
    kept = list(scenario.quotes)
    if place is not None and place < len(kept):
        kept[place] = _still_used(quote, kept[place])
    elif len(kept) >= MOST_QUOTES:
        raise InputError("quotes", quote.vendor, "no-room")
    else:
        place = len(kept)
        kept.append(quote)
    result = changed(scenario, ("quotes",), tuple(one.model_dump() for one in kept))
    return changed(result, ("view", "quote"), place)


def _still_used(quote: Quote, before: Quote) -> Quote:
    """An offer stated again: at the same price it keeps the rate at which it was used."""
    fields = ("part", "basis", "price", "currency")
    if any(getattr(quote, name) != getattr(before, name) for name in fields):
        return quote
    return quote.model_copy(update={"used_at_per_usd": before.used_at_per_usd})


def without_quote(scenario: Scenario, place: int) -> Scenario:
    """The scenario without one of its offers; a candidate at its price keeps the price.

    Parameters
    ----------
    scenario : Scenario
        Before.
    place : int
        The offer that goes.

    Returns
    -------
    Scenario
        With the first of those left in view.
    """
    kept = tuple(one.model_dump() for at, one in enumerate(scenario.quotes) if at != place)
    return changed(changed(scenario, ("quotes",), kept), ("view", "quote"), 0)


def _place(scenario: Scenario, quote: Quote) -> int | None:
    """The candidate that an offer takes the place of: an own or a catalogue price before an article's."""
    places = [
        at
        for at, one in enumerate(scenario.candidates)
        if (one.accelerator, one.acquisition) == (quote.part, quote.acquisition)
        and not one.price_source.startswith("article")
    ]
    own = [at for at in places if scenario.candidates[at].price_source == OWN]
    return next(iter(own or places), None)


def _like(scenario: Scenario, quote: Quote) -> Candidate | None:
    place = _place(scenario, quote)
    if place is not None:
        return scenario.candidates[place]
    same = [one for one in scenario.candidates if one.accelerator == quote.part]
    if not same:
        return None
    first = same[0]
    return Candidate(
        accelerator=first.accelerator, gpus=first.gpus, order_month=first.order_month,
        acceptance_months=first.acceptance_months,
    )  # fmt: skip
