"""What is bought or rented, and the money and running conditions that it is held against."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from lib.cost.ranges import Amount, Computed, check_amount, check_count
from lib.errors import InputError
from lib.units import MONTHS_PER_YEAR

Acquisition = Literal["buy", "rent", "commit-1y", "commit-3y"]
Billing = Literal["all-hours", "used-hours"]
Currency = Literal["USD", "CNY", "EUR"]
Bridge = Literal["none", "rent", "old-fleet"]

TERM_MONTHS: Final[Mapping[str, int]] = {"commit-1y": 12, "commit-3y": 36}
"""Months that a commitment binds for."""

LONGEST_HORIZON_MONTHS: Final = 120
MOST_GPUS: Final = 10_000_000

_OPTION_RANGES: Final[Mapping[str, tuple[float, float, str]]] = {
    "server_price_usd": (0, 1e9, "USD per server"),
    "network_usd_per_gpu": (0, 1e6, "USD per GPU"),
    "installation_usd_per_gpu": (0, 1e6, "USD per GPU"),
    "fit_out_usd_per_kw": (0, 1e6, "USD per kW"),
    "load_kw_per_server": (0, 1000, "kW"),
    "idle_kw_per_server": (0, 1000, "kW"),
    "hardware_support_fraction": (0, 1, "of the hardware price per year"),
    "spares_fraction": (0, 1, "of the hardware price"),
    "residual_scale": (0, 10, ""),
    "staff_fte_per_server": (0, 100, "people per server"),
    "migration_usd": (0, 1e10, "USD"),
    "licence_usd_per_gpu_year": (0, 1e6, "USD per GPU-year"),
    "rent_usd_per_gpu_hour": (0, 1e4, "USD per GPU-hour"),
    "rent_change_per_year": (-0.9, 5, "per year"),
    "rent_support_fraction": (0, 1, "of the rent"),
    "prepaid_fraction": (0, 1, "of a commitment"),
    "deposit_fraction": (0, 1, "of the order"),
    "bridge_usd_per_gpu_hour": (0, 1e4, "USD per GPU-hour"),
    "bridge_usd_per_month": (0, 1e10, "USD per month"),
    "storage_tb": (0, 1e9, "TB"),
    "storage_usd_per_tb_month": (0, 1e5, "USD per TB-month"),
    "egress_tb_per_month": (0, 1e9, "TB per month"),
    "egress_usd_per_tb": (0, 1e5, "USD per TB"),
}
_OPTION_MONTHS: Final = ("order_month", "delivery_months", "acceptance_months", "minimum_months")
_BRIDGE_NEEDS: Final[Mapping[str, str]] = {"rent": "bridge_usd_per_gpu_hour", "old-fleet": "bridge_usd_per_month"}
_FINANCE_RANGES: Final[Mapping[str, tuple[float, float, str]]] = {
    "discount_rate": (-0.5, 1, "per year"),
    "utilisation": (0, 1, ""),
    "electricity_usd_per_kwh": (0, 10, "USD per kWh"),
    "electricity_change_per_year": (-0.9, 5, "per year"),
    "power_usage_effectiveness": (1, 5, ""),
    "colocation_usd_per_kw_month": (0, 1e5, "USD per kW-month"),
    "colocation_change_per_year": (-0.9, 5, "per year"),
    "staff_usd_per_fte_year": (0, 1e8, "USD per person and year"),
    "currency_per_usd": (1e-6, 1e6, "per USD"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to have accelerators; amounts are numbers or draws of shape (draws, 1), None is a fact nobody stated.

    A purchase needs `server_price_usd` and both powers; a rental needs `rent_usd_per_gpu_hour`. A rental pays rent,
    its support, licences, staff, storage, egress and migration; what only an owner pays is left out of it. Months are
    whole and counted from month 0, the day of the decision; they are never draws.

    Attributes
    ----------
    accelerator_id : str
        The part.
    acquisition : {"buy", "rent", "commit-1y", "commit-3y"}
        Bought, rented on demand, or rented under a commitment that is renewed as long as the horizon lasts.
    gpus : int
        GPUs that the work needs.
    gpus_per_server : int
        GPUs that come with one server: a purchase is whole servers.
    server_price_usd : float or ndarray or None
        A complete server with its GPUs [USD].
    network_usd_per_gpu, installation_usd_per_gpu : float or ndarray
        Scale-out network and setting up, once [USD per installed GPU].
    fit_out_usd_per_kw : float or ndarray
        Cooling and fit-out of the room, once [USD per kW of server power at load].
    load_kw_per_server, idle_kw_per_server : float or ndarray or None
        Power of a server at work and idle [kW].
    hardware_support_fraction : float or ndarray
        Support per year [fraction of the hardware price].
    spares_fraction : float or ndarray
        Spare parts bought at the start [fraction of the hardware price]; they neither run nor are they sold again.
    residual_by_year : tuple of float or ndarray
        What hardware is worth after years 1, 2, ... [fraction of its price]; empty: it is not sold.
    residual_scale : float or ndarray
        Factor on that curve; the result is at most 1.
    staff_fte_per_server : float or ndarray
        People per server [full-time equivalents].
    migration_usd : float or ndarray
        Moving the software, once [USD].
    licence_usd_per_gpu_year : float or ndarray
        Software licences [USD per GPU and year], for the installed or the rented GPUs.
    rent_usd_per_gpu_hour : float or ndarray or None
        Rent [USD per GPU-hour].
    rent_change_per_year : float or ndarray
        Change of the rent: at each new year on demand, at each renewal of a commitment [fraction per year].
    rent_support_fraction : float or ndarray
        The provider's support [fraction of the rent].
    prepaid_fraction : float or ndarray
        Part of a commitment that is paid at the start of each term [fraction].
    billing : {"all-hours", "used-hours"}
        Whether the rent runs all hours or only those in use; a commitment always runs all hours.
    minimum_months : int
        Months for which an on-demand rental is owed at least [months].
    order_month : int
        When it is ordered [months after the decision].
    delivery_months : int or None
        Lead time from the order to delivery [months]; None where nobody stated it: computed as 0, with a doubt.
    acceptance_months : int
        From delivery to acceptance, when service begins [months].
    deposit_fraction : float or ndarray
        Part of servers, network and spares that is paid at the order; the rest at delivery [fraction].
    bridge : {"none", "rent", "old-fleet"}
        What serves until then: nothing, rented GPUs, or the fleet that is there already.
    bridge_gpus : int or None
        GPUs rented as a bridge; None for as many as the work needs.
    bridge_usd_per_gpu_hour : float or ndarray or None
        Rent of the bridge, for all hours [USD per GPU-hour].
    bridge_usd_per_month : float or ndarray or None
        Cost of keeping the old fleet [USD per month].
    storage_tb, egress_tb_per_month : float or ndarray
        Data kept [TB, 1e12 bytes] and sent out [TB per month] once in service.
    storage_usd_per_tb_month, egress_usd_per_tb : float or ndarray
        Their prices [USD per TB and month] and [USD per TB].
    """

    accelerator_id: str
    acquisition: Acquisition
    gpus: int
    gpus_per_server: int = 8
    server_price_usd: Amount | None = None
    network_usd_per_gpu: Amount = 0.0
    installation_usd_per_gpu: Amount = 0.0
    fit_out_usd_per_kw: Amount = 0.0
    load_kw_per_server: Amount | None = None
    idle_kw_per_server: Amount | None = None
    hardware_support_fraction: Amount = 0.0
    spares_fraction: Amount = 0.0
    residual_by_year: tuple[Amount, ...] = ()
    residual_scale: Amount = 1.0
    staff_fte_per_server: Amount = 0.0
    migration_usd: Amount = 0.0
    licence_usd_per_gpu_year: Amount = 0.0
    rent_usd_per_gpu_hour: Amount | None = None
    rent_change_per_year: Amount = 0.0
    rent_support_fraction: Amount = 0.0
    prepaid_fraction: Amount = 0.0
    billing: Billing = "all-hours"
    minimum_months: int = 0
    order_month: int = 0
    delivery_months: int | None = 0
    acceptance_months: int = 0
    deposit_fraction: Amount = 0.0
    bridge: Bridge = "none"
    bridge_gpus: int | None = None
    bridge_usd_per_gpu_hour: Amount | None = None
    bridge_usd_per_month: Amount | None = None
    storage_tb: Amount = 0.0
    storage_usd_per_tb_month: Amount = 0.0
    egress_tb_per_month: Amount = 0.0
    egress_usd_per_tb: Amount = 0.0

    def __post_init__(self) -> None:
        check_acquisition(self.acquisition)
        if self.billing not in ("all-hours", "used-hours"):
            raise InputError("billing", self.billing, "all-hours or used-hours")
        check_count("gpus", self.gpus, 1, MOST_GPUS, "GPUs")
        check_count("gpus_per_server", self.gpus_per_server, 1, 1000, "GPUs")
        for field in _OPTION_MONTHS:
            if getattr(self, field) is not None:
                check_count(field, getattr(self, field), 0, LONGEST_HORIZON_MONTHS, "months")
        for field, (low, high, unit) in _OPTION_RANGES.items():
            value = getattr(self, field)
            if value is not None:
                check_amount(field, value, low, high, unit)
        for year, fraction in enumerate(self.residual_by_year, start=1):
            check_amount(f"residual_by_year[{year}]", fraction, 0, 1, "of the hardware price")
        needed = (
            ("server_price_usd", "load_kw_per_server", "idle_kw_per_server")
            if self.buys
            else ("rent_usd_per_gpu_hour",)
        )
        for field in needed:
            if getattr(self, field) is None:
                low, high, unit = _OPTION_RANGES[field]
                raise InputError(field, None, f"{low:g} to {high:g} {unit}; {self.acquisition} needs it")
        if self.acquisition != "rent" and self.billing == "used-hours":
            raise InputError("billing", self.billing, "all-hours, unless rented on demand")
        if self.term_months is None and not _is_zero(self.prepaid_fraction):
            raise InputError("prepaid_fraction", self.prepaid_fraction, "0, unless under a commitment")
        if self.acquisition != "rent" and self.minimum_months:
            raise InputError("minimum_months", self.minimum_months, "0, unless rented on demand")
        if not self.buys and not _is_zero(self.deposit_fraction):
            raise InputError("deposit_fraction", self.deposit_fraction, "0, unless bought")
        self._check_bridge()

    def _check_bridge(self) -> None:
        """A bridge has its price; its GPUs are a count."""
        if self.bridge not in ("none", *_BRIDGE_NEEDS):
            raise InputError("bridge", self.bridge, "none, rent or old-fleet")
        if self.bridge_gpus is not None:
            check_count("bridge_gpus", self.bridge_gpus, 1, MOST_GPUS, "GPUs")
        field = _BRIDGE_NEEDS.get(self.bridge)
        if field and getattr(self, field) is None:
            low, high, unit = _OPTION_RANGES[field]
            raise InputError(field, None, f"{low:g} to {high:g} {unit}; a bridge of {self.bridge} needs it")

    @property
    def buys(self) -> bool:
        """Whether the servers are bought."""
        return self.acquisition == "buy"

    @property
    def term_months(self) -> int | None:
        """Months that a commitment binds for; None without one."""
        return TERM_MONTHS.get(self.acquisition)

    @property
    def delivery_month(self) -> int:
        """Month of delivery, an unknown lead time counted as none [months after the decision]."""
        return self.order_month + (self.delivery_months or 0)

    @property
    def service_month(self) -> int:
        """Month at whose end service begins: of acceptance [months after the decision]."""
        return self.delivery_month + self.acceptance_months

    @property
    def servers(self) -> int:
        """Whole servers that hold the GPUs."""
        return -(-self.gpus // self.gpus_per_server)

    @property
    def held_gpus(self) -> int:
        """GPUs paid for: those of whole servers when bought, those needed when rented."""
        return self.servers * self.gpus_per_server if self.buys else self.gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Finance:
    """Horizon, prices of running and the value of time; amounts are numbers or draws of shape (draws, 1).

    Attributes
    ----------
    horizon_months : int
        Months from the decision to the end.
    discount_rate : float or ndarray
        Effective annual rate [fraction]: a payment of month m counts (1 + rate)^(-m/12).
    utilisation : float or ndarray
        Share of the hours in which the GPUs work [fraction].
    electricity_usd_per_kwh : float or ndarray
        Price of electricity in the first year [USD per kWh].
    electricity_change_per_year, colocation_change_per_year : float or ndarray
        Change at each new year [fraction].
    power_usage_effectiveness : float or ndarray
        Power of the site per power of the servers [ratio].
    colocation_usd_per_kw_month : float or ndarray
        Space and cooling, without electricity [USD per kW of server power at load and month].
    staff_usd_per_fte_year : float or ndarray
        Cost of one person [USD per year].
    currency : {"USD", "CNY", "EUR"}
        Currency to show results in.
    currency_per_usd : float
        Its rate [units per USD].
    """

    horizon_months: int
    discount_rate: Amount = 0.0
    utilisation: Amount = 1.0
    electricity_usd_per_kwh: Amount = 0.0
    electricity_change_per_year: Amount = 0.0
    power_usage_effectiveness: Amount = 1.0
    colocation_usd_per_kw_month: Amount = 0.0
    colocation_change_per_year: Amount = 0.0
    staff_usd_per_fte_year: Amount = 0.0
    currency: Currency = "USD"
    currency_per_usd: float = 1.0

    def __post_init__(self) -> None:
        check_count("horizon_months", self.horizon_months, 1, LONGEST_HORIZON_MONTHS, "months")
        for field, (low, high, unit) in _FINANCE_RANGES.items():
            check_amount(field, getattr(self, field), low, high, unit)
        if self.currency not in ("USD", "CNY", "EUR"):
            raise InputError("currency", self.currency, "USD, CNY or EUR")
        if self.currency == "USD" and self.currency_per_usd != 1:
            raise InputError("currency_per_usd", self.currency_per_usd, "1 when the currency is USD")

    @property
    def years(self) -> float:
        """The horizon [years]."""
        return self.horizon_months / MONTHS_PER_YEAR

    def in_currency(self, amount_usd: Amount) -> Computed:
        """An amount of US dollars in the currency of this record."""
        return amount_usd * self.currency_per_usd


def check_acquisition(acquisition: str) -> None:
    """Refuse a word that is no way of having accelerators.

    Parameters
    ----------
    acquisition : str
        The word.

    Raises
    ------
    InputError
        If it is none of buy, rent, commit-1y, commit-3y.
    """
    if acquisition not in ("buy", "rent", *TERM_MONTHS):
        raise InputError("acquisition", acquisition, "buy, rent, commit-1y or commit-3y")


def _is_zero(value: Amount) -> bool:
    return not np.any(np.asarray(value))
