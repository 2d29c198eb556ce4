"""What is refused is said in the reader's language, and says what would have been right."""

import copy
import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from lib import catalog
from lib.choice import link, presets
from lib.choice.link import RULES, LinkError
from lib.choice.own_parts import add_part
from lib.choice.quotes import FORMAT_TWICE, NO_SUCH_DAY, Quote
from lib.choice.scenario import CUSTOM_MODEL, NO_CONFIG, PART_TWICE, OwnPart, Scenario, changed
from lib.choice.scenario_file import ScenarioFileError, read, written
from lib.present import offer, problems, scenario_file
from lib.present.text import words

FACTS = catalog.load()
SERVE = presets.preset(FACTS, "serve-70b")
FIELDS = SERVE.model_dump(mode="json")
PYDANTIC = re.compile(r"Input should|Unable to|Tuple|String should|Value error|validation|permitted|pattern '")

WRONG: tuple[tuple[str, Any, str], ...] = (
    ("version", 0, "1"), ("version", "1", "1"),
    ("workloads", [], "1 or more entries"), ("workloads", [FIELDS["workloads"][0]] * 4, "at most 3 entries"),
    ("workloads", "x", "a list"), ("candidates.0", 7, "a group of fields"),
    ("candidates.0.accelerator", "a b", "a name of letters, digits and hyphens"),
    ("candidates.0.accelerator", 5, "text"), ("candidates.0.gpus", "8", "a whole number, 1 – 100,000"),
    ("candidates.0.gpus", 1.5, "a whole number, 1 – 100,000"), ("candidates.0.gpus", 10**400, "1 – 100,000"),
    ("money.discount_rate", "x", "a number, 0 – 0.5"), ("money.discount_rate", True, "a number, 0 – 0.5"),
    ("title", "x" * 99, "at most 80 characters"), ("title", "a\n", "can be shown"),
    ("constraints.deadline", "2027-13", "a month written as"), ("constraints.software", ["a"] * 30, "at most 20 entries"),
    ("constraints.budget_by_year", [-1], "0 – 1,000,000,000,000"), ("constraints.budget_usd", 0, "above 0, at most"),
    ("engine.online_quantization", "yes", "yes or no"), ("edition", "ZZ", "a name of letters, digits and hyphens"),
    ("preference", {"metric": "x"}, "million-tokens"), ("foo", 1, "there is no field"),
    ("quotes", [{"vendor": "=", "part": "x"}], "1 to 40 letters"),
    ("quotes", [{"vendor": "a", "part": "x", "price": 0}], "above 0, at most 1,000,000,000"),
    ("quotes", [{"vendor": "a", "part": "x", "date": "2026-02-30"}], "no such day from 2000 to 2100"),
    ("quotes", [{"vendor": "a", "part": "x", "peaks": [{"format": "fp8", "tflops": 1}] * 2}], "a format stands twice"),
    ("candidates", [FIELDS["candidates"][0]] * 2, "a part stands twice"),
    ("workloads.0.model", "custom", "a custom model needs its config"),
)  # fmt: skip


def refused(path: str, value: Any) -> LinkError:
    """What a link with this value in this field raises."""
    data = copy.deepcopy(FIELDS)
    target: Any = data
    *above, last = (int(step) if step.isdigit() else step for step in path.split("."))
    for step in above:
        target = target[step]
    target[last] = value
    with pytest.raises(ValidationError) as caught:
        Scenario.model_validate_json(json.dumps(data))
    return link.field_error(caught.value)


@pytest.mark.parametrize(("path", "value", "told"), WRONG)
def test_a_wrong_field_is_refused_in_our_own_words(path: str, value: Any, told: str) -> None:
    """Of links, edits, files and offers alike; never the words of the library that validates."""
    problem = refused(path, value)
    texts = [
        show(problem, words(language)).replace("\\", "")
        for language in ("en", "zh")
        for show in (problems.reason, problems.sentence, scenario_file.problem_of, offer.refused)
    ]
    texts += [problems.sentence(problem.of_edit, words(language)).replace("\\", "") for language in ("en", "zh")]
    assert told in texts[0]
    assert not any(PYDANTIC.search(text) for text in texts)


@pytest.mark.parametrize(("path", "value"), [one[:2] for one in WRONG if one[0] != "foo"])
def test_a_wrong_field_is_refused_in_chinese(path: str, value: Any) -> None:
    """No English clause stands in the Chinese one: no three words in Latin letters follow each other."""
    problem = refused(path, value)
    text = (
        problems.allowed(problem, words("zh"))
        if problem.code == "field"
        else problems.rule(problem.allowed, words("zh"))
    )
    assert not re.search(r"(?:[A-Za-z]+ ){2}[A-Za-z]+", text), text


def test_an_unknown_complaint_is_a_general_sentence() -> None:
    """A later library may complain of something else: its text is not shown."""
    with pytest.raises(ValidationError) as caught:
        Quote.model_validate_json("[")
    assert caught.value.errors()[0]["type"] not in RULES
    for language in ("en", "zh"):
        assert not PYDANTIC.search(problems.reason(link.field_error(caught.value), words(language)))
        assert problems.rule("Input should be nicer", words(language)) == problems.rule("", words(language))


def test_every_rule_of_a_record_has_its_sentence() -> None:
    """None falls back to the general one."""
    _ = words("en")
    told = {problems.rule(one, _) for one in (NO_SUCH_DAY, FORMAT_TWICE, PART_TWICE, NO_CONFIG, "")}
    assert len(told) == 5


def test_an_edit_against_a_rule_is_a_sentence() -> None:
    """A rule across fields has no value that could be named."""
    told = problems.sentence(refused("candidates", [FIELDS["candidates"][0]] * 2).of_edit, words("en"))
    assert told.startswith("This edit was not taken: a part stands twice")


def test_a_limit_that_is_excluded_is_said_to_be() -> None:
    """A price of 0 is refused, and the sentence does not allow it."""
    with pytest.raises(ValidationError) as caught:
        Quote(vendor="V", part="h100-sxm", price=-5.0)
    told = offer.refused(link.field_error(caught.value, ("quotes",)), words("en")).replace("\\", "")
    assert told.startswith("Price cannot be -5.0; allowed: above 0, at most 1,000,000,000.")


@pytest.mark.parametrize("path", [("quotes", 0, "price"), ("quotes", 0, "memory_gb"), ("own_parts", 0, "tdp_w")])
def test_numbers_that_must_be_above_zero_are_marked(path: tuple[str | int, ...]) -> None:
    """Without words, as the command line shows them."""
    assert link.allowed(path).startswith("> 0, ≤ ")


@pytest.mark.parametrize("bridge", ["h900", "own-1"])
def test_a_bridge_of_an_unknown_part_is_refused(bridge: str) -> None:
    """In a link as in a file; a part that the scenario states itself is known."""
    scenario = changed(SERVE, ("candidates", 0, "bridge_part"), bridge)
    with pytest.raises(LinkError) as caught:
        link.check_names(scenario, FACTS.accelerators, FACTS.models)
    found = (caught.value.code, caught.value.field, caught.value.value)
    assert found == ("unknown-name", "candidates.0.bridge_part", bridge)
    text = written(scenario, FACTS.edition.label).encode()
    with pytest.raises(ScenarioFileError) as of_file:
        read(text, FACTS.accelerators, FACTS.models)
    assert [one.field for one in of_file.value.problems] == ["candidates.0.bridge_part"]
    if bridge == "own-1":
        stated = add_part(scenario, OwnPart(name="Mine", memory_gib=100.0))
        assert read(written(stated, "").encode(), FACTS.accelerators, FACTS.models) == stated


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("{not json}", "not JSON"),
        ('{"model_type": "nobody"}', "not known"),
        (json.dumps({**dict(FACTS.models["llama-3.1-8b"].config or {}), "hidden_size": -1}), "hidden_size"),
    ],
)
def test_a_file_with_a_model_that_cannot_be_sized_is_refused(config: str, reason: str) -> None:
    """With the reason; a good config is taken."""
    scenario = changed(SERVE, ("workloads", 0, "config"), config)
    scenario = changed(scenario, ("workloads", 0, "model"), CUSTOM_MODEL)
    with pytest.raises(ScenarioFileError) as caught:
        read(written(scenario, FACTS.edition.label).encode(), FACTS.accelerators, FACTS.models)
    (problem,) = caught.value.problems
    assert (problem.code, problem.field) == ("config", "workloads.0.config")
    assert reason in scenario_file.refused([problem], words("en")).replace("\\", "")
    good = changed(scenario, ("workloads", 0, "config"), json.dumps(dict(FACTS.models["llama-3.1-8b"].config or {})))
    assert read(written(good, FACTS.edition.label).encode(), FACTS.accelerators, FACTS.models) == good
