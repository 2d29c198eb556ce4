"""A config.json may be anything that a user pastes: it is understood, or refused with a sentence that says why."""

import json
import math
import timeit
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.errors import ConfigError
from lib.sizing.architecture import MAX_CONFIG_BYTES, from_config, parse_config, reduced_config

CATALOG = catalog.load()
CONFIGS = {name: model.config for name, model in CATALOG.models.items() if model.config is not None}

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}

HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**15),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.integers(-2, 200), max_size=4),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)


def quickest(call: Callable[[], None]) -> float:
    """Seconds that a call takes when the machine is not busy with something else."""
    return min(timeit.repeat(call, number=1, repeat=3))


def deep(levels: int) -> Any:
    """An object that nests so many levels deep."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def changed(config: Any, path: list[Any], value: Any) -> Any:
    """The config with one value replaced."""
    if not path:
        return value
    copy = dict(config) if isinstance(config, dict) else list(config)
    copy[path[0]] = changed(copy[path[0]], path[1:], value)
    return copy


def paths(config: Any) -> list[list[Any]]:
    """Where each value of a config stands."""
    found: list[list[Any]] = []
    items = config.items() if isinstance(config, dict) else enumerate(config[:2]) if isinstance(config, list) else ()
    for key, value in items:
        found += [[key], *([key, *rest] for rest in paths(value))]
    return found


@pytest.mark.parametrize("key", [key for key in LLAMA if key != "num_key_value_heads"])
def test_a_missing_field_is_named(key):
    """Without one of its fields a Llama config is refused, and the message names the field."""
    with pytest.raises(ConfigError, match=key):
        from_config({name: value for name, value in LLAMA.items() if name != key})


@pytest.mark.parametrize("value", ["4096", -1, 0, 4096.0, 4096.5, math.nan, math.inf, 10**30, True, [4096], {"a": 1}])
def test_a_value_that_is_no_size_is_refused(value):
    """Text, negative, fractional, endless, huge or nested: none of them is a hidden size."""
    with pytest.raises(ConfigError, match="hidden_size"):
        from_config({**LLAMA, "hidden_size": value})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"num_key_value_heads": 5}, "num_key_value_heads"),
        ({"num_attention_heads": 33, "num_key_value_heads": 33}, "attention heads"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings"),
        ({"num_hidden_layers": 100_000}, "num_hidden_layers"),
        ({"model_type": "llama-9000"}, "llama-9000"),
        ({"model_type": ["llama"]}, "model_type"),
    ],
)
def test_values_that_contradict_are_refused(change, named):
    """Heads that do not divide, an unknown family, more layers than any model: refused by name."""
    with pytest.raises(ConfigError, match=named):
        from_config({**LLAMA, **change})


def test_more_experts_per_token_than_experts_are_refused():
    """A token cannot take nine of eight experts."""
    config = {**CONFIGS["mixtral-8x7b"], "num_experts_per_tok": 9}
    with pytest.raises(ConfigError, match="num_experts_per_tok is 9, more than the 8 experts"):
        from_config(config)


def test_layer_types_of_the_wrong_length_are_refused():
    """One kind for each layer, neither more nor fewer."""
    config = {**CONFIGS["gpt-oss-20b"], "layer_types": ["full_attention"]}
    with pytest.raises(ConfigError, match="layer_types has 1 entries for 24 layers"):
        from_config(config)


def test_an_unknown_vision_tower_is_refused_and_the_text_side_still_sized():
    """Parameters of a tower that nobody described are not made up; without the section the model is sized."""
    text_only = CONFIGS["step-3.7-flash"]
    with pytest.raises(ConfigError, match="vision_config: this vision tower is not known"):
        from_config({**text_only, "vision_config": {"hidden_size": 1536}})
    assert from_config(text_only).vision_parameters == 0


def test_a_recurrent_state_of_unstated_width_is_refused():
    """Engines disagree on the width of the state where the config is silent, so it is asked for."""
    config = json.loads(json.dumps(CONFIGS["qwen3.5-27b"]))
    del config["text_config"]["mamba_ssm_dtype"]
    with pytest.raises(ConfigError, match="mamba_ssm_dtype is missing"):
        from_config(config)


@settings(max_examples=60)
@given(st.data())
@pytest.mark.parametrize(
    "name",
    ["llama-3.1-8b", "gemma-4-26b-a4b", "deepseek-v3.2", "deepseek-v4-flash", "qwen3.5-122b-a10b", "kimi-k3",
     "nemotron-3-super-120b-a12b", "minimax-m3", "llama-4-maverick", "mimo-v2-flash", "kimi-k2.5", "mistral-large-3"],
)  # fmt: skip
def test_a_hostile_value_anywhere_is_understood_or_refused(name, data):
    """Whatever stands in place of one value, the answer is a finite architecture or ConfigError, nothing else."""
    config = CONFIGS[name]
    path = data.draw(st.sampled_from(paths(config)))
    try:
        built = from_config(changed(config, path, data.draw(HOSTILE)))
    except ConfigError:
        return
    assert 0 < built.total_parameters < 10**20
    assert all(group.layers > 0 and math.isfinite(group.bytes_per_token_bf16) for group in built.groups)


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=12), HOSTILE, max_size=6))
def test_any_object_is_understood_or_refused(config):
    """Objects that are no configs are refused, and nothing else happens."""
    with pytest.raises(ConfigError):
        from_config(config)


@pytest.mark.parametrize("config", [None, [], "llama", 3, {}])
def test_what_is_no_config_is_refused(config):
    """The function says so instead of failing somewhere inside."""
    with pytest.raises(ConfigError):
        from_config(config)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_reduced_config_describes_the_same_architecture(name):
    """Dropping what sizing does not read changes nothing, and reducing again drops nothing more."""
    reduced = reduced_config(CONFIGS[name])
    assert from_config(reduced, name) == from_config(CONFIGS[name], name)
    assert reduced_config(reduced) == reduced
    assert len(json.dumps(reduced)) <= len(json.dumps(CONFIGS[name]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "twice"),
        ('{"a": NaN}', "NaN"),
        ("[1, 2]", "object"),
        ('"llama"', "object"),
        ("{", "not JSON"),
        ("", "not JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (json.dumps(deep(21)), "deeper than 20"),
        ('{"a": ' * 100_000, "(deeper than 20|bytes)"),
        ("[" * 200_000, "deeper than 20"),
        ('{"a": ' + "9" * 100_000 + "}", "digits"),
        (" " * (MAX_CONFIG_BYTES + 1), "at most 262,144"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_text_that_is_no_config_is_refused_at_once(text, reason):
    """Each refusal says why, and takes less than 100 ms."""

    def refuse() -> None:
        with pytest.raises(ConfigError, match=reason):
            parse_config(text)

    assert quickest(refuse) < 0.1


def test_a_published_file_is_read_with_its_infinity():
    """The Nemotron 3 config holds Infinity in a key that sizing does not read, and a byte order mark does no harm."""
    text = (catalog.DATA / "configs" / "nemotron-3-super-120b-a12b.json").read_text()
    assert "Infinity" in text
    assert parse_config("\ufeff" + text) == parse_config(text.encode())
    assert from_config(parse_config(text)).n_experts == 512


def test_twenty_levels_are_enough():
    """The limit is on the far side of twenty."""
    assert parse_config(json.dumps(deep(20))) == deep(20)


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=300), st.binary(max_size=300)))
def test_any_text_is_parsed_or_refused(text):
    """Whatever is pasted, the answer is an object or ConfigError."""
    try:
        parsed = parse_config(text)
    except ConfigError:
        return
    assert isinstance(parsed, dict)


def test_the_largest_hostile_file_is_refused_in_time():
    """A file just under the limit, full of keys that look right, is answered within 100 ms."""
    layers = 1000
    config = {**LLAMA, "num_hidden_layers": layers, "use_sliding_window": True, "model_type": "qwen2"}
    config["layer_types"] = ["sliding_attention"] * (layers - 1) + ["nonsense"]
    text = json.dumps({**config, **{f"key{number}": number for number in range(10_000)}})
    assert len(text) < MAX_CONFIG_BYTES

    def refuse() -> None:
        with pytest.raises(ConfigError, match="nonsense"):
            from_config(parse_config(text))

    assert quickest(refuse) < 0.1
