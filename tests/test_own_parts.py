"""A part that the buyer states: compared everywhere, marked, and refused where it cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.costed import Costed, costed
from lib.choice.energy_use import energy_of
from lib.choice.own_parts import add_part, own_id, with_own_parts, without_parts
from lib.choice.scenario import OwnPart, Scenario, changed
from lib.choice.sized import sized
from lib.errors import InputError
from lib.present import doubts
from lib.present.text import words

SHELL = str(Path(__file__).resolve().parent.parent / "lib" / "ui" / "shell.py")
PAGES = ("start", "specs", "memory", "benchmarks", "cost", "recommend", "sources")
FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b", "en")


def like(part_id: str, **changes: Any) -> OwnPart:
    """An own part with the memory of one of the catalogue."""
    part = FACTS.accelerator(part_id)
    return OwnPart(**{"name": "Mine", "memory_gib": part.memory_usable_gib, "gpus_per_node": 8, **changes})


def opened(scenario: Scenario, page: str) -> AppTest:
    """A page of a visitor with a link to the scenario."""
    at = AppTest.from_file(SHELL, default_timeout=60)
    at.query_params["s"] = link.encode(scenario)
    at.switch_page(f"../../pages/{page}.py").run()
    return at


def test_a_part_with_the_memory_of_another_holds_what_that_one_holds() -> None:
    """Fewest GPUs and longest context follow from the memory alone."""
    scenario = add_part(SERVE, like("mi300x"))
    facts = with_own_parts(FACTS, scenario.own_parts)
    mine, known = (
        sized(facts, scenario.workload, scenario.engine, facts.accelerator(name)) for name in (own_id(0), "mi300x")
    )
    assert (mine.gpus, mine.longest_context, mine.most_sequences) == (
        known.gpus, known.longest_context, known.most_sequences,
    )  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_with_an_own_part(page: str) -> None:
    """Nothing of it but its memory is known: no page stumbles over the rest."""
    at = opened(add_part(SERVE, like("h200-sxm"), 30_000.0), page)
    assert not at.exception
    assert not at.error


def test_the_memory_page_shows_it_and_says_whose_figure_it_is() -> None:
    """In the answer, in the bars and in the caption."""
    at = opened(add_part(SERVE, like("h200-sxm")), "memory")
    texts = " ".join(str(one.value) for one in (*at.main.markdown, *at.main.caption))
    assert "Mine" in str(at.main.markdown[0].value)
    assert "Mine: as you stated it" in texts
    assert "Mine" in json.dumps(json.loads(at.get("plotly_chart")[0].proto.spec))


def bought(part: OwnPart, acquisition: str = "buy") -> Costed:
    """The costs of eight of an own part at 30,000 USD, or at 2 USD an hour."""
    scenario = add_part(SERVE, part, 30_000.0)
    own = scenario.candidates[-1].model_copy(update={"acquisition": acquisition, "gpus": 8})
    if acquisition == "rent":
        own = own.model_copy(update={"gpu_price_usd": None, "rent_usd_per_gpu_hour": 2.0})
    facts = with_own_parts(FACTS, scenario.own_parts)
    return costed(facts, scenario.workload, scenario.engine, scenario.money, own)


def test_a_bought_part_draws_what_its_server_is_said_to_draw() -> None:
    """7.5 kW at work as stated, and idle the share of the assumptions; nobody's estimate is told of the stated figure."""
    one = bought(like("mi300x", server_power_kw=7.5))
    assert one.option is not None
    assert one.defaults is not None
    assert one.option.load_kw_per_server == 7.5
    assert one.defaults.origins["load_kw_per_server"].kind == "user"
    assert one.option.idle_kw_per_server == pytest.approx(7.5 * (FACTS.assumption("pow-node-idle-share").base or 0))
    assert [doubt.values["assumption"] for doubt in one.defaults.doubts if doubt.code == "estimated-power"] == [
        "pow-node-idle-share"
    ]


def test_a_bought_part_without_its_servers_power_is_estimated_from_its_rated_power() -> None:
    """8 x (1.0 kW + what a server draws beside it), marked as an estimate, and never nothing."""
    one = bought(like("mi300x", tdp_w=1000.0))
    beyond = FACTS.assumption("pow-node-over-rated").base or 0
    assert one.option is not None
    assert one.defaults is not None
    assert one.option.load_kw_per_server == pytest.approx(8 * (1.0 + beyond))
    assert one.defaults.origins["load_kw_per_server"].kind == "estimate"
    assert "estimated-power" in {doubt.code for doubt in one.defaults.doubts}


def test_a_bought_part_of_which_no_power_is_known_says_where_to_state_it() -> None:
    """No cost and a sentence, in both languages, that names both figures."""
    one = bought(like("mi300x"))
    assert one.option is None
    assert one.problem is not None
    assert one.problem.code == "no-node-power"
    assert "state one of the two with a part of your own" in doubts.sentence(one.problem, words("en"))


@pytest.mark.parametrize(("power", "kw"), [({"server_power_kw": 7.5}, 7.5), ({"tdp_w": 1000.0}, 10.72), ({}, None)])
def test_a_rented_part_has_the_energy_of_such_a_server(power: dict[str, float], kw: float | None) -> None:
    """Utilisation x load + rest x idle at the stated or the estimated power of a server of eight; else nothing is said."""
    one = bought(like("mi300x", **power), "rent")
    assert one.option is not None
    found = energy_of(with_own_parts(FACTS, (like("mi300x", **power),)), one)
    if kw is None:
        assert found.use is None
        return
    assert found.use is not None
    busy = SERVE.money.utilisation
    idle = kw * (FACTS.assumption("pow-node-idle-share").base or 0)
    assert found.use.average_kw == pytest.approx(busy * kw + (1 - busy) * idle, rel=1e-9)


def test_the_form_takes_the_power_of_a_server() -> None:
    """What is typed travels in the link, and a link of a part without it is as long as before."""
    at = opened(changed(SERVE, ("view", "memory_section"), "own-part"), "memory")
    at.text_input(key="own_part.name").set_value("Mine")
    at.number_input(key="own_part.memory_gib").set_value(192.0)
    at.number_input(key="own_part.server_power_kw").set_value(7.5)
    next(button for button in at.button if button.label == "Compare this part").click().run()
    assert not at.exception
    token = at.query_params["s"]
    (part,) = link.decode(token if isinstance(token, str) else token[0]).own_parts
    assert part.server_power_kw == 7.5
    assert "server_power_kw" not in like("mi300x").model_dump_json()
    assert link.decode(link.encode(add_part(SERVE, like("mi300x")))).own_parts[0].server_power_kw is None


def test_the_edition_keys_what_does_not_depend_on_own_parts() -> None:
    """The catalogue with own parts is one object for one statement, and knows the one it came from."""
    own = (like("mi300x"),)
    assert with_own_parts(FACTS, own) is with_own_parts(FACTS, (like("mi300x"),))
    assert with_own_parts(FACTS, own).published is FACTS
    assert with_own_parts(FACTS, ()) is FACTS


@pytest.mark.parametrize("name", ["", " x", "a<b>", "**a**", "a_b", "=1", "[x](y)", "a`b", "x" * 31, "a\u202eb"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    """Letters and digits alone begin it; nothing in it can be Markdown, HTML or a formula."""
    with pytest.raises(ValidationError):
        like("mi300x", name=name)


def test_there_is_room_for_two_and_they_can_be_taken_away() -> None:
    """A third is refused with the way out; without own parts the other candidates are as they were."""
    two = add_part(add_part(SERVE, like("mi300x")), like("mi300x", name="Other"))
    with pytest.raises(InputError, match="remove one first"):
        add_part(two, like("mi300x", name="Third"))
    assert without_parts(two) == SERVE


def test_a_link_that_names_an_own_part_it_does_not_state_is_refused() -> None:
    """It opens with the reason and the defaults."""
    scenario = add_part(SERVE, like("mi300x")).model_copy(update={"own_parts": ()})
    at = opened(scenario, "memory")
    assert not at.exception
    assert "own\\-1" in at.error[0].value
