"""A whole answer as plain data, for scripts and audits: what, why, how sure, what would change it, how much."""

from typing import Any

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.confidence import Confidence, confidence
from lib.choice.deployments import pareto
from lib.choice.flip_points import flip_points
from lib.choice.flips import FlipPoint
from lib.choice.mix import mix
from lib.choice.recommend import Recommendation, recommend
from lib.choice.scenario import Scenario
from lib.choice.tender import tender
from lib.choice.unknowns import unknowns
from lib.sizing.throughput import Interval


def answer_record(catalog: Catalog, scenario: Scenario) -> dict[str, Any]:
    """The answer to a scenario with its reasons, confidence, flip points, front, tender sheet and open questions.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        The question.

    Returns
    -------
    dict
        Of numbers, texts, lists and dicts alone; amounts in USD, None where a figure is not known.
    """
    found = recommend(catalog, scenario)
    sure = confidence(catalog, found)
    prefers = scenario.prefers
    return {
        "edition": catalog.edition.label,
        "metric": found.metric,
        "metric_asked": prefers.metric,
        "target_load": prefers.target_load,
        "winner": found.winner and name_of(found.winner),
        "rival": found.rival and name_of(found.rival),
        "rival_behind_fraction": found.gap,
        "rival_costs_more_fraction": found.outlay_gap,
        "band_overlap": found.overlap,
        "tie": found.is_tie,
        "tied": [name_of(one) for one in found.tied],
        "shared_throughput_error": found.shared_error,
        "first_by_metric": {metric: name_of(one) for metric, one in found.by_metric},
        "passed_over": found.passed_over and name_of(found.passed_over),
        "in_order": [_candidate(found, one) for one in found.assessments],
        "confidence": _confidence(found, sure),
        "flip_points": [_flip(found, one) for one in flip_points(catalog, found)],
        "front": {
            "axes": [prefers.x_axis, prefers.y_axis],
            "on_it": [name_of(one) for one in pareto(found, (prefers.x_axis, prefers.y_axis))],
        },
        "ways_out": [
            {
                "option": name_of(way.assessment),
                "changes": [{"path": list(step.path), "now": step.now, "to": step.to} for step in way.relaxations],
            }
            for way in found.ways_out
        ],
        "mix": _mix(catalog, scenario, found),
        "tender": _tender(found),
        "not_known": [{"code": one.code, "parts": list(one.parts)} for one in unknowns(catalog, found)],
        "advice": None
        if found.advice is None
        else {"source": found.advice.source_id, "advice": found.advice.english, "agreement": found.advice.agreement},
        "rules": [{"rule": one.name, "applies": one.applies, "agreement": one.agreement} for one in found.rules],
    }


def name_of(one: Assessment) -> dict[str, Any]:
    """What a candidate is called in a record.

    Parameters
    ----------
    one : Assessment
        The candidate.

    Returns
    -------
    dict
        Part, way of having it, whose price.
    """
    asked = one.candidate
    return {"accelerator": asked.accelerator, "acquisition": asked.acquisition, "price_source": asked.price_source}


def _candidate(found: Recommendation, one: Assessment) -> dict[str, Any]:
    place, fleet, run = found.standing(one), one.fleet, one.run
    speed = fleet.speed if fleet is not None else None
    return name_of(one) | {
        "feasible": one.is_feasible,
        "figure": place.figure,
        "weighted_figure": place.weighted,
        "band": place.band and list(place.band),
        "net_present_value_usd": one.cost.npv_usd,
        "net_present_value_range_usd": one.band_usd and list(one.band_usd),
        "million_tokens_usd": one.million_tokens_usd and list(one.million_tokens_usd),
        "gpus": one.cost.gpus,
        "gpus_paid_for": one.cost.option.held_gpus if one.cost.option is not None else None,
        "power_kw": one.cost.power_kw,
        "fleet": None
        if fleet is None or fleet.layout is None
        else {
            "tensor_parallel_size": fleet.layout.tensor_parallel_size,
            "pipeline_parallel_size": fleet.layout.pipeline_parallel_size,
            "replicas": fleet.replicas,
            "spares": fleet.spares,
            "set_by": fleet.set_by,
            "counts": dict(fleet.counts),
        },
        "tokens_per_s": None if speed is None else [speed.low, speed.estimate, speed.high],
        "ttft_s": _interval(speed.ttft_s if speed is not None else None),
        "tpot_s": _interval(speed.tpot_s if speed is not None else None),
        "training": None
        if run is None
        else {
            "gpus": run.gpus,
            "memory": run.verdict,
            "hours_per_billion_tokens": run.hours_per_billion and list(run.hours_per_billion),
            "rows": run.rate.rows if run.rate is not None else 0,
            "doubts": [doubt.code for doubt in run.doubts],
        },
        "pairs": one.backing.pairs,
        "software_risk": one.risk.software,
        "evidence_risk": one.risk.evidence,
        "checks": [{"name": check.name, "verdict": check.verdict, "reason": check.reason} for check in one.checks],
    }


def _interval(times: Interval | None) -> list[float] | None:
    return None if times is None else [times.low, times.estimate, times.high]


def _confidence(found: Recommendation, sure: Confidence | None) -> dict[str, Any] | None:
    if sure is None:
        return None
    names = {one.place: name_of(one) for one in found.assessments}
    return {
        "stays_first": sure.chance,
        "standard_error": sure.standard_error,
        "draws": sure.draws,
        "seed": sure.seed,
        "chances": [{"option": names[place], "chance": chance} for place, chance in sure.chances],
        "dominant": [
            {
                "kind": one.kind,
                "field": one.field,
                "options": [names[place] for place in one.places],
                "share": one.share,
            }
            for one in sure.dominant
        ],
        "regrets": [
            {"future": one.future, "option": names[one.place], "regret": one.regret, "regret_usd": one.regret_usd}
            for one in sure.regrets
        ],
    }


def _flip(found: Recommendation, one: FlipPoint) -> dict[str, Any]:
    names = {each.place: name_of(each) for each in found.assessments}
    driver = one.driver
    return {
        "driver": driver.name,
        "option": names.get(driver.place) if driver.place is not None else None,
        "field": driver.field,
        "today": driver.now,
        "searched": [driver.low, driver.high],
        "keeps_until": one.kept,
        "turns_at": one.at,
        "turns_with": one.label or None,
        "then_first": names.get(one.to) if one.to is not None else None,
    }


def _mix(catalog: Catalog, scenario: Scenario, found: Recommendation) -> dict[str, Any] | None:
    mixed = mix(catalog, scenario)
    if mixed is None:
        return None
    names = {one.place: name_of(one) for one in found.assessments}
    return {
        "winner": names.get(mixed.winner) if mixed.winner is not None else None,
        "share_in_view": mixed.share,
        "turns_at_share": mixed.turns_at,
        "then_first": names.get(mixed.to) if mixed.to is not None else None,
    }


def _tender(found: Recommendation) -> dict[str, Any]:
    sheet = tender(found)
    return {
        "weights": dict(sheet.weights),
        "offers": [
            name_of(offer.assessment)
            | {
                "admitted": offer.is_admitted,
                "points": offer.points,
                "awards": {
                    one.criterion: {"value": one.value, "best": one.best, "points": one.points} for one in offer.awards
                },
            }
            for offer in sheet.offers
        ],
    }
