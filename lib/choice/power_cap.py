"""What a power cap holds: whole servers of each candidate, their GPUs, memory, copies of the model, and their cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.costed import costed
from lib.choice.scenario import Scenario


@dataclass(frozen=True, eq=False)
class Filled:
    """As many whole servers of one candidate as a power cap allows."""

    assessment: Assessment
    kw_per_server: float
    servers: int
    gpus: int
    memory_gib: float | None
    copies: int | None
    npv_usd: float | None


def servers_within(power_kw: float, kw_per_server: float) -> int:
    """Whole servers that a power cap allows (exact).

    n = floor(power / power of a server)

    Parameters
    ----------
    power_kw : float
        The cap at the wall of the site [kW].
    kw_per_server : float
        A server at work, cooling and losses of the site included [kW].

    Returns
    -------
    int
        Number of servers.

    Examples
    --------
    One megawatt and servers with eight H100 at their rated 10.2 kW, at a PUE of 1.5:

    >>> servers_within(1000.0, 10.2 * 1.5)
    65

    References
    ----------
    latif-h100-node-power
    """
    return math.floor(power_kw / kw_per_server + 1e-9)


def filled(catalog: Catalog, scenario: Scenario, assessments: Sequence[Assessment]) -> tuple[Filled, ...]:
    """The scenario's power cap filled with each candidate that is bought, the most memory first.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With a power cap; without one nothing is filled.
    assessments : sequence of Assessment
        Candidates; rentals and those without a known power are left out.

    Returns
    -------
    tuple of Filled
        Copies of the model are those of the replica that memory asks for, None where memory gives none.
    """
    cap = scenario.constraints.power_kw
    if cap is None:
        return ()
    found = []
    for one in assessments:
        option = one.cost.option
        if option is None or one.cost.power_kw is None:
            continue
        kw_per_server = one.cost.power_kw / option.servers
        servers = servers_within(cap, kw_per_server)
        gpus = servers * option.gpus_per_server
        memory = one.cost.accelerator.memory_usable_gib
        npv = None
        if servers:
            whole = one.candidate.model_copy(update={"gpus": gpus})
            npv = costed(catalog, scenario.workload, scenario.engine, scenario.money, whole).npv_usd
        found.append(
            Filled(
                assessment=one,
                kw_per_server=kw_per_server,
                servers=servers,
                gpus=gpus,
                memory_gib=None if memory is None else gpus * memory,
                copies=whole_copies(one.size.gpus, servers, option.gpus_per_server),
                npv_usd=npv,
            )
        )
    return tuple(sorted(found, key=lambda one: -(one.memory_gib or 0.0)))


def whole_copies(replica: int | None, servers: int, gpus_per_server: int) -> int | None:
    """Replicas of a model in whole servers: several in one, or one across several (exact).

    n = servers x floor(GPUs per server / replica), or floor(servers / ceil(replica / GPUs per server))

    Parameters
    ----------
    replica : int or None
        GPUs of one replica; None where memory gives no number.
    servers : int
        Whole servers.
    gpus_per_server : int
        GPUs of one.

    Returns
    -------
    int or None
        Number of replicas.

    Examples
    --------
    >>> whole_copies(3, 2, 8), whole_copies(16, 5, 8)
    (4, 2)
    """
    if replica is None:
        return None
    if replica <= gpus_per_server:
        return servers * (gpus_per_server // replica)
    return servers // math.ceil(replica / gpus_per_server)
