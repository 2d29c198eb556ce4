"""How training memory is computed: equations with the numbers put in, and where each of them comes from."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.scenario import Workload
from lib.choice.training_memory import TrainingView
from lib.present import training_words as named
from lib.present.memory_model import GIGA
from lib.present.memory_sources import memory_cell
from lib.present.text import Words, markdown_safe
from lib.records import Accelerator, Architecture
from lib.sizing.training import TrainingNeed, TrainingPlan
from lib.sizing.training_activations import ATTENTION, LOGIT_BYTES, NOT_SPLIT, score_bytes
from lib.units import GIB

ACCOUNTING_SOURCES: Final = {
    "zero-paper": ("arxiv-1910.02054", "section 5, figure 1"),
    "deepspeed": ("deepspeed", "docs/code-docs/source/memory.rst"),
    "megatron": ("megatron-lm", "docs/user-guide/features/dist_optimizer.md"),
}
ACTIVATION_SOURCES: Final = (
    ("arxiv-2205.05198", "table 2"),
    ("megatron-lm", "megatron/training/theoretical_memory_usage.py"),
    ("stas00-ml-engineering", "training/performance/README.md; activation-memory-per-layer.py"),
)


def equations(view: TrainingView, plan: TrainingPlan, accelerator: Accelerator, _: Words) -> list[str]:
    """The steps from parameters to what is free, each as one line with its numbers.

    Parameters
    ----------
    view : TrainingView
        With an architecture.
    plan : TrainingPlan
        The part's own.
    accelerator : Accelerator
        The part.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown.
    """
    assert view.architecture is not None  # noqa: S101
    need = plan.need
    return [
        _parameters(view.architecture, need, _),
        _states(need, _),
        *([_gathered(need, _)] if need.held.gathered_bytes else []),
        *_layer(view.architecture, need, _),
        _logits(view.architecture, need, _),
        _(
            "**Sum** = {states} + {activations} + {logits} = **{total}** ({band} GiB over the band) of the {memory} that one "
            "{part} reports.",
            states=_gib(need.held.states_bytes, _),
            activations=_gib(need.activations.base, _),
            logits=_gib(need.logits.base, _),
            total=_gib(need.total.base, _),
            band=_.span(need.total.low / GIB, need.total.high / GIB),
            memory=_gib(plan.memory_bytes, _),
            part=accelerator.short_name,
        ),
    ]


def _gib(value: float | None, _: Words) -> str:
    return _.gib(None if value is None else value / GIB)


def _parameters(architecture: Architecture, need: TrainingNeed, _: Words) -> str:
    setup = need.setup
    values = {
        "layout": named.layout(setup),
        "own": _.number(need.held.parameters / GIGA, 4),
        "total": _.number(architecture.total_parameters / GIGA, 4),
    }
    if setup.pipeline_parallel_size > 1:
        return _(
            "**Parameters of a rank** ({layout}): {own} billion of {total} billion, on pipeline stage {stage} of {stages}, which "
            "is the fullest; norms and routers stand whole on every tensor parallel rank.",
            stage=need.stage + 1,
            stages=setup.pipeline_parallel_size,
            **values,
        )
    return _(
        "**Parameters of a rank** ({layout}): {own} billion of {total} billion before data ranks share them out.",
        **values,
    )


def _states(need: TrainingNeed, _: Words) -> str:
    held, setup = need.held, need.setup
    if setup.method == "full":
        return _(
            "**States** ({sharding}, data ranks: {ranks}), counted as in {accounting}: weights {weights} + gradients "
            "{gradients} + optimizer {optimizer}.",
            sharding=named.sharding_name(setup.zero_stage),
            ranks=_.number(setup.data_parallel_size, 9),
            accounting=named.accounting(setup.accounting, _),
            weights=_gib(held.weights_bytes, _),
            gradients=_gib(held.gradients_bytes, _),
            optimizer=_gib(held.optimizer_bytes, _),
        )
    return _(
        "**States** ({sharding}, data ranks: {ranks}): the frozen base {weights} at its stored width, and {adapters} for the "
        "weights, gradients and optimizer of {n} million adapter parameters of rank {rank}, counted as in {accounting}.",
        sharding=named.sharding_name(setup.zero_stage),
        ranks=_.number(setup.data_parallel_size, 9),
        accounting=named.accounting(setup.accounting, _),
        weights=_gib(held.weights_bytes, _),
        adapters=_gib(held.adapters_bytes, _),
        n=_.number(need.model_trained_parameters / 1e6),
        rank=setup.lora_rank,
    )


def _gathered(need: TrainingNeed, _: Words) -> str:
    return _(
        "**Layer in work** = {gib}: the largest layer, or embedding, whole while it is computed, and its gradients before they "
        "are shared out.",
        gib=_gib(need.held.gathered_bytes, _),
    )


def _layer(architecture: Architecture, need: TrainingNeed, _: Words) -> list[str]:
    setup = need.setup
    mlp = need.layer.base - NOT_SPLIT - ATTENTION
    values = {
        "s": _.number(setup.sequence_tokens, 9),
        "b": _.number(setup.micro_batch, 9),
        "h": _.number(architecture.hidden_size, 9),
        "layers": _.number(need.stages[need.stage], 9),
        "held": need.micro_batches_held,
        "total": _gib(need.activations.base, _),
        "band": _.span(need.activations.low / GIB, need.activations.high / GIB),
    }
    if setup.recompute == "full":
        return [
            _(
                "**Activations** = {layers} layers × {held} in flight × 2 × {s} tokens × {b} × {h}, the inputs of "
                "the layers, and one layer whole at {each} bytes per hidden value = **{total}** ({band} GiB).",
                each=_.number(need.layer.base),
                **values,
            )
        ]
    inside = _.number(ATTENTION)
    if setup.recompute == "none":
        scores = score_bytes(setup.sequence_tokens, architecture.hidden_size, architecture.n_heads)
        inside = _("{attention} + scores {scores}", attention=inside, scores=_.number(float(scores)))
    return [
        _(
            "**Activations** = {layers} layers × {held} in flight × {s} tokens × {b} × {h} × (10 + attention "
            "{inside} + feed-forward {mlp}) bytes = **{total}** ({band} GiB){split}.",
            inside=inside,
            mlp=_.number(mlp),
            split=_split(need, _),
            **values,
        )
    ]


def _split(need: TrainingNeed, _: Words) -> str:
    setup = need.setup
    if setup.tensor_parallel_size == 1:
        return ""
    if setup.sequence_parallel:
        return _(", all of it over {t} ranks", t=setup.tensor_parallel_size)
    return _(", attention and feed-forward over {t} ranks", t=setup.tensor_parallel_size)


def _logits(architecture: Architecture, need: TrainingNeed, _: Words) -> str:
    if not need.logits.base:
        return _("**Logits** stand on the last pipeline stage, which is not the fullest.")
    return _(
        "**Logits** = {each} bytes × {s} tokens × {b} × {vocab} = **{total}** (in fp32 with their 16-bit copy; {low} without it). "
        "A loss computed in chunks keeps less and is not modelled.",
        each=_.number(LOGIT_BYTES[1]),
        s=_.number(need.setup.sequence_tokens, 9),
        b=_.number(need.setup.micro_batch, 9),
        vocab=_.number(architecture.vocab, 9),
        total=_gib(need.logits.base, _),
        low=_gib(need.logits.low, _),
    )


def caption(catalog: Catalog, workload: Workload, _: Words) -> str:
    """Where the picture's numbers come from, in one line.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training workload.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    accounting = catalog.source(ACCOUNTING_SOURCES[workload.setup.accounting][0])
    return _(
        "Thick line: memory as the runtime reports it. States: {accounting}; activations: {activations}. Sources and dates stand "
        "below. Data edition {edition}.",
        accounting=markdown_safe(accounting.publisher + ", " + (accounting.date or accounting.title)),
        activations=_.listing([_dated(catalog, source_id) for source_id, _place in ACTIVATION_SOURCES]),
        edition=catalog.edition.label,
    )


def _dated(catalog: Catalog, source_id: str) -> str:
    source = catalog.source(source_id)
    return markdown_safe(f"{source.publisher}, {source.date}" if source.date else source.publisher)


def sources(catalog: Catalog, workload: Workload, accelerators: Sequence[Accelerator], _: Words) -> pd.DataFrame:
    """Where the inputs come from, one row an input.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training workload.
    accelerators : sequence of Accelerator
        The parts compared.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Input, value, source, date, place.
    """
    lines: list[tuple[str, str, str, str, str]] = []

    def add(what: str, value: str, source_id: str, locator: str) -> None:
        source = catalog.source(source_id)
        lines.append((what, value, source.title, source.date, locator or source.location))

    if workload.model in catalog.models:
        model = catalog.models[workload.model]
        value = _("{n} billion parameters", n=_.number(model.total_params / GIGA, 4))
        add(model.name, value, model.source_id, model.locator)
    add(
        _("Bytes of each trained parameter"),
        named.accounting(workload.setup.accounting, _),
        *ACCOUNTING_SOURCES[workload.setup.accounting],
    )
    if workload.training_method != "full":
        add(_("Parameters of adapters"), _("rank × (input + output width)"), "arxiv-2106.09685", "section 4")
    if workload.training_method == "qlora":
        add(_("Bits of a quantised base"), "nf4", "arxiv-2305.14314", "section 3")
    words = (
        _("published form, a GPT layer"),
        _("published form, real width of the feed-forward part; pipeline stages"),
        _("one layer as measured; logits; what PyTorch takes"),
    )
    for (source_id, locator), value in zip(ACTIVATION_SOURCES, words, strict=True):
        add(_("Activations"), value, source_id, locator)
    for one in accelerators:
        cell = memory_cell(catalog, one)
        if cell is not None:
            add(_("Memory of {part}", part=one.short_name), f"{cell.value} {cell.unit}", cell.source_id, cell.locator)
    heads = (_("Input"), _("Value"), _("Source"), _("Date"), _("Place in the source"))
    return pd.DataFrame(lines, columns=list(heads))


def conditions(catalog: Catalog, workload: Workload, _: Words) -> str:
    """The run in the few words of a figure's subtitle, in two lines for small screens.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        A training workload.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text; a name that came from a link cannot smuggle in markup.
    """
    known = catalog.models.get(workload.model)
    name = known.name if known else workload.name or _("Custom model")
    how = workload.setup
    return _(
        "{model}, {method}, {n} × {tokens} tokens<br>{sharding}, {recomputed}",
        model=name.replace("<", "‹").replace("&", "+"),
        method=named.method(workload.training_method, _),
        n=_.number(how.micro_batch, 9),
        tokens=_.number(workload.input_tokens, 9),
        sharding=named.sharding_name(how.zero_stage),
        recomputed=named.recomputed(how.recompute, _),
    )
