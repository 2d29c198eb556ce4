"""What sets the counts, other ways, the tender sheet, training runs: as tables."""

from collections.abc import Sequence

import pandas as pd

from lib.choice.costed import Costed
from lib.choice.recommend import Recommendation
from lib.choice.tender import Award, Criterion, Offer, Tender
from lib.choice.training_runs import TrainingRate
from lib.present import cost, names
from lib.present import doubts as doubt_words
from lib.present.recommend_checks import cell, check_name, reason
from lib.present.recommend_figures import fleet_words, metric_name, set_by_words, unit_of
from lib.present.text import Words


def counts_table(found: Recommendation, _: Words) -> pd.DataFrame:
    """What sets the number of GPUs of each candidate.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        GPUs that each reason alone asks for.
    """
    heads = {
        "memory": _("Memory"),
        "latency": _("Latency limit"),
        "throughput": _("Request rate"),
        "redundancy": _("With spares"),
        "server": _("Whole servers"),
        "stated": _("Stated"),
    }
    lines = []
    for one in found.assessments:
        if one.fleet is None:
            continue
        line: dict[str, object] = {_("Option"): cost.option_label(one.cost, _), _("Fleet"): fleet_words(one, _)}
        line |= {heads[name]: one.fleet.counts.get(name) for name in heads}
        line[_("Set by")] = set_by_words(one, _)
        lines.append(line)
    return pd.DataFrame(lines).dropna(axis="columns", how="all")


def ways_table(ways: Sequence[tuple[str, Costed]], _: Words) -> pd.DataFrame:
    """The winner's fleet bought, rented and committed.

    Parameters
    ----------
    ways : sequence of (str, Costed)
        From `other_ways`.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a way.
    """
    return pd.DataFrame(
        [
            {
                _("Way"): names.acquisition(way, _),
                _("NPV, USD"): _("not published") if one.npv_usd is None else f"{one.npv_usd:,.0f}",
                _("Per GPU-hour paid for, USD"): "" if one.unit is None else f"{float(one.unit.gpu_hour_usd):,.2f}",
            }
            for way, one in ways
        ]
    )


def criterion_name(criterion: Criterion, found: Recommendation, _: Words) -> str:
    """An award criterion in the reader's words.

    Parameters
    ----------
    criterion : Criterion
        Which one.
    found : Recommendation
        For the metric that is the price.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A heading.
    """
    return {
        "price": metric_name(found.metric, _, capital=True),
        "speed": _("Throughput at the low end"),
        "evidence": _("Like-for-like pairs"),
        "software": _("Software that runs"),
    }[criterion]


def formula(criterion: Criterion, _: Words) -> str:
    """The point formula of an award criterion.

    Parameters
    ----------
    criterion : Criterion
        Which one.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A formula in words.
    """
    return {
        "price": _("weight × lowest / own"),
        "speed": _("weight × own / highest"),
        "evidence": _("weight × own / highest"),
        "software": _("weight × (1 − risk)"),
    }[criterion]


def tender_rows(sheet: Tender, found: Recommendation, _: Words) -> pd.DataFrame:
    """The tender sheet as rows: admission first, then the award criteria with values, formulas and points.

    Parameters
    ----------
    sheet : Tender
        The sheet.
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row an offer and criterion: for the page, for CSV and for a workbook.
    """
    lines: list[tuple[object, ...]] = []
    for offer in sheet.offers:
        option = cost.option_label(offer.assessment.cost, _)
        lines += [
            (
                option,
                _("Admission"),
                check_name(one.name, _),
                cell(one, _).replace("\\", ""),
                _("mandatory"),
                None,
                None,
            )
            for one in offer.admission
        ]
        lines += [
            (option, _("Award"), criterion_name(one.criterion, found, _), _award_value(one, found, _),
             formula(one.criterion, _), one.weight, round(one.points, 2) if offer.is_admitted else 0.0)
            for one in offer.awards
        ]  # fmt: skip
    heads = (
        _("Offer"), _("Kind"), _("Criterion"), _("Value or evidence"), _("Formula"), _("Weight"), _("Points"),
    )  # fmt: skip
    return pd.DataFrame(lines, columns=list(heads))


def tender_table(sheet: Tender, found: Recommendation, _: Words) -> pd.DataFrame:
    """The tender sheet in short: admitted or not, points by criterion, sum.

    Parameters
    ----------
    sheet : Tender
        The sheet.
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row an offer, most points first.
    """
    lines = []
    for offer in sheet.offers:
        line: dict[str, object] = {
            _("Offer"): cost.option_label(offer.assessment.cost, _),
            _("Admitted"): _admitted(offer, _),
        }
        for award in offer.awards:
            heading = f"{criterion_name(award.criterion, found, _)} ({award.weight})"
            line[heading] = round(award.points, 1) if offer.is_admitted else None
        line[_("Points of {most}", most=sheet.most_points)] = round(offer.points, 1) if offer.is_admitted else None
        lines.append(line)
    return pd.DataFrame(lines)


def _admitted(offer: Offer, _: Words) -> str:
    if not offer.is_admitted:
        return _(
            "no: {reasons}", reasons=_.listing([reason(check, _) for check in offer.assessment.failed]) or _("no cost")
        )
    still = len(offer.assessment.open_checks)
    return _("yes") if not still else _.count("yes, {n} proof to come", "yes, {n} proofs to come", still)


def _award_value(award: Award, found: Recommendation, _: Words) -> str:
    if award.value is None:
        return _("not known: no points")
    if award.criterion == "price":
        return f"{_.number(award.value)} {unit_of(found.metric, _)}"
    if award.criterion == "speed":
        return _("{n} tokens/s", n=f"{award.value:,.0f}")
    return f"{award.value:,.0f}" if award.criterion == "evidence" else _.number(award.value)


def training_table(found: Recommendation, _: Words) -> pd.DataFrame:
    """The training run on each candidate: memory, published rates, scaling, time and cost of a billion tokens.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a candidate.
    """
    lines = []
    for one in found.assessments:
        run = one.run
        if run is None:
            continue
        hours, spread = run.hours_per_billion, one.million_tokens_usd
        rate, scaling = run.rate, run.scaling
        lines.append(
            {
                _("Option"): cost.option_label(one.cost, _),
                _("GPUs of the run"): run.gpus,
                _("Memory"): next((reason(check, _) for check in one.checks if check.name == "memory"), ""),
                _("Published TFLOPS per GPU, 10th–90th percentile"): _rates(rate, _),
                _("Scaling in MLPerf Training"): (
                    _("not measured")
                    if scaling is None
                    else _("{share} a doubling, {few} to {many} ({round})", share=_.percent(scaling.per_doubling),
                           few=scaling.few, many=scaling.many, round=scaling.round)
                ),
                _("Hours per billion tokens"): _("data does not support it") if hours is None else _.span(hours[0], hours[2]),
                _("USD per billion tokens"): "" if spread is None else f"{spread[0] * 1000:,.0f}–{spread[2] * 1000:,.0f}",
            }
        )  # fmt: skip
    return pd.DataFrame(lines)


def _rates(rate: TrainingRate | None, _: Words) -> str:
    if rate is None:
        return _("fewer than 3 rows")
    rows = _.count("{n} row", "{n} rows", rate.rows)
    return f"{_.span(rate.low, rate.high)} ({rows})"


def training_note(found: Recommendation, _: Words) -> str:
    """What the training figures rest on, and what the data cannot support.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    doubts = [doubt for one in found.assessments if one.run is not None for doubt in one.run.doubts]
    codes = {doubt.code for doubt in doubts}
    if unread := next((doubt for doubt in doubts if doubt.code == "config"), None):
        return doubt_words.sentence(unread, _)
    said = [
        _(
            "Tokens per second = GPUs × published TFLOPS × scaling / FLOPs per token (6 N + 6 L h s); rows of dense or of "
            "expert models as yours, in the same number format."
        )
    ]
    if "adapters-not-modelled" in codes:
        said.append(_("LoRA and QLoRA: no published rate compares parts, so that no time is given."))
    if "no-training-rate" in codes:
        said.append(
            _(
                "Parts with fewer than three published rows have no rate and stand behind those that do: ask for a timed run."
            )
        )
    if "no-scaling" in codes:
        said.append(
            _(
                "Where MLPerf Training has no two sizes of a part, nothing is deducted for scaling: its time is a lower bound."
            )
        )
    return " ".join(said)
