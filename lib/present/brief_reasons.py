"""Why the board is shown this proposal, how sure it is, and what may go wrong: sentences of the brief."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.checks import Check
from lib.choice.confidence import FUTURES, Confidence, FutureName, Regret
from lib.choice.recommend import Recommendation
from lib.choice.standing import NEEDS_THROUGHPUT
from lib.present import cost
from lib.present.measured_words import model_name
from lib.present.recommend_article import article_says
from lib.present.recommend_beside import other_way
from lib.present.recommend_checks import reasons
from lib.present.recommend_confidence import doubt_words, future_name
from lib.present.recommend_figures import figure_words, fleet_words, metric_name, more_or_less, unit_of
from lib.present.recommend_words import amount, money
from lib.present.text import Words, markdown_safe

_LEAST_SHARE: Final = 0.1
"""Share of the doubt from which on a thing is named to the board."""

_LEAST_RISK: Final = 0.005


def ruled_out(one: Assessment, _: Words) -> str:
    """What rules a candidate out; empty where nothing does."""
    return reasons(one.failed, _) if one.failed else ""


def sureness(found: Recommendation, sure: Confidence | None, _: Words) -> str:
    """How sure the proposal is, in one or two sentences: a tie is called one."""
    if found.winner is None:
        return ""
    if found.rival is None:
        return _("It is the only candidate that can be compared.")
    pieces = []
    if found.is_tie:
        others = [cost.option_label(one.cost, _) for one in found.tied if one is not found.winner]
        message = (
            _("Too close to call against {options}: firm quotes decide.")
            if found.metric == "outlay"
            else _("Too close to call against {options}: a run of your load on each decides.")
        )
        pieces.append(message.format(options="; ".join(others)))
    elif found.gap is not None:
        rival = cost.option_label(found.rival.cost, _)
        pieces.append(_("{rival} stands {gap} behind.", rival=rival, gap=_.percent(found.gap, 1)))
    else:
        pieces += _against(found, _)
    if sure is not None and is_race(sure):
        pieces.append(
            _("It comes first in {chance} of {draws} simulated cases of prices, costs and throughput.",
              chance=_.percent(sure.chance), draws=f"{sure.draws:,}")
        )  # fmt: skip
    return " ".join(pieces)


def is_race(sure: Confidence) -> bool:
    """Whether more than one candidate has the figure that is drawn: who runs alone is always first."""
    return len(sure.chances) > 1


def why(found: Recommendation, catalog: Catalog, _: Words) -> list[str]:
    """The reasons for the proposal; where there is none, what rules each candidate out."""
    winner = found.winner
    failing = [one for one in found.assessments if one.failed]
    told = []
    if winner is not None:
        option = cost.option_label(winner.cost, _)
        model = markdown_safe(model_name(catalog, found.scenario.workload.model, _))
        told.append(_("{option} for {model}: {fleet}.", option=option, model=model, fleet=fleet_words(winner, _)))
        if found.metric != "outlay":
            told.append(
                _("Measured by {metric}: {figure}.", metric=metric_name(found.metric, _), figure=figure_words(found, winner, _))
            )  # fmt: skip
        told += _against(found, _)
        if found.depends_on_metric:
            others = dict.fromkeys(one for _metric, one in found.by_metric if one is not winner)
            named = [
                _("{option} on {metrics}", option=cost.option_label(other.cost, _),
                  metrics=_.listing([metric_name(metric, _) for metric, one in found.by_metric if one is other]))
                for other in others
            ]  # fmt: skip
            told.append(_("By other measures another comes first: {others}.", others="; ".join(named)))
    told += other_way(found, _)
    told += [_("Ruled out: {option} ({why}).", option=cost.option_label(one.cost, _), why=ruled_out(one, _))
             for one in failing]  # fmt: skip
    told += _defined([check for one in failing for check in one.failed], _)
    if found.advice is not None:
        told.append(_("The article's advice: {advice}", advice=article_says(found.advice, found, _)))
    return told


def _against(found: Recommendation, _: Words) -> list[str]:
    rival = found.rival
    if rival is None:
        return []
    option = cost.option_label(rival.cost, _)
    if found.gap is None and found.standing(rival).weighted is not None:
        return [_("{rival} stands behind: the first costs nothing at what you state.", rival=option)]
    if found.gap is None:
        gap = more_or_less(found.outlay_gap, _)
        return [_("{option} has no such figure; its outlay is {gap}.", option=option, gap=gap)]
    behind = _.percent(found.gap, 1)
    if found.overlap is None:
        return [_("The next, {option}, stands {gap} behind.", option=option, gap=behind)]
    overlap = _.percent(found.overlap)
    return [
        _("The next, {option}, stands {gap} behind; the bands of the two overlap by {overlap}.",
          option=option, gap=behind, overlap=overlap)
    ]  # fmt: skip


def risks(found: Recommendation, sure: Confidence | None, _: Words) -> list[str]:
    """What may go wrong with the proposal, each with its size where that is known."""
    winner = found.winner
    if winner is None:
        return []
    told = []
    low, high = winner.band_usd or (0.0, 0.0)
    if low < high:
        told.append(_("Its cost lies between {low} and {high} USD over the range of its price.", low=money(low), high=money(high)))  # fmt: skip
    if sure is not None:
        told += _regrets(found, sure, _)
        doubts = [doubt_words(found, one, _) for one in sure.dominant if one.share >= _LEAST_SHARE]
        if doubts and found.rival is not None:
            told.append(_("Most of the doubt between the first two comes from: {doubts}.", doubts="; ".join(doubts)))
    if winner.open_checks:
        open_ = _("Not decided by any published fact: {checks}.", checks=reasons(winner.open_checks, _))
        told.append(" ".join([open_, *_defined(winner.open_checks, _)]))
    if winner.risk.software >= _LEAST_RISK:
        told.append(
            _("{runs} of {asked} software products looked at run unchanged; the others need changes, are not documented or do not run "
              "(risk {risk} of 1).",
              risk=_.number(winner.risk.software, 2), runs=winner.risk.runs, asked=winner.risk.asked)
        )  # fmt: skip
    over = found.passed_over
    if over is not None:
        told.append(
            _("{option} would stand before it, were it documented that its formats run there.",
              option=cost.option_label(over.cost, _))
        )  # fmt: skip
    return told


def _defined(checks: Sequence[Check], _: Words) -> list[str]:
    """What the latencies among some checks are, and what their limits mean, once each."""
    limits = {check.name: check.values["limit_ms"] for check in reversed(checks) if check.name in ("ttft", "tpot")}
    said = {
        "ttft": _("TTFT is the time to the first token: how long a user waits for an answer to begin; the question allows {limit} ms."),
        "tpot": _("TPOT is the time per output token: how long a user waits for each further token of an answer; the question allows {limit} ms."),
    }  # fmt: skip
    return [text.format(limit=amount(limits[name])) for name, text in said.items() if name in limits]


def _regrets(found: Recommendation, sure: Confidence, _: Words) -> list[str]:
    """How far the choice stands behind the best one in each future in which it is not the best: no payment, a comparison."""
    told, prefers = [], found.scenario.prefers
    is_paid = found.metric == "outlay" and not (prefers.software_weight or prefers.evidence_weight)
    for future in FUTURES:
        one: Regret | None = next(
            (each for each in sure.regrets if each.future == future and each.place == sure.winner), None
        )
        if one is None or one.regret <= 0:
            continue
        message = (
            _(
                "{when}, the net present value of the choice is {share}, about {usd} USD, above that of the best alternative."
            )
            if is_paid
            else _(
                "{when}, the same work costs {share} more, in {unit}, with the proposal than with the best alternative there: worth about "
                "{usd} USD, a comparison and no invoice."
            )
        )
        told.append(
            message.format(
                when=_when(future, found, _),
                share=_.percent(one.regret),
                unit=unit_of(found.metric, _),
                usd=money(one.regret_usd),
            )
        )
    return told


def _when(future: FutureName, found: Recommendation, _: Words) -> str:
    """A future as the beginning of a sentence, with what it means for the candidate that it names."""
    if future == "as-estimated":
        return _("With every estimate at its middle")
    message = {
        ("disappoints", True): _("If {future} (its price at the high end, its throughput at the low end)"),
        ("disappoints", False): _("If {future} (its price at the high end)"),
        ("surprises", True): _("If {future} (its price at the low end, its throughput at the high end)"),
        ("surprises", False): _("If {future} (its price at the low end)"),
    }[future.partition("-")[2], found.metric in NEEDS_THROUGHPUT]
    return message.format(future=future_name(future, found, _))
