"""Cash flows of an option by month and component, and their totals: nominal and at month 0.

Timing: month 0 is the decision, and the horizon is counted from it. A purchase is ordered in its order month: a deposit
on servers, network and spares is paid then, the rest at delivery, with installation and fit-out; acceptance follows,
the software is moved, and service begins. Energy, facility, support, licences, staff, storage, egress and rent are paid
at the end of each month of service; what a commitment has prepaid at the start of each of its terms; what it binds
beyond the horizon in the last month. Until service begins a bridge, if there is one, is paid at the end of each month.
Hardware is sold at the end of the last month, at its age since delivery. Prices of the market (electricity, facility,
rent on demand) change at each new year from month 0; a commitment renews at the end of its term. Sign: a cost is
positive, the resale negative. Taxes are left out. All amounts are US dollars.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from lib.cost.energy import average_power_kw, energy_cost_usd
from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount, Computed
from lib.cost.streams import NOTHING, Stream, laid_out, values_at_start
from lib.cost.time_value import discount_factors
from lib.cost.timing import served_months
from lib.errors import InputError
from lib.records import Doubt
from lib.units import HOURS_PER_MONTH, MONTHS_PER_YEAR

Measure = Literal["npv", "nominal"]
"""What a sum of flows is: their value at month 0, or the dollars as paid."""

COMPONENTS: Final = (
    "hardware", "network", "installation", "migration", "energy", "facility", "support", "licences", "staff", "storage",
    "egress", "rental", "bridge", "spares", "resale",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flows:
    """Monthly flows of one option: positive is paid, months 0 to n stand last in every array.

    Power and energy are those of a month of service.
    """

    option: Option
    finance: Finance
    components: Mapping[str, NDArray[np.float64]]
    discount_factors: NDArray[np.float64]
    load_kw: Computed
    average_kw: Computed
    energy_kwh_per_month: Computed
    doubts: tuple[Doubt, ...]

    @property
    def total(self) -> NDArray[np.float64]:
        """Nominal flow of each month [USD]."""
        return np.asarray(sum(self.components[name] for name in COMPONENTS))

    @property
    def cumulative(self) -> NDArray[np.float64]:
        """Nominal cost up to the end of each month [USD]; the last one is sold and closed."""
        return self.total.cumsum(axis=-1)

    @property
    def cumulative_discounted(self) -> NDArray[np.float64]:
        """Cost up to the end of each month at month 0 [USD]."""
        return (self.total * self.discount_factors).cumsum(axis=-1)

    def by_component(self, *, discounted: bool = False) -> dict[str, Computed]:
        """Each component summed over all months [USD], nominal or at month 0."""
        return {name: self._weighted(flow, discounted).sum(axis=-1) for name, flow in self.components.items()}

    def by_year(self, *, discounted: bool = False) -> dict[str, NDArray[np.float64]]:
        """Each component by year [USD]: year 0 is month 0 alone, year 1 the months 1 to 12; the last may be shorter."""
        starts = [0, *range(1, self.finance.horizon_months + 1, MONTHS_PER_YEAR)]
        return {
            name: np.add.reduceat(self._weighted(flow, discounted), starts, axis=-1)
            for name, flow in self.components.items()
        }

    @property
    def nominal_usd(self) -> Computed:
        """Sum of all flows [USD]."""
        return self.total.sum(axis=-1)

    @property
    def npv_usd(self) -> Computed:
        """Value of all flows at month 0 [USD]."""
        return (self.total * self.discount_factors).sum(axis=-1)

    def _weighted(self, flow: NDArray[np.float64], discounted: bool) -> NDArray[np.float64]:
        return flow * self.discount_factors if discounted else flow


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums of an option's flows by component, without the months: for sweeps and draws."""

    nominal_by_component: Mapping[str, Computed]
    npv_by_component: Mapping[str, Computed]

    @property
    def nominal_usd(self) -> Computed:
        """Sum of all flows [USD]."""
        return sum(self.nominal_by_component.values())

    @property
    def npv_usd(self) -> Computed:
        """Value of all flows at month 0 [USD]."""
        return sum(self.npv_by_component.values())


def residual_fraction(by_year: tuple[Amount, ...], months: int, scale: Amount = 1.0) -> Computed:
    """What hardware is still worth after some months (estimate: linear between the stated years).

    Parameters
    ----------
    by_year : tuple of float or ndarray
        Worth after years 1, 2, ... [fraction of the purchase price]; empty when it is not sold.
    months : int
        Age [months].
    scale : float or ndarray
        Factor on the curve.

    Returns
    -------
    float or ndarray
        Worth [fraction of the purchase price], from 0 to 1.

    Raises
    ------
    InputError
        If the age lies beyond the last stated year.

    Notes
    -----
    Before the first stated year the value of that year holds: a price for hardware a few months old was not found, and
    a straight line from the full price would let a purchase pay within a month by selling it again.

    Examples
    --------
    >>> residual_fraction((0.625, 0.425, 0.30), 36)
    0.3
    >>> residual_fraction((0.625, 0.425, 0.30), 18)
    0.525
    """
    if not by_year:
        return 0.0
    longest = len(by_year) * MONTHS_PER_YEAR
    if months > longest:
        raise InputError("horizon_months", months, f"up to {longest} months: no residual value is stated beyond")
    whole, rest = divmod(max(months, MONTHS_PER_YEAR), MONTHS_PER_YEAR)
    value = by_year[whole - 1]
    if rest:
        value = value + (by_year[whole] - value) * (rest / MONTHS_PER_YEAR)
    scaled = value * scale
    return np.minimum(scaled, 1.0) if isinstance(scaled, np.ndarray) else min(scaled, 1.0)


def monthly_flows(option: Option, finance: Finance) -> Flows:
    """Every flow of an option, month by month and component by component.

    Parameters
    ----------
    option : Option
        What is bought or rented.
    finance : Finance
        Horizon, prices of running, discount rate.

    Returns
    -------
    Flows
        Components of shape (months + 1,), or (draws, months + 1) where an amount is an array of draws.

    Raises
    ------
    InputError
        If the horizon ends before service begins, or later than the residual values reach.

    Notes
    -----
    A commitment that outlasts the horizon is owed to its end, also when it is longer than the whole horizon: the rest
    is charged in the last month, with a doubt. An unknown lead time counts as none, with a doubt.

    Examples
    --------
    Four MI355X at 1,409 USD per GPU-month cost 5,636 USD a month (article A3).

    >>> rented = Option(accelerator_id="mi355x", acquisition="rent", gpus=4, rent_usd_per_gpu_hour=1409 / 730)
    >>> monthly_flows(rented, Finance(horizon_months=2)).total.round(2).tolist()
    [0.0, 5636.0, 5636.0]
    """
    months = finance.horizon_months
    streams = _streams(option, finance)
    shapes = [np.shape(value) for stream in streams.values() for value in stream.amounts]
    lead = np.broadcast_shapes(*shapes, np.shape(finance.discount_rate))[:-1]
    load, average = _power(option, finance)
    return Flows(
        option=option,
        finance=finance,
        components=MappingProxyType({name: laid_out(stream, months, lead) for name, stream in streams.items()}),
        discount_factors=discount_factors(finance.discount_rate, months),
        load_kw=load,
        average_kw=average,
        energy_kwh_per_month=average * HOURS_PER_MONTH * finance.power_usage_effectiveness,
        doubts=_doubts(option, finance),
    )


def totals(option: Option, finance: Finance) -> Totals:
    """Sums of an option's flows by component, nominal and at month 0, without laying out the months.

    Parameters
    ----------
    option : Option
        What is bought or rented.
    finance : Finance
        Horizon, prices of running, discount rate.

    Returns
    -------
    Totals
        The sums of `monthly_flows`, as numbers or of shape (draws, 1).

    Raises
    ------
    InputError
        As `monthly_flows`.

    Examples
    --------
    Five years of eight H100 on demand at 98.32 USD an hour, published as 4,306,415 USD.

    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=98.32 / 8)
    >>> round(totals(rented, Finance(horizon_months=60)).nominal_usd)
    4306416

    References
    ----------
    alpha-one-index, ai-infra-index, specs/buy-vs-rent-decision-framework.md
    """
    streams = _streams(option, finance)
    return Totals(
        nominal_by_component=MappingProxyType(values_at_start(streams, 0.0, finance.horizon_months)),
        npv_by_component=MappingProxyType(values_at_start(streams, finance.discount_rate, finance.horizon_months)),
    )


def total_usd(option: Option, finance: Finance, measure: Measure = "npv") -> Computed:
    """The sum of all flows under one measure: half the work of `totals`.

    Parameters
    ----------
    option : Option
        What is bought or rented.
    finance : Finance
        Horizon, prices of running, discount rate.
    measure : {"npv", "nominal"}
        At month 0, or as paid.

    Returns
    -------
    float or ndarray
        Sum [USD], of shape (draws, 1) where an amount is an array of draws.

    Raises
    ------
    InputError
        As `monthly_flows`.

    Examples
    --------
    A flat rent of 100 USD a month.

    >>> rented = Option(accelerator_id="h100-sxm", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=100 / 730)
    >>> round(total_usd(rented, Finance(horizon_months=24), "nominal"), 9)
    2400.0
    """
    rate = finance.discount_rate if measure == "npv" else 0.0
    return sum(values_at_start(_streams(option, finance), rate, finance.horizon_months).values())


def _streams(option: Option, finance: Finance) -> dict[str, Stream]:
    """The components of an option in the order of COMPONENTS."""
    served_months(option, finance)
    start = option.service_month
    streams = dict.fromkeys(COMPONENTS, NOTHING)
    streams["migration"] = Stream(single=((start, option.migration_usd),))
    licences = option.held_gpus * option.licence_usd_per_gpu_year / MONTHS_PER_YEAR
    people = option.servers * option.staff_fte_per_server
    streams["licences"] = Stream(monthly=licences, after=start)
    streams["staff"] = Stream(monthly=people * finance.staff_usd_per_fte_year / MONTHS_PER_YEAR, after=start)
    streams["storage"] = Stream(monthly=option.storage_tb * option.storage_usd_per_tb_month, after=start)
    streams["egress"] = Stream(monthly=option.egress_tb_per_month * option.egress_usd_per_tb, after=start)
    streams["bridge"] = _bridge(option)
    streams.update(_owned(option, finance) if option.buys else _rented(option, finance))
    return streams


def _bridge(option: Option) -> Stream:
    """What is paid each month until service begins."""
    if option.bridge == "none" or not option.service_month:
        return NOTHING
    monthly = option.bridge_usd_per_month
    if option.bridge == "rent":
        gpus = option.gpus if option.bridge_gpus is None else option.bridge_gpus
        monthly = gpus * _known(option.bridge_usd_per_gpu_hour) * HOURS_PER_MONTH
    return Stream(monthly=_known(monthly), until=option.service_month)


def _owned(option: Option, finance: Finance) -> dict[str, Stream]:
    start, delivered = option.service_month, option.delivery_month
    hardware = option.servers * _known(option.server_price_usd)
    load, average = _power(option, finance)
    age = finance.horizon_months - delivered
    residual = residual_fraction(option.residual_by_year, age, option.residual_scale)
    installing = option.installation_usd_per_gpu * option.held_gpus + option.fit_out_usd_per_kw * load
    energy = energy_cost_usd(
        average, HOURS_PER_MONTH, finance.power_usage_effectiveness, finance.electricity_usd_per_kwh
    )
    return {
        "hardware": _ordered(option, hardware),
        "network": _ordered(option, option.network_usd_per_gpu * option.held_gpus),
        "installation": Stream(single=((delivered, installing),)),
        "energy": Stream(monthly=energy, after=start, change=finance.electricity_change_per_year),
        "facility": Stream(
            monthly=load * finance.colocation_usd_per_kw_month, after=start, change=finance.colocation_change_per_year
        ),
        "support": Stream(monthly=hardware * option.hardware_support_fraction / MONTHS_PER_YEAR, after=start),
        "spares": _ordered(option, hardware * option.spares_fraction),
        "resale": Stream(single=((finance.horizon_months, -hardware * residual),)),
    }


def _ordered(option: Option, amount: Amount) -> Stream:
    """An amount with its deposit at the order and the rest at delivery."""
    order, delivered = option.order_month, option.delivery_month
    if order == delivered:
        return Stream(single=((order, amount),))
    deposit = option.deposit_fraction
    return Stream(single=((order, amount * deposit), (delivered, amount * (1 - deposit))))


def _rented(option: Option, finance: Finance) -> dict[str, Stream]:
    start, months = option.service_month, finance.horizon_months
    used = finance.utilisation if option.billing == "used-hours" else 1.0
    monthly = option.gpus * _known(option.rent_usd_per_gpu_hour) * HOURS_PER_MONTH * used
    term, yearly = option.term_months, option.rent_change_per_year
    if term is None:
        beyond = max(option.minimum_months - (months - start), 0)
        owed = beyond * monthly * (1 + yearly) ** ((months - 1) // MONTHS_PER_YEAR)
        rent = Stream(((months, owed),) if beyond else (), monthly=monthly, after=start, change=yearly)
    else:
        renewals, into_term = divmod(months - start - 1, term)
        change = (1 + yearly) ** (term / MONTHS_PER_YEAR) - 1
        later = 1 - option.prepaid_fraction
        owed = monthly * later * (term - 1 - into_term) * (1 + change) ** renewals
        rent = Stream(
            single=((months, owed),),
            monthly=monthly * later,
            after=start,
            change=change,
            step_months=term,
            steps_from=start,
            advance=monthly * option.prepaid_fraction * term,
        )
    return {"rental": rent, "support": rent.times(option.rent_support_fraction)}


def _power(option: Option, finance: Finance) -> tuple[Computed, Computed]:
    """Power of all servers at load and on average [kW]; zero for a rental, whose power the provider pays."""
    if not option.buys:
        return 0.0, 0.0
    load = option.servers * _known(option.load_kw_per_server)
    idle = option.servers * _known(option.idle_kw_per_server)
    return load, average_power_kw(load, idle, finance.utilisation, option.gpus / option.held_gpus)


def _known(value: Amount | None) -> Amount:
    """A value that Option has checked to be there."""
    assert value is not None  # noqa: S101
    return value


def _doubts(option: Option, finance: Finance) -> tuple[Doubt, ...]:
    doubts = []
    if option.held_gpus > option.gpus:
        doubts.append(Doubt("idle-gpus", {"needed": option.gpus, "installed": option.held_gpus}))
    if beyond := _months_beyond(option, finance):
        doubts.append(Doubt("commitment-outlasts-horizon", {"months": beyond}))
    if option.delivery_months is None:
        doubts.append(Doubt("lead-time-unknown", {}))
    if option.service_month and option.bridge == "none":
        doubts.append(Doubt("nothing-serves-before", {"months": option.service_month}))
    return tuple(doubts)


def _months_beyond(option: Option, finance: Finance) -> int:
    """Months that a commitment binds beyond the horizon."""
    served = served_months(option, finance)
    if option.term_months:
        return -served % option.term_months
    return max(option.minimum_months - served, 0)
