"""The training side of the memory page in words and tables: fewest GPUs, how sure, what would make it fit."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.scenario import Workload
from lib.choice.training_memory import PartTraining, TrainingView, counted
from lib.present import doubts
from lib.present import training_words as named
from lib.present.memory_model import GIGA, model_name, replica_name
from lib.present.text import Words
from lib.records import Doubt
from lib.sizing.training import Band, TrainingPlan
from lib.units import GIB

NONE: Final = "–"
"""Where a quantity has no meaning for a part."""

_GRAVEST: Final = (
    "training-run-size", "across-servers", "training-narrow-format", "training-workspace-not-modelled", "activation-band",
    "activation-other-attention", "activation-experts", "activation-grouped-query", "beyond-context", "host-memory",
)  # fmt: skip
"""Doubts in the order in which a buyer must hear of them."""


def answer(catalog: Catalog, workload: Workload, view: TrainingView, _: Words) -> str:
    """Fewest GPUs of each part, the run of the scenario, and how sure both are, in one sentence.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training workload.
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    load = _load(catalog, workload, _)
    if view.doubt is not None:
        return _("There is no answer for {load}. {reasons}", load=load, reasons=doubts.sentence(view.doubt, _))
    known = [part for part in view.parts if part.fewest is not None]
    if not known:
        reasons = dict.fromkeys(doubts.sentence(one, _) for part in view.parts for one in part.doubts)
        return _("There is no answer for {load}. {reasons}", load=load, reasons=" ".join(reasons))
    clauses = [_needs(load, workload, view, known, _), *_run(view, known, _), _certainty(workload, known, _)]
    left_out = [part.accelerator.short_name for part in view.parts if part.fewest is None]
    if left_out:
        clauses.append(_("no count for {parts} (reasons below)", parts=_.listing(left_out)))
    return _.pick("; ", "；").join(clauses) + _.pick(".", "。")


def _load(catalog: Catalog, workload: Workload, _: Words) -> str:
    values = {"model": model_name(catalog, workload, _), "tokens": _.number(workload.input_tokens, 9)}
    if workload.training_method == "full":
        if workload.task == "train":
            return _("Training of **{model}** on sequences of {tokens} tokens", **values)
        return _("Full fine-tuning of **{model}** on sequences of {tokens} tokens", **values)
    return _(
        "{method} fine-tuning of **{model}** on sequences of {tokens} tokens",
        method=named.method(workload.training_method, _),
        **values,
    )


def _needs(load: str, workload: Workload, view: TrainingView, parts: Sequence[PartTraining], _: Words) -> str:
    how = workload.setup
    values = {
        "load": load,
        "sharding": named.sharding_name(how.zero_stage),
        "recomputed": named.recomputed(how.recompute, _),
    }
    found = counted(parts)
    if not found:
        return _(
            "{load} with {sharding}, {recomputed}, fits on no part with up to {n} GPUs",
            n=f"{view.most_gpus:,}",
            **values,
        )
    counts = _.listing([_count(part, _) for part in found])
    text = _("{load} with {sharding}, {recomputed}, needs {counts}", counts=counts, **values)
    missing = [part.accelerator.short_name for part in parts if part.gpus is None]
    if missing:
        text += _.pick(", ", "，") + _(
            "and fits on no number of {parts} up to {n}", parts=_.listing(missing), n=f"{view.most_gpus:,}"
        )
    return text


def _count(part: PartTraining, _: Words) -> str:
    """A count as "16 H100 SXM (8–32)", the range where the band moves it."""
    count = f"**{replica_name(part.gpus or 0, part.accelerator.short_name, _)}**"
    return f"{count} ({gpu_range(part, _)})" if part.is_open else count


def gpu_range(part: PartTraining, _: Words) -> str:
    """GPUs with activations and logits at the low and at the high end of their band.

    Parameters
    ----------
    part : PartTraining
        One part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "8–16", or "8 or more".
    """
    one = part.fewest
    low = (one.hopeful_gpus or one.gpus) if one else None
    if one is None or low is None:
        return NONE
    if one.certain_gpus is None:
        return _("{n} or more", n=low)
    return _.span(low, one.certain_gpus)


def _run(view: TrainingView, parts: Sequence[PartTraining], _: Words) -> list[str]:
    """What the scenario's own run holds on each GPU, and on which parts that fits."""
    plans = [(part, part.run) for part in parts if part.run is not None]
    if not plans:
        return []
    total = plans[0][1].need.total
    kinds = {
        "fits": _("fits on {parts}"),
        "fits-only-if": _("fits on {parts} as expected, not at the high end"),
        "does-not-fit": _("does not fit on {parts}"),
    }
    verdicts = []
    for verdict, phrase in kinds.items():
        if names := [part.accelerator.short_name for part, plan in plans if plan.verdict == verdict]:
            verdicts.append(phrase.format(parts=_.listing(names)))
    return [
        _.count(
            "on the {n} GPU of the run it holds **{size}** and {verdicts}",
            "on the {n} GPUs of the run each holds **{size}**, which {verdicts}",
            view.run_gpus or 0,
            size=_("{span} GiB", span=band(total, _)),
            verdicts=_.listing(verdicts) if _.language == "en" else "，".join(verdicts),
        )
    ]


def band(value: Band, _: Words) -> str:
    """An estimate in GiB with its ends: "41.2 (36.5–50.1)".

    Parameters
    ----------
    value : Band
        In bytes.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Without the unit.
    """
    return f"{_.number(value.base / GIB)} ({_.span(value.low / GIB, value.high / GIB)})"


def _certainty(workload: Workload, parts: Sequence[PartTraining], _: Words) -> str:
    whose = named.accounting(workload.setup.accounting, _)
    moved = [part.accelerator.short_name for part in parts if part.is_open]
    if moved:
        return _(
            "states are counted as in {accounting}, and the band of the activations may move the count of {parts}",
            accounting=whose,
            parts=_.listing(moved),
        )
    return _(
        "states are counted as in {accounting}; the counts hold over the band of the activations", accounting=whose
    )


def metrics(workload: Workload, view: TrainingView, _: Words) -> list[tuple[str, str, str]]:
    """Four numbers: the smallest run, what is trained, the states of one copy, activations and logits of one GPU.

    Parameters
    ----------
    workload : Workload
        A training workload.
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple
        Label, value, help.
    """
    if view.setup is None or view.architecture is None:
        return []
    rows = []
    if view.parts and (gpus := view.parts[0].gpus):
        rows.append(
            (
                _("Fewest GPUs"),
                f"{gpus} × {view.parts[0].accelerator.short_name}",
                _("The smallest run among the parts compared, over data ranks in powers of two."),
            )
        )
    trained = view.model_trained_parameters
    rows.append(
        (
            _("Trained parameters"),
            _("{n} million", n=_.number(trained / 1e6))
            if trained < GIGA
            else _("{n} billion", n=_.number(trained / GIGA)),
            _("Of {n} billion in the model.", n=_.number(view.architecture.total_parameters / GIGA)),
        )
    )
    rows.append(
        (
            _("States of one copy"),
            _.gib(view.whole_states_bytes / GIB),
            _("Weights, gradients and optimizer with nothing sharded, offloaded or divided."),
        )
    )
    plan = next((part.run or part.drawn for part in view.parts if part.drawn), None)
    if plan is not None:
        tokens = plan.need.activations.base + plan.need.logits.base
        rows.append(
            (
                _("Activations and logits of a GPU"),
                _.gib(tokens / GIB),
                _.count(
                    "Of a micro-batch of {n} sequence, whatever the part and however many data ranks there are.",
                    "Of a micro-batch of {n} sequences, whatever the part and however many data ranks there are.",
                    workload.setup.micro_batch,
                ),
            )
        )
    return rows


def verdict(plan: TrainingPlan | None, _: Words) -> str:
    """The verdict on a plan: a symbol and the field's words.

    Parameters
    ----------
    plan : TrainingPlan or None
        One part's.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "✓ fits".
    """
    if plan is None:
        return NONE
    return {
        "fits": _("✓ fits"),
        "fits-only-if": _("△ fits only if"),
        "does-not-fit": _("✕ does not fit"),
        "unknown-memory": _("? no answer"),
    }[plan.verdict]


def alternative(view: TrainingView, _: Words) -> str:
    """The bars in words, for those who cannot see them.

    Parameters
    ----------
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    sentences = []
    for part in view.parts:
        plan = part.drawn
        if plan is None:
            continue
        amounts = {
            "states": _gib(plan.need.held.states_bytes, _),
            "activations": _gib(plan.need.activations.base, _),
            "logits": _gib(plan.need.logits.base, _),
            "total": _gib(plan.need.total.base, _),
            "memory": _gib(plan.memory_bytes, _),
        }
        layout = named.layout(plan.need.setup)
        sentences.append(
            _.count(
                "{part}: {n} GPU ({layout}); on it, states {states}, activations {activations}, logits {logits}, in all {total} of "
                "{memory}.",
                "{part}: {n} GPUs ({layout}); on each, states {states}, activations {activations}, logits {logits}, in all {total} "
                "of {memory}.",
                plan.gpus,
                part=part.accelerator.short_name,
                layout=layout,
                **amounts,
            )
        )
    return " ".join(sentences)


def _gib(value: float | None, _: Words) -> str:
    return _.gib(None if value is None else value / GIB)


def not_held(view: TrainingView, _: Words) -> list[str]:
    """Parts without an answer, or that do not hold the run: why, and the cheapest change.

    Parameters
    ----------
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    lines = []
    for part in view.parts:
        name = part.accelerator.short_name
        if part.fewest is None:
            lines.append(f"**{name}**: {' '.join(doubts.sentence(one, _) for one in part.doubts)}")
            continue
        plan = part.run if part.run is not None and not part.run.holds else None
        if plan is None and part.gpus is None:
            plan = part.fewest.plan
        if plan is not None:
            reason, change = doubts.sentence(plan.reason, _), doubts.sentence(part.change, _) if part.change else ""
            lines.append(
                f"**{name}**: " + _("On {n} GPUs: {reason}", n=f"{plan.gpus:,}", reason=f"{reason} {change}".strip())
            )
    return lines


def reservations(view: TrainingView, _: Words) -> list[str]:
    """Every doubt about the answer once, gravest first.

    Parameters
    ----------
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown.
    """
    own: list[tuple[int, str]] = []
    for part in view.parts:
        for one in part.doubts if part.fewest is not None else ():
            text = doubts.sentence(one, _)
            own.append((_gravity(one), f"**{part.accelerator.short_name}**: {text}"))
    general = [(_gravity(one), doubts.sentence(one, _)) for one in view.doubts]
    return [text for _rank, text in sorted([*general, *own], key=lambda pair: pair[0])]


def _gravity(doubt: Doubt) -> int:
    return _GRAVEST.index(doubt.code) if doubt.code in _GRAVEST else len(_GRAVEST)
