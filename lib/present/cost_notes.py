"""What stands beside the figures of the cost page: origins of prices, the caption, the method."""

from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.cost_view import CostView
from lib.choice.costed import Costed
from lib.choice.quoted import quote_behind
from lib.choice.scenario import Scenario
from lib.cost.prices import FEWEST_ROWS
from lib.present import currency, doubts
from lib.present.cost import costed_first
from lib.present.cost_names import field_name
from lib.present.offer import at_rate_of_use, quote_name
from lib.present.price_words import price_word
from lib.present.text import Words


def price_origin(one: Costed, catalog: Catalog, _: Words, scenario: Scenario | None = None) -> str:
    """Where the price of an option comes from, with its date and range.

    Parameters
    ----------
    one : Costed
        The option.
    catalog : Catalog
        For titles of sources.
    _ : Words
        The reader's language.
    scenario : Scenario, optional
        With the offers that an own price may be of.

    Returns
    -------
    str
        One sentence.
    """
    if one.defaults is None:
        return ""
    field = "server_price_usd" if one.candidate.acquisition == "buy" else "rent_usd_per_gpu_hour"
    origin = one.defaults.origins.get(field)
    source = one.candidate.price_source
    if source.startswith("article") and origin is not None and origin.kind in ("user", "article"):
        return _("The price of article {article}.", article=source.removeprefix("article-").upper())
    if origin is None or origin.kind == "missing":
        return doubts.sentence(one.defaults.why, _) if one.defaults.why else ""
    span = "" if origin.low is None or origin.high is None else f"{_.span(origin.low, origin.high, 6)} USD"
    if scenario is not None and (quote := quote_behind(catalog, scenario, one.candidate)) is not None:
        name = quote_name(quote, _)
        text = _("The {quote}; the catalogue's range is {span}.", quote=name, span=span) if span else ""
        return " ".join(
            filter(None, (text or _("The {quote}.", quote=name), at_rate_of_use(catalog, scenario, quote, _)))
        )
    if origin.kind == "user" and not span:
        return _("Your own price; the catalogue has none.")
    if origin.kind == "user":
        return _("Your own price; the catalogue's range is {span}.", span=span)
    choice = one.defaults.price
    if origin.kind == "prices" and choice is not None:
        return _(
            "Median of {n} dated list prices, {span}; the newest is {days} days old.",
            n=len(choice.price_ids),
            span=span,
            days=choice.newest_age_days,
        )
    rows = [catalog.assumptions[name] for name in origin.ids if name in catalog.assumptions]
    if not rows:
        return span
    return _(
        "Estimate, {span}, as of {date}: {name}. Dated list prices of the last nine months: {n}, needed: {needed}.",
        span=span,
        n=len(choice.price_ids) if choice is not None else 0,
        needed=FEWEST_ROWS,
        date=rows[0].as_of or _("undated"),
        name=_.pick(rows[0].name_en, rows[0].name_zh),
    )


def sources_line(options: Sequence[Costed], catalog: Catalog, _: Words, scenario: Scenario | None = None) -> str:
    """What the prices of the options rest on, in one caption.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.
    scenario : Scenario, optional
        With the offers that an own price may be of.

    Returns
    -------
    str
        Counts of estimates, list prices, article prices and own prices, and the edition.
    """
    kinds: dict[str, int] = {}
    for one in costed_first(options):
        if one.defaults is not None:
            quote = None if scenario is None else quote_behind(catalog, scenario, one.candidate)
            kind = price_word(one, quote, _)
            kinds[kind] = kinds.get(kind, 0) + 1
    counted = ", ".join(f"{kind} ({count})" for kind, count in kinds.items())
    line = _(
        "Prices: {counted}. Prices and assumptions as of {date}; tax is left out.",
        counted=counted,
        date=catalog.edition.date,
    )
    return " ".join(filter(None, (line, currency.rate_note(options[0].finance, catalog, _))))


def method(_: Words) -> str:
    """How the page computes, with its conventions.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "Month 0 is the day of the decision. A deposit is paid at the order, the rest of servers, network and spares at "
        "delivery with the installation, the migration at acceptance; service begins then, and until then a bridge is paid "
        "where there is one. Without a stated lead time no month is counted for it. Running "
        "costs fall at the end of each month, rent monthly in arrears, resale at the end as a deduction. "
        "NPV = Σ flow(m) / (1 + r)^(m/12). Energy = (u × load + (1 − u) × idle) kW × hours × PUE × price, u the "
        "utilisation times the share of GPUs that the model needs: idle GPUs still draw. Unit costs are NPV over discounted "
        "hours, GB-years (GB of 10⁹ bytes as the runtime reports) or tokens. A purchase is whole servers. Colocation is paid per kW at load. Tax is left out. "
        "Servers are priced complete; where no dated list price exists the estimate of the assumptions is used and marked."
    )


def draws(view: CostView, _: Words) -> str:
    """How the draws are made, and what is held in them.

    Parameters
    ----------
    view : CostView
        With the draws.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    held = dict.fromkeys(one.field for one in view.uncertainty.held if one.held_because in ("stated", "rate", "count"))
    return _(
        "Draws: {n} seeded ones, each a full calculation. An amount is drawn between the low and high of its rows, triangular with "
        "the base as its mode, a price with its median at the base; what options take from the same rows is drawn once for all. "
        "Prices of different servers are independent. Held at their values: {held}. The dot in the chart is the middle draw (P50), "
        "the diamond the value at the base assumptions: they differ where ranges are lopsided.",
        n=_.number(view.simulation.draws if view.simulation else 0, 9),
        held=", ".join(field_name(field, _) for field in held) or _("nothing"),
    )
