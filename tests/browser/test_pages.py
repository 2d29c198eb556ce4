"""Every page opens from its link, in both languages, wide and narrow, light and dark."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from lib import catalog
from lib.choice import presets
from lib.choice.fleet_costs import costed_all
from lib.choice.recommend import recommend
from tests.browser.app_server import AppServer
from tests.browser.visit import MAIN, ContextOf, Scheme, VisitIn

FRONT = "start"
FIRST_VISITED = ("start", "cost", "brief")
"""Pages whose link opens a server nobody has visited in every run; the long run opens them all."""

PAGES = sorted(path.stem for path in Path(__file__).resolve().parents[2].glob("pages/*.py"))
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def headline_number(page: str) -> str:
    """What the preset serve-70b must show on a page, from the tables, a closed form or the shell's own call."""
    facts = catalog.load()
    if page == "specs":
        runtime = [facts.accelerator(name).memory_runtime_gib or 0.0 for name in ("mi300x", "h100-sxm")]
        return f"{runtime[0] / runtime[1]:.2f}×"
    if page == "memory":
        return f"{80 * 2 * 8 * 128 * 2:,} bytes"  # layers x (K and V) x heads x head size x 16 bit
    if page == "benchmarks":
        return f"{23_514.8 / 24_524.9:.2f}×"  # MLPerf v4.1, llama2-70b 99.9 Offline, 8 accelerators: AMD over NVIDIA
    if page == "sources":
        return f"{len(facts.sources)} sources"
    if page == "claims":
        return f"{len(facts.tables['article_claims'])} claims"
    if page == "inside":
        return "12 + 8"  # 8 XCD and 4 IOD of the MI300X, and its 8 memory stacks
    if page == "software":
        ports = facts.assumption("mig-elapsed")
        return f"{ports.base:.0f} engineer-weeks ({ports.low}–{ports.high:.0f})"
    if page == "timing":
        return f"{100 * ((3.643 / 2.7811) ** (365 / 366) - 1):.0f} %"  # listed rents of H100, 2025-10-23 to 2026-10-24
    if page == "offer":
        return "No offer is kept in this scenario yet"
    if page in ("brief", "recommend", "compare"):
        winner = recommend(facts, presets.preset(facts, "serve-70b")).winner
        return f"{round(winner.cost.npv_usd or 0.0, -3):,.0f} USD" if winner is not None else "?"
    cheapest = min(one.npv_usd or 0.0 for one in costed_all(facts, presets.preset(facts, "serve-70b")))
    return f"{round(cheapest, -3):,.0f} USD"


def link(page: str, language: str = "") -> str:
    """The link of a preset on a page, as people share it."""
    path = "" if page == FRONT else page
    return f"/{path}?preset=serve-70b" + (f"&lang={language}" if language else "")


def test_there_are_pages() -> None:
    """The tests below run over the files of pages/: without files they would show nothing."""
    assert FRONT in PAGES


def in_turn() -> list[object]:
    """Every page with one language and one theme, in turn; the long run takes the other three pairs of them too."""
    pairs: list[tuple[str, Scheme]] = [("en", "light"), ("zh", "dark"), ("zh", "light"), ("en", "dark")]
    return [
        (page, *pair) if at == number % len(pairs) else pytest.param(page, *pair, marks=pytest.mark.soak)
        for number, page in enumerate(PAGES)
        for at, pair in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    "page", [page if page in FIRST_VISITED else pytest.param(page, marks=pytest.mark.soak) for page in PAGES]
)
def test_a_deep_link_opens_its_page_on_a_server_nobody_has_visited(
    page: str, fresh_server: AppServer, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """The first request that a new server ever gets shows the page of the link, whole and without errors."""
    visit = visit_in(fresh_context)
    visit.open(fresh_server.url + link(page))
    assert visit.failures() == []
    assert visit.headline()
    assert headline_number(page) in visit.page.locator(MAIN).inner_text()
    assert visit.errors == []


@pytest.mark.parametrize(("page", "language", "scheme"), in_turn())
def test_a_page_speaks_its_language_fits_its_window_and_has_no_barriers(
    page: str, language: str, scheme: Scheme, warm_server: AppServer, context_of: ContextOf, visit_in: VisitIn
) -> None:
    """Headline and document speak the link's language, nothing scrolls sideways, narrow or wide, and axe finds nothing serious."""
    visit = visit_in(context_of(390, scheme))
    visit.open(warm_server.url + link(page, language))
    assert visit.failures() == []
    assert bool(CHINESE.search(visit.headline())) == (language == "zh"), visit.headline()
    assert visit.page.evaluate("document.documentElement.lang").startswith(language)
    assert visit.is_dark() == (scheme == "dark")
    assert visit.too_wide() == []
    assert visit.errors == []
    visit.page.set_viewport_size({"width": 1400, "height": 1000})
    visit.settle()
    assert visit.too_wide() == []
    assert "**" not in visit.page.locator(MAIN).inner_text(), "Markdown beside full-width marks stays raw"
    assert visit.barriers() == []
    assert visit.errors == []


@pytest.mark.soak
def test_every_page_has_its_own_headline(warm_server: AppServer, context_of: ContextOf, visit_in: VisitIn) -> None:
    """No link falls back to the page of another one."""
    visit = visit_in(context_of(1400, "light"))
    headlines = []
    for page in PAGES:
        visit.open(warm_server.url + link(page, "en"))
        assert visit.failures() == []
        headlines.append(visit.headline())
    assert len(set(headlines)) == len(PAGES), headlines
