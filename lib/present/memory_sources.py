"""Where the memory page's inputs come from: sources and dates, as captions and as a table."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.memory_view import ModelMemory, PartMemory
from lib.choice.own_parts import is_own
from lib.choice.scenario import EngineChoice, Workload
from lib.present import names
from lib.present.memory_model import weights_origin
from lib.present.text import Words, markdown_safe
from lib.records import Accelerator, SpecCell
from lib.sizing.rules_of_thumb import BYTES_PER_PARAMETER, RESERVE
from lib.units import GIB

MEMORY_FIELDS: Final = ("memory_runtime_gib", "memory_driver_gib")
RESERVE_SOURCE: Final = "article-a1"
PARAMETERS_SOURCE: Final = "article-a3"


def memory_cell(catalog: Catalog, accelerator: Accelerator) -> SpecCell | None:
    """The sourced statement behind the memory that fit is computed with.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    accelerator : Accelerator
        The part.

    Returns
    -------
    SpecCell or None
        The one that states the table's own value first.
    """
    usable = accelerator.memory_usable_gib
    for field in MEMORY_FIELDS:
        if usable is None or getattr(accelerator, field) is None:
            continue
        cells = catalog.spec_cells.get((accelerator.accelerator_id, field), ())
        if cells:
            return min(cells, key=lambda cell: abs(_stated(cell) - usable))
    return None


def _stated(cell: SpecCell) -> float:
    try:
        return float(cell.value)
    except ValueError:
        return float("inf")


def sources(
    catalog: Catalog, workload: Workload, model: ModelMemory, accelerators: Sequence[Accelerator], _: Words
) -> pd.DataFrame:
    """Where the page's inputs come from, one row an input.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    model : ModelMemory
        Its model.
    accelerators : sequence of Accelerator
        The parts compared.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Input, value, source, date, place.
    """
    lines: list[tuple[str, str, str, str, str]] = []

    def add(what: str, value: str, source_id: str, locator: str) -> None:
        source = catalog.source(source_id)
        lines.append((what, value, source.title, source.date, locator or source.location))

    if workload.model in catalog.models:
        row = catalog.models[workload.model]
        add(_("Architecture and layers"), row.name, row.source_id, row.locator)
    else:
        lines.append((_("Architecture and layers"), workload.name, _("config.json given by the reader"), "", ""))
    if model.checkpoint is not None:
        kind = _("published") if model.is_published else _("computed")
        add(_("Bytes of the weights"), f"{_.gib(None if model.weights_bytes is None else model.weights_bytes / GIB)}, {kind}", model.checkpoint.source_id, model.checkpoint.locator)  # fmt: skip
    for word in dict.fromkeys(model.weight_format.split("+")):
        if word in catalog.weight_formats:
            form = catalog.weight_formats[word]
            bits = _("{n} bits per weight", n=f"{form.bits_per_weight:g}")
            add(_("Weight format"), f"{word}: {bits}", form.source_id, form.locator)
    for accelerator in accelerators:
        cell = memory_cell(catalog, accelerator)
        if cell is None:
            continue
        kind = _("runtime") if cell.field == MEMORY_FIELDS[0] else _("driver")
        add(_("Memory of {part}", part=accelerator.short_name), f"{cell.value} {cell.unit} ({kind})", cell.source_id, cell.locator)  # fmt: skip
    lines.append(
        (
            _("Workspace of the engine"),
            _("estimate, low–base–high"),
            _("fitted on {n} logged cases", n=len(catalog.fit_cases)),
            "",
            "data/fit_cases.csv, benchmarks/accuracy.py",
        )
    )
    add(_("Rule of thumb"), _("weights and {percent}", percent=_.percent(RESERVE)), RESERVE_SOURCE, "")
    add(_("Rule of thumb"), _("{gb} GB a billion parameters", gb=BYTES_PER_PARAMETER), PARAMETERS_SOURCE, "")
    return pd.DataFrame(lines, columns=[_("Input"), _("Value"), _("Source"), _("Date"), _("Where")])


def caption(catalog: Catalog, parts: Sequence[PartMemory], _: Words) -> str:
    """Source and date of what the bars show, in one line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    parts : sequence of PartMemory
        The parts drawn.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    cited = []
    for part in parts:
        cell = memory_cell(catalog, part.accelerator)
        if is_own(part.accelerator.accelerator_id):
            cited.append(_("{part}: as you stated it", part=part.accelerator.short_name))
        if cell is not None and part.replica is not None:
            source = catalog.source(cell.source_id)
            cited.append(f"{part.accelerator.short_name}: {source.title}{f', {source.date}' if source.date else ''}")
    return _(
        "Thick line: memory as reported ({cited}). Dotted line: what the engine uses at most. Workspace: estimate fitted on "
        "{n} logged cases (benchmarks/accuracy). Data edition {edition}.",
        cited="; ".join(cited),
        n=len(catalog.fit_cases),
        edition=catalog.edition.label,
    )


def frontier_caption(catalog: Catalog, choice: EngineChoice, workload: Workload, _: Words) -> str:
    """What the map of context against sequences is computed from, in one line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    choice : EngineChoice
        The engine.
    workload : Workload
        For the format of the cache.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    return _(
        "Each part at its replica of the table above, cache in {format}, {engine}; computed from memory as reported, not "
        "measured. Data edition {edition}.",
        format=workload.kv_format,
        engine=names.engine(choice.engine),
        edition=catalog.edition.label,
    )


def weights_caption(catalog: Catalog, model: ModelMemory, _: Words) -> str:
    """Where the weights come from, in one line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model : ModelMemory
        With known weights.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    origin = weights_origin(model, _)
    if model.checkpoint is not None:
        source = catalog.source(model.checkpoint.source_id)
        dated = ", ".join(part for part in (source.title, source.date) if part)
        origin = _("{origin} Source: {source}.", origin=origin, source=markdown_safe(dated))
    return _("{origin} Data edition {edition}.", origin=origin, edition=catalog.edition.label)
