"""Every way of having a part that has a price: what is ranked where the buyer leaves open how to pay for it."""

from typing import Annotated, Final

from pydantic import Field

from lib.catalog import Catalog
from lib.choice.costed import costed
from lib.choice.scenario import MOST_OPTIONS, Acquisition, Candidate, Scenario, changed
from lib.cost.draft import CATALOGUE
from lib.sizing.layouts import GPUS_PER_NODE

WAYS: Final[tuple[Acquisition, ...]] = ("buy", "rent", "commit-1y", "commit-3y")


class Opened(Scenario):
    """A scenario with each part in every way: more options than a link holds, which carries the question instead.

    The options that the scenario states come first and keep their places.
    """

    candidates: Annotated[tuple[Candidate, ...], Field(min_length=1, max_length=MOST_OPTIONS * len(WAYS))]


def opened(catalog: Catalog, scenario: Scenario) -> Scenario:
    """The scenario with every other way of having its parts beside the stated ones, where the buyer asks for them.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Its preference says whether the way is open.

    Returns
    -------
    Scenario
        As it is where the way is stated; else an Opened one. A part at an article's price has no other way: the article
        states none. Another way is had now, at the catalogue's price, with the number of GPUs and the throughput that are
        stated for the part, where all that is stated for it agrees.
    """
    if scenario.prefers.ways == "stated":
        return scenario
    had = {(one.accelerator, one.acquisition) for one in scenario.candidates if one.price_basis == CATALOGUE}
    more: list[Candidate] = []
    for one in scenario.candidates:
        if one.price_basis != CATALOGUE:
            continue
        alike = [each for each in scenario.candidates if each.accelerator == one.accelerator]
        agreed = {
            name: getattr(one, name) if len({getattr(each, name) for each in alike}) == 1 else None
            for name in ("gpus", "throughput_factor")
        }
        for way in WAYS:
            asked = another_way(one.model_copy(update=agreed), way)
            if (one.accelerator, way) not in had and has_price(catalog, scenario, asked):
                had.add((one.accelerator, way))
                more.append(asked)
    return Opened.model_construct(**{**dict(scenario), "candidates": (*scenario.candidates, *more)})


def another_way(candidate: Candidate, way: Acquisition) -> Candidate:
    """The same part had another way: now, at the catalogue's price.

    Parameters
    ----------
    candidate : Candidate
        Its number of GPUs and its throughput stay.
    way : {"buy", "rent", "commit-1y", "commit-3y"}
        How it is had.

    Returns
    -------
    Candidate
        Without what is stated of the price and the times of the first way.
    """
    return Candidate(
        accelerator=candidate.accelerator,
        acquisition=way,
        gpus=candidate.gpus,
        throughput_factor=candidate.throughput_factor,
    )


def has_price(catalog: Catalog, scenario: Scenario, candidate: Candidate) -> bool:
    """Whether anything is known of what a way of having a part costs, whatever the fleet.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money.
    candidate : Candidate
        Part and way.

    Returns
    -------
    bool
        True where an option can be made of it.
    """
    gpus = candidate.gpus or catalog.accelerator(candidate.accelerator).gpus_per_node or GPUS_PER_NODE
    asked = candidate.model_copy(update={"gpus": gpus})
    return costed(catalog, scenario.workload, scenario.engine, scenario.money, asked).option is not None


def settled(scenario: Scenario, order: tuple[Candidate, ...]) -> Scenario:
    """The scenario with each part in the way that stands first for it, so that every other page shows that way.

    Parameters
    ----------
    scenario : Scenario
        As stated, its ways open.
    order : tuple of Candidate
        All that were ranked, the first one first.

    Returns
    -------
    Scenario
        Each part once for each source of prices, its ways stated. A part that stands in several ways keeps the first of
        them.
    """
    taken: dict[tuple[str, str], Candidate] = {}
    for stated in scenario.candidates:
        kind = (stated.accelerator, stated.price_basis)
        alike = (one for one in order if (one.accelerator, one.price_basis) == kind)
        taken.setdefault(kind, next(alike, stated))
    kept = changed(scenario, ("candidates",), tuple(one.model_dump() for one in taken.values()))
    return changed(kept, ("preference",), {**kept.prefers.model_dump(), "ways": "stated"})
