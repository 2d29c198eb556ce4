"""A tender sheet: what an offer must have, with the evidence, apart from what earns points, with weights fixed in advance.

Every number follows from the scenario, so that another committee with the same link reaches the same points.
"""

from dataclasses import dataclass
from typing import Final, Literal

from lib.choice.assessment import Assessment
from lib.choice.checks import Check
from lib.choice.preference import Preference
from lib.choice.recommend import Recommendation

Criterion = Literal["price", "speed", "evidence", "software"]
CRITERIA: Final[tuple[Criterion, ...]] = ("price", "speed", "evidence", "software")


@dataclass(frozen=True, slots=True)
class Award:
    """One award criterion of one offer: the value, the best value of all admitted offers, the share of points, the points.

    `share` is None where the offer has no value: it earns nothing, and the sheet says why.
    """

    criterion: Criterion
    weight: int
    value: float | None
    best: float | None
    share: float | None

    @property
    def points(self) -> float:
        """Weight times share."""
        return self.weight * (self.share or 0.0)


@dataclass(frozen=True, eq=False)
class Offer:
    """One candidate as an offer: admitted or not, with the checks, and its points."""

    assessment: Assessment
    admission: tuple[Check, ...]
    awards: tuple[Award, ...]

    @property
    def is_admitted(self) -> bool:
        """Whether every mandatory criterion is met; what is open is to be proven by the bidder and admits for now."""
        return not self.assessment.failed and self.assessment.cost.npv_usd is not None

    @property
    def points(self) -> float:
        """Sum of the points; 0 for an offer that is not admitted."""
        return sum(one.points for one in self.awards) if self.is_admitted else 0.0


@dataclass(frozen=True, eq=False)
class Tender:
    """All offers, most points first, and the weights that were fixed."""

    offers: tuple[Offer, ...]
    weights: tuple[tuple[Criterion, int], ...]

    @property
    def most_points(self) -> int:
        """The points that a perfect offer earns."""
        return sum(weight for _, weight in self.weights)


def lower_is_better(value: float, best: float) -> float:
    """Share of the points of a criterion in which less is better (exact).

    share = lowest / value

    Parameters
    ----------
    value, best : float
        The offer's value and the lowest of all admitted offers, in one unit.

    Returns
    -------
    float
        From 0 to 1; 1 for the best, also where it is nothing.

    Examples
    --------
    >>> lower_is_better(125.0, 100.0), lower_is_better(0.0, 0.0)
    (0.8, 1.0)
    """
    return best / value if value > 0 else 1.0


def higher_is_better(value: float, best: float) -> float:
    """Share of the points of a criterion in which more is better (exact).

    share = value / highest

    Parameters
    ----------
    value, best : float
        The offer's value and the highest of all admitted offers, in one unit.

    Returns
    -------
    float
        From 0 to 1; 0 where nobody has any.

    Examples
    --------
    >>> higher_is_better(30.0, 40.0), higher_is_better(0.0, 0.0)
    (0.75, 0.0)
    """
    return value / best if best > 0 else 0.0


def tender(found: Recommendation) -> Tender:
    """The tender sheet of an answer.

    points = weight x lowest / value for price, weight x value / highest for speed and evidence, weight x (1 - risk) for software

    Parameters
    ----------
    found : Recommendation
        The answer with its checks and figures.

    Returns
    -------
    Tender
        Admitted offers first, most points first; equals in the order of the answer.

    Notes
    -----
    Price is the governing figure without weights of taste. Speed is tokens per second at the low end of the interval.
    Evidence is like-for-like pairs; the part that all are measured against, which has none with itself, takes the most
    of any offer. Under lowest-price formulas the ranks of two offers may swap when a third one enters or leaves.
    """
    prefers = found.scenario.prefers
    admitted = [one for one in found.assessments if one.can_win]
    values = {id(one): _values(found, one) for one in found.assessments}
    evidence = [values[id(one)]["evidence"] or 0.0 for one in admitted]
    most_pairs = max(evidence, default=0.0)
    for one in found.assessments:
        if one.candidate.accelerator == found.base_id:
            values[id(one)]["evidence"] = most_pairs
    best: dict[Criterion, float | None] = {}
    for criterion in CRITERIA:
        known = [value for one in admitted if (value := values[id(one)][criterion]) is not None]
        pick = min if criterion == "price" else max
        best[criterion] = pick(known) if known else None
    weights = weights_of(prefers)
    offers = [
        Offer(one, one.checks, tuple(_award(each, dict(weights)[each], values[id(one)][each], best[each]) for each in CRITERIA))
        for one in found.assessments
    ]  # fmt: skip
    offers.sort(key=lambda one: (not one.is_admitted, -one.points))
    return Tender(tuple(offers), weights)


def weights_of(prefers: Preference) -> tuple[tuple[Criterion, int], ...]:
    """The points of each criterion, as the buyer has fixed them.

    Parameters
    ----------
    prefers : Preference
        From the link.

    Returns
    -------
    tuple of (str, int)
        In the order of CRITERIA.
    """
    return (
        ("price", prefers.price_points), ("speed", prefers.speed_points), ("evidence", prefers.evidence_points),
        ("software", prefers.software_points),
    )  # fmt: skip


def _values(found: Recommendation, one: Assessment) -> dict[Criterion, float | None]:
    tokens = one.delivered_tokens_per_s
    return {
        "price": found.standing(one).figure,
        "speed": tokens[0] if tokens else None,
        "evidence": float(one.backing.pairs),
        "software": 1 - one.risk.software,
    }


def _award(criterion: Criterion, weight: int, value: float | None, best: float | None) -> Award:
    if value is None or best is None:
        return Award(criterion, weight, value, best, None)
    if criterion == "price":
        return Award(criterion, weight, value, best, lower_is_better(value, best))
    if criterion == "software":
        return Award(criterion, weight, value, 1.0, value)
    return Award(criterion, weight, value, best, higher_is_better(value, best))
