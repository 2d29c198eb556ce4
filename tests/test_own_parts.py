"""A part that the buyer states: compared everywhere, marked, and refused where it cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from lib import catalog
from lib.choice import link, presets
from lib.choice.own_parts import add_part, own_id, with_own_parts, without_parts
from lib.choice.scenario import OwnPart, Scenario
from lib.choice.sized import sized
from lib.errors import InputError

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
