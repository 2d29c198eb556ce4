"""The field's words for the codes that travel in a scenario, in the reader's language."""

from collections.abc import Mapping
from typing import Final

from lib.present.text import Words

ACQUISITIONS: Final = ("buy", "rent", "commit-1y", "commit-3y")
_ENGINES: Final[Mapping[str, str]] = {
    "vllm-v1": "vLLM (V1)",
    "vllm-v0": "vLLM (V0)",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
}


def engine(word: str) -> str:
    """An engine's name: the same in every language."""
    return _ENGINES.get(word, word)


def acquisition(word: str, _: Words) -> str:
    """How a part is had.

    Parameters
    ----------
    word : str
        One of ACQUISITIONS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "buy": _("Buy"),
        "rent": _("Rent on demand"),
        "commit-1y": _("Rent, 1-year commitment"),
        "commit-3y": _("Rent, 3-year commitment"),
    }[word]


def task(word: str, _: Words) -> str:
    """What a workload does.

    Parameters
    ----------
    word : str
        A task of the scenario's vocabulary.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a choice.
    """
    return {
        "serve": _("Serve"),
        "train": _("Train"),
        "finetune": _("Fine-tune"),
        "image": _("Generate images"),
        "token-price": _("Price tokens"),
    }[word]


def weight_format(word: str, _: Words) -> str:
    """A weight format's name.

    Parameters
    ----------
    word : str
        A format of the scenario's vocabulary.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return _("Native (as published)") if word == "native" else word


def origin_kind(kind: str, _: Words) -> str:
    """Where the value of a cost field comes from.

    Parameters
    ----------
    kind : str
        A kind of origin of the cost room.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table.
    """
    return {
        "assumption": _("assumption"),
        "prices": _("dated list prices"),
        "estimate": _("estimate"),
        "article": _("article"),
        "user": _("your own"),
        "derived": _("derived"),
        "off": _("switched off"),
        "not-applicable": _("does not apply"),
        "missing": _("not published"),
    }[kind]
