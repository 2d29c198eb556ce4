"""From the cost of one option to that of another, component by component: the steps of a waterfall."""

from dataclasses import dataclass

import numpy as np

from lib.cost.cash_flow import Measure, Totals
from lib.cost.ranges import Computed
from lib.errors import InputError


@dataclass(frozen=True, slots=True)
class Step:
    """What one component adds on the way from the first option to the second, and the level before and after."""

    component: str
    first_usd: float
    second_usd: float
    from_usd: float
    to_usd: float

    @property
    def change_usd(self) -> float:
        """Cost of the component in the second option less that in the first [USD]."""
        return self.second_usd - self.first_usd


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The cost of the first option, a step for each component, and the cost of the second."""

    measure: Measure
    first_usd: float
    second_usd: float
    steps: tuple[Step, ...]

    @property
    def change_usd(self) -> float:
        """Cost of the second option less that of the first [USD]."""
        return self.second_usd - self.first_usd

    @property
    def moving(self) -> tuple[Step, ...]:
        """The steps of components that differ."""
        return tuple(step for step in self.steps if step.change_usd)


def waterfall(first: Totals, second: Totals, measure: Measure = "npv") -> Waterfall:
    """The way from the cost of one option to that of another (exact).

    second = first + sum over components of (second - first)

    Parameters
    ----------
    first, second : Totals
        Sums of the two options, without draws.
    measure : {"npv", "nominal"}
        Value at month 0, or dollars paid.

    Returns
    -------
    Waterfall
        One step for each component that either has, in the order of the first; the level after the last is the cost of
        the second.

    Raises
    ------
    InputError
        If a component is an array of draws.

    Examples
    --------
    Eight H100 at 98.32 USD an hour against the server at 833,806 USD, 0.87 USD an hour to run, over three years:

    >>> from lib.cost.cash_flow import totals
    >>> from lib.cost.options import Finance, Option
    >>> finance = Finance(horizon_months=36, electricity_usd_per_kwh=0.15)
    >>> rented = Option(accelerator_id="h100-nvl", acquisition="rent", gpus=8, rent_usd_per_gpu_hour=98.32 / 8)
    >>> bought = Option(accelerator_id="h100-nvl", acquisition="buy", gpus=8, server_price_usd=833_806.0,
    ...                 load_kw_per_server=5.8, idle_kw_per_server=0.0)
    >>> found = waterfall(totals(rented, finance), totals(bought, finance))
    >>> [(step.component, round(step.change_usd)) for step in found.moving]
    [('hardware', 833806), ('energy', 22864), ('rental', -2583850)]

    References
    ----------
    Lenovo Press LP2225 (2025)
    """
    if measure not in ("npv", "nominal"):
        raise InputError("measure", measure, "npv or nominal")
    one, other = (
        total.npv_by_component if measure == "npv" else total.nominal_by_component for total in (first, second)
    )
    components = dict.fromkeys([*one, *other])
    amounts = [(_number(one.get(name, 0.0)), _number(other.get(name, 0.0))) for name in components]
    start = level = sum(amount for amount, _ in amounts)
    steps = []
    for name, (before, after) in zip(components, amounts, strict=True):
        steps.append(Step(name, before, after, level, level + (after - before)))
        level = steps[-1].to_usd
    return Waterfall(measure, start, level, tuple(steps))


def _number(amount: Computed) -> float:
    if np.ndim(amount):
        raise InputError("totals", f"an array of shape {np.shape(amount)}", "numbers, not draws")
    return float(amount)
