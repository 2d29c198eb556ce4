"""One candidate of a scenario with everything that a decision about it needs: fleet, cost, checks, what it delivers, risks."""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.backing import Backing, backing, base_part
from lib.choice.checks import Check, checks_of
from lib.choice.costed import Costed
from lib.choice.demand import demand_of
from lib.choice.fleet import Fleet
from lib.choice.fleet_costs import cost_of, fleets_of
from lib.choice.risk import NO_RISK, Risk, risk_of
from lib.choice.scenario import Candidate, Scenario, Workload
from lib.choice.sized import Sized, replica
from lib.choice.training_runs import TrainingRun, training_run
from lib.cost.inverse import price_field
from lib.cost.unit_cost import cost_per_million_tokens_usd
from lib.sizing.throughput import Question

Triple = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Assessment:
    """A candidate, what it needs, what it costs and delivers, which checks it passes, and what was measured of its part.

    `fleet` is None for what is not served; `delivered_tokens_per_s` is the average while the fleet works, low, estimate
    and high, None without a basis.
    """

    place: int
    candidate: Candidate
    size: Sized
    cost: Costed
    checks: tuple[Check, ...]
    backing: Backing
    fleet: Fleet | None = None
    run: TrainingRun | None = None
    delivered_tokens_per_s: Triple | None = None
    risk: Risk = NO_RISK

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
    def is_recommendable(self) -> bool:
        """Whether it is known that part and engine run the formats: what is not known is shown and not recommended."""
        return not any(one.name == "format" for one in self.open_checks)

    @property
    def misses_limit(self) -> bool:
        """Whether its operating point breaks a latency limit at the estimate, and no run says that it is kept."""
        return (
            self.fleet is not None
            and self.fleet.latency == "none"
            and any(one.name in ("ttft", "tpot") for one in self.open_checks)
        )

    @property
    def is_priced_by_estimate(self) -> bool:
        """Whether its price is an estimate of the assumptions, for want of enough dated list prices."""
        option, defaults = self.cost.option, self.cost.defaults
        return (
            option is not None
            and defaults is not None
            and defaults.origins[price_field(option.acquisition)].kind == "estimate"
        )

    @property
    def question(self) -> Question | None:
        """What was asked of the throughput of one replica; None where nothing was estimated."""
        speed = self.fleet.speed if self.fleet is not None else None
        return speed.question if speed is not None else None

    @property
    def band_usd(self) -> tuple[float, float] | None:
        """Net present value at the low and the high end of its price; one value twice where the price is stated."""
        value = self.cost.npv_usd
        if value is None:
            return None
        low, high = self.cost.npv_low_usd, self.cost.npv_high_usd
        return (value if low is None else low, value if high is None else high)

    @property
    def million_tokens_usd(self) -> Triple | None:
        """Cost of a million tokens at the high end, the estimate and the low end of the throughput [USD]."""
        unit, option = self.cost.unit, self.cost.option
        if self.delivered_tokens_per_s is None or unit is None or option is None or unit.delivered_gpu_hour_usd is None:
            return None
        per_hour = float(unit.delivered_gpu_hour_usd) * option.gpus
        low, middle, high = self.delivered_tokens_per_s
        return (
            float(cost_per_million_tokens_usd(per_hour, high)),
            float(cost_per_million_tokens_usd(per_hour, middle)),
            float(cost_per_million_tokens_usd(per_hour, low)),
        )


def assess_all(catalog: Catalog, scenario: Scenario, places: Sequence[int] | None = None) -> tuple[Assessment, ...]:
    """Candidates of a scenario, for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money, constraints.
    places : sequence of int, optional
        Which candidates; all where it is left out.

    Returns
    -------
    tuple of Assessment
        With every check that the scenario asks for.
    """
    found = fleets_of(catalog, scenario)
    chosen = range(len(scenario.candidates)) if places is None else places
    return tuple(_assessment(catalog, scenario, place, found[place]) for place in chosen)


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
    return assess_all(catalog, scenario, (place,))[0]


def delivered(workload: Workload, fleet: Fleet | None, run: TrainingRun | None, target_load: float) -> Triple | None:
    """Tokens per second that a fleet delivers on average while it works (estimate).

    min(demand, what the fleet can do), or all that it can do where only the requests in flight are known

    Parameters
    ----------
    workload : Workload
        The load.
    fleet : Fleet or None
        Of a workload that is served.
    run : TrainingRun or None
        Of one that is trained.
    target_load : float
        Share of what the fleet can do that the peak may use [fraction].

    Returns
    -------
    tuple of float or None
        Low, estimate, high [tokens per second].
    """
    if run is not None:
        return run.tokens_per_s
    if fleet is None or fleet.speed is None:
        return None
    ends = (fleet.speed.low, fleet.speed.estimate, fleet.speed.high)
    load = demand_of(workload, target_load)
    if load.kind != "rate" or load.tokens_per_s is None:
        return ends
    wanted = load.tokens_per_s
    return min(ends[0], wanted), min(ends[1], wanted), min(ends[2], wanted)


def _assessment(catalog: Catalog, scenario: Scenario, place: int, fleet: Fleet | None) -> Assessment:
    candidate, workload = scenario.candidates[place], scenario.workload
    preference = scenario.prefers
    cost = cost_of(catalog, scenario, candidate, fleet)
    size = replica(catalog, workload, scenario.engine, cost.accelerator)
    run = training_run(catalog, workload, cost.accelerator, cost.gpus) if cost.gpus is not None else None
    behind = backing(catalog, workload, candidate.accelerator, base_part(scenario), scenario.view.mlperf_model)
    return Assessment(
        place=place,
        candidate=candidate,
        size=size,
        cost=cost,
        checks=checks_of(
            catalog, workload, scenario.constraints, size, cost, scenario.engine.engine, fleet, run,
            preference.target_load,
        ),
        backing=behind,
        fleet=fleet,
        run=run,
        delivered_tokens_per_s=delivered(workload, fleet, run, preference.target_load),
        risk=risk_of(
            catalog, cost.accelerator, scenario.constraints.software, fleet, behind.pairs + bool(behind.mlperf)
        ),
    )  # fmt: skip
