"""Security headers on every HTTP answer, as strict as Streamlit's own pages work with."""

import base64
import functools
import hashlib
import os
import re
from pathlib import Path
from typing import Final

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FRAME_ANCESTORS_VARIABLE: Final = "LEDGER_FRAME_ANCESTORS"
"""Environment variable with the origins that may embed the app, in CSP syntax; default: only the app itself."""

LANGUAGE_SCRIPTS: Final = {
    language: f"document.documentElement.lang='{tag}'" for language, tag in (("en", "en"), ("zh", "zh-CN"))
}
"""The only scripts of our own: they tell screen readers the language of the page, which Streamlit leaves at English."""

_INLINE_SCRIPT: Final = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)
_SAFE_ANCESTORS: Final = re.compile(r"[\w '*.:/-]*")


class SecurityHeaders:
    """ASGI middleware that adds the headers to each HTTP response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers when the response starts."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in security_headers().items():
                    headers[name] = value
            await send(message)

        await self.app(scope, receive, send_with_headers)


@functools.cache
def security_headers() -> dict[str, str]:
    """The headers by name, computed once from the installed Streamlit and the environment.

    Returns
    -------
    dict of str to str
        Content-Security-Policy, X-Content-Type-Options, Referrer-Policy and, unless others may embed the app,
        X-Frame-Options.

    Raises
    ------
    ValueError
        If the variable of frame ancestors holds anything but origins.
    """
    ancestors = os.environ.get(FRAME_ANCESTORS_VARIABLE, "'self'").strip() or "'self'"
    if not _SAFE_ANCESTORS.fullmatch(ancestors):
        raise ValueError(f"{FRAME_ANCESTORS_VARIABLE} is {ancestors!r}; allowed: origins separated by spaces")
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", *_inline_hashes()]),
        "style-src": "'self' 'unsafe-inline'",  # Streamlit and Plotly style by inline attributes
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' ws: wss:",
        "worker-src": "'self' blob:",
        "frame-ancestors": ancestors,
        "base-uri": "'self'",
        "form-action": "'self'",
        "object-src": "'none'",
    }
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",  # the address holds the whole scenario
    }
    if ancestors == "'self'":
        headers["X-Frame-Options"] = "SAMEORIGIN"  # older browsers; it cannot name other origins
    return headers


def _inline_hashes() -> list[str]:
    """Hashes of the inline scripts in Streamlit's own page and of ours, so that no other inline script runs."""
    page = Path(streamlit.__file__).with_name("static").joinpath("index.html")
    scripts = [*_INLINE_SCRIPT.findall(page.read_text(encoding="utf-8")), *LANGUAGE_SCRIPTS.values()]
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]
