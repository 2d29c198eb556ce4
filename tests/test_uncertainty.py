"""A scenario's candidates are drawn together, and the answer does not depend on what stands beside them."""

import pytest

from lib import catalog
from lib.choice.fleet_costs import costed_all
from lib.choice.presets import preset
from lib.choice.scenario import Scenario
from lib.choice.uncertainty import Uncertainty, tornado_between, uncertainty, uncertainty_of
from lib.cost.monte_carlo import Simulation
from lib.errors import InputError

FACTS = catalog.load()
DRAWS = 4_000


def drawn(preset_id: str, **change: object) -> tuple[Scenario, Uncertainty, Simulation]:
    """A preset's candidates drawn together."""
    scenario = preset(FACTS, preset_id)
    if change:
        scenario = scenario.model_copy(update={"money": scenario.money.model_copy(update=change)})
    found = uncertainty(FACTS, scenario, seed=1, draws=DRAWS)
    assert found.simulation is not None
    return scenario, found, found.simulation


@pytest.mark.parametrize("preset_id", sorted(FACTS.presets))
def test_every_preset_has_its_chances(preset_id: str) -> None:
    """Chances to be the cheapest add up to 1, pairs to 1, and the base lies within the least and the most."""
    _, found, simulation = drawn(preset_id)
    assert len(found.places) == len(simulation.options) == len(found.candidates)
    assert sum(simulation.cheapest) == pytest.approx(1.0, abs=1e-9)
    for row, one in enumerate(simulation.options):
        assert one.low_usd <= one.base_usd <= one.high_usd or one.base_usd == pytest.approx(one.low_usd)
        assert one.base_usd == pytest.approx(found.candidates[row].npv_usd, rel=1e-9)
        for column in range(len(simulation.options)):
            assert simulation.cheaper[row][column] + simulation.cheaper[column][row] == pytest.approx(1.0, abs=1e-9)


def test_the_order_of_candidates_changes_nothing() -> None:
    """Backwards the same costs come out, to the last digit but one."""
    scenario, _, forwards = drawn("serve-70b")
    backwards = uncertainty_of(costed_all(FACTS, scenario)[::-1], seed=1, draws=DRAWS).simulation
    assert backwards is not None
    for one, other in zip(forwards.options, backwards.options[::-1], strict=True):
        assert list(one.percentiles_usd.values()) == pytest.approx(list(other.percentiles_usd.values()), rel=1e-12)


def test_a_candidate_alone_has_the_costs_it_has_in_company() -> None:
    """Its own draws do not depend on the others."""
    scenario, _, together = drawn("serve-70b")
    alone = uncertainty_of(costed_all(FACTS, scenario)[:1], seed=1, draws=DRAWS).simulation
    assert alone is not None
    assert alone.options[0].percentiles_usd == together.options[0].percentiles_usd


def test_an_articles_price_is_not_set_against_the_catalogues() -> None:
    """Where candidates stand at both, those at an article's price are left out, by name of their place."""
    scenario, found, _ = drawn("llama-405b")
    articles = [place for place, one in enumerate(scenario.candidates) if one.price_source.startswith("article")]
    assert articles
    assert not set(articles) & set(found.places)
    assert [doubt.values["place"] for doubt in found.doubts if doubt.code == "other-price-source"] == articles


def test_articles_among_themselves_are_compared() -> None:
    """A preset wholly at an article's prices keeps its candidates, and says that single quotes have no range."""
    _, found, _ = drawn("mi355x-rent")
    assert found.places
    assert {doubt.code for doubt in found.doubts} == {"one-quote"}


def test_what_the_user_states_is_held_and_said() -> None:
    """A stated utilisation is no longer drawn; the doubt names it."""
    _, found, _ = drawn("serve-70b", utilisation=0.55)
    assert "utilisation" not in {one.field for one in found.drawn}
    assert ("utilisation", "stated") in {(one.field, one.held_because) for one in found.held}
    (doubt,) = [one for one in found.doubts if one.code == "user-values-held"]
    assert "utilisation" in doubt.values["fields"]


def test_candidates_without_a_cost_are_named() -> None:
    """A part without a price has no chance, and its place is given."""
    scenario, found, _ = drawn("knowledge-base")
    missing = [place for place, one in enumerate(costed_all(FACTS, scenario)) if one.option is None]
    assert missing
    assert [doubt.values["place"] for doubt in found.doubts if doubt.code == "no-cost"] == missing
    nothing = uncertainty_of([costed_all(FACTS, scenario)[place] for place in missing])
    assert nothing.simulation is None


def test_prices_that_move_together_make_the_gap_narrower() -> None:
    """With a common factor the difference of two purchases spreads less, for both prices rise at once."""
    scenario = preset(FACTS, "serve-70b")
    widths = []
    for correlation in (0.0, 0.8):
        simulation = uncertainty(FACTS, scenario, seed=1, draws=DRAWS, price_correlation=correlation).simulation
        assert simulation is not None
        (gap,) = [one for one in simulation.gaps if (one.first, one.second) == (0, 1)]
        widths.append(gap.percentiles_usd[95] - gap.percentiles_usd[5])
    assert widths[1] < widths[0]


def test_a_tornado_between_candidates_starts_from_their_difference() -> None:
    """The base of every bar is the difference of the two net present values, to 1e-9; without a cost it is refused."""
    first, second, *_ = costed_all(FACTS, preset(FACTS, "serve-70b"))
    found = tornado_between(first, second)
    assert first.npv_usd is not None
    assert second.npv_usd is not None
    assert found.bars[0].bar.base_usd == pytest.approx(first.npv_usd - second.npv_usd, rel=1e-9)
    (missing,) = [one for one in costed_all(FACTS, preset(FACTS, "knowledge-base")) if one.option is None]
    with pytest.raises(InputError, match="a candidate with a cost"):
        tornado_between(missing, None)
