"""The recommendation in words: the answer, its numbers, what to relax, what a power cap holds."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.confidence import Confidence
from lib.choice.quoted import quote_behind
from lib.choice.recommend import Recommendation
from lib.choice.relaxing import Relaxation, WayOut
from lib.choice.standing import NEEDS_THROUGHPUT
from lib.cost.inverse import price_field
from lib.present import cost
from lib.present.measured_words import model_name
from lib.present.price_words import price_word
from lib.present.recommend_beside import other_way, power_cap, ruled_out
from lib.present.recommend_checks import reason
from lib.present.recommend_figures import figure_number, figure_words, fleet_words, metric_name, more_or_less
from lib.present.recommend_words import amount, money, short
from lib.present.text import Words, markdown_safe

_MOST_METRICS: Final = 4
_LEAST_GAP: Final = 0.0005
_LEAST_CHANCE: Final = 0.01
"""Who comes first more rarely than that is not named in a tie."""


def answer(found: Recommendation, catalog: Catalog, _: Words, sure: Confidence | None = None) -> str:
    """Which candidate, for what reason in numbers, and how sure that is.

    Parameters
    ----------
    found : Recommendation
        The answer.
    catalog : Catalog
        For names of models.
    _ : Words
        The reader's language.
    sure : Confidence, optional
        How often the winner stays first.

    Returns
    -------
    str
        Markdown.
    """
    winner = found.winner
    if winner is None:
        return " ".join([_nobody(found, _), *ruled_out(found, _), power_cap(found, _)])
    pieces = [_first(found, winner, catalog, _)]
    if found.rival is not None:
        pieces.append(_against(found, found.rival, _, sure))
    elif len(found.assessments) == 1:
        pieces.append(_("It is the only candidate: add parts in the sidebar to compare."))
    if sure is not None and found.rival is not None:
        theirs = dict(sure.chances).get(found.rival.place)
        second = (
            ""
            if theirs is None
            else _(", {rival} in {chance}", rival=cost.option_label(found.rival.cost, _), chance=_.percent(theirs))
        )
        pieces.append(
            _(
                "{option} stays first in **{chance}** of the draws{second}.",
                option=cost.option_label(winner.cost, _),
                chance=_.percent(sure.chance),
                second=second,
            )
        )
    if {one.candidate.accelerator for one in found.assessments if one.can_win} == {winner.candidate.accelerator}:
        if len({one.candidate.accelerator for one in found.assessments}) > 1:
            pieces.append(_("**No other part passes the checks.**"))
    pieces += other_way(found, _)
    return " ".join(pieces)


def _first(found: Recommendation, winner: Assessment, catalog: Catalog, _: Words) -> str:
    message = {
        "million-tokens": _("On cost per million tokens **{option}** comes first: {fleet} for {model}, {figure}; **{npv} USD** over {years}{band}."),
        "gpu-hour": _("On cost per GPU-hour **{option}** comes first: {fleet} for {model}, {figure}; **{npv} USD** over {years}{band}."),
        "tokens-per-mw": _("On tokens per megawatt **{option}** comes first: {fleet} for {model}, {figure}; **{npv} USD** over {years}{band}."),
        "tokens-per-budget": _("On tokens for the budget **{option}** comes first: {fleet} for {model}, {figure}; **{npv} USD** over {years}{band}."),
        "time-to-train": _("On time to train **{option}** comes first: {fleet} for {model}, {figure}; **{npv} USD** over {years}{band}."),
        "outlay": _("On outlay alone **{option}** comes first: {fleet} for {model}, **{npv} USD** over {years}{band}."),
    }[found.metric]  # fmt: skip
    low, high = winner.band_usd or (0.0, 0.0)
    band = _(" ({low}–{high} over the range of its price)", low=money(low), high=money(high)) if low < high else ""
    return message.format(
        option=cost.option_label(winner.cost, _),
        fleet=fleet_words(winner, _),
        model=markdown_safe(model_name(catalog, found.scenario.workload.model, _)),
        figure=figure_words(found, winner, _),
        npv=money(winner.cost.npv_usd),
        years=_.count("{n} year", "{n} years", found.scenario.money.horizon_years),
        band=band,
    )


def _against(found: Recommendation, rival: Assessment, _: Words, sure: Confidence | None) -> str:
    if found.gap is None and found.standing(rival).weighted is not None:
        return _(
            "{rival} stands behind: the first costs nothing at what you state.", rival=cost.option_label(rival.cost, _)
        )
    if found.gap is None:
        return _(
            "{rival} has no such figure, so that it stands behind, at an outlay that is {gap}.",
            rival=cost.option_label(rival.cost, _),
            gap=more_or_less(found.outlay_gap, _),
        )
    if found.is_tie:
        message = _(
            "{rival} stands {gap} behind: **a tie, too close to call**: the ranges overlap by {overlap}. {tie_breaker}"
        )
    elif found.overlap:
        message = _("{rival} stands {gap} behind; the ranges overlap by {overlap} only.")
    elif found.standing(rival).band is not None and _is_single(found, rival):
        message = _("{rival} stands {gap} behind, on a single figure whose range is not known.")
    else:
        message = _("{rival} stands {gap} behind, and the ranges do not meet.")
    breaker = _("Run your load on both to decide.") if found.metric != "outlay" else _("Quotes decide.")
    said = message.format(
        rival=cost.option_label(rival.cost, _),
        gap=_.percent(found.gap, 1),
        overlap=_.percent(found.overlap),
        tie_breaker=breaker,
    )
    said += _trade(found, rival, _)
    chances = dict(sure.chances) if sure is not None else {}
    others = [
        _("{option} (first in {chance})", option=cost.option_label(one.cost, _), chance=_.percent(chances[one.place]))
        if one.place in chances
        else cost.option_label(one.cost, _)
        for one in found.tied
        if one not in (found.winner, rival) and chances.get(one.place, 1.0) >= _LEAST_CHANCE
    ]
    if not others:
        return said
    tied = (
        _(" In the tie too: {options}.") if found.is_tie else _(" A tie with the first within their bands: {options}.")
    )
    return said + tied.format(options="; ".join(others))


def _trade(found: Recommendation, rival: Assessment, _: Words) -> str:
    """What the winner costs and does against its rival: why it stands first."""
    winner = found.winner
    if winner is None or found.metric not in NEEDS_THROUGHPUT or found.outlay_gap is None:
        return ""
    ours, theirs = winner.delivered_tokens_per_s, rival.delivered_tokens_per_s
    if not ours or not theirs:
        return ""
    return " " + _(
        "Against it {winner} costs {cost} and does {work} work at the low end.",
        winner=cost.option_label(winner.cost, _),
        cost=more_or_less(1 / (1 + found.outlay_gap) - 1, _),
        work=more_or_less(ours[0] / theirs[0] - 1, _) if abs(ours[0] / theirs[0] - 1) >= _LEAST_GAP else _("as much"),
    )


def _is_single(found: Recommendation, one: Assessment) -> bool:
    band = found.standing(one).band
    return band is not None and band[0] == band[1]


def _nobody(found: Recommendation, _: Words) -> str:
    passing = any(one.is_feasible for one in found.assessments)
    if not found.ways_out:
        if passing:
            return _("**No candidate that passes the checks has a cost**: what each one lacks stands under Checks.")
        return _("**No candidate passes every check**, and no limit set here would help.")
    way = found.ways_out[0]
    first = found.eased or way.assessment
    why = (
        _("**No candidate that passes the checks has a cost.**")
        if passing
        else _("**No candidate passes every check.**")
    )
    return (
        why
        + " "
        + _(
            "The smallest change: {changes}; then {option} comes first, at {npv} USD.",
            changes=_.listing([relaxation(one, way, _) for one in way.relaxations]),
            option=cost.option_label(first.cost, _),
            npv=money(first.cost.npv_usd),
        )
    )


def change_of(way: WayOut, _: Words) -> str:
    """What a button does that changes the limits of a way out.

    Parameters
    ----------
    way : WayOut
        The smallest change.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown: the change where it is one, else that there are several.
    """
    if len(way.relaxations) > 1:
        return _("Change these limits")
    return _("Change {limit}", limit=relaxation(way.relaxations[0], way, _))


def relaxation(one: Relaxation, way: WayOut, _: Words) -> str:
    """One limit that would have to give way, and how far.

    Parameters
    ----------
    one : Relaxation
        The limit.
    way : WayOut
        Whom it lets in.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase without capital and full stop.
    """
    match one.check:
        case "power":
            return _("the power cap from {now} to {to} kW", now=amount(one.now), to=amount(one.to))
        case "budget":
            return _("the budget cap from {now} to {to} USD", now=amount(one.now), to=amount(one.to))
        case "yearly":
            years = [
                _("{to} USD in year {year}", to=amount(after), year=year)
                for year, (before, after) in enumerate(zip(one.now, one.to, strict=True), start=1)
                if before != after
            ]
            return _("the budget by year to {years}", years=_.listing(years))
        case "deadline":
            return _("the deadline from {now} to {to}", now=one.now, to=one.to)
        case "gpus":
            return _("the GPU cap from {now} to {to}", now=amount(one.now), to=amount(one.to))
        case "software":
            gone = [markdown_safe(name) for name in one.now if name not in one.to]
            return _("do without {products}", products=_.listing(gone))
        case "memory" if one.now is None:
            return _("{n} GPUs of {part} with the model in pipeline stages", n=one.to, part=short(way.assessment))
        case "memory":
            return _("{to} GPUs of {part} instead of {now}", now=one.now, to=one.to, part=short(way.assessment))
    name = one.check.upper()
    return _("the {name} limit from {now} to {to} ms", name=name, now=amount(one.now), to=amount(one.to))


def metrics(found: Recommendation, sure: Confidence | None, _: Words) -> list[tuple[str, str, str]]:
    """The four numbers of the page: label, value, help.

    Parameters
    ----------
    found : Recommendation
        The answer.
    sure : Confidence or None
        How sure it is.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Empty where nobody can be recommended.
    """
    winner = found.winner
    if winner is None:
        return []
    low, high = winner.band_usd or (0.0, 0.0)
    rows = []
    if found.metric != "outlay":
        rows.append(
            (
                metric_name(found.metric, _, capital=True),
                figure_number(found, winner, _),
                _("{option} at the low end of its throughput: {words}.", option=cost.option_label(winner.cost, _),
                  words=figure_words(found, winner, _)),
            )
        )  # fmt: skip
    rows.append(
        (
            _("NPV of {option}, USD", option=cost.option_label(winner.cost, _)),
            money(winner.cost.npv_usd),
            _("Net present value of all payments; {low}–{high} USD over the range of its price.",
              low=money(low), high=money(high)),
        )
    )  # fmt: skip
    if sure is not None:
        rows.append(
            (
                _("Stays first"),
                _.percent(sure.chance),
                _(
                    "Share of {draws} draws of prices, costs and throughput in which {part} comes first, ± {error}; seed {seed}.",
                    draws=f"{sure.draws:,}", part=short(winner), error=_.percent(sure.standard_error, 1), seed=sure.seed,
                ),
            )
        )  # fmt: skip
    if found.rival is not None and found.gap is not None:
        rows.append(
            (
                _("{option} behind by", option=cost.option_label(found.rival.cost, _)),
                _("{gap} (tie)", gap=_.percent(found.gap, 1)) if found.is_tie else _.percent(found.gap, 1),
                _(
                    "A tie where the bands cover more than half of the narrower one: price range and own throughput error."
                ),
            )
        )
    if len(rows) < _MOST_METRICS:
        rows.append(
            (
                _("Checks without an answer"),
                _("{n} of {all}", n=len(winner.open_checks), all=len(winner.checks)),
                _("Checks of {part} that no published fact decides.", part=short(winner)),
            )
        )
    return rows


def chart_in_words(found: Recommendation, _: Words) -> str:
    """The picture's finding for those who cannot see it.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    pieces = []
    for _place, one in found.shown:
        label = cost.option_label(one.cost, _)
        band = found.standing(one).band
        if band is None:
            piece = _("{option} without a figure", option=label)
        else:
            piece = f"{label} {figure_number(found, one, _)} ({_.span(*band)})"
        if one.failed:
            piece += _(", ruled out: {reasons}", reasons=_.listing([reason(check, _) for check in one.failed]))
        pieces.append(piece)
    return _(
        "{metric} in the order of the answer: {pieces}.",
        metric=metric_name(found.metric, _, capital=True),
        pieces="; ".join(pieces),
    )


def caption(found: Recommendation, catalog: Catalog, _: Words) -> str:
    """What the picture rests on: kinds of prices, date, edition.

    Parameters
    ----------
    found : Recommendation
        The answer.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One line.
    """
    kinds: dict[str, int] = {}
    dates: set[str] = set()
    prices = {row.price_id: row.as_of for row in catalog.prices}
    for one in found.assessments:
        if one.cost.option is None or one.cost.defaults is None:
            continue
        origin = one.cost.defaults.origins[price_field(one.cost.option.acquisition)]
        word = price_word(one.cost, quote_behind(catalog, found.scenario, one.cost.candidate), _)
        kinds[word] = kinds.get(word, 0) + 1
        if origin.kind != "user":
            dates |= {prices.get(name) or _assumed_in(catalog, name) for name in origin.ids}
    edition = _("Data edition {edition}.", edition=catalog.edition.label)
    edition = _("Ranked by the point; bands that cover each other by more than half are a tie.") + " " + edition
    if len(found.shown) < len(found.assessments):
        said = _(
            "Each part in its best way, the first part in all; the table below has all {n} options.",
            n=len(found.assessments),
        )
        edition = f"{said} {edition}"
    if not kinds:
        return edition
    known = sorted(dates - {""})
    when = _(", dated {first} to {last}", first=known[0], last=known[-1]) if known else ""
    if "" in dates:
        when += _(", some undated")
    counted = ", ".join(f"{word} ({count})" for word, count in kinds.items())
    return _("Prices: {counted}{when}; tax is left out. {edition}", counted=counted, when=when, edition=edition)


def _assumed_in(catalog: Catalog, name: str) -> str:
    row = catalog.assumptions.get(name)
    return row.as_of if row else ""
