"""What an article advises for a preset, held against the recommendation."""

from dataclasses import dataclass
from typing import Literal

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.scenario import Scenario

Agreement = Literal["agrees", "within-tie", "differs", "ruled-out", "not-compared", "no-part", "no-answer"]


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
