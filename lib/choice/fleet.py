"""From a load to a fleet: replicas from the low end of the throughput interval, spares, and what sets the count."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from lib.catalog import Catalog
from lib.choice.costed import CountedFrom
from lib.choice.demand import Demand, demand_of
from lib.choice.holding import MS_PER_S, Ends, Holding, Point, as_held, holdings, nearest_ms
from lib.choice.scenario import EngineChoice, Workload
from lib.records import Accelerator, Doubt, Layout
from lib.sizing.layouts import domain_of
from lib.sizing.throughput import Estimates, Interval, Question, estimates

Basis = Literal["measured", "none", "stated"]

MOST_REPLICAS: Final = 4096
"""Fleets are searched up to so many replicas."""

LADDER: Final = tuple(sorted({width << shift for shift in range(12) for width in (1, 3)}))
"""Loads of a replica that are looked at where limits or a rate decide: the same for every scenario."""

_NOTHING: Final[Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Ask:
    """A part as a fleet is made of it: how many GPUs come with one unit paid for, and how many are stated, if any.

    `throughput_factor` is what the user's own measurements say of our estimate.
    """

    accelerator: Accelerator
    gpus_per_unit: int = 1
    stated_gpus: int | None = None
    throughput_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Speed:
    """What the working replicas of a fleet do together: output tokens per second, and the times of one operating point."""

    low: float
    estimate: float
    high: float
    ttft_s: Interval | None
    tpot_s: Interval | None
    in_flight_per_replica: int
    distance: str
    question: Question | None


@dataclass(frozen=True, slots=True)
class Deployment:
    """One layout that was considered: the replicas that each demand asks for, and the GPUs of the fleet with spares.

    Without a count it is dropped, and `dropped` says why: no-sequence, across-servers (a smaller one holds the model inside
    the scale-up domain), latency, too-large, over-stated.
    """

    layout: Layout
    sequences: int
    for_memory: int
    for_latency: int | None
    for_throughput: int | None
    replicas: int
    gpus: int | None
    paid_gpus: int | None
    speed: Speed | None
    dropped: str


@dataclass(frozen=True, slots=True)
class Fleet:
    """The fleet of one part: its layout, replicas, spares, GPUs, what sets their number, and what it does.

    `counts` has the GPUs that each reason alone asks for. `latency`: the limits are kept over the whole interval of the
    operating point ("high"), at its estimate only ("estimate"), or not at all ("none"); "" without a limit or a basis.
    """

    layout: Layout | None
    replicas: int
    spares: int
    gpus: int | None
    set_by: CountedFrom
    counts: Mapping[str, int]
    speed: Speed | None
    basis: Basis
    latency: Literal["", "high", "estimate", "none"]
    slack_bytes: float | None
    sequences: int
    considered: tuple[Deployment, ...]
    needed_gpus: int | None
    """The fewest GPUs that carry the load, whatever is stated or paid for."""
    doubt: Doubt | None
    nearest_ms: Mapping[str, float] = field(default_factory=dict)
    """Where no layout keeps the limits at the estimate: ttft and tpot of the point that comes nearest to them [ms]."""


def fleets(
    catalog: Catalog,
    workloads: Sequence[Workload],
    engine: EngineChoice,
    asks: Sequence[Ask],
    target_load: float,
) -> tuple[tuple[Fleet, ...], ...]:
    """The fleets of some parts for some loads, all in two passes of the throughput model (estimate).

    replicas = max(in flight / sequences held, in flight / sequences within the limits, demand / (target x low end))

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workloads : sequence of Workload
        Serving workloads.
    engine : EngineChoice
        Engine and scheduler.
    asks : sequence of Ask
        The parts.
    target_load : float
        Share of what the fleet can do that the peak may use [fraction].

    Returns
    -------
    tuple of tuple of Fleet
        By workload, then in the order of the asks.

    Notes
    -----
    Of the layouts the one with the fewest GPUs paid for; of those, where the load is requests in flight, the one that
    does most at the low end with all GPUs that are paid for anyway, else the one with the fewest GPUs. Latency
    limits are kept at the estimate of the times; whether the high end keeps them too is said. Without a measured basis
    memory alone counts.
    """
    parts = tuple(dict.fromkeys(one.accelerator for one in asks))
    loads = [demand_of(one, target_load) for one in workloads]
    held = [dict(zip(parts, holdings(catalog, as_held(one), engine, parts), strict=True)) for one in workloads]
    cases = [
        _Case(workload, load, ask, by_part[ask.accelerator])
        for workload, load, by_part in zip(workloads, loads, held, strict=True)
        for ask in asks
    ]
    _load_points(catalog, cases)
    for one in cases:
        one.count()
    _operating_points(catalog, cases)
    done = [one.fleet() for one in cases]
    width = len(asks)
    return tuple(tuple(done[at : at + width]) for at in range(0, len(done), width))


@dataclass(slots=True)
class _Plan:
    """One layout of one case while it is worked out."""

    layout: Layout
    sequences: int
    slack: float
    loads: tuple[int, ...] = ()
    found: Mapping[int, Point] | None = None
    best: int | None = None
    for_latency: int | None = None
    for_throughput: int | None = None
    for_memory: int = 0
    replicas: int = 0
    needed: int = 0
    gpus: int | None = None
    paid: int | None = None
    per_replica: int = 0
    speed: Speed | None = None
    dropped: str = ""


class _Case:
    """One load on one part: its layouts, and the choice among them."""

    def __init__(self, workload: Workload, load: Demand, ask: Ask, held: Holding) -> None:
        self.workload, self.load, self.ask, self.held = workload, load, ask, held
        self.limits = (workload.ttft_limit_ms, workload.tpot_limit_ms)
        self.spares = workload.spare_replicas
        self.latency: Literal["", "high", "estimate", "none"] = ""
        self.nearest_ms: dict[str, float] = {}
        self.plans = [
            _Plan(layout, sequences, slack, dropped="" if sequences else "no-sequence")
            for layout, sequences, slack in zip(held.layouts, held.sequences, held.slack_bytes, strict=True)
        ]
        domain = domain_of(ask.accelerator.gpus_per_node, ask.accelerator.max_scale_up_gpus)
        inside = [one for one in self.plans if one.sequences and one.layout.tensor_parallel_size <= domain]
        for plan in self.plans:
            if plan.sequences and inside and plan not in inside:
                plan.sequences, plan.dropped = 0, "across-servers"
            if plan.sequences:
                plan.for_memory = math.ceil(load.in_flight / plan.sequences)
                most = min(plan.sequences, load.in_flight)
                plan.loads = tuple(one for one in LADDER if one <= most)

    @property
    def is_estimated(self) -> bool:
        """Whether the throughput model is asked: not where the user states what the fleet does."""
        return self.load.kind != "stated" and self.ask.accelerator.memory_bandwidth_tbs is not None

    @property
    def asks_for_points(self) -> bool:
        """Whether the number of replicas depends on speed."""
        return self.is_estimated and (self.load.kind == "rate" or any(one is not None for one in self.limits))

    def question(self, layout: Layout, concurrency: int) -> Question:
        """The question about one replica."""
        held, workload = self.held, self.workload
        assert held.architecture is not None and held.settings is not None  # noqa: S101, PT018 (it has layouts)
        return Question(
            held.architecture, held.accelerator, layout, held.settings, workload.weight_format, workload.kv_format,
            workload.input_tokens, workload.output_tokens, concurrency,
        )  # fmt: skip

    def count(self) -> None:
        """Replicas and GPUs of each layout."""
        live = [one for one in self.plans if one.sequences]
        if self.asks_for_points:
            self._within_limits(live)
        for plan in live:
            if plan.dropped:
                continue
            plan.needed = max(plan.for_memory, plan.for_latency or 0, plan.for_throughput or 0)
            size = plan.layout.gpus
            if plan.needed > MOST_REPLICAS:
                plan.dropped = "too-large"
                continue
            plan.replicas = plan.needed
            plan.gpus = (plan.needed + self.spares) * size
            stated = self.ask.stated_gpus
            if stated is not None:
                whole = stated // size - self.spares
                if whole < plan.for_memory:
                    plan.dropped = "over-stated"
                    continue
                plan.replicas, plan.gpus, plan.paid = min(whole, MOST_REPLICAS), stated, stated
            else:
                unit = self.ask.gpus_per_unit
                plan.paid = -(-plan.gpus // unit) * unit
                if self.load.kind == "concurrency":
                    plan.replicas = min(plan.paid // size - self.spares, self.load.in_flight)
                    plan.gpus = (plan.replicas + self.spares) * size
            share = math.ceil(self.load.in_flight / plan.replicas)
            plan.per_replica = plan.best if self.load.kind == "rate" and plan.best else min(share, plan.sequences)

    def _within_limits(self, live: Sequence[_Plan]) -> None:
        """The largest load of a replica that keeps the limits at the estimate, and the replicas that follow from it."""
        for plan in live:
            plan.best = self._largest(plan)
        if not any(plan.best for plan in live):
            known = [one for plan in live for one in (plan.found or {}).values() if math.isfinite(one.rate[0])]
            self.latency = "none" if known else ""
            self.nearest_ms = nearest_ms(known, self.limits)
            return
        capacity = self.load.capacity_tokens_per_s
        for plan in live:
            if plan.best is None or plan.found is None:
                plan.dropped = "latency"
                continue
            if any(one is not None for one in self.limits):
                plan.for_latency = math.ceil(self.load.in_flight / plan.best)
            if capacity is not None:
                low = plan.found[plan.best].rate[0] * self.ask.throughput_factor
                plan.for_throughput = math.ceil(capacity / low - 1e-9)

    def _largest(self, plan: _Plan) -> int | None:
        """The largest load that keeps every limit; where there is none, the one of the highest rate."""
        kept = []
        for load, point in (plan.found or {}).items():
            if not math.isfinite(point.rate[0]):
                continue
            ends = (point.first_s[1] * MS_PER_S, point.token_s[1] * MS_PER_S)
            if all(limit is None or math.isnan(ms) or ms <= limit for limit, ms in zip(self.limits, ends, strict=True)):
                kept.append((point.rate[0], load))
        if not kept:
            return None
        return max(kept)[1] if self.load.kind == "rate" else max(load for _, load in kept)

    def finalists(self) -> list[_Plan]:
        """Layouts of the fewest GPUs paid for; with a rate also of the fewest GPUs."""
        able = [one for one in self.plans if not one.dropped and one.paid is not None]
        if not able:
            return []
        least = min(one.paid or 0 for one in able)
        able = [one for one in able if one.paid == least]
        if self.load.kind != "concurrency":
            fewest = min(one.gpus or 0 for one in able)
            able = [one for one in able if one.gpus == fewest]
        return able

    def fleet(self) -> Fleet:
        """The choice."""
        considered = tuple(self._considered(one) for one in self.plans)
        doubt = self.held.doubt
        able = self.finalists()
        if not able:
            fewest = self._fewest(lambda one: one.for_memory)
            return Fleet(None, 0, self.spares, self.ask.stated_gpus, "none", _NOTHING, None, "none", self.latency, None, 0,
                         considered, fewest, doubt)  # fmt: skip
        known = [one for one in able if one.speed is not None]
        if known:
            best = max(known, key=lambda one: (one.speed.low if one.speed else 0.0, -one.layout.gpus))
        else:
            best = max(able, key=lambda one: (-(one.gpus or 0), one.layout.gpus))
        basis: Basis = "measured" if best.speed is not None else "none"
        speed = best.speed
        if self.load.kind == "stated" and self.load.tokens_per_s is not None:
            rate = self.load.tokens_per_s
            basis, speed = "stated", Speed(rate, rate, rate, None, None, best.per_replica, "stated", None)
        counts = self._counts(best)
        return Fleet(
            layout=best.layout,
            replicas=best.replicas,
            spares=self.spares,
            gpus=best.gpus,
            set_by=self._set_by(best, counts),
            counts=counts,
            speed=speed,
            basis=basis,
            latency=self._kept(speed),
            slack_bytes=best.slack,
            sequences=best.sequences,
            considered=considered,
            needed_gpus=self._fewest(lambda one: one.needed),
            doubt=doubt,
            nearest_ms=self.nearest_ms,
        )

    def _kept(self, speed: Speed | None) -> Literal["", "high", "estimate", "none"]:
        """How far the operating point keeps the limits."""
        if speed is None or (speed.tpot_s is None and speed.ttft_s is None):
            return self.latency
        asked = [
            (limit, times)
            for limit, times in zip(self.limits, (speed.ttft_s, speed.tpot_s), strict=True)
            if limit is not None and times is not None
        ]
        if not asked:
            return ""
        if all(times.high * MS_PER_S <= limit for limit, times in asked):
            return "high"
        return "estimate" if all(times.estimate * MS_PER_S <= limit for limit, times in asked) else "none"

    def _fewest(self, replicas: Callable[[_Plan], int]) -> int | None:
        sizes = [
            (replicas(one) + self.spares) * one.layout.gpus for one in self.plans if one.sequences and replicas(one)
        ]
        return min(sizes, default=None)

    def _counts(self, best: _Plan) -> dict[str, int]:
        """GPUs that each reason alone asks for on the chosen layout, and those of whole servers."""
        size = best.layout.gpus
        asked = {"memory": best.for_memory, "latency": best.for_latency, "throughput": best.for_throughput}
        counts = {name: number * size for name, number in asked.items() if number}
        if self.spares:
            counts["redundancy"] = (best.needed + self.spares) * size
        if self.ask.stated_gpus is not None:
            return counts | {"stated": self.ask.stated_gpus}
        return counts | ({"server": best.paid or 0} if self.ask.gpus_per_unit > 1 else {})

    def _set_by(self, best: _Plan, counts: Mapping[str, int]) -> CountedFrom:
        if self.ask.stated_gpus is not None:
            return "stated"
        asked: dict[CountedFrom, int] = {
            "memory": best.for_memory,
            "latency": best.for_latency or 0,
            "throughput": best.for_throughput or 0,
        }
        if best.gpus is not None and best.gpus > (best.needed + self.spares) * best.layout.gpus:
            return "server"
        if self.spares > best.needed:
            return "redundancy"
        return max(asked, key=lambda name: asked[name])

    def _considered(self, one: _Plan) -> Deployment:
        gpus = None if one.dropped else one.gpus
        paid = None if one.dropped else one.paid
        return Deployment(
            one.layout, one.sequences, one.for_memory, one.for_latency, one.for_throughput, one.replicas, gpus, paid,
            one.speed, one.dropped,
        )  # fmt: skip


def _load_points(catalog: Catalog, cases: Sequence[_Case]) -> None:
    """Rates and times of one replica over its loads, where the number of replicas depends on them."""
    asked = [(case, plan) for case in cases if case.asks_for_points for plan in case.plans if plan.sequences]
    answers = _answers(catalog, [(case, plan, load) for case, plan in asked for load in plan.loads])
    for case, plan in asked:
        plan.found = {load: answers[_key(case, plan, load)] for load in plan.loads}


def _operating_points(catalog: Catalog, cases: Sequence[_Case]) -> None:
    """The speed of the layouts that are left, each at the load that its replicas carry."""
    asked = [(case, plan) for case in cases if case.is_estimated for plan in case.finalists()]
    answers = _answers(catalog, [(case, plan, plan.per_replica) for case, plan in asked])
    for case, plan in asked:
        point = answers[_key(case, plan, plan.per_replica)]
        if not math.isfinite(point.rate[1]):
            continue
        factor = plan.replicas * case.ask.throughput_factor
        low, middle, high = (one * factor for one in point.rate)
        plan.speed = Speed(
            low, middle, high, _interval(point.first_s), _interval(point.token_s), plan.per_replica, point.distance,
            case.question(plan.layout, plan.per_replica),
        )  # fmt: skip


_Key = tuple[int, Layout, int]


def _key(case: _Case, plan: _Plan, load: int) -> _Key:
    """Loads of one model and part share their answers: what a replica holds is one object for them."""
    return id(case.held), plan.layout, load


def _answers(catalog: Catalog, asked: Sequence[tuple[_Case, _Plan, int]]) -> dict[_Key, Point]:
    """What the throughput model says of each plan under each load, asked once."""
    answers: dict[_Key, Point] = {}
    questions: dict[_Key, Question] = {}
    held: dict[_Key, Holding] = {}
    for case, plan, load in asked:
        key = _key(case, plan, load)
        if key in answers or key in questions:
            continue
        known = case.held.speeds.get((plan.layout, load))
        if known is not None:
            answers[key] = known
        else:
            questions[key], held[key] = case.question(plan.layout, load), case.held
    if not questions:
        return answers
    found: Estimates = estimates(catalog, list(questions.values()))
    rates = np.stack([found.low, found.estimate, found.high], axis=1)
    columns = (rates.tolist(), found.ttft_s.tolist(), found.tpot_s.tolist())
    for key, rate, first, token, distance in zip(questions, *columns, found.distance, strict=True):
        answers[key] = Point(tuple(rate), tuple(first), tuple(token), distance)
        held[key].keep(key[1], key[2], answers[key])
    return answers


def _interval(values: Ends) -> Interval | None:
    return Interval(*values) if math.isfinite(values[1]) else None
