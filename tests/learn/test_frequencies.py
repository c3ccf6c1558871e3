"""Frequency estimates against the literal oracle, with holes, weights and empty columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.learn.frequencies import frequency_network
from tests.oracles import counts as oracle
from tests.oracles.model import Model
from tests.strategies import problems, structures


@given(problems(structures(max_nodes=6), missing=True), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_equal_the_literal_estimates(problem, pseudocount):
    structure, data = problem
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = list(zip(*(data.column(node) for node in model.nodes), strict=True))
    expected = oracle.normalised(oracle.family_counts(model, rows, data.weights), pseudocount)
    network = frequency_network(structure, data, pseudocount)
    for node in structure.nodes:
        np.testing.assert_allclose(network.cpts[node], expected[node], rtol=1e-12, atol=1e-15)


def test_a_column_without_rows_is_uniform():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    states = {"c": ("n", "y"), "a": (0, 1, 2)}
    data = bnlr.Dataset.from_codes(np.array([[0, 1], [0, 1]]), states, "c")
    network = frequency_network(structure, data, pseudocount=0.0)
    np.testing.assert_array_equal(network.cpts["c"], [1, 0])
    np.testing.assert_array_equal(network.cpts["a"], [[0, 1, 0], [1 / 3] * 3])


def test_bad_input_is_named():
    structure = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
    data = bnlr.Dataset.from_codes(np.array([[0, 1]]), {"c": ("n", "y"), "a": (0, 1)}, "c")
    with pytest.raises(bnlr.StateError, match="'b' of the structure is not a column"):
        frequency_network(structure, data)
    for pseudocount in (-1, "x", True, float("nan"), float("inf"), [1.0]):
        with pytest.raises(bnlr.ParameterError, match=r"pseudocount is .*finite number, 0 or"):
            frequency_network(structure, data, pseudocount=pseudocount)


def test_a_cpt_that_would_not_fit_is_refused():
    states = {name: tuple(range(3000)) for name in "cab"}
    data = bnlr.Dataset.from_codes(np.zeros((2, 3), dtype=int), states, "c")
    structure = bnlr.Structure([("c", "b"), ("a", "b")], class_name="c")
    with pytest.raises(bnlr.TooLargeError, match=r"b.*27,000,000,000 cells"):
        frequency_network(structure, data)


def test_nobody_changes_estimated_cpts():
    structure = bnlr.Structure([("c", "a")], class_name="c")
    codes = [[0, 0], [1, 1], [0, 1]]
    data = bnlr.Dataset.from_codes(codes, {"c": (0, 1), "a": (0, 1)}, "c")
    network = bnlr.fit(structure, data, learner="frequencies").network
    with pytest.raises(ValueError, match="read-only"):
        network.cpts["a"][0, 0] = 1.0
    with pytest.raises(TypeError, match="immutable"):
        network.cpts["a"] = np.eye(2)
    with pytest.raises(AttributeError, match="immutable"):
        network.cpts = {}
