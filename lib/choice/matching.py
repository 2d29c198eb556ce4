"""How rows of the serving table are read: which are of one run, what their words mean, how far two runs are apart."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.choice.table import Codes, Flags, Floats, Table, combined, first_rows

THROUGHPUT: Final = "throughput"
METRIC_CLASS: Final[Mapping[str, str]] = {
    "output_tokens_per_s": THROUGHPUT,
    "total_tokens_per_s": THROUGHPUT,
    "requests_per_s": THROUGHPUT,
    "ttft_ms": "ttft",
    "tpot_ms": "tpot",
    "itl_ms": "tpot",
    "latency_s": "latency",
}
"""Metric -> the question it answers; within a class the earlier metric is preferred when one run reports several."""

STAT_PREFERENCE: Final = ("median", "mean", "", "p90", "p99")
"""Which statistic stands for a run that reports several: the typical request first, an unnamed one after the named."""

LONG_CONTEXT_TOKENS: Final = 16_384
LATENCY_BOUND_CONCURRENCY: Final = 8
THROUGHPUT_BOUND_CONCURRENCY: Final = 64

_OUTCOME: Final = frozenset({"metric", "stat", "value", "unit", "unit_basis"})
_LATENCY_PAIR: Final = ("ttft_ms", "tpot_ms")
_DEPARTMENTS: Final = (" cookbook", " docs", " recipes", " CI")


def runs(rows: Table) -> Codes:
    """One integer per row of a serving table, equal for all metrics of one run.

    Rows are of one run when everything but metric, statistic, value and unit is equal. The note may differ between the
    metrics of a run (how each was derived), so it parts rows only where leaving it out would give one metric twice, or
    would join a time to first token with a time per output token that carry different notes.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    ndarray of int
        Run codes from 0.
    """
    without_note = rows.code(*(name for name in rows.codes if name not in _OUTCOME and name != "note"))
    if not rows.length:
        return without_note
    count = int(without_note.max()) + 1
    note = (rows.codes["note"], rows.sizes["note"])
    once = combined([(without_note, count), (rows.code("metric", "stat"), rows.length)])
    split = np.bincount(without_note, minlength=count) > np.bincount(without_note[first_rows(once)], minlength=count)
    latency = rows.is_word("metric", *_LATENCY_PAIR)
    of_run = without_note[latency]
    noted = combined([(of_run, count), (note[0][latency], note[1])])
    split |= np.bincount(of_run[first_rows(noted)], minlength=count) > 1
    return combined([(without_note, count), (np.where(split[without_note], note[0], -1), note[1])])


def engine_family(name: str) -> str:
    """The engine a name belongs to, without plugin and without the router in front of it.

    Parameters
    ----------
    name : str
        Engine as published.

    Returns
    -------
    str
        Family name.

    Examples
    --------
    >>> engine_family("vllm (ATOM plugin)"), engine_family("dynamo-tensorrt-llm")
    ('vllm', 'tensorrt-llm')
    """
    return name.partition(" (")[0].removeprefix("dynamo-")


def publisher_family(name: str) -> str:
    """The body behind a publisher's name, so that its several pages count once.

    Parameters
    ----------
    name : str
        Publisher as the table names it.

    Returns
    -------
    str
        Name without department or occasion.

    Examples
    --------
    >>> publisher_family("SemiAnalysis InferenceX (thread)"), publisher_family("SGLang project cookbook")
    ('SemiAnalysis InferenceX', 'SGLang project')
    """
    body = name.partition(" (")[0].partition(",")[0]
    for department in _DEPARTMENTS:
        body = body.removesuffix(department)
    return body


def engine_families(rows: Table) -> tuple[Codes, tuple[str, ...]]:
    """The engine family of each row: codes and the words they stand for.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    tuple
        Codes of the rows and the families that they stand for.
    """
    return rows.translated("engine", {name: engine_family(name) for name in rows.words["engine"]})


def model_keys(rows: Table) -> tuple[Codes, int]:
    """Codes equal where two rows run the same model, and how many codes there may be.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    tuple
        Codes of the rows, and an upper limit of their number.

    Notes
    -----
    Where the weight format is stated, the catalogue's model decides. Where it is blank only the published name is equal
    to itself, because unknown equals unknown only for one publisher's one checkpoint.
    """
    stated = ~rows.is_word("model_id", "") & ~rows.is_word("weight_format", "")
    models = rows.sizes["model_id"]
    return np.where(stated, rows.codes["model_id"], models + 1 + rows.codes["model"]), models + rows.sizes["model"] + 2


def days(rows: Table, name: str) -> Floats:
    """Dates as days since 1970, a month or year taken as its first day [d]; NaN where blank.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.
    name : str
        A column of dates.

    Returns
    -------
    ndarray
        Days since 1970-01-01 [d].
    """
    padded = [word + "-01-01"[len(word) - 10 :] if len(word) in (4, 7) else word or "NaT" for word in rows.words[name]]
    stamps = np.array([*padded, "NaT"], dtype="datetime64[D]")
    lookup = np.where(np.isnat(stamps), np.nan, stamps.astype(np.int64).astype(np.float64))
    return lookup[rows.codes[name]]


def load_classes(input_tokens: Floats, concurrency: Floats) -> NDArray[np.str_]:
    """What bounds a load: long_context, latency, throughput, between, or unstated.

    Parameters
    ----------
    input_tokens, concurrency : ndarray
        Length of the prompt [tokens] and sequences at once; NaN where not stated.

    Returns
    -------
    ndarray of str
        Long context from LONG_CONTEXT_TOKENS of prompt; else latency up to LATENCY_BOUND_CONCURRENCY sequences and
        throughput from THROUGHPUT_BOUND_CONCURRENCY; a concurrency that is not stated is unstated.

    Notes
    -----
    The limits are ours: they sort rows for reading and enter no number.
    """
    return np.select(
        [
            input_tokens >= LONG_CONTEXT_TOKENS,
            np.isnan(concurrency),
            concurrency <= LATENCY_BOUND_CONCURRENCY,
            concurrency >= THROUGHPUT_BOUND_CONCURRENCY,
        ],
        ["long_context", "unstated", "latency", "throughput"],
        default="between",
    )


def per_gpu(rows: Table) -> Floats:
    """Values of rows: throughput per GPU, latency as it is; NaN where the number of GPUs is not stated.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    ndarray
        Values [the row's unit, per GPU].
    """
    values, counts = rows.numbers["value"], rows.numbers["accelerator_count"]
    return np.where(is_throughput(rows) & ~rows.is_word("unit_basis", "gpu"), values / counts, values)


def per_deployment(rows: Table) -> Floats:
    """Values of rows: throughput of the deployment, latency as it is; NaN where the number of GPUs is not stated.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    ndarray
        Values [the row's unit, of all GPUs together].
    """
    values, counts = rows.numbers["value"], rows.numbers["accelerator_count"]
    return np.where(is_throughput(rows) & rows.is_word("unit_basis", "gpu"), values * counts, values)


def is_throughput(rows: Table) -> Flags:
    """Where a row measures throughput.

    Parameters
    ----------
    rows : Table
        Rows of the serving table.

    Returns
    -------
    ndarray of bool
        False for latencies.
    """
    return rows.is_word("metric", *(name for name, group in METRIC_CLASS.items() if group == THROUGHPUT))


def clause_distances(notes_a: Sequence[str], notes_b: Sequence[str]) -> Floats:
    """How many clauses (parted by ";") stand in only one of two notes, for each pair of notes.

    Parameters
    ----------
    notes_a, notes_b : sequence of str
        Notes, pair by pair.

    Returns
    -------
    ndarray
        Clauses that are not in both [count].

    Examples
    --------
    >>> clause_distances(["MTP on; rented"], ["rented; MTP off"]).tolist()
    [2.0]
    """
    known: dict[tuple[str, str], float] = {}
    for pair in set(zip(notes_a, notes_b, strict=True)):
        left, right = (frozenset(part.strip() for part in note.split(";")) for note in pair)
        known[pair] = float(len(left ^ right))
    return np.array([known[pair] for pair in zip(notes_a, notes_b, strict=True)], dtype=np.float64)
