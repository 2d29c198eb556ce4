"""Which assumption each field of a cost comes from, in one table, with the factor from the row's unit to the field's."""

from collections.abc import Mapping
from typing import Final

from lib.cost.origins import Origin, assumed
from lib.errors import UnknownNameError
from lib.records import Assumption

_PERCENT: Final = 0.01
_GB_PER_TB: Final = 1000.0
_USD_PER_KW_OF_MUSD_PER_MW: Final = 1000.0
_DIGITS: Final = 10

ASSUMED: Final[Mapping[str, tuple[str, float]]] = {
    "discount_rate": ("fin-discount", _PERCENT),
    "utilisation": ("rent-util", _PERCENT),
    "electricity_usd_per_kwh": ("fac-elec-us", 1.0),
    "power_usage_effectiveness": ("fac-pue-colo", 1.0),
    "colocation_usd_per_kw_month": ("fac-colo-us", 1.0),
    "colocation_change_per_year": ("fac-colo-escalator", _PERCENT),
    "staff_usd_per_fte_year": ("staff-loaded", 1.0),
    "staff_fte_per_server": ("staff-8gpu", 1.0),
    "hardware_support_fraction": ("sw-hwsupport", _PERCENT),
    "migration_engineer_weeks": ("mig-elapsed", 1.0),
    "network_usd_per_gpu": ("capex-net-roce", 1.0),
    "installation_usd_per_gpu": ("capex-install-setup", 1.0),
    "spares_fraction": ("capex-spares", _PERCENT),
    "rent_support_fraction": ("rent-support", _PERCENT),
    "storage_usd_per_tb_month": ("rent-storage", _GB_PER_TB),
    "egress_usd_per_tb": ("rent-egress", _GB_PER_TB),
}
"""Fields whose default is the base of a row."""

OPTIONAL: Final[Mapping[str, tuple[str, float]]] = {
    "fit_out_usd_per_kw": ("capex-fitout", 1.0),
    "own_facility_usd_per_kw": ("fac-build", _USD_PER_KW_OF_MUSD_PER_MW),
    "licence_usd_per_gpu_year": ("sw-nvaie-list", 1.0),
    "rent_change_per_year": ("rent-decline", _PERCENT),
}
"""Fields that a row has a range for, and that are used only where somebody wants them."""


def range_of(field: str, assumptions: Mapping[str, Assumption]) -> tuple[float, float, float]:
    """Low, base and high of a field in the field's unit, from its assumption.

    Parameters
    ----------
    field : str
        A key of ASSUMED or OPTIONAL.
    assumptions : mapping of str to Assumption
        The edition's assumptions.

    Returns
    -------
    tuple of float
        Low, base, high.

    Raises
    ------
    UnknownNameError
        If there is no such field, or its assumption has gone or is a gap.
    """
    origin = origin_of(field, assumptions)
    return origin.low or 0.0, origin.base or 0.0, origin.high or 0.0


def origin_of(field: str, assumptions: Mapping[str, Assumption]) -> Origin:
    """The assumption of a field as its origin, in the field's unit.

    Parameters
    ----------
    field : str
        A key of ASSUMED or OPTIONAL.
    assumptions : mapping of str to Assumption
        The edition's assumptions.

    Returns
    -------
    Origin
        With low, base and high.

    Raises
    ------
    UnknownNameError
        If there is no such field, or its assumption has gone or is a gap.
    """
    known = {**ASSUMED, **OPTIONAL}
    if field not in known:
        raise UnknownNameError("assumed field", field, known)
    name, factor = known[field]
    row = assumed(assumptions, name)  # percentages come as fractions
    if factor in (1.0, _PERCENT):
        return row
    low, base, high = (round((end or 0.0) * factor, _DIGITS) for end in (row.low, row.base, row.high))
    return Origin(row.kind, row.ids, low, base, high)
