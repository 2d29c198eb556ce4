"""The scenario lives in the address bar: edits, Back and Forward, page switches, reloads, a killed server, bad links."""

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from lib import catalog
from lib.choice import link, presets
from lib.choice.scenario import changed
from tests.browser.app_server import AppServer, free_port, running_app
from tests.browser.visit import IDLE, VisitIn

ROOT = Path(__file__).resolve().parents[2]
PRESET = "/specs?preset=serve-70b&lang=en"


def field(page: Page) -> str:
    """What the field of concurrent sequences shows."""
    return page.get_by_label("Concurrent sequences", exact=True).input_value()


def edit(page: Page, value: int) -> None:
    """Type a number of concurrent sequences and leave the field."""
    before = page.url
    box = page.get_by_label("Concurrent sequences", exact=True)
    box.fill(str(value))
    box.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_selector(IDLE, state="attached")


def token_of(page: Page) -> str:
    """The scenario's token in the address bar."""
    found = re.search(r"[?&]s=([\w-]+)", page.url)
    assert found, page.url
    return found[1]


def test_an_edit_goes_into_the_address_and_back_takes_it_out(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """Two edits, Back twice and Forward twice: the field shows each value again, and so does the link."""
    visit = visit_in(fresh_context)
    visit.open(warm_server.url + PRESET)
    page = visit.page
    assert field(page) == "64"
    edit(page, 65)
    edit(page, 66)
    assert link.decode(token_of(page)).workloads[0].concurrency == 66
    for step, value in ((page.go_back, "65"), (page.go_back, "64"), (page.go_forward, "65"), (page.go_forward, "66")):
        step()
        expect(page.get_by_label("Concurrent sequences", exact=True)).to_have_value(value)
    assert visit.errors == []


def test_a_switch_of_pages_and_a_reload_keep_the_scenario(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """Navigation drops the query of a link; the scenario comes along all the same, and a reload reads it again."""
    visit = visit_in(fresh_context)
    visit.open(warm_server.url + PRESET)
    page = visit.page
    edit(page, 77)
    token = token_of(page)
    page.get_by_role("link", name="Sources", exact=True).first.click()
    page.wait_for_url(re.compile(r"/sources\?s="))
    assert token_of(page) == token
    page.get_by_role("link", name="Specs", exact=True).first.click()
    page.wait_for_url(re.compile(r"/specs\?s="))
    visit.settle()
    assert field(page) == "77"
    page.reload()
    visit.settle()
    assert field(page) == "77"
    assert token_of(page) == token


def test_a_colleague_sees_the_same(
    fresh_context: BrowserContext,
    browser_context_of_a_colleague: BrowserContext,
    warm_server: AppServer,
    visit_in: VisitIn,
) -> None:
    """A link copied from the address bar opens the same scenario in another browser, in the same language."""
    mine = visit_in(fresh_context)
    mine.open(warm_server.url + PRESET.replace("lang=en", "lang=zh"))
    box = mine.page.get_by_label("并发序列数", exact=True)
    before = mine.page.url
    box.fill("99")
    box.press("Enter")
    mine.page.wait_for_function("before => location.href !== before", arg=before)
    theirs = visit_in(browser_context_of_a_colleague)
    theirs.open(mine.page.url)
    assert theirs.page.get_by_label("并发序列数", exact=True).input_value() == "99"
    assert theirs.headline() == mine.headline()


def test_back_at_the_preset_the_link_is_readable_again(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """An edit undone leaves the preset's short link, not a token."""
    visit = visit_in(fresh_context)
    visit.open(warm_server.url + PRESET)
    edit(visit.page, 65)
    edit(visit.page, 64)
    assert "preset=serve-70b" in visit.page.url
    assert "s=" not in visit.page.url.split("?")[1].replace("preset=", "")


def test_a_killed_server_costs_no_edit(fresh_context: BrowserContext, tmp_path: Path, visit_in: VisitIn) -> None:
    """An edit made after the server was replaced by one that has never seen the visitor is kept."""
    port = free_port()
    homes = [tmp_path / name for name in ("one", "two")]
    for home in homes:
        home.mkdir()
    visit = visit_in(fresh_context)
    with running_app(ROOT / "app.py", homes[0], port) as server:
        visit.open(server.url + PRESET)
        edit(visit.page, 70)
    with running_app(ROOT / "app.py", homes[1], port):
        visit.page.wait_for_selector(IDLE, state="attached")
        expect(visit.page.locator("[data-testid=stConnectionStatus]")).to_have_count(0, timeout=20_000)
        edit(visit.page, 71)
        expect(visit.page.get_by_label("Concurrent sequences", exact=True)).to_have_value("71")
        scenario = link.decode(token_of(visit.page))
    assert scenario.workloads[0].concurrency == 71


def test_a_link_out_of_range_names_its_field_and_shows_the_defaults(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """The message says what is wrong; the page below it works."""
    facts = catalog.load()
    good = presets.preset(facts, "serve-70b")
    bad = good.model_copy(update={"money": good.money.model_copy(update={"discount_rate": 7.0})})
    visit = visit_in(fresh_context)
    visit.open(f"{warm_server.url}/specs?s={link.encode(bad)}")
    message = " ".join(visit.failures())
    assert "money.discount_rate" in message
    assert "0 – 0.5" in message
    assert visit.headline()
    assert field(visit.page) == "64"


def test_a_link_with_markup_in_its_title_shows_it_as_text(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """Names that came with a link are never run as Markdown or HTML."""
    good = presets.preset(catalog.load(), "serve-70b")
    named = changed(good, ("workloads", 0, "name"), "<img src=x onerror=alert(1)> **b** [c](http://d)")
    visit = visit_in(fresh_context)
    visit.open(f"{warm_server.url}/specs?s={link.encode(named)}")
    assert visit.errors == []
    assert visit.page.locator("img[src=x]").count() == 0
    assert visit.page.locator("a[href='http://d']").count() == 0


def test_the_other_scenario_is_in_the_address_of_its_page_alone(
    fresh_context: BrowserContext, warm_server: AppServer, visit_in: VisitIn
) -> None:
    """A pasted preset stands in the link of Compare; Back and Forward walk through it; other pages do without."""
    visit = visit_in(fresh_context)
    visit.open(warm_server.url + "/compare?preset=serve-70b&lang=en")
    page = visit.page
    box = page.get_by_label("or paste a link, a token or a preset's name", exact=True)
    for name in ("llama-405b", "mi355x-rent"):
        box.fill(name)
        box.press("Enter")
        page.wait_for_url(re.compile(rf"/compare\?.*with={name}"))
        page.wait_for_selector(IDLE, state="attached")
    shown = page.get_by_role("combobox", name="Compare with")
    expect(shown).to_have_value(re.compile("MI355X"))
    page.go_back()
    expect(shown).to_have_value(re.compile("405B"))
    page.go_forward()
    expect(shown).to_have_value(re.compile("MI355X"))
    page.get_by_role("link", name="Specs", exact=True).first.click()
    page.wait_for_url(re.compile(r"/specs\?preset=serve-70b"))
    assert "with=" not in page.url
    page.get_by_role("link", name="Compare", exact=True).first.click()
    page.wait_for_url(re.compile(r"/compare\?.*with=mi355x-rent"))
    expect(shown).to_have_value(re.compile("MI355X"))
    assert visit.errors == []
