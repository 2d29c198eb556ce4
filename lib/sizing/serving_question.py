"""A question about a server's speed, and many of them as columns for bound, model and regression."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from lib.catalog import Catalog
from lib.errors import InputError
from lib.records import Accelerator, Architecture, KvFormat, Layout
from lib.sizing import footprint, memory, weights
from lib.sizing.closed_loop import Floats, Loads, Work
from lib.sizing.engines import EngineSettings
from lib.sizing.kriging import SOURCE_TRAITS, Traits, code
from lib.sizing.rates import Rates, rates

SETTLED: Final = 2.0
"""Years since 2024 from which on software is taken to be of one age: serving of these parts was young before."""

UNSTATED: Final = "unstated"
"""The date of conditions that nobody has stated."""

_EPOCH: Final = np.datetime64("2024-01-01")
_DAYS_PER_YEAR: Final = 365.25
_LARGEST: Final = 1e9


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the server runs, as far as it is known.

    A blank date means software of today, the data's edition; UNSTATED that nobody says how old the software is and
    which of the conditions hold, so that the interval must cover them. A blank engine is that of the settings.
    """

    speculative: bool = False
    eager: bool = False
    disaggregated: bool = False
    date: str = ""
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One deployment under one load: requests in flight at all times, shared evenly by its replicas."""

    architecture: Architecture
    accelerator: Accelerator
    layout: Layout
    settings: EngineSettings
    weight_format: str
    kv_format: KvFormat
    input_tokens: int
    output_tokens: int
    concurrency: int
    replicas: int = 1
    memory_gib: float | None = None
    """Memory of one GPU where it is stated; None for what the catalogue knows [GiB]."""
    conditions: Conditions = Conditions()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a measured row comes from: rows of one source, and of one software stack in it, are alike.

    The publisher is who stands behind the source, perhaps behind several: what is held out together.
    """

    source: str
    stack: str = ""
    publisher: str = ""


NOWHERE: Final = Origin("")


@dataclass(frozen=True, slots=True)
class Places:
    """Sequences that one replica holds and runs at the same time: expected, and at most.

    `held` is what the cache has room for; where that is less than one sequence, `short` says so and one is taken to run,
    unless the weights alone are more than the memory: then it does not start.
    """

    expected: float
    most: float
    held: float
    starts: bool
    short: bool
    known: bool


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Many questions as arrays: seconds at the roofs, what makes them alike, features, and places."""

    work: Work
    traits: Traits
    features: Floats
    places: tuple[Places, ...]
    knows_peaks: npt.NDArray[np.bool_]
    knows_bus: npt.NDArray[np.bool_]
    unstated: npt.NDArray[np.bool_]


FEATURE_SPREAD: Final[Mapping[str, float]] = {
    "eager": 0.5,
    "speculative": 0.5,
    "speculative_load": 0.2,
    "disaggregated": 0.4,
    "data_parallel_attention": 0.4,
    "age": 0.3,
}
"""Features of the regression, in the order of their columns: how far each may move the logarithm of the rate."""

_MIDDLE_LOAD: Final = 2.5
"""Logarithm of the sequences in service at which speculative decoding has its plain effect."""


def check(question: Question) -> None:
    """Hold a question's counts against their meaning.

    Parameters
    ----------
    question : Question
        Any.

    Raises
    ------
    InputError
        A count below 1, or so large that it is a slip.
    """
    for name in ("input_tokens", "output_tokens", "concurrency", "replicas"):
        value = getattr(question, name)
        if not 1 <= value <= _LARGEST:
            raise InputError(name, value, f"from 1 to {_LARGEST:,.0f}")


def columns(catalog: Catalog, questions: Sequence[Question], origins: Sequence[Origin] | None = None) -> Columns:
    """Many questions as columns.

    Parameters
    ----------
    catalog : Catalog
        Formats, bus bandwidths and the edition's date.
    questions : sequence of Question
        All on parts with a known memory bandwidth.
    origins : sequence of Origin or None
        Where measured rows come from; None for questions.

    Returns
    -------
    Columns
        One entry per question.

    Raises
    ------
    InputError
        A part without a known memory bandwidth, or a count out of range.
    """
    today = years(catalog.edition.date)
    rows, roofs, places, words = [], [], [], []
    for one in questions:
        check(one)
        row, rate = _hardware(catalog, one.architecture, one.accelerator, one.weight_format, one.kv_format, one.layout)
        rows.append(row)
        roofs.append(rate)
        places.append(places_of(catalog, one))
        words.append(_words(one))
    asked = np.array(
        [(one.input_tokens, one.output_tokens, one.concurrency, one.replicas) for one in questions], dtype=float
    ).reshape(-1, 4)
    loads = Loads(
        asked[:, 0], asked[:, 1], asked[:, 2], asked[:, 3],
        np.array([one.expected for one in places]), np.array([one.most for one in places]),
    )  # fmt: skip
    work = Work(footprint.Footprints(rows), roofs, loads)
    dates = np.array(
        [today if one.conditions.date in ("", UNSTATED) else years(one.conditions.date) for one in questions]
    )
    traits = _traits(words, origins or [NOWHERE] * len(questions), dates, work)
    return Columns(
        work, traits, _features(questions, traits, work), tuple(places),
        np.array([one.knows_peaks for one in roofs], dtype=bool),
        np.array([one.bus < math.inf for one in roofs], dtype=bool) | (work.parts.ranks <= 1),
        np.array([one.conditions.date == UNSTATED for one in questions], dtype=bool),
    )  # fmt: skip


@functools.lru_cache(maxsize=16_384)
def _hardware(
    catalog: Catalog,
    architecture: Architecture,
    accelerator: Accelerator,
    weight_format: str,
    kv_format: KvFormat,
    layout: Layout,
) -> tuple[Floats, Rates]:
    experts, rest = weights.format_of(architecture, weight_format, catalog.weight_formats)
    found = rates(catalog, accelerator, experts, rest, kv_format, layout.tensor_parallel_size)
    if found is None:
        raise InputError("accelerator", accelerator.accelerator_id, "a part whose memory bandwidth is known")
    return footprint.row(architecture, experts, rest, kv_format, layout), found


def places_of(catalog: Catalog, question: Question) -> Places:
    """Sequences that one replica holds and runs at the same time, an estimate.

    min(cache / bytes of a sequence at its mean length, max_num_seqs x data-parallel ranks)

    Parameters
    ----------
    catalog : Catalog
        Formats.
    question : Question
        Layout, engine and tokens.

    Returns
    -------
    Places
        Unlimited by the cache where the memory of the part is not known.

    Notes
    -----
    Requests are at all stages of their output, so that the mean length, input + output / 2, counts. What the engine
    does when it runs out in spite of that (preemption, swapping) is not modelled.
    """
    memory_gib = question.memory_gib
    if memory_gib is None:
        memory_gib = question.accelerator.memory_usable_gib
    length = question.input_tokens + (question.output_tokens + 1) // 2
    return _places(
        catalog, question.architecture, memory_gib, question.layout, question.settings, question.weight_format,
        question.kv_format, length,
    )  # fmt: skip


@functools.lru_cache(maxsize=65_536)
def _places(
    catalog: Catalog,
    architecture: Architecture,
    memory_gib: float | None,
    layout: Layout,
    settings: EngineSettings,
    weight_format: str,
    kv_format: KvFormat,
    length: int,
) -> Places:
    run = float(settings.max_num_seqs * layout.data_parallel_size)
    if memory_gib is None:
        return Places(run, run, math.inf, True, False, False)
    plan = memory.plan(
        architecture, memory_gib, layout, settings, weight_format, kv_format, length, 1, catalog.weight_formats
    )
    held, most = plan.cache_sequences or 0.0, plan.cache_high_bytes or 0.0
    most = max(most - plan.step_bytes, 0.0) / plan.sequence_bytes * layout.data_parallel_size
    starts = plan.weights_bytes + plan.sequence_bytes <= (plan.memory_bytes or 0.0)
    return Places(max(min(held, run), 1.0), max(min(most, run), 1.0), held, starts, most < 1, True)


def _words(question: Question) -> tuple[str, str, str, str, str, str]:
    """Vendor, part, engine, model, kind and configuration."""
    conditions, part = question.conditions, question.accelerator
    layout = question.layout
    engine = conditions.engine or question.settings.engine.partition("-v")[0]
    config = (
        f"{engine}|{question.weight_format}|{question.kv_format}|{layout.tensor_parallel_size}"
        f"|{layout.pipeline_parallel_size}|{layout.data_parallel_size}|{question.replicas}"
        f"|{conditions.speculative}|{conditions.eager}|{conditions.disaggregated}"
    )
    model = question.architecture
    return part.vendor, part.accelerator_id, engine, _name(model), kind_of(model), config


def _name(architecture: Architecture) -> str:
    """The model's id; a custom model is itself by its size."""
    return architecture.model_id if architecture.model_id != "custom" else f"custom {architecture.total_parameters}"


@functools.lru_cache(maxsize=1024)
def kind_of(architecture: Architecture) -> str:
    """The kind of a model: how it attends, and whether it has experts.

    Parameters
    ----------
    architecture : Architecture
        Layer groups.

    Returns
    -------
    str
        latent, compressed, state or grouped, with " experts" where it has some.
    """
    kinds = {group.kind for group in architecture.groups}
    names = (("mla", "latent"), ("compressed", "compressed"), ("state", "state"))
    attention = next((name for kind, name in names if kind in kinds), "grouped")
    return attention + (" experts" if architecture.n_experts else "")


@functools.lru_cache(maxsize=4096)
def years(date: str) -> float:
    """Years since 2024 of a date; a month or a year is taken as its first day.

    Parameters
    ----------
    date : str
        YYYY, YYYY-MM or YYYY-MM-DD.

    Returns
    -------
    float
        Years.

    Raises
    ------
    InputError
        Not a date.

    Examples
    --------
    >>> years("2026"), round(years("2026-07"), 2)
    (2.001368925393566, 2.5)
    """
    padded = date + "-01-01"[len(date) - 10 :] if len(date) in (4, 7) else date
    try:
        return float((np.datetime64(padded, "D") - _EPOCH).astype(int) / _DAYS_PER_YEAR)
    except ValueError:
        raise InputError("date", date, "YYYY, YYYY-MM or YYYY-MM-DD") from None


def _traits(words: Sequence[tuple[str, ...]], origins: Sequence[Origin], dates: Floats, work: Work) -> Traits:
    vendor, part, engine, model, kind, config = (
        [one[index] for one in words] for index in range(6)
    )  # fmt: skip
    source = [one.source for one in origins]
    series = [f"{left}|{middle}|{right}" for left, middle, right in zip(source, part, model, strict=True)]
    names = {
        "publisher": [one.publisher or one.source for one in origins],
        "source": source,
        "source_model": [f"{left}|{right}" for left, right in zip(source, model, strict=True)],
        "series": series,
        "config": [f"{one}|{what}|{how.stack}" for one, what, how in zip(series, config, origins, strict=True)],
        "part": part,
        "engine": engine,
        "model": model,
        "kind": kind,
    }
    codes = {name: np.array([code(word) for word in values], dtype=np.int64) for name, values in names.items()}
    assert set(SOURCE_TRAITS) <= set(codes)  # noqa: S101
    served, _, _ = work.crew(work.load.places)
    load = np.log(np.stack([served, work.load.input_tokens, work.load.output_tokens], axis=1))
    return Traits(
        codes,
        np.array([code(word) for word in vendor], dtype=np.int64),
        np.minimum(dates, SETTLED),
        np.maximum(SETTLED - dates, 0.0),
        load,
    )


def _features(questions: Sequence[Question], traits: Traits, work: Work) -> Floats:
    flags = np.array(
        [
            (
                one.conditions.eager, one.conditions.speculative, one.conditions.disaggregated,
                one.layout.data_parallel_size > 1 and one.architecture.n_experts > 0,
            )
            for one in questions
        ],
        dtype=float,
    ).reshape(-1, 4)  # fmt: skip
    eager, speculative, disaggregated, spread = flags.T
    load = traits.load[:, 0] - _MIDDLE_LOAD
    return np.stack([eager, speculative, speculative * load, disaggregated, spread, traits.age], axis=1)
