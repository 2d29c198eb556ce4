"""How the memory page's numbers are computed: equations with the numbers put in, rules of thumb beside."""

import math
from collections.abc import Sequence

import pandas as pd

from lib.choice.memory_breakdown import Breakdown
from lib.choice.memory_view import ModelMemory, PartMemory
from lib.choice.scenario import Workload
from lib.present import names
from lib.present.memory import NONE
from lib.present.memory_model import group_name, weights_origin
from lib.present.text import UNKNOWN, Words
from lib.records import Accelerator
from lib.sizing.rules_of_thumb import BYTES_PER_PARAMETER, RESERVE, USABLE_FRACTION
from lib.units import GIB


def equations(parts: Breakdown, accelerator: Accelerator, workload: Workload, _: Words) -> list[str]:
    """The steps from memory to what is free, each as one line with its numbers.

    Parameters
    ----------
    parts : Breakdown
        The plan taken apart.
    accelerator : Accelerator
        The part.
    workload : Workload
        What is run.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown.
    """
    plan, taken = parts.plan, parts.plan.workspace
    engine = names.engine(plan.settings.engine)
    band = _.span(taken.low_bytes / GIB, taken.high_bytes / GIB)
    lines = [
        _budget(parts, accelerator, engine, _),
        _(
            "**Workspace** = resident {resident} + the larger of forward {forward} and sampler {sampler} = **{total}** "
            "({band} GiB at the ends of the band). Forward grows with {tokens} batched tokens, the sampler with "
            "{sequences} scheduled sequences.",
            resident=_gib(taken.resident_bytes, _),
            forward=_gib(taken.forward_bytes, _),
            sampler=_gib(taken.sampler_bytes, _),
            total=_gib(taken.base_bytes, _),
            band=band,
            tokens=_.number(plan.settings.max_num_batched_tokens, 9),
            sequences=_.number(plan.settings.max_num_seqs, 9),
        ),
        _(
            "**Cache of the load** = {n} sequences × {one} + {step} for the tokens of one step = **{needed}** on the GPU; one "
            "sequence is the sum of the layer groups below: layers × (bytes per token × tokens held + state) / shards, in "
            "blocks of {block} tokens.",
            n=_.number(parts.sequences_on_rank, 9),
            one=_gib(plan.sequence_bytes, _),
            step=_gib(plan.step_bytes, _),
            needed=_gib(plan.needed_bytes, _),
            block=plan.settings.block_size,
        ),
    ]
    lines.append(
        _(
            "**Free** = capacity {capacity} − load {needed} = **{free}**; the capacity holds {held} sequences of {tokens} "
            "tokens, and {engine} would state {stated}: it reckons with a step for each.",
            capacity=_gib(plan.cache_bytes, _),
            needed=_gib(plan.needed_bytes, _),
            free=_gib(plan.slack_bytes, _),
            held=_whole(plan.cache_sequences),
            stated=_whole(plan.stated_sequences),
            engine=engine,
            tokens=_.number(workload.context_tokens, 9),
        )
    )
    return lines


def _budget(parts: Breakdown, accelerator: Accelerator, engine: str, _: Words) -> str:
    """The engine's own rule for what it leaves to the cache."""
    plan = parts.plan
    values = {
        "engine": engine,
        "memory": f"{(plan.memory_bytes or 0.0) / GIB:,.2f} GiB",
        "fraction": _.number(plan.settings.gpu_memory_utilization),
        "weights": _gib(plan.weights_bytes, _),
        "workspace": _gib(plan.workspace.base_bytes, _),
        "resident": _gib(plan.workspace.resident_bytes, _),
        "capacity": _gib(plan.cache_bytes, _),
        "part": accelerator.short_name,
    }
    if plan.settings.engine == "sglang":
        return _(
            "**Capacity of the cache** on one {part}, {engine}: (memory {memory} − resident {resident}) × {fraction} − "
            "weights {weights} = **{capacity}**; activations live outside the fraction.",
            **values,
        )
    if plan.settings.engine == "tensorrt-llm":
        return _(
            "**Capacity of the cache** on one {part}, {engine}: {fraction} × (memory {memory} − weights {weights} − "
            "workspace {workspace}) = **{capacity}**.",
            **values,
        )
    return _(
        "**Capacity of the cache** on one {part}, {engine}: memory {memory} × {fraction} − weights {weights} − workspace "
        "{workspace} = **{capacity}**.",
        **values,
    )


def _gib(value: float | None, _: Words) -> str:
    return _.gib(None if value is None else value / GIB)


def component_table(parts: Breakdown, _: Words) -> pd.DataFrame:
    """Weights by block: parameters, the whole model's bytes, one GPU's.

    Parameters
    ----------
    parts : Breakdown
        The plan taken apart.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells with a last row of sums.
    """
    words = {
        "attention": _("attention"),
        "dense_mlp": _("feed-forward, dense"),
        "shared_experts": _("experts, shared"),
        "routed_experts": _("experts, routed"),
        "router": _("router"),
        "norms": _("norms"),
        "embedding": _("embedding"),
        "lm_head": _("output head"),
        "vision": _("vision tower"),
        "other": _("other"),
    }
    heads = (_("Block"), _("Parameters, million"), _("Whole model, GiB"), _("On one GPU, GiB"))
    rows = [
        (words[one.component], _.number(one.parameters / 1e6, 6), _size(one.whole_bytes, _), _size(one.on_gpu_bytes, _))
        for one in parts.components
        if one.parameters
    ]
    total = sum(one.parameters for one in parts.components)
    whole = sum(one.whole_bytes for one in parts.components)
    rows.append((_("**Sum**"), _.number(total / 1e6, 6), _size(whole, _), _size(parts.plan.weights_bytes, _)))
    return pd.DataFrame(rows, columns=list(heads))


def _size(value: float | None, _: Words) -> str:
    return NONE if value is None else _.number(value / GIB, 4)


def component_note(parts: Breakdown, model: ModelMemory, _: Words) -> str:
    """What the sums rest on: published bytes, draft layers left out, pipeline stages.

    Parameters
    ----------
    parts : Breakdown
        The plan taken apart.
    model : ModelMemory
        The model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Sentences.
    """
    notes = [weights_origin(model, _)]
    if abs(parts.checkpoint_ratio - 1) > 1e-6:
        notes.append(
            _(
                "Blocks are computed and scaled by {ratio}, published over computed bytes.",
                ratio=f"{parts.checkpoint_ratio:.5f}",
            )
        )
    if model.architecture is not None and model.architecture.mtp_parameters:
        notes.append(_("Draft layers are part of the checkpoint and are not loaded here."))
    if parts.plan.layout.pipeline_parallel_size > 1:
        notes.append(_("With pipeline stages GPUs differ; the sum is that of the fullest stage."))
    return " ".join(notes)


def group_table(parts: Breakdown, _: Words) -> pd.DataFrame:
    """Cache of one sequence by layer group on one GPU.

    Parameters
    ----------
    parts : Breakdown
        The plan taken apart.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells with a last row of sums.
    """
    heads = (
        _("Layers"),
        _("Bytes per token and layer"),
        _("Tokens held"),
        _("State per layer, bytes"),
        _("Shards"),
        _("One sequence on one GPU, MiB"),
    )
    rows = [
        (
            group_name(one.group, _),
            _.number(one.bytes_per_token, 9),
            _.number(one.tokens_held, 9),
            _.number(one.group.state_bytes_per_sequence, 9),
            str(one.shards),
            _mib(one.on_gpu_bytes, _),
        )
        for one in parts.groups
    ]
    rows.append((_("**Sum**"), "", "", "", "", _mib(parts.plan.sequence_bytes, _)))
    return pd.DataFrame(rows, columns=list(heads))


def _mib(value: float, _: Words) -> str:
    return _.number(value / GIB * 1024, 5)


def rules_table(parts: Sequence[PartMemory], _: Words) -> pd.DataFrame:
    """GPUs by the two rules of thumb beside the plan's, with how far they are off.

    Parameters
    ----------
    parts : sequence of PartMemory
        Parts with an answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    heads = (
        _("Part"),
        _("Plan, one server"),
        _("Weights and {percent}", percent=_.percent(RESERVE)),
        _("{gb} GB a billion, {percent} usable", gb=BYTES_PER_PARAMETER, percent=_.percent(USABLE_FRACTION)),
        _("Plan, all layouts"),
    )
    rows = []
    for part in parts:
        if part.rules is None:
            continue
        plan, every = part.sized.gpus, part.sized.all_layouts.gpus if part.sized.all_layouts else None
        rows.append(
            (
                part.accelerator.short_name,
                f"**{plan}**" if plan else NONE,
                _off(part.rules.by_reserve, plan, _),
                _off(part.rules.by_parameters, plan, _),
                str(every) if every else NONE,
            )
        )
    return pd.DataFrame(rows, columns=list(heads))


def _off(count: int | None, plan: int | None, _: Words) -> str:
    """The rule's count, and how many GPUs it is off."""
    if count is None:
        return _(UNKNOWN)
    if plan is None or count == plan:
        return str(count)
    if count < plan:
        return _("{n} ({off} too few)", n=count, off=plan - count)
    return _("{n} ({off} too many)", n=count, off=count - plan)


def rules_sentence(parts: Sequence[PartMemory], _: Words) -> str:
    """How often each rule of thumb meets the plan here, and what it does not know.

    Parameters
    ----------
    parts : sequence of PartMemory
        All parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    known = [part for part in parts if part.rules is not None and part.sized.gpus is not None]
    right = [
        sum(1 for part in known if part.rules and getattr(part.rules, rule) == part.sized.gpus)
        for rule in ("by_reserve", "by_parameters")
    ]
    return _(
        "Weights × 1.3 (article A1) gives the plan's count on {first} of {n} parts, 1.2 GB per billion parameters at 8 bit "
        "with 92 % of the label usable (article A3) on {second} of {n}. Neither knows the length and number of the "
        "sequences, the engine, or that tensor parallelism comes in powers of two.",
        first=right[0],
        second=right[1],
        n=len(known),
    )


def _whole(count: float | None) -> str:
    """Sequences are whole: what does not fit wholly does not fit."""
    return f"{math.floor(count or 0.0):,}"
