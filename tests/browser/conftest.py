"""Servers and browsers for the tests that open the app as its users do."""

import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser import chromium
from tests.browser.app_server import AppServer, running_app
from tests.browser.visit import ContextOf, Scheme, Visit, VisitIn

ROOT = Path(__file__).resolve().parents[2]
ARTIFACTS = ROOT / "test-artifacts"
HEIGHT = {1400: 1000, 390: 844}

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember whether the test failed, so that its page can be photographed before it closes."""
    report = yield
    if report.when == "call":
        item.stash[_failed] = report.failed
    return report


# Package scope: Playwright keeps an event loop running, which other tests may not want to meet.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with sync_playwright() as playwright:
        running = chromium.launch(playwright)
        yield running
        running.close()


@pytest.fixture(scope="package")
def warm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app, shared by the tests that do not care who was there before."""
    with running_app(ROOT / "app.py", tmp_path_factory.mktemp("home")) as server:
        yield server
        assert server.complaints() == []


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[AppServer]:
    """The app as nobody has visited it yet."""
    with running_app(ROOT / "app.py", tmp_path) as server:
        yield server
        assert server.complaints() == []


@pytest.fixture(scope="package")
def context_of(browser: Browser) -> Iterator[ContextOf]:
    """A browser profile of that width and colour scheme, shared so that the scripts are fetched once."""
    known: dict[tuple[int, Scheme], BrowserContext] = {}

    def context(width: int, scheme: Scheme) -> BrowserContext:
        if (width, scheme) not in known:
            known[width, scheme] = browser.new_context(
                viewport={"width": width, "height": HEIGHT[width]}, color_scheme=scheme
            )
        return known[width, scheme]

    yield context
    for one in known.values():
        one.close()


@pytest.fixture
def fresh_context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile that has never seen the app."""
    context = browser.new_context(viewport={"width": 1400, "height": HEIGHT[1400]}, locale="en-GB")
    yield context
    context.close()


@pytest.fixture
def visit_in(request: pytest.FixtureRequest) -> Iterator[VisitIn]:
    """Start a visit in a profile; the page is photographed when the test fails or LEDGER_SCREENSHOTS names a folder."""
    visits: list[Visit] = []

    def visit(context: BrowserContext) -> Visit:
        visits.append(Visit.start(context))
        return visits[-1]

    yield visit
    folder = os.environ.get("LEDGER_SCREENSHOTS")
    for number, one in enumerate(visits):
        if folder or request.node.stash.get(_failed, False):
            name = re.sub(r"\W+", "-", request.node.name).strip("-")
            one.screenshot(Path(folder or ARTIFACTS) / f"{name}{f'-{number}' if number else ''}.png")
        one.page.close()


@pytest.fixture
def browser_context_of_a_colleague(browser: Browser) -> Iterator[BrowserContext]:
    """A second browser profile, in another language."""
    context = browser.new_context(viewport={"width": 1400, "height": HEIGHT[1400]}, locale="de-DE")
    yield context
    context.close()
