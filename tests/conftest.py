"""How the tests run: the same draws every time, and the browser after everything that is quicker to fail."""

import os
from pathlib import Path
from typing import Final

import pytest
from hypothesis import Phase, settings

# A deadline measures the machine, and a failure that comes and goes tests nothing.
settings.register_profile("ledger", deadline=None, derandomize=True, database=None)
settings.load_profile("ledger")
if "MUTANT_UNDER_TEST" in os.environ:
    # Of a mutant it is asked whether it fails, not how simply.
    settings.register_profile("mutant", settings.get_profile("ledger"), phases=(Phase.explicit, Phase.generate))
    settings.load_profile("mutant")

PRESETS: Final = frozenset(path.stem for path in (Path(__file__).parents[1] / "data" / "presets").glob("*.toml"))
EVERY_RUN: Final = frozenset(
    {"serve-70b", "deepseek-v3", "finetune-64", "pretrain-256", "image-generation", "token-price", "mi355x-rent"}
)
"""One preset of each kind, the rest in `make soak`: dense, experts, tuning, training, images, a stated rate, an article's prices."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in tests/browser, and run it last; leave the presets of a kind already taken to the long run."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
        called = getattr(item, "callspec", None)
        named = (
            PRESETS.intersection(value for value in called.params.values() if isinstance(value, str)) if called else ()
        )
        if named and not EVERY_RUN.intersection(named):
            item.add_marker("soak")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
