"""Every candidate in every weight format worth considering, in one order: who would come first were the format free."""

from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, assess_all
from lib.choice.format_support import FROM_WORST, Support
from lib.choice.preference import Metric
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Scenario, WeightFormatWord, Workload, changed
from lib.choice.standing import Standing, budget_of, in_order, standing_of

FORMATS: Final[tuple[WeightFormatWord, ...]] = ("native", "bf16", "fp8-tensor", "int4-g128", "mxfp4", "nvfp4")
"""What is held against each other; the published checkpoint is one of them."""

RUNNING: Final[frozenset[Support]] = frozenset({"native", "weight-only"})
"""How a format must be documented to run for a buyer to plan on it: an emulated one is slower by nobody knows how much."""

_SIXTEEN: Final = "16-bit"
_FAMILIES: Final = {"bf16": _SIXTEEN, "fp16": _SIXTEEN, "fp32": _SIXTEEN}


@dataclass(frozen=True, eq=False)
class InFormat:
    """A candidate with its weights in one format, how that runs, and where it stands among all."""

    word: WeightFormatWord
    assessment: Assessment
    standing: Standing
    support: Support

    @property
    def is_open_to_choice(self) -> bool:
        """Whether it passes every check, has a cost, and part and engine are documented to run its formats."""
        return self.assessment.can_win and self.assessment.is_recommendable and self.support in RUNNING


@dataclass(frozen=True, eq=False)
class FreeFormat:
    """All candidates in all formats in the order of the answer, the first open to choice, and the answer as it stands.

    `native` is what the model is published in, "" where it is not known.
    """

    metric: Metric
    own: WeightFormatWord
    native: str
    rows: tuple[InFormat, ...]
    first: InFormat | None
    present: InFormat | None

    @property
    def is_another(self) -> bool:
        """Whether a free format would put another option or another format first."""
        return self.first is not None and self.first is not self.present

    @property
    def difference(self) -> float | None:
        """The first one's figure over that of the answer as it stands, less 1 [fraction]."""
        if self.first is None or self.present is None:
            return None
        theirs, ours = self.first.standing.figure, self.present.standing.figure
        return None if theirs is None or not ours else theirs / ours - 1


def formats_of(catalog: Catalog, workload: Workload) -> tuple[WeightFormatWord, ...]:
    """The weight formats that are worth considering for a model: its own, and one of each other width and kind.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        The model, and the format that the scenario states.

    Returns
    -------
    tuple of str
        The scenario's own first. A model published in 8-bit floats has no second row for another kind of 8-bit floats.

    Examples
    --------
    >>> from lib.catalog import load
    >>> formats_of(load(), Workload(model="llama-3.3-70b", weight_format="bf16"))
    ('bf16', 'fp8-tensor', 'int4-g128', 'mxfp4', 'nvfp4')
    >>> formats_of(load(), Workload(model="deepseek-v3"))
    ('native', 'bf16', 'int4-g128', 'mxfp4', 'nvfp4')
    """
    model = catalog.models.get(workload.model)
    native = model.native_format if model else ""
    found: dict[str, WeightFormatWord] = {}
    for word in (workload.weight_format, *FORMATS):
        if word == "native" and not native and workload.weight_format != "native":
            continue  # a model of the user's own says for itself what it is in, or has to be told
        found.setdefault(_family(native if word == "native" else word), word)
    return tuple(found.values())


def _family(word: str) -> str:
    """What two formats have in common that are not worth two rows: width and kind, whatever their blocks."""
    of_experts = word.partition("+")[0]
    return _FAMILIES.get(of_experts, of_experts.partition("-")[0])


def free_format(catalog: Catalog, found: Recommendation) -> FreeFormat:
    """Every candidate of an answer in every weight format, ordered as the answer orders its candidates.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer; where its ways are open, each part stands in each format in its best way alone.

    Returns
    -------
    FreeFormat
        Formats that do not run, that nobody knows to run or that are emulated stand in the order too, and are never
        `first`.

    Notes
    -----
    What a format does to the answers of a model is not modelled.
    """
    scenario, workload = found.scenario, found.scenario.workload
    model, metric = catalog.models.get(workload.model), scenario.prefers.metric
    shown: list[tuple[WeightFormatWord, Assessment]] = []
    for word in formats_of(catalog, workload):
        own = word == workload.weight_format
        several = found.assessments if own else assess_all(catalog, _in_format(scenario, word))
        shown += [(word, one) for one in _best_ways(found, several, metric)]
    ordered = _ordered(found, shown, metric)
    if not any(row.standing.weighted is not None and row.assessment.can_win for row in ordered):
        metric = "outlay"
        ordered = _ordered(found, shown, metric)
    own_rows = (row for row in ordered if row.word == workload.weight_format)
    return FreeFormat(
        metric=metric,
        own=workload.weight_format,
        native=model.native_format if model else "",
        rows=ordered,
        first=next((row for row in ordered if row.is_open_to_choice), None),
        present=next((row for row in own_rows if row.assessment is found.winner), None),
    )


def taken_over(scenario: Scenario, word: WeightFormatWord) -> Scenario:
    """The scenario with the weights of the workload in view in another format.

    Parameters
    ----------
    scenario : Scenario
        As the link states it.
    word : str
        The format.

    Returns
    -------
    Scenario
        All else as it was.
    """
    return changed(scenario, ("workloads", scenario.workload_index, "weight_format"), word)


def _in_format(scenario: Scenario, word: WeightFormatWord) -> Scenario:
    """As `taken_over`, of a scenario whose opened ways are more than a link may hold."""
    workloads = list(scenario.workloads)
    workloads[scenario.workload_index] = scenario.workload.model_copy(update={"weight_format": word})
    return scenario.model_copy(update={"workloads": tuple(workloads)})


def _standings(found: Recommendation, several: list[Assessment], metric: Metric) -> list[Standing]:
    """Where candidates stand; how much of their errors is shared moves their bands and not their order."""
    limits, preference = found.scenario.constraints, found.scenario.prefers
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    return [standing_of(one, preference, metric, budget, found.shared_error) for one in several]


def _best_ways(found: Recommendation, several: tuple[Assessment, ...], metric: Metric) -> list[Assessment]:
    """All candidates as stated; where the ways are open, the first of each part and source of prices."""
    if found.scenario.prefers.ways == "stated":
        return list(several)
    listed = list(several)
    best: dict[tuple[str, str], Assessment] = {}
    for at in in_order(listed, _standings(found, listed, metric)):
        one = listed[at]
        best.setdefault((one.candidate.accelerator, one.candidate.price_basis), one)
    return list(best.values())


def _ordered(
    found: Recommendation, shown: list[tuple[WeightFormatWord, Assessment]], metric: Metric
) -> tuple[InFormat, ...]:
    several = [one for _, one in shown]
    standings = _standings(found, several, metric)
    return tuple(
        InFormat(shown[at][0], several[at], standings[at], _support(several[at])) for at in in_order(several, standings)
    )


def _support(one: Assessment) -> Support:
    """How part and engine run the formats, the weaker of weights and cache; unknown where nothing was asked."""
    said = next((check.reason for check in one.checks if check.name == "format"), "unknown")
    return next(word for word in FROM_WORST if word == said)
