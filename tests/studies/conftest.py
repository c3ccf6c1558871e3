"""Studies run as their users run them, a minute in all, are slow; their common part is not."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        within = item.path.parent.relative_to(HERE) if item.path.is_relative_to(HERE) else None
        if within is not None and within.parts and within.parts[0] != "common":
            item.add_marker("slow")
