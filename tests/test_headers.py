"""The app answers with security headers, and says so when it is misconfigured."""

import asyncio
from typing import Any

import pytest

from lib.ui import headers


@pytest.fixture(autouse=True)
def forget() -> None:
    """The headers are computed once a process; each test computes its own."""
    headers.security_headers.cache_clear()


def test_only_the_scripts_of_the_installed_page_run() -> None:
    """No inline script is allowed but those whose hash is known, and none is evaluated."""
    policy = headers.security_headers()["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "'unsafe-inline'" not in scripts
    assert "'unsafe-eval'" not in scripts
    assert "'sha256-" in scripts
    assert "default-src 'self'" in policy
    assert "object-src 'none'" in policy


def test_others_may_embed_the_app_only_where_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default only the app itself; the variable names the others, and X-Frame-Options then gives way."""
    own = headers.security_headers()
    assert "frame-ancestors 'self'" in own["Content-Security-Policy"]
    assert own["X-Frame-Options"] == "SAMEORIGIN"
    headers.security_headers.cache_clear()
    monkeypatch.setenv(headers.FRAME_ANCESTORS_VARIABLE, "'self' https://intranet.example.com")
    others = headers.security_headers()
    assert "frame-ancestors 'self' https://intranet.example.com" in others["Content-Security-Policy"]
    assert "X-Frame-Options" not in others


@pytest.mark.parametrize("value", ["*; script-src *", "'self'\r\nX-Evil: 1", "https://a.example,https://b.example"])
def test_the_variable_cannot_smuggle_another_rule(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Anything but origins stops the start."""
    monkeypatch.setenv(headers.FRAME_ANCESTORS_VARIABLE, value)
    with pytest.raises(ValueError, match=headers.FRAME_ANCESTORS_VARIABLE):
        headers.security_headers()


def test_every_http_answer_carries_them() -> None:
    """The middleware adds them to whatever the app answers, and leaves websockets alone."""
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {}

    asyncio.run(headers.SecurityHeaders(app)({"type": "http"}, receive, send))
    names = {name.decode() for name, _ in sent[0]["headers"]}
    assert names >= {"content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options"}
    sent.clear()
    asyncio.run(headers.SecurityHeaders(app)({"type": "websocket"}, receive, send))
    assert sent[0]["headers"] == []
