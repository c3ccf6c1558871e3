"""Layers of a profile name code that is there."""

from pathlib import Path

import pytest

import bnlr
from benchmarks import profiling

FILES = [path.as_posix() for path in Path(bnlr.__file__).parent.rglob("*.py")]


@pytest.mark.parametrize(("part", "function", "layer"), profiling._PLACES)
def test_every_place_is_in_the_package(part, function, layer):
    files = [path for path in FILES if part in path]
    assert files, f"{layer}: no file {part}"
    if function:
        assert any(f"def {function}(" in Path(path).read_text("utf-8") for path in files)
