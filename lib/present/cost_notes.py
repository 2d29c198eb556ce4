"""What stands beside the figures of the cost page: origins of prices, charts in words, the method."""

from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.present import names
from lib.present.cost import costed_first, group_name, grouped_npv, option_label
from lib.present.text import Words


def price_origin(one: Costed, catalog: Catalog, _: Words) -> str:
    """Where the price of an option comes from, with its date and range.

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
        return _("No price is published: state one here.")
    span = "" if origin.low is None or origin.high is None else f"{_.span(origin.low, origin.high, 6)} USD"
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
        "Estimate, {span}, as of {date}: {name}. Fewer than three dated list prices exist.",
        span=span,
        date=rows[0].as_of or _("undated"),
        name=_.pick(rows[0].name_en, rows[0].name_zh),
    )


def curves_in_words(options: Sequence[Costed], _: Words) -> str:
    """The finding of the cumulative chart.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Alternative text.
    """
    pieces = [
        _(
            "{option} starts at {first} and ends at {last}",
            option=option_label(one, _),
            first=_.usd(float(one.flows.cumulative_discounted[0])),
            last=_.usd(one.npv_usd),
        )
        for one in costed_first(options)
        if one.flows is not None
    ]
    return _("Discounted cost by month: {pieces}.", pieces="; ".join(pieces))


def components_in_words(options: Sequence[Costed], _: Words) -> str:
    """The finding of the chart of components.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Alternative text.
    """
    pieces = []
    for one in costed_first(options):
        amounts = {group: amount for group, amount in grouped_npv(one).items() if amount}
        inside = ", ".join(f"{group_name(group, _)} {amount:,.0f}" for group, amount in amounts.items())
        pieces.append(f"{option_label(one, _)} {_.usd(one.npv_usd)} ({inside})")
    return _("Net present value by component: {pieces}.", pieces="; ".join(pieces))


def sources_line(options: Sequence[Costed], catalog: Catalog, _: Words) -> str:
    """What the prices of the options rest on, in one caption.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Counts of estimates, list prices, article prices and own prices, and the edition.
    """
    kinds: dict[str, int] = {}
    for one in costed_first(options):
        field = "server_price_usd" if one.candidate.acquisition == "buy" else "rent_usd_per_gpu_hour"
        if one.defaults is not None:
            from_article = one.candidate.price_source.startswith("article")
            kind = names.origin_kind("article" if from_article else one.defaults.origins[field].kind, _)
            kinds[kind] = kinds.get(kind, 0) + 1
    counted = ", ".join(f"{kind} ({count})" for kind, count in kinds.items())
    return _(
        "Prices: {counted}. Prices and assumptions as of {date}; tax is left out.",
        counted=counted,
        date=catalog.edition.date,
    )


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
        "Month 0 is the day of acceptance: servers, network, installation, spares and migration are paid then. Running "
        "costs fall at the end of each month, rent monthly in arrears, resale at the end as a deduction. "
        "NPV = Σ flow(m) / (1 + r)^(m/12). Energy = (u × load + (1 − u) × idle) kW × hours × PUE × price, u the "
        "utilisation times the share of GPUs that the model needs: idle GPUs still draw. Unit costs are NPV over discounted "
        "hours, GB-years (GB of 10⁹ bytes as the runtime reports) or tokens. A purchase is whole servers. Colocation is paid per kW at load. Tax is left out. "
        "Servers are priced complete; where no dated list price exists the estimate of the assumptions is used and marked."
    )
