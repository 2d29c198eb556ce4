"""The link of a scenario as a QR code, for a slide, a page and a report."""

import io
from typing import Final

import segno

_SCALE: Final = 8
_QUIET: Final = 4
"""Modules of empty ground around the code that readers need."""


def _code(link: str) -> segno.QRCode | None:
    try:
        return segno.make_qr(link, error="l", boost_error=False)
    except (segno.DataOverflowError, ValueError):
        return None


def png(link: str) -> bytes | None:
    """The code as a picture; None where the link is empty or longer than a code can hold."""
    code = _code(link)
    if code is None:
        return None
    target = io.BytesIO()
    code.save(target, kind="png", scale=_SCALE, border=_QUIET)
    return target.getvalue()


def svg(link: str) -> str:
    """The code as an SVG element that stands inside a document; blank where there is none."""
    code = _code(link)
    return "" if code is None else code.svg_inline(scale=2, border=_QUIET, omitsize=True, svgclass="qr", lineclass=None)
