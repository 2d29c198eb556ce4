"""What is not known, as a request for quotation that can be copied into a mail."""

from collections.abc import Sequence

from lib.catalog import Catalog
from lib.choice.costed import Costed
from lib.choice.quoted import quote_behind
from lib.choice.recommend import Recommendation
from lib.choice.scenario import Scenario
from lib.choice.unknowns import Unknown
from lib.present import cost
from lib.present.measured_words import model_name
from lib.present.offer import quote_name
from lib.present.open_questions import questions_table
from lib.present.recommend_words import amount
from lib.present.text import Words


def request(found: Recommendation, unknown: Sequence[Unknown], catalog: Catalog, link: str, _: Words) -> str:
    """A request for quotation: the load, the fleets that we reckon with, and every open question.

    Parameters
    ----------
    found : Recommendation
        The answer.
    unknown : sequence of Unknown
        What is not known.
    catalog : Catalog
        For names and the edition.
    link : str
        Where the whole scenario can be opened; "" for none.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text.
    """
    workload = found.scenario.workload
    load = [
        _("Model: {model}, weights {format}, cache {cache}", model=model_name(catalog, workload.model, _),
          format=workload.weight_format, cache=workload.kv_format),
        _("Load: {input} tokens in, {output} out, {concurrency} requests at once", input=f"{workload.input_tokens:,}",
          output=f"{workload.output_tokens:,}", concurrency=f"{workload.concurrency:,}"),
    ]  # fmt: skip
    if workload.request_rate_per_s is not None:
        load.append(
            _(
                "Rate: {rate} requests per second, peak factor {peak}",
                rate=amount(workload.request_rate_per_s),
                peak=amount(workload.peak_factor),
            )
        )
    for name, limit in (("TTFT", workload.ttft_limit_ms), ("TPOT", workload.tpot_limit_ms)):
        if limit is not None:
            load.append(_("Limit: {name} of at most {limit} ms", name=name, limit=amount(limit)))
    fleets = [
        f"{cost.option_label(one.cost, _)}: {cost.fleet_text(one.cost, _)}{_of_quote(one.cost, found.scenario, catalog, _)}"
        for one in found.assessments
        if one.is_feasible
    ]
    table = questions_table(unknown, _)
    asked = [f"{at}. {row[2]} ({row[1]})" for at, row in enumerate(table.itertuples(index=False), start=1)]
    text = [
        _("Request for quotation"),
        "",
        *load,
        "",
        _("We reckon with:"),
        *[f"- {one}" for one in fleets],
        "",
        _("Please state, for each part:"),
        *asked,
        "",
        _("Data edition {edition}.", edition=catalog.edition.label) + (f" {link}" if link else ""),
    ]
    return "\n".join(line.replace("\\", "") for line in text)


def _of_quote(one: Costed, scenario: Scenario, catalog: Catalog, _: Words) -> str:
    """Whose offer the price is of, where it is of one."""
    quote = quote_behind(catalog, scenario, one.candidate)
    return "" if quote is None else f" ({quote_name(quote, _)})"
