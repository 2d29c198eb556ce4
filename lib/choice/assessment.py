"""One candidate of a scenario with everything that a decision about it needs: size, cost, checks, measurements."""

from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.backing import Backing, backing, base_part
from lib.choice.checks import Check, checks_of
from lib.choice.costed import Costed, costed
from lib.choice.scenario import Candidate, Scenario
from lib.choice.sized import Sized, sized


@dataclass(frozen=True, eq=False)
class Assessment:
    """A candidate, what it needs, what it costs, which checks it passes, and what was measured of its part."""

    place: int
    candidate: Candidate
    size: Sized
    cost: Costed
    checks: tuple[Check, ...]
    backing: Backing

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that rule the candidate out."""
        return tuple(one for one in self.checks if one.verdict == "fail")

    @property
    def open_checks(self) -> tuple[Check, ...]:
        """Checks that nobody can answer from the facts."""
        return tuple(one for one in self.checks if one.verdict == "unknown")

    @property
    def is_feasible(self) -> bool:
        """Whether no check rules it out; what is not known does not."""
        return not self.failed

    @property
    def can_win(self) -> bool:
        """Whether it is feasible and has a cost to be ranked by."""
        return self.is_feasible and self.cost.npv_usd is not None

    @property
    def band_usd(self) -> tuple[float, float] | None:
        """Net present value at the low and the high end of its price; one value twice where the price is stated."""
        value = self.cost.npv_usd
        if value is None:
            return None
        low, high = self.cost.npv_low_usd, self.cost.npv_high_usd
        return (value if low is None else low, value if high is None else high)


def assess(catalog: Catalog, scenario: Scenario, place: int) -> Assessment:
    """One candidate of a scenario, for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money, constraints.
    place : int
        Which candidate.

    Returns
    -------
    Assessment
        With every check that the scenario asks for.
    """
    candidate = scenario.candidates[place]
    workload = scenario.workload
    cost = costed(catalog, workload, scenario.engine, scenario.money, candidate)
    size = sized(catalog, workload, scenario.engine, cost.accelerator)
    return Assessment(
        place=place,
        candidate=candidate,
        size=size,
        cost=cost,
        checks=checks_of(catalog, workload, scenario.constraints, size, cost),
        backing=backing(catalog, workload, candidate.accelerator, base_part(scenario), scenario.view.mlperf_model),
    )
