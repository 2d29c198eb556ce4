"""The checks of the browser tests are able to fail."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route

from tests.browser.app_server import AppServer, running_app
from tests.browser.visit import ContextOf, Visit, VisitIn

SOUND = """<!doctype html><html lang="en"><head><title>Ledger</title></head><body style="background:#fff;color:#111">
<div data-testid="stApp" data-test-script-state="notRunning"><main data-testid="stMain"><h1>What does it cost?</h1>
%s</main></div></body></html>"""

Meet = Callable[[str], Visit]


@pytest.fixture
def meet(context_of: ContextOf, visit_in: VisitIn) -> Meet:
    """Visit a page made of the given HTML."""

    def meeting(html: str, path: str = "cost") -> Visit:
        visit = visit_in(context_of(390, "light"))

        def answer(route: Route) -> None:
            if "_stcore" in route.request.url or "missing" in route.request.url:
                route.fulfill(status=404)
            else:
                route.fulfill(body=html, content_type="text/html")

        visit.page.route("**/*", answer)
        visit.open(f"http://ledger.test/{path}")
        return visit

    return meeting


def test_a_sound_page_passes_every_check(meet: Meet) -> None:
    """Nothing is reported where nothing is wrong."""
    visit = meet(SOUND % "")
    found = visit.failures(), visit.errors, visit.too_wide(), visit.barriers()
    assert visit.headline() == "What does it cost?"
    assert found == ([], [], [], [])


def test_a_page_wider_than_its_window_is_found(meet: Meet) -> None:
    """One element of 600 px in a window of 390 px."""
    assert any("600" in line for line in meet(SOUND % '<div style="width:600px">wide</div>').too_wide())


@pytest.mark.parametrize(
    ("html", "rule"),
    [
        ('<p style="color:#bbb">pale on white</p>', "color-contrast"),
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ("<input>", "label"),
    ],
)
def test_a_barrier_is_found(meet: Meet, html: str, rule: str) -> None:
    """Pale text, a picture without words and a field without a label are serious or critical."""
    assert any(rule in line for line in meet(SOUND % html).barriers())


def test_only_the_elements_of_streamlit_itself_are_left_out(meet: Meet) -> None:
    """The same fault counts beside an allowed element and not inside it."""
    fault = '<p style="color:#bbb">pale on white</p>'
    inside = f'<div data-testid="stFileUploader">{fault}</div>'
    assert meet(SOUND % inside).barriers() == []
    assert len(meet(SOUND % (inside + fault)).barriers()) == 1


def test_errors_of_the_browser_are_heard(meet: Meet) -> None:
    """An uncaught exception, a reported error and a missing file are each one error."""
    script = "<script>console.error('reported');fetch('/missing');setTimeout(() => { throw Error('thrown') })</script>"
    visit = meet(SOUND % script)
    visit.page.wait_for_timeout(300)
    assert len(visit.errors) == 3
    assert {word for word in ("reported", "missing", "thrown") if any(word in line for line in visit.errors)} == {
        "reported",
        "missing",
        "thrown",
    }


def test_the_search_for_the_base_is_forgiven_once(meet: Meet) -> None:
    """Streamlit asks once below the path of a deep link; a second time would be a fault."""
    ask = "await fetch('/cost/_stcore/health');"
    once = meet(SOUND % f"<script type=module>{ask}</script>")
    twice = meet(SOUND % f"<script type=module>{ask}{ask}</script>")
    twice.page.wait_for_timeout(300)
    assert once.errors == []
    assert len(twice.errors) == 1


def test_a_failed_page_is_reported(meet: Meet) -> None:
    """An exception that the page shows is a failure, also where a headline stands above it."""
    assert meet(SOUND % '<div data-testid="stException">broken</div>').failures() == ["broken"]


def test_deprecations_in_the_log_are_found(tmp_path: Path) -> None:
    """The words with which Streamlit announces the end of an option are seen, other lines are not."""
    log = tmp_path / "server.log"
    log.write_text("URL: http://127.0.0.1\nPlease replace `a` with `b`.\n`a` will be removed after 2025-12-31.\n")
    assert len(AppServer("", 0, log).complaints()) == 2


def test_an_app_that_does_not_start_says_why(tmp_path: Path) -> None:
    """The error carries the log of the server."""
    with pytest.raises(RuntimeError, match="does not exist"), running_app(tmp_path / "no_such_app.py", tmp_path):
        pass
