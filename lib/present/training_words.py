"""Words for how a model is trained: method, sharding, accounting, recomputation, offload, layout."""

from lib.present.text import Words
from lib.sizing.training_setup import TrainingSetup


def method(word: str, _: Words) -> str:
    """What is trained.

    Parameters
    ----------
    word : str
        full, lora or qlora.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {"full": _("All parameters"), "lora": "LoRA", "qlora": "QLoRA"}[word]


def sharding_name(stage: int) -> str:
    """What data ranks share out, by the scheme's name: the same in every language."""
    return ("DDP", "ZeRO-1", "ZeRO-2", "ZeRO-3 (FSDP)")[stage]


def accounting(word: str, _: Words) -> str:
    """Whose count of the model states it is.

    Parameters
    ----------
    word : str
        zero-paper, deepspeed or megatron.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label and inside a sentence.
    """
    return {
        "zero-paper": _("the ZeRO paper (16 bytes a parameter)"),
        "deepspeed": _("DeepSpeed's estimator (fp32 gradients)"),
        "megatron": _("Megatron-LM (18 bytes a parameter)"),
    }[word]


def recompute(word: str, _: Words) -> str:
    """What the backward pass computes again, for a choice.

    Parameters
    ----------
    word : str
        none, selective or full.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "none": _("None: scores kept"),
        "selective": _("Attention scores"),
        "full": _("Whole layers"),
    }[word]


def recomputed(word: str, _: Words) -> str:
    """What the backward pass computes again, inside a sentence.

    Parameters
    ----------
    word : str
        none, selective or full.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase.
    """
    return {
        "none": _("nothing recomputed"),
        "selective": _("attention scores recomputed"),
        "full": _("whole layers recomputed"),
    }[word]


def offload(word: str, _: Words) -> str:
    """What lies in the host's memory.

    Parameters
    ----------
    word : str
        none, optimizer or all.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {"none": _("Nothing"), "optimizer": _("Optimizer"), "all": _("All states")}[word]


def optimizer(word: str, _: Words) -> str:
    """The optimizer and the width of its states.

    Parameters
    ----------
    word : str
        adam, adam-bf16 or adam-8bit.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {"adam": "Adam (fp32)", "adam-bf16": "Adam (bf16)", "adam-8bit": _("Adam (8 bit)")}[word]


def targets(word: str, _: Words) -> str:
    """Which matrices get adapters.

    Parameters
    ----------
    word : str
        all-linear or attention.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {"all-linear": _("Attention and feed-forward"), "attention": _("Attention")}[word]


def layout(setup: TrainingSetup) -> str:
    """How GPUs share the run, in the field's short words.

    Parameters
    ----------
    setup : TrainingSetup
        With its data parallel size.

    Returns
    -------
    str
        "DP8", "TP8 PP2 DP4", "DP64 EP8".

    Examples
    --------
    >>> layout(TrainingSetup(data_parallel_size=4, tensor_parallel_size=8))
    'TP8 DP4'
    """
    sizes = {
        "TP": setup.tensor_parallel_size,
        "PP": setup.pipeline_parallel_size,
        "DP": setup.data_parallel_size,
        "EP": setup.expert_parallel_size,
    }
    return " ".join(f"{word}{size}" for word, size in sizes.items() if size > 1) or "DP1"
