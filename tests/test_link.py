"""A scenario survives its link, and nothing hostile gets past it."""

import base64
import json
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lib import catalog
from lib.choice import link, presets
from lib.choice.link import LinkError
from lib.choice.link_dictionary import DICTIONARY
from lib.choice.scenario import Scenario, at, bounds, changed, choices


def token_of(data: object) -> str:
    """A token made by hand, as a stranger would make one."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(zlib.compress(raw)).rstrip(b"=").decode()


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """The default preset."""
    return presets.preset(catalog.load(), presets.DEFAULT_PRESET)


@pytest.mark.parametrize("preset_id", catalog.load().presets)
def test_every_preset_survives_its_link(preset_id: str) -> None:
    """Decoding the token of a preset gives the same record, in a token short enough for chat and mail."""
    one = presets.preset(catalog.load(), preset_id)
    token = link.encode(one)
    assert link.decode(token) == one
    assert len(token) < 400


def test_a_token_carries_every_field(scenario: Scenario) -> None:
    """A link keeps its meaning when a default changes, because no field is left out."""
    token = link.encode(scenario)
    packed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    raw = json.loads(zlib.decompressobj(zdict=DICTIONARY).decompress(packed))
    assert raw == scenario.model_dump(mode="json")
    assert set(raw["money"]) == set(type(scenario.money).model_fields)


@pytest.mark.parametrize(
    ("path", "value", "field", "allowed"),
    [
        (("money", "electricity_usd_per_kwh"), 3.0, "money.electricity_usd_per_kwh", "0 – 2"),
        (("workloads", 0, "concurrency"), 0, "workloads.0.concurrency", "1 – 100,000"),
        (("workloads", 0, "concurrency"), 1e308, "workloads.0.concurrency", "1 – 100,000"),
        (("workloads", 0, "concurrency"), "8", "workloads.0.concurrency", "1 – 100,000"),
        (("language",), "fr", "language", "en, zh"),
        (("workloads", 0, "weight_format"), "fp7", "workloads.0.weight_format", "native, bf16"),
        (("money", "discount_rate"), -0.01, "money.discount_rate", "0 – 0.5"),
    ],
)
def test_an_out_of_range_link_names_its_field(
    scenario: Scenario, path: tuple[str | int, ...], value: object, field: str, allowed: str
) -> None:
    """The problem carries the field and what is allowed."""
    data = scenario.model_dump(mode="json")
    target: Any = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    with pytest.raises(LinkError) as caught:
        link.decode(token_of(data))
    assert caught.value.code == "field"
    assert caught.value.field == field
    assert caught.value.allowed.startswith(allowed)


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("", "cut-off"),
        ("%%%", "not-a-token"),
        ("<script>alert(1)</script>", "not-a-token"),
        ("A" * 6001, "too-long"),
        ("AAAA", "damaged"),
        (token_of(b"[" * 30_000), "damaged"),
        (token_of(b"x" * 200_000), "too-large"),
        (token_of([1, 2]), "damaged"),
        (token_of(b"\xff\xfe"), "damaged"),
        (token_of({"version": 99}), "newer-version"),
        (token_of({"version": 10**400}), "newer-version"),
        (token_of({}), "missing-field"),
    ],
)
def test_a_hostile_link_is_refused_with_its_reason(token: str, code: str) -> None:
    """Nothing but a LinkError comes out, with a code that has a sentence."""
    with pytest.raises(LinkError) as caught:
        link.decode(token)
    assert caught.value.code == code


def test_a_link_cut_off_in_copying_says_so(scenario: Scenario) -> None:
    """Each proper prefix of a token is refused."""
    token = link.encode(scenario)
    for length in range(0, len(token) - 4, 37):
        with pytest.raises(LinkError):
            link.decode(token[:length])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_no_link_brings_a_number_that_is_none(scenario: Scenario, number: str) -> None:
    """NaN and infinities never reach a calculation."""
    raw = json.dumps(scenario.model_dump(mode="json"))
    shown = f'"power_usage_effectiveness": {scenario.money.power_usage_effectiveness}'
    assert shown in raw
    with pytest.raises(LinkError):
        link.decode(token_of(raw.replace(shown, f'"power_usage_effectiveness": {number}').encode()))


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    """Random bytes inside a well-formed token raise LinkError and nothing else."""
    with pytest.raises(LinkError):
        link.decode(base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("="))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_no_text_crashes_the_reader(text: str) -> None:
    """Random text as a token raises LinkError and nothing else."""
    with pytest.raises(LinkError):
        link.decode(text)


def test_a_link_with_an_unknown_part_names_it(scenario: Scenario) -> None:
    """A name that the catalogue does not have is refused with field and name."""
    other = changed(scenario, ("candidates", 0, "accelerator"), "mi9000x")
    facts = catalog.load()
    with pytest.raises(LinkError) as caught:
        link.check_names(other, facts.accelerators, facts.models)
    assert (caught.value.code, caught.value.field, caught.value.value) == (
        "unknown-name",
        "candidates.0.accelerator",
        "mi9000x",
    )


def test_control_and_direction_characters_do_not_enter_a_title(scenario: Scenario) -> None:
    """A title cannot hide text or turn its direction."""
    for character in ("\x00", "\n", "\u202e", "\u2066", "\x85"):
        with pytest.raises(ValidationError):
            changed(scenario, ("title",), f"a{character}b")


def test_an_edit_changes_one_value_and_no_other(scenario: Scenario) -> None:
    """`changed` sets what `at` reads, and the rest stays equal."""
    path = ("workloads", 1, "concurrency")
    edited = changed(scenario, path, 65)
    assert at(edited, path) == 65
    assert changed(edited, path, at(scenario, path)) == scenario


def test_limits_come_from_the_record() -> None:
    """Widgets and messages ask the record itself for its limits."""
    assert bounds(("workloads", 0, "concurrency")) == (1, 100_000)
    assert bounds(("money", "power_usage_effectiveness")) == (1, 3)
    assert "mxfp4" in choices(("workloads", 0, "weight_format"))
