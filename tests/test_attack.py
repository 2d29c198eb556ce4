"""Whatever strangers send (links, files, messages, requests) is refused with a reason, cheaply, and gives nothing away."""

import base64
import copy
import csv
import io
import json
import os
import random
import re
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from websockets.exceptions import InvalidStatus

from lib import catalog
from lib.choice import custom_model, link, own_parts, presets
from lib.choice.fleet_costs import costed_all
from lib.choice.link import LinkError
from lib.choice.scenario import CUSTOM_MODEL, Scenario, Workload, changed
from lib.errors import ConfigError, LibError
from lib.present import problems
from lib.present.text import markdown_safe, words
from lib.sizing import architecture, cases
from tests.browser.sockets import Caller
from tests.browser.strained import Strained, strained_app

LINKS = int(os.environ.get("LEDGER_FUZZED_LINKS", "20000"))
"""How many links are tried; `make soak` asks for more."""

A_BATCH = 100
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, -1e308, 5e-324, 10**30, 10**400, float("nan"), float("inf"), float("-inf"), "", " ", "8",
    "NaN", "\x00", "\x1b[2J", "a\u202eb", "\u2066x\u2069", "\ufeff", "\ud800", "é" * 90, "x" * 5000, "../../etc/passwd",
    "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](http://evil.example/x)", "=HYPERLINK(\"http://evil.example\")",
    "$\\href{http://evil.example}{x}$", ":red[x]", "{0.__class__}", "%s%n", [], {}, [[]], {"a": 1}, [None], [1] * 50,
)  # fmt: skip
MARKUP = "</div><script>alert(1)</script><img src=x onerror=alert(1)> ![a](http://evil.example/a.png) [b](http://evil.example) **c** `d` $e$ :red[f] | g"


@pytest.fixture(scope="module")
def facts() -> catalog.Catalog:
    """The catalogue."""
    return catalog.load()


def token_of(data: object) -> str:
    """A token made by hand, as a stranger would make one."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(zlib.compress(raw, 1)).rstrip(b"=").decode()


def mutated(chance: random.Random, record: str, token: str) -> str:
    """A link as an attacker would change it: its text, its bytes, or the record inside."""
    kind = chance.randrange(4)
    if kind == 0:
        letters = list(token)
        for _ in range(chance.randint(1, 4)):
            letters[chance.randrange(len(letters))] = chance.choice("AZaz09-_=%<&\u202e\x00")
        return "".join(letters)
    if kind == 1:
        raw = bytearray(record.encode())
        for _ in range(chance.randint(1, 4)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        return token_of(bytes(raw))
    data = json.loads(record)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        spoil(chance, data)
    return token_of(data)


def spoil(chance: random.Random, node: Any) -> None:
    """Walk to a random place of the record and put something there, take something out, or add something."""
    while True:
        keys: list[Any] = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(node[key], dict | list) and node[key] and chance.random() < 0.8:
            node = node[key]
            continue
        action = chance.random()
        if action < 0.75:
            node[key] = copy.deepcopy(chance.choice(HOSTILE))
        elif action < 0.85 and isinstance(node, dict):
            del node[key]
        elif isinstance(node, dict):
            node[chance.choice(("x", "__proto__", "__class__", "", "a" * 300))] = copy.deepcopy(chance.choice(HOSTILE))
        else:
            node.extend(node[:1] * chance.choice((1, 50)))
        return


def opened(facts: catalog.Catalog, token: str) -> Scenario | None:
    """What the page does with a token: the scenario, or None after a sentence in both languages that holds no markup."""
    try:
        scenario = link.decode(token)
        known = own_parts.with_own_parts(facts, scenario.own_parts)
        link.check_names(scenario, known.accelerators, known.models)
        return scenario
    except LinkError as problem:
        for language in ("en", "zh"):
            said = problems.sentence(problem, words(language))
            assert not re.search(r"(?<!\\)[<\[`$|]|https?:", said), said
        return None


@settings(max_examples=max(1, LINKS // A_BATCH))
@given(seed=st.integers(0, 2**32))
def test_no_fuzzed_link_does_more_than_open_or_be_refused(facts: catalog.Catalog, seed: int) -> None:
    """Every link is either a whole scenario that survives its own link, or refused with a reason in words."""
    chance = random.Random(seed)  # noqa: S311  no secret
    names = list(facts.presets)
    start = presets.preset(facts, names[seed % len(names)])
    record, token = start.model_dump_json(), link.encode(start)
    for _ in range(A_BATCH):
        scenario = opened(facts, mutated(chance, record, token))
        if scenario is not None:
            assert link.decode(link.encode(scenario)) == scenario


def test_a_bomb_in_a_link_takes_no_memory_and_no_time() -> None:
    """100 MB of zeros, and deflate inside deflate, in a token of the allowed length: refused within 2 MiB."""
    bombs = [zlib.compress(bytes(4_000_000), 9), zlib.compress(zlib.compress(bytes(100_000_000), 9), 9)]
    tokens = [base64.urlsafe_b64encode(bomb).decode().rstrip("=")[: link.MAX_TOKEN_CHARACTERS] for bomb in bombs]
    tracemalloc.start()
    for token in tokens:
        with pytest.raises(LinkError):
            link.decode(token)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * 2**20


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 50_000, '{"model_type":"llama","x":' + "[" * 100_000])
def test_deep_json_is_refused(deep: str) -> None:
    """Brackets without end reach neither the stack nor the page, in a link and in a config.json."""
    with pytest.raises(LinkError):
        link.decode(token_of(deep.encode()[:30_000]))
    with pytest.raises(ConfigError):
        architecture.parse_config(deep)


CONFIG: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "head_dim": 128,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16", "sliding_window": None, "rope_scaling": None,
    "quantization_config": None,
}  # fmt: skip


@pytest.mark.parametrize("key", CONFIG)
def test_a_hostile_config_is_refused_or_sized(key: str) -> None:
    """Each key with each hostile value: a ConfigError, or a workload whose scenario is valid and whose sizes are finite."""
    for value in HOSTILE:
        text = json.dumps(CONFIG | {key: value})
        try:
            workload = custom_model.custom_workload(Workload(), text, "mine")
        except ConfigError:
            continue
        Workload.model_validate(workload.model_dump())
        described = architecture.from_config(architecture.parse_config(workload.config), CUSTOM_MODEL)
        assert 0 <= (described.max_context or 0) < 10**12


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 5000])
def test_a_config_brings_no_number_that_is_none(number: str) -> None:
    """NaN, infinities and numbers without end are refused before anything is computed."""
    text = json.dumps(CONFIG).replace("4096", number)
    with pytest.raises(ConfigError):
        custom_model.custom_workload(Workload(), text)


@pytest.mark.parametrize("name", ["a\x00b", "a\u202eb", "a\u2066b", "a\u200bb", "\x1b[31mred"])
def test_no_name_of_a_model_hides_its_text(facts: catalog.Catalog, name: str) -> None:
    """Control and direction characters in the name of a config.json are refused, from the form and from a link."""
    with pytest.raises(ConfigError):
        custom_model.custom_workload(Workload(), json.dumps(CONFIG), name)
    start = presets.preset(facts, presets.DEFAULT_PRESET)
    with pytest.raises(ValidationError):
        changed(start, ("workloads", 0, "name"), name)


@given(text=st.text(max_size=120) | st.sampled_from([MARKUP, *(one for one in HOSTILE if isinstance(one, str))]))
def test_escaped_text_is_no_markup(text: str) -> None:
    """After markdown_safe no character that Markdown reads stands without its backslash, and no address is a link."""
    said = markdown_safe(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*(?<!\\)[`*_{}\[\]<>$|]", said)
    assert not re.search(r"(?i)(https?|ftp|www)[:.]", said.replace("\\", ""))


@given(cells=st.lists(st.text(alphabet=st.sampled_from("=+-@\t\r\n \ufeff＝＋－＠a1(|;,\"'"), max_size=8), max_size=8))
def test_no_cell_of_a_download_is_a_formula(cells: list[str]) -> None:
    """A spreadsheet that opens the CSV finds text wherever there was text, also behind spaces and in full width."""
    frame = pd.DataFrame({"text": pd.Series(cells, dtype=object), "kind": pd.Categorical(cells)})
    written = problems.spreadsheet_safe(frame).to_csv(index=False)
    for row in list(csv.reader(io.StringIO(written)))[1:]:
        for cell in row:
            assert not cell.lstrip(" \t\r\n\ufeff").startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")), repr(cell)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of cases beside a file that is nobody's business."""
    inside = tmp_path / "cases"
    inside.mkdir()
    (inside / "mine.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (tmp_path / "secret.json").write_text(json.dumps(CONFIG | {"vocab_size": 4242}), encoding="utf-8")
    (inside / "away.json").symlink_to(tmp_path / "secret.json")
    (inside / "folder.json").mkdir()
    os.mkfifo(inside / "pipe.json")
    return inside


@pytest.mark.parametrize(
    "model",
    ["../secret.json", "away.json", "{tmp}/secret.json", "folder.json", "pipe.json", "a\x00.json", "x" * 5000 + ".json",
     "~/secret.json", "cases/../../secret.json", "..\\secret.json", "file:///secret.json", "%2e%2e/secret.json"],
)  # fmt: skip
def test_a_batch_reads_no_file_outside_its_folder(facts: catalog.Catalog, folder: Path, model: str) -> None:
    """Whatever the path, the row gets a reason and no number, and the row after it is answered."""
    row = {"accelerator": "mi300x", "max_model_len": "4096"}
    rows = [row | {"model": model.replace("{tmp}", str(folder.parent))}, row | {"model": "mine.json"}]
    refused, answered = cases.evaluate(rows, facts, folder)
    assert refused["error"]
    assert refused["weights_gib_per_gpu"] == ""
    assert answered["error"] == ""
    assert answered["fits"] == "yes"


SECRET = "a-cookie-secret-that-nobody-may-read-0123456789"
CONFIDENTIAL = "Project Nightingale"


@pytest.fixture(scope="module")
def strained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strained]:
    """The app with a secret, every address that it reaches for written down."""
    environment = {"STREAMLIT_SERVER_COOKIE_SECRET": SECRET}
    with strained_app(tmp_path_factory.mktemp("attacked"), environment) as running:
        yield running


@pytest.fixture
def caller(strained: Strained) -> Iterator[Caller]:
    """Somebody who speaks to the server without a browser."""
    one = Caller(strained.server.url)
    yield one
    one.close()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"), ("GET", "/cost?preset=serve-70b"), ("GET", "/_stcore/health"), ("GET", "/_stcore/host-config"),
        ("GET", "/static/nothing.js"), ("GET", "/media/nothing.png"), ("GET", "/component/x/y"), ("POST", "/"),
        ("PUT", "/_stcore/upload_file/a/b"), ("DELETE", "/_stcore/upload_file/a/b"), ("GET", "/_stcore/metrics"),
        ("POST", "/_stcore/agent/interact"), ("GET", "/app.py"),
    ],
)  # fmt: skip
def test_every_answer_carries_the_headers(caller: Caller, method: str, path: str) -> None:
    """Pages, files, errors and refusals alike; no answer says that another site may read it."""
    status, headers, _ = caller.request(method, path)
    assert status < 500
    policy = headers["content-security-policy"]
    for rule in ("default-src 'self'", "object-src 'none'", "base-uri 'self'", "frame-ancestors 'self'"):
        assert rule in policy
    assert "unsafe-eval" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers.get("access-control-allow-origin", "") != "*"


@pytest.mark.parametrize(
    "path",
    ["/static/../../app.py", "/static/%2e%2e/%2e%2e/app.py", "/static/..%2f..%2fapp.py", "/static/%252e%252e/app.py",
     "/media/../app.py", "/component/../../lib/ui/state.py", "/app/static/../app.py", "//etc/passwd",
     "/static//etc/passwd", "/static/..\\..\\app.py", "/.streamlit/config.toml", "/.streamlit/secrets.toml",
     "/data/prices.csv", "/lib/catalog.py", "/_stcore/bidi-components/../../app.py"],
)  # fmt: skip
def test_no_request_reads_a_file_of_the_server(caller: Caller, path: str) -> None:
    """A path that climbs, in any spelling, brings the front page or an error and never a file."""
    _, _, body = caller.request("GET", path)
    for words_of_a_file in (b"Entry point:", b"root:x:", b"[server]", b"price_id", b"import ", b"cookieSecret"):
        assert words_of_a_file not in body


def test_another_site_is_refused_at_once_and_asks_nobody(strained: Strained, caller: Caller) -> None:
    """A websocket, an upload and a page request with a foreign origin; the server consults no address outside."""
    for origin in (
        "https://evil.example",
        "null",
        "http://127.0.0.1:1",
        f"http://evil.{caller.host}",
        "http://localhost",
    ):
        begin = time.perf_counter()
        with pytest.raises(InvalidStatus) as refused:
            caller.connect(origin=origin)
        assert refused.value.response.status_code == 403
        assert time.perf_counter() - begin < 5
        assert caller.request("PUT", "/_stcore/upload_file/a/b", b"x", {"Origin": origin})[0] == 403
        _, headers, _ = caller.request("GET", "/_stcore/host-config", headers={"Origin": origin})
        assert headers.get("access-control-allow-origin") in (None, "")
    caller.connect(origin=caller.url).close()
    assert strained.reached() == []


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"\x00" * 2_100_000, 1009),
        (b"\xff" * 60_000_000, None),
        (b"\xff" * 100, 1002),
        (b"\x0a\xff\xff\xff\xff\x0f", 1002),
    ],
    ids=["large", "beyond every limit", "garbage", "cut off"],
)
def test_a_message_too_large_or_of_no_kind_ends_its_connection(
    caller: Caller, message: bytes, code: int | None
) -> None:
    """The sender is cut off, with the code that says why where the line still carries one, and the next is served."""
    assert caller.cut_off_with(message) in (code, code or 1009)
    caller.open("preset=serve-70b")
    assert caller.session


def test_the_agent_interface_is_off(caller: Caller) -> None:
    """No program drives the app through Streamlit's agent routes."""
    for path in ("/_stcore/agent/interact", "/_stcore/agent/mcp"):
        status, _, body = caller.request("POST", path, b"{}", {"Content-Type": "application/json"})
        assert status in (400, 403)
        assert b"enableAgentApi" in body  # it says that the operator has not turned it on


def test_the_log_holds_no_secret_and_no_scenario(strained: Strained, facts: catalog.Catalog, caller: Caller) -> None:
    """After a visit by link, a hostile link, an upload and an attack, the log has none of it, and no address was asked."""
    start = changed(presets.preset(facts, presets.DEFAULT_PRESET), ("title",), CONFIDENTIAL)
    token = link.encode(start)
    caller.open(f"s={token}", "cost")
    caller.put(CONFIDENTIAL.replace(" ", "-"), json.dumps(CONFIG).encode())
    other = Caller(strained.server.url)
    other.open(f"s={token[:-9]}", "memory")
    other.close()
    written = strained.server.log.read_text(encoding="utf-8", errors="replace")
    for private in (SECRET, CONFIDENTIAL, CONFIDENTIAL.replace(" ", "-"), token[:40], caller.token, caller.session):
        assert private not in written
    assert strained.reached() == []


def test_every_free_text_of_the_record_is_limited() -> None:
    """A field of free text has a longest length and a pattern, so that no link can carry what the tests above forbid."""
    schema = Scenario.model_json_schema()
    for where, field in fields_of(schema):
        if field.get("type") == "string" and "enum" not in field and "const" not in field:
            pattern = re.sub(r"\[[^]]*\]|\\.", "x", field.get("pattern", "*"))
            assert field.get("maxLength") or not re.search(r"[*+]|,\}", pattern), where


def fields_of(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every description of a value in a schema, with the way to it."""
    if isinstance(schema, dict):
        if "type" in schema:
            yield where, schema
        for key, inner in schema.items():
            yield from fields_of(inner, f"{where}/{key}")
    elif isinstance(schema, list):
        for inner in schema:
            yield from fields_of(inner, where)


def test_a_fuzzed_scenario_that_opens_can_be_computed(facts: catalog.Catalog) -> None:
    """What got past the reader reaches the calculations, and they answer or refuse it in their own words."""
    chance = random.Random(9)  # noqa: S311  no secret
    start = presets.preset(facts, presets.DEFAULT_PRESET)
    record, token = start.model_dump_json(), link.encode(start)
    computed = 0
    while computed < 12:
        scenario = opened(facts, mutated(chance, record, token))
        if scenario is None or scenario == start:
            continue
        computed += 1
        try:
            costed_all(own_parts.with_own_parts(facts, scenario.own_parts), scenario)
        except LibError:
            continue
