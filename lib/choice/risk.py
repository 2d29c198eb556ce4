"""What may go wrong with a candidate beside its cost, as numbers from 0 to 1 that a buyer may weigh: never weighed unasked."""

import functools
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.fleet import Fleet
from lib.choice.software import PLATFORMS, products, software_verdict
from lib.records import Accelerator

RUNS_RISK: Final = {"runs": 0.0, "runs-with-change": 0.5, "unknown": 0.5, "does-not-run": 1.0}
"""A change is half of what not running is; so is not knowing."""

DISTANCE_RISK: Final = {"own": 0.0, "stated": 0.0, "seen": 0.0, "new-model": 1 / 3, "new-part": 2 / 3, "new-both": 1.0}
"""Part and model measured somewhere, one of them not (a model says less than a part), neither."""


@dataclass(frozen=True, slots=True)
class Risk:
    """Software: mean over the products asked for; evidence: how far the throughput estimate is from what was measured."""

    software: float
    evidence: float
    runs: int
    asked: int


NO_RISK: Final = Risk(0.0, 0.0, 0, 0)


def risk_of(
    catalog: Catalog, accelerator: Accelerator, required: tuple[str, ...], fleet: Fleet | None, pairs: int
) -> Risk:
    """The risks of a candidate.

    risk = mean over products of 0 (runs), 0.5 (runs with changes, or not known), 1 (does not run)

    Parameters
    ----------
    catalog : Catalog
        The edition with its matrix.
    accelerator : Accelerator
        The part; its vendor decides the platform.
    required : tuple of str
        Products that must run; without any, all of the matrix.
    fleet : Fleet or None
        Whose throughput was estimated; None where none is (training, images).
    pairs : int
        Like-for-like pairs of the part, for a task without an estimate.

    Returns
    -------
    Risk
        Each from 0 to 1.
    """
    asked = required or _every_product(catalog)
    verdicts = _verdicts(catalog, PLATFORMS.get(accelerator.vendor, ""), asked)
    software = sum(RUNS_RISK[word] for word in verdicts) / len(verdicts) if verdicts else 0.0
    if fleet is None:
        evidence = 0.0 if pairs else 1.0
    else:
        evidence = DISTANCE_RISK.get(fleet.speed.distance, 1.0) if fleet.speed is not None else 1.0
    return Risk(software, evidence, sum(word == "runs" for word in verdicts), len(verdicts))


@functools.lru_cache(maxsize=4)
def _every_product(catalog: Catalog) -> tuple[str, ...]:
    return products(catalog.software)


@functools.lru_cache(maxsize=256)
def _verdicts(catalog: Catalog, platform: str, asked: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(software_verdict(catalog.software, one, platform).verdict for one in asked)
