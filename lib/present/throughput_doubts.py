"""Reservations about an estimate of speed as sentences."""

from typing import Any, Final

from lib.present.text import N_, Words

_LOADS: Final = {
    "concurrency": N_("concurrent requests"),
    "input_tokens": N_("input tokens"),
    "output_tokens": N_("output tokens"),
}


def sentence(code: str, values: Any, _: Words) -> str:
    """The sentence of a reservation about speed; blank for a code of another room.

    Parameters
    ----------
    code : str
        The doubt's code.
    values : Any
        Its figures.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    for room in (_basis, _places, _bound, _evidence):
        if text := room(code, values, _):
            return text
    return ""


def _basis(code: str, values: Any, _: Words) -> str:
    """What the interval rests on."""
    match code:
        case "no-basis-vendor":
            return _("No measured basis: no public run of this vendor's parts is usable. Only the bound is shown.")
        case "no-basis-peaks":
            return _("No measured basis: without published peaks a run cannot be modelled. Only the bound is shown.")
        case "no-basis":
            return _("No measured basis: the interval would be too wide to say anything. Only the bound is shown.")
        case "no-bandwidth":
            return _("No source states the memory bandwidth of this part: not even a bound can be computed.")
        case "part-not-measured":
            return _("No run on this part is in the basis: the interval comes from other parts and is wider for it.")
        case "model-not-measured":
            return _("No run of this model is in the basis: the interval comes from other models and is wider for it.")
        case "conditions-unstated":
            return _("How old the software is, is not stated: the interval covers older software as well.")
        case "own-rows":
            return _.count(
                "Rests on {n} result of your own beside the published ones.",
                "Rests on {n} results of your own beside the published ones.",
                values["rows"],
            )
    return ""


def _places(code: str, values: Any, _: Words) -> str:
    """Who runs and who waits."""
    match code:
        case "no-place":
            return _("The weights alone are more than the memory of these GPUs: this does not run.")
        case "place-short":
            return _("At these settings not one sequence finds room; the figures assume that one does.")
        case "places-unknown":
            return _("The memory of this part is not known: no limit of the cache is taken into account.")
        case "waits-for-cache":
            return _(
                "The cache holds {running} sequences; {waiting} requests wait, and engines may preempt some that run.",
                running=_.number(values["running"], 9),
                waiting=_.number(values["waiting"], 9),
            )
        case "waits-for-scheduler":
            return _(
                "The scheduler runs {running} sequences at most; {waiting} requests wait.",
                running=_.number(values["running"], 9),
                waiting=_.number(values["waiting"], 9),
            )
        case "taken-as-pipeline":
            return _(
                "One replica alone does not fit: the GPUs are taken as {n} pipeline stages.",
                n=_.number(values["n"], 9),
            )
    return ""


def _bound(code: str, values: Any, _: Words) -> str:
    """What the bound leaves out."""
    match code:
        case "bound-without-peaks":
            return _("No source states the dense peaks of this part: the bound knows its memory and links only.")
        case "bound-without-link":
            return _(
                "No all-reduce over {n} GPUs of this part has been measured: the bound leaves the link out.",
                n=_.number(values["ranks"], 9),
            )
        case "link-across-servers":
            return _(
                "Tensor parallelism over {n} GPUs leaves the {domain} that the part joins by links of its own. The estimate takes "
                "its bandwidth over the network as measured at another count, or else the lowest that was measured of any part.",
                n=_.number(values["ranks"], 9),
                domain=_.number(values["domain"], 9),
            )
        case "speculative":
            return _("Speculative decoding makes several tokens a step: the bound does not hold for it.")
        case "even-experts":
            return _("Experts are taken to be evenly loaded over the GPUs; real routing is not.")
    return ""


def _evidence(code: str, values: Any, _: Words) -> str:
    """Whose rows they are, and how far from the question."""
    match code:
        case "interested-basis":
            return _(
                "{percent} of the runs on this part were published by companies that sell parts or hours.",
                percent=_.percent(values["percent"] / 100),
            )
        case "load-outside":
            return _(
                "Measured loads reach from {low} to {high} {what}: this one lies outside.",
                low=_.number(values["low"], 9),
                high=_.number(values["high"], 9),
                what=_(_LOADS.get(str(values["what"]), str(values["what"]))),
            )
    return ""
