"""What has been measured of one part against another: serving pairs of the workload's model, and MLPerf."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from lib.choice import matching
from lib.choice.evidence import EQUAL_COUNT, OWN_COUNT, PairGroup, by_run_pair, summary
from lib.choice.mlperf_view import MlperfRatio, MlperfView, mlperf_ratios


@dataclass(frozen=True, slots=True)
class Finding:
    """One part over another: groups of serving pairs that may be read together, kind by kind, and MLPerf ratios."""

    part: str
    base: str
    model_id: str
    groups: tuple[PairGroup, ...]
    publishers: tuple[str, ...]
    interests: tuple[str, ...]
    dates: tuple[str, str]
    mlperf: tuple[MlperfRatio, ...]
    mlperf_barred: bool
    mlperf_without: tuple[str, ...]
    """Of the two parts, those without a result in the test."""

    @property
    def pairs(self) -> int:
        """Serving pairs of all groups."""
        return sum(one.pairs for one in self.groups)

    @property
    def queue_limited(self) -> int:
        """How many of them ran below their nominal concurrency on either side."""
        return sum(one.queue_limited for one in self.groups)

    def of_kind(self, kind: str) -> tuple[PairGroup, ...]:
        """Groups of a kind: without a difference in eager mode first."""
        return tuple(one for one in self.groups if one.kind == kind)

    def ratios(self, kind: str) -> tuple[MlperfRatio, ...]:
        """MLPerf ratios of a kind at the fewest accelerators that have one, so that one system size is stated."""
        found = [one for one in self.mlperf if one.kind == kind]
        return tuple(one for one in found if one.accelerator_count == found[0].accelerator_count)


def run_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """One row per pair of runs that is not history, the busiest load last.

    Parameters
    ----------
    pairs : DataFrame
        From `serving_pairs`.

    Returns
    -------
    DataFrame
        As `by_run_pair`, ordered by model, kind, publisher, lengths and concurrency.
    """
    found = by_run_pair(pairs[~pairs["historical"]])
    order = ["model_id", "kind", "publisher", "input_tokens", "output_tokens", "concurrency"]
    keys = {name: found[name].astype(str) if found[name].dtype == "category" else found[name] for name in order}
    return found.loc[pd.DataFrame(keys).sort_values(order, kind="stable").index].reset_index(drop=True)


def models_with_pairs(pairs: pd.DataFrame) -> tuple[tuple[str, int], ...]:
    """Models of the catalogue with pairs of runs that are not history, and how many.

    Parameters
    ----------
    pairs : DataFrame
        From `run_pairs`.

    Returns
    -------
    tuple of (str, int)
        Most pairs first.
    """
    names = [str(one) for one in pairs["model_id"] if one]
    return tuple(sorted(((one, names.count(one)) for one in set(names)), key=lambda one: (-one[1], one[0])))


def finding(
    pairs: pd.DataFrame,
    mlperf_pairs: pd.DataFrame,
    part: str,
    base: str,
    model_id: str,
    view: MlperfView | None,
    ratios: tuple[MlperfRatio, ...] | None = None,
) -> Finding:
    """What serving pairs of a model and an MLPerf test say of one part over another.

    Parameters
    ----------
    pairs : DataFrame
        From `serving_pairs` of `part` over `base`.
    mlperf_pairs : DataFrame
        From `lib.choice.mlperf.mlperf_pairs` of the same two.
    part, base : str
        Accelerator ids.
    model_id : str
        The workload's model.
    view : MlperfView or None
        The MLPerf test in view.
    ratios : tuple of MlperfRatio, optional
        What the test says of the two, where it was computed before.

    Returns
    -------
    Finding
        Throughput only; history is left out, and so are MLPerf ratios of a part that the test leaves out: beside another
        part's ratio over the same base they would give the comparison that is not to be published.
    """
    chosen = (pairs["model_id"] == model_id) & (pairs["metric_class"] == matching.THROUGHPUT) & ~pairs["historical"]
    own = pairs[chosen]
    barred = view is not None and bool(set(view.barred) & {part, base})
    if ratios is None:
        ratios = mlperf_ratios(mlperf_pairs, view) if view is not None and not barred else ()
    groups = summary(own).groups if len(own) else ()
    dates = sorted({str(one) for side in ("date_a", "date_b") for one in own[side] if one})
    sides = (part, base)
    return Finding(
        part=part,
        base=base,
        model_id=model_id,
        groups=tuple(sorted(groups, key=lambda one: (one.kind != EQUAL_COUNT, not one.eager_equal))),
        publishers=tuple(sorted({matching.publisher_family(str(one)) for one in own["publisher"]})),
        interests=tuple(sorted({str(one) for one in own["publisher_interest"]})),
        dates=(dates[0], dates[-1]) if dates else ("", ""),
        mlperf=ratios,
        mlperf_barred=barred,
        mlperf_without=tuple(one for one in sides if view is None or one in view.without_result),
    )


def pair_kinds(pairs: pd.DataFrame) -> Sequence[tuple[str, pd.DataFrame]]:
    """Pairs of runs parted by kind, which are never averaged or read as one.

    Parameters
    ----------
    pairs : DataFrame
        From `run_pairs`.

    Returns
    -------
    sequence of (str, DataFrame)
        EQUAL_COUNT and OWN_COUNT with their rows; a kind without pairs is left out.
    """
    parted = [(kind, pairs[pairs["kind"] == kind]) for kind in (EQUAL_COUNT, OWN_COUNT)]
    return [(kind, rows) for kind, rows in parted if len(rows)]
