"""The specification page in words and tables."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.comparison import QUANTITIES, WORDS, Row, row_of
from lib.present.text import UNKNOWN, Words
from lib.records import Accelerator, Column

SENTENCE_FIELDS: Final = ("memory_runtime_gib", "memory_bandwidth_tbs", "fp16_bf16_dense_tflops", "fp8_dense_tflops")


def group_name(group: str, _: Words) -> str:
    """The heading of a group of quantities.

    Parameters
    ----------
    group : str
        As in `lib.choice.comparison`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a heading.
    """
    return {
        "memory": _("Memory"),
        "compute": _("Compute, dense"),
        "fabric": _("Fabric"),
        "power": _("Power"),
        "build": _("Build"),
    }[group]


def status(word: str, _: Words) -> str:
    """Whether a part can be had.

    Parameters
    ----------
    word : str
        "shipping" or "announced".
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return {"shipping": _("shipping"), "announced": _("announced")}.get(word, _(UNKNOWN))


def label(columns: Mapping[tuple[str, str], Column], field: str, _: Words) -> str:
    """A field's label with its unit.

    Parameters
    ----------
    columns : mapping
        The vocabulary.
    field : str
        A column of accelerators.csv.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Memory bandwidth, TB/s".
    """
    column = columns["accelerators", field]
    name = _.pick(column.label_en, column.label_zh)
    return f"{name}, {column.unit}" if column.unit else name


def answer(
    parts: Sequence[Accelerator], table: Sequence[Row], columns: Mapping[tuple[str, str], Column], _: Words
) -> str:
    """What sets the second part apart from the first, in one sentence with its numbers.

    Parameters
    ----------
    parts : sequence of Accelerator
        The first is the base.
    table : sequence of Row
        From `lib.choice.comparison.rows`.
    columns : mapping
        The vocabulary.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if len(parts) < 2:
        return _("Choose a second part in the sidebar to compare {part} with it.", part=parts[0].short_name)
    pieces = []
    for field in SENTENCE_FIELDS:
        row = row_of(table, field)
        if row is None or row.ratios[1] is None:
            continue
        name = _.pick(columns["accelerators", field].label_en, columns["accelerators", field].label_zh)
        pieces.append(
            _(
                "**{ratio}** the {quantity} ({value} against {base} {unit})",
                ratio=_.ratio(row.ratios[1]),
                quantity=name[:1].lower() + name[1:] if name[1:2].islower() else name,
                value=_.number(row.values[1], 5),
                base=_.number(row.values[0], 5),
                unit=columns["accelerators", field].unit,
            )
        )
    if not pieces:
        return _(
            "The sources give no quantity that both {a} and {b} publish.", a=parts[1].short_name, b=parts[0].short_name
        )
    return _(
        "Against {base}, {part} has {pieces}. Peaks are dense and not achieved rates: see Benchmarks.",
        base=parts[0].short_name,
        part=parts[1].short_name,
        pieces=_.listing(pieces),
    )


def side_by_side(
    parts: Sequence[Accelerator], table: Sequence[Row], columns: Mapping[tuple[str, str], Column], _: Words
) -> pd.DataFrame:
    """Quantities as rows and parts as columns, the best value of a row in bold (Markdown), unknown cells saying so.

    Parameters
    ----------
    parts : sequence of Accelerator
        Two to eight parts.
    table : sequence of Row
        From `lib.choice.comparison.rows`.
    columns : mapping
        The vocabulary.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    lines: list[dict[str, str]] = []
    heads = [part.short_name for part in parts]
    known = {row.field: row for row in table}
    for field in (*(name for _group, name, _more in QUANTITIES), *(name for _group, name in WORDS)):
        if field in known:
            row = known[field]
            cells = [_cell(value, best, _) for value, best in zip(row.values, row.best, strict=True)]
        else:
            values = [status(part.status, _) if field == "status" else getattr(part, field) for part in parts]
            if not any(isinstance(value, str) and value for value in values):
                continue
            cells = [value or f"*{_(UNKNOWN)}*" for value in values]
        lines.append({_("Quantity"): label(columns, field, _), **dict(zip(heads, cells, strict=True))})
    return pd.DataFrame(lines)


def _cell(value: float | None, best: bool, _: Words) -> str:
    if value is None:
        return f"*{_(UNKNOWN)}*"
    return f"**{_.number(value, 5)}**" if best else _.number(value, 5)


def all_parts(catalog: Catalog, group: str, vendors: Sequence[str], shipping_only: bool, _: Words) -> pd.DataFrame:
    """Parts as rows and the quantities of one group as columns, numbers as numbers.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    group : str
        As in `lib.choice.comparison`.
    vendors : sequence of str
        Vendors kept; empty keeps all.
    shipping_only : bool
        Whether announced parts are left out.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a part; the unit stands in each head.
    """
    fields = [name for one, name, _more in QUANTITIES if one == group] + [name for one, name in WORDS if one == group]
    kept = [
        part
        for part in catalog.accelerators.values()
        if (not vendors or part.vendor in vendors) and (not shipping_only or part.status == "shipping")
    ]
    data = {_("Part"): [part.short_name for part in kept], _("Vendor"): [part.vendor for part in kept]}
    for field in fields:
        data[label(catalog.columns, field, _)] = [getattr(part, field) for part in kept]
    return pd.DataFrame(data)


def cell_sources(catalog: Catalog, parts: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """Every sourced statement behind the cells of these parts.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    parts : sequence of Accelerator
        The parts shown.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Part, quantity, what the source states, whether it agrees with the table, source, date, place.
    """
    fields = [name for _group, name, _more in QUANTITIES] + [name for _group, name in WORDS]
    agreement = {"agrees": _("agrees"), "differs": _("differs"), "context": _("context")}
    lines = []
    for part in parts:
        for field in fields:
            for cell in catalog.spec_cells.get((part.accelerator_id, field), ()):
                source = catalog.source(cell.source_id)
                lines.append(
                    (
                        part.short_name,
                        label(catalog.columns, field, _),
                        f"{cell.value} {cell.unit}".strip(),
                        agreement[cell.agreement],
                        source.title,
                        source.kind,
                        source.date,
                        cell.locator or source.location,
                    )
                )
    heads = (
        _("Part"),
        _("Quantity"),
        _("Source states"),
        _("Agreement"),
        _("Source"),
        _("Kind"),
        _("Date"),
        _("Where"),
    )
    return pd.DataFrame(lines, columns=list(heads))
