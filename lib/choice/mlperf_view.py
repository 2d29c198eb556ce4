"""Which MLPerf Inference test shows some parts beside each other, and what it says of two of them.

A test is one round, model, scenario and accuracy target. What was asked for is shown where it was measured; where it
was not, the nearest that was, with a doubt that says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from lib.choice.mlperf import UNPUBLISHABLE, VENDOR_SUBMITTERS, mlperf_results
from lib.records import Doubt

SCENARIOS: Final = ("Offline", "Server", "Interactive")
"""Scenarios in the order in which one is taken where none was asked for."""


@dataclass(frozen=True, slots=True)
class MlperfView:
    """One test: its results for the parts that may be shown together, what is left out, and what else there is."""

    model: str
    model_id: str
    scenario: str
    round: str
    accuracy_target: float | None
    unit: str
    accelerator_count: int
    """Accelerators of the systems that most parts were measured with; results of other counts are of other systems."""
    results: pd.DataFrame
    """Rows of `mlperf_results` and `by_vendor`, whether the part's own vendor submitted it."""
    without_result: tuple[str, ...]
    barred: tuple[str, ...]
    """Parts left out because their comparison with an earlier part is not to be published from this round."""
    tests: tuple[tuple[str, str], ...]
    """Every benchmark with every scenario that one of the parts has a result in; the workload's model first."""
    models: tuple[str, ...]
    scenarios: tuple[str, ...]
    rounds: tuple[str, ...]
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class MlperfRatio:
    """Per accelerator, one part over another in one test on equally many accelerators."""

    kind: str
    ratio: float
    accelerator_count: int
    submitter_a: str
    submitter_b: str


@dataclass(frozen=True, slots=True)
class _Test:
    model: str
    scenario: str
    round: str
    parts: tuple[str, ...]
    """Parts with a result that may be shown together, in the order of the comparison."""


def publishable(round: str, parts: Sequence[str]) -> tuple[str, ...]:
    """The parts that may stand beside each other in a round: an earlier part stays, its barred partner goes.

    Parameters
    ----------
    round : str
        Round, for example "v6.1".
    parts : sequence of str
        Accelerator ids, the most wanted first.

    Returns
    -------
    tuple of str
        The ids kept.

    Examples
    --------
    >>> publishable("v6.1", ["mi355x", "b200-sxm", "b300-sxm"])
    ('mi355x', 'b300-sxm')
    """
    kept: list[str] = []
    for part in parts:
        if not any((round, frozenset({part, one})) in UNPUBLISHABLE for one in kept):
            kept.append(part)
    return tuple(kept)


def mlperf_view(
    frame: pd.DataFrame,
    parts: tuple[str, ...],
    model_id: str,
    *,
    model: str = "",
    scenario: str = "",
    round: str = "",
    total_params: Mapping[str, float] | None = None,
) -> MlperfView | None:
    """The MLPerf test to show for some parts and a model.

    Parameters
    ----------
    frame : DataFrame
        The MLPerf inference table.
    parts : tuple of str
        Accelerator ids; the first two are what the reader compares.
    model_id : str
        The workload's model.
    model, scenario, round : str
        What was asked for, as MLPerf names it; "" chooses.
    total_params : mapping of str to float, optional
        Parameters by model [count]: without a test of the workload's model, the nearest in size is taken.

    Returns
    -------
    MlperfView or None
        None where no part has a headline result.

    Notes
    -----
    What is chosen has, first preference first, both of the first two parts, two parts, one part. Of models the
    workload's own, then the nearest in size (absolute log2); of scenarios the order of SCENARIOS; of rounds the newest;
    of accuracy targets those with most parts, then the higher; of accelerator counts the same, then the lower. Codes
    of the doubts: model-fallback, scenario-fallback, round-fallback (`wanted`, `shown`: what was asked for has no
    result of these parts), other-model (`wanted` a model id, `shown` a benchmark: the test is of another model).
    """
    tests, benchmarks = _tests(frame, parts)
    if not tests:
        return None
    lead, sizes = parts[:2], total_params or {}
    doubts: list[Doubt] = []

    def by_model(one: str) -> tuple[object, ...]:
        return benchmarks[one] != model_id, _distance(benchmarks[one], model_id, sizes), one

    models = sorted({one.model for one in tests}, key=by_model)
    every = {(one.model, one.scenario) for one in tests}
    shown_model = _chosen("model", model, tests, lambda one: one.model, lambda one: by_model(one.model), lead, doubts)
    tests = [one for one in tests if one.model == shown_model]
    scenarios = [one for one in SCENARIOS if any(test.scenario == one for test in tests)]
    shown_scenario = _chosen(
        "scenario",
        scenario,
        tests,
        lambda one: one.scenario,
        lambda one: (SCENARIOS.index(one.scenario),),
        lead,
        doubts,
    )
    tests = [one for one in tests if one.scenario == shown_scenario]
    rounds = sorted({one.round for one in tests}, key=_age)
    shown_round = _chosen("round", round, tests, lambda one: one.round, lambda one: (_age(one.round),), lead, doubts)
    if benchmarks[shown_model] != model_id:
        doubts.append(Doubt("other-model", {"wanted": model_id, "shown": shown_model}))
    test = next(one for one in tests if one.round == shown_round)
    results = mlperf_results(frame, shown_model, shown_scenario, shown_round)
    present = results[results["accelerator_id"].isin(parts)]
    kept = publishable(shown_round, [one for one in parts if (present["accelerator_id"] == one).any()])
    rows = present[present["accelerator_id"].isin(kept)]
    target = _most_parts(rows, "accuracy_target", lead, larger=True)
    rows = rows[rows["accuracy_target"].isna() if np.isnan(target) else rows["accuracy_target"] == target]
    with_result = set(rows["accelerator_id"])
    return MlperfView(
        model=shown_model,
        model_id=benchmarks[shown_model],
        scenario=shown_scenario,
        round=shown_round,
        accuracy_target=None if np.isnan(target) else target,
        unit=str(rows["unit"].iloc[0]),
        accelerator_count=int(_most_parts(rows, "accelerator_count", (), larger=False)),
        results=rows.assign(by_vendor=rows["submitter"].isin(VENDOR_SUBMITTERS)),
        without_result=tuple(
            one for one in parts if one not in with_result and one in (*kept, *_absent(present, parts))
        ),
        barred=tuple(one for one in parts if one not in test.parts and (present["accelerator_id"] == one).any()),
        tests=tuple(sorted(every, key=lambda one: (models.index(one[0]), SCENARIOS.index(one[1])))),
        models=tuple(models),
        scenarios=tuple(scenarios),
        rounds=tuple(rounds),
        doubts=tuple(doubts),
    )


def mlperf_ratios(pairs: pd.DataFrame, view: MlperfView) -> tuple[MlperfRatio, ...]:
    """What a test says of two parts.

    Parameters
    ----------
    pairs : DataFrame
        From `mlperf_pairs`: a comparison that is not to be published is not in it.
    view : MlperfView
        The test.

    Returns
    -------
    tuple of MlperfRatio
        Those at the view's accelerator count first, the others after them; empty where the test has no pair.
    """
    target = pairs["accuracy_target"]
    found = pairs[
        (pairs["model"] == view.model)
        & (pairs["scenario"] == view.scenario)
        & (pairs["round"] == view.round)
        & (target.isna() if view.accuracy_target is None else target == view.accuracy_target)
    ]
    names = ["kind", "ratio", "accelerator_count", "submitter_a", "submitter_b"]
    ratios = [MlperfRatio(str(a), float(b), int(c), str(d), str(e)) for a, b, c, d, e in found[names].to_numpy()]
    return tuple(
        sorted(ratios, key=lambda one: (one.accelerator_count != view.accelerator_count, one.accelerator_count))
    )


def _tests(frame: pd.DataFrame, parts: tuple[str, ...]) -> tuple[list[_Test], dict[str, str]]:
    """Every test with a headline result of one of the parts, and the catalogue's model of each benchmark."""
    chosen = frame[frame["headline"] & frame["accelerator_id"].isin(parts)]
    seen: dict[tuple[str, str, str], set[str]] = {}
    benchmarks: dict[str, str] = {}
    columns = ("model", "scenario", "round", "accelerator_id", "model_id")
    for model, scenario, round, part, model_id in zip(*(chosen[name] for name in columns), strict=True):
        seen.setdefault((model, scenario, round), set()).add(part)
        benchmarks[model] = model_id
    tests = [
        _Test(*test, publishable(test[2], [one for one in parts if one in members])) for test, members in seen.items()
    ]
    return tests, benchmarks


def _chosen(
    what: str,
    wanted: str,
    tests: Sequence[_Test],
    name: Callable[[_Test], str],
    rank: Callable[[_Test], tuple[object, ...]],
    lead: Sequence[str],
    doubts: list[Doubt],
) -> str:
    """The name asked for where a test has it, else that of the best test, with a doubt if something was asked for."""
    if any(name(one) == wanted for one in tests):
        return wanted
    best = name(min(tests, key=lambda one: (-_coverage(one.parts, lead), *rank(one))))
    if wanted:
        doubts.append(Doubt(f"{what}-fallback", {"wanted": wanted, "shown": best}))
    return best


def _coverage(parts: Iterable[str], lead: Sequence[str]) -> int:
    """Three for both of the first two parts, two for any two, one for one."""
    found = set(parts)
    return 3 if len(lead) > 1 and found.issuperset(lead) else min(len(found), 2)


def _most_parts(rows: pd.DataFrame, column: str, lead: Sequence[str], *, larger: bool) -> float:
    """The value of a column that most parts share; of equals the larger or the smaller."""
    values = sorted({float(one) for one in rows[column].dropna()}, reverse=larger)
    if not values:
        return float("nan")
    members = {one: set(rows.loc[rows[column] == one, "accelerator_id"]) for one in values}
    return max(values, key=lambda one: (_coverage(members[one], lead), len(members[one])))


def _absent(present: pd.DataFrame, parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in parts if not (present["accelerator_id"] == one).any())


def _distance(one: str, other: str, sizes: Mapping[str, float]) -> float:
    """Distance of two models in size (absolute log2); infinite where one is not known."""
    ours, theirs = sizes.get(one), sizes.get(other)
    return abs(float(np.log2(ours / theirs))) if ours and theirs else float("inf")


def _age(round: str) -> float:
    """Rounds from the newest to the oldest."""
    return -float(round.removeprefix("v"))
