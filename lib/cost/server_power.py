"""What a server draws: a figure for the part, else the rated power of its GPUs and what servers draw beside it."""

from collections.abc import Mapping
from typing import Final, Literal

from lib.cost.origins import Origin, assumed
from lib.records import Accelerator, Assumption

State = Literal["load", "idle"]

_NODE_GPUS: Final = 8
"""The rows of a part are those of a server with eight GPUs."""
_OVER_RATED: Final = "pow-node-over-rated"
_IDLE_SHARE: Final = "pow-node-idle-share"
_W_PER_KW: Final = 1000


def server_power(
    accelerator: Accelerator,
    gpus_per_server: int | None,
    state: State,
    assumptions: Mapping[str, Assumption],
    stated_load_kw: float | None = None,
) -> Origin:
    """Power of one server with its GPUs at work or idle [kW].

    load = GPUs x (rated power + what an eight-GPU server draws beyond it, per GPU); idle = load x share

    Parameters
    ----------
    accelerator : Accelerator
        The part.
    gpus_per_server : int or None
        GPUs in the server.
    state : {"load", "idle"}
        At work or idle.
    assumptions : mapping of str to Assumption
        The edition's assumptions.
    stated_load_kw : float or None
        What the user states of the server at work [kW]; the idle power follows from it where no row has it.

    Returns
    -------
    Origin
        Kind "assumption" for the part's own row, "estimate" for the rule; "missing" with the reason no-node-power where the
        part has no rated power either, or no number of GPUs is known.

    Notes
    -----
    Held against the seven parts that have rows: within 0.8 kW of load for six of them, 3.0 kW below for B300, whose row is a
    planned draw at the wall. The range spans all seven.

    Examples
    --------
    >>> from lib import catalog
    >>> facts = catalog.load()
    >>> l40s = server_power(facts.accelerator("l40s"), 8, "load", facts.assumptions)
    >>> l40s.kind, round(l40s.base or 0, 2)
    ('estimate', 5.52)
    """
    row = assumptions.get(f"pow-node-{state}-{accelerator.accelerator_id}")
    if row is not None and row.base is not None and gpus_per_server == _NODE_GPUS:
        return assumed(assumptions, row.assumption_id)
    if state == "idle":
        load = server_power(accelerator, gpus_per_server, "load", assumptions)
        if stated_load_kw is not None:
            load = Origin("user", (), stated_load_kw, stated_load_kw, stated_load_kw)
        return load if load.base is None else _share_of(load, assumed(assumptions, _IDLE_SHARE))
    if not gpus_per_server or accelerator.tdp_w is None:
        return Origin("missing", reason="no-node-power")
    rated = accelerator.tdp_w / _W_PER_KW
    beyond = assumed(assumptions, _OVER_RATED)
    one = Origin("estimate", (), rated, rated, rated).plus(beyond)
    return one.times(gpus_per_server, "estimate")


def _share_of(load: Origin, share: Origin) -> Origin:
    ends = ((load.low, share.low), (load.base, share.base), (load.high, share.high))
    low, base, high = (None if one is None or two is None else one * two for one, two in ends)
    return Origin("estimate", (*share.ids, *load.ids), low, base, high)
