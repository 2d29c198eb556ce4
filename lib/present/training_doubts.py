"""Reservations about training memory as sentences, and the change that would make a run fit."""

from collections.abc import Mapping
from typing import Any

from lib.present.text import Words, markdown_safe


def sentence(code: str, values: Mapping[str, Any], _: Words) -> str:
    """A doubt about training memory as one sentence with its figures.

    Parameters
    ----------
    code : str
        Of the doubt.
    values : mapping of str to Any
        Of the doubt.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty for a code of another room.
    """
    for room in (_verdict, _change, _estimate, _setup):
        if text := room(code, values, _):
            return text
    return ""


def _verdict(code: str, values: Mapping[str, Any], _: Words) -> str:
    """Why a run does not fit, or fits only if."""
    match code:
        case "training-states":
            return _(
                "Weights, gradients, optimizer and the layer in work alone are {gib} over the memory.",
                gib=_.gib(values["short_gib"]),
            )
        case "training-tokens":
            return _("Activations and logits find too little room: {gib} are missing.", gib=_.gib(values["short_gib"]))
        case "training-tight":
            return _(
                "It fits as expected; at the high end of the band, and with what PyTorch itself takes, {gib} are missing.",
                gib=_.gib(values["short_gib"]),
            )
        case "training-over-limit":
            return _(
                "One copy of the model alone spans {n} GPUs, more than the {most} that may be had.",
                n=values["model_gpus"],
                most=values["most_gpus"],
            )
        case "training-run-size":
            return _(
                "The {n} GPUs of the run are no multiple of the {size} that one copy of the model spans.",
                n=values["gpus"],
                size=values["model_gpus"],
            )
    return ""


def _change(code: str, values: Mapping[str, Any], _: Words) -> str:
    """The cheapest change that makes a run fit."""
    match code:
        case "change-zero":
            return _("It fits with ZeRO stage {stage}.", stage=values["stage"])
        case "change-sequence-parallel":
            return _("It fits with sequence parallelism.")
        case "change-tensor-parallel":
            return _("It fits with tensor and sequence parallelism over {n} GPUs.", n=values["size"])
        case "change-micro-batch":
            return _.count(
                "It fits with micro-batches of {n} sequence.",
                "It fits with micro-batches of {n} sequences.",
                values["sequences"],
            )
        case "change-recompute":
            if values["mode"] == "selective":
                return _("It fits with attention scores recomputed (FlashAttention).")
            return _("It fits with whole layers recomputed, about a third more arithmetic.")
        case "change-offload":
            if values["what"] == "optimizer":
                return _("It fits with the optimizer in the host's memory.")
            return _("It fits with ZeRO stage 3 and all states in the host's memory.")
        case "change-lora":
            return _("It fits as LoRA of rank {n}.", n=values["rank"])
        case "change-qlora":
            return _("It fits as QLoRA of rank {n}.", n=values["rank"])
        case "change-sequence":
            return _("It fits with sequences of {n} tokens.", n=_.number(values["tokens"], 9))
        case "no-training-change":
            return _("No single change of setup or length makes it fit on so many GPUs.")
    return ""


def _estimate(code: str, values: Mapping[str, Any], _: Words) -> str:
    """What an estimate of the activations rests on."""
    match code:
        case "training-workspace-not-modelled":
            return _(
                "What CUDA or ROCm, the communication library and the allocator take is not in the sums. PyTorch alone takes "
                "{low}–{high} GB before the first tensor, as one source reports: a run fits for certain only with that much left.",
                low=_.number(values["low_gb"]),
                high=_.number(values["high_gb"]),
            )
        case "activation-band":
            return _(
                "Activations are an estimate: {low} bytes per token, hidden value and layer in the published form, {base} with "
                "every tensor of the feed-forward width kept, {high} as far above that form as one measured layer of Llama 3.1 8B.",
                low=_.number(values["low"]),
                base=_.number(values["base"]),
                high=_.number(values["high"]),
            )
        case "activation-grouped-query":
            return _(
                "The published form counts keys and values for each of {heads} heads; the model has {kv_heads} of them and keeps less.",
                heads=values["heads"],
                kv_heads=values["kv_heads"],
            )
        case "activation-other-attention":
            return _("The form was not derived for latent, compressed or recurrent attention: it may be far off here.")
        case "activation-experts":
            return _(
                "Each token is taken to be copied to {n} experts that are evenly loaded; uneven routing needs more.",
                n=values["top_k"],
            )
        case "activation-vision":
            return _("Activations of the vision tower are not counted.")
    return ""


def _setup(code: str, values: Mapping[str, Any], _: Words) -> str:
    """What a setup presumes."""
    match code:
        case "adapters-latent":
            return _("Adapters inside latent attention are left out where the sides of a matrix are not known.")
        case "adapters-experts":
            return _("Routed experts get no adapters.")
        case "host-memory":
            return _("The host must hold {gib} for each GPU.", gib=_.gib(values["gib"]))
        case "training-narrow-format":
            return _(
                "Training in {format} keeps 16-bit weights and fp32 optimizer states: counted as for bf16; the format's own "
                "copies of weights and activations are not modelled.",
                format=markdown_safe(str(values["format"])),
            )
    return ""
