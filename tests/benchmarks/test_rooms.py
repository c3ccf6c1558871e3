"""A fit that is timed cold finds nothing of earlier ones."""

import sys

import pytest

import bnlr
from benchmarks import rooms


def kept():
    return sum(cached.cache_info().currsize for cached in rooms._bounded(len(sys.modules)))


@pytest.mark.slow
def test_what_a_fit_leaves_behind_is_forgotten():
    frame = bnlr.load_dataset("tic-tac-toe")
    data = bnlr.Dataset.from_frame(frame, class_name="class")
    structure = bnlr.learn_structure(data, "tan")
    rooms.forget()
    assert not kept()
    bnlr.fit(structure, data, penalty=1.0)
    assert kept() >= 3
    rooms.forget()
    assert not kept()
