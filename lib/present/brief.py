"""What the board is shown: one record of plain words and numbers, which the page, the slides and the report share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice import presets
from lib.choice.assessment import Assessment
from lib.choice.confidence import Confidence
from lib.choice.costed import Costed
from lib.choice.flips import FlipPoint
from lib.choice.page_choices import View
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Scenario
from lib.choice.standing import NEEDS_THROUGHPUT
from lib.choice.unknowns import Unknown, unknowns
from lib.choice.ways import opened
from lib.present import brief_evidence, brief_reasons, cost, names
from lib.present import recommend as recommendation
from lib.present.figures.style import Look
from lib.present.measured_words import model_name
from lib.present.open_questions import questions_table
from lib.present.recommend_figures import figure_number, figure_words, metric_name, unit_of
from lib.present.recommend_flips import flips_table, headline
from lib.present.recommend_words import money
from lib.present.text import LANGUAGES, Words, markdown_safe, plain

_MOST_CURVES: Final = 6
_DELIVERY: Final = frozenset({"lead-time-reported", "lead-time", "deadline", "status"})
"""Codes of open questions on when the part is there, and whether it is to be had."""


@dataclass(frozen=True, slots=True)
class Number:
    """One of the three numbers: what it is, its value with its unit, and what it means."""

    label: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One candidate under the governing metric; `value` is None without a figure, `note` says what rules it out."""

    name: str
    colour: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Curve:
    """What one candidate has cost by the end of each month, discounted [USD]; `mark` is its place in the recommendation."""

    mark: str
    name: str
    part: str
    colour: str
    is_rented: bool
    usd: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Brief:
    """A decision on one page: every text is plain, in the reader's language, without any markup.

    `ranking` has the governing figure of every candidate, `low` and `high` its whole range. `headline` is the proposal with its cost, `sure` how sure it is; `turns` the nearest changes in one sentence and
    `changes` all of them; `gaps` what is not known and whom to ask; `facts` every row behind the first two candidates.
    """

    language: str
    language_name: str
    question: str
    headline: str
    sure: str
    answer: str
    numbers: tuple[Number, ...]
    ranking_title: str
    ranking_unit: str
    ranking_note: str
    ranking: tuple[Bar, ...]
    curves_title: str
    curves: tuple[Curve, ...]
    why: tuple[str, ...]
    turns: str
    changes: Grid
    risks: tuple[str, ...]
    evidence: tuple[str, ...]
    gaps: Grid
    sources: Grid
    facts: Grid
    link: str
    edition: str
    edition_date: str


def file_name(catalog: Catalog, scenario: Scenario, ending: str) -> str:
    """A file for the board: named after the preset and the date of the edition."""
    return f"brief-{scenario.preset or 'scenario'}-{catalog.edition.date}.{ending}"


def brief(
    catalog: Catalog,
    found: Recommendation,
    sure: Confidence | None,
    flips: Sequence[FlipPoint],
    looks: Mapping[str, Look],
    _: Words,
    link: str,
) -> Brief:
    """The answer to a scenario as a board reads it.

    Parameters
    ----------
    catalog : Catalog
        The edition, with the parts that the scenario states.
    found : Recommendation
        The answer.
    sure : Confidence or None
        How sure it is.
    flips : sequence of FlipPoint
        What would change it, the nearest first.
    looks : mapping of str to Look
        Colours of the parts on a light ground.
    _ : Words
        The reader's language.
    link : str
        Where the same scenario opens.

    Returns
    -------
    Brief
        Also where nobody can be recommended: then it says what rules each one out and what would help.
    """
    pair = [one for one in (found.winner, found.rival) if one is not None] or list(found.assessments[:1])
    rows = brief_evidence.fact_rows(found.scenario, [one.cost for one in pair], catalog, _)
    costed = [(place, one) for place, one in found.shown if one.cost.flows is not None]
    return Brief(
        language=_.language,
        language_name=LANGUAGES[_.language],
        question=question(catalog, found.scenario, _),
        headline=proposal(found, _),
        sure=plain(brief_reasons.sureness(found, sure, _)),
        answer=plain(recommendation.answer(found, catalog, _, sure)),
        numbers=_numbers(found, sure, _),
        ranking_title=_ranking_title(found, _),
        ranking_unit=unit_of(found.metric, _),
        ranking_note=_ranking_note(found, _),
        ranking=tuple(_bar(place, one, found, looks, _) for place, one in found.shown),
        curves_title=_curves_title([one for _place, one in costed], found, _),
        curves=tuple(_curve(_mark(place, one), one.cost, looks, _) for place, one in costed[:_MOST_CURVES]),
        why=tuple(map(plain, brief_reasons.why(found, catalog, _))),
        turns=plain(headline(flips, found, catalog, _)) if found.winner is not None and len(found.assessments) > 1 else "",
        changes=grid(flips_table(flips, found, catalog, _)),
        risks=tuple(map(plain, brief_reasons.risks(found, sure, _))),
        evidence=tuple(map(plain, brief_evidence.evidence(found, pair, catalog, _))),
        gaps=grid(questions_table(sorted(unknowns(catalog, found), key=_is_not_delivery), _)),
        sources=Grid(brief_evidence.source_heads(_), brief_evidence.source_rows(rows, found, catalog, _)),
        facts=Grid(brief_evidence.fact_heads(_), brief_evidence.fact_lines(rows, catalog, _)),
        link=link,
        edition=catalog.edition.label,
        edition_date=catalog.edition.date,
    )  # fmt: skip


def _is_not_delivery(one: Unknown) -> bool:
    """For an order in which the date of delivery comes first: a board decides on an order, and the date is its first risk."""
    return one.code not in _DELIVERY


def grid(frame: pd.DataFrame) -> Grid:
    """A table of words as plain texts."""
    return Grid(
        tuple(map(str, frame.columns)),
        tuple(tuple(plain(str(cell)) for cell in row) for row in frame.itertuples(index=False)),
    )


def frame(told: Grid, most: int | None = None) -> pd.DataFrame:
    """A table as the page shows it, its first rows where `most` is given; texts escaped."""
    rows = [tuple(map(markdown_safe, row)) for row in told.rows[:most]]
    return pd.DataFrame(rows, columns=list(map(markdown_safe, told.heads)))


def left_out(told: Grid, shown: int, _: Words) -> str:
    """How many rows of a table are shown where not all of them are; blank where they are."""
    if shown >= len(told.rows):
        return ""
    return _("{n} of {all}, the rest in the report.", n=shown, all=len(told.rows))


def raw_frame(told: Grid) -> pd.DataFrame:
    """A table as it is written into a file."""
    return pd.DataFrame(list(told.rows), columns=list(told.heads))


def listed(texts: Sequence[str]) -> str:
    """Texts as a list in Markdown."""
    return "\n".join(f"- {markdown_safe(text)}" for text in texts)


def curves_in_words(told: Brief) -> str:
    """What each candidate has cost at the end, for those who cannot see the curves."""
    return told.curves_title + ": " + "; ".join(f"{curve.name} {curve.usd[-1]:,.0f} USD" for curve in told.curves)


def lead(told: Brief) -> str:
    """The proposal and how sure it is, in Markdown: the answer of the page."""
    end = "" if told.headline.endswith((".", "。")) else "。" if told.language == "zh" else "."
    return f"**{markdown_safe(told.headline)}{end}** {markdown_safe(told.sure)}"


def neighbours(sections: Sequence[str], current: str) -> tuple[str, str, int]:
    """The section before and after one, the ends staying where they are, and its number from 1."""
    place = sections.index(current) if current in sections else 0
    return sections[max(place - 1, 0)], sections[min(place + 1, len(sections) - 1)], place + 1


def sections_of(told: Brief) -> tuple[str, ...]:
    """The sections of the presentation that have something to show, in their order."""
    has = {
        "proposal": True,
        "numbers": True,
        "ranking": any(bar.value is not None for bar in told.ranking),
        "curves": bool(told.curves),
        "changes": bool(told.changes.rows),
        "risks": bool(told.risks),
        "evidence": True,
        "sources": True,
    }
    return tuple(name for name, shown in has.items() if shown)


def question(catalog: Catalog, scenario: Scenario, _: Words) -> str:
    """What is to be decided: the scenario's title, the question of its preset while that is unchanged, else the model."""
    if scenario.title:
        return scenario.title
    if scenario.preset in catalog.presets:
        asked = opened(catalog, presets.preset(catalog, scenario.preset, scenario.language))
        if asked.model_copy(update={"view": View()}) == scenario.model_copy(update={"view": View()}):
            facts = catalog.presets[scenario.preset]
            return _.pick(str(facts["question_en"]), str(facts["question_zh"]))
    model = model_name(catalog, scenario.workload.model, _)
    return _("Which accelerator: {task}, {model}?", task=names.task(scenario.workload.task, _), model=model)


def proposal(found: Recommendation, _: Words) -> str:
    """What is proposed and what it costs, in one line; what stands in the way where nothing can be proposed."""
    winner = found.winner
    if winner is None:
        if found.ways_out:
            way = found.ways_out[0]
            changes = _.listing([recommendation.relaxation(one, way, _) for one in way.relaxations])
            return plain(_("No candidate passes every check. The smallest change: {changes}.", changes=changes))
        return _("No candidate passes every check with a known price.")
    return plain(
        _(
            "{option}: {fleet} for {npv} USD over {years}",
            option=cost.option_label(winner.cost, _),
            fleet=cost.fleet_text(winner.cost, _),
            npv=money(winner.cost.npv_usd),
            years=_.count("{n} year", "{n} years", found.scenario.money.horizon_years),
        )
    )


def _numbers(found: Recommendation, sure: Confidence | None, _: Words) -> tuple[Number, ...]:
    """What it costs, what that buys, how sure it is; how many candidates pass where nobody can be proposed."""
    winner = found.winner
    if winner is None:
        passing = sum(one.is_feasible for one in found.assessments)
        counted = _("{n} of {all} candidates", n=passing, all=len(found.assessments))
        why = _("What rules each one out stands under Why.")
        return (Number(_("Candidates that pass every check"), counted, why),)
    option = cost.option_label(winner.cost, _)
    low, high = winner.band_usd or (0.0, 0.0)
    note = _("Net present value of all payments for {option}.", option=option)
    if low < high:
        note += " " + _("{low}–{high} USD over the range of its price.", low=money(low), high=money(high))
    told = [Number(_("What it costs"), f"{money(winner.cost.npv_usd)} USD", note)]
    if found.metric != "outlay":
        name, figure = metric_name(found.metric, _, capital=True), figure_number(found, winner, _)
        said = _(
            "{figure}. At {use} use.",
            figure=figure_words(found, winner, _),
            use=_.percent(found.scenario.money.utilisation),
        )
        told.append(Number(name, plain(figure), plain(said)))
    elif found.gap is not None and found.rival is not None:
        rival = cost.option_label(found.rival.cost, _)
        told.append(Number(_("The next stands behind by"), _.percent(found.gap, 1), rival))
    if sure is not None and brief_reasons.is_race(sure):
        drawn = _(
            "In that share of {draws} simulated cases of prices, costs and throughput it comes first, ± {error}.",
            draws=f"{sure.draws:,}", error=_.percent(sure.standard_error, 1),
        )  # fmt: skip
        told.append(Number(_("How sure: stays first"), _.percent(sure.chance), drawn))
    return tuple(told)


def _ranking_title(found: Recommendation, _: Words) -> str:
    if found.winner is None:
        return _("No candidate passes every check")
    option = cost.option_label(found.winner.cost, _)
    if found.is_tie:
        return _("{winner}: first, in a tie", winner=option)
    return _("{winner}: the best that passes, by {metric}", winner=option, metric=metric_name(found.metric, _))


def _ranking_note(found: Recommendation, _: Words) -> str:
    """What the bars are, and what the thin lines in them are."""
    if found.metric not in NEEDS_THROUGHPUT:
        message = _("{unit}; less is better. The thin line: the range of the price.")
    elif found.is_training:
        message = _("{unit} at the lowest published rate; less is better. The thin line: the published rates.")
    elif any(one.whole and one.whole[0] < one.whole[1] for one in found.standings):
        message = _("{unit} at the low end of the throughput; less is better. The thin line: its 80 % interval.")
    else:
        message = _("{unit}; less is better. The fleet is sized by the low end of its throughput.")
    return message.format(unit=unit_of(found.metric, _))


def _bar(place: int, one: Assessment, found: Recommendation, looks: Mapping[str, Look], _: Words) -> Bar:
    standing = found.standing(one)
    low, high = standing.whole or (None, None)
    label = cost.option_label(one.cost, _)
    return Bar(
        name=f"{_mark(place, one)}. {label}",
        colour=looks[one.cost.accelerator.accelerator_id].colour,
        value=standing.weighted,
        low=low,
        high=high,
        text=plain(figure_number(found, one, _)),
        note=plain(brief_reasons.ruled_out(one, _)),
    )


def _mark(place: int, one: Assessment) -> str:
    """A candidate's place in the recommendation, the same in every figure; crossed where something rules it out."""
    return f"{place}" if one.is_feasible else f"✗ {place}"


def _curve(mark: str, one: Costed, looks: Mapping[str, Look], _: Words) -> Curve:
    flows = one.flows.cumulative_discounted if one.flows is not None else ()
    return Curve(
        mark=mark,
        name=cost.option_label(one, _),
        part=one.accelerator.accelerator_id,
        colour=looks[one.accelerator.accelerator_id].colour,
        is_rented=one.candidate.acquisition != "buy",
        usd=tuple(float(value) for value in flows),
    )


def _curves_title(costed: Sequence[Assessment], found: Recommendation, _: Words) -> str:
    able = [one for one in costed if one.can_win]
    if not able:
        return _("What each candidate costs over time")
    least = min(able, key=lambda one: one.cost.npv_usd or 0.0)
    message = (
        _("{option} costs least over {years}: {npv} USD")
        if least is found.winner
        else _("On outlay alone {option} costs least over {years}: {npv} USD")
    )
    return message.format(
        option=cost.option_label(least.cost, _),
        years=_.count("{n} year", "{n} years", found.scenario.money.horizon_years),
        npv=money(least.cost.npv_usd),
    )
