"""The tornado of the cost page in words: its title, its bars, and the names of drivers with their ends."""

from lib.choice.cost_view import CostView
from lib.choice.costed import Costed
from lib.cost.sensitivity import Bar
from lib.cost.sourced_drivers import SourcedBar
from lib.present.cost import option_label
from lib.present.cost_answer import money
from lib.present.cost_names import field_name, field_value
from lib.present.text import Words


def moving_bars(view: CostView) -> list[SourcedBar]:
    """The bars of the tornado that have a width.

    Parameters
    ----------
    view : CostView
        All options.

    Returns
    -------
    list of SourcedBar
        The widest first.
    """
    return [] if view.tornado is None else [one for one in view.tornado.bars if one.bar.swing_usd > 0.5]


def tornado_title(view: CostView, _: Words) -> str:
    """How many drivers alone change which of the two is the cheaper.

    Parameters
    ----------
    view : CostView
        With a pair, or a single option.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A title.
    """
    bars = moving_bars(view)
    if not bars:
        return _("No driver with a range moves it")
    if view.pair is None:
        return _("Most hangs on: {driver}", driver=driver_name(view, bars[0].bar, _))
    deciding = sum(one.bar.changes_sign for one in bars)
    if not deciding:
        return _("No single driver within its range changes the order")
    return _.count("{n} driver alone changes the order", "{n} drivers alone change the order", deciding)


def tornado_subtitle(view: CostView, _: Words) -> str:
    """What the bars are, and on which side which option is the cheaper.

    Parameters
    ----------
    view : CostView
        With a pair, or a single option.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Conditions.
    """
    first = view.first
    if first is None:
        return ""
    currency = first.finance.finance.currency
    if view.pair is None or view.second is None:
        return _(
            "NPV of {option}, {currency}; light: low end, dark: high end",
            option=option_label(first, _),
            currency=currency,
        )
    return _(
        "NPV of {first} less {second}, {currency}; light: low end, dark: high",
        first=option_label(first, _),
        second=option_label(view.second, _),
        currency=currency,
    )


def driver_name(view: CostView, bar: Bar, _: Words) -> str:
    """What a bar moves, and of which option where it is of one alone.

    Parameters
    ----------
    view : CostView
        With the pair.
    bar : Bar
        The bar.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Price of a server, H100 SXM, buy".
    """
    return target_name(view, bar.driver.target, bar.driver.field, _)


def target_name(view: CostView, target: str, field: str, _: Words) -> str:
    """A field with the option that it belongs to.

    Parameters
    ----------
    view : CostView
        With the pair.
    target : str
        first, second, both or finance.
    field : str
        The field.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The field alone where both options share it.
    """
    name = field_name(field, _)
    owner: Costed | None = {"first": view.first, "second": view.second}.get(target)
    if owner is None or view.pair is None:
        return name
    return _("{field}, {option}", field=name, option=_owner(view, owner, _))


def _owner(view: CostView, owner: Costed, _: Words) -> str:
    """The part alone where it tells the two apart."""
    parts = {one.candidate.accelerator for one in (view.first, view.second) if one is not None}
    return owner.accelerator.short_name if len(parts) == 2 else option_label(owner, _)


def driver_ends(bar: Bar, _: Words) -> str:
    """The two ends of a driver with their unit.

    Parameters
    ----------
    bar : Bar
        The bar.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "300,000–400,000 USD".
    """
    low, high = (field_value(bar.driver.field, end, _) for end in (bar.driver.low, bar.driver.high))
    number, _space, unit = low.rpartition(" ")
    if number and high.endswith(f" {unit}"):
        return f"{number}–{high}"
    return f"{low}–{high}"


def tornado_labels(view: CostView, _: Words) -> list[str]:
    """The names of the bars over their ends.

    Parameters
    ----------
    view : CostView
        With the tornado.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        One a bar, in two lines.
    """
    return [f"{driver_name(view, one.bar, _)}<br>{driver_ends(one.bar, _)}" for one in moving_bars(view)]


def tornado_in_words(view: CostView, _: Words) -> str:
    """The finding of the tornado.

    Parameters
    ----------
    view : CostView
        With the tornado.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Alternative text.
    """
    first = view.first
    if first is None:
        return ""
    pieces = [
        _(
            "{driver} ({ends}): {low} to {high}",
            driver=driver_name(view, one.bar, _),
            ends=driver_ends(one.bar, _),
            low=money(first, one.bar.at_low_usd, _),
            high=money(first, one.bar.at_high_usd, _),
        )
        for one in moving_bars(view)[:8]
    ]
    return f"{tornado_title(view, _)}. {tornado_subtitle(view, _)}. " + "; ".join(pieces)
