"""The memory page's table: what one GPU of each part's replica holds, and what the replica could hold at most."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from lib.choice.memory_view import ModelMemory, PartMemory, gpus_for_weights
from lib.present import doubts
from lib.present.memory import NONE, ROOM, gpu_range, main_doubt, verdict
from lib.present.memory_model import layout_word
from lib.present.text import Words
from lib.records import Accelerator
from lib.sizing.fit import FewestGpus
from lib.sizing.layouts import MOST_GPUS
from lib.units import GIB

Cell = Callable[[PartMemory], str]


def _bare(value: float | None, _: Words) -> str:
    """GiB as a bare number, for cells whose head has the unit."""
    return NONE if value is None else _.number(value / GIB)


def section_name(word: str, _: Words) -> str:
    """A section of the page by its word.

    Parameters
    ----------
    word : str
        One of the words that a view's memory section takes.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a choice.
    """
    return {
        "models": _("Every model on these parts"),
        "parts": _("Part by part"),
        "map": _("Longer, or more at once?"),
        "rules": _("Beside the rules of thumb"),
        "method": _("How this is computed"),
        "logs": _("Predicted against logged"),
        "sources": _("Sources of these numbers"),
        "own-model": _("Size your own model from its config.json"),
        "own-part": _("Add a part that the catalogue does not have"),
    }[word]


def side_by_side(parts: Sequence[PartMemory], _: Words) -> pd.DataFrame:
    """Quantities as rows and parts as columns, the best value of a row in bold.

    Parameters
    ----------
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells.
    """
    lines = []
    for label, cell, best in _rows(parts, _):
        values = [cell(part) for part in parts]
        marked = [f"**{text}**" if index in best else text for index, text in enumerate(values)]
        lines.append(
            {
                _("Quantity"): label,
                **{one.accelerator.short_name: text for one, text in zip(parts, marked, strict=True)},
            }
        )
    return pd.DataFrame(lines)


def _rows(parts: Sequence[PartMemory], _: Words) -> list[tuple[str, Cell, set[int]]]:
    """Label, what a cell says, and the indices of the best parts."""
    fewest = _best([part.sized.gpus for part in parts], fewer=True)
    fewest_of_all = _best(
        [part.sized.all_layouts.gpus if part.sized.all_layouts else None for part in parts], fewer=True
    )
    longest = _best([part.sized.longest_context for part in parts])
    most = _best([part.sized.most_sequences for part in parts])
    return [
        (_("GPUs, tensor parallel"), lambda part: _gpus(part.sized.one_server, _), fewest),
        (_("Range over the workspace band, GPUs"), lambda part: gpu_range(part, _), set()),
        (_("GPUs across all layouts"), lambda part: _gpus(part.sized.all_layouts, _), fewest_of_all),
        (_("Whole servers"), lambda part: str(part.replica.servers) if part.replica else NONE, set()),
        (_("Verdict"), lambda part: verdict(part, _), set()),
        (_("Memory as reported (label), GiB (GB)"), lambda part: reported(part.accelerator, _), set()),
        (_("Weights per GPU, GiB"), lambda part: _weights(part, _), set()),
        (_("Workspace per GPU, GiB (low–high)"), lambda part: _workspace(part, _), set()),
        (_("Cache per GPU, GiB: needed / capacity"), lambda part: _cache(part, _), set()),
        (_("Free per GPU, GiB (low to high)"), lambda part: _slack(part, _), set()),
        (_("Longest context at this concurrency, tokens"), lambda part: _whole(part.sized.longest_context, _), longest),
        (_("Most sequences of this length"), lambda part: _whole(part.sized.most_sequences, _), most),
        (_("What rules out fewer GPUs"), lambda part: rules_out(part, _), set()),
        (_("Main doubt"), lambda part: doubts.sentence(found, _) if (found := main_doubt(part)) else NONE, set()),
    ]


def _gpus(found: FewestGpus | None, _: Words) -> str:
    """GPUs and layout as "4 · TP4"."""
    if found is None:
        return NONE
    if found.gpus is None or found.layout is None:
        return _("none up to {n}", n=MOST_GPUS)
    return f"{found.gpus} · {layout_word(found.layout)}"


def _best(values: Sequence[float | None], *, fewer: bool = False) -> set[int]:
    known = [value for value in values if value]
    if len(set(known)) < 2:
        return set()
    target = min(known) if fewer else max(known)
    return {index for index, value in enumerate(values) if value == target}


def reported(accelerator: Accelerator, _: Words) -> str:
    """Memory as the runtime reports it beside the label, marked where only the driver's figure is known.

    Parameters
    ----------
    accelerator : Accelerator
        One part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "191.98 (192)".
    """
    label = _.number(accelerator.memory_gb, 5)
    if accelerator.memory_runtime_gib is not None:
        return f"{accelerator.memory_runtime_gib:,.2f} ({label})"
    if accelerator.memory_driver_gib is not None:
        return _("{gib} by the driver ({label})", gib=f"{accelerator.memory_driver_gib:,.2f}", label=label)
    return _("not reported ({label})", label=label)


def weights_only(model: ModelMemory, accelerators: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """What can be said of a task whose memory is not modelled: the GPUs that the weights alone fill.

    Parameters
    ----------
    model : ModelMemory
        With known weights.
    accelerators : sequence of Accelerator
        The parts compared.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    rows = [
        (
            one.short_name,
            reported(one, _),
            _bare(model.weights_bytes, _),
            _.number(gpus_for_weights(model, one), 9),
        )
        for one in accelerators
    ]
    heads = (
        _("Part"),
        _("Memory as reported (label), GiB (GB)"),
        _("Weights, whole model, GiB"),
        _("GPUs at least, weights alone"),
    )
    return pd.DataFrame(rows, columns=list(heads))


def _weights(part: PartMemory, _: Words) -> str:
    plan = part.replica.plan if part.replica else None
    return _bare(plan.weights_bytes, _) if plan else NONE


def _workspace(part: PartMemory, _: Words) -> str:
    plan = part.replica.plan if part.replica else None
    if plan is None:
        return NONE
    taken = plan.workspace
    return f"{_bare(taken.base_bytes, _)} ({_.span(taken.low_bytes / GIB, taken.high_bytes / GIB)})"


def _cache(part: PartMemory, _: Words) -> str:
    plan = part.replica.plan if part.replica else None
    return f"{_bare(plan.needed_bytes, _)} / {_bare(plan.cache_bytes, _)}" if plan else NONE


def _slack(part: PartMemory, _: Words) -> str:
    plan = part.replica.plan if part.replica else None
    if plan is None or plan.slack_low_bytes is None or plan.slack_high_bytes is None:
        return NONE
    ends = [_bare(end, _).replace("-", "−") for end in (plan.slack_low_bytes, plan.slack_high_bytes)]
    return _("{base} ({low} to {high})", base=_bare(plan.slack_bytes, _), low=ends[0], high=ends[1])


def _whole(value: int | None, _: Words) -> str:
    return NONE if value is None else _.number(value, 9)


def rules_out(part: PartMemory, _: Words) -> str:
    """Why the next smaller replica does not hold the load, in few words.

    Parameters
    ----------
    part : PartMemory
        One part.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "2 GPUs: weights 23.2 GiB over".
    """
    if part.sized.gpus is None:
        return NONE
    if part.fewer is None:
        return _("one GPU is the least")
    reason, gpus = part.fewer.reason, part.fewer.layout.gpus
    if reason.code == "weights":
        return _("on {n}: weights {gib} too large", n=gpus, gib=_.gib(reason.values["short_gib"]))
    if reason.code in ROOM:
        return _("on {n}: no room for one sequence", n=gpus)
    held = int(part.fewer.cache_sequences or 0)
    return _("on {n}: cache for {held} sequences", n=gpus, held=_.number(held, 9))


def spreadsheet(parts: Sequence[PartMemory], _: Words) -> pd.DataFrame:
    """The same as numbers, one row a part, for a spreadsheet.

    Parameters
    ----------
    parts : sequence of PartMemory
        Sorted by the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Unknown cells are blank.
    """
    return pd.DataFrame([_spread(part, _) for part in parts])


def _spread(part: PartMemory, _: Words) -> Mapping[str, object]:
    one, every, plan = part.sized.one_server, part.sized.all_layouts, part.replica.plan if part.replica else None

    def gib(value: float | None) -> float | None:
        return None if value is None else round(value / GIB, 3)

    taken = plan.workspace if plan else None
    doubt = main_doubt(part)
    return {
        _("Part"): part.accelerator.short_name,
        _("GPUs, tensor parallel"): part.sized.gpus,
        _("Layout in one server"): layout_word(one.layout) if one and one.layout else "",
        _("GPUs, workspace low"): part.hopeful_gpus,
        _("GPUs, workspace high"): part.certain_gpus,
        _("GPUs across all layouts"): every.gpus if every else None,
        _("Layout of all"): layout_word(every.layout) if every and every.layout else "",
        _("Whole servers"): part.replica.servers if part.replica else None,
        _("Verdict"): verdict(part, _),
        _("Label, GB"): part.accelerator.memory_gb,
        _("Memory as reported, GiB"): part.accelerator.memory_usable_gib,
        _("Weights per GPU, GiB"): gib(plan.weights_bytes if plan else None),
        _("Workspace per GPU low, GiB"): gib(taken.low_bytes if taken else None),
        _("Workspace per GPU, GiB"): gib(taken.base_bytes if taken else None),
        _("Workspace per GPU high, GiB"): gib(taken.high_bytes if taken else None),
        _("Cache needed per GPU, GiB"): gib(plan.needed_bytes if plan else None),
        _("Cache capacity per GPU, GiB"): gib(plan.cache_bytes if plan else None),
        _("Free per GPU low, GiB"): gib(plan.slack_low_bytes if plan else None),
        _("Free per GPU, GiB"): gib(plan.slack_bytes if plan else None),
        _("Free per GPU high, GiB"): gib(plan.slack_high_bytes if plan else None),
        _("Longest context at this concurrency, tokens"): part.sized.longest_context,
        _("Most sequences of this length"): part.sized.most_sequences,
        _("Main doubt"): doubts.sentence(doubt, _) if doubt else "",
    }
