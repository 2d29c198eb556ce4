"""What a purchase risks on its resale, what a wait may cost, which lead time counts, and how it is all computed."""

from lib.catalog import Catalog
from lib.choice.timing_records import Timing
from lib.present.text import Words, markdown_safe
from lib.present.timing import money, path_name


def metrics(found: Timing, _: Words) -> list[tuple[str, str, str]]:
    """Four numbers beside the answer: label, value, help.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Those that are known.
    """
    rows = []
    best, now = found.best, found.path("buy-now")
    if best is not None:
        rows.append(
            (
                path_name(best.kind, best.order_month, _),
                money(found, best.npv_usd["flat"], _),
                _("Net present value of the cheapest path with flat prices."),
            )
        )
    if now.npv_usd and best is not now:
        rows.append((_("Buy now"), money(found, now.npv_usd["flat"], _), _("Net present value, resale deducted.")))
    if found.resale is not None:
        rows.append(
            (
                _("Resale that the purchase counts on"),
                _.percent(found.resale.assumed_fraction),
                _("Worth at the end as a share of the price, from the assumptions."),
            )
        )
    if found.wait is not None and found.wait.against_buying_usd[1] is not None:
        rows.append(
            (
                _("Wait for {product}: most it may cost", product=found.wait.product.name.partition(" (")[0]),
                money(found, found.wait.against_buying_usd[1], _),
                wait_sentence(found, _),
            )
        )
    return rows[:4]


def resale_sentence(found: Timing, _: Words) -> str:
    """What buying now risks on its resale.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty where buying now has no cost.
    """
    risk, now = found.resale, found.path("buy-now")
    if risk is None:
        return ""
    text = _(
        "Buying now counts on selling for {assumed} of the price. At {low} to {high} it costs {from_usd} to {to_usd}; sold for nothing, {nothing}.",
        assumed=_.percent(risk.assumed_fraction),
        low=_.percent(risk.low_fraction),
        high=_.percent(risk.high_fraction),
        from_usd=money(found, risk.low_usd, _),
        to_usd=money(found, risk.high_usd, _),
        nothing=money(found, risk.nothing_usd, _),
    )
    if risk.rival is None:
        return text
    rival = path_name(risk.rival, 0, _)
    if risk.needed_fraction is None:
        more = _("Even sold for its full price it would cost more than “{rival}”.", rival=rival)
    elif risk.needed_fraction <= 0:
        more = _("Even then it costs less than “{rival}”.", rival=rival)
    elif risk.needed_fraction <= risk.assumed_fraction:
        more = _(
            "It stays cheaper than “{rival}” as long as it sells for more than {needed}.",
            rival=rival,
            needed=_.percent(risk.needed_fraction),
        )
    else:
        more = _(
            "It would have to sell for {needed} to cost as little as “{rival}”.",
            rival=rival,
            needed=_.percent(risk.needed_fraction),
        )
    return f"{text} {more}" if now.npv_usd else text


def wait_sentence(found: Timing, _: Words) -> str:
    """Until when an announced part is waited for, and the most that the same work may cost then.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty where nothing can be reckoned.
    """
    wait = found.wait
    if wait is None:
        return ""
    name = markdown_safe(wait.product.name)
    soonest, latest = wait.months
    head = (
        _.count(
            "{name} is said to be there within {n} month.",
            "{name} is said to be there within {n} months.",
            latest,
            name=name,
        )
        if soonest == latest
        else _(
            "{name} is said to be there within {soonest} to {latest} months.", name=name, soonest=soonest, latest=latest
        )
    )
    against_buying = _most(wait.against_buying_usd)
    pieces = [head]
    if against_buying is None:
        pieces.append(_("Then nothing is left of the horizon, or buying now has no cost to hold it against."))
    elif against_buying[1] <= 0:
        pieces.append(_("Renting until then costs more than buying now, whatever it costs."))
    else:
        pieces.append(
            _(
                "Renting until then pays against buying now if what does the work of one {part} server costs at most {most}; today's costs {today}.",
                part=found.part.short_name,
                most=_by_month(found, wait.against_buying_usd, _),
                today=money(found, wait.today_usd, _),
            )
        )
    against_best = _most(wait.against_best_usd)
    best = found.best
    if best is not None and best.kind != "buy-now" and against_best is not None:
        name = path_name(best.kind, best.order_month, _)
        if against_best[1] <= 0:
            pieces.append(_("Against “{best}” no price is low enough.", best=name))
        else:
            most = _by_month(found, wait.against_best_usd, _)
            pieces.append(_("Against “{best}” it may cost at most {most}.", best=name, most=most))
    pieces.append(_("What it will cost and do is not published."))
    return " ".join(pieces)


def _most(prices: tuple[float | None, float | None]) -> tuple[float, float] | None:
    known = [price for price in prices if price is not None]
    return (min(known), max(known)) if known else None


def _by_month(found: Timing, prices: tuple[float | None, float | None], _: Words) -> str:
    """The most that may be paid, at the soonest and at the latest month."""
    assert found.wait is not None  # noqa: S101 (asked for a wait alone)
    known = {
        month: price for month, price in zip(found.wait.months, prices, strict=True) if price is not None and price > 0
    }
    return _.listing([_after(found, month, price, _) for month, price in known.items()])


def _after(found: Timing, month: int, price: float, _: Words) -> str:
    usd = money(found, price, _)
    return _.count("{usd} after {n} month", "{usd} after {n} months", month, usd=usd)


def lead_sentence(found: Timing, catalog: Catalog, _: Words) -> str:
    """Which lead time is counted, and what is reported.

    Parameters
    ----------
    found : Timing
        The paths.
    catalog : Catalog
        For the reported lead time.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    row = catalog.assumptions.get("rel-leadtime")
    if found.lead_months is None:
        text = _("No lead time is stated: a purchase is counted as serving on the day of the order.")
    else:
        text = _.count(
            "{n} month of lead time, bridged by renting the same part.",
            "{n} months of lead time, bridged by renting the same part.",
            found.lead_months,
        )
    if row is not None and found.part.vendor == "NVIDIA":
        text += " " + _(
            "Reported for NVIDIA: {low} to {high} weeks ({source}, {date}).",
            low=_.number(row.low),
            high=_.number(row.high),
            source=markdown_safe(catalog.source(row.source_id).title),
            date=row.as_of,
        )
    return text


def method(found: Timing, _: Words) -> str:
    """How the page computes.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    follow = (
        _("The price of a later order moves with the rents.")
        if found.prices_follow
        else _("The price of a later order stays as today's.")
    )
    return "\n\n".join(
        (
            _(
                "**Paths.** Each serves the same load from month 0. Buying now pays at the order and sells at the end; a lead time is bridged by renting. Renting first pays the rent on demand until the purchase serves. A commitment is renewed at its end, at the rent of that day, and owed to its end where the horizon closes earlier. Migration is paid once."
            ),
            _(
                "**Futures.** A series counts where one source gives the same kind of H100 rent over a year or more: change = (last / first)^(365 / days) − 1, up to October 2025 and since. The future is the median of its series. Shorter series, such as the 38 % rise of one-year contracts in five months, are not multiplied up to a year."
            )
            + " "
            + follow,
            _(
                "**Break-even.** The yearly change of prices at which a path and buying now cost the same, looked for between −50 % and +50 %."
            ),
            _(
                "**Resale.** What a purchase is worth at the end is a share of what was paid, by age, from the assumptions; the page shows its ends and zero."
            ),
            _(
                "**Waiting.** The cost of a path is linear in the server's price: most = price × (target − cost at price 0) / (cost − cost at price 0). It says what the same work may cost then, not what the announced part will do."
            ),
        )
    )
