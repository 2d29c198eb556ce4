"""The cost page: its figures follow from the facts by a closed form, its sliders move them, nothing breaks it."""

import json
import math
from pathlib import Path
from typing import Any, get_args

import pytest
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.__main__ import main
from lib.choice import link, presets
from lib.choice.cost_view_edits import MONEY_OF
from lib.choice.fleet_costs import costed_all
from lib.choice.page_choices import CostSection
from lib.choice.scenario import Candidate, Scenario, changed
from lib.present.cost_inputs import assumption_line
from lib.present.text import words

ROOT = Path(__file__).resolve().parent.parent
SHELL = str(ROOT / "lib" / "ui" / "shell.py")
FACTS = catalog.load()


def opened(page: str = "cost", **query: str) -> AppTest:
    """A page of a visitor with this query."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.switch_page(f"../../pages/{page}.py")
    at.run()
    assert not at.exception
    return at


def spec(at: AppTest, index: int) -> dict[str, Any]:
    """A figure as the browser gets it."""
    found: dict[str, Any] = json.loads(at.get("plotly_chart")[index].proto.spec)
    return found


def test_a_rental_costs_what_an_annuity_of_its_rent_costs() -> None:
    """One H100 at 2 USD an hour for a year, at 10 % a year: twelve payments of 1,460 USD discounted month by month."""
    scenario = presets.preset(FACTS, "token-price")
    (one,) = costed_all(FACTS, scenario)
    rate = 1.1 ** (1 / 12) - 1
    by_hand = 2.0 * 730 * (1 - (1 + rate) ** -12) / rate
    assert one.npv_usd == pytest.approx(by_hand, abs=0.01)
    assert one.unit is not None
    assert one.unit.million_output_tokens_usd == pytest.approx((4.0, 4.0), abs=1e-9)


def test_a_purchase_costs_what_its_rows_say() -> None:
    """One 8-GPU H100 server for three years, computed here from the assumptions' rows alone."""
    row = {name: one.base for name, one in FACTS.assumptions.items() if one.base is not None}
    price, months, rate = row["capex-srv-8xh100-est"], 36, 1.1 ** (1 / 12) - 1
    use, pue = row["rent-util"] / 100, row["fac-pue-colo"]
    kw = use * row["pow-node-load-h100-sxm"] + (1 - use) * row["pow-node-idle-h100-sxm"]
    monthly = kw * 730 * pue * row["fac-elec-us"]
    monthly += price * row["sw-hwsupport"] / 100 / 12 + row["staff-8gpu"] * row["staff-loaded"] / 12
    factors = [(1 + rate) ** -month for month in range(1, months + 1)]
    by_hand = price * (1 + row["capex-spares"] / 100) + 8 * row["capex-install-setup"] + monthly * sum(factors)
    lease = row["pow-node-load-h100-sxm"] * row["fac-colo-us"]
    by_hand += sum(
        lease * (1 + row["fac-colo-escalator"] / 100) ** ((month - 1) // 12) * factors[month - 1]
        for month in range(1, months + 1)
    )
    by_hand -= price * row["fin-residual-y3"] / 100 * factors[-1]
    one = next(
        one for one in costed_all(FACTS, presets.preset(FACTS, "serve-70b")) if one.candidate.accelerator == "h100-sxm"
    )
    assert one.npv_usd == pytest.approx(by_hand, abs=0.01)
    assert one.option is not None
    assert one.option.held_gpus == 8


def test_the_page_and_the_shell_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """The bold sums of the chart of components are the net present values that `python -m lib cost` prints."""
    assert main(["cost", "serve-70b"]) == 0
    printed = json.loads(capsys.readouterr().out)
    sums = [label.rpartition("<b>")[2] for label in spec(opened(preset="serve-70b"), 1)["data"][0]["y"]]
    expected = sorted(one["net_present_value_usd"] for one in printed["options"])
    assert [int("".join(filter(str.isdigit, text))) for text in sums] == [round(value) for value in expected]


def test_a_slider_moves_the_answer_and_the_link() -> None:
    """Electricity at 0.20 USD raises the cost by the energy that the servers draw, and travels in the token."""
    at = opened(preset="serve-70b")
    before = costed_all(FACTS, presets.preset(FACTS, "serve-70b"))
    slider = next(one for one in at.slider if one.label.startswith("Electricity price"))
    slider.set_value(0.2).run()
    assert not at.exception
    scenario = link.decode("".join(at.query_params["s"]))
    assert scenario.money.electricity_usd_per_kwh == 0.2
    after = costed_all(FACTS, scenario)
    for old, new in zip(before, after, strict=True):
        assert old.summed is not None
        assert new.summed is not None
        energy = float(old.summed.npv_by_component["energy"])
        assert new.npv_usd - old.npv_usd == pytest.approx(energy * (0.2 / 0.0929 - 1), rel=1e-9)  # type: ignore[operator]


def test_the_reader_is_told_where_a_price_comes_from() -> None:
    """The caption below the price names its kind, range and date; an own price is marked as such."""
    at = opened(preset="serve-70b")
    assert any("Estimate, 180,000–290,000 USD" in caption.value for caption in at.caption)
    slider = next(one for one in at.slider if one.label == "Price, USD per server")
    slider.set_value(200_000.0).run()
    assert any("Your own price" in caption.value for caption in at.caption)


@pytest.mark.parametrize(
    ("preset_id", "language"),
    [*((name, "en") for name in FACTS.presets), *((name, "zh") for name in ("serve-70b", "token-price", "llama-405b"))],
)
def test_every_preset_opens(preset_id: str, language: str) -> None:
    """The page stands for each question, with an answer and either figures or the reason why there are none."""
    at = opened(preset=preset_id, lang=language)
    assert len(at.title[0].value) > 3
    assert len(at.get("plotly_chart")) == 4 or at.warning


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("money", "utilisation"), 0.01),
        (("money", "residual_scale"), 2.0),
        (("money", "discount_rate"), 0.0),
        (("money", "electricity_usd_per_kwh"), 2.0),
        (("candidates", 0, "gpus"), 100_000),
        (("candidates", 0, "gpus"), 9),
        (("candidates", 0, "server_price_usd"), 0.0),
        (("money", "horizon_years"), 1),
    ],
)
def test_extremes_give_numbers(path: tuple[str | int, ...], value: object) -> None:
    """At the ends of what the record allows every figure is finite, and nine GPUs are two servers."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), path, value)
    at = opened(s=link.encode(scenario))
    assert not at.error
    for one in costed_all(FACTS, scenario):
        assert one.npv_usd is not None
        assert math.isfinite(one.npv_usd)
    if value == 9:
        first = costed_all(FACTS, scenario)[0]
        assert first.option is not None
        assert first.option.servers == 2
        assert first.option.held_gpus == 16


def test_a_commitment_longer_than_the_horizon_is_paid_to_its_end() -> None:
    """Three years committed within one cost 36 months of rent and its support; the page stands with its figures."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("money", "horizon_years"), 1)
    committed = scenario.model_copy(
        update={"candidates": tuple(one.model_copy(update={"acquisition": "commit-3y"}) for one in scenario.candidates)}
    )
    assert isinstance(committed, Scenario)
    for one in costed_all(FACTS, committed):
        assert one.option is not None
        assert one.summed is not None
        rent = one.option.gpus * float(one.option.rent_usd_per_gpu_hour or 0.0) * 730 * 36
        assert float(one.summed.nominal_by_component["rental"]) == pytest.approx(rent, rel=1e-12)
        assert one.flows is not None
        assert {doubt.code: dict(doubt.values) for doubt in one.flows.doubts} == {
            "commitment-outlasts-horizon": {"months": 24}
        }
    at = opened(s=link.encode(committed))
    assert len(at.get("plotly_chart")) == 4
    assert any("24 months beyond the horizon" in caption.value for caption in at.caption)


def test_money_starts_at_the_values_of_the_cost_room() -> None:
    """The scenario's defaults are the cost room's own, so that an untouched field keeps its origin."""
    for one in costed_all(FACTS, presets.preset(FACTS, "buy-or-wait")):
        assert one.defaults is not None
        kinds = {name: origin.kind for name, origin in one.defaults.origins.items()}
        assert "user" not in kinds.values(), kinds
        assert "user" not in {origin.kind for name, origin in one.finance.origins.items() if name != "horizon_months"}


NOTHING = ((("workloads", 0, "model"), "sdxl"), (("workloads", 0, "task"), "image"))
LITTLE = ((("candidates", 0, "accelerator"), "h20"), (("candidates", 1, "accelerator"), "gaudi3"))


@pytest.mark.parametrize(
    ("section", "changes"),
    [*((name, NOTHING) for name in get_args(CostSection)), ("difference", LITTLE), ("assumptions", LITTLE)],
)
def test_every_section_stands_when_little_or_nothing_can_be_costed(
    changes: tuple[tuple[Any, Any], ...], section: str
) -> None:
    """Without a fleet or a price the page says why, and none of its sections is an error."""
    scenario = changed(presets.preset(FACTS, "serve-70b"), ("view", "cost_section"), section)
    for path, value in changes:
        scenario = changed(scenario, path, value)
    assert opened(s=link.encode(scenario)).warning


@pytest.mark.parametrize("group", ["buy", "run", "money", "future"])
@pytest.mark.parametrize("preset_id", ["serve-70b", "token-price"])
def test_every_input_has_a_slider_and_a_field(group: str, preset_id: str) -> None:
    """The opened panel shows each group without an error, for purchases, rentals and both."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    at.query_params["s"] = link.encode(changed(presets.preset(FACTS, preset_id), ("view", "cost_group"), group))
    at.switch_page("../../pages/cost.py")
    at.session_state["cost.inputs"] = True
    at.run()
    assert not at.exception
    for field in MONEY_OF[group]:  # type: ignore[index]
        assert any((one.key or "").endswith(f"field.money.{field}") for one in at.number_input), field


def test_prices_of_an_article_are_not_ranked_against_the_catalogues() -> None:
    """Llama 3.1 405B at FP8: the catalogue's cheapest is named first, the article's beside it."""
    scenario = changed(presets.preset(FACTS, "llama-405b"), ("view", "workload"), 1)
    at = opened(s=link.encode(scenario))
    answer = at.markdown[0].value
    own = [one for one in costed_all(FACTS, scenario) if one.candidate.price_source == "catalogue"]
    least = min(own, key=lambda one: one.npv_usd or math.inf)
    assert f"**{least.accelerator.short_name}, buy** costs least" in answer
    assert any("At the article's prices" in caption.value for caption in at.caption)


def test_an_article_s_price_is_called_so() -> None:
    """1,409 USD a month over 730 hours is the article's figure, not the reader's own, whatever the rounding."""
    at = opened(preset="mi355x-rent")
    assert any("The price of article A3" in caption.value for caption in at.caption)
    assert not any("your own" in caption.value.lower() for caption in at.caption)


def test_one_quote_makes_no_tie() -> None:
    """MI355X is rented at a single undated quote: an 80 % dearer option is not called the same."""
    preset = presets.preset(FACTS, "buy-or-wait")
    pair = [one for one in preset.candidates if one.acquisition == "rent" and one.accelerator in ("mi355x", "mi300x")]
    at = opened(s=link.encode(preset.model_copy(update={"candidates": tuple(pair)})))
    assert len(pair) == 2
    assert "overlap" not in at.markdown[0].value
    captions = " ".join(caption.value for caption in opened(preset="buy-or-wait").caption)
    assert "The cheapest to buy is" in captions
    assert "single quote without a range" in captions


def test_a_value_that_counts_for_no_option_says_so() -> None:
    """One server has no network between servers: 20,000 USD per GPU change nothing, and the field says why."""
    scenario = changed(
        presets.preset(FACTS, "serve-70b"), ("candidates",), (Candidate(accelerator="h100-sxm", gpus=8).model_dump(),)
    )
    scenario = changed(scenario, ("money", "network_usd_per_gpu"), 20_000.0)
    before = costed_all(FACTS, changed(scenario, ("money", "network_usd_per_gpu"), 3_500.0))
    assert costed_all(FACTS, scenario)[0].npv_usd == before[0].npv_usd
    line = assumption_line("network_usd_per_gpu", scenario, costed_all(FACTS, scenario), FACTS, words("en"))
    assert "It counts for none of these options: One server needs no network between servers." in line


def test_a_price_that_is_typed_stays_and_the_slider_follows() -> None:
    """The field and the slider stand for one price: 250,000 USD typed is what the option is costed with."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    at.query_params["preset"] = "serve-70b"
    at.session_state["cost.inputs"] = True
    at.switch_page("../../pages/cost.py").run()
    typed = next(one for one in at.number_input if str(one.key).startswith("typed.all.price.0."))
    typed.set_value(250_000.0).run()
    at.run()
    assert not at.exception
    assert at.session_state.scenario.candidates[0].server_price_usd == 250_000
    slider = next(one for one in at.slider if str(one.key).startswith("price.0."))
    assert slider.value == 250_000
