"""The article's advice beside ours, agreeing or not, with the reason in numbers; and the rules that ours follows."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.advice import Advice, Rule
from lib.choice.assessment import Assessment
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.recommend_checks import reasons
from lib.present.recommend_figures import figure_number, fleet_words, metric_name
from lib.present.recommend_words import article_letter, money, short
from lib.present.text import Words, markdown_safe
from lib.units import GB


def article_says(given: Advice, found: Recommendation, _: Words) -> str:
    """The article's advice, and whether our answer agrees, with the reason in numbers.

    Parameters
    ----------
    given : Advice
        The advice.
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    said = _(
        "Article {article}: *{advice}*",
        article=article_letter(given.source_id),
        advice=markdown_safe(_.pick(given.english, given.chinese)),
    )
    return f"{said} {_verdict(given, found, _)}"


def _verdict(given: Advice, found: Recommendation, _: Words) -> str:
    winner, advised = found.winner, given.advised
    match given.agreement:
        case "no-part":
            return _("It names no part to choose, so that there is nothing to agree with here.")
        case "not-compared":
            return _("**Not compared**: the part that it names is no candidate here.")
    if winner is None or advised is None:
        return _("**No answer of ours** to hold it against.")
    ours, theirs = _priced(found, winner, _), _priced(found, advised, _)
    basis = _("on {metric}", metric=metric_name(found.metric, _))
    if given.agreement == "agrees":
        rival = _(" Next is {rival}.", rival=_priced(found, found.rival, _)) if found.rival is not None else ""
        if found.is_tie:
            return _("**We agree on the part, within a tie**, {basis}: {ours}.", basis=basis, ours=ours) + rival
        return _("**We agree on the part**, {basis}: {ours}.", basis=basis, ours=ours) + rival
    if given.agreement == "within-tie":
        return _("**Within our tie**: {theirs} against {ours}.", theirs=theirs, ours=ours)
    if given.agreement == "ruled-out":
        return _(
            "**We differ**: a check rules {part} out ({reasons}).",
            part=short(advised),
            reasons=reasons(advised.failed, _),
        )
    return _("**We differ**, {basis}: {ours} against {theirs}.", basis=basis, ours=ours, theirs=theirs)


def rules_say(found: Recommendation, _: Words) -> list[str]:
    """The articles' general rules on this scenario, each agreeing or not, with the reason in numbers.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown, one item a rule.
    """
    return [_rule(one, found, _) for one in found.rules]


def _rule(rule: Rule, found: Recommendation, _: Words) -> str:
    if rule.name == "memory-per-dollar":
        said = _("Article A3's rule, *most memory for the money*:")
        if rule.picked is None:
            return said + " " + _("no candidate has both a memory and a cost.")
        values = dict(rule.values)
        ours = values.get(found.winner.place) if found.winner is not None else None
        numbers = _("{part} holds {most} GiB per 1,000 USD", part=cost.option_label(rule.picked.cost, _),
                    most=_.number(values[rule.picked.place]))  # fmt: skip
        if ours is not None and rule.picked is not found.winner:
            numbers += _(", our first {ours}", ours=_.number(ours))
        return f"{said} {numbers}. {_agreeing(rule.agreement, _)}"
    said = _("Article A2's advice, *MI300X for models bound by memory, where the team is ready for ROCm*:")
    size = rule.values[0][1] / GB if rule.values else None
    if not rule.applies:
        return (
            said
            + " "
            + _(
                "it does not speak of this case: the weights take {size} GB, which one card of 80 GB holds.",
                size=_.number(size),
            )
        )
    reach = _("the weights take {size} GB, more than a card of 80 GB.", size=_.number(size))
    return f"{said} {reach} {_agreeing(rule.agreement, _)}"


def _agreeing(agreement: str, _: Words) -> str:
    return {
        "agrees": _("**We agree.**"),
        "within-tie": _("**Within our tie.**"),
        "differs": _("**We differ**: another candidate does the work for less."),
        "ruled-out": _("**We differ**: a check rules it out."),
        "not-compared": _("**Not compared**: it is no candidate here."),
        "no-answer": _("**No answer of ours** to hold it against."),
    }.get(agreement, "")


def advice_table(every: Sequence[Recommendation], catalog: Catalog, _: Words) -> pd.DataFrame:
    """Each article's advice for its scenario beside our answer to the preset.

    Parameters
    ----------
    every : sequence of Recommendation
        From `of_every_preset`.
    catalog : Catalog
        For titles of presets.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a scenario.
    """
    rows = []
    for found in every:
        given, facts = found.advice, catalog.presets[found.scenario.preset]
        if given is None:
            continue
        ours = (
            _("nobody passes")
            if found.winner is None
            else f"{option_words(found.winner, _)}, {figure_number(found, found.winner, _)}"
        )
        theirs = (
            ""
            if given.advised is None or found.winner is given.advised
            else f"{option_words(given.advised, _)}, {figure_number(found, given.advised, _)}"
        )
        rows.append(
            (
                _.pick(facts["title_en"], facts["title_zh"]),
                article_letter(given.source_id),
                _.pick(given.english, given.chinese),
                _agreeing(given.agreement, _).replace("**", "") or _("It names no part to choose."),
                ours,
                theirs,
            )
        )
    heads = (
        _("Scenario"), _("Article"), _("It advises"), _("Agreement"), _("Our first"), _("Its choice by our figures"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=list(heads))


def option_words(one: Assessment, _: Words) -> str:
    """A candidate's name: part, way of having it, whose price.

    Parameters
    ----------
    one : Assessment
        The candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "MI300X, buy".
    """
    return cost.option_label(one.cost, _)


def rules(found: Recommendation, _: Words) -> str:
    """How the page decides, in the order in which it does.

    Parameters
    ----------
    found : Recommendation
        For the numbers that the rules were run with.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    prefers = found.scenario.prefers
    return _(
        "1. **Fleet.** Replicas are the most that memory (every sequence in flight has a place), the latency limits (at the "
        "estimate) and the rate of requests (at the low end of the throughput interval, {target} of what the fleet can do, "
        "a choice of yours) ask for, plus spares. Of the layouts the one with the fewest GPUs paid for; servers that are "
        "paid for anyway work too where the load is requests in flight.\n"
        "2. **Checks.** A candidate that fails one is not recommended; what no published fact decides is open. Formats: what "
        "part and engine are not documented to run stands behind what is. Software: current documentation decides. Latency: "
        "a measured run decides where its load makes that safe, else the whole interval of the estimate. Power: servers "
        "under a heavy average load times PUE.\n"
        "3. **Figure.** The lowest {metric} at the low end of the throughput interval, prices of one source against each "
        "other, the catalogue's first. Tastes: software risk weighs {software} and thin evidence {evidence} of the figure.\n"
        "4. **Ties.** Two candidates tie where their bands cover more than half of the narrower one. A band holds the range "
        "of the price and the candidate's own throughput error; {shared} of the variance is common to all and cannot change "
        "their order (from the spreads fitted to residuals between and within sources).\n"
        "5. **Confidence.** Costs and throughput drawn together with a fixed seed; what you state is not drawn.",
        target=_.percent(prefers.target_load),
        metric=metric_name(found.metric, _),
        software=_.percent(prefers.software_weight),
        evidence=_.percent(prefers.evidence_weight),
        shared=_.percent(found.shared_error),
    )


def _priced(found: Recommendation, one: Assessment | None, _: Words) -> str:
    if one is None:
        return ""
    label = cost.option_label(one.cost, _)
    if one.cost.npv_usd is None:
        return _("{option} without a price", option=label)
    if found.metric != "outlay" and found.standing(one).figure is not None:
        return _(
            "{option} at {figure} with {fleet}",
            option=label,
            figure=figure_number(found, one, _),
            fleet=fleet_words(one, _),
        )
    return _("{option} at {npv} USD with {fleet}", option=label, npv=money(one.cost.npv_usd), fleet=fleet_words(one, _))
