"""The page on offers in words and tables: the answer, the statements, the offers kept, the file of the scenario."""

import pandas as pd

from lib.catalog import Catalog
from lib.choice.link import LinkError
from lib.choice.offers import Finding, OfferCheck
from lib.choice.quoted import is_used, price_usd, rate_now, rate_of_use
from lib.choice.quotes import Quote
from lib.choice.scenario import Scenario
from lib.present import offer_words, problems
from lib.present.text import Words, markdown_safe


def quote_name(quote: Quote, _: Words) -> str:
    """An offer as price sources name it, in Markdown.

    Parameters
    ----------
    quote : Quote
        The offer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "quote of Dell, 2026-11-02".
    """
    if not quote.date:
        return _("quote of {vendor}, undated", vendor=markdown_safe(quote.vendor))
    return _("quote of {vendor}, {date}", vendor=markdown_safe(quote.vendor), date=quote.date)


def label(quote: Quote, catalog: Catalog) -> str:
    """An offer in a choice: vendor, part, date."""
    part = catalog.accelerator(quote.part).short_name
    return " · ".join(filter(None, (markdown_safe(quote.vendor), part, quote.date)))


def nothing_yet(has_quotes: bool, _: Words) -> str:
    """The answer where no offer is in view."""
    if has_quotes:
        return _("State the next offer below: each thing it says is held against the catalogue and what you need.")
    return _(
        "No offer is kept in this scenario yet. State one below: **each thing it says is held against the catalogue, the "
        "dated prices and what you need**, and what it does not say becomes a question to the vendor."
    )


def answer(check: OfferCheck, _: Words) -> str:
    """How much of an offer holds, and what does not.

    Parameters
    ----------
    check : OfferCheck
        The offer, checked.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    bad, asked, silent = check.with_verdict("contradiction"), check.with_verdict("question"), check.silent
    who = {"vendor": markdown_safe(check.quote.vendor), "part": markdown_safe(check.accelerator.short_name)}
    if not check.stated:
        return _("The offer of {vendor} for {part} says nothing that can be checked: ask for all of it.", **who)
    count = _.count("{n} statement", "{n} statements", len(check.stated))
    if bad:
        pieces = [markdown_safe(offer_words.said(one, _).short) for one in bad]
        text = _("**{bad} of {count} of {vendor} for {part} do not hold**: {pieces}.", bad=len(bad), count=count,
                 pieces=_("; ").join(pieces), **who)  # fmt: skip
    else:
        text = _("**Nothing in {count} of {vendor} for {part} is contradicted.**", count=count, **who)
    rest = _.listing(
        [
            part
            for part in (
                _.count("{n} more is to be asked about", "{n} more are to be asked about", len(asked)) if asked else "",
                _.count("{n} thing is not stated", "{n} things are not stated", len(silent)) if silent else "",
            )
            if part
        ]
    )
    return " ".join(filter(None, (text, f"{rest[:1].upper()}{rest[1:]}{_('.')}" if rest else "")))


def metrics(check: OfferCheck, _: Words) -> list[tuple[str, str, str]]:
    """Four numbers: what does not hold, what is to be asked, what is not stated, and how the price stands.

    Parameters
    ----------
    check : OfferCheck
        The offer, checked.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Label, value, help.
    """
    spot = check.position
    guessed = spot is not None and spot.standing == "estimate-only"
    away = None if spot is None or check.usd is None else spot.from_median(check.usd)
    price = (
        _("not stated") if check.usd is None else _("nothing to compare") if away is None else f"{100 * away:+.0f} %"
    )
    return [
        (_("Do not hold"), f"{len(check.with_verdict('contradiction'))}", _("Contradicted by a published figure or by what you need.")),
        (_("To be asked"), f"{len(check.with_verdict('question'))}", _("Stated, and neither confirmed nor contradicted.")),
        (_("Not stated"), f"{len(check.silent)}", _("What the offer leaves out; each is a question to the vendor.")),
        (_("Price against the estimate") if guessed else _("Price against the median"), price, "" if spot is None else offer_words.position_text(spot, _)),
    ]  # fmt: skip


def table(check: OfferCheck, catalog: Catalog, _: Words) -> pd.DataFrame:
    """The statements with what they are held against, the verdict, the source, and the question.

    Parameters
    ----------
    check : OfferCheck
        The offer, checked.
    catalog : Catalog
        For the titles of sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Plain text; what does not hold first, then what is to be asked, what is not stated, what holds.
    """
    order = {"contradiction": 0, "question": 1, "ok": 3}
    lines = []
    for one in sorted(check.findings, key=lambda found: order[found.verdict] if found.is_stated else 2):
        words = offer_words.said(one, _)
        lines.append(
            {
                _("Statement"): words.name,
                _("The offer says"): words.stated,
                _("Verdict"): offer_words.verdict(one, _),
                _("Held against"): words.against,
                _("Source, date"): _sources(one, catalog, _) or "–",
                _("Ask the vendor"): words.ask or "–",
            }
        )
    return pd.DataFrame(lines)


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """The statements in the four columns that a telephone shows too, in Markdown.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `table`.

    Returns
    -------
    pandas.DataFrame
        Statement with what the offer says, verdict, what it is held against with the source, and the question.
    """
    safe = frame.map(markdown_safe)
    name, said, verdict, against, source, ask = (safe[head] for head in frame.columns)
    none = markdown_safe("–")
    return pd.DataFrame(
        {
            frame.columns[0]: "**" + name + "**: " + said,
            frame.columns[2]: verdict,
            frame.columns[3]: against.where(source == none, against + " *" + source + "*"),
            frame.columns[5]: ask,
        }
    )


def _sources(found: Finding, catalog: Catalog, _: Words) -> str:
    most = 2
    pairs = list(zip(found.source_ids, found.dates, strict=True))
    told = [f"{catalog.source(name).title} ({day or _('undated')})" for name, day in pairs[:most]]
    if len(pairs) > most:
        told.append(_("{n} more", n=len(pairs) - most))
    return "; ".join(told)


def questions(check: OfferCheck, catalog: Catalog, _: Words) -> str:
    """Every question to the vendor, as text for a mail.

    Parameters
    ----------
    check : OfferCheck
        The offer, checked.
    catalog : Catalog
        For the edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Plain text, numbered; what is contradicted first.
    """
    order = {"contradiction": 0, "question": 1, "ok": 2}
    said = [
        (one, offer_words.said(one, _)) for one in sorted(check.findings, key=lambda found: order[found.verdict])
    ]  # fmt: skip
    asked = [
        f"{words.name} – {words.ask}" + (f" ({_('offered')}: {words.stated})" if one.is_stated else "")
        for one, words in said
        if words.ask
    ]
    who = {"vendor": check.quote.vendor, "part": check.accelerator.short_name}
    head = (
        _("To {vendor}, on your offer for {part} of {date}:", date=check.quote.date, **who)
        if check.quote.date
        else _("To {vendor}, on your undated offer for {part}:", **who)
    )
    lines = [head, "", *(f"{at}. {text}" for at, text in enumerate(asked, start=1)), ""]
    return "\n".join([*lines, _("Data edition {edition}.", edition=catalog.edition.label)])


def kept(catalog: Catalog, scenario: Scenario, _: Words) -> pd.DataFrame:
    """The offers that the scenario keeps, and which of them the other pages compute with.

    Parameters
    ----------
    catalog : Catalog
        The edition, with own parts.
    scenario : Scenario
        With its offers.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        One row an offer.
    """
    lines = []
    for quote in scenario.quotes:
        usd = price_usd(catalog, scenario, quote)
        lines.append(
            {
                _("Vendor"): quote.vendor,
                _("Part"): catalog.accelerator(quote.part).short_name,
                _("Price"): _("not stated")
                if quote.price is None
                else offer_words.money(quote.price, quote.currency, quote.basis),
                _("For"): offer_words.basis_name(quote.basis, _),
                _("In USD"): _("not stated") if usd is None else offer_words.money(usd, "USD", quote.basis),
                _("Date"): quote.date or _("not stated"),
                _("Valid until"): quote.valid_until or _("not stated"),
                _("Computed with"): _computed_with(catalog, scenario, quote, _),
            }
        )
    return pd.DataFrame(lines)


def _computed_with(catalog: Catalog, scenario: Scenario, quote: Quote, _: Words) -> str:
    if not is_used(catalog, scenario, quote):
        return _("no")
    old = rate_of_use(catalog, scenario, quote)
    return _("yes") if old is None else _("yes, at {rate}", rate=_rate(old, quote, _))


def _rate(per_usd: float, quote: Quote, _: Words) -> str:
    return _("{rate} {currency} per USD", rate=_.number(per_usd, 5), currency=quote.currency)


def at_rate_of_use(catalog: Catalog, scenario: Scenario, quote: Quote, _: Words) -> str:
    """At which rate the other pages compute with an offer, where it is no longer the scenario's.

    Parameters
    ----------
    catalog : Catalog
        The edition.
    scenario : Scenario
        With the offer and the candidate at its price.
    quote : Quote
        The offer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence; empty where the rate has not changed.
    """
    old, usd = rate_of_use(catalog, scenario, quote), price_usd(catalog, scenario, quote)
    if old is None or usd is None:
        return ""
    return _(
        "Its price was taken at {then}; at today's rate of {now} it is {usd}.",
        then=_rate(old, quote, _), now=_rate(rate_now(catalog, scenario, quote), quote, _),
        usd=offer_words.money(usd, "USD", quote.basis),
    )  # fmt: skip


def use_text(reason: str, check: OfferCheck, used: bool, _: Words, at_old_rate: str = "") -> str:
    """What using an offer means, or why it cannot be used.

    Parameters
    ----------
    reason : str
        Of `lib.choice.quoted.why_not`, or "no-room".
    check : OfferCheck
        The offer, checked.
    used : bool
        Whether a candidate is at its price already.
    _ : Words
        The reader's language.
    at_old_rate : str
        Of `at_rate_of_use`.

    Returns
    -------
    str
        Markdown.
    """
    part = markdown_safe(check.accelerator.short_name)
    match reason:
        case "no-price":
            return _("Without a price the other pages cannot compute with this offer.")
        case "other-server":
            return _(
                "The other pages cannot compute with this server: they know the costs of one with {usual} GPUs of {part}.",
                usual=check.accelerator.gpus_per_node or _("an unknown number of"),
                part=part,
            )
        case "no-room":
            return _("There is no room for another option: remove one on the cost page first.")
        case "too-much":
            return _("The price in US dollars is more than an option may cost.")
    if used:
        text = _("Every page computes with this offer: it is the price of {part} there.", part=part)
        again = _("Use it again to compute at today's rate.")
        return " ".join([text, f"**{at_old_rate}**", again]) if at_old_rate else text
    return _("Using it puts its price, and its delivery where stated, in place of the catalogue's on every page.")


def refused(problem: LinkError, _: Words) -> str:
    """Why an offer was not taken.

    Parameters
    ----------
    problem : LinkError
        The field that is wrong.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    if problem.code == "no-room":
        return _("Eight offers are kept already: remove one first.")
    if problem.field.endswith("vendor"):
        return _(
            "The vendor needs a name of 1 to 40 letters, digits, spaces or . , & ( ) + - that begins with a letter or digit."
        )
    if problem.code in ("rule", "half-peak"):
        broken = problems.rule(problem.allowed, _) if problem.code == "rule" else _("a peak is a format and its TFLOPS")
        return _("The offer contradicts itself: {reason}. Nothing was kept, and what you typed stays.", reason=broken)
    return _(
        "{field} cannot be {value}; allowed: {allowed}. Nothing was kept, and what you typed stays.",
        field=markdown_safe(field_name(problem.field, _)),
        value=markdown_safe(problem.value),
        allowed=problems.allowed(problem, _),
    )


def field_name(path: str, _: Words) -> str:
    """A field of an offer in the reader's words; the path itself where there are none."""
    last = path.rsplit(".", 1)[-1]
    return {
        "price": _("Price"),
        "quantity": _("Quantity offered"),
        "gpus_in_server": _("GPUs in a server"),
        "delivery_months": _("Delivery, months"),
        "warranty_years": _("Warranty, years"),
        "memory_gb": _("Memory claimed, GB"),
        "bandwidth_tbs": _("Bandwidth claimed, TB/s"),
        "tflops": _("Peak claimed, TFLOPS"),
        "date": _("Date of the offer"),
        "valid_until": _("Valid until"),
    }.get(last, path)


def method(_: Words) -> str:
    """How the page judges."""
    return _(
        "Two figures within 1 % are one figure. A peak is held against every published peak of the part, dense and with 2:4 "
        "sparsity, of its own format first; where no sparse peak is published, twice the dense one stands in and is named so. "
        "Memory is held against the label, the GiB that the driver reports, and those in GB of 10⁹ bytes. A price is held against "
        "dated prices of the same basis, those of the last nine months where there are three, else all; fewer than three judge "
        "nothing. Articles count only for single GPUs where no list is dated; undated and weak prices never. Other currencies are "
        "turned into US dollars at your rate, else at the dated one. Days are counted from the data edition, or from the offer's "
        "own date where that is later. The quantity is held against the fleet that the recommendation counts for this part. "
        "The months without warranty run from the end of the warranty, which begins at delivery, to the horizon; their support "
        "is not discounted, and the cost page reckons support in every month."
    )
