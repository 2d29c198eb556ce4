"""What a renter pays, from the catalogue: the rent by its rule, and how it is paid."""

from lib.cost.draft import KINDS, OWN, Draft, Question
from lib.cost.options import TERM_MONTHS
from lib.cost.origins import Origin
from lib.cost.prices import PER_GPU_HOUR, PER_GPU_MONTH, PriceChoice, article_price, default_price
from lib.units import HOURS_PER_MONTH


def renter_draft(question: Question) -> Draft:
    """The fields of a rental.

    Parameters
    ----------
    question : Question
        What was asked.

    Returns
    -------
    Draft
        With the rent missing where there is no price.
    """
    draft = Draft(dict(question.stated), question.accelerator.gpus_per_node or 1, price=_price(question))
    if "rent_usd_per_gpu_month" in draft.stated:
        draft.stated.setdefault("rent_usd_per_gpu_hour", draft.stated["rent_usd_per_gpu_month"] / HOURS_PER_MONTH)
    drift = question.origin_of("rent_change_per_year")
    draft.origins |= {
        "rent_usd_per_gpu_hour": _rent(draft.price),
        "rent_change_per_year": Origin("off", drift.ids, drift.low, 0.0, drift.high, "no-constant-change"),
        "rent_support_fraction": question.origin_of("rent_support_fraction"),
        "prepaid_fraction": Origin("off", base=0.0, reason="paid-monthly"),
    }
    if draft.price and "rent_usd_per_gpu_hour" not in draft.stated:
        draft.doubts.extend(draft.price.doubts)
    return draft


def _rent(price: PriceChoice | None) -> Origin:
    if price is None or price.value is None:
        return Origin("missing", reason="no-rental-price")
    kind = KINDS[price.origin]
    ids = (price.assumption_id,) if price.assumption_id else price.price_ids
    rent = Origin(kind, ids, price.low, price.value, price.high)
    return rent.times(1 / HOURS_PER_MONTH, kind) if price.basis == PER_GPU_MONTH else rent


def _price(question: Question) -> PriceChoice | None:
    """A commitment has no price in the articles, and nothing but the user's word has one where that is wanted."""
    name, term = question.accelerator.accelerator_id, TERM_MONTHS.get(question.acquisition)
    if question.price_source == OWN or (question.article and term):
        return None
    if question.article:
        monthly = article_price(question.prices, name, question.article, "monthly", PER_GPU_MONTH, question.as_of)
        if monthly.value is not None:
            return monthly
        return article_price(question.prices, name, question.article, "on-demand", PER_GPU_HOUR, question.as_of)
    kind = "reserved" if term else "on-demand"
    return default_price(question.prices, question.assumptions, name, kind, term, PER_GPU_HOUR, question.as_of)
