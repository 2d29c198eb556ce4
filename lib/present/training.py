"""Measured training in words: MLPerf times, scaling, achieved rates, and how thin the published data are.

Only measured rows are spoken of here. What an article states without a measurement is a claim: it would come in as a list
of its own, marked as one, and never as a point among these.
"""

from collections.abc import Callable, Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.training_view import Rates, Thinness, TrainingTest
from lib.present.figures.points import Row, hover, source_line
from lib.present.measured_words import interest, short_name
from lib.present.text import Words, markdown_safe


def answer(
    catalog: Catalog, test: TrainingTest | None, thin: Sequence[Thinness], parts: Sequence[str], _: Words
) -> str:
    """What was measured of training on two parts, in one sentence.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    test : TrainingTest or None
        The MLPerf test in view.
    thin : sequence of Thinness
        Of the compared parts.
    parts : sequence of str
        Accelerator ids, the base first.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    times = _times(catalog, test, parts, _)
    return _("{times}; {rows}.", times=times[:1].upper() + times[1:], rows=thin_clause(catalog, thin[:2], _))


def metrics(
    catalog: Catalog, test: TrainingTest | None, thin: Sequence[Thinness], parts: Sequence[str], _: Words
) -> list[tuple[str, str, str]]:
    """The numbers of the answer: label, value and what it means.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    test : TrainingTest or None
        The MLPerf test in view.
    thin : sequence of Thinness
        Of the compared parts.
    parts : sequence of str
        Accelerator ids, the base first.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Speed at the smallest size that both have, then the independent rows of the first two parts.
    """
    derived = _("Time of the other part divided by this part's time: derived, not an MLPerf metric.")
    found = [
        (_("MLPerf Training, {n} accelerators", n=one.accelerator_count), f"{one.speed:.2f}×", derived)
        for one in (test.ratios[:1] if test is not None else ())
    ]
    if not found:
        found = [(_("MLPerf Training, equal sizes"), _("not measured"), derived)]
    return found + [
        (
            _("{part}, independent rows", part=catalog.accelerators[one.accelerator_id].short_name),
            _("{n} of {all}", n=one.independent_rows, all=one.rows) if one.rows else _("none published"),
            _("Rows of training throughput outside MLPerf by publishers without an interest."),
        )
        for one in thin[: min(2, len(parts))]
    ]


def thin_clause(catalog: Catalog, thin: Sequence[Thinness], _: Words) -> str:
    """How many rows of training throughput each part has and how many of them are independent, without a full stop."""
    pieces = [
        _(
            "{part} {rows}, {independent}",
            part=short_name(catalog, one.accelerator_id),
            rows=_.count("{n} row of training throughput", "{n} rows of training throughput", one.rows),
            independent=_.count("{n} of them independent", "{n} of them independent", one.independent_rows),
        )
        if one.rows
        else _("{part} no row of training throughput", part=short_name(catalog, one.accelerator_id))
        for one in thin
    ]
    return _("published besides: {pieces}", pieces=_.listing(pieces))


def thin_warning(catalog: Catalog, thin: Sequence[Thinness], _: Words) -> str:
    """That the published training data of AMD's parts are thin, with their numbers; "" where none is compared."""
    own = [one for one in thin if catalog.accelerators[one.accelerator_id].vendor == "AMD"]
    if not own:
        return ""
    pieces = [
        _(
            "{part}: {rows} by {publishers}, {interested} from publishers with an interest",
            part=short_name(catalog, one.accelerator_id),
            rows=_.count("{n} row", "{n} rows", one.rows),
            publishers=_.count("{n} publisher", "{n} publishers", one.publishers),
            interested=f"{one.vendor_rows:,}",
        )
        if one.rows
        else _("{part}: no row besides MLPerf", part=short_name(catalog, one.accelerator_id))
        for one in own
    ]
    return _("Training data of AMD's parts are thin. {pieces}.", pieces="; ".join(pieces))


def time_title(catalog: Catalog, test: TrainingTest, parts: Sequence[str], _: Words) -> str:
    """The finding of an MLPerf training test in a few words."""
    names = [catalog.accelerators[one].short_name for one in parts[:2]]
    if test.ratios:
        first = test.ratios[0]
        return _(
            "{part} trains at {speed}× the speed of {base} on {n} accelerators each",
            part=names[1],
            speed=f"{first.speed:.2f}",
            base=names[0],
            n=first.accelerator_count,
        )
    if len(names) > 1 and not test.without_result:
        return _("{part} and {base} were never submitted at one size", part=names[1], base=names[0])
    shown = [catalog.accelerators[one].short_name for one in parts if one not in test.without_result]
    return _("Results of {parts} alone", parts=_.listing(shown))


def notices(catalog: Catalog, test: TrainingTest, _: Words) -> list[str]:
    """Which compared parts the test leaves out, and what its figures are.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    test : TrainingTest
        In view.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    found = []
    if test.never_submitted:
        names = _.listing([short_name(catalog, one) for one in test.never_submitted])
        found.append(_("MLPerf Training has no result of {parts} in any round.", parts=names))
    if missing := [one for one in test.without_result if one not in test.never_submitted]:
        names = _.listing([short_name(catalog, one) for one in missing])
        found.append(_("No result of {parts} in this benchmark and round.", parts=names))
    return found


def caption(catalog: Catalog, test: TrainingTest, _: Words) -> str:
    """Source, notice and trademark below the MLPerf chart."""
    sources = _.listing([markdown_safe(catalog.source(str(one)).title) for one in test.results["source_id"].unique()])
    return _(
        "Times to a target quality: batch and samples may grow with the system. Speed ratios, accelerator minutes and "
        "scaling are derived here, not MLPerf metrics and not verified by MLCommons. MLPerf is a trademark of MLCommons. "
        "Source: {sources}. Data edition {edition}.",
        sources=sources,
        edition=catalog.edition.label,
    )


def scaling_table(catalog: Catalog, test: TrainingTest, _: Words) -> pd.DataFrame:
    """How much of the added accelerators became speed, one row a submitter and part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    test : TrainingTest
        In view.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells; empty where nobody submitted two sizes of one part.
    """
    lines = [
        (
            catalog.accelerators[one.accelerator_id].short_name,
            one.submitter,
            f"{one.few:,} → {one.many:,}",
            _.percent(one.efficiency),
        )
        for one in test.scaling
    ]
    heads = (_("Part"), _("Submitter"), _("Accelerators"), _("Scaling efficiency (derived)"))
    return pd.DataFrame(lines, columns=list(heads))


def rates_title(catalog: Catalog, rates: Rates, parts: Sequence[str], _: Words) -> str:
    """The best achieved rate of each part as a share of its dense peak."""
    shares = rates.shares
    pieces = [f"{catalog.accelerators[part].short_name} {_.percent(shares[part])}" for part in parts if part in shares]
    if not pieces:
        return _("Achieved TFLOPS in {format}", format=rates.number_format)
    return _(
        "Best achieved share of the dense {format} peak: {pieces}", format=rates.number_format, pieces=_.listing(pieces)
    )


def rates_subtitle(rates: Rates, _: Words) -> list[str]:
    """What the points and the dashed ticks are."""
    interested = (rates.rows["publisher_interest"] != "independent").any()
    return [
        _(
            "Model FLOPs per second and GPU of published training runs in {format}; models, frameworks and sizes differ",
            format=rates.number_format,
        ),
        _("Dashed: dense peak of the datasheet"),
        _("Outlined: the publisher has an interest, or its interest is not known") if interested else "",
    ]


def rate_hover(catalog: Catalog, _: Words) -> Callable[[Row], str]:
    """How a row of the training table reads on hover."""

    def words(row: Row) -> str:
        count = row["accelerator_count"]
        return hover(
            f"<b>{catalog.accelerators[row['accelerator_id']].short_name}</b>, {row['model']}",
            ", ".join(
                [
                    f"{_.number(row['value'], 4)} {row['unit']}",
                    row["number_format"],
                    _("number of GPUs not stated") if count != count else _.count("{n} GPU", "{n} GPUs", int(count)),
                    row["framework"],
                ]
            ),
            row["note"],
            source_line(catalog, row, row["locator"], interest(row["publisher_interest"], _), _),
        )

    return words


def _times(catalog: Catalog, test: TrainingTest | None, parts: Sequence[str], _: Words) -> str:
    if test is None:
        return _("MLPerf Training has no result of these parts")
    names = [short_name(catalog, one) for one in parts[:2]]
    where = _("MLPerf Training {round}, {benchmark}", round=test.round, benchmark=markdown_safe(test.benchmark))
    if test.ratios:
        pieces = [
            _(
                "**{speed}×** the speed of {base} on {n} accelerators each ({minutes} minutes by {a} against {other} by {b})",
                speed=f"{one.speed:.2f}",
                base=names[0],
                n=one.accelerator_count,
                minutes=_.number(one.minutes),
                a=markdown_safe(one.submitter),
                other=_.number(one.base_minutes),
                b=markdown_safe(one.base_submitter),
            )
            for one in test.ratios[:2]
        ]
        return _("in {where}, {part} trains at {pieces}", where=where, part=names[1], pieces=_.listing(pieces))
    if len(names) < 2:
        return _("{where} has results of {part}", where=where, part=names[0])
    missing = [short_name(catalog, one) for one in parts[:2] if one in test.without_result]
    if missing:
        return _("{where} has no result of {parts}", where=where, parts=_.listing(missing))
    return _(
        "{where} has no two systems of {part} and {base} of equal size: their times cannot be divided",
        where=where,
        part=names[1],
        base=names[0],
    )
