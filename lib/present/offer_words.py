"""Each statement of an offer in words: what it says, what it is held against, and what to ask the vendor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lib.choice.offer_prices import Position
from lib.choice.offer_specs import PeakFigure, Verdict, decimal_gb
from lib.choice.offers import Finding
from lib.choice.quotes import ClaimedPeak
from lib.present.text import Words


@dataclass(frozen=True, slots=True)
class Said:
    """A finding in words: what is stated, what it is held against, the question to the vendor ("" for none), in short."""

    name: str
    stated: str
    against: str
    ask: str
    short: str


def verdict(found: Finding, _: Words) -> str:
    """The verdict with its mark, so that colour and place are not needed to read it."""
    if not found.is_stated:
        return _("– not stated")
    words: dict[Verdict, str] = {
        "ok": _("✓ holds"),
        "question": _("? to be asked"),
        "contradiction": _("✗ does not hold"),
    }
    return words[found.verdict]


def basis_name(basis: str, _: Words) -> str:
    """What a price is for."""
    return {
        "gpu": _("a GPU, bought"),
        "server": _("a complete server, bought"),
        "rent": _("a GPU-hour, on demand"),
        "commit-1y": _("a GPU-hour, committed for 1 year"),
        "commit-3y": _("a GPU-hour, committed for 3 years"),
    }[basis]


def money(value: float, currency: str, basis: str) -> str:
    """An amount of an offer: a rent with its cents, a purchase with cents where it has any."""
    decimals = 2 if basis not in ("gpu", "server") or value != round(value) else 0
    return f"{value:,.{decimals}f} {currency}"


def said(found: Finding, _: Words) -> Said:
    """A finding in words.

    Parameters
    ----------
    found : Finding
        Of `lib.choice.offers`.
    _ : Words
        The reader's language.

    Returns
    -------
    Said
        Without Markdown.
    """
    if not found.is_stated:
        return _silent(found.claim, _)
    return {
        "memory": _memory,
        "bandwidth": _bandwidth,
        "peak": _peak,
        "price": _price,
        "date": _date,
        "validity": _validity,
        "server": _server,
        "quantity": _quantity,
        "delivery": _delivery,
        "warranty": _warranty,
    }[found.claim](found, _)


def _name(claim: str, _: Words) -> str:
    return {
        "memory": _("Memory of a part"),
        "bandwidth": _("Memory bandwidth"),
        "peak": _("Peak rate"),
        "price": _("Price"),
        "date": _("Date of the offer"),
        "validity": _("Valid until"),
        "server": _("GPUs in a server"),
        "quantity": _("Quantity offered"),
        "delivery": _("Delivery"),
        "warranty": _("Warranty"),
    }[claim]


def _silent(claim: str, _: Words) -> Said:
    ask = {
        "memory": _("How much memory does the driver report on one part, in GiB?"),
        "bandwidth": _("The peak memory bandwidth of one part, in TB/s."),
        "peak": _("The dense peak of one part for each format we run, without sparsity."),
        "price": _("A firm price for our quantity, its currency, and what it includes."),
        "date": _("The date of the offer."),
        "validity": _("Until which day the offer holds."),
        "server": _("How many GPUs one server of this price holds."),
        "quantity": _("The quantity that the price is for, and the price at other quantities."),
        "delivery": _("Months from order to delivery, in writing, and what is paid for each week of delay."),
        "warranty": _("Years of warranty, whether parts and labour are on site, and the price of extending it."),
    }[claim]
    return Said(_name(claim, _), _("not stated"), "–", ask, "")


def _memory(found: Finding, _: Words) -> Said:
    v = found.values
    claimed = _("{gb} GB", gb=_.number(v["claimed"], 5))
    if found.code == "own-part":
        return _of_own_part(found, claimed, _)
    reported = v["reported_gib"]
    gib = _("not published") if reported is None else f"{_.number(reported, 5)} GiB"
    in_decimal = "" if reported is None else _.number(decimal_gb(reported), 4)
    published = _.number(v["published"], 5)
    label = _.number(v["label"], 5)
    ask = (
        _("Which part exactly is offered, and how much memory does its driver report?")
        if found.verdict != "ok" or reported is None
        else _("Have the memory that the driver reports written in: {gib} a part.", gib=gib)
    )
    against = {
        "label": _("Equals the label; software sees {gib}, which is {decimal} GB of 10⁹ bytes.", gib=gib, decimal=in_decimal)
        if reported is not None
        else _("Equals the label; what software sees is not published."),
        "decimal": _("The {gib} that the driver reports, counted in GB of 10⁹ bytes; the label is {label} GB.", gib=gib, label=label),
        "binary": _("The {gib} that the driver reports; the label is {label} GB.", gib=gib, label=label),
        "other-source": _("A figure that one source states; the label in the catalogue is {published} GB.", published=published),
        "server-total": _("The sum over the {gpus} parts of a server; one part has {published} GB.", gpus=v["gpus"], published=published),
        "other-part": _("{part} has {published} GB; this is the memory of {other}.", part=v["part"], published=published, other=v["other"]),
        "not-published": _("No memory is published for {part}.", part=v["part"]),
        "above": _("No published figure matches; the label of {part} is {published} GB.", part=v["part"], published=published),
        "below": _("No published figure matches; the label of {part} is {published} GB.", part=v["part"], published=published),
    }[found.code]  # fmt: skip
    short = _(
        "{claimed} of memory, where {part} has {published} GB", claimed=claimed, part=v["part"], published=published
    )
    return Said(_name("memory", _), claimed, against, ask, short)


def _bandwidth(found: Finding, _: Words) -> Said:
    v = found.values
    claimed = f"{_.number(v['claimed'], 4)} TB/s"
    if found.code == "own-part":
        return _of_own_part(found, claimed, _)
    published = f"{_.number(v['published'], 4)} TB/s"
    none = _("No published figure matches; the catalogue has {published}.", published=published)
    against = {
        "label": _("Equals the published peak, {published}.", published=published),
        "other-source": _("A figure that one source states; the catalogue has {published}.", published=published),
        "server-total": _("The sum over the {gpus} parts of a server; one part has {published}.", gpus=v["gpus"], published=published),
        "not-published": _("No bandwidth is published for this part."),
        "above": none,
        "below": none,
    }[found.code]  # fmt: skip
    ask = (
        "" if found.verdict == "ok" else _("The peak memory bandwidth of one part, with the data sheet that states it.")
    )
    short = _("a bandwidth of {claimed}, where the catalogue has {published}", claimed=claimed, published=published)
    return Said(_name("bandwidth", _), claimed, against, ask, short)


def _of_own_part(found: Finding, claimed: str, _: Words) -> Said:
    return Said(
        _name(found.claim, _),
        claimed,
        _("A part of your own: the catalogue has no published figure of it."),
        _("The vendor's data sheet, with dense peaks, memory as the driver reports it, and bandwidth."),
        "",
    )


def format_name(word: str) -> str:
    """A format as the field writes it: the same in every language."""
    return word.upper()


def _figure(one: PeakFigure, _: Words) -> str:
    """One peak in words: "FP8 dense", "FP16 with 2:4 sparsity"."""
    name = format_name(one.format)
    if one.sparsity == "dense":
        return _("dense {format} peak", format=name)
    if one.is_published:
        return _("{format} peak with 2:4 sparsity", format=name)
    return _("dense {format} peak taken twice, as with 2:4 sparsity", format=name)


def _either(figures: Sequence[PeakFigure], _: Words) -> str:
    named = list(dict.fromkeys(_figure(one, _) for one in figures))
    return _(" or its ").join(named)


def _claimed_peak(peak: ClaimedPeak, _: Words) -> str:
    kind = {"unsaid": _("sparsity not stated"), "dense": _("dense"), "sparse": _("with sparsity")}[peak.kind]
    return _(
        "{format} {tflops} TFLOPS, {kind}", format=format_name(peak.format), tflops=_.number(peak.tflops, 6), kind=kind
    )


def _peak(found: Finding, _: Words) -> Said:
    if found.code == "own-part":
        claimed = "; ".join(_claimed_peak(one, _) for one in found.values["claimed"])
        return _of_own_part(found, claimed, _)
    peak: ClaimedPeak = found.values["peak"]
    dense: PeakFigure | None = found.values["dense"]
    figures: tuple[PeakFigure, ...] = found.values["figures"]
    part, word = found.values["part"], format_name(peak.format)
    claimed = _.number(peak.tflops, 6)
    reached = _.number(dense.tflops, 5) if dense is not None else ""
    what = _either(figures, _)
    has = (
        _("{part} reaches {dense} TFLOPS dense in {format}", part=part, dense=reached, format=word)
        if dense is not None
        else _("No {format} peak is published for {part}", format=word, part=part)
    )
    is_other = _("{has}; {claimed} is its {what}.", has=has, claimed=claimed, what=what)
    missed = (
        _("{has}; no published figure matches, the nearest is its {what} with {value}.", has=has, what=what,
          value=_.number(figures[0].tflops, 5))
        if figures
        else _("{has}, and none of its other figures matches.", has=has)
    )  # fmt: skip
    against = {
        "dense": _("Equals the dense peak, {dense} TFLOPS.", dense=reached),
        "dense-unsaid": _("Equals the dense peak, {dense} TFLOPS; the offer does not say that it is dense.", dense=reached),
        "dense-for-sparse": _("Equals the dense peak, {dense} TFLOPS, and not one with sparsity.", dense=reached),
        "sparse-as-said": _("{claimed} is its {what}, as said; {has}, and language models do not use sparsity.",
                            claimed=claimed, what=what, has=has),
        "sparse-for-dense": is_other,
        "other-format": is_other,
        "server-total": _("{has}; the figure is the sum over the {n} parts of a server: its {what}.", has=has, what=what,
                          n=figures[0].parts if figures else 0),
        "not-published": missed,
        "above-all": missed,
        "below": missed,
    }[found.code]  # fmt: skip
    ask = {
        "dense": "",
        "dense-unsaid": _("Have the word dense written beside the {format} figure.", format=word),
        "sparse-as-said": _(
            "Have the dense {format} figure written in: what we run does not reach the sparse one.", format=word
        ),
    }.get(found.code, _("The dense {format} peak of one part, with the data sheet that states it.", format=word))
    short = f"{word} {claimed} TFLOPS: {is_other.rstrip('.。')}" if figures and found.code != "above-all" else (
        f"{word} {claimed} TFLOPS: {missed.rstrip('.。')}"
    )  # fmt: skip
    return Said(_("{format} peak", format=word), _claimed_peak(peak, _), against, ask, short)


def position_text(spot: Position, _: Words) -> str:
    """What the dated prices are, in numbers."""
    if spot.low is None:
        return _("no dated price on this basis")
    span = f"{_.span(spot.low, spot.high, 6)} USD"
    median = _.number(spot.median, 6)
    if spot.standing == "estimate-only":
        return _("an estimate of {span}, no dated price on this basis", span=span)
    days = f"{spot.newest_days}–{spot.oldest_days}" if spot.newest_days != spot.oldest_days else f"{spot.newest_days}"
    return _("{span}, median {median}; {rows}, {days} days old", span=span, median=median, days=days,
             rows=_.count("{n} dated price", "{n} dated prices", spot.rows))  # fmt: skip


def standing_text(spot: Position, _: Words) -> str:
    """Where a price stands, as the beginning of a sentence."""
    return {
        "below-all": _("Below every dated price seen"),
        "above-all": _("Above every dated price seen"),
        "within": _("Among the dated prices"),
        "few-rows": _("Among too few dated prices to judge by"),
        "estimate-only": _("Nothing but an estimate to hold it against"),
        "nothing": _("Nothing to hold it against"),
    }[spot.standing]


def _price(found: Finding, _: Words) -> Said:
    v: Any = found.values
    spot: Position = v["position"]
    stated = _(
        "{amount} for {basis}", amount=money(v["price"], v["currency"], v["basis"]), basis=basis_name(v["basis"], _)
    )
    if v["currency"] != "USD":
        stated = f"{stated} ({money(v['usd'], 'USD', v['basis'])})"
    ask = {
        "below-all": _("What is left out (network, support, installation, tax), whether the parts are new, and why the price is so low."),
        "above-all": _("What the price holds beyond the part, and the price at our quantity: the highest seen is {high} USD.",
                       high=_.number(spot.high, 6)),
        "within": _("A price nearer to the median of {median} USD.", median=_.number(spot.median, 6))
        if spot.median is not None and v["usd"] > spot.median else "",
    }.get(spot.standing, _("A second offer on the same basis: there are too few dated prices to judge this one by."))  # fmt: skip
    return Said(_name("price", _), stated, f"{standing_text(spot, _)}: {position_text(spot, _)}.", ask, stated)


def _date(found: Finding, _: Words) -> Said:
    v = found.values
    against = {
        "newer": _("Later than the data edition ({day}).", day=v["day"]),
        "fresh": _.count("{n} day old on the day of the data edition.", "{n} days old on the day of the data edition.", max(v["days"], 0)),
        "old": _("{days} days old on the day of the data edition: prices move within 90.", days=v["days"]),
    }[found.code]  # fmt: skip
    ask = _("Today's price: the offer is old.") if found.code == "old" else ""
    return Said(_name("date", _), v["date"], against, ask, v["date"])


def _validity(found: Finding, _: Words) -> Said:
    v = found.values
    against = {
        "valid": _("Holds on the day of the order, {order}.", order=v["order"]),
        "before-order": _("Ends before the order that the scenario plans, {order}.", order=v["order"]),
        "expired": _("Ended before {day}, the day that this scenario decides on.", day=v["day"]),
        "before-date": _("Ends before the offer is dated, {date}.", date=v["date"]),
    }[found.code]
    ask = "" if found.code == "valid" else _("An offer that holds until the order, {order}.", order=v["order"])
    short = (
        _("it ends on {until}, before it is dated", until=v["until"])
        if found.code == "before-date"
        else _("it ended on {until}", until=v["until"])
    )
    return Said(_name("validity", _), v["until"], against, ask, short)


def _server(found: Finding, _: Words) -> Said:
    v = found.values
    against = {
        "usual": _("The usual server of this part."),
        "other": _("The usual server of this part holds {usual}: its power and its other costs are not known here.", usual=v["usual"]),
        "unknown": _("No usual server of this part is published."),
    }[found.code]  # fmt: skip
    ask = (
        ""
        if found.code == "usual"
        else _("Power at load, network ports and the price of the same server without GPUs.")
    )
    return Said(_name("server", _), f"{v['gpus']}", against, ask, f"{v['gpus']}")


def _quantity(found: Finding, _: Words) -> Said:
    v = found.values
    stated = (
        _.count("{n} server", "{n} servers", v["quantity"])
        if v["basis"] == "server"
        else _.count("{n} GPU", "{n} GPUs", v["quantity"])
    )
    if v["basis"] == "server" and v["gpus"] is not None:
        stated = _("{servers}, {gpus} GPUs", servers=stated, gpus=f"{v['gpus']:,}")
    needed = "" if v["needed"] is None else f"{v['needed']:,}"
    held = "" if v["held"] is None else f"{v['held']:,}"
    limit = "" if v["limit"] is None else f"{v['limit']:,}"
    against = {
        "covers": _("The scenario needs {needed} of this part.", needed=needed),
        "too-few": _("Too few: the scenario needs {needed} of this part.", needed=needed),
        "more-than-needed": _("More than the {held} that the scenario pays for.", held=held),
        "above-limit": _("Above your limit of {limit} GPUs.", limit=limit),
        "unknown-need": _("How many of this part the scenario needs is not known."),
    }[found.code]
    ask = {
        "covers": "",
        "too-few": _("The price and the delivery for {needed} GPUs.", needed=needed),
        "more-than-needed": _("The price for {held} GPUs.", held=held),
        "above-limit": _("The price for at most {limit} GPUs.", limit=limit),
    }.get(found.code, _("The price at half and at twice this quantity."))
    short = (
        _("{gpus} GPUs, above your limit of {limit}", gpus=v["gpus"], limit=limit)
        if found.code == "above-limit"
        else _("{gpus} GPUs, where {needed} are needed", gpus=v["gpus"], needed=needed)
    )
    return Said(_name("quantity", _), stated, against, ask, short)


def _delivery(found: Finding, _: Words) -> Said:
    v = found.values
    stated = _.count("{n} month", "{n} months", v["months"])
    against = {
        "in-time": _("Serves in month {start}; the deadline is {deadline}.", start=v["start"], deadline=v["deadline"]),
        "too-late": _("Serves in month {start}, after the deadline of {deadline} in month {left}.", start=v["start"],
                      deadline=v["deadline"], left=v.get("left")),
        "no-deadline": _("Serves in month {start}; the scenario has no deadline.", start=v["start"]),
        "faster-than-reported": _("Faster than the {low}–{high} months that are reported for this vendor's parts.",
                                  low=v.get("low"), high=v.get("high")),
    }[found.code]  # fmt: skip
    ask = {
        "too-late": _("A delivery that serves by {deadline}, or a bridge until then at the vendor's cost.", deadline=v["deadline"]),
        "faster-than-reported": _("The delivery date as a term of the contract, with a penalty for each week of delay."),
    }.get(found.code, "")  # fmt: skip
    short = _("service in month {start}, after the deadline of {deadline}", start=v["start"], deadline=v["deadline"])
    return Said(_name("delivery", _), stated, against, ask, short)


def _warranty(found: Finding, _: Words) -> Said:
    v = found.values
    years = _("{years} years", years=_.number(v["years"], 3))
    gap = _.number(v["gap"], 3)
    against = {
        "covers": _("Lasts to the end of the {horizon} months reckoned with.", horizon=v["horizon"]),
        "gap": _("{gap} of {horizon} months are not covered: support in them costs {usd} for {gpus} GPUs at {share} of the hardware price a year.",
                 gap=gap, horizon=v["horizon"], usd=_.usd(v["usd"]), gpus=v["gpus"], share=_.percent(v["fraction"], 1)),
        "no-price": _("{gap} of {horizon} months are not covered; without a price the cost of support is not known.", gap=gap,
                      horizon=v["horizon"]),
    }[found.code]  # fmt: skip
    ask = (
        ""
        if found.code == "covers"
        else _("The price of extending the warranty by {gap} months, in this offer.", gap=gap)
    )
    return Said(_name("warranty", _), years, against, ask, years)
