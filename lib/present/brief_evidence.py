"""What a proposal rests on: what was measured, where prices come from, every row and every source of the brief."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import Costed
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Scenario
from lib.present import cost
from lib.present.benchmarks import difference_words, nearest_in_words
from lib.present.cost_notes import price_origin
from lib.present.recommend_words import short
from lib.present.text import Words
from lib.present.workbook.inputs import money_inputs, option_inputs, used_ids
from lib.present.workbook.provenance import SPEC, Fact, facts

_NAMED: Final = 2
"""Rows of a source that its line names."""


def evidence(found: Recommendation, pair: Sequence[Assessment], catalog: Catalog, _: Words) -> list[str]:
    """What was measured of the first two, how their work was estimated, and where their prices come from; Markdown."""
    told = []
    if len(pair) == 2 and short(pair[0]) != short(pair[1]) and found.is_sized:
        told.append(_measured(found, pair[0], pair[1], catalog, _))
    if found.between is not None and found.between.mlperf is not None:
        measured = found.between.mlperf
        told.append(
            _("MLPerf Inference {rounds}, {benchmark}: {winner} does {span} the work of {rival} per accelerator.",
              rounds=", ".join(measured.rounds), benchmark=measured.benchmark, winner=short(found.winner),
              span=_.span(measured.low, measured.high) + "×", rival=short(found.rival))
        )  # fmt: skip
    for one in pair:
        speed = one.fleet.speed if one.fleet is not None else None
        if speed is None:
            continue
        message = (
            _("Throughput of {option}: an estimate, {span} output tokens per second over its 80 % interval.")
            if speed.low < speed.high
            else _("Throughput of {option}: {span} output tokens per second, as stated.")
        )
        told.append(message.format(option=cost.option_label(one.cost, _), span=_.span(speed.low, speed.high)))
    told += [
        _("Price of {option}: {origin}", option=cost.option_label(one.cost, _), origin=origin)
        for one in pair
        if (origin := price_origin(one.cost, catalog, _, found.scenario))
    ]
    return told


def _measured(found: Recommendation, first: Assessment, second: Assessment, catalog: Catalog, _: Words) -> str:
    near = found.nearest
    if near is None:
        return _("No like-for-like run of {first} and {second} was found.", first=short(first), second=short(second))
    said = _(
        "Measured: {first} does {ratio} the work of {second} per GPU ({run}).",
        first=short(first),
        ratio=_.ratio(float(near.pair["ratio"])),
        second=short(second),
        run=nearest_in_words(near, catalog, _),
    )
    if near.is_exact:
        return said
    differences = _.listing(difference_words(near.differences, _))
    return said + " " + _("That run is not your workload: {differences}.", differences=differences)


def fact_rows(scenario: Scenario, options: Sequence[Costed], catalog: Catalog, _: Words) -> tuple[Fact, ...]:
    """The rows of the edition behind the costs of some candidates, each once."""
    rows = [row for one in options for row in option_inputs(one, catalog)]
    return facts(used_ids([*rows, *money_inputs(scenario, options[0].finance)]), catalog, _)


def fact_heads(_: Words) -> tuple[str, ...]:
    """Heads of the table of rows."""
    return (_("What"), _("Low"), _("Base"), _("High"), _("Unit"), _("Kind"), _("As of"), _("Source"), _("Where"))


def fact_lines(rows: Sequence[Fact], catalog: Catalog, _: Words) -> tuple[tuple[str, ...], ...]:
    """One line a row: its range, its kind and date, and where it was read."""
    return tuple(
        (row.what, _figure(row.low, _), _figure(row.base, _), _figure(row.high, _), row.unit, row.kind, row.as_of,
         catalog.source(row.source_id).title, row.locator)
        for row in rows
    )  # fmt: skip


def _figure(value: float | None, _: Words) -> str:
    return "–" if value is None else _.number(value, 6)


def source_heads(_: Words) -> tuple[str, ...]:
    """Heads of the table of sources."""
    return (_("Source"), _("Publisher"), _("Date"), _("Used for"), _("Location"))


def source_rows(rows: Sequence[Fact], found: Recommendation, catalog: Catalog, _: Words) -> tuple[tuple[str, ...], ...]:
    """One line a source, those with most rows first, that of the measured pair before them."""
    uses: dict[str, list[str]] = {}
    for row in rows:
        uses.setdefault(row.source_id, []).append(_what(row, catalog, _))
    lines = []
    if found.nearest is not None and str(found.nearest.pair["source_id"]) in catalog.sources:
        lines.append((str(found.nearest.pair["source_id"]), _("the measured pair")))
    most_first = sorted(uses, key=lambda one: -len(uses[one]))
    lines += [(source_id, _used_for(list(dict.fromkeys(uses[source_id])), _)) for source_id in most_first]
    told = []
    for source_id, used in lines:
        source = catalog.source(source_id)
        told.append((source.title, source.publisher, source.date or _("undated"), used, source.location))
    return tuple(told)


def _what(row: Fact, catalog: Catalog, _: Words) -> str:
    """A row in the reader's words: a cell of a specification by its part."""
    word, _space, rest = row.row_id.partition(" ")
    if word != SPEC:
        return row.what
    return _("specification of {part}", part=catalog.accelerator(rest.split(" ")[0]).short_name)


def _used_for(what: list[str], _: Words) -> str:
    named = _.pick("; ", "；").join(what[:_NAMED])
    more = len(what) - _NAMED
    return named if more <= 0 else named + " " + _.count("and {n} more row", "and {n} more rows", more)
