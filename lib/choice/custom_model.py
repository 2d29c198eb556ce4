"""A model that the catalogue does not have: its config.json, reduced to what sizing reads, as part of the scenario."""

import json
import re
from typing import Final

from lib.choice.page_choices import TEXT_PATTERN
from lib.choice.scenario import CUSTOM_MODEL, Workload
from lib.errors import ConfigError
from lib.sizing import architecture, weights

MAX_CONFIG_CHARACTERS: Final = 4000
"""What a link carries of a config."""

MAX_NAME_CHARACTERS: Final = 80
FORMAT_IF_UNKNOWN: Final = "bf16"


def custom_workload(workload: Workload, text: str | bytes, name: str = "") -> Workload:
    """The workload with the model of a config.json in place of its own.

    Parameters
    ----------
    workload : Workload
        Whose tokens, concurrency and limits are kept.
    text : str or bytes
        Content of a config.json, from anybody.
    name : str
        What the model is called; its model_type where blank.

    Returns
    -------
    Workload
        With model "custom", the reduced config as compact JSON, and weights in the native format, or bf16 where the
        config does not tell it.

    Raises
    ------
    ConfigError
        If the text is no config that can be sized, or the keys that sizing reads are too long for a link.

    Examples
    --------
    >>> tiny = ('{"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, '
    ...         '"num_attention_heads": 2, "vocab_size": 10, "max_position_embeddings": 64, "transformers_version": "4"}')
    >>> found = custom_workload(Workload(), tiny)
    >>> found.model, found.name, "transformers_version" in found.config
    ('custom', 'llama', False)
    """
    config = architecture.parse_config(text)
    described = architecture.from_config(config, CUSTOM_MODEL)
    compact = json.dumps(architecture.reduced_config(config), separators=(",", ":"))
    if len(compact) > MAX_CONFIG_CHARACTERS:
        raise ConfigError("too-long-for-link", characters=f"{len(compact):,}", most=f"{MAX_CONFIG_CHARACTERS:,}")
    given = " ".join(name.split())[:MAX_NAME_CHARACTERS]
    if not re.match(TEXT_PATTERN, given):
        raise ConfigError("unprintable-name")
    return workload.model_copy(
        update={
            "model": CUSTOM_MODEL,
            "name": given or str(config["model_type"])[:MAX_NAME_CHARACTERS],
            "config": compact,
            "weight_format": weights.NATIVE if described.native_format else FORMAT_IF_UNKNOWN,
        }
    )
