"""The candidates of an answer held against each other for many values at once, with fleets as they are."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.checks import caps_of
from lib.choice.costed import costed
from lib.choice.preference import Metric
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Constraints, Scenario
from lib.choice.standing import NEEDS_THROUGHPUT, budget_of, figure_of, load_kw_of, order_group
from lib.cost.caps import breaches
from lib.cost.cash_flow import monthly_flows, total_usd
from lib.cost.draft import WEEKS_PER_YEAR
from lib.cost.inverse import price_field
from lib.cost.options import Finance, Option
from lib.errors import InputError
from lib.units import MONTHS_PER_YEAR

MONEY_CHECKS: Final = frozenset({"budget", "yearly", "power"})
"""Checks that a driver of money may turn (the PUE decides about power); every other one stays as it is."""

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
_NOBODY: Final = -1
_NOT_THERE: Final = ("not-applicable", "missing", "off")
"""Kinds of origin of a field that a candidate does not have."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A candidate that money alone may rule out, with what decides about it."""

    place: int
    assessment: Assessment
    option: Option
    priced: Option
    """The option as it is where a reader states its price: a network that the price in use holds is bought apart."""
    finance: Finance
    group: int
    usd_per_migration_week: float


@dataclass(frozen=True, eq=False)
class Race:
    """The candidates that may come first, in the order in which equals stand, and the rules that they run by."""

    runners: tuple[Runner, ...]
    finance: Finance
    metric: Metric
    software_weight: float
    evidence_weight: float
    budget_usd: float | None
    constraints: Constraints

    def first(
        self,
        count: int,
        *,
        finance: Mapping[str, Floats] | None = None,
        stated: Mapping[str, Floats] | None = None,
        own: Mapping[int | None, Mapping[str, Floats]] | None = None,
        migration_weeks: Floats | None = None,
        throughput: Mapping[int | None, Floats] | None = None,
        weights: Mapping[str, Floats] | None = None,
    ) -> Places:
        """The place of the first candidate for each of some values.

        Parameters
        ----------
        count : int
            How many values.
        finance, stated : mapping of str to ndarray, optional
            Fields of the finance, and fields of options that the scenario states for all, with a column of values each.
        own : mapping of int to mapping, optional
            Fields of one candidate's option, by its place.
        migration_weeks : ndarray, optional
            Engineer-weeks of moving the software, a column.
        throughput : mapping of int to ndarray, optional
            Factor on the estimate of a candidate, by its place.
        weights : mapping of str to ndarray, optional
            Weights of the risks "software" and "evidence".

        Returns
        -------
        ndarray
            Places; -1 where nobody passes.
        """
        shared = replace(self.finance, **dict(finance)) if finance else self.finance  # type: ignore[arg-type]
        figures = np.empty((len(self.runners), count))
        spent = np.empty((len(self.runners), count))
        able = np.empty((len(self.runners), count), dtype=bool)
        for row, one in enumerate(self.runners):
            option = self._moved(one, stated or {}, (own or {}).get(one.place, {}), migration_weeks)
            factor = (throughput or {}).get(one.place)
            if option is one.option and shared is self.finance and factor is None and not weights:
                figures[row], spent[row], able[row] = self._today[row]
            else:
                figures[row], spent[row], able[row] = self._row(one, option, shared, factor, weights or {}, count)
        return self._placed(figures, spent, able)

    @functools.cached_property
    def _today(self) -> tuple[tuple[Floats, Floats, NDArray[np.bool_]], ...]:
        """Each runner as it is: most drivers move one of many, and one value each fills a row."""
        return tuple(self._row(one, one.option, self.finance, None, {}, 1) for one in self.runners)

    def _row(
        self,
        one: Runner,
        option: Option,
        finance: Finance,
        factor: Floats | None,
        weights: Mapping[str, Floats],
        count: int,
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Figure and cost of a runner, and whether it passes, for each value."""
        if option is one.option and finance is one.finance:
            costs: Any = one.assessment.cost.npv_usd
        else:
            costs = total_usd(option, finance)
        npv = np.broadcast_to(np.ravel(costs), (count,))
        tokens = one.assessment.delivered_tokens_per_s
        low: Any = tokens[0] if tokens else None
        if factor is not None and low is not None:
            low = low / (one.assessment.candidate.throughput_factor or 1.0) * factor[:, None]
        figure = self._weighted(one, option, finance, npv, low, weights, count)
        return figure, npv, self._within(one, option, finance, npv)

    def at_horizon(self, months: int) -> int | None:
        """The place of the first candidate at another horizon; -1 for nobody, None where some cost has no figure there."""
        finance = replace(self.finance, horizon_months=months)
        try:
            return int(replace(self, finance=finance).first(1)[0])
        except InputError:
            return None

    def _moved(
        self, one: Runner, stated: Mapping[str, Floats], own: Mapping[str, Floats], weeks: Floats | None
    ) -> Option:
        defaults = one.assessment.cost.defaults
        changes: dict[str, Any] = dict(own)
        origins = defaults.origins if defaults is not None else {}
        changes |= {
            field: values
            for field, values in stated.items()
            if field in origins and origins[field].kind not in _NOT_THERE
        }
        if weeks is not None and one.usd_per_migration_week:
            changes["migration_usd"] = weeks * one.usd_per_migration_week
        base = one.priced if price_field(one.option.acquisition) in own else one.option
        return replace(base, **changes) if changes else base

    def _within(self, one: Runner, option: Option, finance: Finance, npv: Floats) -> NDArray[np.bool_]:
        """Whether power cap and budgets are kept: in all, and year by year."""
        kept = np.ones(len(npv), dtype=bool)
        load, cap = load_kw_of(one.assessment), self.constraints.power_kw
        if load is not None and cap is not None:
            kept &= np.ravel(load * np.asarray(finance.power_usage_effectiveness)) <= cap
        if self.budget_usd is not None:
            kept &= npv <= self.budget_usd
        if any(one is not None for one in self.constraints.budget_by_year):
            kept &= _years_kept(option, finance, self.constraints, len(npv))
        return kept

    def _weighted(
        self,
        one: Runner,
        option: Option,
        finance: Finance,
        npv: Floats,
        low: Any,
        weights: Mapping[str, Floats],
        count: int,
    ) -> Floats:
        budget = self.budget_usd
        column = npv[:, None]
        if isinstance(low, np.ndarray):
            found: Any = _by_throughput(self.metric, one, option, finance, column, budget, low)
        else:
            found = figure_of(self.metric, option, finance, column, budget, low, load_kw_of(one.assessment))
        if found is None:
            return np.full(count, np.nan)
        risk = one.assessment.risk
        factor = 1 + weights.get("software", self.software_weight) * risk.software
        factor = factor + weights.get("evidence", self.evidence_weight) * risk.evidence
        return np.asarray(np.broadcast_to(np.ravel(found), (count,)) * factor, dtype=float)

    def _placed(self, figures: Floats, spent: Floats, able: NDArray[np.bool_]) -> Places:
        """Groups in their order; within one the lowest figure, then, without figures, the lowest cost."""
        count = figures.shape[1]
        found = np.full(count, _NOBODY, dtype=np.int64)
        groups = np.array([one.group for one in self.runners])
        places = np.array([one.place for one in self.runners])
        if not len(groups):
            return found
        figures = np.where(np.isfinite(figures), figures, np.nan)
        for group in sorted(set(groups.tolist())):
            inside = able & (groups == group)[:, None]
            for values in (figures, spent):
                usable = inside & ~np.isnan(values)
                open_ = (found == _NOBODY) & usable.any(axis=0)
                best = np.where(usable, values, np.inf).argmin(axis=0)
                found = np.where(open_, places[best], found)
        return found


def _by_throughput(
    metric: Metric, one: Runner, option: Option, finance: Finance, npv: Floats, budget: float | None, low: Floats
) -> Any:
    """Every metric that needs throughput is one over it."""
    unit = figure_of(metric, option, finance, npv, budget, 1.0, load_kw_of(one.assessment))
    return None if unit is None else unit / low if metric in NEEDS_THROUGHPUT else unit


def _years_kept(option: Option, finance: Finance, constraints: Constraints, count: int) -> NDArray[np.bool_]:
    """Year by year, by the same rule as the check: one value at a time, for few scenarios cap single years."""
    flows = monthly_flows(option, finance)
    if flows.total.ndim == 1:
        kept = not any(one.cap == "year" for one in breaches(flows, caps_of(constraints)))
        return np.full(count, kept)
    paid = sum(flow for name, flow in flows.components.items() if name != "resale")
    starts = [0, *range(MONTHS_PER_YEAR + 1, finance.horizon_months + 1, MONTHS_PER_YEAR)]
    years = np.add.reduceat(np.asarray(paid), starts, axis=-1)
    result = np.ones(len(years), dtype=bool)
    for year, limit in enumerate(constraints.budget_by_year):
        if limit is not None and year < years.shape[-1]:
            result &= years[:, year] <= limit
    return np.broadcast_to(result, (count,))


def race_of(catalog: Catalog, found: Recommendation) -> Race:
    """The candidates of an answer, ready to be held against each other.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer.

    Returns
    -------
    Race
        Candidates with a cost that fail nothing but budgets.
    """
    prefers, limits = found.scenario.prefers, found.scenario.constraints
    able = [
        one
        for one in sorted(found.assessments, key=lambda one: one.place)
        if one.cost.option is not None and all(check.name in MONEY_CHECKS for check in one.failed)
    ]
    groups = sorted({order_group(one) for one in able})
    staff = found.scenario.money.staff_usd_per_fte_year
    finance = found.assessments[0].cost.finance.finance
    runners = []
    for one in able:
        option = one.cost.option
        assert option is not None  # noqa: S101 (chosen above)
        priced = _priced(catalog, found.scenario, one, option)
        runners.append(
            Runner(one.place, one, option, priced, finance, groups.index(order_group(one)), _per_week(one, staff))
        )
    return Race(
        runners=tuple(runners),
        finance=finance,
        metric=found.metric,
        software_weight=prefers.software_weight,
        evidence_weight=prefers.evidence_weight,
        budget_usd=budget_of(limits.budget_usd, limits.contingency_fraction),
        constraints=limits,
    )


def _priced(catalog: Catalog, scenario: Scenario, one: Assessment, option: Option) -> Option:
    """The option with its price stated by the user."""
    defaults = one.cost.defaults
    if defaults is None or not any(doubt.code == "network-in-server-price" for doubt in defaults.doubts):
        return option
    update = {"gpus": option.gpus, "server_price_usd": option.server_price_usd, "gpu_price_usd": None}
    asked = one.candidate.model_copy(update=update)
    return costed(catalog, scenario.workload, scenario.engine, scenario.money, asked).option or option


def _per_week(one: Assessment, staff_usd_per_year: float) -> float:
    """Dollars that a week of moving the software costs a candidate; 0 for one that needs no move."""
    defaults = one.cost.defaults
    origin = defaults.origins.get("migration_usd") if defaults is not None else None
    if origin is None or origin.kind in _NOT_THERE:
        return 0.0
    return staff_usd_per_year / WEEKS_PER_YEAR
