"""The scenario with which a page opens for a claim: its preset, narrowed to the parts and the model that were named."""

from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.claims.records import Judged
from lib.choice.presets import preset
from lib.choice.scenario import Candidate, Language, Scenario, Workload

_MOST_PARTS = 4


def opening(catalog: Catalog, judged: Judged, language: Language) -> Scenario:
    """The scenario in which a reader can move what a claim rests on.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    judged : Judged
        The claim with its terms.
    language : Language
        The reader's.

    Returns
    -------
    Scenario
        The claim's preset; its parts come first among the candidates, its model is the workload in view.
    """
    found = preset(catalog, judged.claim.preset, language)
    return with_model(catalog, with_parts(found, judged.claim.parts), judged.models)


def with_parts(scenario: Scenario, parts: Sequence[str]) -> Scenario:
    """A scenario that compares these parts, in this order; what it says of them is kept.

    Parameters
    ----------
    scenario : Scenario
        Any scenario.
    parts : sequence of str
        Accelerator ids; none leaves the scenario as it is.

    Returns
    -------
    Scenario
        With the first four parts named, and no others.
    """
    known = {one.accelerator: one for one in reversed(scenario.candidates)}
    way = scenario.candidates[0]
    chosen = tuple(
        known.get(part) or Candidate(accelerator=part, acquisition=way.acquisition) for part in parts[:_MOST_PARTS]
    )
    return scenario.model_copy(update={"candidates": chosen}) if chosen else scenario


def with_model(catalog: Catalog, scenario: Scenario, models: Sequence[str]) -> Scenario:
    """A scenario whose workload in view runs the first of these models that it does not have already.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Any scenario.
    models : sequence of str
        Model ids; none leaves the scenario as it is.

    Returns
    -------
    Scenario
        With the workload that has the model in view, or with its first workload changed to it.
    """
    if not models or models[0] not in catalog.models:
        return scenario
    for index, one in enumerate(scenario.workloads):
        if one.model == models[0]:
            return scenario.model_copy(update={"view": scenario.view.model_copy(update={"workload": index})})
    first: Workload = scenario.workloads[0].model_copy(update={"model": models[0], "weight_format": "native"})
    return scenario.model_copy(update={"workloads": (first, *scenario.workloads[1:])})
