"""Every code that sizing and cost can doubt with has its sentence in both languages."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lib.present import doubts
from lib.present.text import words
from lib.records import Doubt
from lib.sizing.engines import ENGINES

ROOT = Path(__file__).resolve().parent.parent
ROOMS = [
    *sorted(ROOT.glob("lib/sizing/*.py")),
    *sorted(ROOT.glob("lib/cost/*.py")),
    ROOT / "lib/choice/sized.py",
    ROOT / "lib/choice/training_memory.py",
]
SAMPLES: dict[str, Any] = {"stages": (8, 9, 8), "reason": "a | reason", "task": "train", "short": True}


def texts(node: ast.expr, tree: ast.Module) -> Iterator[str]:
    """The texts that an expression may be: a constant, a choice, a variable, or a text with the engine's name in it."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body, tree)
        yield from texts(node.orelse, tree)
    elif isinstance(node, ast.Name):
        for found in ast.walk(tree):
            if isinstance(found, ast.Assign) and any(ast.unparse(one) == node.id for one in found.targets):
                yield from texts(found.value, tree)
    elif isinstance(node, ast.JoinedStr):
        start = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        yield from (start + engine for engine in ENGINES if not engine.startswith("vllm"))


def raised() -> dict[str, dict[str, Any]]:
    """Every code in the calculating rooms, with a sample of each value that comes with it."""
    found: dict[str, dict[str, Any]] = {}
    for path in ROOMS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Doubt":
                values = node.args[1]
                keys = (
                    [key.value for key in values.keys if isinstance(key, ast.Constant)]
                    if isinstance(values, ast.Dict)
                    else []
                )
                for code in texts(node.args[0], tree):
                    found.setdefault(code, {}).update({str(key): SAMPLES.get(str(key), 3) for key in keys})
    return found


RAISED = raised()


def test_codes_are_found() -> None:
    """The search sees codes from constants, choices, variables and engine names."""
    assert {"tight", "latent-replicated", "stages-by-hand", "estimate-sglang", "old-price", "config"} <= set(RAISED)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("code", sorted(RAISED))
def test_every_code_has_its_sentence(code: str, language: str) -> None:
    """A sentence with its figures, not the bare code, that ends as a sentence does."""
    text = doubts.sentence(Doubt(code, RAISED[code]), words(language))
    assert text != code
    assert text[-1] in ".。"
    assert "{" not in text


@pytest.mark.parametrize("short", [True, False])
def test_memory_outside_the_budget_says_whether_it_is_short(short: bool) -> None:
    """Two sentences for two cases, each with both figures."""
    text = doubts.sentence(Doubt("outside-budget", {"left_gib": 1.2, "wanted_gib": 2.5, "short": short}), words("en"))
    assert "1.20 GiB" in text
    assert "2.50 GiB" in text
    assert ("only" in text) == short


def test_words_from_outside_stay_words() -> None:
    """A reason that came from a file cannot become a link or a heading."""
    text = doubts.sentence(Doubt("config", {"reason": "model_type is '[x](http://y)'"}), words("en"))
    assert "](" not in text


def test_an_unknown_code_is_shown_as_it_is() -> None:
    """A page never fails on a doubt that nobody has put into words."""
    assert doubts.sentence(Doubt("never-seen", {}), words("en")) == "never-seen"
