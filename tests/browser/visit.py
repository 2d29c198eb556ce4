"""One page as one visitor meets it, and what can be wrong with it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Page

MAIN = "[data-testid=stMain]"
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
HEADLINE = f"{MAIN} h1"
FAILED = "[data-testid=stException], [data-testid=stAlertContentError]"
WAIT_MS = 60_000

NOT_OURS = ("[data-testid=stCode]", "[data-testid=stMetricChart]", "[data-testid=stFileUploader]")
"""Elements of Streamlit itself that axe faults and that a page cannot mend."""

# A deep link makes Streamlit ask below the page's own path before it finds its base.
_BASE_SEARCH = re.compile(r"^/[\w-]+/_stcore/(health|host-config)$")

_DRAWN = """() => !document.querySelector('[data-testid=stSkeleton]')
    && [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
        .every(chart => !chart.checkVisibility() || chart.querySelector('.main-svg'))"""

_TOO_WIDE = """() => ['html', 'body', '[data-testid=stAppViewContainer]', '[data-testid=stMain]']
    .map(name => [name, document.querySelector(name)])
    .filter(([name, element]) => element && element.scrollWidth > element.clientWidth + 1)
    .map(([name, element]) => `${name} is ${element.scrollWidth} wide in ${element.clientWidth}`)"""

_WHOLE_HEIGHT = """() => Math.max(document.documentElement.scrollHeight,
    document.querySelector('[data-testid=stMain]')?.scrollHeight ?? 0)"""


@dataclass
class Visit:
    """A page in its own tab, with every error that the browser reports while it is open."""

    page: Page
    errors: list[str] = field(default_factory=list)
    searches: set[str] = field(default_factory=set)

    @classmethod
    def start(cls, context: BrowserContext) -> "Visit":
        """Open an empty tab and listen to its errors from the first byte."""
        visit = cls(context.new_page())
        visit.page.set_default_timeout(WAIT_MS)
        visit.page.on("console", visit._hear)
        visit.page.on("pageerror", lambda error: visit.errors.append(f"uncaught: {error}"))
        return visit

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        path = urlsplit(message.location.get("url", "")).path
        if "status of 404" in message.text and _BASE_SEARCH.match(path) and path not in self.searches:
            self.searches.add(path)
            return
        self.errors.append(f"{message.text} ({path})")

    def open(self, url: str) -> None:
        """Load an address and wait until the page is whole."""
        self.page.goto(url)
        self.settle()

    def settle(self) -> None:
        """Wait until the script is idle, a headline or an error stands, and every visible chart is drawn."""
        self.page.wait_for_selector(f"{HEADLINE}, {FAILED}", state="attached")
        self.page.wait_for_selector(IDLE, state="attached")
        self.page.wait_for_function(_DRAWN)

    def headline(self) -> str:
        """The page's question; empty where there is none."""
        headlines = self.page.locator(HEADLINE).all_inner_texts()
        return headlines[0].strip() if headlines else ""

    def failures(self) -> list[str]:
        """What the page itself reports as failed."""
        return self.page.locator(FAILED).all_inner_texts()

    def too_wide(self) -> list[str]:
        """Parts of the page that would have to be scrolled sideways."""
        found: list[str] = self.page.evaluate(_TOO_WIDE)
        return found

    def barriers(self) -> list[str]:
        """Serious and critical violations that axe finds, those of Streamlit's own elements left out."""
        present = [[selector] for selector in NOT_OURS if self.page.locator(selector).count()]
        results = Axe().run(self.page, context={"exclude": present} if present else None)
        return list(_serious(results.response["violations"]))

    def is_dark(self) -> bool:
        """Whether the page stands on a dark ground."""
        ground: str = self.page.evaluate(
            "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
        )
        red, green, blue = (int(channel) for channel in re.findall(r"\d+", ground)[:3])
        return red + green + blue < 3 * 128

    def screenshot(self, path: Path) -> None:
        """Save the whole page, also what is below the window: Streamlit scrolls inside the page."""
        width = (self.page.viewport_size or {"width": 1400})["width"]
        self.page.set_viewport_size({"width": width, "height": self.page.evaluate(_WHOLE_HEIGHT)})
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)


Scheme = Literal["light", "dark"]
ContextOf = Callable[[int, Scheme], BrowserContext]
VisitIn = Callable[[BrowserContext], Visit]


def _serious(violations: list[dict[str, Any]]) -> Iterator[str]:
    for violation in violations:
        if violation["impact"] in ("serious", "critical"):
            for node in violation["nodes"]:
                yield f"{violation['impact']} {violation['id']}: {node['target']}: {node.get('failureSummary', '')}"
