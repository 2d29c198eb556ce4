"""What has changed in data/ since the edition that a link was made with, and what that does to the costs of its scenario.

The link's own statements stay as they are, those among them that were an assumption of its day. What is computed again is
the cost of every option with the parts, assumptions and prices of that edition; tables whose old values are not kept are
named, and counted as they are today.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.cost_view import order_of
from lib.choice.costed import Costed
from lib.choice.fleet import Fleet
from lib.choice.fleet_costs import cost_of, costed_all, fleets_of
from lib.choice.own_parts import with_own_parts
from lib.choice.scenario import Candidate, Money, Scenario
from lib.cost.assumed_fields import ASSUMED, range_of
from lib.editions import History, as_it_was
from lib.errors import LibError

BEHIND_A_FLEET: Final = frozenset({"models", "layer_groups", "checkpoints", "weight_formats", "configs"})
"""Tables that decide how many GPUs memory asks for: where one of them changed, the old cost may have had another fleet."""

_NUMBER_OF: Final = ("assumptions", "prices", "accelerators")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A value that is another one now, as the table writes it; None where the row was not there, or is no more.

    `is_used` says whether the scenario's costs rest on the row.
    """

    table: str
    row: str
    column: str
    before: str | None
    now: str | None
    is_used: bool


@dataclass(frozen=True, slots=True)
class KeptInput:
    """A field of money that the link states at the assumption of its day, which is another one now."""

    field: str
    stated: float
    base_now: float


@dataclass(frozen=True, slots=True)
class OptionThen:
    """An option with today's numbers and with those of the link's edition; None where that had none of the part."""

    now: Costed
    before: Costed | None

    @property
    def change_usd(self) -> float | None:
        """How much more it costs now [USD]; None where one of the two costs is not known."""
        if self.before is None or self.before.npv_usd is None or self.now.npv_usd is None:
            return None
        return self.now.npv_usd - self.before.npv_usd


@dataclass(frozen=True, eq=False)
class EditionEffects:
    """An old edition beside the present one, for one scenario; `is_recorded` is False where nothing is known of the old."""

    before: str
    now: str
    is_recorded: bool
    changes: tuple[NumberChange, ...] = ()
    other_tables: tuple[str, ...] = ()
    kept: tuple[KeptInput, ...] = ()
    options: tuple[OptionThen, ...] = ()
    cheapest_now: Costed | None = None
    cheapest_before: Costed | None = None

    @property
    def used(self) -> tuple[NumberChange, ...]:
        """The changes that the scenario's costs rest on."""
        return tuple(one for one in self.changes if one.is_used)

    @property
    def change_usd(self) -> float | None:
        """How much more the cheapest option costs now than the cheapest did then [USD]."""
        then, now = self.cheapest_before, self.cheapest_now
        if then is None or now is None or then.npv_usd is None or now.npv_usd is None:
            return None
        return now.npv_usd - then.npv_usd


@functools.lru_cache(maxsize=8)
def edition_effects(catalog: Catalog, history: History, scenario: Scenario) -> EditionEffects | None:
    """What has changed since a scenario's link was made.

    Parameters
    ----------
    catalog : Catalog
        The present edition, without anybody's own parts.
    history : History
        What earlier editions said.
    scenario : Scenario
        It names the edition that it was made with.

    Returns
    -------
    EditionEffects or None
        None where the scenario is of the present edition, or of none.
    """
    label = scenario.edition
    if not label or label == catalog.edition.label:
        return None
    old = _old(catalog, history, label)
    if old is None:
        return EditionEffects(label, catalog.edition.label, is_recorded=False)
    present = with_own_parts(catalog, scenario.own_parts)
    now, fleets = costed_all(present, scenario), fleets_of(present, scenario)
    options = tuple(
        OptionThen(one, _costed_then(old, scenario, one.candidate, fleet))
        for one, fleet in zip(now, fleets, strict=True)
    )
    then = [one.before for one in options if one.before is not None]
    used = frozenset(row for one in (*now, *then) for row in _rows_behind(one))
    changes = sorted(_changes(history, label, used), key=lambda one: (not one.is_used, _NUMBER_OF.index(one.table)))
    return EditionEffects(
        before=label,
        now=catalog.edition.label,
        is_recorded=True,
        changes=tuple(changes),
        other_tables=history.other_tables_since(label),
        kept=tuple(_kept(catalog, old, scenario.money)),
        options=options,
        cheapest_now=_cheapest(now),
        cheapest_before=_cheapest(then),
    )


@functools.lru_cache(maxsize=4)
def _old(catalog: Catalog, history: History, label: str) -> Catalog | None:
    """One object for each old edition, so that it keys caches."""
    return as_it_was(catalog, history, label)


def _costed_then(old: Catalog, scenario: Scenario, candidate: Candidate, fleet: Fleet | None) -> Costed | None:
    """Today's fleet at the old numbers; None where the edition did not have its part."""
    try:
        return cost_of(with_own_parts(old, scenario.own_parts), scenario, candidate, fleet)
    except LibError:
        return None


def _cheapest(options: Sequence[Costed]) -> Costed | None:
    order = order_of(options)
    return options[order[0]] if order else None


def _rows_behind(one: Costed) -> Iterator[tuple[str, str]]:
    """Tables and rows that a cost rests on."""
    yield "accelerators", one.candidate.accelerator
    if one.candidate.bridge_part is not None:
        yield "accelerators", one.candidate.bridge_part
    origins = [*one.finance.origins.values(), *(one.defaults.origins.values() if one.defaults else ())]
    for origin in origins:
        if origin.kind != "user":
            for name in origin.ids:
                yield "assumptions", name
                yield "prices", name


def _changes(history: History, label: str, used: frozenset[tuple[str, str]]) -> Iterator[NumberChange]:
    """Cell by cell; a row that is new or gone counts once."""
    old = history.values_at(label)
    for table, rows in history.latest.items():
        for row in [*rows, *(gone for gone in old[table] if gone not in rows)]:
            is_used = (table, row) in used
            if row not in old[table] or row not in rows:
                known = rows.get(row) or old[table][row]
                value = known.get("base") or known.get("low") or known.get("short_name") or ""
                is_new = row in rows
                yield NumberChange(table, row, "", None if is_new else value, value if is_new else None, is_used)
                continue
            for column, cell in rows[row].items():
                before = old[table][row].get(column, "")
                if before != cell:
                    yield NumberChange(table, row, column, before, cell, is_used)


def _kept(catalog: Catalog, old: Catalog, money: Money) -> Iterator[KeptInput]:
    for field in ASSUMED:
        if field not in Money.model_fields:
            continue
        try:
            base, base_then = (range_of(field, one.assumptions)[1] for one in (catalog, old))
        except LibError:
            continue  # an assumption that one of the two editions did not have was no default in it
        stated = getattr(money, field)
        if stated == base_then and base_then != base:
            yield KeptInput(field, stated, base)
