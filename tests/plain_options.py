"""A rent of a dollar an hour and a price of ten months of it: options so plain that each answer is a division."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lib.cost.options import Finance, Option

RENTED = Option(accelerator_id="mi300x", acquisition="rent", gpus=1, rent_usd_per_gpu_hour=1.0)
"""730 USD a month."""
BOUGHT = Option(
    accelerator_id="mi300x",
    acquisition="buy",
    gpus=1,
    gpus_per_server=1,
    server_price_usd=7300.0,
    load_kw_per_server=0.0,
    idle_kw_per_server=0.0,
)
"""Ten months of that rent."""
YEAR = Finance(horizon_months=12)
DISCOUNTED = replace(YEAR, discount_rate=0.2)
ANNUITY = sum(1.2 ** (-month / 12) for month in range(1, 13))
"""What twelve dollars at the ends of twelve months are worth at month 0, at 20 % a year."""


def zero_at(point: float) -> Callable[[np.ndarray], np.ndarray]:
    """A difference that is nothing at a point, and rises through it."""

    def difference(values: np.ndarray) -> np.ndarray:
        return values - point

    return difference
