"""An offer is held against what is known: figures, prices, days, quantities; what it does not say is asked."""

from datetime import date
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import catalog
from lib.choice import presets
from lib.choice.cost_view_edits import with_candidate
from lib.choice.offer_prices import SeenPrice, judged_by, position, seen_prices
from lib.choice.offer_specs import judge_memory, judge_peak, peak_figures
from lib.choice.offers import Finding, OfferCheck, check_offer, support_usd, uncovered_months
from lib.choice.own_parts import with_own_parts
from lib.choice.quoted import quote_behind, use, why_not, with_quote
from lib.choice.quotes import ClaimedPeak, Quote
from lib.choice.recommend import recommend
from lib.choice.scenario import OwnPart, Scenario, changed
from lib.errors import InputError
from lib.present import offer, offer_words
from lib.present.text import words

FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b", "en")
EN, ZH = words("en"), words("zh")
DAY = date.fromisoformat(FACTS.edition.date)


def offered(**stated: Any) -> Quote:
    """An offer of an H100 by a vendor, with what is stated here."""
    return Quote(**{"vendor": "Vendor", "part": "h100-sxm", **stated})


def checked(scenario: Scenario = SERVE, **stated: Any) -> OfferCheck:
    """That offer, checked."""
    return check_offer(FACTS, scenario, offered(**stated))


def found(check: OfferCheck, claim: str) -> Finding:
    """The finding of one claim."""
    return next(one for one in check.findings if one.claim == claim)


def test_1979_tflops_fp16_of_an_h100_is_named() -> None:
    """It is FP16 with 2:4 sparsity (twice 989.4) and the dense FP8 peak; dense FP16 is 989.4."""
    one = found(checked(peaks=(ClaimedPeak(format="fp16", tflops=1979.0),)), "peak")
    assert (one.verdict, one.code) == ("contradiction", "sparse-for-dense")
    assert one.values["dense"].tflops == 989.4
    assert [(each.format, each.sparsity) for each in one.values["figures"]] == [("fp16", "sparse"), ("fp8", "dense")]
    text = offer_words.said(one, EN).against
    assert text == (
        "H100 SXM reaches 989.4 TFLOPS dense in FP16; 1,979 is its FP16 peak with 2:4 sparsity or its dense FP8 peak."
    )


@pytest.mark.parametrize(
    ("word", "tflops", "kind", "verdict", "code"),
    [
        ("fp16", 989.0, "dense", "ok", "dense"),
        ("bf16", 989.0, "unsaid", "ok", "dense-unsaid"),
        ("fp16", 1979.0, "sparse", "ok", "sparse-as-said"),
        ("fp16", 1979.0, "dense", "contradiction", "sparse-for-dense"),
        ("fp8", 3958.0, "unsaid", "contradiction", "sparse-for-dense"),
        ("fp8", 989.0, "dense", "contradiction", "other-format"),
        ("fp4", 3958.0, "dense", "contradiction", "other-format"),
        ("fp4", 7000.0, "dense", "question", "not-published"),
        ("fp16", 989.4, "sparse", "question", "dense-for-sparse"),
        ("fp16", 7915.0, "dense", "question", "server-total"),
        ("fp16", 1500.0, "dense", "contradiction", "above-all"),
        ("fp16", 700.0, "dense", "question", "below"),
    ],
)
def test_a_peak_is_what_it_is(word: Any, tflops: float, kind: Any, verdict: str, code: str) -> None:
    """H100 SXM: 989.4 and 1,978.9 dense, 1,978.9 and 3,957.8 with sparsity; eight of them make 7,915 in FP16."""
    judged = judge_peak(word, tflops, kind, peak_figures(FACTS.accelerator("h100-sxm")), 8)
    assert (judged.verdict, judged.code) == (verdict, code)


@pytest.mark.parametrize(
    ("factor", "code"), [(0.989, "below"), (0.991, "dense"), (1.009, "dense"), (1.011, "above-all")]
)
def test_a_figure_within_one_per_cent_is_the_figure(factor: float, code: str) -> None:
    """Rounding is forgiven, and no more."""
    figures = [one for one in peak_figures(FACTS.accelerator("h100-sxm")) if one.format == "fp16"]
    assert judge_peak("fp16", 989.4 * factor, "dense", figures).code == code


@given(
    tflops=st.floats(1, 1e5),
    kind=st.sampled_from(["unsaid", "dense", "sparse"]),
    part=st.sampled_from(sorted(FACTS.accelerators)),
)
@settings(max_examples=200, deadline=None)
def test_no_peak_above_the_dense_one_holds_as_dense(tflops: float, kind: Any, part: str) -> None:
    """What is accepted as a dense peak is within 1 % of the published one, whatever the part."""
    accelerator = FACTS.accelerator(part)
    judged = judge_peak("fp16", tflops, kind, peak_figures(accelerator), accelerator.gpus_per_node)
    dense = accelerator.fp16_bf16_dense_tflops
    if judged.verdict == "ok" and kind != "sparse":
        assert dense is not None
        assert abs(tflops - dense) <= 0.01 * dense


@pytest.mark.parametrize(
    ("part", "claimed", "verdict", "code"),
    [
        ("mi300x", 192.0, "ok", "label"),
        ("mi300x", 206.1, "ok", "decimal"),
        ("mi300x", 256.0, "contradiction", "other-part"),
        ("b200-sxm", 180.0, "ok", "label"),
        ("b200-sxm", 192.0, "ok", "decimal"),
        ("b200-sxm", 288.0, "contradiction", "other-part"),
        ("b300-sxm", 270.0, "ok", "binary"),
        ("h100-sxm", 80.0, "ok", "label"),
        ("h100-sxm", 100.0, "contradiction", "above"),
        ("h100-sxm", 640.0, "question", "server-total"),
        ("h100-sxm", 64.0, "question", "below"),
    ],
)
def test_the_memory_claimed_is_one_of_the_parts_figures(part: str, claimed: float, verdict: str, code: str) -> None:
    """MI300X: 192 is 191.98 GiB, 206.1 GB. B200: label 180, 179.06 GiB = 192.3 GB. B300: 268.59 GiB."""
    one = found(checked(part=part, memory_gb=claimed), "memory")
    assert (one.verdict, one.code) == (verdict, code)


def test_the_memory_that_software_gets_is_said_beside_the_label() -> None:
    """191.98 GiB x 2^30 / 10^9 = 206.1 GB."""
    said = offer_words.said(found(checked(part="mi300x", memory_gb=192.0), "memory"), EN)
    assert said.against == "Equals the label; software sees 191.98 GiB, which is 206.1 GB of 10⁹ bytes."
    assert judge_memory(192, None, None).code == "not-published"


@pytest.mark.parametrize(
    ("part", "claimed", "code"),
    [("h100-sxm", 3.35, "label"), ("h100-sxm", 26.8, "server-total"), ("h100-sxm", 4.8, "above"), ("b200-sxm", 8.0, "other-source")],
)  # fmt: skip
def test_the_bandwidth_claimed(part: str, claimed: float, code: str) -> None:
    """The launch figure of B200, 8 TB/s, is what other sources state; the catalogue holds 7.7."""
    assert found(checked(part=part, bandwidth_tbs=claimed), "bandwidth").code == code


def test_what_an_offer_does_not_say_is_asked() -> None:
    """An offer without a word has every claim as a question, and none of them holds."""
    check = checked(basis="server")
    claims = {one.claim for one in check.silent}
    assert claims == {
        "memory",
        "bandwidth",
        "peak",
        "price",
        "date",
        "validity",
        "server",
        "quantity",
        "delivery",
        "warranty",
    }
    assert not check.stated
    assert all(one.verdict == "question" for one in check.findings)
    assert offer.questions(check, FACTS, EN).count("\n") == 10 + 3


def row(row_id: str, low: float, high: float, age: int, counts: bool = True) -> SeenPrice:
    """A dated price."""
    return SeenPrice(row_id, low, high, "2026-01", age, "dated-list", "source", counts)


def test_a_price_stands_among_the_rows() -> None:
    """Middles 2, 3 and 5: median 3; range 1 to 6."""
    rows = [row("a", 1, 3, 10), row("b", 3, 3, 20), row("c", 4, 6, 30)]
    assert [position(usd, rows).standing for usd in (0.9, 1.0, 3.0, 6.0, 6.1)] == [
        "below-all", "within", "within", "within", "above-all",
    ]  # fmt: skip
    spot = position(6.0, rows)
    assert (spot.low, spot.median, spot.high, spot.rows, spot.newest_days, spot.oldest_days) == (1, 3, 6, 3, 10, 30)
    assert spot.from_median(6.0) == pytest.approx(1.0)
    assert position(2.0, rows[:2]).standing == "few-rows"
    assert position(2.0, [], rows).standing == "estimate-only"
    assert position(2.0, []).standing == "nothing"


def test_recent_prices_judge_where_there_are_three() -> None:
    """Those of nine months; with two of them older ones come in again, and rows that do not count never do."""
    young, old = [row(f"y{at}", 1, 1, at) for at in range(3)], row("old", 9, 9, 900)
    assert judged_by([*young, old], DAY) == tuple(young)
    assert judged_by([*young[:2], old, row("x", 5, 5, 1, counts=False)], DAY) == (*young[:2], old)


def test_the_prices_of_a_rent_are_those_of_the_table() -> None:
    """H100 on demand: lowest, highest and median of the dated lists since 28 February 2026, recounted here."""
    recent = [
        (one.low, one.high)
        for one in FACTS.prices
        if one.accelerator_id == "h100-sxm" and one.kind == "on-demand" and one.basis == "per GPU-hour"
        and one.quality == "dated-list" and one.as_of >= "2026-03" and one.currency == "USD"
    ]  # fmt: skip
    spot = checked(basis="rent", price=3.0).position
    assert spot is not None
    assert (spot.rows, spot.low, spot.high) == (len(recent), min(recent)[0], max(high for _low, high in recent))


def test_undated_and_weak_prices_and_cluster_kit_do_not_judge() -> None:
    """What is undated is not seen; a server with network is shown and not judged by."""
    for basis in ("gpu", "server", "rent", "commit-1y", "commit-3y"):
        for part in FACTS.accelerators:
            assert all(one.as_of and one.age_days >= 0 for one in seen_prices(FACTS, part, basis, DAY))
    kit = {one.row_id: one for one in seen_prices(FACTS, "b200-sxm", "server", DAY)}["capex-srv-8xb200-est"]
    assert kit.holds_more
    assert not kit.counts


@pytest.mark.parametrize(("currency", "rate"), [("CNY", 8.0177 / 1.1618), ("EUR", 1 / 1.1618)])
def test_a_price_in_another_currency_is_turned_at_the_dated_rate(currency: Any, rate: float) -> None:
    """ECB reference rates of 5 March 2026: 8.0177 CNY and 1.1618 USD for a euro."""
    check = checked(price=200_000.0, currency=currency, basis="server")
    assert check.usd == pytest.approx(200_000 / rate, rel=1e-5)


def test_the_scenarios_own_rate_wins() -> None:
    """7.2 CNY for a dollar, as the buyer states."""
    scenario = changed(changed(SERVE, ("money", "currency"), "CNY"), ("money", "currency_per_usd"), 7.2)
    assert checked(scenario, price=72_000.0, currency="CNY").usd == 10_000
    assert checked(scenario, price=72_000.0, currency="EUR").usd == pytest.approx(72_000 * 1.1618)


@pytest.mark.parametrize(
    ("dated", "until", "code"),
    [
        ("2026-11-02", "2026-12-31", "valid"),
        ("2026-09-01", "2026-11-29", "expired"),
        ("2026-11-02", "2026-11-01", "before-date"),
        ("2027-02-01", "2027-03-01", "valid"),
        ("2027-02-01", "2027-01-15", "before-date"),
        ("", "2026-11-29", "expired"),
    ],
)
def test_an_offer_that_has_ended_does_not_hold(dated: str, until: str, code: str) -> None:
    """Days are those of the edition, 30 November 2026, or of the offer where it is later."""
    assert found(checked(date=dated, valid_until=until), "validity").code == code


def test_an_offer_must_hold_until_the_order() -> None:
    """An order in month 3 is three months after the edition's day, as pandas counts them (30 November: 28 February)."""
    scenario = with_candidate(SERVE, 1, {"order_month": 3})
    order = pd.Timestamp(FACTS.edition.date) + pd.DateOffset(months=3)
    before = order - pd.Timedelta(days=1)
    one = found(checked(scenario, valid_until=f"{before:%Y-%m-%d}"), "validity")
    assert (one.code, one.values["order"]) == ("before-order", f"{order:%Y-%m-%d}")
    assert found(checked(scenario, valid_until=f"{order:%Y-%m-%d}"), "validity").code == "valid"


@pytest.mark.parametrize(
    ("quantity", "limit", "code"),
    [(7, None, "too-few"), (8, None, "covers"), (9, None, "more-than-needed"), (9, 8, "above-limit")],
)
def test_the_quantity_is_held_against_the_fleet(quantity: int, limit: int | None, code: str) -> None:
    """The recommendation counts 8 H100 for the preset, as its own assessments say."""
    scenario = changed(SERVE, ("constraints", "gpus"), limit)
    needed = next(
        one.cost.gpus for one in recommend(FACTS, SERVE).assessments if one.candidate.accelerator == "h100-sxm"
    )
    assert needed == 8
    assert found(checked(scenario, quantity=quantity), "quantity").code == code


def test_servers_are_counted_as_their_gpus() -> None:
    """Two servers of four cover eight; without a word the usual eight a server are taken, and asked about."""
    assert found(checked(basis="server", quantity=2, gpus_in_server=4), "quantity").code == "covers"
    check = checked(basis="server", quantity=1)
    assert found(check, "quantity").code == "covers"
    assert not found(check, "server").is_stated


def test_delivery_is_held_against_the_deadline_and_what_is_reported() -> None:
    """The deadline is month 4; leads of 36 weeks (8 months) are reported for NVIDIA, none for AMD."""
    scenario = changed(SERVE, ("constraints", "deadline"), str(pd.Period(FACTS.edition.date, "M") + 4))
    assert found(checked(scenario, delivery_months=5), "delivery").code == "too-late"
    assert found(checked(scenario, delivery_months=4), "delivery").code == "faster-than-reported"
    assert found(checked(scenario, part="mi300x", delivery_months=4), "delivery").code == "in-time"
    assert found(checked(delivery_months=8), "delivery").code == "no-deadline"


def test_months_without_warranty_have_a_cost() -> None:
    """Horizon 36, delivered in month 6, 24 months of warranty: 6 left; 5 % of 300,000 a year makes 7,500."""
    assert uncovered_months(36, 6, 24) == 6
    assert support_usd(300_000, 0.05, 6) == pytest.approx(7_500)
    check = checked(basis="server", price=300_000.0, delivery_months=6, warranty_years=2.0)
    one = found(check, "warranty")
    assert (one.code, one.values["gap"]) == ("gap", 6)
    assert one.values["usd"] == pytest.approx(300_000 * SERVE.money.hardware_support_fraction / 2)
    assert not any(one.claim == "warranty" for one in checked(basis="rent").findings)


def test_a_part_of_the_buyers_own_confirms_nothing() -> None:
    """The buyer's statement is no evidence for the vendor's."""
    own = (OwnPart(name="Mine", memory_gib=100.0, fp8_dense_tflops=1000.0),)
    facts = with_own_parts(FACTS, own)
    quote = Quote(vendor="V", part="own-1", memory_gb=100.0, peaks=(ClaimedPeak(format="fp8", tflops=1000.0),))
    check = check_offer(facts, SERVE.model_copy(update={"own_parts": own}), quote)
    assert {one.code for one in check.stated} == {"own-part"}


def test_every_finding_has_its_words_in_both_languages() -> None:
    """Each code of each claim makes a sentence, a stated value and a name."""
    scenario = changed(changed(SERVE, ("constraints", "deadline"), "2027-03"), ("constraints", "gpus"), 8)
    offers: list[dict[str, Any]] = [
        {}, {"basis": "server", "quantity": 1, "gpus_in_server": 4, "price": 230_000.0, "warranty_years": 1.0},
        {"memory_gb": 96.0, "bandwidth_tbs": 1.0, "quantity": 40, "delivery_months": 9, "price": 1.0, "currency": "CNY"},
        {"memory_gb": 640.0, "bandwidth_tbs": 26.8, "quantity": 1, "delivery_months": 1, "price": 9e6, "date": "2026-01-01"},
        {"part": "h100-nvl", "memory_gb": 94.0, "price": 1.0, "quantity": 1, "valid_until": "2020-01-01", "warranty_years": 1.0},
        {"part": "mi400-series", "basis": "commit-3y", "memory_gb": 432.0, "price": 2.0, "date": "2027-01-01"},
    ]  # fmt: skip
    peaks: list[tuple[ClaimedPeak, ...]] = [
        (ClaimedPeak.model_validate({"format": word, "tflops": tflops, "kind": kind}),)
        for word, tflops in (("fp16", 989.0), ("fp16", 1979.0), ("fp4", 5.0), ("fp8", 15_830.0), ("tf32", 989.0), ("fp16", 1.0))
        for kind in ("unsaid", "dense", "sparse")
    ]  # fmt: skip
    for stated in [*offers, *({"peaks": each} for each in peaks)]:
        check = check_offer(FACTS, scenario, offered(**stated))
        for language in (EN, ZH):
            for one in check.findings:
                said = offer_words.said(one, language)
                assert said.name
                assert said.stated
                assert said.against
                assert "None" not in " ".join((said.against, said.ask, said.short))
            assert offer.answer(check, language)
            assert not offer.table(check, FACTS, language).isna().any().any()


def test_a_used_offer_is_the_price_that_everything_is_computed_with() -> None:
    """The candidate of its part and way has its price, its delivery, and is named after it."""
    quote = offered(basis="server", price=200_000.0, delivery_months=4)
    scenario = use(FACTS, with_quote(SERVE, quote), quote)
    assert len(scenario.candidates) == len(SERVE.candidates)
    one = scenario.candidates[1]
    assert (one.accelerator, one.server_price_usd, one.delivery_months, one.price_source) == (
        "h100-sxm",
        200_000.0,
        4,
        "own",
    )
    assert quote_behind(FACTS, scenario, one) == quote
    assert quote_behind(FACTS, scenario, scenario.candidates[0]) is None
    assert quote_behind(FACTS, with_candidate(scenario, 1, {"server_price_usd": 200_001.0}), one) == quote
    rented = offered(basis="rent", price=2.0)
    more = use(FACTS, with_quote(scenario, rented), rented)
    assert more.candidates[-1].rent_usd_per_gpu_hour == 2.0
    assert len(more.candidates) == len(SERVE.candidates) + 1
    assert use(FACTS, more, rented) == more


def test_an_offer_that_the_pages_cannot_compute_with_says_why() -> None:
    """No price; a server of another size than the one whose costs are known."""
    assert why_not(FACTS, offered()) == "no-price"
    quote = offered(basis="server", price=100_000.0, gpus_in_server=4)
    assert why_not(FACTS, quote) == "other-server"
    with pytest.raises(InputError, match="other-server"):
        use(FACTS, SERVE, quote)


@given(
    price=st.floats(120_000, 600_000),
    less=st.floats(0.3, 0.99),
    part=st.sampled_from(["h100-sxm", "h200-sxm", "mi325x"]),
)
@settings(max_examples=12, deadline=None)
def test_a_cheaper_offer_never_worsens_the_rank(price: float, less: float, part: str) -> None:
    """Neither in the recommendation nor by net present value, also against the catalogue's prices of the others."""

    def ranks(usd: float) -> tuple[int, int]:
        quote = offered(part=part, basis="server", price=round(usd, 2))
        order = recommend(FACTS, use(FACTS, SERVE, quote)).assessments
        place = next(at for at, one in enumerate(order) if one.candidate.accelerator == part)
        ours = order[place].cost.npv_usd or 0.0
        return place, sum((one.cost.npv_usd or 0.0) < ours for one in order)

    dear, cheap = ranks(price), ranks(price * less)
    assert cheap[0] <= dear[0]
    assert cheap[1] <= dear[1]


def test_an_own_price_can_win() -> None:
    """The first of the preset at 200,000 USD a server instead of the catalogue's price stays the first."""
    first = recommend(FACTS, SERVE).assessments[0].candidate.accelerator
    quote = offered(part=first, basis="server", price=200_000.0)
    winner = recommend(FACTS, use(FACTS, SERVE, quote)).winner
    assert winner is not None
    assert (winner.candidate.accelerator, winner.candidate.price_source) == (first, "own")
