"""The whole field in one table: models as rows, parts as columns, GPUs as numbers on shades of grey."""

from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd
from pandas.io.formats.style import Styler

from lib.choice.model_table import BEYOND_CONTEXT, ModelRow
from lib.present.text import Words
from lib.records import Accelerator
from lib.sizing.grid import NONE_FITS, UNKNOWN_MEMORY
from lib.sizing.layouts import MOST_GPUS

MARKS: Final = {NONE_FITS: "✕", UNKNOWN_MEMORY: "?", BEYOND_CONTEXT: "–"}

_SHADES_LIGHT: Final = ("#FFFFFF", "#F1F3F5", "#DEE2E6", "#CED4DA", "#868E96", "#5C636A", "#343A40")
_SHADES_DARK: Final = ("#1B1F24", "#262B31", "#343A41", "#495057", "#ADB5BD", "#CED4DA", "#E9ECEF")
"""Ground of a cell for 1, 2, 4, 8, 16, 32 and 64 GPUs."""

_LIGHT_TEXT, _DARK_TEXT = "#FFFFFF", "#14171A"
_TEXT_TURNS: Final = 4
"""From this shade on the text takes the other colour."""


def styled(rows: Sequence[ModelRow], parts: Sequence[Accelerator], _: Words, *, dark: bool) -> Styler:
    """The table with its shades; the number or the mark stands in every cell.

    Parameters
    ----------
    rows : sequence of ModelRow
        Models.
    parts : sequence of Accelerator
        Columns.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    pandas.io.formats.style.Styler
        Model, format, weights, then one column a part.
    """
    frame = counts(rows, parts, _)
    names = list(frame.columns[-len(parts) :])
    return frame.style.format(_shown, subset=names).map(_cell_style(dark), subset=names)


def counts(rows: Sequence[ModelRow], parts: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """The table as numbers.

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
        GPUs as int; 0, -1 and -2 are marks.
    """
    columns: dict[str, list[object]] = {
        _("Model"): [f"▸ {row.name}" if row.is_chosen else row.name for row in rows],
        _("Format"): [row.weight_format for row in rows],
        _("Weights, GiB"): [round(row.weights_gib, 1) for row in rows],
    }
    for column, part in enumerate(parts):
        columns[part.short_name] = [row.gpus[column] for row in rows]
    return pd.DataFrame(columns)


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
    frame = counts(rows, parts, _)
    for part in parts:
        frame[part.short_name] = [words.get(count, str(count)) for count in frame[part.short_name]]
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
        "format (▸ the chosen one in the chosen format). Darker is more. ✕ none up to {n} GPUs; ? memory not published; "
        "– longer than the model's context.",
        load=load,
        engine=engine,
        n=MOST_GPUS,
    )


def _shown(count: int) -> str:
    return MARKS.get(count, str(count))


def _cell_style(dark: bool) -> Callable[[int], str]:
    shades = _SHADES_DARK if dark else _SHADES_LIGHT
    near, far = (_LIGHT_TEXT, _DARK_TEXT) if dark else (_DARK_TEXT, _LIGHT_TEXT)

    def style(count: int) -> str:
        if count < 1:
            return ""
        shade = min(int(count).bit_length() - 1, len(shades) - 1)
        return f"background-color: {shades[shade]}; color: {far if shade >= _TEXT_TURNS else near}"

    return style
