"""What the benchmarks page shows instead of what was asked for, what it leaves out, and what there is to choose."""

import math
from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT
from lib.choice.filters import Filters
from lib.choice.mlperf_view import MlperfView
from lib.choice.scenario import Workload
from lib.choice.serving_view import MeasuredModel, ServingView, Shape
from lib.present.benchmark_tables import MOST_ROWS, column_label
from lib.present.measured_words import mlperf_scenario, model_name, short_name, source_of
from lib.present.text import Words, markdown_safe

_NAMED_SOURCES: Final = 4
_NAMED_MODELS: Final = 3


def mlperf_notices(view: MlperfView, catalog: Catalog, _: Words) -> list[str]:
    """What the MLPerf chart shows instead of what was asked for, and what it leaves out.

    Parameters
    ----------
    view : MlperfView
        The test.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    found = []
    for doubt in view.doubts:
        wanted, shown = markdown_safe(str(doubt.values["wanted"])), markdown_safe(str(doubt.values["shown"]))
        if doubt.code == "other-model":
            model = markdown_safe(model_name(catalog, str(doubt.values["wanted"]), _))
            found.append(_("This test runs {shown}, not {model}.", shown=shown, model=model))
        else:
            found.append(
                _(
                    "MLPerf has no {wanted} result of these parts for this choice: {shown} is shown.",
                    wanted=wanted,
                    shown=shown,
                )
            )
    if view.barred:
        names = _.listing([short_name(catalog, one) for one in view.barred])
        found.append(
            _("{parts} left out: the comparison is not to be published from {round}.", parts=names, round=view.round)
        )
    return found


def serving_notices(view: ServingView, workload: Workload, catalog: Catalog, _: Words) -> list[str]:
    """What the serving charts show instead of what was asked for, and what they leave out.

    Parameters
    ----------
    view : ServingView
        What is charted.
    workload : Workload
        What is run.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    shown = markdown_safe(model_name(catalog, view.model_id, _))
    found = []
    for doubt in view.doubts:
        wanted = str(doubt.values["wanted"])
        if doubt.code == "shape-fallback":
            found.append(
                _(
                    "No run of about {wanted} tokens: {shown} is shown.",
                    wanted=markdown_safe(wanted),
                    shown=str(doubt.values["shown"]),
                )
            )
        else:
            name = markdown_safe(model_name(catalog, wanted, _))
            found.append(
                _(
                    "{model} has no serving run on these parts: {shown} is shown; the list has every model with one.",
                    model=name,
                    shown=shown,
                )
            )
    if view.model_id != workload.model and not view.doubts:
        name = markdown_safe(model_name(catalog, workload.model, _))
        found.append(_("Shown is {shown}; the scenario runs {model}.", shown=shown, model=name))
    if elsewhere := _served_on_more(view, catalog):
        names = _.listing([markdown_safe(model_name(catalog, one, _)) for one in elsewhere])
        found.append(_("{shown} was served on one of these parts alone; on more: {names}.", shown=shown, names=names))
    if view.other_metric:
        found.append(
            _.count(
                "{n} run reports the other throughput alone and is in the table only.",
                "{n} runs report the other throughput alone and are in the table only.",
                view.other_metric,
            )
        )
    if view.count_unstated:
        found.append(
            _.count(
                "{n} run states no number of GPUs and is in the table only.",
                "{n} runs state no number of GPUs and are in the table only.",
                view.count_unstated,
            )
        )
    return found


def _served_on_more(view: ServingView, catalog: Catalog) -> list[str]:
    """Where the model shown was served on one part alone, the models nearest in size that were served on more."""
    own = next((one for one in view.models if one.model_id == view.model_id), None)
    if own is None or len(own.parts) > 1:
        return []
    size = catalog.models[view.model_id].total_params
    more = [one.model_id for one in view.models if len(one.parts) > 1]
    return sorted(more, key=lambda one: abs(math.log(catalog.models[one].total_params / size)))[:_NAMED_MODELS]


def model_option(model: MeasuredModel, catalog: Catalog, _: Words) -> str:
    """A model in the list: its name, on how many of the parts it was served, and in how many runs."""
    if not model.runs:
        return _("{name} (no run: computed alone)", name=model_name(catalog, model.model_id, _))
    return _(
        "{name} ({parts}, {runs})",
        name=model_name(catalog, model.model_id, _),
        parts=_.count("{n} part", "{n} parts", len(model.parts)),
        runs=_.count("{n} run", "{n} runs", model.runs),
    )


def shape_name(shape: Shape, _: Words) -> str:
    """Lengths as "1,024 in, 1,024 out"; what is not stated says so."""
    words = [f"{one:,}" if one else "?" for one in (shape.input_tokens, shape.output_tokens)]
    if words == ["?", "?"]:
        return _("lengths not stated")
    return _("{input} in, {output} out", input=words[0], output=words[1])


def shape_option(shape: Shape, _: Words) -> str:
    """A shape in the list: its lengths, on how many of the parts it was run, and in how many runs."""
    if not shape.runs:
        return _("{name} (no run: computed alone)", name=shape_name(shape, _))
    return _(
        "{name} ({parts}, {runs})",
        name=shape_name(shape, _),
        parts=_.count("{n} part", "{n} parts", len(shape.parts)),
        runs=_.count("{n} run", "{n} runs", shape.runs),
    )


def trains(workload: Workload) -> bool:
    """Whether the workload trains, which no measurement of inference decides."""
    return workload.task in ("train", "finetune")


def remarks(filters: Filters, undated: int, _: Words) -> list[str]:
    """What the filters do and do not reach.

    Parameters
    ----------
    filters : Filters
        What the reader asked for.
    undated : int
        Pairs of the two parts without a date.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    found = []
    if filters.any:
        found.append(_("The filters reach serving runs; MLPerf results are the submitters' own and are not filtered."))
    if filters.since and undated:
        found.append(
            _.count(
                "{n} pair of these parts states no date and is left out.",
                "{n} pairs of these parts state no date and are left out.",
                undated,
            )
        )
    return found


def section_name(word: str, _: Words) -> str:
    """A section of the page.

    Parameters
    ----------
    word : str
        A word of the scenario's view.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a choice.
    """
    return {
        "pairs": _("Like for like"),
        "load": _("Throughput and latency"),
        "training": _("Training"),
        "micro": _("Micro-benchmarks"),
        "accuracy": _("How good is the estimate?"),
        "kit": _("Measure it yourself"),
    }[word]


def publishers_option(word: str, _: Words) -> str:
    """Whose serving runs are read."""
    return _("Independent") if word == "independent" else _("All")


def mlperf_test(test: tuple[str, str], _: Words) -> str:
    """An MLPerf benchmark with its scenario, in a list."""
    return f"{test[0]}, {mlperf_scenario(test[1], _)}"


def nothing_served(workload: Workload, others: bool, catalog: Catalog, _: Words) -> str:
    """Why no serving run is charted, and what can be done.

    Parameters
    ----------
    workload : Workload
        What is run.
    others : bool
        Whether other models were served on these parts.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if others:
        model = markdown_safe(model_name(catalog, workload.model, _))
        return _(
            "{model} is measured by MLPerf alone. Choose a language model above to see its serving runs.", model=model
        )
    return _("No serving run of these parts was found with this choice of runs.")


def mlperf_caption(view: MlperfView, catalog: Catalog, _: Words) -> str:
    """Source, notice and trademark below the MLPerf chart.

    Parameters
    ----------
    view : MlperfView
        The test.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    sources = _.listing([_source(catalog, str(one), _) for one in view.results["source_id"].unique()])
    return _(
        "Values per accelerator are derived by dividing by the number of accelerators: not an MLPerf metric, not verified "
        "by MLCommons. Submitters sell or rent out what they submit. MLPerf is a trademark of MLCommons. Source: "
        "{sources}. Data edition {edition}.",
        sources=sources,
        edition=catalog.edition.label,
    )


def serving_caption(rows: pd.DataFrame, catalog: Catalog, _: Words) -> str:
    """The sources of the runs charted, their dates, and the edition.

    Parameters
    ----------
    rows : DataFrame
        Runs with their source_id and date.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    dates = sorted({str(one) for one in rows["date"] if one})
    span = f"{dates[0]}–{dates[-1]}" if dates and dates[0] != dates[-1] else "".join(dates[:1])
    return _(
        "Sources: {sources}. Dates of the runs: {dates}. Point at a run for its source. Data edition {edition}.",
        sources=_named_sources([str(one) for one in rows["source_id"].unique()], catalog, _),
        dates=span or _("not stated"),
        edition=catalog.edition.label,
    )


def pairs_sources(pairs: pd.DataFrame, catalog: Catalog, _: Words) -> str:
    """The sources of some pairs and the edition."""
    return _(
        "Sources: {sources}. Data edition {edition}.",
        sources=_named_sources([str(one) for one in pairs["source_id"].unique()], catalog, _),
        edition=catalog.edition.label,
    )


def latency_caption(view: ServingView, _: Words) -> str:
    """What the latency chart leaves out."""
    if not view.one_latency:
        return _("Sources as above.")
    return _.count(
        "Sources as above. {n} run reports one latency alone, or both in different statistics, and is in the table only.",
        "Sources as above. {n} runs report one latency alone, or both in different statistics, and are in the table only.",
        view.one_latency,
    )


def pairs_caption(models: Sequence[tuple[str, int]], model_id: str, catalog: Catalog, _: Words) -> str:
    """How many pairs there are of the model in view, and of which other models there are some.

    Parameters
    ----------
    models : sequence of (str, int)
        From `lib.choice.measured.models_with_pairs`.
    model_id : str
        The model in view.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    known = dict(models)
    model = markdown_safe(model_name(catalog, model_id, _))
    own = known.pop(model_id, 0)
    head = (
        _.count("{n} pair of runs of {model}.", "{n} pairs of runs of {model}.", own, model=model)
        if own
        else _("No pair of runs of {model}.", model=model)
    )
    others = [f"{markdown_safe(model_name(catalog, one, _))} ({count})" for one, count in known.items()]
    tail = _("Other models with pairs of these two parts: {others}.", others=_.listing(others)) if others else ""
    return f"{head} {tail}".strip()


def kind_heading(kind: str, count: int, _: Words) -> str:
    """The heading of the pairs of one kind."""
    if kind == EQUAL_COUNT:
        message = _("**Equal GPU counts** ({pairs}): both runs on the same number of GPUs.")
    else:
        message = _(
            "**Each part at its own GPU count** ({pairs}): best throughput per GPU of each, so latency differs."
        )
    return message.format(pairs=_.count("{n} pair", "{n} pairs", count))


def metrics_of(rows: pd.DataFrame, catalog: Catalog, _: Words) -> list[str]:
    """The metrics that occur in labelled rows of the serving table."""
    return sorted(set(rows[_label(catalog, "metric", _)])) if len(rows) else []


def of_metrics(rows: pd.DataFrame, wanted: Sequence[str], catalog: Catalog, _: Words) -> pd.DataFrame:
    """The labelled rows of some metrics; all where none is chosen."""
    return rows[rows[_label(catalog, "metric", _)].isin(list(wanted))] if wanted else rows


def rows_caption(count: int, _: Words) -> str:
    """How many rows there are, how many of them are shown, and what is history."""
    number = f"{count:,}"
    return _(
        "{count} rows; at most {shown} are shown, the CSV holds all. Runs of a software state of 2024 "
        "(argonne-llm-inference-bench) are history: listed here, never charted or paired above.",
        count=number,
        shown=MOST_ROWS,
    )


def shown_caption(count: int, _: Words) -> str:
    """How many rows there are and how many of them are shown."""
    return _("{count} rows; at most {shown} are shown, the CSV holds all.", count=f"{count:,}", shown=MOST_ROWS)


def method(_: Words) -> str:
    """How pairs, ratios and charts are made."""
    return _(
        "**Like for like**: two runs of one source, model, weight format, lengths, load, engine and conditions (speculative "
        "decoding, data-parallel attention, prefix cache, disaggregation) on two parts. A format that is not stated equals "
        "another not stated only within one source and model name. Ratio = (throughput / GPUs) of the first over that of "
        "the second; for latency above 1 is slower. Ranges are the lowest and highest pair; the median is given from three "
        "pairs on. Pairs at equal GPU counts and pairs with each part at its own best count are two kinds and are never "
        "averaged.\n\n"
        "**MLPerf**: results of one round, model, scenario and accuracy target that may stand as headlines, compared on "
        "equally many accelerators. Declared precision is shown and not used to match.\n\n"
        "**Charts**: every point is one published run. Lengths within 10 % count as one shape. Output tokens and total "
        "tokens, per GPU and per deployment, are never mixed. Time to first token and time per output token of a point "
        "come from one run. Queue-limited runs had fewer requests running than stated: their throughput holds, their time "
        "to first token measures the queue. A publisher's interest is independent unless it makes, sells or rents out a "
        "part; independent publishers often ran on sponsored hardware, and that is marked."
    )


def _label(catalog: Catalog, field: str, _: Words) -> str:
    return column_label(catalog.columns["serving", field], _)


def _named_sources(source_ids: Sequence[str], catalog: Catalog, _: Words) -> str:
    names = [_source(catalog, one, _) for one in source_ids[:_NAMED_SOURCES]]
    if len(source_ids) > _NAMED_SOURCES:
        names.append(_("{n} more", n=len(source_ids) - _NAMED_SOURCES))
    return _.listing(names)


def _source(catalog: Catalog, source_id: str, _: Words) -> str:
    source = source_of(catalog, source_id, _)
    return f"{markdown_safe(source.title)} ({source.date or _('date not stated')})"
