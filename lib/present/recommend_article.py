"""The article's advice beside ours, agreeing or not, with the reason in numbers; and the rules that ours follows."""

from lib.choice.advice import Advice
from lib.choice.assessment import Assessment
from lib.choice.recommend import Recommendation
from lib.present import cost
from lib.present.recommend_checks import reasons
from lib.present.recommend_words import article_letter, money, short
from lib.present.text import Words, markdown_safe


def article_says(given: Advice, found: Recommendation, _: Words) -> str:
    """The article's advice, and whether our answer agrees, with the reason in numbers.

    Parameters
    ----------
    given : Advice
        The advice.
    found : Recommendation
        The answer.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    said = _(
        "Article {article}: *{advice}*",
        article=article_letter(given.source_id),
        advice=markdown_safe(_.pick(given.english, given.chinese)),
    )
    return f"{said} {_verdict(given, found, _)}"


def _verdict(given: Advice, found: Recommendation, _: Words) -> str:
    winner, advised = found.winner, given.advised
    match given.agreement:
        case "no-part":
            return _("It names no part to choose, so that there is nothing to agree with here.")
        case "not-compared":
            return _("**Not compared**: the part that it names is no candidate here.")
    if winner is None or advised is None:
        return _("**No answer of ours** to hold it against.")
    ours, theirs = _priced(winner, _), _priced(advised, _)
    basis = _("on cost and memory") if found.is_sized else _("on cost alone")
    if given.agreement == "agrees":
        rival = _(" Next is {rival}.", rival=_priced(found.rival, _)) if found.rival is not None else ""
        if found.is_tie:
            return _("**We agree, within a tie**, {basis}: {ours}.", basis=basis, ours=ours) + rival
        return _("**We agree**, {basis}: {ours}.", basis=basis, ours=ours) + rival
    if given.agreement == "within-tie":
        return _("**Within our tie**: {theirs} against {ours}, within the ranges of their prices.", theirs=theirs, ours=ours)  # fmt: skip
    if given.agreement == "ruled-out":
        return _(
            "**We differ**: a check rules {part} out ({reasons}).",
            part=short(advised),
            reasons=reasons(advised.failed, _),
        )
    ratio = (advised.cost.npv_usd or 0.0) / (winner.cost.npv_usd or 1.0)
    return _(
        "**We differ**, {basis}: {ours} against {theirs}. The article's choice is cheaper per unit of work "
        "only if its fleet does more than {ratio} the work of ours.",
        basis=basis,
        ours=ours,
        theirs=theirs,
        ratio=_.ratio(ratio),
    )


def rules(_: Words) -> str:
    """How the page decides, in the order in which it does.

    Parameters
    ----------
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "1. **Checks.** A candidate that fails one is not recommended; what no published fact decides is open and does "
        "not rule out. Memory: one server with tensor parallelism, the engine's workspace estimated. Software: current "
        "documentation decides, what only an article claims is open. Latency: a measured run of the same model and "
        "format under a heavier load on no more GPUs shows that a limit can be kept; lighter loads that all broke it "
        "show that it cannot. Power: servers under a heavy average load times PUE, for bought servers only; circuits "
        "need the rated maximum, which is higher.\n"
        "2. **Cost.** Of those that pass, the lowest net present value of the fleet that holds the workload. Prices of "
        "one source are held against each other, the catalogue's first.\n"
        "3. **Ties.** Two candidates tie where the ranges of their prices, carried through to the net present value, "
        "cover more than half of the narrower one. A price that you state has no range.\n"
        "4. **What is left out.** How many tokens each fleet makes does not enter the order: measured pairs stand "
        "beside it, and the table of what would change it says how much more work would turn it."
    )


def _priced(one: Assessment | None, _: Words) -> str:
    if one is None:
        return ""
    label = cost.option_label(one.cost, _)
    if one.cost.npv_usd is None:
        return _("{option} without a price", option=label)
    return _("{option} at {npv} USD with {fleet}", option=label, npv=money(one.cost.npv_usd), fleet=cost.fleet_text(one.cost, _))  # fmt: skip
