"""Fits that several pictures show."""

import pytest

import bnlr


@pytest.fixture(scope="module")
def results():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("monks-2"), "class")
    structure = bnlr.learn_structure(data)
    spaces = ("loglinear", "roos", "softmax")
    return {space: bnlr.fit(structure, data, space=space, penalty=0.0) for space in spaces}
