"""Where nobody is feasible: which limits would have to give way, for whom, and how far."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, assess
from lib.choice.checks import Check
from lib.choice.scenario import Path, Scenario, at, changed
from lib.units import MONTHS_PER_YEAR

_ROUNDS: Final = 8
"""A fleet that grows to hold the model may break the caps on power, money and GPUs in turn."""

_MOST_RUN: Final = 1024
"""A training run that does not fit is doubled up to so many GPUs."""

_KW_STEPS: Final = 10
_MS_STEPS: Final = 10


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One limit of a scenario at the value at which a candidate keeps it; None where the limit is given up."""

    check: str
    path: Path
    now: Any
    to: Any


@dataclass(frozen=True, eq=False)
class WayOut:
    """The limits that one candidate needs changed, and what it costs then."""

    assessment: Assessment
    relaxations: tuple[Relaxation, ...]


def relaxed(scenario: Scenario, relaxations: Sequence[Relaxation]) -> Scenario:
    """The scenario with these limits changed and nothing else.

    Parameters
    ----------
    scenario : Scenario
        The scenario to start from.
    relaxations : sequence of Relaxation
        Each with its path and its new value.

    Returns
    -------
    Scenario
        A new frozen record.
    """
    for one in relaxations:
        scenario = changed(scenario, one.path, one.to)
    return scenario


def eased(scenario: Scenario, ranked: Scenario, way: WayOut) -> Scenario:
    """The reader's scenario with the limits of a way out changed.

    Parameters
    ----------
    scenario : Scenario
        As the reader states it.
    ranked : Scenario
        The same as it was ranked: further ways of having the parts may stand behind the stated ones.
    way : WayOut
        One of the answer's.

    Returns
    -------
    Scenario
        A new frozen record: what was typed stays. Only a number of GPUs of a way that was not stated takes that way over, in
        the place of the first candidate of its part.
    """
    stated = len(scenario.candidates)
    own = [one for one in way.relaxations if one.path[0] != "candidates" or int(one.path[1]) < stated]
    kept = relaxed(scenario, own)
    if len(own) == len(way.relaxations):
        return kept
    taken = relaxed(ranked, way.relaxations).candidates[way.assessment.place]
    place = [one.accelerator for one in kept.candidates].index(taken.accelerator)
    return changed(kept, ("candidates", place), taken.model_dump())


def ways_out(catalog: Catalog, scenario: Scenario, assessments: Sequence[Assessment]) -> tuple[WayOut, ...]:
    """For each candidate the limits to change so that it can be had, fewest limits first, then the smallest change.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        The scenario in which they fail.
    assessments : sequence of Assessment
        All its candidates.

    Returns
    -------
    tuple of WayOut
        Candidates that no change of a limit helps (a part that is not to be had or has no price, a model that no layout
        holds) are left out. Values are rounded up to what a contract would say: 0.1 kW, 1 USD, 0.1 ms. A change is as large
        as the limit is raised [factor]; one that is given up or is a date stands behind those. Then the cheapest.
    """
    failing = [one for one in assessments if one.failed]
    found = [way for one in failing if (way := _way_out(catalog, scenario, one)) is not None and way.assessment.can_win]
    return tuple(
        sorted(
            found,
            key=lambda way: (len(way.relaxations), _size(way), _npv(way.assessment), way.assessment.place),
        )
    )


def _size(way: WayOut) -> float:
    """How far the limit that gives way most is raised [factor]."""
    return max((_factor(one.now, one.to) for one in way.relaxations), default=1.0)


def _factor(now: Any, to: Any) -> float:
    if isinstance(to, tuple) and len(to) == len(now):
        return max((_factor(before, after) for before, after in zip(now, to, strict=True)), default=1.0)
    if isinstance(now, int | float) and isinstance(to, int | float) and now > 0:
        return max(to / now, 1.0)
    return 1.0 if now == to else math.inf


def _way_out(catalog: Catalog, scenario: Scenario, first: Assessment) -> WayOut | None:
    now: dict[Path, Any] = {}
    check: dict[Path, str] = {}
    current, trial = first, scenario
    for _ in range(_ROUNDS):
        if current.is_feasible:
            return WayOut(current, tuple(Relaxation(check[path], path, now[path], at(trial, path)) for path in now))
        steps = _steps(trial, current)
        if not steps:
            return None
        for step in steps:
            now.setdefault(step.path, step.now)
            check.setdefault(step.path, step.check)
        trial = relaxed(trial, steps)
        current = assess(catalog, trial, first.place)
    return None


def _steps(scenario: Scenario, assessment: Assessment) -> tuple[Relaxation, ...]:
    """What the failed checks ask for; nothing where no limit of the scenario helps one of them.

    Where no layout keeps the latency limits the fleet is not sized by them: they come first, the others follow from them.
    """
    limits = _latency_limits(scenario, assessment)
    if limits:
        return limits
    steps: list[Relaxation] = []
    for one in assessment.failed:
        step = _step(scenario, assessment, one)
        if step is None:
            return ()
        steps.append(step)
    return tuple(steps)


def _latency_limits(scenario: Scenario, assessment: Assessment) -> tuple[Relaxation, ...]:
    """The latency limits at what the nearest operating point is estimated to do, where none keeps them."""
    fleet = assessment.fleet
    if fleet is None or not any(one.name in ("ttft", "tpot", "throughput") for one in assessment.failed):
        return ()
    found = []
    for name, estimate in fleet.nearest_ms.items():
        path: Path = ("workloads", scenario.workload_index, f"{name}_limit_ms")
        limit, reached = at(scenario, path), math.ceil(estimate * _MS_STEPS) / _MS_STEPS
        if limit is not None and limit < estimate:
            found.append(Relaxation(name, path, limit, reached))
    return tuple(found)


def _step(scenario: Scenario, assessment: Assessment, check: Check) -> Relaxation | None:
    """What one failed check asks for; None where no limit of the scenario helps."""
    limits = scenario.constraints
    workload: Path = ("workloads", scenario.workload_index)
    values = check.values
    match check.name:
        case "power":
            exact = math.ceil(values["value"] * _KW_STEPS) / _KW_STEPS
            return Relaxation("power", ("constraints", "power_kw"), limits.power_kw, exact)
        case "budget":
            whole = values["value"] / (1 - limits.contingency_fraction)
            return Relaxation("budget", ("constraints", "budget_usd"), limits.budget_usd, float(math.ceil(whole)))
        case "yearly":
            years = list(limits.budget_by_year)
            for year, value in values["years"]:
                years[year - 1] = float(math.ceil(value))
            return Relaxation("yearly", ("constraints", "budget_by_year"), limits.budget_by_year, tuple(years))
        case "deadline":
            later = _month_after(limits.deadline, values["month"] - values["months"])
            return Relaxation("deadline", ("constraints", "deadline"), limits.deadline, later)
        case "gpus":
            return Relaxation("gpus", ("constraints", "gpus"), limits.gpus, int(values["value"]))
        case "software":
            kept = tuple(one for one in limits.software if one != values["product"])
            return Relaxation("software", ("constraints", "software"), limits.software, kept)
        case "ttft" | "tpot":
            field = f"{check.name}_limit_ms"
            shown = values["low_ms"] if check.reason == "estimated-above" else values["measured_ms"]
            exact = math.ceil(shown * _MS_STEPS) / _MS_STEPS
            return Relaxation(check.name, (*workload, field), values["limit_ms"], exact)
        case "memory" if check.reason in ("too-few-gpus", "needs-other-layout"):
            path: Path = ("candidates", assessment.place, "gpus")
            return Relaxation("memory", path, assessment.candidate.gpus, int(values["needed"]))
        case "throughput" if assessment.candidate.gpus is not None:
            needed = assessment.fleet.needed_gpus if assessment.fleet is not None else None
            if needed is None or needed <= assessment.candidate.gpus:
                return None
            return Relaxation("memory", ("candidates", assessment.place, "gpus"), assessment.candidate.gpus, needed)
        case "memory" if check.reason == "run-does-not-fit" and values["gpus"] <= _MOST_RUN:
            path = ("candidates", assessment.place, "gpus")
            return Relaxation("memory", path, assessment.candidate.gpus or values["gpus"], int(values["gpus"]) * 2)
        case _other:
            return None


def _month_after(deadline: str, months: int) -> str:
    """A month some months later, both as YYYY-MM."""
    year, month = map(int, deadline.split("-"))
    more_years, month_from_zero = divmod(month - 1 + months, MONTHS_PER_YEAR)
    return f"{year + more_years:04d}-{month_from_zero + 1:02d}"


def _npv(assessment: Assessment) -> float:
    value = assessment.cost.npv_usd
    return math.inf if value is None else value
