"""Measured serving runs as operating points: throughput, time to first token and time per token of one run and load."""

from typing import Any, Final

import numpy as np
import pandas as pd

from lib.choice import matching
from lib.choice.evidence import HISTORICAL_SOURCES
from lib.choice.table import Codes, Floats, Table, first_rows, table

_OF_RUN: Final = (
    "source_id", "publisher", "publisher_interest", "date", "accelerator_id", "accelerator_count", "tensor_parallel",
    "model", "model_id", "weight_format", "kv_format", "engine", "engine_version", "input_tokens", "output_tokens",
    "concurrency", "request_rate", "speculative", "dp_attention", "prefix_cache", "eager", "disaggregated",
    "queue_limited", "hardware_sponsored", "locator", "note",
)  # fmt: skip
_MS_PER_S: Final = 1000.0
TYPICAL_STATS: Final = ("median", "mean", "")
"""Statistics that describe the typical request, best first; percentiles of the tail are asked for by name."""


def operating_points(
    frame: pd.DataFrame,
    model_id: str,
    accelerator_ids: tuple[str, ...],
    *,
    historical: bool = False,
    stats: tuple[str, ...] = TYPICAL_STATS,
) -> pd.DataFrame:
    """The measured runs of a model on some parts, one row per run and load.

    Parameters
    ----------
    frame : DataFrame
        The serving table, whole or filtered by row.
    model_id : str
        Model of the catalogue; for a model outside it, its published name.
    accelerator_ids : tuple of str
        Parts to include.
    historical : bool
        Whether runs of HISTORICAL_SOURCES are included.
    stats : tuple of str
        Statistics to take latencies from, most wanted first.

    Returns
    -------
    DataFrame
        The run's own columns and `output_tokens_per_s_per_gpu`, `total_tokens_per_s_per_gpu` [tokens/s/GPU],
        `output_tokens_per_s`, `total_tokens_per_s` [tokens/s of the deployment], `ttft_ms`, `tpot_ms` [ms] with
        `ttft_stat` and `tpot_stat`, `latency_s` [s], `interactivity_tokens_per_s` = 1000 / tpot_ms [tokens/s per
        sequence], `load_class`, `historical`, and `row`, the label of the run's first row. Ordered by part, source and
        load. NaN where the run does not report a figure.

    Notes
    -----
    Both latencies of a row are of one run, and of one statistic wherever the run reports both in one of `stats`.
    """
    wanted = ((frame["model_id"] == model_id) | (frame["model"] == model_id)) if model_id else frame["model_id"] != ""
    if not historical:
        wanted &= ~frame["source_id"].isin(HISTORICAL_SOURCES)
    chosen = (wanted & frame["accelerator_id"].isin(accelerator_ids)).to_numpy()
    rows = table(frame, chosen)
    run = matching.runs(rows)
    first = first_rows(run)
    columns: dict[str, Any] = {name: frame[name].array.take(np.flatnonzero(chosen)[first]) for name in _OF_RUN}
    per_gpu, per_deployment = matching.per_gpu(rows), matching.per_deployment(rows)
    for metric in ("output_tokens_per_s", "total_tokens_per_s"):
        columns[f"{metric}_per_gpu"] = _figure(rows, run, per_gpu, metric, matching.STAT_PREFERENCE)
        columns[metric] = _figure(rows, run, per_deployment, metric, matching.STAT_PREFERENCE)
    columns |= _latencies(rows, run, stats)
    columns["latency_s"] = _figure(rows, run, rows.numbers["value"], "latency_s", stats)
    with np.errstate(divide="ignore"):
        columns["interactivity_tokens_per_s"] = _MS_PER_S / columns["tpot_ms"]
    heads = rows.take(first)
    columns["load_class"] = matching.load_classes(heads.numbers["input_tokens"], heads.numbers["concurrency"])
    columns["historical"] = heads.is_word("source_id", *HISTORICAL_SOURCES)
    columns["row"] = heads.labels
    order = np.lexsort(
        (
            heads.numbers["concurrency"],
            heads.numbers["input_tokens"],
            heads.text("source_id"),
            heads.text("accelerator_id"),
        )
    )
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _figure(rows: Table, run: Codes, values: Floats, metric: str, stats: tuple[str, ...]) -> Floats:
    """One metric of each run in the most wanted statistic that the run reports; NaN where it reports none."""
    found = np.full(int(run.max(initial=-1)) + 1, np.nan)
    for stat in reversed(stats):
        chosen = rows.is_word("metric", metric) & rows.is_word("stat", stat) & ~np.isnan(values)
        found[run[chosen]] = values[chosen]
    return found


def _latencies(rows: Table, run: Codes, stats: tuple[str, ...]) -> dict[str, Any]:
    """Both latencies of each run with their statistics, in one statistic where possible."""
    values = rows.numbers["value"]
    count = int(run.max(initial=-1)) + 1
    single = {
        stat: tuple(_figure(rows, run, values, metric, (stat,)) for metric in ("ttft_ms", "tpot_ms")) for stat in stats
    }
    ttft, tpot = np.full(count, np.nan), np.full(count, np.nan)
    ttft_stat, tpot_stat = np.full(count, "", dtype=object), np.full(count, "", dtype=object)
    for stat, (first, each) in single.items():
        both = np.isnan(ttft) & ~np.isnan(first) & ~np.isnan(each)
        ttft[both], tpot[both], ttft_stat[both], tpot_stat[both] = first[both], each[both], stat, stat
    for stat, (first, each) in single.items():
        for whole, word, part in ((ttft, ttft_stat, first), (tpot, tpot_stat, each)):
            alone = np.isnan(whole) & ~np.isnan(part)
            whole[alone], word[alone] = part[alone], stat
    return {"ttft_ms": ttft, "ttft_stat": ttft_stat, "tpot_ms": tpot, "tpot_stat": tpot_stat}
