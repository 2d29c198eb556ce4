"""Claims as tables: the list, its file, and where articles speak of the same thing."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from lib.choice.claims.contrasts import Contrast
from lib.choice.claims.records import Judged
from lib.present import claim_terms
from lib.present.claim_card import equation
from lib.present.claims import ARTICLES, MARKS, article_name, marked, paraphrase, topic_name
from lib.present.text import Words, markdown_safe

_MOST: Final = 60
"""Characters of a cell."""

_UNBROKEN: Final = "\u2011"
"""A hyphen at which no line breaks."""


def claims_table(found: Sequence[Judged], _: Words, *, safe: bool = True) -> pd.DataFrame:
    """Claims as rows: id, what is said, verdict, what is computed.

    Parameters
    ----------
    found : sequence of Judged
        The claims shown.
    _ : Words
        The reader's language.
    safe : bool
        Whether cells are escaped for Markdown; not for a file.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    escape = markdown_safe if safe else str
    return pd.DataFrame(
        {
            _("Claim"): [one.claim.claim_id.replace("-", _UNBROKEN) if safe else one.claim.claim_id for one in found],
            _("What is said"): [escape(paraphrase(one, _)) for one in found],
            _("Verdict"): [marked(one.verdict, _) for one in found],
            _("Computed"): [escape(_computed(one, _)) for one in found],
        }
    )


def claims_file(found: Sequence[Judged], _: Words) -> pd.DataFrame:
    """Everything about the claims shown, for a file: one row a claim.

    Parameters
    ----------
    found : sequence of Judged
        The claims that pass the filters.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    table = claims_table(found, _, safe=False)
    table[_("Article")] = [article_name(one.claim.article, _) for one in found]
    table[_("Topic")] = [topic_name(one.claim.topic, _) for one in found]
    table[_("Stated")] = [_.pick(one.claim.stated, one.claim.stated_zh) for one in found]
    table[_("Formula")] = ["; ".join(outcome.check.formula for outcome in one.outcomes) for one in found]
    table[_("With numbers")] = ["; ".join(equation(outcome, _) for outcome in one.outcomes) for one in found]
    table[_("Note")] = [_.pick(one.claim.note_en, one.claim.note_zh) for one in found]
    table[_("Sources")] = ["; ".join(one.sources) for one in found]
    return table


def _computed(one: Judged, _: Words) -> str:
    if one.value is None:
        return "–"
    text = claim_terms.amount(one.value, one.outcomes[0].check.unit, _)
    return f"{text[:_MOST]}…" if len(text) > _MOST else text


def contrast_table(found: Sequence[Contrast], _: Words) -> pd.DataFrame:
    """Where articles speak of the same thing: what each states beside the catalogue's figure.

    Parameters
    ----------
    found : sequence of Contrast
        From `lib.choice.claims.contrasts`.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a quantity; text cells.
    """
    rows = []
    for one in found:
        cells = {
            article: "; ".join(
                f"{_.pick(judged.claim.stated, judged.claim.stated_zh)} {MARKS[judged.verdict]}"
                for judged in one.judged
                if judged.claim.article == article
            )
            for article in ARTICLES
        }
        value = claim_terms.amount(one.value, one.unit, _)[:_MOST] if one.value is not None else "–"
        rows.append(
            (
                contrast_name(one.name, _),
                markdown_safe(value),
                *(markdown_safe(cells[name]) or "–" for name in ARTICLES),
            )
        )
    heads = [_("Quantity"), _("Our figure"), *(name.removeprefix("article-").upper() for name in ARTICLES)]
    return pd.DataFrame(rows, columns=heads)


def contrast_name(name: str, _: Words) -> str:
    """A quantity of which several claims speak.

    Parameters
    ----------
    name : str
        The word of the table.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a row; the bare word where it has no name.
    """
    return {
        "mi300x-memory": _("Memory of MI300X"),
        "memory-ratio": _("Memory, MI300X over H100"),
        "bandwidth-ratio": _("Bandwidth, MI300X over H100"),
        "mi300x-compute-dies": _("Compute dies of MI300X"),
        "mi300x-dies": _("Dies of MI300X, compute and I/O"),
        "fp16-order": _("Dense FP16, MI300X over H100"),
        "weights-70b": _("Weights of a 70B model, 16 bit"),
        "h100-cards-70b": _("H100 for a 70B model, weights alone"),
        "deepseek-need": _("DeepSeek-V3 at FP8: weights, or need by a rule"),
        "deepseek-mi300x": _("MI300X for DeepSeek-V3"),
        "deepseek-h100": _("H100 for DeepSeek-V3"),
        "tco-saving": _("Saving in total cost"),
        "training-gap": _("H100 ahead on a single card, training"),
        "h100-fp8": _("FP8 of H100"),
        "mi300x-fp8": _("FP8 of MI300X"),
        "fp8-order": _("Dense FP8, H100 over MI300X"),
        "scaling": _("Scaling efficiency of MI300X"),
        "scaling-eight": _("Eight cards over one"),
        "mi300x-links": _("Links between MI300X"),
        "vllm-rocm": _("vLLM on ROCm"),
        "price-per-gb": _("Price of a GB, MI300X over H100"),
        "mi400-architecture": _("Architecture of MI400"),
        "nvlink-four": _("NVLink 4"),
        "nvlink-five": _("NVLink 5"),
        "zero-three": _("ZeRO-3 on ROCm"),
        "h100-memory": _("Memory of H100"),
        "mi300x-price": _("Price of MI300X"),
        "h100-price": _("Price of H100"),
        "mi300x-target": _("Compiler target of MI300X"),
        "mi300x-cache": _("Infinity Cache of MI300X"),
    }.get(name, name)
