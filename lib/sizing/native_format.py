"""The weight format that a checkpoint was published in, as its config.json tells it."""

from typing import Final

from lib.sizing.config_reader import ConfigReader

UNKNOWN: Final = ""
"""The config does not say enough: weights in the native format are then refused, and a format must be chosen."""

_DTYPES: Final = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
_PACKED: Final = {
    "mxfp4-pack-quantized": "mxfp4",
    "nvfp4-pack-quantized": "nvfp4",
    "mxfp8-quantized": "mxfp8",
    "int-quantized": "int8",
}
_STRATEGIES: Final = {"tensor": "fp8-tensor", "channel": "fp8-channel", "block": "fp8-block128"}
_ALGORITHMS: Final = {"NVFP4": "nvfp4", "FP8": "fp8-tensor", "MXFP8": "mxfp8", "W4A16_AWQ": "int4-g128"}


def native_format(top: ConfigReader, text: ConfigReader) -> str:
    """The word of the published weight format, `a+b` where routed experts are in a and the rest in b, or UNKNOWN.

    Parameters
    ----------
    top : ConfigReader
        The whole config.
    text : ConfigReader
        Its text side; the same where it is not nested.

    Returns
    -------
    str
        A word of weight_formats.csv, two of them joined, or UNKNOWN.

    Raises
    ------
    ConfigError
        A value under quantization_config cannot be what its key says.

    Examples
    --------
    >>> fp8 = ConfigReader({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})
    >>> native_format(fp8, fp8)
    'fp8-block128'
    """
    section = top.section("quantization_config") or text.section("quantization_config")
    if section is None:
        dtype = _first_text(("torch_dtype", "dtype"), (top, text))
        # Engines load a checkpoint that names no type in 16 bit.
        return _DTYPES.get(dtype, UNKNOWN) if dtype else "bf16"
    word = _quantised(section)
    if word != UNKNOWN and text.text("expert_dtype", "") == "fp4":
        return f"mxfp4+{word}"
    return word


def _quantised(section: ConfigReader) -> str:
    method = section.text("quant_method", "")
    if method == "fp8":
        if not section.has("weight_block_size"):
            return "fp8-tensor"
        return "fp8-block128" if section.integers("weight_block_size", length=2) == [128, 128] else UNKNOWN
    if method in ("mxfp4", "mxfp8"):
        return method
    if method in ("awq", "gptq"):
        bits = section.integer("bits", section.integer("w_bit", 0, low=0, high=64), low=0, high=64)
        return _integer_word(bits, section.integer("group_size", section.integer("q_group_size", 0, low=0), low=-1))
    if method == "bitsandbytes":
        if section.flag("load_in_4bit", False) or section.flag("_load_in_4bit", False):
            return "nf4" if section.text("bnb_4bit_quant_type", "") == "nf4" else UNKNOWN
        return "int8" if section.flag("load_in_8bit", False) or section.flag("_load_in_8bit", False) else UNKNOWN
    if method == "modelopt":
        return _ALGORITHMS.get(section.text("quant_algo", ""), UNKNOWN)
    if method == "compressed-tensors":
        return _compressed_tensors(section)
    return UNKNOWN


def _compressed_tensors(section: ConfigReader) -> str:
    packing = section.text("format", "")
    if packing in _PACKED:
        return _PACKED[packing]
    groups = section.section("config_groups")
    group = groups.section("group_0") if groups else None
    weights = group.section("weights") if group else None
    if weights is None:
        return UNKNOWN
    if packing == "float-quantized":
        return _STRATEGIES.get(weights.text("strategy", ""), UNKNOWN)
    if packing == "pack-quantized":
        return _integer_word(weights.integer("num_bits", 0, low=0, high=64), weights.integer("group_size", 0, low=-1))
    return UNKNOWN


def _integer_word(bits: int, group_size: int) -> str:
    if bits == 8:
        return "int8"
    return f"int4-g{group_size}" if bits == 4 and group_size in (32, 128) else UNKNOWN


def _first_text(keys: tuple[str, ...], sections: tuple[ConfigReader, ...]) -> str:
    for section in sections:
        for key in keys:
            if section.has(key):
                return section.text(key)
    return ""
