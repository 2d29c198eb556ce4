"""The memory page in words and tables: what fits, on how many, how sure that is, and what limits it."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.memory_view import ModelMemory, PartMemory
from lib.choice.scenario import Workload
from lib.present import doubts
from lib.present.memory_model import format_name, layout_word, model_name, replica_name, weights_origin
from lib.present.text import Words
from lib.records import Doubt
from lib.sizing.layouts import MOST_GPUS
from lib.units import GIB

NONE: Final = "–"
"""Where a quantity has no meaning for a part."""

ROOM: Final = ("workspace", "workspace-low", "context")
"""Reasons that leave no room for one sequence."""

_GRAVEST: Final = (
    "across-servers", "none-fits", "unknown-memory", "outside-budget", "loads-at-16-bit", "tight", "workspace-low", "sequences",
    "beyond-context", "fp8-blocks", "stages-by-hand", "stages", "estimate-sglang", "estimate-tensorrt-llm", "latent-replicated",
    "heads-replicated", "sampler",
)  # fmt: skip
"""Doubts in the order in which a buyer must hear of them."""


def answer(catalog: Catalog, workload: Workload, model: ModelMemory, parts: Sequence[PartMemory], _: Words) -> str:
    """Fewest GPUs per part under both rules, how sure that is, and what rules out fewer, in one sentence.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    model : ModelMemory
        Its model.
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    load = _(
        "**{model}** in {format} with {sequences}",
        model=model_name(catalog, workload, _),
        format=format_name(model, workload, _),
        sequences=load_phrase(workload, _),
    )
    known = [part for part in parts if part.sized.one_server is not None]
    if not known:
        reasons = dict.fromkeys(doubts.sentence(part.sized.doubt, _) for part in parts if part.sized.doubt)
        return _("There is no answer for {load}. {reasons}", load=load, reasons=" ".join(reasons))
    clauses = [_needs(load, known, _), *_over_all_layouts(known, _), *_certainty(known, _), *_limits(known, _)]
    left_out = [part.accelerator.short_name for part in parts if part.replica is None]
    if left_out:
        clauses.append(_("no count for {parts} (reasons below)", parts=_.listing(left_out)))
    return _.pick("; ", "；").join(clauses) + _.pick(".", "。")


def load_phrase(workload: Workload, _: Words) -> str:
    """The load in words.

    Parameters
    ----------
    workload : Workload
        What is run.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "**64** sequences of 4,608 tokens".
    """
    tokens = _.number(workload.context_tokens, 9)
    return _.count(
        "**{n}** sequence of {tokens} tokens",
        "**{n}** sequences of {tokens} tokens",
        workload.concurrency,
        tokens=tokens,
    )


def not_modelled(catalog: Catalog, workload: Workload, model: ModelMemory, _: Words) -> str:
    """What is said of a task whose memory is not modelled: the weights, where the architecture is known.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training or diffusion task.
    model : ModelMemory
        Its model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    name = model_name(catalog, workload, _)
    if workload.task == "image":
        return _(
            "The memory of **{model}** is not modelled: a diffusion model keeps no cache of tokens, and its activations "
            "are not in the tables. What was measured stands under Benchmarks.",
            model=name,
        )
    if model.weights_bytes is None:
        return _(
            "The memory of this task is not modelled here, and the weights of **{model}** are not known.", model=name
        )
    return _(
        "Training memory is not modelled here: of **{model}** only the weights are shown, **{gib}** in {format}; "
        "gradients, optimizer states and activations come on top.",
        model=name,
        gib=_.gib(model.weights_bytes / GIB),
        format=format_name(model, workload, _),
    )


def _needs(load: str, parts: Sequence[PartMemory], _: Words) -> str:
    counted = [part for part in parts if part.sized.gpus is not None]
    if not counted:
        return _("{load} fits into no tensor-parallel replica of up to {n} GPUs", load=load, n=MOST_GPUS)
    counts = _.listing([_count(part, _) for part in counted])
    if any(part.sized.one_server and (part.sized.one_server.servers or 0) > 1 for part in counted):
        return _("{load} needs {counts} with tensor parallelism", load=load, counts=counts)
    return _("{load} needs {counts} in one server with tensor parallelism", load=load, counts=counts)


def _count(part: PartMemory, _: Words) -> str:
    """A count as "16 H100 SXM (across 2 servers; 16–32)": servers if several, the range if the band moves it."""
    marks = []
    servers = part.sized.one_server.servers if part.sized.one_server else None
    if servers and servers > 1:
        marks.append(_("across {n} servers", n=servers))
    if part.is_open:
        marks.append(gpu_range(part, _))
    count = f"**{replica_name(part.sized.gpus or 0, part.accelerator.short_name, _)}**"
    return f"{count} ({'; '.join(marks)})" if marks else count


def gpu_range(part: PartMemory, _: Words) -> str:
    """GPUs with the workspace at the low and at the high end of its estimate.

    Parameters
    ----------
    part : PartMemory
        One part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "1–2", or "16 or more".
    """
    low = part.hopeful_gpus or part.sized.gpus
    if low is None:
        return NONE
    if part.certain_gpus is None:
        return _("{n} or more", n=low)
    return _.span(low, part.certain_gpus)


def _over_all_layouts(parts: Sequence[PartMemory], _: Words) -> list[str]:
    other = [
        f"{replica_name(found.gpus or 0, part.accelerator.short_name, _)} ({layout_word(found.layout)})"
        for part in parts
        if (found := part.sized.all_layouts) and found.layout and found.gpus != part.sized.gpus
    ]
    if other:
        return [_("across all layouts {counts} are enough", counts=_.listing(other))]
    if any(part.sized.gpus for part in parts):
        return [_("the counts are the same across all layouts")]
    return [_("no other layout of up to {n} GPUs holds them either", n=MOST_GPUS)]


def _certainty(parts: Sequence[PartMemory], _: Words) -> list[str]:
    counted = [part for part in parts if part.sized.gpus is not None]
    moved = [part.accelerator.short_name for part in counted if part.is_open]
    if moved:
        return [
            _(
                "within the band of the workspace estimate the tensor-parallel count of {parts} may move",
                parts=_.listing(moved),
            )
        ]
    return [_("the tensor-parallel counts hold over the whole band of the workspace estimate")] if counted else []


def _limits(parts: Sequence[PartMemory], _: Words) -> list[str]:
    kinds: dict[str, list[str]] = {"weights": [], "room": [], "cache": []}
    uneven = False
    for part in parts:
        if part.fewer is not None and part.sized.gpus is not None:
            next_smaller = part.fewer.layout.gpus
            uneven = uneven or part.sized.gpus - next_smaller > 1
            named_at = _("{part} (at {n})", part=part.accelerator.short_name, n=next_smaller)
            kinds[_limit(part.fewer.reason)].append(named_at)
    phrases = {
        "weights": _("the weights on {parts}", parts=_.listing(kinds["weights"])),
        "room": _("the room for one sequence on {parts}", parts=_.listing(kinds["room"])),
        "cache": _("the cache on {parts}", parts=_.listing(kinds["cache"])),
    }
    named = [phrases[kind] for kind, found in kinds.items() if found]
    if not named:
        return []
    clauses = [_("what rules out fewer GPUs: {limits}", limits=_.listing(named))]
    return [*clauses, _("tensor parallelism has no even split in between")] if uneven else clauses


def _limit(reason: Doubt) -> str:
    if reason.code == "weights":
        return "weights"
    return "room" if reason.code in ROOM else "cache"


def metrics(
    model: ModelMemory, workload: Workload, parts: Sequence[PartMemory], _: Words
) -> list[tuple[str, str, str]]:
    """Four numbers: the smallest replica, the weights, the cache of a token and of the load.

    Parameters
    ----------
    model : ModelMemory
        The model.
    workload : Workload
        What is run.
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple
        Label, value, help.
    """
    rows = []
    if parts and (gpus := parts[0].sized.gpus):
        rows.append(
            (
                _("Fewest GPUs in one server"),
                f"{gpus} × {parts[0].accelerator.short_name}",
                _("The smallest tensor-parallel replica among the parts compared."),
            )
        )
    rows.append((_("Checkpoint, whole model"), _gib(model.weights_bytes, _), weights_origin(model, _)))
    if model.cache_bytes_per_token is not None and model.cache_bytes_per_sequence is not None and parts:
        rows.append(
            (
                _("Cache per token"),
                _("{n} bytes", n=f"{model.cache_bytes_per_token:,.0f}"),
                _(
                    "Average over a sequence of {tokens} tokens in {format}, summed over all layers and counted once.",
                    tokens=_.number(workload.context_tokens, 9),
                    format=workload.kv_format,
                ),
            )
        )
        rows.append(
            (
                _("Cache that attention reads"),
                _gib(model.cache_bytes_per_sequence * workload.concurrency, _),
                _(
                    "{n} times one sequence, as attention reads it, over all GPUs; what engines reserve and copy comes on "
                    "top, per part.",
                    n=_.number(workload.concurrency, 9),
                ),
            )
        )
    return rows


def alternative(parts: Sequence[PartMemory], _: Words) -> str:
    """The bars in words, for those who cannot see them.

    Parameters
    ----------
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    return " ".join(
        _(
            "{part}: {n} GPUs ({layout}); on each, weights {weights}, workspace {workspace}, cache {cache}, free {free} of "
            "{memory}.",
            part=part.accelerator.short_name,
            n=part.replica.gpus,
            layout=layout_word(plan.layout),
            weights=_gib(plan.weights_bytes, _),
            workspace=_gib(plan.workspace.base_bytes, _),
            cache=_gib(plan.needed_bytes, _),
            free=_gib(plan.slack_bytes, _),
            memory=_gib(plan.memory_bytes, _),
        )
        for part in parts
        if part.replica is not None and (plan := part.replica.plan) is not None
    )


def remarks(parts: Sequence[PartMemory], _: Words) -> str:
    """What a reader must know beside the counts: parts without one, and how far the others are sure.

    Parameters
    ----------
    parts : sequence of PartMemory
        All parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; blank where there is nothing to say.
    """
    groups = (
        (_("**Without a count in one server**"), not_counted(parts, _)),
        (_("**How sure is this?**"), reservations(parts, _)),
    )
    return "\n\n".join(f"{title}\n\n- " + "\n- ".join(lines) for title, lines in groups if lines)


def not_counted(parts: Sequence[PartMemory], _: Words) -> list[str]:
    """Parts without a headline count, each with the reason and the cheapest change.

    Parameters
    ----------
    parts : sequence of PartMemory
        All parts.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    lines = []
    for part in parts:
        if part.sized.gpus is not None:
            continue
        name = part.accelerator.short_name
        if part.sized.one_server is None:
            lines.append(f"**{name}**: {doubts.sentence(part.sized.doubt, _)}" if part.sized.doubt else f"**{name}**")
            continue
        why = [doubts.sentence(one, _) for one in part.sized.one_server.doubts]
        if part.fewer is not None:
            cheapest = part.change or part.fewer.reason
            why.append(_("On {n} GPUs: {reason}", n=part.fewer.layout.gpus, reason=doubts.sentence(cheapest, _)))
        lines.append(f"**{name}**: {' '.join(why)}")
    return lines


def reservations(parts: Sequence[PartMemory], _: Words) -> list[str]:
    """Every doubt about the replicas shown, once, with the parts it concerns.

    Parameters
    ----------
    parts : sequence of PartMemory
        All parts.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown, gravest first.
    """
    concerned: dict[str, list[str]] = {}
    order: dict[str, int] = {}
    for part in parts:
        for doubt in part.replica.doubts if part.replica else ():
            text = doubts.sentence(doubt, _)
            concerned.setdefault(text, []).append(part.accelerator.short_name)
            order[text] = _gravity(doubt)
    return [f"**{_.listing(concerned[text])}**: {text}" for text in sorted(concerned, key=order.__getitem__)]


def main_doubt(part: PartMemory) -> Doubt | None:
    """The gravest doubt about a part's replica.

    Parameters
    ----------
    part : PartMemory
        One part.

    Returns
    -------
    Doubt or None
        None where nothing is doubted.
    """
    if part.replica is None:
        return part.sized.doubt or (part.sized.one_server.doubts[0] if part.sized.one_server else None)
    return min(part.replica.doubts, key=_gravity, default=None)


def _gravity(doubt: Doubt) -> int:
    return _GRAVEST.index(doubt.code) if doubt.code in _GRAVEST else len(_GRAVEST)


def verdict(part: PartMemory, _: Words) -> str:
    """The verdict on the replica shown: a symbol and the field's words.

    Parameters
    ----------
    part : PartMemory
        One part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "✓ fits".
    """
    if part.replica is None or part.replica.plan is None:
        return _("? no answer")
    return {
        "fits": _("✓ fits"),
        "fits-only-if": _("△ fits only if"),
        "does-not-start": _("✕ does not start"),
        "unknown-memory": _("? no answer"),
    }[part.replica.plan.verdict]


def _gib(value: float | None, _: Words) -> str:
    return _.gib(None if value is None else value / GIB)
