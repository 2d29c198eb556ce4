"""Layouts that were considered, as a table: those that are ranked, and beside them those that only memory speaks for."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.choice.assessment import Assessment
from lib.choice.deployments import Considered
from lib.choice.layouts_beside import KINDS, Beside, Kind, Measured, most_telling
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.memory_model import layout_word
from lib.present.text import Words, markdown_safe

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
        _("Verdict"): _("chosen") if row.is_chosen else dropped_words(plan.dropped, _),
        _("Sequences that a replica holds"): plan.sequences,
        _("GPUs of a replica"): plan.layout.gpus,
        _("Replicas for memory"): _count(plan.for_memory or None),
        _("for the latency limits"): _count(plan.for_latency),
        _("for the request rate"): _count(plan.for_throughput),
        _("GPUs with spares"): _count(plan.gpus),
        _("GPUs paid for"): _count(plan.paid_gpus),
        _("Tokens/s, 80 %"): _.span(speed.low, speed.high) if speed else "",
    }


def _beside(one: Assessment, beside: Beside, measured: Measured, _: Words) -> dict[str, object]:
    """One layout that is not ranked: what memory says of it, and no throughput."""
    return {
        _("Option"): cost.option_label(one.cost, _),
        _("Layout"): layout_word(beside.layout),
        _("Verdict"): unranked_words(measured, _),
        _("Sequences that a replica holds"): beside.sequences,
        _("GPUs of a replica"): beside.layout.gpus,
        _("Replicas for memory"): _count(beside.replicas),
        _("for the latency limits"): NOT_ASKED,
        _("for the request rate"): NOT_ASKED,
        _("GPUs with spares"): _count(beside.gpus),
        _("GPUs paid for"): NOT_ASKED,
        _("Tokens/s, 80 %"): "",
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


def unranked_caption(besides: Besides, measured: Mapping[Kind, Measured], _: Words) -> str:
    """Why the kinds of layouts that are listed without a rank have none, kind by kind.

    Parameters
    ----------
    besides : mapping
        The layouts that are not ranked, by the candidate's place.
    measured : mapping
        What was measured of each kind.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A few words a kind; "" where none is listed.
    """
    listed = {each.kind for rows in besides.values() for each in rows}
    heads = {
        "pipeline": _("Pipeline stages (PP)"),
        "data": _("Data-parallel attention with whole experts (DP, EP)"),
    }
    said = [f"{heads[kind]}: {unranked_words(measured[kind], _)}" for kind in KINDS if kind in listed]
    return " · ".join(said)


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
    clauses = [said for one in first for said in _clauses(one, most_telling(besides.get(one.place, ())), _)]
    if not clauses:
        return ""
    return _(
        "Layouts in pipeline stages or with data-parallel attention are not ranked, but may be worth a measured rate: {changes}. "
        "Their counts are those of memory alone.",
        changes=_.pick("; ", "；").join(dict.fromkeys(clauses)),
    )


def _clauses(one: Assessment, rows: Sequence[Beside], _: Words) -> list[str]:
    """What the layouts of one candidate would change: the model held at all, GPUs saved, sequences held."""
    part = markdown_safe(one.cost.accelerator.short_name)
    said, more = [], []
    for beside in rows:
        layout = layout_word(beside.layout)
        if beside.is_only:
            said.append(
                _(
                    "{gpus} {part} hold the model in {layout} and in no ranked layout",
                    gpus=beside.layout.gpus,
                    part=part,
                    layout=layout,
                )
            )
        elif beside.saved_gpus:
            saved = _.count("{n} GPU fewer", "{n} GPUs fewer", beside.saved_gpus)
            said.append(_("for memory {layout} of {part} asks for {saved}", layout=layout, part=part, saved=saved))
        elif beside.times is not None and beside.rival is not None:
            more.append((beside.rival, f"{beside.times:.1f} ({layout})"))
    if more:
        rival = more[0][0]  # all of them stand against the chosen layout
        many = _.listing([each for _rival, each in more])
        said.append(
            _(
                "{gpus} {part} hold {many} times as many sequences as in {rival}",
                gpus=rival.gpus,
                part=part,
                many=many,
                rival=layout_word(rival),
            )
        )
    return said
