"""Predicted memory beside logged memory, in words and as a table."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.memory_validation import MemoryValidation, ValidatedCase
from lib.choice.scenario import EngineChoice
from lib.present import names
from lib.present.text import Words
from lib.sizing.accuracy import Errors

_PERCENT_DECIMALS: Final = 1


def footer(found: MemoryValidation, choice: EngineChoice, _: Words) -> str:
    """What the chosen engine's estimate rests on, and how far predictions were off, each quantity with its own count.

    Parameters
    ----------
    found : MemoryValidation
        Errors with one source left out.
    choice : EngineChoice
        The engine.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a caption.
    """
    labels = _labels(_)
    errors = [
        _(
            "{quantity} {median} (80 % of {n} cases within {wide})",
            quantity=labels[name],
            median=_.percent(one.median, _PERCENT_DECIMALS),
            n=one.count,
            wide=_.percent(one.percentile_80, _PERCENT_DECIMALS),
        )
        for name, one in found.errors.items()
        if name in labels
    ]
    measured = _(
        "Measured error of these predictions on logged cases, the source of each left out: median of {errors}. Starts: {right} "
        "of {count} called right, {dangerous} called a fit that failed. {inside} of {banded} logged caches lie inside the band.",
        errors=_.pick("; ", "；").join(errors),
        right=found.verdicts.right,
        count=found.verdicts.count,
        dangerous=len(found.verdicts.dangerous),
        inside=found.inside,
        banded=found.banded,
    )
    return " ".join(text for text in (basis(found, choice, _), measured) if text)


def _labels(_: Words) -> Mapping[str, str]:
    return {"weights": _("weights"), "free cache": _("free cache"), "tokens": _("tokens of cache")}


def basis(found: MemoryValidation, choice: EngineChoice, _: Words) -> str:
    """How many logs stand behind the chosen engine's workspace.

    Parameters
    ----------
    found : MemoryValidation
        The logged cases.
    choice : EngineChoice
        The engine.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Blank for an engine with ten logs or more.
    """
    logged = found.logged_on(choice.engine)
    if logged >= ENOUGH_LOGS:
        return ""
    return _.count(
        "The workspace of {engine} rests on its documentation and on {n} logged free cache: read the counts as estimates.",
        "The workspace of {engine} rests on its documentation and on {n} logged free caches: read the counts as estimates.",
        logged,
        engine=names.engine(choice.engine),
    )


ENOUGH_LOGS: Final = 8
"""Logged free caches from which on an engine's estimate counts as measured."""


def table(catalog: Catalog, found: MemoryValidation, _: Words) -> pd.DataFrame:
    """Every logged case beside its prediction, with its source.

    Parameters
    ----------
    catalog : Catalog
        For the titles of sources.
    found : MemoryValidation
        The cases.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a case.
    """
    return pd.DataFrame(
        [
            {
                _("Case"): one.case_id,
                _("Model"): one.model.removeprefix("configs/").removesuffix(".json"),
                _("Part"): _part(catalog, one),
                _("GPUs"): one.gpus,
                _("Engine"): names.engine(one.engine),
                _("Weights logged, GiB"): one.logged_weights_gib,
                _("Weights predicted, GiB"): _rounded(one.weights_gib),
                _("Free cache logged, GiB"): one.logged_cache_gib,
                _("Free cache predicted, GiB (low–high)"): _band(one, _),
                _("Tokens logged"): one.logged_tokens,
                _("Tokens predicted"): None if one.tokens is None else round(one.tokens),
                _("Logged"): _started(one.logged_fits == "fit", _) if one.logged_fits in ("fit", "fail") else "",
                _("Predicted"): _started(one.fits == "yes", _) if one.fits in ("yes", "no") else "",
                _("Source"): catalog.source(one.source_id).title,
                _("Where"): one.locator,
            }
            for one in found.cases
        ]
    )


def _part(catalog: Catalog, one: ValidatedCase) -> str:
    known = catalog.accelerators.get(one.accelerator_id)
    return known.short_name if known else one.accelerator_id


def _band(one: ValidatedCase, _: Words) -> str:
    if one.cache_gib is None:
        return ""
    return f"{one.cache_gib:.1f} ({_.span(one.cache_low_gib, one.cache_high_gib)})"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _started(starts: bool, _: Words) -> str:
    return _("✓ starts") if starts else _("✕ fails")


def finding(found: MemoryValidation, _: Words) -> str:
    """The finding of the chart: how many caches were met and which cases were called wrong.

    Parameters
    ----------
    found : MemoryValidation
        The cases.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    cache: Errors = found.errors["free cache"]
    return _(
        "Half of the {n} logged free caches are met within {median}, four in five within {wide}",
        n=cache.count,
        median=_.percent(cache.median, _PERCENT_DECIMALS),
        wide=_.percent(cache.percentile_80, _PERCENT_DECIMALS),
    )


def wrong(found: MemoryValidation, _: Words) -> str:
    """The cases that were called wrong, by name.

    Parameters
    ----------
    found : MemoryValidation
        The cases.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    none = _("none")
    return _(
        "Called a fit and failed: {dangerous}. Called a failure and ran: {cautious}. Outside the band: {outside}.",
        dangerous=_.listing(list(found.verdicts.dangerous)) or none,
        cautious=_.listing(list(found.verdicts.cautious)) or none,
        outside=_.listing(list(found.outside)) or none,
    )
