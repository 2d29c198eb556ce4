"""Layers that the user states: what the catalogue's models hold comes out of the form again, and nonsense is refused."""

import json
from typing import Any

import pytest

from lib import catalog
from lib.choice.custom_model import custom_workload
from lib.choice.own_layers import as_fields, as_groups, stated_config
from lib.choice.scenario import EngineChoice, Workload
from lib.choice.sized import sized
from lib.errors import ConfigError
from lib.sizing import kv_cache
from lib.sizing.architecture import from_config, of_model, parse_config

FACTS = catalog.load()
MODELS = [name for name, model in FACTS.models.items() if model.config is not None]

SMALL: dict[str, Any] = {
    "model_type": "stated_layers", "total_parameters": 1_000_000, "num_hidden_layers": 4, "hidden_size": 64,
    "intermediate_size": 256, "num_attention_heads": 4, "vocab_size": 320, "max_position_embeddings": 4096,
    "layer_groups": [{"kind": "full", "layers": 4, "bytes_per_token": 256, "max_tp_shards": 4}],
}  # fmt: skip


@pytest.mark.parametrize("model_id", MODELS)
def test_a_known_model_comes_out_of_the_form_as_it_went_in(model_id: str) -> None:
    """Parameters to the last one, and the same cache at 4,096 tokens on one and on eight ranks."""
    model = of_model(FACTS.model(model_id))
    text = stated_config(as_fields(model), as_groups(model), tied=model.tied_embeddings)
    again = from_config(parse_config(text))
    assert again.total_parameters == model.total_parameters - model.vision_parameters
    for ranks in (1, 8):
        expected = kv_cache.bytes_per_sequence(model.groups, 4096, "bf16", ranks)
        assert kv_cache.bytes_per_sequence(again.groups, 4096, "bf16", ranks) == pytest.approx(expected, rel=1e-9)


def test_a_stated_model_is_sized_like_any_other() -> None:
    """Llama 3.3 70B as stated needs the GPUs of Llama 3.3 70B."""
    model = of_model(FACTS.model("llama-3.3-70b"))
    text = stated_config(as_fields(model), as_groups(model), tied=False)
    stated = custom_workload(Workload(), text, "My 70B")
    for part in ("mi300x", "h100-sxm"):
        accelerator = FACTS.accelerator(part)
        engine = EngineChoice()
        assert sized(FACTS, stated, engine, accelerator).gpus == sized(FACTS, Workload(), engine, accelerator).gpus


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"total_parameters": 1000}, "less than embedding"),
        ({"layer_groups": []}, "cover 0 of 4"),
        ({"layer_groups": [{"kind": "full", "layers": 3, "bytes_per_token": 1}]}, "cover 3 of 4"),
        ({"layer_groups": [{"kind": "full", "layers": 5, "bytes_per_token": 1}]}, "layers"),
        ({"layer_groups": [{"kind": "full", "layers": 4}]}, "bytes_per_token is missing"),
        ({"layer_groups": [{"kind": "window", "layers": 4, "bytes_per_token": 8}]}, "window is missing"),
        ({"layer_groups": [{"kind": "state", "layers": 4}]}, "state_bytes is missing"),
        ({"layer_groups": [{"kind": "magic", "layers": 4}]}, "known are"),
        ({"layer_groups": [{"kind": "none", "layers": 1}] * 13}, "at most 12"),
        ({"num_experts": 8}, "num_experts_per_tok"),
        ({"total_parameters": 10**15}, "total_parameters"),
        ({"hidden_size": None}, "hidden_size"),
    ],
)
def test_what_cannot_be_a_model_is_refused_with_its_reason(change: dict[str, Any], says: str) -> None:
    """The message names the key."""
    with pytest.raises(ConfigError, match=says):
        from_config(parse_config(json.dumps({**SMALL, **change})))
