"""What lies behind the cost page's answer, in words and tables: break-evens, limits, quotes."""

from collections.abc import Sequence

import pandas as pd

from lib.choice.cost_view import CostView
from lib.choice.cost_view_pair import BreakEven, Ownership
from lib.choice.cost_view_units import QuoteRow, ReachRow
from lib.cost.caps import Caps
from lib.cost.crossings import Crossings
from lib.cost.maps import BreakEvenMap
from lib.present import doubts
from lib.present.cost import option_label
from lib.present.cost_answer import money
from lib.present.cost_drivers import driver_ends, driver_name, target_name
from lib.present.cost_names import field_value
from lib.present.cost_tables import amount, currency_of
from lib.present.names import origin_kind
from lib.present.text import Words


def section_name(section: str, _: Words) -> str:
    """A part of the detail as the reader chooses it.

    Parameters
    ----------
    section : str
        A word of the view; blank for none.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a list.
    """
    return {
        "": _("None"),
        "difference": _("Why one costs more: waterfall, and every break-even"),
        "map": _("Break-even map over two drivers"),
        "months": _("Rent or buy: after how many months, from which utilisation"),
        "years": _("Year by year, and which cap is broken when"),
        "reach": _("How many for a budget or a power cap; how far must a quote fall"),
        "units": _("Cost per GPU-hour, GB, token, user, training run; energy and CO2"),
        "offers": _("Rent by provider"),
        "assumptions": _("Assumptions, what you changed, every field with its source"),
        "articles": _("What the articles say about cost, recomputed"),
        "method": _("How this is computed"),
    }[section]


def pair_title(view: CostView, usd: float, _: Words) -> str:
    """How far the two options of the pair lie apart.

    Parameters
    ----------
    view : CostView
        With a pair.
    usd : float
        Cost of the second less that of the first [USD].
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    first, second = view.first, view.second
    if first is None or second is None:
        return ""
    message = _("{second} costs {usd} more than {first}") if usd >= 0 else _("{second} costs {usd} less than {first}")
    return message.format(
        first=option_label(first, _), second=option_label(second, _), usd=money(first, abs(usd), _)
    )  # fmt: skip


def break_even_table(view: CostView, rows: Sequence[BreakEven], _: Words) -> pd.DataFrame:
    """Every driver of the difference: its range, what it does to it, and where the cheaper one changes.

    Parameters
    ----------
    view : CostView
        With a pair.
    rows : sequence of BreakEven
        The drivers.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text and amounts; "never" where no value in the range changes the order.
    """
    first = view.first
    if first is None:
        return pd.DataFrame()
    name = currency_of(view.options)
    return pd.DataFrame(
        {
            _("Driver"): [driver_name(view, one.bar.bar, _) for one in rows],
            _("Range"): [driver_ends(one.bar.bar, _) for one in rows],
            _("Difference at the low end, {currency}", currency=name): [
                amount(first, one.bar.bar.at_low_usd, 0) for one in rows
            ],
            _("Difference at the high end, {currency}", currency=name): [
                amount(first, one.bar.bar.at_high_usd, 0) for one in rows
            ],
            _("Both cost the same at"): [_crossing_text(one, _) for one in rows],
            _("Origin"): [origin_kind(one.bar.kind, _) for one in rows],
            _("Rows"): [", ".join(one.bar.ids) for one in rows],
        }
    )


def _crossing_text(one: BreakEven, _: Words) -> str:
    field = one.bar.bar.driver.field
    if one.crossings is None:
        return _("not searched: a whole number")
    if one.crossings.is_never:
        ends = field_value(field, one.crossings.low, _), field_value(field, one.crossings.high, _)
        return _("never from {low} to {high}", low=ends[0], high=ends[1])
    return ", ".join(field_value(field, found.at, _) for found in one.crossings.found)


def map_title(view: CostView, found: BreakEvenMap, _: Words) -> str:
    """Whether the cheaper option changes on the map, and where not.

    Parameters
    ----------
    view : CostView
        With a pair.
    found : BreakEvenMap
        The map.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    first, second = view.first, view.second
    if first is None or second is None:
        return ""
    ahead = {"first": first, "second": second}.get(found.everywhere or "")
    if ahead is not None:
        return _(
            "{option} is the cheaper everywhere: the other never is in these ranges", option=option_label(ahead, _)
        )
    if found.everywhere == "same":
        return _("Both cost the same everywhere")
    return _(
        "{option} is the cheaper on {share} of the map",
        option=option_label(first, _),
        share=_.percent(found.first_share),
    )


def axis_title(view: CostView, key: str, _: Words) -> str:
    """A driver of the map as the title of its axis.

    Parameters
    ----------
    view : CostView
        With a pair.
    key : str
        Whose field, and which.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Price of a server, MI300X".
    """
    target, _dot, field = key.partition(".")
    return target_name(view, target, field, _)


def ownership_sentences(found: Ownership, _: Words) -> list[str]:
    """Rent or buy in months, and in utilisation.

    Parameters
    ----------
    found : Ownership
        The two options at every horizon.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    owned, rented = option_label(found.owned, _), option_label(found.rented, _)
    runs = found.answer.paying_horizons
    if not runs:
        pays = _(
            "**{owned} never pays against {rented}** at horizons of {first} to {last} months, resale included.",
            owned=owned,
            rented=rented,
            first=int(found.horizons[0]),
            last=int(found.horizons[-1]),
        )
    else:
        pays = _(
            "**{owned} pays against {rented} at horizons of {runs} months**, resale included.",
            owned=owned,
            rented=rented,
            runs=_.listing([_.span(start, end, 9) for start, end in runs]),
        )
    gpus = _(
        "The purchase holds {owned} GPUs, the rental {rented}.",
        owned=found.owned.option.held_gpus if found.owned.option else 0,
        rented=found.rented.option.held_gpus if found.rented.option else 0,
    )
    added = _("No option of yours is rented on demand: the same part at the catalogue's rent stands in.")
    return [pays, _utilisation(found.answer.utilisation, owned, _), gpus, *([added] if found.is_added else [])]


def _utilisation(share: Crossings, owned: str, _: Words) -> str:
    """From which utilisation owning pays against renting by the hour used."""
    if share.is_never:
        if share.cheaper_at_high == "first":
            return _("Rented by the hour used instead, {owned} pays at any utilisation.", owned=owned)
        return _("Rented by the hour used instead, {owned} pays at no utilisation.", owned=owned)
    return _(
        "Rented by the hour used instead, {owned} pays from a utilisation of {share} on.",
        owned=owned,
        share=_.percent(share.found[-1].at),
    )


def limit_name(word: str, _: Words) -> str:
    """How a limit is stated.

    Parameters
    ----------
    word : str
        One of the budgets, or power.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a list.
    """
    return {
        "npv": _("Budget: net present value"),
        "nominal": _("Budget: all that is paid"),
        "capital": _("Budget: capital alone"),
        "dearest-year": _("Budget: the dearest year"),
        "level-year": _("Budget: an equal amount each year"),
        "power": _("Power at the wall"),
    }[word]


def caps_kept(caps: Caps, _: Words) -> str:
    """That no cap is broken, or that none is set.

    Parameters
    ----------
    caps : Caps
        The limits.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    if caps.total_usd is None and caps.gpus is None and not any(one is not None for one in caps.by_year):
        return _("No cap is set: state one under All inputs, Money.")
    return _("No option breaks a cap.")


def reach_table(rows: Sequence[ReachRow], _: Words) -> pd.DataFrame:
    """How many GPUs each option gives for the limit, and what they serve.

    Parameters
    ----------
    rows : sequence of ReachRow
        One an option.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Missing stays missing.
    """
    options = [one.costed for one in rows]
    name = currency_of(options)
    found = [one.reach for one in rows]
    return pd.DataFrame(
        {
            _("Option"): [option_label(one, _) for one in options],
            _("GPUs"): [one.gpus if one else None for one in found],
            _("Servers"): [one.servers if one else None for one in found],
            _("Memory, GiB"): [one.memory_gib if one else None for one in found],
            _("Copies of the model"): [one.copies if one else None for one in found],
            _("Sequences at once"): [one.sequences if one else None for one in found],
            _("NPV, {currency}", currency=name): [
                amount(one.costed, one.reach.npv_usd, 0) if one.reach else None for one in rows
            ],
            _("Left open"): [_open_text(one, _) for one in rows],
        }
    )


def _open_text(one: ReachRow, _: Words) -> str:
    if one.costed.problem is not None:
        return doubts.sentence(one.costed.problem, _)
    if one.reach is None:
        return _("Has no power or capital of its own.")
    if one.reach.gpus == 0:
        return _("The limit does not reach for one.")
    if one.reach.is_capped:
        return _("Ended at the most GPUs that a scenario holds.")
    return " ".join(doubts.sentence(doubt, _) for doubt in one.reach.doubts)


def quote_table(rows: Sequence[QuoteRow], _: Words) -> pd.DataFrame:
    """At which price each option costs what the cheapest other one costs; prices are US dollars.

    Parameters
    ----------
    rows : sequence of QuoteRow
        One an option.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        "never" where it is dearer even for nothing.
    """
    return pd.DataFrame(
        {
            _("Quote for"): [option_label(one.costed, _) for one in rows],
            _("Against"): [option_label(one.other, _) for one in rows],
            _("In use"): [field_value(one.matching.field, one.matching.now, _) for one in rows],
            _("Both cost the same at"): [_quote_text(one, _) for one in rows],
            _("Change of the price"): [
                f"{100 * change:+.1f} %" if (change := one.matching.change) is not None else "–" for one in rows
            ],
        }
    )


def _quote_text(one: QuoteRow, _: Words) -> str:
    match one.matching.verdict:
        case "never":
            return _("never: dearer even for nothing")
        case "always":
            return _("at any price")
    return field_value(one.matching.field, round(one.matching.at or 0.0, 4), _)
