"""Edits of a scenario's options and money as a buyer makes them: another way of having a part, a price, a reset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from lib.choice.scenario import Acquisition, Candidate, Scenario, at, changed

Group = Literal["buy", "run", "money", "future"]

GROUPS: Final[tuple[Group, ...]] = get_args(Group)
WAYS: Final[tuple[Acquisition, ...]] = get_args(Acquisition)

MONEY_OF: Final[Mapping[Group, tuple[str, ...]]] = MappingProxyType(
    {
        "buy": ("network_usd_per_gpu", "spares_fraction", "migration_engineer_weeks", "licence_usd_per_gpu_year"),
        "run": (
            "utilisation", "electricity_usd_per_kwh", "staff_fte_per_server", "power_usage_effectiveness",
            "staff_usd_per_fte_year", "hardware_support_fraction", "rent_support_fraction",
            "colocation_usd_per_kw_month", "fit_out_usd_per_kw", "storage_tb", "storage_usd_per_tb_month",
            "egress_tb_per_month", "egress_usd_per_tb",
        ),
        "money": ("horizon_years", "discount_rate"),
        "future": ("residual_scale", "rent_change_per_year", "electricity_change_per_year"),
    }
)  # fmt: skip
"""Fields of Money that a slider and a field move, by the group in which a buyer looks for them."""

_ALSO: Final[Mapping[Group, tuple[str, ...]]] = {
    "buy": (),
    "run": ("site", "grid", "grid_kg_per_kwh"),
    "money": ("currency", "currency_per_usd"),
    "future": (),
}
_LIMITS: Final = ("budget_usd", "contingency_fraction", "budget_by_year", "gpus")
_OF_CANDIDATE: Final = tuple(
    name for name in Candidate.model_fields if name not in ("accelerator", "acquisition", "price_source")
)
_PRICES: Final = ("gpu_price_usd", "server_price_usd", "rent_usd_per_gpu_hour", "rent_usd_per_gpu_month")


@dataclass(frozen=True, slots=True)
class Change:
    """A value of the scenario that differs from that of its preset."""

    part: Literal["money", "constraints", "candidate", "added", "removed"]
    candidate: Candidate | None
    field: str
    before: Any
    after: Any


def key_of(candidate: Candidate) -> str:
    """What tells a candidate from the others of a scenario.

    Parameters
    ----------
    candidate : Candidate
        Any.

    Returns
    -------
    str
        Part, way, source of the price, and month of the order.
    """
    return "|".join((candidate.accelerator, candidate.acquisition, candidate.price_source, str(candidate.order_month)))


def offered(scenario: Scenario) -> dict[str, Candidate]:
    """The options that can be compared: those of the scenario, and each of its parts in every way of having it.

    Parameters
    ----------
    scenario : Scenario
        Its parts are those of its candidates.

    Returns
    -------
    dict of str to Candidate
        By key, part by part. A new one takes number and months of the part's first candidate.
    """
    found: dict[str, Candidate] = {}
    for part in dict.fromkeys(one.accelerator for one in scenario.candidates):
        present = [one for one in scenario.candidates if one.accelerator == part]
        found |= {key_of(one): one for one in present}
        for way in WAYS:
            new = Candidate(
                accelerator=part, acquisition=way, gpus=present[0].gpus, order_month=present[0].order_month,
                delivery_months=present[0].delivery_months, acceptance_months=present[0].acceptance_months,
            )  # fmt: skip
            found.setdefault(key_of(new), new)
    return found


def with_options(scenario: Scenario, keys: Sequence[str]) -> Scenario:
    """The scenario with these options: kept ones keep their prices and their order, new ones follow.

    Parameters
    ----------
    scenario : Scenario
        Before.
    keys : sequence of str
        Of `offered`.

    Returns
    -------
    Scenario
        Validated as a whole.

    Raises
    ------
    pydantic.ValidationError
        If no option is left, or more than a scenario holds.
    """
    known = offered(scenario)
    kept = [one for one in scenario.candidates if key_of(one) in keys]
    present = {key_of(one) for one in kept}
    new = [known[key] for key in keys if key in known and key not in present]
    return changed(scenario, ("candidates",), tuple(one.model_dump() for one in (*kept, *new)))


def with_candidate(scenario: Scenario, index: int, updates: Mapping[str, Any]) -> Scenario:
    """The scenario with fields of one candidate replaced.

    Parameters
    ----------
    scenario : Scenario
        Before.
    index : int
        Place of the candidate.
    updates : mapping of str to Any
        Field to value.

    Returns
    -------
    Scenario
        Validated as a whole.

    Raises
    ------
    pydantic.ValidationError
        If a value is outside its range.
    """
    candidates = [one.model_dump() for one in scenario.candidates]
    candidates[index] |= updates
    return changed(scenario, ("candidates",), tuple(candidates))


def with_price(scenario: Scenario, index: int, field: str, price_usd: float) -> Scenario:
    """The scenario with the buyer's own price for one candidate, in place of every other statement of it.

    Parameters
    ----------
    scenario : Scenario
        Before.
    index : int
        Place of the candidate.
    field : str
        The field that states the price.
    price_usd : float
        In the unit of the field.

    Returns
    -------
    Scenario
        Validated as a whole.

    Raises
    ------
    pydantic.ValidationError
        If the price is outside its range, or the option with an own price is there already.
    """
    return with_candidate(scenario, index, {**dict.fromkeys(_PRICES), field: price_usd, "price_source": "own"})


def with_year_budget(scenario: Scenario, year: int, budget_usd: float | None) -> Scenario:
    """The scenario with the budget of one year.

    Parameters
    ----------
    scenario : Scenario
        Before.
    year : int
        Counted from 1.
    budget_usd : float or None
        The most that may be paid in it [USD]; None is no limit.

    Returns
    -------
    Scenario
        Years without a limit at the end are left out.
    """
    years = [*scenario.constraints.budget_by_year]
    years += [None] * (year - len(years))
    years[year - 1] = budget_usd
    while years and years[-1] is None:
        years.pop()
    return changed(scenario, ("constraints", "budget_by_year"), tuple(years))


def reset_group(scenario: Scenario, group: Group, preset: Scenario) -> Scenario:
    """The scenario with one group of inputs as its preset has them.

    Parameters
    ----------
    scenario : Scenario
        Before.
    group : {"buy", "run", "money", "future"}
        Which inputs.
    preset : Scenario
        The scenario that it came from.

    Returns
    -------
    Scenario
        Options that the preset does not have lose their own prices and keep their months of order.
    """
    fields = (*MONEY_OF[group], *_ALSO[group])
    result = changed(
        scenario, ("money",), {**scenario.money.model_dump(), **{name: at(preset, ("money", name)) for name in fields}}
    )
    if group == "money":
        limits = {name: at(preset, ("constraints", name)) for name in _LIMITS}
        result = changed(result, ("constraints",), {**result.constraints.model_dump(), **limits})
    if group == "buy":
        result = _with_preset_candidates(result, preset)
    return result


def _with_preset_candidates(scenario: Scenario, preset: Scenario) -> Scenario:
    """Candidates as the preset states them where it has the part and the way; doubles that this makes fall away."""
    known = {(one.accelerator, one.acquisition): one for one in reversed(preset.candidates)}
    restored: dict[str, Candidate] = {}
    for one in scenario.candidates:
        blank = Candidate(accelerator=one.accelerator, acquisition=one.acquisition, gpus=one.gpus)
        original = known.get((one.accelerator, one.acquisition), blank)
        if one.price_source.startswith("article") or (
            original.price_source != "catalogue" and one.price_source != "own"
        ):
            same = [other for other in preset.candidates if key_of(other) == key_of(one)]
            original = same[0] if same else blank
        restored.setdefault(key_of(original), original)
    return changed(scenario, ("candidates",), tuple(one.model_dump() for one in restored.values()))


def changes(scenario: Scenario, preset: Scenario) -> tuple[Change, ...]:
    """What about money differs from the preset.

    Parameters
    ----------
    scenario : Scenario
        As it is.
    preset : Scenario
        The scenario that it came from.

    Returns
    -------
    tuple of Change
        Money, then limits, then options: their fields, those added, those removed.
    """
    return (*_fields_changed(scenario, preset), *_candidates_changed(scenario, preset))


def _fields_changed(scenario: Scenario, preset: Scenario) -> Iterator[Change]:
    for name in type(scenario.money).model_fields:
        before, after = at(preset, ("money", name)), at(scenario, ("money", name))
        if before != after:
            yield Change("money", None, name, before, after)
    for name in _LIMITS:
        before, after = at(preset, ("constraints", name)), at(scenario, ("constraints", name))
        if before != after:
            yield Change("constraints", None, name, before, after)


def _candidates_changed(scenario: Scenario, preset: Scenario) -> Iterator[Change]:
    """Candidates are the same where part and way are, an own price or another month notwithstanding."""
    left = [*preset.candidates]
    for one in scenario.candidates:
        like = [other for other in left if (other.accelerator, other.acquisition) == (one.accelerator, one.acquisition)]
        exact = [other for other in like if other.price_source == one.price_source]
        if not like:
            yield Change("added", one, "", None, None)
            continue
        original = (exact or like)[0]
        left.remove(original)
        for name in _OF_CANDIDATE:
            before, after = getattr(original, name), getattr(one, name)
            if before != after:
                yield Change("candidate", one, name, before, after)
    for one in left:
        yield Change("removed", one, "", None, None)
