"""What breaks around the app costs nobody an edit: killed servers and replicas, disks, clocks, networks, broken data."""

import re
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lib.choice import link
from tests.browser.replicas import Pair, replica_pair
from tests.browser.sockets import Caller
from tests.browser.strained import Strained, strained_app
from tests.browser.visit import IDLE, Visit, VisitIn

pytestmark = pytest.mark.soak

PRESET = "?preset=serve-70b&lang=en"
LABEL = "Concurrent sequences"
MEBIBYTE = 2**20


@pytest.fixture(scope="module")
def running_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two replicas behind nginx, as docs/operate.md starts them."""
    folder = tmp_path_factory.mktemp("pair") / "files"
    with replica_pair(folder) as running:
        yield running


@pytest.fixture
def pair(running_pair: Pair) -> Pair:
    """The pair as a test wants to find it: both replicas alive."""
    return running_pair.made_whole()


@pytest.fixture(scope="module")
def strained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strained]:
    """The app on a slow disk with no room on it."""
    with strained_app(tmp_path_factory.mktemp("strained"), slow_s=0.002, full=True) as running:
        yield running
        assert running.server.complaints() == []


def concurrency(page: Page) -> int:
    """The value in the address bar."""
    found = re.search(r"[?&]s=([\w-]+)", page.url)
    assert found, page.url
    return link.decode(found[1]).workloads[0].concurrency


def type_in(page: Page, value: int) -> None:
    """Type a number of concurrent sequences and leave the field; do not wait for what follows."""
    box = page.get_by_label(LABEL, exact=True)
    box.fill(str(value))
    box.press("Enter")


def edit(page: Page, value: int) -> None:
    """Type a number and wait until the page has taken it."""
    type_in(page, value)
    taken(page, value)


def taken(page: Page, value: int) -> None:
    """The field and the address agree on the value, and the page is at rest."""
    page.wait_for_selector(IDLE, state="attached")
    expect(page.get_by_label(LABEL, exact=True)).to_have_value(str(value), timeout=30_000)
    for _ in range(300):
        if "s=" in page.url and concurrency(page) == value:
            return
        page.wait_for_timeout(100)  # a lost connection is noticed, and found again, within seconds
    assert concurrency(page) == value


def connected(page: Page) -> None:
    """The page has found a server again."""
    expect(page.locator("[data-testid=stConnectionStatus]")).to_have_count(0, timeout=60_000)
    page.wait_for_selector(IDLE, state="attached")


def upload(page: Page, name: str) -> None:
    """Give the memory page a config.json and see the model that it describes."""
    text = '{"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,'
    text += '"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":8192}'
    if not page.locator("input[type=file]").count():
        page.get_by_text("Size your own model from its config.json").click()
    page.locator("input[type=file]").first.wait_for(state="attached")
    before = page.url
    page.get_by_label("Name of the model", exact=True).fill(name)
    page.get_by_label("Name of the model", exact=True).press("Enter")
    page.wait_for_selector(IDLE, state="attached")
    page.locator("input[type=file]").first.set_input_files(
        {"name": f"{name}.json", "mimeType": "application/json", "buffer": text.encode()}
    )
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_selector(IDLE, state="attached")


def test_a_server_killed_during_an_edit_loses_nothing(
    pair: Pair, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """The value typed a moment before the server died is in the field and in the link once it is back."""
    visit = visit_in(fresh_context)
    visit.open(f"{pair.direct('one')}/specs{PRESET}")
    edit(visit.page, 70)
    type_in(visit.page, 71)
    pair.kill("one")
    pair.revive("one")
    connected(visit.page)
    taken(visit.page, 71)


def test_with_affinity_a_killed_replica_costs_no_edit_and_no_file(
    pair: Pair, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """Uploads work before and after, on another replica after; the proxy's log holds no scenario and no visitor."""
    visit = visit_in(fresh_context)
    visit.open(f"{pair.proxy}/memory{PRESET}")
    upload(visit.page, "before")
    edit(visit.page, 80)
    served_by = replica_of(fresh_context)
    type_in(visit.page, 81)
    pair.kill(served_by)
    connected(visit.page)
    taken(visit.page, 81)
    assert replica_of(fresh_context) != served_by
    pair.revive(served_by)  # the visitor stays where they are now
    assert replica_of(fresh_context) != served_by
    upload(visit.page, "after")
    token = re.search(r"s=([\w-]+)", visit.page.url)
    assert token
    assert link.decode(token[1]).workloads[0].name == "after"
    assert visit.failures() == []
    log = pair.proxy_log()
    assert "GET /memory 200" in log
    assert "preset" not in log
    assert "s=" not in log
    assert not re.search(r"127\.0\.0\.1(?!:)", log)


def test_without_affinity_a_killed_replica_costs_no_edit(
    pair: Pair, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """Requests dealt out in turn: the scenario is in the link, so any replica will do."""
    visit = visit_in(fresh_context)
    with pair.without_affinity():
        visit.open(f"{pair.proxy}/specs{PRESET}")
        edit(visit.page, 90)
        type_in(visit.page, 91)
        pair.kill("two")
        connected(visit.page)
        taken(visit.page, 91)
        pair.revive("two")
        edit(visit.page, 92)
        type_in(visit.page, 93)
        pair.kill("one")
        connected(visit.page)
        taken(visit.page, 93)
    assert visit.failures() == []


def replica_of(context: BrowserContext) -> str:
    """The replica that the visitor's cookie names."""
    (cookie,) = (one for one in context.cookies() if one["name"] == "ledger_replica")
    assert cookie["value"] in ("one", "two")
    return cookie["value"]


def test_a_slow_and_full_disk_is_not_felt(strained: Strained, fresh_context: BrowserContext, visit_in: VisitIn) -> None:
    """After its start the app reads no table and writes no file, so that a visitor waits for neither."""
    reads = len([path for path in strained.events("reads") if "/data/" in path])
    visit = visit_in(fresh_context)
    for page in ("cost", "memory"):
        visit.open(f"{strained.server.url}/{page}{PRESET}")
        assert visit.failures() == []
        edit(visit.page, 75)
    upload(visit.page, "full")
    assert visit.failures() == []
    assert len([path for path in strained.events("reads") if "/data/" in path]) == reads > 50
    assert strained.events("writes") == []
    assert visit.errors == []


def test_a_clock_that_jumps_is_not_felt(strained: Strained, fresh_context: BrowserContext, visit_in: VisitIn) -> None:
    """A year ahead and back again: the session goes on, an edit is taken, the same numbers stand."""
    visit = visit_in(fresh_context)
    visit.open(f"{strained.server.url}/memory{PRESET}")
    before = main_text(visit)
    for number, shift in enumerate(("31536000", "-31536000")):
        strained.clock.write_text(shift, encoding="ascii")
        edit(visit.page, 76 + number)
        upload(visit.page, f"shift {number}")
    strained.clock.unlink()
    visit.open(f"{strained.server.url}/memory{PRESET}")
    assert main_text(visit) == before
    assert visit.failures() == []


def main_text(visit: Visit) -> str:
    """The words of the page."""
    return visit.page.locator("[data-testid=stMain]").inner_text()


def test_an_edit_made_as_the_network_goes_is_taken_when_it_is_back(
    pair: Pair, fresh_context: BrowserContext, visit_in: VisitIn
) -> None:
    """What was typed in the last moment is taken; while there is no network the fields are locked, so nothing is typed in vain."""
    visit = visit_in(fresh_context)
    visit.open(f"{pair.direct('one')}/specs{PRESET}")
    edit(visit.page, 60)
    type_in(visit.page, 61)
    fresh_context.set_offline(True)
    pair.kill("one")  # an open websocket outlives the browser's switch: cut it as a lost network does
    expect(visit.page.get_by_label(LABEL, exact=True)).to_be_disabled(timeout=30_000)
    pair.revive("one")
    fresh_context.set_offline(False)
    connected(visit.page)
    taken(visit.page, 61)
    edit(visit.page, 62)


def test_thousands_of_uploads_are_refused_without_growth(strained: Strained) -> None:
    """5,000 files beyond what a visitor may hold, and files too large, are refused; memory stays where it was."""
    caller = Caller(strained.server.url)
    try:
        caller.open()
        room = [caller.put(f"file-{number}", b"x" * 1000) for number in range(8)]
        assert set(room) == {204}
        process = psutil.Process(strained.server.process_id)
        caller.put("warm", b"x" * 30_000)
        before = process.memory_info().rss
        assert caller.flood(5_000, b"x" * 30_000) == {429: 5_000}
        assert caller.put("large", b"x" * (4 * MEBIBYTE)) in (413, 429)
        assert process.memory_info().rss - before < 16 * MEBIBYTE
    finally:
        caller.close()


def test_an_upload_of_a_stranger_is_refused(strained: Strained) -> None:
    """Without the token of the page, and for a session that nobody has, a file is not taken."""
    caller = Caller(strained.server.url)
    try:
        caller.open()
        assert caller.put("one", b"x", session="nobody") == 400
        assert caller.put("one", b"x", token="2|00|00|0") == 403  # noqa: S106  nobody's
        assert caller.put("large", b"x" * (2 * MEBIBYTE)) == 413
    finally:
        caller.close()


@pytest.mark.parametrize(
    ("table", "damage", "reason"),
    [
        ("prices.csv", "cell", "data/prices.csv:4: column accelerator_id: 'gift'"),
        ("models.csv", "missing", "data/models.csv:0: column : '': the file is missing"),
    ],
)
def test_broken_data_stops_the_new_process_and_not_the_old(
    strained: Strained, fresh_context: BrowserContext, visit_in: VisitIn, table: str, damage: str, reason: str
) -> None:
    """A process that starts on it ends with file, line and column as its last words; the one that runs serves on."""
    path = strained.tree / "data" / table
    whole = path.read_bytes()
    try:
        if damage == "missing":
            path.unlink()
        else:
            lines = whole.splitlines(keepends=True)
            cells = lines[3].split(b",")
            path.write_bytes(b"".join([*lines[:3], b",".join([cells[0], b"gift", *cells[2:]]), *lines[4:]]))
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", "0"]
        new = subprocess.run(
            command, cwd=strained.tree, capture_output=True, text=True, timeout=120, env={"HOME": str(strained.tree)}
        )
        assert new.returncode != 0
        assert f"Accelerator Ledger does not start: {reason}" in new.stdout + new.stderr
        visit = visit_in(fresh_context)
        visit.open(f"{strained.server.url}/specs{PRESET}")
        assert visit.failures() == []
        assert visit.headline()
    finally:
        path.write_bytes(whole)
