"""The reader's own claim in words: what was stated, the verdict, and what cannot be checked."""

from lib.catalog import Catalog
from lib.choice.claims.own import parts_of
from lib.choice.claims.records import Judged
from lib.choice.scenario import Scenario
from lib.errors import InputError
from lib.present.claims import marked
from lib.present.names import weight_format
from lib.present.text import Words, markdown_safe


def stated(scenario: Scenario, catalog: Catalog, _: Words) -> str:
    """The reader's claim as a sentence.

    Parameters
    ----------
    scenario : Scenario
        Its view says what is claimed.
    catalog : Catalog
        For names.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    choices, workload = scenario.view.claims, scenario.workload
    part, other = (_name(catalog, name) for name in parts_of(scenario))
    if choices.own == "sizing":
        model = catalog.models[workload.model].name if workload.model in catalog.models else workload.model
        return _(
            "“{gpus} × {part} serve {model} ({format}) to {sequences} sequences of {tokens} tokens at the same time.”",
            gpus=_.number(choices.own_gpus, 9),
            part=part,
            model=markdown_safe(model),
            format=weight_format(workload.weight_format, _),
            sequences=_.number(workload.concurrency, 9),
            tokens=_.number(workload.context_tokens, 9),
        )
    ratio = _.number(choices.own_ratio, 3)
    if choices.own == "price":
        if choices.own_price == "purchase":
            return _("“{part} costs {ratio} times what {other} costs to buy.”", part=part, ratio=ratio, other=other)
        return _(
            "“{part} costs {ratio} times what {other} costs to rent on demand.”", part=part, ratio=ratio, other=other
        )
    if choices.own_price == "purchase":
        return _(
            "“{part} does {ratio} times the work of {other} for each dollar of purchase.”",
            part=part, ratio=ratio, other=other,
        )  # fmt: skip
    return _(
        "“{part} does {ratio} times the work of {other} for each dollar of rent.”", part=part, ratio=ratio, other=other
    )


def verdict(judged: Judged, scenario: Scenario, _: Words) -> str:
    """The verdict on the reader's claim, and why there is none where there is none.

    Parameters
    ----------
    judged : Judged
        From `lib.choice.claims.own.own_claim`.
    scenario : Scenario
        What was claimed.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if judged.verdict != "uncheckable":
        return _("Verdict: **{verdict}**, by {n} readings.", verdict=marked(judged.verdict, _), n=len(judged.outcomes))
    if scenario.view.claims.own == "per-dollar" and not judged.outcomes:
        return _(
            "Verdict: **{verdict}**. No MLPerf test has both parts on equally many accelerators: a measured pair "
            "would decide it.",
            verdict=marked(judged.verdict, _),
        )
    return _(
        "Verdict: **{verdict}**. A figure that it needs is not published: a dated list price, or the part's memory as "
        "the runtime reports it, would decide it.",
        verdict=marked(judged.verdict, _),
    )


def problem(error: InputError, _: Words) -> str:
    """Why a claim of this form cannot be judged, as a sentence.

    Parameters
    ----------
    error : InputError
        From `lib.choice.claims.own.own_claim`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    if error.field == "model":
        return _("Choose a model of the catalogue: a config of your own is sized on the memory page.")
    return _("Choose two different parts: a part cannot be compared with itself.")


def _name(catalog: Catalog, accelerator_id: str) -> str:
    known = catalog.accelerators.get(accelerator_id)
    return markdown_safe(known.short_name if known else accelerator_id)
