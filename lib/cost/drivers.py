"""Fields of a comparison that may turn out otherwise, and the comparison with one of them at another value."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Final, Literal

from lib.cost.options import Finance, Option
from lib.cost.ranges import Amount
from lib.errors import InputError

Target = Literal["first", "second", "both", "finance"]

COUNTS: Final = frozenset(
    {
        "gpus", "gpus_per_server", "horizon_months", "order_month", "delivery_months", "acceptance_months",
        "minimum_months", "bridge_gpus",
    }
)  # fmt: skip
"""Fields that are whole numbers: they have no fractions to search and are never drawn."""

_WORDS: Final = frozenset(
    {"accelerator_id", "acquisition", "billing", "bridge", "currency", "currency_per_usd", "residual_by_year"}
)


@dataclass(frozen=True, slots=True)
class Driver:
    """One field that may turn out otherwise: of one option, of both where it is one thing, or of the finance."""

    target: Target
    field: str
    low: float
    high: float


def check_driver(driver: Driver) -> None:
    """Refuse a driver whose field is no number of its record.

    Parameters
    ----------
    driver : Driver
        The driver.

    Raises
    ------
    InputError
        If there is no such field, or it holds a word, a curve or the rate of a currency, which moves no dollar.
    """
    kind = Finance if driver.target == "finance" else Option
    fields = {field.name for field in dataclasses.fields(kind)}.difference(_WORDS)
    if driver.field not in fields:
        raise InputError("driver", driver.field, f"a number of {kind.__name__}: {', '.join(sorted(fields))}")


def moved(
    first: Option, second: Option | None, finance: Finance, driver: Driver, value: Amount
) -> tuple[Option, Option | None, Finance]:
    """A comparison with the field of one driver at a value.

    Parameters
    ----------
    first : Option
        The option in question.
    second : Option or None
        What it is held against.
    finance : Finance
        Shared by both.
    driver : Driver
        Says whose field moves; its own range is not used.
    value : float or ndarray
        The value, or values of shape (n, 1), in the unit of the field.

    Returns
    -------
    tuple of Option, Option or None, Finance
        The three records.

    Raises
    ------
    InputError
        If the field is no number, or the value is outside its meaning.
    """
    check_driver(driver)
    change: dict[str, Any] = {driver.field: value}
    if driver.target == "finance":
        return first, second, dataclasses.replace(finance, **change)
    if driver.target in ("first", "both"):
        first = dataclasses.replace(first, **change)
    if driver.target in ("second", "both") and second is not None:
        second = dataclasses.replace(second, **change)
    return first, second, finance
