"""Two scenarios side by side in tables: the inputs that differ, the answers, and every option in both."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.assessment import Assessment
from lib.choice.checks import Check
from lib.choice.recommend import Recommendation
from lib.choice.scenario_difference import Difference, Effect, OptionPair
from lib.choice.scenario_inputs import SHOWN_ONLY
from lib.present.compare import LEAST_USD, advised, signed
from lib.present.compare_names import group_name, group_values, price_source
from lib.present.cost import fleet_text, option_label
from lib.present.cost_changes import candidate_name
from lib.present.recommend_checks import check_name
from lib.present.recommend_figures import figure_words, metric_name
from lib.present.text import Words


def inputs_table(found: Difference, catalog: Catalog, _: Words) -> pd.DataFrame:
    """Every group of inputs that differs: both values, and what it does to the cost alone.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    catalog : Catalog
        For names of parts and models.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        The greatest effect first.
    """
    effects = found.effects or [Effect((group,), None, None, None, None) for group in found.groups]
    rows = []
    for one in effects:
        for group in one.groups:
            mine, theirs = group_values(group, catalog, _)
            rows.append(
                {
                    _("Input"): group_name(group, catalog, _),
                    _("Yours"): mine,
                    _("Other"): theirs,
                    _("Effect alone, USD"): _effect(one, _),
                    _("In yours"): signed(one.in_yours),
                    _("In the other"): signed(one.in_other),
                    _("Yours would then be advised"): "" if one.then is None else candidate_name(one.then, catalog, _),
                }
            )
    return pd.DataFrame(rows)


def _effect(one: Effect, _: Words) -> str:
    if all(group.key == SHOWN_ONLY for group in one.groups):
        return _("none: shown only")
    if one.usd is None:
        return _("not computed")
    text = signed(one.usd)
    if len(one.groups) > 1:
        return _("{amount}, with others", amount=text)
    return _("{amount}, from one end", amount=text) if one.in_yours is None or one.in_other is None else text


def answers_table(found: Difference, _: Words) -> pd.DataFrame:
    """The answers side by side: what is advised, the figure that ranks it, its fleet, cost, range, tokens and power.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        A row for each answer, with the difference where it is a number.
    """
    mine, theirs = found.yours.winner, found.other.winner
    both: Sequence[tuple[Recommendation, Assessment | None]] = ((found.yours, mine), (found.other, theirs))

    def row(label: str, texts: Sequence[str], change: str = "") -> dict[str, str]:
        differs = change or (_("same") if texts[0] == texts[1] else _("differs"))
        return {
            _("Answer"): label, _("Yours"): texts[0], _("Other"): texts[1], _("Yours minus other"): differs
        }  # fmt: skip

    none = _("none passes")
    label = _("USD per million tokens, low end (80 % interval)")
    is_ranked_by_tokens = all(one.metric == "million-tokens" for one, _won in both)
    tokens = [] if is_ranked_by_tokens else [row(label, [_tokens(won, _) if won else none for _found, won in both])]
    return pd.DataFrame(
        [
            row(_("Recommended option"), [advised(one, _) if won else none for one, won in both]),
            row(_("Fleet"), [fleet_text(won.cost, _) if won else none for _found, won in both]),
            row(
                _("Net present value, USD"),
                [f"{won.cost.npv_usd or 0.0:,.0f}" if won else none for _found, won in both],
                _exact(found.total_usd),
            ),
            row(_("Over the range of the price, USD"), [_range(won) if won else none for _found, won in both]),
            row(_("Ranked by"), [metric_name(one.metric, _) for one, _won in both]),
            row(
                _("Figure that ranks it"),
                [figure_words(one, won, _, plain=True) if won else none for one, won in both],
            ),
            *tokens,
            row(_("Power at the wall, kW"), [_power(won, _) if won else none for _found, won in both]),
            row(_("Options that pass"), [_passing(one, _) for one, _won in both]),
            row(_("Horizon, years"), [str(one.scenario.money.horizon_years) for one, _won in both]),
        ]
    )


def _exact(usd: float | None) -> str:
    return "" if usd is None else "0" if abs(usd) < LEAST_USD else f"{usd:+,.0f}".replace("-", "−")


def _range(one: Assessment) -> str:
    low, high = one.band_usd or (0.0, 0.0)
    return f"{low:,.0f}–{high:,.0f}" if low < high else f"{low:,.0f}"


def _tokens(one: Assessment, _: Words) -> str:
    found = one.million_tokens_usd
    if found is None:
        return _("not estimated")
    return f"{_.number(found[2])} ({_.span(found[0], found[2])})" if found[0] < found[2] else _.number(found[2])


def _power(one: Assessment, _: Words) -> str:
    return _("the provider's") if one.cost.power_kw is None else _.number(one.cost.power_kw)


def _passing(found: Recommendation, _: Words) -> str:
    passing = sum(one.can_win for one in found.assessments)
    return _("{n} of {all} options", n=passing, all=len(found.assessments))


def options_table(found: Difference, _: Words) -> pd.DataFrame:
    """Every option of either scenario with its cost in both.

    Parameters
    ----------
    found : Difference
        The two scenarios.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        In the order of your answer, then those of the other alone.
    """
    labels = [_label(pair, _) for pair in found.options]
    return pd.DataFrame(
        [
            _option_row(pair, _with_price(label, pair, _) if labels.count(label) > 1 else label, _)
            for pair, label in zip(found.options, labels, strict=True)
        ]
    )


def _option_row(pair: OptionPair, label: str, _: Words) -> dict[str, str]:
    return {
        _("Option"): label,
        _("Yours: NPV, USD"): _cost(pair.yours, _),
        _("Other: NPV, USD"): _cost(pair.other, _),
        _("Yours minus other"): _exact(pair.change_usd) or "–",
        _("Yours: GPUs"): _gpus(pair.yours),
        _("Other: GPUs"): _gpus(pair.other),
        _("Yours: checks"): _checks(pair.yours, _),
        _("Other: checks"): _checks(pair.other, _),
    }


def _label(pair: OptionPair, _: Words) -> str:
    """An option's name; both where another article's price or month of the order names it differently."""
    named = [option_label(one.cost, _) for one in (pair.yours, pair.other) if one is not None]
    if len(set(named)) < 2:
        return named[0]
    return _("{yours}; in the other: {other}", yours=named[0], other=named[1])


def _with_price(label: str, pair: OptionPair, _: Words) -> str:
    """One name of several options, told apart by whose price it is."""
    return _("{option} (price: {source})", option=label, source=price_source(pair.candidate.price_source, _))


def _cost(one: Assessment | None, _: Words) -> str:
    if one is None:
        return _("not compared")
    return _("no cost") if one.cost.npv_usd is None else f"{one.cost.npv_usd:,.0f}"


def _gpus(one: Assessment | None) -> str:
    return "–" if one is None or one.cost.option is None else f"{one.cost.option.held_gpus:,}"


def _checks(one: Assessment | None, _: Words) -> str:
    if one is None:
        return "–"
    if one.failed:
        return _("ruled out by: {checks}", checks=_names(one.failed, _))
    return _("passes; not known: {checks}", checks=_names(one.open_checks, _)) if one.open_checks else _("passes")


def _names(checks: Sequence[Check], _: Words) -> str:
    return ", ".join(check_name(one.name, _) for one in checks)
