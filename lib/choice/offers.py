"""An offer checked: each statement held against the catalogue, the dated prices and what the scenario needs.

What the offer does not say is a question of its own and never passes. Days are counted from the edition's, or from the
offer's own where that is later, so that a check can be made again.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from lib.catalog import Catalog
from lib.choice.assessment import Assessment, assess
from lib.choice.costed import as_of
from lib.choice.offer_prices import Position, SeenPrice, judged_by, position, seen_prices
from lib.choice.offer_specs import (
    PEAK_FIELDS,
    Verdict,
    format_key,
    judge_bandwidth,
    judge_memory,
    judge_peak,
    peak_figures,
)
from lib.choice.own_parts import is_own
from lib.choice.quoted import candidate_of, price_usd
from lib.choice.quotes import Quote
from lib.choice.scenario import Candidate, Scenario
from lib.cost.origins import applies
from lib.cost.prices import OLD_DAYS, earliest_day, months_before
from lib.cost.timing import months_of_weeks, months_until
from lib.records import Accelerator
from lib.units import MONTHS_PER_YEAR

ClaimName = Literal[
    "memory", "peak", "bandwidth", "price", "date", "validity", "server", "quantity", "delivery", "warranty"
]  # fmt: skip

_LEAD_TIME: Final = "rel-leadtime"
_SUPPORT: Final = "sw-hwsupport"
NOT_STATED: Final = "not-stated"


@dataclass(frozen=True, slots=True)
class Finding:
    """One statement of an offer, or its silence: what it is held against, the verdict, and the values of its sentence.

    Codes: not-stated for each claim; those of `offer_specs` for memory, peak and bandwidth, and own-part; those of
    `offer_prices` for price; date newer, fresh, old; validity valid, expired, before-order, before-date; server usual,
    other, unknown; quantity covers, too-few, more-than-needed, above-limit, unknown-need; delivery in-time, too-late,
    faster-than-reported, no-deadline; warranty covers, gap, no-price. `source_ids` and `dates` are of what it is held
    against, one date a source; a price's is its own and not that of its source.
    """

    claim: ClaimName
    verdict: Verdict
    code: str
    values: Mapping[str, Any]
    source_ids: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()

    @property
    def is_stated(self) -> bool:
        """Whether the offer says anything about it."""
        return self.code != NOT_STATED


@dataclass(frozen=True, eq=False)
class OfferCheck:
    """An offer with everything that was found about it."""

    quote: Quote
    accelerator: Accelerator
    findings: tuple[Finding, ...]
    usd: float | None
    rate: float
    seen: tuple[SeenPrice, ...]
    judged: tuple[SeenPrice, ...]
    position: Position | None
    assessment: Assessment | None

    @property
    def stated(self) -> tuple[Finding, ...]:
        """What the offer says."""
        return tuple(one for one in self.findings if one.is_stated)

    def with_verdict(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The statements of one verdict."""
        return tuple(one for one in self.stated if one.verdict == verdict)

    @property
    def silent(self) -> tuple[Finding, ...]:
        """What the offer does not say."""
        return tuple(one for one in self.findings if not one.is_stated)


@functools.lru_cache(maxsize=16)
def check_offer(catalog: Catalog, scenario: Scenario, quote: Quote) -> OfferCheck:
    """Everything that an offer says, held against what is known and what is needed.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        Load, limits, horizon, rates.
    quote : Quote
        The offer.

    Returns
    -------
    OfferCheck
        Findings in the order in which a buyer reads an offer.
    """
    day = as_of(catalog)
    usd = price_usd(catalog, scenario, quote)
    rate = 1.0 if not usd or quote.price is None else quote.price / usd
    seen = seen_prices(catalog, quote.part, quote.basis, day)
    judged = judged_by(seen, day)
    spot = None if usd is None else position(usd, judged, [one for one in seen if one.kind == "estimate"])
    found = _needed(catalog, scenario, quote)
    findings = (
        *_of_part(catalog, quote),
        _price(quote, usd, spot, judged or seen),
        *_of_days(quote, day, _order_day(scenario, quote, day)),
        *_of_supply(catalog, scenario, quote, found),
    )
    return OfferCheck(quote, catalog.accelerator(quote.part), findings, usd, rate, seen, judged, spot, found)


def _silent(claim: ClaimName) -> Finding:
    return Finding(claim, "question", NOT_STATED, {})


def _of_part(catalog: Catalog, quote: Quote) -> Iterator[Finding]:
    """Memory, bandwidth and peaks: what is claimed of the part itself."""
    part = catalog.accelerator(quote.part)
    stated: dict[ClaimName, Any] = {
        "memory": quote.memory_gb,
        "bandwidth": quote.bandwidth_tbs,
        "peak": quote.peaks or None,
    }
    yield from (_silent(claim) for claim, value in stated.items() if value is None)
    if is_own(quote.part):
        for claim, value in stated.items():
            if value is not None:
                yield Finding(claim, "question", "own-part", {"claimed": value, "part": part.short_name})
        return
    if quote.memory_gb is not None:
        yield _memory(catalog, part, quote.memory_gb)
    if quote.bandwidth_tbs is not None:
        found = judge_bandwidth(
            quote.bandwidth_tbs, part.memory_bandwidth_tbs, part.gpus_per_node, _differing(catalog, part, "memory_bandwidth_tbs")
        )  # fmt: skip
        values: dict[str, Any] = {
            "claimed": quote.bandwidth_tbs,
            "published": found.published,
            "gpus": part.gpus_per_node,
        }
        yield _sourced(
            catalog, part, "bandwidth", found.verdict, found.code, values, ("memory_bandwidth_tbs",), found.other
        )
    figures = peak_figures(part)
    for peak in quote.peaks:
        judged = judge_peak(peak.format, peak.tflops, peak.kind, figures, part.gpus_per_node)
        shown = [one for one in (judged.dense, *judged.figures) if one is not None]
        fields = tuple(dict.fromkeys(one.field for one in shown)) or (PEAK_FIELDS[format_key(peak.format)][0],)
        values = {"peak": peak, "dense": judged.dense, "figures": judged.figures, "part": part.short_name}
        yield _sourced(catalog, part, "peak", judged.verdict, judged.code, values, fields)


def _memory(catalog: Catalog, part: Accelerator, claimed: float) -> Finding:
    reported = part.memory_driver_gib if part.memory_driver_gib is not None else part.memory_runtime_gib
    others = [
        (one.accelerator_id, one.memory_gb)
        for one in catalog.accelerators.values()
        if one.vendor == part.vendor and one is not part and one.memory_gb is not None
    ]
    found = judge_memory(
        claimed, part.memory_gb, reported, part.gpus_per_node, others, _differing(catalog, part, "memory_gb")
    )  # fmt: skip
    values = {
        "claimed": claimed, "published": found.published, "label": part.memory_gb, "reported_gib": reported,
        "usable_gib": part.memory_usable_gib, "gpus": part.gpus_per_node, "part": part.short_name,
        "other": catalog.accelerators[found.other].short_name if found.code == "other-part" else "",
    }  # fmt: skip
    source = found.other if found.code == "other-source" else ""
    fields = ("memory_driver_gib", "memory_runtime_gib") if found.code in ("decimal", "binary") else ("memory_gb",)
    return _sourced(catalog, part, "memory", found.verdict, found.code, values, fields, source)


def _differing(catalog: Catalog, part: Accelerator, field: str) -> list[tuple[str, float]]:
    """Figures that sources state and the catalogue does not use."""
    cells = catalog.spec_cells.get((part.accelerator_id, field), ())
    return [(cell.source_id, float(cell.value)) for cell in cells if cell.agreement == "differs"]


def _sourced(
    catalog: Catalog,
    part: Accelerator,
    claim: ClaimName,
    verdict: Verdict,
    code: str,
    values: Mapping[str, Any],
    fields: tuple[str, ...],
    source_id: str = "",
) -> Finding:
    """A finding with the first source of each field, the one that it is about before them."""
    agreeing = [_best_source(catalog, part, one) for one in fields]
    ids = tuple(dict.fromkeys(one for one in (source_id, *agreeing) if one))
    return Finding(claim, verdict, code, values, ids, tuple(catalog.source(one).date for one in ids))


def _best_source(catalog: Catalog, part: Accelerator, field: str) -> str:
    """A source that agrees with the catalogue, read itself and dated where there is such a one."""
    cells = [one for one in catalog.spec_cells.get((part.accelerator_id, field), ()) if one.agreement == "agrees"]
    best = sorted(cells, key=lambda one: (one.seen != "exact", not catalog.source(one.source_id).date))
    return best[0].source_id if best else ""


def _price(quote: Quote, usd: float | None, spot: Position | None, rows: tuple[SeenPrice, ...]) -> Finding:
    if usd is None or spot is None:
        return _silent("price")
    values = {"usd": usd, "price": quote.price, "currency": quote.currency, "basis": quote.basis, "position": spot}
    pairs = dict.fromkeys((one.source_id, one.as_of) for one in rows)
    ids, dates = tuple(name for name, _day in pairs), tuple(day for _name, day in pairs)
    return Finding("price", "ok" if spot.standing == "within" else "question", spot.standing, values, ids, dates)


def _order_day(scenario: Scenario, quote: Quote, day: date) -> date:
    """The day of the order: the months that the scenario gives it, from the edition's day or the offer's if later."""
    months = next(
        (
            one.order_month
            for one in scenario.candidates
            if (one.accelerator, one.acquisition) == (quote.part, quote.acquisition)
        ),
        0,
    )
    return months_before(_decision(quote, day), -months)


def _decision(quote: Quote, day: date) -> date:
    offered = earliest_day(quote.date)
    return day if offered is None else max(day, offered)


def _of_days(quote: Quote, day: date, order: date) -> Iterator[Finding]:
    """The date of the offer and until when it holds."""
    offered, until, decision = earliest_day(quote.date), earliest_day(quote.valid_until), _decision(quote, day)
    if offered is None:
        yield _silent("date")
    else:
        age = (day - offered).days
        code = "newer" if age < 0 else "fresh" if age <= OLD_DAYS else "old"
        yield Finding(
            "date", "question" if code == "old" else "ok", code, {"date": quote.date, "days": age, "day": f"{day}"}
        )
    if until is None:
        yield _silent("validity")
        return
    values = {"until": quote.valid_until, "day": f"{decision}", "order": f"{order}", "date": quote.date}
    if offered is not None and until < offered:
        yield Finding("validity", "contradiction", "before-date", values)
    elif until < decision:
        yield Finding("validity", "contradiction", "expired", values)
    elif until < order:
        yield Finding("validity", "question", "before-order", values)
    else:
        yield Finding("validity", "ok", "valid", values)


def _needed(catalog: Catalog, scenario: Scenario, quote: Quote) -> Assessment | None:
    """What the workload in view needs of the part, as the recommendation counts it."""
    try:
        candidate = candidate_of(catalog, scenario, quote)
    except ValueError:  # a price beyond what a candidate may cost says nothing about the number
        candidate = Candidate(accelerator=quote.part, acquisition=quote.acquisition)
    return assess(catalog, scenario.model_copy(update={"candidates": (candidate,)}), 0)


def _of_supply(catalog: Catalog, scenario: Scenario, quote: Quote, found: Assessment | None) -> Iterator[Finding]:
    """Quantity, delivery and warranty, against what the scenario needs."""
    usual = catalog.accelerator(quote.part).gpus_per_node
    if quote.basis == "server":
        if quote.gpus_in_server is None:
            yield _silent("server")
        else:
            code = "unknown" if usual is None else "usual" if usual == quote.gpus_in_server else "other"
            yield Finding(
                "server", "ok" if code == "usual" else "question", code, {"gpus": quote.gpus_in_server, "usual": usual}
            )
    yield _quantity(scenario, quote, found, usual)
    yield _delivery(catalog, scenario, quote, found)
    if quote.buys:
        yield _warranty(scenario, quote, found, catalog)


def _quantity(scenario: Scenario, quote: Quote, found: Assessment | None, usual: int | None) -> Finding:
    if quote.quantity is None:
        return _silent("quantity")
    each = (quote.gpus_in_server or usual) if quote.basis == "server" else 1
    gpus = None if each is None else quote.quantity * each
    needed = None if found is None else found.cost.gpus
    option = None if found is None else found.cost.option
    held = needed if option is None else option.held_gpus
    values = {
        "quantity": quote.quantity,
        "basis": quote.basis,
        "gpus": gpus,
        "needed": needed,
        "held": held,
        "limit": scenario.constraints.gpus,
    }
    if gpus is None or needed is None or held is None:
        return Finding("quantity", "question", "unknown-need", values)
    if gpus < needed:
        return Finding("quantity", "contradiction", "too-few", values)
    if scenario.constraints.gpus is not None and gpus > scenario.constraints.gpus:
        return Finding("quantity", "contradiction", "above-limit", values)
    if gpus > held:
        return Finding("quantity", "question", "more-than-needed", values)
    return Finding("quantity", "ok", "covers", values)


def _delivery(catalog: Catalog, scenario: Scenario, quote: Quote, found: Assessment | None) -> Finding:
    months = quote.delivery_months
    if months is None:
        return _silent("delivery")
    order, acceptance = (0, 0) if found is None else (found.candidate.order_month, found.candidate.acceptance_months)
    start = order + months + acceptance
    deadline = scenario.constraints.deadline
    values: dict[str, Any] = {"months": months, "start": start, "deadline": deadline}
    if deadline:
        left = months_until(deadline, as_of(catalog))
        if start > left:
            return Finding("delivery", "contradiction", "too-late", {**values, "left": left})
        values["left"] = left
    row = catalog.assumptions.get(_LEAD_TIME)
    if quote.buys and row is not None and row.low is not None and row.high is not None:
        low, high = months_of_weeks(row.low), months_of_weeks(row.high)
        if applies(catalog.assumptions, _LEAD_TIME, catalog.accelerator(quote.part)) and months < low:
            reported = {**values, "low": low, "high": high}
            return Finding("delivery", "question", "faster-than-reported", reported, (row.source_id,), (row.as_of,))
    return Finding("delivery", "ok", "in-time" if deadline else "no-deadline", values)


def _warranty(scenario: Scenario, quote: Quote, found: Assessment | None, catalog: Catalog) -> Finding:
    if quote.warranty_years is None:
        return _silent("warranty")
    horizon = scenario.money.horizon_years * MONTHS_PER_YEAR
    delivered = (0 if found is None else found.candidate.order_month) + (quote.delivery_months or 0)
    gap = uncovered_months(horizon, delivered, quote.warranty_years * MONTHS_PER_YEAR)
    option = None if found is None else found.cost.option
    fraction = scenario.money.hardware_support_fraction
    usd = None
    if option is not None and option.server_price_usd is not None:
        usd = support_usd(option.servers * float(option.server_price_usd), fraction, gap)
    values = {
        "years": quote.warranty_years, "gap": gap, "horizon": horizon, "usd": usd, "fraction": fraction,
        "gpus": None if option is None else option.held_gpus,
    }  # fmt: skip
    row = catalog.assumptions.get(_SUPPORT)
    sources, dates = ((row.source_id,), (row.as_of,)) if row is not None else ((), ())
    if gap <= 0:
        return Finding("warranty", "ok", "covers", values)
    return Finding("warranty", "question", "no-price" if usd is None else "gap", values, sources, dates)


def uncovered_months(horizon_months: float, delivered_month: float, warranty_months: float) -> float:
    """Months of the horizon in which hardware stands without warranty (exact).

    max(horizon - delivered - warranty, 0)

    Parameters
    ----------
    horizon_months : float
        Length of the calculation [months].
    delivered_month : float
        When the warranty begins, from the decision on [months].
    warranty_months : float
        How long it lasts [months].

    Returns
    -------
    float
        0 where it lasts to the end [months].

    Examples
    --------
    >>> uncovered_months(60, 6, 36), uncovered_months(36, 0, 36)
    (18, 0)
    """
    return max(horizon_months - delivered_month - warranty_months, 0)


def support_usd(hardware_usd: float, fraction_per_year: float, months: float) -> float:
    """What support of hardware costs in some months (estimate).

    hardware x fraction a year x months / 12

    Parameters
    ----------
    hardware_usd : float
        Price of the hardware [USD].
    fraction_per_year : float
        Support a year [fraction of the price].
    months : float
        How long [months].

    Returns
    -------
    float
        Not discounted [USD].

    Examples
    --------
    >>> support_usd(800_000.0, 0.05, 18)
    60000.0
    """
    return hardware_usd * fraction_per_year * months / MONTHS_PER_YEAR
