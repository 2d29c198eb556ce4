"""The answer of the cost page: which option costs least, by how much, how likely, and what may be wrong with it."""

from collections.abc import Sequence
from typing import Final

from lib.choice.cost_view import CostView
from lib.choice.costed import Costed
from lib.choice.scenario import Scenario
from lib.present import doubts
from lib.present.cost import fleet_text, option_label, per_gpu_hour, problems
from lib.present.text import Words
from lib.records import Doubt

_OF_TIME: Final = ("lead-time-unknown", "nothing-serves-before", "commitment-outlasts-horizon")


def answer(view: CostView, scenario: Scenario, _: Words) -> str:
    """Which option costs least, with its range, the margin, how likely, and whether it is a tie.

    Parameters
    ----------
    view : CostView
        All options.
    scenario : Scenario
        For the horizon.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if not view.order:
        return _("No candidate can be costed: {reasons}", reasons=" ".join(problems(view.options, _)))
    best = view.ranked[0]
    figures = {
        "years": _.count("{n} year", "{n} years", scenario.money.horizon_years),
        "option": option_label(best, _),
        "npv": money(best, best.npv_usd, _),
        "range": range_text(view, view.order[0], _),
        "gpus": fleet_text(best, _),
    }
    if len(view.order) == 1:
        parts = [_("Over {years}, **{option}** costs **{npv}** net present value ({range}) for {gpus}.", **figures)]
    else:
        second = view.ranked[1]
        parts = [
            _(
                "Over {years}, **{option}** costs least: **{npv}** net present value ({range}) for {gpus}, {percent} less than "
                "{next} at {other} ({wide}); it is the cheaper of the two in **{share}** of {draws} draws.",
                **figures,
                percent=_.percent(1 - (best.npv_usd or 0.0) / (second.npv_usd or 1.0), 1),
                next=option_label(second, _),
                other=money(second, second.npv_usd, _),
                wide=range_text(view, view.order[1], _),
                share=share_text(view.probability(view.order[0], view.order[1]), _),
                draws=_.number(view.simulation.draws if view.simulation else 0, 9),
            )
        ]
        if view.is_tie:
            parts.append(_("**A tie:** their price ranges overlap by more than half, so that a quote decides."))
    if not _has_throughput(best):
        parts.append(_("Cost only: the options do different work, see Benchmarks for how much."))
    return " ".join(parts)


def remarks(view: CostView, _: Words) -> list[str]:
    """What stands below the answer: the other way of having it, an article's prices, lead times, an old rate.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    if not view.order:
        return []
    best = view.ranked[0]
    found = [_other_way(best, view.ranked, _), _elsewhere(view, _), *_times(view, _), *_of_draws(view, _)]
    found += [doubts.sentence(doubt, _) for doubt in best.finance.doubts]
    return [sentence for sentence in found if sentence]


def _other_way(best: Costed, order: Sequence[Costed], _: Words) -> str:
    """The cheapest option that is bought where the best is rented, or the reverse."""
    buys = best.candidate.acquisition == "buy"
    other = next((one for one in order if (one.candidate.acquisition == "buy") != buys), None)
    if other is None:
        return ""
    return _(
        "The cheapest to {way} is {option}: {npv} for {gpus}; a purchase carries its own staff, power and whole servers, a rental "
        "only the GPUs needed.",
        way=_("buy") if other.candidate.acquisition == "buy" else _("rent"),
        option=option_label(other, _),
        npv=money(other, other.npv_usd, _),
        gpus=fleet_text(other, _),
    )


def _elsewhere(view: CostView, _: Words) -> str:
    rest = [one for place, one in enumerate(view.options) if one.npv_usd is not None and place not in view.order]
    if not rest:
        return ""
    first = min(rest, key=lambda one: one.npv_usd or 0.0)
    return _(
        "At the article's prices {option} comes first: {npv}; it is not set against the catalogue's.",
        option=option_label(first, _),
        npv=money(first, first.npv_usd, _),
    )


def _times(view: CostView, _: Words) -> list[str]:
    """What the flows are unsure of, each code once with the options that it holds for."""
    holders: dict[str, list[str]] = {}
    for place, one in enumerate(view.options):
        for doubt in one.flows.doubts if one.flows is not None else ():
            if doubt.code in _OF_TIME:
                holders.setdefault(doubts.sentence(doubt, _), []).append(option_label(view.options[place], _))
    count = sum(one.flows is not None for one in view.options)
    return [
        sentence if len(names) == count else _("{options}: {sentence}", options=_.listing(names), sentence=sentence)
        for sentence, names in holders.items()
    ]


def _of_draws(view: CostView, _: Words) -> list[str]:
    """What was left out of the draws, or looks surer than it is."""
    quoted = [doubt.values["place"] for doubt in view.uncertainty.doubts if doubt.code == "one-quote"]
    found = []
    if quoted:
        names = [option_label(view.options[place], _) for place in quoted]
        found.append(doubts.sentence(Doubt("one-quote", {"options": tuple(names)}), _))
    found += [doubts.sentence(doubt, _) for doubt in view.uncertainty.doubts if doubt.code == "user-values-held"]
    return found


def every_doubt(view: CostView, _: Words) -> list[str]:
    """All that is unsure about each option: its prices, its power, its times.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        One sentence a doubt, with the option's name.
    """
    return [
        _("{options}: {sentence}", options=option_label(one, _), sentence=doubts.sentence(doubt, _))
        for one in view.options
        for doubt in (*(one.defaults.doubts if one.defaults else ()), *(one.flows.doubts if one.flows else ()))
    ]


def range_text(view: CostView, place: int, _: Words) -> str:
    """From the tenth to the ninetieth percentile of an option's cost.

    Parameters
    ----------
    view : CostView
        With the draws.
    place : int
        The option.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "482,000–671,000 in 8 of 10 draws".
    """
    spread = view.spread(place)
    if spread is None:
        return _("not drawn")
    finance = view.options[place].finance.finance
    low, high = (float(finance.in_currency(spread.percentiles_usd[end])) for end in (10, 90))
    if rounded(low) == rounded(high):
        return _("no range of prices or assumptions is known")
    return _("{low}–{high} in 8 of 10 draws", low=f"{rounded(low):,.0f}", high=f"{rounded(high):,.0f}")


def share_text(share: float | None, _: Words) -> str:
    """A share of draws: whole percent, and never certainty where one draw spoke against it.

    Parameters
    ----------
    share : float or None
        From 0 to 1.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "76 %", "more than 99 %", "less than 1 %".
    """
    if share is None:
        return _("not drawn")
    if 0.995 <= share < 1:
        return _("more than 99 %")
    if 0 < share < 0.005:
        return _("less than 1 %")
    return _.percent(share)


def money(one: Costed, usd: float | None, _: Words) -> str:
    """An estimate in the reader's currency, to the nearest thousand where it is large.

    Parameters
    ----------
    one : Costed
        For currency and rate.
    usd : float or None
        The amount [USD].
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "565,000 USD"; the exact cents are in the tables.
    """
    finance = one.finance.finance
    return f"{rounded(float(finance.in_currency(usd or 0.0))):,.0f} {finance.currency}"


def rounded(value: float) -> float:
    """Estimates to the nearest thousand above a hundred thousand, else to the unit.

    Parameters
    ----------
    value : float
        An amount.

    Returns
    -------
    float
        The amount rounded.
    """
    return round(value, -3) if abs(value) >= 100_000 else round(value)


def _has_throughput(one: Costed) -> bool:
    return one.unit is not None and one.unit.million_output_tokens_usd is not None


def metrics(view: CostView, _: Words) -> list[tuple[str, str, str]]:
    """The four numbers of the page: label, value, help.

    Parameters
    ----------
    view : CostView
        All options.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Empty where nothing can be costed.
    """
    best = view.best
    if best is None:
        return []
    finance = best.finance.finance
    unit = best.unit
    rows = [
        (
            _("Lowest NPV, {currency}", currency=finance.currency),
            f"{rounded(float(finance.in_currency(best.npv_usd or 0.0))):,.0f}",
            "",
        ),
        (
            _("Per GPU-hour paid for, {currency}", currency=finance.currency),
            f"{float(finance.in_currency(per_gpu_hour(best) or 0.0)):,.2f}",
            "",
        ),
    ]
    if unit is not None and unit.million_output_tokens_usd is not None:
        rows.append(
            (
                _("Per million output tokens, {currency}", currency=finance.currency),
                f"{float(finance.in_currency(unit.million_output_tokens_usd[0])):,.2f}",
                "",
            )
        )
    elif unit is not None and unit.gb_year_usd is not None:
        rows.append(
            (
                _("Per GB-year of memory, {currency}", currency=finance.currency),
                f"{float(finance.in_currency(unit.gb_year_usd)):,.1f}",
                "",
            )
        )
    if len(view.order) > 1:
        rows.append(
            (
                _("Cheapest of all, share of draws"),
                share_text(view.probability(view.order[0]), _),
                "",
            )
        )
    return rows
