"""What the report holds and in which order: HTML and PDF are set from the same parts, so that neither says more."""

from dataclasses import dataclass

from lib.present import report_pictures
from lib.present.brief import Brief, Grid
from lib.present.text import Words


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as an SVG element with its finding, its conditions, and its figures in words."""

    title: str
    condition: str
    svg: str
    words: str


@dataclass(frozen=True, slots=True)
class Part:
    """One section: a picture, a sentence, a list and a table, each where there is one, in this order."""

    title: str
    picture: Picture | None = None
    sentence: str = ""
    points: tuple[str, ...] = ()
    table: Grid | None = None


def parts(told: Brief, _: Words) -> tuple[Part, ...]:
    """The sections of the report that have something to say, in their order.

    Parameters
    ----------
    told : Brief
        What the board is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    tuple of Part
        Texts are plain, without any markup.
    """
    condition = _("Thousand USD spent by the end of each month, discounted to the decision; the last month includes the resale. Dashed: rented.")  # fmt: skip
    ranking = _picture(told.ranking_title, told.ranking_note, report_pictures.ranking(told.ranking),
                       report_pictures.ranking_in_words(told.ranking))  # fmt: skip
    curves = _picture(told.curves_title, condition, report_pictures.curves(told.curves, _("Month")),
                      report_pictures.curves_in_words(told.curves))  # fmt: skip
    every = (
        Part(_("Why"), picture=ranking, points=told.why),
        Part(_("What it costs over time"), picture=curves),
        Part(_("What would change the answer?"), sentence=told.turns, table=_table(told.changes)),
        Part(_("What may go wrong?"), points=told.risks),
        Part(_("What is it based on?"), points=told.evidence),
        Part(_("What is not known, and whom to ask"), table=_table(told.gaps)),
        Part(_("Sources"), table=_table(told.sources)),
        Part(_("Every row behind the costs of the first two"), table=_table(told.facts)),
    )
    return tuple(one for one in every if one.picture or one.sentence or one.points or one.table)


def edition_line(told: Brief, _: Words) -> str:
    """Whose numbers these are, under every page."""
    return _("Accelerator Ledger · data edition {edition} · NPV in USD, tax left out", edition=told.edition)


def is_address(text: str) -> bool:
    """Whether a text is nothing but the address of a page of the web: all else never becomes a link."""
    return text.startswith(("https://", "http://")) and not set(text) & set(" \t\r\n\"'<>")


def _picture(title: str, condition: str, svg: str, words: str) -> Picture | None:
    return Picture(title, condition, svg, words) if svg else None


def _table(told: Grid) -> Grid | None:
    return told if told.rows else None
