"""How far predictions lie from what logs state: errors by quantity, verdicts, and the share inside the band."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lib.errors import InputError

QUANTITIES: Final = {
    "weights": ("observed_weights_gib", "weights_gib_per_gpu"),
    "free cache": ("observed_kv_gib", "kv_cache_gib_per_gpu"),
    "tokens": ("observed_kv_tokens", "kv_cache_tokens"),
    "bytes per token": ("observed_bytes_per_token", "bytes_per_token"),
    "sequences": ("observed_max_concurrency", "max_concurrency"),
    "need of one sequence": ("observed_need_gib", "need_gib"),
}
"""What is compared: the logged column and the predicted one."""

RESAMPLES: Final = 2000
INTERVAL: Final = (5.0, 95.0)


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors of one quantity: median and 80th percentile with their bootstrap intervals, and the cases."""

    quantity: str
    count: int
    median: float
    median_interval: tuple[float, float]
    percentile_80: float
    percentile_80_interval: tuple[float, float]
    cases: tuple[tuple[str, float], ...]
    """Case and signed error: predicted / logged - 1."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Predicted against logged starts; a dangerous answer said fits where the log failed, a cautious one fails."""

    count: int
    right: int
    dangerous: tuple[str, ...]
    cautious: tuple[str, ...]


def errors(rows: Iterable[Mapping[str, Any]], quantity: str, seed: int = 0) -> Errors:
    """Relative errors of one quantity over answered rows that log it.

    error = |predicted - logged| / |logged|

    Parameters
    ----------
    rows : iterable of Mapping
        Rows as cases.evaluate answers them.
    quantity : str
        One of QUANTITIES.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Errors
        Percentiles with 90 % bootstrap intervals over rows.

    Raises
    ------
    InputError
        No row logs the quantity.

    Examples
    --------
    >>> rows = [{"case_id": "a", "observed_kv_gib": "10", "kv_cache_gib_per_gpu": 11.0}]
    >>> round(errors(rows, "free cache").median, 3)
    0.1
    """
    logged_column, column = QUANTITIES[quantity]
    signed: list[tuple[str, float]] = []
    for row in rows:
        logged, predicted = row.get(logged_column) or "", row.get(column, "")
        if logged != "" and predicted != "":
            signed.append((str(row["case_id"]), (float(predicted) - float(logged)) / abs(float(logged))))
    if not signed:
        raise InputError("rows", 0, f"at least one with {logged_column}")
    sizes = np.abs(np.array([error for _, error in signed]))
    return Errors(
        quantity,
        len(sizes),
        float(np.median(sizes)),
        _bootstrap(sizes, lambda drawn: np.median(drawn, axis=1), seed),
        float(np.percentile(sizes, 80)),
        _bootstrap(sizes, lambda drawn: np.percentile(drawn, 80, axis=1), seed),
        tuple(signed),
    )


def verdicts(rows: Iterable[Mapping[str, Any]]) -> Verdicts:
    """Predicted starts against logged ones.

    Parameters
    ----------
    rows : iterable of Mapping
        Rows as cases.evaluate answers them, with observed_fit "fit" or "fail".

    Returns
    -------
    Verdicts
        Counts, and the wrong cases by name.

    Examples
    --------
    >>> verdicts([{"case_id": "a", "fits": "yes", "observed_fit": "fail"}]).dangerous
    ('a',)
    """
    judged = [row for row in rows if row.get("observed_fit") in ("fit", "fail") and row.get("fits") in ("yes", "no")]
    dangerous = tuple(str(row["case_id"]) for row in judged if (row["fits"], row["observed_fit"]) == ("yes", "fail"))
    cautious = tuple(str(row["case_id"]) for row in judged if (row["fits"], row["observed_fit"]) == ("no", "fit"))
    return Verdicts(len(judged), len(judged) - len(dangerous) - len(cautious), dangerous, cautious)


def coverage(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int, tuple[str, ...]]:
    """How many logged free caches lie inside the predicted band.

    Parameters
    ----------
    rows : iterable of Mapping
        Rows as cases.evaluate answers them.

    Returns
    -------
    tuple of (int, int, tuple of str)
        Inside, all, and the cases outside.

    Examples
    --------
    >>> coverage([{"case_id": "a", "observed_kv_gib": "5", "kv_cache_gib_low": 4.0, "kv_cache_gib_high": 6.0}])
    (1, 1, ())
    """
    count, outside = 0, []
    for row in rows:
        if row.get("observed_kv_gib") and row.get("kv_cache_gib_low", "") != "":
            count += 1
            if not float(row["kv_cache_gib_low"]) <= float(row["observed_kv_gib"]) <= float(row["kv_cache_gib_high"]):
                outside.append(str(row["case_id"]))
    return count - len(outside), count, tuple(outside)


def _bootstrap(values: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], seed: int) -> tuple[float, float]:
    drawn = np.random.default_rng(seed).choice(values, size=(RESAMPLES, len(values)))
    low, high = np.percentile(statistic(drawn), INTERVAL)
    return float(low), float(high)
