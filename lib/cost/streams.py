"""One component of a cost in closed form: single amounts, an equal amount a month, and what each term prepays.

Laid out over the months it is a flow; summed with a rate it is a value at month 0. Both say the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lib.cost.ranges import Amount, Computed
from lib.cost.time_value import advance_factor, annuity_factor, present_value_factor
from lib.units import MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True)
class Stream:
    """Payments of one component.

    Attributes
    ----------
    single : tuple of (int, float or ndarray)
        Month and amount of what is paid once [USD].
    monthly : float or ndarray
        Paid at the end of each month from `after` + 1 to the last [USD].
    after : int
        Month before the first of them.
    until : int or None
        Month of the last of them; None for the end of the horizon.
    change : float or ndarray
        Change of the amount at each new step [fraction].
    step_months : int
        Length of a step [months].
    steps_from : int
        Month from which steps are counted: 0 for prices of the market, the start for a contract.
    advance : float or ndarray
        Paid at the start of each step from `after` on [USD].
    """

    single: tuple[tuple[int, Amount], ...] = ()
    monthly: Amount = 0.0
    after: int = 0
    until: int | None = None
    change: Amount = 0.0
    step_months: int = MONTHS_PER_YEAR
    steps_from: int = 0
    advance: Amount = 0.0

    def times(self, factor: Amount) -> "Stream":
        """The same timing, every amount times a factor."""
        return replace(
            self,
            single=tuple((month, amount * factor) for month, amount in self.single),
            monthly=self.monthly * factor,
            advance=self.advance * factor,
        )

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """Everything that may be an array of draws."""
        return self.monthly, self.change, self.advance, *(amount for _, amount in self.single)


NOTHING = Stream()


def laid_out(stream: Stream, months: int, lead: tuple[int, ...]) -> NDArray[np.float64]:
    """A stream month by month.

    Parameters
    ----------
    stream : Stream
        Payments of one component.
    months : int
        Last month n.
    lead : tuple of int
        Shape of the draws.

    Returns
    -------
    ndarray
        Flow of months 0 to n [USD], shape of the draws with n + 1 months.

    Examples
    --------
    >>> laid_out(Stream(single=((1, 5.0),), monthly=2.0, after=1), 3, ()).tolist()
    [0.0, 5.0, 2.0, 2.0]
    """
    flow = np.zeros((*lead, months + 1))
    last = months if stream.until is None else stream.until
    growth = 1 + np.asarray(stream.change)
    if last > stream.after:
        steps = (np.arange(stream.after, last) - stream.steps_from) // stream.step_months
        flow[..., stream.after + 1 : last + 1] = stream.monthly * growth**steps
        terms = np.arange(stream.after, last, stream.step_months)
        flow[..., terms] += stream.advance * growth ** np.arange(terms.size)
    for month, amount in stream.single:
        flow[..., month : month + 1] += amount
    return flow


def values_at_start(streams: Mapping[str, Stream], rate: Amount, months: int) -> dict[str, Computed]:
    """Each stream's value at month 0; equal schedules are summed once.

    Parameters
    ----------
    streams : mapping of str to Stream
        Components.
    rate : float or ndarray
        Effective annual discount rate [fraction]; 0 gives the nominal sum.
    months : int
        Last month n.

    Returns
    -------
    dict of str to float or ndarray
        Value of each component [USD].

    Examples
    --------
    >>> values_at_start({"rent": Stream(monthly=2.0, after=1)}, 0.0, 12)
    {'rent': 22.0}
    """
    factors: dict[int, Computed] = {0: 1.0}
    annuities: dict[tuple[int, ...], Computed] = {}

    def factor(month: int) -> Computed:
        if month not in factors:
            factors[month] = present_value_factor(rate, month)
        return factors[month]

    values: dict[str, Computed] = {}
    for name, stream in streams.items():
        value: Computed = 0.0
        for month, amount in stream.single:
            value = value + amount * factor(month)
        last = months if stream.until is None else stream.until
        if not _is_nothing(stream.monthly) and last > stream.after:
            schedule = (id(stream.change), stream.step_months, stream.after, last, stream.steps_from)
            if schedule not in annuities:
                annuities[schedule] = _annuity(stream, rate, last, factor(stream.after))
            value = value + stream.monthly * annuities[schedule]
        if not _is_nothing(stream.advance):
            terms = advance_factor(rate, last - stream.after, stream.change, stream.step_months)
            value = value + stream.advance * terms * factor(stream.after)
        values[name] = value
    return values


def _annuity(stream: Stream, rate: Amount, last: int, at_start: Computed) -> Computed:
    """Value at month 0 of one dollar a month from `after` + 1 to the last."""
    if stream.steps_from == stream.after:
        return annuity_factor(rate, last - stream.after, stream.change, stream.step_months) * at_start
    whole = annuity_factor(rate, last, stream.change, stream.step_months)
    return whole - annuity_factor(rate, stream.after, stream.change, stream.step_months)


def _is_nothing(amount: Amount) -> bool:
    return isinstance(amount, float) and amount == 0
