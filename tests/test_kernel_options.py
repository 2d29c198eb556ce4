"""What an option and a finance may be: the least and the most of each field, and what is said of anything else."""

from typing import Any

import numpy as np
import pytest

from lib.cost.options import Finance, Option, check_acquisition
from lib.errors import InputError

BUY: dict[str, Any] = {
    "accelerator_id": "mi300x", "acquisition": "buy", "gpus": 8, "server_price_usd": 1.0, "load_kw_per_server": 1.0,
    "idle_kw_per_server": 1.0,
}  # fmt: skip
RENT: dict[str, Any] = {
    "accelerator_id": "mi300x", "acquisition": "rent", "gpus": 8, "rent_usd_per_gpu_hour": 1.0,
}  # fmt: skip
COMMIT: dict[str, Any] = {**RENT, "acquisition": "commit-1y"}


@pytest.mark.parametrize(
    ("good", "changes", "said"),
    [
        (RENT, {"acquisition": "lease"}, "acquisition is 'lease'; allowed: buy, rent, commit-1y or commit-3y"),
        (RENT, {"billing": "hourly"}, "billing is 'hourly'; allowed: all-hours or used-hours"),
        (RENT, {"gpus": 0}, "gpus is 0; allowed: a whole number from 1 to 10000000 GPUs"),
        (RENT, {"gpus": 10_000_001}, "gpus is 10000001; allowed: a whole number from 1 to 10000000 GPUs"),
        (BUY, {"gpus_per_server": 0}, "gpus_per_server is 0; allowed: a whole number from 1 to 1000 GPUs"),
        (BUY, {"gpus_per_server": 1001}, "gpus_per_server is 1001; allowed: a whole number from 1 to 1000 GPUs"),
        *((RENT, {field: value}, f"{field} is {value}; allowed: a whole number from 0 to 120 months")
          for field in ("order_month", "delivery_months", "acceptance_months", "minimum_months")
          for value in (-1, 121)),
        (BUY, {"server_price_usd": -1.0}, "server_price_usd is -1.0; allowed: 0 to 1e+09 USD per server"),
        (BUY, {"residual_scale": 11.0}, "residual_scale is 11.0; allowed: 0 to 10"),
        (BUY, {"residual_by_year": (1.5,)},
         "residual_by_year[1] is 1.5; allowed: 0 to 1 of the hardware price"),
        (BUY, {"residual_by_year": (1.0, -0.1)},
         "residual_by_year[2] is -0.1; allowed: 0 to 1 of the hardware price"),
        (BUY, {"server_price_usd": None},
         "server_price_usd is None; allowed: 0 to 1e+09 USD per server; buy needs it"),
        (BUY, {"load_kw_per_server": None}, "load_kw_per_server is None; allowed: 0 to 1000 kW; buy needs it"),
        (BUY, {"idle_kw_per_server": None}, "idle_kw_per_server is None; allowed: 0 to 1000 kW; buy needs it"),
        (RENT, {"rent_usd_per_gpu_hour": None},
         "rent_usd_per_gpu_hour is None; allowed: 0 to 10000 USD per GPU-hour; rent needs it"),
        (COMMIT, {"rent_usd_per_gpu_hour": None},
         "rent_usd_per_gpu_hour is None; allowed: 0 to 10000 USD per GPU-hour; commit-1y needs it"),
        *((good, {"billing": "used-hours"},
           "billing is 'used-hours'; allowed: all-hours, unless rented on demand") for good in (BUY, COMMIT)),
        *((good, {"prepaid_fraction": 0.1},
           "prepaid_fraction is 0.1; allowed: 0, unless under a commitment") for good in (BUY, RENT)),
        *((good, {"minimum_months": 1},
           "minimum_months is 1; allowed: 0, unless rented on demand") for good in (BUY, COMMIT)),
        *((good, {"deposit_fraction": 0.1},
           "deposit_fraction is 0.1; allowed: 0, unless bought") for good in (RENT, COMMIT)),
        (RENT, {"bridge": "borrow"}, "bridge is 'borrow'; allowed: none, rent or old-fleet"),
        *((RENT, {"bridge_gpus": value},
           f"bridge_gpus is {value}; allowed: a whole number from 1 to 10000000 GPUs") for value in (0, 10_000_001)),
        (RENT, {"bridge": "rent", "bridge_usd_per_month": 1.0},
         "bridge_usd_per_gpu_hour is None; allowed: 0 to 10000 USD per GPU-hour; a bridge of rent needs it"),
        (RENT, {"bridge": "old-fleet", "bridge_usd_per_gpu_hour": 1.0},
         "bridge_usd_per_month is None; allowed: 0 to 1e+10 USD per month; a bridge of old-fleet needs it"),
    ],
)  # fmt: skip
def test_an_option_without_meaning_is_refused(good: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    """With the field, its value and what it may be."""
    with pytest.raises(InputError) as caught:
        Option(**{**good, **changes})
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("good", "changes"),
    [
        (BUY, {"gpus": 1, "gpus_per_server": 1}),
        (BUY, {"gpus": 10_000_000, "gpus_per_server": 1000}),
        (BUY, {"order_month": 0, "delivery_months": None, "acceptance_months": 120}),
        (BUY, {"order_month": 120, "delivery_months": 120, "deposit_fraction": 1.0}),
        (BUY, {"residual_by_year": (1.0, 0.0), "rent_usd_per_gpu_hour": None}),
        (BUY, {"server_price_usd": np.array([[1.0], [2.0]]), "deposit_fraction": np.array([[0.1], [0.2]])}),
        (RENT, {"minimum_months": 120, "billing": "used-hours", "server_price_usd": None}),
        (RENT, {"bridge": "rent", "bridge_usd_per_gpu_hour": 0.0, "bridge_gpus": 1}),
        (RENT, {"bridge": "old-fleet", "bridge_usd_per_month": 0.0, "bridge_gpus": 10_000_000}),
        (RENT, {"prepaid_fraction": np.zeros((2, 1)), "deposit_fraction": np.zeros((2, 1))}),
        (COMMIT, {"prepaid_fraction": 1.0, "acquisition": "commit-3y"}),
    ],
)
def test_an_option_on_the_edge_of_its_meaning_is_taken(good: dict[str, Any], changes: dict[str, Any]) -> None:
    """The least and the most of each count, facts that nobody stated, and draws."""
    option = Option(**{**good, **changes})
    assert option.accelerator_id == "mi300x"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        *(({"horizon_months": value}, f"horizon_months is {value}; allowed: a whole number from 1 to 120 months")
          for value in (0, 121)),
        ({"utilisation": 1.1}, "utilisation is 1.1; allowed: 0 to 1"),
        ({"discount_rate": -0.6}, "discount_rate is -0.6; allowed: -0.5 to 1 per year"),
        ({"currency": "GBP"}, "currency is 'GBP'; allowed: USD, CNY or EUR"),
        ({"currency_per_usd": 7.0}, "currency_per_usd is 7.0; allowed: 1 when the currency is USD"),
        ({"currency": "CNY", "currency_per_usd": 0.0}, "currency_per_usd is 0.0; allowed: 1e-06 to 1e+06 per USD"),
    ],
)  # fmt: skip
def test_a_finance_without_meaning_is_refused(changes: dict[str, Any], said: str) -> None:
    """With the field, its value and what it may be."""
    given: dict[str, Any] = {"horizon_months": 12, **changes}
    with pytest.raises(InputError) as caught:
        Finance(**given)
    assert str(caught.value) == said


def test_a_finance_on_the_edge_of_its_meaning_is_taken() -> None:
    """One month and ten years; three currencies, two of them at a rate."""
    assert Finance(horizon_months=1).in_currency(3.0) == 3.0
    assert Finance(horizon_months=120, currency="USD").years == 10.0
    assert Finance(horizon_months=12, currency="CNY", currency_per_usd=7.0).in_currency(3.0) == 21.0
    assert Finance(horizon_months=12, currency="EUR", currency_per_usd=0.9).in_currency(10.0) == 9.0
    for word in ("buy", "rent", "commit-1y", "commit-3y"):
        check_acquisition(word)
    with pytest.raises(InputError, match=r"^acquisition is 'Buy'; allowed: buy, rent, commit-1y or commit-3y$"):
        check_acquisition("Buy")
