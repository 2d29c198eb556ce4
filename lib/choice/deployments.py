"""Every deployment that was considered, with why it was dropped or what it does; and which candidates nobody dominates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import Costed, costed
from lib.choice.fleet import Deployment
from lib.choice.preference import Axis
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Acquisition, Candidate, Scenario
from lib.choice.standing import Standing
from lib.choice.ways import WAYS
from lib.cost.draft import CATALOGUE
from lib.units import GIB

HIGHER_IS_BETTER: Final[frozenset[Axis]] = frozenset({"throughput", "slack", "evidence"})


@dataclass(frozen=True, eq=False)
class Considered:
    """One layout of one candidate: chosen, beaten by another layout, or dropped."""

    assessment: Assessment
    deployment: Deployment
    is_chosen: bool


def considered(found: Recommendation) -> tuple[Considered, ...]:
    """Every layout of every candidate, in the order of the answer.

    Parameters
    ----------
    found : Recommendation
        The answer.

    Returns
    -------
    tuple of Considered
        Nothing for what is not served.
    """
    rows = []
    for one in found.assessments:
        if one.fleet is not None:
            rows += [Considered(one, each, each.layout == one.fleet.layout) for each in one.fleet.considered]
    return tuple(rows)


def other_ways(catalog: Catalog, scenario: Scenario, one: Assessment) -> tuple[tuple[Acquisition, Costed], ...]:
    """What the same fleet costs had in each way, at the catalogue's prices.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, engine, money.
    one : Assessment
        The candidate.

    Returns
    -------
    tuple of (str, Costed)
        The candidate's own way as it stands; a way without a price has a problem instead of a cost.
    """
    found: list[tuple[Acquisition, Costed]] = []
    for way in WAYS:
        if way == one.candidate.acquisition:
            found.append((way, one.cost))
            continue
        asked = Candidate(
            accelerator=one.candidate.accelerator, gpus=one.cost.gpus, acquisition=way, price_source=CATALOGUE
        )  # fmt: skip
        found.append((way, costed(catalog, scenario.workload, scenario.engine, scenario.money, asked)))
    return tuple(found)


def axis_value(axis: Axis, one: Assessment, standing: Standing) -> float | None:
    """A candidate's value on an axis; None where it is not known.

    Parameters
    ----------
    axis : Axis
        Which axis.
    one : Assessment
        The candidate.
    standing : Standing
        Where it stands.

    Returns
    -------
    float or None
        unit-cost: the governing figure without weights; outlay [USD]; throughput at the low end [tokens per second];
        token-time [ms]; power [kW]; gpus paid for; slack [GiB on the fullest GPU beside one sequence]; evidence
        (like-for-like pairs); risk of the software, 0 to 1.
    """
    option, fleet = one.cost.option, one.fleet
    match axis:
        case "unit-cost":
            return standing.figure
        case "outlay":
            return one.cost.npv_usd
        case "throughput":
            return one.delivered_tokens_per_s[0] if one.delivered_tokens_per_s else None
        case "token-time":
            times = fleet.speed.tpot_s if fleet is not None and fleet.speed is not None else None
            return times.estimate * 1000 if times is not None else None
        case "power":
            return one.cost.power_kw
        case "gpus":
            return float(option.held_gpus) if option is not None else None
        case "slack":
            return fleet.slack_bytes / GIB if fleet is not None and fleet.slack_bytes is not None else None
        case "evidence":
            return float(one.backing.pairs)
    return one.risk.software


def pareto(found: Recommendation, axes: Sequence[Axis]) -> tuple[Assessment, ...]:
    """The candidates that pass every check and that none beats on all of some axes.

    Parameters
    ----------
    found : Recommendation
        The answer.
    axes : sequence of Axis
        What counts; one and the same axis twice is one.

    Returns
    -------
    tuple of Assessment
        In the order of the answer; a candidate whose value on an axis is not known is left out.
    """
    rows = []
    for one in found.assessments:
        values = [axis_value(axis, one, found.standing(one)) for axis in axes]
        known = [one_value for one_value in values if one_value is not None]
        if one.is_feasible and len(known) == len(values):
            losses = [-value if axis in HIGHER_IS_BETTER else value for axis, value in zip(axes, known, strict=True)]
            rows.append((one, losses))
    return tuple(
        one for one, losses in rows if not any(_beats(other, losses) for rival, other in rows if rival is not one)
    )


def _beats(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether the first is nowhere worse and somewhere better."""
    return all(a <= b for a, b in zip(first, second, strict=True)) and any(
        a < b for a, b in zip(first, second, strict=True)
    )
