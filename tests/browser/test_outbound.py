"""A visit stays between the browser and this server, and nothing that a link says becomes part of the page."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page

from lib import catalog
from lib.choice import link, presets
from lib.choice.scenario import Scenario
from tests.browser.strained import Strained, strained_app
from tests.browser.visit import Visit, VisitIn

pytestmark = pytest.mark.soak

PAGES = sorted(path.stem for path in Path(__file__).resolve().parents[2].glob("pages/*.py"))
MARKUP = "<img src=//evil.example/i> ![a](//evil.example/m) [b](http://evil.example)"
FOREIGN = "img[src*='evil'], a[href*='evil'], script[src*='evil'], iframe, img[src='x']"
BASE = "/tools/ledger"
BASE_SEARCH = re.compile(rf"status of 404 .*\({BASE}/\w+/_stcore/(health|host-config)\)$")
"""A deep link makes Streamlit ask below the page's own path before it finds its base."""


@pytest.fixture(scope="module")
def strained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strained]:
    """The app below a base path, as behind a proxy of the organisation, every address that it asks for written down."""
    environment = {"STREAMLIT_SERVER_BASE_URL_PATH": BASE.strip("/")}
    with strained_app(tmp_path_factory.mktemp("outbound"), environment, base=BASE) as running:
        yield running
        assert running.server.complaints() == []


def hostile() -> Scenario:
    """A scenario with markup in every text that its owner may choose."""
    scenario = presets.preset(catalog.load(), "serve-70b")
    workloads = tuple(one.model_copy(update={"name": MARKUP[:80]}) for one in scenario.workloads)
    view = scenario.view.model_copy(update={"table_search": MARKUP[:80]})
    return scenario.model_copy(update={"title": MARKUP[:80], "workloads": workloads, "view": view, "edition": ""})


def listen(page: Page, own: str, elsewhere: list[str]) -> None:
    """Note every address that a page asks for beside its own server."""

    def hear(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != own:
            elsewhere.append(url)

    page.on("request", lambda request: hear(request.url))
    page.on("websocket", lambda one: hear(one.url))


def test_no_visit_reaches_an_address_outside(
    strained: Strained, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """Every page, below a base path, with a link full of markup: no request elsewhere, no element of the link's making."""
    visit: Visit = visit_in(fresh_context)
    elsewhere: list[str] = []
    listen(visit.page, urlsplit(strained.server.url).netloc, elsewhere)
    token = link.encode(hostile())
    for page in PAGES:
        path = "" if page == "start" else page
        visit.open(f"{strained.server.url}{BASE}/{path}?s={token}")
        assert visit.failures() == []
        assert visit.headline()
        assert visit.page.locator(FOREIGN).count() == 0, page
        assert urlsplit(visit.page.url).path.rstrip("/") == f"{BASE}/{path}".rstrip("/")
    assert elsewhere == []
    assert [error for error in visit.errors if not BASE_SEARCH.search(error)] == []
    assert strained.reached() == []
    assert [path for path in strained.events("writes") if "__pycache__" not in path] == []
