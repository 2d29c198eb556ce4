"""Whether a part computes in a numerical format under an engine: what code and documentation say, and what they leave open."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from lib.records import Accelerator, FormatFact

Support = Literal["native", "weight-only", "emulated", "none", "unknown"]
Use = Literal["weights", "cache"]

SIXTEEN_BIT: Final = "16-bit"
ENGINES: Final[Mapping[str, str]] = {
    "vllm-v1": "vllm",
    "vllm-v0": "vllm",
    "sglang": "sglang",
    "tensorrt-llm": "tensorrt-llm",
}
"""Engine of a scenario -> engine of the table, which speaks of current versions alone."""

_GENERATIONS: Final = (
    ("Ampere", "ampere"),
    ("Ada Lovelace", "ada"),
    ("Hopper", "hopper"),
    ("Blackwell (sm_120)", "blackwell-sm120"),
    ("Blackwell", "blackwell"),
    ("CDNA 2", "cdna2"),
    ("CDNA 3", "cdna3"),
    ("CDNA 4", "cdna4"),
)
"""Beginning of a part's architecture -> generation of the table; the first that fits."""

_SAME: Final[Mapping[str, str]] = {
    "bf16": SIXTEEN_BIT,
    "fp16": SIXTEEN_BIT,
    "int4-g32": "int4",
    "int4-g128": "int4",
}
_ANY: Final = "any"
_NATIVE: Final = "native"
_BASES: Final = ("code", "documentation", "report")
"""From the one that decides: documentation refers to the code for its latest state, and a report is one run of one build."""

FROM_WORST: Final[tuple[Support, ...]] = ("none", "unknown", "emulated", "weight-only", "native")


@dataclass(frozen=True, slots=True)
class FormatVerdict:
    """How one format runs on one part under one engine; no deciding row is unknown."""

    engine: str
    format: str
    support: Support
    deciding: tuple[FormatFact, ...]
    conflicting: tuple[FormatFact, ...]


def generation_of(accelerator: Accelerator) -> str:
    """The generation that the table of formats knows a part by.

    Parameters
    ----------
    accelerator : Accelerator
        The part.

    Returns
    -------
    str
        "" for a part of no generation of the table.
    """
    return next((name for start, name in _GENERATIONS if accelerator.architecture.startswith(start)), "")


def format_of(word: str, native_format: str) -> str:
    """The table's word for a format of the scenario.

    Parameters
    ----------
    word : str
        A weight or cache format; "native" is the model's own.
    native_format : str
        The model's own format; "" where it is not known.

    Returns
    -------
    str
        "" where the model's own format is asked for and not known.

    Examples
    --------
    >>> format_of("native", "fp8-block128"), format_of("int4-g32", ""), format_of("bf16", "")
    ('fp8-block128', 'int4', '16-bit')
    """
    named = native_format if word == _NATIVE else word
    return _SAME.get(named, named)


def format_support(
    facts: Iterable[FormatFact], accelerator: Accelerator, engine: str, use: Use, named: str
) -> FormatVerdict:
    """How a format runs on a part under an engine, by stated rules.

    Parameters
    ----------
    facts : iterable of FormatFact
        The table.
    accelerator : Accelerator
        The part.
    engine : str
        An engine of the scenario.
    use : {"weights", "cache"}
        What is kept in the format.
    named : str
        The format, as `format_of` gives it.

    Returns
    -------
    FormatVerdict
        The engine's code decides; without it, documentation; without it, a report. Within one of these the worst counts.
        Rows that say otherwise are conflicting. Without any row it is unknown, and never taken as running.
    """
    known = ENGINES.get(engine, engine)
    generation = generation_of(accelerator)
    rows = [
        fact
        for fact in facts
        if (fact.engine, fact.architecture, fact.use) == (known, generation, use) and fact.format in (named, _ANY)
    ]
    ranked = [[fact for fact in rows if fact.basis == basis] for basis in _BASES]
    deciding = next((tuple(group) for group in ranked if group), ())
    support: Support = next((word for word in FROM_WORST if any(fact.support == word for fact in deciding)), "unknown")
    conflicting = tuple(fact for fact in rows if fact.support not in (support, "unknown") and support != "unknown")
    return FormatVerdict(known, named, support, deciding, conflicting)
