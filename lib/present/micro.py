"""Micro-benchmarks in words: what was reached of the datasheet's peak, and where each figure comes from."""

from collections.abc import Callable, Sequence

from lib.catalog import Catalog
from lib.choice.micro_view import MicroView
from lib.present.figures.points import Row, hover, source_line
from lib.present.measured_words import interest
from lib.present.text import Words

_NAMED = 3


def kind_name(kind: str, _: Words) -> str:
    """A kind of micro-benchmark as a choice.

    Parameters
    ----------
    kind : str
        A word of `lib.choice.micro_view.KINDS`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "bandwidth": _("Memory bandwidth"),
        "gemm": _("Matrix rate"),
        "all_reduce": _("All-reduce"),
        "power": _("Power"),
    }[kind]


def title(catalog: Catalog, view: MicroView, _: Words) -> str:
    """The best row of each part, as a share of its peak where there is one.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : MicroView
        What is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The finding.
    """
    if not view.achieved:
        return _("Nobody measured this on these parts")
    pieces = []
    for one in view.achieved[:_NAMED]:
        name = catalog.accelerators[one.accelerator_id].short_name
        if view.kind in ("bandwidth", "gemm") and one.share is not None:
            pieces.append(f"{name} {_.percent(one.share)}")
        else:
            pieces.append(f"{name} {_.number(one.best)} {unit(view, _)}")
    message = {
        "bandwidth": _("Best share of the datasheet's bandwidth reached by reading: {pieces}"),
        "gemm": _("Best achieved share of the dense {format} peak: {pieces}"),
        "all_reduce": _("Highest bus bandwidth of all-reduce: {pieces}"),
        "power": _("Highest power of one accelerator: {pieces}"),
    }[view.kind]
    return message.format(pieces=_.listing(pieces), format=view.number_format)


def unit(view: MicroView, _: Words) -> str:
    """The unit of the figures."""
    return {"bandwidth": "GB/s", "gemm": "TFLOPS", "all_reduce": "GB/s", "power": "W"}[view.kind]


def axis(view: MicroView, _: Words) -> str:
    """Title of the axis of the figures."""
    return {
        "bandwidth": _("GB/s of the part's own memory"),
        "gemm": _("TFLOPS, {format}", format=view.number_format),
        "all_reduce": _("Bus bandwidth, GB/s in one direction"),
        "power": _("W per accelerator"),
    }[view.kind]


def subtitle(view: MicroView, _: Words) -> list[str]:
    """Conditions and marks of the figure.

    Parameters
    ----------
    view : MicroView
        What is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    conditions = {
        "bandwidth": _("Streams and single-row matrix products; dashed: the datasheet"),
        "gemm": _(
            "Matrix products of any shape in {format}; dashed: dense peak of the datasheet", format=view.number_format
        ),
        "all_reduce": _("One line a source, number of accelerators and library; logarithmic message size"),
        "power": _("Idle, decoding, serving and matrix runs: point at one to see which; dashed: rated power"),
    }[view.kind]
    derived = _("A sum over several accelerators is divided by their number (derived)") if view.kind == "power" else ""
    interested = (view.rows["publisher_interest"] != "independent").any()
    outlined = _("Outlined: the publisher has an interest, or its interest is not known") if interested else ""
    return [conditions, derived, outlined]


def missing(catalog: Catalog, view: MicroView, _: Words) -> str:
    """Which compared parts nobody measured so; "" where all were."""
    if not view.without:
        return ""
    names = _.listing([catalog.accelerators[one].short_name for one in view.without])
    return _("Not measured in any source of this edition: {parts}.", parts=names)


def row_hover(catalog: Catalog, view: MicroView, _: Words) -> Callable[[Row], str]:
    """How a row of the micro table reads on hover.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    view : MicroView
        What is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    callable
        From a row to its words.
    """

    def words(row: Row) -> str:
        count = row["accelerator_count"]
        pieces = [f"{_.number(row['amount'], 4)} {unit(view, _)}", row["number_format"], row["shape_or_size"]]
        pieces.append("" if count != count else _.count("{n} accelerator", "{n} accelerators", int(count)))
        return hover(
            f"<b>{catalog.accelerators[row['accelerator_id']].short_name}</b>, {row['test']}",
            ", ".join(one for one in (*pieces, row["software"], row["stat"]) if one),
            row["note"],
            source_line(catalog, row, row["locator"], interest(row["publisher_interest"], _), _),
        )

    return words


def caption(catalog: Catalog, view: MicroView, source_titles: Sequence[str], _: Words) -> str:
    """Sources and edition below the figure."""
    named = list(source_titles[:_NAMED])
    if len(source_titles) > _NAMED:
        named.append(_("{n} more", n=len(source_titles) - _NAMED))
    return _("Sources: {sources}. Data edition {edition}.", sources=_.listing(named), edition=catalog.edition.label)
