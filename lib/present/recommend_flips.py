"""What would overturn the answer, as a list that a negotiator can use."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.flip_points import candidate_at
from lib.choice.flips import Driver, FlipPoint
from lib.choice.mix import Mix
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.recommend_words import article_letter, short
from lib.present.text import Words

_FAR: Final = 10.0
"""Distance from which on a multiple says more than percent."""

_MOST_CONDITIONS: Final = 4
_MOST_GROUPS: Final = 2
"""What a headline has room for: the nearest conditions for each of the candidates that are the nearest to coming first."""


def driver_name(driver: Driver, found: Recommendation, _: Words) -> str:
    """A driver in the reader's words.

    Parameters
    ----------
    driver : Driver
        What may turn out otherwise.
    found : Recommendation
        For the name of its candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Price of a server, H200 SXM, buy".
    """
    one = candidate_at(found, driver.place)
    if driver.name == "price" and one is not None:
        part = short(one)
        if one.candidate.price_source.startswith("article"):
            part += f" · {article_letter(one.candidate.price_source)}"
        return {
            "buy": _("Price of a server of {part}", part=part),
            "rent": _("Rent on demand of {part}", part=part),
            "commit-1y": _("Rent of {part} for 1 year", part=part),
            "commit-3y": _("Rent of {part} for 3 years", part=part),
        }[one.candidate.acquisition]
    if driver.name == "throughput":
        return _("Throughput of {part} against our estimate", part=short(one))
    return {
        "electricity": _("Electricity price"),
        "utilisation": _("Utilisation"),
        "discount-rate": _("Discount rate"),
        "pue": _("Power usage effectiveness (PUE)"),
        "staff": _("Staff, people per server"),
        "migration": _("Moving the software, engineer-weeks"),
        "resale": _("Resale value, x the assumed curve"),
        "network": _("Network per GPU"),
        "horizon": _("Horizon"),
        "software-weight": _("What full software risk is worth"),
        "evidence-weight": _("What thin evidence is worth"),
        "input-tokens": _("Input tokens"),
        "concurrency": _("Concurrent sequences"),
        "request-rate": _("Requests per second"),
        "model": _("Size of the model"),
        "training-gpus": _("GPUs of the run"),
        "share": _("Share of the workload in view"),
    }[driver.name]


def driver_value(driver: Driver, value: float, _: Words, label: str = "", catalog: Catalog | None = None) -> str:
    """A value of a driver with its unit.

    Parameters
    ----------
    driver : Driver
        Which driver.
    value : float
        Its value.
    _ : Words
        The reader's language.
    label : str
        The name of the value where it is no number.
    catalog : Catalog, optional
        For names of models.

    Returns
    -------
    str
        "317,174 USD", "0.32", "45 %".
    """
    match driver.name:
        case "price":
            server = driver.field == "server_price_usd"
            return _.usd(value) if server else _("{usd} per GPU-hour", usd=_.usd(value, 2))
        case "electricity":
            return _("{usd} USD per kWh", usd=_.number(value))
        case "utilisation" | "discount-rate" | "software-weight" | "evidence-weight" | "share":
            return _.percent(value, 1)
        case "network":
            return _.usd(value)
        case "horizon":
            return _.count("{n} year", "{n} years", round(value))
        case "throughput":
            return _.ratio(value)
        case "input-tokens" | "concurrency" | "training-gpus":
            return f"{value:,.0f}"
        case "model":
            named = catalog.models[label].name if catalog is not None and label in catalog.models else label
            billions = _("{n} B parameters", n=_.number(value / 1_000_000_000))
            return f"{named} ({billions})" if named else billions
    return _.number(value)


def distance(flip: FlipPoint) -> str:
    """How far a flip point is from today's value.

    Parameters
    ----------
    flip : FlipPoint
        With a value at which the answer changes.

    Returns
    -------
    str
        "−2.4 %", or "77×" far away; blank where today's value is nothing, or the answer does not change.
    """
    if flip.distance is None:
        return ""
    if flip.distance >= _FAR:
        return f"{1 + flip.distance:,.0f}×"
    return f"{100 * flip.distance:+.1f} %".replace("-", "−")


def flips_table(flips: Sequence[FlipPoint], found: Recommendation, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The drivers that change the answer, the nearest first: today, from where on, who then.

    Parameters
    ----------
    flips : sequence of FlipPoint
        As `flip_points` gives them.
    found : Recommendation
        The answer.
    catalog : Catalog
        For names of models.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    lines = []
    for one in flips:
        if one.at is None or one.kept is None:
            continue
        driver = one.driver
        to = candidate_at(found, one.to)
        turned = driver_value(driver, one.at, _, one.label, catalog)
        now = driver_value(driver, driver.now, _, found.scenario.workload.model, catalog)
        limit = _from(one, turned, _)
        lines.append(
            (
                driver_name(driver, found, _),
                limit,
                cost.option_label(to.cost, _) if to is not None else _("nobody passes"),
                distance(one),
                now,
            )
        )
    heads = (_("What changes"), _("Another comes first"), _("Then first"), _("Distance"), _("Today"))
    return pd.DataFrame(lines, columns=list(heads))


def _from(one: FlipPoint, turned: str, _: Words) -> str:
    """From which value on; for a load, between which two values that were looked at."""
    assert one.at is not None and one.kept is not None  # noqa: S101, PT018 (asked only of a change)
    if one.driver.name == "model":
        return _("with {value}", value=turned)
    if one.driver.target == "load" or one.driver.name == "horizon":
        kept = driver_value(one.driver, one.kept, _)
        return _("at {value}, not at {kept}", value=turned, kept=kept)
    rises = one.at > one.driver.now
    return _("above {value}", value=turned) if rises else _("below {value}", value=turned)


def unchanged(flips: Sequence[FlipPoint], found: Recommendation, _: Words) -> str:
    """The drivers that do not change the answer, each with the range that was searched.

    Parameters
    ----------
    flips : sequence of FlipPoint
        As `flip_points` gives them.
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty where everything changes it.
    """
    pieces = []
    for one in flips:
        if one.at is None:
            driver = one.driver
            low, high = (driver_value(driver, end, _) for end in (driver.low, driver.high))
            pieces.append(_("{driver} ({low} to {high})", driver=driver_name(driver, found, _), low=low, high=high))
    return _("Does not change the answer in its range: {drivers}.", drivers="; ".join(pieces)) if pieces else ""


def headline(flips: Sequence[FlipPoint], found: Recommendation, catalog: Catalog, _: Words) -> str:
    """The nearest prices and throughput that turn the answer, in one sentence for whoever negotiates.

    Parameters
    ----------
    flips : sequence of FlipPoint
        As `flip_points` gives them.
    found : Recommendation
        The answer.
    catalog : Catalog
        For names of models.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; says so where nothing in the ranges turns it.
    """
    changing = [one for one in flips if one.at is not None]
    if not changing:
        return _("**Nothing that was varied, each within its range, puts another candidate first.**")
    groups: dict[int | None, list[str]] = {}
    for one in changing:
        conditions = groups.setdefault(one.to, [])
        if len(conditions) < _MOST_CONDITIONS and (one.to is not None or not conditions):
            conditions.append(_condition(one, found, catalog, _))
    nobody = groups.pop(None, None)
    told = []
    for place, conditions in list(groups.items())[:_MOST_GROUPS]:
        to = candidate_at(found, place)
        if to is not None:
            option = cost.option_label(to.cost, _)
            told.append(
                _(
                    "**{option} comes first** with one of these: {conditions}.",
                    option=option,
                    conditions="; ".join(conditions),
                )
            )
    if nobody:
        told.append(_("**Nobody passes** with one of these: {conditions}.", conditions="; ".join(nobody)))
    return " ".join(told)


def _condition(one: FlipPoint, found: Recommendation, catalog: Catalog, _: Words) -> str:
    """From where on another comes first: how much faster or slower a part turns out, or a value with its distance."""
    far = one.distance
    if one.driver.name == "throughput" and far is not None and abs(far) < 1:
        message = _("{part} {share} faster than estimated") if far > 0 else _("{part} {share} slower than estimated")
        return message.format(part=short(candidate_at(found, one.driver.place)), share=_.percent(abs(far), 1))
    turned = driver_value(one.driver, one.at or 0.0, _, one.label, catalog)
    return _(
        "{driver} {limit} ({distance})",
        driver=driver_name(one.driver, found, _),
        limit=_from(one, turned, _),
        distance=distance(one) or _("from nothing"),
    )


def mix_words(found: Mix, answer: Recommendation, _: Words) -> str:
    """Which candidate serves all workloads best, and the share at which that turns.

    Parameters
    ----------
    found : Mix
        The mix.
    answer : Recommendation
        For names of candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    first = candidate_at(answer, found.winner)
    best = next((one for one in found.parts if one.place == found.winner), None)
    if first is None or best is None or best.mixed is None:
        return _("No candidate passes for every workload with a figure for each.")
    said = _(
        "One part for all {n} workloads by their shares: **{option}**, {figure} USD per million tokens of the mix.",
        n=len(best.figures),
        option=cost.option_label(first.cost, _),
        figure=_.number(best.mixed),
    )
    other = candidate_at(answer, found.to)
    if found.turns_at is None or other is None:
        return (
            said
            + " "
            + _(
                "No share of the workload in view puts another one first (today {share}).", share=_.percent(found.share)
            )
        )
    return said + " " + _(
        "At a share of {at} for the workload in view (today {share}) {other} comes first.",
        at=_.percent(found.turns_at), share=_.percent(found.share), other=cost.option_label(other.cost, _),
    )  # fmt: skip
