"""What an answer must not break, checked for one candidate: it passes, fails, or is not known, with its reason."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.latency import Metric, measured_latency
from lib.choice.scenario import Constraints, Workload
from lib.choice.sized import Sized
from lib.choice.software import PLATFORMS, software_verdict

Verdict = Literal["pass", "fail", "unknown"]
CheckName = Literal["memory", "software", "ttft", "tpot", "power", "budget", "gpus", "price", "supply"]

NAMES: Final[tuple[CheckName, ...]] = (
    "memory", "software", "ttft", "tpot", "power", "budget", "gpus", "price", "supply",
)  # fmt: skip
"""In the order in which a buyer asks."""

_LATENCIES: Final[tuple[tuple[CheckName, Metric], ...]] = (("ttft", "ttft_ms"), ("tpot", "tpot_ms"))
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
    catalog: Catalog, workload: Workload, constraints: Constraints, size: Sized, cost: Costed
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

    Returns
    -------
    tuple of Check
        In the order of NAMES. Reasons: memory fits, fits-on-other-layouts, fits-barely, too-few-gpus and
        needs-other-layout (`gpus`, `needed`), none-fits (`most_gpus`), memory-not-modelled, unknown-memory, config;
        software runs, runs-with-change, does-not-run, no-row, only-claimed (`product`, `platform`, `conflict`); ttft
        and tpot measured-within, measured-above, not-measured; power, budget and gpus within, above, not-known, and
        providers-power for a rental; price known and the reasons of `costed`; supply shipping, not-obtainable,
        status-unknown.
    """
    found = [_memory(workload, size, cost)]
    found += [_software(catalog, product, cost) for product in constraints.software]
    found += list(_latencies(catalog, workload, size, cost))
    found += list(_caps(constraints, cost))
    found += [_price(cost), _supply(cost)]
    return tuple(sorted(found, key=lambda one: NAMES.index(one.name)))


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
    if cost.gpus is None or cost.counted_from == "memory":
        return size.gpus
    return max(cost.gpus // (1 + workload.spare_replicas), 1)


def _memory(workload: Workload, size: Sized, cost: Costed) -> Check:
    if size.doubt is not None or size.one_server is None or size.all_layouts is None:
        doubt = size.doubt
        return Check("memory", "unknown", doubt.code if doubt else "unknown-memory", doubt.values if doubt else {})
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
    fleet = min(needed) * (1 + workload.spare_replicas)
    reason = "too-few-gpus" if held is not None else "needs-other-layout"
    return Check("memory", "fail", reason, {"gpus": cost.gpus, "needed": fleet})


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


def _latencies(catalog: Catalog, workload: Workload, size: Sized, cost: Costed) -> Iterator[Check]:
    for name, metric in _LATENCIES:
        limit = workload.ttft_limit_ms if name == "ttft" else workload.tpot_limit_ms
        if limit is None:
            continue
        gpus = serving_gpus(workload, size, cost)
        found = measured_latency(catalog, workload, cost.accelerator.accelerator_id, gpus, metric, limit)
        values = {
            "limit_ms": limit,
            "measured_ms": found.measured_ms,
            "runs": found.runs,
            "stat": found.stat,
            **found.run,
        }
        if found.kept is None:
            yield Check(name, "unknown", "not-measured", values)
        elif found.kept:
            yield Check(name, "pass", "measured-within", values)
        else:
            yield Check(name, "fail", "measured-above", values)


def _caps(constraints: Constraints, cost: Costed) -> Iterator[Check]:
    if constraints.power_kw is not None:
        if cost.candidate.acquisition != "buy":
            yield Check("power", "pass", "providers-power", {"cap": constraints.power_kw})
        else:
            yield _cap("power", cost.power_kw, constraints.power_kw)
    if constraints.budget_usd is not None:
        yield _cap("budget", cost.npv_usd, constraints.budget_usd, cost.npv_high_usd)
    if constraints.gpus is not None:
        yield _cap("gpus", cost.option.held_gpus if cost.option else cost.gpus, constraints.gpus)


def _cap(name: CheckName, value: float | None, cap: float, high: float | None = None) -> Check:
    values = {"value": value, "cap": cap, "high": high}
    if value is None:
        return Check(name, "unknown", "not-known", values)
    return Check(name, "pass", "within", values) if value <= cap else Check(name, "fail", "above", values)


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
