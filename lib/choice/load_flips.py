"""The loads at which another candidate comes first: fleets are made anew for a few values of each driver, all in one pass."""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, Triple, delivered
from lib.choice.checks import LATENCIES, CheckName, format_check, throughput_check
from lib.choice.costed import costed
from lib.choice.fleet import Ask, Fleet, fleets
from lib.choice.fleet_costs import ask_of
from lib.choice.flips import Driver, DriverName, FlipPoint, first_twins, stated
from lib.choice.holding import MS_PER_S
from lib.choice.latency import measured_latency
from lib.choice.recommend import Recommendation
from lib.choice.risk import risk_of
from lib.choice.scenario import CUSTOM_MODEL, EngineChoice, Scenario, Workload
from lib.choice.sized import SERVING_TASKS, architecture_of
from lib.choice.standing import budget_of, figure_of, load_kw_of, order_group, weight_of
from lib.choice.training_runs import TrainingRun, training_run
from lib.cost.cash_flow import total_usd
from lib.cost.options import Option
from lib.errors import LibError

LOAD_FACTORS: Final = (0.125, 0.25, 0.5, 2.0, 4.0, 8.0)
LENGTH_FACTORS: Final = (0.25, 0.5, 2.0, 4.0)
THROUGHPUT_FACTORS: Final = (0.5, 0.667, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0)
FEW_LENGTH_FACTORS: Final = (0.5, 2.0)
"""Where limits or a rate ask for the speed of a replica under many loads, fewer lengths and models are looked at."""

MODELS_EACH_WAY: Final = 2
NEXT_SIZE: Final = 1.3
"""A model counts as larger from so many times the parameters on."""

_STATIC: Final = frozenset({"software", "price", "supply", "deadline"})


@dataclass(frozen=True, slots=True)
class _Variant:
    """One value of one driver, as a whole scenario."""

    driver: Driver
    value: float
    label: str
    scenario: Scenario


def load_flips(catalog: Catalog, found: Recommendation) -> list[FlipPoint]:
    """For each driver of the load the nearest value looked at at which another candidate comes first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer, with a winner.

    Returns
    -------
    list of FlipPoint
        Empty where years have budgets of their own, which are not looked at here.
    """
    scenario, winner = found.scenario, found.winner
    if winner is None or any(one is not None for one in scenario.constraints.budget_by_year):
        return []
    variants = list(_variants(catalog, found))
    if not variants:
        return []
    places = _places(catalog, found, variants)
    drivers = list(dict.fromkeys(one.driver for one in variants))
    return [_nearest(driver, variants, places, winner.place) for driver in drivers]


def _nearest(driver: Driver, variants: Sequence[_Variant], places: Sequence[int], now: int) -> FlipPoint:
    """The nearest value with another answer, and the last one before it that keeps the answer."""
    mine = [(one, place) for one, place in zip(variants, places, strict=True) if one.driver is driver]
    best: FlipPoint | None = None
    for side in (-1, 1):
        kept = driver.now
        for one, place in sorted(mine, key=lambda item: abs(item[0].value - driver.now)):
            if (one.value - driver.now) * side <= 0:
                continue
            if place != now:
                flip = FlipPoint(driver, kept, one.value, place if place >= 0 else None, one.label)
                if best is None or best.distance is None or abs(flip.distance or 0.0) < abs(best.distance):
                    best = flip
                break
            kept = one.value
    return best or FlipPoint(driver, None, None, None)


def _variants(catalog: Catalog, found: Recommendation) -> list[_Variant]:
    """Every value that is looked at."""
    scenario, workload = found.scenario, found.scenario.workload
    variants: list[_Variant] = []

    def add(name: DriverName, field: str, now: float, values: Sequence[float], place: int | None = None) -> None:
        if not values:
            return
        kind = "throughput" if name == "throughput" else "load"
        driver = Driver(name, place, kind, field, now, min((*values, now)), max((*values, now)))  # type: ignore[arg-type]
        variants.extend(_Variant(driver, one, "", stated(scenario, driver, one)) for one in values)

    def whole(now: int, factors: Sequence[float], low: int, high: int) -> list[float]:
        return [
            float(one) for one in dict.fromkeys(min(max(round(now * by), low), high) for by in factors) if one != now
        ]

    if workload.task in SERVING_TASKS and workload.stated_output_tokens_per_hour is None:
        if workload.request_rate_per_s is not None:
            now = workload.request_rate_per_s
            add("request-rate", "request_rate_per_s", now, [now * by for by in LOAD_FACTORS])
            able = [one for one in found.assessments if one.fleet is not None and one.fleet.basis == "measured"]
            for one in first_twins(scenario.candidates, able):
                now = one.candidate.throughput_factor or 1.0
                add("throughput", "", now, [now * by for by in THROUGHPUT_FACTORS], one.place)
        else:
            add(
                "concurrency",
                "concurrency",
                workload.concurrency,
                whole(workload.concurrency, LOAD_FACTORS, 1, 100_000),
            )
        longest = _longest(catalog, workload)
        is_heavy = any(
            one is not None for one in (workload.request_rate_per_s, workload.ttft_limit_ms, workload.tpot_limit_ms)
        )
        factors = FEW_LENGTH_FACTORS if is_heavy else LENGTH_FACTORS
        lengths = whole(workload.input_tokens, factors, 1, max(longest - workload.output_tokens, 1))
        add("input-tokens", "input_tokens", workload.input_tokens, lengths)
        variants += _models(catalog, scenario, 1 if is_heavy else MODELS_EACH_WAY)
    elif found.is_training and found.winner is not None and found.winner.cost.gpus is not None:
        gpus = found.winner.cost.gpus
        add("training-gpus", "training_gpus", gpus, whole(gpus, LOAD_FACTORS, 1, 100_000))
    return variants


def _longest(catalog: Catalog, workload: Workload) -> int:
    try:
        return architecture_of(catalog, workload).max_context or 1_000_000
    except LibError:
        return workload.context_tokens


def _models(catalog: Catalog, scenario: Scenario, each_way: int) -> list[_Variant]:
    """The nearest models of the catalogue by size, of the same kind and long enough, as many each way."""
    workload = scenario.workload
    if workload.model == CUSTOM_MODEL or workload.model not in catalog.models:
        return []
    own = catalog.models[workload.model]
    alike = [
        one
        for one in catalog.models.values()
        if one.config is not None
        and bool(one.routed_expert_params) == bool(own.routed_expert_params)
        and (one.max_context or 0) >= workload.context_tokens
    ]
    chosen = []
    for smaller in (True, False):
        size = own.total_params
        side = sorted((one for one in alike if (one.total_params < size) == smaller), key=lambda one: one.total_params)
        taken = 0
        for one in reversed(side) if smaller else side:
            ratio = size / one.total_params if smaller else one.total_params / size
            if ratio >= NEXT_SIZE and taken < each_way:
                chosen.append(one)
                size, taken = one.total_params, taken + 1
    if not chosen:
        return []
    sizes = [one.total_params for one in (own, *chosen)]
    driver = Driver("model", None, "load", "model", float(own.total_params), float(min(sizes)), float(max(sizes)))
    return [
        _Variant(driver, float(one.total_params), one.model_id, stated(scenario, driver, 0.0, one.model_id))
        for one in chosen
    ]


def _places(catalog: Catalog, found: Recommendation, variants: Sequence[_Variant]) -> list[int]:
    """The place of the first candidate of each variant; -1 for nobody."""
    everyone = [one for one in found.assessments if not any(check.name in _STATIC for check in one.failed)]
    everyone.sort(key=lambda one: one.place)
    size = _Sizes(catalog, found.scenario)
    if found.is_training:
        return [_first(catalog, found, one.scenario, everyone, [None] * len(everyone), size) for one in variants]
    base = found.scenario.workload
    asks = [tuple(ask_of(catalog, one.scenario.candidates[each.place]) for each in everyone) for one in variants]
    usual = tuple(ask_of(catalog, each.candidate) for each in everyone)
    every = tuple(dict.fromkeys((*usual, *(one for several in asks for one in several))))
    others = tuple(dict.fromkeys(one.scenario.workload for one in variants if one.scenario.workload != base))
    engine, target = found.scenario.engine, found.scenario.prefers.target_load
    made = {(base, ask): one.fleet for ask, one in zip(usual, everyone, strict=True)}
    if len(every) > len(usual):
        again = _fleets(catalog, (base,), engine, every, target)[0]
        made |= {(base, ask): one for ask, one in zip(every, again, strict=True)}
    for workload, several in zip(others, _fleets(catalog, others, engine, usual, target), strict=True):
        made |= {(workload, ask): one for ask, one in zip(usual, several, strict=True)}
    return [
        _first(catalog, found, one.scenario, everyone, [made[one.scenario.workload, ask] for ask in mine], size)
        for one, mine in zip(variants, asks, strict=True)
    ]


@functools.lru_cache(maxsize=16)  # a moved price finds the fleets of its load again
def _fleets(
    catalog: Catalog, workloads: tuple[Workload, ...], engine: EngineChoice, asks: tuple[Ask, ...], target_load: float
) -> tuple[tuple[Fleet, ...], ...]:
    return fleets(catalog, workloads, engine, asks, target_load)


class _Sizes:
    """Costs of a candidate's option for other numbers of GPUs: a purchase beyond one server has a network."""

    def __init__(self, catalog: Catalog, scenario: Scenario) -> None:
        self.catalog, self.scenario = catalog, scenario
        self.options: dict[tuple[int, bool], Option | None] = {}
        self.known: dict[tuple[int, int], float] = {}

    def option(self, one: Assessment, gpus: int) -> Option | None:
        """The option with so many GPUs."""
        base = one.cost.option
        if base is None:
            return None
        several = base.buys and gpus > base.gpus_per_server
        if several == (base.buys and base.gpus > base.gpus_per_server):
            return replace(base, gpus=gpus)
        key = (one.place, several)
        if key not in self.options:
            asked = one.candidate.model_copy(update={"gpus": base.gpus_per_server * (2 if several else 1)})
            scenario = self.scenario
            self.options[key] = costed(self.catalog, scenario.workload, scenario.engine, scenario.money, asked).option
        found = self.options[key]
        return None if found is None else replace(found, gpus=gpus)

    def npv_usd(self, one: Assessment, option: Option) -> float:
        """The cost of the option."""
        key = (one.place, option.gpus)
        if key not in self.known:
            self.known[key] = float(total_usd(option, one.cost.finance.finance))
        return self.known[key]


def _first(
    catalog: Catalog,
    found: Recommendation,
    scenario: Scenario,
    everyone: Sequence[Assessment],
    made: Sequence[Fleet | None],
    size: _Sizes,
) -> int:
    """The place of the first candidate under a variant; -1 for nobody."""
    workload, prefers, limits = scenario.workload, scenario.prefers, scenario.constraints
    budget = budget_of(limits.budget_usd, limits.contingency_fraction)
    keys: list[tuple[Any, ...]] = []
    for one, fleet in zip(everyone, made, strict=True):
        asked = scenario.candidates[one.place]
        gpus = asked.gpus or (fleet.gpus if fleet is not None else workload.training_gpus)
        option = size.option(one, gpus) if gpus is not None else None
        if gpus is None or option is None:
            continue
        run = training_run(catalog, workload, one.cost.accelerator, gpus) if found.is_training else None
        npv, load_kw = size.npv_usd(one, option), load_kw_of(one)
        if load_kw is not None and one.cost.option is not None:
            load_kw = load_kw / one.cost.option.servers * option.servers
        formats = _formats(catalog, scenario, one)
        if formats == "fail" or not _fits(scenario, fleet, run) or not _keeps_limits(catalog, workload, one, fleet):
            continue
        power = None if load_kw is None else load_kw * float(one.cost.finance.finance.power_usage_effectiveness)
        caps = ((limits.gpus, option.held_gpus), (limits.power_kw, power), (budget, npv))
        if any(cap is not None and value is not None and value > cap for cap, value in caps):
            continue
        tokens: Triple | None = delivered(workload, fleet, run, prefers.target_load)
        low = tokens[0] if tokens else None
        figure = figure_of(found.metric, option, one.cost.finance.finance, npv, budget, low, load_kw)
        known = figure is not None and math.isfinite(float(figure))
        software = scenario.constraints.software
        risk = risk_of(catalog, one.cost.accelerator, software, fleet, one.backing.pairs + bool(one.backing.mlperf))
        weighted = float(figure) * weight_of(replace(one, risk=risk), prefers) if known else 0.0
        _, _, *source = order_group(one)
        misses = fleet is not None and _misses(catalog, workload, one, fleet)
        keys.append((formats == "unknown", misses, *source, not known, weighted, npv, one.place))
    return int(min(keys)[-1]) if keys else -1


def _formats(catalog: Catalog, scenario: Scenario, one: Assessment) -> str:
    """Whether part and engine run the formats of the variant's model; nothing is asked of training."""
    if scenario.workload.task not in SERVING_TASKS:
        return "pass"
    return format_check(catalog, scenario.workload, scenario.engine.engine, one.cost.accelerator).verdict


def _fits(scenario: Scenario, fleet: Fleet | None, run: TrainingRun | None) -> bool:
    """Whether the fleet holds the load, and carries its rate where its size is stated."""
    if run is not None:
        return run.verdict != "does-not-fit"
    if fleet is None or fleet.layout is None:
        return False
    workload = scenario.workload
    if workload.request_rate_per_s is None:
        return True
    return throughput_check(workload, fleet, scenario.prefers.target_load).verdict != "fail"


def _runs_on_limits(
    catalog: Catalog, workload: Workload, one: Assessment, fleet: Fleet
) -> Iterator[tuple[CheckName, float, bool | None]]:
    """Each latency limit that is set, and whether measured runs keep it; None where none decides."""
    if fleet.layout is None:
        return
    gpus = fleet.replicas * fleet.layout.gpus
    limits = {"ttft": workload.ttft_limit_ms, "tpot": workload.tpot_limit_ms}
    for name, metric in LATENCIES:
        if (limit := limits[name]) is not None:
            part = one.cost.accelerator.accelerator_id
            yield name, limit, measured_latency(catalog, workload, part, gpus, metric, limit).kept


def _misses(catalog: Catalog, workload: Workload, one: Assessment, fleet: Fleet) -> bool:
    """Whether the operating point breaks a limit at the estimate that no run decides about: `Assessment.misses_limit`."""
    if fleet.latency != "none":
        return False
    return any(kept is None for _, _, kept in _runs_on_limits(catalog, workload, one, fleet))


def _keeps_limits(catalog: Catalog, workload: Workload, one: Assessment, fleet: Fleet | None) -> bool:
    """Whether no latency limit is shown to be broken, by runs or by the whole interval of the estimate."""
    if fleet is None:
        return True
    for name, limit, kept in _runs_on_limits(catalog, workload, one, fleet):
        if kept is None:
            times = None if fleet.speed is None else fleet.speed.ttft_s if name == "ttft" else fleet.speed.tpot_s
            if times is not None and times.low * MS_PER_S > limit:
                return False
        elif not kept:
            return False
    return True
