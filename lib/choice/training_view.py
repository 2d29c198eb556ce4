"""What has been measured of training: MLPerf times within one round, scaling, throughput, and how thin it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from lib.choice.evidence import INDEPENDENT
from lib.choice.table import records
from lib.errors import InputError
from lib.records import Accelerator

Row = dict[str, Any]

_PEAKS: Final[Mapping[str, str]] = {
    "bf16": "fp16_bf16_dense_tflops",
    "fp16": "fp16_bf16_dense_tflops",
    "fp8": "fp8_dense_tflops",
    "mxfp8": "fp8_dense_tflops",
    "nvfp4": "fp4_dense_tflops",
}
_RATES: Final = ("tflops_per_gpu", "tokens_per_s_per_gpu", "scaling_efficiency")


@dataclass(frozen=True, slots=True)
class TimeRatio:
    """Best times of two parts on equally many accelerators in one test: above one the first part is faster."""

    accelerator_count: int
    speed: float
    minutes: float
    base_minutes: float
    submitter: str
    base_submitter: str


@dataclass(frozen=True, slots=True)
class Scaling:
    """One submitter's times of one part at two sizes: how much of the added accelerators became speed."""

    accelerator_id: str
    submitter: str
    few: int
    many: int
    efficiency: float


@dataclass(frozen=True, slots=True)
class TrainingTest:
    """One MLPerf Training benchmark in one round."""

    benchmark: str
    model_id: str
    round: str
    results: pd.DataFrame
    """Rows of the compared parts, fastest first within a size."""
    ratios: tuple[TimeRatio, ...]
    """Of the second part over the first, one a size that both have, fewest accelerators first."""
    scaling: tuple[Scaling, ...]
    without_result: tuple[str, ...]
    never_submitted: tuple[str, ...]
    """Compared parts without any MLPerf Training result in the edition."""
    benchmarks: tuple[str, ...]
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thinness:
    """How much training throughput is published of one part, and by whom."""

    accelerator_id: str
    rows: int
    publishers: int
    independent_rows: int
    vendor_rows: int
    """Rows of publishers with an interest in the part."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Achieved TFLOPS of one number format beside the dense peak."""

    number_format: str
    formats: tuple[str, ...]
    rows: pd.DataFrame
    peaks: Mapping[str, float]
    """Dense peak of each part in this format [TFLOPS]; a part without a published one is missing."""

    @property
    def shares(self) -> dict[str, float]:
        """Best achieved rate of each part over its peak."""
        best = self.rows.groupby("accelerator_id", observed=True)["value"].max()
        return {part: float(best[part]) / peak for part, peak in self.peaks.items() if part in best.index}


def scaling_efficiency(minutes_few: float, few: float, minutes_many: float, many: float) -> float:
    """Speed gained over accelerators added, between two sizes of one system (exact).

    efficiency = (minutes_few / minutes_many) / (many / few)

    Parameters
    ----------
    minutes_few : float
        Time of the smaller system [minutes].
    few : float
        Its accelerators.
    minutes_many : float
        Time of the larger system [minutes].
    many : float
        Its accelerators.

    Returns
    -------
    float
        One where twice the accelerators take half the time.

    Raises
    ------
    InputError
        If a time or a count is not positive.

    Examples
    --------
    Half the time on four times as many accelerators:

    >>> scaling_efficiency(28.0, 8, 14.0, 32)
    0.5

    Notes
    -----
    The larger system may train with a larger batch and more samples: time to a quality, not speed of a step.
    """
    for name, number in (("minutes_few", minutes_few), ("few", few), ("minutes_many", minutes_many), ("many", many)):
        if not number > 0:
            raise InputError(name, number, "above 0")
    return (minutes_few / minutes_many) / (many / few)


def training_test(
    frame: pd.DataFrame, parts: tuple[str, ...], model_id: str, *, benchmark: str = "", round: str = ""
) -> TrainingTest | None:
    """The MLPerf Training test to show for some parts.

    Parameters
    ----------
    frame : DataFrame
        The MLPerf training table.
    parts : tuple of str
        Accelerator ids; the first two are what the reader compares.
    model_id : str
        The workload's model.
    benchmark, round : str
        What was asked for; "" chooses.

    Returns
    -------
    TrainingTest or None
        None where no part has a result.

    Notes
    -----
    What is chosen has, first preference first, both of the first two parts, most parts, the workload's model, the newest
    round. Times of different rounds never stand beside each other.
    """
    own = frame[frame["accelerator_id"].isin(parts)]
    if not len(own):
        return None
    seen: dict[tuple[str, str], set[str]] = {}
    models: dict[str, str] = {}
    for row in records(own, ("benchmark", "round", "accelerator_id", "model_id")):
        seen.setdefault((row["benchmark"], row["round"]), set()).add(row["accelerator_id"])
        models[row["benchmark"]] = row["model_id"]

    def rank(test: tuple[str, str]) -> tuple[object, ...]:
        members = seen[test]
        return (
            not members.issuperset(parts[:2]),
            -len(members),
            models[test[0]] != model_id,
            -float(test[1].removeprefix("v")),
            test[0],
        )

    every = sorted(seen, key=rank)
    wanted = [one for one in every if one[0] == benchmark] or every
    chosen = next((one for one in wanted if one[1] == round), wanted[0])
    results = own[(own["benchmark"] == chosen[0]) & (own["round"] == chosen[1])]
    results = results.sort_values(["accelerator_count", "time_to_train_minutes"], kind="stable")
    rows = records(results, ("accelerator_id", "submitter", "accelerator_count", "time_to_train_minutes"))
    present = {row["accelerator_id"] for row in rows}
    submitted = set(own["accelerator_id"])
    return TrainingTest(
        benchmark=chosen[0],
        model_id=models[chosen[0]],
        round=chosen[1],
        results=results,
        ratios=_ratios(rows, parts),
        scaling=_scaling(rows),
        without_result=tuple(one for one in parts if one not in present),
        never_submitted=tuple(one for one in parts if one not in submitted),
        benchmarks=tuple(dict.fromkeys(one[0] for one in every)),
        rounds=tuple(
            sorted((one[1] for one in seen if one[0] == chosen[0]), key=lambda name: -float(name.removeprefix("v")))
        ),
    )


def thinness(frame: pd.DataFrame, parts: Sequence[str]) -> tuple[Thinness, ...]:
    """How many published rows of training throughput each part has, and whose they are.

    Parameters
    ----------
    frame : DataFrame
        The training table.
    parts : sequence of str
        Accelerator ids.

    Returns
    -------
    tuple of Thinness
        In the order of the parts, those without a row too.
    """
    found = []
    for part in parts:
        rows = records(frame[frame["accelerator_id"] == part], ("publisher", "publisher_interest"))
        interests = [row["publisher_interest"] for row in rows]
        found.append(
            Thinness(
                part,
                len(rows),
                len({row["publisher"] for row in rows}),
                interests.count(INDEPENDENT),
                len(rows) - interests.count(INDEPENDENT) - interests.count("unknown"),
            )
        )
    return tuple(found)


def rates(
    frame: pd.DataFrame, parts: Sequence[str], accelerators: Mapping[str, Accelerator], number_format: str = ""
) -> Rates | None:
    """Achieved TFLOPS of some parts in one number format.

    Parameters
    ----------
    frame : DataFrame
        The training table.
    parts : sequence of str
        Accelerator ids; the first two are what the reader compares.
    accelerators : mapping of str to Accelerator
        The catalogue's, for the dense peaks.
    number_format : str
        Asked for; "" or one without a row takes the one that most parts have.

    Returns
    -------
    Rates or None
        None where no part has an achieved rate with a stated format.
    """
    chosen = (
        frame["accelerator_id"].isin(parts) & (frame["metric"] == "tflops_per_gpu") & (frame["number_format"] != "")
    )
    own = frame[chosen]
    if not len(own):
        return None
    members: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for row in records(own, ("number_format", "accelerator_id")):
        members.setdefault(row["number_format"], set()).add(row["accelerator_id"])
        counts[row["number_format"]] = counts.get(row["number_format"], 0) + 1
    formats = sorted(members, key=lambda one: (-len(members[one]), -counts[one], one))
    shown = number_format if number_format in members else formats[0]
    return Rates(shown, tuple(formats), own[own["number_format"] == shown], peaks_of(shown, parts, accelerators))


def peaks_of(number_format: str, parts: Sequence[str], accelerators: Mapping[str, Accelerator]) -> dict[str, float]:
    """Dense peak of each part in a number format.

    Parameters
    ----------
    number_format : str
        As a measured table writes it, for example "fp8 rowwise" or "fp8_block".
    parts : sequence of str
        Accelerator ids.
    accelerators : mapping of str to Accelerator
        The catalogue's.

    Returns
    -------
    dict of str to float
        TFLOPS by part; parts without a published peak are missing.

    Examples
    --------
    >>> from lib import catalog
    >>> peaks_of("fp8_block", ["h100-sxm"], catalog.load().accelerators)
    {'h100-sxm': 1978.9}
    """
    stem = number_format.replace("-", " ").replace("_", " ").partition(" ")[0]
    field = _PEAKS.get(stem)
    if field is None:
        return {}
    found = {one: getattr(accelerators[one], field) for one in parts if one in accelerators}
    return {one: float(value) for one, value in found.items() if value is not None}


def throughputs(frame: pd.DataFrame, parts: Sequence[str]) -> pd.DataFrame:
    """Published training rates of some parts: tokens per second, achieved TFLOPS and scaling.

    Parameters
    ----------
    frame : DataFrame
        The training table.
    parts : sequence of str
        Accelerator ids.

    Returns
    -------
    DataFrame
        Rows of the table under their labels; step times stand in the table of all rows only.
    """
    return frame[frame["accelerator_id"].isin(list(parts)) & frame["metric"].isin(_RATES)]


def _ratios(rows: Sequence[Row], parts: tuple[str, ...]) -> tuple[TimeRatio, ...]:
    if len(parts) < 2:
        return ()
    best: dict[tuple[str, int], Row] = {}
    for row in rows:  # fastest first within a size
        best.setdefault((row["accelerator_id"], row["accelerator_count"]), row)
    found = []
    for (part, count), row in sorted(best.items(), key=lambda item: item[0][1]):
        base = best.get((parts[0], count))
        if part == parts[1] and base is not None:
            minutes, other = row["time_to_train_minutes"], base["time_to_train_minutes"]
            found.append(TimeRatio(count, other / minutes, minutes, other, row["submitter"], base["submitter"]))
    return tuple(found)


def _scaling(rows: Sequence[Row]) -> tuple[Scaling, ...]:
    """Each submitter's smallest against its largest system of one part."""
    systems: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        sizes = systems.setdefault((row["accelerator_id"], row["submitter"]), {})
        sizes.setdefault(row["accelerator_count"], row["time_to_train_minutes"])
    found = [
        Scaling(part, submitter, few, many, scaling_efficiency(sizes[few], few, sizes[many], many))
        for (part, submitter), sizes in systems.items()
        if (few := min(sizes)) < (many := max(sizes))
    ]
    return tuple(sorted(found, key=lambda one: (one.accelerator_id, -one.many, one.submitter)))
