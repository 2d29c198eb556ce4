"""What the articles print about money comes out, or is shown not to, from their own inputs."""

import pytest

from lib import catalog
from lib.choice import presets
from lib.choice.article_costs import ArticleCost, article_costs, equal_cost_for_saving_usd
from lib.choice.fleet_costs import costed_all
from lib.errors import InputError

FACTS = catalog.load()
ROWS = article_costs(FACTS)


def row(name: str) -> ArticleCost:
    """The one row of that name."""
    (found,) = (one for one in ROWS if one.name == name)
    return found


@pytest.mark.parametrize(
    ("part", "gpus", "usd_per_month"),
    [("mi355x", 4, 5636), ("b300-sxm", 4, 16076), ("h200-sxm", 8, 18232), ("h200-sxm", 2, 4558),
     ("rtx-pro-6000-blackwell-server", 2, 1918)],
)  # fmt: skip
def test_article_a3_s_months_come_out(part: str, gpus: int, usd_per_month: float) -> None:
    """Article A3's table through the cash flow of a rental at the price rows of the edition, to the cent."""
    found = next(one for one in ROWS if (one.name, one.part, one.values.get("gpus")) == ("month", part, gpus))
    assert found.ours == pytest.approx((usd_per_month, usd_per_month), abs=0.005)
    assert found.printed == (usd_per_month, usd_per_month)
    assert found.verdict == "reproduced"


def test_article_a0_s_cost_of_a_gb_follows_from_its_saving() -> None:
    """0.86 x 640 GB / 1,536 GB is 35.8 %, printed as 36 %: half a per cent of rounding."""
    found = row("gb-year-ratio")
    assert found.ours == pytest.approx((0.86 * 640 / 1536,) * 2, rel=1e-12)
    assert found.verdict == "reproduced"


def test_article_a0_s_fourteen_per_cent_is_not_reproducible() -> None:
    """Its table is lost; at its own prices 14 % needs 531,429 USD of other cost, equal for both servers."""
    found = row("three-years")
    assert found.verdict == "not-reproducible"
    amd, nvidia, other = 8 * 16_500, 8 * 30_000, found.values["needed_usd"]
    assert other == pytest.approx(531_428.57, abs=0.01)
    assert (amd + other) / (nvidia + other) == pytest.approx(0.86, rel=1e-12)
    assert found.ours is not None
    least, most = found.ours
    assert least < found.values["base"] < most < 0.14


def test_article_a1_s_performance_per_dollar_is_not_what_was_measured() -> None:
    """41 to 66 % ask for 0.94 to 1.11 times the work of an H200; MLPerf v4.1 has 23,514.8 / 32,124.3 at best, +10 %."""
    found = row("per-dollar")
    assert found.verdict == "contradicted"
    assert (found.values["needed_low"], found.values["needed_high"]) == pytest.approx((0.94, 1.66 * 2 / 3))
    assert found.ours is not None
    least, most = found.ours
    assert least <= 23_514.8 / 32_124.3 * 30_000 / 20_000 - 1 <= most < 0.41
    assert "v4.1" in found.values["rounds"]


def test_article_a2_s_four_dollars_come_out_of_the_library_and_of_its_preset() -> None:
    """500,000 tokens an hour at 2 USD: 4.00 USD a million, through the unit costs and through the scenario."""
    found = row("million-tokens")
    assert found.ours == pytest.approx((4.0, 4.0), rel=1e-12)
    (one,) = costed_all(FACTS, presets.preset(FACTS, "token-price"))
    assert one.unit is not None
    assert one.unit.million_output_tokens_usd == pytest.approx((4.0, 4.0), abs=1e-9)


def test_every_statement_names_its_article_and_its_inputs() -> None:
    """The article is a source of the edition, and nothing comes out of nothing."""
    for one in ROWS:
        assert one.article in FACTS.sources
        assert one.inputs
        assert all(part in FACTS.accelerators for part in (one.part, one.other) if part)


def test_a_saving_of_nothing_has_no_answer() -> None:
    """The message names the field."""
    with pytest.raises(InputError, match=r"saving is 0\.0; allowed: above 0"):
        equal_cost_for_saving_usd(1.0, 2.0, 0.0)
