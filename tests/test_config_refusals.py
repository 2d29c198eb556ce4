"""A refused config.json is a code with its values, which each language words and the shell says in English."""

import ast
import json
import string
from pathlib import Path

import pytest

from lib.choice.custom_model import custom_workload
from lib.choice.scenario import Workload
from lib.errors import REFUSALS, ConfigError, Refusal
from lib.present.refusals import clause
from lib.present.text import words

ROOT = Path(__file__).resolve().parent.parent


def raised() -> list[tuple[str, frozenset[str]]]:
    """Every code with the names of the values that come with it, wherever a config is refused."""
    found = []
    for path in ROOT.glob("lib/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "ConfigError":
                code = node.args[0]
                assert isinstance(code, ast.Constant)
                found.append((str(code.value), frozenset(one.arg or "" for one in node.keywords)))
    return found


RAISED = raised()


def test_every_refusal_has_a_sentence_and_every_sentence_a_refusal() -> None:
    """The codes raised are the codes worded, and each brings the values that its sentence names."""
    assert {code for code, _names in RAISED} == set(REFUSALS)
    for code, names in RAISED:
        placeholders = {name for _text, name, _form, _turn in string.Formatter().parse(REFUSALS[code]) if name}
        assert names == placeholders, code


@pytest.mark.parametrize(
    ("config", "code", "english"),
    [
        ({"model_type": "llama"}, "missing", "num_hidden_layers is missing"),
        ({"model_type": ["llama"]}, "not-short-text", "model_type is a list; a short text is needed"),
        ([1], "no-object", "a config.json is an object"),
    ],
)
def test_one_refusal_reads_in_both_languages(config: object, code: str, english: str) -> None:
    """The exception speaks English for the shell; the page speaks the reader's language, names of keys as they are."""
    with pytest.raises(ConfigError) as caught:
        custom_workload(Workload(), json.dumps(config))
    refusal = caught.value.refusal
    assert (refusal.code, str(caught.value)) == (code, english)
    assert clause(refusal, words("en")).replace("\\", "") == english
    chinese = clause(refusal, words("zh"))
    assert any("一" <= sign <= "鿿" for sign in chinese)
    assert " is " not in chinese
    assert " list" not in chinese


def test_what_came_from_outside_is_escaped() -> None:
    """A key from a stranger's file cannot set a link in the page."""
    told = clause(Refusal("key-twice", {"key": "'[x](http://y)'"}), words("en"))
    assert "[x](" not in told
