"""The sources page in words: what the edition rests on, what each table is, one source, the method in short."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from lib.catalog import Catalog
from lib.choice.provenance import Closeness, Mark, Provenance
from lib.present.text import UNKNOWN, Words, markdown_safe
from lib.records import Edition

TABLES: Final = (
    "sources", "prices", "assumptions", "accelerators", "spec_sources", "chiplets", "software_matrix", "format_support", "models",
    "layer_groups", "checkpoints", "weight_formats", "model_aliases", "mlperf_inference", "mlperf_training", "serving",
    "training", "micro", "rent_history", "roadmap", "fit_cases", "benchmark_flags", "article_claims",
    "claim_checks", "claim_facts",
)  # fmt: skip
"""The tables that can be browsed, in the order offered; editions have their own place."""


def table_title(table: str, _: Words) -> str:
    """A table's name for people.

    Parameters
    ----------
    table : str
        A name of TABLES.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a label.
    """
    return {
        "sources": _("Sources"),
        "prices": _("Prices"),
        "assumptions": _("Cost assumptions"),
        "accelerators": _("Specifications"),
        "spec_sources": _("Spec cells and their sources"),
        "chiplets": _("Dies, stacks and links"),
        "software_matrix": _("Software matrix"),
        "format_support": _("Formats by part and engine"),
        "models": _("Models"),
        "layer_groups": _("Layer groups"),
        "checkpoints": _("Checkpoints"),
        "weight_formats": _("Weight formats"),
        "model_aliases": _("Published model names"),
        "mlperf_inference": _("MLPerf Inference"),
        "mlperf_training": _("MLPerf Training"),
        "serving": _("Serving measurements"),
        "training": _("Training measurements"),
        "micro": _("Micro-benchmarks"),
        "rent_history": _("Rent history"),
        "roadmap": _("Roadmap"),
        "fit_cases": _("Logged deployments"),
        "benchmark_flags": _("Flags of the benchmark kit"),
        "article_claims": _("Claims of the articles"),
        "claim_checks": _("Checks of the claims"),
        "claim_facts": _("Facts that only claims need"),
    }[table]


def table_trust(table: str, _: Words) -> str:
    """What a table holds and how far to trust it.

    Parameters
    ----------
    table : str
        A name of TABLES.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    return {
        "sources": _("Every source once: who published it, what kind it is, its date and its address."),
        "prices": _(
            "The weakest facts. Defaults are taken from dated list prices of the nine months before the edition; "
            "rows marked weak or illustration stand in this table only and never become a default."
        ),
        "assumptions": _("Every cost driver with its low, base and high, and whether it was measured or estimated."),
        "accelerators": _(
            "One row a part. Peaks are dense unless a column says sparse; fit uses the runtime's memory."
        ),
        "spec_sources": _("What each source states about a cell, and whether it agrees with the value shown."),
        "chiplets": _(
            "What stands inside the packages and between them, a fact a row; what no source says is not there."
        ),
        "software_matrix": _("What the articles say and what documentation says, both kept: compare the dates."),
        "format_support": _(
            "What the engines' code and documentation say of each format on each generation; what they do not say is unknown."
        ),
        "models": _("Architectures with exact parameter counts; doubtful rows say so in their note."),
        "layer_groups": _("Each model as groups of layers: its cache is computed from these rows."),
        "checkpoints": _("Bytes computed from the architecture, beside the published bytes where they were seen."),
        "weight_formats": _("Bits per weight with their scales, and what each format leaves at 16 bit."),
        "model_aliases": _("Names that publishers use, and the model of the catalogue that each one means."),
        "mlperf_inference": _(
            "Compare only within one round, model, scenario and accuracy target. Values per accelerator are derived."
        ),
        "mlperf_training": _("Minutes to the target quality. Accelerator minutes are derived."),
        "serving": _(
            "One row is one metric at one load. Look at the publisher's interest and the conditions; figures per GPU "
            "and per deployment do not mix."
        ),
        "training": _("Training throughput as published, with the publisher's interest."),
        "micro": _("Achieved bandwidth, matrix rates, collectives and power, as measured."),
        "rent_history": _("Rents over time; rows that contradict their own source are not charted."),
        "roadmap": _("Who says when a part can be had; forecasts and articles stand beside the vendors."),
        "fit_cases": _("Public logs of real deployments, against which the memory estimate was fitted."),
        "benchmark_flags": _(
            "What each setting of the benchmark kit is called by each engine, and where that was read."
        ),
        "article_claims": _("What five articles say, paraphrased. They are claims, not facts: verdicts are computed."),
        "claim_checks": _("The readings by which each claim is checked: a formula, what is asked of it, a tolerance."),
        "claim_facts": _("Versions, dates and figures that stand in no other table and that a claim is held against."),
    }[table]


def closeness_name(kind: Closeness, _: Words) -> str:
    """How near a source stands to the fact, in words.

    Parameters
    ----------
    kind : str
        As in `lib.choice.provenance`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a legend.
    """
    return {
        "vendor": _("Vendors and submitters"),
        "record": _("Measurements, projects, price lists"),
        "second-hand": _("Third parties, news, articles"),
        "own": _("Computed or estimated here"),
    }[kind]


def mark_name(mark: Mark, _: Words) -> str:
    """What a mark on a price says.

    Parameters
    ----------
    mark : str
        As in `lib.choice.provenance`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One to four words.
    """
    return {
        "undated": _("no date"),
        "old": _("over 90 days"),
        "weak": _("weak"),
        "illustration": _("illustration"),
    }[mark]


def answer(found: Provenance, edition: Edition, _: Words) -> str:
    """What the edition rests on, in one sentence with its numbers and its weakest place.

    Parameters
    ----------
    found : Provenance
        From `lib.choice.provenance`.
    edition : Edition
        The edition in use.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    newest = found.newest_price_age_days
    return _(
        "From **{facts} facts** in {tables} tables, each with its place in one of **{sources} sources** (edition of "
        "{date}): **{share}** of the {cells} sourced spec cells stand in a document of the part's own vendor, and "
        "prices are the weakest, **{recent} of {prices}** dated within nine months of the edition, the newest {age} "
        "days before it.",
        facts=format(found.facts, ","),
        tables=found.tables,
        sources=format(found.sources, ","),
        date=edition.date,
        share=_.percent(found.vendor_share),
        cells=found.spec_cells,
        recent=found.recent_prices,
        prices=found.prices,
        age=_(UNKNOWN) if newest is None else newest,
    )


def metrics(found: Provenance, _: Words) -> list[tuple[str, str, str]]:
    """The counts of the answer as label, value and help.

    Parameters
    ----------
    found : Provenance
        From `lib.choice.provenance`.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Four rows.
    """
    return [
        (_("Facts"), f"{found.facts:,}", _("Rows of all tables that name a source and a place in it.")),
        (_("Sources"), f"{found.sources:,}", _("Each stands once in the table Sources, with its address.")),
        (
            _("Spec cells stated by the vendor"),
            _("{part} of {whole}", part=found.vendor_cells, whole=found.spec_cells),
            _(
                "Cells whose value a document of the part's own vendor states. The others rest on submitters and third "
                "parties."
            ),
        ),
        (
            _("Prices that can be a default"),
            _("{part} of {whole}", part=found.default_prices, whole=found.prices),
            _(
                "List prices with a date within nine months of the edition. All others are shown but never used "
                "unasked."
            ),
        ),
    ]  # fmt: skip


def chart_title(found: Provenance, _: Words) -> str:
    """The finding of the chart: what rests most on second-hand statements.

    Parameters
    ----------
    found : Provenance
        From `lib.choice.provenance`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title and, with the legend in words, for those who cannot see the chart.
    """
    first, second = (
        _("{table} {share}", table=table_title(one.table, _), share=_.percent(one.second_hand_share))
        for one in found.origins[:2]
    )
    return _("Second-hand: {first}, {second}", first=first, second=second)


def chart_alt(found: Provenance, _: Words) -> str:
    """The chart in words.

    Parameters
    ----------
    found : Provenance
        From `lib.choice.provenance`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence with every table's share.
    """
    shares = [
        _("{table} {share}", table=table_title(one.table, _), share=_.percent(one.second_hand_share))
        for one in found.origins
    ]
    return _("Share of rows that third parties, news or articles report: {shares}.", shares=_.listing(shares))


def source_card(catalog: Catalog, source_id: str, used: Mapping[str, int], _: Words) -> str:
    """One source with everything known about it, and the tables that rest on it.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    source_id : str
        The source.
    used : mapping of str to int
        Table -> rows, from `lib.choice.provenance.uses`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; a web address is a link.
    """
    source = catalog.source(source_id)
    kind = catalog.columns["sources", "kind"]
    place = source.location
    is_web = place.startswith(("https://", "http://")) and not any(character in place for character in ' <>"()\\')
    tables = [
        _("{table} ({rows})", table=_("Presets") if name == "presets" else table_title(name, _), rows=rows)
        for name, rows in used.items()
    ]
    lines = [
        f"**{markdown_safe(source.title)}**",
        _(
            "{publisher} · {kind_label}: {kind} · {date}",
            publisher=markdown_safe(source.publisher),
            kind_label=_.pick(kind.label_en, kind.label_zh),
            kind=source.kind,
            date=source.date or _("no date"),
        ),
        f"<{place}>" if is_web else markdown_safe(place),
        *([markdown_safe(source.note)] if source.note else []),
        _("Rows that rest on it: {tables}.", tables=_.listing(tables)),
    ]
    return "  \n".join(lines)


def editions(catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every edition of the data, the newest first.

    Parameters
    ----------
    catalog : Catalog
        The edition in use, with its predecessors.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Edition, date, change, full hash.
    """
    heads = (_("Edition"), _("Date"), _("Changes"), _("SHA-256 of the data"))
    rows = [(one.label, one.date, one.summary, one.hash) for one in reversed(catalog.editions)]
    return pd.DataFrame(rows, columns=list(heads))


def licence(_: Words) -> str:
    """Whose marks and figures these are.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "MLPerf is a trademark of MLCommons. Each result names its round, submitter and system; values per accelerator "
        "and ratios are derived here, are no MLPerf metrics and are not verified by MLCommons. The tables hold facts "
        "and figures with their sources, no text of a source. Names of products and companies belong to their owners."
    )


def method(_: Words) -> str:
    """How the numbers of the other pages are computed, in the order of the code.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown with one line an equation.
    """
    steps = [
        (_("Weights"), "bytes = Σ parameters × bits / 8",
         _("by block and format, scales included; per GPU, sharded parts are divided by TP, replicated parts whole")),
        (_("KV cache"), "bytes(n) = Σ layers × (b × T(n) + S) / shards",
         _("over groups of layers; T(n) is n or the shorter window; shards is TP, at most what the group allows")),
        (_("Engine workspace"), "workspace = resident + max(forward, sampler)",
         _("an estimate with a low and a high, fitted on logged deployments")),
        (_("Fit"), "cache = memory × fraction − weights − workspace",
         _("memory as the runtime reports it, by vLLM's rule, other engines have theirs; a load fits where the cache "
           "holds its sequences")),
        (_("Cost"), "NPV = Σ flow(month) × (1 + r)^(−month / 12)",
         _("flows by month and component; running costs at the end of each month, resale at the end")),
        (_("Cost per million tokens"), "USD per hour / (tokens per second × 3600) × 10⁶",
         _("an interval of throughput gives an interval of cost")),
        (_("Evidence"), "ratio = (value A / GPUs A) / (value B / GPUs B)",
         _("only between runs of one source, model, format, shape, load and engine family")),
    ]  # fmt: skip
    lines = [f"{number}. **{name}**: `{equation}`, {words}." for number, (name, equation, words) in enumerate(steps, 1)]
    return "\n".join([*lines, "", _("The long form, with every term, its unit and its test, is docs/method.md.")])
