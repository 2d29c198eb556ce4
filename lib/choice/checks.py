"""What an answer must not break, checked for one candidate: it passes, fails, or is not known, with its reason."""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.costed import Costed, as_of
from lib.choice.demand import demand_of
from lib.choice.fleet import Fleet
from lib.choice.format_support import FROM_WORST, FormatVerdict, format_of, format_support
from lib.choice.holding import MS_PER_S
from lib.choice.latency import Metric, measured_latency
from lib.choice.scenario import Constraints, Workload
from lib.choice.sized import SERVING_TASKS, Sized
from lib.choice.software import PLATFORMS, software_verdict
from lib.choice.training_runs import TrainingRun
from lib.cost.caps import Breach, Caps, breaches, spendable_usd
from lib.cost.timing import months_until
from lib.records import Accelerator

Verdict = Literal["pass", "fail", "unknown"]
CheckName = Literal[
    "memory", "format", "software", "throughput", "ttft", "tpot", "power", "budget", "yearly", "gpus", "price", "supply",
    "deadline",
]  # fmt: skip

NAMES: Final[tuple[CheckName, ...]] = (
    "memory", "format", "software", "throughput", "ttft", "tpot", "power", "budget", "yearly", "gpus", "price", "supply",
    "deadline",
)  # fmt: skip
"""In the order in which a buyer asks."""

LATENCIES: Final[tuple[tuple[CheckName, Metric], ...]] = (("ttft", "ttft_ms"), ("tpot", "tpot_ms"))
_RUNS: Final[Mapping[str, Verdict]] = {
    "runs": "pass",
    "runs-with-change": "pass",
    "does-not-run": "fail",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One question to one candidate: the verdict, the reason as a code, and the values of its sentence."""

    name: CheckName
    verdict: Verdict
    reason: str
    values: Mapping[str, Any]


def checks_of(
    catalog: Catalog,
    workload: Workload,
    constraints: Constraints,
    size: Sized,
    cost: Costed,
    engine: str = "",
    fleet: Fleet | None = None,
    run: TrainingRun | None = None,
    target_load: float = 1.0,
) -> tuple[Check, ...]:
    """Every check of a candidate that the scenario asks for.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run, with its latency limits.
    constraints : Constraints
        What an answer must not break; a constraint that is not set makes no check.
    size : Sized
        The workload on the candidate's part.
    cost : Costed
        The candidate's fleet and its costs.
    engine : str
        The engine, for the formats that it runs; "" asks nothing about formats.
    fleet : Fleet, optional
        The fleet as throughput and limits make it; without it memory alone speaks.
    run : TrainingRun, optional
        The training run on the candidate.
    target_load : float
        Share of what the fleet can do that the peak may use [fraction].

    Returns
    -------
    tuple of Check
        In the order of NAMES. Reasons: memory fits, fits-on-other-layouts, fits-barely, too-few-gpus and
        needs-other-layout (`gpus`, `needed`), none-fits (`most_gpus`), memory-not-modelled, unknown-memory, config;
        software runs, runs-with-change, does-not-run, no-row, only-claimed (`product`, `platform`, `conflict`); ttft
        and tpot measured-within, measured-above, not-measured; power, budget, yearly and gpus within, above, not-known
        (budget also `reserve`, `year` and `month`; yearly `years`), and providers-power for a rental; price known and
        the reasons of `costed`; format native, weight-only, emulated, none, unknown (`format`, `cache`); throughput carries,
        falls-short (`able`, `asked`), perhaps, no-basis, too-many; ttft and tpot also estimated-within, estimated-above,
        estimated-open (`estimate_ms`, `low_ms`, `high_ms`); memory of a training run fits, fits-only-if and
        run-does-not-fit; supply shipping, not-obtainable, status-unknown; deadline in-time, too-late,
        lead-time-unknown (`month`, `months`, `deadline`).
    """
    found = [_training_memory(run) if run is not None else _memory(workload, size, cost, fleet)]
    if engine and workload.task in SERVING_TASKS:
        found.append(format_check(catalog, workload, engine, cost.accelerator))
    found += [_software(catalog, product, cost) for product in constraints.software]
    if fleet is not None and workload.request_rate_per_s is not None and fleet.basis != "stated":
        found.append(throughput_check(workload, fleet, target_load))
    found += list(_latencies(catalog, workload, size, cost, fleet))
    found += list(_caps(constraints, cost))
    found += [_price(cost), _supply(cost)]
    if constraints.deadline:
        found.append(_deadline(catalog, constraints.deadline, cost))
    return tuple(sorted(found, key=lambda one: NAMES.index(one.name)))


def caps_of(constraints: Constraints) -> Caps:
    """The caps on money and units of a scenario, for the cost room.

    Parameters
    ----------
    constraints : Constraints
        What an answer must not break.

    Returns
    -------
    Caps
        Budgets in US dollars.
    """
    return Caps(
        total_usd=constraints.budget_usd,
        contingency_fraction=constraints.contingency_fraction,
        by_year=constraints.budget_by_year,
        gpus=constraints.gpus,
    )


def serving_gpus(workload: Workload, size: Sized, cost: Costed) -> int | None:
    """GPUs that share a workload's load: the replica that memory asks for, or what is stated.

    Parameters
    ----------
    workload : Workload
        Its spare replicas serve nobody.
    size : Sized
        The replica.
    cost : Costed
        The fleet.

    Returns
    -------
    int or None
        None where there is no fleet.
    """
    if cost.gpus is None or cost.counted_from not in ("stated", "training"):
        return size.gpus
    return max(cost.gpus // (1 + workload.spare_replicas), 1)


def _training_memory(run: TrainingRun) -> Check:
    """What the memory room says of the run on so many GPUs."""
    if any(doubt.code == "config" for doubt in run.doubts):
        return Check("memory", "fail", "config", {})  # a run of no known size is no cheaper on one part than on another
    if not run.verdict:
        return Check("memory", "unknown", "memory-not-modelled", {})
    reason = {"does-not-fit": "run-does-not-fit"}.get(run.verdict, f"run-{run.verdict}")
    return Check("memory", "fail" if run.verdict == "does-not-fit" else "pass", reason, {"gpus": run.gpus})


def format_check(catalog: Catalog, workload: Workload, engine: str, accelerator: Accelerator) -> Check:
    """Whether a part computes in the weights' format and keeps the cache's: the weaker of the two decides.

    Parameters
    ----------
    catalog : Catalog
        The edition with its table of formats.
    workload : Workload
        Names both formats.
    engine : str
        An engine of the scenario.
    accelerator : Accelerator
        The part.

    Returns
    -------
    Check
        Fails where there is no support, open where nothing is known.
    """
    model = catalog.models.get(workload.model)
    own = model.native_format if model else ""
    asked = format_of(workload.weight_format, own), format_of(workload.kv_format, own)
    found = _supports(catalog, accelerator, engine, asked)
    worst = min(found, key=lambda one: FROM_WORST.index(one.support))
    values = {
        "format": worst.format,
        "engine": worst.engine,
        "cache": worst is found[1],
        "source_ids": tuple(dict.fromkeys(fact.source_id for one in found for fact in one.deciding)),
    }
    verdict: Verdict = {"none": "fail", "unknown": "unknown"}.get(worst.support, "pass")  # type: ignore[assignment]
    return Check("format", verdict, worst.support, values)


@functools.lru_cache(maxsize=256)
def _supports(
    catalog: Catalog, accelerator: Accelerator, engine: str, formats: tuple[str, str]
) -> tuple[FormatVerdict, FormatVerdict]:
    """What the table says of the weights' and the cache's format: every load of a model asks for the same."""
    weights, cache = formats
    return (
        format_support(catalog.formats, accelerator, engine, "weights", weights),
        format_support(catalog.formats, accelerator, engine, "cache", cache),
    )


def throughput_check(workload: Workload, fleet: Fleet, target_load: float) -> Check:
    """Whether a fleet carries the rate of requests at its peak with the room that is kept.

    Parameters
    ----------
    workload : Workload
        With a rate.
    fleet : Fleet
        Its speed as an interval.
    target_load : float
        Share of what the fleet can do that the peak may use [fraction].

    Returns
    -------
    Check
        Passes at the low end of the interval, fails beyond its high end.
    """
    load = demand_of(workload, target_load)
    asked = load.capacity_tokens_per_s or 0.0
    values = {"asked": asked, "target_load": target_load}
    if any(one.dropped == "too-large" for one in fleet.considered) and fleet.layout is None:
        return Check("throughput", "fail", "too-many", values)
    if fleet.speed is None:
        return Check("throughput", "unknown", "no-basis", values)
    values |= {"able": fleet.speed.low, "high": fleet.speed.high}
    if fleet.speed.low * (1 + 1e-9) >= asked:
        return Check("throughput", "pass", "carries", values)
    if fleet.speed.high >= asked:
        return Check("throughput", "unknown", "perhaps", values)
    return Check("throughput", "fail", "falls-short", values)


def _memory(workload: Workload, size: Sized, cost: Costed, fleet: Fleet | None) -> Check:
    if size.doubt is not None or size.one_server is None or size.all_layouts is None:
        doubt = size.doubt
        return Check("memory", "unknown", doubt.code if doubt else "unknown-memory", doubt.values if doubt else {})
    if fleet is not None and fleet.layout is not None and fleet.basis != "stated":
        layout, whole = fleet.layout, size.one_server.plan
        barely = whole is not None and whole.layout == layout and (whole.slack_low_bytes or 0.0) < 0
        sizes = {"tensor": layout.tensor_parallel_size, "pipeline": layout.pipeline_parallel_size}
        values = {"gpus": fleet.counts.get("memory", layout.gpus), **sizes}
        return Check("memory", "pass", "fits-barely" if barely else "fits", values)
    held = cost.gpus // (1 + workload.spare_replicas) if cost.gpus is not None else None
    for rule, reason in ((size.one_server, "fits"), (size.all_layouts, "fits-on-other-layouts")):
        if held is None or rule.gpus is None or rule.plan is None or held < rule.gpus:
            continue
        slack = rule.plan.slack_low_bytes
        reason = "fits-barely" if reason == "fits" and slack is not None and slack < 0 else reason
        layout = rule.plan.layout
        sizes = {"tensor": layout.tensor_parallel_size, "pipeline": layout.pipeline_parallel_size}
        return Check("memory", "pass", reason, {"gpus": rule.gpus, **sizes})
    needed = [rule.gpus for rule in (size.one_server, size.all_layouts) if rule.gpus is not None]
    if not needed:
        return Check("memory", "fail", "none-fits", dict(size.one_server.doubts[0].values))
    reason = "too-few-gpus" if held is not None else "needs-other-layout"
    whole_fleet = min(needed) * (1 + workload.spare_replicas)
    if fleet is not None and fleet.needed_gpus is not None:
        whole_fleet = fleet.needed_gpus
    return Check("memory", "fail", reason, {"gpus": cost.gpus, "needed": whole_fleet})


def _software(catalog: Catalog, product: str, cost: Costed) -> Check:
    platform = PLATFORMS.get(cost.accelerator.vendor, "")
    found = software_verdict(catalog.software, product, platform)
    reason: str = found.verdict
    if reason == "unknown":
        reason = "only-claimed" if found.claims else "no-row"
    values = {
        "product": product,
        "platform": platform,
        "conflict": tuple(sorted({fact.source_id for fact in found.conflicting})),
        "source_ids": tuple(dict.fromkeys(fact.source_id for fact in found.deciding)),
    }
    return Check("software", _RUNS[found.verdict], reason, values)


def _latencies(catalog: Catalog, workload: Workload, size: Sized, cost: Costed, fleet: Fleet | None) -> Iterator[Check]:
    for name, metric in LATENCIES:
        limit = workload.ttft_limit_ms if name == "ttft" else workload.tpot_limit_ms
        if limit is None:
            continue
        gpus = serving_gpus(workload, size, cost)
        if fleet is not None and fleet.layout is not None:
            gpus = fleet.replicas * fleet.layout.gpus
        found = measured_latency(catalog, workload, cost.accelerator.accelerator_id, gpus, metric, limit)
        values = {
            "limit_ms": limit,
            "measured_ms": found.measured_ms,
            "runs": found.runs,
            "stat": found.stat,
            **found.run,
        }
        if found.kept is None:
            yield _estimated(name, limit, fleet, values)
        elif found.kept:
            yield Check(name, "pass", "measured-within", values)
        else:
            yield Check(name, "fail", "measured-above", values)


def _estimated(name: CheckName, limit_ms: float, fleet: Fleet | None, values: dict[str, Any]) -> Check:
    """What the estimate of the operating point says where no run decides: its whole interval, or it stays open."""
    speed = fleet.speed if fleet is not None else None
    times = None if speed is None else speed.ttft_s if name == "ttft" else speed.tpot_s
    if times is None:
        return Check(name, "unknown", "not-measured", values)
    low, middle, high = (one * MS_PER_S for one in (times.low, times.estimate, times.high))
    values = values | {"low_ms": low, "estimate_ms": middle, "high_ms": high}
    if low > limit_ms:
        return Check(name, "fail", "estimated-above", values)
    return Check(
        name,
        "pass" if high <= limit_ms else "unknown",
        "estimated-within" if high <= limit_ms else "estimated-open",
        values,
    )


def _caps(constraints: Constraints, cost: Costed) -> Iterator[Check]:
    if constraints.power_kw is not None:
        if cost.candidate.acquisition != "buy":
            yield Check("power", "pass", "providers-power", {"cap": constraints.power_kw})
        else:
            yield _cap("power", cost.power_kw, constraints.power_kw)
    if constraints.budget_usd is not None:
        yield _budget(constraints, constraints.budget_usd, cost)
    if any(one is not None for one in constraints.budget_by_year):
        yield _yearly(constraints, cost)
    if constraints.gpus is not None:
        yield _cap("gpus", cost.option.held_gpus if cost.option else cost.gpus, constraints.gpus)


def _cap(name: CheckName, value: float | None, cap: float, high: float | None = None) -> Check:
    values = {"value": value, "cap": cap, "high": high}
    if value is None:
        return Check(name, "unknown", "not-known", values)
    return Check(name, "pass", "within", values) if value <= cap else Check(name, "fail", "above", values)


def _budget(constraints: Constraints, budget_usd: float, cost: Costed) -> Check:
    """The whole budget less its reserve, with the month in which it is passed where it is."""
    reserve = constraints.contingency_fraction
    check = _cap("budget", cost.npv_usd, spendable_usd(budget_usd, reserve), cost.npv_high_usd)
    broken = [one for one in _breaches(constraints, cost) if one.cap == "total"]
    when = {"year": broken[0].year, "month": broken[0].month} if broken else {}
    return replace(check, values={**check.values, "reserve": reserve, **when})


def _yearly(constraints: Constraints, cost: Costed) -> Check:
    """The budgets of single years: every one that is broken, the first of them in the sentence."""
    if cost.flows is None:
        return Check("yearly", "unknown", "not-known", {"years": ()})
    broken = [one for one in _breaches(constraints, cost) if one.cap == "year"]
    if not broken:
        return Check("yearly", "pass", "within", {"years": ()})
    first = broken[0]
    values = {"year": first.year, "month": first.month, "value": first.value, "cap": first.limit}
    return Check("yearly", "fail", "above", values | {"years": tuple((one.year, one.value) for one in broken)})


def _breaches(constraints: Constraints, cost: Costed) -> tuple[Breach, ...]:
    return () if cost.flows is None else breaches(cost.flows, caps_of(constraints))


def _deadline(catalog: Catalog, deadline: str, cost: Costed) -> Check:
    """Whether service begins by the end of a month; a lead time that nobody stated passes none.

    What is too late even when it is delivered on the day of the order fails whatever the lead time is.
    """
    asked = cost.candidate
    month = asked.order_month + (asked.delivery_months or 0) + asked.acceptance_months
    months = months_until(deadline, as_of(catalog))
    values = {"month": month, "months": months, "deadline": deadline}
    if month > months:
        return Check("deadline", "fail", "too-late", values)
    if asked.delivery_months is None:
        return Check("deadline", "unknown", "lead-time-unknown", values)
    return Check("deadline", "pass", "in-time", values)


def _price(cost: Costed) -> Check:
    if cost.npv_usd is not None:
        return Check("price", "pass", "known", {})
    problem = cost.problem
    return Check("price", "unknown", problem.code if problem else "no-fleet", problem.values if problem else {})


def _supply(cost: Costed) -> Check:
    status = cost.accelerator.status
    if status == "shipping":
        return Check("supply", "pass", "shipping", {})
    if status:
        return Check("supply", "fail", "not-obtainable", {"status": status})
    return Check("supply", "unknown", "status-unknown", {})
