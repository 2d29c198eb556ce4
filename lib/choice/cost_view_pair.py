"""Two options held against each other: what each driver would have to be, over two drivers at once, and over time."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.cost_view import KEPT, CostView
from lib.choice.costed import Costed
from lib.choice.fleet_costs import costed_beside
from lib.choice.scenario import Scenario
from lib.cost.crossings import Crossings, RentOrBuy, cost_usd, crossings_of, rent_or_buy
from lib.cost.drivers import COUNTS, Driver, Target
from lib.cost.inverse import price_field
from lib.cost.maps import BreakEvenMap, break_even_map
from lib.cost.options import Finance, Option
from lib.cost.sourced_drivers import SourcedBar
from lib.errors import InputError

PRICES: Final = ("server_price_usd", "rent_usd_per_gpu_hour")
_PRICE_SHARES: Final = (0.5, 1.5)
"""A map shows prices from half to half as much again as the one in use, or the range of their rows where that is wider."""
_USE: Final = (0.05, 1.0)

LONGEST_MONTHS: Final = 60
"""As far as the residual values reach."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """A bar of the tornado with the values of its driver at which both options cost the same; None for a count."""

    bar: SourcedBar
    crossings: Crossings | None


@dataclass(frozen=True, eq=False)
class Ownership:
    """An option that is paid for in all hours against one rented on demand, at every horizon."""

    owned: Costed
    rented: Costed
    is_added: bool
    """Whether the rental is no option of the scenario, but the same part rented."""
    horizons: NDArray[np.int64]
    owned_usd: NDArray[np.float64]
    rented_usd: NDArray[np.float64]
    answer: RentOrBuy


def key_of_driver(driver: Driver) -> str:
    """A driver as a word for a link.

    Parameters
    ----------
    driver : Driver
        Any.

    Returns
    -------
    str
        Whose field, and which.
    """
    return f"{driver.target}.{driver.field}"


def map_drivers(view: CostView) -> dict[str, Driver]:
    """The drivers over which a map of the pair can be drawn.

    Parameters
    ----------
    view : CostView
        With a pair.

    Returns
    -------
    dict of str to Driver
        Key to driver, the widest bar first, with ranges that make a map: utilisation from nearly nothing to all hours,
        prices at least from half to half as much again. Empty without a pair.
    """
    if view.tornado is None or view.pair is None:
        return {}
    found: dict[str, Driver] = {}
    for one in view.tornado.bars:
        driver = one.bar.driver
        if driver.field not in COUNTS and (one.bar.swing_usd > 0 or driver.field == "utilisation"):
            found[key_of_driver(driver)] = _widened(driver, view)
    for driver in _price_drivers(view):
        found.setdefault(key_of_driver(driver), driver)
    return found


def _price_drivers(view: CostView) -> Iterator[Driver]:
    """The price of each of the two, also where it is a single quote without a range."""
    targets: tuple[Target, ...] = ("first", "second")
    for target, one in zip(targets, (view.first, view.second), strict=True):
        if (
            one is not None
            and one.option is not None
            and (now := getattr(one.option, price_field(one.option.acquisition)))
        ):
            yield _widened(Driver(target, price_field(one.option.acquisition), now, now), view)


def map_axes(view: CostView, x: str, y: str) -> tuple[str, str] | None:
    """The two drivers of the map: those asked for where they move anything, else the two that move most.

    Parameters
    ----------
    view : CostView
        With a pair.
    x, y : str
        Keys of drivers, or blank.

    Returns
    -------
    tuple of str or None
        Two keys of `map_drivers`; None where fewer than two drivers move anything.
    """
    known = map_drivers(view)
    across = x if x in known else next((name for name in known if name != y), None)
    up = y if y in known and y != across else next((name for name in known if name != across), None)
    return None if across is None or up is None else (across, up)


def now_at(view: CostView, axes: tuple[str, str]) -> tuple[float, float]:
    """Where the pair stands on a map.

    Parameters
    ----------
    view : CostView
        With a pair.
    axes : tuple of str
        Keys of `map_drivers`.

    Returns
    -------
    tuple of float
        Values in use across and up.
    """
    across, up = (_in_use(view, key) for key in axes)
    return across, up


def _in_use(view: CostView, key: str) -> float:
    target, _dot, field = key.partition(".")
    one = view.second if target == "second" else view.first
    if one is None or one.option is None:
        return 0.0
    return float(getattr(one.finance.finance if target == "finance" else one.option, field) or 0.0)


def pair_map(view: CostView, x: str, y: str) -> BreakEvenMap | None:
    """Where the two options of the pair cost the same, over two drivers.

    Parameters
    ----------
    view : CostView
        With a pair.
    x, y : str
        Keys of `map_drivers`.

    Returns
    -------
    BreakEvenMap or None
        None where the two do not make a map.
    """
    drivers = map_drivers(view)
    options = _options(view)
    if options is None or x not in drivers or y not in drivers:
        return None
    return _map(*options, drivers[x], drivers[y])


@functools.lru_cache(maxsize=KEPT)
def _map(first: Option, second: Option, finance: Finance, x: Driver, y: Driver) -> BreakEvenMap | None:
    try:
        return break_even_map(first, second, finance, x, y)
    except InputError:  # one driver moves both options, the other one of them in the same field
        return None


def break_evens(view: CostView) -> tuple[BreakEven, ...]:
    """Every driver of the pair's difference with the values at which the cheaper of the two changes.

    Parameters
    ----------
    view : CostView
        With a pair.

    Returns
    -------
    tuple of BreakEven
        In the order of the tornado, drivers that move nothing left out; searched over the ranges of `map_drivers`.
    """
    options = _options(view)
    if options is None or view.tornado is None:
        return ()
    return _break_evens(*options, tuple((one, _widened(one.bar.driver, view)) for one in view.tornado.bars))


@functools.lru_cache(maxsize=KEPT)
def _break_evens(
    first: Option, second: Option, finance: Finance, bars: tuple[tuple[SourcedBar, Driver], ...]
) -> tuple[BreakEven, ...]:
    return tuple(
        BreakEven(bar, None if driver.field in COUNTS else crossings_of(first, second, finance, driver))
        for bar, driver in bars
        if bar.bar.swing_usd > 0
    )


def ownership(catalog: Catalog, scenario: Scenario, view: CostView) -> Ownership | None:
    """The cheapest owned or committed option against the cheapest rental on demand, by horizon and utilisation.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        For a rental of the same part, where no option is one.
    view : CostView
        Its pair is taken where it is of these two kinds.

    Returns
    -------
    Ownership or None
        None where nothing is owned, or the part has no rent on demand.
    """
    chosen = [one for one in (view.first, view.second) if one is not None]
    every = [*chosen, *view.ranked]
    owned = next((one for one in every if one.candidate.acquisition != "rent"), None)
    rented = next((one for one in every if one.candidate.acquisition == "rent"), None)
    is_added = rented is None
    if owned is not None and rented is None:
        rented = _rented_instead(catalog, scenario, owned)
    if owned is None or rented is None or owned.option is None or rented.option is None:
        return None
    return _ownership(owned, rented, is_added)


@functools.lru_cache(maxsize=KEPT)
def _ownership(owned: Costed, rented: Costed, is_added: bool) -> Ownership | None:
    if owned.option is None or rented.option is None:
        return None
    finance = owned.finance.finance
    start = max(owned.option.service_month, rented.option.service_month) + 1
    horizons = range(start, LONGEST_MONTHS + 1)
    if not horizons:
        return None
    return Ownership(
        owned=owned,
        rented=rented,
        is_added=is_added,
        horizons=np.array(horizons),
        owned_usd=_by_horizon(owned.option, finance, horizons),
        rented_usd=_by_horizon(rented.option, finance, horizons),
        answer=rent_or_buy(owned.option, rented.option, finance, horizons),
    )


def _by_horizon(option: Option, finance: Finance, horizons: range) -> NDArray[np.float64]:
    return np.array([cost_usd(option, replace(finance, horizon_months=months)) for months in horizons])


def _rented_instead(catalog: Catalog, scenario: Scenario, owned: Costed) -> Costed | None:
    """The same part, rented on demand at the catalogue's price; None where there is none."""
    candidate = owned.candidate.model_copy(
        update={
            "acquisition": "rent", "price_source": "catalogue", "server_price_usd": None, "gpu_price_usd": None,
            "rent_usd_per_gpu_hour": None, "rent_usd_per_gpu_month": None,
        }
    )  # fmt: skip
    found = costed_beside(catalog, scenario, candidate)
    return found if found.option is not None else None


def _options(view: CostView) -> tuple[Option, Option, Finance] | None:
    first, second = view.first, view.second
    if first is None or second is None or first.option is None or second.option is None:
        return None
    return first.option, second.option, first.finance.finance


def _widened(driver: Driver, view: CostView) -> Driver:
    if driver.field == "utilisation":
        return replace(driver, low=min(_USE[0], driver.low), high=_USE[1])
    if driver.field in PRICES:
        one = view.second if driver.target == "second" else view.first
        now = float(getattr(one.option, driver.field) or 0.0) if one is not None and one.option is not None else 0.0
        low, high = (share * now for share in _PRICE_SHARES)
        return replace(driver, low=min(driver.low, low), high=max(driver.high, high))
    return driver
