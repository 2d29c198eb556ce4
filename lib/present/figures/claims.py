"""The verdicts on the articles' claims as stacked bars, one article a line."""

from collections.abc import Mapping, Sequence
from typing import Any

from lib.choice.claims.browsing import counts
from lib.choice.claims.records import VERDICTS, Judged
from lib.present import claims as words
from lib.present.figures.style import DARK, LIGHT, Figure, figure, ground, label_width
from lib.present.text import Words


def verdict_chart(judged: Mapping[str, Judged], articles: Sequence[str], _: Words, *, dark: bool) -> Figure:
    """Counts of claims by article and verdict, each part of a bar with its number; the contradicted ones stand out.

    Parameters
    ----------
    judged : mapping of str to Judged
        Every claim with its verdict.
    articles : sequence of str
        Source ids in the order shown.
    _ : Words
        The reader's language.
    dark : bool
        Whether the ground is dark.

    Returns
    -------
    dict
        A Plotly figure.
    """
    look = ground(dark)
    by_article = {name: counts(tuple(one for one in judged.values() if one.claim.article == name)) for name in articles}
    labels = [words.article_name(name, _) for name in articles]
    fills = (look.greys[2], look.greys[1], look.text, look.greys[3])
    traces: list[dict[str, Any]] = []
    for verdict, fill in zip(VERDICTS, fills, strict=True):
        numbers = [by_article[name][verdict] for name in articles]
        inverse = DARK.text if not dark else "#1B1F24"
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": words.verdict_name(verdict, _),
                "y": labels,
                "x": numbers,
                "text": [f"<b>{number}</b>" if number else "" for number in numbers],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "textangle": 0,
                "textfont": {
                    "color": inverse if verdict == "contradicted" else LIGHT.text if not dark else "#FFFFFF",
                    "size": 12,
                },
                "marker": {"color": fill, "line": {"color": look.text, "width": 1}},
                "hovertemplate": f"%{{y}}: %{{x}} {words.verdict_name(verdict, _)}<extra></extra>",
            }
        )
    return figure(
        traces,
        look,
        title=words.chart_title(judged, articles, _),
        subtitle=_("claims by article and verdict"),
        height=110 + 38 * len(articles),
        x={"rangemode": "tozero", "title": {"text": ""}},
        y={"autorange": "reversed"},
        barmode="stack",
        bargap=0.3,
        legend={"orientation": "h", "y": -0.12, "x": 0, "font": {"size": 12}, "traceorder": "normal"},
        margin={"l": label_width(labels), "r": 16, "t": 60, "b": 48},
    )
