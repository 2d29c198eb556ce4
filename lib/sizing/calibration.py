"""The workspace constants learned from logs: fitted on all of them, and again without each source to see how far off.

The constants in `overhead.FITTED` are what `fit` gives on every logged case; `left_out` answers each case with constants
that its own source had no part in, so that its error is that of a case never seen.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lib.sizing import cases
from lib.sizing.engines import cache_capacity
from lib.sizing.overhead import FITTED, WorkspaceConstants, workspace
from lib.units import GIB

Floats = npt.NDArray[np.float64]

GRIDS: Final[dict[str, Sequence[float]]] = {
    "context_bytes": tuple(np.arange(0.05, 1.0, 0.05) * GIB),
    "collective_bytes": tuple(np.arange(0.0, 1.55, 0.05) * GIB),
    "forward_bytes_per_element": tuple(np.arange(4.0, 12.1, 0.2)),
    "sort_bytes_per_logit": tuple(np.arange(30.0, 50.1, 0.5)),
    "fused_bytes_per_logit": tuple(np.arange(2.0, 24.1, 1.0)),
    "resident_bytes": tuple(np.arange(0.0, 2.05, 0.1) * GIB),
}
"""Where each constant is looked for; the two ratios of the band follow from the residuals."""

WORST_ERROR: Final = 0.5
"""An error beyond this counts as this, so that one case with unknown flags does not bend the rest."""

SMALL_CACHE: Final = 0.05
"""Errors of caches below this part of the memory are held against it, not against themselves."""

ROUNDS: Final = 4
BAND: Final = (5.0, 83.0)
"""Percentiles of logged over expected workspace that make the band; the upper tail is unknown flags of the logs."""

EXPLAINED: Final = {
    ("bytes per token", "R008"): "vLLM 0.7 padded entries of latent attention from 576 to 640 values",
}
"""Cases left out of a quantity, with the reason."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One case with a logged cache: what the engine must have taken beside weights and cache follows from it."""

    source_id: str
    case: cases.Case
    weights_bytes: float
    cache_bytes: float

    def terms(self, constants: WorkspaceConstants) -> tuple[float, float, float]:
        """Resident, forward and sampler bytes."""
        taken = workspace(self.case.architecture, self.case.layout, self.case.settings, constants)
        return taken.resident_bytes, taken.forward_bytes, taken.sampler_bytes

    def capacity(self, resident: Floats, total: Floats) -> Floats:
        """Capacity of the cache with this workspace [bytes]."""
        settings, memory = self.case.settings, (self.case.memory_gib or 0.0) * GIB
        fraction = settings.gpu_memory_utilization
        held: Floats = np.asarray(
            cache_capacity(settings.engine, memory, fraction, self.weights_bytes, resident, total)
        )
        return held


class Workspaces:
    """Logged cases whose three terms are read off once: each is linear in the constants, the peak is their maximum."""

    def __init__(self, logged: Sequence[Logged]) -> None:
        self.logged = logged
        names = list(GRIDS)
        nothing = replace(FITTED, **dict.fromkeys(names, 0.0))
        base = np.array([one.terms(nothing) for one in logged])
        self._base = base
        self._slopes = {
            name: np.array([one.terms(replace(nothing, **{name: 1.0})) for one in logged]) - base for name in names
        }
        counts = Counter(one.source_id for one in logged)
        self._shares = np.array([counts[one.source_id] ** -0.5 for one in logged])
        self._cache = np.array([one.cache_bytes for one in logged])
        memory = np.array([(one.case.memory_gib or 0.0) * GIB for one in logged])
        self._scale = np.maximum(np.abs(self._cache), SMALL_CACHE * memory)

    def totals(self, constants: WorkspaceConstants) -> tuple[Floats, Floats]:
        """Resident and total workspace of every case [bytes]."""
        terms: Floats = self._base.copy()
        for name, slope in self._slopes.items():
            terms += getattr(constants, name) * slope
        return terms[:, 0], terms[:, 0] + np.maximum(terms[:, 1], terms[:, 2])

    def predicted(self, constants: WorkspaceConstants) -> Floats:
        """Capacity of every cache [bytes]."""
        resident, total = self.totals(constants)
        rows = zip(self.logged, resident, total, strict=True)
        return np.array([float(one.capacity(held, taken)) for one, held, taken in rows])

    def loss(self, constants: WorkspaceConstants) -> float:
        """Sum of relative errors; a source with n cases weighs as much as the root of n sources with one."""
        errors = np.abs(self.predicted(constants) - self._cache) / self._scale
        return float((np.minimum(errors, WORST_ERROR) * self._shares).sum())

    def ratios(self, constants: WorkspaceConstants) -> Floats:
        """Logged over expected workspace."""
        _, total = self.totals(constants)
        logged: Floats = np.maximum(total + self.predicted(constants) - self._cache, 0)
        return logged / total


def logged_cases(rows: Iterable[Mapping[str, str]], reader: cases.Reader) -> list[Logged]:
    """The rows from which a workspace can be read.

    Parameters
    ----------
    rows : iterable of Mapping[str, str]
        Rows of fit_cases.csv.
    reader : cases.Reader
        Reads them.

    Returns
    -------
    list of Logged
        Those that log a cache and a memory fraction.
    """
    found = []
    for row in rows:
        case = reader.case(row)
        answer = reader.answer(row)
        cache = row["observed_kv_gib"]
        if not cache and row["observed_kv_tokens"] and "hybrid" not in row["flags"].split(";"):
            cache = str(float(row["observed_kv_tokens"]) * answer["bytes_per_token"] / GIB)
        if cache and row["gpu_memory_utilization"]:
            held = float(row["observed_weights_gib"] or answer["weights_gib_per_gpu"])
            found.append(Logged(row["source_id"], case, held * GIB, float(cache) * GIB))
    return found


def fit(logged: Sequence[Logged], start: WorkspaceConstants = FITTED) -> WorkspaceConstants:
    """The constants of the grids with the least loss, one after the other, and the band of what is left.

    Parameters
    ----------
    logged : sequence of Logged
        What to learn from.
    start : WorkspaceConstants
        Where the search begins.

    Returns
    -------
    WorkspaceConstants
        Eight numbers: six of the grids, and the two ratios of the band.
    """
    terms = Workspaces(logged)
    best = start
    for _ in range(ROUNDS):
        before = best
        for name, grid in GRIDS.items():
            trials = [replace(best, **{name: float(value)}) for value in grid]
            losses = np.array([terms.loss(trial) for trial in trials])
            # Where several values are equally good the middle one is taken.
            equal = np.flatnonzero(losses <= losses.min() + 1e-9)
            best = trials[equal[len(equal) // 2]]
        if best == before:
            break
    low, high = np.percentile(terms.ratios(best), BAND)
    return replace(best, low_ratio=round(float(min(low, 1.0)), 2), high_ratio=round(float(max(high, 1.0)), 2))


def left_out(rows: Sequence[Mapping[str, str]], reader: cases.Reader) -> list[dict[str, Any]]:
    """Every row answered with constants that its own source had no part in.

    Parameters
    ----------
    rows : sequence of Mapping[str, str]
        Rows of fit_cases.csv.
    reader : cases.Reader
        Reads them.

    Returns
    -------
    list of dict
        The rows with their answers, in their order.
    """
    logged = logged_cases(rows, reader)
    everything = fit(logged)
    answered: list[dict[str, Any]] = []
    refitted: dict[str, WorkspaceConstants] = {}
    for row in rows:
        source = row["source_id"]
        if source not in refitted:
            others = [one for one in logged if one.source_id != source]
            refitted[source] = fit(others) if len(others) < len(logged) else everything
        answered.append({**row, **reader.answer(row, refitted[source])})
    return answered


def without_sizes(rows: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """The rows without the size of the checkpoint, so that weights are computed.

    Parameters
    ----------
    rows : iterable of Mapping[str, str]
        Rows of fit_cases.csv.

    Returns
    -------
    list of dict
        Copies.
    """
    return [{**row, "checkpoint_bytes": ""} for row in rows]
