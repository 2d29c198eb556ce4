"""The articles' statements about money in words: printed, recomputed, and what lies between."""

from collections.abc import Sequence

import pandas as pd

from lib.catalog import Catalog
from lib.choice.article_costs import ArticleCost, Verdict
from lib.present.text import Words


def article_table(rows: Sequence[ArticleCost], catalog: Catalog, _: Words) -> pd.DataFrame:
    """One row a statement: what the article prints, what comes out here, and why.

    Parameters
    ----------
    rows : sequence of ArticleCost
        Statements with both figures.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    pandas.DataFrame
        Text cells.
    """
    return pd.DataFrame(
        {
            _("Article"): [one.article.removeprefix("article-").upper() for one in rows],
            _("Statement"): [statement(one, catalog, _) for one in rows],
            _("Printed"): [_span(one, one.printed, _) for one in rows],
            _("Here"): [_("none") if one.ours is None else _span(one, one.ours, _) for one in rows],
            _("Verdict"): [verdict_word(one.verdict, _) for one in rows],
            _("Why"): [reason(one, catalog, _) for one in rows],
        }
    )


def verdict_word(verdict: Verdict, _: Words) -> str:
    """A verdict in the reader's words.

    Parameters
    ----------
    verdict : str
        As in `lib.choice.article_costs`.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For a cell.
    """
    return {
        "reproduced": _("reproduced"),
        "contradicted": _("contradicted"),
        "not-reproducible": _("not reproducible"),
    }[verdict]


def statement(one: ArticleCost, catalog: Catalog, _: Words) -> str:
    """What the article says, without its figure.

    Parameters
    ----------
    one : ArticleCost
        The row.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A phrase.
    """
    part, other = _name(one.part, catalog), _name(one.other, catalog)
    match one.name:
        case "month":
            return _("A month of {n} {part}", n=one.values["gpus"], part=part)
        case "gb-year-ratio":
            return _("A GB of {part} over three years, as a share of {other}", part=part, other=other)
        case "three-years":
            return _("Three years of an 8-GPU server with {part}: less than {other} by", part=part, other=other)
        case "per-dollar":
            return _("Performance per dollar of {part}: more than {other} by", part=part, other=other)
    return _("A million output tokens at 500,000 an hour and 2 USD an hour")


def reason(one: ArticleCost, catalog: Catalog, _: Words) -> str:
    """What goes in, and what would have to be assumed where that is not enough.

    Parameters
    ----------
    one : ArticleCost
        The row.
    catalog : Catalog
        For names of parts.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One or two sentences.
    """
    values = one.values
    other = _name(one.other, catalog)
    match one.name:
        case "month":
            return _("The article's price of {price} a GPU-month.", price=_.usd(one.inputs[0][1]))
        case "gb-year-ratio":
            return _(
                "Follows from the {saving} lower cost of the server and from the labels' memory, as right as these are.",
                saving=_.percent(values["saving"]),
            )
        case "three-years":
            return _(
                "The article's table is not in its text. At its own purchase prices and the assumptions here the saving is "
                "{base}; {saving} comes out if everything else costs {needed} in three years, the same for both servers.",
                saving=_.percent(one.printed[0]),
                base=_.percent(values["base"]),
                needed=_.usd(values["needed_usd"]),
            )
        case "per-dollar" if one.ours is None:
            return _("No MLPerf test with both parts is at hand.")
        case "per-dollar":
            return _(
                "At the article's prices this asks for {needed} the work of {other}; MLPerf Inference {rounds} ({benchmark}) has "
                "{measured} (derived per accelerator, not verified by MLCommons).",
                needed=_.span(values["needed_low"], values["needed_high"]) + "×",
                other=other,
                rounds=", ".join(values["rounds"]),
                benchmark=values["benchmark"],
                measured=_.span(values["measured_low"], values["measured_high"]) + "×",
            )
    return _("The article's own two figures; it leaves out storage, network and operation.")


def _name(part: str, catalog: Catalog) -> str:
    return catalog.accelerators[part].short_name if part in catalog.accelerators else part


def _span(one: ArticleCost, ends: tuple[float, float], _: Words) -> str:
    """A figure or a range in the unit of its row."""
    low, high = ends
    if one.unit == "fraction":
        texts = [_.percent(low), _.percent(high)]
    else:
        texts = [_.usd(low, 2 if high < 100 else 0), _.usd(high, 2 if high < 100 else 0)]
    if texts[0] == texts[1]:
        return texts[0]
    return _("{low} to {high}", low=texts[0], high=texts[1])
