"""The findings of the cost page's charts in words: their titles, their conditions, their alternative texts."""

from lib.choice.cost_view import CostView
from lib.present.cost import costed_first, group_name, grouped_npv, option_label
from lib.present.cost_answer import money, share_text
from lib.present.text import Words


def curves_title(view: CostView, _: Words) -> str:
    """When the curve of the cheapest option falls below the next one's.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    best = view.best
    if best is None:
        return _("Spent by each month")
    name = option_label(best, _)
    if len(view.order) < 2:
        return _("What {option} has cost by each month", option=name)
    if not view.meetings:
        return _("{option} leads in every month", option=name) if _leads(view) else _("Spent by each month")
    last = max(view.meetings, key=lambda one: one.month)
    other = option_label(view.options[last.other], _)
    if last.by_resale:
        return _("{option} falls below {other} only by its resale in month {n}", option=name, other=other, n=last.month)
    return _("{option} is below {other} from month {n} on", option=name, other=other, n=last.month)


def _leads(view: CostView) -> bool:
    """Whether the cheapest option is below every other one in every month."""
    curves = [one.flows.cumulative_discounted for one in view.ranked if one.flows is not None]
    return all((curves[0] <= other).all() for other in curves[1:])


def curves_subtitle(view: CostView, _: Words) -> str:
    """What the curves are.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Conditions.
    """
    return _(
        "discounted to the decision, {currency}; ○ curves cross; the end includes the resale", currency=_currency(view)
    )


def _currency(view: CostView) -> str:
    return view.options[0].finance.finance.currency


def curves_in_words(view: CostView, _: Words) -> str:
    """The finding of the cumulative chart.

    Parameters
    ----------
    view : CostView
        All options.
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
            first=money(one, float(one.flows.cumulative_discounted[0]), _),
            last=money(one, one.npv_usd, _),
        )
        for one in costed_first(view.options)
        if one.flows is not None
    ]
    met = [
        _(
            "{option} falls below {other} in month {n}",
            option=option_label(view.options[one.place], _),
            other=option_label(view.options[one.other], _),
            n=one.month,
        )
        for one in view.meetings
    ]
    return _("Discounted cost by month: {pieces}.", pieces="; ".join([*pieces, *met]))


def components_title(view: CostView, _: Words) -> str:
    """Which group of components makes most of what is paid for the cheapest option, the resale not deducted.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    best = view.best
    if best is None or not best.npv_usd:
        return _("Net present value by component")
    amounts = grouped_npv(best)
    group = max(amounts, key=lambda name: amounts[name])
    paid = sum(amount for amount in amounts.values() if amount > 0)
    message = (
        _("{group}: {share} of what {option} costs before its resale")
        if amounts["resale"] < 0
        else _("{group}: {share} of what {option} costs")
    )
    return message.format(
        group=group_name(group, _),
        share=_.percent(amounts[group] / paid if paid else None),
        option=option_label(best, _),
    )


def components_subtitle(view: CostView, _: Words) -> str:
    """Which tone is which group, for the groups that are drawn.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A key in words.
    """
    drawn = {group for one in costed_first(view.options) for group, amount in grouped_npv(one).items() if amount}
    key = {
        "hardware": _("strongest: hardware"),
        "running": _("middle: energy and site"),
        "people": _("faint: people, support and software"),
        "rent": _("outlined: rent"),
        "resale": _("empty, left of zero: resale"),
    }
    return _(
        "{key}; {currency}",
        key=", ".join(text for group, text in key.items() if group in drawn),
        currency=_currency(view),
    )


def components_in_words(view: CostView, _: Words) -> str:
    """The finding of the chart of components.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Alternative text.
    """
    pieces = []
    for one in costed_first(view.options):
        amounts = {group: amount for group, amount in grouped_npv(one).items() if amount}
        inside = ", ".join(f"{group_name(group, _)} {money(one, amount, _)}" for group, amount in amounts.items())
        pieces.append(f"{option_label(one, _)} {money(one, one.npv_usd, _)} ({inside})")
    return _("Net present value by component: {pieces}.", pieces="; ".join(pieces))


def spread_title(view: CostView, _: Words) -> str:
    """How likely the cheapest option is to be cheaper than the next.

    Parameters
    ----------
    view : CostView
        With the draws.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    if len(view.order) < 2:
        return _("How the cost spreads")
    return _(
        "{option} is cheaper in {share} of draws",
        option=option_label(view.ranked[0], _),
        share=share_text(view.probability(view.order[0], view.order[1]), _),
    )


def spread_subtitle(view: CostView, _: Words) -> str:
    """What the ridges and marks are.

    Parameters
    ----------
    view : CostView
        With the draws.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Conditions.
    """
    return _(
        "NPV of {n} draws, {currency}: ticks P10 and P90, ● P50, ◇ at the base assumptions",
        n=_.number(view.simulation.draws if view.simulation else 0, 9),
        currency=_currency(view),
    )


def spread_in_words(view: CostView, _: Words) -> str:
    """The finding of the chart of draws.

    Parameters
    ----------
    view : CostView
        With the draws.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Alternative text.
    """
    pieces = []
    for place in view.order:
        one, spread = view.options[place], view.spread(place)
        if spread is not None:
            ends = {f"p{mark}": money(one, spread.percentiles_usd[mark], _) for mark in (10, 50, 90)}
            pieces.append(
                _(
                    "{option} P10 {p10}, P50 {p50}, P90 {p90}, base {base}, cheapest in {share}",
                    option=option_label(one, _),
                    base=money(one, spread.base_usd, _),
                    share=share_text(view.probability(place), _),
                    **ends,
                )
            )
    return "; ".join(pieces) + "."


def spread_caption(view: CostView, _: Words) -> str:
    """P10, P50 and P90 of the cheapest option beside its base, and what was drawn.

    Parameters
    ----------
    view : CostView
        With the draws.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    best, spread = view.best, view.spread(view.order[0]) if view.order else None
    if best is None or spread is None:
        return ""
    return _(
        "{option}: P10 {p10}, P50 {p50}, P90 {p90}; {base} at the base assumptions. {n} amounts are drawn between the low and high "
        "of their rows; what you state, the discount rate and whole numbers are held.",
        option=option_label(best, _),
        p10=money(best, spread.percentiles_usd[10], _),
        p50=money(best, spread.percentiles_usd[50], _),
        p90=money(best, spread.percentiles_usd[90], _),
        base=money(best, spread.base_usd, _),
        n=len(view.uncertainty.drawn),
    )
