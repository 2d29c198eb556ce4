"""A workload on a part: the model as the scenario means it, the engine's settings, fewest GPUs under both rules."""

import functools
from dataclasses import dataclass, replace
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.scenario import CUSTOM_MODEL, EngineChoice, Workload
from lib.errors import LibError
from lib.records import Accelerator, Architecture, Checkpoint, Doubt
from lib.sizing import architecture as architectures
from lib.sizing import drafts, fit
from lib.sizing.engines import EngineSettings, engine_defaults
from lib.sizing.fit import FewestGpus

SERVING_TASKS: Final = ("serve", "token-price")


@dataclass(frozen=True, slots=True)
class Sized:
    """What a workload needs on one part; without a replica, `doubt` says why."""

    accelerator: Accelerator
    settings: EngineSettings | None
    one_server: FewestGpus | None
    all_layouts: FewestGpus | None
    longest_context: int | None
    most_sequences: int | None
    doubt: Doubt | None

    @property
    def gpus(self) -> int | None:
        """GPUs of the headline replica: one server with tensor parallelism."""
        return self.one_server.gpus if self.one_server else None


def architecture_of(catalog: Catalog, workload: Workload) -> Architecture:
    """The architecture that a workload names, from the catalogue or from its own config.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Names a model, or carries a config.

    Returns
    -------
    Architecture
        Layer groups and parameter blocks; with the draft layers where the workload drafts with them.

    Raises
    ------
    ConfigError
        If the model cannot be sized, with the reason.
    """
    own = workload.model == CUSTOM_MODEL
    found = _custom(workload.config, workload.name) if own else _catalogued(catalog, workload.model)
    return drafts.with_drafts(found) if workload.draft_layers else found


def known_bytes(catalog: Catalog, workload: Workload) -> float | None:
    """Bytes of the workload's checkpoint where the catalogue knows them: published before computed.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model and weight format.

    Returns
    -------
    float or None
        Tensor bytes of the whole model [bytes].
    """
    found = known_checkpoint(catalog, workload)
    if found is None:
        return None
    published = found.published_bytes if found.comparable else None
    stated = published if published is not None else found.computed_bytes
    return None if stated is None else float(stated)


def known_checkpoint(catalog: Catalog, workload: Workload) -> Checkpoint | None:
    """The catalogue's row on the workload's checkpoint: the first of its format that states its bytes.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model and weight format.

    Returns
    -------
    Checkpoint or None
        With published bytes that are comparable, or computed ones.
    """
    if workload.model == CUSTOM_MODEL:
        return None
    for one in catalog.checkpoints.get(workload.model, ()):
        native = workload.weight_format == "native" and one.is_native
        if native or one.weight_format == workload.weight_format:
            if (one.published_bytes is not None and one.comparable) or one.computed_bytes is not None:
                return one
    return None


def settings_of(workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> EngineSettings:
    """The engine's settings on a part: its own defaults, with what the scenario states in their place.

    Parameters
    ----------
    workload : Workload
        The engine is started for its longest sequence, and shares what its prompts have in common.
    choice : EngineChoice
        From the scenario.
    accelerator : Accelerator
        Defaults depend on its memory.

    Returns
    -------
    EngineSettings
        Complete.
    """
    length = max(workload.context_tokens, workload.max_model_len or 0)
    defaults = engine_defaults(choice.engine, accelerator.memory_usable_gib, accelerator.accelerator_id, length)
    stated: dict[str, Any] = {
        "decode_context_parallel_size": choice.decode_context_parallel_size,
        "shared_prefix_tokens": min(workload.shared_prefix_tokens, workload.input_tokens),
        "online_quantization": choice.online_quantization,
        "gpu_memory_utilization": choice.gpu_memory_utilization,
        "max_num_batched_tokens": choice.max_num_batched_tokens,
        "max_num_seqs": choice.max_num_seqs,
        "sampler": choice.sampler,
    }
    return replace(defaults, **{name: value for name, value in stated.items() if value is not None})


@functools.lru_cache(maxsize=256)
def _catalogued(catalog: Catalog, model_id: str) -> Architecture:
    return architectures.of_model(catalog.model(model_id))


@functools.lru_cache(maxsize=64)
def _custom(config: str, name: str) -> Architecture:
    return architectures.from_config(architectures.parse_config(config), CUSTOM_MODEL, name)


@functools.lru_cache(maxsize=256)
def replica(catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> Sized:
    """Fewest GPUs for a workload on a part under both rules, without asking what else the replica could hold.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, formats, tokens and concurrency.
    choice : EngineChoice
        Engine and scheduler.
    accelerator : Accelerator
        The part.

    Returns
    -------
    Sized
        With the doubt memory-not-modelled for training and diffusion, config for a model that cannot be read,
        unknown-memory for a part whose memory nobody has reported.
    """

    def nothing(doubt: Doubt) -> Sized:
        return Sized(accelerator, None, None, None, None, None, doubt)

    if workload.task not in SERVING_TASKS:
        return nothing(Doubt("memory-not-modelled", {"task": workload.task}))
    try:
        architecture = architecture_of(catalog, workload)
    except LibError as error:
        return nothing(Doubt("config", {"reason": error.why}))
    memory = accelerator.memory_usable_gib
    if memory is None:
        return nothing(Doubt("unknown-memory", {}))
    settings = settings_of(workload, choice, accelerator)
    formats = catalog.weight_formats
    total = known_bytes(catalog, workload)
    asked = (workload.weight_format, workload.kv_format)
    try:
        rules = [
            fit.fewest_gpus(
                architecture, accelerator, *asked, workload.context_tokens, workload.concurrency, formats,
                rule=rule, settings=settings, total_bytes=total,
            )
            for rule in ("one-server", "all-layouts")
        ]  # fmt: skip
    except LibError as error:
        return nothing(Doubt("config", {"reason": error.why}))
    return Sized(accelerator, settings, rules[0], rules[1], None, None, None)


@functools.lru_cache(maxsize=256)
def sized(catalog: Catalog, workload: Workload, choice: EngineChoice, accelerator: Accelerator) -> Sized:
    """Fewest GPUs for a workload on a part under both rules, and what the headline replica could hold at most.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    workload : Workload
        Model, formats, tokens and concurrency.
    choice : EngineChoice
        Engine and scheduler.
    accelerator : Accelerator
        The part.

    Returns
    -------
    Sized
        As `replica`, with the longest context and the most sequences of the headline replica.
    """
    found = replica(catalog, workload, choice, accelerator)
    memory, settings = accelerator.memory_usable_gib, found.settings
    layout = found.one_server.layout if found.one_server else None
    if layout is None or settings is None or memory is None:
        return found
    architecture, formats = architecture_of(catalog, workload), catalog.weight_formats
    total = known_bytes(catalog, workload)
    asked = (workload.weight_format, workload.kv_format)
    longest = fit.longest_context(architecture, memory, layout, settings, *asked, workload.concurrency, formats, total)
    held = fit.most_sequences(architecture, memory, layout, settings, *asked, workload.context_tokens, formats, total)
    most = min(held, settings.max_num_seqs * layout.data_parallel_size)  # the scheduler runs no more
    return replace(found, longest_context=longest, most_sequences=most)
