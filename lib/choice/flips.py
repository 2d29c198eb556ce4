"""Drivers of a recommendation, the values at which it turns, and the scenario that a reader would state to see it."""

from dataclasses import dataclass
from typing import Literal

from lib.choice.scenario import Scenario, changed

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
            return changed(scenario, ("candidates", driver.place, "throughput_factor"), value)
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
