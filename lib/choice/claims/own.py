"""A claim of the reader's own, checked by the same engine: a number of GPUs, a price ratio, work per dollar."""

import functools
from typing import Final

from lib.catalog import Catalog
from lib.choice.claims.judge import judge
from lib.choice.claims.records import Check, Claim, Judged
from lib.choice.mlperf import mlperf_pairs
from lib.choice.page_choices import ClaimsChoices
from lib.choice.scenario import CUSTOM_MODEL, Scenario
from lib.errors import InputError

OWN: Final = "own"
_TEXT: Final = ""
_BASIS: Final = {"purchase": "USD per GPU", "on-demand": "USD per GPU-hour"}
RATIO_TOLERANCE: Final = 0.05
"""How near a stated ratio must come to be called the same."""


def own_claim(catalog: Catalog, scenario: Scenario) -> Judged:
    """What the reader states on the claims page, judged.

    Parameters
    ----------
    catalog : Catalog
        As this reader sees it.
    scenario : Scenario
        Its view says what is claimed; its workload and first parts are what it is claimed of.

    Returns
    -------
    Judged
        With readings by weights, by one server, by all layouts; or by the lists' ranges and middles; or by each MLPerf
        test that has both parts.

    Raises
    ------
    InputError
        The model is the reader's own config, or both parts are one.
    """
    choices = scenario.view.claims
    part, other = parts_of(scenario)
    workload = scenario.workload
    if choices.own == "sizing":
        if workload.model == CUSTOM_MODEL:
            raise InputError("model", CUSTOM_MODEL, "a model of the catalogue; the memory page sizes your own")
        return _judged(
            catalog, choices.own, part, other, choices.own_gpus, workload.model, workload.weight_format,
            workload.context_tokens, workload.concurrency, "",
        )  # fmt: skip
    if part == other:
        raise InputError("part", part, "two different parts")
    return _judged(catalog, choices.own, part, other, choices.own_ratio, "", "", 0, 0, choices.own_price)


def parts_of(scenario: Scenario) -> tuple[str, str]:
    """The two parts that the reader's claim speaks of.

    Parameters
    ----------
    scenario : Scenario
        Its view names them; where it does not, they are the first two candidates.

    Returns
    -------
    tuple of str
        Accelerator ids; both the same where the scenario has one part only.
    """
    choices: ClaimsChoices = scenario.view.claims
    named = [one.accelerator for one in scenario.candidates]
    first = choices.own_part or named[0]
    rest = [name for name in named if name != first]
    return first, choices.own_other or (rest[0] if rest else first)


@functools.lru_cache(maxsize=256)
def _judged(
    catalog: Catalog, kind: str, part: str, other: str, stated: float, model: str, weight_format: str, tokens: int,
    sequences: int, price: str,
) -> Judged:  # fmt: skip
    if kind == "sizing":
        checks = _sizing(part, model, weight_format, tokens, sequences)
    elif kind == "price":
        checks = _price(part, other, price)
    else:
        checks = _per_dollar(catalog, part, other, price)
    claim = _claim(kind, (part,) if kind == "sizing" else (part, other), stated)
    return judge(catalog, claim, checks)


def _claim(kind: str, parts: tuple[str, ...], stated: float) -> Claim:
    texts = dict.fromkeys(
        (
            "article", "section", "stated_zh", "contrast", "paraphrase_en", "paraphrase_zh", "page", "preset", "curated_verdict",
            "note_en", "note_zh", "undecidable_en", "undecidable_zh", "differs_en", "differs_zh",
        ),
        _TEXT,
    )  # fmt: skip
    unit = "GPUs" if kind == "sizing" else "×"
    return Claim(
        claim_id=OWN, topic="sizing" if kind == "sizing" else "price", form="fit" if kind == "sizing" else kind,
        parts=parts, stated=f"{stated:g}", low=stated, high=None, unit=unit, **texts,
    )  # fmt: skip


def _check(reading: int, formula: str, relation: str, unit: str, tolerance: float, words: tuple[str, str]) -> Check:
    return Check(OWN, reading, formula, unit, relation, None, None, _TEXT, tolerance, *words)  # type: ignore[arg-type]


def _sizing(part: str, model: str, weight_format: str, tokens: int, sequences: int) -> tuple[Check, ...]:
    load = f"'{model}', '{weight_format}', '{part}', {tokens}, {sequences}"
    return (
        _check(
            1, f"ceil(weights('{model}', '{weight_format}') / memory('{part}', 'runtime'))", "at-most", "GPUs", 0,
            ("weights alone", "只算权重"),
        ),
        _check(
            2, f"fewest({load})", "at-most", "GPUs", 0,
            ("with cache and vLLM's workspace, tensor parallelism", "连同缓存和 vLLM 工作区，张量并行"),
        ),
        _check(
            3, f"fewest({load}, 'all-layouts')", "at-most", "GPUs", 0,
            ("with cache and vLLM's workspace, any layout", "连同缓存和 vLLM 工作区，任意布局"),
        ),
    )  # fmt: skip


def _price(part: str, other: str, price: str) -> tuple[Check, ...]:
    return (
        _check(
            1, f"listed('{part}', '{price}') / listed('{other}', '{price}')", "reaches", "×", 0,
            ("somewhere between the ends of the lists", "落在价目的区间之内"),
        ),
        _check(
            2, f"median_price('{part}', '{price}') / median_price('{other}', '{price}')", "equals", "×", RATIO_TOLERANCE,
            ("middle of the lists, within 5 %", "价目的中位数，误差 5% 以内"),
        ),
    )  # fmt: skip


def _per_dollar(catalog: Catalog, part: str, other: str, price: str) -> tuple[Check, ...]:
    pairs = mlperf_pairs(catalog.measured["mlperf_inference"], part, other)
    tests = list(dict.fromkeys(zip(pairs["model"].astype(str), pairs["scenario"].astype(str), strict=True)))[:4]
    cheaper = f"median_price('{other}', '{price}') / median_price('{part}', '{price}')"
    return tuple(
        _check(
            number, f"mlperf_ratio('{part}', '{other}', '{model}', '', '{scenario}') * {cheaper}", "reaches", "×",
            RATIO_TOLERANCE, (f"MLPerf {model}, {scenario}", f"MLPerf {model}，{scenario}"),
        )
        for number, (model, scenario) in enumerate(tests, start=1)
    )  # fmt: skip
