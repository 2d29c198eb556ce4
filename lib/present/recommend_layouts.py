"""Layouts that were considered, as a table: those that are ranked, and beside them those that only memory speaks for."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.choice.assessment import Assessment
from lib.choice.deployments import Considered
from lib.choice.layouts_beside import Beside, Kind, Measured, most_telling
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.memory_model import layout_word
from lib.present.text import Words

NOT_ASKED: Final = "–"
"""Nothing is asked for there: no unknown."""

Besides = Mapping[int, Sequence[Beside]]
"""Layouts that are not ranked, by the candidate's place."""


def considered_table(
    rows: Sequence[Considered], besides: Besides, measured: Mapping[Kind, Measured], _: Words
) -> pd.DataFrame:
    """Every layout of every candidate: what each demand asks for, or why it was dropped or is not ranked.

    Parameters
    ----------
    rows : sequence of Considered
        In the order of the answer.
    besides : mapping
        The layouts that are not ranked, by the candidate's place; they stand below the candidate's ranked ones.
    measured : mapping
        What was measured of each kind of layout that is not ranked.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a layout.
    """
    lines: list[dict[str, object]] = []
    for one in dict.fromkeys(row.assessment for row in rows):
        lines += [
            _ranked(row, _) for row in rows if row.assessment is one and row.deployment.dropped != "across-servers"
        ]
        lines += [_beside(one, each, measured[each.kind], _) for each in besides.get(one.place, ())]
    table = pd.DataFrame(lines)
    return table[[name for name in table.columns if (table[name] != NOT_ASKED).any()]]


def _ranked(row: Considered, _: Words) -> dict[str, object]:
    """One layout whose throughput is estimated; nobody asks for those over servers while a smaller one holds the model."""
    plan = row.deployment
    speed = plan.speed
    return {
        _("Option"): cost.option_label(row.assessment.cost, _),
        _("Layout"): layout_word(plan.layout),
        _("Sequences that a replica holds"): plan.sequences,
        _("GPUs of a replica"): plan.layout.gpus,
        _("Replicas for memory"): _count(plan.for_memory or None),
        _("for the latency limits"): _count(plan.for_latency),
        _("for the request rate"): _count(plan.for_throughput),
        _("GPUs with spares"): _count(plan.gpus),
        _("GPUs paid for"): _count(plan.paid_gpus),
        _("Tokens/s, 80 %"): _.span(speed.low, speed.high) if speed else "",
        _("Verdict"): _("chosen") if row.is_chosen else dropped_words(plan.dropped, _),
    }


def _beside(one: Assessment, beside: Beside, measured: Measured, _: Words) -> dict[str, object]:
    """One layout that is not ranked: what memory says of it, and no throughput."""
    return {
        _("Option"): cost.option_label(one.cost, _),
        _("Layout"): layout_word(beside.layout),
        _("Sequences that a replica holds"): beside.sequences,
        _("GPUs of a replica"): beside.layout.gpus,
        _("Replicas for memory"): _count(beside.replicas),
        _("for the latency limits"): NOT_ASKED,
        _("for the request rate"): NOT_ASKED,
        _("GPUs with spares"): _count(beside.gpus),
        _("GPUs paid for"): NOT_ASKED,
        _("Tokens/s, 80 %"): "",
        _("Verdict"): unranked_words(measured, _),
    }


def _count(number: int | None) -> str:
    return NOT_ASKED if number is None else f"{number:,}"


def dropped_words(code: str, _: Words) -> str:
    """Why a layout was dropped.

    Parameters
    ----------
    code : str
        As the fleet has it; "" for one that another layout beats.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase.
    """
    return {
        "": _("more GPUs, or slower on as many"),
        "no-sequence": _("does not hold one sequence"),
        "across-servers": _("spans servers, a smaller one holds the model"),
        "latency": _("no load keeps the latency limits"),
        "too-large": _("more replicas than were looked at"),
        "over-stated": _("the stated GPUs do not hold the load"),
    }[code]


def unranked_words(measured: Measured, _: Words) -> str:
    """Why a kind of layout is not ranked, from what was measured of it.

    Parameters
    ----------
    measured : Measured
        Runs of the kind in the basis of the throughput model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase.
    """
    if not measured.runs:
        return {
            "pipeline": _("not ranked: no measured run states pipeline stages"),
            "data": _("not ranked: no measured run of an expert model states data-parallel attention"),
        }[measured.kind]
    said = _.count(
        "not ranked: {n} measured run ({sources}: {models} on {parts})",
        "not ranked: {n} measured runs ({sources}: {models} on {parts})",
        measured.runs,
        sources=_.count("{n} source", "{n} sources", measured.sources),
        models=_.listing(list(measured.models)),
        parts=_.listing(list(measured.accelerators)),
    )
    if measured.error is None:
        return said
    return said + _("; estimate off by {share} at the median", share=_.percent(measured.error))


def unranked_note(found: Recommendation, besides: Besides, _: Words) -> str:
    """What a layout that is not ranked would change for the first candidate and its rival.

    Parameters
    ----------
    found : Recommendation
        The answer.
    besides : mapping
        The layouts that are not ranked, by the candidate's place.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A sentence; "" where such a layout would change nothing.
    """
    first = found.assessments[:1] if found.winner is None else (found.winner, *filter(None, [found.rival]))
    clauses: dict[str, None] = {}
    for one in first:
        for each in most_telling(besides.get(one.place, ())):
            clauses[_clause(one, each, _)] = None
    if not clauses:
        return ""
    return _(
        "Layouts in pipeline stages or with data-parallel attention are not ranked, but may be worth a measured rate: {changes}. "
        "Their counts are those of memory alone.",
        changes=_.listing(list(clauses)),
    )


def _clause(one: Assessment, beside: Beside, _: Words) -> str:
    part, gpus, layout = one.cost.accelerator.short_name, f"{beside.layout.gpus:,}", layout_word(beside.layout)
    if beside.is_only:
        return _(
            "on {gpus} {part} {layout} holds the model, which no ranked layout does",
            gpus=gpus,
            part=part,
            layout=layout,
        )
    if beside.times is not None and beside.rival is not None and beside.saved_gpus == 0:
        return _(
            "on {gpus} {part} {layout} holds {times} times the sequences of {rival}",
            gpus=gpus, part=part, layout=layout, times=_.number(beside.times, 2), rival=layout_word(beside.rival),
        )  # fmt: skip
    saved = _.count("{n} GPU fewer", "{n} GPUs fewer", beside.saved_gpus)
    return _("for memory {layout} of {part} asks for {saved}", layout=layout, part=part, saved=saved)
