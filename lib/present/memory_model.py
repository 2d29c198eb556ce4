"""Words for a model and its replicas: name and format, parameters, the layers that keep a cache, layouts."""

from typing import Final

from lib.catalog import Catalog
from lib.choice.memory_view import ModelMemory
from lib.choice.scenario import CUSTOM_MODEL, EngineChoice, Workload
from lib.present import names
from lib.present.text import Words, markdown_safe
from lib.records import LayerGroup, Layout

GIGA: Final = 1e9


def model_name(catalog: Catalog, workload: Workload, _: Words) -> str:
    """The model's name as people know it, safe as Markdown.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Names a model, or carries one.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Llama 3.3 70B".
    """
    if workload.model == CUSTOM_MODEL:
        return markdown_safe(workload.name) or _("Custom model")
    return markdown_safe(catalog.models[workload.model].name)


def format_name(model: ModelMemory, workload: Workload, _: Words) -> str:
    """The weight format: the word chosen, and what it stands for where that is the native one.

    Parameters
    ----------
    model : ModelMemory
        With the format resolved.
    workload : Workload
        With the word chosen.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "bf16", or "fp8-block128 (native)".
    """
    if workload.weight_format != "native" or model.weight_format == "native":
        return names.weight_format(workload.weight_format, _)
    return _("{format} (native)", format=model.weight_format)


def weights_origin(model: ModelMemory, _: Words) -> str:
    """Whether the bytes of the weights were published or computed.

    Parameters
    ----------
    model : ModelMemory
        The model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A sentence.
    """
    if model.weights_bytes is None:
        return ""
    if model.is_published:
        return _("Bytes of the published checkpoint.")
    return _("Computed: parameters of each block times the bits of the format.")


def structure(model: ModelMemory, workload: Workload, _: Words) -> str:
    """Parameters and the layers that keep a cache, in one line.

    Parameters
    ----------
    model : ModelMemory
        With an architecture.
    workload : Workload
        For the length.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Empty without an architecture.
    """
    one = model.architecture
    if one is None or model.cache_bytes_per_token is None:
        return ""
    return _(
        "{total} billion parameters, {active} active for a token; layers that keep a cache: {layers}; on average "
        "{bytes} bytes per token at {tokens} tokens in {format}.",
        total=_.number(one.total_parameters / GIGA, 4),
        active=_.number(one.active_parameters / GIGA, 4),
        layers=_.listing([group_name(group, _) for group in one.groups]),
        bytes=f"{model.cache_bytes_per_token:,.0f}",
        tokens=_.number(workload.context_tokens, 9),
        format=workload.kv_format,
    )


def group_name(group: LayerGroup, _: Words) -> str:
    """A layer group: how many layers of what kind.

    Parameters
    ----------
    group : LayerGroup
        One group.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "52 with a window of 1,024 tokens".
    """
    count = _.number(group.layers, 9)
    if group.kind == "window" or (group.kind == "full" and group.window is not None):
        return _("{n} with a window of {tokens} tokens", n=count, tokens=_.number(group.window, 9))
    kinds = {
        "full": _("{n} full", n=count),
        "mla": _("{n} latent", n=count),
        "indexer": _("{n} indexer", n=count),
        "compressed": _("{n} compressed", n=count),
        "state": _("{n} with a fixed state", n=count),
    }
    return kinds.get(group.kind, f"{count} {group.kind}")


def conditions(catalog: Catalog, workload: Workload, choice: EngineChoice, model: ModelMemory, _: Words) -> str:
    """The load in the few words of a figure's subtitle.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        What is run.
    choice : EngineChoice
        The engine.
    model : ModelMemory
        Its model.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text; a name that came from a link cannot smuggle in markup.
    """
    known = catalog.models.get(workload.model)
    name = known.name if known else workload.name or _("Custom model")
    return _(
        "{model}, {format}, {n} × {tokens} tokens, {engine}",
        model=name.replace("<", "‹").replace("&", "+"),
        format=model.weight_format,
        n=_.number(workload.concurrency, 9),
        tokens=_.number(workload.context_tokens, 9),
        engine=names.engine(choice.engine),
    )


def layout_word(layout: Layout) -> str:
    """A layout in the field's short words.

    Parameters
    ----------
    layout : Layout
        How the GPUs share the model.

    Returns
    -------
    str
        "TP4", "TP2 PP3", "PP5", "DP4 EP"; "TP1" for a single GPU.

    Examples
    --------
    >>> layout_word(Layout(2, 3))
    'TP2 PP3'
    """
    sizes = {
        "TP": layout.tensor_parallel_size,
        "PP": layout.pipeline_parallel_size,
        "DP": layout.data_parallel_size,
    }
    words = [f"{word}{size}" for word, size in sizes.items() if size > 1] or ["TP1"]
    return " ".join([*words, "EP"] if layout.expert_parallel else words)


def replica_name(gpus: int, part: str, _: Words) -> str:
    """A number of GPUs of a part, as a noun.

    Parameters
    ----------
    gpus : int
        How many.
    part : str
        The part's short name.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "4 H100 SXM".
    """
    return _("{n} {part}", n=gpus, part=part)
