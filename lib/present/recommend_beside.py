"""What stands beside a recommendation: whose price is a guess, who is out, what is open, what the order rests on."""

from typing import Final

from lib.choice.assessment import Assessment
from lib.choice.recommend import Recommendation
from lib.present import cost, names
from lib.present.recommend_checks import reasons
from lib.present.recommend_figures import figure_number, metric_name
from lib.present.recommend_words import amount, article_letter, money, short
from lib.present.text import Words, markdown_safe

_MOST_NAMED: Final = 2
"""Candidates ruled out that the answer names."""


def beside(found: Recommendation, _: Words) -> list[str]:
    """What a reader must know beside the answer: who is out, what is open, what it rests on, who is first elsewhere.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences; empty without a winner.
    """
    winner = found.winner
    if winner is None:
        return []
    told = [*_ways(found, winner, _), *_prices(found, winner, _), *_per_token(found, winner, _), *ruled_out(found, _)]
    told += [*_open(winner, _), *_measured(found, _), *_basis(found, _), power_cap(found, _)]
    told += [_at_other_prices(one, winner, _) for one in found.at_other_prices]
    return [one for one in told if one]


def ruled_out(found: Recommendation, _: Words) -> list[str]:
    """Who fails and why; where nobody passes or many fail the checks below say it better."""
    failing = [one for one in found.assessments if one.failed]
    if not failing:
        return []
    if len(failing) > _MOST_NAMED or found.winner is None:
        return [_("What rules each one out stands under Checks.")]
    pieces = [f"{cost.option_label(one.cost, _)} ({reasons(one.failed, _)})" for one in failing]
    return [_("Ruled out: {options}.", options="; ".join(pieces))]


def power_cap(found: Recommendation, _: Words) -> str:
    """What the power cap holds, in one sentence; empty without one.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    kept = [one for one in found.filled if one.servers]
    if not kept or found.scenario.constraints.power_kw is None:
        return ""
    most = max(kept, key=lambda one: one.copies or 0)
    cap = amount(found.scenario.constraints.power_kw)
    if most.copies is None:
        return _(
            "{cap} kW hold {servers} servers of {part} ({gpus} GPUs, {gib} GiB), the most memory of all.",
            cap=cap, servers=kept[0].servers, part=short(kept[0].assessment), gpus=kept[0].gpus,
            gib=_.number(kept[0].memory_gib),
        )  # fmt: skip
    return _(
        "{cap} kW hold most replicas with {part}: **{copies}**, on {gpus} GPUs in {servers} servers, for {npv} USD.",
        cap=cap, part=short(most.assessment), copies=most.copies, gpus=most.gpus, servers=most.servers,
        npv=money(most.npv_usd),
    )  # fmt: skip


def _prices(found: Recommendation, winner: Assessment, _: Words) -> list[str]:
    """Whose price is an estimate and no list price: the first thing to ask a vendor for."""
    guessed = [
        cost.option_label(one.cost, _) for one in (winner, found.rival) if one is not None and one.is_priced_by_estimate
    ]
    if not guessed:
        return []
    return [
        _(
            "**The price of {options} is our estimate**, for want of three dated list prices: ask for a quote before anything else.",
            options=_.listing(guessed),
        )
    ]


def other_way(found: Recommendation, _: Words) -> list[str]:
    """The cheaper way of having what comes first, where the buyer has stated another one.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        One sentence, or none.
    """
    one, winner = found.cheaper_way, found.winner
    if one is None or one.npv_usd is None or winner is None or not winner.cost.npv_usd:
        return []
    return [
        _(
            "**Cheaper had another way: {option}, {fleet}, for {npv} USD ({change}).**",
            fleet=cost.fleet_text(one, _),
            option=cost.option_label(one, _),
            npv=money(one.npv_usd),
            change=f"{100 * (one.npv_usd / winner.cost.npv_usd - 1):+.0f} %".replace("-", "−"),
        )
    ]


def _ways(found: Recommendation, winner: Assessment, _: Words) -> list[str]:
    """The first part had in the other ways that were ranked, and a longer commitment that costs more than a shorter one."""
    alike = [
        one
        for one in found.assessments
        if one.can_win
        and one.candidate.accelerator == winner.candidate.accelerator
        and one.candidate.price_basis == winner.candidate.price_basis
    ]
    others = [one for one in alike if one is not winner and found.standing(one).figure is not None]
    told = []
    if others:
        named = [f"{names.acquisition(one.candidate.acquisition, _)} {figure_number(found, one, _)}" for one in others]
        told.append(
            _("{part} had another way: {ways}; {first} here.", part=short(winner), ways=_.listing(named),
              first=f"{names.acquisition(winner.candidate.acquisition, _)} {figure_number(found, winner, _)}")
        )  # fmt: skip
    hourly = {one.candidate.acquisition: one.cost.option.rent_usd_per_gpu_hour for one in alike if one.cost.option}
    short_, long_ = (float(hourly.get(way) or 0.0) for way in ("commit-1y", "commit-3y"))
    if short_ and long_ > short_:
        told.append(
            _("Three years of {part} cost more a GPU-hour ({long} USD) than one ({short} USD): the two prices have different sources.",
              part=short(winner), long=_.number(long_), short=_.number(short_))
        )  # fmt: skip
    return told


def _per_token(found: Recommendation, winner: Assessment, _: Words) -> list[str]:
    """What the cost of a million tokens holds, so that nobody takes it for the price of an interface."""
    if found.metric != "million-tokens" or winner.fleet is None or winner.fleet.speed is None:
        return []
    return [
        _(
            "The cost of a token holds every payment over {years}, discounted at {rate}, over output tokens alone at {use} use: do not "
            "compare it with the price list of an API.",
            years=_.count("{n} year", "{n} years", found.scenario.money.horizon_years),
            rate=_.percent(found.scenario.money.discount_rate),
            use=_.percent(found.scenario.money.utilisation),
        )
    ]


def _measured(found: Recommendation, _: Words) -> list[str]:
    """How often winner and rival were measured alike, beside what we reckon with."""
    winner, rival = found.winner, found.rival
    if winner is None or rival is None or found.between is None or not found.is_sized or short(winner) == short(rival):
        return []
    parts = {"winner": short(winner), "rival": short(rival)}
    group = found.between.leading
    if group is None:
        return [
            _(
                "**No run of this model on {winner} and {rival} under equal conditions is published**: the order rests on estimates.",
                **parts,
            )
        ]
    reckoned = ""
    if winner.question is not None and rival.question is not None and winner.fleet and rival.fleet:
        reckoned = _(", reckoned for your load {ratio}", ratio=_.ratio(_per_gpu(winner) / _per_gpu(rival)))
    return [
        _("Measured per GPU at other loads too, {winner} does {span} the work of {rival} ({pairs}){reckoned}.",
          span=_.span(group.low, group.high) + "×", pairs=_.count("{n} pair", "{n} pairs", group.pairs), reckoned=reckoned, **parts)
    ]  # fmt: skip


def _per_gpu(one: Assessment) -> float:
    """Tokens per second and GPU of the fleet's estimate."""
    assert one.fleet is not None  # noqa: S101 (asked only of an estimate)
    assert one.fleet.speed is not None  # noqa: S101
    assert one.fleet.gpus is not None  # noqa: S101
    return one.fleet.speed.estimate / one.fleet.gpus


def _open(winner: Assessment, _: Words) -> list[str]:
    return [_("Open: {checks}.", checks=reasons(winner.open_checks, _))] if winner.open_checks else []


def _basis(found: Recommendation, _: Words) -> list[str]:
    """What the order leaves out, what was measured of the two, and who would be first if more were known."""
    pieces = []
    over = found.passed_over
    if over is not None:
        pieces.append(
            _(
                "**{option}** would stand before it, were it documented that its formats run there: ask the vendor.",
                option=cost.option_label(over.cost, _),
            )
        )
    if found.winner is not None and not found.winner.is_recommendable:
        pieces.append(_("Whether its formats run there is not documented for any candidate: ask before you sign."))
    if found.scenario.workload.task == "image":
        pieces.append(_("How much work each fleet does is not modelled for this task.") + _mlperf(found, _))
    elif found.metric == "outlay" and found.winner is not None:
        pieces.append(_("How much work each fleet does has no measured basis here, so that cost alone decides."))
    exact = found.nearest is not None and found.nearest.is_exact
    if exact and found.rival is not None and found.nearest is not None and short(found.winner) != short(found.rival):
        pieces.append(
            _(
                "Measured at this load, {winner} does {ratio} the work of {rival} per GPU.",
                winner=short(found.winner),
                ratio=_.ratio(float(found.nearest.pair["ratio"])),
                rival=short(found.rival),
            )
        )
    if found.depends_on_metric:
        others = dict.fromkeys(one for _metric, one in found.by_metric if one is not found.winner)
        named = [
            _("{option} on {metrics}", option=cost.option_label(other.cost, _),
              metrics=_.listing([metric_name(metric, _) for metric, one in found.by_metric if one is other]))
            for other in others
        ]  # fmt: skip
        pieces.append(_("The winner depends on what you measure by: {others}.", others="; ".join(named)))
    return pieces


def _mlperf(found: Recommendation, _: Words) -> str:
    """What MLPerf measured of winner and rival, where it did."""
    measured = found.between.mlperf if found.between else None
    if measured is None:
        return ""
    return _(
        " In MLPerf Inference {rounds} ({benchmark}) {winner} does {span} the work of {rival} per accelerator (best "
        "results; derived, not verified by MLCommons).",
        rounds=", ".join(measured.rounds),
        benchmark=markdown_safe(measured.benchmark),
        winner=short(found.winner),
        span=_.span(measured.low, measured.high) + "×",
        rival=short(found.rival),
    )


def _at_other_prices(one: Assessment, winner: Assessment, _: Words) -> str:
    same = one.candidate.accelerator == winner.candidate.accelerator
    message = (
        _("At the prices of article {article} {option} comes first as well.")
        if same
        else _("At the prices of article {article}, however, {option} comes first.")
    )
    return message.format(article=article_letter(one.candidate.price_source), option=cost.option_label(one.cost, _))
