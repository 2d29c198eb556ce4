"""What is computed of a workload's speed in words: bound, interval, what it rests on, and who waits."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.throughput_view import Band, Curves, PartThroughput, ThroughputView, neighbour_rows
from lib.present import doubts, names
from lib.present.benchmark_notices import serving_caption
from lib.present.figures.serving import EstimateBand
from lib.present.measured_words import interest, load_in_words, model_name, short_name, source_of
from lib.present.text import Words, markdown_safe
from lib.records import Doubt
from lib.sizing.throughput import Interval, Neighbour

IN_SENTENCE: Final = ("waits-for-cache", "waits-for-scheduler", "place-short", "no-place", "own-rows")
"""Reservations that stand in the part's own sentence; the others stand below."""

_SAID_BY_BASIS: Final = ("part-not-measured", "model-not-measured")


def lead(catalog: Catalog, view: ThroughputView, _: Words) -> str:
    """What the sentences below are about: the scenario's load, and what an interval is.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The estimates.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    workload = view.workload
    text = _(
        "**Computed for {model} at {load}** (weights {weights}, cache {cache}): output tokens/s per GPU, in an interval that "
        "is to hold four runs in five.",
        model=markdown_safe(model_name(catalog, workload.model, _)),
        load=load_in_words(workload.input_tokens, workload.output_tokens, workload.concurrency, _),
        weights=markdown_safe(names.weight_format(workload.weight_format, _)),
        cache=workload.kv_format,
    )
    rests = next((one.estimate.basis for one in view.parts if one.estimate is not None), None)
    if rests is None:
        return text
    return f"{text} " + _(
        "It rests on {rows} runs of {sources} sources.", rows=f"{rests.rows:,}", sources=f"{rests.sources:,}"
    )


def sentences(catalog: Catalog, view: ThroughputView, _: Words) -> list[str]:
    """A sentence for each part: interval, bound, both times, what they rest on, and who waits.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The estimates.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown.
    """
    return [_sentence(catalog, one, _) for one in view.parts]


def _sentence(catalog: Catalog, part: PartThroughput, _: Words) -> str:
    name = short_name(catalog, part.accelerator.accelerator_id)
    found = part.estimate
    if found is None or part.layout is None:
        why = doubts.sentence(part.doubt, _) if part.doubt else ""
        return _("**{part}**: {why}", part=name, why=why)
    figures = {"part": name, "gpus": _.count("{n} GPU", "{n} GPUs", part.layout.gpus)}
    limits = [doubts.sentence(one, _) for one in found.doubts if one.code in IN_SENTENCE]
    bound = _figure(part.per_gpu(found.bound), _)
    if found.bound is None:
        every = " ".join(doubts.sentence(one, _) for one in found.doubts)
        return _("**{part}** ({gpus}): {why}", **figures, why=every)
    if not found.has_basis:
        said = _("**{part}** ({gpus}): **no measured basis, bound only**: at most {bound}.", **figures, bound=bound)
        reasons = [doubts.sentence(one, _) for one in found.doubts if one.code.startswith("no-basis")]
        return " ".join([said, *reasons, *limits])
    said = _(
        "**{part}** ({gpus}): **{low}–{high}** (estimate {estimate}, bound {bound}); {times}. {basis}",
        **figures,
        low=_figure(part.per_gpu(found.low), _),
        high=_figure(part.per_gpu(found.high), _),
        estimate=_figure(part.per_gpu(found.estimate), _),
        bound=bound,
        times=_times(part.ttft_ms, part.tpot_ms, _),
        basis=basis(part, _),
    )
    return " ".join([said, *limits])


def _times(first: Interval | None, token: Interval | None, _: Words) -> str:
    """Both times of one operating point, each in its interval."""
    if first is None:
        return ""
    if token is None:
        return _("first token {ttft} ms", ttft=ends(first, _))
    return _("first token {ttft} ms, then {tpot} ms a token", ttft=ends(first, _), tpot=ends(token, _))


def ends(found: Interval, _: Words) -> str:
    """Both ends of an interval, in three significant figures."""
    return _.span(_rounded(found.low), _rounded(found.high))


def _figure(value: float | None, _: Words) -> str:
    """A figure in three significant ones."""
    return _.number(None if value is None else _rounded(value))


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def basis(part: PartThroughput, _: Words) -> str:
    """What an interval rests on before all: runs and sources of its part and of its model.

    Parameters
    ----------
    part : PartThroughput
        With an interval.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    if part.estimate is None:
        return ""
    found = part.estimate.basis
    return _(
        "Runs on this part: {part_rows}; of this model: {model_rows}.",
        part_rows=_counted(found.part_rows, found.part_sources, _),
        model_rows=_counted(found.model_rows, found.model_sources, _),
    )


def _counted(rows: int, sources: int, _: Words) -> str:
    if not rows:
        return _("**none**")
    return _("{rows} ({sources})", rows=f"{rows:,}", sources=_.count("{n} source", "{n} sources", sources))


def distance(word: str, _: Words) -> str:
    """How far a question is from the measured rows, for a cell."""
    return {
        "seen": _("part and model measured"),
        "new-model": _("model not measured"),
        "new-part": _("part not measured"),
        "new-both": _("neither part nor model measured"),
        "own": _("your own runs at another load"),
        "none": _("no measured basis: bound only"),
    }[word]


def reservations(catalog: Catalog, view: ThroughputView, _: Words) -> list[str]:
    """What else the estimates must be read with, each once, with the parts that it concerns.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The estimates.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown.
    """
    concerned: dict[str, list[str]] = {}
    for part in view.parts:
        for one in part.estimate.doubts if part.estimate and part.estimate.bound is not None else ():
            if not _is_said(one):
                found = concerned.setdefault(doubts.sentence(one, _), [])
                found.append(short_name(catalog, part.accelerator.accelerator_id))
    return [_("{parts}: {text}", parts=_.listing(parts), text=text) for text, parts in concerned.items()]


def _is_said(doubt: Doubt) -> bool:
    return doubt.code in (*IN_SENTENCE, *_SAID_BY_BASIS) or doubt.code.startswith("no-basis")


def table(catalog: Catalog, view: ThroughputView, _: Words) -> pd.DataFrame:
    """The estimates in figures, one row a part; rate and both times of a row are of one operating point.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The estimates.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells; an interval is low–high with its estimate in brackets.
    """
    return pd.DataFrame([_row(catalog, one, _) for one in view.parts])


def _row(catalog: Catalog, part: PartThroughput, _: Words) -> dict[str, str]:
    found, layout = part.estimate, part.layout
    nothing = _("not computed")
    first_bound, token_bound = part.bounds_ms
    every = [part.doubt] if part.doubt else list(found.doubts) if found else []
    rate = whole = None
    if found and found.low is not None and found.estimate is not None and found.high is not None:
        whole = Interval(found.low, found.estimate, found.high)
        ends = [part.per_gpu(one) for one in (whole.low, whole.estimate, whole.high)]
        rate = Interval(*(one or 0.0 for one in ends))
    return {
        _("Part"): catalog.accelerators[part.accelerator.accelerator_id].short_name,
        _("GPUs"): f"{layout.gpus}" if layout else nothing,
        _("Output tokens/s per GPU"): interval(rate, _),
        _("Bound per GPU"): _figure(part.per_gpu(found.bound), _) if found and found.bound else nothing,
        _("Output tokens/s of the deployment"): interval(whole, _),
        _("TTFT, ms"): interval(part.ttft_ms, _),
        _("TTFT at least, ms"): _figure(first_bound, _) if first_bound is not None else nothing,
        _("TPOT, ms"): interval(part.tpot_ms, _),
        _("TPOT at least, ms"): _figure(token_bound, _) if token_bound is not None else nothing,
        _("In service"): _.number(found.in_service) if found else nothing,
        _("Waiting"): _.number(found.waiting) if found else nothing,
        _("Distance from what was measured"): distance(found.basis.distance, _) if found else nothing,
        _("Reservations"): " ".join(doubts.sentence(one, _) for one in every),
    }


def interval(found: Interval | None, _: Words) -> str:
    """An interval with its estimate in brackets: a point never stands alone."""
    if found is None:
        return _("no measured basis")
    return f"{ends(found, _)} ({_figure(found.estimate, _)})"


def bands(view: ThroughputView, catalog: Catalog, _: Words) -> dict[str, EstimateBand]:
    """The curves of throughput as the figure takes them.

    Parameters
    ----------
    view : ThroughputView
        The curves.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    dict of str to EstimateBand
        By part.
    """
    return {
        name: _band(one, one.throughput, _("{value} tokens/s per GPU"), catalog, _) for name, one in view.curves.items()
    }


def latency_bands(view: ThroughputView, catalog: Catalog, _: Words) -> dict[str, tuple[EstimateBand, EstimateBand]]:
    """The curves of both times as the figure takes them: to the first token, and per token."""
    return {
        name: (
            _band(one, one.ttft_ms, _("{value} ms to the first token"), catalog, _),
            _band(one, one.tpot_ms, _("{value} ms a token"), catalog, _),
        )
        for name, one in view.curves.items()
    }


def _band(curves: Curves, band: Band, unit: str, catalog: Catalog, _: Words) -> EstimateBand:
    name = catalog.accelerators[curves.accelerator_id].short_name
    said = [
        _(
            "{part}, computed for {n} concurrent: {figures}",
            part=name,
            n=f"{load:,}",
            figures=unit.format(value=interval(band.at(place), _)),
        )
        for place, load in enumerate(curves.loads)
    ]
    loads = tuple(float(one) for one in curves.loads)
    return EstimateBand(loads, band.low, band.high, band.bound, band.estimate, tuple(said))


def curves_caption(catalog: Catalog, view: ThroughputView, _: Words) -> str:
    """What the bands are computed for, and on how many GPUs.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : ThroughputView
        The curves.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; blank without curves.
    """
    charted = view.charted
    if charted is None or not view.curves:
        return _("Nothing is computed for these runs: their lengths are not stated.") if charted is None else ""
    sizes = [
        _("{part} on {gpus}", part=short_name(catalog, name), gpus=_.count("{n} GPU", "{n} GPUs", one.gpus))
        for name, one in view.curves.items()
    ]
    text = _(
        "Bands and dashed bounds are computed for {model}, {input} in, {output} out, weights {weights}: {sizes}; points ran "
        "with other formats, engines and numbers of GPUs as their labels say.",
        model=markdown_safe(model_name(catalog, charted.model, _)),
        input=f"{charted.input_tokens:,}",
        output=f"{charted.output_tokens:,}",
        weights=markdown_safe(names.weight_format(charted.weight_format, _)),
        sizes=_.listing(sizes),
    )
    if len(view.curves) < len(view.parts):
        text += " " + _("Bands of the first parts alone are drawn, so that they can be told apart; all stand above.")
    if not view.charts_own_load:
        text += " " + _("The sentences above are for the load of the scenario; the lists choose what is charted.")
    return text


def runs_caption(rows: pd.DataFrame, catalog: Catalog, _: Words) -> str:
    """The sources of the runs charted, or the edition alone where there are none."""
    if len(rows):
        return serving_caption(rows, catalog, _)
    return _("Data edition {edition}.", edition=catalog.edition.label)


def computed_title(catalog: Catalog, view: ThroughputView, _: Words) -> str:
    """The finding of a chart without runs: the interval of each part drawn, at the scenario's number of requests."""
    figures = [
        _("{part} {figures}", part=catalog.accelerators[name].short_name, figures=ends(one.asked, _))
        for name, one in view.curves.items()
        if one.asked is not None
    ]
    if not figures:
        return _("Computed: bounds alone, no measured basis")
    return _(
        "Computed: {figures} tokens/s per GPU ({n} concurrent)",
        figures=", ".join(figures),
        n=f"{view.workload.concurrency:,}",
    )


def computed_latency_title(catalog: Catalog, view: ThroughputView, _: Words) -> str:
    """The finding of a latency chart without runs: the times of the first part drawn over all loads drawn."""
    for name, one in view.curves.items():
        first, token = (_whole(band) for band in (one.ttft_ms, one.tpot_ms))
        if first is not None:
            return _(
                "Computed: {part} {times} ({low}–{high} concurrent)",
                part=catalog.accelerators[name].short_name,
                times=_times(first, token, _),
                low=f"{one.loads[0]:,}",
                high=f"{one.loads[-1]:,}",
            )
    return _("Computed: what physics allows at least, no measured basis")


def _whole(band: Band) -> Interval | None:
    """From the lowest low to the highest high end of a band."""
    known = [found for place in range(len(band.low)) if (found := band.at(place)) is not None]
    if not known:
        return None
    return Interval(min(one.low for one in known), known[0].estimate, max(one.high for one in known))


def nearest_table(catalog: Catalog, found: Mapping[str, tuple[Neighbour, ...]], _: Words) -> pd.DataFrame:
    """The measured rows that say most about each estimate, with their sources.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : mapping of str to tuple of Neighbour
        By part asked about.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Most alike first within each part.
    """
    lines = []
    for asked, members in found.items():
        rows = neighbour_rows(catalog, members)
        for one, row in zip(members, rows.to_dict("records"), strict=True):
            lines.append(
                {
                    _("Estimate for"): catalog.accelerators[asked].short_name,
                    _("Alike (1: the same)"): round(one.correlation, 2),
                    _("Run on"): catalog.accelerators[one.accelerator_id].short_name,
                    _("Model"): model_name(catalog, one.model_id, _),
                    _("Load"): load_in_words(row["input_tokens"], row["output_tokens"], row["concurrency"], _),
                    _("Measured"): f"{_.number(row['value'], 4)} {row['unit']}",
                    _("Measured over the model of steps"): round(one.ratio, 2),
                    _("GPUs"): row["accelerator_count"],
                    _("Engine"): f"{row['engine']} {row['engine_version']}".strip(),
                    _("Date"): row["date"] or _("not stated"),
                    _("Publisher"): f"{row['publisher']} ({interest(row['publisher_interest'], _)})",
                    _("Source"): source_of(catalog, one.source_id, _).title,
                    _("Where"): row["locator"],
                }
            )
    return pd.DataFrame(lines)


def method(_: Words) -> str:
    """How bound, interval and times are computed."""
    return _(
        "**Computed throughput**: the bound sums a round of prefills and decode steps at the roofs of memory, compute and link, "
        "perfectly overlapped. The estimate is the same work one after the other, each with the share of its roof that software "
        "reaches, corrected by what measured runs that are alike in part, model, engine and date deviate from it. Its interval is "
        "taken from runs of sources that were left out, and is to hold four in five; it is withheld where it would be wider than "
        "six times, for vendors without usable runs, and without published peaks. A closed loop is assumed: all requests are in "
        "flight at all times, and those without a place in cache or scheduler wait. First token and time per token are of the "
        "same operating point: requests x answer / rate = first token + (answer - 1) x time per token. Runs that you bring in "
        "count as one more source that your question shares."
    )
