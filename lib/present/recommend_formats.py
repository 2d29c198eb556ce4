"""Every candidate in every weight format, as a table, and who would come first were the format free."""

import pandas as pd

from lib.choice.free_format import FreeFormat, InFormat
from lib.choice.recommend import Recommendation
from lib.present import cost, names
from lib.present.recommend_checks import reason
from lib.present.recommend_figures import figure_text, fleet_words, more_or_less, unit_of
from lib.present.text import Words, markdown_safe


def formats_table(found: Recommendation, free: FreeFormat, _: Words) -> pd.DataFrame:
    """Every candidate in every weight format in one order, the one to choose marked.

    Parameters
    ----------
    found : Recommendation
        The answer.
    free : FreeFormat
        The candidates in all formats.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row a candidate and format.
    """
    lines = []
    for row in free.rows:
        one, figure = row.assessment, row.standing.figure
        spread = one.million_tokens_usd
        line: dict[str, object] = {
            _("Option"): cost.option_label(one.cost, _),
            _("Weight format"): format_name(free, row.word, _),
            _("Verdict"): _verdict(found, free, row, _),
        }
        if free.metric != "outlay":
            line[_("{unit}, low end", unit=unit_of(free.metric, _))] = (
                None if figure is None else float(f"{figure:.3g}")
            )
        if free.metric == "million-tokens":
            line[_("USD per million tokens, 80 %")] = _.span(spread[0], spread[2]) if spread else _("not estimated")
        line |= {
            _("NPV, USD"): None if one.cost.npv_usd is None else round(one.cost.npv_usd),
            _("GPUs paid for"): one.cost.option.held_gpus if one.cost.option else None,
            _("Fleet"): fleet_words(one, _),
            _("How it runs"): next((reason(check, _) for check in one.checks if check.name == "format"), "").replace(
                "\\", ""
            ),
        }
        line[_("Checks that fail")] = _.listing([reason(check, _) for check in one.failed]).replace("\\", "")
        lines.append(line)
    return pd.DataFrame(lines)


def format_name(free: FreeFormat, word: str, _: Words) -> str:
    """A weight format's name, with what the native one stands for.

    Parameters
    ----------
    free : FreeFormat
        For the format that the model is published in.
    word : str
        A format of the scenario's vocabulary.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "bf16", or "fp8-block128 (native)".
    """
    if word == "native" and free.native:
        return _("{format} (native)", format=free.native)
    return names.weight_format(word, _)


def _verdict(found: Recommendation, free: FreeFormat, row: InFormat, _: Words) -> str:
    if row is free.first:
        return _("first, were the format free") if free.is_another else _("first")
    if row is free.present:
        return _("first as the format stands")
    if row.assessment.failed:
        return _("ruled out")
    if row.support == "emulated":
        return _("emulated: not recommended")
    if row.support not in ("native", "weight-only"):
        return _("not known to run: not recommended")
    return "" if row.assessment.can_win else _("no cost")


def free_format_words(free: FreeFormat, _: Words) -> str:
    """Who would come first were the format free, at what figure, against the answer as it stands.

    Parameters
    ----------
    free : FreeFormat
        The candidates in all formats.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    quality = _(
        "What a format does to the answers of the model is not modelled: test it with your own prompts before you decide on it."
    )
    if free.first is None:
        return _("No candidate passes every check in a weight format that is documented to run on it.") + " " + quality
    first = free.first
    named = {
        "option": markdown_safe(cost.option_label(first.assessment.cost, _)),
        "format": format_name(free, first.word, _),
        "figure": figure_text(free.metric, first.standing.figure, _),
    }
    if not free.is_another:
        said = _("Were the format free, **{option} in {format}** would still come first, at {figure}.", **named)
    elif free.present is None:
        said = _("Were the format free, **{option} in {format}** would come first, at {figure}.", **named)
    else:
        present = free.present
        said = _(
            "Were the format free, **{option} in {format}** would come first, at {figure} ({difference}) against {present_figure} of "
            "{present} in {present_format}.",
            **named,
            difference=more_or_less(free.difference, _),
            present=markdown_safe(cost.option_label(present.assessment.cost, _)),
            present_format=format_name(free, present.word, _),
            present_figure=figure_text(free.metric, present.standing.figure, _),
        )
    return f"{said} {quality}"
