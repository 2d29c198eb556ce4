"""The page on offers: its answer, what is typed, what is used, and the file of the scenario."""

import datetime as dt
import json
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.fleet_costs import costed_all
from lib.choice.quoted import use, with_quote
from lib.choice.quotes import ClaimedPeak, Quote
from lib.choice.recommend import recommend
from lib.choice.scenario import Scenario, changed
from lib.choice.timing_paths import timing
from lib.choice.unknowns import unknowns
from lib.choice.view_choices import with_timing
from lib.present.recommend import caption
from lib.present.recommend_quote import request
from lib.present.text import plain, words
from lib.present.timing_tables import prices_table
from lib.present.workbook import cost_workbook

SHELL = str(Path(__file__).resolve().parent.parent / "lib" / "ui" / "shell.py")
FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b", "en")
QUOTE = Quote(
    vendor="Dell", part="h100-sxm", basis="server", date="2026-11-02", valid_until="2026-11-20", price=230_000.0, quantity=1,
    gpus_in_server=8, memory_gb=80.0, peaks=(ClaimedPeak(format="fp16", tflops=1979.0),),
)  # fmt: skip


def opened(scenario: Scenario = SERVE, page: str = "offer") -> AppTest:
    """The page of a visitor with a link to the scenario."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    at.query_params["s"] = link.encode(scenario)
    at.switch_page(f"../../pages/{page}.py").run()
    assert not at.exception
    return at


def field(at: AppTest, name: str) -> str:
    """The key of a field of the form, whatever offer it shows."""
    widgets = [*at.text_input, *at.number_input, *at.selectbox, *at.date_input]
    return next(str(one.key) for one in widgets if str(one.key).endswith(f".{name}"))


def test_two_of_seven_statements_do_not_hold() -> None:
    """The sparse peak and the validity that ended ten days before the edition; memory, quantity, size, date hold."""
    at = opened(with_quote(SERVE, QUOTE))
    answer = at.main.markdown[0].value.replace("\\", "")
    assert "**2 of 7 statements of Dell for H100 SXM do not hold**" in answer
    assert "1,979 is its FP16 peak with 2:4 sparsity or its dense FP8 peak" in answer
    assert "989.4" in answer
    assert "2026-11-20" in answer
    values = {one.label: one.value for one in at.metric}
    assert values["Do not hold"] == "2"
    # reported complete H100 servers: 250,000-400,000, 300,000-400,000, 310,000-317,000; middles 325, 350, 313.5
    assert values["Price against the median"] == f"{100 * (230_000 / 325_000 - 1):+.0f} %"
    assert at.get("plotly_chart")


def test_without_an_offer_the_page_says_what_to_do_and_has_an_example() -> None:
    """The example states no price: it is no invented one."""
    at = opened()
    assert "No offer is kept" in at.main.markdown[0].value
    at.button(key="offer.example").click().run()
    assert not at.exception
    assert "**2 of 4 statements of Example for H100 SXM do not hold**" in at.main.markdown[0].value
    assert {one.label: one.value for one in at.metric}["Price against the median"] == "not stated"


def test_an_offer_that_is_typed_is_checked_and_kept() -> None:
    """Vendor, price and memory; what is blank is asked."""
    at = opened()
    at.text_input(key=field(at, "vendor")).set_value("Super  Micro")
    at.number_input(key=field(at, "memory_gb")).set_value(192.0)
    at.button(key="offer.form.go").click().run()
    assert not at.exception
    (kept,) = at.session_state.scenario.quotes
    assert (kept.vendor, kept.memory_gb, kept.price) == ("Super Micro", 192.0, None)
    assert "Super Micro" in at.main.markdown[0].value


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [("price", -5.0, "Price"), ("memory_gb", -1.0, "Memory claimed, GB"), ("tflops.0", 5.0, "a format and its TFLOPS")],
)
def test_what_is_refused_is_said_and_stays(name: str, value: float, reason: str) -> None:
    """Nothing is kept; the field still shows what was typed."""
    at = opened()
    at.text_input(key=field(at, "vendor")).set_value("Dell")
    at.number_input(key=field(at, name)).set_value(value)
    at.button(key="offer.form.go").click().run()
    assert not at.exception
    assert reason in at.error[0].value
    assert at.session_state.scenario.quotes == ()
    assert at.number_input(key=field(at, name)).value == value


@pytest.mark.parametrize("vendor", ["=HYPERLINK()", "a\u202eb", "**x**", ""])
def test_a_hostile_vendor_is_refused(vendor: str) -> None:
    """With what a name is."""
    at = opened()
    at.text_input(key=field(at, "vendor")).set_value(vendor)
    at.button(key="offer.form.go").click().run()
    assert not at.exception
    assert "The vendor needs a name" in at.error[0].value


def test_using_an_offer_makes_it_the_price_of_every_page() -> None:
    """The cost page names it, and removing it leaves the price as the buyer's own."""
    at = opened(with_quote(SERVE, QUOTE))
    at.button(key="offer.use").click().run()
    assert not at.exception
    scenario: Scenario = at.session_state.scenario
    assert scenario.candidates[1].server_price_usd == 230_000.0
    assert at.button(key="offer.use").disabled
    at.button(key="offer.remove").click().run()
    assert at.session_state.scenario.quotes == ()
    assert at.session_state.scenario.candidates[1].server_price_usd == 230_000.0


def test_the_cost_page_and_the_request_name_the_offer() -> None:
    """Where the source of a price is named: under the charts, beside the field, and in the request for quotation."""
    scenario = use(FACTS, with_quote(SERVE, QUOTE), QUOTE)
    scenario = scenario.model_copy(update={"view": scenario.view.model_copy(update={"priced": 1})})
    captions = [one.value for one in opened(scenario, "cost").caption]
    assert sum("quote of Dell, 2026-11-02" in one for one in captions) == 2
    found = recommend(FACTS, scenario)
    text = request(found, unknowns(FACTS, found), FACTS, "", words("en"))
    assert sum("(quote of Dell, 2026-11-02)" in line and "H100 SXM" in line for line in text.splitlines()) == 1


def test_workbook_timing_and_recommendation_name_the_offer() -> None:
    """Not "your own": vendor and date stand beside the price, in the workbook with the date in its column."""
    scenario = use(FACTS, with_quote(SERVE, QUOTE), QUOTE)
    _ = words("en")
    sheet = load_workbook(BytesIO(cost_workbook(FACTS, scenario, costed_all(FACTS, scenario), _, "")))["Inputs"]
    lines = [row for row in sheet.iter_rows(values_only=True) if row[7] == "quote of Dell, 2026-11-02"]
    assert [(row[1], row[8]) for row in lines] == [(230_000.0, "2026-11-02")]
    found = timing(FACTS, with_timing(scenario, "part", "h100-sxm"))
    assert found.quotes["buy"].vendor == "Dell"
    kinds = prices_table(found, FACTS, _)
    assert set(kinds[kinds["Way"] == "Buy"]["Kind"]) == {"quote of Dell, 2026-11-02"}
    assert "quote of Dell, 2026-11-02 (1)" in plain(caption(recommend(FACTS, scenario), FACTS, _))


def test_every_preset_opens_on_the_page() -> None:
    """Training and token prices too, with an offer of a part that the preset may not have."""
    for preset_id in ("pretrain-256", "token-price", "one-megawatt", "image-generation", "mi355x-rent"):
        opened(with_quote(presets.preset(FACTS, preset_id, "zh"), QUOTE))


def test_nothing_is_stored_and_the_page_says_so() -> None:
    """Beside the file that the visitor keeps."""
    at = opened()
    assert any("Nothing is stored on the server" in one.value for one in at.markdown)
    assert json.loads(json.dumps(at.session_state.address))


@pytest.mark.parametrize("day", ["2000-01-01", "2019-06-01", "2041-01-01", "2100-12-31"])
def test_every_day_that_a_link_may_name_opens(day: str) -> None:
    """The form shows it."""
    at = opened(with_quote(SERVE, QUOTE.model_copy(update={"date": day, "valid_until": day})))
    assert {one.value for one in at.date_input} == {dt.date.fromisoformat(day)}


def test_a_vendor_has_room_for_what_a_name_may_be() -> None:
    """40 letters, as in the record."""
    at = opened()
    assert at.text_input(key=field(at, "vendor")).max_chars == 40


def test_a_third_peak_of_a_link_is_kept_when_the_form_is_sent() -> None:
    """The form has fields for two."""
    three = tuple(ClaimedPeak(format=one, tflops=100.0) for one in ("fp8", "fp16", "int8"))
    at = opened(with_quote(SERVE, QUOTE.model_copy(update={"peaks": three})))
    at.button(key="offer.form.go").click().run()
    assert not at.exception
    assert at.session_state.scenario.quotes[0].peaks == three


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_change_of_the_rate_is_said_beside_a_used_offer(language: str) -> None:
    """The rate of its use, and what it is at today's: 172,527.5 CNY are 25,000 USD at 6.9011 and 23,003.67 USD at 7.5."""
    yuan = QUOTE.model_copy(update={"basis": "gpu", "price": 172_527.5, "currency": "CNY", "gpus_in_server": None})
    shown = changed(with_quote(SERVE, yuan), ("money", "currency"), "CNY")
    used = use(FACTS, changed(shown, ("money", "currency_per_usd"), 6.9011), yuan)
    later = changed(changed(used, ("money", "currency_per_usd"), 7.5), ("language",), language)
    at = opened(later)
    told = next(one.value for one in at.markdown if "6.9011 CNY" in one.value)
    assert "7.5 CNY" in told
    assert "23,003.67 USD" in told
    kept = next(one.value for one in at.dataframe if len(one.value.columns) == 8)
    assert "6.9011 CNY" in str(kept.iloc[0, -1])
    assert not at.button(key="offer.use").disabled
    at.button(key="offer.use").click().run()
    assert not at.exception
    assert at.session_state.scenario.candidates[1].gpu_price_usd == 23_003.67
    assert at.button(key="offer.use").disabled
    priced = later.model_copy(update={"view": later.view.model_copy(update={"priced": 1})})
    assert any("6.9011 CNY" in one.value for one in opened(priced, "cost").caption)
