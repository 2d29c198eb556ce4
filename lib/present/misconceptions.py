"""What people ask and get wrong, in words: each answer with its numbers put in."""

from collections.abc import Mapping
from typing import Any

from lib.choice.claims.values import Value
from lib.choice.misconceptions import Answered
from lib.present.text import UNKNOWN, Words


def kind_name(kind: str, _: Words) -> str:
    """The heading of a group of questions.

    Parameters
    ----------
    kind : str
        One of KINDS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a heading.
    """
    return {
        "misconception": _("Five misconceptions (article A4)"),
        "question": _("Six questions (article A0)"),
        "hidden-cost": _("Five hidden costs (article A2)"),
        "warning": _("Six warnings (article A3)"),
    }[kind]


def question(name: str, _: Words) -> str:
    """What is asked or believed.

    Parameters
    ----------
    name : str
        Of the question.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One short sentence.
    """
    return {
        "memory-is-not-speed": _("More memory makes MI300X faster at everything."),
        "one-card-is-enough": _("One card that holds a 70B model is all that I need."),
        "nothing-changes": _("PyTorch supports ROCm, so nothing changes."),
        "memory-for-the-processor": _("192 GB of GPU memory can serve the CPU too."),
        "power-is-the-label": _("The rated power of the GPUs is what it costs to run."),
        "which-for-inference": _("Which suits large-model inference better, MI300X or H100?"),
        "is-rocm-mature": _("Is ROCm mature?"),
        "how-do-prices-compare": _("How do the prices of MI300X and H100 compare?"),
        "which-for-training": _("MI300X or H100 for training?"),
        "which-servers-run": _("Which inference servers run on MI300X?"),
        "what-does-moving-cost": _("Is it expensive to move after buying MI300X?"),
        "cost-of-migration": _("Moving the code."),
        "cost-of-tuning": _("Tuning the model and its server."),
        "cost-of-idle-hours": _("Hours in which the GPU waits."),
        "cost-of-storage": _("Storage and traffic."),
        "cost-of-support": _("People and support."),
        "fits-is-not-fast": _("What fits is not therefore fast."),
        "software-for-cuda-only": _("Some software runs on CUDA alone."),
        "own-kernels": _("Kernels of your own have to be ported."),
        "recent-versions-only": _("MI355X needs recent versions."),
        "formats-differ": _("Check the format of your checkpoint."),
        "links-in-a-server": _("Compare links with links."),
    }[name]


def answer(one: Answered, _: Words) -> str:
    """The answer with its numbers.

    Parameters
    ----------
    one : Answered
        From `lib.choice.misconceptions.answered`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown, one to three sentences.
    """
    numbers = {name: _shown(value, _) for name, value in one.values.items()}
    for room in (_misconception, _question, _hidden_cost, _warning):
        if text := room(one.question.name, numbers, one.values, _):
            return text
    return ""


def _shown(value: Value, _: Words) -> str:
    if value.is_text:
        return _runs(value.text, _) if value.text else _(UNKNOWN)
    return _.span(value.low, value.high)


def _runs(word: str, _: Words) -> str:
    return {
        "runs": _("can run"),
        "runs-with-change": _("can run with changes"),
        "does-not-run": _("cannot run"),
    }.get(word, word)


def _misconception(name: str, n: Mapping[str, str], values: Mapping[str, Value], _: Words) -> str:
    match name:
        case "memory-is-not-speed":
            return _(
                "Memory decides what fits, not how fast it runs. MI300X has **{memory} times** the memory of H100 and "
                "**{peak} times** its dense FP8 peak; in MLPerf v4.1 (Llama 2 70B, Offline) it did **{measured} times** "
                "the work per GPU (derived, not verified by MLCommons).",
                **n,
            )
        case "one-card-is-enough":
            return _(
                "The weights take {weights} of {memory} GB and {one} card serves one sequence; 64 sequences of 4,608 "
                "tokens need **{many} cards** in vLLM, a spare one comes on top, and full training keeps **{states} GB** "
                "of states.",
                **n,
            )
        case "nothing-changes":
            return _(
                "The device stays torch.cuda and standard code runs. Kernels of your own do not: in public ports **{lines} %** "
                "of the CUDA and C++ lines changed, over about **{weeks} weeks**, and speed has to be measured again.",
                **n,
            )
        case "memory-for-the-processor":
            return _(
                "It is the GPU's. MI300X reads it at {own} GB/s; to the host {host} GB/s were measured, **{ratio} times** "
                "less. Keep data where it is computed.",
                **n,
            )
        case "power-is-the-label":
            return _(
                "Eight MI300X are rated at {gpus} kW; their server draws about **{server} kW** under load, one with H100 "
                "{other} kW, and cooling multiplies both by the PUE.",
                **n,
            )
    return ""


def _question(name: str, n: Mapping[str, str], values: Mapping[str, Value], _: Words) -> str:
    match name:
        case "which-for-inference":
            return _(
                "MI300X takes fewer cards: **{dense} against {dense_other}** for Llama 3.3 70B at BF16, **{experts} against "
                "{experts_other}** for DeepSeek-V3 at FP8 (64 sequences of 4,608 tokens, vLLM). Per card it did {measured} "
                "times the work of H100 in MLPerf v4.1. Cost and latency decide: see Recommend.",
                **n,
            )
        case "is-rocm-mature":
            return _(
                "For the common path: of {all} frameworks looked up **{runs} run**, {changed} run with changes and {none} do "
                "not. What your own stack needs stands on the software page.",
                **n,
            )
        case "how-do-prices-compare":
            return _(
                "In the middle of the lists MI300X rents for **{rent}** and H100 for **{rent_other}** USD an hour, so that a GB "
                "of MI300X costs **{per_gb} %** of H100's. To buy, the articles state {buy} and {buy_other} USD; no dated "
                "list price of MI300X was found.",
                **n,
            )
        case "which-for-training":
            return _(
                "Measured evidence favours H100 in large runs: MLPerf Training has **{other}** results on NVIDIA parts and "
                "**{all}** on AMD's in the language-model tests kept here, {gpt} of them for GPT-3. Between two given cards "
                "MI300X has {pair} GB/s and H100 {switch} GB/s.",
                **n,
            )
        case "which-servers-run":
            return _(
                "By current documentation: vLLM {vllm}, SGLang {sglang}, TGI {tgi} (in maintenance), TensorRT-LLM **{trt}**.",
                **n,
            )
        case "what-does-moving-cost":
            return _(
                "Little for standard PyTorch. A library of kernels took about **{weeks} weeks** in public ports ({lines} % of "
                "its lines); one engineer for that long costs about **{usd} USD**.",
                **n,
            )
    return ""


def _hidden_cost(name: str, n: Mapping[str, str], values: Mapping[str, Value], _: Words) -> str:
    match name:
        case "cost-of-migration":
            return _("About {weeks} weeks of one engineer for each library of own kernels, **{usd} USD**.", **n)
        case "cost-of-tuning":
            return _(
                "The example's 500,000 tokens an hour cost **{usd_example} USD** a million at 2 USD an hour; the tuned "
                "{tuned} tokens/s of MLPerf v4.1 on one MI300X would cost **{usd} USD**.",
                **n,
            )
        case "cost-of-idle-hours":
            return _("At a usual utilisation of {used} %, an hour of work at 2 USD costs **{usd} USD**.", **n)
        case "cost-of-storage":
            return _(
                "At {gb_month} USD per GB and month, 10 TB cost **{ten_tb} USD** a month; a TB of traffic out costs "
                "**{egress} USD**.",
                **n,
            )
        case "cost-of-support":
            return _(
                "{share} of a full-time engineer for an 8-GPU server costs **{usd} USD** a year; renters pay about {bill} % "
                "of the bill for support.",
                **n,
            )
    return ""


def _warning(name: str, n: Mapping[str, Any], values: Mapping[str, Value], _: Words) -> str:
    match name:
        case "fits-is-not-fast":
            return _(
                "MI355X has **{memory} times** the memory of B200 and did **{measured} times** its work per GPU in MLPerf v6.0 "
                "(Llama 2 70B, Offline; derived, not verified by MLCommons).",
                **n,
            )
        case "software-for-cuda-only":
            return _(
                "On ROCm TensorRT-LLM **{trt}**; FlashAttention 3 and 4: **{flash}**. Of the frameworks looked up {none} do not "
                "run at all.",
                **n,
            )
        case "own-kernels":
            return _(
                "HIPIFY converts much, not all: public ports changed {lines} % of the lines over about {weeks} weeks, and "
                "what is ported has to be tested and tuned.",
                **n,
            )
        case "recent-versions-only":
            return _(
                "It is {target}, shown in {launch}: vLLM asks for ROCm 7.0 or later, and containers built for older parts have "
                "no kernels for it.",
                **n,
            )
        case "formats-differ":
            return _(
                "MI355X computes FP4 at {four} TFLOPS, MI300X has no FP4 and {eight} TFLOPS at FP8: a checkpoint in MXFP4 or "
                "NVFP4 is not for every part or engine.",
                **n,
            )
        case "links-in-a-server":
            return _(
                "MI355X has {all} GB/s over seven links, **{pair} GB/s** to any one neighbour; B300 has {switch} GB/s to any "
                "one. Both end at the server of {domain}: beyond it the network counts.",
                **n,
            )
    return ""
