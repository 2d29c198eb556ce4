"""The claims page in words: headline, names of verdicts, topics and articles, the picture in words."""

from collections.abc import Mapping, Sequence
from typing import Final

from lib.catalog import Catalog
from lib.choice.claims.browsing import counts
from lib.choice.claims.contrasts import Contrast
from lib.choice.claims.records import Judged, Verdict
from lib.present.text import Words

ARTICLES: Final = ("article-a0", "article-a1", "article-a2", "article-a3", "article-a4")
TOPICS: Final = (
    "chip", "memory", "bandwidth", "compute", "fabric", "power", "sizing", "cache", "inference", "training", "scaling",
    "software", "price", "rent", "tco", "roadmap", "market",
)  # fmt: skip
MARKS: Final[Mapping[str, str]] = {"holds": "✓", "holds-with-condition": "◐", "contradicted": "✗", "uncheckable": "?"}


def article_name(source_id: str, _: Words) -> str:
    """An article's short name: "A0" for the source "article-a0".

    Parameters
    ----------
    source_id : str
        One of ARTICLES.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For labels.
    """
    return _("Article {name}", name=source_id.removeprefix("article-").upper())


def verdict_name(verdict: str, _: Words) -> str:
    """A verdict in words.

    Parameters
    ----------
    verdict : str
        One of VERDICTS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Two or three words.
    """
    return {
        "holds": _("holds"),
        "holds-with-condition": _("holds with a condition"),
        "contradicted": _("contradicted"),
        "uncheckable": _("cannot be checked"),
    }[verdict]


def marked(verdict: str, _: Words) -> str:
    """A verdict with its symbol.

    Parameters
    ----------
    verdict : str
        One of VERDICTS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        "✓ holds".
    """
    return f"{MARKS[verdict]} {verdict_name(verdict, _)}"


def topic_name(topic: str, _: Words) -> str:
    """What a claim is about.

    Parameters
    ----------
    topic : str
        One of TOPICS.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a choice.
    """
    return {
        "chip": _("How the chip is built"),
        "memory": _("Memory"),
        "bandwidth": _("Memory bandwidth"),
        "compute": _("Compute"),
        "fabric": _("Fabric"),
        "power": _("Power"),
        "sizing": _("Cards for a model"),
        "cache": _("KV cache"),
        "inference": _("Inference speed"),
        "training": _("Training"),
        "scaling": _("Scaling"),
        "software": _("Software"),
        "price": _("Purchase price"),
        "rent": _("Rent"),
        "tco": _("Total cost of ownership"),
        "roadmap": _("Roadmap"),
        "market": _("Market and publisher"),
    }[topic]


def answer(judged: Mapping[str, Judged], catalog: Catalog, _: Words) -> str:
    """How many of the claims hold, in one sentence with how it is known.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    catalog : Catalog
        The edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    found = counts(tuple(judged.values()))
    total = len(judged)
    return _(
        "Partly. Of **{total} claims** in five articles **{holds} hold**, **{condition} hold only with a condition**, "
        "**{contradicted} are contradicted** by specifications, arithmetic, measurements or each other, and "
        "**{unchecked} cannot be checked** without a measurement that nobody published. The {decided} verdicts are "
        "computed from the tables of edition {edition} each time, within the tolerance that stands beside each.",
        total=total,
        holds=found["holds"],
        condition=found["holds-with-condition"],
        contradicted=found["contradicted"],
        unchecked=found["uncheckable"],
        decided=total - found["uncheckable"],
        edition=catalog.edition.label,
    )


def metrics(judged: Mapping[str, Judged], _: Words) -> list[tuple[str, str, str]]:
    """The four verdicts with their numbers.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    _ : Words
        The reader's language.

    Returns
    -------
    list of tuple of str
        Label, value, help.
    """
    found = counts(tuple(judged.values()))
    helps: dict[Verdict, str] = {
        "holds": _("Every reading of the claim gives the figure that is stated, within its tolerance."),
        "holds-with-condition": _("Some readings give it and some do not: the card says which."),
        "contradicted": _("No reading gives it."),
        "uncheckable": _("No specification or arithmetic decides it: the card says what measurement would."),
    }
    return [(marked(verdict, _), f"{found[verdict]}", helps[verdict]) for verdict in found]


def chart_title(judged: Mapping[str, Judged], articles: Sequence[str], _: Words) -> str:
    """Which article has the largest share of contradicted claims, as the finding of the picture.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    articles : sequence of str
        Source ids.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a title.
    """
    shares = {}
    for name in articles:
        found = counts(tuple(one for one in judged.values() if one.claim.article == name))
        shares[name] = found["contradicted"] / max(1, sum(found.values()))
    worst, best = max(shares, key=lambda name: shares[name]), min(shares, key=lambda name: shares[name])
    return _(
        "{worst}: {worst_share} contradicted; {best}: {best_share}",
        worst=article_name(worst, _),
        worst_share=_.percent(shares[worst]),
        best=article_name(best, _),
        best_share=_.percent(shares[best]),
    )


def chart_in_words(judged: Mapping[str, Judged], _: Words) -> str:
    """The picture for those who cannot see it.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence an article.
    """
    lines = []
    for name in ARTICLES:
        found = counts(tuple(one for one in judged.values() if one.claim.article == name))
        parts = [f"{number} {verdict_name(verdict, _)}" for verdict, number in found.items()]
        lines.append(f"{article_name(name, _)}: {_.listing(parts)}")
    return "; ".join(lines) + "."


def claim_label(one: Judged, _: Words) -> str:
    """A claim in one line for a choice.

    Parameters
    ----------
    one : Judged
        The claim.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Id, symbol and paraphrase.
    """
    return f"{one.claim.claim_id} {MARKS[one.verdict]} {paraphrase(one, _)}"


def paraphrase(one: Judged, _: Words) -> str:
    """What the article says, in this project's words.

    Parameters
    ----------
    one : Judged
        The claim.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    return _.pick(one.claim.paraphrase_en, one.claim.paraphrase_zh)


def contrasts_answer(found: Sequence[Contrast], _: Words) -> str:
    """How often the articles contradict each other where they speak of the same thing.

    Parameters
    ----------
    found : sequence of Contrast
        From `lib.choice.claims.contrasts`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        Markdown.
    """
    return _(
        "Of **{all}** quantities of which several claims speak, the claims disagree on **{apart}**. Beside each figure "
        "stands its verdict: {holds} holds, {condition} with a condition, {contradicted} contradicted, {unchecked} cannot be "
        "checked; our figure is what specification, arithmetic or measurement gives.",
        all=len(found),
        apart=sum(one.disagrees for one in found),
        holds=MARKS["holds"],
        condition=MARKS["holds-with-condition"],
        contradicted=MARKS["contradicted"],
        unchecked=MARKS["uncheckable"],
    )


def method(_: Words) -> str:
    """How verdicts come about.

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
        "Each claim has one or more **readings**. A reading is a formula over the tables (specifications, models, prices, "
        "MLPerf results, software) and over this library's own sizing and cost functions; its value is held against what is "
        "stated, within a relative tolerance that follows the rounding of the article. A claim **holds** if every reading "
        "does, holds **with a condition** if only some do, and is **contradicted** if none does; readings that need "
        "something unpublished are left out, and a claim without any reading **cannot be checked**. Ranges are computed by "
        "their ends. No verdict is stored: change a number in the tables and the verdicts that rest on it change. An "
        "article is never a source for what it says itself. Peaks are dense unless a reading says sparse."
    )
