"""The card of one claim: what was said, each reading computed, what a reader should know, what went in."""

import pandas as pd

from lib.catalog import Catalog
from lib.choice.claims.records import Judged, Outcome
from lib.choice.claims.values import Value, shown
from lib.present import claim_terms
from lib.present.claims import article_name, paraphrase, verdict_name
from lib.present.text import UNKNOWN, Words, markdown_safe


def said(one: Judged, _: Words) -> str:
    """What was said and where, for the head of a card.

    Parameters
    ----------
    one : Judged
        The claim.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "**Said** in {article}, {section}: {paraphrase} Stated: **{stated}**.",
        article=article_name(one.claim.article, _),
        section=section_name(one.claim.section, _),
        paraphrase=markdown_safe(paraphrase(one, _)),
        stated=markdown_safe(_.pick(one.claim.stated, one.claim.stated_zh)),
    )


def section_name(section: str, _: Words) -> str:
    """Where in an article a claim stands.

    Parameters
    ----------
    section : str
        A number, or a word of the table, with a number behind it where there are several.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a sentence.
    """
    word, _space, number = section.rpartition(" ") if section[-1].isdigit() else (section, "", "")
    if not word:
        return _("section {name}", name=number)
    named = {
        "capacity": _("on capacity"),
        "cost": _("on cost"),
        "software": _("on software"),
        "end": _("at its end"),
        "specifications": _("in its specifications"),
        "memory": _("on memory"),
        "platform": _("on the platform"),
        "comparison": _("in its comparison"),
        "economics": _("on economics"),
        "providers": _("on providers"),
        "price": _("on price"),
        "memory per dollar": _("on memory per dollar"),
        "sizing": _("on sizing"),
        "caution": _("in its cautions"),
        "title": _("in its title"),
        "architecture": _("on the architecture"),
        "caption": _("in a caption"),
        "question": _("in quiz question"),
        "fabric": _("on the fabric"),
        "table": _("in its table"),
        "notes": _("in its notes"),
        "myths": _("on misconceptions"),
        "practice": _("on practice"),
        "roadmap": _("on the roadmap"),
        "case": _("in case"),
        "code": _("in its code"),
    }.get(word, word)
    return f"{named} {number}".strip()


def equation(outcome: Outcome, _: Words) -> str:
    """The formula with the numbers put in, and what it gives.

    Parameters
    ----------
    outcome : Outcome
        One reading.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "5.3 / 3.35 = 1.582 ×", or the bare value where the formula is one term.
    """
    if outcome.value is None:
        return _(UNKNOWN)
    text = shown(outcome.value)
    head = "" if outcome.formula == text else f"{outcome.formula} = "
    return head + claim_terms.amount(outcome.value, outcome.check.unit, _)


def reading(outcome: Outcome, _: Words) -> str:
    """One reading of a claim as a line: its name, the equation, what was stated, whether it holds.

    Parameters
    ----------
    outcome : Outcome
        One reading.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    name = _.pick(outcome.check.reading_en, outcome.check.reading_zh)
    ends = {
        True: _("**holds**"),
        False: _("**does not hold**"),
        None: _("**unknown**: something in it is not published"),
    }
    line = _(
        "{equation}; {demand}: {verdict}",
        equation=markdown_safe(equation(outcome, _)),
        demand=markdown_safe(demand(outcome, _)),
        verdict=ends[outcome.holds],
    )
    return _("{name}: {line}", name=markdown_safe(name), line=line) if name else line


def demand(outcome: Outcome, _: Words) -> str:
    """What the claim asks of the value.

    Parameters
    ----------
    outcome : Outcome
        One reading.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A clause.
    """
    check = outcome.check
    if outcome.low is not None and outcome.high is not None and not check.text:
        stated = shown(Value(outcome.low, outcome.high))
    else:
        stated = check.text.replace("/", "–")
    margin = _.percent(check.tolerance, 0 if check.tolerance >= 0.01 else 1)
    near = _(" (± {margin})", margin=margin) if check.tolerance else ""
    match check.relation:
        case "at-least":
            stated = _("at least {stated}", stated=stated)
        case "at-most":
            stated = _("at most {stated}", stated=stated)
        case "above":
            stated = _("more than {stated}", stated=stated)
        case "below":
            stated = _("less than {stated}", stated=stated)
        case "inside":
            stated = _("within {stated}", stated=stated)
        case "reaches":
            stated = _("{stated}, which must lie in it", stated=stated)
        case "meets":
            stated = _("{stated}, which must overlap it", stated=stated)
        case "is-not":
            stated = _("anything but “{stated}”", stated=stated)
        case "has":
            stated = _("“{stated}”", stated=stated)
        case "lacks":
            stated = _("not “{stated}”", stated=stated)
    return _("claimed: {stated}", stated=stated) + near


def remarks(one: Judged, _: Words) -> list[str]:
    """What a reader should know beside the verdict.

    Parameters
    ----------
    one : Judged
        The claim.
    _ : Words
        The reader's language.

    Returns
    -------
    list of str
        Markdown sentences.
    """
    claim = one.claim
    found = []
    if note := _.pick(claim.note_en, claim.note_zh):
        found.append(markdown_safe(note))
    if one.verdict == "uncheckable" and (missing := _.pick(claim.undecidable_en, claim.undecidable_zh)):
        found.append(_("**What would decide it:** {what}", what=markdown_safe(missing)))
    if not one.agrees_with_curated and (why := _.pick(claim.differs_en, claim.differs_zh)):
        found.append(
            _(
                "**By hand it was judged “{verdict}”.** {why}",
                verdict=verdict_name(claim.curated_verdict, _),
                why=markdown_safe(why),
            )
        )
    if any(doubt.code == "sources-differ" for doubt in one.doubts):
        found.append(_("Sources differ on a figure that went in: see Specs for every statement."))
    return found


def terms_table(one: Judged, catalog: Catalog, _: Words) -> pd.DataFrame:
    """What went into the formulas: each term with its value, source and date.

    Parameters
    ----------
    one : Judged
        The claim.
    catalog : Catalog
        For sources.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Markdown cells; the first two sources of each term.
    """
    rows = []
    for term in one.terms:
        sources = [catalog.sources[name] for name, _place in term.sources[:2] if name in catalog.sources]
        named = [f"{source.title} ({source.date})" if source.date else source.title for source in sources]
        rows.append(
            (
                markdown_safe(claim_terms.label(term, catalog, _)),
                markdown_safe(claim_terms.value(term, _)[:80]),
                markdown_safe("; ".join(named) or _("computed by this library")),
            )
        )
    return pd.DataFrame(rows, columns=[_("What went in"), _("Value"), _("Source (date)")])
