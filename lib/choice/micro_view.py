"""Micro-benchmarks beside the datasheet: achieved bandwidth and matrix rates against peak, collectives, power."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd

from lib.choice.table import records
from lib.choice.training_view import peaks_of
from lib.records import Accelerator
from lib.units import KIB

Kind = Literal["bandwidth", "gemm", "all_reduce", "power"]
KINDS: Final[tuple[Kind, ...]] = ("bandwidth", "gemm", "all_reduce", "power")

_OF_MEMORY: Final = ("hbm ", "gpu-stream ", "weight streaming")
"""Tests that read or write the part's own memory; host links and copies between parts are other questions."""

READING: Final = ("hbm dot", "gpu-stream read", "weight streaming")
"""Tests that only read the part's own memory, as a decode step does; those that write reach other figures."""

_GB_PER_TB: Final = 1000.0
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB|GB|KiB|MiB|GiB)")
_BINARY: Final = {"B": 0, "K": 1, "M": 2, "G": 3}


@dataclass(frozen=True, slots=True)
class Achieved:
    """What one part reached of its peak: its best row and how many there are."""

    accelerator_id: str
    best: float
    peak: float | None
    rows: int

    @property
    def share(self) -> float | None:
        """Best over peak; None where no peak is published."""
        return None if self.peak is None else self.best / self.peak


@dataclass(frozen=True, slots=True)
class MicroView:
    """One kind of micro-benchmark for some parts."""

    kind: Kind
    number_format: str
    formats: tuple[str, ...]
    rows: pd.DataFrame
    """Rows of the table with `amount`: GB/s, TFLOPS, GB/s of bus bandwidth, or W per accelerator; and `size` [bytes] for
    collectives."""
    achieved: tuple[Achieved, ...]
    without: tuple[str, ...]
    """Compared parts that nobody measured so."""


def message_bytes(text: str) -> float | None:
    """Size of a message as a source writes it; K, M and G are powers of 1,024, as the collectives' tests count.

    Parameters
    ----------
    text : str
        For example "32KiB", "4GB" or "2097152 B".

    Returns
    -------
    float or None
        [bytes]; None where the text states no size.

    Examples
    --------
    >>> message_bytes("2097152 B") == message_bytes("2MB")
    True
    """
    found = _SIZE.fullmatch(text.strip())
    return float(found[1]) * KIB ** _BINARY[found[2][0]] if found else None


def micro_view(
    frame: pd.DataFrame,
    parts: Sequence[str],
    accelerators: Mapping[str, Accelerator],
    kind: Kind,
    number_format: str = "",
) -> MicroView:
    """One kind of micro-benchmark for some parts, with their peaks.

    Parameters
    ----------
    frame : DataFrame
        The micro table.
    parts : sequence of str
        Accelerator ids.
    accelerators : mapping of str to Accelerator
        The catalogue's, for peaks and rated power.
    kind : {"bandwidth", "gemm", "all_reduce", "power"}
        What is asked.
    number_format : str
        For matrix rates; "" or one without a row takes the one that most parts have.

    Returns
    -------
    MicroView
        Empty rows where nothing was measured.

    Notes
    -----
    Bandwidth: memory of the part itself, against the datasheet's; achieved is what tests that only read reach. Matrix rate: against the dense peak of the format.
    Collectives: bus bandwidth of all-reduce, one direction, only where a message size is stated. Power: a figure that
    sums over the accelerators of a row is divided by their number, which is derived and said so.
    """
    own = frame[frame["accelerator_id"].isin(list(parts))]
    metric = own["metric"].astype(str)
    test = own["test"].astype(str)
    formats: tuple[str, ...] = ()
    shown = ""
    if kind == "bandwidth":
        rows = own[(metric == "bandwidth") & test.str.startswith(_OF_MEMORY)]
        rows = rows.assign(amount=rows["value"])
        peaks = {
            one: _GB_PER_TB * bandwidth
            for one in parts
            if (bandwidth := accelerators[one].memory_bandwidth_tbs) is not None
        }
    elif kind == "gemm":
        every = own[(metric == "tflops") & test.str.startswith("gemm") & (own["number_format"] != "")]
        formats = _formats(every)
        shown = number_format if number_format in formats else next(iter(formats), "")
        rows = every[every["number_format"] == shown]
        rows = rows.assign(amount=rows["value"])
        peaks = peaks_of(shown, parts, accelerators)
    elif kind == "all_reduce":
        rows = own[(metric == "bus_bandwidth") & (test == "all_reduce")]
        sizes = [message_bytes(str(one)) for one in rows["shape_or_size"]]
        rows = rows.assign(amount=rows["value"], size=np.array(sizes, dtype=np.float64))
        rows = rows[rows["size"].notna()].sort_values(["accelerator_count", "size"], kind="stable")
        peaks = {}
    else:
        rows = own[(metric == "power") & own["accelerator_count"].notna()]
        rows = rows.assign(amount=rows["value"] / rows["accelerator_count"])
        peaks = {one: watts for one in parts if (watts := accelerators[one].tdp_w) is not None}
    amounts: dict[str, list[float]] = {}
    compared = rows[rows["test"].astype(str).str.startswith(READING)] if kind == "bandwidth" else rows
    for row in records(compared, ("accelerator_id", "amount")):
        amounts.setdefault(row["accelerator_id"], []).append(row["amount"])
    return MicroView(
        kind=kind,
        number_format=shown,
        formats=formats,
        rows=rows,
        achieved=tuple(
            Achieved(one, max(amounts[one]), peaks.get(one), len(amounts[one])) for one in parts if one in amounts
        ),
        without=tuple(one for one in parts if one not in amounts),
    )


def _formats(rows: pd.DataFrame) -> tuple[str, ...]:
    """Number formats that occur, those of most parts first."""
    members: dict[str, set[str]] = {}
    for row in records(rows, ("number_format", "accelerator_id")):
        members.setdefault(row["number_format"], set()).add(row["accelerator_id"])
    return tuple(sorted(members, key=lambda one: (-len(members[one]), one)))
