"""Like-for-like evidence in words: model classes and loads, the two ends of one publisher's series, the summary table."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT
from lib.choice.evidence_classes import ClassGroup, Contrast, LoadRatio, Spread
from lib.present.measured_words import interest, model_name, ratio_span
from lib.present.text import Words, markdown_safe


def model_class(word: str, _: Words) -> str:
    """A class of models in a few letters.

    Parameters
    ----------
    word : str
        A word of `lib.choice.evidence_classes.MODEL_CLASSES`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "dense_small": _("Dense, below 40B"),
        "dense_large": _("Dense, 40B and more"),
        "moe": _("Mixture of experts"),
    }.get(word, _("Model not in the catalogue"))


def load_class(word: str, _: Words) -> str:
    """A class of loads in a few letters.

    Parameters
    ----------
    word : str
        A word of `lib.choice.evidence_classes.LOAD_CLASSES`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "latency": _("latency-bound"),
        "between": _("between"),
        "throughput": _("throughput-bound"),
        "long_context": _("long context"),
    }.get(word, _("load not stated"))


def short_class(word: str, _: Words) -> str:
    """A class of models beside an axis."""
    return {"dense_small": _("Dense <40B"), "dense_large": _("Dense ≥40B"), "moe": _("MoE")}.get(word, _("Other model"))


def short_load(word: str, _: Words) -> str:
    """A class of loads beside an axis."""
    return {
        "latency": _("latency"),
        "between": _("between"),
        "throughput": _("throughput"),
        "long_context": _("long context"),
    }.get(word, _("load ?"))


def group_counts(group: ClassGroup, _: Words) -> str:
    """How many pairs a group has and how many independent publishers are behind them."""
    return _(
        "{pairs}, {independent}",
        pairs=_.count("{n} pair", "{n} pairs", group.throughput.pairs),
        independent=_.count("{n} independent", "{n} independent", group.independent_publishers),
    )


def kind_name(kind: str, _: Words) -> str:
    """The kind of a pair as a heading."""
    return _("Equal GPU counts") if kind == EQUAL_COUNT else _("Own GPU counts")


def class_method(_: Words) -> str:
    """Where the limits between the classes stand."""
    return _(
        "Latency-bound: up to 8 requests at once; throughput-bound: 64 and more; long context: prompts of 16,384 tokens and "
        "more, whatever the load. Dense models are split at 40 billion parameters, where 16-bit weights fill one 80 GB part."
    )


def class_table(catalog: Catalog, groups: Sequence[ClassGroup], _: Words) -> pd.DataFrame:
    """The groups as rows: counts, publishers, throughput and the latencies of the same runs beside it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    groups : sequence of ClassGroup
        In their order.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells; a kind that nobody measured has no row.
    """
    lines = [
        (
            f"{model_class(one.model_class, _)}, {load_class(one.load_class, _)}",
            kind_name(one.kind, _),
            _spread(one.throughput, _),
            _spread(one.ttft, _),
            _spread(one.tpot, _),
            one.throughput.pairs,
            one.publishers,
            one.independent_publishers,
            one.queue_limited,
            _("equal") if one.eager_equal else _("on one side"),
            " – ".join(dict.fromkeys(filter(None, (one.first_date, one.last_date)))) or _("not stated"),
            _.pick(", ", "、").join(model_name(catalog, name, _) for name in one.models) or _("not in the catalogue"),
        )
        for one in groups
    ]
    heads = (
        _("Models and load"), _("Kind of pair"), _("Throughput per GPU, ratio"), _("TTFT ratio (above 1 is slower)"),
        _("TPOT ratio (above 1 is slower)"), _("Pairs"), _("Publishers"), _("Independent publishers"),
        _("Queue-limited pairs"), _("Eager mode"), _("Dates"), _("Models"),
    )  # fmt: skip
    return pd.DataFrame(lines, columns=list(heads))


def contrast_clause(contrast: Contrast, base: str, _: Words) -> str:
    """What one publisher measured at few and at many requests, without a full stop.

    Parameters
    ----------
    contrast : Contrast
        From `lib.choice.evidence_classes.contrast`.
    base : str
        Name of the part compared with, safe in Markdown.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    remarks = [markdown_safe(contrast.engine) or _("engine not stated"), interest(contrast.publisher_interest, _)]
    remarks.append(contrast.date or _("date not stated"))
    remarks.append(_("equal GPU counts") if contrast.kind == EQUAL_COUNT else _("each part at its own GPU count"))
    if not contrast.eager_equal:
        remarks.append(_("eager mode on one side"))
    queued = _queued(contrast.low, contrast.high, _)
    return _(
        "{publisher} ({remarks}) measured **{low}** of {base} at {few} and **{high}** at {many} requests at once{queued}",
        publisher=markdown_safe(contrast.publisher),
        remarks=_.pick(", ", "，").join(remarks),
        low=ratio_span([contrast.low.ratio], _),
        base=base,
        few=f"{contrast.low.concurrency:,.0f}",
        high=ratio_span([contrast.high.ratio], _),
        many=f"{contrast.high.concurrency:,.0f}",
        queued=queued,
    )


def _queued(low: LoadRatio, high: LoadRatio, _: Words) -> str:
    if low.queue_limited and high.queue_limited:
        return _(", both queue-limited")
    if high.queue_limited:
        return _(", the latter queue-limited")
    return _(", the former queue-limited") if low.queue_limited else ""


def _spread(spread: Spread | None, _: Words) -> str:
    """Median and range with their count; the range alone below three pairs."""
    if spread is None:
        return _("not measured")
    span = ratio_span([spread.low, spread.high], _)
    if spread.pairs < 3:
        return span
    return _("{median}× ({span})", median=f"{spread.median:.2f}", span=span)
