"""What the articles warn of, ask and get wrong, as short answers whose numbers are computed when they are read.

The words stand in lib/present/misconceptions.py; here stand the numbers of each answer and the page where a reader can
move what they rest on.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from lib.catalog import Catalog
from lib.choice.claims.language import Evaluated, MissingValueError, evaluate
from lib.choice.claims.opening import with_parts
from lib.choice.claims.records import Term
from lib.choice.claims.values import Value
from lib.choice.presets import preset
from lib.choice.scenario import Language, Scenario

Kind = Literal["misconception", "question", "hidden-cost", "warning"]
KINDS: Final[tuple[Kind, ...]] = ("misconception", "question", "hidden-cost", "warning")


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that people ask or believe, the numbers that answer it, and where they can be moved."""

    name: str
    kind: Kind
    article: str
    formulas: Mapping[str, str]
    page: str
    preset: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its numbers as computed now."""

    question: Question
    values: Mapping[str, Value]
    terms: tuple[Term, ...]


_PAIR: Final = ("mi300x", "h100-sxm")
_A0, _A2, _A3, _A4 = "article-a0", "article-a2", "article-a3", "article-a4"
_MLPERF: Final = "mlperf_ratio('mi300x','h100-sxm','llama2-70b','v4.1','Offline')"

QUESTIONS: Final[tuple[Question, ...]] = (
    Question(
        "memory-is-not-speed", "misconception", _A4,
        {
            "memory": "spec('mi300x','memory_runtime_gib') / spec('h100-sxm','memory_runtime_gib')",
            "peak": "spec('mi300x','fp8_dense_tflops') / spec('h100-sxm','fp8_dense_tflops')",
            "measured": _MLPERF,
        },
        "benchmarks", "serve-70b", _PAIR,
    ),
    Question(
        "one-card-is-enough", "misconception", _A4,
        {
            "weights": "weights('llama-3.3-70b','bf16')", "memory": "memory('mi300x','runtime')",
            "one": "fewest('llama-3.3-70b','bf16','mi300x',4608,1)",
            "many": "fewest('llama-3.3-70b','bf16','mi300x',4608,64)", "states": "states('llama-3.3-70b',1)",
        },
        "memory", "serve-70b", ("mi300x",),
    ),
    Question(
        "nothing-changes", "misconception", _A4,
        {"lines": "assumed('mig-code-share')", "weeks": "assumed('mig-elapsed')"},
        "software", "serve-70b", _PAIR,
    ),
    Question(
        "memory-for-the-processor", "misconception", _A4,
        {
            "own": "1000 * spec('mi300x','memory_bandwidth_tbs')", "host": "micro('mi300x','Device to Host')",
            "ratio": "1000 * spec('mi300x','memory_bandwidth_tbs') / micro('mi300x','Device to Host')",
        },
        "benchmarks", "serve-70b", ("mi300x",),
    ),
    Question(
        "power-is-the-label", "misconception", _A4,
        {
            "gpus": "8 * spec('mi300x','tdp_w') / 1000", "server": "assumed('pow-node-load-mi300x')",
            "other": "assumed('pow-node-load-h100-sxm')",
        },
        "cost", "serve-70b", _PAIR,
    ),
    Question(
        "which-for-inference", "question", _A0,
        {
            "dense": "fewest('llama-3.3-70b','bf16','mi300x',4608,64)",
            "dense_other": "fewest('llama-3.3-70b','bf16','h100-sxm',4608,64)",
            "experts": "fewest('deepseek-v3','native','mi300x',4608,64)",
            "experts_other": "fewest('deepseek-v3','native','h100-sxm',4608,64)", "measured": _MLPERF,
        },
        "recommend", "serve-70b", _PAIR,
    ),
    Question(
        "is-rocm-mature", "question", _A0,
        {
            "runs": "frameworks('ROCm','runs')", "all": "frameworks('ROCm','')",
            "changed": "frameworks('ROCm','runs-with-change')", "none": "frameworks('ROCm','does-not-run')",
        },
        "software", "serve-70b", _PAIR,
    ),
    Question(
        "how-do-prices-compare", "question", _A0,
        {
            "rent": "median_price('mi300x','on-demand')", "rent_other": "median_price('h100-sxm','on-demand')",
            "buy": "article_prices('mi300x','purchase')", "buy_other": "article_prices('h100-sxm','purchase')",
            "per_gb": "100 * (median_price('mi300x','on-demand') / spec('mi300x','memory_gb')) / "
            "(median_price('h100-sxm','on-demand') / spec('h100-sxm','memory_gb'))",
        },
        "cost", "serve-70b", _PAIR,
    ),
    Question(
        "which-for-training", "question", _A0,
        {
            "gpt": "entries('','AMD','gpt3')", "all": "entries('','AMD')", "other": "entries('','NVIDIA')",
            "pair": "spec('mi300x','interconnect_gbs') / 7", "switch": "spec('h100-sxm','interconnect_gbs')",
        },
        "benchmarks", "pretrain-256", _PAIR,
    ),
    Question(
        "which-servers-run", "question", _A0,
        {
            "vllm": "software('vLLM','ROCm','vllm-install-gpu','verdict')",
            "sglang": "software('SGLang','ROCm','rocm-sglang-docs','verdict')", "tgi": "software('TGI','ROCm','tgi','verdict')",
            "trt": "software('TensorRT-LLM','ROCm','tensorrt-llm-hardware','verdict')",
        },
        "software", "serve-70b", _PAIR,
    ),
    Question(
        "what-does-moving-cost", "question", _A0,
        {
            "lines": "assumed('mig-code-share')", "weeks": "assumed('mig-elapsed')",
            "usd": "assumed('mig-elapsed') * assumed('staff-loaded') / 52",
        },
        "software", "serve-70b", _PAIR,
    ),
    Question(
        "cost-of-migration", "hidden-cost", _A2,
        {"weeks": "assumed('mig-elapsed')", "usd": "assumed('mig-elapsed') * assumed('staff-loaded') / 52"},
        "cost", "serve-70b", _PAIR,
    ),
    Question(
        "cost-of-tuning", "hidden-cost", _A2,
        {
            "tuned": "mlperf('mi300x','llama2-70b','v4.1','Offline',1)",
            "usd": "2 / (3600 * mlperf('mi300x','llama2-70b','v4.1','Offline',1)) * 1000000",
            "usd_example": "per_million(2,500000)",
        },
        "cost", "token-price", (),
    ),
    Question(
        "cost-of-idle-hours", "hidden-cost", _A2,
        {"used": "assumed('rent-util')", "usd": "2 / (assumed('rent-util') / 100)"},
        "cost", "token-price", (),
    ),
    Question(
        "cost-of-storage", "hidden-cost", _A2,
        {
            "gb_month": "assumed('rent-storage')", "ten_tb": "10000 * assumed('rent-storage')",
            "egress": "1000 * assumed('rent-egress')",
        },
        "cost", "token-price", (),
    ),
    Question(
        "cost-of-support", "hidden-cost", _A2,
        {
            "share": "assumed('staff-8gpu')", "usd": "assumed('staff-8gpu') * assumed('staff-loaded')",
            "bill": "assumed('rent-support')",
        },
        "cost", "serve-70b", (),
    ),
    Question(
        "fits-is-not-fast", "warning", _A3,
        {
            "memory": "spec('mi355x','memory_runtime_gib') / spec('b200-sxm','memory_runtime_gib')",
            "measured": "mlperf_ratio('mi355x','b200-sxm','llama2-70b','v6.0','Offline')",
        },
        "benchmarks", "mi355x-rent", ("mi355x", "b200-sxm"),
    ),
    Question(
        "software-for-cuda-only", "warning", _A3,
        {
            "none": "frameworks('ROCm','does-not-run')",
            "trt": "software('TensorRT-LLM','ROCm','tensorrt-llm-hardware','verdict')",
            "flash": "software('FlashAttention-3 and 4','ROCm','flash-attention-readme','verdict')",
        },
        "software", "mi355x-rent", ("mi355x", "h100-sxm"),
    ),
    Question(
        "own-kernels", "warning", _A3, {"lines": "assumed('mig-code-share')", "weeks": "assumed('mig-elapsed')"},
        "software", "mi355x-rent", ("mi355x", "h100-sxm"),
    ),
    Question(
        "recent-versions-only", "warning", _A3,
        {"target": "spec('mi355x','architecture')", "launch": "launch('mi355x')"},
        "software", "mi355x-rent", ("mi355x",),
    ),
    Question(
        "formats-differ", "warning", _A3,
        {"four": "spec('mi355x','fp4_dense_tflops')", "eight": "spec('mi300x','fp8_dense_tflops')"},
        "specs", "mi355x-rent", ("mi355x", "mi300x"),
    ),
    Question(
        "links-in-a-server", "warning", _A3,
        {
            "all": "spec('mi355x','interconnect_gbs')", "pair": "spec('mi355x','interconnect_gbs') / 7",
            "switch": "spec('b300-sxm','interconnect_gbs')", "domain": "spec('mi355x','max_scale_up_gpus')",
        },
        "specs", "mi355x-rent", ("mi355x", "b300-sxm"),
    ),
)  # fmt: skip


@functools.lru_cache(maxsize=4)
def answered(catalog: Catalog) -> tuple[Answered, ...]:
    """Every question with its numbers, in the order in which they are shown.

    Parameters
    ----------
    catalog : Catalog
        The edition: ask with `catalog.published`.

    Returns
    -------
    tuple of Answered
        Misconceptions, questions, hidden costs, warnings.
    """
    result = []
    for question in QUESTIONS:
        found = {name: _evaluated(catalog, formula) for name, formula in question.formulas.items()}
        terms = {(term.kind, term.arguments): term for one in found.values() for term in one.terms}
        values = MappingProxyType({name: one.value for name, one in found.items()})
        result.append(Answered(question, values, tuple(terms.values())))
    return tuple(result)


def _evaluated(catalog: Catalog, formula: str) -> Evaluated:
    """A number of an answer; one that is not published stays unknown, so that the other numbers are still read."""
    try:
        return evaluate(catalog, formula)
    except MissingValueError:
        return Evaluated(Value(), "", ())


def opening(catalog: Catalog, question: Question, language: Language) -> Scenario:
    """The scenario in which a reader can move what an answer rests on.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    question : Question
        Names a preset and parts.
    language : Language
        The reader's.

    Returns
    -------
    Scenario
        The preset with the question's parts compared.
    """
    return with_parts(preset(catalog, question.preset, language), question.parts)
