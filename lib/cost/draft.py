"""An option in the making: what was asked, and the fields found so far with their origins."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final

from lib.cost.assumed_fields import origin_of
from lib.cost.options import TERM_MONTHS, Acquisition
from lib.cost.origins import Origin, OriginKind, applies, assumed
from lib.cost.prices import FEWEST_ROWS, PER_GPU, PER_GPU_HOUR, PriceChoice, default_price, known_lists
from lib.cost.resale import ResaleCurve
from lib.cost.timing import months_of_weeks
from lib.records import Accelerator, Assumption, Doubt, Price

CATALOGUE: Final = "catalogue"
OWN: Final = "own"
WEEKS_PER_YEAR: Final = 52
KINDS: Final[Mapping[str, OriginKind]] = {"dated-list": "prices", "estimate": "estimate", "article": "article"}
"""Origin of a price choice -> origin of the field made of it."""

_LEAD_TIME: Final = "rel-leadtime"


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
    horizon_months: int

    @property
    def article(self) -> str:
        """The article whose prices are to be used; blank for the catalogue's or the user's own."""
        return "" if self.price_source in (CATALOGUE, OWN) else self.price_source

    def assumed(self, assumption_id: str) -> Origin:
        """That assumption as an origin."""
        return assumed(self.assumptions, assumption_id)

    def origin_of(self, field_name: str) -> Origin:
        """The assumption of a field, in the field's unit."""
        return origin_of(field_name, self.assumptions)

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
    resale: ResaleCurve | None = None
    doubts: list[Doubt] = field(default_factory=list)


def why_missing(question: Question, reason: str) -> Doubt:
    """A reason for no option with what its sentence needs: of a price, what is listed and how many a default needs.

    Parameters
    ----------
    question : Question
        What was asked.
    reason : str
        As `option_for` names it.

    Returns
    -------
    Doubt
        Values of a price: `source` (catalogue, own or an article's id), `needed`, and the fields of KnownLists.
    """
    part, term = question.accelerator.accelerator_id, TERM_MONTHS.get(question.acquisition)
    source = question.price_source
    match reason:
        case "no-purchase-price":
            kind, basis, term = "purchase", PER_GPU, None
        case "no-rental-price":
            kind, basis = "reserved" if term else "on-demand", PER_GPU_HOUR
        case "no-bridge-price":
            part = question.stated.get("bridge_part") or part
            kind, basis, term, source = "on-demand", PER_GPU_HOUR, None, CATALOGUE
        case _:
            return Doubt(reason, {})
    listed = known_lists(question.prices, part, kind, term, basis, question.as_of)
    return Doubt(reason, {"source": source, "needed": FEWEST_ROWS, **asdict(listed)})


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
        listed = question.origin_of("licence_usd_per_gpu_year")
        licence = Origin("off", listed.ids, 0.0, 0.0, listed.high, "optional")
    draft.origins |= {"migration_usd": migration, "licence_usd_per_gpu_year": licence}


def add_storage(question: Question, draft: Draft) -> None:
    """Data kept and sent out: nothing unless stated, at the list prices of a cloud unless stated.

    Parameters
    ----------
    question : Question
        What was asked.
    draft : Draft
        Gets quantities and prices.
    """
    draft.origins |= {
        "storage_tb": Origin("off", base=0.0, reason="not-stated"),
        "storage_usd_per_tb_month": question.origin_of("storage_usd_per_tb_month"),
        "egress_tb_per_month": Origin("off", base=0.0, reason="not-stated"),
        "egress_usd_per_tb": question.origin_of("egress_usd_per_tb"),
    }


def add_timing(question: Question, draft: Draft) -> None:
    """Order, delivery and acceptance, and what serves until then.

    Parameters
    ----------
    question : Question
        What was asked.
    draft : Draft
        Gets the months, the deposit, the minimum, and the price of the bridge where there is one. The lead time of a
        purchase that nobody states is None and not the reported one, which is known for some vendors only; that of a
        rental is none.
    """
    buys = question.acquisition == "buy"
    lead = Origin("off", base=0, reason="starts-at-once")
    if buys:
        lead = Origin("off", reason="lead-time-unknown")
        if question.applies(_LEAD_TIME):
            row = question.assumed(_LEAD_TIME)
            low, high = months_of_weeks(row.low or 0.0), months_of_weeks(row.high or 0.0)
            lead = Origin("off", row.ids, low, None, high, "lead-time-unknown")
    draft.origins |= {
        "order_month": Origin("off", base=0, reason="ordered-at-once"),
        "delivery_months": lead,
        "acceptance_months": Origin("off", base=0, reason="not-stated"),
        "deposit_fraction": Origin("off" if buys else "not-applicable", base=0.0, reason="not-stated"),
        "minimum_months": Origin(
            "off" if question.acquisition == "rent" else "not-applicable", base=0, reason="no-minimum"
        ),
    }
    match question.stated.get("bridge", "none"):
        case "rent":
            draft.origins["bridge_usd_per_gpu_hour"] = _bridge_rent(question)
        case "old-fleet":
            draft.origins["bridge_usd_per_month"] = Origin("missing", reason="no-bridge-cost")


def _bridge_rent(question: Question) -> Origin:
    """The rent on demand of the part that stands in, by the rule of prices."""
    part = question.stated.get("bridge_part") or question.accelerator.accelerator_id
    price = default_price(question.prices, question.assumptions, part, "on-demand", None, PER_GPU_HOUR, question.as_of)
    if price.value is None:
        return Origin("missing", reason="no-bridge-price")
    ids = (price.assumption_id,) if price.assumption_id else price.price_ids
    return Origin(KINDS[price.origin], ids, price.low, price.value, price.high)
