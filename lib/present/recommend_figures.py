"""The governing figure in words: what an answer is measured by, with its unit, and what a fleet is."""

from lib.choice.assessment import Assessment
from lib.choice.preference import Axis, Metric
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.memory_model import layout_word
from lib.present.text import Words


def metric_name(metric: Metric, _: Words, *, capital: bool = False) -> str:
    """What an answer is measured by.

    Parameters
    ----------
    metric : Metric
        The governing metric.
    _ : Words
        The reader's language.
    capital : bool
        Whether it begins a line.

    Returns
    -------
    str
        A phrase.
    """
    found = {
        "million-tokens": _("cost per million tokens"),
        "gpu-hour": _("cost per GPU-hour"),
        "tokens-per-mw": _("tokens per second per megawatt"),
        "tokens-per-budget": _("tokens for the budget"),
        "time-to-train": _("time to train"),
        "outlay": _("outlay"),
    }[metric]
    return found[:1].upper() + found[1:] if capital else found


def axis_name(axis: Axis, metric: Metric, _: Words) -> str:
    """An axis of the front, with its unit.

    Parameters
    ----------
    axis : Axis
        The axis.
    metric : Metric
        The governing metric.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A heading.
    """
    return {
        "unit-cost": f"{metric_name(metric, _, capital=True)}, {unit_of(metric, _)}",
        "outlay": _("NPV, USD"),
        "throughput": _("Tokens per second at the low end"),
        "token-time": _("Time per output token, ms"),
        "power": _("Power at the wall, kW"),
        "gpus": _("GPUs paid for"),
        "slack": _("Free beside one sequence, GiB per GPU"),
        "evidence": _("Like-for-like pairs"),
        "risk": _("Software risk, 0 to 1"),
    }[axis]


def unit_of(metric: Metric, _: Words) -> str:
    """The unit in which a figure is shown.

    Parameters
    ----------
    metric : Metric
        The governing metric.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Without the number.
    """
    return {
        "million-tokens": _("USD per million tokens"),
        "gpu-hour": _("USD per GPU-hour"),
        "tokens-per-mw": _("W per token a second"),
        "tokens-per-budget": _("USD per token a second"),
        "time-to-train": _("hours per billion tokens"),
        "outlay": _("USD"),
    }[metric]


def figure_number(found: Recommendation, one: Assessment, _: Words) -> str:
    """A candidate's figure with its unit, three significant figures.

    Parameters
    ----------
    found : Recommendation
        The answer.
    one : Assessment
        The candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "25.9 USD per million tokens"; "not estimated" without one.
    """
    return figure_text(found.metric, found.standing(one).figure, _)


def figure_text(metric: Metric, figure: float | None, _: Words) -> str:
    """A figure under a metric with its unit, three significant figures.

    Parameters
    ----------
    metric : Metric
        What is measured.
    figure : float or None
        Less is better.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "25.9 USD per million tokens"; "not estimated" without one.
    """
    if figure is None:
        return _("not estimated")
    digits = f"{figure:,.0f}" if metric == "outlay" else _.number(figure)
    return f"{digits} {unit_of(metric, _)}"


def figure_words(found: Recommendation, one: Assessment, _: Words, *, plain: bool = False) -> str:
    """A candidate's figure at the low end of its throughput, with the interval that it carries.

    Parameters
    ----------
    found : Recommendation
        The answer.
    one : Assessment
        The candidate.
    _ : Words
        The reader's language.
    plain : bool
        Whether it stands in a table, without Markdown.

    Returns
    -------
    str
        A phrase without full stop, Markdown unless plain.
    """
    number = figure_number(found, one, _) if plain else f"**{figure_number(found, one, _)}**"
    spread = one.million_tokens_usd
    if found.metric == "million-tokens" and spread is not None and spread[0] < spread[2]:
        return _("{figure} at the low end of its throughput ({low}–{high} over its 80 % interval)",
                 figure=number, low=_.number(spread[0]), high=_.number(spread[2]))  # fmt: skip
    if found.metric == "tokens-per-mw" and one.delivered_tokens_per_s is not None and one.cost.power_kw:
        return _("{figure} ({kw} kW for {tokens} tokens per second at the low end)", figure=number,
                 kw=_.number(one.cost.power_kw), tokens=_.number(one.delivered_tokens_per_s[0]))  # fmt: skip
    if found.metric == "time-to-train" and one.run is not None and one.run.hours_per_billion is not None:
        best, _middle, worst = one.run.hours_per_billion
        return _(
            "{figure} ({low}–{high} over the published rates)", figure=number, low=_.number(best), high=_.number(worst)
        )
    return number


def fleet_words(one: Assessment, _: Words) -> str:
    """How many GPUs, in which layout, and what sets their number.

    Parameters
    ----------
    one : Assessment
        The candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8 GPUs (1 server) as 2 replicas of TP4".
    """
    held = cost.fleet_text(one.cost, _)
    fleet = one.fleet
    if fleet is None or fleet.layout is None or fleet.basis == "stated":
        return held
    layout = layout_word(fleet.layout)
    made = _.count("as {n} replica of {layout}", "as {n} replicas of {layout}", fleet.replicas, layout=layout)
    spare = _.count(" and {n} spare", " and {n} spare", fleet.spares) if fleet.spares else ""
    return f"{held} {made}{spare}"


def set_by_words(one: Assessment, _: Words) -> str:
    """What sets the number of GPUs.

    Parameters
    ----------
    one : Assessment
        The candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A word or two.
    """
    if one.fleet is None:
        return _("stated") if one.cost.gpus is not None else _("not known")
    return {
        "memory": _("memory"),
        "latency": _("latency limit"),
        "throughput": _("request rate"),
        "redundancy": _("spare replicas"),
        "server": _("whole servers"),
        "stated": _("stated"),
        "training": _("stated"),
        "none": _("nothing holds it"),
    }[one.fleet.set_by]


def more_or_less(fraction: float | None, _: Words) -> str:
    """A difference in words: "41 % less", "3.0 % more"."""
    if fraction is None:
        return _("not comparable")
    size = _.percent(abs(fraction), 1)
    return _("{size} less", size=size) if fraction < 0 else _("{size} more", size=size)
