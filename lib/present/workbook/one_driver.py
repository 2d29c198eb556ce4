"""The net present value with one driver at another value, as one formula: for the table of sensitivity and price ranges."""

from collections.abc import Mapping
from typing import Final

from lib.cost.options import Option

_ENERGY: Final = "hours_per_month*power_usage_effectiveness*electricity_usd_per_kwh*energy_factor"
_SERVED_FACTOR: Final = "discounted_months"
_ORDERED: Final = "SUMPRODUCT(order_share,factors)"
_AT_DELIVERY: Final = "(1+discount_rate)^(-delivery_month/12)"
_AT_SERVICE: Final = "(1+discount_rate)^(-service_month/12)"

_SLOPES: Final[Mapping[str, str]] = {
    "migration_usd": _AT_SERVICE,
    "licence_usd_per_gpu_year": f"held_gpus/12*{_SERVED_FACTOR}",
    "staff_fte_per_server": f"servers*staff_usd_per_fte_year/12*{_SERVED_FACTOR}",
    "staff_usd_per_fte_year": f"servers*staff_fte_per_server/12*{_SERVED_FACTOR}",
    "storage_tb": f"storage_usd_per_tb_month*{_SERVED_FACTOR}",
    "storage_usd_per_tb_month": f"storage_tb*{_SERVED_FACTOR}",
    "egress_tb_per_month": f"egress_usd_per_tb*{_SERVED_FACTOR}",
    "egress_usd_per_tb": f"egress_tb_per_month*{_SERVED_FACTOR}",
}
_SLOPES_OWNED: Final[Mapping[str, str]] = {
    "server_price_usd": (
        f"servers*({_ORDERED}*(1+spares_fraction)+hardware_support_fraction/12*{_SERVED_FACTOR}"
        "-residual_fraction*last_factor)"
    ),
    "network_usd_per_gpu": f"held_gpus*{_ORDERED}",
    "installation_usd_per_gpu": f"held_gpus*{_AT_DELIVERY}",
    "fit_out_usd_per_kw": f"load_kw*{_AT_DELIVERY}",
    "hardware_support_fraction": f"hardware_usd/12*{_SERVED_FACTOR}",
    "spares_fraction": f"hardware_usd*{_ORDERED}",
    "load_kw_per_server": (
        f"servers*(utilisation*gpus/held_gpus*{_ENERGY}+colocation_usd_per_kw_month*facility_factor"
        f"+fit_out_usd_per_kw*{_AT_DELIVERY})"
    ),
    "idle_kw_per_server": f"servers*(1-utilisation*gpus/held_gpus)*{_ENERGY}",
    "utilisation": f"(load_kw-idle_kw)*gpus/held_gpus*{_ENERGY}",
    "electricity_usd_per_kwh": "average_kw*hours_per_month*power_usage_effectiveness*energy_factor",
    "power_usage_effectiveness": "average_kw*hours_per_month*electricity_usd_per_kwh*energy_factor",
    "colocation_usd_per_kw_month": "load_kw*facility_factor",
}
_FACTORS: Final[Mapping[str, str]] = {
    "energy_factor": "SUMPRODUCT(serves,factors,(1+electricity_change_per_year)^price_steps)",
    "facility_factor": "SUMPRODUCT(serves,factors,(1+colocation_change_per_year)^price_steps)",
}


def moved_npv(field: str, option: Option, value: str) -> str | None:
    """A formula for the net present value with one field at another value; None where the whole must be done again.

    Parameters
    ----------
    field : str
        Of the option or the finance.
    option : Option
        What is bought or rented.
    value : str
        The cell or name that holds the other value.

    Returns
    -------
    str or None
        Exact: the value is linear in most fields, and the others are discounted or sold anew.
    """
    if field == "discount_rate":
        return f"SUMPRODUCT(total,(1+{value})^(-months/12))"
    slope = _SLOPES.get(field) or (_SLOPES_OWNED if option.buys else {}).get(field)
    if slope is not None:
        for name, factor in _FACTORS.items():
            slope = slope.replace(name, factor)
        return f"npv_usd+({value}-{field})*{slope}"
    if field in ("bridge_usd_per_gpu_hour", "bridge_usd_per_month"):
        return f"npv_usd+npv_bridge*({value}/{field}-1)" if getattr(option, field) else None
    return _owned_again(field, value) if option.buys else _rented_again(field, option, value)


def _owned_again(field: str, value: str) -> str | None:
    match field:
        case "residual_scale":
            return f"npv_usd-npv_resale-hardware_usd*MIN(worth_at_sale*{value},1)*last_factor"
        case "colocation_change_per_year":
            return f"npv_usd-npv_facility+facility_usd_per_month*SUMPRODUCT(serves,factors,(1+{value})^price_steps)"
        case "electricity_change_per_year":
            return f"npv_usd-npv_energy+energy_usd_per_month*SUMPRODUCT(serves,factors,(1+{value})^price_steps)"
    return None


def _rented_again(field: str, option: Option, value: str) -> str | None:
    match field:
        case "rent_usd_per_gpu_hour" if option.rent_usd_per_gpu_hour:
            return f"npv_usd+(npv_rental+npv_support)*({value}/rent_usd_per_gpu_hour-1)"
        case "rent_support_fraction":
            return f"npv_usd+({value}-rent_support_fraction)*npv_rental"
        case "rent_change_per_year" if option.term_months is None:
            running = f"SUMPRODUCT(serves,factors,(1+{value})^price_steps)"
            owed = f"months_beyond*(1+{value})^INT((horizon_months-1)/12)*last_factor"
            return f"npv_usd-npv_rental-npv_support+(1+rent_support_fraction)*rent_usd_per_month*({running}+{owed})"
    return None
