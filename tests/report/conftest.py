"""No picture of a test stays open."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close pyplot's figures after every test."""
    yield
    from matplotlib import pyplot

    pyplot.close("all")
