"""What the timing of a purchase is reckoned as: paths, break-evens, the risk of resale, a wait."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lib.choice.costed import Costed, CountedFrom
from lib.choice.price_drift import Drift, DriftName
from lib.choice.quotes import Quote
from lib.choice.roadmap import Product
from lib.choice.scenario import Acquisition
from lib.records import Accelerator, Doubt

PathKind = Literal["buy-now", "rent-then-buy", "rent", "commit-1y", "commit-3y"]


@dataclass(frozen=True, slots=True)
class TimedPath:
    """One path: its months of rent before anything that is bought serves, and its cost in each future; or why it has none."""

    kind: PathKind
    order_month: int
    rented_months: int
    npv_usd: Mapping[DriftName, float]
    low_usd: float | None
    high_usd: float | None
    """At the low and the high end of the price rows, rents flat; None where the reader states the prices."""
    problem: Doubt | None


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Yearly changes of prices at which a path costs what buying now costs, and which of both is cheaper beyond the last."""

    kind: PathKind
    order_month: int
    at: tuple[float, ...]
    cheaper_below: Literal["buy-now", "path"]


@dataclass(frozen=True, slots=True)
class ResaleRisk:
    """What buying now costs if the resale is worse or better than assumed, and the resale at which it loses its place."""

    assumed_fraction: float
    nothing_usd: float
    low_usd: float
    high_usd: float
    low_fraction: float
    high_fraction: float
    needed_fraction: float | None
    """Worth at the end, of the price, below which the cheapest path without a purchase costs less; None: at no worth."""
    rival: PathKind | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Renting until an announced part is there: the most that what does the same work may cost then.

    Prices are per server of today's part, at both ends of what is said of the date; below 0 where no price is low
    enough, None where nothing is left of the horizon.
    """

    product: Product
    months: tuple[int, int]
    today_usd: float
    against_buying_usd: tuple[float | None, float | None]
    against_best_usd: tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Timing:
    """The whole answer of the timing page; without paths that can be costed, the reasons stand in them."""

    part: Accelerator
    gpus: int | None
    counted_from: CountedFrom
    lead_months: int | None
    horizon_months: int
    prices_follow: bool
    """Whether the price of a later order moves with the rents."""
    drifts: tuple[Drift, ...]
    paths: tuple[TimedPath, ...]
    """Cheapest first with flat prices; those without a cost last."""
    break_evens: tuple[BreakEven, ...]
    """Each path against buying now, and the two that article A0 advises."""
    advised: tuple[TimedPath, ...]
    """Rent for 3 and for 6 months, then buy."""
    resale: ResaleRisk | None
    wait: Wait | None
    by_horizon: Mapping[PathKind, Mapping[int, float]]
    """Cost of each path with flat prices by horizon [months -> USD]; horizons that a path cannot have are left out."""
    ways: Mapping[Acquisition, Costed]
    """What each way of having the part costs by itself: prices, origins, doubts."""
    quotes: Mapping[Acquisition, Quote]
    """The offers that own prices are of."""

    @property
    def best(self) -> TimedPath | None:
        """The cheapest path with flat prices."""
        return next((path for path in self.paths if path.npv_usd), None)

    def path(self, kind: PathKind) -> TimedPath:
        """The path of a kind."""
        return next(path for path in self.paths if path.kind == kind)

    def cheapest_in(self, name: DriftName) -> TimedPath | None:
        """The cheapest path in a future."""
        known = [path for path in self.paths if name in path.npv_usd]
        return min(known, key=lambda path: path.npv_usd[name], default=None)
