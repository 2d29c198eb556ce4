"""Checks in words: a short reason for each, and the cell with its symbol."""

from collections.abc import Sequence
from typing import Any, Final

from lib.choice.checks import Check, CheckName
from lib.present import doubts, missing_price
from lib.present.recommend_words import amount
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
        "format": _("Formats"),
        "software": _("Software"),
        "throughput": _("Request rate"),
        "ttft": _("TTFT limit"),
        "tpot": _("TPOT limit"),
        "power": _("Power cap"),
        "budget": _("Budget cap"),
        "yearly": _("Budget by year"),
        "gpus": _("GPU cap"),
        "price": _("Price"),
        "supply": _("Obtainable"),
        "deadline": _("Deadline"),
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
        case "format":
            return _format(check.reason, values, _)
        case "throughput":
            return _throughput(check.reason, values, _)
        case "software":
            return _software(check.reason, values, _)
        case "ttft" | "tpot":
            return _latency(check.name.upper(), check.reason, values, _)
        case "power" | "budget" | "gpus":
            return _cap(check, _)
        case "yearly":
            return _yearly(check, _)
        case "deadline":
            return _deadline(check, _)
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
        case "run-fits":
            return _.count("the run fits on {n} GPU", "the run fits on {n} GPUs", values["gpus"])
        case "run-fits-only-if":
            return _("the run fits on {gpus} GPUs, not at the high end of its band", gpus=values["gpus"])
        case "run-does-not-fit":
            return _("the run does not fit on {gpus} GPUs", gpus=values["gpus"])
        case "memory-not-modelled":
            return _("memory of this task is not modelled")
        case "unknown-memory":
            return _("memory not published")
    return _("the model cannot be sized")


def _format(code: str, values: Any, _: Words) -> str:
    named = {"format": values["format"] or _("the model's own format"), "engine": values["engine"]}
    if values["cache"]:
        named["format"] = _("cache in {format}", format=named["format"])
    return {
        "native": _("{format} runs as such under {engine}", **named),
        "weight-only": _("{format} is stored and computed at 16 bit under {engine}", **named),
        "emulated": _("{format} is emulated under {engine}", **named),
        "none": _("{format} does not run under {engine}", **named),
        "unknown": _("{format} under {engine} not documented", **named),
    }[code]


def _throughput(code: str, values: Any, _: Words) -> str:
    asked = f"{values['asked']:,.0f}"
    match code:
        case "no-basis":
            return _("{asked} tokens/s asked, throughput not estimated", asked=asked)
        case "too-many":
            return _("{asked} tokens/s asked, more than any fleet looked at", asked=asked)
    able = f"{values['able']:,.0f}"
    if code == "carries":
        return _("{able} tokens/s at the low end, {asked} asked with room", able=able, asked=asked)
    if code == "perhaps":
        return _(
            "{able}–{high} tokens/s, {asked} asked with room", able=able, high=f"{values['high']:,.0f}", asked=asked
        )
    return _("at most {high} tokens/s of {asked} asked with room", high=f"{values['high']:,.0f}", asked=asked)


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
    limit = amount(values["limit_ms"])
    if code == "not-measured":
        return _("{name} ≤ {limit} ms not measured at this load", name=name, limit=limit)
    if code.startswith("estimated"):
        spread = _.span(values["low_ms"], values["high_ms"])
        figures = {"name": name, "estimate": _.number(values["estimate_ms"]), "spread": spread, "limit": limit}
        if code == "estimated-within":
            return _("{name} {estimate} ms estimated ({spread}), ≤ {limit}", **figures)
        if code == "estimated-above":
            return _("{name} {estimate} ms estimated ({spread}), above {limit}", **figures)
        return _(
            "it may miss the {name} limit of {limit} ms: {estimate} ms estimated, {spread} ms over its 80 % interval",
            **figures,
        )
    measured = _.number(values["measured_ms"])
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
    value, cap = f"{check.values['value']:{digits}}", amount(check.values["cap"]) + unit
    reserve = check.values.get("reserve")
    if reserve:
        cap = _("{cap} after a reserve of {reserve}", cap=cap, reserve=_.percent(reserve))
    if check.verdict == "fail" and check.values.get("month") is not None:
        return _("{value} of at most {cap}, passed in month {month}", value=value, cap=cap, month=check.values["month"])
    if check.verdict == "fail":
        return _("{value} of at most {cap}", value=value, cap=cap)
    high = check.values["high"]
    if high is not None and high > check.values["cap"]:
        return _("{value} of {cap}, above it at the high price", value=value, cap=cap)
    return _("{value} of {cap}", value=value, cap=cap)


def _yearly(check: Check, _: Words) -> str:
    if check.reason == "not-known":
        return _("not known")
    if check.verdict == "pass":
        return _("within each year's budget")
    values = check.values
    return _(
        "{value} of at most {cap} USD in year {year}, passed in month {month}",
        value=f"{values['value']:,.0f}",
        cap=amount(values["cap"]),
        year=values["year"],
        month=values["month"],
    )


def _deadline(check: Check, _: Words) -> str:
    values = check.values
    if check.verdict == "unknown":
        return _("lead time not known: ask the vendor whether it serves by {deadline}", deadline=values["deadline"])
    figures = {"month": values["month"], "months": values["months"], "deadline": values["deadline"]}
    if check.verdict == "pass":
        return _("serves from month {month}, {deadline} is month {months}", **figures)
    return _("serves from month {month}, too late for {deadline} (month {months})", **figures)


def _plain(check: Check, _: Words) -> str:
    """A doubt of the cost room as a phrase."""
    if "needed" in check.values:
        return missing_price.no_price_short(check.values, _)
    short = {
        "no-fleet": _("no fleet, no cost"),
        "no-server-base": _("price of the server not published"),
        "no-node-power": _("power of the server and rated power of the part not published"),
        "no-bridge-cost": _("cost of the old fleet not stated"),
    }
    return short.get(check.reason) or doubts.sentence(Doubt(check.reason, check.values), _).rstrip(".。")
