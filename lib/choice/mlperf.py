"""MLPerf Inference results beside each other: within one round, model, scenario, accuracy target and GPU count.

A value per accelerator is derived here from the submitted one; it is no MLPerf metric and MLCommons has not verified
it. The precision that a submitter declares is shown, never used to match.
"""

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lib.choice import matching
from lib.choice.table import Codes, Table, combined, joined, table
from lib.errors import InputError

BEST: Final = "best"
VENDORS: Final = "vendors"
SAME_SUBMITTER: Final = "same_submitter"
KINDS: Final = (BEST, VENDORS, SAME_SUBMITTER)
"""Best system of each part; best system submitted by the parts' own vendors; best of each part by one submitter."""

VENDOR_SUBMITTERS: Final = ("AMD", "NVIDIA")
UNPUBLISHABLE: Final = frozenset({("v6.1", frozenset({"mi355x", "b200-sxm"}))})
"""Comparisons never to be shown: round and the two parts."""

_SAME_TEST: Final = ("round", "model", "scenario", "accuracy_target", "unit")
_OF_TEST: Final = (*_SAME_TEST, "accelerator_count", "source_id")
_OF_EACH: Final = (
    "accelerator_id",
    "submitter",
    "system_name",
    "nodes",
    "value",
    "framework",
    "precision",
    "result_id",
    "locator",
    "note",
)
_MAY_DIFFER: Final = ("submitter", "nodes", "framework")


def mlperf_results(frame: pd.DataFrame, model: str, scenario: str, round: str) -> pd.DataFrame:
    """The headline results of one MLPerf test in one round.

    Parameters
    ----------
    frame : DataFrame
        The MLPerf inference table, whole or filtered by row.
    model : str
        Benchmark as MLPerf names it, for example "llama2-70b".
    scenario : str
        "Offline", "Server" or "Interactive".
    round : str
        Round, for example "v4.1".

    Returns
    -------
    DataFrame
        The table's own columns and `per_accelerator_derived` = value / accelerator_count [unit per
        accelerator], `is_best` and `best_per_accelerator`, `median_per_accelerator`, `systems` of its part, accuracy
        target and accelerator count. Highest per accelerator first.
    """
    chosen = frame["headline"] & (frame["model"] == model) & (frame["scenario"] == scenario) & (frame["round"] == round)
    found = frame[chosen]
    rows = table(found[["accelerator_id", "accuracy_target", "unit", "accelerator_count", "value"]])
    group = rows.code("accelerator_id", "accuracy_target", "unit", "accelerator_count")
    each = rows.numbers["value"] / rows.numbers["accelerator_count"]
    members = [each[group == one] for one in range(int(group.max(initial=-1)) + 1)]
    best, median = (
        np.array([function(one) for one in members], dtype=np.float64)[group] for function in (np.max, np.median)
    )
    found = found.assign(
        per_accelerator_derived=each,
        is_best=each == best,
        best_per_accelerator=best,
        median_per_accelerator=median,
        systems=np.bincount(group)[group] if rows.length else group,
    )
    return found.iloc[np.argsort(-each, kind="stable")]


def mlperf_pairs(frame: pd.DataFrame, a: str, b: str) -> pd.DataFrame:
    """Headline results of two parts in the same MLPerf test on equally many accelerators.

    ratio = (value_a / accelerator_count) / (value_b / accelerator_count)

    Parameters
    ----------
    frame : DataFrame
        The MLPerf inference table, whole or filtered by row.
    a, b : str
        Accelerator ids; the ratio is a over b.

    Returns
    -------
    DataFrame
        One row per test, accelerator count and kind (best, vendors, same_submitter): `round`, `model`, `scenario`,
        `accuracy_target`, `unit`, `accelerator_count`, `source_id`; of each side with `_a` and `_b` submitter,
        system, nodes, value, `per_accelerator_derived` [unit per accelerator], framework, declared precision,
        result id, locator and row label; `ratio`; `systems_a`, `systems_b`, the results it was chosen from; `unequal`,
        the codes of what differs, joined by ";".

    Raises
    ------
    InputError
        If both parts are one.

    Notes
    -----
    A comparison in UNPUBLISHABLE is left out. Kinds are answers to different questions and are not to be averaged.

    References
    ----------
    mlperf-inference-v4.1
    """
    if a == b:
        raise InputError("b", b, f"another part than {a}")
    barred = [rounds for rounds, parts in UNPUBLISHABLE if parts == {a, b}]
    chosen = (frame["headline"] & frame["accelerator_id"].isin([a, b]) & ~frame["round"].isin(barred)).to_numpy()
    rows = table(frame, chosen)
    test = rows.code(*_SAME_TEST, "accelerator_count")
    by_submitter = combined([(test, rows.length), (rows.codes["submitter"], rows.sizes["submitter"])])
    everyone = np.ones(rows.length, dtype=bool)
    vendors = rows.is_word("submitter", *VENDOR_SUBMITTERS)
    found = [
        _best_pairs(rows, test, everyone, a, b),
        _best_pairs(rows, test, vendors, a, b),
        _best_pairs(rows, by_submitter, everyone, a, b),
    ]
    kind = np.repeat(np.arange(len(KINDS)), [len(one[0]) for one in found])
    row_a, row_b, systems_a, systems_b = (np.concatenate([one[side] for one in found]) for side in range(4))
    place = np.flatnonzero(chosen)
    columns: dict[str, Any] = {
        "kind": pd.Categorical.from_codes(kind, pd.Index(list(KINDS))),
        "metric_class": matching.THROUGHPUT,
    }
    columns |= {name: frame[name].array.take(place[row_a]) for name in _OF_TEST}
    for name in _OF_EACH:
        both = frame[name].array
        columns[f"{name}_a"], columns[f"{name}_b"] = both.take(place[row_a]), both.take(place[row_b])
    each = rows.numbers["value"] / rows.numbers["accelerator_count"]
    columns |= {
        "per_accelerator_derived_a": each[row_a],
        "per_accelerator_derived_b": each[row_b],
        "ratio": each[row_a] / each[row_b],
        "systems_a": systems_a,
        "systems_b": systems_b,
        "unequal": _unequal(rows, row_a, row_b),
        "row_a": rows.labels[row_a],
        "row_b": rows.labels[row_b],
    }
    newest_first = np.lexsort((kind, *(rows.text(name)[row_a] for name in ("scenario", "model"))))
    order = newest_first[
        np.argsort([_round_key(one) for one in rows.text("round")[row_a][newest_first]], kind="stable")[::-1]
    ]
    return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _best_pairs(
    rows: Table, group: Codes, allowed: NDArray[np.bool_], a: str, b: str
) -> tuple[Codes, Codes, Codes, Codes]:
    """The best allowed row of a and of b in each group that has both, and how many rows each was chosen from."""
    value = rows.numbers["value"]
    sides = []
    for part in (a, b):
        of_part = np.flatnonzero(allowed & rows.is_word("accelerator_id", part))
        order = of_part[np.lexsort((of_part, -value[of_part], group[of_part]))]
        first = np.append([True], np.diff(group[order]) != 0)[: len(order)]
        sides.append((order[first], np.bincount(group[of_part], minlength=int(group.max(initial=-1)) + 1)))
    (best_a, count_a), (best_b, count_b) = sides
    left, right = joined(group[best_a], group[best_b])
    row_a, row_b = best_a[left], best_b[right]
    return row_a, row_b, count_a[group[row_a]], count_b[group[row_b]]


def _unequal(rows: Table, row_a: Codes, row_b: Codes) -> list[str]:
    """What differs between the two systems of each pair, as codes joined by ";"."""
    differs = np.array([rows.codes[name][row_a] != rows.codes[name][row_b] for name in _MAY_DIFFER])
    return [";".join(name for name, one in zip(_MAY_DIFFER, pair, strict=True) if one) for pair in differs.T]


def _round_key(name: str) -> float:
    """Rounds in the order of time: v4.1 before v5.0."""
    return float(name.removeprefix("v"))
