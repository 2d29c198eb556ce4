"""The cost page in words and tables."""

from collections.abc import Mapping, Sequence
from typing import Final

from lib.choice.costed import Costed, is_tie
from lib.choice.scenario import Scenario
from lib.present import doubts
from lib.present.text import Words

GROUPS: Final = ("hardware", "running", "people", "rent", "resale")
_GROUP_OF: Final[Mapping[str, str]] = {
    "hardware": "hardware",
    "network": "hardware",
    "installation": "hardware",
    "spares": "hardware",
    "energy": "running",
    "facility": "running",
    "support": "people",
    "licences": "people",
    "staff": "people",
    "migration": "people",
    "rental": "rent",
    "resale": "resale",
}


def group_name(group: str, _: Words) -> str:
    """A group of components in the reader's words.

    Parameters
    ----------
    group : str
        One of GROUPS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a legend.
    """
    return {
        "hardware": _("Servers, network, spares"),
        "running": _("Energy and facility"),
        "people": _("Staff, support, licences, migration"),
        "rent": _("Rent"),
        "resale": _("Resale (deducted)"),
    }[group]


def component_name(component: str, _: Words) -> str:
    """One component in the reader's words.

    Parameters
    ----------
    component : str
        One of the cost room's components.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return {
        "hardware": _("Servers"),
        "network": _("Network"),
        "installation": _("Installation"),
        "spares": _("Spares"),
        "energy": _("Energy"),
        "facility": _("Facility"),
        "support": _("Hardware support"),
        "licences": _("Licences"),
        "staff": _("Staff"),
        "migration": _("Migration"),
        "rental": _("Rent"),
        "resale": _("Resale"),
    }[component]


def option_label(one: Costed, _: Words) -> str:
    """A candidate's name: part, way of having it, and the article whose price it uses.

    Parameters
    ----------
    one : Costed
        The candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "MI300X, buy".
    """
    way = {"buy": _("buy"), "rent": _("rent"), "commit-1y": _("1-year"), "commit-3y": _("3-year")}
    label = _("{part}, {way}", part=one.accelerator.short_name, way=way[one.candidate.acquisition])
    source = one.candidate.price_source
    return f"{label} · {source.removeprefix('article-').upper()}" if source.startswith("article") else label


def grouped_npv(one: Costed) -> dict[str, float]:
    """Net present value by group of components.

    Parameters
    ----------
    one : Costed
        With totals.

    Returns
    -------
    dict of str to float
        Group to amount [USD]; resale is negative.
    """
    amounts = dict.fromkeys(GROUPS, 0.0)
    if one.summed is not None:
        for component, amount in one.summed.npv_by_component.items():
            amounts[_GROUP_OF[component]] += float(amount)
    return amounts


def ranked(options: Sequence[Costed]) -> list[Costed]:
    """The options that have a cost, cheapest first, at prices of one source: the catalogue's where it has any.

    Parameters
    ----------
    options : sequence of Costed
        Any.

    Returns
    -------
    list of Costed
        By net present value; an article's price is never set against the catalogue's.
    """
    known = [one for one in options if one.npv_usd is not None]
    own = [one for one in known if not one.candidate.price_source.startswith("article")]
    return sorted(own or known, key=lambda one: one.npv_usd or 0.0)


def costed_first(options: Sequence[Costed]) -> list[Costed]:
    """Every option that has a cost, cheapest first, whatever the source of its price: as the figures show them.

    Parameters
    ----------
    options : sequence of Costed
        Any.

    Returns
    -------
    list of Costed
        By net present value.
    """
    return sorted((one for one in options if one.npv_usd is not None), key=lambda one: one.npv_usd or 0.0)


def _other_way(best: Costed, order: Sequence[Costed]) -> Costed | None:
    """The cheapest option that is bought where the best is rented, or the reverse."""
    buys = best.candidate.acquisition == "buy"
    return next((one for one in order if (one.candidate.acquisition == "buy") != buys), None)


def answer(options: Sequence[Costed], scenario: Scenario, _: Words) -> str:
    """Which option costs least, by how much, and how sure that is.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    scenario : Scenario
        For the horizon and a stated throughput.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    order = ranked(options)
    if not order:
        return _("No candidate can be costed: {reasons}", reasons=" ".join(problems(options, _)))
    best = order[0]
    years = _.count("{n} year", "{n} years", scenario.money.horizon_years)
    parts = [
        _(
            "Over {years}, **{option}** costs least: **{npv}** net present value{band} for {gpus}, {per_hour} per GPU-hour.",
            years=years,
            option=option_label(best, _),
            npv=_.usd(_rounded(best.npv_usd)),
            band=_band(best, _),
            gpus=fleet_text(best, _),
            per_hour=_.usd(per_gpu_hour(best), 2),
        )
    ]
    if len(order) > 1:
        second = order[1]
        parts.append(
            _(
                "Next is {option} at {npv}{band}, {percent} more.",
                option=option_label(second, _),
                npv=_.usd(_rounded(second.npv_usd)),
                band=_band(second, _),
                percent=_.percent((second.npv_usd or 0.0) / (best.npv_usd or 1.0) - 1, 1),
            )
        )
        if is_tie(best, second):
            parts.append(_("Their price ranges overlap by more than half: a quote decides."))
    other = _other_way(best, order)
    if other is not None:
        parts.append(
            _(
                "The cheapest to {way} is {option}: {npv} for {gpus}.",
                way=_("buy") if other.candidate.acquisition == "buy" else _("rent"),
                option=option_label(other, _),
                npv=_.usd(_rounded(other.npv_usd)),
                gpus=fleet_text(other, _),
            )
        )
        parts.append(_("A purchase carries its own staff, power and whole servers; a rental only the GPUs needed."))
    elsewhere = [one for one in options if one.npv_usd is not None and one not in order]
    if elsewhere:
        first = min(elsewhere, key=lambda one: one.npv_usd or 0.0)
        parts.append(
            _(
                "At the article's prices {option} comes first: {npv}.",
                option=option_label(first, _),
                npv=_.usd(_rounded(first.npv_usd)),
            )
        )
    if best.unit is not None and best.unit.million_output_tokens_usd is not None:
        parts.append(
            _(
                "At the stated throughput a million output tokens cost **{cost}** with {option}.",
                cost=_.usd(float(best.unit.million_output_tokens_usd[0]), 2),
                option=option_label(best, _),
            )
        )
    else:
        parts.append(_("Cost only: the options do different work, see Benchmarks for how much."))
    return " ".join(parts)


def fleet_text(one: Costed, _: Words) -> str:
    """How many GPUs are paid for, and why so many.

    Parameters
    ----------
    one : Costed
        With an option.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8 GPUs (1 server; 2 needed)".
    """
    option = one.option
    if option is None:
        return ""
    held = _.count("{n} GPU", "{n} GPUs", option.held_gpus)
    if not option.buys:
        return held
    servers = _.count("{n} server", "{n} servers", option.servers)
    if option.held_gpus == option.gpus:
        return f"{held} ({servers})"
    return _("{held} ({servers}; {needed} needed)", held=held, servers=servers, needed=f"{option.gpus:,}")


def _band(one: Costed, _: Words) -> str:
    if one.npv_low_usd is None or one.npv_high_usd is None or one.npv_low_usd == one.npv_high_usd:
        return ""
    return _(
        " ({low}–{high} over the range of its price)",
        low=f"{_rounded(one.npv_low_usd):,.0f}",
        high=f"{_rounded(one.npv_high_usd):,.0f}",
    )


def _rounded(value: float | None) -> float:
    """Estimates to the nearest thousand: the exact cents are in the table and its CSV."""
    return round(value or 0.0, -3) if abs(value or 0.0) >= 100_000 else round(value or 0.0)


def per_gpu_hour(one: Costed) -> float | None:
    """Cost of an hour of one GPU that is paid for.

    Parameters
    ----------
    one : Costed
        The option.

    Returns
    -------
    float or None
        [USD per GPU-hour].
    """
    return None if one.unit is None else float(one.unit.gpu_hour_usd)


def problems(options: Sequence[Costed], _: Words) -> list[str]:
    """Why candidates cannot be costed, one sentence each.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        "L40S, buy: no purchase price is published."
    """
    return [f"{option_label(one, _)}: {doubts.sentence(one.problem, _)}" for one in options if one.problem is not None]


def metrics(options: Sequence[Costed], _: Words) -> list[tuple[str, str, str]]:
    """The three or four numbers of the page: label, value, help.

    Parameters
    ----------
    options : sequence of Costed
        All candidates.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Empty where nothing can be costed.
    """
    order = ranked(options)
    if not order:
        return []
    best = order[0]
    unit = best.unit
    rows = [
        (_("Lowest NPV, USD"), f"{_rounded(best.npv_usd):,.0f}", option_label(best, _)),
        (
            _("Per GPU-hour, USD"),
            f"{per_gpu_hour(best):,.2f}",
            _("All hours of the horizon; the table has delivered hours."),
        ),
    ]
    if unit is not None and unit.gb_year_usd is not None:
        rows.append(
            (
                _("Per GB-year of memory, USD"),
                f"{float(unit.gb_year_usd):,.1f}",
                _("Memory as the runtime reports it, in GB of 10⁹ bytes."),
            )
        )
    if unit is not None and unit.million_output_tokens_usd is not None:
        rows.append(
            (
                _("Per million output tokens, USD"),
                f"{float(unit.million_output_tokens_usd[0]):,.2f}",
                _("At the throughput that you stated."),
            )
        )
    elif len(order) > 1:
        rows.append(
            (
                _("Next option"),
                f"+{100 * ((order[1].npv_usd or 0) / (best.npv_usd or 1) - 1):.1f} %",
                option_label(order[1], _),
            )
        )
    return rows
