"""What strangers may not do to the server: speak from another site, or fill its memory with files."""

from typing import Final
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

MOST_FILES: Final = 8
"""Files that one visitor may hold at a time; the pages have two fields for one file each."""

MOST_BYTES: Final = 64 << 20
"""Files of all visitors together."""

MOST_AT_ONCE: Final = 32
"""Uploads under way at the same time."""

_UPLOADS: Final = "/_stcore/upload_file/"


class OwnOrigin:
    """ASGI middleware that answers no page of another site.

    Streamlit itself would first ask an address on the internet for its own, to compare, and serve nobody meanwhile.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what comes from our own pages, from allowed sites, or from no page at all."""
        if scope["type"] in ("http", "websocket") and _is_foreign(Headers(scope=scope)):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                await PlainTextResponse("another site may not do this", status_code=403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class UploadLimit:
    """ASGI middleware that refuses files beyond what the pages can need."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is no upload, and uploads while there is room."""
        path: str = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or _UPLOADS not in path:
            await self.app(scope, receive, send)
            return
        if self._under_way >= MOST_AT_ONCE or not _has_room(path.partition(_UPLOADS)[2].partition("/")[0]):
            await PlainTextResponse("too many files", status_code=429)(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._under_way -= 1


def _is_foreign(headers: Headers) -> bool:
    """Whether a browser says that the request comes from a page of another site."""
    origin = headers.get("origin")
    if origin is None or urlsplit(origin).netloc == headers.get("host"):
        return False
    allowed: list[str] = st.get_option("server.corsAllowedOrigins") or []
    return origin not in allowed


def _has_room(session_id: str) -> bool:
    """Whether one more file of that session fits beside what is held."""
    held: dict[str, dict[str, object]] = getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
    sizes = [len(getattr(file, "data", b"")) for files in list(held.values()) for file in list(files.values())]
    return len(held.get(session_id, {})) < MOST_FILES and sum(sizes) < MOST_BYTES
