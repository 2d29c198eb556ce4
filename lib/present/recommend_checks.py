"""Checks in words: a short reason for each, and the cell with its symbol."""

from collections.abc import Sequence
from typing import Any, Final

from lib.choice.checks import Check, CheckName
from lib.present import doubts
from lib.present.text import Words, markdown_safe
from lib.records import Doubt

SYMBOLS: Final = {"pass": "✓", "fail": "✗", "unknown": "?"}


def check_name(name: CheckName, _: Words) -> str:
    """The heading of a check.

    Parameters
    ----------
    name : str
        As in `lib.choice.checks`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a table's head.
    """
    return {
        "memory": _("Memory"),
        "software": _("Software"),
        "ttft": _("TTFT limit"),
        "tpot": _("TPOT limit"),
        "power": _("Power cap"),
        "budget": _("Budget cap"),
        "gpus": _("GPU cap"),
        "price": _("Price"),
        "supply": _("Obtainable"),
    }[name]


def cell(check: Check, _: Words) -> str:
    """A check as symbol and words, safe as Markdown.

    Parameters
    ----------
    check : Check
        The check.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "✓ 2 GPUs hold it".
    """
    return f"{SYMBOLS[check.verdict]} {markdown_safe(reason(check, _))}"


def reasons(checks: Sequence[Check], _: Words) -> str:
    """The reasons of several checks as one phrase, safe as Markdown.

    Parameters
    ----------
    checks : sequence of Check
        Of one candidate.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "TensorRT-LLM does not run on ROCm and 13.0 of at most 10 kW".
    """
    return markdown_safe(_.listing([reason(check, _) for check in checks]))


def reason(check: Check, _: Words) -> str:
    """Why a check passes, fails or is open, in a few words.

    Parameters
    ----------
    check : Check
        The check.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase without full stop, plain text.
    """
    values = check.values
    match check.name:
        case "memory":
            return _memory(check.reason, values, _)
        case "software":
            return _software(check.reason, values, _)
        case "ttft" | "tpot":
            return _latency(check.name.upper(), check.reason, values, _)
        case "power" | "budget" | "gpus":
            return _cap(check, _)
        case "price":
            return _("known") if check.reason == "known" else _plain(check, _)
    if check.reason == "shipping":
        return _("shipping")
    return _("announced, not to be had") if check.reason == "not-obtainable" else _("status not published")


def _memory(code: str, values: Any, _: Words) -> str:
    match code:
        case "fits":
            return _.count("{n} GPU holds it", "{n} GPUs hold it", values["gpus"])
        case "fits-barely":
            return _.count(
                "{n} GPU holds it, not at the high end of the workspace",
                "{n} GPUs hold it, not at the high end of the workspace",
                values["gpus"],
            )
        case "fits-on-other-layouts":
            return _(
                "{n} GPUs hold it as TP{tensor} PP{pipeline}",
                n=values["gpus"],
                tensor=values["tensor"],
                pipeline=values["pipeline"],
            )
        case "too-few-gpus":
            return _("{gpus} GPUs do not hold it, {needed} do", gpus=values["gpus"], needed=values["needed"])
        case "needs-other-layout":
            return _("no tensor parallel size holds it ({needed} GPUs in stages do)", needed=values["needed"])
        case "none-fits":
            return _("no layout of up to {n} GPUs holds it", n=values["most_gpus"])
        case "memory-not-modelled":
            return _("memory of this task is not modelled")
        case "unknown-memory":
            return _("memory not published")
    return _("the model cannot be sized")


def _software(code: str, values: Any, _: Words) -> str:
    product, platform = values["product"], values["platform"]
    conflict = [one.removeprefix("article-").upper() for one in values["conflict"]]
    remark = _(" (article {articles} says otherwise)", articles=_.listing(conflict)) if conflict else ""
    match code:
        case "runs":
            return _("{product} runs on {platform}", product=product, platform=platform) + remark
        case "runs-with-change":
            return _("{product} runs on {platform} with changes", product=product, platform=platform) + remark
        case "does-not-run":
            return _("{product} does not run on {platform}", product=product, platform=platform) + remark
        case "only-claimed":
            return _("{product} on {platform}: only articles say so", product=product, platform=platform)
    if not platform:
        return _("{product}: no source for this vendor", product=product)
    return _("{product} on {platform}: no source", product=product, platform=platform)


def _latency(name: str, code: str, values: Any, _: Words) -> str:
    limit = f"{values['limit_ms']:,.10g}"
    if code == "not-measured":
        return _("{name} ≤ {limit} ms not measured at this load", name=name, limit=limit)
    measured = f"{values['measured_ms']:,.3g}"
    if code == "measured-within":
        return _("{name} {measured} ms measured, ≤ {limit}", name=name, measured=measured, limit=limit)
    return _("{name} {measured} ms measured, above {limit}", name=name, measured=measured, limit=limit)


def _cap(check: Check, _: Words) -> str:
    unit = {"power": " kW", "budget": " USD", "gpus": ""}[check.name]
    if check.reason == "providers-power":
        return _("the provider's power")
    if check.reason == "not-known":
        return _("not known")
    digits = ",.1f" if check.name == "power" else ",.0f"
    value, cap = f"{check.values['value']:{digits}}", f"{check.values['cap']:,.10g}{unit}"
    if check.verdict == "fail":
        return _("{value} of at most {cap}", value=value, cap=cap)
    high = check.values["high"]
    if high is not None and high > check.values["cap"]:
        return _("{value} of {cap}, above it at the high price", value=value, cap=cap)
    return _("{value} of {cap}", value=value, cap=cap)


def _plain(check: Check, _: Words) -> str:
    """A doubt of the cost room as a phrase."""
    short = {
        "no-fleet": _("no fleet, no cost"),
        "no-purchase-price": _("purchase price not published"),
        "no-rental-price": _("rent not published"),
        "no-server-base": _("price of the server not published"),
        "no-node-power": _("power of the server not published"),
    }
    return short.get(check.reason) or doubts.sentence(Doubt(check.reason, check.values), _).rstrip(".。")
