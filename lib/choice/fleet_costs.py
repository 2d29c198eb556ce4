"""What each candidate of a scenario costs with the fleet that its load asks for: one count of GPUs on every page."""

import functools
from dataclasses import replace

from lib.catalog import Catalog
from lib.choice.costed import Costed, costed
from lib.choice.fleet import Ask, Fleet, fleets
from lib.choice.scenario import Candidate, EngineChoice, Scenario, Workload
from lib.choice.sized import SERVING_TASKS
from lib.sizing.layouts import GPUS_PER_NODE


def costed_all(catalog: Catalog, scenario: Scenario) -> tuple[Costed, ...]:
    """Every candidate of a scenario with the costs of its fleet, for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Candidates, money, workload.

    Returns
    -------
    tuple of Costed
        In the order of the candidates.
    """
    return tuple(
        cost_of(catalog, scenario, candidate, fleet)
        for candidate, fleet in zip(scenario.candidates, fleets_of(catalog, scenario), strict=True)
    )


def costed_beside(catalog: Catalog, scenario: Scenario, candidate: Candidate) -> Costed:
    """The costs of one more candidate, for the workload in view, with the fleet that the load asks of it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Money and workload.
    candidate : Candidate
        Not one of the scenario's, or one of them with other values.

    Returns
    -------
    Costed
        As `costed_all` gives it.
    """
    return costed_all(catalog, scenario.model_copy(update={"candidates": (candidate,)}))[0]


def cost_of(catalog: Catalog, scenario: Scenario, candidate: Candidate, fleet: Fleet | None) -> Costed:
    """The costs of a candidate with its fleet.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money.
    candidate : Candidate
        Part, way of having it, prices.
    fleet : Fleet or None
        Its number of GPUs wins over the one that memory alone would give.

    Returns
    -------
    Costed
        Under the candidate as the scenario states it.
    """
    asked = (catalog, scenario.workload, scenario.engine, scenario.money)
    if fleet is None or fleet.layout is None or fleet.gpus is None or candidate.gpus is not None:
        return costed(*asked, candidate)
    found = costed(*asked, candidate.model_copy(update={"gpus": fleet.gpus}))
    return replace(found, candidate=candidate, counted_from=fleet.set_by)


def ask_of(catalog: Catalog, candidate: Candidate) -> Ask:
    """A candidate as a fleet is made of it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    candidate : Candidate
        Part, way of having it, stated GPUs.

    Returns
    -------
    Ask
        Whole servers where bought, single GPUs where rented.
    """
    part = catalog.accelerator(candidate.accelerator)
    unit = (part.gpus_per_node or GPUS_PER_NODE) if candidate.acquisition == "buy" else 1
    return Ask(part, unit, candidate.gpus, candidate.throughput_factor or 1.0)


def fleets_of(catalog: Catalog, scenario: Scenario) -> tuple[Fleet | None, ...]:
    """The fleet of every candidate for the workload in view.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, candidates.

    Returns
    -------
    tuple of Fleet or None
        None for a workload that is not served.
    """
    workload = scenario.workload
    if workload.task not in SERVING_TASKS:
        return (None,) * len(scenario.candidates)
    asks = tuple(ask_of(catalog, one) for one in scenario.candidates)
    return _fleets(catalog, workload, scenario.engine, asks, scenario.prefers.target_load)


@functools.lru_cache(maxsize=256)
def _fleets(
    catalog: Catalog, workload: Workload, engine: EngineChoice, asks: tuple[Ask, ...], target_load: float
) -> tuple[Fleet, ...]:
    return fleets(catalog, (workload,), engine, asks, target_load)[0]
