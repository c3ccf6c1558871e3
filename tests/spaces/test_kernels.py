"""The compiled way from tables to CPTs, and its twin, against the paper's equations."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.errors import ParameterError
from bnlr.spaces import backmap
from tests.oracles.backmap import back_map
from tests.oracles.model import Model
from tests.strategies import cpts_of, perfect_structures, problems, tables_of


@pytest.fixture(params=["kernels", "twins"], scope="module", autouse=True)
def code(request):
    """The compiled functions, where they can be had, and their twins."""
    if request.param == "kernels":
        pytest.importorskip("numba")
    module, before = import_module(f"bnlr.spaces.{request.param}"), backmap.backend
    backmap.backend = lambda *_: module
    yield module
    backmap.backend = before


@given(problems(perfect_structures()), st.data())
def test_the_cpts_are_those_of_the_equations_in_the_gauge_asked_for(problem, draw):
    structure, data = problem
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    tables, like = draw.draw(tables_of(structure, states)), draw.draw(cpts_of(structure, states))
    axes = {n: (*structure.parents(n), n).index(structure.class_name) for n in tables}
    gauged = {
        node: table
        - table.mean(axis=axes[node], keepdims=True)
        + np.log(np.maximum(like[node], 1e-12)).mean(axis=axes[node], keepdims=True)
        for node, table in tables.items()
    }
    space, network = bnlr.Roos(structure, states), bnlr.BayesianNetwork(structure, states, like)
    found = space.to_network(space.from_tables(tables), like=network)
    for node, cpt in back_map(model, gauged).items():
        np.testing.assert_allclose(found.cpts[node], cpt, rtol=1e-10, atol=1e-12)
    for node in set(structure.nodes) - set(tables):
        np.testing.assert_array_equal(found.cpts[node], network.cpts[node])


def test_very_large_tables_still_give_columns_that_sum_to_one():
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c", ["c", "a", "b"])
    states = {"c": (0, 1, 2), "a": (0, 1), "b": (0, 1, 2)}
    space = bnlr.Roos(structure, states)
    x = 600.0 * np.random.default_rng(0).standard_normal(space.size)
    for cpt in space.to_network(x).cpts.values():
        np.testing.assert_allclose(cpt.sum(axis=-1), 1.0, atol=1e-15)
        assert (cpt >= 0).all()


def test_a_network_of_another_structure_lends_no_gauge():
    states = {"c": (0, 1), "a": (0, 1)}
    space = bnlr.Roos(bnlr.Structure([("c", "a")], "c"), states)
    other = bnlr.Structure([("a", "c")], "c")
    like = bnlr.BayesianNetwork(other, states, {"a": [0.5, 0.5], "c": np.full((2, 2), 0.5)})
    with pytest.raises(ParameterError, match="structure and states"):
        space.to_network(np.zeros(space.size), like=like)
