"""The recommendation in tables: checks, cost and evidence, what would change the answer, what a power cap holds."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.checks import NAMES
from lib.choice.evidence import EQUAL_COUNT, PairGroup
from lib.choice.holding import MS_PER_S
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.recommend_checks import cell, check_name, reason
from lib.present.recommend_figures import fleet_words, set_by_words, unit_of
from lib.present.recommend_words import money
from lib.present.text import Words
from lib.units import GIB


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
    """Every candidate that was weighed on one table: fleet, figure, cost, speed, power, evidence, risk, supply.

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
        One row a candidate in the order of the answer; amounts in USD.
    """
    base = catalog.accelerator(found.base_id).short_name
    lines = []
    for one in found.assessments:
        unit, fleet = one.cost.unit, one.fleet
        low, high = one.band_usd or (None, None)
        is_base = one.backing.accelerator_id == found.base_id
        figure = found.standing(one).figure
        spread, speed = one.million_tokens_usd, fleet.speed if fleet is not None else None
        line: dict[str, object] = {_("Option"): cost.option_label(one.cost, _)}
        if found.metric != "outlay":
            line[_("{unit}, low end", unit=unit_of(found.metric, _))] = (
                None if figure is None else float(f"{figure:.3g}")
            )
        if spread is not None or found.metric == "million-tokens":
            line[_("USD per million tokens, 80 %")] = _.span(spread[0], spread[2]) if spread else _("not estimated")
        line |= {
            _("NPV, USD"): None if one.cost.npv_usd is None else round(one.cost.npv_usd),
            _("NPV over the price range, USD"): None if low is None else _band(low, high),
            _("GPUs paid for"): one.cost.option.held_gpus if one.cost.option else None,
            _("Per GPU-hour paid for, USD"): None if unit is None else round(float(unit.gpu_hour_usd), 2),
            _("Power, kW"): None if one.cost.power_kw is None else round(one.cost.power_kw, 1),
        }
        if found.is_sized:
            line[_("Tokens/s, 80 %")] = _.span(speed.low, speed.high) if speed else _("not estimated")
            line[_("TTFT / TPOT, ms")] = _pair(one, _)
            line[_("Free beside one sequence, GiB")] = (
                None if fleet is None or fleet.slack_bytes is None else round(fleet.slack_bytes / GIB, 1)
            )
            line[_("Pairs with {base}", base=base)] = "–" if is_base else str(one.backing.pairs)
            line[_("Throughput, {base} = 1", base=base)] = "1" if is_base else _group(one.backing.leading, _)
            line[_("Publishers")] = "–" if is_base else str(_publishers(one))
        line |= {_("Fleet"): fleet_words(one, _), _("Set by"): set_by_words(one, _)}
        line[_("Software risk, 0 to 1")] = round(one.risk.software, 2)
        line[_("Supply")] = next((reason(check, _) for check in one.checks if check.name == "supply"), "")
        lines.append(line)
    return pd.DataFrame(lines).dropna(axis="columns", how="all")


def side_by_side(table: pd.DataFrame, _: Words) -> pd.DataFrame:
    """A table of few rows turned: what its columns say as rows, its rows as columns named by their first cell.

    Parameters
    ----------
    table : pandas.DataFrame
        One row an option, its name first.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    first, *rest = table.columns
    lines = [[name, *(_told(value, _) for value in table[name])] for name in rest]
    heads = [f"{place}. {name}" for place, name in enumerate(table[first], start=1)]  # names may be alike
    return pd.DataFrame(lines, columns=[first, *heads])


def _told(value: object, _: Words) -> str:
    """A cell as text: whole numbers with every figure, others with three."""
    if isinstance(value, str):
        return value
    number = float(value) if value is not None else float("nan")  # type: ignore[arg-type]
    return f"{number:,.0f}" if number.is_integer() else _.number(number)


def _pair(one: Assessment, _: Words) -> str:
    """Both times of one operating point."""
    speed = one.fleet.speed if one.fleet is not None else None
    if speed is None or speed.ttft_s is None:
        return _("not estimated")
    first = _.number(speed.ttft_s.estimate * MS_PER_S)
    return first if speed.tpot_s is None else f"{first} / {_.number(speed.tpot_s.estimate * MS_PER_S)}"


def _publishers(one: Assessment) -> int:
    return max((group.publishers for group in one.backing.serving.groups if not group.historical), default=0)


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
        now = found.scenario.money.utilisation
        message = (
            _(
                "**If idle GPUs can be given back, {rented} costs less than {held}** up to {at} utilisation; you state {now}. The ranking pays a rent for all hours."
            )
            if now < both.at
            else _(
                "If idle GPUs could be given back, {rented} would cost less than {held} up to {at} utilisation; you state {now}."
            )
        )
        return message.format(at=_.percent(both.at), held=held, rented=rented, now=_.percent(now))
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
