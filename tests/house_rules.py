"""The rules of the house as functions: each takes the root of a tree and returns its violations, one line each.

test_structure.py applies them to the project and shows that each can fail.
"""

import ast
import csv
import re
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po

ROOMS = (
    ("lib.units", "lib.errors"),
    ("lib.records",),
    ("lib.catalog",),
    ("lib.editions", "lib.consistency"),
    ("lib.sizing",),
    ("lib.cost",),
    ("lib.choice",),
    ("lib.present",),
    ("lib.__main__",),
    ("lib.ui",),
    ("pages",),
    ("app",),
)
"""From the ground up: a room imports from itself and from the rooms before it."""

SCREEN = ("lib.ui", "pages", "app")
"""The only rooms that know Streamlit."""

CALCULATING = ("lib.sizing", "lib.cost", "lib.choice")
ALIKE = ("lib.sizing.families",)
"""In the calculating rooms public functions say what every parameter means; the readers of families all take one."""

MAY_OPEN_FILES = ("lib.catalog", "lib.editions", "lib.sizing.cases", "lib.present.text", "lib.ui", "lib.__main__")
"""The readers of data/ and its past, of a batch (a row may name a config.json), of the translations, the screen and the shell."""

MAY_READ_CLOCK = (*SCREEN, "lib.__main__")

LONGEST_FILE = 450
VAGUE_NAMES = ("util", "utils", "helper", "helpers", "misc", "common", "manager")
MARKS = {**DEFAULT_KEYWORDS, "count": (1, 2)}
"""What marks a message: gettext's names, and `count` for singular and plural; the Makefile names it too."""

LOCALE = "data/locales/zh/LC_MESSAGES/messages.po"

_ARITHMETIC = {ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**"}
_HIDDEN_ARITHMETIC = ("pow", "prod", "divmod", "truediv", "floordiv", "mul", "multiply", "divide")
_OPENING = ("open", "read_text", "read_bytes", "write_text", "write_bytes", "read_csv", "read_parquet", "read_json")
_CALENDAR = ("now", "today", "utcnow")
_SEEDED = ("default_rng", "Generator", "PCG64", "SeedSequence", "Random")

# One letter of each stands in brackets, so that this file does not contain what it looks for.
_FOREIGN_WORDS = (
    r"(?<![\w./-])(?:\.\./)*sh[a]red/",
    r"(?<![\w.])/w[o]rk(?:/|\b)",
    r"(?<![\w.])/(?:r[o]ot|h[o]me|U[s]ers|t[m]p)/",
    r"\bs[e]ssions? of (?:the )?(?:work|project)\b",
    r"\b(?:p[y]pi\.org|python[h]osted|d[e]b\.debian\.org|registry\.n[p]mjs)\b",
    r"\b(?:l[a]nguage model wrote|AI a[s]sistant|C[l]aude|C[o]dex)\b",
)
_WITHOUT_WORDS = (".png", ".ico", ".woff2", ".xlsx", ".pptx", ".mo")
_PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}|%\((\w+)\)")
_PARAMETER = re.compile(r"^(\*{0,2}\w+(?:, *\*{0,2}\w+)*)\s*(?::.*)?$")


def python_files(root: Path, *folders: str) -> Iterator[Path]:
    """The Python files of these folders (or single files) under root, in a stable order."""
    for folder in folders:
        path = root / folder
        if path.is_file():
            yield path
        yield from sorted(path.rglob("*.py"))


def tracked_files(root: Path) -> list[Path]:
    """What belongs to the project: what git tracks or would track; what is not made by tools where there is no git."""
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
        return [root / name for name in sorted(set(names)) if name and (root / name).is_file()]
    top = (path for path in root.iterdir() if not re.fullmatch(r"\.(venv|hypothesis|\w+_cache)", path.name))
    files = (file for path in top for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
    return sorted(file for file in files if "__pycache__" not in file.parts)


def _trees(root: Path, *folders: str) -> Iterator[tuple[Path, str, ast.Module]]:
    """Each file with its module name and its syntax tree."""
    for path in python_files(root, *folders):
        parts = path.relative_to(root).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield path.relative_to(root), module, ast.parse(path.read_text(encoding="utf-8"), str(path))


def _room(module: str) -> tuple[int, str] | None:
    """Height and name of the room that a module stands in; None for a module of no room."""
    for height, names in enumerate(ROOMS):
        for name in names:
            if module == name or module.startswith(f"{name}."):
                return height, name
    return None


def _is_in(module: str, rooms: tuple[str, ...]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


def _imports(module: str, is_package: bool, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a module imports, relative imports resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                above = package[: len(package) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            for name in node.names:
                yield node.lineno, f"{base}.{name.name}"


def imports_against_direction(root: Path) -> list[str]:
    """Imports from a room above, Streamlit below the screen, modules that stand in no room."""
    found = []
    for path, module, tree in _trees(root, "lib", "pages", "app.py"):
        room = _room(module)
        if room is None and module != "lib":
            found.append(f"{path}: stands in no room")
            continue
        height = room[0] if room else -1
        for line, target in _imports(module, path.name == "__init__.py", tree):
            first = target.split(".")[0]
            if first == "streamlit" and not _is_in(module, SCREEN):
                found.append(f"{path}:{line}: imports streamlit below the screen")
            if first in ("tests", "benchmarks"):
                found.append(f"{path}:{line}: imports {target}, which is not part of the product")
            target_room = _room(target)
            if target_room and target_room[0] > height:
                found.append(f"{path}:{line}: imports {target} from a room above")
    return found


def calculations_on_the_screen(root: Path) -> list[str]:
    """Arithmetic, sleep, bare except, injected CSS and unsafe HTML in pages/ and lib/ui/; one fixed script may set the language."""
    found, scripts = [], []
    for path, _, tree in _trees(root, "pages", "lib/ui"):
        for node in ast.walk(tree):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _ARITHMETIC:
                found.append(f"{where}: arithmetic ({_ARITHMETIC[type(node.op)]})")
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                found.append(f"{where}: bare except")
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = {name.name for name in node.names} | {getattr(node, "module", None) or ""}
                if names & {"sleep", "operator", "streamlit.components.v1"}:
                    found.append(f"{where}: imports {', '.join(sorted(names - {''}))}")
            if isinstance(node, ast.Call):
                name = _called(node).rpartition(".")[2]
                if name in ("sleep", *_HIDDEN_ARITHMETIC):
                    found.append(f"{where}: calls {name}")
                keywords = {keyword.arg for keyword in node.keywords}
                if "unsafe_allow_html" in keywords:
                    found.append(f"{where}: unsafe HTML")
                if name == "html" or "unsafe_allow_javascript" in keywords:
                    scripts.append((path, where))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "<style" in node.value:
                found.append(f"{where}: injected CSS")
    if len(scripts) > 1 or any(path.parts[:2] != ("lib", "ui") for path, _ in scripts):
        found += [f"{where}: only one script, in lib/ui, may stand on the screen" for _, where in scripts]
    return found


def _called(node: ast.Call) -> str:
    """The dotted name of what is called: `st.html`, `np.random.rand`."""
    return ast.unparse(node.func)


def clocks_files_and_chance(root: Path) -> list[str]:
    """Clocks, files and unseeded random numbers in the calculating code, where the same input gives the same output."""
    found = []
    for path, module, tree in _trees(root, "lib"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            owner, _, name = _called(node).rpartition(".")
            where = f"{path}:{node.lineno}: calls {_called(node)}"
            if name in _OPENING and not _is_in(module, MAY_OPEN_FILES):
                found.append(f"{where}: opens a file")
            if (name in _CALENDAR or owner == "time") and not _is_in(module, MAY_READ_CLOCK):
                found.append(f"{where}: reads a clock")
            from_global_state = owner.rpartition(".")[2] == "random" and name not in _SEEDED
            if from_global_state or (name in _SEEDED and not (node.args or node.keywords)):
                found.append(f"{where}: draws without a seed")
    return found


def documented_parameters(docstring: str) -> list[str] | None:
    """Names in the numpydoc section Parameters, in its order; None where there is no such section."""
    lines = docstring.expandtabs().splitlines()
    for number, line in enumerate(lines[:-1]):
        if line.strip() == "Parameters" and re.fullmatch(r"\s*-{3,}", lines[number + 1]):
            indent = len(line) - len(line.lstrip())
            names: list[str] = []
            for after in range(number + 2, len(lines)):
                text = lines[after]
                following = lines[after + 1] if after + 1 < len(lines) else ""
                if re.fullmatch(r"\s*-{3,}", following):
                    break
                if (
                    text.strip()
                    and len(text) - len(text.lstrip()) <= indent
                    and (match := _PARAMETER.match(text.strip()))
                ):
                    names += [name.strip().lstrip("*") for name in match[1].split(",")]
            return names
    return None


def _public_functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    """Name, node and whether it is a method, of every function that other modules may call."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node, False
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for member in node.body:
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                    yield f"{node.name}.{member.name}", member, True


def docstrings_against_signatures(root: Path) -> list[str]:
    """Public functions of lib without a docstring, or whose documented parameters are not those of the signature."""
    found = []
    for path, module, tree in _trees(root, "lib"):
        for name, node, is_method in _public_functions(tree):
            where = f"{path}:{node.lineno}: {name}"
            docstring = ast.get_docstring(node)
            if not docstring:
                found.append(f"{where} has no docstring")
                continue
            given = node.args
            every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
            signature = [argument.arg for argument in every if argument]
            static = any(isinstance(mark, ast.Name) and mark.id == "staticmethod" for mark in node.decorator_list)
            if is_method and not static:
                signature = signature[1:]
            documented = documented_parameters(docstring)
            if documented is None:
                if signature and not is_method and _is_in(module, CALCULATING) and not _is_in(module, ALIKE):
                    found.append(f"{where} does not say what its parameters mean")
            elif documented != signature:
                found.append(f"{where} documents {', '.join(documented)} but takes {', '.join(signature)}")
    return found


def files_with_vague_names(root: Path) -> list[str]:
    """Files and folders named after nothing, and Python files whose names are not lower snake case without numbers."""
    found = []
    for path in tracked_files(root):
        relative = path.relative_to(root)
        if any(part.partition(".")[0].lower() in VAGUE_NAMES for part in relative.parts):
            found.append(f"{relative}: a name that says nothing")
        if path.suffix == ".py" and not re.fullmatch(r"[a-z_]+", path.stem):
            found.append(f"{relative}: not lower snake case without numbers")
    return found


def files_too_long(root: Path) -> list[str]:
    """Python files longer than one sitting can read."""
    lengths = {path: len(path.read_bytes().splitlines()) for path in tracked_files(root) if path.suffix == ".py"}
    return [
        f"{path.relative_to(root)}: {length} lines, {LONGEST_FILE} at most"
        for path, length in lengths.items()
        if length > LONGEST_FILE
    ]


def foreign_words(root: Path) -> list[str]:
    """Words in the project's files that speak of the place where it was made instead of the project."""
    pattern = re.compile("|".join(_FOREIGN_WORDS), re.IGNORECASE)
    found = []
    for path in tracked_files(root):
        if path.suffix in _WITHOUT_WORDS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if match := pattern.search(line):
                found.append(f"{path.relative_to(root)}:{number}: {match[0]!r}")
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _named_sources(value: object) -> Iterator[str]:
    """Every source id that a preset names, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.endswith(("source_id", "source_ids")):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from _named_sources(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_sources(inner)


def sources_against_uses(root: Path) -> list[str]:
    """Sources that no fact uses, facts whose source is unknown, and sources that cannot be found by a reader."""
    data = root / "data"
    sources = {row["source_id"]: row for row in _rows(data / "sources.csv")}
    uses: dict[str, str] = {}
    for path in sorted(data.glob("*.csv")):
        if path.stem in ("sources", "columns"):
            continue
        for number, row in enumerate(_rows(path), start=1):
            for column, cell in row.items():
                if column.endswith(("source_id", "source_ids")):
                    for source_id in filter(None, cell.split(";")):
                        uses.setdefault(source_id, f"data/{path.name} row {number}")
    for path in sorted(data.glob("presets/*.toml")):
        for source_id in _named_sources(tomllib.loads(path.read_text(encoding="utf-8"))):
            uses.setdefault(source_id, f"data/presets/{path.name}")
    found = [f"{where}: no source is called {name!r}" for name, where in uses.items() if name not in sources]
    found += [f"data/sources.csv: {name!r} is used by no fact" for name in sources if name not in uses]
    found += [
        f"data/sources.csv: {name!r} has no {column}"
        for name, row in sources.items()
        for column in ("title", "publisher", "kind", "location")
        if not row[column].strip()
    ]
    return found


def _placeholders(text: str) -> set[str]:
    return {first or second for first, second in _PLACEHOLDER.findall(text)}


def _texts(words: str | Sequence[str] | None) -> tuple[str, ...]:
    """Singular and plural of a message, or its one form."""
    return (words,) if isinstance(words, str) else tuple(words or ())


def spoken_messages(root: Path) -> dict[str | tuple[str, ...], str]:
    """Every message that the code marks for translation, with the place where it stands."""
    mappings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["babel"]["mappings"]
    methods = [(mapping["pattern"], mapping["method"]) for mapping in mappings]
    return {
        message: f"{file}:{line}"
        for file, line, message, _, _ in extract_from_dir(root, methods, keywords=MARKS)
        if message
    }


def counted(root: Path) -> list[tuple[str, str]]:
    """Singulars that the code counts things with, each with where: the extractor loses the plural where an argument nests calls."""
    found = []
    for _path, where, tree in _trees(root, "lib", "pages"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "count":
                first = node.args[0] if len(node.args) > 2 else None
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.append((first.value, f"{where}:{node.lineno}"))
    return found


def untranslated_messages(root: Path) -> list[str]:
    """Messages of the code without a whole Chinese translation, and translations that the code no longer speaks."""
    spoken = spoken_messages(root)
    path = root / LOCALE
    if not path.is_file():
        return [f"{LOCALE} is missing for {len(spoken)} messages"] if spoken else []
    with path.open("rb") as file:
        catalogue = read_po(file, locale="zh", abort_invalid=True)
    found = []
    for words, where in spoken.items():
        entry: Message | None = catalogue.get(words)
        translations = _texts(entry.string) if entry else ()
        if entry is None or not translations or not all(text.strip() for text in translations):
            found.append(f"{where}: {words!r} is not translated")
        elif entry.fuzzy:
            found.append(f"{where}: the translation of {words!r} is fuzzy")
        else:
            wanted = set().union(*map(_placeholders, _texts(words)))
            found += [
                f"{where}: {words!r} and {text!r} differ in their placeholders"
                for text in translations
                if _placeholders(text) != wanted
            ]
    plural = {_texts(entry.id)[0] for entry in catalogue if not isinstance(entry.id, str)}
    found += [
        f"{where}: the plural of {first!r} is not in the catalogue"
        for first, where in counted(root)
        if first not in plural
    ]
    said = {_texts(words)[0] for words in spoken}
    written = [_texts(entry.id)[0] for entry in catalogue if entry.id]
    found += [f"{LOCALE}: {words!r} is no longer spoken" for words in written if words not in said]
    return found
