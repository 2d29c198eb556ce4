"""Rent by provider: what each asks for a part, and which providers are known and ask nothing that was found."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from lib.cost.prices import PER_GPU_HOUR, PER_GPU_MONTH, earliest_day
from lib.cost.ranges import check_amount
from lib.records import Price
from lib.units import HOURS_PER_MONTH

LISTED: Final = frozenset({"dated-list", "undated-list", "old-list"})
"""Prices that a provider lists; articles, illustrations and weak rows are no offers."""

_NOBODY: Final = ("several", "not stated")


@dataclass(frozen=True, slots=True)
class Offer:
    """One listed rent of a part; without a price it is a provider of other parts for which none was found here."""

    provider: str
    region: str
    kind: str
    term_months: int | None
    usd_per_gpu_hour: tuple[float, float] | None
    usd_per_gb_hour: tuple[float, float] | None
    as_of: str
    age_days: int | None
    price_id: str

    @property
    def has_price(self) -> bool:
        """Whether a price was found."""
        return self.usd_per_gpu_hour is not None


def rent_offers(
    prices: Iterable[Price], accelerator_id: str, memory_gb: float | None, as_of: date
) -> tuple[Offer, ...]:
    """The listed rents of a part, the cheapest first, then the providers of other parts without a price for it.

    Parameters
    ----------
    prices : iterable of Price
        All price rows.
    accelerator_id : str
        The part.
    memory_gb : float or None
        Its memory [GB, 1e9 bytes], for the price of a GB; None where nobody published it.
    as_of : date
        The day on which the question is asked: later rows do not exist yet.

    Returns
    -------
    tuple of Offer
        Months are turned into hours by 730. That a provider has no price here says that none was found, not that it
        does not rent the part out.

    Raises
    ------
    InputError
        If the memory is not above zero.

    Examples
    --------
    >>> rent_offers([], "mi300x", 192.0, date(2026, 11, 30))
    ()
    """
    if memory_gb is not None:
        check_amount("memory_gb", memory_gb, 1e-9, 1e6, "GB")
    listed = [row for row in prices if _is_offer(row, as_of)]
    ours = [_offer(row, memory_gb, as_of) for row in listed if row.accelerator_id == accelerator_id]
    asking = {name for one in ours if one.kind != "spot" for name in _names(one.provider)}
    silent = sorted({name for row in listed for name in _names(row.provider)} - asking, key=str.casefold)
    without = [Offer(name, "", "", None, None, None, "", None, "") for name in silent]
    return (*sorted(ours, key=lambda one: (one.usd_per_gpu_hour or (0.0, 0.0), one.provider)), *without)


def _is_offer(row: Price, as_of: date) -> bool:
    day = earliest_day(row.as_of)
    return (
        row.quality in LISTED
        and row.basis in (PER_GPU_HOUR, PER_GPU_MONTH)
        and row.currency == "USD"
        and not row.provider.startswith(_NOBODY)
        and (day is None or day <= as_of)
    )


def _names(provider: str) -> tuple[str, ...]:
    """A row may hold for several providers."""
    return tuple(provider.split("; "))


def _offer(row: Price, memory_gb: float | None, as_of: date) -> Offer:
    hours = HOURS_PER_MONTH if row.basis == PER_GPU_MONTH else 1
    low, high = row.low / hours, row.high / hours
    day = earliest_day(row.as_of)
    return Offer(
        provider=row.provider,
        region=row.region,
        kind=row.kind,
        term_months=row.term_months,
        usd_per_gpu_hour=(low, high),
        usd_per_gb_hour=None if memory_gb is None else (low / memory_gb, high / memory_gb),
        as_of=row.as_of,
        age_days=(as_of - day).days if day else None,
        price_id=row.price_id,
    )
