"""What an article advises for a preset, held against the recommendation."""

from dataclasses import dataclass
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.scenario import Scenario
from lib.choice.sized import SERVING_TASKS, architecture_of, known_bytes
from lib.errors import LibError
from lib.sizing.weights import checkpoint_bytes
from lib.units import GB

Agreement = Literal["agrees", "within-tie", "differs", "ruled-out", "not-compared", "no-part", "no-answer"]


RuleName = Literal["memory-per-dollar", "memory-bound"]

A2_PART: Final = "mi300x"
"""The part that article A2 speaks of."""

ONE_CARD_BYTES: Final = 80 * GB
"""Memory of an H100, the card that article A2 compares with: a model beyond it is taken as bound by memory."""


@dataclass(frozen=True, eq=False)
class Rule:
    """An article's rule applied to a scenario: the candidate it picks, and whether our answer agrees.

    memory-per-dollar (A3: take the part with the most memory for the money): `values` has GiB per 1,000 USD by place.
    memory-bound (A2: MI300X for models that one card does not hold, where the stack runs on ROCm): `values` has the bytes
    of the model.
    """

    name: RuleName
    source_id: str
    applies: bool
    picked: Assessment | None
    agreement: Agreement
    values: tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Advice:
    """An article's advice: whose it is, which part it names, whether the recommendation agrees."""

    source_id: str
    english: str
    chinese: str
    agreement: Agreement
    advised: Assessment | None


def advice(
    catalog: Catalog,
    scenario: Scenario,
    assessments: tuple[Assessment, ...],
    winner: Assessment | None,
    tied: tuple[Assessment, ...],
) -> Advice | None:
    """The advice of the preset that a scenario comes from, and whether the answer agrees with it.

    Parameters
    ----------
    catalog : Catalog
        The edition with its presets.
    scenario : Scenario
        Names its preset.
    assessments : tuple of Assessment
        All candidates in the order of the answer.
    winner : Assessment or None
        The recommended one.
    tied : tuple of Assessment
        Those that cost the same within their price ranges, the winner among them.

    Returns
    -------
    Advice or None
        None where the preset carries no advice. Agreement: agrees; within-tie (the advised part is as cheap within the
        price ranges); differs; ruled-out (a check rules it out); not-compared (no candidate is of that part); no-part
        (the advice names none); no-answer (nothing can be recommended).
    """
    preset = catalog.presets.get(scenario.preset, {})
    if not preset.get("advice_source"):
        return None
    named = preset.get("advice_accelerators", [])
    ways = preset.get("advice_acquisitions", [])
    of_part = [
        one
        for one in assessments
        if (not named or one.candidate.accelerator in named) and (not ways or one.candidate.acquisition in ways)
    ]
    advised = of_part[0] if of_part and (named or ways) else None
    return Advice(
        source_id=str(preset["advice_source"]),
        english=str(preset["advice_en"]),
        chinese=str(preset["advice_zh"]),
        agreement=_agreement(bool(named or ways), advised, of_part, winner, tied),
        advised=advised,
    )


def _agreement(
    names_part: bool,
    advised: Assessment | None,
    of_part: list[Assessment],
    winner: Assessment | None,
    tied: tuple[Assessment, ...],
) -> Agreement:
    if not names_part:
        return "no-part"
    if advised is None:
        return "not-compared"
    if winner is None:
        return "no-answer"
    if winner in of_part:
        return "agrees"
    if any(one in of_part for one in tied):
        return "within-tie"
    return "differs" if advised.is_feasible else "ruled-out"


def rules_of(
    catalog: Catalog,
    scenario: Scenario,
    assessments: tuple[Assessment, ...],
    winner: Assessment | None,
    tied: tuple[Assessment, ...],
) -> tuple[Rule, ...]:
    """The articles' general rules applied to a scenario.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        What is run.
    assessments : tuple of Assessment
        All candidates in the order of the answer.
    winner : Assessment or None
        The recommended one.
    tied : tuple of Assessment
        Those that stand as well, the winner among them.

    Returns
    -------
    tuple of Rule
        A3's and A2's; nothing for what is not served.
    """
    if scenario.workload.task not in SERVING_TASKS:
        return ()
    per_dollar = []
    for one in assessments:
        memory, option, npv = one.cost.accelerator.memory_usable_gib, one.cost.option, one.cost.npv_usd
        if memory is not None and option is not None and npv:
            per_dollar.append((one.place, memory * option.held_gpus / npv * 1000))
    by_place = {one.place: one for one in assessments}
    most = max(per_dollar, key=lambda item: item[1], default=None)
    densest = by_place[most[0]] if most is not None else None
    held = _weights_bytes(catalog, scenario)
    bound = held is not None and held > ONE_CARD_BYTES
    named = next((one for one in assessments if one.candidate.accelerator == A2_PART), None)
    return (
        Rule(
            "memory-per-dollar",
            "article-a3",
            densest is not None,
            densest,
            _agreement(True, densest, [densest] if densest else [], winner, tied),
            tuple(per_dollar),
        ),
        Rule(
            "memory-bound",
            "article-a2",
            bound,
            named,
            _agreement(True, named, [one for one in assessments if one.candidate.accelerator == A2_PART], winner, tied),
            () if held is None else ((-1, held),),
        ),
    )


def _weights_bytes(catalog: Catalog, scenario: Scenario) -> float | None:
    workload = scenario.workload
    known = known_bytes(catalog, workload)
    if known is not None:
        return known
    try:
        return float(
            checkpoint_bytes(architecture_of(catalog, workload), workload.weight_format, catalog.weight_formats)
        )
    except LibError:
        return None
