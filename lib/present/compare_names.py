"""Inputs of a scenario in words: what they are called, and their values."""

from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.own_parts import is_own
from lib.choice.scenario import CUSTOM_MODEL
from lib.choice.scenario_inputs import OPTIONS, Group, Input
from lib.present import names
from lib.present.cost_changes import candidate_name
from lib.present.cost_names import field_name, field_value
from lib.present.measured_words import model_name
from lib.present.recommend_figures import metric_name
from lib.present.recommend_words import amount
from lib.present.text import Words
from lib.records import Accelerator

_FRACTIONS: Final = ("target_load", "software_weight", "evidence_weight", "gpu_memory_utilization")
_SHOWN_OF_CONFIG: Final = 40


def group_name(group: Group, catalog: Catalog, _: Words) -> str:
    """A group of inputs by the names of those that differ.

    Parameters
    ----------
    group : Group
        The group.
    catalog : Catalog
        For names of parts; with the parts that either scenario states.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "Concurrent sequences", "MI300X, buy: Price of a GPU", "Options: MI325X, buy".
    """
    if group.key == OPTIONS:
        found = [_option(one, catalog, _) for one in group.inputs]
        return _("Options: {list}", list="; ".join(found))
    if group.key == "constraints.gpus":
        return _("GPU cap")
    candidate = group.inputs[0].candidate
    listed = ", ".join(input_name(one.field, _) for one in group.inputs)
    return listed if candidate is None else f"{candidate_name(candidate, catalog, _)}: {listed}"


def _option(one: Input, catalog: Catalog, _: Words) -> str:
    if one.candidate is None:
        return ""
    name = candidate_name(one.candidate, catalog, _)
    part = catalog.accelerator(one.candidate.accelerator)
    return f"{name} ({_own_figures(part, catalog, _)})" if is_own(part.accelerator_id) else name


def _own_figures(part: Accelerator, catalog: Catalog, _: Words) -> str:
    """What tells an own part from another of its name: the figures that differ, else its memory."""
    shown = {
        "memory_runtime_gib": "{n} GiB", "memory_bandwidth_tbs": "{n} TB/s", "fp16_bf16_dense_tflops": "FP16 {n} TFLOPS",
        "fp8_dense_tflops": "FP8 {n} TFLOPS", "fp4_dense_tflops": "FP4 {n} TFLOPS", "interconnect_gbs": "{n} GB/s",
        "tdp_w": "{n} W", "gpus_per_node": _("{n} GPUs in a server"), "vendor": "{n}",
    }  # fmt: skip
    namesakes = [one for one in catalog.accelerators.values() if is_own(one.accelerator_id) and one.name == part.name]
    differing = [name for name in shown if len({getattr(one, name) for one in namesakes}) > 1]
    stated = catalog.stated_server_kw
    powers = len({stated.get(one.accelerator_id) for one in namesakes}) > 1
    texts = []
    for name in differing or ([] if powers else ["memory_runtime_gib"]):
        value = getattr(part, name)
        texts.append(shown[name].format(n="?" if value in (None, "") else value if name == "vendor" else amount(value)))
    if powers:
        kw = stated.get(part.accelerator_id)
        texts.append(_("{n} kW a server", n="?" if kw is None else amount(kw)))
    return ", ".join(texts)


def group_values(group: Group, catalog: Catalog, _: Words) -> tuple[str, str]:
    """What a group of inputs is in your scenario and in the other.

    Parameters
    ----------
    group : Group
        The group.
    catalog : Catalog
        For names of parts and models.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of str
        Plain text, not Markdown.
    """
    if group.key == OPTIONS:
        mine = [_option(one, catalog, _) for one in group.inputs if one.yours]
        theirs = [_option(one, catalog, _) for one in group.inputs if one.other]
        return "; ".join(mine) or "–", "; ".join(theirs) or "–"
    sides = ([one.yours for one in group.inputs], [one.other for one in group.inputs])
    texts = [
        "; ".join(_value(one.field, value, catalog, _) for one, value in zip(group.inputs, side, strict=True))
        for side in sides
    ]
    return texts[0], texts[1]


def _value(field: str, value: Any, catalog: Catalog, _: Words) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None:
        return _("not stated")
    match field:
        case "model":
            return _("Custom model (config.json)") if value == CUSTOM_MODEL else model_name(catalog, value, _)
        case "config":
            return value[:_SHOWN_OF_CONFIG] or _("not stated")
        case "weight_format":
            return names.weight_format(value, _)
        case "task":
            return names.task(value, _)
        case "engine":
            return names.engine(value)
        case "metric":
            return metric_name(value, _)
        case "price_source":
            return price_source(value, _)
        case "software":
            return ", ".join(value) or _("No requirement")
        case "bridge_part":
            return catalog.accelerators[value].short_name if value in catalog.accelerators else str(value)
    if field in _FRACTIONS:
        return f"{_.number(value, 9)}"
    if isinstance(value, int | float) and field in _words(_):
        return amount(value)
    return field_value(field, value, _)


def price_source(word: str, _: Words) -> str:
    """Whose price an option has.

    Parameters
    ----------
    word : str
        As the record has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "article A1", "your own", "catalogue".
    """
    if word.startswith("article"):
        return _("article {letter}", letter=word.removeprefix("article-").upper())
    return _("your own") if word == "own" else _("catalogue")


def input_name(field: str, _: Words) -> str:
    """A field of the scenario in the reader's words.

    Parameters
    ----------
    field : str
        As the record has it.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        The field itself where nobody has written its words.
    """
    return _words(_).get(field) or field_name(field, _)


def _words(_: Words) -> dict[str, str]:
    return {**_of_workload(_), **_of_training(_), **_of_the_rest(_)}


def _of_workload(_: Words) -> dict[str, str]:
    return {
        "task": _("Task"),
        "model": _("Model"),
        "config": _("config.json of the model"),
        "weight_format": _("Weight format"),
        "kv_format": _("Cache format"),
        "input_tokens": _("Input tokens"),
        "output_tokens": _("Output tokens"),
        "concurrency": _("Concurrent sequences"),
        "shared_prefix_tokens": _("Shared prefix, tokens"),
        "draft_layers": _("Drafts with the model's own layers"),
        "max_model_len": _("Longest context, tokens"),
        "request_rate_per_s": _("Requests per second"),
        "peak_factor": _("Peak over average"),
        "spare_replicas": _("Spare replicas"),
        "ttft_limit_ms": _("TTFT limit, ms"),
        "tpot_limit_ms": _("TPOT limit, ms"),
        "stated_output_tokens_per_hour": _("Output tokens an hour"),
        "output_weight": _("Output token in input tokens"),
        "users_per_sequence": _("Users per sequence"),
    }


def _of_training(_: Words) -> dict[str, str]:
    return {
        "training_method": _("Method"),
        "training_gpus": _("GPUs of the run"),
        "training_gpu_hours": _("GPU-hours of a training run"),
        "zero_stage": _("Sharding"),
        "accounting": _("Accounting of the states"),
        "tensor_parallel_size": _("Tensor parallel size"),
        "pipeline_parallel_size": _("Pipeline stages"),
        "expert_parallel_size": _("Expert parallel size"),
        "sequence_parallel": _("Sequence parallel"),
        "recompute": _("Recomputation"),
        "offload": _("In the host's memory"),
        "optimizer": _("Optimizer"),
        "micro_batch": _("Micro-batch"),
        "lora_rank": _("Rank of the adapters"),
        "lora_targets": _("Adapters on"),
        "double_quantisation": _("Double quantisation"),
    }


def _of_the_rest(_: Words) -> dict[str, str]:
    return {
        "engine": _("Engine"),
        "gpu_memory_utilization": _("GPU memory utilization"),
        "max_num_batched_tokens": _("Max batched tokens"),
        "max_num_seqs": _("Max number of sequences"),
        "sampler": _("Sampler"),
        "decode_context_parallel_size": _("Decode context parallel size"),
        "online_quantization": _("Quantised while loading"),
        "price_source": _("Source of the price"),
        "throughput_factor": _("Throughput, x the estimate"),
        "software": _("Software that must run"),
        "power_kw": _("Power cap, kW"),
        "gpus": _("GPUs"),
        "deadline": _("Deadline"),
        "metric": _("Measured by"),
        "target_load": _("Load at the peak, of what the fleet can do"),
        "software_weight": _("Software risk is worth"),
        "evidence_weight": _("Thin evidence is worth"),
    }
