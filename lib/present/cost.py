"""The cost page in words and tables."""

from collections.abc import Mapping, Sequence
from typing import Final

from lib.choice.costed import Costed
from lib.choice.scenario import Candidate
from lib.present import doubts
from lib.present.text import Words

GROUPS: Final = ("hardware", "running", "people", "rent", "resale")
GROUP_OF: Final[Mapping[str, str]] = {
    "hardware": "hardware",
    "network": "hardware",
    "installation": "hardware",
    "spares": "hardware",
    "energy": "running",
    "facility": "running",
    "storage": "running",
    "egress": "running",
    "support": "people",
    "licences": "people",
    "staff": "people",
    "migration": "people",
    "rental": "rent",
    "bridge": "rent",
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
        "hardware": _("Hardware"),
        "running": _("Energy and site"),
        "people": _("People, support and software"),
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
        "storage": _("Storage"),
        "egress": _("Data sent out"),
        "rental": _("Rent"),
        "bridge": _("Bridge until service begins"),
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
    return candidate_label(one.candidate, one.accelerator.short_name, _)


def candidate_label(candidate: Candidate, part: str, _: Words) -> str:
    """A candidate's name without its costs: part, way, whose price, and the month of the order where it is later.

    Parameters
    ----------
    candidate : Candidate
        The candidate.
    part : str
        Short name of the part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "MI300X, buy · month 6".
    """
    way = {"buy": _("buy"), "rent": _("rent"), "commit-1y": _("1-year"), "commit-3y": _("3-year")}
    pieces = [_("{part}, {way}", part=part, way=way[candidate.acquisition])]
    if candidate.price_source.startswith("article"):
        pieces.append(candidate.price_source.removeprefix("article-").upper())
    if candidate.order_month:
        pieces.append(_("month {n}", n=candidate.order_month))
    return " · ".join(pieces)


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
            amounts[GROUP_OF[component]] += float(amount)
    return amounts


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
