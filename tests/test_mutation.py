"""The list of surviving mutants says what it must, and a run that differs from it fails."""

import ast
import csv
import tomllib
from pathlib import Path

import pytest

from tests.mutation import verdicts
from tests.mutation.verdicts import Mutant

ROOT = Path(__file__).resolve().parents[1]
MUTATED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
DOUBLED = Mutant("lib/cost/resale.py", "f", "return x * 2 -> return x / 2")
DIFFERENT = Mutant("lib/cost/resale.py", "f", "return x * 2 -> return x * 3")


def rows() -> list[dict[str, str]]:
    """The rows of the list."""
    with verdicts.LIST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def functions(module: str) -> set[str]:
    """The functions of a module, methods with their class before them."""
    tree = ast.parse((ROOT / module).read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        found |= {node.name} if isinstance(node, ast.FunctionDef) else set()
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return found


def test_what_is_mutated_is_there() -> None:
    """Each module and each test file named for mutation exists, once, and the modules are kernels of sizing and cost."""
    modules, files = MUTATED["only_mutate"], MUTATED["pytest_add_cli_args_test_selection"]
    for names in (modules, files):
        assert len(names) == len(set(names))
        assert all((ROOT / name).is_file() for name in names)
    assert all(name.startswith(("lib/sizing/", "lib/cost/")) for name in modules)


def test_each_survivor_is_one_change_of_code_that_stands() -> None:
    """A row names a mutated module, a function of it, and lines of it; none stands twice; each gives its reason."""
    for row in rows():
        assert row["module"] in verdicts.MODULES, row
        assert row["function"] in functions(row["module"]), row
        before, arrow, _ = row["mutant"].partition(" -> ")
        text = " ".join((ROOT / row["module"]).read_text(encoding="utf-8").split())
        assert arrow, row
        assert " ".join(before.split()) in text, row
        assert row["kind"] in verdicts.KINDS, row
        assert row["why"].strip(), row
    assert len(verdicts.listed()) == len(rows())


@pytest.mark.parametrize(
    ("run", "known", "complaint"),
    [
        ([(DOUBLED, "survived"), *[(DIFFERENT, "killed")] * 20], [], "survives and is not listed: lib/cost/resale.py"),
        ([(DOUBLED, "no tests"), *[(DIFFERENT, "killed")] * 20], [], "survives and is not listed: lib/cost/resale.py"),
        ([(DOUBLED, "killed")], [DOUBLED], "is listed and does not survive"),
        ([(DOUBLED, "not checked")], [], "1 mutants were not tried"),
        ([(DOUBLED, "survived"), (DIFFERENT, "killed")], [DOUBLED], "1 of 2 mutants survive, more than 10%"),
    ],
)
def test_a_run_that_differs_from_the_list_fails(
    run: list[tuple[Mutant, str]], known: list[Mutant], complaint: str
) -> None:
    """A new survivor, a row that no longer holds, a mutant not tried and too many survivors are each said."""
    assert complaint in "\n".join(verdicts.complaints(run, known))


def test_a_run_as_listed_passes() -> None:
    """One listed survivor among ten that are killed is no complaint."""
    run = [(DOUBLED, "survived"), *[(DIFFERENT, "killed")] * 9]
    assert verdicts.complaints(run, [DOUBLED]) == []
