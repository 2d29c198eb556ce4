"""The benchmarks page in tables: parts at a glance, MLPerf results, like-for-like pairs, and the rows behind them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT
from lib.choice.measured import Finding
from lib.choice.mlperf import BEST, SAME_SUBMITTER, VENDORS
from lib.choice.mlperf_view import MlperfView
from lib.present.benchmarks import group_span
from lib.present.measured_words import interest, load_in_words, mlperf_scenario, model_name, ratio_span, source_of
from lib.present.text import Words
from lib.records import Column

MOST_ROWS: Final = 200
"""Rows that a table shows; its CSV holds all."""

SERVING_FIELDS: Final = (
    "accelerator_id", "model", "metric", "stat", "value", "unit", "unit_basis", "accelerator_count", "input_tokens",
    "output_tokens", "concurrency", "weight_format", "engine", "engine_version", "publisher", "publisher_interest",
    "date", "queue_limited", "hardware_sponsored", "speculative", "dp_attention", "prefix_cache", "eager",
    "disaggregated", "source_id", "locator", "note",
)  # fmt: skip
TRAINING_FIELDS: Final = (
    "accelerator_id", "benchmark", "round", "submitter", "accelerator_count", "time_to_train_minutes",
    "accelerator_minutes", "framework", "source_id", "locator", "note",
)  # fmt: skip
RATE_FIELDS: Final = (
    "accelerator_id", "model", "metric", "value", "unit", "accelerator_count", "number_format", "sequence_length",
    "batch_size", "framework", "framework_version", "publisher", "publisher_interest", "date", "source_id", "locator",
    "note",
)  # fmt: skip
MICRO_FIELDS: Final = (
    "accelerator_id", "test", "metric", "value", "unit", "stat", "accelerator_count", "number_format", "shape_or_size",
    "software", "publisher", "publisher_interest", "date", "source_id", "locator", "note",
)  # fmt: skip
FLAG_FIELDS: Final = ("command", "setting", "flag", "source_id", "locator", "seen", "note")


def at_a_glance(catalog: Catalog, findings: Sequence[Finding], _: Words) -> pd.DataFrame:
    """Each part against the base, one row a part, the two kinds of pair in columns of their own.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    findings : sequence of Finding
        One a part, all over the same base.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    lines = []
    for one in findings:
        ratios = [[ratio.ratio for ratio in one.ratios(kind)] for kind in (VENDORS, SAME_SUBMITTER, BEST)]
        lines.append(
            (
                catalog.accelerators[one.part].short_name,
                *(ratio_span(found, _) for found in ratios),
                group_span(one, EQUAL_COUNT, _, count=True),
                group_span(one, OWN_COUNT, _, count=True),
            )
        )
    heads = (
        _("Part"), _("MLPerf, vendors' own systems"), _("MLPerf, one submitter"), _("MLPerf, best systems"),
        _("Serving, equal GPU counts"), _("Serving, each at its own count"),
    )  # fmt: skip
    return pd.DataFrame(lines, columns=list(heads))


def mlperf_results(catalog: Catalog, view: MlperfView, _: Words) -> pd.DataFrame:
    """The results of one test, highest per accelerator first, with system, software and source.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : MlperfView
        The test.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Numbers as numbers; the unit stands in the head.
    """
    rows = view.results
    data = {
        _("Part"): [catalog.accelerators[str(one)].short_name for one in rows["accelerator_id"]],
        _("Submitter"): rows["submitter"].astype(str).tolist(),
        _("Per accelerator (derived), {unit}", unit=view.unit): rows["per_accelerator_derived"].round(2).tolist(),
        _("Result of the system, {unit}", unit=view.unit): rows["value"].tolist(),
        _("Accelerators"): rows["accelerator_count"].tolist(),
        _("Nodes"): rows["nodes"].tolist(),
        _("System"): rows["system_name"].astype(str).tolist(),
        _("Precision as declared"): [str(one) or _("not published") for one in rows["precision"]],
        _("Software"): [str(one) or _("not published") for one in rows["framework"]],
        _("Result id"): [str(one) or _("none recorded") for one in rows["result_id"]],
        _("Source"): [source_of(catalog, str(one), _).title for one in rows["source_id"]],
        _("Where"): rows["locator"].astype(str).tolist(),
        _("Note"): rows["note"].astype(str).tolist(),
    }
    return pd.DataFrame(data)


def mlperf_pairs(pairs: pd.DataFrame, _: Words) -> pd.DataFrame:
    """Every MLPerf pair of two parts over all rounds: what kind, whose systems, what was not equal.

    Parameters
    ----------
    pairs : DataFrame
        From `lib.choice.mlperf.mlperf_pairs`.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Newest round first.
    """
    kinds = {VENDORS: _("vendors' own systems"), SAME_SUBMITTER: _("one submitter"), BEST: _("best systems")}
    words = {"submitter": _("submitter"), "nodes": _("nodes"), "framework": _("software")}
    data = {
        _("Round"): pairs["round"].astype(str).tolist(),
        _("Benchmark"): pairs["model"].astype(str).tolist(),
        _("Test scenario"): [mlperf_scenario(str(one), _) for one in pairs["scenario"]],
        _("Kind"): [kinds[str(one)] for one in pairs["kind"]],
        _("Ratio per accelerator (derived)"): pairs["ratio"].round(3).tolist(),
        _("Accelerators"): pairs["accelerator_count"].tolist(),
        _("Submitters"): [f"{a} / {b}" for a, b in zip(pairs["submitter_a"], pairs["submitter_b"], strict=True)],
        _("Accuracy target, %"): pairs["accuracy_target"].tolist(),
        _("Not equal"): [_codes(str(one), words, _) for one in pairs["unequal"]],
        _("Where"): [f"{a} / {b}" for a, b in zip(pairs["locator_a"], pairs["locator_b"], strict=True)],
    }
    return pd.DataFrame(data)


def serving_pairs(catalog: Catalog, pairs: pd.DataFrame, part: str, base: str, _: Words) -> pd.DataFrame:
    """Like-for-like pairs of one kind: ratio of throughput with the latencies of the same runs beside it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    pairs : DataFrame
        Rows of one kind, from `lib.choice.measured.run_pairs`.
    part, base : str
        Accelerator ids of both sides.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Numbers as numbers; empty where the runs do not both report a figure.
    """
    names = catalog.accelerators[part].short_name, catalog.accelerators[base].short_name
    lengths = [pairs[name].tolist() for name in ("input_tokens", "output_tokens", "concurrency")]
    latencies = {
        "ttft_ratio": _("TTFT ratio (above 1 is slower)"),
        "tpot_ratio": _("TPOT ratio (above 1 is slower)"),
        "latency_ratio": _("Latency ratio (above 1 is slower)"),
    }
    wheres = zip(pairs["locator_a"], pairs["locator_b"], strict=True)
    data: dict[str, Any] = {
        _("Load"): [load_in_words(a, b, c, _) for a, b, c in zip(*lengths, strict=True)],
        _("Throughput per GPU, ratio"): pairs["throughput_ratio"].round(3).tolist(),
        **{head: pairs[name].round(3).tolist() for name, head in latencies.items() if pairs[name].notna().any()},
        _("GPUs of {part}", part=names[0]): pairs["accelerator_count_a"].tolist(),
        _("GPUs of {part}", part=names[1]): pairs["accelerator_count_b"].tolist(),
        _("Weight format"): [str(one) or _("not stated") for one in pairs["weight_format"]],
        _("Publisher"): pairs["publisher"].astype(str).tolist(),
        _("Publisher's interest"): [interest(str(one), _) for one in pairs["publisher_interest"]],
        _("Dates"): [_pair_of_dates(a, b, _) for a, b in zip(pairs["date_a"], pairs["date_b"], strict=True)],
        _("Marks"): _marks(pairs, _),
        _("Not equal"): [_codes(str(one), _unequal_words(_), _) for one in pairs["unequal"]],
        _("Model"): [
            model_name(catalog, one, _) if one else published
            for one, published in zip(pairs["model_id"], pairs["model_a"], strict=True)
        ],
        _("Source"): [source_of(catalog, str(one), _).title for one in pairs["source_id"]],
        _("Where"): [a if a == b else f"{a} / {b}" for a, b in wheres],
    }
    return pd.DataFrame(data)


def rows(catalog: Catalog, table: str, frame: pd.DataFrame, fields: Sequence[str], _: Words) -> pd.DataFrame:
    """Rows of a measured table under the labels of its vocabulary, parts and sources by their names.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        Name of the table.
    frame : DataFrame
        Some of its rows.
    fields : sequence of str
        The columns shown, in order.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a row.
    """
    data: dict[str, list[Any]] = {}
    for field in fields:
        column = catalog.columns[table, field]
        label = column_label(column, _)
        cells = frame[field]
        if column.type == "flag":
            data[label] = [_("yes") if one else "" for one in cells]
        elif field == "accelerator_id":
            known = catalog.accelerators
            data[label] = [known[str(one)].short_name if one in known else str(one) for one in cells]
        elif field == "source_id":
            data[label] = [source_of(catalog, str(one), _).title for one in cells]
        elif field == "publisher_interest":
            data[label] = [interest(str(one), _) for one in cells]
        else:
            data[label] = cells.tolist()
    return pd.DataFrame(data)


def column_label(column: Column, _: Words) -> str:
    """A column's label as a head, with its unit where it has one."""
    label = _.pick(column.label_en[:1].upper() + column.label_en[1:], column.label_zh)
    return f"{label}, {column.unit}" if column.unit and column.unit not in label.lower() else label


def _unequal_words(_: Words) -> Mapping[str, str]:
    return {
        "checkpoint": _("published checkpoint"),
        "engine": _("engine"),
        "engine_version": _("engine version"),
        "eager": _("eager mode"),
        "tensor_parallel": _("tensor parallel size"),
        "accelerator_count": _("number of GPUs"),
        "kv_format": _("cache format"),
        "date": _("date"),
        "note": _("conditions in the note"),
        "engine_version_unstated": _("engine version not stated"),
    }


def _codes(codes: str, words: Mapping[str, str], _: Words) -> str:
    return _.listing([words[one] for one in codes.split(";") if one]) or _("nothing known")


def _pair_of_dates(one: str, other: str, _: Words) -> str:
    first, second = (str(side) or _("not stated") for side in (one, other))
    return first if first == second else f"{first} / {second}"


def _marks(pairs: pd.DataFrame, _: Words) -> list[str]:
    """What weakens each pair, or the word for nothing."""
    marks = (
        ("queue_limited", _("queue-limited"), True),
        ("hardware_sponsored", _("sponsored hardware"), True),
        ("eager_equal", _("eager mode on one side"), False),
        ("format_stated", _("format not stated"), False),
    )
    flags = [(pairs[name].tolist(), word, bad) for name, word, bad in marks]
    return [
        _.listing([word for values, word, bad in flags if values[place] == bad]) or _("none")
        for place in range(len(pairs))
    ]
