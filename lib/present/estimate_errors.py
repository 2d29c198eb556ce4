"""How good throughput estimates are, in words and tables: inside or outside, how wide, how far off, and where it failed."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.estimate_errors import EstimateErrors, Group
from lib.present.measured_words import load_in_words, model_name, short_name, source_of
from lib.present.text import N_, Words, markdown_safe
from lib.sizing.throughput_validation import HeldOut, Summary

KINDS: Final = {
    "grouped": N_("grouped attention"),
    "grouped experts": N_("grouped attention with experts"),
    "latent": N_("latent attention"),
    "latent experts": N_("latent attention with experts"),
    "compressed": N_("compressed attention"),
    "compressed experts": N_("compressed attention with experts"),
    "state": N_("states"),
    "state experts": N_("states with experts"),
}
"""Kinds of models by how they attend and whether they have experts."""

_NAMED: Final = 3


def kind_name(word: str, _: Words) -> str:
    """A kind of model in the reader's language."""
    return _(KINDS[word]) if word in KINDS else word


def answer(catalog: Catalog, found: EstimateErrors, _: Words) -> str:
    """How many held-out rows lie inside, how wide the intervals are, how far estimates are off, and the weakest part.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : EstimateErrors
        The figures.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    everything = found.everything
    weakest = min(
        (one for one in found.parts if one.summary and one.rows >= _ENOUGH),
        key=lambda one: one.summary.coverage if one.summary else 1.0,
        default=None,
    )
    text = _(
        "Of **{rows}** measured runs of {sources} sources, each predicted from the other sources alone, **{inside}** "
        "({band}) lie inside the interval that promises 80 %; it is {width}× from end to end in the median, and the estimate "
        "in it is {error} off; for {without} runs there is no interval.",
        rows=f"{everything.rows - everything.without_basis:,}",
        sources=everything.sources,
        inside=_.percent(everything.coverage),
        band=_percents(everything.coverage_interval, _),
        width=_.number(everything.median_width, 2),
        error=_.percent(everything.median_error),
        without=everything.without_basis,
    )
    if weakest is None or weakest.summary is None:
        return text
    return f"{text} " + _(
        "Of the accelerators with {enough} runs or more, {part} is weakest: {inside} of {rows}.",
        enough=_ENOUGH,
        part=short_name(catalog, weakest.name),
        inside=_.percent(weakest.summary.coverage),
        rows=f"{weakest.rows - weakest.summary.without_basis:,}",
    )


_ENOUGH: Final = 50
"""Rows of an accelerator from which on its coverage says something of its own."""


def footer(found: EstimateErrors, _: Words) -> str:
    """How good these estimates have been, in one line below them.

    Parameters
    ----------
    found : EstimateErrors
        The figures.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    everything = found.everything
    return _(
        "How good these estimates are: {inside} of {rows} runs of left-out sources lie inside (80 % promised), high over low "
        "{width} in the median, estimate off by {error} in the median; {series} where the same part and model is known at "
        "other loads.",
        inside=_.percent(everything.coverage),
        rows=f"{everything.rows - everything.without_basis:,}",
        width=_.number(everything.median_width, 2),
        error=_.percent(everything.median_error),
        series=_.percent(found.series.median, 1),
    )


def caveats(found: EstimateErrors, _: Words) -> str:
    """What the figures are not: the constants, the series, and the rows above the bound."""
    text = _(
        "Constants and widths were fitted to all runs, the left-out source among them; the prediction for a source has none of "
        "its runs. In brackets: 90 % intervals from drawing whole sources anew. Where a series (source, part, model) is known at "
        "other loads, the median error is {median}, four of five within {wide} ({rows} runs).",
        median=_.percent(found.series.median, 1),
        wide=_.percent(found.series.four_of_five, 1),
        rows=f"{found.series.rows:,}",
    )
    if found.above:
        explained = sum(one.speculative for one in found.above)
        text += " " + _.count(
            "{n} measured run lies above the bound, {explained} of them with speculative decoding.",
            "{n} measured runs lie above the bound, {explained} of them with speculative decoding.",
            len(found.above),
            explained=explained,
        )
    return text


def title(found: EstimateErrors, _: Words) -> str:
    """The finding of the chart."""
    everything = found.everything
    return _(
        "{inside} of the runs of left-out sources lie inside the 80 % interval; the estimate is {error} off in the median",
        inside=_.percent(everything.coverage),
        error=_.percent(everything.median_error),
    )


def groups(catalog: Catalog, found: EstimateErrors, _: Words) -> pd.DataFrame:
    """Coverage, width and error by accelerator and by kind of model.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : EstimateErrors
        The figures.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        All rows first.
    """
    everything = Group("", found.everything.rows, found.everything)
    named = [
        (_("All"), everything),
        *((catalog.accelerators[one.name].short_name, one) for one in found.parts),
        *((kind_name(one.name, _), one) for one in found.kinds),
    ]
    return pd.DataFrame([_group(name, one, _) for name, one in named])


def _group(name: str, one: Group, _: Words) -> dict[str, object]:
    found = one.summary
    nothing = _("no interval")
    return {
        _("Runs of"): name,
        _("Runs"): one.rows,
        _("Sources"): _sources(found, nothing),
        _("Without interval"): one.rows if found is None else found.without_basis,
        _("Inside (80 % promised)"): nothing
        if found is None
        else f"{_.percent(found.coverage)}{_drawn(found, _percents(found.coverage_interval, _))}",
        _("High over low, median"): nothing
        if found is None
        else f"{_.number(found.median_width, 2)}{_drawn(found, _.span(*found.median_width_interval, 2))}",
        _("Error of the estimate, median"): nothing
        if found is None
        else f"{_.percent(found.median_error)}{_drawn(found, _percents(found.median_error_interval, _))}",
    }


def _drawn(found: Summary, span: str) -> str:
    """An interval from drawing sources anew in brackets; one source alone gives none."""
    return f" ({span})" if found.sources > 1 else ""


def _sources(found: Summary | None, nothing: str) -> str:
    return nothing if found is None else f"{found.sources}"


def _percents(ends: tuple[float, float], _: Words) -> str:
    low, high = (_.percent(one) for one in ends)
    return low if low == high else f"{low.removesuffix(' %')}–{high}"


def worst(catalog: Catalog, found: EstimateErrors, _: Words) -> str:
    """The sources, parts and models of the worst cases, each once, the worst first."""
    every = dict.fromkeys((one.model_id, one.accelerator_id, one.source_id) for one in found.worst)
    cases = [
        _(
            "{model} on {part} ({source})",
            model=markdown_safe(model_name(catalog, model, _)),
            part=short_name(catalog, part),
            source=markdown_safe(source_of(catalog, source, _).title),
        )
        for model, part, source in list(every)[:_NAMED]
    ]
    return _("**Farthest off**: {cases}.", cases=_.listing(cases))


def rows(catalog: Catalog, held_out: Sequence[HeldOut], _: Words) -> pd.DataFrame:
    """Held-out rows with their prediction, their load and their source.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    held_out : sequence of HeldOut
        All of them, or the worst.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Output tokens per second of the deployment.
    """
    serving = catalog.measured["serving"].loc[[one.row for one in held_out]]
    return pd.DataFrame(
        [
            {
                _("Part"): catalog.accelerators[one.accelerator_id].short_name,
                _("Model"): model_name(catalog, one.model_id, _),
                _("Load"): load_in_words(one.input_tokens, one.output_tokens, one.concurrency, _),
                _("Measured, output tokens/s"): _.number(one.measured),
                _("Predicted from other sources"): f"{_.span(one.low, one.high)} ({_.number(one.estimate)})"
                if one.has_basis
                else _("no interval"),
                _("Inside"): (_("yes") if one.inside else _("no")) if one.has_basis else _("no interval"),
                _("Estimate over measured"): _.ratio(one.error + 1) if one.has_basis else _("no interval"),
                _("Source"): source_of(catalog, one.source_id, _).title,
                _("Where"): where,
            }
            for one, where in zip(held_out, serving["locator"].astype(str), strict=True)
        ]
    )


def above_bound(catalog: Catalog, found: EstimateErrors, _: Words) -> pd.DataFrame:
    """The measured runs above the bound, each with the reason.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : EstimateErrors
        The figures.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a run.
    """
    serving = catalog.measured["serving"].loc[[one.row for one in found.above]]
    return pd.DataFrame(
        [
            {
                _("Part"): catalog.accelerators[one.accelerator_id].short_name,
                _("Model"): model_name(catalog, one.model_id, _),
                _("Measured over bound"): _.ratio(one.times),
                _("Reason"): _("speculative decoding") if one.speculative else _("not explained"),
                _("Source"): source_of(catalog, one.source_id, _).title,
                _("Where"): where,
            }
            for one, where in zip(found.above, serving["locator"].astype(str), strict=True)
        ]
    )


def caption(catalog: Catalog, found: EstimateErrors, _: Words) -> str:
    """How many sources the points are of, and the edition."""
    return _(
        "Points are runs of {sources} sources; point at one for its source. Output tokens/s of the deployment. Data edition "
        "{edition}.",
        sources=len({one.source_id for one in found.rows}),
        edition=catalog.edition.label,
    )
