"""Pages whose examples take their time are slow tests."""

import pytest

SLOW = ("tutorial.md", "howto.md")  # whole analyses, a report, a dozen fits


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.name in SLOW:
            item.add_marker("slow")
