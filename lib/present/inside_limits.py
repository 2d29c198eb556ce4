"""What binds a workload on each part, in words: the page's answer and the roofline."""

from collections.abc import Container, Sequence

from lib.catalog import Catalog
from lib.choice.chip import Package
from lib.choice.chip_roofline import LIMITS, PHASES, Limit, Phase, Point, Roof
from lib.choice.scenario import Workload
from lib.choice.throughput_view import serves
from lib.present import doubts
from lib.present.inside import built_as, labelled
from lib.present.measured_words import model_name
from lib.present.text import Words, markdown_safe


def limit_name(limit: Limit, _: Words) -> str:
    """What binds, as the end of a sentence."""
    return {"memory": _("memory bandwidth"), "compute": _("compute"), "link": _("the links between GPUs")}[limit]


def phase_name(phase: Phase, _: Words) -> str:
    """A phase of serving."""
    return {"prefill": _("prefill"), "decode": _("decode")}[phase]


def limits(found: Sequence[Roof], phase: Phase, _: Words) -> str:
    """What binds one phase on each part, parts of one limit together, with how many times as long it takes as the next.

    Parameters
    ----------
    found : sequence of Roof
        The parts looked at.
    phase : Phase
        Prefill or decode.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase; empty where no part has a point.
    """
    groups: dict[Limit, list[tuple[Roof, Point]]] = {}
    ties: list[tuple[Roof, Point]] = []
    for one in found:
        point = one.point(phase)
        if point is not None:
            (ties if point.is_tie else groups.setdefault(point.limit, [])).append((one, point))
    pieces = []
    for limit, members in groups.items():
        names = _.listing([one.part.short_name for one, _point in members])
        margins = sorted(point.margin for _one, point in members)
        pieces.append(
            _(
                "by **{limit}** on {parts} ({margin}× the next limit)",
                limit=limit_name(limit, _),
                parts=names,
                margin=_.span(margins[0], margins[-1], 2),
            )
        )
    for (first, second), members in _paired(ties).items():
        widest = max(point.margin for _one, point in members)
        pieces.append(
            _(
                "by **{first} and {second} alike** on {part} (within {gap})",
                first=limit_name(first, _),
                second=limit_name(second, _),
                part=_.listing([one.part.short_name for one, _point in members]),
                gap=_.percent(widest - 1, 1),
            )
        )
    return _.listing(pieces)


def _paired(ties: Sequence[tuple[Roof, Point]]) -> dict[tuple[Limit, Limit], list[tuple[Roof, Point]]]:
    """Parts on which two limits are alike, by these two in a fixed order."""
    found: dict[tuple[Limit, Limit], list[tuple[Roof, Point]]] = {}
    for one, point in ties:
        both = {name for name, _time in point.times[:2]}
        first, second = (name for name in LIMITS if name in both)
        found.setdefault((first, second), []).append((one, point))
    return found


def answer(catalog: Catalog, workload: Workload, found: Sequence[Roof], built: Sequence[Package], _: Words) -> str:
    """What the workload is bound by on each part, and how the first two differ in structure.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    found : sequence of Roof
        The parts looked at, with the workload's points.
    built : sequence of Package
        The same parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    sentences = []
    decode, prefill = limits(found, "decode", _), limits(found, "prefill", _)
    if decode and prefill:
        model = markdown_safe(model_name(catalog, workload.model, _))
        number_format = next(one.weight_format for one in found if one.points)
        sentences.append(
            _.count(
                "For {model} ({format}) at {n} sequence, decode is bound {decode}; prefill is bound {prefill}.",
                "For {model} ({format}) at {n} sequences at once, decode is bound {decode}; prefill is bound {prefill}.",
                workload.concurrency,
                model=model,
                format=number_format,
                decode=decode,
                prefill=prefill,
            )
        )
    elif not serves(workload):
        sentences.append(_("This workload serves no tokens, so that it has no prefill and no decode to place."))
    else:
        sentences.append(_("None of these parts has a replica whose limits can be computed."))
    pieces = [labelled(markdown_safe(one.part.short_name), markdown_safe(built_as(one, _)), _) for one in built[:2]]
    sentences.append(_("Built as {pieces}.", pieces="; ".join(pieces)))
    return " ".join(sentences)


def unknown_parts(asked: Sequence[str], known: Container[str], _: Words) -> list[str]:
    """What a link asks for that the catalogue does not have.

    Parameters
    ----------
    asked : sequence of str
        Accelerator ids of the link.
    known : container of str
        The catalogue's.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        A sentence for each, safe in Markdown.
    """
    return [_("The catalogue has no part called {name}.", name=markdown_safe(one)) for one in asked if one not in known]


def remarks(found: Sequence[Roof], _: Words) -> list[str]:
    """How far the answer can be trusted, and which parts have no point and why.

    Parameters
    ----------
    found : sequence of Roof
        The parts looked at.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Sentences.
    """
    placed = [one for one in found if one.points]
    lines = []
    if placed:
        replicas = _.listing(
            [
                _.count("{part}: {n} GPU", "{part}: {n} GPUs", one.layout.gpus, part=markdown_safe(one.part.short_name))
                for one in placed
                if one.layout is not None
            ]
        )
        lines.append(
            _(
                "Memory and compute set bounds of physics on the fewest GPUs that hold the load ({replicas}), not speeds; the links, "
                "the best that anybody measured.",
                replicas=replicas,
            )
        )
    blind = [markdown_safe(one.part.short_name) for one in placed if not one.knows_bus]
    if blind:
        lines.append(
            _(
                "Nobody has measured all-reduce over so many GPUs of {parts}: their links are left out.",
                parts=_.listing(blind),
            )
        )
    for one in found:
        if one.doubt is not None and one.doubt.code != "memory-not-modelled":
            why = (
                _("its memory bandwidth is not published.")
                if one.doubt.code == "no-bandwidth"
                else doubts.sentence(one.doubt, _)
            )
            lines.append(labelled(markdown_safe(one.part.short_name), why, _))
    return lines


def roofline_title(found: Sequence[Roof], _: Words) -> str:
    """The finding of the roofline: which phase is bound by what.

    Parameters
    ----------
    found : sequence of Roof
        The parts looked at.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence, plain.
    """
    pieces = [
        _("{phase}: {limits}", phase=phase_name(phase, _), limits=phrase)
        for phase in reversed(PHASES)
        if (phrase := _binding(found, phase, _))
    ]
    if pieces:
        joined = "; ".join(pieces)
        return joined[:1].upper() + joined[1:]
    ridges = [f"{one.part.short_name} {_.number(one.ridge)}" for one in found if one.ridge is not None]
    if not ridges:
        return _("No source gives both roofs of these parts")
    return _("Operations for each byte at which compute binds: {pieces}", pieces=_.listing(ridges))


def _binding(found: Sequence[Roof], phase: Phase, _: Words) -> str:
    """What binds one phase, without numbers: parts of one limit together."""
    groups: dict[str, list[str]] = {}
    for one in found:
        point = one.point(phase)
        if point is None:
            continue
        named = limit_name(point.limit, _)
        if point.is_tie:
            first, second = next(iter(_paired([(one, point)])))
            named = _("{first} and {second} alike", first=limit_name(first, _), second=limit_name(second, _))
        groups.setdefault(named, []).append(one.part.short_name)
    if len(groups) == 1 and len(found) > 1 and sum(map(len, groups.values())) == len(found):
        return _("{limit} binds on every part", limit=next(iter(groups)))
    return _.listing([_("{limit} on {parts}", limit=named, parts=_.listing(parts)) for named, parts in groups.items()])


def roofline_in_words(found: Sequence[Roof], _: Words) -> str:
    """The roofline for those who do not see it: title, ridges and points."""
    pieces = [roofline_title(found, _)]
    for one in found:
        placed = [
            _(
                "{phase} at {x} operations a byte, at most {y} TFLOPS",
                phase=phase_name(point.phase, _),
                x=_.number(point.flop_per_byte),
                y=_.number(point.bound_tflops),
            )
            for point in one.points
        ]
        ridge = _("{part}: ridge at {ridge} operations a byte", part=one.part.short_name, ridge=_.number(one.ridge))
        pieces.append("; ".join([ridge, *placed]))
    return ". ".join(pieces)
