"""An option in the making: what was asked, and the fields found so far with their origins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from lib.cost.options import Acquisition
from lib.cost.origins import Origin, applies, assumed
from lib.cost.prices import PriceChoice
from lib.records import Accelerator, Assumption, Doubt, Price

CATALOGUE: Final = "catalogue"
OWN: Final = "own"
WEEKS_PER_YEAR: Final = 52


@dataclass(frozen=True, slots=True)
class Question:
    """Which option is wanted, and the facts it is to be made of."""

    accelerator: Accelerator
    acquisition: Acquisition
    gpus: int
    assumptions: Mapping[str, Assumption]
    prices: tuple[Price, ...]
    as_of: date
    stated: Mapping[str, Any]
    price_source: str

    @property
    def article(self) -> str:
        """The article whose prices are to be used; blank for the catalogue's or the user's own."""
        return "" if self.price_source in (CATALOGUE, OWN) else self.price_source

    def assumed(self, assumption_id: str) -> Origin:
        """That assumption as an origin."""
        return assumed(self.assumptions, assumption_id)

    def applies(self, assumption_id: str) -> bool:
        """Whether that assumption holds for the part."""
        return applies(self.assumptions, assumption_id, self.accelerator)


@dataclass(slots=True)
class Draft:
    """Fields with their defaults, what the user states of them in the same units, and what to say about both."""

    stated: dict[str, Any]
    gpus_per_server: int | None
    origins: dict[str, Origin] = field(default_factory=dict)
    price: PriceChoice | None = None
    residual_by_year: tuple[float, ...] = ()
    doubts: list[Doubt] = field(default_factory=list)


def add_software(question: Question, draft: Draft) -> None:
    """Moving the software, and its licences: for bought and rented parts alike.

    Parameters
    ----------
    question : Question
        What was asked.
    draft : Draft
        Gets both fields.
    """
    migration = Origin("not-applicable", base=0.0, reason="no-port-needed")
    if question.applies("mig-elapsed"):
        staff = question.assumed("staff-loaded")
        usd_per_week = question.stated.get("staff_usd_per_fte_year", staff.base) / WEEKS_PER_YEAR
        migration = question.assumed("mig-elapsed").times(usd_per_week, "derived", staff.ids)
        if "migration_engineer_weeks" in question.stated:
            draft.stated.setdefault("migration_usd", question.stated["migration_engineer_weeks"] * usd_per_week)
    elif "migration_usd" in question.stated:
        migration = Origin("off", base=0.0, reason="no-port-needed")
    licence = Origin("not-applicable", base=0.0, reason="no-licence-known")
    if question.applies("sw-nvaie-list"):
        listed = question.assumed("sw-nvaie-list")
        licence = Origin("off", listed.ids, 0.0, 0.0, listed.high, "optional")
    draft.origins |= {"migration_usd": migration, "licence_usd_per_gpu_year": licence}
