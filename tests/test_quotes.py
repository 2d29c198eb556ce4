"""An offer travels in the link and in the file as it was stated, and nothing hostile gets in with it."""

import json
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from lib import catalog
from lib.choice import link, presets
from lib.choice.link import LinkError
from lib.choice.own_parts import add_part, without_parts
from lib.choice.quoted import is_used, quote_behind, rate_of_use, use, with_quote, without_quote
from lib.choice.quotes import EXAMPLE, FIRST_DAY, LAST_DAY, MOST_QUOTES, VENDOR_CHARACTERS, ClaimedPeak, Quote
from lib.choice.scenario import OwnPart, Scenario, changed
from lib.choice.scenario_file import MAX_BYTES, ScenarioFileError, read, written
from lib.errors import InputError

FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b", "en")
FULL = Quote(
    vendor="浪潮 (Inspur) & Co.", part="mi300x", basis="commit-3y", date="2026-11-02", valid_until="2027-01-31", price=12.5,
    currency="CNY", quantity=16, gpus_in_server=8, delivery_months=0, warranty_years=2.5, memory_gb=192.0,
    bandwidth_tbs=5.3, peaks=(ClaimedPeak(format="fp8", tflops=2614.9, kind="dense"), ClaimedPeak(format="bf16", tflops=1307.4)),
)  # fmt: skip


def with_quotes(*quotes: Quote) -> Scenario:
    """The preset with offers."""
    scenario = SERVE
    for one in quotes:
        scenario = with_quote(scenario, one)
    return scenario


def content(**changes: Any) -> bytes:
    """The file of a scenario with fields of it replaced."""
    data = json.loads(written(with_quotes(FULL), FACTS.edition.label))
    data["scenario"] |= changes
    return json.dumps(data).encode()


def problems(raw: bytes) -> list[tuple[str, str]]:
    """Codes and fields of what is wrong with a file."""
    with pytest.raises(ScenarioFileError) as caught:
        read(raw, FACTS.accelerators, FACTS.models)
    return [(one.code, one.field) for one in caught.value.problems]


def test_a_scenario_without_offers_says_nothing_of_them() -> None:
    """Its fields are those of every link made before there were offers."""
    data = SERVE.model_dump(mode="json")
    assert "quotes" not in data
    assert "quote" not in data["view"]
    assert Scenario.model_validate_json(json.dumps(data)) == SERVE


@pytest.mark.parametrize("quotes", [(FULL,), (EXAMPLE,), (FULL, EXAMPLE)])
def test_an_offer_survives_link_and_file(quotes: tuple[Quote, ...]) -> None:
    """With every field that it states, and the view on it."""
    scenario = with_quotes(*quotes)
    assert link.decode(link.encode(scenario)) == scenario
    assert read(written(scenario, FACTS.edition.label).encode(), FACTS.accelerators, FACTS.models) == scenario


def test_eight_full_offers_fit_into_a_link() -> None:
    """Each with its own figures; a ninth is refused."""
    many = [FULL.model_copy(update={"vendor": f"Vendor {at}", "price": 10.0 + at / 7}) for at in range(MOST_QUOTES)]
    scenario = with_quotes(*many)
    assert len(link.encode(scenario)) < 1500
    with pytest.raises(InputError, match="no-room"):
        with_quote(scenario, FULL)
    assert len(without_quote(scenario, 3).quotes) == MOST_QUOTES - 1


@pytest.mark.parametrize(
    "vendor",
    ["", " x", "=1+1", "+x", "-x", "@x", "a\u202eb", "a\u200bb", "a\nb", "a\x00b", "a*b*", "[x](y)", "<b>", "a`b", "$x$", "a|b",
     "http://x", "x" * 41, "a_b_", "a#b", "a\\b", "😀"],
)  # fmt: skip
def test_a_vendor_whose_name_is_no_name_is_refused(vendor: str) -> None:
    """No formula, no Markdown, no turned or hidden letters."""
    with pytest.raises(ValidationError):
        Quote(vendor=vendor, part="h100-sxm")


@pytest.mark.parametrize(
    "vendor", ["Dell Technologies", "浪潮信息", "戴尔（中国）", "Société Générale", "H3C", "A.B. & Co. (UK)", "1&1"]
)
def test_names_of_real_vendors_are_names(vendor: str) -> None:
    """In Latin and Chinese letters."""
    assert Quote(vendor=vendor, part="h100-sxm").vendor == vendor


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("price", -1.0), ("price", 0.0), ("price", float("nan")), ("price", float("inf")), ("price", "5"), ("price", 1e10),
        ("quantity", 0), ("quantity", 1.5), ("quantity", -8), ("quantity", True), ("delivery_months", -1), ("delivery_months", 49),
        ("warranty_years", -0.5), ("warranty_years", float("nan")), ("memory_gb", 0.0), ("memory_gb", -192.0),
        ("bandwidth_tbs", float("inf")), ("currency", "GBP"), ("basis", "lease"), ("date", "2026-02-30"), ("date", "2026-13-01"),
        ("date", "today"), ("date", "0000-00-00"), ("valid_until", "2026-11-31"), ("valid_until", "2026-11-3"), ("part", "a b"),
        ("gpus_in_server", 0), ("peaks", ({"format": "fp7", "tflops": 1.0},)), ("peaks", ({"format": "fp8", "tflops": -1.0},)),
        ("peaks", ({"format": "fp8", "tflops": float("nan")},)), ("peaks", ({"format": "fp8"},)),
        ("peaks", tuple({"format": one, "tflops": 1.0} for one in ("fp8", "fp8"))), ("colour", "red"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(field: str, value: object) -> None:
    """Negative, not a number, no such day, no such word, a format twice, a field that there is not."""
    with pytest.raises(ValidationError):
        Quote.model_validate({"vendor": "V", "part": "h100-sxm", field: value})


def test_a_link_to_an_offer_of_an_unknown_part_is_refused() -> None:
    """It names the offer."""
    scenario = with_quotes(FULL.model_copy(update={"part": "h900"}))
    with pytest.raises(LinkError) as caught:
        link.check_names(scenario, FACTS.accelerators, FACTS.models)
    assert (caught.value.code, caught.value.field, caught.value.value) == ("unknown-name", "quotes.0.part", "h900")


def test_offers_of_own_parts_go_with_them() -> None:
    """Others stay."""
    scenario = add_part(with_quotes(FULL), OwnPart(name="Mine", memory_gib=100.0))
    scenario = with_quote(scenario, FULL.model_copy(update={"part": "own-1"}))
    assert without_parts(scenario).quotes == (FULL,)
    text = written(scenario, FACTS.edition.label).encode()
    assert read(text, FACTS.accelerators, FACTS.models) == scenario


def test_every_error_of_a_file_is_named() -> None:
    """All three at once, each with its field."""
    raw = content(
        quotes=[{"vendor": "=x", "part": "h100-sxm", "price": -5}], money={**SERVE.money.model_dump(), "utilisation": 7}
    )
    assert set(problems(raw)) == {
        ("field", "quotes.0.vendor"), ("field", "quotes.0.price"), ("field", "money.utilisation"),
    }  # fmt: skip
    unknown = content(quotes=[{"vendor": "V", "part": "h900"}], workloads=[{"model": "llama-9"}])
    assert problems(unknown) == [("unknown-name", "quotes.0.part"), ("unknown-name", "workloads.0.model")]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "not-json"), (b"{", "not-json"), (b"[]", "not-a-scenario"), (b"{}", "not-a-scenario"), (b"\xff\xfe", "not-text"),
        (b'{"format":"other","scenario":{}}', "not-a-scenario"), (b"[" * 100_000, "not-json"),
        (b" " * (MAX_BYTES + 1), "too-large"), (b'{"format":"accelerator-ledger-scenario","scenario":[]}', "not-a-scenario"),
        (b'{"format":"accelerator-ledger-scenario","scenario":{"version":9}}', "newer-version"),
        (b'{"format":"accelerator-ledger-scenario","scenario":{"version":1}}', "missing-field"),
        (b'{"format":"accelerator-ledger-scenario","scenario":{"title":"\\ud800"}}', "not-text"),
        (b'{"format":"accelerator-ledger-scenario","scenario":{"version":NaN}}', "field"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_scenario_says_so(raw: bytes, code: str) -> None:
    """Nothing of it is taken."""
    assert problems(raw)[0][0] == code


@given(raw=st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_no_file_crashes_the_reader(raw: bytes) -> None:
    """Whatever it holds."""
    assert problems(raw)


@given(cut=st.integers(0, 2000), put=st.characters())
@settings(max_examples=100, deadline=None)
def test_a_mutated_file_is_taken_or_refused(cut: int, put: str) -> None:
    """One letter of a good file replaced."""
    text = written(with_quotes(FULL), FACTS.edition.label)
    place = cut % len(text)
    raw = (text[:place] + put + text[place + 1 :]).encode("utf-8", "replace")
    refused: tuple[LinkError, ...] = ()
    try:
        taken: Scenario | None = read(raw, FACTS.accelerators, FACTS.models)
    except ScenarioFileError as error:
        taken, refused = None, error.problems
    assert (taken is None) == bool(refused)


def test_the_view_may_point_past_the_last_offer() -> None:
    """Then an offer is still to be stated."""
    assert with_quotes(FULL).quote == FULL
    assert changed(with_quotes(FULL), ("view", "quote"), 1).quote is None
    assert SERVE.quote is None


@pytest.mark.parametrize("day", [FIRST_DAY, LAST_DAY])
def test_the_days_of_a_form_are_those_of_a_link(day: date) -> None:
    """The first and the last are taken, the day beyond each is not."""
    assert Quote(vendor="V", part="h100-sxm", date=day.isoformat()).date == day.isoformat()
    beyond = day + timedelta(days=1 if day == LAST_DAY else -1)
    with pytest.raises(ValidationError):
        Quote(vendor="V", part="h100-sxm", valid_until=beyond.isoformat())
    assert Quote(vendor="V" * VENDOR_CHARACTERS, part="h100-sxm").vendor


YUAN = Quote(vendor="Inspur", part="h100-sxm", price=172_527.5, currency="CNY")
"""At 6.9011 CNY per USD 25,000 USD, at 7.5 CNY 23,003.67 USD."""


def at_rate(rate: float, scenario: Scenario) -> Scenario:
    """The scenario shown in yuan at a stated rate."""
    return changed(changed(scenario, ("money", "currency"), "CNY"), ("money", "currency_per_usd"), rate)


def test_a_used_offer_keeps_its_tie_when_the_rate_changes() -> None:
    """The candidate stays at 25,000 USD and at its offer; used again it is at the new rate."""
    used = use(FACTS, at_rate(6.9011, with_quotes(YUAN)), YUAN)
    (place,) = (at for at, one in enumerate(used.candidates) if one.price_source == "own")
    assert used.candidates[place].gpu_price_usd == 25_000.0
    assert rate_of_use(FACTS, used, YUAN) is None
    later = link.decode(link.encode(at_rate(7.5, used)))
    assert later.candidates[place].gpu_price_usd == 25_000.0
    assert is_used(FACTS, later, YUAN)
    assert quote_behind(FACTS, later, later.candidates[place]) == later.quotes[0]
    assert rate_of_use(FACTS, later, later.quotes[0]) == 6.9011
    again = use(FACTS, later, later.quotes[0])
    assert again.candidates[place].gpu_price_usd == 23_003.67
    assert rate_of_use(FACTS, again, again.quotes[0]) is None


def test_another_price_is_not_the_offer_s() -> None:
    """Typed on the cost page, or after the offer was stated with another price; stated again unchanged it stays used."""
    used = at_rate(7.5, use(FACTS, at_rate(6.9011, with_quotes(YUAN)), YUAN))
    (place,) = (at for at, one in enumerate(used.candidates) if one.price_source == "own")
    assert not is_used(FACTS, changed(used, ("candidates", place, "gpu_price_usd"), 24_000.0), used.quotes[0])
    cheaper = with_quote(used, YUAN.model_copy(update={"price": 160_000.0}), 0)
    assert not is_used(FACTS, cheaper, cheaper.quotes[0])
    longer = with_quote(used, YUAN.model_copy(update={"warranty_years": 3.0}), 0)
    assert is_used(FACTS, longer, longer.quotes[0])


def test_dollars_have_no_rate_of_use() -> None:
    """An offer in US dollars is at its price, whatever a link says of a rate."""
    plain = Quote(vendor="V", part="h100-sxm", price=25_000.0)
    assert use(FACTS, with_quotes(plain), plain).quotes == (plain,)
    spoiled = with_quotes(plain.model_copy(update={"used_at_per_usd": 2.0}))
    candidate = use(FACTS, spoiled, plain).candidates[1].model_copy(update={"gpu_price_usd": 12_500.0})
    assert quote_behind(FACTS, spoiled, candidate) is None
