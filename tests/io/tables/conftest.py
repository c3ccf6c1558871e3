"""The csv module's limit is one for the process, and some libraries raise it."""

import csv
from collections.abc import Iterator

import pytest

_CELL = 2**17  # the module's own


@pytest.fixture(autouse=True)
def _limit_of_cells() -> Iterator[None]:
    before = csv.field_size_limit(_CELL)
    yield
    csv.field_size_limit(before)
