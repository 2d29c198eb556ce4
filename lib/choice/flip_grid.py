"""Which candidate comes first over two drivers at once, with fleets as they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.flip_points import first_at, money_drivers
from lib.choice.flips import Driver
from lib.choice.race import race_of
from lib.choice.recommend import Recommendation

STEPS: Final = 17
REACH: Final = 0.5
"""Values are looked at from half to one and a half times today's, within the range of the driver."""


@dataclass(frozen=True, eq=False)
class FlipGrid:
    """Two drivers, the values looked at, and the place of the first candidate at each pair; -1 for nobody."""

    x: Driver
    y: Driver
    x_values: NDArray[np.float64]
    y_values: NDArray[np.float64]
    places: NDArray[np.int64]
    """Shape (y values, x values)."""

    @property
    def share(self) -> float:
        """Share of the pairs at which today's first candidate stays first."""
        middle = self.places[len(self.y_values) // 2, len(self.x_values) // 2]
        return float((self.places == middle).mean())


def key_of(driver: Driver) -> str:
    """A driver's name for a link.

    Parameters
    ----------
    driver : Driver
        Any driver of money, taste or throughput.

    Returns
    -------
    str
        "price.0" for that of a candidate, "electricity" for a shared one.
    """
    return driver.name if driver.place is None else f"{driver.name}.{driver.place}"


def drivers_by_key(found: Recommendation) -> Mapping[str, Driver]:
    """The drivers of an answer that a map may be drawn over.

    Parameters
    ----------
    found : Recommendation
        The answer, with a winner.

    Returns
    -------
    mapping of str to Driver
        In the order in which they are offered: those of the first two candidates first.
    """
    first = [one.place for one in (found.winner, found.rival) if one is not None]
    every = sorted(money_drivers(found), key=lambda one: first.index(one.place) if one.place in first else len(first))
    return {key_of(one): one for one in every if one.now or one.name.endswith("weight")}


def flip_grid(catalog: Catalog, found: Recommendation, x_key: str, y_key: str) -> FlipGrid | None:
    """The first candidate over two drivers.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    found : Recommendation
        The answer.
    x_key, y_key : str
        From `drivers_by_key`; a name that is not there takes the first, or the next.

    Returns
    -------
    FlipGrid or None
        None without a winner, or with fewer than two drivers.
    """
    if found.winner is None:
        return None
    known = drivers_by_key(found)
    if len(known) < 2:
        return None
    keys = list(known)
    x_key = x_key if x_key in known else keys[0]
    y_key = y_key if y_key in known and y_key != x_key else next(one for one in keys if one != x_key)
    x, y = known[x_key], known[y_key]
    x_values, y_values = _values(x), _values(y)
    across, up = np.meshgrid(x_values, y_values)
    places = first_at(race_of(catalog, found), ((x, across.ravel()), (y, up.ravel())))
    return FlipGrid(x, y, x_values, y_values, places.reshape(across.shape))


def _values(driver: Driver) -> NDArray[np.float64]:
    if not driver.now:
        return np.linspace(driver.low, driver.high, STEPS)
    low, high = max(driver.now * (1 - REACH), driver.low), min(driver.now * (1 + REACH), driver.high)
    return np.linspace(low, high, STEPS)
