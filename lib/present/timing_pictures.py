"""Titles, captions and words of the pictures of the timing page."""

from lib.catalog import Catalog
from lib.choice.roadmap import products
from lib.choice.timing_records import Timing
from lib.present import cost_notes
from lib.present.text import Words
from lib.present.timing import drift_name, money, path_name


def paths_in_words(found: Timing, _: Words) -> str:
    """The picture of the paths for those who cannot see it.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Each path with its cost in each future.
    """
    lines = [
        f"{path_name(path.kind, path.order_month, _)}: "
        + ", ".join(f"{drift_name(drift, _)} {money(found, path.npv_usd[drift.name], _)}" for drift in found.drifts)
        for path in found.paths
        if path.npv_usd
    ]
    return "; ".join(lines)


def paths_title(found: Timing, _: Words) -> str:
    """The finding of the picture of the paths.

    Parameters
    ----------
    found : Timing
        The paths.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title.
    """
    best = found.best
    if best is None:
        return ""
    if sum(bool(path.npv_usd) for path in found.paths) == 1:
        return _("Only “{path}” can be costed", path=path_name(best.kind, best.order_month, _))
    winners = {path.kind for drift in found.drifts if (path := found.cheapest_in(drift.name))}
    name = path_name(best.kind, best.order_month, _)
    return (
        _("“{path}” costs least in every future", path=name)
        if len(winners) == 1
        else _("“{path}” costs least with flat prices, not in every future", path=name)
    )


def caption(found: Timing, catalog: Catalog, _: Words) -> str:
    """Which prices stand behind the picture, and when.

    Parameters
    ----------
    found : Timing
        The paths.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One line.
    """
    series = sum(len(drift.series) for drift in found.drifts)
    line = _(
        "Net present value of all flows; grey bands: price rows from low to high, prices flat. Changes of prices: {n} series of H100 rents, used for every part. Data edition {edition}.",
        n=series,
        edition=catalog.edition.label,
    )
    return f"{line} {cost_notes.sources_line(list(found.ways.values()), catalog, _)}"


def rents_title(found: Timing, _: Words) -> str:
    """The finding of the picture of the rents.

    Parameters
    ----------
    found : Timing
        With its futures.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title.
    """
    by_name = {drift.name: drift for drift in found.drifts}
    fell, rose = by_name.get("falls"), by_name.get("rises")
    if fell is None or rose is None:
        return _("H100 rents over time")
    return _(
        "H100 rents: down {fell} a year to October 2025, up {rose} since",
        fell=_.percent(-fell.per_year),
        rose=_.percent(rose.per_year),
    )


def rents_caption(catalog: Catalog, _: Words) -> str:
    """What the points of the picture of the rents are.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One line.
    """
    return _(
        "Rent history, data edition {edition}: list prices, indices and marketplaces side by side, from cheap providers to hyperscalers; hover for terms and source. Rows that contradict their own source are left out.",
        edition=catalog.edition.label,
    )


def roadmap_title(catalog: Catalog, _: Words) -> str:
    """The finding of the picture of the roadmap.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title.
    """
    disputed = sum(one.is_disputed for one in products(catalog.roadmap))
    if not disputed:
        return _("When parts can be had")
    return _.count("Statements differ on {n} product", "Statements differ on {n} products", disputed)


def roadmap_in_words(catalog: Catalog, _: Words) -> str:
    """The picture of the roadmap for those who cannot see it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Each statement with its window.
    """
    return "; ".join(
        f"{fact.product} {fact.window_start}–{fact.window_end}: {_.pick(fact.statement_en, fact.statement_zh)}"
        for fact in catalog.roadmap
    )


def roadmap_caption(catalog: Catalog, _: Words) -> str:
    """How far the roadmap can be trusted.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One line.
    """
    return _(
        "{n} statements, most of them read in reports and not in the vendors' own documents; each with its source and date below. Data edition {edition}.",
        n=len(catalog.roadmap),
        edition=catalog.edition.label,
    )
