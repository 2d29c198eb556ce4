"""Where a candidate stands: its figure under the governing metric, what its risks weigh, and how far it may move.

Every figure is one of which less is better, so that one rule orders them all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lib.choice.assessment import Assessment
from lib.choice.preference import METRICS, Metric, Preference
from lib.cost.caps import spendable_usd
from lib.cost.draft import CATALOGUE
from lib.cost.options import Finance, Option
from lib.cost.timing import served_hours
from lib.units import SECONDS_PER_HOUR

NEEDS_THROUGHPUT: Final = frozenset({"million-tokens", "tokens-per-mw", "tokens-per-budget", "time-to-train"})
NEEDS_COST: Final = frozenset({"million-tokens", "gpu-hour", "tokens-per-budget", "outlay"})

W_PER_KW: Final = 1000.0
_MILLION: Final = 1_000_000
_BILLION: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate under one metric: the figure at the low end of the throughput, weighted by its risks, and its band.

    The band lies around the estimate and holds the range of the price and the candidate's own part of the throughput
    error; what all candidates share cannot change their order. `whole` is the weighted figure over the whole interval of
    the throughput, or over the range of the price. `priced` is the band of the price alone, for two ways of having one
    fleet, whose throughput is one. `figure` is None where a fact that it needs is not known.
    """

    figure: float | None
    weighted: float | None
    band: tuple[float, float] | None
    whole: tuple[float, float] | None
    priced: tuple[float, float] | None


def weight_of(one: Assessment, preference: Preference) -> float:
    """What a candidate's risks make of its figure.

    factor = 1 + software weight x software risk + evidence weight x evidence risk

    Parameters
    ----------
    one : Assessment
        The candidate with its risks.
    preference : Preference
        The buyer's weights.

    Returns
    -------
    float
        1 where nothing is weighed.
    """
    return 1 + preference.software_weight * one.risk.software + preference.evidence_weight * one.risk.evidence


def figure_of(
    metric: Metric,
    option: Option | None,
    finance: Finance,
    npv_usd: Any,
    budget_usd: float | None,
    tokens_per_s: float | None,
    load_kw: Any,
) -> Any:
    """The figure of a candidate under a metric, less being better; one value for each value of what it is given.

    Parameters
    ----------
    metric : Metric
        What the answer is measured by.
    option : Option or None
        As costed, or with amounts moved.
    finance : Finance
        As costed, or with amounts moved.
    npv_usd : float or ndarray
        Net present value of the option [USD].
    budget_usd : float or None
        What may be spent, for the tokens that a budget buys [USD]; None for one dollar.
    tokens_per_s : float or None
        What the fleet delivers at the low end [tokens per second].
    load_kw : float, ndarray or None
        Power of the servers at work, without the site's losses; None for a rental [kW].

    Returns
    -------
    float, ndarray or None
        million-tokens [USD per million], gpu-hour [USD per GPU-hour], tokens-per-mw [W per token a second],
        tokens-per-budget [USD per token a second, in whole fleets], time-to-train [hours per billion tokens], outlay
        [USD]; None where a fact is missing.
    """
    if option is None or (metric in NEEDS_THROUGHPUT and not tokens_per_s):
        return None
    match metric:
        case "outlay":
            return npv_usd
        case "time-to-train":
            return _BILLION / float(tokens_per_s or 0.0) / SECONDS_PER_HOUR
        case "tokens-per-mw":
            if load_kw is None:
                return None
            return load_kw * finance.power_usage_effectiveness * W_PER_KW / float(tokens_per_s or 0.0)
        case "tokens-per-budget":
            if budget_usd is None:
                return npv_usd / tokens_per_s
            fleets = np.floor(budget_usd / np.maximum(npv_usd, 1e-9) + 1e-9)
            with np.errstate(divide="ignore"):
                return np.where(fleets > 0, budget_usd / (np.maximum(fleets, 1) * tokens_per_s), np.inf)
    hours = served_hours(option, finance, finance.discount_rate)
    if metric == "gpu-hour":
        billed = finance.utilisation if option.billing == "used-hours" else 1.0
        return npv_usd / (option.held_gpus * hours * billed)
    return npv_usd / (hours * finance.utilisation * float(tokens_per_s or 0.0) * SECONDS_PER_HOUR) * _MILLION


def load_kw_of(one: Assessment) -> float | None:
    """Power of a candidate's servers at work, without the site's losses; None for a rental, whose power is the provider's.

    Parameters
    ----------
    one : Assessment
        The candidate.

    Returns
    -------
    float or None
        Power [kW].
    """
    flows, option = one.cost.flows, one.cost.option
    return float(flows.load_kw) if flows is not None and option is not None and option.buys else None


def standing_of(
    one: Assessment, preference: Preference, metric: Metric, budget_usd: float | None, shared: float
) -> Standing:
    """Where a candidate stands under a metric (estimate).

    band = weighted figure at the estimate x exp(+- sqrt(price^2 + (1 - shared) throughput^2)), as logarithms of the ranges

    Parameters
    ----------
    one : Assessment
        The candidate.
    preference : Preference
        Its weights.
    metric : Metric
        What the answer is measured by.
    budget_usd : float or None
        What may be spent [USD].
    shared : float
        Share of the variance of the throughput error that all candidates have in common.

    Returns
    -------
    Standing
        Without a figure where a fact is missing.
    """
    tokens = one.delivered_tokens_per_s
    finance = one.cost.finance.finance
    low = tokens[0] if tokens else None
    found = None
    if one.cost.npv_usd is not None:
        found = figure_of(
            metric, one.cost.option, finance, one.cost.npv_usd, budget_usd, low, load_kw_of(one)
        )  # fmt: skip
    if found is None or not math.isfinite(float(found)):
        return Standing(None, None, None, None, None)
    figure = float(found)
    weighted = figure * weight_of(one, preference)
    down, up = _price_reach(one) if metric in NEEDS_COST else (0.0, 0.0)
    middle = weighted
    priced = whole = (weighted * math.exp(-down), weighted * math.exp(up))
    if metric in NEEDS_THROUGHPUT and tokens:
        own = math.sqrt(max(1 - shared, 0.0))
        ends = one.fleet.speed if one.fleet is not None and one.fleet.speed is not None else None
        less, expected, more = (ends.low, ends.estimate, ends.high) if ends else tokens
        middle = weighted * tokens[0] / tokens[1]
        whole = (weighted * tokens[0] / tokens[2], weighted)
        down = math.hypot(down, own * math.log(more / expected))
        up = math.hypot(up, own * math.log(expected / less))
    return Standing(figure, weighted, (middle * math.exp(-down), middle * math.exp(up)), whole, priced)


def _price_reach(one: Assessment) -> tuple[float, float]:
    """How far the range of the price moves the cost, down and up [logarithm]."""
    value, band = one.cost.npv_usd, one.band_usd
    if value is None or band is None or min(value, *band) <= 0:
        return 0.0, 0.0
    return max(math.log(value / band[0]), 0.0), max(math.log(band[1] / value), 0.0)


def order_group(one: Assessment) -> tuple[object, ...]:
    """What comes before any figure: formats known to run, limits kept at the estimate, prices that are no article's.

    Parameters
    ----------
    one : Assessment
        A candidate.

    Returns
    -------
    tuple
        Sorts ascending.
    """
    source = one.candidate.price_basis
    return not one.is_recommendable, one.misses_limit, source != CATALOGUE, source


def in_order(assessments: Sequence[Assessment], standings: Sequence[Standing]) -> tuple[int, ...]:
    """Candidates in the order of the answer.

    Parameters
    ----------
    assessments : sequence of Assessment
        All candidates of a scenario.
    standings : sequence of Standing
        Where each stands.

    Returns
    -------
    tuple of int
        Indices: feasible ones first, those of known formats, of kept limits and of the catalogue's prices before others, by their figure;
        then those without a figure, by cost; then those without a cost; then those that fail, fewest failures first.
        Equals in the order of the scenario.
    """

    def key(at: int) -> tuple[object, ...]:
        one, weighted, npv = assessments[at], standings[at].weighted, assessments[at].cost.npv_usd
        return (
            len(one.failed), npv is None, *order_group(one), weighted is None, weighted or 0.0,
            math.inf if npv is None else npv, one.place,
        )  # fmt: skip

    return tuple(sorted(range(len(assessments)), key=key))


def budget_of(budget_usd: float | None, contingency_fraction: float) -> float | None:
    """What a budget leaves to be spent.

    Parameters
    ----------
    budget_usd : float or None
        The budget; None without one [USD].
    contingency_fraction : float
        Part kept in reserve [fraction].

    Returns
    -------
    float or None
        Amount [USD].
    """
    return None if budget_usd is None else spendable_usd(budget_usd, contingency_fraction)


def metrics_for(is_training: bool) -> tuple[Metric, ...]:
    """The metrics that mean something for a task: time to train for training alone.

    Parameters
    ----------
    is_training : bool
        Whether the workload is trained.

    Returns
    -------
    tuple of Metric
        In the order in which they are offered.
    """
    return tuple(one for one in METRICS if is_training or one != "time-to-train")
