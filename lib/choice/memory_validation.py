"""Memory predictions beside what logs state, each case answered by constants that its own source had no part in."""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lib.catalog import DATA, Catalog
from lib.errors import InputError
from lib.records import Engine
from lib.sizing import accuracy, cases
from lib.sizing.accuracy import Errors, Verdicts
from lib.sizing.calibration import EXPLAINED, left_out, without_sizes

SHOWN: Final = ("weights", "free cache", "tokens", "bytes per token")
"""Quantities whose errors are stated; fewer than ten logs state the others."""


@dataclass(frozen=True, slots=True)
class ValidatedCase:
    """One logged case: what was stated and what is predicted; None where the log or the prediction says nothing."""

    case_id: str
    model: str
    accelerator_id: str
    engine: Engine
    gpus: int
    logged_weights_gib: float | None
    weights_gib: float | None
    logged_cache_gib: float | None
    cache_low_gib: float | None
    cache_gib: float | None
    cache_high_gib: float | None
    logged_tokens: float | None
    tokens: float | None
    logged_fits: str
    fits: str
    source_id: str
    locator: str


@dataclass(frozen=True, slots=True)
class MemoryValidation:
    """Errors by quantity, verdicts, share of caches inside the band, and every case."""

    errors: Mapping[str, Errors]
    verdicts: Verdicts
    inside: int
    banded: int
    outside: tuple[str, ...]
    cases: tuple[ValidatedCase, ...]

    def logged_on(self, engine: Engine) -> int:
        """Cases of an engine whose log states the free cache."""
        return sum(one.engine == engine and one.logged_cache_gib is not None for one in self.cases)


@functools.lru_cache(maxsize=4)
def memory_validation(catalog: Catalog) -> MemoryValidation:
    """All logged cases, one source left out at a time and the size of the checkpoint not used.

    Parameters
    ----------
    catalog : Catalog
        The edition, with its fit_cases.

    Returns
    -------
    MemoryValidation
        The figures that benchmarks/accuracy prints first.
    """
    answered = left_out(without_sizes(_as_text(row) for row in catalog.fit_cases), cases.Reader(catalog, DATA))
    errors = {}
    for quantity in SHOWN:
        try:
            errors[quantity] = accuracy.errors(
                [row for row in answered if (quantity, row["case_id"]) not in EXPLAINED], quantity
            )
        except InputError:
            continue
    inside, banded, outside = accuracy.coverage(answered)
    return MemoryValidation(
        errors, accuracy.verdicts(answered), inside, banded, outside, tuple(_case(row) for row in answered)
    )


def _as_text(row: Mapping[str, Any]) -> dict[str, str]:
    """A row as its file has it: a blank for nothing, whole numbers without a point, flags as 0 and 1."""

    def word(value: Any) -> str:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, bool):
            return str(int(value))
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    return {column: word(value) for column, value in row.items()}


def _case(row: Mapping[str, Any]) -> ValidatedCase:
    def number(column: str) -> float | None:
        return float(row[column]) if row.get(column) not in (None, "") else None

    sizes = (row.get(f"{kind}_parallel_size") or "1" for kind in ("tensor", "pipeline", "data"))
    gpus = 1
    for size in sizes:
        gpus *= int(float(size))
    return ValidatedCase(
        case_id=row["case_id"],
        model=row["model"],
        accelerator_id=row["accelerator"],
        engine=cases.ENGINE_WORDS[row["engine"] or "vllm"],
        gpus=gpus,
        logged_weights_gib=number("observed_weights_gib"),
        weights_gib=number("weights_gib_per_gpu"),
        logged_cache_gib=number("observed_kv_gib"),
        cache_low_gib=number("kv_cache_gib_low"),
        cache_gib=number("kv_cache_gib_per_gpu"),
        cache_high_gib=number("kv_cache_gib_high"),
        logged_tokens=number("observed_kv_tokens"),
        tokens=number("kv_cache_tokens"),
        logged_fits=row["observed_fit"],
        fits=row["fits"],
        source_id=row["source_id"],
        locator=row["locator"],
    )
