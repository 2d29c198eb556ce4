"""Any table of the catalogue as people browse it and as they take it away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice import provenance
from lib.choice.page_choices import View
from lib.present import sources
from lib.present.text import Words, markdown_safe
from lib.records import Column

MOST_ROWS: Final = 500
"""A browser table shows so many; the file has all."""

_FIRST_SEEN: Final[Mapping[str, tuple[str, ...]]] = {
    "sources": ("title", "publisher", "kind", "date", "facts", "location", "note"),
    "prices": ("accelerator_id", "price_for", "low", "high", "age_days", "mark", "source_title"),
    "assumptions": ("name", "low", "base", "high", "unit", "kind", "source_title"),
    "accelerators": (
        "short_name", "vendor", "status", "memory_gb", "memory_runtime_gib", "memory_bandwidth_tbs", "fp8_dense_tflops",
    ),
    "spec_sources": ("accelerator_id", "field", "value", "unit", "agreement", "source_title", "locator"),
    "software_matrix": ("framework", "platform", "verdict", "status", "date", "kind", "source_title"),
    "format_support": ("engine", "architecture", "use", "format", "support", "version", "source_title"),
    "models": ("name", "architecture", "attention", "total_params", "active_params", "max_context", "source_title"),
    "layer_groups": ("model_id", "layers", "kind", "bytes_per_token_bf16", "window", "max_tp_shards", "source_title"),
    "checkpoints": (
        "model_id", "weight_format", "computed_bytes", "published_bytes", "comparable", "source_title", "locator",
    ),
    "weight_formats": ("weight_format", "bits_per_weight", "leaves_at_16_bit", "aliases", "source_title", "locator"),
    "model_aliases": ("published_name", "model_id", "reason"),
    "mlperf_inference": ("system_name", "submitter", "round", "model", "scenario", "value", "unit"),
    "mlperf_training": (
        "system_name", "submitter", "round", "benchmark", "accelerator_count", "time_to_train_minutes", "source_title",
    ),
    "serving": ("accelerator_id", "model", "concurrency", "metric", "value", "unit", "source_title"),
    "training": ("accelerator_id", "accelerator_count", "model", "metric", "value", "unit", "source_title"),
    "micro": ("accelerator_id", "test", "number_format", "metric", "value", "unit", "source_title"),
    "rent_history": (
        "accelerator_id", "kind", "low_usd_per_hour", "median_usd_per_hour", "high_usd_per_hour", "age_days",
        "source_title",
    ),
    "chiplets": ("accelerator_id", "quantity", "value", "unit", "stated", "source_title", "locator"),
    "roadmap": ("product", "status", "window_start", "window_end", "as_of", "kind", "source_title"),
    "benchmark_flags": ("flag", "setting", "engine", "command", "seen", "source_title", "locator"),
    "article_claims": ("claim_id", "article", "paraphrase_en", "paraphrase_zh", "stated", "form", "curated_verdict"),
    "claim_checks": ("claim_id", "reading", "formula", "relation", "low", "tolerance", "reading_en"),
    "claim_facts": ("fact_id", "label_en", "label_zh", "value", "text", "unit", "source_title"),
    "fit_cases": (
        "case_id", "model", "accelerator", "engine", "observed_kv_gib", "observed_fit", "source_title",
    ),
}  # fmt: skip
"""At most seven columns until the reader asks for all."""

_WIDE: Final = ("title", "name", "system_name")
_BLANK_IS_NO: Final = frozenset({("rent_history", "chart")})
"""Flags whose table says no in so many words; in the others a blank is no statement."""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head: what it is called, what its help says, whether it holds numbers or long texts."""

    label: str
    help: str
    is_number: bool
    is_wide: bool = False


def table_of(view: View) -> str:
    """The table that a view shows: the sources themselves while nothing else, or nothing known, is chosen.

    Parameters
    ----------
    view : View
        What the reader looks at.

    Returns
    -------
    str
        A name of sources.TABLES.
    """
    return view.table if view.table in sources.TABLES else sources.TABLES[0]


def part_of(view: View, catalog: Catalog, parts: Sequence[str]) -> str:
    """The part that a view filters by; blank where the name is known neither to the table nor to the catalogue.

    Parameters
    ----------
    view : View
        What the reader looks at.
    catalog : Catalog
        The edition.
    parts : sequence of str
        The parts of the table shown.

    Returns
    -------
    str
        Accelerator id or blank.
    """
    return view.table_part if view.table_part in parts or view.table_part in catalog.accelerators else ""


def part_options(view: View, catalog: Catalog, parts: Sequence[str]) -> list[str]:
    """The parts offered: none, those of the table, and the one chosen before where this table lacks it.

    Parameters
    ----------
    view : View
        What the reader looks at.
    catalog : Catalog
        The edition.
    parts : sequence of str
        The parts of the table shown.

    Returns
    -------
    list of str
        Accelerator ids after a blank.
    """
    chosen = part_of(view, catalog, parts)
    return ["", *parts, *([chosen] if chosen and chosen not in parts else [])]


def part_name(catalog: Catalog, accelerator_id: str, _: Words) -> str:
    """A part's name in a choice.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    accelerator_id : str
        A part of the catalogue, another that was measured, or blank for all.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For an option.
    """
    if not accelerator_id:
        return _("All parts")
    part = catalog.accelerators.get(accelerator_id)
    return part.short_name if part else accelerator_id


def source_of(view: View, catalog: Catalog) -> str:
    """The source that a view filters by; blank where the catalogue does not know it.

    Parameters
    ----------
    view : View
        What the reader looks at.
    catalog : Catalog
        The edition.

    Returns
    -------
    str
        Source id or blank.
    """
    return view.table_source if view.table_source in catalog.sources else ""


def unknown_choices(view: View, catalog: Catalog, parts: Sequence[str], _: Words) -> list[str]:
    """What a link asks for that this edition does not have.

    Parameters
    ----------
    view : View
        What the reader looks at.
    catalog : Catalog
        The edition.
    parts : sequence of str
        The parts of the table shown.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        One sentence each, Markdown.
    """
    found = []
    if view.table and view.table not in sources.TABLES:
        found.append(
            _(
                "There is no table {name}; the table {shown} is shown.",
                name=markdown_safe(view.table),
                shown=sources.table_title(table_of(view), _),
            )
        )
    if view.table_part and view.table_part not in parts and view.table_part not in catalog.accelerators:
        found.append(_("There is no part {name}; rows of all parts are shown.", name=markdown_safe(view.table_part)))
    if view.table_source and view.table_source not in catalog.sources:
        found.append(
            _("There is no source {name}; rows of all sources are shown.", name=markdown_safe(view.table_source))
        )
    return found


def whole(catalog: Catalog, table: str, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a table with its own column names, and with the title and address of each source: for a file.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.
    rows : pandas.DataFrame
        Some or all of its rows, from `lib.choice.provenance.kept`.

    Returns
    -------
    pandas.DataFrame
        Prices, rents and assumptions also carry their age at the edition's date, prices their marks.
    """
    data: dict[str, Any] = {name: _cells(rows[name], catalog.columns[table, name]) for name in rows.columns}
    if (ages := provenance.ages(catalog, table)) is not None:
        data["age_days"] = pd.Series(ages, dtype="Int64").loc[rows.index]
    if (marks := provenance.marks(catalog, table)) is not None:
        data["mark"] = pd.Series([";".join(found) for found in marks], dtype=object).loc[rows.index]
    if table != "sources" and provenance.SOURCE_COLUMN in rows:
        named = [catalog.sources[str(name)] for name in rows[provenance.SOURCE_COLUMN]]
        data["source_title"] = [source.title for source in named]
        data["source_location"] = [source.location for source in named]
    return pd.DataFrame(data, index=rows.index)


def shown(
    catalog: Catalog, table: str, rows: pd.DataFrame, uses: Mapping[str, Mapping[str, int]], _: Words, *, every: bool
) -> pd.DataFrame:
    """The first rows of a table as the screen shows them: parts by their short names, the most used first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.
    rows : pandas.DataFrame
        From `lib.choice.provenance.kept`.
    uses : mapping
        From `lib.choice.provenance.uses`, for the table of sources.
    _ : Words
        The reader's language.
    every : bool
        Whether all columns are shown, or the seven that matter first.

    Returns
    -------
    pandas.DataFrame
        At most MOST_ROWS rows; their heads are in `heads`.
    """
    frame = whole(catalog, table, _in_order(catalog, table, rows, uses).head(MOST_ROWS))
    known = {name: part.short_name for name, part in catalog.accelerators.items()}
    for name in ("accelerator_id", "accelerator"):
        if name in frame:
            frame[name] = [known.get(cell, cell) for cell in frame[name]]
    if table == "sources":
        frame["facts"] = [sum(uses[name].values()) for name in frame["source_id"]]
    if table == "assumptions":
        frame["name"] = [_.pick(en, zh) for en, zh in zip(frame["name_en"], frame["name_zh"], strict=True)]
    if table == "spec_sources":
        columns = [catalog.columns["accelerators", field] for field in frame["field"]]
        frame["field"] = [_.pick(column.label_en, column.label_zh) for column in columns]
    if table == "prices":
        parts = (frame[name] for name in ("kind", "term_months", "provider", "currency", "basis"))
        frame["price_for"] = [_price_for(*cells, _=_) for cells in zip(*parts, strict=True)]
    if "mark" in frame:
        frame["mark"] = [_mark_words(cell, _) for cell in frame["mark"]]
    first = list(_FIRST_SEEN[table])
    frame = frame[[*first, *(name for name in frame.columns if name not in first)] if every else first]
    return frame.assign(**{name: _blanks_as_none(frame[name]) for name in frame.columns})


def heads(catalog: Catalog, table: str, frame: pd.DataFrame, _: Words) -> dict[str, Head]:
    """What stands above each column, from the vocabulary: label, unit and help in the reader's language.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    table : str
        A table's name.
    frame : pandas.DataFrame
        From `shown`.
    _ : Words
        The reader's language.

    Returns
    -------
    dict of str to Head
        By column.
    """
    found = {}
    for name in frame.columns:
        is_number = pd.api.types.is_numeric_dtype(frame[name])
        if (catalog_column := catalog.columns.get((table, name))) is not None:
            found[name] = _head(catalog_column, is_number, _)
        else:
            found[name] = _derived(name, _)
    return found


def count_line(seen: int, kept: int, rows: int, _: Words) -> str:
    """How many rows the screen shows of how many, and what a dash means.

    Parameters
    ----------
    seen : int
        Rows on the screen.
    kept : int
        Rows that pass the filters: those of the file.
    rows : int
        Rows of the table.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Two sentences.
    """
    dash = _("A dash is a blank in the table: not published, not stated or not applicable, as the column's help says.")
    if seen < kept:
        count = _("{seen} of {kept} rows are shown; the file has them all.", seen=seen, kept=format(kept, ","))
    elif kept < rows:
        count = _("{kept} of {rows} rows pass the filters.", kept=format(kept, ","), rows=format(rows, ","))
    else:
        count = _("All {rows} rows are shown.", rows=format(rows, ","))
    return f"{count} {dash}"


def _in_order(catalog: Catalog, table: str, rows: pd.DataFrame, uses: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """Sources with the most rows first, prices with the newest first and those without a date last."""
    if table == "sources":
        keys = pd.Series([-sum(uses[name].values()) for name in rows["source_id"]], index=rows.index)
    elif table == "prices":
        keys = pd.Series(provenance.ages(catalog, table), dtype="Int64").loc[rows.index]
    else:
        return rows
    return rows.loc[keys.sort_values(kind="stable", na_position="last").index]


def _head(column: Column, is_number: bool, _: Words) -> Head:
    label = _.pick(column.label_en, column.label_zh)
    label = label[:1].upper() + label[1:]
    return Head(
        label=f"{label}, {column.unit}" if column.unit else label,
        help=_.pick(column.help_en, column.help_zh),
        is_number=is_number,
        is_wide=column.column in _WIDE,
    )


def _derived(name: str, _: Words) -> Head:
    """Heads of the columns that stand in no table."""
    known = {
        "age_days": Head(
            label=_("Age, days"),
            help=_("From the earliest day that the date can mean to the date of the edition; over 90 is old."),
            is_number=True,
        ),
        "mark": Head(
            label=_("Mark"),
            help=_("What to know before using the row: no mark is a recent row of ordinary quality."),
            is_number=False,
        ),
        "price_for": Head(
            _("Price for"), _("Kind of price, commitment, provider, currency and basis."), is_number=False
        ),
        "source_title": Head(
            label=_("Source"),
            help=_("The source of the row. Choose it above to see its address and date."),
            is_number=False,
        ),
        "source_location": Head(_("Address"), _("Web address, or repository with path and commit."), is_number=False),
        "name": Head(_("Assumption"), _("What the number is."), is_number=False, is_wide=True),
        "facts": Head(_("Rows that rest on it"), _("Rows of all tables that name this source."), is_number=True),
    }
    return known[name]


def _blanks_as_none(cells: pd.Series) -> pd.Series:
    """Texts without the empty ones, which the screen then shows as blanks."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells
    return pd.Series([cell if cell != "" else None for cell in cells], index=cells.index, dtype=object)


def _cells(cells: pd.Series, rule: Column) -> pd.Series:
    """Whole numbers as such and flags as the table writes them."""
    if rule.type == "integer":
        return cells.astype("Int64")
    if rule.type == "flag":
        no = "no" if (rule.table, rule.column) in _BLANK_IS_NO else ""
        return cells.map({True: "yes", False: no}).astype(object)
    return cells


def _price_for(kind: str, months: Any, provider: str, currency: str, basis: str, *, _: Words) -> str:
    unit = f"{currency} {basis}"
    if pd.isna(months):
        return _("{kind}, {provider}: {unit}", kind=kind, provider=provider, unit=unit)
    return _("{kind} for {months} months, {provider}: {unit}", kind=kind, months=months, provider=provider, unit=unit)


def _mark_words(cell: str | None, _: Words) -> str | None:
    marks: dict[str, provenance.Mark] = {mark: mark for mark in provenance.MARKS}
    return ", ".join(sources.mark_name(marks[name], _) for name in cell.split(";")) if cell else None
