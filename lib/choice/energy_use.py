"""Energy and CO2 of a candidate, from the power of its servers, or for a rental from that of servers like them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.cost.energy import EnergyUse, Interval, energy_use
from lib.cost.server_power import server_power
from lib.errors import UnknownNameError
from lib.records import Assumption, Doubt

GRIDS: Final[Mapping[str, str]] = {"us": "fac-co2-us", "cn": "fac-co2-cn", "world": "fac-co2-world"}
"""Grid -> the assumption with its intensity."""

_NODE_GPUS: Final = 8
"""The rows on the power of a node are those of a server with eight GPUs."""


@dataclass(frozen=True, slots=True)
class CandidateEnergy:
    """Energy of a candidate and the rows behind it; without a use, a doubt says why."""

    use: EnergyUse | None
    ids: tuple[str, ...]
    doubts: tuple[Doubt, ...]


def grid_kg_per_kwh(assumptions: Mapping[str, Assumption], grid: str) -> float:
    """The CO2 of a grid's electricity on average.

    Parameters
    ----------
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    grid : str
        A key of GRIDS.

    Returns
    -------
    float
        Intensity [kg CO2 per kWh].

    Raises
    ------
    UnknownNameError
        If there is no such grid, or its row has gone or is a gap.
    """
    row = assumptions.get(GRIDS.get(grid, ""))
    if row is None or row.base is None:
        raise UnknownNameError("grid", grid, GRIDS)
    return row.base


def energy_of(
    catalog: Catalog, one: Costed, tokens_per_s: Interval | None = None, co2_kg_per_kwh: float | None = None
) -> CandidateEnergy:
    """Energy and CO2 of a candidate's fleet.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    one : Costed
        The candidate.
    tokens_per_s : tuple of float, optional
        Low and high throughput of the needed GPUs together while they work [tokens per second].
    co2_kg_per_kwh : float, optional
        Intensity of the grid [kg CO2 per kWh].

    Returns
    -------
    CandidateEnergy
        Doubts: no-cost, no-node-power; estimated-power where a rental's part has no power of its own, so that it follows from
        the rated power; providers-power where a rental is taken to draw its share of a server like those
        that are bought, at the scenario's power usage effectiveness, for what the provider's draw is not known.
    """
    option, finance = one.option, one.finance.finance
    if option is None or one.defaults is None:
        return CandidateEnergy(None, (), (Doubt("no-cost", {}),))
    if option.buys:
        load, idle = (
            option.servers * float(kw or 0.0) for kw in (option.load_kw_per_server, option.idle_kw_per_server)
        )
        origins = one.defaults.origins
        ids = (*origins["load_kw_per_server"].ids, *origins["idle_kw_per_server"].ids)
        use = energy_use(load, idle, option.gpus / option.held_gpus, finance, tokens_per_s, co2_kg_per_kwh)
        return CandidateEnergy(use, ids, ())
    name, gpus = one.accelerator.accelerator_id, one.accelerator.gpus_per_node or _NODE_GPUS
    stated = catalog.stated_server_kw.get(name)
    loaded = server_power(one.accelerator, gpus, "load", catalog.assumptions)
    idling = server_power(one.accelerator, gpus, "idle", catalog.assumptions, stated)
    load_kw = loaded.base if stated is None else stated
    if load_kw is None or idling.base is None:
        return CandidateEnergy(None, (), (Doubt("no-node-power", {"accelerator": name}),))
    load, idle = (power * option.gpus / gpus for power in (load_kw, idling.base))
    use = energy_use(load, idle, 1.0, finance, tokens_per_s, co2_kg_per_kwh)
    ids = tuple(dict.fromkeys((*(loaded.ids if stated is None else ()), *idling.ids)))
    by_rule = (
        [Doubt("estimated-power", {"assumption": loaded.ids[0]})]
        if stated is None and loaded.kind == "estimate"
        else []
    )
    return CandidateEnergy(use, ids, (Doubt("providers-power", {"accelerator": name}), *by_rule))
