"""The training table of the memory page: part by part on the screen, every term of the sum for a spreadsheet."""

import pandas as pd

from lib.choice.training_memory import PartTraining, TrainingView
from lib.present import doubts
from lib.present import training_words as named
from lib.present.memory_table import reported
from lib.present.text import Words
from lib.present.training_memory import NONE, band, gpu_range, verdict
from lib.units import GIB


def side_by_side(view: TrainingView, _: Words) -> pd.DataFrame:
    """One row a part: fewest GPUs, what each of them holds, the run of the scenario, what else would fit.

    Parameters
    ----------
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells.
    """
    best = min((part.gpus for part in view.parts if part.gpus), default=None)
    on_run = any(part.run is not None for part in view.parts)
    where = _("on {n} GPUs", n=f"{view.run_gpus:,}") if on_run else _("on the fewest")
    lines = []
    for part in view.parts:
        count = _gpus(part, view.most_gpus, _)
        line = {
            _("Part"): part.accelerator.short_name,
            _("Fewest GPUs"): f"**{count}**" if part.gpus == best and best else count,
            _("On each, GiB (low–high)"): band(part.drawn.need.total, _) if part.drawn else NONE,
            _("Memory as reported (label), GiB (GB)"): reported(part.accelerator, _),
        }
        if on_run:
            line[_("The run on {n} GPUs", n=f"{view.run_gpus:,}")] = verdict(part.run, _)
        line[_("Longest sequence {where}", where=where)] = _length(part.longest_sequence, view, _)
        line[_("Largest micro-batch {where}", where=where)] = _whole(part.largest_micro_batch, _)
        lines.append(line)
    return pd.DataFrame(lines)


def _gpus(part: PartTraining, most: int, _: Words) -> str:
    if part.fewest is None:
        return NONE
    if part.gpus is None:
        return _("none up to {n}", n=f"{most:,}")
    return f"{part.gpus:,} ({gpu_range(part, _)})" if part.is_open else f"{part.gpus:,}"


def _length(tokens: int | None, view: TrainingView, _: Words) -> str:
    """A length, marked where the model was made for less than the memory would hold."""
    limit = view.architecture.max_context if view.architecture else 0
    if tokens is not None and tokens > limit > 0:
        return _("{n} (model: {limit})", n=_.number(tokens, 9), limit=_.number(limit, 9))
    return _whole(tokens, _)


def _whole(value: int | None, _: Words) -> str:
    return _.number(value, 9) if value else NONE


def spreadsheet(view: TrainingView, _: Words) -> pd.DataFrame:
    """The same as numbers with every term of the sum, one row a part, for a spreadsheet.

    Parameters
    ----------
    view : TrainingView
        From the choice room.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Unknown cells are blank.
    """
    return pd.DataFrame([_spread(part, _) for part in view.parts])


def _spread(part: PartTraining, _: Words) -> dict[str, object]:
    plan, one = part.drawn, part.fewest

    def gib(value: float | None) -> float | None:
        return None if value is None else round(value / GIB, 3)

    held = plan.need.held if plan else None
    need = plan.need if plan else None
    return {
        _("Part"): part.accelerator.short_name,
        _("Fewest GPUs"): part.gpus,
        _("GPUs, band low"): one.hopeful_gpus if one else None,
        _("GPUs, band high"): one.certain_gpus if one else None,
        _("GPUs of this row"): plan.gpus if plan else None,
        _("Layout"): named.layout(need.setup) if need else "",
        _("Accounting"): need.setup.accounting if need else "",
        _("Verdict"): verdict(plan, _),
        _("Memory as reported, GiB"): part.accelerator.memory_usable_gib,
        _("Weights per GPU, GiB"): gib(held.weights_bytes if held else None),
        _("Gradients per GPU, GiB"): gib(held.gradients_bytes if held else None),
        _("Optimizer per GPU, GiB"): gib(held.optimizer_bytes if held else None),
        _("Adapters per GPU, GiB"): gib(held.adapters_bytes if held else None),
        _("Layer in work per GPU, GiB"): gib(held.gathered_bytes if held else None),
        _("Activations per GPU low, GiB"): gib(need.activations.low if need else None),
        _("Activations per GPU, GiB"): gib(need.activations.base if need else None),
        _("Activations per GPU high, GiB"): gib(need.activations.high if need else None),
        _("Logits per GPU, GiB"): gib(need.logits.base if need else None),
        _("In all per GPU low, GiB"): gib(need.total.low if need else None),
        _("In all per GPU, GiB"): gib(need.total.base if need else None),
        _("In all per GPU high, GiB"): gib(need.total.high if need else None),
        _("The run of the scenario"): verdict(part.run, _) if part.run else "",
        _("Longest sequence, tokens"): part.longest_sequence,
        _("Largest micro-batch"): part.largest_micro_batch,
        _("Cheapest change"): doubts.sentence(part.change, _) if part.change else "",
    }
