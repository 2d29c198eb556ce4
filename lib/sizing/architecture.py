"""From a model's config.json, or its rows in the tables, to what sizing needs: layer groups and parameter blocks."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lib.errors import ConfigError
from lib.records import Architecture, Model
from lib.sizing.config_reader import ConfigReader, Path, shown
from lib.sizing.families import compressed, grouped, latent, mixed, recurrent, stated
from lib.sizing.families.parts import Anatomy, Family
from lib.sizing.families.vision import WRAPPERS
from lib.sizing.native_format import native_format
from lib.units import KIB

MAX_CONFIG_BYTES: Final = 256 * KIB
MAX_CONFIG_DEPTH: Final = 20


_FAMILIES: Final[Mapping[str, Family]] = {
    **grouped.FAMILIES,
    **mixed.FAMILIES,
    **latent.FAMILIES,
    **compressed.FAMILIES,
    **recurrent.FAMILIES,
    **stated.FAMILIES,
}


def from_config(config: Mapping[str, Any], model_id: str = "custom", name: str = "") -> Architecture:
    """The architecture that a Hugging Face config.json describes, exact to the last parameter for the families known.

    Parameters
    ----------
    config : Mapping[str, Any]
        The parsed file. A vision-language model may nest its text side in `text_config`, or not.
    model_id : str
        Id of the result.
    name : str
        Name of the result; the id where blank.

    Returns
    -------
    Architecture
        Layer groups (what is cached) and parameter blocks (what is stored, and how engines share it out).

    Raises
    ------
    ConfigError
        The model_type is not known, a field is missing, or a value cannot be what its key says. Nothing is guessed:
        where a field is absent, only the default of the family's own configuration class may stand in.

    Notes
    -----
    Parameters equal a build of the model on empty tensors. Draft layers (multi-token prediction) are blocks of their
    own and not in the total; buffers such as a router's selection bias are not counted.

    References
    ----------
    Configuration and modelling classes of huggingface/transformers and vllm-project/vllm, by family.

    Examples
    --------
    DeepSeek-V3 with the config it was published with has 671,026,404,352 parameters in its language model; a small
    Llama of the same form, by hand:

    >>> tiny = {"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
    ...         "num_attention_heads": 2, "vocab_size": 10, "max_position_embeddings": 64}
    >>> from_config(tiny).total_parameters == 2 * 10 * 8 + 4 * 8 * 8 + 3 * 8 * 16 + 3 * 8
    True
    """
    return _read(config, model_id, name)[0]


def of_model(model: Model) -> Architecture:
    """The architecture of a catalogue row: blocks from its config, layer groups and totals from the table.

    Parameters
    ----------
    model : Model
        A row of models.csv with its layer groups and config.

    Returns
    -------
    Architecture
        As from_config, with the table's groups, context and native format in the first place.

    Raises
    ------
    ConfigError
        The row has no config of a language model: its memory is not modelled.
    """
    if model.config is None:
        raise ConfigError("no-config", model=model.model_id)
    described = from_config(model.config, model.model_id, model.name)
    stated = model.native_format
    finer = described.native_format.split("+")[0] == stated
    return replace(
        described,
        groups=model.groups or described.groups,
        max_context=model.max_context or described.max_context,
        native_format=described.native_format if finer or not stated else stated,
    )


def reduced_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with only the keys that sizing reads, so that it travels in a link; the architecture stays the same.

    Parameters
    ----------
    config : Mapping[str, Any]
        As for from_config.

    Returns
    -------
    dict[str, Any]
        A new, smaller config.

    Raises
    ------
    ConfigError
        As from_config.
    """
    _, read = _read(config, "", "")
    reduced = _reduced(config, (), read)
    if not isinstance(reduced, dict):
        raise ConfigError("no-object")
    return reduced


def parse_config(text: str | bytes) -> dict[str, Any]:
    """The object in the text of a config.json, or ConfigError within milliseconds whatever the text is.

    Parameters
    ----------
    text : str | bytes
        Content of the file; bytes are UTF-8.

    Returns
    -------
    dict[str, Any]
        The object, unchecked but for its form.

    Raises
    ------
    ConfigError
        Over 256 KiB, not UTF-8, not JSON, not an object, nested over 20 deep, a key twice in one object, or NaN.

    Notes
    -----
    Infinity is let through although JSON has no such number: published configs hold it, in keys that sizing does not
    read.
    """
    try:
        raw = text.encode() if isinstance(text, str) else bytes(text)
        if len(raw) > MAX_CONFIG_BYTES:
            raise ConfigError("too-large", bytes=f"{len(raw):,}", most=f"{MAX_CONFIG_BYTES:,}")
        parsed = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_unique_keys, parse_constant=_constant)
    except RecursionError:
        raise ConfigError("too-deep", levels=MAX_CONFIG_DEPTH) from None
    except UnicodeError:
        raise ConfigError("not-utf8") from None
    except json.JSONDecodeError as error:
        raise ConfigError("not-json", line=error.lineno, column=error.colno) from None
    except ConfigError:
        raise
    except ValueError:
        raise ConfigError("too-many-digits") from None
    if not isinstance(parsed, dict):
        raise ConfigError("no-object")
    _check_depth(parsed)
    return parsed


def _read(config: Mapping[str, Any], model_id: str, name: str) -> tuple[Architecture, set[Path]]:
    if not isinstance(config, Mapping):
        raise ConfigError("no-object")
    top = ConfigReader(config)
    model_type = top.text("model_type")
    wrapper = WRAPPERS.get(model_type)
    nested = top.section("text_config") if wrapper else None
    text = nested or top
    text_type = (
        model_type if wrapper is None else nested.text("model_type", wrapper.text_type) if nested else wrapper.text_type
    )
    family = _FAMILIES.get(text_type)
    if family is None:
        known = ", ".join(sorted({*_FAMILIES, *WRAPPERS}))
        raise ConfigError("unknown-family", value=shown(text_type), known=known)
    tied = top.flag("tie_word_embeddings", text.flag("tie_word_embeddings", family.tied))
    anatomy = family.build(text, tied)
    tower = top.section("vision_config") if wrapper else None
    if wrapper and tower:
        anatomy.ledger.prefix = ""
        anatomy.ledger.add("vision", wrapper.tower(tower, top, anatomy.ledger.hidden_size))
    return _architecture(anatomy, native_format(top, text), model_id, name), top.read


def _architecture(anatomy: Anatomy, native: str, model_id: str, name: str) -> Architecture:
    blocks, experts = anatomy.ledger.blocks(), anatomy.experts
    main = [block for block in blocks if not block.is_draft]
    total = sum(block.parameters for block in main)
    vision_parameters = sum(block.parameters for block in main if block.component == "vision")
    routed = sum(block.parameters for block in main if block.component == "routed_experts")
    idle = routed * (experts.count - experts.top_k) // experts.count if experts.count else 0
    hidden = anatomy.ledger.hidden_size
    return Architecture(
        model_id=model_id,
        name=name or model_id,
        layers=anatomy.ledger.layers,
        hidden_size=hidden,
        intermediate_size=experts.dense_width or experts.width,
        n_heads=anatomy.heads,
        n_kv_heads=anatomy.kv_heads,
        vocab=anatomy.vocab,
        n_experts=experts.count,
        experts_per_token=experts.top_k,
        n_shared_experts=experts.shared,
        moe_intermediate_size=experts.width,
        max_context=anatomy.context,
        native_format=native,
        groups=anatomy.ledger.groups(),
        blocks=blocks,
        total_parameters=total,
        active_parameters=total - vision_parameters - idle,
        vision_parameters=vision_parameters,
        mtp_parameters=sum(
            block.parameters for block in blocks if block.is_draft and block.component not in ("embedding", "lm_head")
        ),
        tied_embeddings=anatomy.tied,
        expert_hidden_size=(anatomy.expert_hidden_size or hidden) if experts.count else 0,
    )


def _reduced(value: Any, path: Path, read: set[Path]) -> Any:
    """The value with only what was read below it; whole where it was itself read."""
    if path in read:
        return value
    if isinstance(value, Mapping):
        kept = {key: _reduced(item, (*path, key), read) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not _NOTHING} or _NOTHING
    if isinstance(value, list | tuple):
        kept_items = [_reduced(item, (*path, index), read) for index, item in enumerate(value)]
        if all(item is _NOTHING for item in kept_items):
            return _NOTHING
        return [{} if item is _NOTHING else item for item in kept_items]
    return _NOTHING


_NOTHING: Final = object()


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise ConfigError("key-twice", key=shown(twice))
    return unique


def _constant(word: str) -> float:
    if word == "NaN":
        raise ConfigError("nan")
    return float(word)


def _check_depth(parsed: dict[str, Any]) -> None:
    """Breadth first, so that the check itself cannot run out of stack."""
    level: list[Any] = [parsed]
    for _ in range(MAX_CONFIG_DEPTH):
        level = [
            item
            for holder in level
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise ConfigError("too-deep", levels=MAX_CONFIG_DEPTH)
