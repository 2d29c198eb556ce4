"""Two scenarios side by side in words: which answer differs, by how much, and which input explains most of it."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import band_overlap
from lib.choice.recommend import Recommendation
from lib.choice.scenario_difference import MOST_GROUPS, Difference, Effect
from lib.choice.scenario_inputs import OPTIONS
from lib.present.compare_names import group_name, group_values
from lib.present.cost import option_label
from lib.present.recommend_words import money
from lib.present.text import Words, markdown_safe

LEAST_USD: Final = 0.5
"""Amounts below this are what adding up floating-point numbers leaves."""

_LONGEST_NAME: Final = 60


def answer(found: Difference, catalog: Catalog, name: str, _: Words) -> str:
    """Which answer differs, by how much, how sure that is, and which input explains most of it.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    catalog : Catalog
        For names of parts and models; with the parts that either scenario states.
    name : str
        What the other scenario is called, Markdown.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    mine, theirs = found.yours.winner, found.other.winner
    if mine is None or theirs is None:
        return " ".join([_without_answer(found, name, _), _differing(found, _)])
    if not found.groups:
        return _(
            "No input differs from {name}, and so the answer is the same: **{option}**, **{npv} USD**{band}.",
            name=name, option=option_label(mine.cost, _), npv=money(mine.cost.npv_usd), band=_band(mine, _),
        )  # fmt: skip
    pieces = [_answers(found, mine, theirs, name, _), _explained(found, catalog, _), _surely(mine, theirs, found, _)]
    return " ".join(piece for piece in pieces if piece)


def _answers(found: Difference, mine: Assessment, theirs: Assessment, name: str, _: Words) -> str:
    if found.is_same_option:
        message = _(
            "Both are advised **{option}**: **{npv} USD**{band} in yours, {other_npv} USD{other_band} in {name}, **{gap}**."
        )
    else:
        message = _("Yours is advised **{option}** at **{npv} USD**{band}, {name} **{other_option}** at {other_npv} USD{other_band}: **{gap}**.")  # fmt: skip
    return message.format(
        option=option_label(mine.cost, _), npv=money(mine.cost.npv_usd), band=_band(mine, _), name=name,
        other_option=option_label(theirs.cost, _), other_npv=money(theirs.cost.npv_usd), other_band=_band(theirs, _),
        gap=gap(found, _),
    )  # fmt: skip


def gap(found: Difference, _: Words) -> str:
    """How much more or less the recommended option costs in your scenario.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "120,000 USD (12.0 %) more"; "the same cost".
    """
    total, theirs = found.total_usd, found.other.winner
    if total is None:
        return _("not computed")
    if abs(total) < LEAST_USD:
        return _("the same cost")
    base = theirs.cost.npv_usd if theirs is not None else None
    share = f" ({_.percent(abs(total) / base, 1)})" if base else ""
    message = _("{amount} USD{share} more") if total > 0 else _("{amount} USD{share} less")
    return message.format(amount=money(abs(total)), share=share)


def _explained(found: Difference, catalog: Catalog, _: Words) -> str:
    main = found.main
    if main is None or main.usd is None:
        return _("None of the inputs that differ moves the cost alone.")
    name = markdown_safe(_clipped(effect_name(main, catalog, _)))
    mine, theirs = (markdown_safe(_clipped(text)) for text in group_values(main.groups[0], catalog, _))
    is_named = len(main.groups) == 1 and main.groups[0].key != OPTIONS
    values = _(" ({yours} against {other})", yours=mine, other=theirs) if is_named else ""
    together = found.together_usd or 0.0
    figures = {"input": name, "effect": signed(main.usd), "values": values, "together": signed(together)}
    if found.is_mostly_together:
        return _(
            "Most of it, **{together} USD**, no input explains alone; by itself **{input}** moves it most: "
            "{effect} USD{values}.",
            **figures,
        )
    if abs(together) >= LEAST_USD:
        return _(
            "**{input}** moves it most: {effect} USD by itself{values}; {together} USD the inputs do only together.",
            **figures,
        )
    return _("**{input}** moves it most: {effect} USD by itself{values}.", **figures)


def _surely(mine: Assessment, theirs: Assessment, found: Difference, _: Words) -> str:
    if mine.band_usd is None or theirs.band_usd is None or abs(found.total_usd or 0.0) < LEAST_USD:
        return ""
    if mine.band_usd[0] == mine.band_usd[1] or theirs.band_usd[0] == theirs.band_usd[1]:
        return _("A price stands on a single figure, so that a range of the difference is not known.")
    if band_overlap(mine.band_usd, theirs.band_usd) > 0:
        return _("The ranges of their prices overlap: quotes may close the gap.")
    return _("The ranges of their prices do not meet.")


def _without_answer(found: Difference, name: str, _: Words) -> str:
    if found.yours.winner is None and found.other.winner is None:
        return _("No option passes in either scenario, so that there is no cost to compare.")
    if found.yours.winner is None:
        return _(
            "In yours no option passes; {name} is advised **{option}** at {npv} USD.",
            name=name, **_figures_of(found.other, _),
        )  # fmt: skip
    return _(
        "Yours is advised **{option}** at **{npv} USD**; in {name} no option passes.",
        name=name, **_figures_of(found.yours, _),
    )  # fmt: skip


def _figures_of(found: Recommendation, _: Words) -> dict[str, str]:
    one = found.winner
    return {"option": option_label(one.cost, _), "npv": money(one.cost.npv_usd)} if one is not None else {}


def _differing(found: Difference, _: Words) -> str:
    return _.count("{n} input differs.", "{n} inputs differ.", inputs_differing(found))


def inputs_differing(found: Difference) -> int:
    """How many inputs differ."""
    return sum(len(one.inputs) for one in found.groups)


def _band(one: Assessment, _: Words) -> str:
    low, high = one.band_usd or (0.0, 0.0)
    return _(" ({low}–{high})", low=money(low), high=money(high)) if low < high else ""


def signed(usd: float | None) -> str:
    """An amount with its sign, to the thousand where it is large; a dash for None."""
    if usd is None:
        return "–"
    shown = money(abs(usd))
    return "0" if shown == "0" else f"{'+' if usd > 0 else '−'}{shown}"


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[:_LONGEST_NAME].rstrip() + "…"


def effect_name(one: Effect, catalog: Catalog, _: Words) -> str:
    """What was switched, as plain text.

    Parameters
    ----------
    one : Effect
        The effect.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The names of its inputs; those beyond the most that are switched alone by their number.
    """
    if len(one.groups) > 1:
        return _.count(
            "{n} more input at once", "{n} more inputs at once", sum(len(each.inputs) for each in one.groups)
        )
    return group_name(one.groups[0], catalog, _)


def metrics(found: Difference, _: Words) -> list[tuple[str, str, str]]:
    """The two costs, what lies between them, and how many inputs differ.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Label, value and explanation.
    """
    explained = _("Net present value of the recommended option, US dollars.")
    rows = [
        (label, _("no option passes") if one is None else f"{money(one.cost.npv_usd)} USD", explained)
        for label, one in (
            (_("Yours: {option}", option=advised(found.yours, _)), found.yours.winner),
            (_("Other: {option}", option=advised(found.other, _)), found.other.winner),
        )
    ]
    between = _("not computed") if found.total_usd is None else f"{signed(found.total_usd)} USD"
    return [
        *rows,
        (_("Yours minus other"), between, _("Above zero, yours costs more.")),
        (_("Inputs that differ"), str(inputs_differing(found)), _("Of the workload in view, options, money, limits.")),
    ]


def advised(found: Recommendation, _: Words) -> str:
    """What a scenario is advised; a dash where no option passes."""
    return "–" if found.winner is None else option_label(found.winner.cost, _)


def method(_: Words) -> str:
    """How the difference is computed.

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
        "Both scenarios are answered as on the page Recommend, each for its workload in view, with today's data. For every "
        "group of inputs that differs, your scenario is answered again with the other's value of that group alone, and the "
        "other with yours; the effect is the mean of the two changes in the net present value of the recommended option. "
        "What is left of the difference is what inputs do only together. With two groups this is the exact Shapley value; "
        "with more it is an approximation. Where one of the two mixtures has no option that passes, the effect comes from one "
        "end. Beyond {most} groups the rest is switched at once. Inputs that mean nothing without each other, such as the "
        "fields of a price, make one group; options that only one scenario has are added and taken out at once.",
        most=MOST_GROUPS,
    )


def without_picture(found: Difference, _: Words) -> str:
    """Why there is no picture.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    if found.total_usd is None:
        return _("One of the two has no option that passes: there is no difference in cost to explain.")
    return _("No input moves the cost of the recommended option, so that there is nothing to draw.")
