"""What an offer claims of a part, held against the figures that are published of it: memory, bandwidth, peak rates.

The kernels take numbers alone; what a figure really is, is said by a code, so that 1,979 TFLOPS "FP16" of an H100 SXM
comes out as its FP16 peak with sparsity and as its dense FP8 peak.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lib.choice.quotes import PeakFormat, PeakKind
from lib.records import Accelerator
from lib.units import GB, GIB

TOLERANCE: Final = 0.01
"""Two figures this near to each other are one figure, rounded by somebody [fraction of the published one]."""

SPARSITY_FACTOR: Final = 2
"""With 2:4 sparsity a matrix unit is stated at twice its dense rate."""

_INTEGERS: Final = "int8"
"""Its rates are no floating-point rates: a claim of TFLOPS is not held against them."""

Verdict = Literal["ok", "question", "contradiction"]
Sparsity = Literal["dense", "sparse"]

PEAK_FIELDS: Final[dict[str, tuple[str, str]]] = {
    "tf32": ("tf32_dense_tflops", ""),
    "fp16": ("fp16_bf16_dense_tflops", "fp16_bf16_sparse_tflops"),
    "fp8": ("fp8_dense_tflops", "fp8_sparse_tflops"),
    "fp6": ("fp6_dense_tflops", ""),
    "fp4": ("fp4_dense_tflops", ""),
    "int8": ("int8_dense_tops", ""),
}
"""Format to the columns of its dense and its sparse peak; BF16 has the figures of FP16."""


@dataclass(frozen=True, slots=True)
class PeakFigure:
    """One peak of a part: of which format, dense or sparse, and whether it is published or twice the dense one."""

    format: str
    sparsity: Sparsity
    tflops: float
    field: str
    is_published: bool
    parts: int = 1
    """Parts that the figure is the sum of."""


@dataclass(frozen=True, slots=True)
class PeakFinding:
    """What a claimed peak is: verdict, code, the dense peak of its format, and the figures that it equals or is nearest to.

    Codes: dense, dense-unsaid, sparse-as-said, sparse-for-dense, dense-for-sparse, other-format, server-total,
    not-published, above-all, below.
    """

    verdict: Verdict
    code: str
    dense: PeakFigure | None
    figures: tuple[PeakFigure, ...]


@dataclass(frozen=True, slots=True)
class AmountFinding:
    """What a claimed memory or bandwidth is: verdict, code, and the published figure that it equals or misses.

    Codes: label, decimal, binary, other-source, server-total, other-part, not-published, above, below.
    """

    verdict: Verdict
    code: str
    published: float | None
    other: str = ""
    """Id of the source or of the part that has the figure."""


def same(claimed: float, published: float) -> bool:
    """Whether a claimed figure is the published one (exact).

    |claimed - published| <= 0.01 x published

    Parameters
    ----------
    claimed, published : float
        In one unit.

    Returns
    -------
    bool
        True within the tolerance.

    Examples
    --------
    >>> same(1979, 1978.9), same(1979, 989.4)
    (True, False)
    """
    return abs(claimed - published) <= TOLERANCE * published


def format_key(word: PeakFormat) -> str:
    """The format whose figures a word means: BF16 runs at the rate of FP16.

    Parameters
    ----------
    word : str
        A format as offers write it.

    Returns
    -------
    str
        A key of PEAK_FIELDS.
    """
    return "fp16" if word == "bf16" else word


def peak_figures(accelerator: Accelerator) -> tuple[PeakFigure, ...]:
    """Every peak of a part, dense and sparse.

    Parameters
    ----------
    accelerator : Accelerator
        The part.

    Returns
    -------
    tuple of PeakFigure
        Dense peaks that are published; sparse ones as published, else twice the dense one and marked.
    """
    found: list[PeakFigure] = []
    for name, (dense_field, sparse_field) in PEAK_FIELDS.items():
        dense = getattr(accelerator, dense_field)
        sparse = getattr(accelerator, sparse_field) if sparse_field else None
        if dense is not None:
            found.append(PeakFigure(name, "dense", dense, dense_field, True))
        if sparse is not None:
            found.append(PeakFigure(name, "sparse", sparse, sparse_field, True))
        elif dense is not None:
            found.append(PeakFigure(name, "sparse", SPARSITY_FACTOR * dense, dense_field, False))
    return tuple(found)


def judge_peak(
    word: PeakFormat, tflops: float, kind: PeakKind, figures: Sequence[PeakFigure], gpus_per_node: int | None = None
) -> PeakFinding:
    """What a claimed peak is, of the figures that are published of its part (exact).

    Parameters
    ----------
    word : str
        The format that the offer names.
    tflops : float
        The rate that it claims [TFLOPS].
    kind : {"unsaid", "dense", "sparse"}
        What it says of sparsity.
    figures : sequence of PeakFigure
        From `peak_figures`.
    gpus_per_node : int, optional
        Parts of a server, for a figure that is the sum over them.

    Returns
    -------
    PeakFinding
        A figure of its own format comes before one of another format, and that before a sum over a server.

    Examples
    --------
    >>> h100 = [PeakFigure("fp16", "dense", 989.4, "", True), PeakFigure("fp16", "sparse", 1978.9, "", True),
    ...         PeakFigure("fp8", "dense", 1978.9, "", True)]
    >>> found = judge_peak("fp16", 1979, "unsaid", h100)
    >>> found.verdict, found.code, [(one.format, one.sparsity) for one in found.figures]
    ('contradiction', 'sparse-for-dense', [('fp16', 'sparse'), ('fp8', 'dense')])
    """
    key = format_key(word)
    figures = [one for one in figures if key == _INTEGERS or one.format != _INTEGERS]
    dense = next((one for one in figures if one.format == key and one.sparsity == "dense"), None)
    equal = _own_first(key, (one for one in figures if same(tflops, one.tflops)))
    if own := [one for one in equal if one.format == key]:
        return PeakFinding(*_of_own_format(kind, {one.sparsity for one in own}), dense, equal)
    if equal:
        return PeakFinding("contradiction", "other-format", dense, equal)
    if gpus_per_node and gpus_per_node > 1:
        sums = (
            PeakFigure(one.format, one.sparsity, gpus_per_node * one.tflops, one.field, one.is_published, gpus_per_node)
            for one in figures
        )
        if total := _own_first(key, (one for one in sums if same(tflops, one.tflops))):
            return PeakFinding("question", "server-total", dense, total)
    if dense is None:
        return PeakFinding("question", "not-published", None, ())
    nearest = min(figures, key=lambda one: abs(one.tflops - tflops))
    above = tflops > dense.tflops
    return PeakFinding(
        "contradiction" if above else "question", "above-all" if above else "below", dense, (nearest,)
    )  # fmt: skip


def _own_first(key: str, figures: Iterable[PeakFigure]) -> tuple[PeakFigure, ...]:
    return tuple(sorted(figures, key=lambda one: (one.format != key, not one.is_published, one.sparsity)))


def _of_own_format(kind: PeakKind, sparsities: set[Sparsity]) -> tuple[Verdict, str]:
    if "dense" in sparsities:
        if kind == "sparse":
            return "question", "dense-for-sparse"
        return "ok", "dense" if kind == "dense" else "dense-unsaid"
    return ("ok", "sparse-as-said") if kind == "sparse" else ("contradiction", "sparse-for-dense")


def judge_memory(
    claimed_gb: float,
    label_gb: float | None,
    reported_gib: float | None,
    gpus_per_node: int | None = None,
    others: Sequence[tuple[str, float]] = (),
    sourced: Sequence[tuple[str, float]] = (),
) -> AmountFinding:
    """Which memory figure of a part a claim is: the label, the reported GiB, or those in decimal gigabytes (exact).

    Parameters
    ----------
    claimed_gb : float
        What the offer states, whatever it means by GB.
    label_gb : float or None
        The vendor's label, GB or GiB as it pleases.
    reported_gib : float or None
        What driver or runtime report [GiB].
    gpus_per_node : int, optional
        Parts of a server, for a figure that is the sum over them.
    others : sequence of (str, float)
        Ids and labels of other parts of the vendor.
    sourced : sequence of (str, float)
        Source ids and figures that sources state and the catalogue does not use.

    Returns
    -------
    AmountFinding
        `published` is the figure that is equalled, in its own unit; the label, else the report, where none is.

    Examples
    --------
    MI300X: the label of 192 is 191.98 GiB, which is 206.1 GB of 10⁹ bytes. B200: 180 is the label, 192 the same
    memory (179.06 GiB) in decimal gigabytes.

    >>> judge_memory(192, 192, 191.98).code, judge_memory(206.1, 192, 191.98).code
    ('label', 'decimal')
    >>> judge_memory(180, 180, 179.06).code, judge_memory(192, 180, 179.06).code
    ('label', 'decimal')
    """
    figures = {"label": label_gb, "decimal": None if reported_gib is None else decimal_gb(reported_gib)}
    figures["binary"] = reported_gib
    for code, figure in figures.items():
        if figure is not None and same(claimed_gb, figure):
            return AmountFinding("ok", code, figure)
    published = label_gb if label_gb is not None else reported_gib
    return _judge_other(claimed_gb, published, gpus_per_node, sourced, others)


def judge_bandwidth(
    claimed_tbs: float,
    published_tbs: float | None,
    gpus_per_node: int | None = None,
    sourced: Sequence[tuple[str, float]] = (),
) -> AmountFinding:
    """Whether a claimed bandwidth is the published one (exact).

    Parameters
    ----------
    claimed_tbs : float
        What the offer states [TB/s].
    published_tbs : float or None
        The catalogue's [TB/s].
    gpus_per_node : int, optional
        Parts of a server, for a figure that is the sum over them.
    sourced : sequence of (str, float)
        Source ids and figures that sources state and the catalogue does not use [TB/s].

    Returns
    -------
    AmountFinding
        Code "label" where it is.

    Examples
    --------
    >>> judge_bandwidth(3.35, 3.35).verdict, judge_bandwidth(26.8, 3.35, 8).code, judge_bandwidth(4.8, 3.35).code
    ('ok', 'server-total', 'above')
    """
    if published_tbs is not None and same(claimed_tbs, published_tbs):
        return AmountFinding("ok", "label", published_tbs)
    return _judge_other(claimed_tbs, published_tbs, gpus_per_node, sourced, ())


def _judge_other(
    claimed: float,
    published: float | None,
    gpus_per_node: int | None,
    sourced: Sequence[tuple[str, float]],
    others: Sequence[tuple[str, float]],
) -> AmountFinding:
    """A claim that is not the part's own figure."""
    for source_id, figure in sourced:
        if same(claimed, figure):
            return AmountFinding("question", "other-source", published, source_id)
    if published is None:
        return AmountFinding("question", "not-published", None)
    if gpus_per_node and gpus_per_node > 1 and same(claimed, gpus_per_node * published):
        return AmountFinding("question", "server-total", published)
    for part_id, figure in others:
        if same(claimed, figure):
            return AmountFinding("contradiction", "other-part", published, part_id)
    above = claimed > published
    return AmountFinding("contradiction" if above else "question", "above" if above else "below", published)


def decimal_gb(gib: float) -> float:
    """GiB of 2^30 bytes as GB of 10^9 bytes (exact).

    GB = GiB x 2^30 / 10^9

    Parameters
    ----------
    gib : float
        An amount of memory [GiB].

    Returns
    -------
    float
        The same amount [GB].

    Examples
    --------
    >>> round(decimal_gb(179.06), 1)
    192.3
    """
    return gib * GIB / GB
