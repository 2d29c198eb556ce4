"""The project keeps the rules of its house, and each rule is able to fail."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lib import catalog
from tests import house_rules

ROOT = Path(__file__).resolve().parent.parent
Rule = Callable[[Path], list[str]]


def write(root: Path, files: Mapping[str, str]) -> Path:
    """A small tree of files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    "rule",
    [
        house_rules.imports_against_direction,
        house_rules.calculations_on_the_screen,
        house_rules.clocks_files_and_chance,
        house_rules.docstrings_against_signatures,
        house_rules.files_with_vague_names,
        house_rules.files_too_long,
        house_rules.foreign_words,
        house_rules.sources_against_uses,
        house_rules.untranslated_messages,
    ],
    ids=lambda rule: rule.__name__,
)
def test_the_project_keeps_the_rule(rule: Rule) -> None:
    """No file of the project breaks the rule; the message lists each place that does."""
    violations = rule(ROOT)
    assert not violations, "\n" + "\n".join(violations)


def test_sources_survive_loading() -> None:
    """Every source of the table is in the catalogue, and every record that carries a source names one of them."""
    loaded = catalog.load()
    table = (ROOT / "data" / "sources.csv").read_text(encoding="utf-8")
    assert all(source_id in table for source_id in loaded.sources)
    records: list[Any] = [*loaded.models.values(), *loaded.weight_formats.values(), *loaded.assumptions.values()]
    records += [*loaded.prices, *loaded.software]
    for group in (*loaded.spec_cells.values(), *loaded.checkpoints.values()):
        records += group
    assert records
    for record in records:
        assert record.source_id in loaded.sources, record
    for name, frame in loaded.measured.items():
        assert set(frame["source_id"].astype(str)) <= set(loaded.sources), name


def test_the_code_speaks_through_the_catalogue_of_messages() -> None:
    """The pages mark their words for translation: an extraction that finds nothing would make the rule empty."""
    assert house_rules.spoken_messages(ROOT)


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"lib/sizing/fit.py": "from lib.cost import cash_flow\n"}, "from a room above"),
        ({"lib/sizing/fit.py": "from ..cost import cash_flow\n"}, "from a room above"),
        ({"lib/__init__.py": "from . import units\n"}, "from a room above"),
        ({"lib/records.py": "import lib.catalog\n"}, "from a room above"),
        ({"lib/ui/show.py": "from pages import cost\n"}, "from a room above"),
        ({"lib/present/text.py": "def say():\n    import streamlit as st\n"}, "streamlit below the screen"),
        ({"lib/__main__.py": "from streamlit import write\n"}, "streamlit below the screen"),
        ({"lib/cost/cash_flow.py": "from tests import house_rules\n"}, "not part of the product"),
        ({"lib/loose.py": "x = 1\n"}, "stands in no room"),
    ],
)
def test_an_import_against_the_direction_is_found(tmp_path: Path, files: dict[str, str], complaint: str) -> None:
    """Absolute, relative and nested imports from above are seen, and Streamlit below the screen."""
    assert complaint in "\n".join(house_rules.imports_against_direction(write(tmp_path, files)))


def test_imports_from_below_are_allowed(tmp_path: Path) -> None:
    """A room may import from itself, from below, and from outside the project."""
    files = {
        "lib/__init__.py": "",
        "lib/errors.py": "import difflib\n",
        "lib/sizing/fit.py": "import numpy as np\nfrom lib import errors\nfrom lib.sizing import weights\n",
        "lib/sizing/weights.py": "from ..records import Model\n",
        "pages/cost.py": "import streamlit as st\nfrom lib.ui import show\n",
        "app.py": "import streamlit as st\n",
    }
    assert house_rules.imports_against_direction(write(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("total = price * 8", "arithmetic (*)"),
        ("share = used / total", "arithmetic (/)"),
        ("pages = n // 2", "arithmetic (//)"),
        ("total **= 2", "arithmetic (**)"),
        ("from math import prod\nx = prod([2, 3])", "calls prod"),
        ("import operator", "imports operator"),
        ("import time\ntime.sleep(1)", "calls sleep"),
        ("from time import sleep as rest", "imports sleep"),
        ("try:\n    x = 1\nexcept:\n    x = 2", "bare except"),
        ("import streamlit as st\nst.markdown('<b>', unsafe_allow_html=True)", "unsafe HTML"),
        ("STYLE = '<style>h2{font-size:9rem}</style>'", "injected CSS"),
        ("import streamlit as st\nst.html('<b>')", "only one script"),
        ("import streamlit.components.v1 as components", "imports streamlit.components.v1"),
    ],
)
def test_a_calculation_on_the_screen_is_found(tmp_path: Path, code: str, complaint: str) -> None:
    """Pages neither compute, nor wait, nor swallow errors, nor write HTML."""
    assert complaint in "\n".join(house_rules.calculations_on_the_screen(write(tmp_path, {"pages/cost.py": code})))


def test_one_fixed_script_may_set_the_language(tmp_path: Path) -> None:
    """One st.html in lib/ui is allowed, a second one is not."""
    script = "import streamlit as st\nst.html('<script></script>', unsafe_allow_javascript=True)\n"
    root = write(tmp_path, {"lib/ui/shell.py": script, "pages/cost.py": "fits = count + 1\n"})
    assert house_rules.calculations_on_the_screen(root) == []
    assert len(house_rules.calculations_on_the_screen(write(root, {"lib/ui/show.py": script}))) == 2


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("from pathlib import Path\nx = Path('a').read_text()", "opens a file"),
        ("x = open('a')", "opens a file"),
        ("import datetime as dt\nx = dt.date.today()", "reads a clock"),
        ("import time\nx = time.time()", "reads a clock"),
        ("import random\nx = random.random()", "without a seed"),
        ("import numpy as np\nx = np.random.normal()", "without a seed"),
        ("import numpy as np\nx = np.random.default_rng()", "without a seed"),
    ],
)
def test_a_clock_a_file_or_chance_is_found(tmp_path: Path, code: str, complaint: str) -> None:
    """The calculating code takes its date, its rows and its seed from its caller."""
    assert complaint in "\n".join(house_rules.clocks_files_and_chance(write(tmp_path, {"lib/cost/prices.py": code})))


def test_seeded_draws_are_allowed(tmp_path: Path) -> None:
    """A generator with a seed that was passed in is reproducible."""
    code = "import numpy as np\ndef draw(seed):\n    rng = np.random.default_rng(seed)\n    return rng.random(3)\n"
    assert house_rules.clocks_files_and_chance(write(tmp_path, {"lib/cost/sensitivity.py": code})) == []


DOCUMENTED = '''
def bytes_held(tokens, window, *, block=16):
    """Bytes held, exact.

    bytes = min(tokens, window) x block

    Parameters
    ----------
    tokens : int
        Tokens of the sequence [1]. Note:
        more words here.
    {window}
        Window [1].
    block : int, default 16
        Block [1].

    Returns
    -------
    float
        Bytes [B].

    Notes
    -----
    Valid for whole blocks.
    """
'''


def test_a_docstring_equal_to_its_signature_passes(tmp_path: Path) -> None:
    """Names in the order of the signature are right; the sections after Parameters are not read as names."""
    root = write(tmp_path, {"lib/sizing/kv_cache.py": DOCUMENTED.format(window="window : int")})
    assert house_rules.docstrings_against_signatures(root) == []


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        (DOCUMENTED.format(window="windows : int"), "documents tokens, windows, block but takes tokens, window, block"),
        (DOCUMENTED.format(window="block : int"), "documents tokens, block, block but takes"),
        ("def fit(tokens):\n    return tokens\n", "has no docstring"),
        ('def fit(tokens):\n    """Whether it fits."""\n', "does not say what its parameters mean"),
        ("class Plan:\n    def fit(self):\n        return 1\n", "Plan.fit has no docstring"),
    ],
)
def test_a_docstring_against_its_signature_is_found(tmp_path: Path, code: str, complaint: str) -> None:
    """A renamed, forgotten or undocumented parameter is seen."""
    root = write(tmp_path, {"lib/sizing/kv_cache.py": code})
    assert complaint in "\n".join(house_rules.docstrings_against_signatures(root))


def test_a_vague_name_is_found(tmp_path: Path) -> None:
    """Files and folders named after nothing, with numbers or in camel case are seen; others pass."""
    names = ("lib/utils.py", "lib/common/a.py", "pages/1_start.py", "lib/CashFlow.py", "lib/cost/cash_flow.py")
    found = house_rules.files_with_vague_names(write(tmp_path, dict.fromkeys(names, "")))
    assert {line.partition(":")[0] for line in found} == set(names[:4])


def test_a_long_file_is_found(tmp_path: Path) -> None:
    """One line over the limit is seen, the limit itself passes."""
    files = {"lib/short.py": "x = 1\n" * house_rules.LONGEST_FILE, "lib/long.py": "x = 1\n" * 451}
    assert house_rules.files_too_long(write(tmp_path, files)) == ["lib/long.py: 451 lines, 450 at most"]


@pytest.mark.parametrize("before", ["", "../", "see `"])
def test_a_foreign_word_is_found(tmp_path: Path, before: str) -> None:
    """A folder outside the project and a path of one machine are seen; ordinary words that contain them are not."""
    outside = before + "share" + "d/data"
    root = write(
        tmp_path, {"a.md": outside, "b.py": "# /ho" + "me/me/x", "c.md": "shared_experts work/life src/shared/x"}
    )
    assert [line.partition(":")[0] for line in house_rules.foreign_words(root)] == ["a.md", "b.py"]


SOURCES = "source_id,title,publisher,kind,location,date,note\n"


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        (
            {"data/prices.csv": "price_id,source_id\np,a\nq,ghost\n"},
            "data/prices.csv row 2: no source is called 'ghost'",
        ),
        ({"data/prices.csv": "price_id,source_id\n"}, "'a' is used by no fact"),
        ({"data/prices.csv": "price_id,source_id,also_source_ids\np,a,a;b\n"}, "no source is called 'b'"),
        ({"data/presets/x.toml": "[[price]]\nsource_id = 'c'\n"}, "no source is called 'c'"),
        ({"data/sources.csv": SOURCES + "a,,p,article,l,,\n"}, "'a' has no title"),
    ],
)
def test_a_source_without_use_and_a_use_without_source_are_found(
    tmp_path: Path, files: dict[str, str], complaint: str
) -> None:
    """Both directions are seen, in tables, in lists of a cell and in presets."""
    root = write(tmp_path, {"data/sources.csv": SOURCES + "a,t,p,article,l,,\n"} | files)
    assert complaint in "\n".join(house_rules.sources_against_uses(root))


GOOD_PO = 'msgid "Fits on {count} GPUs"\nmsgstr "{count} 个 GPU 可容纳"\n'


@pytest.mark.parametrize(
    ("catalogue", "complaint"),
    [
        (GOOD_PO, ""),
        (None, "is missing"),
        ("", "is not translated"),
        (GOOD_PO.replace("{count} 个 GPU 可容纳", ""), "is not translated"),
        (GOOD_PO.replace("{count} 个", "{n} 个"), "differ in their placeholders"),
        ("#, fuzzy\n" + GOOD_PO, "is fuzzy"),
        (GOOD_PO + '\nmsgid "Old words"\nmsgstr "旧"\n', "is no longer spoken"),
    ],
)
def test_an_unfinished_translation_is_found(tmp_path: Path, catalogue: str | None, complaint: str) -> None:
    """A missing, empty, fuzzy, altered or left-over translation is seen; a whole one passes."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    page = "print(_('Fits on {count} GPUs').format(count=2))\n"
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    files = {"pages/memory.py": page} | ({} if catalogue is None else {house_rules.LOCALE: header + catalogue})
    found = "\n".join(house_rules.untranslated_messages(write(tmp_path, files)))
    assert complaint in found if complaint else not found
