"""The dated prices of a part on one basis, with an offer among them."""

from collections.abc import Sequence
from typing import Any, Final

from lib.catalog import Catalog
from lib.choice.offer_prices import SeenPrice
from lib.choice.offers import OfferCheck
from lib.present.figures.lines import wrapped
from lib.present.figures.points import titled
from lib.present.figures.style import Figure, Look, ground
from lib.present.offer_words import basis_name, money, position_text, standing_text
from lib.present.text import Words

_MOST: Final = 9
_ROOM: Final = 1.08
_ROW: Final = 38
_ABOVE: Final = 0.42
"""A name stands above its line, so that a telephone has room for both."""


def price_chart(check: OfferCheck, catalog: Catalog, look: Look, _: Words, *, dark: bool) -> Figure | None:
    """Each dated price as a line from low to high or a point, the offer as an upright line through all of them.

    Parameters
    ----------
    check : OfferCheck
        The offer, checked.
    catalog : Catalog
        For the names of providers and sources.
    look : Look
        How the part is drawn.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict or None
        A Plotly figure; None where the offer states no price or no price was seen.
    """
    if check.usd is None or check.position is None or not check.seen:
        return None
    colours = ground(dark)
    rows = sorted(check.seen, key=lambda one: (one not in check.judged, one.age_days, one.row_id))[:_MOST]
    names = [_name(one, catalog, _) for one in rows]
    traces: list[dict[str, Any]] = [_ranges(rows, colours.muted), *_points(check, rows, names, colours.text, _)]
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "x": [check.usd] * 2,
            "y": [-0.5, len(rows) - 0.5],
            "line": {"color": look.colour, "width": 3},
            "hoverinfo": "text",
            "hovertext": money(check.usd, "USD", check.quote.basis),
        }
    )
    traces.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": [0] * len(rows),
            "y": [at - _ABOVE for at in range(len(rows))],
            "text": names,
            "textposition": "middle right",
            "textfont": {"size": 12, "color": colours.muted},
            "hoverinfo": "skip",
        }
    )
    most = max([check.usd, *(one.high for one in rows)])
    return titled(
        traces,
        colours,
        title(check, _),
        [
            position_text(check.position, _),
            _("line: this offer · filled: judged by · open: shown beside · whisker: range stated"),
            f"* {_('holds network or storage too')}" if any(one.holds_more for one in rows) else "",
        ],
        height=46 + _ROW * len(rows),
        left=12,
        x={
            "range": [0, _ROOM * most],
            "tickformat": "~s",
            "nticks": 6,
            "title": {"text": _("USD for {basis}", basis=basis_name(check.quote.basis, _))},
        },
        y={"showticklabels": False, "showgrid": False, "range": [len(rows) - 0.4, -0.9], "zeroline": False},
    )


def title(check: OfferCheck, _: Words) -> str:
    """The finding of the picture, its words for those who cannot see it.

    Parameters
    ----------
    check : OfferCheck
        With a price.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        One sentence.
    """
    if check.usd is None or check.position is None:
        return ""
    return _("{standing}: {amount} for {basis}", standing=standing_text(check.position, _),
             amount=money(check.usd, "USD", check.quote.basis), basis=basis_name(check.quote.basis, _))  # fmt: skip


def caption(check: OfferCheck, catalog: Catalog, _: Words) -> str:
    """What of the prices is not drawn, and the edition.

    Parameters
    ----------
    check : OfferCheck
        With a price.
    catalog : Catalog
        For the edition.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        For small type.
    """
    more = len(check.seen) - _MOST
    rest = _("{n} older prices are not drawn.", n=more) if more > 0 else ""
    rate = ""
    if check.quote.currency != "USD":
        rate = _("{currency} at {rate} per USD.", currency=check.quote.currency, rate=_.number(check.rate, 5))
    edition = _(
        "Each price with its source on the sources page. Data edition {edition}.", edition=catalog.edition.label
    )
    return " ".join(filter(None, (rate, rest, edition)))


def _name(one: SeenPrice, catalog: Catalog, _: Words) -> str:
    price = next((row for row in catalog.prices if row.price_id == one.row_id), None)
    if price is not None and price.quality != "article":
        who = {"not stated": _("provider not stated")}.get(price.provider, price.provider)
    elif price is not None:
        who = _("article {letter}", letter=one.source_id.removeprefix("article-").upper())
    elif one.kind == "estimate":
        who = _("estimate")
    else:
        who = catalog.source(one.source_id).title
    first, *more = wrapped(who, 34)
    return f"{first}{'…' if more else ''} · {one.as_of}" + (" *" if one.holds_more else "")


def _ranges(rows: Sequence[SeenPrice], colour: str) -> dict[str, Any]:
    x: list[float | None] = []
    y: list[float | None] = []
    for at, one in enumerate(rows):
        x += [one.low, one.high, None]
        y += [at, at, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2},
        "hoverinfo": "skip",
    }


def _points(
    check: OfferCheck, rows: Sequence[SeenPrice], names: Sequence[str], colour: str, _: Words
) -> list[dict[str, Any]]:
    traces = []
    for counted, symbol in ((True, "circle"), (False, "circle-open")):
        places = [at for at, one in enumerate(rows) if (one in check.judged) is counted]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [rows[at].middle for at in places],
                "y": places,
                "marker": {"color": colour, "symbol": symbol, "size": 9},
                "hovertext": [_hover(rows[at], names[at], _) for at in places],
                "hoverinfo": "text",
                "customdata": [[rows[at].source_id, rows[at].row_id] for at in places],
            }
        )
    return traces


def _hover(one: SeenPrice, name: str, _: Words) -> str:
    more = "<br>" + _("holds network or storage too") if one.holds_more else ""
    return f"{name}<br>{_.span(one.low, one.high, 6)} USD<br>{one.source_id}{more}"
