"""How the chips are built, in words: the finding of each view, and what a picture shows for those who do not see it."""

from collections.abc import Mapping, Sequence
from typing import Final

from lib.choice.chip import Datum, FormatRate, MemorySystem, Package
from lib.choice.chip_fabric import Fabric
from lib.present.text import UNKNOWN, Words

_YI_A_BILLION: Final = 10
"""Chinese counts transistors in units of 10^8."""


def view_name(view: str, _: Words) -> str:
    """A view of the page as a choice.

    Parameters
    ----------
    view : str
        A word of `lib.choice.chip.VIEWS`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "chiplets": _("Dies and stacks"),
        "memory": _("Memory system"),
        "compute": _("Compute by format"),
        "fabric": _("Fabric"),
        "roofline": _("Roofline"),
    }[view]


def format_name(named: str, _: Words) -> str:
    """A format of matrix units as people write it."""
    return {"fp16_bf16": _("16-bit"), "fp8": "FP8", "fp6": "FP6", "fp4": "FP4", "int8": "INT8"}[named]


def dies(one: Package, _: Words) -> str:
    """The dies of a package in a few words.

    Parameters
    ----------
    one : Package
        From `lib.choice.chip.package`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8 XCD on 4 IOD", "two dies" or that nothing is published.
    """
    count, below = one.count("compute_dies"), one.count("io_dies")
    if count is None:
        return _("dies not published")
    if one.die_name and below:
        return _("{n} {die} on {below} IOD", n=count, die=one.die_name, below=below)
    if one.die_name:
        return f"{count} {one.die_name}"
    return _("one die") if count == 1 else _("{n} dies", n=count)


def stacks(one: Package, _: Words) -> str:
    """The memory stacks of a package in a few words.

    Parameters
    ----------
    one : Package
        From `lib.choice.chip.package`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8 HBM3 stacks of 24 GB", or that nothing is published.
    """
    count, each, kind = one.count("hbm_stacks"), one.data["stack_gb"].value, one.data["memory_type"].text
    if count is None:
        return _("{memory}, stacks not published", memory=kind) if kind else _("stacks not published")
    return _("{n} {memory} stacks of {size} GB", n=count, memory=kind or "HBM", size=_.number(each, 4))


def labelled(name: str, text: str, _: Words) -> str:
    """A name and what is said of it."""
    return _("{name}: {text}", name=name, text=text)


def built_as(one: Package, _: Words) -> str:
    """Dies and stacks of a package together."""
    return _("{dies}, {stacks}", dies=dies(one, _), stacks=stacks(one, _))


def package_title(one: Package, _: Words) -> str:
    """The finding of the drawing of one package."""
    return labelled(one.part.short_name, built_as(one, _), _)


def package_lines(one: Package, _: Words) -> list[str]:
    """What else is known of a package, a sentence each; the drawing's subtitle and the second half of its alternative text.

    Parameters
    ----------
    one : Package
        From `lib.choice.chip.package`.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Unknown quantities say so.
    """
    data = one.data
    each, built = data["units_per_die"].value, data["units_on_die"].value
    units = data["units"].text or _(UNKNOWN)
    counted = _("Compute units: {n}", n=units)
    if each is not None and (one.count("compute_dies") or 0) > 1:
        counted = _("Compute units: {n}, {each} on each die", n=units, each=_.number(each, 6))
    if built is not None:
        counted += _(" (of {built} built)", built=_.number(built, 6))
    caches = [
        _("{name} {size} {unit}", name=name, size=_.number(data[key].value, 5), unit=data[key].unit)
        for key, name in (("l2_cache", _("L2 cache")), ("last_level_cache", _("last-level cache")))
        if data[key].value is not None
    ]
    node, below = data["process_nm"].value, data["io_process_nm"].value
    process = _("process not published")
    if node is not None:
        process = _("{nm} nm", nm=_.number(node, 3))
        if below is not None:
            process = _("{nm} nm, I/O dies {below} nm", nm=_.number(node, 3), below=_.number(below, 3))
    count = data["transistors_b"].value
    transistors = _("transistors not published")
    if count is not None:
        size = _.pick(f"{_.number(count, 4)} billion", f"{_.number(_YI_A_BILLION * count, 5)} 亿")
        transistors = _("{size} transistors", size=size)
    link = data["die_link_tbs"].value
    if link is not None:
        caches.append(_("{rate} TB/s between the dies", rate=_.number(link, 3)))
    return [counted, "; ".join(caches or [_("caches not published")]), "; ".join([process, transistors])]


def package_in_words(one: Package, _: Words) -> str:
    """The drawing of a package for those who do not see it."""
    pieces = [package_title(one, _), *package_lines(one, _)]
    sites, count = one.count("hbm_sites"), one.count("hbm_stacks")
    if sites is not None and count is not None and sites > count:
        pieces.append(_("{n} of {sites} places for stacks are filled", n=count, sites=sites))
    return "; ".join(pieces)


def memory_title(found: Sequence[MemorySystem], _: Words) -> str:
    """The finding of the memory view: how much can be read for each operation, and what reading reaches.

    Parameters
    ----------
    found : sequence of MemorySystem
        The parts looked at.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    pieces = [
        f"{one.part.short_name} {_.number(one.data['bytes_per_kiloflop'].value)}"
        for one in found
        if one.data["bytes_per_kiloflop"].value is not None
    ]
    if not pieces:
        return _("No source gives both bandwidth and 16-bit peak of these parts")
    return _("Bytes that memory delivers for 1,000 dense 16-bit operations: {pieces}", pieces=_.listing(pieces))


def memory_in_words(found: Sequence[MemorySystem], _: Words) -> str:
    """The memory view for those who do not see it: capacity, rated bandwidth and what reading reached of it."""
    pieces = [memory_title(found, _)]
    for one in found:
        data = one.data
        reached = (
            _("reading reached {share}", share=_.percent(data["read_share"].value))
            if data["read_share"].value is not None
            else _("reading not measured")
        )
        pieces.append(
            _(
                "{part}: {memory} GiB as reported, {rated} TB/s rated, {reached}",
                part=one.part.short_name,
                memory=_.number(one.part.memory_usable_gib, 5),
                rated=_.number(data["memory_bandwidth_tbs"].value, 4),
                reached=reached,
            )
        )
    return ". ".join(pieces)


def rate_words(one: Datum, _: Words) -> str:
    """A matrix rate, that the part has none, or that nothing is published."""
    if one.kind == "none":
        return _("none")
    return _(UNKNOWN) if one.value is None else _.number(one.value, 5)


def compute_title(found: Mapping[str, Sequence[FormatRate]], _: Words) -> str:
    """The finding of the compute view: the dense FP8 peak, or the 16-bit one where no part publishes FP8.

    Parameters
    ----------
    found : mapping of str to sequence of FormatRate
        By format.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    for named in ("fp8", "fp16_bf16"):
        known = [one for one in found[named] if one.dense.value is not None]
        if known:
            pieces = [f"{one.part.short_name} {_.number(one.dense.value, 5)}" for one in found[named] if one in known]
            return _("Dense {format} peak in TFLOPS: {pieces}", format=format_name(named, _), pieces=_.listing(pieces))
    return _("No source gives a matrix peak of these parts")


def compute_in_words(found: Mapping[str, Sequence[FormatRate]], _: Words) -> str:
    """The compute view for those who do not see it: every format of every part."""
    pieces = [compute_title(found, _)]
    for named, rates in found.items():
        each = _.listing([f"{one.part.short_name} {rate_words(one.dense, _)}" for one in rates])
        pieces.append(labelled(format_name(named, _), each, _))
    return ". ".join(pieces)


def topology_name(one: Fabric, _: Words) -> str:
    """The shape of the links in a few words.

    Parameters
    ----------
    one : Fabric
        From `lib.choice.chip_fabric`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "mesh: 7 links, one to each peer".
    """
    links = one.data["links"].value
    counted = _.number(links, 4) if links is not None else ""
    match one.topology:
        case "mesh":
            return _("mesh: {n} links, one to each peer", n=counted) if counted else _("mesh")
        case "switch":
            return _("switch: {n} links, all of them to any peer", n=counted) if counted else _("switch")
        case "bridge":
            return _("bridge between cards")
        case "ethernet":
            return _("Ethernet on the part")
        case "none":
            return _("no link of its own: PCIe")
        case _unknown:
            return _("shape not published")


def topology_in_words(one: Fabric, _: Words) -> str:
    """The drawing of the links of one part for those who do not see it."""
    domain = one.data["max_scale_up_gpus"].value
    size = _("domain not published") if domain is None else _("{n} parts in the fast domain", n=_.number(domain, 4))
    return f"{labelled(one.part.short_name, topology_name(one, _), _)}; {size}"


def fabric_title(found: Sequence[Fabric], _: Words) -> str:
    """The finding of the fabric view: what one part sends to one peer.

    Parameters
    ----------
    found : sequence of Fabric
        The parts looked at.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    known = [one for one in found if one.data["peer_gbs"].value is not None]
    if not known:
        return _("No source gives the shape of the links of these parts")
    pieces = [f"{one.part.short_name} {_.number(one.data['peer_gbs'].value, 4)}" for one in known]
    sentence = _("To one peer, GB/s one way: {pieces}", pieces=_.listing(pieces))
    if {one.topology for one in known} >= {"mesh", "switch"}:
        return _("{sentence}. A mesh splits its links, a switch lends them all", sentence=sentence)
    return sentence


def fabric_in_words(found: Sequence[Fabric], _: Words) -> str:
    """The fabric view for those who do not see it."""
    pieces = [fabric_title(found, _)]
    for one in found:
        data = one.data
        best = data["all_reduce_gbs"]
        measured = (
            _(
                "all-reduce measured at {rate} GB/s, {share} of the links",
                rate=_.number(best.value, 4),
                share=_.percent(data["all_reduce_share"].value),
            )
            if best.value is not None
            else _("all-reduce not measured")
        )
        pieces.append(
            _(
                "{part}: {shape}; {whole} GB/s one way to all peers; {measured}",
                part=one.part.short_name,
                shape=topology_name(one, _),
                whole=_.number(data["one_way_gbs"].value, 4),
                measured=measured,
            )
        )
    return ". ".join(pieces)
