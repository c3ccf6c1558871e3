"""Theorem 2 of Wettig et al. (2003): the CLL is concave in the L-model, though not strictly so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.linalg import null_space

import bnlr
from bnlr.spaces.l_model import Free
from tests.strategies import generators, perfect_structures, problems, structures
from tests.width import examples

SPACES = (Free, bnlr.Roos, bnlr.LogLinear)


def states_of(structure, data):
    return {node: data.states[node] for node in structure.nodes}


def above_chords(space, data, rng, n=5):
    """By how much the CLL is above its chord, least over ``n`` random segments."""
    least = np.inf
    for _ in range(n):
        ends = rng.normal(scale=3.0, size=(2, space.size))
        share = rng.uniform(0.05, 0.95)
        inner = space.cll(share * ends[0] + (1 - share) * ends[1], data)
        own = [space.cll(end, data) for end in ends]
        least = min(least, inner - share * own[0] - (1 - share) * own[1])
    return least


@pytest.mark.parametrize("kind", SPACES)
@given(problems(), generators())
@examples(25)
def test_the_cll_is_nowhere_below_its_chords(kind, problem, rng):
    structure, data = problem
    space = kind(structure, states_of(structure, data))
    assert above_chords(space, data, rng) >= -1e-9 * max(1.0, data.weights.sum())


@given(problems(structures(max_nodes=5)), generators())
@examples(25)
def test_nor_is_it_where_condition_1_fails(problem, rng):
    structure, data = problem
    space = Free(structure, states_of(structure, data))
    assert above_chords(space, data, rng) >= -1e-9 * max(1.0, data.weights.sum())


def every_configuration(structure, rng):
    """Data with each configuration of the nodes once, weighted at random."""
    cards = [2 + k % 2 for k in range(len(structure.nodes))]
    rows = np.array(list(np.ndindex(*cards)))
    states = {n: tuple(range(card)) for n, card in zip(structure.nodes, cards, strict=True)}
    frame = pd.DataFrame(rows, columns=list(structure.nodes))
    weights = rng.uniform(0.5, 2.0, len(rows))
    return bnlr.Dataset.from_frame(frame, structure.class_name, states=states, weights=weights)


def bends(space, data, x, direction):
    """CLL at x less the mean of those a step before and after it: above 0 where it curves."""
    before, after = (space.cll(x + sign * direction, data) for sign in (-1, 1))
    return space.cll(x, data) - (before + after) / 2


@given(perfect_structures(max_nodes=4, min_attributes=1), generators())
@examples(25)
def test_it_is_not_strictly_concave_where_columns_are_collinear(structure, rng):
    """A sum of Roos columns that is 0 in each row is a direction along which nothing changes."""
    data = every_configuration(structure, rng)
    space = bnlr.Roos(structure, states_of(structure, data))
    columns = null_space(space.design(data).toarray())
    n_free = bnlr.LogLinear(structure, states_of(structure, data)).design(data).shape[1]
    assert columns.shape == (space.design(data).shape[1], space.design(data).shape[1] - n_free)
    x = rng.normal(size=space.size)
    for column in columns.T:
        shared = np.outer(column, rng.normal(size=space.size // len(column))).ravel()
        for step in (1.0, 40.0):
            assert space.cll(x + step * shared, data) == pytest.approx(space.cll(x, data))


def test_naive_bayes_has_such_a_direction():
    structure = bnlr.Structure([("c", "a"), ("c", "b")], class_name="c")
    data = every_configuration(structure, np.random.default_rng(0))
    space = bnlr.Roos(structure, states_of(structure, data))
    assert null_space(space.design(data).toarray()).shape[1] == 2


@given(perfect_structures(max_nodes=4), generators())
@examples(25)
def test_it_is_strictly_concave_in_the_log_linear_predictors(structure, rng):
    """They are linearly independent: the data of the test before bend the CLL every way."""
    data = every_configuration(structure, rng)
    space = bnlr.LogLinear(structure, states_of(structure, data))
    x = rng.normal(size=space.size)
    for direction in [*np.eye(space.size), rng.normal(size=space.size)]:
        assert bends(space, data, x, direction) > 1e-6


def test_chords_tell_a_space_in_which_it_is_not_concave():
    """The remark after Theorem 2: in the network's own parameters it is not."""
    structure = bnlr.Structure([("c", "a")], class_name="c")
    row = pd.DataFrame({"c": ["no"], "a": ["x"]})
    states = {"c": ("no", "yes"), "a": ("x", "y", "z")}
    data = bnlr.Dataset.from_frame(row, "c", states=states)
    rngs = (np.random.default_rng(1) for _ in range(2))
    bent, straight = (
        above_chords(kind(structure, states), data, rng, n=20)
        for kind, rng in zip((bnlr.Softmax, bnlr.Roos), rngs, strict=True)
    )
    assert bent < -1e-3
    assert straight >= 0
