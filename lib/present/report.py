"""The brief as one HTML document that prints well and opens without a network: no script, no font, no picture beside it."""

import re
from collections.abc import Iterable
from html import escape
from typing import Final

from lib.present import qr
from lib.present.brief import Brief, Grid
from lib.present.report_outline import Part, Picture, edition_line, is_address, parts
from lib.present.text import Words

_STYLE: Final = """
:root{color-scheme:light}
body{margin:0 auto;max-width:52rem;padding:2rem 1.25rem;background:#fff;color:#1B1F24;
font:16px/1.5 'Source Sans 3','Source Sans Pro',Calibri,'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.2rem;margin:2rem 0 .5rem;border-top:1px solid #E3E6EA;padding-top:1rem;break-after:avoid}
h3{font-size:1rem;margin:1rem 0 .25rem;break-after:avoid}
.lead{font-size:1.3rem;font-weight:600;margin:.25rem 0}.muted{color:#5B6470;font-size:.9rem}
header{display:flex;gap:1.5rem;justify-content:space-between;align-items:flex-start}
.qr{width:7rem;height:7rem;flex:none}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem;margin:1rem 0}
.numbers div{border:1px solid #E3E6EA;border-radius:.4rem;padding:.75rem}
.numbers b{display:block;font-size:1.35rem;line-height:1.3}
svg{max-width:100%;height:auto}svg text{font-size:13px;font-family:inherit}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-bottom:1px solid #E3E6EA;overflow-wrap:break-word}
td:last-child{overflow-wrap:anywhere;min-width:9rem}td:first-child{min-width:8rem}.short{white-space:nowrap}
th{background:#F3F5F8}thead{display:table-header-group}tr,figure,.numbers div{break-inside:avoid}
figure{margin:1rem 0}footer{margin-top:2rem;border-top:1px solid #E3E6EA;padding-top:.75rem}
a{color:#0369A1;overflow-wrap:anywhere}
@page{size:A4;margin:16mm}
@media print{body{padding:0;max-width:none;font-size:10.5pt}.wide{overflow:visible}table{font-size:8pt}}
"""

_SHORT: Final = re.compile(r"[\d.,–-]{1,12}")
"""A number or a date, which is not broken into lines."""

_SHORT_CELL: Final = " class='short'"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_LANGUAGE: Final = {"zh": "zh-Hans", "en": "en"}


def report(told: Brief, _: Words) -> str:
    """The brief as HTML.

    Parameters
    ----------
    told : Brief
        What the board is shown.
    _ : Words
        The reader's language.

    Returns
    -------
    str
        A whole document: the same for the same brief.
    """
    body = "".join([_head(told), _numbers(told), *map(_section, parts(told, _)), _foot(told, _)])
    return (
        f'<!doctype html>\n<html lang="{_LANGUAGE[told.language]}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(told.question)}</title><style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )


def _head(told: Brief) -> str:
    answer = f"<h1>{escape(told.question)}</h1><p class='lead'>{escape(told.headline)}</p>{_paragraph(told.sure)}"
    return f"<header><div>{answer}</div>{qr.svg(told.link)}</header>{_paragraph(told.answer)}"


def _numbers(told: Brief) -> str:
    cards = (
        f"<div>{escape(one.label)}<b>{escape(one.value)}</b><span class='muted'>{escape(one.note)}</span></div>"
        for one in told.numbers
    )
    return f"<div class='numbers'>{''.join(cards)}</div>"


def _section(part: Part) -> str:
    content = _figure(part.picture) + _paragraph(part.sentence) + _list(part.points) + _table(part.table)
    return f"<section><h2>{escape(part.title)}</h2>{content}</section>"


def _figure(picture: Picture | None) -> str:
    if picture is None:
        return ""
    head = f"<h3>{escape(picture.title)}</h3><p class='muted'>{escape(picture.condition)}</p>"
    return f"<figure>{head}{picture.svg}</figure>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table(told: Grid | None) -> str:
    if told is None:
        return ""
    heads = "".join(f"<th scope='col'>{escape(head)}</th>" for head in told.heads)
    lines = "".join(
        "<tr>"
        + "".join(f"<td{_SHORT_CELL if _SHORT.fullmatch(cell) else ''}>{_linked(cell)}</td>" for cell in row)
        + "</tr>"
        for row in told.rows
    )
    return f"<div class='wide'><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"


def _linked(text: str) -> str:
    """A text, as a link where it is nothing but the address of a page."""
    if is_address(text):
        return f'<a href="{escape(text)}" rel="noreferrer">{escape(text)}</a>'
    return escape(text)


def _foot(told: Brief, _: Words) -> str:
    link = f"<br>{_('The same scenario, to change:')} {_linked(told.link)}" if told.link else ""
    return f"<footer class='muted'>{escape(edition_line(told, _))}{link}</footer>"
