"""The brief on a projector and as a file: type that the back row reads, keys, an address for each section, a PDF."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pypdf import PdfReader

from lib import catalog
from tests.browser.app_server import AppServer
from tests.browser.visit import IDLE, Visit, VisitIn

PARTS = ("proposal", "numbers", "ranking", "curves", "changes", "risks", "evidence", "sources")
SMALLEST = 24
SMALL = """smallest => {
    const found = [], texts = document.createTreeWalker(document.querySelector('[data-testid=stMain]'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode.textContent.trim(), element = texts.currentNode.parentElement;
        if (!text || !element.checkVisibility() || element.closest('button, style, script')) continue;
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (size < smallest) found.push(`${size}: ${text.slice(0, 60)}`);
    }
    return found;
}"""
"""Texts of the page below a size, those on buttons, which the speaker alone reads, left out."""

HIDDEN = "() => { const main = document.querySelector('[data-testid=stMain]'); return main.scrollHeight - main.clientHeight }"


@pytest.fixture
def projector(browser: Browser) -> Iterator[BrowserContext]:
    """A browser in full screen on a wall of 1,920 by 1,080."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, color_scheme="light", locale="en-GB")
    yield context
    context.close()


def at_part(page: Page, part: str) -> None:
    """Wait until the address and the screen are at a section."""
    page.wait_for_url(re.compile(rf"[?&]part={part}\b"))
    page.wait_for_selector(IDLE, state="attached")
    place = PARTS.index(part) + 1
    foot = page.locator("[data-testid=stMain] h6").last
    expect(foot).to_contain_text(re.compile(rf"\b{place}\D+{len(PARTS)}\b"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_section_is_read_from_the_back_row(
    language: str, projector: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """At 1920 x 1080 no text is smaller than 24 px, nothing has to be scrolled, and no section is an error."""
    visit: Visit = visit_in(projector)
    visit.open(f"{warm_server.url}/brief?preset=serve-70b&lang={language}&present=1&part={PARTS[0]}")
    for place, part in enumerate(PARTS):
        if place:
            visit.page.keyboard.press("ArrowRight")
        at_part(visit.page, part)
        visit.settle()
        assert visit.page.evaluate(SMALL, SMALLEST) == [], part
        assert visit.page.evaluate(HIDDEN) <= 0, part
        assert visit.failures() == []
    assert visit.errors == []


def test_keys_and_history_walk_through_the_sections(
    projector: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """Arrow keys change the address; Back, Forward and a reload keep to it; Esc ends with the page and its sidebar."""
    visit: Visit = visit_in(projector)
    visit.open(f"{warm_server.url}/brief?preset=serve-70b&lang=en&present=1")
    page = visit.page
    expect(page.locator("[data-testid=stSidebar]")).to_have_count(0)
    for part in ("numbers", "ranking", "curves"):
        page.keyboard.press("ArrowRight")
        at_part(page, part)
    page.keyboard.press("ArrowLeft")
    at_part(page, "ranking")
    page.go_back()
    at_part(page, "curves")
    page.go_back()
    at_part(page, "ranking")
    page.go_forward()
    at_part(page, "curves")
    assert visit.errors == []
    page.reload()
    at_part(page, "curves")
    assert "preset=serve-70b" in page.url
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "present" not in url and "part=" not in url and "preset=serve-70b" in url)
    expect(page.get_by_role("button", name="Report (PDF)")).to_be_visible(timeout=20_000)


def test_the_pdf_is_handed_out_by_its_button(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn, tmp_path: Path
) -> None:
    """Named after preset and edition, with the address of this very page inside."""
    visit: Visit = visit_in(fresh_context)
    visit.open(f"{warm_server.url}/brief?preset=serve-70b&lang=zh")
    with visit.page.expect_download() as downloading:
        visit.page.get_by_role("button", name="PDF").click()
    name = downloading.value.suggested_filename
    assert name == f"brief-serve-70b-{catalog.load().edition.date}.pdf"
    downloading.value.save_as(tmp_path / name)
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / name).pages)
    assert f"{warm_server.url}/brief?preset=serve-70b&lang=zh" in re.sub(r"\s", "", text)
    assert visit.errors == []
