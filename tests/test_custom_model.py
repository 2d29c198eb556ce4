"""A config.json becomes the scenario's model, or is refused with its reason."""

import json
from pathlib import Path

import pytest

from lib import catalog
from lib.choice import link, presets
from lib.choice.custom_model import MAX_CONFIG_CHARACTERS, custom_workload
from lib.choice.memory_view import model_memory
from lib.choice.scenario import CUSTOM_MODEL, Workload, changed
from lib.errors import ConfigError

CONFIGS = Path(__file__).resolve().parent / "data" / "configs"
FACTS = catalog.load()
LOAD = Workload(input_tokens=131_000, output_tokens=72, weight_format="int8", kv_format="bf16", concurrency=3)
TINY = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 320, "max_position_embeddings": 4096,
}  # fmt: skip


def text(**more: object) -> str:
    """A tiny config with more keys."""
    return json.dumps({**TINY, **more})


@pytest.mark.parametrize(
    ("file", "kept_layers", "bytes_per_token"),
    [
        ("gemma3_27b_sparse_config.json", [10, 52], 85_248),
        ("qwen3_head_dim.json", [94], 192_512),
    ],
)
def test_configs_that_calculators_get_wrong_give_their_cache(
    file: str, kept_layers: list[int], bytes_per_token: int
) -> None:
    """Ten full and 52 windowed layers of Gemma 3, the head dimension of Qwen3: exact bytes at 131,072 tokens, 16 bit."""
    found = custom_workload(LOAD, (CONFIGS / file).read_bytes())
    model = model_memory(FACTS, found)
    assert model.architecture is not None
    assert [group.layers for group in model.architecture.groups] == kept_layers
    assert model.cache_bytes_per_token == bytes_per_token


def test_the_load_is_kept_and_the_format_is_the_configs_own() -> None:
    """Tokens and concurrency stay; weights are native; the model carries its type where it has no name."""
    found = custom_workload(LOAD, text(torch_dtype="bfloat16"))
    assert (found.model, found.name, found.weight_format) == (CUSTOM_MODEL, "llama", "native")
    assert (found.context_tokens, found.concurrency, found.kv_format) == (131_072, 3, "bf16")


def test_an_unknown_format_becomes_sixteen_bit() -> None:
    """A quantisation that nobody knows: bf16 is taken, and the record says so in its format."""
    found = custom_workload(LOAD, text(quantization_config={"quant_method": "never-seen"}), "  My \n model ")
    assert (found.weight_format, found.name) == ("bf16", "My model")


def test_a_custom_model_travels_in_a_link() -> None:
    """Encoded and decoded again it is the same scenario, with keys that sizing does not read left out."""
    base = presets.preset(FACTS, "serve-70b")
    found = custom_workload(base.workloads[0], text(auto_map={"x": "y" * 3000}))
    scenario = changed(base, ("workloads", 0), found.model_dump())
    assert link.decode(link.encode(scenario)) == scenario
    assert "auto_map" not in scenario.workloads[0].config


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (b"\xff\xfe\x00", "UTF-8"),
        ("", "not JSON"),
        ("[1, 2]", "object"),
        ("[" * 100_000, "nests"),
        ('{"a": ' * 30 + "1" + "}" * 30, "nests"),
        ("{" + " " * 300_000 + "}", "bytes"),
        ('{"model_type": "llama", "model_type": "qwen2"}', "twice"),
        (json.dumps({**TINY, "model_type": "<script>"}), "not known"),
        (json.dumps({**TINY, "num_hidden_layers": 10**9}), "num_hidden_layers"),
        (json.dumps({**TINY, "hidden_size": "64"}), "hidden_size"),
        (json.dumps({"model_type": "llama"}), "missing"),
    ],
)
def test_a_hostile_or_broken_file_is_refused_with_its_reason(wrong: str | bytes, reason: str) -> None:
    """Whatever the file is, one exception with one sentence."""
    with pytest.raises(ConfigError, match=reason):
        custom_workload(LOAD, wrong)


def test_a_config_too_long_for_a_link_is_refused_with_the_limit() -> None:
    """A model whose every layer differs does not travel; the sentence names both lengths."""
    config = FACTS.models["nemotron-super-49b"].config
    with pytest.raises(ConfigError, match=f"{MAX_CONFIG_CHARACTERS:,}"):
        custom_workload(LOAD, json.dumps(config))


def test_a_broken_config_in_a_link_is_a_reason_and_no_crash() -> None:
    """A stranger's link may carry anything as config; the model then has no size and says why."""
    for config in ("not json", "[" * 3000, '{"model_type": 7}', "{}"):
        model = model_memory(FACTS, LOAD.model_copy(update={"model": CUSTOM_MODEL, "config": config}))
        assert model.architecture is None
        assert model.reason
