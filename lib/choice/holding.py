"""How many sequences one replica holds, for every tensor parallel size of a model on many parts in one pass."""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from lib.catalog import Catalog
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import architecture_of, known_bytes, settings_of
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Doubt, Layout
from lib.sizing.engines import EngineSettings
from lib.sizing.grid import model_grid
from lib.sizing.layouts import MOST_GPUS, legal_layouts

MS_PER_S: Final = 1000.0

MOST_SPEEDS: Final = 1024
"""Answers that are kept of one part and model."""

_TOLERANCE: Final = 1e-9


Ends = tuple[float, float, float]
"""Low end, estimate, high end; NaN without a basis."""


class Point(NamedTuple):
    """One replica under one load: output tokens per second, seconds to the first and between later tokens."""

    rate: Ends
    first_s: Ends
    token_s: Ends
    distance: str


@dataclass(frozen=True, slots=True)
class Holding:
    """One part: its engine settings and, layout by layout, the sequences that a replica holds; 0 where none starts."""

    accelerator: Accelerator
    architecture: Architecture | None
    settings: EngineSettings | None
    layouts: tuple[Layout, ...]
    sequences: tuple[int, ...]
    slack_bytes: tuple[float, ...]
    """What is left on the fullest GPU beside one sequence."""
    doubt: Doubt | None
    speeds: dict[tuple[Layout, int], Point] = field(default_factory=dict, compare=False, repr=False)
    """What the throughput model said of one replica, by layout and load, so that an edit of the load finds it again."""

    def keep(self, layout: Layout, load: int, point: Point) -> None:
        """Remember what the throughput model said; a full memory starts anew."""
        if len(self.speeds) >= MOST_SPEEDS:
            self.speeds.clear()
        self.speeds[layout, load] = point


def nearest_ms(points: Iterable[Point], limits: tuple[float | None, float | None]) -> dict[str, float]:
    """The times of the point that exceeds its limits by the smallest factor; a time that is not known keeps its limit.

    Parameters
    ----------
    points : iterable of Point
        Of one part under several layouts and loads.
    limits : tuple of (float or None, float or None)
        Of the first token and of each later one [ms].

    Returns
    -------
    dict of str to float
        ttft and tpot at the estimate [ms], those that are known.

    Examples
    --------
    >>> slow, fast = (Point((9, 9, 9), (1, first, 9), (1, token, 9), "seen") for first, token in ((0.5, 0.02), (2.0, 0.01)))
    >>> nearest_ms([slow, fast], (1000.0, 5.0))
    {'ttft': 2000.0, 'tpot': 10.0}
    """
    times = [(one.first_s[1] * MS_PER_S, one.token_s[1] * MS_PER_S) for one in points]

    def beyond(two: tuple[float, float]) -> float:
        asked = [(ms, limit) for ms, limit in zip(two, limits, strict=True) if limit is not None and math.isfinite(ms)]
        return max((ms / limit for ms, limit in asked), default=math.inf)

    least = min(times, key=beyond, default=())
    return {name: ms for name, ms in zip(("ttft", "tpot"), least, strict=False) if math.isfinite(ms)}


def as_held(workload: Workload) -> Workload:
    """What of a workload decides how many sequences a replica holds, so that another load finds the same answer.

    Parameters
    ----------
    workload : Workload
        Any.

    Returns
    -------
    Workload
        Model, formats and tokens alone.
    """
    return Workload(
        model=workload.model,
        config=workload.config,
        name=workload.name if workload.config else "",
        weight_format=workload.weight_format,
        kv_format=workload.kv_format,
        input_tokens=workload.input_tokens,
        output_tokens=workload.output_tokens,
        shared_prefix_tokens=workload.shared_prefix_tokens,
        draft_layers=workload.draft_layers,
        max_model_len=workload.max_model_len,
    )


@functools.lru_cache(maxsize=512)
def holdings(
    catalog: Catalog, workload: Workload, engine: EngineChoice, parts: tuple[Accelerator, ...]
) -> tuple[Holding, ...]:
    """Sequences that a replica of a workload holds on some parts, an estimate.

    floor((cache - step) / bytes of a sequence), on each data-parallel rank

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, formats and tokens; its concurrency does not matter.
    engine : EngineChoice
        Engine and scheduler.
    parts : tuple of Accelerator
        The parts, each once.

    Returns
    -------
    tuple of Holding
        In the order of the parts. Doubts: config for a model that cannot be read, unknown-memory for a part whose memory
        nobody has reported.

    Notes
    -----
    Tensor parallelism in powers of two, over servers where one is not enough: the headline rule of the memory room,
    with the workspace that is expected.
    """
    known = [one for one in parts if one.memory_usable_gib is not None]
    try:
        architecture = architecture_of(catalog, workload)
        found = iter(_holdings(catalog, workload, engine, architecture, known))
        return tuple(
            next(found) if one.memory_usable_gib is not None else _nothing(one, Doubt("unknown-memory", {}))
            for one in parts
        )
    except LibError as error:
        return tuple(_nothing(one, Doubt("config", {"reason": error.why})) for one in parts)


def _nothing(part: Accelerator, doubt: Doubt) -> Holding:
    return Holding(part, None, None, (), (), (), doubt)


def _holdings(
    catalog: Catalog, workload: Workload, engine: EngineChoice, architecture: Architecture, parts: Sequence[Accelerator]
) -> list[Holding]:
    if not parts:
        return []
    settings = [settings_of(workload, engine, one) for one in parts]
    every = legal_layouts(
        architecture, None, None, "one-server", MOST_GPUS, settings[0].decode_context_parallel_size
    )  # fmt: skip
    if not every:
        return [Holding(one, architecture, how, (), (), (), None) for one, how in zip(parts, settings, strict=True)]
    one, two = (
        model_grid(
            architecture, every, [part.memory_usable_gib for part in parts], settings, workload.weight_format,
            workload.kv_format, workload.context_tokens, sequences, catalog.weight_formats,
            total_bytes=known_bytes(catalog, workload),
        )
        for sequences in (1, 2)
    )  # fmt: skip
    kept = two.needed_bytes - one.needed_bytes
    step = one.needed_bytes - kept
    most = np.floor((one.cache_bytes - step) / np.maximum(kept, 1.0) + _TOLERANCE)
    held = np.where(one.starts, np.maximum(most, 1.0), 0.0).astype(int)
    slack = np.where(one.starts, one.slack_bytes, np.nan)
    return [
        Holding(part, architecture, how, every, tuple(held[:, at].tolist()), tuple(slack[:, at].tolist()), None)
        for at, (part, how) in enumerate(zip(parts, settings, strict=True))
    ]
