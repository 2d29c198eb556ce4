"""Links outlive versions and editions: old ones open, random ones survive, spoiled ones are refused cheaply, all are short."""

import base64
import contextlib
import json
import random
import resource
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from lib import catalog
from lib.choice import link, presets
from lib.choice.link import LinkError
from lib.choice.link_dictionary import DICTIONARIES
from lib.choice.scenario import Candidate, Scenario, changed
from tests.random_scenarios import random_scenario
from tests.test_attack import mutated

LINKS = Path(__file__).parent / "data" / "links"
"""Tokens as older versions wrote them, never made again, and beside them what they said when they were made."""

FACTS = catalog.load()
RANDOM = 10_000
MUTATED = 10_000
LONGEST_S = 0.05
MOST_BYTES = 20 * 2**20


def golden() -> list[Any]:
    """Every old link with what it must open to."""
    found = []
    for path in sorted(LINKS.glob("*.txt")):
        said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        for line in path.read_text(encoding="utf-8").splitlines():
            name, token = line.split(" ")
            found.append(pytest.param(token, said[name], id=f"{path.stem}:{name}"))
    return found


@pytest.mark.parametrize(("token", "said"), golden())
def test_an_old_link_opens_with_its_inputs(token: str, said: dict[str, Any]) -> None:
    """Models, load, options, prices and money are those with which the link was made; names are still known."""
    scenario = link.decode(token)
    assert {
        "edition": scenario.edition, "preset": scenario.preset, "language": scenario.language, "title": scenario.title,
        "models": [one.model for one in scenario.workloads],
        "input_tokens": [one.input_tokens for one in scenario.workloads],
        "concurrency": [one.concurrency for one in scenario.workloads],
        "accelerators": [one.accelerator for one in scenario.candidates],
        "acquisitions": [one.acquisition for one in scenario.candidates],
        "gpu_price_usd": [one.gpu_price_usd for one in scenario.candidates],
        "horizon_years": scenario.money.horizon_years, "discount_rate": scenario.money.discount_rate,
        "electricity_usd_per_kwh": scenario.money.electricity_usd_per_kwh,
    } == said  # fmt: skip
    own = [f"own-{number + 1}" for number in range(len(scenario.own_parts))]
    link.check_names(scenario, {*FACTS.accelerators, *own}, FACTS.models)
    assert link.decode(link.encode(scenario)) == scenario


def test_there_are_old_links() -> None:
    """54 of three early versions of the presets, and eleven of other kinds."""
    assert len(golden()) >= 3 * 18 + 11


def test_the_dictionaries_of_old_links_are_kept() -> None:
    """A frozen dictionary has the checksum that stands in the tokens made with it (Adler-32, bytes 2 to 5)."""
    wanted = set()
    for entry in golden():
        packed = base64.urlsafe_b64decode(entry.values[0] + "=" * (-len(entry.values[0]) % 4))
        if packed[1] & 0x20:
            wanted.add(int.from_bytes(packed[2:6], "big"))
    assert wanted
    assert wanted <= set(DICTIONARIES)
    assert all(zlib.adler32(text) == checksum for checksum, text in DICTIONARIES.items())


def test_random_scenarios_survive_their_links() -> None:
    """10,000 scenarios over every field, drawn at random: what comes out is exactly what went in, and short enough to open."""
    chance = random.Random(20261130)  # noqa: S311  no secret
    for _ in range(RANDOM):
        scenario = random_scenario(chance)
        token = link.encode(scenario)
        assert link.decode(token) == scenario
        assert len(token) <= link.MAX_TOKEN_CHARACTERS


def test_spoiled_links_cost_neither_time_nor_memory() -> None:
    """10,000 mutated links: each is read or refused within 50 ms (the better of two where one is slow), all within 20 MB."""
    chance = random.Random(7)  # noqa: S311  no secret
    starts = [presets.preset(FACTS, name) for name in FACTS.presets]
    made = [(one.model_dump_json(), link.encode(one)) for one in starts]
    spoiled = [mutated(chance, *made[number % len(made)]) for number in range(MUTATED)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert [token for token in spoiled if seconds(token) > LONGEST_S and seconds(token) > LONGEST_S] == []
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * 1024 < MOST_BYTES  # the peak of the process: an upper bound of what any one of them took


def seconds(token: str) -> float:
    """Time in which a link is opened or refused; anything but a LinkError comes through."""
    begun = time.perf_counter()
    with contextlib.suppress(LinkError):
        link.decode(token)
    return time.perf_counter() - begun


def test_four_options_with_own_prices_make_a_short_link() -> None:
    """At most 1,500 characters with every price, time and money field stated to many digits, and a title in Chinese."""
    start = presets.preset(FACTS, "serve-70b")
    chance = random.Random(3)  # noqa: S311  no secret
    options = tuple(
        Candidate(
            accelerator=name, gpus=chance.randint(1, 9999), price_source="own", gpu_price_usd=chance.uniform(1e4, 5e4),
            delivery_months=chance.randint(1, 40), deposit_fraction=chance.random(), order_month=chance.randint(0, 40),
            bridge="rent", bridge_part=name, bridge_gpus=chance.randint(1, 999),
            bridge_usd_per_gpu_hour=chance.uniform(1, 9),
        )
        for name in ("mi300x", "h100-sxm", "h200-sxm", "b200-sxm")
    )  # fmt: skip
    money = {
        name: value * chance.uniform(0.9, 1.0)
        if isinstance(value, float) and name != "power_usage_effectiveness"
        else value
        for name, value in start.money.model_dump().items()
    }
    full = start.model_copy(update={"candidates": options, "title": "四个方案的比较" * 4})
    full = changed(full, ("money",), money)
    assert len(link.encode(Scenario.model_validate(full.model_dump()))) <= 1500


def test_an_old_version_is_brought_forward_step_by_step() -> None:
    """A made-up version 0 that named a field otherwise passes both of two migrations, each once and in order."""
    steps = {
        0: lambda data: {**{key: value for key, value in data.items() if key != "name"}, "title": data["name"]},
        1: lambda data: {**data, "title": data["title"].upper()},
    }
    assert link.migrated({"version": 0, "name": "old"}, steps, 2) == {"version": 2, "title": "OLD"}
    assert link.migrated({"version": 1, "title": "mid"}, steps, 2) == {"version": 2, "title": "MID"}
    now = {"version": 2, "title": "new"}
    assert link.migrated(now, steps, 2) is now


@pytest.mark.parametrize("version", [2, 99, 10**30])
def test_a_newer_version_is_refused_with_its_number(version: int) -> None:
    """A link of a later tool is not guessed at."""
    with pytest.raises(LinkError) as caught:
        link.migrated({"version": version}, {}, 1)
    assert (caught.value.code, caught.value.value) == ("newer-version", str(version))


def test_a_token_with_an_unknown_dictionary_is_refused() -> None:
    """It may come from a later version, and says so."""
    packer = zlib.compressobj(9, zdict=b"some other text")
    packed = packer.compress(b"{}") + packer.flush()
    with pytest.raises(LinkError) as caught:
        link.decode(base64.urlsafe_b64encode(packed).decode().rstrip("="))
    assert caught.value.code == "unknown-dictionary"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("serve-70b", ("preset", "serve-70b")),
        ("  serve-70b\n", ("preset", "serve-70b")),
        ("https://ledger.example/cost?preset=serve-70b&lang=zh", ("preset", "serve-70b")),
        ("https://ledger.example/cost?s=abc-DEF_1&with=serve-70b#top", ("token", "abc-DEF_1")),
        ("?s=abcdef", ("token", "abcdef")),
        ("s=abcdef&lang=en", ("token", "abcdef")),
        ("eNqrVkrLz1eyUkpKLFKqBQAn0gTO", ("token", "eNqrVkrLz1eyUkpKLFKqBQAn0gTO")),
    ],
)
def test_what_is_pasted_is_understood(text: str, wanted: tuple[str, str]) -> None:
    """A whole link, the query alone, a bare token, a preset's name."""
    assert link.asked_for(text, FACTS.presets) == wanted


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("serve-71b", "unknown-name"),
        ("https://ledger.example/cost?preset=nope", "unknown-name"),
        ("https://ledger.example/cost", "no-scenario"),
        ("/cost?lang=en", "no-scenario"),
        ("http://[", "no-scenario"),
        ("https://x/?" + "&".join(f"a{n}=1" for n in range(99)), "no-scenario"),
        ("x" * 20_000, "too-long"),
    ],
)
def test_what_names_no_scenario_is_refused(text: str, code: str) -> None:
    """With a code that has a sentence."""
    with pytest.raises(LinkError) as caught:
        link.asked_for(text, FACTS.presets)
    assert caught.value.code == code
