"""Buy now, rent and buy later, rent, commit, or wait: every path serves the same load from the first day, at one date of money."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.catalog import Catalog
from lib.choice.costed import Costed, as_of
from lib.choice.fleet_costs import costed_beside
from lib.choice.price_drift import Drift, drifts
from lib.choice.quoted import quote_behind
from lib.choice.roadmap import Product, upcoming, waits
from lib.choice.scenario import Acquisition, Candidate, Scenario
from lib.choice.timing_records import BreakEven, PathKind, ResaleRisk, TimedPath, Timing, Wait
from lib.choice.view_choices import timing_choices
from lib.choice.ways import WAYS
from lib.cost.cash_flow import residual_fraction, total_usd
from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount
from lib.errors import InputError
from lib.records import Accelerator, Doubt
from lib.units import MONTHS_PER_YEAR

KINDS: Final[tuple[PathKind, ...]] = ("buy-now", "rent-then-buy", "rent", "commit-1y", "commit-3y")
ADVISED_MONTHS: Final = (3, 6)
"""Months that article A0 advises to rent for before buying."""

DRIFT_RANGE: Final = (-0.5, 0.5)
"""Yearly changes among which a break-even is looked for: those that the scenario allows."""

HORIZONS: Final = (12, 24, 36, 48, 60)
"""Months for which the paths are laid beside each other."""

_WAYS_OF: Final[Mapping[PathKind, tuple[Acquisition, ...]]] = {
    "buy-now": ("buy", "rent"),
    "rent-then-buy": ("buy", "rent"),
    "rent": ("rent",),
    "commit-1y": ("commit-1y",),
    "commit-3y": ("commit-3y",),
}
"""How the part is had on a path: at the end, and until what is bought serves."""

_POINTS: Final = 1001
"""Points of a range between which a cost is as good as straight."""

_ARTICLES: Final = "article"


@dataclass(frozen=True, slots=True)
class _Market:
    """What the paths are made of: the part bought and rented, money, lead time, and whether server prices follow the rents."""

    owned: Option | None
    rented: Option | None
    finance: Finance
    lead_months: int
    follow: bool

    def bought_usd(self, order: int, drift: Amount, price: float | None = None, residual: Amount = 1.0) -> Any:
        """Cost of renting until the purchase of a month serves, and of the purchase [USD]."""
        assert self.owned is not None  # noqa: S101 (paths without a purchase price are left out before)
        moved = (1 + drift) ** (order / MONTHS_PER_YEAR) if self.follow and price is None else 1.0
        base: Any = self.owned.server_price_usd if price is None else price
        bought = replace(
            self.owned,
            order_month=order,
            delivery_months=self.lead_months,
            bridge="none",
            server_price_usd=base * moved,
            residual_scale=self.owned.residual_scale * residual,
        )
        months = bought.service_month
        if not months:
            return total_usd(bought, self.finance)
        rented = self.rented_usd(drift, months)
        return rented + total_usd(replace(bought, migration_usd=0.0), self.finance)

    def rented_usd(self, drift: Amount, months: int | None = None, option: Option | None = None) -> Any:
        """Cost of a rental for some months, the whole horizon unless stated [USD]."""
        plain = option or self.rented
        assert plain is not None  # noqa: S101 (paths without a rent are left out before)
        chosen = replace(plain, rent_change_per_year=drift)
        money = self.finance if months is None else replace(self.finance, horizon_months=months)
        return total_usd(chosen, money)


def timed_part(catalog: Catalog, scenario: Scenario, recommended: str = "") -> Accelerator:
    """The part that the paths are reckoned for: the reader's choice, else the one recommended, else the first candidate's.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Its candidates and the view.
    recommended : str
        The part that comes first for the scenario; "" where that is not asked.

    Returns
    -------
    Accelerator
        One of the parts compared.
    """
    names = [one.accelerator for one in scenario.candidates]
    asked = (timing_choices(scenario).part, recommended, names[0])
    return catalog.accelerator(next(one for one in asked if one in names))


def waited_for(catalog: Catalog, scenario: Scenario) -> Product | None:
    """The announced product that is waited for: the reader's choice, else the one whose window opens first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With the choice.

    Returns
    -------
    Product or None
        None where nothing is announced.
    """
    known = upcoming(catalog.roadmap)
    chosen = timing_choices(scenario).wait_for
    return next((one for one in known if one.name == chosen), known[0] if known else None)


@functools.lru_cache(maxsize=16)
def timing(catalog: Catalog, scenario: Scenario, recommended: str = "") -> Timing:
    """Every path of one part under every future of prices.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Workload, money, prices, and what the reader chose on the page.
    recommended : str
        As for `timed_part`.

    Returns
    -------
    Timing
        Costs at month 0 [USD]. A purchase that has to be waited for is bridged by renting the same part; both legs are
        in the path. The price of a later order moves with the rents where the reader says so; what it is worth in the
        end is a share of what was paid.

    Notes
    -----
    The futures are those of H100 rents, for every part: no other part's rents are known over years. The server price in
    a wait is the most that the same work may cost: what an announced part will cost and do is not known.
    """
    part, choices = timed_part(catalog, scenario, recommended), timing_choices(scenario)
    ways = {way: _way(catalog, scenario, part, way) for way in WAYS}
    stated = ways["buy"].candidate.delivery_months
    lead = choices.lead_months if choices.lead_months is not None else stated
    finance = ways["buy"].finance.finance
    market = _Market(ways["buy"].option, ways["rent"].option, finance, lead or 0, choices.prices_follow)
    futures = drifts(catalog.measured["rent_history"], scenario.money.rent_change_per_year)
    orders = {"buy-now": 0, "rent-then-buy": choices.rent_first_months}
    paths = [_path(kind, orders.get(kind, 0), market, ways, futures) for kind in KINDS]
    advised = tuple(_path("rent-then-buy", months, market, ways, futures) for months in ADVISED_MONTHS)
    paths.sort(key=lambda path: path.npv_usd.get("flat", np.inf))
    against = {(path.kind, path.order_month): path for path in (*paths, *advised) if path.kind != "buy-now"}
    found = Timing(
        part=part,
        gpus=ways["buy"].gpus,
        counted_from=ways["buy"].counted_from,
        lead_months=lead,
        horizon_months=finance.horizon_months,
        prices_follow=choices.prices_follow,
        drifts=futures,
        paths=tuple(paths),
        break_evens=tuple(one for path in against.values() if (one := _break_even(path, market, ways))),
        advised=advised,
        resale=None,
        wait=None,
        by_horizon={kind: _by_horizon(kind, orders.get(kind, 0), market, ways) for kind in KINDS},
        ways=ways,
        quotes={way: of for way, one in ways.items() if (of := quote_behind(catalog, scenario, one.candidate))},
    )
    return replace(
        found, resale=_resale(found, market), wait=_wait(catalog, found, market, waited_for(catalog, scenario))
    )


def _way(catalog: Catalog, scenario: Scenario, part: Accelerator, way: Acquisition) -> Costed:
    """The part had in one way: the scenario's own candidate, else one like its first, on the same basis of prices."""
    own = [one for one in scenario.candidates if one.accelerator == part.accelerator_id]
    candidate = next((one for one in own if one.acquisition == way), None)
    if candidate is None:
        basis = own[0].price_source if own[0].price_source.startswith(_ARTICLES) else "catalogue"
        candidate = Candidate(accelerator=part.accelerator_id, gpus=own[0].gpus, acquisition=way, price_source=basis)
    gpus = timing_choices(scenario).gpus or candidate.gpus
    at_once = candidate.model_copy(update={"order_month": 0, "bridge": "none", "gpus": gpus})
    if way != "buy":
        at_once = at_once.model_copy(update={"delivery_months": 0, "acceptance_months": 0, "minimum_months": 0})
    return costed_beside(catalog, scenario, at_once)


def _path(
    kind: PathKind, order: int, market: _Market, ways: Mapping[Acquisition, Costed], futures: Sequence[Drift]
) -> TimedPath:
    """One path in every future, and at both ends of the price rows with flat prices."""
    rented = 0
    if kind in ("buy-now", "rent-then-buy"):
        own = ways["buy"].option
        rented = order + market.lead_months + (own.acceptance_months if own else 0)
    problem = _problem(kind, rented, ways, market.finance.horizon_months)
    if problem is None:
        try:
            costs = {drift.name: _number(_cost(kind, order, market, ways, drift.per_year)) for drift in futures}
            low, high = (_at_end(kind, order, market, ways, end) for end in ("low", "high"))
        except InputError as error:
            problem = Doubt("input", {"field": error.field, "value": error.value, "allowed": error.allowed})
    if problem is not None:
        return TimedPath(kind, order, rented, {}, None, None, problem)
    return TimedPath(kind, order, rented, costs, low, high, None)


def _problem(
    kind: PathKind, rented_months: int, ways: Mapping[Acquisition, Costed], horizon_months: int
) -> Doubt | None:
    """Why a path has no cost: a leg without a price, or a purchase that serves after the horizon."""
    for way in _WAYS_OF[kind] if rented_months else _WAYS_OF[kind][:1]:
        if ways[way].option is None:
            return ways[way].problem or Doubt("no-fleet", {})
    if rented_months >= horizon_months:
        return Doubt("nothing-left", {"months": rented_months, "horizon": horizon_months})
    return None


def _cost(kind: PathKind, order: int, market: _Market, ways: Mapping[Acquisition, Costed], drift: Amount) -> Any:
    if kind in ("buy-now", "rent-then-buy"):
        return market.bought_usd(order, drift)
    return market.rented_usd(drift, option=ways[_WAYS_OF[kind][0]].option)


def _at_end(
    kind: PathKind, order: int, market: _Market, ways: Mapping[Acquisition, Costed], end: Literal["low", "high"]
) -> float | None:
    """The cost with every price of the path at one end of its rows; None where the reader states one of them."""
    priced = dict(ways)
    for way in _WAYS_OF[kind]:
        one = ways[way]
        if one.option is None or one.defaults is None:
            continue
        field = "server_price_usd" if way == "buy" else "rent_usd_per_gpu_hour"
        origin = one.defaults.origins[field]
        value = getattr(origin, end)
        if value is None or origin.kind == "user":
            return None
        moved = replace(one.defaults, option=replace(one.option, **{field: value}))
        priced[way] = replace(one, defaults=moved)
    at_end = replace(market, owned=priced["buy"].option, rented=priced["rent"].option)
    return _number(_cost(kind, order, at_end, priced, 0.0))


def _by_horizon(kind: PathKind, order: int, market: _Market, ways: Mapping[Acquisition, Costed]) -> dict[int, float]:
    """The cost of a path at each horizon with flat prices."""
    found = {}
    for months in HORIZONS:
        at = replace(market, finance=replace(market.finance, horizon_months=months))
        own = ways["buy"].option
        rented = order + market.lead_months + (own.acceptance_months if own else 0)
        if _problem(kind, 0 if kind not in ("buy-now", "rent-then-buy") else rented, ways, months) is None:
            try:
                found[months] = _number(_cost(kind, order, at, ways, 0.0))
            except InputError:
                continue
    return found


def _break_even(path: TimedPath, market: _Market, ways: Mapping[Acquisition, Costed]) -> BreakEven | None:
    """The changes of prices at which a path costs what buying now costs; None where either has no cost."""
    if not path.npv_usd or market.owned is None or (market.lead_months and market.rented is None):
        return None

    drift = np.linspace(*DRIFT_RANGE, _POINTS)
    try:
        ours = _cost(path.kind, path.order_month, market, ways, drift[:, None])
        difference = np.broadcast_to(ours - market.bought_usd(0, drift[:, None]), (_POINTS, 1)).ravel()
    except InputError:
        return None
    return BreakEven(path.kind, path.order_month, _zeros(drift, difference), "path" if difference[0] < 0 else "buy-now")


def _zeros(values: NDArray[np.float64], differences: NDArray[np.float64]) -> tuple[float, ...]:
    """Where a difference changes its sign, straight between two points."""
    at = np.flatnonzero(np.signbit(differences[:-1]) != np.signbit(differences[1:]))
    share = differences[at] / (differences[at] - differences[at + 1])
    return tuple(float(one) for one in values[at] + share * (values[at + 1] - values[at]))


def _resale(found: Timing, market: _Market) -> ResaleRisk | None:
    """Buying now with nothing, little and much at the end, and the worth that keeps it ahead of renting."""
    buying = found.path("buy-now")
    own = found.ways["buy"]
    if not buying.npv_usd or market.owned is None or own.defaults is None or not market.owned.residual_by_year:
        return None
    scale = float(np.asarray(market.owned.residual_scale))
    age = market.finance.horizon_months - market.lead_months
    assumed = float(residual_fraction(market.owned.residual_by_year, age, 1.0))

    def cost(residual: Amount) -> Any:
        at_one = replace(market, owned=replace(market.owned, residual_scale=1.0))  # type: ignore[type-var]
        return at_one.bought_usd(0, 0.0, residual=residual)

    rivals = [path for path in found.paths if path.npv_usd and path.kind not in ("buy-now", "rent-then-buy")]
    rival = min(rivals, key=lambda path: path.npv_usd["flat"], default=None)
    needed = None
    if rival is not None and assumed:
        target = rival.npv_usd["flat"]
        scales = np.linspace(0.0, 1 / assumed, _POINTS)
        at = _zeros(scales, np.asarray(cost(scales[:, None])).ravel() - target)
        needed = at[0] * assumed if at else (0.0 if _number(cost(0.0)) <= target else None)
    low, high = own.defaults.resale.scales(age) if own.defaults.resale is not None else (scale, scale)
    return ResaleRisk(
        assumed_fraction=min(assumed * scale, 1.0),
        nothing_usd=_number(cost(0.0)),
        low_usd=_number(cost(high)),
        high_usd=_number(cost(low)),
        low_fraction=min(assumed * low, 1.0),
        high_fraction=min(assumed * high, 1.0),
        needed_fraction=needed,
        rival=rival.kind if rival else None,
    )


def _wait(catalog: Catalog, found: Timing, market: _Market, product: Product | None) -> Wait | None:
    """The most that the same work may cost when an announced part is there; None where nothing is announced or costed."""
    if product is None or found.best is None or market.owned is None or market.rented is None:
        return None
    soonest, latest = waits(product, as_of(catalog))
    targets = found.path("buy-now").npv_usd.get("flat"), found.best.npv_usd["flat"]
    against = [(_most_usd(market, soonest, one), _most_usd(market, latest, one)) for one in targets]
    price = _number(market.owned.server_price_usd)
    return Wait(product, (soonest, latest), price, *against)


def _most_usd(market: _Market, month: int, target_usd: float | None) -> float | None:
    """The server price of an order in a month at which the path costs a target: its cost is linear in that price."""
    own = market.owned
    if own is None or target_usd is None:
        return None
    if month + market.lead_months + own.acceptance_months >= market.finance.horizon_months:
        return None
    price = _number(own.server_price_usd)
    free, paid = (_number(market.bought_usd(month, 0.0, price=one)) for one in (0.0, price))
    return price * (target_usd - free) / (paid - free) if paid > free else None


def _number(value: Any) -> float:
    return float(np.asarray(value).reshape(()))
