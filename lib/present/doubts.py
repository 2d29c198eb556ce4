"""Reservations about a result as sentences: one for every code that sizing and cost know."""

from typing import Any

from lib.present import missing_price, refusals, throughput_doubts, training_doubts
from lib.present.cost_names import field_name
from lib.present.text import Words, markdown_safe
from lib.records import Doubt


def sentence(doubt: Doubt, _: Words) -> str:
    """A doubt as one sentence with its figures; the bare code where nobody has written its sentence.

    Parameters
    ----------
    doubt : Doubt
        Code and values.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    for room in (
        _verdict,
        _change,
        _layout,
        _estimate,
        _cost,
        _not_costed,
        training_doubts.sentence,
        throughput_doubts.sentence,
    ):
        if text := room(doubt.code, doubt.values, _):
            return text
    return doubt.code


def _verdict(code: str, values: Any, _: Words) -> str:
    """Why a load does not fit, or fits only if."""
    match code:
        case "none":
            return _("Nothing speaks against it.")
        case "weights":
            return _("The weights alone are {gib} over what the engine may use.", gib=_.gib(values["short_gib"]))
        case "workspace":
            return _(
                "Weights and workspace together are {gib} over what the engine may use.", gib=_.gib(values["short_gib"])
            )
        case "context":
            return _(
                "Not one sequence of this length finds room: {gib} are missing.",
                gib=_.gib(values["short_gib"]),
            )
        case "workspace-low":
            return _(
                "One sequence finds room only with the workspace at the low end of its estimate: {gib} are missing.",
                gib=_.gib(values["short_gib"]),
            )
        case "sequences":
            return _(
                "The cache holds {n} sequences of this length at the same time.", n=_.number(values["sequences"], 9)
            )
        case "tight":
            return _(
                "It fits with the expected workspace; at the high end of the estimate {gib} of cache are missing.",
                gib=_.gib(values["short_gib"]),
            )
        case "outside-budget":
            return _outside(values, _)
        case "loads-at-16-bit":
            return _loading(values, _)
        case "unknown-memory":
            return _("No public source says how much memory the runtime or the driver reports: no fit is computed.")
        case "none-fits":
            return _("No layout of up to {n} GPUs under this rule holds the load.", n=values["most_gpus"])
        case "spread-asked":
            return _(
                "Decode context parallelism over {ranks} ranks rules out tensor parallel sizes that it does not divide, and those "
                "without so many copies of the cache to spread.",
                ranks=values["ranks"],
            )
        case "memory-not-modelled":
            return _("The memory of this task is not modelled here; only weights are shown.")
        case "config":
            return _("The model cannot be sized: {reason}.", reason=refusals.clause(values["reason"], _))
    return ""


def _loading(values: Any, _: Words) -> str:
    figures = {"gib": _.gib(values["gib"]), "memory": _.gib(values["memory_gib"])}
    if values["short"]:
        return _(
            "Engines that load at 16 bit before they quantise need {gib} on each GPU at that moment, more than its {memory}; "
            "only one that quantises layer by layer starts.",
            **figures,
        )
    return _(
        "Engines that load at 16 bit before they quantise need {gib} of the {memory} on each GPU at that moment.",
        **figures,
    )


def _outside(values: Any, _: Words) -> str:
    figures = {"wanted": _.gib(values["wanted_gib"]), "left": _.gib(values["left_gib"])}
    if values["short"]:
        return _(
            "Graphs and buffers need some {wanted} outside the engine's share, which leaves only {left}.", **figures
        )
    return _(
        "Graphs and buffers need some {wanted} outside the engine's share; {left} are left, and logs show more.",
        **figures,
    )


def _change(code: str, values: Any, _: Words) -> str:
    """The cheapest change that makes a load fit."""
    match code:
        case "fewer-scheduled":
            return _("It fits with the scheduler limited to {n} sequences (max_num_seqs).", n=values["max_num_seqs"])
        case "more-utilization":
            return _(
                "It fits with gpu_memory_utilization at {value}.", value=_.number(values["gpu_memory_utilization"])
            )
        case "fp8-cache":
            return _("It fits with the cache in fp8.")
        case "fewer-sequences":
            return _("It fits with {n} sequences at the same time.", n=_.number(values["sequences"], 9))
        case "shorter-context":
            return _("It fits with one sequence of {n} tokens.", n=_.number(values["max_model_len"], 9))
        case "more-gpus":
            return _("It fits on {n} GPUs with tensor parallelism.", n=values["tensor_parallel_size"])
        case "no-change":
            return _("No single change of settings, length, load or tensor parallel size makes it fit.")
    return ""


def _layout(code: str, values: Any, _: Words) -> str:
    """What a layout costs or presumes."""
    match code:
        case "across-servers":
            return _(
                "Tensor parallelism leaves the scale-up domain of {n} GPUs: it fits in memory, and will be slow.",
                n=values["domain"],
            )
        case "latent-replicated":
            return _(
                "The latent cache is not divided by tensor parallelism: {n} GPUs hold the same copy.",
                n=values["copies"],
            )
        case "compressed-unexplained":
            return _(
                "Logs of this kind of attention on several ranks show about {n} GiB more per GPU than is explained here.",
                n=f"{values['gib']:g}",
            )
        case "heads-replicated":
            return _(
                "The model has fewer key and value heads than the layout has ranks: each is held {n} times.",
                n=values["copies"],
            )
        case "does-not-divide":
            return _(
                "{heads} attention heads or the widths do not divide by {size}: engines refuse this layout.",
                heads=values["heads"],
                size=values["tensor_parallel_size"],
            )
        case "fp8-blocks":
            return _(
                "Experts are {width} wide on each rank and the format's blocks {block}: engines may refuse this layout.",
                width=values["width"],
                block=values["block"],
            )
        case "stages":
            return _("Pipeline stages of {stages} layers; the fullest one counts.", stages=_stages(values))
        case "stages-by-hand":
            return _(
                "It fits with stages of {stages} layers, which must be set by hand (in vLLM: VLLM_PP_LAYER_PARTITION).",
                stages=_stages(values),
            )
        case "beyond-context":
            return _(
                "The sequences are longer than the {n} tokens that the model was made for.",
                n=_.number(values["max_context"], 9),
            )
    return ""


def _stages(values: Any) -> str:
    return ", ".join(str(layers) for layers in values["stages"])


def _estimate(code: str, values: Any, _: Words) -> str:
    """What an estimate of the workspace rests on."""
    match code:
        case "sampler":
            return _(
                "The sampler makes most of the workspace: {gib} for up to {n} sequences (max_num_seqs); a lower limit frees it.",
                gib=_.gib(values["sampler_gib"]),
                n=_.number(values["max_num_seqs"], 9),
            )
        case "estimate-sglang":
            return _("For SGLang the workspace rests on its documentation: one logged free cache is known.")
        case "estimate-tensorrt-llm":
            return _("For TensorRT-LLM the workspace rests on its documentation: no logged free cache is known.")
    return ""


def _cost(code: str, values: Any, _: Words) -> str:
    """What a cost or a price rests on."""
    match code:
        case "network-in-server-price":
            return _(
                "The network is taken as part of the server's price, so that none is added ({assumption}).",
                assumption=markdown_safe(str(values["assumption"])),
            )
        case "estimated-power":
            return _(
                "Power is an estimate and not a measurement ({assumption}).",
                assumption=markdown_safe(str(values["assumption"])),
            )
        case "no-residual-value":
            return _("No resale value is known for this part: none is counted.")
        case "estimated-price":
            return _(
                "The price is an estimate ({assumption}): {n} dated list prices of the last nine months, and three are needed.",
                assumption=markdown_safe(str(values["assumption"])),
                n=values["rows"],
            )
        case "undated-price":
            return _("The price has no date.")
        case "old-price":
            return _("The price is {n} days old.", n=_.number(values["days"], 9))
        case "idle-gpus":
            return _(
                "{idle} of {installed} GPUs stand idle: servers and blocks are had whole.",
                idle=values["installed"] - values["needed"],
                installed=values["installed"],
            )
        case "commitment-outlasts-horizon":
            return _(
                "The commitment runs {n} months beyond the horizon; they are owed and charged in the last month.",
                n=_.number(values["months"], 9),
            )
        case "lead-time-unknown":
            return _("The lead time is not known and counts as no month: ask the vendor for a delivery date.")
        case "nothing-serves-before":
            return _("Nothing serves before month {n}, and nothing is paid for a bridge.", n=values["months"])
        case "own-facility":
            return _(
                "A facility of your own is paid whole with the servers and has no value at the end ({assumption}).",
                assumption=markdown_safe(str(values["assumption"])),
            )
        case "old-rate":
            return _(
                "The exchange rate is of {date}, {n} days before the prices: state today's.",
                date=values["as_of"],
                n=_.number(values["days"], 9),
            )
    return _drawn(code, values, _)


def _drawn(code: str, values: Any, _: Words) -> str:
    """What the draws leave out, or rest on."""
    match code:
        case "no-cost":
            return _("Without a cost it takes no part in the draws.")
        case "other-price-source":
            return _("An article's price is not drawn beside the catalogue's.")
        case "user-values-held":
            return _(
                "Your own values are taken as certain and not drawn: {fields}.",
                fields=", ".join(field_name(str(field), _) for field in values["fields"]),
            )
        case "one-quote":
            return _(
                "{options}: the price is a single quote without a range, so that the draws make it look surer than it is.",
                options=_.listing([markdown_safe(str(name)) for name in values.get("options", ())]) or _("One option"),
            )
        case "providers-power":
            return _("The provider's power is not known: that of a server like those that are sold is taken.")
    return ""


def _not_costed(code: str, values: Any, _: Words) -> str:
    """Why a candidate has no cost."""
    match code:
        case "no-fleet":
            return _("No number of GPUs is known: nothing is costed.")
        case "no-purchase-price" | "no-rental-price" | "no-bridge-price":
            return missing_price.no_price(code, values, _)
        case "no-server-base":
            return _("No price of a server without its GPUs is known; state the price of the server.")
        case "no-server-size":
            return _("No source says how many GPUs a server of this part holds.")
        case "no-node-power":
            return _(
                "No source says how much power a server of this part draws, nor the part's rated power, from which it would be "
                "estimated: state one of the two with a part of your own."
            )
        case "no-bridge-cost":
            return _("State what the old fleet costs a month until service begins.")
        case "input":
            return _(
                "{field} cannot be {value}; allowed: {allowed}.",
                field=markdown_safe(str(values["field"])),
                value=markdown_safe(str(values["value"])),
                allowed=markdown_safe(str(values["allowed"])),
            )
    return ""
