"""Drivers of a recommendation, the values at which it turns, and the scenario that a reader would state to see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lib.choice.assessment import Assessment
from lib.choice.scenario import Candidate, Scenario, changed

DriverName = Literal[
    "price", "electricity", "utilisation", "discount-rate", "pue", "staff", "migration", "resale", "network", "horizon",
    "throughput", "software-weight", "evidence-weight", "input-tokens", "concurrency", "request-rate", "model",
    "training-gpus", "share",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Driver:
    """Something that may turn out otherwise, its value today, and the range in which it is searched.

    `place` is the candidate that it belongs to, None for one that all share; `target` is where it stands: "option",
    "finance", "weight", "throughput" or "load".
    """

    name: DriverName
    place: int | None
    target: Literal["option", "finance", "weight", "throughput", "load"]
    field: str
    now: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FlipPoint:
    """The nearest value of a driver from which on another candidate comes first; `at` None where there is none.

    `kept` is the last value looked at that keeps the answer, `at` the first that does not: for a continuous driver the two
    are as good as one. `to` is the place of the candidate that is first there, None where then nobody passes.
    """

    driver: Driver
    kept: float | None
    at: float | None
    to: int | None
    label: str = ""
    """The name of what the driver becomes where it is no number: a model."""

    @property
    def changes(self) -> bool:
        """Whether the answer changes in the range."""
        return self.at is not None

    @property
    def distance(self) -> float | None:
        """How far the driver is from its flip point [fraction of its value today]."""
        return None if self.at is None or not self.driver.now else self.at / self.driver.now - 1


def twins(candidates: Sequence[Candidate], place: int) -> tuple[int, ...]:
    """Places of the candidates whose throughput is one doubt: one part in all its ways, held against one measurement.

    Parameters
    ----------
    candidates : sequence of Candidate
        Of a scenario.
    place : int
        One of them.

    Returns
    -------
    tuple of int
        Its own place among them.
    """
    mine = candidates[place]
    return tuple(
        at
        for at, one in enumerate(candidates)
        if (one.accelerator, one.throughput_factor) == (mine.accelerator, mine.throughput_factor)
    )


def first_twins(candidates: Sequence[Candidate], found: Iterable[Assessment]) -> list[Assessment]:
    """The first of each group of twins among some assessments: one driver moves all of a group.

    Parameters
    ----------
    candidates : sequence of Candidate
        Of the scenario.
    found : iterable of Assessment
        Some of them, assessed.

    Returns
    -------
    list of Assessment
        In the order given.
    """
    return list({twins(candidates, one.place): one for one in reversed(list(found))}.values())[::-1]


def stated(scenario: Scenario, driver: Driver, value: float, label: str = "") -> Scenario:
    """The scenario with a driver at a value: what a reader would enter to see it.

    Parameters
    ----------
    scenario : Scenario
        The scenario.
    driver : Driver
        What moves.
    value : float
        Its new value, in the unit of the driver.
    label : str
        The name of it where it is no number: a model.

    Returns
    -------
    Scenario
        A whole, valid record.
    """
    here = ("workloads", scenario.workload_index)
    match driver.name:
        case "price" if driver.place is not None:
            candidate = scenario.candidates[driver.place]
            prices: dict[str, float | None] = {
                "gpu_price_usd": None, "server_price_usd": None, "rent_usd_per_gpu_hour": None,
                "rent_usd_per_gpu_month": None, driver.field: value,
            }  # fmt: skip
            return changed(scenario, ("candidates", driver.place), candidate.model_dump() | prices)
        case "throughput" if driver.place is not None:
            alike = twins(scenario.candidates, driver.place)
            moved = tuple(
                one.model_copy(update={"throughput_factor": value}) if place in alike else one
                for place, one in enumerate(scenario.candidates)
            )
            return scenario.model_copy(update={"candidates": moved})
        case "software-weight" | "evidence-weight":
            prefers = scenario.prefers.model_dump() | {f"{driver.field}_weight": value}
            return changed(scenario, ("preference",), prefers)
        case "migration":
            return changed(scenario, ("money", "migration_engineer_weeks"), value)
        case "horizon":
            return changed(scenario, ("money", "horizon_years"), int(value))
        case "input-tokens" | "concurrency":
            return changed(scenario, (*here, driver.field), int(value))
        case "training-gpus":
            count = int(value)
            moved = tuple(
                one if one.gpus is None else one.model_copy(update={"gpus": count}) for one in scenario.candidates
            )
            return changed(scenario.model_copy(update={"candidates": moved}), (*here, driver.field), count)
        case "model":
            return changed(scenario, (*here, "model"), label)
        case "request-rate":
            return changed(scenario, (*here, driver.field), value)
    return changed(scenario, ("money", driver.field), value)
