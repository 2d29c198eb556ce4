"""What a workload asks of a fleet: requests in flight, output tokens per second, and the room that is kept above them."""

import math
from dataclasses import dataclass
from typing import Literal

from lib.choice.scenario import Workload
from lib.units import SECONDS_PER_HOUR

DemandKind = Literal["rate", "concurrency", "stated"]


@dataclass(frozen=True, slots=True)
class Demand:
    """A load: from a rate of requests, from requests in flight, or a throughput that the user states.

    `tokens_per_s` is the average while the fleet works, `peak_tokens_per_s` that times the peak factor; both None where
    only the requests in flight are known: the fleet then delivers what it can. `in_flight` is at the peak.
    """

    kind: DemandKind
    in_flight: int
    tokens_per_s: float | None
    peak_tokens_per_s: float | None
    target_load: float

    @property
    def capacity_tokens_per_s(self) -> float | None:
        """What the fleet must be able to do so that the peak stays at the target load [output tokens per second]."""
        return None if self.peak_tokens_per_s is None else self.peak_tokens_per_s / self.target_load


def demand_of(workload: Workload, target_load: float) -> Demand:
    """The load that a workload puts on a fleet (exact).

    in flight = concurrency x peak; tokens per second = requests per second x output tokens

    Parameters
    ----------
    workload : Workload
        What is run and how much of it.
    target_load : float
        Share of what the fleet can do that the peak may use [fraction].

    Returns
    -------
    Demand
        Of kind stated where the user states a throughput, rate where the workload has one, else concurrency.

    Examples
    --------
    Fifty requests a second of 200 tokens, at 80 % of what the fleet can do:

    >>> load = demand_of(Workload(request_rate_per_s=50.0, output_tokens=200, concurrency=500), 0.8)
    >>> load.tokens_per_s, load.capacity_tokens_per_s, load.in_flight
    (10000.0, 12500.0, 500)
    """
    in_flight = math.ceil(workload.concurrency * workload.peak_factor)
    if workload.stated_output_tokens_per_hour is not None:
        stated = workload.stated_output_tokens_per_hour / SECONDS_PER_HOUR
        return Demand("stated", in_flight, stated, None, target_load)
    if workload.request_rate_per_s is not None:
        average = workload.request_rate_per_s * workload.output_tokens
        return Demand("rate", in_flight, average, average * workload.peak_factor, target_load)
    return Demand("concurrency", in_flight, None, None, target_load)
