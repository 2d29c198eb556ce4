"""The two rules of thumb that the articles size with, so that they can stand beside the plan."""

import math
from typing import Final

from lib.errors import InputError
from lib.units import BITS_PER_BYTE

RESERVE: Final = 0.30
"""Article A1: weights, and 30 % of them for cache and processing."""

BYTES_PER_PARAMETER: Final = 1.2
"""Article A3: 1.2 GB for each billion parameters, at 8 bit."""

USABLE_FRACTION: Final = 0.92
"""Article A3: the part of the label's memory that may be used."""


def need_by_reserve_bytes(weights_bytes: float, reserve: float = RESERVE) -> float:
    """Memory that a model needs by the rule "weights and 30 %", a rule of thumb blind to length and load.

    bytes = weights x (1 + reserve)

    Parameters
    ----------
    weights_bytes : float
        All weights [bytes].
    reserve : float
        For cache and processing [fraction of the weights].

    Returns
    -------
    float
        Over all GPUs [bytes].

    Raises
    ------
    InputError
        Weights that are not above 0, or a negative reserve.

    Examples
    --------
    Llama 3.1 405B in 16 bit, 810 GB of weights, as the article has it:

    >>> round(need_by_reserve_bytes(810e9) / 1e9)
    1053

    References
    ----------
    article-a1
    """
    if not 0 < weights_bytes < math.inf:
        raise InputError("weights_bytes", weights_bytes, "above 0")
    if not reserve >= 0:
        raise InputError("reserve", reserve, "0 or more")
    return weights_bytes * (1 + reserve)


def need_by_parameters_bytes(parameters: float, bits_per_weight: float = BITS_PER_BYTE) -> float:
    """Memory that a model needs by the rule "1.2 GB a billion parameters", a rule of thumb blind to length and load.

    bytes = 1.2 x parameters x bits / 8

    Parameters
    ----------
    parameters : float
        All parameters, those of idle experts too.
    bits_per_weight : float
        Width of a weight; the article states the rule for 8 bit and doubles it for 16 [bits].

    Returns
    -------
    float
        Over all GPUs [bytes].

    Raises
    ------
    InputError
        A count or a width that is not above 0.

    Examples
    --------
    As the article has it: 486 GB for Llama 3.1 405B in FP8, 168 GB for Llama 3.1 70B in BF16.

    >>> [round(need_by_parameters_bytes(count, bits) / 1e9) for count, bits in ((405e9, 8), (70e9, 16))]
    [486, 168]

    References
    ----------
    article-a3
    """
    if not 0 < parameters < math.inf:
        raise InputError("parameters", parameters, "above 0")
    if not 0 < bits_per_weight < math.inf:
        raise InputError("bits_per_weight", bits_per_weight, "above 0")
    return BYTES_PER_PARAMETER * parameters * bits_per_weight / BITS_PER_BYTE


def gpus_for(need_bytes: float, label_bytes: float, usable_fraction: float = 1.0) -> int:
    """GPUs whose labels add up to a need, whatever the layout: what the rules of thumb divide by.

    gpus = ceil(need / (label x usable))

    Parameters
    ----------
    need_bytes : float
        From one of the two rules [bytes].
    label_bytes : float
        Memory of one GPU as its label says, not as the runtime reports it [bytes].
    usable_fraction : float
        Part of the label that may be used.

    Returns
    -------
    int
        GPUs, 1 or more.

    Raises
    ------
    InputError
        A need or a label that is not above 0, or a fraction outside 0 to 1.

    Examples
    --------
    486 GB by the second rule are two MI355X of 288 GB and seven H100 of 80 GB; the article says eight, a whole server.

    >>> [gpus_for(486e9, label, USABLE_FRACTION) for label in (288e9, 80e9)]
    [2, 7]

    References
    ----------
    article-a3
    """
    if not 0 < need_bytes < math.inf:
        raise InputError("need_bytes", need_bytes, "above 0")
    if not 0 < label_bytes < math.inf:
        raise InputError("label_bytes", label_bytes, "above 0")
    if not 0 < usable_fraction <= 1:
        raise InputError("usable_fraction", usable_fraction, "above 0, at most 1")
    return max(1, math.ceil(need_bytes / (label_bytes * usable_fraction)))
