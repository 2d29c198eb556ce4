"""The timing page in words: which path costs least, how sure that is, and what an article's advice costs."""

from lib.choice.price_drift import Drift
from lib.choice.scenario import Acquisition
from lib.choice.timing_records import BreakEven, PathKind, TimedPath, Timing
from lib.present import doubts
from lib.present.price_words import price_word
from lib.present.text import UNKNOWN, Words


def path_name(kind: PathKind, months: int, _: Words) -> str:
    """A path in the reader's words.

    Parameters
    ----------
    kind : str
        One of the kinds of path.
    months : int
        Months after which it is ordered.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Rent 6 months, then buy".
    """
    if kind == "rent-then-buy":
        return _.count("Rent {n} month, then buy", "Rent {n} months, then buy", months)
    return {
        "buy-now": _("Buy now"),
        "rent": _("Rent on demand"),
        "commit-1y": _("Rent, 1-year commitment"),
        "commit-3y": _("Rent, 3-year commitment"),
    }[kind]


def drift_name(drift: Drift, _: Words) -> str:
    """A future of prices in the reader's words, with its yearly change.

    Parameters
    ----------
    drift : Drift
        The future.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "falls 34 % a year".
    """
    change = _.percent(abs(drift.per_year))
    return {
        "falls": _("falls {change} a year", change=change),
        "flat": _("flat"),
        "rises": _("rises {change} a year", change=change),
        "own": _("your own: {change} a year", change=f"{100 * drift.per_year:+.0f} %"),
    }[drift.name]


def money(found: Timing, usd: float | None, _: Words) -> str:
    """An amount in the currency of the scenario, to three significant figures.

    Parameters
    ----------
    found : Timing
        For currency and rate.
    usd : float or None
        The amount [USD].
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "244,000 USD".
    """
    if usd is None:
        return _(UNKNOWN)
    finance = found.ways["buy"].finance.finance
    rounded = float(f"{float(finance.in_currency(usd)):.3g}")
    return _.usd(rounded) if finance.currency == "USD" else f"{rounded:,.0f} {finance.currency}"


def fleet_words(found: Timing, _: Words) -> str:
    """What is had, for how long, and whether a purchase brings more than is needed.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty without a fleet.
    """
    if found.gpus is None:
        return ""
    option = found.ways["buy"].option
    text = _(
        "{n} {part} over {months} months, serving the same load from the first day on every path.",
        n=found.gpus,
        part=found.part.short_name,
        months=found.horizon_months,
    )
    if option is not None and option.held_gpus > option.gpus:
        text += " " + _(
            "A purchase is whole servers: {held} GPUs are paid for where {n} work.",
            held=option.held_gpus,
            n=option.gpus,
        )
    rented = found.ways["rent"].gpus
    if rented is not None and rented != found.gpus:
        text += " " + _.count(
            "A rental takes {n} GPU, no whole servers.", "A rental takes {n} GPUs, no whole servers.", rented
        )
    return text


def answer(found: Timing, _: Words) -> str:
    """Which path costs least, whether that holds in every future, and what the article's advice costs.

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
    best = found.best
    if best is None:
        reasons = list(dict.fromkeys(doubts.sentence(path.problem, _) for path in found.paths if path.problem))
        return _("No path can be costed for {part}. {reasons}", part=found.part.short_name, reasons=" ".join(reasons))
    name = path_name(best.kind, best.order_month, _)
    usd = money(found, best.npv_usd["flat"], _)
    others = [path for path in found.paths if path.npv_usd and path is not best]
    if not others:
        reasons = list(dict.fromkeys(doubts.sentence(path.problem, _) for path in found.paths if path.problem))
        return _(
            "Only “{path}” can be costed: {usd}{span}. {reasons}",
            path=name,
            usd=usd,
            span=_price_span(found, best, _),
            reasons=" ".join(reasons),
        )
    pieces = [
        _(
            "**{path}**: with flat prices it costs least, {usd}{span}.",
            path=name,
            usd=usd,
            span=_price_span(found, best, _),
        ),
        _robust(found, best, _),
        advice_sentence(found, _),
    ]
    return " ".join(filter(None, pieces))


def _price_span(found: Timing, path: TimedPath, _: Words) -> str:
    """What kind of price a path rests on, and its cost over the rows of that price."""
    way: Acquisition = "buy" if path.kind in ("buy-now", "rent-then-buy") else path.kind  # type: ignore[assignment]
    defaults = found.ways[way].defaults
    if defaults is None:
        return ""
    kind = price_word(found.ways[way], found.quotes.get(way), _)
    low, high = money(found, path.low_usd, _), money(found, path.high_usd, _)
    if path.low_usd is None or path.high_usd is None or low == high:
        return _(" (price: {kind})", kind=kind)
    return _(" ({low} to {high} over its price rows; {kind})", low=low, high=high, kind=kind)


def _robust(found: Timing, best: TimedPath, _: Words) -> str:
    """Whether the same path wins in the other futures."""
    others = [(drift, found.cheapest_in(drift.name)) for drift in found.drifts if drift.name != "flat"]
    changed = [(drift, path) for drift, path in others if path is not None and path.kind != best.kind]
    if not changed:
        return _(
            "It stays so in every future looked at: {futures}.",
            futures=_.listing([drift_name(drift, _) for drift, _path in others]),
        )
    return " ".join(
        _(
            "If the price {future}, it is “{path}” with {usd}.",
            future=drift_name(drift, _),
            path=path_name(path.kind, path.order_month, _),
            usd=money(found, path.npv_usd[drift.name], _),
        )
        for drift, path in changed
    )


def advice_sentence(found: Timing, _: Words) -> str:
    """What renting for three to six months first costs against buying now, and from which fall of prices it pays.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Empty where either has no cost.
    """
    now, advised = found.path("buy-now"), [path for path in found.advised if path.npv_usd]
    if not now.npv_usd or not advised:
        return ""
    gaps = [path.npv_usd["flat"] - now.npv_usd["flat"] for path in advised]
    low, high = min(gaps), max(gaps)
    pays = _("after {months} months {pays}", months=advised[-1].order_month, pays=pays_from(found, advised[-1], _))
    if low >= 0:
        return _(
            "Article A0's advice to rent 3 to 6 months before buying costs {low} to {high} more than buying now; {pays}.",
            low=money(found, low, _),
            high=money(found, high, _),
            pays=pays,
        )
    if high <= 0:
        return _(
            "Article A0's advice to rent 3 to 6 months before buying costs {low} to {high} less than buying now; {pays}.",
            low=money(found, -high, _),
            high=money(found, -low, _),
            pays=pays,
        )
    return _(
        "Article A0's advice to rent 3 to 6 months before buying costs between {low} less and {high} more than buying now; {pays}.",
        low=money(found, -low, _),
        high=money(found, high, _),
        pays=pays,
    )


def pays_from(found: Timing, path: TimedPath, _: Words) -> str:
    """At which yearly change of prices a path costs what buying now costs.

    Parameters
    ----------
    found : Timing
        With its break-evens.
    path : TimedPath
        One of its paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A clause without a full stop.
    """
    one = next((b for b in found.break_evens if (b.kind, b.order_month) == (path.kind, path.order_month)), None)
    return _(UNKNOWN) if one is None else break_even_words(one, _)


def break_even_words(one: BreakEven, _: Words) -> str:
    """A break-even as a clause.

    Parameters
    ----------
    one : BreakEven
        Of a path against buying now.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Without a full stop.
    """
    if not one.at:
        return (
            _("it costs less at every change of prices between −50 % and +50 % a year")
            if one.cheaper_below == "path"
            else _("it costs more at every change of prices between −50 % and +50 % a year")
        )
    if len(one.at) > 1:
        at = _.listing([f"{100 * value:+.0f} %".replace("-", "−") for value in one.at])
        return _("both cost the same where prices change by {at} a year", at=at)
    (value,) = one.at
    change = _.percent(abs(value))
    if one.cheaper_below == "path":
        return (
            _("it costs less only if prices fall by more than {change} a year", change=change)
            if value < 0
            else _("it costs less unless prices rise by more than {change} a year", change=change)
        )
    return (
        _("it costs less unless prices fall by more than {change} a year", change=change)
        if value < 0
        else _("it costs less only if prices rise by more than {change} a year", change=change)
    )
