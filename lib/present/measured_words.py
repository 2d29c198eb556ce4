"""The words that sentences, tables and figures of measurements share."""

import math
from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.own_rows import OWN_SOURCE
from lib.choice.scenario import CUSTOM_MODEL
from lib.present.text import Words, markdown_safe
from lib.records import Source


def model_name(catalog: Catalog, model_id: str, _: Words) -> str:
    """A model's name, or its id where the catalogue does not hold it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    model_id : str
        Of the catalogue, or of a custom model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    if model_id == CUSTOM_MODEL:
        return _("the custom model")
    return catalog.models[model_id].name if model_id in catalog.models else model_id


def short_name(catalog: Catalog, accelerator_id: str) -> str:
    """A part's short name, safe in Markdown."""
    return markdown_safe(catalog.accelerators[accelerator_id].short_name)


def source_of(catalog: Catalog, source_id: str, _: Words) -> Source:
    """A source of the catalogue, or the user's own measurement as one.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    source_id : str
        Of a measured row.
    _ : Words
        The reader's language.

    Returns
    -------
    Source
        With its title in the reader's language where it is the user's own.
    """
    if source_id == OWN_SOURCE:
        return Source(OWN_SOURCE, _("your own measurement"), "", "benchmark", "", "", "")
    return catalog.source(source_id)


def interest(word: str, _: Words) -> str:
    """What a publisher has to gain.

    Parameters
    ----------
    word : str
        A word of the column publisher_interest.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a cell or a hover text.
    """
    return {
        "independent": _("independent"),
        "amd": _("AMD or an author of AMD's"),
        "nvidia": _("NVIDIA"),
        "cloud-seller": _("rents out the part"),
    }.get(word, _("interest not known"))


def mlperf_scenario(word: str, _: Words) -> str:
    """An MLPerf scenario's name in the reader's language, as MLPerf writes it in English."""
    return {"Offline": _("Offline"), "Server": _("Server"), "Interactive": _("Interactive")}.get(word, word)


def ratio_span(ratios: Sequence[float], _: Words) -> str:
    """The lowest and highest of some ratios: "0.26–1.43×"; "not measured" for none.

    Parameters
    ----------
    ratios : sequence of float
        Ratios that may be read together.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    if not ratios:
        return _("not measured")
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return f"{low}×" if low == high else f"{low}–{high}×"


def load_in_words(input_tokens: float, output_tokens: float, concurrency: float, _: Words) -> str:
    """A load as "4,096 in, 512 out, 64 concurrent"; what is not stated says so.

    Parameters
    ----------
    input_tokens, output_tokens, concurrency : float
        NaN where not stated.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    if all(map(math.isnan, (input_tokens, output_tokens, concurrency))):
        return _("load not stated")
    pieces = (
        (input_tokens, _("{n} in"), _("input not stated")),
        (output_tokens, _("{n} out"), _("output not stated")),
        (concurrency, _("{n} concurrent"), _("load not stated")),
    )
    told = (without if math.isnan(count) else stated.format(n=f"{count:,.0f}") for count, stated, without in pieces)
    return _.pick(", ", "，").join(told)


def pair_dates(one: str, other: str, _: Words) -> str:
    """The dates of both runs of a pair.

    Parameters
    ----------
    one, other : str
        Dates; "" where not stated.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One date where both have it, else the older and the newer.
    """
    older, newer = sorted((one, other))
    if older == newer:
        return older or _("date not stated")
    return _("{older} and {newer}", older=older or _("date not stated"), newer=newer)


def gpus_in_words(count: float, _: Words) -> str:
    """How many GPUs ran.

    Parameters
    ----------
    count : float
        NaN where not stated.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8 GPUs", or that it is not stated.
    """
    return _("GPU count not stated") if math.isnan(count) else _.count("{n} GPU", "{n} GPUs", int(count))
