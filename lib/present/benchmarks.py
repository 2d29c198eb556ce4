"""The benchmarks page in words: the answer in one sentence and its numbers."""

from collections.abc import Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.evidence import EQUAL_COUNT, INDEPENDENT, INTERESTED, OWN_COUNT, PairGroup
from lib.choice.evidence_classes import Contrast
from lib.choice.filters import Filters
from lib.choice.measured import Finding
from lib.choice.mlperf import BEST, SAME_SUBMITTER, VENDORS
from lib.choice.mlperf_view import MlperfRatio, MlperfView
from lib.choice.nearest import NearestPair
from lib.choice.scenario import Workload
from lib.present.evidence_words import contrast_clause
from lib.present.measured_words import load_in_words, mlperf_scenario, model_name, pair_dates, ratio_span, short_name
from lib.present.text import Words, markdown_safe
from lib.records import Accelerator, Doubt

_NAMED_PUBLISHERS: Final = 3


def answer(
    parts: Sequence[Accelerator],
    finding: Finding | None,
    nearest: NearestPair | None,
    view: MlperfView | None,
    workload: Workload,
    catalog: Catalog,
    filters: Filters,
    contrast: Contrast | None,
    _: Words,
) -> str:
    """What was measured of the second part against the first, in one sentence with its numbers.

    Parameters
    ----------
    parts : sequence of Accelerator
        The first is the base.
    finding : Finding or None
        Of the second part over the first; None where there is one part only.
    nearest : NearestPair or None
        The pair nearest to the workload.
    view : MlperfView or None
        The MLPerf test in view.
    workload : Workload
        What is run.
    catalog : Catalog
        The edition.
    filters : Filters
        Which serving runs are read.
    contrast : Contrast or None
        One publisher's pairs of the workload's model at few and at many requests.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown: MLPerf, then serving.
    """
    if finding is None:
        return _("Choose a second part in the sidebar to compare {part} with it.", part=parts[0].short_name)
    serving = _serving(finding, nearest, workload, catalog, contrast, _)
    if filters.any:
        serving = _("among {filters}, {clause}", filters=filters_in_words(filters, _), clause=serving)
    return _first_upper(_("{mlperf}; {serving}.", serving=serving, mlperf=mlperf_clause(finding, view, catalog, _)))


def filters_in_words(filters: Filters, _: Words) -> str:
    """Which runs are read, as a phrase.

    Parameters
    ----------
    filters : Filters
        Not the default.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    pieces = [_("runs of independent publishers") if filters.publishers == INDEPENDENT else _("runs")]
    if filters.since:
        pieces.append(_("dated {day} or later", day=filters.since))
    if filters.engine:
        pieces.append(_("on {engine}", engine=markdown_safe(filters.engine)))
    if not filters.queue_limited:
        pieces.append(_("not queue-limited"))
    return _.pick(" ", "，").join(pieces)


def _serving(
    finding: Finding,
    nearest: NearestPair | None,
    workload: Workload,
    catalog: Catalog,
    contrast: Contrast | None,
    _: Words,
) -> str:
    part, base = short_name(catalog, finding.part), short_name(catalog, finding.base)
    model = markdown_safe(model_name(catalog, workload.model, _))
    if finding.groups and contrast is not None and len(finding.publishers) == 1:
        return _(
            "for {model}, {contrast}; all its like-for-like runs put {part} per GPU at {pieces}",
            model=model,
            contrast=contrast_clause(contrast, base, _),
            part=part,
            pieces=_.listing([_group(one, base, _) for one in finding.groups]),
        )
    if finding.groups and contrast is not None:
        return _(
            "for {model}, {contrast}; all like-for-like runs ({publishers}; {dates}) put {part} per GPU at {pieces}",
            model=model,
            contrast=contrast_clause(contrast, base, _),
            publishers=_publishers(finding, _),
            dates=_dates(finding, _),
            part=part,
            pieces=_.listing([_group(one, base, _) for one in finding.groups]),
        )
    if finding.groups:
        return _(
            "for {model}, like-for-like serving runs ({publishers}; {dates}) put {part} per GPU at {pieces}",
            model=model,
            publishers=_publishers(finding, _),
            dates=_dates(finding, _),
            part=part,
            pieces=_.listing([_group(one, base, _) for one in finding.groups]),
        )
    if workload.task == "image":
        return _("{model} is measured by MLPerf alone: no serving run of it was found", model=model)
    if nearest is None:
        return _("no like-for-like serving pair of {part} and {base} was found, for any model", part=part, base=base)
    return _(
        "no like-for-like serving pair of {part} and {base} was found for {model}; the nearest, {nearest}, shows "
        "**{ratio}** per GPU and differs in {differences}",
        part=part,
        base=base,
        model=model,
        nearest=nearest_in_words(nearest, catalog, _),
        ratio=ratio_span([nearest.pair["ratio"]], _),
        differences=_.listing(difference_words(nearest.differences, _)),
    )


def _group(group: PairGroup, base: str, _: Words) -> str:
    ratio = ratio_span([group.low, group.high], _)
    remarks = [_.count("{n} pair", "{n} pairs", group.pairs)]
    if group.pairs > 2:
        median = f"{group.median:.2f}"
        remarks.insert(0, _("median {median}", median=median))
    if not group.eager_equal:
        remarks.append(_("eager mode on one side"))
    if group.queue_limited:
        remarks.append(_("{n} queue-limited", n=group.queue_limited))
    if group.hardware_sponsored:
        remarks.append(_("{n} on sponsored hardware", n=group.hardware_sponsored))
    if group.count_unstated:
        remarks.append(_("{n} with a GPU count not stated", n=group.count_unstated))
    if group.kind == EQUAL_COUNT:
        message = _("**{ratio}** of {base} at equal GPU counts ({remarks})")
    else:
        message = _("**{ratio}** of {base} with each part at its own GPU count ({remarks})")
    return message.format(ratio=ratio, base=base, remarks=_.pick(", ", "，").join(remarks))


def nearest_in_words(nearest: NearestPair, catalog: Catalog, _: Words) -> str:
    """The nearest pair by model, format, load, publisher and date.

    Parameters
    ----------
    nearest : NearestPair
        From `lib.choice.nearest.nearest`.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    pair = nearest.pair
    name = model_name(catalog, pair["model_id"], _) if pair["model_id"] else pair["model_a"]
    pieces = [str(name), pair["weight_format"] or _("format not stated")]
    pieces.append(load_in_words(pair["input_tokens"], pair["output_tokens"], pair["concurrency"], _))
    pieces += [_caveat(one, _) for one in nearest.caveats]
    pieces += [pair["publisher"], pair_dates(str(pair["date_a"]), str(pair["date_b"]), _)]
    return markdown_safe(_.pick(", ", "，").join(pieces))


def difference_words(differences: Sequence[Doubt], _: Words) -> list[str]:
    """In what a pair is not the workload, each once.

    Parameters
    ----------
    differences : sequence of Doubt
        Of a NearestPair.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Plain words.
    """
    words = {
        "model-differs": _("model"),
        "format-differs": _("weight format"),
        "format-unstated": _("weight format (not stated)"),
        "input-differs": _("input length"),
        "output-differs": _("output length"),
        "concurrency-differs": _("concurrency"),
        "load-unstated": _("load (not stated)"),
    }
    return list(dict.fromkeys(words[one.code] for one in differences))


def _caveat(doubt: Doubt, _: Words) -> str:
    return {
        "historical": _("software of 2024"),
        "own-count": _("each part at its own GPU count"),
        "queue-limited": _("queue-limited"),
        "eager-differs": _("eager mode on one side"),
    }[doubt.code]


def mlperf_clause(finding: Finding, view: MlperfView | None, catalog: Catalog, _: Words) -> str:
    """What an MLPerf test says of two parts, without a full stop.

    Parameters
    ----------
    finding : Finding
        Of one part over another.
    view : MlperfView or None
        The test.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    part, base = short_name(catalog, finding.part), short_name(catalog, finding.base)
    if view is None:
        return _("MLPerf Inference has no result of these parts")
    test = _(
        "{round}, {model}, {scenario}", round=view.round, model=view.model, scenario=mlperf_scenario(view.scenario, _)
    )
    if finding.mlperf_barred:
        return _(
            "a comparison of {part} with {base} is not to be published from MLPerf Inference {round}",
            part=part,
            base=base,
            round=view.round,
        )
    if finding.mlperf_without:
        missing = _.listing([short_name(catalog, one) for one in finding.mlperf_without])
        return _("MLPerf Inference ({test}) has no result of {parts}", test=test, parts=missing)
    pieces = mlperf_pieces(finding, base, _)
    if not pieces:
        return _(
            "MLPerf Inference ({test}) has no two systems of {part} and {base} of equal size",
            test=test,
            part=part,
            base=base,
        )
    return _(
        "per accelerator (derived), {part} reaches {pieces} in MLPerf Inference ({test})",
        test=test,
        part=part,
        pieces=_.listing(pieces),
    )


def mlperf_pieces(finding: Finding, base: str, _: Words) -> list[str]:
    """Ratios of the vendors' own systems and of one submitter's, else of the best systems.

    Parameters
    ----------
    finding : Finding
        Of one part over another.
    base : str
        Name of the other.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown; the first names the other part.
    """
    vendors, same, best = (finding.ratios(kind) for kind in (VENDORS, SAME_SUBMITTER, BEST))
    if not vendors and not same:
        return [
            _(
                "**{ratio}** of {base} between the best {n}-accelerator systems ({a} against {b})",
                ratio=_ratios([one], _),
                base=base,
                n=one.accelerator_count,
                a=markdown_safe(one.submitter_a),
                b=markdown_safe(one.submitter_b),
            )
            for one in best[:1]
        ]
    names = _.listing(sorted({markdown_safe(one.submitter_a) for one in same}))
    own = [
        _(
            "**{ratio}** of {base} on the vendors' own {n}-accelerator systems",
            ratio=_ratios(vendors, _),
            base=base,
            n=one.accelerator_count,
        )
        for one in vendors[:1]
    ]
    if not same:
        return own
    if own:
        return [
            *own,
            _("**{ratio}** where one submitter ran both ({submitters})", ratio=_ratios(same, _), submitters=names),
        ]
    return [
        _(
            "**{ratio}** of {base} where one submitter ran both ({submitters})",
            ratio=_ratios(same, _),
            base=base,
            submitters=names,
        )
    ]


def metrics(finding: Finding, nearest: NearestPair | None, workload: Workload, _: Words) -> list[tuple[str, str, str]]:
    """The two to four numbers of the answer: label, value and what it means.

    Parameters
    ----------
    finding : Finding
        Of the second part over the first.
    nearest : NearestPair or None
        Shown where the workload's model has no pair.
    workload : Workload
        What is run: images have no serving runs.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        MLPerf on the vendors' own systems (the best systems where there are none) and of one submitter; serving at
        equal and at own GPU counts.
    """
    derived = _("Per accelerator, derived by division: not an MLPerf metric, not verified by MLCommons.")
    vendors, same, best = (finding.ratios(kind) for kind in (VENDORS, SAME_SUBMITTER, BEST))
    if best and not vendors:
        found = [(_("MLPerf, best systems"), _ratios(best[:1], _), derived)]
    else:
        found = [(_("MLPerf, vendors' own systems"), _ratios(vendors, _), derived)]
    found.append((_("MLPerf, one submitter"), _ratios(same, _), derived))
    if workload.task == "image":
        return found
    if not finding.groups:
        ratio = ratio_span([nearest.pair["ratio"]] if nearest is not None else [], _)
        other = _("Throughput per GPU of the nearest pair that was measured: the sentence above says how it differs.")
        return [*found, (_("Nearest serving pair, another workload"), ratio, other)]
    serving = _("Lowest and highest pair of this model; the two kinds are never averaged.")
    return [
        *found,
        (_("Serving, equal GPU counts"), group_span(finding, EQUAL_COUNT, _), serving),
        (_("Serving, each at its own count"), group_span(finding, OWN_COUNT, _), serving),
    ]


def group_span(finding: Finding, kind: str, _: Words, *, count: bool = False) -> str:
    """The range of the first group of a kind: without a difference in eager mode where there is one.

    Parameters
    ----------
    finding : Finding
        Of one part over another.
    kind : str
        EQUAL_COUNT or OWN_COUNT.
    _ : Words
        The reader's language.
    count : bool
        Whether the number of pairs stands behind it.

    Returns
    -------
    str
        Plain text.
    """
    groups = finding.of_kind(kind)
    if not groups:
        return _("not measured")
    span = ratio_span([groups[0].low, groups[0].high], _)
    return f"{span} ({_.count('{n} pair', '{n} pairs', groups[0].pairs)})" if count else span


def _ratios(ratios: Sequence[MlperfRatio], _: Words) -> str:
    return ratio_span([one.ratio for one in ratios], _)


def _publishers(finding: Finding, _: Words) -> str:
    """Who published, and whether anyone with an interest is among them."""
    names = [markdown_safe(one) for one in finding.publishers[:_NAMED_PUBLISHERS]]
    if len(finding.publishers) > _NAMED_PUBLISHERS:
        names.append(_("{n} more", n=len(finding.publishers) - _NAMED_PUBLISHERS))
    interests = set(finding.interests)
    if interests == {INDEPENDENT}:
        return _("{names}, independent", names=_.listing(names))
    if interests <= set(INTERESTED):
        return _("{names}, with an interest in the result", names=_.listing(names))
    return _("{names}, not all without an interest", names=_.listing(names))


def _dates(finding: Finding, _: Words) -> str:
    first, last = finding.dates
    if not first:
        return _("date not stated")
    return first if first == last else _("{first} to {last}", first=first, last=last)


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
