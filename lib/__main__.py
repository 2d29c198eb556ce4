"""The same calculations from a shell, for scripts and audits: check, edition, fit, throughput, cost, recommend."""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from threadpoolctl import threadpool_limits

from lib import catalog, consistency, editions
from lib.catalog import Catalog
from lib.choice import link, presets
from lib.choice.answer_record import answer_record
from lib.choice.checks import caps_of
from lib.choice.claims import judge
from lib.choice.costed import Costed, as_of
from lib.choice.fleet_costs import costed_all
from lib.choice.link import LinkError
from lib.choice.own_parts import with_own_parts
from lib.choice.scenario import Constraints, Scenario
from lib.cost.caps import breaches, paid_by_year
from lib.errors import LibError
from lib.present import doubts, problems
from lib.present.text import words
from lib.sizing import cases, row_checks, throughput_cases

_TIMES: Final = (
    "order_month", "deposit_fraction", "delivery_months", "acceptance_months", "service_month", "minimum_months",
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when the data or a row are not, 2 for words that are no command."""
    parser = argparse.ArgumentParser(prog="python -m lib", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="hold every table against its vocabulary")
    edition = commands.add_parser("edition", help="record the present state of data/ as an edition")
    edition.add_argument("summary", help="what changed since the edition before")
    edition.add_argument("--date", default=_today(), help="day of the edition (default: today)")
    edition.add_argument(
        "--amend", action="store_true", help="in the place of the last edition, which nobody has seen yet"
    )
    fit = commands.add_parser("fit", help="memory fit of each row of a CSV file, as CSV")
    fit.add_argument("cases", type=Path, help="columns as in data/fit_cases.csv; others pass through")
    speed = commands.add_parser("throughput", help="bound and 80 %% interval of each row of a CSV file, as CSV")
    speed.add_argument("cases", type=Path, help="columns of fit, and input_tokens, output_tokens, concurrency, ...")
    for name, help_text in (
        ("cost", "the cost of every candidate of a link or preset, as JSON"),
        ("recommend", "the recommendation for a link or preset with reasons, confidence and flip points, as JSON"),
    ):
        commands.add_parser(name, help=help_text).add_argument("scenario", help="a preset's name, a token, or a link")
    options = parser.parse_args(arguments)
    threadpool_limits(1)  # matrices of a few hundred rows: threads cost more than they save
    try:
        if options.command == "edition":
            return _edition(options.date, options.summary, amend=options.amend)
        if options.command == "fit":
            return _batch(options.cases, cases.evaluate)
        if options.command == "throughput":
            return _batch(options.cases, throughput_cases.evaluate)
        if options.command == "cost":
            return _cost(options.scenario)
        if options.command == "recommend":
            return _recommend(options.scenario)
    except LinkError as error:
        print(problems.sentence(error, words("en")), file=sys.stderr)
        return 1
    except (LibError, OSError, UnicodeDecodeError, csv.Error) as error:
        print(error, file=sys.stderr)
        return 1
    return _check()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _findings(day: str = "") -> list[object]:
    """What is wrong with data/ itself, on that day; the edition's own where blank. Whether it is recorded is not asked."""
    if found := list(catalog.problems()):
        return list[object](found)
    facts = catalog.load()
    if day:
        facts = replace(facts, edition=replace(facts.edition, date=day))
    return [*judge.problems(facts), *consistency.problems(facts), *row_checks.problems(facts)]


def _edition(day: str, summary: str, *, amend: bool) -> int:
    """Record the edition where every table is sound: what is recorded cannot be taken back once a link names it."""
    if found := _findings(day):
        return _said([*found, "No edition was recorded: mend this first, `python -m lib check` says the same."])
    recorded, replaced = editions.add(day, summary, amend=amend)
    print(recorded.label, f"({replaced} numbers replaced)")
    return 0


def _check() -> int:
    changed = list(editions.unrecorded())
    found = _findings(_today() if changed else "")
    if changed or found:
        return _said([*found, *changed])
    facts = catalog.load()
    if unrecorded := list(editions.problems(facts)):
        return _said(unrecorded)
    rows = sum(len(frame) for frame in facts.measured.values())
    print(
        f"data edition {facts.edition.label}: {len(facts.accelerators)} parts, {len(facts.models)} models, "
        f"{len(facts.prices)} prices, {len(facts.assumptions)} assumptions, {rows:,} measured rows, "
        f"{len(facts.sources)} sources: no problem"
    )
    return 0


def _said(problems_found: Iterable[object]) -> int:
    """One line each; 1."""
    for problem in problems_found:
        print(problem, file=sys.stderr)
    return 1


def _batch(path: Path, evaluate: Callable[[list[dict[str, str]], Catalog, Path], list[dict[str, Any]]]) -> int:
    """Every row of a CSV file answered, as CSV; 1 where a row is wrong."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        print(f"{path} has no rows", file=sys.stderr)
        return 1
    answers = evaluate(rows, catalog.load(), path.parent)
    writer = csv.DictWriter(sys.stdout, list(answers[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(answers)
    return 1 if any(answer["error"] for answer in answers) else 0


def scenario_of(text: str) -> Scenario:
    """The scenario of a preset's name, a token, or a whole link with either."""
    facts = catalog.load()
    kind, named = link.asked_for(text, facts.presets)
    if kind == "preset":
        return presets.preset(facts, named)
    decoded = link.decode(named)
    link.check_names(decoded, facts_for(decoded).accelerators, facts.models)
    return decoded


def facts_for(scenario: Scenario) -> catalog.Catalog:
    """The catalogue with the parts that a scenario states beside it."""
    return with_own_parts(catalog.load(), scenario.own_parts)


def _cost(text: str) -> int:
    scenario = scenario_of(text)
    options = costed_all(facts_for(scenario), scenario)
    answer = {
        "edition": catalog.load().edition.label,
        "horizon_years": scenario.money.horizon_years,
        "month_zero": as_of(catalog.load()).isoformat(),
        "shown_in": _currency_of(options[0]),
        "options": [_cost_of(one, scenario.constraints) for one in options],
    }
    print(json.dumps(answer, indent=1, ensure_ascii=False))
    return 0


def _currency_of(one: Costed) -> dict[str, Any]:
    """The currency that pages show; every amount of this answer is in US dollars."""
    finance = one.finance.finance
    rate_as_of = one.finance.rate_as_of or None
    return {"currency": finance.currency, "per_usd": finance.currency_per_usd, "rate_as_of": rate_as_of}


def _cost_of(one: Costed, constraints: Constraints) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "accelerator": one.candidate.accelerator,
        "acquisition": one.candidate.acquisition,
        "price_source": one.candidate.price_source,
        "gpus": one.gpus,
        "gpus_from": one.counted_from,
        "problem": one.problem.code if one.problem else None,
        "problem_says": doubts.sentence(one.problem, words("en")).replace("\\", "") if one.problem else None,
    }
    if one.summed is None or one.unit is None or one.option is None or one.flows is None:
        return answer
    tokens = one.unit.million_output_tokens_usd
    return answer | {
        "gpus_paid_for": one.option.held_gpus,
        "net_present_value_usd": one.npv_usd,
        "net_present_value_low_usd": one.npv_low_usd,
        "net_present_value_high_usd": one.npv_high_usd,
        "nominal_usd": float(one.summed.nominal_usd),
        "npv_by_component_usd": {name: float(amount) for name, amount in one.summed.npv_by_component.items()},
        "cost_per_gpu_hour_usd": float(one.unit.gpu_hour_usd),
        "cost_per_gb_year_usd": None if one.unit.gb_year_usd is None else float(one.unit.gb_year_usd),
        "cost_per_million_output_tokens_usd": None if tokens is None else [float(end) for end in tokens],
        "power_kw": one.power_kw,
        "timing": {name: getattr(one.option, name) for name in _TIMES},
        "bridge": one.option.bridge,
        "paid_by_year_usd": paid_by_year(one.flows).tolist(),
        "broken_caps": [
            {"cap": cap.cap, "year": cap.year, "month": cap.month, "value": cap.value, "limit": cap.limit}
            for cap in breaches(one.flows, caps_of(constraints))
        ],
        "doubts": [doubt.code for doubt in (*(one.defaults.doubts if one.defaults else ()), *one.flows.doubts)],
    }


def _recommend(text: str) -> int:
    scenario = scenario_of(text)
    print(json.dumps(answer_record(facts_for(scenario), scenario), indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
