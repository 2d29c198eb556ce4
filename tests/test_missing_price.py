"""Where there is no price to start from, it is said what is listed, how much a default needs, and what to do."""

import json
from dataclasses import replace
from datetime import date

import pytest

from lib import catalog
from lib.__main__ import main
from lib.choice import link, presets
from lib.choice.scenario import changed
from lib.cost.defaults import option_for
from lib.cost.options import Acquisition
from lib.present import doubts
from lib.present.text import words
from lib.records import Price

FACTS = catalog.load()
DAY = date(2026, 11, 30)


def row(low: float, as_of: str, provider: str, acquisition: Acquisition = "rent", quality: str = "dated-list") -> Price:
    """A list price of an H20, of which no rent is listed."""
    kind, basis, term = {
        "buy": ("purchase", "per GPU", None),
        "rent": ("on-demand", "per GPU-hour", None),
        "commit-3y": ("reserved", "per GPU-hour", 36),
    }[acquisition]
    like = next(one for one in FACTS.prices if one.quality == "dated-list")
    return replace(
        like, price_id=f"h20-{provider}-{as_of}", accelerator_id="h20", kind=kind, basis=basis, term_months=term, low=low,
        high=low, currency="USD", provider=provider, as_of=as_of, quality=quality,
    )  # fmt: skip


def said(*rows: Price, acquisition: Acquisition = "rent", price_source: str = "catalogue", language: str = "en") -> str:
    """Why eight H20 have no cost beside these rows."""
    found = option_for(
        FACTS.accelerator("h20"),
        acquisition,
        8,
        FACTS.assumptions,
        [*FACTS.prices, *rows],
        DAY,
        price_source=price_source,
    )
    assert found.option is None
    assert found.why is not None
    return doubts.sentence(found.why, words(language))


@pytest.mark.parametrize(
    ("rows", "acquisition", "expected"),
    [
        ((), "rent", "No dated list price to rent this part for this term is known, and a default needs 3"),
        ((row(1.9, "2026-10-01", "Acme"),), "rent", "1 dated list price to rent this part for this term is known, 1.9"),
        (
            (row(1.9, "2026-10-01", "Acme"),),
            "rent",
            "USD per GPU-hour (Acme, 2026-10-01). 1 of them is of the last nine",
        ),
        (
            (row(1.9, "2026-10-01", "Acme"), row(2.4, "2025-01-10", "Bolt", quality="old-list")),
            "rent",
            "2 dated list prices to rent this part for this term are known, 1.9–2.4 USD per GPU-hour (Acme and Bolt, "
            "2025-01-10 – 2026-10-01). 1 of them is of the last nine months, and a default needs 3: type a price",
        ),
        (
            (row(14_000, "2026-09", "Acme", "buy"), row(15_000, "2026-10", "Bolt", "buy")),
            "buy",
            "2 dated list prices to buy this part are known, 14,000–15,000 USD per GPU (Acme and Bolt, 2026-09 – 2026-10). 2 "
            "of them are of the last nine months",
        ),
        (
            (row(1.2, "2026-10-01", "Acme", "commit-3y"),),
            "commit-3y",
            "1 dated list price to rent this part for this term",
        ),
    ],
)
def test_what_is_listed_is_said_with_its_range_date_and_provider(
    rows: tuple[Price, ...], acquisition: Acquisition, expected: str
) -> None:
    """The counts are those of the planted rows; later and undated rows are not counted."""
    undated = (row(9.0, "", "Nobody", acquisition), row(9.0, "2027-01-01", "Nobody", acquisition))
    assert expected in said(*rows, *undated, acquisition=acquisition)


def test_the_shell_says_what_pages_and_workbook_say(capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence: the shell's is that of the pages, without the marks that keep Markdown from reading it."""
    rented = changed(
        presets.preset(FACTS, "serve-70b"), ("candidates",), ({"accelerator": "h20", "acquisition": "rent", "gpus": 8},)
    )
    assert main(["cost", link.encode(rented)]) == 0
    (option,) = json.loads(capsys.readouterr().out)["options"]
    assert option["problem"] == "no-rental-price"
    assert option["problem_says"] == said().replace("\\", "")


def test_an_own_or_an_articles_price_that_is_missing_says_so() -> None:
    """The lists are beside the point where another price was asked for."""
    assert "your own and none is stated yet" in said(price_source="own")
    assert "Article A3 states no price" in said(price_source="article-a3")


def test_three_recent_rows_are_a_default_and_need_no_words() -> None:
    """The third row makes the option."""
    rows = [row(usd, "2026-10-01", name) for usd, name in ((1.9, "Acme"), (2.0, "Bolt"), (2.1, "Coil"))]
    found = option_for(FACTS.accelerator("h20"), "rent", 8, FACTS.assumptions, [*FACTS.prices, *rows], DAY)
    assert found.why is None
    assert found.option is not None
    assert found.option.rent_usd_per_gpu_hour == 2.0
