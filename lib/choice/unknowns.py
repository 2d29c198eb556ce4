"""What a recommendation does not know, so that it can be asked: one entry a question, with the parts it concerns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.layouts_beside import layouts_beside, most_telling
from lib.choice.recommend import Recommendation
from lib.choice.sized import SERVING_TASKS
from lib.cost.origins import applies
from lib.records import Layout

_LEAD_TIME: Final = "rel-leadtime"


@dataclass(frozen=True, slots=True)
class Unknown:
    """One open question: its code, the parts that it concerns, and the values of its sentence."""

    code: str
    parts: tuple[str, ...]
    values: Mapping[str, Any]


def unknowns(catalog: Catalog, found: Recommendation) -> tuple[Unknown, ...]:
    """What is not known about the candidates that are still in the race, most decisive first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer.

    Returns
    -------
    tuple of Unknown
        Codes: throughput (`pairs` with the base part), stated-throughput, run-time (`task`), layout-rate (`layout`, `model`,
        `format`, `concurrency`; of winner and rival), memory-not-modelled, ttft and tpot
        (`limit_ms`), software (`product`), no-price, status, memory-barely, estimated-price (`dates`), old-price
        (`days`), power, resale, lead-time-reported (`low`, `high` [weeks], `as_of`), lead-time. `parts` are short
        names.
    """
    able = [one for one in found.assessments if one.is_feasible] or list(found.assessments)
    return (
        *_work(found, able),
        *_layouts(catalog, found),
        *_checks(able),
        *_money(catalog, able),
        *_supply(catalog, able),
    )


def _work(found: Recommendation, able: Sequence[Assessment]) -> Iterable[Unknown]:
    """How much work each fleet does."""
    names = _names(able, lambda _one: True)
    if found.scenario.workload.task not in SERVING_TASKS:
        yield Unknown("run-time", names, {"task": found.scenario.workload.task})
    elif found.scenario.workload.stated_output_tokens_per_hour is not None:
        yield Unknown("stated-throughput", names, {})
    elif len(names) > 1:
        if found.nearest is None or not found.nearest.is_exact:
            yield Unknown("throughput", names, {"pairs": sum(one.backing.pairs for one in able)})


def _layouts(catalog: Catalog, found: Recommendation) -> Iterable[Unknown]:
    """What layouts that are not ranked would do, where they hold much more than the chosen one or save GPUs."""
    workload = found.scenario.workload
    model = catalog.models.get(workload.model)
    asked: dict[Layout, list[str]] = {}
    for one in (found.winner, found.rival):
        for beside in most_telling(layouts_beside(catalog, found, one)) if one is not None else ():
            names = asked.setdefault(beside.layout, [])
            if one is not None and one.cost.accelerator.short_name not in names:
                names.append(one.cost.accelerator.short_name)
    is_native = workload.weight_format == "native" and model is not None
    for layout, parts in asked.items():
        values = {
            "layout": layout,
            "model": model.name if model else workload.name,
            "format": model.native_format if is_native and model else workload.weight_format,
            "concurrency": workload.concurrency,
        }
        yield Unknown("layout-rate", tuple(parts), values)


def _checks(able: Sequence[Assessment]) -> Iterable[Unknown]:
    """What no fact answers of the checks; one entry a question."""
    asked: dict[tuple[str, str], list[Assessment]] = {}
    values: dict[tuple[str, str], Mapping[str, Any]] = {}
    codes = {"memory": "memory-not-modelled", "price": "no-price", "supply": "status"}
    for one in able:
        for check in one.open_checks:
            if check.reason == "no-fleet":
                continue  # the answer says already that no number of GPUs is known
            key = (codes.get(check.name, check.name), str(check.values.get("product", "")))
            asked.setdefault(key, []).append(one)
            values.setdefault(key, check.values)
    for key, several in asked.items():
        yield Unknown(key[0], _names(several, lambda _one: True), values[key])
    barely = _names(able, lambda one: any(check.reason == "fits-barely" for check in one.checks))
    if barely:
        yield Unknown("memory-barely", barely, {})


def _money(catalog: Catalog, able: Sequence[Assessment]) -> Iterable[Unknown]:
    """Prices that are estimates or old, and power and resale that nobody published."""
    estimated = _names(able, lambda one: _has(one, "estimated-price"))
    if estimated:
        dates = sorted({_as_of(catalog, one) for one in able if _has(one, "estimated-price")})
        yield Unknown("estimated-price", estimated, {"dates": tuple(dates)})
    old = [one for one in able if _has(one, "old-price") and not _has(one, "estimated-price")]
    if old:
        yield Unknown("old-price", _names(old, lambda _one: True), {"days": max(_days(one) for one in old)})
    for code, doubt in (("power", "estimated-power"), ("resale", "no-residual-value")):
        names = _names(able, lambda one, wanted=doubt: _has(one, wanted))  # type: ignore[misc]
        if names:
            yield Unknown(code, names, {})


def _supply(catalog: Catalog, able: Sequence[Assessment]) -> Iterable[Unknown]:
    """When it would be delivered: reported for some vendors, not published for the others; a rental is there or not."""
    bought = [one for one in able if one.candidate.acquisition == "buy" and one.candidate.delivery_months is None]
    row = catalog.assumptions.get(_LEAD_TIME)
    reported = _names(bought, lambda one: applies(catalog.assumptions, _LEAD_TIME, one.cost.accelerator))
    if reported and row is not None:
        yield Unknown("lead-time-reported", reported, {"low": row.low, "high": row.high, "as_of": row.as_of})
    silent = _names(bought, lambda one: not applies(catalog.assumptions, _LEAD_TIME, one.cost.accelerator))
    if silent:
        yield Unknown("lead-time", silent, {})


def _names(several: Iterable[Assessment], wanted: Callable[[Assessment], bool]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.cost.accelerator.short_name for one in several if wanted(one)))


def _has(one: Assessment, code: str) -> bool:
    return one.cost.defaults is not None and any(doubt.code == code for doubt in one.cost.defaults.doubts)


def _days(one: Assessment) -> int:
    doubts = one.cost.defaults.doubts if one.cost.defaults else ()
    return max(int(doubt.values["days"]) for doubt in doubts if doubt.code == "old-price")


def _as_of(catalog: Catalog, one: Assessment) -> str:
    price = one.cost.defaults.price if one.cost.defaults else None
    row = catalog.assumptions.get(price.assumption_id) if price else None
    return row.as_of if row else ""
