"""What an estimate of throughput must be read with: each reservation as a code with its figures."""

import math
from collections.abc import Iterator, Mapping
from typing import Final

from lib.records import Doubt
from lib.sizing.layouts import domain_of
from lib.sizing.serving_question import UNSTATED, Places, Question

MOSTLY_INTERESTED: Final = 0.8
"""From this part of a part's rows on, published by those who sell parts or hours, the result says so."""

_MARGIN: Final = 1.05
"""Measured means of lengths end a little off the nominal ones: within this factor a load is not outside."""


def doubts_of(
    question: Question,
    places: Places,
    distance: str,
    *,
    knows_peaks: bool,
    knows_bus: bool,
    vendor_measured: bool,
    interested: float,
    measured_loads: Mapping[str, tuple[float, float]],
    running: float,
    own_rows: int,
) -> tuple[Doubt, ...]:
    """The reservations about one estimate.

    Parameters
    ----------
    question : Question
        Deployment and load.
    places : Places
        Sequences that one replica holds and runs.
    distance : str
        How far the question is from the basis.
    knows_peaks : bool
        Whether the part's dense peaks are known.
    knows_bus : bool
        Whether the all-reduce bandwidth was measured, or is not needed.
    vendor_measured : bool
        Whether the basis has rows of the part's vendor.
    interested : float
        Part of the part's rows published by sellers.
    measured_loads : Mapping
        Lowest and highest measured load, by name of the question's field.
    running : float
        Sequences in service in all replicas.
    own_rows : int
        Results of the user's own.

    Returns
    -------
    tuple of Doubt
        In the order of weight.
    """
    if not places.starts:
        return (Doubt("no-place", {}),)
    return (
        *_of_basis(distance, knows_peaks, vendor_measured, own_rows),
        *([Doubt("conditions-unstated", {})] if question.conditions.date == UNSTATED else []),
        *_of_places(question, places, running),
        *_of_bound(question, knows_peaks, knows_bus),
        *_of_evidence(question, interested, measured_loads),
    )


def _of_basis(distance: str, knows_peaks: bool, vendor_measured: bool, own_rows: int) -> Iterator[Doubt]:
    if distance == "none":
        yield Doubt("no-basis-vendor" if not vendor_measured else "no-basis" if knows_peaks else "no-basis-peaks", {})
    if distance in ("new-part", "new-both"):
        yield Doubt("part-not-measured", {})
    if distance in ("new-model", "new-both"):
        yield Doubt("model-not-measured", {})
    if own_rows:
        yield Doubt("own-rows", {"rows": own_rows})


def _of_places(question: Question, places: Places, running: float) -> Iterator[Doubt]:
    if not places.known:
        yield Doubt("places-unknown", {})
    if places.short:
        yield Doubt("place-short", {})
    if question.concurrency <= running:
        return
    at_once, rest = math.floor(running), math.ceil(question.concurrency - running)
    if places.held < question.settings.max_num_seqs * question.layout.data_parallel_size:
        yield Doubt("waits-for-cache", {"running": at_once, "waiting": rest})
    else:
        yield Doubt("waits-for-scheduler", {"running": at_once, "waiting": rest})


def _of_bound(question: Question, knows_peaks: bool, knows_bus: bool) -> Iterator[Doubt]:
    if not knows_peaks:
        yield Doubt("bound-without-peaks", {})
    if not knows_bus:
        ranks, part = question.layout.tensor_parallel_size, question.accelerator
        yield Doubt("bound-without-link", {"ranks": ranks})
        domain = domain_of(part.gpus_per_node, part.max_scale_up_gpus)
        if ranks > domain:
            yield Doubt("link-across-servers", {"ranks": ranks, "domain": domain})
    if question.conditions.speculative:
        yield Doubt("speculative", {})
    spread = question.layout.expert_parallel or question.layout.data_parallel_size > 1
    if spread and question.architecture.n_experts:
        yield Doubt("even-experts", {})


def _of_evidence(
    question: Question, interested: float, measured_loads: Mapping[str, tuple[float, float]]
) -> Iterator[Doubt]:
    if interested >= MOSTLY_INTERESTED:
        yield Doubt("interested-basis", {"percent": 100 * interested})
    for name, (low, high) in measured_loads.items():
        if not low / _MARGIN <= getattr(question, name) <= high * _MARGIN:
            yield Doubt("load-outside", {"what": name, "low": low, "high": high})
