"""Vision towers: how many parameters each kind adds to a model, its projector into the language model included."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from lib.errors import ConfigError
from lib.sizing.config_reader import MAX_COUNT, MAX_LAYERS, ConfigReader


def _linear(inputs: int, outputs: int, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _layers(vision: ConfigReader, *keys: str) -> int:
    for key in keys:
        if vision.has(key):
            return vision.integer(key, high=MAX_LAYERS)
    raise ConfigError("missing", key=vision.where(keys[0]))


def _siglip(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """SigLIP tower and projector of Gemma 3."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    patch, channels = vision.integer("patch_size", high=MAX_COUNT), vision.integer("num_channels", 3, high=64)
    side = vision.integer("image_size", 224, high=MAX_COUNT) // patch
    block = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width
    embedding = _linear(channels * patch * patch, width) + side * side * width
    pooled = 0
    if vision.flag("vision_use_head", True):
        pooled = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 3 * width
    return embedding + _layers(vision, "num_hidden_layers") * block + 2 * width + pooled + width * hidden + width


def _gemma4_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Vision tower and projector of Gemma 4."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    heads, head_dim = vision.integer("num_attention_heads", high=MAX_COUNT), vision.integer("head_dim", high=MAX_COUNT)
    kv_heads = vision.integer("num_key_value_heads", heads, high=MAX_COUNT)
    patch, positions = vision.integer("patch_size", high=MAX_COUNT), vision.integer("position_embedding_size")
    attention = 2 * width * heads * head_dim + 2 * width * kv_heads * head_dim + 2 * head_dim
    block = attention + 3 * width * inner + 4 * width
    return (
        3 * patch * patch * width
        + 2 * positions * width
        + _layers(vision, "num_hidden_layers") * block
        + width * hidden
    )


def _llama4_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Vision tower, pixel-shuffle adapter and projector of Llama 4."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    patch, channels = vision.integer("patch_size", high=MAX_COUNT), vision.integer("num_channels", 3, high=64)
    side = vision.integer("image_size", high=MAX_COUNT) // patch
    block = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width
    embedding = channels * patch * patch * width + (side * side + 1) * width + width + 4 * width
    projected_in, projected_out = vision.integer("projector_input_dim"), vision.integer("projector_output_dim")
    adapter = inner * projected_in + projected_in * projected_out
    projector = vision.integer("vision_output_dim") * hidden
    return embedding + _layers(vision, "num_hidden_layers") * block + adapter + projector


def _pixtral(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Pixtral tower with the patch merger and projector of Mistral 3."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    patch, channels = vision.integer("patch_size", high=MAX_COUNT), vision.integer("num_channels", 3, high=64)
    merge = top.integer("spatial_merge_size", 2, high=64)
    bias = top.flag("multimodal_projector_bias", False)
    block = 4 * width * width + 3 * width * inner + 2 * width
    projector = width + merge * merge * width * width + _linear(width, hidden, bias) + _linear(hidden, hidden, bias)
    return channels * patch * patch * width + width + _layers(vision, "num_hidden_layers") * block + projector


def _qwen2_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Vision tower and merger of Qwen2-VL."""
    width = vision.integer("embed_dim")
    inner = width * vision.integer("mlp_ratio", 4, high=64)
    block = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width
    merged = width * vision.integer("spatial_merge_size", 2, high=64) ** 2
    merger = 2 * width + _linear(merged, merged) + _linear(merged, vision.integer("hidden_size"))
    return _patches(vision) * width + _layers(vision, "depth") * block + merger


def _qwen2_5_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Vision tower and merger of Qwen2.5-VL."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    block = 4 * _linear(width, width) + 2 * _linear(width, inner) + _linear(inner, width) + 2 * width
    merged = width * vision.integer("spatial_merge_size", 2, high=64) ** 2
    merger = width + _linear(merged, merged) + _linear(merged, vision.integer("out_hidden_size", hidden))
    return _patches(vision) * width + _layers(vision, "depth") * block + merger


def _qwen3_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """Vision tower of Qwen3-VL, Qwen3.5 and 3.6, with its merger and one more for each deep-stack layer."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    block = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width
    merged = width * vision.integer("spatial_merge_size", 2, high=64) ** 2
    projection = _linear(merged, merged) + _linear(merged, vision.integer("out_hidden_size"))
    deep = vision.integers("deepstack_visual_indexes") if vision.has("deepstack_visual_indexes") else []
    mergers = projection + 2 * width + len(deep) * (projection + 2 * merged)
    positions = vision.integer("num_position_embeddings") * width
    return _patches(vision) * width + width + positions + _layers(vision, "depth") * block + mergers


def _moonvit(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """MoonViT of Kimi K2.5 and its successors (biases, layer norms) and of Kimi K3 (neither of both)."""
    width, inner = vision.integer("vt_hidden_size"), vision.integer("vt_intermediate_size")
    queries = vision.integer("qkv_hidden_size", width)
    patch = vision.integer("patch_size", high=MAX_COUNT)
    gains_only = vision.text("norm_type", "layernorm") == "rmsnorm"
    norm = 1 if gains_only else 2
    attention_bias, linear_bias = vision.flag("attn_bias", True), vision.flag("linear_bias", True)
    block = (
        _linear(width, 3 * queries, attention_bias)
        + _linear(queries, width, attention_bias)
        + _linear(width, inner, linear_bias)
        + _linear(inner, width, linear_bias)
        + 2 * norm * width
    )
    grid = vision.integer("init_pos_emb_height", high=MAX_COUNT) * vision.integer("init_pos_emb_width", high=MAX_COUNT)
    embedding = _linear(3 * patch * patch, width, vision.flag("patch_embed_proj_bias", True)) + grid * width
    merge = vision.integers("merge_kernel_size", length=2, low=1, high=64)
    merged = vision.integer("mm_hidden_size", width) * merge[0] * merge[1]
    kind = vision.text("mm_projector_type")
    if kind == "patchmerger":
        projector = 2 * width + _linear(merged, merged) + _linear(merged, hidden)
    elif kind == "patchmergerv2":
        projector = merged * merged + merged * hidden + hidden
    else:
        raise vision.unknown_word("mm_projector_type", kind, ("patchmerger", "patchmergerv2"))
    return embedding + _layers(vision, "vt_num_hidden_layers") * block + norm * width + projector


def _minimax_vision(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """CLIP-like tower, projector and patch merger of MiniMax-M3."""
    width, inner = vision.integer("hidden_size"), vision.integer("intermediate_size")
    patch, channels = vision.integer("patch_size", high=MAX_COUNT), vision.integer("num_channels", 3, high=64)
    compression = vision.section("img_token_compression_config")
    if compression is None:
        raise ConfigError("missing", key=vision.where("img_token_compression_config"))
    frames = compression.integer("temporal_patch_size", high=64)
    merge = compression.integer("spatial_merge_size", high=64)
    block = 4 * _linear(width, width) + _linear(width, inner) + _linear(inner, width) + 4 * width
    bias = top.flag("multimodal_projector_bias", True)
    middle = top.integer("projector_hidden_size", hidden)
    projector = _linear(width, middle, bias) + _linear(middle, hidden, bias)
    merger = _linear(hidden * merge * merge, middle, bias) + _linear(middle, hidden, bias)
    embedding = channels * frames * patch * patch * width
    return embedding + 2 * width + _layers(vision, "num_hidden_layers") * block + projector + merger


def _patches(vision: ConfigReader) -> int:
    """Values of one patch of a picture or clip."""
    channels = vision.integer("in_channels", vision.integer("in_chans", 3, high=64), high=64)
    return (
        channels * vision.integer("temporal_patch_size", 2, high=64) * vision.integer("patch_size", high=MAX_COUNT) ** 2
    )


def _unknown_tower(vision: ConfigReader, top: ConfigReader, hidden: int) -> int:
    """A tower that no published description lets us count: refused."""
    section = vision.where("").rstrip(".")
    raise ConfigError("unknown-tower", key=section)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A model_type that wraps a text side: the text's own model_type where it states none, and its vision tower."""

    text_type: str
    tower: Callable[[ConfigReader, ConfigReader, int], int]


WRAPPERS: Final[Mapping[str, Wrapper]] = {
    "gemma3": Wrapper("gemma3_text", _siglip),
    "gemma4": Wrapper("gemma4_text", _gemma4_vision),
    "kimi_k25": Wrapper("kimi_k2", _moonvit),
    "kimi_k3": Wrapper("kimi_linear", _moonvit),
    "llama4": Wrapper("llama4_text", _llama4_vision),
    "minimax_m3_vl": Wrapper("minimax_m3_text", _minimax_vision),
    "mistral3": Wrapper("mistral", _pixtral),
    "qwen2_vl": Wrapper("qwen2_vl_text", _qwen2_vision),
    "qwen2_5_vl": Wrapper("qwen2_5_vl_text", _qwen2_5_vision),
    "qwen3_vl": Wrapper("qwen3_vl_text", _qwen3_vision),
    "qwen3_vl_moe": Wrapper("qwen3_vl_moe_text", _qwen3_vision),
    "qwen3_5": Wrapper("qwen3_5_text", _qwen3_vision),
    "qwen3_5_moe": Wrapper("qwen3_5_moe_text", _qwen3_vision),
    "step3p7": Wrapper("step3p5", _unknown_tower),
}
"""Vision-language models by model_type."""
