"""How sure the answer is, in words and tables: chances, what dominates the doubt, regret."""

from typing import Final

import pandas as pd

from lib.choice.confidence import FUTURES, Confidence, DoubtShare, FutureName
from lib.choice.flip_points import candidate_at
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.cost_names import field_name
from lib.present.recommend_figures import unit_of
from lib.present.text import Words

_LEAST_CHANCE: Final = 0.01
_MOST_OPTIONS: Final = 3
"""An amount that more candidates share is named alone."""

_LEAST_SHARE = 0.02


def sureness(found: Recommendation, sure: Confidence, _: Words) -> str:
    """How often the winner stays first, what the doubt rests on, and what a mistake costs.

    Parameters
    ----------
    found : Recommendation
        The answer.
    sure : Confidence
        How sure it is.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    ranked, rare = [], 0
    for place, chance in sure.chances:
        one = candidate_at(found, place)
        if one is not None and chance >= _LEAST_CHANCE:
            ranked.append(f"{cost.option_label(one.cost, _)} {_.percent(chance)}")
        else:
            rare += 1
    if rare:
        ranked.append(_.count("{n} other below 1 %", "{n} others below 1 % each", rare))
    said = _("First in {draws} draws: {ranked}.", draws=f"{sure.draws:,}", ranked=", ".join(ranked))
    told = [doubt_words(found, one, _) for one in sure.dominant if one.share >= _LEAST_SHARE]
    if told:
        said += " " + _(
            "What decides between the first two, by share of the doubt explained: {doubts}.", doubts="; ".join(told)
        )
    if sure.shared > 0:
        said += " " + _(
            "Of the variance of each throughput estimate {shared} is taken as common to all candidates, since model, load and "
            "engine are the same: so the regression's spreads, fitted between and within sources, have it.",
            shared=_.percent(sure.shared),
        )
    if found.is_training:
        said += " " + _(
            "Training rates are drawn independently between the 10th and the 90th percentile of the published rows."
        )
    return (
        said
        + " "
        + _("Seed {seed}: the same link gives the same figures. What you state is not drawn.", seed=sure.seed)
    )


def doubt_words(found: Recommendation, one: DoubtShare, _: Words) -> str:
    """One thing that is not known, and how much of the doubt it explains.

    Parameters
    ----------
    found : Recommendation
        The answer.
    one : DoubtShare
        The thing.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "price of a server, H200 SXM, buy 12 %".
    """
    options = [
        cost.option_label(each.cost, _) for place in one.places if (each := candidate_at(found, place)) is not None
    ]
    share = _.percent(one.share)
    if one.kind == "throughput-own":
        return _("throughput of one against the other {share}", share=share)
    if one.kind == "throughput-shared":
        return _("throughput of both together {share}", share=share)
    name = field_name(one.field, _)
    if not options or len(options) > _MOST_OPTIONS:
        return f"{name} {share}"
    return f"{name}, {_.listing(options)} {share}"


def future_name(future: FutureName, found: Recommendation, _: Words) -> str:
    """A future in the reader's words.

    Parameters
    ----------
    future : FutureName
        Which one.
    found : Recommendation
        For the names of the first two.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A heading.
    """
    first = cost.option_label(found.winner.cost, _) if found.winner is not None else ""
    second = cost.option_label(found.rival.cost, _) if found.rival is not None else ""
    if first == second:
        first, second = f"1. {first}", f"2. {second}"
    return {
        "as-estimated": _("As estimated"),
        "winner-disappoints": _("{option} disappoints", option=first),
        "rival-surprises": _("{option} surprises", option=second),
        "winner-surprises": _("{option} surprises", option=first),
        "rival-disappoints": _("{option} disappoints", option=second),
    }[future]


def regret_table(found: Recommendation, sure: Confidence, _: Words) -> pd.DataFrame:
    """What each choice costs in each future beyond the best choice there.

    Parameters
    ----------
    found : Recommendation
        The answer.
    sure : Confidence
        With the regrets.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a candidate, one column a future, and the largest regret.
    """
    futures = [one for one in FUTURES if any(each.future == one for each in sure.regrets)]
    lines = []
    for place, chance in sure.chances:
        one = candidate_at(found, place)
        if one is None:
            continue
        line: dict[str, str] = {_("If you choose"): cost.option_label(one.cost, _)}
        for future in futures:
            regret = next(each for each in sure.regrets if each.place == place and each.future == future)
            text = _("best") if regret.regret == 0 else f"+{_.percent(regret.regret)}"
            if regret.regret_usd:
                text += f" ({regret.regret_usd:,.0f} USD)"
            line[future_name(future, found, _)] = text
        line[_("Largest regret")] = _.percent(sure.worst(place))
        line[_("Comes first")] = _.percent(chance)
        lines.append(line)
    return pd.DataFrame(lines)


def regret_note(found: Recommendation, _: Words) -> str:
    """What the futures mean.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    return _(
        "Regret: how much more a choice costs in {unit} than the best choice of that future, and that share of the best "
        "fleet's net present value: a comparison, not a further payment. Disappoints: its price at the high end, its own throughput error at the low end; surprises: the other way round; "
        "everything else as estimated.",
        unit=unit_of(found.metric, _),
    )
