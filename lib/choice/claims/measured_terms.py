"""Terms about what was measured or submitted: MLPerf results and ratios, entries, logged deployments."""

import functools
from collections.abc import Callable, Mapping
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value, number
from lib.choice.mlperf import mlperf_pairs

_AVAILABLE: Final = "available"
_TABLES: Final = ("mlperf_inference", "mlperf_training")


def mlperf(catalog: Catalog, part: str, model: str, round: str, scenario: str, gpus: int) -> Term:
    """Headline results of one MLPerf test on so many accelerators, lowest to highest.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    model : str
        Benchmark as MLPerf names it.
    round : str
        Round, for example "v4.1".
    scenario : str
        Offline, Server or Interactive.
    gpus : int
        Accelerators of the system.

    Returns
    -------
    Term
        In the test's unit; nothing where nobody submitted.
    """
    frame = catalog.measured["mlperf_inference"]
    rows = frame[
        frame["headline"]
        & (frame["accelerator_id"] == part)
        & (frame["model"] == model)
        & (frame["round"] == round)
        & (frame["scenario"] == scenario)
        & (frame["accelerator_count"] == gpus)
    ]
    unit = str(rows["unit"].iloc[0]) if len(rows) else ""
    return Term("mlperf", (part, model, round, scenario, gpus), _span(rows["value"]), unit, _sources(rows), (part,))


def mlperf_ratio(catalog: Catalog, part: str, other: str, model: str, round: str, scenario: str) -> Term:
    """How one part stands to another in the same MLPerf test on equally many accelerators, lowest to highest pair.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part, other : str
        Accelerator ids; the ratio is part over other.
    model : str
        Benchmark as MLPerf names it.
    round : str
        Round; blank for all rounds.
    scenario : str
        Offline, Server or Interactive.

    Returns
    -------
    Term
        A ratio per accelerator, derived and not verified by MLCommons.
    """
    pairs = _pairs(catalog, part, other)
    rows = pairs[(pairs["model"] == model) & (pairs["scenario"] == scenario)]
    if round:
        rows = rows[rows["round"] == round]
    sources = tuple((str(name), scenario) for name in dict.fromkeys(rows["source_id"]))
    return Term("mlperf_ratio", (part, other, model, round, scenario), _span(rows["ratio"]), "", sources, (part, other))


def entries(catalog: Catalog, round: str, vendor: str, benchmark: str = "") -> Term:
    """How many results of MLPerf Training ran on a vendor's parts, among the language-model tests of the table.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    round : str
        Rounds separated by ";"; blank for all.
    vendor : str
        Vendor of the accelerators.
    benchmark : str
        One test; blank for all.

    Returns
    -------
    Term
        A count.
    """
    frame = catalog.measured["mlperf_training"]
    wanted = set(filter(None, round.split(";")))
    chosen = frame["round"].astype(str).isin(wanted) if wanted else frame["round"].notna()
    if benchmark:
        chosen &= frame["benchmark"] == benchmark
    tested = frame[chosen]
    of_vendor = [
        catalog.accelerators[name].vendor == vendor if name in catalog.accelerators else False
        for name in tested["accelerator_id"].astype(str)
    ]
    return Term("entries", (round, vendor, benchmark), number(sum(of_vendor)), "results", _sources(tested))


def first_available(catalog: Catalog, part: str) -> Term:
    """The date of the first MLPerf round in which a system with this part was entered as available.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.

    Returns
    -------
    Term
        A date.
    """
    dated: list[tuple[str, str]] = []
    for name in _TABLES:
        frame = catalog.measured[name]
        rows = frame[(frame["accelerator_id"] == part) & (frame["availability"] == _AVAILABLE)]
        ids = [str(one) for one in dict.fromkeys(rows["source_id"])]
        dated += [(catalog.source(one).date, one) for one in ids if catalog.source(one).date]
    if not dated:
        return Term("first_available", (part,), Value(), parts=(part,))
    day, source = min(dated)
    return Term("first_available", (part,), Value(text=day), "", ((source, _AVAILABLE),), (part,))


def logged(catalog: Catalog, engine: str, kv_format: str, vendor: str) -> Term:
    """How many public logs show an engine with a cache format on a vendor's parts.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    engine : str
        Beginning of the engine's word.
    kv_format : str
        bf16 or fp8.
    vendor : str
        Vendor of the accelerators.

    Returns
    -------
    Term
        A count.
    """
    rows = [
        row
        for row in catalog.fit_cases
        if str(row["engine"]).startswith(engine)
        and row["kv_format"] == kv_format
        and row["accelerator"] in catalog.accelerators
        and catalog.accelerators[row["accelerator"]].vendor == vendor
    ]
    sources = tuple(dict.fromkeys((str(row["source_id"]), str(row["case_id"])) for row in rows))
    return Term("logged", (engine, kv_format, vendor), number(len(rows)), "logs", sources)


def micro(catalog: Catalog, part: str, test: str) -> Term:
    """What a micro-benchmark measured on one part, lowest to highest.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    part : str
        Accelerator id.
    test : str
        As micro.csv names it, for example "Device to Host".

    Returns
    -------
    Term
        In the row's unit.
    """
    frame = catalog.measured["micro"]
    rows = frame[(frame["accelerator_id"] == part) & (frame["test"] == test)]
    unit = str(rows["unit"].iloc[0]) if len(rows) else ""
    return Term("micro", (part, test), _span(rows["value"]), unit, _sources(rows), (part,))


@functools.lru_cache(maxsize=32)
def _pairs(catalog: Catalog, part: str, other: str) -> pd.DataFrame:
    return mlperf_pairs(catalog.measured["mlperf_inference"], part, other)


def _span(values: pd.Series) -> Value:
    return Value(float(values.min()), float(values.max())) if len(values) else Value()


def _sources(rows: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), "") for name in dict.fromkeys(rows["source_id"]))


TERMS: Final[Mapping[str, Callable[..., Term]]] = {
    "mlperf": mlperf, "mlperf_ratio": mlperf_ratio, "entries": entries, "first_available": first_available,
    "logged": logged, "micro": micro,
}  # fmt: skip
