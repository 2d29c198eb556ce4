"""The recommendation in tables: checks, cost and evidence, what would change the answer, what a power cap holds."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.break_evens import BreakEven
from lib.choice.checks import NAMES
from lib.choice.evidence import EQUAL_COUNT, PairGroup
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.recommend_checks import cell, check_name
from lib.present.recommend_words import money
from lib.present.text import Words


def checks_table(assessments: Sequence[Assessment], _: Words) -> pd.DataFrame:
    """One row a candidate, one column a check that somebody is asked, with symbol and words.

    Parameters
    ----------
    assessments : sequence of Assessment
        In the order of the answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells.
    """
    asked = [name for name in NAMES if any(check.name == name for one in assessments for check in one.checks)]
    lines = []
    for one in assessments:
        line = {
            _(
                "Option"
            ): f"{'**' if one.is_feasible else ''}{cost.option_label(one.cost, _)}{'**' if one.is_feasible else ''}"
        }
        for name in asked:
            cells = [cell(check, _) for check in one.checks if check.name == name]
            line[check_name(name, _)] = "; ".join(cells)
        lines.append(line)
    return pd.DataFrame(lines)


def cost_table(found: Recommendation, catalog: Catalog, _: Words) -> pd.DataFrame:
    """Cost and evidence of every candidate side by side.

    Parameters
    ----------
    found : Recommendation
        The answer.
    catalog : Catalog
        For names.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a candidate; amounts in USD.
    """
    base = catalog.accelerator(found.base_id).short_name
    lines = []
    for one in found.assessments:
        group, unit = one.backing.leading, one.cost.unit
        low, high = one.band_usd or (None, None)
        is_base = one.backing.accelerator_id == found.base_id
        line: dict[str, object] = {
            _("Option"): cost.option_label(one.cost, _),
            _("NPV, USD"): None if one.cost.npv_usd is None else round(one.cost.npv_usd),
            _("NPV over the price range, USD"): None if low is None else _band(low, high),
            _("GPUs paid for"): one.cost.option.held_gpus if one.cost.option else None,
            _("Per GPU-hour, USD"): None if unit is None else round(float(unit.gpu_hour_usd), 2),
        }
        if found.is_sized:
            line[_("Pairs with {base}", base=base)] = "–" if is_base else str(one.backing.pairs)
            line[_("Throughput, {base} = 1", base=base)] = "1" if is_base else _group(group, _)
        lines.append(line)
    return pd.DataFrame(lines).dropna(axis="columns", how="all")


def _band(low: float, high: float | None) -> str:
    return f"{low:,.0f}–{high:,.0f}" if high is not None and low < high else "–"


def _group(group: PairGroup | None, _: Words) -> str:
    """The range of the pairs to read first, with what makes it weaker than it looks."""
    if group is None:
        return _("not measured")
    remarks = [_.span(group.low, group.high)]
    remarks += [_("own GPU counts")] * (group.kind != EQUAL_COUNT) + [_("eager on one side")] * (not group.eager_equal)
    return ", ".join(remarks)


def evidence_table(found: Recommendation, catalog: Catalog, _: Words) -> pd.DataFrame:
    """What was measured of each part against the base part with this model, kind by kind, and MLPerf beside it.

    Parameters
    ----------
    found : Recommendation
        The answer.
    catalog : Catalog
        For names.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a part and kind of evidence.
    """
    lines: list[tuple[object, ...]] = []
    seen = set()
    for one in found.assessments:
        name = one.cost.accelerator.short_name
        if name in seen:
            continue
        seen.add(name)
        for group in one.backing.serving.groups:
            if group.metric_class != "throughput":
                continue
            kind = _("equal GPU counts") if group.kind == EQUAL_COUNT else _("each part at its own GPU count")
            remarks = [kind] + [_("eager mode on one side")] * (not group.eager_equal)
            remarks += [_("software of 2024")] * group.historical
            lines.append(
                (name, _("Serving"), ", ".join(remarks), group.pairs, round(group.median, 3), round(group.low, 3),
                 round(group.high, 3), group.publishers, group.independent_publishers, _dates(group.first_date, group.last_date))
            )  # fmt: skip
        mlperf = one.backing.mlperf
        if mlperf is not None:
            kind = (
                mlperf.benchmark
                if mlperf.is_own_model
                else _("{benchmark} (another model)", benchmark=mlperf.benchmark)
            )
            lines.append(
                (name, "MLPerf Inference", kind, mlperf.tests, None, round(mlperf.low, 3), round(mlperf.high, 3), None, None,
                 ", ".join(mlperf.rounds))
            )  # fmt: skip
    base = catalog.accelerator(found.base_id).short_name
    heads = (
        _("Part"), _("Evidence"), _("Kind"), _("Pairs"), _("Median ratio to {base}", base=base), _("Lowest"), _("Highest"),
        _("Publishers"), _("Independent publishers"), _("Dates or rounds"),
    )  # fmt: skip
    return pd.DataFrame(lines, columns=list(heads))


def changes_table(found: Recommendation, _: Words) -> pd.DataFrame:
    """What would turn the order of the two best: driver, today, turning point, distance.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    winner, rival = found.winner, found.rival
    if winner is None or rival is None:
        return pd.DataFrame()
    names = cost.option_label(winner.cost, _), cost.option_label(rival.cost, _)
    lines = [_change(one, winner, rival, names, _) for one in found.break_evens]
    if found.work_ratio is not None:
        lines.insert(
            2,
            (
                _("Work that the fleet of {rival} does", rival=names[1]),
                _("not estimated"),
                _("{ratio} that of {winner}", ratio=_.ratio(found.work_ratio), winner=names[0]),
                "",
            ),
        )
    heads = _("What changes"), _("Today"), _("The order turns at"), _("Distance")
    return pd.DataFrame(lines, columns=list(heads))


def _change(
    one: BreakEven, winner: Assessment, rival: Assessment, names: tuple[str, str], _: Words
) -> tuple[str, str, str, str]:
    bought = (rival if one.driver == "rival-price" else winner).candidate.acquisition == "buy"
    match one.driver:
        case "rival-price" | "winner-price":
            name = names[1] if one.driver == "rival-price" else names[0]
            label = _("Price of a server, {option}", option=name) if bought else _("Rent, {option}", option=name)
        case "electricity":
            label = _("Electricity price")
        case "utilisation":
            label = _("Utilisation")
        case _other:
            label = _("Discount rate")
    distance = "" if one.change is None else f"{100 * one.change:+.1f} %".replace("-", "−")
    if one.at is None:
        turns = _("never, from {low} to {high}", low=_bare(one), high=_value(one, one.high, bought, _, decimals=0))
    else:
        turns = _value(one, one.at, bought, _)
    return label, _value(one, one.now, bought, _), turns, distance


def _bare(one: BreakEven) -> str:
    """The low end of the range searched; its unit stands at the high end."""
    return f"{one.low:,.0f}" if one.driver.endswith("price") or one.driver == "electricity" else f"{100 * one.low:.0f}"


def _value(one: BreakEven, value: float, bought: bool, _: Words, decimals: int = 1) -> str:
    if one.driver in ("rival-price", "winner-price"):
        return _.usd(value) if bought else _("{usd} per GPU-hour", usd=_.usd(value, 2))
    if one.driver == "electricity":
        return _("{usd} USD per kWh", usd=_.number(value))
    return _.percent(value, decimals)


def rent_or_buy_in_words(found: Recommendation, _: Words) -> str:
    """Whether the winner's part is better held or rented by the hour, and at what utilisation that turns.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown; empty where one of the two has no price.
    """
    both = found.rent_or_buy
    if both is None:
        return ""
    held, rented = (
        _("{option}, {fleet}", option=cost.option_label(one, _), fleet=cost.fleet_text(one, _))
        for one in (both.held, both.rented)
    )
    if both.at is not None:
        return _(
            "Held or rented by the hour used: above **{at}** utilisation {held} costs less than {rented} (today {now}).",
            at=_.percent(both.at), held=held, rented=rented, now=_.percent(found.scenario.money.utilisation),
        )  # fmt: skip
    costs = {
        "held": held, "rented": rented, "held_usd": money(both.held.npv_usd), "rented_usd": money(both.rented.npv_usd)
    }  # fmt: skip
    if both.always == "rented":
        return _(
            "Held or rented by the hour used: {rented} ({rented_usd} USD when it runs all hours) costs less than {held} "
            "({held_usd} USD) at **any** utilisation.",
            **costs,
        )
    return _(
        "Held or rented by the hour used: {held} ({held_usd} USD) costs less than {rented} ({rented_usd} USD when it "
        "runs all hours) at **any** utilisation from 1 %.",
        **costs,
    )


def power_table(found: Recommendation, _: Words) -> pd.DataFrame:
    """What the power cap holds of each candidate that is bought.

    Parameters
    ----------
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        The most memory first.
    """
    return pd.DataFrame(
        [
            {
                _("Option"): cost.option_label(one.assessment.cost, _),
                _("kW per server at the wall"): round(one.kw_per_server, 2),
                _("Servers"): one.servers,
                _("GPUs"): one.gpus,
                _("Memory, GiB"): None if one.memory_gib is None else round(one.memory_gib),
                _("Replicas that hold the load"): one.copies,
                _("NPV, USD"): None if one.npv_usd is None else round(one.npv_usd),
            }
            for one in found.filled
        ]
    )


def _dates(first: str, last: str) -> str:
    return first if first == last else f"{first} – {last}"
