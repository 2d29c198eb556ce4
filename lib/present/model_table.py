"""The whole field in one table: models as rows, parts as columns, GPUs as numbers on shades of grey."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.choice.model_table import BEYOND_CONTEXT, ModelRow
from lib.present.text import Words
from lib.records import Accelerator
from lib.sizing.grid import NONE_FITS, UNKNOWN_MEMORY
from lib.sizing.layouts import MOST_GPUS

MARKS: Final = {NONE_FITS: "✕", UNKNOWN_MEMORY: "?", BEYOND_CONTEXT: "–"}

_SHADES_LIGHT: Final = ("#F4F5F7", "#E6E9EC", "#D8DDE2", "#CBD2DA", "#6B7280", "#4B5563", "#1F2937")
_SHADES_DARK: Final = ("#262B31", "#343A41", "#495057", "#5C636A", "#CBD2DA", "#DEE2E6", "#F1F3F5")
"""Ground of a number for 1, 2, 4, 8, 16, 32 and 64 GPUs; no middle grey, on which neither black nor white reads well."""

_PLAIN_LIGHT, _PLAIN_DARK = "#FFFFFF", "#14171A"


def legend(*, dark: bool) -> tuple[tuple[str, str], ...]:
    """What a cell may say, and the shade behind it.

    Parameters
    ----------
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    tuple of tuple of str
        Text and colour; marks stand on the plain ground.
    """
    shades = _SHADES_DARK if dark else _SHADES_LIGHT
    plain = _PLAIN_DARK if dark else _PLAIN_LIGHT
    numbers = ((str(2**power), shade) for power, shade in enumerate(shades))
    return (*numbers, *((mark, plain) for mark in MARKS.values()))


def counts(rows: Sequence[ModelRow], parts: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """The table: one label in each cell of a part.

    Parameters
    ----------
    rows : sequence of ModelRow
        Models.
    parts : sequence of Accelerator
        Columns.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Model, format, weights, then one column a part, each cell a list of one text.
    """
    frame = _described(rows, _)
    for column, part in enumerate(parts):
        frame[part.short_name] = [[_shown(row.gpus[column])] for row in rows]
    return frame


def spreadsheet(rows: Sequence[ModelRow], parts: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """The table for a file: marks in words.

    Parameters
    ----------
    rows : sequence of ModelRow
        Models.
    parts : sequence of Accelerator
        Columns.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        GPUs as text.
    """
    words = {
        NONE_FITS: _("none up to {n}", n=MOST_GPUS),
        UNKNOWN_MEMORY: _("memory not published"),
        BEYOND_CONTEXT: _("longer than the model's context"),
    }
    frame = _described(rows, _)
    for column, part in enumerate(parts):
        frame[part.short_name] = [words.get(row.gpus[column], str(row.gpus[column])) for row in rows]
    return frame


def caption(load: str, engine: str, _: Words) -> str:
    """What the cells mean, in one line.

    Parameters
    ----------
    load : str
        The load in words.
    engine : str
        The engine's name.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    return _(
        "Fewest GPUs of one tensor-parallel replica for {load} on {engine}, expected workspace, each model in its native "
        "format (▸ the chosen one in the chosen format). A stronger shade is more. ✕ none up to {n} GPUs; ? memory not "
        "published; – longer than the model's context.",
        load=load,
        engine=engine,
        n=MOST_GPUS,
    )


def _described(rows: Sequence[ModelRow], _: Words) -> pd.DataFrame:
    return pd.DataFrame(
        {
            _("Model"): [f"▸ {row.name}" if row.is_chosen else row.name for row in rows],
            _("Format"): [row.weight_format for row in rows],
            _("Weights, GiB"): [round(row.weights_gib, 1) for row in rows],
        }
    )


def _shown(count: int) -> str:
    return MARKS.get(count, str(count))
