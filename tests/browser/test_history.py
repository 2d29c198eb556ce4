"""Back and Forward walk through the last edits on every page: the address and the controls show each of them again."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Locator, Page

from tests.browser.app_server import AppServer
from tests.browser.visit import IDLE, VisitIn

EVERY_RUN = ("cost",)
"""Pages of every run; the long run walks through them all."""

PAGES = sorted(path.stem for path in Path(__file__).resolve().parents[2].glob("pages/*.py"))
_PATIENCE_MS = 20_000
_STEP_MS = 100

Kind = Literal["number", "choice", "list", "switch", "slider", "button", "text"]


@dataclass(frozen=True)
class Control:
    """A field as its reader finds it: by kind and label."""

    kind: Kind
    label: str

    def place(self, page: Page) -> Locator:
        """The element that holds its value."""
        match self.kind:
            case "text":
                return page.get_by_role("textbox", name=self.label, exact=True)
            case "number":
                return page.get_by_label(self.label, exact=True)
            case "choice":
                return page.get_by_role("radiogroup", name=self.label, exact=True)
            case "list":
                return page.get_by_role("combobox", name=self.label)
            case "switch":
                return page.get_by_role("checkbox", name=self.label).or_(page.get_by_role("switch", name=self.label))
            case "slider":
                return page.locator("[data-testid=stSlider]").filter(has_text=self.label)
            case "button":
                return page.get_by_role("button", name=self.label)

    def edit(self, page: Page) -> None:
        """Give it another value, as a reader does."""
        place = self.place(page)
        match self.kind:
            case "number":
                place.fill(str(int(place.input_value()) + 1))
                place.press("Enter")
            case "text":
                place.fill(f"{place.input_value()}a")
                place.press("Enter")
            case "choice":
                place.locator("label:not(:has(input:checked))").first.click()
            case "list":
                before = place.input_value()
                place.scroll_into_view_if_needed()  # a page that scrolls closes its lists
                until(page, lambda: _is_open(place, page), f"{self.label} does not open")
                page.get_by_role("option").filter(has_not_text=before).first.click()
            case "switch":
                page.get_by_text(self.label, exact=True).click()
            case "slider":
                place.locator("[role=slider], input[type=range]").first.press("ArrowRight")
            case "button":
                place.click()

    def shown(self, page: Page) -> str:
        """What it shows."""
        place = self.place(page)
        match self.kind:
            case "choice":
                return place.locator("label:has(input:checked)").inner_text()
            case "switch":
                return str(place.is_checked())
            case "slider":
                return place.locator("[data-testid=stSliderThumbValue]").inner_text()
            case "button":
                return str(place.count())
        return place.input_value()


LOAD = Control("number", "Concurrent sequences")
EDITS: dict[str, tuple[Control, Control]] = {
    "start": (Control("number", "Input tokens"), LOAD),
    "specs": (Control("choice", "Measured against"), LOAD),
    "memory": (Control("slider", "Sequences at once"), Control("choice", "Look closer")),
    "benchmarks": (Control("list", "Publishers"), LOAD),
    "cost": (Control("slider", "Utilisation"), LOAD),
    "recommend": (Control("list", "Measured by"), LOAD),
    "brief": (Control("number", "Output tokens"), LOAD),
    "software": (Control("choice", "Estimate for the cost"), LOAD),
    "timing": (Control("switch", "Server prices follow the rents"), LOAD),
    "offer": (Control("button", "Show me an example"), LOAD),
    "compare": (Control("list", "Compare with"), LOAD),
    "sources": (Control("list", "Table"), Control("text", "Search")),
    "claims": (Control("list", "Verdict"), LOAD),
    "inside": (Control("choice", "Show"), LOAD),
}


def _is_open(place: Locator, page: Page) -> bool:
    """Whether a list shows its options, after one more click where it does not."""
    if not page.get_by_role("option").count():
        place.click()
        page.wait_for_timeout(_STEP_MS)
    return page.get_by_role("option").count() > 0


def until(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Wait until something holds that the browser cannot be asked about in one question."""
    for _turn in range(_PATIENCE_MS // _STEP_MS):
        if holds():
            return
        page.wait_for_timeout(_STEP_MS)
    raise AssertionError(what)


def test_every_page_has_its_edits() -> None:
    """A new page brings two edits of its own here."""
    assert sorted(EDITS) == PAGES


@pytest.mark.parametrize(
    "name", [page if page in EVERY_RUN else pytest.param(page, marks=pytest.mark.soak) for page in PAGES]
)
def test_back_and_forward_walk_through_the_edits_of_a_page(
    name: str, warm_server: AppServer, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """Two edits, Back twice, Forward twice: address and both controls are at each step what they were."""
    visit = visit_in(fresh_context)
    visit.open(f"{warm_server.url}/{'' if name == 'start' else name}?preset=serve-70b&lang=en")
    page, controls = visit.page, EDITS[name]
    seen = [(page.url, [one.shown(page) for one in controls])]
    for one in controls:
        before = page.url
        one.edit(page)
        page.wait_for_function("before => location.href !== before", arg=before)
        page.wait_for_selector(IDLE, state="attached")
        visit.settle()
        seen.append((page.url, [each.shown(page) for each in controls]))
        assert seen[-1][1] != seen[-2][1]
    for step, (url, values) in ((page.go_back, seen[1]), (page.go_back, seen[0]), (page.go_forward, seen[1]), (page.go_forward, seen[2])):  # fmt: skip
        step()
        until(page, lambda url=url: page.url == url, f"{page.url} is not {url}")  # type: ignore[misc]
        until(
            page,
            lambda values=values: [one.shown(page) for one in controls] == values,  # type: ignore[misc]
            f"{[one.shown(page) for one in controls]} is not {values}",
        )
    assert visit.failures() == []
    assert visit.errors == []
