"""How the tests run: the same draws every time, and the browser after everything that is quicker to fail."""

import pytest
from hypothesis import settings

# A deadline measures the machine, and a failure that comes and goes tests nothing.
settings.register_profile("ledger", deadline=None, derandomize=True, database=None)
settings.load_profile("ledger")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in tests/browser, and run it last."""
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker("browser")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
