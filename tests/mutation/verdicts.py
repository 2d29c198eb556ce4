"""What a run of mutmut leaves behind, held against the list of mutants that are known to survive.

The list is `tests/mutation/survivors.csv`: module, function, mutant (the lines before and after), and why no test fails.
A survivor that is not in the list fails the run: write a test for it, or a row with its reason.
"""

import csv
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = ROOT / "tests" / "mutation" / "survivors.csv"
MODULES: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]["only_mutate"]
LARGEST_SHARE: Final = 0.10
"""Share of all mutants that may survive."""
SURVIVED: Final = frozenset({"survived", "no tests"})
UNDECIDED: Final = frozenset({"not checked", "check was interrupted by user", "skipped"})
KINDS: Final = frozenset({"equivalent", "message", "open"})
"""No result differs; only words that a reader reads differ; a result differs and no test says so yet."""


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """One change of one function: the lines it takes away, an arrow, the lines it puts there."""

    module: str
    function: str
    change: str


def listed(path: Path = LIST) -> dict[Mutant, str]:
    """The known survivors and their kind."""
    with path.open(encoding="utf-8", newline="") as file:
        return {Mutant(row["module"], row["function"], row["mutant"]): row["kind"] for row in csv.DictReader(file)}


def one_line(diff: str) -> str:
    r"""A unified diff as one line.

    >>> one_line("--- a\n+++ a\n@@ -1 +1 @@\n def f(x):\n-    return x * 2\n+    return x / 2")
    'return x * 2 -> return x / 2'
    """
    lines = [line for line in diff.splitlines() if line[:3] not in ("---", "+++")]
    before, after = (" ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return f"{before} -> {after}"


def complaints(verdicts: Sequence[tuple[Mutant, str]], known: Iterable[Mutant]) -> list[str]:
    """What keeps a run from passing: undecided mutants, survivors without a row, rows without a survivor, too many."""
    surviving = [mutant for mutant, verdict in verdicts if verdict in SURVIVED]
    survivors = set(surviving)
    undecided = sum(verdict in UNDECIDED for _, verdict in verdicts)
    found = [f"{undecided} mutants were not tried: run it again"] if undecided else []
    found += [f"survives and is not listed: {','.join(_row(one))}" for one in sorted(survivors - set(known))]
    found += [f"is listed and does not survive: {','.join(_row(one))}" for one in sorted(set(known) - survivors)]
    if len(surviving) > LARGEST_SHARE * len(verdicts):
        found.append(f"{len(surviving)} of {len(verdicts)} mutants survive, more than {LARGEST_SHARE:.0%}")
    return found


def _row(mutant: Mutant) -> tuple[str, str, str]:
    return mutant.module, mutant.function, mutant.change


def of_the_run() -> list[tuple[Mutant, str]]:
    """Every mutant of the last run in the folder `mutants`, and what became of it."""
    # The tool is installed for `make mutation` alone, and every other run reads this file too.
    from mutmut.mutation.data import SourceFileMutationData
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key

    found = []
    for module in MODULES:
        data = SourceFileMutationData(path=module)
        data.load()
        for key, code in data.exit_code_by_key.items():
            function, owner = orig_function_and_class_names_from_key(key)
            name = f"{owner}.{function}" if owner else function
            verdict = status_by_exit_code[code]
            change = one_line(get_diff_for_mutant(key, path=module)) if verdict in SURVIVED else key
            found.append((Mutant(module, name, change), verdict))
    return found


def main() -> int:
    """Print the figures of each module and what is wrong; 1 when something is."""
    run = of_the_run()
    count = Counter((mutant.module, verdict in SURVIVED) for mutant, verdict in run)
    lines = [f"{module:40}{count[module, True] + count[module, False]:8}{count[module, True]:10}" for module in MODULES]
    survived = sum(verdict in SURVIVED for _, verdict in run)
    total = f"{'all':40}{len(run):8}{survived:10}  {survived / max(len(run), 1):.1%}"
    wrong = complaints(run, listed())
    sys.stdout.write("\n".join([f"{'module':40}{'mutants':>8}{'survived':>10}", *lines, total, *wrong, ""]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
