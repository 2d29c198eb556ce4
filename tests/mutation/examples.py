"""The worked examples in the docstrings of the mutated modules, as tests that mutmut can choose from.

`pytest` runs the examples by itself. In a mutated module it would find each of them once for every mutant, for mutants
carry the docstring of their function; here each is found once, by the name of the function.
"""

import ast
import doctest
import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]["only_mutate"]


def named(module: str) -> list[str]:
    """The functions and classes of a module that have an example."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and "__mutmut_" not in node.name
        and ">>>" in (ast.get_docstring(node) or "")
    ]


@pytest.mark.parametrize(
    ("module", "name"),
    [(module.removesuffix(".py").replace("/", "."), name) for module in MODULES for name in named(module)],
)
def test_the_example_gives_what_it_says(module: str, name: str) -> None:
    """The example in a docstring gives the printed result."""
    loaded: Any = importlib.import_module(module)
    found = doctest.DocTestFinder(recurse=False).find(getattr(loaded, name), name, loaded, vars(loaded))
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found
    for one in found:
        runner.run(one)
    assert not runner.failures
